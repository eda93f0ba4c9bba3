/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/write/dump_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "crash/memory.h"
#include "dump/core.h"

/* Sources: the gABI, core(5), Linux uapi/linux/elfcore.h and fs/binfmt_elf.c, glibc elf/link.h. */

#define SECTION_SIZE(wide) ((wide) ? 64u : 40u)
#define MOST_SEGMENTS 0xffffu	/* PN_XNUM: the number of segments is in section 0 */
#define PAGE 0x1000u
#define SEGMENT_READ 4u
#define SEGMENT_WRITE 2u
#define NAME_SIZE 16u		/* bytes of pr_fname */
#define ARGUMENTS_SIZE 80u
#define SIGNAL_SIZE 128u
#define TAG_DEBUG 21u		/* DT_DEBUG */
#define APART 0x400u		/* offset of the program headers in the program's made-up header */

/* A segment of the core. If a file has the segment's bytes, the core lacks them. */
struct core_part {
	uint64_t address, size;
	const uint8_t *bytes;
	size_t written;			/* bytes in the core's file: `size`, more, or 0 */
	uint32_t flags;
};

struct core_writer {
	const struct crash *crash;
	const struct arch *arch;
	struct arena *arena;
	struct dump_image *image;
	struct dump_writer notes;
	struct core_part *segments;
	size_t segment_count, segment_room;
	bool wide, failed;
	unsigned word;
};

/* Notes ---------------------------------------------------------------------------------------- */

static struct dump_writer
new_bytes(const struct core_writer *writer)
{
	return (struct dump_writer){ .arena = writer->arena,
				     .big_endian = writer->crash->reader.big_endian };
}

/* Add a note with the owner and type from core_note.def. */
static size_t
add_named(struct core_writer *writer, enum core_stream stream, size_t size)
{
	static const struct {
		const char *owner;
		uint32_t type;
	} named[] = {
#define NOTE(id, owner, type, ...) [CORE_##id - CORE_STREAMS] = { owner, type },
#include "dump/core_note.def"
	};

	return writer_note(&writer->notes, named[stream - CORE_STREAMS].owner,
			   named[stream - CORE_STREAMS].type, size);
}

/* Threads -------------------------------------------------------------------------------------- */

static void
add_floats(struct core_writer *writer, const struct crash_context *context)
{
	const struct core_floats *row;
	struct reader bytes;

	if (!context->present || context->layout == NULL ||
	    !reader_window(&writer->crash->reader, context->place.offset, context->plain_size,
			   &bytes))
		return;
	for (size_t i = 0; (row = core_floats_of(context->layout, &i)) != NULL; i++) {
		const size_t note = add_named(writer, row->note, row->size);

		for (size_t j = 0; j < ARRAY_COUNT(row->parts); j++)
			if ((uint64_t)row->parts[j].context + row->parts[j].size <= bytes.size)
				writer_put_bytes(&writer->notes, note + row->parts[j].note,
						 bytes.data + row->parts[j].context,
						 row->parts[j].size);
	}
}

static void
put_field(struct core_writer *writer, const struct structure *structure, const char *name,
	  uint64_t value, size_t note)
{
	for (size_t i = 0; i < structure->count; i++)
		if (strcmp(structure->rows[i].name, name) == 0)
			writer_put(&writer->notes, note + structure->rows[i].offset,
				   structure->rows[i].size, value);
}

