/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "walk/step.h"

/* The reason why a stack ends, as precisely as the dump allows. */

/* Maximum bytes from an overflowed stack pointer up to its stack: one large frame. */
#define OVERRUN (UINT64_C(1) << 20)

/* Maximum bytes from a stack's memory up to an address that may be in the stack's missing rest. */
#define JUST_BEHIND 65536u

#define SIZE_TEXT 32u

static const char *
size_text(uint64_t size, char text[SIZE_TEXT])
{
	if (size >= 1024 && size % 1024 == 0)
		snprintf(text, SIZE_TEXT, "%" PRIu64 " KiB", size / 1024);
	else
		snprintf(text, SIZE_TEXT, "%" PRIu64 " byte%s", size, plural(size));
	return text;
}

enum verdict_kind
step_end_at_no_code(struct step *step, uint64_t pc)
{
	const struct memory_run *stack = step->walk->memory.stack;
	const struct mapping *mapping = crash_mapping(step->walk->crash, pc);
	const unsigned size = step->arch->word_size;
	char text[9] = "";
	bool is_text = true;

	/* The word's bytes, in the order of memory. */
	for (unsigned i = 0; i < size; i++) {
		const unsigned byte = step->walk->memory.big_endian ? size - 1 - i : i;

		text[i] = (char)(pc >> 8 * byte & 0xff);
		is_text = is_text && text[i] >= ' ' && text[i] <= '~';
	}
	if (is_text)
		return step_end(step, "return address %#" PRIx64 " is the text \"%s\", not code: "
								"the stack is damaged", pc, text);
	if (stack != NULL && checked_contains(stack->base, stack->size, pc))
		return step_end(step, "return address %#" PRIx64 " is in the stack, not code: the "
								"stack ends or is damaged", pc);
	return step_end(step, "return address %#" PRIx64 " is %s: the stack ends or is damaged", pc,
			mapping != NULL && !mapping->free ? "in memory that is not executable"
							  : "not code");
}

/* Whether the stack pointer is below its stack, according to the memory map. */
static bool
has_overflowed(const struct crash *crash, uint64_t sp, const struct mapping *mapping)
{
	const struct mapping *above = NULL;

	if (mapping != NULL && !mapping->free)
		return mapping->guard ||
		       (!mapping->readable && !mapping->writable && !mapping->executable);
	for (size_t i = 0; mapping == NULL && i < crash->mapping_count && above == NULL; i++)
		if (crash->mappings[i].base > sp)
			above = &crash->mappings[i];
	return above != NULL && above->writable && above->base - sp < OVERRUN;
}

/* Whether the memory map has `address` in a stack whose lower part is in the dump. */
static bool
is_cut_below(const struct step *step, const struct memory_run *run, uint64_t address)
{
	const struct mapping *mapping = crash_mapping(step->walk->crash, run->base);

	return mapping != NULL && address >= run->base + run->size &&
	       checked_contains(mapping->base, mapping->size, address);
}

static bool
may_be_cut_off(const struct step *step, const struct memory_run *run, uint64_t address)
{
	return is_cut_below(step, run, address) ||
	       (crash_mapping(step->walk->crash, run->base) == NULL &&
		address - (run->base + run->size) < JUST_BEHIND);
}

/* Explains that the writer cut the stack off before the caller. */
static void
explain_cut(struct step *step, const struct memory_run *run, uint64_t address)
{
	char size[SIZE_TEXT];

	step_end(step, "%s of the stack are in the dump, up to %#" PRIx64
		       "; the caller's frame is at %#" PRIx64, size_text(run->size, size),
		 run->base + run->size, address);
}

/* Explains that the dump lacks the memory at the stack pointer. */
static void
explain_lost_stack(struct step *step, uint64_t sp)
{
	const struct walk *walk = step->walk;
	const struct crash *crash = walk->crash;
	const struct memory_run *run = walk->memory.stack;
	const struct thread *thread = &crash->threads[walk->thread];
	const struct mapping *mapping = crash_mapping(crash, sp);

	if (step->callee->interrupted && !step_is_first(step))
		step_end(step, "the stack that the signal interrupted, at %#" PRIx64
			       ", is not in the dump", sp);
	else if (run == NULL && has_overflowed(crash, sp, mapping))
		step_end(step, "stack overflow, and the dump has no stack memory for this thread: "
			       "stack pointer %#" PRIx64 " is %s", sp,
			 mapping != NULL ? "in a guard page" : "below the stack's memory");
	else if (run == NULL)
		step_end(step, "the dump has no stack memory for this thread; stack pointer %#"
			       PRIx64 "%s", sp,
			 crash_is_unmapped(crash, sp) ? " is in no mapped memory" : "");
	else if (may_be_cut_off(step, run, sp))
		explain_cut(step, run, sp);
	else
		step_end(step, "the stack pointer %#" PRIx64 " is not in the stack memory that the "
			       "dump has (%#" PRIx64 " to %#" PRIx64 ")",
			 sp, thread->stack_start, thread->stack_start + thread->stack_size - 1);
}

/* Explains that no scanned word of the stack is a return address. */
static void
explain_scan(struct step *step, uint64_t sp, const struct memory_run *run)
{
	const struct stack_bottom *bottom = step->bottom;
	const uint64_t end = run->base + run->size, word = step->arch->word_size;
	const uint64_t scanned = step->scanned_to;
	char size[SIZE_TEXT], whole[SIZE_TEXT], more[112] = "";

	if (is_cut_below(step, run, end))
		snprintf(more, sizeof(more), "; %s of the stack are in the dump, it continues at %#"
			 PRIx64, size_text(run->size, whole), end);
	if (bottom->kind != BOTTOM_UNKNOWN && scanned + word > bottom->address)
		step_bottom(step, "no return address in the %s up to %s at %#" PRIx64
			       ": bottom of the stack", size_text(scanned - sp, size),
			 stack_bottom_words(bottom), bottom->address);
	else if (scanned + word <= end)
		step_end(step, "no return address in the next %s, the range of a scan%s",
			 size_text(scanned - sp, size), more);
	else
		step_end(step, "no return address in the last %s of the stack, up to %#" PRIx64
			       "%s", size_text(end - sp, size), end, more);
}

void
step_explain_end(struct step *step)
{
	const uint64_t sp = step->sp;
	const struct memory_run *run = memory_run_of(&step->walk->memory, sp);
	const struct stack_bottom *bottom = step->bottom;

	if (step->zero_return)
		step_bottom(step, "return address 0: bottom of the stack");
	else if (run == NULL)
		explain_lost_stack(step, sp);
	else if (step->absent != 0 && may_be_cut_off(step, run, step->absent))
		explain_cut(step, run, step->absent);
	else if (step->no_scan)
		step_end(step, "the record finds no caller, and a scan would only find false "
			       "frames");
	else if (step->scanned_to <= sp && bottom->kind != BOTTOM_UNKNOWN && sp >= bottom->address)
		step_bottom(step, "the stack pointer %#" PRIx64 " is at %s: bottom of the stack",
			    sp, stack_bottom_words(bottom));
	else if (step->scanned_to <= sp)
		step_end(step, "no method finds a caller");
	else
		explain_scan(step, sp, run);
}
