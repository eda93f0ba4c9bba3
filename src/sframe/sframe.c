/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdatomic.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "sframe/sframe_format.h"

const struct sframe_version sframe_versions[SFRAME_VERSIONS] = {
	[1] = { SFRAME_FLAG_SORTED | SFRAME_FLAG_FRAME_POINTER, 17, 0,
		{ { 0, 4, false }, { 4, 4, false }, { 8, 4, false }, { 12, 4, false },
		  { 16, 1, false } } },
	[2] = { SFRAME_FLAG_SORTED | SFRAME_FLAG_FRAME_POINTER | SFRAME_FLAG_PCREL, 20, 0,
		{ { 0, 4, false }, { 4, 4, false }, { 8, 4, false }, { 12, 4, false },
		  { 16, 1, false }, [SFRAME_PART_REPEAT] = { 17, 1, false } } },
	[3] = { SFRAME_FLAG_SORTED | SFRAME_FLAG_PCREL, 16, 5,
		{ { 0, 8, false }, { 8, 4, false }, { 12, 4, false }, { 0, 2, true },
		  { 2, 1, true }, { 3, 1, true }, { 4, 1, true } } },
};

const struct sframe_abi_info sframe_abis[SFRAME_ABIS] = {
	[SFRAME_AARCH64_BIG] = { "AArch64 big-endian", true, 1, 0, ARCH_ARM64, { 31, 29, 30 } },
	[SFRAME_AARCH64] = { "AArch64 little-endian", false, 1, 0, ARCH_ARM64, { 31, 29, 30 } },
	[SFRAME_AMD64] = { "AMD64 little-endian", false, 1, -8, ARCH_AMD64, { 7, 6, 16 } },
	[SFRAME_S390X] = { "s390x big-endian", true, 2, 0, ARCH_S390X, { 15, 11, 14 } },
};

const struct sframe_registers *
sframe_registers(enum sframe_abi abi)
{
	return &sframe_abis[abi].registers;
}

const struct arch *
sframe_arch(enum sframe_abi abi)
{
	return arch_by_id(sframe_abis[abi].arch);
}

const char *
sframe_abi_name(enum sframe_abi abi)
{
	return sframe_abis[abi].name;
}

/* Read magic, version, flags and ABI, which determine the rest of the layout. */
static enum error_code
read_preamble(struct sframe_table *table, struct error *error)
{
	struct reader *reader = &table->reader;
	const uint8_t *bytes = reader->data;
	const struct place at = reader_place(reader, SFRAME_AT_MAGIC, 2);
	uint16_t magic = 0;

	if (reader->size < SFRAME_HEADER_SIZE)
		return error_set(error, ERROR_FORMAT, reader_place(reader, 0, 0),
				 "an SFrame section has at least %u bytes, this one %" PRIu64,
				 SFRAME_HEADER_SIZE, reader->size);
	reader->big_endian = bytes[SFRAME_AT_MAGIC] == SFRAME_MAGIC >> 8;
	reader_u16(reader, SFRAME_AT_MAGIC, &magic);
	if (magic != SFRAME_MAGIC)
		return error_set(error, ERROR_FORMAT, at,
				 "no SFrame section: expected the magic e2 de or de e2, "
				 "found %02x %02x",
				 bytes[SFRAME_AT_MAGIC], bytes[SFRAME_AT_MAGIC + 1]);
	table->version = bytes[SFRAME_AT_VERSION];
	if (table->version < 1 || table->version >= SFRAME_VERSIONS)
		return error_set(error, ERROR_FORMAT, reader_place(reader, SFRAME_AT_VERSION, 1),
				 "unknown SFrame version %u; 1, 2 and 3 are known",
				 table->version);
	table->flags = bytes[SFRAME_AT_FLAGS];
	if ((table->flags & ~sframe_versions[table->version].flags) != 0)
		return error_set(error, ERROR_FORMAT, reader_place(reader, SFRAME_AT_FLAGS, 1),
				 "unknown flags 0x%x in version %u",
				 table->flags & ~sframe_versions[table->version].flags,
				 table->version);
	unsigned abi = bytes[SFRAME_AT_ABI];
	if (abi < SFRAME_AARCH64_BIG || abi > SFRAME_S390X ||
	    sframe_abis[abi].since > table->version)
		return error_set(error, ERROR_FORMAT, reader_place(reader, SFRAME_AT_ABI, 1),
				 "unknown ABI %u in version %u", abi, table->version);
	if (sframe_abis[abi].big_endian != reader->big_endian)
		return error_set(error, ERROR_FORMAT, reader_place(reader, SFRAME_AT_ABI, 1),
				 "the ABI is %s, but the magic says %s-endian",
				 sframe_abis[abi].name, reader->big_endian ? "big" : "little");
	table->abi = (enum sframe_abi)abi;
	return ERROR_NONE;
}

