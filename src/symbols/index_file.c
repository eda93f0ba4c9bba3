/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/index_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "system/checksum.h"
#include "system/file.h"
#include "symbols/index_store.h"

/* Version of the format; raise it with every change of the index or of its meaning. */
#define FORMAT 3u
#define MAGIC "unspool\n"
/* Bytes at either end of a symbol file that its identity includes. */
#define END_SIZE 4096u
/* Nanoseconds: longer than a tick of a file system's clock. */
#define SETTLED 50000000
#define COLUMNS 3u
#define VIEWS 2u
#define VIEW_SECTIONS (TABLE_COUNT + 1u + STACK_WIN_TYPES)
#define SECTIONS (TABLE_COUNT * COLUMNS + VIEWS * VIEW_SECTIONS + 4)
#define ALIGNMENT ((uint64_t)64)

/* The identity of the symbol file of an index. */
struct index_key {
	uint64_t device, inode, size, seconds, nanoseconds, digest;
};

struct section_place {
	uint64_t offset, count;
};

struct index_header {
	char magic[8];
	uint32_t format, order;		/* 0x01020304 as this machine writes it */
	uint64_t sum;			/* checksum of the rest of the header */
	uint64_t total;			/* bytes of the file */
	uint64_t lists;			/* bytes of all lists, from LISTS_START on */
	uint64_t sums;			/* checksum of the checksums of blocks, after the lists */
	struct index_key key;
	struct symfile_found found;
	uint32_t message_kinds;
	uint32_t wide;			/* a bit for each table */
	struct {
		uint64_t end, rows[TABLE_COUNT];
	} views[VIEWS];
	uint64_t seen[MESSAGE_KIND_COUNT];
	struct section_place sections[SECTIONS];
};

/* Where blocks of lists begin. */
#define LISTS_START \
	((sizeof(struct index_header) + INDEX_BLOCK - 1) / INDEX_BLOCK * INDEX_BLOCK)

/* A message; texts are offsets into the section of texts, 0: no text. */
struct kept_message {
	uint64_t offset;
	uint32_t length, kind, line, column, text, hint;
};

/* Messages and their texts before they are written. */
struct kept_messages {
	struct kept_message *list;
	size_t count;
	char *texts;
	size_t text_size, text_room;
};

/* One list of an index: its pointer, and the number and width of its elements. */
struct section {
	void **data;
	uint64_t count;
	size_t width;
};

static bool
key_of(const struct symfile *symfile, struct index_key *key)
{
	struct stat status;
	char ends[2 * END_SIZE];

	if (!file_status(&symfile->file, &status) || symfile->file.size < INDEX_FILE_LEAST ||
	    (uint64_t)status.st_size != symfile->file.size ||
	    !file_read_at(&symfile->file, 0, ends, END_SIZE) ||
	    !file_read_at(&symfile->file, symfile->file.size - END_SIZE, ends + END_SIZE,
			  END_SIZE))
		return false;
	*key = (struct index_key){
		.device = (uint64_t)status.st_dev,
		.inode = (uint64_t)status.st_ino,
		.size = symfile->file.size,
		.seconds = (uint64_t)status.st_mtim.tv_sec,
		.nanoseconds = (uint64_t)status.st_mtim.tv_nsec,
		.digest = checksum(ends, sizeof(ends), FORMAT),
	};
	return true;
}

void
index_file_identify(struct symfile *symfile)
{
	struct index_key *key = malloc(sizeof(*key));
	struct timespec now;
	bool settled = false;

	/* A file that has just changed may change again within one tick of the clock. */
	if (key != NULL && key_of(symfile, key) && clock_gettime(CLOCK_REALTIME, &now) == 0) {
		now.tv_nsec -= SETTLED;
		if (now.tv_nsec < 0) {
			now.tv_nsec += 1000000000;
			now.tv_sec--;
		}
		settled = (uint64_t)now.tv_sec > key->seconds ||
			  ((uint64_t)now.tv_sec == key->seconds &&
			   (uint64_t)now.tv_nsec > key->nanoseconds);
	}
	if (settled)
		symfile->key = key;
	else
		free(key);
}

