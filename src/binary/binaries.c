/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/binaries_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "binary/debug_info.h"
#include "binary/debug_links.h"
#include "binary/frame_tables.h"
#include "binary/sframes.h"
#include "crash/module_map.h"

/* What was given: a directory, or one file. */
struct root {
	const char *path;
	bool is_file;
	bool by_id;			/* of this machine: only what has the wanted id counts */
	const char *id;			/* of a file; NULL: it cannot be used */
};

/* The files of one module; set before `done` says so. */
struct slot {
	atomic_bool done[BINARIES_KINDS];
	struct binary *image;
	struct binary *stripped;	/* found where an image was looked for, without its code */
	struct binary *debug;
	struct binary *mini;
	struct binary *supplement;
};

struct binaries {
	const struct crash *crash;
	struct module_map map;
	struct root *roots;
	size_t root_count;
	struct slot *slots;		/* one a loaded module */
	struct sframes *sframes;
	struct frame_tables *frame_tables;
	struct debug_info *debug_info;
	struct arena arena;
	struct message_list messages;
	pthread_mutex_t mutex;		/* all but a slot that is done */
};

/* Where systems keep programs, and distributions their debug files. */
static const char *const system_directories[] = { "/", "/usr/lib/debug" };

static const char *
shown(char *buffer, const char *text)
{
	text_printable(buffer, BINARIES_SHOWN, text_of(text));
	return buffer;
}

static void
report_unreadable(struct binaries *binaries, const char *path, const char *reason)
{
	char shown_path[BINARIES_SHOWN * 2], shown_reason[BINARIES_SHOWN * 2];

	text_printable(shown_path, sizeof(shown_path), text_of(path));
	text_printable(shown_reason, sizeof(shown_reason), text_of(reason));
	message_add(&binaries->messages, MESSAGE_BINARY_UNREADABLE, (struct place){ 0 },
		    "no code from '%s': %s", shown_path, shown_reason);
}

static void
add_root(struct binaries *binaries, const char *path)
{
	struct root *root = &binaries->roots[binaries->root_count++];
	struct error error = { 0 };
	struct binary *binary;
	struct stat status;

	*root = (struct root){ .path = arena_copy(&binaries->arena, path, strlen(path)) };
	if (root->path == NULL) {
		binaries->root_count--;
	} else if (stat(path, &status) != 0) {
		report_unreadable(binaries, path, strerror(errno));
	} else if (S_ISREG(status.st_mode)) {
		root->is_file = true;
		if (binary_open(&binary, path, &error) == ERROR_NONE) {
			root->id = arena_copy(&binaries->arena, binary->id, strlen(binary->id));
			binary_close(binary);
		} else {
			report_unreadable(binaries, path, error.text);
		}
	} else if (!S_ISDIR(status.st_mode)) {
		report_unreadable(binaries, path, "neither a directory nor a plain file");
	}
}

struct binaries *
binaries_create(const struct crash *crash, const char *const *directories, size_t count)
{
	struct binaries *binaries = calloc(1, sizeof(*binaries));
	const struct policy policy = policy_column(POLICY_UNSPOOL);

	if (binaries == NULL)
		return NULL;
	arena_init(&binaries->arena, 0);
	message_list_init(&binaries->messages, &binaries->arena);
	binaries->crash = crash;
	binaries->slots = arena_array(&binaries->arena, crash->module_count,
				      sizeof(*binaries->slots));
	binaries->roots = arena_array(&binaries->arena, count + ARRAY_COUNT(system_directories),
				      sizeof(*binaries->roots));
	if (binaries->slots == NULL || binaries->roots == NULL ||
	    pthread_mutex_init(&binaries->mutex, NULL) != 0) {
		arena_free(&binaries->arena);
		free(binaries);
		return NULL;
	}
	for (size_t i = 0; i < crash->module_count; i++)
		for (size_t kind = 0; kind < BINARIES_KINDS; kind++)
			atomic_init(&binaries->slots[i].done[kind], false);
	module_map_build(&binaries->map, crash, &policy, &binaries->arena);
	for (size_t i = 0; i < count; i++)
		add_root(binaries, directories[i]);
	binaries->sframes = sframes_create(crash, binaries);
	binaries->frame_tables = frame_tables_create(crash, binaries);
	binaries->debug_info = debug_info_create(crash, binaries);
	return binaries;
}

