/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/sorted.h"
#include "report/memory/telescope_internal.h"

/* Minimum number of equal words, or of plain words, in a fold. Smaller folds save little. */
#define LEAST_EQUAL 4u
#define LEAST_PLAIN 8u
/* Number of youngest frames whose saved registers no fold may hide. */
#define SAVES_FRAMES 128u
/* Limit of runs of memory that contain frames, such as stacks of signal handlers and fibres. */
#define MOST_RUNS 256u
/* Bytes to index after the requested bytes: more than a screen shows. */
#define AHEAD (UINT64_C(64) << 10)

struct indexer {
	const struct telescope *telescope;
	const struct telescope_options *options;
	const struct reading_source *source;
	const struct memory_marks *marks;
	struct telescope_index *index;
	struct telescope_reached *at; /* member of `index` */
	const struct memory_run *run;
	unsigned size;
	bool short_of_memory;
};

enum word_class { WORD_PLAIN, WORD_LETTERS, WORD_TELLING, WORD_END };

uint64_t
telescope_word(const struct memory_view *memory, const struct memory_run *run, uint64_t address,
	unsigned size)
{
	const struct reader reader = {
		.data = run->data, .size = run->size, .big_endian = memory->big_endian
	};
	uint64_t value = 0;

	reader_unsigned(&reader, address - run->base, size, &value);
	return value;
}

static void
push_part(struct indexer *indexer, enum telescope_kind kind, uint64_t address, uint64_t count,
	size_t frame)
{
	struct telescope_index *index = indexer->index;

	/* A deep stack has millions of parts: an array grown in an arena would leave old copies. */
	if (index->part_count == index->part_capacity) {
		const size_t capacity = index->part_capacity == 0 ? 64 : 2 * index->part_capacity;
		struct telescope_part *parts = realloc(index->parts, capacity * sizeof(*parts));

		if (parts == NULL) {
			indexer->short_of_memory = true;
			return;
		}
		index->parts = parts;
		index->part_capacity = capacity;
	}
	index->parts[index->part_count++] = (struct telescope_part){
		kind, address, count, frame, indexer->at->row, indexer->at->open_row };
}

static void
add_part(struct indexer *indexer, enum telescope_kind kind, uint64_t address, uint64_t count,
	size_t frame)
{
	struct telescope_index *index = indexer->index;
	struct telescope_part *last =
		index->part_count > 0 ? &index->parts[index->part_count - 1] : NULL;
	const size_t rows = kind == TELESCOPE_WORDS ? (size_t)count : 1;

	if (kind == TELESCOPE_WORDS && last != NULL && last->kind == TELESCOPE_WORDS &&
		last->address + last->count * indexer->size == address)
		last->count += count;
	else
		push_part(indexer, kind, address, count, frame);
	indexer->at->row += rows;
	indexer->at->open_row += kind == TELESCOPE_FOLD ? (size_t)count + 1 : rows;
}

SORTED_VALUES(compare_addresses, uint64_t)

/* Collects the ascending addresses where the youngest frames saved registers. */
static void
collect_saves(struct indexer *indexer)
{
	struct walk *walk = indexer->options->walk;
	const size_t frames = walk->count < SAVES_FRAMES ? walk->count : SAVES_FRAMES;
	uint64_t *saved =
		arena_array(&indexer->index->arena, frames * ARCH_REGISTERS, sizeof(*saved));
	size_t count = 0;

	for (size_t i = 0; saved != NULL && i + 1 < walk->count && i < frames; i++) {
		const struct frame_saves *saves =
			frame_saves_of(&indexer->options->state->saves, walk, i);

		for (size_t j = 0; j < saves->count; j++)
			saved[count++] = saves->saves[j].address;
	}
	SORT(saved, count, compare_addresses);
	indexer->at->saved = saved;
	indexer->at->saved_count = count;
}

SORTED_POINTERS(compare_runs, struct memory_run, SORTED_UP(base))

