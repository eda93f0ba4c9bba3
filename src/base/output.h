/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/text.h"

struct user_names;

/**
 * A destination for documents: the caller decides where the bytes go.
 *
 * Reports use no files and no terminals. Bytes come in pieces of any size and in order.
 *
 * Text of an input must reach an output through output_text(), a row or a JSON string. These make
 * control characters, direction marks and invalid UTF-8 visible, and replace user names before they
 * cut a text. The table of user names belongs to the output. Code that reads full paths
 * (crash_learn_names, symbol_at) adds names to the table, because a printer may have only the last
 * part of a path. The model keeps the real paths, because it needs them to find files.
 */
struct output {
	void (*write)(void *context, const char *bytes, size_t length);
	void *context;
	struct user_names *names;	/* user names to replace in text of an input; NULL: none */
	/* The terminal's number of colours, for the roles of rows; 0: none; NULL: no terminal */
	const unsigned *colors;
};

/** Write formatted text of the program; it must not contain bytes of an input. */
void
output_format(const struct output *output, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Write a fixed text, or a number, faster than output_format(). */
void
output_plain(const struct output *output, const char *text);

void
output_decimal(const struct output *output, uint64_t value);

/**
 * Write bytes of an input; make everything unsafe for a terminal visible, and replace user names
 * if the output has a table of them.
 */
void
output_text(const struct output *output, struct text text);

/**
 * Write formatted text and a line feed. The text may hold bytes of an input; they are made safe as
 * by output_text().
 */
void
output_line(const struct output *output, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Like output_text(), but drops `|` and line feeds, the separators of Breakpad's format. */
void
output_field(const struct output *output, struct text text);

/** An output whose bytes become a terminated string in an arena. */
struct output_string {
	struct output output;
	struct arena *arena;
	char *text;
	size_t length, capacity;
};

/** Make `string` empty; its `output` appends to it. */
void
output_string_init(struct output_string *string, struct arena *arena);

#endif
