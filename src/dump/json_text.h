/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_JSON_TEXT_H
#define DUMP_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/**
 * JSON of other programs (RFC 8259), read from its beginning to its end. A reader consumes one
 * value; the first defect ends all readers. Values without a reader are kept as text.
 * Their brackets are only counted, so the nesting of the input costs no stack.
 */
struct json_text {
	struct arena *arena;
	const char *bytes;
	size_t size, at;
	size_t start;			/* offset of the key of the member being read */
	const char *problem;		/* NULL: none so far */
};

/** Skip blanks and take the character `c`; false: `c` does not follow. */
bool
json_text_take(struct json_text *json, char c);

/** Skip blanks; true if nothing else follows. */
bool
json_text_ends(struct json_text *json);

/** Any value as text; a string without its quotes and escapes. NULL: damaged. */
const char *
json_text_value(struct json_text *json);

/** Reads the value of a member, or of an element of an array; false ends the reading. */
typedef bool json_text_member_reader(void *state, struct json_text *json, const char *key);
typedef bool json_text_element_reader(void *state, struct json_text *json, size_t index);

/** Read the members of an object after its opening brace; false: damaged, or ended by a reader. */
bool
json_text_members(struct json_text *json, json_text_member_reader *read, void *state);

/** Read the elements of an array after its opening bracket; false as for json_text_members(). */
bool
json_text_elements(struct json_text *json, json_text_element_reader *read, void *state);

#endif
