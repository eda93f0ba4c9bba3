/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/binary_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "binary/mach.h"

/*
 * Mach-O files: executables, libraries, the files of dSYM bundles, and fat files with one Mach-O
 * file for each processor (Apple, OS X ABI Mach-O File Format Reference; mach-o/loader.h and
 * mach-o/fat.h). After the header come the load commands, each with its size.
 */

/* Magic numbers of 32-bit and 64-bit files, in the file's byte order, and of fat files. */
#define MAGIC_32 0xfeedfaceu
#define MAGIC_64 0xfeedfacfu
#define MAGIC_FAT 0xcafebabeu
#define MAGIC_FAT_64 0xcafebabfu
/* Limit on slices of a fat file. Java classes have the same magic, then a version above 44. */
#define MOST_SLICES 20u

#define TYPE_OBJECT 1u
#define TYPE_CORE 4u
#define TYPE_DSYM 10u
#define TYPE_KERNEL 12u
/* First bytes of dyld's shared cache, a file that contains many Mach-O files. */
#define CACHE "dyld_v"
#define SUBTYPE_MASK 0xffffffu
#define SUBTYPE_ARM64E 2u
#define PROTECT_WRITE 2u
#define PROTECT_EXECUTE 4u
/* S_ZEROFILL, S_GB_ZEROFILL and S_THREAD_LOCAL_ZEROFILL: sections without bytes in the file. */
#define ZERO_FILL 1u
#define ZERO_FILL_LARGE 12u
#define ZERO_FILL_THREAD 18u
#define NAME_SIZE 16u
#define UUID_SIZE 16u

enum load_command {
	LOAD_SEGMENT = 0x1,
	LOAD_SYMBOLS = 0x2,
	LOAD_DYNAMIC = 0xb,
	LOAD_SEGMENT_64 = 0x19,
	LOAD_UUID = 0x1b,
	LOAD_LINKING = 0x22,
	LOAD_FUNCTION_STARTS = 0x26,
};

/* Load commands that the dynamic linker must understand. */
#define LOAD_LINKING_ONLY 0x80000022u
#define LOAD_EXPORTS 0x80000033u

/* Processors: CPU_TYPE of mach/machine.h, and ELF's number for the same processor. */
static const struct mach_machine {
	uint32_t processor;
	uint16_t machine;
} machines[] = {
	{ 7, 3 }, { 0x1000007, 62 }, { 12, 40 }, { 0x100000c, 183 }, { 0x200000c, 183 },
	{ 18, 20 }, { 0x1000012, 21 },
};

static uint16_t
machine_of(uint32_t processor)
{
	for (size_t i = 0; i < ARRAY_COUNT(machines); i++)
		if (machines[i].processor == processor)
			return machines[i].machine;
	return 0;
}

/* One Mach-O file: its bytes, and its offset in a fat file. */
struct mach_file {
	struct reader bytes;
	uint64_t slice;
	bool wide;			/* a 64-bit file */
	uint32_t processor, subtype, type;
};

/* Read the header at the beginning of `bytes`; false: not a Mach-O file. */
static bool
read_header(const struct reader *bytes, uint64_t slice, struct mach_file *file)
{
	uint32_t magic;

	*file = (struct mach_file){ .slice = slice };
	if (!reader_window(bytes, slice, bytes->size - slice, &file->bytes))
		return false;
	for (unsigned order = 0; order < 2; order++) {
		file->bytes.big_endian = order == 1;
		if (!reader_u32(&file->bytes, 0, &magic))
			return false;
		file->wide = magic == MAGIC_64;
		if (magic == MAGIC_32 || magic == MAGIC_64)
			return reader_u32(&file->bytes, 4, &file->processor) &&
			       reader_u32(&file->bytes, 8, &file->subtype) &&
			       reader_u32(&file->bytes, 12, &file->type);
	}
	return false;
}

/* Slices --------------------------------------------------------------------------------------- */

/* The offset of slice `index` of a fat file; false: no such slice, or it is outside the file. */
static bool
slice_at(const struct reader *bytes, uint32_t index, uint64_t *offset, uint32_t *processor)
{
	struct reader file = *bytes;
	uint32_t magic, count;

	file.big_endian = true;
	if (!reader_u32(&file, 0, &magic) || !reader_u32(&file, 4, &count) ||
	    (magic != MAGIC_FAT && magic != MAGIC_FAT_64) || count > MOST_SLICES || index >= count)
		return false;
	const bool wide = magic == MAGIC_FAT_64;
	const uint64_t at = 8 + (uint64_t)index * (wide ? 32 : 20);
	return reader_u32(&file, at, processor) &&
	       reader_unsigned(&file, at + 8, wide ? 8 : 4, offset) && *offset < file.size;
}

