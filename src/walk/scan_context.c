/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/sorted.h"
#include "code/call.h"
#include "code/instruction.h"
#include "walk/step.h"

/* Reasons to refuse a scanned word, or to prefer a later one: frames and words around it. */

#define MOST_CYCLE 16u		/* maximum frames of a recursion between equal return addresses */
#define MOST_AHEAD 64u		/* words after a candidate that are searched for a better one */
#define LONGEST_FUNCTION 4096u	/* maximum bytes from a function's start to its pc */

/*
 * For each frame that it passes, gcc's unwinder stores the CFA and then the return address
 * (unwind-dw2.c, struct _Unwind_Context). The word below the CFA has the same return address. A
 * real return address never has such a CFA below it. The word below it is a saved register of the
 * caller, and the caller's calls store no return address within the caller's own frame.
 */
bool
step_is_unwinder_copy(const struct step *step, uint64_t slot, uint64_t value)
{
	const unsigned word = step->arch->word_size;
	uint64_t cfa, original;

	return !step_policy(step, POLICY_SCAN_CONTEXT) && arch_pushes_return(step->arch) &&
	       step_read(step, slot - word, &cfa) && cfa % word == 0 && cfa - word > slot &&
	       step_read(step, cfa - word, &original) && original == value;
}

/*
 * Whether a word is in a frame of gcc's unwinder: the callee is in libgcc, the word leads
 * elsewhere, and later words have a return address into libgcc and then an _Unwind_Context. The
 * unwinder calls only personality routines, which call no unwinder themselves.
 */
static bool
is_within_unwinder(struct step *step, uint64_t slot, uint64_t value)
{
	const struct walk *walk = step->walk;
	const unsigned word = step->arch->word_size;
	const int module = step->callee->module;
	const char *why_not;
	bool found = false;

	if (module == MODULE_NONE || module_map_find(&walk->modules, value - 1) == module ||
	    strncmp(place_base_name(walk->crash->modules[module].code_file), "libgcc_s", 8) != 0)
		return false;
	for (unsigned i = 1; i <= MOST_AHEAD && step_read(step, slot + i * word, &value); i++) {
		if (found && step_is_unwinder_copy(step, slot + i * word, value))
			return true;
		found = found || (module_map_find(&walk->modules, value - 1) == module &&
				  step_is_candidate(step, slot + i * word, value, &why_not));
	}
	return false;
}

/*
 * Whether a word is inside the callee's frame, which is as large as an earlier frame with the same
 * return address. Functions that allocate memory on the stack are exceptions.
 */
static bool
is_within_known_frame(struct step *step, uint64_t slot)
{
	const struct arch *arch = step->arch;
	const struct frame *frames = step->walk->frames;
	const char *why_not;
	uint64_t value;

	if (step->callee != &frames[step->number] || step->callee->interrupted)
		return false;
	for (size_t i = step->number; i-- > 0 && step->number - i <= MOST_CYCLE;) {
		const uint64_t *registers = frames[i].registers.value;

		if (registers[arch->pc] != step->pc || frames[i].interrupted)
			continue;
		const uint64_t other =
			step->sp - arch->word_size +
			(frames[i + 1].registers.value[arch->sp] - registers[arch->sp]);

		return other > slot && step_read(step, other, &value) &&
		       step_is_candidate(step, other, value, &why_not);
	}
	return false;
}

/*
 * Whether a word is aligned like a function and also in a callee-saved register: then it is a
 * pointer. An interrupted callee may have read its own return address. On x86 the alignment alone
 * refuses a word (candidate.c).
 */
static bool
is_in_register(const struct step *step, uint64_t value)
{
	const struct arch *arch = step->arch;
	const struct registers *first = &step->walk->frames[0].registers;

	if (arch->lr == ARCH_NO_REGISTER || step->callee->interrupted ||
	    arch_code(arch, value) % arch->code_unit != 0)
		return false;
	for (int reg = 0; reg < arch->register_count; reg++)
		if (arch->registers[reg].callee_saved && registers_known(first, reg) &&
		    first->value[reg] == value)
			return true;
	return false;
}