/* Collects the runs that contain frames, by address. Sorted pointers make equal runs adjacent. */
static size_t
collect_runs(const struct indexer *indexer, const struct memory_run **runs)
{
	const struct memory_marks *marks = indexer->marks;
	const struct memory_run *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < marks->sp.count && count < MOST_RUNS; i++) {
		const uint64_t address = marks->sp.items[i].address;

		if (last != NULL && address - last->base < last->size)
			continue;
		last = memory_run_of(indexer->options->memory, address);
		size_t at = 0;
		while (at < count && runs[at] != last)
			at++;
		if (last != NULL && at == count)
			runs[count++] = last;
	}
	SORT(runs, count, compare_runs);
	return count;
}

/* The index of the first pointer at or after index `at` whose address is at least `address`. */
static size_t
pass_pointers(const struct memory_pointer_list *pointers, size_t at, uint64_t address)
{
	while (at < pointers->count && pointers->items[at].address < address)
		at++;
	return at;
}

/* The next address with a pointer, a saved register or the stack's bottom; `end` if none. */
static uint64_t
next_mark(struct indexer *indexer, uint64_t address, uint64_t end)
{
	const struct memory_marks *marks = indexer->marks;
	const struct stack_bottom *bottom = &indexer->options->walk->bottom;
	struct telescope_reached *at = indexer->at;

	at->fp = pass_pointers(&marks->fp, at->fp, address);
	while (at->save < at->saved_count && at->saved[at->save] + indexer->size <= address)
		at->save++;
	if (at->sp < marks->sp.count && marks->sp.items[at->sp].address < end)
		end = marks->sp.items[at->sp].address;
	if (at->fp < marks->fp.count && marks->fp.items[at->fp].address < end)
		end = marks->fp.items[at->fp].address;
	/* A register saved at an odd address is in two words: both have a mark. */
	if (at->save < at->saved_count && at->saved[at->save] < end)
		end = at->saved[at->save] > address ? at->saved[at->save] : address;
	if (bottom->kind != BOTTOM_UNKNOWN && bottom->address > address && bottom->address < end)
		end = bottom->address;
	return end;
}

static enum word_class
class_at(const struct indexer *indexer, uint64_t address, uint64_t end)
{
	char letters[8];

	if (address >= end || end - address < indexer->size)
		return WORD_END;
	const uint64_t value =
		telescope_word(indexer->options->memory, indexer->run, address, indexer->size);
	if (reading_is_telling(indexer->source, value))
		return WORD_TELLING;
	return reading_letters(indexer->source, value, letters) == indexer->size ? WORD_LETTERS
										 : WORD_PLAIN;
}

static uint64_t
equal_words(const struct indexer *indexer, uint64_t address, uint64_t end)
{
	const unsigned size = indexer->size;
	const uint8_t *const first = indexer->run->data + (address - indexer->run->base);
	const uint8_t *word = first + size;

	/* A deep stack has millions of words, so they are compared without decoding. */
	while (end - address >= (uint64_t)(word - first) + size &&
		(size == 8 ? memcmp(word, first, 8) : memcmp(word, first, 4)) == 0)
		word += size;
	return (uint64_t)(word - first) / size;
}

/*
 * Adds parts for the words between two marks, folded or not, up to the first part that ends after
 * `goal`. Returns the end of the last added part.
 */
static uint64_t
add_words(struct indexer *indexer, uint64_t address, uint64_t end, uint64_t goal)
{
	enum word_class class = class_at(indexer, address, end);

	while (class != WORD_END && address <= goal) {
		uint64_t equal = equal_words(indexer, address, end), count = equal;
		enum word_class next = class_at(indexer, address + count * indexer->size, end);

		/* Words with a meaning are folded only if they are equal. */
		while (class != WORD_TELLING && next == class) {
			count += equal_words(indexer, address + count * indexer->size, end);
			next = class_at(indexer, address + count * indexer->size, end);
		}
		bool folds = count >= LEAST_PLAIN && class != WORD_TELLING;
		/* A run that is too short for a fold may begin with enough equal words. */
		if (!folds) {
			count = equal;
			folds = equal >= LEAST_EQUAL;
			next = class_at(indexer, address + count * indexer->size, end);
		}
		add_part(indexer, folds ? TELESCOPE_FOLD : TELESCOPE_WORDS, address, count, 0);
		address += count * indexer->size;
		class = next;
	}
	return address;
}

