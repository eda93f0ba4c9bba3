/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/identity.h"
#include "base/place.h"
#include "crash/crash.h"

/* Bytes of a plain file that are looked through for its MODULE record. */
#define HEAD_SIZE 4096u
/* Bytes of a name or an id in a message. */
#define SHOWN_SIZE 128u

/* One path that was given. */
struct root {
	const char *path;
	bool is_file;
	bool usable;
	const char *id, *name;		/* of a plain file's MODULE record; NULL: none */
};

/* A symbol file that is open or being opened; modules may share it. */
struct opened {
	struct opened *next;
	dev_t device;
	ino_t inode;
	bool done;
	bool stopped;			/* before its end: as if it were not here */
	bool forgotten;			/* whoever asks now reads what stands there now */
	struct symfile *symfile;	/* NULL until done, or unreadable */
	char reason[256];		/* why it is unreadable */
	unsigned told;			/* number of the last set that said so */
};

struct symbols_cache {
	struct opened *opened;
	unsigned sets;			/* that have shared it so far */
	pthread_mutex_t mutex;		/* all of its sets, but a slot's state and file */
	pthread_cond_t changed;
};

struct slot {
	_Atomic(enum symbols_state) state;
	struct symfile *symfile;	/* set before `state` says so */
	struct identity identity;	/* of its file before it was read, set then, too */
	/* How far its file has been read; `begun` is 0 while nobody reads it. */
	_Atomic(uint64_t) bytes, total, begun;
};

struct symbols {
	const struct module *modules;
	size_t count;
	struct root *roots;
	size_t root_count;
	struct slot *slots;		/* one a module */
	struct symbols_cache *cache;
	bool owns_cache;
	bool by_code_file;
	unsigned number;		/* of this set among those that share the cache, from 1 */
	const char *index_directory;
	symbols_progress *progress;
	void *context;
	atomic_bool stop;
	struct arena arena;
	struct message_list messages;
};

/* Who reads which file for whom. */
struct reading {
	struct symbols *symbols;
	size_t module;
	const char *path;
};

/* Milliseconds of a clock that never jumps. */
static uint64_t
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static const char *
shown(char *buffer, const char *text)
{
	text_printable(buffer, SHOWN_SIZE, text_of(text));
	return buffer;
}

/* Under the lock, or before there is another thread. Paths hold names from dumps. */
static void
report_unreadable(struct symbols *symbols, const char *path, const char *reason)
{
	char shown_path[SHOWN_SIZE * 2], shown_reason[SHOWN_SIZE * 2];

	text_printable(shown_path, sizeof(shown_path), text_of(path));
	text_printable(shown_reason, sizeof(shown_reason), text_of(reason));
	message_add(&symbols->messages, MESSAGE_SYMBOL_UNREADABLE, (struct place){ 0 },
		    "no symbols from '%s': %s", shown_path, shown_reason);
}

/* The first bytes of a file; how many, or -1. */
static ssize_t
read_head(const char *path, char *head)
{
	size_t used = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	while (used < HEAD_SIZE) {
		ssize_t got = read(fd, head + used, HEAD_SIZE - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			close(fd);
			return -1;
		}
		if (got == 0)
			break;
		used += (size_t)got;
	}
	close(fd);
	return (ssize_t)used;
}

/* Learn from a plain file's first bytes which module it is for. */
static void
identify(struct symbols *symbols, struct root *root)
{
	char head[HEAD_SIZE], path[SHOWN_SIZE];
	ssize_t length = read_head(root->path, head);
	struct symfile *symfile;

	if (length < 0) {
		report_unreadable(symbols, root->path, strerror(errno));
		return;
	}
	if (symfile_from_memory(&symfile, root->path, head, (size_t)length, NULL) != ERROR_NONE)
		return;
	struct symfile_identity identity = symfile_identity(symfile);
	if (identity.id.length != 0) {
		root->id = arena_copy(&symbols->arena, identity.id.start, identity.id.length);
		root->name = arena_copy(&symbols->arena, identity.name.start,
					identity.name.length);
		root->usable = root->id != NULL && root->name != NULL;
	} else {
		message_add(&symbols->messages, MESSAGE_SYMBOL_ID, (struct place){ 0 },
			    "'%s' does not begin with a MODULE record\nused for no module",
			    shown(path, root->path));
	}
	symfile_close(symfile);
}

