/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/sorted.h"
#include "binary/binary_internal.h"
#include "frame_table/frame_pops.h"
#include "frame_table/pe_frames.h"

/*
 * `.pdata` and `.xdata` of ARM64 (Microsoft, ARM64 exception handling): a sorted table of
 * functions. A word describes a usual prologue and epilogue, or leads to the codes of another,
 * one for each instruction. A function without an entry is a leaf. Addresses count from the
 * image's base.
 */
#define MACHINE_ARM64 0xaa64u
#define ENTRY_SIZE 8u
#define INSTRUCTION 4u
/* Words of codes, which the longest header counts in 8 bits, and codes of a packed entry. */
#define MOST_CODES (255u * 4u)
#define MOST_PACKED 64u
/* Bytes up to which one instruction moves the stack pointer. */
#define ONE_SUB 4080u

enum { FP = 29, LR = 30, SP = 31, PC = 32 };

enum { FLAG_XDATA, FLAG_PACKED, FLAG_FRAGMENT, FLAG_RESERVED };

/* Codes by their first byte, those that are compared whole. */
enum {
	ALLOC_Z = 0xdf, ALLOC_L, SET_FP, ADD_FP, NOP, END, END_C, SAVE_NEXT, SAVE_ANY, TRAP_FRAME,
	MACHINE_FRAME, CONTEXT, EC_CONTEXT, CLEAR_CALL, PAC_SIGN = 0xfc
};

/* Where a function unwinds differently: instructions [start, start + count) undo what codes say. */
struct arm64_scope {
	uint64_t start;			/* in instructions from the function's begin */
	unsigned index;			/* of the first code */
};

struct arm64_function {
	uint64_t begin, end;		/* of the code */
	uint32_t word;			/* the entry's second */
	uint8_t codes[MOST_CODES];
	size_t size;			/* of the codes */
	bool packed;
	bool no_prologue;
	uint32_t scopes_at;		/* address of the list of epilogues, if it has one */
	unsigned scope_count;
	bool ends_with_epilogue;	/* the only one; its codes begin at `index` */
	unsigned index;
};

static uint32_t
bits(uint32_t word, unsigned from, unsigned count)
{
	return word >> from & ((UINT32_C(1) << count) - 1);
}

