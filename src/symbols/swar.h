/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_SWAR_H
#define SYMBOLS_SWAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

/**
 * Reads numbers eight digits at a time, in one register.
 */

#define SWAR_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Mask of the first `count` of eight bytes; `count` is 1 to 7. */
#define SWAR_FIRST(count) (UINT64_MAX >> (64 - 8 * (count)))

/* Load eight bytes; the first becomes the lowest byte of the word. */
static inline uint64_t
swar_load(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* The value of eight lower-case hexadecimal digits; `*good`: whether all are digits. */
static inline uint64_t
swar_digits(uint64_t word, bool *good)
{
	const uint64_t letters = (word & SWAR_EACH(0x40)) >> 6;	/* 1 in the byte of each letter */
	/* Move a to f to the codes from : to ?, in the same row of ASCII as 0 to 9. */
	const uint64_t row = word - letters * 0x27;
	const uint64_t past_nine = (row + SWAR_EACH(6)) >> 6 & SWAR_EACH(1);
	uint64_t value = row & SWAR_EACH(0x0f);

	*good = (row & SWAR_EACH(0xf0)) == SWAR_EACH(0x30) && past_nine == letters;
	value = (value << 4 | value >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	value = (value << 8 | value >> 16) & UINT64_C(0x0000ffff0000ffff);
	return (value << 16 | value >> 32) & UINT64_C(0xffffffff);
}

/* The number of bytes before the first `c`; 8 if the word has no `c`. */
static inline unsigned
swar_before(uint64_t word, char c)
{
	const uint64_t rest = word ^ SWAR_EACH((unsigned char)c);
	const uint64_t found = (rest - SWAR_EACH(1)) & ~rest & SWAR_EACH(0x80);

	return found == 0 ? 8 : (unsigned)__builtin_ctzll(found) / 8;
}

/* The value of one to eight digits; hexadecimal digits must be in lower case. */
static ATTRIBUTE_INLINE uint64_t
swar_value(uint64_t word, unsigned digits, bool decimal, bool *good)
{
	/* Pad with leading zeros to eight digits. */
	if (digits < 8)
		word = word << (64 - 8 * digits) | SWAR_EACH('0') >> 8 * digits;
	if (!decimal)
		return swar_digits(word, good);
	word ^= SWAR_EACH('0');
	*good = (((word + SWAR_EACH(6)) | word) & SWAR_EACH(0xf0)) == 0;
	word = (word * 10 + (word >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	word = (word * 100 + (word >> 16)) & UINT64_C(0x0000ffff0000ffff);
	return (word * 10000 + (word >> 32)) & UINT64_C(0xffffffff);
}

/* Read one to seven digits and a space. Returns the number of digits, 0 for anything else. */
static inline size_t
swar_few(uint64_t word, bool decimal, uint64_t *value)
{
	const unsigned digits = swar_before(word, ' ');
	bool good;

	if (digits == 0 || digits == 8)
		return 0;
	*value = swar_value(word, digits, decimal, &good);
	return good ? digits : 0;
}

/**
 * Read one to fifteen lower-case hexadecimal digits and a space. Returns the number of digits, 0
 * for anything else. Sixteen bytes must be readable.
 */
static inline size_t
swar_hex(const char *bytes, uint64_t *value)
{
	const size_t few = swar_few(swar_load(bytes), false, value);
	uint64_t low = 0;
	bool good;

	if (few != 0)
		return few;
	const uint64_t high = swar_digits(swar_load(bytes), &good);
	if (!good)
		return 0;
	const size_t more = bytes[8] == ' ' ? 0 : swar_few(swar_load(bytes + 8), false, &low);
	if (more == 0 && bytes[8] != ' ')
		return 0;
	*value = high << 4 * more | low;
	return 8 + more;
}

#endif
