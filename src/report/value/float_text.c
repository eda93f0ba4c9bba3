/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "report/value/value_text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* Bits of a format, least significant first: fraction, exponent, sign (IEEE 754, 3.4). */
static const struct float_format {
	size_t size;
	const char *name;		/* a part of the type's name; NULL: any name */
	bool x87;
	unsigned fraction, exponent;
	bool has_one;			/* the fraction includes the bit before the binary point */
	int digits;
} formats[] = {
	{ 2, "bf16", false, 7, 8, false, 4 },
	{ 2, "bfloat16", false, 7, 8, false, 4 },
	{ 2, NULL, false, 10, 5, false, 5 },
	{ 4, NULL, false, 23, 8, false, 9 },
	{ 8, NULL, false, 52, 11, false, 17 },
	{ 12, NULL, true, 64, 15, true, 21 },
	{ 16, NULL, true, 64, 15, true, 21 },
	{ 16, NULL, false, 112, 15, false, 36 },
};

static const struct float_format *
find_format(size_t size, const char *name, bool x87)
{
	for (size_t i = 0; i < ARRAY_COUNT(formats); i++) {
		const struct float_format *format = &formats[i];

		if (format->size == size && (size <= 8 || format->x87 == x87) &&
		    (format->name == NULL || strstr(name, format->name) != NULL))
			return format;
	}
	return NULL;
}

/* Up to 64 bits from bit `at` on. */
static uint64_t
bits_at(const uint8_t *bytes, unsigned at, unsigned count)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < count; i++)
		value |= (uint64_t)(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	return value;
}

/* Writes an IEEE 754 number of 16 bytes. Few processors have this format. */
static bool
write_quad(const uint8_t *bytes, char text[FLOAT_TEXT])
{
#if LDBL_MANT_DIG == 113 || defined(HAVE_STRFROMF128)
	uint8_t own[FLOAT_BYTES];
#if LDBL_MANT_DIG == 113
	long double number;
#else
	__extension__ _Float128 number;
#endif

	for (size_t i = 0; i < FLOAT_BYTES; i++)
		own[i] = bytes[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : FLOAT_BYTES - 1 - i];
	memcpy(&number, own, sizeof(number));
#if LDBL_MANT_DIG == 113
	snprintf(text, FLOAT_TEXT, "%.36Lg", number);
#else
	strfromf128(text, FLOAT_TEXT, "%.36g", number);
#endif
	return true;
#else
	(void)bytes, (void)text;
	return false;
#endif
}

bool
float_text(const uint8_t *bytes, size_t size, const char *name, bool x87, char text[FLOAT_TEXT])
{
	const struct float_format *format = find_format(size, name, x87);

	if (format == NULL)
		return false;
	const unsigned width = format->fraction, low_width = width < 64 ? width : 64;
	const uint64_t low = bits_at(bytes, 0, low_width);
	const uint64_t high = bits_at(bytes, low_width, width - low_width);
	const int exponent = (int)bits_at(bytes, width, format->exponent);
	const int most = (1 << format->exponent) - 1;
	const char *sign = bits_at(bytes, width + format->exponent, 1) != 0 ? "-" : "";

	if (exponent == most && high == 0 && (format->has_one ? low << 1 : low) == 0) {
		snprintf(text, FLOAT_TEXT, "%sinf", sign);
	} else if (exponent == most && high != 0) {
		snprintf(text, FLOAT_TEXT, "%snan(0x%" PRIx64 "%016" PRIx64 ")", sign, high, low);
	} else if (exponent == most) {
		snprintf(text, FLOAT_TEXT, "%snan(0x%" PRIx64 ")", sign, low);
	} else if (width > 64) {
		return write_quad(bytes, text);
	} else {
		const int point = (int)width - (format->has_one ? 1 : 0);
		const int scale = (exponent != 0 ? exponent : 1) - most / 2 - point;
		const uint64_t one = exponent != 0 && !format->has_one ? (uint64_t)1 << width : 0;

		snprintf(text, FLOAT_TEXT, "%s%.*Lg", sign, format->digits,
			 ldexpl((long double)(one | low), scale));
	}
	return true;
}
