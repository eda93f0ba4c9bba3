/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "code/call.h"
#include "walk/overlay.h"
#include "walk/step.h"

/* Limit of words read to judge one word, which bounds the cost of a step. */
#define MOST_WORDS 4096u

static const char in_no_module[] = "in no module";

/*
 * Return addresses of scans: conditions on a word and its address. Each failed test is a reason in
 * the candidate's event.
 */

/* Whether symbols have a name for `address` that a scan may trust. */
static bool
has_name(const struct step *step, int module, uint64_t address, const char **why_not)
{
	const struct symfile *symfile = walk_symfile(step->walk, module);
	const uint32_t reach = step_policy(step, POLICY_PUBLIC_REACH);
	struct function function;

	if (symfile == NULL)
		return true;
	/*
	 * A stripped module's file names only its exports, not the functions between them. The
	 * memory map is better evidence of code.
	 */
	const struct mapping *mapping = crash_mapping(step->walk->crash, address);
	if (step_policy(step, POLICY_SCAN_STRIPPED) && mapping != NULL && mapping->executable &&
	    symfile_count(symfile, SYMBOL_FUNC) == 0)
		return true;
	*why_not = "no function at this address";
	if (!step_function_at(step, address, false, &function) || function.name.length == 0)
		return false;
	*why_not = "too far above the nearest symbol";
	return function.kind != SYMBOL_PUBLIC || reach == 0 || address - function.address <= reach;
}

/* Whether a word points to a function's first byte: no call returns there. */
static bool
is_entry_point(const struct step *step, uint64_t value)
{
	const uint64_t address = arch_code(step->arch, value);
	const uint64_t entry = step->walk->bottom.entry;
	struct function function;

	if (step_policy(step, POLICY_SCAN_ENTRY_POINTS))
		return false;
	if (entry != 0 && arch_code(step->arch, entry) == address)
		return true;
	/* No pointer leads to the cold part of a function. */
	return step_function_at(step, address, false, &function) &&
	       arch_code(step->arch, function.address) == address &&
	       memmem(function.name.start, function.name.length, ".cold", 5) == NULL;
}

/* Whether an instruction can begin at `value`, by its lowest bits and the known code before it. */
static bool
is_aligned_code(const struct step *step, uint64_t value)
{
	const struct registers *first = &step->walk->frames[0].registers;
	const int lr = step->arch->lr;

	if (step->arch->mode_bit == 0)
		return value % step->arch->return_alignment == 0;
	/* Only veneers are ARM code that calls Thumb code, and no code returns to them. */
	if ((value & 1) != 0 || value % 4 != 0)
		return (value & 1) != 0;
	const enum arch_thumb thumb = arch_thumb(step->arch, first);
	const bool is_thumb = thumb == ARCH_THUMB_UNTOLD
				      /* Some writers leave cpsr 0. */
				      ? registers_known(first, lr) && (first->value[lr] & 1) != 0
				      : thumb != ARCH_THUMB_NO;

	/* ARM code and Thumb code of different modules call each other. */
	return !is_thumb || (!step_policy(step, POLICY_SCAN_CONTEXT) &&
			     call_find(step->arch, &step->walk->memory, step->walk->binaries,
				       value).answer == CALL_YES);
}

/* A thunk of 32-bit x86 that loads its return address: `mov (%esp), REGISTER; ret`. */
#define THUNK 0xc324048bu
#define THUNK_MASK 0xffffc7ffu

/*
 * Whether a call only loads its own return address, as position-independent code of 32-bit x86
 * does: with a thunk or by popping it. No frame returns there, unless the thread is in the thunk.
 */
static bool
loads_pc(const struct step *step, const struct call_site *site, uint64_t value)
{
	const uint64_t pc = step->pc;
	uint64_t code;

	if (step->arch->code_unit != 1 || step->arch->word_size != 4 || !site->direct)
		return false;
	if (site->target == value)
		return true;
	return code_read(&step->walk->memory, step->walk->binaries, site->target, 4, &code) &&
	       (code & THUNK_MASK) == THUNK && pc - site->target >= 4;
}

/*
 * Whether the bytes before a return address are a call to a function. CALL_UNKNOWN if neither the
 * dump nor the file has these bytes.
 */
static enum call_answer
call_instruction(const struct step *step, uint64_t value)
{
	if (!step_policy(step, POLICY_CALL_INSTRUCTION))
		return CALL_UNKNOWN;
	const struct call_site site = call_find(step->arch, &step->walk->memory,
						step->walk->binaries, value);
	return site.answer == CALL_YES && loads_pc(step, &site, value) ? CALL_NO : site.answer;
}

