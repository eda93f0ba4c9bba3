/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/core.h"

#include <string.h>

#include "base/sorted.h"

/*
 * Find the arguments and the environment of a process in an ELF core's memory. The end of the first
 * thread's stack has, from lower to higher addresses: the number of arguments, their pointers,
 * NULL, the environment's pointers, NULL, the auxiliary vector (NT_AUXV is a copy), and the strings
 * in the order of the pointers. Source: Linux fs/binfmt_elf.c, create_elf_tables.
 */

#define VECTOR_MOST 1024u	/* bytes of a vector: 64 pairs */
#define PLACES_MOST 64u		/* misaligned copies of the vector that are skipped */

/* The bytes of the vector in the note, with the AT_NULL that ends it; 0: the core has no vector. */
static size_t
vector_size(const struct reader *note, unsigned word)
{
	uint64_t type = 1, at = 0;

	while (type != 0 && at < VECTOR_MOST && reader_unsigned(note, at, word, &type))
		at += 2 * word;
	return type == 0 && at <= note->size ? (size_t)at : 0;
}

/* The offset of the vector in the stack's bytes; false: not found. */
static bool
find_vector(const struct reader *stack, const struct reader *note, unsigned word, uint64_t *vector)
{
	const size_t size = vector_size(note, word);
	const uint8_t *end = stack->data + stack->size, *at = stack->data;

	for (unsigned i = 0; size > 0 && i < PLACES_MOST; i++, at++) {
		at = memmem(at, (size_t)(end - at), note->data, size);
		if (at == NULL)
			return false;
		*vector = (uint64_t)(at - stack->data);
		if (*vector % word == 0)
			return true;
	}
	return false;
}

/*
 * Adds strings as a stream. Their pointers end below the stack offset `*end`. Sets `*end` to the
 * offset of the first pointer. A program may have changed its pointers: if they do not ascend, or
 * point outside the stack, no stream is added.
 */
static void
add_strings(struct minidump *minidump, const struct memory_region *region,
	    const struct reader *stack, uint64_t *end, bool counted, struct stream stream)
{
	const unsigned word = core_word(minidump->crash);
	uint64_t first = 0, last = 0, value, count = 0;
	bool good = true;

	for (; *end >= word && reader_unsigned(stack, *end - word, word, &value) &&
	       (counted ? value != count : value != 0); *end -= word, count++) {
		good = good && value - region->base < stack->size && (count == 0 || value < first);
		first = value;
		last = count == 0 ? value : last;
	}
	if (!good || count == 0 || *end < word)
		return;
	const uint64_t begin = first - region->base, skip = last - region->base;
	const uint8_t *nul = memchr(stack->data + skip, '\0', (size_t)(stack->size - skip));
	if (nul == NULL)
		return;
	stream.offset = region->offset + begin;
	stream.size = (uint64_t)(nul + 1 - stack->data) - begin;
	stream.place = reader_place(stack, *end, count * word);
	stream.decoded = true;
	core_add_stream(minidump, stream);
}

void
core_find_strings(struct minidump *minidump)
{
	const struct crash *crash = minidump->crash;
	const uint64_t name = minidump->core->program_name;
	const unsigned word = core_word(crash);
	const size_t upto = sorted_upto(SORTED(crash->regions, crash->region_count, base), name);
	struct reader note, stack;
	uint64_t at, null;

	if (name == 0 || upto == 0 || !crash_stream_bytes(crash, CORE_AUXV, &note))
		return;
	const struct memory_region *region = &crash->regions[upto - 1];
	if (!crash_bytes(crash, region->offset, region->available, &stack) ||
	    !find_vector(&stack, &note, word, &at) || at < word)
		return;
	at -= word;
	if (!reader_unsigned(&stack, at, word, &null) || null != 0)
		return;
	add_strings(minidump, region, &stack, &at, false,
		    (struct stream){ .type = CORE_ENVIRONMENT, .name = "environment" });
	at -= at >= word ? word : 0;
	add_strings(minidump, region, &stack, &at, true,
		    (struct stream){ .type = CORE_ARGUMENTS, .name = "arguments" });
}
