/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/x86_length.h"

#include <stdbool.h>

/* The parts that follow an opcode. */
enum {
	MODRM = 1,
	BYTE = 2,		/* an immediate of one byte */
	OPERAND = 4,		/* one of 2 or 4 bytes, by the size of operands */
	SHORT = 8,		/* one of 2 bytes */
	NEAR = 16,		/* a distance of 4 bytes */
	WIDE = 32,		/* 4 bytes, 2 or 8 by the size of operands */
	OFFSET = 64,		/* an address of 8 bytes, or of 4 */
	NONE = 128,		/* no instruction */
};

/* The map of one byte, in rows of opcodes that are alike. */
struct opcode_row {
	uint8_t first, last, operands;
};

static const struct opcode_row one_byte[] = {
	{ 0x63, 0x63, MODRM },	     { 0x68, 0x68, OPERAND },  { 0x69, 0x69, MODRM | OPERAND },
	{ 0x6a, 0x6a, BYTE },	     { 0x6b, 0x6b, MODRM | BYTE }, { 0x70, 0x7f, BYTE },
	{ 0x80, 0x80, MODRM | BYTE }, { 0x81, 0x81, MODRM | OPERAND }, { 0x82, 0x82, NONE },
	{ 0x83, 0x83, MODRM | BYTE }, { 0x84, 0x8f, MODRM },    { 0x9a, 0x9a, NONE },
	{ 0xa0, 0xa3, OFFSET },	     { 0xa8, 0xa8, BYTE },     { 0xa9, 0xa9, OPERAND },
	{ 0xb0, 0xb7, BYTE },	     { 0xb8, 0xbf, WIDE },     { 0xc0, 0xc1, MODRM | BYTE },
	{ 0xc2, 0xc2, SHORT },	     { 0xc6, 0xc6, MODRM | BYTE }, { 0xc7, 0xc7, MODRM | OPERAND },
	{ 0xc8, 0xc8, SHORT | BYTE }, { 0xca, 0xca, SHORT },    { 0xcd, 0xcd, BYTE },
	{ 0xce, 0xce, NONE },	     { 0xd0, 0xd3, MODRM },    { 0xd4, 0xd6, NONE },
	{ 0xd8, 0xdf, MODRM },	     { 0xe0, 0xe7, BYTE },     { 0xe8, 0xe9, NEAR },
	{ 0xea, 0xea, NONE },	     { 0xeb, 0xeb, BYTE },     { 0xfe, 0xff, MODRM },
};

/* The map after 0f: other opcodes have only a ModRM byte. */
static const struct opcode_row two_bytes[] = {
	{ 0x04, 0x04, NONE },	      { 0x05, 0x09, 0 },	    { 0x0a, 0x0a, NONE },
	{ 0x0b, 0x0b, 0 },	      { 0x0c, 0x0c, NONE },	    { 0x0e, 0x0e, 0 },
	{ 0x0f, 0x0f, MODRM | BYTE }, { 0x24, 0x27, NONE },	    { 0x30, 0x37, 0 },
	{ 0x38, 0x3f, NONE },	      { 0x70, 0x73, MODRM | BYTE }, { 0x77, 0x77, 0 },
	{ 0x80, 0x8f, NEAR },	      { 0xa0, 0xa2, 0 },	    { 0xa4, 0xa4, MODRM | BYTE },
	{ 0xa8, 0xaa, 0 },	      { 0xac, 0xac, MODRM | BYTE }, { 0xba, 0xba, MODRM | BYTE },
	{ 0xc2, 0xc2, MODRM | BYTE }, { 0xc4, 0xc6, MODRM | BYTE }, { 0xc8, 0xcf, 0 },
};

static unsigned
operands_in(const struct opcode_row *rows, size_t count, uint8_t opcode, unsigned others)
{
	for (size_t i = 0; i < count && rows[i].first <= opcode; i++)
		if (opcode <= rows[i].last)
			return rows[i].operands;
	return others;
}

/* Operands by the opcode's map: 0 has one byte, 1 to 3 follow 0f, 0f 38 and 0f 3a. */
static unsigned
operands_of(unsigned map, uint8_t opcode)
{
	if (map == 0 && opcode < 0x40)
		return (opcode & 7) < 4	   ? (unsigned)MODRM
		       : (opcode & 7) == 4 ? (unsigned)BYTE
		       : (opcode & 7) == 5 ? (unsigned)OPERAND
					   : (unsigned)NONE;
	if (map == 0 && opcode >= 0x60 && opcode <= 0x62)
		return NONE;
	if (map == 0)
		return operands_in(one_byte, sizeof(one_byte) / sizeof(*one_byte), opcode, 0);
	if (map == 1)
		return operands_in(two_bytes, sizeof(two_bytes) / sizeof(*two_bytes), opcode,
				   MODRM);
	return map == 2 ? (unsigned)MODRM : map == 3 ? (unsigned)MODRM | BYTE : (unsigned)NONE;
}

