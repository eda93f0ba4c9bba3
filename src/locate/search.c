/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/symbol_store_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/place.h"
#include "crash/crash.h"
#include "locate/foreign.h"
#include "locate/shelf.h"

/* Where the file of a module is looked for: one way after the other, in one root after the other. */

#define PATH_SIZE 4096u
/* Hexadecimal digits of an id as Symbolicator cuts them: two for the first directory. */
#define UNIFIED_FOLDER 2u

static const char *const packed_suffixes[] = { ".gz", ".zst", ".xz" };

const char *
store_shown(char *buffer, const char *text)
{
	text_printable(buffer, SHOWN_SIZE, text_of(text));
	return buffer;
}

void
store_report_unreadable(struct symbols *symbols, const char *path, const char *reason)
{
	char shown_path[SHOWN_SIZE * 2], shown_reason[SHOWN_SIZE * 2];

	text_printable(shown_path, sizeof(shown_path), text_of(path));
	text_printable(shown_reason, sizeof(shown_reason), text_of(reason));
	message_add(&symbols->messages, MESSAGE_SYMBOL_UNREADABLE, (struct place){ 0 },
		    "no symbols from '%s': %s", shown_path, shown_reason);
}

/* Whether a name from a dump is safe as one component of a path. */
static bool
safe_component(const char *name)
{
	return name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strpbrk(name, "/\\") == NULL;
}

static bool
has_end(const char *name, size_t length, const char *end)
{
	const size_t cut = strlen(end);

	return length > cut && strcasecmp(name + length - cut, end) == 0;
}

/* The length of a debug file's name without `.pdb`, as SimpleSymbolSupplier cuts it. */
static size_t
stem_length(const char *name)
{
	const size_t length = strlen(name);

	return has_end(name, length, ".pdb") ? length - 4 : length;
}

/* The same of a code file's name, as symbol servers cut it. */
static size_t
code_stem_length(const char *name)
{
	const size_t length = strlen(name);

	return has_end(name, length, ".dll") || has_end(name, length, ".exe") ? length - 4 : length;
}

static char *
path_of(const char *root, const char *name, const char *id, size_t stem)
{
	const size_t size = strlen(root) + strlen(name) + strlen(id) + stem + sizeof("///.sym");
	char *path = malloc(size);

	if (path != NULL)
		snprintf(path, size, "%s/%s/%s/%.*s.sym", root, name, id, (int)stem, name);
	return path;
}

char *
search_path(const char *root, const char *name, const char *id)
{
	return path_of(root, name, id, stem_length(name));
}

struct wanted
search_wanted(const struct symbols *symbols, const struct module *module)
{
	const char *file = module->debug_file[0] == '\0' && symbols->by_code_file
				   ? module->code_file
				   : module->debug_file;
	struct wanted wanted = {
		.name = place_base_name(file), .id = module->debug_id,
		.code_name = place_base_name(module->code_file), .code_id = module->code_id,
	};

	wanted.safe = safe_component(wanted.name) && safe_component(wanted.id);
	wanted.code_safe = safe_component(wanted.code_name) && safe_component(wanted.code_id);
	return wanted;
}

static bool
is_zero(const char *id)
{
	return id[strspn(id, "0")] == '\0';
}

static void
tell(const struct search *search, enum symbols_way way, enum symbols_outcome outcome,
     const char *path, const char *why)
{
	const struct symbols_place place = { .way = way, .outcome = outcome, .path = path,
					     .why = why };

	if (search->visit != NULL)
		search->visit(search->context, &place);
}

/*
 * Under the lock: whether `path` exists; any other failure than its absence is a message, and `why`
 * says it.
 */
static bool
exists(struct search *search, const char *path, char *why, size_t size)
{
	why[0] = '\0';
	if (stat(path, &search->status) == 0)
		return true;
	if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG)
		return false;
	snprintf(why, size, "can't be read: %s", strerror(errno));
	if (!search->silent)
		store_report_unreadable(search->symbols, path, strerror(errno));
	return false;
}

