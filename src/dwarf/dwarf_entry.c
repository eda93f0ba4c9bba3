/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_entry.h"

#include "dwarf/dwarf_form.h"
#include "dwarf/grown.h"

/* Bytes of the headers in front of what a base points behind (DWARF 5, 7.26 and 7.27). */
static uint64_t
header_size(const struct dwarf_unit *unit)
{
	return unit->offset_size == 8 ? 16 : 8;
}

/* Number `index` of the unit's table of addresses. */
static bool
address_at(const struct dwarf_context *context, uint64_t index, uint64_t *address)
{
	const unsigned size = context->unit->address_size;

	if (index > UINT32_MAX)
		return false;
	struct dwarf_cursor table = dwarf_file_at(context->skeletons, DWARF_ADDR,
						  context->addr_base + index * size);
	const uint64_t found = dwarf_number(&table, size);
	if (!table.cut)
		*address = found;
	return !table.cut;
}

/* The address in an attribute; false where there is none. */
static bool
read_address(const struct dwarf_context *context, const struct dwarf_entry *entry,
		    enum dwarf_attribute attribute, uint64_t *address)
{
	const struct dwarf_value *value = &entry->values[attribute];

	if (!dwarf_entry_has(entry, attribute))
		return false;
	const unsigned class = dwarf_form_of(value->form)->class;
	if (class == DWARF_ADDRESS_INDEX)
		return address_at(context, value->number, address);
	if (class == DWARF_IS_ADDRESS)
		*address = value->number;
	return class == DWARF_IS_ADDRESS;
}

bool
dwarf_context_begin(struct dwarf_context *context, const struct dwarf_file *file,
		    const struct dwarf_unit *unit, struct dwarf_cursor *cursor,
		    struct dwarf_entry *entry)
{
	context->file = file;
	context->skeletons = file;
	context->unit = unit;
	context->low = 0;
	if (!dwarf_abbrevs_read(&context->abbrevs, file, unit))
		return false;
	*cursor = dwarf_file_at(file, DWARF_INFO, unit->entries);
	cursor->end -= file->sections[DWARF_INFO].size - unit->end;
	if (dwarf_entry_read(context, cursor, entry) != DWARF_READ_ENTRY)
		return false;
	context->str_base = dwarf_entry_has(entry, DWARF_STR_BASE)
				    ? dwarf_entry_number(entry, DWARF_STR_BASE)
				    : unit->version >= 5 ? header_size(unit) : 0;
	context->addr_base = dwarf_entry_has(entry, DWARF_ADDR_BASE)
				     ? dwarf_entry_number(entry, DWARF_ADDR_BASE)
				     : unit->version >= 5 ? header_size(unit) : 0;
	context->ranges_base = dwarf_entry_number(entry, DWARF_RANGES_BASE);
	read_address(context, entry, DWARF_LOW, &context->low);
	return true;
}

bool
dwarf_context_split(struct dwarf_context *context, const struct dwarf_context *skeleton,
		    const struct dwarf_file *file, const struct dwarf_unit *unit,
		    struct dwarf_cursor *cursor, struct dwarf_entry *entry)
{
	context->abbrevs.file = NULL;
	if (!dwarf_context_begin(context, file, unit, cursor, entry))
		return false;
	context->skeletons = skeleton->file;
	context->addr_base = skeleton->addr_base;
	context->low = skeleton->low;
	if (unit->version < 5)
		context->ranges_base = skeleton->ranges_base;
	return true;
}

