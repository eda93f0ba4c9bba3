/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/core.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/sorted.h"

/*
 * An ELF core: the headers, the notes as streams, and the memory. A core is a dump like the
 * others: notes and program headers are rows of stream.def, and NT_PRSTATUS is a CPU context
 * whose layout is a table. Modules come from NT_FILE, the vDSO and the dynamic linker's list.
 * core_modules.c finds this list in the process's data, without the program's file. Source: the
 * gABI, core(5), Linux fs/binfmt_elf.c.
 */

#define TYPE_CORE 4u
#define MACHINE_M68K 4u
#define CLASS_64 2u
#define DATA_BIG 2u
#define SEGMENTS_ELSEWHERE 0xffffu	/* PN_XNUM: the number of segments is in section 0 */
#define READABLE 4u
#define WRITABLE 2u
#define NOTE_HEADER 12u

#define HEADER(member) INTO(struct core_header, member)

static const struct meaning classes[] = { { 1, "32 bits" }, { 2, "64 bits" } };
static const struct meaning orders[] = { { 1, "little endian" }, { 2, "big endian" } };
static const struct meaning systems[] = {
	{ 0, "System V" }, { 3, "Linux" }, { 6, "Solaris" }, { 9, "FreeBSD" }, { 12, "OpenBSD" },
};
static const struct meaning types[] = { { TYPE_CORE, "ET_CORE" } };
/* The machines of arch.def. */
static const struct meaning machines[] = {
	{ 3, "EM_386" }, { 8, "EM_MIPS" }, { 20, "EM_PPC" }, { 21, "EM_PPC64" }, { 22, "EM_S390" },
	{ 40, "EM_ARM" }, { 62, "EM_X86_64" }, { 183, "EM_AARCH64" }, { 243, "EM_RISCV" },
};

#define HEADER_FIELDS(word)									\
	{ 4, 1, FIELD_DECIMAL, .name = "e_ident.class", VALUES(classes) },			\
	{ 5, 1, FIELD_DECIMAL, .name = "e_ident.data", VALUES(orders) },			\
	{ 7, 1, FIELD_DECIMAL, .name = "e_ident.osabi", VALUES(systems) },			\
	{ 16, 2, FIELD_DECIMAL, .name = "e_type", VALUES(types), HEADER(type) },		\
	{ 18, 2, FIELD_DECIMAL, .name = "e_machine", VALUES(machines), HEADER(machine) },	\
	{ 20, 4, FIELD_DECIMAL, .name = "e_version", HEADER(version) },				\
	{ 24, word, FIELD_ADDRESS, .name = "e_entry", HEADER(entry) },				\
	{ 24 + (word), word, FIELD_HEX, .name = "e_phoff", HEADER(segments) },			\
	{ 24 + 2 * (word), word, FIELD_HEX, .name = "e_shoff", HEADER(sections) },		\
	{ 24 + 3 * (word), 4, FIELD_HEX, .name = "e_flags", HEADER(flags) },			\
	{ 28 + 3 * (word), 2, FIELD_DECIMAL, .name = "e_ehsize", HEADER(size) },		\
	{ 30 + 3 * (word), 2, FIELD_DECIMAL, .name = "e_phentsize", HEADER(segment_size) },	\
	{ 32 + 3 * (word), 2, FIELD_DECIMAL, .name = "e_phnum", HEADER(segment_count) },	\
	{ 34 + 3 * (word), 2, FIELD_DECIMAL, .name = "e_shentsize", HEADER(section_size) },	\
	{ 36 + 3 * (word), 2, FIELD_DECIMAL, .name = "e_shnum", HEADER(section_count) },	\
	{ 38 + 3 * (word), 2, FIELD_DECIMAL, .name = "e_shstrndx" }

static const struct field narrow_header[] = { HEADER_FIELDS(4) };
static const struct field wide_header[] = { HEADER_FIELDS(8) };

