/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/machine.h"

#include <string.h>

#include "code/capstone_library.h"

/* Calls of A32: Arm Architecture Reference Manual, DDI 0406, A8.8.25, A8.8.26. */

static bool
arm_conditional(const struct code *code, uint32_t word)
{
	(void)code;
	return word >> 28 != 15;
}

static uint64_t
arm_blx(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return address + 8 + checked_extend((uint64_t)word << 2, 26) + code_bit(word, 24, 1);
}

/* A call without BLX: `mov lr, pc` before a jump; lr gets the address after the jump. */
static bool
arm_jump_follows(const struct code *code, uint32_t word)
{
	static const struct {
		uint32_t mask, bits;
	} jumps[] = {
		{ 0x0ffffff0, 0x012fff10 },	/* bx reg */
		{ 0x0ffffff0, 0x01a0f000 },	/* mov pc, reg */
		{ 0x0c10f000, 0x0410f000 },	/* ldr pc, [...] */
		{ 0x0e108000, 0x08108000 },	/* ldm reg, {..., pc} */
	};
	uint32_t next = code_word(code, 4);

	for (size_t i = 0; i < ARRAY_COUNT(jumps); i++)
		if ((next & jumps[i].mask) == jumps[i].bits && next >> 28 != 15)
			return arm_conditional(code, word);
	return false;
}

static const struct call_form arm_forms[] = {
	{ 4, 4, 0x0f000000, 0x0b000000, arm_conditional, NULL, 24, 8 },
	{ 4, 4, 0xfe000000, 0xfa000000, NULL, arm_blx, 0, 0 },
	{ 4, 4, 0x0ffffff0, 0x012fff30, arm_conditional, NULL, 0, 0 },	/* blx reg */
	{ 8, 4, 0x0fffffff, 0x01a0e00f, arm_jump_follows, NULL, 0, 0 },
};

/* Calls of T32: the same manual. The upper bits hold the first half of the instruction. */

static uint64_t
thumb_offset(uint32_t word)
{
	uint32_t sign = word >> 26 & 1;
	uint32_t i1 = ~(word >> 13 ^ sign) & 1, i2 = ~(word >> 11 ^ sign) & 1;

	return checked_extend(sign << 24 | i1 << 23 | i2 << 22 | (word >> 16 & 0x3ff) << 12 |
		      (word & 0x7ff) << 1, 25);
}

static uint64_t
thumb_bl(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return address + 4 + thumb_offset(word);
}

static uint64_t
thumb_blx(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return ((address + 4) & ~(uint64_t)3) + thumb_offset(word);
}

static const struct call_form thumb_forms[] = {
	{ 4, 4, 0xf800d000, 0xf000d000, NULL, thumb_bl, 0, 0 },
	{ 4, 4, 0xf800d001, 0xf000c000, NULL, thumb_blx, 0, 0 },
	{ 2, 2, 0xff87, 0x4780, NULL, NULL, 0, 0 },		/* blx reg */
};

/* Calls: Arm Architecture Reference Manual for A-profile, DDI 0487, C6.2. */

static const struct call_form arm64_forms[] = {
	{ 4, 4, 0xfc000000, 0x94000000, NULL, NULL, 26, 0 },
	{ 4, 4, 0xfffffc1f, 0xd63f0000, NULL, NULL, 0, 0 },	/* blr */
	{ 4, 4, 0xfffff81f, 0xd63f081f, NULL, NULL, 0, 0 },	/* blraaz, blrabz */
	{ 4, 4, 0xfffff800, 0xd73f0800, NULL, NULL, 0, 0 },	/* blraa, blrab */
};

static struct call_site
arm_call(const struct code *code)
{
	struct code here = *code;

	here.address = arch_code(code->arch, code->address);
	if ((code->address & 3) != 0)
		return call_match(&here, thumb_forms, ARRAY_COUNT(thumb_forms), true);
	return call_match(&here, arm_forms, ARRAY_COUNT(arm_forms), false);
}

/*
 * [bx pc (Thumb);] add ip, pc, #; [add ip, ip, #;] ldr pc, [ip, #]!
 * [bx pc (Thumb);] ldr ip, [pc, #4]; add ip, ip, pc; ldr pc, [ip]; the distance as data
 */
