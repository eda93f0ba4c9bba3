/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/crash.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"

void
crash_free(struct crash *crash)
{
	if (!crash->borrowed)
		file_close(&crash->file);
	arena_free(&crash->arena);
	*crash = (struct crash){ .requesting_thread = -1 };
}

const struct mapping *
crash_mapping(const struct crash *crash, uint64_t address)
{
	size_t low = 0, high = crash->mapping_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct mapping *mapping = &crash->mappings[middle];

		if (checked_contains(mapping->base, mapping->size, address))
			return mapping;
		if (mapping->base <= address)
			low = middle + 1;
		else
			high = middle;
	}
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
	if (!is_better(best, context->place.offset, context->place.length))
		return;
	*best = (struct candidate){ .offset = best->offset, .size = context->place.length,
				    .found = true, .context = context, .thread = thread };
}

static void
consider_region(struct candidate *best, const struct memory_region *region,
		const struct thread *thread)
{
	if (region == NULL || !is_better(best, region->offset, region->available))
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
describe_context(const struct candidate *best, char *buffer, size_t size)
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
		    !checked_contains(start, context->arch->word_size, best->offset))
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
		describe_context(&best, buffer, size);
	else if (best.region != NULL)
		describe_region(&best, buffer, size);
	else
		describe_span(&best, buffer, size);
	return buffer;
}
