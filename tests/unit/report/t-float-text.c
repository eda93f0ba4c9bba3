/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "report/value/value_text.h"
#include "tests/lib/tap.h"

/* The output of gdb 13.1 for each value, in programs that gcc made for amd64 and arm64. */
static const struct {
	const char *bytes;		/* hexadecimal, the most significant first */
	const char *name;
	bool x87;
	const char *text;
} cases[] = {
	{ "3dcccccd", "float", false, "0.100000001" },
	{ "7fc00000", "float", false, "nan(0x400000)" },
	{ "ff800000", "float", false, "-inf" },
	{ "00000001", "float", false, "1.40129846e-45" },
	{ "3fb999999999999a", "double", false, "0.10000000000000001" },
	{ "00000000000007e8", "double", false, "9.9998886718268301e-321" },
	{ "8000000000000000", "double", false, "-0" },
	{ "7ff8000000000005", "double", false, "nan(0x8000000000005)" },
	{ "fff8000000000005", "double", false, "-nan(0x8000000000005)" },
	{ "7bff", "_Float16", false, "65504" },
	{ "2e66", "_Float16", false, "0.099976" },
	{ "0001", "_Float16", false, "5.9605e-08" },
	{ "3fc0", "__bf16", false, "1.5" },
	{ "0000000000003ffbcccccccccccccccd", "long double", true, "0.100000000000000000001" },
	{ "00003ffdaaaaaaaaaaaaaaab", "long double", true, "0.333333333333333333342" },
	{ "00000000000080000000000000000000", "long double", true, "-0" },
	{ "0000000000007fff8000000000000000", "long double", true, "inf" },
	{ "000000000000ffffc000000000000123", "long double", true, "-nan(0xc000000000000123)" },
	{ "7fff0000000000000000000000000000", "long double", false, "inf" },
	{ "7fff8000000000000000000000000123", "long double", false,
	  "nan(0x8000000000000000000000000123)" },
#if LDBL_MANT_DIG == 113 || defined(HAVE_STRFROMF128)
	{ "4000e000000000000000000000000000", "long double", false, "3.75" },
	{ "3ffd5555555555555555555555555555", "long double", false,
	  "0.333333333333333333333333333333333317" },
#endif
};

int
main(void)
{
	char text[FLOAT_TEXT];
	uint8_t bytes[FLOAT_BYTES];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const size_t size = strlen(cases[i].bytes) / 2;

		for (size_t j = 0; j < size; j++) {
			unsigned byte;
			sscanf(cases[i].bytes + 2 * j, "%2x", &byte);
			bytes[size - 1 - j] = (uint8_t)byte;
		}
		ok(float_text(bytes, size, cases[i].name, cases[i].x87, text),
		   "%s of %s is written", cases[i].name, cases[i].bytes);
		is_str(text, cases[i].text, "the number is written as by gdb");
	}
	ok(!float_text(bytes, 12, "long double", false, text), "an unknown format is none");
	return done_testing();
}
