/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_HARMLESS_H
#define UNWIND_CHECK_HARMLESS_H

#include "crash/crash.h"
#include "unwind_check/check.h"

/**
 * Finds differences that do not matter, because the module's code has one of two properties:
 *
 * - Bytes that align the next instruction are never executed. For them `.pdata` has the rules of
 *   the function's body, and DWARF has the rules in force after the return.
 * - Two registers have the same value up to a constant. After `lea rsp, [rbp - 8]` the CFA
 *   rbp + 16 is also rsp + 24: DWARF still counts from rbp, `.pdata` counts from rsp.
 */
struct unwind_harmless;

/** Open for a module's code, which must outlive the result; NULL if it cannot be decoded. */
struct unwind_harmless *
unwind_harmless_open(const struct crash *crash, struct binaries *binaries, size_t number);

/** Whether a difference of rules does not matter. False on NULL. */
bool
unwind_harmless_is(struct unwind_harmless *harmless, const struct unwind_difference *difference);

/** Does nothing on NULL. */
void
unwind_harmless_close(struct unwind_harmless *harmless);

#endif
