/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_STEP_H
#define WALK_STEP_H

#include "base/policy_rows.h"
#include "walk/walk.h"

/** The words between the stack pointer and the frame record at `frame`. */
struct step_passed {
	bool asked;
	uint64_t frame;
	uint64_t slot, value;		/* a return address that the chain skips; slot 0: none */
	uint64_t doubtful;		/* slot of a word that may be one, or 0 */
};

/**
 * The state of one step, and functions to record the step. All methods share them.
 *
 * Private to src/walk. A method fills `caller`, records its work with step_check, step_set and
 * similar functions, and returns a verdict. Without a trace nothing is recorded.
 *
 * A verdict is taken, refused (the next method is tried) or end (no other method is tried). An end
 * has a reason, such as the outermost function of a thread.
 */
struct step {
	struct walk *walk;
	const struct arch *arch;
	const struct policy *policy;
	const struct frame *callee;
	size_t number;			/* number of the callee */
	uint64_t pc, sp, fp;		/* callee's registers; fp may have no value */
	const struct stack_bottom *bottom;
	const struct symfile *symfile;	/* file of the callee's module, or NULL */
	uint64_t relative;		/* callee's lookup address in its module */
	struct registers inputs;	/* callee's registers that rules may use */
	struct trace *trace;		/* NULL: nothing is recorded */
	enum method_id method;
	uint32_t attempt;		/* event of the current attempt */
	uint32_t register_events[ARCH_REGISTERS];
	int bare_module;		/* module without frame records (arm64); or MODULE_NONE */
	bool bare_asked;		/* this step has searched for `bare_module` */
	uint64_t begun;			/* slot of a word in the program's first code, or 0 */
	enum sframe_abi sframe_abi;	/* ABI of the section that the method reads */
	bool zero_return;		/* a method found a return address of 0 */
	bool at_bottom;			/* the end is the stack's bottom */
	bool no_scan;			/* a record was refused: a scan would invent frames */
	struct step_passed passed;	/* result for the last frame pointer */
	bool passed_return;		/* the frame pointer passes words that may be callers */
	uint64_t scanned_to;		/* address after the words that scans have read; 0: none */
	/* A record's caller failed the checks, so the stack ends here */
	bool impossible;
	uint64_t absent;		/* address read by a record but not in the dump; or 0 */
	char reason[200];		/* reason of the last refusal or end */
};

struct method {
	const char *name;
	enum verdict_kind (*attempt)(struct step *step, struct frame *caller);
	enum policy_row policy;		/* POLICY_COUNT: always on */
	bool (*applies)(const struct step *step);
	const char *misfit;		/* why the method does not apply */
	enum {
		METHOD_BY_CONVENTIONS,
		METHOD_BY_RECORDS
	} source;
	unsigned architectures;		/* bits 1 << enum arch_id */
};

extern const struct method methods[METHOD_COUNT];

/**
 * The methods to try, in order: those of the architecture, or those that the policy selects.
 * Returns their number.
 */
size_t
method_order(enum arch_id arch, const struct policy *policy, enum method_id list[METHOD_COUNT]);

/** Whether an architecture has a method. */
bool
method_is_of(enum arch_id arch, enum method_id method);

#define METHOD(id, name, function, policy, applies, ...)				\
	enum verdict_kind function(struct step *step, struct frame *caller);			\
	bool applies(const struct step *step);
#include "walk/method/method.def"

/** Whether the callee's pc is the return target of a signal handler (method_signal_frame.c). */
bool
step_is_trampoline(const struct step *step);

/**
 * Whether a caller at `pc` with stack pointer `sp` would be a signal handler's return target.
 * `returned`: only a target to which a handler returns, so that no call precedes it.
 */
bool
step_is_trampoline_at(const struct step *step, uint64_t pc, uint64_t sp, bool returned);

/**
 * Search a frame of ntdll for the context that was interrupted, and continue there. False: not
 * found (method_signal_frame.c).
 */
bool
step_saved_context(struct step *step, struct frame *caller);

/** Whether an address is in the page of code that a Linux kernel gives every process. */
bool
step_is_in_kernel_page(const struct step *step, uint64_t address);

/** Begin the step at `callee`, a frame that is not in the walk yet. */
void
step_aim(struct step *step, const struct frame *callee);

/** Whether the callee is the context frame. */
static inline bool
step_is_first(const struct step *step)
{
	return step->callee->trust == TRUST_CONTEXT;
}

static inline uint32_t
step_policy(const struct step *step, enum policy_row row)
{
	return step->policy->value[row];
}

