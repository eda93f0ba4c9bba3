/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sorted.h"
#include "report/report.h"
#include "report/stack/stack_internal.h"

/* Columns of a name before the word "inlined". */
#define INLINED_COLUMN 18u
/* In a wide view: columns of a name before the source line, minimum columns of the source line, and
 * maximum columns of a name. The rest of a longer name says little. */
#define WIDE_NAME 44u
#define SOURCE_COLUMNS 24u
#define MOST_NAME 80u
/* A source line is shown if it and the name together have at least this many columns. */
#define LEAST_COLUMNS 24u
/* Digits of 64-bit user addresses, and the minimum width of a view that shows all digits. */
#define USER_DIGITS 12
#define WIDE 100u
/* Bytes of a source line, or of the reason for its absence. */
#define SOURCE_BYTES 200u
/* Columns of a name that have priority over the word after it. */
#define LEAST_NAME 16u

enum part { PART_THREAD, PART_FRAMES, PART_END, PART_GROUP };

struct stack_cursor {
	enum part part;
	const struct stack_section *section;
	struct stack_item item;		/* item of PART_FRAMES */
	size_t frame, call;
	size_t rows;			/* rows of its frame: 1 if its calls are folded */
};

static struct stack_cursor
cursor_of(const struct listing *listing, size_t index)
{
	const struct stack *stack = listing->context;
	size_t number;

	BISECT_LAST(number, stack->section_count, stack->sections[number].first <= index);
	const struct stack_section *section = &stack->sections[number];
	struct stack_cursor at = { .part = PART_GROUP, .section = section };
	size_t row = index - section->first;
	if (row == 0) {
		at.part = PART_THREAD;
	} else if (section->open && --row < section->frame_rows) {
		at.part = PART_FRAMES;
		at.item = stack_section_item(section, row, true, &at.rows);
		at.frame = at.item.frame;
		at.call = row - at.item.row;
	} else if (section->open && row == section->frame_rows) {
		at.part = PART_END;
	}
	return at;
}

/* Columns of frame numbers: four, or as many as the last frame needs. */
static int
number_width(const struct stack_section *section)
{
	char text[24];
	int length = snprintf(text, sizeof(text), "%zu", section->frames);

	return length < 4 ? 4 : length + 1;
}

/* Adds how many other threads there are, and their numbers. */
static void
add_others(const struct stack_section *section, const char *format, struct row *row)
{
	char numbers[200];

	row_add(row, ROLE_NOTE, format, section->other_count,
		report_numbers(section->others, section->others_known, numbers, sizeof(numbers)));
}

/* Digits of a pc. Narrow views leave out the leading zeros of 64-bit user addresses. */
static int
pc_digits(const struct walk *walk, size_t columns)
{
	const int digits = walk != NULL ? report_digits(walk->arch) : 8;

	return digits > USER_DIGITS && columns != 0 && columns < WIDE ? USER_DIGITS : digits;
}

static size_t
name_column(const struct stack_section *section, size_t columns)
{
	return (size_t)number_width(section) + 9 + (size_t)pc_digits(section->walk, columns);
}

/* Writes why there are no more frames, or how an unfinished walk continues. */
static void
fill_end(const struct stack *stack, const struct stack_section *section, size_t columns,
	 struct row *row)
{
	const struct walk *walk = section->walk;
	const enum role role = walk == NULL ? ROLE_DIM : ROLE_NORMAL;
	const char *words = walk != NULL ? walk->end.text : "not walked yet";
	char buffer[64];

	if (walk == NULL && stack->crash->threads[section->thread].wrote_dump)
		words = "not walked: it wrote the dump";
	if (walk != NULL && walk->complete && walk->count > 0 &&
	    walk_is_blind(walk, walk->count - 1)) {
		row_add(row, ROLE_CHANGED, " ?");
		row_add(row, ROLE_NORMAL, "%*zu", number_width(section) + 2, walk->count);
	} else if (walk == NULL || walk->complete) {
		row_add(row, ROLE_BAD, " !");
		row_add(row, ROLE_NORMAL, "%*s", number_width(section) + 2, "end");
	} else {
		snprintf(buffer, sizeof(buffer), "the walk continues after frame %zu",
			 walk->count - 1);
		words = buffer;
		row_add(row, ROLE_NORMAL, " +%*s", number_width(section) + 2, "...");
	}
	/* A long reason starts further left, in the columns of addresses. */
	size_t column = name_column(section, columns);
	if (columns != 0 && column + text_width(text_of(words)) > columns)
		column = row->width + 2;
	row_pad(row, column);
	if (section->counted != NULL && section->counted->end_contradicted)
		row_add(row, ROLE_BAD, "contradicted! ");
	row_add_text(row, role, text_of(words));
	if (columns != 0)
		row_cut_sentence(row, columns);
}

