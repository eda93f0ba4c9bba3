/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#ifdef HAVE_DWARF

#include <string.h>

#include "base/compiler.h"
#include "debug_info/debug_dwarf_internal.h"

/*
 * Where attributes say that something is: a constant, an expression, or a list of expressions for
 * ranges of code (DWARF 5, 2.6 and 7.7.3; versions 2 to 4 have .debug_loc).
 *
 * Lists are read here and not by libdw, which has no access to the other sections of a split unit
 * and keeps what it has read of each expression.
 */

static const char *const section_names[] = { "info", "addr", "loc", "loclists", NULL };

static const unsigned attribute_names[DEBUG_ATTRIBUTES] = {
	[DEBUG_LOCATION] = DW_AT_location,     [DEBUG_FRAME_BASE] = DW_AT_frame_base,
	[DEBUG_UPPER_BOUND] = DW_AT_upper_bound, [DEBUG_COUNT] = DW_AT_count,
	[DEBUG_LOWER_BOUND] = DW_AT_lower_bound, [DEBUG_LENGTH] = DW_AT_string_length,
	 [DEBUG_STRIDE] = DW_AT_byte_stride,
	[DEBUG_DATA_LOCATION] = DW_AT_data_location, [DEBUG_ALLOCATED] = DW_AT_allocated,
	[DEBUG_ASSOCIATED] = DW_AT_associated,
	[DEBUG_MEMBER] = DW_AT_data_member_location, [DEBUG_CLASS] = DW_AT_containing_type,
};

/* A list of locations while it is read. */
struct location_list {
	struct debug_dwarf *dwarf;
	const struct unit *unit;
	Dwarf_Die *die;
	struct reader bytes;
	uint64_t at;
	uint64_t base;
	unsigned version, word;
	bool split;
	bool broken;
};

/* An entry of it. */
struct location_entry {
	uint64_t low, high;
	bool everywhere;		/* where no other one is (DW_LLE_default_location) */
	struct reader code;
};

unsigned
debug_dwarf_attribute_number(enum debug_attribute attribute)
{
	return attribute_names[attribute];
}

/* Sections ------------------------------------------------------------------------------------- */

static const struct location_sections *
sections_of(struct debug_dwarf *dwarf)
{
	struct location_sections *sections = &dwarf->locations;

	if (sections->tried)
		return sections;
	sections->tried = true;
	if (elf_unpack(&sections->unpacked, dwarf->binary, section_names))
		sections->elf = elf_open(sections->unpacked.data, sections->unpacked.size);
	if (sections->elf == NULL)
		return sections;
	/* Attributes point into what libdw has. */
	sections->info = debug_dwarf_section(dwarf->elf, dwarf->binary, ".debug_info");
	sections->addresses = debug_dwarf_section(sections->elf, dwarf->binary, ".debug_addr");
	sections->loc = debug_dwarf_section(sections->elf, dwarf->binary, ".debug_loc");
	sections->loclists = debug_dwarf_section(sections->elf, dwarf->binary, ".debug_loclists");
	return sections;
}

void
debug_dwarf_close_locations(struct debug_dwarf *dwarf)
{
	if (dwarf->locations.elf != NULL)
		elf_end(dwarf->locations.elf);
	elf_unpacked_free(&dwarf->locations.unpacked);
}

/* Where an attribute's bytes are in the entries of its unit; false: in another file. */
static bool
attribute_at(struct debug_dwarf *dwarf, const struct unit *unit, const Dwarf_Attribute *attribute,
	     struct reader *info, uint64_t *at)
{
	*info = unit->split != NULL ? unit->split->info : sections_of(dwarf)->info;
	*at = (uint64_t)((uintptr_t)attribute->valp - (uintptr_t)info->data);
	return info->data != NULL && *at < info->size;
}

