/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_INVENT_H
#define INSPECT_INVENT_H

#include "base/policy.h"
#include "crash/crash.h"
#include "locate/binaries.h"
#include "locate/symbol_store.h"

/**
 * A made-up thread that stopped in the middle of a function. With it each row of the function's
 * unwind rules can be stepped without a crash.
 *
 * The CFA and the caller's registers are the same at every address. A callee-saved register has its
 * value in the caller, or the rules read that value from the stack. The return address is outside
 * all modules. The stack above the CFA is 0, so the caller has no caller. Trials run the rules and
 * correct the registers and the stack until the rules can read all values.
 */
struct invent_options {
	struct symbols *symbols;
	struct binaries *binaries;
	const struct policy *policy;
	uint64_t pc;
	const char *where;		/* "memcpy+0x10" */
};

/**
 * Add the thread to a crash that has one module, but no threads and no memory. `crash->invented`
 * describes the thread. False when out of memory.
 */
bool
invent_thread(struct crash *crash, const struct invent_options *options);

#endif
