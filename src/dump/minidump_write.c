/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "dump/context/context.h"

/* Layouts: minidumpapiset.h, and Breakpad's minidump_format.h for what Windows does not have. */
enum {
	HEADER_SIZE = 32, ENTRY_SIZE = 12, SYSTEM_SIZE = 56, THREAD_SIZE = 48, MODULE_SIZE = 108,
	EXCEPTION_SIZE = 168,
	STREAM_THREADS = 3, STREAM_MODULES = 4, STREAM_MEMORY = 5, STREAM_EXCEPTION = 6,
	STREAM_SYSTEM = 7, MOST_STREAMS = 5,
};
#define SIGNATURE 0x504d444du	/* "MDMP" */
#define VERSION 0xa793u
/* Parts of x86 contexts that lie behind the plain layout. */
#define EXTENDED_STATE 0x40u

struct writer {
	const struct minidump_plan *plan;
	struct arena *arena;
	uint8_t *bytes;
	size_t size, room;
	unsigned streams;
	bool big_endian, failed;
};

/* Room for `size` zeroed bytes at the end, at a multiple of 4; where they are. */
static size_t
extend(struct writer *writer, size_t size)
{
	const size_t at = (writer->size + 3) & ~(size_t)3;

	if (writer->failed || at + size > UINT32_MAX) {
		writer->failed = true;
		return 0;
	}
	while (at + size > writer->room) {
		const size_t room = writer->room == 0 ? 8192 : writer->room * 2;
		uint8_t *larger = arena_alloc(writer->arena, room);

		if (larger == NULL) {
			writer->failed = true;
			return 0;
		}
		if (writer->size > 0)
			memcpy(larger, writer->bytes, writer->size);
		writer->bytes = larger;
		writer->room = room;
	}
	writer->size = at + size;
	return at;
}

static void
put(struct writer *writer, size_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size && !writer->failed; i++)
		writer->bytes[at + (writer->big_endian ? size - 1 - i : i)] =
			(uint8_t)(value >> 8 * i);
}

static size_t
append(struct writer *writer, const void *bytes, size_t size)
{
	const size_t at = extend(writer, size);

	if (!writer->failed && size > 0)
		memcpy(writer->bytes + at, bytes, size);
	return at;
}

static void
put_location(struct writer *writer, size_t at, size_t size, size_t rva)
{
	put(writer, at, 4, size);
	put(writer, at + 4, 4, rva);
}

static void
enter(struct writer *writer, uint32_t type, size_t at, size_t size)
{
	const size_t entry = HEADER_SIZE + ENTRY_SIZE * writer->streams++;

	put(writer, entry, 4, type);
	put_location(writer, entry + 4, size, at);
}

/* A string of UTF-16 with its length in bytes in front. */
static size_t
append_string(struct writer *writer, const char *text)
{
	const size_t length = strlen(text);
	const size_t at = extend(writer, 4 + 2 * length + 2);
	size_t units = 0;

	for (size_t i = 0; i < length;) {
		uint32_t character;
		const size_t taken = text_decode(text + i, length - i, &character);

		/* What is no character of the basic plane is in no name that symbols have. */
		if (taken == 0 || character > 0xffff)
			character = 0xfffd;
		i += taken == 0 ? 1 : taken;
		put(writer, at + 4 + 2 * units++, 2, character);
	}
	put(writer, at, 4, 2 * units);
	return at;
}

static unsigned
processor_of(const struct crash_context *like)
{
	const bool old = strcmp(like->layout, context_layout_arm64_old.name) == 0;

	if (old)
		return 0x8003;
	return like->arch->processor_count > 0 ? like->arch->processors[0] : 0xffffu;
}

static uint32_t
platform_of(enum crash_os os)
{
	static const uint32_t platforms[] = {
		[CRASH_OS_UNKNOWN] = 0,		[CRASH_OS_WINDOWS] = 2,
		[CRASH_OS_LINUX] = 0x8201,	[CRASH_OS_ANDROID] = 0x8203,
		[CRASH_OS_MAC] = 0x8101,	[CRASH_OS_IOS] = 0x8102,
		[CRASH_OS_SOLARIS] = 0x8202,	[CRASH_OS_NACL] = 0x8205,
		[CRASH_OS_FUCHSIA] = 0x8206,	[CRASH_OS_PS3] = 0x8204,
	};

	return platforms[os];
}

