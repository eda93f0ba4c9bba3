/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_entry.h"

#include "dwarf/dwarf_list.h"
#include "dwarf/grown.h"

/* Bytes of the header before the entries that a base refers to (DWARF 5, 7.26 and 7.27). */
static uint64_t
header_size(const struct dwarf_unit *unit)
{
	return unit->offset_size == 8 ? 16 : 8;
}

bool
dwarf_address_at(const struct dwarf_context *context, uint64_t index, uint64_t *address)
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

bool
dwarf_value_address(const struct dwarf_context *context, const struct dwarf_value *value,
		    uint64_t *address)
{
	const unsigned class = dwarf_form_of(value->form)->class;

	if (class == DWARF_ADDRESS_INDEX)
		return dwarf_address_at(context, value->number, address);
	if (class == DWARF_IS_ADDRESS)
		*address = value->number;
	return class == DWARF_IS_ADDRESS;
}

/* The address in an attribute. False if the entry has none there. */
static bool
read_address(const struct dwarf_context *context, const struct dwarf_entry *entry,
	     enum dwarf_attribute attribute, uint64_t *address)
{
	return dwarf_entry_has(entry, attribute) &&
	       dwarf_value_address(context, &entry->values[attribute], address);
}

/* The offset in an attribute of the unit's root entry, by default `without`. */
static uint64_t
base_of(const struct dwarf_entry *entry, enum dwarf_attribute attribute, uint64_t without)
{
	return dwarf_entry_has(entry, attribute) ? dwarf_entry_number(entry, attribute) : without;
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
	*cursor = dwarf_file_at(file, unit->section, unit->entries);
	cursor->end -= file->sections[unit->section].size - unit->end;
	struct dwarf_cursor first = *cursor;
	if (!dwarf_abbrevs_read(context->abbrevs, file, unit,
				context->root_only ? dwarf_uleb(&first) : DWARF_ALL_CODES))
		return false;
	if (dwarf_entry_read(context, cursor, entry) != DWARF_READ_ENTRY)
		return false;
	const uint64_t base = unit->version >= 5 ? header_size(unit) : 0;
	context->str_base = base_of(entry, DWARF_STR_BASE, base);
	context->addr_base = base_of(entry, DWARF_ADDR_BASE, base);
	context->ranges_base = dwarf_entry_number(entry, DWARF_RANGES_BASE);
	context->locations_base = dwarf_entry_number(entry, DWARF_LOCATIONS_BASE);
	read_address(context, entry, DWARF_LOW, &context->low);
	return true;
}

bool
dwarf_context_split(struct dwarf_context *context, const struct dwarf_context *skeleton,
		    const struct dwarf_file *file, const struct dwarf_unit *unit,
		    struct dwarf_cursor *cursor, struct dwarf_entry *entry)
{
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
	const uint8_t *section = context->file->sections[context->unit->section].data;

	entry->offset = (uint64_t)(cursor->at - section);
	if (cursor->at == cursor->end)
		return DWARF_READ_DAMAGED;
	const uint64_t code = dwarf_uleb(cursor);
	if (code == 0)
		return DWARF_READ_END;
	const struct dwarf_abbrev *abbrev = dwarf_abbrev_at(context->abbrevs, code);
	if (abbrev == NULL)
		return DWARF_READ_DAMAGED;
	const struct dwarf_step *step = &context->abbrevs->steps[abbrev->first];
	const struct dwarf_step *const end = step + abbrev->count;
	entry->abbrev = abbrev;
	entry->present = 0;
	while (step < end) {
		if (step->run > 0) {
			dwarf_skip(cursor, step->bytes);
			step += step->run;
			continue;
		}
		struct dwarf_value skipped, *value = &skipped;

		if (step->attribute < DWARF_ATTRIBUTES) {
			value = &entry->values[step->attribute];
			entry->present |= 1u << step->attribute;
		}
		value->form = step->form;
		dwarf_form_read(cursor, context->unit, value);
		if (step->number != 0)
			value->number = (uint64_t)step->number;
		step++;
	}
	return cursor->cut ? DWARF_READ_DAMAGED : DWARF_READ_ENTRY;
}

bool
dwarf_entry_at(const struct dwarf_context *context, uint64_t offset, struct dwarf_entry *entry)
{
	const struct dwarf_unit *unit = context->unit;
	struct dwarf_cursor cursor = dwarf_file_at(context->file, unit->section, offset);

	if (offset < unit->entries || offset >= unit->end)
		return false;
	cursor.end -= context->file->sections[unit->section].size - unit->end;
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
dwarf_value_reference(const struct dwarf_context *context, const struct dwarf_value *value,
		      uint64_t *offset)
{
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

const struct dwarf_file *
dwarf_entry_reference(const struct dwarf_context *context, const struct dwarf_entry *entry,
		      enum dwarf_attribute attribute, uint64_t *offset)
{
	return dwarf_entry_has(entry, attribute)
		       ? dwarf_value_reference(context, &entry->values[attribute], offset) : NULL;
}

/* Ranges --------------------------------------------------------------------------------------- */

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

bool
dwarf_entry_ranges(const struct dwarf_context *context, const struct dwarf_entry *entry,
		   struct dwarf_ranges *ranges)
{
	struct dwarf_list_entry item;
	struct dwarf_list list;
	uint64_t low, high;

	if (dwarf_entry_has(entry, DWARF_RANGE_LIST)) {
		if (!dwarf_list_open(&list, context, &entry->values[DWARF_RANGE_LIST], false))
			return false;
		while (dwarf_list_next(&list, &item))
			if (!add_range(ranges, item.low, item.high))
				return false;
		return !list.broken;
	}
	if (!dwarf_entry_has(entry, DWARF_HIGH) ||
	    !read_address(context, entry, DWARF_LOW, &low))
		return true;
	/* Since DWARF 4 it may also be the size. */
	if (!read_address(context, entry, DWARF_HIGH, &high))
		high = low + entry->values[DWARF_HIGH].number;
	return add_range(ranges, low, high);
}
