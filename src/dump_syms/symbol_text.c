/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump_syms/dump_syms_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"

/* Tables of names ------------------------------------------------------------------------------ */

struct text
long_names_count(struct long_names *names, struct text name, char buffer[TEXT_CUT_ROOM])
{
	if (name.length > LIMIT_NAME_CUT && names->bytes >= names->most) {
		names->cut++;
		return text_cut_sized(name, buffer);
	}
	names->bytes += name.length > LIMIT_NAME_CUT ? name.length : 0;
	return name;
}

/* Like text_table_add(), but never cut the text. */
static uint32_t
add(struct text_table *table, struct text text)
{
	uint64_t key = hash_words(HASH_START, text.start, text.length) | 1;
	uint32_t number;

	if (text.length > UINT32_MAX || table->count >= NAME_NONE - 1)
		return NAME_NONE;
	for (; number_map_find(&table->numbers, key, &number); key += 2) {
		const struct known_name *known = &table->items[number];

		if (known->length == text.length &&
		    memcmp(known->text, text.start, text.length) == 0)
			return number;
	}
	number = (uint32_t)table->count;
	const char *copy = text_copy(&table->arena, text);
	return copy != NULL &&
			       GROWN_ADD(*table,
					 &(struct known_name){ .text = copy,
							       .length = (uint32_t)text.length }) &&
			       number_map_put(&table->numbers, key, number)
		       ? number : NAME_NONE;
}

uint32_t
text_table_add(struct text_table *table, struct text text)
{
	char buffer[TEXT_CUT_ROOM];
	struct long_names counted = table->long_ones;
	const struct text shorter = long_names_count(&counted, text, buffer);
	const size_t before = table->count;
	const uint32_t number = add(table, shorter);

	/* Count only a new text. A known text needs no memory. */
	if (table->count > before)
		table->long_ones = counted;
	return number;
}

void
text_table_free(struct text_table *table)
{
	arena_free(&table->arena);
	free(table->items);
	number_map_free(&table->numbers);
	*table = (struct text_table){ 0 };
}

/* Text of records ------------------------------------------------------------------------------ */

static char *
room(struct symbol_text *text, size_t length)
{
	char *items = grown_room(text->items, text->count, length, &text->capacity, 1);

	if (items == NULL) {
		text->failed = true;
		return NULL;
	}
	text->items = items;
	return items + text->count;
}

void
symbol_text_add(struct symbol_text *text, const char *bytes, size_t length)
{
	char *to = room(text, length);

	if (to == NULL)
		return;
	memcpy(to, bytes, length);
	text->count += length;
}

void
symbol_text_string(struct symbol_text *text, const char *string)
{
	symbol_text_add(text, string, strlen(string));
}

static void
add_number(struct symbol_text *text, uint64_t value, unsigned base)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0);
	symbol_text_add(text, digits + at, sizeof(digits) - at);
}

void
symbol_text_hex(struct symbol_text *text, uint64_t value)
{
	add_number(text, value, 16);
}

void
symbol_text_decimal(struct symbol_text *text, uint64_t value)
{
	add_number(text, value, 10);
}

void
symbol_text_name(struct symbol_text *text, const char *bytes, size_t length)
{
	const struct text name = { bytes, length < LIMIT_SHOWN_NAME ? length : LIMIT_SHOWN_NAME };

	if (text_printable_length(name) == name.length) {
		symbol_text_add(text, bytes, name.length);
		return;
	}
	/* One byte becomes up to ten: \UNNNNNNNN. */
	const size_t most = 10 * name.length + 1;
	char *to = room(text, most);
	if (to != NULL)
		text->count += text_printable(to, most, name);
}
