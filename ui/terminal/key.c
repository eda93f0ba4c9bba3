/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/terminal/key.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/text.h"

static const struct {
	const char *name, *bytes;
} keys[] = {
#define K(id, name, curses, bytes) { name, bytes },
#include "ui/terminal/key.def"
#undef K
};

static const char *
special_name(int key)
{
	return key > TERM_KEY_FIRST && key < TERM_KEY_LAST ? keys[key - TERM_KEY_FIRST - 1].name
							   : NULL;
}

int
key_parse(const char *name, size_t length)
{
	struct text text = { name, length };
	uint32_t character;

	if (text_is(text, "Space"))
		return ' ';
	for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
		if (text_is(text, keys[i].name))
			return TERM_KEY_FIRST + 1 + (int)i;
	if (length == 3 && name[0] == 'C' && name[1] == '-' && name[2] >= 'a' && name[2] <= 'z')
		return TERM_KEY_CONTROL(name[2]);
	if (length != 0 && text_decode(name, length, &character) == length && character > ' ' &&
	    text_printable_length(text) == length)
		return (int)character;
	return TERM_KEY_NONE;
}

const char *
key_label(int key, char buffer[KEY_NAME_SIZE])
{
	const char *special = special_name(key);

	buffer[0] = '\0';
	if (special != NULL)
		snprintf(buffer, KEY_NAME_SIZE, "%s", special);
	else if (key == ' ')
		snprintf(buffer, KEY_NAME_SIZE, "Space");
	else if (key >= 1 && key <= 26)
		snprintf(buffer, KEY_NAME_SIZE, "C-%c", 'a' + key - 1);
	else if (key > ' ' && key < TERM_KEY_FIRST)
		buffer[text_encode((uint32_t)key, buffer)] = '\0';
	return buffer;
}

size_t
key_bytes(int key, char *bytes)
{
	if (special_name(key) != NULL) {
		const char *sequence = keys[key - TERM_KEY_FIRST - 1].bytes;

		memcpy(bytes, sequence, strlen(sequence));
		return strlen(sequence);
	}
	return key > 0 && key < TERM_KEY_FIRST ? text_encode((uint32_t)key, bytes) : 0;
}