static void
add_section(struct section *sections, size_t *count, void **data, uint64_t elements, size_t width)
{
	sections[(*count)++] = (struct section){ data, elements, width };
}

/* All lists of an index, in the order of the file, but the messages. */
static size_t
list_sections(struct symfile *symfile, struct section *sections)
{
	struct symfile_view *const views[VIEWS] = { &symfile->whole, &symfile->part };
	size_t count = 0;

	for (size_t i = 0; i < TABLE_COUNT; i++) {
		struct table *table = &symfile->tables[i];
		const size_t width = table->wide ? sizeof(uint64_t) : sizeof(uint32_t);

		add_section(sections, &count, &table->addresses, table->count, width);
		add_section(sections, &count, &table->offsets, table->count, width);
		add_section(sections, &count, &table->sizes, table->ranges ? table->count : 0,
			    width);
	}
	for (size_t i = 0; i < VIEWS; i++) {
		for (size_t table = 0; table < TABLE_COUNT; table++) {
			struct row_index *rows = &views[i]->rows[table];

			add_section(sections, &count, (void **)&rows->order,
				    rows->order == NULL ? 0 : rows->count, sizeof(*rows->order));
		}
		add_section(sections, &count, (void **)&views[i]->dropped,
			    views[i]->dropped_count, sizeof(*views[i]->dropped));
		for (size_t type = 0; type < STACK_WIN_TYPES; type++)
			add_section(sections, &count, (void **)&views[i]->win[type].list,
				    views[i]->win[type].count, sizeof(struct segment));
	}
	add_section(sections, &count, (void **)&symfile->block_lines,
		    symfile->found.size / LINE_BLOCK + 1, sizeof(*symfile->block_lines));
	return count;
}

/* Add a text; returns its offset, 0 for NULL. */
static uint32_t
keep_text(struct kept_messages *kept, const char *text)
{
	const size_t size = text == NULL ? 0 : strlen(text) + 1, at = kept->text_size;

	if (text == NULL || at + size > kept->text_room)
		return 0;
	memcpy(kept->texts + at, text, size);
	kept->text_size += size;
	return (uint32_t)at;
}

static bool
keep_messages(const struct message_list *list, struct kept_messages *kept)
{
	size_t room = 1;

	for (size_t i = 0; i < list->count; i++)
		room += strlen(list->messages[i].text) + 2 +
			(list->messages[i].hint == NULL ? 0 : strlen(list->messages[i].hint));
	*kept = (struct kept_messages){
		.list = calloc(list->count + 1, sizeof(*kept->list)),
		.texts = calloc(room, 1),
		.text_size = 1,
		.text_room = room,
	};
	if (kept->list == NULL || kept->texts == NULL)
		return false;
	for (size_t i = 0; i < list->count; i++) {
		const struct message *message = &list->messages[i];

		/* Do not save messages about damage of an older index. */
		if (message->kind == MESSAGE_INDEX_FILE)
			continue;
		kept->list[kept->count++] = (struct kept_message){
			.offset = message->place.offset,
			.length = message->place.length,
			.kind = message->kind,
			.line = message->place.line,
			.column = message->place.column,
			.text = keep_text(kept, message->text),
			.hint = keep_text(kept, message->hint),
		};
	}
	return true;
}

static bool
write_at(int descriptor, const void *bytes, uint64_t size, uint64_t offset)
{
	uint64_t done = 0;

	while (done < size) {
		const ssize_t put = pwrite(descriptor, (const char *)bytes + done,
					   (size_t)(size - done), (off_t)(offset + done));

		if (put < 0 && errno != EINTR)
			return false;
		done += put > 0 ? (uint64_t)put : 0;
	}
	return true;
}

static uint64_t
header_sum(const struct index_header *header)
{
	const char *from = (const char *)&header->total;

	return checksum(from, sizeof(*header) - (size_t)(from - (const char *)header), FORMAT);
}

/* Lists while they are written to a file, block by block. */
struct list_writer {
	int descriptor;
	uint64_t done;			/* bytes of all lists that have been put */
	uint64_t *sums;			/* of complete blocks, and of the last one */
	size_t sum_room;
	char blocks[16 * INDEX_BLOCK];
};

