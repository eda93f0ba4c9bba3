/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/code_ranges.h"

#include <stdlib.h>

#include "base/sorted.h"

/* Section flags of ELF: in memory, with instructions (gABI, Sections). */
#define FLAGS_CODE (0x2u | 0x4u)

SORTED_BY_TWO(compare, struct code_range, low, high)

static bool
is_code(const struct binary_section *section)
{
	return (section->flags & FLAGS_CODE) == FLAGS_CODE && section->size != 0 &&
	       section->size <= UINT64_MAX - section->address;
}

void
code_ranges_read(struct code_ranges *ranges, const struct binary *binary, struct arena *arena)
{
	*ranges = (struct code_ranges){ 0 };
	ranges->items = arena_array(arena, binary->section_count, sizeof(*ranges->items));
	for (size_t i = 0; ranges->items != NULL && i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];

		if (is_code(section))
			ranges->items[ranges->count++] = (struct code_range){
				section->address, section->address + section->size };
	}
	if (ranges->count > 1)
		qsort(ranges->items, ranges->count, sizeof(*ranges->items), compare);
}

const struct code_range *
code_ranges_at(const struct code_ranges *ranges, uint64_t address)
{
	const size_t count = sorted_upto(SORTED(ranges->items, ranges->count, low), address);

	return count > 0 && address < ranges->items[count - 1].high ? &ranges->items[count - 1]
								   : NULL;
}
