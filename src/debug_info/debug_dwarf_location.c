/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "debug_info/debug_dwarf_internal.h"
#include "dwarf/dwarf_list.h"

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

enum dwarf_attribute_name
debug_dwarf_attribute_name(enum debug_attribute attribute)
{
	return attribute_names[attribute];
}

/* An expression of a unit. */
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

struct debug_location
debug_dwarf_locate(const struct debug_home *home, const struct dwarf_die *die,
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
