/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/limits.h"
#include "cmd/explore.h"
#include "report/stack/group_report.h"
#include "report/stack/summary.h"
#include "report/stack/walk_json.h"
#include "system/crew.h"
#include "system/file.h"
#include "system/inflate.h"

/* Summaries of the crashed threads of one dump, or of many dumps in groups. */

/*
 * Analyse a dump. Sets `*walk` to the walk of its crashed thread (NULL: no such thread). Returns
 * NULL when out of memory. Free both in any case.
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

/* Limit on threads that read dumps. */
#define MOST_THREADS 16u

/* Bytes of a file that are read to recognise compression. */
#define HEAD_BYTES 512u

/* A dump that a thread has read, and that is not yet in a group. */
struct grouped_dump {
	struct arena arena;
	struct output_string messages;	/* from `places` on those of unusable places */
	size_t places;
	struct cmd_input noted;		/* closed input with facts for cmd_note_refused() */
	bool opened, complete;		/* complete: `outline` is known */
	struct crash_outline outline;
};

struct grouping {
	const struct group_command *own;
	struct symbols_cache *cache;
	struct cmd_list dumps, paths;	/* the first entry of `paths` is free for a dump */
	struct crash_groups groups;
	size_t unread;
	bool progress;
	atomic_bool failed;		/* out of memory: no further dump is read */
	/* locked while a dump that may take much memory is read */
	pthread_mutex_t large;
	struct grouped_dump read[CREW_MOST_AHEAD];
};

/* Whether a dump is so large that only one such dump may be read at a time. */
static bool
is_large(const char *path)
{
	struct file head = { 0 };
	struct stat status;
	uint64_t ratio = 1;

	if (!file_stat(path, &status) || !S_ISREG(status.st_mode))
		return true;
	if (file_open_head(&head, path, HEAD_BYTES, NULL) == ERROR_NONE &&
	    inflate_identify(head.data, head.size) != INFLATE_NONE)
		ratio = LIMIT_INFLATED_DUMP_RATIO;
	file_close(&head);
	return (uint64_t)status.st_size > LIMIT_READ_WHOLE / ratio;
}

/* Open the dump (the first path of the options), and walk its crashed thread. */
static void
outline_dump(struct grouping *all, const struct cmd_options *options, struct grouped_dump *dump)
{
	struct cmd_input input;

	dump->opened = cmd_input_open(&input, options, options->paths[0], all->cache, NULL) ==
		       CMD_DONE;
	if (dump->opened) {
		struct walk *walk;
		struct analysis *analysis = analyse(&input, options, &walk);

		if (analysis != NULL) {
			dump->outline = crash_outline_of(analysis);
			dump->complete = crash_outline_keep(&dump->outline, &dump->arena);
		}
		analysis_free(analysis);
		walk_free(walk);
	}
	dump->places = dump->messages.length;
	cmd_print_message_list(input.refused ? symbols_messages(input.symbols) : NULL);
	cmd_print_message_list(input.refused ? binaries_messages(input.binaries) : NULL);
	dump->noted.refused = input.refused;
	dump->noted.unused_cache = input.unused_cache;
	cmd_input_close(&input);
}

/* Read a dump. Its messages are kept (if memory permits) and printed later, in dump order. */
static void
read_dump(void *context, size_t item)
{
	struct grouping *all = context;
	struct grouped_dump *dump = &all->read[item % CREW_MOST_AHEAD];
	struct cmd_options options = all->own->explore.common;

	*dump = (struct grouped_dump){ 0 };
	options.path_count = all->paths.count;
	options.paths = arena_array(&dump->arena, options.path_count, sizeof(*options.paths));
	output_string_init(&dump->messages, &dump->arena);
	if (options.paths == NULL)
		atomic_store(&all->failed, true);
	if (atomic_load(&all->failed))
		return;
	memcpy(options.paths, all->paths.items, options.path_count * sizeof(*options.paths));
	options.paths[0] = all->dumps.items[item];
	const bool large = is_large(options.paths[0]);
	if (large)
		pthread_mutex_lock(&all->large);
	cmd_keep_messages(dump->messages.text != NULL ? &dump->messages.output : NULL);
	outline_dump(all, &options, dump);
	cmd_keep_messages(NULL);
	if (large)
		pthread_mutex_unlock(&all->large);
}

