/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/pe_arm_table.h"

/* Codes of ARM64 (Microsoft, ARM64 exception handling); all instructions have 4 bytes. */
#define INSTRUCTION 4u
/* Maximum number of codes of a packed entry. */
#define MOST_PACKED 64u
/* Largest move of the stack pointer by one instruction. */
#define ONE_SUB 4080u

enum { FP = 29, LR = 30, SP = 31, PC = 32 };

/* Codes identified by their complete first byte. */
enum {
	ALLOC_Z = 0xdf, ALLOC_L, SET_FP, ADD_FP, NOP, END, END_C, SAVE_NEXT, SAVE_ANY, TRAP_FRAME,
	MACHINE_FRAME, CONTEXT, EC_CONTEXT, CLEAR_CALL, PAC_SIGN = 0xfc
};

/* Packed entries ------------------------------------------------------------------------------- */

/* Codes of a prologue in the order of its instructions; epilogues undo the last code first. */
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

/* save_regp and similar codes: each of the two bytes has two bits of the register's number. */
static void
add_save(struct arm64_prologue *prologue, unsigned base, unsigned reg, unsigned words)
{
	add_code(prologue, base | reg >> 2, (reg & 3) << 6 | words, false);
}

/* save_reg_x and save_freg_x: the second byte has 3 bits of the number, then words minus 1. */
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

/* Save x19 and up, two at a time; the first instruction lowers the stack pointer. */
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

/* Save d8 and up, `at` words above the stack pointer. */
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

/* Allocate the rest of the frame, with a frame record if the function is chained. */
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

/* The prologue that a packed entry encodes; false if its sizes are impossible. */
static bool
unpack(uint32_t word, struct arm64_prologue *prologue)
{
	const unsigned reg_f = pe_arm_bits(word, 13, 3), reg_i = pe_arm_bits(word, 16, 4),
		       cr = pe_arm_bits(word, 21, 2);
	const bool homes = pe_arm_bits(word, 20, 1) != 0, with_lr = cr == 1, chained = cr >= 2;
	const unsigned integers = (reg_i + with_lr) * 8, floats = reg_f > 0 ? (reg_f + 1) * 8 : 0;
	const unsigned saved = (integers + floats + (homes ? 64 : 0) + 15) / 16 * 16;
	const unsigned frame = pe_arm_bits(word, 23, 9) * 16;

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
		prologue->codes[prologue->count - 1].not_in_epilogue = integers + floats != 0 ||
								       i > 0;
	}
	add_locals(prologue, chained, frame - saved);
	return true;
}

static void
put_code(struct pe_arm_function *function, const struct arm64_prologue *prologue, size_t i)
{
	pe_arm_add(function, prologue->codes[i].bytes, prologue->codes[i].one_byte ? 1 : 2);
}

/* The codes that the entry would have in `.xdata`: first the prologue's, then the epilogue's. */
static bool
read_packed(struct pe_arm_function *function)
{
	static const uint8_t end = END;
	struct arm64_prologue prologue;

	if (!unpack(function->word, &prologue))
		return false;
	for (size_t i = prologue.count; i-- > 0;)
		put_code(function, &prologue, i);
	pe_arm_add(function, &end, 1);
	function->ends_with_epilogue = !function->no_prologue;
	function->index = (unsigned)function->size;
	for (size_t i = prologue.count; i-- > 0;)
		if (!prologue.codes[i].not_in_epilogue)
			put_code(function, &prologue, i);
	pe_arm_add(function, &end, 1);
	return true;
}

/* Codes ---------------------------------------------------------------------------------------- */

static const struct pe_arm_code codes[] = {
	{ 0xbf, 1, INSTRUCTION },
	{ ALLOC_Z, 2, INSTRUCTION },
	{ ALLOC_L, 4, INSTRUCTION },
	{ SET_FP, 1, INSTRUCTION },
	{ ADD_FP, 2, INSTRUCTION },
	{ SAVE_NEXT, 1, INSTRUCTION },
	{ SAVE_ANY, 3, INSTRUCTION },
	{ CLEAR_CALL, 1, 0 },
	{ 0xf7, 1, INSTRUCTION },
	{ 0xf8, 2, INSTRUCTION },	/* 0xf8 to 0xfb are reserved */
	{ 0xf9, 3, INSTRUCTION },
	{ 0xfa, 4, INSTRUCTION },
	{ 0xfb, 5, INSTRUCTION },
	{ 0xff, 1, INSTRUCTION },
};

static void
load(struct pe_arm_undoing *undoing, unsigned reg, unsigned count, int64_t distance)
{
	const unsigned all = count + undoing->more;

	for (unsigned i = 0; i < all && reg + i <= LR; i++)
		frame_pops_load(&undoing->pops, (int)(reg + i), distance + (int64_t)i * 8);
	undoing->more = 0;
}

static void
undo_any(struct pe_arm_undoing *undoing, const uint8_t *code)
{
	const bool pair = (code[1] & 0x40) != 0, lowers = (code[1] & 0x20) != 0;
	const unsigned kind = code[2] >> 6, offset = code[2] & 63;
	const unsigned unit = pair || kind == 2 || lowers ? 16 : 8;

	if ((code[1] & 0x80) != 0 || kind == 3) {
		frame_pops_fail(&undoing->pops, "an unwind code saves registers of SVE");
		return;
	}
	if (kind == 0)
		load(undoing, code[1] & 31, pair ? 2 : 1, lowers ? 0 : (int64_t)offset * unit);
	undoing->more = 0;
	if (lowers)
		undoing->pops.offset += (offset + 1) * 16;
}

/* Undo a code of a frame that the system made. */
static void
undo_frame(struct pe_arm_undoing *undoing, uint8_t code)
{
	struct frame_pops *pops = &undoing->pops;

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
		frame_pops_fail(pops, "an unwind code describes a frame that only the kernel or "
				      "emulated code has");
	}
}

/* Undo a code of two bytes: it allocates stack or saves registers. */
static void
undo_two(struct pe_arm_undoing *undoing, const uint8_t *code)
{
	struct frame_pops *pops = &undoing->pops;
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
undo_code(struct pe_arm_undoing *undoing, const uint8_t *code)
{
	struct frame_pops *pops = &undoing->pops;
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

static bool
ends(uint8_t code, unsigned *instruction)
{
	*instruction = INSTRUCTION;
	return code == END || code == END_C;
}

static const struct pe_arm_format format = {
	.unit = INSTRUCTION, .fragment = PE_ARM_NO_BIT, .epilogues = 22, .words = 27,
	.condition = PE_ARM_NO_BIT, .index = 22, .codes = codes, .ends = ends, .first_end = END,
	.last_end = END, .undo = undo_code, .unpack = read_packed,
};

const struct pe_frames_kind pe_arm64_frames = {
	PE_MACHINE_ARM64, PE_ARM_ENTRY_SIZE, UINT32_MAX, &format, pe_arm_find, pe_arm_range,
	pe_arm_next, NULL,
};
