/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/heap.h"

#include <stdio.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/sorted.h"

#define BINS 127u		/* bins 1 to 127 of malloc_state */
#define UNSORTED_BIN 1u
#define FIRST_LARGE_BIN 64u
#define CACHE_BINS 64u		/* TCACHE_MAX_BINS */
#define ALIGNMENT 16u		/* MALLOC_ALIGNMENT, since 2.26 also on i386 */
#define PAGE UINT64_C(4096)
/* Maximum size of the thread-local data before the main arena in a static program, in bytes. */
#define NEAR 0x10000u
/* Flags in the size field. */
#define PREVIOUS_IN_USE 1u
#define IS_MAPPED 2u
#define SIZE_FLAGS UINT64_C(7)
/* An arena with more than this number of damaged bins is rejected. */
#define DAMAGED_BINS 2u
/* Largest size of heap_info in bytes. */
#define INFO_BYTES 64u

const char *const heap_state_words[] = {
	[HEAP_IN_USE] = "in use",
	[HEAP_MAPPED] = "in use, in a mapping of its own",
	[HEAP_TCACHE] = "free, in a thread's cache (tcache)",
	[HEAP_FAST] = "free, in a fastbin",
	[HEAP_UNSORTED] = "free, in the unsorted bin",
	[HEAP_SMALL] = "free, in a small bin",
	[HEAP_LARGE] = "free, in a large bin",
	[HEAP_TOP] = "free, the arena's top chunk",
	[HEAP_UNLISTED] = "free by the next chunk's flag, but in no list",
};

/* The second word of a chunk in a thread's cache. */
enum heap_key {
	KEY_NONE,
	KEY_CACHE,			/* the address of the cache */
	KEY_RANDOM,			/* a random number of the process */
};

/*
 * The layouts of glibc 2.`from` to 2.`to`. `head`: bytes of malloc_state before its fastbins, for
 * words of 4 and 8 bytes. `counter`: bytes of a counter in a cache. `mangled`: safe-linking.
 */
static const struct heap_layout {
	uint8_t from, to, head[2], counter;
	enum heap_key key;
	bool mangled;
} layouts[] = {
	{ 34, 41, { 12, 16 }, 2, KEY_RANDOM, true },
	{ 32, 33, { 12, 16 }, 2, KEY_CACHE, true },
	{ 30, 31, { 12, 16 }, 2, KEY_CACHE, false },
	{ 29, 29, { 12, 16 }, 1, KEY_CACHE, false },
	{ 27, 28, { 12, 16 }, 1, KEY_NONE, false },
	{ 26, 26, { 8, 8 }, 1, KEY_NONE, false },
};

SORTED_BY(compare_parts, struct heap_part, begin)
SORTED_BY(compare_frees, struct heap_free, chunk)

/* NFASTBINS of malloc_state. */
static unsigned
fast_bins(const struct heap *heap)
{
	return heap->word == 8 ? 10 : 11;
}

static bool
word_at(const struct heap *heap, uint64_t address, uint64_t *value)
{
	return memory_read(heap->memory, address, heap->word, value, NULL);
}

/* Reads a chunk's size and flags; false: no chunk has such a size. */
static bool
size_at(const struct heap *heap, uint64_t chunk, uint64_t *size, uint64_t *flags)
{
	if (!word_at(heap, chunk + heap->word, size))
		return false;
	*flags = *size & SIZE_FLAGS;
	*size &= ~SIZE_FLAGS;
	/* On 32 bits, the size of a top chunk may be 8 more than a multiple of 16. */
	return *size >= 4 * heap->word && *size % (2 * heap->word) == 0;
}

uint64_t
heap_user(const struct heap *heap, uint64_t chunk)
{
	return chunk + 2 * heap->word;
}

/* Whether a chunk may begin at an address: its user bytes would be aligned. */
static bool
is_aligned(const struct heap *heap, uint64_t chunk)
{
	return heap_user(heap, chunk) % ALIGNMENT == 0;
}

