/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/store_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/place.h"
#include "crash/crash.h"
#include "symbols/shelf.h"

/* Files that would have been found if one thing about them were different. */

#define PATH_SIZE 4096u
#define SENTENCE_SIZE 512u
/* Digits of the GUID in a debug id; behind them stands the age. */
#define GUID_DIGITS 32u
/* Things of one kind that are told. */
#define MOST_TOLD 4u

struct hunt {
	const struct wanted *wanted;
	const char *root;
	symbols_near *near;
	void *context;
	size_t told;			/* of the kind in hand */
};

/* A path of PATH_SIZE bytes; false where it is longer. */
static bool ATTRIBUTE_PRINTF(2, 3)
make_path(char *path, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	const int length = vsnprintf(path, PATH_SIZE, format, arguments);
	va_end(arguments);
	return length > 0 && (size_t)length < PATH_SIZE;
}

static void
tell(struct hunt *hunt, const char *path, const char *what, const char *help)
{
	if (hunt->told++ < MOST_TOLD)
		hunt->near(hunt->context, path, what, help);
}

/* The id with the bytes of a GUID's first three numbers in the other order. */
static bool
swapped(const char *id, char *result)
{
	static const unsigned char order[] = { 6, 7, 4, 5, 2, 3, 0, 1, 10, 11, 8, 9, 14, 15, 12, 13 };
	const size_t length = strlen(id);

	if (length < GUID_DIGITS || length >= SHOWN_SIZE)
		return false;
	memcpy(result, id, length + 1);
	for (size_t i = 0; i < sizeof(order); i++)
		result[i] = id[order[i]];
	return true;
}

static bool
same_guid(const char *one, const char *other)
{
	return strlen(one) >= GUID_DIGITS && strlen(other) >= GUID_DIGITS &&
	       strncasecmp(one, other, GUID_DIGITS) == 0;
}

/* In which way an id is nearly the wanted one; NULL: in none. */
static const char *
likeness(const char *wanted, const char *found)
{
	char turned[SHOWN_SIZE];

	if (strcasecmp(wanted, found) == 0)
		return "the same id";
	if (same_guid(wanted, found))
		return strlen(found) == GUID_DIGITS
			       ? "the id without the age at its end"
			       : "the same GUID with another age";
	if (swapped(wanted, turned) && same_guid(turned, found))
		return strlen(found) == GUID_DIGITS
			       ? "the id with the bytes of the GUID swapped, and without its age"
			       : "the id with the bytes of the GUID swapped";
	return NULL;
}

static void
tell_id(struct hunt *hunt, const char *path, const char *id)
{
	const char *how = likeness(hunt->wanted->id, id);
	char what[SENTENCE_SIZE], help[SENTENCE_SIZE], shown[SHOWN_SIZE], wanted[SHOWN_SIZE];

	store_shown(shown, id);
	store_shown(wanted, hunt->wanted->id);
	if (how != NULL)
		snprintf(what, sizeof(what), "it has %s: %s", how, shown);
	else
		snprintf(what, sizeof(what), "it is for another build, with the id %s", shown);
	if (how == NULL)
		snprintf(help, sizeof(help), "symbols of the build that crashed are needed");
	else
		snprintf(help, sizeof(help),
			 "if it is of the same build, its MODULE record and directory should say %s",
			 wanted);
	tell(hunt, path, what, help);
}

static bool
stands(const char *root, const char *below, const char *name, char *path)
{
	return make_path(path, "%s/%s%s%s", root, below, below[0] != '\0' ? "/" : "", name) &&
	       access(path, F_OK) == 0;
}

/* ROOT/NAME has directories of other ids. */
static void
hunt_other_ids(struct hunt *hunt)
{
	char folder[PATH_SIZE], path[PATH_SIZE];
	struct shelf *shelf = NULL;

	hunt->told = 0;
	if (stands(hunt->root, "", hunt->wanted->name, folder))
		shelf = shelf_open(folder);
	/* Likely ones first: of a module with a hundred builds one is nearly right. */
	for (int likely = 1; shelf != NULL && likely >= 0; likely--)
		for (size_t i = 0; i < shelf->count; i++) {
			const struct shelf_entry *entry = &shelf->entries[i];

			if (entry->folder && strcmp(entry->name, hunt->wanted->id) != 0 &&
			    (likeness(hunt->wanted->id, entry->name) != NULL) == (likely == 1) &&
			    make_path(path, "%s/%s", folder, entry->name))
				tell_id(hunt, path, entry->name);
		}
	shelf_free(shelf);
}

/* ROOT/NAME/ID is there, but not the file that belongs there, or that is none. */
static void
hunt_right_folder(struct hunt *hunt)
{
	char folder[PATH_SIZE], path[PATH_SIZE], below[PATH_SIZE], what[SENTENCE_SIZE];
	struct shelf *shelf;

	hunt->told = 0;
	if (!make_path(below, "%s/%s", hunt->wanted->name, hunt->wanted->id) ||
	    !stands(hunt->root, "", below, folder) || (shelf = shelf_open(folder)) == NULL)
		return;
	shelf_look(shelf, folder);
	for (size_t i = 0; i < shelf->count; i++) {
		const struct shelf_entry *entry = &shelf->entries[i];
		const struct shelf_head *head = &entry->head;
		const char *help = "a symbol file is text that begins with a MODULE record";

		if (entry->folder)
			continue;
		if (!make_path(path, "%s/%s", folder, entry->name))
			continue;
		if (head->empty) {
			snprintf(what, sizeof(what), "the file is empty");
			help = "write it again: whatever made it was stopped or found nothing";
		} else if (head->utf16) {
			snprintf(what, sizeof(what), "the file is UTF-16, as '>' of PowerShell writes");
			help = "convert it: iconv -f UTF-16 -t UTF-8";
		} else if (head->id == NULL) {
			snprintf(what, sizeof(what), "the file has no MODULE record at its beginning");
		} else if (strcasecmp(head->id, hunt->wanted->id) == 0) {
			continue;
		} else {
			tell_id(hunt, path, head->id);
			continue;
		}
		tell(hunt, path, what, help);
	}
	shelf_free(shelf);
}

