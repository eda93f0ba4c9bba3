/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/reading_words.h"

#include <inttypes.h>
#include <string.h>

#include "walk/location.h"

/* Maximum number of shown characters of a text. */
#define MOST_TEXT 48u

static void
add_named(const struct reading_source *source, const struct reading *reading, size_t columns,
	struct row *row)
{
	const bool code = reading->kind == READING_CODE;
	const bool returns = code && reading->call == CALL_YES && columns == 0;
	const size_t last =
		columns == 0 || columns <= row->width + 1 ? 0 : columns - row->width - 1;
	struct arena arena = { 0 };

	row_add_name(row, code ? ROLE_CODE : ROLE_DATA, last,
		reading_name(source, reading, NULL, &arena));
	arena_free(&arena);
	if (code)
		row_add(row, ROLE_CODE, "%s?", returns ? ", after a call" : "");
}

/* Adds a module or a named mapping, and the distance from its base. */
static void
add_distance(const char *name, uint64_t distance, struct row *row)
{
	row_add_text(row, ROLE_DATA, text_base_name(text_of(name)));
	row_add(row, ROLE_DATA, " + 0x%" PRIx64, distance);
}

/* Adds a mapping's file name or, without one, its permissions. */
static void
add_mapping(const struct reading *reading, struct row *row)
{
	const struct mapping *mapping = reading->mapping;

	if (mapping == NULL || mapping->name[0] == '\0')
		row_add(row, ROLE_DATA, "memory");
	else
		add_distance(mapping->name, reading->value - mapping->base, row);
}

/* Adds the variable whose memory contains an address, if any. */
static void
add_variable(const struct reading_source *source, uint64_t address, const char *before,
	const char *after, struct row *row)
{
	struct arena arena = { 0 };
	size_t frame;
	const char *name = variable_places_name(source->variables, address, &arena, &frame);

	if (name != NULL) {
		row_add(row, ROLE_STACK, "%s", before);
		row_add_text(row, ROLE_STACK, text_of(name));
		row_add(row, ROLE_STACK, "%s", after);
	}
	arena_free(&arena);
}

void
reading_add_owner(const struct reading_source *source, uint64_t address,
	const struct reading *reading, struct row *row)
{
	add_variable(source, address, "", reading->kind == READING_NUMBER ? "" : ": ", row);
}

void
reading_add(const struct reading_source *source, const struct reading *reading, size_t columns,
	struct row *row)
{
	const bool minus = reading->value >= READING_SMALLER;
	const uint64_t amount = minus ? arch_wrap(source->arch, 0 - reading->value)
				      : reading->value;
	char letters[8];

	/* Kinds before READING_CODE describe the value itself. */
	if (source->crash->redacted && reading->kind < READING_CODE)
		return;
	switch (reading->kind) {
	case READING_ZERO:
	case READING_SMALL:
		/* The row has the hexadecimal word. Below 10, the decimal number is the same. */
		row_add(row, ROLE_DIM, "%s%s%" PRIu64, amount < 10 ? "" : "decimal ",
			minus ? "-" : "", amount);
		break;
	case READING_PATTERN:
		row_add(row, ROLE_CHANGED, "%s?", reading->words);
		break;
	case READING_TEXT:
		row_add(row, ROLE_DATA, "\"%.*s\"",
			(int)reading_letters(source, reading->value, letters), letters);
		break;
	case READING_CODE:
	case READING_DATA:
		add_named(source, reading, columns, row);
		break;
	case READING_UNLOADED:
		add_distance(source->crash->unloaded[reading->module].code_file,
			reading->value - source->crash->unloaded[reading->module].base, row);
		row_add(row, ROLE_DATA, ", unloaded");
		break;
	case READING_STACK:
		row_add(row, ROLE_STACK, "into the stack");
		add_variable(source, reading->value, ": ", "", row);
		break;
	case READING_THREAD:
		row_add(row, ROLE_STACK, "stack of thread %zu", reading->thread);
		break;
	case READING_MEMORY:
		add_mapping(reading, row);
		break;
	case READING_MAPPED:
		add_mapping(reading, row);
		row_add(row, ROLE_DIM, ", not in the dump");
		break;
	default:
		break;
	}
}

