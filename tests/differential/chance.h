/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Numbers for made-up cases: the same seed gives the same numbers everywhere. If a fuzzer chooses,
 * they come from its bytes, and are 0 after the last byte. */
#ifndef TESTS_DIFFERENTIAL_CHANCE_H
#define TESTS_DIFFERENTIAL_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chance {
	uint64_t state;
	const uint8_t *bytes;		/* a fuzzer's bytes; NULL: use `state` */
	size_t left;			/* bytes that are left */
};

/** The next number (Steele, Lea, Flood: SplitMix64). */
static inline uint64_t
chance_next(struct chance *chance)
{
	uint64_t number = 0;

	if (chance->bytes != NULL) {
		for (unsigned i = 0; i < 2 && chance->left > 0; i++, chance->left--)
			number = number << 8 | *chance->bytes++;
		return number;
	}
	uint64_t z = chance->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/** Begin the numbers of one of many things that share a seed. */
static inline struct chance
chance_of(uint64_t seed, uint64_t which)
{
	struct chance chance = { .state = seed ^ which * UINT64_C(0xd1342543de82ef95) };

	chance_next(&chance);
	return chance;
}

/** A number less than `limit`, or 0 if `limit` is 0. */
static inline uint64_t
chance_below(struct chance *chance, uint64_t limit)
{
	return limit == 0 ? 0 : chance_next(chance) % limit;
}

/** True in `percent` of all cases. */
static inline bool
chance_percent(struct chance *chance, unsigned percent)
{
	return chance_below(chance, 100) < percent;
}

/** An index into weights that end with 0; its probability is proportional to its weight. */
static inline size_t
chance_weighted(struct chance *chance, const unsigned *weights)
{
	unsigned total = 0;
	size_t i = 0;

	while (weights[i] != 0)
		total += weights[i++];
	unsigned at = (unsigned)chance_below(chance, total);
	for (i = 0; at >= weights[i]; i++)
		at -= weights[i];
	return i;
}

#endif
