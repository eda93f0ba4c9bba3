/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/bottom.h"

#include <string.h>

/* Types of the auxiliary vector (Linux, uapi/linux/auxvec.h). */
enum {
	AUXV_NULL = 0,
	AUXV_PHENT = 4,
	AUXV_PAGESZ = 6,
	AUXV_ENTRY = 9,
	AUXV_LAST = 63,			/* the kernel's highest type is 51 */
};

/* Limit of pairs in a vector; the kernel's AT_VECTOR_SIZE is under 64 everywhere. */
#define MOST_PAIRS 64u
#define PAGE_BYTES UINT64_C(4096)

/* The words of a stack from the stack pointer up. */
struct end_words {
	struct reader reader;
	uint64_t base;			/* address of the first word */
	unsigned size;			/* bytes of a word */
	uint64_t count;
};

/* The word at `index`; 0 after the last one. */
static uint64_t
word_at(const struct end_words *words, uint64_t index)
{
	uint64_t value = 0;

	/* A deep stack has many words, so the most frequent kind of dump has a fast path. */
	if (words->size == 8 && !words->reader.big_endian && index < words->count) {
		memcpy(&value, words->reader.data + index * 8, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		value = __builtin_bswap64(value);
#endif
		return value;
	}
	reader_unsigned(&words->reader, index * words->size, words->size, &value);
	return value;
}

/*
 * Finds the first word and the entry point of the vector around word `index`, which is a type.
 * False if the pairs are not a vector. The NULL below the first pair ends the environment.
 */
static bool
take_vector(const struct end_words *words, uint64_t index, const struct module_map *modules,
	    uint64_t *first, uint64_t *entry)
{
	bool page_size = false, header_size = false;
	uint64_t at = index;

	*first = index;
	*entry = 0;
	while (*first >= 2 && index - *first < (uint64_t)2 * MOST_PAIRS &&
	       word_at(words, *first - 2) - 1 < AUXV_LAST)
		*first -= 2;
	for (at = *first; at + 1 < words->count && at - *first < (uint64_t)4 * MOST_PAIRS &&
			  word_at(words, at) - 1 < AUXV_LAST; at += 2) {
		const uint64_t type = word_at(words, at), value = word_at(words, at + 1);

		if (type == AUXV_PAGESZ)
			page_size = value >= 4096 && (value & (value - 1)) == 0;
		else if (type == AUXV_PHENT)
			header_size = value == (words->size == 8 ? 56 : 32);
		else if (type == AUXV_ENTRY && module_map_find(modules, value) != MODULE_NONE)
			*entry = value;
	}
	return at + 1 < words->count && word_at(words, at) == AUXV_NULL && page_size &&
	       header_size && *entry != 0;
}

/*
 * Goes down from the vector, past NULL, the environment's pointers, NULL and the arguments'
 * pointers, to the number of arguments. If other words are there, the NULL below the vector is the
 * bottom. `*lowest` is the lowest word that was read.
 */
static uint64_t
find_argument_count(const struct end_words *words, uint64_t vector, uint64_t *lowest)
{
	uint64_t at = vector, arguments = 0;

	*lowest = at > 0 ? at - 1 : at;
	if (at == 0 || word_at(words, --at) != 0)
		return vector;
	const uint64_t fallback = at;
	while (at > 0 && word_at(words, at - 1) != 0)
		at--;
	*lowest = at > 0 ? at - 1 : at;
	if (at == 0)
		return fallback;
	for (at--; at > 0 && word_at(words, at - 1) != arguments; at--, arguments++) {
		*lowest = at - 1;
		if (word_at(words, at - 1) == 0)
			return fallback;
	}
	*lowest = at > 0 ? at - 1 : at;
	return at > 0 ? at - 1 : fallback;
}

static bool
find_arguments(const struct end_words *words, const struct module_map *modules,
	       const struct memory_view *memory, struct stack_bottom *bottom)
{
	uint64_t first, entry, lowest;

	/* Search from the top, where strings and the vector are: many frames may be below. */
	for (uint64_t at = words->count; at-- > 0;) {
		if (word_at(words, at) != AUXV_PAGESZ)
			continue;
		if (!take_vector(words, at, modules, &first, &entry)) {
			/* A run that was refused contains no vector: skip it. */
			at = first;
			continue;
		}
		const uint64_t count = find_argument_count(words, first, &lowest);
		*bottom = (struct stack_bottom){ .kind = BOTTOM_ARGUMENTS, .entry = entry,
						 .address = words->base + count * words->size };
		for (at = first; word_at(words, at) != AUXV_NULL; at += 2)
			continue;
		memory_note(memory, words->base + lowest * words->size,
			    (at + 2 - lowest) * words->size, MEMORY_READ);
		return true;
	}
	return false;
}

/* Whether words are x86's tcbhead_t: its own address before and after the thread vector. */
static bool
is_thread_head(const struct end_words *words, uint64_t at)
{
	const uint64_t address = words->base + at * words->size;

	return address % 16 == 0 && word_at(words, at) == address &&
	       word_at(words, at + 2) == address && word_at(words, at + 1) != address &&
	       word_at(words, at + 1) != 0;
}

/* Whether words describe a stack and its guard: stackblock, stackblock_size, guardsize. */
static bool
is_stack_description(const struct end_words *words, uint64_t at)
{
	const uint64_t page = PAGE_BYTES, address = words->base + at * words->size;

	if (at + 2 >= words->count)
		return false;
	const uint64_t block = word_at(words, at), size = word_at(words, at + 1);
	const uint64_t guard = word_at(words, at + 2);
	return block != 0 && block % page == 0 && size % page == 0 && size >= 4 * page &&
	       guard % page == 0 && guard < size && block + guard <= words->base &&
	       address > block && address - block < size && size - (address - block) < 4 * page;
}

void
stack_bottom_find(struct stack_bottom *bottom, const struct arch *arch,
		  const struct memory_view *memory, const struct module_map *modules, uint64_t sp)
{
	const uint64_t start = sp & ~(uint64_t)(arch->word_size - 1);
	const struct reader rest = memory_rest(memory, start);

	*bottom = (struct stack_bottom){ .kind = BOTTOM_UNKNOWN };
	const struct end_words words = { .reader = rest, .base = start, .size = arch->word_size,
					 .count = rest.size / arch->word_size };
	if (find_arguments(&words, modules, memory, bottom))
		return;
	for (uint64_t at = 0; at < words.count; at++) {
		const uint64_t word = word_at(&words, at);

		/* Most words are neither the start of a page nor their own address. */
		if (word % PAGE_BYTES != 0 && word != words.base + at * words.size)
			continue;
		if (!is_stack_description(&words, at) &&
		    !(arch->thread_head && is_thread_head(&words, at)))
			continue;
		*bottom = (struct stack_bottom){ .kind = BOTTOM_THREAD,
						 .address = words.base + at * words.size };
		memory_note(memory, bottom->address, (uint64_t)3 * words.size, MEMORY_READ);
		return;
	}
}

const char *
stack_bottom_words(const struct stack_bottom *bottom)
{
	return bottom->kind == BOTTOM_ARGUMENTS ? "the program's arguments"
						: "the block that describes the thread";
}
