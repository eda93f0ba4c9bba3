/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/memory_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "symbols/fields.h"

/* Sets the bytes to find to those of a text. */
static const char *
take_text(struct memory_find *find, struct text text, bool wide)
{
	const bool big = find->around->memory.big_endian;
	size_t at = 0;

	find->step = 1;
	while (at < text.length) {
		uint32_t character = (uint8_t)text.start[at];
		size_t length = text_decode(text.start + at, text.length - at, &character);
		uint16_t units[2];
		size_t count = 1;

		length = length == 0 ? 1 : length;
		if (find->size + (!wide ? length : character < 0x10000 ? 2 : 4) > MEMORY_FIND_BYTES)
			return "the text is too long: the maximum is 1024 bytes";
		if (!wide) {
			memcpy(find->bytes + find->size, text.start + at, length);
			find->size += length;
			at += length;
			continue;
		}
		units[0] = (uint16_t)character;
		if (character >= 0x10000) {
			units[0] = (uint16_t)(0xd7c0 + (character >> 10));
			units[1] = (uint16_t)(0xdc00 | (character & 0x3ff));
			count = 2;
		}
		for (size_t i = 0; i < count; i++) {
			find->bytes[find->size++] = (uint8_t)(big ? units[i] >> 8 : units[i]);
			find->bytes[find->size++] = (uint8_t)(big ? units[i] : units[i] >> 8);
		}
		at += length;
	}
	return find->size == 0 ? "no text between the quotes" : NULL;
}

/* Parses bytes of two digits each, separated by blanks. False: the text has another form. */
static bool
take_bytes(struct memory_find *find, struct text text)
{
	size_t size = 0;

	for (size_t at = 0; at < text.length;) {
		if (text.start[at] == ' ') {
			at++;
			continue;
		}
		const bool ends = at + 2 == text.length || (at + 2 < text.length &&
							    text.start[at + 2] == ' ');
		const unsigned high = field_digits[(unsigned char)text.start[at]];
		const unsigned low = at + 1 < text.length
					     ? field_digits[(unsigned char)text.start[at + 1]] : 0;

		if (high == 0 || low == 0 || !ends || size == MEMORY_FIND_BYTES)
			return false;
		find->bytes[size++] = (uint8_t)((high & 15) << 4 | (low & 15));
		at += 2;
	}
	if (size < 2)
		return false;
	find->size = size;
	find->step = 1;
	return true;
}

static const char *
take_value(struct memory_find *find, const struct frame *frame, struct text text, bool everywhere)
{
	const struct expression expression =
		expression_of(find->around, frame, text, &find->arena);
	const size_t size = find->around->arch->word_size;

	if (expression.unnamed && memchr(text.start, '$', text.length) == NULL) {
		find->note = arena_format(&find->arena, "%s; searched as text", expression.text);
		return take_text(find, text, false);
	}
	if (!expression.known)
		return expression.text;
	reader_put_number(find->bytes, size, find->around->memory.big_endian, expression.value);
	find->size = size;
	find->step = everywhere ? 1 : (unsigned)size;
	return NULL;
}

static const char *
take_pattern(struct memory_find *find, const struct frame *frame, struct text text,
	     bool everywhere)
{
	text = text_trimmed(text);
	if (find->around->crash->redacted)
		return "process memory is omitted (--redact)";
	if (text.length == 0)
		return "expected a value, \"text\", u\"text\" or bytes";
	const bool wide = text.length > 1 && text.start[0] == 'u' && text.start[1] == '"';
	if (wide || text.start[0] == '"') {
		const struct text quoted = { text.start + wide + 1, text.length - wide - 1 };

		return quoted.length == 0 || quoted.start[quoted.length - 1] != '"'
			       ? "unterminated text: '\"' is missing"
			       : take_text(find, (struct text){ quoted.start, quoted.length - 1 },
					   wide);
	}
	if (take_bytes(find, text))
		return NULL;
	return take_value(find, frame, text, everywhere);
}

