/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_SYMS_TEXT_TABLE_H
#define DUMP_SYMS_TEXT_TABLE_H

#include "base/arena.h"
#include "base/text.h"

/** Names longer than LIMIT_NAME_CUT: the limit of their bytes. */
struct long_names {
	uint64_t most, bytes;		/* limit, and bytes so far */
	size_t cut;			/* names cut after `most` was reached */
};

/** Whether a name is long and the limit is reached. */
bool
long_names_full(const struct long_names *names, struct text name);

/** Count a name; after `most` bytes `buffer` gets the cut form of a long name. */
struct text
long_names_count(struct long_names *names, struct text name, char buffer[TEXT_CUT_ROOM]);

/** Names of functions or paths of files, each once, by numbers from 0 up. */
struct text_table {
	struct arena arena;
	struct known_name {
		const char *text;
		uint32_t length, hash;
	} *items;
	size_t count, capacity;
	uint32_t *slots;		/* numbers plus 1; 0: free */
	size_t size;			/* of the slots: a power of two, or 0 */
	struct long_names long_ones;	/* with `most` 0 all are cut */
};

#define NAME_NONE UINT32_MAX

/**
 * The number of a text, which is copied if it is new, and cut if there are too many long ones;
 * NAME_NONE when out of memory.
 */
uint32_t
text_table_add(struct text_table *table, struct text text);

void
text_table_free(struct text_table *table);

#endif
