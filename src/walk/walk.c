/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/walk.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/demangle.h"
#include "base/error.h"
#include "base/limits.h"
#include "code/call.h"
#include "sframe/sframes.h"
#include "walk/overlay.h"
#include "walk/rule_cache.h"
#include "walk/step.h"
#include "walk/symbol_at.h"

const struct trust_words trust_table[TRUST_COUNT] = {
#define TRUST(id, tag, found_by, role, certainty) \
	[TRUST_##id] = { tag, found_by, CERTAINTY_##certainty },
#include "walk/method/method.def"
};

const char *const check_table[CHECK_COUNT][2] = {
#define C(id, passed, failed, why) [CHECK_##id] = { failed, passed },
#include "walk/check.def"
#undef C
};

const char *
frame_tag(const struct frame *frame)
{
	bool win = frame->method == METHOD_STACK_WIN && frame->trust == TRUST_CFI;

	return win ? "win" : trust_table[frame->trust].tag;
}

bool
frame_by_record(const struct frame *frame)
{
	return frame->method != METHOD_COUNT &&
	       methods[frame->method].source == METHOD_BY_RECORDS &&
	       frame->trust != TRUST_SCAN && frame->trust != TRUST_CFI_SCAN;
}

const char *
method_name(enum method_id method)
{
	return method < METHOD_COUNT ? methods[method].name : "";
}

struct symbol_snapshot {
	uint64_t moment;
	int missing;		/* first module whose file was unknown then, or MODULE_NONE */
};

void
walk_freeze_symbols(struct walk *walk)
{
	struct symbol_snapshot *snapshot = arena_alloc(&walk->arena, sizeof(*snapshot));

	if (walk->symbols == NULL || snapshot == NULL)
		return;
	*snapshot = (struct symbol_snapshot){ symbols_moment(walk->symbols), MODULE_NONE };
	walk->snapshot = snapshot;
}

int
walk_missing_symbols(const struct walk *walk)
{
	return walk->snapshot != NULL ? walk->snapshot->missing : MODULE_NONE;
}

/* Finds the file that a walk with a snapshot sees; false: unknown at the time of the snapshot. */
static bool
known_symfile(const struct walk *walk, int module, const struct symfile **symfile)
{
	return symbols_known_at(walk->symbols, (size_t)module, walk->snapshot->moment, symfile);
}

bool
walk_lacks_symbols(const struct walk *walk, int module)
{
	const struct symfile *symfile;

	return walk->snapshot != NULL && module != MODULE_NONE &&
	       !known_symfile(walk, module, &symfile);
}

/* The version of a file that a walk with edited records reads, found once. */
static const struct symfile *
version_of(const struct walk *walk, int module, const struct symfile *symfile)
{
	struct walk_version *known = &walk->versions[module];

	if (known->symfile != symfile)
		*known = (struct walk_version){ symfile, symbols_version(walk->symbols, symfile,
								&walk->overlay->records) };
	return known->version;
}

const struct symfile *
walk_symfile(const struct walk *walk, int module)
{
	const struct symfile *symfile;

	if (walk->symbols == NULL || module == MODULE_NONE)
		return NULL;
	if (walk->snapshot == NULL) {
		symfile = symbols_load(walk->symbols, (size_t)module);
	} else if (!known_symfile(walk, module, &symfile)) {
		if (walk->snapshot->missing == MODULE_NONE)
			walk->snapshot->missing = module;
		return NULL;
	}
	if (symfile != NULL && walk->versions != NULL)
		symfile = version_of(walk, module, symfile);
	return symfile_under(symfile, &walk->policy);
}

const struct sframe *
walk_sframe(const struct walk *walk, int module)
{
	if (module == MODULE_NONE)
		return NULL;
	return sframes_load(walk->binaries, (size_t)module);
}

struct symbol_sources
walk_symbol_sources(const struct walk *walk, int module)
{
	return (struct symbol_sources){
		.symfile = walk_symfile(walk, module), .binaries = walk->binaries,
		.module = (size_t)module, .base = walk->crash->modules[module].base,
		.policy = &walk->policy, .cache = walk->seen, .names = walk->crash->names };
}

bool
walk_symbol_own(const struct walk *walk, int module, uint64_t address, struct symbol *symbol)
{
	const struct symbol_sources own = { .binaries = walk->binaries, .module = (size_t)module,
					    .base = walk->crash->modules[module].base,
					    .policy = &walk->policy };

	return (symbol_at(&own, address, NULL, symbol) && !symbol->uncertain) ||
	       symbol_at_data(&own, address, symbol);
}

/* The code at a process's entry point makes one call, within this many bytes. */
#define LONGEST_START 96u

bool
walk_is_in_start(const struct walk *walk, uint64_t address)
{
	const uint64_t entry = walk->bottom.entry;
	const char *source;
	uint64_t bound;

	if (entry == 0 || address - entry >= LONGEST_START)
		return false;
	const int module = module_map_find(&walk->modules, entry);
	if (module == MODULE_NONE)
		return true;
	/*
	 * A program's own start code may be shorter (musl's has 22 bytes on amd64), so `address`
	 * may be in the next function.
	 */
	const struct symbol_sources sources = walk_symbol_sources(walk, module);
	return name_check(&sources, entry - sources.base, address - sources.base, &bound,
			  &source) != NAME_PASSED;
}

/* The number of inlined calls that Breakpad would list with a frame and count for its limit. */
static uint32_t
inlined_calls(struct walk *walk, const struct frame *frame)
{
	const struct symfile *symfile = walk_symfile(walk, frame->module);

	if (symfile == NULL)
		return 0;
	return (uint32_t)symbol_cache_inlined(walk->seen, symfile, &walk->policy,
					      frame->lookup -
						      walk->crash->modules[frame->module].base);
}

/*
 * The inlined calls that the next frame adds to the count. No walk of fewer than `counted` frames
 * reaches the limit, so earlier frames are counted only once the walk has that many.
 */
static uint32_t
inlined_more(struct walk *walk, const struct frame *frame)
{
	const size_t counted = LIMIT_FRAMES / LIMIT_INLINE_DEPTH;
	uint32_t count = 0;

	if (walk->seen == NULL || walk->count < counted)
		return 0;
	for (size_t i = 0; i < counted && walk->count == counted; i++)
		count += inlined_calls(walk, &walk->frames[i]);
	return count + inlined_calls(walk, frame);
}

/* Applies the user's edits of the frame's registers before anything is looked up by them. */
static void
edit_registers(const struct walk *walk, struct frame *frame)
{
	const uint64_t back = frame->registers.value[walk->arch->pc] - frame->lookup;

	for (int reg = 0; reg < walk->arch->register_count; reg++) {
		const struct overlay_edit *edit =
			overlay_edit_of(walk, walk->count, OVERLAY_REGISTER, reg);

		if (edit == NULL)
			continue;
		registers_set(&frame->registers, reg, edit->value);
		if (!edit->known)
			frame->registers.known &= ~(UINT64_C(1) << reg);
		if (reg == walk->arch->pc)
			frame->lookup = arch_wrap(walk->arch, edit->value - back);
	}
}

/*
 * Finds the bottom of the stack at `sp`. Many threads of a hostile dump may share a large stack:
 * only one of them searches it.
 */
static void
find_bottom(const struct walk *walk, uint64_t sp, struct stack_bottom *bottom)
{
	const struct memory_run *run = walk->crash->shared_bytes == 0
					       ? NULL : memory_run_of(&walk->memory, sp);

	if (walk->policy.value[POLICY_STACK_BOTTOM] &&
	    (run == NULL || run->size - (sp - run->base) <= walk->crash->shared_bytes ||
	     (int)walk->thread == walk->crash->requesting_thread))
		stack_bottom_find(bottom, walk->arch, &walk->memory, &walk->modules, sp);
}

/* Finds the bottom of the interrupted stack if the signal's handler runs on another stack. */
static void
find_other_bottom(struct walk *walk, const struct frame *frame)
{
	const int sp = walk->arch->sp;
	const uint64_t at = frame->registers.value[sp];
	const struct memory_run *run =
		frame->interrupted && walk->other_stack == NULL
			? memory_run_of(&walk->memory, at) : NULL;

	if (run == NULL || walk->count == 0 ||
	    run == memory_run_of(&walk->memory, walk->frames[0].registers.value[sp]))
		return;
	walk->other_stack = run;
	find_bottom(walk, at, &walk->other_bottom);
}

static bool
append(struct walk *walk, const struct frame *frame)
{
	struct frame *frames = walk->frames;

	if (walk->count == walk->capacity) {
		size_t capacity = walk->capacity == 0 ? 4 : walk->capacity * 2;

		frames = realloc(walk->frames, capacity * sizeof(*frames));
		if (frames == NULL)
			return false;
		walk->frames = frames;
		walk->capacity = capacity;
	}
	struct frame *added = &frames[walk->count];
	*added = *frame;
	if (walk->overlay != NULL)
		edit_registers(walk, added);
	added->module = module_map_find(&walk->modules, added->lookup);
	added->inlined += inlined_more(walk, added);
	find_other_bottom(walk, added);
	if (added->trust == TRUST_SCAN || added->trust == TRUST_CFI_SCAN ||
	    added->trust == TRUST_NONE)
		added->scanned++;
	walk->count++;
	return true;
}

const struct stack_bottom *
walk_bottom(const struct walk *walk, uint64_t sp)
{
	const struct memory_run *other = walk->other_stack;

	return other != NULL && sp - other->base < other->size ? &walk->other_bottom
							       : &walk->bottom;
}

/* Ends a walk. A crash may have tens of thousands of threads, so unneeded memory is freed. */
static void
complete(struct walk *walk, const struct verdict *end)
{
	arena_free(&walk->scratch);
	rule_cache_trim(walk->cache);
	struct frame *frames = realloc(walk->frames, (walk->count + 1) * sizeof(*frames));
	if (frames != NULL) {
		walk->frames = frames;
		walk->capacity = walk->count + 1;
	}
	walk->complete = true;
	walk->end = *end;
}

static void
end_walk(struct walk *walk, const char *text)
{
	struct verdict end = { .kind = VERDICT_END, .method = METHOD_COUNT };

	snprintf(end.text, sizeof(end.text), "%s", text);
	complete(walk, &end);
}

static bool
is_readable(const struct walk *walk, const struct crash_context *context)
{
	if (context == NULL || !context->present)
		return false;
	if (!walk->policy.value[POLICY_RARE_PROCESSORS] && walk->arch->rust_unread)
		return false;
	return !walk->policy.value[POLICY_XSTATE_UNREAD] || walk->arch->rust_xstate ||
	       context->size == context->plain_size;
}

/*
 * Instructions of arm64 that save the link register x30 on the stack (Arm Architecture Reference
 * Manual for A-profile, DDI 0487, C6.2: STP and STR, immediate).
 */
#define SP_BASE 0x3e0u		/* Rn is the stack pointer */
#define FRAME_POINTER 29u
#define LINK_REGISTER 30u
#define LINKER_SCRATCH 16u	/* x16: only the procedure linkage table saves it with x30 */

/* Whether an instruction saves x30 without x29. */
static bool
is_bare_save(uint32_t instruction)
{
	const uint32_t first = instruction & 31, second = instruction >> 10 & 31;
	const uint32_t pair = instruction & 0xffc003e0, single = instruction & 0xffe00fe0;

	if (pair == (0xa9800000 | SP_BASE) || pair == (0xa9000000 | SP_BASE))
		return (first == LINK_REGISTER ||
			(second == LINK_REGISTER && first != FRAME_POINTER)) &&
		       first != LINKER_SCRATCH;
	return (single == (0xf8000c00 | SP_BASE) || pair == (0xf9000000 | SP_BASE)) &&
	       first == LINK_REGISTER;
}

/* Breakpad's writers keep 256 bytes of code around the pc of a crash. */
#define CODE_REACH 128u

/*
 * The module of the crash, if the code around its pc saves a return address without a frame
 * pointer. Such a module was compiled without frame pointers, although AAPCS64 requires them, and
 * the chain of frame records skips its functions.
 */
static int
find_bare_module(const struct walk *walk)
{
	const struct crash *crash = walk->crash;

	if (!walk->arch->frame_records || walk->policy.value[POLICY_CHAIN_OVER_CALLS] ||
	    crash->requesting_thread < 0)
		return MODULE_NONE;
	const struct crash_context *context =
		crash_thread_context(crash, (size_t)crash->requesting_thread);
	if (context == NULL || context->arch != walk->arch)
		return MODULE_NONE;
	const uint64_t pc = context->registers.value[walk->arch->pc];
	const uint64_t around = pc & ~UINT64_C(3);
	for (uint64_t back = 0; back < 2 * CODE_REACH && around >= CODE_REACH; back += 4) {
		const uint64_t at = around - CODE_REACH + back;
		uint64_t value;

		if (code_read(&walk->memory, walk->binaries, at, 4, &value) &&
		    is_bare_save((uint32_t)value))
			return module_map_find(&walk->modules, pc);
	}
	return MODULE_NONE;
}

static void
begin(struct walk *walk)
{
	const struct crash_context *context = walk->context;
	const struct arch *arch = walk->arch;
	struct frame frame = { .trust = TRUST_CONTEXT, .method = METHOD_COUNT,
			       .interrupted = true, .parameters = -1,
			       .parameters_innermost = -1 };
	char text[160];

	if (!arch_known(arch)) {
		snprintf(text, sizeof(text),
			 "CPU %s: its stacks cannot be walked",
			 walk->crash->system.cpu_name);
		end_walk(walk, text);
		return;
	}
	if (!is_readable(walk, context)) {
		end_walk(walk, "the dump has no registers for this thread");
		return;
	}
	frame.bare_module = find_bare_module(walk);
	frame.registers = context->registers;
	frame.lookup = frame.registers.value[arch->pc];
	if (arch->lr != ARCH_NO_REGISTER) {
		const struct step step = { .walk = walk, .arch = arch, .policy = &walk->policy };

		frame.registers.value[arch->lr] =
			step_strip(&step, frame.registers.value[arch->lr]);
	}
	if (!append(walk, &frame))
		end_walk(walk, OUT_OF_MEMORY);
}

/*
 * Breakpad ignores the memory of some 32-bit stacks that extend beyond 4 GiB (mips has a condition
 * of its own). It also ignores the memory of any stack that ends with the last address.
 */
static void
drop_impossible_stack(struct walk *walk)
{
	const struct memory_run *stack = walk->memory.stack;

	if (stack == NULL)
		return;
	const bool beyond = stack->base + stack->size - 1 > UINT32_MAX &&
			    (walk->arch->stack_limit == ARCH_STACK_ENDS_BELOW ||
			     (walk->arch->stack_limit == ARCH_STACK_BEGINS_BELOW &&
			      stack->base <= UINT32_MAX));
	if (beyond || stack->size > UINT64_MAX - stack->base) {
		walk->memory.stack = NULL;
		walk->memory.count = 0;
	}
}

struct walk *
walk_create(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
	    size_t thread, const struct policy *policy)
{
	return walk_create_edited(crash, symbols, binaries, thread, policy, NULL);
}

struct walk *
walk_create_edited(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
		   size_t thread, const struct policy *before, const struct overlay *overlay)
{
	struct walk *walk = calloc(1, sizeof(*walk));

	if (walk == NULL)
		return NULL;
	arena_init(&walk->arena, 0);
	arena_init(&walk->scratch, 0);
	walk->overlay = overlay;
	walk->policy = overlay_policy(overlay, before);
	const struct policy *policy = &walk->policy;
	walk->crash = crash;
	walk->symbols = symbols;
	walk->binaries = binaries;
	walk->thread = thread;
	walk->detour = SIZE_MAX;
	const struct crash_context *context = crash_thread_context(crash, thread);
	if (context->native != NULL && policy->value[POLICY_NATIVE_CONTEXT])
		context = context->native;
	walk->context = context;
	walk->arch = context->arch != NULL ? context->arch : crash->system.arch;
	/* Breakpad treats every process of SPARC as a 32-bit process. */
	if (walk->arch->narrow != NULL && policy->value[POLICY_SPARC_FRAME_SKIPPED])
		walk->arch = walk->arch->narrow;
	walk->seen = symbol_cache_create();
	walk->names = crash->demangled != NULL ? crash->demangled : demangle_memo_create();
	walk->cache = rule_cache_create();
	if (overlay != NULL && overlay->records.count > 0)
		walk->versions = arena_array(&walk->arena, crash->module_count + 1,
					     sizeof(*walk->versions));
	if (walk->cache == NULL) {
		walk_free(walk);
		return NULL;
	}
	const struct memory_scope scope = {
		.stack_only = policy->value[POLICY_STACK_ONLY] != 0,
		.by_descriptor = policy->value[POLICY_STACK_BY_DESCRIPTOR] != 0,
	};
	memory_view_thread(&walk->memory, crash, thread, scope, &walk->arena);
	if (policy->value[POLICY_STACK_ONLY])
		drop_impossible_stack(walk);
	module_map_build(&walk->modules, crash, policy, &walk->arena);
	begin(walk);
	if (walk->count > 0)
		find_bottom(walk, walk->frames[0].registers.value[walk->arch->sp], &walk->bottom);
	return walk;
}

const struct crash_context *
walk_other_context(const struct walk *walk)
{
	const struct crash_context *context = crash_thread_context(walk->crash, walk->thread);

	return walk->context == context ? context->native : context;
}

void
walk_free(struct walk *walk)
{
	if (walk == NULL)
		return;
	free(walk->frames);
	rule_cache_free(walk->cache);
	symbol_cache_free(walk->seen);
	if (walk->names != walk->crash->demangled)
		demangle_memo_free(walk->names);
	arena_free(&walk->arena);
	arena_free(&walk->scratch);
	free(walk);
}

bool
walk_extend(struct walk *walk)
{
	struct frame caller;
	struct verdict verdict;

	if (walk->complete)
		return false;
	if (walk_is_blind(walk, walk->count - 1)) {
		end_walk(walk, "hidden until it is predicted");
		return false;
	}
	const struct frame *last = &walk->frames[walk->count - 1];
	const size_t shared = walk->crash->shared_frames;
	if (shared != 0 && walk->count >= shared &&
	    (int)walk->thread != walk->crash->requesting_thread) {
		end_walk(walk,
			 "the limit of frames for threads that share their stacks is reached");
		return false;
	}
	if (walk->count + last->inlined > LIMIT_FRAMES) {
		end_walk(walk, "the limit of 1,048,576 frames is reached");
		return false;
	}
	if (walk->policy.value[POLICY_END_OF_STACK] != 0 &&
	    walk->count >= LIMIT_FRAMES_LEAST + walk->crash->file.size / walk->arch->word_size) {
		end_walk(walk, "the limit of frames for a dump of this size is reached");
		return false;
	}
	unwind_step(walk, walk->count - 1, NULL, &caller, &verdict);
	if (verdict.kind != VERDICT_TAKEN) {
		complete(walk, &verdict);
		return false;
	}
	if (!append(walk, &caller))
		end_walk(walk, OUT_OF_MEMORY);
	return !walk->complete;
}

/* Limit of frames of a trial; a longer stack counts as one that reaches the bottom. */
#define MOST_TRIED 4096u

bool
walk_reaches_bottom(struct walk *walk, size_t number, const struct frame *caller)
{
	struct crash unlogged = *walk->crash;
	struct walk *trial;
	/* Callers that other records found are no guesses. */
	size_t records = 0, guesses = !frame_by_record(caller);

	/* A sanitized dump keeps the words that walks read, but not those of a trial. */
	unlogged.log = NULL;
	trial = walk_create_edited(&unlogged, walk->symbols, walk->binaries, walk->thread,
				   &walk->policy, walk->overlay);
	if (trial == NULL)
		return false;
	trial->snapshot = walk->snapshot;
	trial->detour = 0;
	bool good = !trial->complete;
	for (size_t i = 1; i <= number + 1 && good; i++)
		good = append(trial, i <= number ? &walk->frames[i] : caller);
	if (good)
		walk_run(trial, number + 2 + MOST_TRIED);
	for (size_t i = number + 2; i < trial->count; i++) {
		const bool record = frame_by_record(&trial->frames[i]);

		records += record;
		guesses += !record && trial->frames[i].detour;
	}
	good = good && (!trial->complete || trial->end.bottom) && records >= guesses;
	walk_free(trial);
	return good;
}

void
walk_run(struct walk *walk, size_t limit)
{
	while ((limit == 0 || walk->count < limit) && walk_extend(walk))
		continue;
}