static void
add_status(struct core_writer *writer, size_t index)
{
	const struct crash *crash = writer->crash;
	const struct context_layout *layout = core_context_layout(writer->arch, writer->word);
	const struct crash_context *context = crash_thread_context(crash, index);
	struct context_register registers[ARCH_REGISTERS];
	const size_t count = context_registers(layout->fields, registers);
	const size_t status = add_named(writer, CORE_PRSTATUS, core_abi(writer->arch)->status_size);
	const bool crashed = crash->exception.present &&
			     crash->exception.thread_id == crash->threads[index].id;

	put_field(writer, layout->fields, "pr_pid", crash->threads[index].id, status);
	/* -1: no system call to restart. */
	put_field(writer, layout->fields, "orig_rax", UINT64_MAX, status);
	put_field(writer, layout->fields, "orig_eax", UINT64_MAX, status);
	if (crashed) {
		put_field(writer, layout->fields, "si_signo", crash->exception.code, status);
		put_field(writer, layout->fields, "pr_cursig", crash->exception.code, status);
	}
	if (!context->present || context->arch != writer->arch) {
		writer->image->without_registers++;
		return;
	}
	const struct context_layout *from = context_layout_named(context->layout);
	struct reader bytes;

	if (from != NULL && !writer->notes.failed &&
	    reader_window(&crash->reader, context->place.offset, from->fields->size, &bytes))
		fields_copy(from->fields, &bytes, layout->fields, writer->notes.bytes + status);
	for (size_t i = 0; i < count; i++)
		if (registers_known(&context->registers, registers[i].number))
			writer_put(&writer->notes, status + registers[i].offset, registers[i].size,
				   context->registers.value[registers[i].number]);
}

/* The process ---------------------------------------------------------------------------------- */

static void
add_process(struct core_writer *writer, uint32_t first)
{
	const struct crash *crash = writer->crash;
	const size_t ids = writer->wide ? 24 : core_abi(writer->arch)->narrow_ids ? 12 : 16;
	const size_t name_at = ids + 16, line_at = name_at + NAME_SIZE;
	struct dump_writer *notes = &writer->notes;
	const size_t note = add_named(writer, CORE_PRPSINFO, line_at + ARGUMENTS_SIZE);
	struct reader line;

	writer_put(notes, note + 1, 1, 'R');
	writer_put(notes, note + ids, 4,
		   crash->misc.has_process_id ? crash->misc.process_id : first);
	if (crash->module_count > 0) {
		const char *name = place_base_name(crash->modules[0].code_file);

		writer_put_bytes(notes, note + name_at, name, strnlen(name, NAME_SIZE - 1));
	}
	if (!crash_stream_bytes(crash, LINUX_COMMAND_LINE, &line))
		return;
	for (size_t i = 0; i < line.size && i < ARGUMENTS_SIZE - 1; i++)
		writer_put(notes, note + line_at + i, 1,
			   line.data[i] == '\0' ? ' ' : line.data[i]);
}

static void
add_signal(struct core_writer *writer)
{
	const struct crash_exception *exception = &writer->crash->exception;
	const bool mips = writer->arch->linux_signals == ARCH_SIGNALS_MIPS;
	struct dump_writer *notes = &writer->notes;

	if (!exception->present)
		return;
	const size_t note = add_named(writer, CORE_SIGINFO, SIGNAL_SIZE);
	writer_put(notes, note, 4, exception->code);
	writer_put(notes, note + (mips ? 4 : 8), 4, exception->flags);
	writer_put(notes, note + (writer->wide ? 16 : 12), writer->word, exception->address);
}

/* NT_FILE: the mapped ranges of files; without a memory map, each module as one range. */
static void
add_files(struct core_writer *writer)
{
	const struct crash *crash = writer->crash;
	const unsigned word = writer->word;
	struct dump_writer entries = new_bytes(writer), names = new_bytes(writer);
	const bool mapped = crash->mapping_count > 0;
	const size_t count = mapped ? crash->mapping_count : crash->module_count;

	for (size_t i = 0; i < count; i++) {
		const uint64_t base = mapped ? crash->mappings[i].base : crash->modules[i].base;
		const uint64_t size = mapped ? crash->mappings[i].size : crash->modules[i].size;
		const uint64_t offset = mapped ? crash->mappings[i].file_offset : 0;
		const char *name = mapped ? crash->mappings[i].name : crash->modules[i].code_file;

		if (name[0] != '/')
			continue;
		const size_t entry = writer_extend(&entries, 3 * word);
		writer_put(&entries, entry, word, base);
		writer_put(&entries, entry + word, word, base + size);
		writer_put(&entries, entry + 2 * word, word, offset / PAGE);
		writer_append_text(&names, name, true);
	}
	writer->failed |= entries.failed || names.failed;
	if (entries.size == 0 || entries.size + names.size > UINT32_MAX / 2)
		return;
	const size_t size = 2 * word + entries.size + names.size;
	const size_t note = add_named(writer, CORE_FILE, size);
	writer_put(&writer->notes, note, word, entries.size / (3 * word));
	writer_put(&writer->notes, note + word, word, PAGE);
	writer_put_bytes(&writer->notes, note + 2 * word, entries.bytes, entries.size);
	writer_put_bytes(&writer->notes, note + 2 * word + entries.size, names.bytes, names.size);
}

