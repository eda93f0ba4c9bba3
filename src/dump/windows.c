/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>

#define OPERATION_SIZE 288u
#define FUNCTION_TABLE_SIZE 32u

/* A list of object information has few links; a longer list is circular. */
#define OBJECT_INFO_LIMIT 64u

/* Handles -------------------------------------------------------------------------------------- */

static const struct field handle_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "handle", .key = true },
	{ 8, 4, FIELD_HEX, .name = "type_name_rva", .string = "type_name" },
	{ 12, 4, FIELD_HEX, .name = "object_name_rva", .string = "object_name" },
	{ 16, 4, FIELD_HEX, .name = "attributes" },
	{ 20, 4, FIELD_HEX, .name = "granted_access" },
	{ 24, 4, FIELD_DECIMAL, .name = "handle_count" },
	{ 28, 4, FIELD_DECIMAL, .name = "pointer_count" },
	{ 32, 4, FIELD_HEX, .name = "object_info_rva" },
	{ 36, 4, FIELD_HEX, .name = "reserved0" },
};
static const struct structure handle_structure = STRUCTURE(handle_fields, 32);

/* MINIDUMP_HANDLE_OBJECT_INFORMATION_TYPE (minidumpapiset.h) */
static const struct meaning object_types[] = {
	{ 0, "none" }, { 1, "thread" }, { 2, "mutant 1" }, { 3, "mutant 2" },
	{ 4, "process 1" }, { 5, "process 2" }, { 6, "event" }, { 7, "section" },
	{ 8, "semaphore" },
};

static const struct field object_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "next_info_rva" },
	{ 4, 4, FIELD_DECIMAL, .name = "info_type", VALUES(object_types) },
	{ 8, 4, FIELD_DECIMAL, .name = "size_of_info" },
};
static const struct structure object_structure = STRUCTURE(object_fields, 12);

/* File types of st_mode, which minidump-writer stores as attributes of a file descriptor. */
static const struct meaning file_types[] = {
	{ 0010000, "fifo" }, { 0020000, "character device" }, { 0040000, "directory" },
	{ 0060000, "block device" }, { 0100000, "regular file" }, { 0120000, "symbolic link" },
	{ 0140000, "socket" },
};

static void
tell_handle(struct describe *describe, const struct reader *entry, uint64_t index)
{
	const enum crash_os os = describe->crash->system.os;
	const uint64_t mode = fields_number(handle_structure, "attributes", entry) & 0170000;
	const struct reader *file = &describe->crash->reader;
	uint64_t rva = fields_number(handle_structure, "object_info_rva", entry);

	(void)index;
	if (os == CRASH_OS_LINUX || os == CRASH_OS_ANDROID)
		describe_text(describe, "file_type", DESCRIBE_WORD,
			      meaning_text(VALUES(file_types), mode), reader_place(entry, 16, 4));
	for (uint32_t i = 0; rva != 0 && describe_whole(describe); i++) {
		struct reader info;

		if (i == OBJECT_INFO_LIMIT) {
			describe_broken(describe, "object_info", reader_place(file, rva, 4),
					"a chain of more than %u links; the rest is skipped",
					OBJECT_INFO_LIMIT);
			return;
		}
		if (!describe_link(describe, "object_info"))
			return;
		if (!reader_window(file, rva, object_structure.size, &info)) {
			describe_broken(describe, "object_info", reader_place(file, rva, 0),
					"lies at 0x%" PRIx64 ", past the end of the file", rva);
			return;
		}
		if (!describe_begin_entry(describe, "object_info", i, &info))
			return;
		describe_fields(describe, object_structure, &info);
		describe_data(describe, (struct describe_value){ .name = "info" },
			      rva + object_structure.size,
			      fields_number(object_structure, "size_of_info", &info));
		rva = fields_number(object_structure, "next_info_rva", &info);
		describe_end(describe);
	}
}

const struct list_layout windows_handles_layout = {
	LIST_HEADED, "handle", NULL, STRUCTURE(handle_fields, 32), 0, tell_handle,
};

/* AVRF_HANDLE_OPERATION (avrfsdk.h): opening or closing a handle, with a backtrace. */
static const struct meaning operations[] = {
	{ 0, "unused" }, { 1, "open" }, { 2, "close" }, { 3, "bad reference" },
};

static const struct field operation_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "handle", .key = true },
	{ 8, 4, FIELD_DECIMAL, .name = "process_id" },
	{ 12, 4, FIELD_THREAD, .name = "thread_id", .key = true },
	{ 16, 4, FIELD_DECIMAL, .name = "operation_type", VALUES(operations), .key = true },
	{ 20, 4, FIELD_HEX, .name = "spare" },
	{ 24, 4, FIELD_DECIMAL, .name = "back_trace.depth" },
	{ 28, 4, FIELD_DECIMAL, .name = "back_trace.index" },
};

static void
tell_operation(struct describe *describe, const struct reader *entry, uint64_t index)
{
	const uint64_t depth = fields_number(FIELDS(operation_fields), "back_trace.depth", entry);
	const struct field addresses = {
		32, 8, FIELD_ADDRESS, .name = "back_trace.return_addresses",
		.count = depth < 32 ? (uint32_t)depth : 32,
	};

	(void)index;
	if (addresses.count > 0 && entry->size >= OPERATION_SIZE)
		describe_fields(describe, (struct structure){ &addresses, 1, 0 }, entry);
}

const struct list_layout windows_operations_layout = {
	LIST_HEADED, "operation", NULL, STRUCTURE(operation_fields, 32), 0, tell_operation,
};

