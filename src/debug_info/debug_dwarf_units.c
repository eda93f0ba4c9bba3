/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#ifdef HAVE_DWARF

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "base/sorted.h"
#include "debug_info/debug_dwarf_internal.h"

/* How far back a range that covers an address may begin before others that do not. */
enum { MOST_OVERLAPS = 16 };

SORTED_BY_ALL(compare, struct pc_range, SORTED_UP(low) SORTED_DOWN(high) SORTED_UP(entry))

/* Whether there is code at an address: what a linker dropped is elsewhere. */
static bool
is_code(const struct debug_dwarf *dwarf, uint64_t address)
{
	return dwarf->code.count == 0 || code_ranges_at(&dwarf->code, address) != NULL;
}

static bool
add_range(struct debug_dwarf *dwarf, struct ranges *ranges, struct pc_range range)
{
	struct pc_range *kept =
		ARENA_PUSH(&dwarf->arena, ranges->items, ranges->count, ranges->capacity);

	if (kept != NULL)
		*kept = range;
	else
		dwarf->limited = true;
	return kept != NULL;
}

/* Add the code of an entry, which may be in several parts. */
static void
add_ranges(struct debug_dwarf *dwarf, Dwarf_Die *die, size_t unit, struct ranges *ranges)
{
	struct debug_ranges at = { 0 };
	Dwarf_Addr low, high;

	while (debug_dwarf_range(dwarf, &dwarf->units[unit], die, &at, &low, &high)) {
		const struct pc_range range = { .low = low, .high = high, .unit = unit,
						.entry = dwarf_dieoffset(die) };

		if (low < high && is_code(dwarf, low) && !add_range(dwarf, ranges, range))
			return;
	}
}

static void
sort_ranges(struct ranges *ranges)
{
	if (ranges->count > 1)
		qsort(ranges->items, ranges->count, sizeof(*ranges->items), compare);
}

/* The range that covers an address and begins last. */
static const struct pc_range *
range_at(const struct ranges *ranges, uint64_t address)
{
	size_t low = sorted_upto(SORTED(ranges->items, ranges->count, low), address);

	for (size_t i = 0; i < MOST_OVERLAPS && i < low; i++)
		if (address < ranges->items[low - 1 - i].high)
			return &ranges->items[low - 1 - i];
	return NULL;
}

/* Whether an entry says where its code is. */
static bool
has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

uint64_t
debug_dwarf_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_attr(die, name, &attribute) != NULL &&
			       dwarf_formudata(&attribute, &value) == 0
		       ? value
		       : 0;
}

/* Rows ----------------------------------------------------------------------------------------- */

/*
 * The rows of a line program (DWARF 5, 6.2; versions 2 to 4 differ in the header alone).
 *
 * Libdw puts the rows of all sequences in one order. Where a linker dropped functions their rows
 * begin at address 0 and reach into those of others, and nothing tells them apart any more. So
 * sequences are kept whole here, and those that begin where there is no code are left out.
 */

/* Sizes of ranges and opcodes that a header tells of. */
struct line_program {
	struct reader reader;		/* of the whole unit */
	uint64_t at;			/* of the next opcode */
	unsigned version, word;		/* bytes of an offset */
	uint8_t shortest, operations;	/* bytes of an instruction; operations in one */
	int8_t line_base;
	uint8_t line_range, opcode_base;
	uint64_t lengths;		/* offset of how many operands standard opcodes have */
};

struct state {
	uint64_t address, operation;
	uint64_t file, line;
};

/* Rows between a set address and the end of a sequence. */
struct sequence {
	uint64_t low, high;
	size_t first, count;
};

struct line_reading {
	struct debug_dwarf *dwarf;
	struct line_program program;
	struct state now;
	struct arena *arena;
	struct line_row *rows;
	size_t count, capacity;
	size_t begun;			/* first row of the sequence that is read */
	struct sequence *sequences;
	size_t sequence_count, sequence_capacity;
	bool failed;
};