bool
step_looks_like_return(const struct step *step, uint64_t value, const char **why_not)
{
	const bool strip = step_policy(step, POLICY_RETURN_ALIGNMENT) != 0;
	const uint64_t before =
		arch_wrap(step->arch, (strip ? arch_code(step->arch, value) : value) - 1);
	const int module = module_map_find(&step->walk->modules, before);

	*why_not = in_no_module;
	if (module == MODULE_NONE)
		return false;
	*why_not = "in memory that is not executable";
	if (step_policy(step, POLICY_END_OF_STACK) && step_code_at(step, before) == STEP_NO_CODE)
		return false;
	*why_not = "no instruction begins at this address";
	if (step_policy(step, POLICY_RETURN_ALIGNMENT) && !is_aligned_code(step, value))
		return false;
	*why_not = "a pointer to a function, not into one";
	if (is_entry_point(step, value) || !has_name(step, module, before, why_not))
		return false;
	*why_not = "no call instruction before it";
	return call_instruction(step, value) != CALL_NO;
}

bool
step_may_be_return(const struct step *step, uint64_t value)
{
	const uint64_t before = arch_wrap(step->arch, arch_code(step->arch, value) - 1);
	const char *why_not;

	return step_looks_like_return(step, value, &why_not) ||
	       (module_map_find(&step->walk->modules, before) == MODULE_NONE &&
		step_policy(step, POLICY_END_OF_STACK) &&
		step_code_at(step, before) == STEP_CODE && is_aligned_code(step, value) &&
		call_instruction(step, value) != CALL_NO);
}

/*
 * The alignment of the stack pointer at calls. It is known if the ABI requires one, and the return
 * address is pushed or saved as the highest register. A return address is then `word` bytes below a
 * multiple of the alignment. 0: unknown.
 */
static unsigned
call_alignment(const struct step *step)
{
	const struct arch *arch = step->arch;

	return (arch->call_aligned_on >> step->walk->crash->system.os & 1) != 0
		       ? arch->call_alignment
		       : 0;
}

bool
step_knows_return_slots(const struct step *step)
{
	return step_policy(step, POLICY_RETURN_ALIGNMENT) &&
	       (call_alignment(step) != 0 || step->arch->frame_records);
}

/* Words on either side to search for pointers to constants, and the reach of a pointer. */
#define CONSTANT_WORDS 64u
#define CONSTANT_REACH 1024u

/* Whether `address` lies above the code of a frame or the entry point, and is no frame's pc. */
static bool
is_above_code(const struct step *step, uint64_t address)
{
	const struct frame *frames = step->walk->frames;
	const int module = module_map_find(&step->walk->modules, address);
	const uint64_t entry = step->walk->bottom.entry;
	bool above = entry != 0 && entry < address &&
		     module_map_find(&step->walk->modules, entry) == module;

	for (size_t i = step->number + 1, most = CONSTANT_WORDS; i-- > 0 && most-- > 0;) {
		const uint64_t pc = frames[i].registers.value[step->arch->pc];

		/* The word is in the context of a signal on the stack. */
		if (frames[i].interrupted && pc == address)
			return false;
		above = above || (frames[i].module == module && pc < address);
	}
	return above;
}

/*
 * Whether an even word nearby points into the code of the module, a little below the odd `value`.
 * Pointers to Thumb code are odd. Pointers to constants, which linkers place after the code, may be
 * odd, too.
 */
static bool
is_among_constants(const struct step *step, uint64_t slot, uint64_t value)
{
	const struct walk *walk = step->walk;
	const int module = module_map_find(&walk->modules, value);
	uint64_t other;

	if (step->arch->mode_bit == 0 || (value & 1) == 0 ||
	    arch_thumb(step->arch, &walk->frames[0].registers) == ARCH_THUMB_NO ||
	    step_policy(step, POLICY_SCAN_CONTEXT) || call_instruction(step, value) != CALL_UNKNOWN)
		return false;
	slot -= CONSTANT_WORDS * 4;
	for (unsigned i = 0; i < 2 * CONSTANT_WORDS; i++, slot += 4)
		if (step_read(step, slot, &other) && other % 2 == 0 && other < value &&
		    value - other <= CONSTANT_REACH &&
		    module_map_find(&walk->modules, other) == module &&
		    step_code_at(step, other) == STEP_CODE && is_above_code(step, other))
			return true;
	return false;
}

