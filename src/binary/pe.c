/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/pe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "base/text.h"
#include "binary/binary_internal.h"

/* Microsoft, PE Format: COFF File Header, Optional Header, Section Table. */
#define DOS_LFANEW 0x3cu
#define COFF_SIZE 20u
#define OPTIONAL_MAGIC_32 0x10bu
#define OPTIONAL_MAGIC_64 0x20bu
#define OPTIONAL_USED 64u
#define HEADERS_SIZE 60u	/* offset of SizeOfHeaders in the optional header */
#define SECTION_SIZE 40u
#define SYMBOL_SIZE 18u
#define DIRECTORY_RELOCATIONS 5u
#define DIRECTORY_DEBUG 6u
#define RELOCATION_HIGHLOW 3u
#define RELOCATION_DIR64 10u
#define CHARACTERISTIC_NO_BITS 0x00000080u
#define CHARACTERISTIC_EXECUTE 0x20000000u
#define CHARACTERISTIC_WRITE 0x80000000u

/* PE Format: Debug Directory. */
#define DEBUG_ENTRY 28u
#define TYPE_CODEVIEW 2u
#define SIGNATURE_RSDS 0x53445352u
#define GUID_BYTES 16u

struct pe {
	struct reader reader;
	uint64_t coff;			/* offset of the COFF header */
	uint64_t strings;		/* offset of the string table; 0: none */
	uint16_t section_count, optional_size;
	uint32_t image_size;
};

/* Report unreadable bytes at `offset`, or at the end of the file if `offset` is after it. */
static enum error_code
fail(const struct pe *pe, uint64_t offset, const char *what, struct error *error)
{
	const uint64_t size = pe->reader.size;

	return error_set(error, ERROR_FORMAT,
			 (struct place){ .input = pe->reader.input,
					 .offset = offset < size ? offset : size },
			 "the PE file's %s cannot be read", what);
}

static bool
find_header(struct pe *pe)
{
	uint16_t dos = 0;
	uint32_t start = 0, signature = 0;

	if (!reader_u16(&pe->reader, 0, &dos) || dos != 0x5a4d ||
	    !reader_u32(&pe->reader, DOS_LFANEW, &start) ||
	    !reader_u32(&pe->reader, start, &signature) || signature != 0x00004550)
		return false;
	pe->coff = (uint64_t)start + 4;
	return true;
}

static enum error_code
read_headers(struct pe *pe, struct binary *binary, struct error *error)
{
	uint64_t optional = pe->coff + COFF_SIZE;
	uint32_t timestamp = 0, symbols = 0, symbol_count = 0, headers_size = 0, base = 0;
	uint16_t magic = 0;

	if (!reader_u16(&pe->reader, pe->coff, &binary->machine) ||
	    !reader_u16(&pe->reader, pe->coff + 2, &pe->section_count) ||
	    !reader_u32(&pe->reader, pe->coff + 4, &timestamp) ||
	    !reader_u32(&pe->reader, pe->coff + 8, &symbols) ||
	    !reader_u32(&pe->reader, pe->coff + 12, &symbol_count) ||
	    !reader_u16(&pe->reader, pe->coff + 16, &pe->optional_size))
		return fail(pe, pe->coff, "COFF header", error);
	if (!reader_u16(&pe->reader, optional, &magic) || pe->optional_size < OPTIONAL_USED ||
	    (magic != OPTIONAL_MAGIC_32 && magic != OPTIONAL_MAGIC_64) ||
	    !reader_u32(&pe->reader, optional + 56, &pe->image_size) ||
	    !reader_u32(&pe->reader, optional + HEADERS_SIZE, &headers_size))
		return fail(pe, optional, "optional header", error);
	if (magic == OPTIONAL_MAGIC_64)
		reader_u64(&pe->reader, optional + 24, &binary->linked_base);
	else if (reader_u32(&pe->reader, optional + 28, &base))
		binary->linked_base = base;
	binary->word_size = magic == OPTIONAL_MAGIC_64 ? 8 : 4;
	if (symbols != 0)
		pe->strings = symbols + (uint64_t)symbol_count * SYMBOL_SIZE;
	const char *id = arena_format(&binary->arena, "%08" PRIX32 "%" PRIx32, timestamp,
				      pe->image_size);
	if (id != NULL)
		binary->id = id;
	binary->segments = arena_array(&binary->arena, (size_t)pe->section_count + 1,
				       sizeof(*binary->segments));
	if (binary->segments == NULL)
		return binary_no_memory(binary, error);
	binary_add_segment(binary, (struct binary_segment){ .size = headers_size });
	return ERROR_NONE;
}

