/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/symbol_store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/place.h"
#include "crash/crash.h"
#include "locate/binaries.h"
#include "locate/folder.h"
#include "system/file.h"

/* The names and IDs in the paths of a module's symbol file. */

struct locate_subject
symbol_search_subject(struct symbols *symbols, const struct module *module)
{
	const char *file = module->debug_file[0] == '\0' && symbols->options.by_code_file
				   ? module->code_file
				   : module->debug_file;
	const char *code_file = module->code_file;

	/* Breakpad uses the names as they are. */
	if (symbols->options.any_layout) {
		file = layout_plain_path(file, &symbols->arena);
		code_file = layout_plain_path(code_file, &symbols->arena);
	}
	return (struct locate_subject){
		.module = module, .build_id = "",
		.name = place_base_name(file), .id = module->debug_id,
		.code_name = place_base_name(code_file), .code_id = module->code_id,
	};
}

/* Whether a path exists; if the system cannot answer, add a message. */
static bool
exists(struct locate_search *search, struct locate_note *note)
{
	if (file_stat(note->path, &search->status))
		return true;
	if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG)
		return false;
	const char *problem = strerror(errno);
	locate_note_refuse(note, "cannot be read: %s", problem);
	if (!search->silent)
		locate_report_unreadable(&search->symbols->messages, MESSAGE_SYMBOL_UNREADABLE,
					 note->path, problem);
	return false;
}

/*
 * With `checked`, refuse a file without the module's ID. Breakpad uses files in its own layout with
 * any ID. Even there, refuse other kinds of files, because they would give thousands of messages
 * about their records.
 */
static void
refuse_head(const struct locate_search *search, bool checked, struct locate_note *note)
{
	char fault[SYMBOL_FAULT], shown[LOCATE_SHOWN * 2];
	const char *wanted = search->subject.id;
	struct symbol_head head;
	struct arena arena = { 0 };

	symbol_head_read(&head, note->path, &arena);
	const char *reason = symbol_head_fault(&head, fault, NULL);
	const bool foreign =
		head.state == SYMBOL_HEAD_UTF16 || head.state == SYMBOL_HEAD_FOREIGN;
	if (reason != NULL && (checked || foreign))
		locate_note_refuse(note, "%s", reason);
	else if (checked && !layout_is_zero(wanted) && strcasecmp(head.id, wanted) != 0)
		locate_note_refuse(note, "its MODULE record has the id %s", head.id);
	text_printable(shown, sizeof(shown), text_of(note->path));
	if (foreign && !checked && !search->silent)
		message_add(&search->symbols->messages, MESSAGE_SYMBOL_ID, (struct place){ 0 },
			    "'%s' %s\nnot used; 'unspool symbols' prints what would help", shown,
			    note->why);
	arena_free(&arena);
}

static bool
look(struct locate_search *search, struct locate_note *note)
{
	const bool checked =
		note->layout != NULL && (note->layout->flags & LAYOUT_UNCHECKED) == 0;

	if (!exists(search, note))
		return false;
	/* A file that failed before is skipped: another place may have a good file. */
	struct opened *opened = store_unreadable(search->symbols, &search->status);
	if (opened != NULL) {
		if (!search->silent)
			store_tell_unreadable(search->symbols, opened, note->path);
		locate_note_refuse(note, "%s", opened->reason);
		return false;
	}
	const bool plain = S_ISREG(search->status.st_mode);
	if (plain && (checked || search->symbols->options.any_layout))
		refuse_head(search, checked, note);
	else if (checked)
		locate_note_refuse(note, "is not a regular file");
	if (note->outcome == LOCATE_REFUSED || (search->path = strdup(note->path)) == NULL)
		return false;
	note->outcome = LOCATE_USED;
	return true;
}

/* Search the files directly in a directory by the IDs in their MODULE records. */
static bool
list(struct locate_search *search, struct locate_root *root)
{
	static const struct locate_layout listed = { .kind = LOCATE_SYMBOLS,
						      .flags = LAYOUT_LISTED };
	struct folder *names = folder_kept(search->folders, root->path);
	const struct locate_subject *subject = &search->subject;
	struct locate_note none = { .way = LOCATE_SYMBOLS_BY_RECORD, .path = root->path };
	bool found = false;
	size_t behind;

	if (names == NULL || subject->id[0] == '\0')
		return false;
	folder_look(names, root->path);
	for (size_t i = folder_with_id(names, subject->id, &behind); i < behind && !found; i++) {
		const struct folder_entry *entry = names->by_id[i];
		char *path;

		if ((layout_is_zero(subject->id) &&
		     strcasecmp(entry->head.name, subject->name) != 0) ||
		    asprintf(&path, "%s/%s", root->path, entry->name) < 0)
			continue;
		struct locate_note note = { .way = LOCATE_SYMBOLS_BY_RECORD, .layout = &listed,
					    .path = path };
		found = locate_look(search, &note);
		free(path);
	}
	if (names->symbol_files > 0)
		snprintf(none.why, sizeof(none.why),
			 "%zu file%s there with a MODULE record, none with the id",
			 names->symbol_files, plural(names->symbol_files));
	if (!found)
		locate_keep(search->record, &none);
	return found;
}