static uint64_t
take(struct line_program *program, unsigned size)
{
	uint64_t value = 0;

	if (!reader_unsigned(&program->reader, program->at, size, &value))
		program->at = program->reader.size;
	else
		program->at += size;
	return value;
}

uint64_t
debug_dwarf_leb(const struct reader *reader, uint64_t *at, bool is_signed)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;
	unsigned shift = 0;

	for (; (byte & 0x80) != 0 && *at < reader->size; shift += 7) {
		byte = reader->data[(*at)++];
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
	}
	if (is_signed && shift < 64 && (byte & 0x40) != 0)
		value |= UINT64_MAX << shift;
	return value;
}

/* Read the header at `offset` of the section; false where it is none that can be read. */
static bool
open_program(struct line_program *program, const struct reader *section, uint64_t offset)
{
	uint32_t length = 0;
	uint64_t size = 0, at = offset + 4;

	if (!reader_u32(section, offset, &length))
		return false;
	program->word = length == UINT32_MAX ? 8 : 4;
	size = length;
	if (program->word == 8 && !reader_u64(section, offset + 4, &size))
		return false;
	at += program->word == 8 ? 8 : 0;
	if (!reader_window(section, at, size, &program->reader))
		return false;
	program->version = (unsigned)take(program, 2);
	if (program->version < 2 || program->version > 5)
		return false;
	if (program->version == 5)
		take(program, 2);
	const uint64_t header = take(program, program->word);
	const uint64_t first = program->at;
	program->shortest = (uint8_t)take(program, 1);
	program->operations = program->version >= 4 ? (uint8_t)take(program, 1) : 1;
	take(program, 1);
	program->line_base = (int8_t)take(program, 1);
	program->line_range = (uint8_t)take(program, 1);
	program->opcode_base = (uint8_t)take(program, 1);
	program->lengths = program->at;
	if (header > program->reader.size - first || program->line_range == 0 ||
	    program->opcode_base == 0)
		return false;
	program->at = first + header;
	return true;
}

static void
advance(struct line_reading *reading, uint64_t by)
{
	const struct line_program *program = &reading->program;

	if (program->operations <= 1) {
		reading->now.address += program->shortest * by;
		return;
	}
	reading->now.address +=
		program->shortest * ((reading->now.operation + by) / program->operations);
	reading->now.operation = (reading->now.operation + by) % program->operations;
}

/* A row below the one before it is none: addresses of a sequence only go up. */
static void
add_row(struct line_reading *reading, uint64_t opcode)
{
	const struct state *now = &reading->now;

	if (reading->count > reading->begun &&
	    now->address < reading->rows[reading->count - 1].address)
		return;
	struct line_row *row =
		ARENA_PUSH(reading->arena, reading->rows, reading->count, reading->capacity);
	reading->failed = reading->failed || row == NULL;
	if (row == NULL)
		return;
	*row = (struct line_row){
		.address = now->address, .offset = reading->program.reader.start + opcode,
		.file = now->file <= UINT32_MAX ? (uint32_t)now->file : UINT32_MAX,
		.line = now->line <= INT32_MAX ? (uint32_t)now->line : 0 };
}

static void
end_sequence(struct line_reading *reading, uint64_t opcode)
{
	const size_t first = reading->begun;

	reading->now.line = 0;
	add_row(reading, opcode);
	reading->begun = reading->count;
	reading->now = (struct state){ .file = 1, .line = 1 };
	if (reading->count < first + 2)
		return;
	const struct line_row *rows = reading->rows;
	const struct sequence sequence = { .low = rows[first].address,
					   .high = rows[reading->count - 1].address,
					   .first = first, .count = reading->count - first };
	if (sequence.low >= sequence.high || !is_code(reading->dwarf, sequence.low))
		return;
	struct sequence *kept = ARENA_PUSH(reading->arena, reading->sequences,
					   reading->sequence_count, reading->sequence_capacity);
	reading->failed = reading->failed || kept == NULL;
	if (kept != NULL)
		*kept = sequence;
}