bool
debug_dwarf_address(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die,
		    uint64_t index, uint64_t *address)
{
	struct reader table = sections_of(dwarf)->addresses;
	Dwarf_Attribute attribute;
	Dwarf_Die top;
	uint8_t word;
	Dwarf_Word base;

	if (unit->split != NULL) {
		table = unit->split->addresses;
		word = unit->split->word;
	} else if (dwarf_diecu(die, &top, &word, NULL) == NULL ||
		   (dwarf_attr(&top, DW_AT_addr_base, &attribute) == NULL &&
		    dwarf_attr(&top, DW_AT_GNU_addr_base, &attribute) == NULL) ||
		   dwarf_formudata(&attribute, &base) != 0 || base > table.size ||
		   !reader_window(&table, base, table.size - base, &table)) {
		return false;
	}
	return index <= table.size && reader_unsigned(&table, index * word, word, address);
}

/* Lists ---------------------------------------------------------------------------------------- */

static uint64_t
take_address(struct location_list *list)
{
	uint64_t value = 0;

	list->broken |= !reader_unsigned(&list->bytes, list->at, list->word, &value);
	list->at += list->word;
	return value;
}

static uint64_t
take_number(struct location_list *list)
{
	list->broken |= list->at >= list->bytes.size;
	return debug_dwarf_leb(&list->bytes, &list->at, false);
}

static uint64_t
take_indexed(struct location_list *list)
{
	uint64_t value = 0;

	list->broken |= !debug_dwarf_address(list->dwarf, list->unit, list->die,
					     take_number(list), &value);
	return value;
}

/* The expression, which has its size before it. */
static void
take_code(struct location_list *list, uint64_t size, struct location_entry *entry)
{
	list->broken |= !reader_window(&list->bytes, list->at, size, &entry->code);
	list->at += size;
}

static void
take_short_code(struct location_list *list, struct location_entry *entry)
{
	uint16_t size = 0;

	list->broken |= !reader_u16(&list->bytes, list->at, &size);
	list->at += 2;
	take_code(list, size, entry);
}

/* An entry of .debug_loc: two addresses. False at the end. */
static bool
next_pair(struct location_list *list, struct location_entry *entry)
{
	const uint64_t most = list->word == 8 ? UINT64_MAX : UINT32_MAX;
	const uint64_t low = take_address(list), high = take_address(list);

	if (list->broken || (low == 0 && high == 0))
		return false;
	*entry = (struct location_entry){ .low = list->base + low, .high = list->base + high };
	if (low == most) {
		list->base = high;
		*entry = (struct location_entry){ 0 };
	} else {
		take_short_code(list, entry);
	}
	return !list->broken;
}

/* An entry of .debug_loc.dwo, before DWARF 5: kinds as GCC's page DebugFission has them. */
static bool
next_gnu(struct location_list *list, struct location_entry *entry)
{
	uint32_t length = 0;
	uint8_t kind = 0;

	list->broken |= !reader_u8(&list->bytes, list->at++, &kind);
	*entry = (struct location_entry){ 0 };
	if (list->broken || kind == 0)
		return false;
	if (kind == 1) {
		list->base = take_indexed(list);
		return !list->broken;
	}
	if (kind == 2 || kind == 3)
		entry->low = take_indexed(list);
	if (kind == 2)
		entry->high = take_indexed(list);
	if (kind == 3) {
		list->broken |= !reader_u32(&list->bytes, list->at, &length);
		list->at += 4;
		entry->high = entry->low + length;
	}
	if (kind == 4) {
		entry->low = list->base + take_address(list);
		entry->high = list->base + take_address(list);
	}
	list->broken |= kind > 4;
	take_short_code(list, entry);
	return !list->broken;
}

/* What follows the kind of an entry of DWARF 5. */
static void
take_range(struct location_list *list, uint8_t kind, struct location_entry *entry)
{
	switch (kind) {
	case DW_LLE_startx_endx:
		entry->low = take_indexed(list);
		entry->high = take_indexed(list);
		break;
	case DW_LLE_startx_length:
		entry->low = take_indexed(list);
		entry->high = entry->low + take_number(list);
		break;
	case DW_LLE_offset_pair:
		entry->low = list->base + take_number(list);
		entry->high = list->base + take_number(list);
		break;
	case DW_LLE_default_location:
		entry->everywhere = true;
		break;
	case DW_LLE_start_end:
		entry->low = take_address(list);
		entry->high = take_address(list);
		break;
	case DW_LLE_start_length:
		entry->low = take_address(list);
		entry->high = entry->low + take_number(list);
		break;
	default:
		list->broken = true;
	}
}

