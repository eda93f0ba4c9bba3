/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/crash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "base/demangle.h"
#include "base/sorted.h"

void
crash_free(struct crash *crash)
{
	file_close(&crash->file);
	demangle_memo_free(crash->demangled);
	arena_free(&crash->arena);
	*crash = (struct crash){ .requesting_thread = -1 };
}

bool
crash_is_kernels(const struct module *module)
{
	static const char *const names[] = { "linux-gate.so", "linux-vdso", "[vdso]" };
	const struct text name = text_of(place_base_name(module->code_file));

	return text_begins(name, names, ARRAY_COUNT(names)) > 0;
}

const struct arch_arguments *
crash_arguments(const struct crash *crash, const struct arch *arch)
{
	for (size_t i = 0; i < ARRAY_COUNT(arch->arguments); i++)
		if (arch->arguments[i].count > 0 &&
		    (arch->arguments[i].systems >> crash->system.os & 1) != 0)
			return &arch->arguments[i];
	return NULL;
}

int
crash_stack_owner(const struct crash *crash, uint64_t address)
{
	int owner = -1;

	for (size_t i = 0; i < crash->thread_count; i++) {
		const struct thread *thread = &crash->threads[i];

		if (!checked_contains(thread->stack_start, thread->stack_size, address) &&
		    (thread->stack == NULL ||
		     !checked_contains(thread->stack->base, thread->stack->size, address)))
			continue;
		if (owner >= 0)
			return -1;
		owner = (int)i;
	}
	return owner;
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

bool
crash_is_unmapped(const struct crash *crash, uint64_t address)
{
	const struct mapping *mapping = crash_mapping(crash, address);

	if (mapping != NULL || crash->mapping_count == 0)
		return mapping != NULL && mapping->free;
	for (size_t i = 0; crash->core && i < crash->module_count; i++)
		if (checked_contains(crash->modules[i].base, crash->modules[i].size, address))
			return false;
	return true;
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

struct place
crash_register_place(const struct crash *crash, const struct crash_context *context, int number)
{
	if (context == NULL || context->arch == NULL || context->register_offset[number] == 0)
		return (struct place){ 0 };
	/* A text dump has two digits for each byte. */
	return crash_place(crash, context->register_offset[number],
			   context->arch->register_size * (crash->lines.count != 0 ? 2 : 1));
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

struct short_text
crash_describe_sender(const struct crash *crash)
{
	const struct crash_cause *cause = &crash->cause;
	struct short_text sender = { "" };
	char user[32] = "";

	if (cause->has_sender_user)
		snprintf(user, sizeof(user), ", user id %" PRIu32, cause->sender_user);
	if (cause->has_sender)
		snprintf(sender.text, sizeof(sender.text), "process %" PRIu32 "%s%s",
			cause->sender_process, cause->sender_is_self ? ", this process itself" : "",
			user);
	return sender;
}

const char *const crash_formats[CRASH_FORMATS] = {
	[CRASH_MINIDUMP] = "minidump", [CRASH_MICRODUMP] = "microdump", [CRASH_CORE] = "core",
	[CRASH_REPORT] = "crash report",
};

/* Drops the last word of a text and the blank before it: "6.1.0 #1 x86_64" -> "6.1.0 #1". */
static struct text
without_last_word(struct text text)
{
	while (text.length > 0 && text.start[text.length - 1] != ' ')
		text.length--;
	return text_trimmed(text);
}

struct text
crash_os_version(const struct crash_system *system)
{
	static const char unknown[] = "0.0.0 ";
	const struct text whole = text_trimmed(text_of(system->os_version));
	struct text text = whole;

	if (system->os != CRASH_OS_LINUX || whole.length <= strlen(unknown) ||
	    strncmp(whole.start, unknown, strlen(unknown)) != 0)
		return whole;
	text.start += strlen(unknown);
	text.length -= strlen(unknown);
	/* The release is the second word. */
	const char *release = memchr(text.start, ' ', text.length);
	if (release == NULL || strncmp(release + 1, unknown, strlen(unknown)) == 0)
		return whole;
	text.length -= (size_t)(release + 1 - text.start);
	text.start = release + 1;
	if (memchr(text.start, ' ', text.length) == NULL)
		return text;
	const struct text shorter = without_last_word(text);
	const size_t last = text.length - shorter.length;
	return last == strlen(" Linux/GNU") &&
			       memcmp(text.start + text.length - 9, "Linux/GNU", 9) == 0
		       ? without_last_word(shorter)
		       : shorter;
}
