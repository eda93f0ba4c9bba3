/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/debuginfod.h"

#include <config.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "system/door.h"

/* What a service is asked to do: this, the kind of file, the build id, seconds, bytes at most. */
#define SERVE_ASK "ask"
#define SERVE_FORGET "forget"

/* Linkers write 8 bytes at least; with fewer two files would have the same one too easily. */
#define SHORTEST_ID 8u

bool
debuginfod_takes(const char *build_id)
{
	const size_t length = strlen(build_id);

	return length >= 2 * SHORTEST_ID && length <= (size_t)2 * LIMIT_BUILD_ID &&
	       length % 2 == 0 && strspn(build_id, "0123456789abcdefABCDEF") == length &&
	       strspn(build_id, "0") < length;
}

const char *
debuginfod_name(enum locate_kind kind)
{
	return kind == LOCATE_IMAGE ? "executable" : "debuginfo";
}

/* Whether a path is that of a kind of file in the client's cache. */
static bool
is_kept_at(enum locate_kind kind, const char *build_id, const char *path)
{
	char end[2 * LIMIT_BUILD_ID + 16];
	const size_t length = strlen(path);

	snprintf(end, sizeof(end), "/%s/%s", build_id, debuginfod_name(kind));
	return length > strlen(end) && strcasecmp(path + length - strlen(end), end) == 0;
}

void
debuginfod_forget(enum locate_kind kind, const char *build_id, const char *path)
{
	char argument[2 * LIMIT_BUILD_ID + 64];

	if (!is_kept_at(kind, build_id, path))
		return;
	if (!door_is_guarded()) {
		unlink(path);
		return;
	}
	snprintf(argument, sizeof(argument), SERVE_FORGET " %s %s 0 0", debuginfod_name(kind),
		 build_id);
	const int socket = door_serve(DOOR_DEBUGINFOD, argument);
	if (socket >= 0)
		door_wait(socket);
}

#if defined(HAVE_DEBUGINFOD) && defined(HAVE_ELF)

#include <ctype.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "locate/fetch_internal.h"
#include "system/library.h"
#include "system/piece.h"
#include "system/url.h"

#define BLANKS " \t\n"
#define HOST_SIZE 128u
/* Handles that are kept for the next question, with their connections. */
#define IDLE_MOST 4u
/* Of several servers one that is down hides for a while that others have answered. */
#define FAILURES_OF_SEVERAL 3u

/* What is called of the client. */
#define FUNCTIONS(F) \
	F(begin) F(end) F(find_executable) F(find_debuginfo) F(get_url) F(get_user_data) \
	F(set_progressfn) F(set_user_data) F(set_verbose_fd)

struct client_library {
#define F(name) __typeof__(debuginfod_##name) *name;
	FUNCTIONS(F)
#undef F
};

struct host {
	const char *url;
	char name[HOST_SIZE];
};

struct debuginfod {
	struct client_library library;
	char *urls, *directory;
	struct host *hosts;
	size_t host_count;
	char all_hosts[HOST_SIZE + 24];
	unsigned seconds;
	uint64_t most;
	struct fetch_memory *misses;	/* by what is asked for */
	pthread_mutex_t mutex;		/* all below */
	debuginfod_client *idle[IDLE_MOST];
	size_t idle_count;
	unsigned failures;		/* running */
	bool lost;
};

/* What is asked for, and how far it is. */
struct question {
	const struct debuginfod *servers;
	fetch_progress *progress;
	void *context;
	uint64_t bytes;			/* the most that came */
	uint64_t changed;		/* when; milliseconds */
	int socket;			/* to the process that asked; of a service */
	bool stopped, silent, too_large;
};

/* What the client's errors mean (debuginfod_find_debuginfo(3)); others are the system's. */
static const struct {
	int error;
	const char *text;
} errors[] = {
	{ ECONNREFUSED, "cannot connect" },
	{ ECONNRESET, "the connection was interrupted" },
	{ EHOSTUNREACH, "cannot resolve host name" },
	{ ENETUNREACH, "the network is unreachable" },
	{ EMLINK, "too many redirections" },
	{ EINVAL, "DEBUGINFOD_URLS contains no valid URL" },
	{ EIO, "cannot write the download to the cache" },
	{ ETIME, "no answer within DEBUGINFOD_TIMEOUT" },
	{ ELIBACC, "libdebuginfod cannot be loaded" },
	{ EPIPE, "the process that asks has ended" },
};