/* The length in bytes of the UTF-8 text at the beginning; 0: not a text, or it has no end. */
static size_t
narrow_length(const struct reader *bytes, bool *whole)
{
	size_t length = 0, characters = 0;
	uint32_t character;

	while (length < bytes->size && bytes->data[length] != 0 && length < MOST_TEXT) {
		const size_t left = bytes->size - length < 4 ? (size_t)(bytes->size - length) : 4;
		const size_t step =
			text_decode((const char *)bytes->data + length, left, &character);

		if (step == 0 || character == 0x7f ||
		    (character < ' ' && memchr("\t\n\r", (int)character, 3) == NULL))
			return 0;
		length += step;
		characters++;
	}
	*whole = length < bytes->size && bytes->data[length] == 0;
	return characters >= READING_LEAST_TEXT && (*whole || length >= MOST_TEXT) ? length : 0;
}

/* The length of an ASCII text in UTF-16; 0: not a text. Non-ASCII units may be numbers. */
static size_t
wide_length(const struct reader *bytes, bool *whole)
{
	size_t length = 0;
	uint16_t unit = 0;

	while (reader_u16(bytes, 2 * length, &unit) && unit >= ' ' && unit <= '~' &&
		length < MOST_TEXT)
		length++;
	*whole = length < MOST_TEXT;
	return length >= READING_LEAST_TEXT && (unit == 0 || !*whole) ? length : 0;
}

static bool
add_string(const struct reader *bytes, struct row *row)
{
	char letters[MOST_TEXT + 4];
	bool whole = true, wide = false;
	size_t length = narrow_length(bytes, &whole);
	uint16_t unit;

	if (length > 0) {
		memcpy(letters, bytes->data, length);
	} else {
		length = wide_length(bytes, &whole);
		wide = length > 0;
		for (size_t i = 0; i < length && reader_u16(bytes, 2 * i, &unit); i++)
			letters[i] = (char)unit;
	}
	if (length == 0)
		return false;
	row_add(row, ROLE_DATA, "%s\"", wide ? "L" : "");
	row_add_text(row, ROLE_DATA, (struct text){ letters, length });
	row_add(row, ROLE_DATA, "%s", whole ? "\"" : "\"...");
	return true;
}

/* Whether a symbol names the data; the name of a vtable is more useful than its first function. */
static bool
has_name(const struct reading_source *source, const struct reading *reading)
{
	struct arena arena = { 0 };
	bool named;

	reading_name(source, reading, &named, &arena);
	arena_free(&arena);
	return named;
}

void
reading_add_chain(
	const struct reading_source *source, const struct reading *reading, struct row *row)
{
	struct reading at = *reading;
	uint8_t copy[2 * MOST_TEXT];
	uint64_t value;

	if (source->crash->redacted)
		return;
	for (unsigned hop = 0; at.kind >= READING_DATA; hop++) {
		struct reader bytes = memory_rest(source->memory, at.value);

		/* Dumps often lack constants. The module's file has them. */
		if (bytes.size == 0)
			bytes = (struct reader){
				.data = copy,
				.size = binaries_read(source->binaries, at.value, copy,
					sizeof(copy), NULL),
				.big_endian = source->memory->big_endian,
			};
		if (bytes.size < reading_word_size(source))
			return;
		row_add(row, ROLE_DIM, hop == 0 ? " -> " : "-> ");
		if (add_string(&bytes, row))
			return;
		reader_unsigned(&bytes, 0, reading_word_size(source), &value);
		bool ends = value == at.value || hop + 1 == READING_HOPS;
		at = reading_of(source, value);
		if (at.kind == READING_DATA)
			ends |= has_name(source, &at);
		/* Follow a pointer to another pointer; describe only the last value. */
		if (at.kind < READING_DATA || ends ||
			memory_run_of(source->memory, value) == NULL) {
			if (at.kind == READING_SMALL && value < READING_SMALLER)
				row_add(row, ROLE_NORMAL, value < 10 ? "%" PRIx64 : "0x%" PRIx64,
					value);
			else if (at.kind == READING_NUMBER)
				row_add(row, ROLE_NORMAL, "%0*" PRIx64,
					(int)reading_word_size(source) * 2, value);
			else
				reading_add(source, &at, 0, row);
			return;
		}
	}
}
