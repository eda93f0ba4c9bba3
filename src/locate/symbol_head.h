/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SYMBOL_HEAD_H
#define LOCATE_SYMBOL_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "system/inflate.h"

/** What the first bytes of a file say: of which module its symbols are, or what it is instead. */

/** A file that stands where a symbol file should, and is something else. */
struct symbol_foreign {
	const char *what;		/* "a PDB": after "it is" */
	const char *help;		/* how it becomes a symbol file */
};

struct symbol_head {
	bool read;			/* the bytes could be read */
	bool empty, utf16;
	enum inflate_kind kind;		/* how the file is compressed */
	const struct symbol_foreign *foreign;	/* what it is instead; NULL: unknown */
	const char *id, *name;		/* of its MODULE record; NULL: it has none there */
};

/** Bytes of what symbol_head_fault says. */
#define SYMBOL_FAULT 256u

/**
 * What is wrong with a file whatever module it is for, after "the file", in `buffer` of
 * SYMBOL_FAULT bytes or in a constant; `*help` (may be NULL) is how to mend it. NULL: it is a
 * symbol file.
 */
const char *
symbol_head_fault(const struct symbol_head *head, char *buffer, const char **help);

/** Read what the first bytes of a plain file say; texts live in `arena`. */
void
symbol_head_read(struct symbol_head *head, const char *path, struct arena *arena);

#endif
