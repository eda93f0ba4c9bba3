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
 * Frames have physical numbers, inlined calls are rows of their frame. Only the layouts of
 * minidump_stackwalk use Breakpad's numbers, which count inlined calls.
 */
enum trust {
#define TRUST(id, ...) TRUST_##id,
#include "walk/method/method.def"
	TRUST_COUNT
};

/** How certain a way of finding frames is. */
enum certainty {
	CERTAINTY_EXACT,		/* the context, or a record of a file, says so */
	CERTAINTY_FRAME_POINTER,
	CERTAINTY_CONVENTION,		/* another habit of compilers or of the system */
	CERTAINTY_GUESSED,
	CERTAINTY_COUNT
};

enum method_id {
#define METHOD(id, ...) METHOD_##id,
#include "walk/method/method.def"
	METHOD_COUNT
};

enum check_id {
#define C(id, passed, failed) CHECK_##id,
#include "walk/check.def"
#undef C
	CHECK_COUNT
};

enum verdict_kind {
	VERDICT_TAKEN,
	VERDICT_REFUSED,	/* this method has no answer; the next one may */
	VERDICT_END,		/* the stack ends here; no weaker method may go on */
};

/** How a step ended. */
struct verdict {
	enum verdict_kind kind;
	enum method_id method;	/* METHOD_COUNT: no method in particular */
	char text[200];		/* a sentence, without a full stop */
};

/** One physical frame. Inlined calls are no frames; they are asked of the symbols. */
struct frame {
	struct registers registers;
	uint64_t lookup;	/* the address for all look-ups: pc, or pc less a call step */
	enum trust trust;
	enum method_id method;	/* that found it; METHOD_COUNT for the context frame */
	bool guessed;		/* the frame pointer is what a scan made of it */
	bool interrupted;	/* stopped between two instructions: the pc is exact */
	bool above_program;	/* a frame below it is in the program's own code */
	int module;		/* index of the loaded module, or MODULE_NONE */
	int bare_module;	/* known by now to keep no frame records (arm64); or MODULE_NONE */
	uint32_t scanned;	/* scanned frames up to this one */
	uint32_t inlined;	/* inlined calls up to this one, as far as a limit counts them */
	int64_t parameters;	/* parameter size of the next younger frame; -1: unknown */
	int64_t parameters_innermost;	/* the same of the innermost frame that has one */
};

/** What a learner predicts before it is shown. */
enum blind {
	BLIND_OFF,
	BLIND_TOKEN,	/* the value that each token leaves */
	BLIND_STEP,	/* the value of each register of the caller */
	BLIND_WALK,	/* the next frame */
};

/** A prediction that was made, or given up. */
struct prediction {
	size_t frame;
	uint32_t event;		/* of its step; TRACE_NONE: the caller as a whole */
	unsigned wrong;		/* answers before */
	bool shown;		/* the value was shown instead */
};

/** Where a blind walk is shown no further: what lies behind has to be predicted. */
struct walk_horizon {
	enum blind blind;	/* BLIND_OFF: there is no horizon */
	size_t frame;		/* the last one that is shown */
	uint32_t event;		/* of its step: the last one that is shown */
	const struct prediction *made;	/* so far, in this thread */
	size_t made_count;
};

/* Words of the stack that prove to be return addresses, as far as scans have asked. */
struct proven_words {
	uint64_t from, to;		/* what was looked at */
	uint64_t *slots;		/* ascending */
	size_t count, capacity;
};

struct changed_memo;
struct wide_memo;
struct overlay;

/** The version of a module's symbol file that a walk with edits reads. */
struct walk_version {
	const struct symfile *symfile, *version;	/* NULL: not looked for yet */
};
struct rule_cache;
struct symbol_cache;
struct symbol_snapshot;

struct walk {
	struct arena arena;
	struct arena scratch;		/* of the step that is made; emptied after it */
	const struct crash *crash;
	struct symbols *symbols;	/* NULL: none */
	struct binaries *binaries;	/* the modules' own files; NULL: none */
	size_t thread;			/* index in crash->threads */
	const struct crash_context *context;	/* that the walk starts from */
	const struct arch *arch;
	struct policy policy;
	struct symbols_policy symbols_policy;	/* which of a symbol file's records count */
	const struct overlay *overlay;	/* what-if edits; NULL: none */
	struct walk_version *versions;	/* one a module; NULL: no record is edited */
	struct walk_horizon horizon;	/* set before the walk is extended */
	struct memory_view memory;
	struct module_map modules;
	struct stack_bottom bottom;	/* of the thread's stack; unknown without the policy */
	struct rule_cache *cache;
	struct proven_words proven;
	struct symbol_cache *seen;	/* answers of symbol files; NULL: none is remembered */
	/* What code has written, as far as that was asked, or NULL */
	struct changed_memo *changed;
	/* floating-point and vector registers that were asked for, or NULL */
	struct wide_memo *wide;
	struct demangle_memo *names;	/* as they are shown; NULL: as they are */
	/* Which symbol files it sees; NULL: all, loaded when asked */
	struct symbol_snapshot *snapshot;
	struct frame *frames;
	size_t count, capacity;
	struct stack_trust *trust;	/* of the frames that were judged (analysis); or NULL */
	bool complete;			/* no more frames will come */
	struct verdict end;		/* why, once complete */
};

