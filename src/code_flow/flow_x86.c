/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_lift.h"

#include <string.h>

#include "code/call.h"

/* Instructions of amd64 and i386 (Intel SDM, volume 2). */

#ifdef HAVE_CAPSTONE

/* Instructions that affect the stack; capstone lists the registers that others write. */
enum form {
	FORM_OTHER, FORM_MOVE, FORM_EXTEND, FORM_LEA, FORM_ADD, FORM_SUB, FORM_INC, FORM_DEC,
	FORM_AND, FORM_XOR, FORM_CMP, FORM_CMOV, FORM_XCHG, FORM_PUSH, FORM_POP, FORM_PUSHF,
	FORM_POPF, FORM_PUSHA, FORM_POPA, FORM_ENTER, FORM_LEAVE, FORM_CALL, FORM_RET, FORM_JMP,
	FORM_JCC, FORM_LOOP, FORM_NOP, FORM_STOP, FORM_INT, FORM_SYSCALL, FORM_CPUID,
};

#define FORM(name, form) [X86_INS_##name] = FORM_##form
#define SAME(name) FORM(name, name)

/* Opcode 0F B9 has two names; since version 5 capstone uses that of the manual. */
#if CS_API_MAJOR < 5
#define X86_INS_UD1 X86_INS_UD2B
#endif

static const uint8_t forms[X86_INS_ENDING] = {
	FORM(MOV, MOVE), FORM(MOVABS, MOVE), FORM(MOVZX, EXTEND), FORM(MOVSX, EXTEND),
	FORM(MOVSXD, EXTEND), SAME(LEA), SAME(ADD), SAME(SUB), SAME(INC), SAME(DEC), SAME(AND),
	SAME(XOR), SAME(CMP), SAME(XCHG), FORM(CMOVA, CMOV), FORM(CMOVAE, CMOV), FORM(CMOVB, CMOV),
	FORM(CMOVBE, CMOV), FORM(CMOVE, CMOV), FORM(CMOVG, CMOV), FORM(CMOVGE, CMOV),
	FORM(CMOVL, CMOV), FORM(CMOVLE, CMOV), FORM(CMOVNE, CMOV), FORM(CMOVNO, CMOV),
	FORM(CMOVNP, CMOV), FORM(CMOVNS, CMOV), FORM(CMOVO, CMOV), FORM(CMOVP, CMOV),
	FORM(CMOVS, CMOV), SAME(PUSH), SAME(POP), SAME(PUSHF), FORM(PUSHFD, PUSHF),
	FORM(PUSHFQ, PUSHF), SAME(POPF), FORM(POPFD, POPF), FORM(POPFQ, POPF), FORM(PUSHAL, PUSHA),
	FORM(PUSHAW, PUSHA), FORM(POPAL, POPA), FORM(POPAW, POPA), SAME(ENTER), SAME(LEAVE),
	SAME(CALL), SAME(RET), SAME(JMP), SAME(NOP), FORM(JA, JCC), FORM(JAE, JCC), FORM(JB, JCC),
	FORM(JBE, JCC), FORM(JE, JCC), FORM(JG, JCC), FORM(JGE, JCC), FORM(JL, JCC),
	FORM(JLE, JCC), FORM(JNE, JCC), FORM(JNO, JCC), FORM(JNP, JCC), FORM(JNS, JCC),
	FORM(JO, JCC), FORM(JP, JCC), FORM(JS, JCC), FORM(JCXZ, JCC), FORM(JECXZ, JCC),
	FORM(JRCXZ, JCC), SAME(LOOP), FORM(LOOPE, LOOP), FORM(LOOPNE, LOOP), FORM(XBEGIN, JCC),
	FORM(HLT, STOP), FORM(INT3, STOP), FORM(UD0, STOP), FORM(UD1, STOP), FORM(UD2, STOP),
	SAME(INT), FORM(IRET, STOP), FORM(IRETD, STOP), FORM(IRETQ, STOP), SAME(SYSCALL),
	SAME(CPUID),
};

