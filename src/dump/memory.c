/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"

#define DESCRIPTOR_SIZE 16u
#define INFO_SIZE 48u

static const struct field descriptor_fields[] = {
	{ 0, 8, FIELD_ADDRESS, .name = "start_of_memory_range", .key = true },
	{ 8, 4, FIELD_HEX, .name = "memory.data_size", .key = true },
	{ 12, 4, FIELD_HEX, .name = "memory.rva" },
};

static const struct field descriptor64_fields[] = {
	{ 0, 8, FIELD_ADDRESS, .name = "start_of_memory_range", .key = true },
	{ 8, 8, FIELD_HEX, .name = "memory.data_size", .key = true },
};

/* PAGE_..., MEM_... (winnt.h) */
static const struct meaning protections[] = {
	{ 1, "no access" }, { 2, "read" }, { 4, "read-write" }, { 8, "write-copy" },
	{ 0x10, "execute" }, { 0x20, "execute-read" }, { 0x40, "execute-read-write" },
	{ 0x80, "execute-write-copy" }, { 0x100, "guard" }, { 0x200, "no cache" },
	{ 0x400, "write-combine" }, { 0x40000000, "cfg targets invalid" },
};

static const struct meaning states[] = {
	{ 0x1000, "commit" }, { 0x2000, "reserve" }, { 0x10000, "free" },
};

static const struct meaning types[] = {
	{ 0x20000, "private" }, { 0x40000, "mapped" }, { 0x1000000, "image" },
};

static const struct field info_fields[] = {
	{ 0, 8, FIELD_ADDRESS, .name = "base_address", .key = true },
	{ 8, 8, FIELD_ADDRESS, .name = "allocation_base" },
	{ 16, 4, FIELD_HEX, .name = "allocation_protection", BITS_AND(protections, 0xff) },
	{ 24, 8, FIELD_HEX, .name = "region_size", .key = true },
	{ 32, 4, FIELD_HEX, .name = "state", VALUES(states), .key = true },
	{ 36, 4, FIELD_HEX, .name = "protection", BITS_AND(protections, 0xff), .key = true },
	{ 40, 4, FIELD_HEX, .name = "type", VALUES(types), .key = true },
};

/* The bytes of a region; links to its address. */
static void
tell_memory(struct describe *describe, uint64_t base, uint64_t offset, uint64_t size)
{
	const struct reader *file = &describe->crash->reader;
	uint64_t room = offset < file->size ? file->size - offset : 0;
	uint64_t there = size < room ? size : room;

	if (!describe_whole(describe))
		return;
	if (there < size)
		describe_broken(describe, "memory", reader_place(file, offset, 0),
				"0x%" PRIx64 " of 0x%" PRIx64 " bytes are in the file", there,
				size);
	if (there > 0)
		describe_value(describe, (struct describe_value){
			.name = "memory", .kind = DESCRIBE_BYTES, .private = true, .derived = true,
			.link = DESCRIBE_LINK_ADDRESS, .linked = base,
			.text = { (const char *)file->data + offset, (size_t)there },
			.place = reader_place(file, offset, there < UINT32_MAX ? (uint32_t)there
									       : UINT32_MAX) });
}

void
describe_memory_list(struct describe *describe, const struct reader *window)
{
	struct describe_list list;

	if (!describe_open_list(describe, window, DESCRIPTOR_SIZE, "region_count", &list))
		return;
	for (uint64_t i = 0; i < list.count; i++) {
		struct reader entry = describe_entry(&list, i);
		struct location location = { 0 };
		uint64_t base = 0;

		if (!describe_begin_entry(describe, "region", i, &entry))
			continue;
		describe_fields(describe, FIELDS(descriptor_fields), &entry);
		reader_u64(&entry, 0, &base);
		minidump_location(&entry, 8, &location);
		tell_memory(describe, base, location.rva, location.size);
		describe_end(describe);
	}
}

void
describe_memory_64_list(struct describe *describe, const struct reader *window)
{
	static const struct field fields[] = {
		{ 0, 8, FIELD_DECIMAL, .name = "region_count" },
		{ 8, 8, FIELD_HEX, .name = "base_rva" },
	};
	struct describe_list list = { .entry_size = DESCRIPTOR_SIZE };
	uint64_t count = 0, offset = 0;
	bool wrapped = false;

	describe_structure(describe, FIELDS(fields), window, 16);
	if (!reader_u64(window, 0, &count) || !reader_u64(window, 8, &offset))
		return;
	describe_clip(describe, window, 16, count, &list);
	for (uint64_t i = 0; i < list.count; i++) {
		struct reader entry = describe_entry(&list, i);
		uint64_t base = 0, size = 0, at = offset;

		reader_u64(&entry, 0, &base);
		reader_u64(&entry, 8, &size);
		wrapped = !checked_add(offset, size, &offset) || wrapped;
		if (!describe_begin_entry(describe, "region", i, &entry))
			continue;
		describe_fields(describe, FIELDS(descriptor64_fields), &entry);
		if (wrapped)
			describe_broken(describe, "rva", reader_place(&entry, 8, 8),
					"its bytes end behind every file");
		else
			describe_value(describe, (struct describe_value){
				.name = "rva", .kind = DESCRIBE_HEX, .number = at, .digits = 8,
				.derived = true });
		if (!wrapped)
			tell_memory(describe, base, at, size);
		describe_end(describe);
	}
}

