/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/user_names.h"
#include "locate/fetch.h"
#include "locate/symbol_path.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

/*
 * Places added by the user: directories, files and servers with symbols or modules' files, and the
 * location of sources.
 */

/* Longest path that is stored, in columns. */
#define MOST_SHOWN 120u

/* Shorten a path and make it printable. */
static void
show_place(const struct session *session, char *shown, size_t size, const char *place)
{
	struct arena arena = { 0 };
	char whole[4096];

	text_printable(whole, sizeof(whole),
		       user_names_replace(session->open.crash->names, text_of(place), &arena));
	arena_free(&arena);
	text_cut(shown, size, text_of(whole), MOST_SHOWN, true, "...");
}

/* Whether a place is also searched for modules' files: symbol servers have those of Windows. */
static bool
asks_for_files(const struct session *session, const struct added *added)
{
	return added->files ||
	       (added->server && session->open.crash->system.os == CRASH_OS_WINDOWS);
}

/* Whether a file with a module's code or its debug information was found. */
static bool
has_file(const struct session *session, size_t module)
{
	return binaries_peek(session->open.binaries, module, LOCATE_IMAGE) != NULL ||
	       binaries_peek(session->open.binaries, module, LOCATE_DEBUG) != NULL;
}

/* Count the files from a server. False if it has not answered for all modules. */
static bool
count_served(const struct session *session, size_t *found)
{
	*found = 0;
	for (size_t i = 0; i < session->open.crash->module_count; i++) {
		if (!session->open.added.tried[i])
			continue;
		if (!session->open.work.stopped && !symbols_settled(session->open.symbols, i))
			return false;
		*found += (!session->open.added.files &&
			   symbols_peek(session->open.symbols, i, NULL) != NULL) ||
			  (asks_for_files(session, &session->open.added) && has_file(session, i));
	}
	return true;
}

bool
session_say_added(const struct session *session, char *buffer, size_t size)
{
	const struct added *added = &session->open.added;
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
					found, plural(found),
					added->files && found != 1 ? "their files" : what,
					preposition, added->place);
	else if (added->tried_count == 0)
		used = (size_t)snprintf(buffer, size, "%sno module needs %s %s %s yet", begin,
					what, preposition, added->place);
	else
		used = (size_t)snprintf(buffer, size, "%snone of %zu module%s has %s %s %s%s",
					begin, added->tried_count,
					plural(added->tried_count), what, preposition,
					added->place,
					added->again ? "" : ": see the modules view");
	if (added->found_other > 0 && used < size)
		snprintf(buffer + used, size - used, ", %zu of the other dump", added->found_other);
	return true;
}

/* Mark the modules without symbols. With `files`, skip the modules that have a file. */
static bool
mark_tried(struct session *session, bool files)
{
	struct added *added = &session->open.added;

	if (added->tried == NULL)
		added->tried = arena_array(&session->arena, session->open.crash->module_count + 1,
					   sizeof(*added->tried));
	if (added->tried == NULL)
		return false;
	added->tried_count = added->found = added->found_other = 0;
	for (size_t i = 0; i < session->open.crash->module_count; i++) {
		enum symbols_state state;

		symbols_peek(session->open.symbols, i, &state);
		added->tried[i] = (state == SYMBOLS_ABSENT || state == SYMBOLS_LOADING) &&
				  !(files && has_file(session, i));
		added->tried_count += added->tried[i];
	}
	return true;
}

/* Search one more place or server when modules' files are opened. */
static bool
keep_place(struct session *session, const char *place)
{
	const char *kept = arena_string(&session->arena, place);

	return kept != NULL &&
	       ARENA_ADD(&session->arena, session->open.binary_places,
			 session->open.binary_place_count, session->open.binary_place_capacity,
			 &kept);
}

static enum error_code
check_servers(const struct session *session, struct error *error)
{

	if (!fetch_is_built_in())
		return error_plain(error, ERROR_NOT_FOUND, "built without libcurl");
	if (session->open.options->fetch->directory == NULL)
		return error_plain(error, ERROR_NOT_FOUND,
				   "no directory for downloads; start with '--symbols-cache DIR'");
	return ERROR_NONE;
}

/* Use a server for symbols of both dumps. In a dump of Windows, use it for modules' files, too. */
static enum error_code
add_server(struct session *session, const char *url, struct error *error)
{
	const struct explorer_other *other = session->open.options->other;
	struct fetch_options options = *session->open.options->fetch;

	if (check_servers(session, error) != ERROR_NONE)
		return error->code;
	struct session_opened *server = arena_alloc(&session->arena, sizeof(*server));
	if (server == NULL)
		return error_memory(error);
	options.urls = &url;
	options.url_count = 1;
	server->fetcher = fetch_create(&options, error);
	if (server->fetcher == NULL)
		return error->code;
	server->next = session->open.opened;
	session->open.opened = server;
	if (other != NULL &&
	    symbols_add_servers(other->symbols, server->fetcher, error) != ERROR_NONE)
		return error->code;
	if (symbols_add_servers(session->open.symbols, server->fetcher, error) != ERROR_NONE)
		return error->code;
	if (session->open.crash->system.os == CRASH_OS_WINDOWS && !keep_place(session, url))
		return error_memory(error);
	return ERROR_NONE;
}

