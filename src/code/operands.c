/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "code/instruction.h"

#ifdef HAVE_CAPSTONE

#include <string.h>

#include "base/compiler.h"
#include "code/instruction_internal.h"

#define FLOW (INSTRUCTION_CALL | INSTRUCTION_JUMP)

/* An access with nothing in it yet, or NULL where there is no room. */
static struct instruction_access *
add_access(struct decoder *decoder)
{
	struct instruction *instruction = decoder->instruction;

	if (instruction->access_count == INSTRUCTION_ACCESSES)
		return NULL;
	struct instruction_access *access = &instruction->accesses[instruction->access_count++];
	*access = (struct instruction_access){ .base = ARCH_NO_REGISTER,
					       .index = ARCH_NO_REGISTER, .scale = 1,
					       .width = decoder->arch->word_size };
	return access;
}

/* What push, pop, call and return do: `size` bytes at a register's value and `offset`. */
static void
add_stack(struct decoder *decoder, int base, int64_t offset, unsigned size, bool written)
{
	struct instruction_access *access = add_access(decoder);

	if (access == NULL)
		return;
	access->base = base;
	access->displacement = offset;
	access->size = size;
	access->written = written;
	access->read = !written;
	access->implicit = true;
}

/* A register of an address; one that the table has no number for hides the address. */
static int
address_register(const struct decoder *decoder, struct instruction_access *access, unsigned reg)
{
	int number = decoder_register(decoder, reg);

	if (reg != 0 && number == ARCH_NO_REGISTER)
		access->opaque = true;
	return number;
}

static void
set_target(struct decoder *decoder, uint64_t target)
{
	struct instruction *instruction = decoder->instruction;

	if ((instruction->kinds & FLOW) == 0)
		return;
	instruction->has_target = true;
	instruction->target = arch_wrap(decoder->arch, target);
}

/* The first register of a call or jump without an address is where it leads; mips: the last. */
static void
set_target_register(struct decoder *decoder, unsigned reg, bool last)
{
	struct instruction *instruction = decoder->instruction;

	if ((instruction->kinds & FLOW) != 0 &&
	    (last || instruction->target_register == ARCH_NO_REGISTER))
		instruction->target_register = decoder_register(decoder, reg);
}

static void
note_read(struct decoder *decoder, int number)
{
	if (number != ARCH_NO_REGISTER)
		decoder->instruction->reads |= (uint64_t)1 << number;
}

/* A branch that names both, as compare-and-branch does, leads to the address. */
static void
settle_target(struct decoder *decoder)
{
	struct instruction *instruction = decoder->instruction;

	if (instruction->has_target || instruction->target_access >= 0)
		instruction->target_register = ARCH_NO_REGISTER;
	note_read(decoder, instruction->target_register);
}

/* x86 ------------------------------------------------------------------------------------------ */

/* Instructions with a memory operand that they do not touch. */
static bool
x86_only_computes(const struct decoder *decoder)
{
	return strcmp(decoder->name, "lea") == 0 || strcmp(decoder->name, "nop") == 0 ||
	       strncmp(decoder->name, "prefetch", 8) == 0;
}

static void
x86_memory(struct decoder *decoder, const cs_x86_op *op)
{
	const x86_op_mem *memory = &op->mem;
	bool relative = memory->base == X86_REG_RIP || memory->base == X86_REG_EIP;
	struct instruction_access *access = x86_only_computes(decoder) ? NULL
								       : add_access(decoder);

	if (access == NULL)
		return;
	access->displacement = memory->disp;
	if (relative)
		access->displacement = (int64_t)((uint64_t)memory->disp + decoder->insn->address +
						 decoder->insn->size);
	else if (memory->base != X86_REG_INVALID)
		access->base = address_register(decoder, access, memory->base);
	if (memory->index != X86_REG_INVALID && memory->index != X86_REG_EIZ &&
	    memory->index != X86_REG_RIZ) {
		access->index = address_register(decoder, access, memory->index);
		access->scale = memory->scale;
	}
	if (decoder->insn->detail->x86.addr_size == 4)
		access->width = 4;
	access->segment = memory->segment == X86_REG_FS || memory->segment == X86_REG_GS;
	access->size = op->size;
	access->read = (op->access & CS_AC_READ) != 0;
	access->written = (op->access & CS_AC_WRITE) != 0;
	access->read = access->read || decoder->reads_memory;
	access->written = access->written || decoder->writes_memory;
	/* Where nobody says; what only writes memory is a plain store, which capstone knows. */
	if (!access->read && !access->written)
		access->read = true;
	if ((decoder->instruction->kinds & FLOW) != 0) {
		decoder->instruction->target_access = (int)decoder->instruction->access_count - 1;
		access->read = true;
		access->written = false;
	}
}