static uint32_t
little(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static bool
read_word(const struct pe_frames *frames, uint64_t address, uint32_t *word)
{
	uint8_t bytes[4];

	if (binary_read(frames->binary, address, bytes, sizeof(bytes), NULL) < sizeof(bytes))
		return false;
	*word = little(bytes);
	return true;
}

static uint32_t
begin_of(const struct pe_frames *frames, uint64_t index)
{
	return little(frames->table.data + index * ENTRY_SIZE);
}

/* The first entry that begins behind `address`. */
static uint64_t
next_entry(const struct pe_frames *frames, uint64_t address)
{
	size_t at;

	BISECT(at, (size_t)frames->count, begin_of(frames, at) <= address);
	return at;
}

/* Packed entries ------------------------------------------------------------------------------- */

/* Codes of a prologue in the order of its instructions; epilogues undo them from the last. */
struct arm64_prologue {
	struct {
		uint8_t bytes[2];
		bool one_byte;
		bool not_in_epilogue;
	} codes[MOST_PACKED];
	size_t count;
};

static void
add_code(struct arm64_prologue *prologue, unsigned first, unsigned second, bool one_byte)
{
	if (prologue->count < MOST_PACKED) {
		prologue->codes[prologue->count].bytes[0] = (uint8_t)first;
		prologue->codes[prologue->count].bytes[1] = (uint8_t)second;
		prologue->codes[prologue->count++].one_byte = one_byte;
	}
}

/* save_regp and its like: a base, the register's number in two bits of it and two of the next. */
static void
add_save(struct arm64_prologue *prologue, unsigned base, unsigned reg, unsigned words)
{
	add_code(prologue, base | reg >> 2, (reg & 3) << 6 | words, false);
}

/* save_reg_x and save_freg_x, whose number has a bit less and whose distance counts from one. */
static void
add_save_lowering(struct arm64_prologue *prologue, unsigned base, unsigned reg, unsigned words)
{
	add_code(prologue, base | reg >> 3, (reg & 7) << 5 | (words - 1), false);
}

static void
add_allocation(struct arm64_prologue *prologue, unsigned size)
{
	add_code(prologue, 0xc0 | size / 16 >> 8, size / 16 & 0xff, false);
}

/* x19 and up, two at a time; the first instruction lowers the stack pointer. */
static void
add_integers(struct arm64_prologue *prologue, unsigned count, bool with_lr, unsigned bytes)
{
	for (unsigned reg = 0; reg < count; reg += 2) {
		const bool last = reg + 1 == count;

		if (last && with_lr && reg == 0) {
			add_allocation(prologue, bytes);
			add_code(prologue, 0xd6, 0, false);		/* save_lrpair */
		} else if (last && with_lr) {
			add_code(prologue, 0xd6 | reg / 2 >> 2, (reg / 2 & 3) << 6 | reg, false);
		} else if (last && reg == 0) {
			add_save_lowering(prologue, 0xd4, 0, bytes / 8);
		} else if (last) {
			add_save(prologue, 0xd0, reg, reg);
		} else {
			add_save(prologue, reg == 0 ? 0xcc : 0xc8, reg,
				 reg == 0 ? bytes / 8 - 1 : reg);
		}
	}
	if (with_lr && count == 0)
		add_save_lowering(prologue, 0xd4, LR - 19, bytes / 8);
	else if (with_lr && count % 2 == 0)
		add_save(prologue, 0xd0, LR - 19, count);
}

/* d8 and up, `at` words above the stack pointer. */
static void
add_floats(struct arm64_prologue *prologue, unsigned count, bool lowers, unsigned at,
	   unsigned bytes)
{
	for (unsigned reg = 0; reg < count; reg += 2) {
		const bool last = reg + 1 == count;

		if (reg == 0 && lowers && last)
			add_save_lowering(prologue, 0xde, 0, bytes / 8);
		else if (reg == 0 && lowers)
			add_save(prologue, 0xda, 0, bytes / 8 - 1);
		else
			add_save(prologue, last ? 0xdc : 0xd8, reg, at + reg);
	}
}

/* The rest of the frame, with the record of the frame pointer if it has one. */
static void
add_locals(struct arm64_prologue *prologue, bool chained, unsigned size)
{
	unsigned left = size;

	if (chained && size <= 512) {
		add_code(prologue, 0x80 | (size / 8 - 1), 0, true);	/* save_fplr_x */
	} else {
		for (; left > 0; left -= left > ONE_SUB ? ONE_SUB : left)
			add_allocation(prologue, left > ONE_SUB ? ONE_SUB : left);
		if (chained)
			add_code(prologue, 0x40, 0, true);		/* save_fplr */
	}
	if (chained) {
		add_code(prologue, SET_FP, 0, true);
		prologue->codes[prologue->count - 1].not_in_epilogue = true;
	}
}

/* The prologue that a packed entry stands for; false where its sizes cannot be. */
static bool
unpack(uint32_t word, struct arm64_prologue *prologue)
{
	const unsigned reg_f = bits(word, 13, 3), reg_i = bits(word, 16, 4), cr = bits(word, 21, 2);
	const bool homes = bits(word, 20, 1) != 0, with_lr = cr == 1, chained = cr >= 2;
	const unsigned integers = (reg_i + with_lr) * 8, floats = reg_f > 0 ? (reg_f + 1) * 8 : 0;
	const unsigned saved = (integers + floats + (homes ? 64 : 0) + 15) / 16 * 16;
	const unsigned frame = bits(word, 23, 9) * 16;

	*prologue = (struct arm64_prologue){ .count = 0 };
	if (reg_i > 10 || frame < saved || (chained && frame - saved < 16))
		return false;
	if (cr == 2)
		add_code(prologue, PAC_SIGN, 0, true);
	add_integers(prologue, reg_i, with_lr, saved);
	add_floats(prologue, floats / 8, integers == 0, integers / 8, saved);
	for (unsigned i = 0; homes && i < 4; i++) {
		if (saved > 0 && integers + floats == 0 && i == 0)
			add_allocation(prologue, saved);
		else
			add_code(prologue, NOP, 0, true);
		prologue->codes[prologue->count - 1].not_in_epilogue = integers + floats != 0 || i > 0;
	}
	add_locals(prologue, chained, frame - saved);
	return true;
}

static void
put_code(struct arm64_function *function, const struct arm64_prologue *prologue, size_t i)
{
	function->codes[function->size++] = prologue->codes[i].bytes[0];
	if (!prologue->codes[i].one_byte)
		function->codes[function->size++] = prologue->codes[i].bytes[1];
}

/* The codes that the entry would have in `.xdata`: of the prologue, then of the epilogue. */
static bool
read_packed(struct arm64_function *function, unsigned flag)
{
	struct arm64_prologue prologue;

	if (!unpack(function->word, &prologue))
		return false;
	for (size_t i = prologue.count; i-- > 0;)
		put_code(function, &prologue, i);
	function->codes[function->size++] = END;
	function->packed = true;
	function->no_prologue = flag == FLAG_FRAGMENT;
	function->ends_with_epilogue = flag == FLAG_PACKED;
	function->index = (unsigned)function->size;
	for (size_t i = prologue.count; i-- > 0;)
		if (!prologue.codes[i].not_in_epilogue)
			put_code(function, &prologue, i);
	function->codes[function->size++] = END;
	return true;
}

/* Entries with codes --------------------------------------------------------------------------- */

static bool
read_xdata(const struct pe_frames *frames, struct arm64_function *function)
{
	const uint32_t at = function->word;
	uint32_t first, second = 0;
	unsigned header = 4;

	if (!read_word(frames, at, &first) || bits(first, 18, 2) != 0)
		return false;
	function->end = function->begin + (uint64_t)bits(first, 0, 18) * INSTRUCTION;
	unsigned epilogues = bits(first, 22, 5), words = bits(first, 27, 5);
	if (epilogues == 0 && words == 0) {
		if (!read_word(frames, at + 4, &second))
			return false;
		header = 8;
		epilogues = bits(second, 0, 16);
		words = bits(second, 16, 8);
	}
	function->ends_with_epilogue = bits(first, 21, 1) != 0;
	function->index = function->ends_with_epilogue ? epilogues : 0;
	function->scope_count = function->ends_with_epilogue ? 0 : epilogues;
	function->scopes_at = at + header;
	function->size = (size_t)words * 4;
	return binary_read(frames->binary,
			   (uint64_t)at + header + (uint64_t)function->scope_count * 4,
			   function->codes, function->size, NULL) == function->size;
}

static bool
read_function(const struct pe_frames *frames, uint64_t index, struct arm64_function *function)
{
	const uint8_t *entry = frames->table.data + index * ENTRY_SIZE;
	const unsigned flag = entry[4] & 3;

	*function = (struct arm64_function){ .begin = little(entry), .word = little(entry + 4) };
	if (flag == FLAG_XDATA)
		return read_xdata(frames, function);
	function->end = function->begin + (uint64_t)bits(function->word, 2, 11) * INSTRUCTION;
	return flag != FLAG_RESERVED && read_packed(function, flag);
}

/* The function that `address` is in; its codes may be unreadable, as `*readable` tells. */
static bool
find_function(const struct pe_frames *frames, uint64_t address, struct arm64_function *function,
	      uint64_t *index, bool *readable)
{
	*index = next_entry(frames, address);
	*readable = false;
	if (*index == 0)
		return false;
	*readable = read_function(frames, --*index, function);
	return !*readable || address < function->end;
}

/* Codes ---------------------------------------------------------------------------------------- */

static size_t
code_size(uint8_t first)
{
	static const uint8_t reserved[4] = { 2, 3, 4, 5 };

	return first < 0xc0 ? 1
	       : first <= ALLOC_Z ? 2
	       : first == ALLOC_L ? 4
	       : first == ADD_FP ? 2
	       : first == SAVE_ANY ? 3
	       : first >= 0xf8 && first <= 0xfb ? reserved[first - 0xf8] : 1;
}

/* Undoing the codes of one address. */
struct arm64_undoing {
	struct frame_pops *pops;
	unsigned more;			/* registers that the next save has besides */
	bool interrupted;		/* the frame that is left was, by the processor */
};

/* Load x registers side by side; `with_lr`: the second is lr. */
static void
load(struct arm64_undoing *undoing, unsigned reg, unsigned count, int64_t distance)
{
	const unsigned all = count + undoing->more;

	for (unsigned i = 0; i < all && reg + i <= LR; i++)
		frame_pops_load(undoing->pops, (int)(reg + i), distance + (int64_t)i * 8);
	undoing->more = 0;
}

static void
undo_any(struct arm64_undoing *undoing, const uint8_t *code)
{
	const bool pair = (code[1] & 0x40) != 0, lowers = (code[1] & 0x20) != 0;
	const unsigned kind = code[2] >> 6, offset = code[2] & 63;
	const unsigned unit = pair || kind == 2 || lowers ? 16 : 8;

	if ((code[1] & 0x80) != 0 || kind == 3) {
		frame_pops_fail(undoing->pops, "an unwind code saves registers of SVE");
		return;
	}
	if (kind == 0)
		load(undoing, code[1] & 31, pair ? 2 : 1, lowers ? 0 : (int64_t)offset * unit);
	undoing->more = 0;
	if (lowers)
		undoing->pops->offset += (offset + 1) * 16;
}

/* Codes that stand for frames which the system made. */
static void
undo_frame(struct arm64_undoing *undoing, uint8_t code)
{
	struct frame_pops *pops = undoing->pops;

	if (code == MACHINE_FRAME) {
		frame_pops_load(pops, PC, 8);
		frame_pops_load(pops, SP, 0);
		undoing->interrupted = true;
	} else if (code == CONTEXT) {		/* CONTEXT of winnt.h */
		for (int reg = 0; reg <= LR; reg++)
			frame_pops_load(pops, reg, 8 + reg * 8);
		frame_pops_load(pops, SP, 256);
		frame_pops_load(pops, PC, 264);
		undoing->interrupted = true;
	} else if (code != CLEAR_CALL) {
		frame_pops_fail(pops, "an unwind code is of a frame that only the kernel or "
				      "emulated code has");
	}
}

/* Codes of two bytes: stack and pairs of registers. */
static void
undo_two(struct arm64_undoing *undoing, const uint8_t *code)
{
	struct frame_pops *pops = undoing->pops;
	const unsigned value = (unsigned)code[0] << 8 | code[1];
	const unsigned reg = value >> 6 & 15, at = value & 63;

	if (code[0] < 0xc8) {					/* alloc_m */
		pops->offset += (int64_t)(value & 0x7ff) * 16;
	} else if (code[0] < 0xcc) {				/* save_regp */
		load(undoing, 19 + reg, 2, (int64_t)at * 8);
	} else if (code[0] < 0xd0) {				/* save_regp_x */
		load(undoing, 19 + reg, 2, 0);
		pops->offset += (int64_t)(at + 1) * 8;
	} else if (code[0] < 0xd4) {				/* save_reg */
		load(undoing, 19 + reg, 1, (int64_t)at * 8);
	} else if (code[0] < 0xd6) {				/* save_reg_x */
		load(undoing, 19 + (value >> 5 & 15), 1, 0);
		pops->offset += (int64_t)((value & 31) + 1) * 8;
	} else if (code[0] < 0xd8) {				/* save_lrpair */
		load(undoing, 19 + 2 * (reg & 7), 1, (int64_t)at * 8);
		frame_pops_load(pops, LR, (int64_t)at * 8 + 8);
	} else if (code[0] == 0xda || code[0] == 0xdb) {	/* save_fregp_x */
		pops->offset += (int64_t)(at + 1) * 8;
	} else if (code[0] == 0xde) {				/* save_freg_x */
		pops->offset += (int64_t)((value & 31) + 1) * 8;
	} else if (code[0] == ALLOC_Z) {
		frame_pops_fail(pops, "the frame's size depends on the length of SVE registers, "
				      "which the dump does not have");
	}
}

static void
undo_code(struct arm64_undoing *undoing, const uint8_t *code)
{
	struct frame_pops *pops = undoing->pops;
	const unsigned low = code[0] & 63;

	if (code[0] < 0x20) {					/* alloc_s */
		pops->offset += (int64_t)low * 16;
	} else if (code[0] < 0x40) {				/* save_r19r20_x */
		load(undoing, 19, 2, 0);
		pops->offset += (int64_t)(low & 31) * 8;
	} else if (code[0] < 0x80) {				/* save_fplr */
		load(undoing, FP, 2, (int64_t)low * 8);
	} else if (code[0] < 0xc0) {				/* save_fplr_x */
		load(undoing, FP, 2, 0);
		pops->offset += (int64_t)(low + 1) * 8;
	} else if (code[0] <= ALLOC_Z) {
		undo_two(undoing, code);
		undoing->more = 0;
	} else if (code[0] == ALLOC_L) {
		pops->offset += (int64_t)(code[1] << 16 | code[2] << 8 | code[3]) * 16;
	} else if (code[0] == SET_FP) {
		frame_pops_move(pops, FP, 0);
	} else if (code[0] == ADD_FP) {
		frame_pops_move(pops, FP, -(int64_t)code[1] * 8);
	} else if (code[0] == SAVE_NEXT) {
		undoing->more += 2;
	} else if (code[0] == SAVE_ANY) {
		undo_any(undoing, code);
	} else if (code[0] >= TRAP_FRAME && code[0] <= CLEAR_CALL) {
		undo_frame(undoing, code[0]);
	} else if (code[0] != NOP && code[0] != END_C && code[0] != PAC_SIGN) {
		frame_pops_fail(pops, "an unwind code is reserved");
	}
}

/* Whether a code is of a frame of the system, which no instruction made. */
static bool
is_custom(uint8_t code)
{
	return code >= TRAP_FRAME && code <= CLEAR_CALL;
}

/* How many instructions the codes from `at` on stand for, up to the end of their part. */
static unsigned
count_codes(const struct arm64_function *function, size_t at)
{
	unsigned count = 0;

	for (; at < function->size && function->codes[at] != END && function->codes[at] != END_C;
	     at += code_size(function->codes[at]))
		count += !is_custom(function->codes[at]);
	return count;
}

/* Undo the codes from `at` on but for the first `skipped` instructions. */
static void
undo_from(struct arm64_undoing *undoing, const struct arm64_function *function, size_t at,
	  unsigned skipped)
{
	for (; at < function->size && function->codes[at] != END;
	     at += code_size(function->codes[at])) {
		if (code_size(function->codes[at]) > function->size - at)
			break;
		if (skipped > 0 && !is_custom(function->codes[at]))
			skipped--;
		else
			undo_code(undoing, function->codes + at);
	}
	if (at >= function->size || function->codes[at] != END)
		frame_pops_fail(undoing->pops, "the unwind codes do not end");
}

/* Rows ----------------------------------------------------------------------------------------- */

/* The codes in force at an instruction, and the instructions that they hold for. */
struct arm64_part {
	size_t at;			/* the first code */
	unsigned skipped;		/* instructions that have not run yet, or have been undone */
	uint64_t first, last;		/* in instructions */
};

static bool
read_scope(const struct pe_frames *frames, const struct arm64_function *function,
	   unsigned number, struct arm64_scope *scope)
{
	uint32_t word;

	if (!read_word(frames, (uint64_t)function->scopes_at + number * UINT64_C(4), &word))
		return false;
	*scope = (struct arm64_scope){ bits(word, 0, 18), bits(word, 22, 10) };
	return true;
}

/* The one epilogue at the end of a function, with its return. */
static struct arm64_scope
last_scope(const struct arm64_function *function)
{
	const uint64_t all = (function->end - function->begin) / INSTRUCTION;
	const uint64_t own = (uint64_t)count_codes(function, function->index) + 1;

	return (struct arm64_scope){ all > own ? all - own : 0, function->index };
}

/* Whether the instruction is in an epilogue; else what lies before and behind bounds the part. */
static bool
in_epilogue(const struct arm64_function *function, const struct arm64_scope *scope,
	    uint64_t instruction, struct arm64_part *part)
{
	const uint64_t count = count_codes(function, scope->index);

	if (instruction >= scope->start && instruction <= scope->start + count) {
		*part = (struct arm64_part){ scope->index, (unsigned)(instruction - scope->start),
				       instruction, instruction };
		return true;
	}
	if (instruction < scope->start && scope->start - 1 < part->last)
		part->last = scope->start - 1;
	if (instruction > scope->start + count && scope->start + count + 1 > part->first)
		part->first = scope->start + count + 1;
	return false;
}

static struct arm64_part
part_at(const struct pe_frames *frames, const struct arm64_function *function,
	uint64_t instruction)
{
	const unsigned prologue = function->no_prologue ? 0 : count_codes(function, 0);
	struct arm64_part part = { 0, 0, prologue, (function->end - function->begin) / INSTRUCTION - 1 };
	struct arm64_scope scope = last_scope(function);

	if (instruction < prologue)
		return (struct arm64_part){ 0, prologue - (unsigned)instruction, instruction,
				      instruction };
	if (function->ends_with_epilogue && in_epilogue(function, &scope, instruction, &part))
		return part;
	for (unsigned i = 0; i < function->scope_count && read_scope(frames, function, i, &scope); i++)
		if (in_epilogue(function, &scope, instruction, &part))
			return part;
	return part;
}

static const struct frame_table_row *
make_row(struct arm64_undoing *undoing, struct frame_table_row *row, const char **problem)
{
	struct frame_pops *pops = undoing->pops;

	row->table = ".pdata";
	row->signal = undoing->interrupted;
	row->in_register = pops->values[PC] == NULL && pops->values[LR] == NULL;
	row->return_address = (struct frame_table_rule){
		.reg = PC, .expression = frame_pops_value(pops, undoing->interrupted ? PC : LR) };
	row->cfa = (struct frame_table_rule){
		.reg = ARCH_NO_REGISTER, .expression = pops->values[SP] != NULL
							       ? pops->values[SP]
							       : frame_pops_address(pops, 0) };
	frame_pops_rules(pops, row);
	if (pops->cannot == NULL)
		return row;
	*problem = pops->cannot;
	return NULL;
}

/* What no entry covers belongs to leaves as far as it is code. */
static void
extent_of(const struct pe_frames *frames, uint64_t relative, struct frame_extent *extent)
{
	struct arm64_function function;
	uint64_t index;
	bool readable;

	*extent = (struct frame_extent){ .first = relative, .last = UINT64_MAX };
	extent->entry = find_function(frames, relative, &function, &index, &readable) && readable;
	if (extent->entry) {
		extent->first = function.begin;
		extent->last = function.end - 1;
	} else if ((index = next_entry(frames, relative)) < frames->count) {
		extent->last = (uint64_t)begin_of(frames, index) - 1;
	}
}

/* A leaf's row holds for the gap in the table that it lies in. */
static const struct frame_table_row *
make_leaf(const struct pe_frames *frames, const struct frame_table_question *question,
	  struct arm64_undoing *undoing, struct frame_table_row *row, const char **problem)
{
	const struct binary_segment *segment = binary_segment(frames->binary, question->relative);
	const uint64_t next = next_entry(frames, question->relative);
	struct arm64_function before;

	if (segment == NULL || !segment->executable)
		return NULL;
	if (!question->exact) {
		*problem = "no entry covers the address, as for a leaf function, but the function "
			   "has made a call";
		return NULL;
	}
	row->first = segment->address;
	row->last = segment->address + segment->size - 1;
	if (next > 0 && read_function(frames, next - 1, &before) && before.end > row->first)
		row->first = before.end;
	if (next < frames->count && begin_of(frames, next) - UINT64_C(1) < row->last)
		row->last = begin_of(frames, next) - UINT64_C(1);
	row->place = reader_place(&frames->table, 0, 0);
	return make_row(undoing, row, problem);
}

static const struct frame_table_row *
find(const struct pe_frames *frames, const struct arch *arch,
     const struct frame_table_question *question, struct arena *arena, const char **problem)
{
	struct frame_table_row *row = arena_alloc(arena, sizeof(*row));
	struct frame_pops pops;
	struct arm64_undoing undoing = { .pops = &pops };
	struct arm64_function function;
	uint64_t index;
	bool readable;

	if (row == NULL)
		return NULL;
	frame_pops_begin(&pops, arch, arena);
	if (!find_function(frames, question->relative, &function, &index, &readable))
		return make_leaf(frames, question, &undoing, row, problem);
	if (!readable) {
		*problem = "cannot read the unwind info of the function";
		return NULL;
	}
	const struct arm64_part part =
		part_at(frames, &function, (question->relative - function.begin) / INSTRUCTION);
	row->place = reader_place(&frames->table, index * ENTRY_SIZE, ENTRY_SIZE);
	row->first = function.begin + part.first * INSTRUCTION;
	row->last = function.begin + (part.last + 1) * INSTRUCTION - 1;
	undo_from(&undoing, &function, part.at, part.skipped);
	return make_row(&undoing, row, problem);
}

static uint64_t
next_of(const struct pe_frames *frames, const struct arch *arch, uint64_t relative)
{
	struct arm64_function function;
	uint64_t index;
	bool readable;

	(void)arch;
	if (!find_function(frames, relative, &function, &index, &readable) || !readable)
		return relative + INSTRUCTION;
	return function.begin +
	       (part_at(frames, &function, (relative - function.begin) / INSTRUCTION).last + 1) *
		       INSTRUCTION;
}

/* Parts of a function have entries of their own, which do not say whose they are. */
static void
whole_of(const struct pe_frames *frames, uint64_t relative, struct pe_whole *whole)
{
	struct arm64_function function;
	uint64_t index;
	bool readable;

	*whole = (struct pe_whole){ 0 };
	if (find_function(frames, relative, &function, &index, &readable) && readable)
		*whole = (struct pe_whole){ true, function.begin };
	else if (index < frames->count && readable && function.end <= relative)
		whole->begin = function.end;
}

const struct pe_frames_kind pe_arm64_frames = {
	MACHINE_ARM64, ENTRY_SIZE, find, extent_of, next_of, whole_of,
};
