/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "report/stack_internal.h"
#include "report/walk_text.h"

/* Columns of a name before the word that says it is inlined. */
#define INLINED_COLUMN 18u
/* Columns of name and source line below which the source line is left out. */
#define LEAST_COLUMNS 24u
/* Columns of a name that are worth more than the word behind it. */
#define LEAST_NAME 16u

/* The rows of one thread. */
struct section {
	size_t thread;			/* index in crash->threads */
	size_t number;			/* as Breakpad counts */
	size_t first;			/* its own row; frames follow */
	size_t frames;			/* shown frames */
	const uint32_t *starts;		/* rows before a frame; NULL: each has one */
	const struct walk *walk;	/* NULL: not walked, or its frames are not shown */
	bool requesting, open;
};

struct stack {
	const struct crash *crash;
	struct section *sections;
	size_t section_count;
};

/* What a row stands for. */
enum part { PART_THREAD, PART_CALL, PART_END };

struct cursor {
	enum part part;
	const struct section *section;
	size_t frame, call;
	size_t rows;			/* of the frame: 1 where its calls are folded */
};

static size_t
frame_start(const struct section *section, size_t frame)
{
	return section->starts == NULL ? frame : section->starts[frame];
}

/* The rows of a section with its thread's and its end's. */
static size_t
section_rows(const struct section *section)
{
	return section->open ? 2 + frame_start(section, section->frames) : 1;
}

static struct cursor
cursor_in(const struct section *section, size_t row)
{
	size_t low = 0, high = section->frames;

	if (row == 0)
		return (struct cursor){ .part = PART_THREAD, .section = section };
	row--;
	if (row >= frame_start(section, section->frames))
		return (struct cursor){ .part = PART_END, .section = section };
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (frame_start(section, middle) <= row)
			low = middle;
		else
			high = middle;
	}
	size_t start = frame_start(section, low);
	return (struct cursor){ PART_CALL, section, low, row - start,
				frame_start(section, low + 1) - start };
}

static struct cursor
cursor_of(const struct listing *listing, size_t index)
{
	const struct stack *stack = listing->context;
	size_t low = 0, high = stack->section_count;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (stack->sections[middle].first <= index)
			low = middle;
		else
			high = middle;
	}
	return cursor_in(&stack->sections[low], index - stack->sections[low].first);
}

/* Columns of frame numbers: four, or what the last frame needs. */
static int
number_width(const struct section *section)
{
	char text[24];
	int length = snprintf(text, sizeof(text), "%zu", section->frames);

	return length < 4 ? 4 : length;
}

static void
fill_thread(const struct stack *stack, const struct section *section, struct row *row)
{
	const struct thread *thread = &stack->crash->threads[section->thread];

	row_add(row, ROLE_NORMAL, " %c ", section->open ? '-' : '+');
	row_add(row, ROLE_TITLE, "thread %zu   0x%" PRIx32, section->number, thread->id);
	if (thread->name != NULL) {
		row_add(row, ROLE_NORMAL, "  '");
		row_add_text(row, ROLE_NORMAL, text_of(thread->name));
		row_add(row, ROLE_NORMAL, "'");
	}
	if (thread->wrote_dump)
		row_add(row, ROLE_DIM, "  wrote this dump, not walked");
	else if (section->requesting)
		row_add(row, ROLE_CHANGED, "   %s",
			stack->crash->reason != NULL ? "crashed" : "requested the dump");
}

static size_t
name_column(const struct section *section)
{
	const struct walk *walk = section->walk;
	int digits = walk != NULL ? report_digits(walk->arch) : 8;

	return (size_t)number_width(section) + 9 + (size_t)digits;
}

