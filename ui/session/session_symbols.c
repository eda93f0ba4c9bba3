/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "locate/fetch.h"
#include "base/error.h"
#include "ui/session/session.h"

/* Places of symbols that are named while the explorer runs. */

struct server {
	struct server *next;
	struct fetcher *fetcher;
	const char *urls[1];
};

/* Columns of a path that are kept at all. */
#define MOST_SHOWN 120u

/* Where a module's file is found now. */
struct whereabouts {
	const char *place;
	bool here, elsewhere;
};

static bool
is_url(const char *place)
{
	return strncasecmp(place, "http://", 7) == 0 || strncasecmp(place, "https://", 8) == 0;
}

/* Remember which modules have been looked for and have no symbols. */
static bool
mark_tried(struct session *session)
{
	struct added *added = &session->added;

	if (added->tried == NULL)
		added->tried = arena_array(&session->arena, session->crash->module_count + 1,
					   sizeof(*added->tried));
	if (added->tried == NULL)
		return false;
	added->tried_count = added->found = added->found_other = 0;
	for (size_t i = 0; i < session->crash->module_count; i++) {
		enum symbols_state state;

		symbols_peek(session->symbols, i, &state);
		added->tried[i] = state == SYMBOLS_ABSENT || state == SYMBOLS_LOADING;
		added->tried_count += added->tried[i];
	}
	return true;
}

/* A server of this URL, made to be asked; NULL: it can't be (`error`). */
static struct server *
create_server(struct session *session, const char *url, struct error *error)
{
	const struct place nowhere = { 0 };
	struct fetch_options options = *session->options->fetch;

	if (!fetch_is_built_in()) {
		error_set(error, ERROR_NOT_FOUND, nowhere, "built without libcurl");
		return NULL;
	}
	if (options.directory == NULL) {
		error_set(error, ERROR_NOT_FOUND, nowhere, "no directory for downloads; start with "
							   "'--symbols-cache DIR'");
		return NULL;
	}
	struct server *server = arena_alloc(&session->arena, sizeof(*server));
	if (server != NULL)
		server->urls[0] = arena_copy(&session->arena, url, strlen(url));
	if (server == NULL || server->urls[0] == NULL) {
		error_memory(error);
		return NULL;
	}
	options.urls = server->urls;
	options.url_count = 1;
	server->fetcher = fetch_create(&options, error);
	if (server->fetcher == NULL)
		return NULL;
	server->next = session->servers;
	session->servers = server;
	return server;
}

static enum error_code
add_server(struct session *session, const char *url, struct error *error)
{
	const struct explorer_other *other = session->options->other;
	const struct server *server = create_server(session, url, error);

	if (server == NULL)
		return error->code;
	if (other != NULL && symbols_add_servers(other->symbols, server->fetcher, error) != ERROR_NONE)
		return error->code;
	return symbols_add_servers(session->symbols, server->fetcher, error);
}

static enum error_code
add_path(struct session *session, const char *path, struct error *error)
{
	const struct explorer_other *other = session->options->other;

	if (other != NULL && symbols_add(other->symbols, path, error) != ERROR_NONE)
		return error->code;
	return symbols_add(session->symbols, path, error);
}

/* Both dumps have been given the same places, so what one knows the other does, too. */
static const char *
ask_again(struct session *session, const char *place)
{
	if (session->options->other != NULL)
		symbols_ask_again(session->options->other->symbols, place);
	return symbols_ask_again(session->symbols, place);
}

static void
see(void *context, const struct locate_place *place)
{
	struct whereabouts *file = context;
	size_t length = strlen(file->place);

	if (place->outcome != LOCATE_USED)
		return;
	while (length > 1 && file->place[length - 1] == '/')
		length--;
	file->here = strncmp(place->path, file->place, length) == 0 &&
		     (place->path[length] == '/' || place->path[length] == '\0');
	file->elsewhere = !file->here;
}

/*
 * A directory can be asked for all modules at once, whether or not a walk needs their symbols. How
 * many have found theirs there; `tried` counts those that no other place has.
 */
static size_t
find_there(struct symbols *symbols, size_t count, const char *place, size_t *tried)
{
	size_t found = 0;

	*tried = 0;
	for (size_t i = 0; i < count; i++) {
		struct whereabouts file = { .place = place };
		enum symbols_state state;

		symbols_peek(symbols, i, &state);
		if (state == SYMBOLS_LOADED)
			continue;
		symbols_search(symbols, i, see, &file);
		*tried += !file.elsewhere;
		found += file.here;
	}
	return found;
}

