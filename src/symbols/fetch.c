/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/fetch.h"

#include <config.h>

#include "symbols/symbols.h"

#ifdef HAVE_CURL

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
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
#include "base/text.h"
#include "symbols/fetch_memory.h"
#include "symbols/fetch_part.h"
#include "symbols/fetch_url.h"
#include "symbols/shelf.h"

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
/* Seconds that a file has been as it is before its date is sure to tell it from the next one. */
#define SETTLED 60
#define HOST_SIZE 128u
#define DATE_SIZE 64u

struct server {
	const char *url;
	char host[HOST_SIZE];
	atomic_uint *silences;
};

struct fetcher {
	struct fetch_options options;
	struct server *servers;
	struct fetch_memory *memory;
	bool owns_memory;
};

/* All servers that are asked for one file. */
struct errand {
	struct fetcher *fetcher;
	const struct fetch_wanted *wanted;
	fetch_progress *progress;
	void *context;
	pthread_mutex_t mutex;		/* one thread at a time tells */
	unsigned leader;		/* the server that most came from, which is told of */
	uint64_t led;			/* bytes that came from it */
	atomic_bool stopped;
	atomic_uint taken;		/* the first server that has it; the count of all: none yet */
};

/* What an answer's header says. */
struct answer {
	long status;
	char etag[FETCH_VALIDATOR_SIZE];
	char modified[DATE_SIZE], date[DATE_SIZE];
	uint64_t length;		/* 0: it is not said */
	uint64_t begin, total;		/* of Content-Range; total 0: it is not said */
	bool ranged;
};

