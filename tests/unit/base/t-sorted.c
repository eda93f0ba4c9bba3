/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sorted.h"

#include "tests/lib/tap.h"

struct item {
	char kind;
	uint64_t address;
};

/* The expected counts below were read off this table by hand. */
static const struct item items[] = {
	{ 'a', 0 }, { 'b', 0x10 }, { 'c', 0x10 }, { 'd', 0x10 }, { 'e', 0x11 }, { 'f', UINT64_MAX },
};

int
main(void)
{
	const struct sorted all = SORTED(items, ARRAY_COUNT(items), address);
	const struct item *none = NULL;

	ok(sorted_upto(all, 0) == 1, "an item at the value counts as up to it");
	ok(sorted_below(all, 0) == 0, "no item is below zero");
	ok(sorted_upto(all, 0x10) == 4 && sorted_below(all, 0x10) == 1, "all items at a value count as up to it, but not as below it");
	ok(sorted_upto(all, 0xf) == 1 && sorted_upto(all, 0x12) == 5, "a value between two items counts those before it");
	ok(sorted_upto(all, UINT64_MAX) == 6 && sorted_below(all, UINT64_MAX) == 5, "the highest value is counted like others");
	ok(sorted_upto(SORTED(items + 1, 1, address), 0x0f) == 0, "one item may be above the value");
	ok(sorted_upto(SORTED(none, 0, address), 7) == 0 &&
		   sorted_below(SORTED(none, 0, address), 7) == 0, "the result is 0 without items");
	return done_testing();
}
