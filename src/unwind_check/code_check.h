/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_CODE_CHECK_H
#define UNWIND_CHECK_CODE_CHECK_H

#include "code_flow/flow_module.h"
#include "unwind_check/check.h"

/** Rows of a source, counted by the code's verdict on them. */
struct unwind_code_totals {
	uint64_t agree, contradict;
	uint64_t cannot_say; /* the code gives no answer, or no known path leads to the row */
	/* Rows without a call, in functions that are checked at calls only. */
	uint64_t uncalled;
	uint64_t padding; /* bytes that are not executed */
};

/**
 * Check every row of a check's sources against the module's code, and report contradictions
 * (UNWIND_CODE). A row is contradicted if every path from the starts of functions reaches one of
 * its instructions with another CFA, or with a register's value in another place. A row that the
 * code does not reach is not judged. Some compilers (clang before 15 for arm64, gcc by option)
 * leave epilogues and a part of prologues out of tables: a function then returns in a row that
 * still describes its frame. If most functions with the same CIE do so, all of them are checked at
 * calls only. `totals` has an element for each source. False if the processor's code cannot be run.
 */
bool
unwind_code_run(const struct unwind_check *check, const struct crash *crash,
	struct unwind_code_totals *totals);

#endif
