/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/binary_internal.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "base/text.h"
#include "binary/pe.h"

/*
 * Report each table of a PE file that is missing in the file or truncated, once, when the file is
 * opened. Readers check the contents of entries when they need them.
 */

/* Microsoft, PE Format. */
#define DOS_LFANEW 0x3cu
#define COFF_SYMBOLS 12u		/* offset from the signature */
#define COFF_SYMBOL_COUNT 16u
#define SYMBOL_SIZE 18u
#define DIRECTORY_ENTRY 8u
#define DIRECTORY_EXPORTS 0u
#define DIRECTORY_DEBUG 6u
#define DEBUG_ENTRY 28u
#define DEBUG_CODEVIEW 2u

/* The directories that are read. */
static const struct {
	unsigned number;
	bool writable;			/* also allowed in writable sections */
	const char *name, *missing;
} directories[] = {
	{ DIRECTORY_EXPORTS, false, "export table", "exported functions have no name" },
	{ 1, true, "import table", "import thunks have no name" },
	{ 3, false, "exception directory", "unwind rules of .pdata are missing" },
	{ 5, false, "base relocation table",
	  "addresses in its bytes are those of the base that it was linked for" },
	{ DIRECTORY_DEBUG, false, "debug directory", "its PDB is not known by an ID" },
	{ 13, true, "delay import table", "some import thunks have no name" },
};

/* The arrays of the export table: offsets of their counts and addresses, and size of an element. */
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
	     arena_format(&binary->arena, count == 1 ? "section %s ends behind the end of the file"
						       "\nwhat is missing of it is not read"
						     : "section %s and %zu more end behind the end "
						       "of the file"
						       "\nwhat is missing of them is not read",
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

/* `place` is the offset of the directory's address in the header. */
static void
check_directory(struct binary *binary, size_t row, uint64_t place, uint32_t start, uint32_t size)
{
	const bool writable = directories[row].writable;
	const uint64_t left = bytes_from(binary, start, writable);

	if (left < size)
		note(binary, place, DIRECTORY_ENTRY,
		     arena_format(&binary->arena, "the %s %s\n%s%s", directories[row].name,
				  left != 0	? "ends behind the section that it is in"
				  : writable	? "is in no section of the file"
						: "is in no read-only section of the file",
				  left != 0 ? "what is missing of it is not read: " : "",
				  directories[row].missing));
}

static void
check_directories(struct binary *binary)
{
	uint32_t start, size;

	for (size_t i = 0; i < ARRAY_COUNT(directories); i++)
		if (pe_directory_at(binary, directories[i].number, &start, &size))
			check_directory(binary, i,
					pe_directory_place(binary, directories[i].number), start,
					size);
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

/* Whether a section's name is still the offset of a longer name. */
static bool
has_nameless(const struct binary *binary)
{
	for (size_t i = 0; i < binary->section_count; i++) {
		const char *name = binary->sections[i].name;

		if (name[0] == '/' && name[1] >= '0' && name[1] <= '9')
			return true;
	}
	return false;
}

/* Check the symbols that MinGW's linker leaves in an executable, and the texts after them. */
static void
check_symbols(struct binary *binary)
{
	const struct reader file = binary_reader(binary);
	uint32_t header = 0, start = 0, count = 0;

	if (!reader_u32(&file, DOS_LFANEW, &header) ||
	    !reader_u32(&file, (uint64_t)header + COFF_SYMBOLS, &start) ||
	    !reader_u32(&file, (uint64_t)header + COFF_SYMBOL_COUNT, &count) || start == 0)
		return;
	if (!checked_within(start, (uint64_t)count * SYMBOL_SIZE, file.size))
		note(binary, (uint64_t)header + COFF_SYMBOLS, 8,
		     "the table of COFF symbols ends behind the end of the file"
		     "\nsome functions have no name");
	else if (has_nameless(binary))
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
		if (type == DEBUG_CODEVIEW && reader_u32(&table, entry + 16, &size) &&
		    reader_u32(&table, entry + 24, &at) &&
		    !checked_within(at, size, file.size)) {
			note(binary, table.start + entry, DEBUG_ENTRY,
			     "the CodeView record of the debug directory is not in the file"
			     "\nits PDB is not known by an ID");
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