/* Words on either side of a word that are searched for copies of it. */
#define MOST_COPIES 256u
/* Copies are accepted as return addresses if the odds against chance are at least 64 to 1. */
#define COPY_ODDS 64u

/*
 * Whether copies of a word are only where calls store return addresses, and are too many to be
 * chance. Such a word is the return address of a recursion.
 */
static bool
is_at_calls_only(const struct step *step, uint64_t slot, uint64_t value, unsigned alignment)
{
	const unsigned word = step->arch->word_size;
	uint64_t odds = 1, other;

	slot -= MOST_COPIES * word;
	for (unsigned i = 0; alignment != 0 && odds < COPY_ODDS && i < 2 * MOST_COPIES;
	     i++, slot += word) {
		if (!step_read(step, slot, &other) || other != value)
			continue;
		if ((slot + word) % alignment != 0)
			return false;
		odds *= alignment / word;
	}
	return odds >= COPY_ODDS;
}

/*
 * Compilers for x86 align functions: a pointer to a function is always a multiple of the alignment,
 * a return address only by chance. Without other evidence an aligned word is a pointer. A function
 * in the symbols is evidence if it covers the address; an exported name, which has no size, is not.
 */
static bool
is_aligned_as_functions(const struct step *step, uint64_t value)
{
	const uint32_t alignment = step_policy(step, POLICY_FUNCTION_ALIGNMENT);
	struct function function;

	return step->arch->code_unit == 1 && alignment != 0 && value % alignment == 0 &&
	       !step_function_at(step, value, true, &function) &&
	       call_instruction(step, value) == CALL_UNKNOWN;
}

/*
 * gcc does not align the stack for a call to a leaf function in the same file
 * (-fipa-stack-alignment). The caller itself may have been called in this way.
 */
static bool
may_be_misaligned(const struct step *step, uint64_t slot, uint64_t value, unsigned alignment)
{
	return slot == step->sp && (step->callee->interrupted || slot % alignment != 0) &&
	       module_map_find(&step->walk->modules, value - 1) == step->callee->module;
}

/* The module of the program; without an entry point, the first module, as in dumps of Linux. */
static int
program_module(const struct walk *walk)
{
	return walk->bottom.entry != 0 ? module_map_find(&walk->modules, walk->bottom.entry)
	       : walk->crash->module_count > 0 ? 0 : MODULE_NONE;
}

bool
step_is_in_program(const struct step *step)
{
	return step->callee->module != MODULE_NONE &&
	       step->callee->module == program_module(step->walk);
}

bool
step_is_above_program(const struct step *step)
{
	return step->callee->above_program || step_is_in_program(step);
}

/*
 * Whether the dynamic linker has already started the program. If so, the program's first code has a
 * frame at the bottom of the stack. True if the entry point is unknown.
 */
static bool
has_begun(struct step *step, uint64_t slot)
{
	const struct stack_bottom *bottom = &step->walk->bottom;
	const unsigned word = step->arch->word_size;
	uint64_t value;

	if (bottom->entry == 0)
		return true;
	/* The word that an earlier search of this step found. */
	if (step->begun >= slot && (step->begun - slot) / word < MOST_WORDS)
		return true;
	for (unsigned i = 0; i < MOST_WORDS && slot < bottom->address &&
			     step_read(step, slot, &value); slot += word, i++)
		if (value != bottom->entry && walk_is_in_start(step->walk, value)) {
			step->begun = slot;
			return true;
		}
	return false;
}

/*
 * glibc's dynamic linker calls libraries when it loads them, and calls the program at the end. So a
 * linker's word above a frame of the program is left over from the time before main, which uses the
 * same stack. This also applies to libraries that the program called.
 */
static bool
is_left_by_linker(struct step *step, uint64_t slot, uint64_t value)
{
	static const char *const names[] = { "ld-linux", "ld64.so", "ld.so", "ld-2." };
	const struct walk *walk = step->walk;
	const int module = module_map_find(&walk->modules, value - 1);

	if (step_policy(step, POLICY_SCAN_LINKER) || module == MODULE_NONE ||
	    module == program_module(walk) || !step_is_above_program(step))
		return false;
	const char *name = place_base_name(walk->crash->modules[module].code_file);
	return text_begins(text_of(name), names, ARRAY_COUNT(names)) > 0 && has_begun(step, slot);
}

