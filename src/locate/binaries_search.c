/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* Places ---------------------------------------------------------------------------------------- */

static void
keep(struct locate_search *base, const struct locate_note *note)
{
	const struct binaries_search *search = (const struct binaries_search *)base;

	locate_record_keep(search->record, &search->binaries->places, note);
}

/* A file without its code is no image: it is kept aside, and the search goes on. */
static struct binary *
set_aside(const struct binaries_search *search, struct binary *binary, struct locate_note *note)
{
	struct binaries_slot *slot = search->slot;

	if (slot->stripped == NULL) {
		note->outcome = LOCATE_ASIDE;
		slot->stripped = binary;
	} else {
		locate_note_refuse(note, "it has no code, and another debug file was found "
					 "already");
		binary_close(binary);
	}
	return NULL;
}

static bool
look(struct locate_search *base, struct locate_note *note)
{
	struct binaries_search *search = (struct binaries_search *)base;
	struct binary *binary = binaries_open_matching(search, note);

	if (binary != NULL && base->kind == LOCATE_IMAGE && binary->debug_only)
		binary = set_aside(search, binary, note);
	search->found = binary;
	return binary != NULL;
}

struct binary *
binaries_look_at(struct binaries_search *search, struct locate_note *note)
{
	locate_look(&search->search, note);
	return search->found;
}

static bool
has_modules_name(const struct locate_root *root, const struct module *module)
{
	return strcmp(place_base_name(root->path), place_base_name(module->code_file)) == 0;
}

/* Whether a file that was given by itself is for a module: by its id, or by its name. */
static bool
root_fits(const struct binaries *binaries, const struct locate_root *root,
	  const struct module *module)
{
	static const enum binary_format formats[] = { BINARY_ELF, BINARY_PE };
	char wanted[LOCATE_SHOWN], found[LOCATE_SHOWN];

	for (size_t i = 0; root->id != NULL && i < ARRAY_COUNT(formats); i++)
		if (binaries_match(binaries->crash, module, formats[i], root->id, wanted, found) ==
		    BINARIES_MATCH_YES)
			return true;
	return has_modules_name(root, module);
}

/* A place that was given: a file is one for images alone. */
static enum locate_entry
enter(struct locate_search *base, struct locate_root *root)
{
	struct binaries_search *search = (struct binaries_search *)base;
	struct locate_note note = { .way = LOCATE_GIVEN, .path = root->path };

	search->by_id = root->by_id;
	if (root->problem == NULL && !root->is_file)
		return LOCATE_ENTER;
	if (base->kind != LOCATE_IMAGE ||
	    (root->is_file && !root_fits(search->binaries, root, base->subject.module)))
		return LOCATE_PASS;
	if (root->problem == NULL)
		return locate_look(base, &note) ? LOCATE_FOUND : LOCATE_PASS;
	locate_note_refuse(&note, "%s", root->problem);
	keep(base, &note);
	return LOCATE_PASS;
}

struct binaries_search
binaries_search_for(struct binaries *binaries, size_t module, enum binaries_kind kind)
{
	const struct module *of = &binaries->crash->modules[module];
	struct binaries_slot *slot = &binaries->slots[module];

	return (struct binaries_search){
		.binaries = binaries, .slot = slot, .record = &slot->records[kind],
		.search = { .roots = binaries->roots, .root_count = binaries->root_count,
			    .subject = { .module = of,
					 .build_id = binaries_build_id(binaries->crash, of) },
			    .kind = (enum locate_kind)kind,
			    .enter = enter, .look = look, .keep = keep },
	};
}

static struct binary *
find(struct binaries_search *search)
{
	search->record->subject = search->search.subject;
	return locate_run(&search->search) ? search->found : NULL;
}

/* Linked files ---------------------------------------------------------------------------------- */

/* The files that links are read from: what was found where an image was looked for. */
static const struct binary *
linking(const struct binaries_slot *slot)
{
	return slot->files[BINARIES_IMAGE] != NULL ? slot->files[BINARIES_IMAGE] : slot->stripped;
}

/* The directory of a file, which lives as long as the binaries; NULL when out of memory. */
static const char *
directory_of(struct binaries *binaries, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return ".";
	return arena_copy(&binaries->arena, path, (size_t)(slash - path));
}

/* Note, of a file that names another one, why that is not looked for. */
static void
refuse_link(struct binaries_search *search, const struct binary *from, enum locate_way way,
	    const char *why)
{
	struct locate_note note = { .way = way, .path = from->file.input.name };

	locate_note_refuse(&note, "%s", why);
	keep(&search->search, &note);
}