static const struct meaning segment_types[] = {
	{ 0, "PT_NULL" }, { CORE_PT_LOAD, "PT_LOAD" }, { CORE_PT_DYNAMIC, "PT_DYNAMIC" },
	{ CORE_PT_NOTE, "PT_NOTE" },
};
static const struct meaning segment_flags[] = {
	{ CORE_EXECUTABLE, "execute" }, { WRITABLE, "write" }, { READABLE, "read" },
};

#define SEGMENT(member) INTO(struct core_segment, member)
#define TYPE_FIELD									\
	{ 0, 4, FIELD_DECIMAL, .name = "p_type", VALUES(segment_types), .key = true,	\
	  SEGMENT(type) }
#define FLAGS_FIELD(offset)								\
	{ offset, 4, FIELD_HEX, .name = "p_flags", BITS(segment_flags), SEGMENT(flags) }
#define PLACE_FIELDS(at, word)							\
	{ at, word, FIELD_HEX, .name = "p_offset", SEGMENT(offset) },		\
	{ (at) + (word), word, FIELD_ADDRESS, .name = "p_vaddr", .key = true,	\
	  SEGMENT(address) },								\
	{ (at) + 2 * (word), word, FIELD_HEX, .name = "p_paddr" },			\
	{ (at) + 3 * (word), word, FIELD_HEX, .name = "p_filesz", .key = true,	\
	  SEGMENT(file_size) },								\
	{ (at) + 4 * (word), word, FIELD_HEX, .name = "p_memsz", .key = true,	\
	  SEGMENT(memory_size) }

static const struct field narrow_segment[] = {
	TYPE_FIELD, PLACE_FIELDS(4, 4), FLAGS_FIELD(24),
	{ 28, 4, FIELD_HEX, .name = "p_align", SEGMENT(alignment) },
};
static const struct field wide_segment[] = {
	TYPE_FIELD, FLAGS_FIELD(4), PLACE_FIELDS(8, 8),
	{ 48, 8, FIELD_HEX, .name = "p_align", SEGMENT(alignment) },
};

const struct structure core_header_structures[2] = {
	STRUCTURE(narrow_header, 52), STRUCTURE(wide_header, 64),
};
const struct structure core_segment_structures[2] = {
	STRUCTURE(narrow_segment, 32), STRUCTURE(wide_segment, 56),
};

/* Notes ---------------------------------------------------------------------------------------- */

static const struct note_name {
	uint32_t stream;
	const char *owner;
	uint32_t type;
	const char *name;
} note_names[] = {
#define NOTE(id, owner, type, name) { CORE_##id, owner, type, name },
#include "dump/core_note.def"
};

bool
core_next_note(const struct reader *window, uint64_t *at, struct text *owner, uint32_t *type,
	       struct reader *bytes)
{
	uint32_t name_size, size;

	if (!reader_u32(window, *at, &name_size) || !reader_u32(window, *at + 4, &size) ||
	    !reader_u32(window, *at + 8, type))
		return false;
	const uint64_t name = *at + NOTE_HEADER;
	const uint64_t contents = name + ((uint64_t)name_size + 3) / 4 * 4;
	if (contents > window->size || !reader_window(window, contents, size, bytes))
		return false;
	*owner = (struct text){ (const char *)window->data + name, name_size };
	while (owner->length > 0 && owner->start[owner->length - 1] == '\0')
		owner->length--;
	*at = contents + ((uint64_t)size + 3) / 4 * 4;
	return true;
}

void
core_add_stream(struct minidump *minidump, struct stream stream)
{
	struct crash *crash = minidump->crash;

	minidump_append(minidump, &crash->streams, &crash->stream_count,
			&minidump->core->stream_capacity, &stream, sizeof(stream));
}

/* Notes that Linux does not write for a process: FreeBSD sys/elf_common.h, illumos sys/elf.h. */
static const struct {
	const char *owner;
	uint32_t type;			/* 0: any */
	const char *system;
} foreign_notes[] = {
	{ "FreeBSD", 0, "FreeBSD" }, { "NetBSD-CORE", 0, "NetBSD" }, { "OpenBSD", 0, "OpenBSD" },
	{ "CORE", 10, "illumos or Solaris" }, { "VMCOREINFO", 0, "the kernel, not of a process" },
};

