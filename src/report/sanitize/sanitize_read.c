/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis.h"
#include "analysis/stack_trust.h"
#include "analysis/thread_state.h"
#include "base/limits.h"
#include "dump/dump.h"
#include "report/sanitize/sanitize_internal.h"
#include "report/value/locals.h"
#include "sframe/sframes.h"

/* Bytes of code kept on either side of a frame's address, as by Breakpad's writers. */
#define CODE_REACH 128u

bool
sanitize_walks_once(const struct sanitizing *sanitizing, size_t thread)
{
	const struct crash *crash = &sanitizing->logged;

	return (crash->shared_frames > 0 || thread >= sanitizing->once_from) &&
	       crash->requesting_thread != (int)thread;
}

size_t
sanitize_ways(const struct sanitizing *sanitizing, size_t thread,
	      struct sanitize_way ways[SANITIZE_WAYS])
{
	const struct policy *own = &sanitizing->options->policy;
	enum method_id methods[METHOD_COUNT];
	size_t count = 0;

	ways[count++] = (struct sanitize_way){ *own, "as the options say", true, 0 };
	if (sanitize_walks_once(sanitizing, thread))
		return count;
	/* The other walkers read only minidumps. */
	if (!sanitizing->logged.core && !sanitizing->logged.microdump) {
		ways[count++] = (struct sanitize_way){ policy_column(POLICY_BREAKPAD),
						       "by --compat breakpad", false, 0 };
		ways[count++] = (struct sanitize_way){ policy_column(POLICY_RUST_MINIDUMP),
						       "by --compat rust-minidump", false,
						       0 };
	}
	struct walk *walk = walk_create(&sanitizing->logged, NULL, NULL, thread, own);
	const size_t method_count = walk != NULL && walk->count > 0 ? walk_methods(walk, methods)
								    : 0;
	for (size_t i = 0; i < method_count; i++) {
		struct sanitize_way *way = &ways[count++];

		*way = (struct sanitize_way){ *own, method_name(methods[i]), true,
						SANITIZE_FRAMES };
		way->policy.methods[0] = (uint8_t)methods[i];
		way->policy.method_count = 1;
	}
	walk_free(walk);
	return count;
}

/* Reads the code around an address, if the dump has it and it is in a module. */
static void
read_code(const struct walk *walk, const struct frame *frame)
{
	const uint64_t low = frame->lookup > CODE_REACH ? frame->lookup - CODE_REACH : 0;

	for (uint64_t at = low; frame->module != MODULE_NONE && at < low + 2 * CODE_REACH; at++) {
		uint64_t ignored;

		if (module_map_find(&walk->modules, at) == frame->module)
			memory_read(&walk->memory, at, 1, &ignored, NULL);
	}
}

/* Tries every method on a frame. */
static void
read_methods(struct walk *walk, size_t frame)
{
	enum method_id methods[METHOD_COUNT];
	const size_t count = walk_methods(walk, methods);

	for (size_t i = 0; i < count; i++) {
		struct frame caller;
		struct verdict verdict;

		unwind_step_by(walk, frame, methods[i], NULL, &caller, &verdict);
	}
}

static void
ignore(void *context, const char *bytes, size_t length)
{
	(void)context;
	(void)bytes;
	(void)length;
}

static bool
open_locals(void *context, size_t index, struct locals_thread *thread)
{
	(void)index;
	*thread = *(struct locals_thread *)context;
	return true;
}

static void
close_locals(void *context, struct locals_thread *thread)
{
	(void)context;
	(void)thread;
}

/* Reads the memory of variables, as deep as documents show them. */
static void
read_locals(struct walk *walk)
{
	const struct output nowhere = { .write = ignore };
	struct arena arena = { 0 };
	struct memory_view memory;

	memory_view_all(&memory, walk->crash, &arena);
	struct locals_budget budget = locals_budget(walk->crash);
	struct locals_thread thread = { .budget = &budget, .walk = walk, .memory = &memory,
					.only_frame = -1 };
	const struct locals_document document = { 1, open_locals, close_locals, &thread };
	FACTS_DOCUMENT(&nowhere, false, locals, &document);
	arena_free(&arena);
}

/* Walks with the policy of the options, and reads the facts about its frames, thread and crash. */
static void
read_walk(struct sanitizing *sanitizing, size_t thread, struct walk *walk)
{
	const struct crash *crash = &sanitizing->logged;
	struct stack_trust trust;

	for (size_t i = 0; i < walk->count && i < SANITIZE_FRAMES; i++) {
		read_code(walk, &walk->frames[i]);
		if (!sanitize_walks_once(sanitizing, thread))
			read_methods(walk, i);
	}
	stack_trust_of(walk, &trust);
	thread_state_of(crash, thread, walk);
	if ((sanitizing->options->parts & COPY_PART(LOCALS)) != 0)
		read_locals(walk);
	if (crash->requesting_thread == (int)thread)
		analysis_free(analysis_create(crash, walk, sanitizing->binaries,
					      sanitizing->options->rules));
}

bool
sanitize_read(struct sanitizing *sanitizing)
{
	const struct crash *crash = &sanitizing->logged;
	struct sanitize_way ways[SANITIZE_WAYS];
	struct arena arena = { 0 };
	struct memory_view memory;
	struct sframe_bytes section;
	size_t frames = 0;

	memory_view_all(&memory, crash, &arena);
	dump_reread(crash, &memory);
	for (size_t i = 0; i < crash->module_count; i++)
		if (crash->modules[i].size > 0)
			sframe_in_memory(&memory, &crash->modules[i], &section);
	for (size_t thread = 0; thread < crash->thread_count; thread++) {
		if (frames >= LIMIT_SANITIZE_FRAMES && thread < sanitizing->once_from)
			sanitizing->once_from = thread;
		const size_t count = sanitize_ways(sanitizing, thread, ways);

		sanitizing->out->once += sanitize_walks_once(sanitizing, thread);

		for (size_t i = 0; i < count; i++) {
			struct walk *walk = walk_create(crash, sanitizing->symbols,
							sanitizing->binaries, thread,
							&ways[i].policy);

			sanitizing->used.failed |= walk == NULL;
			if (walk != NULL)
				walk_run(walk, ways[i].limit);
			if (walk != NULL && i == 0)
				read_walk(sanitizing, thread, walk);
			if (walk != NULL && i == 0)
				frames += walk->count < SANITIZE_FRAMES ? walk->count
									: SANITIZE_FRAMES;
			walk_free(walk);
		}
	}
	if (crash->requesting_thread < 0)
		analysis_free(analysis_create(crash, NULL, sanitizing->binaries,
					      sanitizing->options->rules));
	arena_free(&arena);
	memory_used_sort(&sanitizing->used);
	return !sanitizing->used.failed;
}
