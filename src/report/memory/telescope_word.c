/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/sorted.h"
#include "report/memory/reading_words.h"
#include "report/report.h"
#include "report/memory/telescope_internal.h"

/* The meaning of a word, and its use by the step. */

const struct memory_run *
telescope_run(const struct telescope *telescope, uint64_t address)
{
	const struct memory_run *run = telescope->run;

	return run != NULL && checked_contains(run->base, run->size, address)
		? run
		: memory_run_of(telescope->options.memory, address);
}

uint64_t
telescope_word_at(const struct telescope *telescope, uint64_t address)
{
	const struct memory_run *run = telescope_run(telescope, address);

	if (run == NULL || run->size - (address - run->base) < telescope->size)
		return 0;
	return telescope_word(telescope->options.memory, run, address, telescope->size);
}

size_t
telescope_owner(const struct telescope *telescope, uint64_t address)
{
	const struct walk *walk = telescope->options.walk;
	const size_t owner = memory_marks_owner(&telescope->marks, address);
	const int sp = telescope->source.arch->sp;

	if (owner == SIZE_MAX || walk->frames[owner].registers.value[sp] == address)
		return owner;
	const struct memory_run *run = memory_run_of(telescope->options.memory, address);
	return run != NULL &&
			checked_contains(
				run->base, run->size, walk->frames[owner].registers.value[sp])
		? owner
		: SIZE_MAX;
}

const struct telescope_candidate *
telescope_candidate(const struct telescope *telescope, uint64_t address)
{
	size_t low = sorted_below(
		SORTED(telescope->candidates, telescope->candidate_count, address), address);

	return low < telescope->candidate_count && telescope->candidates[low].address == address
		? &telescope->candidates[low]
		: NULL;
}

bool
telescope_is_stepping(const struct telescope *telescope)
{
	const struct step_view *step = telescope->options.step;

	return step != NULL && !step_view_is_over(step);
}

const struct frame_saves *
telescope_saves(const struct telescope *telescope, size_t frame)
{
	if (telescope_is_stepping(telescope) && telescope->options.step->frame == frame)
		return &telescope->so_far;
	return frame_saves_of(&telescope->options.state->saves, telescope->options.walk, frame);
}

const struct frame_save *
telescope_save(const struct telescope *telescope, uint64_t address, size_t *frame)
{
	const size_t owner = telescope_owner(telescope, address);

	for (size_t back = 0; owner != SIZE_MAX && back < 2 && back <= owner; back++) {
		const struct frame_saves *saves = telescope_saves(telescope, owner - back);
		const struct frame_save *save = frame_saves_at(saves, address);

		*frame = owner - back;
		if (save != NULL)
			return save;
	}
	return NULL;
}

/* Whether the exception's address is in the word at `address`. */
static bool
is_crash_address(const struct telescope *telescope, uint64_t address)
{
	const struct crash *crash = telescope->options.crash;

	return crash->reason != NULL && crash->cause.address == CRASH_ADDRESS_MEMORY &&
		checked_contains(address, telescope->size, crash->reason_address);
}

char
telescope_sign(const struct telescope *telescope, uint64_t address)
{
	const struct telescope_candidate *candidate = telescope_candidate(telescope, address);
	size_t count;
	const struct memory_read_mark *reads =
		memory_marks_reads(&telescope->marks, address, &count);
	char sign = ' ';

	for (size_t i = 0; i < count; i++)
		if (step_view_is_new(telescope->options.step, reads[i].event))
			return '>';
		else if (reads[i].event <= step_view_now(telescope->options.step))
			sign = '*';
	if (is_crash_address(telescope, address))
		return '!';
	if (sign != ' ')
		return sign;
	if (candidate != NULL)
		return candidate->event->status == EVENT_OK ? '+' : '?';
	return ' ';
}

