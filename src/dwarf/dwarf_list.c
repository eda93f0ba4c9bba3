/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_list.h"

#include "dwarf/dwarf_codes.h"

/* Entries have up to two operands: of a range, the first is its start and the second its end. */
enum list_operand {
	INDEX = 'x',			/* index in the unit's table of addresses */
	ADDRESS = 'a',
	DISTANCE = 'o',			/* offset from the base, in LEB128 */
	FAR = 'f',			/* offset from the base, in the size of an address */
	LENGTH = 's',			/* offset from the first operand, in LEB128 */
	LENGTH_4 = 'l',			/* offset from the first operand, in four bytes */
	VIEW = 'v',			/* orders states at one address (GCC's LocationViews) */
	EVERYWHERE = 'e',		/* no bytes */
};

/* Operands by kind of entry; a single operand that is no range is a new base. */
#define KINDS 10
static const char *const range_kinds[KINDS] = { "", "x", "xx", "xs", "oo", "a", "aa", "as" };
static const char *const location_kinds[KINDS] = { "",	"x", "xx", "xs", "oo",
						   "e", "a", "aa", "as", "vv" };
static const char *const split_kinds[KINDS] = { "", "x", "xx", "xl", "ff" };

/* Most consecutive entries without code: bases, and numbers of views. */
#define MOST_OTHERS 16u

/* A cursor in the section of a list, in the file that has it. */
static struct dwarf_cursor
section_at(const struct dwarf_context *context, bool locations, uint64_t offset)
{
	if (context->unit->version >= 5)
		return dwarf_file_at(context->file, locations ? DWARF_LOCLISTS : DWARF_RNGLISTS,
				     offset);
	return locations ? dwarf_file_at(context->file, DWARF_LOC, offset)
			 : dwarf_file_at(context->skeletons, DWARF_RANGES, offset);
}

/* The offset of a value's list in its section. False if the value refers to none. */
static bool
list_at(const struct dwarf_context *context, const struct dwarf_value *value, bool locations,
	uint64_t *at)
{
	const struct dwarf_unit *unit = context->unit;
	const unsigned size = unit->offset_size;
	const unsigned class = dwarf_form_of(value->form)->class;
	const bool split = context->skeletons != context->file;

	*at = value->number;
	if (class != DWARF_LIST_INDEX) {
		/* GNU_ranges_base applies to split units only, although their skeletons have it. */
		if (split && !locations && unit->version < 5)
			*at += context->ranges_base;
		/* Before version 4 constants of these sizes are also offsets. */
		return class == DWARF_IS_OFFSET ||
		       (unit->version < 4 &&
			(value->form == DW_FORM_data4 || value->form == DW_FORM_data8));
	}
	/* Split units have a single table of offsets after the section's header (7.28). */
	const uint64_t base = locations ? context->locations_base : context->ranges_base;
	const uint64_t start = base != 0 ? base : size == 8 ? 20 : 12;
	if (value->number > UINT32_MAX)
		return false;
	struct dwarf_cursor table = section_at(context, locations, start + value->number * size);
	*at = start + dwarf_number(&table, size);
	return !table.cut;
}

bool
dwarf_list_open(struct dwarf_list *list, const struct dwarf_context *context,
		const struct dwarf_value *value, bool locations)
{
	const bool split = context->skeletons != context->file;
	uint64_t at;

	if (!list_at(context, value, locations, &at))
		return false;
	*list = (struct dwarf_list){
		.context = context, .cursor = section_at(context, locations, at),
		.base = context->low, .locations = locations };
	if (context->unit->version >= 5)
		list->operands = locations ? location_kinds : range_kinds;
	else if (split && locations)
		list->operands = split_kinds;
	return true;
}

static uint64_t
read_operand(struct dwarf_list *list, char operand, uint64_t first)
{
	const unsigned size = list->context->unit->address_size;
	struct dwarf_cursor *cursor = &list->cursor;
	uint64_t value = 0;

	switch ((enum list_operand)operand) {
	case INDEX:
		list->broken |= !dwarf_address_at(list->context, dwarf_uleb(cursor), &value);
		return value;
	case ADDRESS:
		return dwarf_number(cursor, size);
	case DISTANCE:
		return list->base + dwarf_uleb(cursor);
	case FAR:
		return list->base + dwarf_number(cursor, size);
	case LENGTH:
		return first + dwarf_uleb(cursor);
	case LENGTH_4:
		return first + dwarf_number(cursor, 4);
	case VIEW:
		dwarf_uleb(cursor);
		return 0;
	case EVERYWHERE:
		break;
	}
	return 0;
}

/* Read the operands of an entry. False at the end. `*is_range`: not a base or view. */
static bool
read_kind(struct dwarf_list *list, struct dwarf_list_entry *entry, bool *is_range)
{
	const unsigned kind = dwarf_byte(&list->cursor);
	const char *operands = kind < KINDS ? list->operands[kind] : NULL;

	list->broken |= list->cursor.cut || operands == NULL;
	if (list->broken || *operands == '\0')
		return false;
	entry->low = read_operand(list, operands[0], 0);
	if (operands[1] != '\0')
		entry->high = read_operand(list, operands[1], entry->low);
	entry->everywhere = *operands == EVERYWHERE;
	*is_range = (operands[1] != '\0' && *operands != VIEW) || entry->everywhere;
	if (!*is_range && *operands != VIEW)
		list->base = entry->low;
	return true;
}

/* Read a pair of offsets from the base; if the first is the largest address, a new base follows. */
static bool
read_pair(struct dwarf_list *list, struct dwarf_list_entry *entry, bool *is_range)
{
	const unsigned size = list->context->unit->address_size;
	const uint64_t most = size == 8 ? UINT64_MAX : UINT32_MAX;
	const uint64_t low = dwarf_number(&list->cursor, size);
	const uint64_t high = dwarf_number(&list->cursor, size);

	if (list->cursor.cut || (low == 0 && high == 0))
		return false;
	*is_range = low != most;
	if (low == most)
		list->base = high;
	entry->low = (list->base + low) & most;
	entry->high = (list->base + high) & most;
	return true;
}

bool
dwarf_list_next(struct dwarf_list *list, struct dwarf_list_entry *entry)
{
	bool is_range = false;

	for (unsigned others = 0; !is_range; others++) {
		*entry = (struct dwarf_list_entry){ 0 };
		const bool more = list->operands == NULL ? read_pair(list, entry, &is_range)
							 : read_kind(list, entry, &is_range);

		list->broken |= list->cursor.cut || others > MOST_OTHERS;
		if (!more || list->broken)
			return false;
	}
	if (list->locations) {
		entry->size = list->context->unit->version >= 5 ? dwarf_uleb(&list->cursor)
								: dwarf_number(&list->cursor, 2);
		entry->code = list->cursor.at;
		dwarf_skip(&list->cursor, entry->size);
		list->broken |= list->cursor.cut;
	}
	return !list->broken;
}