static bool
load(struct client_library *library)
{
	static const char *const names[] = { DEBUGINFOD_SONAME, NULL };
	static const struct library_function functions[] = {
#define F(name) { "debuginfod_" #name, offsetof(struct client_library, name) },
		FUNCTIONS(F)
#undef F
	};

	return library_load(names, functions, ARRAY_COUNT(functions), library);
}

bool
debuginfod_is_built_in(void)
{
	return true;
}

/* The URLs stand between blanks; the copy is cut up. */
static bool
find_hosts(struct debuginfod *servers)
{
	char *rest = NULL;

	servers->hosts = calloc(strlen(servers->urls) / 2 + 1, sizeof(*servers->hosts));
	if (servers->hosts == NULL)
		return false;
	for (char *url = strtok_r(servers->urls, BLANKS, &rest); url != NULL;
	     url = strtok_r(NULL, BLANKS, &rest)) {
		struct host *host = &servers->hosts[servers->host_count++];

		host->url = url;
		url_host(url, host->name, sizeof(host->name));
	}
	if (servers->host_count == 0)
		return false;
	snprintf(servers->all_hosts, sizeof(servers->all_hosts),
		 servers->host_count > 1 ? "%s and %zu more" : "%s", servers->hosts[0].name,
		 servers->host_count - 1);
	return true;
}

struct debuginfod *
debuginfod_open(const struct debuginfod_options *options)
{
	struct debuginfod *servers = calloc(1, sizeof(*servers));

	if (servers == NULL || pthread_mutex_init(&servers->mutex, NULL) != 0) {
		free(servers);
		return NULL;
	}
	servers->seconds = options->seconds;
	servers->most = options->most;
	servers->misses = fetch_memory_create();
	servers->urls = strdup(options->urls);
	if (options->directory != NULL)
		servers->directory = strdup(options->directory);
	/* In the sandbox another process asks. */
	if (servers->misses != NULL && servers->urls != NULL && find_hosts(servers) &&
	    (door_is_guarded() || load(&servers->library)))
		return servers;
	debuginfod_close(servers);
	return NULL;
}

void
debuginfod_close(struct debuginfod *servers)
{
	if (servers == NULL)
		return;
	for (size_t i = 0; i < servers->idle_count; i++)
		servers->library.end(servers->idle[i]);
	fetch_memory_free(servers->misses);
	pthread_mutex_destroy(&servers->mutex);
	free(servers->hosts);
	free(servers->urls);
	free(servers->directory);
	free(servers);
}

const char *
debuginfod_hosts(const struct debuginfod *servers)
{
	return servers->all_hosts;
}

/* Asking --------------------------------------------------------------------------------------- */

/* The library counts bytes once a server has begun to send, and its own turns before. */
static int
note_progress(debuginfod_client *client, long count, long total)
{
	struct client_library library;

	if (!load(&library))
		return 1;
	struct question *question = library.get_user_data(client);
	const struct debuginfod *servers = question->servers;
	const char *url = library.get_url(client);
	const uint64_t bytes = url != NULL && count > 0 ? (uint64_t)count : 0;
	const uint64_t now = (uint64_t)clock_milliseconds();
	/* After a redirection the host is unknown. */
	const char *host = servers->all_hosts;

	for (size_t i = servers->host_count; url != NULL && i-- > 0;)
		if (strncmp(url, servers->hosts[i].url, strlen(servers->hosts[i].url)) == 0)
			host = servers->hosts[i].name;
	if (bytes > question->bytes) {
		question->bytes = bytes;
		question->changed = now;
	}
	question->too_large = bytes > servers->most ||
			      (total > 0 && (uint64_t)total > servers->most);
	question->silent = servers->seconds > 0 &&
			   now - question->changed >= (uint64_t)servers->seconds * 1000;
	question->stopped = question->progress != NULL &&
			    !question->progress(question->context, host, bytes,
						total > 0 ? (uint64_t)total : 0);
	return question->too_large || question->silent || question->stopped;
}

/*
 * What was stopped before any answer is a no in the client's cache: an empty file. Where
 * that cache is laid out otherwise nothing is done.
 */
