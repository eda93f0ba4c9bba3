/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/pe_arm_table.h"

#include <string.h>

#include "base/reader.h"

/* A part of a function with its own codes. */
struct arm_scope {
	uint64_t start;			/* offset from the function's start, in bytes */
	unsigned index;			/* index of the first code */
	bool conditional;		/* the flags decide whether its instructions run */
};

/* The processor's condition that is always true. */
#define ALWAYS 14u

static bool
read_word(const struct pe_frames *frames, uint64_t address, uint32_t *word)
{
	uint8_t bytes[4];

	if (binary_read(frames->binary, address, bytes, sizeof(bytes), NULL) < sizeof(bytes))
		return false;
	*word = reader_little(bytes);
	return true;
}

const struct pe_arm_code *
pe_arm_code(const struct pe_arm_code *codes, uint8_t first)
{
	while (first > codes->last)
		codes++;
	return codes;
}

void
pe_arm_add(struct pe_arm_function *function, const uint8_t *code, size_t size)
{
	if (size > sizeof(function->codes) - function->size)
		return;
	memcpy(function->codes + function->size, code, size);
	function->size += size;
}

/* Entries with codes --------------------------------------------------------------------------- */

static bool
read_xdata(const struct pe_frames *frames, struct pe_arm_function *function)
{
	const struct pe_arm_format *format = frames->kind->arm;
	const uint32_t at = function->word;
	uint32_t first, second = 0;
	unsigned header = 4;

	if (!read_word(frames, at, &first) || pe_arm_bits(first, 18, 2) != 0)
		return false;
	function->end = function->begin + (uint64_t)pe_arm_bits(first, 0, 18) * format->unit;
	unsigned epilogues = pe_arm_bits(first, format->epilogues, 5);
	unsigned words = pe_arm_bits(first, format->words, 32 - format->words);
	if (epilogues == 0 && words == 0) {
		if (!read_word(frames, at + 4, &second))
			return false;
		header = 8;
		epilogues = pe_arm_bits(second, 0, 16);
		words = pe_arm_bits(second, 16, 8);
	}
	function->no_prologue = pe_arm_bits(first, format->fragment, 1) != 0;
	function->ends_with_epilogue = pe_arm_bits(first, 21, 1) != 0;
	function->index = function->ends_with_epilogue ? epilogues : 0;
	function->scope_count = function->ends_with_epilogue ? 0 : epilogues;
	function->scopes_at = at + header;
	function->size = (size_t)words * 4;
	return binary_read(frames->binary,
			   (uint64_t)at + header + (uint64_t)function->scope_count * 4,
			   function->codes, function->size, NULL) == function->size;
}

static bool
read_function(const struct pe_frames *frames, uint64_t index, struct pe_arm_function *function)
{
	const uint8_t *entry = frames->table.data + index * PE_ARM_ENTRY_SIZE;
	const unsigned flag = entry[4] & 3;

	*function = (struct pe_arm_function){
		.begin = reader_little(entry) & frames->kind->address_mask,
		.word = reader_little(entry + 4) };
	if (flag == PE_ARM_XDATA)
		return read_xdata(frames, function);
	function->end = function->begin + (uint64_t)pe_arm_bits(function->word, 2, 11) *
						  frames->kind->arm->unit;
	function->no_prologue = flag == PE_ARM_FRAGMENT;
	return flag != PE_ARM_RESERVED && frames->kind->arm->unpack(function);
}

/* Finds the function that contains `address`. `*readable`: its codes can be read. */
static bool
find_function(const struct pe_frames *frames, uint64_t address, struct pe_arm_function *function,
	      uint64_t *index, bool *readable)
{
	*index = pe_frames_after(frames, address);
	*readable = false;
	if (*index == 0)
		return false;
	*readable = read_function(frames, --*index, function);
	return !*readable || address < function->end;
}

/* Codes ---------------------------------------------------------------------------------------- */

