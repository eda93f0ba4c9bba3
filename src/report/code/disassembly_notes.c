/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "report/code/disassembly_internal.h"

/* Instructions searched backwards for the last write of a register. */
#define MOST_LOOKED_BACK 512u

static void
add_note(struct disassembly *out, uint64_t address, const char *text, uint64_t memory)
{
	struct disassembly_note *note =
		text == NULL ? NULL
			     : ARENA_PUSH(&out->arena, out->notes, out->note_count,
					  out->note_capacity);

	if (note == NULL)
		return;
	*note = (struct disassembly_note){ text, memory };
	disassembly_add(out, DISASSEMBLY_NOTE, address, 0, (uint32_t)out->note_count - 1);
}

/* The state of the memory at the address of an access. */
static const char *
state_of(const struct disassembly *out, const struct instruction_access *access, uint64_t address)
{
	const struct crash *crash = out->around->crash;
	const struct mapping *mapping = crash_mapping(crash, address);
	const bool stored = memory_run_of(&out->around->memory, address) != NULL;

	if (mapping != NULL && mapping->free)
		return "nothing is mapped there";
	if (mapping != NULL && access->written && !mapping->writable)
		return "is not writable";
	if (mapping != NULL && access->read && !mapping->readable)
		return "is not readable";
	if (mapping != NULL || stored)
		return stored ? "is in the dump" : "mapped, not in the dump";
	return crash->mapping_count > 0 ? "nothing is mapped there"
					: "not in the dump";
}

/* "rax + rcx*8 - 0x10" */
static void
format_access(const struct disassembly *out, const struct instruction_access *access, char *text,
	      size_t size)
{
	const struct arch_register *registers = out->around->arch->registers;
	const bool negative = access->displacement < 0;
	const uint64_t distance = negative ? 0 - (uint64_t)access->displacement
					   : (uint64_t)access->displacement;
	size_t used = 0;

	text[0] = '\0';
	if (access->base != ARCH_NO_REGISTER)
		used += (size_t)snprintf(text, size, "%s", registers[access->base].label);
	if (access->index != ARCH_NO_REGISTER)
		used += (size_t)snprintf(text + used, size - used, "%s%s*%d",
					 used > 0 ? " + " : "", registers[access->index].label,
					 access->scale);
	if (distance != 0 && used > 0)
		snprintf(
			text + used, size - used, " %c 0x%" PRIx64, negative ? '-' : '+', distance);
}

static void
note_access(struct disassembly *out, const struct instruction *instruction,
	    const struct instruction_access *access)
{
	const char *verb = access->read && access->written ? "reads and writes"
			   : access->written		     ? "writes"
							     : "reads";
	char operand[96], size[32] = "memory";
	uint64_t address;

	if (access->size != 0)
		snprintf(size, sizeof(size), "%u byte%s", access->size,
			 plural(access->size));
	format_access(out, access, operand, sizeof(operand));
	if (!instruction_address(access, &out->frame.registers, &address)) {
		add_note(out, instruction->address,
			 arena_format(&out->arena, "%s %s at %s: the address is not known", verb,
				      size, operand[0] != '\0' ? operand : "a hidden base"), 0);
		return;
	}
	add_note(out, instruction->address,
		 arena_format(&out->arena, "%s %s at %s%s0x%" PRIx64 ": %s", verb, size, operand,
			      operand[0] != '\0' ? " = " : "", address,
			      state_of(out, access, address)), address);
}

/* Notes the nearest preceding instruction that wrote a register used in an address. */
static void
note_writer(struct disassembly *out, const struct instruction *instruction, int reg)
{
	const uint64_t at = instruction->address;
	struct instruction before;
	size_t looked = 0;

	if (reg == ARCH_NO_REGISTER || reg == out->around->arch->pc ||
	    reg == out->around->arch->sp)
		return;
	for (size_t row = out->count; row-- > 0 && looked < MOST_LOOKED_BACK;) {
		if (out->rows[row].kind != DISASSEMBLY_INSTRUCTION ||
		    out->rows[row].address >= at)
			continue;
		looked++;
		if (!disassembly_decode(out, out->rows[row].address, &before))
			return;
		if ((before.writes >> reg & 1) == 0)
			continue;
		add_note(out, at,
			 arena_format(&out->arena, "%s: the nearest write above is at %#" PRIx64
				      ", %s", out->around->arch->registers[reg].label,
				      before.address, before.text), 0);
		return;
	}
}

void
disassembly_add_notes(struct disassembly *out, const struct instruction *instruction)
{
	if (!out->has_frame)
		return;
	if (out->called) {
		add_note(out, instruction->address,
			 (instruction->kinds & INSTRUCTION_CALL) != 0
				 ? arena_format(&out->arena, "this call made frame %zu; it returns "
						"to %0*" PRIx64, out->options.frame - 1,
						out->digits,
						out->frame.registers.value[out->around->arch->pc])
				 : arena_format(&out->arena, "not a call, but frame %zu returns "
							     "after it: the frame may be wrong",
						out->options.frame - 1), 0);
		return;
	}
	/* "rax 0000000000000000, rcx 0000000000000008" */
	const struct arch *arch = out->around->arch;
	char text[256] = "";
	size_t used = 0;

	for (int reg = 0; reg < arch->register_count && used < sizeof(text) - 48; reg++) {
		if ((instruction->reads >> reg & 1) == 0 || reg == arch->pc)
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s ",
					 used > 0 ? ", " : "reads ", arch->registers[reg].label);
		if (registers_known(&out->frame.registers, reg))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "0x%" PRIx64,
						 out->frame.registers.value[reg]);
		else
			used += (size_t)snprintf(text + used, sizeof(text) - used, "(lost)");
	}
	if (used > 0)
		add_note(out, instruction->address, arena_copy(&out->arena, text, used), 0);
	for (size_t i = 0; i < instruction->access_count; i++)
		note_access(out, instruction, &instruction->accesses[i]);
	for (size_t i = 0; i < instruction->access_count; i++)
		if (!instruction->accesses[i].implicit) {
			note_writer(out, instruction, instruction->accesses[i].base);
			note_writer(out, instruction, instruction->accesses[i].index);
		}
}