void
binaries_add_system(struct binaries *binaries)
{
	struct stat status;

	for (size_t i = 0; i < ARRAY_COUNT(system_directories); i++)
		if (stat(system_directories[i], &status) == 0 && S_ISDIR(status.st_mode))
			binaries->roots[binaries->root_count++] = (struct root){
				.path = system_directories[i], .by_id = true };
}

void
binaries_free(struct binaries *binaries)
{
	if (binaries == NULL)
		return;
	sframes_free(binaries->sframes);
	frame_tables_free(binaries->frame_tables);
	debug_info_free(binaries->debug_info);
	for (size_t i = 0; i < binaries->crash->module_count; i++) {
		binary_close(binaries->slots[i].image);
		binary_close(binaries->slots[i].stripped);
		binary_close(binaries->slots[i].debug);
		binary_close(binaries->slots[i].mini);
		binary_close(binaries->slots[i].supplement);
	}
	pthread_mutex_destroy(&binaries->mutex);
	arena_free(&binaries->arena);
	free(binaries);
}

bool
binaries_configured(const struct binaries *binaries)
{
	return binaries != NULL && binaries->root_count != 0;
}

struct sframes *
binaries_sframes(const struct binaries *binaries)
{
	return binaries != NULL ? binaries->sframes : NULL;
}

struct frame_tables *
binaries_frame_tables(const struct binaries *binaries)
{
	return binaries != NULL ? binaries->frame_tables : NULL;
}

struct debug_info *
binaries_debug_info(const struct binaries *binaries)
{
	return binaries != NULL ? binaries->debug_info : NULL;
}

const struct message_list *
binaries_messages(const struct binaries *binaries)
{
	return binaries != NULL ? &binaries->messages : NULL;
}

/* Files ---------------------------------------------------------------------------------------- */

/* Open a path where a plain file is; anything but its absence is a message. */
static struct binary *
open_path(struct binaries *binaries, const char *path)
{
	struct error error = { 0 };
	struct binary *binary;
	struct stat status;

	if (stat(path, &status) != 0) {
		if (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG)
			report_unreadable(binaries, path, strerror(errno));
		return NULL;
	}
	/* A folder may well have a module's name: that of symbols, for one. */
	if (S_ISDIR(status.st_mode))
		return NULL;
	if (!S_ISREG(status.st_mode)) {
		report_unreadable(binaries, path, "not a plain file");
		return NULL;
	}
	if (binary_open(&binary, path, &error) == ERROR_NONE)
		return binary;
	report_unreadable(binaries, path, error.text);
	return NULL;
}

/* What is looked for, for which module. */
struct search {
	struct binaries *binaries;
	struct slot *slot;
	struct binaries_subject subject;
	enum binaries_kind kind;
	bool by_id;			/* in a directory where only that counts */
	const struct debug_link *link;	/* whose name and checksum count; NULL: none */
};

static void
refuse(const struct search *search, const char *path, const char *wanted, const char *found)
{
	const struct module *module = search->subject.module;
	char name[BINARIES_SHOWN], shown_path[BINARIES_SHOWN], shown_wanted[BINARIES_SHOWN];

	message_add(&search->binaries->messages, MESSAGE_BINARY_ID, module->identity_place,
		    "'%s' is another build of '%s', expected id %s, found %s\nnot used",
		    shown(shown_path, path), shown(name, place_base_name(module->code_file)),
		    shown(shown_wanted, wanted), found);
}