static void
run_extended(struct line_reading *reading, uint64_t opcode)
{
	struct line_program *program = &reading->program;
	const uint64_t length = debug_dwarf_leb(&program->reader, &program->at, false);
	const uint64_t begin = program->at;

	if (length == 0 || length > program->reader.size - begin) {
		program->at = program->reader.size;
		return;
	}
	const uint8_t kind = (uint8_t)take(program, 1);
	if (kind == DW_LNE_end_sequence)
		end_sequence(reading, opcode);
	else if (kind == DW_LNE_set_address && (length == 5 || length == 9)) {
		reading->now.address = take(program, (unsigned)length - 1);
		reading->now.operation = 0;
	}
	program->at = begin + length;
}

static void
run_standard(struct line_reading *reading, uint8_t opcode, uint64_t at)
{
	struct line_program *program = &reading->program;
	uint8_t operands = 0;

	switch (opcode) {
	case DW_LNS_copy:
		add_row(reading, at);
		break;
	case DW_LNS_advance_pc:
		advance(reading, debug_dwarf_leb(&program->reader, &program->at, false));
		break;
	case DW_LNS_advance_line:
		reading->now.line += debug_dwarf_leb(&program->reader, &program->at, true);
		break;
	case DW_LNS_set_file:
		reading->now.file = debug_dwarf_leb(&program->reader, &program->at, false);
		break;
	case DW_LNS_const_add_pc:
		advance(reading, (255u - program->opcode_base) / program->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		reading->now.address += take(program, 2);
		reading->now.operation = 0;
		break;
	default:
		reader_u8(&program->reader, program->lengths + opcode - 1, &operands);
		while (operands-- > 0)
			debug_dwarf_leb(&program->reader, &program->at, false);
	}
}

static void
run(struct line_reading *reading)
{
	struct line_program *program = &reading->program;

	reading->now = (struct state){ .file = 1, .line = 1 };
	while (!reading->failed && program->at < program->reader.size &&
	       debug_dwarf_spend(reading->dwarf)) {
		const uint64_t at = program->at;
		const uint8_t opcode = (uint8_t)take(program, 1);

		if (opcode >= program->opcode_base) {
			const unsigned special = opcode - program->opcode_base;

			advance(reading, special / program->line_range);
			reading->now.line += (uint64_t)(int64_t)(
				program->line_base + (int)(special % program->line_range));
			add_row(reading, at);
		} else if (opcode == 0) {
			run_extended(reading, at);
		} else {
			run_standard(reading, opcode, at);
		}
	}
}

SORTED_BY_ALL(compare_sequences, struct sequence, SORTED_UP(low) SORTED_UP(first))

/* Rows in the order of their addresses; of sequences that overlap the first one counts. */
static void
put_in_order(struct line_reading *reading, struct unit *unit)
{
	uint64_t end = 0;
	size_t count = 0;

	for (size_t i = 0; i < reading->sequence_count; i++)
		count += reading->sequences[i].count;
	unit->rows = arena_array(&reading->dwarf->arena, count, sizeof(*unit->rows));
	if (unit->rows == NULL || count == 0)
		return;
	qsort(reading->sequences, reading->sequence_count, sizeof(*reading->sequences),
	      compare_sequences);
	for (size_t i = 0; i < reading->sequence_count; i++) {
		const struct sequence *sequence = &reading->sequences[i];

		if (sequence->low < end)
			continue;
		memcpy(unit->rows + unit->row_count, reading->rows + sequence->first,
		       sequence->count * sizeof(*unit->rows));
		unit->row_count += sequence->count;
		end = sequence->high;
	}
}

Elf_Data *
debug_dwarf_section_data(Elf *elf, const char *name, Elf_Scn **scn)
{
	Elf_Data *data = NULL;
	GElf_Shdr header;
	size_t names;

	*scn = NULL;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while (data == NULL && (*scn = elf_nextscn(elf, *scn)) != NULL) {
		const char *found = gelf_getshdr(*scn, &header) == NULL
					    ? NULL : elf_strptr(elf, names, header.sh_name);

		if (found != NULL && strcmp(found, name) == 0 && header.sh_type != SHT_NOBITS)
			data = elf_getdata(*scn, NULL);
	}
	return data;
}

struct reader
debug_dwarf_section(Elf *elf, const struct binary *binary, const char *name)
{
	struct reader section = { .input = &binary->file.input, .big_endian = binary->big_endian };
	Elf_Scn *scn;
	const Elf_Data *data = debug_dwarf_section_data(elf, name, &scn);

	if (data != NULL && data->d_buf != NULL) {
		section.data = data->d_buf;
		section.size = data->d_size;
	}
	return section;
}

/*
 * Read the rows of the line program at `offset` of .debug_line; none where it is broken. Of units
 * with code each has a program of its own: where many share one, false for those behind the
 * limit, and where the paths of the files would take too much memory.
 */
static bool
read_rows(struct debug_dwarf *dwarf, struct unit *unit, uint64_t offset)
{
	const struct reader section = debug_dwarf_section(dwarf->elf, dwarf->binary, ".debug_line");
	struct line_reading reading = { .dwarf = dwarf };
	struct arena scratch = { 0 };

	if (!open_program(&reading.program, &section, offset))
		return true;
	const uint64_t size = reading.program.reader.size;
	if (size > 2 * section.size - dwarf->line_bytes)
		return false;
	dwarf->line_bytes += size;
	const struct line_program program = reading.program;
	reading.arena = &scratch;
	run(&reading);
	put_in_order(&reading, unit);
	arena_free(&scratch);
	return debug_dwarf_bound_files(dwarf, &program.reader,
				       program.lengths + program.opcode_base - 1, program.version,
				       program.word);
}

/* Units ---------------------------------------------------------------------------------------- */

static bool
is_scope(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_module;
}

/* Remember in what an entry is: entries don't say it themselves. */
static void
add_scope(struct debug_dwarf *dwarf, struct unit *unit, struct debug_tree *tree)
{
	size_t parent = tree->depth - 1;

	while (parent > 0 && !is_scope(dwarf_tag(&tree->path[parent - 1])))
		parent--;
	if (parent == 0)
		return;
	struct scope *scope = ARENA_PUSH(&dwarf->arena, unit->scopes, unit->scope_count,
					 unit->scope_capacity);
	if (scope == NULL)
		return;
	scope->entry = dwarf_dieoffset(debug_tree_at(tree));
	scope->parent = dwarf_dieoffset(&tree->path[parent - 1]);
}

SORTED_BY(compare_scopes, struct scope, entry)

static void
read_functions(struct debug_dwarf *dwarf, size_t number)
{
	struct unit *unit = &dwarf->units[number];
	struct debug_tree tree = { .dwarf = dwarf };
	Dwarf_Die own, parent;

	unit->read = true;
	if (dwarf_offdie(dwarf->dwarf, unit->entry, &own) == NULL)
		return;
	parent = own;
	if (unit->skeleton)
		debug_dwarf_find_split(dwarf, unit, &own);
	if (unit->split != NULL)
		dwarf_offdie(unit->dwarf, unit->split->entry, &parent);
	for (bool more = debug_tree_enter(&tree, &parent); more && debug_dwarf_spend(dwarf);) {
		Dwarf_Die *die = debug_tree_at(&tree);

		if (dwarf_tag(die) == DW_TAG_subprogram && has_code(die))
			add_ranges(dwarf, die, number, &unit->functions);
		if (is_scope(dwarf_tag(die)))
			add_scope(dwarf, unit, &tree);
		more = debug_tree_enter(&tree, die) || debug_tree_skip(&tree);
	}
	sort_ranges(&unit->functions);
	if (unit->scope_count > 1)
		qsort(unit->scopes, unit->scope_count, sizeof(*unit->scopes), compare_scopes);
	/* Split units count files as their skeletons do, whose lines have them all. */
	if (dwarf_hasattr(&own, DW_AT_stmt_list) &&
	    !read_rows(dwarf, unit, debug_dwarf_number(&own, DW_AT_stmt_list)))
		dwarf->limited = true;
	else if (dwarf_getsrcfiles(&own, &unit->files, &unit->file_count) != 0)
		unit->file_count = 0;
	unit->paths = arena_array(&dwarf->arena, unit->file_count, sizeof(*unit->paths));
	dwarf->limited = dwarf->limited || dwarf->budget == 0 || unit->paths == NULL;
	Dwarf_Attribute attribute;
	unit->directory = dwarf_formstring(dwarf_attr(&own, DW_AT_comp_dir, &attribute));
}

void
debug_dwarf_read_units(struct debug_dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die;

	while (debug_dwarf_spend(dwarf) &&
	       dwarf_get_units(dwarf->dwarf, unit, &unit, &version, &type, &die, NULL) == 0) {
		struct unit *units = arena_grow(&dwarf->arena, dwarf->units, dwarf->unit_count,
						&dwarf->unit_capacity, sizeof(*units));

		if (units == NULL)
			break;
		dwarf->units = units;
		units[dwarf->unit_count] = (struct unit){
			.entry = dwarf_dieoffset(&die), .one_part = version < 3,
			.silent = version < 3 || !has_code(&die),
			.skeleton = type == DW_UT_skeleton, .dwarf = dwarf->dwarf };
		dwarf_cu_info(unit, NULL, NULL, NULL, NULL, &units[dwarf->unit_count].id, NULL,
			      NULL);
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_ranges(dwarf, &die, dwarf->unit_count++, &dwarf->ranges);
	}
	sort_ranges(&dwarf->ranges);
}

struct unit *
debug_dwarf_read_unit(struct debug_dwarf *dwarf, size_t number)
{
	if (!dwarf->units[number].read)
		read_functions(dwarf, number);
	return &dwarf->units[number];
}

struct unit *
debug_dwarf_unit(struct debug_dwarf *dwarf, uint64_t address)
{
	const struct pc_range *range = range_at(&dwarf->ranges, address);

	/* The code of a unit that does not say what it covers is that of its functions. */
	for (size_t i = 0; range == NULL && !dwarf->asked_silent && i < dwarf->unit_count; i++) {
		if (!dwarf->units[i].silent)
			continue;
		const struct ranges *functions = &debug_dwarf_read_unit(dwarf, i)->functions;
		for (size_t j = 0; j < functions->count; j++)
			add_range(dwarf, &dwarf->ranges, functions->items[j]);
	}
	if (range == NULL && !dwarf->asked_silent) {
		dwarf->asked_silent = true;
		sort_ranges(&dwarf->ranges);
		range = range_at(&dwarf->ranges, address);
	}
	return range != NULL ? debug_dwarf_read_unit(dwarf, range->unit) : NULL;
}

const struct pc_range *
debug_dwarf_function(const struct unit *unit, uint64_t address)
{
	return range_at(&unit->functions, address);
}

struct scope *
debug_dwarf_scope(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die)
{
	const struct scope key = { .entry = dwarf_dieoffset(die) };
	Dwarf_Die top;

	/* In another file scopes are not known. */
	if (dwarf_cu_getdwarf(die->cu) != unit->dwarf ||
	    dwarf_diecu(die, &top, NULL, NULL) == NULL)
		return NULL;
	const Dwarf_Off entry = dwarf_dieoffset(&top);
	if (unit->split == NULL) {
		const size_t at = sorted_below(SORTED(dwarf->units, dwarf->unit_count, entry),
					       entry);

		if (at == dwarf->unit_count || dwarf->units[at].entry != entry)
			return NULL;
		unit = debug_dwarf_read_unit(dwarf, at);
	}
	return unit->scope_count == 0 ? NULL
				      : bsearch(&key, unit->scopes, unit->scope_count, sizeof(key),
						compare_scopes);
}

#endif
