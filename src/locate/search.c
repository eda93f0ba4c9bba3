/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "locate/folder.h"
#include "system/file.h"

/* Ways ----------------------------------------------------------------------------------------- */

static const char *const words_of_ways[LOCATE_WAYS] = {
#define W(id, name, words) [LOCATE_##id] = words,
#include "locate/way.def"
#undef W
};

const char *
locate_way_words(enum locate_way way)
{
	return words_of_ways[way];
}

/* Roots ---------------------------------------------------------------------------------------- */

struct locate_root
locate_root_open(const char *path, struct arena *arena)
{
	struct locate_root root = { .path = path };
	struct stat status;
	const char *problem = NULL;

	if (path == NULL)
		return root;
	if (!file_stat(path, &status))
		problem = strerror(errno);
	else if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode))
		problem = "neither a directory nor a regular file";
	else
		root.is_file = S_ISREG(status.st_mode);
	if (problem != NULL)
		root.problem = arena_string(arena, problem);
	return root;
}

const char *
locate_roots_problem(const struct locate_root *roots, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++)
		if (roots[i].problem != NULL && strcmp(roots[i].path, path) == 0)
			return roots[i].problem;
	return NULL;
}

bool
locate_root_is(const struct locate_root *root, const struct stat *status)
{
	struct stat other;

	return file_stat(root->path, &other) && other.st_ino == status->st_ino &&
	       other.st_dev == status->st_dev;
}

/* Places --------------------------------------------------------------------------------------- */

void
locate_report_unreadable(struct message_list *messages, enum message_kind kind, const char *path,
			 const char *reason)
{
	char shown_path[LOCATE_SHOWN * 2], shown_reason[LOCATE_SHOWN * 2];

	text_printable(shown_path, sizeof(shown_path), text_of(path));
	text_printable(shown_reason, sizeof(shown_reason), text_of(reason));
	message_add(messages, kind, (struct place){ 0 }, "no %s from '%s': %s",
		    kind == MESSAGE_SYMBOL_UNREADABLE ? "symbols" : "code", shown_path,
		    shown_reason);
}

void
locate_note_refuse(struct locate_note *note, const char *format, ...)
{
	char text[LOCATE_WHY];

	TEXT_FORMAT(text, format);
	note->outcome = LOCATE_REFUSED;
	text_printable(note->why, sizeof(note->why), text_of(text));
}

/* A copy of a text; `*whole` is false when out of memory. */
static const char *
copied(struct arena *arena, const char *text, bool *whole)
{
	const char *copy = arena_string(arena, text);

	*whole = *whole && copy != NULL;
	return copy;
}

void
locate_keep(struct locate_record *record, const struct locate_note *note)
{
	if (record == NULL)
		return;
	struct arena *arena = record->arena;
	/* There are many searches for units of split DWARF, each with its own subject. */
	const bool many = record->kind == LOCATE_SPLIT;
	bool whole = !many || record->count < LIMIT_SPLIT_PLACES;
	/* The path of a file found compressed, listed or ignoring case is not its row's path. */
	const unsigned unmade = LAYOUT_FOLDED | LAYOUT_PACKED | LAYOUT_LISTED;
	const bool made = !many && note->layout != NULL && (note->layout->flags & unmade) == 0;
	const struct locate_place place = {
		.kind = record->kind, .way = note->way, .outcome = note->outcome,
		.path = whole ? copied(arena, note->path, &whole) : NULL,
		.directory_length = made ? strlen(note->directory) : 0,
		.why = note->why[0] != '\0' ? copied(arena, note->why, &whole) : NULL,
	};
	struct locate_place *kept =
		whole ? ARENA_PUSH(arena, record->places, record->count, record->capacity) : NULL;

	if (kept != NULL)
		*kept = place;
	record->missed += kept == NULL;
}

void
locate_visit_all(const struct locate_record *record, locate_visit *visit, void *context)
{
	for (size_t i = 0; i < record->count; i++)
		visit(context, &record->places[i]);
}

bool
locate_look(struct locate_search *search, struct locate_note *note)
{
	const bool quiet = search->quiet ||
			   (note->layout != NULL && (note->layout->flags & LAYOUT_QUIET) != 0);
	const bool found = search->look(search, note);

	if (!quiet || note->outcome != LOCATE_NOT_THERE ||
	    (note->why[0] != '\0' && !search->quiet))
		locate_keep(search->record, note);
	return found;
}

bool
locate_look_at(struct locate_search *search, enum locate_way way, char *path)
{
	struct locate_note note = { .way = way, .path = path };
	const bool found = path != NULL && locate_look(search, &note);

	free(path);
	return found;
}

