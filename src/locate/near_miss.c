/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/symbol_store_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "system/inflate.h"
#include "base/place.h"
#include "crash/crash.h"
#include "locate/foreign.h"
#include "locate/shelf.h"

/* Files that would have been found if one thing about them were different. */

#define PATH_SIZE 4096u
#define SENTENCE_SIZE 512u
/* Digits of the GUID in a debug id; behind them stands the age. */
#define GUID_DIGITS 32u
/* Things of one kind that are told. */
#define MOST_TOLD 4u

struct hunt {
	const struct wanted *wanted;
	struct root *place;
	const char *root;		/* its path */
	bool any_layout;		/* what is compressed, or elsewhere, would have been found */
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

/* The same with letters of any case. */
static bool
stands_folded(const char *root, const char *name, char *path)
{
	if (stands(root, "", name, path))
		return true;
	struct shelf *shelf = shelf_open(root);
	const struct shelf_entry *entry = shelf == NULL ? NULL : shelf_named(shelf, name);
	const bool found = entry != NULL && make_path(path, "%s/%s", root, entry->name);
	shelf_free(shelf);
	return found;
}

/* ROOT/NAME has directories of other ids. */
static void
hunt_other_ids(struct hunt *hunt)
{
	char folder[PATH_SIZE], path[PATH_SIZE];
	struct shelf *shelf = NULL;

	hunt->told = 0;
	if (stands_folded(hunt->root, hunt->wanted->name, folder))
		shelf = shelf_open(folder);
	/* Likely ones first: of a module with a hundred builds one is nearly right. */
	for (int likely = 1; shelf != NULL && likely >= 0; likely--)
		for (size_t i = 0; i < shelf->count; i++) {
			const struct shelf_entry *entry = &shelf->entries[i];

			if (entry->folder && strcasecmp(entry->name, hunt->wanted->id) != 0 &&
			    (likeness(hunt->wanted->id, entry->name) != NULL) == (likely == 1) &&
			    make_path(path, "%s/%s", folder, entry->name))
				tell_id(hunt, path, entry->name);
		}
	shelf_free(shelf);
}

/* What is wrong with a file whatever module it is for; NULL: it is a symbol file. */
static const char *
fault_of(const struct shelf_head *head, const char **help)
{
	static const struct {
		const char *what, *help;
	} faults[] = {
		{ "can't be read", "see who may read it" },
		{ "is empty", "write it again: whatever made it was stopped or found nothing" },
		{ "is UTF-16, as '>' of PowerShell writes", "convert it: iconv -f UTF-16 -t UTF-8" },
		{ "has no MODULE record at its beginning",
		  "a symbol file is text that begins with a MODULE record" },
	};
	const size_t fault = !head->read ? 0 : head->empty ? 1 : head->utf16 ? 2 : 3;

	if (head->id != NULL)
		return NULL;
	*help = faults[fault].help;
	return faults[fault].what;
}

/* Say what is wrong with such a file; false: nothing is. */
static bool
tell_fault(struct hunt *hunt, const char *path, const struct shelf_head *head)
{
	char what[SENTENCE_SIZE];
	const char *help, *fault = fault_of(head, &help);

	if (fault == NULL)
		return false;
	if (head->foreign != NULL) {
		snprintf(what, sizeof(what), "the file is no symbol file, but %s",
			 head->foreign->what);
		help = head->foreign->help;
	} else {
		snprintf(what, sizeof(what), "the file %s", fault);
	}
	tell(hunt, path, what, help);
	return true;
}

/* A file of the right id that a search did not take: for its name, its place or its compression. */
static void
tell_right(struct hunt *hunt, const char *path, const struct shelf_entry *entry, bool in_place)
{
	char *whole = search_path("", hunt->wanted->name, hunt->wanted->id);
	char what[SENTENCE_SIZE], help[SENTENCE_SIZE], shown[SENTENCE_SIZE / 2], expected[PATH_SIZE];

	text_printable(shown, sizeof(shown), text_of(whole == NULL ? "" : whole + 1));
	snprintf(help, sizeof(help), "put it at %s below the directory that is given", shown);
	if (entry->head.kind != INFLATE_NONE && !hunt->any_layout) {
		snprintf(what, sizeof(what), "the right file, but compressed with %s",
			 inflate_name(entry->head.kind));
		tell(hunt, path, what, "decompress it: minidump_stackwalk, and so '--compat', reads "
				       "plain files only");
	} else if (!in_place) {
		tell(hunt, path, "the right file, but minidump_stackwalk, and so '--compat', looks "
				 "elsewhere", help);
	} else if (whole != NULL && make_path(expected, "%s%s", hunt->root, whole) &&
		   strcmp(path, expected) != 0) {
		tell(hunt, path, "the right file under another name", help);
	}
	free(whole);
}

/* Files of ROOT/NAME/ID, where the one stands that is looked for, or should. */
static void
hunt_in(struct hunt *hunt, const char *name, const char *id)
{
	char above[PATH_SIZE], folder[PATH_SIZE], path[PATH_SIZE];
	struct shelf *shelf;

	hunt->told = 0;
	if (!stands_folded(hunt->root, name, above) || !stands_folded(above, id, folder) ||
	    (shelf = shelf_open(folder)) == NULL)
		return;
	shelf_look(shelf, folder);
	for (size_t i = 0; i < shelf->count; i++) {
		const struct shelf_entry *entry = &shelf->entries[i];

		if (entry->folder || !make_path(path, "%s/%s", folder, entry->name) ||
		    tell_fault(hunt, path, &entry->head))
			continue;
		if (strcasecmp(entry->head.id, hunt->wanted->id) == 0)
			tell_right(hunt, path, entry, true);
		else
			tell_id(hunt, path, entry->head.id);
	}
	shelf_free(shelf);
}

static void
hunt_right_folder(struct hunt *hunt)
{
	const struct wanted *wanted = hunt->wanted;

	if (wanted->safe)
		hunt_in(hunt, wanted->name, wanted->id);
	if (wanted->code_safe && (!wanted->safe || strcasecmp(wanted->name, wanted->code_name) != 0 ||
				  strcasecmp(wanted->id, wanted->code_id) != 0))
		hunt_in(hunt, wanted->code_name, wanted->code_id);
}

/* Whether a file is called like a module's: "ledger.pdb", "ledger.pd_", "ledger.sym.bz2". */
static bool
is_named_like(const char *file, const char *name)
{
	const size_t length = strlen(name), stem = strcspn(name, ".");

	if (stem == 0)
		return false;
	if (strlen(file) == length && strncasecmp(file, name, length - 1) == 0 &&
	    (file[length - 1] == '_' || strcasecmp(file, name) == 0))
		return true;
	return strncasecmp(file, name, stem) == 0 && file[stem] == '.' &&
	       (strcasestr(file, ".sym") != NULL || strcasestr(file, ".debug") != NULL);
}

/* Files of the directory itself. */
static void
hunt_flat_files(struct hunt *hunt)
{
	struct shelf *shelf = search_shelf(hunt->place);
	const struct wanted *wanted = hunt->wanted;
	char path[PATH_SIZE];

	hunt->told = 0;
	if (shelf == NULL)
		return;
	shelf_look(shelf, hunt->root);
	for (size_t i = 0; i < shelf->count; i++) {
		const struct shelf_entry *entry = &shelf->entries[i];
		const struct shelf_head *head = &entry->head;

		if (entry->folder || !make_path(path, "%s/%s", hunt->root, entry->name))
			continue;
		if (head->id == NULL) {
			if (is_named_like(entry->name, wanted->name) ||
			    is_named_like(entry->name, wanted->code_name))
				tell_fault(hunt, path, head);
		} else if (strcasecmp(head->id, wanted->id) == 0) {
			if (!hunt->any_layout)
				tell_right(hunt, path, entry, false);
		} else if (strcasecmp(head->name, wanted->name) == 0 ||
			   likeness(wanted->id, head->id) != NULL) {
			tell_id(hunt, path, head->id);
		}
	}
}

/* ROOT/OTHER/ID, and ROOT/SUB/NAME/ID: one look at every directory of the root. */
static void
hunt_folders(struct hunt *hunt)
{
	struct shelf *shelf = search_shelf(hunt->place);
	char folder[PATH_SIZE], path[PATH_SIZE], below[PATH_SIZE], help[SENTENCE_SIZE];
	char shown[SHOWN_SIZE];

	hunt->told = 0;
	for (size_t i = 0; shelf != NULL && i < shelf->count; i++) {
		const struct shelf_entry *entry = &shelf->entries[i];

		if (!entry->folder || strcasecmp(entry->name, hunt->wanted->name) == 0 ||
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
}

/* ROOT is NAME, or NAME/ID, itself. */
static void
hunt_below(struct hunt *hunt)
{
	char path[PATH_SIZE], file[PATH_SIZE], *root = realpath(hunt->root, NULL);
	const char *name = hunt->wanted->name;

	hunt->told = 0;
	if (root == NULL)
		return;
	if (strcasecmp(place_base_name(root), name) == 0 &&
	    stands_folded(root, hunt->wanted->id, path)) {
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
	free(root);
}

void
symbols_near_misses(struct symbols *symbols, size_t module, symbols_near *near, void *context)
{
	static void (*const hunts[])(struct hunt *) = { hunt_right_folder, hunt_other_ids, hunt_below,
							hunt_folders, hunt_flat_files };
	const struct wanted wanted = search_wanted(symbols, &symbols->modules[module]);

	if (!wanted.safe && !wanted.code_safe)
		return;
	pthread_mutex_lock(&symbols->cache->mutex);
	for (size_t i = 0; i < symbols->root_count; i++) {
		struct root *root = &symbols->roots[i];
		struct hunt hunt = { .wanted = &wanted, .place = root, .root = root->path,
				     .any_layout = symbols->any_layout, .near = near,
				     .context = context };

		if (root->usable && root->is_file && likeness(wanted.id, root->id) != NULL &&
		    strcasecmp(wanted.id, root->id) != 0)
			tell_id(&hunt, root->path, root->id);
		/* Of a name that is none of a file only the code file's may be looked for. */
		for (size_t j = 0; root->usable && !root->is_file &&
				   j < (wanted.safe ? ARRAY_COUNT(hunts) : 1); j++)
			hunts[j](&hunt);
	}
	pthread_mutex_unlock(&symbols->cache->mutex);
}
