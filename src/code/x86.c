/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/machine.h"

#include <string.h>

/* The bytes of an instruction FF with these ModRM and SIB bytes (Intel SDM 2, tables 2-2, 2-3). */
static unsigned
indirect_length(uint8_t modrm, uint8_t sib)
{
	unsigned mode = modrm >> 6, rm = modrm & 7, length = 2;

	if (mode == 3)
		return length;
	if (rm == 4)
		length++;
	if (mode == 1)
		length += 1;
	else if (mode == 2 || (mode == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5))))
		length += 4;
	return length;
}

/* Near direct, near and far indirect, far direct calls. Prefixes come first. */
static struct call_site
x86_call(const struct code *code)
{
	const uint8_t *end = code->end;
	struct call_site call = { .answer = code->count < 7 ? CALL_UNKNOWN : CALL_NO };

	if (code->count >= 5 && end[-5] == 0xe8) {
		uint64_t offset = end[-4] | (uint64_t)end[-3] << 8 | (uint64_t)end[-2] << 16 |
				  (uint64_t)end[-1] << 24;

		call = call_found(code, 5, 5);
		call.direct = true;
		call.target = arch_wrap(code->arch, code->address + checked_extend(offset, 32));
		return call;
	}
	for (unsigned length = 2; length <= 7 && length <= code->count; length++) {
		uint8_t modrm = end[1 - (int)length], sib = length > 2 ? end[2 - (int)length] : 0;
		unsigned operation = modrm >> 3 & 7;

		if (end[-(int)length] == 0xff && indirect_length(modrm, sib) == length &&
		    (operation == 2 || (operation == 3 && modrm < 0xc0)))
			return call_found(code, length, length);
	}
	if (code->arch->stack_win && code->count >= 7 && end[-7] == 0x9a)
		return call_found(code, 7, 7);
	return call;
}

/*
 * Whether the jump at `at` may leave a function: for 64 bits compilers give those a REX prefix. In
 * 32 bits a stub follows another one, the end of a function or padding.
 */
static bool
may_leave(const uint8_t *at, bool wide)
{
	return wide ? at[-1] == 0x48
		    : at[-1] != 0xc3 && at[-3] != 0xc2 && at[-5] != 0xe9 && at[-1] != 0xcc &&
			      at[-1] != 0x90 && (at[-6] != 0xff || at[-5] != 0x25);
}

/*
 * [endbr] [mov $number, %r11d] [bnd] jmp *slot [push $number; jmp], or, where that is in another
 * section, [endbr] push $number; [bnd] jmp (System V ABI, AMD64 Supplement, 5.2, 13.2; i386, 5.2).
 */
static bool
x86_stub(const struct code *code, uint64_t table, struct stub *stub)
{
	const bool wide = code->arch->word_size == 8;
	const uint8_t *bytes = code->end - STUB_WINDOW, *at = bytes;

	at += (code_word(code, STUB_WINDOW) & 0xfeffffff) == 0xfa1e0ff3 ? 4 : 0;
	at += wide && at[0] == 0x41 && at[1] == 0xbb ? 6 : 0;
	at += at[0] == 0xf2;
	stub->by_relocation = at[0] == 0x68;
	stub->tail = may_leave(bytes, wide);
	if (stub->by_relocation) {
		stub->slot = code_word(code, (unsigned)(code->end - at - 1));
		at += at[5] == 0xf2 ? 6 : 5;
		stub->length = (unsigned)(at + 5 - bytes);
		return at[0] == 0xe9;
	}
	if (at[0] != 0xff || (at[1] != 0x25 && (wide || at[1] != 0xa3)))
		return false;
	stub->slot = code_word(code, (unsigned)(code->end - at - 2));
	if (wide)
		table = code->address - (uint64_t)(code->end - at - 6);
	if (wide || at[1] == 0xa3)
		stub->slot = table + checked_extend(stub->slot, 32);
	stub->length = (unsigned)(at - bytes) + (at[6] == 0x68 && at[11] == 0xe9 ? 16 : 6);
	return true;
}

#ifdef HAVE_CAPSTONE

static const struct mnemonic x86_mnemonics[] = {
	{ "call lcall", CALL, 0, NULL },
	{ "jmp ljmp", JUMP, 0, NULL },
	{ "j* loop*", BRANCH, 0, NULL },
	{ "ret* iret*", RETURN, 0, NULL },
	{ "push* enter", PUSH, 0, NULL },
	{ "popcnt", 0, 0, NULL },
	{ "pop* leave", POP, 0, NULL },
	{ "div* idiv aam vdiv* fdiv* fidiv*", DIVIDE, 0, NULL },
	{ "int[13o] ud[012]*", TRAP, 0, NULL },
	{ "int syscall sysenter", SYSTEM, 0, NULL },
	{ "cl[it]* sti hlt in ins[bwd] out outs[bwd] invd invlpg*", SUPERVISOR, 0, NULL },
	{ "wbinvd l[gil]dt lmsw ltr rdmsr wrmsr swapgs sysexit*", SUPERVISOR, 0, NULL },
	{ "sysret* xsetbv", SUPERVISOR, 0, NULL },
	{ "cmpxchg*", 0, 0, "rw" },
};