/* Memory --------------------------------------------------------------------------------------- */

static void
add_segment(struct core_writer *writer, struct core_part segment)
{
	writer->failed |= !ARENA_ADD(writer->arena, writer->segments, writer->segment_count,
				     writer->segment_room, &segment);
}

static uint32_t
flags_of(const struct mapping *mapping)
{
	return (mapping->readable ? SEGMENT_READ : 0) | (mapping->writable ? SEGMENT_WRITE : 0) |
	       (mapping->executable ? CORE_EXECUTABLE : 0);
}

/* The dump's memory, cut where the permissions change. */
static void
add_memory(struct core_writer *writer)
{
	const struct crash *crash = writer->crash;

	for (size_t i = 0; i < crash->run_count; i++) {
		const struct memory_run *run = &crash->runs[i];

		for (uint64_t skip = 0, size; skip < run->size; skip += size) {
			const uint64_t at = run->base + skip;
			const struct mapping *mapping = crash_mapping(crash, at);
			const size_t next = sorted_upto(
				SORTED(crash->mappings, crash->mapping_count, base), at);

			size = run->size - skip;
			if (mapping != NULL && mapping->base + mapping->size - at < size)
				size = mapping->base + mapping->size - at;
			else if (mapping == NULL && next < crash->mapping_count &&
				 crash->mappings[next].base - at < size)
				size = crash->mappings[next].base - at;
			add_segment(writer, (struct core_part){
				at, size, run->data + skip, (size_t)size,
				mapping != NULL ? flags_of(mapping)
						: SEGMENT_READ | SEGMENT_WRITE });
			writer->image->memory += size;
		}
	}
}

/* Whether the dump has any byte of a range of addresses. */
static bool
has_memory(const struct crash *crash, uint64_t address, uint64_t size)
{
	const size_t upto = sorted_upto(SORTED(crash->runs, crash->run_count, base), address);

	return (upto > 0 && address - crash->runs[upto - 1].base < crash->runs[upto - 1].size) ||
	       (upto < crash->run_count && crash->runs[upto].base - address < size);
}

/*
 * Add memory at an address that the dump's memory lacks. `bytes` are from elsewhere in the dump, or
 * made up. The core's file gets `written` bytes.
 */
static bool
add_bytes(struct core_writer *writer, uint64_t address, const uint8_t *bytes, size_t size,
	  size_t written, bool made_up)
{
	const struct mapping *mapping = crash_mapping(writer->crash, address);

	if (size == 0 || bytes == NULL || has_memory(writer->crash, address, size))
		return false;
	add_segment(writer, (struct core_part){
		address, size, bytes, written,
		mapping != NULL ? flags_of(mapping) : SEGMENT_READ | SEGMENT_WRITE });
	*(made_up ? &writer->image->made_up : &writer->image->memory) += size;
	return true;
}

/* ELF ------------------------------------------------------------------------------------------ */

/* Write the header of a core (type 4) or library (3). Sets the members that both share. */
static void
put_header(const struct core_writer *writer, struct dump_writer *file, struct core_header header)
{
	header.machine = writer->arch->elf_machine;
	header.version = 1;
	header.flags = core_abi(writer->arch)->header_flags;
	header.size = (uint16_t)core_header_structures[writer->wide].size;
	header.segment_size = (uint16_t)core_segment_structures[writer->wide].size;
	writer_put_bytes(file, 0, "\x7f" "ELF", 4);
	writer_put(file, 4, 1, writer->wide ? 2 : 1);
	writer_put(file, 5, 1, file->big_endian ? 2 : 1);
	writer_put(file, 6, 1, 1);
	writer_put_structure(file, 0, &core_header_structures[writer->wide], &header);
}

