/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Milliseconds of the monotonic clock: only differences have a meaning. */
static inline int64_t
clock_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif
