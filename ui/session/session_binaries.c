/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/session/session.h"

#include "base/error.h"

/*
 * The modules' own files, opened anew while the explorer runs: in one more place, or as they are
 * now. What was opened before stays until the end, for places lead into it.
 */

/* A set of files that has been opened since the start. */
struct reopened {
	struct reopened *next;
	struct binaries *binaries;
};

static struct binaries *
open_anew(struct session *session, const struct crash *crash)
{
	const struct explorer_options *options = session->options;
	struct reopened *reopened = arena_alloc(&session->arena, sizeof(*reopened));

	if (reopened == NULL)
		return NULL;
	reopened->binaries = options->open_binaries(options->binaries_context, crash,
						    session->binary_places,
						    session->binary_place_count);
	if (reopened->binaries == NULL)
		return NULL;
	reopened->next = session->reopened;
	session->reopened = reopened;
	return reopened->binaries;
}

bool
session_open_binaries(struct session *session)
{
	const struct explorer_other *other = session->options->other;
	struct binaries *binaries = open_anew(session, session->crash);
	struct binaries *beside = other != NULL ? open_anew(session, other->crash) : NULL;

	if (binaries == NULL || (other != NULL && beside == NULL))
		return false;
	session->binaries = binaries;
	loader_use_binaries(session->loader, binaries);
	session->other.binaries = beside;
	analysis_free(session->analysis);
	session->analysis = NULL;
	addresses_forget(session);
	session_refresh(session);
	return true;
}

void
session_free_binaries(struct session *session)
{
	for (struct reopened *reopened = session->reopened; reopened != NULL;
	     reopened = reopened->next)
		binaries_free(reopened->binaries);
	session->reopened = NULL;
}

struct raw_file
session_raw_file(const struct session *session)
{
	const struct crash *crash = session->crash;
	const struct input *input = session->raw.place.input;
	struct raw_file file;

	for (const struct reopened *set = session->reopened; set != NULL; set = set->next)
		if (raw_file_of_binary(&file, crash, set->binaries, input))
			return file;
	if (raw_file_of_binary(&file, crash, session->options->binaries, input))
		return file;
	return raw_file_of_dump(crash, session->binaries);
}

/* Whether files can be looked for in a place. */
static bool
is_usable(const char *place, struct error *error)
{
	const struct place nowhere = { 0 };
	struct binary *binary;
	struct stat status;

	if (stat(place, &status) != 0 ||
	    (S_ISDIR(status.st_mode) && access(place, R_OK | X_OK) != 0))
		return error_set(error, ERROR_IO, nowhere, "%s", strerror(errno)) == ERROR_NONE;
	if (S_ISDIR(status.st_mode))
		return true;
	if (!S_ISREG(status.st_mode))
		return error_set(error, ERROR_IO, nowhere, "neither a directory nor a regular "
							   "file") ==
		       ERROR_NONE;
	if (binary_open(&binary, place, error) != ERROR_NONE)
		return false;
	binary_close(binary);
	return true;
}

static bool
keep_place(struct session *session, const char *place)
{
	const char **places = arena_grow(&session->arena, session->binary_places,
					 session->binary_place_count,
					 &session->binary_place_capacity, sizeof(*places));

	if (places == NULL)
		return false;
	session->binary_places = places;
	places[session->binary_place_count] = arena_copy(&session->arena, place, strlen(place));
	return places[session->binary_place_count++] != NULL;
}

/*
 * How many modules have their file in a place, code or what debuggers want. No other place is
 * looked in: it may be a slow one.
 */
static size_t
count_there(const struct crash *crash, const struct binaries *before, const char *place,
	    size_t *tried)
{
	struct binaries *there = binaries_create(crash, &place, 1);
	size_t found = 0;

	*tried = 0;
	for (size_t i = 0; there != NULL && i < crash->module_count; i++) {
		const bool here = binaries_load(there, i, BINARIES_IMAGE) != NULL ||
				  binaries_load(there, i, BINARIES_DEBUG) != NULL;

		found += here;
		*tried += here || binaries_peek(before, i, BINARIES_IMAGE) == NULL;
	}
	binaries_free(there);
	return found;
}

void
session_add_binaries(struct session *session, const char *place)
{
	const struct explorer_other *other = session->options->other;
	struct added added = { .files = true };
	struct error error = { 0 };
	size_t tried;

	if (place[0] == '\0') {
		session_fail(session, "give a directory or a file with the modules' own files");
		return;
	}
	added.tried = session->added.tried;
	added.again = binaries_has(session->binaries, place);
	session_show_place(added.place, sizeof(added.place), place);
	if (!is_usable(place, &error)) {
		session_fail(session, "no files from '%s': %s", added.place, error.text);
		return;
	}
	added.found = count_there(session->crash, session->binaries, place, &added.tried_count);
	if (other != NULL)
		added.found_other = count_there(other->crash, session->other.binaries, place,
						 &tried);
	if ((!added.again && !keep_place(session, place)) || !session_open_binaries(session)) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	session->added = added;
	session_walk_outdated(session);
	other_dump_walk_again(session);
	session_say_added(session, session->notice, sizeof(session->notice));
}
