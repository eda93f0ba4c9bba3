/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/machine.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "code/capstone_library.h"

#ifdef HAVE_CAPSTONE

const char *
instruction_unsupported(const struct arch *arch)
{
	const struct family *family = machine_of(arch)->family;

	return family != NULL && family->known ? NULL
	       : "capstone does not support this architecture";
}

/* Whether one of the patterns (separated by blanks) matches a name. */
static bool
matches(const char *patterns, const char *name)
{
	char pattern[32];

	while (*patterns != '\0') {
		const size_t length = strcspn(patterns, " ");
		/*
		 * Each instruction is compared with some 50 patterns. The letters before the first
		 * wildcard exclude most of them.
		 */
		const size_t plain = strcspn(patterns, "*?[ ");

		if (strncmp(name, patterns, plain) == 0) {
			snprintf(pattern, sizeof(pattern), "%.*s", (int)length, patterns);
			if (fnmatch(pattern, name, 0) == 0)
				return true;
		}
		patterns += length + (patterns[length] == ' ');
	}
	return false;
}

bool
decoder_is(const struct decoder *decoder, const char *patterns)
{
	return matches(patterns, decoder->name);
}

int
decoder_register(const struct decoder *decoder, unsigned reg)
{
	const char *name = reg != 0 ? capstone()->cs_reg_name(decoder->handle, reg) : NULL;
	const struct family *family = decoder->family;
	char whole[8];

	if (name == NULL || strlen(name) >= sizeof(whole))
		return ARCH_NO_REGISTER;
	snprintf(whole, sizeof(whole), "%s", name);
	for (size_t i = 0; i < family->spelling_count; i++) {
		const struct spelling *row = &family->spellings[i];
		const bool wide = decoder->arch->word_size == 8 && row->wide != NULL;

		if (matches(row->capstone, name)) {
			snprintf(whole, sizeof(whole), "%s", wide ? row->wide : row->narrow);
			break;
		}
	}
	if (family->whole != NULL)
		family->whole(whole);
	return arch_register(decoder->arch, text_of(whole), ARCH_NAMES_ALIASES);
}

/* Record that an instruction reads a register (ARCH_NO_REGISTER: no effect). */
static void
note_read(struct decoder *decoder, int number)
{
	if (number != ARCH_NO_REGISTER)
		decoder->instruction->reads |= (uint64_t)1 << number;
}

struct instruction_access *
decoder_access(struct decoder *decoder)
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

void
decoder_stack(struct decoder *decoder, int base, int64_t offset, unsigned size, bool written)
{
	struct instruction_access *access = decoder_access(decoder);

	if (access == NULL)
		return;
	access->base = base;
	access->displacement = offset;
	access->size = size;
	access->written = written;
	access->read = !written;
	access->implicit = true;
}

int
decoder_address(const struct decoder *decoder, struct instruction_access *access, unsigned reg)
{
	int number = decoder_register(decoder, reg);

	if (reg != 0 && number == ARCH_NO_REGISTER)
		access->opaque = true;
	return number;
}

void
decoder_lead(struct decoder *decoder, uint64_t target)
{
	struct instruction *instruction = decoder->instruction;

	if ((instruction->kinds & FLOW) == 0)
		return;
	instruction->has_target = true;
	instruction->target = arch_wrap(decoder->arch, target);
}

void
decoder_lead_register(struct decoder *decoder, unsigned reg, bool last)
{
	struct instruction *instruction = decoder->instruction;

	if ((instruction->kinds & FLOW) != 0 &&
	    (last || instruction->target_register == ARCH_NO_REGISTER))
		instruction->target_register = decoder_register(decoder, reg);
}

void
decoder_memory(struct decoder *decoder, unsigned base, unsigned index, int64_t displacement)
{
	struct instruction_access *access = decoder_access(decoder);

	if (access == NULL)
		return;
	access->displacement = displacement;
	access->base = decoder_address(decoder, access, base);
	access->index = decoder_address(decoder, access, index);
	note_read(decoder, access->base);
	note_read(decoder, access->index);
	access->size = decoder->memory_size;
	access->read = decoder->reads_memory;
	access->written = decoder->writes_memory;
}