static bool
arm_stub(const struct code *code, uint64_t table, struct stub *stub)
{
	unsigned left = STUB_WINDOW - ((code_word(code, STUB_WINDOW) & 0xffff) == 0x4778 ? 4 : 0);
	uint32_t word = code_word(code, left);

	(void)table;
	stub->slot = code->address - left + 8;
	if (word == 0xe59fc004) {
		stub->length = STUB_WINDOW - left + 16;
		stub->slot += 4 + (uint64_t)code_word(code, left - 12);
		return code_word(code, left - 4) == 0xe08cc00f &&
		       code_word(code, left - 8) == 0xe59cf000;
	}
	for (uint32_t add = 0xe28fc000; (word & 0xfffff000) == add && left > 8; add = 0xe28cc000) {
		/* The constant is 8 bits, rotated right by twice the 4 bits above them. */
		const uint64_t twice = (word & 0xff) * UINT64_C(0x100000001);

		stub->slot += (uint32_t)(twice >> (word >> 8 & 15) * 2);
		left -= 4;
		word = code_word(code, left);
	}
	stub->slot += word & 0xfff;
	stub->length = STUB_WINDOW - left + 4;
	return stub->length > 4 && (word & 0xffdff000) == 0xe59cf000;
}

/* [bti c;] adrp x16; ldr reg, [x16, #]; [add x16, x16, #;] [autia1716;] br reg */
static bool
arm64_stub(const struct code *code, uint64_t table, struct stub *stub)
{
	unsigned left = STUB_WINDOW;

	(void)table;
	left -= (code_word(code, left) & 0xffffff3f) == 0xd503241f ? 4 : 0;
	const uint32_t page = code_word(code, left), load = code_word(code, left - 4);
	if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003e0) != 0xf9400200)
		return false;
	stub->slot = ((code->address - left) & ~(uint64_t)0xfff) + (load >> 10 & 0xfff) * 8 +
		     (checked_extend((page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3), 21) << 12);
	left -= 8;
	left -= (code_word(code, left) & 0xffc003ff) == 0x91000210 ? 4 : 0;
	left -= (code_word(code, left) & 0xffffffbf) == 0xd503219f ? 4 : 0;
	stub->length = STUB_WINDOW - left + 4;
	return code_word(code, left) == (0xd61f0000 | (load & 31) << 5);
}

#ifdef HAVE_CAPSTONE

static const struct mnemonic arm_mnemonics[] = {
	{ "bl blx*", CALL, 0, NULL },
	{ "b bxj bx* tb[bh]", JUMP, 0, NULL },
	{ "cb*z", BRANCH, 0, NULL },
	{ "push", PUSH, 0, NULL },
	{ "pop", POP, 0, NULL },
	{ "[su]div vdiv*", DIVIDE, 0, NULL },
	{ "udf bkpt trap", TRAP, 0, NULL },
	{ "svc", SYSTEM, 0, NULL },
};

static const struct mnemonic arm64_mnemonics[] = {
	{ "bl blr*", CALL, 0, NULL },
	{ "brk udf hlt", TRAP, 0, NULL },
	{ "b br*", JUMP, 0, NULL },
	{ "[ct]b*z", BRANCH, 0, NULL },
	{ "ret*", RETURN, 0, NULL },
	{ "[su]div fdiv", DIVIDE, 0, NULL },
	{ "svc", SYSTEM, 0, NULL },
};

static const struct spelling arm_spellings[] = {
	{ "sb", "r9", NULL }, { "sl", "r10", NULL }, { "ip", "r12", NULL },
};

static const struct spelling arm64_spellings[] = {
	{ "wsp", "sp", NULL },
};

/* Replace the name of a register's part by the register's name: w0 -> x0. */
static void
arm64_whole(char *name)
{
	if (name[0] == 'w' && name[1] >= '0' && name[1] <= '9')
		name[0] = 'x';
}

