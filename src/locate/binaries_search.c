/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* Places --------------------------------------------------------------------------------------- */

size_t
binaries_places(const struct binaries *binaries, size_t module, locate_visit *visit,
		void *context)
{
	size_t missed = 0;

	for (enum locate_kind kind = 0; kind < LOCATE_OWN_KINDS; kind++) {
		if (!binaries_looked(binaries, module, kind))
			continue;
		const struct locate_record *record = &binaries->slots[module].records[kind];

		missed += record->missed;
		locate_visit_all(record, visit, context);
	}
	return missed;
}

static bool
look(struct locate_search *search, struct locate_note *note)
{
	if (search->kind == LOCATE_SPLIT)
		return binaries_look_split(search, note);
	struct binary *binary = binaries_open_matching(search, note);
	search->found = binary;
	if (binary == NULL || search->kind != LOCATE_IMAGE || !binary->debug_only)
		return binary != NULL;
	/* A file without its code is not an image: remember it, and continue the search. */
	search->found = NULL;
	if (search->slot->stripped == NULL) {
		note->outcome = LOCATE_ASIDE;
		search->slot->stripped = binary;
	} else {
		locate_note_refuse(note, "it has no code, and another debug file was found "
					 "already");
		binary_close(binary);
	}
	return false;
}

bool
binaries_is_called(const char *path, const char *name)
{
	return strcmp(path, name) == 0 || strcmp(place_base_name(path), name) == 0;
}

/* Whether a file that was given directly belongs to a module: by its ID, name or entry point. */
static bool
root_fits(const struct binaries *binaries, const struct locate_root *root,
	  const struct module *module, const char *name)
{
	char wanted[LOCATE_SHOWN], found[LOCATE_SHOWN];

	if (root->as != NULL)
		return binaries_is_called(module->code_file, root->as);
	const enum binaries_match match =
		root->build.id == NULL ? BINARIES_MATCH_NO
				       : binaries_match(binaries, module, root->build, wanted,
							found);

	return match == BINARIES_MATCH_YES || strcmp(place_base_name(root->path), name) == 0 ||
	       (match == BINARIES_MATCH_UNCHECKED && root->program &&
		module == binaries->crash->modules);
}

/* Whether a file that was given directly may be the requested file. */
static bool
file_fits(const struct locate_search *search, const struct locate_root *root)
{
	const struct locate_subject *subject = &search->subject;
	const bool pdb = root->build.id != NULL && root->build.format == BINARY_PDB;

	if (search->kind == (pdb ? LOCATE_DEBUG : LOCATE_IMAGE))
		return root_fits(search->binaries, root, subject->module,
				 pdb ? text_or_empty(subject->pdb)
				     : place_base_name(subject->path));
	/* A given image is loaded already. Other given files supply its missing parts. */
	if (!search->binaries->given || !root->is_file)
		return false;
	if (search->kind == LOCATE_SUPPLEMENT)
		return root->build.id != NULL &&
			       strcmp(root->build.id, subject->build_id) == 0;
	return search->kind == LOCATE_DEBUG &&
	       (search->link == NULL
			? root->build.id != NULL &&
			       strcmp(root->build.id, subject->build_id) == 0
			: strcmp(place_base_name(root->path), search->link->name) == 0);
}

