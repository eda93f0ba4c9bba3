/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "dump/describe.h"

/* The stream or record that is being described, or one that contains it. */
struct offset_level {
	const char *name;		/* NULL: not in the path */
	uint64_t number;		/* a thread ID, or the index of an entry */
	enum { LEVEL_PLAIN, LEVEL_INDEX, LEVEL_ID } numbered;
};

/* The smallest value or structure found so far that contains an offset. */
struct offset_search {
	const struct crash *crash;
	uint64_t offset;
	uint64_t size;			/* bytes of the smallest field so far */
	bool found;
	char *buffer;
	size_t room;
	struct offset_level levels[DESCRIBE_DEPTH + 1];
	unsigned depth;
};

/* Write the path to the current record as text: "ThreadList, thread 0xbf4". */
static void
write_path(const struct offset_search *search, char *path, size_t size)
{
	size_t used = 0;

	*path = '\0';
	for (unsigned i = 0; i <= search->depth && used < size; i++) {
		const struct offset_level *level = &search->levels[i];
		char number[24] = "";

		if (level->name == NULL)
			continue;
		if (level->numbered != LEVEL_PLAIN)
			snprintf(number, sizeof(number),
				 level->numbered == LEVEL_ID ? " 0x%" PRIx64 : " %" PRIu64,
				 level->number);
		used += (size_t)snprintf(path + used, size - used, "%s%s%s",
					 used > 0 ? ", " : "", level->name, number);
	}
}

/*
 * Take `size` bytes at `start` as the best result if they contain the offset and the best result
 * so far has more bytes. A structure without a name of its own also replaces a value of
 * the same size, because the value may have been computed from the whole structure.
 */
static void
consider(struct offset_search *search, uint64_t start, uint64_t size, const char *name,
	 bool counted)
{
	char path[640], skip[32] = "";

	if (!checked_contains(start, size, search->offset) ||
	    (search->found && (*name == '\0' ? size > search->size : size >= search->size)))
		return;
	search->found = true;
	search->size = size;
	if (counted)
		snprintf(skip, sizeof(skip), " +0x%" PRIx64, search->offset - start);
	write_path(search, path, sizeof(path));
	snprintf(search->buffer, search->room, "%s%s%s%s", path,
		 *path != '\0' && *name != '\0' ? ", " : "", name, skip);
}

static enum describe_detail
begin_record(void *context, const struct describe_record *record)
{
	struct offset_search *search = context;

	search->levels[++search->depth] = (struct offset_level){
		.name = record->name, .number = record->index,
		.numbered = record->index != DESCRIBE_NO_INDEX ? LEVEL_INDEX : LEVEL_PLAIN,
	};
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

	/* A thread's ID is more useful than its index. */
	if (value->key && value->link == DESCRIBE_LINK_THREAD && search->depth > 0) {
		level->number = value->linked;
		level->numbered = LEVEL_ID;
	}
	if (value->kind == DESCRIBE_BYTES && value->text.length > size)
		size = value->text.length;
	if (!value->broken && value->place.input == search->crash->reader.input)
		consider(search, value->place.offset, size, value->name, bytes);
}

/*
 * Consider registers at their places in the model: in a text dump they are digits, and registers of
 * 32-bit code on 64-bit Windows may be in the process's memory.
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
	uint64_t address;

	search->depth = 1;
	search->levels[1] = (struct offset_level){ .name = "context" };
	for (size_t i = 0; i < crash->thread_count; i++) {
		search->levels[0] = (struct offset_level){ "thread", crash->threads[i].id,
							   LEVEL_ID };
		consider_registers(search, &crash->threads[i].context);
	}
	search->levels[0] = (struct offset_level){ .name = "exception" };
	consider_registers(search, &crash->exception.context);
	/* In a text dump, memory consists of digits. */
	for (size_t i = 0; i < crash->region_count; i++) {
		const struct memory_region *region = &crash->regions[i];

		if (region->chunk_count == 0 ||
		    !crash_memory_address(region, search->offset, &address))
			continue;
		search->levels[0] = (struct offset_level){ .name = "stack" };
		search->levels[1] = (struct offset_level){ "address", address, LEVEL_ID };
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

		/* Exception, ThreadList and ThreadExList own what they point to: try them first. */
		if ((type == 6 || type == 3 || type == 8) != first)
			continue;
		search->levels[0].name = stream->name;
		consider(search, stream->offset, stream->size, "", true);
		describe_stream(crash, i, sink);
	}
}

const char *
describe_offset(const struct crash *crash, uint64_t offset, char *buffer, size_t size)
{
	struct offset_search search = { .crash = crash, .offset = offset, .buffer = buffer,
					.room = size };
	/* One budget for all streams, because they may share their bytes. */
	struct describe_budget budget = describe_budget(crash);
	const struct describe_sink sink = { .begin = begin_record, .value = consider_value,
					    .end = end_record, .context = &search,
					    .budget = &budget };

	if (size == 0)
		return buffer;
	search.levels[0].name = "header";
	describe_header(crash, &sink);
	search.levels[0].name = NULL;
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