/* Adds a text at the right edge; in a wide view, in a column near the names. */
static void
add_right(size_t column, size_t columns, enum role role, const char *text, struct row *row)
{
	column += WIDE_NAME;
	if (columns < column + SOURCE_COLUMNS) {
		row_add_right(row, role, columns, "%s", text);
		return;
	}
	row_pad(row, row->width + 1);
	row_pad(row, column);
	row_add(row, role, "%s", text);
}

static char
sign_of(const struct stack *stack, const struct stack_cursor *at)
{
	return stack->changes == NULL
		       ? WALK_CHANGE_NONE
		       : walk_changes_sign(&stack->changes[at->section->thread], at->frame);
}

static void
add_front(const struct stack_cursor *at, const struct frame *frame, size_t call_count, char sign,
	  size_t columns, struct row *row)
{
	const struct walk *walk = at->section->walk;
	const struct fold *fold = &at->section->counted->fold;
	int width = number_width(at->section);
	char mark = call_count < 2 ? ' ' : at->rows > 1 ? '-' : '+';
	char tag[8];

	if (at->call > 0) {
		/* Letters of calls after the first: .b to .z, then .aa and so on. */
		const char last = (char)('a' + (int)(at->call % 26));
		char letters[8];

		if (at->call < 26)
			snprintf(letters, sizeof(letters), ".%c", last);
		else
			snprintf(letters, sizeof(letters), ".%c%c",
				 (char)('a' + (int)(at->call / 26 - 1) % 26), last);
		row_add(row, ROLE_DIM, "  %*s", width, letters);
	} else {
		row_add(row, sign == WALK_CHANGE_NONE ? ROLE_NORMAL : ROLE_CHANGED, "%c", sign);
		row_add(row, ROLE_NORMAL, "%c%*zu ", mark, width, at->frame);
		if (at->frame < fold->count &&
		    (fold->frames[at->frame].marks & STACK_CONTRADICTED) != 0) {
			snprintf(tag, sizeof(tag), "%s!", frame_tag(frame));
			row_add(row, ROLE_BAD, "%-5s", tag);
		} else {
			row_add(row, report_trust_role(frame->trust), "%-4s ", frame_tag(frame));
		}
		row_add(row, ROLE_DIM, "%0*" PRIx64 " ", pc_digits(walk, columns),
			frame->registers.value[walk->arch->pc]);
	}
	row_pad(row, name_column(at->section, columns));
}

static const char *
why_no_line(const struct shown_frame *shown, const struct call *call, struct arena *arena)
{
	const struct location *location = &shown->location;
	const struct text after = location_after(location, shown->pc, arena);
	enum symbols_state state;

	if (after.length > 0)
		return text_or_empty(text_printable_copy(arena, after));
	if (location->symbol.uncertain)
		return "uncertain";
	if (call->name.length > 0)
		return "no lines";
	if (location->symfile != NULL)
		return "no name";
	if (!location->lacking)
		return "no symbols";
	symbols_peek(shown->walk->symbols, (size_t)location->module_index, &state);
	return state == SYMBOLS_PENDING ? "symbols not read" : "symbols loading";
}

/* Fills the text of the right edge: the source line, or the reason for its absence. */
static void
source_words(const struct shown_frame *shown, const struct call *call, size_t columns,
	     const char *mark, struct arena *arena, char buffer[SOURCE_BYTES])
{
	const bool has_file = call->file.length > 0;

	buffer[0] = '\0';
	if (shown->location.module == NULL)
		return;
	const char *whole =
		has_file ? shown_source(call, arena) : why_no_line(shown, call, arena);
	if (columns == 0)
		snprintf(buffer, SOURCE_BYTES, "%s", whole);
	else
		text_cut(buffer, SOURCE_BYTES, text_of(whole), columns, has_file, mark);
}