/* Whether a module's file was found in `place` or elsewhere. */
struct whereabouts {
	const char *place;
	bool here, elsewhere;
};

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
 * Search a directory for all modules, not only for those that a walk needs, because it is fast.
 * Returns how many files are there; `tried` counts modules without a file elsewhere.
 */
static size_t
find_there(struct symbols *symbols, size_t count, const char *place, size_t *tried)
{
	size_t found = 0;

	*tried = 0;
	for (size_t i = 0; i < count; i++) {
		struct whereabouts file = { .place = place };
		if (symbols_peek(symbols, i, NULL) != NULL)
			continue;
		symbols_search(symbols, i, see, &file);
		*tried += !file.elsewhere;
		found += file.here;
	}
	return found;
}

/* Load the symbols of marked modules. Report the result, or that servers are being asked. */
static void
load_tried(struct session *session)
{
	const struct added *added = &session->open.added;

	for (size_t i = 0; i < session->open.crash->module_count; i++)
		if (added->tried[i])
			loader_ask(session->open.loader, i, false);
	if (added->server)
		session_say(session, "asking %s %sfor the %s of %zu module%s", added->place,
			    added->again ? "again " : "",
			    added->files			 ? "files"
			    : asks_for_files(session, added) ? "symbols and files"
							     : "symbols",
			    added->tried_count, plural(added->tried_count));
	else
		session_say_added(session, session->notice, sizeof(session->notice));
}

/*
 * Search for symbols in one more directory, file or server, and walk again with those found.
 * Reports how many modules have symbols there, at once or when the servers have answered.
 */
void
request_symbols(const struct request_call *call)
{
	struct session *session = call->session;
	const struct explorer_other *other = session->open.options->other;
	const char *place = call->text;
	const bool server = strncasecmp(place, "http://", 7) == 0 ||
			    strncasecmp(place, "https://", 8) == 0;
	const size_t count = session->open.crash->module_count;
	struct added *added = &session->open.added;
	struct error error = { 0 };
	char shown[sizeof(added->place)];
	size_t tried;

	if (place[0] == '\0' || !mark_tried(session, false)) {
		session_fail(session, "%s", place[0] != '\0' ? OUT_OF_MEMORY
					   : "give a directory, a file or a URL with symbols");
		return;
	}
	/* Both dumps have the same places, so one check is enough. */
	if (other != NULL)
		symbols_ask_again(other->symbols, place);
	const char *known = symbols_ask_again(session->open.symbols, place);
	if (known == NULL && server)
		add_server(session, place, &error);
	else if (known == NULL && (other == NULL || symbols_add(other->symbols, place, &error) ==
							    ERROR_NONE))
		symbols_add(session->open.symbols, place, &error);
	show_place(session, shown, sizeof(shown), place);
	if (error.code != ERROR_NONE) {
		session_fail(session, "no symbols from '%s': %s", shown, error.text);
		return;
	}
	memcpy(added->place, shown, sizeof(shown));
	added->files = added->told = false;
	added->server = server;
	added->again = known != NULL;
	if (asks_for_files(session, added) && !session_open_binaries(session)) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	place = known != NULL ? known : place;
	if (!server)
		added->found = find_there(session->open.symbols, count, place, &added->tried_count);
	if (!server && other != NULL)
		added->found_other = find_there(other->symbols, other->crash->module_count, place,
						&tried);
	session_walk_outdated(session);
	load_tried(session);
}

