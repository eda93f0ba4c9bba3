/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "code/call.h"
#include "walk/overlay.h"
#include "walk/step.h"

/*
 * Return addresses: what a word must be to be taken for one, and where it must stand. Each
 * test that a word fails is a reason, said with the candidate.
 */

/*
 * Whether a file holds the names of a stripped module: what that exports, none of the functions
 * between. Its memory map says better what is code.
 */
static bool
is_stripped(const struct step *step, const struct symfile *symfile, uint64_t address)
{
	const struct mapping *mapping = crash_mapping(step->walk->crash, address);

	return step_policy(step, POLICY_SCAN_STRIPPED) && mapping != NULL &&
	       mapping->executable && symfile_count(symfile, SYMBOL_FUNC) == 0;
}

/* Whether symbols give `address` a name that a scan may believe. */
static bool
has_name(const struct step *step, int module, uint64_t address, const char **why_not)
{
	const struct symbols_policy policy = walk_symbols_policy(step->walk);
	const struct symfile *symfile = walk_symfile(step->walk, module);
	const uint32_t reach = step_policy(step, POLICY_PUBLIC_REACH);
	struct function function;

	if (symfile == NULL || is_stripped(step, symfile, address))
		return true;
	uint64_t relative = address - step->walk->crash->modules[module].base;
	if (!symfile_function(symfile, &policy, relative, &function) ||
	    function.name.length == 0) {
		*why_not = "no function at this address";
		return false;
	}
	if (function.kind == SYMBOL_PUBLIC && reach != 0 &&
	    relative - function.address > reach) {
		*why_not = "too far above the nearest symbol";
		return false;
	}
	return true;
}

/* The unlikely part of a function, moved away: no pointer leads to it. */
static bool
is_cold_part(struct text name)
{
	static const char mark[] = ".cold";

	for (size_t i = 0; i + strlen(mark) <= name.length; i++)
		if (memcmp(name.start + i, mark, strlen(mark)) == 0)
			return true;
	return false;
}

/* A word that points at a function's first byte is a pointer to it: no call returns there. */
static bool
is_entry_point(const struct step *step, uint64_t value)
{
	const struct symbols_policy policy = walk_symbols_policy(step->walk);
	const uint64_t address = arch_code(step->arch, value);
	int module = module_map_find(&step->walk->modules, address);
	const struct symfile *symfile = walk_symfile(step->walk, module);
	struct function function;

	if (step_policy(step, POLICY_SCAN_ENTRY_POINTS))
		return false;
	if (step->walk->bottom.entry != 0 &&
	    arch_code(step->arch, step->walk->bottom.entry) == address)
		return true;
	if (symfile == NULL)
		return false;
	uint64_t relative = address - step->walk->crash->modules[module].base;
	return symfile_function(symfile, &policy, relative, &function) &&
	       arch_code(step->arch, function.address) == relative &&
	       !is_cold_part(function.name);
}

/* Whether the thread ran Thumb code when it was stopped; some writers leave cpsr 0. */
static bool
runs_thumb(const struct step *step)
{
	const struct registers *first = &step->walk->frames[0].registers;
	const enum arch_thumb thumb = arch_thumb(step->arch, first);

	if (thumb != ARCH_THUMB_UNTOLD)
		return thumb == ARCH_THUMB_YES;
	return registers_known(first, step->arch->lr) && (first->value[step->arch->lr] & 1) != 0;
}

/* Whether an instruction can begin at `value`, as far as its lowest bits tell. */
static bool
is_aligned_code(const struct step *step, uint64_t value)
{
	/* Thumb code is called by Thumb code, but for veneers, to which no code returns. */
	if (step->arch->mode_bit != 0)
		return (value & 1) != 0 || (value % 4 == 0 && !runs_thumb(step));
	return value % step->arch->return_alignment == 0;
}

/* What the bytes before a return address say, where the dump or the file has them. */
static enum call_answer
call_instruction(const struct step *step, uint64_t value)
{
	if (!step_policy(step, POLICY_CALL_INSTRUCTION))
		return CALL_UNKNOWN;
	return call_find(step->arch, &step->walk->memory, step->walk->binaries, value).answer;
}

