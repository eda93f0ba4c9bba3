/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_SYMS_TEXT_TABLE_H
#define DUMP_SYMS_TEXT_TABLE_H

#include "base/arena.h"
#include "base/text.h"

/** Names of functions or paths of files, each once, by numbers from 0 up. */
struct text_table {
	struct arena arena;
	struct known_name {
		const char *text;
		uint32_t length, hash;
	} *items;
	size_t count, capacity;
	uint32_t *slots;		/* numbers and 1; 0: free */
	size_t size;			/* of the slots: a power of two, or 0 */
};

#define NAME_NONE UINT32_MAX

/** The number of a text, which is copied where it is new; NAME_NONE when out of memory. */
uint32_t
text_table_add(struct text_table *table, struct text text);

void
text_table_free(struct text_table *table);

#endif
