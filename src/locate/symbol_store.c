/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/symbol_store_internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "system/file.h"
#include "base/place.h"
#include "locate/binaries.h"
#include "crash/crash.h"
#include "locate/folder.h"

/* Bytes of a requested name: with `.sym` appended it reaches the limit of file systems. */
#define NAME_MOST 251u

/* A module's file that is being read: the context of progress callbacks. */
struct store_reading {
	struct symbols *symbols;
	size_t module;
	const char *path;
};

struct symbols_cache *
symbols_cache_create(void)
{
	struct symbols_cache *cache = calloc(1, sizeof(*cache));

	if (cache != NULL && (cache->answers = fetch_memory_create()) != NULL &&
	    pthread_mutex_init(&cache->mutex, NULL) == 0) {
		if (pthread_cond_init(&cache->changed, NULL) == 0)
			return cache;
		pthread_mutex_destroy(&cache->mutex);
	}
	if (cache != NULL)
		fetch_memory_free(cache->answers);
	free(cache);
	return NULL;
}

struct fetch_memory *
symbols_cache_answers(struct symbols_cache *cache)
{
	return cache->answers;
}

void
symbols_cache_close_files(struct symbols_cache *cache)
{
	while (cache->opened != NULL) {
		struct opened *next = cache->opened->next;

		symfile_close(cache->opened->symfile);
		free(cache->opened);
		cache->opened = next;
	}
}

void
symbols_cache_free(struct symbols_cache *cache)
{
	if (cache == NULL)
		return;
	symbols_cache_close_files(cache);
	folder_free_all(&cache->folders);
	pthread_cond_destroy(&cache->changed);
	pthread_mutex_destroy(&cache->mutex);
	fetch_memory_free(cache->answers);
	free(cache);
}

struct symbols *
symbols_create(const struct module *modules, size_t count, const char *const *paths,
	       size_t path_count)
{
	const struct symbols_source source = { .paths = paths, .path_count = path_count };

	return symbols_open(modules, count, &source);
}

/* Add a message if the last given file and an earlier file are for the same module. */
static void
report_second(struct symbols *symbols)
{
	const struct locate_root *last = &symbols->roots[symbols->root_count - 1];
	char shown[LOCATE_SHOWN], first[LOCATE_SHOWN], name[LOCATE_SHOWN];
	size_t i = 0;

	if (!last->is_file || last->id == NULL)
		return;
	while (&symbols->roots[i] != last &&
	       (symbols->roots[i].id == NULL || strcasecmp(symbols->roots[i].id, last->id) != 0))
		i++;
	/* A path that was given twice is not reported. */
	if (&symbols->roots[i] != last && strcmp(symbols->roots[i].path, last->path) != 0)
		message_add(&symbols->messages, MESSAGE_SYMBOL_ID, (struct place){ 0 },
			    "'%s' is for the same module as '%s', '%s'\nonly the first is used",
			    locate_shown(shown, last->path),
			    locate_shown(first, symbols->roots[i].path),
			    locate_shown(name, last->name));
}

struct symbols *
symbols_open(const struct module *modules, size_t count, const struct symbols_source *source)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols == NULL)
		return NULL;
	symbols->owns_cache = source->cache == NULL;
	symbols->cache = symbols->owns_cache ? symbols_cache_create() : source->cache;
	symbols->options = *source;
	arena_init(&symbols->arena, 0);
	message_list_init(&symbols->messages, &symbols->arena);
	symbols->modules = modules;
	symbols->count = count;
	symbols->slots = arena_array(&symbols->arena, count, sizeof(*symbols->slots));
	symbols->root_capacity = source->path_count + 1;
	symbols->roots =
		arena_array(&symbols->arena, symbols->root_capacity, sizeof(*symbols->roots));
	if (symbols->slots == NULL || symbols->roots == NULL || symbols->cache == NULL) {
		symbols_free(symbols);
		return NULL;
	}
	pthread_mutex_lock(&symbols->cache->mutex);
	symbols->number = ++symbols->cache->sets;
	pthread_mutex_unlock(&symbols->cache->mutex);
	for (size_t slot = 0; slot < count; slot++)
		atomic_init(&symbols->slots[slot].state, SYMBOLS_PENDING);
	for (size_t path = 0; path < source->path_count; path++) {
		symbols->roots[symbols->root_count++] = store_root(symbols, source->paths[path]);
		report_second(symbols);
	}
	if (source->fetcher != NULL &&
	    symbols_add_servers(symbols, source->fetcher, NULL) != ERROR_NONE) {
		symbols_free(symbols);
		return NULL;
	}
	return symbols;
}

