/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump_syms/dump_syms_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"

/* Tables of names ------------------------------------------------------------------------------ */

static bool
grow(struct text_table *table)
{
	const size_t size = table->size == 0 ? 1024 : 2 * table->size;
	uint32_t *slots = calloc(size, sizeof(*slots));

	if (slots == NULL)
		return false;
	for (size_t i = 0; i < table->count; i++) {
		size_t at = table->items[i].hash & (size - 1);

		while (slots[at] != 0)
			at = (at + 1) & (size - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(table->slots);
	table->slots = slots;
	table->size = size;
	return true;
}

bool
long_names_full(const struct long_names *names, struct text name)
{
	return name.length > LIMIT_NAME_CUT && names->bytes >= names->most;
}

struct text
long_names_count(struct long_names *names, struct text name, char buffer[TEXT_CUT_ROOM])
{
	if (long_names_full(names, name)) {
		names->cut++;
		return text_cut_sized(name, buffer);
	}
	names->bytes += name.length > LIMIT_NAME_CUT ? name.length : 0;
	return name;
}

/* text_table_add() of a text of any length. */
static uint32_t
add(struct text_table *table, struct text text)
{
	const uint64_t whole = hash_words(HASH_START, text.start, text.length);
	const uint32_t hash = (uint32_t)(whole ^ whole >> 32);
	size_t at;

	if ((2 * (table->count + 1) > table->size && !grow(table)) || text.length > UINT32_MAX ||
	    table->count >= NAME_NONE - 1)
		return NAME_NONE;
	for (at = hash & (table->size - 1); table->slots[at] != 0;
	     at = (at + 1) & (table->size - 1)) {
		const struct known_name *known = &table->items[table->slots[at] - 1];

		if (known->hash == hash && known->length == text.length &&
		    memcmp(known->text, text.start, text.length) == 0)
			return table->slots[at] - 1;
	}
	const char *copy = arena_copy(&table->arena, text.start, text.length);
	struct known_name *added = copy != NULL ? GROWN_PUSH(*table) : NULL;
	if (added == NULL)
		return NAME_NONE;
	*added = (struct known_name){ copy, (uint32_t)text.length, hash };
	table->slots[at] = (uint32_t)table->count;
	return table->slots[at] - 1;
}

uint32_t
text_table_add(struct text_table *table, struct text text)
{
	char buffer[TEXT_CUT_ROOM];
	struct long_names counted = table->long_ones;
	const struct text shorter = long_names_count(&counted, text, buffer);
	const size_t before = table->count;
	const uint32_t number = add(table, shorter);

	/* A known text takes no memory. */
	if (table->count > before)
		table->long_ones = counted;
	return number;
}

void
text_table_free(struct text_table *table)
{
	arena_free(&table->arena);
	free(table->items);
	free(table->slots);
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
