/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SYMBOL_HEAD_H
#define LOCATE_SYMBOL_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "system/inflate.h"

/** Recognises the module of a symbol file, or the kind of another file, by its first bytes. */

/** A known kind of file that is not a symbol file. */
struct symbol_foreign {
	const char *what;		/* "a PDB", to follow "it is" */
	const char *help;		/* how to make a symbol file of it */
};

enum symbol_head_state {
	SYMBOL_HEAD_UNREADABLE,
	SYMBOL_HEAD_EMPTY,
	SYMBOL_HEAD_UTF16,
	SYMBOL_HEAD_FOREIGN,		/* another known kind: `foreign` */
	SYMBOL_HEAD_OTHER,		/* it has no MODULE record, and its kind is unknown */
	SYMBOL_HEAD_SYMBOLS,		/* the head has `id` and `name` */
	SYMBOL_HEAD_STATES
};

struct symbol_head {
	enum symbol_head_state state;
	enum inflate_kind kind;		/* how the file is compressed */
	const struct symbol_foreign *foreign;	/* NULL unless SYMBOL_HEAD_FOREIGN */
	const char *id, *name;		/* from MODULE; NULL unless SYMBOL_HEAD_SYMBOLS */
};

/** Whether the first bytes of a file are UTF-16: a byte order mark, or the beginning of MODULE. */
bool
symbol_head_is_utf16(const void *bytes, uint64_t size);

/** The kind of a file with these first bytes; NULL: a symbol file, or an unknown kind. */
const struct symbol_foreign *
symbol_foreign_kind(const void *bytes, uint64_t size);

/** Bytes of the text of symbol_head_fault. */
#define SYMBOL_FAULT 256u

/**
 * Why a file is not a symbol file, as a text to follow "the file"; NULL: it is a symbol file. The
 * text is in `buffer` (SYMBOL_FAULT bytes) or constant. `*help` (may be NULL) is how to repair it.
 */
const char *
symbol_head_fault(const struct symbol_head *head, char *buffer, const char **help);

/** Read the first bytes of a plain file; texts live in `arena`. */
void
symbol_head_read(struct symbol_head *head, const char *path, struct arena *arena);

#endif