void
symbols_free(struct symbols *symbols)
{
	if (symbols == NULL)
		return;
	for (struct edited *edited = symbols->versions; edited != NULL; edited = edited->next)
		symfile_close(edited->version);
	if (symbols->owns_cache)
		symbols_cache_free(symbols->cache);
	arena_free(&symbols->arena);
	free(symbols);
}

bool
symbols_configured(const struct symbols *symbols)
{
	return symbols->root_count != 0;
}

const char *
symbols_problem(const struct symbols *symbols, const char *path)
{
	return locate_roots_problem(symbols->roots, symbols->root_count, path);
}

const struct message_list *
symbols_messages(const struct symbols *symbols)
{
	return &symbols->messages;
}

/* Under the lock: the entry of a file that was opened for any module. */
static struct opened *
find_opened(const struct symbols *symbols, const struct stat *status)
{
	struct opened *opened = symbols->cache->opened;

	while (opened != NULL &&
	       (opened->stopped || opened->forgotten || opened->inode != status->st_ino ||
		opened->device != status->st_dev))
		opened = opened->next;
	return opened;
}

struct opened *
store_unreadable(const struct symbols *symbols, const struct stat *status)
{
	struct opened *opened = find_opened(symbols, status);

	/* Breakpad stops at the first plain file. */
	if ((!symbols->options.any_layout && S_ISREG(status->st_mode)) || opened == NULL ||
	    !opened->done || opened->symfile != NULL ||
	    opened->changed.tv_sec != status->st_ctim.tv_sec ||
	    opened->changed.tv_nsec != status->st_ctim.tv_nsec)
		return NULL;
	return opened;
}

void
store_tell_unreadable(struct symbols *symbols, struct opened *opened, const char *path)
{
	if (opened->told != symbols->number)
		locate_report_unreadable(&symbols->messages, MESSAGE_SYMBOL_UNREADABLE, path,
					 opened->reason);
	opened->told = symbols->number;
}

/* Note the progress of reading a file; false: stop. `context` is a struct store_reading. */
static bool
note_progress(void *context, uint64_t bytes, uint64_t total)
{
	const struct store_reading *reading = context;
	struct symbols *symbols = reading->symbols;
	struct slot *slot = &symbols->slots[reading->module];

	atomic_store(&slot->bytes, bytes);
	atomic_store(&slot->total, total);
	if (atomic_load(&symbols->stop))
		return false;
	return symbols->progress == NULL ||
	       symbols->progress(symbols->context, reading->module, reading->path, bytes, total);
}

size_t
symbols_reading(const struct symbols *symbols, struct symbols_reading *readings, size_t most)
{
	size_t count = 0;

	for (size_t module = 0; module < symbols->count; module++) {
		const struct slot *slot = &symbols->slots[module];
		const uint64_t begun = atomic_load(&slot->begun);

		if (begun == 0)
			continue;
		if (count < most)
			readings[count] = (struct symbols_reading){
				.module = module,
				.bytes = atomic_load(&slot->bytes),
				.total = atomic_load(&slot->total),
				.host = atomic_load(&slot->host),
				.milliseconds = (uint64_t)clock_milliseconds() - begun,
			};
		count++;
	}
	return count;
}

void
symbols_tell(struct symbols *symbols, symbols_progress *progress, void *context)
{
	symbols->progress = progress;
	symbols->context = context;
}

void
symbols_stop(struct symbols *symbols, bool stop)
{
	atomic_store(&symbols->stop, stop);
}

/* Servers -------------------------------------------------------------------------------------- */

static bool
note_fetching(void *context, const char *host, uint64_t bytes, uint64_t total)
{
	const struct store_reading *reading = context;

	atomic_store(&reading->symbols->slots[reading->module].host, host);
	return note_progress(context, bytes, total);
}