/* Bytes of the instructions for the codes from `at` to the end of the prologue or epilogue. */
static uint64_t
measure(const struct pe_arm_format *format, const struct pe_arm_function *function, size_t at,
	unsigned *last)
{
	uint64_t bytes = 0;

	*last = 0;
	while (at < function->size && !format->ends(function->codes[at], last)) {
		const struct pe_arm_code *code = pe_arm_code(format->codes, function->codes[at]);

		bytes += code->size <= function->size - at ? code->instruction : 0;
		at += code->size;
	}
	return bytes;
}

/* Undo the codes from `at` on, except those of the first `skipped` bytes of instructions. */
static void
undo_from(const struct pe_arm_format *format, struct pe_arm_undoing *undoing,
	  const struct pe_arm_function *function, size_t at, uint64_t skipped)
{
	while (at < function->size) {
		const uint8_t first = function->codes[at];
		const struct pe_arm_code *code = pe_arm_code(format->codes, first);

		if (first >= format->first_end && first <= format->last_end)
			return;
		if (code->size > function->size - at)
			break;
		if (code->instruction > 0 && skipped >= code->instruction)
			skipped -= code->instruction;
		else
			format->undo(undoing, function->codes + at);
		at += code->size;
	}
	frame_pops_fail(&undoing->pops, "the unwind codes do not end");
}

/* Rows ----------------------------------------------------------------------------------------- */

/* The codes that apply at an address. Its range of code is relative to the function's start. */
struct arm_part {
	size_t at;			/* index of the first code */
	/* Bytes of instructions that have not run or are already undone */
	uint64_t skipped;
	uint64_t first, last;
	bool unsure;			/* the flags decide whether these instructions have run */
};

static bool
read_scope(const struct pe_frames *frames, const struct pe_arm_function *function,
	   unsigned number, struct arm_scope *scope)
{
	const struct pe_arm_format *format = frames->kind->arm;
	uint32_t word;

	if (!read_word(frames, (uint64_t)function->scopes_at + number * UINT64_C(4), &word))
		return false;
	*scope = (struct arm_scope){
		.start = (uint64_t)pe_arm_bits(word, 0, 18) * format->unit,
		.index = pe_arm_bits(word, format->index, 32 - format->index),
		.conditional = format->condition < PE_ARM_NO_BIT &&
			       pe_arm_bits(word, format->condition, 4) != ALWAYS };
	return true;
}

/* The single epilogue at the end of a function, with its return. */
static struct arm_scope
last_scope(const struct pe_arm_format *format, const struct pe_arm_function *function)
{
	const uint64_t all = function->end - function->begin;
	unsigned last;
	const uint64_t own = measure(format, function, function->index, &last);

	return (struct arm_scope){ all > own + last ? all - own - last : 0, function->index,
				   false };
}

/*
 * Set the part's range to the instruction around `offset`. The codes begin at `at`. If `prologue`
 * is not 0, it is the size of a prologue. The instructions of a prologue are in the reverse order
 * of the codes. If `offset` is after the last instruction, the part is unchanged.
 */
static void
find_instruction(const struct pe_arm_format *format, const struct pe_arm_function *function,
		 size_t at, uint64_t prologue, uint64_t offset, struct arm_part *part)
{
	uint64_t done = 0;
	unsigned last;

	while (at < function->size && !format->ends(function->codes[at], &last)) {
		const struct pe_arm_code *code = pe_arm_code(format->codes, function->codes[at]);
		const unsigned own = code->instruction;
		const uint64_t from = prologue > 0 ? prologue - done - own : done;

		if (code->size > function->size - at)
			return;
		if (offset >= from && offset - from < own) {
			part->first = from;
			part->last = from + own - 1;
		}
		done += own;
		at += code->size;
	}
}

/* Whether `offset` is in the epilogue `scope`. If not, cuts the part's range at the epilogue. */
static bool
in_epilogue(const struct pe_arm_format *format, const struct pe_arm_function *function,
	    const struct arm_scope *scope, uint64_t offset, struct arm_part *part)
{
	unsigned last;
	const uint64_t own = measure(format, function, scope->index, &last), all = own + last;
	const uint64_t start = scope->start;

	if (offset >= start && offset - start < all) {
		*part = (struct arm_part){ scope->index, 0, own, all - 1,
					   scope->conditional && offset > start };
		find_instruction(format, function, scope->index, 0, offset - start, part);
		part->skipped = part->first;
		part->first += start;
		part->last += start;
		return true;
	}
	if (offset < start && start - 1 < part->last)
		part->last = start - 1;
	if (offset >= start && start + all > part->first)
		part->first = start + all;
	return false;
}

