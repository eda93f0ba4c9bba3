/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_KEYMAP_H
#define UI_REQUEST_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "document/row.h"
#include "ui/request/completion.h"
#include "ui/view/layout.h"

/**
 * What keys and commands ask for: four readings of the one table, request.def.
 *
 * A key is a shorthand for a command, so whatever a key does can be typed. The
 * footer, the help and completion are made from the same rows.
 */
enum request {
	REQUEST_NONE,		/* no row has this key or these words */
	REQUEST_AMBIGUOUS,	/* the beginning of several commands */
#define R(id, command, keys, contexts, hints, hint, act, with, help) REQUEST_##id,
#include "ui/request/request.def"
#undef R
	REQUEST_COUNT
};

/** Where a key is pressed: one bit a view, one for the help, one while a script is played. */
#define KEYMAP_VIEW(view) (1u << (view))
#define KEYMAP_ALL ((1u << LAYOUT_VIEW_COUNT) - 1)
#define KEYMAP_HELP (1u << LAYOUT_VIEW_COUNT)
#define KEYMAP_PLAY (2u << LAYOUT_VIEW_COUNT)

/** One row of request.def; a title where `request` is REQUEST_NONE. */
struct keymap_row {
	enum request request;
	const char *command;	/* with its arguments in capitals; a title: its text */
	const char *keys;	/* separated by blanks; may be "" */
	unsigned contexts, hints;
	const char *hint, *help;
};

/** A row of alias.def: words of another debugger. */
struct keymap_alias {
	const char *words;
	enum request request;
	const char *whose;	/* "gdb", "lldb", "pwndbg" or "WinDbg" */
	/* Its argument, alone or before what is typed; NULL: what is typed */
	const char *with;
};

/** The rows of the table in order; `count` is stored. */
const struct keymap_row *
keymap_rows(size_t *count);

/** The row of a request, or NULL. */
const struct keymap_row *
keymap_row_of(enum request request);

/** The request that shows a view. */
enum request
keymap_view_request(enum layout_view view);

/** The key that shows a view; empty where none does. */
struct text
keymap_view_key(enum layout_view view);

/**
 * What a typed command asks for. Words may be shortened as long as they stay
 * unique ("st t"); of several commands that fit, the one with more words in full
 * wins. Words of other debuggers (alias.def) are understood as well. `arguments` is set to the rest
 * of `text`, without blanks at its beginning;
 * a command that takes none does not fit where there is a rest.
 */
enum request
keymap_command(const char *text, const char **arguments);

/** What a typed command asks for, with the whole of its arguments, for which `buffer` has room. */
enum request
keymap_line(const char *text, char *buffer, size_t size, const char **arguments);

/** The command of which the first word of `text` is a word, or may be a misspelling; or empty. */
struct text
keymap_near(const char *text);

/** Bytes of a row's command without its arguments. */
size_t
keymap_name_length(const char *command);

/** Completion: add the words of commands that may stand at completion->from. */
void
keymap_complete(const char *line, struct completion *completion);

/**
 * The argument, by its word in the table ("FILE"), in which `line` ends, and the byte where this
 * argument begins. The last argument of a command may have blanks. Empty: there is none.
 */
struct text
keymap_argument(const char *line, size_t *from);

/**
 * Entries of the help: the questions (question.def), a line about what follows them, the commands
 * under their titles, the keys that the user gave to commands with arguments, the aliases. Writes
 * a line of entry `index`, from 0; `again` repeats the command in all lines. Returns how many
 * lines of `columns` the entry has; 0: there are no more entries.
 */
size_t
keymap_help_row(size_t index, size_t line, size_t columns, bool again, struct row *row);

/**
 * The entry of the help about a command with this name or whose name begins with this word, or
 * about this word of another debugger. False: there is none.
 */
bool
keymap_help_entry(struct text name, size_t *entry);

/** What the footer asks for at column `x`; REQUEST_NONE between its keys. */
enum request
keymap_footer_at(unsigned context, size_t columns, size_t x);

/** The footer of `context` in `columns`: keys and what they do, help at the right edge. */
void
keymap_footer(unsigned context, size_t columns, struct row *row);

#endif
