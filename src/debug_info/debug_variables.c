/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/debug_variables.h"

#include <string.h>

#include "base/limits.h"
#include "debug_info/debug_pdb_internal.h"
#include "dwarf/dwarf_entry.h"

/*
 * Locations in attributes: a constant, an expression, or a list of expressions for ranges of code
 * (DWARF 5, 2.6 and 7.7.3).
 */

static const enum dwarf_attribute_name attribute_names[DEBUG_ATTRIBUTES] = {
	[DEBUG_LOCATION] = DW_AT_location,
	[DEBUG_FRAME_BASE] = DW_AT_frame_base,
	[DEBUG_UPPER_BOUND] = DW_AT_upper_bound,
	[DEBUG_COUNT] = DW_AT_count,
	[DEBUG_LOWER_BOUND] = DW_AT_lower_bound,
	[DEBUG_LENGTH] = DW_AT_string_length,
	[DEBUG_STRIDE] = DW_AT_byte_stride,
	[DEBUG_DATA_LOCATION] = DW_AT_data_location,
	[DEBUG_ALLOCATED] = DW_AT_allocated,
	[DEBUG_ASSOCIATED] = DW_AT_associated,
	[DEBUG_MEMBER] = DW_AT_data_member_location,
	[DEBUG_CLASS] = DW_AT_containing_type,
};

static struct debug_expression
expression_of(const struct debug_home *home, const struct dwarf_context *context,
	      const uint8_t *code, uint64_t size)
{
	const struct dwarf_unit *unit = context->unit;

	return (struct debug_expression){
		.home = home,
		.dwarf = { .version = unit->version, .word = unit->address_size,
			   .offset_size = unit->offset_size,
			   .code = { .data = code, .size = size,
				     .input = &home->dwarf->binary->file.input,
				     .big_endian = home->dwarf->binary->big_endian } } };
}

static bool
is_expression(const struct dwarf_value *value)
{
	return dwarf_form_of(value->form)->class == DWARF_IS_BLOCK;
}

bool
debug_dwarf_expression(const struct debug_home *home, const struct dwarf_die *die,
		       enum dwarf_attribute_name name, struct debug_expression *expression)
{
	struct dwarf_value value;

	if (!dwarf_die_value(die, name, &value) || !is_expression(&value))
		return false;
	*expression = expression_of(home, die->unit, value.bytes, value.number);
	return true;
}

/* Lists ---------------------------------------------------------------------------------------- */

/* The distance of an address from a range that does not contain it. */
static uint64_t
distance(uint64_t low, uint64_t high, uint64_t address)
{
	return address < low ? low - address : address - high + 1;
}

/* Find the first list entry for an address. */
static void
search_list(const struct debug_home *home, struct dwarf_list *list, uint64_t address,
	    struct debug_location *location)
{
	uint64_t *budget = &home->dwarf->budget;
	struct dwarf_list_entry entry;

	location->kind = DEBUG_LOCATION_ELSEWHERE;
	for (; *budget > 0 && dwarf_list_next(list, &entry); --*budget) {
		if (entry.everywhere || (entry.low <= address && address < entry.high)) {
			location->kind = DEBUG_LOCATION_EXPRESSION;
			location->expression =
				expression_of(home, list->context, entry.code, entry.size);
			if (!entry.everywhere)
				return;
		} else if (entry.low < entry.high && entry.size > 0 &&
			   (!location->has_nearest ||
			    distance(entry.low, entry.high, address) <
				    distance(location->low, location->high, address))) {
			location->has_nearest = true;
			location->low = entry.low;
			location->high = entry.high;
		}
	}
	if (list->broken && location->kind == DEBUG_LOCATION_ELSEWHERE)
		location->kind = DEBUG_LOCATION_BROKEN;
}

/* Attributes ----------------------------------------------------------------------------------- */

/* A constant in an attribute: a number, or bytes as in memory. */
static bool
locate_constant(const struct debug_home *home, const struct dwarf_context *context,
		const struct dwarf_value *value, struct debug_location *location)
{
	const char *text;

	location->kind = DEBUG_LOCATION_CONSTANT;
	if (value->bytes != NULL) {
		location->expression =
			expression_of(home, context, value->bytes, value->number);
		location->bytes = location->expression.dwarf.code;
	} else if (dwarf_value_unsigned(value, &location->number)) {
		location->kind = DEBUG_LOCATION_NUMBER;
	} else if ((text = dwarf_value_text(context, value)) != NULL) {
		location->bytes = (struct reader){ .data = (const uint8_t *)text,
						   .size = strlen(text) + 1 };
	} else {
		location->kind = DEBUG_LOCATION_NONE;
	}
	return location->kind != DEBUG_LOCATION_NONE;
}

/* The location in an attribute at an address as linked. */
static struct debug_location
locate_value(const struct debug_home *home, const struct dwarf_die *die,
		   enum debug_attribute which, uint64_t address)
{
	struct debug_location location = { .kind = DEBUG_LOCATION_NONE };
	struct dwarf_value value;
	struct dwarf_die owner;
	struct dwarf_list list;