/* How to search a given place, which may be a file. */
static enum locate_entry
enter(struct locate_search *search, struct locate_root *root)
{
	struct locate_note note = { .way = LOCATE_GIVEN, .path = root->path };

	search->by_id = root->layouts == LAYOUT_SYSTEM;
	search->forced = root->as != NULL;
	if (search->by_id && layout_is_zero(search->subject.module->code_id) &&
	    layout_is_zero(search->subject.module->debug_id) &&
	    !(search->kind == LOCATE_IMAGE &&
	      binaries_in_process(search->binaries, search->subject.module)))
		return LOCATE_PASS;
	if (root->problem == NULL && !root->is_file)
		return LOCATE_ENTER;
	if (search->kind == LOCATE_SPLIT && root->is_file)
		return binaries_is_split(search, root->path) && locate_look(search, &note)
			       ? LOCATE_FOUND : LOCATE_PASS;
	if (root->is_file ? !file_fits(search, root) : search->kind != LOCATE_IMAGE)
		return LOCATE_PASS;
	if (root->problem == NULL)
		return locate_look(search, &note) ? LOCATE_FOUND : LOCATE_PASS;
	locate_note_refuse(&note, "%s", root->problem);
	locate_keep(search->record, &note);
	return LOCATE_PASS;
}

struct locate_search
binaries_search_for(struct binaries *binaries, size_t module, enum locate_kind kind)
{
	const struct module *of = &binaries->crash->modules[module];
	struct binaries_slot *slot = &binaries->slots[module];
	const enum crash_os os = binaries->crash->system.os;
	const char *path = layout_plain_path(of->code_file, &binaries->arena);

	return (struct locate_search){
		.roots = binaries->roots, .root_count = binaries->root_count,
		.folders = &binaries->folders, .kind = kind, .record = &slot->records[kind],
		.subject = { .module = of,
			     .path = path,
			     .bundle = os == CRASH_OS_MAC || os == CRASH_OS_IOS
					       ? place_base_name(path) : NULL,
			     .build_id = binaries_build_id(binaries->crash, of) },
		.enter = enter, .look = look, .binaries = binaries, .slot = slot,
	};
}

static struct binary *
find(struct locate_search *search)
{
	return locate_run(search) ? search->found : NULL;
}

/* Find a module's image: a given file, else the bytes in the memory of the dump. */
static struct binary *
find_image(struct locate_search *search)
{
	struct binaries *binaries = search->binaries;
	const struct module *module = search->subject.module;
	struct binary *binary = find(search);
	struct error error = { 0 };

	if (binary != NULL || !binaries->imaged)
		return binary;
	char *name = NULL;
	if (asprintf(&name, "%s (in the dump)", place_base_name(module->code_file)) < 0)
		return NULL;
	struct locate_note note = { .way = LOCATE_IN_PROCESS, .outcome = LOCATE_USED,
				    .path = name };
	const enum error_code code =
		binary_from_process(&binary, name, &binaries->memory, module->base,
				    &binaries->image_budget, &error);
	if (code != ERROR_NONE)
		locate_note_refuse(&note, "%s", error.text);
	if (code != ERROR_NOT_FOUND)
		locate_keep(search->record, &note);
	free(name);
	return binary;
}

/* The file whose links are read: the image, or the file found in its place. */
static const struct binary *
linking(const struct binaries_slot *slot)
{
	return slot->files[LOCATE_IMAGE] != NULL ? slot->files[LOCATE_IMAGE] : slot->stripped;
}

/* Whether a file that was given directly belongs to a module, or to the module's given image. */
static bool
belongs_to(struct binaries *binaries, const struct locate_root *root, size_t module)
{
	const struct binaries_slot *slot = &binaries->slots[module];
	struct locate_search search = binaries_search_for(binaries, module, LOCATE_IMAGE);
	const struct module *of = search.subject.module;
	const struct binary *image = linking(slot);
	const bool pdb = root->build.format == BINARY_PDB;
	struct debug_link link;

	binaries_name_pdb(binaries, of, &search.subject);
	/*
	 * Unless an image was given, a file with the module's name fits even if it is another
	 * build. The search reports the other build.
	 */
	const char *name = pdb		      ? text_or_empty(search.subject.pdb)
			   : binaries->given ? "" : place_base_name(search.subject.path);
	if (root_fits(binaries, root, of, name))
		return true;
	return binaries->given && image != NULL &&
	       (*image->id == '\0' || strcmp(root->build.id, image->id) == 0 ||
		(debug_link_read(image, &link) &&
		 strcmp(place_base_name(root->path), link.name) == 0));
}