/* Limit of links of exception handlers that are followed. */
#define HANDLER_LINKS 64u
#define HANDLERS_END UINT32_MAX

/* Reads the `next` of an exception handler record at `at`; false: no such record can be there. */
static bool
read_handler(const struct step *step, uint64_t at, uint64_t *next)
{
	uint64_t handler;

	return step_read(step, at, next) && step_read(step, at + 4, &handler) &&
	       (*next == HANDLERS_END || (*next > at && *next % 4 == 0)) &&
	       module_map_find(&step->walk->modules, handler) != MODULE_NONE;
}

/* Whether the `next` of an exception handler record below `at` points to `at`. */
static bool
is_next_handler(const struct step *step, uint64_t at)
{
	uint64_t next;

	for (uint64_t i = 1, below = at - 8; i < MOST_WORDS && step_read(step, below, &next);
	     i++, below -= 4)
		if (next == at && read_handler(step, below, &next))
			return true;
	return false;
}

/*
 * 32-bit Windows links the exception handlers of a thread on its stack (winnt.h,
 * EXCEPTION_REGISTRATION_RECORD). A record is a pair of next and handler; the last next is
 * ffffffff. The handler is not a return address, although it may follow a call. A saved ebp never
 * leads to ffffffff. A single record may be a saved register, so another record must lead to it.
 */
static bool
is_exception_handler(const struct step *step, uint64_t slot)
{
	uint64_t at = slot - 4, next;

	if (!step->arch->stack_win || step->walk->crash->system.os != CRASH_OS_WINDOWS ||
	    !step_policy(step, POLICY_RETURN_ALIGNMENT))
		return false;
	for (unsigned i = 0; i < HANDLER_LINKS && read_handler(step, at, &next); i++, at = next)
		if (next == HANDLERS_END)
			return i > 0 || is_next_handler(step, at);
	return false;
}

/*
 * Whether a word repeats the return address into the callee, and is therefore a leftover. Its call
 * went into another module, so a direct call cannot also have called the callee. A recursion
 * through a pointer would repeat the word at a constant distance. False if the code is known.
 */
static bool
is_same_call(const struct step *step, uint64_t slot, uint64_t value)
{
	const struct walk *walk = step->walk;
	const struct frame *callee = step->callee;
	const unsigned word = step->arch->word_size;
	const uint64_t distance = slot + word - step->sp;
	uint64_t other;

	if (step_policy(step, POLICY_SCAN_SAME_CALL) || step->number == 0 ||
	    callee != &walk->frames[step->number] || callee->interrupted ||
	    step_return_address(step, callee) != value ||
	    walk->frames[step->number - 1].module == callee->module)
		return false;
	return call_instruction(step, value) == CALL_UNKNOWN &&
	       !(step_read(step, slot + distance, &other) && other == value) &&
	       !(step_read(step, slot - 2 * distance, &other) && other == value);
}

/*
 * Whether a word is a pointer because a copy of it is where no call stores a return address. For
 * example, glibc's startup keeps a pointer to main. On x86 only calls out of a module always align
 * the stack.
 */
static bool
is_pointer_elsewhere(const struct step *step, uint64_t slot, uint64_t value, unsigned alignment)
{
	const unsigned word = step->arch->word_size;
	uint64_t other;

	if (step_policy(step, POLICY_SCAN_SAME_CALL) || alignment == 0 ||
	    (arch_pushes_return(step->arch) &&
	     module_map_find(&step->walk->modules, value - 1) == step->callee->module) ||
	    call_instruction(step, value) != CALL_UNKNOWN)
		return false;
	for (unsigned i = 1; i <= MOST_COPIES && step_read(step, slot + i * word, &other); i++)
		if (other == value && (slot + (i + 1) * word) % alignment != 0)
			return true;
	return false;
}

/* Bytes before a return address that are searched for other calls by the same function. */
#define SAME_FUNCTION 512u

/*
 * Whether a word can be the ebx of position-independent code, which points to its module's GOT. The
 * GOT is in writable memory, or just below it, where the loader has made memory read-only.
 */
static bool
may_be_got(const struct step *step, uint64_t word)
{
	const struct crash *crash = step->walk->crash;
	const int module = module_map_find(&step->walk->modules, word);
	const struct mapping *mapping = crash_mapping(crash, word);

	if (module == MODULE_NONE || step_code_at(step, word) != STEP_NO_CODE)
		return false;
	if (mapping != NULL && !mapping->writable) {
		const uint64_t end = mapping->base + mapping->size;

		mapping = module_map_find(&step->walk->modules, end) == module
				  ? crash_mapping(crash, end) : NULL;
		return mapping != NULL && mapping->writable;
	}
	return true;
}

