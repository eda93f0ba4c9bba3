/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "code/instruction.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_CAPSTONE

#include "base/compiler.h"
#include "code/instruction_internal.h"

/* capstone learned RISC-V with version 5. */
#if CS_API_MAJOR >= 5
#define RISCV(mode) { true, FAMILY_RISCV, CS_ARCH_RISCV, CS_MODE_RISCVC | (mode), false }
#define RISCV32 RISCV(CS_MODE_RISCV32)
#define RISCV64 RISCV(CS_MODE_RISCV64)
#else
#define RISCV32 { .known = false }
#define RISCV64 { .known = false }
#endif

static const struct machine {
	bool known;
	enum instruction_family family;
	cs_arch arch;
	int mode;
	bool either_order;		/* instructions are stored in the dump's byte order */
} machines[ARCH_COUNT] = {
	[ARCH_X86] = { true, FAMILY_X86, CS_ARCH_X86, CS_MODE_32, false },
	[ARCH_AMD64] = { true, FAMILY_X86, CS_ARCH_X86, CS_MODE_64, false },
	[ARCH_ARM] = { true, FAMILY_ARM, CS_ARCH_ARM, CS_MODE_ARM, false },
	[ARCH_ARM64] = { true, FAMILY_ARM64, CS_ARCH_ARM64, CS_MODE_ARM, false },
	[ARCH_MIPS] = { true, FAMILY_MIPS, CS_ARCH_MIPS, CS_MODE_MIPS32, true },
	[ARCH_MIPS64] = { true, FAMILY_MIPS, CS_ARCH_MIPS, CS_MODE_MIPS64, true },
	[ARCH_PPC] = { true, FAMILY_PPC, CS_ARCH_PPC, CS_MODE_32, true },
	[ARCH_PPC64] = { true, FAMILY_PPC, CS_ARCH_PPC, CS_MODE_64, true },
	[ARCH_SPARC] = { true, FAMILY_SPARC, CS_ARCH_SPARC, CS_MODE_V9, true },
	[ARCH_SPARC32] = { true, FAMILY_SPARC, CS_ARCH_SPARC, CS_MODE_V9, true },
	[ARCH_RISCV] = RISCV32,
	[ARCH_RISCV64] = RISCV64,
};

/* Other spellings of registers; those of x86 name a part of the one in the tables. */
static const struct spelling {
	enum instruction_family family;
	const char *capstone, *narrow, *wide;	/* wide: on 64-bit machines; NULL: the same */
} spellings[] = {
	{ FAMILY_X86, "al", "eax", "rax" }, { FAMILY_X86, "ah", "eax", "rax" },
	{ FAMILY_X86, "ax", "eax", "rax" }, { FAMILY_X86, "eax", "eax", "rax" },
	{ FAMILY_X86, "bl", "ebx", "rbx" }, { FAMILY_X86, "bh", "ebx", "rbx" },
	{ FAMILY_X86, "bx", "ebx", "rbx" }, { FAMILY_X86, "ebx", "ebx", "rbx" },
	{ FAMILY_X86, "cl", "ecx", "rcx" }, { FAMILY_X86, "ch", "ecx", "rcx" },
	{ FAMILY_X86, "cx", "ecx", "rcx" }, { FAMILY_X86, "ecx", "ecx", "rcx" },
	{ FAMILY_X86, "dl", "edx", "rdx" }, { FAMILY_X86, "dh", "edx", "rdx" },
	{ FAMILY_X86, "dx", "edx", "rdx" }, { FAMILY_X86, "edx", "edx", "rdx" },
	{ FAMILY_X86, "sil", "esi", "rsi" }, { FAMILY_X86, "si", "esi", "rsi" },
	{ FAMILY_X86, "esi", "esi", "rsi" }, { FAMILY_X86, "dil", "edi", "rdi" },
	{ FAMILY_X86, "di", "edi", "rdi" }, { FAMILY_X86, "edi", "edi", "rdi" },
	{ FAMILY_X86, "bpl", "ebp", "rbp" }, { FAMILY_X86, "bp", "ebp", "rbp" },
	{ FAMILY_X86, "ebp", "ebp", "rbp" }, { FAMILY_X86, "spl", "esp", "rsp" },
	{ FAMILY_X86, "sp", "esp", "rsp" }, { FAMILY_X86, "esp", "esp", "rsp" },
	{ FAMILY_X86, "eip", "eip", "rip" },
	{ FAMILY_ARM, "sb", "r9", NULL }, { FAMILY_ARM, "sl", "r10", NULL },
	{ FAMILY_ARM, "ip", "r12", NULL }, { FAMILY_ARM64, "wsp", "sp", NULL },
	{ FAMILY_MIPS, "s8", "fp", NULL }, { FAMILY_RISCV, "fp", "s0", NULL },
};