/* Take kinds, memory size and access from the row of the mnemonic. */
static void
apply_mnemonic(struct decoder *decoder)
{
	static const struct {
		unsigned group, kinds;
	} groups[] = {
		{ CS_GRP_PRIVILEGE, SUPERVISOR },
		{ CS_GRP_CALL, CALL },
		{ CS_GRP_RET, RETURN },
	};
	const struct family *family = decoder->family;
	unsigned *kinds = &decoder->instruction->kinds;

	for (size_t i = 0; i < family->mnemonic_count; i++) {
		const struct mnemonic *row = &family->mnemonics[i];

		if (!decoder_is(decoder, row->patterns))
			continue;
		*kinds = row->kinds;
		decoder->memory_size = row->size;
		decoder->reads_memory = row->access != NULL && row->access[0] == 'r';
		decoder->writes_memory = row->access != NULL && strchr(row->access, 'w') != NULL;
		break;
	}
	if ((*kinds & (CALL | JUMP | RETURN | SYSTEM | TRAP)) != 0)
		return;
	/* Add the kinds of capstone's groups. On x86 its privileged group has too many members. */
	for (size_t i = 0; i < ARRAY_COUNT(groups); i++)
		if ((groups[i].group != CS_GRP_PRIVILEGE || !family->loads_privileged) &&
		    capstone()->cs_insn_group(decoder->handle, decoder->insn, groups[i].group))
			*kinds |= groups[i].kinds;
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

/* On arm a return is a jump to lr, or anything else that loads the pc from the stack. */
static void
apply_returns(struct decoder *decoder)
{
	struct instruction *instruction = decoder->instruction;
	const struct arch *arch = decoder->arch;
	bool to_link = arch->lr != ARCH_NO_REGISTER &&
		       instruction->target_register == arch->lr;
	bool writes_pc = decoder->arch->mode_bit != 0 &&
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
	const char *name = capstone()->cs_insn_name(decoder->handle, insn->id);
	uint8_t read_count = 0, write_count = 0;
	cs_regs reads, writes;

	decoder->name = name != NULL ? name : insn->mnemonic;
	instruction->length = insn->size;
	memcpy(instruction->bytes, insn->bytes, insn->size);
	snprintf(instruction->text, sizeof(instruction->text), "%s%s%s", insn->mnemonic,
		 insn->op_str[0] != '\0' ? " " : "", insn->op_str);
	apply_mnemonic(decoder);
	if (capstone()->cs_regs_access(decoder->handle, insn, reads, &read_count, writes,
				    &write_count) == CS_ERR_OK) {
		instruction->reads = register_set(decoder, reads, read_count);
		instruction->writes = register_set(decoder, writes, write_count);
	}
	if (insn->detail != NULL) {
		decoder->family->operands(decoder);
		/*
		 * If a branch names a register and an address (compare-and-branch), its target is
		 * the address.
		 */
		if (instruction->has_target || instruction->target_access >= 0)
			instruction->target_register = ARCH_NO_REGISTER;
		note_read(decoder, instruction->target_register);
	}
	apply_returns(decoder);
}

bool
instruction_decode(struct instruction *instruction, const struct arch *arch, bool thumb,
		   const struct reader *code, uint64_t address)
{
	const struct machine *machine = machine_of(arch);
	const struct family *family = machine->family;
	int mode = machine->mode;
	cs_insn *insn = NULL;
	csh handle;

	*instruction = (struct instruction){ .address = address,
					     .target_register = ARCH_NO_REGISTER,
					     .target_access = INSTRUCTION_NO_ACCESS };
	if (family == NULL || !family->known)
		return false;
	if (arch->mode_bit != 0 && thumb)
		mode = machine->thumb_mode;
	if (family->either_order && code->big_endian)
		mode = (int)((unsigned)mode | (unsigned)CS_MODE_BIG_ENDIAN);
	if (!capstone_open(family->arch, (cs_mode)mode, &handle))
		return false;
	capstone()->cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	const size_t count =
		code->size < INSTRUCTION_WINDOW ? (size_t)code->size : INSTRUCTION_WINDOW;
	bool good = capstone_has_memory() &&
		    capstone()->cs_disasm(handle, code->data, count, address, 1, &insn) == 1 &&
		    insn->size <= INSTRUCTION_WINDOW;
	if (good) {
		struct decoder decoder = { .handle = handle, .insn = insn, .arch = arch,
					   .family = family, .thumb = thumb,
					   .instruction = instruction };

		take_apart(&decoder);
	}
	if (insn != NULL)
		capstone()->cs_free(insn, 1);
	capstone()->cs_close(&handle);
	return good;
}

#else

const char *
instruction_unsupported(const struct arch *arch)
{
	(void)arch;
	return "built without capstone";
}

bool
instruction_decode(struct instruction *instruction, const struct arch *arch, bool thumb,
		   const struct reader *code, uint64_t address)
{
	(void)arch;
	(void)thumb;
	(void)code;
	*instruction = (struct instruction){ .address = address,
					     .target_register = ARCH_NO_REGISTER,
					     .target_access = INSTRUCTION_NO_ACCESS };
	return false;
}

#endif

bool
instruction_at(struct instruction *instruction, const struct arch *arch,
	       const struct memory_view *view, struct binaries *binaries, bool thumb,
	       uint64_t address)
{
	uint8_t window[INSTRUCTION_WINDOW];
	struct reader code = { .data = window, .big_endian = view->big_endian };
	struct place place = { 0 };
	uint64_t byte;

	if ((address & arch->mode_bit) != 0) {
		address = arch_code(arch, address);
		thumb = true;
	}
	while (code.size < INSTRUCTION_WINDOW && code.size <= UINT64_MAX - address &&
	       memory_read(view, address + code.size, 1, &byte, NULL))
		window[code.size++] = (uint8_t)byte;
	bool good = code.size != 0 && instruction_decode(instruction, arch, thumb, &code, address);
	if (good) {
		memory_read(view, address, 1, &byte, &place);
	} else if (code.size < INSTRUCTION_WINDOW) {
		code.size = binaries_read(binaries, address, window, sizeof(window), &place);
		good = instruction_decode(instruction, arch, thumb, &code, address);
		instruction->from_file = good;
	}
	place.length = instruction->length;
	if (good)
		instruction->place = place;
	return good;
}

const char *
instruction_operand(const struct instruction_access *access, const struct arch *arch, char *buffer,
		    size_t size)
{
	const bool negative = access->displacement < 0;
	const uint64_t distance = negative ? 0 - (uint64_t)access->displacement
					   : (uint64_t)access->displacement;
	size_t used = 0;

	buffer[0] = '\0';
	if (access->base != ARCH_NO_REGISTER)
		used += (size_t)snprintf(buffer, size, "%s", arch->registers[access->base].label);
	if (access->index != ARCH_NO_REGISTER)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s*%d",
					 used > 0 ? " + " : "",
					 arch->registers[access->index].label, access->scale);
	if (distance != 0 && used > 0)
		snprintf(buffer + used, size - used, " %c 0x%" PRIx64, negative ? '-' : '+',
			 distance);
	return buffer;
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
