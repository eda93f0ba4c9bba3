/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/machine.h"

#ifdef HAVE_CAPSTONE

void
decoder_read(struct decoder *decoder, int number)
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
	decoder_read(decoder, access->base);
	decoder_read(decoder, access->index);
	access->size = decoder->memory_size;
	access->read = decoder->reads_memory;
	access->written = decoder->writes_memory;
}

#endif
