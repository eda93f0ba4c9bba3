/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mutators that follow the formats of minidumps and symbol files. */

#include "base/compiler.h"
#include "symbols/records.h"
#include "tests/differential/chance.h"
#include "tests/fuzz/harness.h"

/* Minidumps (minidumpapiset.h): a header of 32 bytes, a directory of 12 bytes an entry. */
#define HEADER 32u
#define ENTRY 12u

static uint32_t
word_at(const uint8_t *bytes, size_t at)
{
	uint32_t word;

	memcpy(&word, bytes + at, sizeof(word));
	return word;
}

static void
put_word(uint8_t *bytes, size_t size, size_t at, uint32_t word)
{
	if (at <= size && size - at >= sizeof(word))
		memcpy(bytes + at, &word, sizeof(word));
}

/* A new value for a count, a size or an offset. */
static uint32_t
other_word(struct chance *chance, uint32_t old, size_t size)
{
	const uint32_t values[] = {
		0, 1, UINT32_MAX, 1u << 31, UINT32_MAX >> 1, old + 1, old - 1, old * 2, (uint32_t)size, (uint32_t)size - 1,
		(uint32_t)size + 1, (uint32_t)size - old, (uint32_t)chance_below(chance, size + 1), (uint32_t)chance_next(chance),
	};

	return values[chance_below(chance, ARRAY_COUNT(values))];
}

/* The offset of a random entry of the directory; of the header if there are no entries. */
static size_t
pick_entry(struct chance *chance, const uint8_t *bytes, size_t size)
{
	const uint32_t count = word_at(bytes, 8), start = word_at(bytes, 12);
	const size_t at = start + chance_below(chance, count < 64 ? count : 64) * ENTRY;

	return at + ENTRY <= size ? at : 0;
}

/* Change an entry: give it the type of another one, or another size or place. */
static void
change_entry(struct chance *chance, uint8_t *bytes, size_t size)
{
	const size_t entry = pick_entry(chance, bytes, size),
		     other = pick_entry(chance, bytes, size);
	const size_t field = entry + 4 * chance_below(chance, 3);
	uint8_t kept[ENTRY];

	switch (chance_below(chance, 4)) {
	case 0:
		put_word(bytes, size, field, word_at(bytes, other + (field - entry)));
		break;
	case 1:
		memcpy(kept, bytes + entry, ENTRY);
		memmove(bytes + entry, bytes + other, ENTRY);
		memcpy(bytes + other, kept, ENTRY);
		break;
	default:
		put_word(bytes, size, field, other_word(chance, word_at(bytes, field), size));
	}
}

/* Change a word of a stream: its count, or another word. */
static void
change_stream(struct chance *chance, uint8_t *bytes, size_t size)
{
	const size_t entry = pick_entry(chance, bytes, size);
	const uint32_t length = word_at(bytes, entry + 4), start = word_at(bytes, entry + 8);
	const size_t at = start + (chance_percent(chance, 30) ? 0 : chance_below(chance, length / 4 + 1) * 4);

	if (at + 4 <= size)
		put_word(bytes, size, at, other_word(chance, word_at(bytes, at), size));
}

/* Change a word of a size and offset that lie within the file, as in pointers to structures. */
static void
change_pointer(struct chance *chance, uint8_t *bytes, size_t size)
{
	const size_t words = size / 4, from = (size_t)chance_below(chance, words);

	for (size_t i = 0; i < words; i++) {
		const size_t at = (from + i) % words * 4;
		if (at + 8 > size)
			continue;
		const uint32_t length = word_at(bytes, at), start = word_at(bytes, at + 4);
		if (length > 0 && start >= HEADER && start < size && length <= size - start) {
			const size_t field = at + 4 * chance_below(chance, 2);
			put_word(bytes, size, field, other_word(chance, word_at(bytes, field), size));
			return;
		}
	}
}

/* Copy a run of bytes to another place. */
static void
copy_run(struct chance *chance, uint8_t *bytes, size_t size)
{
	const size_t from = (size_t)chance_below(chance, size),
		     to = (size_t)chance_below(chance, size);
	size_t length = (size_t)chance_below(chance, 128);

	length = length < size - from ? length : size - from;
	length = length < size - to ? length : size - to;
	memmove(bytes + to, bytes + from, length);
}

size_t
mutate_minidump(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
	static void (*const changes[])(struct chance *, uint8_t *, size_t) = {
		change_entry, change_stream, change_stream, change_pointer, change_pointer, copy_run,
	};
	struct chance chance = chance_of(seed, 1);

	if (size < HEADER || room < size)
		return size;
	memcpy(bytes, "MDMP", 4);
	for (uint64_t count = 1 + chance_below(&chance, 3); count > 0; count--)
		changes[chance_below(&chance, ARRAY_COUNT(changes))](&chance, bytes, size);
	return size;
}

