/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* Places ---------------------------------------------------------------------------------------- */

static void
keep(const struct binaries_search *search, const struct binaries_note *note)
{
	binaries_note_keep(search->record, &search->binaries->places, note);
}

/* A file without its code is no image: it is kept aside, and the search goes on. */
static struct binary *
set_aside(const struct binaries_search *search, struct binary *binary, struct binaries_note *note)
{
	struct binaries_slot *slot = search->slot;

	if (slot->stripped == NULL) {
		note->outcome = BINARIES_ASIDE;
		slot->stripped = binary;
	} else {
		binaries_note_refuse(note, "its code was stripped away, and a file like it was "
				     "found already");
		binary_close(binary);
	}
	return NULL;
}

struct binary *
binaries_look_at(const struct binaries_search *search, const char *path,
		 struct binaries_note *note)
{
	struct binary *binary = binaries_open_matching(search, path, note);

	if (binary != NULL && search->kind == BINARIES_IMAGE && binary->debug_only)
		binary = set_aside(search, binary, note);
	keep(search, note);
	return binary;
}

/* What the rows of the table find in one directory, whose name lives as long as the binaries. */
static struct binary *
find_in(const struct binaries_search *search, const char *directory)
{
	struct binary *binary = NULL;

	search->record->subject = search->subject;
	for (size_t row = 0; binary == NULL && row < binaries_layout_count; row++) {
		const struct binaries_layout *layout = &binaries_layouts[row];
		struct binaries_note note = { .way = layout->way, .layout = layout,
					      .directory = directory };

		if (layout->kind != search->kind || layout->linked != (search->link != NULL))
			continue;
		char *path = binaries_path(&search->subject, directory, layout->pattern);
		if (path != NULL)
			binary = binaries_look_at(search, path, &note);
		free(path);
	}
	return binary;
}

static bool
has_modules_name(const struct binaries_root *root, const struct module *module)
{
	return strcmp(place_base_name(root->path), place_base_name(module->code_file)) == 0;
}

/* Whether a file that was given by itself is for a module: by its id, or by its name. */
static bool
root_fits(const struct binaries *binaries, const struct binaries_root *root,
	  const struct module *module)
{
	static const enum binary_format formats[] = { BINARY_ELF, BINARY_PE };
	char wanted[BINARIES_SHOWN], found[BINARIES_SHOWN];

	for (size_t i = 0; root->id != NULL && i < ARRAY_COUNT(formats); i++)
		if (binaries_match(binaries->crash, module, formats[i], root->id, wanted, found) ==
		    BINARIES_MATCH_YES)
			return true;
	return has_modules_name(root, module);
}

/* The same of a place that was given: a file is one for images alone. */
static struct binary *
find_in_root(struct binaries_search *search, const struct binaries_root *root)
{
	struct binaries_note note = { .way = BINARIES_GIVEN, .path = root->path };

	search->by_id = root->by_id;
	if (root->problem == NULL && !root->is_file)
		return find_in(search, root->path);
	if (search->kind != BINARIES_IMAGE ||
	    (root->is_file && !root_fits(search->binaries, root, search->subject.module)))
		return NULL;
	if (root->problem == NULL)
		return binaries_look_at(search, root->path, &note);
	binaries_note_refuse(&note, "%s", root->problem);
	keep(search, &note);
	return NULL;
}

static struct binary *
find(struct binaries_search *search)
{
	const struct binaries *binaries = search->binaries;
	struct binary *binary = NULL;

	for (size_t i = 0; i < binaries->root_count && binary == NULL; i++)
		binary = find_in_root(search, &binaries->roots[i]);
	return binary;
}

/* Linked files ---------------------------------------------------------------------------------- */