/*
 * Two numbers of views, which order states at one address: they hold no code (GCC's
 * LocationViews).
 */
#define LLE_VIEW_PAIR 9

static bool
next_entry(struct location_list *list, struct location_entry *entry)
{
	uint8_t kind = 0;

	*entry = (struct location_entry){ 0 };
	list->broken |= !reader_u8(&list->bytes, list->at++, &kind);
	if (list->broken || kind == DW_LLE_end_of_list)
		return false;
	if (kind == DW_LLE_base_addressx) {
		list->base = take_indexed(list);
	} else if (kind == DW_LLE_base_address) {
		list->base = take_address(list);
	} else if (kind == LLE_VIEW_PAIR) {
		take_number(list);
		take_number(list);
	} else {
		take_range(list, kind, entry);
		take_code(list, take_number(list), entry);
	}
	return !list->broken;
}

/* How far an address is from a range that it is not in. */
static uint64_t
distance(uint64_t low, uint64_t high, uint64_t address)
{
	return address < low ? low - address : address - high + 1;
}

/* Find the entry for an address; of two the first counts. */
static void
search_list(struct location_list *list, uint64_t address, struct debug_location *location)
{
	bool (*const next)(struct location_list *, struct location_entry *) =
		list->version >= 5 ? next_entry : list->split ? next_gnu : next_pair;
	struct location_entry entry;

	location->kind = DEBUG_LOCATION_ELSEWHERE;
	while (debug_dwarf_spend(list->dwarf) && next(list, &entry)) {
		if (entry.everywhere || (entry.low <= address && address < entry.high)) {
			location->kind = DEBUG_LOCATION_EXPRESSION;
			location->expression.dwarf.code = entry.code;
			if (!entry.everywhere)
				return;
		} else if (entry.low < entry.high && entry.code.size > 0 &&
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

/* The list that an attribute names; false where it has another form. */
static bool
open_list(struct location_list *list, const Dwarf_Attribute *attribute, unsigned offset_size)
{
	const struct location_sections *sections = sections_of(list->dwarf);
	const struct split_unit *split = list->unit->split;
	const unsigned form = attribute->form;
	struct reader info;
	uint64_t at;
	Dwarf_Die top;

	const unsigned width = form == DW_FORM_sec_offset ? offset_size
			       : list->version >= 4	  ? 0
			       : form == DW_FORM_data4	  ? 4
			       : form == DW_FORM_data8	  ? 8 : 0;
	list->bytes = split != NULL ? split->locations
		      : list->version >= 5 ? sections->loclists : sections->loc;
	if ((width == 0 && form != DW_FORM_loclistx) ||
	    !attribute_at(list->dwarf, list->unit, attribute, &info, &at))
		return false;
	if (width != 0)
		return reader_unsigned(&info, at, width, &list->at);
	const uint64_t index = debug_dwarf_leb(&info, &at, false);
	uint64_t start = 0;
	if (split == NULL && dwarf_diecu(list->die, &top, NULL, NULL) != NULL)
		start = debug_dwarf_number(&top, DW_AT_loclists_base);
	if (start > list->bytes.size || index > list->bytes.size ||
	    !reader_unsigned(&list->bytes, start + index * offset_size, offset_size, &list->at))
		return false;
	list->at += start;
	return true;
}

/* Attributes ----------------------------------------------------------------------------------- */

/* What an expression of an entry is written for. */
static void
expression_of(const struct debug_home *home, Dwarf_Die *die, struct debug_expression *expression)
{
	const struct split_unit *split = home->unit->split;
	uint8_t word = 0, offset_size = 0;
	Dwarf_Half version = 0;

	if (dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL, &word, &offset_size) != 0)
		version = 0;
	*expression = (struct debug_expression){
		.home = home,
		.dwarf = { .version = version, .word = word, .offset_size = offset_size } };
	if (split != NULL)
		expression->dwarf.version = split->version;
}

bool
debug_dwarf_expression(const struct debug_home *home, Dwarf_Die *die, Dwarf_Attribute *attribute,
		       struct debug_expression *expression)
{
	const bool is_block = attribute->form == DW_FORM_exprloc ||
			      attribute->form == DW_FORM_block ||
			      attribute->form == DW_FORM_block1 ||
			      attribute->form == DW_FORM_block2 ||
			      attribute->form == DW_FORM_block4;
	Dwarf_Block block;

	expression_of(home, die, expression);
	if (!is_block || dwarf_formblock(attribute, &block) != 0)
		return false;
	expression->dwarf.code = (struct reader){
		.data = block.data, .size = block.length,
		.input = &home->dwarf->binary->file.input,
		.big_endian = home->dwarf->binary->big_endian };
	return true;
}

/* A constant in an attribute: a number, or bytes as they are in memory. */
static bool
locate_constant(const struct debug_home *home, Dwarf_Die *die, Dwarf_Attribute *attribute,
		struct debug_location *location)
{
	Dwarf_Word number;
	Dwarf_Sword negative;
	const char *text;

	if (debug_dwarf_expression(home, die, attribute, &location->expression)) {
		location->kind = DEBUG_LOCATION_CONSTANT;
		location->bytes = location->expression.dwarf.code;
	} else if ((attribute->form == DW_FORM_sdata ||
		    attribute->form == DW_FORM_implicit_const) &&
		   dwarf_formsdata(attribute, &negative) == 0) {
		location->kind = DEBUG_LOCATION_NUMBER;
		location->number = (uint64_t)negative;
	} else if (dwarf_formudata(attribute, &number) == 0) {
		location->kind = DEBUG_LOCATION_NUMBER;
		location->number = number;
	} else if ((text = dwarf_formstring(attribute)) != NULL) {
		location->kind = DEBUG_LOCATION_CONSTANT;
		location->bytes = (struct reader){ .data = (const uint8_t *)text,
						   .size = strlen(text) + 1 };
	} else {
		return false;
	}
	return true;
}

/* The address that entries of a unit's lists count from. */
static uint64_t
base_of(const struct unit *unit, Dwarf_Die *die)
{
	Dwarf_Addr low = 0;
	Dwarf_Die top;

	if (unit->split != NULL)
		return unit->split->base;
	return dwarf_diecu(die, &top, NULL, NULL) != NULL && dwarf_lowpc(&top, &low) == 0 ? low : 0;
}

struct debug_location
debug_dwarf_locate(const struct debug_home *home, Dwarf_Die *die, enum debug_attribute which,
		   uint64_t address)
{
	struct debug_location location = { .kind = DEBUG_LOCATION_NONE };
	const struct unit *unit = home->unit;
	struct location_list list = { .dwarf = home->dwarf, .unit = unit, .die = die,
				      .split = unit->split != NULL };
	Dwarf_Attribute attribute;

	if (which == DEBUG_LOCATION &&
	    debug_dwarf_attribute(die, DW_AT_const_value, &attribute) != NULL &&
	    locate_constant(home, die, &attribute, &location))
		return location;
	if (debug_dwarf_attribute(die, attribute_names[which], &attribute) == NULL)
		return location;
	if (debug_dwarf_expression(home, die, &attribute, &location.expression)) {
		location.kind = DEBUG_LOCATION_EXPRESSION;
		return location;
	}
	list.version = location.expression.dwarf.version;
	list.word = location.expression.dwarf.word;
	list.base = base_of(unit, die);
	if (open_list(&list, &attribute, location.expression.dwarf.offset_size))
		search_list(&list, address, &location);
	else if (!locate_constant(home, die, &attribute, &location))
		location.kind = DEBUG_LOCATION_BROKEN;
	return location;
}

#endif