static void
begin_fetching(const struct store_reading *reading)
{
	struct slot *slot = &reading->symbols->slots[reading->module];

	atomic_store(&slot->bytes, 0);
	atomic_store(&slot->total, 0);
	atomic_store(&slot->begun, (uint64_t)clock_milliseconds());
}

static void
end_fetching(struct store_reading *reading)
{
	struct slot *slot = &reading->symbols->slots[reading->module];

	atomic_store(&slot->host, NULL);
	note_progress(reading, 0, 0);
	atomic_store(&slot->begun, 0);
}

/* Whether a download directory can have this name: it has no control characters. */
static bool
is_kept(const char *name)
{
	const struct text text = text_of(name);

	return text_printable_length(text) == text.length;
}

/* Whether servers are asked for a name and an ID: only if a search can find the download. */
static bool
is_asked(const char *name, const char *id)
{
	return layout_safe_name(name) && layout_safe_name(id) && strlen(name) <= NAME_MOST &&
	       strlen(id) <= NAME_MOST && is_kept(name) && is_kept(id);
}

/*
 * Ask the servers in order until one has a module's file. The caller holds the lock, which is
 * released during requests. True: a search will find the file.
 */
static bool
ask_servers(struct symbols *symbols, size_t module, bool *stopped)
{
	struct locate_subject subject =
		symbol_search_subject(symbols, &symbols->modules[module]);
	const bool debug = is_asked(subject.name, subject.id);
	const bool code = (debug || symbols->options.any_layout) &&
			  is_asked(subject.code_name, subject.code_id);
	struct store_reading reading = { symbols, module,
					 debug ? subject.name : subject.code_name };
	struct locate_record *served = &symbols->slots[module].served;
	const struct fetch_request request = {
		.kind = LOCATE_SYMBOLS, .subject = &subject, .record = served,
		.messages = &symbols->messages, .mutex = &symbols->cache->mutex,
		.progress = note_fetching, .context = &reading,
	};
	char shown[LOCATE_SHOWN];
	bool here = false;

	if (symbols->fetcher_count > 0 && !is_kept(subject.name))
		message_add(&symbols->messages, MESSAGE_SYMBOL_SERVER,
			    symbols->modules[module].identity_place,
			    "debug file '%s' has unprintable characters in its name\nservers are "
			    "not asked for it", locate_shown(shown, subject.name));
	if (!debug)
		subject.name = subject.id = "";
	if (!code)
		subject.code_name = subject.code_id = "";
	*served = (struct locate_record){ .kind = LOCATE_SYMBOLS, .arena = &symbols->arena };
	for (size_t i = 0; (debug || code) && i < symbols->fetcher_count && !here && !*stopped;
	     i++) {
		begin_fetching(&reading);
		const enum fetch_answer answer = fetch_file(symbols->fetchers[i], &request);
		end_fetching(&reading);
		*stopped = answer == FETCH_STOPPED;
		here = answer == FETCH_TAKEN;
	}
	return here;
}

/*
 * Request a module's own files from servers if it has no symbol file; else finish their search. The
 * caller holds the lock, which is released during requests.
 */
static void
ask_for_own_files(struct symbols *symbols, size_t module, bool *stopped)
{
	struct store_reading reading = { symbols, module, symbols->modules[module].code_file };

	if (symbols->slots[module].symfile != NULL) {
		binaries_settle(symbols->options.binaries, module);
	} else if (symbols->options.binaries != NULL) {
		pthread_mutex_unlock(&symbols->cache->mutex);
		begin_fetching(&reading);
		*stopped = !binaries_ask(symbols->options.binaries, module, note_fetching,
					 &reading);
		end_fetching(&reading);
		pthread_mutex_lock(&symbols->cache->mutex);
	}
}