bool
step_looks_like_return(struct step *step, uint64_t value, const char **why_not)
{
	const bool strip = step_policy(step, POLICY_RETURN_ALIGNMENT) != 0;
	uint64_t before = (strip ? arch_code(step->arch, value) : value) - 1;
	int module = module_map_find(&step->walk->modules, arch_wrap(step->arch, before));

	before = arch_wrap(step->arch, before);
	if (module == MODULE_NONE) {
		*why_not = "in no module";
		return false;
	}
	if (step_policy(step, POLICY_END_OF_STACK) && step_code_at(step, before) == STEP_NO_CODE) {
		*why_not = "in memory that is not executable";
		return false;
	}
	if (step_policy(step, POLICY_RETURN_ALIGNMENT) && !is_aligned_code(step, value)) {
		*why_not = "no instruction begins at this address";
		return false;
	}
	if (is_entry_point(step, value)) {
		*why_not = "a pointer to a function, not into one";
		return false;
	}
	if (!has_name(step, module, before, why_not))
		return false;
	if (call_instruction(step, value) == CALL_NO) {
		*why_not = "no call instruction before it";
		return false;
	}
	return true;
}

/*
 * How far the stack pointer is from a multiple of the alignment that the ABI demands where a
 * function is called, when the return address has been pushed or saved as the highest
 * register: a return address stands `word` bytes below such a multiple.
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

/* Whether symbols know where the function around `address` begins: exported names alone do not. */
static bool
has_function_record(const struct step *step, uint64_t address)
{
	const struct symbols_policy policy = walk_symbols_policy(step->walk);
	const int module = module_map_find(&step->walk->modules, address);
	const struct symfile *symfile = walk_symfile(step->walk, module);
	struct function function;

	return symfile != NULL &&
	       symfile_covering_function(symfile, &policy,
					 address - step->walk->crash->modules[module].base,
					 &function);
}

/*
 * Compilers of x86 align functions, so that a pointer to one is such a multiple always and a
 * return address once in as many: where nothing else tells, it is a pointer.
 */
static bool
is_aligned_as_functions(const struct step *step, uint64_t value)
{
	const uint32_t alignment = step_policy(step, POLICY_FUNCTION_ALIGNMENT);

	return step->arch->code_unit == 1 && alignment != 0 && value % alignment == 0 &&
	       !has_function_record(step, value) &&
	       call_instruction(step, value) == CALL_UNKNOWN;
}

/*
 * gcc aligns no stack for a call of a leaf function in the same file (-fipa-stack-alignment), and
 * a function that makes such a call may have been called so itself.
 */
static bool
may_be_misaligned(const struct step *step, uint64_t slot, uint64_t value, unsigned alignment)
{
	const struct frame *callee = step->callee;
	const uint64_t sp = callee->registers.value[step->arch->sp];
	const int module = module_map_find(&step->walk->modules, value - 1);

	return module == callee->module && slot == sp &&
	       (callee->interrupted || sp % alignment != 0);
}