struct memory_find *
memory_find_create(struct surroundings *around, const struct frame *frame, struct text pattern,
		   bool everywhere, uint64_t from)
{
	struct memory_find *find = calloc(1, sizeof(*find));
	const struct memory_view *memory = &around->memory;

	if (find == NULL)
		return NULL;
	find->around = around;
	find->typed = text_printable_copy(&find->arena, pattern);
	find->wrong = find->typed == NULL ? OUT_OF_MEMORY
					  : take_pattern(find, frame, pattern, everywhere);
	while (find->run < memory->count &&
	       memory->runs[find->run].base + (memory->runs[find->run].size - 1) < from)
		find->run++;
	for (size_t i = find->run; i < memory->count; i++)
		find->total += memory->runs[i].size;
	find->address = find->from = from;
	find->last = UINT64_MAX;
	find->done = find->wrong != NULL || find->run == memory->count;
	return find;
}

void
memory_find_free(struct memory_find *find)
{
	if (find == NULL)
		return;
	arena_free(&find->arena);
	free(find);
}

static bool
add_hit(struct memory_find *find, uint64_t address)
{
	if (!checked_within(address, find->size - 1, find->last)) {
		find->done = true;
		return false;
	}
	if (find->count < MEMORY_FIND_HITS &&
	    ARENA_ADD(&find->arena, find->hits, find->count, find->capacity, &address))
		return true;
	find->stopped = find->done = true;
	return false;
}

/* Finds hits that begin in the `length` bytes at `first` and end in the same run. */
static void
find_within(struct memory_find *find, const struct memory_run *run, uint64_t first,
	    uint64_t length)
{
	const uint64_t begin = first - run->base;
	const uint64_t left = run->size - begin;
	const uint64_t most = checked_within(length, find->size - 1, left) ? length + find->size - 1
									    : left;
	const uint8_t *end = run->data + begin + most;

	for (const uint8_t *at = run->data + begin; !find->done;) {
		if ((size_t)(end - at) < find->size)
			return;
		const uint8_t *hit = memmem(at, (size_t)(end - at), find->bytes, find->size);
		if (hit == NULL)
			return;
		const uint64_t address = run->base + (uint64_t)(hit - run->data);
		const uint64_t over = address % find->step;
		/* Hits are at multiples of the step. */
		const uint64_t skip = find->step - over;

		if (over == 0 && !add_hit(find, address))
			return;
		if (skip > (uint64_t)(end - hit))
			return;
		at = hit + skip;
	}
}

/* Finds hits that begin in a run and end in the next one, if the two adjoin. */
static void
find_across(struct memory_find *find, const struct memory_run *run)
{
	const uint64_t end = run->base + (run->size - 1);
	uint8_t bytes[MEMORY_FIND_BYTES];

	if (find->size < 2 || end == UINT64_MAX ||
	    memory_run_of(&find->around->memory, end + 1) == NULL)
		return;
	const uint64_t back = find->size - 2 < run->size - 1 ? find->size - 2 : run->size - 1;
	uint64_t address = end - back < find->from ? find->from : end - back;
	for (; address <= end && !find->done; address++)
		if (address % find->step == 0 &&
		    memory_copy(&find->around->memory, address, bytes, find->size, NULL) ==
			    find->size &&
		    memcmp(bytes, find->bytes, find->size) == 0)
			add_hit(find, address);
}

bool
memory_find_work(struct memory_find *find, uint64_t bytes)
{
	const struct memory_view *memory = &find->around->memory;

	while (!find->done && bytes > 0) {
		const struct memory_run *run = &memory->runs[find->run];
		const uint64_t first = find->address > run->base ? find->address : run->base;
		const uint64_t left = run->size - (first - run->base);
		uint64_t part = left < bytes ? left : bytes;

		if (first > find->last)
			break;
		if (part - 1 > find->last - first)
			part = find->last - first + 1;
		find_within(find, run, first, part);
		bytes -= part;
		find->looked += part;
		find->address = first + part;
		if (part < left || find->done)
			continue;
		find_across(find, run);
		find->run++;
		find->address = 0;
		if (find->run == memory->count)
			find->done = true;
	}
	find->done = find->done || bytes > 0;
	return !find->done;
}