/* Maximum bytes between the pc and an earlier call by the same function, if it saves ebx. */
#define LONG_FUNCTION 4096u
/* Maximum bytes between two return addresses with only saved registers between them. */
#define SAVED_REGISTERS 16u

/*
 * Whether a word of 32-bit x86 is a leftover of the callee's function. It is the return address of
 * a call before the function moved its stack pointer, or of a call that loaded its own address.
 * Such a word is below the saved registers and points to before the pc; the caller's return address
 * is above the registers. If the caller's frame really is that small, the word is right, but then
 * the callee has saved its own ebx below the word.
 */
static bool
is_below_saved(const struct step *step, uint64_t slot, uint64_t value)
{
	uint64_t word;
	const bool pic = step_read(step, slot + 4, &word) && may_be_got(step, word);
	const char *why_not;

	if (step->pc - value - 1 >= (pic ? LONG_FUNCTION : SAME_FUNCTION))
		return false;
	/* In a recursion the next frame, of equal size, has the same return address. */
	if (step_read(step, slot + (slot + 4 - step->sp), &word) && word == value)
		return false;
	for (uint64_t at = slot - 12; !pic && at < slot; at += 4)
		if (at >= step->sp && step_read(step, at, &word) && may_be_got(step, word))
			return false;
	for (uint64_t count = pic ? 8 : SAVED_REGISTERS; count <= SAVED_REGISTERS; count += 4)
		if (step_read(step, slot + count, &word) &&
		    step_looks_like_return(step, word, &why_not))
			return true;
	return false;
}

/*
 * Whether a word of 32-bit x86 is left over from an earlier call that the callee made without
 * arguments. The word is at the next aligned place above the return address to the callee. It
 * belongs to a call a little before the current call, for which the callee pushed arguments. If the
 * callee's frame is really that small, it contains a saved ebx, which points to the module's data.
 */
static bool
is_above_arguments(const struct step *step, uint64_t slot, uint64_t value, unsigned alignment)
{
	const struct walk *walk = step->walk;
	const int module = step->callee->module;
	uint64_t saved;

	if (!step->arch->stack_win || alignment == 0 || step->callee->interrupted ||
	    step_policy(step, POLICY_SCAN_CONTEXT) ||
	    module_map_find(&walk->modules, value) != module ||
	    call_instruction(step, value) != CALL_UNKNOWN)
		return false;
	if (is_below_saved(step, slot, value))
		return true;
	if (slot + 4 - step->sp != alignment || step->pc - value - 1 >= SAME_FUNCTION)
		return false;
	for (uint64_t at = step->sp; at < slot && step_read(step, at, &saved); at += 4)
		if (module_map_find(&walk->modules, saved) == module && may_be_got(step, saved))
			return false;
	return true;
}

/*
 * Wine's words on the stack for a callback: the return address, and the number of words below the
 * arguments.
 */
#define CALLBACK_RETURN 0xdeadbabeu
#define CALLBACK_HEAD 4u
#define MOST_ARGUMENTS (UINT64_C(1) << 20)

uint32_t
step_callback_words(const struct step *step)
{
	const unsigned word = step->arch->word_size;
	const uint64_t arguments = step->sp + (uint64_t)CALLBACK_HEAD * word;
	uint64_t pointer, length, end;

	if (step->walk->crash->system.os != CRASH_OS_WINDOWS || step->pc != CALLBACK_RETURN ||
	    !step_policy(step, POLICY_SIGNAL_FRAMES) ||
	    !step_read(step, step->sp + word, &pointer) || pointer != arguments ||
	    !step_read(step, step->sp + (uint64_t)2 * word, &length) || length >= MOST_ARGUMENTS ||
	    !step_read(step, step->sp + (uint64_t)3 * word, &end) || end != 0)
		return 0;
	return CALLBACK_HEAD + (uint32_t)((length + word - 1) / word);
}

/* Whether `value` can point into the code of a module, in ARM or Thumb state. */
static bool
points_to_code(const struct step *step, uint64_t value)
{
	return ((value & 1) != 0 || value % 4 == 0) &&
	       module_map_find(&step->walk->modules, value - 1) != MODULE_NONE &&
	       step_code_at(step, value - 1) == STEP_CODE;
}