/* Read the rest of the header, and check that both areas are inside the section. */
static enum error_code
read_table(struct sframe_table *table, struct error *error)
{
	const struct reader *reader = &table->reader;
	const uint8_t *bytes = reader->data;
	uint32_t functions_at = 0, rows_at = 0;
	const enum error_code code = read_preamble(table, error);

	if (code != ERROR_NONE)
		return code;
	table->fixed_fp = (int)checked_extend(bytes[SFRAME_AT_FIXED_FP], 8);
	table->fixed_ra = (int)checked_extend(bytes[SFRAME_AT_FIXED_RA], 8);
	table->auxiliary_size = bytes[SFRAME_AT_AUXILIARY];
	reader_u32(reader, SFRAME_AT_FUNCTIONS, &table->function_count);
	reader_u32(reader, SFRAME_AT_ROWS, &table->row_count);
	reader_u32(reader, SFRAME_AT_ROW_BYTES, &table->row_bytes);
	reader_u32(reader, SFRAME_AT_FUNCTION_OFFSET, &functions_at);
	reader_u32(reader, SFRAME_AT_ROW_OFFSET, &rows_at);
	const uint64_t base = SFRAME_HEADER_SIZE + (uint64_t)table->auxiliary_size;
	if (base > reader->size)
		return error_set(error, ERROR_FORMAT, reader_place(reader, SFRAME_AT_AUXILIARY, 1),
				 "the auxiliary header of %u bytes reaches past the end of the "
				 "section of %" PRIu64 " bytes",
				 table->auxiliary_size, reader->size);
	table->function_size = sframe_versions[table->version].function_size;
	table->functions_at = base + functions_at;
	table->rows_at = base + rows_at;
	const uint64_t end = table->functions_at +
			     (uint64_t)table->function_count * table->function_size;
	if (table->functions_at > table->rows_at || end > table->rows_at)
		return error_set(error, ERROR_FORMAT, reader_place(reader, SFRAME_AT_FUNCTIONS, 20),
				 "%" PRIu32 " function descriptors of %u bytes at +0x%" PRIx64
				 " do not end before the rows at +0x%" PRIx64,
				 table->function_count, table->function_size, table->functions_at,
				 table->rows_at);
	if (!checked_within(table->rows_at, table->row_bytes, reader->size))
		return error_set(error, ERROR_FORMAT, reader_place(reader, SFRAME_AT_ROW_BYTES, 12),
				 "%" PRIu32 " bytes of rows at +0x%" PRIx64
				 " reach past the end of the section of %" PRIu64 " bytes",
				 table->row_bytes, table->rows_at, reader->size);
	return ERROR_NONE;
}

static uint64_t
descriptor_at(const struct sframe_table *table, uint32_t index)
{
	return table->functions_at + (uint64_t)index * table->function_size;
}

/* A part of a function's descriptor or attributes; 0 if the version lacks the part. */
static uint64_t
part_of(const struct sframe_table *table, uint64_t descriptor, uint64_t attribute,
	enum sframe_part part)
{
	const struct sframe_part_place *place = &sframe_versions[table->version].parts[part];
	uint64_t value = 0;