/* Whether a name is safe to look for; where it is not a message says so. */
static bool
is_safe_link(struct binaries_search *search, const struct binary *from, const char *name)
{
	char shown_name[LOCATE_SHOWN], shown_path[LOCATE_SHOWN];

	if (layout_safe_name(name))
		return true;
	message_add(&search->binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
		    "the .gnu_debuglink of '%s' is not a file name, found '%s'\nnot searched",
		    locate_shown(shown_path, from->file.input.name),
		    locate_shown(shown_name, name));
	refuse_link(search, from, LOCATE_BY_LINK, "its .gnu_debuglink is not a file name");
	return false;
}

struct binary *
binaries_find_linked(struct binaries_search search)
{
	const struct binary *from = linking(search.slot);
	struct debug_link link;

	if (from == NULL || !debug_link_read(from, &link) ||
	    !is_safe_link(&search, from, link.name))
		return NULL;
	search.link = &link;
	search.by_id = false;
	search.search.linked = true;
	search.search.subject.link = link.name;
	search.record->subject = search.search.subject;
	const char *folder = directory_of(search.binaries, from->file.input.name);
	return folder != NULL && locate_in(&search.search, folder) ? search.found : find(&search);
}

/* The directory that was given and has a file; NULL: it was given itself. */
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

/* The supplement where a debug file says that it is: dwz writes paths from its folder. */
static struct binary *
find_relative(struct binaries_search *search, const struct binary *from)
{
	const char *file = from->file.input.name;
	char *path = layout_relative_path(file, root_of(search->binaries, file),
					  search->search.subject.link);
	struct locate_note note = { .way = LOCATE_BY_SUPPLEMENT, .path = path };
	struct binary *binary = path != NULL ? binaries_look_at(search, &note) : NULL;

	free(path);
	return binary;
}

static struct binary *
find_supplement(struct binaries_search *search)
{
	const struct binary *from = binaries_slot_file(search->slot, BINARIES_DEBUG);
	struct locate_subject *subject = &search->search.subject;
	char shown_path[LOCATE_SHOWN];
	struct debug_link link;

	if (from == NULL || !debug_link_read_supplement(from, &link))
		return NULL;
	subject->link = link.name;
	subject->build_id = arena_copy(&search->binaries->arena, link.id, strlen(link.id));
	if (subject->build_id == NULL)
		return NULL;
	if (strcmp(from->id, link.id) != 0) {
		struct binary *binary = find_relative(search, from);

		return binary != NULL ? binary : find(search);
	}
	message_add(&search->binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
		    "the .gnu_debugaltlink of '%s' names the file itself\nnot followed",
		    locate_shown(shown_path, from->file.input.name));
	refuse_link(search, from, LOCATE_BY_SUPPLEMENT,
		    "its .gnu_debugaltlink names the file itself");
	return NULL;
}

static struct binary *
open_mini(struct binaries_search *search)
{
	const struct binary *from = linking(search->slot);
	struct error error = { 0 };
	struct binary *mini;

	if (from == NULL || !debug_link_has_mini(from))
		return NULL;
	struct locate_note note = { .way = LOCATE_WITHIN, .outcome = LOCATE_USED,
				    .path = from->file.input.name };
	if (debug_link_open_mini(&mini, from, &error) != ERROR_NONE) {
		binaries_report_unreadable(search->binaries, from->file.input.name, error.text);
		locate_note_refuse(&note, "%s", error.text);
	}
	keep(&search->search, &note);
	return mini;
}

/* Kinds ----------------------------------------------------------------------------------------- */

void
binaries_learn_build_id(struct binaries_search *search)
{
	const struct binary *image = linking(search->slot);

	if (*search->search.subject.build_id == '\0' && image != NULL && image->format == BINARY_ELF)
		search->search.subject.build_id = image->id;
}

static struct binary *
find_debug(struct binaries_search *search)
{
	binaries_learn_build_id(search);
	struct binary *binary = find(search);
	return binary != NULL ? binary : binaries_find_linked(*search);
}

void
binaries_find(struct binaries_search *search)
{
	static struct binary *(*const finders[BINARIES_KINDS])(struct binaries_search *) = {
		[BINARIES_IMAGE] = find,
		[BINARIES_DEBUG] = find_debug,
		[BINARIES_MINI] = open_mini,
		[BINARIES_SUPPLEMENT] = find_supplement,
	};

	search->slot->files[search->search.kind] = finders[search->search.kind](search);
}
