/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "code/call.h"
#include "walk/overlay.h"
#include "walk/rule_cache.h"
#include "walk/step.h"

/*
 * Frames in which the kernel saved every register on the stack (crash/arch.def). Linux made the
 * signal's handler return to a trampoline. Windows called a dispatcher of ntdll for an exception,
 * an APC or a callback. In a callback, code below a system call runs functions of user32.dll. For
 * callbacks Windows saved only pc and sp.
 */

/* Maximum bytes from a trampoline's start; it has two or three instructions. */
#define FARTHEST_IN_TRAMPOLINE 16u

bool
step_is_in_kernel_page(const struct step *step, uint64_t address)
{
	const int module = module_map_find(&step->walk->modules, address);

	return module != MODULE_NONE && crash_is_kernels(&step->walk->crash->modules[module]);
}

/*
 * Whether the code at an address loads the number of sigreturn or rt_sigreturn: libraries without
 * symbols have no name for their trampolines.
 */
static bool
loads_sigreturn(const struct step *step, uint64_t address)
{
	const struct arch *arch = step->arch;
	uint64_t code;

	if (arch->restorers[0] == 0 ||
	    !code_read(&step->walk->memory, step->walk->binaries, arch_code(arch, address),
		       sizeof(arch->restorers[0]), &code))
		return false;
	/* Thumb code has an odd address. */
	const size_t first = arch->mode_bit != 0 && (address & 1) != 0 ? 2 : 0;
	return code == arch->restorers[first] || code == arch->restorers[first + 1];
}

struct return_place {
	bool is_trampoline;		/* according to names */
	struct text name;		/* empty: unknown */
};

/*
 * Finds the function at the return address itself, because handlers return to its first byte. A
 * place without a name may be a trampoline if its context proves this: on amd64, and in the
 * kernel's page.
 */
static struct return_place
return_place(const struct step *step)
{
	struct return_place place = { .is_trampoline = true };
	/* The address that the handler returned to, which on mips is not the pc. */
	const uint64_t pc = step->callee->interrupted ? step->pc
						      : step_return_address(step, step->callee);
	struct function function = { .kind = SYMBOL_PUBLIC };

	const bool found = step_function_at(step, pc, false, &function);
	/* The kernel's page may be unlisted, and emulators put trampolines anywhere. */
	if (!found && module_map_find(&step->walk->modules, pc) == MODULE_NONE)
		return place;
	/* A name that begins far below belongs to another function. */
	if (found && pc - function.address <= FARTHEST_IN_TRAMPOLINE)
		place.name = function.name;
	place.is_trampoline =
		place.name.length > 0 ||
		(function.kind == SYMBOL_PUBLIC &&
		 (step->arch->signal_frame_sure || step_is_in_kernel_page(step, pc) ||
		  loads_sigreturn(step, pc)));
	return place;
}

/* Whether a layout belongs to the system that the process ran on. */
static bool
is_of_system(const struct step *step, const struct arch_signal_frame *layout)
{
	return (layout->on >> step->walk->crash->system.os & 1) != 0;
}

static bool
evaluate(const struct step *step, const char *text, uint64_t *value)
{
	const struct rule_set *set = rule_cache_text(step->walk->cache, step->arch, text);

	return set != NULL && set->count == 1 && step_value(step, &set->rules[0], value);
}

/* Whether a context has its marks: a user mode segment or processor mode, and fixed values. */
static bool
has_marks(const struct step *step, const struct arch_signal_frame *layout)
{
	for (size_t i = 0; i < ARRAY_COUNT(layout->marks) && layout->marks[i].rule != NULL; i++) {
		const struct arch_signal_mark *mark = &layout->marks[i];
		uint64_t value;

		if (!evaluate(step, mark->rule, &value) || (value & mark->mask) != mark->bits)
			return false;
	}
	return true;
}

/* Reads the registers in a saved layout into `frame`; false: not all are readable. */
static bool
read_context(const struct step *step, const struct arch_signal_frame *layout, struct frame *frame)
{
	const struct rule_set *set = rule_cache_text(step->walk->cache, step->arch, layout->rules);
	uint64_t value, pc;

	*frame = (struct frame){ .trust = TRUST_SIGNAL, .interrupted = !layout->returned };
	for (size_t i = 0; set != NULL && i < set->count; i++) {
		if (!step_value(step, &set->rules[i], &value))
			return false;
		registers_set(&frame->registers, set->rules[i].reg, value);
	}
	/* On mips no rule can name the pc. */
	if (set == NULL || !evaluate(step, layout->pc, &pc))
		return false;
	registers_set(&frame->registers, step->arch->pc, pc);
	frame->module = module_map_find(&step->walk->modules, pc);
	return true;
}

