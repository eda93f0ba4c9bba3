/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/frame_contents.h"

#include <inttypes.h>

#include "report/memory/reading_words.h"
#include "report/memory/telescope_internal.h"
#include "report/report.h"

struct frame_contents {
	struct telescope_options options;
	struct reading_source source;
	struct listing words;		/* words of the complete stack; a message if it has none */
	const struct locals *locals;	/* NULL: out of memory */
	bool opened;			/* if no variables are known, a row says why */
	struct shown_frame shown;
	int known[ARCH_REGISTERS], unknown[ARCH_REGISTERS];
	size_t known_count, unknown_count;
};

static const struct frame *
frame_of(const struct frame_contents *contents)
{
	return &contents->options.walk->frames[contents->options.step->frame];
}

static uint64_t
value_of(const struct frame_contents *contents, int reg)
{
	return frame_of(contents)->registers.value[reg];
}

static const char *
label_of(const struct frame_contents *contents, int reg)
{
	return contents->options.walk->arch->registers[reg].label;
}

/* Adds the meaning of a register's value; for the pc, the name of the frame's function. */
static void
add_reading(const struct frame_contents *contents, int reg, size_t columns, struct row *row)
{
	if (reg == contents->options.walk->arch->pc) {
		report_add_frame_name(row, contents->options.walk, contents->options.step->frame,
				      true, columns);
		return;
	}
	const struct reading reading = reading_of(&contents->source, value_of(contents, reg));

	if (telescope_is(&contents->words)) {
		telescope_add_value(contents->words.context, &reading, columns, row);
		return;
	}
	reading_add(&contents->source, &reading, columns, row);
	reading_add_chain(&contents->source, &reading, row);
}

#define FACTS "report/memory/frame_contents_facts.def"
#include "document/describe_facts.h"

/* The number of rows for calls: one for the innermost call, one for the function around it. */
static size_t
call_rows(const struct frame_contents *contents)
{
	return contents->shown.location.call_count > 1 ? 2 : 1;
}

static size_t
call_of_row(const struct frame_contents *contents, size_t row)
{
	return row == 0 ? 0 : contents->shown.location.call_count - 1;
}

static void
fill_call(const struct frame_contents *contents, size_t index, size_t columns, struct row *row)
{
	const struct frame *frame = frame_of(contents);
	const size_t between = contents->shown.location.call_count - 2;
	const struct call *call = shown_call(&contents->shown, call_of_row(contents, index));
	const char *source = "", *more = "";
	struct arena arena = { 0 };

	if (index == 0) {
		row_add(row, ROLE_TITLE, " frame %zu  ", contents->options.step->frame);
		row_add(row, report_trust_role(frame->trust), "%s  ", frame_tag(frame));
	} else {
		row_add(row, ROLE_DIM, "   inlined into  ");
		if (between > 0)
			more = arena_format(&arena, ", through %zu more", between);
	}
	if (call->has_line)
		source = arena_format(&arena, "  %s", shown_source(call, &arena));
	source = text_or_empty(source);
	more = text_or_empty(more);
	const size_t used = row->width + text_width(text_of(source)) + text_width(text_of(more));
	row_add_name(row, ROLE_NORMAL, columns == 0 ? 0 : columns > used ? columns - used : 1,
		     shown_name(&contents->shown, call, false, &arena));
	row_add_text(row, ROLE_NORMAL, text_of(source));
	row_add(row, ROLE_DIM, "%s", more);
	arena_free(&arena);
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct frame_contents *contents = listing->context;
	const size_t calls = call_rows(contents);

	if (index < calls) {
		fill_call(contents, index, columns, row);
	} else if (index - calls < contents->known_count) {
		const int reg = contents->known[index - calls];

		row_add(row, ROLE_NORMAL, " %-6s %0*" PRIx64 "  ", label_of(contents, reg),
			report_digits(contents->options.walk->arch), value_of(contents, reg));
		add_reading(contents, reg, columns, row);
	} else {
		row_add(row, ROLE_DIM, " unknown");
		for (size_t i = 0; i < contents->unknown_count; i++)
			row_add(row, ROLE_UNKNOWN, "%s %s", i > 0 ? "," : "",
				label_of(contents, contents->unknown[i]));
	}
}

