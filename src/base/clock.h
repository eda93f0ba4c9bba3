/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/** Milliseconds of the monotonic clock: only differences have a meaning. */
int64_t
clock_milliseconds(void);

#endif