static void
add_note(struct minidump *minidump, struct text owner, uint32_t type, const struct reader *bytes,
	 struct place place)
{
	struct arena *arena = &minidump->crash->arena;
	struct stream stream = { .type = CORE_OTHER, .offset = bytes->start, .size = bytes->size,
				 .place = place };

	for (size_t i = 0; i < ARRAY_COUNT(note_names); i++) {
		if (note_names[i].type != type || !text_is(owner, note_names[i].owner))
			continue;
		stream.type = note_names[i].stream;
		stream.name = note_names[i].name;
	}
	for (size_t i = 0; i < ARRAY_COUNT(foreign_notes); i++)
		if (text_is(owner, foreign_notes[i].owner) &&
		    (foreign_notes[i].type == 0 || foreign_notes[i].type == type))
			minidump->core->foreign = foreign_notes[i].system;
	if (stream.name == NULL) {
		const struct text begin = { owner.start, owner.length < 32 ? owner.length : 32 };

		stream.name = text_or_empty(arena_format(
			arena, "note 0x%" PRIx32 " of '%s'", type,
			text_or_empty(text_printable_copy(arena, begin))));
	}
	core_add_stream(minidump, stream);
}

static void
read_notes(struct minidump *minidump, const struct core_segment *segment)
{
	struct reader window, bytes;
	struct text owner;
	uint64_t at = 0, begin = 0;
	uint32_t type;

	if (segment->file_size == 0)
		return;
	if (!crash_bytes(minidump->crash, segment->offset, segment->file_size, &window)) {
		minidump_message(minidump, TRUNCATED,
				 reader_place(&minidump->crash->reader, segment->offset, 0),
				 "the notes lie past the end of the file"
				 "\nthreads and modules are missing");
		return;
	}
	for (; minidump->crash->stream_count < LIMIT_CORE_NOTES &&
	       core_next_note(&window, &at, &owner, &type, &bytes); begin = at)
		add_note(minidump, owner, type, &bytes, reader_place(&window, begin, NOTE_HEADER));
	if (minidump->crash->stream_count >= LIMIT_CORE_NOTES && begin < segment->file_size)
		minidump_message(minidump, LIMIT, reader_place(&window, begin, 0),
				 "more than %u notes\nthe rest is skipped", LIMIT_CORE_NOTES);
	else if (begin < segment->file_size)
		minidump_message(minidump, TRUNCATED, reader_place(&window, begin, 0),
				 "the note is truncated: 0x%" PRIx64 " bytes of notes are left"
				 "\nthe notes before it are read", segment->file_size - begin);
}

/*
 * Read the notes of a segment, and add their bytes to `*read`. A sum above the file's size means
 * that segments share bytes. Then `*read` becomes UINT64_MAX, and no further notes are read.
 */
static void
read_notes_once(struct minidump *minidump, const struct core_segment *segment, struct place place,
		uint64_t *read)
{
	const uint64_t size = minidump->crash->reader.size;
	const uint64_t left = segment->offset < size ? size - segment->offset : 0;
	const uint64_t bytes = segment->file_size < left ? segment->file_size : left;

	if (*read == UINT64_MAX)
		return;
	if (bytes <= size - *read) {
		*read += bytes;
		read_notes(minidump, segment);
		return;
	}
	*read = UINT64_MAX;
	minidump_message(minidump, LIMIT, place, "the PT_NOTE segments share bytes: together they "
			 "are larger than the file\nthis one and later ones are skipped");
}

/* Segments ------------------------------------------------------------------------------------- */

