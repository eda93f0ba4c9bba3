/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>

#include "base/checked.h"

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
