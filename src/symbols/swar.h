/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_SWAR_H
#define SYMBOLS_SWAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * Numbers read eight digits at a time, in one register.
 */

#define SWAR_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The first `count` of eight bytes, one to seven. */
#define SWAR_FIRST(count) (UINT64_MAX >> (64 - 8 * (count)))

/* Eight bytes, the first one lowest. */
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

/* The value of eight hexadecimal digits in lower case; `*good` says whether they are. */
static inline uint64_t
swar_digits(uint64_t word, bool *good)
{
	const uint64_t letters = (word & SWAR_EACH(0x40)) >> 6;	/* 1 in the byte of each */
	/* a to f go where : to ? are; then 0 to 9 and they are in one row of the code. */
	const uint64_t row = word - letters * 0x27;
	const uint64_t past_nine = (row + SWAR_EACH(6)) >> 6 & SWAR_EACH(1);
	uint64_t value = row & SWAR_EACH(0x0f);

	*good = (row & SWAR_EACH(0xf0)) == SWAR_EACH(0x30) && past_nine == letters;
	value = (value << 4 | value >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	value = (value << 8 | value >> 16) & UINT64_C(0x0000ffff0000ffff);
	return (value << 16 | value >> 32) & UINT64_C(0xffffffff);
}

/* One to seven digits with a space behind them: how many, and their value; 0 for anything else. */
static inline size_t
swar_few(uint64_t word, uint64_t *value)
{
	const uint64_t odd = word ^ SWAR_EACH(' ');
	const uint64_t spaces = (odd - SWAR_EACH(1)) & ~odd & SWAR_EACH(0x80);
	const unsigned digits = spaces == 0 ? 0 : (unsigned)__builtin_ctzll(spaces) / 8;
	bool good;

	if (digits == 0)
		return 0;
	/* Zeros in front make it eight digits. */
	*value = swar_digits(word << (64 - 8 * digits) | SWAR_EACH('0') >> 8 * digits, &good);
	return good ? digits : 0;
}

/* The same with decimal digits. */
static inline size_t
swar_decimal(uint64_t word, uint64_t *value)
{
	const uint64_t odd = word ^ SWAR_EACH(' ');
	const uint64_t spaces = (odd - SWAR_EACH(1)) & ~odd & SWAR_EACH(0x80);
	const unsigned digits = spaces == 0 ? 0 : (unsigned)__builtin_ctzll(spaces) / 8;

	if (digits == 0)
		return 0;
	word = (word << (64 - 8 * digits) | SWAR_EACH('0') >> 8 * digits) ^ SWAR_EACH('0');
	if (((word + SWAR_EACH(6)) & SWAR_EACH(0xf0)) != 0 || (word & SWAR_EACH(0xf0)) != 0)
		return 0;
	word = (word * 10 + (word >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	word = (word * 100 + (word >> 16)) & UINT64_C(0x0000ffff0000ffff);
	*value = (word * 10000 + (word >> 32)) & UINT64_C(0xffffffff);
	return digits;
}

/**
 * One to fifteen hexadecimal digits in lower case with a space behind them: how many, and
 * their value. 0 for anything else. Sixteen bytes must be there.
 */
static inline size_t
swar_hex(const char *bytes, uint64_t *value)
{
	const size_t few = swar_few(swar_load(bytes), value);
	uint64_t low = 0;
	bool good;

	if (few != 0)
		return few;
	const uint64_t high = swar_digits(swar_load(bytes), &good);
	if (!good)
		return 0;
	const size_t more = bytes[8] == ' ' ? 0 : swar_few(swar_load(bytes + 8), &low);
	if (more == 0 && bytes[8] != ' ')
		return 0;
	*value = high << 4 * more | low;
	return 8 + more;
}

#endif
