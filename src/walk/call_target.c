/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "code/call.h"
#include "walk/step.h"

/*
 * Whether the caller calls the callee: the instruction before the return address says so, where
 * its bytes are known. It decides nothing, for a function may end with a jump to another one; but
 * where a record is wrong, this is how one sees it. Only for who listens.
 */

/* The FUNC record that covers `address`; false without one: stubs of linkers have none. */
static bool
function_at(const struct step *step, uint64_t address, uint64_t *start, struct function *function)
{
	const struct symbols_policy policy = walk_symbols_policy(step->walk);
	const int module = module_map_find(&step->walk->modules, address);
	const struct symfile *symfile = walk_symfile(step->walk, module);

	if (symfile == NULL)
		return false;
	const uint64_t base = step->walk->crash->modules[module].base;
	if (!symfile_covering_function(symfile, &policy, address - base, function))
		return false;
	*start = base + function->address;
	return true;
}

void
step_compare_call(struct step *step, const struct frame *caller)
{
	const uint64_t pc = caller->registers.value[step->arch->pc];
	struct function callee, called;
	uint64_t callee_start, called_start;
	char name[80], other[80];

	if (step->trace == NULL || caller->interrupted)
		return;
	const struct call_site site =
		call_find(step->arch, &step->walk->memory, step->walk->binaries,
			  pc - (uint64_t)(int64_t)step_return_step(step));
	if (site.answer != CALL_YES || !site.direct ||
	    !function_at(step, step->callee->lookup, &callee_start, &callee) ||
	    !function_at(step, site.target, &called_start, &called))
		return;
	text_printable(name, sizeof(name), called.name);
	text_printable(other, sizeof(other), callee.name);
	if (called_start == callee_start)
		step_check(step, CHECK_CALLS_CALLEE, true, "%" PRIx64 " calls %s", site.address,
			   name);
	else
		step_note(step, CHECK_CALLS_CALLEE,
			  "%" PRIx64 " calls %s, not %s; unless the callee was left by a jump, the "
				     "rules are wrong", site.address, name, other);
}
