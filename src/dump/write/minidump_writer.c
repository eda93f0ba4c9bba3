/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/write/minidump_writer.h"

#include <string.h>

#include "dump/core.h"

/* Parts of x86 contexts after the plain layout. */
#define EXTENDED_STATE 0x40u

size_t
writer_extend(struct minidump_writer *writer, size_t size)
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

void
writer_begin(struct minidump_writer *writer, const struct crash *crash, struct arena *arena)
{
	*writer = (struct minidump_writer){ .crash = crash, .arena = arena,
					    .big_endian = crash->reader.big_endian };
	writer_extend(writer, minidump_header.size + minidump_directory.size * WRITER_STREAMS);
}

void
writer_put(struct minidump_writer *writer, size_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size && !writer->failed; i++)
		writer->bytes[at + (writer->big_endian ? size - 1 - i : i)] =
			(uint8_t)(value >> 8 * i);
}

size_t
writer_append(struct minidump_writer *writer, const void *bytes, size_t size)
{
	const size_t at = writer_extend(writer, size);

	writer->failed |= bytes == NULL && size > 0;
	if (!writer->failed && size > 0)
		memcpy(writer->bytes + at, bytes, size);
	return at;
}

void
writer_append_text(struct minidump_writer *writer, const char *text)
{
	const size_t end = writer->size, length = text != NULL ? strlen(text) : 0;

	writer->failed |= text == NULL;
	writer_extend(writer, length + 3);
	if (writer->failed)
		return;
	memcpy(writer->bytes + end, text, length);
	writer->size = end + length;
}

void
writer_put_structure(struct minidump_writer *writer, size_t at, const struct structure *structure,
	      const void *model)
{
	if (!writer->failed)
		fields_write(structure, model, writer->big_endian, writer->bytes + at);
}

struct descriptor
writer_location(size_t size, size_t rva)
{
	return (struct descriptor){ (uint32_t)size, (uint32_t)rva };
}

void
writer_enter(struct minidump_writer *writer, uint32_t type, size_t at, size_t size)
{
	const size_t entry = minidump_header.size + minidump_directory.size * writer->streams;

	/* Only a damaged dump has so many exceptions; then the last ones are left out. */
	if (writer->streams == WRITER_STREAMS)
		return;
	writer->streams++;
	writer_put_structure(writer, entry, &minidump_directory,
		      &(struct minidump_directory){ type, writer_location(size, at) });
}

/* Add a structure as a stream. */
static void
writer_structure(struct minidump_writer *writer, uint32_t type, const struct structure *structure,
		const void *model)
{
	const size_t at = writer_extend(writer, structure->size);

	writer_put_structure(writer, at, structure, model);
	writer_enter(writer, type, at, structure->size);
}

size_t
writer_list(struct minidump_writer *writer, uint32_t type, const struct structure *entry,
	   size_t count)
{
	const size_t size = 4 + entry->size * count, at = writer_extend(writer, size);

	writer_put(writer, at, 4, count);
	writer_enter(writer, type, at, size);
	return at + 4;
}

size_t
writer_string(struct minidump_writer *writer, const char *text)
{
	const size_t length = strlen(text);
	const size_t at = writer_extend(writer, 4 + 2 * length + 2);
	size_t units = 0;

	for (size_t i = 0; i < length;) {
		uint32_t character;
		const size_t taken = text_decode(text + i, length - i, &character);

		if (taken == 0)
			character = 0xfffd;
		i += taken == 0 ? 1 : taken;
		if (character > 0xffff)
			writer_put(writer, at + 4 + 2 * units++, 2,
				   0xd800 | (character - 0x10000) >> 10);
		writer_put(writer, at + 4 + 2 * units++, 2,
			   character > 0xffff ? 0xdc00 | (character & 0x3ff) : character);
	}
	writer_put(writer, at, 4, 2 * units);
	return at;
}

unsigned
writer_processor(const struct context_layout *layout)
{
	const struct arch *arch = arch_by_id(layout->arch);

	if (strcmp(layout->name, CONTEXT_ARM64_OLD) == 0)
		return 0x8003;
	return arch->processor_count > 0 ? arch->processors[0] : 0xffffu;
}

void
writer_system(struct minidump_writer *writer, const struct context_layout *layout,
	      const char *version, unsigned processors)
{
	const size_t service_pack = writer_string(writer, version);

	writer_structure(writer, STREAM_SYSTEM, &system_structure, &(struct system_entry){
		.processor = (uint16_t)writer_processor(layout),
		.processor_count = (uint8_t)processors,
		.platform = system_platform(writer->crash->system.os),
		.service_pack = (uint32_t)service_pack });
}

size_t
writer_context(struct minidump_writer *writer, const struct context_layout *layout, uint64_t flags,
	      const struct registers *values)
{
	struct context_register registers[ARCH_REGISTERS];
	const size_t count = context_registers(layout->fields, registers);
	const size_t size = layout->fields->size;

	if (arch_pushes_return(arch_by_id(layout->arch)))
		flags &= ~(uint64_t)EXTENDED_STATE;
	const size_t at = writer_extend(writer, size);
	writer_put(writer, at + layout->flags_offset, layout->flags_size, flags);
	for (size_t i = 0; i < count; i++) {
		const struct context_register *one = &registers[i];

		if (registers_known(values, one->number) && one->offset + (size_t)one->size <= size)
			writer_put(writer, at + one->offset, one->size, values->value[one->number]);
	}
	return at;
}