/* Whether a file that stands where a module's may be is the module's. */
static bool
is_of_module(const struct search *search, const struct binary *binary, const char *path)
{
	const struct module *module = search->subject.module;
	char name[BINARIES_SHOWN], shown_path[BINARIES_SHOWN];
	char wanted[BINARIES_SHOWN], found[BINARIES_SHOWN];

	const enum binaries_match match = binaries_match(
		search->binaries->crash, module, binary->format, binary->id, wanted, found);
	if (search->by_id)
		return match == BINARIES_MATCH_YES;
	switch (match) {
	case BINARIES_MATCH_YES:
		return true;
	case BINARIES_MATCH_UNCHECKED:
		message_add(&search->binaries->messages, MESSAGE_BINARY_UNCHECKED, module->place,
			    "the dump has no id of '%s' to compare with that of '%s', %s"
			    "\nused, as its name says",
			    shown(name, place_base_name(module->code_file)),
			    shown(shown_path, path), found);
		return true;
	case BINARIES_MATCH_NO:
		break;
	}
	refuse(search, path, wanted, found);
	return false;
}

/* Whether a file is the one that a .gnu_debuglink means; one without an id has its checksum. */
static bool
is_linked(const struct search *search, const struct binary *binary, const char *path)
{
	const uint32_t found = debug_link_checksum(binary);
	char shown_path[BINARIES_SHOWN], wanted_id[BINARIES_SHOWN], found_id[BINARIES_SHOWN];

	if (found != search->link->crc) {
		message_add(&search->binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
			    "'%s' is not the file that .gnu_debuglink means, expected checksum "
			    "%08x, found %08x\nnot used",
			    shown(shown_path, path), (unsigned)search->link->crc, (unsigned)found);
		return false;
	}
	const enum binaries_match match =
		binaries_match(search->binaries->crash, search->subject.module, binary->format,
			       binary->id, wanted_id, found_id);
	if (search->by_id)
		return match == BINARIES_MATCH_YES;
	if (*binary->id == '\0' || match != BINARIES_MATCH_NO)
		return true;
	refuse(search, path, wanted_id, found_id);
	return false;
}

static bool
is_supplement(const struct search *search, const struct binary *binary, const char *path)
{
	const char *wanted = search->subject.build_id;
	char shown_path[BINARIES_SHOWN];

	if (strcmp(binary->id, wanted) == 0)
		return true;
	message_add(&search->binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
		    "'%s' is not the file that .gnu_debugaltlink means, expected id %s, found %s"
		    "\nnot used",
		    shown(shown_path, path), wanted, *binary->id != '\0' ? binary->id : "none");
	return false;
}

/* Open a path for a module; NULL where it is not there or is another build's. */
static struct binary *
open_matching(const struct search *search, const char *path)
{
	struct binary *binary = open_path(search->binaries, path);

	if (binary == NULL)
		return NULL;
	const bool good = search->link != NULL ? is_linked(search, binary, path)
			  : search->kind == BINARIES_SUPPLEMENT
				  ? is_supplement(search, binary, path)
				  : is_of_module(search, binary, path);
	if (good) {
		pe_relocate(binary, search->subject.module->base);
		return binary;
	}
	binary_close(binary);
	return NULL;
}

/* Whether a file that was given by itself is for a module: by its id, or by its name. */
static bool
root_fits(const struct binaries *binaries, const struct root *root, const struct module *module)
{
	static const enum binary_format formats[] = { BINARY_ELF, BINARY_PE };
	char wanted[BINARIES_SHOWN], found[BINARIES_SHOWN];

	if (root->id == NULL)
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(formats); i++)
		if (binaries_match(binaries->crash, module, formats[i], root->id, wanted, found) ==
		    BINARIES_MATCH_YES)
			return true;
	return strcmp(place_base_name(root->path), place_base_name(module->code_file)) == 0;
}

/* A file without its code is no image: it is kept aside, and the search goes on. */
static struct binary *
take(const struct search *search, const char *path)
{
	struct binary *binary = path != NULL ? open_matching(search, path) : NULL;

	if (binary == NULL || search->kind != BINARIES_IMAGE || !binary->debug_only)
		return binary;
	if (search->slot->stripped == NULL)
		search->slot->stripped = binary;
	else
		binary_close(binary);
	return NULL;
}

