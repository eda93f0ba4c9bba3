/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/walk_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/stack_trust.h"
#include "analysis/thread_state.h"
#include "base/sorted.h"
#include "report/report.h"
#include "walk/fold.h"

size_t
walk_text_threads(const struct crash *crash, struct arena *arena,
		  struct walk_text_thread **threads)
{
	struct walk_text_thread *list = arena_array(arena, crash->thread_count, sizeof(*list));
	size_t count = 0, number = 0;

	*threads = list;
	if (list == NULL)
		return 0;
	for (size_t i = 0; i < crash->thread_count; i++) {
		if (crash->threads[i].wrote_dump)
			continue;
		struct walk_text_thread thread = {
			.index = i,
			.number = number,
			.requesting = crash->requesting_thread == (int)i,
		};
		size_t at = count++;
		number++;
		if (thread.requesting) {
			memmove(list + 1, list, at * sizeof(*list));
			at = 0;
		}
		list[at] = thread;
	}
	return count;
}

SORTED_VALUES(compare_numbers, size_t)

/* Writes the numbers of each group's threads for its leader. */
static void
name_groups(struct walk_text_thread *threads, const struct fold_thread *walks, size_t count,
	    struct arena *arena)
{
	enum { SIZE = 1000 };
	size_t *ends = arena_array(arena, count + 1, sizeof(*ends));
	size_t *numbers = arena_array(arena, count, sizeof(*numbers));

	if (ends == NULL || numbers == NULL)
		return;
	for (size_t i = 0; i < count; i++)
		ends[walks[i].leader + 1]++;
	for (size_t i = 0; i < count; i++)
		ends[i + 1] += ends[i];
	/* Filling a group advances its beginning to its end. */
	for (size_t i = 0; i < count; i++)
		numbers[ends[walks[i].leader]++] = threads[i].number;
	for (size_t i = 0, first = 0; i < count; first = ends[i++]) {
		size_t members = ends[i] - first;
		char *text = members > 1 ? arena_alloc(arena, SIZE) : NULL;

		if (text == NULL)
			continue;
		qsort(numbers + first, members, sizeof(*numbers), compare_numbers);
		threads[i].same = report_numbers(numbers + first, members, text, SIZE);
		threads[i].same_count = members;
	}
}

size_t
walk_text_fold(const struct crash *crash, struct walk_text_thread *threads,
	       struct walk *const *walks, size_t count, struct arena *arena)
{
	struct fold_thread *same = arena_array(arena, count + 1, sizeof(*same));
	struct fold *folds = arena_array(arena, count + 1, sizeof(*folds));
	size_t kept = 0;

	if (same == NULL || folds == NULL)
		return count;
	for (size_t i = 0; i < count; i++) {
		struct walk *walk = walks[threads[i].index];
		const struct thread_state state =
			thread_state_of(crash, threads[i].index, walk);

		if (walk != NULL)
			fold_update(&folds[i], walk);
		same[i] = (struct fold_thread){ walk, &folds[i], thread_state_rank(&state), i };
	}
	fold_threads(same, count, arena);
	name_groups(threads, same, count, arena);
	for (size_t i = 0; i < count; i++) {
		fold_free(&folds[i]);
		if (same[i].leader == i)
			threads[kept++] = threads[i];
	}
	return kept;
}

/* A field of the machine layout after its bar. */
static void
add_field(const struct output *output, const char *text)
{
	output_plain(output, "|");
	output_field(output, text_of(text != NULL ? text : ""));
}

/* A text of an input after words of the layout. */
static void
add_text(const struct output *output, const char *words, const char *text)
{
	output_plain(output, words);
	output_text(output, text_of(text != NULL ? text : ""));
}

static bool
is_main(const struct crash *crash, const struct module *module)
{
	return !crash->microdump && crash->module_count > 0 &&
	       crash->modules[0].base == module->base;
}

static void
machine_head(const struct output *output, const struct crash *crash, const struct policy *policy)
{
	const struct crash_system *system = &crash->system;
	const int requesting = crash->requesting_thread;
	struct module_map map;
	struct arena arena = { 0 };
	long number = 0;

	output_plain(output, "OS");
	add_field(output, system->os_name);
	add_field(output, system->os_version);
	output_plain(output, "\nCPU");
	add_field(output, system->cpu_name);
	add_field(output, system->cpu_info);
	output_format(output, "|%" PRIu32 "\nGPU", system->cpu_count);
	add_field(output, system->gpu_version);
	add_field(output, system->gpu_vendor);
	add_field(output, system->gpu_renderer);
	output_plain(output, "\nCrash");
	if (crash->reason != NULL) {
		add_field(output, crash->reason);
		output_format(output, "|0x%" PRIx64 "|", crash->reason_address);
	} else {
		add_field(output, crash->assertion != NULL ? crash->assertion : "No crash");
		output_plain(output, "||");
	}
	/* Breakpad does not count the thread that wrote the dump. */
	for (int i = 0; i < requesting; i++)
		number += !crash->threads[i].wrote_dump;
	if (requesting >= 0 && !crash->threads[requesting].wrote_dump)
		output_format(output, "%ld", number);
	output_plain(output, "\n");
	module_map_build(&map, crash, policy, &arena);
	for (size_t i = 0; i < map.loaded_count; i++) {
		const struct module *module = &crash->modules[map.loaded[i].module];

		output_plain(output, "Module");
		add_field(output, place_base_name(module->code_file));
		add_field(output, module->version);
		add_field(output, place_base_name(module->debug_file));
		add_field(output, module->debug_id);
		output_format(output, "|0x%08" PRIx64 "|0x%08" PRIx64 "|%d\n", module->base,
			      module->base + module->size - 1, is_main(crash, module));
	}
	arena_free(&arena);
	output_plain(output, "\n");
}

