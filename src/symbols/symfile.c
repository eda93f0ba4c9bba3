/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/index_file.h"
#include "symbols/records.h"

void
symfile_close(struct symfile *symfile)
{
	if (symfile == NULL)
		return;
	if (symfile->writing)
		pthread_join(symfile->writer, NULL);
	symfile_view_free(&symfile->whole);
	symfile_view_free(&symfile->part);
	if (symfile->index.data == NULL)
		free(symfile->block_lines);
	index_guard_free(symfile->guard);
	for (size_t table = 0; table < TABLE_COUNT; table++)
		table_free(&symfile->tables[table]);
	file_close(&symfile->index);
	free(symfile->key);
	free(symfile->directory);
	arena_free(&symfile->arena);
	if (!symfile->borrowed)
		file_close(&symfile->file);
	free(symfile);
}

static void *
keep_index(void *context)
{
	const struct symfile *symfile = context;

	index_file_save(symfile, symfile->directory);
	return NULL;
}

/* Index what `symfile->file` holds. */
static enum error_code
index_text(struct symfile *symfile, const struct scan_options *options)
{
	symfile->data = (const char *)symfile->file.data;
	symfile->found.size = symfile->file.size;
	if (symfile->found.size > WHERE_OFFSET_MAX)
		return ERROR_MEMORY;
	if (symfile->directory != NULL && index_file_load(symfile, symfile->directory))
		return ERROR_NONE;
	const enum error_code code = symfile_scan(symfile, options);
	if (code != ERROR_NONE)
		return code;
	if (!symfile_index(symfile))
		return ERROR_MEMORY;
	/* In the background: only symfile_close waits for it. */
	symfile->writing = symfile->key != NULL &&
			   pthread_create(&symfile->writer, NULL, keep_index, symfile) == 0;
	return ERROR_NONE;
}

/* Index a file; frees the symbol file where that fails. */
static enum error_code
finish(struct symfile **result, struct symfile *symfile, const struct scan_options *options,
       struct error *error)
{
	const enum error_code code = index_text(symfile, options);

	if (code != ERROR_NONE) {
		error_set(error, code, (struct place){ .input = NULL },
			  code == ERROR_CANCELLED ? "reading was cancelled" : "too large to index");
		symfile_close(symfile);
		return code;
	}
	if (symfile->tables[TABLE_MODULE].count != 0)
		symfile->identity = record_module(
			symfile_text(symfile, row_where(symfile, TABLE_MODULE, 0)));
	*result = symfile;
	return ERROR_NONE;
}

static struct symfile *
create(struct error *error)
{
	struct symfile *symfile = calloc(1, sizeof(*symfile));

	if (symfile == NULL) {
		error_set(error, ERROR_MEMORY, (struct place){ 0 },
			  "out of memory for a symbol file");
		return NULL;
	}
	arena_init(&symfile->arena, 0);
	message_list_init(&symfile->messages, &symfile->arena);
	symfile->tables[TABLE_FUNC].ranges = true;
	symfile->tables[TABLE_INIT].ranges = true;
	for (size_t type = 0; type < STACK_WIN_TYPES; type++)
		symfile->tables[TABLE_WIN + type].ranges = true;
	return symfile;
}

enum error_code
symfile_open(struct symfile **result, const char *path, const struct symfile_options *options,
	     struct error *error)
{
	struct scan_options scan = { 0 };
	struct inflated inflated;

	if (options != NULL)
		scan = (struct scan_options){ .progress = options->progress,
					      .context = options->context };
	*result = NULL;
	struct symfile *symfile = create(error);

	if (symfile == NULL)
		return ERROR_MEMORY;
	enum error_code code = file_open_mapped(&symfile->file, path, error);
	if (code != ERROR_NONE) {
		symfile_close(symfile);
		return code;
	}
	/* What came out of a damaged compressed file counts. */
	if (file_inflate(&symfile->file, &inflated) && inflated.end != INFLATE_WHOLE)
		message_add(&symfile->messages, MESSAGE_TRUNCATED,
			    (struct place){ .input = &symfile->file.input },
			    "decompressing '%s' stopped after %" PRIu64 " bytes: %s"
			    "\nonly these are used", place_base_name(symfile->file.input.name),
			    symfile->file.size, inflated.reason);
	if (options != NULL && options->index_directory != NULL) {
		symfile->directory = strdup(options->index_directory);
		if (symfile->directory != NULL)
			index_file_identify(symfile);
	}
	return finish(result, symfile, &scan, error);
}

enum error_code
symfile_from_memory(struct symfile **result, const char *name, const void *bytes, size_t size,
		    struct error *error)
{
	return symfile_scan_memory(result, name, bytes, size, &(struct scan_options){ 0 }, error);
}

enum error_code
symfile_scan_memory(struct symfile **result, const char *name, const void *bytes, size_t size,
		    const struct scan_options *options, struct error *error)
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
			  "out of memory for a symbol file");
		symfile_close(symfile);
		return ERROR_MEMORY;
	}
	return finish(result, symfile, options, error);
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
	return symfile->found.corrupt;
}

/* Which table has the records of a kind; TABLE_COUNT: none. */
static enum table_kind
table_of(enum symbol_record_kind kind)
{
	static const enum table_kind kinds[] = {
		[SYMBOL_MODULE] = TABLE_MODULE,
		[SYMBOL_INFO] = TABLE_INFO,
		[SYMBOL_FILE] = TABLE_FILE,
		[SYMBOL_INLINE_ORIGIN] = TABLE_ORIGIN,
		[SYMBOL_FUNC] = TABLE_FUNC,
		[SYMBOL_LINE] = TABLE_COUNT,
		[SYMBOL_INLINE] = TABLE_COUNT,
		[SYMBOL_PUBLIC] = TABLE_PUBLIC,
		[SYMBOL_STACK_WIN] = TABLE_WIN,
		[SYMBOL_STACK_CFI_INIT] = TABLE_INIT,
		[SYMBOL_STACK_CFI] = TABLE_DELTA,
	};

	return kinds[kind];
}

size_t
symfile_count(const struct symfile *symfile, enum symbol_record_kind kind)
{
	const enum table_kind table = table_of(kind);
	size_t count = 0;

	if (table == TABLE_COUNT)
		return 0;
	if (table == TABLE_DELTA)
		return (size_t)symfile->found.delta_count;
	if (table != TABLE_WIN)
		return symfile->tables[table].count;
	for (size_t type = 0; type < STACK_WIN_TYPES; type++)
		count += symfile->tables[TABLE_WIN + type].count;
	return count;
}

bool
symfile_record(const struct symfile *symfile, enum symbol_record_kind kind, size_t index,
	       uint64_t *offset, uint32_t *length)
{
	enum table_kind kept = table_of(kind);

	if (index >= symfile_count(symfile, kind))
		return false;
	/* Records of type 0 stand first, each type in the order of the file. */
	for (; kept >= TABLE_WIN && kept <= TABLE_WIN_LAST &&
	       index >= symfile->tables[kept].count; kept++)
		index -= symfile->tables[kept].count;
	const struct table *table = &symfile->tables[kept];
	if (index >= table->count)
		return false;
	const uint64_t where = symfile_where_at(symfile, table_offset(table, index));
	*offset = where_offset(where);
	*length = where_length(where);
	return true;
}
