/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/fetch.h"

#include <config.h>

#include "symbols/symbols.h"

#ifdef HAVE_CURL

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limits.h"
#include "base/text.h"
#include "symbols/shelf.h"

#define PATH_SIZE 4096u
#define REASON_SIZE 256u
/* Bytes of a name that is asked for: no file system has longer ones. */
#define NAME_MOST 255u
#define REDIRECTS 5L
#define TRIES 3u
/* Milliseconds before the second try; twice as many before the third. */
#define PAUSE 250
/* A server that says nothing so often, running, is not asked again. */
#define SILENCES 3u
/* Bytes a second below which a server counts as silent. */
#define SLOWEST 512L

struct server {
	const char *url;
	atomic_uint silences;
};

/* What a URL was answered with. */
struct remembered {
	struct remembered *next;
	char *url;
	enum fetch_answer answer;
	char why[REASON_SIZE];
};

struct fetcher {
	struct fetch_options options;
	struct server *servers;
	pthread_mutex_t mutex;		/* of what is remembered */
	struct remembered *remembered;
};

/* All servers that are asked for one file. */
struct errand {
	struct fetcher *fetcher;
	const struct fetch_wanted *wanted;
	fetch_progress *progress;
	void *context;
	pthread_mutex_t mutex;		/* one thread at a time tells */
	atomic_bool stopped;
	atomic_uint taken;		/* the first server that has it; the count of all: none yet */
};

/* One server's part. */
struct transfer {
	struct errand *errand;
	unsigned index;
	struct server *server;
	char url[PATH_SIZE];
	char partial[PATH_SIZE];	/* what came so far */
	FILE *file;
	uint64_t bytes;
	char etag[128];
	bool too_large, restarted;
	enum fetch_answer answer;
	char why[REASON_SIZE];
};

bool
fetch_is_built_in(void)
{
	return true;
}

const char *
fetch_directory(const struct fetcher *fetcher)
{
	return fetcher->options.directory;
}

struct fetcher *
fetch_create(const struct fetch_options *options, struct error *error)
{
	for (size_t i = 0; i < options->url_count; i++)
		if (strncasecmp(options->urls[i], "http://", 7) != 0 &&
		    strncasecmp(options->urls[i], "https://", 8) != 0) {
			error_set(error, ERROR_FORMAT, (struct place){ 0 },
				  "'%s' is no URL of a symbol server: http:// or https:// is missing",
				  options->urls[i]);
			return NULL;
		}
	struct fetcher *fetcher = calloc(1, sizeof(*fetcher));
	if (fetcher != NULL)
		fetcher->servers = calloc(options->url_count + 1, sizeof(*fetcher->servers));
	if (fetcher == NULL || fetcher->servers == NULL ||
	    pthread_mutex_init(&fetcher->mutex, NULL) != 0) {
		if (fetcher != NULL)
			free(fetcher->servers);
		free(fetcher);
		error_set(error, ERROR_MEMORY, (struct place){ 0 }, "memory ran out");
		return NULL;
	}
	fetcher->options = *options;
	for (size_t i = 0; i < options->url_count; i++)
		fetcher->servers[i].url = options->urls[i];
	curl_global_init(CURL_GLOBAL_DEFAULT);
	return fetcher;
}

void
fetch_free(struct fetcher *fetcher)
{
	if (fetcher == NULL)
		return;
	while (fetcher->remembered != NULL) {
		struct remembered *next = fetcher->remembered->next;

		free(fetcher->remembered->url);
		free(fetcher->remembered);
		fetcher->remembered = next;
	}
	pthread_mutex_destroy(&fetcher->mutex);
	free(fetcher->servers);
	free(fetcher);
	curl_global_cleanup();
}

/* Append text with all but the unreserved characters of RFC 3986 escaped; false: no room. */
static bool
add_escaped(char *url, const char *text, size_t length)
{
	size_t used = strlen(url);

	for (size_t i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)text[i];
		const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
				   (c >= 'a' && c <= 'z') || strchr("-._~", c) != NULL;

		if (used + 4 > PATH_SIZE)
			return false;
		used += (size_t)snprintf(url + used, PATH_SIZE - used, plain ? "%c" : "%%%02X", c);
	}
	return true;
}

