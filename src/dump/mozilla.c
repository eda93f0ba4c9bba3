/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <string.h>

/* Limits of Mozilla's writer (minidump_format.h of its fork of Breakpad). */
#define CRASH_INFO_RECORDS 20u
#define CRASH_INFO_STRING 8192u

static const struct field crash_info_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "stream_type" },
	{ 4, 4, FIELD_DECIMAL, .name = "record_count" },
	{ 8, 4, FIELD_DECIMAL, .name = "record_start_size" },
};

static const struct field record_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "stream_type" },
	{ 8, 8, FIELD_DECIMAL, .name = "version" },
};

static const struct field record_4_fields[] = {
	{ 16, 8, FIELD_HEX, .name = "thread" },
	{ 24, 8, FIELD_HEX, .name = "dialog_mode" },
};

static const struct field record_5_fields[] = {
	{ 32, 8, FIELD_HEX, .name = "abort_cause" },
};

/* The strings that follow a record, in their order. */
static const char *const record_strings[] = {
	"module_path", "message", "signature_string", "backtrace", "message2",
};

static const struct field location_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "data_size", INTO(struct descriptor, size) },
	{ 4, 4, FIELD_HEX, .name = "rva", INTO(struct descriptor, rva) },
};
static const struct structure location_structure = STRUCTURE(location_fields, 8);

static void
tell_strings(struct describe *describe, const struct reader *record, uint64_t at)
{
	for (size_t i = 0; i < ARRAY_COUNT(record_strings) && at < record->size; i++) {
		const char *text = (const char *)record->data + at;
		const size_t room = (size_t)(record->size - at);
		const size_t most = room < CRASH_INFO_STRING ? room : CRASH_INFO_STRING;
		const size_t length = strnlen(text, most);

		if (length == most)
			describe_broken(describe, record_strings[i], reader_place(record, at, 0),
					"the string is not terminated within its %u bytes",
					CRASH_INFO_STRING);
		describe_value(describe, (struct describe_value){
			.name = record_strings[i], .kind = DESCRIBE_TEXT,
			.text = { text, length }, .key = i < 2,
			.place = reader_place(record, at, length) });
		if (length == most)
			return;
		at += length + 1;
	}
}

void
mozilla_crash_info_describe(struct describe *describe, const struct reader *window)
{
	uint64_t count = fields_number(FIELDS(crash_info_fields), "record_count", window);
	uint64_t strings = fields_number(FIELDS(crash_info_fields), "record_start_size", window);

	describe_structure(describe, FIELDS(crash_info_fields), window, 12);
	if (count > CRASH_INFO_RECORDS) {
		describe_broken(describe, "record_count", reader_place(window, 4, 4),
				"%" PRIu64 " records, there is space for %u", count,
				CRASH_INFO_RECORDS);
		count = CRASH_INFO_RECORDS;
	}
	for (uint64_t i = 0; i < count; i++) {
		struct descriptor location;
		struct reader record, bytes;

		if (!reader_window(window, 12 + 8 * i, 8, &bytes)) {
			describe_broken(describe, "records", reader_place(window, 4, 4),
					"%" PRIu64 " are claimed, there is space for %" PRIu64,
					count, i);
			return;
		}
		fields_read(&location_structure, &bytes, &location);
		if (!describe_window(describe, "record", location, &record) ||
		    !describe_begin_entry(describe, "record", i, &record))
			continue;
		const uint64_t version = fields_number(FIELDS(record_fields), "version", &record);
		describe_structure(describe, FIELDS(record_fields), &record, 16);
		if (version >= 4)
			describe_fields(describe, FIELDS(record_4_fields), &record);
		if (version >= 5)
			describe_fields(describe, FIELDS(record_5_fields), &record);
		tell_strings(describe, &record, strings);
		describe_end(describe);
	}
}

static const struct field boot_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "stream_type" },
	{ 4, 8, FIELD_HEX, .name = "bootargs_rva", .string = "bootargs" },
};

const struct list_layout mozilla_boot_arguments_layout = { .entry = STRUCTURE(boot_fields, 12) };