/* Whether a section's name is an offset in the string table: "/123". */
static bool
has_offset(const char *name)
{
	return name[0] == '/' && name[1] >= '0' && name[1] <= '9';
}

/*
 * A name has up to 8 bytes, or is "/123" for offset 123 in the string table (MinGW). Without a
 * string table, linkers cut longer names.
 */
static const char *
section_name(const struct pe *pe, struct binary *binary, uint64_t entry)
{
	char name[9] = { 0 };

	memcpy(name, pe->reader.data + entry, 8);
	if (has_offset(name) && pe->strings != 0) {
		const char *text = binary_text(binary, pe->strings + strtoul(name + 1, NULL, 10),
					       UINT64_MAX);

		if (*text != '\0')
			return text;
	}
	if (strcmp(name, ".eh_fram") == 0)
		return ".eh_frame";
	return text_or_empty(arena_string(&binary->arena, name));
}

struct pe_section {
	uint64_t entry;			/* offset of the row */
	uint32_t virtual_size, address, offset, flags;
	uint32_t size;			/* bytes that are in the file */
	bool no_bits;
};

static struct pe_section
read_section(const struct pe *pe, unsigned number)
{
	struct pe_section row = { .entry = pe->coff + COFF_SIZE + pe->optional_size +
					   (uint64_t)number * SECTION_SIZE };

	reader_u32(&pe->reader, row.entry + 8, &row.virtual_size);
	reader_u32(&pe->reader, row.entry + 12, &row.address);
	reader_u32(&pe->reader, row.entry + 16, &row.size);
	reader_u32(&pe->reader, row.entry + 20, &row.offset);
	reader_u32(&pe->reader, row.entry + 36, &row.flags);
	row.no_bits = (row.flags & CHARACTERISTIC_NO_BITS) != 0 || row.size == 0;
	/* Padding that the linker added in the file is not part of the section. */
	if (row.virtual_size != 0 && row.virtual_size < row.size)
		row.size = row.virtual_size;
	return row;
}

enum error_code
pe_read(struct binary *binary, struct error *error)
{
	struct pe pe = { .reader = binary_reader(binary) };
	enum error_code code;

	binary->format = BINARY_PE;
	if (!find_header(&pe))
		return ERROR_NOT_FOUND;
	code = read_headers(&pe, binary, error);
	if (code != ERROR_NONE)
		return code;
	uint64_t table = pe.coff + COFF_SIZE + pe.optional_size;
	if (!checked_within(table, (uint64_t)pe.section_count * SECTION_SIZE, pe.reader.size))
		return fail(&pe, table, "section table", error);
	binary->sections = arena_array(&binary->arena, (size_t)pe.section_count + 1,
				       sizeof(*binary->sections));
	if (binary->sections == NULL)
		return binary_no_memory(binary, error);
	for (unsigned i = 0; i < pe.section_count; i++) {
		const struct pe_section row = read_section(&pe, i);
		struct binary_section *section = &binary->sections[binary->section_count++];

		*section = (struct binary_section){
			.name = section_name(&pe, binary, row.entry), .flags = row.flags,
			.address = row.address,
			.size = row.size != 0 ? row.size : row.virtual_size,
			.offset = row.offset, .no_bits = row.no_bits,
		};
		binary_section_data(binary, section);
		if ((row.flags & CHARACTERISTIC_WRITE) == 0 && !row.no_bits &&
		    checked_within(row.address, row.size, pe.image_size))
			binary_add_segment(binary, (struct binary_segment){
				.address = row.address, .size = row.size, .offset = row.offset,
				.executable = (row.flags & CHARACTERISTIC_EXECUTE) != 0 });
	}
	/* The loader has already rewritten the addresses of an image in a process. */
	if (binary->memory != NULL)
		binary->linked_base = binary->memory->base;
	return ERROR_NONE;
}