static void
add_memory(struct minidump *minidump, const struct core_segment *segment, struct place place)
{
	struct crash *crash = minidump->crash;
	const uint64_t size = segment->file_size < segment->memory_size ? segment->file_size
									: segment->memory_size;
	struct memory_region region = { .base = segment->address, .size = size,
					.offset = segment->offset, .place = place };
	const struct mapping mapping = {
		.base = segment->address,
		.size = segment->memory_size,
		.readable = (segment->flags & READABLE) != 0,
		.writable = (segment->flags & WRITABLE) != 0,
		.executable = (segment->flags & CORE_EXECUTABLE) != 0,
		.name = "",
		.place = place,
		.text = arena_format(&crash->arena, "%c%c%c",
				     "-r"[(segment->flags & READABLE) != 0],
				     "-w"[(segment->flags & WRITABLE) != 0],
				     "-x"[(segment->flags & CORE_EXECUTABLE) != 0]),
	};
	struct reader bytes = { .data = NULL };

	if (segment->memory_size == 0 || !memory_add_mapping(minidump, mapping) || size == 0 ||
	    size - 1 > UINT64_MAX - region.base)
		return;
	crash_bytes(minidump->crash, segment->offset, size, &bytes);
	region.data = bytes.data;
	region.available = bytes.size;
	if (region.available > 0 && crash->region_count < LIMIT_REGIONS)
		minidump_append(minidump, &crash->regions, &crash->region_count,
				&minidump->region_capacity, &region, sizeof(region));
}

/* The number of claimed program headers for which the file has room. */
static uint32_t
count_segments(struct minidump *minidump, const struct core_header *header, bool wide)
{
	const struct reader *file = &minidump->crash->reader;
	const uint32_t size = core_segment_structures[wide].size;
	const uint64_t there = header->segments < file->size
				       ? (file->size - header->segments) / size : 0;
	uint32_t count = header->segment_count;

	if (header->segment_size != size && count != 0)
		minidump_message(minidump, STREAM_BROKEN, reader_place(file, wide ? 54 : 42, 2),
				 "e_phentsize is %u, program headers have %" PRIu32 " bytes"
				 "\nthey are read as such", header->segment_size, size);
	/* Section header 0 has the number. It is at the file's end, which may be missing. */
	if (count == SEGMENTS_ELSEWHERE &&
	    !reader_u32(file, header->sections + (wide ? 44 : 28), &count)) {
		struct core_segment first = { 0 };
		struct reader bytes;

		count = UINT32_MAX;
		if (reader_window(file, header->segments, size, &bytes) &&
		    fields_read(&core_segment_structures[wide], &bytes, &first) &&
		    first.offset > header->segments)
			count = (uint32_t)((first.offset - header->segments) / size);
		minidump_message(minidump, TRUNCATED, reader_place(file, header->sections, 0),
				 "the number of segments lies past the end of the file"
				 "\nthe program headers before the first segment's bytes are read");
	}
	if (count > there) {
		minidump_message(minidump, TRUNCATED, reader_place(file, header->segments, 0),
				 "the header claims %" PRIu32 " segments, the file has room for %"
				 PRIu64 "\nonly these are read", count, there);
		count = (uint32_t)there;
	}
	if (count > LIMIT_REGIONS)
		minidump_message(minidump, LIMIT, reader_place(file, header->segments, 0),
				 "%" PRIu32 " segments, the limit is %u\nthe rest is skipped",
				 count, LIMIT_REGIONS);
	return count < LIMIT_REGIONS ? count : LIMIT_REGIONS;
}

static void
read_segments(struct minidump *minidump, const struct core_header *header, bool wide)
{
	const struct reader *file = &minidump->crash->reader;
	const struct structure *structure = &core_segment_structures[wide];
	const uint32_t count = count_segments(minidump, header, wide);
	uint64_t claimed = 0, notes = 0;

	core_add_stream(minidump, (struct stream){
		.type = CORE_SEGMENTS, .name = "program headers", .offset = header->segments,
		.size = (uint64_t)count * structure->size, .decoded = true,
		.place = reader_place(file, 0, core_header_structures[wide].size) });
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t at = header->segments + (uint64_t)i * structure->size;
		struct core_segment segment = { 0 };
		struct reader bytes;
		uint64_t end;

		if (!reader_window(file, at, structure->size, &bytes))
			break;
		fields_read(structure, &bytes, &segment);
		if (segment.type == CORE_PT_NOTE)
			read_notes_once(minidump, &segment, reader_place(&bytes, 0, bytes.size),
					&notes);
		else if (segment.type == CORE_PT_LOAD)
			add_memory(minidump, &segment, reader_place(&bytes, 0, bytes.size));
		if (!checked_add(segment.offset, segment.file_size, &end))
			end = UINT64_MAX;
		claimed = end > claimed && segment.file_size > 0 ? end : claimed;
	}
	if (claimed > file->size)
		minidump_message(minidump, TRUNCATED, reader_place(file, file->size, 0),
				 "the segments reach to 0x%" PRIx64 ", the file has 0x%" PRIx64
				 " bytes\nthis part is read", claimed, file->size);
}