/*
 * Find the Mach-O file in the bytes. In a fat file it is the slice for the wanted machine (0: any),
 * else the first slice.
 */
static bool
find_file(const struct reader *bytes, uint16_t wanted, struct mach_file *file)
{
	uint64_t offset, chosen = 0;
	uint32_t processor;
	bool any = false;

	for (uint32_t i = 0; slice_at(bytes, i, &offset, &processor); i++) {
		if (any && machine_of(processor) != wanted)
			continue;
		chosen = offset;
		any = true;
		if (machine_of(processor) == wanted)
			break;
	}
	return read_header(bytes, chosen, file);
}

/* Load commands -------------------------------------------------------------------------------- */

/* A cursor over the load commands. */
struct mach_command {
	uint32_t kind;
	struct reader bytes;		/* the command with its kind and size */
	uint64_t at;			/* offset of the next command */
	uint32_t left;
};

static struct mach_command
first_command(const struct mach_file *file)
{
	struct mach_command command = { .at = file->wide ? 32 : 28 };

	reader_u32(&file->bytes, 16, &command.left);
	if (command.left > LIMIT_LOAD_COMMANDS)
		command.left = LIMIT_LOAD_COMMANDS;
	return command;
}

/* Read the next command; false after the last command, or if the file lacks it. */
static bool
next_command(const struct mach_file *file, struct mach_command *command)
{
	uint32_t size;

	if (command->left == 0 || !reader_u32(&file->bytes, command->at, &command->kind) ||
	    !reader_u32(&file->bytes, command->at + 4, &size) || size < 8 ||
	    !reader_window(&file->bytes, command->at, size, &command->bytes))
		return false;
	command->at += size;
	command->left--;
	return true;
}

/* The fields of LC_SEGMENT and LC_SEGMENT_64 that are used. */
struct mach_segment {
	char name[NAME_SIZE + 1];
	uint64_t address, size, offset, file_size;
	uint32_t protection, section_count;
};

static bool
read_segment(const struct mach_file *file, const struct mach_command *command,
	     struct mach_segment *segment)
{
	const unsigned word = file->wide ? 8 : 4;
	const struct reader *bytes = &command->bytes;

	if (command->kind != (file->wide ? LOAD_SEGMENT_64 : LOAD_SEGMENT) ||
	    !reader_unsigned(bytes, 24, word, &segment->address) ||
	    !reader_unsigned(bytes, 24 + word, word, &segment->size) ||
	    !reader_unsigned(bytes, 24 + 2 * word, word, &segment->offset) ||
	    !reader_unsigned(bytes, 24 + 3 * word, word, &segment->file_size) ||
	    !reader_u32(bytes, 28 + 4 * word, &segment->protection) ||
	    !reader_u32(bytes, 32 + 4 * word, &segment->section_count))
		return false;
	snprintf(segment->name, sizeof(segment->name), "%.*s", (int)NAME_SIZE,
		 (const char *)bytes->data + 8);
	return true;
}

/* Sections ------------------------------------------------------------------------------------- */

/*
 * The name of a section. If ELF has the same section, it is the ELF name, because the readers of
 * DWARF use ELF names. Mach-O cuts names to 16 bytes.
 */
static const char *
section_name(struct binary *binary, const char *stored)
{
	static const struct {
		const char *stored, *name;
	} names[] = {
		{ "__eh_frame", ".eh_frame" },
		{ "__debug_str_offs", ".debug_str_offsets" },
		{ "__go_buildinfo", ".go.buildinfo" },
	};
	const bool dwarf = strncmp(stored, "__debug_", 8) == 0 ||
			   strncmp(stored, "__zdebug_", 9) == 0;

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strcmp(names[i].stored, stored) == 0)
			return names[i].name;
	return text_or_empty(dwarf ? arena_format(&binary->arena, ".%s", stored + 2)
				   : arena_string(&binary->arena, stored));
}

/* Append a section, unless there are LIMIT_SECTIONS. False when out of memory. */
static bool
add_section(struct binary *binary, size_t *capacity, const struct binary_section *section)
{
	struct binary_section *added = binary->section_count < LIMIT_SECTIONS
		? ARENA_PUSH(&binary->arena, binary->sections, binary->section_count, *capacity)
		: NULL;

	if (added == NULL)
		return binary->section_count >= LIMIT_SECTIONS;
	*added = *section;
	binary_section_data(binary, added);
	return true;
}

