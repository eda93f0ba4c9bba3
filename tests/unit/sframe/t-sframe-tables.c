/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sframe/sframe.h"

#include "tests/lib/tap.h"
#include "tests/unit/binary/section.h"

/* Several tables in a section, and functions that begin at one address: an empty function is
 * skipped, so the other one is found, in either order. */

static enum sframe_found
look_up(const struct section *section, uint64_t address, struct sframe_function *function)
{
	const struct input input = { "made" };
	struct sframe sframe;
	struct sframe_row row;

	if (sframe_open(&sframe, &(struct sframe_bytes){ &input, section->bytes, section->size, 0, 0x10000, NULL },
			NULL, 0, NULL) != ERROR_NONE)
		return SFRAME_BROKEN;
	const enum sframe_found found = sframe_lookup(&sframe, address, function, &row, NULL);
	sframe_close(&sframe);
	return found;
}

/* A table of `rows` one-word rows: 28 + 20 + 3 * rows bytes; the next table begins at a multiple of 8. */
static void
test_second_table(unsigned rows)
{
	struct section_function functions[] = {
		{ .start = 0x20000, .size = 0x40, .row_count = rows },
		{ .start = 0x30000, .size = 0x40, .rows = { { 0, 8 } }, .row_count = 1 },
	};
	struct section section, second;
	struct sframe_function function;

	for (unsigned i = 0; i < rows; i++)
		functions[0].rows[i] = (struct section_row){ i, 8 };
	section_make(&section, 0, 0x10000, &functions[0], 1);
	const size_t length = section.size;
	section.size = (length + 7) / 8 * 8;
	section_make(&second, 0, 0x10000 + section.size, &functions[1], 1);
	memcpy(section.bytes + section.size, second.bytes, second.size);
	section.size += second.size;
	ok(look_up(&section, 0x30010, &function) == SFRAME_ROW && function.number == 1,
	   "the table after one of %zu bytes begins at a multiple of 8", length);
}

static const struct {
	const char *title;
	uint32_t sizes[4];		/* functions at 20000, 20000, 20000 and 30000 */
	uint32_t number;		/* the function at 20010 */
} orders[] = {
	{ "a function is found after an empty one at its address", { 0, 0, 0x40, 1 }, 2 },
	{ "a function is found before an empty one at its address", { 0, 0x40, 0, 1 }, 1 },
	{ "a function is found before two empty ones at its address", { 0x40, 0, 0, 1 }, 0 },
	{ "the last of two equal functions is found", { 0, 0x40, 0x40, 1 }, 2 },
};

static void
test_order(size_t index)
{
	struct section_function functions[4];
	struct section section;
	struct sframe_function function;

	for (unsigned i = 0; i < 4; i++)
		functions[i] = (struct section_function){ .start = i < 3 ? 0x20000 : 0x30000, .size = orders[index].sizes[i],
							  .rows = { { 0, 8 } }, .row_count = 1 };
	section_make(&section, 0, 0x10000, functions, 4);
	ok(look_up(&section, 0x20010, &function) == SFRAME_ROW, "%s", orders[index].title);
	is_u64(function.number, orders[index].number, "the function that has code is found: %s", orders[index].title);
}

int
main(void)
{
	for (unsigned rows = 1; rows <= 9; rows++)
		test_second_table(rows);
	for (size_t i = 0; i < ARRAY_COUNT(orders); i++)
		test_order(i);
	return done_testing();
}