static void
add_dump(void *context, size_t item)
{
	struct grouping *all = context;
	struct grouped_dump *dump = &all->read[item % CREW_MOST_AHEAD];

	/* Places are the same for all dumps. */
	const size_t length = cmd_has_refused() ? dump->places : dump->messages.length;

	if (length > 0)
		cmd_errors.write(cmd_errors.context, dump->messages.text, length);
	cmd_note_refused(&dump->noted);
	if (!dump->opened)
		all->unread++;
	else if (!dump->complete ||
		 !crash_groups_add(&all->groups, all->dumps.items[item], &dump->outline))
		atomic_store(&all->failed, true);
	arena_free(&dump->arena);
	if (all->progress)
		cmd_show_files(item + 1, all->dumps.count);
}

/* Read all dumps. With --redact only one thread reads, because dumps share the user names. */
static bool
read_dumps(struct grouping *all)
{
	const struct cmd_options *options = &all->own->explore.common;

	if (pthread_mutex_init(&all->large, NULL) != 0)
		return false;
	const bool good = crew_run_in_order(options->redact ? 1 : crew_size(MOST_THREADS),
					    all->dumps.count, CREW_MOST_AHEAD, read_dump, add_dump,
					    all);
	pthread_mutex_destroy(&all->large);
	return good && !atomic_load(&all->failed);
}

static void
print_groups(struct grouping *all)
{
	const struct cmd_options *options = &all->own->explore.common;
	const struct group_report report = { .groups = &all->groups, .unread = all->unread,
					     .all = all->own->all,
					     .markdown = all->own->markdown };
	struct arena arena = { 0 };

	if (options->json)
		CMD_DOCUMENT(options, group_report, &report);
	else
		cmd_print_listing(group_report_listing(&report, &arena));
	arena_free(&arena);
}

/* Open the explorer with a group's dumps, beginning with the representative. */
static enum cmd_status
explore_group(const struct grouping *all)
{
	const struct cmd_list *rest = &all->paths;
	struct explore_options explore = all->own->explore;
	const size_t number = (size_t)all->own->open;
	struct arena arena = { 0 };

	if (number > all->groups.count) {
		cmd_say("--open %zu: the last group is %zu", number, all->groups.count);
		return CMD_USAGE;
	}
	const struct crash_group *group = all->groups.groups[number - 1];
	const char **paths = arena_array(&arena, group->count + rest->count, sizeof(*paths));
	if (paths == NULL)
		return cmd_out_of_memory();
	for (size_t i = 0; i < group->count; i++)
		paths[i] = group->members[i].dump;
	/* The first entry of `rest` is free for a dump. */
	for (size_t i = 1; i < rest->count; i++)
		paths[group->count + i - 1] = rest->items[i];
	explore.common.paths = paths;
	explore.common.path_count = group->count + rest->count - 1;
	const enum cmd_status status = cmd_explore_with(&explore);
	arena_free(&arena);
	return status;
}

static enum cmd_status
show_groups(struct grouping *all)
{
	enum cmd_status status = CMD_DONE;

	if (all->groups.dumps == 0) {
		cmd_say("no dump could be read: give minidumps, cores, or directories of them");
		return CMD_UNREADABLE;
	}
	crash_groups_sort(&all->groups);
	if (all->own->open > 0)
		status = explore_group(all);
	else
		print_groups(all);
	return status == CMD_DONE && all->unread > 0 ? CMD_UNREADABLE : status;
}

static enum cmd_status
group_run(const struct cmd_options *options)
{
	struct arena arena = { 0 };

	if (!cmd_sandbox(options, NULL, ((const struct group_command *)options)->open > 0))
		return CMD_INCOMPLETE;
	struct grouping *all = calloc(1, sizeof(*all));
	if (all == NULL)
		return cmd_out_of_memory();
	all->own = (const struct group_command *)options;
	all->cache = symbols_cache_create();
	all->progress = cmd_shows_progress();
	const bool enough = all->cache != NULL &&
			    cmd_sort_paths(options, options->path_count, &arena, &all->dumps,
					   &all->paths) &&
			    read_dumps(all);
	if (all->progress)
		cmd_clear_percent(&(struct cmd_percent){ .shown = 1 });
	const enum cmd_status status = enough ? show_groups(all) : cmd_out_of_memory();
	arena_free(&all->groups.arena);
	arena_free(&arena);
	symbols_cache_free(all->cache);
	free(all);
	return status;
}

/* Disable the pager: the explorer needs the terminal. */
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
