/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_MACH_SYMBOLS_H
#define DEBUG_INFO_MACH_SYMBOLS_H

#include "debug_info/file_symbols.h"

/**
 * Append the functions of a Mach-O file in the order of its tables, and labels, which have no name.
 * Sizes and reaches are not set.
 */
void
mach_symbols_read(struct file_symbols *symbols, const struct code_ranges *code);

#endif
