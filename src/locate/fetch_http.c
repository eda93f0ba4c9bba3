/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <config.h>

#ifdef HAVE_CURL

/* Without this, curl_easy_setopt is a macro that cannot be called through a pointer. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "system/door.h"
#include "system/library.h"
#include "base/text.h"

#define REDIRECTS 5L
/* Bytes a second below which a server is treated as silent. */
#define SLOWEST 512L
/* Maximum time of one request, in units of --symbols-timeout; by default 30 minutes. */
#define TIMEOUTS 60L
/* Seconds without a change after which a file's date identifies its version. */
#define SETTLED 60
/* Bytes collected for one write, because each chunk may have only one byte. */
#define HELD 4096u

#define FUNCTIONS(F) \
	F(global_init) F(easy_init) F(easy_setopt) F(easy_perform) \
	F(easy_cleanup) F(easy_strerror) F(easy_getinfo) F(easy_header) F(slist_append) \
	F(slist_free_all) F(getdate) F(url) F(url_set) F(url_cleanup) F(url_strerror)

struct curl_library {
#define F(name) __typeof__(curl_##name) *name;
	FUNCTIONS(F)
#undef F
};

/* A request in progress. */
struct exchange {
	const struct curl_library *library;
	const struct fetch_question *question;
	struct fetch_outcome *outcome;
	struct fetch_part *part;
	CURL *curl;
	bool begun;			/* the header was read */
	bool too_large, mismatched, unwanted;
	int unwritable;			/* errno of a failed write; 0: none failed */
	size_t held_length;		/* number of bytes that were received and not written yet */
	char held[HELD];
	char detail[CURL_ERROR_SIZE];
};

static bool
load(struct curl_library *library)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4",
					     "libcurl.4.dylib", NULL };
	static const struct library_function functions[] = {
#define F(name) { "curl_" #name, offsetof(struct curl_library, name) },
		FUNCTIONS(F)
#undef F
		{ NULL, 0 },
	};

	return library_load(names, functions, library);
}

bool
fetch_is_built_in(void)
{
	return true;
}

const char *
fetch_http_refuse(const char *url)
{
	struct curl_library library;

	if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
		return "http:// or https:// is missing";
	if (!load(&library))
		return "cannot load libcurl: it is missing or too old";
	/*
	 * The first call must come before any thread sends a request; later calls only raise a
	 * counter.
	 */
	library.global_init(CURL_GLOBAL_DEFAULT);
	CURLU *parsed = library.url();
	if (parsed == NULL)
		return OUT_OF_MEMORY;
	const CURLUcode code = library.url_set(parsed, CURLUPART_URL, url, 0);
	library.url_cleanup(parsed);
	return code == CURLUE_OK ? NULL : library.url_strerror(code);
}

/* Write bytes of the file; false: failed, with the errno in `unwritable`. */
static bool
write_bytes(struct exchange *exchange, const char *bytes, size_t length)
{
	errno = EIO;
	if (length == 0 || exchange->question->add(exchange->part, bytes, length))
		return true;
	exchange->unwritable = errno;
	return false;
}

static bool
write_held(struct exchange *exchange)
{
	const size_t length = exchange->held_length;

	exchange->held_length = 0;
	return write_bytes(exchange, exchange->held, length);
}

/* libcurl calls this after each received piece; a piece may have many chunks. */
static int
note_progress(void *context, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up)
{
	struct exchange *exchange = context;

	(void)total;
	(void)now;
	(void)up_total;
	(void)up;
	return write_held(exchange) && exchange->question->goes_on(exchange->question->context)
		       ? 0 : 1;
}

/* The value of a header of the last answer; empty: missing, not printable ASCII, or too long. */
static void
read_value(const struct exchange *exchange, const char *name, char *value, size_t size)
{
	struct curl_header *header;
	size_t length = 0;

	value[0] = '\0';
	if (exchange->library->easy_header(exchange->curl, name, 0, CURLH_HEADER, -1, &header) !=
	    CURLHE_OK)
		return;
	while (header->value[length] >= ' ' && header->value[length] <= '~')
		length++;
	if (header->value[length] == '\0' && length < size)
		memcpy(value, header->value, length + 1);
}