/* The files that links are read from: what was found where an image was looked for. */
static const struct binary *
linking(const struct binaries_slot *slot)
{
	return slot->image != NULL ? slot->image : slot->stripped;
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
refuse_link(const struct binaries_search *search, const struct binary *from,
	    enum binaries_way way, const char *why)
{
	struct binaries_note note = { .way = way, .path = from->file.input.name };

	binaries_note_refuse(&note, "%s", why);
	keep(search, &note);
}

/* Whether a name is safe to look for; where it is not a message says so. */
static bool
is_safe_link(const struct binaries_search *search, const struct binary *from, const char *name)
{
	char shown_name[BINARIES_SHOWN], shown_path[BINARIES_SHOWN];

	if (binaries_safe_name(name))
		return true;
	message_add(&search->binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
		    "the .gnu_debuglink of '%s' is no plain name, found '%s'\nnot looked for",
		    binaries_shown(shown_path, from->file.input.name),
		    binaries_shown(shown_name, name));
	refuse_link(search, from, BINARIES_BY_LINK, "its .gnu_debuglink is no plain name");
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
	search.subject.link = link.name;
	const char *beside = directory_of(search.binaries, from->file.input.name);
	struct binary *binary = beside != NULL ? find_in(&search, beside) : NULL;
	return binary != NULL ? binary : find(&search);
}

/* The directory that was given and has a file; NULL: it was given itself. */
static const char *
root_of(const struct binaries *binaries, const char *path)
{
	for (size_t i = 0; i < binaries->root_count; i++) {
		const struct binaries_root *root = &binaries->roots[i];
		const size_t length = strlen(root->path);

		if (!root->is_file && strncmp(path, root->path, length) == 0 &&
		    (path[length] == '/' || (length > 0 && root->path[length - 1] == '/')))
			return root->path;
	}
	return NULL;
}

/* The supplement where a debug file says that it is: dwz writes paths from its folder. */
static struct binary *
find_relative(const struct binaries_search *search, const struct binary *from)
{
	const char *file = from->file.input.name;
	char *path = binaries_relative_path(file, root_of(search->binaries, file),
					    search->subject.link);
	struct binaries_note note = { .way = BINARIES_BY_SUPPLEMENT, .path = path };
	struct binary *binary = path != NULL ? binaries_look_at(search, path, &note)
					     : NULL;

	free(path);
	return binary;
}

static struct binary *
find_supplement(struct binaries_search search)
{
	const struct binaries_slot *slot = search.slot;
	const struct binary *from = binaries_slot_file(slot, BINARIES_DEBUG);
	struct debug_link link;

	if (from == NULL || !debug_link_read_supplement(from, &link))
		return NULL;
	search.subject.link = link.name;
	search.subject.build_id = arena_copy(&search.binaries->arena, link.id, strlen(link.id));
	if (search.subject.build_id == NULL)
		return NULL;
	if (strcmp(from->id, link.id) != 0) {
		struct binary *binary = find_relative(&search, from);

		return binary != NULL ? binary : find(&search);
	}
	char shown_path[BINARIES_SHOWN];
	message_add(&search.binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
		    "the .gnu_debugaltlink of '%s' names the file itself\nnot followed",
		    binaries_shown(shown_path, from->file.input.name));
	refuse_link(&search, from, BINARIES_BY_SUPPLEMENT,
		    "its .gnu_debugaltlink names the file itself");
	return NULL;
}

static struct binary *
open_mini(const struct binaries_search *search)
{
	const struct binary *from = linking(search->slot);
	struct error error = { 0 };
	struct binary *mini;

	if (from == NULL || !debug_link_has_mini(from))
		return NULL;
	struct binaries_note note = { .way = BINARIES_WITHIN, .outcome = BINARIES_USED,
				      .path = from->file.input.name };
	if (debug_link_open_mini(&mini, from, &error) != ERROR_NONE) {
		binaries_report_unreadable(search->binaries, from->file.input.name, error.text);
		binaries_note_refuse(&note, "%s", error.text);
	}
	keep(search, &note);
	return mini;
}

/* Kinds ----------------------------------------------------------------------------------------- */

void
binaries_learn_build_id(struct binaries_search *search)
{
	const struct binary *image = linking(search->slot);

	if (*search->subject.build_id == '\0' && image != NULL && image->format == BINARY_ELF)
		search->subject.build_id = image->id;
}

void
binaries_find(struct binaries_search *search)
{
	struct binaries_slot *slot = search->slot;

	switch (search->kind) {
	case BINARIES_IMAGE:
		slot->image = find(search);
		break;
	case BINARIES_DEBUG:
		binaries_learn_build_id(search);
		slot->debug = find(search);
		if (slot->debug == NULL)
			slot->debug = binaries_find_linked(*search);
		break;
	case BINARIES_MINI:
		slot->mini = open_mini(search);
		break;
	case BINARIES_SUPPLEMENT:
		slot->supplement = find_supplement(*search);
		break;
	case BINARIES_KINDS:
		break;
	}
}