/* Bytes that a load or store of arm or arm64 accesses, by its mnemonic and register. */
static unsigned
arm_size(const struct decoder *decoder, unsigned reg)
{
	static const struct {
		char letter;
		unsigned size;
	} letters[] = {
		{ 'w', 4 }, { 'x', 8 }, { 'b', 1 }, { 'h', 2 },
		{ 's', 4 }, { 'd', 8 }, { 'q', 16 }, { 'v', 16 },
	};
	const unsigned count = decoder_is(decoder, "ldp* stp* ldnp* stnp* ldxp* stxp*") ? 2 : 1;
	const char *name = reg != 0 ? capstone()->cs_reg_name(decoder->handle, reg) : NULL;

	if (decoder_is(decoder, "ldpsw") || (decoder->arch->mode_bit != 0 &&
					     decoder_is(decoder, "ldrd strd ldrexd strexd")))
		return 8;
	if (decoder_is(decoder, "?*sw"))
		return 4;
	if (!decoder_is(decoder, "ld* st* cas* swp* vld* vst*"))
		return 0;
	if (decoder_is(decoder, "*b"))
		return 1;
	if (decoder_is(decoder, "*h"))
		return 2;
	if (name == NULL)
		return 0;
	/* The register's size by the first letter of its name. */
	for (size_t i = 0; i < ARRAY_COUNT(letters); i++)
		if (name[0] == letters[i].letter && name[1] >= '0' && name[1] <= '9')
			return letters[i].size * count;
	return decoder->arch->word_size * count;
}

/* Loads read and stores write; capstone's flags of the operand are not reliable. */
static void
arm_direction(const struct decoder *decoder, struct instruction_access *access, unsigned said)
{
	bool atomic = decoder_is(decoder, "ldadd* cas* swp* ldset* ldclr* ldeor*");

	access->read = atomic || decoder_is(decoder, "ld* vld*");
	access->written = atomic || decoder_is(decoder, "st* vst*");
	if (!access->read && !access->written) {
		access->read = (said & CS_AC_READ) != 0;
		access->written = (said & CS_AC_WRITE) != 0;
	}
}

static void
arm_memory(struct decoder *decoder, const cs_arm_op *op, unsigned reg)
{
	struct instruction_access *access =
		decoder_is(decoder, "pld* pli*") ? NULL : decoder_access(decoder);
	/* The pc that an instruction reads is 8 (Thumb: 4) above its address (DDI 0406, A2.3). */
	const uint64_t pc = decoder->insn->address + (decoder->thumb ? 4 : 8);

	if (access == NULL)
		return;
	access->displacement = op->mem.disp;
	if (op->mem.base == ARM_REG_PC)
		access->displacement += (int64_t)(pc & ~(uint64_t)3);
	else
		access->base = decoder_address(decoder, access, (unsigned)op->mem.base);
	if (op->mem.index != ARM_REG_INVALID) {
		access->index = decoder_address(decoder, access, (unsigned)op->mem.index);
		access->scale = op->subtracted || op->mem.scale < 0 ? -1 : 1;
		if (op->shift.type == ARM_SFT_LSL && op->shift.value < 8)
			access->scale *= 1 << op->shift.value;
		else if (op->shift.type != ARM_SFT_INVALID)
			access->opaque = true;
	}
	access->size = arm_size(decoder, reg);
	arm_direction(decoder, access, op->access);
}