/*
 * Whether a word of 32-bit ARM is in a frame record (saved frame pointer, return address) that
 * leads to another record. A return address in ARM code is even, as most pointers are. clang points
 * r11 to the first word of a record, gcc in ARM state to the second word.
 */
static bool
is_in_arm_record(const struct step *step, uint64_t slot, uint64_t value)
{
	uint64_t next, above, back;

	if (step->arch->mode_bit == 0 || step_policy(step, POLICY_SCAN_CONTEXT) ||
	    value % 4 != 0 || !points_to_code(step, value) ||
	    call_instruction(step, value) != CALL_UNKNOWN || !step_read(step, slot - 4, &next) ||
	    next <= slot || next % 4 != 0)
		return false;
	for (unsigned second = 0; second <= 4; second += 4)
		if (step_read(step, next - second, &above) && above > next &&
		    step_read(step, next - second + 4, &back) && points_to_code(step, back) &&
		    step_read(step, above, &above))
			return true;
	return false;
}

/* Judges a word by its value and address, without the frame pointers. */
static bool
may_be_return(struct step *step, uint64_t slot, uint64_t value, const char **why_not)
{
	const unsigned alignment = step_knows_return_slots(step) ? call_alignment(step) : 0;

	if (!step_looks_like_return(step, value, why_not) && !is_in_arm_record(step, slot, value))
		return false;
	*why_not = "misaligned: a call does not store its return address there";
	if (alignment != 0 && (slot + step->arch->word_size) % alignment != 0 &&
	    !may_be_misaligned(step, slot, value, alignment) &&
	    /* A chain of frame pointers is better evidence than one call. */
	    !(step->method == METHOD_SCAN && step_calls_callee(step, value)))
		return false;
	*why_not = "in the kernel's page, which makes no calls";
	if (step_policy(step, POLICY_SIGNAL_FRAMES) && step_is_in_kernel_page(step, value))
		return false;
	*why_not = "aligned like a function pointer";
	if (is_aligned_as_functions(step, value) &&
	    !is_at_calls_only(step, slot, value, alignment))
		return false;
	*why_not = "left by the dynamic linker, which does not call the program";
	if (is_left_by_linker(step, slot, value))
		return false;
	*why_not = "the callee's own return address: its call led into another module";
	if (is_same_call(step, slot, value))
		return false;
	*why_not = "among constants: an even word nearby points to code just below this value";
	if (is_among_constants(step, slot, value))
		return false;
	*why_not = "left by an earlier call of this frame's function";
	if (is_above_arguments(step, slot, value, alignment))
		return false;
	*why_not = "a pointer: the same value is also where no call stores a return address";
	if (is_pointer_elsewhere(step, slot, value, alignment))
		return false;
	*why_not = "a copy that an exception's unwinder made";
	if (step_is_unwinder_copy(step, slot, value))
		return false;
	*why_not = "an exception handler, in a record of the thread's list";
	if (is_exception_handler(step, slot))
		return false;
	*why_not = "an argument of a callback, which Wine copied to the stack";
	return slot - step->sp >= (uint64_t)step_callback_words(step) * step->arch->word_size;
}

/* Whether the frame pointer leads to a record: a higher frame pointer and a return address. */
static bool
has_chain(struct step *step)
{
	const unsigned word = step->arch->word_size;
	const uint64_t fp = step->fp;
	const char *why_not;
	uint64_t next, value;

	return step_read(step, fp, &next) && step_read(step, fp + word, &value) &&
	       ((next == 0 && step->arch->frame_records) ||
		(next > fp && step_read(step, next, &next))) &&
	       may_be_return(step, fp + word, step_strip(step, value), &why_not);
}

/*
 * Whether `slot` and the word below it are a frame record (saved frame pointer, return address)
 * that the chain of frame pointers skips. A function changes the frame pointer after saving it. If
 * the register points above the record, the function that made the record has returned.
 */
static bool
is_record_left_behind(struct step *step, uint64_t slot)
{
	const unsigned word = step->arch->word_size;
	uint64_t saved;

	return slot - word >= step->sp &&
	       step_read(step, slot - word, &saved) && saved > slot && saved <= step->fp &&
	       saved % word == 0 && has_chain(step);
}

/* A module keeps frame pointers if at least this many links are between its frames. */
#define MODULE_LINKS 3u
/* Programs with fewer modules are static: their C library possibly has no frame pointers. */
#define DYNAMIC_MODULES 3u

