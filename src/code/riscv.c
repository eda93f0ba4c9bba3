/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/machine.h"

#include <string.h>

/* Calls: The RISC-V Instruction Set Manual, volume I, 2.5 and 27.5. */

static uint64_t
riscv_jal(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return address + checked_extend(code_bit(word, 31, 20) | (word >> 12 & 0xff) << 12 |
				     code_bit(word, 20, 11) | (word >> 21 & 0x3ff) << 1, 21);
}

/* `auipc reg` before `jalr ra, reg`: the pair that assemblers write for a far call. */
static bool
riscv_is_pair(const struct code *code, uint32_t word)
{
	uint32_t before = code->count >= 8 ? code_word(code, 8) : 0;

	return (before & 0x7f) == 0x17 && (before >> 7 & 0x1f) == (word >> 15 & 0x1f) &&
	       (before >> 7 & 0x1f) != 0;
}

static uint64_t
riscv_pair(const struct code *code, uint32_t word, uint64_t address)
{
	uint32_t before = code_word(code, 8);

	return address - 4 + checked_extend(before & 0xfffff000, 32) +
	       checked_extend(word >> 20, 12);
}

static bool
riscv_names_register(const struct code *code, uint32_t word)
{
	(void)code;
	return (word >> 7 & 0x1f) != 0;
}

/* On riscv64 these bits are another instruction. */
static bool
riscv_is_32(const struct code *code, uint32_t word)
{
	(void)word;
	return code->arch->word_size == 4;
}

static uint64_t
riscv_c_jal(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return address + checked_extend(code_bit(word, 12, 11) | code_bit(word, 11, 4) |
				     (word >> 9 & 3) << 8 | code_bit(word, 8, 10) |
				     code_bit(word, 7, 6) | code_bit(word, 6, 7) |
				     (word >> 3 & 7) << 1 | code_bit(word, 2, 5), 12);
}

static const struct call_form riscv_forms[] = {
	{ 4, 4, 0x00007fff, 0x000000e7, riscv_is_pair, riscv_pair, 0, 0 },
	{ 4, 4, 0x00000fff, 0x000000ef, NULL, riscv_jal, 0, 0 },
	{ 4, 4, 0x00007fff, 0x000000e7, NULL, NULL, 0, 0 },		/* jalr ra */
	{ 2, 2, 0xf07f, 0x9002, riscv_names_register, NULL, 0, 0 },	/* c.jalr */
	{ 2, 2, 0xe003, 0x2001, riscv_is_32, riscv_c_jal, 0, 0 },
};

/* capstone supports RISC-V since version 5. */
#if defined(HAVE_CAPSTONE) && CS_API_MAJOR >= 5

static const struct mnemonic riscv_mnemonics[] = {
	{ "c.jal* jal*", CALL, 0, NULL },
	{ "ret", RETURN, 0, NULL },
	{ "c.jr jr c.j j", JUMP, 0, NULL },
	{ "b[egln]* c.b*", BRANCH, 0, NULL },
	{ "*ebreak *unimp", TRAP, 0, NULL },
	{ "ecall", SYSTEM, 0, NULL },
	{ "[msu]ret wfi", SUPERVISOR, 0, NULL },
	{ "lb lbu", 0, 1, "r" },
	{ "sb", 0, 1, "w" },
	{ "lh lhu", 0, 2, "r" },
	{ "sh", 0, 2, "w" },
	{ "lw lwu flw lr.w* c.[lf]lw* c.lw*", 0, 4, "r" },
	{ "sw fsw sc.w* c.sw* c.fsw*", 0, 4, "w" },
	{ "ld fld lr.d* c.*ld*", 0, 8, "r" },
	{ "sd fsd sc.d* c.*sd*", 0, 8, "w" },
	{ "amo*.w*", 0, 4, "rw" },
	{ "amo*.d*", 0, 8, "rw" },
};

static const struct spelling riscv_spellings[] = {
	{ "fp", "s0", NULL },
};

static void
riscv_operands(struct decoder *decoder)
{
	const cs_riscv *riscv = &decoder->insn->detail->riscv;

	for (uint8_t i = 0; i < riscv->op_count; i++) {
		const cs_riscv_op *op = &riscv->operands[i];

		/* The distance of a branch is relative to its own address. */
		if (op->type == RISCV_OP_MEM)
			decoder_memory(decoder, op->mem.base, 0, op->mem.disp);
		else if (op->type == RISCV_OP_IMM)
			decoder_lead(decoder, decoder->insn->address + (uint64_t)op->imm);
		else if (op->type == RISCV_OP_REG)
			decoder_lead_register(decoder, op->reg, true);
	}
	if (strstr(decoder->name, "jalr") != NULL || strstr(decoder->name, "jr") != NULL)
		decoder->instruction->has_target = false;
}

#else
#undef CAPSTONE
#undef MODE
#define CAPSTONE(...) .known = false
#define MODE(mode) 0
#endif

static const struct family riscv = {
	FORMS(riscv_forms),
	.little_endian = true,
	CAPSTONE(.arch = CS_ARCH_RISCV, MNEMONICS(riscv_mnemonics), SPELLINGS(riscv_spellings),
		 .operands = riscv_operands),
};

const struct machine machine_RISCV64 = { &riscv, MODE(CS_MODE_RISCVC | CS_MODE_RISCV64), 0 };
const struct machine machine_RISCV = { &riscv, MODE(CS_MODE_RISCVC | CS_MODE_RISCV32), 0 };
