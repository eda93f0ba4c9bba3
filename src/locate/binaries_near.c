/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "locate/folder.h"
#include "system/file.h"

/*
 * Files of the wanted id that no search comes to: in a directory below or above one that was given,
 * or under another name. What is in the directories is listed once, for all modules.
 */
struct binaries_listed {
	const char *path;
	struct binary_identity build;	/* of a file; its id is NULL of a directory */
	bool debug_only;
};

/* What is looked for, and where it goes. */
struct near_binary {
	struct binaries *binaries;
	const struct module *module;
	struct locate_subject subject;
	struct locate_near_miss *found;
	size_t count;
	bool wanted[LOCATE_OWN_KINDS];
};

/* Listing -------------------------------------------------------------------------------------- */

static void
list_entry(struct binaries *binaries, const struct folder_entry *entry, const char *path,
	   unsigned *left)
{
	struct binaries_listed listed = { .path = path };
	struct binary *binary;

	if (path == NULL || *left == 0)
		return;
	if (!entry->folder && binary_kind_of(path) != BINARY_KIND_OWN)
		return;
	(*left)--;
	if (!entry->folder) {
		if (binary_open(&binary, path, NULL) != ERROR_NONE)
			return;
		listed.build = binaries_copy_identity(binary, &binaries->arena);
		listed.debug_only = binary->debug_only;
		binary_close(binary);
		if (listed.build.id == NULL)
			return;
	}
	struct binaries_listed *added =
		ARENA_PUSH(&binaries->arena, binaries->listed, binaries->listed_count,
			   binaries->listed_capacity);
	if (added != NULL)
		*added = listed;
}

/* What one directory has, at most so many entries that count. */
static void
list_root(struct binaries *binaries, struct locate_root *root)
{
	const struct folder *names = locate_root_names(root);
	const size_t count = names == NULL ? 0 : names->count;
	unsigned left = LIMIT_BINARIES_LISTED;

	for (size_t i = 0; i < count && i < LIMIT_BINARIES_NAMES; i++)
		if (names->entries[i].name[0] != '.')
			list_entry(binaries, &names->entries[i],
				   arena_format(&binaries->arena, "%s/%s", root->path,
						names->entries[i].name), &left);
}

/* Comparing ------------------------------------------------------------------------------------ */

static bool
has_wanted_id(const struct near_binary *near, struct binary_identity build)
{
	char wanted[LOCATE_SHOWN], found[LOCATE_SHOWN];

	return binaries_match(near->binaries, near->module, build, wanted, found) ==
	       BINARIES_MATCH_YES;
}

/* Whether a path is a file of the module's of that kind. */
static bool
is_wanted(struct near_binary *near, const char *path, enum locate_kind kind)
{
	struct binary *binary;
	struct stat status;

	if (near->binaries->near_left == 0)
		return false;
	near->binaries->near_left--;
	if (!file_stat(path, &status) || !S_ISREG(status.st_mode) ||
	    binary_open(&binary, path, NULL) != ERROR_NONE)
		return false;
	const bool good = (kind == LOCATE_DEBUG) == binary->debug_only &&
			  has_wanted_id(near, binary_identity(binary));
	binary_close(binary);
	return good;
}

static void
add_near(struct near_binary *near, const char *path, const char *what, const char *help)
{
	struct arena *arena = &near->binaries->arena;

	if (near->count == BINARIES_NEAR || help == NULL)
		return;
	const struct locate_near_miss miss = { arena_copy(arena, path, strlen(path)), what, help };
	if (miss.path != NULL)
		near->found[near->count++] = miss;
}

/* What the layouts find in a directory that was not given. */
static void
find_in(struct near_binary *near, const char *directory, const char *what)
{
	for (size_t row = 0; row < layout_count; row++) {
		const struct locate_layout *layout = &layout_rows[row];

		if ((layout->flags & LAYOUT_LINKED) != 0 || layout->kind >= LOCATE_SYMBOLS ||
		    !near->wanted[layout->kind])
			continue;
		char *path = layout_path(&near->subject, directory, layout->pattern);
		if (path != NULL && is_wanted(near, path, layout->kind)) {
			add_near(near, path, what,
				 arena_format(&near->binaries->arena, "name '%s' with '--binaries'",
					      directory));
			near->wanted[layout->kind] = false;
		}
		free(path);
	}
}

/* How a debug file of another name is found. */
static const char *
rename_help(const struct near_binary *near, enum binary_format format)
{
	struct arena *arena = &near->binaries->arena;

	return format == BINARY_PDB
		       ? arena_format(arena, "name the file itself with '--binaries'")
		       : arena_format(arena, "rename it to '%s.debug'",
				      place_base_name(near->module->code_file));
}

static void
find_in_listed(struct near_binary *near, const struct binaries_listed *listed)
{
	const enum locate_kind kind = listed->debug_only ? LOCATE_DEBUG : LOCATE_IMAGE;

	if (listed->build.id == NULL) {
		find_in(near, listed->path, "it is one directory further down");
	} else if (near->wanted[kind] && has_wanted_id(near, listed->build)) {
		add_near(near, listed->path, "it has the id under another name",
			 kind == LOCATE_IMAGE
				 ? "name the file itself with '--binaries'"
				 : rename_help(near, listed->build.format));
		near->wanted[kind] = false;
	}
}

/* What was given may lie in the right directory: '.build-id', or a folder there. */
static void
find_above(struct near_binary *near, const struct locate_root *root)
{
	size_t length = strlen(root->path);

	for (unsigned level = 0; level < 2; level++) {
		while (length > 0 && root->path[length - 1] == '/')
			length--;
		while (length > 0 && root->path[length - 1] != '/')
			length--;
		const char *above = length == 0 ? "."
						: arena_copy(&near->binaries->arena, root->path,
							     length > 1 ? length - 1 : length);
		if (above == NULL)
			return;
		find_in(near, above, "the given directory is one level too deep");
		if (length <= 1)
			return;
	}
}

size_t
binaries_near_misses(struct binaries *binaries, size_t module, bool image, bool debug,
		     struct locate_near_miss found[BINARIES_NEAR])
{
	const struct module *of = &binaries->crash->modules[module];
	const char *id = binaries_build_id(binaries->crash, of);
	struct near_binary near = {
		.binaries = binaries, .module = of, .found = found,
		.wanted = { [LOCATE_IMAGE] = image, [LOCATE_DEBUG] = debug },
	};

	if (!image && !debug)
		return 0;
	pthread_mutex_lock(&binaries->mutex);
	const struct binary *own = binaries->slots[module].files[LOCATE_IMAGE];
	if (*id == '\0' && own != NULL && own->format == BINARY_ELF)
		id = own->id;
	near.subject = (struct locate_subject){ .module = of, .build_id = id };
	binaries_name_pdb(binaries, of, &near.subject);
	for (size_t i = 0; i < binaries->root_count; i++) {
		struct locate_root *root = &binaries->roots[i];

		if (root->is_file || root->layouts == LAYOUT_SYSTEM || root->problem != NULL)
			continue;
		if (!binaries->is_listed)
			list_root(binaries, root);
		find_above(&near, root);
	}
	binaries->is_listed = true;
	for (size_t i = 0; i < binaries->listed_count; i++)
		find_in_listed(&near, &binaries->listed[i]);
	pthread_mutex_unlock(&binaries->mutex);
	return near.count;
}