static void
add_name(const struct stack_cursor *at, const struct shown_frame *shown, const struct call *call,
	 size_t room, struct row *row, struct arena *arena)
{
	const struct location *location = &shown->location;
	const size_t more = location->call_count - 1;
	const bool folded = at->rows == 1 && more > 0;
	/*
	 * A long name replaces the word "inlined", because the letters and the frame's mark show
	 * inlining as well.
	 */
	bool inlined = call->inlined != NULL && !folded &&
		       (room == 0 || room >= LEAST_NAME + strlen(" inlined"));
	size_t begin = row->width;
	struct text name = folded ? shown_function(shown)->name
				  : shown_name(shown, call, false, arena);

	if (folded)
		name = text_of(text_or_empty(arena_format(arena,
			"%.*s, with %zu inlined call%s: %.*s", TEXT_UPTO(name, 4096), more,
			plural(more), TEXT_UPTO(location->calls[0].name, 4096))));
	if (room != 0 && inlined)
		room = room > strlen(" inlined") ? room - strlen(" inlined") : 1;
	row_add_name(row, call->name.length > 0 && !location->symbol.uncertain ? ROLE_CODE
									       : ROLE_UNKNOWN,
		     room, name);
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

/*
 * The columns of a name if `left` columns are free (`columns` 0: not cut). The source line keeps
 * its columns at the right edge. Without room for both, the source line is emptied.
 */
static size_t
name_room(char *source, size_t left, size_t columns)
{
	if (columns == 0)
		return 0;
	if (left < LEAST_COLUMNS)
		source[0] = '\0';
	const size_t room = source[0] == '\0' ? left : left - text_width(text_of(source)) - 1;
	return room < MOST_NAME ? room : MOST_NAME;
}

static void
fill_call(const struct stack *stack, const struct stack_cursor *at, size_t columns, struct row *row)
{
	const struct walk *walk = at->section->walk;
	struct shown_frame shown;
	struct arena arena = { 0 };
	char source[SOURCE_BYTES];

	shown_frame(walk, &walk->frames[at->frame], NULL, &arena, &shown);
	const struct call *call = shown_call(&shown, at->call);
	add_front(at, shown.frame, shown.location.call_count, sign_of(stack, at), columns,
		  row);
	size_t left = columns > row->width ? columns - row->width : 0;
	source_words(&shown, call, left / 2, row->cut_mark, &arena, source);
	const size_t room = name_room(source, left, columns);
	if (columns == 0 || room > 0)
		add_name(at, &shown, call, room, row, &arena);
	if (source[0] != '\0')
		add_right(name_column(at->section, columns), columns,
			  call->file.length > 0 ? ROLE_NORMAL : ROLE_DIM, source, row);
	arena_free(&arena);
}

/*
 * Adds the thread's first call that does not wait. Its name gets the columns that the source line
 * does not need.
 */
static void
add_first_call(const struct stack_section *section, size_t column, size_t columns, struct row *row)
{
	const struct walk *walk = section->counted->walk;
	const struct thread_state *state = &section->counted->state;
	const size_t begin = row->width;
	struct shown_frame shown;
	struct arena arena = { 0 };
	char source[SOURCE_BYTES];

	if (state->frame >= walk->count) {
		row_add(row, ROLE_DIM, walk->count == 0	  ? "no frames"
				       : walk_hides(walk) ? "hidden"
							  : "nothing else");
		return;
	}
	shown_frame(walk, &walk->frames[state->frame], NULL, &arena, &shown);
	const struct call *call = shown_call(&shown, state->call);
	const struct text name = shown_name(&shown, call, false, &arena);
	const size_t left = columns > begin ? columns - begin : 0, needed = text_width(name) + 1;
	source_words(&shown, call, needed < left / 2 ? left - needed : left / 2, row->cut_mark,
		     &arena, source);
	const bool known = call->name.length > 0 && !shown.location.symbol.uncertain;
	row_add_name(row, known ? ROLE_CODE : ROLE_UNKNOWN, name_room(source, left, columns),
		     name);
	if (source[0] != '\0')
		add_right(column, columns, call->file.length > 0 ? ROLE_NORMAL : ROLE_DIM, source,
			  row);
	arena_free(&arena);
}

static void
add_thread_name(const struct thread *thread, struct row *row)
{
	if (thread->name == NULL)
		return;
	row_add(row, ROLE_NORMAL, "  '");
	row_add_text(row, ROLE_NORMAL, text_of(thread->name));
	row_add(row, ROLE_NORMAL, "'");
}

#define NUMBER_COLUMNS 12u
#define STATE_COLUMNS 20u

static void
fill_thread(const struct stack *stack, const struct stack_section *section, size_t columns,
	    struct row *row)
{
	const struct thread *thread = &stack->crash->threads[section->thread];
	const struct walk *walk = section->counted->walk;
	const struct thread_state unwalked =
		thread_state_of(stack->crash, section->thread, NULL);
	const struct thread_state *state = walk != NULL ? &section->counted->state : &unwalked;
	const enum role role = state->kind <= THREAD_STATE_REQUESTED ? ROLE_CHANGED
			       : thread_state_tells(state)	    ? ROLE_NORMAL : ROLE_DIM;
	const bool group = section->other_count > 0 && !section->group_open;
	const struct short_text words = thread_state_short(state);

	row_add(row, ROLE_NORMAL, " %c ", section->open ? '-' : '+');
	row_add(row, ROLE_TITLE, "thread %zu", section->number);
	if (section->open || columns == 0)
		row_add(row, ROLE_TITLE, "   0x%" PRIx32, thread->id);
	if (section->open) {
		add_thread_name(thread, row);
		row_add(row, role, "   %s", words.text);
		if (walk != NULL && walk_other_context(walk) != NULL)
			row_add(row, ROLE_DIM, "   WoW64, %u-bit code", 8 * walk->arch->word_size);
		return;
	}
	row_pad(row, NUMBER_COLUMNS);
	const size_t column = row->width + 2 + STATE_COLUMNS;
	row_add(row, role, "  %s", words.text);
	if (thread->name != NULL)
		row_pad(row, column - 2);
	add_thread_name(thread, row);
	if (walk == NULL)
		return;
	row_pad(row, thread->name != NULL ? row->width + 2 : column);
	if (group)
		row_add(row, ROLE_CHANGED, "%zu x ", section->other_count + 1);
	add_first_call(section, column, columns, row);
	if (columns == 0 && group)
		add_others(section, "  and %zu with the same calls: %s", row);
}

/* Writes counts by trust: "cfi 33,320, scan 13". */
static void
run_trusts(const struct fold_run *run, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < TRUST_COUNT && used < size; i++) {
		if (run->trusts[i] != 0)
			used += (size_t)snprintf(buffer + used, size - used, "%s%s %s",
				used > 0 ? ", " : "", trust_table[i].tag,
				report_count(run->trusts[i]).text);
	}
}