/** Set the reason, and return VERDICT_REFUSED. */
enum verdict_kind
step_refuse(struct step *step, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Set the reason, and return VERDICT_END. */
enum verdict_kind
step_end(struct step *step, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Like step_end, for an end at the stack's bottom. */
#define step_bottom(step, ...) ((step)->at_bottom = true, step_end((step), __VA_ARGS__))

/** Record a check under the attempt and return `passed`. */
bool
step_check(struct step *step, enum check_id check, bool passed, const char *format, ...)
	ATTRIBUTE_PRINTF(4, 5);

/** Record an event of the current attempt with its text; returns its index. Requires a trace. */
uint32_t
step_record(struct step *step, struct event event, const char *format, ...) ATTRIBUTE_PRINTF(3, 4);

/** Record an event of a kind, with further members; does nothing without a trace. */
#define STEP_RECORD(step, what, members, ...) \
	((step)->trace == NULL ? TRACE_NONE : step_record(step, (struct event){ .kind = what, \
							   STEP_MEMBERS members }, __VA_ARGS__))
#define STEP_MEMBERS(...) __VA_ARGS__

/** Record a check that cannot refuse the caller. */
#define step_note(step, check, ...) \
	STEP_RECORD(step, EVENT_CHECK, (.detail = (check), .status = EVENT_NOTE), __VA_ARGS__)

/** Record a fact, such as the record in use, with its place; returns the fact's event. */
#define step_fact(step, where, ...) STEP_RECORD(step, EVENT_RECORD, (.place = (where)), __VA_ARGS__)

/** Record an event without register or origin; returns its index. */
uint32_t
step_event(struct step *step, uint32_t parent, struct event event);

/** Record a repair of a result; returns the repair's event. */
#define step_repair(step, ...) STEP_RECORD(step, EVENT_REPAIR, (.value = 0), __VA_ARGS__)

/** The event of a callee's register as an input of this attempt. */
uint32_t
step_input(struct step *step, int reg);

/** Record a named input that is not a register, with its origin. */
#define step_named_input(step, of, with, where, ...) \
	STEP_RECORD(step, EVENT_INPUT, \
		    (.value = (with), .place = (where), .name = text_of(of)), __VA_ARGS__)

/** Set a register of the caller to the value that event `from` gave. */
void
step_set(struct step *step, struct frame *caller, int reg, uint64_t value, uint32_t from,
	 const char *text);

/** Record that a register of the caller has no value, with the reason. */
void
step_unknown(struct step *step, int reg, const char *text);

/**
 * Begin the caller's registers: none is known. If the policy uses stale registers, the callee's
 * values stay, marked as stale.
 */
void
step_begin_caller(struct step *step, struct frame *caller, enum trust trust);

/** Copy a register of the callee to the caller; false if the register has no value. */
bool
step_keep(struct step *step, struct frame *caller, int reg, const char *text);

/** Copy every known register of the callee. */
void
step_keep_all(struct step *step, struct frame *caller, const char *text);

/**
 * Run all rules of a set with the callee's registers: `.cfa` first, then `.ra`, then the others,
 * which do not see each other's results. `outcomes` has an element for each rule. Refused if the
 * set is NULL (out of memory) or unusable, or if `.cfa` or `.ra` fails; others may fail
 * individually.
 */
enum verdict_kind
step_evaluate_set(struct step *step, const struct rule_set *set, struct outcome *outcomes);

/**
 * Set the caller's registers by the results of call frame information. By default the stack pointer
 * is the CFA, the program counter is the return address, and callee-saved registers are unchanged
 * (method_stack_cfi.c).
 */
void
step_fill_caller(struct step *step, const struct rule_set *set, const struct outcome *outcomes,
		 struct frame *caller);

/** Whether the caller's frame pointer depends on a guessed frame pointer of the callee. */
bool
step_rests_on_guess(const struct step *step, const struct rule_set *set);

/** The environment for running rules of a walk. */
struct environment
step_environment(const struct walk *walk);

/** The result of a rule that does not name `.cfa`, without a trace; false: the rule fails. */
bool
step_value(const struct step *step, const struct rule *rule, uint64_t *value);

/** Memory that lives as long as the step's trace; without a trace, as long as the step. */
struct arena *
step_arena(struct step *step);

/** The rules of a method after what-if edits; `set` itself if the walk has no edits. */
const struct rule_set *
step_edited_rules(struct step *step, const struct rule_set *set);

/**
 * Set the caller's registers by the rules that name them. If a rule fails, its register is unknown,
 * with the reason `unknown`; if `unknown` is NULL, the rules are refused instead.
 */
enum verdict_kind
step_set_all(struct step *step, const struct rule_set *set, const struct outcome *outcomes,
	     struct frame *caller, const char *unknown);

/** Run independent rules, with edits, and set the caller's registers that they name. */
enum verdict_kind
step_run_rules(struct step *step, const struct rule_set *set, struct frame *caller);

/**
 * Like step_run_rules, for a row with a rule for every register that a function changes: the other
 * callee-saved registers keep their values. Begins the caller's registers with `trust`. Refused if
 * the caller has no pc or no stack pointer.
 */
enum verdict_kind
step_run_row(struct step *step, const struct rule_set *set, enum trust trust, struct frame *caller);

/** Like step_run_rules, for rules in text form from a format ("$rip: $rsp %u + ^"). */
enum verdict_kind
step_run_text(struct step *step, struct frame *caller, const char *format, ...)
	ATTRIBUTE_PRINTF(3, 4);

/** Run the rules of a caller whose return address is `offset` bytes above the stack pointer. */
enum verdict_kind
step_run_above(struct step *step, struct frame *caller, uint64_t offset);

/**
 * Like step_run_rules, for a constant text of a method; begins the caller's registers with `trust`.
 */
enum verdict_kind
step_run_constant(struct step *step, struct frame *caller, enum trust trust, const char *text);

/** Run the rules of a return through the link register: its value is the pc, sp is unchanged. */
enum verdict_kind
step_run_return(struct step *step, struct frame *caller);

/** The return address in the link register. */
uint64_t
step_link_return(const struct step *step);

/** The difference between a caller's pc and its return address (POLICY_LONG_CALL_STEPS). */
int
step_return_step(const struct step *step);

/** The return address that led to a caller: the caller's pc less step_return_step(). */
uint64_t
step_return_address(const struct step *step, const struct frame *caller);

/**
 * Whether the callee has its own frame record: one with this return address. On RISC-V, a leaf's
 * record may have a saved frame pointer instead.
 */
bool
step_return_is_saved(const struct step *step, uint64_t return_address);

/** If the policy allows it, let rules use stale registers of the callee. */
void
step_use_residue(struct step *step);

/**
 * Whether the callee's records compute its CFA from a register other than the stack and the frame
 * pointer. Such a function realigns its stack and keeps the CFA in memory, which dumpers cannot
 * express; the register has been changed since (method_realigned.c).
 */
bool
step_realigns(const struct step *step);

/** Read a word of memory without a trace. */
bool
step_read(const struct step *step, uint64_t address, uint64_t *value);

/**
 * The function at an address of the process, by symbols; function->address is an address of the
 * process, too. `covering`: only a FUNC that covers the address. False: no symbols or no name.
 */
bool
step_function_at(const struct step *step, uint64_t address, bool covering,
		 struct function *function);

/** Whether symbols have inlined calls at the callee's address. */
bool
step_has_inlined(struct step *step);

/** Whether scans are still allowed in this walk. */
bool
step_may_scan(const struct step *step);

/**
 * Search the stack for a word that looks like a return address, from `start` on, in at most `words`
 * words; the first `passed` words cannot be the result. Every word read is a candidate in the
 * trace, with the reason if it is refused. (Unwinding semantics: Breakpad's ScanForReturnAddress.)
 */
bool
step_scan(struct step *step, uint64_t start, uint32_t passed, uint32_t words, uint64_t *slot,
	  uint64_t *value);

/**
 * The number of words that Wine has put above the stack pointer for a callback; 0: no callback. The
 * words are the return address deadbabe, a number, a pointer to the arguments, their length, 0, the
 * arguments, and the return address of the function that called the system (Wine 6 to 8,
 * dlls/ntdll/unix/signal_x86_64.c and signal_i386.c, KeUserModeCallback).
 */
uint32_t
step_callback_words(const struct step *step);

/**
 * Whether words between the stack pointer and `frame` look like return addresses. The frame pointer
 * leads to `frame` and would skip them.
 */
bool
step_leads_over_calls(struct step *step, uint64_t frame);

/** The number of words in a scan from this frame. */
uint32_t
step_scan_words(const struct step *step);

/**
 * Whether `value` looks like a return address: the code before it is in a loaded module, has a
 * name and, if its bytes are known, ends with a call.
 */
bool
step_looks_like_return(const struct step *step, uint64_t value, const char **why_not);

/**
 * Like step_looks_like_return, but also accepts generated code, which is in no module: executable
 * memory where the code before the address, if known, is a call.
 */
bool
step_may_be_return(const struct step *step, uint64_t value);

/**
 * Reads the return address that a call through a bad pointer has just left: the word on top of the
 * stack, or the link register. False: not a likely return address.
 */
bool
step_call_left(struct step *step, uint64_t *value);

/** Like step_looks_like_return, but a call must also be able to leave the word at `slot`. */
bool
step_is_candidate(struct step *step, uint64_t slot, uint64_t value, const char **why_not);

/**
 * Whether the call before return address `value` is known to lead to the callee's function: by its
 * name, or because code runs from the call's target to the place where the function stopped.
 */
bool
step_calls_callee(const struct step *step, uint64_t value);

/** Whether the frames and words around a candidate of a scan do not contradict it. */
bool
step_fits_context(struct step *step, uint64_t slot, uint64_t value, const char **why_not);

/**
 * The number of words that a scan skips: those from `from` to the next word that is proven to be a
 * return address. 0 if the next POLICY_SCAN_PROVEN words contain none.
 */
uint32_t
step_words_to_proven(struct step *step, uint64_t from);

/** Whether a word is an unwinder's copy of a return address. */
bool
step_is_unwinder_copy(const struct step *step, uint64_t slot, uint64_t value);

/** Whether the ABI restricts where return addresses are stored, and the policy uses that. */
bool
step_knows_return_slots(const struct step *step);

/** The bottom of the stack that `sp` points into; unknown if no search has found it (walk.c). */
const struct stack_bottom *
walk_bottom(const struct walk *walk, uint64_t sp);

/** Whether the callee is in the program's own code. */
bool
step_is_in_program(const struct step *step);

/** Whether the callee, or one of its callees, is in the program's own code. */
bool
step_is_above_program(const struct step *step);

/**
 * Whether the callee's module keeps frame pointers: several links of the chain connect functions of
 * the module. Links that led to the callee count, and those from the frame pointer `frame` on.
 */
bool
step_module_keeps_chain(const struct step *step, uint64_t frame);

#define PC_FLOOR 4096u			/* lower addresses are in the page that is never mapped */

enum step_code {
	STEP_CODE,		/* in an executable mapping or, without a mapping, in a module */
	STEP_NO_CODE,
	STEP_UNKNOWN_CODE,
};

/** Whether `address` can be code, by modules, memory maps and stacks. */
enum step_code
step_code_at(const struct step *step, uint64_t address);

/**
 * The STACK WIN record that covers an address of a module, preferably one with a program. False:
 * none, or no symbol file.
 */
bool
step_stack_win(const struct walk *walk, const struct symfile *symfile, uint64_t relative,
	       struct stack_win *record);

/**
 * The size of the parameters of the callee's function (from STACK WIN, else FUNC, else PUBLIC if
 * the policy allows it); -1: unknown.
 */
int64_t
step_parameters(struct step *step);

/** Like step_parameters, with Breakpad's rule for frames: never from a PUBLIC. */
int64_t
step_recorded_parameters(struct step *step);

/** Strip pointer authentication bits from a register of the caller, and record the change. */
void
step_strip_register(struct step *step, struct frame *caller, int reg);

/** Strip pointer authentication bits from a code address. */
uint64_t
step_strip(const struct step *step, uint64_t address);

/**
 * Whether a walk that continues with `caller` after frame `number` reaches the stack's bottom,
 * mostly by records (walk.c).
 */
bool
walk_reaches_bottom(struct walk *walk, size_t number, const struct frame *caller);

/** Run the checks that every caller must pass. */
enum verdict_kind
step_check_caller(struct step *step, struct frame *caller);

/** Record whether the caller's call instruction leads to the callee. */
void
step_compare_call(struct step *step, const struct frame *caller);

/** Whether the callee's function ends the stack; sets the reason. */
bool
step_is_outermost(struct step *step);

/**
 * Like step_is_outermost, by the name in the module's own file. Call it only before a scan: most
 * such functions have a row of a frame table that ends the stack.
 */
bool
step_is_outermost_by_file(struct step *step);

/** End the stack at a caller whose `pc` is not code (stack_end.c). */
enum verdict_kind
step_end_at_no_code(struct step *step, uint64_t pc);

/** Set the reason why the stack ends when no method found a caller (stack_end.c). */
void
step_explain_end(struct step *step);

#endif
