/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "cmd/cmd.h"
#include "cmd/explore.h"
#include "dump/dump.h"
#include "locate/folder.h"
#include "system/directory.h"
#include "system/file.h"

/*
 * Levels of subdirectories that are also read. systemd-coredump writes dumps directly into its
 * folder, Crashpad into `pending`, `completed`, `new` or `reports`. sentry-native also writes them
 * into one directory for each run, in a hidden directory.
 */
#define LEVELS 2u

/* Limit on other dumps that the message names. */
#define NAMED 8u

struct found_dump {
	const char *path;
	struct identity identity;
};

struct dump_folder {
	struct arena *arena;
	struct found_dump *dumps;	/* the newest first, after the search */
	size_t count, capacity;
	const char **folders;		/* folders to search, in the order of their levels */
	size_t folder_count, folder_capacity;
	size_t looked;			/* number of examined entries */
	bool cut;			/* there are more than LIMIT_FOLDER_ENTRIES */
};

static int
compare_newest(const void *left, const void *right)
{
	const struct found_dump *a = left, *b = right;
	const struct timespec *one = &a->identity.modified, *other = &b->identity.modified;

	if (one->tv_sec != other->tv_sec)
		return one->tv_sec < other->tv_sec ? 1 : -1;
	if (one->tv_nsec != other->tv_nsec)
		return one->tv_nsec < other->tv_nsec ? 1 : -1;
	return strcmp(a->path, b->path);
}

/* Examine one entry of a folder; false: out of memory. */
static bool
look(struct dump_folder *all, const char *path, bool folder, bool enters)
{
	if (folder) {
		const char **slot = enters ? ARENA_PUSH(all->arena, all->folders, all->folder_count,
							all->folder_capacity)
					   : NULL;

		if (slot != NULL)
			*slot = path;
		return slot != NULL || !enters;
	}
	if (!dump_recognise(path))
		return true;
	return ARENA_ADD(all->arena, all->dumps, all->count, all->capacity,
			 &(struct found_dump){ path, identity_at(path) });
}

/* Find the dumps in a folder and in its subdirectories; false: out of memory. */
static bool
search(struct dump_folder *all, const char *path)
{
	size_t level = 0, last = 1;	/* index after the last folder of the level */

	if (!look(all, path, true, true))
		return false;
	for (size_t i = 0; i < all->folder_count && !all->cut; i++) {
		const char *folder = all->folders[i];
		const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
		struct folder *names = folder_open(folder);
		bool enough = true;

		if (i == last) {
			level++;
			last = all->folder_count;
		}
		all->cut = names != NULL && names->cut;
		for (size_t n = 0; names != NULL && n < names->count && enough && !all->cut; n++) {
			const struct folder_entry *entry = &names->entries[n];
			const char *below = arena_format(all->arena, "%s%s%s", folder, slash,
							 entry->name);

			enough = below != NULL && look(all, below, entry->folder, level < LEVELS);
			all->cut = ++all->looked == LIMIT_FOLDER_ENTRIES;
		}
		folder_free(names);
		if (!enough)
			return false;
	}
	if (all->count > 1)
		SORT(all->dumps, all->count, compare_newest);
	return true;
}

/*
 * Append the dumps in a directory and two levels below it to a list in `arena`, oldest first.
 * False: out of memory.
 */
static bool
add_folder(struct arena *arena, const char *path, struct cmd_list *dumps, size_t *capacity)
{
	struct arena scratch = { 0 };
	struct dump_folder all = { .arena = &scratch };

	bool good = search(&all, path);
	for (size_t i = all.count; good && i-- > 0;) {
		const char *found = arena_string(arena, all.dumps[i].path);

		good = found != NULL &&
		       ARENA_ADD(arena, dumps->items, dumps->count, *capacity, &found);
	}
	arena_free(&scratch);
	if (good && all.cut)
		cmd_say("the directory '%s' has too many entries; only the first %u were searched",
			path, LIMIT_FOLDER_ENTRIES);
	return good;
}

bool
cmd_sort_paths(const struct cmd_options *options, size_t folders, struct arena *arena,
	       struct cmd_list *dumps, struct cmd_list *rest)
{
	size_t dump_capacity = 0, rest_capacity = 0;

	if (ARENA_PUSH(arena, rest->items, rest->count, rest_capacity) == NULL)
		return false;
	for (size_t i = 0; i < options->path_count; i++) {
		const char *path = options->paths[i];
		const bool folder = i < folders && directory_exists(path);

		if (folder && !add_folder(arena, path, dumps, &dump_capacity))
			return false;
		if (folder && i == 0)
			continue;
		const bool dump = !folder && (i == 0 || dump_recognise(path));
		struct cmd_list *list = dump ? dumps : rest;
		if (!ARENA_ADD(arena, list->items, list->count,
			       *(dump ? &dump_capacity : &rest_capacity), &path))
			return false;
	}
	return true;
}

enum error_code
cmd_dump_in_folder(struct arena *arena, const char **path, const char **note,
		   struct error *error)
{
	struct dump_folder all = { .arena = arena };

