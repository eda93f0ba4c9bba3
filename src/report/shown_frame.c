/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/shown_frame.h"

#include <inttypes.h>

#include "analysis/contradicted.h"
#include "report/report.h"

void
shown_frame(const struct walk *walk, const struct frame *frame, size_t *named,
	    struct arena *arena, struct shown_frame *shown)
{
	*shown = (struct shown_frame){ .walk = walk, .frame = frame,
				       .pc = frame->registers.value[walk->arch->pc] };
	location_of_frame(walk, frame, named, arena, &shown->location);
}

const struct call *
shown_call(const struct shown_frame *shown, size_t index)
{
	return &shown->location.calls[index < shown->location.call_count ? index : 0];
}

const struct call *
shown_function(const struct shown_frame *shown)
{
	return &shown->location.calls[shown->location.call_count - 1];
}

struct text
shown_name(const struct shown_frame *shown, const struct call *call, bool always,
	   struct arena *arena)
{
	return location_name(&shown->location, call, shown->pc, always, arena);
}

struct place
shown_record(const struct shown_frame *shown)
{
	const struct symbol *symbol = &shown->location.symbol;

	return symbol->found ? location_place(&shown->location, symbol->own_file,
					      symbol->function.offset, symbol->function.length)
			     : (struct place){ 0 };
}

const char *
shown_source(const struct call *call, struct arena *arena)
{
	const char *name = text_or_empty(text_printable_copy(arena, text_base_name(call->file)));

	return !call->has_line
		       ? name : text_or_empty(arena_format(arena, "%s:%" PRIu32, name, call->line));
}

struct shown_finding
shown_found(struct walk *walk, size_t number, struct arena *arena)
{
	const enum trust trust = walk->frames[number].trust;

	return (struct shown_finding){ trust_table[trust].found_by,
				       frame_contradicted(walk, number, arena, NULL),
				       report_trust_role(trust) };
}

struct shown_finding
shown_end(struct walk *walk, struct arena *arena)
{
	return (struct shown_finding){ walk->end.text, stack_end_contradicted(walk, arena, NULL),
				       ROLE_NORMAL };
}
