/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_CHANCE_H
#define TESTS_LIB_CHANCE_H

#include <stdint.h>

static uint64_t chance_state = 0x9e3779b97f4a7c15;

/** Begin series number `series`, below 2^32. */
static inline void
chance_begin(uint64_t series)
{
	chance_state = (series + 1) * 0x9e3779b97f4a7c15;
}

/** A random number less than `below` (not 0), equal in every run: xorshift (Marsaglia 2003). */
static inline uint32_t
chance(uint32_t below)
{
	chance_state ^= chance_state << 13;
	chance_state ^= chance_state >> 7;
	chance_state ^= chance_state << 17;
	return (uint32_t)(chance_state >> 20) % below;
}

#endif