/* Adds the names of a cycle's calls, innermost first. */
static void
add_cycle(const struct walk *walk, const struct fold_run *run, size_t room, struct row *row)
{
	size_t begin = row->width;
	struct arena arena = { 0 };

	for (size_t i = 0; i < run->length; i++) {
		struct shown_frame shown;

		if (room != 0 && row->width >= begin + room)
			break;
		shown_frame(walk, &walk->frames[run->first + i], NULL, &arena, &shown);
		for (size_t call = 0; call < shown.location.call_count; call++) {
			if (i > 0 || call > 0)
				row_add(row, ROLE_DIM, " <- ");
			row_add_text(row, ROLE_CODE,
				     shown_name(&shown, &shown.location.calls[call], false,
						&arena));
		}
		arena_reset(&arena);
	}
	arena_free(&arena);
}

/* Fills the row of a recursion, or of its part before or after the selected frame. */
static void
fill_run(const struct stack_cursor *at, size_t columns, struct row *row)
{
	const struct stack_section *section = at->section;
	const struct fold_run *run = fold_run_of(&section->counted->fold, at->item.frame);
	const size_t frames = fold_run_frames(run);
	char right[200];
	size_t kinds = 0;
	enum trust last = TRUST_NONE;

	/* A run is trusted only as far as its weakest frame. */
	for (size_t i = 0; i < TRUST_COUNT; i++) {
		kinds += run->trusts[i] != 0;
		last = run->trusts[i] != 0 ? (enum trust)i : last;
	}
	row_add(row, ROLE_NORMAL, " %c %*zu ", at->item.kind == STACK_ITEM_HEAD ? '-' : '+',
		number_width(section) - 1, at->frame);
	row_add(row, kinds == 1 ? report_trust_role(last) : ROLE_SCAN, "%-4s ",
		kinds == 1 ? trust_table[last].tag : "mix");
	row_add(row, ROLE_NORMAL, "to %zu ", at->frame + at->item.frames - 1);
	row_pad(row, name_column(section, columns));
	if (at->item.frames == frames)
		row_add(row, ROLE_CHANGED, "%s x ", report_count(run->times).text);
	else
		row_add(row, ROLE_CHANGED, "%s frames of ", report_count(at->item.frames).text);
	run_trusts(run, right, sizeof(right));
	if (kinds == 1)
		snprintf(right, sizeof(right), "%s frames", report_count(at->item.frames).text);
	bool is_said = kinds == 1 && (run->length == 1 || at->item.frames != frames);
	size_t left = columns > row->width ? columns - row->width : 0;
	size_t room = is_said || left < strlen(right) + LEAST_NAME
			      ? left : left - strlen(right) - 1;
	add_cycle(section->walk, run, columns == 0 ? 0 : room, row);
	if (columns != 0 && row->width > columns - left + room)
		row_cut(row, columns - left + room);
	if (!is_said && (columns == 0 || room < left))
		add_right(name_column(section, columns), columns, ROLE_DIM, right, row);
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct stack *stack = listing->context;
	const struct stack_cursor at = cursor_of(listing, index);

	switch (at.part) {
	case PART_THREAD:
		fill_thread(stack, at.section, columns, row);
		break;
	case PART_FRAMES:
		if (at.item.kind == STACK_ITEM_FRAME)
			fill_call(stack, &at, columns, row);
		else
			fill_run(&at, columns, row);
		break;
	case PART_END:
		fill_end(stack, at.section, columns, row);
		break;
	case PART_GROUP:
		/* The row of a group: '-' if the rows of its other threads follow. */
		row_add(row, ROLE_NORMAL, " %c ", at.section->group_open ? '-' : '+');
		add_others(at.section, "%zu more with the same calls: %s", row);
		break;
	}
}

