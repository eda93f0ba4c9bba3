/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "base/error.h"
#include "dump/dump.h"
#include "report/stack/fold.h"
#include "report/markdown.h"
#include "report/stack/walk_json.h"
#include "report/stack/walk_text.h"
#include "walk/walk.h"

static struct walk *
walk_thread(const struct cmd_input *input, const struct cmd_options *options,
	    const struct walk_text_thread *thread)
{
	struct walk *walk =
		walk_create(&input->crash, input->symbols, input->binaries, thread->index,
			    &options->policy);

	if (walk != NULL)
		walk_run(walk, 0);
	return walk;
}

static bool
print_thread(const struct cmd_input *input, const struct cmd_options *options,
	     const struct walk_text_thread *thread, const struct walk_text_options *text)
{
	const struct output output = cmd_output();
	struct walk *walk = walk_thread(input, options, thread);

	if (walk == NULL)
		return false;
	walk_text_thread(&output, walk, thread, text);
	walk_free(walk);
	return true;
}

/* Whether the options ask for this thread. */
static bool
is_chosen(const struct cmd_options *options, const struct walk_text_thread *thread)
{
	if (options->requesting_only || options->brief || options->backtrace)
		return thread->requesting;
	return options->thread < 0 || (size_t)options->thread == thread->number;
}

/* What the words on a stack are called depends on the symbols that all threads ask for. */
static void
load_symbols(const struct cmd_input *input, const struct cmd_options *options,
	     const struct walk_text_thread *threads, size_t count)
{
	for (size_t i = 0; i < count; i++)
		walk_free(walk_thread(input, options, &threads[i]));
}

static void
note_modules(const struct cmd_input *input, const struct cmd_options *options,
	     const struct walk_text_thread *thread, const struct walk_text_options *text)
{
	struct walk *walk = walk_thread(input, options, thread);

	for (size_t i = 0; walk != NULL && i < walk->count; i++)
		if (walk->frames[i].module != MODULE_NONE)
			text->walked[walk->frames[i].module] = true;
	walk_free(walk);
}

static int
compare_numbers(const void *left, const void *right)
{
	const size_t a = *(const size_t *)left, b = *(const size_t *)right;

	return a < b ? -1 : a > b;
}

/* Name the threads of each group for its leader. */
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
	/* Filling a group moves its beginning to its end. */
	for (size_t i = 0; i < count; i++)
		numbers[ends[walks[i].leader]++] = threads[i].number;
	for (size_t i = 0, first = 0; i < count; first = ends[i++]) {
		size_t members = ends[i] - first;
		char *text = members > 1 ? arena_alloc(arena, SIZE) : NULL;

		if (text == NULL)
			continue;
		qsort(numbers + first, members, sizeof(*numbers), compare_numbers);
		threads[i].same = fold_numbers(numbers + first, members, text, SIZE);
		threads[i].same_count = members;
	}
}

/*
 * Keep one thread of those with the same frames. All are walked for it, the ones that are kept
 * once more when they are printed, one at a time.
 */
static size_t
fold_same_threads(const struct cmd_input *input, const struct cmd_options *options,
		  struct walk_text_thread *threads, size_t count, struct arena *arena)
{
	struct fold_thread *same = arena_array(arena, count, sizeof(*same));
	struct walk **walks = arena_array(arena, count, sizeof(struct walk *));
	size_t kept = 0, chosen = 0;

	if (same == NULL || walks == NULL)
		return count;
	for (size_t i = 0; i < count; i++) {
		struct fold fold = { 0 };

		if (!is_chosen(options, &threads[i]))
			continue;
		threads[chosen] = threads[i];
		walks[chosen] = walk_thread(input, options, &threads[i]);
		if (walks[chosen] != NULL)
			fold_update(&fold, walks[chosen]);
		same[chosen] = (struct fold_thread){ walks[chosen], fold.hash, chosen };
		chosen++;
		fold_free(&fold);
	}
	fold_threads(same, chosen, arena);
	name_groups(threads, same, chosen, arena);
	for (size_t i = 0; i < chosen; i++) {
		walk_free(walks[i]);
		if (same[i].leader == i)
			threads[kept++] = threads[i];
	}
	return kept;
}

