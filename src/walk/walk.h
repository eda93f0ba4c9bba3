/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_WALK_H
#define WALK_WALK_H

#include "base/policy.h"
#include "locate/binaries.h"
#include "crash/memory.h"
#include "crash/module_map.h"
#include "rules/rule_set.h"
#include "rules/trace.h"
#include "locate/symbol_store.h"
#include "walk/bottom.h"

/**
 * Walking a stack: from a thread's registers to its frames.
 *
 * A walk is immutable data, except that walk_extend adds frames to its end. Frames keep registers
 * and verdicts; to explain a frame, `unwind_step` is called again with a recorder.
 *
 * Frame numbers count physical frames; inlined calls are rows of their frame. Only the layouts of
 * minidump_stackwalk use Breakpad's numbers, which count inlined calls.
 */
enum trust {
#define TRUST(id, ...) TRUST_##id,
#include "walk/method/method.def"
	TRUST_COUNT
};

enum certainty {
	CERTAINTY_EXACT,		/* found by the context or a record of a file */
	CERTAINTY_FRAME_POINTER,
	CERTAINTY_CONVENTION,		/* found by another convention of compilers or the system */
	CERTAINTY_GUESSED,
	CERTAINTY_COUNT
};

enum method_id {
#define METHOD(id, ...) METHOD_##id,
#include "walk/method/method.def"
	METHOD_COUNT
};

enum check_id {
#define C(id, passed, failed, why) CHECK_##id,
#include "walk/check.def"
#undef C
	CHECK_COUNT
};

enum verdict_kind {
	VERDICT_TAKEN,
	VERDICT_REFUSED,	/* the method has no result; try the next one */
	VERDICT_END,		/* the stack ends here; no weaker method may continue */
};

/** The result of a step. */
struct verdict {
	enum verdict_kind kind;
	enum method_id method;	/* METHOD_COUNT: no particular method */
	bool bottom;		/* the end is the stack's bottom */
	char text[200];		/* a sentence, without a full stop */
};

/** One physical frame. Inlined calls are not frames; symbols have them. */
struct frame {
	struct registers registers;
	uint64_t lookup;	/* address for all look-ups: pc, or pc minus a call step */
	enum trust trust;
	enum method_id method;	/* method that found it; METHOD_COUNT for the context frame */
	bool guessed;		/* the frame pointer was guessed by a scan */
	bool doubtful;		/* its frame pointer may have passed over other callers */
	/* Found by another method, because a record led to an impossible caller */
	bool detour;
	bool interrupted;	/* stopped between two instructions: the pc is exact */
	bool trampoline;	/* a signal handler returns to it: no call precedes the pc */
	bool above_program;	/* one of the frame's callees is in the program's own code */
	int module;		/* index of the loaded module, or MODULE_NONE */
	int bare_module;	/* module known to keep no frame records (arm64), or MODULE_NONE */
	uint32_t scanned;	/* number of frames found by scans up to this one */
	uint32_t inlined;	/* number of inlined calls up to this one, if a limit counts them */
	int64_t parameters;	/* parameter size of the callee; -1: unknown */
	int64_t parameters_innermost;	/* parameter size of the innermost frame where known */
};

/** The values that a learner must predict before they are shown. */
enum blind {
	BLIND_OFF,
	BLIND_TOKEN,	/* the result of each token */
	BLIND_STEP,	/* the value of each register of the caller */
	BLIND_WALK,	/* the next frame; code addresses in memory are shown without names */
	BLIND_RULE,	/* each register of the caller, without its rule */
};

/** A prediction that was made or given up. */
struct prediction {
	size_t frame;
	uint32_t event;		/* event of the step; TRACE_NONE: the complete caller */
	unsigned wrong;		/* number of wrong answers */
	bool shown;		/* given up: the value was shown */
};

/** The end of the shown part of a blind walk: later parts have to be predicted. */
struct walk_horizon {
	enum blind blind;	/* BLIND_OFF: no horizon */
	size_t frame;		/* last frame shown */
	uint32_t event;		/* last event of its step that is shown */
	const struct prediction *made;	/* predictions in this thread so far */
	size_t made_count;
};