/* Write the gathered bytes, and compute the checksums of their blocks. */
static bool
flush_lists(struct list_writer *writer)
{
	const size_t used = (size_t)((writer->done - 1) % sizeof(writer->blocks)) + 1;
	const uint64_t start = writer->done - used;

	for (size_t at = 0; at < used; at += INDEX_BLOCK) {
		const size_t number = (size_t)((start + at) / INDEX_BLOCK);

		if (number == writer->sum_room)
			return false;
		writer->sums[number] =
			checksum(writer->blocks + at,
				 used - at < INDEX_BLOCK ? used - at : INDEX_BLOCK, number);
	}
	return write_at(writer->descriptor, writer->blocks, used, LISTS_START + start);
}

static bool
put_bytes(struct list_writer *writer, const char *bytes, uint64_t size)
{
	while (size != 0) {
		const size_t used = (size_t)(writer->done % sizeof(writer->blocks));
		size_t part = sizeof(writer->blocks) - used;

		if (part > size)
			part = (size_t)size;
		memcpy(writer->blocks + used, bytes, part);
		writer->done += part;
		bytes += part;
		size -= part;
		if (used + part == sizeof(writer->blocks) && !flush_lists(writer))
			return false;
	}
	return true;
}

/* Put all lists after the header, and the checksums of their blocks after them. */
static bool
write_lists(struct list_writer *writer, const struct section *sections, size_t count,
	    struct index_header *header)
{
	static const char nothing[ALIGNMENT];

	for (size_t i = 0; i < count; i++) {
		const uint64_t past = writer->done % ALIGNMENT;

		if (past != 0 && !put_bytes(writer, nothing, ALIGNMENT - past))
			return false;
		header->sections[i] = (struct section_place){ LISTS_START + writer->done,
							      sections[i].count };
		if (!put_bytes(writer, *sections[i].data, sections[i].count * sections[i].width))
			return false;
	}
	if (writer->done % sizeof(writer->blocks) != 0 && !flush_lists(writer))
		return false;
	const size_t blocks = (size_t)((writer->done + INDEX_BLOCK - 1) / INDEX_BLOCK);
	const uint64_t place = LISTS_START + blocks * INDEX_BLOCK;
	header->lists = writer->done;
	header->sums = checksum(writer->sums, blocks * sizeof(*writer->sums), FORMAT);
	header->total = place + blocks * sizeof(*writer->sums);
	return write_at(writer->descriptor, writer->sums, blocks * sizeof(*writer->sums), place);
}

static bool
write_all(const struct symfile *symfile, struct kept_messages *kept, struct index_header *header,
	  int descriptor)
{
	const struct symfile_view *const views[VIEWS] = { &symfile->whole, &symfile->part };
	struct section sections[SECTIONS];
	/* The lists are only read here. */
	size_t count = list_sections((struct symfile *)(uintptr_t)symfile, sections);
	void *list = kept->list, *texts = kept->texts;
	void *name = (void *)(uintptr_t)symfile->file.input.name;
	uint64_t bytes = 0;

	add_section(sections, &count, &list, kept->count, sizeof(*kept->list));
	add_section(sections, &count, &texts, kept->text_size, 1);
	add_section(sections, &count, &name, strlen(name) + 1, 1);
	for (size_t i = 0; i < count; i++)
		bytes += sections[i].count * sections[i].width + ALIGNMENT;
	struct list_writer *writer = calloc(1, sizeof(*writer));
	bool good = writer != NULL;
	if (good) {
		writer->descriptor = descriptor;
		writer->sum_room = (size_t)(bytes / INDEX_BLOCK) + 2;
		writer->sums = calloc(writer->sum_room, sizeof(*writer->sums));
		good = writer->sums != NULL && write_lists(writer, sections, count, header);
		free(writer->sums);
	}
	free(writer);
	memcpy(header->magic, MAGIC, sizeof(header->magic));
	header->format = FORMAT;
	header->order = 0x01020304;
	header->found = symfile->found;
	header->message_kinds = MESSAGE_KIND_COUNT;
	for (size_t table = 0; table < TABLE_COUNT; table++) {
		header->wide |= (uint32_t)symfile->tables[table].wide << table;
		for (size_t i = 0; i < VIEWS; i++)
			header->views[i].rows[table] = views[i]->rows[table].count;
	}
	for (size_t i = 0; i < VIEWS; i++)
		header->views[i].end = views[i]->end;
	memcpy(header->seen, symfile->messages.seen, sizeof(header->seen));
	header->seen[MESSAGE_INDEX_FILE] = 0;
	header->sum = header_sum(header);
	return good && ftruncate(descriptor, (off_t)header->total) == 0 &&
	       write_at(descriptor, header, sizeof(*header), 0);
}

