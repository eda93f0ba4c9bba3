/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_CFA_REGISTER_H
#define FRAME_TABLE_CFA_REGISTER_H

#include <stdbool.h>

#include "base/reader.h"

/**
 * Find the first DW_CFA_def_cfa_expression in an entry's instructions that a
 * DW_CFA_def_cfa_register is the next to change; false where there is none, or what stands before
 * it is unknown. DWARF 5, 6.4.2.2 allows the latter only where a register and an offset make the
 * CFA; readelf and gdb take the offset that was there before the expression, as without it.
 */
bool
cfa_register_find(const struct reader *code, uint64_t *start, uint64_t *end);

#endif