/* Whether a module is glibc's dynamic linker. */
static bool
is_dynamic_linker(const struct module *module)
{
	static const char *const names[] = { "ld-linux", "ld64.so", "ld.so", "ld-2." };
	const char *name = place_base_name(module->code_file);

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/*
 * glibc's dynamic linker calls libraries as it loads them, but the program itself only as it
 * ends: its words above a frame of the program are left from before main, which began on the
 * same stack.
 */
static bool
is_left_by_linker(const struct step *step, uint64_t value)
{
	const struct walk *walk = step->walk;
	const int module = module_map_find(&walk->modules, value - 1);
	const int program = walk->bottom.entry != 0
				    ? module_map_find(&walk->modules, walk->bottom.entry)
				    : MODULE_NONE;

	return !step_policy(step, POLICY_SCAN_LINKER) && program != MODULE_NONE &&
	       step->callee->module == program && module != MODULE_NONE && module != program &&
	       is_dynamic_linker(&walk->crash->modules[module]);
}

/* What a word says by itself and by where it stands, whatever the frame pointers say. */
static bool
may_be_return(struct step *step, uint64_t slot, uint64_t value, const char **why_not)
{
	const unsigned alignment = step_knows_return_slots(step) ? call_alignment(step) : 0;

	if (!step_looks_like_return(step, value, why_not))
		return false;
	if (alignment != 0 && (slot + step->arch->word_size) % alignment != 0 &&
	    !may_be_misaligned(step, slot, value, alignment)) {
		*why_not = "misaligned: a call does not store its return address there";
		return false;
	}
	if (step_policy(step, POLICY_SIGNAL_FRAMES) && step_is_in_kernel_page(step, value)) {
		*why_not = "in the kernel's page, which makes no calls";
		return false;
	}
	if (is_aligned_as_functions(step, value)) {
		*why_not = "aligned like a function pointer";
		return false;
	}
	if (is_left_by_linker(step, value)) {
		*why_not = "left by the dynamic linker, which does not call the program";
		return false;
	}
	return true;
}

/* Whether the frame pointer leads to a frame record in turn: a greater one and a return address. */
static bool
has_chain(struct step *step, uint64_t fp)
{
	const unsigned word = step->arch->word_size;
	const char *why_not;
	uint64_t next, value;

	return step_read(step, fp, &next) && step_read(step, fp + word, &value) &&
	       ((next == 0 && step->arch->frame_records) ||
		(next > fp && step_read(step, next, &next))) &&
	       may_be_return(step, fp + word, step_strip(step, value), &why_not);
}

/*
 * Whether `slot` and the word below it are a frame record, the saved frame pointer and a return
 * address, that the chain of frame pointers passes by. A function that saves the frame pointer
 * changes it next; while the register still leads to `fp`, one that saved it below has returned.
 */
static bool
is_record_left_behind(struct step *step, uint64_t slot, uint64_t fp)
{
	const unsigned word = step->arch->word_size;
	uint64_t saved;

	return slot - word >= step->callee->registers.value[step->arch->sp] &&
	       step_read(step, slot - word, &saved) && saved > slot && saved <= fp &&
	       saved % word == 0 && has_chain(step, fp);
}

/*
 * How many words that are in no frame record, but look like return addresses into the function's
 * own module, speak for code without records: more than pointers to functions and leavings.
 */
#define BARE_LEAST 4u
/* Words that are looked at for them, so that a step's cost has a bound. */
#define BARE_WORDS 4096u

/* Whether so many stand below the record that the frame pointer leads to. */
static bool
is_bare(struct step *step)
{
	const struct registers *registers = &step->callee->registers;
	const uint64_t fp = registers->value[step->arch->fp];
	const unsigned word = step->arch->word_size;
	const int module = step->callee->module;
	unsigned count = 0, words = 0;
	const char *why_not;
	uint64_t value, below = 0;

	if (!step->arch->frame_records || step_policy(step, POLICY_CHAIN_OVER_CALLS) ||
	    module == MODULE_NONE || !registers_known(registers, step->arch->fp))
		return false;
	for (uint64_t slot = registers->value[step->arch->sp];
	     slot < fp && count < BARE_LEAST && words < BARE_WORDS && step_read(step, slot, &value);
	     slot += word, below = value, words++)
		count += module_map_find(&step->walk->modules, value - 1) == module &&
			 (below <= slot || memory_run_of(&step->walk->memory, below) == NULL) &&
			 may_be_return(step, slot, value, &why_not);
	return count >= BARE_LEAST;
}

/* The module of the callee's that is known to keep no records by now; looked for but once. */
static int
bare_module(struct step *step)
{
	if (step->bare_module == MODULE_NONE && !step->bare_asked && is_bare(step))
		step->bare_module = step->callee->module;
	step->bare_asked = true;
	return step->bare_module;
}

/*
 * Whether the chain of frame pointers, as far as it goes on from here, speaks against a word
 * below its next record. On arm64 every function keeps a record (AAPCS64 6.4.6), but for code
 * that was compiled without: it is believed of a module whose code shows it.
 */
static bool
is_passed_by(struct step *step, uint64_t slot, uint64_t value, const char **why_not)
{
	const struct registers *registers = &step->callee->registers;
	const uint64_t fp = registers->value[step->arch->fp];

	if (step_policy(step, POLICY_CHAIN_OVER_CALLS) || step->callee->guessed ||
	    !registers_known(registers, step->arch->fp) || fp <= slot)
		return false;
	if (step->arch->frame_records && has_chain(step, fp) &&
	    (bare_module(step) == MODULE_NONE ||
	     module_map_find(&step->walk->modules, value - 1) != step->bare_module)) {
		*why_not = "not in a frame record, although the module's code has frame records";
		return true;
	}
	*why_not = "left by a function that has returned: the chain of frame pointers skips it";
	return is_record_left_behind(step, slot, fp);
}

bool
step_is_candidate(struct step *step, uint64_t slot, uint64_t value, const char **why_not)
{
	/* Outside all modules too many words could be a trampoline. */
	if (step_policy(step, POLICY_SIGNAL_FRAMES) &&
	    module_map_find(&step->walk->modules, value) != MODULE_NONE &&
	    step_is_trampoline_at(step, value + (uint64_t)(int64_t)step_return_step(step),
				  slot + step->arch->word_size))
		return true;
	return may_be_return(step, slot, value, why_not) &&
	       !is_passed_by(step, slot, value, why_not);
}

/* Whether `address` may hold a return address at all; the reason why not else. */
static bool
is_below_bottom(const struct step *step, uint64_t address, const char **why_not)
{
	const struct stack_bottom *bottom = &step->walk->bottom;

	if (bottom->kind == BOTTOM_UNKNOWN || address < bottom->address)
		return true;
	*why_not = bottom->kind == BOTTOM_ARGUMENTS
			   ? "among the program's arguments at the stack's bottom"
			   : "in the block that describes the thread, at the stack's bottom";
	return false;
}

/*
 * The word that the user chose for this scan; `*words` then reaches it. False where none was chosen,
 * or one that the scan cannot reach.
 */
static bool
is_chosen(const struct step *step, uint64_t start, uint32_t *words, uint64_t *chosen)
{
	const unsigned word = step->arch->word_size;

	if (step->walk->overlay == NULL ||
	    !overlay_candidate(step->walk->overlay, step->walk->thread, step->number, chosen) ||
	    *chosen < start || (*chosen - start) % word != 0 ||
	    (*chosen - start) / word >= UINT32_MAX)
		return false;
	*words = (uint32_t)((*chosen - start) / word) + 1;
	return true;
}

bool
step_scan(struct step *step, uint64_t start, uint32_t words, uint64_t *slot, uint64_t *value)
{
	const unsigned word = step->arch->word_size;
	uint64_t chosen = 0;
	const bool choice = is_chosen(step, start, &words, &chosen);

	for (uint32_t i = 0; i < words; i++) {
		uint64_t address = arch_wrap(step->arch, start + (uint64_t)i * word);
		const char *why_not = "not in the dump";
		struct place place = { 0 };
		uint64_t found = 0;
		bool there = memory_read(&step->walk->memory, address, word, &found,
					 step->trace != NULL ? &place : NULL);
		bool below = there && is_below_bottom(step, address, &why_not);
		bool good = below && (choice ? address == chosen
					     : step_is_candidate(step, address, found, &why_not));

		if (choice && below)
			why_not = "another word was chosen by a what-if edit";
		if (below && address + word > step->scanned_to)
			step->scanned_to = address + word;
		if (step->trace != NULL)
			trace_add(step->trace, step->attempt,
				  (struct event){ .kind = EVENT_CANDIDATE,
						  .status = good ? EVENT_OK : EVENT_FAILED,
						  .reg = ARCH_NO_REGISTER, .from = TRACE_NONE,
						  .place = place, .address = address,
						  .value = found,
						  .text = !good	   ? why_not
							  : choice ? "chosen by a what-if edit"
								   : "looks like a return "
								     "address" });
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
