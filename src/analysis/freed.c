/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>

#include "inspect/heap_find.h"
#include "walk/location.h"

/*
 * Proves a use of freed memory by the allocator's own data. The program took an address from the
 * first or second word of a free chunk, where glibc keeps its links and its key. A register or the
 * stack points to this chunk. Reading the heap can take a second, so words are compared first.
 */

/* Words of the stack that are searched for the pointer: those of the youngest two frames. */
#define STACK_WORDS 512u
#define STACK_FRAMES 2u
/* Words of an object that are searched for the pointer, if a register points to the object. */
#define OBJECT_WORDS 32u

struct freed {
	struct explain *explain;
	uint64_t bad;			/* the address that the program used */
	int reg;			/* the register that holds it */
	const struct heap *heap;
	bool searched;			/* `heap` was searched for; NULL: not found */
	uint64_t user;			/* pointer to the chunk */
	bool second;			/* the bad address is in the chunk's second word */
	struct heap_chunk chunk;
};

/* Whether glibc wrote this word (the chunk's first or second) when the chunk was freed. */
static bool
is_written(const struct freed *freed, uint64_t word)
{
	const struct heap_free *listed = freed->chunk.free;

	if (listed == NULL || heap_user(freed->heap, freed->chunk.address) != freed->user)
		return false;
	if (!freed->second)
		return true;
	if (listed->state == HEAP_TCACHE)
		return word == heap_key_of(freed->heap, listed);
	return listed->state != HEAP_FAST;
}

/*
 * Whether the crashed function may belong to the allocator, which uses the links of free chunks.
 * Such a function is in the library, and has an allocator's name or no name.
 */
static bool
is_allocator(const struct freed *freed)
{
	static const char *const names[] = { "malloc", "calloc", "free", "realloc", "memalign",
					     "int_", "tcache_", "unlink", "sysmalloc", "systrim" };
	const struct walk *walk = freed->explain->walk;
	struct arena arena = { 0 };
	struct location location;
	bool found;

	/* After a jump to data, frame 0 is no function. */
	const size_t frame = freed->reg == freed->explain->arch->pc ? 1 : 0;
	if (walk == NULL || walk->count <= frame)
		return false;
	location_of(walk, walk->frames[frame].lookup, &arena, &location);
	struct text name = location.calls[location.call_count - 1].name;
	found = location.symbol.uncertain || name.length == 0;
	while (text_drop_prefix(&name, "_") || text_drop_prefix(&name, "libc_") ||
	       text_drop_prefix(&name, "GI_"))
		;
	found = (found || text_begins(name, names, ARRAY_COUNT(names)) != 0) &&
		location.module != NULL &&
		place_base_name(location.module->code_file) == freed->heap->library;
	arena_free(&arena);
	return found;
}

/* Whether `user` points to a free chunk with the bad address in one of its first two words. */
static bool
points_to_freed(struct freed *freed, uint64_t user)
{
	struct explain *explain = freed->explain;
	const unsigned size = explain->arch->word_size;
	uint64_t word;

	for (unsigned i = 0; i < 2 && user % (2 * size) == 0 && user != freed->bad; i++) {
		if (!memory_peek(&explain->memory, user + i * size, size, &word, NULL) ||
		    word != freed->bad)
			continue;
		if (!freed->searched)
			freed->heap = heap_find(explain->crash, &explain->memory,
						explain->binaries, &explain->out->arena);
		freed->searched = true;
		freed->user = user;
		freed->second = i == 1;
		if (freed->heap != NULL && heap_chunk_at(freed->heap, user, &freed->chunk) &&
		    is_written(freed, word)) {
			memory_note(&explain->memory, user, 2 * size, MEMORY_READ);
			return !is_allocator(freed);
		}
	}
	return false;
}

