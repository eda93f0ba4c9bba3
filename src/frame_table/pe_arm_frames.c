/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/pe_arm_table.h"

/* Unwind codes of ARM (Microsoft, ARM exception handling). Instructions are Thumb: 2 or 4 bytes. */
/* From this value on, a packed entry adjusts the stack by pushing or popping extra registers. */
#define FOLDED 0x3f4u
/* Exclusive bound of the words by which one short instruction moves the stack pointer. */
#define SHORT_WORDS 0x80u

enum { FP = 11, LR = 14, PC = 15 };
enum { LOW_REGISTERS = 0xff, FIRST_FOUR = 0xf, LR_BIT = 1u << LR };

/* Codes identified by their complete first byte. */
enum {
	MICROSOFT = 0xee, LOAD_LR, VPOP = 0xf5, VPOP_HIGH, ADD_16, ADD_24, ADD_WIDE_16, ADD_WIDE_24,
	NOP, NOP_WIDE, END_NOP, END_NOP_WIDE, END
};

static const struct pe_arm_code codes[] = {
	{ 0x7f, 1, 2 },		/* add sp */
	{ 0xbf, 2, 4 },		/* pop by a mask of r0 to r12 and lr */
	{ 0xcf, 1, 2 },		/* mov sp */
	{ 0xd7, 1, 2 },		/* pop r4 to r7 */
	{ 0xdf, 1, 4 },		/* pop r4 to r11 */
	{ 0xe7, 1, 4 },		/* vpop d8 to d15 */
	{ 0xeb, 2, 4 },		/* addw sp */
	{ 0xed, 2, 2 },		/* pop by a mask of r0 to r7 and lr */
	{ MICROSOFT, 2, 0 },
	{ LOAD_LR, 2, 4 },
	{ 0xf4, 1, 0 },		/* reserved */
	{ VPOP_HIGH, 2, 4 },
	{ ADD_16, 3, 2 },
	{ ADD_24, 4, 2 },
	{ ADD_WIDE_16, 3, 4 },
	{ ADD_WIDE_24, 4, 4 },
	{ NOP, 1, 2 },
	{ NOP_WIDE, 1, 4 },
	{ END, 1, 0 },
};

static bool
ends(uint8_t code, unsigned *instruction)
{
	*instruction = code == END_NOP ? 2 : code == END_NOP_WIDE ? 4 : 0;
	return code >= END_NOP;
}

/* Packed entries ------------------------------------------------------------------------------- */

static void
add_two(struct pe_arm_function *function, unsigned first, unsigned second)
{
	pe_arm_add(function, (const uint8_t[]){ (uint8_t)first, (uint8_t)second }, 2);
}

static void
add_one(struct pe_arm_function *function, unsigned code)
{
	pe_arm_add(function, (const uint8_t[]){ (uint8_t)code }, 1);
}

/*
 * Add a push or pop of registers. A short instruction takes only low registers; a short push also
 * takes lr, and a short pop takes pc.
 */
static void
add_registers(struct pe_arm_function *function, unsigned mask, bool pops_lr)
{
	const unsigned lr = (mask & LR_BIT) != 0;

	if ((mask & ~(unsigned)(LOW_REGISTERS | (pops_lr ? 0 : LR_BIT))) == 0)
		add_two(function, 0xec | lr, mask & LOW_REGISTERS);
	else
		add_two(function, 0x80 | lr << 5 | (mask >> 8 & 0x1f), mask & 0xff);
}

static void
add_move(struct pe_arm_function *function, unsigned words)
{
	if (words == 0)
		return;
	if (words < SHORT_WORDS)
		add_one(function, words);
	else
		add_two(function, 0xe8 | words >> 8, words & 0xff);
}

/* The fields of a packed word, with Microsoft's names. */
struct arm_packed {
	unsigned ret, reg, words;
	bool h, r, l, c;
	bool prologue_folded, epilogue_folded;
	unsigned registers;		/* mask of pushed registers, except the folded ones */
	unsigned folded;
};