/* Control and debug registers are the kernel's. */
static void
x86_register(struct decoder *decoder, unsigned reg)
{
	if ((reg >= X86_REG_CR0 && reg <= X86_REG_CR15) ||
	    (reg >= X86_REG_DR0 && reg <= X86_REG_DR15))
		decoder->instruction->kinds |= INSTRUCTION_PRIVILEGED;
	set_target_register(decoder, reg, false);
}

/* The string instructions by opcode: their names are those of vector instructions, too. */
static void
x86_strings(struct decoder *decoder)
{
	const cs_x86 *x86 = &decoder->insn->detail->x86;
	uint8_t opcode = x86->opcode[0];

	if ((opcode < 0xa4 || opcode > 0xa7) && (opcode < 0xaa || opcode > 0xaf) &&
	    (opcode < 0x6c || opcode > 0x6f))
		return;
	decoder->instruction->kinds |= INSTRUCTION_STRING;
	if (x86->prefix[0] == X86_PREFIX_REP || x86->prefix[0] == X86_PREFIX_REPNE)
		decoder->instruction->kinds |= INSTRUCTION_REPEATED;
}

static void
x86_stack(struct decoder *decoder)
{
	static const struct {
		const char *name;
		unsigned words;		/* 0: the size of the operand */
		bool written, by_frame;
	} forms[] = {
		{ "push", 0, true, false },   { "pushf", 1, true, false },
		{ "pushfd", 1, true, false }, { "pushfq", 1, true, false },
		{ "pushal", 8, true, false }, { "enter", 1, true, false },
		{ "pop", 0, false, false },   { "popf", 1, false, false },
		{ "popfd", 1, false, false }, { "popfq", 1, false, false },
		{ "popal", 8, false, false }, { "leave", 1, false, true },
		{ "call", 1, true, false },   { "ret", 1, false, false },
	};
	const cs_x86 *x86 = &decoder->insn->detail->x86;
	const struct arch *arch = decoder->arch;

	for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
		if (strcmp(forms[i].name, decoder->name) != 0)
			continue;
		unsigned size = forms[i].words * arch->word_size;
		if (size == 0 && x86->op_count > 0)
			size = x86->operands[0].type == X86_OP_IMM ? arch->word_size
								   : x86->operands[0].size;
		if (x86->prefix[2] == X86_PREFIX_OPSIZE && forms[i].words == 0)
			size = 2;
		/* Segment registers and bytes are pushed as whole words. */
		if (size < 2 || (size < arch->word_size && x86->prefix[2] != X86_PREFIX_OPSIZE))
			size = arch->word_size;
		add_stack(decoder, forms[i].by_frame ? arch->fp : arch->sp,
			  forms[i].written ? -(int64_t)size : 0, size, forms[i].written);
	}
}

static void
x86_operands(struct decoder *decoder)
{
	const cs_x86 *x86 = &decoder->insn->detail->x86;

	for (uint8_t i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type == X86_OP_MEM)
			x86_memory(decoder, op);
		else if (op->type == X86_OP_IMM)
			set_target(decoder, (uint64_t)op->imm);
		else if (op->type == X86_OP_REG)
			x86_register(decoder, op->reg);
	}
	x86_strings(decoder);
	x86_stack(decoder);
}

/* arm and arm64 -------------------------------------------------------------------------------- */

/* Bytes of a register by its name's first letter. */
static unsigned
register_bytes(const struct decoder *decoder, unsigned reg)
{
	static const struct {
		char letter;
		unsigned size;
	} letters[] = {
		{ 'w', 4 }, { 'x', 8 }, { 'b', 1 }, { 'h', 2 },
		{ 's', 4 }, { 'd', 8 }, { 'q', 16 }, { 'v', 16 },
	};
	const char *name = reg != 0 ? cs_reg_name(decoder->handle, reg) : NULL;

	if (name == NULL)
		return 0;
	for (size_t i = 0; i < ARRAY_COUNT(letters); i++)
		if (name[0] == letters[i].letter && name[1] >= '0' && name[1] <= '9')
			return letters[i].size;
	return decoder->arch->word_size;
}

