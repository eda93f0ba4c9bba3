/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/user_names.h"
#include "locate/fetch.h"
#include "locate/symbol_path.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

/*
 * Files that are read while the explorer runs: in places that its user adds, and again where they
 * have changed on disk.
 */

/* Columns of a path that are kept at all. */
#define MOST_SHOWN 120u
/* Frames of a walk that are digested at a time, to tell later which of them changed. */
#define DIGEST_FRAMES 2000u

/* A symbol server that the user has named. */
struct server {
	struct server *next;
	struct fetcher *fetcher;
	const char *url;
};

/*
 * A set of the modules' own files that has been opened since the start. It stays until the end, for
 * places lead into it.
 */
struct reopened {
	struct reopened *next;
	struct binaries *binaries;
};

void
session_free_files(struct session *session)
{
	for (struct server *server = session->servers; server != NULL; server = server->next)
		fetch_free(server->fetcher);
	for (struct reopened *set = session->reopened; set != NULL; set = set->next)
		binaries_free(set->binaries);
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

/* Open the modules' own files anew, as they are now; false when out of memory. */
static bool
open_binaries(struct session *session)
{
	const struct explorer_other *other = session->options->other;
	struct binaries *binaries = open_anew(session, session->crash);
	struct binaries *beside = other != NULL ? open_anew(session, other->crash) : NULL;

	if (binaries == NULL || (other != NULL && beside == NULL))
		return false;
	session->binaries = binaries;
	loader_use_binaries(session->loader, binaries);
	symbols_use_binaries(session->symbols, binaries);
	session->other.binaries = beside;
	if (other != NULL)
		symbols_use_binaries(other->symbols, beside);
	analysis_free(session->analysis);
	session->analysis = NULL;
	addresses_forget(session);
	session_refresh(session);
	return true;
}

/* Go on reading; with `outdated` walk again all that is walked. */
static void
start_again(struct session *session, bool outdated)
{
	/* A walk in the making was begun with the old files. */
	session_drop_redone(session);
	for (size_t i = 0; i < session->crash->thread_count; i++)
		session->work.outdated[i] = outdated && session->stack.walks[i] != NULL;
	session->reload.under_way = outdated;
	edits_forget_other(session);
	session->reload.offer[0] = '\0';
	session->work.stopped = false;
	modules_state_forget(&session->modules.state);
	loader_resume(session->loader);
	session_poll(session);
}

/* Walk all threads again that are walked, with signs at what changes. */
static void
walk_outdated(struct session *session)
{
	for (size_t i = 0; i < session->crash->thread_count; i++)
		if (session->stack.walks[i] != NULL)
			walk_digest_update(&session->work.digests[i], session->stack.walks[i],
					   DIGEST_FRAMES);
	session->reload.former_count = 0;
	start_again(session, true);
	other_dump_walk_again(session);
}

/* Places that are added ------------------------------------------------------------------------*/

/* A path that may be long, and nothing of it but what terminals take. */
static void
show_place(const struct session *session, char *shown, size_t size, const char *place)
{
	struct arena arena = { 0 };
	char whole[4096];

	text_printable(whole, sizeof(whole),
		       user_names_replace(session->crash->names, text_of(place), &arena));
	arena_free(&arena);
	text_cut(shown, size, text_of(whole), MOST_SHOWN, true, "...");
}

/* Whether modules' own files are asked for, too: symbol servers have those of Windows. */
static bool
asks_for_files(const struct session *session, const struct added *added)
{
	return added->files || (added->server && session->crash->system.os == CRASH_OS_WINDOWS);
}

/* Whether a module has its own file, with code or with what debuggers want. */
static bool
has_file(const struct session *session, size_t module)
{
	return binaries_peek(session->binaries, module, BINARIES_IMAGE) != NULL ||
	       binaries_peek(session->binaries, module, BINARIES_DEBUG) != NULL;
}

/* Count what a server gave. False: it has not answered for all modules. */
static bool
count_served(const struct session *session, size_t *found)
{
	*found = 0;
	for (size_t i = 0; i < session->crash->module_count; i++) {
		if (!session->added.tried[i])
			continue;
		if (!session->work.stopped && !symbols_settled(session->symbols, i))
			return false;
		*found += (!session->added.files &&
			   symbols_peek(session->symbols, i, NULL) != NULL) ||
			  (asks_for_files(session, &session->added) && has_file(session, i));
	}
	return true;
}

/* What came of a place that was added, "" where none was added. False: not known yet. */
static bool
say_added(const struct session *session, char *buffer, size_t size)
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
					begin, added->tried_count,
					added->tried_count == 1 ? "" : "s", what, preposition,
					added->place,
					added->again ? "" : ": see the modules view");
	if (added->found_other > 0 && used < size)
		snprintf(buffer + used, size - used, ", %zu of the other dump", added->found_other);
	return true;
}

