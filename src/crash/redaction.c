/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/crash.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/sorted.h"
#include "base/user_names.h"

/* The parts of a crash that reports omit: bytes, annotations and user names. */

/* Sources of annotations with possible secrets, as named by the loaders. */
static const char *const secret_sources[] = { "environment", "command line" };

/* Streams with the bytes of these annotations. */
static const char *const secret_streams[] = {
	"LinuxCmdLine", "LinuxEnviron", "NT_PRPSINFO", "arguments", "environment",
};

SORTED_BY(compare_ranges, struct crash_range, offset)

/* The bytes of the file that hold a region; in a text dump, the bytes of the region's lines. */
static struct crash_range
range_of(const struct memory_region *region)
{
	struct crash_range range = { region->offset, region->available };

	if (region->chunk_count > 0) {
		const struct memory_chunk *last = &region->chunks[region->chunk_count - 1];

		range.offset = region->chunks[0].offset;
		range.size = last->offset + 2 * (region->available - last->skip) - range.offset;
	}
	return range;
}

/* Sorts the ranges and joins those that touch. */
static void
join(struct crash_range *ranges, size_t *count)
{
	size_t kept = 0;

	SORT(ranges, *count, compare_ranges);
	for (size_t i = 0; i < *count; i++) {
		struct crash_range *last = kept > 0 ? &ranges[kept - 1] : NULL;

		if (last != NULL && ranges[i].offset - last->offset <= last->size) {
			uint64_t end = ranges[i].offset - last->offset + ranges[i].size;

			if (end > last->size)
				last->size = end;
		} else {
			ranges[kept++] = ranges[i];
		}
	}
	*count = kept;
}

void
crash_redact(struct crash *crash, bool redacted)
{
	struct crash_range *ranges = NULL;
	size_t count = 0;

	crash->redacted = redacted;
	/* Write only a change: several threads may read an inactive table. */
	if (crash->names != NULL && crash->names->active != redacted)
		crash->names->active = redacted;
	if (redacted && crash->names != NULL)
		crash_learn_names(crash, crash->names);
	if (redacted && crash->redactions == NULL)
		ranges = arena_array(&crash->arena,
				     crash->region_count + crash->thread_count +
					     crash->stream_count + 1,
				     sizeof(*ranges));
	if (ranges == NULL)
		return;
	for (size_t i = 0; i < crash->region_count; i++)
		ranges[count++] = range_of(&crash->regions[i]);
	/* A stack may be missing in the memory lists. */
	for (size_t i = 0; i < crash->thread_count; i++)
		if (crash->threads[i].stack != NULL)
			ranges[count++] = range_of(crash->threads[i].stack);
	for (size_t i = 0; i < crash->stream_count; i++)
		for (size_t j = 0; j < ARRAY_COUNT(secret_streams); j++)
			if (strcmp(crash->streams[i].name, secret_streams[j]) == 0)
				ranges[count++] = (struct crash_range){ crash->streams[i].offset,
									crash->streams[i].size };
	join(ranges, &count);
	crash->redactions = ranges;
	crash->redaction_count = count;
}

bool
crash_redacts(const struct crash *crash, const struct annotation *annotation)
{
	for (size_t i = 0; crash->redacted && i < ARRAY_COUNT(secret_sources); i++)
		if (strcmp(annotation->source, secret_sources[i]) == 0)
			return true;
	return false;
}

bool
crash_redacts_bytes(const struct crash *crash, uint64_t offset, uint64_t size)
{
	const struct sorted starts = SORTED(crash->redactions, crash->redaction_count, offset);

	if (!crash->redacted || size == 0)
		return false;
	if (crash->redactions == NULL)
		return true;
	/*
	 * The ranges are sorted and disjoint, so it is enough to test the last range that begins
	 * before the end of the bytes.
	 */
	const size_t upto = sorted_upto(
		starts, size - 1 > UINT64_MAX - offset ? UINT64_MAX : offset + (size - 1));
	const struct crash_range *range = upto > 0 ? &crash->redactions[upto - 1] : NULL;
	return range != NULL && (range->offset >= offset || offset - range->offset < range->size);
}

/* Environment variables with user names or home directories. */
static const char *const name_variables[] = {
	"HOME", "HOMEPATH", "LOGNAME", "SUDO_USER", "USER", "USERNAME", "USERPROFILE",
};

static void
learn(struct user_names *names, const char *text)
{
	if (text != NULL)
		user_names_learn(names, text_of(text));
}

void
crash_learn_user(struct user_names *names)
{
	for (size_t i = 0; i < ARRAY_COUNT(name_variables); i++)
		user_names_add(names, text_of(text_or_empty(getenv(name_variables[i]))));
}

void
crash_learn_names(const struct crash *crash, struct user_names *names)
{
	for (size_t i = 0; i < crash->annotation_count; i++) {
		const struct annotation *annotation = &crash->annotations[i];

		learn(names, annotation->key);
		learn(names, annotation->value);
		for (size_t j = 0; j < ARRAY_COUNT(name_variables); j++)
			if (strcmp(annotation->key, name_variables[j]) == 0)
				user_names_add(names, text_of(annotation->value));
	}
	for (size_t i = 0; i < crash->module_count + crash->unloaded_count; i++) {
		const struct module *module = i < crash->module_count
						      ? &crash->modules[i]
						      : &crash->unloaded[i - crash->module_count];

		learn(names, module->code_file);
		learn(names, module->debug_file);
	}
	for (size_t i = 0; i < crash->mapping_count; i++)
		learn(names, crash->mappings[i].name);
	for (size_t i = 0; i < crash->thread_count; i++)
		learn(names, crash->threads[i].name);
	learn(names, crash->assertion);
}

/* Bytes searched on each side of a byte for a path with a user name. */
#define NAME_BYTES 512u

bool
crash_redacts_name(const struct crash *crash, const uint8_t *data, uint64_t size, uint64_t at)
{
	const uint64_t start = at > NAME_BYTES ? at - NAME_BYTES : 0;
	const uint64_t end = size - at > NAME_BYTES ? at + NAME_BYTES : size;

	return user_names_hide_byte(crash->names, data + start, (size_t)(end - start),
				    (size_t)(at - start));
}
