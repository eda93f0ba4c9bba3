/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "locate/binaries_internal.h"

/* Units of split DWARF: each in a .dwo file of its own (-gsplit-dwarf), or all in a package. */

#define PACKAGE ".dwp"
#define DEBUG ".debug"

bool
binaries_is_split(const struct locate_search *search, const char *path)
{
	const char *end = strrchr(path, '.');

	return search->split == NULL ? end != NULL && strcmp(end, PACKAGE) == 0
				     : search->split->name != NULL &&
					       strcmp(place_base_name(path),
						      place_base_name(search->split->name)) == 0;
}

bool
binaries_look_split(struct locate_search *search, struct locate_note *note)
{
	struct binaries_slot *slot = search->slot;
	struct stat status;
	/* Many units may name one file: open it once, because readers keep its address. */
	const bool own = search->split != NULL && file_stat(note->path, &status);
	const struct binary *file =
		own ? hash_find(&slot->split_files, status.st_dev, status.st_ino) : NULL;

	if (file == NULL) {
		struct binary **split = slot->split_count == LIMIT_SPLIT_FILES
						? NULL
						: ARENA_PUSH(&search->binaries->arena, slot->split,
							     slot->split_count,
							     slot->split_capacity);

		if (split == NULL) {
			locate_note_refuse(note, "too many files");
			return false;
		}
		*split = own ? binaries_open_path(search->binaries, note->path, note)
			     : binaries_open_matching(search, note);
		if (*split == NULL)
			slot->split_count--;
		/* If no unit is wanted, continue until all packages are open. */
		if (*split == NULL || search->split == NULL)
			return false;
		file = *split;
		if (own && !hash_put(&slot->split_files, status.st_dev, status.st_ino, file)) {
			locate_note_refuse(note, OUT_OF_MEMORY);
			return false;
		}
	}
	if (!binaries_has_split(search, file, note->path, note))
		return false;
	note->outcome = LOCATE_USED;
	return true;
}

/* Find the packages of a file: foo -> foo.dwp, foo.debug -> foo.debug.dwp and foo.dwp. */
static void
find_beside(struct locate_search *search, const struct binary *file)
{
	const char *name = file->file.input.name;
	const size_t length = strlen(name), end = strlen(DEBUG);
	char *path;

	if (asprintf(&path, "%s" PACKAGE, name) >= 0)
		locate_look_at(search, LOCATE_BY_NAME, path);
	if (length > end && strcmp(name + length - end, DEBUG) == 0 &&
	    asprintf(&path, "%.*s" PACKAGE, (int)(length - end), name) >= 0)
		locate_look_at(search, LOCATE_BY_NAME, path);
}

/* The absolute path where the compiler wrote the file. NULL: relative, or in /dev, /proc, /sys. */
static char *
compiled_path(const struct binaries_split *wanted)
{
	const bool whole = *wanted->name == '/';
	char *path;

	if ((!whole && (wanted->directory == NULL || *wanted->directory != '/')) ||
	    asprintf(&path, "%s%s%s", whole ? "" : wanted->directory, whole ? "" : "/",
		     wanted->name) < 0)
		return NULL;
	if (strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0 &&
	    strncmp(path, "/sys/", 5) != 0)
		return path;
	free(path);
	return NULL;
}

/* Search for the unit's own file, first in the folders of `files`. */
static bool
find_own(struct locate_search *search, const struct binary *const files[2])
{
	const struct binaries_split *wanted = search->split;

	if (wanted->name == NULL)
		return false;
	search->linked = true;
	search->subject.link = wanted->name;
	for (size_t i = 0; i < 2; i++) {
		const struct binary *file = files[i];
		const char *folder =
			file != NULL ? binaries_folder_of(search->binaries, file) : NULL;

		if (folder != NULL && locate_in(search, folder, NULL))
			return true;
	}
	return locate_run(search) ||
	       ((search->binaries->options & BINARIES_INSIDE) == 0 &&
		locate_look_at(search, LOCATE_BY_COMPILATION, compiled_path(wanted)));
}

static void
report_missing(const struct locate_search *search, const struct binary *from)
{
	const struct binaries_split *wanted = search->split;
	struct message_list *messages = &search->binaries->messages;
	const unsigned before = search->slot->split_missing++;
	char name[LOCATE_SHOWN], path[LOCATE_SHOWN];

	locate_shown(path, place_base_name(from->file.input.name));
	if (before < LIMIT_SPLIT_MESSAGES && wanted->object)
		message_add(messages, MESSAGE_BINARY_SPLIT, (struct place){ 0 },
			    "no object file '%s' that was not changed after the link of '%s'"
			    "\nits lines and inlined calls are missing; give its directory with "
			    "'--binaries', or the dSYM that dsymutil makes of the program",
			    locate_shown(name, wanted->name), path);
	else if (before < LIMIT_SPLIT_MESSAGES)
		message_add(
		    messages, MESSAGE_BINARY_SPLIT, (struct place){ 0 },
		    "no '%s' with the unit %016" PRIx64 " of '%s'\nits names and inlined calls are "
		    "missing; give the directory of the file, or a package, with '--binaries'",
		    locate_shown(name, wanted->name != NULL ? wanted->name : ".dwo file"),
		    wanted->id, path);
	else if (before == LIMIT_SPLIT_MESSAGES)
		message_add(messages, MESSAGE_BINARY_SPLIT, (struct place){ 0 },
			    "more than %u units of '%s' have no file\nonly the first are listed",
			    LIMIT_SPLIT_MESSAGES, path);
}

bool
binaries_find_split(struct binaries *binaries, size_t module, const struct binary *from,
		    const struct binaries_split *wanted)
{
	if (binaries == NULL || module >= binaries->crash->module_count)
		return false;
	pthread_mutex_lock(&binaries->mutex);
	struct locate_search search = binaries_search_for(binaries, module, LOCATE_SPLIT);
	struct binaries_slot *slot = search.slot;
	const struct binary *image = slot->files[LOCATE_IMAGE];
	const struct binary *const files[] = { from, image != from ? image : NULL };

	atomic_store(&slot->done[LOCATE_SPLIT], true);
	search.subject.build_id = from->format == BINARY_ELF ? from->id : "";
	for (size_t i = 0; !slot->packaged && !wanted->object && i < 2; i++)
		if (files[i] != NULL)
			find_beside(&search, files[i]);
	if (!slot->packaged && !wanted->object) {
		locate_run(&search);
		slot->package_count = slot->split_count;
		slot->packaged = true;
	}
	search.split = wanted;
	bool found = false;
	for (size_t i = 0; !found && i < slot->package_count; i++)
		found = wanted->fits(wanted->context, slot->split[i]);
	found = found || find_own(&search, files);
	if (!found)
		report_missing(&search, from);
	pthread_mutex_unlock(&binaries->mutex);
	return found;
}