/* Loads and stores of several registers, which name no memory operand (DDI 0406, A5.5). */
static void
arm_multiple(struct decoder *decoder, unsigned count, unsigned first)
{
	static const struct {
		const char *name;
		bool written, listed;	/* listed: all operands are in the list */
		int first, step;	/* words from base to list: first + step * registers */
	} forms[] = {
		{ "push", true, true, 0, -1 },   { "pop", false, true, 0, 0 },
		{ "ldm", false, false, 0, 0 },   { "stm", true, false, 0, 0 },
		{ "ldmib", false, false, 1, 0 }, { "stmib", true, false, 1, 0 },
		{ "ldmdb", false, false, 0, -1 }, { "stmdb", true, false, 0, -1 },
		{ "ldmda", false, false, 1, -1 }, { "stmda", true, false, 1, -1 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
		if (strcmp(forms[i].name, decoder->name) != 0)
			continue;
		int listed = (int)count - (forms[i].listed ? 0 : 1);
		int base = forms[i].listed ? decoder->arch->sp : decoder_register(decoder, first);

		decoder_stack(decoder, base, 4 * ((int64_t)forms[i].first + forms[i].step * listed),
			  4 * (unsigned)listed, forms[i].written);
	}
}

static void
arm_operands(struct decoder *decoder)
{
	const cs_arm *arm = &decoder->insn->detail->arm;
	unsigned reg = 0, first = 0;

	if ((decoder->instruction->kinds & INSTRUCTION_JUMP) != 0 && arm->cc != ARM_CC_AL &&
	    arm->cc != ARM_CC_INVALID)
		decoder->instruction->kinds |= INSTRUCTION_CONDITIONAL;
	for (uint8_t i = 0; i < arm->op_count; i++) {
		const cs_arm_op *op = &arm->operands[i];

		if (op->type == ARM_OP_MEM) {
			arm_memory(decoder, op, reg);
		} else if (op->type == ARM_OP_IMM) {
			decoder_lead(decoder, (uint32_t)op->imm);
		} else if (op->type == ARM_OP_REG) {
			reg = (unsigned)op->reg;
			first = i == 0 ? reg : first;
			decoder_lead_register(decoder, reg, false);
		}
	}
	arm_multiple(decoder, arm->op_count, first);
}

static void
arm64_memory(struct decoder *decoder, const cs_arm64_op *op, unsigned reg)
{
	struct instruction_access *access =
		decoder_is(decoder, "prf*") ? NULL : decoder_access(decoder);

	if (access == NULL)
		return;
	access->displacement = op->mem.disp;
	access->base = decoder_address(decoder, access, op->mem.base);
	if (op->mem.index != ARM64_REG_INVALID) {
		access->index = decoder_address(decoder, access, op->mem.index);
		if (op->shift.type == ARM64_SFT_LSL && op->shift.value < 8)
			access->scale = 1 << op->shift.value;
		/* The index is an extended part of the register. */
		if (op->ext != ARM64_EXT_INVALID && op->ext != ARM64_EXT_UXTX &&
		    op->ext != ARM64_EXT_SXTX)
			access->opaque = true;
	}
	access->size = arm_size(decoder, reg);
	arm_direction(decoder, access, op->access);
}

static void
arm64_operands(struct decoder *decoder)
{
	const cs_arm64 *arm64 = &decoder->insn->detail->arm64;
	unsigned reg = 0;

	if ((decoder->instruction->kinds & INSTRUCTION_JUMP) != 0 &&
	    arm64->cc != ARM64_CC_INVALID && arm64->cc != ARM64_CC_AL && arm64->cc != ARM64_CC_NV)
		decoder->instruction->kinds |= INSTRUCTION_CONDITIONAL;
	for (uint8_t i = 0; i < arm64->op_count; i++) {
		const cs_arm64_op *op = &arm64->operands[i];

		if (op->type == ARM64_OP_MEM) {
			arm64_memory(decoder, op, reg);
		} else if (op->type == ARM64_OP_IMM && i == 1 && arm64->op_count == 2 &&
			   decoder_is(decoder, "ldr*")) {
			/* A load relative to the pc: the operand is the address. */
			decoder_stack(decoder, ARCH_NO_REGISTER, op->imm, arm_size(decoder, reg),
				  false);
			decoder->instruction->accesses[0].implicit = false;
		} else if (op->type == ARM64_OP_IMM) {
			decoder_lead(decoder, (uint64_t)op->imm);
		} else if (op->type == ARM64_OP_REG) {
			reg = op->reg;
			decoder_lead_register(decoder, reg, false);
		}
	}
}

#endif

static const struct family arm = {
	.call = arm_call,
	.stub = arm_stub,
	.little_endian = true,		/* since ARMv6 */
	CAPSTONE(.arch = CS_ARCH_ARM, MNEMONICS(arm_mnemonics), SPELLINGS(arm_spellings),
		 .operands = arm_operands),
};

static const struct family arm64 = {
	FORMS(arm64_forms),
	.stub = arm64_stub,
	.little_endian = true,
	CAPSTONE(.arch = CS_ARCH_ARM64, .whole = arm64_whole, MNEMONICS(arm64_mnemonics),
		 SPELLINGS(arm64_spellings), .operands = arm64_operands),
};

const struct machine machine_ARM = { &arm, MODE(CS_MODE_ARM), MODE(CS_MODE_THUMB) };
const struct machine machine_ARM64 = { &arm64, MODE(CS_MODE_ARM), 0 };
