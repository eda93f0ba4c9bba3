/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/checked.h"
#include "code/call.h"
#include "walk/step.h"
#include "walk/symbol_at.h"

/* rust-minidump considers at least these bits part of an address. */
#define LEAST_ADDRESS_MASK ((UINT64_C(1) << 47) - 1)

enum step_code
step_code_at(const struct step *step, uint64_t address)
{
	const struct crash *crash = step->walk->crash;
	const struct mapping *mapping = crash_mapping(crash, address);
	const int module = module_map_find(&step->walk->modules, address);

	if (mapping != NULL)
		return mapping->executable ? STEP_CODE : STEP_NO_CODE;
	if (module != MODULE_NONE) {
		/* Small dumps of Windows lack a memory list: use the file's sections. */
		const struct binary *binary =
			binaries_load(step->walk->binaries, (size_t)module, LOCATE_IMAGE);

		return binary != NULL &&
				       binary_is_data(binary, address - crash->modules[module].base)
			       ? STEP_NO_CODE : STEP_CODE;
	}
	if (step->walk->memory.stack != NULL &&
	    checked_contains(step->walk->memory.stack->base, step->walk->memory.stack->size,
			     address))
		return STEP_NO_CODE;
	/* A thread may be in a module that was unloaded while the thread ran there. */
	if (module_map_find_unloaded(&step->walk->modules, address) != MODULE_NONE)
		return STEP_UNKNOWN_CODE;
	return crash->mapping_count > 0 ? STEP_NO_CODE : STEP_UNKNOWN_CODE;
}

uint64_t
step_strip(const struct step *step, uint64_t address)
{
	const struct module_map *modules = &step->walk->modules;
	uint64_t mask = step->walk->crash->address_mask;

	if (!step->arch->signs_pointers)
		return address;
	if (mask != 0 && !step_policy(step, POLICY_STALE_REGISTERS))
		return address & ~mask;
	/* Every bit up to the highest bit of the last module's end may belong to an address. */
	const bool only_in_modules = step_policy(step, POLICY_STRIP_IN_MODULES) != 0;
	mask = modules->loaded_count == 0 ? 0 : modules->loaded[modules->loaded_count - 1].last;
	mask |= only_in_modules ? 0 : LEAST_ADDRESS_MASK;
	for (unsigned shift = 1; shift < 64; shift *= 2)
		mask |= mask >> shift;
	uint64_t stripped = address & mask;
	if (!only_in_modules || module_map_find(modules, stripped) != MODULE_NONE)
		return stripped;
	/* A signed return address may be in the kernel's page, which is no module of a core. */
	const bool code = !step_policy(step, POLICY_STALE_REGISTERS) &&
			  step_code_at(step, stripped) == STEP_CODE;
	return code ? stripped : address;
}

void
step_strip_register(struct step *step, struct frame *caller, int reg)
{
	uint64_t before = caller->registers.value[reg], after = step_strip(step, before);

	if (after == before || !registers_known(&caller->registers, reg))
		return;
	uint32_t was = step->trace != NULL ? trace_previous(step->trace, TRACE_NONE, EVENT_SET)
					   : TRACE_NONE;
	while (was != TRACE_NONE && step->trace->events[was].reg != reg)
		was = trace_previous(step->trace, was, EVENT_SET);
	uint32_t event = step_repair(step, "pointer authentication bits of %#" PRIx64 " stripped",
				     before);
	if (event != TRACE_NONE)
		step->trace->events[event].from = was;
	step_set(step, caller, reg, after, event, "");
}

/* Whether a record found the caller, not a convention or a guess. */
static bool
is_by_record(const struct frame *caller)
{
	return caller->trust == TRUST_CFI || caller->trust == TRUST_CFI_SCAN;
}

/*
 * Whether an impossible caller is the fault of the method: it followed a frame pointer, directly or
 * by a record. Weaker methods may then do better. On x86, dumpers leave out the expressions for
 * realigned frames, so the records of these frames are wrong.
 */
static bool
is_fault_of_method(struct step *step, const struct frame *caller)
{
	if (!step_policy(step, POLICY_END_OF_STACK))
		return false;
	if (!is_by_record(caller) || step->callee->guessed || step_realigns(step))
		return true;
	if (!step->arch->stack_win || !step_policy(step, POLICY_REALIGNED_FRAMES))
		return false;
	step->no_scan = true;
	return true;
}

/* Breakpad's single test for the end of a walk, as two checks with different results. */
static enum verdict_kind
check_as_breakpad(struct step *step, const struct frame *caller)
{
	const struct arch *arch = step->arch;
	uint64_t pc = caller->registers.value[arch->pc], sp = caller->registers.value[arch->sp];

	if (!step_check(step, CHECK_PC_FLOOR, pc >= PC_FLOOR, "%s %0*" PRIx64,
			arch->registers[arch->pc].label, (int)arch->word_size * 2, pc)) {
		step->zero_return = step->zero_return || pc == 0;
		if (is_fault_of_method(step, caller))
			return step_refuse(step, "return address %#" PRIx64 " is in the first page",
					   pc);
		if (pc == 0)
			return step_bottom(step, "return address 0: bottom of the stack");
		step->impossible = step_policy(step, POLICY_END_OF_STACK) != 0;
		return step_end_at_no_code(step, pc);
	}
	/* Signal stacks may be anywhere. */
	if (caller->interrupted)
		return VERDICT_TAKEN;
	/* With a link register, a leaf function need not move the stack pointer. */
	const bool may_stay = (step->callee->interrupted &&
			       (arch->lr != ARCH_NO_REGISTER ||
				step_policy(step, POLICY_STACK_POINTER_STAYS))) ||
			      (caller->trust == TRUST_CFI && pc != step->pc &&
			       arch->frame_records &&
			       step_policy(step, POLICY_LINK_REGISTER_OF_RECORD));
	if (!step_check(step, CHECK_SP_PROGRESS, may_stay ? sp >= step->sp : sp > step->sp,
			"%#" PRIx64 " to %#" PRIx64, step->sp, sp))
		return step_end(step, "the stack pointer would not go up (%#" PRIx64 " to %#" PRIx64
				      ")", step->sp, sp);
	return VERDICT_TAKEN;
}

/* Whether a stack pointer is in a run of memory or at its end, which is an empty stack. */
static bool
is_in_run(const struct memory_run *run, uint64_t sp)
{
	return sp >= run->base && sp - run->base <= run->size;
}

/*
 * Whether the stack pointer stays in the callee's memory. A record may also lead to a part of the
 * stack that the dump lacks.
 */
static bool
stays_in_stack(const struct step *step, const struct frame *caller)
{
	const struct memory_run *run = step->walk->memory.stack;
	const uint64_t before = step->sp;
	const uint64_t after = caller->registers.value[step->arch->sp];
	const bool known = is_by_record(caller) || caller->trust == TRUST_FRAME_TABLE ||
			   caller->trust == TRUST_CODE;
	const struct mapping *mapping =
		known ? crash_mapping(step->walk->crash, before) : NULL;

	/* The callers of a stack that overflowed into read-only memory are above that memory. */
	return run == NULL || !is_in_run(run, before) || is_in_run(run, after) ||
	       (mapping != NULL && (!mapping->writable || checked_contains(mapping->base,
									    mapping->size, after)));
}

/* Whether the stack pointer is not above the bottom. They are equal if nothing is pushed. */
static bool
is_within_bottom(struct step *step, const struct frame *caller)
{
	const struct stack_bottom *bottom = step->bottom;
	const uint64_t before = step->sp;
	const uint64_t sp = caller->registers.value[step->arch->sp];

	return bottom->kind == BOTTOM_UNKNOWN || before > bottom->address ||
	       step_check(step, CHECK_STACK_BOTTOM, sp <= bottom->address,
			  "%#" PRIx64 "; %s: %#" PRIx64, sp, stack_bottom_words(bottom),
			  bottom->address);
}

/*
 * Whether rules led to an address that no call can have come from. In callers of a scanned frame,
 * the frame pointer may be wrong, because functions that the scan passed over may have changed it.
 * Weaker methods may do better.
 */
static bool
is_led_astray(struct step *step, const struct frame *caller)
{
	const uint64_t pc = caller->registers.value[step->arch->pc];
	const char *why_not;

	return step->callee->scanned > 0 && !caller->interrupted &&
	       (caller->trust == TRUST_FRAME_TABLE || caller->trust == TRUST_CODE) &&
	       !(module_map_find(&step->walk->modules, pc) == MODULE_NONE &&
		 step_code_at(step, pc) == STEP_CODE) &&
	       !step_looks_like_return(step, step_return_address(step, caller), &why_not);
}

enum verdict_kind
step_check_caller(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	uint64_t pc = caller->registers.value[arch->pc];

	/* Reports have no stack pointers; the system has checked their frames. */
	if (caller->trust == TRUST_REPORT)
		return VERDICT_TAKEN;
	/* The saved context was checked. Its pc need not be code: a bad call may have faulted. */
	if (caller->trust == TRUST_SIGNAL && caller->interrupted &&
	    step_code_at(step, pc) != STEP_CODE)
		return VERDICT_TAKEN;
	enum verdict_kind kind = check_as_breakpad(step, caller);
	if (kind != VERDICT_TAKEN || !step_policy(step, POLICY_END_OF_STACK))
		return kind;
	enum step_code code =
		step_code_at(step, arch_wrap(arch, pc - (caller->interrupted ? 0 : 1)));
	bool trampoline = code == STEP_NO_CODE && step_policy(step, POLICY_SIGNAL_FRAMES) &&
			  step_is_trampoline_at(step, pc, caller->registers.value[arch->sp], false);
	if (!step_check(step, CHECK_PC_CODE, code != STEP_NO_CODE || trampoline, "%#" PRIx64, pc)) {
		/* The stack may continue, because a record may be wrong. */
		if (is_fault_of_method(step, caller))
			return step_refuse(step, "return address %#" PRIx64 " is not code", pc);
		step->impossible = true;
		return step_end_at_no_code(step, pc);
	}
	if (is_led_astray(step, caller))
		return step_refuse(step,
				   "%#" PRIx64 " is not a return address: after a frame that a "
				   "scan found, registers may be wrong", pc);
	if (!caller->interrupted && !is_within_bottom(step, caller))
		return step_refuse(step, "the caller's frame would lie in %s",
				   stack_bottom_words(step->bottom));
	if (!caller->interrupted &&
	    !step_check(step, CHECK_SP_IN_STACK, stays_in_stack(step, caller), "%#" PRIx64,
			caller->registers.value[arch->sp]))
		return step_refuse(step, "the stack pointer would leave the stack's memory");
	return VERDICT_TAKEN;
}

