/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_DWARF_EXPRESSION_H
#define FRAME_TABLE_DWARF_EXPRESSION_H

#include <elfutils/libdw.h>

#include "base/arena.h"
#include "crash/arch.h"

/**
 * Write a DWARF expression as postfix, in `arena`. The value is an address where the register was
 * saved, so that it is read, unless `is_value` or the expression itself says that it is the value.
 * NULL, with `*cannot` set, where postfix has no words for it or out of memory.
 */
const char *
dwarf_expression_postfix(const struct arch *arch, const Dwarf_Op *operations, size_t count,
			 bool is_value, struct arena *arena, const char **cannot);

#endif