static void
fill_end(const struct stack *stack, const struct section *section, struct row *row)
{
	const struct walk *walk = section->walk;

	if (walk == NULL || walk->complete) {
		row_add(row, ROLE_BAD, " !");
		row_add(row, ROLE_NORMAL, "%*s", number_width(section) + 2, "end");
	} else {
		row_add(row, ROLE_NORMAL, " +%*s", number_width(section) + 2, "...");
	}
	row_pad(row, name_column(section));
	if (walk == NULL)
		row_add(row, ROLE_DIM, "%s", stack->crash->threads[section->thread].wrote_dump
						     ? "not walked: it wrote the dump"
						     : "not walked yet");
	else if (walk->complete)
		row_add_text(row, ROLE_NORMAL, text_of(walk->end.text));
	else
		row_add(row, ROLE_NORMAL, "the walk goes on behind frame %zu",
			walk->count - 1);
}

/* The letter of a call behind the first: .b to .z, then .aa and so on. */
static void
add_letter(struct row *row, int width, size_t call)
{
	char letters[8];

	if (call < 26)
		snprintf(letters, sizeof(letters), ".%c", (char)('a' + (int)call));
	else
		snprintf(letters, sizeof(letters), ".%c%c", (char)('a' + (int)(call / 26 - 1) % 26),
			 (char)('a' + (int)(call % 26)));
	row_add(row, ROLE_DIM, "  %*s", width, letters);
}

static void
add_front(const struct cursor *at, const struct frame *frame, size_t call_count, struct row *row)
{
	const struct walk *walk = at->section->walk;
	int width = number_width(at->section);
	char mark = call_count < 2 ? ' ' : at->rows > 1 ? '-' : '+';

	if (at->call > 0) {
		add_letter(row, width, at->call);
	} else {
		row_add(row, ROLE_NORMAL, " %c%*zu ", mark, width, at->frame);
		row_add(row, report_trust_role(frame->trust), "%-4s ", frame_tag(frame));
		row_add(row, ROLE_CODE, "%0*" PRIx64, report_digits(walk->arch),
			frame->registers.value[walk->arch->pc]);
	}
	row_pad(row, name_column(at->section));
}

/* What stands at the right edge: the source line, or why there is none. */
static void
source_words(const struct location *location, const struct call *call, size_t columns,
	     char *buffer, size_t size)
{
	char name[160], whole[200];

	buffer[0] = '\0';
	if (location->module == NULL)
		return;
	if (call->file.length == 0) {
		snprintf(buffer, size, "%s", call->name.length > 0	 ? "no lines"
					     : location->symfile != NULL ? "no name"
									 : "no symbols");
		return;
	}
	text_printable(name, sizeof(name), report_base_name(call->file));
	snprintf(whole, sizeof(whole), "%s:%" PRIu32, name, call->line);
	if (columns == 0)
		snprintf(buffer, size, "%s", whole);
	else
		text_cut(buffer, size, text_of(whole), columns, true, "~");
}

static struct text
folded_name(const struct location *location, struct arena *arena)
{
	const struct text outer = location->calls[location->call_count - 1].name;
	const struct text inner = location->calls[0].name;
	const char *text = arena_format(arena, "%.*s, with %zu inlined call%s: %.*s",
					(int)(outer.length < 4096 ? outer.length : 4096),
					outer.start, location->call_count - 1,
					location->call_count == 2 ? "" : "s",
					(int)(inner.length < 4096 ? inner.length : 4096),
					inner.start);

	return text == NULL ? outer : text_of(text);
}

static void
add_name(const struct cursor *at, const struct location *location, const struct call *call,
	 size_t room, struct row *row, struct arena *arena)
{
	const struct walk *walk = at->section->walk;
	const struct frame *frame = &walk->frames[at->frame];
	bool folded = at->rows == 1 && location->call_count > 1;
	/* The word gives way to the name: the letters and the mark of the frame say it too. */
	bool inlined = call->inlined != NULL && !folded &&
		       (room == 0 || room >= LEAST_NAME + strlen(" inlined"));
	size_t begin = row->width;
	struct text name = folded ? folded_name(location, arena)
				  : report_call_name(location, call,
						     frame->registers.value[walk->arch->pc],
						     false, arena);

	if (room != 0 && inlined)
		room = room > strlen(" inlined") ? room - strlen(" inlined") : 1;
	row_add_cut(row, call->name.length > 0 ? ROLE_NORMAL : ROLE_UNKNOWN, room, true, name);
	if (!inlined)
		return;
	size_t column = row->width + 1;
	if (column < begin + INLINED_COLUMN)
		column = begin + INLINED_COLUMN;
	if (room != 0 && column > begin + room + 1)
		column = begin + room + 1;
	row_pad(row, column);
	row_add(row, ROLE_DIM, "inlined");
}