/* Whether a context's pc is in code, or was reached by a call through a null or wild pointer. */
static bool
interrupts_code(const struct step *step, const struct arch_signal_frame *layout,
		const struct frame *frame)
{
	struct step there = *step;
	uint64_t value;

	if (step_code_at(step, frame->registers.value[step->arch->pc]) == STEP_CODE)
		return true;
	there.trace = NULL;
	step_aim(&there, frame);
	return layout->callback == NULL && step_call_left(&there, &value);
}

static enum verdict_kind
restore(struct step *step, const struct arch_signal_frame *layout, bool named, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const uint64_t *values = caller->registers.value;
	uint64_t given, ignored;

	if (!has_marks(step, layout))
		return step_refuse(step, "the words on the stack are not a saved signal context");
	if (step_run_rules(step, rule_cache_text(step->walk->cache, arch, layout->rules), caller) !=
	    VERDICT_TAKEN)
		return VERDICT_REFUSED;
	/* On mips no rule can name the pc. */
	if (arch->registers[arch->pc].name == NULL && evaluate(step, layout->pc, &given))
		step_set(step, caller, arch->pc, given, TRACE_NONE, "");
	const uint64_t pc = values[arch->pc], sp = values[arch->sp];
	const bool sure = arch->signal_frame_sure && layout->trampolines[0] != NULL &&
			  (named || frame_by_record(step->callee));
	bool good = sp % (arch->word_size / 2) == 0 && sp != 0 &&
		    (sure || interrupts_code(step, layout, caller));
	if (!step_check(step, CHECK_SIGNAL_CONTEXT, good, "pc %#" PRIx64 ", sp %#" PRIx64, pc, sp))
		return step_refuse(step, "the words on the stack are not a saved signal context");
	if (!step_read(step, sp, &ignored))
		step_fact(step, (struct place){ 0 },
			  "the interrupted stack at %#" PRIx64 " is not in the dump", sp);
	return VERDICT_TAKEN;
}

/* Whether the callee is a frame of a Windows library. */
static bool
is_in_library(const struct step *step, const char *name)
{
	const int module = step->callee->module;

	return module != MODULE_NONE &&
	       strcasecmp(place_base_name(step->walk->crash->modules[module].code_file), name) == 0;
}

/*
 * Whether the callee may be the callback of a layout: it must be in the layout's library, because
 * any function may have such arguments (a pointer to the data above it, their length). A frame
 * table is better: it restores the registers that the kernel did not save.
 */
static bool
may_be_callback(const struct step *step, const struct arch_signal_frame *layout)
{
	return is_in_library(step, layout->callback) && !method_has_frame_table(step);
}

/* Whether to try a layout: its name fits, or there is no name and the context proves the layout. */
static bool
fits(const struct step *step, const struct arch_signal_frame *layout,
     const struct return_place *place, bool *named)
{
	const bool big = step->walk->memory.big_endian;

	*named = false;
	if (layout->apart || !is_of_system(step, layout) ||
	    (layout->callback != NULL && !may_be_callback(step, layout)) ||
	    (layout->order != ARCH_ORDER_ANY && (layout->order == ARCH_ORDER_BIG) != big))
		return false;
	if (layout->trampolines[0] == NULL)
		return true;
	for (size_t i = 0; place->name.length > 0 && layout->trampolines[i] != NULL; i++)
		*named = *named || text_is(place->name, layout->trampolines[i]);
	return place->is_trampoline && (*named || place->name.length == 0);
}

/*
 * Whether a scan has found a context of interrupted code on the stack. Callbacks are left out: they
 * are frequent, and leave words that prove nothing after they return. With `returned`, the
 * context's handler must return to the callee; then a name is enough to prove the context.
 */
static bool
has_context(const struct step *step, bool returned)
{
	const struct arch_signal_frame *frames = step->arch->signal_frames;
	const struct return_place place = return_place(step);
	struct frame found;
	bool named;

	for (size_t i = 0; i < step->arch->signal_frame_count; i++)
		if (frames[i].callback == NULL &&
		    (!returned || frames[i].trampolines[0] != NULL) &&
		    fits(step, &frames[i], &place, &named) && has_marks(step, &frames[i]) &&
		    read_context(step, &frames[i], &found) &&
		    ((returned && named && step->arch->signal_frame_sure) ||
		     interrupts_code(step, &frames[i], &found)))
			return true;
	return false;
}

