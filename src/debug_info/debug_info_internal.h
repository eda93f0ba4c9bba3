/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_INFO_INTERNAL_H
#define DEBUG_INFO_DEBUG_INFO_INTERNAL_H

#include "debug_info/debug_dwarf.h"

/** What the files of this room share. */

/**
 * Lock the files of a module and list the DWARF of each in the order of asking (NULL: it has none).
 * debug_info_unlock ends that; NULL, without the lock, if no files are to be looked for.
 */
struct binaries_reader *
debug_info_lock(const struct binaries *binaries, size_t module,
		struct debug_dwarf *dwarfs[DEBUG_INFO_SOURCES]);

/** Unlock them, and report what had to be left out of one. */
void
debug_info_unlock(struct binaries_reader *reader, size_t module);

#endif
