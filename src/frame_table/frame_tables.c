/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/frame_tables_internal.h"

#include <string.h>

#include "base/limits.h"

/* Readers of all tables, in the order of look-ups. */
static const struct frame_reader *const readers[FRAME_TABLES] = {
	&pe_frames_reader, &compact_frames_reader, &elf_frames_eh, &elf_frames_debug,
	&arm_frames_reader,
};

struct frame_slot {
	bool asked[FRAME_TABLES];	/* no server will provide another file */
	void *states[FRAME_TABLES];
};

static void
close_slot(void *slot)
{
	void *const *states = ((const struct frame_slot *)slot)->states;

	for (size_t i = 0; i < FRAME_TABLES; i++)
		if (states[i] != NULL)
			readers[i]->close(states[i]);
}

/*
 * Locks the mutex, opens the tables whose files will not change any more, and returns the slot of
 * a module. If there are no files, returns NULL and locks nothing.
 */
static struct frame_slot *
lock_slot(const struct binaries *binaries, size_t module, struct binaries_reader **reader)
{
	static const struct binaries_reader_kind kind = {
		.room = BINARIES_FRAME_TABLES, .slot_size = sizeof(struct frame_slot),
		.close = close_slot };

	*reader = binaries_reader(binaries, &kind, module);
	if (*reader == NULL || !binaries_configured(binaries))
		return NULL;
	struct frame_slot *slot = (struct frame_slot *)(*reader)->slots + module;
	pthread_mutex_lock(&(*reader)->mutex);
	for (size_t i = 0; i < FRAME_TABLES; i++) {
		if (slot->asked[i])
			continue;
		const struct binary *binary = binaries_try((*reader)->binaries, module,
							   readers[i]->file, &slot->asked[i]);
		struct elf_damage damage = { 0 };
		if (binary != NULL && slot->asked[i])
			slot->states[i] = readers[i]->open(binary, &damage);
		binaries_report_damage((*reader)->binaries, &damage);
	}
	return slot;
}

bool
frame_tables_has(const struct binaries *binaries, size_t module)
{
	struct binaries_reader *reader;
	const struct frame_slot *slot = lock_slot(binaries, module, &reader);
	bool has = false;

	if (slot == NULL)
		return false;
	for (size_t i = 0; i < FRAME_TABLES; i++)
		has |= slot->states[i] != NULL;
	pthread_mutex_unlock(&reader->mutex);
	return has;
}

/* Whether a table presumes a row for the address. Such a row is used if no other table has one. */
static bool
is_presumed(const struct frame_slot *slot, size_t table,
	  const struct frame_table_question *question)
{
	struct frame_extent extent;

	if (!readers[table]->presumes || question->table != FRAME_TABLES)
		return false;
	readers[table]->extent(slot->states[table], question->relative, &extent);
	return !extent.entry;
}

const struct unwind_row *
frame_tables_find(const struct binaries *binaries, const struct frame_table_question *question,
		  struct arena *arena, const char **problem)
{
	struct binaries_reader *reader;
	const struct frame_slot *slot = lock_slot(binaries, question->module, &reader);
	const struct unwind_row *row = NULL;

	*problem = NULL;
	if (slot == NULL)
		return NULL;
	for (size_t at = 0; row == NULL && at < 2 * FRAME_TABLES; at++) {
		const size_t i = at % FRAME_TABLES;

		if (slot->states[i] != NULL &&
		    (question->table == i || question->table == FRAME_TABLES) &&
		    is_presumed(slot, i, question) == (at >= FRAME_TABLES))
			row = readers[i]->find(slot->states[i], reader->crash->system.arch,
					       question, arena, problem);
	}
	pthread_mutex_unlock(&reader->mutex);
	if (row != NULL)
		*problem = NULL;
	return row;
}

const char *
frame_tables_name(unsigned number)
{
	return readers[number]->table;
}

const struct binary *
frame_tables_file(const struct binaries *binaries, size_t module, unsigned number)
{
	struct binaries_reader *reader;
	const struct frame_slot *slot = lock_slot(binaries, module, &reader);
	const struct binary *binary = NULL;

	if (slot == NULL)
		return NULL;
	if (slot->states[number] != NULL)
		binary = binaries_load(reader->binaries, module, readers[number]->file);
	pthread_mutex_unlock(&reader->mutex);
	return binary;
}

const struct cfi_table *
frame_tables_cfi(const struct binaries *binaries, size_t module, unsigned number)
{
	struct binaries_reader *reader;
	const struct frame_slot *slot = lock_slot(binaries, module, &reader);
	const struct cfi_table *table = NULL;

	if (slot == NULL)
		return NULL;
	if (slot->states[number] != NULL && readers[number]->cfi != NULL)
		table = readers[number]->cfi(slot->states[number]);
	pthread_mutex_unlock(&reader->mutex);
	return table;
}