/* Breakpad prints the field of the address with any content. */
static void
human_reason(const struct output *output, const struct crash *crash,
	     const struct walk_text_options *options)
{
	const struct crash_cause *cause = &crash->cause;
	bool breakpad = options->breakpad || options->rust || cause->text == NULL;
	char sender[96];

	add_text(output, "Crash reason:  ", breakpad		     ? crash->reason
					    : cause->text[0] != '\0' ? cause->text
								      : "unknown");
	if (options->rust)
		output_format(output, "\nCrash address: 0x%0*" PRIx64,
			      (int)crash->system.arch->word_size * 2, crash->reason_address);
	else if (breakpad || cause->address == CRASH_ADDRESS_MEMORY)
		output_format(output, "\nCrash address: 0x%" PRIx64, crash->reason_address);
	else if (cause->address == CRASH_ADDRESS_SENDER)
		output_format(output, "\nSent by:       %s",
			      crash_describe_sender(crash, sender, sizeof(sender)));
	else if (cause->address == CRASH_ADDRESS_PC)
		output_format(output, "\nStopped at:    0x%" PRIx64, crash->reason_address);
	output_format(output, "\n");
	if (cause->note != NULL && !breakpad) {
		add_text(output, "Note: ", cause->note);
		output_plain(output, "\n");
	}
}

static void
human_head(const struct output *output, const struct crash *crash,
	   const struct walk_text_options *options)
{
	const struct crash_system *system = &crash->system;

	add_text(output, "Operating system: ", system->os_name);
	/* A core has no versions and processor names. */
	if (!crash->core)
		output_plain(output, "\n                  ");
	output_text(output, options->rust ? crash_os_version(system) : text_of(system->os_version));
	add_text(output, "\nCPU: ", system->cpu_name);
	if (system->cpu_info[0] != '\0')
		add_text(output, "\n     ", system->cpu_info);
	if (!crash->core)
		output_format(output, "\n     %" PRIu32 " CPU%s", system->cpu_count,
			      plural(system->cpu_count));
	output_plain(output, "\n\n");
	if (!options->rust && (system->gpu_version == NULL || system->gpu_version[0] == '\0')) {
		output_plain(output, "GPU: UNKNOWN\n\n");
	} else if (!options->rust) {
		add_text(output, "GPU: ", system->gpu_version);
		add_text(output, "\n     ", system->gpu_vendor);
		add_text(output, "\n     ", system->gpu_renderer);
		output_plain(output, "\n\n");
	}
	if (crash->reason != NULL)
		human_reason(output, crash, options);
	else if (!options->breakpad && !options->rust && analysis_damage(crash) > 0)
		output_format(output, "Crash reason:  %s\n", analysis_no_reason(crash));
	else
		output_format(output, "No crash\n");
	if (crash->assertion != NULL) {
		add_text(output, "Assertion: ", crash->assertion);
		output_plain(output, "\n");
	}
	uint32_t created = crash->misc.has_times ? crash->misc.create_time : 0;
	if (crash->time != 0 && created != 0 && crash->time >= created)
		output_format(output, "Process uptime: %" PRIu32 " seconds\n",
			      crash->time - created);
	else
		output_format(output, "Process uptime: not available\n");
	if (options->rust)
		output_format(output, "\n");
}

void
walk_text_head(const struct output *output, const struct crash *crash,
	       const struct policy *policy, const struct walk_text_options *options)
{
	if (options->machine)
		machine_head(output, crash, policy);
	else if (!options->backtrace)
		human_head(output, crash, options);
}

/* Whether the layout is unspool's own, which has more facts than Breakpad's. */
static bool
is_ours(const struct walk_text_options *options)
{
	return !options->machine && !options->breakpad && !options->rust && !options->backtrace;
}

