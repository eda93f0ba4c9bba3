/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/arch.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

/* Registers in the notation of arch.def: plain or callee-saved, with `$` in rules or without. */
#define R(name) { #name, #name, false, false }
#define K(name) { #name, #name, true, true }
#define D(name) { "$" #name, #name, false, false }
#define DK(name) { "$" #name, #name, true, true }
#define UNRULED(name) { NULL, #name, false, false }

/* Initializers of a pointer to a list of `type`, and of its count. */
#define LIST(type, member, count, ...)							\
	.member = (const type[]){ __VA_ARGS__ },						\
	.count = sizeof((const type[]){ __VA_ARGS__ }) / sizeof(type)

#define REGISTERS(...) LIST(struct arch_register, registers, register_count, __VA_ARGS__)
#define DWARF_ORDER(...) LIST(int8_t, dwarf_order, dwarf_count, __VA_ARGS__)
#define REPORT_ORDER(...) LIST(int8_t, report_order, report_count, __VA_ARGS__)
#define ARGUMENTS(on, ...) { .systems = (on), LIST(int8_t, registers, count, __VA_ARGS__) }
#define PROCESSORS(...) LIST(uint16_t, processors, processor_count, __VA_ARGS__)
#define SIGNAL_FRAMES(...)								\
	LIST(struct arch_signal_frame, signal_frames, signal_frame_count, __VA_ARGS__)
#define WORD(size) .word_size = size, .register_size = size, .report_size = size
#define CALL_STEP(step) .call_step = step, .long_call_step = step
#define ARCH_TABLE(name) &archs[ARCH_##name]
#define ON(system) (1u << CRASH_OS_##system)
#define ON_LINUX (ON(LINUX) | ON(ANDROID))

/* Constant bits of eflags: bit 1 is set, the others are 0 (Intel SDM 1, 3.4.3). */
#define EFLAGS_FIXED UINT64_C(0xffffffffffc0802a)
#define EFLAGS_FIXED_32 UINT64_C(0xffc0802a)
#define EFLAGS_BITS UINT64_C(2)

/* Bits of CONTEXT.ContextFlags (winnt.h): the processor, and the parts control and integer. */
#define CONTEXT_MASK UINT64_C(0x00ff0003)
#define CONTEXT_BITS(processor) ((UINT64_C(processor) << 16) + 3)

/*
 * For a callback (KiUserCallbackDispatcher) the kernel stores on the stack: a pointer to the
 * arguments, their length (less than 1 MiB), the function's number (user32.dll has some hundred),
 * the old stack pointer, and then the arguments. The old stack pointer is less than 64 bytes above
 * the end of the arguments.
 */
#define CALLBACK_LENGTH UINT64_C(0xfff00000)
#define CALLBACK_NUMBER UINT64_C(0xfffff000)
#define CALLBACK_GAP (~UINT64_C(63))

/*
 * Fixed bits of pstate in a CONTEXT of user code: the mode, and the masks of interrupts, which
 * user code cannot set (Arm ARM, C5.2).
 */
#define PSTATE_FIXED UINT64_C(0x3df)

/* Bits that are 0 in the distance to the interrupted stack: below 256 MiB, and a multiple of 16. */
#define STACK_ABOVE (~UINT64_C(0x0ffffff0))

static const struct arch archs[ARCH_COUNT] = {
#define ARCH(name_of_id, ...) [ARCH_##name_of_id] = { .id = ARCH_##name_of_id, __VA_ARGS__ },
#include "crash/arch.def"
#undef ARCH
};

const struct arch *
arch_by_id(enum arch_id id)
{
	return &archs[id < ARCH_COUNT ? id : ARCH_UNKNOWN];
}

static bool
has_word(const char *words, struct text name)
{
	for (const char *at = words; at != NULL && *at != '\0';) {
		const size_t length = strcspn(at, " ");

		if (text_equal((struct text){ at, length }, name))
			return true;
		at += length + (at[length] == ' ');
	}
	return false;
}

const struct arch *
arch_of_symbols(struct text name)
{
	for (size_t i = 0; i < ARCH_COUNT; i++)
		if (has_word(archs[i].symbol_names, name))
			return &archs[i];
	return &archs[ARCH_UNKNOWN];
}

const struct arch *
arch_of_microdump(struct text name)
{
	for (size_t i = 0; i < ARCH_COUNT; i++)
		if (has_word(archs[i].microdump_name, name))
			return &archs[i];
	return &archs[ARCH_UNKNOWN];
}

const struct arch *
arch_of_processor(uint16_t processor)
{
	for (size_t i = 0; i < ARCH_COUNT; i++)
		for (size_t j = 0; j < archs[i].processor_count; j++)
			if (archs[i].processors[j] == processor)
				return &archs[i];
	return &archs[ARCH_UNKNOWN];
}

const struct arch *
arch_of_elf(unsigned machine, unsigned word_size)
{
	for (size_t i = 0; i < ARCH_COUNT; i++)
		if (machine != 0 && archs[i].elf_machine == machine &&
		    (archs[i].elf_words & word_size) != 0)
			return &archs[i];
	return &archs[ARCH_UNKNOWN];
}

const struct arch *
arch_of_pe(unsigned machine)
{
	for (size_t i = 0; i < ARCH_COUNT; i++)
		if (machine != 0 && archs[i].pe_machine == machine)
			return &archs[i];
	return &archs[ARCH_UNKNOWN];
}

bool
arch_known(const struct arch *arch)
{
	return arch->register_count > 0;
}