/* Words of the stack proven to be return addresses, in the range that scans have tested. */
struct proven_words {
	uint64_t from, to;		/* range whose words were tested */
	uint64_t *slots;		/* addresses in ascending order */
	size_t count, capacity;
};

struct changed_memo;
struct wide_memo;
struct overlay;

/** The edited version of a module's symbol file that a walk reads. */
struct walk_version {
	const struct symfile *symfile, *version;	/* NULL: not searched yet */
};
struct rule_cache;
struct symbol_cache;
struct symbol_snapshot;

struct walk {
	struct arena arena;
	struct arena scratch;		/* arena for the current step; emptied after it */
	const struct crash *crash;
	struct symbols *symbols;	/* NULL: none */
	struct binaries *binaries;	/* modules' own files; NULL: none */
	size_t thread;			/* index in crash->threads */
	const struct crash_context *context;	/* registers with which the walk starts */
	const struct arch *arch;
	struct policy policy;
	const struct overlay *overlay;	/* what-if edits; NULL: none */
	struct walk_version *versions;	/* one version for each module; NULL: no record is edited */
	struct walk_horizon horizon;	/* set before the walk is extended */
	struct memory_view memory;
	struct module_map modules;
	struct stack_bottom bottom;	/* unknown without POLICY_STACK_BOTTOM */
	/* The memory and the bottom of a second stack, which a signal interrupted; NULL: none */
	const struct memory_run *other_stack;
	struct stack_bottom other_bottom;
	struct rule_cache *cache;
	struct proven_words proven;
	struct symbol_cache *seen;	/* cache of symbol look-ups; NULL: none */
	/* cache of the registers that code changes; NULL: not used yet */
	struct changed_memo *changed;
	/* cache of floating-point and vector registers; NULL: not used yet */
	struct wide_memo *wide;
	struct demangle_memo *names;	/* cache of shown names; NULL: names stay mangled */
	/* the symbol files that the walk sees; NULL: all, loaded when needed */
	struct symbol_snapshot *snapshot;
	struct frame *frames;
	size_t count, capacity;
	struct stack_trust *trust;	/* trust of the frames judged so far (analysis); or NULL */
	/*
	 * The first frame where a record's impossible caller was replaced because the walk then
	 * reaches the bottom. At later frames such a caller is replaced without another trial.
	 * SIZE_MAX: none.
	 */
	size_t detour;
	enum method_id detour_method;	/* method that found the other caller there */
	bool complete;			/* no more frames will come */
	struct verdict end;		/* reason for the end, once complete */
};

/**
 * Begin the walk of a thread: on return it has the context frame, if the dump has a context.
 * `crash`, `symbols` and `binaries` (the modules' own files; or NULL) must outlive the walk.
 * NULL when out of memory.
 */
struct walk *
walk_create(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
	    size_t thread, const struct policy *policy);

/** walk_create with what-if edits (overlay.h), which must outlive the walk; NULL: none. */
struct walk *
walk_create_edited(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
		   size_t thread, const struct policy *policy, const struct overlay *overlay);

/**
 * Let a new walk use only the symbol files that are loaded by now: others count as missing even
 * after they have been read, so that a step always gives the same result. When out of memory the
 * walk waits for files as usual.
 */
void
walk_freeze_symbols(struct walk *walk);

/**
 * Whether results from a walk's first `frames` frames are still good enough. They are if the walk
 * has no other frames. For 1,024 frames or more, an unfinished walk may have up to twice as many.
 * So a screen is not recomputed for every frame.
 */
static inline bool
walk_is_little_more(const struct walk *walk, size_t frames)
{
	return frames == walk->count ||
	       (!walk->complete && frames >= 1024 && frames < walk->count &&
		walk->count - frames < frames);
}

/** The first module whose symbols a walk needed and did not have; MODULE_NONE: none. */
int
walk_missing_symbols(const struct walk *walk);

/** Whether a module's symbols were not loaded when the walk began. */
bool
walk_lacks_symbols(const struct walk *walk, int module);

void
walk_free(struct walk *walk);

/** Whether the step from a frame, or a part of it, must be predicted before it is shown. */
static inline bool
walk_is_blind(const struct walk *walk, size_t frame)
{
	return walk->horizon.blind != BLIND_OFF && frame >= walk->horizon.frame;
}

