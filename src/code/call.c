/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/call.h"

#include "base/compiler.h"

/* The bytes before a return address. */
struct code {
	const struct arch *arch;
	const uint8_t *end;		/* one behind the last byte */
	size_t count;
	uint64_t address;		/* of `end` */
	bool big_endian;
};

/* One form of call whose instruction begins `back` bytes before the return address. */
struct form {
	unsigned back, length;
	uint32_t mask, bits;
	/* Whether the rest fits too; NULL: it does. */
	bool (*fits)(const struct code *code, uint32_t word);
	/* Where the instruction at `address` leads; NULL: the instruction does not say. */
	uint64_t (*target)(const struct code *code, uint32_t word, uint64_t address);
};

static uint32_t
half(const struct code *code, unsigned back)
{
	const uint8_t *bytes = code->end - back;

	return code->big_endian ? (uint32_t)bytes[0] << 8 | bytes[1]
				: (uint32_t)bytes[1] << 8 | bytes[0];
}

static uint32_t
word_in_order(const struct code *code, unsigned back)
{
	return code->big_endian ? half(code, back) << 16 | half(code, back - 2)
				: half(code, back - 2) << 16 | half(code, back);
}

/* The low `bits` bits of a value as a signed number. */
static uint64_t
extend(uint64_t value, unsigned bits)
{
	uint64_t sign = (uint64_t)1 << (bits - 1);

	return ((value & (sign * 2 - 1)) ^ sign) - sign;
}

/* The bit `from` of a word at position `to`. */
static uint32_t
bit(uint32_t word, unsigned from, unsigned to)
{
	return (word >> from & 1) << to;
}

/* arm: Arm Architecture Reference Manual, DDI 0406, A8.8.25, A8.8.26; A32 ---------------------- */

static bool
arm_conditional(const struct code *code, uint32_t word)
{
	(void)code;
	return word >> 28 != 15;
}

static uint64_t
arm_bl(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return address + 8 + extend((uint64_t)word << 2, 26);
}

static uint64_t
arm_blx(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return address + 8 + extend((uint64_t)word << 2, 26) + bit(word, 24, 1);
}

/* Before there was BLX: `mov lr, pc`, which reads the address behind the next instruction. */
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
	uint32_t next = word_in_order(code, 4);

	for (size_t i = 0; i < ARRAY_COUNT(jumps); i++)
		if ((next & jumps[i].mask) == jumps[i].bits && next >> 28 != 15)
			return arm_conditional(code, word);
	return false;
}

static const struct form arm_forms[] = {
	{ 4, 4, 0x0f000000, 0x0b000000, arm_conditional, arm_bl },
	{ 4, 4, 0xfe000000, 0xfa000000, NULL, arm_blx },
	{ 4, 4, 0x0ffffff0, 0x012fff30, arm_conditional, NULL },	/* blx reg */
	{ 8, 4, 0x0fffffff, 0x01a0e00f, arm_jump_follows, NULL },
};

/* thumb: the same manual, T32; the word has the first half on top ------------------------------ */

