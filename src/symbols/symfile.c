/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_body.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/policy_rows.h"
#include "symbols/index_file.h"
#include "symbols/records.h"
#include "system/inflate.h"

void
symfile_close(struct symfile *symfile)
{
	if (symfile == NULL)
		return;
	if (symfile->writing)
		pthread_join(symfile->writer, NULL);
	symfile_view_free(&symfile->whole);
	symfile_view_free(&symfile->part);
	if (symfile->reading != NULL) {
		symfile_close(symfile->reading->symfile);
		pthread_mutex_destroy(&symfile->reading->mutex);
		free(symfile->reading);
	}
	body_kept_free(symfile->kept);
	if (symfile->index.data == NULL)
		free(symfile->block_lines);
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
	/* The index is saved in the background: only symfile_close waits for it. */
	symfile->writing = symfile->key != NULL &&
			   pthread_create(&symfile->writer, NULL, keep_index, symfile) == 0;
	return ERROR_NONE;
}

/* Index a file, and free it on failure. */
static enum error_code
finish(struct symfile **result, struct symfile *symfile, const struct scan_options *options,
       struct error *error)
{
	const enum error_code code = index_text(symfile, options);

	if (code != ERROR_NONE) {
		error_set(error, code, (struct place){ .input = NULL },
			  code == ERROR_CANCELLED ? "reading was cancelled"
			  : symfile->found.size > WHERE_OFFSET_MAX ? "too large to index"
								   : OUT_OF_MEMORY);
		symfile_close(symfile);
		return code;
	}
	if (symfile->tables[TABLE_MODULE].count != 0)
		symfile->identity = record_module(
			symfile_text(symfile, row_where(symfile, TABLE_MODULE, 0)));
	*result = symfile;
	return ERROR_NONE;
}

struct symfile *
symfile_create(struct error *error)
{
	static atomic_uint_least64_t last;
	struct symfile *symfile = calloc(1, sizeof(*symfile));
	struct strict_reading *reading = calloc(1, sizeof(*reading));

	if (symfile == NULL || reading == NULL) {
		free(symfile);
		free(reading);
		error_plain(error, ERROR_MEMORY, "out of memory for a symbol file");
		return NULL;
	}
	symfile->number = atomic_fetch_add(&last, 1) + 1;
	symfile->reading = reading;
	/* NULL is allowed: then every lookup reads its function. */
	symfile->kept = body_kept_create();
	pthread_mutex_init(&reading->mutex, NULL);
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
	struct symfile *symfile = symfile_create(error);

	if (symfile == NULL)
		return ERROR_MEMORY;
	enum error_code code = file_open_most(&symfile->file, path, LIMIT_READ_SMALL,
					      file_most_symbols, error);
	if (code != ERROR_NONE) {
		symfile_close(symfile);
		return code;
	}
	/* The decompressed part of a damaged file is used. */
	if (file_inflate(&symfile->file, file_most_symbols, &inflated) &&
	    inflated.end != INFLATE_WHOLE)
		message_add(&symfile->messages, MESSAGE_TRUNCATED,
			    (struct place){ .input = &symfile->file.input },
			    "decompressing '%s' stopped after %" PRIu64 " bytes: %s"
			    "\nonly these are used", place_base_name(symfile->file.input.name),
			    symfile->file.size, inflated.reason);
	if (symfile->file.cut)
		message_add(&symfile->messages, MESSAGE_LIMIT,
			    (struct place){ .input = &symfile->file.input },
			    "only the first %" PRIu64 " bytes of '%s' are read", symfile->file.size,
			    place_base_name(symfile->file.input.name));
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
	struct symfile *symfile = symfile_create(error);

	if (symfile == NULL)
		return ERROR_MEMORY;
	symfile->borrowed = true;
	symfile->file.input.name = arena_format(&symfile->arena, "%s", name);
	symfile->file.data = bytes;
	symfile->file.size = size;
	if (symfile->file.input.name == NULL) {
		error_plain(error, ERROR_MEMORY, "out of memory for a symbol file");
		symfile_close(symfile);
		return ERROR_MEMORY;
	}
	return finish(result, symfile, options, error);
}

bool
symfile_strict_row(const struct symbol_record *record, struct index_row *row)
{
	static const bool found[SYMBOL_KIND_COUNT] = {
		[SYMBOL_FUNC] = true,	     [SYMBOL_STACK_CFI_INIT] = true,
		[SYMBOL_STACK_WIN] = true,   [SYMBOL_PUBLIC] = true,
		[SYMBOL_FILE] = true,	     [SYMBOL_INLINE_ORIGIN] = true,
	};

	if (!found[record->kind] || !index_row_from(record, row))
		return false;
	/* A STACK WIN record is used only if its type and last field agree. */
	if (record->kind == SYMBOL_STACK_WIN &&
	    ((row->table != TABLE_WIN && row->table != TABLE_WIN_LAST) ||
	     (row->table == TABLE_WIN_LAST) != (record->fields[WIN_HAS_PROGRAM].value == 1)))
		return false;
	const bool ranges = row->table <= TABLE_WIN_LAST;
	return !ranges || (row->size != 0 && row->size <= UINT64_MAX - row->address);
}