static void
fill_call(const struct cursor *at, size_t columns, struct row *row)
{
	const struct walk *walk = at->section->walk;
	const struct frame *frame = &walk->frames[at->frame];
	struct location location;
	struct arena arena;
	char source[200];
	size_t room = 0;

	arena_init(&arena, 0);
	location_of(walk, frame->lookup, &arena, NULL, &location);
	const struct call *call =
		&location.calls[at->call < location.call_count ? at->call : 0];
	add_front(at, frame, location.call_count, row);
	size_t left = columns > row->width ? columns - row->width : 0;
	source_words(&location, call, left / 2, source, sizeof(source));
	if (columns != 0) {
		size_t width = text_width(text_of(source));

		if (left < LEAST_COLUMNS)
			source[0] = '\0';
		room = source[0] == '\0' ? left : left - width - 1;
	}
	if (columns == 0 || room > 0)
		add_name(at, &location, call, room, row, &arena);
	if (source[0] != '\0')
		row_add_right(row, call->file.length > 0 ? ROLE_NORMAL : ROLE_DIM, columns, "%s",
			      source);
	arena_free(&arena);
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct stack *stack = listing->context;
	const struct cursor at = cursor_of(listing, index);

	switch (at.part) {
	case PART_THREAD:
		fill_thread(stack, at.section, row);
		break;
	case PART_CALL:
		fill_call(&at, columns, row);
		break;
	case PART_END:
		fill_end(stack, at.section, row);
		break;
	}
	if (columns != 0)
		row_cut(row, columns);
}

static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct cursor at = cursor_of(listing, index);
	const struct walk *walk = at.section->walk;
	struct target target = report_no_target();

	target.thread = at.section->thread;
	target.kind = at.part == PART_THREAD || walk == NULL || walk->count == 0 ? TARGET_THREAD
										  : TARGET_FRAME;
	if (at.part == PART_CALL) {
		target.frame = at.frame;
		target.call = at.call;
	} else if (at.part == PART_END && target.kind == TARGET_FRAME) {
		target.frame = walk->complete ? at.section->frames - 1 : at.section->frames;
		target.call = walk->complete ? STACK_END : 0;
	}
	return target;
}

static void
explain_thread(const struct crash *crash, const struct section *section, struct row *row)
{
	const struct thread *thread = &crash->threads[section->thread];

	row_add(row, ROLE_NORMAL, "thread 0x%" PRIx32, thread->id);
	if (thread->stack_size > 0) {
		row_add(row, ROLE_NORMAL, "   stack ");
		report_add_range(row, ROLE_NORMAL, report_digits(crash->system.arch),
				 thread->stack_start,
				 thread->stack_start + thread->stack_size - 1);
	}
	report_add_place(row, thread->place);
}

static void
explain_frame(const struct walk *walk, size_t number, struct row *row)
{
	const struct frame *frame = &walk->frames[number];
	const struct arch *arch = walk->arch;
	struct location location;
	struct arena arena;

	arena_init(&arena, 0);
	location_of(walk, frame->lookup, &arena, NULL, &location);
	row_add(row, ROLE_NORMAL, "frame %zu   %s %0*" PRIx64 "   ", number,
		arch->registers[arch->pc].label, report_digits(arch),
		frame->registers.value[arch->pc]);
	if (location.module != NULL) {
		row_add_text(row, ROLE_NORMAL,
			     text_of(place_base_name(location.module->code_file)));
		row_add(row, ROLE_NORMAL, " + 0x%" PRIx64 "   ",
			frame->registers.value[arch->pc] - location.module->base);
	}
	row_add(row, report_trust_role(frame->trust), "%s", trust_found_by(frame->trust));
	if (location.symbol.found)
		report_add_place(row, symfile_place(location.symfile,
						    location.symbol.function.offset,
						    location.symbol.function.length));
	arena_free(&arena);
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct stack *stack = listing->context;
	const struct cursor at = cursor_of(listing, index);

	if (at.part == PART_THREAD)
		explain_thread(stack->crash, at.section, row);
	else if (at.part == PART_CALL)
		explain_frame(at.section->walk, at.frame, row);
	else if (at.section->walk != NULL && at.section->walk->complete)
		row_add_text(row, ROLE_NORMAL, text_of(at.section->walk->end.text));
}

