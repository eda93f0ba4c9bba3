/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <strings.h>

#include "walk/step.h"

static const char rules_x86[] = "$eip: $ebp 4 + ^ $esp: $ebp 8 + $ebp: $ebp ^";
static const char rules_amd64[] = "$rip: $rbp 8 + ^ $rsp: $rbp 16 + $rbp: $rbp ^";
static const char rules_arm64[] = "pc: x29 8 + ^ sp: x29 16 + x29: x29 ^";
/* Breakpad's rules: for a pc in the link register, and for the end of a chain. */
static const char rules_arm64_link[] = "pc: x30 sp: x29 16 + x29: x29 ^ x30: x29 8 + ^";
static const char rules_arm64_bottom[] = "pc: x30 sp: sp x29: 0 x30: 0";
static const char rules_ios[] = "pc: r7 4 + ^ sp: r7 8 + r7: r7 ^";
static const char rules_ios_link[] = "pc: lr sp: r7 8 + r7: r7 ^ lr: r7 4 + ^";
static const char rules_ios_r11[] = "pc: r11 4 + ^ sp: r11 8 + r11: r11 ^";
static const char rules_ios_bottom[] = "pc: lr sp: sp r7: 0 lr: 0";

/* Uses a stale register, because Breakpad does not check whether a frame pointer is valid. */
static bool
take_residue(struct step *step, int reg)
{
	const uint64_t bit = UINT64_C(1) << reg;

	if (step->inputs.known & bit)
		return true;
	if (!step_policy(step, POLICY_STALE_REGISTERS))
		return false;
	step->inputs.known |= bit;
	return true;
}

/* Limits of links followed and words read to decide whether code keeps frame pointers. */
#define CHAIN_LINKS 8u
#define CHAIN_WORDS 4096u
/* Fewer links may be chance: an unchanged register, a jump. */
#define CHAIN_LEAST 3u

/* Counts the words up to `end` that look like return addresses, at most CHAIN_LINKS + 1. */
static unsigned
count_calls(struct step *step, uint64_t slot, uint64_t end, unsigned *budget)
{
	const unsigned word = step->arch->word_size;
	const char *why_not;
	unsigned count = 0;
	uint64_t value;

	for (; slot < end && *budget > 0 && count <= CHAIN_LINKS &&
	       step_read(step, slot, &value); slot += word, --*budget)
		count += step_is_candidate(step, slot, value, &why_not);
	return count;
}

/*
 * Whether a later frame of the chain has as many words that look like return addresses as the
 * callee has below `frame`, its first link. The later frame skips no caller, so such words are
 * leftovers, and the code keeps frame pointers.
 */
static bool
explains_calls(struct step *step, uint64_t frame)
{
	const unsigned word = step->arch->word_size;
	const bool kept = step_module_keeps_chain(step, frame);
	uint64_t at = step->sp, value, next;
	unsigned links = 0, first = 0, most = 0, budget = CHAIN_WORDS;
	const char *why_not;

	while (links < CHAIN_LINKS && budget > 0) {
		const unsigned others = count_calls(step, at, frame, &budget);

		if (links == 0)
			first = others;
		else if (others > most)
			most = others;
		if (!step_read(step, frame, &next) || !step_read(step, frame + word, &value) ||
		    !step_looks_like_return(step, value, &why_not))
			break;
		links++;
		at = frame + 2 * word;
		if (next <= frame)
			break;
		frame = next;
	}
	if (most == 0 && kept)
		return true;
	return links >= CHAIN_LEAST && first <= CHAIN_LINKS && first <= most && budget > 0;
}

/* Whether the last CHAIN_LINKS frames, all in the callee's module, were found by frame pointers. */
static bool
keeps_frame_pointers(const struct step *step)
{
	const int module = step->callee->module;
	size_t links = 0;

	if (step_policy(step, POLICY_SCAN_CONTEXT) || module == MODULE_NONE)
		return false;
	for (; links < CHAIN_LINKS && links <= step->number; links++) {
		const struct frame *frame = &step->walk->frames[step->number - links];

		if (frame->trust != TRUST_FRAME_POINTER || frame->module != module)
			break;
	}
	return links == CHAIN_LINKS;
}