static bool
add_plain(char *url, const char *text)
{
	const size_t used = strlen(url), length = strlen(text);

	if (used + length >= PATH_SIZE)
		return false;
	memcpy(url + used, text, length + 1);
	return true;
}

static size_t
without(const char *name, const char *const *ends, size_t count)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < count; i++) {
		const size_t cut = strlen(ends[i]);

		if (length > cut && strcasecmp(name + length - cut, ends[i]) == 0)
			return length - cut;
	}
	return length;
}

/* The part of a debug or code file's name that stands before `.sym`. */
static size_t
stem_of(const char *name, bool code)
{
	static const char *const debug_ends[] = { ".pdb" }, *const code_ends[] = { ".dll", ".exe" };

	return code ? without(name, code_ends, ARRAY_COUNT(code_ends))
		    : without(name, debug_ends, ARRAY_COUNT(debug_ends));
}

/* URL/NAME/ID/STEM.sym, and by which code file it may be known otherwise. */
static bool
make_url(struct transfer *transfer, const char *name, const char *id, bool code)
{
	const struct fetch_wanted *wanted = transfer->errand->wanted;
	const char *base = transfer->server->url;
	size_t length = strlen(base);
	char *url = transfer->url;

	while (length > 0 && base[length - 1] == '/')
		length--;
	if (length >= PATH_SIZE)
		return false;
	memcpy(url, base, length);
	url[length] = '\0';
	bool good = add_plain(url, "/") && add_escaped(url, name, strlen(name)) &&
		    add_plain(url, "/") && add_escaped(url, id, strlen(id)) &&
		    add_plain(url, "/") && add_escaped(url, name, stem_of(name, code)) &&
		    add_plain(url, ".sym");
	if (good && !code && wanted->code_name[0] != '\0' && wanted->code_id[0] != '\0')
		good = add_plain(url, "?code_file=") &&
		       add_escaped(url, wanted->code_name, strlen(wanted->code_name)) &&
		       add_plain(url, "&code_id=") &&
		       add_escaped(url, wanted->code_id, strlen(wanted->code_id));
	return good;
}

static bool
make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		const bool good = mkdir(path, 0755) == 0 || errno == EEXIST;
		*slash = '/';
		if (!good)
			return false;
	}
	return true;
}

/* Where a file is kept, or with `suffix` a name of its own beside it that nobody looks for. */
static bool
make_path(const struct transfer *transfer, const char *name, const char *id, bool code,
	  const char *suffix, char *path)
{
	const char *directory = transfer->errand->fetcher->options.directory;
	const int length = snprintf(path, PATH_SIZE, "%s/%s/%s/%s%.*s%s", directory, name, id,
				    suffix[0] != '\0' ? "." : "", (int)stem_of(name, code), name,
				    suffix[0] != '\0' ? suffix : ".sym");

	return length > 0 && (size_t)length < PATH_SIZE && make_folders(path);
}

static bool
is_given_up(const struct transfer *transfer)
{
	return atomic_load(&transfer->errand->stopped) ||
	       atomic_load(&transfer->errand->taken) < transfer->index;
}

static int
note_progress(void *context, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up)
{
	struct transfer *transfer = context;
	struct errand *errand = transfer->errand;

	(void)up_total;
	(void)up;
	(void)now;
	if (is_given_up(transfer))
		return 1;
	pthread_mutex_lock(&errand->mutex);
	if (errand->progress != NULL &&
	    !errand->progress(errand->context, transfer->bytes, total > 0 ? (uint64_t)total : 0))
		atomic_store(&errand->stopped, true);
	pthread_mutex_unlock(&errand->mutex);
	return atomic_load(&errand->stopped);
}

static size_t
take_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	const size_t length = size * count;

	if (transfer->bytes + length > transfer->errand->fetcher->options.most) {
		transfer->too_large = true;
		return 0;
	}
	transfer->bytes += length;
	return fwrite(bytes, 1, length, transfer->file);
}

/*
 * A new answer begins: unless it goes on where the last one broke off, what came before is not
 * part of it.
 */