static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct stack_cursor at = cursor_of(listing, index);
	const struct walk *walk = at.section->walk;
	struct target target = TARGET(TARGET_NONE);

	target.thread = at.section->thread;
	target.kind = walk == NULL || walk->count == 0 ? TARGET_THREAD : TARGET_FRAME;
	switch (at.part) {
	case PART_THREAD:
		target.kind = TARGET_THREAD;
		break;
	case PART_FRAMES:
		if (at.item.kind != STACK_ITEM_FRAME)
			target.kind = TARGET_FOLD;
		target.frame = at.frame;
		target.call = at.item.kind == STACK_ITEM_FRAME ? at.call : 0;
		break;
	case PART_END:
		if (target.kind == TARGET_THREAD)
			break;
		target.frame = walk->complete ? at.section->frames - 1 : at.section->frames;
		target.call = walk->complete ? STACK_END : 0;
		break;
	case PART_GROUP:
		target.kind = TARGET_FOLD;
		target.frame = STACK_GROUP;
		break;
	}
	return target;
}

static void
explain_thread(const struct crash *crash, const struct stack_section *section, struct row *row)
{
	const struct thread *thread = &crash->threads[section->thread];

	row_add(row, ROLE_NORMAL, "thread 0x%" PRIx32, thread->id);
	if (thread->stack_size > 0) {
		row_add(row, ROLE_NORMAL, "   stack ");
		report_add_range(row, ROLE_NORMAL, report_digits(crash->system.arch),
				 thread->stack_start,
				 thread->stack_start + thread->stack_size - 1);
	}
	if (section->other_count > 0)
		add_others(section, "   the same calls as %zu more: %s", row);
	report_add_place(row, thread->place);
}

static void
explain_frame(const struct stack_cursor *at, char sign, struct row *row)
{
	const struct walk *walk = at->section->walk;
	const size_t number = at->frame;
	const struct arch *arch = walk->arch;
	struct shown_frame shown;
	struct arena arena = { 0 };

	shown_frame(walk, &walk->frames[number], NULL, &arena, &shown);
	const struct location *location = &shown.location;
	if (sign != WALK_CHANGE_NONE)
		row_add(row, ROLE_CHANGED, sign == WALK_CHANGE_OTHER ? "changed by the reload   "
								     : "new since the reload   ");
	/* The cast is safe: the session owns the walk, and other views also step it. */
	const struct shown_finding found = shown_found((struct walk *)walk, number, &arena);
	if (found.doubt != NULL)
		row_add(row, ROLE_BAD, "contradicted: %s   ", found.doubt);
	row_add(row, ROLE_NORMAL, "frame %zu   %s %0*" PRIx64 "   ", number,
		arch->registers[arch->pc].label, report_digits(arch), shown.pc);
	row_add(row, found.role, "%s", found.words);
	if (location->module != NULL) {
		row_add(row, ROLE_NORMAL, "   ");
		row_add_text(row, ROLE_NORMAL,
			     text_of(place_base_name(location->module->code_file)));
		row_add(row, ROLE_NORMAL, " + 0x%" PRIx64, shown.pc - location->module->base);
	}
	report_add_place(row, shown_record(&shown));
	arena_free(&arena);
}

