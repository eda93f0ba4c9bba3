/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/harmless.h"

#include <stdlib.h>

#include "code_flow/flow_module.h"

struct unwind_harmless {
	struct flow_module module;
	struct flow_function *function;
	uint64_t start, end;		/* addresses of the previous function; both 0: none */
};

struct unwind_harmless *
unwind_harmless_open(const struct crash *crash, struct binaries *binaries, size_t number)
{
	struct unwind_harmless *harmless = calloc(1, sizeof(*harmless));

	if (harmless == NULL)
		return NULL;
	flow_module_init(&harmless->module, crash, binaries, NULL, number);
	flow_module_bound_by_file(&harmless->module);
	harmless->function = flow_function_create(&harmless->module.code);
	if (harmless->function != NULL)
		return harmless;
	unwind_harmless_close(harmless);
	return NULL;
}

/* Run the function around the byte before an address. */
static bool
run_before(struct unwind_harmless *harmless, uint64_t address)
{
	uint64_t start, end;

	if (address > harmless->start && address <= harmless->end)
		return true;
	if (address == 0 || !flow_module_function(&harmless->module, address - 1, &start, &end) ||
	    !flow_module_mode(&harmless->module, start))
		return false;
	flow_function_run(harmless->function, start, end);
	harmless->start = start;
	harmless->end = end;
	return true;
}

/*
 * Whether the bytes from `first` to `last` are only instructions without effect. They must follow
 * an instruction that never continues, and be on no path of the function.
 */
static bool
is_padding(struct unwind_harmless *harmless, uint64_t first, uint64_t last)
{
	struct flow_point point;

	if (!flow_function_is_idle(harmless->function, first, last) ||
	    !run_before(harmless, first) || flow_function_at(harmless->function, first, &point))
		return false;
	for (uint64_t length = 1; length < FLOW_WINDOW && length <= first; length++)
		if (flow_function_at(harmless->function, first - length, &point) &&
		    point.instruction->length == length)
			return true;	/* a path of the function ends here */
	return false;
}

/* Whether the claims of a difference are sums with equal values before one instruction. */
static bool
have_one_value(const struct unwind_difference *difference, const struct flow_state *state)
{
	const struct claim *one = NULL;
	const struct flow_value *value = NULL;

	for (unsigned left = difference->sources; left != 0; left &= left - 1) {
		const struct claim *claim = &difference->claims[__builtin_ctz(left)];

		if (claim->kind != CLAIM_RULE || claim->parameters || claim->base < 0)
			return false;
		const struct flow_value *base = &state->registers[claim->base];
		if (base->kind != FLOW_STACK)
			return false;
		if (one != NULL &&
		    (base->base != value->base || claim->dereference != one->dereference ||
		     (int64_t)base->offset + claim->offset !=
			     (int64_t)value->offset + one->offset))
			return false;
		one = claim;
		value = base;
	}
	return one != NULL;
}

/* Whether all sources of a difference have the same value before each instruction of its range. */
static bool
is_equal(struct unwind_harmless *harmless, const struct unwind_difference *difference)
{
	struct flow_point point;
	bool reached = false;

	if (difference->code != UNWIND_DIFFERS || !run_before(harmless, difference->first + 1))
		return false;
	for (size_t i = 0; flow_function_point(harmless->function, i, &point); i++) {
		const uint64_t address = point.instruction->address;

		if (address < difference->first || address > difference->last)
			continue;
		if (point.inferred || !have_one_value(difference, point.state))
			return false;
		reached = true;
	}
	return reached;
}

bool
unwind_harmless_is(struct unwind_harmless *harmless, const struct unwind_difference *difference)
{
	return harmless != NULL && difference->code < UNWIND_CODE &&
	       (is_padding(harmless, difference->first, difference->last) ||
		is_equal(harmless, difference));
}

void
unwind_harmless_close(struct unwind_harmless *harmless)
{
	if (harmless == NULL)
		return;
	flow_function_free(harmless->function);
	flow_module_free(&harmless->module);
	free(harmless);
}