static void
forget_miss(const struct debuginfod *servers, enum locate_kind kind, const char *build_id)
{
	struct stat status;
	char path[4096];

	const int length = snprintf(path, sizeof(path), "%s/%s/%s", servers->directory, build_id,
				    debuginfod_name(kind));
	if (length > 0 && (size_t)length < sizeof(path) && lstat(path, &status) == 0 &&
	    S_ISREG(status.st_mode) && status.st_size == 0)
		unlink(path);
}

/* What a question that found nothing means; servers that cannot be reached are not asked again. */
static enum fetch_answer
judge(struct debuginfod *servers, const struct question *question, int error, char *why)
{
	if (question->stopped)
		return FETCH_STOPPED;
	if (question->too_large || error == EFBIG) {
		snprintf(why, DEBUGINFOD_WHY, "it is larger than %" PRIu64 " MB",
			 servers->most >> 20);
		return FETCH_FAILED;
	}
	if (!question->silent && error == ENOENT) {
		servers->failures = 0;
		if (question->bytes == 0)
			return FETCH_MISSING;
		snprintf(why, DEBUGINFOD_WHY, "it ends after %" PRIu64 " bytes",
			 question->bytes);
		return FETCH_FAILED;
	}
	const char *text = strerror(error);
	for (size_t i = 0; i < ARRAY_COUNT(errors); i++)
		if (errors[i].error == error)
			text = errors[i].text;
	if (question->silent)
		snprintf(why, DEBUGINFOD_WHY, "no data for %u seconds", servers->seconds);
	else
		snprintf(why, DEBUGINFOD_WHY, "%s", text);
	servers->failures++;
	servers->lost = servers->lost || servers->host_count == 1 ||
			servers->failures >= FAILURES_OF_SEVERAL;
	return servers->lost ? FETCH_LOST : FETCH_FAILED;
}

/* Ask by the library; an error, or 0 with the path. */
static int
ask_library(struct question *question, struct debuginfod *servers, enum locate_kind kind,
	    const char *id, char **path)
{
	debuginfod_client *client = NULL;
	int error = ENOMEM;

	pthread_mutex_lock(&servers->mutex);
	if (servers->idle_count > 0)
		client = servers->idle[--servers->idle_count];
	pthread_mutex_unlock(&servers->mutex);
	if (client == NULL && (client = servers->library.begin()) != NULL)
		/* The terminal is not the library's, whatever DEBUGINFOD_VERBOSE says. */
		servers->library.set_verbose_fd(client, -1);
	if (client != NULL) {
		question->changed = (uint64_t)clock_milliseconds();
		servers->library.set_user_data(client, question);
		servers->library.set_progressfn(client, note_progress);
		const int result =
			(kind == LOCATE_IMAGE ? servers->library.find_executable
					      : servers->library.find_debuginfo)(
				client, (const unsigned char *)id, 0, path);
		if (result >= 0)
			close(result);
		error = result < 0 ? -result : *path != NULL ? 0 : ENOMEM;
	}
	pthread_mutex_lock(&servers->mutex);
	/* What was broken off is not gone on with by a handle of the next question. */
	if (client != NULL && !question->stopped && !question->silent && !question->too_large &&
	    servers->idle_count < IDLE_MOST) {
		servers->idle[servers->idle_count++] = client;
		client = NULL;
	}
	pthread_mutex_unlock(&servers->mutex);
	if (client != NULL)
		servers->library.end(client);
	if (servers->directory != NULL && (question->stopped || question->silent))
		forget_miss(servers, kind, id);
	return error;
}

/* By way of another process -------------------------------------------------------------------- */

enum { PIECE_PROGRESS, PIECE_END };

struct piece_progress {
	uint32_t host;			/* its number; their count: not known */
	uint64_t bytes, total;
};

struct piece_end {
	int32_t error;
	uint8_t silent, too_large;
	uint64_t bytes;
	char path[4096];
};

/* A question that another process asks. */
struct asked {
	struct question *question;
	struct piece_progress progress;	/* the last that was told */
};

static bool
asks_on(void *context)
{
	const struct asked *asked = context;
	const struct question *question = asked->question;
	const struct debuginfod *servers = question->servers;
	const struct piece_progress *progress = &asked->progress;

	return question->progress == NULL ||
	       question->progress(question->context,
				  progress->host < servers->host_count
					  ? servers->hosts[progress->host].name
					  : servers->all_hosts,
				  progress->bytes, progress->total);
}