static void
join(char *buffer, size_t size, const char *label, const char *text, size_t number)
{
	size_t used = strlen(buffer);

	if (used < size)
		snprintf(buffer + used, size - used, "%s%s%s%zu", used > 0 ? ", " : "", label, text,
			number);
}

/* The token at the cursor comes first, because the reader looks for it. */
static void
join_tokens(const struct telescope *telescope, uint64_t address, bool at_cursor, char *buffer,
	size_t size)
{
	const struct step_view *step = telescope->options.step;
	const uint32_t cursor = step != NULL ? step->cursor : TRACE_NONE;
	size_t count;
	const struct memory_read_mark *reads =
		memory_marks_reads(&telescope->marks, address, &count);

	for (size_t i = 0; i < count; i++) {
		bool here = reads[i].event == cursor || reads[i].event - 1 == cursor;

		if (reads[i].token > 0 && here == at_cursor &&
		    reads[i].event <= step_view_now(step))
			join(buffer, size, "token", " ", reads[i].token);
	}
}

/* Finds the frame whose CFA is an address: the frame ends there, and its caller may begin there. */
static bool
is_cfa(const struct telescope *telescope, uint64_t address, size_t *frame)
{
	const size_t owner = telescope_owner(telescope, address);

	for (size_t back = 0; owner != SIZE_MAX && back < 2 && back <= owner; back++) {
		const struct frame_saves *saves = telescope_saves(telescope, owner - back);

		*frame = owner - back;
		if (saves->has_cfa && saves->cfa == address)
			return true;
	}
	return false;
}

bool
telescope_is_known(const struct telescope *telescope, size_t frame, int reg)
{
	const struct step_view *step = telescope->options.step;

	return frame != SIZE_MAX &&
	       (!telescope_is_stepping(telescope) || frame != step->frame + 1 ||
		step_view_register(step, reg) != TRACE_NONE);
}

void
telescope_marks(const struct telescope *telescope, uint64_t address, char *buffer, size_t size)
{
	const struct memory_marks *marks = &telescope->marks;
	const struct arch *arch = telescope->source.arch;
	size_t frame = memory_marks_youngest(&marks->sp, address);

	buffer[0] = '\0';
	join_tokens(telescope, address, true, buffer, size);
	if (is_crash_address(telescope, address))
		snprintf(buffer + strlen(buffer), size - strlen(buffer), "%scrash",
			buffer[0] != '\0' ? ", " : "");
	if (telescope_is_known(telescope, frame, arch->sp))
		join(buffer, size, arch->registers[arch->sp].label, " of ", frame);
	frame = memory_marks_youngest(&marks->fp, address);
	if (telescope_is_known(telescope, frame, arch->fp))
		join(buffer, size, arch->registers[arch->fp].label, " of ", frame);
	if (is_cfa(telescope, address, &frame))
		join(buffer, size, "cfa", " of ", frame);
	join_tokens(telescope, address, false, buffer, size);
}

void
telescope_add_value(const struct telescope *telescope, const struct reading *reading,
	size_t columns, struct row *row)
{
	const size_t owner = reading->kind == READING_STACK
		? telescope_owner(telescope, reading->value)
		: SIZE_MAX;

	reading_add(&telescope->source, reading, columns, row);
	if (owner != SIZE_MAX)
		row_add(row, ROLE_STACK, ", frame %zu", owner);
	reading_add_chain(&telescope->source, reading, row);
}

/*
 * Adds the scan result of a word. If a rule read the word, adds no refusal, and adds "taken" only
 * if it fits in the row.
 */
static void
add_candidate(const struct telescope *telescope, const struct event *event, bool saved, bool behind,
	size_t columns, struct row *row)
{
	const struct trace *trace = &telescope->options.step->trace;
	const uint32_t attempt = trace_ancestor(trace, event->parent, EVENT_ATTEMPT);
	/* A STACK WIN program may ignore .raSearch, and thus the word that the scan found. */
	const char *taken =
		attempt != TRACE_NONE && trace->events[attempt].detail == METHOD_STACK_WIN
			? "looks like a return address"
			: "taken by the scan";
	const bool ok = event->status == EVENT_OK;

	if (saved && (!ok || (columns != 0 && row->width + strlen(taken) + 2 > columns)))
		return;
	row_add(row, ok ? ROLE_SCAN : ROLE_UNKNOWN, "%s%s%s", behind ? "; " : "",
		ok ? taken : "refused: ", ok ? "" : event->text);
}