static uint64_t
thumb_offset(uint32_t word)
{
	uint32_t sign = word >> 26 & 1;
	uint32_t i1 = ~(word >> 13 ^ sign) & 1, i2 = ~(word >> 11 ^ sign) & 1;

	return extend(sign << 24 | i1 << 23 | i2 << 22 | (word >> 16 & 0x3ff) << 12 |
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

static const struct form thumb_forms[] = {
	{ 4, 4, 0xf800d000, 0xf000d000, NULL, thumb_bl },
	{ 4, 4, 0xf800d001, 0xf000c000, NULL, thumb_blx },
	{ 2, 2, 0xff87, 0x4780, NULL, NULL },		/* blx reg */
};

/* arm64: Arm Architecture Reference Manual for A-profile, DDI 0487, C6.2 ----------------------- */

static uint64_t
arm64_bl(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return address + extend((uint64_t)word << 2, 28);
}

static const struct form arm64_forms[] = {
	{ 4, 4, 0xfc000000, 0x94000000, NULL, arm64_bl },
	{ 4, 4, 0xfffffc1f, 0xd63f0000, NULL, NULL },	/* blr */
	{ 4, 4, 0xfffff81f, 0xd63f081f, NULL, NULL },	/* blraaz, blrabz */
	{ 4, 4, 0xfffff800, 0xd73f0800, NULL, NULL },	/* blraa, blrab */
};

/* mips: MIPS Architecture for Programmers II, before release 6; a delay slot follows ----------- */

static uint64_t
mips_jal(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return ((address + 4) & ~(uint64_t)0x0fffffff) | (uint64_t)(word & 0x03ffffff) << 2;
}

static uint64_t
mips_branch(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return address + 4 + extend((uint64_t)word << 2, 18);
}

static const struct form mips_forms[] = {
	{ 8, 4, 0xfc000000, 0x0c000000, NULL, mips_jal },
	{ 8, 4, 0xfc000000, 0x74000000, NULL, mips_jal },	/* jalx */
	{ 8, 4, 0xfc1ff83f, 0x0000f809, NULL, NULL },		/* jalr $ra, reg */
	{ 8, 4, 0xfc1c0000, 0x04100000, NULL, mips_branch },	/* bltzal, bgezal, ...l; bal */
};

/* ppc: Power ISA, book I, 2.4 ------------------------------------------------------------------ */

static uint64_t
ppc_branch(uint32_t word, uint64_t address, unsigned bits)
{
	uint64_t offset = extend(word & ~(uint64_t)3, bits);

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

static const struct form ppc_forms[] = {
	{ 4, 4, 0xfc000001, 0x48000001, NULL, ppc_bl },
	{ 4, 4, 0xfc000001, 0x40000001, NULL, ppc_bcl },
	{ 4, 4, 0xfc0007ff, 0x4c000021, NULL, NULL },	/* bclrl */
	{ 4, 4, 0xfc0007ff, 0x4c000421, NULL, NULL },	/* bcctrl */
	{ 4, 4, 0xfc0007ff, 0x4c000461, NULL, NULL },	/* bctarl */
};

/* sparc: The SPARC Architecture Manual, version 9, A.8, A.24; a delay slot follows ------------- */

static uint64_t
sparc_call(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return address + extend((uint64_t)word << 2, 32);
}

static const struct form sparc_forms[] = {
	{ 8, 4, 0xc0000000, 0x40000000, NULL, sparc_call },
	{ 8, 4, 0xfff80000, 0x9fc00000, NULL, NULL },	/* jmpl address, %o7 */
};

/* riscv: The RISC-V Instruction Set Manual, volume I, 2.5 and 27.5 ----------------------------- */

static uint64_t
riscv_jal(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return address + extend(bit(word, 31, 20) | (word >> 12 & 0xff) << 12 | bit(word, 20, 11) |
				(word >> 21 & 0x3ff) << 1, 21);
}

/* `auipc reg` before `jalr ra, reg`: the pair that assemblers write for a far call. */
static bool
riscv_is_pair(const struct code *code, uint32_t word)
{
	uint32_t before = word_in_order(code, 8);

	return (before & 0x7f) == 0x17 && (before >> 7 & 0x1f) == (word >> 15 & 0x1f) &&
	       (before >> 7 & 0x1f) != 0;
}

static uint64_t
riscv_pair(const struct code *code, uint32_t word, uint64_t address)
{
	uint32_t before = word_in_order(code, 8);

	return address - 4 + extend(before & 0xfffff000, 32) + extend(word >> 20, 12);
}

static bool
riscv_names_register(const struct code *code, uint32_t word)
{
	(void)code;
	return (word >> 7 & 0x1f) != 0;
}

/* The same bits are another instruction on riscv64. */
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
	return address + extend(bit(word, 12, 11) | bit(word, 11, 4) | (word >> 9 & 3) << 8 |
				bit(word, 8, 10) | bit(word, 7, 6) | bit(word, 6, 7) |
				(word >> 3 & 7) << 1 | bit(word, 2, 5), 12);
}

static const struct form riscv_forms[] = {
	{ 4, 4, 0x00000fff, 0x000000ef, NULL, riscv_jal },
	{ 4, 4, 0x00007fff, 0x000000e7, NULL, NULL },		/* jalr ra */
	{ 2, 2, 0xf07f, 0x9002, riscv_names_register, NULL },	/* c.jalr */
	{ 2, 2, 0xe003, 0x2001, riscv_is_32, riscv_c_jal },
};
static const struct form riscv_far_form = { 4, 4, 0x00007fff, 0x000000e7, riscv_is_pair,
					    riscv_pair };

/* ---------------------------------------------------------------------------------------------- */

static struct call_site
found(const struct code *code, unsigned back, unsigned length)
{
	return (struct call_site){ .answer = CALL_YES, .length = length,
			      .address = arch_wrap(code->arch, code->address - back) };
}

static bool
form_matches(const struct code *code, const struct form *form, bool halves, struct call_site *call)
{
	uint32_t word;

	if (form->length == 2)
		word = half(code, form->back);
	else if (halves)
		word = half(code, form->back) << 16 | half(code, form->back - 2);
	else
		word = word_in_order(code, form->back);
	if ((word & form->mask) != form->bits ||
	    (form->fits != NULL && !form->fits(code, word)))
		return false;
	*call = found(code, form->back, form->length);
	if (form->target != NULL) {
		call->direct = true;
		call->target = arch_wrap(code->arch, form->target(code, word, call->address));
	}
	return true;
}

static struct call_site
match(const struct code *code, const struct form *forms, size_t count, bool halves)
{
	struct call_site call = { .answer = CALL_NO };

	for (size_t i = 0; i < count; i++) {
		if (code->count < forms[i].back)
			call.answer = CALL_UNKNOWN;
		else if (form_matches(code, &forms[i], halves, &call))
			return call;
	}
	return call;
}

static struct call_site
match_riscv(const struct code *code)
{
	struct call_site call;

	if (code->count >= 8 && form_matches(code, &riscv_far_form, false, &call))
		return call;
	return match(code, riscv_forms, ARRAY_COUNT(riscv_forms), false);
}

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

/* Calls of x86 and amd64: near direct, near and far indirect, far direct. Prefixes stand before. */
static struct call_site
match_x86(const struct code *code)
{
	const uint8_t *end = code->end;
	struct call_site call = { .answer = code->count < 7 ? CALL_UNKNOWN : CALL_NO };

	if (code->count >= 5 && end[-5] == 0xe8) {
		uint64_t offset = end[-4] | (uint64_t)end[-3] << 8 | (uint64_t)end[-2] << 16 |
				  (uint64_t)end[-1] << 24;

		call = found(code, 5, 5);
		call.direct = true;
		call.target = arch_wrap(code->arch, code->address + extend(offset, 32));
		return call;
	}
	for (unsigned length = 2; length <= 7 && length <= code->count; length++) {
		uint8_t modrm = end[1 - (int)length], sib = length > 2 ? end[2 - (int)length] : 0;
		unsigned operation = modrm >> 3 & 7;

		if (end[-(int)length] == 0xff && indirect_length(modrm, sib) == length &&
		    (operation == 2 || (operation == 3 && modrm < 0xc0)))
			return found(code, length, length);
	}
	if (code->arch->id == ARCH_X86 && code->count >= 7 && end[-7] == 0x9a)
		return found(code, 7, 7);
	return call;
}

static struct call_site
match_arm(const struct code *code, bool thumb)
{
	if (thumb)
		return match(code, thumb_forms, ARRAY_COUNT(thumb_forms), true);
	return match(code, arm_forms, ARRAY_COUNT(arm_forms), false);
}

struct call_site
call_before(const struct arch *arch, bool big_endian, const uint8_t *bytes, size_t count,
	    uint64_t address)
{
	struct code code = { .arch = arch, .end = bytes + count, .count = count,
			     .address = address, .big_endian = big_endian };

	switch (arch->id) {
	case ARCH_X86:
	case ARCH_AMD64:
		return match_x86(&code);
	case ARCH_ARM:
		/* Code is little endian whatever the data is, since version 6. */
		code.big_endian = false;
		code.address = address & ~(uint64_t)1;
		return match_arm(&code, (address & 3) != 0);
	case ARCH_ARM64:
		code.big_endian = false;
		return match(&code, arm64_forms, ARRAY_COUNT(arm64_forms), false);
	case ARCH_MIPS:
	case ARCH_MIPS64:
		/* An odd address is one of MIPS16 or microMIPS. */
		if ((address & 1) != 0)
			break;
		return match(&code, mips_forms, ARRAY_COUNT(mips_forms), false);
	case ARCH_PPC:
	case ARCH_PPC64:
		return match(&code, ppc_forms, ARRAY_COUNT(ppc_forms), false);
	case ARCH_SPARC:
	case ARCH_SPARC32:
		return match(&code, sparc_forms, ARRAY_COUNT(sparc_forms), false);
	case ARCH_RISCV:
	case ARCH_RISCV64:
		code.big_endian = false;
		return match_riscv(&code);
	case ARCH_S390X:
	case ARCH_UNKNOWN:
	case ARCH_COUNT:
		break;
	}
	return (struct call_site){ .answer = CALL_UNKNOWN };
}

/* The bytes of the dump that end at `address`, as many as there are, at the end of `window`. */
static size_t
dump_bytes(const struct memory_view *view, uint64_t address, uint8_t *window)
{
	size_t count = 0;

	while (count < CALL_WINDOW && count < address) {
		uint64_t byte;

		if (!memory_read(view, address - count - 1, 1, &byte, NULL))
			break;
		count++;
		window[CALL_WINDOW - count] = (uint8_t)byte;
	}
	return count;
}

static size_t
file_bytes(struct binaries *binaries, uint64_t address, uint8_t *window)
{
	size_t count = CALL_WINDOW;

	/* Less than all only where a segment begins. */
	while (count > 1 && (count > address ||
			     binaries_read(binaries, address - count,
					   window + CALL_WINDOW - count, count, NULL) != count))
		count--;
	return count > 1 ? count : 0;
}

struct call_site
call_find(const struct arch *arch, const struct memory_view *view, struct binaries *binaries,
	  uint64_t address)
{
	uint64_t end = arch->id == ARCH_ARM ? address & ~(uint64_t)1 : address;
	uint8_t window[CALL_WINDOW], byte;
	struct call_site call = { .answer = CALL_UNKNOWN };
	uint64_t value;

	size_t count = dump_bytes(view, end, window);
	if (count != 0)
		call = call_before(arch, view->big_endian, window + CALL_WINDOW - count, count,
				   address);
	if (call.answer == CALL_YES)
		memory_read(view, call.address, 1, &value, &call.place);
	if (call.answer != CALL_UNKNOWN || count == CALL_WINDOW)
		return call;
	count = file_bytes(binaries, end, window);
	if (count == 0)
		return call;
	call = call_before(arch, view->big_endian, window + CALL_WINDOW - count, count, address);
	call.from_file = true;
	if (call.answer == CALL_YES)
		binaries_read(binaries, call.address, &byte, 1, &call.place);
	call.place.length = call.length;
	return call;
}