/*
 * Whether the frame at `frame` belongs to a function that called a library. The return address is
 * not in the library, whose own code mostly keeps no frame pointers.
 */
static bool
is_of_library_caller(const struct step *step, uint64_t frame)
{
	const int module = step->callee->module;
	uint64_t value;

	return module != MODULE_NONE && !step_policy(step, POLICY_SCAN_CONTEXT) &&
	       !step_is_in_program(step) && !step_module_keeps_chain(step, frame) &&
	       step_read(step, frame + step->arch->word_size, &value) &&
	       module_map_find(&step->walk->modules, step_strip(step, value) - 1) != module;
}

/*
 * Whether a word that the frame pointer passes may be the return address of a caller. The caller is
 * in the callee's module or generated code; a generated callee may have any caller. The test is
 * weaker than step_is_candidate: such a word does not break the chain, but makes it doubtful. Words
 * in frame records do not count, because code with frame pointers left them.
 */
static bool
may_be_passed(const struct step *step, uint64_t slot, uint64_t value)
{
	const int module = step->callee->module;
	const int other = module_map_find(&step->walk->modules, value - 1);
	uint64_t below;

	return (module == MODULE_NONE || other == module || other == MODULE_NONE) &&
	       step_may_be_return(step, value) &&
	       !(module != MODULE_NONE && step->arch->frame_records &&
		 step_read(step, slot - step->arch->word_size, &below) && below > slot &&
		 memory_run_of(&step->walk->memory, below) != NULL);
}

static struct step_passed
find_passed(struct step *step, uint64_t frame)
{
	struct step_passed passed = { .asked = true, .frame = frame };
	const uint64_t sp = step->sp;
	const unsigned word = step->arch->word_size;
	const char *why_not;
	uint64_t value;

	for (uint64_t slot = sp; slot < frame && step_read(step, slot, &value); slot += word) {
		if (!step_is_candidate(step, slot, value, &why_not) ||
		    !step_fits_context(step, slot, value, &why_not)) {
			if (passed.doubtful == 0 && may_be_passed(step, slot, value))
				passed.doubtful = slot;
			continue;
		}
		const bool kept = keeps_frame_pointers(step);

		/* A function stopped with its return address on top has no frame yet. */
		if ((slot != sp || !step->callee->interrupted) &&
		    (kept || (!is_of_library_caller(step, frame) && explains_calls(step, frame)))) {
			passed.doubtful = kept ? 0 : slot;
		} else {
			passed.slot = slot;
			passed.value = value;
		}
		return passed;
	}
	if (passed.doubtful != 0 && step_module_keeps_chain(step, frame))
		passed.doubtful = 0;
	return passed;
}

/*
 * Code without frame pointers does not change the register, so it may point to a frame far up. The
 * words up to that frame then contain the return addresses of other calls. These words are better
 * evidence than the chain only if the ABI distinguishes return addresses from other words.
 */
bool
step_leads_over_calls(struct step *step, uint64_t frame)
{
	struct step_passed *passed = &step->passed;

	if (step_policy(step, POLICY_CHAIN_OVER_CALLS) || !step_knows_return_slots(step))
		return false;
	/* Several methods of a step follow the same frame pointer. */
	if (!passed->asked || passed->frame != frame)
		*passed = find_passed(step, frame);
	if (passed->slot != 0)
		return !step_check(step, CHECK_NO_CALL_BETWEEN, false, "%#" PRIx64 " at %#" PRIx64,
				   passed->value, passed->slot);
	if (passed->doubtful != 0) {
		step->passed_return = true;
		step_note(step, CHECK_NO_CALL_BETWEEN,
			  "a word at %#" PRIx64
			  " may be the return address of a caller that is left out",
			  passed->doubtful);
	}
	return false;
}

