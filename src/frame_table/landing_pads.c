/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/landing_pads.h"

#include "frame_table/cfi_bytes.h"
#include "frame_table/cfi_rows.h"

/* Limit of calls with a pad in one function; the largest functions have some 10,000. */
#define MOST_SITES (UINT32_C(1) << 17)

/* Read the call sites, up to the first damaged site or the end of the function. */
static void
read_sites(struct landing_pads *pads, const struct binary *binary, uint64_t handlers)
{
	const uint64_t bias = binary_section_bias(binary);
	const struct binary_section *section = binary_section_at(binary, handlers - bias);
	struct cfi_bytes bytes = { .word_size = binary->word_size };
	struct reader reader = { .big_endian = binary->big_endian };

	if (section == NULL)
		return;
	reader.data = section->data;
	reader.size = bytes.end = section->size;
	bytes.section = &reader;
	bytes.address = section->address + bias;
	bytes.at = handlers - bytes.address;
	const int start_encoding = (int)cfi_fixed(&bytes, 1);
	const uint64_t start = start_encoding != DW_EH_PE_omit
				       ? cfi_pointer(&bytes, start_encoding, false) : pads->first;
	if (cfi_fixed(&bytes, 1) != DW_EH_PE_omit)
		cfi_leb128(&bytes, false);	/* offset of the types */
	const int encoding = (int)cfi_fixed(&bytes, 1);
	const uint64_t size = cfi_leb128(&bytes, false);
	struct cfi_bytes sites = bytes;
	cfi_skip(&bytes, size);
	sites.end = bytes.at;
	sites.failed = bytes.failed || (start_encoding != DW_EH_PE_omit &&
					(start_encoding & DW_EH_PE_indirect) != 0);
	while (sites.at < sites.end && pads->count < MOST_SITES) {
		const uint64_t from = cfi_pointer(&sites, encoding, true);
		const uint64_t length = cfi_pointer(&sites, encoding, true);
		const uint64_t pad = cfi_pointer(&sites, encoding, true);

		cfi_leb128(&sites, false);	/* action: refers to the caught types */
		if (sites.failed || from > pads->last - pads->first)
			return;
		if (pad == 0 || length == 0 || length > UINT32_MAX)
			continue;
		if (!ARENA_ADD(&pads->arena, pads->sites, pads->count, pads->capacity,
			       &(struct landing_site){ pads->first + from,
						       pads->first + from + (length - 1),
						       start + pad }))
			return;
	}
}

void
landing_pads_read(struct landing_pads *pads, const struct binary *binary, uint64_t offset)
{
	struct elf_damage damage;
	struct cfi_table table;
	struct cfi_entry entry;
	struct cfi_cursor cursor;
	struct cfi_row row;
	uint64_t handlers = 0;

	*pads = (struct landing_pads){ .first = 0 };
	if (cfi_table_open(&table, binary, true, &damage) && cfi_entry_at(&table, offset, &entry)) {
		table.entries = &entry;
		table.count = 1;
		pads->first = entry.first;
		pads->last = entry.last;
		cfi_cursor_begin(&cursor, &table, pads->first);
		/* The rows of an entry without handlers are not needed. */
		while (cfi_cursor_next(&cursor, &row) && cursor.entry == 0 &&
		       (handlers = cfi_cursor_handlers(&cursor)) != 0) {
			if (row.arguments != 0)
				ARENA_ADD(&pads->arena, pads->arguments, pads->argument_count,
					  pads->argument_capacity,
					  &(struct landing_arguments){ row.first, row.last,
								       row.arguments });
		}
		if (handlers != 0)
			read_sites(pads, binary, handlers);
	}
	cfi_table_free(&table);
}

void
landing_pads_free(struct landing_pads *pads)
{
	arena_free(&pads->arena);
}

bool
landing_pads_find(const struct landing_pads *pads, uint64_t address, uint64_t *pad,
		  uint64_t *dropped)
{
	const struct landing_site *found = NULL;

	for (size_t i = 0; found == NULL && i < pads->count; i++)
		if (address >= pads->sites[i].first && address <= pads->sites[i].last)
			found = &pads->sites[i];
	*dropped = 0;
	for (size_t i = 0; i < pads->argument_count; i++)
		if (address >= pads->arguments[i].first && address <= pads->arguments[i].last)
			*dropped = pads->arguments[i].bytes;
	if (found != NULL)
		*pad = found->pad;
	return found != NULL;
}