/* Function tables ------------------------------------------------------------------------------ */

static const struct field table_head_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "size_of_header" },
	{ 4, 4, FIELD_DECIMAL, .name = "size_of_descriptor" },
	{ 8, 4, FIELD_DECIMAL, .name = "size_of_native_descriptor" },
	{ 12, 4, FIELD_DECIMAL, .name = "size_of_function_entry" },
	{ 16, 4, FIELD_DECIMAL, .name = "number_of_descriptors" },
	{ 20, 4, FIELD_DECIMAL, .name = "size_of_align_pad" },
};
static const struct structure table_head = STRUCTURE(table_head_fields, 24);

static const struct field table_fields[] = {
	{ 0, 8, FIELD_ADDRESS, .name = "minimum_address", .key = true },
	{ 8, 8, FIELD_ADDRESS, .name = "maximum_address", .key = true },
	{ 16, 8, FIELD_ADDRESS, .name = "base_address" },
	{ 24, 4, FIELD_DECIMAL, .name = "entry_count", .key = true },
	{ 28, 4, FIELD_DECIMAL, .name = "size_of_align_pad" },
};

/* IMAGE_RUNTIME_FUNCTION_ENTRY of amd64 (winnt.h); addresses count from the table's base. */
static const struct field function_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "begin_address", .key = true },
	{ 4, 4, FIELD_HEX, .name = "end_address", .key = true },
	{ 8, 4, FIELD_HEX, .name = "unwind_info_address" },
};

/* Describe the entries of a function table. Each entry has `size` bytes. */
static void
tell_functions(struct describe *describe, const struct reader *window, uint64_t offset,
	       uint64_t size, uint64_t claimed)
{
	const struct field bytes = { 0, (uint32_t)size, FIELD_BYTES, .name = "entry" };
	const bool known = size == 12;
	const struct list_layout layout = {
		.name = "function",
		.entry = { known ? function_fields : &bytes,
			   known ? ARRAY_COUNT(function_fields) : 1, (uint32_t)size },
	};
	struct list list = { .entry_size = size, .claimed = claimed };

	describe_clip(describe, window, offset, &list);
	describe_entries(describe, &list, &layout);
}

void
windows_function_table_describe(struct describe *describe, const struct reader *window)
{
	const uint64_t descriptor = fields_number(table_head, "size_of_descriptor", window);
	const uint64_t native = fields_number(table_head, "size_of_native_descriptor", window);
	const uint64_t function = fields_number(table_head, "size_of_function_entry", window);
	const uint64_t count = fields_number(table_head, "number_of_descriptors", window);
	uint64_t offset = fields_number(table_head, "size_of_header", window);

	describe_structure(describe, table_head, window, table_head.size);
	if (offset < table_head.size || descriptor < FUNCTION_TABLE_SIZE || function == 0) {
		describe_broken(describe, "header", reader_place(window, 0, 16),
				"expected a header of at least 24, descriptors of at least %u and"
				" entries of at least 1 byte", FUNCTION_TABLE_SIZE);
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		struct reader table;

		if (!reader_window(window, offset, descriptor, &table)) {
			describe_broken(describe, "tables", reader_place(window, 16, 4),
					"%" PRIu64 " are claimed, there is space for %" PRIu64,
					count, i);
			return;
		}
		const uint64_t entries = fields_number(FIELDS(table_fields), "entry_count", &table);
		if (describe_begin_entry(describe, "table", i, &table)) {
			describe_fields(describe, FIELDS(table_fields), &table);
			describe_bytes(describe, "native_descriptor", window, offset + descriptor,
				       native);
			tell_functions(describe, window, offset + descriptor + native, function,
				       entries);
			describe_end(describe);
		}
		if (entries * function > window->size)
			return;
		offset += descriptor + native + entries * function +
			  fields_number(FIELDS(table_fields), "size_of_align_pad", &table);
	}
}

/* Tokens --------------------------------------------------------------------------------------- */

static const struct field token_head_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "token_list_size" },
	{ 4, 4, FIELD_DECIMAL, .name = "token_list_entries" },
	{ 8, 4, FIELD_DECIMAL, .name = "list_header_size" },
	{ 12, 4, FIELD_DECIMAL, .name = "element_header_size" },
};

static const struct field token_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "token_size", .key = true },
	{ 4, 4, FIELD_HEX, .name = "token_id", .key = true },
	{ 8, 8, FIELD_HEX, .name = "token_handle", .key = true },
};

void
windows_token_describe(struct describe *describe, const struct reader *window)
{
	const struct structure head = FIELDS(token_head_fields);
	const uint64_t count = fields_number(head, "token_list_entries", window);
	const uint64_t header = fields_number(head, "list_header_size", window);
	const uint64_t element = fields_number(head, "element_header_size", window);
	uint64_t offset = header < 16 ? 16 : header;

	describe_structure(describe, head, window, 16);
	for (uint64_t i = 0; i < count; i++) {
		struct reader token;
		uint32_t size = 0;

		if (!reader_u32(window, offset, &size) || size < 16 ||
		    !reader_window(window, offset, size, &token)) {
			describe_broken(describe, "tokens", reader_place(window, offset, 4),
					"the size of token %" PRIu64 " is %" PRIu32
					"; it and what follows is left out", i, size);
			return;
		}
		if (describe_begin_entry(describe, "token", i, &token)) {
			const uint64_t skip = element < 16 || element > size ? 16 : element;

			describe_fields(describe, FIELDS(token_fields), &token);
			describe_bytes(describe, "data", &token, skip, size - skip);
			describe_end(describe);
		}
		offset += size;
	}
}
