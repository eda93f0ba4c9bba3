/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_MACH_SYMBOLS_H
#define DEBUG_INFO_MACH_SYMBOLS_H

#include "base/reader.h"
#include "debug_info/file_symbols.h"

/**
 * Append the functions of a Mach-O file in the order of its tables, and its labels (without names).
 * Sizes and reaches are not set.
 */
void
mach_symbols_read(struct file_symbols *symbols, const struct code_ranges *code);

/** The symbols of a Mach-O file (struct nlist) and the table of their names. */
struct mach_names {
	struct reader symbols, strings;
	unsigned entry;			/* bytes of a symbol */
};

/** Open the tables of symbols and names. False: the file lacks one of them. */
bool
mach_names_open(const struct binary *binary, struct mach_names *names);

/**
 * The name of symbol `number`, in the file's memory; NULL: none. mach_names_at() omits the
 * underscore at the beginning of C names.
 */
const char *
mach_names_whole(const struct mach_names *names, uint64_t number);
const char *
mach_names_at(const struct mach_names *names, uint64_t number);

/** Whether a symbol with this type is defined in a section of the file. */
bool
mach_is_defined(uint8_t type);

#endif
