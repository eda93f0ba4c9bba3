/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "symbols/fetch.h"
#include "ui/session.h"

/* Places of symbols that are named while the explorer runs. */

struct server {
	struct server *next;
	struct fetcher *fetcher;
	const char *urls[1];
};

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
	added->tried_count = added->found = 0;
	for (size_t i = 0; i < session->crash->module_count; i++) {
		enum symbols_state state;

		symbols_peek(session->symbols, i, &state);
		added->tried[i] = state == SYMBOLS_ABSENT || state == SYMBOLS_LOADING;
		added->tried_count += added->tried[i];
	}
	return true;
}

static enum error_code
add_server(struct session *session, const char *url, struct error *error)
{
	const struct place nowhere = { 0 };
	struct fetch_options options = *session->options->fetch;

	if (!fetch_is_built_in())
		return error_set(error, ERROR_NOT_FOUND, nowhere,
				 "this program is built without libcurl");
	if (options.directory == NULL)
		return error_set(error, ERROR_NOT_FOUND, nowhere, "no directory for what it gives; "
				 "start with '--symbols-cache DIR'");
	struct server *server = arena_alloc(&session->arena, sizeof(*server));
	if (server != NULL)
		server->urls[0] = arena_copy(&session->arena, url, strlen(url));
	if (server == NULL || server->urls[0] == NULL)
		return error_set(error, ERROR_MEMORY, nowhere, "memory ran out");
	options.urls = server->urls;
	options.url_count = 1;
	server->fetcher = fetch_create(&options, error);
	if (server->fetcher == NULL)
		return error->code;
	server->next = session->servers;
	session->servers = server;
	return symbols_add_servers(session->symbols, server->fetcher, error);
}

static void
see(void *context, const struct symbols_place *place)
{
	struct whereabouts *file = context;
	const size_t length = strlen(file->place);

	if (place->outcome != SYMBOLS_USED)
		return;
	file->here = strncmp(place->path, file->place, length) == 0 &&
		     (place->path[length] == '/' || place->path[length] == '\0');
	file->elsewhere = !file->here;
}

/* A directory can be asked for all modules at once, whether or not a walk needs their symbols. */
static void
find_there(struct session *session, const char *place)
{
	struct added *added = &session->added;

	added->tried_count = 0;
	for (size_t i = 0; i < session->crash->module_count; i++) {
		struct whereabouts file = { .place = place };
		enum symbols_state state;

		symbols_peek(session->symbols, i, &state);
		if (state == SYMBOLS_LOADED)
			continue;
		symbols_search(session->symbols, i, see, &file);
		added->tried_count += !file.elsewhere;
		added->found += file.here;
	}
}

void
session_add_symbols(struct session *session, const char *place)
{
	struct added *added = &session->added;
	struct error error = { 0 };
	char shown[sizeof(added->place)];

	if (place[0] == '\0') {
		session_fail(session, "name a directory, a file or a URL with symbols");
		return;
	}
	const bool server = is_url(place);
	if (!mark_tried(session))
		error_set(&error, ERROR_MEMORY, (struct place){ 0 }, "memory ran out");
	else if (server)
		add_server(session, place, &error);
	else
		symbols_add(session->symbols, place, &error);
	text_printable(shown, sizeof(shown), text_of(place));
	if (error.code != ERROR_NONE) {
		session_fail(session, "no symbols from '%s': %s", shown, error.text);
		return;
	}
	added->server = server;
	memcpy(added->place, shown, sizeof(shown));
	if (!server)
		find_there(session, place);
	session_walk_outdated(session);
	for (size_t i = 0; i < session->crash->module_count; i++)
		if (added->tried[i])
			loader_ask(session->loader, i);
	if (server)
		session_say(session, "asking %s for the symbols of %zu module%s", shown,
			    added->tried_count, added->tried_count == 1 ? "" : "s");
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
		if (!session->stopped && state != SYMBOLS_LOADED && state != SYMBOLS_ABSENT)
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
	size_t found = added->found;

	buffer[0] = '\0';
	if (added->place[0] == '\0')
		return true;
	if (added->server && !count_served(session, &found))
		return false;
	if (found > 0)
		snprintf(buffer, size, "%zu module%s found symbols %s %s", found,
			 found == 1 ? "" : "s", preposition, added->place);
	else if (added->tried_count == 0)
		snprintf(buffer, size, "no module needs symbols %s %s yet", preposition,
			 added->place);
	else
		snprintf(buffer, size, "none of %zu module%s has symbols %s %s: see the modules view",
			 added->tried_count, added->tried_count == 1 ? "" : "s", preposition,
			 added->place);
	return true;
}

void
session_forget_added(struct session *session)
{
	session->added.place[0] = '\0';
}

void
session_free_servers(struct session *session)
{
	for (struct server *server = session->servers; server != NULL; server = server->next)
		fetch_free(server->fetcher);
	session->servers = NULL;
}
