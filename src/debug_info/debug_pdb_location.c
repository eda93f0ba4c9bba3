/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "debug_info/debug_pdb_internal.h"
#include "frame_table/dwarf_operation.h"

/*
 * Places of variables in a PDB as DWARF expressions, so that one machine computes all locations and
 * records all steps.
 */

/* Registers ------------------------------------------------------------------------------------ */

/* The virtual frame pointer of x86: $T0 of the program in FRAMEDATA. */
#define VFRAME 30006u

static const uint8_t order_x86[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
/* CodeView's register orders: ax, cx, dx, bx, sp, bp, si, di; or ax, bx, cx, dx, si, di, bp, sp. */
static const uint8_t order_amd64[] = { 0, 2, 1, 3, 7, 6, 4, 5 };
static const uint8_t order_rax[] = { 0, 3, 2, 1, 4, 5, 6, 7 };
static const uint8_t order_sil[] = { 4, 5, 6, 7 };

/* Register numbers in CodeView (cvconst.h, CV_HREG_e) and in DWARF. */
static const struct register_run {
	uint16_t machine, first, count;
	uint8_t bytes;
	uint8_t bit;			/* lowest bit of the value in the DWARF register */
	/* DWARF number of the first register if the numbers are in order; else see `order` */
	uint8_t dwarf;
	const uint8_t *order;
} register_runs[] = {
	{ PE_MACHINE_X86, 1, 4, 1, 0, 0, order_x86 },
	{ PE_MACHINE_X86, 5, 4, 1, 8, 0, order_x86 },
	{ PE_MACHINE_X86, 9, 8, 2, 0, 0, order_x86 },
	{ PE_MACHINE_X86, 17, 8, 4, 0, 0, order_x86 },
	{ PE_MACHINE_X86, 128, 8, 10, 0, 11, NULL },
	{ PE_MACHINE_X86, 154, 8, 16, 0, 21, NULL },
	{ PE_MACHINE_AMD64, 1, 4, 1, 0, 0, order_amd64 },
	{ PE_MACHINE_AMD64, 5, 4, 1, 8, 0, order_amd64 },
	{ PE_MACHINE_AMD64, 9, 8, 2, 0, 0, order_amd64 },
	{ PE_MACHINE_AMD64, 17, 8, 4, 0, 0, order_amd64 },
	{ PE_MACHINE_AMD64, 128, 8, 10, 0, 33, NULL },
	{ PE_MACHINE_AMD64, 154, 8, 16, 0, 17, NULL },
	{ PE_MACHINE_AMD64, 252, 8, 16, 0, 25, NULL },
	{ PE_MACHINE_AMD64, 324, 4, 1, 0, 0, order_sil },
	{ PE_MACHINE_AMD64, 328, 8, 8, 0, 0, order_rax },
	{ PE_MACHINE_AMD64, 336, 8, 8, 0, 8, NULL },
	{ PE_MACHINE_AMD64, 344, 8, 1, 0, 8, NULL },
	{ PE_MACHINE_AMD64, 352, 8, 2, 0, 8, NULL },
	{ PE_MACHINE_AMD64, 360, 8, 4, 0, 8, NULL },
	{ PE_MACHINE_ARM64, 10, 31, 4, 0, 0, NULL },
	{ PE_MACHINE_ARM64, 50, 32, 8, 0, 0, NULL },
	{ PE_MACHINE_ARM64, 100, 32, 4, 0, 64, NULL },
	{ PE_MACHINE_ARM64, 140, 32, 8, 0, 64, NULL },
	{ PE_MACHINE_ARM64, 180, 32, 16, 0, 64, NULL },
};

/* The run of a register; sets `*dwarf` to its number in DWARF. NULL: unknown. */
static const struct register_run *
register_of(uint16_t machine, uint16_t number, uint8_t *dwarf)
{
	for (size_t i = 0; i < ARRAY_COUNT(register_runs); i++) {
		const struct register_run *run = &register_runs[i];

		if (run->machine != machine || number < run->first ||
		    number - run->first >= run->count)
			continue;
		const unsigned at = number - run->first;
		*dwarf = run->order != NULL ? run->order[at] : (uint8_t)(run->dwarf + at);
		return run;
	}
	return NULL;
}

/* The registers that S_FRAMEPROC calls frame pointers 1 to 3. */
static const struct frame_pointers {
	uint16_t machine, numbers[3];
} frame_pointers[] = {
	{ PE_MACHINE_X86, { VFRAME, PDB_EBP, 20 } },
	{ PE_MACHINE_AMD64, { 335, 334, 341 } },
	{ PE_MACHINE_ARM64, { 81, 79, 69 } },
};

static uint16_t
frame_pointer(uint16_t machine, unsigned kind)
{
	for (size_t i = 0; i < ARRAY_COUNT(frame_pointers); i++)
		if (frame_pointers[i].machine == machine && kind >= 1 && kind <= 3)
			return frame_pointers[i].numbers[kind - 1];
	return 0;
}

/* Expressions ---------------------------------------------------------------------------------- */

struct place_code {
	uint8_t bytes[250];
	size_t size;
	bool failed;			/* the expression is too long, or a place is unknown */
};

static void
put_byte(struct place_code *code, unsigned byte)
{
	if (code->size < sizeof(code->bytes))
		code->bytes[code->size++] = (uint8_t)byte;
	else
		code->failed = true;
}

/* Append an operation and a number in SLEB128. Numbers from 0 on are also valid as ULEB128. */
static void
put_number(struct place_code *code, unsigned operation, int64_t value)
{
	bool more = true;

	put_byte(code, operation);
	while (more) {
		const unsigned low = (unsigned)(value & 0x7f);

		value = value < 0 ? -((-(value + 1)) >> 7) - 1 : value >> 7;
		more = !((value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0));
		put_byte(code, low | (more ? 0x80u : 0));
	}
}

/* Append an operation and the bytes of an address or a wide constant. */
static void
put_wide(struct place_code *code, unsigned operation, uint64_t value, unsigned size)
{
	put_byte(code, operation);
	for (unsigned i = 0; i < size; i++)
		put_byte(code, (unsigned)(value >> 8 * i & 0xff));
}

static void
put_relative(struct place_code *code, uint8_t dwarf, int64_t offset)
{
	code->failed |= dwarf >= 32;
	put_number(code, DWARF_OP_BREG + (dwarf & 31u), offset);
}

static void
put_piece(struct place_code *code, uint64_t size)
{
	put_number(code, DWARF_OP_PIECE, (int64_t)size);
}

/*
 * Push `offset` plus $T0, as the function's FRAMEDATA sets $T0. Supported values: ebp, CFA - 4
 * (where the return address is), and CFA - 4 minus a size, aligned ("$T1 20 - 16 @").
 */
static void
put_virtual_frame(struct place_code *code, struct debug_pdb *pdb, uint64_t relative, int64_t offset)
{
	unsigned size = 0, align = 0;
	struct stack_win record;
	char variable[8];

	const char *program =
		debug_pdb_stack_win(pdb->pdb, 4, relative, &pdb->scratch, &record) &&
				record.program.length > 0
			? strstr(text_or_empty(text_copy(&pdb->scratch, record.program)), "$T0 ")
			: NULL;
	if (program != NULL && strncmp(program, "$T0 $ebp = ", 11) == 0) {
		put_relative(code, 5, offset);
		return;
	}
	put_byte(code, DWARF_OP_CFA);
	if (program != NULL && strchr(program, '@') != NULL) {
		code->failed |= sscanf(program, "$T0 %7s %7u - %7u @", variable, &size, &align) !=
					3 || strcmp(variable, "$T1") != 0 || align == 0 ||
				(align & (align - 1)) != 0;
		put_number(code, DWARF_OP_CONSTS, 4 + (int64_t)size);
		put_byte(code, DWARF_OP_MINUS);
		put_number(code, DWARF_OP_CONSTS, -(int64_t)align);
		put_byte(code, DWARF_OP_AND);
	} else {
		code->failed |= program != NULL && strncmp(program, "$T0 .raSearch = ", 16) != 0 &&
				strncmp(program, "$T0 $ebp 4 + = ", 15) != 0;
		offset -= 4;
	}
	if (offset == 0)
		return;
	put_number(code, DWARF_OP_CONSTS, offset < 0 ? -offset : offset);
	put_byte(code, offset < 0 ? DWARF_OP_MINUS : DWARF_OP_PLUS);
}

struct place_request {
	const struct debug_home *home;
	uint64_t relative;
	uint32_t linked;
	const struct pdb_procedure *procedure;	/* NULL: outside of code */
	const struct pdb_variable *variable;
	uint64_t size;			/* bytes of the variable; 0: unknown */
};

/* The frame pointer that a variable of a procedure is relative to; 0: unknown. */
static uint16_t
frame_pointer_of(const struct place_request *request)
{
	const struct pdb_module *part = request->home->part;
	const struct pdb_procedure *procedure = request->procedure;
	uint32_t at = procedure != NULL ? procedure->offset : 0;
	struct pdb_procedure_frame frame = { 0 };
	struct pdb_symbol symbol;

	while (procedure != NULL &&
	       pdb_symbol_next(&part->symbols, &at, procedure->end, &symbol))
		if (pdb_procedure_frame_read(&symbol, &frame))
			break;
	return frame_pointer(request->home->pdb->pdb->machine,
			     (request->variable->flags & PDB_LOCAL_ARGUMENT) != 0 ? frame.argument
										  : frame.local);
}

/* Append a range's place. Returns how many bytes its register holds; 0: the place is complete. */
static uint64_t
put_place(struct place_code *code, const struct place_request *request,
	  const struct pdb_variable_range *range)
{
	struct debug_pdb *pdb = request->home->pdb;
	const uint16_t machine = pdb->pdb->machine;
	const uint16_t number = range->place == PDB_PLACE_BASE ? PDB_EBP
				: range->place == PDB_PLACE_FRAME ? frame_pointer_of(request)
								  : range->reg;
	uint8_t dwarf = 0;

	if (number == VFRAME && machine == PE_MACHINE_X86 && range->place != PDB_PLACE_REGISTER) {
		put_virtual_frame(code, pdb, request->relative, range->offset);
		return 0;
	}
	const struct register_run *run = register_of(machine, number, &dwarf);
	if (run == NULL) {
		code->failed = true;
		return 0;
	}
	if (range->place != PDB_PLACE_REGISTER) {
		code->failed |= run->bytes != (machine == PE_MACHINE_X86 ? 4 : 8);
		put_relative(code, dwarf, range->offset);
		return 0;
	}
	if (dwarf < 32)
		put_byte(code, DWARF_OP_REG + dwarf);
	else
		put_wide(code, DWARF_OP_REGX, dwarf, 1);
	if (run->bit > 0) {
		put_wide(code, DWARF_OP_BIT_PIECE, 8u | (unsigned)run->bit << 8, 2);
		return 0;
	}
	return run->bytes;
}

/* The bytes of an expression, kept as long as the PDB. */
static struct reader
keep_code(struct debug_pdb *pdb, const struct place_code *code)
{
	const uint64_t hash = hash_bytes(HASH_START, code->bytes, code->size);
	const uint8_t *kept = hash_find(&pdb->expressions, hash, code->size);

	if (kept == NULL || memcmp(kept, code->bytes, code->size) != 0) {
		uint8_t *made = arena_alloc(&pdb->arena, code->size + 1);

		if (made == NULL)
			return (struct reader){ 0 };
		memcpy(made, code->bytes, code->size);
		hash_put(&pdb->expressions, hash, code->size, made);
		kept = made;
	}
	return (struct reader){ .data = kept, .size = code->size };
}

static struct debug_location
location_of_code(const struct place_request *request, const struct place_code *code)
{
	const unsigned word = request->home->pdb->pdb->machine == PE_MACHINE_X86 ? 4 : 8;
	struct debug_location location = { .kind = DEBUG_LOCATION_BROKEN };

	if (code->failed || code->size == 0)
		return location;
	location.expression = (struct debug_expression){
		.home = request->home,
		.dwarf = { .version = 5, .word = word, .offset_size = 4,
			   .code = keep_code(request->home->pdb, code) } };
	if (location.expression.dwarf.code.data != NULL)
		location.kind = DEBUG_LOCATION_EXPRESSION;
	return location;
}

/* Ranges --------------------------------------------------------------------------------------- */

/* Maximum number of parts of a variable at one address. */
enum { MOST_PARTS_HERE = 16 };

struct ranges_here {
	struct pdb_variable_range parts[MOST_PARTS_HERE];
	size_t count;
	bool any;			/* the variable has ranges */
	struct debug_location location;	/* nearest range if none covers the address */
};

static void
note_nearest(struct debug_pdb *pdb, const struct pdb_variable_range *range, uint32_t linked,
	     struct debug_location *location)
{
	uint32_t low, high;

	if (range->low >= range->high || !pdb_moved_address(pdb->pdb, range->low, &low) ||
	    !pdb_moved_address(pdb->pdb, range->high - 1, &high))
		return;
	const uint32_t distance = linked < range->low ? range->low - linked
						       : linked - range->high + 1;
	if (location->has_nearest && location->number <= distance)
		return;
	location->has_nearest = true;
	location->number = distance;
	location->low = low;
	location->high = (uint64_t)high + 1;
}

static void
find_ranges(const struct place_request *request, uint32_t at, struct ranges_here *here)
{
	const struct reader *symbols = &request->home->part->symbols;
	const struct pdb *pdb = request->home->pdb->pdb;
	struct pdb_variable_range range;
	struct pdb_symbol symbol;
	bool covers;

	*here = (struct ranges_here){ .location.kind = DEBUG_LOCATION_ELSEWHERE };
	while (pdb_symbol_next(symbols, &at, (uint32_t)symbols->size, &symbol) &&
	       pdb_is_range(symbol.kind)) {
		here->any = true;
		if (!pdb_variable_range_read(pdb, &symbol, request->linked, &range, &covers))
			here->location.kind = DEBUG_LOCATION_BROKEN;
		else if (!covers)
			note_nearest(request->home->pdb, &range, request->linked,
				     &here->location);
		else if (here->count < MOST_PARTS_HERE)
			here->parts[here->count++] = range;
	}
	here->location.number = 0;
}

/* The bytes of the number or pointer at an offset of a type; 0: none begins there. */
static uint64_t
scalar_at(const struct debug_home *home, uint32_t type, uint64_t offset)
{
	struct arena arena = { 0 };
	uint64_t size = 0;

	const struct debug_type *here = debug_pdb_type(home, type, 0, &arena);
	for (unsigned depth = 0; here != NULL && depth < DEBUG_MOST_PARTS; depth++) {
		const struct debug_type *inner = NULL;
		struct debug_member *members;
		const size_t count = debug_pdb_members(here, &arena, &members);

		for (size_t i = 0; i < count; i++)
			if (members[i].has_offset && !members[i].is_static &&
			    checked_contains(members[i].offset, members[i].type->size, offset)) {
				inner = members[i].type;
				offset -= members[i].offset;
				break;
			}
		if (here->kind == DEBUG_TYPE_ARRAY && here->made_of != NULL &&
		    here->made_of->size > 0 && offset < here->size) {
			inner = here->made_of;
			offset %= inner->size;
		}
		if (inner == NULL && count == 0 && offset == 0 && here->has_size)
			size = here->size;
		here = inner;
	}
	arena_free(&arena);
	return size;
}

SORTED_BY(compare_parts, struct pdb_variable_range, at)

/* Compose a variable from its parts; bytes without a part are unknown. */
static struct debug_location
compose(const struct place_request *request, struct ranges_here *here)
{
	struct place_code code = { .size = 0 };
	uint64_t done = 0;

	SORT(here->parts, here->count, compare_parts);
	for (size_t i = 0; i < here->count; i++) {
		const struct pdb_variable_range *part = &here->parts[i];
		const uint64_t next = i + 1 < here->count ? here->parts[i + 1].at : request->size;
		const uint64_t scalar =
			scalar_at(request->home, request->variable->type, part->at);

		/* Records give no sizes: skip parts that overlap, and parts of unknown size. */
		if (part->at < done || next <= part->at || scalar == 0)
			continue;
		if (part->at > done)
			put_piece(&code, part->at - done);
		const uint64_t held = put_place(&code, request, part);
		uint64_t size = scalar < next - part->at ? scalar : next - part->at;
		if (held == 0 && part->place == PDB_PLACE_REGISTER)
			size = 1;
		else
			put_piece(&code, size = held != 0 && held < size ? held : size);
		done = part->at + size;
	}
	return location_of_code(request, &code);
}

/* The location of a variable in one place. */
static struct debug_location
locate_whole(const struct place_request *request, const struct pdb_variable_range *range)
{
	struct place_code code = { .size = 0 };
	const uint64_t held = put_place(&code, request, range);

	if (held != 0 && request->size > held)
		put_piece(&code, held);
	return location_of_code(request, &code);
}

/* Whether a procedure's frame is set up at the address. If not, set `location` to ELSEWHERE. */
static bool
has_frame(const struct place_request *request, struct debug_location *location)
{
	const struct pdb_procedure *procedure = request->procedure;
	struct pdb_variable_range body = { .low = 0 };
	uint32_t at = procedure != NULL ? procedure->offset : 0, start = 0, end = 0;
	struct pdb_symbol symbol;

	if (procedure == NULL || procedure->part || procedure->thunk ||
	    !pdb_symbol_next(&request->home->part->symbols, &at, procedure->end, &symbol) ||
	    !reader_u32(&symbol.data, 16, &start) || !reader_u32(&symbol.data, 20, &end) ||
	    end <= start || end > procedure->size)
		return true;
	body.low = procedure->address + start;
	body.high = procedure->address + end + 1;
	if (request->linked >= body.low && request->linked < body.high)
		return true;
	location->kind = DEBUG_LOCATION_ELSEWHERE;
	note_nearest(request->home->pdb, &body, request->linked, location);
	location->number = 0;
	return false;
}

/* The location of a variable without records of ranges. */
static struct debug_location
locate_fixed(const struct place_request *request)
{
	const struct pdb_variable *variable = request->variable;
	const struct pdb_variable_range range = { .place = variable->place, .reg = variable->reg,
						  .offset = variable->offset };
	struct debug_location location = { .kind = DEBUG_LOCATION_NUMBER,
					   .number = variable->value };
	const unsigned word = request->home->pdb->pdb->machine == PE_MACHINE_X86 ? 4 : 8;
	struct place_code code = { .size = 0 };
	uint32_t moved = 0;

	switch (variable->place) {
	case PDB_PLACE_CONSTANT:
		return location;
	case PDB_PLACE_STATIC:
		code.failed = !pdb_moved_address(request->home->pdb->pdb, variable->address,
						 &moved);
		put_wide(&code, DWARF_OP_ADDR, moved, word);
		return location_of_code(request, &code);
	case PDB_PLACE_THREAD:
		put_wide(&code, DWARF_OP_CONST4U, (uint32_t)variable->offset, 4);
		put_byte(&code, DWARF_OP_TLS);
		return location_of_code(request, &code);
	default:
		return has_frame(request, &location) ? locate_whole(request, &range) : location;
	}
}

struct debug_location
debug_pdb_location(const struct debug_entry *entry, uint64_t relative)
{
	struct debug_pdb *pdb = entry->home->pdb;
	struct place_request request = { .home = entry->home, .relative = relative };
	struct debug_location location = { .kind = DEBUG_LOCATION_NONE };
	struct pdb_variable variable;
	struct pdb_located located;
	struct ranges_here here;

	arena_reset(&pdb->scratch);
	if (!debug_pdb_variable(entry, &variable))
		return location;
	request.variable = &variable;
	request.size = pdb_type_size(&pdb->types, variable.type);
	if (debug_pdb_locate(pdb, relative, &located) && located.module == entry->home->part) {
		request.procedure = located.procedure;
		request.linked = located.linked;
	}
	if (variable.place != PDB_PLACE_RANGES)
		return locate_fixed(&request);
	uint32_t at = (uint32_t)entry->offset;
	struct pdb_symbol symbol;
	if (!pdb_symbol_next(&entry->home->part->symbols, &at, UINT32_MAX, &symbol))
		return location;
	find_ranges(&request, at, &here);
	if (here.count == 0)
		return here.any ? here.location : location;
	if (here.parts[0].part)
		return compose(&request, &here);
	return here.parts[0].everywhere && !has_frame(&request, &location)
		       ? location : locate_whole(&request, &here.parts[0]);
}
