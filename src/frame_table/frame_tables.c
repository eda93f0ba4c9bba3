/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <pthread.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "frame_table/frame_tables_internal.h"

#ifdef HAVE_DWARF
#define BY_LIBDW(open) open, elf_frames_find, elf_frames_extent, NULL, elf_frames_close
#else
#define BY_LIBDW(open) NULL, NULL, NULL, NULL, NULL
#endif

/* In the order in which they are asked. A table that nothing reads in this build is in no file. */
static const struct frame_reader readers[] = {
	{ ".eh_frame", BINARIES_IMAGE, BY_LIBDW(elf_frames_open_eh) },
	{ ".debug_frame", BINARIES_DEBUG, BY_LIBDW(elf_frames_open_debug) },
	{ ".pdata", BINARIES_IMAGE, pe_frames_open, pe_frames_find, pe_frames_extent,
	  pe_frames_next, pe_frames_close },
	{ ".ARM.exidx", BINARIES_IMAGE, arm_frames_open, arm_frames_find, arm_frames_extent,
	  NULL, arm_frames_close },
};
_Static_assert(ARRAY_COUNT(readers) == FRAME_TABLES, "every reader has a number");

struct frame_slot {
	bool asked[ARRAY_COUNT(readers)];	/* the file is settled */
	void *states[ARRAY_COUNT(readers)];
};

struct frame_tables {
	const struct crash *crash;
	struct binaries *binaries;
	struct frame_slot *slots;		/* one a loaded module */
	struct arena arena;
	pthread_mutex_t mutex;		/* all but the above */
};

static void *
create(const struct crash *crash, struct binaries *binaries)
{
	struct frame_tables *tables = calloc(1, sizeof(*tables));

	if (tables == NULL)
		return NULL;
	arena_init(&tables->arena, 0);
	tables->crash = crash;
	tables->binaries = binaries;
	tables->slots = arena_array(&tables->arena, crash->module_count + 1,
				    sizeof(*tables->slots));
	if (tables->slots == NULL || pthread_mutex_init(&tables->mutex, NULL) != 0) {
		arena_free(&tables->arena);
		free(tables);
		return NULL;
	}
	return tables;
}

static void
release(void *reader)
{
	struct frame_tables *tables = reader;

	if (tables == NULL)
		return;
	for (size_t i = 0; i < tables->crash->module_count; i++)
		for (size_t j = 0; j < ARRAY_COUNT(readers); j++)
			if (tables->slots[i].states[j] != NULL)
				readers[j].close(tables->slots[i].states[j]);
	pthread_mutex_destroy(&tables->mutex);
	arena_free(&tables->arena);
	free(tables);
}

struct frame_tables *
binaries_frame_tables(const struct binaries *binaries)
{
	static const struct binaries_reader_kind kind = { .create = create, .release = release };

	return binaries_reader(binaries, BINARIES_FRAME_TABLES, &kind);
}

/* The slot of a module with its tables open, as far as its files are settled. With the mutex. */
static struct frame_slot *
open_slot(struct frame_tables *tables, size_t module)
{
	struct frame_slot *slot = &tables->slots[module];

	for (size_t i = 0; i < ARRAY_COUNT(readers); i++) {
		if (slot->asked[i])
			continue;
		const struct binary *binary = binaries_try(tables->binaries, module,
							   readers[i].file, &slot->asked[i]);
		if (binary != NULL && slot->asked[i] && readers[i].open != NULL)
			slot->states[i] = readers[i].open(binary);
	}
	return slot;
}

bool
frame_tables_has(struct frame_tables *tables, size_t module)
{
	bool has = false;

	if (tables == NULL || module >= tables->crash->module_count ||
	    !binaries_configured(tables->binaries))
		return false;
	pthread_mutex_lock(&tables->mutex);
	const struct frame_slot *slot = open_slot(tables, module);
	for (size_t i = 0; i < ARRAY_COUNT(readers); i++)
		has |= slot->states[i] != NULL;
	pthread_mutex_unlock(&tables->mutex);
	return has;
}

const struct frame_table_row *
frame_tables_find(struct frame_tables *tables, const struct frame_table_question *question,
		  struct arena *arena, const char **problem)
{
	const struct frame_table_row *row = NULL;

	*problem = NULL;
	if (!frame_tables_has(tables, question->module))
		return NULL;
	pthread_mutex_lock(&tables->mutex);
	const struct frame_slot *slot = open_slot(tables, question->module);
	for (size_t i = 0; row == NULL && i < ARRAY_COUNT(readers); i++)
		if (slot->states[i] != NULL)
			row = readers[i].find(slot->states[i], tables->crash->system.arch,
					      question, arena, problem);
	pthread_mutex_unlock(&tables->mutex);
	if (row != NULL)
		*problem = NULL;
	return row;
}

const char *
frame_tables_name(unsigned number)
{
	return readers[number].table;
}

const struct binary *
frame_tables_file(struct frame_tables *tables, size_t module, unsigned number)
{
	const struct binary *binary = NULL;

	if (!frame_tables_has(tables, module))
		return NULL;
	pthread_mutex_lock(&tables->mutex);
	if (open_slot(tables, module)->states[number] != NULL)
		binary = binaries_load(tables->binaries, module, readers[number].file);
	pthread_mutex_unlock(&tables->mutex);
	return binary;
}

void
frame_tables_extent(struct frame_tables *tables, size_t module, unsigned number, uint64_t relative,
		    struct frame_extent *extent)
{
	pthread_mutex_lock(&tables->mutex);
	readers[number].extent(open_slot(tables, module)->states[number], relative, extent);
	pthread_mutex_unlock(&tables->mutex);
}

const struct frame_table_row *
frame_tables_row(struct frame_tables *tables, unsigned number,
		 const struct frame_table_question *question, struct arena *arena,
		 const char **problem)
{
	const struct frame_table_row *row;

	*problem = NULL;
	pthread_mutex_lock(&tables->mutex);
	row = readers[number].find(open_slot(tables, question->module)->states[number],
				   tables->crash->system.arch, question, arena, problem);
	pthread_mutex_unlock(&tables->mutex);
	return row;
}

uint64_t
frame_tables_next(struct frame_tables *tables, unsigned number, size_t module, uint64_t relative,
		  const struct frame_table_row *row)
{
	uint64_t next = row->last + 1;

	if (readers[number].next == NULL)
		return next;
	pthread_mutex_lock(&tables->mutex);
	next = readers[number].next(open_slot(tables, module)->states[number],
				    tables->crash->system.arch, relative);
	pthread_mutex_unlock(&tables->mutex);
	return next;
}