void
session_show_place(char *shown, size_t size, const char *place)
{
	char whole[4096];

	text_printable(whole, sizeof(whole), text_of(place));
	text_cut(shown, size, text_of(whole), MOST_SHOWN, true, "...");
}

/* Begin to look there. */
static void
look_there(struct session *session, const char *place)
{
	const struct explorer_other *other = session->options->other;
	struct added *added = &session->added;
	size_t tried;

	if (!added->server)
		added->found = find_there(session->symbols, session->crash->module_count, place,
					  &added->tried_count);
	if (!added->server && other != NULL)
		added->found_other = find_there(other->symbols, other->crash->module_count, place,
						 &tried);
	session_walk_outdated(session);
	other_dump_walk_again(session);
	for (size_t i = 0; i < session->crash->module_count; i++)
		if (added->tried[i])
			loader_ask(session->loader, i);
}

void
session_add_symbols(struct session *session, const char *place)
{
	struct added *added = &session->added;
	struct error error = { 0 };
	char shown[sizeof(added->place)];

	if (place[0] == '\0') {
		session_fail(session, "give a directory, a file or a URL with symbols");
		return;
	}
	if (!mark_tried(session)) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	const char *known = ask_again(session, place);
	const bool server = is_url(place);
	if (known == NULL && server)
		add_server(session, place, &error);
	else if (known == NULL)
		add_path(session, place, &error);
	session_show_place(shown, sizeof(shown), place);
	if (error.code != ERROR_NONE) {
		session_fail(session, "no symbols from '%s': %s", shown, error.text);
		return;
	}
	memcpy(added->place, shown, sizeof(shown));
	added->files = false;
	added->server = server;
	added->again = known != NULL;
	added->told = false;
	look_there(session, known != NULL ? known : place);
	if (added->server)
		session_say(session, "asking %s %sfor the symbols of %zu module%s", added->place,
			    added->again ? "again " : "", added->tried_count,
			    added->tried_count == 1 ? "" : "s");
	else
		session_say_added(session, session->notice, sizeof(session->notice));
}

/* Count what a server gave. False: it has not answered for all modules. */
static bool
count_served(const struct session *session, size_t *found)
{
	*found = 0;
	for (size_t i = 0; i < session->crash->module_count; i++) {
		enum symbols_state state;

		symbols_peek(session->symbols, i, &state);
		if (!session->added.tried[i])
			continue;
		if (!session->work.stopped && state != SYMBOLS_LOADED && state != SYMBOLS_ABSENT)
			return false;
		*found += state == SYMBOLS_LOADED;
	}
	return true;
}

bool
session_say_added(const struct session *session, char *buffer, size_t size)
{
	const struct added *added = &session->added;
	const char *preposition = added->server ? "at" : "in";
	const char *what = added->files ? "its file" : "symbols", *begin;
	size_t found = added->found, used;

	buffer[0] = '\0';
	if (added->place[0] == '\0' || added->told)
		return true;
	if (added->server && !count_served(session, &found))
		return false;
	begin = !added->again ? "" : found > 0 ? "asked again: " : "already in use, searched "
								   "again: ";
	if (found > 0)
		used = (size_t)snprintf(buffer, size, "%s%zu module%s found %s %s %s", begin,
					found, found == 1 ? "" : "s",
					added->files && found != 1 ? "their files" : what,
					preposition, added->place);
	else if (added->tried_count == 0)
		used = (size_t)snprintf(buffer, size, "%sno module needs %s %s %s yet", begin,
					what, preposition, added->place);
	else
		used = (size_t)snprintf(buffer, size, "%snone of %zu module%s has %s %s %s%s",
					begin, added->tried_count, added->tried_count == 1 ? "" : "s",
					what, preposition, added->place,
					added->again ? "" : ": see the modules view");
	if (added->found_other > 0 && used < size)
		snprintf(buffer + used, size - used, ", %zu of the other dump", added->found_other);
	return true;
}

void
session_told_added(struct session *session)
{
	session->added.told = true;
}

void
session_free_servers(struct session *session)
{
	for (struct server *server = session->servers; server != NULL; server = server->next)
		fetch_free(server->fetcher);
	session->servers = NULL;
}
