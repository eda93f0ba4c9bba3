/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/fold.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/sorted.h"
#include "walk/location.h"

/*
 * Deep stacks are recursions: few addresses, again and again. A colliding address is
 * looked up again, which costs time but never more than one look-up a frame.
 */
#define MEMO_SIZE 1024u

struct memo {
	uint64_t address[MEMO_SIZE], key[MEMO_SIZE];
	uint16_t calls[MEMO_SIZE];	/* 0: empty */
};

/* Mixing as in MurmurHash3's last step: every bit of a word reaches every bit of the hash. */
static uint64_t
mix(uint64_t hash, uint64_t word)
{
	hash ^= word;
	hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
	hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return hash ^ hash >> 33;
}

/* What makes a frame the same as another one. */
static uint64_t
key_of(const struct location *location, uint64_t address)
{
	const struct call *function = &location->calls[location->call_count - 1];
	uint64_t key;

	if (location->module == NULL || function->name.length == 0)
		return mix(1, address);
	key = mix(mix(2, location->module->base), function->function_base);
	for (size_t i = 0; i + 1 < location->call_count; i++) {
		const struct text name = location->calls[i].name;

		key = mix(hash_bytes(key, name.start, name.length), name.length);
	}
	return key;
}

static bool
add_frames(struct fold *fold, const struct walk *walk)
{
	struct memo *memo = calloc(1, sizeof(*memo));
	struct arena arena = { 0 };

	while (memo != NULL && fold->count < walk->count) {
		const struct frame *frame = &walk->frames[fold->count];
		const size_t at = (frame->lookup ^ frame->lookup >> 10) % MEMO_SIZE;
		struct fold_frame *added =
			ARENA_PUSH(&fold->arena, fold->frames, fold->count, fold->capacity);

		if (added == NULL)
			break;
		if (memo->calls[at] == 0 || memo->address[at] != frame->lookup) {
			struct location location;

			location_of(walk, frame->lookup, &arena, NULL, &location);
			memo->calls[at] = location.call_count < UINT16_MAX
						  ? (uint16_t)location.call_count : UINT16_MAX;
			memo->key[at] = key_of(&location, frame->lookup);
			memo->address[at] = frame->lookup;
			arena_reset(&arena);
		}
		added->key = memo->key[at];
		added->calls = memo->calls[at];
		fold->hash = mix(mix(fold->hash, frame->lookup), frame->trust);
	}
	arena_free(&arena);
	free(memo);
	return fold->count == walk->count;
}

/*
 * Where a look for cycles stands. For each length that is the first frame at or behind the last
 * look which differs from the one so much later: no pair is compared twice.
 */
struct fold_search {
	const struct fold_frame *frames;
	size_t count;
	size_t differs[FOLD_CYCLE_MAX + 1];
};

static size_t
repeated(struct fold_search *look, size_t first, size_t length)
{
	size_t at = look->differs[length];

	if (at < first) {
		for (at = first; at + length < look->count; at++)
			if (look->frames[at].key != look->frames[at + length].key)
				break;
		look->differs[length] = at;
	}
	return (at - first) / length + 1;
}

/* The run from a frame on that holds the most frames; of several the one with the least cycle. */
static struct fold_run
longest_run(struct fold_search *look, size_t first)
{
	struct fold_run best = { .first = first };

	for (size_t length = 1; length <= FOLD_CYCLE_MAX && first + length < look->count;
	     length++) {
		size_t times = repeated(look, first, length);

		if (times >= FOLD_LEAST_TIMES && times * length >= FOLD_LEAST_FRAMES &&
		    times * length > fold_run_frames(&best)) {
			best.length = length;
			best.times = times;
		}
		/* A longer cycle could only gain what is left behind the last one. */
		if (first + fold_run_frames(&best) + best.length > look->count)
			break;
	}
	return best;
}

static bool
find_runs(struct fold *fold, const struct walk *walk)
{
	struct fold_search look = { .frames = fold->frames, .count = fold->count };
	size_t at = 1;

	fold->run_count = 0;
	while (at < fold->count) {
		struct fold_run run = longest_run(&look, at);

		if (run.length == 0) {
			at++;
			continue;
		}
		struct fold_run *added = ARENA_PUSH(&fold->arena, fold->runs, fold->run_count,
						    fold->run_capacity);
		if (added == NULL)
			return false;
		for (const size_t end = at + fold_run_frames(&run); at < end; at++)
			run.trusts[walk->frames[at].trust]++;
		*added = run;
	}
	return true;
}

bool
fold_update(struct fold *fold, const struct walk *walk)
{
	return fold->count >= walk->count || (add_frames(fold, walk) && find_runs(fold, walk));
}

void
fold_free(struct fold *fold)
{
	arena_free(&fold->arena);
	*fold = (struct fold){ 0 };
}

const struct fold_run *
fold_run_of(const struct fold *fold, size_t frame)
{
	const struct fold_run *runs = fold->runs;
	size_t at;

	BISECT(at, fold->run_count, runs[at].first + fold_run_frames(&runs[at]) <= frame);
	return at < fold->run_count && runs[at].first <= frame ? &runs[at] : NULL;
}

size_t
fold_run_frames(const struct fold_run *run)
{
	return run->length * run->times;
}

static bool
are_same(const struct walk *a, const struct walk *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->frames[i].lookup != b->frames[i].lookup ||
		    a->frames[i].trust != b->frames[i].trust)
			return false;
	return true;
}

struct fold_entry {
	uint64_t hash;
	size_t thread;
};

SORTED_BY_ALL(compare_entries, struct fold_entry, SORTED_UP(hash) SORTED_UP(thread))

void
fold_threads(struct fold_thread *threads, size_t count, struct arena *arena)
{
	struct fold_entry *entries = arena_array(arena, count, sizeof(*entries));
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		const struct walk *walk = threads[i].walk;

		threads[i].leader = i;
		if (entries != NULL && walk != NULL && walk->complete && walk->count > 0)
			entries[found++] = (struct fold_entry){ threads[i].hash, i };
	}
	if (found > 0)
		qsort(entries, found, sizeof(*entries), compare_entries);
	/* Who has the hash but not the frames of the first one stays alone: that is an accident. */
	for (size_t i = 1, first = 0; i < found; i++) {
		if (entries[i].hash != entries[first].hash)
			first = i;
		else if (are_same(threads[entries[first].thread].walk,
				  threads[entries[i].thread].walk))
			threads[entries[i].thread].leader = entries[first].thread;
	}
}
