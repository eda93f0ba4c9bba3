/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_write.h"

#include <stdlib.h>
#include <string.h>

#include "dump/context/context.h"
#include "dump/minidump_internal.h"

enum {
	STREAM_THREADS = 3, STREAM_MODULES = 4, STREAM_MEMORY = 5, STREAM_EXCEPTION = 6,
	STREAM_SYSTEM = 7, MOST_STREAMS = 5,
};
/* Parts of x86 contexts that lie behind the plain layout. */
#define EXTENDED_STATE 0x40u

struct minidump_writer {
	const struct minidump_plan *plan;
	struct arena *arena;
	uint8_t *bytes;
	size_t size, room;
	unsigned streams;
	bool big_endian, failed;
};

/* Room for `size` zeroed bytes at the end, at a multiple of 4; where they are. */
static size_t
extend(struct minidump_writer *writer, size_t size)
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
put(struct minidump_writer *writer, size_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size && !writer->failed; i++)
		writer->bytes[at + (writer->big_endian ? size - 1 - i : i)] =
			(uint8_t)(value >> 8 * i);
}

static size_t
append(struct minidump_writer *writer, const void *bytes, size_t size)
{
	const size_t at = extend(writer, size);

	if (!writer->failed && size > 0)
		memcpy(writer->bytes + at, bytes, size);
	return at;
}

static void
put_structure(struct minidump_writer *writer, size_t at, const struct structure *structure,
	      const void *model)
{
	if (!writer->failed)
		fields_write(structure, model, writer->big_endian, writer->bytes + at);
}

static struct descriptor
location_of(size_t size, size_t rva)
{
	return (struct descriptor){ (uint32_t)size, (uint32_t)rva };
}

static void
enter(struct minidump_writer *writer, uint32_t type, size_t at, size_t size)
{
	const size_t entry = minidump_header.size + minidump_directory.size * writer->streams++;

	put_structure(writer, entry, &minidump_directory,
		      &(struct minidump_directory){ type, location_of(size, at) });
}

/* A stream that is a structure. */
static void
write_structure(struct minidump_writer *writer, uint32_t type, const struct structure *structure,
		const void *model)
{
	const size_t at = extend(writer, structure->size);

	put_structure(writer, at, structure, model);
	enter(writer, type, at, structure->size);
}

/* A stream that is a list, whose entries are to be put where it says. */
static size_t
begin_list(struct minidump_writer *writer, uint32_t type, const struct structure *entry,
	   size_t count)
{
	const size_t size = 4 + entry->size * count, at = extend(writer, size);

	put(writer, at, 4, count);
	enter(writer, type, at, size);
	return at + 4;
}

/* A string of UTF-16 with its length in bytes in front. */
static size_t
append_string(struct minidump_writer *writer, const char *text)
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
	if (strcmp(like->layout, CONTEXT_ARM64_OLD) == 0)
		return 0x8003;
	return like->arch->processor_count > 0 ? like->arch->processors[0] : 0xffffu;
}

/* A context with nothing but the registers; `*size` is set. */
static size_t
write_context(struct minidump_writer *writer, const struct context_layout *layout, size_t *size)
{
	const struct minidump_plan *plan = writer->plan;
	struct context_register registers[ARCH_REGISTERS];
	const size_t count = context_registers(layout, registers);
	uint64_t flags = plan->like->flags;

	*size = layout->fields->size;
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
write_memory(struct minidump_writer *writer, size_t stack)
{
	const struct minidump_plan *plan = writer->plan;
	const struct structure *entry = &memory_list_layout.entry;
	size_t at = begin_list(writer, STREAM_MEMORY, entry, plan->memory_count + 1);

	put_structure(writer, at, entry,
		      &(struct memory_entry){ plan->stack.base, plan->stack.size, stack });
	for (size_t i = 0; i < plan->memory_count; i++) {
		const struct minidump_memory *memory = &plan->memory[i];
		const size_t bytes = append(writer, memory->bytes, memory->size);

		at += entry->size;
		put_structure(writer, at, entry,
			      &(struct memory_entry){ memory->base, memory->size, bytes });
	}
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
write_identity(struct minidump_writer *writer, const struct module *module, size_t *size)
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
write_modules(struct minidump_writer *writer)
{
	const struct minidump_plan *plan = writer->plan;
	const struct structure *entry = &modules_layout.entry;
	const size_t at = begin_list(writer, STREAM_MODULES, entry, plan->module_count);

	for (size_t i = 0; i < plan->module_count; i++) {
		const struct module *module = &plan->crash->modules[plan->modules[i]];
		const size_t name = append_string(writer, place_base_name(module->code_file));
		size_t size;
		const size_t identity = write_identity(writer, module, &size);

		put_structure(writer, at + entry->size * i, entry, &(struct module_entry){
			.base = module->base, .size = (uint32_t)module->size,
			.checksum = module->checksum, .timestamp = module->timestamp,
			.name = (uint32_t)name, .codeview = location_of(size, identity) });
	}
}

enum error_code
minidump_write(const struct minidump_plan *plan, struct arena *arena, uint8_t **bytes,
	       size_t *size, struct error *error)
{
	struct minidump_writer writer = { .plan = plan, .arena = arena,
				 .big_endian = plan->crash->reader.big_endian };
	const struct context_layout *layout =
		plan->like->layout != NULL ? context_layout_named(plan->like->layout) : NULL;
	size_t context_size;

	if (layout == NULL || processor_of(plan->like) == 0xffff)
		return error_set(error, ERROR_FORMAT, plan->like->place,
				 "the registers of this thread have no minidump layout");
	extend(&writer, minidump_header.size + minidump_directory.size * MOST_STREAMS);
	const size_t service_pack = append_string(&writer, "");
	write_structure(&writer, STREAM_SYSTEM, &system_structure, &(struct system_entry){
		.processor = (uint16_t)processor_of(plan->like), .processor_count = 1,
		.platform = system_platform(plan->crash->system.os),
		.service_pack = (uint32_t)service_pack });
	const size_t context = write_context(&writer, layout, &context_size);
	const size_t stack = append(&writer, plan->stack.bytes, plan->stack.size);
	const struct structure *thread = &threads_layout.entry;
	const size_t at = begin_list(&writer, STREAM_THREADS, thread, 1);
	put_structure(&writer, at, thread, &(struct thread_entry){
		.id = plan->thread_id, .stack_start = plan->stack.base,
		.stack = location_of(plan->stack.size, stack),
		.context = location_of(context_size, context) });
	write_modules(&writer);
	write_memory(&writer, stack);
	if (plan->exception != NULL)
		write_structure(&writer, STREAM_EXCEPTION, &exception_structure,
				&(struct exception_entry){
			.thread_id = plan->thread_id, .code = plan->exception->code,
			.flags = plan->exception->flags, .address = plan->exception->address,
			.context = location_of(context_size, context) });
	put_structure(&writer, 0, &minidump_header, &(struct minidump_header){
		.signature = MINIDUMP_SIGNATURE, .version = MINIDUMP_VERSION,
		.stream_count = writer.streams, .directory = minidump_header.size });
	if (writer.failed)
		return error_memory(error);
	*bytes = writer.bytes;
	*size = writer.size;
	return ERROR_NONE;
}