static void
put_segment(const struct core_writer *writer, struct dump_writer *file, size_t at,
	    struct core_segment segment)
{
	segment.alignment = 1;
	writer_put_structure(file, at, &core_segment_structures[writer->wide], &segment);
}

/* Modules -------------------------------------------------------------------------------------- */

/*
 * Write an ELF header with the build ID at a module's first byte, where readers expect it. The
 * program's own program headers are written elsewhere. If they followed the ELF header, a debugger
 * would compare them with the file's, and refuse the program if they differ.
 */
static void
add_header(struct core_writer *writer, const struct module *module, bool program)
{
	const size_t segment = core_segment_structures[writer->wide].size;
	const size_t head = core_header_structures[writer->wide].size;
	const size_t begin = program ? APART : head;
	const size_t notes_at = begin + 2 * segment;
	struct dump_writer page = new_bytes(writer);
	uint8_t id[LIMIT_BUILD_ID];
	const size_t id_size = modules_build_id(module, id);

	writer_extend(&page, notes_at);
	if (id_size > 0)
		writer_put_bytes(&page, writer_note(&page, "GNU", 3, id_size), id, id_size);
	const size_t size = writer_extend(&page, 0);
	writer->failed |= page.failed;
	if (page.failed || module->size < size || has_memory(writer->crash, module->base, size))
		return;
	put_header(writer, &page, (struct core_header){ .type = 3, .segments = begin,
							.segment_count = id_size > 0 ? 2 : 1 });
	put_segment(writer, &page, begin, (struct core_segment){
		CORE_PT_LOAD, CORE_EXECUTABLE | SEGMENT_READ, .file_size = size,
		.memory_size = module->size });
	if (id_size > 0)
		put_segment(writer, &page, begin + segment, (struct core_segment){
			CORE_PT_NOTE, SEGMENT_READ, .offset = notes_at, .address = notes_at,
			.file_size = size - notes_at, .memory_size = size - notes_at });
	/*
	 * Readers count file offsets from the header, so the bytes up to `begin` are written, too.
	 */
	add_bytes(writer, module->base, page.bytes, head, begin, true);
	add_bytes(writer, module->base + begin, page.bytes + begin, size - begin, size - begin,
		  true);
}

/* A free address range below all used ones; 0: none. */
static uint64_t
find_room(const struct crash *crash, uint64_t size)
{
	uint64_t low = crash->mapping_count > 0 ? crash->mappings[0].base : UINT64_MAX;

	if (crash->run_count > 0 && crash->runs[0].base < low)
		low = crash->runs[0].base;
	for (size_t i = 0; i < crash->module_count; i++)
		low = crash->modules[i].base < low ? crash->modules[i].base : low;
	/* Lower pages are reserved: no process may map them. */
	return low < size || low - size < 16 * PAGE ? 0 : (low - size) & ~(uint64_t)(PAGE - 1);
}

/* DT_DEBUG in the program's dynamic section: the address of the linker's struct r_debug. */
static uint64_t
debug_address(const struct core_writer *writer, const struct reader *section)
{
	uint64_t tag, value;

	for (uint64_t at = 0; reader_unsigned(section, at, writer->word, &tag) && tag != 0;
	     at += 2 * writer->word)
		if (tag == TAG_DEBUG && reader_unsigned(section, at + writer->word, writer->word,
							&value))
			return value;
	return 0;
}

static const char *
link_name(const struct core_writer *writer, uint32_t rva)
{
	const struct reader *file = &writer->crash->reader;
	struct reader bytes;
	uint32_t length;

	if (!reader_u32(file, rva, &length) || length > LIMIT_STRING ||
	    !reader_window(file, (uint64_t)rva + 4, length, &bytes))
		return "";
	const char *name = text_from_utf16(writer->arena, bytes.data, length / 2, file->big_endian,
					   true);
	return name != NULL ? name : "";
}