static enum cmd_status
print_json(const struct cmd_input *input, const struct cmd_options *options)
{
	const struct output output = cmd_output();
	const struct walk_json_options json = {
		.pretty = options->pretty,
		.fold = options->fold,
		.only_requesting = options->requesting_only || options->brief ||
				   options->backtrace,
		.only_thread = options->thread,
		.compat = options->compat,
	};

	long count = 0;

	for (size_t i = 0; i < input->crash.thread_count; i++)
		count += !input->crash.threads[i].wrote_dump;
	if (options->thread >= count) {
		fprintf(stderr, "unspool: there is no thread %ld; the dump has %ld\n",
			options->thread, count);
		return CMD_USAGE;
	}
	return walk_json(&output, &input->crash, input->symbols, input->binaries,
			 &options->policy, &json)
		       ? CMD_DONE
		       : CMD_UNREADABLE;
}

/* What happened needs the crashed thread's walk, which comes first among the threads, too. */
static bool
print_markdown_summary(const struct cmd_input *input, const struct cmd_options *options,
		       const struct walk_text_thread *first)
{
	const struct output output = cmd_output();
	struct walk *walk = first != NULL && first->requesting
				    ? walk_thread(input, options, first)
				    : NULL;
	struct analysis *analysis = analysis_create(&input->crash, walk, input->binaries);

	if (analysis != NULL)
		markdown_summary(&output, analysis, walk);
	analysis_free(analysis);
	walk_free(walk);
	return analysis != NULL;
}

static enum cmd_status
print_markdown(const struct cmd_input *input, const struct cmd_options *options)
{
	const struct output output = cmd_output();
	struct walk_text_thread *threads;
	struct arena arena;
	bool good, any = false;

	arena_init(&arena, 0);
	size_t count = walk_text_threads(&input->crash, &arena, &threads);
	good = print_markdown_summary(input, options, count > 0 ? threads : NULL);
	for (size_t i = 0; i < count && good; i++) {
		if (!is_chosen(options, &threads[i]))
			continue;
		struct walk *walk = walk_thread(input, options, &threads[i]);

		good = walk != NULL;
		any = true;
		if (good)
			markdown_thread(&output, walk, &threads[i]);
		walk_free(walk);
	}
	if (!options->brief && !options->backtrace)
		markdown_modules(&output, &input->crash, input->symbols);
	arena_free(&arena);
	if (options->thread >= 0 && !any) {
		fprintf(stderr, "unspool: there is no thread %ld; the dump has %zu\n",
			options->thread, count);
		return CMD_USAGE;
	}
	return good ? CMD_DONE : CMD_UNREADABLE;
}

static enum cmd_status
print_walks(const struct cmd_input *input, const struct cmd_options *options)
{
	struct walk_text_options text = {
		.machine = options->machine,
		.breakpad = options->compat == POLICY_BREAKPAD,
		.rust = options->compat == POLICY_RUST_MINIDUMP,
		.brief = options->brief,
		.backtrace = options->backtrace,
		.stack = options->stack,
		.fold = options->fold,
		.only_thread = options->thread,
	};
	const struct output output = cmd_output();
	struct walk_text_thread *threads;
	struct arena arena;
	bool good = true, any = false;

	const struct stream *repeated = crash_repeated_stream(&input->crash);
	if (repeated != NULL && options->policy.value[POLICY_REPEATED_STREAMS_VOID]) {
		fprintf(stderr, "unspool: the dump has two streams '%s', which Breakpad refuses\n",
			repeated->name);
		return CMD_UNREADABLE;
	}
	arena_init(&arena, 0);
	size_t count = walk_text_threads(&input->crash, &arena, &threads);
	text.walked = arena_array(&arena, input->crash.module_count + 1, sizeof(*text.walked));
	if (text.walked == NULL)
		return CMD_UNREADABLE;
	if (text.stack)
		load_symbols(input, options, threads, count);
	walk_text_head(&output, &input->crash, &options->policy, &text);
	if (options->backtrace && (count == 0 || !threads[0].requesting))
		output_format(&output, " <no crashing or requesting dump thread identified>\n");
	if (options->fold && !options->machine)
		count = fold_same_threads(input, options, threads, count, &arena);
	for (size_t i = 0; i < count && good; i++) {
		if (!is_chosen(options, &threads[i])) {
			/* Breakpad walks them all the same, and judges the modules that it saw. */
			if (text.breakpad && !text.machine && !text.backtrace)
				note_modules(input, options, &threads[i], &text);
			continue;
		}
		any = true;
		good = print_thread(input, options, &threads[i], &text);
	}
	walk_text_tail(&output, &input->crash, input->symbols, &options->policy, &text);
	arena_free(&arena);
	if (text.only_thread >= 0 && !any) {
		fprintf(stderr, "unspool: there is no thread %ld; the dump has %zu\n",
			text.only_thread, count);
		return CMD_USAGE;
	}
	return good ? CMD_DONE : CMD_UNREADABLE;
}