static const uint8_t conditions[X86_INS_ENDING] = {
	[X86_INS_JNE] = FLOW_NOT_EQUAL, [X86_INS_JA] = FLOW_ABOVE, [X86_INS_JAE] = FLOW_NOT_BELOW,
	[X86_INS_JB] = FLOW_BELOW, [X86_INS_JBE] = FLOW_NOT_ABOVE,
};

/* Registers by their DWARF number on amd64, plus 1. */
#define OLD(number, letter)                                                                        \
	[X86_REG_##letter##L] = (number) + 1, [X86_REG_##letter##H] = (number) + 1,                \
	[X86_REG_##letter##X] = (number) + 1, [X86_REG_E##letter##X] = (number) + 1,               \
	[X86_REG_R##letter##X] = (number) + 1
#define POINTER(number, name)                                                                      \
	[X86_REG_##name##L] = (number) + 1, [X86_REG_##name] = (number) + 1,                       \
	[X86_REG_E##name] = (number) + 1, [X86_REG_R##name] = (number) + 1
#define NEW(number)                                                                                \
	[X86_REG_R##number] = (number) + 1, [X86_REG_R##number##D] = (number) + 1,                 \
	[X86_REG_R##number##W] = (number) + 1, [X86_REG_R##number##B] = (number) + 1

static const uint8_t numbers[X86_REG_ENDING] = {
	OLD(0, A), OLD(1, D), OLD(2, C), OLD(3, B), POINTER(4, SI), POINTER(5, DI), POINTER(6, BP),
	POINTER(7, SP), NEW(8), NEW(9), NEW(10), NEW(11), NEW(12), NEW(13), NEW(14), NEW(15),
};

enum { AX, DX, CX, BX, SI, DI, BP, SP, R11 = 11 };

/* The number that the architecture's table gives the register with this DWARF number on amd64. */
static int8_t
numbered(const struct flow_lifter *lifter, int number)
{
	static const int8_t narrow[] = { 6, 8, 7, 3, 4, 5, 2, 1 };

	return (int8_t)(lifter->arch->word_size == 8 ? number
			: number < 8		     ? narrow[number]
						     : ARCH_NO_REGISTER);
}

/* The register that instructions encode as this number. */
static int
order_of(unsigned encoded)
{
	static const int order[] = { AX, CX, DX, BX, SP, BP, SI, DI };

	return order[encoded & 7];
}

static int8_t
register_of(const struct flow_lifter *lifter, unsigned reg)
{
	return reg < X86_REG_ENDING && numbers[reg] != 0 ? numbered(lifter, numbers[reg] - 1)
							 : ARCH_NO_REGISTER;
}

static const cs_x86 *
x86_of(const struct flow_lifter *lifter)
{
	return &lifter->insn->detail->x86;
}

static bool
is_whole(const struct flow_lifter *lifter, const cs_x86_op *op)
{
	return op->size == lifter->arch->word_size;
}

static void
set(struct flow_lifter *lifter, int8_t reg)
{
	if (reg >= 0)
		flow_add(lifter, FLOW_SET, reg, 0, 0);
}

/* Memory --------------------------------------------------------------------------------------- */

/* Find the base and index of a memory operand; false: it cannot be a stack address. */
static bool
is_plain(const struct flow_lifter *lifter, const cs_x86_op *op, int8_t *base, int8_t *index)
{
	const x86_op_mem *memory = &op->mem;
	const bool indexed = memory->index != X86_REG_INVALID && memory->index != X86_REG_RIZ &&
		memory->index != X86_REG_EIZ;

	*base = register_of(lifter, memory->base);
	*index = indexed ? register_of(lifter, memory->index) : (int8_t)ARCH_NO_REGISTER;
	return memory->segment != X86_REG_FS && memory->segment != X86_REG_GS &&
		x86_of(lifter)->addr_size == lifter->arch->word_size &&
		(*base >= 0 || memory->base == X86_REG_INVALID) && (*index >= 0 || !indexed);
}

static void
load(struct flow_lifter *lifter, int8_t to, const cs_x86_op *op)
{
	int8_t base, index;
	const bool plain = is_plain(lifter, op, &base, &index);

	if (plain && index >= 0 && op->mem.scale == op->size && op->size >= 4)
		flow_add_entry(lifter, to, base, index, op->size, op->mem.disp);
	else if (plain && base >= 0 && index < 0)
		flow_add_memory(lifter, FLOW_LOAD, to, base, op->size, op->mem.disp);
	else
		set(lifter, to);
}

/* `lock or [rsp], 0` is a barrier, not a store. */
static void
store(struct flow_lifter *lifter, const cs_x86_op *op, int8_t from)
{
	int8_t base, index;

	if (is_plain(lifter, op, &base, &index) && base >= 0 && index < 0 &&
		x86_of(lifter)->prefix[0] != X86_PREFIX_LOCK)
		flow_add_memory(lifter, FLOW_STORE, base, from, op->size, op->mem.disp);
}

/* The operand gets an unknown value. */
static void
overwrite(struct flow_lifter *lifter, const cs_x86_op *op)
{
	if (op->type == X86_OP_REG)
		set(lifter, register_of(lifter, op->reg));
	else if (op->type == X86_OP_MEM)
		store(lifter, op, ARCH_NO_REGISTER);
}

static void
lift_others(struct flow_lifter *lifter)
{
	const cs_detail *detail = lifter->insn->detail;

	for (uint8_t i = 0; i < detail->regs_write_count; i++)
		set(lifter, register_of(lifter, detail->regs_write[i]));
	for (uint8_t i = 0; i < detail->x86.op_count; i++)
		if ((detail->x86.operands[i].access & CS_AC_WRITE) != 0)
			overwrite(lifter, &detail->x86.operands[i]);
}

/* Moves and sums ------------------------------------------------------------------------------- */

static void
lift_move(struct flow_lifter *lifter, const cs_x86_op *to, const cs_x86_op *from)
{
	const int8_t reg = to->type == X86_OP_REG ? register_of(lifter, to->reg) : -1;
	const int8_t other = from->type == X86_OP_REG ? register_of(lifter, from->reg) : -1;
	const uint64_t half = to->size == 4 ? UINT32_MAX : UINT64_MAX;

	if (to->type == X86_OP_MEM)
		store(lifter, to, is_whole(lifter, to) ? other : (int8_t)ARCH_NO_REGISTER);
	else if (reg < 0)
		return;
	else if (from->type == X86_OP_IMM && to->size >= 4)
		flow_add(lifter, FLOW_NUMBER, reg, 0, (int64_t)((uint64_t)from->imm & half));
	else if (from->type == X86_OP_MEM && is_whole(lifter, to))
		load(lifter, reg, from);
	else if (other >= 0 && is_whole(lifter, to))
		flow_add(lifter, FLOW_COPY, reg, other, 0);
	else if (other >= 0 && to->size == 4)
		flow_add(lifter, FLOW_EXTEND, reg, other, 0);
	else
		set(lifter, reg);
}

static void
lift_extend(struct flow_lifter *lifter, const cs_x86_op *to, const cs_x86_op *from)
{
	const int8_t reg = register_of(lifter, to->reg);
	const int8_t other = from->type == X86_OP_REG ? register_of(lifter, from->reg) : -1;

	if (reg < 0)
		return;
	if (from->type == X86_OP_MEM && from->size == 4 && is_whole(lifter, to))
		load(lifter, reg, from);
	else if (other >= 0)
		flow_add(lifter, FLOW_EXTEND, reg, other, 0);
	else
		set(lifter, reg);
}

static void
lift_lea(struct flow_lifter *lifter, const cs_x86_op *to, const cs_x86_op *from)
{
	const int8_t reg = register_of(lifter, to->reg);
	int8_t base, index;

	if (reg < 0)
		return;
	if (is_whole(lifter, to) && from->mem.base == X86_REG_RIP)
		flow_add(lifter, FLOW_NUMBER, reg, 0,
			(int64_t)(lifter->insn->address + lifter->insn->size +
				(uint64_t)from->mem.disp));
	else if (is_whole(lifter, to) && is_plain(lifter, from, &base, &index) && index < 0 &&
		base >= 0)
		flow_add(lifter, FLOW_COPY, reg, base, from->mem.disp);
	else
		set(lifter, reg);
}

/* `sign` is 1 or -1. */
static void
lift_sum(struct flow_lifter *lifter, const cs_x86_op *to, const cs_x86_op *by, int64_t sign)
{
	const int8_t reg = to->type == X86_OP_REG ? register_of(lifter, to->reg) : -1;
	const int8_t other =
		by != NULL && by->type == X86_OP_REG ? register_of(lifter, by->reg) : -1;

	if (reg < 0 || !is_whole(lifter, to))
		overwrite(lifter, to);
	else if (by == NULL || by->type == X86_OP_IMM)
		flow_add(lifter, FLOW_COPY, reg, reg,
			(int64_t)((uint64_t)sign * (by == NULL ? 1 : (uint64_t)by->imm)));
	else if (other == reg && sign < 0)
		flow_add(lifter, FLOW_NUMBER, reg, 0, 0);
	else if (other >= 0)
		flow_add(lifter, sign > 0 ? FLOW_SUM : FLOW_DIFFERENCE, reg, other, 0);
	else
		set(lifter, reg);
}

static void
lift_and(struct flow_lifter *lifter, const cs_x86_op *to, const cs_x86_op *by)
{
	const int8_t reg = to->type == X86_OP_REG ? register_of(lifter, to->reg) : -1;

	if (reg >= 0 && by->type == X86_OP_IMM && (is_whole(lifter, to) || by->imm >= 0))
		flow_add(lifter, FLOW_MASK, reg, 0, by->imm);
	else
		overwrite(lifter, to);
}

static void
lift_compare(struct flow_lifter *lifter, const cs_x86_op *one, const cs_x86_op *other)
{
	const int8_t reg = one->type == X86_OP_REG ? register_of(lifter, one->reg) : -1;
	const int8_t with = other->type == X86_OP_REG ? register_of(lifter, other->reg) : -1;

	if (reg < 0)
		return;
	if (other->type == X86_OP_IMM && other->imm >= 0)
		flow_add(lifter, FLOW_COMPARE_NUMBER, reg, 0, other->imm);
	else if (with >= 0 && is_whole(lifter, one))
		flow_add(lifter, FLOW_COMPARE, reg, with, 0);
}

static void
lift_cmov(struct flow_lifter *lifter, const cs_x86_op *to, const cs_x86_op *from)
{
	const int8_t reg = register_of(lifter, to->reg);
	const int8_t other = from->type == X86_OP_REG ? register_of(lifter, from->reg)
						      : (int8_t)flow_scratch(lifter);

	if (from->type == X86_OP_MEM && is_whole(lifter, to))
		load(lifter, other, from);
	if (reg >= 0 && other >= 0 && is_whole(lifter, to))
		flow_add(lifter, FLOW_CHOICE, reg, other, 0);
	else
		set(lifter, reg);
}

static void
lift_exchange(struct flow_lifter *lifter, const cs_x86_op *one, const cs_x86_op *other)
{
	const bool registers = one->type == X86_OP_REG && other->type == X86_OP_REG;

	lifter->out->idle = registers && one->reg == other->reg;
	if (registers && is_whole(lifter, one)) {
		flow_add(lifter, FLOW_SWAP, register_of(lifter, one->reg),
			register_of(lifter, other->reg), 0);
	} else if (!lifter->out->idle) {
		overwrite(lifter, one);
		overwrite(lifter, other);
	}
}

/* The stack ------------------------------------------------------------------------------------ */

static void
move_sp(struct flow_lifter *lifter, int64_t by)
{
	flow_add(lifter, FLOW_COPY, lifter->arch->sp, lifter->arch->sp, by);
}

static void
push(struct flow_lifter *lifter, int8_t reg, unsigned size)
{
	move_sp(lifter, -(int64_t)size);
	flow_add_memory(lifter, FLOW_STORE, lifter->arch->sp, reg, size, 0);
}

static void
pop(struct flow_lifter *lifter, int8_t reg, unsigned size)
{
	if (reg >= 0)
		flow_add_memory(lifter, FLOW_LOAD, reg, lifter->arch->sp, size, 0);
	if (reg != lifter->arch->sp)
		move_sp(lifter, size);
}

/* Segment registers and numbers are pushed as whole words. */
static unsigned
pushed_size(const struct flow_lifter *lifter)
{
	return x86_of(lifter)->prefix[2] == X86_PREFIX_OPSIZE ? 2 : lifter->arch->word_size;
}

static void
lift_push(struct flow_lifter *lifter, const cs_x86_op *op)
{
	const unsigned size = pushed_size(lifter);
	int8_t reg = op->type == X86_OP_REG ? register_of(lifter, op->reg) : -1;

	if (op->type == X86_OP_MEM || reg == lifter->arch->sp) {
		if (op->type == X86_OP_MEM)
			load(lifter, (int8_t)flow_scratch(lifter), op);
		else
			flow_add(lifter, FLOW_COPY, flow_scratch(lifter), reg, 0);
		reg = (int8_t)flow_scratch(lifter);
	}
	push(lifter, reg, size);
}

static void
lift_pop(struct flow_lifter *lifter, const cs_x86_op *op)
{
	pop(lifter, op->type == X86_OP_REG ? register_of(lifter, op->reg) : -1,
		pushed_size(lifter));
	if (op->type == X86_OP_MEM)
		store(lifter, op, ARCH_NO_REGISTER);
}

/* pusha and popa */
static void
lift_all(struct flow_lifter *lifter, bool pushes)
{
	const unsigned size = pushed_size(lifter);

	for (unsigned i = 0; i < 8; i++) {
		const int reg = order_of(pushes ? i : 7 - i);

		if (pushes)
			push(lifter, reg == SP ? (int8_t)ARCH_NO_REGISTER : numbered(lifter, reg),
				size);
		else
			pop(lifter, reg == SP ? (int8_t)ARCH_NO_REGISTER : numbered(lifter, reg),
				size);
	}
}

static bool
lift_enter(struct flow_lifter *lifter, const cs_x86 *x86)
{
	const int8_t fp = (int8_t)lifter->arch->fp, sp = (int8_t)lifter->arch->sp;

	if (x86->operands[1].imm != 0)
		return false;
	push(lifter, fp, lifter->arch->word_size);
	flow_add(lifter, FLOW_COPY, fp, sp, 0);
	move_sp(lifter, -x86->operands[0].imm);
	return true;
}

/* Control -------------------------------------------------------------------------------------- */

/* A call of the next instruction only reads the pc. i386 calls the system by gs:[0x10]. */
static void
lift_call(struct flow_lifter *lifter, const cs_x86_op *op)
{
	struct flow_instruction *out = lifter->out;

	if (op->type == X86_OP_IMM &&
		(uint64_t)op->imm == lifter->insn->address + lifter->insn->size) {
		push(lifter, ARCH_NO_REGISTER, lifter->arch->word_size);
		return;
	}
	if (op->type == X86_OP_MEM && op->mem.segment == X86_REG_GS) {
		set(lifter, numbered(lifter, AX));
		return;
	}
	out->way = FLOW_CALL;
	out->direct = op->type == X86_OP_IMM;
	out->imported = op->type == X86_OP_MEM && op->mem.segment == X86_REG_INVALID &&
			op->mem.base == X86_REG_INVALID && op->mem.index == X86_REG_INVALID;
	out->target = out->direct     ? (uint64_t)op->imm
		      : out->imported ? arch_wrap(lifter->arch, (uint64_t)op->mem.disp)
				      : 0;
}

static void
lift_jump(struct flow_lifter *lifter, const cs_x86_op *op, enum flow_way way)
{
	struct flow_instruction *out = lifter->out;
	int8_t base, index;

	out->way = (uint8_t)way;
	out->condition = conditions[lifter->insn->id];
	out->direct = op->type == X86_OP_IMM;
	out->target = out->direct ? (uint64_t)op->imm : 0;
	if (op->type == X86_OP_REG)
		out->jumps = register_of(lifter, op->reg);
	if (op->type != X86_OP_MEM || !is_plain(lifter, op, &base, &index) || index < 0)
		return;
	load(lifter, (int8_t)flow_scratch(lifter), op);
	out->jumps = (int8_t)flow_scratch(lifter);
}

/* movs, cmps, stos, lods, scas: opcodes a4 to a7 and aa to af, each with fixed registers. */
static bool
lift_string(struct flow_lifter *lifter)
{
	const cs_x86 *x86 = x86_of(lifter);
	const uint8_t opcode = x86->opcode[0] & 0xfe;

	if (opcode != 0xa4 && opcode != 0xa6 && (opcode < 0xaa || opcode > 0xae))
		return false;
	if (opcode == 0xa4 || opcode == 0xa6 || opcode == 0xac)
		set(lifter, numbered(lifter, SI));
	if (opcode != 0xac)
		set(lifter, numbered(lifter, DI));
	else
		set(lifter, numbered(lifter, AX));
	if (x86->prefix[0] == X86_PREFIX_REP || x86->prefix[0] == X86_PREFIX_REPNE)
		set(lifter, numbered(lifter, CX));
	return true;
}

/* The registers in which the kernel or the processor returns results. */
static void
lift_answer(struct flow_lifter *lifter, enum form form)
{
	const cs_x86_op *op = &x86_of(lifter)->operands[0];

	/* __fastfail */
	if (form == FORM_INT && op->imm == 0x29)
		lifter->out->way = FLOW_STOP;
	set(lifter, numbered(lifter, AX));
	if (form == FORM_INT)
		return;
	set(lifter, numbered(lifter, CX));
	set(lifter, numbered(lifter, form == FORM_SYSCALL ? R11 : BX));
	if (form == FORM_CPUID)
		set(lifter, numbered(lifter, DX));
}

static bool
lift_control(struct flow_lifter *lifter, enum form form, const cs_x86 *x86)
{
	struct flow_instruction *out = lifter->out;

	switch (form) {
	case FORM_CALL:
		lift_call(lifter, &x86->operands[0]);
		return true;
	case FORM_RET:
		out->way = FLOW_RETURN;
		out->pops = (uint16_t)(x86->op_count > 0 ? x86->operands[0].imm : 0);
		return true;
	case FORM_LOOP:
		set(lifter, numbered(lifter, CX));
		lift_jump(lifter, &x86->operands[0], FLOW_BRANCH);
		return true;
	case FORM_JMP:
	case FORM_JCC:
		lift_jump(lifter, &x86->operands[0], form == FORM_JMP ? FLOW_JUMP : FLOW_BRANCH);
		return true;
	case FORM_NOP:
		out->idle = true;
		return true;
	case FORM_STOP:
		out->way = FLOW_STOP;
		return true;
	case FORM_INT:
	case FORM_SYSCALL:
	case FORM_CPUID:
		lift_answer(lifter, form);
		return true;
	default:
		return false;
	}
}

static bool
lift_stack(struct flow_lifter *lifter, enum form form, const cs_x86 *x86)
{
	const unsigned size = pushed_size(lifter);

	switch (form) {
	case FORM_PUSH:
		lift_push(lifter, &x86->operands[0]);
		return true;
	case FORM_POP:
		lift_pop(lifter, &x86->operands[0]);
		return true;
	case FORM_PUSHF:
		push(lifter, ARCH_NO_REGISTER, size);
		return true;
	case FORM_POPF:
		pop(lifter, ARCH_NO_REGISTER, size);
		return true;
	case FORM_PUSHA:
	case FORM_POPA:
		lift_all(lifter, form == FORM_PUSHA);
		return true;
	case FORM_ENTER:
		return lift_enter(lifter, x86);
	case FORM_LEAVE:
		flow_add(lifter, FLOW_COPY, lifter->arch->sp, lifter->arch->fp, 0);
		pop(lifter, (int8_t)lifter->arch->fp, lifter->arch->word_size);
		return true;
	default:
		return false;
	}
}

static bool
lift_data(struct flow_lifter *lifter, enum form form, const cs_x86 *x86)
{
	const cs_x86_op *one = &x86->operands[0], *other = &x86->operands[1];

	switch (form) {
	case FORM_MOVE:
		lift_move(lifter, one, other);
		return true;
	case FORM_EXTEND:
		lift_extend(lifter, one, other);
		return true;
	case FORM_LEA:
		lift_lea(lifter, one, other);
		return true;
	case FORM_ADD:
	case FORM_SUB:
		lift_sum(lifter, one, other, form == FORM_ADD ? 1 : -1);
		return true;
	case FORM_INC:
	case FORM_DEC:
		lift_sum(lifter, one, NULL, form == FORM_INC ? 1 : -1);
		return true;
	case FORM_AND:
		lift_and(lifter, one, other);
		return true;
	case FORM_XOR:
		if (one->type == X86_OP_REG && other->type == X86_OP_REG &&
			one->reg == other->reg && one->size >= 4)
			flow_add(lifter, FLOW_NUMBER, register_of(lifter, one->reg), 0, 0);
		else
			overwrite(lifter, one);
		return true;
	case FORM_CMP:
		lift_compare(lifter, one, other);
		return true;
	case FORM_CMOV:
		lift_cmov(lifter, one, other);
		return true;
	case FORM_XCHG:
		lift_exchange(lifter, one, other);
		return true;
	default:
		return false;
	}
}

static bool
lift(struct flow_lifter *lifter)
{
	const cs_insn *insn = lifter->insn;
	const cs_x86 *x86 = x86_of(lifter);
	const enum form form = insn->id < X86_INS_ENDING ? forms[insn->id] : FORM_OTHER;

	/* endbr64, endbr32 */
	if (insn->size == 4 && memcmp(insn->bytes, "\xf3\x0f\x1e", 3) == 0 &&
		(insn->bytes[3] & 0xfe) == 0xfa) {
		lifter->out->starts = true;
		return true;
	}
	if (form == FORM_ENTER)
		return lift_stack(lifter, form, x86);
	if (!lift_control(lifter, form, x86) && !lift_stack(lifter, form, x86) &&
		!lift_data(lifter, form, x86) && !lift_string(lifter))
		lift_others(lifter);
	/* lea rsi, [rsi + 0]; mov esi, esi */
	if (lifter->count == 1 && lifter->operations[0].value == 0 &&
		lifter->operations[0].dst == lifter->operations[0].src &&
		(lifter->operations[0].kind == FLOW_COPY ||
			lifter->operations[0].kind == FLOW_EXTEND))
		lifter->out->idle = true;
	return true;
}

/*
 * Vector instructions newer than capstone: VEX (c4, c5) and EVEX (62). If one may write a general
 * register, all registers that it may name become unknown. None stores a saved register.
 */
static unsigned
lift_vector(struct flow_lifter *lifter, const uint8_t *bytes, size_t count)
{
	static const char to_general[] = "\x50\x93\xd7\xc5\x2c\x2d\x78\x79\x7e\x14\x15\x16\x17";
	const unsigned prefix = bytes[0] == 0xc5 ? 2
		: bytes[0] == 0xc4		 ? 3
		: bytes[0] == 0x62		 ? 4
						 : 0;

	if (prefix == 0 || count < FLOW_WINDOW)
		return 0;
	const uint8_t opcode = bytes[prefix], modrm = bytes[prefix + 1];
	const unsigned length = x86_length(bytes, count);

	if (length == 0 || memchr(to_general, opcode, sizeof(to_general) - 1) == NULL)
		return length;
	for (int more = 0; more <= 8; more += 8) {
		const int8_t one = numbered(lifter, order_of(modrm) + more);
		const int8_t other = numbered(lifter, order_of(modrm >> 3 & 7) + more);

		if (one >= 0 && one != lifter->arch->sp)
			flow_add(lifter, FLOW_FORGET, one, 0, 0);
		if (other >= 0 && other != lifter->arch->sp)
			flow_add(lifter, FLOW_FORGET, other, 0, 0);
	}
	return length;
}

static int
thunk(const struct flow_lifter *lifter, const uint8_t *bytes, size_t count)
{
	if (count < 4 || bytes[0] != 0x8b || (bytes[1] & 0xc7) != 0x04 || bytes[2] != 0x24 ||
		bytes[3] != 0xc3)
		return ARCH_NO_REGISTER;
	return numbered(lifter, order_of(bytes[1] >> 3));
}

const struct flow_family flow_family_AMD64 = { .arch = CS_ARCH_X86, .mode = CS_MODE_64,
	.lift = lift, .decode = lift_vector };
const struct flow_family flow_family_X86 = { .arch = CS_ARCH_X86, .mode = CS_MODE_32,
	.lift = lift, .decode = lift_vector, .thunk = thunk };
#else
const struct flow_family flow_family_AMD64, flow_family_X86;
#endif
