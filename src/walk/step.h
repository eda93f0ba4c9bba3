/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_STEP_H
#define WALK_STEP_H

#include "base/policy_rows.h"
#include "walk/walk.h"

/**
 * What the methods share: the state of one step and how they speak of it.
 *
 * Private to this room. A method fills `caller`, records its work with step_check, step_set and
 * similar functions, and returns a verdict. Records go to the trace and cost nothing without one.
 *
 * A verdict has three values: taken, refused (the next method is tried), and end. An end has its
 * reason, and no weaker method may continue beyond the outermost function of a thread.
 */
struct step {
	struct walk *walk;
	const struct arch *arch;
	const struct policy *policy;
	const struct frame *callee;
	size_t number;			/* of the callee */
	uint64_t pc, sp, fp;		/* in its registers; fp may have no value */
	const struct symfile *symfile;	/* of the callee's module; NULL: none */
	uint64_t relative;		/* the callee's lookup address in its module */
	struct registers inputs;	/* the callee's registers that rules may use */
	struct trace *trace;		/* NULL: nothing is recorded */
	enum method_id method;		/* at work */
	uint32_t attempt;		/* event of the attempt at work */
	uint32_t register_events[ARCH_REGISTERS];
	int bare_module;		/* keeps no frame records (arm64); or MODULE_NONE */
	bool bare_asked;		/* this step has looked for it */
	enum sframe_abi sframe_abi;	/* of the section that the method reads */
	bool zero_return;		/* a method found a return address of 0 */
	bool no_scan;			/* a record was refused: guessing on would invent frames */
	uint64_t scanned_to;		/* end of the words that scans have looked at; 0: none */
	uint64_t absent;		/* address that a record reads, not in the dump; or 0 */
	char reason[200];		/* of the last refusal or end */
};

struct method {
	const char *name;
	enum verdict_kind (*attempt)(struct step *step, struct frame *caller);
	enum policy_row policy;		/* POLICY_COUNT: always on */
	bool (*applies)(const struct step *step);
	const char *misfit;		/* why not, where it does not apply */
	enum {
		METHOD_BY_CONVENTIONS,
		METHOD_BY_RECORDS
	} source;			/* of its rules */
	unsigned architectures;		/* bits 1 << enum arch_id */
};

extern const struct method methods[METHOD_COUNT];

/**
 * The methods to try, in order: those of the architecture, or what the policy chooses of them.
 * Returns how many.
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

/** Whether the callee's pc is where a signal handler returns to (method_signal_frame.c). */
bool
step_is_trampoline(const struct step *step);

/** Whether a caller at `pc` with stack pointer `sp` would be such a place. */
bool
step_is_trampoline_at(const struct step *step, uint64_t pc, uint64_t sp);

/**
 * Search a frame of ntdll for the context of what it interrupted, and go on there: false where
 * there is none (method_signal_frame.c).
 */
bool
step_saved_context(struct step *step, struct frame *caller);

/** Whether an address is in the page of code that a Linux kernel gives every process. */
bool
step_is_in_kernel_page(const struct step *step, uint64_t address);

/** Take `callee`, which is in no walk's frames yet, for the frame that the step begins at. */
void
step_aim(struct step *step, const struct frame *callee);

/** Whether the callee is the frame that the dump's context gives. */
bool
step_is_first(const struct step *step);

/** A policy value. */
uint32_t
step_policy(const struct step *step, enum policy_row row);