/* Check the file at a path made from a row, and free the path. */
static bool
look_at(struct locate_search *search, const struct locate_layout *layout, const char *directory,
	char *path)
{
	struct locate_note note = { .way = layout->way, .layout = layout, .directory = directory,
				    .path = path };
	const bool found = path != NULL && locate_look(search, &note);

	free(path);
	return found;
}

/*
 * Find `relative` in the directory `path`, ignoring case, or compressed. Returns its path, or NULL.
 * Changes `relative` and frees `path`.
 */
static char *
folded_path(char *path, char *relative)
{
	char *rest = NULL;

	for (char *name = strtok_r(relative, "/", &rest); name != NULL && path != NULL;
	     name = strtok_r(NULL, "/", &rest)) {
		struct folder *names = folder_open(path);
		const struct folder_entry *entry = names == NULL ? NULL : folder_named(names, name);
		char *below = NULL, *packed;

		for (const char *const *suffix = layout_suffixes;
		     names != NULL && entry == NULL && *suffix != NULL; suffix++)
			if (asprintf(&packed, "%s%s", name, *suffix) >= 0) {
				entry = folder_named(names, packed);
				free(packed);
			}
		if (entry != NULL && asprintf(&below, "%s/%s", path, entry->name) < 0)
			below = NULL;
		folder_free(names);
		free(path);
		path = below;
	}
	return path;
}

/* Check a path, ignoring case. Several entries of the root may match the path's first part. */
static bool
look_folded(struct locate_search *search, const struct locate_layout *layout,
	    struct locate_root *root, char *path)
{
	const char *relative = path != NULL ? path + 1 : NULL;
	const size_t length = path != NULL ? strcspn(relative, "/") : 0;
	const struct folder *names =
		path != NULL && root != NULL ? folder_kept(search->folders, root->path) : NULL;
	bool found = false;

	for (size_t i = 0; names != NULL && i < names->count && !found; i++) {
		const struct folder_entry *entry = &names->entries[i];
		char *folder, *below;

		/* The file with the exact name was checked already. */
		if (entry->folder == (relative[length] == '\0') ||
		    (!entry->folder && strcmp(entry->name, relative) == 0) ||
		    strlen(entry->name) != length ||
		    strncasecmp(entry->name, relative, length) != 0 ||
		    asprintf(&folder, "%s/%s", root->path, entry->name) < 0)
			continue;
		below = strdup(relative + length);
		found = below != NULL &&
			look_at(search, layout, root->path, folded_path(folder, below));
		free(below);
	}
	free(path);
	return found;
}

static bool
look_by(struct locate_search *search, const struct locate_layout *layout, const char *directory,
	struct locate_root *root)
{
	const char *above = (layout->flags & LAYOUT_FOLDED) != 0 ? "" : directory;
	bool found = false;
	char *packed;

	if ((layout->flags & LAYOUT_LISTED) != 0)
		return root != NULL && search->list(search, root);
	char *path = layout_path(&search->subject, above, layout->pattern);
	if ((layout->flags & LAYOUT_FOLDED) != 0)
		return look_folded(search, layout, root, path);
	if ((layout->flags & LAYOUT_PACKED) == 0)
		return look_at(search, layout, directory, path);
	for (size_t i = 0; path != NULL && !found && layout_suffixes[i] != NULL; i++)
		if (asprintf(&packed, "%s%s", path, layout_suffixes[i]) >= 0)
			found = look_at(search, layout, directory, packed);
	free(path);
	return found;
}

bool
locate_in(struct locate_search *search, const char *directory, struct locate_root *root)
{
	for (size_t row = 0; row < layout_count; row++) {
		const struct locate_layout *layout = &layout_rows[row];

		if (layout->kind != search->kind ||
		    ((layout->flags & LAYOUT_LINKED) != 0) != search->linked ||
		    (root != NULL && root->layouts != 0 && (layout->flags & root->layouts) == 0))
			continue;
		if (look_by(search, layout, directory, root))
			return true;
		if (search->first_only)
			break;
	}
	return false;
}

bool
locate_run(struct locate_search *search)
{
	for (size_t i = 0; i < search->root_count; i++) {
		struct locate_root *root = &search->roots[i];
		const enum locate_entry entry = search->enter(search, root);

		search->quiet = root->quiet;
		if (entry == LOCATE_FOUND ||
		    (entry == LOCATE_ENTER && locate_in(search, root->path, root)))
			return true;
		search->quiet = false;
	}
	return false;
}
