/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/policy_rows.h"
#include "cmd/cmd.h"
#include "report/crash_report.h"
#include "report/stack/versus.h"
#include "report/stack/walk_json.h"
#include "report/stack/walk_text.h"
#include "walk/walk.h"

struct walk_command {
	struct cmd_options common;
	bool machine;
	bool brief;			/* print only the summary and the requesting thread */
	bool backtrace;			/* print only the requesting thread's frames, a line each */
	bool stack;			/* also print the words of every frame */
	bool fold;			/* print repeated frames and threads once */
	bool requesting_only;
};

/* Whether the options select only the requesting thread, unless --thread names another thread. */
static bool
is_for_requesting(const struct walk_command *own)
{
	return own->requesting_only || own->brief || own->backtrace;
}

static bool
is_chosen(const struct walk_command *own, const struct walk_text_thread *thread)
{
	if (own->common.thread >= 0)
		return (size_t)own->common.thread == thread->number;
	return thread->requesting || !is_for_requesting(own);
}

/* Print the chosen threads. Makes the walks that `walks` lacks, and frees all walks. */
static bool
print_threads(const struct cmd_input *input, const struct walk_command *own,
	      const struct walk_text_thread *threads, size_t count, struct walk **walks,
	      const struct walk_text_options *text)
{
	/* Breakpad walks all threads, and warns if a module with frames lacks symbols. */
	const bool judges = text->breakpad && !text->machine && !text->backtrace;
	bool good = true;

	for (size_t i = 0; i < count && good; i++) {
		struct walk **walk = &walks[threads[i].index];
		const bool chosen = is_chosen(own, &threads[i]);

		if (*walk == NULL && (chosen || judges))
			*walk = cmd_walk_thread(input, &own->common, threads[i].index);
		good = *walk != NULL || !chosen;
		if (*walk != NULL && chosen)
			walk_text_thread(&cmd_output, *walk, &threads[i], text);
		for (size_t k = 0; *walk != NULL && !chosen && judges && k < (*walk)->count; k++)
			if ((*walk)->frames[k].module != MODULE_NONE)
				text->walked[(*walk)->frames[k].module] = true;
		walk_free(*walk);
		*walk = NULL;
	}
	return good;
}

static enum cmd_status
print_page(const struct cmd_input *input, const struct walk_command *own)
{
	struct walk_text_thread *threads;
	struct arena arena = { 0 };
	struct page page;
	size_t named = 0;

	size_t count = walk_text_threads(&input->crash, &arena, &threads);
	/* The summary also needs the walk of the crashed thread, which is `threads[0]`. */
	struct walk *crashed = count > 0 && threads[0].requesting
				       ? cmd_walk_thread(input, &own->common, threads[0].index)
				       : NULL;
	struct analysis *analysis = analysis_create(&input->crash, crashed, input->binaries,
						    input->rules);
	const char *title = analysis != NULL ? crash_report_title(analysis, &arena) : NULL;
	bool good = title != NULL;
	page_begin(&page, own->common.page, &cmd_output, text_or_empty(title), PAGE_READ);
	if (good)
		crash_report_summary(&page, analysis, crashed);
	analysis_free(analysis);
	walk_free(crashed);
	for (size_t i = 0; i < count && good; i++) {
		if (!is_chosen(own, &threads[i]))
			continue;
		struct walk *walk = cmd_walk_thread(input, &own->common, threads[i].index);

		good = walk != NULL;
		if (good)
			crash_report_thread(&page, walk, &threads[i], NULL, &named);
		walk_free(walk);
	}
	if (!own->brief && !own->backtrace)
		crash_report_modules(&page, &input->crash, input->symbols, input->binaries);
	page_end(&page);
	arena_free(&arena);
	return good ? CMD_DONE : CMD_UNREADABLE;
}

/*
 * The second stream of a type that Breakpad reads; NULL: no such type occurs twice. Breakpad
 * refuses a dump with such a stream (google/breakpad minidump.cc, Minidump::Read).
 */