/* Take pieces up to the last one; false: there is none. */
static bool
take_pieces(struct piece_receiver *receiver, struct asked *asked, struct piece_end *end)
{
	struct piece piece;

	while (piece_receive(receiver, &piece, sizeof(piece))) {
		if (piece.kind == PIECE_END && piece.length == sizeof(*end))
			return piece_receive(receiver, end, sizeof(*end));
		if (piece.kind != PIECE_PROGRESS || piece.length != sizeof(asked->progress) ||
		    !piece_receive(receiver, &asked->progress, sizeof(asked->progress)))
			return false;
	}
	return false;
}

/*
 * What came in another run, as the library would find it: its path to be freed; NULL: it is not
 * there.
 */
static char *
find_kept(const struct debuginfod *servers, enum locate_kind kind, const char *id)
{
	struct stat status;
	char path[4096];

	const int length = snprintf(path, sizeof(path), "%s/%s/%s",
				    text_or_empty(servers->directory), id, debuginfod_name(kind));
	return length > 0 && (size_t)length < sizeof(path) && stat(path, &status) == 0 &&
			       S_ISREG(status.st_mode) && status.st_size > 0
		       ? strdup(path) : NULL;
}

/* Ask by a process of the broker, which has the network; an error, or 0 with the path. */
static int
ask_remotely(struct question *question, struct debuginfod *servers, enum locate_kind kind,
	     const char *id, char **path)
{
	char argument[2 * LIMIT_BUILD_ID + 128];
	struct asked asked = { question, { UINT32_MAX, 0, 0 } };
	struct piece_receiver receiver = { .goes_on = asks_on, .context = &asked };
	struct piece_end end;

	*path = find_kept(servers, kind, id);
	if (*path != NULL)
		return 0;
	snprintf(argument, sizeof(argument), SERVE_ASK " %s %s %u %" PRIu64, debuginfod_name(kind),
		 id, servers->seconds, servers->most);
	receiver.socket = door_serve(DOOR_DEBUGINFOD, argument);
	if (receiver.socket < 0)
		return errno;
	const bool ended = take_pieces(&receiver, &asked, &end);
	close(receiver.socket);
	question->stopped = receiver.stopped;
	if (!ended)
		return EPIPE;
	question->bytes = end.bytes;
	question->silent = end.silent != 0;
	question->too_large = end.too_large != 0;
	end.path[sizeof(end.path) - 1] = '\0';
	/* Only a path in the cache is opened. */
	if (end.error == 0 && is_kept_at(kind, id, end.path))
		*path = strdup(end.path);
	return end.error != 0 ? end.error : *path == NULL ? EPIPE : 0;
}

/* Tell the process that asked how far it is; false: it waits no more. */
static bool
tell_progress(void *context, const char *host, uint64_t bytes, uint64_t total)
{
	const struct question *question = context;
	const struct debuginfod *servers = question->servers;
	struct piece_progress progress = { 0, bytes, total };

	while (progress.host < servers->host_count && servers->hosts[progress.host].name != host)
		progress.host++;
	return piece_is_awaited(question->socket) &&
	       piece_send(question->socket, PIECE_PROGRESS, &progress, sizeof(progress));
}

/* What an argument of a service says. */
struct wanted_file {
	char verb[8], name[16], id[2 * LIMIT_BUILD_ID + 1];
	unsigned seconds;
	uint64_t most;
	enum locate_kind kind;
};

static bool
read_wanted(const char *argument, struct wanted_file *wanted)
{
	static const enum locate_kind kinds[] = { LOCATE_IMAGE, LOCATE_DEBUG };
	char format[64];

	snprintf(format, sizeof(format), "%%7s %%15s %%%us %%u %%" SCNu64, 2 * LIMIT_BUILD_ID);
	if (sscanf(argument, format, wanted->verb, wanted->name, wanted->id, &wanted->seconds,
		   &wanted->most) != 5 || !debuginfod_takes(wanted->id))
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		wanted->kind = kinds[i];
		if (strcmp(wanted->name, debuginfod_name(kinds[i])) == 0)
			return true;
	}
	return false;
}

static int
serve_question(int socket, struct debuginfod *servers, const struct wanted_file *wanted)
{
	struct question question = { .servers = servers, .progress = tell_progress,
				     .socket = socket };
	struct piece_end end = { .error = 0 };
	char *path = NULL;

	question.context = &question;
	end.error = ask_library(&question, servers, wanted->kind, wanted->id, &path);
	end.silent = question.silent;
	end.too_large = question.too_large;
	end.bytes = question.bytes;
	if (end.error == 0)
		snprintf(end.path, sizeof(end.path), "%s", path);
	free(path);
	return piece_send(socket, PIECE_END, &end, sizeof(end)) ? 0 : -1;
}