static void
read_header(const struct exchange *exchange, struct fetch_header *header)
{
	__typeof__(curl_easy_getinfo) *get = exchange->library->easy_getinfo;
	curl_off_t length = -1, wait = 0;
	long status = 0;
	char range[FETCH_VALUE_SIZE];

	get(exchange->curl, CURLINFO_RESPONSE_CODE, &status);
	get(exchange->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	get(exchange->curl, CURLINFO_RETRY_AFTER, &wait);
	*header = (struct fetch_header){ .status = (unsigned)status,
					 .total = length > 0 ? (uint64_t)length : 0,
					 .wait = wait > FETCH_WAIT_MOST ? FETCH_WAIT_MOST
						 : wait > 0	     ? (unsigned)wait
								     : 0 };
	read_value(exchange, "ETag", header->etag, sizeof(header->etag));
	read_value(exchange, "Last-Modified", header->modified, sizeof(header->modified));
	read_value(exchange, "Date", header->date, sizeof(header->date));
	read_value(exchange, "Content-Type", header->type, sizeof(header->type));
	read_value(exchange, "Content-Encoding", header->encoding, sizeof(header->encoding));
	read_value(exchange, "Content-Range", range, sizeof(range));
	if (status == 206)
		fetch_header_range(header, range);
}

/* Called before the answer's first bytes; false: they are not used. */
static bool
begin_body(struct exchange *exchange)
{
	struct fetch_header *header = &exchange->outcome->header;
	struct fetch_part *part = exchange->part;

	exchange->begun = true;
	read_header(exchange, header);
	exchange->unwanted = header->status != 200 && header->status != 206;
	exchange->mismatched = header->status == 206 && !fetch_header_goes_on(header, part);
	exchange->too_large = !exchange->unwanted && !exchange->mismatched &&
			      header->total > exchange->question->most;
	if (exchange->unwanted || exchange->mismatched || exchange->too_large)
		return false;
	if (header->status == 206 && part->bytes > 0) {
		part->total = header->total;
		return true;
	}
	/* The validator of this version of the file (RFC 9110, 8.8). */
	const time_t modified = exchange->library->getdate(header->modified, NULL);
	const time_t date = exchange->library->getdate(header->date, NULL);
	const char *validator = "";
	if (header->etag[0] == '"')
		validator = header->etag;
	else if (header->etag[0] == '\0' && modified >= 0 && date >= 0 &&
		 date - modified >= SETTLED)
		validator = header->modified;
	errno = EIO;
	if (exchange->question->begin(part, validator, header->total))
		return true;
	exchange->unwritable = errno;
	return false;
}

static size_t
take_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct exchange *exchange = context;
	const size_t length = size * count;

	if (!exchange->begun && !begin_body(exchange))
		return 0;
	const uint64_t before = exchange->part->bytes + exchange->held_length;
	exchange->too_large = before > exchange->question->most ||
			      length > exchange->question->most - before;
	if (exchange->too_large)
		return 0;
	if (length > HELD - exchange->held_length && !write_held(exchange))
		return 0;
	if (length > HELD)
		return write_bytes(exchange, bytes, length) ? length : 0;
	memcpy(exchange->held + exchange->held_length, bytes, length);
	exchange->held_length += length;
	return length;
}

