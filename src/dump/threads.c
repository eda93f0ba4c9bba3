/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/sorted.h"
#include "crash/memory.h"
#include "dump/reason/reason.h"

#define THREAD(member) INTO(struct thread_entry, member)

static const struct field thread_fields[] = {
	{ 0, 4, FIELD_THREAD, .name = "thread_id", .key = true, THREAD(id) },
	{ 4, 4, FIELD_DECIMAL, .name = "suspend_count" },
	{ 8, 4, FIELD_HEX, .name = "priority_class" },
	{ 12, 4, FIELD_HEX, .name = "priority" },
	{ 16, 8, FIELD_ADDRESS, .name = "teb", THREAD(teb) },
	{ 24, 8, FIELD_ADDRESS, .name = "stack.start_of_memory_range", THREAD(stack_start) },
	LOCATION(32, FIELD_HEX, "stack.memory", struct thread_entry, stack),
	LOCATION(40, FIELD_HEX, "thread_context", struct thread_entry, context),
	{ 48, 8, FIELD_ADDRESS, .name = "backing_store.start_of_memory_range",
	  THREAD(backing_start) },
	LOCATION(56, FIELD_HEX, "backing_store.memory", struct thread_entry, backing_store),
};

static const struct field name_fields[] = {
	{ 0, 4, FIELD_THREAD, .name = "thread_id", .key = true },
	{ 4, 8, FIELD_HEX, .name = "rva_of_thread_name", .string = "name" },
};

