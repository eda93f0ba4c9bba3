/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "debug_info/debug_pdb_internal.h"
#include "frame_table/dwarf_operation.h"

/* Members of structures, classes and unions (DWARF 5, 5.7). */

static void
read_offset(const struct debug_home *home, const struct dwarf_die *die, struct debug_member *member)
{
	struct debug_expression expression;
	struct dwarf_value value;
	const struct dwarf_operation *operation;
	struct dwarf_operands operands;
	uint64_t at = 0;

	if (!dwarf_die_value(die, DW_AT_data_member_location, &value)) {
		member->has_offset = true;
	} else if (!debug_dwarf_expression(home, die, DW_AT_data_member_location, &expression)) {
		member->has_offset = dwarf_value_unsigned(&value, &member->offset);
	} else {
		operation = dwarf_operation_read(&expression.dwarf, &at, &operands);
		member->offset = operands.numbers[0];
		member->has_offset = operation != NULL &&
				     operation->code == DWARF_OP_PLUS_UCONST &&
				     at == expression.dwarf.code.size;
	}
}

static void
read_bits(const struct debug_home *home, const struct dwarf_die *die, struct debug_member *member)
{
	const bool big = home->dwarf->binary->big_endian;
	struct dwarf_value value;
	int64_t from_high = 0;

	if (!dwarf_die_has(die, DW_AT_bit_size))
		return;
	member->is_bits = true;
	member->bits = dwarf_die_number(die, DW_AT_bit_size);
	member->bit_offset = 8 * member->offset;
	if (dwarf_die_has(die, DW_AT_data_bit_offset)) {
		member->bit_offset += dwarf_die_number(die, DW_AT_data_bit_offset);
	} else if (dwarf_die_value(die, DW_AT_bit_offset, &value) &&
		   dwarf_value_signed(&value, &from_high)) {
		const uint64_t unit = dwarf_die_has(die, DW_AT_byte_size)
					      ? dwarf_die_number(die, DW_AT_byte_size)
					      : member->type->size;

		member->bit_offset += big ? (uint64_t)from_high
					  : 8 * unit - (uint64_t)from_high - member->bits;
	}
}

struct member_list {
	const struct debug_home *home;
	struct arena *arena;
	struct debug_member *items;
	size_t count, capacity;
};

static struct debug_member *
add_member(struct member_list *list, const struct dwarf_die *die)
{
	const struct debug_home *home = list->home;
	const enum dwarf_tag tag = dwarf_die_tag(die);
	/* A base has the name of its type. */
	const struct debug_type *own = tag == DW_TAG_inheritance
					       ? debug_dwarf_inherited(home, die, list->arena)
					       : debug_dwarf_type_of(home, die, list->arena);
	struct debug_member *member =
		own != NULL ? ARENA_PUSH(list->arena, list->items, list->count, list->capacity)
			    : NULL;

	if (member == NULL)
		return NULL;
	const char *name = dwarf_die_text(die, DW_AT_name);
	*member = (struct debug_member){
		.name = name != NULL ? name : "", .base = tag == DW_TAG_inheritance,
		.is_static = tag == DW_TAG_variable || dwarf_die_has(die, DW_AT_declaration),
		.entry = debug_dwarf_entry(home, die), .type = own };
	read_offset(home, die, member);
	read_bits(home, die, member);
	return member;
}

/* Add the members of a variant; the member `teller` has the number that selects the variant. */
static void
add_variant(struct member_list *list, const struct dwarf_die *variant,
	const struct debug_member *teller)
{
	struct dwarf_tree tree;
	struct dwarf_value value;
	uint64_t number = 0;
	const bool has = dwarf_die_value(variant, DW_AT_discr_value, &value);

	if (has && !dwarf_value_unsigned(&value, &number))
		return;
	for (bool more = debug_tree_enter(list->home->dwarf, &tree, variant);
	     more && list->count < DEBUG_MOST_MEMBERS;
	     more = dwarf_tree_next(&tree, false)) {
		if (dwarf_die_tag(dwarf_tree_at(&tree)) != DW_TAG_member)
			continue;
		struct debug_member *member = add_member(list, dwarf_tree_at(&tree));
		if (member == NULL)
			return;
		member->teller = teller;
		member->rest = !has;
		member->told = number;
	}
}