static bool
add_sections(struct binary *binary, const struct mach_file *file,
	     const struct mach_command *command, const struct mach_segment *segment,
	     size_t *capacity)
{
	const unsigned word = file->wide ? 8 : 4;
	const uint64_t entry_size = file->wide ? 80 : 68;
	uint64_t at = 40 + 4 * word, address, size;
	uint32_t offset, flags, first, stub_size;

	for (uint32_t i = 0; i < segment->section_count; i++, at += entry_size) {
		const struct reader *bytes = &command->bytes;
		char name[NAME_SIZE + 1];

		if (!checked_within(at, entry_size, bytes->size) ||
		    !reader_unsigned(bytes, at + 32, word, &address) ||
		    !reader_unsigned(bytes, at + 32 + word, word, &size) ||
		    !reader_u32(bytes, at + 32 + 2 * word, &offset) ||
		    !reader_u32(bytes, at + 48 + 2 * word, &flags) ||
		    !reader_u32(bytes, at + 52 + 2 * word, &first) ||
		    !reader_u32(bytes, at + 56 + 2 * word, &stub_size))
			return true;
		snprintf(name, sizeof(name), "%.*s", (int)NAME_SIZE,
			 (const char *)bytes->data + at);
		struct binary_section section = {
			.name = section_name(binary, name), .flags = flags, .address = address,
			.size = size, .offset = file->slice + offset,
			.first_symbol = first, .stub_size = stub_size };
		const uint32_t type = flags & MACH_SECTION_TYPE;
		section.no_bits = offset == 0 || type == ZERO_FILL || type == ZERO_FILL_LARGE ||
				  type == ZERO_FILL_THREAD;
		section.compressed = strncmp(section.name, ".zdebug", 7) == 0;
		if (!add_section(binary, capacity, &section))
			return false;
	}
	return true;
}

/* Linker tables outside all sections. A load command has a table's offset and size at `at`. */
static const struct mach_table {
	uint32_t command;
	uint8_t at;
	uint8_t entry, entry_wide;	/* 1, or if the size is a count: bytes of an entry */
	const char *name;
} tables[] = {
	{ LOAD_SYMBOLS, 8, 12, 16, MACH_SYMBOLS },
	{ LOAD_SYMBOLS, 16, 1, 1, MACH_STRINGS },
	{ LOAD_DYNAMIC, 56, 4, 4, MACH_INDIRECT },
	{ LOAD_FUNCTION_STARTS, 8, 1, 1, MACH_FUNCTION_STARTS },
	{ LOAD_LINKING, 40, 1, 1, MACH_EXPORTS },
	{ LOAD_LINKING_ONLY, 40, 1, 1, MACH_EXPORTS },
	{ LOAD_EXPORTS, 8, 1, 1, MACH_EXPORTS },
};

static bool
add_tables(struct binary *binary, const struct mach_file *file,
	   const struct mach_command *command, size_t *capacity)
{
	uint32_t offset, size;

	for (size_t i = 0; i < ARRAY_COUNT(tables); i++) {
		const struct mach_table *table = &tables[i];

		if (command->kind != table->command ||
		    !reader_u32(&command->bytes, table->at, &offset) ||
		    !reader_u32(&command->bytes, table->at + 4u, &size) || size == 0)
			continue;
		const struct binary_section section = {
			.name = table->name, .offset = file->slice + offset,
			.size = (uint64_t)size * (file->wide ? table->entry_wide : table->entry) };
		if (!add_section(binary, capacity, &section))
			return false;
	}
	return true;
}

/* All ------------------------------------------------------------------------------------------ */

/* Store the UUID as hex digits, in the spelling that dumps use. */
static void
read_uuid(struct binary *binary, const struct mach_command *command)
{
	char hex[2 * UUID_SIZE + 1];

	if (command->bytes.size < 8 + UUID_SIZE ||
	    text_hex(command->bytes.data + 8, UUID_SIZE, hex) == NULL)
		return;
	for (char *at = hex; *at != '\0'; at++)
		*at = *at >= 'a' ? (char)(*at - 'a' + 'A') : *at;
	binary->id = text_or_empty(arena_format(&binary->arena, "%s", hex));
	binary->debug_id = text_or_empty(arena_format(&binary->arena, "%s0", hex));
}

