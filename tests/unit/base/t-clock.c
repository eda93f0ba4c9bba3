/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include "tests/lib/tap.h"

static void
is_utc(int64_t seconds, const char *expected)
{
	char text[CLOCK_UTC_TEXT];

	is_str(clock_utc(seconds, text), expected, "%" PRId64 " seconds are %s", seconds, expected);
}

/* The output of `date -u -d @SECONDS` (GNU coreutils 9.1); the last two bound its year. */
TEST(known)
{
	is_utc(0, "1970-01-01 00:00:00");
	is_utc(-1, "1969-12-31 23:59:59");
	is_utc(951782399, "2000-02-28 23:59:59");
	is_utc(951782400, "2000-02-29 00:00:00");
	is_utc(951868800, "2000-03-01 00:00:00");
	is_utc(INT64_C(4107542399), "2100-02-28 23:59:59");
	is_utc(INT64_C(4107542400), "2100-03-01 00:00:00");
	is_utc(INT32_MAX, "2038-01-19 03:14:07");
	is_utc(INT64_C(1) << 31, "2038-01-19 03:14:08");
	is_utc(UINT32_MAX, "2106-02-07 06:28:15");
	is_utc(INT64_C(-11644473600), "1601-01-01 00:00:00");
	is_utc(INT64_C(253402300800), "10000-01-01 00:00:00");
	is_utc(INT64_C(67768036191676799), "2147485547-12-31 23:59:59");
	is_utc(INT64_C(-67768040609740800), "-2147481748-01-01 00:00:00");
}

/* All days of 400 years, and the next few, follow one another. */
TEST(days)
{
	static const unsigned lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	unsigned year = 1600, month = 1, day = 1, wrong = 0;
	char text[CLOCK_UTC_TEXT], expected[CLOCK_UTC_TEXT];

	for (int64_t at = INT64_C(-11676096000); year < 2410; at += 86400) {
		const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
		snprintf(expected, sizeof(expected), "%u-%02u-%02u 12:34:56", year, month, day);
		wrong += strcmp(clock_utc(at + 45296, text), expected) != 0;
		if (++day > lengths[month - 1] + (month == 2 && leap)) {
			day = 1;
			month = month % 12 + 1;
			year += month == 1;
		}
	}
	is_u64(wrong, 0, "every day from 1600 to 2409 is the next one");
}

int
main(void)
{
	run_tests();
	is_utc(INT64_MAX, "292277026596-12-04 15:30:07");
	is_utc(INT64_MIN, "-292277022657-01-27 08:29:52");
	return done_testing();
}