const struct binaries_source *
symbols_find_source(struct symbols *symbols, const struct module *module, struct text path,
		    bool ask)
{
	size_t index = 0;

	while (index < symbols->count && &symbols->modules[index] != module)
		index++;
	if (index == symbols->count)
		return NULL;
	pthread_mutex_lock(&symbols->cache->mutex);
	struct binaries *binaries = symbols->options.binaries;
	pthread_mutex_unlock(&symbols->cache->mutex);
	struct store_reading reading = { symbols, index, module->code_file };
	const struct binaries_source *source =
		binaries_find_source(binaries, index, path, false, NULL, NULL);
	if (source == NULL || source->asked || !ask)
		return source;
	reading.path = source->path;
	begin_fetching(&reading);
	source = binaries_find_source(binaries, index, path, true, note_fetching, &reading);
	end_fetching(&reading);
	return source;
}

/* Loading -------------------------------------------------------------------------------------- */

/* Add an entry and read its file. The caller's lock is released during the reading. */
static struct opened *
open_file(struct store_reading *reading, const struct stat *status)
{
	struct symbols *symbols = reading->symbols;
	struct slot *slot = &symbols->slots[reading->module];
	const struct symfile_options options = {
		.progress = note_progress, .context = reading,
		.index_directory = symbols->options.index_directory,
	};
	struct opened *opened = calloc(1, sizeof(*opened));
	struct symfile *symfile = NULL;
	struct error error = { 0 };
	enum error_code code;

	if (opened == NULL)
		return NULL;
	opened->device = status->st_dev;
	opened->inode = status->st_ino;
	opened->changed = status->st_ctim;
	opened->next = symbols->cache->opened;
	symbols->cache->opened = opened;
	pthread_mutex_unlock(&symbols->cache->mutex);
	if (!S_ISREG(status->st_mode)) {
		code = error_plain(&error, ERROR_IO, "not a regular file");
	} else {
		atomic_store(&slot->bytes, 0);
		atomic_store(&slot->total, (uint64_t)status->st_size);
		atomic_store(&slot->begun, (uint64_t)clock_milliseconds());
		code = symfile_open(&symfile, reading->path, &options, &error);
		atomic_store(&slot->begun, 0);
	}
	pthread_mutex_lock(&symbols->cache->mutex);
	if (code != ERROR_NONE)
		snprintf(opened->reason, sizeof(opened->reason), "%s", error.text);
	opened->symfile = symfile;
	opened->stopped = code == ERROR_CANCELLED;
	opened->done = true;
	pthread_cond_broadcast(&symbols->cache->changed);
	return opened;
}

/* Under the lock: report a file whose ID differs from the module's. */
static void
check_identity(struct symbols *symbols, const struct module *module,
	       const struct symfile *symfile)
{
	struct symfile_identity identity = symfile_identity(symfile);
	char wanted[LOCATE_SHOWN], found[LOCATE_SHOWN];
	uint64_t offset;
	uint32_t length;

	if (identity.id.length == 0 ||
	    (identity.id.length == strlen(module->debug_id) &&
	     strncasecmp(identity.id.start, module->debug_id, identity.id.length) == 0))
		return;
	symfile_record(symfile, SYMBOL_MODULE, 0, &offset, &length);
	text_printable(found, sizeof(found), identity.id);
	message_add(&symbols->messages, MESSAGE_SYMBOL_ID, symfile_place(symfile, offset, length),
		    "MODULE record has another id than the module, expected %s, found %s"
		    "\nused, because its path "
		    "matches", locate_shown(wanted, module->debug_id), found);
}

/*
 * Find a module's files, and open the first readable file. The lock is held, but released during
 * reading and requests.
 */
