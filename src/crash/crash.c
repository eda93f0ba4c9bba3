/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/crash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "base/sorted.h"

void
crash_free(struct crash *crash)
{
	file_close(&crash->file);
	arena_free(&crash->arena);
	*crash = (struct crash){ .requesting_thread = -1 };
}

bool
crash_is_kernels(const struct module *module)
{
	static const char *const names[] = { "linux-gate.so", "linux-vdso", "[vdso]" };
	const char *name = place_base_name(module->code_file);

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

const struct mapping *
crash_mapping(const struct crash *crash, uint64_t address)
{
	const size_t upto = sorted_upto(SORTED(crash->mappings, crash->mapping_count, base),
					address);
	const struct mapping *mapping = upto > 0 ? &crash->mappings[upto - 1] : NULL;

	return mapping != NULL && checked_contains(mapping->base, mapping->size, address)
		       ? mapping
		       : NULL;
}

/* The line that holds an offset, or none. */
static size_t
line_of(const struct crash_lines *lines, uint64_t offset)
{
	size_t low = 0, high = lines->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->starts[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct place
crash_place(const struct crash *crash, uint64_t offset, uint32_t length)
{
	struct place place = { .input = &crash->file.input, .offset = offset, .length = length };
	size_t line = line_of(&crash->lines, offset);

	if (line != 0) {
		place.line = crash->lines.first + (uint32_t)line - 1;
		place.column = (uint32_t)(offset - crash->lines.starts[line - 1]) + 1;
	}
	return place;
}

struct place
crash_memory_place(const struct crash *crash, const struct memory_region *region,
		   uint64_t address, uint32_t size)
{
	uint64_t skip = address - region->base;
	size_t low = 0, high = region->chunk_count;

	if (high == 0)
		return crash_place(crash, region->offset + skip, size);
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (region->chunks[middle].skip <= skip)
			low = middle;
		else
			high = middle;
	}
	const struct memory_chunk *chunk = &region->chunks[low];
	return crash_place(crash, chunk->offset + 2 * (skip - chunk->skip), 2 * size);
}

bool
crash_memory_address(const struct memory_region *region, uint64_t offset, uint64_t *address)
{
	if (region->chunk_count == 0) {
		*address = region->base + (offset - region->offset);
		return checked_contains(region->offset, region->available, offset);
	}
	for (size_t i = 0; i < region->chunk_count; i++) {
		const struct memory_chunk *chunk = &region->chunks[i];
		uint64_t end = i + 1 < region->chunk_count ? chunk[1].skip : region->available;

		if (checked_contains(chunk->offset, 2 * (end - chunk->skip), offset)) {
			*address = region->base + chunk->skip + (offset - chunk->offset) / 2;
			return true;
		}
	}
	return false;
}

/* Bytes of the file that a byte of the process takes. */
static uint32_t
scale_of(const struct crash *crash)
{
	return crash->lines.count != 0 ? 2 : 1;
}

struct place
crash_register_place(const struct crash *crash, const struct crash_context *context, int number)
{
	if (context == NULL || context->arch == NULL || context->register_offset[number] == 0)
		return (struct place){ 0 };
	return crash_place(crash, context->register_offset[number],
			   context->arch->register_size * scale_of(crash));
}

static bool
is_single_for_breakpad(uint32_t type)
{
	/* Threads, modules, memory, exception, system, misc, names; Breakpad's, Crashpad's. */
	static const uint32_t types[] = { 3, 4, 5, 6, 7, 15, 24, 0x47670001, 0x43500001 };

	for (size_t i = 0; i < ARRAY_COUNT(types); i++)
		if (types[i] == type)
			return true;
	return false;
}

const struct stream *
crash_repeated_stream(const struct crash *crash)
{
	for (size_t i = 1; i < crash->stream_count; i++)
		for (size_t j = 0; j < i && is_single_for_breakpad(crash->streams[i].type); j++)
			if (crash->streams[i].type == crash->streams[j].type)
				return &crash->streams[i];
	return NULL;
}

const struct crash_context *
crash_thread_context(const struct crash *crash, size_t index)
{
	const struct thread *thread = &crash->threads[index];
	const struct crash_exception *exception = &crash->exception;

	if (exception->present && exception->thread_id == thread->id && exception->context.present)
		return &exception->context;
	for (size_t i = 0; i < crash->more_exception_count; i++) {
		exception = &crash->more_exceptions[i];
		if (exception->thread_id == thread->id && exception->context.present)
			return &exception->context;
	}
	return &thread->context;
}

/* The smallest of the structures that hold an offset, as far as the search has come. */
struct candidate {
	uint64_t offset;		/* that is asked for */
	uint64_t size;			/* of the best structure so far */
	bool found;
	const struct crash_span *span;
	const struct crash_context *context;
	const struct thread *thread;	/* of a context or a stack; NULL: the exception */
	const struct memory_region *region;
};

/* Whether `size` bytes at `start` hold the offset and are fewer than those of the best so far. */
static bool
is_better(const struct candidate *best, uint64_t start, uint64_t size)
{
	return checked_contains(start, size, best->offset) && (!best->found || size < best->size);
}

static void
consider_context(struct candidate *best, const struct crash_context *context,
		 const struct thread *thread)
{
	for (; context != NULL; context = context->native)
		if (is_better(best, context->place.offset, context->place.length))
			*best = (struct candidate){ .offset = best->offset, .found = true,
						    .size = context->place.length,
						    .context = context, .thread = thread };
}

static void
consider_region(struct candidate *best, const struct memory_region *region,
		const struct thread *thread)
{
	/* The lines of a text dump are spans of their own. */
	if (region == NULL || region->chunk_count != 0 ||
	    !is_better(best, region->offset, region->available))
		return;
	*best = (struct candidate){ .offset = best->offset, .size = region->available,
				    .found = true, .region = region, .thread = thread };
}

static struct candidate
find_candidate(const struct crash *crash, uint64_t offset)
{
	struct candidate best = { .offset = offset };

	if (crash->exception.present)
		consider_context(&best, &crash->exception.context, NULL);
	for (size_t i = 0; i < crash->more_exception_count; i++)
		consider_context(&best, &crash->more_exceptions[i].context, NULL);
	for (size_t i = 0; i < crash->thread_count; i++) {
		consider_context(&best, &crash->threads[i].context, &crash->threads[i]);
		consider_region(&best, crash->threads[i].stack, &crash->threads[i]);
	}
	for (size_t i = 0; i < crash->region_count; i++)
		consider_region(&best, &crash->regions[i], NULL);
	for (size_t i = 0; i < crash->span_count; i++) {
		const struct crash_span *span = &crash->spans[i];

		/* One element of an array competes, not the whole of it. */
		if (!checked_contains(span->offset, span->size, offset))
			continue;
		uint64_t size = span->stride != 0 ? span->stride : span->size;
		/* A stream's own span comes first and knows no fields. */
		bool again = best.span != NULL && size == best.size;
		if (!best.found || size < best.size || again)
			best = (struct candidate){ .offset = offset, .size = size, .found = true,
						   .span = span };
	}
	return best;
}

static void
describe_context(const struct crash *crash, const struct candidate *best, char *buffer,
		 size_t size)
{
	const struct crash_context *context = best->context;
	const char *label = NULL;
	uint64_t nearest = 0;
	char whose[32] = "exception";

	if (best->thread != NULL)
		snprintf(whose, sizeof(whose), "thread 0x%" PRIx32, best->thread->id);
	for (int i = 0; context->arch != NULL && i < context->arch->register_count; i++) {
		uint64_t start = context->register_offset[i];

		/* Flags are narrower than a word: what begins last has the byte. */
		if (start <= nearest ||
		    !checked_contains(start, context->arch->register_size * scale_of(crash),
				      best->offset))
			continue;
		nearest = start;
		label = context->arch->registers[i].label;
	}
	if (label != NULL)
		snprintf(buffer, size, "%s context, %s", whose, label);
	else
		snprintf(buffer, size, "%s context +0x%" PRIx64, whose,
			 best->offset - context->place.offset);
}

static void
describe_region(const struct candidate *best, char *buffer, size_t size)
{
	uint64_t skip = best->offset - best->region->offset;

	if (best->thread != NULL)
		snprintf(buffer, size, "thread 0x%" PRIx32 ", stack at +0x%" PRIx64,
			 best->thread->id, skip);
	else
		snprintf(buffer, size, "memory 0x%" PRIx64 " at +0x%" PRIx64, best->region->base,
			 skip);
}

static void
describe_span(const struct candidate *best, char *buffer, size_t size)
{
	const struct crash_span *span = best->span;
	uint64_t skip = best->offset - span->offset;
	char index[32] = "";

	if (span->stride != 0) {
		snprintf(index, sizeof(index), " %" PRIu64, skip / span->stride);
		skip %= span->stride;
	}
	for (size_t i = 0; i < span->field_count; i++) {
		if (checked_contains(span->fields[i].offset, span->fields[i].size, skip)) {
			snprintf(buffer, size, "%s%s, %s", span->text, index,
				 span->fields[i].name);
			return;
		}
	}
	snprintf(buffer, size, "%s%s +0x%" PRIx64, span->text, index, skip);
}

const char *
crash_describe_offset(const struct crash *crash, uint64_t offset, char *buffer, size_t size)
{
	struct candidate best = find_candidate(crash, offset);

	if (size == 0)
		return buffer;
	if (!best.found)
		snprintf(buffer, size, "%s", offset < crash->file.size ? "between structures"
									 : "behind the end");
	else if (best.context != NULL)
		describe_context(crash, &best, buffer, size);
	else if (best.region != NULL)
		describe_region(&best, buffer, size);
	else
		describe_span(&best, buffer, size);
	return buffer;
}

const char *
crash_describe_sender(const struct crash *crash, char *buffer, size_t size)
{
	const struct crash_cause *cause = &crash->cause;
	char user[32] = "";

	if (cause->has_sender_user)
		snprintf(user, sizeof(user), ", user id %" PRIu32, cause->sender_user);
	snprintf(buffer, size, "process %" PRIu32 "%s%s", cause->sender_process,
		 cause->sender_is_self ? ", this process itself" : "", user);
	if (!cause->has_sender && size > 0)
		buffer[0] = '\0';
	return buffer;
}