size_t
mutate_command(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
	return size > HEADER && memcmp(bytes + 1, "MDMP", 4) == 0 ? 1 + mutate_minidump(bytes + 1, size - 1, room - 1, seed)
	       : size > 1 ? 1 + mutate_symbols(bytes + 1, size - 1, room - 1, seed) : size;
}

/* Symbol files: lines of fields ---------------------------------------------------------------- */

struct edited {
	uint8_t *bytes;
	size_t size, room;
};

/* Replace `length` bytes at `at` by others, if there is room. */
static void
replace(struct edited *edited, size_t at, size_t length, const void *by, size_t count)
{
	if (count > length && count - length > edited->room - edited->size)
		return;
	memmove(edited->bytes + at + count, edited->bytes + at + length, edited->size - at - length);
	memcpy(edited->bytes + at, by, count);
	edited->size = edited->size - length + count;
}

/* The offset of a random line, and its length with its line feed. */
static size_t
pick_line(struct chance *chance, const struct edited *edited, size_t *length)
{
	size_t at = (size_t)chance_below(chance, edited->size);

	while (at > 0 && edited->bytes[at - 1] != '\n')
		at--;
	const uint8_t *end = memchr(edited->bytes + at, '\n', edited->size - at);
	*length = end != NULL ? (size_t)(end - (edited->bytes + at)) + 1 : edited->size - at;
	return at;
}

/* Delete, double, move or shorten a line. */
static void
change_line(struct chance *chance, struct edited *edited)
{
	uint8_t copy[512];
	size_t length, other;
	const size_t at = pick_line(chance, edited, &length);
	const size_t to = pick_line(chance, edited, &other);
	const size_t kept = length < sizeof(copy) ? length : sizeof(copy);
	const size_t cut = (size_t)chance_below(chance, length);

	memcpy(copy, edited->bytes + at, kept);
	switch (chance_below(chance, 4)) {
	case 0:
		replace(edited, at, length, "", 0);
		break;
	case 1:
		replace(edited, at, 0, copy, kept);
		break;
	case 2:
		replace(edited, to, 0, copy, kept);
		break;
	default:
		replace(edited, at + cut, length - cut, "\n", 1);
	}
}

/* The offset of a random field of a line. */
static size_t
pick_field(struct chance *chance, const struct edited *edited, size_t *length)
{
	size_t line;
	size_t at = pick_line(chance, edited, &line);
	const size_t end = at + line;

	for (uint64_t skip = chance_below(chance, 12); skip > 0; skip--) {
		const uint8_t *blank = memchr(edited->bytes + at, ' ', end - at);
		if (blank == NULL)
			break;
		at = (size_t)(blank - edited->bytes) + 1;
	}
	for (*length = 0; at + *length < end && edited->bytes[at + *length] > ' ';)
		++*length;
	return at;
}

/* Replace a field by another one, by a number at a limit, or by a word of the format. */
static void
change_field(struct chance *chance, struct edited *edited)
{
	static const char *const others[] = {
		"0", "1", "-1", "ffffffff", "80000000", "7fffffff", "ffffffffffffffff", "8000000000000000", "10000000000000000",
		"4294967295", "m", "", " ", "^", "=", "+", "@", ".cfa:", ".ra:", "$rsp", "$eip", "\t", "\r",
	};
	uint8_t copy[64];
	size_t length, other;
	const size_t at = pick_field(chance, edited, &length);

	if (chance_percent(chance, 50)) {
		const char *text = others[chance_below(chance, ARRAY_COUNT(others))];
		replace(edited, at, length, text, strlen(text));
	} else {
		const size_t from = pick_field(chance, edited, &other);
		other = other < sizeof(copy) ? other : sizeof(copy);
		memcpy(copy, edited->bytes + from, other);
		replace(edited, at, length, copy, other);
	}
}

/* Replace the first words of a record by those of another kind. */
static void
change_kind(struct chance *chance, struct edited *edited)
{
	const struct record_form *form = &record_forms[chance_below(chance, SYMBOL_KIND_COUNT)];
	size_t length;
	const size_t at = pick_line(chance, edited, &length);
	const uint8_t *blank = memchr(edited->bytes + at, ' ', length);

	if (form->name != NULL)
		replace(edited, at, blank != NULL ? (size_t)(blank - edited->bytes) - at : 0, form->name, form->name_length);
}

size_t
mutate_symbols(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
	static void (*const changes[])(struct chance *, struct edited *) = {
		change_line, change_line, change_field, change_field, change_kind,
	};
	struct edited edited = { bytes, size, room };
	struct chance chance = chance_of(seed, 2);

	for (uint64_t count = 1 + chance_below(&chance, 4); count > 0 && edited.size > 0; count--)
		changes[chance_below(&chance, ARRAY_COUNT(changes))](&chance, &edited);
	return edited.size;
}
