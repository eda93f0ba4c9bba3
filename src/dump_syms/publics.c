/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/sorted.h"
#include "dump_syms/dump_syms_internal.h"

/* Linker symbols: the module's own first, because its debug file may have been stripped. */

SORTED_BY_ALL(compare, struct found_public, SORTED_UP(address) SORTED_UP(order))

static bool
add_table(struct dump_syms_parts *parts, const struct binary *binary, struct file_symbols *symbols,
	  size_t number)
{
	file_symbols_read(symbols, binary);
	for (size_t i = 0; i < symbols->count; i++) {
		const struct file_symbol *symbol = &symbols->items[i];

		if (code_ranges_at(&parts->code, symbol->address) == NULL)
			continue;
		struct found_public *added = GROWN_PUSH(parts->publics);
		if (added == NULL)
			return false;
		*added = (struct found_public){
			.address = symbol->address - parts->linked_base,
			.order = (uint64_t)number << 56 | symbol->offset, .name = symbol->name };
	}
	return true;
}

bool
dump_syms_read_publics(struct dump_syms_parts *parts)
{
	static const enum locate_kind kinds[SYMBOL_TABLES] = { LOCATE_IMAGE, LOCATE_DEBUG,
							       LOCATE_MINI };
	struct found_publics *publics = &parts->publics;
	const struct binary *before = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < SYMBOL_TABLES; i++) {
		const struct binary *binary =
			binaries_load(parts->binaries, parts->module, kinds[i]);

		if (binary == NULL || binary == before)
			continue;
		before = binary;
		if (!add_table(parts, binary, &parts->tables[i], i))
			return false;
	}
	if (publics->count > 0)
		qsort(publics->items, publics->count, sizeof(*publics->items), compare);
	/* If an address has several names the first is used; functions have their own. */
	for (size_t i = 0, function = 0; i < publics->count; i++) {
		const uint64_t address = publics->items[i].address;

		while (function < parts->functions.count &&
		       parts->functions.items[function].low - parts->linked_base < address)
			function++;
		if ((kept > 0 && publics->items[kept - 1].address == address) ||
		    (function < parts->functions.count &&
		     parts->functions.items[function].low - parts->linked_base == address))
			continue;
		publics->items[kept++] = publics->items[i];
	}
	publics->count = kept;
	return true;
}
