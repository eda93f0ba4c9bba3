/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * The instruction that crashed: its text, its accesses, where it leads.
 */

/* Arm contexts of every layout: flags, sixteen registers, then the status with the Thumb bit. */
#define ARM_STATUS_OFFSET 68u
#define ARM_THUMB 0x20u
#define FIRST_PAGE 0x1000u

static const struct crash_context *
context_of(const struct explain *explain)
{
	const struct crash *crash = explain->crash;

	if (explain->walk != NULL)
		return explain->walk->context;
	if (crash->requesting_thread >= 0)
		return crash_thread_context(crash, (size_t)crash->requesting_thread);
	return &crash->exception.context;
}

static bool
is_thumb(const struct explain *explain, uint64_t pc)
{
	const struct crash_context *context = context_of(explain);

	return (pc & explain->arch->mode_bit) != 0 ||
	       (context != NULL &&
		arch_thumb(explain->arch, &context->registers) == ARCH_THUMB_YES);
}

/* "rax + rcx*8 - 0x10" */
static const char *
operand_text(struct explain *explain, const struct instruction_access *access)
{
	char text[96] = "";
	size_t used = 0;
	uint64_t size = access->displacement < 0 ? 0 - (uint64_t)access->displacement
						 : (uint64_t)access->displacement;

	if (access->base != ARCH_NO_REGISTER)
		used += (size_t)snprintf(text, sizeof(text), "%s",
					 analysis_register(explain, access->base));
	if (access->index != ARCH_NO_REGISTER)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s*%d",
					 used > 0 ? " + " : "",
					 analysis_register(explain, access->index), access->scale);
	if (used == 0)
		snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)access->displacement);
	else if (size != 0)
		snprintf(text + used, sizeof(text) - used, " %c 0x%" PRIx64,
			 access->displacement < 0 ? '-' : '+', size);
	return arena_copy(&explain->out->arena, text, strlen(text));
}

static enum analysis_access_kind
kind_of(const struct instruction_access *access)
{
	if (access->read && access->written)
		return ANALYSIS_READ_WRITE;
	return access->written ? ANALYSIS_WRITE : ANALYSIS_READ;
}

static bool
is_null_base(const struct explain *explain, const struct instruction_access *access)
{
	int reg = access->base != ARCH_NO_REGISTER ? access->base : access->index;

	/* If a compiler has proved that the pointer is null, it leaves the register out. */
	if (reg == ARCH_NO_REGISTER && !access->segment && !access->opaque)
		return (uint64_t)access->displacement < FIRST_PAGE;
	/* An index alone is the pointer where it is not scaled. */
	if (reg == ARCH_NO_REGISTER || reg == explain->arch->pc || access->segment)
		return false;
	if (access->base == ARCH_NO_REGISTER && access->scale != 1)
		return false;
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

	at->accesses_known = true;
	for (size_t i = 0; i < instruction->access_count; i++) {
		const struct instruction_access *access = &instruction->accesses[i];
		struct analysis_access found = { .size = access->size, .kind = kind_of(access) };

		if (!instruction_address(access, explain->registers, &found.address)) {
			at->accesses_known = false;
			continue;
		}
		found.null_pointer = is_null_base(explain, access);
		found.text = access->implicit ? "" : operand_text(explain, access);
		add_access(explain, found);
	}
}

/* Where a call, jump or return would have gone. */
static void
find_next_pc(struct explain *explain)
{
	struct analysis_instruction *at = &explain->out->instruction;
	const struct instruction *instruction = &explain->instruction;
	int reg = instruction->target_register;
	uint64_t address;

	if (instruction->has_target) {
		at->has_next_pc = true;
		at->next_pc = instruction->target;
	} else if (reg != ARCH_NO_REGISTER) {
		at->has_next_pc = registers_known(explain->registers, reg);
		at->next_pc = explain->registers->value[reg];
	} else if (instruction->target_access != INSTRUCTION_NO_ACCESS) {
		const struct instruction_access *access =
			&instruction->accesses[instruction->target_access];

		at->has_next_pc =
			instruction_address(access, explain->registers, &address) &&
			memory_read(&explain->memory, address, explain->arch->word_size,
				    &at->next_pc, NULL);
	}
	at->next_pc_canonical =
		at->has_next_pc && !analysis_non_canonical(explain->arch, at->next_pc);
}

/* The fetch itself is an access where the pc is no code. */
static void
find_fetch(struct explain *explain, uint64_t pc)
{
	struct analysis_access fetch = { .address = pc, .kind = ANALYSIS_EXECUTE };
	enum analysis_permission permission = analysis_permission(explain, pc, ANALYSIS_EXECUTE);

	if (permission == ANALYSIS_DENIED || permission == ANALYSIS_UNMAPPED ||
	    explain->crash->cause.access == CRASH_ACCESS_EXECUTE) {
		fetch.null_pointer = pc == 0;
		add_access(explain, fetch);
	}
}

static const char *
source_of(struct explain *explain)
{
	const struct place *place = &explain->instruction.place;

	if (!explain->instruction.from_file || place->input == NULL)
		return "the dump";
	return arena_copy(&explain->out->arena, place->input->name, strlen(place->input->name));
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
	explain->decoded =
		instruction_at(instruction, explain->arch, &explain->memory, explain->binaries,
			       is_thumb(explain, at->address), at->address);
	if (!explain->decoded) {
		*instruction = (struct instruction){ 0 };
	} else {
		at->present = true;
		at->length = instruction->length;
		memcpy(at->bytes, instruction->bytes, sizeof(at->bytes));
		at->text = arena_copy(&explain->out->arena, instruction->text,
				      strlen(instruction->text));
		at->source = source_of(explain);
		at->divides = (instruction->kinds & INSTRUCTION_DIVIDE) != 0;
		at->privileged = (instruction->kinds & INSTRUCTION_PRIVILEGED) != 0;
		find_accesses(explain);
		find_next_pc(explain);
	}
	find_fetch(explain, at->address);
}