static struct symfile *
load_symfile(struct symbols *symbols, size_t index, bool *stopped)
{
	const struct module *module = &symbols->modules[index];
	struct locate_search search;
	struct opened *opened;
	bool asked = false;

	for (bool again = false;; again = true) {
		search = symbol_search_for(symbols, index);
		search.silent = again;
		if (!symbol_search_run(&search) && !asked) {
			asked = true;
			if (!ask_servers(symbols, index, stopped))
				return NULL;
			search = symbol_search_for(symbols, index);
			search.silent = again;
			symbol_search_run(&search);
		}
		if (search.path == NULL)
			return NULL;
		struct store_reading reading = { symbols, index, search.path };

		opened = find_opened(symbols, &search.status);
		if (opened == NULL)
			opened = open_file(&reading, &search.status);
		while (opened != NULL && !opened->done)
			pthread_cond_wait(&symbols->cache->changed, &symbols->cache->mutex);
		if (opened != NULL && opened->symfile == NULL && !opened->stopped)
			store_tell_unreadable(symbols, opened, search.path);
		free(search.path);
		if (opened == NULL || opened->stopped || opened->symfile != NULL ||
		    store_unreadable(symbols, &search.status) == NULL)
			break;
	}
	symbols->slots[index].identity = identity_of(&search.status);
	*stopped = opened != NULL && opened->stopped;
	if (opened == NULL || opened->symfile == NULL)
		return NULL;
	check_identity(symbols, module, opened->symfile);
	return opened->symfile;
}

bool
symbols_settled(const struct symbols *symbols, size_t module)
{
	const enum symbols_state state = atomic_load(&symbols->slots[module].state);

	return state == SYMBOLS_LOADED || state == SYMBOLS_ABSENT;
}

uint64_t
symbols_moment(const struct symbols *symbols)
{
	return atomic_load(&symbols->moment);
}

bool
symbols_known_at(const struct symbols *symbols, size_t module, uint64_t moment,
		 const struct symfile **symfile)
{
	const struct slot *slot = &symbols->slots[module];
	const uint64_t since = atomic_load(&slot->moment);
	const struct slot_past *past = atomic_load(&slot->past);

	*symfile = NULL;
	if (since != 0 && since <= moment) {
		*symfile = slot->symfile;
		return true;
	}
	while (past != NULL && (moment < past->from || moment >= past->until))
		past = past->older;
	if (past != NULL)
		*symfile = past->symfile;
	return past != NULL;
}

void
store_forget(struct symbols *symbols, struct slot *slot)
{
	struct slot_past *past = arena_alloc(&symbols->arena, sizeof(*past));

	/* When out of memory this period is lost, as if the file had not been read. */
	if (past != NULL) {
		*past = (struct slot_past){ .older = atomic_load(&slot->past),
					    .from = atomic_load(&slot->moment),
					    .until = atomic_fetch_add(&symbols->moment, 1) + 1,
					    .symfile = slot->symfile };
		atomic_store(&slot->past, past);
	}
	atomic_store(&slot->moment, 0);
	slot->symfile = NULL;
	slot->identity = (struct identity){ 0 };
	atomic_store(&slot->state, SYMBOLS_PENDING);
}

/* Copy the edits of one file, with their texts, to an arena; false when out of memory. */
static bool
edits_of_file(const struct record_edits *edits, const struct file *file, struct arena *arena,
	      struct record_edits *of_file)
{
	struct record_edit *copies = arena_array(arena, edits->count + 1, sizeof(*copies));

	*of_file = (struct record_edits){ .edits = copies };
	for (size_t i = 0; copies != NULL && i < edits->count; i++) {
		const struct record_edit *edit = &edits->edits[i];

		if (!record_edit_holds(edit, file))
			continue;
		struct record_edit *copy = &copies[of_file->count++];
		*copy = (struct record_edit){
			.file = file->input.name,
			.offset = edit->offset,
			.line = edit->line,
			.was = { text_copy(arena, edit->was), edit->was.length },
			.now = { text_copy(arena, edit->now), edit->now.length },
		};
		if (copy->was.start == NULL || copy->now.start == NULL)
			return false;
	}
	return copies != NULL;
}

static bool
are_same_edits(const struct record_edits *a, const struct record_edits *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; same && i < a->count; i++)
		same = a->edits[i].offset == b->edits[i].offset &&
		       text_equal(a->edits[i].was, b->edits[i].was) &&
		       text_equal(a->edits[i].now, b->edits[i].now);
	return same;
}