/*
 * Functions without a caller: the first functions of a process or a thread. A caller with such a
 * name is the last frame. A context frame with such a name need not be the last frame: it may be in
 * a parent that is creating a thread.
 */
static const char *const outermost[] = {
	"_start", "__start", "_dl_start_user", "clone", "__clone", "clone3", "__clone3",
	"thread_start", "__start_context", "start_thread_trampoline",
	"_RtlUserThreadStart", "RtlUserThreadStart",
	"BaseProcessStart", "BaseThreadStart", "_BaseProcessStart@4",
};
/* Maximum size of a hand-written outermost function, whose symbol has no size. */
#define LONGEST_OUTERMOST 96u

/* Whether a name is that of an outermost function, which ends the stack. */
static bool
ends_by_name(struct step *step, struct text name)
{
	for (size_t i = 0; i < ARRAY_COUNT(outermost); i++) {
		if (name.length == 0 || *name.start != *outermost[i] ||
		    !text_is(name, outermost[i]))
			continue;
		step_check(step, CHECK_OUTERMOST, false, "%s", outermost[i]);
		step_bottom(step, "'%s' is the outermost function of a thread", outermost[i]);
		return true;
	}
	return false;
}

bool
step_is_outermost(struct step *step)
{
	const uint64_t entry = step->walk->bottom.entry;
	struct function function;

	if (step_is_first(step))
		return false;
	const bool named = step->symfile != NULL &&
			   symbol_cache_function(step->walk->seen, step->symfile,
						 &step->walk->policy, step->relative,
						 &function) &&
			   function.name.length > 0;
	/* The code where a process begins has no caller, under any name. In small programs,
	 * functions that follow it directly may have a caller. */
	if (walk_is_in_start(step->walk, step->pc) &&
	    !(named && step->callee->lookup - (step->relative - function.address) > entry)) {
		step_check(step, CHECK_OUTERMOST, false, "the process began at %#" PRIx64, entry);
		step_bottom(step, "%#" PRIx64 " is at the entry point of the process: no caller",
			 step->pc);
		return true;
	}
	return named &&
	       !(function.kind == SYMBOL_PUBLIC && step->relative - function.address > PC_FLOOR) &&
	       ends_by_name(step, function.name);
}

bool
step_is_outermost_by_file(struct step *step)
{
	const int module = step->callee->module;
	struct symbol_sources sources;
	struct symbol symbol;

	if (step_is_first(step) || module == MODULE_NONE || step->symfile != NULL ||
	    !step_policy(step, POLICY_END_OF_STACK))
		return false;
	sources = walk_symbol_sources(step->walk, module);
	return symbol_at(&sources, step->callee->lookup, NULL, &symbol) &&
	       (!symbol.uncertain ||
		step->relative - symbol.function.address < LONGEST_OUTERMOST) &&
	       ends_by_name(step, symbol.function.name);
}

/*
 * Checks whether the instruction before the return address, if known, calls the callee. The result
 * is only a note, because a function may end with a jump to another function; but a mismatch may
 * show a wrong record. Calls to linker stubs are not checked, because stubs have no FUNC record.
 */
void
step_compare_call(struct step *step, const struct frame *caller)
{
	struct function callee, called;
	char name[80], other[80];

	if (step->trace == NULL || caller->interrupted)
		return;
	const struct call_site site =
		call_find(step->arch, &step->walk->memory, step->walk->binaries,
			  step_return_address(step, caller));
	if (site.answer != CALL_YES || !site.direct ||
	    !step_function_at(step, step->callee->lookup, true, &callee) ||
	    !step_function_at(step, site.target, true, &called))
		return;
	text_printable(name, sizeof(name), called.name);
	text_printable(other, sizeof(other), callee.name);
	if (called.address == callee.address)
		step_check(step, CHECK_CALLS_CALLEE, true, "%#" PRIx64 " calls %s", site.address,
			   name);
	else
		step_note(step, CHECK_CALLS_CALLEE,
			  "%#" PRIx64
			  " calls %s, not %s: %s made a tail call, or the rules are wrong",
			  site.address, name, other, name);
}
