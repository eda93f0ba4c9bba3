/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/cfa_register.h"

#include <string.h>

#include "base/compiler.h"
#include "tests/lib/tap.h"

/* Instructions by hand after DWARF 5, 7.24. An expression: rsp + 24, read, + 8. */
#define EXPRESSION 0x0f, 5, 0x77, 24, 0x06, 0x23, 8

static const struct {
	const char *name;
	uint8_t code[32];
	unsigned size, start, end;	/* `end` 0: there is none */
} cases[] = {
	{ "a register behind an expression", { 0x41, EXPRESSION, 0x42, 0x0d, 7 }, 11, 1, 8 },
	{ "what stands between is gone over", { EXPRESSION, 0x86, 0x81, 2, 0x2e, 16, 4, 0xf, 0, 0,
	  0,
						0x10, 3, 2, 0x77, 0, 0xc6, 0x0d, 6 }, 25, 0, 7 },
	{ "the last of two expressions", { EXPRESSION, EXPRESSION, 0x0d, 7 }, 16, 7, 14 },
	{ "a register behind a register", { 0x0c, 7, 8, 0x0d, 6 }, 5, 0, 0 },
	{ "behind a register and an offset", { EXPRESSION, 0x0c, 7, 8, 0x0d, 6 }, 12, 0, 0 },
	{ "behind a state that is restored", { 0x0a, EXPRESSION, 0x0b, 0x0d, 6 }, 11, 0, 0 },
	{ "no register", { EXPRESSION, 0, 0 }, 9, 0, 0 },
	{ "an expression that leads out", { 0x0f, 0x7f, 0x0d, 7 }, 4, 0, 0 },
	{ "a length without end", { 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	  0xff, 0xff,
				    0xff }, 13, 0, 0 },
	{ "what is unknown", { EXPRESSION, 0x3f, 0x0d, 7 }, 10, 0, 0 },
};

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct reader code = { .data = cases[i].code, .size = cases[i].size };
		uint64_t start = 0, end = 0;

		ok(cfa_register_find(&code, &start, &end) == (cases[i].end != 0),
		   "%s: whether one is found", cases[i].name);
		if (cases[i].end != 0) {
			is_u64(start, cases[i].start, "%s: where it begins", cases[i].name);
			is_u64(end, cases[i].end, "%s: where it ends", cases[i].name);
		}
	}
	return done_testing();
}