/* The linker's list: links of five words (address, name, section, next, previous), then names. */
static void
add_links(struct core_writer *writer)
{
	const unsigned word = writer->word;
	struct linux_debug debug;
	struct linux_link link;
	struct dump_writer links = new_bytes(writer), names = new_bytes(writer);
	struct dump_writer state = new_bytes(writer);
	uint32_t count = 0;

	if (!linux_debug_read(writer->crash, &debug))
		return;
	const uint64_t head = debug_address(writer, &debug.section);
	for (; count < LIMIT_MODULES && linux_debug_link(writer->crash, &debug, count, &link);
	     count++) {
		const size_t at = writer_extend(&links, 5 * word);

		writer_append_text(&names, link_name(writer, link.name), true);
		writer_put(&links, at, word, link.address);
		writer_put(&links, at + 2 * word, word, link.dynamic);
	}
	const uint64_t base = find_room(writer->crash, links.size + names.size + 16 * word);
	writer_extend(&state, 5 * word);
	writer->failed |= links.failed || names.failed || state.failed;
	if (count == 0 || head == 0 || base == 0 || writer->failed)
		return;
	for (size_t i = 0, name = 0; i < count; i++) {
		const size_t at = i * 5 * word;

		writer_put(&links, at + word, word, base + links.size + name);
		name += strlen((const char *)names.bytes + name) + 1;
		writer_put(&links, at + 3 * word, word,
			   i + 1 < count ? base + (i + 1) * 5 * word : 0);
		writer_put(&links, at + 4 * word, word, i > 0 ? base + (i - 1) * 5 * word : 0);
	}
	writer_put(&state, 0, 4, debug.version);
	writer_put(&state, word, word, base);
	writer_put(&state, 2 * word, word, debug.brk);
	writer_put(&state, 4 * word, word, debug.ldbase);
	if (!add_bytes(writer, head, state.bytes, 5 * word, 5 * word, true))
		return;
	add_bytes(writer, debug.dynamic, debug.section.data, (size_t)debug.section.size,
		  (size_t)debug.section.size, false);
	add_bytes(writer, base, links.bytes, links.size, links.size, true);
	add_bytes(writer, base + links.size, names.bytes, names.size, names.size, true);
	writer->image->has_links = true;
}

SORTED_BY(compare_segments, struct core_part, address)

/*
 * Mappings whose bytes are only in files become segments without bytes, as in the kernel's cores.
 * Other mappings are omitted, because a debugger would read 0 there. The beginning of the program
 * is omitted, too, because a debugger compares it with the file.
 */
static void
add_mappings(struct core_writer *writer)
{
	const struct crash *crash = writer->crash;
	const size_t count = writer->segment_count;
	const uint64_t program = crash->module_count > 0 ? crash->modules[0].base : 0;
	size_t next = 0;

	for (size_t i = 0; i < crash->mapping_count; i++) {
		const struct mapping *mapping = &crash->mappings[i];
		const uint64_t end = mapping->base + mapping->size;
		uint64_t at = mapping->base == program ? program + PAGE : mapping->base;

		if (mapping->writable || (mapping->name[0] != '/' && mapping->name[0] != '['))
			continue;
		for (; next < count && writer->segments[next].address < end; next++) {
			const struct core_part segment = writer->segments[next];

			if (segment.address > at)
				add_segment(writer,
					    (struct core_part){ at, segment.address - at, NULL, 0,
								flags_of(mapping) });
			if (segment.address + segment.size > at)
				at = segment.address + segment.size;
		}
		if (at < end)
			add_segment(writer, (struct core_part){ at, end - at, NULL, 0,
							      flags_of(mapping) });
	}
}

/* The file ------------------------------------------------------------------------------------- */

static void
add_piece(struct core_writer *writer, const uint8_t *bytes, size_t size)
{
	struct dump_image *image = writer->image;

	image->pieces[image->count++] = (struct dump_piece){ bytes, size };
}

