/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/binary_internal.h"

#include <ctype.h>
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
#include "binary/frame_tables.h"
#include "binary/sframes.h"
#include "crash/module_map.h"

/* Bytes of a name or an id in a message. */
#define SHOWN_SIZE 128u
/* Digits of a GUID, with which debug identifiers begin. */
#define GUID_DIGITS 32u
/* Bytes of a build id that its debug identifier keeps. */
#define GUID_SIZE 16u

/* What was given: a directory, or one file. */
struct root {
	const char *path;
	bool is_file;
	const char *id;			/* of a file; NULL: it cannot be used */
};

/* The files of one module; set before `done` says so. */
struct slot {
	atomic_bool done[BINARIES_KINDS];
	struct binary *image;
	struct binary *stripped;	/* found where an image was looked for, without its code */
	struct binary *debug;
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

/*
 * Where a module's file is in a directory, the surest places first. A letter behind '%'
 * stands for what the dump says of the module (see `field`); where it says nothing, or
 * something that must not be in a path, the row does not count.
 */
static const struct layout {
	enum binaries_kind kind;
	const char *pattern;
} layouts[] = {
	{ BINARIES_IMAGE, ".build-id/%x/%y" },
	{ BINARIES_IMAGE, "%h/executable" },
	{ BINARIES_IMAGE, "%n/%c/%n" },
	{ BINARIES_IMAGE, "%n/%g/%n" },
	{ BINARIES_IMAGE, "%n/elf-buildid-%h/%n" },
	{ BINARIES_IMAGE, "%p" },
	{ BINARIES_IMAGE, "%n" },
	{ BINARIES_IMAGE, "%l/%c/%l" },
	{ BINARIES_IMAGE, "%l" },
	{ BINARIES_DEBUG, ".build-id/%x/%y.debug" },
	{ BINARIES_DEBUG, "%h/debuginfo" },
	{ BINARIES_DEBUG, "_.debug/elf-buildid-sym-%h/_.debug" },
	{ BINARIES_DEBUG, "%p.debug" },
	{ BINARIES_DEBUG, "%n.debug" },
};

static const char *
shown(char *buffer, const char *text)
{
	text_printable(buffer, SHOWN_SIZE, text_of(text));
	return buffer;
}

static void
report_unreadable(struct binaries *binaries, const char *path, const char *reason)
{
	char shown_path[SHOWN_SIZE * 2], shown_reason[SHOWN_SIZE * 2];

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
	binaries->roots = arena_array(&binaries->arena, count, sizeof(*binaries->roots));
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

/* Identity ------------------------------------------------------------------------------------- */

/* The first 16 bytes of an id in hex as a GUID's digits, in the order that Breakpad writes. */
static void
guid_of_id(const char *id, char *guid)
{
	static const uint8_t order[GUID_SIZE] = { 3, 2, 1, 0, 5, 4, 7, 6,
						  8, 9, 10, 11, 12, 13, 14, 15 };
	size_t length = strlen(id);

	for (size_t i = 0; i < GUID_SIZE; i++) {
		const size_t at = (size_t)order[i] * 2;

		memset(guid + 2 * i, '0', 2);
		if (at + 1 < length)
			memcpy(guid + 2 * i, id + at, 2);
	}
	guid[GUID_DIGITS] = '\0';
}

void
binary_debug_id(const struct binary *binary, char id[BINARY_DEBUG_ID])
{
	char guid[GUID_DIGITS + 1];

	guid_of_id(binary->id, guid);
	for (size_t i = 0; i < GUID_DIGITS; i++)
		id[i] = (char)toupper((unsigned char)guid[i]);
	memcpy(id + GUID_DIGITS, "0", 2);
}

/* Whether all of an identifier's digits are zeros: the writer of the dump found none. */
static bool
is_zero(const char *id)
{
	return id[strspn(id, "0")] == '\0';
}

/* A module's build id, where the dump has the whole of it: lower-case hex, or "". */
static const char *
build_id(const struct crash *crash, const struct module *module)
{
	bool other = crash->system.os == CRASH_OS_WINDOWS || crash->system.os == CRASH_OS_MAC ||
		     crash->system.os == CRASH_OS_IOS;

	return other || is_zero(module->code_id) ? "" : module->code_id;
}

/* What the dump says that a file's id must be, in `wanted`; false where it says nothing. */
static bool
wanted_id(const struct crash *crash, const struct module *module, enum binary_format format,
	  char wanted[SHOWN_SIZE], bool *guid)
{
	const char *id = build_id(crash, module);

	*guid = false;
	if (format == BINARY_PE) {
		snprintf(wanted, SHOWN_SIZE, "%08X%x", (unsigned)module->timestamp,
			 (unsigned)module->size);
		return module->timestamp != 0;
	}
	if (*id == '\0' && !is_zero(module->debug_id) && strlen(module->debug_id) >= GUID_DIGITS) {
		id = module->debug_id;
		*guid = true;
	}
	snprintf(wanted, SHOWN_SIZE, "%.*s", *guid ? (int)GUID_DIGITS : (int)SHOWN_SIZE - 1, id);
	return *id != '\0';
}

enum match {
	MATCH_NO,
	MATCH_YES,
	MATCH_UNCHECKED,
};

/* Whether a file with an id is the module's; what was wanted and what was found as text. */
static enum match
match(const struct crash *crash, const struct module *module, enum binary_format format,
      const char *id, char wanted[SHOWN_SIZE], char found[SHOWN_SIZE])
{
	bool guid;

	snprintf(found, SHOWN_SIZE, "%s", *id != '\0' ? id : "none");
	if (!wanted_id(crash, module, format, wanted, &guid))
		return MATCH_UNCHECKED;
	if (*id != '\0' && guid)
		guid_of_id(id, found);
	return strcasecmp(wanted, found) == 0 ? MATCH_YES : MATCH_NO;
}

/* Paths ---------------------------------------------------------------------------------------- */

/* Whether a name from a dump is safe as one component of a path. */
static bool
safe_component(const char *name)
{
	return name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strpbrk(name, "/\\") == NULL;
}

/* A path from a dump without its root, where none of its components leads up; else "". */
static const char *
safe_path(const char *path)
{
	path += strspn(path, "/");
	for (const char *part = path; *part != '\0';) {
		size_t length = strcspn(part, "/");

		if (strchr(path, '\\') != NULL || (length == 2 && strncmp(part, "..", 2) == 0))
			return "";
		part += length;
		part += strspn(part, "/");
	}
	return path;
}

/* Windows does not tell cases apart; the name in lower case, where that is another one. */
static bool
lower_case(const char *name, char buffer[SHOWN_SIZE])
{
	size_t length = strlen(name);

	if (length >= SHOWN_SIZE)
		return false;
	for (size_t i = 0; i <= length; i++) {
		bool capital = name[i] >= 'A' && name[i] <= 'Z';

		buffer[i] = (char)(name[i] + (capital ? 'a' - 'A' : 0));
	}
	return strcmp(name, buffer) != 0;
}

/* What a letter of a layout stands for; "": the module has no such thing that is safe. */
static const char *
field(const struct binaries *binaries, const struct module *module, char letter,
      char buffer[SHOWN_SIZE])
{
	const char *name = place_base_name(module->code_file);
	const char *id = build_id(binaries->crash, module);
	size_t length = strlen(id);

	switch (letter) {
	case 'n':
		return safe_component(name) ? name : "";
	case 'p':
		/* A bare name is a row of its own. */
		return strchr(safe_path(module->code_file), '/') != NULL
		       ? safe_path(module->code_file) : "";
	case 'l':
		return safe_component(name) && lower_case(name, buffer) ? buffer : "";
	case 'g':
		return safe_component(module->debug_id) ? module->debug_id : "";
	case 'c':
		snprintf(buffer, SHOWN_SIZE, "%08X%x", (unsigned)module->timestamp,
			 (unsigned)module->size);
		return module->timestamp != 0 ? buffer : "";
	default:
		break;
	}
	/* The build id and its parts: only digits that the dump's reader wrote. */
	if (length < 4 || length >= SHOWN_SIZE || strspn(id, "0123456789abcdef") != length)
		return "";
	snprintf(buffer, SHOWN_SIZE, "%.*s", letter == 'x' ? 2 : (int)length,
		 letter == 'y' ? id + 2 : id);
	return buffer;
}

/* The path that a layout makes under a directory, to be freed; NULL where it does not count. */
static char *
layout_path(const struct binaries *binaries, const struct module *module, const char *directory,
	    const char *pattern)
{
	char *path = NULL, buffer[SHOWN_SIZE];
	size_t size = 0;
	FILE *out = open_memstream(&path, &size);
	bool whole = true;

	if (out == NULL)
		return NULL;
	fprintf(out, "%s/", directory);
	for (const char *at = pattern; whole && *at != '\0'; at++) {
		if (*at != '%') {
			fputc(*at, out);
			continue;
		}
		const char *text = field(binaries, module, *++at, buffer);

		whole = *text != '\0';
		fputs(text, out);
	}
	if (fclose(out) == 0 && whole)
		return path;
	free(path);
	return NULL;
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

/* Open a path for a module; NULL where it is not there or is another build's. */
static struct binary *
open_matching(struct binaries *binaries, const struct module *module, const char *path)
{
	struct binary *binary = open_path(binaries, path);
	char name[SHOWN_SIZE], shown_path[SHOWN_SIZE], wanted[SHOWN_SIZE], found[SHOWN_SIZE];
	char shown_wanted[SHOWN_SIZE];

	if (binary == NULL)
		return NULL;
	pe_relocate(binary, module->base);
	shown(name, place_base_name(module->code_file));
	shown(shown_path, path);
	switch (match(binaries->crash, module, binary->format, binary->id, wanted, found)) {
	case MATCH_YES:
		return binary;
	case MATCH_UNCHECKED:
		message_add(&binaries->messages, MESSAGE_BINARY_UNCHECKED, module->place,
			    "the dump has no id of '%s' to compare with that of '%s', %s"
			    "\nused, as its name says", name, shown_path, found);
		return binary;
	case MATCH_NO:
		break;
	}
	message_add(&binaries->messages, MESSAGE_BINARY_ID, module->identity_place,
		    "'%s' is another build of '%s', expected id %s, found %s\nnot used",
		    shown_path, name, shown(shown_wanted, wanted), found);
	binary_close(binary);
	return NULL;
}

/* Whether a file that was given by itself is for a module: by its id, or by its name. */
static bool
root_fits(const struct binaries *binaries, const struct root *root, const struct module *module)
{
	static const enum binary_format formats[] = { BINARY_ELF, BINARY_PE };
	char wanted[SHOWN_SIZE], found[SHOWN_SIZE];

	if (root->id == NULL)
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(formats); i++)
		if (match(binaries->crash, module, formats[i], root->id, wanted, found) ==
		    MATCH_YES)
			return true;
	return strcmp(place_base_name(root->path), place_base_name(module->code_file)) == 0;
}

/* The first path of a kind that `take` wants. */
static struct binary *
find(struct binaries *binaries, struct slot *slot, const struct module *module,
     enum binaries_kind kind,
     struct binary *(*take)(struct slot *slot, struct binary *binary))
{
	for (size_t i = 0; i < binaries->root_count; i++) {
		const struct root *root = &binaries->roots[i];
		struct binary *binary = NULL;

		if (root->is_file && kind == BINARIES_IMAGE && root_fits(binaries, root, module))
			binary = take(slot, open_matching(binaries, module, root->path));
		for (size_t row = 0; !root->is_file && binary == NULL &&
				     row < ARRAY_COUNT(layouts); row++) {
			char *path = layouts[row].kind == kind
				     ? layout_path(binaries, module, root->path,
						   layouts[row].pattern)
				     : NULL;

			if (path != NULL)
				binary = take(slot, open_matching(binaries, module, path));
			free(path);
		}
		if (binary != NULL)
			return binary;
	}
	return NULL;
}

/* A file without its code is kept aside, and the search goes on. */
static struct binary *
take_image(struct slot *slot, struct binary *binary)
{
	if (binary == NULL || !binary->debug_only)
		return binary;
	if (slot->stripped == NULL)
		slot->stripped = binary;
	else
		binary_close(binary);
	return NULL;
}

static struct binary *
take_debug(struct slot *slot, struct binary *binary)
{
	(void)slot;
	return binary;
}

static const struct binary *
slot_file(const struct slot *slot, enum binaries_kind kind)
{
	if (kind == BINARIES_IMAGE)
		return slot->image;
	if (slot->debug != NULL)
		return slot->debug;
	return slot->stripped != NULL ? slot->stripped : slot->image;
}

/* Under the lock. The debug file of last resort is the image. */
static void
load(struct binaries *binaries, size_t module, enum binaries_kind kind)
{
	const struct module *of = &binaries->crash->modules[module];
	struct slot *slot = &binaries->slots[module];

	if (!atomic_load(&slot->done[BINARIES_IMAGE])) {
		slot->image = find(binaries, slot, of, BINARIES_IMAGE, take_image);
		atomic_store(&slot->done[BINARIES_IMAGE], true);
	}
	if (kind == BINARIES_DEBUG && !atomic_load(&slot->done[kind])) {
		slot->debug = find(binaries, slot, of, kind, take_debug);
		atomic_store(&slot->done[kind], true);
	}
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
