/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/memory_bytes.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "report/report.h"

#define SHOWN_BYTES 32u
/* Columns for the owner of the memory. */
#define PLACE_COLUMNS 28u

/* The owner of an address: a thread's stack, a module, or the entry of the memory map. */
static struct text
owner_of(struct memory_find *find, uint64_t address, struct arena *arena)
{
	const struct crash *crash = find->around->crash;
	const struct mapping *mapping = crash_mapping(crash, address);

	const int thread = crash_stack_owner(crash, address);
	if (thread >= 0)
		return text_of(text_or_empty(arena_format(arena, "stack of thread %d", thread)));
	const struct text name = surroundings_describe(find->around, address, arena);
	if (name.length > 0)
		return name;
	return text_of(mapping != NULL && mapping->name[0] != '\0' ? mapping->name
		       : mapping != NULL			   ? mapping->text
								   : "memory");
}

static void
memory_find_fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	struct memory_find *find = (struct memory_find *)listing->context;
	const uint64_t address = find->hits[index];
	uint8_t bytes[SHOWN_BYTES];
	char text[SHOWN_BYTES + 1];
	struct arena arena = { 0 };

	(void)columns;
	row_add(row, ROLE_DIM, " %0*" PRIx64 "  ", report_digits(find->around->arch), address);
	const size_t begin = row->width;
	row_add_name(row, ROLE_CODE, PLACE_COLUMNS, owner_of(find, address, &arena));
	arena_free(&arena);
	row_pad(row, begin + PLACE_COLUMNS + 2);
	const size_t count =
		memory_copy(&find->around->memory, address, bytes, sizeof(bytes), NULL);
	for (size_t i = 0; i < count; i++)
		text[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? (char)bytes[i] : '.';
	text[count] = '\0';
	const size_t hit = find->size < count ? find->size : count;
	row_add(row, ROLE_MATCH, "%.*s", (int)hit, text);
	row_add(row, ROLE_DATA, "%s", text + hit);
}

static void
memory_find_fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct memory_find *find = listing->context;

	(void)columns;
	row_add(row, ROLE_DIM, " %-*s  %-*s  bytes", report_digits(find->around->arch), "address",
		(int)PLACE_COLUMNS, "whose memory");
}

static struct target
memory_find_row_target(const struct listing *listing, size_t index)
{
	const struct memory_find *find = listing->context;

	return TARGET(TARGET_MEMORY, .address = find->hits[index]);
}

static void
memory_find_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	struct memory_find *find = (struct memory_find *)listing->context;
	const uint64_t address = find->hits[index];
	uint8_t byte;
	struct place place = { 0 };
	struct arena arena = { 0 };

	row_add(row, ROLE_NORMAL, "%zu of %zu   %0*" PRIx64 "   ", index + 1, find->count,
		report_digits(find->around->arch), address);
	row_add_text(row, ROLE_NORMAL, owner_of(find, address, &arena));
	arena_free(&arena);
	if (memory_copy(&find->around->memory, address, &byte, 1, &place) == 1)
		report_add_place(row, place);
}

struct listing
memory_find_listing(struct memory_find *find, struct arena *arena)
{
	if (find->count == 0) {
		/* An empty listing shows the reason. */
		const char *text = find->wrong;

		if (text == NULL && !find->done)
			text = "nothing yet";
		if (text == NULL)
			text = arena_format(arena,
				"%s not found in the %" PRIu64 " byte%s of memory that %s",
				find->typed, find->looked, plural(find->looked),
				find->stopped || find->last != UINT64_MAX ? "were searched"
										  : "the dump has");
		return listing_message(text != NULL ? text : OUT_OF_MEMORY);
	}
	return (struct listing){ .count = find->count,
				 .head = memory_find_fill_head,
				 .fill = memory_find_fill_row,
				 .target = memory_find_row_target,
				 .explain = memory_find_explain_row,
				 .context = find };
}

#define FACTS "report/memory/memory_find_facts.def"
#include "document/describe_facts.h"