/* Lay out headers, notes and segments. Section header 0 holds a large segment count. */
static void
lay_out(struct core_writer *writer)
{
	const bool wide = writer->wide;
	const size_t count = writer->segment_count + 1, size = core_segment_structures[wide].size;
	const size_t section = count < MOST_SEGMENTS ? 0 : SECTION_SIZE(wide);
	const size_t table = core_header_structures[wide].size, head = table + count * size;
	struct dump_writer headers = new_bytes(writer);
	uint64_t offset = head + section;

	writer->image->pieces = arena_array(writer->arena, writer->segment_count + 2,
					    sizeof(*writer->image->pieces));
	writer_extend(&headers, head + section);
	/* The contents of each note are padded to 4 bytes. */
	writer_extend(&writer->notes, 0);
	writer->failed |= writer->image->pieces == NULL || headers.failed || writer->notes.failed;
	if (writer->failed)
		return;
	put_header(writer, &headers, (struct core_header){
		.type = 4, .segments = table, .sections = section > 0 ? head : 0,
		.segment_count = (uint16_t)(count < MOST_SEGMENTS ? count : MOST_SEGMENTS),
		.section_size = (uint16_t)section, .section_count = section > 0 });
	if (section > 0)
		writer_put(&headers, head + (wide ? 44 : 28), 4, count);
	put_segment(writer, &headers, table, (struct core_segment){
		CORE_PT_NOTE, .offset = offset, .file_size = writer->notes.size });
	add_piece(writer, headers.bytes, head + section);
	add_piece(writer, writer->notes.bytes, writer->notes.size);
	offset += writer->notes.size;
	for (size_t i = 0; i < writer->segment_count; i++) {
		const struct core_part *segment = &writer->segments[i];

		put_segment(writer, &headers, table + (i + 1) * size, (struct core_segment){
			CORE_PT_LOAD, segment->flags, .offset = offset,
			.address = segment->address, .memory_size = segment->size,
			.file_size = segment->written > 0 ? segment->size : 0 });
		add_piece(writer, segment->bytes, segment->written);
		offset += segment->written;
	}
}

static void
add_notes(struct core_writer *writer)
{
	const struct crash *crash = writer->crash;
	size_t first = crash->requesting_thread >= 0 ? (size_t)crash->requesting_thread : 0;
	struct reader auxv;

	/* The kernel writes the signalled thread first, then the process, then other threads. */
	for (size_t i = 0; i < crash->thread_count && crash->exception.present; i++)
		if (crash->threads[i].id == crash->exception.thread_id)
			first = i;
	for (size_t i = 0; i < crash->thread_count; i++) {
		const size_t index = i == 0 ? first : i <= first ? i - 1 : i;

		add_status(writer, index);
		if (i == 0) {
			add_process(writer, crash->threads[first].id);
			add_signal(writer);
			if (crash_stream_bytes(crash, LINUX_AUXV, &auxv) && auxv.size > 0)
				writer_put_bytes(&writer->notes,
						 add_named(writer, CORE_AUXV, (size_t)auxv.size),
						 auxv.data, (size_t)auxv.size);
			add_files(writer);
		}
		add_floats(writer, crash_thread_context(crash, index));
	}
	writer->image->threads = crash->thread_count;
}

enum error_code
core_write(const struct crash *crash, struct arena *arena, struct dump_image *image,
	   struct error *error)
{
	const struct arch *arch = crash->system.arch;
	struct core_writer writer = { .crash = crash, .arch = arch, .arena = arena, .image = image,
				      .wide = arch->word_size == 8, .word = arch->word_size };

	writer.notes = new_bytes(&writer);
	*image = (struct dump_image){ .count = 0 };
	if (crash->format != crash_formats[CRASH_MINIDUMP] ||
	    (crash->system.os != CRASH_OS_LINUX && crash->system.os != CRASH_OS_ANDROID))
		return error_set(
			error, ERROR_FORMAT, crash->system.place,
			"only a minidump of Linux or Android can be converted to a core; this is "
			"a %s of %s",
			crash->format, crash->system.os_name);
	if (core_context_layout(arch, arch->word_size) == NULL)
		return error_set(error, ERROR_FORMAT, crash->system.place,
				 "cores have no layout for the registers of %s",
				 crash->system.cpu_name);
	add_notes(&writer);
	add_memory(&writer);
	for (size_t i = 0; i < crash->module_count; i++)
		add_header(&writer, &crash->modules[i], i == 0);
	add_links(&writer);
	SORT(writer.segments, writer.segment_count, compare_segments);
	add_mappings(&writer);
	SORT(writer.segments, writer.segment_count, compare_segments);
	lay_out(&writer);
	image->modules = crash->module_count;
	return writer.failed ? error_memory(error) : ERROR_NONE;
}
