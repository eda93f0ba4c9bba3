/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/explain.h"

#include <string.h>

#include "report/step/methods_compared.h"
#include "report/step/naming.h"

static bool
want(bool *wanted, uint32_t event, size_t count)
{
	if (event >= count || wanted[event])
		return false;
	wanted[event] = true;
	return true;
}

/* What one wanted event draws in: its value's maker, its parent, its rule's tokens. */
static bool
draw_in(const struct trace *trace, uint32_t event, bool *wanted)
{
	const struct event *at = &trace->events[event];
	bool more = want(wanted, at->parent, trace->count);

	if (at->from != TRACE_NONE)
		more |= want(wanted, at->from, trace->count);
	if (at->kind == EVENT_TOKEN && at->stack != NULL)
		more |= want(wanted, at->stack->from, trace->count);
	if (at->kind == EVENT_RULE)
		for (uint32_t i = event; i < at->end; i++)
			more |= want(wanted, i, trace->count);
	if (at->kind == EVENT_ATTEMPT)
		for (uint32_t i = event; i < at->end; i++)
			if (trace->events[i].kind == EVENT_RECORD &&
			    trace->events[i].parent == event)
				more |= want(wanted, i, trace->count);
	return more;
}

/* Which events have a part in the last value of a register: the set, and what it came from. */
static void
mark_parts(const struct step_view *view, int reg, bool *wanted)
{
	bool more = want(wanted, step_view_register(view, reg), view->trace.count);

	while (more) {
		more = false;
		for (uint32_t i = (uint32_t)view->trace.count; i-- > 0;)
			if (wanted[i])
				more |= draw_in(&view->trace, i, wanted);
	}
}

static void
write_events(const struct output *output, const struct step_view *view,
	     const struct explain_options *options, struct arena *arena, struct row *row)
{
	bool *wanted = arena_array(arena, view->trace.count + 1, sizeof(*wanted));

	if (wanted == NULL)
		return;
	if (options->reg == ARCH_NO_REGISTER)
		memset(wanted, 1, view->trace.count);
	else
		mark_parts(view, options->reg, wanted);
	for (uint32_t i = 0; i < view->trace.count; i++) {
		enum event_kind kind = view->trace.events[i].kind;

		if (!wanted[i] || kind == EVENT_STEP)
			continue;
		if (kind == EVENT_ATTEMPT)
			output_format(output, "\n");
		step_view_event_row(view, i, 0, row);
		row_write(output, row);
	}
}

void
explain_step(const struct output *output, const struct step_view *view,
	     const struct explain_options *options)
{
	struct step_view whole = *view;
	struct arena arena;
	struct row row;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	whole.cursor = (uint32_t)view->trace.count;
	row_add(&row, ROLE_TITLE, "frame %zu", view->frame);
	row_write(output, &row);
	if (options->reg == ARCH_NO_REGISTER) {
		struct listing naming = naming_listing(view->walk, view->frame, &arena);

		listing_write(output, &naming, 0, naming.count);
	}
	write_events(output, &whole, options, &arena, &row);
	if (view->verdict.kind == VERDICT_TAKEN) {
		char value[32];
		const struct arch *arch = view->walk->arch;

		output_format(output, "\nframe %zu  %s  found by: %s\n", view->frame + 1,
			      step_view_value(view, view->caller.registers.value[arch->pc], value,
					      sizeof(value)),
			      trust_found_by(view->caller.trust));
		struct listing registers = step_view_registers(&whole, &arena);

		if (options->reg == ARCH_NO_REGISTER) {
			listing_write(output, &registers, 0, registers.count);
		}
	} else {
		output_format(output, "\nend of the stack: ");
		output_text(output, text_of(view->verdict.text));
		output_format(output, "\n");
	}
	arena_free(&arena);
}

void
explain_methods(const struct output *output, struct walk *walk, size_t frame)
{
	struct arena arena;

	arena_init(&arena, 0);
	const struct methods_compared *compared = methods_compare(walk, frame, &arena);
	const struct listing listing = methods_listing(compared);
	output_format(output, "caller of frame %zu\n", frame);
	listing_write(output, &listing, 0, listing.count);
	arena_free(&arena);
}

int
explain_register(const struct arch *arch, const char *name)
{
	return arch_register(arch, text_of(name), ARCH_NAMES_ALIASES);
}