static const struct stream *
repeated_stream(const struct crash *crash)
{
	static const char *const names[] = {
		"ThreadList", "ModuleList", "MemoryList", "Exception", "SystemInfo", "MiscInfo",
		"ThreadNames", "BreakpadInfo", "CrashpadInfo",
	};
	bool seen[ARRAY_COUNT(names)] = { false };

	for (size_t i = 0; i < crash->stream_count; i++) {
		for (size_t j = 0; j < ARRAY_COUNT(names); j++) {
			if (strcmp(names[j], crash->streams[i].name) != 0)
				continue;
			if (seen[j])
				return &crash->streams[i];
			seen[j] = true;
		}
	}
	return NULL;
}

static enum cmd_status
print_walks(const struct cmd_input *input, const struct walk_command *own)
{
	struct walk_text_options text = {
		.machine = own->machine,
		.breakpad = own->common.compat == POLICY_BREAKPAD,
		.rust = own->common.compat == POLICY_RUST_MINIDUMP,
		.brief = own->brief,
		.backtrace = own->backtrace,
		.stack = own->stack,
		.fold = own->fold,
		.binaries = input->binaries,
	};
	const bool fold = own->fold && !own->machine;
	struct walk_text_thread *threads;
	struct arena arena = { 0 };
	size_t named = 0;

	text.named = &named;
	const struct stream *repeated = repeated_stream(&input->crash);
	if (repeated != NULL && own->common.policy.value[POLICY_REPEATED_STREAMS_VOID]) {
		cmd_say("the dump has two streams '%s', which Breakpad refuses", repeated->name);
		return CMD_UNREADABLE;
	}
	size_t count = walk_text_threads(&input->crash, &arena, &threads);
	struct walk **walks =
		arena_array(&arena, input->crash.thread_count + 1, sizeof(struct walk *));
	text.walked = arena_array(&arena, input->crash.module_count + 1, sizeof(*text.walked));
	if (walks == NULL || text.walked == NULL) {
		arena_free(&arena);
		return CMD_UNREADABLE;
	}
	/*
	 * Walk threads before any output. With --fold, these are the chosen threads. With --stack,
	 * these are all threads: each walk may load symbols that name words on other stacks.
	 */
	for (size_t i = 0; i < count; i++)
		if (own->stack || (fold && is_chosen(own, &threads[i])))
			walks[threads[i].index] =
				cmd_walk_thread(input, &own->common, threads[i].index);
	walk_text_head(&cmd_output, &input->crash, &own->common.policy, &text);
	if (own->backtrace && own->common.thread < 0 && (count == 0 || !threads[0].requesting))
		output_format(&cmd_output, " <no crashing or requesting dump thread identified>\n");
	if (fold) {
		size_t chosen = 0;

		for (size_t i = 0; i < count; i++)
			if (is_chosen(own, &threads[i]))
				threads[chosen++] = threads[i];
		count = walk_text_threads_fold(&input->crash, threads, walks, chosen, &arena);
	}
	const bool good = print_threads(input, own, threads, count, walks, &text);
	walk_text_tail(&cmd_output, &input->crash, input->symbols, &own->common.policy, &text);
	for (size_t i = 0; i < input->crash.thread_count; i++)
		walk_free(walks[i]);
	arena_free(&arena);
	return good ? CMD_DONE : CMD_UNREADABLE;
}

static enum cmd_status
print(struct cmd_input *input, const struct walk_command *own)
{
	size_t thread;

	/* Output in the form of another walker has no colours, even on a terminal. */
	if (own->common.compat != POLICY_UNSPOOL || own->machine)
		cmd_set_colors("never");
	if (own->common.thread >= 0 && !cmd_find_thread(input, &own->common, &thread))
		return CMD_USAGE;
	if (!own->common.json)
		return own->common.as_page ? print_page(input, own) : print_walks(input, own);
	const struct walk_json_options json = {
		.pretty = own->common.pretty,
		.fold = own->fold,
		.only_requesting = own->common.thread < 0 && is_for_requesting(own),
		.only_thread = own->common.thread,
		.signature_rules = input->rules,
		.compat = own->common.compat,
	};
	return walk_json(&cmd_output, &input->crash, input->symbols, input->binaries,
			 &own->common.policy, &json)
		       ? CMD_DONE
		       : CMD_UNREADABLE;
}