/* The link-time address of __TEXT, or else of the first segment with bytes. */
static uint64_t
linked_base(const struct mach_file *file)
{
	struct mach_command command = first_command(file);
	struct mach_segment segment;
	uint64_t base = 0;
	bool any = false;

	while (next_command(file, &command)) {
		if (!read_segment(file, &command, &segment))
			continue;
		if (strcmp(segment.name, "__TEXT") == 0)
			return segment.address;
		if (!any && segment.file_size > 0)
			base = segment.address;
		any |= segment.file_size > 0;
	}
	return base;
}

static void
add_loaded(struct binary *binary, const struct mach_file *file, const struct mach_segment *segment)
{
	const uint64_t start = segment->address - binary->linked_base;

	/* Skip __PAGEZERO and other segments before the base: the module does not contain them. */
	if (segment->address < binary->linked_base || segment->protection == 0)
		return;
	if (segment->size < UINT64_MAX - start && start + segment->size > binary->extent)
		binary->extent = start + segment->size;
	if ((segment->protection & PROTECT_WRITE) != 0 || binary->debug_only)
		return;
	binary_add_segment(binary, (struct binary_segment){
		.address = start, .size = segment->file_size,
		.offset = file->slice + segment->offset,
		.executable = (segment->protection & PROTECT_EXECUTE) != 0 });
}

enum error_code
mach_read(struct binary *binary, uint16_t wanted, struct error *error)
{
	const struct reader bytes = binary_reader(binary);
	struct mach_segment segment;
	struct mach_file file;
	size_t capacity = 0;

	const struct place place = { .input = &binary->file.input };
	if (bytes.size > strlen(CACHE) && memcmp(bytes.data, CACHE, strlen(CACHE)) == 0)
		return error_set(error, ERROR_FORMAT, place,
				 "a shared cache of dyld, which has the system's libraries: "
				 "extract them, and give their directory");
	if (!find_file(&bytes, wanted, &file))
		return ERROR_NOT_FOUND;
	if (file.type == TYPE_KERNEL)
		return error_set(error, ERROR_FORMAT, place,
				 "a kernel cache, which has the kernel and its extensions: "
				 "extract the file that you need");
	struct mach_command command = first_command(&file);
	binary->format = BINARY_MACH;
	binary->word_size = file.wide ? 8 : 4;
	binary->big_endian = file.bytes.big_endian;
	binary->machine = machine_of(file.processor);
	binary->arm64e = file.processor == 0x100000c &&
			 (file.subtype & SUBTYPE_MASK) == SUBTYPE_ARM64E;
	binary->use = file.type == TYPE_OBJECT ? BINARY_RELOCATABLE
		      : file.type == TYPE_CORE ? BINARY_CORE : BINARY_LOADED;
	binary->debug_only = file.type == TYPE_DSYM;
	binary->linked_base = linked_base(&file);
	binary->segments = arena_array(&binary->arena, command.left + (size_t)1,
				       sizeof(*binary->segments));
	if (binary->segments == NULL)
		return binary_no_memory(binary, error);
	const uint32_t count = command.left;
	while (next_command(&file, &command)) {
		if (command.kind == LOAD_UUID)
			read_uuid(binary, &command);
		if (!add_tables(binary, &file, &command, &capacity))
			return binary_no_memory(binary, error);
		if (!read_segment(&file, &command, &segment))
			continue;
		add_loaded(binary, &file, &segment);
		if (!add_sections(binary, &file, &command, &segment, &capacity))
			return binary_no_memory(binary, error);
	}
	if (command.left == count)
		return error_set(error, ERROR_FORMAT, place,
				 "the load commands of the Mach-O file are missing or damaged");
	return ERROR_NONE;
}

size_t
mach_pieces(const struct reader *head, struct binary_piece pieces[BINARY_PIECES])
{
	struct mach_file file;
	struct mach_segment segment;
	size_t count = 0;

	if (!read_header(head, 0, &file))
		return 0;
	const uint64_t base = linked_base(&file);
	struct mach_command command = first_command(&file);
	while (count < BINARY_PIECES && next_command(&file, &command)) {
		if (!read_segment(&file, &command, &segment) || segment.address < base)
			continue;
		/* In dyld's shared cache, the offsets of a library are relative to the cache. */
		if (segment.address == base && segment.offset != 0)
			return 0;
		pieces[count++] = (struct binary_piece){
			.address = segment.address - base, .offset = segment.offset,
			.size = segment.file_size,
			.executable = (segment.protection & PROTECT_EXECUTE) != 0 };
	}
	return count;
}