/* What a load or store of arm or arm64 touches, by its name and the register before the address. */
static unsigned
arm_size(const struct decoder *decoder, unsigned reg)
{
	const char *name = decoder->name;
	size_t length = strlen(name);
	bool pair = strncmp(name, "ldp", 3) == 0 || strncmp(name, "stp", 3) == 0 ||
		    strncmp(name, "ldnp", 4) == 0 || strncmp(name, "stnp", 4) == 0 ||
		    strncmp(name, "ldxp", 4) == 0 || strncmp(name, "stxp", 4) == 0;
	bool wide = decoder->family == FAMILY_ARM &&
		    (strcmp(name, "ldrd") == 0 || strcmp(name, "strd") == 0 ||
		     strcmp(name, "ldrexd") == 0 || strcmp(name, "strexd") == 0);

	if (strcmp(name, "ldpsw") == 0 || wide)
		return 8;
	if (length > 2 && strcmp(name + length - 2, "sw") == 0)
		return 4;
	if (strncmp(name, "ld", 2) != 0 && strncmp(name, "st", 2) != 0 &&
	    strncmp(name, "cas", 3) != 0 && strncmp(name, "swp", 3) != 0 &&
	    strncmp(name, "vld", 3) != 0 && strncmp(name, "vst", 3) != 0)
		return 0;
	if (name[length - 1] == 'b')
		return 1;
	if (name[length - 1] == 'h')
		return 2;
	return register_bytes(decoder, reg) * (pair ? 2 : 1);
}

/* Loads read and stores write, whatever capstone says of the operand. */
static void
arm_direction(const struct decoder *decoder, struct instruction_access *access, unsigned said)
{
	const char *name = decoder->name[0] == 'v' ? decoder->name + 1 : decoder->name;
	bool atomic = strncmp(name, "ldadd", 5) == 0 || strncmp(name, "cas", 3) == 0 ||
		      strncmp(name, "swp", 3) == 0 || strncmp(name, "ldset", 5) == 0 ||
		      strncmp(name, "ldclr", 5) == 0 || strncmp(name, "ldeor", 5) == 0;

	if (atomic || (name[0] == 'l' && name[1] == 'd'))
		access->read = true;
	if (atomic || (name[0] == 's' && name[1] == 't'))
		access->written = true;
	if (!access->read && !access->written) {
		access->read = (said & CS_AC_READ) != 0;
		access->written = (said & CS_AC_WRITE) != 0;
	}
}

/* The pc reads as the instruction's own address and two instructions more (DDI 0406, A2.3). */
static uint64_t
arm_literal_base(const struct decoder *decoder)
{
	return (decoder->insn->address + (decoder->thumb ? 4 : 8)) & ~(uint64_t)3;
}

static void
arm_memory(struct decoder *decoder, const cs_arm_op *op, unsigned reg)
{
	struct instruction_access *access =
		strncmp(decoder->name, "pld", 3) == 0 || strncmp(decoder->name, "pli", 3) == 0
			? NULL : add_access(decoder);

	if (access == NULL)
		return;
	access->displacement = op->mem.disp;
	if (op->mem.base == ARM_REG_PC)
		access->displacement += (int64_t)arm_literal_base(decoder);
	else
		access->base = address_register(decoder, access, (unsigned)op->mem.base);
	if (op->mem.index != ARM_REG_INVALID) {
		access->index = address_register(decoder, access, (unsigned)op->mem.index);
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
		int first, step;	/* words from the base: first + step * registers */
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

		add_stack(decoder, base, 4 * ((int64_t)forms[i].first + forms[i].step * listed),
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
			set_target(decoder, (uint32_t)op->imm);
		} else if (op->type == ARM_OP_REG) {
			reg = (unsigned)op->reg;
			first = i == 0 ? reg : first;
			set_target_register(decoder, reg, false);
		}
	}
	arm_multiple(decoder, arm->op_count, first);
}

static void
arm64_memory(struct decoder *decoder, const cs_arm64_op *op, unsigned reg)
{
	struct instruction_access *access =
		strncmp(decoder->name, "prf", 3) == 0 ? NULL : add_access(decoder);

	if (access == NULL)
		return;
	access->displacement = op->mem.disp;
	access->base = address_register(decoder, access, op->mem.base);
	if (op->mem.index != ARM64_REG_INVALID) {
		access->index = address_register(decoder, access, op->mem.index);
		if (op->shift.type == ARM64_SFT_LSL && op->shift.value < 8)
			access->scale = 1 << op->shift.value;
		/* A part of the register, made longer. */
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
			   strncmp(decoder->name, "ldr", 3) == 0) {
			/* A load from beside the code: the operand is the address. */
			add_stack(decoder, ARCH_NO_REGISTER, op->imm, arm_size(decoder, reg),
				  false);
			decoder->instruction->accesses[0].implicit = false;
		} else if (op->type == ARM64_OP_IMM) {
			set_target(decoder, (uint64_t)op->imm);
		} else if (op->type == ARM64_OP_REG) {
			reg = op->reg;
			set_target_register(decoder, reg, false);
		}
	}
}