/* Adds how far the thread's frames, as counted by this layout, can be trusted. */
static void
add_trust(const struct output *output, struct walk *walk)
{
	struct stack_trust trust;
	size_t inlined = 0, last = 0;
	struct arena arena = { 0 };

	stack_trust_of(walk, &trust);
	for (size_t i = 0; i < walk->count; i++) {
		struct shown_frame shown;

		shown_frame(walk, &walk->frames[i], NULL, &arena, &shown);
		inlined += shown.location.call_count - 1;
		if (i + 1 == trust.trusted)
			last = i + inlined;
		arena_reset(&arena);
	}
	add_text(output, "    Stack trust: ", stack_trust_text(&trust, inlined, last, &arena));
	output_plain(output, "\n");
	const char *help = stack_trust_help(&trust, walk, &arena);
	if (help != NULL) {
		add_text(output, "                 ", help);
		output_plain(output, "\n");
	}
	arena_free(&arena);
}

/* Adds what the thread was doing; the crashed thread has that in its heading. */
static void
add_state(const struct output *output, struct walk *walk)
{
	const struct thread_state state = thread_state_of(walk->crash, walk->thread, walk);
	struct shown_frame waits;
	struct arena arena = { 0 };

	if (!thread_state_tells(&state))
		return;
	add_text(output, "State: ", thread_state_text(&state, &arena));
	if (state.kind == THREAD_STATE_WAITING) {
		shown_frame(walk, &walk->frames[state.waits_frame], NULL, &arena, &waits);
		output_plain(output, ", in ");
		output_text(output, shown_call(&waits, state.waits_call)->name);
	}
	output_plain(output, "\n");
	arena_free(&arena);
}

void
walk_text_thread(const struct output *output, struct walk *walk,
		 const struct walk_text_thread *thread, const struct walk_text_options *options)
{
	const struct crash *crash = walk->crash;
	const char *name = crash->threads[walk->thread].name;

	if (!options->machine) {
		output_format(output, "%sThread %zu",
			      options->backtrace || options->rust ? "" : "\n", thread->number);
		if (options->rust)
			add_text(output, " ", name);
		if (thread->requesting)
			output_format(output, " (%s)",
				      crash->reason != NULL ? "crashed"
							    : "requested dump, did not crash");
		if (name != NULL && !options->breakpad && !options->rust)
			add_text(output, " - ", name);
		if (options->rust)
			output_format(output, " - tid: %" PRIu32, crash->threads[walk->thread].id);
		output_format(output, "\n");
		if (thread->same != NULL)
			output_format(output, "Threads %s: %zu with the same calls\n",
				      thread->same, thread->same_count);
		const char *context = is_ours(options) ? report_context_note(walk) : NULL;
		if (context != NULL)
			output_format(output, "Context: %s\n", context);
		if (is_ours(options))
			add_state(output, walk);
		if (walk->count == 0)
			output_format(output, " <no frames>\n");
	}
	walk_text_frames(output, walk, thread->number, options);
	if (is_ours(options) && walk->count > 0)
		add_trust(output, walk);
	if (is_ours(options) && walk->complete) {
		struct arena arena = { 0 };
		const struct shown_finding end = shown_end(walk, &arena);

		add_text(output, "    End of stack: ", end.words);
		if (end.doubt != NULL)
			add_text(output, "\n    End contradicted: ", end.doubt);
		output_plain(output, "\n");
		arena_free(&arena);
	}
	if (!options->machine && options->rust && thread->requesting)
		output_format(output, "\n");
}

static void
add_range(const struct output *output, const struct module *module)
{
	output_format(output, "0x%08" PRIx64 " - 0x%08" PRIx64, module->base,
		      module->base + module->size - 1);
	add_text(output, "  ", place_base_name(module->code_file));
}

void
walk_text_tail(const struct output *output, const struct crash *crash,
	       const struct symbols *symbols, const struct policy *policy,
	       const struct walk_text_options *options)
{
	struct module_map map;
	struct arena arena = { 0 };

	if (options->machine || options->brief || options->backtrace)
		return;
	module_map_build(&map, crash, policy, &arena);
	output_format(output, "\nLoaded modules:\n");
	for (size_t i = 0; i < map.loaded_count; i++) {
		const struct module *module = &crash->modules[map.loaded[i].module];

		add_range(output, module);
		add_text(output, "  ", module->version[0] != '\0' ? module->version : "???");
		if (is_main(crash, module))
			output_format(output, "  (main)");
		/* A module with frames but without good symbols has a warning. */
		const size_t index = map.loaded[i].module;
		const struct symfile *symfile =
			symbols != NULL ? symbols_peek(symbols, index, NULL) : NULL;
		if (options->walked[index] && !options->rust &&
		    (symfile == NULL || symfile_corrupt(symfile))) {
			output_format(output, "  (WARNING: %s symbols",
				      symfile == NULL ? "No" : "Corrupt");
			add_text(output, ", ", place_base_name(module->debug_file));
			add_text(output, ", ", module->debug_id);
			output_plain(output, ")");
		}
		output_format(output, "\n");
	}
	if (options->rust)
		output_plain(output, "\nUnloaded modules:\n");
	for (size_t i = 0; options->rust && i < crash->unloaded_count; i++) {
		add_range(output, &crash->unloaded[i]);
		output_plain(output, "\n");
	}
	arena_free(&arena);
}