const struct list_layout threads_names_layout = {
	LIST_COUNTED, "thread_name", "thread_name_count", STRUCTURE(name_fields, 12), LIMIT_THREADS,
	NULL,
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

const struct list_layout threads_info_layout = {
	LIST_HEADED, "thread_info", NULL, STRUCTURE(info_fields, 64), 0, NULL,
};

static void
tell_stack(struct describe *describe, const char *name, uint64_t base, struct descriptor location)
{
	if (location.rva != 0 && location.size != 0)
		describe_memory(describe, name, base, location.rva, location.size);
}

static void
tell_thread(struct describe *describe, const struct reader *bytes, uint64_t index)
{
	const struct crash *crash = describe->crash;
	const struct thread *model = index < crash->thread_count ? &crash->threads[index] : NULL;
	struct thread_entry entry = { 0 };

	/* `model` may come from another thread list. */
	if (model != NULL && model->place.offset != bytes->start)
		model = NULL;
	fields_read(&threads_ex_layout.entry, bytes, &entry);
	if (model != NULL && model->name != NULL)
		describe_value(describe, (struct describe_value){
			.name = "name", .kind = DESCRIBE_TEXT, .text = text_of(model->name),
			.derived = true, .key = true });
	if (model != NULL && model->wrote_dump)
		describe_value(describe, (struct describe_value){
			.name = "role", .kind = DESCRIBE_WORD, .key = true, .derived = true,
			.text = text_of("wrote the dump") });
	tell_stack(describe, "stack", entry.stack_start, entry.stack);
	tell_stack(describe, "backing_store", entry.backing_start, entry.backing_store);
	describe_context(describe, entry.context);
}

/* Only entries of ThreadExList have the last three fields. */
const struct list_layout threads_layout = {
	LIST_COUNTED, "thread", "thread_count", { thread_fields, 10, 48 }, LIMIT_THREADS,
	tell_thread,
};

const struct list_layout threads_ex_layout = {
	LIST_COUNTED, "thread", "thread_count", STRUCTURE(thread_fields, 64), LIMIT_THREADS,
	tell_thread,
};

SORTED_BY(compare_names, struct thread_name, id)

bool
threads_names_decode(struct minidump *minidump, const struct stream *stream,
		     const struct reader *window)
{
	struct arena *arena = &minidump->crash->arena;
	struct list list;
	struct thread_name *names = minidump_entries(minidump, stream, window,
						     &threads_names_layout, sizeof(*names), &list);

	if (names == NULL)
		return false;
	minidump->names = names;
	for (uint64_t i = 0; i < list.count; i++) {
		const struct reader bytes = list_entry(&list, i);
		const struct structure entry = threads_names_layout.entry;
		const uint32_t id = (uint32_t)fields_number(entry, "thread_id", &bytes);
		const char *name = minidump_string(
			minidump, fields_number(entry, "rva_of_thread_name", &bytes),
			arena_format(arena, "name of thread 0x%" PRIx32, id));

		if (name != NULL)
			names[minidump->name_count++] = (struct thread_name){ id, name };
	}
	SORT(names, minidump->name_count, compare_names);
	return true;
}

/* The stack that the thread's descriptor names. The file may lack its bytes. */
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
	crash_bytes(minidump->crash, rva, thread->stack_size, &bytes);
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
read_thread(struct minidump *minidump, const struct reader *bytes, struct thread *thread)
{
	struct thread_entry entry = { 0 };
	const struct thread_name *name = NULL;
	char whose[32];

	fields_read(&threads_layout.entry, bytes, &entry);
	if (minidump->name_count != 0)
		name = bsearch(&(struct thread_name){ .id = entry.id }, minidump->names,
			       minidump->name_count, sizeof(*name), compare_names);
	*thread = (struct thread){
		.id = entry.id, .teb = entry.teb, .stack_start = entry.stack_start,
		.stack_size = entry.stack.size, .name = name != NULL ? name->name : NULL,
		.wrote_dump = minidump->has_dump_thread && entry.id == minidump->dump_thread_id,
		.place = reader_place(bytes, 0, bytes->size),
	};
	thread->stack = described_stack(minidump, thread, entry.stack.rva,
					reader_place(bytes, 24, 16));
	snprintf(whose, sizeof(whose), "thread 0x%" PRIx32, thread->id);
	context_read(minidump, entry.context, whose, &thread->context);
	if (thread->wrote_dump)
		minidump_message(minidump, DUMP_THREAD, thread->place,
				 "thread 0x%" PRIx32 " wrote the dump"
				 "\nits stack was in flux; Breakpad skips it", thread->id);
}

SORTED_VALUES(compare_ids, uint32_t)

static bool
decode_threads(struct minidump *minidump, const struct stream *stream,
	       const struct reader *window, const struct list_layout *layout)
{
	struct crash *crash = minidump->crash;
	struct list list;

	if (crash->thread_count != 0) {
		minidump_message(minidump, STREAM_DUPLICATE, stream->place,
				 "a second list of threads\nthe first one is used");
		return false;
	}
	crash->threads = minidump_entries(minidump, stream, window, layout,
					  sizeof(*crash->threads), &list);
	if (crash->threads == NULL)
		return false;
	for (uint64_t i = 0; i < list.count; i++) {
		const struct reader entry = list_entry(&list, i);

		read_thread(minidump, &entry, &crash->threads[crash->thread_count++]);
	}
	/* Users and the exception identify threads by ID, so report duplicates. */
	uint32_t *ids = arena_array(&crash->arena, crash->thread_count, sizeof(*ids));
	if (ids == NULL || crash->thread_count == 0)
		return true;
	for (size_t i = 0; i < crash->thread_count; i++)
		ids[i] = crash->threads[i].id;
	SORT(ids, crash->thread_count, compare_ids);
	for (size_t i = 1; i < crash->thread_count; i++)
		if (ids[i] == ids[i - 1] && (i == 1 || ids[i] != ids[i - 2]))
			minidump_message(minidump, ENTRY_BROKEN, crash->threads[0].place,
					 "thread id 0x%" PRIx32 " occurs more than once"
					 "\nall are shown; the ID refers to the first one", ids[i]);
	return true;
}

bool
threads_decode(struct minidump *minidump, const struct stream *stream,
	       const struct reader *window)
{
	return decode_threads(minidump, stream, window, &threads_layout);
}

bool
threads_ex_decode(struct minidump *minidump, const struct stream *stream,
		  const struct reader *window)
{
	return decode_threads(minidump, stream, window, &threads_ex_layout);
}

/*
 * The region that contains `address`. If several do, use the one with the highest base. Only a
 * limited number of regions is examined, because a hostile dump may nest regions without end.
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

/* The stack of a thread whose stack pointer is outside the stack in its descriptor. */
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
					 "the dump has no memory at the stack address of thread "
					 "0x%" PRIx32
					 "\nthe memory around its stack pointer is walked",
					 thread->id);
	}
}

