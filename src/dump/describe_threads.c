/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <string.h>

#define THREAD_SIZE 48u
#define THREAD_EX_SIZE 64u
#define THREAD_NAME_SIZE 12u
#define THREAD_INFO_SIZE 64u

static const struct field thread_fields[] = {
	{ 0, 4, FIELD_THREAD, .name = "thread_id", .key = true },
	{ 4, 4, FIELD_DECIMAL, .name = "suspend_count" },
	{ 8, 4, FIELD_HEX, .name = "priority_class" },
	{ 12, 4, FIELD_HEX, .name = "priority" },
	{ 16, 8, FIELD_ADDRESS, .name = "teb" },
	{ 24, 8, FIELD_ADDRESS, .name = "stack.start_of_memory_range" },
	{ 32, 4, FIELD_HEX, .name = "stack.memory.data_size" },
	{ 36, 4, FIELD_HEX, .name = "stack.memory.rva" },
	{ 40, 4, FIELD_HEX, .name = "thread_context.data_size" },
	{ 44, 4, FIELD_HEX, .name = "thread_context.rva" },
	{ 48, 8, FIELD_ADDRESS, .name = "backing_store.start_of_memory_range" },
	{ 56, 4, FIELD_HEX, .name = "backing_store.memory.data_size" },
	{ 60, 4, FIELD_HEX, .name = "backing_store.memory.rva" },
};

static const struct field name_fields[] = {
	{ 0, 4, FIELD_THREAD, .name = "thread_id", .key = true },
	{ 4, 8, FIELD_HEX, .name = "rva_of_thread_name" },
};

/* MINIDUMP_THREAD_INFO_... (minidumpapiset.h) */
static const struct meaning dump_flags[] = {
	{ 1, "error" }, { 2, "writing thread" }, { 4, "exited" }, { 8, "invalid info" },
	{ 0x10, "invalid context" }, { 0x20, "invalid teb" },
};

static const struct meaning exits[] = { { 0x103, "still active" } };

static const struct field info_fields[] = {
	{ 0, 4, FIELD_THREAD, .name = "thread_id", .key = true },
	{ 4, 4, FIELD_HEX, .name = "dump_flags", BITS(dump_flags), .key = true },
	{ 8, 4, FIELD_HEX, .name = "dump_error" },
	{ 12, 4, FIELD_HEX, .name = "exit_status", VALUES(exits) },
	{ 16, 8, FIELD_FILETIME, .name = "create_time" },
	{ 24, 8, FIELD_FILETIME, .name = "exit_time" },
	{ 32, 8, FIELD_TICKS, .name = "kernel_time" },
	{ 40, 8, FIELD_TICKS, .name = "user_time" },
	{ 48, 8, FIELD_ADDRESS, .name = "start_address", .key = true },
	{ 56, 8, FIELD_HEX, .name = "affinity" },
};

/* What the model knows of the thread whose entry lies at `offset`; NULL: another list counts. */
static const struct thread *
model_of(const struct crash *crash, uint64_t index, uint64_t offset)
{
	if (index >= crash->thread_count)
		return NULL;
	const struct thread *thread = &crash->threads[index];
	return thread->place.offset == offset ? thread : NULL;
}

static void
tell_stack(struct describe *describe, const char *name, const struct reader *entry, uint64_t offset)
{
	struct location location = { 0 };
	const struct reader *file = &describe->crash->reader;

	if (!minidump_location(entry, offset, &location) || location.rva == 0 ||
	    location.size == 0 || !describe_whole(describe))
		return;
	uint64_t room = location.rva < file->size ? file->size - location.rva : 0;
	uint64_t size = location.size < room ? location.size : room;
	if (size < location.size)
		describe_broken(describe, name, reader_place(entry, offset, 8),
				"0x%llx of 0x%llx bytes are in the file",
				(unsigned long long)size, (unsigned long long)location.size);
	struct describe_value value = {
		.name = name, .kind = DESCRIBE_BYTES, .private = true, .derived = true,
		.link = DESCRIBE_LINK_ADDRESS, .place = reader_place(file, location.rva,
								    (uint32_t)size),
	};
	reader_unsigned(entry, offset - 8, 8, &value.linked);
	if (size == 0)
		return;
	value.text = (struct text){ (const char *)file->data + location.rva, (size_t)size };
	describe_value(describe, value);
}

static void
tell_thread(struct describe *describe, const struct reader *entry, const struct thread *model)
{
	struct location context = { 0 };

	describe_fields(describe, FIELDS(thread_fields), entry);
	if (model != NULL && model->name != NULL)
		describe_value(describe, (struct describe_value){
			.name = "name", .kind = DESCRIBE_TEXT, .text = text_of(model->name),
			.derived = true, .key = true });
	if (model != NULL && model->wrote_dump)
		describe_value(describe, (struct describe_value){
			.name = "role", .kind = DESCRIBE_WORD, .key = true, .derived = true,
			.text = text_of("wrote the dump") });
	tell_stack(describe, "stack", entry, 32);
	if (entry->size >= THREAD_EX_SIZE)
		tell_stack(describe, "backing_store", entry, 56);
	minidump_location(entry, 40, &context);
	describe_context(describe, "context", context);
}

static void
tell_threads(struct describe *describe, const struct reader *window, uint32_t size)
{
	struct describe_list list;

	if (!describe_open_list(describe, window, size, "thread_count", &list))
		return;
	for (uint64_t i = 0; i < list.count; i++) {
		struct reader entry = describe_entry(&list, i);

		if (!describe_begin_entry(describe, "thread", i, &entry))
			continue;
		tell_thread(describe, &entry, model_of(describe->crash, i, entry.start));
		describe_end(describe);
	}
}

void
describe_thread_list(struct describe *describe, const struct reader *window)
{
	tell_threads(describe, window, THREAD_SIZE);
}

void
describe_thread_ex_list(struct describe *describe, const struct reader *window)
{
	tell_threads(describe, window, THREAD_EX_SIZE);
}

void
describe_thread_names(struct describe *describe, const struct reader *window)
{
	struct describe_list list;

	if (!describe_open_list(describe, window, THREAD_NAME_SIZE, "thread_name_count", &list))
		return;
	for (uint64_t i = 0; i < list.count; i++) {
		struct reader entry = describe_entry(&list, i);
		uint64_t rva = 0;

		if (!describe_begin_entry(describe, "thread_name", i, &entry))
			continue;
		describe_fields(describe, FIELDS(name_fields), &entry);
		reader_u64(&entry, 4, &rva);
		describe_string(describe, "name", rva, true);
		describe_end(describe);
	}
}

void
describe_thread_info(struct describe *describe, const struct reader *window)
{
	struct describe_list list;

	if (!describe_open_headed(describe, window, false, THREAD_INFO_SIZE, &list))
		return;
	for (uint64_t i = 0; i < list.count; i++) {
		struct reader entry = describe_entry(&list, i);

		if (!describe_begin_entry(describe, "thread_info", i, &entry))
			continue;
		describe_fields(describe, FIELDS(info_fields), &entry);
		describe_bytes(describe, "rest", &entry, THREAD_INFO_SIZE,
			       entry.size - THREAD_INFO_SIZE);
		describe_end(describe);
	}
}