	if (which == DEBUG_LOCATION &&
	    dwarf_die_inherited(die, DW_AT_const_value, &value, &owner) &&
	    locate_constant(home, owner.unit, &value, &location))
		return location;
	if (!dwarf_die_inherited(die, attribute_names[which], &value, &owner))
		return location;
	if (is_expression(&value)) {
		location.kind = DEBUG_LOCATION_EXPRESSION;
		location.expression =
			expression_of(home, owner.unit, value.bytes, value.number);
		return location;
	}
	dwarf_store_open_more(&home->dwarf->store);
	if (dwarf_list_open(&list, owner.unit, &value, true))
		search_list(home, &list, address, &location);
	else if (!locate_constant(home, owner.unit, &value, &location))
		location.kind = DEBUG_LOCATION_BROKEN;
	return location;
}

static uint64_t
linked(const struct debug_home *home, uint64_t relative)
{
	return home->dwarf == NULL ? relative : home->base + relative;
}

static void
begin_question(const struct debug_home *home)
{
	if (home->dwarf == NULL)
		home->pdb->types.types.left = LIMIT_PDB_TYPE_READS;
	else
		home->dwarf->kept_budget = debug_dwarf_begin_question(home->dwarf);
}

void
debug_home_lock(const struct debug_home *home)
{
	pthread_mutex_lock(&home->reader->mutex);
	begin_question(home);
}

void
debug_home_unlock(const struct debug_home *home)
{
	if (home->dwarf == NULL)
		home->pdb->types.types.left = UINT64_MAX;
	else
		debug_dwarf_end_question(home->dwarf, home->dwarf->kept_budget);
	debug_info_unlock(home->reader, home->module);
}

static bool
find_unit(struct debug_home *home, uint64_t relative)
{
	const uint64_t address = linked(home, relative);

	home->unit = debug_dwarf_unit(home->dwarf, address);
	return home->unit != NULL && debug_dwarf_function(home->unit, address) != NULL;
}

const struct debug_home *
debug_home_at(const struct binaries *binaries, size_t module, uint64_t relative,
	      struct arena *arena)
{
	struct debug_readers readers[DEBUG_INFO_SOURCES];
	struct debug_home home = { .module = module };
	bool found = false;

	home.reader = debug_info_lock(binaries, module, relative, readers);
	if (home.reader == NULL)
		return NULL;
	for (size_t i = 0; !found && i < DEBUG_INFO_SOURCES; i++) {
		home.dwarf = readers[i].dwarf;
		home.base = home.dwarf != NULL ? home.dwarf->base : 0;
		home.pdb = readers[i].pdb;
		found = home.dwarf != NULL ? find_unit(&home, relative)
					   : home.pdb != NULL && debug_pdb_home(&home, relative);
	}
	struct debug_home *kept = found ? arena_alloc(arena, sizeof(*kept)) : NULL;
	if (kept == NULL)
		debug_info_unlock(home.reader, module);
	else
		*kept = home;
	if (kept != NULL)
		begin_question(kept);
	return kept;
}

struct debug_location
debug_locate(const struct debug_entry *entry, enum debug_attribute attribute, uint64_t relative)
{
	const struct dwarf_die die = debug_dwarf_die(entry);
	const struct debug_home *home = entry->home;
	const uint64_t base = linked(home, 0);

	debug_home_lock(home);
	struct debug_location location = { .kind = DEBUG_LOCATION_NONE };
	if (home->dwarf != NULL)
		location = locate_value(home, &die, attribute, base + relative);
	else if (attribute == DEBUG_LOCATION)
		location = debug_pdb_location(entry, relative);
	debug_home_unlock(home);
	location.low -= base;
	location.high -= base;
	return location;
}

bool
debug_reference(const struct debug_entry *entry, enum debug_attribute attribute,
		struct debug_entry *to)
{
	const struct debug_home *home = entry->home;
	const struct dwarf_die die = debug_dwarf_die(entry);
	struct dwarf_die found;

	if (home->dwarf == NULL)
		return false;
	debug_home_lock(home);
	const bool refers = dwarf_die_follow(&die, attribute_names[attribute], &found);
	debug_home_unlock(home);
	if (refers)
		*to = debug_dwarf_entry(home, &found);
	return refers;
}

bool
debug_entry_at(const struct debug_home *home, uint64_t offset, bool of_unit,
	       struct debug_entry *entry)
{
	struct dwarf_die die;
	bool found = false;

	if (home->dwarf == NULL)
		return false;
	const struct dwarf_context *unit = home->unit->context;
	debug_home_lock(home);
	if (of_unit)
		found = offset < UINT32_MAX &&
			dwarf_die_at(unit, unit->unit->start + offset, &die);
	else if ((unit = dwarf_store_unit_of(&home->dwarf->store, unit->file, offset)) != NULL)
		found = dwarf_die_at(unit, offset, &die);
	debug_home_unlock(home);
	if (found)
		*entry = debug_dwarf_entry(home, &die);
	return found;
}

bool
debug_address_at(const struct debug_expression *expression, uint64_t index, uint64_t *address)
{
	const struct debug_home *home = expression->home;

	if (home->dwarf == NULL)
		return false;
	debug_home_lock(home);
	const bool found = dwarf_address_at(home->unit->context, index, address);
	debug_home_unlock(home);
	return found;
}

bool
debug_home_is_object(const struct debug_home *home)
{
	return home != NULL && home->dwarf != NULL &&
	       home->dwarf->binary->use == BINARY_RELOCATABLE;
}

size_t
debug_home_module(const struct debug_home *home, uint64_t *linked_base)
{
	*linked_base = linked(home, 0);
	return home->module;
}