void
telescope_add_reading(const struct telescope *telescope, uint64_t address, uint64_t value,
	size_t columns, struct row *row)
{
	const struct walk *walk = telescope->options.walk;
	const struct telescope_candidate *candidate = telescope_candidate(telescope, address);
	const struct reading reading = reading_of(&telescope->source, value);
	const size_t before = row->width;
	size_t frame;
	const struct frame_save *save = telescope_save(telescope, address, &frame);

	if (save != NULL && telescope_saves(telescope, frame)->certainty == CERTAINTY_GUESSED)
		row_add(row, ROLE_SCAN, "guess: ");
	if (save != NULL && save->reg == walk->arch->pc && frame + 1 < walk->count &&
		!walk->frames[frame + 1].interrupted) {
		row_add(row, ROLE_CODE, "return to ");
		report_add_frame_name(row, walk, frame + 1, true, columns);
		if (reading.call == CALL_YES && (columns == 0 || columns >= row->width + 14))
			row_add(row, ROLE_CODE, ", after a call");
		else if (reading.call == CALL_NO)
			row_add(row, ROLE_BAD, ", not after a call");
	} else if (save != NULL) {
		row_add(row, ROLE_STACK, "saved %s of frame %zu",
			walk->arch->registers[save->reg].label, frame + 1);
		if (reading.kind > READING_PATTERN) {
			row_add(row, ROLE_DIM, ": ");
			telescope_add_value(telescope, &reading, columns, row);
		}
	} else if (reading.kind == READING_CODE && walk->horizon.blind == BLIND_WALK) {
		/* The name could reveal the next frame, which the user must predict. */
		row_add(row, ROLE_CODE, "an address of code");
	} else {
		reading_add_owner(&telescope->source, address, &reading, row);
		telescope_add_value(telescope, &reading, columns, row);
	}
	if (candidate != NULL)
		add_candidate(telescope, candidate->event, save != NULL, row->width > before,
			columns, row);
}

uint64_t
telescope_frame_size(const struct telescope *telescope, size_t frame)
{
	const struct walk *walk = telescope->options.walk;
	const int sp = walk->arch->sp;

	if (frame + 1 >= walk->count)
		return TELESCOPE_ENDLESS;
	const uint64_t begin = walk->frames[frame].registers.value[sp];
	const uint64_t end = walk->frames[frame + 1].registers.value[sp];
	const struct memory_run *run = memory_run_of(telescope->options.memory, begin);
	/* The caller's stack pointer may be the end of the run. */
	const bool ends = run != NULL && end >= begin && end - run->base <= run->size;
	return ends ? end - begin : TELESCOPE_ENDLESS;
}

/* The last scan of a word is used. */
SORTED_BY_ALL(compare_candidates, struct telescope_candidate, SORTED_UP(address) SORTED_DOWN(event))

void
telescope_collect_candidates(struct telescope *telescope, struct arena *arena)
{
	const struct trace *trace = &telescope->options.step->trace;
	const size_t now = step_view_now(telescope->options.step);
	struct telescope_candidate *list = NULL;
	size_t capacity = 0;

	for (size_t i = 0; i < trace->count && i <= now; i++) {
		if (trace->events[i].kind != EVENT_CANDIDATE)
			continue;
		ARENA_ADD(arena, list, telescope->candidate_count, capacity,
			  &(struct telescope_candidate){ trace->events[i].address,
							 &trace->events[i] });
	}
	SORT(list, telescope->candidate_count, compare_candidates);
	telescope->candidates = list;
}