/* The core ------------------------------------------------------------------------------------- */

unsigned
core_word(const struct crash *crash)
{
	if (!crash->core)
		return crash->system.arch->word_size;
	return crash->reader.size > 4 && crash->reader.data[4] == CLASS_64 ? 8 : 4;
}

static void
read_system(struct minidump *minidump, const struct core_header *header, bool wide)
{
	const struct crash *crash = minidump->crash;
	struct crash_system *system = &minidump->crash->system;
	size_t status = 0;

	while (status < crash->stream_count && crash->streams[status].type != CORE_PRSTATUS)
		status++;
	const struct arch *arch =
		core_arch(header->machine, wide ? 8 : 4,
			  status < crash->stream_count ? crash->streams[status].size : 0);

	system->os = CRASH_OS_LINUX;
	system->os_name = "Linux";
	system->arch = arch;
	system->cpu_name = arch_known(arch) ? arch->name : "unknown";
	system->place =
		reader_place(&minidump->crash->reader, 0, core_header_structures[wide].size);
	minidump->has_system = true;
	minidump->platform = system_platform(CRASH_OS_LINUX);
	minidump->processor = arch->processor_count > 0 ? arch->processors[0] : 0xffff;
	minidump->core->halfwords = header->machine == MACHINE_M68K;
	if (core_context_layout(arch, wide ? 8 : 4) == NULL)
		minidump_message(minidump, UNSUPPORTED_CPU, system->place,
				 "unsupported machine %u with %u-byte words"
				 "\nthe registers are not read",
				 header->machine, wide ? 8 : 4);
}

/* Maximum distance in bytes of a stack pointer below its overflowed stack: one large frame. */
#define OVERRUN (UINT64_C(1) << 20)

/*
 * Find the stack of a stack pointer. After an overflow, the pointer is in a guard page or a gap;
 * then the stack is the next writable mapping.
 */
static const struct mapping *
stack_at(const struct crash *crash, uint64_t sp)
{
	const struct mapping *mapping = crash_mapping(crash, sp);
	size_t next = sorted_upto(SORTED(crash->mappings, crash->mapping_count, base), sp);

	if (mapping != NULL && (mapping->readable || mapping->writable))
		return mapping;
	while (next < crash->mapping_count && !crash->mappings[next].writable &&
	       crash->mappings[next].base - sp < OVERRUN)
		next++;
	return next < crash->mapping_count && crash->mappings[next].base - sp < OVERRUN
		       ? &crash->mappings[next] : mapping;
}

static void
find_stacks(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;

	for (size_t i = 0; i < crash->thread_count; i++) {
		struct thread *thread = &crash->threads[i];
		const struct crash_context *context = &thread->context;
		const struct mapping *mapping =
			!context->present ? NULL
			: stack_at(crash, context->registers.value[context->arch->sp]);

		if (mapping == NULL)
			continue;
		thread->stack_start = mapping->base;
		thread->stack_size = mapping->size;
	}
}

/* The thread with the id of the process has the process's name (prctl(2), PR_SET_NAME). */
static void
name_first_thread(struct crash *crash, const char *name)
{
	for (size_t i = 0; i < crash->thread_count && name != NULL && name[0] != '\0'; i++)
		if (crash->misc.has_process_id && crash->threads[i].id == crash->misc.process_id)
			crash->threads[i].name = name;
}