size_t
binaries_report_unused(struct binaries *binaries)
{
	char shown[LOCATE_SHOWN], id[LOCATE_SHOWN], more[48] = "", name[LOCATE_SHOWN];
	const struct crash *crash = binaries->crash;
	const struct locate_root *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < binaries->root_count; i++) {
		const struct locate_root *root = &binaries->roots[i];
		size_t module = 0;

		if (!root->is_file || root->build.id == NULL || root->shared || root->as != NULL)
			continue;
		while (module < crash->module_count && !belongs_to(binaries, root, module))
			module++;
		if (module == crash->module_count && count++ == 0)
			first = root;
	}
	if (count == 0)
		return 0;
	if (count > 1)
		snprintf(more, sizeof(more), ", nor %s %zu more file%s",
			 count == 2 ? "is" : "are", count - 1, plural(count - 1));
	locate_shown(shown, first->path);
	locate_shown(id, *first->build.id != '\0' ? first->build.id : "none");
	locate_shown(name, crash->module_count > 0
				   ? place_base_name(crash->modules[0].code_file) : "NAME");
	if (binaries->given)
		message_add(&binaries->messages, MESSAGE_BINARY_ID, (struct place){ 0 },
			    "'%s' is another build than '%s': its id is %s, expected %s"
			    "\nnot used%s", shown, name, id, crash->modules[0].code_id, more);
	else
		message_add(&binaries->messages, MESSAGE_BINARY_ID, (struct place){ 0 },
			    "'%s' is used for no module: the dump has neither its name nor its id, "
			    "%s\nnot used%s; '--as %s=FILE' uses FILE for the module '%s'", shown,
			    id, more, name, name);
	return count;
}

/* Linked files --------------------------------------------------------------------------------- */

/* Note why a file is not searched although `from` names it. */
static void
refuse_link(struct locate_search *search, const struct binary *from, enum locate_way way,
	    const char *why)
{
	struct locate_note note = { .way = way, .path = from->file.input.name };

	locate_note_refuse(&note, "%s", why);
	locate_keep(search->record, &note);
}

const char *
binaries_folder_of(struct binaries *binaries, const struct binary *binary)
{
	const char *path = binary->file.input.name, *slash = strrchr(path, '/');

	return slash == NULL ? "." : arena_copy(&binaries->arena, path, (size_t)(slash - path));
}

/* Find the debug file that the image names: next to the image, else in the given places. */
static struct binary *
find_linked(struct locate_search search)
{
	const struct binary *from = linking(search.slot);
	char shown_name[LOCATE_SHOWN], shown_path[LOCATE_SHOWN];
	struct debug_link link;

	if (from == NULL || !debug_link_read(from, &link))
		return NULL;
	const char *path = from->file.input.name;
	if (!layout_safe_name(link.name)) {
		message_add(&search.binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
			    "the .gnu_debuglink of '%s' is not a file name, found '%s'"
			    "\nnot searched", locate_shown(shown_path, path),
			    locate_shown(shown_name, link.name));
		refuse_link(&search, from, LOCATE_BY_LINK,
			    "its .gnu_debuglink is not a file name");
		return NULL;
	}
	search.link = &link;
	search.by_id = false;
	search.linked = true;
	search.subject.link = link.name;
	/* An image in the dump is in no directory. */
	if (from->memory != NULL)
		return find(&search);
	const char *folder = binaries_folder_of(search.binaries, from);
	return folder != NULL && locate_in(&search, folder, NULL) ? search.found : find(&search);
}

/* The given directory that contains a file; NULL: the file was given directly. */
static const char *
root_of(const struct binaries *binaries, const char *path)
{
	for (size_t i = 0; i < binaries->root_count; i++) {
		const struct locate_root *root = &binaries->roots[i];
		const size_t length = strlen(root->path);

		if (!root->is_file && strncmp(path, root->path, length) == 0 &&
		    (path[length] == '/' || (length > 0 && root->path[length - 1] == '/')))
			return root->path;
	}
	return NULL;
}

