/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_INVENT_H
#define INSPECT_INVENT_H

#include "base/policy.h"
#include "crash/crash.h"
#include "locate/binaries.h"
#include "locate/symbol_store.h"

/**
 * A thread in the middle of any function, with made-up registers and stack, so that each row of a
 * function's unwind rules can be stepped without a crash.
 *
 * The CFA is the same for every address, and so are the caller's values: a callee-saved register
 * has the caller's value, or the stack has it where the rules read it; the return address leads to
 * code outside all modules, above which the stack is empty. Registers that hold addresses of the
 * stack are found by trials: the rules are run, and what they cannot read is provided.
 */
struct invent_options {
	struct symbols *symbols;
	struct binaries *binaries;
	const struct policy *policy;
	uint64_t pc;
	const char *where;		/* "memcpy+0x10" */
};

/**
 * Add the thread to a crash of one module, which has neither threads nor memory. `crash->invented`
 * describes it. False when out of memory.
 */
bool
invent_thread(struct crash *crash, const struct invent_options *options);

#endif