static struct arm_packed
read_fields(uint32_t word)
{
	const unsigned adjust = pe_arm_bits(word, 22, 10);
	struct arm_packed packed = {
		.ret = pe_arm_bits(word, 13, 2), .h = pe_arm_bits(word, 15, 1) != 0,
		.reg = pe_arm_bits(word, 16, 3), .r = pe_arm_bits(word, 19, 1) != 0,
		.l = pe_arm_bits(word, 20, 1) != 0, .c = pe_arm_bits(word, 21, 1) != 0,
		.words = adjust };

	if (adjust >= FOLDED) {
		packed.prologue_folded = (adjust & 4) != 0;
		packed.epilogue_folded = (adjust & 8) != 0;
		packed.words = (adjust & 3) + 1;
		packed.folded = FIRST_FOUR & FIRST_FOUR << (~adjust & 3);
	}
	if (!packed.r)
		packed.registers = ((2u << (packed.reg + 4)) - 1) & ~(unsigned)FIRST_FOUR;
	if (packed.c)
		packed.registers |= 1u << FP;
	if (packed.l)
		packed.registers |= LR_BIT;
	return packed;
}

static void
add_epilogue(struct pe_arm_function *function, const struct arm_packed *packed)
{
	const bool floats = packed->r && packed->reg != 7;
	const bool loads_pc = packed->l && packed->ret == 0;
	unsigned registers = packed->registers & ~(loads_pc && packed->h ? LR_BIT : 0u);

	if (!packed->epilogue_folded)
		add_move(function, packed->words);
	else
		registers |= packed->folded;
	if (floats)
		add_one(function, 0xe0 | packed->reg);
	if (registers != 0)
		add_registers(function, registers, !loads_pc);
	if (packed->h && loads_pc)
		add_two(function, LOAD_LR, 5);
	else if (packed->h)
		add_one(function, 4);
	add_one(function, packed->ret == 1 ? END_NOP : packed->ret == 2 ? END_NOP_WIDE : END);
}

/* The codes that the entry would have in `.xdata`: first the prologue's, then the epilogue's. */
static bool
read_packed(struct pe_arm_function *function)
{
	const struct arm_packed packed = read_fields(function->word);
	const unsigned registers =
		packed.registers | (packed.prologue_folded ? packed.folded : 0);

	if ((packed.c && !packed.l) || (packed.ret == 0 && !packed.l))
		return false;
	if (!packed.prologue_folded)
		add_move(function, packed.words);
	if (packed.r && packed.reg != 7)
		add_one(function, 0xe0 | packed.reg);
	/* Set the frame pointer to its save slot: by mov if the slot is on top, else by add. */
	if (packed.c)
		add_one(function, (registers & ((1u << FP) - 1)) != 0 ? NOP_WIDE : NOP);
	if (registers != 0)
		add_registers(function, registers, false);
	if (packed.h)
		add_one(function, 4);
	add_one(function, END);
	function->ends_with_epilogue = !function->no_prologue && packed.ret != 3;
	function->index = (unsigned)function->size;
	add_epilogue(function, &packed);
	return true;
}

/* Codes ---------------------------------------------------------------------------------------- */

/*
 * Skip the words of registers that calls may change. They are pushed to make room or as arguments,
 * so these words are not the caller's values.
 */
static void
pop_mask(struct frame_pops *pops, unsigned mask)
{
	for (int reg = 0; mask >> reg != 0; reg++) {
		if ((mask >> reg & 1) == 0)
			continue;
		if (reg > 3 && reg != 12)
			frame_pops_pop(pops, reg);
		else
			pops->offset += 4;
	}
}

