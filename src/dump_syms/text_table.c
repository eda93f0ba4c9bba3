/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump_syms/text_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"
#include "dwarf/grown.h"

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
