/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/padding.h"

#include <stdlib.h>

#include "code_flow/flow_module.h"

struct unwind_padding {
	struct flow_module module;
	struct flow_function *function;
	uint64_t start, end;		/* of the last function that was run; both 0: none */
};

struct unwind_padding *
unwind_padding_open(const struct crash *crash, struct binaries *binaries, size_t number)
{
	struct unwind_padding *padding = calloc(1, sizeof(*padding));

	if (padding == NULL)
		return NULL;
	flow_module_init(&padding->module, crash, binaries, NULL, number);
	padding->function = flow_function_create(&padding->module.code);
	if (padding->function != NULL)
		return padding;
	unwind_padding_close(padding);
	return NULL;
}

/* Run the function around an address, or the one that ends before it. */
static bool
run_around(struct unwind_padding *padding, uint64_t address)
{
	uint64_t start, end;

	if (address > padding->start && address <= padding->end)
		return true;
	if (address == 0 || !flow_module_function(&padding->module, address - 1, &start, &end) ||
	    !flow_module_mode(&padding->module, start))
		return false;
	flow_function_run(padding->function, start, end);
	padding->start = start;
	padding->end = end;
	return true;
}

bool
unwind_padding_is(struct unwind_padding *padding, uint64_t first, uint64_t last)
{
	struct flow_point point;

	if (padding == NULL || !flow_function_is_idle(padding->function, first, last) ||
	    !run_around(padding, first) || flow_function_at(padding->function, first, &point))
		return false;
	for (uint64_t length = 1; length < FLOW_WINDOW && length <= first; length++)
		if (flow_function_at(padding->function, first - length, &point) &&
		    point.instruction->length == length)
			return true;	/* run, and does not continue */
	return false;
}

void
unwind_padding_close(struct unwind_padding *padding)
{
	if (padding == NULL)
		return;
	flow_function_free(padding->function);
	flow_module_free(&padding->module);
	free(padding);
}