void
describe_memory_info(struct describe *describe, const struct reader *window)
{
	struct describe_list list;

	if (!describe_open_headed(describe, window, true, INFO_SIZE, &list))
		return;
	for (uint64_t i = 0; i < list.count; i++) {
		struct reader entry = describe_entry(&list, i);

		if (!describe_begin_entry(describe, "info", i, &entry))
			continue;
		describe_fields(describe, FIELDS(info_fields), &entry);
		describe_bytes(describe, "rest", &entry, INFO_SIZE, entry.size - INFO_SIZE);
		describe_end(describe);
	}
}

/* MINIDUMP_SYSMEMINFO1_... (minidumpapiset.h) */
static const struct meaning memory_flags[] = {
	{ 1, "transition repurpose count, flags" }, { 2, "basic performance" },
	{ 4, "dirty pages" }, { 8, "resident available pages" },
};

static const struct field system_memory_fields[] = {
	{ 0, 2, FIELD_DECIMAL, .name = "revision" },
	{ 2, 2, FIELD_HEX, .name = "flags", BITS(memory_flags) },
	{ 4, 4, FIELD_DECIMAL, .name = "basic.timer_resolution" },
	{ 8, 4, FIELD_DECIMAL, .name = "basic.page_size" },
	{ 12, 4, FIELD_DECIMAL, .name = "basic.number_of_physical_pages" },
	{ 16, 4, FIELD_HEX, .name = "basic.lowest_physical_page_number" },
	{ 20, 4, FIELD_HEX, .name = "basic.highest_physical_page_number" },
	{ 24, 4, FIELD_DECIMAL, .name = "basic.allocation_granularity" },
	{ 28, 8, FIELD_HEX, .name = "basic.minimum_user_mode_address" },
	{ 36, 8, FIELD_HEX, .name = "basic.maximum_user_mode_address" },
	{ 44, 8, FIELD_HEX, .name = "basic.active_processors_affinity_mask" },
	{ 52, 4, FIELD_DECIMAL, .name = "basic.number_of_processors" },
	{ 56, 8, FIELD_DECIMAL, .name = "file_cache.current_size" },
	{ 64, 8, FIELD_DECIMAL, .name = "file_cache.peak_size" },
	{ 72, 4, FIELD_DECIMAL, .name = "file_cache.page_fault_count" },
	{ 76, 8, FIELD_DECIMAL, .name = "file_cache.minimum_working_set" },
	{ 84, 8, FIELD_DECIMAL, .name = "file_cache.maximum_working_set" },
	{ 92, 8, FIELD_DECIMAL, .name = "file_cache.current_size_including_transition_in_pages" },
	{ 100, 8, FIELD_DECIMAL, .name = "file_cache.peak_size_including_transition_in_pages" },
	{ 108, 4, FIELD_DECIMAL, .name = "file_cache.transition_repurpose_count" },
	{ 112, 4, FIELD_HEX, .name = "file_cache.flags" },
	{ 116, 8, FIELD_DECIMAL, .name = "basic_performance.available_pages" },
	{ 124, 8, FIELD_DECIMAL, .name = "basic_performance.committed_pages" },
	{ 132, 8, FIELD_DECIMAL, .name = "basic_performance.commit_limit" },
	{ 140, 8, FIELD_DECIMAL, .name = "basic_performance.peak_commitment" },
	{ 148, 8, FIELD_TICKS, .name = "performance.idle_process_time" },
	{ 156, 8, FIELD_DECIMAL, .name = "performance.io_read_transfer_count" },
	{ 164, 8, FIELD_DECIMAL, .name = "performance.io_write_transfer_count" },
	{ 172, 8, FIELD_DECIMAL, .name = "performance.io_other_transfer_count" },
	{ 180, 4, FIELD_DECIMAL, .name = "performance.io_read_operation_count" },
	{ 184, 4, FIELD_DECIMAL, .name = "performance.io_write_operation_count" },
	{ 188, 4, FIELD_DECIMAL, .name = "performance.io_other_operation_count" },
	{ 192, 4, FIELD_DECIMAL, .name = "performance.available_pages" },
	{ 196, 4, FIELD_DECIMAL, .name = "performance.committed_pages" },
	{ 200, 4, FIELD_DECIMAL, .name = "performance.commit_limit" },
	{ 204, 4, FIELD_DECIMAL, .name = "performance.peak_commitment" },
	{ 208, 4, FIELD_DECIMAL, .name = "performance.page_fault_count" },
};

