/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "binary/elf_unpacked.h"
#include "locate/folder.h"
#include "system/directory.h"
#include "system/file.h"

/* Directories where systems keep programs, and where distributions keep their debug files. */
static const char *const system_directories[] = { "/", "/usr/lib/debug" };

/* Adds a root with only its path set; NULL when out of memory. */
static struct locate_root *
push_root(struct binaries *binaries, const char *path)
{
	const char *copy = arena_string(&binaries->arena, path);
	struct locate_root *root =
		copy == NULL ? NULL
			     : ARENA_PUSH(&binaries->arena, binaries->roots, binaries->root_count,
					  binaries->root_capacity);

	if (root != NULL)
		*root = (struct locate_root){ .path = copy };
	return root;
}

static void
add_root(struct binaries *binaries, const char *path)
{
	struct error error = { 0 };
	struct locate_root *root = push_root(binaries, path);
	struct binary *binary;

	if (root == NULL)
		return;
	*root = locate_root_open(root->path, &binaries->arena);
	/* A given file is used for the modules with its ID. */
	if (root->is_file && binary_open_for(&binary, path, binaries->crash->system.arch,
					     &error) == ERROR_NONE) {
		root->build = binaries_copy_identity(binary, &binaries->arena);
		root->program = binary_is_program(binary, binaries->crash);
		/* A dwz supplement has no .text section. A debug file has one, without bytes. */
		root->shared = binary_section(binary, 0, ".debug_cu_index") != NULL ||
			       binary_section(binary, 0, ".debug_info.dwo") != NULL ||
			       (binary->format == BINARY_MACH &&
				binary->use == BINARY_RELOCATABLE) ||
			       (binary->format == BINARY_ELF && binary->segment_count == 0 &&
				binary_section(binary, 0, ".text") == NULL &&
				binary_section(binary, 0, ".debug_info") != NULL);
		binary_close(binary);
	} else if (root->is_file) {
		root->problem = arena_string(&binaries->arena, error.text);
	}
	if (root->problem != NULL)
		locate_report_unreadable(&binaries->messages, MESSAGE_BINARY_UNREADABLE, path,
					 root->problem);
}

struct binaries *
binaries_create(const struct crash *crash, const char *const *directories, size_t count)
{
	struct binaries *binaries = calloc(1, sizeof(*binaries));
	const struct policy policy = policy_column(POLICY_UNSPOOL);

	if (binaries == NULL)
		return NULL;
	arena_init(&binaries->arena, 0);
	arena_init(&binaries->places, LIMIT_BINARY_PLACES);
	message_list_init(&binaries->messages, &binaries->arena);
	binaries->crash = crash;
	binaries->near_left = LIMIT_BINARIES_NEAR;
	binaries->code_most = LIMIT_CODE_STEPS + crash->reader.size / 4;
	binaries->slots = arena_array(&binaries->arena, crash->module_count,
				      sizeof(*binaries->slots));
	binaries->readers = arena_alloc(&binaries->arena, sizeof(*binaries->readers));
	if (binaries->slots == NULL || binaries->readers == NULL ||
	    pthread_mutex_init(&binaries->mutex, NULL) != 0) {
		arena_free(&binaries->arena);
		free(binaries);
		return NULL;
	}
	*binaries->readers = (struct binaries_readers){ .binaries = binaries };
	pthread_mutex_init(&binaries->readers->mutex, NULL);
	for (size_t i = 0; i < crash->module_count; i++)
		for (enum locate_kind kind = 0; kind < LOCATE_OWN_KINDS; kind++) {
			atomic_init(&binaries->slots[i].done[kind], false);
			binaries->slots[i].records[kind].kind = kind;
			binaries->slots[i].records[kind].arena = &binaries->places;
		}
	module_map_build(&binaries->map, crash, &policy, &binaries->arena);
	for (size_t i = 0; i < count; i++)
		add_root(binaries, directories[i]);
	return binaries;
}

