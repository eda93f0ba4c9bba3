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
 * The CFA is the same for every address, and so are the caller's values: a callee-saved register,
 * or the place on the stack where the rules read it, has the caller's value. The return address
 * leads to code outside all modules; the stack above it is empty. Trials find the registers that
 * hold addresses of the stack: the rules are run, and values that they cannot read are provided.
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