/* What the rows of the table find in one directory. */
static struct binary *
find_in(const struct search *search, const char *directory)
{
	struct binary *binary = NULL;

	for (size_t row = 0; binary == NULL && row < binaries_layout_count; row++) {
		const struct binaries_layout *layout = &binaries_layouts[row];

		if (layout->kind != search->kind || layout->linked != (search->link != NULL))
			continue;
		char *path = binaries_path(&search->subject, directory, layout->pattern);
		binary = take(search, path);
		free(path);
	}
	return binary;
}

static struct binary *
find(struct search *search)
{
	const struct binaries *binaries = search->binaries;
	struct binary *binary = NULL;

	for (size_t i = 0; i < binaries->root_count && binary == NULL; i++) {
		const struct root *root = &binaries->roots[i];

		search->by_id = root->by_id;
		if (!root->is_file)
			binary = find_in(search, root->path);
		else if (search->kind == BINARIES_IMAGE &&
			 root_fits(binaries, root, search->subject.module))
			binary = take(search, root->path);
	}
	return binary;
}

/* Linked files ---------------------------------------------------------------------------------- */

/* The files that links are read from: what was found where an image was looked for. */
static const struct binary *
linking(const struct slot *slot)
{
	return slot->image != NULL ? slot->image : slot->stripped;
}

/* Whether a name is safe to look for; where it is not a message says so. */
static bool
is_safe_link(const struct search *search, const struct binary *from, const char *name)
{
	char shown_name[BINARIES_SHOWN], shown_path[BINARIES_SHOWN];

	if (binaries_safe_name(name))
		return true;
	message_add(&search->binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
		    "the .gnu_debuglink of '%s' is no plain name, found '%s'\nnot looked for",
		    shown(shown_path, from->file.input.name), shown(shown_name, name));
	return false;
}

/* The debug file that an image names: beside it, else in the directories. */
static struct binary *
find_linked(struct search search)
{
	const struct binary *from = linking(search.slot);
	struct debug_link link;

	if (from == NULL || !debug_link_read(from, &link) ||
	    !is_safe_link(&search, from, link.name))
		return NULL;
	search.link = &link;
	search.by_id = false;
	search.subject.link = link.name;
	char *beside = strdup(from->file.input.name);
	char *slash = beside != NULL ? strrchr(beside, '/') : NULL;
	if (slash != NULL)
		*slash = '\0';
	struct binary *binary = beside != NULL ? find_in(&search, slash != NULL ? beside : ".")
					       : NULL;
	free(beside);
	return binary != NULL ? binary : find(&search);
}

static const struct binary *
slot_file(const struct slot *slot, enum binaries_kind kind)
{
	switch (kind) {
	case BINARIES_IMAGE:
		return slot->image;
	case BINARIES_MINI:
		return slot->mini;
	case BINARIES_SUPPLEMENT:
		return slot->supplement;
	default:
		break;
	}
	if (slot->debug != NULL)
		return slot->debug;
	return slot->stripped != NULL ? slot->stripped : slot->image;
}

static struct binary *
find_supplement(struct search search)
{
	const struct slot *slot = search.slot;
	const struct binary *from = slot_file(slot, BINARIES_DEBUG);
	struct debug_link link;

	if (from == NULL || !debug_link_read_supplement(from, &link))
		return NULL;
	search.subject.link = link.name;
	search.subject.build_id = link.id;
	if (strcmp(from->id, link.id) != 0)
		return find(&search);
	char shown_path[BINARIES_SHOWN];
	message_add(&search.binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
		    "the .gnu_debugaltlink of '%s' names the file itself\nnot followed",
		    shown(shown_path, from->file.input.name));
	return NULL;
}

static struct binary *
open_mini(const struct search *search)
{
	const struct binary *from = linking(search->slot);
	struct error error = { 0 };
	struct binary *mini;

	if (from == NULL || !debug_link_has_mini(from))
		return NULL;
	if (debug_link_open_mini(&mini, from, &error) != ERROR_NONE)
		report_unreadable(search->binaries, from->file.input.name, error.text);
	return mini;
}

/* Loading -------------------------------------------------------------------------------------- */

/* An image knows its build id where a dump has only the first bytes of it. */
static void
learn_build_id(struct search *search)
{
	const struct binary *image = linking(search->slot);

	if (*search->subject.build_id == '\0' && image != NULL && image->format == BINARY_ELF)
		search->subject.build_id = image->id;
}