/* Why a file that was tried before has no symbols: another place may have better ones. */
static const char *
refuse_unreadable(const struct search *search, const char *path, char *why, size_t size)
{
	struct opened *opened = store_unreadable(search->symbols, &search->status);
	char shown[SHOWN_SIZE * 2];

	if (opened == NULL)
		return NULL;
	if (!search->silent)
		store_tell_unreadable(search->symbols, opened, path);
	text_printable(shown, sizeof(shown), text_of(opened->reason));
	snprintf(why, size, "%s", shown);
	return why;
}

/*
 * Why a file is none that anybody reads as symbols, though it stands where one should: thousands of
 * messages on its records would not tell. NULL: it may be one.
 */
static const char *
refuse_foreign(const struct search *search, const char *path, char *why, size_t size)
{
	struct symbols *symbols = search->symbols;
	char shown[SHOWN_SIZE * 2];
	struct shelf_head head;
	struct arena arena;

	if (!symbols->any_layout || !S_ISREG(search->status.st_mode))
		return NULL;
	arena_init(&arena, 0);
	shelf_head_read(&head, path, &arena);
	arena_free(&arena);
	if (head.id != NULL || (!head.utf16 && head.foreign == NULL))
		return NULL;
	snprintf(why, size, "is no symbol file, but %s",
		 head.utf16 ? "UTF-16 text, which no walker reads" : head.foreign->what);
	text_printable(shown, sizeof(shown), text_of(path));
	if (!search->silent)
		message_add(&symbols->messages, MESSAGE_SYMBOL_ID, (struct place){ 0 },
			    "'%s' %s\nnot used; 'unspool symbols' says what would help", shown, why);
	return why;
}

/* Why a file that stands under a name of its own making is not for the module; NULL: it is. */
static const char *
refuse(const struct search *search, const char *path, char *why, size_t size)
{
	struct shelf_head head;
	struct arena arena;
	char id[SHOWN_SIZE];

	if (!S_ISREG(search->status.st_mode))
		return "is no plain file";
	arena_init(&arena, 0);
	shelf_head_read(&head, path, &arena);
	const char *reason = !head.read	  ? "can't be read"
			     : head.empty ? "is empty"
			     : head.utf16 ? "is UTF-16 text, which no walker reads"
			     : head.id == NULL
				     ? "does not begin with a MODULE record"
				     : NULL;
	if (head.foreign != NULL && head.id == NULL) {
		snprintf(why, size, "is no symbol file, but %s", head.foreign->what);
		reason = why;
	}
	if (reason == NULL && !is_zero(search->wanted.id) &&
	    strcasecmp(head.id, search->wanted.id) != 0) {
		snprintf(why, size, "its MODULE record has the id %s", store_shown(id, head.id));
		reason = why;
	}
	arena_free(&arena);
	return reason;
}

/*
 * Look at one path, which is freed unless it is what was looked for. Where Breakpad looks, what
 * stands there counts whatever id it says; elsewhere (`check`) its MODULE record has to agree.
 */
static char *
look_at(struct search *search, enum symbols_way way, char *path, bool check, bool tell_absent)
{
	char why[SHOWN_SIZE * 2];

	if (path == NULL)
		return NULL;
	if (exists(search, path, why, sizeof(why))) {
		const char *reason = refuse_unreadable(search, path, why, sizeof(why));

		if (reason == NULL)
			reason = check ? refuse(search, path, why, sizeof(why))
				       : refuse_foreign(search, path, why, sizeof(why));
		tell(search, way, reason == NULL ? SYMBOLS_USED : SYMBOLS_REFUSED, path, reason);
		if (reason == NULL)
			return path;
	} else if (why[0] != '\0') {
		tell(search, way, SYMBOLS_REFUSED, path, why);
	} else if (tell_absent) {
		tell(search, way, SYMBOLS_NOT_THERE, path, NULL);
	}
	free(path);
	return NULL;
}