static enum cmd_status
walk_dump(const struct walk_command *own, struct symbols_cache *cache, bool several, bool *first)
{
	const struct cmd_options *options = &own->common;
	struct cmd_input input;
	enum cmd_status status = cmd_input_open(&input, options, options->paths[0], cache, NULL);

	if (status == CMD_DONE) {
		cmd_show_progress(&input);
		/* Print a line before each of several dumps; no dump's output has such a line. */
		if (several && !options->json) {
			output_plain(&cmd_output, own->machine ? "Dump|"
						  : *first	 ? "Dump: "
								 : "\nDump: ");
			if (own->machine)
				output_field(&cmd_output, text_of(options->paths[0]));
			else
				output_text(&cmd_output, text_of(options->paths[0]));
			output_plain(&cmd_output, own->machine ? "\n" : "\n\n");
			*first = false;
		}
		status = cmd_answered(&input, options, print(&input, own));
	}
	cmd_input_close(&input);
	return status;
}

static enum cmd_status
walk_dumps(const struct walk_command *own, struct symbols_cache *cache)
{
	struct cmd_list dumps = { 0 }, paths = { 0 };
	enum cmd_status worst = CMD_DONE;
	struct walk_command one = *own;
	struct arena arena = { 0 };
	bool first = true;

	if (cache == NULL || !cmd_sort_paths(&own->common, 0, &arena, &dumps, &paths)) {
		arena_free(&arena);
		return cmd_out_of_memory();
	}
	one.common.paths = paths.items;
	one.common.path_count = paths.count;
	for (size_t i = 0; i < dumps.count; i++) {
		paths.items[0] = dumps.items[i];
		const enum cmd_status status = walk_dump(&one, cache, dumps.count > 1, &first);
		if (status > worst)
			worst = status;
	}
	arena_free(&arena);
	return worst;
}

/* Two dumps ------------------------------------------------------------------------------------ */

struct walked_dump {
	struct cmd_input input;
	struct walk *walk;
	struct analysis *analysis;
	struct versus_side side;
};

static bool
walk_one(struct walked_dump *dump, const struct cmd_options *options, size_t thread)
{
	struct cmd_input *input = &dump->input;

	dump->walk = cmd_walk_thread(input, options, thread);
	if (dump->walk == NULL)
		return false;
	dump->analysis = analysis_create(&input->crash, dump->walk, input->binaries,
					 input->rules);
	dump->side = (struct versus_side){
		.walk = dump->walk,
		.signature = dump->analysis != NULL ? dump->analysis->signature : NULL,
	};
	return true;
}

static void
close_dump(struct walked_dump *dump)
{
	analysis_free(dump->analysis);
	walk_free(dump->walk);
	cmd_input_close(&dump->input);
}

static enum cmd_status
compare(struct walked_dump *dumps, const struct cmd_options *options)
{
	enum cmd_status status = CMD_DONE;
	size_t thread, other;
	struct arena arena = { 0 };

	if (!cmd_find_thread(&dumps[0].input, options, &thread))
		return CMD_USAGE;
	if (!versus_thread(&dumps[0].input.crash, thread, &dumps[1].input.crash, &other)) {
		cmd_say("'%s' has no matching thread", options->against);
		return CMD_USAGE;
	}
	if (!walk_one(&dumps[0], options, thread) || !walk_one(&dumps[1], options, other))
		return cmd_out_of_memory();
	const struct versus *versus = versus_compare(&dumps[0].side, &dumps[1].side, &arena);
	if (versus == NULL)
		status = cmd_out_of_memory();
	else if (options->json)
		CMD_DOCUMENT(options, versus, versus);
	else
		cmd_print_listing(versus_listing(versus, &arena));
	arena_free(&arena);
	return status;
}