static size_t
take_header(char *line, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	const size_t length = size * count;
	size_t end = length;

	if (length > 9 && strncasecmp(line, "HTTP/", 5) == 0) {
		const char *space = memchr(line, ' ', length);

		if (space == NULL || strncmp(space, " 206", 4) != 0) {
			transfer->bytes = 0;
			transfer->restarted = fseek(transfer->file, 0, SEEK_SET) != 0 ||
					      ftruncate(fileno(transfer->file), 0) != 0;
		}
	}
	while (end > 0 && strchr("\r\n ", line[end - 1]) != NULL)
		end--;
	if (end > 6 && strncasecmp(line, "ETag: ", 6) == 0 && end - 6 < sizeof(transfer->etag)) {
		memcpy(transfer->etag, line + 6, end - 6);
		transfer->etag[end - 6] = '\0';
	}
	return length;
}

static void
set_options(CURL *curl, struct transfer *transfer)
{
	const long seconds = (long)transfer->errand->fetcher->options.seconds;
	/* What was asked for in secret is not to be redirected into the open. */
	const char *protocols =
		strncasecmp(transfer->url, "https:", 6) == 0 ? "https" : "http,https";

	curl_easy_setopt(curl, CURLOPT_URL, transfer->url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, protocols);
	curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
	curl_easy_setopt(curl, CURLOPT_MAXREDIRS, REDIRECTS);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "unspool/" PACKAGE_VERSION);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, seconds);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, SLOWEST);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, seconds);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, note_progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, transfer);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, transfer);
}

/* The range that is missing, where the server said which version of the file it sent. */
static struct curl_slist *
set_headers(CURL *curl, struct transfer *transfer, char *range, size_t size)
{
	struct curl_slist *headers = curl_slist_append(NULL, "Accept-Encoding: gzip");
	char condition[sizeof(transfer->etag) + 16];

	if (transfer->bytes > 0 && transfer->etag[0] != '\0') {
		snprintf(range, size, "%llu-", (unsigned long long)transfer->bytes);
		snprintf(condition, sizeof(condition), "If-Range: %s", transfer->etag);
		curl_easy_setopt(curl, CURLOPT_RANGE, range);
		headers = curl_slist_append(headers, condition);
	}
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	return headers;
}

static bool
is_silence(CURLcode code)
{
	return code == CURLE_OPERATION_TIMEDOUT || code == CURLE_COULDNT_CONNECT ||
	       code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY;
}

static bool
is_worth_a_try(CURLcode code, long status)
{
	return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR ||
	       code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
	       code == CURLE_HTTP2_STREAM || (status >= 500 && status < 600) || status == 429;
}

static void
say_failure(struct transfer *transfer, CURLcode code, long status)
{
	char text[REASON_SIZE];

	transfer->answer = FETCH_FAILED;
	if (code == CURLE_HTTP_RETURNED_ERROR && (status == 404 || status == 410)) {
		transfer->answer = FETCH_MISSING;
		snprintf(transfer->why, sizeof(transfer->why), "the server has none (%ld)", status);
	} else if (code == CURLE_HTTP_RETURNED_ERROR) {
		snprintf(transfer->why, sizeof(transfer->why), "the server answers with status %ld",
			 status);
	} else if (transfer->too_large) {
		snprintf(transfer->why, sizeof(transfer->why), "more than %llu MB come",
			 (unsigned long long)(transfer->errand->fetcher->options.most >> 20));
	} else if (code == CURLE_TOO_MANY_REDIRECTS) {
		snprintf(transfer->why, sizeof(transfer->why), "more than %ld redirections",
			 REDIRECTS);
	} else if (code == CURLE_OPERATION_TIMEDOUT) {
		snprintf(transfer->why, sizeof(transfer->why), "no or too few bytes for %u s",
			 transfer->errand->fetcher->options.seconds);
	} else if (code == CURLE_PARTIAL_FILE) {
		snprintf(transfer->why, sizeof(transfer->why), "the file ends after %llu bytes, "
			 "before its end", (unsigned long long)transfer->bytes);
	} else {
		text_printable(text, sizeof(text), text_of(curl_easy_strerror(code)));
		snprintf(transfer->why, sizeof(transfer->why), "%.*s", (int)sizeof(text) - 1, text);
	}
}