size_t
pe_pieces(const struct reader *head, struct binary_piece pieces[BINARY_PIECES])
{
	struct pe pe = { .reader = *head };
	uint32_t headers = 0;
	size_t count = 0;

	if (!find_header(&pe) || !reader_u16(head, pe.coff + 2, &pe.section_count) ||
	    !reader_u16(head, pe.coff + 16, &pe.optional_size) ||
	    !reader_u32(head, pe.coff + COFF_SIZE + HEADERS_SIZE, &headers))
		return 0;
	pieces[count++] = (struct binary_piece){ .size = headers };
	for (unsigned i = 0; i < pe.section_count && count < BINARY_PIECES; i++) {
		const struct pe_section row = read_section(&pe, i);

		if (!row.no_bits)
			pieces[count++] = (struct binary_piece){
				.address = row.address, .offset = row.offset, .size = row.size,
				.executable = (row.flags & CHARACTERISTIC_EXECUTE) != 0 };
	}
	return count;
}

/* Debug directory ------------------------------------------------------------------------------ */

void
pe_read_codeview(struct binary *binary)
{
	const struct reader file = binary_reader(binary);
	uint32_t type, size, at, signature, age;
	struct reader table;

	if (!pe_directory(binary, DIRECTORY_DEBUG, NULL, &table))
		return;
	for (uint64_t entry = 0; reader_u32(&table, entry + 12, &type); entry += DEBUG_ENTRY) {
		if (type != TYPE_CODEVIEW || !reader_u32(&table, entry + 16, &size) ||
		    !reader_u32(&table, entry + 24, &at) || !reader_u32(&file, at, &signature) ||
		    signature != SIGNATURE_RSDS || size < 8 + GUID_BYTES ||
		    !reader_u32(&file, (uint64_t)at + 4 + GUID_BYTES, &age))
			continue;
		char hex[2 * GUID_BYTES + 1], guid[BINARY_DEBUG_ID];
		for (unsigned i = 0; i < GUID_BYTES; i++)
			snprintf(hex + 2 * i, 3, "%02X", file.data[at + 4 + i]);
		binary_guid(hex, guid);
		binary->debug_id = text_or_empty(arena_format(&binary->arena, "%s%" PRIx32, guid,
							      age));
		binary->debug_file = binary_text(binary, (uint64_t)at + 8 + GUID_BYTES,
						 (uint64_t)at + size);
		return;
	}
}

/* Base relocations ----------------------------------------------------------------------------- */

/* The file offset of a directory's entry in the optional header. */
static uint64_t
pe_directory_place(const struct binary *binary, unsigned number)
{
	struct pe pe = { .reader = binary_reader(binary) };

	find_header(&pe);
	return pe.coff + COFF_SIZE + (binary->word_size == 8 ? 112 : 96) + number * UINT64_C(8);
}

bool
pe_directory_at(const struct binary *binary, unsigned number, uint32_t *start, uint32_t *size)
{
	const struct reader reader = binary_reader(binary);
	const uint64_t entry = pe_directory_place(binary, number);
	uint32_t count = 0;

	return reader_u32(&reader, pe_directory_place(binary, 0) - 4, &count) && count > number &&
	       reader_u32(&reader, entry, start) && reader_u32(&reader, entry + 4, size) &&
	       *size != 0;
}

bool
pe_directory(const struct binary *binary, unsigned number, uint32_t *address,
	     struct reader *table)
{
	const struct reader file = binary_reader(binary);
	uint32_t start, size;

	if (!pe_directory_at(binary, number, &start, &size))
		return false;
	const struct binary_segment *segment = binary_segment(binary, start);
	if (segment == NULL)
		return false;
	if (address != NULL)
		*address = start;
	const uint64_t skip = start - segment->address, left = segment->size - skip;
	return reader_window(&file, segment->offset + skip, size < left ? size : left, table);
}