/* The others: capstone tells neither size nor direction, the mnemonic's row does --------------- */

static void
plain_memory(struct decoder *decoder, unsigned base, unsigned index, int64_t displacement)
{
	struct instruction_access *access = add_access(decoder);

	if (access == NULL)
		return;
	access->displacement = displacement;
	access->base = address_register(decoder, access, base);
	access->index = address_register(decoder, access, index);
	note_read(decoder, access->base);
	note_read(decoder, access->index);
	access->size = decoder->memory_size;
	access->read = decoder->reads_memory;
	access->written = decoder->writes_memory;
}

static void
mips_operands(struct decoder *decoder)
{
	const cs_mips *mips = &decoder->insn->detail->mips;

	for (uint8_t i = 0; i < mips->op_count; i++) {
		const cs_mips_op *op = &mips->operands[i];

		if (op->type == MIPS_OP_MEM)
			plain_memory(decoder, op->mem.base, 0, op->mem.disp);
		else if (op->type == MIPS_OP_IMM)
			set_target(decoder, (uint64_t)op->imm);
		else if (op->type == MIPS_OP_REG)
			set_target_register(decoder, op->reg, true);
	}
}

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
		plain_memory(decoder, base->reg != PPC_REG_R0 ? base->reg : 0, index->reg, 0);
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
			plain_memory(decoder, op->mem.base != PPC_REG_R0 ? op->mem.base : 0, 0,
				     op->mem.disp);
		else if (op->type == PPC_OP_IMM)
			set_target(decoder, (uint64_t)op->imm);
	}
	ppc_indexed(decoder, ppc);
	if ((instruction->kinds & FLOW) != 0 && (by_ctr || by_lr))
		instruction->target_register =
			arch_register(decoder->arch, text_of(by_ctr ? "ctr" : "lr"),
				      ARCH_NAMES_ALIASES);
}

static void
sparc_operands(struct decoder *decoder)
{
	const cs_sparc *sparc = &decoder->insn->detail->sparc;

	if (strncmp(decoder->insn->mnemonic, "ba", 2) == 0)
		decoder->instruction->kinds &= ~(unsigned)INSTRUCTION_CONDITIONAL;
	for (uint8_t i = 0; i < sparc->op_count; i++) {
		const cs_sparc_op *op = &sparc->operands[i];

		/* The memory operand of a jump is where it leads, and is not read. */
		if (op->type == SPARC_OP_MEM && !(decoder->reads_memory || decoder->writes_memory))
			set_target_register(decoder, op->mem.index == SPARC_REG_G0 &&
						     op->mem.disp == 0 ? op->mem.base : 0, false);
		else if (op->type == SPARC_OP_MEM)
			plain_memory(decoder, op->mem.base,
				     op->mem.index != SPARC_REG_G0 ? op->mem.index : 0,
				     op->mem.disp);
		else if (op->type == SPARC_OP_IMM)
			set_target(decoder, (uint64_t)op->imm);
		else if (op->type == SPARC_OP_REG)
			set_target_register(decoder, op->reg, false);
	}
}

#if CS_API_MAJOR >= 5
static void
riscv_operands(struct decoder *decoder)
{
	const cs_riscv *riscv = &decoder->insn->detail->riscv;

	for (uint8_t i = 0; i < riscv->op_count; i++) {
		const cs_riscv_op *op = &riscv->operands[i];

		/* Branches count from the instruction. */
		if (op->type == RISCV_OP_MEM)
			plain_memory(decoder, op->mem.base, 0, op->mem.disp);
		else if (op->type == RISCV_OP_IMM)
			set_target(decoder, decoder->insn->address + (uint64_t)op->imm);
		else if (op->type == RISCV_OP_REG)
			set_target_register(decoder, op->reg, true);
	}
	if (strstr(decoder->name, "jalr") != NULL || strstr(decoder->name, "jr") != NULL)
		decoder->instruction->has_target = false;
}
#endif

void
operands_apply(struct decoder *decoder)
{
	static void (*const families[])(struct decoder *decoder) = {
		[FAMILY_X86] = x86_operands,
		[FAMILY_ARM] = arm_operands,
		[FAMILY_ARM64] = arm64_operands,
		[FAMILY_MIPS] = mips_operands,
		[FAMILY_PPC] = ppc_operands,
		[FAMILY_SPARC] = sparc_operands,
#if CS_API_MAJOR >= 5
		[FAMILY_RISCV] = riscv_operands,
#endif
	};

	if (decoder->insn->detail == NULL)
		return;
	families[decoder->family](decoder);
	settle_target(decoder);
}

#endif
