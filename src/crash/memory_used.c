/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/memory.h"

#include "base/sorted.h"

#define PAGE_BYTES UINT64_C(4096)

static uint8_t *
page_of(struct memory_used *used, uint64_t number)
{
	const uint8_t *there = hash_find(&used->pages, number, 0);

	if (there != NULL)
		return (uint8_t *)(uintptr_t)there;
	uint8_t *page = arena_alloc(used->arena, PAGE_BYTES);
	uint64_t *place = ARENA_PUSH(used->arena, used->numbers, used->count, used->capacity);
	if (page == NULL || place == NULL || !hash_put(&used->pages, number, 0, page)) {
		used->failed = true;
		return NULL;
	}
	*place = number;
	return page;
}

static void
note(struct memory_log *log, uint64_t address, uint64_t size, enum memory_use use)
{
	struct memory_used *used = (struct memory_used *)log;
	uint8_t *page = NULL;

	for (uint64_t i = 0; i < size; i++) {
		const uint64_t at = address + i;

		if (page == NULL || at % PAGE_BYTES == 0)
			page = page_of(used, at / PAGE_BYTES);
		if (page == NULL)
			return;
		if (page[at % PAGE_BYTES] < use)
			page[at % PAGE_BYTES] = (uint8_t)use;
	}
}

void
memory_used_init(struct memory_used *used, struct arena *arena)
{
	*used = (struct memory_used){ .log = { note }, .arena = arena };
}

SORTED_VALUES(compare_numbers, uint64_t)

void
memory_used_sort(struct memory_used *used)
{
	SORT(used->numbers, used->count, compare_numbers);
}

static enum memory_use
use_at(const struct memory_used *used, uint64_t address)
{
	const uint8_t *page = hash_find(&used->pages, address / PAGE_BYTES, 0);

	return page != NULL ? (enum memory_use)page[address % PAGE_BYTES] : MEMORY_UNUSED;
}

bool
memory_used_next(const struct memory_used *used, uint64_t address, uint64_t end,
		 struct memory_used_range *range)
{
	while (address < end && use_at(used, address) == MEMORY_UNUSED) {
		/* Continue at the next used page, or at the next byte of this page. */
		const size_t below = sorted_below((struct sorted){ used->numbers, used->count,
								   sizeof(*used->numbers) },
						  address / PAGE_BYTES);

		if (below == used->count)
			return false;
		const uint64_t page = used->numbers[below];
		address = page > address / PAGE_BYTES ? page * PAGE_BYTES : address + 1;
	}
	if (address >= end)
		return false;
	*range = (struct memory_used_range){ .address = address,
					     .use = use_at(used, address) };
	while (address + range->size < end && use_at(used, address + range->size) == range->use)
		range->size++;
	return true;
}
