/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/sorted.h"

#define MEMORY(member) INTO(struct memory_entry, member)

static const struct field descriptor_fields[] = {
	{ 0, 8, FIELD_ADDRESS, .name = "start_of_memory_range", .key = true, MEMORY(base) },
	{ 8, 4, FIELD_HEX, .name = "memory.data_size", .key = true, MEMORY(size) },
	{ 12, 4, FIELD_HEX, .name = "memory.rva", MEMORY(rva) },
};

static const struct field descriptor64_fields[] = {
	{ 0, 8, FIELD_ADDRESS, .name = "start_of_memory_range", .key = true, MEMORY(base) },
	{ 8, 8, FIELD_HEX, .name = "memory.data_size", .key = true, MEMORY(size) },
};

static const struct field header64_fields[] = {
	{ 0, 8, FIELD_DECIMAL, .name = "region_count" },
	{ 8, 8, FIELD_HEX, .name = "base_rva" },
};
static const struct structure header64 = STRUCTURE(header64_fields, 16);
static const struct structure descriptor64 = STRUCTURE(descriptor64_fields, 16);

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

struct info_entry {
	uint64_t base, size;
	uint32_t state, protection, type;
};

#define INFO(member) INTO(struct info_entry, member)

static const struct field info_fields[] = {
	{ 0, 8, FIELD_ADDRESS, .name = "base_address", .key = true, INFO(base) },
	{ 8, 8, FIELD_ADDRESS, .name = "allocation_base" },
	{ 16, 4, FIELD_HEX, .name = "allocation_protection", BITS_AND(protections, 0xff) },
	{ 24, 8, FIELD_HEX, .name = "region_size", .key = true, INFO(size) },
	{ 32, 4, FIELD_HEX, .name = "state", VALUES(states), .key = true, INFO(state) },
	{ 36, 4, FIELD_HEX, .name = "protection", BITS_AND(protections, 0xff), .key = true,
	  INFO(protection) },
	{ 40, 4, FIELD_HEX, .name = "type", VALUES(types), .key = true, INFO(type) },
};

const struct list_layout memory_info_layout = {
	LIST_HEADED_WIDE, "info", NULL, STRUCTURE(info_fields, 48), LIMIT_REGIONS, NULL,
};

static void
tell_region(struct describe *describe, const struct reader *bytes, uint64_t index)
{
	struct memory_entry entry = { 0 };

	(void)index;
	fields_read(&memory_list_layout.entry, bytes, &entry);
	describe_memory(describe, "memory", entry.base, entry.rva, entry.size);
}

const struct list_layout memory_list_layout = {
	LIST_COUNTED, "region", "region_count", STRUCTURE(descriptor_fields, 16), LIMIT_REGIONS,
	tell_region,
};

/* The regions of this list have no offsets: their bytes follow one another. */
void
memory_64_list_describe(struct describe *describe, const struct reader *window)
{
	struct list list = { .entry_size = descriptor64.size,
			     .claimed = fields_number(header64, "region_count", window) };
	uint64_t rva = fields_number(header64, "base_rva", window);
	bool wrapped = false;

	describe_structure(describe, header64, window, header64.size);
	if (window->size < header64.size)
		return;
	describe_clip(describe, window, header64.size, &list);
	for (uint64_t i = 0; i < list.count; i++) {
		const struct reader bytes = list_entry(&list, i);
		struct memory_entry entry = { .rva = rva };

		fields_read(&descriptor64, &bytes, &entry);
		wrapped = !checked_add(rva, entry.size, &rva) || wrapped;
		if (!describe_begin_entry(describe, "region", i, &bytes))
			continue;
		describe_fields(describe, descriptor64, &bytes);
		if (wrapped) {
			describe_broken(describe, "rva", reader_place(&bytes, 8, 8),
					"its bytes lie past the end of any file");
		} else {
			describe_value(describe, (struct describe_value){
				.name = "rva", .kind = DESCRIBE_HEX, .number = entry.rva,
				.digits = 8, .derived = true });
			describe_memory(describe, "memory", entry.base, entry.rva, entry.size);
		}
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
memory_system_describe(struct describe *describe, const struct reader *window)
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

/* The structure has two forms. Only the first has the private usage at offset 72. */
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
memory_counters_describe(struct describe *describe, const struct reader *window)
{
	uint16_t revision = 0;

	reader_u16(window, 0, &revision);
	describe_fields(describe, FIELDS(vm_fields), window);
	if (revision == 1)
		describe_structure(describe, FIELDS(vm_1_fields), window, 80);
	else
		describe_structure(describe, FIELDS(vm_2_fields), window, 152);
}

/* Bits of PAGE_... that permit reading, writing and executing a page; PAGE_GUARD; MEM_FREE. */
#define PROTECTION_READ 0xeeu
#define PROTECTION_WRITE 0xccu
#define PROTECTION_EXECUTE 0xf0u
#define PROTECTION_GUARD 0x100u
#define STATE_FREE 0x10000u

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
				 " bytes, more than the address space\nit is skipped",
				 region.base, region.size);
		return true;
	}
	minidump->regions_left = crash->region_count >= LIMIT_REGIONS;
	if (minidump->regions_left)
		return false;
	if (crash_bytes(minidump->crash, region.offset, region.size, &bytes)) {
		region.data = bytes.data;
		region.available = bytes.size;
	}
	if (region.available < region.size)
		minidump_message(minidump, TRUNCATED, region.place,
				 "memory at 0x%" PRIx64 " has 0x%" PRIx64
				 " bytes, 0x%" PRIx64 " of them are in the file",
				 region.base, region.size, region.available);
	return minidump_append(minidump, &crash->regions, &crash->region_count,
			       &minidump->region_capacity, &region, sizeof(region));
}