static void
name_mappings(struct minidump *minidump)
{
	const struct core *core = minidump->core;
	struct crash *crash = minidump->crash;

	for (size_t i = 0; i < crash->mapping_count; i++) {
		struct mapping *mapping = &crash->mappings[i];
		const size_t upto = sorted_upto(SORTED(core->files, core->file_count, start),
						mapping->base);

		if (upto > 0 && mapping->base < core->files[upto - 1].end) {
			const struct core_file *file = &core->files[upto - 1];

			mapping->name = file->path;
			mapping->file_offset = file->offset + mapping->base - file->start;
		}
		if (checked_contains(mapping->base, mapping->size, core->program_name) &&
		    core->program_name != 0)
			mapping->name = "[stack]";
		else if (core->vdso != 0 && mapping->base == core->vdso)
			mapping->name = "[vdso]";
	}
}

bool
core_recognise(const uint8_t *bytes, uint64_t size)
{
	if (size < 18 || memcmp(bytes, "\x7f" "ELF", 4) != 0)
		return false;
	return bytes[bytes[5] == DATA_BIG ? 17 : 16] == TYPE_CORE &&
	       bytes[bytes[5] == DATA_BIG ? 16 : 17] == 0;
}

uint64_t
core_extent(const uint8_t *bytes, uint64_t size)
{
	const bool wide = bytes[4] == CLASS_64;
	const struct reader head = { .data = bytes, .size = size,
				     .big_endian = bytes[5] == DATA_BIG };
	struct core_header header = { 0 };

	/* If section header 0 has the number of segments, the header is at the end of the file. */
	if (!fields_read(&core_header_structures[wide], &head, &header) ||
	    header.segment_count == SEGMENTS_ELSEWHERE)
		return UINT64_MAX;
	uint64_t end = header.sections + (uint64_t)header.section_size * header.section_count;
	for (uint16_t i = 0; i < header.segment_count; i++) {
		const uint64_t at = header.segments + (uint64_t)i * header.segment_size;
		struct core_segment segment = { 0 };
		struct reader window;
		uint64_t behind;

		if (!reader_window(&head, at, core_segment_structures[wide].size, &window) ||
		    !fields_read(&core_segment_structures[wide], &window, &segment) ||
		    !checked_add(segment.offset, segment.file_size, &behind))
			return UINT64_MAX;
		end = behind > end ? behind : end;
	}
	return end;
}

void
core_read(struct crash *crash)
{
	struct core core = { .files = NULL };
	struct minidump minidump = { .crash = crash, .core = &core };
	struct core_header header = { 0 };
	const bool wide = crash->file.data[4] == CLASS_64;

	crash->format = crash_formats[CRASH_CORE];
	crash->core = true;
	crash->dump_index = crash->dump_count = 1;
	crash->reader.big_endian = crash->file.data[5] == DATA_BIG;
	if (!fields_read(&core_header_structures[wide], &crash->reader, &header))
		minidump_message(&minidump, TRUNCATED, reader_place(&crash->reader, 0, 0),
				 "the header has %" PRIu32 " bytes, the file %" PRIu64,
				 core_header_structures[wide].size, crash->reader.size);
	read_segments(&minidump, &header, wide);
	read_system(&minidump, &header, wide);
	memory_finish(&minidump);
	memory_finish_mappings(&minidump);
	minidump_decode_streams(&minidump);
	core_find_strings(&minidump);
	core_find_modules(&minidump);
	name_mappings(&minidump);
	name_first_thread(crash, core.process);
	find_stacks(&minidump);
	threads_finish(&minidump);
	if (crash->thread_count == 0 && core.foreign != NULL)
		minidump_message(&minidump, STREAM_MISSING, reader_place(&crash->reader, 0, 0),
				 "this is a core of %s: no thread can be shown"
				 "\nonly cores of Linux processes are supported", core.foreign);
	else if (crash->thread_count == 0)
		minidump_message(&minidump, STREAM_MISSING, reader_place(&crash->reader, 0, 0),
				 "the core has no NT_PRSTATUS: no thread can be shown");
	/* The kernel and gdb put the thread that received the signal first. */
	crash->requesting_thread = crash->thread_count > 0 ? 0 : -1;
	reason_find(&minidump);
}