const char *
instruction_unsupported(const struct arch *arch)
{
	return machines[arch->id].known ? NULL
	       : "this unspool's capstone does not know the architecture's instructions";
}

static const char *
spelled(const struct decoder *decoder, const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(spellings); i++)
		if (spellings[i].family == decoder->family &&
		    strcmp(spellings[i].capstone, name) == 0)
			return decoder->arch->word_size == 8 && spellings[i].wide != NULL
			       ? spellings[i].wide : spellings[i].narrow;
	return name;
}

int
decoder_register(const struct decoder *decoder, unsigned reg)
{
	const char *name = reg != 0 ? cs_reg_name(decoder->handle, reg) : NULL;
	char whole[8];
	int length;

	if (name == NULL || strlen(name) >= sizeof(whole))
		return ARCH_NO_REGISTER;
	snprintf(whole, sizeof(whole), "%s", spelled(decoder, name));
	/* r8d, r8w and r8b are parts of r8; w0 of x0. */
	if (decoder->family == FAMILY_X86 && sscanf(name, "r%*u%n", &length) == 0 &&
	    name[1] >= '0' && name[1] <= '9')
		whole[strcspn(whole, "dwb")] = '\0';
	if (decoder->family == FAMILY_ARM64 && name[0] == 'w' && name[1] >= '0' && name[1] <= '9')
		whole[0] = 'x';
	return arch_register(decoder->arch, text_of(whole), ARCH_NAMES_ALIASES);
}

static uint64_t
register_set(const struct decoder *decoder, const uint16_t *list, uint8_t count)
{
	uint64_t set = 0;

	for (uint8_t i = 0; i < count; i++) {
		int number = decoder_register(decoder, list[i]);

		if (number != ARCH_NO_REGISTER)
			set |= (uint64_t)1 << number;
	}
	return set;
}

static void
apply_registers(struct decoder *decoder)
{
	uint8_t read_count = 0, write_count = 0;
	cs_regs reads, writes;

	if (cs_regs_access(decoder->handle, decoder->insn, reads, &read_count, writes,
			   &write_count) != CS_ERR_OK)
		return;
	decoder->instruction->reads = register_set(decoder, reads, read_count);
	decoder->instruction->writes = register_set(decoder, writes, write_count);
}

/* On arm a return is a jump to lr, or anything else that loads the pc from the stack. */
static void
apply_returns(struct decoder *decoder)
{
	struct instruction *instruction = decoder->instruction;
	const struct arch *arch = decoder->arch;
	bool to_link = arch->lr != ARCH_NO_REGISTER &&
		       instruction->target_register == arch->lr;
	bool writes_pc = decoder->family == FAMILY_ARM &&
			 (instruction->writes >> arch->pc & 1) != 0;

	if ((instruction->kinds & INSTRUCTION_JUMP) != 0 && to_link)
		instruction->kinds = (instruction->kinds & ~(unsigned)INSTRUCTION_JUMP) |
				     INSTRUCTION_RETURN;
	else if (writes_pc && (instruction->kinds & INSTRUCTION_POP) != 0)
		instruction->kinds |= INSTRUCTION_RETURN;
	else if (writes_pc && instruction->kinds == 0)
		instruction->kinds = instruction->access_count == 0 &&
				     (instruction->reads >> arch->lr & 1) != 0
				     ? INSTRUCTION_RETURN : INSTRUCTION_JUMP;
}

static void
take_apart(struct decoder *decoder)
{
	const cs_insn *insn = decoder->insn;
	struct instruction *instruction = decoder->instruction;
	const char *name = cs_insn_name(decoder->handle, insn->id);

	decoder->name = name != NULL ? name : insn->mnemonic;
	instruction->length = insn->size;
	memcpy(instruction->bytes, insn->bytes, insn->size);
	snprintf(instruction->text, sizeof(instruction->text), "%s%s%s", insn->mnemonic,
		 insn->op_str[0] != '\0' ? " " : "", insn->op_str);
	mnemonic_apply(decoder);
	apply_registers(decoder);
	operands_apply(decoder);
	apply_returns(decoder);
}