static bool
has_layouts(const struct step *step)
{
	for (size_t i = 0; i < step->arch->signal_frame_count; i++)
		if (is_of_system(step, &step->arch->signal_frames[i]))
			return true;
	return false;
}

bool
step_is_trampoline(const struct step *step)
{
	const struct arch_signal_frame *frames = step->arch->signal_frames;
	bool named;

	/* A pc where nothing is mapped comes from a call through a bad pointer. */
	if (step->callee->module == MODULE_NONE)
		return !(step->callee->interrupted &&
			 (step->pc < PC_FLOOR ||
			  (step_code_at(step, step->pc) == STEP_NO_CODE &&
			   crash_mapping(step->walk->crash, step->pc) == NULL))) &&
		       has_context(step, false);
	const struct return_place place = return_place(step);
	for (size_t i = 0; i < step->arch->signal_frame_count; i++)
		if (fits(step, &frames[i], &place, &named) &&
		    (named || has_marks(step, &frames[i])))
			return true;
	return false;
}

bool
step_is_trampoline_at(const struct step *step, uint64_t pc, uint64_t sp, bool returned)
{
	struct frame callee = { .module = module_map_find(&step->walk->modules, pc) };
	struct step there = *step;

	if (!has_layouts(step))
		return false;
	registers_set(&callee.registers, step->arch->pc, pc);
	registers_set(&callee.registers, step->arch->sp, sp);
	step_aim(&there, &callee);
	return has_context(&there, returned);
}

enum verdict_kind
method_signal_frame(struct step *step, struct frame *caller)
{
	const struct arch_signal_frame *frames = step->arch->signal_frames;
	const struct return_place place = return_place(step);
	bool named;

	for (size_t i = 0; i < step->arch->signal_frame_count; i++) {
		if (!fits(step, &frames[i], &place, &named))
			continue;
		step_begin_caller(step, caller, TRUST_SIGNAL);
		caller->interrupted = !frames[i].returned;
		enum verdict_kind kind = restore(step, &frames[i], named, caller);
		if (kind != VERDICT_REFUSED)
			return kind;
	}
	return step_refuse(step, "the words on the stack are not a saved signal context");
}

bool
method_is_trampoline(const struct step *step)
{
	return has_layouts(step) && step_is_trampoline(step);
}

/* Saved contexts ------------------------------------------------------------------------------- */

/* Bytes above the stack pointer within which a dispatcher's context begins. */
#define CONTEXT_WITHIN 512u

/* The rules of a layout for a context at `offset` above the stack pointer. */
static const struct rule_set *
rules_above(struct step *step, const char *rules, uint64_t offset)
{
	struct arena *arena = step_arena(step);
	const char *sp = step->arch->registers[step->arch->sp].name;
	const char *begin = arena_format(arena, ": %s ", sp);
	const char *text = "", *at = rules;

	while (begin != NULL && text != NULL && (at = strstr(rules, begin)) != NULL) {
		text = arena_format(arena, "%s%.*s: %s %" PRIu64 " + ", text, (int)(at - rules),
				    rules, sp, offset);
		rules = at + strlen(begin);
	}
	text = begin != NULL && text != NULL ? arena_format(arena, "%s%s", text, rules) : NULL;
	return text != NULL ? rule_set_text(arena, step->arch, text_of(text), (struct place){ 0 })
			    : NULL;
}

/* Whether a context of interrupted code may begin at an address. */
static bool
is_context_at(const struct step *step, const struct arch_signal_frame *layout, uint64_t address)
{
	struct frame callee = *step->callee;
	struct step there = *step;
	uint64_t pc, word;

	registers_set(&callee.registers, step->arch->sp, address);
	step_aim(&there, &callee);
	return has_marks(&there, layout) && evaluate(&there, layout->pc, &pc) &&
	       step_code_at(step, pc) == STEP_CODE && step_read(step, address, &word);
}

/* Whether the callee is a frame of ntdll, the only library that calls user code for the kernel. */
static bool
may_hold_context(const struct step *step)
{
	return step->walk->crash->system.os == CRASH_OS_WINDOWS && !step_is_first(step) &&
	       step_policy(step, POLICY_SIGNAL_FRAMES) && is_in_library(step, "ntdll.dll");
}