/*
 * Whether code at `address` is known and is not a jump through memory, as in stubs. Known code is
 * in the dump or, if `with_files`, in the module's file.
 */
static bool
begins_function(const struct step *step, uint64_t address, bool with_files)
{
	struct binaries *files = with_files ? step->walk->binaries : NULL;
	uint64_t bytes;

	if (!code_read(&step->walk->memory, files, address, sizeof(bytes), &bytes))
		return false;
	for (unsigned i = 0; i < 7; i++, bytes >>= 8)
		if ((bytes & 0x30ff) == 0x20ff)
			return false;
	return true;
}

/* Whether an instruction of x86 fills the space before an aligned function: nop or int3. */
static bool
is_padding(const struct instruction *at)
{
	const uint8_t *byte = at->bytes, *end = at->bytes + at->length;

	/* Prefixes make a nop longer. */
	while (byte < end && (*byte == 0x66 || *byte == 0x2e))
		byte++;
	return byte < end && (*byte == 0x90 || *byte == 0xcc ||
			      (*byte == 0x0f && end - byte > 1 && byte[1] == 0x1f));
}

/*
 * Whether code runs from `first` to `at` without the end of a function in between: a return or a
 * jump out, then padding up to the alignment of the next function.
 */
static bool
is_one_function(const struct step *step, uint64_t first, uint64_t at)
{
	const uint64_t alignment = step_policy(step, POLICY_FUNCTION_ALIGNMENT);
	const struct walk *walk = step->walk;
	struct instruction here;
	bool ended = false;

	for (uint64_t next = first; next < at; next += here.length) {
		if (!instruction_at(&here, step->arch, &walk->memory, walk->binaries, false, next))
			return false;
		const bool out = (here.kinds & INSTRUCTION_JUMP) != 0 &&
				 (here.kinds & INSTRUCTION_CONDITIONAL) == 0 &&
				 (!here.has_target || here.target < first || here.target > at);

		ended = out || (here.kinds & INSTRUCTION_RETURN) != 0 ||
			(ended && is_padding(&here));
		if (ended && alignment != 0 && (next + here.length) % alignment == 0)
			return false;
	}
	return true;
}

/*
 * Whether an instruction of 32-bit ARM pushes lr (Arm Architecture Reference Manual for ARMv7-A,
 * DDI 0406, A8.8.133). Thumb has a form of 16 bits and one of 32.
 */
static bool
saves_link(uint64_t word, bool thumb)
{
	return thumb ? (word & 0xff00) == 0xb500 || (word & 0x4000ffff) == 0x4000e92d
		     : (word & 0x0fff4000) == 0x092d4000;
}

/* Whether at most one instruction from `first` to `at` saves the link register. */
static bool
is_one_arm_function(const struct step *step, uint64_t first, uint64_t at)
{
	const struct registers *registers = &step->walk->frames[0].registers;
	const bool thumb = step_is_first(step) ? arch_thumb(step->arch, registers) ==
							 ARCH_THUMB_YES
					       : (step->pc & 1) != 0;
	unsigned saves = 0;
	uint64_t word;

	for (uint64_t next = first; next < at && saves <= 1; next += thumb ? 2 : 4) {
		if (!code_read(&step->walk->memory, step->walk->binaries, next, 4, &word))
			return false;
		saves += saves_link(word, thumb);
	}
	return saves <= 1;
}

bool
step_calls_callee(const struct step *step, uint64_t value)
{
	const struct walk *walk = step->walk;
	const uint64_t at = step->callee->lookup;
	const struct call_site site = call_find(step->arch, &walk->memory, walk->binaries, value);
	struct function function;

	if (site.answer != CALL_YES || !site.direct || at < site.target)
		return false;
	if (step_function_at(step, at, true, &function))
		return site.target == function.address;
	if (at - site.target >= LONGEST_FUNCTION || (value <= at && value >= site.target))
		return false;
	if (step->arch->mode_bit != 0)
		return is_one_arm_function(step, site.target, at);
	return arch_pushes_return(step->arch) && begins_function(step, site.target, true) &&
	       is_one_function(step, site.target, at);
}