static char *
joined(const char *first, const char *second)
{
	const size_t size = strlen(first) + strlen(second) + 1;
	char *path = malloc(size);

	if (path != NULL)
		snprintf(path, size, "%s%s", first, second);
	return path;
}

/* NAME/ID/NAME.sym, and compressed beside it. */
static char *
look_by_name(struct search *search, const struct root *root)
{
	if (!search->wanted.safe)
		return NULL;
	char *plain = search_path(root->path, search->wanted.name, search->wanted.id);
	char *found = plain == NULL ? NULL
				    : look_at(search, SYMBOLS_BY_NAME, joined(plain, ""), false, true);
	for (size_t i = 0; found == NULL && plain != NULL && search->symbols->any_layout &&
			   i < ARRAY_COUNT(packed_suffixes); i++)
		found = look_at(search, SYMBOLS_BY_NAME_PACKED, joined(plain, packed_suffixes[i]),
				true, false);
	free(plain);
	return found;
}

/* The name in a directory that is `name` but for its case, or compressed; false: none. */
static bool
folded_name(const char *directory, const char *name, char *result, size_t size)
{
	struct shelf *shelf = shelf_open(directory);
	const struct shelf_entry *entry = shelf == NULL ? NULL : shelf_named(shelf, name);
	char packed[PATH_SIZE];

	for (size_t i = 0; shelf != NULL && entry == NULL && i < ARRAY_COUNT(packed_suffixes); i++) {
		snprintf(packed, sizeof(packed), "%s%s", name, packed_suffixes[i]);
		entry = shelf_named(shelf, packed);
	}
	const int length =
		entry == NULL ? -1 : snprintf(result, size, "%s/%s", directory, entry->name);
	shelf_free(shelf);
	return length > 0 && (size_t)length < size;
}

struct shelf *
search_shelf(struct root *root)
{
	root->shelf = shelf_renew(root->shelf, root->path);
	return root->shelf;
}

/* NAME/ID/STEM.sym with the letters of all three in any case, in the directories that NAME has. */
static char *
look_folded(struct search *search, struct root *root, enum symbols_way way, const char *name,
	    const char *id, size_t stem)
{
	const struct shelf *shelf = search_shelf(root);
	const struct shelf_entry *entry = shelf == NULL ? NULL : shelf_named(shelf, name);
	const struct shelf_entry *end = entry == NULL ? NULL : shelf->entries + shelf->count;
	char folder[PATH_SIZE], below[PATH_SIZE], path[PATH_SIZE], file[PATH_SIZE];
	char *found = NULL;

	snprintf(file, sizeof(file), "%.*s.sym", (int)stem, name);
	for (; entry != NULL && entry < end && strcasecmp(entry->name, name) == 0 && found == NULL;
	     entry++) {
		const int length =
			snprintf(folder, sizeof(folder), "%s/%s", root->path, entry->name);

		if (entry->folder && length > 0 && (size_t)length < sizeof(folder) &&
		    folded_name(folder, id, below, sizeof(below)) &&
		    folded_name(below, file, path, sizeof(path)))
			found = look_at(search, way, joined(path, ""), true, false);
	}
	return found;
}

/* CODE_FILE/CODE_ID/CODE_FILE.sym, the library's name without .dll or .exe, or with it. */
static char *
look_by_code(struct search *search, struct root *root)
{
	const struct wanted *wanted = &search->wanted;

	if (!wanted->code_safe ||
	    (wanted->safe && strcmp(wanted->code_name, wanted->name) == 0 &&
	     strcmp(wanted->code_id, wanted->id) == 0))
		return NULL;
	const size_t stem = code_stem_length(wanted->code_name);
	const size_t length = strlen(wanted->code_name);
	char *found = look_at(search, SYMBOLS_BY_CODE,
			      path_of(root->path, wanted->code_name, wanted->code_id, stem), true,
			      true);
	if (found == NULL)
		found = look_folded(search, root, SYMBOLS_BY_CODE, wanted->code_name,
				    wanted->code_id, stem);
	return found != NULL || stem == length
		       ? found
		       : look_folded(search, root, SYMBOLS_BY_CODE, wanted->code_name,
				     wanted->code_id, length);
}

