/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "base/place.h"
#include "crash/memory.h"
#include "dump/minidump_internal.h"

/*
 * 32-bit programs on 64-bit Windows. A 64-bit tool stores the 64-bit context of each thread. If a
 * thread was in 32-bit code, this context has its current registers. If a thread was in a system
 * call, it was in 64-bit code, and wow64cpu.dll has saved its 32-bit registers in a structure. Slot
 * 1 of the thread's 64-bit thread-local storage points to this structure.
 */

#define PROCESSOR_AMD64 9u
#define CODE_SEGMENT_OFFSET 56u		/* in an AMD64 context */
#define FLAGS_OFFSET 68u
#define CODE_32 0x23u
#define TEB64_TLS_SLOTS 0x1480u
#define TLS_CPURESERVED 1u
#define CPURESERVED_CONTEXT 4u		/* offset of the context: two flag words come first */
#define CPURESERVED_MACHINE 2u
#define X86_CONTEXT_SIZE 716u
#define X86_FLAGS 0x00010000u

/* Copy the dump's 64-bit context. */
static const struct crash_context *
keep_native(struct minidump *minidump, const struct crash_context *context)
{
	struct crash_context *native = arena_alloc(&minidump->crash->arena, sizeof(*native));

	if (native == NULL)
		minidump_no_memory(minidump);
	else
		*native = *context;
	return native;
}

/* The thread was in 32-bit code: its registers are the low halves. */
static bool
narrow_context(struct minidump *minidump, struct crash_context *context)
{
	const struct arch *arch = arch_by_id(ARCH_X86);
	const struct crash_context *native = keep_native(minidump, context);

	if (native == NULL)
		return false;
	*context = (struct crash_context){ .present = true, .place = native->place,
					   .flags = native->flags, .layout = native->layout,
					   .arch = arch, .native = native };
	/* "$eax" is the low half of "$rax"; r8 and up do not exist in 32-bit code. */
	for (int narrow = 0; narrow < arch->register_count; narrow++) {
		char name[8];

		snprintf(name, sizeof(name), "$r%s", arch->registers[narrow].label + 1);
		const int wide = arch_register(native->arch, text_of(name), false);
		if (!registers_known(&native->registers, wide))
			continue;
		registers_set(&context->registers, narrow,
			      (uint32_t)native->registers.value[wide]);
		context->register_offset[narrow] = native->register_offset[wide];
	}
	int efl = arch_register(arch, text_of("efl"), true);
	uint32_t flags;
	if (reader_u32(&minidump->crash->reader, native->place.offset + FLAGS_OFFSET, &flags)) {
		registers_set(&context->registers, efl, flags);
		context->register_offset[efl] = native->place.offset + FLAGS_OFFSET;
	}
	return true;
}

/* Parts of an x86 context that are read: from the start to the x87 state, and gs to ss. */
#define X86_DEBUG_END 28u
#define X86_REGISTERS 140u
#define X86_REGISTERS_SIZE 64u

/* Read the context that wow64cpu.dll has saved. */
static bool
find_saved(const struct memory_view *memory, uint64_t teb, struct reader *bytes)
{
	uint64_t reserved, machine, flags;

	if (teb == 0 ||
	    !memory_read(memory, teb + TEB64_TLS_SLOTS + 8 * TLS_CPURESERVED, 8, &reserved,
			 NULL) ||
	    !memory_read(memory, reserved + CPURESERVED_MACHINE, 2, &machine, NULL) ||
	    !memory_read(memory, reserved + CPURESERVED_CONTEXT, 4, &flags, NULL) ||
	    (machine != PE_MACHINE_X86 && machine != 0) || (flags & X86_FLAGS) == 0)
		return false;
	const uint64_t address = reserved + CPURESERVED_CONTEXT;
	const struct memory_run *run = memory_run_of(memory, address);
	if (run == NULL || run->size - (address - run->base) < X86_CONTEXT_SIZE)
		return false;
	*bytes = (struct reader){
		.input = memory->input, .data = run->data + (address - run->base),
		.size = X86_CONTEXT_SIZE,
		.start = crash_memory_place(memory->crash, run->region, address, 0).offset,
		.big_endian = memory->big_endian,
	};
	memory_note(memory, address, X86_CONTEXT_SIZE, MEMORY_PRESENT);
	memory_note(memory, address, X86_DEBUG_END, MEMORY_READ);
	memory_note(memory, address + X86_REGISTERS, X86_REGISTERS_SIZE, MEMORY_READ);
	return true;
}

