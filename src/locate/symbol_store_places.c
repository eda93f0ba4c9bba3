/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/symbol_store_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/place.h"
#include "locate/symbol_head.h"

/* The places where symbol files could be, those of the beginning and those that are added. */

/* Learn from a plain file's first bytes which module it is for. */
static void
identify(struct symbols *symbols, struct locate_root *root)
{
	struct symbol_head head;
	char path[LOCATE_SHOWN];

	symbol_head_read(&head, root->path, &symbols->arena);
	root->id = head.id;
	root->name = head.name;
	root->problem = head.id == NULL ? "it does not begin with a MODULE record" : NULL;
	if (!head.read)
		store_report_unreadable(symbols, root->path, strerror(errno));
	else if (root->problem != NULL)
		message_add(&symbols->messages, MESSAGE_SYMBOL_ID, (struct place){ 0 },
			    "'%s' %s\nnot used", locate_shown(path, root->path),
			    head.utf16 ? "is UTF-16 text, not UTF-8 as symbol files are"
				       : "does not begin with a MODULE record");
}

struct locate_root
store_root(struct symbols *symbols, const char *path)
{
	struct locate_root root = locate_root_open(path, &symbols->arena);

	if (root.problem != NULL)
		store_report_unreadable(symbols, path, root.problem);
	else if (root.is_file)
		identify(symbols, &root);
	return root;
}

/* Under the lock: all that has no symbols is looked for again. */
static void
look_again(struct symbols *symbols)
{
	symbols->added++;
	for (size_t i = 0; i < symbols->count; i++) {
		struct slot *slot = &symbols->slots[i];

		if (atomic_load(&slot->state) != SYMBOLS_ABSENT)
			continue;
		slot->identity = (struct identity){ 0 };
		atomic_store(&slot->state, SYMBOLS_PENDING);
	}
}

/* Under the lock: one more place. */
static enum error_code
add_place(struct symbols *symbols, const struct locate_root *root, struct error *error)
{
	struct locate_root *roots = arena_grow(&symbols->arena, symbols->roots, symbols->root_count,
					&symbols->root_capacity, sizeof(*roots));

	if (roots == NULL)
		return error_memory(error);
	symbols->roots = roots;
	if (root != NULL)
		roots[symbols->root_count++] = *root;
	look_again(symbols);
	return ERROR_NONE;
}

/* Under the lock: what the file or directory of `status` was called, if it still counts. */
static const char *
given_as(struct symbols *symbols, const struct stat *status)
{
	for (size_t i = 0; i < symbols->root_count; i++) {
		struct locate_root *root = &symbols->roots[i];

		if (root->kept || root->problem != NULL || !locate_root_is(root, status))
			continue;
		/* It may have been written again meanwhile. */
		if (root->is_file)
			identify(symbols, root);
		return root->problem == NULL ? root->path : NULL;
	}
	return NULL;
}

const char *
symbols_ask_again(struct symbols *symbols, const char *place)
{
	struct stat status;

	pthread_mutex_lock(&symbols->cache->mutex);
	bool asked = false;
	for (size_t i = 0; i < symbols->fetcher_count; i++)
		asked = fetch_forget(symbols->fetchers[i], place) || asked;
	const char *name = asked			? place
			   : stat(place, &status) == 0 ? given_as(symbols, &status)
						       : NULL;
	if (name != NULL)
		look_again(symbols);
	pthread_mutex_unlock(&symbols->cache->mutex);
	return name;
}

enum error_code
symbols_add(struct symbols *symbols, const char *path, struct error *error)
{
	const struct place nowhere = { 0 };
	enum error_code code;

	pthread_mutex_lock(&symbols->cache->mutex);
	struct locate_root root =
		locate_root_open(arena_copy(&symbols->arena, path, strlen(path)), &symbols->arena);
	if (root.problem == NULL && !root.is_file && access(path, R_OK | X_OK) != 0)
		root.problem = strerror(errno);
	if (root.path == NULL)
		code = error_memory(error);
	else if (root.problem != NULL)
		code = error_set(error, ERROR_IO, nowhere, "%s", root.problem);
	else if (root.is_file && (identify(symbols, &root), root.problem != NULL))
		code = error_set(error, ERROR_FORMAT, nowhere, "%s", root.problem);
	else
		code = add_place(symbols, &root, error);
	pthread_mutex_unlock(&symbols->cache->mutex);
	return code;
}

/* Under the lock: whether what servers give is looked for in a directory already. */
static bool
is_kept(const struct symbols *symbols, const char *directory)
{
	for (size_t i = 0; i < symbols->root_count; i++)
		if (symbols->roots[i].kept && strcmp(symbols->roots[i].path, directory) == 0)
			return true;
	return false;
}

enum error_code
symbols_add_servers(struct symbols *symbols, struct fetcher *fetcher, struct error *error)
{
	const struct locate_root root = { .path = fetch_directory(fetcher), .kept = true };
	enum error_code code;

	pthread_mutex_lock(&symbols->cache->mutex);
	struct fetcher **fetchers =
		arena_grow(&symbols->arena, symbols->fetchers, symbols->fetcher_count,
			   &symbols->fetcher_capacity, sizeof(struct fetcher *));
	if (fetchers == NULL)
		code = error_memory(error);
	else
		code = add_place(symbols, is_kept(symbols, root.path) ? NULL : &root, error);
	if (fetchers != NULL)
		symbols->fetchers = fetchers;
	if (code == ERROR_NONE)
		symbols->fetchers[symbols->fetcher_count++] = fetcher;
	pthread_mutex_unlock(&symbols->cache->mutex);
	return code;
}