void
describe_system_memory(struct describe *describe, const struct reader *window)
{
	describe_structure(describe, FIELDS(system_memory_fields), window, 212);
	if (window->size > 212)
		describe_bytes(describe, "performance.counters", window, 212, window->size - 212);
}

static const struct field vm_fields[] = {
	{ 0, 2, FIELD_DECIMAL, .name = "revision" },
	{ 4, 4, FIELD_DECIMAL, .name = "page_fault_count" },
	{ 8, 8, FIELD_DECIMAL, .name = "peak_working_set_size" },
	{ 16, 8, FIELD_DECIMAL, .name = "working_set_size" },
	{ 24, 8, FIELD_DECIMAL, .name = "quota_peak_paged_pool_usage" },
	{ 32, 8, FIELD_DECIMAL, .name = "quota_paged_pool_usage" },
	{ 40, 8, FIELD_DECIMAL, .name = "quota_peak_non_paged_pool_usage" },
	{ 48, 8, FIELD_DECIMAL, .name = "quota_non_paged_pool_usage" },
	{ 56, 8, FIELD_DECIMAL, .name = "pagefile_usage" },
	{ 64, 8, FIELD_DECIMAL, .name = "peak_pagefile_usage" },
};

/* MINIDUMP_PROCESS_VM_COUNTERS_... (minidumpapiset.h) */
static const struct meaning vm_flags[] = {
	{ 1, "counters" }, { 2, "virtual size" }, { 4, "extended" }, { 8, "extended 2" },
	{ 0x10, "job" },
};

/* The tails differ: what is private usage in the first is the peak virtual size in the second. */
static const struct field vm_1_fields[] = {
	{ 72, 8, FIELD_DECIMAL, .name = "private_usage" },
};

static const struct field vm_2_fields[] = {
	{ 2, 2, FIELD_HEX, .name = "flags", BITS(vm_flags) },
	{ 72, 8, FIELD_DECIMAL, .name = "peak_virtual_size" },
	{ 80, 8, FIELD_DECIMAL, .name = "virtual_size" },
	{ 88, 8, FIELD_DECIMAL, .name = "private_usage" },
	{ 96, 8, FIELD_DECIMAL, .name = "private_working_set_size" },
	{ 104, 8, FIELD_DECIMAL, .name = "shared_commit_usage" },
	{ 112, 8, FIELD_DECIMAL, .name = "job_shared_commit_usage" },
	{ 120, 8, FIELD_DECIMAL, .name = "job_private_commit_usage" },
	{ 128, 8, FIELD_DECIMAL, .name = "job_peak_private_commit_usage" },
	{ 136, 8, FIELD_DECIMAL, .name = "job_private_commit_limit" },
	{ 144, 8, FIELD_DECIMAL, .name = "job_total_commit_limit" },
};

void
describe_vm_counters(struct describe *describe, const struct reader *window)
{
	uint16_t revision = 0;

	reader_u16(window, 0, &revision);
	describe_fields(describe, FIELDS(vm_fields), window);
	if (revision == 1)
		describe_structure(describe, FIELDS(vm_1_fields), window, 80);
	else
		describe_structure(describe, FIELDS(vm_2_fields), window, 152);
}

#define DESCRIPTOR64_SIZE 16u
#define MEMORY_INFO_SIZE 48u

/* Windows' words for protections, by the low byte (winnt.h, PAGE_*). */
static const struct {
	uint8_t value;
	bool readable, writable, executable;
	const char *text;
} protection_words[] = {
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
} state_words[] = { { 0x1000, "commit" }, { 0x2000, "reserve" }, { 0x10000, "free" } },
  type_words[] = { { 0x20000, "private" }, { 0x40000, "mapped" }, { 0x1000000, "image" } };

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

	for (size_t i = 0; i < ARRAY_COUNT(state_words); i++) {
		if (state_words[i].value == state)
			state_text = state_words[i].text;
		if (type_words[i].value == type)
			type_text = type_words[i].text;
	}
	for (size_t i = 0; i < ARRAY_COUNT(protection_words); i++)
		if (protection_words[i].value == (protection & 0xff))
			protection_text = protection_words[i].text;
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
	for (size_t i = 0; i < ARRAY_COUNT(protection_words); i++) {
		if (protection_words[i].value != (protection & 0xff))
			continue;
		mapping.readable = protection_words[i].readable && !mapping.guard;
		mapping.writable = protection_words[i].writable && !mapping.guard;
		mapping.executable = protection_words[i].executable && !mapping.guard;
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
