/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_INFO_INTERNAL_H
#define DEBUG_INFO_DEBUG_INFO_INTERNAL_H

#include "debug_info/debug_dwarf.h"

/** Declarations shared by the files of this room. */

/**
 * Lock the files of a module and store the DWARF of each in the order of search (NULL: none).
 * Release it by debug_info_unlock; NULL, without the lock, if no files are searched.
 */
struct binaries_reader *
debug_info_lock(const struct binaries *binaries, size_t module,
		struct debug_dwarf *dwarfs[DEBUG_INFO_SOURCES]);

/** Unlock them, and report omissions in a file. */
void
debug_info_unlock(struct binaries_reader *reader, size_t module);

#endif
