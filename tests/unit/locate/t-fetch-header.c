/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "tests/lib/folder.h"

/* The part of a file that an answer contains, also for wrong headers. */

static const struct {
	const char *range;
	bool ranged;
	uint64_t begin, end, total;
} range_cases[] = {
	{ "bytes 100-199/200", true, 100, 200, 200 },
	{ "BYTES 0-0/1", true, 0, 1, 1 },
	{ "bytes 100-199/*", true, 100, 200, 0 },
	{ "bytes */200", false, 0, 0, 0 },
	{ "bytes 199-100/200", false, 0, 0, 0 },
	{ "bytes 100-299/200", false, 0, 0, 0 },
	{ "bytes 0-18446744073709551615/5", false, 0, 0, 0 },
	{ "bytes 0-18446744073709551616/5", false, 0, 0, 0 },
	{ "bytes -5/200", false, 0, 0, 0 },
	{ "lines 1-2/3", false, 0, 0, 0 },
	{ "bytes 100-199/200x", false, 0, 0, 0 },
	{ "bytes", false, 0, 0, 0 },
};

TEST_EACH(range, range_cases)
{
	struct fetch_header header = { .status = 206 };

	fetch_header_range(&header, range_cases[i].range);
	ok(header.ranged == range_cases[i].ranged &&
	   (!header.ranged || (header.begin == range_cases[i].begin &&
			       header.end == range_cases[i].end &&
			       header.total == range_cases[i].total)),
	   "the range '%s' is read, or refused", range_cases[i].range);
}

static const struct {
	const char *title, *range, *etag;
	uint64_t total;		/* that came with the first part */
	bool goes_on;
} going_on_cases[] = {
	{ "the rest of a file continues", "bytes 100-199/200", "", 200, true },
	{ "the same version continues", "bytes 100-199/200", "\"one\"", 200, true },
	{ "another version begins anew", "bytes 100-199/200", "\"two\"", 200, false },
	{ "a file of another length begins anew", "bytes 100-299/300", "", 200, false },
	{ "another offset begins anew", "bytes 99-199/200", "", 200, false },
	{ "an answer without a range begins anew", "", "", 200, false },
	{ "a length in the second answer is used", "bytes 100-199/200", "", 0, true },
	{ "without a length the file begins anew", "bytes 100-199/*", "", 0, false },
};

TEST_EACH(going_on, going_on_cases)
{
	struct fetch_header header = { .status = 206 };
	const struct fetch_part part = { .bytes = 100, .total = going_on_cases[i].total,
					 .validator = "\"one\"" };

	fetch_header_range(&header, going_on_cases[i].range);
	snprintf(header.etag, sizeof(header.etag), "%s", going_on_cases[i].etag);
	is_u64(fetch_header_goes_on(&header, &part), going_on_cases[i].goes_on, "%s", going_on_cases[i].title);
}

/* Answers of a server on loopback, one for each request. */

#define AGES "Date: Tue, 01 Feb 2022 03:04:59 GMT\r\nLast-Modified: "
#define STATUS "the server answered with status "
#define FIRST "Thu, 01 Jan 1970 00:00:00 GMT"
#define MINUTE "Tue, 01 Feb 2022 03:03:59 GMT"