static void
set_options(CURL *curl, struct exchange *exchange)
{
	const struct fetch_question *question = exchange->question;
	const long seconds = (long)question->seconds;
	/* A request over https must not be redirected to http. */
	const char *protocols =
		strncasecmp(question->url, "https:", 6) == 0 ? "https" : "http,https";
	__typeof__(curl_easy_setopt) *set = exchange->library->easy_setopt;

	set(curl, CURLOPT_URL, question->url);
	/* Keep ".." in the path of a source: libcurl would remove it and change the URL. */
	set(curl, CURLOPT_PATH_AS_IS, 1L);
	set(curl, CURLOPT_PROTOCOLS_STR, protocols);
	set(curl, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
	set(curl, CURLOPT_FOLLOWLOCATION, 1L);
	set(curl, CURLOPT_MAXREDIRS, REDIRECTS);
	set(curl, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)question->most);
	set(curl, CURLOPT_NOSIGNAL, 1L);
	set(curl, CURLOPT_FAILONERROR, 1L);
	set(curl, CURLOPT_USERAGENT, "unspool/" PACKAGE_VERSION);
	set(curl, CURLOPT_CONNECTTIMEOUT, seconds);
	set(curl, CURLOPT_LOW_SPEED_LIMIT, SLOWEST);
	set(curl, CURLOPT_LOW_SPEED_TIME, seconds);
	set(curl, CURLOPT_TIMEOUT, seconds > LONG_MAX / 1000 / TIMEOUTS ? 0L : TIMEOUTS * seconds);
	set(curl, CURLOPT_ERRORBUFFER, exchange->detail);
	set(curl, CURLOPT_NOPROGRESS, 0L);
	set(curl, CURLOPT_XFERINFOFUNCTION, note_progress);
	set(curl, CURLOPT_XFERINFODATA, exchange);
	set(curl, CURLOPT_WRITEFUNCTION, take_bytes);
	set(curl, CURLOPT_WRITEDATA, exchange);
	/* A proxy's answer to CONNECT is not the server's. */
	set(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

static bool
is_tls(CURLcode code)
{
	return code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION ||
	       code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_CIPHER ||
	       code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_ISSUER_ERROR;
}

/* Whether a status is a failure of the server that may be temporary. */
static bool
is_trouble(unsigned status)
{
	return status >= 500 || status == 429;
}

/* Describes a status that comes without a file. */
static void
say_status(struct fetch_outcome *outcome)
{
	const struct fetch_header *header = &outcome->header;
	const unsigned status = header->status;
	char wait[48] = "";

	if (header->wait > 0)
		snprintf(wait, sizeof(wait), ", and asks to wait %u s%s", header->wait,
			 header->wait == FETCH_WAIT_MOST ? " or longer" : "");
	if (status == 404 || status == 410) {
		outcome->answer = FETCH_MISSING;
		snprintf(outcome->why, sizeof(outcome->why), "the server has none (%u)", status);
	} else {
		snprintf(outcome->why, sizeof(outcome->why), "the server answered with status "
							     "%u%s%s",
			 status,
			 status == 401 ? ": it requires a user name and a password, which can be "
					 "part of its URL"
			 : status == 403 ? ": it has none, or access is restricted"
			 : status == 407 ? ": a proxy requires a user name and a password"
					 : "", wait);
	}
}

static void
say_code(const struct exchange *exchange, CURLcode code, char *why, size_t size)
{
	const bool https = strncasecmp(exchange->question->url, "https:", 6) == 0;
	const unsigned seconds = exchange->question->seconds;
	char text[FETCH_REASON_SIZE];
	double took = 0;

	exchange->library->easy_getinfo(exchange->curl, CURLINFO_TOTAL_TIME, &took);

	if (exchange->unwritable != 0)
		snprintf(why, size, "cannot write to the cache: %s",
			 door_strerror(exchange->unwritable));
	else if (exchange->mismatched)
		snprintf(why, size, "the server sent another range than requested");
	else if (exchange->too_large || code == CURLE_FILESIZE_EXCEEDED)
		snprintf(why, size, "the file exceeds %llu MB",
			 (unsigned long long)(exchange->question->most >> 20));
	else if (code == CURLE_TOO_MANY_REDIRECTS)
		snprintf(why, size, "more than %ld redirections", REDIRECTS);
	/* For these failures libcurl's text is misleading. */
	else if (code == CURLE_UNSUPPORTED_PROTOCOL && exchange->outcome->header.status == 0)
		snprintf(why, size, "the answer is not HTTP");
	else if (code == CURLE_OUT_OF_MEMORY)
		snprintf(why, size, "out of memory, or a line of the header is too long");
	else if (code == CURLE_UNSUPPORTED_PROTOCOL)
		snprintf(why, size, "it redirects to a URL that is not %s",
			 https ? "https" : "http or https");
	else if (code == CURLE_OPERATION_TIMEDOUT && took >= (double)TIMEOUTS * seconds)
		snprintf(why, size, "incomplete after %ld times the %u s of --symbols-timeout",
			 TIMEOUTS, seconds);
	else if (code == CURLE_OPERATION_TIMEDOUT)
		snprintf(why, size, "too few bytes arrived in %u s", seconds);
	else if (code == CURLE_PARTIAL_FILE)
		snprintf(why, size, "the transfer ended after %llu bytes, before the end of the "
				    "file",
			 (unsigned long long)exchange->part->bytes);
	else {
		/* Only libcurl's texts for TLS errors are sure to contain no URL. */
		text_printable(text, sizeof(text),
			       text_of(is_tls(code) && exchange->detail[0] != '\0'
					       ? exchange->detail
					       : exchange->library->easy_strerror(code)));
		snprintf(why, size, "%.*s", (int)sizeof(text) - 1, text);
	}
}

/* Send the request. CURLE_PARTIAL_FILE: the server sent fewer bytes than it announced. */
static CURLcode
perform(struct exchange *exchange)
{
	CURL *curl = exchange->curl;
	const struct fetch_part *part = exchange->part;
	const struct curl_library *library = exchange->library;
	struct curl_slist *headers = library->slist_append(NULL, "Accept-Encoding: gzip");
	char range[32], condition[FETCH_VALIDATOR_SIZE + 16];

	set_options(curl, exchange);
	/* Request the missing range if the server named the version of the file. */
	if (part->bytes > 0 && part->validator[0] != '\0') {
		snprintf(range, sizeof(range), "%llu-", (unsigned long long)part->bytes);
		snprintf(condition, sizeof(condition), "If-Range: %s", part->validator);
		library->easy_setopt(curl, CURLOPT_RANGE, range);
		headers = library->slist_append(headers, condition);
	}
	library->easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	CURLcode code = library->easy_perform(curl);
	library->slist_free_all(headers);
	if (!write_held(exchange))
		code = CURLE_WRITE_ERROR;
	/* An answer may have no bytes. */
	if (!exchange->begun && code != CURLE_OK)
		read_header(exchange, &exchange->outcome->header);
	else if (!exchange->begun && !begin_body(exchange))
		code = CURLE_WRITE_ERROR;
	return code == CURLE_OK && part->total != 0 && part->bytes < part->total
		       ? CURLE_PARTIAL_FILE : code;
}

static void
judge(struct exchange *exchange, CURLcode code)
{
	struct fetch_outcome *outcome = exchange->outcome;
	const unsigned status = outcome->header.status;
	const bool file = status == 200 || status == 206;
	/* The server no longer has that version: begin anew. */
	const bool anew = exchange->mismatched || status == 416;
	const bool stopped = code == CURLE_ABORTED_BY_CALLBACK && exchange->unwritable == 0;

	outcome->silent = code == CURLE_OPERATION_TIMEDOUT || code == CURLE_COULDNT_CONNECT ||
			  code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY;
	outcome->failing = is_tls(code) || is_trouble(status);
	outcome->again = !stopped && (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR ||
				      code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
				      code == CURLE_HTTP2_STREAM || is_trouble(status) || anew);
	outcome->resumable = !anew && (stopped || outcome->again || outcome->silent);
	outcome->answer = FETCH_FAILED;
	if (stopped)
		outcome->answer = FETCH_STOPPED;
	else if (code == CURLE_OK && file)
		outcome->answer = FETCH_TAKEN;
	else if (code == CURLE_OK || code == CURLE_HTTP_RETURNED_ERROR || exchange->unwanted)
		say_status(outcome);
	else
		say_code(exchange, code, outcome->why, sizeof(outcome->why));
	if (outcome->answer == FETCH_TAKEN)
		outcome->again = false;
	if (anew && !exchange->question->begin(exchange->part, "", 0))
		outcome->again = false;
}

void
fetch_http_ask(const struct fetch_question *question, struct fetch_outcome *outcome)
{
	struct curl_library library;
	struct exchange exchange = { .library = &library, .question = question,
				     .outcome = outcome, .part = question->part,
				     .curl = load(&library) ? library.easy_init() : NULL };

	*outcome = (struct fetch_outcome){ .answer = FETCH_FAILED };
	if (exchange.curl == NULL) {
		snprintf(outcome->why, sizeof(outcome->why), OUT_OF_MEMORY);
		return;
	}
	judge(&exchange, perform(&exchange));
	library.easy_cleanup(exchange.curl);
}

#else

bool
fetch_is_built_in(void)
{
	return false;
}

const char *
fetch_http_refuse(const char *url)
{
	(void)url;
	return "built without libcurl: cannot download";
}

void
fetch_http_ask(const struct fetch_question *question, struct fetch_outcome *outcome)
{
	(void)question;
	*outcome = (struct fetch_outcome){ .answer = FETCH_FAILED };
}

#endif
