/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_entry.h"

#include "base/sorted.h"
#include "dwarf/dwarf_codes.h"
#include "dwarf/grown.h"

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

/* The address in an attribute. False if the attribute is missing or not an address. */
static bool
read_address(const struct dwarf_context *context, const struct dwarf_entry *entry,
	     enum dwarf_attribute attribute, uint64_t *address)
{
	return dwarf_entry_has(entry, attribute) &&
	       dwarf_value_address(context, &entry->values[attribute], address);
}

/* The offset in an attribute of the unit's root entry; `without` if the attribute is missing. */
static uint64_t
base_of(const struct dwarf_entry *entry, enum dwarf_attribute attribute, uint64_t without)
{
	return dwarf_entry_has(entry, attribute) ? dwarf_entry_number(entry, attribute) : without;
}

static enum dwarf_read
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
	/* Size of a table's header. Bases refer to the entry after it (DWARF 5, 7.26 and 7.27). */
	const uint64_t base = unit->version < 5 ? 0 : unit->offset_size == 8 ? 16 : 8;
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
	return GROWN_ADD(*ranges, &(struct dwarf_range){ low, high });
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
	/* Since DWARF 4 DW_AT_high_pc may also be the size. */
	if (!read_address(context, entry, DWARF_HIGH, &high))
		high = low + entry->values[DWARF_HIGH].number;
	return add_range(ranges, low, high);
}

/* Lists of ranges and locations ---------------------------------------------------------------- */

/* Kinds of operands. A list entry has up to two; a range has its start and its end. */
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

/* Operands by kind of entry. A single operand is a new base, except for EVERYWHERE. */
#define KINDS 10
static const char *const range_kinds[KINDS] = { "", "x", "xx", "xs", "oo", "a", "aa", "as" };
static const char *const location_kinds[KINDS] = { "",	"x", "xx", "xs", "oo",
						   "e", "a", "aa", "as", "vv" };
static const char *const split_kinds[KINDS] = { "", "x", "xx", "xl", "ff" };

/* Maximum number of consecutive entries that only set a base or view numbers. */
#define MOST_OTHERS 16u

/* A cursor in the section of a list. The section may be in the skeleton's file. */
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
		/* Before version 4, constants of these sizes are also offsets. */
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

/* Read the operands of an entry. False at the end. `*is_range`: the entry sets no base or view. */
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

/* Scopes --------------------------------------------------------------------------------------- */

/* Maximum depth of nested entries; compilers write fewer levels. */
#define MOST_LEVELS 1024u

/* Add an entry's scope, and enter it in `level`; false when out of memory. */
static bool
open_scope(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
	   const struct dwarf_entry *entry, struct dwarf_scope_level *level)
{
	const uint64_t start = entry->offset - unit->unit->start;

	if (start > UINT32_MAX - 1)
		return true;
	if (!GROWN_ADD(*scopes, &(struct dwarf_scope){ (uint32_t)start, UINT32_MAX, level->scope }))
		return false;
	level->scope = level->opened = (uint32_t)(scopes->count - 1);
	return true;
}

bool
dwarf_scopes_read(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
		  dwarf_scopes_visit *visit, void *context)
{
	struct dwarf_scope_level levels[MOST_LEVELS] = { { DWARF_NO_SCOPE, DWARF_NO_SCOPE,
							   DWARF_NO_SCOPE, 0 } };
	const struct dwarf_unit *header = unit->unit;
	struct dwarf_cursor cursor = dwarf_file_at(unit->file, header->section, header->entries);
	struct dwarf_entry entry;
	size_t depth = 0;
	bool good = true;

	cursor.end -= unit->file->sections[header->section].size - header->end;
	for (;;) {
		const enum dwarf_read read = dwarf_entry_read(unit, &cursor, &entry);

		if (read == DWARF_READ_DAMAGED)
			return good && cursor.at == cursor.end && !cursor.cut;
		if (read == DWARF_READ_END) {
			const uint32_t opened = levels[depth].opened;

			if (depth == 0)
				return good;
			if (opened != DWARF_NO_SCOPE)
				scopes->items[opened].end =
					(uint32_t)(entry.offset - header->start);
			/* The unit's own entry is at level 0. */
			if (--depth == 0)
				return good;
			continue;
		}
		struct dwarf_scope_level level = levels[depth];
		const uint8_t kind = entry.abbrev->kind;
		level.opened = DWARF_NO_SCOPE;
		if (kind >= DWARF_NAMESPACE && visit != NULL)
			good &= visit(context, &entry, &level);
		if (!entry.abbrev->children)
			continue;
		if (kind >= DWARF_NAMESPACE && kind <= DWARF_FUNCTION)
			good &= open_scope(scopes, unit, &entry, &level);
		if (depth + 1 == MOST_LEVELS)
			return false;
		levels[++depth] = level;
	}
}

uint32_t
dwarf_scopes_around(const struct dwarf_scopes *scopes, uint32_t offset)
{
	size_t low;

	BISECT(low, scopes->count, scopes->items[low].start < offset);
	uint32_t scope = low > 0 ? (uint32_t)low - 1 : DWARF_NO_SCOPE;
	while (scope != DWARF_NO_SCOPE && scopes->items[scope].end <= offset)
		scope = scopes->items[scope].parent;
	return scope;
}