int
debuginfod_serve(int socket, const char *argument, const struct debuginfod_options *options)
{
	struct debuginfod_options with = *options;
	struct wanted_file wanted;
	char path[4096];

	if (!read_wanted(argument, &wanted))
		return -1;
	if (strcmp(wanted.verb, SERVE_FORGET) == 0) {
		const int length = snprintf(path, sizeof(path), "%s/%s/%s", options->directory,
					    wanted.id, wanted.name);

		return length > 0 && (size_t)length < sizeof(path) ? unlink(path) : -1;
	}
	with.seconds = wanted.seconds;
	with.most = wanted.most;
	struct debuginfod *servers = debuginfod_open(&with);
	if (servers == NULL) {
		const struct piece_end end = { .error = ELIBACC };

		return piece_send(socket, PIECE_END, &end, sizeof(end)) ? 0 : -1;
	}
	const int status = serve_question(socket, servers, &wanted);
	debuginfod_close(servers);
	return status;
}

/* Asking, wherever that is done ---------------------------------------------------------------- */

/* Ask servers that have not answered yet, and have not been given up. */
static enum fetch_answer
ask(struct question *question, struct debuginfod *servers, enum locate_kind kind, const char *id,
    char **path, char *why)
{
	enum fetch_answer answer = FETCH_TAKEN;
	const int error = (door_is_guarded() ? ask_remotely : ask_library)(question, servers, kind,
									   id, path);

	pthread_mutex_lock(&servers->mutex);
	/* Another thread's question may have said so meanwhile. */
	const bool lost = servers->lost;
	if (error == 0)
		servers->failures = 0;
	else
		answer = judge(servers, question, error, why);
	pthread_mutex_unlock(&servers->mutex);
	return lost && answer == FETCH_LOST ? FETCH_SILENT : answer;
}

enum fetch_answer
debuginfod_ask(struct debuginfod *servers, enum locate_kind kind, const char *build_id,
	       fetch_progress *progress, void *context, char **path, char why[DEBUGINFOD_WHY])
{
	struct question question = { .servers = servers, .progress = progress,
				     .context = context };
	char key[2 * LIMIT_BUILD_ID + 16] = "", id[2 * LIMIT_BUILD_ID + 1] = "";
	char known[FETCH_REASON_SIZE];
	enum fetch_answer answer = FETCH_MISSING;

	*path = NULL;
	why[0] = '\0';
	if (!debuginfod_takes(build_id))
		return answer;
	for (size_t i = 0; build_id[i] != '\0'; i++)
		id[i] = (char)tolower((unsigned char)build_id[i]);
	snprintf(key, sizeof(key), "%s/%s", id, debuginfod_name(kind));
	if (fetch_memory_find(servers->misses, key, &answer, known))
		return answer;
	pthread_mutex_lock(&servers->mutex);
	const bool lost = servers->lost;
	pthread_mutex_unlock(&servers->mutex);
	if (lost)
		return FETCH_SILENT;
	answer = ask(&question, servers, kind, id, path, why);
	if (answer == FETCH_MISSING)
		fetch_memory_add(servers->misses, key, answer, "");
	return answer;
}

#else

bool
debuginfod_is_built_in(void)
{
	return false;
}

struct debuginfod *
debuginfod_open(const struct debuginfod_options *options)
{
	(void)options;
	return NULL;
}

void
debuginfod_close(struct debuginfod *servers)
{
	(void)servers;
}

const char *
debuginfod_hosts(const struct debuginfod *servers)
{
	(void)servers;
	return "";
}

int
debuginfod_serve(int socket, const char *argument, const struct debuginfod_options *options)
{
	(void)socket;
	(void)argument;
	(void)options;
	return -1;
}

enum fetch_answer
debuginfod_ask(struct debuginfod *servers, enum locate_kind kind, const char *build_id,
	       fetch_progress *progress, void *context, char **path, char why[DEBUGINFOD_WHY])
{
	(void)servers;
	(void)kind;
	(void)build_id;
	(void)progress;
	(void)context;
	*path = NULL;
	why[0] = '\0';
	return FETCH_MISSING;
}

#endif