/*
 * Remember which modules have been looked for and have no symbols, with `files` nor their own
 * files.
 */
static bool
mark_tried(struct session *session, bool files)
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
		added->tried[i] = (state == SYMBOLS_ABSENT || state == SYMBOLS_LOADING) &&
				  !(files && has_file(session, i));
		added->tried_count += added->tried[i];
	}
	return true;
}

/*
 * Look for the modules' own files in one more place, or at a server, whenever they are opened
 * anew.
 */
static bool
keep_place(struct session *session, const char *place)
{
	const char **kept = ARENA_PUSH(&session->arena, session->binary_places,
				       session->binary_place_count, session->binary_place_capacity);

	if (kept != NULL)
		*kept = arena_copy(&session->arena, place, strlen(place));
	return kept != NULL && *kept != NULL;
}

/* Whether servers can be asked. */
static enum error_code
check_servers(const struct session *session, struct error *error)
{
	const struct place nowhere = { 0 };

	if (!fetch_is_built_in())
		return error_set(error, ERROR_NOT_FOUND, nowhere, "built without libcurl");
	if (session->options->fetch->directory == NULL)
		return error_set(error, ERROR_NOT_FOUND, nowhere,
				 "no directory for downloads; start with '--symbols-cache DIR'");
	return ERROR_NONE;
}

/* Ask a server from now on, for both dumps; of Windows also for the modules' own files. */
static enum error_code
add_server(struct session *session, const char *url, struct error *error)
{
	const struct explorer_other *other = session->options->other;
	struct fetch_options options = *session->options->fetch;

	if (check_servers(session, error) != ERROR_NONE)
		return error->code;
	struct server *server = arena_alloc(&session->arena, sizeof(*server));
	if (server != NULL)
		server->url = arena_copy(&session->arena, url, strlen(url));
	if (server == NULL || server->url == NULL)
		return error_memory(error);
	options.urls = &server->url;
	options.url_count = 1;
	server->fetcher = fetch_create(&options, error);
	if (server->fetcher == NULL)
		return error->code;
	server->next = session->servers;
	session->servers = server;
	if (other != NULL &&
	    symbols_add_servers(other->symbols, server->fetcher, error) != ERROR_NONE)
		return error->code;
	if (symbols_add_servers(session->symbols, server->fetcher, error) != ERROR_NONE)
		return error->code;
	if (session->crash->system.os == CRASH_OS_WINDOWS && !keep_place(session, url))
		return error_memory(error);
	return ERROR_NONE;
}

/* Where a module's file is found now. */
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
		if (symbols_peek(symbols, i, NULL) != NULL)
			continue;
		symbols_search(symbols, i, see, &file);
		*tried += !file.elsewhere;
		found += file.here;
	}
	return found;
}