static struct arm_part
part_at(const struct pe_frames *frames, const struct pe_arm_function *function, uint64_t relative)
{
	const struct pe_arm_format *format = frames->kind->arm;
	const uint64_t offset = relative - function->begin;
	unsigned last;
	const uint64_t prologue =
		function->no_prologue ? 0 : measure(format, function, 0, &last);
	struct arm_part part = { 0, 0, prologue, function->end - function->begin - 1, false };
	struct arm_scope scope;

	if (offset < prologue) {
		find_instruction(format, function, 0, prologue, offset, &part);
		part.skipped = prologue - part.first;
		return part;
	}
	if (function->ends_with_epilogue) {
		scope = last_scope(format, function);
		in_epilogue(format, function, &scope, offset, &part);
		return part;
	}
	for (unsigned i = 0; i < function->scope_count && read_scope(frames, function, i, &scope);
	     i++)
		if (in_epilogue(format, function, &scope, offset, &part))
			return part;
	return part;
}

static const struct unwind_row *
make_row(struct pe_arm_undoing *undoing, struct unwind_row *row, const char **problem)
{
	struct frame_pops *pops = &undoing->pops;
	const int pc = pops->arch->pc, lr = pops->arch->lr, sp = pops->arch->sp;

	row->table = ".pdata";
	row->signal = undoing->interrupted;
	row->in_register = !frame_pops_has(pops, pc) && !frame_pops_has(pops, lr);
	return frame_pops_row(pops,
			      frame_pops_has(pops, sp) ? pops->values[sp]
						       : frame_pops_address(pops, 0),
			      frame_pops_value(pops, undoing->interrupted ? pc : lr), row, problem);
}

bool
pe_arm_range(const struct pe_frames *frames, uint64_t index, uint64_t *begin, uint64_t *end)
{
	struct pe_arm_function function;
	const bool readable = read_function(frames, index, &function);

	*begin = function.begin;
	*end = function.end;
	return readable;
}

const struct unwind_row *
pe_arm_find(const struct pe_frames *frames, const struct arch *arch,
	    const struct frame_table_question *question, struct arena *arena, const char **problem)
{
	struct unwind_row *row = arena_alloc(arena, sizeof(*row));
	struct pe_arm_undoing undoing = { .more = 0 };
	struct pe_arm_function function;
	uint64_t index;
	bool readable;

	if (row == NULL)
		return NULL;
	frame_pops_begin(&undoing.pops, arch, arena);
	if (!find_function(frames, question->relative, &function, &index, &readable))
		return pe_frames_leaf(frames, question, row, problem)
			       ? make_row(&undoing, row, problem) : NULL;
	if (!readable) {
		*problem = "cannot read the unwind info of the function";
		return NULL;
	}
	const struct arm_part part = part_at(frames, &function, question->relative);
	if (part.unsure)
		frame_pops_fail(&undoing.pops, "whether the epilogue here has run depends on the "
					       "processor's flags");
	row->place = reader_place(&frames->table, index * PE_ARM_ENTRY_SIZE, PE_ARM_ENTRY_SIZE);
	row->first = function.begin + part.first;
	row->last = function.begin + part.last;
	undo_from(frames->kind->arm, &undoing, &function, part.at, part.skipped);
	return make_row(&undoing, row, problem);
}

uint64_t
pe_arm_next(const struct pe_frames *frames, const struct arch *arch, uint64_t relative)
{
	struct pe_arm_function function;
	uint64_t index;
	bool readable;

	(void)arch;
	if (!find_function(frames, relative, &function, &index, &readable) || !readable)
		return relative + frames->kind->arm->unit;
	return function.begin + part_at(frames, &function, relative).last + 1;
}