static enum error_code
check_usable(const char *place, struct error *error)
{
	struct binary *binary;
	struct stat status;

	if (stat(place, &status) != 0 ||
	    (S_ISDIR(status.st_mode) && access(place, R_OK | X_OK) != 0))
		return error_plain(error, ERROR_IO, "%s", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return ERROR_NONE;
	if (!S_ISREG(status.st_mode))
		return error_plain(error, ERROR_IO, "neither a directory nor a regular file");
	if (binary_open(&binary, place, error) == ERROR_NONE)
		binary_close(binary);
	return error->code;
}

/*
 * Count the modules whose file with code or debug information is in a place. No other place is
 * searched, because that may be slow.
 */
static size_t
count_there(const struct crash *crash, const struct binaries *before, const char *place,
	    size_t *tried)
{
	struct binaries *there = binaries_create(crash, &place, 1);
	size_t found = 0;

	*tried = 0;
	for (size_t i = 0; there != NULL && i < crash->module_count; i++) {
		const bool here = binaries_load(there, i, LOCATE_IMAGE) != NULL ||
				  binaries_load(there, i, LOCATE_DEBUG) != NULL;

		found += here;
		*tried += here || binaries_peek(before, i, LOCATE_IMAGE) == NULL;
	}
	binaries_free(there);
	return found;
}

/* Search a symbol server, or the stores and servers of a symbol path, for modules' files. */
static void
ask_for_binaries(struct session *session, const char *place)
{
	struct added *added = &session->open.added;
	struct error error = { 0 };
	char shown[sizeof(added->place)];

	show_place(session, shown, sizeof(shown), place);
	if (session->open.crash->system.os != CRASH_OS_WINDOWS) {
		session_fail(session, "symbol servers have files of Windows; for this dump set "
				      "DEBUGINFOD_URLS");
		return;
	}
	if (check_servers(session, &error) != ERROR_NONE) {
		session_fail(session, "no files from '%s': %s", shown, error.text);
		return;
	}
	bool again = false;
	for (size_t i = 0; i < session->open.binary_place_count; i++)
		again |= strcmp(session->open.binary_places[i], place) == 0;
	binaries_ask_again(session->open.binaries, place);
	if (!mark_tried(session, true) || (!again && !keep_place(session, place)) ||
	    !session_open_binaries(session)) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	memcpy(added->place, shown, sizeof(shown));
	added->files = added->server = true;
	added->told = false;
	added->again = again;
	session_walk_outdated(session);
	load_tried(session);
}

/*
 * Search for modules' files in one more directory, file or symbol server, and walk again with those
 * found. Reports how many modules have files there.
 */
void
request_binaries(const struct request_call *call)
{
	struct session *session = call->session;
	const struct explorer_other *other = session->open.options->other;
	const char *place = call->text;
	struct added added = { .files = true, .tried = session->open.added.tried };
	struct error error = { 0 };
	size_t tried;

	if (place[0] == '\0') {
		session_fail(session, "give a directory, a file or a URL with the modules' own "
				      "files");
		return;
	}
	if (symbol_path_recognise(place)) {
		ask_for_binaries(session, place);
		return;
	}
	added.again = binaries_has(session->open.binaries, place);
	show_place(session, added.place, sizeof(added.place), place);
	if (check_usable(place, &error) != ERROR_NONE) {
		session_fail(session, "no files from '%s': %s", added.place, error.text);
		return;
	}
	added.found =
		count_there(session->open.crash, session->open.binaries, place, &added.tried_count);
	if (other != NULL)
		added.found_other = count_there(other->crash, session->open.other.binaries, place,
						 &tried);
	if ((!added.again && !keep_place(session, place)) || !session_open_binaries(session)) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	session->open.added = added;
	session_walk_outdated(session);
	session_say_added(session, session->notice, sizeof(session->notice));
}

/*
 * Map source paths that begin with OLD to NEW: "OLD NEW", or "OLD=NEW" if OLD has blanks. Reports
 * the effect on the selected frame's source.
 */
void
request_source_map(const struct request_call *call)
{
	struct session *session = call->session;
	const char *text = call->text;
	const size_t old = strcspn(text, strchr(text, '=') != NULL ? "=" : " ");
	const char *typed = text + old + (text[old] != '\0');
	const size_t count = session->open.source.map_count;
	const char **maps = arena_array(&session->arena, count + 1, sizeof(*maps));
	const char *new = file_expand_home(&session->arena, typed + strspn(typed, " "));
	char path[MOST_SHOWN * 4];
	uint32_t line;

	if (old == 0 || new == NULL || new[0] == '\0') {
		session_fail(session, "usage: :source-map OLD NEW; paths that begin with OLD are "
				      "under NEW");
		return;
	}
	/* The newest map comes first and takes precedence. */
	if (maps != NULL)
		maps[0] = arena_format(&session->arena, "%.*s=%s", (int)old, text, new);
	if (maps == NULL || maps[0] == NULL) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	size_t kept = 1;
	for (size_t i = 0; i < count; i++)
		if (strncmp(session->open.source.maps[i], maps[0], old + 1) != 0)
			maps[kept++] = session->open.source.maps[i];
	session->open.source.maps = maps;
	session->open.source.map_count = kept;
	addresses_forget(session);
	session_focus(session, LAYOUT_SOURCE);
	session_refresh(session);
	if (views_source_path(session, path, sizeof(path), &line))
		session_say(session, "source read from %s", path);
	else
		session_say(session, "still not found; the view says what was tried");
}