/* Print a thread's walks in two dumps side by side. */
static enum cmd_status
print_against(const struct cmd_options *options)
{
	struct symbols_cache *cache = symbols_cache_create();
	struct walked_dump dumps[2] = { 0 };
	enum cmd_status status = cmd_input_open(&dumps[0].input, options, options->paths[0], cache,
						NULL);

	if (status == CMD_DONE)
		status = cmd_input_open(&dumps[1].input, options, options->against, cache, NULL);
	if (status == CMD_DONE) {
		status = compare(dumps, options);
		cmd_print_messages(&dumps[0].input);
		cmd_print_messages(&dumps[1].input);
	}
	close_dump(&dumps[0]);
	close_dump(&dumps[1]);
	symbols_cache_free(cache);
	return status;
}

/* The command ---------------------------------------------------------------------------------- */

static enum cmd_status
cmd_walk_run(const struct cmd_options *options)
{
	const struct walk_command *own = (const struct walk_command *)options;

	if (own->machine && options->json)
		return cmd_usage(options, "--machine and --json exclude each other");
	if (own->requesting_only && options->thread >= 0)
		return cmd_usage(options, "--crashed and --thread exclude each other");
	if (options->against != NULL && (own->machine || own->backtrace || own->brief ||
					 own->stack || own->fold || options->as_page))
		return cmd_usage(options, "--against prints the crashed thread or -t in one form, "
				 "without --backtrace, --brief, --fold, --format, --machine and "
				 "--stack");
	if (options->against != NULL)
		return print_against(options);
	struct symbols_cache *cache = symbols_cache_create();
	const enum cmd_status status = walk_dumps(own, cache);
	symbols_cache_free(cache);
	return status;
}

enum cmd_status
cmd_walk_plainly(const struct cmd_options *options)
{
	const struct walk_command own = { .common = *options };

	return cmd_walk_run(&own.common);
}

static const char *
walk_set_format(struct cmd_options *options, const char *value)
{
	struct walk_command *own = (struct walk_command *)options;

	own->machine = strcmp(value, "machine") == 0;
	options->json = strcmp(value, "json") == 0;
	if (own->machine || options->json || cmd_set_page(options, value) == NULL)
		return NULL;
	return "--format is human, machine, json, " PAGE_FORM_NAMES ", not '%s'";
}

static const struct cmd_option own_options[] = {
#define STORE(kind, member) CMD_STORE(kind, walk_command, member)
	{ "--machine", 'm', NULL, "print fields separated by bars, for programs",
	  STORE(FLAG, machine) },
	{ "--format", 'f', "FORM", "human, machine, json, " PAGE_FORM_NAMES,
	  CMD_CALL(walk_set_format) },
	{ "--brief", 0, NULL, "only the summary and the crashed thread", STORE(FLAG, brief) },
	{ "--backtrace", 'b', NULL, "one line for each frame of the crashed thread or -t",
	  STORE(FLAG, backtrace) },
	{ "--stack", 's', NULL, "also the stack words of every frame", STORE(FLAG, stack) },
	{ "--crashed", 'c', NULL, "print only the crashed thread", STORE(FLAG, requesting_only) },
	{ "--fold", 0, NULL, "fold repeated frames and identical threads",
	  STORE(FLAG, fold) },
	/* Hidden, because the help must fit on a screen. */
	{ "--binaries", 0, "PLACE", "directory or server with programs, libraries, PDBs",
	  CMD_STORE(LIST, cmd_options, binaries) },
	{ "--system-binaries", 0, NULL, "", CMD_STORE(FLAG, cmd_options, system_binaries) },
	{ "--signature-rules", 0, "FILE", "", CMD_STORE(TEXT, cmd_options, signature_rules) },
};

const struct cmd_command cmd_walk = {
	.name = "walk",
	.arguments = "DUMP... [SYMBOLS...]",
	.help = "print the stacks of a crash",
	.least = 1,
	CMD_OWN(own_options, walk_command),
	.groups = CMD_GROUPS_OF_WALK | CMD_GROUP_SIGNATURE | CMD_GROUP_JSON | CMD_GROUP_AGAINST |
		  CMD_GROUP_FOREIGN,
	.document = walk_command_facts,
	.run_alone = cmd_walk_run,
};
