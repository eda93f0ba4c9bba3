/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_HEAP_H
#define CRASH_HEAP_H

#include "crash/memory.h"

/**
 * The heap of glibc: its arenas, their chunks, and the lists of free chunks (glibc, malloc/malloc.c
 * and malloc/arena.c, 2.26 to 2.41).
 *
 * A chunk begins with two words: the size of the previous chunk (valid only if that chunk is free),
 * and its own size with three flags. The program's bytes follow. A chunk does not record its state,
 * so all lists of the arenas and of the threads' caches are read first. A part of the memory is
 * used only if its chunks lead from its first byte to the arena's top chunk.
 */
enum heap_state {
	HEAP_IN_USE,
	HEAP_MAPPED,			/* in use, in a mapping of its own */
	HEAP_TCACHE,
	HEAP_FAST,
	HEAP_UNSORTED,
	HEAP_SMALL,
	HEAP_LARGE,
	HEAP_TOP,
	HEAP_UNLISTED,			/* the next chunk says it is free, but no list has it */
	HEAP_STATES
};

/** Words for the states: "free, in a fastbin". */
extern const char *const heap_state_words[HEAP_STATES];

struct heap_layout;

struct heap_arena {
	uint64_t address, top;
	uint64_t bins;			/* address of the first bin's links */
};

/** Memory with the chunks of one arena, without gaps. */
struct heap_part {
	uint64_t begin, end;		/* first chunk; end of the last chunk */
	size_t arena;
	uint64_t damaged;		/* first chunk whose size cannot be true; 0: none */
};

struct heap_free {
	uint64_t chunk;
	enum heap_state state;
	uint64_t list;			/* address of the bin, or of the cache */
	uint32_t bin, position;		/* index of the bin; position in the list, from 0 */
};

struct heap {
	const struct memory_view *memory;
	unsigned word;			/* bytes of a word */
	unsigned version;		/* glibc 2.`version` by its file; 0: unknown */
	const struct heap_layout *layout;
	bool by_symbol;			/* main arena found by its symbol, not by its structure */
	const char *library;		/* the module's file name; untrusted */
	struct heap_arena *arenas;	/* the main arena first */
	size_t arena_count, arena_capacity;
	struct heap_part *parts;	/* sorted by address */
	size_t part_count, part_capacity;
	struct heap_free *frees;	/* sorted by chunk */
	size_t free_count, free_capacity;
	uint64_t *caches;		/* addresses of the threads' caches */
	size_t cache_count, cache_capacity;
	size_t broken_lists;		/* lists that end at a chunk that cannot be in them */
	uint64_t key;			/* private: the random key, once two chunks have it */
	uint64_t budget;		/* private: number of chunks that may still be read */
	struct arena *arena;
};

struct heap_chunk {
	uint64_t address;		/* its header; the program's bytes begin after two words */
	uint64_t size;			/* bytes, including the header */
	enum heap_state state;
	const struct heap_part *part;	/* NULL if HEAP_MAPPED */
	const struct heap_free *free;	/* its entry; NULL: in no list */
};

/**
 * Read the heap of a process. The caller sets `memory`, `word`, `version`, `library` and `arena`,
 * and the rest to 0. `base` and `size` describe the library's image. `main_arena` is the address of
 * that variable; 0: search the image for its structure. False if no consistent main arena was
 * found, or when out of memory.
 */
bool
heap_read(struct heap *heap, uint64_t base, uint64_t size, uint64_t main_arena);

/** The chunk that contains the byte at `address`, perhaps in its size field. False: unknown. */
bool
heap_chunk_at(const struct heap *heap, uint64_t address, struct heap_chunk *chunk);

/** The part that contains `address`, if a chunk at or before `address` is damaged; else NULL. */
const struct heap_part *
heap_damaged_at(const struct heap *heap, uint64_t address);

/** The address of the program's first byte in a chunk. */
uint64_t
heap_user(const struct heap *heap, uint64_t chunk);

/** The versions of glibc with this heap's layout: "2.36", or "2.34 to 2.41". */
struct short_text
heap_versions(const struct heap *heap);

/** The second word that free() gave to a chunk in a thread's cache; 0: none, or unknown. */
uint64_t
heap_key_of(const struct heap *heap, const struct heap_free *entry);

#endif