/* Pop r4 to r`last`, and lr if bit 2 of the code is set. */
static void
pop_run(struct frame_pops *pops, unsigned code, unsigned last)
{
	pop_mask(pops,
		 (((2u << last) - 1) & ~(unsigned)FIRST_FOUR) | ((code & 4) != 0 ? LR_BIT : 0));
}

static uint32_t
operand(const uint8_t *code, size_t size)
{
	uint32_t value = 0;

	for (size_t i = 1; i < size; i++)
		value = value << 8 | code[i];
	return value;
}

/* Undo one of Microsoft's own codes, which describe frames that the system made. */
static void
undo_frame(struct pe_arm_undoing *undoing, unsigned kind)
{
	struct frame_pops *pops = &undoing->pops;

	if (kind == 1) {			/* a machine frame: sp, pc */
		frame_pops_load(pops, PC, 4);
		frame_pops_load(pops, pops->arch->sp, 0);
	} else if (kind == 2) {			/* CONTEXT of winnt.h */
		for (int reg = 0; reg <= PC; reg++)
			frame_pops_load(pops, reg, 4 + reg * 4);
	} else {
		frame_pops_fail(pops, "an unwind code is reserved");
	}
	undoing->interrupted = true;
}

/* Undo a code from e8 on, with its operand. */
static void
undo_high(struct pe_arm_undoing *undoing, const uint8_t *code)
{
	struct frame_pops *pops = &undoing->pops;
	const uint32_t value = operand(code, pe_arm_code(codes, code[0])->size);

	if (code[0] < 0xec) {
		pops->offset += (int64_t)((code[0] & 3u) << 8 | value) * 4;
	} else if (code[0] < MICROSOFT) {
		pop_mask(pops, value | ((code[0] & 1) != 0 ? LR_BIT : 0));
	} else if (code[0] == MICROSOFT) {
		undo_frame(undoing, value);
	} else if (code[0] == LOAD_LR && value < 16) {
		frame_pops_load(pops, LR, 0);
		pops->offset += (int64_t)value * 4;
	} else if ((code[0] == VPOP || code[0] == VPOP_HIGH) && value >> 4 <= (value & 15)) {
		pops->offset += ((int64_t)(value & 15) - (value >> 4) + 1) * 8;
	} else if (code[0] >= ADD_16 && code[0] <= ADD_WIDE_24) {
		pops->offset += (int64_t)value * 4;
	} else if (code[0] != NOP && code[0] != NOP_WIDE) {
		frame_pops_fail(pops, "an unwind code is reserved");
	}
}

static void
undo_code(struct pe_arm_undoing *undoing, const uint8_t *code)
{
	struct frame_pops *pops = &undoing->pops;
	const unsigned first = code[0];

	if (undoing->interrupted)
		frame_pops_fail(pops, "unwind codes follow the code of an interrupted frame");
	else if (first < 0x80)
		pops->offset += (int64_t)first * 4;
	else if (first < 0xc0)
		pop_mask(pops, (first & 0x1f) << 8 | code[1] | ((first & 0x20) != 0 ? LR_BIT : 0));
	else if (first < 0xd0)
		frame_pops_move(pops, (int)(first & 15), 0);
	else if (first < 0xe0)
		pop_run(pops, first, (first & 3) + (first < 0xd8 ? 4 : 8));
	else if (first < 0xe8)
		pops->offset += (int64_t)(first & 7) * 8 + 8;
	else
		undo_high(undoing, code);
}

static const struct pe_arm_format format = {
	.unit = 2, .fragment = 22, .epilogues = 23, .words = 28, .condition = 20, .index = 24,
	.codes = codes, .ends = ends, .first_end = END_NOP, .last_end = END,
	.undo = undo_code, .unpack = read_packed,
};

const struct pe_frames_kind pe_arm_frames = {
	PE_MACHINE_ARM, PE_ARM_ENTRY_SIZE, UINT32_MAX - 1 /* bit 0: Thumb */, &format, pe_arm_find,
	pe_arm_range, pe_arm_next, NULL,
};