	if (place->size > 0)
		reader_unsigned(&table->reader,
				(place->attribute ? attribute : descriptor) + place->at,
				place->size, &value);
	return value;
}

/* The start of function `index`, stored relative to its field (if `field`) or to the section. */
static uint64_t
start_of(const struct sframe_table *table, uint32_t index, bool field)
{
	const uint64_t at = descriptor_at(table, index);
	const unsigned size = sframe_versions[table->version].parts[SFRAME_PART_START].size;

	return table->address + (field ? at : 0) +
	       checked_extend(part_of(table, at, 0, SFRAME_PART_START), size * 8);
}

static bool
is_code(const struct sframe_code *code, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address >= code[i].low && address <= code[i].high)
			return true;
	return false;
}

/*
 * Whether start addresses are relative to their fields. A linker that supports the format makes
 * them relative to the section, or sets the flag. Other linkers leave them relative to their fields
 * without the flag, and concatenate tables. Assume another linker if more functions then begin in
 * code, or if the numbers are equal and there are several tables.
 */
static bool
is_field_relative(const struct sframe_table *table, bool several, const struct sframe_code *code,
		  size_t code_count)
{
	size_t by_section = 0, by_field = 0;

	if ((table->flags & SFRAME_FLAG_PCREL) != 0)
		return true;
	if (table->flags != 0)
		return false;
	for (uint32_t i = 0; i < table->function_count && code_count > 0; i++) {
		by_section += is_code(code, code_count, start_of(table, i, false));
		by_field += is_code(code, code_count, start_of(table, i, true));
	}
	return by_field != by_section ? by_field > by_section : several;
}

static uint32_t
size_of(const struct sframe_table *table, uint32_t index)
{
	return (uint32_t)part_of(table, descriptor_at(table, index), 0, SFRAME_PART_SIZE);
}

/* Read the first table, which must be valid; others may follow, each aligned to 8 bytes. */
static enum error_code
read_tables(struct sframe *sframe, const struct reader *section, uint64_t address,
	    struct error *error)
{
	size_t capacity = 0;

	for (uint64_t offset = 0; offset == 0 || offset < section->size;) {
		struct sframe_table read = { .address = address + offset,
					     .first = sframe->function_count };

		reader_window(section, offset, section->size - offset, &read.reader);
		const enum error_code code = read_table(&read, offset == 0 ? error : NULL);
		if (code != ERROR_NONE && offset == 0)
			return code;
		if (code != ERROR_NONE)
			break;
		if (!ARENA_ADD(&sframe->arena, sframe->tables, sframe->table_count, capacity,
			       &read))
			return error_memory(error);
		sframe->function_count += read.function_count;
		offset = (offset + read.rows_at + read.row_bytes + 7) & ~UINT64_C(7);
	}
	if (sframe->table_count > 1)
		message_add(&sframe->messages, MESSAGE_SFRAME_ODD,
			    reader_place(&sframe->tables[1].reader, 0, SFRAME_HEADER_SIZE),
			    "%zu tables, one after the other: the linker did not know the format\n"
			    "all of them are read", sframe->table_count);
	return ERROR_NONE;
}

SORTED_BY_ALL(compare_starts, struct sframe_start,
	      SORTED_UP(address) SORTED_UP(has_code) SORTED_UP(number))

static bool
make_index(struct sframe *sframe)
{
	sframe->index = arena_array(&sframe->arena, sframe->function_count + 1,
				    sizeof(*sframe->index));
	if (sframe->index == NULL)
		return false;
	size_t count = 0;
	for (size_t t = 0; t < sframe->table_count; t++) {
		const struct sframe_table *table = &sframe->tables[t];

		for (uint32_t i = 0; i < table->function_count; i++, count++)
			sframe->index[count] = (struct sframe_start){
				.address = start_of(table, i, table->field_relative),
				.has_code = size_of(table, i) != 0,
				.number = (uint32_t)count,
			};
	}
	SORT(sframe->index, count, compare_starts);
	return true;
}