/* Adds rows for frames whose stack pointer is this address, and for the ends of their callees. */
static void
add_frames(struct indexer *indexer, uint64_t address)
{
	const struct memory_marks *marks = indexer->marks;
	struct telescope_reached *at = indexer->at;

	for (; at->sp < marks->sp.count && marks->sp.items[at->sp].address <= address; at->sp++) {
		const size_t frame = marks->sp.items[at->sp].frame;
		const uint64_t size =
			frame > 0 ? telescope_frame_size(indexer->telescope, frame - 1) : 0;

		if (size != 0 && size != TELESCOPE_ENDLESS)
			add_part(indexer, TELESCOPE_END, address, 0, frame - 1);
		add_part(indexer, TELESCOPE_FRAME, address, 0, frame);
	}
}

static void
add_gap(struct indexer *indexer, const struct memory_run *before, const struct memory_run *run)
{
	const uint64_t end = before->base + before->size;

	add_part(indexer, TELESCOPE_GAP, end, run->base - end, 0);
}

static void
begin_run(struct indexer *indexer)
{
	const struct memory_run *run = indexer->run;
	const struct memory_marks *marks = indexer->marks;
	struct telescope_reached *at = indexer->at;

	if (at->run > 0)
		add_gap(indexer, at->runs[at->run - 1], run);
	at->sp = pass_pointers(&marks->sp, at->sp, run->base);
	at->address = run->base;
	/* Words are aligned to the youngest frame's stack pointer, even if it is odd. */
	if (at->sp < marks->sp.count)
		at->address += (marks->sp.items[at->sp].address - at->address) % indexer->size;
	if (at->sp < marks->sp.count && marks->sp.items[at->sp].address > at->address)
		add_part(indexer, TELESCOPE_BELOW, at->address,
			(marks->sp.items[at->sp].address - at->address) / indexer->size, 0);
	at->inside = true;
}

/* Adds the parts of a run, up to the first part that ends after `goal`. */
static void
add_run(struct indexer *indexer, uint64_t goal)
{
	const struct stack_bottom *bottom = &indexer->options->walk->bottom;
	const struct memory_run *run = indexer->run;
	/* Leave out the last byte of the address space, so that `end` does not overflow. */
	const uint64_t end = run->base + run->size - (run->size > UINT64_MAX - run->base);
	struct telescope_reached *at = indexer->at;

	while (end - at->address >= indexer->size && at->address <= goal &&
		!indexer->short_of_memory) {
		add_frames(indexer, at->address);
		if (bottom->kind != BOTTOM_UNKNOWN && bottom->address == at->address)
			add_part(indexer, TELESCOPE_BOTTOM, at->address, 0, 0);
		const uint64_t mark = next_mark(indexer, at->address, end);
		/* A word that contains a mark is a part of its own. */
		if (mark - at->address < indexer->size || mark == at->address) {
			add_part(indexer, TELESCOPE_WORDS, at->address, 1, 0);
			at->address += indexer->size;
			continue;
		}
		at->address = add_words(indexer, at->address,
			at->address + (mark - at->address) / indexer->size * indexer->size, goal);
	}
	if (end - at->address >= indexer->size && !indexer->short_of_memory)
		return;
	add_frames(indexer, end - 1);
	at->inside = false;
	at->run++;
}

