/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/inflate.h"
#include "base/place.h"
#include "crash/crash.h"
#include "locate/folder.h"
#include "locate/symbol_store_internal.h"
#include "system/file.h"

/* Files that a search would find if they differed in one respect. */

/* Maximum number of reported near misses of one form. */
#define MOST_TOLD 4u

struct near_search {
	struct locate_subject subject;
	struct locate_root *root;
	struct folder **folders;	/* as in struct locate_search */
	struct locate_near_list *list;
	size_t told;			/* number of near misses reported for the current form */
	struct arena arena;		/* paths and sentences, freed at the end */
	/* the name and the ID of the symbol file can be parts of a path */
	bool named;
	/* compressed files and files in other layouts are used, too */
	bool any_layout;
	/* the module's own files, and their missing kinds; NULL: the symbol file is missing */
	struct binaries *binaries;
	bool wanted[LOCATE_OWN_KINDS];
};

static void
tell(struct near_search *near, const char *path, const char *what, const char *help)
{
	struct locate_near_list *list = near->list;
	struct arena *arena = list->arena;

	if (path == NULL || what == NULL || help == NULL || near->told++ >= MOST_TOLD)
		return;
	const struct locate_near_miss miss = { arena_string(arena, path), arena_string(arena, what),
					       arena_string(arena, help) };
	if (miss.path != NULL && miss.what != NULL && miss.help != NULL)
		ARENA_ADD(arena, list->items, list->count, list->capacity, &miss);
}

static const char *
path_below(struct near_search *near, const char *directory, const char *name)
{
	const size_t length = strlen(directory);
	const bool slash = length > 0 && directory[length - 1] == '/';

	return arena_format(&near->arena, "%s%s%s", directory, slash ? "" : "/", name);
}

/* Symbol files --------------------------------------------------------------------------------- */