static void
settle_table(struct sframe *sframe, struct sframe_table *table, const struct sframe_code *code,
	     size_t code_count)
{
	const uint64_t end = descriptor_at(table, table->function_count);
	uint64_t previous = 0;

	table->field_relative =
		is_field_relative(table, sframe->table_count > 1, code, code_count);
	table->sorted = true;
	for (uint32_t i = 0; i < table->function_count; i++) {
		const uint64_t start = start_of(table, i, table->field_relative);

		table->sorted = table->sorted && start >= previous;
		previous = start;
	}
	if (table->field_relative && (table->flags & SFRAME_FLAG_PCREL) == 0)
		message_add(&sframe->messages, MESSAGE_SFRAME_ODD,
			    reader_place(&table->reader, SFRAME_AT_FLAGS, 1),
			    "the start addresses are relative to their own fields, but no flag "
			    "says so\nthey are read as the linker left them");
	if (!table->sorted && (table->flags & SFRAME_FLAG_SORTED) != 0)
		message_add(&sframe->messages, MESSAGE_SFRAME_ODD,
			    reader_place(&table->reader, SFRAME_AT_FLAGS, 1),
			    "the flag says that the functions are sorted, but they are not\n"
			    "functions are looked up in an index made while reading");
	if (end != table->rows_at)
		message_add(&sframe->messages, MESSAGE_SFRAME_ODD,
			    reader_place(&table->reader, SFRAME_AT_ROW_OFFSET, 4),
			    "%" PRIu64 " bytes between the descriptors and the rows\n"
			    "the rows are read at the place in the header",
			    table->rows_at - end);
}

enum error_code
sframe_open(struct sframe *sframe, const struct sframe_bytes *bytes, const struct sframe_code *code,
	    size_t code_count, struct error *error)
{
	const struct reader section = { .input = bytes->input,
					.data = bytes->data,
					.size = (size_t)bytes->size,
					.start = bytes->offset };

	*sframe = (struct sframe){ 0 };
	arena_init(&sframe->arena, 0);
	message_list_init(&sframe->messages, &sframe->arena);
	enum error_code result = read_tables(sframe, &section, bytes->address, error);
	if (result == ERROR_NONE) {
		for (size_t i = 0; i < sframe->table_count; i++)
			settle_table(sframe, &sframe->tables[i], code, code_count);
		sframe->looked = arena_alloc(&sframe->arena, sizeof(*sframe->looked));
		if (sframe->looked == NULL || !make_index(sframe))
			result = error_memory(error);
	}
	if (result != ERROR_NONE)
		sframe_close(sframe);
	return result;
}

void
sframe_close(struct sframe *sframe)
{
	arena_free(&sframe->arena);
	*sframe = (struct sframe){ 0 };
}