/* Adds a row for each word that is not indexed yet. */
static void
add_rest(struct indexer *indexer)
{
	struct telescope_reached before = *indexer->at;

	for (size_t i = before.run; i < before.run_count; i++) {
		const struct memory_run *run = before.runs[i];
		const bool begun = before.inside && i == before.run;
		const uint64_t address = begun ? before.address : run->base;
		const uint64_t count = (run->base + run->size - address) / indexer->size;

		if (i > 0 && !begun)
			add_gap(indexer, before.runs[i - 1], run);
		if (count == 0)
			continue;
		/* Add a separate part, because final parts must not grow. */
		push_part(indexer, TELESCOPE_WORDS, address, count, 0);
		indexer->at->row += (size_t)count;
		indexer->at->open_row += (size_t)count;
	}
	*indexer->at = before;
}

static void
begin_index(struct indexer *indexer)
{
	struct telescope_index *index = indexer->index;
	struct telescope_reached *at = indexer->at;
	const struct memory_run *runs[MOST_RUNS];

	arena_reset(&index->arena);
	index->part_count = 0;
	*at = (struct telescope_reached){ .run_count = collect_runs(indexer, runs) };
	at->runs = arena_array(&index->arena, at->run_count, sizeof(*at->runs));
	if (at->runs == NULL)
		at->run_count = 0;
	for (size_t i = 0; i < at->run_count; i++)
		at->runs[i] = runs[i];
	collect_saves(indexer);
	index->walk = indexer->options->walk;
	index->frames = index->pointers.frames;
}

/* The next address that index_memory() will index; UINT64_MAX: none. */
static uint64_t
reached_address(const struct telescope_index *index)
{
	const struct telescope_reached *at = &index->reached;

	if (index->walk == NULL || at->run == at->run_count)
		return UINT64_MAX;
	return at->inside ? at->address : at->runs[at->run]->base;
}

/*
 * Indexes a walk's memory up to an address and some more, from the beginning if the walk has
 * changed. False: the walk has no parts.
 */
static bool
index_memory(const struct telescope *telescope, uint64_t until)
{
	const struct telescope_options *options = &telescope->options;
	struct telescope_index *index = &options->state->index;
	struct indexer indexer = { .telescope = telescope,
		.options = options,
		.source = &telescope->source,
		.marks = &telescope->marks,
		.index = index,
		.at = &index->reached,
		.size = telescope->size };
	struct telescope_reached *at = indexer.at;
	const uint64_t goal = until > UINT64_MAX - AHEAD ? UINT64_MAX : until + AHEAD;

	/* Begin again if the walk or the number of frames with pointers has changed. */
	if (index->walk != options->walk || index->frames != index->pointers.frames)
		begin_index(&indexer);
	else if (reached_address(index) > until || at->run == at->run_count)
		return index->part_count > 0;
	index->part_count = at->parts;
	while (at->run < at->run_count && reached_address(index) <= goal &&
		!indexer.short_of_memory) {
		indexer.run = at->runs[at->run];
		if (!at->inside)
			begin_run(&indexer);
		add_run(&indexer, goal);
	}
	at->parts = index->part_count;
	if (indexer.short_of_memory)
		at->run = at->run_count;
	add_rest(&indexer);
	return index->part_count > 0;
}

/* Open folds, and positions of rows ------------------------------------------------------------ */

static void
free_index(struct telescope_index *index)
{
	free(index->parts);
	arena_free(&index->arena);
	arena_free(&index->pointers.arena);
}

void
telescope_state_free(struct telescope_state *state)
{
	free_index(&state->index);
	free_index(&state->before);
	arena_free(&state->open_arena);
	*state = (struct telescope_state){ 0 };
}

void
telescope_state_forget(struct telescope_state *state)
{
	state->index.walk = state->index.pointers.walk = NULL;
	state->before.walk = state->before.pointers.walk = NULL;
	state->saves.walk = NULL;
}

void
telescope_state_select(struct telescope_state *state, const struct walk *walk)
{
	const struct telescope_index before = state->before;

	if (walk == NULL || walk == state->index.pointers.walk)
		return;
	state->before = state->index;
	state->index = before;
}

