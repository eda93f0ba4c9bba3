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
 * Text of an input reaches an output through output_text(), a row or a JSON string only. There
 * control characters, direction marks and invalid UTF-8 become visible, and user names are
 * replaced, before a text is cut. The table of user names belongs to the output; code that reads
 * full paths (crash_learn_names, symbol_at) adds names to it, because a printer may have only the
 * end of a path. The model keeps the real paths, by which files are found.
 */
struct output {
	void (*write)(void *context, const char *bytes, size_t length);
	void *context;
	struct user_names *names;	/* user names to replace in text of an input; NULL: none */
	/* Number of the terminal's colours, for the roles of rows; 0: none; NULL: no terminal */
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
 * Write a line: formatted text that may hold bytes of an input, made safe as by output_text(), and
 * a line feed.
 */
void
output_line(const struct output *output, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** output_text() without `|` and line feeds, which separate fields of Breakpad's machine format. */
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