/* Store the row of a skipped line or of a record that lookups need. False when out of memory. */
static bool
keep_strict(void *context, const struct symbol_record *record)
{
	struct symfile *symfile = context;
	const uint64_t offset = (uint64_t)(record->text.start - symfile->data);
	struct index_row row;

	if (record->kind == SYMBOL_KIND_COUNT)
		return table_add(&symfile->tables[TABLE_LEFT_OUT], 0, 0, offset);
	return !symfile_strict_row(record, &row) ||
	       table_add(&symfile->tables[row.table], row.address, row.size, offset);
}

static void
read_strict(const struct symfile *base, struct strict_reading *reading)
{
	struct strict_refusal refusal;
	struct error error = { 0 };
	struct symfile *symfile;

	reading->done = reading->refused = true;
	if (base->version != NULL) {
		/* A version is accepted if its file is accepted. */
		const struct symfile *from = symfile_strict(base->base);

		reading->symfile = from != NULL ? symfile_version_of(from, base->version) : NULL;
		reading->refused = reading->symfile == NULL;
		return;
	}
	symfile = reading->symfile = symfile_create(&error);
	if (symfile == NULL)
		return;
	symfile->strict = symfile->borrowed = true;
	symfile->base = base;
	symfile->data = base->data;
	symfile->identity = base->identity;
	symfile->found = (struct symfile_found){ .size = base->file.size,
						 .first_return = base->found.first_return,
						 .line_count = base->found.line_count };
	if (strict_read(base->data, base->file.size, keep_strict, symfile, &refusal) &&
	    symfile_index(symfile))
		reading->refused = false;
	else
		symfile_report(symfile, MESSAGE_SYMBOL_STOP, where_of(refusal.offset, 0),
			       "rust-minidump refuses the file: %s"
			       "\nnothing of the file is used",
			       refusal.why != NULL ? refusal.why : "out of memory");
}

static struct strict_reading *
lock_strict(const struct symfile *symfile)
{
	pthread_mutex_lock(&symfile->reading->mutex);
	return symfile->reading;
}

const struct symfile *
symfile_strict(const struct symfile *symfile)
{
	if (symfile->strict)
		return symfile;
	struct strict_reading *reading = lock_strict(symfile);
	if (!reading->done)
		read_strict(symfile, reading);
	const struct symfile *strict = reading->refused ? NULL : reading->symfile;
	pthread_mutex_unlock(&reading->mutex);
	return strict;
}

const struct symfile *
symfile_under(const struct symfile *symfile, const struct policy *policy)
{
	return symfile == NULL || policy->value[POLICY_SYMBOL_ERROR_LIMIT] != 2
		       ? symfile : symfile_strict(symfile);
}

const struct message_list *
symfile_strict_messages(const struct symfile *symfile)
{
	if (symfile->version != NULL)
		return symfile_strict_messages(symfile->base);
	struct strict_reading *reading = lock_strict(symfile);
	const struct message_list *list =
		reading->symfile != NULL ? &reading->symfile->messages : NULL;

	pthread_mutex_unlock(&reading->mutex);
	return list;
}

uint64_t
symfile_number(const struct symfile *symfile)
{
	return symfile->number;
}

struct symfile_identity
symfile_identity(const struct symfile *symfile)
{
	return symfile->identity;
}

const struct file *
symfile_file(const struct symfile *symfile)
{
	return symfile->base != NULL ? &symfile->base->file : &symfile->file;
}

const struct message_list *
symfile_messages(const struct symfile *symfile)
{
	return symfile->base != NULL ? &symfile->base->messages : &symfile->messages;
}

bool
symfile_corrupt(const struct symfile *symfile)
{
	return symfile->found.corrupt;
}

/* The table of records of a kind; TABLE_COUNT: none. */
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
	/* Records of type 0 come first, each type in the order of the file. */
	for (; kept >= TABLE_WIN && kept <= TABLE_WIN_LAST &&
	       index >= symfile->tables[kept].count; kept++)
		index -= symfile->tables[kept].count;
	const struct table *table = &symfile->tables[kept];
	if (index >= table->count)
		return false;
	const uint64_t where =
		symfile_told(symfile, symfile_where_at(symfile, table_offset(table, index)));
	*offset = where_offset(where);
	*length = where_length(where);
	return true;
}
