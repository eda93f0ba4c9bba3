/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_CODE_CHECK_H
#define UNWIND_CHECK_CODE_CHECK_H

#include "code_flow/flow_module.h"
#include "unwind_check/check.h"

/** Rows of a source, by what the code says of them. */
struct unwind_code_totals {
	uint64_t agree, contradict;
	uint64_t cannot_say; /* the code does not tell, or no known way leads there */
	/* Of functions whose rows hold at calls only: those that cover no call. */
	uint64_t uncalled;
	uint64_t padding; /* nothing runs there */
};

/**
 * Hold every row of a check's sources against the code that it is for, and tell those that the code
 * contradicts (UNWIND_CODE). A row is contradicted where one of its instructions is reached with
 * another CFA, or with a register's value elsewhere, along every way from the starts of functions;
 * a row that the code does not reach says nothing. Compilers that make no asynchronous tables
 * (clang before 15 for arm64, gcc when told so) leave out epilogues and a part of prologues:
 * where most functions whose entries share a CIE return by the rules of their frame, rows are
 * held against calls alone. `totals` has an element for each source. False where the processor's
 * code is not run.
 */
bool
unwind_code_run(const struct unwind_check *check, const struct crash *crash,
	struct unwind_code_totals *totals);

#endif