/* The lowest address, not below `address`, at which a chunk may begin. */
static uint64_t
first_chunk(const struct heap *heap, uint64_t address)
{
	return address + (ALIGNMENT - heap_user(heap, address) % ALIGNMENT) % ALIGNMENT;
}

/* Arenas --------------------------------------------------------------------------------------- */

/* The address of bin `i` as a chunk: two words before the bin's links. */
static uint64_t
bin_at(const struct heap *heap, uint64_t bins, unsigned i)
{
	return bins + (uint64_t)(i - 1) * 2 * heap->word - 2 * heap->word;
}

/* Whether 127 bins are at `bins`: links lead back to almost all of them, and some are empty. */
static bool
are_bins(const struct heap *heap, uint64_t bins)
{
	const unsigned word = heap->word;
	unsigned damaged = 0, empty = 0;
	uint64_t next, previous, back, forth;

	for (unsigned i = 1; i <= BINS && damaged <= DAMAGED_BINS; i++) {
		const uint64_t bin = bin_at(heap, bins, i);

		if (!word_at(heap, bin + 2 * word, &next) ||
		    !word_at(heap, bin + 3 * word, &previous))
			return false;
		if (next == bin && previous == bin)
			empty++;
		else if (!word_at(heap, next + 3 * word, &back) || back != bin ||
			 !word_at(heap, previous + 2 * word, &forth) || forth != bin)
			damaged++;
	}
	return damaged <= DAMAGED_BINS && empty > 0;
}

/* Searches the image of the library for the bins of the main arena; 0: none. */
static uint64_t
find_bins(const struct heap *heap, uint64_t base, uint64_t size)
{
	const struct memory_view *memory = heap->memory;
	const unsigned word = heap->word;
	uint64_t last = 0, found = 0, searched = 0;

	for (size_t i = sorted_upto(SORTED(memory->runs, memory->count, base), base);
	     i <= memory->count; i++) {
		const struct memory_run *run = i > 0 ? &memory->runs[i - 1] : NULL;

		if (run == NULL || run->base + (run->size - 1) < base)
			continue;
		if (run->base > base && run->base - base >= size)
			break;
		for (uint64_t at = 0; at + 4 * word <= run->size; at += word) {
			const uint64_t bins = run->base + at;

			if (++searched > LIMIT_HEAP_SEARCH)
				return found;
			/* Damaged bins are allowed, so addresses just before the bins also pass. */
			if (found != 0 && bins - found > 2 * DAMAGED_BINS * word)
				return found;
			/* Chunks of a megabyte are rare, so the last bin is usually empty. */
			if (bins - base < size && word_at(heap, bins + 252 * word, &last) &&
			    last == bins + 250 * word && are_bins(heap, bins))
				found = bins;
		}
	}
	return found;
}

static uint64_t
arena_head(const struct heap *heap)
{
	return heap->layout->head[heap->word == 8] + (uint64_t)fast_bins(heap) * heap->word;
}

static uint64_t
region_of(const struct heap *heap, uint64_t address)
{
	/* Regions are aligned to HEAP_MAX_SIZE. */
	return address & ~(heap->word == 8 ? (UINT64_C(64) << 20) - 1 : (UINT64_C(1) << 20) - 1);
}

/* Collects the circular list of arenas that begins at the main arena. False: it is not circular. */
static bool
read_arenas(struct heap *heap, uint64_t bins)
{
	const uint64_t head = arena_head(heap), first = bins - 2 * heap->word - head;
	uint64_t at = first, owner;

	do {
		struct heap_arena *arena = ARENA_PUSH(heap->arena, heap->arenas,
						      heap->arena_count, heap->arena_capacity);
		if (arena == NULL || heap->arena_count > LIMIT_HEAP_ARENAS)
			return false;
		*arena = (struct heap_arena){ .address = at, .bins = at + head + 2 * heap->word };
		const uint64_t region = region_of(heap, at);
		if (at != first && (!word_at(heap, region, &owner) || owner != at ||
				    at - region > INFO_BYTES || !are_bins(heap, arena->bins)))
			return false;
		/* `next` follows 254 links and the 16 bytes of binmap. */
		if (!word_at(heap, at + head, &arena->top) ||
		    !word_at(heap, arena->bins + 2 * BINS * heap->word + 16, &at))
			return false;
	} while (at != first);
	return true;
}

