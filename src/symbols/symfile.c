/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include <stdlib.h>

static void
free_tables(struct symfile *symfile)
{
	free(symfile->functions.rows);
	free(symfile->inits.rows);
	for (size_t type = 0; type < STACK_WIN_TYPES; type++)
		free(symfile->win[type].rows);
	free(symfile->publics.rows);
	free(symfile->deltas.rows);
	free(symfile->files.rows);
	free(symfile->origins.rows);
	free(symfile->modules.rows);
	free(symfile->infos.rows);
}

void
symfile_close(struct symfile *symfile)
{
	if (symfile == NULL)
		return;
	symfile_view_free(&symfile->whole);
	symfile_view_free(&symfile->part);
	free_tables(symfile);
	free(symfile->marks);
	arena_free(&symfile->arena);
	if (!symfile->borrowed)
		file_close(&symfile->file);
	free(symfile);
}

/* Index what `symfile->file` holds; frees the symbol file where that fails. */
static enum error_code
finish(struct symfile **result, struct symfile *symfile, struct error *error)
{
	struct place place = { .input = NULL };

	symfile->data = (const char *)symfile->file.data;
	symfile->size = symfile->file.size;
	if (symfile->size <= WHERE_OFFSET_MAX && symfile_scan(symfile) &&
	    symfile_index(symfile)) {
		*result = symfile;
		return ERROR_NONE;
	}
	error_set(error, ERROR_MEMORY, place, "'%s' is too large to index",
		  symfile->file.input.name);
	symfile_close(symfile);
	return ERROR_MEMORY;
}

static struct symfile *
create(struct error *error)
{
	struct symfile *symfile = calloc(1, sizeof(*symfile));

	if (symfile == NULL) {
		error_set(error, ERROR_MEMORY, (struct place){ 0 },
			  "no memory for a symbol file");
		return NULL;
	}
	arena_init(&symfile->arena, 0);
	message_list_init(&symfile->messages, &symfile->arena);
	return symfile;
}

enum error_code
symfile_open(struct symfile **result, const char *path, struct error *error)
{
	*result = NULL;
	struct symfile *symfile = create(error);

	if (symfile == NULL)
		return ERROR_MEMORY;
	enum error_code code = file_open(&symfile->file, path, error);
	if (code != ERROR_NONE) {
		symfile_close(symfile);
		return code;
	}
	return finish(result, symfile, error);
}

enum error_code
symfile_from_memory(struct symfile **result, const char *name, const void *bytes, size_t size,
		    struct error *error)
{
	*result = NULL;
	struct symfile *symfile = create(error);

	if (symfile == NULL)
		return ERROR_MEMORY;
	symfile->borrowed = true;
	symfile->file.input.name = arena_format(&symfile->arena, "%s", name);
	symfile->file.data = bytes;
	symfile->file.size = size;
	if (symfile->file.input.name == NULL) {
		error_set(error, ERROR_MEMORY, (struct place){ 0 },
			  "no memory for a symbol file");
		symfile_close(symfile);
		return ERROR_MEMORY;
	}
	return finish(result, symfile, error);
}

struct symfile_identity
symfile_identity(const struct symfile *symfile)
{
	return symfile->identity;
}

const struct file *
symfile_file(const struct symfile *symfile)
{
	return &symfile->file;
}

const struct message_list *
symfile_messages(const struct symfile *symfile)
{
	return &symfile->messages;
}

bool
symfile_corrupt(const struct symfile *symfile)
{
	return symfile->corrupt;
}

static const struct point_table *
points_of(const struct symfile *symfile, enum symbol_record_kind kind)
{
	switch (kind) {
	case SYMBOL_MODULE:
		return &symfile->modules;
	case SYMBOL_INFO:
		return &symfile->infos;
	case SYMBOL_FILE:
		return &symfile->files;
	case SYMBOL_INLINE_ORIGIN:
		return &symfile->origins;
	case SYMBOL_PUBLIC:
		return &symfile->publics;
	case SYMBOL_STACK_CFI:
		return &symfile->deltas;
	default:
		return NULL;
	}
}

static size_t
count_win(const struct symfile *symfile)
{
	size_t count = 0;

	for (size_t type = 0; type < STACK_WIN_TYPES; type++)
		count += symfile->win[type].count;
	return count;
}

size_t
symfile_count(const struct symfile *symfile, enum symbol_record_kind kind)
{
	const struct point_table *points = points_of(symfile, kind);

	if (points != NULL)
		return points->count;
	if (kind == SYMBOL_FUNC)
		return symfile->functions.count;
	if (kind == SYMBOL_STACK_CFI_INIT)
		return symfile->inits.count;
	return kind == SYMBOL_STACK_WIN ? count_win(symfile) : 0;
}

/* The place of a STACK WIN record: of type 0 first, each type in the order of the file. */
static uint64_t
where_of_win(const struct symfile *symfile, size_t index)
{
	size_t type = 0;

	for (; index >= symfile->win[type].count; type++)
		index -= symfile->win[type].count;
	return symfile->win[type].rows[index].where;
}

bool
symfile_record(const struct symfile *symfile, enum symbol_record_kind kind, size_t index,
	       uint64_t *offset, uint32_t *length)
{
	const struct point_table *points = points_of(symfile, kind);
	uint64_t where;

	if (index >= symfile_count(symfile, kind))
		return false;
	if (points != NULL)
		where = points->rows[index].where;
	else if (kind == SYMBOL_FUNC)
		where = symfile->functions.rows[index].where;
	else if (kind == SYMBOL_STACK_CFI_INIT)
		where = symfile->inits.rows[index].where;
	else
		where = where_of_win(symfile, index);
	*offset = where_offset(where);
	*length = where_length(where);
	return true;
}