/* Add a type's variants (DWARF 5, 5.7.10): each value has one variant, as in enums of Rust. */
static void
add_variants(struct member_list *list, const struct dwarf_die *part)
{
	struct member_list teller = { list->home, list->arena, NULL, 0, 0 };
	struct dwarf_tree tree;
	struct dwarf_die die;

	if (dwarf_die_follow(part, DW_AT_discr, &die))
		add_member(&teller, &die);
	for (bool more = debug_tree_enter(list->home->dwarf, &tree, part);
	     more && list->count < DEBUG_MOST_MEMBERS;
	     more = dwarf_tree_next(&tree, false))
		if (dwarf_die_tag(dwarf_tree_at(&tree)) == DW_TAG_variant)
			add_variant(list, dwarf_tree_at(&tree), teller.items);
}

size_t
debug_type_members(const struct debug_type *type, struct arena *arena,
		   struct debug_member **members)
{
	const struct debug_home *home = type->entry.home;
	struct dwarf_die die = debug_dwarf_die(&type->entry);
	struct dwarf_tree tree;
	struct member_list list = { home, arena, NULL, 0, 0 };

	*members = NULL;
	if (home == NULL || (type->kind != DEBUG_TYPE_STRUCTURE && type->kind != DEBUG_TYPE_UNION))
		return 0;
	debug_home_lock(home);
	if (home->dwarf == NULL)
		list.count = debug_pdb_members(type, arena, &list.items);
	for (bool more = home->dwarf != NULL && debug_tree_enter(home->dwarf, &tree, &die);
	     more && list.count < DEBUG_MOST_MEMBERS;
	     more = dwarf_tree_next(&tree, false)) {
		struct dwarf_die *at = dwarf_tree_at(&tree);
		const enum dwarf_tag tag = dwarf_die_tag(at);

		if (tag == DW_TAG_variant_part)
			add_variants(&list, at);
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance && tag != DW_TAG_variable)
			continue;
		if (!add_member(&list, at))
			break;
	}
	debug_home_unlock(home);
	*members = list.items;
	return list.count;
}

const struct debug_type *
debug_type_argument(const struct debug_type *type, size_t index, struct arena *arena)
{
	const struct debug_home *home = type->entry.home;
	struct dwarf_die die = debug_dwarf_die(&type->entry);
	const struct debug_type *argument = NULL;
	struct dwarf_tree tree;
	size_t seen = 0;

	if (home == NULL || home->dwarf == NULL)
		return NULL;
	debug_home_lock(home);
	for (bool more = debug_tree_enter(home->dwarf, &tree, &die);
	     more && seen <= index && seen <= DEBUG_MOST_MEMBERS;
	     more = dwarf_tree_next(&tree, false)) {
		struct dwarf_die *at = dwarf_tree_at(&tree);

		if (dwarf_die_tag(at) == DW_TAG_template_type_parameter && seen++ == index)
			argument = debug_dwarf_type_of(home, at, arena);
	}
	debug_home_unlock(home);
	return argument;
}

/* Whether an entry is the function with number `index` in its class's virtual table. */
static bool
is_virtual(const struct debug_home *home, const struct dwarf_die *die, uint64_t index)
{
	struct debug_expression expression;
	struct dwarf_operands operands;
	uint64_t at = 0;

	if (dwarf_die_tag(die) != DW_TAG_subprogram ||
	    !debug_dwarf_expression(home, die, DW_AT_vtable_elem_location, &expression))
		return false;
	const struct dwarf_operation *operation =
		dwarf_operation_read(&expression.dwarf, &at, &operands);
	return operation != NULL && operation->does == DWARF_DOES_CONSTANT &&
	       operands.numbers[0] == index;
}

const char *
debug_type_virtual(const struct debug_type *type, uint64_t index, struct arena *arena)
{
	const struct debug_home *home = type->entry.home;
	struct dwarf_die die = debug_dwarf_die(&type->entry);
	const char *name = NULL;
	struct dwarf_tree tree;
	bool written;

	if (home == NULL || home->dwarf == NULL || type->kind != DEBUG_TYPE_STRUCTURE)
		return NULL;
	debug_home_lock(home);
	for (bool more = debug_tree_enter(home->dwarf, &tree, &die); more && name == NULL;
	     more = dwarf_tree_next(&tree, false))
		if (is_virtual(home, dwarf_tree_at(&tree), index))
			name = debug_dwarf_name(home->dwarf, dwarf_tree_at(&tree), &written);
	name = name != NULL ? arena_string(arena, name) : NULL;
	debug_home_unlock(home);
	return name;
}