void
binaries_add_named(struct binaries *binaries, const char *name, const char *path)
{
	char shown[LOCATE_SHOWN], shown_path[LOCATE_SHOWN];
	const size_t count = binaries->root_count;
	bool known = false;

	for (size_t i = 0; i < binaries->crash->module_count && !known; i++)
		known = binaries_is_called(binaries->crash->modules[i].code_file, name);
	if (!known)
		message_add(&binaries->messages, MESSAGE_BINARY_ID, (struct place){ 0 },
			    "no module is called '%s'\n'%s' is not used",
			    locate_shown(shown, name), locate_shown(shown_path, path));
	if (known)
		add_root(binaries, path);
	if (binaries->root_count == count)
		return;
	struct locate_root root = binaries->roots[count];
	root.as = arena_string(&binaries->arena, name);
	/* Put the root first: it is used before all others. */
	memmove(binaries->roots + 1, binaries->roots, count * sizeof(root));
	binaries->roots[0] = root;
}

bool
binaries_has(const struct binaries *binaries, const char *path)
{
	struct stat status;

	if (binaries == NULL || !file_stat(path, &status))
		return false;
	for (size_t i = 0; i < binaries->root_count; i++)
		if (binaries->roots[i].layouts != LAYOUT_SYSTEM &&
		    locate_root_is(&binaries->roots[i], &status))
			return true;
	return false;
}

const char *
binaries_problem(const struct binaries *binaries, const char *path)
{
	return locate_roots_problem(binaries->roots, binaries->root_count, path);
}

void
binaries_set(struct binaries *binaries, unsigned options)
{
	const struct crash *crash = binaries->crash;

	binaries->options |= options;
	for (size_t i = 0; (options & BINARIES_SYSTEM) != 0 && i < ARRAY_COUNT(system_directories);
	     i++) {
		const char *path = system_directories[i];
		struct locate_root *root = directory_exists(path) ? push_root(binaries, path)
								  : NULL;

		if (root != NULL)
			root->layouts = LAYOUT_SYSTEM;
	}
	if ((options & BINARIES_MEMORY) == 0)
		return;
	memory_view_all(&binaries->memory, crash, &binaries->arena);
	binaries->image_budget = crash->reader.size + LIMIT_PROCESS_IMAGES;
	for (size_t i = 0; i < crash->module_count && !binaries->imaged; i++)
		binaries->imaged = binary_in_process(&binaries->memory, crash->modules[i].base);
}

void
binaries_add_place(struct binaries *binaries, const char *path, bool is_store)
{
	for (size_t i = 0; is_store && i < binaries->root_count; i++)
		if (strcmp(binaries->roots[i].path, path) == 0)
			return;
	struct locate_root *root = push_root(binaries, path);
	if (root != NULL) {
		root->layouts = is_store ? LAYOUT_STORE : 0;
		root->quiet = !is_store;
	}
}

enum error_code
binaries_add_fetcher(struct binaries *binaries, const struct fetch_options *options,
		     struct error *error)
{
	struct fetcher **added = ARENA_PUSH(&binaries->arena, binaries->fetchers,
					    binaries->fetcher_count, binaries->fetcher_capacity);

	if (added == NULL)
		return error_memory(error);
	*added = fetch_create(options, error);
	if (*added == NULL) {
		binaries->fetcher_count--;
		return error->code;
	}
	/* Search debuginfod's cache only if its servers may be used. */
	if (options->service == FETCH_STORE)
		binaries_add_place(binaries, fetch_options_of(*added)->directory, true);
	return ERROR_NONE;
}

void
binaries_ask_again(struct binaries *binaries, const char *url)
{
	for (size_t i = 0; binaries != NULL && i < binaries->fetcher_count; i++)
		fetch_forget(binaries->fetchers[i], url);
}

void
binaries_report_place(struct binaries *binaries, const char *path, const char *problem)
{
	locate_report_unreadable(&binaries->messages, MESSAGE_BINARY_UNREADABLE, path, problem);
}

void
binaries_give(struct binaries *binaries, size_t module, struct binary *binary)
{
	struct binaries_slot *slot = &binaries->slots[module];

	if (binary->debug_only)
		slot->stripped = binary;
	else
		slot->files[LOCATE_IMAGE] = binary;
	/* Search for an image only if the given file is a PDB. */
	const bool pdb = binary->format == BINARY_PDB;
	const enum locate_kind kind = pdb ? LOCATE_DEBUG : LOCATE_IMAGE;
	slot->searched[kind] = slot->answered[kind] = true;
	atomic_store(&slot->done[kind], true);
	binaries->given = true;
}