static void
add_root(struct symbols *symbols, const char *path)
{
	struct root *root = &symbols->roots[symbols->root_count++];
	struct stat status;

	*root = (struct root){ .path = path };
	if (stat(path, &status) != 0) {
		report_unreadable(symbols, path, strerror(errno));
	} else if (S_ISDIR(status.st_mode)) {
		root->usable = true;
	} else if (S_ISREG(status.st_mode)) {
		root->is_file = true;
		identify(symbols, root);
	} else {
		report_unreadable(symbols, path, "neither a directory nor a plain file");
	}
}

struct symbols_cache *
symbols_cache_create(void)
{
	struct symbols_cache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL || pthread_mutex_init(&cache->mutex, NULL) != 0) {
		free(cache);
		return NULL;
	}
	if (pthread_cond_init(&cache->changed, NULL) != 0) {
		pthread_mutex_destroy(&cache->mutex);
		free(cache);
		return NULL;
	}
	return cache;
}

void
symbols_cache_free(struct symbols_cache *cache)
{
	if (cache == NULL)
		return;
	while (cache->opened != NULL) {
		struct opened *next = cache->opened->next;

		symfile_close(cache->opened->symfile);
		free(cache->opened);
		cache->opened = next;
	}
	pthread_cond_destroy(&cache->changed);
	pthread_mutex_destroy(&cache->mutex);
	free(cache);
}

struct symbols *
symbols_create(const struct module *modules, size_t count, const char *const *paths,
	       size_t path_count)
{
	const struct symbols_source source = { .paths = paths, .path_count = path_count };

	return symbols_open(modules, count, &source);
}

struct symbols *
symbols_open(const struct module *modules, size_t count, const struct symbols_source *source)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols == NULL)
		return NULL;
	symbols->owns_cache = source->cache == NULL;
	symbols->cache = symbols->owns_cache ? symbols_cache_create() : source->cache;
	symbols->by_code_file = source->by_code_file;
	symbols->index_directory = source->index_directory;
	arena_init(&symbols->arena, 0);
	message_list_init(&symbols->messages, &symbols->arena);
	symbols->modules = modules;
	symbols->count = count;
	symbols->slots = arena_array(&symbols->arena, count, sizeof(*symbols->slots));
	symbols->roots =
		arena_array(&symbols->arena, source->path_count, sizeof(*symbols->roots));
	if (symbols->slots == NULL || symbols->roots == NULL || symbols->cache == NULL) {
		symbols_free(symbols);
		return NULL;
	}
	pthread_mutex_lock(&symbols->cache->mutex);
	symbols->number = ++symbols->cache->sets;
	pthread_mutex_unlock(&symbols->cache->mutex);
	for (size_t slot = 0; slot < count; slot++)
		atomic_init(&symbols->slots[slot].state, SYMBOLS_PENDING);
	for (size_t path = 0; path < source->path_count; path++)
		add_root(symbols, source->paths[path]);
	return symbols;
}