/* Add the entries of a list; `rva` (or NULL) is the offset of the next entry's bytes. */
static void
add_regions(struct minidump *minidump, const struct list *list, const struct structure *structure,
	    uint64_t *rva)
{
	struct crash *crash = minidump->crash;
	const uint64_t room = list->count < LIMIT_REGIONS ? list->count : LIMIT_REGIONS;

	/* Allocate the complete list at once: growing step by step would need twice the memory. */
	if (crash->regions == NULL) {
		crash->regions = arena_array(&crash->arena, (size_t)room, sizeof(*crash->regions));
		minidump->region_capacity = crash->regions != NULL ? (size_t)room : 0;
	}
	for (uint64_t i = 0; i < list->count; i++) {
		const struct reader bytes = list_entry(list, i);
		const struct place place = reader_place(&bytes, 0, bytes.size);
		struct memory_entry entry = { .rva = rva != NULL ? *rva : 0 };

		fields_read(structure, &bytes, &entry);
		if (rva != NULL && !checked_add(*rva, entry.size, rva)) {
			minidump_message(minidump, ENTRY_BROKEN, place,
					 "memory at 0x%" PRIx64 " would end past offset 2^64"
					 "\nit and the memory after it are skipped", entry.base);
			break;
		}
		if (!add_region(minidump, (struct memory_region){
			    .base = entry.base, .size = entry.size, .offset = entry.rva,
			    .memory64 = rva != NULL, .place = place }))
			break;
	}
}

bool
memory_list_decode(struct minidump *minidump, const struct stream *stream,
		   const struct reader *window)
{
	struct list list;

	if (!minidump_list(minidump, stream, window, &memory_list_layout, &list))
		return false;
	add_regions(minidump, &list, &memory_list_layout.entry, NULL);
	return true;
}

bool
memory_64_list_decode(struct minidump *minidump, const struct stream *stream,
		      const struct reader *window)
{
	struct list list = { .entry_size = descriptor64.size,
			     .claimed = fields_number(header64, "region_count", window) };
	uint64_t rva = fields_number(header64, "base_rva", window);

	if (window->size < header64.size) {
		minidump_message(minidump, STREAM_BROKEN, stream->place,
				 "stream %s is too short for its header", stream->name);
		return false;
	}
	list_clip(&list, window, header64.size);
	if (list.count < list.claimed)
		minidump_message(minidump, STREAM_BROKEN, reader_place(window, 0, 8),
				 "stream %s claims %" PRIu64 " entries, has space for %" PRIu64
				 "\nonly these are used",
				 stream->name, list.claimed, list.count);
	add_regions(minidump, &list, &descriptor64, &rva);
	return true;
}

SORTED_BY_ALL(compare_regions, struct memory_region,
	      SORTED_UP(base) SORTED_DOWN(size) SORTED_UP(offset))

