/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "analysis/analysis.h"
#include "cmd/explore.h"
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
	struct explore_options explore;
	bool all, markdown;
	long open;			/* number of the group to explore; 0: none */
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

static void
print_groups(struct grouping *all)
{
	const struct cmd_options *options = &all->own->explore.common;
	const struct group_report report = { .groups = &all->groups, .unread = all->unread,
					     .all = all->own->all,
					     .markdown = all->own->markdown };
	struct arena arena = { 0 };

	if (options->json) {
		CMD_DOCUMENT(options, group_report, &report);
	} else {
		const struct listing listing = group_report_listing(&report, &arena);

		cmd_print_listing(&listing);
	}
	arena_free(&arena);
}

/* Open the explorer with the dumps of a group, the representative first; `rest` are symbols. */
static enum cmd_status
explore_group(const struct grouping *all, const struct cmd_list *rest)
{
	struct explore_options explore = all->own->explore;
	const size_t number = (size_t)all->own->open;
	struct arena arena = { 0 };

	if (number > all->groups.count) {
		cmd_say("--open %zu: there are %zu groups", number, all->groups.count);
		return CMD_USAGE;
	}
	const struct crash_group *group = all->groups.groups[number - 1];
	const char **paths = arena_array(&arena, group->count + rest->count, sizeof(*paths));
	if (paths == NULL)
		return cmd_out_of_memory();
	for (size_t i = 0; i < group->count; i++)
		paths[i] = group->members[i].dump;
	/* The first one is free for a dump. */
	for (size_t i = 1; i < rest->count; i++)
		paths[group->count + i - 1] = rest->items[i];
	explore.common.paths = paths;
	explore.common.path_count = group->count + rest->count - 1;
	const enum cmd_status status = cmd_explore_with(&explore);
	arena_free(&arena);
	return status;
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

	if (!cmd_sandbox(options, NULL, all.own->open > 0))
		return CMD_INCOMPLETE;
	const bool progress = cmd_shows_progress();
	bool enough = all.cache != NULL &&
		      cmd_sort_paths(options, options->path_count, &arena, &dumps, &paths);
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
		crash_groups_sort(&all.groups);
		if (all.own->open > 0)
			status = explore_group(&all, &paths);
		else
			print_groups(&all);
		if (status == CMD_DONE && all.unread > 0)
			status = CMD_UNREADABLE;
	}
	arena_free(&all.groups.arena);
	arena_free(&arena);
	symbols_cache_free(all.cache);
	return status;
}

/* The explorer needs the terminal. */
static const char *
set_open(struct cmd_options *options, const char *value)
{
	(void)value;
	options->no_pager = true;
	return NULL;
}

static const struct cmd_option own_options[] = {
#define STORE(kind, member) CMD_STORE(kind, group_command, member)
	{ "--all", 'a', NULL, "name every dump of a group", STORE(FLAG, all) },
	{ "--markdown", 0, NULL, "a table in Markdown", STORE(FLAG, markdown) },
	{ "--open", 0, "N", "explore the dumps of group N (:dump next)",
	  CMD_NUMBER, offsetof(struct group_command, open), set_open },
	{ "--plain", 0, NULL, "", STORE(FLAG, explore.explorer.plain) },
	{ "--no-config", 0, NULL, "", STORE(FLAG, explore.no_config) },
};

const struct cmd_command cmd_group = {
	.name = "group", .arguments = "DUMP|DIRECTORY... [SYMBOLS...]",
	.help = "sort many dumps into groups of the same fault",
	.least = 1, CMD_OWN(own_options, group_command),
	.groups = (CMD_GROUPS_OF_WALK & ~(CMD_GROUP_THREAD | CMD_GROUP_STRICT)) |
		  CMD_GROUP_SIGNATURE | CMD_GROUP_JSON,
	.document = group_report_facts, .guard = CMD_GUARD_OWN, .run_alone = group_run,
};
