/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/write/dump_writer.h"

#include <string.h>

#include "system/new_file.h"

/* Flag of x86 contexts: more state follows the plain layout. */
#define EXTENDED_STATE 0x40u

enum error_code
dump_image_save(const struct dump_image *image, const char *path, struct error *error)
{
	struct new_file file;

	if (new_file_open(&file, path, false, error) != ERROR_NONE)
		return error->code;
	for (size_t i = 0; i < image->count; i++)
		if (image->pieces[i].size > 0)
			fwrite(image->pieces[i].bytes, 1, image->pieces[i].size, file.stream);
	return new_file_close(&file, true, error);
}

/* Bytes ---------------------------------------------------------------------------------------- */

size_t
writer_extend(struct dump_writer *writer, size_t size)
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
writer_put(struct dump_writer *writer, size_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size && !writer->failed; i++)
		writer->bytes[at + (writer->big_endian ? size - 1 - i : i)] =
			(uint8_t)(value >> 8 * i);
}

void
writer_put_bytes(struct dump_writer *writer, size_t at, const void *bytes, size_t size)
{
	if (!writer->failed && size > 0)
		memcpy(writer->bytes + at, bytes, size);
}

size_t
writer_append(struct dump_writer *writer, const void *bytes, size_t size)
{
	const size_t at = writer_extend(writer, size);

	writer->failed |= bytes == NULL && size > 0;
	writer_put_bytes(writer, at, bytes, size);
	return at;
}

void
writer_append_text(struct dump_writer *writer, const char *text, bool terminated)
{
	const size_t end = writer->size, length = text != NULL ? strlen(text) : 0;

	writer->failed |= text == NULL;
	writer_extend(writer, length + 3);
	writer_put_bytes(writer, end, text, length);
	if (!writer->failed)
		writer->size = end + length + terminated;
}

void
writer_put_structure(struct dump_writer *writer, size_t at, const struct structure *structure,
		     const void *model)
{
	if (!writer->failed)
		fields_write(structure, model, writer->big_endian, writer->bytes + at);
}

size_t
writer_note(struct dump_writer *notes, const char *owner, uint32_t type, size_t size)
{
	const size_t name = strlen(owner) + 1, head = writer_extend(notes, 12);

	writer_put(notes, head, 4, name);
	writer_put(notes, head + 4, 4, size);
	writer_put(notes, head + 8, 4, type);
	writer_append(notes, owner, name);
	return writer_extend(notes, size);
}

/* Minidumps ------------------------------------------------------------------------------------ */

struct descriptor
writer_location(size_t size, size_t rva)
{
	return (struct descriptor){ (uint32_t)size, (uint32_t)rva };
}

void
writer_enter(struct dump_writer *writer, uint32_t type, size_t at, size_t size)
{
	const size_t entry = minidump_header.size + minidump_directory.size * writer->streams;

	/* Only a damaged dump has more exceptions than the directory can list. Omit the rest. */
	if (writer->streams == WRITER_STREAMS)
		return;
	writer->streams++;
	writer_put_structure(writer, entry, &minidump_directory,
			     &(struct minidump_directory){ type, writer_location(size, at) });
}

void
writer_structure(struct dump_writer *writer, uint32_t type, const struct structure *structure,
		 const void *model)
{
	const size_t at = writer_extend(writer, structure->size);

	writer_put_structure(writer, at, structure, model);
	writer_enter(writer, type, at, structure->size);
}

size_t
writer_list(struct dump_writer *writer, uint32_t type, const struct structure *entry,
	    size_t count)
{
	const size_t size = 4 + entry->size * count, at = writer_extend(writer, size);

	writer_put(writer, at, 4, count);
	writer_enter(writer, type, at, size);
	return at + 4;
}

size_t
writer_string(struct dump_writer *writer, const char *text)
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

size_t
writer_context(struct dump_writer *writer, const struct context_layout *layout, uint64_t flags,
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

/* The `digits` digits of an identifier from `skip` on; UINT64_MAX: none, or too many. */
static uint64_t
hex_part(const char *id, size_t skip, size_t digits)
{
	uint64_t value = UINT64_MAX;

	text_number((struct text){ id + skip, digits }, 16, &value);
	return value;
}

struct descriptor
writer_identity(struct dump_writer *writer, const struct module *module)
{
	const char *id = module->debug_id, *name = place_base_name(module->debug_file);
	const size_t digits = strlen(id);

	if (digits < 9 || strspn(id, "0123456789ABCDEFabcdef") != digits)
		return writer_location(0, 0);
	const bool guid = digits >= 33;
	const size_t head = guid ? 24 : 16, at = writer_extend(writer, head);
	/* "RSDS" or "NB10" as a number: a big-endian dump has the bytes in reverse order. */
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
	writer_append_text(writer, name, true);
	return writer_location(writer->size - at, at);
}
