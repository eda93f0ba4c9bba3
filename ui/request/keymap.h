/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_KEYMAP_H
#define UI_REQUEST_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "document/row.h"
#include "ui/view/layout.h"

/**
 * Words that complete a line. All matching words are counted; the first COMPLETION_MOST are stored.
 *
 * A word with control bytes or invalid UTF-8 never matches.
 */
struct completion {
	const char *line;	/* line up to its cursor; borrowed */
	size_t from;		/* byte of the line where the words begin */
	char **words;		/* the stored words, each once */
	size_t count;
	uint64_t total;		/* number of matching words */
	char *common;		/* common prefix of all matching words; NULL: none matches */
	bool open;		/* the word continues (a directory), so no blank follows it */
};

/** Largest number of stored words. */
#define COMPLETION_MOST 500

/** Begin with the last word of `line`, which may be empty. */
void
completion_begin(struct completion *completion, const char *line);

/** The part of the word that is typed already. */
struct text
completion_typed(const struct completion *completion);

/** Offer a word. */
void
completion_add(struct completion *completion, struct text word);

/** Sort the words. Numbers are sorted by value. */
void
completion_sort(struct completion *completion);

void
completion_free(struct completion *completion);

/**
 * The table request.def.
 *
 * A key is a shorthand for a command, so every key's command can also be typed. The footer, the
 * help and completion are made from the same rows.
 */
enum request {
	REQUEST_NONE,		/* no row has this key or command */
	REQUEST_AMBIGUOUS,	/* an abbreviation of several commands */
#define R(id, command, keys, contexts, hints, hint, act, with, help) REQUEST_##id,
#include "ui/request/request.def"
#undef R
	REQUEST_COUNT
};

/**
 * Contexts of keys: one bit for each view, one for the help, one for a played script. KEYMAP_LEARN
 * (a lesson or blind mode) adds keys to the front of the footer.
 */
#define KEYMAP_VIEW(view) (1u << (view))
#define KEYMAP_ALL ((1u << LAYOUT_VIEW_COUNT) - 1)
#define KEYMAP_HELP (1u << LAYOUT_VIEW_COUNT)
#define KEYMAP_PLAY (2u << LAYOUT_VIEW_COUNT)
#define KEYMAP_LEARN (4u << LAYOUT_VIEW_COUNT)

/** A row of request.def; REQUEST_NONE: a title. */
struct keymap_row {
	enum request request;
	const char *command;	/* words, with arguments in capitals; or the title */
	const char *keys;	/* separated by blanks; may be "" */
	unsigned contexts, hints;
	const char *hint, *help;
	bool of_files;		/* a lesson or a played script may also use it */
};

/** A row of alias.def: a command of another debugger. */
struct keymap_alias {
	const char *words;
	enum request request;
	const char *whose;	/* "gdb", "lldb", "pwndbg" or "WinDbg" */
	/* argument that replaces or precedes the typed argument; NULL: none */
	const char *with;
};

/** The rows of the table in order; stores their number in `*count`. */
const struct keymap_row *
keymap_rows(size_t *count);

/** The row of a request, or NULL. */
const struct keymap_row *
keymap_row_of(enum request request);

/** The request that shows a view. */
enum request
keymap_view_request(enum layout_view view);

/** The key that shows a view; empty: none. */
struct text
keymap_view_key(enum layout_view view);

/**
 * The request of a typed command. Words may be shortened as long as they are unique ("st t"). A
 * command with more words typed in full takes precedence. Understands commands of other debuggers
 * (alias.def). Sets `arguments` to the rest of `text` without leading blanks. A command without
 * arguments matches only if the rest is empty.
 */
enum request
keymap_command(const char *text, const char **arguments);

/** Like keymap_command, with the alias's argument added in `buffer`. */
enum request
keymap_line(const char *text, char *buffer, size_t size, const char **arguments);

/** Whether a lesson or a played script may make a request; `set` depends on the setting. */
bool
keymap_of_files(enum request request, const char *arguments);

/** The command that a line runs, without `:` and one `try` before it. */
const char *
keymap_tried(const char *line);

/** The command with the first word of `text`, or with a similar word; empty: none. */
struct text
keymap_near(const char *text);

/** Bytes of a row's command without its arguments. */
size_t
keymap_name_length(const char *command);

/** Add the words of commands that are valid at completion->from. */
void
keymap_complete(const char *line, struct completion *completion);

/**
 * The table's word ("FILE") for the argument at the end of `line`; empty: none. Sets `*from` to the
 * byte where the argument begins. The last argument of a command may have blanks.
 */
struct text
keymap_argument(const char *line, size_t *from);

/** The first answer to question `index`, from 0; REQUEST_NONE: no such question. */
enum request
questions_answer(size_t index);

/**
 * The view at `index`, 0 to LAYOUT_VIEW_COUNT - 1, in the order of questions. Views without a
 * question come last. Sets `*question` to the question, or to NULL.
 */
enum layout_view
questions_view(size_t index, const char **question);

/**
 * Write line `line` of help entry `index`. Entries are the questions (question.def), a line that
 * introduces the rest, the commands under their titles, keys bound to commands with arguments, and
 * aliases. With `again`, each line repeats the command. Returns the entry's number of lines at this
 * width; 0: no such entry.
 */
size_t
keymap_help_row(size_t index, size_t line, size_t columns, bool again, struct row *row);

/**
 * Find the help entry of a command or alias by its name or the beginning of its name. False if no
 * entry matches.
 */
bool
keymap_help_entry(struct text name, size_t *entry);

/**
 * Write the footer of `context` in `columns`: keys with their hints, help at the right edge.
 * Returns the request at column `x`; REQUEST_NONE between the keys.
 */
enum request
keymap_footer(unsigned context, size_t columns, struct row *row, size_t x);

/**
 * The keys of commands: those of request.def as the user changed them.
 *
 * There is one keyboard, so there is one set of bindings. A binding is one key, or a prefix and a
 * second key ("gg", "C-xk"). A key cannot be a binding and a prefix: the later binding wins.
 */
struct binding {
	int first, second;	/* keys; `second` is 0 for a binding of one key */
	unsigned contexts;	/* contexts in which it is valid: bits of KEYMAP_* */
	enum request request;
	char *arguments;	/* the command's arguments; "": none */
};

/** Bytes of the names of two keys. */
#define BINDING_NAME_SIZE 32

/** Parse one key, or two keys in one word ("gg"). One key: sets `*second` to 0. False: invalid. */
bool
binding_parse(const char *text, int *first, int *second);

/** Restore the bindings of request.def. */
void
binding_reset(void);

/**
 * Bind `keys` to a command. Removes bindings that conflict with `keys` in the same contexts: equal
 * keys, or one a prefix of the other.
 */
enum error_code
binding_add(const char *keys, const char *command, struct error *error);

/** Remove the binding of `keys`. */
enum error_code
binding_remove(const char *keys, struct error *error);

/** The binding of `first`, or of `first` and `second`, in a context (one bit); or NULL. */
const struct binding *
binding_find(int first, int second, unsigned context);

/** Whether a key is the first of a pair in this context. */
bool
binding_is_prefix(int key, unsigned context);

/** The bindings in their order: the user's are at the end. NULL after the last binding. */
const struct binding *
binding_at(size_t index);

/** Write the names of a binding's keys: "gg". Returns `buffer`. */
const char *
binding_label(const struct binding *binding, char buffer[BINDING_NAME_SIZE]);

/** Write the keys of a request without arguments: "s F5"; "": none. */
const char *
binding_keys(enum request request, char *buffer, size_t size);

#endif