/*
 * The first function of a thread of 32-bit Windows, in ntdll or (before Vista) kernel32, has a
 * frame with saved ebp 0 and return address 0. If it calls code without frame pointers, ebp stays
 * the same there, so check that the function itself was reached.
 */
static bool
is_first_of_thread(const struct step *step)
{
	static const char *const names[] = { "ntdll.dll", "kernel32.dll" };
	const struct frame *callee = step->callee;
	uint64_t saved, value;

	if (step->walk->crash->system.os != CRASH_OS_WINDOWS || callee->guessed ||
	    callee->module == MODULE_NONE || step_is_first(step) || callee->trust == TRUST_SCAN ||
	    !step_policy(step, POLICY_END_OF_STACK) || !step_read(step, step->fp, &saved) ||
	    !step_read(step, step->fp + 4, &value) || saved != 0 || value != 0)
		return false;
	const char *name = place_base_name(step->walk->crash->modules[callee->module].code_file);
	return strcasecmp(name, names[0]) == 0 || strcasecmp(name, names[1]) == 0;
}

static enum verdict_kind
chain_x86(struct step *step, struct frame *caller)
{
	const uint64_t ebp = step->fp;
	const uint64_t esp = step->sp;

	if (!take_residue(step, step->arch->fp))
		return step_refuse(step, "ebp is unknown in the callee");
	if (!step_policy(step, POLICY_STALE_REGISTERS) &&
	    !step_check(step, CHECK_FP_ORDER, ebp >= esp, "ebp %08" PRIx64 ", esp %08" PRIx64,
			ebp, esp))
		return step_refuse(step, "ebp points below the stack pointer");
	if (is_first_of_thread(step))
		return step_bottom(step, "return address 0: bottom of the stack");
	if (step_leads_over_calls(step, ebp))
		return step_refuse(step, "the frame pointer chain of ebp skips a return address");
	if (step_run_constant(step, caller, TRUST_FRAME_POINTER, rules_x86) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	uint64_t next = caller->registers.value[step->arch->fp];
	if (!step_policy(step, POLICY_STALE_REGISTERS) &&
	    !step_check(step, CHECK_FP_ORDER, next == 0 || next > ebp,
			"saved ebp %08" PRIx64 ", ebp %08" PRIx64, next, ebp))
		return step_refuse(step, "the saved ebp does not point upwards");
	return VERDICT_TAKEN;
}

static bool
is_canonical(uint64_t address)
{
	return address <= UINT64_C(0x00007fffffffffff) || address >= UINT64_C(0xffff800000000000);
}

/* Offsets from rbp where a function of 64-bit Windows may have saved its caller's rbp. */
#define WINDOWS_OFFSETS 16u
#define WINDOWS_STEP 16u

/* rust-minidump's conditions for a frame at `at` (its amd64.rs). */
static bool
is_windows_frame(const struct step *step, uint64_t at, uint64_t rip, uint64_t next)
{
	uint64_t ignored;

	return is_canonical(rip) && next >= at + 16 &&
	       at + 16 > step->sp &&
	       step_read(step, next, &ignored) && step_read(step, at + 16, &ignored);
}

/*
 * A function of 64-bit Windows may point rbp into its frame. The saved rbp and the return address
 * are then up to 240 bytes higher, by a multiple of 16 (Microsoft's x64 ABI, UNWIND_INFO, "Frame
 * register offset"). unspool's own policy requires words that a call and a push can have left
 * there. It refuses if two places match, because nothing shows the right one.
 */
static enum verdict_kind
search_windows(struct step *step, struct frame *caller)
{
	const bool sure = step_policy(step, POLICY_WINDOWS_FRAME_OFFSETS) == 2;
	unsigned found = 0, offset = 0;
	const char *why_not;
	uint64_t rip, next;

	if (!registers_known(&step->callee->registers, step->arch->fp))
		return step_refuse(step, "rbp is unknown in the callee");
	for (unsigned i = 0; i < WINDOWS_OFFSETS && found < (sure ? 2 : 1); i++) {
		const uint64_t at = step->fp + i * WINDOWS_STEP;

		if (!step_read(step, at + 8, &rip) || !step_read(step, at, &next))
			break;
		if (!is_windows_frame(step, at, rip, next) ||
		    (sure && (next % 8 != 0 || !step_is_candidate(step, at + 8, rip, &why_not))))
			continue;
		found++;
		offset = i * WINDOWS_STEP;
	}
	if (found != 1)
		return step_refuse(step, "no frame, or more than one, is found in the 256 bytes "
					 "above rbp");
	if (step_leads_over_calls(step, step->fp + offset))
		return step_refuse(step, "the frame pointer chain of rbp skips a return address");
	step_begin_caller(step, caller, TRUST_FRAME_POINTER);
	return step_run_text(step, caller, "$rip: $rbp %u + ^ $rsp: $rbp %u + $rbp: $rbp %u + ^",
			     offset + 8, offset + 16, offset);
}

/* The checks of Breakpad's amd64 walker (ea2e22b3, 6cfdde4b, b458f367). */
static enum verdict_kind
chain_amd64(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const uint64_t rbp = step->fp;
	uint64_t ignored;

	if (step->walk->crash->system.os == CRASH_OS_WINDOWS &&
	    step_policy(step, POLICY_WINDOWS_FRAME_OFFSETS))
		return search_windows(step, caller);
	if (step->walk->crash->system.os == CRASH_OS_WINDOWS)
		return step_refuse(step, "64-bit Windows does not guarantee a chain of frame "
					 "pointers");
	if (!take_residue(step, arch->fp))
		return step_refuse(step, "rbp is unknown in the callee");
	if (!step_check(step, CHECK_FP_ALIGNED, rbp % 8 == 0, "rbp %#" PRIx64, rbp))
		return step_refuse(step, "rbp is not a multiple of 8");
	if (step_leads_over_calls(step, rbp))
		return step_refuse(step, "the frame pointer chain of rbp skips a return address");
	if (step_run_constant(step, caller, TRUST_FRAME_POINTER, rules_amd64) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	uint64_t rip = caller->registers.value[arch->pc], rsp = caller->registers.value[arch->sp];
	uint64_t next = caller->registers.value[arch->fp];
	if (!step_check(step, CHECK_PC_CANONICAL, is_canonical(rip), "%#" PRIx64, rip))
		return step_refuse(step, "the return address is not canonical");
	if (!step_check(step, CHECK_FP_ORDER, rsp > rbp && next >= rsp,
			"rbp %#" PRIx64 " leads to rbp %#" PRIx64, rbp, next))
		return step_refuse(step, "the saved rbp does not point upwards");
	if (!step_check(step, CHECK_FP_READABLE, step_read(step, next, &ignored), "%#" PRIx64,
			next))
		return step_refuse(step, "the saved rbp points out of the stack");
	return VERDICT_TAKEN;
}

/*
 * STACK CFI loses the link register, because dumpers call its column `.ra`. Breakpad takes it from
 * the frame record that the previous frame pointed at (13c15687).
 */
static void
correct_link_register(struct step *step)
{
	const struct arch *arch = step->arch;
	uint64_t previous, saved, lr;

	/*
	 * Breakpad 0.26.0 mistakes an inlined call of the frame for its callee (fixed in f49c2f1a).
	 */
	if (step->number == 0 || step->fp <= step->sp || step_has_inlined(step))
		return;
	previous = step->walk->frames[step->number - 1].registers.value[arch->fp];
	if (previous == 0 || !step_read(step, previous, &saved) || saved != step->fp ||
	    !step_read(step, previous + 8, &lr))
		return;
	step->inputs.value[arch->lr] = step_strip(step, lr);
	step->inputs.known |= UINT64_C(1) << arch->lr;
}

static enum verdict_kind
chain_link_register(struct step *step, struct frame *caller, const char *rules, const char *bottom)
{
	const struct arch *arch = step->arch;
	const bool narrow = arch->mode_bit != 0;
	const int fp = narrow ? 7 : arch->fp;

	if (narrow && !registers_known(&step->callee->registers, fp))
		return step_refuse(step, "r7 is unknown in the callee");
	if (!narrow && !registers_known(&step->callee->registers, arch->lr))
		correct_link_register(step);
	take_residue(step, fp);
	take_residue(step, arch->lr);
	if (step_run_constant(step, caller, TRUST_FRAME_POINTER,
			      step->inputs.value[fp] == 0 ? bottom : rules) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	if (!narrow)
		step_strip_register(step, caller, arch->lr);
	return VERDICT_TAKEN;
}

/* AAPCS64's guarantee: x29 points at a record of the caller's x29 and return address. */
static enum verdict_kind
chain_record(struct step *step, struct frame *caller, int fp, const char *rules)
{
	const struct arch *arch = step->arch;
	const uint64_t at = step->callee->registers.value[fp];
	const uint64_t sp = step->sp;
	uint64_t lr;

	if (!registers_known(&step->callee->registers, fp))
		return step_refuse(step, "the frame pointer is unknown in the callee");
	if (at == 0)
		return step_bottom(step, "frame pointer 0: bottom of the stack");
	if (!step_check(step, CHECK_FP_ALIGNED, at % arch->word_size == 0, "%#" PRIx64, at))
		return step_refuse(step, "the frame pointer is not aligned");
	if (!step_check(step, CHECK_FP_ORDER, at >= sp, "%#" PRIx64 ", stack pointer %#" PRIx64, at,
			sp))
		return step_refuse(step, "the frame pointer points below the stack pointer");
	if (step_leads_over_calls(step, at))
		return step_refuse(step, "the frame pointer chain skips a return address");
	if (step_run_constant(step, caller, TRUST_FRAME_POINTER, rules) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	uint64_t next = caller->registers.value[fp];
	if (!step_check(step, CHECK_FP_ORDER, next == 0 || next > at,
			"%#" PRIx64 " leads to %#" PRIx64, at, next))
		return step_refuse(step, "the saved frame pointer does not point upwards");
	step_strip_register(step, caller, step->arch->pc);
	if (arch->mode_bit == 0 && next != 0 && step_policy(step, POLICY_LINK_REGISTER_OF_RECORD) &&
	    step_read(step, next + arch->word_size, &lr))
		step_set(step, caller, arch->lr, step_strip(step, lr), TRACE_NONE,
			 "saved in the caller's own frame record");
	return VERDICT_TAKEN;
}

enum verdict_kind
method_frame_pointer(struct step *step, struct frame *caller)
{
	const bool link = step_policy(step, POLICY_LINK_REGISTER_IS_PC) != 0;
	const bool by_r11 = step_policy(step, POLICY_IOS_FRAME_POINTER) == 11;

	if (step->arch->stack_win)
		return chain_x86(step, caller);
	if (arch_pushes_return(step->arch))
		return chain_amd64(step, caller);
	if (step->arch->mode_bit == 0)
		return link ? chain_link_register(step, caller, rules_arm64_link,
						  rules_arm64_bottom)
			    : chain_record(step, caller, step->arch->fp, rules_arm64);
	/* gcc and clang disagree about the frame pointer of 32-bit ARM, except on iOS. */
	if (step->walk->crash->system.os != CRASH_OS_IOS)
		return step_refuse(step, "32-bit ARM guarantees a frame pointer only on iOS");
	return link ? chain_link_register(step, caller, rules_ios_link, rules_ios_bottom)
		    : chain_record(step, caller, by_r11 ? 11 : 7,
				   by_r11 ? rules_ios_r11 : rules_ios);
}
