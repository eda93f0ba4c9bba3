/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "walk/step.h"

/* Why a stack ends, as precisely as the dump allows. */

/* Bytes below a stack in which a stack pointer has run over its end: one large frame. */
#define OVERRUN (UINT64_C(1) << 20)

/* Bytes behind a stack's memory in which a stack pointer has just left it. */
#define JUST_BEHIND 65536u

/* Room for a size in words. */
#define SIZE_TEXT 32u

static const char *
size_text(uint64_t size, char text[SIZE_TEXT])
{
	if (size >= 1024 && size % 1024 == 0)
		snprintf(text, SIZE_TEXT, "%" PRIu64 " KiB", size / 1024);
	else
		snprintf(text, SIZE_TEXT, "%" PRIu64 " byte%s", size, size == 1 ? "" : "s");
	return text;
}

/* The bytes of a word as text in the order of the memory; false where any is none. */
static bool
is_text(const struct step *step, uint64_t value, char text[9])
{
	const unsigned size = step->arch->word_size;

	for (unsigned i = 0; i < size; i++) {
		const unsigned byte = step->walk->memory.big_endian ? size - 1 - i : i;
		const char character = (char)(value >> 8 * byte & 0xff);

		if (character < ' ' || character > '~')
			return false;
		text[i] = character;
	}
	text[size] = '\0';
	return true;
}

enum verdict_kind
step_end_at_no_code(struct step *step, uint64_t pc)
{
	const struct memory_run *stack = step->walk->memory.stack;
	const struct mapping *mapping = crash_mapping(step->walk->crash, pc);
	char text[9];

	if (is_text(step, pc, text))
		return step_end(step, "return address %" PRIx64 " is the text \"%s\", no code: "
				      "the stack is damaged", pc, text);
	if (stack != NULL && checked_contains(stack->base, stack->size, pc))
		return step_end(step, "return address %" PRIx64 " is in the stack, no code: the "
				      "stack ends or is damaged", pc);
	return step_end(step, "return address %" PRIx64 " is %s: the stack ends or is damaged", pc,
			mapping != NULL && !mapping->free ? "in memory that is not executable"
							  : "no code");
}

/* What the memory map says of a stack pointer without memory; empty: nothing. */
static const char *
describe_lost_stack(const struct crash *crash, uint64_t sp)
{
	const struct mapping *mapping = crash_mapping(crash, sp), *above = NULL;

	if (mapping != NULL && mapping->free)
		return " is in no mapped memory";
	if (mapping != NULL && (mapping->guard || (!mapping->readable && !mapping->writable &&
						   !mapping->executable)))
		return " is in a guard page: the stack has overflowed";
	if (mapping != NULL || crash->mapping_count == 0)
		return "";
	for (size_t i = 0; i < crash->mapping_count && above == NULL; i++)
		if (crash->mappings[i].base > sp)
			above = &crash->mappings[i];
	return above != NULL && above->writable && above->base - sp < OVERRUN
		       ? " is below the stack's memory: the stack has overflowed"
		       : " is in no mapped memory";
}

/* The stack pointer is at no memory that the dump has. */
static void
explain_lost_stack(struct step *step, uint64_t sp)
{
	const struct walk *walk = step->walk;
	const struct memory_run *run = walk->memory.stack;
	const struct thread *thread = &walk->crash->threads[walk->thread];
	char size[SIZE_TEXT];

	if (step->callee->trust == TRUST_SIGNAL)
		step_end(step, "the stack that the signal interrupted, at %" PRIx64
			       ", is not in the dump", sp);
	else if (run == NULL)
		step_end(step, "the dump has no stack memory for this thread; stack pointer %"
			       PRIx64 "%s", sp, describe_lost_stack(walk->crash, sp));
	else if (sp - (run->base + run->size) < JUST_BEHIND)
		step_end(step, "the %s of the stack that are in the dump end at %" PRIx64
			       "; the caller is above",
			 size_text(run->size, size), run->base + run->size);
	else
		step_end(step, "the stack pointer %" PRIx64 " is not in the stack memory that the "
			       "dump has (%" PRIx64 " to %" PRIx64 ")",
			 sp, thread->stack_start, thread->stack_start + thread->stack_size - 1);
}

/* No word of the stack up to where the scans looked is a return address. */
static void
explain_scan(struct step *step, uint64_t sp, const struct memory_run *run)
{
	const struct stack_bottom *bottom = &step->walk->bottom;
	const struct mapping *mapping = crash_mapping(step->walk->crash, sp);
	const uint64_t end = run->base + run->size, word = step->arch->word_size;
	const uint64_t scanned = step->scanned_to;
	char size[SIZE_TEXT];

	if (bottom->kind != BOTTOM_UNKNOWN && scanned + word > bottom->address)
		step_end(step, "no return address in the last %s up to %s at %" PRIx64
			       ": bottom of the stack", size_text(scanned - sp, size),
			 stack_bottom_words(bottom), bottom->address);
	else if (scanned + word <= end)
		step_end(step, "no return address in the next %s of the stack, as far as a scan "
			       "looks", size_text(scanned - sp, size));
	else if (mapping == NULL)
		step_end(step, "no return address in the last %s of the stack that are in the "
			       "dump; they end at %" PRIx64, size_text(end - sp, size), end);
	else if (end < mapping->base + mapping->size)
		step_end(step, "no return address in the last %s of the %" PRIu64 " KiB of the "
			       "stack that are in the dump; it continues at %" PRIx64,
			 size_text(end - sp, size), run->size / 1024, end);
	else
		step_end(step, "no return address in the last %s of the stack, which ends at %"
			       PRIx64, size_text(end - sp, size), end);
}

void
step_explain_end(struct step *step)
{
	const uint64_t sp = step->callee->registers.value[step->arch->sp];
	const struct memory_run *run = memory_run_of(&step->walk->memory, sp);

	if (step->zero_return)
		step_end(step, "return address 0: bottom of the stack");
	else if (run == NULL)
		explain_lost_stack(step, sp);
	else if (step->no_scan)
		step_end(step, "the record leads nowhere, and a scan would only invent frames");
	else if (step->scanned_to <= sp)
		step_end(step, "no method finds a caller");
	else
		explain_scan(step, sp, run);
}