/* The rules of a context at an offset above the stack pointer; NULL: there is no context. */
static const char *
context_rules(const struct step *step, uint64_t at)
{
	for (size_t i = 0; i < step->arch->signal_frame_count; i++) {
		const struct arch_signal_frame *layout = &step->arch->signal_frames[i];

		if (layout->apart && is_context_at(step, layout, step->sp + at))
			return layout->rules;
	}
	return NULL;
}

/*
 * A frame of ntdll that called user code for the kernel, such as KiUserApcDispatcher, contains the
 * context that NtContinue returns to. The frame has no caller, because the kernel made it. The
 * search ends at an exception's context, which also has a record: a scan finds that context.
 */
bool
step_saved_context(struct step *step, struct frame *caller)
{
	const uint64_t word = step->arch->word_size;
	const char *rules = NULL;
	uint64_t at = 0, value;

	/* A word chosen by a what-if edit takes precedence. */
	if (!may_hold_context(step) ||
	    overlay_edit_of(step->walk, step->number, OVERLAY_CANDIDATE, 0) != NULL)
		return false;
	for (; at < CONTEXT_WITHIN && (rules = context_rules(step, at)) == NULL; at += word)
		if (step_read(step, step->sp + at, &value) &&
		    step_is_trampoline_at(step, value, step->sp + at + word, false))
			return false;
	if (rules == NULL)
		return false;
	step_fact(step, (struct place){ 0 }, "a saved context begins at %#" PRIx64, step->sp + at);
	step_begin_caller(step, caller, TRUST_SAVED_CONTEXT);
	caller->interrupted = true;
	return step_run_rules(step, rules_above(step, rules, at), caller) == VERDICT_TAKEN;
}

/* Maximum number of records to read from a signal frame; each has a kind and a length. */
enum { MOST_RECORDS = 64 };

/* Finds the record of a kind in the list at an address; false: not found. */
static bool
find_record(const struct step *step, uint32_t kind, uint64_t *address)
{
	for (size_t i = 0; i < MOST_RECORDS; i++) {
		uint64_t word, next;

		if (!step_read(step, *address, &word) || !step_read(step, *address + 4, &next) ||
		    (uint32_t)word == 0 || (uint32_t)next < 8)
			return false;
		if ((uint32_t)word == kind)
			return true;
		*address += (uint32_t)next;
	}
	return false;
}

/* The layout of frame `number`'s saved registers; sets `*step` to the step from its callee. */
static const struct arch_signal_frame *
saved_layout(struct step *step, struct walk *walk, size_t number)
{
	const struct arch *arch = walk->arch;
	uint64_t pc;

	*step = (struct step){ .walk = walk, .arch = arch, .policy = &walk->policy };
	if (number == 0)
		return NULL;
	step_aim(step, &walk->frames[number - 1]);
	for (size_t i = 0; i < arch->signal_frame_count; i++) {
		const struct arch_signal_frame *layout = &arch->signal_frames[i];

		if (is_of_system(step, layout) && has_marks(step, layout) &&
		    (layout->floats != NULL || layout->information != NULL) &&
		    evaluate(step, layout->pc, &pc) &&
		    pc == walk->frames[number].registers.value[arch->pc])
			return layout;
	}
	return NULL;
}

const struct arch_signal_frame *
walk_saved_floats(struct walk *walk, size_t number, uint64_t *address)
{
	struct step step;
	const struct arch_signal_frame *layout = saved_layout(&step, walk, number);

	return layout != NULL && layout->floats != NULL &&
			       evaluate(&step, layout->floats, address) &&
			       (layout->floats_kind == 0 ||
				find_record(&step, layout->floats_kind, address))
		       ? layout : NULL;
}

bool
walk_signal_information(struct walk *walk, size_t number, uint64_t *address)
{
	struct step step;
	const struct arch_signal_frame *layout = saved_layout(&step, walk, number);

	return layout != NULL && layout->information != NULL &&
	       evaluate(&step, layout->information, address);
}

bool
walk_signal_stack(struct walk *walk, size_t number, uint64_t *base, uint64_t *size)
{
	struct step step;
	const struct arch_signal_frame *layout = saved_layout(&step, walk, number);
	const unsigned word = walk->arch->word_size;
	uint64_t at;

	/* Members of stack_t: ss_sp, ss_flags in a word, ss_size. */
	return layout != NULL && layout->stack != NULL && evaluate(&step, layout->stack, &at) &&
	       step_read(&step, at, base) && step_read(&step, at + 2 * word, size) && *size > 0;
}