static struct binary *
find_supplement(struct locate_search *search)
{
	const struct binary *from = binaries_slot_file(search->slot, LOCATE_DEBUG);
	struct locate_subject *subject = &search->subject;
	char shown_path[LOCATE_SHOWN];
	struct debug_link link;

	if (from == NULL || !debug_link_read_supplement(from, &link))
		return NULL;
	subject->link = link.name;
	subject->build_id = arena_string(&search->binaries->arena, link.id);
	if (subject->build_id == NULL)
		return NULL;
	const char *file = from->file.input.name;
	if (strcmp(from->id, link.id) != 0) {
		/* First try a path relative to the debug file's folder, as dwz writes it. */
		char *path = layout_relative_path(file, root_of(search->binaries, file), link.name);

		return locate_look_at(search, LOCATE_BY_SUPPLEMENT, path) ? search->found
									   : find(search);
	}
	message_add(&search->binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
		    "the .gnu_debugaltlink of '%s' names the file itself\nnot followed",
		    locate_shown(shown_path, file));
	refuse_link(search, from, LOCATE_BY_SUPPLEMENT,
		    "its .gnu_debugaltlink names the file itself");
	return NULL;
}

static struct binary *
open_mini(struct locate_search *search)
{
	const struct binary *from = linking(search->slot);
	struct error error = { 0 };
	struct binary *mini;

	if (from == NULL || !debug_link_has_mini(from))
		return NULL;
	struct locate_note note = { .way = LOCATE_WITHIN, .outcome = LOCATE_USED,
				    .path = from->file.input.name };
	if (debug_link_open_mini(&mini, from, &error) != ERROR_NONE) {
		locate_report_unreadable(&search->binaries->messages, MESSAGE_BINARY_UNREADABLE,
					 from->file.input.name, error.text);
		locate_note_refuse(&note, "%s", error.text);
	}
	locate_keep(search->record, &note);
	return mini;
}

/* Kinds ---------------------------------------------------------------------------------------- */

void
binaries_learn_build_id(struct locate_search *search)
{
	const struct binary *image = linking(search->slot);

	if (*search->subject.build_id == '\0' && image != NULL &&
	    image->format == BINARY_ELF)
		search->subject.build_id = image->id;
}

/* Find a PDB or dSYM next to the image, where builds put it. */
static struct binary *
find_beside(struct locate_search *search)
{
	const struct binary *image = search->slot->files[LOCATE_IMAGE];
	const bool mach = image != NULL && image->format == BINARY_MACH;
	const char *name = mach ? "" : search->subject.pdb;
	char *path = NULL;

	if (image == NULL || image->memory != NULL ||
	    (!mach && (image->format != BINARY_PE || name == NULL || !layout_safe_name(name))))
		return NULL;
	const char *own = image->file.input.name, *base = place_base_name(own);
	if (asprintf(&path, "%.*s%s%s%s", mach ? (int)strlen(own) : (int)(base - own), own,
		     mach ? LAYOUT_DSYM : "", name, mach ? base : "") < 0)
		return NULL;
	return locate_look_at(search, LOCATE_BY_IMAGE, path) ? search->found : NULL;
}

static struct binary *
find_debug(struct locate_search *search)
{
	binaries_learn_build_id(search);
	binaries_name_pdb(search->binaries, search->subject.module, &search->subject);
	struct binary *binary = find(search);
	if (binary == NULL)
		binary = find_beside(search);
	return binary != NULL ? binary : find_linked(*search);
}

