/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Milliseconds of the monotonic clock, for differences only. */
static inline int64_t
clock_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Bytes of a date and time with any year. */
#define CLOCK_UTC_TEXT 40

/**
 * Write seconds since 1970 as a date and time in UTC, "1970-01-01 00:00:00", with as many digits as
 * the year needs. Returns `text`. Unlike gmtime(3) it does not depend on time_t, which may have 32
 * bits.
 */
const char *
clock_utc(int64_t seconds, char text[CLOCK_UTC_TEXT]);

#endif
