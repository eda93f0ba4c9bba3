/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_PADDING_H
#define UNWIND_CHECK_PADDING_H

#include "crash/crash.h"
#include "locate/binaries.h"

/**
 * Bytes that align a module's next instruction: they are never executed, so the rules of sources
 * there do not matter. `.pdata` has the rules of the function's body there, DWARF those in force
 * after the return.
 */
struct unwind_padding;

/** Open for a module's code, which outlives it; NULL if the code cannot be decoded. */
struct unwind_padding *
unwind_padding_open(const struct crash *crash, struct binaries *binaries, size_t number);

/**
 * Whether the bytes from `first` to `last` are only instructions without effect, follow an
 * instruction that never continues, and are on no path of the function. False on NULL.
 */
bool
unwind_padding_is(struct unwind_padding *padding, uint64_t first, uint64_t last);

/** Harmless on NULL. */
void
unwind_padding_close(struct unwind_padding *padding);

#endif
