/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 << 10)
#define FIRST_BLOCK 1024u

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	alignas(max_align_t) unsigned char bytes[];
};

void
arena_init(struct arena *arena, size_t limit)
{
	*arena = (struct arena){ .limit = limit };
}

void
arena_free(struct arena *arena)
{
	while (arena->blocks != NULL) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	arena->used = 0;
}

void
arena_reset(struct arena *arena)
{
	struct arena_block *kept = arena->blocks;

	if (kept == NULL)
		return;
	arena->blocks = kept->next;
	kept->next = NULL;
	arena_free(arena);
	if (kept->size > BLOCK_SIZE) {
		free(kept);
		return;
	}
	memset(kept->bytes, 0, kept->used);
	kept->used = 0;
	arena->blocks = kept;
}

static struct arena_block *
add_block(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->blocks;

	/* The first block is small: tens of thousands of walks may have an arena each. */
	size_t room = block == NULL ? FIRST_BLOCK : block->size * 2;
	if (room > BLOCK_SIZE)
		room = BLOCK_SIZE;
	if (room < size)
		room = size;
	block = calloc(1, sizeof(*block) + room);
	if (block == NULL)
		return NULL;
	block->size = room;
	/* A separate block for a large piece must not hide the block that is still being filled. */
	if (size > BLOCK_SIZE && arena->blocks != NULL) {
		block->next = arena->blocks->next;
		arena->blocks->next = block;
	} else {
		block->next = arena->blocks;
		arena->blocks = block;
	}
	return block;
}

void *
arena_alloc(struct arena *arena, size_t size)
{
	const size_t align = alignof(max_align_t);

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + align - 1) / align * align;
	if (arena->limit != 0 && size > arena->limit - arena->used)
		return NULL;
	struct arena_block *block = arena->blocks;
	if (block == NULL || size > block->size - block->used)
		block = add_block(arena, size);
	if (block == NULL)
		return NULL;
	void *bytes = block->bytes + block->used;
	block->used += size;
	arena->used += size;
	return bytes;
}

void *
arena_array(struct arena *arena, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / 2 / size)
		return NULL;
	return arena_alloc(arena, count * size);
}

char *
arena_copy(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_array(arena, length + 1, 1);

	if (copy != NULL && length != 0)
		memcpy(copy, text, length);
	return copy;
}

char *
arena_string(struct arena *arena, const char *string)
{
	return arena_copy(arena, string, strlen(string));
}

char *
arena_format(struct arena *arena, const char *format, ...)
{
	struct arena_block *block = arena->blocks;
	const size_t room = block != NULL ? block->size - block->used : 0;
	char *free_bytes = room > 0 ? (char *)block->bytes + block->used : NULL;
	va_list arguments;

	/* Format in place: the text nearly always fits, and measuring is slower. */
	va_start(arguments, format);
	const int length = vsnprintf(free_bytes, room, format, arguments);
	va_end(arguments);
	char *text = length < 0 ? NULL : arena_array(arena, (size_t)length + 1, 1);
	if (text != NULL && text == free_bytes)
		return text;
	if (room > 0)
		memset(free_bytes, 0, length >= 0 && (size_t)length < room ? (size_t)length : room);
	if (text == NULL)
		return NULL;
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return text;
}

void *
arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	size_t wanted = *capacity == 0 ? 8 : *capacity * 2;
	void *larger = arena_array(arena, wanted, size);
	if (larger == NULL)
		return NULL;
	if (count != 0)
		memcpy(larger, array, count * size);
	*capacity = wanted;
	return larger;
}

void *
arena_push(struct arena *arena, void *items, size_t *count, size_t *capacity, size_t size)
{
	char *array;

	memcpy(&array, items, sizeof(array));
	array = arena_grow(arena, array, *count, capacity, size);
	if (array == NULL)
		return NULL;
	memcpy(items, &array, sizeof(array));
	return memset(array + (*count)++ * size, 0, size);
}

bool
arena_add(struct arena *arena, void *items, size_t *count, size_t *capacity, size_t size,
	  const void *value)
{
	void *added = arena_push(arena, items, count, capacity, size);

	if (added != NULL)
		memcpy(added, value, size);
	return added != NULL;
}