/* One request; true: try again. */
static bool
try_once(struct transfer *transfer, bool *whole)
{
	CURL *curl = curl_easy_init();
	char range[32];
	long status = 0;

	*whole = false;
	if (curl == NULL) {
		snprintf(transfer->why, sizeof(transfer->why), "memory ran out");
		return false;
	}
	set_options(curl, transfer);
	struct curl_slist *headers = set_headers(curl, transfer, range, sizeof(range));
	const CURLcode code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	if (is_silence(code))
		atomic_fetch_add(&transfer->server->silences, 1);
	else if (code != CURLE_ABORTED_BY_CALLBACK)
		atomic_store(&transfer->server->silences, 0);
	if (code == CURLE_ABORTED_BY_CALLBACK) {
		transfer->answer = FETCH_STOPPED;
		return false;
	}
	*whole = code == CURLE_OK && !transfer->restarted && fflush(transfer->file) == 0;
	if (!*whole)
		say_failure(transfer, code, status);
	return !*whole && is_worth_a_try(code, status);
}

static bool
receive(struct transfer *transfer)
{
	bool whole = false;

	for (unsigned i = 0; i < TRIES; i++) {
		const long wait = PAUSE << i;
		const struct timespec pause = { .tv_nsec = wait * 1000000 };

		if (!try_once(transfer, &whole) || i + 1 == TRIES || is_given_up(transfer))
			break;
		nanosleep(&pause, NULL);
	}
	return whole;
}

/* Why what came is not the file that was asked for; NULL: it is. */
static const char *
refuse(const struct transfer *transfer, const char *id, char *why, size_t size)
{
	struct shelf_head head;
	struct arena arena;
	char shown[64];
	const char *reason = NULL;

	arena_init(&arena, 0);
	shelf_head_read(&head, transfer->partial, &arena);
	if (head.id == NULL) {
		reason = head.empty ? "what comes is empty" : "what comes is no symbol file";
	} else if (id[strspn(id, "0")] != '\0' && strcasecmp(head.id, id) != 0) {
		text_printable(shown, sizeof(shown), text_of(head.id));
		snprintf(why, size, "what comes is for another build, with the id %s", shown);
		reason = why;
	}
	arena_free(&arena);
	return reason;
}

/* Write what a compressed file holds in its place. */
static const char *
unpack(struct transfer *transfer, char *why, size_t size)
{
	struct inflated inflated;
	const char *reason = NULL;
	struct file file;

	if (file_open_mapped(&file, transfer->partial, NULL) != ERROR_NONE)
		return "what came can't be read again";
	const enum inflate_kind kind = inflate_identify(file.data, file.size);
	if (kind != INFLATE_NONE) {
		inflate_bytes(kind, file.data, file.size, transfer->errand->fetcher->options.most,
			      &inflated);
		if (inflated.end == INFLATE_LIMIT) {
			snprintf(why, size, "more than %llu MB come out of what is compressed",
				 (unsigned long long)(transfer->errand->fetcher->options.most >> 20));
			reason = why;
		} else if (inflated.end != INFLATE_WHOLE) {
			snprintf(why, size, "what comes is compressed and damaged: %s",
				 inflated.reason);
			reason = why;
		} else if (ftruncate(fileno(transfer->file), 0) != 0 ||
			   fseek(transfer->file, 0, SEEK_SET) != 0 ||
			   fwrite(inflated.data, 1, inflated.size, transfer->file) !=
				   inflated.size ||
			   fflush(transfer->file) != 0) {
			reason = "it can't be written to the cache";
		}
		inflate_free(&inflated);
	}
	file_close(&file);
	return reason;
}