/* Counts the last frames, at most MODULE_LINKS, found by frame pointers in the callee's module. */
static unsigned
count_links_before(const struct step *step)
{
	const struct frame *frame = step->callee;
	unsigned links = 0;

	if (frame != &step->walk->frames[step->number])
		return 0;
	for (; links < MODULE_LINKS && links < step->number &&
	       frame->trust == TRUST_FRAME_POINTER && frame[-1].module == frame->module; frame--)
		links++;
	return links;
}

bool
step_module_keeps_chain(const struct step *step, uint64_t frame)
{
	const struct walk *walk = step->walk;
	const unsigned word = step->arch->word_size;
	const int module = step->callee->module;
	const bool dynamic = walk->crash->module_count >= DYNAMIC_MODULES;
	unsigned links = dynamic ? count_links_before(step) : 0;
	uint64_t value, next;

	if (step_policy(step, POLICY_SCAN_CONTEXT) || module == MODULE_NONE ||
	    !(dynamic || step->arch->frame_records))
		return false;
	for (; links < MODULE_LINKS && step_read(step, frame, &next) &&
	       step_read(step, frame + word, &value); frame = next, links++) {
		value = step_strip(step, value);
		if (module_map_find(&walk->modules, value - 1) != module || next <= frame ||
		    walk_is_in_start(walk, value))
			return false;
	}
	return links == MODULE_LINKS;
}

/*
 * A module has code without frame records if this many words outside records look like return
 * addresses into the function's own module. Fewer may be function pointers or leftovers.
 */
#define BARE_LEAST 4u

/* The callee's module, if BARE_LEAST such words are below the record at the frame pointer. */
static int
find_bare_module(struct step *step)
{
	const struct memory_view *memory = &step->walk->memory;
	const unsigned word = step->arch->word_size;
	const int module = step->callee->module;
	unsigned count = 0, words = 0;
	const char *why_not;
	uint64_t value, below = 0;

	if (!step->arch->frame_records || step_policy(step, POLICY_CHAIN_OVER_CALLS) ||
	    module == MODULE_NONE || !registers_known(&step->callee->registers, step->arch->fp) ||
	    step_module_keeps_chain(step, step->fp))
		return MODULE_NONE;
	for (uint64_t slot = step->sp;
	     slot < step->fp && count < BARE_LEAST && words < MOST_WORDS &&
	     memory_peek(memory, slot, word, &value, NULL);
	     slot += word, below = value, words++) {
		const bool own = module_map_find(&step->walk->modules, value - 1) == module;

		memory_note(memory, slot, word, own ? MEMORY_READ : MEMORY_REFUSED);
		if (own && words > 0)
			memory_note(memory, slot - word, word, MEMORY_READ);
		count += own && (below <= slot || memory_run_of(memory, below) == NULL) &&
			 may_be_return(step, slot, value, &why_not);
	}
	return count >= BARE_LEAST ? module : MODULE_NONE;
}

/* The module that is known to have code without frame records, or MODULE_NONE; searched once. */
static int
bare_module(struct step *step)
{
	if (step->bare_module == MODULE_NONE && !step->bare_asked)
		step->bare_module = find_bare_module(step);
	step->bare_asked = true;
	return step->bare_module;
}

/*
 * Whether a chain of frame records, as in clang's code, skips `slot` on 32-bit ARM. It begins at
 * the callee's frame pointer: r11, r7, or the word saved below its return address. A pair of
 * pointer and return address that leads to another such pair is not chance.
 */
static bool
is_skipped_by_records(struct step *step, uint64_t slot)
{
	static const int frame_registers[] = { 11, 7 };
	const struct registers *registers = &step->callee->registers;
	const char *why_not;
	uint64_t at, next, value;

	if (step->arch->mode_bit == 0 || step_policy(step, POLICY_SCAN_CONTEXT))
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(frame_registers); i++) {
		if (step_is_first(step) && registers_known(registers, frame_registers[i]))
			at = registers->value[frame_registers[i]];
		else if (step->callee->trust != TRUST_SCAN || !step_read(step, step->sp - 8, &at))
			continue;
		if (at >= step->sp && slot < at + 4 && step_read(step, at, &next) && next > at &&
		    step_read(step, at + 4, &value) &&
		    module_map_find(&step->walk->modules, value - 1) == step->callee->module &&
		    may_be_return(step, at + 4, value, &why_not) &&
		    step_read(step, next + 4, &value) &&
		    may_be_return(step, next + 4, value, &why_not))
			return true;
	}
	return false;
}