	*note = NULL;
	if (!directory_exists(*path))
		return ERROR_NONE;
	if (!search(&all, *path))
		return error_memory(error);
	if (all.count == 0) {
		error_plain(error, ERROR_IO,
			    "is a directory%s without a dump in it or two levels below",
			    all.cut ? ", too large to be searched as a whole," : "");
		error_hint(error, "the dump is the first argument, directories of symbols follow");
		return ERROR_IO;
	}
	const char *others = "";
	for (size_t i = 1; i < all.count && i <= NAMED && others != NULL; i++)
		others = arena_format(arena, "%s%s '%s'", others, i > 1 ? "," : "",
				      all.dumps[i].path);
	if (others != NULL && all.count > 1)
		*note = arena_format(arena, "this is the newest of %zu dumps in the directory "
				     "'%s'%s\nthe others, newest first:%s%s", all.count, *path,
				     all.cut ? ", which was not searched as a whole" : "", others,
				     all.count > NAMED + 1 ? ", ..." : "");
	*path = all.dumps[0].path;
	return all.count == 1 || *note != NULL ? ERROR_NONE : error_memory(error);
}

/* The newest dump of the system --------------------------------------------------------------- */

/*
 * Folders in which systems and programs leave cores and dumps: systemd-coredump(8), apport(1),
 * abrt, Crashpad's databases of programs. A relative path is below HOME.
 */
static const char *const places[] = {
	"/var/lib/systemd/coredump", "/var/lib/apport/coredump", "/var/crash", "/var/spool/abrt",
	".config/google-chrome/Crash Reports", ".config/chromium/Crash Reports",
	".config/Code/Crashpad", ".config/Slack/Crashpad", ".mozilla/firefox/Crash Reports",
};

/* Number of folders, including the current folder. */
#define FOLDERS (ARRAY_COUNT(places) + 1)

/*
 * List the existing folders. The sandbox makes them readable, so the current folder is left out if
 * it is the root, HOME or a directory above HOME.
 */
static size_t
find_folders(struct arena *arena, const char *folders[FOLDERS])
{
	const char *home = text_or_empty(getenv("HOME"));
	char current[PATH_MAX] = "", real[PATH_MAX];
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
		const char *path = places[i];

		if (path[0] != '/')
			path = arena_format(arena, "%s/%s", home, path);
		if (path != NULL && path[0] == '/' && directory_exists(path))
			folders[count++] = path;
	}
	if (getcwd(current, sizeof(current)) == NULL)
		return count;
	const size_t length = strlen(current);
	home = realpath(home, real) != NULL ? real : home;
	const bool above = length == 1 || (strncmp(home, current, length) == 0 &&
					   (home[length] == '/' || home[length] == '\0'));
	if (!above)
		folders[count++] = ".";
	return count;
}

/* The newest dump in the folders, and the number of dumps there; NULL: none. */
static const char *
find_newest(struct arena *arena, const char *const *folders, size_t folder_count, size_t *count,
	    struct timespec *newest)
{
	struct cmd_list dumps = { 0 };
	size_t capacity = 0;
	const char *found = NULL;

	for (size_t i = 0; i < folder_count; i++)
		if (!add_folder(arena, folders[i], &dumps, &capacity))
			break;
	for (size_t i = 0; i < dumps.count; i++) {
		const struct timespec at = identity_at(dumps.items[i]).modified;
		const bool same = at.tv_sec == newest->tv_sec;

		if (found != NULL && (same ? at.tv_nsec <= newest->tv_nsec
					   : at.tv_sec < newest->tv_sec))
			continue;
		found = dumps.items[i];
		*newest = at;
	}
	*count = dumps.count;
	return found;
}

static enum cmd_status
latest_run(const struct cmd_options *options)
{
	struct explore_options own = *(const struct explore_options *)options;
	struct arena arena = { 0 };
	struct timespec time = { 0 };
	char when[CLOCK_UTC_TEXT];
	size_t count = 0;
	enum cmd_status status = CMD_UNREADABLE;

	const char *folders[FOLDERS];
	const size_t folder_count = find_folders(&arena, folders);
	const char **paths = arena_alloc(&arena, (options->path_count + FOLDERS) * sizeof(*paths));
	if (paths == NULL)
		return cmd_out_of_memory();
	/* Files are recognised by their contents, so the search is done inside the sandbox. */
	memcpy(paths, folders, folder_count * sizeof(*paths));
	memcpy(paths + folder_count, options->paths, options->path_count * sizeof(*paths));
	own.common.paths = paths;
	own.common.path_count = folder_count + options->path_count;
	if (!cmd_sandbox(&own.common, NULL, isatty(STDOUT_FILENO))) {
		arena_free(&arena);
		return CMD_INCOMPLETE;
	}
	const char *dump = find_newest(&arena, folders, folder_count, &count, &time);
	if (dump == NULL) {
		cmd_say("no core or minidump is in the current directory (a home directory and "
			"those above it are not searched), nor where systemd-coredump, apport, "
			"abrt and Crashpad keep theirs; root can read the cores of others");
	} else {
		cmd_say("'%s' of %s UTC is the newest of %zu dump%s", dump,
			clock_utc(time.tv_sec, when), count, plural(count));
		paths[0] = dump;
		memcpy(paths + 1, options->paths, options->path_count * sizeof(*paths));
		own.common.path_count = options->path_count + 1;
		status = cmd_explore_with(&own);
	}
	arena_free(&arena);
	return status;
}

const struct cmd_command cmd_latest = {
	.name = "latest", .arguments = "[SYMBOLS...]",
	.help = "open the newest crash of this system",
	.size = sizeof(struct explore_options),
	.groups = CMD_GROUP_INPUT | CMD_GROUP_METHODS | CMD_GROUP_NAMES | CMD_GROUP_REDACT |
		  CMD_GROUP_SIGNATURE | CMD_GROUP_SOURCE,
	.guard = CMD_GUARD_OWN, .run_alone = latest_run, .interactive = true,
};