static void
write_system(struct writer *writer)
{
	const struct minidump_plan *plan = writer->plan;
	const size_t name = append_string(writer, "");
	const size_t at = extend(writer, SYSTEM_SIZE);

	put(writer, at, 2, processor_of(plan->like));
	put(writer, at + 6, 1, 1);
	put(writer, at + 20, 4, platform_of(plan->crash->system.os));
	put(writer, at + 24, 4, name);
	enter(writer, STREAM_SYSTEM, at, SYSTEM_SIZE);
}

/* A context with nothing but the registers; `*size` is set. */
static size_t
write_context(struct writer *writer, const struct context_layout *layout, size_t *size)
{
	const struct minidump_plan *plan = writer->plan;
	struct context_register registers[ARCH_REGISTERS];
	const size_t count = context_registers(layout, registers);
	uint64_t flags = plan->like->flags;

	*size = layout->size;
	if (arch_pushes_return(arch_by_id(layout->arch)))
		flags &= ~(uint64_t)EXTENDED_STATE;
	const size_t at = extend(writer, *size);
	put(writer, at + layout->flags_offset, layout->flags_size, flags);
	for (size_t i = 0; i < count; i++) {
		const struct context_register *one = &registers[i];

		if (registers_known(plan->registers, one->number) &&
		    one->offset + (size_t)one->size <= *size)
			put(writer, at + one->offset, one->size,
			    plan->registers->value[one->number]);
	}
	return at;
}

static void
write_thread(struct writer *writer, size_t context, size_t context_size, size_t stack)
{
	const struct minidump_plan *plan = writer->plan;
	const size_t at = extend(writer, 4 + THREAD_SIZE);

	put(writer, at, 4, 1);
	put(writer, at + 4, 4, plan->thread_id);
	put(writer, at + 4 + 24, 8, plan->stack.base);
	put_location(writer, at + 4 + 32, plan->stack.size, stack);
	put_location(writer, at + 4 + 40, context_size, context);
	enter(writer, STREAM_THREADS, at, 4 + THREAD_SIZE);
}

static void
write_memory(struct writer *writer, size_t stack)
{
	const struct minidump_plan *plan = writer->plan;
	const size_t count = plan->memory_count + 1, size = 4 + 16 * count;
	const size_t at = extend(writer, size);

	put(writer, at, 4, count);
	put(writer, at + 4, 8, plan->stack.base);
	put_location(writer, at + 12, plan->stack.size, stack);
	for (size_t i = 0; i < plan->memory_count; i++) {
		const struct minidump_memory *memory = &plan->memory[i];
		const size_t bytes = append(writer, memory->bytes, memory->size);

		put(writer, at + 4 + 16 * (i + 1), 8, memory->base);
		put_location(writer, at + 12 + 16 * (i + 1), memory->size, bytes);
	}
	enter(writer, STREAM_MEMORY, at, size);
}

/* Bytes `skip` to `skip + digits` of an identifier, as a number. */
static uint64_t
hex_part(const char *id, size_t skip, size_t digits)
{
	char part[17] = "";

	memcpy(part, id + skip, digits);
	return strtoull(part, NULL, 16);
}

/*
 * The CodeView record that gives a debug identifier: a GUID and an age (RSDS), or a timestamp and
 * an age (NB10). `*size` is set, 0 for an identifier that is neither.
 */
