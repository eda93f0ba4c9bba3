/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/index_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/limits.h"
#include "system/file.h"
#include "symbols/index_store.h"

/* Version of the format; raise it with every change of the index or of its meaning. */
#define FORMAT 6u
#define MAGIC "unspool\n"
/* Bytes at either end of a symbol file that its identity includes. */
#define END_SIZE 4096u
/* Minimum age of a file to be indexed, in nanoseconds: over a tick of a file system's clock. */
#define SETTLED 50000000
#define COLUMNS 3u
#define VIEWS 2u
#define VIEW_SECTIONS (TABLE_COUNT + 1u + STACK_WIN_TYPES)
#define SECTIONS (TABLE_COUNT * COLUMNS + VIEWS * VIEW_SECTIONS + 3)
#define ALIGNMENT ((uint64_t)64)

struct index_key {
	uint64_t device, inode, size, seconds, nanoseconds, digest;
};

/* The place of a list, the number and the width of its elements, and the list's checksum. */
struct section_place {
	uint64_t offset, count, width, sum;
};

struct index_header {
	char magic[8];
	uint32_t format, order;		/* order: 0x01020304 in this machine's byte order */
	uint64_t sum;			/* checksum of the rest of the header */
	uint64_t total;			/* bytes of the index file */
	struct index_key key;
	struct symfile_found found;
	uint32_t message_kinds;
	struct {
		uint64_t end, rows[TABLE_COUNT];
	} views[VIEWS];
	uint64_t seen[MESSAGE_KIND_COUNT];
	struct section_place sections[SECTIONS];
};

#define LISTS_START ((sizeof(struct index_header) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

/* A message; `text` and `hint` are offsets into the section of texts (0: no text). */
struct kept_message {
	uint64_t offset;
	uint32_t length, kind, line, column, text, hint;
};

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
		.digest = hash_words(FORMAT, ends, sizeof(ends)),
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

/* All lists of an index except the messages, in the order of the file. */
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

		/* Do not save messages about damage to an older index. */
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

	return hash_words(FORMAT, from, sizeof(*header) - (size_t)(from - (const char *)header));
}

static bool
write_lists(int descriptor, const struct section *sections, size_t count,
	    struct index_header *header)
{
	uint64_t at = LISTS_START;

	for (size_t i = 0; i < count; i++) {
		const uint64_t size = sections[i].count * sections[i].width;

		header->sections[i] = (struct section_place){
			at, sections[i].count, sections[i].width,
			hash_words(i, *sections[i].data, (size_t)size)
		};
		if (!write_at(descriptor, *sections[i].data, size, at))
			return false;
		at = (at + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	}
	header->total = at;
	return true;
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

	add_section(sections, &count, &list, kept->count, sizeof(*kept->list));
	add_section(sections, &count, &texts, kept->text_size, 1);
	memcpy(header->magic, MAGIC, sizeof(header->magic));
	header->format = FORMAT;
	header->order = 0x01020304;
	header->found = symfile->found;
	header->message_kinds = MESSAGE_KIND_COUNT;
	for (size_t i = 0; i < VIEWS; i++) {
		header->views[i].end = views[i]->end;
		for (size_t table = 0; table < TABLE_COUNT; table++)
			header->views[i].rows[table] = views[i]->rows[table].count;
	}
	memcpy(header->seen, symfile->messages.seen, sizeof(header->seen));
	header->seen[MESSAGE_INDEX_FILE] = 0;
	if (!write_lists(descriptor, sections, count, header))
		return false;
	header->sum = header_sum(header);
	return ftruncate(descriptor, (off_t)header->total) == 0 &&
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
	    index_store_begin(&writer, directory,
			      hash_words(0, &header->key, sizeof(header->key)))) {
		const bool whole = write_all(symfile, &kept, header, writer.descriptor);

		if (index_store_end(&writer, whole))
			index_store_bound(directory, INDEX_FILES_MOST);
	}
	free(kept.list);
	free(kept.texts);
	free(header);
}

/* The bytes of a section in the index; NULL if they are damaged or not in the file. */
static const void *
section_bytes(const struct file *index, const struct index_header *header, size_t number,
	      size_t width)
{
	const struct section_place *place = &header->sections[number];

	if (place->offset % ALIGNMENT != 0 || place->offset < LISTS_START ||
	    place->offset > index->size || place->width != width ||
	    place->count > (index->size - place->offset) / width ||
	    hash_words(number, index->data + place->offset, (size_t)(place->count * width)) !=
		    place->sum)
		return NULL;
	return index->data + place->offset;
}

/* Load everything but the lists. */
static void
take_numbers(struct symfile *symfile, const struct index_header *header)
{
	struct symfile_view *const views[VIEWS] = { &symfile->whole, &symfile->part };

	symfile->found = header->found;
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		struct table *table = &symfile->tables[i];

		table->count = (size_t)header->sections[i * COLUMNS].count;
		table->wide = header->sections[i * COLUMNS].width == sizeof(uint64_t);
		table->borrowed = true;
	}
	for (size_t i = 0; i < VIEWS; i++) {
		const struct section_place *place =
			&header->sections[TABLE_COUNT * COLUMNS + i * VIEW_SECTIONS + TABLE_COUNT];

		views[i]->end = header->views[i].end;
		views[i]->borrowed = UINT32_MAX;
		views[i]->dropped_count = (size_t)place->count;
		for (size_t table = 0; table < TABLE_COUNT; table++)
			views[i]->rows[table].count = (size_t)header->views[i].rows[table];
		for (size_t type = 0; type < STACK_WIN_TYPES; type++)
			views[i]->win[type].count = (size_t)place[1 + type].count;
	}
}

/* Whether the view fits its stored lists and the tables; if so, complete the view. */
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
	for (size_t i = 0; i < view->dropped_count; i++)
		if (view->dropped[i].index >= tables[TABLE_FUNC].count ||
		    (i > 0 && span_before(&view->dropped[i], &view->dropped[i - 1])))
			return false;
	return symfile_view_finish(view);
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
	uint64_t used = 0;	/* bytes of texts so far; messages do not share texts */

	if (kept == NULL || texts == NULL || size == 0 || texts[size - 1] != '\0')
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

	take_numbers(symfile, header);
	const size_t count = list_sections(symfile, sections);
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
	return view_good(symfile, &symfile->whole, views) &&
	       view_good(symfile, &symfile->part, views + VIEW_SECTIONS) &&
	       take_messages(symfile, header, count);
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
		good = memcmp(header->magic, MAGIC, sizeof(header->magic)) == 0 &&
		       header->format == FORMAT && header->order == 0x01020304 &&
		       header->message_kinds == MESSAGE_KIND_COUNT &&
		       header->total == symfile->index.size && header->sum == header_sum(header);
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
	    !index_store_path(path, directory, hash_words(0, key, sizeof(*key))) ||
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
			    "its stored index is damaged or of another version"
			    "\nthe index was removed, and the file is read again");
	return false;
}
