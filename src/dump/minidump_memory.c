/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"

#define DESCRIPTOR_SIZE 16u
#define DESCRIPTOR64_SIZE 16u
#define MEMORY_INFO_SIZE 48u

/* Windows' words for protections, by the low byte (winnt.h, PAGE_*). */
static const struct {
	uint8_t value;
	bool readable, writable, executable;
	const char *text;
} protections[] = {
	{ 0x01, false, false, false, "no access" },
	{ 0x02, true, false, false, "read" },
	{ 0x04, true, true, false, "read-write" },
	{ 0x08, true, true, false, "write-copy" },
	{ 0x10, false, false, true, "execute" },
	{ 0x20, true, false, true, "execute-read" },
	{ 0x40, true, true, true, "execute-read-write" },
	{ 0x80, true, true, true, "execute-write-copy" },
};

static const struct {
	uint32_t value;
	const char *text;
} states[] = { { 0x1000, "commit" }, { 0x2000, "reserve" }, { 0x10000, "free" } },
  types[] = { { 0x20000, "private" }, { 0x40000, "mapped" }, { 0x1000000, "image" } };

#define PROTECTION_GUARD 0x100u
#define STATE_FREE 0x10000u

/* Room for a list whose length is known: growing step by step would cost twice as much. */
static void
reserve_regions(struct minidump *minidump, uint64_t count)
{
	struct crash *crash = minidump->crash;

	if (crash->regions != NULL)
		return;
	if (count > LIMIT_REGIONS)
		count = LIMIT_REGIONS;
	crash->regions = arena_array(&crash->arena, (size_t)count, sizeof(*crash->regions));
	if (crash->regions != NULL)
		minidump->region_capacity = (size_t)count;
}

static bool
add_region(struct minidump *minidump, struct memory_region region)
{
	struct crash *crash = minidump->crash;
	struct reader bytes;

	if (region.size == 0)
		return true;
	if (region.size - 1 > UINT64_MAX - region.base) {
		minidump_message(minidump, ENTRY_BROKEN, region.place,
				 "memory at 0x%" PRIx64 " claims 0x%" PRIx64
				 " bytes, more than there are addresses\nit is left out",
				 region.base, region.size);
		return true;
	}
	if (crash->region_count >= LIMIT_REGIONS)
		return false;
	if (minidump_bytes(minidump, region.offset, region.size, &bytes)) {
		region.data = bytes.data;
		region.available = bytes.size;
	}
	if (region.available < region.size)
		minidump_message(minidump, TRUNCATED, region.place,
				 "memory at 0x%" PRIx64 " has 0x%" PRIx64
				 " bytes, 0x%" PRIx64 " of them are in the file",
				 region.base, region.size, region.available);
	struct memory_region *regions =
		arena_grow(&crash->arena, crash->regions, crash->region_count,
			   &minidump->region_capacity, sizeof(*regions));
	if (regions == NULL) {
		minidump_no_memory(minidump);
		return false;
	}
	crash->regions = regions;
	regions[crash->region_count++] = region;
	return true;
}

bool
memory_decode_list(struct minidump *minidump, const struct stream *stream,
		   const struct reader *window)
{
	struct list list;

	if (!minidump_list(minidump, stream, window, DESCRIPTOR_SIZE, LIMIT_REGIONS, &list))
		return false;
	reserve_regions(minidump, list.count);
	for (uint32_t i = 0; i < list.count; i++) {
		struct reader entry = minidump_entry(&list, i);
		struct memory_region region = { .place = reader_place(&entry, 0, DESCRIPTOR_SIZE) };
		struct location location = { 0 };

		reader_u64(&entry, 0, &region.base);
		minidump_location(&entry, 8, &location);
		region.size = location.size;
		region.offset = location.rva;
		if (!add_region(minidump, region))
			break;
	}
	return true;
}

bool
memory_decode_64_list(struct minidump *minidump, const struct stream *stream,
		      const struct reader *window)
{
	uint64_t count, offset;

	if (!reader_u64(window, 0, &count) || !reader_u64(window, 8, &offset)) {
		minidump_message(minidump, STREAM_BROKEN, stream->place,
				 "stream %s has no room for its header", stream->name);
		return false;
	}
	uint64_t there = (window->size - 16) / DESCRIPTOR64_SIZE;
	if (count > there) {
		minidump_message(minidump, STREAM_BROKEN, reader_place(window, 0, 8),
				 "stream %s claims %" PRIu64 " entries, has room for %" PRIu64
				 "\nthose are used",
				 stream->name, count, there);
		count = there;
	}
	reserve_regions(minidump, count);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = 16 + i * DESCRIPTOR64_SIZE;
		struct memory_region region = { .offset = offset, .memory64 = true };

		reader_u64(window, at, &region.base);
		reader_u64(window, at + 8, &region.size);
		region.place = reader_place(window, at, DESCRIPTOR64_SIZE);
		if (!checked_add(offset, region.size, &offset)) {
			minidump_message(minidump, ENTRY_BROKEN, region.place,
					 "memory at 0x%" PRIx64 " ends behind every file"
					 "\nit and what follows is left out", region.base);
			break;
		}
		if (!add_region(minidump, region))
			break;
	}
	return true;
}