/** Whether a walk (may be NULL) ends at a frame whose caller is to be predicted. */
static inline bool
walk_hides(const struct walk *walk)
{
	return walk != NULL && walk->count > 0 && walk_is_blind(walk, walk->count - 1);
}

/** Add one frame. Returns false once the walk is complete. */
bool
walk_extend(struct walk *walk);

/** Add frames until the walk is complete or has `limit` of them (0: no limit). */
void
walk_run(struct walk *walk, size_t limit);

/**
 * The thread's context that is not walked: in a WoW64 process the 64-bit one if the walk uses the
 * 32-bit one, and vice versa. NULL if there is only one.
 */
const struct crash_context *
walk_other_context(const struct walk *walk);

/**
 * The step from frame `number` to its caller: the same walk always gives the same result. With a
 * trace, everything that happens is recorded in it. `caller` is filled if the verdict is
 * VERDICT_TAKEN.
 */
void
unwind_step(struct walk *walk, size_t number, struct trace *trace, struct frame *caller,
	    struct verdict *verdict);

/**
 * Like unwind_step, by one method alone, even if the walk would not try it. METHOD_COUNT: same as
 * unwind_step. If the method does not apply to the frame or the architecture, the verdict's method
 * is METHOD_COUNT and no attempt was made.
 */
void
unwind_step_by(struct walk *walk, size_t number, enum method_id method, struct trace *trace,
	       struct frame *caller, struct verdict *verdict);

/** The methods of the walk's architecture, in the order in which they are tried. */
size_t
walk_methods(const struct walk *walk, enum method_id methods[METHOD_COUNT]);

/** Whether the walk's policy switches a method off. */
bool
walk_method_is_off(const struct walk *walk, enum method_id method);

/**
 * The symbol file of a module of the walk's crash, loaded if needed; or NULL. A walk with edited
 * records gets the edited version of the file.
 */
const struct symfile *
walk_symfile(const struct walk *walk, int module);

/** The SFrame section of a module of the walk's crash, opened if needed; or NULL. */
const struct sframe *
walk_sframe(const struct walk *walk, int module);

/** Whether `address` is in the code where the process began, if that is known. */
bool
walk_is_in_start(const struct walk *walk, uint64_t address);

/** The tag of a trust ("cfi"), and Breakpad's sentence for it ("call frame info"). */
extern const struct trust_words {
	const char *tag, *found_by;
	enum certainty certainty;
} trust_table[TRUST_COUNT];

/** The meaning of each check if it fails, and if it passes. */
extern const char *const check_table[CHECK_COUNT][2];

/** The tag of a frame: the tag of its trust, or "win" if a STACK WIN record found it. */
const char *
frame_tag(const struct frame *frame);

/** Whether a record of a file gave a frame, rather than a convention or a guess. */
bool
frame_by_record(const struct frame *frame);

const char *
method_name(enum method_id method);

/**
 * The layout in which the kernel saved the floating-point and vector registers of frame `number`,
 * which a signal interrupted. The banks' offsets count from `*address`. NULL: unknown.
 */
const struct arch_signal_frame *
walk_saved_floats(struct walk *walk, size_t number, uint64_t *address);

/**
 * The address of the siginfo_t (on Windows, the EXCEPTION_RECORD) of the fault that interrupted
 * frame `number`. False: unknown.
 */
bool
walk_signal_information(struct walk *walk, size_t number, uint64_t *address);

/**
 * The alternate stack that the thread had (sigaltstack(2)) when the signal of frame `number`
 * arrived. False: none.
 */
bool
walk_signal_stack(struct walk *walk, size_t number, uint64_t *base, uint64_t *size);

/** The name of a method in options ("stack-cfi"). Returns `buffer`. */
const char *
method_option(enum method_id method, char *buffer, size_t size);

/** The method named `text` of `length` bytes ("stack-cfi", "SFrame"); false: unknown. */
bool
method_named(const char *text, size_t length, enum method_id *method);

/**
 * Set a policy's methods to a list ("sframe,stack-cfi") in its order. Returns NULL, or an error and
 * leaves the policy unchanged. The error is a format for printf; its argument is the list.
 */
const char *
methods_choose(struct policy *policy, const char *list);
#endif