void
symbols_free(struct symbols *symbols)
{
	if (symbols == NULL)
		return;
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

const struct message_list *
symbols_messages(const struct symbols *symbols)
{
	return &symbols->messages;
}

/* Whether a name from a dump is safe as one component of a path. */
static bool
safe_component(const char *name)
{
	return name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strpbrk(name, "/\\") == NULL;
}

/* The length of a debug file's name without `.pdb`, as SimpleSymbolSupplier cuts it. */
static size_t
stem_length(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && strcasecmp(name + length - 4, ".pdb") == 0 ? length - 4 : length;
}

/* The path of a module's file under a root, to be freed; NULL where memory ends. */
static char *
path_under(const struct root *root, const char *name, const char *id)
{
	size_t stem = stem_length(name);
	size_t size = strlen(root->path) + strlen(name) + strlen(id) + stem + sizeof("///.sym");
	char *path = malloc(size);

	if (path != NULL)
		snprintf(path, size, "%s/%s/%s/%.*s.sym", root->path, name, id, (int)stem, name);
	return path;
}

/* Under the lock: say that a plain file of the right name is for another build. */
static void
report_other_build(struct symbols *symbols, const struct root *root, const char *name,
		   const char *id)
{
	char path[SHOWN_SIZE], shown_name[SHOWN_SIZE], wanted[SHOWN_SIZE], found[SHOWN_SIZE];

	message_add(&symbols->messages, MESSAGE_SYMBOL_ID, (struct place){ 0 },
		    "'%s' is for another build of '%s', expected id %s, found %s\nnot used",
		    shown(path, root->path), shown(shown_name, name), shown(wanted, id),
		    shown(found, root->id));
}

/* Under the lock: say that nothing is looked for under such a name. */
static void
report_unsafe(struct symbols *symbols, const struct module *module, const char *name)
{
	char shown_name[SHOWN_SIZE], id[SHOWN_SIZE];

	message_add(&symbols->messages, MESSAGE_SYMBOL_ID, module->identity_place,
		    "debug file '%s' with id '%s' cannot be the name of a symbol file"
		    "\nnot looked for", shown(shown_name, name), shown(id, module->debug_id));
}

/* Under the lock: whether `path` exists; any other failure than its absence is a message. */
static bool
exists(struct symbols *symbols, const char *path, struct stat *status)
{
	if (stat(path, status) == 0)
		return true;
	if (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG)
		report_unreadable(symbols, path, strerror(errno));
	return false;
}

/* What the file of a module is called. */
struct wanted {
	const char *name, *id;
	bool safe;			/* as components of a path */
};

static struct wanted
wanted_of(const struct symbols *symbols, const struct module *module)
{
	const char *file = module->debug_file[0] == '\0' && symbols->by_code_file
				   ? module->code_file
				   : module->debug_file;
	const char *name = place_base_name(file), *id = module->debug_id;

	return (struct wanted){ name, id, safe_component(name) && safe_component(id) };
}

/* Where a root would have a file, to be freed; or NULL. */
static char *
path_in(const struct root *root, const struct wanted *wanted)
{
	if (!root->usable)
		return NULL;
	if (!root->is_file)
		return wanted->safe ? path_under(root, wanted->name, wanted->id) : NULL;
	return wanted->id[0] != '\0' && strcasecmp(root->id, wanted->id) == 0 ? strdup(root->path)
									      : NULL;
}

/* Under the lock: the path where a module's symbols are, to be freed, or NULL. */
static char *
find_path(struct symbols *symbols, const struct module *module, struct stat *status)
{
	const struct wanted wanted = wanted_of(symbols, module);
	const char *name = wanted.name, *id = wanted.id;

	if (!wanted.safe && name[0] != '\0' && id[0] != '\0')
		report_unsafe(symbols, module, name);
	for (size_t index = 0; index < symbols->root_count; index++) {
		const struct root *root = &symbols->roots[index];
		char *path = path_in(root, &wanted);

		if (path == NULL && root->usable && root->is_file && id[0] != '\0' &&
		    strcmp(root->name, name) == 0)
			report_other_build(symbols, root, name, id);
		if (path != NULL && exists(symbols, path, status))
			return path;
		free(path);
	}
	return NULL;
}

/* The file of a module that the first root with one has now; all zeros: none has. */
static struct identity
what_stands_now(const struct symbols *symbols, const struct module *module)
{
	const struct wanted wanted = wanted_of(symbols, module);
	struct identity identity = { 0 };

	for (size_t index = 0; index < symbols->root_count && !identity_exists(&identity);
	     index++) {
		char *path = path_in(&symbols->roots[index], &wanted);

		if (path != NULL)
			identity = identity_at(path);
		free(path);
	}
	return identity;
}

/* Under the lock: the entry of a file that some module has asked for before. */
static struct opened *
find_opened(struct symbols *symbols, const struct stat *status)
{
	struct opened *opened = symbols->cache->opened;

	while (opened != NULL && (opened->stopped || opened->forgotten ||
				  opened->inode != status->st_ino || opened->device != status->st_dev))
		opened = opened->next;
	return opened;
}

static bool
note_progress(void *context, uint64_t bytes, uint64_t total)
{
	const struct reading *reading = context;
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
				.milliseconds = now() - begun,
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

/* Read a plain file, without the lock. */
static enum error_code
read_symfile(struct reading *reading, const struct stat *status, struct symfile **symfile,
	     struct error *error)
{
	struct symbols *symbols = reading->symbols;
	const struct symfile_options options = {
		.progress = note_progress, .context = reading,
		.index_directory = symbols->index_directory,
	};

	if (!S_ISREG(status->st_mode))
		return error_set(error, ERROR_IO, (struct place){ 0 }, "not a plain file");
	struct slot *slot = &symbols->slots[reading->module];
	atomic_store(&slot->bytes, 0);
	atomic_store(&slot->total, (uint64_t)status->st_size);
	atomic_store(&slot->begun, now());
	const enum error_code code =
		symfile_open_with(symfile, reading->path, &options, error);
	atomic_store(&slot->begun, 0);
	return code;
}

/* Add an entry and read its file meanwhile without the lock, which the caller holds. */
static struct opened *
open_file(struct reading *reading, const struct stat *status)
{
	struct symbols *symbols = reading->symbols;
	struct opened *opened = calloc(1, sizeof(*opened));
	struct symfile *symfile = NULL;
	struct error error = { 0 };

	if (opened == NULL)
		return NULL;
	opened->device = status->st_dev;
	opened->inode = status->st_ino;
	opened->next = symbols->cache->opened;
	symbols->cache->opened = opened;
	pthread_mutex_unlock(&symbols->cache->mutex);
	enum error_code code = read_symfile(reading, status, &symfile, &error);
	pthread_mutex_lock(&symbols->cache->mutex);
	if (code != ERROR_NONE)
		snprintf(opened->reason, sizeof(opened->reason), "%s", error.text);
	opened->symfile = symfile;
	opened->stopped = code == ERROR_CANCELLED;
	opened->done = true;
	pthread_cond_broadcast(&symbols->cache->changed);
	return opened;
}

/* Under the lock: say where a file's own id is not that of the module it was found for. */
static void
check_identity(struct symbols *symbols, const struct module *module,
	       const struct symfile *symfile)
{
	struct symfile_identity identity = symfile_identity(symfile);
	char wanted[SHOWN_SIZE], found[SHOWN_SIZE];
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
		    "\nused, as its path says", shown(wanted, module->debug_id), found);
}

/* Find and open a module's file. The lock is held, but not all of the time. */
static struct symfile *
load(struct symbols *symbols, size_t index, bool *stopped)
{
	const struct module *module = &symbols->modules[index];
	struct stat status;
	char *path = find_path(symbols, module, &status);

	if (path == NULL)
		return NULL;
	symbols->slots[index].identity = identity_of(&status);
	struct opened *opened = find_opened(symbols, &status);
	struct reading reading = { symbols, index, path };
	if (opened == NULL)
		opened = open_file(&reading, &status);
	while (opened != NULL && !opened->done)
		pthread_cond_wait(&symbols->cache->changed, &symbols->cache->mutex);
	*stopped = opened != NULL && opened->stopped;
	if (opened != NULL && opened->symfile == NULL && !*stopped &&
	    opened->told != symbols->number) {
		opened->told = symbols->number;
		report_unreadable(symbols, path, opened->reason);
	}
	free(path);
	if (opened == NULL || opened->symfile == NULL)
		return NULL;
	check_identity(symbols, module, opened->symfile);
	return opened->symfile;
}

/* Whether nothing more will come of a module's symbols. */
static bool
is_settled(struct slot *slot)
{
	const enum symbols_state state = atomic_load(&slot->state);

	return state == SYMBOLS_LOADED || state == SYMBOLS_ABSENT;
}

const struct symfile *
symbols_load(struct symbols *symbols, size_t module)
{
	struct slot *slot = &symbols->slots[module];

	/* Who asks for what is there never waits for somebody's long file. */
	if (is_settled(slot))
		return slot->symfile;
	pthread_mutex_lock(&symbols->cache->mutex);
	while (atomic_load(&slot->state) == SYMBOLS_LOADING)
		pthread_cond_wait(&symbols->cache->changed, &symbols->cache->mutex);
	if (atomic_load(&slot->state) == SYMBOLS_PENDING && !atomic_load(&symbols->stop)) {
		bool stopped = false;
		enum symbols_state state;

		atomic_store(&slot->state, SYMBOLS_LOADING);
		slot->symfile = load(symbols, module, &stopped);
		state = slot->symfile != NULL ? SYMBOLS_LOADED : SYMBOLS_ABSENT;
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

	*state = atomic_load(&slot->state);
	return *state == SYMBOLS_LOADED ? slot->symfile : NULL;
}

bool
symbols_differ(const struct symbols *symbols, size_t module, struct identity *identity)
{
	struct slot *slot = &symbols->slots[module];

	if (!is_settled(slot))
		return false;
	*identity = what_stands_now(symbols, &symbols->modules[module]);
	return !identity_equal(identity, &slot->identity);
}

void
symbols_forget(struct symbols *symbols, size_t module)
{
	struct slot *slot = &symbols->slots[module];

	pthread_mutex_lock(&symbols->cache->mutex);
	if (is_settled(slot)) {
		for (struct opened *opened = symbols->cache->opened; opened != NULL;
		     opened = opened->next)
			if (opened->inode == slot->identity.inode &&
			    opened->device == slot->identity.device)
				opened->forgotten = true;
		slot->symfile = NULL;
		slot->identity = (struct identity){ 0 };
		atomic_store(&slot->state, SYMBOLS_PENDING);
	}
	pthread_mutex_unlock(&symbols->cache->mutex);
}