enum dwarf_read
dwarf_entry_read(const struct dwarf_context *context, struct dwarf_cursor *cursor,
		 struct dwarf_entry *entry)
{
	entry->offset = (uint64_t)(cursor->at - context->file->sections[DWARF_INFO].data);
	if (cursor->at == cursor->end)
		return DWARF_READ_DAMAGED;
	const uint64_t code = dwarf_uleb(cursor);
	if (code == 0)
		return DWARF_READ_END;
	const struct dwarf_abbrev *abbrev = dwarf_abbrev_at(&context->abbrevs, code);
	if (abbrev == NULL)
		return DWARF_READ_DAMAGED;
	const struct dwarf_step *step = &context->abbrevs.steps[abbrev->first];
	const struct dwarf_step *const end = step + abbrev->count;
	entry->abbrev = abbrev;
	entry->present = 0;
	for (; step < end; step++) {
		if (step->action == DWARF_SKIP) {
			dwarf_skip(cursor, (uint64_t)step->number);
			continue;
		}
		uint16_t form = step->form;
		uint64_t number = dwarf_form_read(cursor, &form, context->unit);
		if (step->action != DWARF_KEEP)
			continue;
		if (step->number != 0)
			number = (uint64_t)step->number;
		entry->values[step->attribute] = (struct dwarf_value){ number, form };
		entry->present |= 1u << step->attribute;
	}
	return cursor->cut ? DWARF_READ_DAMAGED : DWARF_READ_ENTRY;
}

bool
dwarf_entry_at(const struct dwarf_context *context, uint64_t offset, struct dwarf_entry *entry)
{
	const struct dwarf_unit *unit = context->unit;
	struct dwarf_cursor cursor = dwarf_file_at(context->file, DWARF_INFO, offset);

	if (offset < unit->entries || offset >= unit->end)
		return false;
	cursor.end -= context->file->sections[DWARF_INFO].size - unit->end;
	return dwarf_entry_read(context, &cursor, entry) == DWARF_READ_ENTRY;
}

const char *
dwarf_value_text(const struct dwarf_context *context, const struct dwarf_value *value)
{
	const struct dwarf_file *file = context->file;
	const unsigned size = context->unit->offset_size;
	struct dwarf_cursor table;
	uint64_t at;

	switch (dwarf_form_of(value->form)->class) {
	case DWARF_IS_TEXT:
		return (const char *)(uintptr_t)value->number;
	case DWARF_TEXT_AT:
		return dwarf_file_text(file, DWARF_STR, value->number);
	case DWARF_LINE_TEXT_AT:
		return dwarf_file_text(file, DWARF_LINE_STR, value->number);
	case DWARF_SUPPLEMENT_TEXT:
		return file->supplement != NULL
			       ? dwarf_file_text(file->supplement, DWARF_STR, value->number) : NULL;
	case DWARF_TEXT_INDEX:
		if (value->number > UINT32_MAX)
			return NULL;
		table = dwarf_file_at(file, DWARF_STR_OFFSETS,
				      context->str_base + value->number * size);
		at = dwarf_number(&table, size);
		return table.cut ? NULL : dwarf_file_text(file, DWARF_STR, at);
	default:
		return NULL;
	}
}

const struct dwarf_file *
dwarf_entry_reference(const struct dwarf_context *context, const struct dwarf_entry *entry,
		      enum dwarf_attribute attribute, uint64_t *offset)
{
	const struct dwarf_value *value = &entry->values[attribute];

	if (!dwarf_entry_has(entry, attribute))
		return NULL;
	*offset = value->number;
	switch (dwarf_form_of(value->form)->class) {
	case DWARF_IN_UNIT:
		*offset += context->unit->start;
		return *offset < context->unit->end ? context->file : NULL;
	case DWARF_IN_FILE:
		return context->file;
	case DWARF_IN_SUPPLEMENT:
		return context->file->supplement;
	default:
		return NULL;
	}
}

/* Ranges --------------------------------------------------------------------------------------- */

/* Kinds of entries (DWARF 5, table 7.10). */
enum { LIST_END, BASE_X, START_X_END_X, START_X_LENGTH, OFFSET_PAIR, LIST_BASE, START_END,
       START_LENGTH };

static bool
add_range(struct dwarf_ranges *ranges, uint64_t low, uint64_t high)
{
	if (ranges->budget == 0)
		return false;
	ranges->budget--;
	if (high <= low)
		return true;
	struct dwarf_range *added = GROWN_PUSH(*ranges);
	if (added != NULL)
		*added = (struct dwarf_range){ low, high };
	return added != NULL;
}

