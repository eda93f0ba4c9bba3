/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include "tests/lib/tap.h"

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
