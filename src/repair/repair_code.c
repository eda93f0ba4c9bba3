/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_claim.h"
#include "repair/repair_internal.h"
#include "unwind_check/code_check.h"

/* What the code itself says of a row. */

bool
repair_run_code(struct repair_work *work, uint64_t first, uint64_t last)
{
	/* What is not called, as the first entry of a linkage table, begins with another stack. */
	if (work->function == NULL || !flow_module_is_entry(&work->code, first)) {
		work->run_first = UINT64_MAX;
		return false;
	}
	if (work->run_first != first)
		flow_function_run(work->function, first, last + 1);
	work->run_first = first;
	return true;
}

enum flow_verdict
repair_ask_code(const struct repair_work *work, uint64_t address, unsigned column,
		const struct claim *claim)
{
	struct flow_point point;

	if (work->function == NULL || work->run_first == UINT64_MAX ||
	    !flow_function_at(work->function, address, &point))
		return FLOW_CANNOT_SAY;
	const enum flow_verdict verdict =
		unwind_code_judge(work->arch, work->repair->windows, point.state, column, claim);
	return verdict == FLOW_CONTRADICTS && point.inferred ? FLOW_CANNOT_SAY : verdict;
}
