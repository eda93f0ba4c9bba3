/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/crash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "base/sorted.h"

void
crash_free(struct crash *crash)
{
	file_close(&crash->file);
	arena_free(&crash->arena);
	*crash = (struct crash){ .requesting_thread = -1 };
}

bool
crash_is_kernels(const struct module *module)
{
	static const char *const names[] = { "linux-gate.so", "linux-vdso", "[vdso]" };
	const char *name = place_base_name(module->code_file);

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

const struct mapping *
crash_mapping(const struct crash *crash, uint64_t address)
{
	const size_t upto = sorted_upto(SORTED(crash->mappings, crash->mapping_count, base),
					address);
	const struct mapping *mapping = upto > 0 ? &crash->mappings[upto - 1] : NULL;

	return mapping != NULL && checked_contains(mapping->base, mapping->size, address)
		       ? mapping
		       : NULL;
}

struct place
crash_place(const struct crash *crash, uint64_t offset, uint32_t length)
{
	struct place place = { .input = &crash->file.input, .offset = offset, .length = length };
	const struct sorted starts = { crash->lines.starts, crash->lines.count,
				       sizeof(crash->lines.starts[0]) };
	const size_t line = sorted_upto(starts, offset);

	if (line != 0) {
		place.line = crash->lines.first + (uint32_t)line - 1;
		place.column = (uint32_t)(offset - crash->lines.starts[line - 1]) + 1;
	}
	return place;
}

struct place
crash_memory_place(const struct crash *crash, const struct memory_region *region,
		   uint64_t address, uint32_t size)
{
	const uint64_t skip = address - region->base;

	if (region->chunk_count == 0)
		return crash_place(crash, region->offset + skip, size);
	const size_t upto = sorted_upto(SORTED(region->chunks, region->chunk_count, skip), skip);
	const struct memory_chunk *chunk = &region->chunks[upto > 0 ? upto - 1 : 0];
	return crash_place(crash, chunk->offset + 2 * (skip - chunk->skip), 2 * size);
}

bool
crash_memory_address(const struct memory_region *region, uint64_t offset, uint64_t *address)
{
	if (region->chunk_count == 0) {
		*address = region->base + (offset - region->offset);
		return checked_contains(region->offset, region->available, offset);
	}
	for (size_t i = 0; i < region->chunk_count; i++) {
		const struct memory_chunk *chunk = &region->chunks[i];
		uint64_t end = i + 1 < region->chunk_count ? chunk[1].skip : region->available;

		if (checked_contains(chunk->offset, 2 * (end - chunk->skip), offset)) {
			*address = region->base + chunk->skip + (offset - chunk->offset) / 2;
			return true;
		}
	}
	return false;
}

/* Bytes of the file that a byte of the process takes. */
static uint32_t
scale_of(const struct crash *crash)
{
	return crash->lines.count != 0 ? 2 : 1;
}

struct place
crash_register_place(const struct crash *crash, const struct crash_context *context, int number)
{
	if (context == NULL || context->arch == NULL || context->register_offset[number] == 0)
		return (struct place){ 0 };
	return crash_place(crash, context->register_offset[number],
			   context->arch->register_size * scale_of(crash));
}

static bool
is_single_for_breakpad(uint32_t type)
{
	/* Threads, modules, memory, exception, system, misc, names; Breakpad's, Crashpad's. */
	static const uint32_t types[] = { 3, 4, 5, 6, 7, 15, 24, 0x47670001, 0x43500001 };

	for (size_t i = 0; i < ARRAY_COUNT(types); i++)
		if (types[i] == type)
			return true;
	return false;
}

const struct stream *
crash_repeated_stream(const struct crash *crash)
{
	for (size_t i = 1; i < crash->stream_count; i++)
		for (size_t j = 0; j < i && is_single_for_breakpad(crash->streams[i].type); j++)
			if (crash->streams[i].type == crash->streams[j].type)
				return &crash->streams[i];
	return NULL;
}

const struct crash_context *
crash_thread_context(const struct crash *crash, size_t index)
{
	const struct thread *thread = &crash->threads[index];
	const struct crash_exception *exception = &crash->exception;

	if (exception->present && exception->thread_id == thread->id && exception->context.present)
		return &exception->context;
	for (size_t i = 0; i < crash->more_exception_count; i++) {
		exception = &crash->more_exceptions[i];
		if (exception->thread_id == thread->id && exception->context.present)
			return &exception->context;
	}
	return &thread->context;
}

const char *
crash_describe_sender(const struct crash *crash, char *buffer, size_t size)
{
	const struct crash_cause *cause = &crash->cause;
	char user[32] = "";

	if (cause->has_sender_user)
		snprintf(user, sizeof(user), ", user id %" PRIu32, cause->sender_user);
	snprintf(buffer, size, "process %" PRIu32 "%s%s", cause->sender_process,
		 cause->sender_is_self ? ", this process itself" : "", user);
	if (!cause->has_sender && size > 0)
		buffer[0] = '\0';
	return buffer;
}
