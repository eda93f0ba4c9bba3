/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/machine.h"

#include <string.h>

/* Lengths -------------------------------------------------------------------------------------- */

/* The parts that follow an opcode. */
enum {
	MODRM = 1,
	BYTE = 2,		/* an immediate of one byte */
	OPERAND = 4,		/* an immediate of 2 or 4 bytes, by operand size */
	SHORT = 8,		/* an immediate of 2 bytes */
	NEAR = 16,		/* a distance of 4 bytes */
	WIDE = 32,		/* an immediate of 2, 4 or 8 bytes, by operand size */
	OFFSET = 64,		/* an address of 4 or 8 bytes, by address size */
	NONE = 128,		/* no instruction */
};

/* The one-byte opcode map, in ranges of opcodes with equal operands. */
struct opcode_row {
	uint8_t first, last, operands;
};

static const struct opcode_row one_byte[] = {
	{ 0x63, 0x63, MODRM },	     { 0x68, 0x68, OPERAND },  { 0x69, 0x69, MODRM | OPERAND },
	{ 0x6a, 0x6a, BYTE },	     { 0x6b, 0x6b, MODRM | BYTE }, { 0x70, 0x7f, BYTE },
	{ 0x80, 0x80, MODRM | BYTE }, { 0x81, 0x81, MODRM | OPERAND }, { 0x82, 0x82, NONE },
	{ 0x83, 0x83, MODRM | BYTE }, { 0x84, 0x8f, MODRM },    { 0x9a, 0x9a, NONE },
	{ 0xa0, 0xa3, OFFSET },	     { 0xa8, 0xa8, BYTE },     { 0xa9, 0xa9, OPERAND },
	{ 0xb0, 0xb7, BYTE },	     { 0xb8, 0xbf, WIDE },     { 0xc0, 0xc1, MODRM | BYTE },
	{ 0xc2, 0xc2, SHORT },	     { 0xc6, 0xc6, MODRM | BYTE }, { 0xc7, 0xc7, MODRM | OPERAND },
	{ 0xc8, 0xc8, SHORT | BYTE }, { 0xca, 0xca, SHORT },    { 0xcd, 0xcd, BYTE },
	{ 0xce, 0xce, NONE },	     { 0xd0, 0xd3, MODRM },    { 0xd4, 0xd6, NONE },
	{ 0xd8, 0xdf, MODRM },	     { 0xe0, 0xe7, BYTE },     { 0xe8, 0xe9, NEAR },
	{ 0xea, 0xea, NONE },	     { 0xeb, 0xeb, BYTE },     { 0xfe, 0xff, MODRM },
};

/* The map after 0f; opcodes that are not listed have only a ModRM byte. */
static const struct opcode_row two_bytes[] = {
	{ 0x04, 0x04, NONE },	      { 0x05, 0x09, 0 },	    { 0x0a, 0x0a, NONE },
	{ 0x0b, 0x0b, 0 },	      { 0x0c, 0x0c, NONE },	    { 0x0e, 0x0e, 0 },
	{ 0x0f, 0x0f, MODRM | BYTE }, { 0x24, 0x27, NONE },	    { 0x30, 0x37, 0 },
	{ 0x38, 0x3f, NONE },	      { 0x70, 0x73, MODRM | BYTE }, { 0x77, 0x77, 0 },
	{ 0x80, 0x8f, NEAR },	      { 0xa0, 0xa2, 0 },	    { 0xa4, 0xa4, MODRM | BYTE },
	{ 0xa8, 0xaa, 0 },	      { 0xac, 0xac, MODRM | BYTE }, { 0xba, 0xba, MODRM | BYTE },
	{ 0xc2, 0xc2, MODRM | BYTE }, { 0xc4, 0xc6, MODRM | BYTE }, { 0xc8, 0xcf, 0 },
};

static unsigned
operands_in(const struct opcode_row *rows, size_t count, uint8_t opcode, unsigned others)
{
	for (size_t i = 0; i < count && rows[i].first <= opcode; i++)
		if (opcode <= rows[i].last)
			return rows[i].operands;
	return others;
}

