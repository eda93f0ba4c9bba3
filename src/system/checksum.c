/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/checksum.h"

#include <string.h>

#define LANES 8u
#define BLOCK (LANES * sizeof(uint64_t))

/* Odd, with about half of their bits set: multiplying loses nothing. */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define LAST_FACTOR UINT64_C(0xd6e8feb86659fd93)

static uint64_t
stir(uint64_t lane, uint64_t word)
{
	lane = (lane ^ word) * FACTOR;
	return lane ^ lane >> 32;
}

uint64_t
checksum(const void *bytes, size_t size, uint64_t seed)
{
	const char *at = bytes;
	uint64_t lanes[LANES], words[LANES], sum = seed ^ size;
	size_t left = size;

	for (size_t lane = 0; lane < LANES; lane++)
		lanes[lane] = seed + lane * LAST_FACTOR;
	for (; left >= BLOCK; left -= BLOCK, at += BLOCK) {
		memcpy(words, at, BLOCK);
		for (size_t lane = 0; lane < LANES; lane++)
			lanes[lane] = stir(lanes[lane], words[lane]);
	}
	memset(words, 0, BLOCK);
	if (left != 0)
		memcpy(words, at, left);
	for (size_t lane = 0; lane < LANES; lane++)
		sum = stir(sum, stir(lanes[lane], words[lane]));
	return (sum ^ sum >> 29) * LAST_FACTOR;
}
