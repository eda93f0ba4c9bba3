/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/methods.h"

#include "inspect/recorded_step.h"
#include "walk/location.h"

static bool
is_same(const struct frame *a, const struct frame *b, int reg)
{
	return registers_known(&a->registers, reg) == registers_known(&b->registers, reg) &&
	       (!registers_known(&a->registers, reg) ||
		a->registers.value[reg] == b->registers.value[reg]);
}

static char
sign_of(const struct methods_compared *compared, const struct methods_answer *answer)
{
	const struct arch *arch = compared->walk->arch;
	const struct frame *walked = &compared->caller;

	if (answer->verdict.kind != VERDICT_TAKEN)
		return ' ';
	if (compared->verdict.kind != VERDICT_TAKEN)
		return '?';
	if (compared->verdict.method == answer->method)
		return '*';
	if (!is_same(walked, &answer->caller, arch->pc) ||
	    !is_same(walked, &answer->caller, arch->sp))
		return '!';
	if (arch->fp >= 0 && !is_same(walked, &answer->caller, arch->fp))
		return '~';
	/* A register without a rule has the callee's value. */
	for (int reg = 0; reg < arch->register_count; reg++)
		if (arch->registers[reg].callee_saved &&
		    registers_known(&walked->registers, reg) &&
		    registers_known(&answer->caller.registers, reg) &&
		    walked->registers.value[reg] != answer->caller.registers.value[reg])
			return '~';
	return '=';
}

const struct methods_compared *
methods_compare(struct walk *walk, size_t frame, struct arena *arena)
{
	struct methods_compared *compared = arena_alloc(arena, sizeof(*compared));
	enum method_id list[METHOD_COUNT];

	if (compared == NULL)
		return NULL;
	compared->walk = walk;
	compared->frame = frame;
	unwind_step(walk, frame, NULL, &compared->caller, &compared->verdict);
	const size_t count = walk_methods(walk, list);
	for (size_t i = 0; i < count; i++) {
		struct methods_answer *answer = &compared->answers[compared->count++];
		struct frame *caller = &answer->caller;
		struct trace trace;

		answer->method = list[i];
		answer->off = walk_method_is_off(walk, list[i]);
		trace_init(&trace);
		unwind_step_by(walk, frame, list[i], &trace, caller, &answer->verdict);
		if (answer->verdict.kind == VERDICT_TAKEN) {
			struct location location;

			const uint32_t cfa =
				step_view_cfa(&trace, 0, (uint32_t)trace.count, TRACE_NONE);

			answer->has_cfa = cfa != TRACE_NONE;
			answer->cfa = answer->has_cfa ? trace.events[cfa].value : 0;
			caller->module = module_map_find(&walk->modules, caller->lookup);
			location_of(walk, caller->lookup, arena, &location);
			answer->name = location_name(&location, &location.calls[0],
						     caller->registers.value[walk->arch->pc],
						     false, arena);
		}
		trace_free(&trace);
		answer->sign = sign_of(compared, answer);
	}
	return compared;
}