/**
 * Begin the walk of a thread: its context frame is there on return, if the dump has a
 * context. `crash`, `symbols` and `binaries`, the modules' own files (NULL: none), outlive the
 * walk. NULL when out of memory.
 */
struct walk *
walk_create(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
	    size_t thread, const struct policy *policy);

/** walk_create with what-if edits (overlay.h), which outlive the walk; NULL: none. */
struct walk *
walk_create_edited(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
		   size_t thread, const struct policy *policy, const struct overlay *overlay);

/**
 * Let a walk that has just been created see the symbol files that are known by now and wait for
 * none: to it the others are absent, also once they have been read, so that the same step stays
 * the same. When out of memory the walk waits as ever.
 */
void
walk_freeze_symbols(struct walk *walk);

/**
 * Whether what was found of so many frames of a walk will do for now: of all that there are, or of
 * many of one that goes on, so that a screen is not made of all frames again and again.
 */
static inline bool
walk_is_little_more(const struct walk *walk, size_t frames)
{
	return frames == walk->count ||
	       (!walk->complete && frames >= 1024 && frames < walk->count &&
		walk->count - frames < frames);
}

/** The first module whose symbols a walk wanted and did not see; MODULE_NONE: it saw them all. */
int
walk_missing_symbols(const struct walk *walk);

/** Whether a module's symbols were not known yet when the walk was begun. */
bool
walk_lacks_symbols(const struct walk *walk, int module);

void
walk_free(struct walk *walk);

/** Whether the step from a frame, or a part of it, has to be predicted before it is shown. */
static inline bool
walk_is_blind(const struct walk *walk, size_t frame)
{
	return walk->horizon.blind != BLIND_OFF && frame >= walk->horizon.frame;
}

/** Add one frame. Returns false once the walk is complete. */
bool
walk_extend(struct walk *walk);

/** Add frames until the walk is complete or has `limit` of them (0: no limit). */
void
walk_run(struct walk *walk, size_t limit);

/**
 * The context of the same thread that is not walked: of a WoW64 process the 64-bit one where the
 * walk is of the 32-bit one, and the other way round. NULL where there is but one.
 */
const struct crash_context *
walk_other_context(const struct walk *walk);

/**
 * The step from frame `number` to its caller: same walk, same answer, whatever was done
 * before. With a trace all that happens is recorded in it. `caller` is filled where the
 * verdict is VERDICT_TAKEN.
 */
void
unwind_step(struct walk *walk, size_t number, struct trace *trace, struct frame *caller,
	    struct verdict *verdict);

/**
 * unwind_step by one method alone, whether or not it would be tried: what it says by itself
 * (METHOD_COUNT: unwind_step). Where it makes no sense at all for the frame, or is none of the
 * architecture's, the verdict's method is METHOD_COUNT and no attempt was made.
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
 * The symbol file of a module of the walk's crash, loaded if need be; or NULL. Of a walk with edits
 * of records it is the version that has them.
 */
const struct symfile *
walk_symfile(const struct walk *walk, int module);

/** The SFrame section of a module of the walk's crash, opened if need be; or NULL. */
const struct sframe *
walk_sframe(const struct walk *walk, int module);

/** Whether `address` is in the code that the process began with, if that is known. */
bool
walk_is_in_start(const struct walk *walk, uint64_t address);

/** What lists call a trust ("cfi"), and Breakpad's sentence for it ("call frame info"). */
extern const struct trust_words {
	const char *tag, *found_by;
	enum certainty certainty;
} trust_table[TRUST_COUNT];

/** What failing a check means, and what passing it does. */
extern const char *const check_table[CHECK_COUNT][2];

/** The tag of a frame: its trust's, but "win" where a STACK WIN record found it. */
const char *
frame_tag(const struct frame *frame);

/** Whether a record of a file led to a frame, rather than a convention or a guess. */
bool
frame_by_record(const struct frame *frame);

const char *
method_name(enum method_id method);

/**
 * Where the kernel saved the floating-point and vector registers of frame `number`, which a signal
 * interrupted: `*address`, and the layout that has the banks' distances from there. NULL: not
 * known.
 */
const struct arch_signal_frame *
walk_saved_floats(struct walk *walk, size_t number, uint64_t *address);

/** The name of a method as options have it ("stack-cfi"). Returns `buffer`. */
const char *
method_option(enum method_id method, char *buffer, size_t size);

/** The method called `text` of `length` bytes ("stack-cfi", "SFrame"); false where none is. */
bool
method_named(const char *text, size_t length, enum method_id *method);

/**
 * Let a policy choose the methods of a list ("sframe,stack-cfi") in its order. Returns NULL, or
 * what is wrong with the list, for printf with the list as its one argument; the policy is as
 * before then.
 */
const char *
methods_choose(struct policy *policy, const char *list);
#endif