/* Whether a direct call may lead to the function at `at`: to its first byte, or to a stub. */
static bool
leads_to(const struct step *step, const struct call_site *site, uint64_t at)
{
	struct function function;

	if (!begins_function(step, site->target, false))
		return true;
	if (step_function_at(step, at, true, &function))
		return site->target == function.address;
	return at >= site->target && at - site->target < LONGEST_FUNCTION;
}

/*
 * Whether a word is left over from an earlier call, because a later word is the return address to
 * the caller. The later word must be in the callee's module, and its call must lead to the callee.
 * The call of this word must lead elsewhere, or be in another module without known code.
 */
static bool
is_before_caller(struct step *step, uint64_t slot, uint64_t value)
{
	const struct walk *walk = step->walk;
	const unsigned word = step->arch->word_size;
	const int module = step->callee->module;
	const char *why_not;

	const struct call_site site = call_find(step->arch, &walk->memory, walk->binaries, value);
	const bool elsewhere = site.direct ? !leads_to(step, &site, step->callee->lookup)
					   : site.answer == CALL_UNKNOWN &&
						     module_map_find(&walk->modules, value - 1) !=
							     module;

	if (module == MODULE_NONE || !elsewhere)
		return false;
	for (unsigned i = 1; i <= MOST_AHEAD && step_read(step, slot + i * word, &value); i++)
		if (module_map_find(&walk->modules, value - 1) == module &&
		    step_calls_callee(step, value) &&
		    step_is_candidate(step, slot + i * word, value, &why_not))
			return true;
	return false;
}

/*
 * Supposes a return to `value`, and finds the caller of that frame by its unwind rules. False if no
 * rules cover `value`, or if they use registers that a scan does not recover. `there` becomes the
 * step from frames[0] to frames[1]. `with_code`: analysis of the code is allowed, too.
 */
static bool
follow_rules(const struct step *step, uint64_t slot, uint64_t value, bool with_code,
	     struct step *there, struct frame frames[2])
{
	static const enum method_id sources[] = { METHOD_STACK_CFI, METHOD_SFRAME,
						  METHOD_FRAME_TABLE, METHOD_CODE };
	const struct arch *arch = step->arch;
	struct frame *callee = &frames[0];

	*callee = (struct frame){ .lookup = arch_wrap(arch, value - arch->call_step) };
	frames[1] = (struct frame){ 0 };
	callee->module = module_map_find(&step->walk->modules, callee->lookup);
	if (callee->module == MODULE_NONE)
		return false;
	registers_set(&callee->registers, arch->pc, value);
	registers_set(&callee->registers, arch->sp, slot + arch->word_size);
	*there = *step;
	there->trace = NULL;
	step_aim(there, callee);
	there->symfile = walk_symfile(step->walk, callee->module);
	there->relative = callee->lookup - step->walk->crash->modules[callee->module].base;
	for (size_t i = 0; i < ARRAY_COUNT(sources); i++) {
		const struct method *method = &methods[sources[i]];

		if (method_is_of(arch->id, sources[i]) &&
		    (with_code || sources[i] != METHOD_CODE) &&
		    !walk_method_is_off(step->walk, sources[i]) && method->applies(there) &&
		    method->attempt(there, &frames[1]) == VERDICT_TAKEN)
			return true;
	}
	return false;
}

/* Whether unwind rules for a return to `value` lead to an address that is not code. */
static bool
leads_to_no_code(const struct step *step, uint64_t slot, uint64_t value)
{
	const struct arch *arch = step->arch;
	struct frame frames[2];
	struct step there;

	if (!follow_rules(step, slot, value, false, &there, frames))
		return false;
	const uint64_t *values = frames[1].registers.value, pc = values[arch->pc];

	return pc != 0 && step_code_at(step, arch_wrap(arch, pc - 1)) == STEP_NO_CODE &&
	       !step_is_trampoline_at(step, pc, values[arch->sp], false) &&
	       !step_realigns(&there);
}