/* The ID with the byte order of the first three numbers of its GUID reversed. */
static bool
swapped(const char *id, char *result)
{
	static const unsigned char order[] = {
		6, 7, 4, 5, 2, 3, 0, 1, 10, 11, 8, 9, 14, 15, 12, 13
	};
	const size_t length = strlen(id);

	if (length < GUID_DIGITS || length >= LOCATE_SHOWN)
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

/* How an ID resembles the wanted ID; NULL: not at all. */
static const char *
likeness(const char *wanted, const char *found)
{
	char turned[LOCATE_SHOWN];

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
tell_id(struct near_search *near, const char *path, const char *id)
{
	const char *how = likeness(near->subject.id, id);
	char shown[LOCATE_SHOWN], wanted[LOCATE_SHOWN];

	locate_shown(shown, id);
	if (how == NULL)
		tell(near, path,
		     arena_format(&near->arena, "it is for another build, with the id %s", shown),
		     "the symbols must be of the build that crashed");
	else
		tell(near, path, arena_format(&near->arena, "it has %s: %s", how, shown),
		     arena_format(&near->arena, "if it is of the same build, its MODULE record and "
				  "directory should say %s",
				  locate_shown(wanted, near->subject.id)));
}

static bool
exists(const char *path)
{
	return path != NULL && access(path, F_OK) == 0;
}

/* The path of a name with letters in any case, or NULL. */
static const char *
find_name(struct near_search *near, const char *directory, const char *name)
{
	const char *path = directory == NULL ? NULL : path_below(near, directory, name);

	if (path == NULL || exists(path))
		return path;
	struct folder *names = folder_open(directory);
	const struct folder_entry *entry = names == NULL ? NULL : folder_named(names, name);
	path = entry == NULL ? NULL : path_below(near, directory, entry->name);
	folder_free(names);
	return path;
}

/* Find directories of other IDs in ROOT/NAME. */
static void
find_other_ids(struct near_search *near)
{
	const char *folder = find_name(near, near->root->path, near->subject.name);
	struct folder *names = folder == NULL ? NULL : folder_open(folder);

	/* Similar IDs first, because only the first near misses are reported. */
	for (int likely = 1; names != NULL && likely >= 0; likely--)
		for (size_t i = 0; i < names->count; i++) {
			const struct folder_entry *entry = &names->entries[i];

			if (entry->folder && strcasecmp(entry->name, near->subject.id) != 0 &&
			    (likeness(near->subject.id, entry->name) != NULL) == (likely == 1))
				tell_id(near, path_below(near, folder, entry->name), entry->name);
		}
	folder_free(names);
}

/* Report a file that is wrong for every module; false: it has no such fault. */
static bool
tell_fault(struct near_search *near, const char *path, const struct symbol_head *head)
{
	char buffer[SYMBOL_FAULT];
	const char *help, *fault = symbol_head_fault(head, buffer, &help);

	if (fault != NULL)
		tell(near, path, arena_format(&near->arena, "the file %s", fault), help);
	return fault != NULL;
}

/* Report a file with the right ID that a search refuses for its name, place or compression. */
static void
tell_right(struct near_search *near, const char *path, const struct folder_entry *entry,
	   bool in_place)
{
	char *whole = layout_path(&near->subject, near->root->path, LAYOUT_SYMBOLS);
	const size_t skip = strlen(near->root->path);
	char shown[LOCATE_SHOWN * 2] = "";

	if (whole != NULL)
		text_printable(shown, sizeof(shown),
			       text_of(whole + skip + (whole[skip] == '/' ? 1 : 0)));
	const char *help = arena_format(&near->arena,
					"move it to %s below the given directory", shown);
	if (entry->head.kind != INFLATE_NONE && !near->any_layout)
		tell(near, path, arena_format(&near->arena, "the right file, but compressed with "
							    "%s",
					      inflate_name(entry->head.kind)),
		     "decompress it: minidump_stackwalk (and therefore '--compat') reads only "
		     "uncompressed files");
	else if (!in_place)
		tell(near, path, "the right file, but minidump_stackwalk (and therefore "
				 "'--compat') does not search this place", help);
	else if (whole != NULL && strcmp(path, whole) != 0)
		tell(near, path, "the right file under another name", help);
	free(whole);
}

/* Find files in ROOT/NAME/ID, the directory of the wanted file. */
static void
find_in(struct near_search *near, const char *name, const char *id)
{
	const char *folder = find_name(near, find_name(near, near->root->path, name), id);
	struct folder *names = folder == NULL ? NULL : folder_open(folder);

	near->told = 0;
	if (names == NULL)
		return;
	folder_look(names, folder);
	for (size_t i = 0; i < names->count; i++) {
		const struct folder_entry *entry = &names->entries[i];
		const char *path = entry->folder ? NULL : path_below(near, folder, entry->name);

		if (path == NULL || tell_fault(near, path, &entry->head))
			continue;
		if (strcasecmp(entry->head.id, near->subject.id) == 0)
			tell_right(near, path, entry, true);
		else
			tell_id(near, path, entry->head.id);
	}
	folder_free(names);
}

static void
find_in_right_folder(struct near_search *near)
{
	const struct locate_subject *subject = &near->subject;

	if (near->named)
		find_in(near, subject->name, subject->id);
	if (layout_safe_name(subject->code_name) && layout_safe_name(subject->code_id) &&
	    (!near->named || strcasecmp(subject->name, subject->code_name) != 0 ||
	     strcasecmp(subject->id, subject->code_id) != 0))
		find_in(near, subject->code_name, subject->code_id);
}

/* Whether a file has a module's name: "ledger.pdb", "ledger.pd_", "ledger.sym.bz2". */
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

/* Find files directly in the given directory. */
static void
find_flat_files(struct near_search *near)
{
	struct folder *names = folder_kept(near->folders, near->root->path);
	const struct locate_subject *subject = &near->subject;

	if (names == NULL)
		return;
	folder_look(names, near->root->path);
	for (size_t i = 0; i < names->count; i++) {
		const struct folder_entry *entry = &names->entries[i];
		const struct symbol_head *head = &entry->head;
		const char *path =
			entry->folder ? NULL : path_below(near, near->root->path, entry->name);

		if (path == NULL)
			continue;
		if (head->id == NULL) {
			if (is_named_like(entry->name, subject->name) ||
			    is_named_like(entry->name, subject->code_name))
				tell_fault(near, path, head);
		} else if (strcasecmp(head->id, subject->id) == 0) {
			if (!near->any_layout)
				tell_right(near, path, entry, false);
		} else if (strcasecmp(head->name, subject->name) == 0 ||
			   likeness(subject->id, head->id) != NULL) {
			tell_id(near, path, head->id);
		}
	}
}

/* Find ROOT/OTHER/ID and ROOT/SUB/NAME/ID, for every directory in the root. */
static void
find_folders(struct near_search *near)
{
	const struct locate_subject *subject = &near->subject;
	struct folder *names = folder_kept(near->folders, near->root->path);
	char shown[LOCATE_SHOWN];

	for (size_t i = 0; names != NULL && i < names->count; i++) {
		const struct folder_entry *entry = &names->entries[i];
		const char *folder = path_below(near, near->root->path, entry->name);

		if (!entry->folder || strcasecmp(entry->name, subject->name) == 0 || folder == NULL)
			continue;
		const char *path = path_below(near, folder, subject->id);
		if (exists(path))
			tell(near, path, "the same id under another name",
			     arena_format(&near->arena, "the search expects a directory with the "
							"name %s",
					  locate_shown(shown, subject->name)));
		path = arena_format(&near->arena, "%s/%s/%s", folder, subject->name, subject->id);
		if (exists(path))
			tell(near, path, "the right directory, one level further down",
			     arena_format(&near->arena, "use '%s'", locate_shown(shown, folder)));
	}
}

/* Check whether the given directory is itself NAME or NAME/ID. */
static void
find_above(struct near_search *near)
{
	const struct locate_subject *subject = &near->subject;
	char *root = realpath(near->root->path, NULL);
	const char *path;

	if (root == NULL)
		return;
	if (strcasecmp(place_base_name(root), subject->name) == 0 &&
	    (path = find_name(near, root, subject->id)) != NULL) {
		tell(near, path, "the right directory, but the given one is one level too deep",
		     "use the directory above it");
	} else if (strcasecmp(place_base_name(root), subject->id) == 0) {
		char *file = layout_path(subject, root, "%S.sym");

		if (exists(file))
			tell(near, file,
			     "the right file, but the given directory is two levels too deep",
			     "use the directory two levels above it");
		free(file);
	}
	free(root);
}

void
symbols_near_misses(struct symbols *symbols, size_t module, struct locate_near_list *list)
{
	/*
	 * If the debug file's name cannot be a path, only the first form is run, for the code file.
	 */
	static void (*const forms[])(struct near_search *) = {
		find_in_right_folder, find_other_ids, find_above, find_folders, find_flat_files,
	};
	struct near_search near = {
		.subject = symbol_search_subject(symbols, &symbols->modules[module]),
		.any_layout = symbols->options.any_layout, .list = list,
		.folders = &symbols->cache->folders,
	};
	const struct locate_subject *subject = &near.subject;

	near.named = layout_safe_name(subject->name) && layout_safe_name(subject->id);
	if (!near.named &&
	    !(layout_safe_name(subject->code_name) && layout_safe_name(subject->code_id)))
		return;
	const size_t form_count = near.named ? ARRAY_COUNT(forms) : 1;
	pthread_mutex_lock(&symbols->cache->mutex);
	for (size_t i = 0; i < symbols->root_count; i++) {
		const struct locate_root *root = near.root = &symbols->roots[i];

		near.told = 0;
		if (root->problem != NULL)
			continue;
		if (root->is_file && likeness(subject->id, root->id) != NULL &&
		    strcasecmp(subject->id, root->id) != 0)
			tell_id(&near, root->path, root->id);
		for (size_t form = 0; !root->is_file && form < form_count; form++) {
			near.told = 0;
			forms[form](&near);
		}
	}
	pthread_mutex_unlock(&symbols->cache->mutex);
	arena_free(&near.arena);
}

/* The modules' own files ----------------------------------------------------------------------- */

/* Read the IDs of the first programs and PDBs in a directory. Mark them and folders `listed`. */
static void
list_programs(struct near_search *near, struct folder *names)
{
	unsigned left = LIMIT_BINARIES_LISTED;
	struct binary *binary;

	for (size_t i = 0; i < names->count && i < LIMIT_BINARIES_NAMES && left > 0; i++) {
		struct folder_entry *entry = &names->entries[i];
		const char *path = entry->name[0] == '.' || names->listed
					   ? NULL : path_below(near, near->root->path, entry->name);

		if (path == NULL || (!entry->folder && binary_kind_of(path) != BINARY_KIND_OWN))
			continue;
		left--;
		entry->listed = entry->folder;
		if (entry->folder || binary_open(&binary, path, NULL) != ERROR_NONE)
			continue;
		entry->build = binaries_copy_identity(binary, &names->arena);
		entry->debug_only = binary->debug_only;
		entry->listed = entry->build.id != NULL;
		binary_close(binary);
	}
	names->listed = true;
}

static bool
has_wanted_id(const struct near_search *near, struct binary_identity build)
{
	char wanted[LOCATE_SHOWN], found[LOCATE_SHOWN];

	return binaries_match(near->binaries, near->subject.module, build, wanted, found) ==
	       BINARIES_MATCH_YES;
}

/* Whether the file at a path is the module's file of a kind. */
static bool
is_wanted(struct near_search *near, const char *path, enum locate_kind kind)
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

/* Find files by their layouts in a directory that was not given. */
static void
find_by_layout(struct near_search *near, const char *directory, const char *what)
{
	for (size_t row = 0; row < layout_count; row++) {
		const struct locate_layout *layout = &layout_rows[row];

		if ((layout->flags & LAYOUT_LINKED) != 0 || layout->kind >= LOCATE_OWN_KINDS ||
		    !near->wanted[layout->kind])
			continue;
		char *path = layout_path(&near->subject, directory, layout->pattern);
		if (path != NULL && is_wanted(near, path, layout->kind)) {
			tell(near, path, what,
			     arena_format(&near->arena, "name '%s' with '--binaries'", directory));
			near->wanted[layout->kind] = false;
		}
		free(path);
	}
}

static void
find_listed(struct near_search *near, const struct folder_entry *entry)
{
	const enum locate_kind kind = entry->debug_only ? LOCATE_DEBUG : LOCATE_IMAGE;
	const char *path = entry->listed ? path_below(near, near->root->path, entry->name) : NULL;

	if (path != NULL && entry->folder) {
		find_by_layout(near, path, "it is one directory further down");
	} else if (path != NULL && near->wanted[kind] && has_wanted_id(near, entry->build)) {
		tell(near, path, "it has the id under another name",
		     kind == LOCATE_IMAGE || entry->build.format == BINARY_PDB
			     ? "name the file itself with '--binaries'"
			     : arena_format(&near->arena, "rename it to '%s.debug'",
					    place_base_name(near->subject.module->code_file)));
		near->wanted[kind] = false;
	}
}

/* The given directory may be '.build-id' or a folder in '.build-id': try its parents. */
static void
find_from_above(struct near_search *near)
{
	const char *path = near->root->path;
	size_t length = strlen(path);

	for (unsigned level = 0; level < 2; level++) {
		while (length > 0 && path[length - 1] == '/')
			length--;
		while (length > 0 && path[length - 1] != '/')
			length--;
		const char *above = length == 0 ? "."
						: arena_copy(&near->arena, path,
							     length > 1 ? length - 1 : length);
		if (above == NULL)
			return;
		find_by_layout(near, above, level == 0
			       ? "the given directory is one level too deep"
			       : "the given directory is two levels too deep");
		if (length <= 1)
			return;
	}
}

static void
find_in_listed(struct near_search *near)
{
	struct folder *names = folder_kept(near->folders, near->root->path);

	if (names == NULL)
		return;
	list_programs(near, names);
	for (size_t i = 0; i < names->count; i++)
		find_listed(near, &names->entries[i]);
}

void
binaries_near_misses(struct binaries *binaries, size_t module, bool image, bool debug,
		     struct locate_near_list *list)
{
	static void (*const forms[])(struct near_search *) = { find_from_above, find_in_listed };
	const struct module *of = &binaries->crash->modules[module];
	struct near_search near = {
		.binaries = binaries, .folders = &binaries->folders, .list = list,
		.wanted = { [LOCATE_IMAGE] = image, [LOCATE_DEBUG] = debug },
	};

	*list = (struct locate_near_list){ .arena = &binaries->arena };
	if (!image && !debug)
		return;
	pthread_mutex_lock(&binaries->mutex);
	struct locate_search search = binaries_search_for(binaries, module, LOCATE_IMAGE);
	binaries_learn_build_id(&search);
	near.subject = search.subject;
	binaries_name_pdb(binaries, of, &near.subject);
	for (size_t form = 0; form < ARRAY_COUNT(forms); form++)
		for (size_t i = 0; i < binaries->root_count; i++) {
			near.root = &binaries->roots[i];
			if (!near.root->is_file && near.root->layouts != LAYOUT_SYSTEM &&
			    near.root->problem == NULL)
				forms[form](&near);
		}
	pthread_mutex_unlock(&binaries->mutex);
	arena_free(&near.arena);
}