void
index_file_save(const struct symfile *symfile, const char *directory)
{
	struct index_header *header = calloc(1, sizeof(*header));
	struct kept_messages kept = { 0 };
	struct index_writer writer;

	/* A file that changed while it was read has no valid index. */
	if (header != NULL && symfile->key != NULL && key_of(symfile, &header->key) &&
	    memcmp(&header->key, symfile->key, sizeof(header->key)) == 0 &&
	    keep_messages(&symfile->messages, &kept) &&
	    index_store_begin(&writer, directory, checksum(&header->key, sizeof(header->key), 0))) {
		const bool whole = write_all(symfile, &kept, header, writer.descriptor);

		if (index_store_end(&writer, whole))
			index_store_bound(directory, INDEX_FILES_MOST);
	}
	free(kept.list);
	free(kept.texts);
	free(header);
}

/* The bytes of a section in the index; NULL if they are not in the file. */
static const void *
section_bytes(const struct file *index, const struct index_header *header, size_t number,
	      size_t width)
{
	const struct section_place *place = &header->sections[number];

	if (place->offset % ALIGNMENT != 0 || place->offset < LISTS_START ||
	    place->offset - LISTS_START > header->lists ||
	    place->count > (header->lists - (place->offset - LISTS_START)) / width)
		return NULL;
	return index->data + place->offset;
}

/* Whether the header is unchanged, and lists and checksums of blocks are complete. */
static bool
header_good(const struct file *index, const struct index_header *header)
{
	if (index->size < sizeof(*header) ||
	    memcmp(header->magic, MAGIC, sizeof(header->magic)) != 0 ||
	    header->format != FORMAT || header->order != 0x01020304 ||
	    header->message_kinds != MESSAGE_KIND_COUNT || header->total != index->size ||
	    header->sum != header_sum(header))
		return false;
	const uint64_t blocks = header->lists / INDEX_BLOCK + (header->lists % INDEX_BLOCK != 0);
	const uint64_t place = LISTS_START + blocks * INDEX_BLOCK;
	return header->lists <= index->size && place <= index->size &&
	       (index->size - place) / sizeof(uint64_t) == blocks &&
	       checksum(index->data + place, (size_t)(blocks * sizeof(uint64_t)), FORMAT) ==
		       header->sums;
}

/* Load everything but the lists, which are checked before their first use. */
static void
take_numbers(struct symfile *symfile, const struct index_header *header)
{
	struct symfile_view *const views[VIEWS] = { &symfile->whole, &symfile->part };

	symfile->found = header->found;
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		struct table *table = &symfile->tables[i];

		table->count = (size_t)header->sections[i * COLUMNS].count;
		table->wide = (header->wide >> i & 1) != 0;
		table->borrowed = true;
		table->guard = symfile->guard;
	}
	for (size_t i = 0; i < VIEWS; i++) {
		const struct section_place *place =
			&header->sections[TABLE_COUNT * COLUMNS + i * VIEW_SECTIONS + TABLE_COUNT];

		views[i]->end = header->views[i].end;
		views[i]->borrowed = UINT32_MAX;
		views[i]->dropped_count = (size_t)place->count;
		for (size_t table = 0; table < TABLE_COUNT; table++) {
			views[i]->rows[table].count = (size_t)header->views[i].rows[table];
			views[i]->rows[table].guard = symfile->guard;
		}
		for (size_t type = 0; type < STACK_WIN_TYPES; type++) {
			views[i]->win[type].count = (size_t)place[1 + type].count;
			views[i]->win[type].guard = symfile->guard;
		}
	}
}