static void
free_reader(struct binaries_reader *reader)
{
	if (reader == NULL)
		return;
	for (size_t i = 0; reader->kind->close != NULL && i < reader->crash->module_count; i++)
		reader->kind->close((char *)reader->slots + i * reader->kind->slot_size);
	pthread_mutex_destroy(&reader->mutex);
	arena_free(&reader->arena);
	free(reader);
}

void
binaries_free(struct binaries *binaries)
{
	if (binaries == NULL)
		return;
	for (size_t i = 0; i < BINARIES_ROOMS; i++)
		free_reader(atomic_load(&binaries->readers->made[i]));
	pthread_mutex_destroy(&binaries->readers->mutex);
	folder_free_all(&binaries->folders);
	for (size_t i = 0; i < binaries->crash->module_count; i++) {
		for (enum locate_kind kind = 0; kind < LOCATE_OWN_KINDS; kind++)
			binary_close(binaries->slots[i].files[kind]);
		binary_close(binaries->slots[i].stripped);
		for (size_t j = 0; j < binaries->slots[i].split_count; j++)
			binary_close(binaries->slots[i].split[j]);
		hash_free(&binaries->slots[i].split_files);
	}
	for (size_t i = 0; i < binaries->fetcher_count; i++)
		fetch_free(binaries->fetchers[i]);
	pthread_mutex_destroy(&binaries->mutex);
	arena_free(&binaries->places);
	arena_free(&binaries->arena);
	free(binaries);
}

bool
binaries_configured(const struct binaries *binaries)
{
	return binaries != NULL && (binaries->root_count != 0 || binaries->given ||
				    binaries->imaged || binaries_asks_servers(binaries));
}

bool
binaries_expected(const struct binaries *binaries, size_t module)
{
	for (size_t i = 0; binaries != NULL && i < binaries->root_count; i++)
		if (!binaries->roots[i].quiet)
			return true;
	return binaries_configured(binaries) &&
	       (binaries->given || binaries_asks_servers(binaries) ||
		binaries_peek(binaries, module, LOCATE_IMAGE) != NULL);
}

bool
binaries_in_system(const struct binaries *binaries)
{
	return binaries != NULL && (binaries->options & BINARIES_SYSTEM) != 0;
}

bool
binaries_asks_servers(const struct binaries *binaries)
{
	return binaries != NULL && binaries->fetcher_count > 0;
}

static struct binaries_reader *
make_reader(struct binaries *binaries, const struct binaries_reader_kind *kind)
{
	struct binaries_reader *reader = calloc(1, sizeof(*reader));

	if (reader == NULL)
		return NULL;
	*reader = (struct binaries_reader){ .kind = kind, .crash = binaries->crash,
					    .binaries = binaries };
	arena_init(&reader->arena, 0);
	message_list_init(&reader->messages, &reader->arena);
	reader->slots = arena_array(&reader->arena, binaries->crash->module_count,
				    kind->slot_size);
	if (reader->slots == NULL || pthread_mutex_init(&reader->mutex, NULL) != 0) {
		arena_free(&reader->arena);
		free(reader);
		return NULL;
	}
	return reader;
}

struct binaries_reader *
binaries_reader(const struct binaries *binaries, const struct binaries_reader_kind *kind,
		size_t module)
{
	if (binaries == NULL || module >= binaries->crash->module_count)
		return NULL;
	struct binaries_readers *readers = binaries->readers;
	_Atomic(struct binaries_reader *) *made = &readers->made[kind->room];
	struct binaries_reader *reader = atomic_load_explicit(made, memory_order_acquire);

	if (reader != NULL)
		return reader;
	pthread_mutex_lock(&readers->mutex);
	reader = atomic_load(made);
	if (reader == NULL)
		reader = make_reader(readers->binaries, kind);
	atomic_store(made, reader);
	pthread_mutex_unlock(&readers->mutex);
	return reader;
}

const struct message_list *
binaries_messages(const struct binaries *binaries)
{
	return binaries != NULL ? &binaries->messages : NULL;
}