/* One id of Symbolicator's unified layout, aa/rest/breakpad. */
static char *
look_unified(struct search *search, const struct root *root, const char *id, size_t length,
	     bool tell_absent)
{
	char path[PATH_SIZE], lower[SHOWN_SIZE];

	if (length <= UNIFIED_FOLDER || length >= sizeof(lower))
		return NULL;
	for (size_t i = 0; i < length; i++) {
		if (!isxdigit((unsigned char)id[i]))
			return NULL;
		lower[i] = (char)tolower((unsigned char)id[i]);
	}
	lower[length] = '\0';
	const int size = snprintf(path, sizeof(path), "%s/%.*s/%s/breakpad", root->path,
				  (int)UNIFIED_FOLDER, lower, lower + UNIFIED_FOLDER);
	if (size < 0 || (size_t)size >= sizeof(path))
		return NULL;
	return look_at(search, SYMBOLS_BY_UNIFIED, joined(path, ""), true, tell_absent);
}

/* By code id, then by debug id, then by that of a Mach-O file, which has no age. */
static char *
look_by_unified(struct search *search, const struct root *root)
{
	const char *code = search->wanted.code_id, *id = search->wanted.id;
	const size_t length = strlen(id);
	char *found = look_unified(search, root, code, strlen(code), true);

	if (found == NULL && strcasecmp(code, id) != 0)
		found = look_unified(search, root, id, length, code[0] == '\0');
	if (found == NULL && length == 33 && id[32] == '0')
		found = look_unified(search, root, id, 32, false);
	return found;
}

/* Files of the directory itself, whatever they are called. */
static char *
look_by_record(struct search *search, struct root *root)
{
	struct shelf *shelf = search_shelf(root);
	const struct wanted *wanted = &search->wanted;
	char path[PATH_SIZE], why[SHOWN_SIZE];
	size_t files = 0;

	if (shelf == NULL || wanted->id[0] == '\0')
		return NULL;
	shelf_look(shelf, root->path);
	for (size_t i = 0; i < shelf->count; i++) {
		const struct shelf_head *head = &shelf->entries[i].head;

		files += head->id != NULL;
		if (head->id == NULL || strcasecmp(head->id, wanted->id) != 0 ||
		    (is_zero(wanted->id) && strcasecmp(head->name, wanted->name) != 0))
			continue;
		snprintf(path, sizeof(path), "%s/%s", root->path, shelf->entries[i].name);
		char *found = look_at(search, SYMBOLS_BY_RECORD, joined(path, ""), true, false);
		if (found != NULL)
			return found;
	}
	snprintf(why, sizeof(why), "%zu file%s there with a MODULE record, none with the id", files,
		 files == 1 ? "" : "s");
	tell(search, SYMBOLS_BY_RECORD, SYMBOLS_NOT_THERE, root->path, files == 0 ? NULL : why);
	return NULL;
}

static char *
look_in_folder(struct search *search, struct root *root)
{
	const struct wanted *wanted = &search->wanted;
	char *found = look_by_name(search, root);

	if (found != NULL || !search->symbols->any_layout)
		return found;
	if (wanted->safe)
		found = look_folded(search, root, SYMBOLS_BY_NAME_FOLDED, wanted->name, wanted->id,
				    stem_length(wanted->name));
	if (found == NULL)
		found = look_by_code(search, root);
	if (found == NULL)
		found = look_by_unified(search, root);
	if (found == NULL)
		found = look_by_record(search, root);
	return found;
}