static bool
has_debug_info(const struct binary *binary)
{
	static const char *const names[] = { ".debug_info", ".zdebug_info" };

	for (size_t i = 0; binary != NULL && i < ARRAY_COUNT(names); i++) {
		const struct binary_section *section = binary_section(binary, 0, names[i]);

		if (section != NULL && section->data != NULL)
			return true;
	}
	return false;
}

static bool
has_image(const struct binaries_slot *slot)
{
	return slot->files[LOCATE_IMAGE] != NULL;
}

static bool
has_debug_file(const struct binaries_slot *slot)
{
	return slot->files[LOCATE_DEBUG] != NULL ||
	       has_debug_info(binaries_slot_file(slot, LOCATE_DEBUG));
}

/* A debug file needs a supplement only if it names one. */
static bool
has_supplement(const struct binaries_slot *slot)
{
	const struct binary *debug = binaries_slot_file(slot, LOCATE_DEBUG);
	struct debug_link link;

	return slot->files[LOCATE_SUPPLEMENT] != NULL || debug == NULL ||
	       !debug_link_read_supplement(debug, &link);
}

const struct binaries_kind_row binaries_kinds[LOCATE_OWN_KINDS] = {
	[LOCATE_IMAGE] = { LOCATE_IMAGE, find_image, has_image, binaries_is_of_module },
	[LOCATE_DEBUG] = { LOCATE_IMAGE, find_debug, has_debug_file, binaries_is_of_module },
	[LOCATE_MINI] = { LOCATE_IMAGE, open_mini, NULL, binaries_is_of_module },
	[LOCATE_SUPPLEMENT] = { LOCATE_DEBUG, find_supplement, has_supplement,
				binaries_is_supplement },
	[LOCATE_SPLIT] = { LOCATE_DEBUG, NULL, NULL, binaries_has_split },
};

bool
binaries_is_enough(const struct binaries_slot *slot, enum locate_kind kind)
{
	const struct binaries_kind_row *row = &binaries_kinds[kind];

	return row->is_enough == NULL || row->is_enough(slot);
}

/* Search for one kind of file, after the kind that names such files. The lock is held. */
static void
load_one(struct binaries *binaries, size_t module, enum locate_kind kind)
{
	struct binaries_slot *slot = &binaries->slots[module];
	const struct binaries_kind_row *row = &binaries_kinds[kind];
	struct locate_search search = binaries_search_for(binaries, module, kind);
	const bool within = kind == LOCATE_MINI || kind == LOCATE_SUPPLEMENT;

	if (atomic_load(&slot->done[kind]) || (within && !atomic_load(&slot->done[row->namer])))
		return;
	if (!slot->searched[kind])
		slot->files[kind] = row->find(&search);
	slot->searched[kind] = true;
	if (!binaries_asks_servers(binaries) || slot->answered[kind] ||
	    binaries_is_enough(slot, kind))
		atomic_store(&slot->done[kind], true);
}

void
binaries_load_given(struct binaries *binaries, size_t module, enum locate_kind kind)
{
	const enum locate_kind namer = binaries_kinds[kind].namer;

	load_one(binaries, module, binaries_kinds[namer].namer);
	load_one(binaries, module, namer);
	load_one(binaries, module, kind);
}

void
binaries_find_named(struct binaries *binaries, size_t module)
{
	struct binaries_slot *slot = &binaries->slots[module];
	const struct binary *image = slot->files[LOCATE_IMAGE];
	struct locate_search search = binaries_search_for(binaries, module, LOCATE_DEBUG);

	if (image == NULL || !slot->searched[LOCATE_DEBUG] ||
	    atomic_load(&slot->done[LOCATE_DEBUG]))
		return;
	/* If the dump identifies the PDB, the search for the PDB needed no image. */
	if (image->format == BINARY_ELF)
		slot->files[LOCATE_DEBUG] = find_linked(search);
	else if (layout_is_zero(binaries->crash->modules[module].debug_id))
		slot->files[LOCATE_DEBUG] = find_debug(&search);
}
