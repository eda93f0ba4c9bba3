/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/machine.h"

#include <string.h>

/* Calls: The SPARC Architecture Manual, version 9, A.8, A.24; a delay slot follows. */

static const struct call_form sparc_forms[] = {
	{ 8, 4, 0xc0000000, 0x40000000, NULL, NULL, 30, 0 },
	{ 8, 4, 0xfff80000, 0x9fc00000, NULL, NULL, 0, 0 },	/* jmpl address, %o7 */
};

#ifdef HAVE_CAPSTONE

static const struct mnemonic sparc_mnemonics[] = {
	{ "call", CALL, 0, NULL },
	{ "ret*", RETURN, 0, NULL },
	{ "jmp*", JUMP, 0, NULL },
	{ "b* fb*", BRANCH, 0, NULL },
	{ "[su]div* fdiv*", DIVIDE, 0, NULL },
	{ "t ta unimp", TRAP, 0, NULL },
	{ "ldstub*", 0, 1, "rw" },
	{ "ld[su]b*", 0, 1, "r" },
	{ "stb*", 0, 1, "w" },
	{ "ld[su]h*", 0, 2, "r" },
	{ "sth*", 0, 2, "w" },
	{ "ld[dx]*", 0, 8, "r" },
	{ "st[dx]*", 0, 8, "w" },
	{ "casx*", 0, 8, "rw" },
	{ "ldq*", 0, 16, "r" },
	{ "stq*", 0, 16, "w" },
	{ "ld*", 0, 4, "r" },
	{ "st*", 0, 4, "w" },
	{ "swap* cas*", 0, 4, "rw" },
};

static void
sparc_operands(struct decoder *decoder)
{
	const cs_sparc *sparc = &decoder->insn->detail->sparc;

	if (strncmp(decoder->insn->mnemonic, "ba", 2) == 0)
		decoder->instruction->kinds &= ~(unsigned)INSTRUCTION_CONDITIONAL;
	for (uint8_t i = 0; i < sparc->op_count; i++) {
		const cs_sparc_op *op = &sparc->operands[i];

		/* The memory operand of a jump is its target, which is not read. */
		if (op->type == SPARC_OP_MEM && !(decoder->reads_memory || decoder->writes_memory))
			decoder_lead_register(decoder, op->mem.index == SPARC_REG_G0 &&
						     op->mem.disp == 0 ? op->mem.base : 0, false);
		else if (op->type == SPARC_OP_MEM)
			decoder_memory(decoder, op->mem.base,
				     op->mem.index != SPARC_REG_G0 ? op->mem.index : 0,
				     op->mem.disp);
		else if (op->type == SPARC_OP_IMM)
			decoder_lead(decoder, (uint64_t)op->imm);
		else if (op->type == SPARC_OP_REG)
			decoder_lead_register(decoder, op->reg, false);
	}
}

#endif

static const struct family sparc = {
	FORMS(sparc_forms),
	CAPSTONE(.arch = CS_ARCH_SPARC, .either_order = true, MNEMONICS(sparc_mnemonics),
		 .operands = sparc_operands),
};

const struct machine machine_SPARC = { &sparc, MODE(CS_MODE_V9), 0 };
const struct machine machine_SPARC32 = { &sparc, MODE(CS_MODE_V9), 0 };