/* Finds or makes the version of a file with edits; NULL: failed. The lock is held. */
static const struct edited *
find_version(struct symbols *symbols, const struct symfile *symfile,
	     const struct record_edits *edits)
{
	struct edited *edited = symbols->versions;

	while (edited != NULL &&
	       (edited->symfile != symfile || !are_same_edits(&edited->edits, edits)))
		edited = edited->next;
	if (edited != NULL)
		return edited;
	edited = arena_alloc(&symbols->arena, sizeof(*edited));
	if (edited == NULL || !edits_of_file(edits, symfile_file(symfile), &symbols->arena,
					     &edited->edits) ||
	    !symfile_version(&edited->version, symfile, &edited->edits))
		return NULL;
	edited->symfile = symfile;
	edited->next = symbols->versions;
	symbols->versions = edited;
	return edited;
}

const struct symfile *
symbols_version(struct symbols *symbols, const struct symfile *symfile,
		const struct record_edits *edits)
{
	struct arena scratch = { 0 };
	struct record_edits of_file;
	const struct edited *edited = NULL;

	if (edits_of_file(edits, symfile_file(symfile), &scratch, &of_file) && of_file.count > 0) {
		pthread_mutex_lock(&symbols->cache->mutex);
		edited = find_version(symbols, symfile, &of_file);
		pthread_mutex_unlock(&symbols->cache->mutex);
	}
	arena_free(&scratch);
	return edited != NULL && edited->version != NULL ? edited->version : symfile;
}

const struct symfile *
symbols_load(struct symbols *symbols, size_t module)
{
	struct slot *slot = &symbols->slots[module];

	/* A loaded file is returned without waiting for other files. */
	if (symbols_settled(symbols, module))
		return slot->symfile;
	pthread_mutex_lock(&symbols->cache->mutex);
	while (atomic_load(&slot->state) == SYMBOLS_LOADING)
		pthread_cond_wait(&symbols->cache->changed, &symbols->cache->mutex);
	if (atomic_load(&slot->state) == SYMBOLS_PENDING && !atomic_load(&symbols->stop)) {
		bool stopped = false;
		enum symbols_state state;
		unsigned added;

		atomic_store(&slot->state, SYMBOLS_LOADING);
		do {
			added = symbols->added;
			slot->symfile = load_symfile(symbols, module, &stopped);
			/* Without a symbol file the module's own files are needed. */
			if (!stopped)
				ask_for_own_files(symbols, module, &stopped);
		} while (slot->symfile == NULL && !stopped && added != symbols->added);
		state = slot->symfile != NULL ? SYMBOLS_LOADED : SYMBOLS_ABSENT;
		if (!stopped)
			atomic_store(&slot->moment, atomic_fetch_add(&symbols->moment, 1) + 1);
		atomic_store(&slot->state, stopped ? SYMBOLS_PENDING : state);
		pthread_cond_broadcast(&symbols->cache->changed);
	}
	pthread_mutex_unlock(&symbols->cache->mutex);
	return slot->symfile;
}

const struct symfile *
symbols_peek(const struct symbols *symbols, size_t module, enum symbols_state *state)
{
	const struct slot *slot = &symbols->slots[module];

	const enum symbols_state now = atomic_load(&slot->state);
	if (state != NULL)
		*state = now;
	return now == SYMBOLS_LOADED ? slot->symfile : NULL;
}

bool
symbols_differ(struct symbols *symbols, size_t module, struct identity *identity)
{
	struct slot *slot = &symbols->slots[module];

	if (!symbols_settled(symbols, module))
		return false;
	pthread_mutex_lock(&symbols->cache->mutex);
	struct locate_search search = symbol_search_for(symbols, module);
	const bool found = symbol_search_run(&search);
	pthread_mutex_unlock(&symbols->cache->mutex);
	*identity = found ? identity_of(&search.status) : (struct identity){ 0 };
	free(search.path);
	return !identity_equal(identity, &slot->identity);
}

void
symbols_forget(struct symbols *symbols, size_t module)
{
	struct slot *slot = &symbols->slots[module];

	pthread_mutex_lock(&symbols->cache->mutex);
	if (symbols_settled(symbols, module)) {
		for (struct opened *opened = symbols->cache->opened; opened != NULL;
		     opened = opened->next)
			if (opened->inode == slot->identity.inode &&
			    opened->device == slot->identity.device)
				opened->forgotten = true;
		store_forget(symbols, slot);
	}
	pthread_mutex_unlock(&symbols->cache->mutex);
}