/* Names of a part of a register. */
static const struct spelling x86_spellings[] = {
	{ "al ah ax eax", "eax", "rax" },
	{ "bl bh bx ebx", "ebx", "rbx" },
	{ "cl ch cx ecx", "ecx", "rcx" },
	{ "dl dh dx edx", "edx", "rdx" },
	{ "sil si esi", "esi", "rsi" },
	{ "dil di edi", "edi", "rdi" },
	{ "bpl bp ebp", "ebp", "rbp" },
	{ "spl sp esp", "esp", "rsp" },
	{ "eip", "eip", "rip" },
};

/* r8d, r8w and r8b are parts of r8. */
static void
x86_whole(char *name)
{
	if (name[0] == 'r' && name[1] >= '0' && name[1] <= '9')
		name[strcspn(name, "dwb")] = '\0';
}

static void
x86_memory(struct decoder *decoder, const cs_x86_op *op)
{
	const x86_op_mem *memory = &op->mem;
	bool relative = memory->base == X86_REG_RIP || memory->base == X86_REG_EIP;
	/* These do not touch their memory operand. */
	struct instruction_access *access =
		decoder_is(decoder, "lea nop prefetch*") ? NULL : decoder_access(decoder);

	if (access == NULL)
		return;
	access->displacement = memory->disp;
	if (relative)
		access->displacement = (int64_t)((uint64_t)memory->disp + decoder->insn->address +
						 decoder->insn->size);
	else if (memory->base != X86_REG_INVALID)
		access->base = decoder_address(decoder, access, memory->base);
	if (memory->index != X86_REG_INVALID && memory->index != X86_REG_EIZ &&
	    memory->index != X86_REG_RIZ) {
		access->index = decoder_address(decoder, access, memory->index);
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
	/*
	 * Neither the row nor capstone gives a direction. It is a read, because capstone marks
	 * plain stores.
	 */
	if (!access->read && !access->written)
		access->read = true;
	if ((decoder->instruction->kinds & FLOW) != 0) {
		decoder->instruction->target_access = (int)decoder->instruction->access_count - 1;
		access->read = true;
		access->written = false;
	}
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
		decoder_stack(decoder, forms[i].by_frame ? arch->fp : arch->sp,
			  forms[i].written ? -(int64_t)size : 0, size, forms[i].written);
		if ((decoder->instruction->kinds & INSTRUCTION_RETURN) != 0 &&
		    decoder->instruction->access_count > 0)
			decoder->instruction->target_access =
				(int)decoder->instruction->access_count - 1;
	}
}

static void
x86_operands(struct decoder *decoder)
{
	const cs_x86 *x86 = &decoder->insn->detail->x86;
	const uint8_t opcode = x86->opcode[0];

	for (uint8_t i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type == X86_OP_MEM)
			x86_memory(decoder, op);
		else if (op->type == X86_OP_IMM)
			decoder_lead(decoder, (uint64_t)op->imm);
		else if (op->type == X86_OP_REG)
			decoder_lead_register(decoder, op->reg, false);
		/* Control and debug registers are the kernel's. */
		if (op->type == X86_OP_REG &&
		    ((op->reg >= X86_REG_CR0 && op->reg <= X86_REG_CR15) ||
		     (op->reg >= X86_REG_DR0 && op->reg <= X86_REG_DR15)))
			decoder->instruction->kinds |= INSTRUCTION_PRIVILEGED;
	}
	/* The string instructions by opcode: their names are those of vector instructions, too. */
	if ((opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf) ||
	    (opcode >= 0x6c && opcode <= 0x6f)) {
		decoder->instruction->kinds |= INSTRUCTION_STRING;
		if (x86->prefix[0] == X86_PREFIX_REP || x86->prefix[0] == X86_PREFIX_REPNE)
			decoder->instruction->kinds |= INSTRUCTION_REPEATED;
	}
	x86_stack(decoder);
}

#endif

static const struct family x86 = {
	.call = x86_call,
	.stub = x86_stub,
	CAPSTONE(.arch = CS_ARCH_X86, .whole = x86_whole, .loads_privileged = true,
		 MNEMONICS(x86_mnemonics), SPELLINGS(x86_spellings), .operands = x86_operands),
};

const struct machine machine_AMD64 = { &x86, MODE(CS_MODE_64), 0 };
const struct machine machine_X86 = { &x86, MODE(CS_MODE_32), 0 };