static void
load_image(struct search *search)
{
	search->slot->image = find(search);
}

static void
load_debug(struct search *search)
{
	struct slot *slot = search->slot;

	learn_build_id(search);
	slot->debug = find(search);
	if (slot->debug == NULL)
		slot->debug = find_linked(*search);
}

static void
load_mini(struct search *search)
{
	search->slot->mini = open_mini(search);
}

static void
load_supplement(struct search *search)
{
	search->slot->supplement = find_supplement(*search);
}

/* Which file a kind's loading looks into; an image into none. */
static const struct {
	enum binaries_kind wants;
	void (*load)(struct search *search);
} loaders[BINARIES_KINDS] = {
	[BINARIES_IMAGE] = { BINARIES_IMAGE, load_image },
	[BINARIES_DEBUG] = { BINARIES_IMAGE, load_debug },
	[BINARIES_MINI] = { BINARIES_IMAGE, load_mini },
	[BINARIES_SUPPLEMENT] = { BINARIES_DEBUG, load_supplement },
};

/* Under the lock. */
static void
load_one(struct binaries *binaries, size_t module, enum binaries_kind kind)
{
	const struct module *of = &binaries->crash->modules[module];
	struct slot *slot = &binaries->slots[module];
	struct search search = {
		.binaries = binaries, .slot = slot, .kind = kind,
		.subject = { .module = of, .build_id = binaries_build_id(binaries->crash, of) },
	};

	if (atomic_load(&slot->done[kind]))
		return;
	loaders[kind].load(&search);
	atomic_store(&slot->done[kind], true);
}

/* A kind behind those that it wants, which are two at most. */
static void
load(struct binaries *binaries, size_t module, enum binaries_kind kind)
{
	load_one(binaries, module, loaders[loaders[kind].wants].wants);
	load_one(binaries, module, loaders[kind].wants);
	load_one(binaries, module, kind);
}

const struct binary *
binaries_load(struct binaries *binaries, size_t module, enum binaries_kind kind)
{
	if (binaries == NULL || module >= binaries->crash->module_count)
		return NULL;
	struct slot *slot = &binaries->slots[module];
	if (!atomic_load(&slot->done[kind])) {
		pthread_mutex_lock(&binaries->mutex);
		load(binaries, module, kind);
		pthread_mutex_unlock(&binaries->mutex);
	}
	return slot_file(slot, kind);
}

const struct binary *
binaries_peek(const struct binaries *binaries, size_t module, enum binaries_kind kind)
{
	if (binaries == NULL || module >= binaries->crash->module_count)
		return NULL;
	const struct slot *slot = &binaries->slots[module];
	return atomic_load(&slot->done[kind]) ? slot_file(slot, kind) : NULL;
}

/* The file of the module that holds `address`, and that module; NULL where there is none. */
static const struct binary *
binary_of(struct binaries *binaries, uint64_t address, const struct module **module)
{
	int index = binaries_configured(binaries) ? module_map_find(&binaries->map, address)
						  : MODULE_NONE;

	if (index == MODULE_NONE)
		return NULL;
	*module = &binaries->crash->modules[index];
	return binaries_load(binaries, (size_t)index, BINARIES_IMAGE);
}

bool
binaries_run(struct binaries *binaries, uint64_t address, struct binary_run *run)
{
	const struct module *module;
	const struct binary *binary = binary_of(binaries, address, &module);
	const struct binary_segment *segment =
		binary != NULL ? binary_segment(binary, address - module->base) : NULL;

	if (segment == NULL)
		return false;
	*run = (struct binary_run){ .binary = binary, .base = module->base + segment->address,
				    .size = segment->size, .offset = segment->offset,
				    .data = binary->image + segment->offset };
	return true;
}

size_t
binaries_read(struct binaries *binaries, uint64_t address, uint8_t *buffer, size_t size,
	      struct place *place)
{
	const struct module *module;
	const struct binary *binary = binary_of(binaries, address, &module);

	if (binary == NULL)
		return 0;
	return binary_read(binary, address - module->base, buffer, size, place);
}
