/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "analysis/analysis.h"
#include "cmd/cmd.h"
#include "dump/dump.h"
#include "report/stack/group_report.h"
#include "report/stack/summary.h"
#include "report/stack/walk_json.h"
#include "system/directory.h"

/* The crashed thread of a dump, and of many dumps in groups. */

/*
 * The analysis of a dump, and the walk of its crashed thread, if it has one. NULL: out of memory.
 * Free both in any case.
 */
static struct analysis *
analyse(struct cmd_input *input, const struct cmd_options *options, struct walk **walk)
{
	const int thread = input->crash.requesting_thread;

	*walk = thread >= 0 ? cmd_walk_thread(input, options, (size_t)thread) : NULL;
	return thread >= 0 && *walk == NULL ? NULL
					    : analysis_create(&input->crash, *walk, input->binaries,
							      input->rules);
}

static enum cmd_status
print_json(const struct cmd_options *options, struct cmd_input *input)
{
	const struct walk_json_options json = {
		.pretty = options->pretty, .summary = true, .only_thread = -1,
		.signature_rules = input->rules, .compat = options->compat,
	};

	return walk_json(&cmd_output, &input->crash, input->symbols, input->binaries,
			 &options->policy, &json)
		       ? CMD_DONE : CMD_UNREADABLE;
}

static enum cmd_status
summary_run(const struct cmd_options *options, struct cmd_input *input)
{
	struct walk *walk;

	if (options->json)
		return print_json(options, input);
	struct analysis *analysis = analyse(input, options, &walk);
	if (analysis != NULL)
		summary_print(&cmd_output, analysis, walk);
	const enum cmd_status status = analysis != NULL ? CMD_DONE : cmd_out_of_memory();
	analysis_free(analysis);
	walk_free(walk);
	return status;
}

const struct cmd_command cmd_summary = {
	.name = "summary", .arguments = "DUMP [SYMBOLS...]",
	.help = "print what happened, where and why, with the evidence",
	.least = 1, .needs = CMD_NEEDS_INPUT,
	.groups = (CMD_GROUPS_OF_WALK & ~CMD_GROUP_THREAD) | CMD_GROUP_SIGNATURE | CMD_GROUP_JSON,
	.document = summary_document_facts,
	.run = summary_run,
};

/* Groups -------------------------------------------------------------------------------------- */

struct group_command {
	struct cmd_options common;
	bool all, markdown;
};

struct grouping {
	const struct group_command *own;
	struct symbols_cache *cache;
	struct crash_groups groups;
	size_t unread;
};

/* Add a dump, whose path is the first of the options. False: out of memory. */
static bool
add_dump(struct grouping *all, const struct cmd_options *options)
{
	struct cmd_input input;
	struct walk *walk;
	bool added = false;

	if (cmd_input_open(&input, options, options->paths[0], all->cache, NULL) != CMD_DONE) {
		all->unread++;
		cmd_input_close(&input);
		return true;
	}
	struct analysis *analysis = analyse(&input, options, &walk);
	if (analysis != NULL)
		added = crash_groups_add(&all->groups, options->paths[0], analysis);
	analysis_free(analysis);
	walk_free(walk);
	cmd_note_refused(&input);
	cmd_input_close(&input);
	return added;
}

/*
 * The dumps of the arguments and of directories among them. In the other paths, which are symbols,
 * the first one is left free for a dump.
 */
static bool
gather(const struct cmd_options *options, struct arena *arena, struct cmd_list *dumps,
       struct cmd_list *rest)
{
	size_t dump_capacity = 0, rest_capacity = 0;

	if (ARENA_PUSH(arena, rest->items, rest->count, rest_capacity) == NULL)
		return false;
	for (size_t i = 0; i < options->path_count; i++) {
		const char *path = options->paths[i];
		const bool folder = directory_exists(path);

		if (folder && !cmd_dumps_in_folder(arena, path, dumps, &dump_capacity))
			return false;
		struct cmd_list *list = folder || (i > 0 && !dump_recognise(path)) ? rest : dumps;
		const char **slot = ARENA_PUSH(arena, list->items, list->count,
					       *(list == rest ? &rest_capacity : &dump_capacity));
		if (slot == NULL)
			return false;
		*slot = path;
	}
	return true;
}

static void
print_groups(struct grouping *all)
{
	const struct cmd_options *options = &all->own->common;
	const struct group_report report = { .groups = &all->groups, .unread = all->unread,
					     .all = all->own->all,
					     .markdown = all->own->markdown };
	struct arena arena = { 0 };

	crash_groups_sort(&all->groups);
	if (options->json) {
		CMD_DOCUMENT(options, group_report, &report);
	} else {
		const struct listing listing = group_report_listing(&report, &arena);

		cmd_print_listing(&listing);
	}
	arena_free(&arena);
}

static enum cmd_status
group_run(const struct cmd_options *options)
{
	struct grouping all = { .own = (const struct group_command *)options,
				.cache = symbols_cache_create() };
	struct arena arena = { 0 };
	struct cmd_list dumps = { 0 }, paths = { 0 };
	struct cmd_options one = *options;
	enum cmd_status status = CMD_DONE;

	const bool progress = isatty(STDERR_FILENO);
	bool enough = all.cache != NULL && gather(options, &arena, &dumps, &paths);
	for (size_t i = 0; i < dumps.count && enough; i++) {
		if (progress)
			cmd_show_files(i, dumps.count);
		paths.items[0] = dumps.items[i];
		one.paths = paths.items;
		one.path_count = paths.count;
		enough = add_dump(&all, &one);
	}
	if (progress)
		cmd_clear_percent(&(struct cmd_percent){ .shown = 1 });
	if (!enough) {
		status = cmd_out_of_memory();
	} else if (all.groups.dumps == 0) {
		cmd_say("no dump could be read: give minidumps, cores, or directories of them");
		status = CMD_UNREADABLE;
	} else {
		print_groups(&all);
		status = all.unread > 0 ? CMD_UNREADABLE : CMD_DONE;
	}
	arena_free(&all.groups.arena);
	arena_free(&arena);
	symbols_cache_free(all.cache);
	return status;
}

static const struct cmd_option own_options[] = {
#define STORE(kind, member) CMD_STORE(kind, group_command, member)
	{ "--all", 'a', NULL, "name every dump of a group", STORE(FLAG, all) },
	{ "--markdown", 0, NULL, "a table in Markdown", STORE(FLAG, markdown) },
};

const struct cmd_command cmd_group = {
	.name = "group", .arguments = "DUMP|DIRECTORY... [SYMBOLS...]",
	.help = "sort many dumps into groups of the same fault",
	.least = 1, CMD_OWN(own_options, group_command),
	.groups = (CMD_GROUPS_OF_WALK & ~(CMD_GROUP_THREAD | CMD_GROUP_STRICT)) |
		  CMD_GROUP_SIGNATURE | CMD_GROUP_JSON,
	.document = group_report_facts, .run_alone = group_run,
};