bool
sframe_function(const struct sframe *sframe, size_t number, struct sframe_function *function)
{
	size_t last;

	if (number >= sframe->function_count)
		return false;
	BISECT_LAST(last, sframe->table_count, sframe->tables[last].first <= number);
	const struct sframe_table *table = &sframe->tables[last];
	const struct sframe_version *version = &sframe_versions[table->version];
	const uint32_t index = (uint32_t)(number - table->first);
	const uint64_t at = descriptor_at(table, index);
	*function = (struct sframe_function){
		.table = table,
		.number = (uint32_t)number,
		.address = start_of(table, index, table->field_relative),
		.size = size_of(table, index),
		.rows_offset = (uint32_t)part_of(table, at, 0, SFRAME_PART_ROWS),
		.place = reader_place(&table->reader, at, table->function_size),
	};
	const uint64_t rows_at = table->rows_at + function->rows_offset;
	function->rows_at = rows_at + version->attribute_size;
	if (!checked_within(function->rows_offset, version->attribute_size, table->row_bytes)) {
		function->problem = version->attribute_size > 0
					    ? "its attributes lie outside the rows"
					    : "its rows begin past the end of the rows";
		if (version->attribute_size > 0)
			return true;
	}
	if (version->attribute_size > 0)
		function->attribute =
			reader_place(&table->reader, rows_at, version->attribute_size);
	function->row_count = (uint32_t)part_of(table, at, rows_at, SFRAME_PART_ROW_COUNT);
	function->info = (unsigned)part_of(table, at, rows_at, SFRAME_PART_INFO);
	function->info2 = (unsigned)part_of(table, at, rows_at, SFRAME_PART_INFO2);
	function->repeat = (unsigned)part_of(table, at, rows_at, SFRAME_PART_REPEAT);
	if (version->parts[SFRAME_PART_REPEAT].size == 0)
		function->repeat = SFRAME_PLT_BLOCK;
	const unsigned width = function->info & SFRAME_INFO_WIDTH;
	function->address_bytes = width <= 2 ? 1u << width : 0;
	function->masked = (function->info & SFRAME_INFO_MASKED) != 0;
	function->key_b = (function->info & SFRAME_INFO_KEY_B) != 0;
	function->signal = table->version == 3 && (function->info & SFRAME_INFO_SIGNAL) != 0;
	function->flexible = (function->info2 & SFRAME_TYPE) == SFRAME_TYPE_FLEXIBLE;
	if (function->problem != NULL)
		return true;
	if (function->address_bytes == 0)
		function->problem = "its rows have an unknown type of address";
	else if ((function->info2 & SFRAME_TYPE) > SFRAME_TYPE_FLEXIBLE)
		function->problem = "it has an unknown type";
	else if (function->masked && function->repeat == 0)
		function->problem = "its rows repeat every 0 bytes";
	return true;
}

bool
sframe_ordered(const struct sframe *sframe, size_t n, struct sframe_function *function)
{
	return n < sframe->function_count &&
	       sframe_function(sframe, sframe->index[n].number, function);
}

bool
sframe_find(const struct sframe *sframe, uint64_t address, struct sframe_function *function)
{
	const size_t at = sorted_upto(SORTED(sframe->index, sframe->function_count, address),
				      address);

	return at > 0 && sframe_ordered(sframe, at - 1, function) &&
	       address - function->address < function->size;
}

enum sframe_found
sframe_lookup(const struct sframe *sframe, uint64_t address, struct sframe_function *function,
	      struct sframe_row *row, const char **problem)
{
	struct sframe_cursor cursor;
	struct sframe_row next;
	bool any = false;

	if (!sframe_find(sframe, address, function))
		return SFRAME_NO_FUNCTION;
	if (problem != NULL)
		*problem = function->problem;
	if (function->problem != NULL)
		return SFRAME_BROKEN;
	if (function->row_count == 0)
		return function->table->version == 3 && !function->flexible && !function->signal
			       ? SFRAME_OUTERMOST
			       : SFRAME_NO_ROWS;
	uint64_t distance = address - function->address;
	if (function->masked)
		distance %= function->repeat;
	sframe_rows(function, &cursor);
	const bool used_up = atomic_load(sframe->looked) > LIMIT_SFRAME_LOOKUPS;
	const uint32_t most = used_up ? LIMIT_SFRAME_ROWS_LEAST : LIMIT_SFRAME_ROWS;
	while (cursor.number < most && sframe_next_row(&cursor, &next) &&
	       next.offset <= distance) {
		*row = next;
		any = true;
	}
	atomic_fetch_add(sframe->looked, cursor.number);
	if (cursor.problem == NULL && cursor.number == most && most < function->row_count)
		cursor.problem = "finding the row in all rows of such functions would take too "
				 "much time";
	if (problem != NULL)
		*problem = any && row->problem != NULL ? row->problem : cursor.problem;
	if (cursor.problem != NULL || (any && row->problem != NULL))
		return SFRAME_BROKEN;
	if (!any)
		return SFRAME_NO_ROW;
	return row->outermost ? SFRAME_OUTERMOST : SFRAME_ROW;
}