/* Parts ---------------------------------------------------------------------------------------- */

/* Bytes of the chunk with a thread's cache (tcache_perthread_struct). */
static uint64_t
cache_size(const struct heap *heap)
{
	const uint64_t bytes = CACHE_BINS * (heap->layout->counter + heap->word) + heap->word;

	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/*
 * Walks from chunk to chunk up to `top`, or to the fencepost that ends a part. Collects the chunks
 * that may be caches. Returns the end; or sets `*damaged` and returns the first invalid chunk.
 */
static uint64_t
walk_chunks(struct heap *heap, uint64_t at, uint64_t top, bool *damaged)
{
	const uint64_t wanted = cache_size(heap);
	uint64_t size = 0, flags = 0;

	*damaged = false;
	while (at != top) {
		const bool good = size_at(heap, at, &size, &flags);

		if (!good && size == 2 * heap->word && flags % 2 == PREVIOUS_IN_USE)
			return at;
		if (!good || heap->budget == 0 || size > top - at || !is_aligned(heap, at)) {
			*damaged = true;
			return at;
		}
		heap->budget--;
		if (size == wanted)
			ARENA_ADD(heap->arena, heap->caches, heap->cache_count,
				  heap->cache_capacity, &(uint64_t){ heap_user(heap, at) });
		at += size;
	}
	return at;
}

/* Adds the part from the chunk at `begin` up to `top`, or up to the fencepost before `top`. */
static bool
add_part(struct heap *heap, size_t arena, uint64_t begin, uint64_t top)
{
	bool damaged;
	uint64_t size, flags;
	uint64_t end = walk_chunks(heap, begin, top, &damaged);
	const uint64_t bad = damaged ? end : 0;

	if (end == begin)
		return false;
	if (damaged)
		end = top;
	if (end == top && top == heap->arenas[arena].top) {
		const struct mapping *mapping = crash_mapping(heap->memory->crash, top);

		if (!size_at(heap, top, &size, &flags) || !checked_add(top, size, &end) ||
		    !(mapping != NULL ? checked_within(top - mapping->base, size, mapping->size)
				      : memory_peek(heap->memory, end - 1, 1, &flags, NULL)))
			return false;
	}
	return ARENA_ADD(heap->arena, heap->parts, heap->part_count, heap->part_capacity,
			 &(struct heap_part){ begin, end, arena, bad });
}

/*
 * Adds the part of the main arena, which is in the same memory as its top chunk. The part may
 * begin after thread-local data (in a static program), or at a later page after the program's data
 * (without address randomisation). Its first chunk is the cache of the first thread, so it must
 * have the size of a cache. False: no such part.
 */
static bool
add_main(struct heap *heap)
{
	const uint64_t top = heap->arenas[0].top;
	const struct memory_run *run = memory_run_of(heap->memory, top);
	const struct mapping *mapping = crash_mapping(heap->memory->crash, top);
	uint64_t size, flags;

	if (run == NULL || !is_aligned(heap, top))
		return false;
	const uint64_t base = mapping != NULL && mapping->base % PAGE == 0 ? mapping->base
									    : run->base;
	for (uint64_t at = base, tried = 0; at < top && tried < LIMIT_HEAP_SEARCH;
	     tried++, at += at - base < NEAR ? ALIGNMENT : PAGE) {
		const uint64_t begin = first_chunk(heap, at);

		if (begin < top && size_at(heap, begin, &size, &flags) &&
		    size == cache_size(heap) && flags == PREVIOUS_IN_USE &&
		    add_part(heap, 0, begin, top))
			return true;
	}
	return false;
}

/* Adds the regions (heap_info) of an arena, beginning with the region of its top chunk. */
static void
add_regions(struct heap *heap, size_t index)
{
	const struct heap_arena *arena = &heap->arenas[index];
	const uint64_t own = region_of(heap, arena->address), info = arena->address - own;
	const uint64_t after = arena->bins + 2 * BINS * heap->word + 16 + 5 * heap->word;
	uint64_t region = region_of(heap, arena->top), top = arena->top, owner, size;

	/* The regions of hostile dumps form a cycle, so each also takes a part of the budget. */
	for (unsigned i = 0; heap->budget > 0 && region != 0; i++, heap->budget--) {
		const uint64_t begin = first_chunk(heap, region == own ? after : region + info);

		if (!word_at(heap, region, &owner) || owner != arena->address ||
		    !word_at(heap, region + 2 * heap->word, &size) || size > region + size ||
		    (i > 0 ? size < begin - region : !checked_contains(region, size, top)) ||
		    !is_aligned(heap, top) || top < begin)
			return;
		add_part(heap, index, begin, i > 0 ? region + size : top);
		if (region == own || !word_at(heap, region + heap->word, &region) ||
		    region_of(heap, region) != region)
			return;
		top = region + info;
	}
}

static const struct heap_part *
part_of(const struct heap *heap, uint64_t address)
{
	const size_t upto = sorted_upto(SORTED(heap->parts, heap->part_count, begin), address);
	const struct heap_part *part = upto > 0 ? &heap->parts[upto - 1] : NULL;

	return part != NULL && address < part->end ? part : NULL;
}

/* Lists ---------------------------------------------------------------------------------------- */

/* Adds a free chunk of `size` bytes (0: any size). False if no such chunk can be at its address. */
static bool
add_free(struct heap *heap, struct heap_free entry, uint64_t size)
{
	uint64_t has, flags;

	if (heap->budget == 0 || !is_aligned(heap, entry.chunk) ||
	    part_of(heap, entry.chunk) == NULL || !size_at(heap, entry.chunk, &has, &flags) ||
	    (size != 0 && has != size))
		return false;
	heap->budget--;
	return ARENA_ADD(heap->arena, heap->frees, heap->free_count, heap->free_capacity, &entry);
}

/* Reads the link at an address: the next chunk of a singly linked list. */
static bool
link_at(const struct heap *heap, uint64_t address, uint64_t *next)
{
	if (!word_at(heap, address, next))
		return false;
	if (heap->layout->mangled)
		*next ^= address >> 12;
	return true;
}

static void
add_fast_bins(struct heap *heap, const struct heap_arena *arena)
{
	const uint64_t bins = arena->address + heap->layout->head[heap->word == 8];

	for (unsigned i = 0; i < fast_bins(heap); i++) {
		const uint64_t list = bins + (uint64_t)i * heap->word;
		struct heap_free entry = { .state = HEAP_FAST, .list = list, .bin = i };
		bool good = word_at(heap, list, &entry.chunk);

		/* fastbin_index() shifts sizes by 4, or by 3 on 32 bits. */
		for (; good && entry.chunk != 0; entry.position++)
			good = add_free(heap, entry, (uint64_t)(i + 2) * 2 * heap->word) &&
			       link_at(heap, heap_user(heap, entry.chunk), &entry.chunk);
		heap->broken_lists += !good;
	}
}

static void
add_bins(struct heap *heap, const struct heap_arena *arena)
{
	for (unsigned i = 1; i <= BINS; i++) {
		const uint64_t bin = bin_at(heap, arena->bins, i);
		struct heap_free entry = {
			.list = bin, .bin = i,
			.state = i == UNSORTED_BIN	? HEAP_UNSORTED
				 : i < FIRST_LARGE_BIN	? HEAP_SMALL
							: HEAP_LARGE };
		uint64_t previous = bin, back;
		bool good = word_at(heap, bin + 2 * heap->word, &entry.chunk);

		for (; good && entry.chunk != bin; entry.position++) {
			good = word_at(heap, entry.chunk + 3 * heap->word, &back) &&
			       back == previous && add_free(heap, entry, 0);
			previous = entry.chunk;
			good = good &&
			       word_at(heap, entry.chunk + 2 * heap->word, &entry.chunk);
		}
		heap->broken_lists += !good;
	}
}

/* Adds the chunks of one bin of a cache; false if the list and its counter differ. */
static bool
add_cached(struct heap *heap, uint64_t cache, unsigned bin)
{
	const unsigned counter = heap->layout->counter;
	struct heap_free entry = { .state = HEAP_TCACHE, .list = cache, .bin = bin };
	uint64_t count, user;

	if (!memory_read(heap->memory, cache + (uint64_t)bin * counter, counter, &count, NULL) ||
	    !word_at(heap, cache + CACHE_BINS * counter + (uint64_t)bin * heap->word, &user))
		return false;
	for (; user != 0 && entry.position < count; entry.position++) {
		entry.chunk = user - 2 * heap->word;
		if (!add_free(heap, entry, 4 * heap->word + (uint64_t)bin * ALIGNMENT) ||
		    !link_at(heap, user, &user))
			return false;
	}
	return user == 0 && entry.position == count;
}

/*
 * Decides which of the chunks with a cache's size are caches: the first chunk of the main arena,
 * and chunks whose lists are all good and not all empty. Other chunks belong to the program.
 */
static void
add_caches(struct heap *heap)
{
	size_t kept = 0;

	for (size_t i = 0; i < heap->cache_count; i++) {
		const uint64_t cache = heap->caches[i];
		const struct heap_part *part = part_of(heap, cache);
		const bool first = part != NULL && part->arena == 0 &&
				   heap_user(heap, part->begin) == cache;
		const size_t before = heap->free_count;
		size_t broken = 0;

		for (unsigned bin = 0; bin < CACHE_BINS; bin++)
			broken += !add_cached(heap, cache, bin);
		if (!first && (broken > 0 || heap->free_count == before)) {
			heap->free_count = before;
			continue;
		}
		heap->broken_lists += broken;
		heap->caches[kept++] = cache;
	}
	heap->cache_count = kept;
}

/* Finds the number that most chunks in caches have as their second word. */
static void
find_key(struct heap *heap)
{
	size_t lead = 0;
	uint64_t key;

	for (size_t i = 0; heap->layout->key == KEY_RANDOM && i < heap->free_count; i++) {
		if (heap->frees[i].state != HEAP_TCACHE ||
		    !word_at(heap, heap->frees[i].chunk + 3 * heap->word, &key))
			continue;
		if (lead == 0)
			heap->key = key;
		lead = heap->key == key ? lead + 1 : lead - 1;
	}
	if (lead < 2)
		heap->key = 0;
}

/* The whole heap ------------------------------------------------------------------------------- */

static bool
read_with(struct heap *heap, uint64_t bins)
{
	/* Enough for every chunk: each byte is in one chunk, and a chunk is in one list. */
	for (size_t i = 0; i < heap->memory->count; i++)
		heap->budget += heap->memory->runs[i].size / (2 * heap->word);
	if (!read_arenas(heap, bins) || !add_main(heap))
		return false;
	for (size_t i = 1; i < heap->arena_count; i++)
		add_regions(heap, i);
	SORT(heap->parts, heap->part_count, compare_parts);
	for (size_t i = 0; i < heap->arena_count; i++) {
		add_fast_bins(heap, &heap->arenas[i]);
		add_bins(heap, &heap->arenas[i]);
	}
	add_caches(heap);
	SORT(heap->frees, heap->free_count, compare_frees);
	find_key(heap);
	return true;
}

bool
heap_read(struct heap *heap, uint64_t base, uint64_t size, uint64_t main_arena)
{
	const struct heap given = *heap;
	const uint64_t found = main_arena != 0 ? 0 : find_bins(heap, base, size);

	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++) {
		struct heap tried = given;
		const struct heap_layout *layout = &layouts[i];

		if (given.version != 0 &&
		    (given.version < layout->from || given.version > layout->to))
			continue;
		tried.layout = layout;
		tried.by_symbol = main_arena != 0;
		const uint64_t bins =
			found != 0 ? found : main_arena + arena_head(&tried) + 2 * tried.word;
		if ((found != 0 || (main_arena != 0 && are_bins(&tried, bins))) &&
		    read_with(&tried, bins) &&
		    (heap->layout == NULL || tried.broken_lists < heap->broken_lists ||
		     (tried.broken_lists == heap->broken_lists &&
		      tried.free_count > heap->free_count)))
			*heap = tried;
	}
	return heap->layout != NULL;
}

