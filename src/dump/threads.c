/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "base/sorted.h"

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

static int
compare_names(const void *left, const void *right)
{
	const struct thread_name *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

bool
threads_decode_names(struct minidump *minidump, const struct stream *stream,
		     const struct reader *window)
{
	struct arena *arena = &minidump->crash->arena;
	struct list list;

	if (!minidump_list(minidump, stream, window, THREAD_NAME_SIZE, LIMIT_THREADS, &list))
		return false;
	struct thread_name *names = arena_array(arena, list.count, sizeof(*names));
	if (names == NULL) {
		minidump_no_memory(minidump);
		return false;
	}
	minidump->names = names;
	for (uint32_t i = 0; i < list.count; i++) {
		struct reader entry = minidump_entry(&list, i);
		struct thread_name *name = &names[minidump->name_count];
		uint64_t rva = 0;

		reader_u32(&entry, 0, &name->id);
		reader_u64(&entry, 4, &rva);
		name->name = minidump_string(minidump, rva,
					     arena_format(arena, "name of thread 0x%" PRIx32,
							  name->id));
		if (name->name != NULL)
			minidump->name_count++;
	}
	qsort(names, minidump->name_count, sizeof(names[0]), compare_names);
	return true;
}

static const char *
name_of(const struct minidump *minidump, uint32_t id)
{
	const struct thread_name key = { .id = id };

	if (minidump->name_count == 0)
		return NULL;
	const struct thread_name *found = bsearch(&key, minidump->names, minidump->name_count,
						  sizeof(key), compare_names);
	return found != NULL ? found->name : NULL;
}

/* The stack that the thread's own descriptor gives: data may be absent even where it names some. */
static const struct memory_region *
described_stack(struct minidump *minidump, const struct thread *thread, uint32_t rva,
		struct place place)
{
	struct reader bytes = { .data = NULL };

	if (rva == 0 || thread->stack_size == 0 ||
	    thread->stack_size - 1 > UINT64_MAX - thread->stack_start)
		return NULL;
	struct memory_region *region = arena_alloc(&minidump->crash->arena, sizeof(*region));
	if (region == NULL) {
		minidump_no_memory(minidump);
		return NULL;
	}
	minidump_bytes(minidump, rva, thread->stack_size, &bytes);
	*region = (struct memory_region){
		.base = thread->stack_start, .size = thread->stack_size,
		.available = bytes.size, .offset = rva, .data = bytes.data, .place = place,
	};
	if (region->available < region->size)
		minidump_message(minidump, TRUNCATED, place,
				 "the stack of thread 0x%" PRIx32 " has 0x%" PRIx64
				 " bytes, 0x%" PRIx64 " of them are in the file",
				 thread->id, region->size, region->available);
	return region;
}

static void
read_thread(struct minidump *minidump, const struct reader *entry, struct thread *thread)
{
	struct location stack = { 0 }, context = { 0 };
	char whose[32];

	thread->place = reader_place(entry, 0, (uint32_t)entry->size);
	reader_u32(entry, 0, &thread->id);
	reader_u64(entry, 16, &thread->teb);
	reader_u64(entry, 24, &thread->stack_start);
	minidump_location(entry, 32, &stack);
	minidump_location(entry, 40, &context);
	thread->stack_size = stack.size;
	thread->name = name_of(minidump, thread->id);
	thread->wrote_dump =
		minidump->has_dump_thread && thread->id == minidump->dump_thread_id;
	thread->stack = described_stack(minidump, thread, stack.rva,
					reader_place(entry, 24, 16));
	snprintf(whose, sizeof(whose), "thread 0x%" PRIx32, thread->id);
	context_read(minidump, context, whose, &thread->context);
	if (thread->wrote_dump)
		minidump_message(minidump, DUMP_THREAD, thread->place,
				 "thread 0x%" PRIx32 " wrote the dump"
				 "\nits stack was in flux; Breakpad leaves it out", thread->id);
}

static int
compare_ids(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* Ids are handles for users and for the exception: two threads with one are worth a word. */
static void
report_repeated_ids(struct minidump *minidump)
{
	const struct crash *crash = minidump->crash;
	uint32_t *ids = arena_array(&minidump->crash->arena, crash->thread_count, sizeof(*ids));

	if (ids == NULL || crash->thread_count == 0)
		return;
	for (size_t i = 0; i < crash->thread_count; i++)
		ids[i] = crash->threads[i].id;
	qsort(ids, crash->thread_count, sizeof(ids[0]), compare_ids);
	for (size_t i = 1; i < crash->thread_count; i++)
		if (ids[i] == ids[i - 1] && (i == 1 || ids[i] != ids[i - 2]))
			minidump_message(minidump, ENTRY_BROKEN, crash->threads[0].place,
					 "thread id 0x%" PRIx32 " is there more than once"
					 "\nall are shown, the first one counts", ids[i]);
}

static bool
decode_threads(struct minidump *minidump, const struct stream *stream,
	       const struct reader *window, uint32_t entry_size)
{
	struct crash *crash = minidump->crash;
	struct list list;

	if (crash->thread_count != 0) {
		minidump_message(minidump, STREAM_DUPLICATE, stream->place,
				 "a second list of threads\nthe first one is used");
		return false;
	}
	if (!minidump_list(minidump, stream, window, entry_size, LIMIT_THREADS, &list))
		return false;
	crash->threads = arena_array(&crash->arena, list.count, sizeof(*crash->threads));
	if (crash->threads == NULL) {
		minidump_no_memory(minidump);
		return false;
	}
	for (uint32_t i = 0; i < list.count; i++) {
		struct reader entry = minidump_entry(&list, i);

		read_thread(minidump, &entry, &crash->threads[crash->thread_count++]);
	}
	report_repeated_ids(minidump);
	return true;
}

bool
threads_decode_list(struct minidump *minidump, const struct stream *stream,
		    const struct reader *window)
{
	return decode_threads(minidump, stream, window, THREAD_SIZE);
}

bool
threads_decode_ex_list(struct minidump *minidump, const struct stream *stream,
		       const struct reader *window)
{
	return decode_threads(minidump, stream, window, THREAD_EX_SIZE);
}

/*
 * The region that holds `address`: of those that begin at or below it, the nearest
 * whose bytes reach it. How far back to look is bounded, since hostile regions may
 * nest without end.
 */
static const struct memory_region *
region_of(const struct crash *crash, uint64_t address)
{
	size_t low = sorted_upto(SORTED(crash->regions, crash->region_count, base), address);

	for (size_t tries = 0; low > 0 && tries < 16; tries++) {
		const struct memory_region *region = &crash->regions[--low];

		if (checked_contains(region->base, region->size, address))
			return region;
	}
	return NULL;
}

/* Where a thread's stack pointer is outside of the stack that its descriptor names. */
static const struct memory_region *
pointer_stack(const struct crash *crash, size_t index)
{
	const struct crash_context *context = crash_thread_context(crash, index);
	const struct memory_region *stack = crash->threads[index].stack;

	if (!context->present)
		return NULL;
	uint64_t sp = context->registers.value[context->arch->sp];
	if (stack != NULL && checked_contains(stack->base, stack->available, sp))
		return NULL;
	return region_of(crash, sp);
}

void
threads_finish(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;

	for (size_t i = 0; i < crash->thread_count; i++) {
		struct thread *thread = &crash->threads[i];

		if ((thread->stack == NULL || thread->stack->available == 0) &&
		    thread->stack_start != 0) {
			const struct memory_region *region = region_of(crash, thread->stack_start);

			if (region != NULL)
				thread->stack = region;
		}
		thread->pointer_stack = pointer_stack(crash, i);
		if (thread->stack != NULL && thread->stack->available != 0)
			continue;
		if (thread->pointer_stack == NULL)
			minidump_message(minidump, NO_STACK, thread->place,
					 "the dump has no stack memory of thread 0x%" PRIx32,
					 thread->id);
		else if (thread->stack_start != 0)
			minidump_message(minidump, NO_STACK, thread->place,
					 "the dump has no memory where thread 0x%" PRIx32
					 " says that its stack is"
					 "\nthe memory around its stack pointer is walked",
					 thread->id);
	}
}
