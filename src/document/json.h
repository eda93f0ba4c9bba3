/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_JSON_H
#define DOCUMENT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/output.h"

/**
 * Writes JSON (RFC 8259) as a stream, without a tree in memory.
 *
 * Each writer takes the key of a member; NULL in arrays and for the document itself. Commas, line
 * ends and indentation are added automatically. Text of an input may hold any bytes: invalid UTF-8
 * becomes U+FFFD, special characters are escaped. Addresses are strings ("0x0040429e"), because
 * readers keep only 53 bits of a number.
 */
#define JSON_DEPTH 32	/* deepest nesting of a document */

struct json {
	const struct output *output;
	bool pretty;		/* a line for each member, indented by two blanks per level */
	unsigned depth;
	unsigned digits;	/* hexadecimal digits of an address in this document */
	bool filled[JSON_DEPTH + 1];	/* by level: true after the level's first value */
};

void
json_begin(struct json *json, const struct output *output, bool pretty);

/** End the document with a line feed. */
void
json_finish(struct json *json);

void
json_object(struct json *json, const char *key);

void
json_object_end(struct json *json);

void
json_array(struct json *json, const char *key);

void
json_array_end(struct json *json);

void
json_null(struct json *json, const char *key);

void
json_bool(struct json *json, const char *key, bool value);

void
json_number(struct json *json, const char *key, uint64_t value);

void
json_signed(struct json *json, const char *key, int64_t value);

/** A fraction from its hundredths: 25 is 0.25. */
void
json_fraction(struct json *json, const char *key, uint64_t percent);

/** An address or mask as a string: 0x and at least `digits` hexadecimal digits. */
void
json_hex(struct json *json, const char *key, uint64_t value, unsigned digits);

/** A string; null if `value` is NULL. */
void
json_string(struct json *json, const char *key, const char *value);

void
json_text(struct json *json, const char *key, struct text value);

/** A string; null if it is empty. */
void
json_text_or_null(struct json *json, const char *key, struct text value);

/** Whether a text is an array in JSON, nested less than JSON_DEPTH deep. */
bool
json_is_array(struct text text);

/** The value of a member of an object; false: no such member, or invalid JSON. */
bool
json_member(struct text object, const char *key, struct text *value);

/** The characters of a string that json_member has found; NULL: not a string, or out of memory. */
const char *
json_unquoted(struct text string, struct arena *arena);

/** Copy a text accepted by json_is_array, without its blanks. */
void
json_copy(struct json *json, const char *key, struct text text);

#endif