/* Look-ups ------------------------------------------------------------------------------------- */

/* Finds a chunk with its own mapping. The memory map may show adjacent mappings as one mapping. */
static bool
mapped_at(const struct heap *heap, uint64_t byte, struct heap_chunk *chunk)
{
	const struct memory_run *run = memory_run_of(heap->memory, byte);
	const struct mapping *mapping = crash_mapping(heap->memory->crash, byte);
	uint64_t page = mapping != NULL ? mapping->base : run != NULL ? run->base : 0;
	uint64_t before, size, flags;

	if (run == NULL || (mapping != NULL && mapping->name[0] != '\0'))
		return false;
	while (page <= byte && page % PAGE == 0) {
		const uint64_t at = first_chunk(heap, page);

		/* `before` is the distance from the page; both sizes together fill pages. */
		if (!word_at(heap, at, &before) || before != at - page ||
		    !size_at(heap, at, &size, &flags) || flags != IS_MAPPED ||
		    (before + size) % PAGE != 0 ||
		    !checked_within(at - run->base, size, run->size))
			return false;
		*chunk = (struct heap_chunk){ .address = at, .size = size, .state = HEAP_MAPPED };
		if (byte - page < before + size)
			return byte >= at;
		page += before + size;
	}
	return false;
}

static const struct heap_free *
free_of(const struct heap *heap, uint64_t chunk)
{
	const size_t upto = sorted_upto(SORTED(heap->frees, heap->free_count, chunk), chunk);

	return upto > 0 && heap->frees[upto - 1].chunk == chunk ? &heap->frees[upto - 1] : NULL;
}