void
frame_tables_extent(const struct binaries *binaries, size_t module, unsigned number,
		    uint64_t relative, struct frame_extent *extent)
{
	struct binaries_reader *reader;
	const struct frame_slot *slot = lock_slot(binaries, module, &reader);

	readers[number]->extent(slot->states[number], relative, extent);
	pthread_mutex_unlock(&reader->mutex);
}

/* Rows in order -------------------------------------------------------------------------------- */

/* The next address to look up after an address whose row is `row`. */
static uint64_t
address_after(const struct binaries *binaries, const struct frame_table_question *question,
	      const struct unwind_row *row)
{
	const struct frame_reader *table = readers[question->table];
	struct binaries_reader *reader;

	if (table->next == NULL)
		return row->last + 1;
	const struct frame_slot *slot = lock_slot(binaries, question->module, &reader);
	const uint64_t next = table->next(slot->states[question->table],
					  reader->crash->system.arch, question->relative);
	pthread_mutex_unlock(&reader->mutex);
	return next;
}

void
frame_cursor_begin(struct frame_cursor *cursor, const struct binaries *binaries, size_t module,
		   unsigned table)
{
	const struct binary *file = frame_tables_file(binaries, module, table);

	*cursor = (struct frame_cursor){
		.binaries = binaries, .module = module, .table = table,
		.left = LIMIT_FRAME_STEPS + (file != NULL ? file->file.size : 0) };
}

void
frame_cursor_seek(struct frame_cursor *cursor, uint64_t address)
{
	const struct unwind_row *row = &cursor->row;
	struct frame_extent extent;

	frame_tables_extent(cursor->binaries, cursor->module, cursor->table, address, &extent);
	/* Begin with the entry's first row, or go on from the current row of the entry. */
	const bool onwards = extent.entry && cursor->at > row->first &&
			     row->begins == extent.first && address >= row->first;
	cursor->again = onwards && address <= row->last;
	if (!onwards)
		cursor->at = extent.entry ? extent.first : address;
	cursor->ended = false;
}

/* Look up a row. NULL: no entry covers the address, or, with `*problem`, a failure. */
static const struct unwind_row *
look_up(struct frame_cursor *cursor, const struct frame_table_question *question,
	const char **problem)
{
	*problem = frame_table_expensive;
	cursor->expensive = cursor->left == 0;
	if (cursor->expensive)
		return NULL;
	cursor->left--;
	return frame_tables_find(cursor->binaries, question, &cursor->arena, problem);
}

static bool
is_same(const struct unwind_row *one, const struct unwind_row *other)
{
	return one->signal == other->signal &&
	       memcmp(one->claims, other->claims, sizeof(one->claims)) == 0;
}

/* The last address with the rules of `row`, which begins at `question.relative`. */
static uint64_t
last_of_row(struct frame_cursor *cursor, struct frame_table_question question,
	    const struct unwind_row *row, uint64_t last)
{
	const struct unwind_row *other = row;
	const char *problem;

	for (;;) {
		const uint64_t next = address_after(cursor->binaries, &question, other);

		if (next <= question.relative || next > last)
			return last;
		question.relative = next;
		other = look_up(cursor, &question, &problem);
		if (other == NULL || !is_same(row, other))
			return next - 1;
	}
}

/* Read the row at `cursor->at`; false: no row up to the next entry. */
static bool
read_row(struct frame_cursor *cursor)
{
	const struct frame_table_question question = { .module = cursor->module,
						       .relative = cursor->at, .exact = true,
						       .table = cursor->table };
	struct unwind_row *row = &cursor->row;
	struct frame_extent extent;
	const char *problem;

	frame_tables_extent(cursor->binaries, cursor->module, cursor->table, cursor->at, &extent);
	arena_reset(&cursor->arena);
	const struct unwind_row *found = look_up(cursor, &question, &problem);
	if (found != NULL)
		*row = *found;
	else
		*row = (struct unwind_row){
			.problem = problem != NULL ? problem
				   : "cannot follow the instructions of the entry" };
	row->first = cursor->at;
	row->begins = extent.first;
	row->presumed = !extent.entry;
	row->record = row->entry = row->place.offset;
	if (extent.entry && found != NULL)
		row->last = last_of_row(cursor, question, found, extent.last);
	else if (found == NULL || row->last > extent.last)
		row->last = extent.last;
	cursor->at = row->last + 1;
	cursor->ended = row->last == UINT64_MAX;
	/* Code without an entry in this table may have an entry in another. */
	return found != NULL || extent.entry || (problem != NULL && !cursor->expensive);
}

bool
frame_cursor_next(struct frame_cursor *cursor)
{
	if (cursor->again) {
		cursor->again = false;
		return true;
	}
	while (!cursor->ended && !cursor->expensive)
		if (read_row(cursor))
			return true;
	return false;
}