/* Before each of several dumps: a line that no dump's own output has. */
static void
print_heading(const struct cmd_options *options, const char *path, bool first)
{
	const struct output output = cmd_output();

	if (options->machine) {
		output_format(&output, "Dump|");
		output_field(&output, text_of(path));
		output_format(&output, "\n");
	} else {
		output_format(&output, "%sDump: ", first ? "" : "\n");
		output_text(&output, text_of(path));
		output_format(&output, "\n\n");
	}
}

/* What walks share when there are several of them. */
struct batch {
	const struct cmd_options *options;
	struct symbols_cache *symbols;
	const char **dumps;
	size_t dump_count;
};

static enum cmd_status
walk_dump(const struct batch *batch, size_t index, const struct cmd_options *options)
{
	struct cmd_input input;
	enum cmd_status status = cmd_input_open_shared(&input, options, batch->symbols);

	if (status == CMD_DONE)
		cmd_show_progress(&input);
	if (status == CMD_DONE) {
		if (batch->dump_count > 1 && !options->json)
			print_heading(options, batch->dumps[index], index == 0);
		status = options->json	     ? print_json(&input, options)
			 : options->markdown ? print_markdown(&input, options)
					     : print_walks(&input, options);
		status = cmd_answered(&input, options, status);
	}
	cmd_input_close(&input);
	return status;
}

/* The first path is a dump, of the others those that look like one; the rest is symbols. */
static enum cmd_status
walk_dumps(struct batch *batch, const char **paths)
{
	const struct cmd_options *options = batch->options;
	struct cmd_options one = *options;
	enum cmd_status worst = CMD_DONE;

	one.paths = paths;
	one.path_count = 1;
	for (size_t i = 0; i < options->path_count; i++) {
		if (i == 0 || dump_recognise(options->paths[i]))
			batch->dumps[batch->dump_count++] = options->paths[i];
		else
			paths[one.path_count++] = options->paths[i];
	}
	for (size_t i = 0; i < batch->dump_count; i++) {
		paths[0] = batch->dumps[i];
		enum cmd_status status = walk_dump(batch, i, &one);
		if (status > worst)
			worst = status;
	}
	return worst;
}

enum cmd_status
cmd_walk(const struct cmd_options *options)
{
	struct batch batch = { .options = options };
	enum cmd_status status = CMD_UNREADABLE;

	if (options->against != NULL)
		return cmd_against(options);
	const char **paths = calloc(options->path_count + 1, sizeof(*paths));
	batch.symbols = symbols_cache_create();
	batch.dumps = calloc(options->path_count + 1, sizeof(*batch.dumps));
	if (options->path_count == 0) {
		status = walk_dump(&batch, 0, options);
	} else if (batch.symbols != NULL && batch.dumps != NULL && paths != NULL) {
		status = walk_dumps(&batch, paths);
	} else {
		fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
	}
	symbols_cache_free(batch.symbols);
	free(batch.dumps);
	free(paths);
	return status;
}