/* A given file is used for the module with its ID. */
static bool
look_at_given(struct locate_search *search, const struct locate_root *root)
{
	const struct locate_subject *subject = &search->subject;
	struct locate_note note = { .way = LOCATE_SYMBOLS_GIVEN, .path = root->path };
	char path[LOCATE_SHOWN], name[LOCATE_SHOWN], wanted[LOCATE_SHOWN], found[LOCATE_SHOWN];

	if (subject->id[0] != '\0' && strcasecmp(root->id, subject->id) == 0)
		return locate_look(search, &note);
	const bool named = strcmp(root->name, subject->name) == 0;
	if (named && subject->id[0] != '\0' && !search->silent)
		message_add(&search->symbols->messages, MESSAGE_SYMBOL_ID, (struct place){ 0 },
			    "'%s' is for another build of '%s', expected id %s, found %s"
			    "\nnot used", locate_shown(path, root->path),
			    locate_shown(name, subject->name), locate_shown(wanted, subject->id),
			    locate_shown(found, root->id));
	locate_note_refuse(&note, named ? "its MODULE record has the id %s"
					: "it is for another module, with the id %s", root->id);
	locate_keep(search->record, &note);
	return false;
}

static enum locate_entry
enter(struct locate_search *search, struct locate_root *root)
{
	struct locate_note note = { .way = LOCATE_SYMBOLS_GIVEN, .path = root->path };
	const size_t module = (size_t)(search->subject.module - search->symbols->modules);
	struct locate_record *record = search->record;

	/* Add the servers' answers to the request for the module's file. */
	const struct locate_record *served = &search->symbols->slots[module].served;
	for (size_t i = 0; root->kept && record != NULL && i < served->count; i++)
		ARENA_ADD(record->arena, record->places, record->count, record->capacity,
			  &served->places[i]);
	if (root->problem != NULL) {
		locate_note_refuse(&note, "cannot be read, or has no MODULE record");
		locate_keep(search->record, &note);
		return LOCATE_PASS;
	}
	if (!root->is_file)
		return LOCATE_ENTER;
	return look_at_given(search, root) ? LOCATE_FOUND : LOCATE_PASS;
}

struct locate_search
symbol_search_for(struct symbols *symbols, size_t module)
{
	return (struct locate_search){
		.roots = symbols->roots, .root_count = symbols->root_count,
		.folders = &symbols->cache->folders, .kind = LOCATE_SYMBOLS,
		.subject = symbol_search_subject(symbols, &symbols->modules[module]),
		.first_only = !symbols->options.any_layout,
		.enter = enter, .look = look, .list = list,
		.symbols = symbols, .silent = true,
	};
}

bool
symbol_search_run(struct locate_search *search)
{
	const struct locate_subject *subject = &search->subject;
	char name[LOCATE_SHOWN], id[LOCATE_SHOWN];

	if (subject->name[0] != '\0' && subject->id[0] != '\0' && !search->silent &&
	    (!layout_safe_name(subject->name) || !layout_safe_name(subject->id)))
		message_add(&search->symbols->messages, MESSAGE_SYMBOL_ID,
			    subject->module->identity_place,
			    "debug file '%s' with id '%s' is not a valid name of a symbol file"
			    "\nnot searched", locate_shown(name, subject->name),
			    locate_shown(id, subject->id));
	return locate_run(search);
}

void
symbols_search(struct symbols *symbols, size_t module, locate_visit *visit, void *context)
{
	struct arena arena = { 0 };
	struct locate_record record = { .kind = LOCATE_SYMBOLS, .arena = &arena };

	pthread_mutex_lock(&symbols->cache->mutex);
	struct locate_search search = symbol_search_for(symbols, module);
	search.record = &record;
	symbol_search_run(&search);
	pthread_mutex_unlock(&symbols->cache->mutex);
	free(search.path);
	locate_visit_all(&record, visit, context);
	arena_free(&arena);
}

/* Places that are given ------------------------------------------------------------------------ */

/* Read the first bytes of a plain file to learn for which module it is. */
static void
identify(struct symbols *symbols, struct locate_root *root)
{
	struct symbol_head head;
	char path[LOCATE_SHOWN];

	symbol_head_read(&head, root->path, &symbols->arena);
	root->id = head.id;
	root->name = head.name;
	root->problem = head.id == NULL ? "it does not begin with a MODULE record" : NULL;
	if (head.state == SYMBOL_HEAD_UNREADABLE)
		locate_report_unreadable(&symbols->messages, MESSAGE_SYMBOL_UNREADABLE, root->path,
					 strerror(errno));
	else if (root->problem != NULL)
		message_add(&symbols->messages, MESSAGE_SYMBOL_ID, (struct place){ 0 },
			    "'%s' %s\nnot used", locate_shown(path, root->path),
			    head.state == SYMBOL_HEAD_UTF16
				       ? "is UTF-16 text, not UTF-8 as symbol files are"
				       : "does not begin with a MODULE record");
}

