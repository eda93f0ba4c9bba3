/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "dump/describe.h"

/* The path to what is being described: its stream and the records around it. */
struct offset_level {
	char text[80];
	size_t name_length;		/* of the record's name, before its index */
};

/* The smallest value or structure that holds an offset, as far as the search has come. */
struct offset_search {
	const struct crash *crash;
	uint64_t offset;
	uint64_t size;			/* of the best one */
	bool found;
	char *buffer;
	size_t room;
	struct offset_level levels[DESCRIBE_DEPTH + 1];
	unsigned depth;
};

/*
 * Take over `size` bytes at `start` where they hold the offset and are fewer than the best; of a
 * structure without a name of its own also as many: a value may have been made from all of it.
 */
static void
consider(struct offset_search *search, uint64_t start, uint64_t size, const char *name,
	 bool counted)
{
	char path[sizeof(search->levels)] = "", skip[32] = "";
	size_t used = 0;

	if (!checked_contains(start, size, search->offset) ||
	    (search->found && (*name == '\0' ? size > search->size : size >= search->size)))
		return;
	search->found = true;
	search->size = size;
	if (counted)
		snprintf(skip, sizeof(skip), " +0x%" PRIx64, search->offset - start);
	for (unsigned i = 0; i <= search->depth && used < sizeof(path); i++)
		if (search->levels[i].text[0] != '\0')
			used += (size_t)snprintf(path + used, sizeof(path) - used, "%s%s",
						 used > 0 ? ", " : "", search->levels[i].text);
	snprintf(search->buffer, search->room, "%s%s%s%s", path,
		 *path != '\0' && *name != '\0' ? ", " : "", name, skip);
}

static enum describe_detail
begin_record(void *context, const struct describe_record *record)
{
	struct offset_search *search = context;
	struct offset_level *level = &search->levels[++search->depth];
	char index[24] = "";

	if (record->index != DESCRIBE_NO_INDEX)
		snprintf(index, sizeof(index), " %zu", record->index);
	snprintf(level->text, sizeof(level->text), "%s%s", record->name, index);
	level->name_length = strnlen(record->name, sizeof(level->text) - 24);
	if (record->place.input != NULL)
		consider(search, record->place.offset, record->place.length, "", true);
	return DESCRIBE_ALL;
}

static void
end_record(void *context)
{
	struct offset_search *search = context;

	search->depth--;
}

static void
consider_value(void *context, const struct describe_value *value)
{
	struct offset_search *search = context;
	struct offset_level *level = &search->levels[search->depth];
	const bool bytes = value->kind == DESCRIBE_BYTES || value->kind == DESCRIBE_TEXT;
	uint64_t size = value->place.length;

	/* The id of a thread says more than its index. */
	if (value->key && value->link == DESCRIBE_LINK_THREAD && search->depth > 0)
		snprintf(level->text + level->name_length,
			 sizeof(level->text) - level->name_length, " 0x%" PRIx64, value->linked);
	if (value->kind == DESCRIBE_BYTES && value->text.length > size)
		size = value->text.length;
	if (!value->broken && value->place.input == search->crash->reader.input)
		consider(search, value->place.offset, size, value->name, bytes);
}

/*
 * Registers by their places in the model: a text has digits, and of 32-bit code on 64-bit Windows
 * they may lie in the process's memory.
 */
static void
consider_registers(struct offset_search *search, const struct crash_context *context)
{
	for (int i = 0; context->arch != NULL && i < context->arch->register_count; i++) {
		const struct place place = crash_register_place(search->crash, context, i);

		consider(search, place.offset, place.length, context->arch->registers[i].label,
			 false);
	}
}

static void
consider_model(struct offset_search *search)
{
	const struct crash *crash = search->crash;
	char *text = search->levels[0].text;
	const size_t room = sizeof(search->levels[0].text);
	uint64_t address;

	for (size_t i = 0; i < crash->thread_count; i++) {
		snprintf(text, room, "thread 0x%" PRIx32 ", context", crash->threads[i].id);
		consider_registers(search, &crash->threads[i].context);
	}
	snprintf(text, room, "exception, context");
	consider_registers(search, &crash->exception.context);
	/* Memory that is digits of a text. */
	for (size_t i = 0; i < crash->region_count; i++) {
		const struct memory_region *region = &crash->regions[i];

		if (region->chunk_count == 0 ||
		    !crash_memory_address(region, search->offset, &address))
			continue;
		snprintf(text, room, "stack, address 0x%" PRIx64, address);
		consider(search, search->offset, 1, "", false);
	}
}

static void
consider_streams(struct offset_search *search, const struct describe_sink *sink, bool first)
{
	const struct crash *crash = search->crash;

	for (size_t i = 0; i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		const uint32_t type = stream->type;

		/* What Exception, ThreadList and ThreadExList point to is theirs. */
		if ((type == 6 || type == 3 || type == 8) != first)
			continue;
		snprintf(search->levels[0].text, sizeof(search->levels[0].text), "%s",
			 stream->name);
		consider(search, stream->offset, stream->size, "", true);
		describe_stream(crash, i, sink);
	}
}

const char *
describe_offset(const struct crash *crash, uint64_t offset, char *buffer, size_t size)
{
	struct offset_search search = { .crash = crash, .offset = offset, .buffer = buffer,
					.room = size };
	const struct describe_sink sink = { .begin = begin_record, .value = consider_value,
					    .end = end_record, .context = &search };

	if (size == 0)
		return buffer;
	snprintf(search.levels[0].text, sizeof(search.levels[0].text), "header");
	describe_header(crash, &sink);
	search.levels[0].text[0] = '\0';
	describe_directory(crash, &sink);
	if (!search.found) {
		consider_streams(&search, &sink, true);
		consider_streams(&search, &sink, false);
		consider_model(&search);
	}
	if (!search.found)
		snprintf(buffer, size, "%s", offset < crash->file.size ? "between structures"
								       : "past the end");
	return buffer;
}
