/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

#define DAY 86400
/* The Gregorian calendar repeats after 400 years; days count from 0000-03-01. */
#define CYCLE 146097
#define EPOCH 719468

const char *
clock_utc(int64_t seconds, char text[CLOCK_UTC_TEXT])
{
	const int64_t time = (seconds % DAY + DAY) % DAY;
	const int64_t days = seconds / DAY - (seconds % DAY < 0) + EPOCH;
	const int64_t day = (days % CYCLE + CYCLE) % CYCLE, cycle = (days - day) / CYCLE;
	/* A leap day ends the 4th, 8th, ... year, but not the 100th, 200th and 300th. */
	const int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	const int64_t left = day - (365 * year + year / 4 - year / 100);
	/* Five months starting with March or August have 153 days. */
	const int64_t month = (5 * left + 2) / 153;

	snprintf(text, CLOCK_UTC_TEXT, "%" PRId64 "-%02d-%02d %02d:%02d:%02d",
		 cycle * 400 + year + (month > 9), (int)(month < 10 ? month + 3 : month - 9),
		 (int)(left - (153 * month + 2) / 5 + 1), (int)(time / 3600), (int)(time / 60 % 60),
		 (int)(time % 60));
	return text;
}
