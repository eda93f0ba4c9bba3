/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "walk/location.h"

/* Decodes the crashing instruction: text, accesses, target. */

#define FIRST_PAGE 0x1000u

static bool
is_null_base(const struct explain *explain, const struct instruction_access *access,
	     const char **name)
{
	int reg = access->base != ARCH_NO_REGISTER ? access->base : access->index;

	/* A compiler that has proved a pointer null leaves the register out. */
	if (reg == ARCH_NO_REGISTER && !access->segment && !access->opaque)
		return (uint64_t)access->displacement < FIRST_PAGE;
	/* An unscaled index without a base is the pointer. */
	if (reg == ARCH_NO_REGISTER || reg == explain->arch->pc || access->segment)
		return false;
	if (access->base == ARCH_NO_REGISTER && access->scale != 1)
		return false;
	*name = explain->arch->registers[reg].label;
	return registers_known(explain->registers, reg) && explain->registers->value[reg] == 0;
}

static void
add_access(struct explain *explain, struct analysis_access access)
{
	struct analysis_instruction *at = &explain->out->instruction;

	access.permission = analysis_permission(explain, access.address, access.kind);
	access.guard_page = analysis_guard_page(explain, access.address);
	if (access.text == NULL)
		access.text = "";
	at->accesses[at->access_count++] = access;
}

static void
find_accesses(struct explain *explain)
{
	struct analysis_instruction *at = &explain->out->instruction;
	const struct instruction *instruction = &explain->instruction;
	char text[96];

	at->accesses_known = true;
	for (size_t i = 0; i < instruction->access_count; i++) {
		const struct instruction_access *access = &instruction->accesses[i];
		struct analysis_access found = { .size = access->size };

		if (!instruction_address(access, explain->registers, &found.address)) {
			at->accesses_known = false;
			continue;
		}
		found.kind = !access->written ? ANALYSIS_READ
			     : access->read   ? ANALYSIS_READ_WRITE
					      : ANALYSIS_WRITE;
		found.null_pointer = is_null_base(explain, access, &found.null_register);
		/* "rax + rcx*8 - 0x10", or the address */
		if (instruction_operand(access, explain->arch, text, sizeof(text))[0] == '\0')
			snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)access->displacement);
		found.text = access->implicit ? "" : arena_format(&explain->out->arena, "%s", text);
		add_access(explain, found);
	}
}

bool
analysis_target(const struct explain *explain, const struct instruction *instruction,
		const struct registers *registers, uint64_t *target)
{
	const int reg = instruction->target_register;
	uint64_t address;

	*target = instruction->has_target	   ? instruction->target
		  : reg != ARCH_NO_REGISTER ? registers->value[reg]
					    : 0;
	if (instruction->has_target || reg != ARCH_NO_REGISTER)
		return instruction->has_target || registers_known(registers, reg);
	return instruction->target_access != INSTRUCTION_NO_ACCESS &&
	       instruction_address(&instruction->accesses[instruction->target_access], registers,
				   &address) &&
	       memory_read(&explain->memory, address, explain->arch->word_size, target, NULL);
}

void
opcode_explain(struct explain *explain)
{
	struct analysis_instruction *at = &explain->out->instruction;
	struct instruction *instruction = &explain->instruction;

	if (explain->arch == NULL || !registers_known(explain->registers, explain->arch->pc))
		return;
	at->address = explain->registers->value[explain->arch->pc];
	at->accesses = arena_array(&explain->out->arena, INSTRUCTION_ACCESSES + 1,
				   sizeof(*at->accesses));
	if (at->accesses == NULL)
		return;
	const enum analysis_permission permission =
		analysis_permission(explain, at->address, ANALYSIS_EXECUTE);
	/* A writer may store zeros for a null page; they are not instructions. */
	const bool null = at->address < FIRST_PAGE && permission != ANALYSIS_ALLOWED;
	const bool fetch = permission == ANALYSIS_DENIED || permission == ANALYSIS_UNMAPPED ||
			   null || explain->crash->cause.access == CRASH_ACCESS_EXECUTE;
	const bool thumb = explain->walk != NULL &&
			   location_is_thumb(explain->walk, explain->registers, at->address);
	explain->decoded = !null && instruction_at(instruction, explain->arch, &explain->memory,
					  explain->binaries, thumb, at->address);
	if (!explain->decoded) {
		*instruction = (struct instruction){ 0 };
	} else {
		at->present = true;
		at->length = instruction->length;
		memcpy(at->bytes, instruction->bytes, sizeof(at->bytes));
		at->text = arena_format(&explain->out->arena, "%s", instruction->text);
		at->source = "the dump";
		if (instruction->from_file && instruction->place.input != NULL)
			at->source = arena_format(&explain->out->arena, "%s",
						  instruction->place.input->name);
		at->divides = (instruction->kinds & INSTRUCTION_DIVIDE) != 0;
		at->privileged = (instruction->kinds & INSTRUCTION_PRIVILEGED) != 0;
	}
	/* If the pc is not at code, the access is the fetch, and nothing is executed. */
	if (explain->decoded && !fetch) {
		find_accesses(explain);
		at->has_next_pc = analysis_target(explain, instruction, explain->registers,
						  &at->next_pc);
		at->next_pc_canonical =
			at->has_next_pc && arch_canonical(explain->arch, at->next_pc);
	}
	if (fetch)
		add_access(explain, (struct analysis_access){
					    .address = at->address, .kind = ANALYSIS_EXECUTE,
					    .null_pointer = at->address == 0 });
}