/* Operands of an opcode. Map 0 has opcodes of one byte; maps 1 to 3 follow 0f, 0f 38, 0f 3a. */
static unsigned
operands_of(unsigned map, uint8_t opcode)
{
	if (map == 0 && opcode < 0x40)
		return (opcode & 7) < 4	   ? (unsigned)MODRM
		       : (opcode & 7) == 4 ? (unsigned)BYTE
		       : (opcode & 7) == 5 ? (unsigned)OPERAND
					   : (unsigned)NONE;
	if (map == 0 && opcode >= 0x60 && opcode <= 0x62)
		return NONE;
	if (map == 0)
		return operands_in(one_byte, ARRAY_COUNT(one_byte), opcode, 0);
	if (map == 1)
		return operands_in(two_bytes, ARRAY_COUNT(two_bytes), opcode,
				   MODRM);
	return map == 2 ? (unsigned)MODRM : map == 3 ? (unsigned)MODRM | BYTE : (unsigned)NONE;
}

/* The state while the length of an instruction is computed. */
struct x86_reading {
	const uint8_t *bytes;
	size_t count, at;
	bool failed;
	bool narrow, short_address, wide;	/* prefixes 66, 67 and REX.W */
};

static uint8_t
next_byte(struct x86_reading *reading)
{
	if (reading->at >= reading->count) {
		reading->failed = true;
		return 0;
	}
	return reading->bytes[reading->at++];
}

static bool
is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 ||
	       byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 ||
	       byte == 0x65;
}

/* Read the prefixes, and return the opcode after them; `*map` is its map. */
static uint8_t
read_opcode(struct x86_reading *reading, unsigned *map)
{
	uint8_t byte = next_byte(reading);

	*map = 0;
	for (; is_prefix(byte); byte = next_byte(reading)) {
		reading->narrow = reading->narrow || byte == 0x66;
		reading->short_address = reading->short_address || byte == 0x67;
	}
	if ((byte & 0xf0) == 0x40) {
		reading->wide = (byte & 8) != 0;
		byte = next_byte(reading);
	}
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
		const uint8_t second = next_byte(reading);

		/*
		 * Maps 1 to 3 are the same as in older encodings; higher maps are newer than these
		 * tables.
		 */
		*map = byte == 0xc5 ? 1 : byte == 0xc4 ? second & 0x1fu : second & 7u;
		reading->failed = reading->failed || *map == 0 || *map > 3;
		for (unsigned more = byte == 0xc5 ? 0 : byte == 0xc4 ? 1 : 2; more > 0; more--)
			next_byte(reading);
		return next_byte(reading);
	}
	/*
	 * AMD's XOP and pop both begin with 8f. The low 5 bits of the next byte are at least 8 in
	 * XOP (a map number), and less than 8 in pop.
	 */
	if (byte == 0x8f && reading->at < reading->count &&
	    (reading->bytes[reading->at] & 0x1f) >= 8) {
		const unsigned number = next_byte(reading) & 0x1f;

		next_byte(reading);
		*map = number == 8 ? 3 : 2;
		reading->failed = reading->failed || number > 9;
		return next_byte(reading);
	}
	if (byte != 0x0f)
		return byte;
	byte = next_byte(reading);
	*map = byte == 0x38 ? 2 : byte == 0x3a ? 3 : 1;
	return *map == 1 ? byte : next_byte(reading);
}

/* Bytes after a ModRM byte that give an address. */
static unsigned
address_bytes(struct x86_reading *reading, uint8_t modrm)
{
	const unsigned mode = modrm >> 6, base = modrm & 7;
	unsigned low = base;

	if (mode == 3)
		return 0;
	if (base == 4)
		low = next_byte(reading) & 7;
	return mode == 1 ? 1 : mode == 2 || low == 5 ? 4 : 0;
}

