/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/machine.h"

#include <string.h>

#include "base/compiler.h"

/* Calls: Power ISA, book I, 2.4. */

static uint64_t
ppc_branch(uint32_t word, uint64_t address, unsigned bits)
{
	uint64_t offset = checked_extend(word & ~(uint64_t)3, bits);

	return (word & 2) != 0 ? offset : address + offset;
}

static uint64_t
ppc_bl(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return ppc_branch(word, address, 26);
}

static uint64_t
ppc_bcl(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return ppc_branch(word, address, 16);
}

static const struct call_form ppc_forms[] = {
	{ 4, 4, 0xfc000001, 0x48000001, NULL, ppc_bl, 0, 0 },
	{ 4, 4, 0xfc000001, 0x40000001, NULL, ppc_bcl, 0, 0 },
	{ 4, 4, 0xfc0007ff, 0x4c000021, NULL, NULL, 0, 0 },	/* bclrl */
	{ 4, 4, 0xfc0007ff, 0x4c000421, NULL, NULL, 0, 0 },	/* bcctrl */
	{ 4, 4, 0xfc0007ff, 0x4c000461, NULL, NULL, 0, 0 },	/* bctarl */
};

static struct call_site
ppc_call(const struct code *code)
{
	return call_match(code, ppc_forms, ARRAY_COUNT(ppc_forms), false);
}

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
	{ "lw*", 0, 4, "r" },
	{ "stw*", 0, 4, "w" },
	{ "lfs*", 0, 4, "r" },
	{ "stfs*", 0, 4, "w" },
	{ "ld*", 0, 8, "r" },
	{ "std*", 0, 8, "w" },
	{ "lfd*", 0, 8, "r" },
	{ "stfd*", 0, 8, "w" },
	{ "lmw", 0, 0, "r" },
	{ "stmw", 0, 0, "w" },
};

/* Register 0 of an address is the number 0; indexed forms name two plain registers. */
static void
ppc_indexed(struct decoder *decoder, const cs_ppc *ppc)
{
	size_t length = strlen(decoder->name);

	if (!(decoder->reads_memory || decoder->writes_memory) || ppc->op_count < 3 ||
	    (decoder->name[length - 1] != 'x' && decoder->name[length - 1] != '.'))
		return;
	const cs_ppc_op *base = &ppc->operands[ppc->op_count - 2];
	const cs_ppc_op *index = &ppc->operands[ppc->op_count - 1];
	if (base->type == PPC_OP_REG && index->type == PPC_OP_REG)
		decoder_memory(decoder, base->reg != PPC_REG_R0 ? base->reg : 0, index->reg, 0);
}

static void
ppc_operands(struct decoder *decoder)
{
	const cs_ppc *ppc = &decoder->insn->detail->ppc;
	struct instruction *instruction = decoder->instruction;
	bool by_ctr = strstr(decoder->name, "ctr") != NULL;
	bool by_lr = strstr(decoder->name, "lr") != NULL;

	for (uint8_t i = 0; i < ppc->op_count; i++) {
		const cs_ppc_op *op = &ppc->operands[i];

		if (op->type == PPC_OP_MEM)
			decoder_memory(decoder, op->mem.base != PPC_REG_R0 ? op->mem.base : 0, 0,
				     op->mem.disp);
		else if (op->type == PPC_OP_IMM)
			decoder_lead(decoder, (uint64_t)op->imm);
	}
	ppc_indexed(decoder, ppc);
	if ((instruction->kinds & FLOW) != 0 && (by_ctr || by_lr))
		instruction->target_register =
			arch_register(decoder->arch, text_of(by_ctr ? "ctr" : "lr"),
				      ARCH_NAMES_ALIASES);
}

#endif

static const struct family ppc = {
	.call = ppc_call,
	CAPSTONE(.arch = CS_ARCH_PPC, .either_order = true, .mnemonics = ppc_mnemonics,
		 .mnemonic_count = ARRAY_COUNT(ppc_mnemonics),
		 .operands = ppc_operands),
};

const struct machine machine_PPC = { &ppc, MODE(CS_MODE_32), 0 };
const struct machine machine_PPC64 = { &ppc, MODE(CS_MODE_64), 0 };