static void
report(struct freed *freed, const char *pointer)
{
	static const char *const words[][2] = {
		{ "first", "the link to the next free chunk" },
		{ "second", "the key of free chunks" },
		{ "second", "the link to the previous free chunk" },
	};
	struct explain *explain = freed->explain;
	const struct heap_chunk *chunk = &freed->chunk;
	const bool cached = chunk->state == HEAP_TCACHE;
	const char *const *word = words[!freed->second ? 0 : cached ? 1 : 2];
	struct finding *finding =
		finding_add(explain, FINDING_USE_AFTER_FREE, 95,
			    "the program used freed memory: it mistook a pointer of the allocator "
			    "for its own");

	finding_evidence(explain, finding, "%s points to the chunk at 0x%" PRIx64 " of %" PRIu64
			 " bytes: %s", pointer, chunk->address, chunk->size,
			 heap_state_words[chunk->state]);
	analysis_name_object(explain, finding, freed->user);
	finding_evidence(explain, finding, "%s is 0x%" PRIx64 ", the chunk's %s word: %s",
			 analysis_register(explain, freed->reg), freed->bad, word[0], word[1]);
	finding_evidence(explain, finding, "glibc %s: the list of bin %" PRIu32 " at 0x%" PRIx64
			 " has the chunk, and the sizes of %s chunks lead to it",
			 heap_versions(freed->heap).text, chunk->free->bin, chunk->free->list,
			 chunk->part->damaged != 0 ? "the earlier" : "all");
}

/*
 * Searches for a pointer to a free chunk: in the registers, in the objects that they point to, and
 * on the stack of the youngest frames.
 */
static bool
search(struct freed *freed)
{
	struct explain *explain = freed->explain;
	const struct walk *walk = explain->walk;
	const struct arch *arch = explain->arch;
	const uint64_t sp = explain->registers->value[arch->sp];
	uint64_t user;

	for (int reg = 0; reg < arch->register_count; reg++)
		if (registers_known(explain->registers, reg) &&
		    points_to_freed(freed, explain->registers->value[reg])) {
			report(freed, analysis_register(explain, reg));
			return true;
		}
	for (int reg = 0; reg < arch->register_count; reg++)
		for (uint64_t i = 0; registers_known(explain->registers, reg) && i < OBJECT_WORDS;
		     i++) {
			const uint64_t at =
				explain->registers->value[reg] + i * arch->word_size;

			if (reg == arch->sp || reg == arch->pc ||
			    !memory_peek(&explain->memory, at, arch->word_size, &user, NULL))
				break;
			if (!points_to_freed(freed, user))
				continue;
			memory_note(&explain->memory, at, arch->word_size, MEMORY_READ);
			report(freed, arena_format(&explain->out->arena, "the word at 0x%" PRIx64
						   " (%s + 0x%" PRIx64 ")", at,
						   analysis_register(explain, reg),
						   i * arch->word_size));
			return true;
		}
	const size_t last = walk == NULL ? 0 : walk->count > STACK_FRAMES ? STACK_FRAMES
									  : walk->count - 1;
	const uint64_t end = last > 0 ? walk->frames[last].registers.value[arch->sp] : sp;
	for (uint64_t at = sp; at < end && at - sp < STACK_WORDS * arch->word_size;
	     at += arch->word_size)
		if (memory_read(&explain->memory, at, arch->word_size, &user, NULL) &&
		    points_to_freed(freed, user)) {
			report(freed, arena_format(&explain->out->arena,
						   "the word of the stack at 0x%" PRIx64, at));
			return true;
		}
	return false;
}

void
freed_explain(struct explain *explain)
{
	const uint64_t used = analysis_used_registers(explain);
	uint64_t address;

	if (explain->arch == NULL || !analysis_faulted_at(explain, &address))
		return;
	const struct analysis_instruction *at = &explain->out->instruction;
	const bool fetch = !explain->decoded || at->accesses[0].kind == ANALYSIS_EXECUTE;
	struct freed freed = { .explain = explain };
	bool found = false;
	/* Only the pc counts after a failed fetch: free() may have set other registers. */
	for (int reg = 0; reg < explain->arch->register_count && !found; reg++) {
		freed.bad = explain->registers->value[reg];
		freed.reg = reg;
		found = (fetch ? reg == explain->arch->pc : (used >> reg & 1) != 0) &&
			registers_known(explain->registers, reg) && freed.bad > 0xffff &&
			search(&freed);
	}
}