void
telescope_open_all(struct telescope_state *state, bool open)
{
	state->all = open;
	state->open_count = 0;
}

/* The part that contains an address, or the last part below the address; NULL: none. */
static const struct telescope_part *
part_of(const struct telescope_index *index, uint64_t address)
{
	size_t low = sorted_upto(SORTED(index->parts, index->part_count, address), address);

	/* Parts without words have the address of the words after them. */
	return low > 0 ? &index->parts[low - 1] : NULL;
}

bool
telescope_toggle(struct telescope_state *state, uint64_t address)
{
	const struct telescope_part *part = part_of(&state->index, address);
	size_t at = 0;

	if (part == NULL || part->kind != TELESCOPE_FOLD)
		return false;
	while (at < state->open_count && state->open[at] != part->address)
		at++;
	if (at < state->open_count) {
		state->open[at] = state->open[--state->open_count];
		return true;
	}
	return ARENA_ADD(&state->open_arena, state->open, state->open_count, state->open_capacity,
			 &(uint64_t){ part->address });
}

bool
telescope_holds(const struct telescope *telescope, uint64_t address)
{
	const struct walk *walk = telescope->options.walk;
	const struct memory_marks *marks = &telescope->marks;
	const struct memory_run *run = memory_run_of(telescope->options.memory, address);

	if (run == NULL || walk == NULL || walk->count == 0)
		return false;
	if (walk->memory.stack != NULL && walk->memory.stack->base == run->base)
		return true;
	/* The run may also be the stack of a signal handler. */
	const size_t at =
		sorted_below(SORTED(marks->sp.items, marks->sp.count, address), run->base);
	return at < marks->sp.count &&
		checked_contains(run->base, run->size, marks->sp.items[at].address);
}

static bool
is_toggled(const struct telescope *telescope, size_t index)
{
	for (size_t i = 0; i < telescope->toggled_count; i++)
		if (telescope->toggled[i] == index)
			return true;
	return false;
}

/* The first row of a part, with folds as the user left them. */
static size_t
row_of_part(const struct telescope *telescope, const struct telescope_part *part)
{
	const struct telescope_state *state = telescope->options.state;
	const size_t index = (size_t)(part - state->index.parts);
	size_t row = state->all ? part->open_row : part->row, low = 0;

	/* Each toggled fold adds or removes its words. */
	for (; low < telescope->toggled_count && telescope->toggled[low] < index; low++) {
		const size_t words = (size_t)state->index.parts[telescope->toggled[low]].count;

		row = state->all ? row - words : row + words;
	}
	return row;
}

static bool
is_open(const struct telescope *telescope, const struct telescope_part *part)
{
	const struct telescope_state *state = telescope->options.state;

	return part->kind == TELESCOPE_FOLD &&
		state->all != is_toggled(telescope, (size_t)(part - state->index.parts));
}

struct telescope_place
telescope_place(const struct telescope *telescope, size_t row)
{
	const struct telescope_index *index = &telescope->options.state->index;
	struct telescope_place place = { 0 };
	size_t at;

	if (telescope->run != NULL)
		return (struct telescope_place){ .part = &telescope->words, .index = row,
			.word = true, .address = telescope->words.address + row * telescope->size };
	BISECT_LAST(at, index->part_count, row_of_part(telescope, &index->parts[at]) <= row);
	place.part = &index->parts[at];
	place.index = row - row_of_part(telescope, place.part);
	place.open = is_open(telescope, place.part);
	place.word = place.part->kind == TELESCOPE_WORDS;
	if (place.open && place.index > 0) {
		place.index--;
		place.word = true;
	}
	place.address = place.part->address + (place.word ? place.index * telescope->size : 0);
	return place;
}

SORTED_VALUES(compare_indexes, size_t)