/* Add `delta` to the value of `size` bytes at `address` if the file has read-only bytes there. */
static void
add_at(const struct binary *binary, uint8_t *bytes, uint64_t address, unsigned size, uint64_t delta)
{
	const struct binary_segment *segment = binary_segment(binary, address);

	if (segment == NULL || segment->size - (address - segment->address) < size)
		return;
	uint8_t *at = bytes + segment->offset + (address - segment->address);
	uint64_t value = delta;
	for (unsigned i = 0; i < size; i++)
		value += (uint64_t)at[i] << 8 * i;
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void
apply_relocations(const struct binary *binary, uint8_t *bytes, const struct reader *table,
		  uint64_t delta)
{
	uint32_t page, block;

	for (uint64_t at = 0; reader_u32(table, at, &page) && reader_u32(table, at + 4, &block) &&
			      block >= 8 && block <= table->size - at; at += block) {
		for (uint64_t entry = at + 8; entry + 2 <= at + block; entry += 2) {
			uint16_t what = 0;

			reader_u16(table, entry, &what);
			if (what >> 12 == RELOCATION_HIGHLOW)
				add_at(binary, bytes, (uint64_t)page + (what & 0xfff), 4, delta);
			else if (what >> 12 == RELOCATION_DIR64)
				add_at(binary, bytes, (uint64_t)page + (what & 0xfff), 8, delta);
		}
	}
}

void
pe_relocate(struct binary *binary, uint64_t base)
{
	struct reader table;

	if (binary->format != BINARY_PE || base == binary->linked_base ||
	    binary->file.size > LIMIT_RELOCATED ||
	    !pe_directory(binary, DIRECTORY_RELOCATIONS, NULL, &table))
		return;
	/* Rewrite a copy, because the relocations themselves may be among the rewritten bytes. */
	uint8_t *bytes = arena_alloc(&binary->arena, (size_t)binary->file.size);
	if (bytes == NULL)
		return;
	memcpy(bytes, binary->file.data, (size_t)binary->file.size);
	apply_relocations(binary, bytes, &table, base - binary->linked_base);
	binary->image = bytes;
}

/* Missing tables ------------------------------------------------------------------------------- */

/*
 * Report each missing or truncated table of a PE file, once, when the file is opened. Readers check
 * the contents of an entry when they use it.
 */

/* Microsoft, PE Format. */
#define COFF_SYMBOLS 12u		/* offset from the signature */
#define COFF_SYMBOL_COUNT 16u
#define DIRECTORY_ENTRY 8u
#define DIRECTORY_EXPORTS 0u

static const struct {
	unsigned number;
	bool writable;			/* also allowed in writable sections */
	const char *name, *missing;
} directories[] = {
	{ DIRECTORY_EXPORTS, false, "export table", "exported functions have no name" },
	{ 1, true, "import table", "import thunks have no name" },
	{ 3, false, "exception directory", "unwind rules of .pdata are missing" },
	{ 5, false, "base relocation table",
	  "addresses stored in the file are not relocated" },
	{ DIRECTORY_DEBUG, false, "debug directory", "the ID of its PDB is unknown" },
	{ 13, true, "delay import table", "some import thunks have no name" },
};

/* The arrays of the export table: offsets of count and address, and size of an element. */
static const struct {
	unsigned count, address, element;
	const char *name;
} export_arrays[] = {
	{ 20, 28, 4, "addresses" }, { 24, 32, 4, "names" }, { 24, 36, 2, "ordinals" },
};

static void
note(struct binary *binary, uint64_t offset, uint32_t length, const char *what)
{
	if (what == NULL || binary->problem_count == BINARY_PROBLEMS)
		return;
	binary->problems[binary->problem_count++] = (struct file_problem){
		.what = what,
		.place = { .input = &binary->file.input, .offset = offset, .length = length } };
}

static void
check_sections(struct binary *binary)
{
	const struct binary_section *first = NULL;
	size_t count = 0;
	char name[64];

	for (size_t i = binary->section_count; i-- > 0;) {
		if (!binary->sections[i].broken)
			continue;
		first = &binary->sections[i];
		count++;
	}
	if (count == 0)
		return;
	text_printable(name, sizeof(name), text_of(first->name));
	note(binary, binary->file.size, 0,
	     arena_format(&binary->arena, count == 1 ? "section %s ends after the end of the file"
						       "\nits missing part is not read"
						     : "section %s and %zu more end after the end "
						       "of the file"
						       "\ntheir missing parts are not read",
			  name, count - 1));
}

/* Bytes of the file from an address to the end of its section or segment. */
static uint64_t
bytes_from(const struct binary *binary, uint32_t address, bool writable)
{
	const struct binary_segment *segment = binary_segment(binary, address);
	const struct binary_section *section =
		writable ? binary_section_at(binary, address) : NULL;

	if (section != NULL)
		return section->size - (address - section->address);
	return segment != NULL ? segment->size - (address - segment->address) : 0;
}

static void
check_directories(struct binary *binary)
{
	uint32_t start, size;

	for (size_t i = 0; i < ARRAY_COUNT(directories); i++) {
		const unsigned number = directories[i].number;
		const bool writable = directories[i].writable;

		if (!pe_directory_at(binary, number, &start, &size))
			continue;
		const uint64_t left = bytes_from(binary, start, writable);
		if (left >= size)
			continue;
		note(binary, pe_directory_place(binary, number), DIRECTORY_ENTRY,
		     arena_format(&binary->arena, "the %s %s\n%s%s", directories[i].name,
				  left != 0	? "ends after the section that it is in"
				  : writable	? "is in no section of the file"
						: "is in no read-only section of the file",
				  left != 0 ? "its missing part is not read: " : "",
				  directories[i].missing));
	}
}

static void
check_exports(struct binary *binary)
{
	struct reader table;

	if (!pe_directory(binary, DIRECTORY_EXPORTS, NULL, &table))
		return;
	for (size_t i = 0; i < ARRAY_COUNT(export_arrays); i++) {
		uint32_t count = 0, address = 0;

		if (reader_u32(&table, export_arrays[i].count, &count) &&
		    reader_u32(&table, export_arrays[i].address, &address) &&
		    bytes_from(binary, address, false) <
			    (uint64_t)count * export_arrays[i].element)
			note(binary, table.start + export_arrays[i].address, 4,
			     arena_format(&binary->arena,
					  "the %s of the export table are not all in the file"
					  "\nexported functions have no name",
					  export_arrays[i].name));
	}
}

/* Check the symbols that MinGW's linker leaves in an executable, and the strings after them. */
static void
check_symbols(struct binary *binary)
{
	const struct reader file = binary_reader(binary);
	uint32_t header = 0, start = 0, count = 0;
	bool nameless = false;

	/* A name such as "/123" remains if the string table is missing. */
	for (size_t i = 0; i < binary->section_count; i++)
		nameless |= has_offset(binary->sections[i].name);
	if (!reader_u32(&file, DOS_LFANEW, &header) ||
	    !reader_u32(&file, (uint64_t)header + COFF_SYMBOLS, &start) ||
	    !reader_u32(&file, (uint64_t)header + COFF_SYMBOL_COUNT, &count) || start == 0)
		return;
	if (!checked_within(start, (uint64_t)count * SYMBOL_SIZE, file.size))
		note(binary, (uint64_t)header + COFF_SYMBOLS, 8,
		     "the table of COFF symbols ends after the end of the file"
		     "\nsome functions have no name");
	else if (nameless)
		note(binary, start + (uint64_t)count * SYMBOL_SIZE, 4,
		     "the names of some sections are not in the string table"
		     "\nDWARF and unwind rules in such sections are not read");
}

/* Check the records that name PDBs. */
static void
check_codeview(struct binary *binary)
{
	const struct reader file = binary_reader(binary);
	struct reader table;
	uint32_t type, size, at;

	if (!pe_directory(binary, DIRECTORY_DEBUG, NULL, &table))
		return;
	for (uint64_t entry = 0; reader_u32(&table, entry + 12, &type); entry += DEBUG_ENTRY)
		if (type == TYPE_CODEVIEW && reader_u32(&table, entry + 16, &size) &&
		    reader_u32(&table, entry + 24, &at) &&
		    !checked_within(at, size, file.size)) {
			note(binary, table.start + entry, DEBUG_ENTRY,
			     "the CodeView record of the debug directory is not in the file"
			     "\nthe ID of its PDB is unknown");
			return;
		}
}

void
pe_check(struct binary *binary)
{
	check_sections(binary);
	check_directories(binary);
	check_exports(binary);
	check_symbols(binary);
	check_codeview(binary);
}