/* A list of DWARF 2 to 4 (DWARF 4, 2.17.3). */
static bool
read_pairs(const struct dwarf_context *context, uint64_t at, struct dwarf_ranges *ranges)
{
	const unsigned size = context->unit->address_size;
	const uint64_t most = size == 8 ? UINT64_MAX : UINT32_MAX;
	struct dwarf_cursor cursor = dwarf_file_at(context->skeletons, DWARF_RANGES, at);
	uint64_t base = context->low;

	for (;;) {
		const uint64_t low = dwarf_number(&cursor, size);
		const uint64_t high = dwarf_number(&cursor, size);

		if (cursor.cut || (low == 0 && high == 0))
			return !cursor.cut;
		if (low == most)
			base = high;
		else if (!add_range(ranges, (base + low) & most, (base + high) & most))
			return false;
	}
}

/* Both numbers of an entry as addresses. */
static bool
resolve(const struct dwarf_context *context, unsigned kind, uint64_t base, uint64_t *low,
	uint64_t *high)
{
	if ((kind == START_X_END_X || kind == START_X_LENGTH) &&
	    !address_at(context, *low, low))
		return false;
	if (kind == START_X_END_X)
		return address_at(context, *high, high);
	if (kind == OFFSET_PAIR) {
		*low += base;
		*high += base;
	} else if (kind != START_END) {
		*high += *low;
	}
	return true;
}

static bool
read_list(const struct dwarf_context *context, uint64_t at, struct dwarf_ranges *ranges)
{
	const unsigned size = context->unit->address_size;
	struct dwarf_cursor cursor = dwarf_file_at(context->file, DWARF_RNGLISTS, at);
	uint64_t base = context->low, low, high;

	for (;;) {
		const unsigned kind = dwarf_byte(&cursor);

		if (cursor.cut || kind == LIST_END || kind > START_LENGTH)
			return !cursor.cut && kind == LIST_END;
		low = kind >= LIST_BASE ? dwarf_number(&cursor, size) : dwarf_uleb(&cursor);
		if (kind == LIST_BASE) {
			base = low;
			continue;
		}
		if (kind == BASE_X) {
			if (!address_at(context, low, &base))
				return false;
			continue;
		}
		high = kind == START_END ? dwarf_number(&cursor, size) : dwarf_uleb(&cursor);
		if (!resolve(context, kind, base, &low, &high) || !add_range(ranges, low, high))
			return false;
	}
}

/* Where a list is that an attribute names. */
static bool
list_at(const struct dwarf_context *context, const struct dwarf_value *value, uint64_t *at)
{
	const unsigned size = context->unit->offset_size;
	const bool split = context->skeletons != context->file;

	*at = value->number;
	if (dwarf_form_of(value->form)->class != DWARF_LIST_INDEX) {
		/* GNU_ranges_base is of split units alone, although their skeletons have it. */
		if (split && context->unit->version < 5)
			*at += context->ranges_base;
		return true;
	}
	/* Split units have one table of offsets, behind the header of their section (7.28). */
	const uint64_t base = context->ranges_base != 0 ? context->ranges_base
							: header_size(context->unit) + 4;
	if (value->number > UINT32_MAX)
		return false;
	struct dwarf_cursor table = dwarf_file_at(context->file, DWARF_RNGLISTS,
						  base + value->number * size);
	*at = base + dwarf_number(&table, size);
	return !table.cut;
}

bool
dwarf_entry_ranges(const struct dwarf_context *context, const struct dwarf_entry *entry,
		   struct dwarf_ranges *ranges)
{
	uint64_t low, high, at;

	if (dwarf_entry_has(entry, DWARF_RANGE_LIST))
		return list_at(context, &entry->values[DWARF_RANGE_LIST], &at) &&
		       (context->unit->version < 5 ? read_pairs(context, at, ranges)
						   : read_list(context, at, ranges));
	if (!dwarf_entry_has(entry, DWARF_HIGH) ||
	    !read_address(context, entry, DWARF_LOW, &low))
		return true;
	/* From DWARF 4 on it may also be the size. */
	if (!read_address(context, entry, DWARF_HIGH, &high))
		high = low + entry->values[DWARF_HIGH].number;
	return add_range(ranges, low, high);
}