/* Ask for one name; what is whole and right gets its name in the directory. */
static void
ask(struct transfer *transfer, const char *name, const char *id, bool code)
{
	char path[PATH_SIZE], why[REASON_SIZE];
	const char *reason = NULL;

	transfer->answer = FETCH_FAILED;
	if (!make_url(transfer, name, id, code) ||
	    !make_path(transfer, name, id, code, "", path) ||
	    !make_path(transfer, name, id, code, ".XXXXXX", transfer->partial)) {
		snprintf(transfer->why, sizeof(transfer->why), "the cache can't be written to");
		return;
	}
	const int descriptor = mkstemp(transfer->partial);
	transfer->file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	transfer->bytes = 0;
	transfer->etag[0] = '\0';
	if (transfer->file == NULL) {
		snprintf(transfer->why, sizeof(transfer->why), "the cache can't be written to");
		return;
	}
	const bool whole = receive(transfer);
	if (whole)
		reason = refuse(transfer, transfer->errand->wanted->id, why, sizeof(why));
	if (whole && reason == NULL)
		reason = unpack(transfer, why, sizeof(why));
	if (whole && reason == NULL && fchmod(fileno(transfer->file), 0644) != 0)
		reason = "it can't be written to the cache";
	if (fclose(transfer->file) != 0 && reason == NULL)
		reason = "it can't be written to the cache";
	if (reason != NULL)
		snprintf(transfer->why, sizeof(transfer->why), "%s", reason);
	if (whole && reason == NULL && rename(transfer->partial, path) == 0) {
		transfer->answer = FETCH_TAKEN;
		return;
	}
	if (whole && reason == NULL)
		snprintf(transfer->why, sizeof(transfer->why), "it can't be written to the cache");
	if (whole)
		transfer->answer = FETCH_FAILED;
	unlink(transfer->partial);
}

static void
remember(struct fetcher *fetcher, const struct transfer *transfer)
{
	struct remembered *remembered = calloc(1, sizeof(*remembered));

	if (remembered == NULL || (remembered->url = strdup(transfer->url)) == NULL) {
		free(remembered);
		return;
	}
	remembered->answer = transfer->answer;
	snprintf(remembered->why, sizeof(remembered->why), "%s", transfer->why);
	pthread_mutex_lock(&fetcher->mutex);
	remembered->next = fetcher->remembered;
	fetcher->remembered = remembered;
	pthread_mutex_unlock(&fetcher->mutex);
}

static bool
is_remembered(struct fetcher *fetcher, struct transfer *transfer)
{
	pthread_mutex_lock(&fetcher->mutex);
	const struct remembered *remembered = fetcher->remembered;
	while (remembered != NULL && strcmp(remembered->url, transfer->url) != 0)
		remembered = remembered->next;
	if (remembered != NULL) {
		transfer->answer = remembered->answer;
		memcpy(transfer->why, remembered->why, sizeof(transfer->why));
	}
	pthread_mutex_unlock(&fetcher->mutex);
	return remembered != NULL;
}

static void
ask_by(struct transfer *transfer, const char *name, const char *id, bool code)
{
	struct fetcher *fetcher = transfer->errand->fetcher;

	if (!make_url(transfer, name, id, code)) {
		snprintf(transfer->why, sizeof(transfer->why), "the URL is too long");
	} else if (atomic_load(&transfer->server->silences) >= SILENCES) {
		transfer->answer = FETCH_FAILED;
		snprintf(transfer->why, sizeof(transfer->why),
			 "the server did not answer %u times and is not asked again", SILENCES);
	} else if (!is_remembered(fetcher, transfer)) {
		ask(transfer, name, id, code);
		if (transfer->answer == FETCH_MISSING || transfer->answer == FETCH_FAILED)
			remember(fetcher, transfer);
	}
}

static void *
run(void *argument)
{
	struct transfer *transfer = argument;
	const struct fetch_wanted *wanted = transfer->errand->wanted;
	struct errand *errand = transfer->errand;
	const bool named = wanted->name[0] != '\0' && wanted->id[0] != '\0';

	transfer->answer = FETCH_MISSING;
	if (named)
		ask_by(transfer, wanted->name, wanted->id, false);
	if (transfer->answer == FETCH_MISSING && wanted->code_name[0] != '\0' &&
	    wanted->code_id[0] != '\0' &&
	    (!named || strcmp(wanted->name, wanted->code_name) != 0 ||
	     strcmp(wanted->id, wanted->code_id) != 0))
		ask_by(transfer, wanted->code_name, wanted->code_id, true);
	if (transfer->answer == FETCH_TAKEN) {
		unsigned first = atomic_load(&errand->taken);

		while (transfer->index < first &&
		       !atomic_compare_exchange_weak(&errand->taken, &first, transfer->index))
			;
	}
	return NULL;
}