/* One server's part. */
struct transfer {
	struct errand *errand;
	unsigned index;
	struct server *server;
	char url[FETCH_PATH_SIZE];
	struct fetch_part part;
	struct answer header;
	bool too_large, mismatched, unwritable;
	bool resumable;			/* it broke off, but nothing is wrong with what came */
	enum fetch_answer answer;
	char why[FETCH_REASON_SIZE];
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

/* The servers, and what is remembered of them. */
static bool
open_memory(struct fetcher *fetcher, const struct fetch_options *options)
{
	fetcher->options = *options;
	fetcher->owns_memory = options->memory == NULL;
	fetcher->memory = fetcher->owns_memory ? fetch_memory_create() : options->memory;
	if (fetcher->memory == NULL)
		return false;
	for (size_t i = 0; i < options->url_count; i++) {
		struct server *server = &fetcher->servers[i];

		server->url = options->urls[i];
		fetch_url_host(server->url, server->host, sizeof(server->host));
		server->silences = fetch_memory_silences(fetcher->memory, server->url);
		if (server->silences == NULL)
			return false;
	}
	return true;
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
	curl_global_init(CURL_GLOBAL_DEFAULT);
	struct fetcher *fetcher = calloc(1, sizeof(*fetcher));
	if (fetcher == NULL ||
	    (fetcher->servers = calloc(options->url_count + 1, sizeof(*fetcher->servers))) == NULL ||
	    !open_memory(fetcher, options)) {
		if (fetcher == NULL)
			curl_global_cleanup();
		fetch_free(fetcher);
		error_set(error, ERROR_MEMORY, (struct place){ 0 }, "memory ran out");
		return NULL;
	}
	return fetcher;
}

void
fetch_free(struct fetcher *fetcher)
{
	if (fetcher == NULL)
		return;
	if (fetcher->owns_memory)
		fetch_memory_free(fetcher->memory);
	free(fetcher->servers);
	free(fetcher);
	curl_global_cleanup();
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

static bool
is_zero(const char *id)
{
	return id[strspn(id, "0")] == '\0';
}

/* Where a file is kept, and the length of the directory that it is in. */
static bool
make_path(const struct transfer *transfer, bool code, char *path, size_t *folder)
{
	const struct fetch_wanted *wanted = transfer->errand->wanted;
	const char *directory = transfer->errand->fetcher->options.directory;
	/* It has the module's id, so that it is kept where everybody looks first. */
	const bool other = code && (wanted->name[0] == '\0' || is_zero(wanted->id));
	const char *name = other ? wanted->code_name : wanted->name;
	const int length = snprintf(path, FETCH_PATH_SIZE, "%s/%s/%s/%.*s.sym", directory, name,
				    other ? wanted->code_id : wanted->id,
				    (int)fetch_url_stem(name, other), name);

	if (length <= 0 || (size_t)length >= FETCH_PATH_SIZE || !make_folders(path))
		return false;
	*folder = (size_t)(strrchr(path, '/') - path);
	return true;
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
	const uint64_t bytes = transfer->part.bytes;

	(void)total;
	(void)up_total;
	(void)up;
	(void)now;
	if (is_given_up(transfer))
		return 1;
	pthread_mutex_lock(&errand->mutex);
	const bool leads = transfer->index == errand->leader || bytes > errand->led;
	if (leads) {
		errand->leader = transfer->index;
		errand->led = bytes;
	}
	if (leads && errand->progress != NULL &&
	    !errand->progress(errand->context, transfer->server->host, bytes,
			      transfer->part.total))
		atomic_store(&errand->stopped, true);
	pthread_mutex_unlock(&errand->mutex);
	return atomic_load(&errand->stopped);
}

static size_t
take_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	const size_t length = size * count;

	if (length > transfer->errand->fetcher->options.most - transfer->part.bytes) {
		transfer->too_large = true;
		return 0;
	}
	if (fetch_part_add(&transfer->part, bytes, length))
		return length;
	transfer->unwritable = true;
	return 0;
}

/* What tells this version of the file from every other (RFC 9110, 8.8); empty: nothing does. */
static const char *
validator_of(const struct answer *header)
{
	if (header->etag[0] != '\0')
		return header->etag[0] == '"' ? header->etag : "";
	const time_t modified = curl_getdate(header->modified, NULL);
	const time_t date = curl_getdate(header->date, NULL);
	return modified >= 0 && date >= 0 && date - modified >= SETTLED ? header->modified : "";
}

/* Whether an answer goes on where the last one broke off, with the same version of the file. */
static bool
goes_on(const struct transfer *transfer)
{
	const struct answer *header = &transfer->header;
	const struct fetch_part *part = &transfer->part;

	return header->ranged && header->begin == part->bytes &&
	       (part->total == 0 || header->total == 0 || header->total == part->total) &&
	       (header->etag[0] == '\0' || part->validator[0] != '"' ||
		strcmp(header->etag, part->validator) == 0);
}

/* The answer's bytes follow; false: they are not wanted. */
static bool
begin_body(struct transfer *transfer)
{
	const struct answer *header = &transfer->header;
	const bool rest = header->status == 206 && transfer->part.bytes > 0;

	if (header->status != 200 && header->status != 206)
		return true;
	transfer->mismatched = header->status == 206 && !goes_on(transfer);
	if (transfer->mismatched)
		return false;
	const uint64_t total = header->status == 206 ? header->total : header->length;
	transfer->too_large = total > transfer->errand->fetcher->options.most;
	if (transfer->too_large)
		return false;
	if (rest)
		return true;
	transfer->unwritable = !fetch_part_begin(&transfer->part, validator_of(header), total);
	return !transfer->unwritable;
}

/* The value of a line of the header of this name; it is printable ASCII, and ends there. */
static bool
take_value(const char *line, size_t length, const char *name, char *value, size_t size)
{
	const size_t skip = strlen(name);

	if (length <= skip || strncasecmp(line, name, skip) != 0 || line[skip] != ':')
		return false;
	size_t begin = skip + 1, end = length;
	while (begin < end && (line[begin] == ' ' || line[begin] == '\t'))
		begin++;
	while (end > begin && strchr("\r\n \t", line[end - 1]) != NULL)
		end--;
	value[0] = '\0';
	if (end - begin >= size)
		return true;
	for (size_t i = begin; i < end; i++)
		if (line[i] < ' ' || line[i] > '~')
			return true;
	memcpy(value, line + begin, end - begin);
	value[end - begin] = '\0';
	return true;
}

static size_t
take_header(char *line, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	struct answer *header = &transfer->header;
	const size_t length = size * count;
	char value[DATE_SIZE];

	if (length > 5 && strncasecmp(line, "HTTP/", 5) == 0) {
		const char *space = memchr(line, ' ', length);

		*header = (struct answer){ 0 };
		if (space != NULL && line + length - space > 4)
			header->status = (space[1] - '0') * 100 + (space[2] - '0') * 10 +
					 (space[3] - '0');
	} else if (length > 0 && (line[0] == '\r' || line[0] == '\n')) {
		return begin_body(transfer) ? length : 0;
	} else if (take_value(line, length, "Content-Length", value, sizeof(value))) {
		header->length = strtoull(value, NULL, 10);
	} else if (take_value(line, length, "Content-Range", value, sizeof(value))) {
		header->ranged = sscanf(value, "bytes %" SCNu64 "-%*u/%" SCNu64, &header->begin,
					&header->total) >= 1;
	} else if (!take_value(line, length, "ETag", header->etag, sizeof(header->etag)) &&
		   !take_value(line, length, "Last-Modified", header->modified,
			       sizeof(header->modified))) {
		take_value(line, length, "Date", header->date, sizeof(header->date));
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
	const struct fetch_part *part = &transfer->part;
	char condition[FETCH_VALIDATOR_SIZE + 16];

	if (part->bytes > 0 && part->validator[0] != '\0') {
		snprintf(range, size, "%llu-", (unsigned long long)part->bytes);
		snprintf(condition, sizeof(condition), "If-Range: %s", part->validator);
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
	char text[FETCH_REASON_SIZE];

	transfer->answer = FETCH_FAILED;
	if (code == CURLE_HTTP_RETURNED_ERROR && (status == 404 || status == 410)) {
		transfer->answer = FETCH_MISSING;
		snprintf(transfer->why, sizeof(transfer->why), "the server has none (%ld)", status);
	} else if (code == CURLE_HTTP_RETURNED_ERROR) {
		snprintf(transfer->why, sizeof(transfer->why), "the server answers with status %ld",
			 status);
	} else if (transfer->unwritable) {
		snprintf(transfer->why, sizeof(transfer->why), "it can't be written to the cache");
	} else if (transfer->mismatched) {
		snprintf(transfer->why, sizeof(transfer->why),
			 "the server sends another part than it was asked for");
	} else if (code == CURLE_OK) {
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
			 "before its end", (unsigned long long)transfer->part.bytes);
	} else {
		text_printable(text, sizeof(text), text_of(curl_easy_strerror(code)));
		snprintf(transfer->why, sizeof(transfer->why), "%.*s", (int)sizeof(text) - 1, text);
	}
}

/* Whether a server gave less of a file than it said there is. */
static bool
is_short(const struct fetch_part *part)
{
	return part->total != 0 && part->bytes < part->total;
}

/* One request. */
static CURLcode
request(struct transfer *transfer, CURL *curl, long *status)
{
	char range[32];

	set_options(curl, transfer);
	struct curl_slist *headers = set_headers(curl, transfer, range, sizeof(range));
	transfer->header = (struct answer){ 0 };
	transfer->mismatched = transfer->too_large = false;
	const CURLcode code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
	curl_slist_free_all(headers);
	if (is_silence(code))
		atomic_fetch_add(transfer->server->silences, 1);
	else if (code != CURLE_ABORTED_BY_CALLBACK)
		atomic_store(transfer->server->silences, 0);
	return code == CURLE_OK && is_short(&transfer->part) ? CURLE_PARTIAL_FILE : code;
}

/* Ask, and judge the answer; true: try again. */
static bool
try_once(struct transfer *transfer, bool *whole)
{
	CURL *curl = curl_easy_init();
	long status = 0;

	*whole = false;
	if (curl == NULL) {
		snprintf(transfer->why, sizeof(transfer->why), "memory ran out");
		return false;
	}
	const CURLcode code = request(transfer, curl, &status);
	const bool stopped = code == CURLE_ABORTED_BY_CALLBACK;
	const bool again = is_worth_a_try(code, status);
	/* The server has no more of that: from the beginning. */
	const bool anew = transfer->mismatched || status == 416;

	curl_easy_cleanup(curl);
	*whole = code == CURLE_OK && (status == 200 || status == 206);
	transfer->resumable = !anew && (stopped || again || is_silence(code));
	if (stopped)
		transfer->answer = FETCH_STOPPED;
	else if (!*whole)
		say_failure(transfer, code, status);
	if (anew)
		return fetch_part_begin(&transfer->part, "", 0);
	return !*whole && !stopped && again;
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
	shelf_head_read(&head, transfer->part.path, &arena);
	if (head.id == NULL) {
		reason = head.empty ? "what comes is empty" : "what comes is no symbol file";
	} else if (!is_zero(id) && strcasecmp(head.id, id) != 0) {
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
	const uint64_t most = transfer->errand->fetcher->options.most;
	struct fetch_part *part = &transfer->part;
	struct inflated inflated;
	const char *reason = NULL;
	struct file file;

	if (file_open_mapped(&file, part->path, NULL) != ERROR_NONE)
		return "what came can't be read again";
	const enum inflate_kind kind = inflate_identify(file.data, file.size);
	if (kind != INFLATE_NONE) {
		inflate_bytes(kind, file.data, file.size, most, &inflated);
		if (inflated.end == INFLATE_LIMIT) {
			snprintf(why, size, "more than %llu MB come out of what is compressed",
				 (unsigned long long)(most >> 20));
			reason = why;
		} else if (inflated.end != INFLATE_WHOLE) {
			snprintf(why, size, "what comes is compressed and damaged: %s",
				 inflated.reason);
			reason = why;
		} else if (!fetch_part_begin(part, "", 0) ||
			   !fetch_part_add(part, inflated.data, (size_t)inflated.size) ||
			   !fetch_part_end(part)) {
			reason = "it can't be written to the cache";
		}
		inflate_free(&inflated);
	}
	file_close(&file);
	return reason;
}

/* Ask for one name; what is whole and right gets its name in the directory. */
static void
ask(struct transfer *transfer, bool code)
{
	char path[FETCH_PATH_SIZE], shown[FETCH_PATH_SIZE], why[FETCH_REASON_SIZE];
	const char *reason = "it can't be written to the cache";
	size_t folder;

	transfer->answer = FETCH_FAILED;
	transfer->unwritable = false;
	fetch_url_show(transfer->url, shown, sizeof(shown));
	if (!make_path(transfer, code, path, &folder))
		goto failed;
	path[folder] = '\0';
	const bool opened = fetch_part_open(&transfer->part, path, shown);
	path[folder] = '/';
	if (!opened)
		goto failed;
	if (!receive(transfer)) {
		/* Nobody goes on with it where another server had the file. */
		const struct errand *errand = transfer->errand;

		fetch_part_close(&transfer->part, transfer->resumable &&
				 atomic_load(&errand->taken) >= transfer->index);
		return;
	}
	transfer->answer = FETCH_FAILED;
	if (fflush(transfer->part.file) == 0 &&
	    (reason = refuse(transfer, transfer->errand->wanted->id, why, sizeof(why))) == NULL &&
	    (reason = unpack(transfer, why, sizeof(why))) == NULL) {
		if (fetch_part_finish(&transfer->part, path)) {
			transfer->answer = FETCH_TAKEN;
			return;
		}
		reason = "it can't be written to the cache";
	}
	fetch_part_close(&transfer->part, false);
failed:
	snprintf(transfer->why, sizeof(transfer->why), "%s", reason);
}

static void
ask_by(struct transfer *transfer, bool code)
{
	struct fetch_memory *memory = transfer->errand->fetcher->memory;

	if (!fetch_url_make(transfer->url, transfer->server->url, transfer->errand->wanted, code)) {
		transfer->answer = FETCH_FAILED;
		snprintf(transfer->why, sizeof(transfer->why), "the URL is too long");
	} else if (atomic_load(transfer->server->silences) >= SILENCES) {
		transfer->answer = FETCH_FAILED;
		snprintf(transfer->why, sizeof(transfer->why),
			 "the server did not answer %u times and is not asked again", SILENCES);
	} else if (!fetch_memory_find(memory, transfer->url, &transfer->answer, transfer->why)) {
		ask(transfer, code);
		if (transfer->answer == FETCH_MISSING || transfer->answer == FETCH_FAILED)
			fetch_memory_add(memory, transfer->url, transfer->answer, transfer->why);
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
		ask_by(transfer, false);
	if (transfer->answer == FETCH_MISSING && wanted->code_name[0] != '\0' &&
	    wanted->code_id[0] != '\0' &&
	    (!named || strcmp(wanted->name, wanted->code_name) != 0 ||
	     strcmp(wanted->id, wanted->code_id) != 0))
		ask_by(transfer, true);
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

enum fetch_answer
fetch_symbols(struct fetcher *fetcher, const struct fetch_wanted *wanted,
	      fetch_progress *progress, fetch_told *told, void *context)
{
	const size_t count = fetcher->options.url_count;
	struct transfer *transfers = calloc(count + 1, sizeof(*transfers));
	struct errand errand = { .fetcher = fetcher, .wanted = wanted, .progress = progress,
				 .context = context };
	enum fetch_answer answer = FETCH_MISSING;
	char shown[FETCH_PATH_SIZE];

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
		fetch_url_show(transfers[i].url, shown, sizeof(shown));
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
