/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/machine.h"

/* Calls: MIPS Architecture for Programmers II, before release 6; a delay slot follows. */

static uint64_t
mips_jal(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return ((address + 4) & ~(uint64_t)0x0fffffff) | (uint64_t)(word & 0x03ffffff) << 2;
}

static const struct call_form mips_forms[] = {
	{ 8, 4, 0xfc000000, 0x0c000000, NULL, mips_jal, 0, 0 },
	{ 8, 4, 0xfc000000, 0x74000000, NULL, mips_jal, 0, 0 },	/* jalx */
	{ 8, 4, 0xfc1ff83f, 0x0000f809, NULL, NULL, 0, 0 },		/* jalr $ra, reg */
	{ 8, 4, 0xfc1c0000, 0x04100000, NULL, NULL, 16, 4 },	/* bltzal, bgezal, ...l; bal */
};

static struct call_site
mips_call(const struct code *code)
{
	/* An odd address is code of MIPS16 or microMIPS. */
	if ((code->address & 1) != 0)
		return (struct call_site){ .answer = CALL_UNKNOWN };
	return call_match(code, mips_forms, ARRAY_COUNT(mips_forms), false);
}

#ifdef HAVE_CAPSTONE

static const struct mnemonic mips_mnemonics[] = {
	{ "jal* bal* b*zal*", CALL, 0, NULL },
	{ "j jr* b", JUMP, 0, NULL },
	{ "break", TRAP, 0, NULL },
	{ "b[gl][et]* beq* bne* bc1*", BRANCH, 0, NULL },
	{ "div* ddiv*", DIVIDE, 0, NULL },
	{ "t[gl][et]* teq* tne*", TRAP, 0, NULL },
	{ "syscall", SYSTEM, 0, NULL },
	{ "lb lbu", 0, 1, "r" },
	{ "sb", 0, 1, "w" },
	{ "lh lhu", 0, 2, "r" },
	{ "sh", 0, 2, "w" },
	{ "lw* ll", 0, 4, "r" },
	{ "sw* sc", 0, 4, "w" },
	{ "ld* lld", 0, 8, "r" },
	{ "sd* scd", 0, 8, "w" },
};

static const struct spelling mips_spellings[] = {
	{ "s8", "fp", NULL },
};

static void
mips_operands(struct decoder *decoder)
{
	const cs_mips *mips = &decoder->insn->detail->mips;

	for (uint8_t i = 0; i < mips->op_count; i++) {
		const cs_mips_op *op = &mips->operands[i];

		if (op->type == MIPS_OP_MEM)
			decoder_memory(decoder, op->mem.base, 0, op->mem.disp);
		else if (op->type == MIPS_OP_IMM)
			decoder_lead(decoder, (uint64_t)op->imm);
		else if (op->type == MIPS_OP_REG)
			decoder_lead_register(decoder, op->reg, true);
	}
}

#endif

static const struct family mips = {
	.call = mips_call,
	CAPSTONE(.arch = CS_ARCH_MIPS, .either_order = true, MNEMONICS(mips_mnemonics),
		 SPELLINGS(mips_spellings), .operands = mips_operands),
};

const struct machine machine_MIPS = { &mips, MODE(CS_MODE_MIPS32), 0 };
const struct machine machine_MIPS64 = { &mips, MODE(CS_MODE_MIPS64), 0 };
