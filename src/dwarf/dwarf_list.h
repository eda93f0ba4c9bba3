/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_LIST_H
#define DWARF_DWARF_LIST_H

#include "dwarf/dwarf_entry.h"

/**
 * Lists of ranges and of locations (DWARF 5, 2.6.2, 2.17.3, 7.25 and 7.29; pairs of addresses
 * before version 5; for split DWARF before version 5 the DebugFission page of GCC's wiki).
 */
struct dwarf_list {
	const struct dwarf_context *context;
	struct dwarf_cursor cursor;
	const char *const *operands;	/* by kind of entry; NULL: pairs */
	uint64_t base;			/* base address of offsets */
	bool locations;
	bool broken;			/* the end of the list is unreadable */
};

struct dwarf_list_entry {
	uint64_t low, high;		/* as linked; low >= high: no code */
	bool everywhere;		/* valid if no other entry of the list covers an address */
	const uint8_t *code;		/* expression of a location */
	uint64_t size;
};

/**
 * Begin with the list of a value, of ranges or of locations. False if the value refers to no list.
 * Lists of locations need dwarf_file_open_more().
 */
bool
dwarf_list_open(struct dwarf_list *list, const struct dwarf_context *context,
		const struct dwarf_value *value, bool locations);

/** The next entry that is no base. False at the end of the list, and if it is broken. */
bool
dwarf_list_next(struct dwarf_list *list, struct dwarf_list_entry *entry);

#endif
