/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "dump_syms/dump_syms_internal.h"

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