struct locate_root
store_root(struct symbols *symbols, const char *path)
{
	struct locate_root root = locate_root_open(path, &symbols->arena);

	if (root.problem != NULL)
		locate_report_unreadable(&symbols->messages, MESSAGE_SYMBOL_UNREADABLE, path,
					 root.problem);
	else if (root.is_file)
		identify(symbols, &root);
	return root;
}

/* Search again for all modules without symbols. The lock is held. */
static void
look_again(struct symbols *symbols)
{
	symbols->added++;
	for (size_t i = 0; i < symbols->count; i++) {
		struct slot *slot = &symbols->slots[i];

		if (atomic_load(&slot->state) == SYMBOLS_ABSENT)
			store_forget(symbols, slot);
	}
}

/* Add a place (NULL: none) and search again. The lock is held. */
static enum error_code
add_place(struct symbols *symbols, const struct locate_root *root, struct error *error)
{
	struct locate_root *added =
		root == NULL ? NULL
			     : ARENA_PUSH(&symbols->arena, symbols->roots, symbols->root_count,
					  symbols->root_capacity);

	if (root != NULL && added == NULL)
		return error_memory(error);
	if (added != NULL)
		*added = *root;
	look_again(symbols);
	return ERROR_NONE;
}

const char *
symbols_ask_again(struct symbols *symbols, const char *place)
{
	const char *name = NULL;
	struct stat status;

	pthread_mutex_lock(&symbols->cache->mutex);
	for (size_t i = 0; i < symbols->fetcher_count; i++)
		if (fetch_forget(symbols->fetchers[i], place))
			name = place;
	const bool stands = name == NULL && file_stat(place, &status);
	for (size_t i = 0; stands && name == NULL && i < symbols->root_count; i++) {
		struct locate_root *root = &symbols->roots[i];

		if (root->kept || root->problem != NULL || !locate_root_is(root, &status))
			continue;
		/* The file may have been rewritten since it was read. */
		if (root->is_file)
			identify(symbols, root);
		if (root->problem != NULL)
			break;
		name = root->path;
	}
	if (name != NULL)
		look_again(symbols);
	pthread_mutex_unlock(&symbols->cache->mutex);
	return name;
}

enum error_code
symbols_add(struct symbols *symbols, const char *path, struct error *error)
{
	enum error_code code;

	pthread_mutex_lock(&symbols->cache->mutex);
	struct locate_root root =
		locate_root_open(arena_string(&symbols->arena, path), &symbols->arena);
	if (root.problem == NULL && !root.is_file && access(path, R_OK | X_OK) != 0)
		root.problem = strerror(errno);
	if (root.path == NULL)
		code = error_memory(error);
	else if (root.problem != NULL)
		code = error_plain(error, ERROR_IO, "%s", root.problem);
	else if (root.is_file && (identify(symbols, &root), root.problem != NULL))
		code = error_plain(error, ERROR_FORMAT, "%s", root.problem);
	else
		code = add_place(symbols, &root, error);
	pthread_mutex_unlock(&symbols->cache->mutex);
	return code;
}

enum error_code
symbols_add_servers(struct symbols *symbols, struct fetcher *fetcher, struct error *error)
{
	const struct locate_root root = { .path = fetch_options_of(fetcher)->directory,
					 .kept = true };
	enum error_code code;
	bool known = false;

	pthread_mutex_lock(&symbols->cache->mutex);
	/* The directory may be searched already for another server. */
	for (size_t i = 0; i < symbols->root_count; i++)
		known = known || (symbols->roots[i].kept &&
				  strcmp(symbols->roots[i].path, root.path) == 0);
	struct fetcher **added = ARENA_PUSH(&symbols->arena, symbols->fetchers,
					    symbols->fetcher_count, symbols->fetcher_capacity);
	code = added == NULL ? error_memory(error)
			     : add_place(symbols, known ? NULL : &root, error);
	if (code == ERROR_NONE)
		*added = fetcher;
	else if (added != NULL)
		symbols->fetcher_count--;
	pthread_mutex_unlock(&symbols->cache->mutex);
	return code;
}

void
symbols_use_binaries(struct symbols *symbols, struct binaries *binaries)
{
	pthread_mutex_lock(&symbols->cache->mutex);
	symbols->options.binaries = binaries;
	for (size_t i = 0; i < symbols->count; i++)
		if (atomic_load(&symbols->slots[i].state) == SYMBOLS_LOADED)
			binaries_settle(binaries, i);
	if (binaries_asks_servers(binaries))
		look_again(symbols);
	pthread_mutex_unlock(&symbols->cache->mutex);
}