bool
arch_pushes_return(const struct arch *arch)
{
	return arch_known(arch) && arch->lr == ARCH_NO_REGISTER;
}

uint64_t
arch_code(const struct arch *arch, uint64_t address)
{
	return address & ~arch->mode_bit;
}

uint64_t
arch_return_address(const struct arch *arch, uint64_t pc)
{
	return arch->return_step < 0 ? arch_wrap(arch, pc - (uint64_t)(int64_t)arch->return_step)
				     : pc;
}

/* Bits of cpsr: the mode, its value for user mode, and Thumb code (Arm ARM, B1.3.1, B1.3.3). */
#define CPSR_MODE 0x1fu
#define CPSR_USER 0x10u
#define CPSR_THUMB 0x20u

enum arch_thumb
arch_thumb(const struct arch *arch, const struct registers *registers)
{
	const int cpsr = arch_register(arch, text_of("cpsr"), ARCH_NAMES_ALIASES);

	if (arch->mode_bit == 0)
		return ARCH_THUMB_NO;
	if (!registers_known(registers, cpsr) || (registers->value[cpsr] & CPSR_MODE) != CPSR_USER)
		return ARCH_THUMB_UNTOLD;
	return (registers->value[cpsr] & CPSR_THUMB) != 0 ? ARCH_THUMB_YES : ARCH_THUMB_NO;
}

bool
arch_canonical(const struct arch *arch, uint64_t address)
{
	if (arch->address_bits == 0)
		return true;
	const uint64_t above = address >> (arch->address_bits - 1);
	return above == 0 || above == UINT64_MAX >> (arch->address_bits - 1);
}

static bool
is_name(const char *known, struct text name)
{
	size_t same = 0;

	/* A loop is fast for short names. A name from a file may contain a byte 0. */
	while (known != NULL && same < name.length && known[same] == name.start[same] &&
	       known[same] != '\0')
		same++;
	return known != NULL && name.length > 0 && same == name.length && known[same] == '\0';
}

static bool
name_matches(const struct arch_register *entry, struct text name, enum arch_names names)
{
	const bool dollar = name.length > 0 && name.start[0] == '$';

	if (is_name(entry->name, name))
		return true;
	if (names == ARCH_NAMES_EXACT || names == ARCH_NAMES_NUMBERED)
		return false;
	if (names == ARCH_NAMES_MENDED && (!dollar || entry->name == NULL || entry->name[0] != '$'))
		return false;
	if (dollar)
		name = (struct text){ name.start + 1, name.length - 1 };
	return is_name(entry->label, name) || is_name(entry->name, name);
}

/* General registers of x86. CodeView counts them in the processor's order. */
#define CODEVIEW_REGISTERS 8

/* The register whose name is `$` and its CodeView number. */
static int
numbered_register(const struct arch *arch, struct text name)
{
	int number = 0;

	if (arch->codeview_first == 0 || name.length != 3 || name.start[0] != '$')
		return ARCH_NO_REGISTER;
	for (size_t i = 1; i < name.length; i++) {
		if (name.start[i] < '0' || name.start[i] > '9')
			return ARCH_NO_REGISTER;
		number = 10 * number + name.start[i] - '0';
	}
	number -= arch->codeview_first;
	return number < CODEVIEW_REGISTERS ? arch_dwarf_register(arch, number) : ARCH_NO_REGISTER;
}

int
arch_register(const struct arch *arch, struct text name, enum arch_names names)
{
	for (int i = 0; i < arch->register_count; i++)
		if (name_matches(&arch->registers[i], name, names))
			return i;
	return names == ARCH_NAMES_NUMBERED ? numbered_register(arch, name) : ARCH_NO_REGISTER;
}

const char *
arch_spelled(const struct arch *arch, int number)
{
	const struct arch_register *entry = &arch->registers[number];

	return entry->name != NULL ? entry->name : entry->label;
}

int
arch_dwarf_register(const struct arch *arch, int number)
{
	if (number < 0 || number >= arch->dwarf_count)
		return ARCH_NO_REGISTER;
	return arch->dwarf_order != NULL ? arch->dwarf_order[number] : number;
}

struct arch_wide
arch_wide(const struct arch *arch, uint64_t number)
{
	for (size_t i = 0; i < ARRAY_COUNT(arch->banks) && number <= INT32_MAX; i++) {
		const struct arch_bank *bank = &arch->banks[i];
		const int index = (int)number - bank->first, half = (int)number - bank->half_first;

		if (index >= 0 && index < bank->count)
			return (struct arch_wide){ bank, (unsigned)index, 0 };
		if (bank->half_first > 0 && half >= 0 && half < bank->count)
			return (struct arch_wide){ bank, (unsigned)half / 2,
						   (unsigned)half % 2 + 1 };
	}
	return (struct arch_wide){ 0 };
}

struct short_text
arch_wide_label(struct arch_wide wide)
{
	const bool half = wide.half > 0;
	struct short_text label;

	snprintf(label.text, sizeof(label.text), "%s%u",
		half ? wide.bank->half_label : wide.bank->label,
		half ? 2 * wide.index + wide.half - 1 : wide.index);
	return label;
}

uint64_t
arch_wrap_register(const struct arch *arch, uint64_t value)
{
	return arch->register_size == 4 ? (uint32_t)value : value;
}

void
registers_set(struct registers *registers, int number, uint64_t value)
{
	registers->value[number] = value;
	registers->known |= UINT64_C(1) << number;
	registers->stale &= ~(UINT64_C(1) << number);
}