static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct frame_contents *contents = listing->context;
	const size_t calls = call_rows(contents);
	const struct walk *walk = contents->options.walk;
	struct target target = TARGET(TARGET_NONE);

	target.thread = walk->thread;
	target.frame = contents->options.step->frame;
	if (index < calls) {
		target.kind = TARGET_SOURCE;
		target.call = call_of_row(contents, index);
	} else if (index - calls < contents->known_count) {
		target.kind = TARGET_REGISTER;
		target.reg = contents->known[index - calls];
		if (target.frame == 0) {
			target.kind = TARGET_PLACE;
			target.place = crash_register_place(walk->crash, walk->context, target.reg);
		}
	}
	return target;
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct frame_contents *contents = listing->context;
	const struct walk *walk = contents->options.walk;
	const size_t calls = call_rows(contents);

	fill_row(listing, index, 0, row);
	if (contents->options.step->frame == 0 && index >= calls &&
	    index - calls < contents->known_count)
		report_add_place(row, crash_register_place(walk->crash, walk->context,
							   contents->known[index - calls]));
}

const struct frame_contents *
frame_contents_of(const struct telescope_options *options, const struct locals_state *opened,
		  struct arena *arena)
{
	struct frame_contents *contents = arena_alloc(arena, sizeof(*contents));

	if (contents == NULL)
		return NULL;
	contents->options = *options;
	reading_source_init(&contents->source, options->crash, options->memory, options->binaries,
			    options->walk, arena);
	const struct frame *frame = frame_of(contents);
	const uint64_t sp = value_of(contents, options->walk->arch->sp);
	contents->words = memory_run_of(options->memory, sp) != NULL
				  ? telescope_listing(options, arena)
				  : listing_message(" the dump has no memory at the stack pointer");
	shown_frame(options->walk, frame, NULL, arena, &contents->shown);
	contents->locals = locals_of(options->walk, options->memory, options->step->frame, false,
				     opened, arena);
	contents->opened = opened != NULL;
	for (int reg = 0; reg < options->walk->arch->register_count; reg++)
		if (registers_known(&frame->registers, reg))
			contents->known[contents->known_count++] = reg;
		else
			contents->unknown[contents->unknown_count++] = reg;
	return contents;
}

size_t
frame_contents_registers(const struct frame_contents *contents)
{
	return contents->known_count;
}

size_t
frame_contents_words(const struct listing *telescope, size_t frame, size_t *first)
{
	*first = telescope_frame_row(telescope, frame);
	/* The last frame on a stack has no known end: take the remaining rows. */
	const size_t end = telescope_frame_row(telescope, frame + 1);
	return (end > *first ? end : telescope->count) - *first;
}

struct listing
frame_contents_listing(const struct frame_contents *contents, struct arena *arena)
{
	const struct listing own = { .fill = fill_row, .target = row_target,
				     .explain = explain_row, .context = contents };
	const size_t calls = call_rows(contents);
	const struct locals *locals = contents->locals;
	const bool variables = locals != NULL && (locals_any(locals) || contents->opened);
	const struct listing listed = variables ? locals_listing(locals, arena) : own;
	struct listing_part parts[4] = {
		/* Listed variables have a heading for each call; a message has no heading. */
		{ own, 0, variables && !listing_is_message(&listed) ? 0 : calls },
		{ listed, 0, 0 },
		{ own, calls, contents->known_count + (contents->unknown_count > 0) },
		{ contents->words, 0, 1 },
	};

	if (variables)
		parts[1].count = parts[1].listing.count;
	if (telescope_is(&contents->words))
		parts[3].count = frame_contents_words(
			&contents->words, contents->options.step->frame, &parts[3].first);
	return listing_joined(parts, ARRAY_COUNT(parts), arena);
}

uint64_t
frame_contents_local(const struct listing *listing, size_t row)
{
	const struct listing *part = listing_part_of(listing, row, &row);

	return part != NULL ? locals_row(part, row) : 0;
}

bool
frame_contents_variable(const struct listing *listing, size_t row, struct variable_place *place)
{
	const struct listing *part = listing_part_of(listing, row, &row);

	return part != NULL && locals_variable(part, row, place);
}

int
frame_contents_register(const struct listing *listing, size_t row)
{
	const struct listing *part = listing_part_of(listing, row, &row);

	return part != NULL && part->fill == fill_row ? row_target(part, row).reg
						      : ARCH_NO_REGISTER;
}

uint64_t
frame_contents_address(const struct listing *listing, size_t row)
{
	const struct listing *part = listing_part_of(listing, row, &row);

	return part != NULL ? telescope_address(part, row) : 0;
}

size_t
frame_contents_row(const struct listing *listing, uint64_t address)
{
	for (size_t row = listing->count; row-- > 0;)
		if (frame_contents_address(listing, row) <= address &&
		    frame_contents_address(listing, row) != 0)
			return row;
	return 0;
}