unsigned
x86_length(const uint8_t *bytes, size_t count)
{
	struct x86_reading reading = { .bytes = bytes,
				       .count = count < X86_LONGEST ? count : X86_LONGEST };
	unsigned map, operands;

	const uint8_t opcode = read_opcode(&reading, &map);
	operands = operands_of(map, opcode);
	if (reading.failed || operands == NONE)
		return 0;
	if (map == 0 && (opcode & 0xfe) == 0xf6) {
		/* In this group only TEST has an immediate. */
		const uint8_t modrm = reading.at < reading.count ? bytes[reading.at] : 0xff;

		operands = MODRM | ((modrm >> 3 & 7) > 1 ? 0u : opcode == 0xf6 ? BYTE : OPERAND);
	}
	if ((operands & MODRM) != 0)
		reading.at += address_bytes(&reading, next_byte(&reading));
	reading.at += (operands & BYTE) != 0 ? 1 : 0;
	reading.at += (operands & SHORT) != 0 ? 2 : 0;
	reading.at += (operands & NEAR) != 0 ? 4 : 0;
	reading.at += (operands & OFFSET) != 0 ? (reading.short_address ? 4 : 8) : 0;
	reading.at += (operands & WIDE) != 0 && reading.wide ? 8
		      : (operands & (OPERAND | WIDE)) == 0   ? 0
		      : reading.narrow && !reading.wide	     ? 2
							     : 4;
	return reading.failed || reading.at > reading.count ? 0 : (unsigned)reading.at;
}

/* Calls and stubs ------------------------------------------------------------------------------ */

/* Near and far calls, direct and indirect. Prefixes precede the opcode. */
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
		const uint8_t *begin = end - length;
		const unsigned operation = begin[1] >> 3 & 7;

		if (begin[0] == 0xff && (operation == 2 || (operation == 3 && begin[1] < 0xc0)) &&
		    x86_length(begin, length) == length)
			return call_found(code, length, length);
	}
	if (code->arch->stack_win && code->count >= 7 && end[-7] == 0x9a)
		return call_found(code, 7, 7);
	return call;
}

/*
 * Whether the jump at `at` may end a function. In 64-bit code compilers give such a jump a REX
 * prefix. In 32-bit code a jump after a stub, the end of a function or padding is a stub.
 */
static bool
may_leave(const uint8_t *at, bool wide)
{
	return wide ? at[-1] == 0x48
		    : at[-1] != 0xc3 && at[-3] != 0xc2 && at[-5] != 0xe9 && at[-1] != 0xcc &&
			      at[-1] != 0x90 && (at[-6] != 0xff || at[-5] != 0x25);
}

/*
 * [endbr] [mov $number, %r11d] [bnd] jmp *slot [push $number; jmp]
 * [endbr] push $number; [bnd] jmp		(the jump through the slot is in another section)
 * System V ABI: AMD64 Supplement, 5.2 and 13.2; i386 Supplement, 5.2.
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

/* Replace the name of a register's part by the register's name: r8d, r8w, r8b -> r8. */
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
	const bool relative = memory->base == X86_REG_RIP || memory->base == X86_REG_EIP;
	const uint64_t place = (uint64_t)memory->disp + decoder->insn->address +
			       decoder->insn->size;

	if (relative && decoder_is(decoder, "lea"))
		decoder->instruction->loaded = place;
	/* These instructions do not access their memory operand. */
	struct instruction_access *access =
		decoder_is(decoder, "lea nop prefetch*") ? NULL : decoder_access(decoder);

	if (access == NULL)
		return;
	access->displacement = memory->disp;
	if (relative)
		access->displacement = (int64_t)place;
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
	/* Capstone gives the areas of fxsave, xrstor and others the size of a word. */
	access->size = strstr(decoder->insn->mnemonic, "save") != NULL ||
				       strstr(decoder->insn->mnemonic, "rstor") != NULL
			       ? 0 : op->size;
	access->read = (op->access & CS_AC_READ) != 0;
	access->written = (op->access & CS_AC_WRITE) != 0;
	access->read = access->read || decoder->reads_memory;
	access->written = access->written || decoder->writes_memory;
	/*
	 * If neither the row nor capstone gives a direction, the access is a read: capstone marks
	 * plain stores as writes.
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
		/* Control and debug registers are accessible to the kernel only. */
		if (op->type == X86_OP_REG &&
		    ((op->reg >= X86_REG_CR0 && op->reg <= X86_REG_CR15) ||
		     (op->reg >= X86_REG_DR0 && op->reg <= X86_REG_DR15)))
			decoder->instruction->kinds |= INSTRUCTION_PRIVILEGED;
	}
	/* String instructions are recognised by opcode: vector instructions share their names. */
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