static void
explain_run(const struct stack_cursor *at, struct row *row)
{
	const struct fold_run *run =
		fold_run_of(&at->section->counted->fold, at->item.frame);
	char trusts[200];

	run_trusts(run, trusts, sizeof(trusts));
	row_add(row, ROLE_NORMAL, "a cycle of %zu frame%s, %s times, frames %zu to %zu   %s",
		run->length, plural(run->length), report_count(run->times).text, run->first,
		run->first + fold_run_frames(run) - 1, trusts);
	row_add(row, ROLE_DIM, "   Enter %s it",
		at->item.kind == STACK_ITEM_HEAD ? "folds" : "opens");
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct stack *stack = listing->context;
	const struct stack_cursor at = cursor_of(listing, index);
	struct arena arena = { 0 };

	if (at.part == PART_THREAD || at.part == PART_GROUP) {
		explain_thread(stack->crash, at.section, row);
	} else if (at.part == PART_FRAMES && at.item.kind != STACK_ITEM_FRAME) {
		explain_run(&at, row);
	} else if (at.part == PART_FRAMES) {
		explain_frame(&at, sign_of(stack, &at), row);
	} else if (at.section->walk != NULL && at.section->walk->complete) {
		const struct shown_finding end =
			shown_end((struct walk *)at.section->walk, &arena);

		if (end.doubt != NULL)
			row_add(row, ROLE_BAD, "contradicted: %s   ", end.doubt);
		row_add_text(row, end.role, text_of(end.words));
	}
	arena_free(&arena);
}

struct listing
stack_listing(struct stack_state *state, struct arena *arena)
{
	struct stack *stack = arena_alloc(arena, sizeof(*stack));

	if (state->crash->thread_count == 0)
		return listing_message("the dump has no threads");
	if (stack == NULL)
		return listing_out_of_memory();
	stack->crash = state->crash;
	stack->changes = state->changes;
	if (!stack_index(state, stack, arena) || stack->section_count == 0)
		return listing_out_of_memory();
	const struct stack_section *last = &stack->sections[stack->section_count - 1];
	return (struct listing){ .count = last->first + stack_section_rows(last), .fill = fill_row,
				 .target = row_target, .explain = explain_row, .context = stack };
}

/* The section of a thread or of its group's first thread; NULL: none. */
static const struct stack_section *
section_of(const struct listing *listing, size_t thread)
{
	const struct stack *stack = listing->context;

	if (listing->fill != fill_row || thread >= stack->crash->thread_count ||
	    stack->section_of[thread] == SIZE_MAX)
		return NULL;
	return &stack->sections[stack->section_of[thread]];
}

size_t
stack_row(const struct listing *listing, size_t thread, size_t frame, size_t call)
{
	const struct stack_section *section = section_of(listing, thread);
	size_t rows;

	if (section == NULL)
		return 0;
	if (!section->open || section->thread != thread)
		return section->first;
	if (frame >= section->frames || call == STACK_END)
		return section->first + 1 + section->frame_rows;
	const struct stack_item item = stack_section_item(section, frame, false, &rows);
	return section->first + 1 + item.row + (call < rows ? call : rows - 1);
}

size_t
stack_thread_next(const struct listing *listing, size_t thread, bool forward)
{
	const struct stack_section *section = section_of(listing, thread);
	const struct stack *stack = listing->context;

	if (section == NULL)
		return thread;
	const size_t count = stack->section_count, at = (size_t)(section - stack->sections);
	return stack->sections[(at + (forward ? 1 : count - 1)) % count].thread;
}

size_t
stack_row_of_target(const struct listing *listing, const struct target *target)
{
	const struct stack_section *section = section_of(listing, target->thread);

	if (target->kind == TARGET_FRAME ||
	    (target->kind == TARGET_FOLD && target->frame != STACK_GROUP))
		return stack_row(listing, target->thread, target->frame, target->call);
	if (section == NULL)
		return 0;
	if (target->kind == TARGET_FOLD && section->thread == target->thread)
		return section->first + stack_section_rows(section) - 1;
	return section->first;
}
