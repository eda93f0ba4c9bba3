/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/symbol_store_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/place.h"
#include "locate/shelf.h"

/* The places where symbol files could be, those of the beginning and those that are added. */

/* Learn from a plain file's first bytes which module it is for. */
static void
identify(struct symbols *symbols, struct root *root)
{
	struct shelf_head head;
	char path[SHOWN_SIZE];

	shelf_head_read(&head, root->path, &symbols->arena);
	root->id = head.id;
	root->name = head.name;
	root->usable = head.id != NULL;
	if (!head.read)
		store_report_unreadable(symbols, root->path, strerror(errno));
	else if (!root->usable)
		message_add(&symbols->messages, MESSAGE_SYMBOL_ID, (struct place){ 0 },
			    "'%s' %s\nused for no module", store_shown(path, root->path),
			    head.utf16 ? "is UTF-16 text, not UTF-8 as symbol files are"
				       : "does not begin with a MODULE record");
}

void
store_add_root(struct symbols *symbols, const char *path)
{
	struct root *root = &symbols->roots[symbols->root_count++];
	struct stat status;

	*root = (struct root){ .path = path };
	if (stat(path, &status) != 0) {
		store_report_unreadable(symbols, path, strerror(errno));
	} else if (S_ISDIR(status.st_mode)) {
		root->usable = true;
	} else if (S_ISREG(status.st_mode)) {
		root->is_file = true;
		identify(symbols, root);
	} else {
		store_report_unreadable(symbols, path, "neither a directory nor a plain file");
	}
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
add_place(struct symbols *symbols, const struct root *root, struct error *error)
{
	struct root *roots = arena_grow(&symbols->arena, symbols->roots, symbols->root_count,
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
	struct stat other;

	for (size_t i = 0; i < symbols->root_count; i++) {
		struct root *root = &symbols->roots[i];

		if (root->kept || !root->usable || stat(root->path, &other) != 0 ||
		    other.st_ino != status->st_ino || other.st_dev != status->st_dev)
			continue;
		/* Somebody may have written to it meanwhile. */
		if (root->is_file)
			identify(symbols, root);
		return root->usable ? root->path : NULL;
	}
	return NULL;
}

const char *
symbols_ask_again(struct symbols *symbols, const char *place)
{
	struct stat status;

	pthread_mutex_lock(&symbols->cache->mutex);
	bool asked = symbols->fetcher != NULL && fetch_forget(symbols->fetcher, place);
	for (const struct later *later = symbols->later; later != NULL; later = later->next)
		asked = fetch_forget(later->fetcher, place) || asked;
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
	struct stat status;

	if (stat(path, &status) != 0)
		return error_set(error, ERROR_IO, nowhere, "%s", strerror(errno));
	if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode))
		return error_set(error, ERROR_IO, nowhere, "neither a directory nor a plain file");
	if (S_ISDIR(status.st_mode) && access(path, R_OK | X_OK) != 0)
		return error_set(error, ERROR_IO, nowhere, "%s", strerror(errno));
	pthread_mutex_lock(&symbols->cache->mutex);
	struct root root = { .path = arena_copy(&symbols->arena, path, strlen(path)),
			     .is_file = S_ISREG(status.st_mode), .usable = true };
	if (root.path == NULL)
		code = error_memory(error);
	else if (root.is_file && (identify(symbols, &root), !root.usable))
		code = error_set(error, ERROR_FORMAT, nowhere,
				 "it does not begin with a MODULE record");
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
	const struct root root = { .path = fetch_directory(fetcher), .usable = true, .kept = true };
	struct later **end = &symbols->later;
	enum error_code code = ERROR_MEMORY;

	pthread_mutex_lock(&symbols->cache->mutex);
	struct later *later = arena_alloc(&symbols->arena, sizeof(*later));
	if (later == NULL)
		error_set(error, code, (struct place){ 0 }, OUT_OF_MEMORY);
	else
		code = add_place(symbols, is_kept(symbols, root.path) ? NULL : &root, error);
	while (*end != NULL)
		end = &(*end)->next;
	if (code == ERROR_NONE) {
		later->fetcher = fetcher;
		*end = later;
	}
	pthread_mutex_unlock(&symbols->cache->mutex);
	return code;
}