void
threads_bound(struct crash *crash)
{
	/* Count at most 16 bytes for each stored byte of a compressed file. */
	const uint64_t size = crash->file.kind == INFLATE_NONE ||
					      crash->file.size / 16 < crash->file.stored
				      ? crash->file.size : 16 * crash->file.stored;
	const uint64_t threads = crash->thread_count;
	uint64_t stacks = 0;

	for (size_t i = 0; i < threads; i++) {
		const struct thread *thread = &crash->threads[i];
		const struct memory_region *stack =
			thread->pointer_stack != NULL ? thread->pointer_stack : thread->stack;

		/* Each thread adds no more than the file's size, so the sum does not wrap. */
		stacks += stack != NULL ? stack->available : 0;
	}
	if (threads < 2 || stacks / LIMIT_SHARED_STACKS <= crash->file.size)
		return;
	crash->shared_frames = (size_t)((LIMIT_SHARED_FRAMES + size / 64) / threads);
	if (crash->shared_frames < LIMIT_SHARED_LEAST)
		crash->shared_frames = LIMIT_SHARED_LEAST;
	crash->shared_bytes = (LIMIT_SHARED_BYTES + size) / threads;
	message_add(&crash->messages, MESSAGE_LIMIT, (struct place){ .input = &crash->file.input },
		    "the threads share their stacks"
		    "\nthe walks of all but the crashed thread end after %zu frames",
		    crash->shared_frames);
}

/* LastErrorValue is the 14th word of a TEB (0x34 or 0x68). winternl.h does not name it. */
#define LAST_ERROR_WORD 13u
/* The TEB of a 32-bit program is two pages after the TEB of its 64-bit layer. */
#define WOW64_TEB 0x2000u

/* The last error value; false: the dump lacks it. */
static bool
read_last_error(const struct crash *crash, const struct memory_view *memory,
		const struct thread *thread, uint64_t *value)
{
	const uint64_t narrow = thread->teb + WOW64_TEB + LAST_ERROR_WORD * 4;
	const unsigned word = crash->system.arch->word_size;

	return thread->teb != 0 && ((thread->context.native != NULL &&
				     memory_read(memory, narrow, 4, value, NULL)) ||
				    memory_read(memory, thread->teb + LAST_ERROR_WORD * word, 4,
						value, NULL));
}

void
threads_reread(const struct crash *crash, const struct memory_view *memory)
{
	uint64_t ignored;

	for (size_t i = 0; crash->system.os == CRASH_OS_WINDOWS && i < crash->thread_count; i++)
		read_last_error(crash, memory, &crash->threads[i], &ignored);
}

void
threads_read_last_errors(struct crash *crash)
{
	struct memory_view memory;

	if (crash->system.os != CRASH_OS_WINDOWS)
		return;
	memory_view_all(&memory, crash, &crash->arena);
	for (size_t i = 0; i < crash->thread_count; i++) {
		struct thread *thread = &crash->threads[i];
		uint64_t value;
		char name[96];

		thread->has_last_error = read_last_error(crash, &memory, thread, &value);
		if (!thread->has_last_error)
			continue;
		thread->last_error = (uint32_t)value;
		if (reason_windows_number(thread->last_error, name, sizeof(name)))
			thread->last_error_name = arena_string(&crash->arena, name);
	}
}