/*
 * Whether a word is proven to be a return address. It follows a call, and the unwind rules of its
 * function find another call. The target of that call, if known, is this function.
 */
static bool
is_proven(struct step *step, uint64_t slot, uint64_t value)
{
	const struct arch *arch = step->arch;
	const struct walk *walk = step->walk;
	struct frame frames[2];
	struct step there;
	const char *why_not;

	if (step_is_trampoline_at(step, value + (uint64_t)(int64_t)step_return_step(step),
				  slot + arch->word_size, false))
		return true;
	if (call_find(arch, &walk->memory, walk->binaries, value).answer != CALL_YES ||
	    !follow_rules(step, slot, value, true, &there, frames))
		return false;
	const uint64_t back = step_return_address(step, &frames[1]);
	const struct call_site site = call_find(arch, &walk->memory, walk->binaries, back);

	return step_looks_like_return(step, back, &why_not) &&
	       (site.answer != CALL_YES || !site.direct || leads_to(step, &site, frames[0].lookup));
}

/*
 * Tests the words up to `to` that no scan of this walk has tested. Scans of neighbouring frames
 * read the same words, and the proof of a word does not depend on the scan.
 */
static void
find_proven(struct step *step, uint64_t from, uint64_t to)
{
	struct proven_words *proven = &step->walk->proven;
	const struct memory_view *memory = &step->walk->memory;
	const unsigned word = step->arch->word_size;
	uint64_t value;

	if (from < proven->from || from > proven->to || (from - proven->from) % word != 0) {
		proven->from = proven->to = from;
		proven->count = 0;
	}
	for (; proven->to < to && memory_peek(memory, proven->to, word, &value, NULL);
	     proven->to += word) {
		const uint64_t slot = proven->to;
		const bool code = module_map_find(&step->walk->modules, value - 1) != MODULE_NONE;

		memory_note(memory, slot, word, code ? MEMORY_READ : MEMORY_REFUSED);
		if (!code || !is_proven(step, slot, value))
			continue;
		ARENA_ADD(&step->walk->arena, proven->slots, proven->count, proven->capacity,
			  &slot);
	}
}

uint32_t
step_words_to_proven(struct step *step, uint64_t from)
{
	const bool windows = step->walk->crash->system.os == CRASH_OS_WINDOWS;
	const uint32_t most = windows ? step_policy(step, POLICY_SCAN_PROVEN) : 0;
	const struct proven_words *proven = &step->walk->proven;
	const unsigned word = step->arch->word_size;
	const uint64_t to = from + (uint64_t)most * word;
	const char *why_not;
	uint64_t value;
	size_t at;

	if (to <= from)
		return 0;
	find_proven(step, from, to);
	BISECT(at, proven->count, proven->slots[at] < from);
	for (; at < proven->count && proven->slots[at] < to; at++) {
		const uint64_t slot = proven->slots[at];

		if (step_read(step, slot, &value) &&
		    step_is_candidate(step, slot, value, &why_not) &&
		    step_fits_context(step, slot, value, &why_not))
			return (uint32_t)((slot - from) / word);
	}
	return 0;
}

bool
step_fits_context(struct step *step, uint64_t slot, uint64_t value, const char **why_not)
{
	/*
	 * Where calls are not aligned, a return address may be anywhere in its frame, and a scan
	 * finds no exact CFA.
	 */
	if (step_policy(step, POLICY_SCAN_CONTEXT) || step->arch->call_alignment == 0)
		return true;
	*why_not = "within the frame, which is as large as an earlier one with the same return "
		   "address";
	if (is_within_known_frame(step, slot))
		return false;
	*why_not = "in the frame of an exception's unwinder";
	if (is_within_unwinder(step, slot, value))
		return false;
	*why_not = "a pointer, which a register holds as well";
	if (is_in_register(step, value))
		return false;
	*why_not = "below a return address whose call leads to the callee";
	if (is_before_caller(step, slot, value))
		return false;
	*why_not = "the unwind rules of its function lead to no code from there";
	return !leads_to_no_code(step, slot, value);
}