static int
compare_regions(const void *left, const void *right)
{
	const struct memory_region *a = left, *b = right;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void
memory_finish(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	uint64_t last = 0;
	size_t holder = 0;

	if (crash->region_count >= LIMIT_REGIONS)
		minidump_message(minidump, LIMIT, reader_place(&crash->reader, 0, 0),
				 "%u memory regions or more\nthe rest is left out", LIMIT_REGIONS);
	if (crash->region_count == 0)
		return;
	qsort(crash->regions, crash->region_count, sizeof(crash->regions[0]), compare_regions);
	for (size_t i = 0; i < crash->region_count; i++) {
		const struct memory_region *region = &crash->regions[i];

		/* The same bytes listed twice are no contradiction. */
		if (i > 0 && region->base <= last && region->data != NULL &&
		    region->base - crash->regions[holder].base !=
			    region->offset - crash->regions[holder].offset)
			minidump_message(minidump, REGION_OVERLAP, region->place,
					 "memory at 0x%" PRIx64 " overlaps that at 0x%" PRIx64
					 "\nthe larger one has the shared bytes",
					 region->base, crash->regions[holder].base);
		if (i == 0 || region->base + (region->size - 1) > last) {
			last = region->base + (region->size - 1);
			holder = i;
		}
	}
}

bool
memory_add_mapping(struct minidump *minidump, struct mapping mapping)
{
	struct crash *crash = minidump->crash;

	if (mapping.size == 0 || mapping.size - 1 > UINT64_MAX - mapping.base) {
		minidump_message(minidump, ENTRY_BROKEN, mapping.place,
				 "a mapping of 0x%" PRIx64 " bytes at 0x%" PRIx64
				 "\nit is left out", mapping.size, mapping.base);
		return true;
	}
	if (crash->mapping_count >= LIMIT_REGIONS) {
		minidump_message(minidump, LIMIT, mapping.place,
				 "more than %u mappings\nthe rest is left out", LIMIT_REGIONS);
		return false;
	}
	struct mapping *mappings =
		arena_grow(&crash->arena, crash->mappings, crash->mapping_count,
			   &minidump->mapping_capacity, sizeof(*mappings));
	if (mappings == NULL) {
		minidump_no_memory(minidump);
		return false;
	}
	crash->mappings = mappings;
	mappings[crash->mapping_count++] = mapping;
	return true;
}

static int
compare_mappings(const void *left, const void *right)
{
	const struct mapping *a = left, *b = right;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return a->place.offset < b->place.offset ? -1 : a->place.offset > b->place.offset;
}

void
memory_finish_mappings(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	size_t used = 0;

	if (crash->mapping_count == 0)
		return;
	qsort(crash->mappings, crash->mapping_count, sizeof(crash->mappings[0]),
	      compare_mappings);
	for (size_t i = 0; i < crash->mapping_count; i++) {
		const struct mapping *mapping = &crash->mappings[i];

		if (used > 0 && checked_contains(crash->mappings[used - 1].base,
						 crash->mappings[used - 1].size, mapping->base)) {
			minidump_message(minidump, ENTRY_BROKEN, mapping->place,
					 "the mapping at 0x%" PRIx64 " begins inside that at 0x%"
					 PRIx64 "\nit is left out",
					 mapping->base, crash->mappings[used - 1].base);
			continue;
		}
		crash->mappings[used++] = *mapping;
	}
	crash->mapping_count = used;
}

static const char *
info_text(struct minidump *minidump, uint32_t state, uint32_t protection, uint32_t type)
{
	const char *state_text = "unknown state", *protection_text = "", *type_text = "";

	for (size_t i = 0; i < ARRAY_COUNT(states); i++) {
		if (states[i].value == state)
			state_text = states[i].text;
		if (types[i].value == type)
			type_text = types[i].text;
	}
	for (size_t i = 0; i < ARRAY_COUNT(protections); i++)
		if (protections[i].value == (protection & 0xff))
			protection_text = protections[i].text;
	const char *text = arena_format(&minidump->crash->arena, "%s%s%s%s%s%s", state_text,
					*protection_text != '\0' ? ", " : "", protection_text,
					(protection & PROTECTION_GUARD) != 0 ? ", guard" : "",
					*type_text != '\0' ? ", " : "", type_text);
	return text != NULL ? text : "";
}

static struct mapping
read_info(struct minidump *minidump, const struct reader *entry)
{
	struct mapping mapping = { .name = "", .place = reader_place(entry, 0, MEMORY_INFO_SIZE) };
	uint32_t state = 0, protection = 0, type = 0;

	reader_u64(entry, 0, &mapping.base);
	reader_u64(entry, 24, &mapping.size);
	reader_u32(entry, 32, &state);
	reader_u32(entry, 36, &protection);
	reader_u32(entry, 40, &type);
	mapping.free = state == STATE_FREE;
	mapping.guard = (protection & PROTECTION_GUARD) != 0;
	for (size_t i = 0; i < ARRAY_COUNT(protections); i++) {
		if (protections[i].value != (protection & 0xff))
			continue;
		mapping.readable = protections[i].readable && !mapping.guard;
		mapping.writable = protections[i].writable && !mapping.guard;
		mapping.executable = protections[i].executable && !mapping.guard;
	}
	mapping.text = info_text(minidump, state, protection, type);
	return mapping;
}

bool
memory_decode_info(struct minidump *minidump, const struct stream *stream,
		   const struct reader *window)
{
	struct list list;

	if (!minidump_headed_list(minidump, stream, window, true, MEMORY_INFO_SIZE, LIMIT_REGIONS,
				  &list))
		return false;
	/* Linux writers store both; maps names the files too. */
	if (minidump->mappings_from_maps)
		return true;
	for (uint32_t i = 0; i < list.count; i++) {
		struct reader entry = minidump_entry(&list, i);

		if (!memory_add_mapping(minidump, read_info(minidump, &entry)))
			break;
	}
	return true;
}