/* An instruction that is gone through. */
struct x86_reading {
	const uint8_t *bytes;
	size_t count, at;
	bool failed;
	bool narrow, short_address, wide;	/* prefixes 66, 67 and REX.W */
};

static uint8_t
next_byte(struct x86_reading *reading)
{
	if (reading->at >= reading->count) {
		reading->failed = true;
		return 0;
	}
	return reading->bytes[reading->at++];
}

static bool
is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 ||
	       byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 ||
	       byte == 0x65;
}

/* The opcode after its prefixes, and its map. */
static uint8_t
read_opcode(struct x86_reading *reading, unsigned *map)
{
	uint8_t byte = next_byte(reading);

	*map = 0;
	for (; is_prefix(byte); byte = next_byte(reading)) {
		reading->narrow = reading->narrow || byte == 0x66;
		reading->short_address = reading->short_address || byte == 0x67;
	}
	if ((byte & 0xf0) == 0x40) {
		reading->wide = (byte & 8) != 0;
		byte = next_byte(reading);
	}
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
		const uint8_t second = next_byte(reading);

		/*
		 * Maps 1 to 3 are those of the older encodings; others are newer than these
		 * tables.
		 */
		*map = byte == 0xc5 ? 1 : byte == 0xc4 ? second & 0x1fu : second & 7u;
		reading->failed = reading->failed || *map == 0 || *map > 3;
		for (unsigned more = byte == 0xc5 ? 0 : byte == 0xc4 ? 1 : 2; more > 0; more--)
			next_byte(reading);
		return next_byte(reading);
	}
	/* XOP of AMD: its maps are above the registers that 8f, pop, may have there. */
	if (byte == 0x8f && reading->at < reading->count &&
	    (reading->bytes[reading->at] & 0x1f) >= 8) {
		const unsigned number = next_byte(reading) & 0x1f;

		next_byte(reading);
		*map = number == 8 ? 3 : 2;
		reading->failed = reading->failed || number > 9;
		return next_byte(reading);
	}
	if (byte != 0x0f)
		return byte;
	byte = next_byte(reading);
	*map = byte == 0x38 ? 2 : byte == 0x3a ? 3 : 1;
	return *map == 1 ? byte : next_byte(reading);
}

/* Bytes after a ModRM byte that give an address. */
static unsigned
address_bytes(struct x86_reading *reading, uint8_t modrm)
{
	const unsigned mode = modrm >> 6, base = modrm & 7;
	unsigned low = base;

	if (mode == 3)
		return 0;
	if (base == 4)
		low = next_byte(reading) & 7;
	return mode == 1 ? 1 : mode == 2 || low == 5 ? 4 : 0;
}

unsigned
x86_64_length(const uint8_t *bytes, size_t count)
{
	struct x86_reading reading = { .bytes = bytes,
				       .count = count < X86_LONGEST ? count : X86_LONGEST };
	unsigned map, operands;

	const uint8_t opcode = read_opcode(&reading, &map);
	operands = operands_of(map, opcode);
	if (reading.failed || operands == NONE)
		return 0;
	if (map == 0 && (opcode & 0xfe) == 0xf6) {
		/* TEST of this group has an immediate, the others have none. */
		const uint8_t modrm = reading.at < reading.count ? bytes[reading.at] : 0xff;

		operands = MODRM | ((modrm >> 3 & 7) > 1 ? 0u : opcode == 0xf6 ? BYTE : OPERAND);
	}
	if ((operands & MODRM) != 0)
		reading.at += address_bytes(&reading, next_byte(&reading));
	reading.at += (operands & BYTE) != 0 ? 1 : 0;
	reading.at += (operands & SHORT) != 0 ? 2 : 0;
	reading.at += (operands & NEAR) != 0 ? 4 : 0;
	reading.at += (operands & OFFSET) != 0 ? (reading.short_address ? 4 : 8) : 0;
	reading.at += (operands & WIDE) != 0 && reading.wide ? 8
		      : (operands & (OPERAND | WIDE)) == 0   ? 0
		      : reading.narrow && !reading.wide	     ? 2
							     : 4;
	return reading.failed || reading.at > reading.count ? 0 : (unsigned)reading.at;
}
