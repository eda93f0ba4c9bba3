/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdalign.h>

#include "base/arena.h"
#include "tests/lib/tap.h"

static bool
all_zero(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

TEST(alloc)
{
	struct arena arena = { 0 };

	unsigned char *small = arena_alloc(&arena, 3);
	unsigned char *large = arena_alloc(&arena, (size_t)1 << 20);
	unsigned char *next = arena_alloc(&arena, 1);
	ok(small != NULL && all_zero(small, 3), "memory is zeroed");
	ok(large != NULL && all_zero(large, (size_t)1 << 20), "an allocation larger than a block is zeroed");
	is_u64((uintptr_t)next % alignof(max_align_t), 0, "an allocation is aligned for any type");
	memset(small, 1, 3);
	memset(large, 2, (size_t)1 << 20);
	ok(next[0] == 0 && small[2] == 1, "allocations do not overlap");
	arena_free(&arena);
	is_u64(arena.used, 0, "a freed arena is empty");
	ok(arena_alloc(&arena, 1) != NULL, "a freed arena can be used again");
	arena_free(&arena);
}

/* A text is first tried in the current block, even if it does not fit there. */
TEST(format)
{
	static char digits[2000];
	struct arena arena = { 0 };

	memset(digits, '7', sizeof(digits) - 1);
	arena_alloc(&arena, 800);
	const char *text = arena_format(&arena, "<%s>", digits);
	ok(text != NULL && strlen(text) == sizeof(digits) + 1 && text[sizeof(digits)] == '>',
	   "a text that is longer than what is free is formatted");
	arena_free(&arena);
	arena_init(&arena, 900);
	arena_alloc(&arena, 800);
	ok(arena_format(&arena, "%.150s", digits) == NULL, "a text that passes the limit is not formatted");
	const unsigned char *rest = arena_alloc(&arena, 96);
	ok(rest != NULL && all_zero(rest, 96), "a text that passes the limit leaves the memory zeroed");
	ok(arena_format(&arena, "%d", 1) == NULL, "no text fits after the limit is used");
	arena_free(&arena);
	arena_alloc(&arena, 960);
	text = arena_format(&arena, "%.63s", digits);
	rest = arena_alloc(&arena, 64);
	ok(text != NULL && strlen(text) == 63 && rest != NULL && rest[0] == 0, "a text may fill its block");
	arena_free(&arena);
}

TEST(limits)
{
	struct arena arena = { 0 };

	arena_init(&arena, 64);
	ok(arena_alloc(&arena, 48) != NULL, "an allocation within the limit succeeds");
	ok(arena_alloc(&arena, 32) == NULL, "an allocation past the limit fails");
	ok(arena_alloc(&arena, 16) != NULL, "the rest below the limit is still available");
	arena_free(&arena);
	ok(arena_array(&arena, SIZE_MAX / 2, 4) == NULL, "an array whose size wraps is refused");
	ok(arena_array(&arena, SIZE_MAX, 1) == NULL, "an array of half the address space is refused");
	ok(arena_alloc(&arena, SIZE_MAX) == NULL, "an allocation whose rounded size wraps is refused");
	arena_free(&arena);
}

TEST(grow)
{
	struct arena arena = { 0 };
	int *numbers = NULL;
	size_t count = 0, capacity = 0;
	bool kept = true;

	for (int i = 0; i < 1000; i++) {
		int *number = ARENA_PUSH(&arena, numbers, count, capacity);
		kept = kept && *number == 0;
		*number = i;
	}
	for (int i = 0; i < 1000; i++)
		kept = kept && numbers[i] == i;
	ok(kept && count == 1000, "a growing array keeps its elements, and begins each with zeros");
	ok(capacity >= 1000, "the capacity of a growing array covers its elements");
	is_str(arena_format(&arena, "%s-%d", "frame", 7), "frame-7", "texts can be formatted");
	is_str(arena_copy(&arena, "abcdef", 3), "abc", "a copy is cut and terminated");
	arena_free(&arena);
}
