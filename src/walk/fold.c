/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sorted.h"
#include "walk/location.h"

/*
 * Deep stacks are recursions with few addresses. A colliding address is looked up again, at most
 * once for each frame.
 */
#define MEMO_SIZE 1024u
/* Bytes at either end of a long name that identify it: a hostile name may have megabytes. */
#define NAME_END 1024u

struct memo {
	struct arena arena;
	struct memo_entry {
		uint64_t address, key;
		const struct fold_call *path;	/* one element for each call; NULL: out of memory */
		size_t calls;			/* 0: empty */
	} entries[MEMO_SIZE];
};

/* MurmurHash3's last step: every bit of a word changes every bit of the hash. */
static uint64_t
mix(uint64_t hash, uint64_t word)
{
	hash ^= word;
	hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
	hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return hash ^ hash >> 33;
}

/* Hashes a call's name. A long name is hashed by its ends, its size and its function. */
static uint64_t
add_name(uint64_t hash, const struct call *call)
{
	const struct text name = call->name;

	if (name.length <= 2 * NAME_END)
		return hash_words(hash, name.start, name.length);
	hash = mix(mix(hash, name.length), call->function_base);
	hash = hash_words(hash, name.start, NAME_END);
	return hash_words(hash, name.start + name.length - NAME_END, NAME_END);
}

/* The key of a frame: frames with equal keys are equal in a search for cycles. */
static uint64_t
key_of(const struct location *location, uint64_t address)
{
	const struct call *function = &location->calls[location->call_count - 1];
	uint64_t key;

	if (location->module == NULL || function->name.length == 0)
		return mix(1, address);
	key = mix(mix(2, location->module->base), function->function_base);
	for (size_t i = 0; i + 1 < location->call_count; i++)
		key = add_name(key, &location->calls[i]);
	return key;
}

static struct fold_call
path_call(const struct location *location, const struct call *call)
{
	struct fold_call path = { mix(1, location->address), mix(3, location->address) };

	if (location->module != NULL && call->name.length > 0)
		path.function = mix(add_name(location->module->base, call), 2);
	if (call->has_line)
		path.place = mix(4, call->line);
	return path;
}

static const struct memo_entry *
memo_look(struct memo *memo, const struct walk *walk, uint64_t address)
{
	struct memo_entry *entry = &memo->entries[(address ^ address >> 10) % MEMO_SIZE];
	struct location location;
	struct arena arena = { 0 };

	if (entry->calls != 0 && entry->address == address)
		return entry;
	location_of(walk, address, &arena, &location);
	struct fold_call *path =
		arena_array(&memo->arena, location.call_count, sizeof(*path));
	for (size_t i = 0; path != NULL && i < location.call_count; i++)
		path[i] = path_call(&location, &location.calls[i]);
	*entry = (struct memo_entry){ address, key_of(&location, address), path,
				      location.call_count };
	arena_free(&arena);
	return entry;
}

/* Drops the last turn of a path if the one before it has the same functions. */
static void
drop_turn(struct fold *fold)
{
	const struct fold_call *end = fold->path + fold->path_count;

	for (size_t length = 1; length <= FOLD_CYCLE_MAX && 2 * length <= fold->path_count;
	     length++) {
		const struct fold_call *turn = end - length, *before = turn - length;
		size_t left = length;

		while (left > 0 && turn[left - 1].function == before[left - 1].function)
			left--;
		if (left == 0) {
			fold->path_count -= length;
			return;
		}
	}
}

static bool
add_path(struct fold *fold, const struct memo_entry *entry, enum trust trust)
{
	for (size_t i = 0; entry->path != NULL && i < entry->calls; i++) {
		struct fold_call *added = ARENA_PUSH(&fold->arena, fold->path, fold->path_count,
						     fold->path_capacity);

		if (added == NULL)
			return false;
		*added = entry->path[i];
		added->place = mix(added->place, trust);
		drop_turn(fold);
	}
	return entry->path != NULL;
}