static size_t
write_identity(struct writer *writer, const struct module *module, size_t *size)
{
	const char *id = module->debug_id, *name = place_base_name(module->debug_file);
	const size_t digits = strlen(id);

	*size = 0;
	if (digits < 9 || strspn(id, "0123456789ABCDEFabcdef") != digits)
		return 0;
	const bool guid = digits >= 33;
	const size_t head = guid ? 24 : 16;
	*size = head + strlen(name) + 1;
	const size_t at = extend(writer, *size);
	if (writer->failed)
		return 0;
	/* "RSDS" or "NB10", which are swapped in a big-endian dump like any number. */
	put(writer, at, 4, guid ? 0x53445352 : 0x3031424e);
	if (guid) {
		put(writer, at + 4, 4, hex_part(id, 0, 8));
		put(writer, at + 8, 2, hex_part(id, 8, 4));
		put(writer, at + 10, 2, hex_part(id, 12, 4));
		for (size_t i = 0; i < 8; i++)
			put(writer, at + 12 + i, 1, hex_part(id, 16 + 2 * i, 2));
		put(writer, at + 20, 4, strtoull(id + 32, NULL, 16));
	} else {
		put(writer, at + 8, 4, hex_part(id, 0, 8));
		put(writer, at + 12, 4, strtoull(id + 8, NULL, 16));
	}
	memcpy(writer->bytes + at + head, name, strlen(name));
	return at;
}

static void
write_module(struct writer *writer, size_t at, const struct module *module)
{
	size_t size;
	const size_t name = append_string(writer, place_base_name(module->code_file));
	const size_t identity = write_identity(writer, module, &size);

	put(writer, at, 8, module->base);
	put(writer, at + 8, 4, module->size);
	put(writer, at + 12, 4, module->checksum);
	put(writer, at + 16, 4, module->timestamp);
	put(writer, at + 20, 4, name);
	put_location(writer, at + 76, size, identity);
}

static void
write_modules(struct writer *writer)
{
	const struct minidump_plan *plan = writer->plan;
	const size_t size = 4 + MODULE_SIZE * plan->module_count;
	const size_t at = extend(writer, size);

	put(writer, at, 4, plan->module_count);
	for (size_t i = 0; i < plan->module_count; i++)
		write_module(writer, at + 4 + MODULE_SIZE * i,
			     &plan->crash->modules[plan->modules[i]]);
	enter(writer, STREAM_MODULES, at, size);
}

static void
write_exception(struct writer *writer, size_t context, size_t context_size)
{
	const struct minidump_plan *plan = writer->plan;

	if (plan->exception == NULL)
		return;
	const size_t at = extend(writer, EXCEPTION_SIZE);
	put(writer, at, 4, plan->thread_id);
	put(writer, at + 8, 4, plan->exception->code);
	put(writer, at + 12, 4, plan->exception->flags);
	put(writer, at + 24, 8, plan->exception->address);
	put_location(writer, at + 160, context_size, context);
	enter(writer, STREAM_EXCEPTION, at, EXCEPTION_SIZE);
}

static void
write_header(struct writer *writer)
{
	put(writer, 0, 4, SIGNATURE);
	put(writer, 4, 4, VERSION);
	put(writer, 8, 4, writer->streams);
	put(writer, 12, 4, HEADER_SIZE);
}

enum error_code
minidump_write(const struct minidump_plan *plan, struct arena *arena, uint8_t **bytes,
	       size_t *size, struct error *error)
{
	struct writer writer = { .plan = plan, .arena = arena,
				 .big_endian = plan->crash->reader.big_endian };
	const struct context_layout *layout =
		plan->like->layout != NULL ? context_layout_named(plan->like->layout) : NULL;
	size_t context_size;

	if (layout == NULL || processor_of(plan->like) == 0xffff)
		return error_set(error, ERROR_FORMAT, plan->like->place,
				 "the registers of this thread have no layout that a minidump has");
	extend(&writer, HEADER_SIZE + ENTRY_SIZE * MOST_STREAMS);
	write_system(&writer);
	const size_t context = write_context(&writer, layout, &context_size);
	const size_t stack = append(&writer, plan->stack.bytes, plan->stack.size);
	write_thread(&writer, context, context_size, stack);
	write_modules(&writer);
	write_memory(&writer, stack);
	write_exception(&writer, context, context_size);
	write_header(&writer);
	if (writer.failed)
		return error_memory(error);
	*bytes = writer.bytes;
	*size = writer.size;
	return ERROR_NONE;
}
