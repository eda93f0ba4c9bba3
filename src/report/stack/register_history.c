/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/stack.h"

#include <inttypes.h>
#include <stdio.h>

#include "inspect/frame_saves.h"
#include "report/report.h"

/* Minimum width of a view whose rows name the frame's function. */
#define NAMES_FROM 110u
#define NAME_COLUMNS 30u

struct register_history {
	struct walk *walk;
	int reg;
	int digits, frame_width;
};

static bool
is_known(const struct register_history *history, size_t frame)
{
	return registers_known(&history->walk->frames[frame].registers, history->reg);
}

/* The mark of a register: how its value in a frame compares with its value in the callee. */
static char
sign_of(const struct register_history *history, size_t frame)
{
	const struct frame *frames = history->walk->frames;

	if (frame == 0)
		return is_known(history, 0) ? ' ' : '.';
	return step_register_mark(history->walk->arch, &frames[frame - 1].registers,
				  &frames[frame].registers, history->reg);
}

static const struct {
	char sign;
	const char *name;
} changes[] = {
	{ '=', "kept" }, { '*', "changed" }, { '+', "found" }, { '?', "lost" },
	{ '-', "not-kept-by-calls" }, { '.', "never-known" }, { ' ', "context" },
};

static size_t
change_of(const struct register_history *history, size_t frame)
{
	const char sign = sign_of(history, frame);
	size_t at = 0;

	while (at + 1 < ARRAY_COUNT(changes) && changes[at].sign != sign)
		at++;
	return at;
}

static struct place
context_place(const struct register_history *history)
{
	return crash_register_place(history->walk->crash, history->walk->context, history->reg);
}

/* Adds how the step from the callee found the value, and the place of the record. */
static void
add_reason(const struct register_history *history, size_t frame, struct row *row)
{
	struct frame_saves saves;
	struct step_view step;

	step_view_make(&step, history->walk, frame - 1);
	frame_saves_of_step(&saves, &step);
	const uint32_t set = step_view_register(&step, history->reg);
	const struct frame_save *save = frame_saves_register(&saves, history->reg);
	const char *why = set != TRACE_NONE ? step.trace.events[set].text : "";

	if (save != NULL) {
		row_add(row, ROLE_STACK, "saved by frame %zu at [%0*" PRIx64 "]", frame - 1,
			history->digits, save->address);
	} else if (is_known(history, frame) && set != TRACE_NONE) {
		row_add_text(row, ROLE_NORMAL,
			     text_of(step_view_origin(&step, step.trace.events[set].from).text));
	}
	if (why[0] != '\0')
		row_add(row, ROLE_DIM, "%s%s", is_known(history, frame) ? "; " : "", why);
	else if (!is_known(history, frame))
		row_add(row, ROLE_DIM, "%s", sign_of(history, frame) == '-'
						     ? "not kept across calls"
						     : "this method does not recover it");
	if (set != TRACE_NONE)
		report_add_place(row, place_record(step_view_said_by(&step, set)));
	step_view_free(&step);
}

static void
fill_row(const struct listing *listing, size_t frame, size_t columns, struct row *row)
{
	const struct register_history *history = listing->context;
	const char sign = sign_of(history, frame);
	const enum role role = sign == '*' || sign == '+'   ? ROLE_CHANGED
			       : sign == '=' || sign == ' ' ? ROLE_NORMAL
							    : ROLE_UNKNOWN;

	row_add(row, ROLE_NORMAL, " %*zu  %-4s ", history->frame_width, frame,
		frame_tag(&history->walk->frames[frame]));
	if (is_known(history, frame))
		row_add(row, role, "%c %0*" PRIx64 "  ", sign, history->digits,
			history->walk->frames[frame].registers.value[history->reg]);
	else
		row_add(row, role, "%c %-*s  ", sign, history->digits, "unknown");
	if (columns == 0 || columns >= NAMES_FROM) {
		const size_t begin = row->width;

		report_add_frame_name(row, history->walk, frame, false,
				      row->width + NAME_COLUMNS);
		row_pad(row, begin + NAME_COLUMNS + 2);
	}
	if (frame > 0) {
		add_reason(history, frame, row);
	} else {
		row_add(row, ROLE_DIM, "%s", is_known(history, 0) ? "as the dump has it"
							      : "not in the dump");
		report_add_place(row, context_place(history));
	}
}

static void
fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct register_history *history = listing->context;

	row_add(row, ROLE_DIM, " %*s        %-*s  ", history->frame_width, "fr", history->digits,
		history->walk->arch->registers[history->reg].label);
	if (columns == 0 || columns >= NAMES_FROM)
		row_add(row, ROLE_DIM, "%-*s", (int)NAME_COLUMNS + 2, "function");
	row_add(row, ROLE_DIM, "from");
}

/* The target of a row: the word that saved the register, else the step that set or lost it. */
static struct target
row_target(const struct listing *listing, size_t frame)
{
	const struct register_history *history = listing->context;
	struct target target = report_place_target(frame == 0 ? context_place(history)
							      : (struct place){ 0 });
	struct frame_saves saves;

	if (frame == 0)
		return target;
	frame_saves_make(&saves, history->walk, frame - 1);
	const struct frame_save *save = frame_saves_register(&saves, history->reg);
	target.kind = save != NULL ? TARGET_MEMORY : TARGET_REGISTER;
	target.address = save != NULL ? save->address : 0;
	target.thread = history->walk->thread;
	target.frame = frame;
	target.reg = history->reg;
	return target;
}

static void
explain_row(const struct listing *listing, size_t frame, struct row *row)
{
	const struct register_history *history = listing->context;

	row_add(row, ROLE_NORMAL, "%s of frame %zu: ",
		history->walk->arch->registers[history->reg].label, frame);
	if (frame == 0) {
		row_add(row, ROLE_NORMAL, "the value of the context");
		report_add_place(row, context_place(history));
		return;
	}
	row_add(row, ROLE_NORMAL, "%s   ",
		is_known(history, frame) ? changes[change_of(history, frame)].name : "unknown");
	add_reason(history, frame, row);
}

struct listing
register_history_listing(struct walk *walk, int reg, struct arena *arena)
{
	struct register_history *history = arena_alloc(arena, sizeof(*history));
	char text[24];

	if (history == NULL)
		return listing_out_of_memory();
	history->walk = walk;
	history->reg = reg;
	history->digits = (int)walk->arch->register_size * 2;
	history->frame_width = snprintf(text, sizeof(text), "%zu", walk->count);
	if (history->frame_width < 2)
		history->frame_width = 2;
	return (struct listing){ .count = walk->count, .head = fill_head, .fill = fill_row,
				 .target = row_target, .explain = explain_row, .context = history };
}

static const struct fact_names register_changes = FACT_NAMES_IN(changes);

#define FACTS "report/stack/register_history_facts.def"
#include "document/describe_facts.h"
