/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_header.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/tap.h"

/* What the lines of an answer's header say, those of servers that lie, too. */

/* The lines of `text`, of which each ends in LF, behind a status line of HTTP/1.1. */
static struct fetch_header
read_header(const char *status, const char *text)
{
	struct fetch_header header = { 0 };

	fetch_header_take(&header, status, strlen(status));
	while (*text != '\0') {
		const size_t length = strcspn(text, "\n") + 1;

		fetch_header_take(&header, text, length);
		text += length;
	}
	return header;
}

static void
test_status(void)
{
	static const struct {
		const char *line;
		unsigned status;
	} cases[] = {
		{ "HTTP/1.1 200 OK\r\n", 200 }, { "HTTP/1.0 404\r\n", 404 },
		{ "HTTP/2 206 \r\n", 206 },	{ "HTTP/3 200\r\n", 200 },
		{ "HTTP/1.1 \r\n", 0 },		{ "HTTP/1.1\r\n", 0 },
		{ "HTTP/1.1 2\r\n", 0 },	{ "HTTP/1.1 2x4 OK\r\n", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct fetch_header header = read_header(cases[i].line, "");

		is_u64(header.status, cases[i].status, "the status of '%s'", cases[i].line);
	}
	struct fetch_header header =
		read_header("HTTP/1.1 302 Found\r\n", "Content-Length: 5\r\nETag: \"a\"\r\n");
	fetch_header_take(&header, "HTTP/1.1 200 OK\r\n", 17);
	ok(header.length == 0 && header.etag[0] == '\0',
	   "what was said before a redirection is forgotten");
	is_u64(fetch_header_take(&header, "\r\n", 2), FETCH_LINE_LAST, "an empty line is the last");
	is_u64(fetch_header_take(&header, "X: y\r\n", 6), FETCH_LINE_TAKEN, "any other is not");
}

static void
test_length(void)
{
	static const struct {
		const char *lines;
		uint64_t total;
	} cases[] = {
		{ "Content-Length: 1234\r\n", 1234 },
		{ "content-length:7\r\n", 7 },
		{ "Content-Length: 0\r\n", 0 },
		{ "", 0 },
		{ "Content-Length: 9223372036854775808\r\n", (uint64_t)1 << 63 },
		{ "Content-Length: 18446744073709551616\r\n", UINT64_MAX },
		{ "Content-Length: -1\r\n", UINT64_MAX },
		{ "Content-Length: 12, 13\r\n", UINT64_MAX },
		{ "Transfer-Encoding: chunked\r\n", 0 },
		{ "Content-Length: 9\r\nTransfer-Encoding: gzip, Chunked\r\n", 0 },
		{ "Transfer-Encoding: gzip\r\n", 0 },
		{ "X-Content-Length: 9\r\n", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct fetch_header header =
			read_header("HTTP/1.1 200 OK\r\n", cases[i].lines);

		is_u64(fetch_header_total(&header), cases[i].total, "the length of '%s'",
		       cases[i].lines);
	}
}

static void
test_range(void)
{
	static const struct {
		const char *lines;
		bool ranged;
		uint64_t begin, end, total;
	} cases[] = {
		{ "Content-Range: bytes 100-199/200\r\n", true, 100, 200, 200 },
		{ "Content-Range: BYTES 0-0/1\r\n", true, 0, 1, 1 },
		{ "Content-Range: bytes 100-199/*\r\n", true, 100, 200, 0 },
		{ "Content-Range: bytes */200\r\n", false, 0, 0, 0 },
		{ "Content-Range: bytes 199-100/200\r\n", false, 0, 0, 0 },
		{ "Content-Range: bytes 100-299/200\r\n", false, 0, 0, 0 },
		{ "Content-Range: bytes 0-18446744073709551615/5\r\n", false, 0, 0, 0 },
		{ "Content-Range: bytes 0-18446744073709551616/5\r\n", false, 0, 0, 0 },
		{ "Content-Range: bytes -5/200\r\n", false, 0, 0, 0 },
		{ "Content-Range: lines 1-2/3\r\n", false, 0, 0, 0 },
		{ "Content-Range: bytes 100-199/200x\r\n", false, 0, 0, 0 },
		{ "Content-Range: bytes\r\n", false, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct fetch_header header =
			read_header("HTTP/1.1 206 Partial Content\r\n", cases[i].lines);

		ok(header.ranged == cases[i].ranged &&
		   (!header.ranged || (header.begin == cases[i].begin &&
				       header.end == cases[i].end &&
				       fetch_header_total(&header) == cases[i].total)),
		   "the range of '%s'", cases[i].lines);
	}
}

static void
test_values(void)
{
	char line[600];
	struct fetch_header header = read_header("HTTP/1.1 200 OK\r\n",
						 "ETag: \t\"one\" \r\nContent-Type: text/html\r\n"
						 "Last-Modified: x\r\nRetry-After: 120\r\n"
						 "Content-Encoding: br\r\n");

	is_str(header.etag, "\"one\"", "blanks around a value are none of it");
	is_str(header.type, "text/html", "the type is taken");
	is_str(header.encoding, "br", "and the encoding");
	is_u64(header.wait, 120, "and how long the server asks to wait");
	header = read_header("HTTP/1.1 503 x\r\n", "Retry-After: Tue, 01 Feb 2022 03:04:05 GMT\r\n");
	is_u64(header.wait, 0, "a date is no number of seconds");
	header = read_header("HTTP/1.1 503 x\r\n", "Retry-After: 99999999999999999999\r\n");
	is_u64(header.wait, 0, "nor is a number that is none");
	header = read_header("HTTP/1.1 503 x\r\n", "Retry-After: 4294967297\r\n");
	is_u64(header.wait, UINT16_MAX, "a long time stays one");
	header = read_header("HTTP/1.1 200 OK\r\n", "ETag: \"\x1b[2J\"\r\n");
	is_str(header.etag, "", "what is not printable counts for nothing");
	snprintf(line, sizeof(line), "ETag: \"%0500d\"\r\n", 1);
	header = read_header("HTTP/1.1 200 OK\r\n", line);
	is_str(header.etag, "", "nor does what is too long to be kept whole");
}

static void
test_going_on(void)
{
	static const struct {
		const char *title, *lines;
		uint64_t total;		/* that was told with the beginning */
		bool goes_on;
	} cases[] = {
		{ "the rest goes on", "Content-Range: bytes 100-199/200\r\n", 200, true },
		{ "with the same version", "Content-Range: bytes 100-199/200\r\nETag: \"one\"\r\n",
		  200, true },
		{ "another one does not", "Content-Range: bytes 100-199/200\r\nETag: \"two\"\r\n",
		  200, false },
		{ "nor does a file of another length", "Content-Range: bytes 100-299/300\r\n", 200,
		  false },
		{ "nor another place", "Content-Range: bytes 99-199/200\r\n", 200, false },
		{ "nor without a range", "", 200, false },
		{ "a length that comes now is good", "Content-Range: bytes 100-199/200\r\n", 0,
		  true },
		{ "without one the end could not be told", "Content-Range: bytes 100-199/*\r\n", 0,
		  false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct fetch_header header =
			read_header("HTTP/1.1 206 Partial Content\r\n", cases[i].lines);
		const struct fetch_part part = { .bytes = 100, .total = cases[i].total,
						 .validator = "\"one\"" };

		is_u64(fetch_header_goes_on(&header, &part), cases[i].goes_on, "%s",
		       cases[i].title);
	}
}

int
main(void)
{
	test_status();
	test_length();
	test_range();
	test_values();
	test_going_on();
	return done_testing();
}