bool
heap_chunk_at(const struct heap *heap, uint64_t address, struct heap_chunk *chunk)
{
	/* A chunk in use also contains the first word of the next chunk. */
	const uint64_t byte = address - heap->word;
	const struct heap_part *part = part_of(heap, byte);
	uint64_t at, size, flags, next = 0;

	*chunk = (struct heap_chunk){ .part = part };
	if (part == NULL)
		return mapped_at(heap, byte, chunk);
	for (at = part->begin; size_at(heap, at, &size, &flags); at += size) {
		if (at == part->damaged)
			return false;
		if (byte - at < size)
			break;
		if (size > part->end - at || part->end - at == size)
			return false;
	}
	if (byte < at || byte - at >= size)
		return false;
	chunk->address = at;
	chunk->size = size;
	chunk->free = free_of(heap, at);
	if (at == heap->arenas[part->arena].top)
		chunk->state = HEAP_TOP;
	else if (chunk->free != NULL)
		chunk->state = chunk->free->state;
	else if (word_at(heap, at + size + heap->word, &next) && (next & PREVIOUS_IN_USE) == 0)
		chunk->state = HEAP_UNLISTED;
	return true;
}

const struct heap_part *
heap_damaged_at(const struct heap *heap, uint64_t address)
{
	const struct heap_part *part = part_of(heap, address - heap->word);

	return part != NULL && part->damaged != 0 && address >= part->damaged ? part : NULL;
}

struct short_text
heap_versions(const struct heap *heap)
{
	const unsigned from = heap->layout->from, to = heap->layout->to;
	struct short_text made;

	if (heap->version != 0 || from == to)
		snprintf(made.text, sizeof(made.text), "2.%u",
			 heap->version != 0 ? heap->version : from);
	else
		snprintf(made.text, sizeof(made.text), "2.%u to 2.%u", from, to);
	return made;
}

uint64_t
heap_key_of(const struct heap *heap, const struct heap_free *entry)
{
	return heap->layout->key == KEY_CACHE ? entry->list : heap->key;
}