void
binaries_report_damage(struct binaries *binaries, const struct elf_damage *damage)
{
	char shown[LOCATE_SHOWN], section[64];

	if (damage->binary == NULL)
		return;
	text_printable(shown, sizeof(shown), text_of(damage->binary->file.input.name));
	text_printable(section, sizeof(section), text_of(damage->section));
	pthread_mutex_lock(&binaries->mutex);
	message_add(&binaries->messages, MESSAGE_BINARY_UNREADABLE, (struct place){ 0 },
		    "section %s of '%s' cannot be decompressed to %" PRIu64 " bytes"
		    "\nthe file is read without it", section, shown, damage->size);
	pthread_mutex_unlock(&binaries->mutex);
}

void
binaries_report_missing(struct binaries *binaries, struct place place, const char *what)
{
	pthread_mutex_lock(&binaries->mutex);
	message_add(&binaries->messages, MESSAGE_BINARY_UNREADABLE, place, "%s", what);
	pthread_mutex_unlock(&binaries->mutex);
}

bool
binaries_run_code(struct binaries *binaries)
{
	const uint64_t run = atomic_fetch_add_explicit(&binaries->code_run, 1,
						       memory_order_relaxed);

	if (run != binaries->code_most)
		return run < binaries->code_most;
	pthread_mutex_lock(&binaries->mutex);
	message_add(&binaries->messages, MESSAGE_LIMIT, (struct place){ 0 },
		    "running the modules' functions for all frames would take too much time"
		    "\nsome frames are found without their function's code");
	pthread_mutex_unlock(&binaries->mutex);
	return false;
}

void
binaries_report_limit(struct binaries *binaries, const struct binary *binary, const char *what,
		      const char *missing)
{
	char shown[LOCATE_SHOWN];

	pthread_mutex_lock(&binaries->mutex);
	message_add(&binaries->messages, MESSAGE_LIMIT, (struct place){ 0 },
		    "%s of '%s' would take too much time or memory for its size"
		    "\nsome of its %s are missing",
		    what, locate_shown(shown, binary->file.input.name), missing);
	pthread_mutex_unlock(&binaries->mutex);
}

const struct binary *
binaries_slot_file(const struct binaries_slot *slot, enum locate_kind kind)
{
	if (kind != LOCATE_DEBUG || slot->files[kind] != NULL)
		return slot->files[kind];
	return slot->stripped != NULL ? slot->stripped : slot->files[LOCATE_IMAGE];
}

/* Loading -------------------------------------------------------------------------------------- */

const struct binary *
binaries_try(struct binaries *binaries, size_t module, enum locate_kind kind, bool *settled)
{
	*settled = true;
	if (binaries == NULL || module >= binaries->crash->module_count)
		return NULL;
	struct binaries_slot *slot = &binaries->slots[module];
	if (atomic_load(&slot->done[kind]))
		return binaries_slot_file(slot, kind);
	pthread_mutex_lock(&binaries->mutex);
	binaries_load_given(binaries, module, kind);
	*settled = atomic_load(&slot->done[kind]);
	const struct binary *binary = binaries_slot_file(slot, kind);
	pthread_mutex_unlock(&binaries->mutex);
	return binary;
}

const struct binary *
binaries_load(struct binaries *binaries, size_t module, enum locate_kind kind)
{
	bool settled;

	return binaries_try(binaries, module, kind, &settled);
}

const struct binary *
binaries_peek(const struct binaries *binaries, size_t module, enum locate_kind kind)
{
	if (binaries == NULL || module >= binaries->crash->module_count)
		return NULL;
	const struct binaries_slot *slot = &binaries->slots[module];
	return atomic_load(&slot->done[kind]) ? binaries_slot_file(slot, kind) : NULL;
}

/* Finds the module that contains `address`, and returns its file; NULL: no such file. */
static const struct binary *
binary_of(struct binaries *binaries, uint64_t address, const struct module **module)
{
	int index = binaries_configured(binaries) ? module_map_find(&binaries->map, address)
						  : MODULE_NONE;

	if (index == MODULE_NONE)
		return NULL;
	*module = &binaries->crash->modules[index];
	return binaries_load(binaries, (size_t)index, LOCATE_IMAGE);
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

bool
binaries_looked(const struct binaries *binaries, size_t module, enum locate_kind kind)
{
	return binaries != NULL && module < binaries->crash->module_count &&
	       atomic_load(&binaries->slots[module].done[kind]);
}
