/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_INVENT_H
#define INSPECT_INVENT_H

#include "base/policy.h"
#include "crash/crash.h"
#include "locate/binaries.h"
#include "locate/symbol_store.h"

/**
 * A thread in the middle of any function, with registers and a stack that are invented: so that
 * each row of a function's unwind rules can be stepped without a crash.
 *
 * The CFA is the same for every address, and so is all that the caller has: a register that calls
 * keep has the caller's value in it, or the stack has it where the rules say; the return address
 * leads to code in no module, above which the stack is empty. Which register holds an address of
 * the stack is learned from the rules: they are run, and what they cannot read is put into place.
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
 * says what it is. False when out of memory.
 */
bool
invent_thread(struct crash *crash, const struct invent_options *options);

#endif