void
memory_finish(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	uint64_t last = 0;
	size_t holder = 0;

	if (minidump->regions_left)
		minidump_message(minidump, LIMIT, reader_place(&crash->reader, 0, 0),
				 "more than %u memory regions\nthe rest is skipped", LIMIT_REGIONS);
	if (crash->region_count == 0)
		return;
	SORT(crash->regions, crash->region_count, compare_regions);
	for (size_t i = 0; i < crash->region_count; i++) {
		const struct memory_region *region = &crash->regions[i];

		/* Two entries with the same bytes do not contradict each other. */
		if (region->base <= last && region->data != NULL &&
		    region->base - crash->regions[holder].base !=
			    region->offset - crash->regions[holder].offset)
			minidump_message(minidump, REGION_OVERLAP, region->place,
					 "memory at 0x%" PRIx64 " overlaps that at 0x%" PRIx64
					 "\nthe larger region is used for the shared bytes",
					 region->base, crash->regions[holder].base);
		if (region->base + (region->size - 1) > last) {
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
				 "the mapping at 0x%" PRIx64 " claims 0x%" PRIx64 " bytes, %s"
				 "\nit is skipped", mapping.base, mapping.size,
				 mapping.size == 0 ? "an empty range"
						   : "more than the address space");
		return true;
	}
	if (crash->mapping_count >= LIMIT_REGIONS) {
		minidump_message(minidump, LIMIT, mapping.place,
				 "more than %u mappings\nthe rest is skipped", LIMIT_REGIONS);
		return false;
	}
	return minidump_append(minidump, &crash->mappings, &crash->mapping_count,
			       &minidump->mapping_capacity, &mapping, sizeof(mapping));
}

SORTED_BY_ALL(compare_mappings, struct mapping, SORTED_UP(base) SORTED_UP(place.offset))

void
memory_finish_mappings(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	size_t used = 0;

	if (crash->mapping_count == 0)
		return;
	SORT(crash->mappings, crash->mapping_count, compare_mappings);
	for (size_t i = 0; i < crash->mapping_count; i++) {
		const struct mapping *mapping = &crash->mappings[i];

		if (used > 0 && checked_contains(crash->mappings[used - 1].base,
						 crash->mappings[used - 1].size, mapping->base)) {
			minidump_message(minidump, ENTRY_BROKEN, mapping->place,
					 "the mapping at 0x%" PRIx64 " begins inside that at 0x%"
					 PRIx64 "\nit is skipped",
					 mapping->base, crash->mappings[used - 1].base);
			continue;
		}
		crash->mappings[used++] = *mapping;
	}
	crash->mapping_count = used;
}

static struct mapping
read_info(struct minidump *minidump, const struct reader *bytes)
{
	struct info_entry entry = { 0 };

	fields_read(&memory_info_layout.entry, bytes, &entry);
	const bool guard = (entry.protection & PROTECTION_GUARD) != 0;
	const uint32_t low = entry.protection & 0xff;
	/* A valid protection has exactly one bit, which may give several rights. */
	const uint32_t rights = guard || (low & (low - 1)) != 0 ? 0 : low;
	const char *state = meaning_text(VALUES(states), entry.state);
	const char *protection = meaning_text(VALUES(protections), low);
	const char *type = meaning_text(VALUES(types), entry.type);
	/* "commit, execute-read, image" */
	const char *text = arena_format(
		&minidump->crash->arena, "%s%s%s%s%s%s", state != NULL ? state : "unknown state",
		protection != NULL ? ", " : "", protection != NULL ? protection : "",
		guard ? ", guard" : "", type != NULL ? ", " : "", type != NULL ? type : "");
	return (struct mapping){
		.base = entry.base, .size = entry.size, .name = "", .guard = guard,
		.free = entry.state == STATE_FREE,
		.readable = (rights & PROTECTION_READ) != 0,
		.writable = (rights & PROTECTION_WRITE) != 0,
		.executable = (rights & PROTECTION_EXECUTE) != 0,
		.text = text != NULL ? text : "",
		.place = reader_place(bytes, 0, memory_info_layout.entry.size),
	};
}

bool
memory_info_decode(struct minidump *minidump, const struct stream *stream,
		   const struct reader *window)
{
	struct list list;

	if (!minidump_list(minidump, stream, window, &memory_info_layout, &list))
		return false;
	/* Linux writers also store /proc maps. Prefer these, because they name the files. */
	for (uint64_t i = 0; !minidump->mappings_from_maps && i < list.count; i++) {
		const struct reader entry = list_entry(&list, i);

		if (!memory_add_mapping(minidump, read_info(minidump, &entry)))
			break;
	}
	return true;
}