static const struct {
	const char *title, *head;	/* an answer of 10 bytes; "HTTP/1.1 " and the status are first */
	enum fetch_answer answer;
	const char *text;		/* the file's version, or why the transfer failed */
	bool again, failing;
} http_cases[] = {
	{ "a file without a version", "200 x", FETCH_TAKEN, "", false, false },
	{ "an ETag", "200 x\r\nETag: \"one\"", FETCH_TAKEN, "\"one\"", false, false },
	{ "an ETag and dates", "200 x\r\nETag: \"one\"\r\n" AGES MINUTE, FETCH_TAKEN, "\"one\"", false, false },
	{ "a weak ETag", "200 x\r\nETag: W/\"one\"", FETCH_TAKEN, "", false, false },
	{ "a weak ETag and dates", "200 x\r\nETag: W/\"one\"\r\n" AGES MINUTE, FETCH_TAKEN, "", false, false },
	{ "an empty ETag and dates", "200 x\r\nETag: \r\n" AGES MINUTE, FETCH_TAKEN, MINUTE, false, false },
	{ "a date a minute ago", "200 x\r\n" AGES MINUTE, FETCH_TAKEN, MINUTE, false, false },
	{ "a date less than a minute ago", "200 x\r\n" AGES "Tue, 01 Feb 2022 03:04:00 GMT", FETCH_TAKEN, "", false, false },
	{ "a date in the future", "200 x\r\n" AGES "Tue, 01 Feb 2022 03:05:59 GMT", FETCH_TAKEN, "", false, false },
	{ "text that is not a date", "200 x\r\n" AGES "yesterday", FETCH_TAKEN, "", false, false },
	{ "the first of all dates", "200 x\r\n" AGES FIRST, FETCH_TAKEN, FIRST, false, false },
	{ "a date without that of the answer", "200 x\r\nLast-Modified: " MINUTE, FETCH_TAKEN, "", false, false },
	{ "no file", "404 x", FETCH_MISSING, "the server has none (404)", false, false },
	{ "no file any more", "410 x", FETCH_MISSING, "the server has none (410)", false, false },
	{ "no access", "401 x", FETCH_FAILED,
	  STATUS "401: it requires a user name and a password, which can be part of its URL", false, false },
	{ "no access for anyone", "403 x", FETCH_FAILED, STATUS "403: it has none, or access is restricted", false, false },
	{ "no access to a proxy", "407 x", FETCH_FAILED, STATUS "407: a proxy requires a user name and a password", false, false },
	{ "a status of other content", "203 x", FETCH_FAILED, STATUS "203", false, false },
	{ "a status of a choice", "300 x", FETCH_FAILED, STATUS "300", false, false },
	{ "a range outside of the file", "416 x", FETCH_FAILED, STATUS "416", true, false },
	{ "a status of clients", "499 x", FETCH_FAILED, STATUS "499", false, false },
	{ "a status of servers", "500 x", FETCH_FAILED, STATUS "500", true, true },
	{ "too many requests", "429 x\r\nRetry-After: 7", FETCH_FAILED, STATUS "429, and asks to wait 7 s", true, true },
	{ "a wait of nearly an hour", "503 x\r\nRetry-After: 3599", FETCH_FAILED, STATUS "503, and asks to wait 3599 s", true, true },
	{ "a wait of a day", "503 x\r\nRetry-After: 86400", FETCH_FAILED, STATUS "503, and asks to wait 3600 s or longer", true, true },
	{ "a part that was not requested", "206 x", FETCH_FAILED, "the server sent another range than requested", true, false },
	{ "more bytes than are accepted", "200 x\r\nContent-Length: 1048577", FETCH_FAILED, "the file exceeds 1 MB", false, false },
	{ "fewer bytes than announced", "200 x\r\nContent-Length: 11", FETCH_FAILED,
	  "the transfer ended after 10 bytes, before the end of the file", true, false },
};

static const char *answer_head;
static int listener;

static void *
answer_one(void *context)
{
	const int client = accept(listener, NULL, NULL);
	char text[1024] = "";
	size_t used = 0;
	ssize_t got;

	while (strstr(text, "\r\n\r\n") == NULL && (got = recv(client, text + used, sizeof(text) - 1 - used, 0)) > 0)
		used += (size_t)got;
	snprintf(text, sizeof(text), "HTTP/1.1 %s\r\nConnection: close\r\n\r\n0123456789", answer_head);
	send(client, text, strlen(text), MSG_NOSIGNAL);
	close(client);
	return context;
}

static bool
goes_on(void *context)
{
	return context == NULL;
}

TEST(http)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	char url[64];

	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (!fetch_is_built_in() || fetch_http_refuse("http://a") != NULL || bind(listener, (struct sockaddr *)&address, size) != 0 ||
	    listen(listener, 8) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0 || !folder_make()) {
		skip(1, "no libcurl, or no server on loopback");
		return;
	}
	setenv("no_proxy", "*", 1);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/a", ntohs(address.sin_port));
	for (size_t i = 0; i < ARRAY_COUNT(http_cases); i++) {
		struct fetch_part part;
		struct fetch_outcome outcome;
		pthread_t thread;

		answer_head = http_cases[i].head;
		pthread_create(&thread, NULL, answer_one, NULL);
		fetch_part_open(&part, path_in("a"), url);
		fetch_http_ask(&(struct fetch_question){ .url = url, .seconds = 60, .most = 1 << 20, .part = &part,
			.begin = fetch_part_begin, .add = fetch_part_add, .goes_on = goes_on }, &outcome);
		pthread_join(thread, NULL);
		ok(outcome.answer == http_cases[i].answer && outcome.again == http_cases[i].again &&
		   outcome.failing == http_cases[i].failing, "%s: the kind of answer", http_cases[i].title);
		is_str(outcome.answer == FETCH_TAKEN ? part.validator : outcome.why, http_cases[i].text, "%s", http_cases[i].title);
		fetch_part_close(&part, false);
	}
	close(listener);
	folder_remove();
}
