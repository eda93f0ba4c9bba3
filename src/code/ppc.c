/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/machine.h"

#include <string.h>

/* Calls: Power ISA, book I, 2.4. */

static uint64_t
ppc_target(const struct code *code, uint32_t word, uint64_t address)
{
	/* bl has 26 bits of offset, bcl 16; the second lowest bit marks an absolute address. */
	uint64_t offset = checked_extend(word & ~(uint64_t)3, word >> 26 == 18 ? 26 : 16);

	(void)code;
	return (word & 2) != 0 ? offset : address + offset;
}

static const struct call_form ppc_forms[] = {
	{ 4, 4, 0xfc000001, 0x48000001, NULL, ppc_target, 0, 0 },
	{ 4, 4, 0xfc000001, 0x40000001, NULL, ppc_target, 0, 0 },
	{ 4, 4, 0xfc0007ff, 0x4c000021, NULL, NULL, 0, 0 },	/* bclrl */
	{ 4, 4, 0xfc0007ff, 0x4c000421, NULL, NULL, 0, 0 },	/* bcctrl */
	{ 4, 4, 0xfc0007ff, 0x4c000461, NULL, NULL, 0, 0 },	/* bctarl */
};

#ifdef HAVE_CAPSTONE

static const struct mnemonic ppc_mnemonics[] = {
	{ "bl bla bc*l bd*zl b*lrl", CALL, 0, NULL },
	{ "blr", RETURN, 0, NULL },
	{ "b ba bctr", JUMP, 0, NULL },
	{ "b[cd]*", BRANCH, 0, NULL },
	{ "div* fdiv*", DIVIDE, 0, NULL },
	{ "trap t[wd]*", TRAP, 0, NULL },
	{ "sc", SYSTEM, 0, NULL },
	{ "lbz*", 0, 1, "r" },
	{ "stb*", 0, 1, "w" },
	{ "lh*", 0, 2, "r" },
	{ "sth*", 0, 2, "w" },
	{ "lw* lfs*", 0, 4, "r" },
	{ "stw* stfs*", 0, 4, "w" },
	{ "ld* lfd*", 0, 8, "r" },
	{ "std* stfd*", 0, 8, "w" },
	{ "lmw", 0, 0, "r" },
	{ "stmw", 0, 0, "w" },
};

/* In an address, register number 0 means the constant 0. */
static unsigned
ppc_base(unsigned reg)
{
	return reg != PPC_REG_R0 ? reg : 0;
}

static void
ppc_operands(struct decoder *decoder)
{
	const cs_ppc *ppc = &decoder->insn->detail->ppc;
	const cs_ppc_op *last = &ppc->operands[ppc->op_count > 0 ? ppc->op_count - 1 : 0];
	struct instruction *instruction = decoder->instruction;
	bool by_ctr = strstr(decoder->name, "ctr") != NULL;
	bool by_lr = strstr(decoder->name, "lr") != NULL;

	for (uint8_t i = 0; i < ppc->op_count; i++) {
		const cs_ppc_op *op = &ppc->operands[i];

		if (op->type == PPC_OP_MEM)
			decoder_memory(decoder, ppc_base(op->mem.base), 0, op->mem.disp);
		else if (op->type == PPC_OP_IMM)
			decoder_lead(decoder, (uint64_t)op->imm);
	}
	/* Indexed forms name two plain registers. */
	if ((decoder->reads_memory || decoder->writes_memory) && ppc->op_count >= 3 &&
	    decoder_is(decoder, "*x *.") && last[-1].type == PPC_OP_REG &&
	    last->type == PPC_OP_REG)
		decoder_memory(decoder, ppc_base(last[-1].reg), last->reg, 0);
	if ((instruction->kinds & FLOW) != 0 && (by_ctr || by_lr))
		instruction->target_register =
			arch_register(decoder->arch, text_of(by_ctr ? "ctr" : "lr"),
				      ARCH_NAMES_ALIASES);
}

#endif

static const struct family ppc = {
	FORMS(ppc_forms),
	CAPSTONE(.arch = CS_ARCH_PPC, .either_order = true, MNEMONICS(ppc_mnemonics),
		 .operands = ppc_operands),
};

const struct machine machine_PPC = { &ppc, MODE(CS_MODE_32), 0 };
const struct machine machine_PPC64 = { &ppc, MODE(CS_MODE_64), 0 };