/*
 * Whether the chain of frame pointers contradicts a word below its next record. On arm64 every
 * function keeps a record (AAPCS64 6.4.6) unless it was compiled to keep none, as the code of some
 * modules shows.
 */
static bool
is_passed_by(struct step *step, uint64_t slot, uint64_t value, const char **why_not)
{
	*why_not = "not in a frame record, although the module's code has frame records";
	if (is_skipped_by_records(step, slot))
		return true;
	if (step_policy(step, POLICY_CHAIN_OVER_CALLS) || step->callee->guessed ||
	    !registers_known(&step->callee->registers, step->arch->fp) || step->fp <= slot)
		return false;
	if (step->arch->frame_records && has_chain(step) &&
	    (bare_module(step) == MODULE_NONE ||
	     module_map_find(&step->walk->modules, value - 1) != step->bare_module))
		return true;
	*why_not = "left by a function that has returned: the chain of frame pointers skips it";
	return is_record_left_behind(step, slot);
}

bool
step_is_candidate(struct step *step, uint64_t slot, uint64_t value, const char **why_not)
{
	/* Outside all modules, too many words could be addresses of a trampoline. */
	if (step_policy(step, POLICY_SIGNAL_FRAMES) &&
	    module_map_find(&step->walk->modules, value) != MODULE_NONE &&
	    step_is_trampoline_at(step, value + (uint64_t)(int64_t)step_return_step(step),
				  slot + step->arch->word_size, false))
		return true;
	return may_be_return(step, slot, value, why_not) &&
	       !is_passed_by(step, slot, value, why_not);
}

/* Whether `address` is below the stack's bottom, where frames are; if not, sets `*why_not`. */
static bool
is_below_bottom(const struct step *step, uint64_t address, const char **why_not)
{
	const struct stack_bottom *bottom = step->bottom;

	if (bottom->kind == BOTTOM_UNKNOWN || address < bottom->address)
		return true;
	*why_not = bottom->kind == BOTTOM_ARGUMENTS
			   ? "among the program's arguments at the stack's bottom"
			   : "in the block that describes the thread, at the stack's bottom";
	return false;
}

bool
step_scan(struct step *step, uint64_t start, uint32_t passed, uint32_t words, uint64_t *slot,
	  uint64_t *value)
{
	const unsigned word = step->arch->word_size;
	const struct overlay_edit *edit =
		overlay_edit_of(step->walk, step->number, OVERLAY_CANDIDATE, 0);
	const uint64_t skip = edit != NULL ? edit->address - start : 0;
	/* The user's choice of a word for this scan, if the scan reaches it. */
	const bool choice = edit != NULL && edit->address >= start && skip % word == 0 &&
			    skip / word < UINT32_MAX;
	if (choice)
		words = (uint32_t)(skip / word) + 1;
	else if (words <= passed)
		words = passed + 1;

	for (uint32_t i = 0; i < words; i++) {
		uint64_t address = arch_wrap(step->arch, start + (uint64_t)i * word);
		const char *why_not = "not in the dump";
		struct place place = { 0 };
		uint64_t found = 0;
		bool there = memory_peek(&step->walk->memory, address, word, &found,
					 step->trace != NULL ? &place : NULL);
		bool below = there && is_below_bottom(step, address, &why_not);
		bool good = below && (choice ? address == edit->address
					     : step_is_candidate(step, address, found, &why_not) &&
						       step_fits_context(step, address, found,
									 &why_not));

		if (good && !choice && i < passed) {
			why_not =
				"it only looks like a return address; a later word is proven by "
				"its call and rules";
			good = false;
		}

		/* If a word is in no module, note only that it was refused. */
		if (there)
			memory_note(&step->walk->memory, address, word,
				    !good && why_not == in_no_module ? MEMORY_REFUSED
								     : MEMORY_READ);
		if (choice && below)
			why_not = "another word was chosen by a what-if edit";
		if (below && address + word > step->scanned_to)
			step->scanned_to = address + word;
		if (step->trace != NULL)
			step_event(step, step->attempt, (struct event){
				.kind = EVENT_CANDIDATE, .place = place,
				.status = good ? EVENT_OK : EVENT_FAILED,
				.address = address, .value = found,
				.text = !good	 ? why_not
					: choice ? "chosen by a what-if edit"
						 : "looks like a return address" });
		if (good) {
			*slot = address;
			*value = found;
			return true;
		}
		if (!below && (!choice || !there))
			return false;
	}
	return false;
}
