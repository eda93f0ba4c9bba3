/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_PADDING_H
#define UNWIND_CHECK_PADDING_H

#include "crash/crash.h"
#include "locate/binaries.h"

/**
 * What fills a module's code up to where the next instruction is to stand: nothing runs it, so
 * what sources say of it does not matter. `.pdata` has the rules of the function's body there,
 * DWARF what was in force behind the return.
 */
struct unwind_padding;

/** Ready for a module's code, which lives as long; NULL where its code is not taken apart. */
struct unwind_padding *
unwind_padding_open(const struct crash *crash, struct binaries *binaries, size_t number);

/**
 * Whether there are only instructions that do nothing from `first` to `last`, right behind one
 * behind which nothing runs, and no way of the function leads there. False on NULL.
 */
bool
unwind_padding_is(struct unwind_padding *padding, uint64_t first, uint64_t last);

/** Harmless on NULL. */
void
unwind_padding_close(struct unwind_padding *padding);

#endif