/* Where each frame's rows begin; nothing where every frame has one. */
static void
index_frames(struct stack_state *state, struct section *section, struct arena *arena)
{
	const struct stack_counted *counted = stack_calls_count(state, section->thread);
	uint32_t row = 0;

	if (counted == NULL || counted->inlined == 0)
		return;
	uint32_t *starts = arena_array(arena, section->frames + 1, sizeof(*starts));
	if (starts == NULL)
		return;
	for (size_t i = 0; i < section->frames; i++) {
		uint16_t frame = counted->frames[i];

		starts[i] = row;
		row += stack_calls_shown(state, frame) ? frame & STACK_CALLS_MAX : 1;
	}
	starts[section->frames] = row;
	section->starts = starts;
}

static void
add_section(struct stack_state *state, struct stack *stack, size_t thread, size_t number,
	    struct arena *arena)
{
	struct section *section = &stack->sections[stack->section_count];
	size_t first = 0;

	if (stack->section_count > 0)
		first = section[-1].first + section_rows(&section[-1]);
	stack->section_count++;
	*section = (struct section){
		.thread = thread,
		.number = number,
		.first = first,
		.open = state->open[thread],
		.requesting = state->crash->requesting_thread >= 0 &&
			      (size_t)state->crash->requesting_thread == thread,
	};
	if (!section->open || state->walks[thread] == NULL)
		return;
	section->walk = state->walks[thread];
	section->frames = section->walk->count;
	index_frames(state, section, arena);
}

/* Breakpad's threads in its order, then those that it leaves out. */
static bool
add_sections(struct stack_state *state, struct stack *stack, struct arena *arena)
{
	const struct crash *crash = state->crash;
	struct walk_text_thread *threads;
	size_t count = walk_text_threads(crash, arena, &threads);
	size_t next = count;

	stack->sections = arena_array(arena, crash->thread_count, sizeof(*stack->sections));
	if (stack->sections == NULL || threads == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		add_section(state, stack, threads[i].index, threads[i].number, arena);
	for (size_t i = 0; i < crash->thread_count; i++)
		if (crash->threads[i].wrote_dump)
			add_section(state, stack, i, next++, arena);
	return true;
}

struct listing
stack_listing(struct stack_state *state, struct arena *arena)
{
	struct stack *stack = arena_alloc(arena, sizeof(*stack));

	if (state->crash->thread_count == 0)
		return listing_message("the dump has no threads");
	if (stack == NULL)
		return listing_message("memory ran out");
	stack->crash = state->crash;
	if (!add_sections(state, stack, arena))
		return listing_message("memory ran out");
	const struct section *last = &stack->sections[stack->section_count - 1];
	return (struct listing){ .count = last->first + section_rows(last), .fill = fill_row,
				 .target = row_target, .explain = explain_row, .context = stack };
}

size_t
stack_row(const struct listing *listing, size_t thread, size_t frame, size_t call)
{
	const struct stack *stack = listing->context;

	if (listing->fill != fill_row)
		return 0;
	for (size_t i = 0; i < stack->section_count; i++) {
		const struct section *section = &stack->sections[i];

		if (section->thread != thread)
			continue;
		if (!section->open)
			return section->first;
		if (frame >= section->frames || call == STACK_END)
			return section->first + section_rows(section) - 1;
		size_t start = frame_start(section, frame);
		size_t rows = frame_start(section, frame + 1) - start;
		return section->first + 1 + start + (call < rows ? call : rows - 1);
	}
	return 0;
}