/* Bytes `skip` to `skip + digits` of an identifier, as a number; the largest for too many. */
static uint64_t
hex_part(const char *id, size_t skip, size_t digits)
{
	uint64_t value = UINT64_MAX;

	text_number((struct text){ id + skip, digits }, 16, &value);
	return value;
}

size_t
writer_identity(struct minidump_writer *writer, const struct module *module, size_t *size)
{
	const char *id = module->debug_id, *name = place_base_name(module->debug_file);
	const size_t digits = strlen(id);

	*size = 0;
	if (digits < 9 || strspn(id, "0123456789ABCDEFabcdef") != digits)
		return 0;
	const bool guid = digits >= 33;
	const size_t head = guid ? 24 : 16;
	*size = head + strlen(name) + 1;
	const size_t at = writer_extend(writer, *size);
	if (writer->failed)
		return 0;
	/* "RSDS" or "NB10", which are swapped in a big-endian dump like any number. */
	writer_put(writer, at, 4, guid ? 0x53445352 : 0x3031424e);
	if (guid) {
		writer_put(writer, at + 4, 4, hex_part(id, 0, 8));
		writer_put(writer, at + 8, 2, hex_part(id, 8, 4));
		writer_put(writer, at + 10, 2, hex_part(id, 12, 4));
		for (size_t i = 0; i < 8; i++)
			writer_put(writer, at + 12 + i, 1, hex_part(id, 16 + 2 * i, 2));
		writer_put(writer, at + 20, 4, hex_part(id, 32, digits - 32));
	} else {
		writer_put(writer, at + 8, 4, hex_part(id, 0, 8));
		writer_put(writer, at + 12, 4, hex_part(id, 8, digits - 8));
	}
	memcpy(writer->bytes + at + head, name, strlen(name));
	return at;
}

size_t
writer_build_id(struct minidump_writer *writer, const struct module *module, size_t *size)
{
	uint8_t id[LIMIT_BUILD_ID];
	const size_t count = modules_build_id(module, id);

	*size = 0;
	if (count == 0)
		return 0;
	*size = 4 + count;
	const size_t at = writer_extend(writer, *size);
	writer_put(writer, at, 4, 0x4270454c);
	if (!writer->failed)
		memcpy(writer->bytes + at + 4, id, count);
	return at;
}

void
writer_module(struct minidump_writer *writer, size_t at, const struct module *module,
	      const char *path, struct descriptor identity)
{
	const size_t name = writer_string(writer, path);

	writer_put_structure(writer, at, &modules_layout.entry, &(struct module_entry){
		.base = module->base, .size = (uint32_t)module->size, .checksum = module->checksum,
		.timestamp = module->timestamp, .name = (uint32_t)name, .codeview = identity });
}

void
writer_exception(struct minidump_writer *writer, const struct crash_exception *exception,
		uint32_t thread, struct descriptor context)
{
	writer_structure(writer, STREAM_EXCEPTION, &exception_structure, &(struct exception_entry){
		.thread_id = thread, .code = exception->code, .flags = exception->flags,
		.address = exception->address, .context = context });
}

void
writer_finish(struct minidump_writer *writer)
{
	writer_put_structure(writer, 0, &minidump_header, &(struct minidump_header){
		.signature = MINIDUMP_SIGNATURE, .version = MINIDUMP_VERSION,
		.stream_count = writer->streams, .directory = minidump_header.size,
		.time = writer->crash->time });
}

/* The notes of a thread follow its status, up to the next status. */
static const struct stream *
note_of(const struct crash *crash, size_t status, uint32_t type)
{
	for (size_t i = status + 1; i < crash->stream_count &&
				    crash->streams[i].type != CORE_PRSTATUS; i++)
		if (crash->streams[i].type == type)
			return &crash->streams[i];
	return NULL;
}

/* The context of a thread, with the floating point registers of its notes. */
size_t
writer_core_context(struct minidump_writer *writer, const struct context_layout *layout,
		    const struct crash_context *context, bool floats)
{
	const struct crash *crash = writer->crash;
	const struct reader *file = &crash->reader;
	const struct core_floats *row;
	size_t *status = &writer->status;
	uint64_t flags = layout->cpu | core_abi(crash->system.arch)->context_parts;
	const size_t at = writer_context(writer, layout, flags, &context->registers);

	while (*status < crash->stream_count &&
	       (crash->streams[*status].type != CORE_PRSTATUS ||
		crash->streams[*status].offset != context->place.offset))
		++*status;
	for (size_t i = 0; floats && (row = core_floats_of(layout->name, &i)) != NULL; i++) {
		const struct stream *note = note_of(crash, *status, row->note);
		struct reader bytes;

		if (note == NULL || writer->failed ||
		    !reader_window(file, note->offset, row->size, &bytes))
			continue;
		flags |= row->flag;
		for (size_t j = 0; j < ARRAY_COUNT(row->parts); j++)
			if (row->parts[j].size > 0)
				memcpy(writer->bytes + at + row->parts[j].context,
				       bytes.data + row->parts[j].note, row->parts[j].size);
	}
	writer_put(writer, at + layout->flags_offset, layout->flags_size, flags);
	const struct context_layout *from =
		core_context_layout(crash->system.arch, core_word(crash));
	struct reader status_bytes;

	if (!writer->failed && reader_window(file, context->place.offset, from->fields->size,
					     &status_bytes))
		fields_copy(from->fields, &status_bytes, layout->fields, writer->bytes + at);
	return at;
}