/* Under the lock: say that a plain file of the right name is for another build. */
static void
report_other_build(struct symbols *symbols, const struct root *root, const char *name,
		   const char *id)
{
	char path[SHOWN_SIZE], shown_name[SHOWN_SIZE], wanted[SHOWN_SIZE], found[SHOWN_SIZE];

	message_add(&symbols->messages, MESSAGE_SYMBOL_ID, (struct place){ 0 },
		    "'%s' is for another build of '%s', expected id %s, found %s\nnot used",
		    store_shown(path, root->path), store_shown(shown_name, name),
		    store_shown(wanted, id), store_shown(found, root->id));
}

/* A file that was given counts for the module whose id it has. */
static char *
look_at_given(struct search *search, const struct root *root)
{
	const struct wanted *wanted = &search->wanted;
	char why[SHOWN_SIZE * 2], id[SHOWN_SIZE];

	if (wanted->id[0] != '\0' && strcasecmp(root->id, wanted->id) == 0)
		return look_at(search, SYMBOLS_GIVEN, joined(root->path, ""), false, true);
	const bool named = strcmp(root->name, wanted->name) == 0;
	if (named && wanted->id[0] != '\0' && !search->silent)
		report_other_build(search->symbols, root, wanted->name, wanted->id);
	snprintf(why, sizeof(why), named ? "its MODULE record has the id %s"
					 : "it is for another module, with the id %s",
		 store_shown(id, root->id));
	tell(search, SYMBOLS_GIVEN, SYMBOLS_REFUSED, root->path, why);
	return NULL;
}

/* Under the lock: say that nothing is looked for under such a name. */
static void
report_unsafe(const struct search *search)
{
	char shown_name[SHOWN_SIZE], id[SHOWN_SIZE];

	message_add(&search->symbols->messages, MESSAGE_SYMBOL_ID, search->module->identity_place,
		    "debug file '%s' with id '%s' cannot be the name of a symbol file"
		    "\nnot looked for", store_shown(shown_name, search->wanted.name),
		    store_shown(id, search->wanted.id));
}

/* What servers answered when the module's file was asked for. */
static void
tell_served(const struct search *search)
{
	static const enum symbols_outcome outcomes[] = {
		[FETCH_TAKEN] = SYMBOLS_FETCHED,
		[FETCH_MISSING] = SYMBOLS_NOT_THERE,
		[FETCH_FAILED] = SYMBOLS_REFUSED,
		[FETCH_STOPPED] = SYMBOLS_NOT_THERE,
	};
	const size_t module = (size_t)(search->module - search->symbols->modules);

	for (const struct served *served = search->symbols->slots[module].served; served != NULL;
	     served = served->next)
		tell(search, SYMBOLS_BY_SERVER, outcomes[served->answer], served->url,
		     served->answer == FETCH_TAKEN ? NULL : served->why);
}

char *
search_run(struct search *search)
{
	struct symbols *symbols = search->symbols;
	char *found = NULL;

	search->wanted = search_wanted(symbols, search->module);
	if (!search->wanted.safe && search->wanted.name[0] != '\0' &&
	    search->wanted.id[0] != '\0' && !search->silent)
		report_unsafe(search);
	for (size_t i = 0; i < symbols->root_count && found == NULL; i++) {
		struct root *root = &symbols->roots[i];

		if (root->kept)
			tell_served(search);
		if (!root->usable)
			tell(search, SYMBOLS_GIVEN, SYMBOLS_REFUSED, root->path,
			     "can't be read, or has no MODULE record");
		else
			found = root->is_file ? look_at_given(search, root)
					      : look_in_folder(search, root);
	}
	return found;
}

void
symbols_search(struct symbols *symbols, size_t module, symbols_visit *visit, void *context)
{
	struct search search = { .symbols = symbols, .module = &symbols->modules[module],
				 .silent = true, .visit = visit, .context = context };

	pthread_mutex_lock(&symbols->cache->mutex);
	free(search_run(&search));
	pthread_mutex_unlock(&symbols->cache->mutex);
}
