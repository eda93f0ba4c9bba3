/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_SPLIT_INDEX_H
#define DWARF_SPLIT_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/reader.h"

/** Maximum number of columns of an index; there are eight kinds of sections. */
enum { SPLIT_INDEX_COLUMNS = 16 };

/** A unit's part of a section in a package; `section` is numbered as in version 5. */
struct split_index_part {
	uint32_t section, offset, size;
};

/**
 * Look up a unit in .debug_cu_index, the index of a package of split DWARF (DWARF 5, 7.3.5). GCC's
 * wiki describes version 2 on its DebugFission page. Section number 8 has another meaning there, so
 * it is omitted.
 *
 * Returns the number of the unit's parts; 0: no such unit, or the index is damaged.
 */
size_t
split_index_find(const struct reader *index, uint64_t id,
		 struct split_index_part parts[static SPLIT_INDEX_COLUMNS]);

#endif