bool
instruction_decode(struct instruction *instruction, const struct arch *arch, bool big_endian,
		   bool thumb, const uint8_t *bytes, size_t count, uint64_t address)
{
	const struct machine *machine = &machines[arch->id];
	int mode = machine->mode;
	cs_insn *insn = NULL;
	csh handle;

	*instruction = (struct instruction){ .address = address,
					     .target_register = ARCH_NO_REGISTER,
					     .target_access = INSTRUCTION_NO_ACCESS };
	if (arch->id == ARCH_ARM && thumb)
		mode = CS_MODE_THUMB;
	if (machine->either_order && big_endian)
		mode = (int)((unsigned)mode | (unsigned)CS_MODE_BIG_ENDIAN);
	if (!machine->known || cs_open(machine->arch, (cs_mode)mode, &handle) != CS_ERR_OK)
		return false;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (count > INSTRUCTION_WINDOW)
		count = INSTRUCTION_WINDOW;
	bool good = cs_disasm(handle, bytes, count, address, 1, &insn) == 1 &&
		    insn->size <= INSTRUCTION_WINDOW;
	if (good) {
		struct decoder decoder = { .handle = handle, .insn = insn, .arch = arch,
					   .family = machine->family, .thumb = thumb,
					   .instruction = instruction };

		take_apart(&decoder);
	}
	if (insn != NULL)
		cs_free(insn, 1);
	cs_close(&handle);
	return good;
}

#else

const char *
instruction_unsupported(const struct arch *arch)
{
	(void)arch;
	return "this unspool was built without capstone";
}

bool
instruction_decode(struct instruction *instruction, const struct arch *arch, bool big_endian,
		   bool thumb, const uint8_t *bytes, size_t count, uint64_t address)
{
	(void)arch;
	(void)big_endian;
	(void)thumb;
	(void)bytes;
	(void)count;
	*instruction = (struct instruction){ .address = address,
					     .target_register = ARCH_NO_REGISTER,
					     .target_access = INSTRUCTION_NO_ACCESS };
	return false;
}

#endif

/* As many bytes of the dump as there are from `address` on. */
static size_t
dump_bytes(const struct memory_view *view, uint64_t address, uint8_t *window)
{
	size_t count = 0;
	uint64_t byte;

	while (count < INSTRUCTION_WINDOW && count <= UINT64_MAX - address &&
	       memory_read(view, address + count, 1, &byte, NULL))
		window[count++] = (uint8_t)byte;
	return count;
}

bool
instruction_at(struct instruction *instruction, const struct arch *arch,
	       const struct memory_view *view, struct binaries *binaries, bool thumb,
	       uint64_t address)
{
	uint8_t window[INSTRUCTION_WINDOW];
	struct place place = { 0 };
	uint64_t byte;

	if (arch->id == ARCH_ARM && (address & 1) != 0) {
		address &= ~(uint64_t)1;
		thumb = true;
	}
	size_t count = dump_bytes(view, address, window);
	bool good = count != 0 && instruction_decode(instruction, arch, view->big_endian, thumb,
						     window, count, address);
	if (good) {
		memory_read(view, address, 1, &byte, &place);
	} else if (count < INSTRUCTION_WINDOW) {
		count = binaries_read(binaries, address, window, sizeof(window), &place);
		good = instruction_decode(instruction, arch, view->big_endian, thumb, window,
					  count, address);
		instruction->from_file = good;
	}
	place.length = instruction->length;
	if (good)
		instruction->place = place;
	return good;
}

bool
instruction_address(const struct instruction_access *access, const struct registers *registers,
		    uint64_t *address)
{
	uint64_t sum = (uint64_t)access->displacement;

	if (access->segment || access->opaque ||
	    (access->base != ARCH_NO_REGISTER && !registers_known(registers, access->base)) ||
	    (access->index != ARCH_NO_REGISTER && !registers_known(registers, access->index)))
		return false;
	if (access->base != ARCH_NO_REGISTER)
		sum += registers->value[access->base];
	if (access->index != ARCH_NO_REGISTER)
		sum += registers->value[access->index] * (uint64_t)access->scale;
	*address = access->width == 4 ? (uint32_t)sum : sum;
	return true;
}