/* Load what was tried before, and say what came of it, or of servers that they are asked. */
static void
load_tried(struct session *session)
{
	const struct added *added = &session->added;

	for (size_t i = 0; i < session->crash->module_count; i++)
		if (added->tried[i])
			loader_ask(session->loader, i, false);
	if (added->server)
		session_say(session, "asking %s %sfor the %s of %zu module%s", added->place,
			    added->again ? "again " : "",
			    added->files			 ? "files"
			    : asks_for_files(session, added) ? "symbols and files"
							     : "symbols",
			    added->tried_count, added->tried_count == 1 ? "" : "s");
	else
		say_added(session, session->notice, sizeof(session->notice));
}

/*
 * Look for symbols in one more directory or file, or at a server, and walk again with what is found
 * there. Says how many modules found some, at once or when the servers have answered.
 */
void
request_symbols(const struct request_call *call)
{
	struct session *session = call->session;
	const struct explorer_other *other = session->options->other;
	const char *place = call->text;
	const bool server = strncasecmp(place, "http://", 7) == 0 ||
			    strncasecmp(place, "https://", 8) == 0;
	const size_t count = session->crash->module_count;
	struct added *added = &session->added;
	struct error error = { 0 };
	char shown[sizeof(added->place)];
	size_t tried;

	if (place[0] == '\0' || !mark_tried(session, false)) {
		session_fail(session, "%s", place[0] != '\0' ? OUT_OF_MEMORY
					   : "give a directory, a file or a URL with symbols");
		return;
	}
	/* Both dumps have been given the same places, so what one has the other has, too. */
	if (other != NULL)
		symbols_ask_again(other->symbols, place);
	const char *known = symbols_ask_again(session->symbols, place);
	if (known == NULL && server)
		add_server(session, place, &error);
	else if (known == NULL && (other == NULL || symbols_add(other->symbols, place, &error) ==
							    ERROR_NONE))
		symbols_add(session->symbols, place, &error);
	show_place(session, shown, sizeof(shown), place);
	if (error.code != ERROR_NONE) {
		session_fail(session, "no symbols from '%s': %s", shown, error.text);
		return;
	}
	memcpy(added->place, shown, sizeof(shown));
	added->files = added->told = false;
	added->server = server;
	added->again = known != NULL;
	if (asks_for_files(session, added) && !open_binaries(session)) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	place = known != NULL ? known : place;
	if (!server)
		added->found = find_there(session->symbols, count, place, &added->tried_count);
	if (!server && other != NULL)
		added->found_other = find_there(other->symbols, other->crash->module_count, place,
						&tried);
	walk_outdated(session);
	load_tried(session);
}