/* Adds a fold to the list of toggled ones, unless the list has it already. */
static void
toggle_part(struct telescope *telescope, size_t *list, uint64_t address)
{
	const struct telescope_index *index = &telescope->options.state->index;
	const struct telescope_part *part = part_of(index, address);

	if (part == NULL || part->kind != TELESCOPE_FOLD ||
		is_toggled(telescope, (size_t)(part - index->parts)))
		return;
	list[telescope->toggled_count++] = (size_t)(part - index->parts);
}

/* Finds the folds that the user has toggled, and those that hide words read by the step. */
static void
collect_toggled(struct telescope *telescope, struct arena *arena)
{
	const struct telescope_state *state = telescope->options.state;
	const struct memory_marks *marks = &telescope->marks;
	const size_t most = state->open_count + marks->read_count;
	size_t *list = arena_array(arena, most, sizeof(*list));

	telescope->toggled = list;
	for (size_t i = 0; list != NULL && i < state->open_count; i++)
		toggle_part(telescope, list, state->open[i]);
	for (size_t i = 0; list != NULL && !state->all && i < marks->read_count; i++)
		toggle_part(telescope, list, marks->reads[i].address);
	SORT(list, telescope->toggled_count, compare_indexes);
}

bool
telescope_place_parts(struct telescope *telescope, struct arena *arena)
{
	const struct telescope_options *options = &telescope->options;
	const struct telescope_index *index = &options->state->index;

	if (!index_memory(telescope, options->until == 0 ? UINT64_MAX : options->until))
		return false;
	collect_toggled(telescope, arena);
	const struct telescope_part *last = &index->parts[index->part_count - 1];
	telescope->short_addresses =
		telescope->size == 8 && (last->address + last->count * 8) >> 48 == 0;
	telescope->rows = row_of_part(telescope, last) + 1;
	if (last->kind == TELESCOPE_WORDS)
		telescope->rows += (size_t)last->count - 1;
	else if (is_open(telescope, last))
		telescope->rows += (size_t)last->count;
	return true;
}

bool
telescope_more(const struct listing *listing)
{
	const struct telescope *telescope = listing->context;
	const uint64_t reached = telescope_is(listing)
		? reached_address(&telescope->options.state->index) : UINT64_MAX;

	if (reached != UINT64_MAX)
		index_memory(telescope, reached);
	return reached != UINT64_MAX;
}

size_t
telescope_row(const struct listing *listing, uint64_t address)
{
	const struct telescope *telescope = telescope_of(listing);

	if (telescope != NULL && telescope->run != NULL) {
		const uint64_t first = telescope->words.address;
		const uint64_t at = address < first ? 0 : (address - first) / telescope->size;

		return at < listing->count ? (size_t)at : listing->count - 1;
	}
	const struct telescope_part *part =
		telescope_is(listing) ? part_of(&telescope->options.state->index, address) : NULL;
	if (part == NULL)
		return 0;
	size_t row = row_of_part(telescope, part);
	const uint64_t index = (address - part->address) / telescope->size;
	if (part->kind == TELESCOPE_WORDS)
		return row + (size_t)(index < part->count ? index : part->count - 1);
	if (is_open(telescope, part))
		return row + 1 + (size_t)(index < part->count ? index : part->count - 1);
	return row;
}

size_t
telescope_frame_row(const struct listing *listing, size_t frame)
{
	const struct telescope *telescope = listing->context;

	if (!telescope_is(listing) || frame >= telescope->options.walk->count)
		return 0;
	const struct walk *walk = telescope->options.walk;
	const struct telescope_index *index = &telescope->options.state->index;
	const uint64_t sp = walk->frames[frame].registers.value[walk->arch->sp];
	const struct telescope_part *part = part_of(index, sp);

	for (const struct telescope_part *at = part; at != NULL && at >= index->parts; at--) {
		if (at->kind == TELESCOPE_FRAME && at->frame == frame)
			return row_of_part(telescope, at);
		if (at->address < sp)
			break;
	}
	return telescope_row(listing, sp);
}