/* Ask all at once; without threads one after the other. */
static void
run_all(struct transfer *transfers, size_t count)
{
	pthread_t *threads = calloc(count, sizeof(*threads));
	bool *started = calloc(count, sizeof(*started));

	for (size_t i = 1; i < count; i++)
		if (threads != NULL && started != NULL)
			started[i] = pthread_create(&threads[i], NULL, run, &transfers[i]) == 0;
	run(&transfers[0]);
	for (size_t i = 1; i < count; i++)
		if (started != NULL && started[i])
			pthread_join(threads[i], NULL);
		else
			run(&transfers[i]);
	free(threads);
	free(started);
}

/* A URL without the user's name and password. */
static void
show_url(const char *url, char *buffer, size_t size)
{
	const char *slashes = strstr(url, "://");
	const size_t scheme = slashes == NULL ? 0 : (size_t)(slashes - url) + 3;
	const size_t host = scheme + strcspn(url + scheme, "/?");
	size_t begin = scheme;

	for (size_t i = scheme; i < host; i++)
		if (url[i] == '@')
			begin = i + 1;
	snprintf(buffer, size, "%.*s%s", (int)scheme, url, url + begin);
}

enum fetch_answer
fetch_symbols(struct fetcher *fetcher, const struct fetch_wanted *wanted,
	      fetch_progress *progress, fetch_told *told, void *context)
{
	const size_t count = fetcher->options.url_count;
	struct transfer *transfers = calloc(count + 1, sizeof(*transfers));
	struct errand errand = { .fetcher = fetcher, .wanted = wanted, .progress = progress,
				 .context = context };
	enum fetch_answer answer = FETCH_MISSING;
	char shown[PATH_SIZE];

	if (count == 0 || transfers == NULL || strlen(wanted->name) > NAME_MOST ||
	    strlen(wanted->id) > NAME_MOST || strlen(wanted->code_name) > NAME_MOST ||
	    strlen(wanted->code_id) > NAME_MOST || pthread_mutex_init(&errand.mutex, NULL) != 0) {
		free(transfers);
		return FETCH_MISSING;
	}
	atomic_init(&errand.stopped, false);
	atomic_init(&errand.taken, (unsigned)count);
	for (size_t i = 0; i < count; i++) {
		transfers[i].errand = &errand;
		transfers[i].index = (unsigned)i;
		transfers[i].server = &fetcher->servers[i];
	}
	run_all(transfers, count);
	for (size_t i = 0; i < count; i++) {
		show_url(transfers[i].url, shown, sizeof(shown));
		if (transfers[i].answer != FETCH_STOPPED)
			told(context, shown, transfers[i].answer, transfers[i].why);
	}
	if (atomic_load(&errand.taken) < count)
		answer = FETCH_TAKEN;
	else if (atomic_load(&errand.stopped))
		answer = FETCH_STOPPED;
	pthread_mutex_destroy(&errand.mutex);
	free(transfers);
	return answer;
}

#else

bool
fetch_is_built_in(void)
{
	return false;
}

struct fetcher *
fetch_create(const struct fetch_options *options, struct error *error)
{
	(void)options;
	error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
		  "this unspool was built without libcurl, nothing can be fetched");
	return NULL;
}

void
fetch_free(struct fetcher *fetcher)
{
	(void)fetcher;
}

const char *
fetch_directory(const struct fetcher *fetcher)
{
	(void)fetcher;
	return NULL;
}

enum fetch_answer
fetch_symbols(struct fetcher *fetcher, const struct fetch_wanted *wanted,
	      fetch_progress *progress, fetch_told *told, void *context)
{
	(void)fetcher;
	(void)wanted;
	(void)progress;
	(void)told;
	(void)context;
	return FETCH_MISSING;
}

#endif
