/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The clock of the programs of `make bench`, and their end after an error. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/** End the program with the reason of the last failed call. */
static inline _Noreturn void
give_up(const char *what)
{
	perror(what);
	exit(1);
}

/** The nanoseconds of a clock. */
static inline uint64_t
now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#endif
