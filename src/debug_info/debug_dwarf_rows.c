/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "base/sorted.h"

#ifdef HAVE_DWARF

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "debug_info/debug_dwarf_internal.h"

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

static uint64_t
take_unsigned(struct line_program *program)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;

	for (unsigned shift = 0; (byte & 0x80) != 0 && program->at < program->reader.size; shift += 7) {
		byte = (uint8_t)take(program, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
	}
	return value;
}

static uint64_t
take_signed(struct line_program *program)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;
	unsigned shift = 0;

	for (; (byte & 0x80) != 0 && program->at < program->reader.size; shift += 7) {
		byte = (uint8_t)take(program, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
	}
	if (shift < 64 && (byte & 0x40) != 0)
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
	struct line_row *rows;

	if (reading->count > reading->begun &&
	    now->address < reading->rows[reading->count - 1].address)
		return;
	rows = arena_grow(reading->arena, reading->rows, reading->count, &reading->capacity,
			  sizeof(*rows));
	if (rows == NULL) {
		reading->failed = true;
		return;
	}
	reading->rows = rows;
	rows[reading->count++] = (struct line_row){
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
	if (sequence.low >= sequence.high || !debug_dwarf_is_code(reading->dwarf, sequence.low))
		return;
	struct sequence *sequences = arena_grow(reading->arena, reading->sequences,
						reading->sequence_count,
						&reading->sequence_capacity, sizeof(sequence));
	if (sequences == NULL) {
		reading->failed = true;
		return;
	}
	reading->sequences = sequences;
	sequences[reading->sequence_count++] = sequence;
}

static void
run_extended(struct line_reading *reading, uint64_t opcode)
{
	struct line_program *program = &reading->program;
	const uint64_t length = take_unsigned(program);
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
		advance(reading, take_unsigned(program));
		break;
	case DW_LNS_advance_line:
		reading->now.line += take_signed(program);
		break;
	case DW_LNS_set_file:
		reading->now.file = take_unsigned(program);
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
			take_unsigned(program);
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

SORTED_BY_TWO(compare, struct sequence, low, first)

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
	qsort(reading->sequences, reading->sequence_count, sizeof(*reading->sequences), compare);
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

/* The section as it is unpacked, which libdw has done where that was necessary. */
static bool
find_section(struct debug_dwarf *dwarf, struct reader *reader)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(dwarf->elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(dwarf->elf, section)) != NULL) {
		const char *name = gelf_getshdr(section, &header) == NULL
					   ? NULL : elf_strptr(dwarf->elf, names, header.sh_name);
		const Elf_Data *data;

		if (name == NULL ||
		    (strcmp(name, ".debug_line") != 0 && strcmp(name, ".zdebug_line") != 0))
			continue;
		data = elf_getdata(section, NULL);
		if (data == NULL || data->d_buf == NULL)
			return false;
		*reader = (struct reader){ .input = &dwarf->binary->file.input, .data = data->d_buf,
					   .size = data->d_size,
					   .big_endian = dwarf->binary->big_endian };
		return true;
	}
	return false;
}

void
debug_dwarf_read_rows(struct debug_dwarf *dwarf, struct unit *unit, uint64_t offset)
{
	struct line_reading reading = { .dwarf = dwarf };
	struct arena scratch;
	struct reader section;

	if (!find_section(dwarf, &section) ||
	    !open_program(&reading.program, &section, offset))
		return;
	arena_init(&scratch, 0);
	reading.arena = &scratch;
	run(&reading);
	put_in_order(&reading, unit);
	arena_free(&scratch);
}

#endif