/* Whether every order has as many rows as the view says; the view's other lists are made then. */
static bool
view_good(struct symfile *symfile, struct symfile_view *view, const struct section_place *place)
{
	const struct table *tables = symfile->tables;

	for (size_t table = 0; table < TABLE_COUNT; table++) {
		const size_t count = view->rows[table].count;

		if (place[table].count == 0 ? count > tables[table].count
					    : count != place[table].count ||
						      tables[table].count == 0)
			return false;
	}
	/* Few files have any: all are checked here. */
	index_guard_touch_all(symfile->guard, view->dropped,
			      view->dropped_count * sizeof(struct span));
	for (size_t i = 0; i < view->dropped_count; i++)
		if (view->dropped[i].index >= tables[TABLE_FUNC].count)
			return false;
	return symfile_view_finish(view);
}

/* Restore a list where its blocks are not checked. */
static void
mend_list(struct index_guard *guard, uint8_t *list, const uint8_t *wanted, size_t size)
{
	const size_t start = (size_t)(list - guard->bytes);

	for (size_t at = 0, part; at < size; at += part) {
		const size_t block = (start + at) / INDEX_BLOCK;

		part = (block + 1) * INDEX_BLOCK - (start + at);
		if (part > size - at)
			part = size - at;
		if (atomic_load(&guard->checked[block]) != 0)
			continue;
		if (wanted != NULL)
			memcpy(list + at, wanted + at, part);
		else
			memset(list + at, 0, part);
	}
}

/* Make a damaged index writable for its repair: the mapping is private to this process. */
static bool
make_writable(const struct file *index)
{
	return !index->mapped || mprotect((void *)(uintptr_t)index->data, (size_t)index->size,
					  PROT_READ | PROT_WRITE) == 0;
}

/*
 * Repair a damaged index: lists that are not known to be good are made again from the symbol file.
 * If that is impossible, lists of zeros name the first row and the start of the file.
 */
static void
mend_index(void *context, struct index_guard *guard)
{
	struct symfile *symfile = context, *again = NULL;
	struct section old[SECTIONS], new[SECTIONS];
	const size_t count = list_sections(symfile, old);
	const struct scan_options options = { 0 };
	char path[INDEX_PATH_SIZE];

	/* Again: lost pages of a file are replaced by read-only ones. */
	make_writable(&symfile->index);
	if (index_store_path(path, symfile->directory,
			     checksum(symfile->key, sizeof(*symfile->key), 0)))
		unlink(path);
	if (symfile_scan_memory(&again, symfile->file.input.name, symfile->file.data,
				(size_t)symfile->file.size, &options, NULL) == ERROR_NONE)
		list_sections(again, new);
	for (size_t i = 0; i < count; i++) {
		const bool same = again != NULL && new[i].width == old[i].width &&
				  (*new[i].data == NULL ? 0 : new[i].count) ==
					  (*old[i].data == NULL ? 0 : old[i].count);

		if (*old[i].data != NULL)
			mend_list(guard, *old[i].data, same ? *new[i].data : NULL,
				  (size_t)(old[i].count * old[i].width));
	}
	symfile_close(again);
}

static bool
take_messages(struct symfile *symfile, const struct index_header *header, size_t number)
{
	const struct file *index = &symfile->index;
	struct message_list *list = &symfile->messages;
	const struct kept_message *kept =
		section_bytes(index, header, number, sizeof(*kept));
	const char *texts = section_bytes(index, header, number + 1, 1);
	const uint64_t size = header->sections[number + 1].count;
	uint64_t used = 0;	/* no two messages share a text */

	if (kept == NULL || texts == NULL || size == 0)
		return false;
	index_guard_touch_all(symfile->guard, kept,
			      (size_t)header->sections[number].count * sizeof(*kept));
	index_guard_touch_all(symfile->guard, texts, (size_t)size);
	if (texts[size - 1] != '\0')
		return false;
	for (size_t i = 0; i < header->sections[number].count; i++, kept++) {
		struct message *larger = arena_grow(&symfile->arena, list->messages, list->count,
						    &list->capacity, sizeof(*larger));

		if (larger == NULL || kept->text >= size || kept->hint >= size ||
		    kept->kind >= MESSAGE_KIND_COUNT)
			return false;
		used += strlen(texts + kept->text) + strlen(texts + kept->hint);
		if (used >= size)
			return false;
		list->messages = larger;
		larger[list->count++] = (struct message){
			.kind = (enum message_kind)kept->kind,
			.place = { .input = &symfile->file.input, .offset = kept->offset,
				   .length = kept->length, .line = kept->line,
				   .column = kept->column },
			.text = texts + kept->text,
			.hint = kept->hint == 0 ? NULL : texts + kept->hint,
		};
	}
	memcpy(list->seen, header->seen, sizeof(header->seen));
	return true;
}