/* The thread was in 64-bit code: use the saved context. */
static bool
saved_context(struct minidump *minidump, const struct memory_view *memory, uint64_t teb,
	      const char *whose, struct crash_context *context)
{
	const struct crash_context *native;
	struct crash_context saved = { .present = false };
	struct reader bytes;

	if (!find_saved(memory, teb, &bytes))
		return false;
	saved.place = reader_place(&bytes, 0, X86_CONTEXT_SIZE);
	context_decode(minidump, &bytes, X86_CONTEXT_SIZE, whose, &saved);
	if (!saved.present || saved.arch->id != ARCH_X86)
		return false;
	native = keep_native(minidump, context);
	if (native == NULL)
		return false;
	*context = saved;
	context->native = native;
	return true;
}

enum outcome {
	OUTCOME_NONE,			/* no 64-bit context */
	OUTCOME_LIVE,			/* the low halves of the 64-bit context */
	OUTCOME_SAVED,			/* the saved 32-bit context */
	OUTCOME_MISSING,
	OUTCOME_COUNT
};

/* Replace the context of an exception or a thread; `whose` is "exception" or "thread 0x...". */
static enum outcome
replace_context(struct minidump *minidump, const struct memory_view *memory, uint64_t teb,
		const char *whose, struct crash_context *context)
{
	const struct crash *crash = minidump->crash;
	uint16_t code = 0;

	if (!context->present || context->arch->id != ARCH_AMD64)
		return OUTCOME_NONE;
	reader_u16(&crash->reader, context->place.offset + CODE_SEGMENT_OFFSET, &code);
	if (code == CODE_32)
		return narrow_context(minidump, context) ? OUTCOME_LIVE : OUTCOME_MISSING;
	return saved_context(minidump, memory, teb, whose, context) ? OUTCOME_SAVED
								    : OUTCOME_MISSING;
}

static void
replace_exception(struct minidump *minidump, const struct memory_view *memory,
		  struct crash_exception *exception)
{
	const struct crash *crash = minidump->crash;
	uint64_t teb = 0;

	for (size_t i = crash->thread_count; i-- > 0;)
		if (crash->threads[i].id == exception->thread_id)
			teb = crash->threads[i].teb;
	replace_context(minidump, memory, teb, "exception", &exception->context);
}

void
wow64_reread(const struct crash *crash, const struct memory_view *memory)
{
	struct reader ignored;

	for (size_t i = 0; i < crash->thread_count; i++)
		if (crash->threads[i].context.native != NULL)
			find_saved(memory, crash->threads[i].teb, &ignored);
}

void
wow64_find(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	size_t counts[OUTCOME_COUNT] = { 0 }, narrow = 0;
	struct memory_view memory;
	struct arena arena = { 0 };
	bool emulation = false;
	char whose[32];

	if (minidump->processor != PROCESSOR_AMD64 || crash->system.os != CRASH_OS_WINDOWS)
		return;
	for (size_t i = 0; i < crash->thread_count; i++)
		narrow += crash->threads[i].context.present &&
			  crash->threads[i].context.arch->id == ARCH_X86;
	/* A 32-bit tool stores only x86 contexts. */
	if (narrow > 0)
		minidump_message(minidump, WOW64, crash->system.place,
				 "the system is amd64, but the contexts of %zu threads are for "
				 "x86\nit is a 32-bit process, and the contexts are used", narrow);
	for (size_t i = 0; i < crash->module_count; i++)
		emulation = emulation || strcasecmp(place_base_name(crash->modules[i].code_file),
						    "wow64cpu.dll") == 0;
	if (!emulation)
		return;
	memory_view_all(&memory, crash, &arena);
	for (size_t i = 0; i < crash->thread_count; i++) {
		struct thread *thread = &crash->threads[i];

		snprintf(whose, sizeof(whose), "thread 0x%" PRIx32, thread->id);
		counts[replace_context(minidump, &memory, thread->teb, whose,
				       &thread->context)]++;
	}
	if (crash->exception.present)
		replace_exception(minidump, &memory, &crash->exception);
	for (size_t i = 0; i < crash->more_exception_count; i++)
		replace_exception(minidump, &memory, &crash->more_exceptions[i]);
	const size_t shown = counts[OUTCOME_LIVE] + counts[OUTCOME_SAVED];
	if (shown > 0)
		minidump_message(minidump, WOW64, crash->system.place,
				 "a 32-bit process dumped by a 64-bit tool: the 32-bit registers "
				 "of %zu threads were found\nthe walks begin with them; "
				 "--policy native-context=1 uses the 64-bit ones", shown);
	if (counts[OUTCOME_MISSING] > 0)
		minidump_message(minidump, CONTEXT_BROKEN, crash->system.place,
				 "the dump lacks the memory with the 32-bit registers of "
				 "%zu threads of a 32-bit process"
				 "\nthe walks of these threads begin with the 64-bit ones",
				 counts[OUTCOME_MISSING]);
	arena_free(&arena);
}