/** Remember why, and return VERDICT_REFUSED. */
enum verdict_kind
step_refuse(struct step *step, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Remember why, and return VERDICT_END. */
enum verdict_kind
step_end(struct step *step, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Record a check under the attempt and return `passed`. */
bool
step_check(struct step *step, enum check_id check, bool passed, const char *format, ...)
	ATTRIBUTE_PRINTF(4, 5);

/**
 * Record an event of the attempt at work, with what it says; returns its index. There is a trace.
 */
uint32_t
step_record(struct step *step, struct event event, const char *format, ...) ATTRIBUTE_PRINTF(3, 4);

/** Record an event of a kind, with more of its members, where there is a trace. */
#define STEP_RECORD(step, what, members, ...) \
	((step)->trace == NULL ? TRACE_NONE : step_record(step, (struct event){ .kind = what, \
							   STEP_MEMBERS members }, __VA_ARGS__))
#define STEP_MEMBERS(...) __VA_ARGS__

/** Record what a check has found that decides nothing. */
#define step_note(step, check, ...) \
	STEP_RECORD(step, EVENT_CHECK, (.detail = (check), .status = EVENT_NOTE), __VA_ARGS__)

/** Record a fact about the record in force; returns its event. */
#define step_fact(step, where, ...) STEP_RECORD(step, EVENT_RECORD, (.place = (where)), __VA_ARGS__)

/** Record an event that is of no register and from no other one; returns its index. */
uint32_t
step_event(struct step *step, uint32_t parent, struct event event);

/** Record a second look at a result; returns its event. */
#define step_repair(step, ...) STEP_RECORD(step, EVENT_REPAIR, (.value = 0), __VA_ARGS__)

/** The event of a register of the callee as an input of this attempt. */
uint32_t
step_input(struct step *step, int reg);

/** Record a named input that is no register, with where it came from. */
#define step_named_input(step, of, with, where, ...) \
	STEP_RECORD(step, EVENT_INPUT, \
		    (.value = (with), .place = (where), .name = text_of(of)), __VA_ARGS__)

/** Give a register of the caller its value, made by event `from`. */
void
step_set(struct step *step, struct frame *caller, int reg, uint64_t value, uint32_t from,
	 const char *text);

/** Say that a register of the caller has no value, and why. */
void
step_unknown(struct step *step, int reg, const char *text);

/**
 * Begin the caller's registers: none known. With the policy of stale registers the
 * callee's remain as residue.
 */
void
step_begin_caller(struct step *step, struct frame *caller, enum trust trust);

/** Keep a register of the callee in the caller; false where it has no value. */
bool
step_keep(struct step *step, struct frame *caller, int reg, const char *text);

/** Keep every register that the callee has. */
void
step_keep_all(struct step *step, struct frame *caller, const char *text);

/**
 * Run all rules of a set against the callee's registers: `.cfa` first, then `.ra`, then the
 * others, none of which sees another's result. `outcomes` has an element for each rule. Refused
 * where the set is NULL (out of memory) or says that it cannot be used, and where `.cfa` or `.ra`
 * fails; others may fail each by itself.
 */
enum verdict_kind
step_evaluate_set(struct step *step, const struct rule_set *set, struct outcome *outcomes);

/**
 * What the rules of call frame information say, then what follows from what they do not say: the
 * stack pointer is the CFA, the program counter the return address, callee-saved registers are
 * unchanged (method_stack_cfi.c).
 */
void
step_fill_caller(struct step *step, const struct rule_set *set, const struct outcome *outcomes,
		 struct frame *caller);

/** Whether the caller's frame pointer by `set` rests on one that a scan made of the callee's. */
bool
step_rests_on_guess(const struct step *step, const struct rule_set *set);

/** What rules of a walk are run in. */
struct environment
step_environment(const struct walk *walk);

/** Where what is made for a step lives: as long as its trace, or the step without one. */
struct arena *
step_arena(struct step *step);

/** The rules of a method as what-if edits have them; `set` itself where there are none. */
const struct rule_set *
step_edited_rules(struct step *step, const struct rule_set *set);

/**
 * Give the caller's registers the values of the rules that name them. Where a rule fails, its
 * register is unknown for the reason `unknown`; without one (NULL) the rules are refused.
 */
enum verdict_kind
step_set_all(struct step *step, const struct rule_set *set, const struct outcome *outcomes,
	     struct frame *caller, const char *unknown);

/** Run independent rules, as they are edited, and set the caller's registers that they name. */
enum verdict_kind
step_run_rules(struct step *step, const struct rule_set *set, struct frame *caller);

/**
 * As step_run_rules, for a row that has a rule for every register a function changes: what it
 * does not name is as calls leave it. Begins the caller's registers with `trust`; without a pc or
 * a stack pointer the row is refused.
 */
enum verdict_kind
step_run_row(struct step *step, const struct rule_set *set, enum trust trust, struct frame *caller);

/** As step_run_rules, for rules written as text by a formula ("$rip: $rsp %u + ^"). */
enum verdict_kind
step_run_text(struct step *step, struct frame *caller, const char *format, ...)
	ATTRIBUTE_PRINTF(3, 4);

/**
 * As step_run_rules, for a constant text of a method; begins the caller's registers with `trust`.
 */
enum verdict_kind
step_run_constant(struct step *step, struct frame *caller, enum trust trust, const char *text);

/** The rules of a return through the link register: its pc, and the stack pointer as it is. */
enum verdict_kind
step_run_return(struct step *step, struct frame *caller);

/** The address behind the call that the link register tells of. */
uint64_t
step_link_return(const struct step *step);

/** What a caller's pc has more than its return address (POLICY_LONG_CALL_STEPS). */
int
step_return_step(const struct step *step);

/**
 * Whether the callee has a frame record of its own: it holds this return address too, or (of a
 * leaf on RISC-V) a saved frame pointer in its place.
 */
bool
step_return_is_saved(const struct step *step, uint64_t return_address);

/** With the policy of stale registers, let rules use the callee's residues too. */
void
step_use_residue(struct step *step);

/**
 * pc, ra and sp of a caller on mips, by the outcomes of the rules for `.cfa`, ra (NULL: it has
 * none that counts) and `.ra`.
 */
void
step_return_on_mips(struct step *step, const struct outcome *cfa, const struct outcome *own_link,
		    const struct outcome *return_address, struct frame *caller);

/** Whether a return address ends a stack of mips, where the pc does not tell; says why. */
bool
step_is_bottom_on_mips(struct step *step, const struct outcome *return_address);

/**
 * Whether the callee's records count its CFA from a register that is neither stack nor frame
 * pointer: then it aligns its stack and keeps the CFA in memory, which dumpers cannot write, and
 * the register is another by now (method_realigned.c).
 */
bool
step_realigns(const struct step *step);

/** Read a word of memory without a trace. */
bool
step_read(const struct step *step, uint64_t address, uint64_t *value);

/**
 * The function that symbols have around an address of the process, with its own address there;
 * `covering`: only a FUNC that covers it. False where the address has no symbols or no name.
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
 * Look for a word on the stack that looks like a return address, from `start` on, at most
 * `words` of them. Every word looked at is a candidate in the trace, with the reason why
 * it was refused. (Unwinding semantics: Breakpad's ScanForReturnAddress.)
 */
bool
step_scan(struct step *step, uint64_t start, uint32_t words, uint64_t *slot, uint64_t *value);

/** step_scan() behind the first `passed` words, however few a scan reads. */
bool
step_scan_behind(struct step *step, uint64_t start, uint32_t passed, uint32_t words,
		 uint64_t *slot, uint64_t *value);

/**
 * How many words from the stack pointer on Wine has laid there for a callback, 0 if none: behind
 * the return address deadbabe a number, a pointer to the arguments, their length, 0 and the
 * arguments, then the return address of the function that called the system (Wine 6 to 8,
 * dlls/ntdll/unix/signal_x86_64.c and signal_i386.c, KeUserModeCallback).
 */
uint32_t
step_callback_words(const struct step *step);

/**
 * Whether words between the stack pointer and `frame`, which the frame pointer leads to, look
 * like return addresses that following it would skip.
 */
bool
step_leads_over_calls(struct step *step, uint64_t frame);

/** How many words a scan from this frame looks at. */
uint32_t
step_scan_words(const struct step *step);

/**
 * Whether a return address points behind code of a loaded module that has a name there, and
 * behind a call where the code is known.
 */
bool
step_looks_like_return(struct step *step, uint64_t value, const char **why_not);

/** As step_looks_like_return, and whether a call can have left the word at `slot`. */
bool
step_is_candidate(struct step *step, uint64_t slot, uint64_t value, const char **why_not);

/** Whether the frames and words around a candidate of a scan do not speak against it. */
bool
step_fits_context(struct step *step, uint64_t slot, uint64_t value, const char **why_not);

/**
 * How many words from `from` on stand before one that more proves to be a return address than how
 * it looks: a scan passes them. 0 where there is none within POLICY_SCAN_PROVEN words.
 */
uint32_t
step_words_to_proven(struct step *step, uint64_t from);

/** Whether a word is an unwinder's copy of a return address. */
bool
step_is_unwinder_copy(const struct step *step, uint64_t slot, uint64_t value);

/** Whether the ABI says where in memory return addresses can stand, and the policy heeds it. */
bool
step_knows_return_slots(const struct step *step);

/** Whether the callee, or a frame below it, is in the program's own code. */
bool
step_is_above_program(const struct step *step);

enum step_code {
	STEP_CODE,		/* in a module, in memory that may be executed */
	STEP_NO_CODE,		/* known to be no code */
	STEP_UNKNOWN_CODE,	/* nothing is known */
};

/** Whether `address` can be code, by modules, memory maps and stacks. */
enum step_code
step_code_at(const struct step *step, uint64_t address);

/**
 * The STACK WIN record that covers an address of a module: one with a program first. False where
 * none does, as without a symbol file.
 */
bool
step_stack_win(const struct walk *walk, const struct symfile *symfile, uint64_t relative,
	       struct stack_win *record);

/**
 * The size of the parameters of the callee's function (STACK WIN, else FUNC, else PUBLIC where
 * the policy says so); -1 where nothing tells.
 */
int64_t
step_parameters(struct step *step);

/** As step_parameters, as Breakpad keeps it with a frame: never from a PUBLIC. */
int64_t
step_recorded_parameters(struct step *step);

/** Strip pointer authentication bits from the caller's pc, and say so where there were any. */
void
step_strip_pc(struct step *step, struct frame *caller);

/** Strip pointer authentication bits from a code address. */
uint64_t
step_strip(const struct step *step, uint64_t address);

/** The checks that every caller must pass before it is taken. */
enum verdict_kind
step_check_caller(struct step *step, struct frame *caller);

/** Record whether the caller's call instruction leads to the callee. */
void
step_compare_call(struct step *step, const struct frame *caller);

/** Whether the callee's function ends the stack; the reason is remembered. */
bool
step_is_outermost(struct step *step);

/** End the stack at a caller that would be at `pc`, where nothing can run (stack_end.c). */
enum verdict_kind
step_end_at_no_code(struct step *step, uint64_t pc);

/** Remember why the stack ends where no method found a caller (stack_end.c). */
void
step_explain_end(struct step *step);

#endif