static bool
take_sections(struct symfile *symfile, const struct index_header *header)
{
	struct section sections[SECTIONS];
	size_t count;

	symfile->guard = index_guard_create(
		(uint8_t *)(uintptr_t)symfile->index.data + LISTS_START, (size_t)header->lists,
		(const uint64_t *)(const void *)(symfile->index.data + header->total) -
			(header->lists + INDEX_BLOCK - 1) / INDEX_BLOCK);
	if (symfile->guard == NULL || !make_writable(&symfile->index))
		return false;
	take_numbers(symfile, header);
	count = list_sections(symfile, sections);
	for (size_t i = 0; i < count; i++) {
		const bool order = i >= TABLE_COUNT * COLUMNS && i + 1 < count;

		if (!order && sections[i].count != header->sections[i].count)
			return false;
		*sections[i].data = (void *)(uintptr_t)section_bytes(
			&symfile->index, header, i, sections[i].width);
		if (*sections[i].data == NULL)
			return false;
		if (header->sections[i].count == 0)
			*sections[i].data = NULL;
	}
	const struct section_place *views = &header->sections[TABLE_COUNT * COLUMNS];
	bool good = view_good(symfile, &symfile->whole, views) &&
		    view_good(symfile, &symfile->part, views + VIEW_SECTIONS) &&
		    take_messages(symfile, header, count) && !symfile->guard->damaged;
	symfile->guard->context = symfile;
	symfile->guard->mend = mend_index;
	return good;
}

/* Undo the loading of an unusable index. */
static void
drop(struct symfile *symfile)
{
	symfile_view_free(&symfile->whole);
	symfile_view_free(&symfile->part);
	for (size_t table = 0; table < TABLE_COUNT; table++)
		table_free(&symfile->tables[table]);
	symfile->block_lines = NULL;
	index_guard_free(symfile->guard);
	symfile->guard = NULL;
	symfile->found = (struct symfile_found){ .size = symfile->file.size };
	message_list_init(&symfile->messages, &symfile->arena);
	file_close(&symfile->index);
}

static bool
take(struct symfile *symfile, const struct index_key *key, bool *other)
{
	struct index_header *header = malloc(sizeof(*header));
	bool good = false;

	if (header != NULL && symfile->index.size >= sizeof(*header)) {
		memcpy(header, symfile->index.data, sizeof(*header));
		good = header_good(&symfile->index, header);
		*other = good && memcmp(&header->key, key, sizeof(*key)) != 0;
		good = good && !*other && header->found.size <= symfile->file.size &&
		       take_sections(symfile, header);
	}
	free(header);
	return good;
}

bool
index_file_load(struct symfile *symfile, const char *directory)
{
	const struct index_key *key = symfile->key;
	char path[INDEX_PATH_SIZE];
	bool other = false;

	if (key == NULL ||
	    !index_store_path(path, directory, checksum(key, sizeof(*key), 0)) ||
	    !file_is_plain(path) ||
	    file_open_most(&symfile->index, path, LIMIT_READ_SMALL, NULL, NULL) != ERROR_NONE)
		return false;
	if (take(symfile, key, &other)) {
		index_store_touch(path);
		return true;
	}
	drop(symfile);
	unlink(path);
	if (!other)
		message_add(&symfile->messages, MESSAGE_INDEX_FILE,
			    (struct place){ .input = &symfile->file.input },
			    "the index kept of it is damaged or of another version"
			    "\nremoved, the file is read again");
	return false;
}
