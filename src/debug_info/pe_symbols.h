/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_PE_SYMBOLS_H
#define DEBUG_INFO_PE_SYMBOLS_H

#include "debug_info/pe_exports.h"

/**
 * The functions of the COFF symbol table, which MinGW leaves in a program, in the order of the file;
 * how many. They and their names live in `arena`.
 */
size_t
pe_symbols_read(const struct binary *binary, struct arena *arena, struct pe_export **symbols);

#endif