/* Whether files can be looked for in a place. */
static enum error_code
check_usable(const char *place, struct error *error)
{
	const struct place nowhere = { 0 };
	struct binary *binary;
	struct stat status;

	if (stat(place, &status) != 0 ||
	    (S_ISDIR(status.st_mode) && access(place, R_OK | X_OK) != 0))
		return error_set(error, ERROR_IO, nowhere, "%s", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return ERROR_NONE;
	if (!S_ISREG(status.st_mode))
		return error_set(error, ERROR_IO, nowhere,
				 "neither a directory nor a regular file");
	if (binary_open(&binary, place, error) == ERROR_NONE)
		binary_close(binary);
	return error->code;
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

/* Whether a place was added in this session. */
static bool
is_kept(const struct session *session, const char *place)
{
	for (size_t i = 0; i < session->binary_place_count; i++)
		if (strcmp(session->binary_places[i], place) == 0)
			return true;
	return false;
}

/*
 * Ask a symbol server, or the stores and servers of a symbol path, for the modules' own files,
 * too.
 */
static void
ask_for_binaries(struct session *session, const char *place)
{
	struct added *added = &session->added;
	struct error error = { 0 };
	char shown[sizeof(added->place)];

	show_place(session, shown, sizeof(shown), place);
	if (session->crash->system.os != CRASH_OS_WINDOWS) {
		session_fail(session, "symbol servers have files of Windows; for this dump set "
				      "DEBUGINFOD_URLS");
		return;
	}
	if (check_servers(session, &error) != ERROR_NONE) {
		session_fail(session, "no files from '%s': %s", shown, error.text);
		return;
	}
	const bool again = is_kept(session, place);
	binaries_ask_again(session->binaries, place);
	if (!mark_tried(session, true) || (!again && !keep_place(session, place)) ||
	    !open_binaries(session)) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	memcpy(added->place, shown, sizeof(shown));
	added->files = added->server = true;
	added->told = false;
	added->again = again;
	walk_outdated(session);
	load_tried(session);
}

/*
 * Look for the modules' own files in one more directory or file, or at a symbol server, and walk
 * again with what is there. Says how many modules found theirs.
 */
void
request_binaries(const struct request_call *call)
{
	struct session *session = call->session;
	const struct explorer_other *other = session->options->other;
	const char *place = call->text;
	struct added added = { .files = true, .tried = session->added.tried };
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
	added.again = binaries_has(session->binaries, place);
	show_place(session, added.place, sizeof(added.place), place);
	if (check_usable(place, &error) != ERROR_NONE) {
		session_fail(session, "no files from '%s': %s", added.place, error.text);
		return;
	}
	added.found = count_there(session->crash, session->binaries, place, &added.tried_count);
	if (other != NULL)
		added.found_other = count_there(other->crash, session->other.binaries, place,
						 &tried);
	if ((!added.again && !keep_place(session, place)) || !open_binaries(session)) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	session->added = added;
	walk_outdated(session);
	say_added(session, session->notice, sizeof(session->notice));
}

/*
 * Look for sources whose path begins with OLD under NEW: "OLD NEW", or "OLD=NEW" where OLD has
 * blanks. Says what becomes of the selected frame's source.
 */
void
request_source_map(const struct request_call *call)
{
	struct session *session = call->session;
	const char *text = call->text;
	const size_t old = strcspn(text, strchr(text, '=') != NULL ? "=" : " ");
	const char *typed = text + old + (text[old] != '\0');
	const size_t count = session->source.map_count;
	const char **maps = arena_array(&session->arena, count + 1, sizeof(*maps));
	const char *new = file_expand_home(&session->arena, typed + strspn(typed, " "));
	char path[MOST_SHOWN * 4];
	uint32_t line;

	if (old == 0 || new == NULL || new[0] == '\0') {
		session_fail(session, "usage: :source-map OLD NEW; paths that begin with OLD are "
				      "under NEW");
		return;
	}
	/* The newest comes first: of two with the same OLD it is taken. */
	if (maps != NULL)
		maps[0] = arena_format(&session->arena, "%.*s=%s", (int)old, text, new);
	if (maps == NULL || maps[0] == NULL) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	size_t kept = 1;
	for (size_t i = 0; i < count; i++)
		if (strncmp(session->source.maps[i], maps[0], old + 1) != 0)
			maps[kept++] = session->source.maps[i];
	session->source.maps = maps;
	session->source.map_count = kept;
	addresses_forget(session);
	session_focus(session, LAYOUT_SOURCE);
	session_refresh(session);
	if (views_source_path(session, path, sizeof(path), &line))
		session_say(session, "source read from %s", path);
	else
		session_say(session, "still not found; the view says what was tried");
}

/* Files that change on disk --------------------------------------------------------------------*/

/* A number that is another one whenever a file has been written to again. */
static uint64_t
mix_identity(uint64_t hash, const struct identity *identity)
{
	hash = views_mix(views_mix(hash, identity->inode), (uint64_t)identity->size);
	hash = views_mix(hash, (uint64_t)identity->modified.tv_sec);
	return views_mix(hash, (uint64_t)identity->modified.tv_nsec) | 1;
}

/* What differs on disk. */
struct difference {
	uint64_t hash;
	size_t symbols;
	size_t module;			/* the first of them */
	const char *binary;		/* path of a module's own file; NULL: none */
	const char *dump;
};

/* Add the dump or a module's own file if it is not the one that was opened, or has changed. */
static void
add_file(struct difference *difference, const struct file *file, const char **path)
{
	if (file->input.name == NULL || (file->modified.tv_sec == 0 && file->modified.tv_nsec == 0))
		return;
	const struct identity now = identity_at(file->input.name);
	if (now.modified.tv_sec == file->modified.tv_sec &&
	    now.modified.tv_nsec == file->modified.tv_nsec && now.inode == file->inode)
		return;
	difference->hash = mix_identity(difference->hash, &now);
	*path = file->input.name;
}

static struct difference
look(const struct session *session)
{
	struct difference difference = { 0 };
	struct identity identity;

	for (size_t i = session->crash->module_count; i-- > 0;) {
		for (int kind = 0; kind < BINARIES_KINDS; kind++) {
			const struct binary *binary =
				binaries_peek(session->binaries, i, (enum binaries_kind)kind);

			if (binary != NULL)
				add_file(&difference, &binary->file, &difference.binary);
		}
		if (!symbols_differ(session->symbols, i, &identity))
			continue;
		difference.hash = mix_identity(difference.hash, &identity);
		difference.symbols++;
		difference.module = i;
	}
	if (session->options->other != NULL)
		add_file(&difference, &session->options->other->crash->file, &difference.dump);
	add_file(&difference, &session->crash->file, &difference.dump);
	return difference;
}

static void
make_offer(const struct session *session, const struct difference *difference, char *buffer,
	   size_t size)
{
	char name[64];

	if (difference->symbols == 1) {
		session_symbols_name(session, difference->module, name, sizeof(name));
		snprintf(buffer, size, "the symbols of %s have changed on disk; L walks again with "
			 "them", name);
	} else if (difference->symbols > 1) {
		snprintf(buffer, size, "%zu symbol files have changed on disk; L walks again with "
			 "them", difference->symbols);
	} else if (difference->binary != NULL) {
		text_printable(name, sizeof(name), text_of(place_base_name(difference->binary)));
		snprintf(buffer, size, "the file %s has changed on disk; L walks again with it",
			 name);
	} else if (difference->dump != NULL) {
		text_printable(name, sizeof(name), text_of(place_base_name(difference->dump)));
		snprintf(buffer, size, "%s has changed on disk; L reads it again", name);
	} else {
		buffer[0] = '\0';
	}
}

bool
session_tick(struct session *session)
{
	struct session_reload *reload = &session->reload;
	const struct difference difference = look(session);

	/* The names of frames may be gone once a symbol file has been overwritten. */
	for (size_t i = 0; difference.hash == 0 && i < session->crash->thread_count; i++) {
		struct walk_digest *digest = &session->work.digests[i];
		const struct walk *walk = session->stack.walks[i];

		if (walk == NULL || digest->count == walk->count)
			continue;
		walk_digest_update(digest, walk, digest->count + DIGEST_FRAMES);
		break;
	}
	/* Writing a file takes a while: it is offered when it has stopped changing. */
	const bool still = difference.hash == reload->seen;
	reload->seen = difference.hash;
	if (!still || difference.hash == reload->offered)
		return false;
	reload->offered = difference.hash;
	make_offer(session, &difference, reload->offer, sizeof(reload->offer));
	return true;
}

/* The session begins anew with the dump as it is now; where that cannot be read this one stays. */
bool
requests_open_again(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct explorer_options next = *session->options;
	struct error error = { 0 };

	if (next.open_again == NULL ||
	    next.open_again(next.open_context, &next, &error) != ERROR_NONE) {
		session_fail(session, "the dump cannot be read, what was read before is shown: %s",
			     error.text);
		return false;
	}
	explorer->options = next;
	explorer->again = explorer->quit = true;
	return true;
}

/*
 * Read what has changed on disk, and what was stopped, and walk again: the new walks take the place
 * of the old ones, with signs at what changed. Says what came of it, at once or when it is done.
 */
void
request_reload(const struct request_call *call)
{
	struct session *session = call->session;
	struct session_reload *reload = &session->reload;
	const struct difference difference = look(session);
	struct identity identity;

	if (difference.dump != NULL) {
		requests_open_again(call->explorer);
		return;
	}
	if (difference.binary != NULL && !open_binaries(session)) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	if (difference.symbols == 0 && difference.binary == NULL && !session->work.stopped) {
		session_say(session, "no file has changed on disk");
		return;
	}
	reload->former_count = 0;
	for (size_t i = 0; i < session->crash->module_count; i++) {
		if (!symbols_differ(session->symbols, i, &identity))
			continue;
		/* The symbol file is forgotten, but not how much was in it. */
		const struct symfile *symfile = symbols_peek(session->symbols, i, NULL);
		if (reload->former_count < SESSION_FORMERS)
			reload->formers[reload->former_count++] = (struct session_former){
				.module = i,
				.functions = symfile == NULL ? 0
							     : symfile_count(symfile, SYMBOL_FUNC),
				.there = symfile != NULL,
			};
		symbols_forget(session->symbols, i);
	}
	start_again(session, difference.symbols > 0 || difference.binary != NULL);
}

/* What is wrong with a symbol file that has been read again; false: nothing. */
static bool
is_worse(const struct session *session, const struct session_former *former, char *buffer,
	 size_t size)
{
	const struct symfile *symfile = symbols_peek(session->symbols, former->module, NULL);
	char name[64];

	session_symbols_name(session, former->module, name, sizeof(name));
	if (symfile == NULL) {
		snprintf(buffer, size, "%s no longer has symbols", name);
		return former->there;
	}
	const struct file *file = symfile_file(symfile);
	const size_t functions = symfile_count(symfile, SYMBOL_FUNC);
	struct identity identity;
	if (symbols_differ(session->symbols, former->module, &identity))
		snprintf(buffer, size, "%s has changed again, L reads it again", name);
	else if (file->size > 0 && file->data[file->size - 1] != '\n')
		snprintf(buffer, size, "%s may be incomplete: its last line has no line "
				       "feed", name);
	else if (functions < former->functions)
		snprintf(buffer, size, "%s has fewer functions: %zu, before %zu", name,
			 functions, former->functions);
	else
		return false;
	return true;
}

static size_t
add_count(char *buffer, size_t size, size_t used, size_t count, const char *word)
{
	if (count == 0 || used >= size)
		return used;
	return used + (size_t)snprintf(buffer + used, size - used, "%s%zu %s",
				       used > 0 ? ", " : "", count, word);
}

void
session_say_reloaded(struct session *session)
{
	static const struct walk_changes none;
	const struct walk_changes *changes =
		session->crash->thread_count > 0 ? &session->work.changes[session->stack.thread]
						 : &none;
	struct session_reload *reload = &session->reload;
	char text[80] = "", worse[224] = "";
	size_t used;

	if (!reload->under_way || !say_added(session, worse, sizeof(worse)))
		return;
	reload->under_way = false;
	const bool added = worse[0] != '\0';
	const bool given_up = added && session->added.server && session->work.stopped;
	session->added.told = true;
	/* What was said of that counts: the servers have not answered for all modules. */
	if (given_up)
		return;
	edits_forget_made(session);
	used = add_count(text, sizeof(text), 0, changes->changed,
			 changes->changed == 1 ? "frame changed" : "frames changed");
	used = add_count(text, sizeof(text), used, changes->added, "new");
	used = add_count(text, sizeof(text), used, changes->gone, "gone");
	for (size_t i = 0; i < reload->former_count && worse[0] == '\0'; i++)
		if (!is_worse(session, &reload->formers[i], worse, sizeof(worse)))
			worse[0] = '\0';
	if (used == 0 && !added)
		snprintf(text, sizeof(text), "walked again%s",
			 changes->count > 0 ? ", every frame is as before" : "");
	session_say(session, "%s%s%s", worse, worse[0] != '\0' && text[0] != '\0' ? "; " : "",
		    text);
}