static bool
add_frames(struct fold *fold, const struct walk *walk)
{
	struct memo *memo = calloc(1, sizeof(*memo));

	while (memo != NULL && fold->count < walk->count) {
		const struct frame *frame = &walk->frames[fold->count];
		struct fold_frame *added =
			ARENA_PUSH(&fold->arena, fold->frames, fold->count, fold->capacity);

		if (added == NULL)
			break;
		const struct memo_entry *entry = memo_look(memo, walk, frame->lookup);
		added->calls = entry->calls < UINT16_MAX ? (uint16_t)entry->calls : UINT16_MAX;
		added->key = entry->key;
		if (!add_path(fold, entry, frame->trust))
			break;
	}
	if (memo != NULL)
		arena_free(&memo->arena);
	free(memo);
	return fold->count == walk->count;
}

/*
 * State of a search for cycles. `differs[length]` is the first frame, at or after the last search
 * position, that differs from the frame `length` frames later. With it, no pair is compared twice.
 */
struct fold_search {
	const struct fold_frame *frames;
	size_t count;
	size_t differs[FOLD_CYCLE_MAX + 1];
	bool open;			/* more frames could change the result */
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
	look->open |= at + length >= look->count;
	return (at - first) / length + 1;
}

/* The longest run from a frame on; of equally long runs, the run with the shortest cycle. */
static struct fold_run
longest_run(struct fold_search *look, size_t first)
{
	struct fold_run best = { .first = first };

	look->open |= first + FOLD_CYCLE_MAX >= look->count;
	for (size_t length = 1; length <= FOLD_CYCLE_MAX && first + length < look->count;
	     length++) {
		size_t times = repeated(look, first, length);

		if (times >= FOLD_LEAST_TIMES && times * length >= FOLD_LEAST_FRAMES &&
		    times * length > fold_run_frames(&best)) {
			best.length = length;
			best.times = times;
		}
		/* A longer cycle could only add the frames that follow the last turn. */
		if (first + fold_run_frames(&best) + best.length > look->count) {
			look->open = true;
			break;
		}
	}
	return best;
}

/* Continues at the first frame whose result could still change with more frames of the walk. */
static bool
find_runs(struct fold *fold, const struct walk *walk)
{
	struct fold_search look = { .frames = fold->frames, .count = fold->count };
	size_t at = fold->settled == 0 ? 1 : fold->settled;

	fold->run_count = fold->settled_runs;
	while (at < fold->count) {
		struct fold_run run = longest_run(&look, at);

		if (run.length == 0) {
			at++;
		} else {
			struct fold_run *added = ARENA_PUSH(&fold->arena, fold->runs,
							    fold->run_count, fold->run_capacity);
			if (added == NULL)
				return false;
			for (const size_t end = at + fold_run_frames(&run); at < end; at++)
				run.trusts[walk->frames[at].trust]++;
			*added = run;
		}
		if (!look.open) {
			fold->settled = at;
			fold->settled_runs = fold->run_count;
		}
	}
	return true;
}

static uint64_t
hash_path(const struct fold *fold)
{
	uint64_t hash = 5;

	for (size_t i = 0; i < fold->path_count; i++)
		hash = mix(mix(hash, fold->path[i].function), fold->path[i].place);
	return hash;
}

bool
fold_update(struct fold *fold, const struct walk *walk)
{
	if (fold->count >= walk->count)
		return true;
	const bool added = add_frames(fold, walk);
	fold->hash = walk->complete ? hash_path(fold) : 0;
	return added && find_runs(fold, walk);
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
are_same(const struct fold_thread *a, const struct fold_thread *b)
{
	const size_t count = a->fold->path_count;

	return a->state == b->state && count == b->fold->path_count &&
	       memcmp(a->fold->path, b->fold->path, count * sizeof(*a->fold->path)) == 0;
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
		const struct fold *fold = threads[i].fold;

		threads[i].leader = i;
		if (entries == NULL || walk == NULL || !walk->complete || walk->count == 0)
			continue;
		const uint64_t hash = fold->hash != 0 ? fold->hash : hash_path(fold);
		entries[found++] = (struct fold_entry){ mix(hash, threads[i].state), i };
	}
	SORT(entries, found, compare_entries);
	/* An entry with the hash of the first entry but other calls (a collision) stays alone. */
	for (size_t i = 1, first = 0; i < found; i++) {
		if (entries[i].hash != entries[first].hash)
			first = i;
		else if (are_same(&threads[entries[first].thread], &threads[entries[i].thread]))
			threads[entries[i].thread].leader = entries[first].thread;
	}
}