/* Files of the directory itself. */
static void
hunt_flat_files(struct hunt *hunt)
{
	struct shelf *shelf = shelf_open(hunt->root);
	const char *name = hunt->wanted->name;
	const size_t stem = strcspn(name, ".");
	char path[PATH_SIZE];

	hunt->told = 0;
	if (shelf == NULL)
		return;
	shelf_look(shelf, hunt->root);
	for (size_t i = 0; i < shelf->count; i++) {
		const struct shelf_entry *entry = &shelf->entries[i];
		const struct shelf_head *head = &entry->head;
		const bool named = stem != 0 && strncasecmp(entry->name, name, stem) == 0 &&
				   strcasestr(entry->name, ".sym") != NULL;

		if (!make_path(path, "%s/%s", hunt->root, entry->name))
			continue;
		if (named && head->utf16)
			tell(hunt, path, "the file is UTF-16, as '>' of PowerShell writes",
			     "convert it: iconv -f UTF-16 -t UTF-8");
		else if (named && head->read && head->empty)
			tell(hunt, path, "the file is empty",
			     "write it again: whatever made it was stopped or found nothing");
		else if (head->id != NULL && strcasecmp(head->id, hunt->wanted->id) != 0 &&
			 (strcasecmp(head->name, name) == 0 ||
			  likeness(hunt->wanted->id, head->id) != NULL))
			tell_id(hunt, path, head->id);
	}
	shelf_free(shelf);
}

/* ROOT/OTHER/ID, and ROOT/SUB/NAME/ID: one look at every directory of the root. */
static void
hunt_folders(struct hunt *hunt)
{
	struct shelf *shelf = shelf_open(hunt->root);
	char folder[PATH_SIZE], path[PATH_SIZE], below[PATH_SIZE], help[SENTENCE_SIZE];
	char shown[SHOWN_SIZE];

	hunt->told = 0;
	for (size_t i = 0; shelf != NULL && i < shelf->count; i++) {
		const struct shelf_entry *entry = &shelf->entries[i];

		if (!entry->folder || strcmp(entry->name, hunt->wanted->name) == 0 ||
		    !make_path(folder, "%s/%s", hunt->root, entry->name))
			continue;
		if (stands(folder, "", hunt->wanted->id, path)) {
			snprintf(help, sizeof(help), "a directory of the name %s is looked for",
				 store_shown(shown, hunt->wanted->name));
			tell(hunt, path, "the same id under another name", help);
		}
		if (make_path(below, "%s/%s", hunt->wanted->name, hunt->wanted->id) &&
		    stands(folder, "", below, path)) {
			snprintf(help, sizeof(help), "name '%s' instead: the directory that was given "
				 "is one too high", store_shown(shown, folder));
			tell(hunt, path, "the right directory, one level further down", help);
		}
	}
	shelf_free(shelf);
}

/* ROOT is NAME, or NAME/ID, itself. */
static void
hunt_below(struct hunt *hunt)
{
	char path[PATH_SIZE], root[PATH_SIZE], file[PATH_SIZE];
	const size_t length = strlen(hunt->root);
	const char *name = hunt->wanted->name;

	hunt->told = 0;
	if (length == 0 || length >= sizeof(root))
		return;
	memcpy(root, hunt->root, length + 1);
	for (size_t end = length; end > 1 && root[end - 1] == '/'; end--)
		root[end - 1] = '\0';
	if (strcasecmp(place_base_name(root), name) == 0 &&
	    stands(root, "", hunt->wanted->id, path)) {
		tell(hunt, path, "the right directory, but the one that was given is one too deep",
		     "name the directory above it");
	} else if (strcasecmp(place_base_name(root), hunt->wanted->id) == 0) {
		char *whole = search_path("", name, hunt->wanted->id);

		if (whole != NULL && make_path(file, "%s", place_base_name(whole)) &&
		    stands(root, "", file, path))
			tell(hunt, path,
			     "the right file, but the directory that was given is two too deep",
			     "name the directory two above it");
		free(whole);
	}
}

void
symbols_near_misses(struct symbols *symbols, size_t module, symbols_near *near, void *context)
{
	static void (*const hunts[])(struct hunt *) = { hunt_right_folder, hunt_other_ids, hunt_below,
							hunt_folders, hunt_flat_files };
	const struct wanted wanted = search_wanted(symbols, &symbols->modules[module]);

	if (!wanted.safe)
		return;
	for (size_t i = 0; i < symbols->root_count; i++) {
		const struct root *root = &symbols->roots[i];
		struct hunt hunt = { .wanted = &wanted, .root = root->path, .near = near,
				     .context = context };

		if (root->usable && root->is_file && likeness(wanted.id, root->id) != NULL &&
		    strcasecmp(wanted.id, root->id) != 0)
			tell_id(&hunt, root->path, root->id);
		for (size_t j = 0; root->usable && !root->is_file && j < ARRAY_COUNT(hunts); j++)
			hunts[j](&hunt);
	}
}
