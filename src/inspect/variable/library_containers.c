/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "inspect/variable/library_value_internal.h"

/*
 * Containers of libstdc++, whose elements are in nodes, in blocks or inline (bits/stl_list.h,
 * stl_tree.h, hashtable_policy.h, stl_deque.h, stl_bvector.h, tuple and variant). Every node is
 * counted, up to the container's own count, so that a cycle ends.
 */

/*
 * Most steps between two nodes of a tree, whose height is less than twice the logarithm of its
 * size, and most members read for a type's alignment.
 */
enum { MOST_HEIGHT = 128, MOST_MEMBERS = 256 };

static unsigned
word_of(const struct typed_value *value)
{
	size_t frame;

	return value_walk(value->frame, &frame)->arch->word_size;
}

/* Reads the pointer at an address; false, and the container is cut there, if the dump lacks it. */
static bool
read_pointer(const struct typed_value *value, uint64_t address, struct arena *arena,
	     struct library_value *found, uint64_t *pointer)
{
	const unsigned size = word_of(value);
	uint8_t bytes[8];

	*pointer = 0;
	if (value_read(value->frame, address, bytes, size) < size) {
		found->cut = arena_format(arena, "memory at 0x%" PRIx64 " is not in the dump",
					  address);
		return false;
	}
	for (unsigned i = 0; i < size; i++)
		*pointer |= (uint64_t)bytes[value_is_big(value) ? size - 1 - i : i] << 8 * i;
	return true;
}

/* The alignment of a type, by its first `*left` members. */
static unsigned
alignment_of(const struct debug_type *type, unsigned word, unsigned depth, unsigned *left,
	     struct arena *arena)
{
	struct debug_member *members;
	unsigned most = 1;

	if (type == NULL || depth == 0)
		return word;
	if (type->kind == DEBUG_TYPE_ARRAY)
		return alignment_of(debug_type_target(type, arena), word, depth - 1, left, arena);
	if (type->kind != DEBUG_TYPE_STRUCTURE && type->kind != DEBUG_TYPE_UNION)
		return type->size == 16 ? 16 : type->size < word ? (unsigned)type->size : word;
	const size_t count = debug_type_members(type, arena, &members);
	for (size_t i = 0; i < count && *left > 0; i++) {
		*left -= 1;
		const unsigned one = members[i].is_static ? 1
							  : alignment_of(members[i].type, word,
									 depth - 1, left, arena);
		most = one > most ? one : most;
	}
	return most;
}

/* The offset of the element in a node that begins with `words` pointers. */
static uint64_t
offset_in_node(const struct typed_value *value, const struct debug_type *element, unsigned words,
	       struct arena *arena)
{
	const unsigned word = word_of(value);
	const uint64_t from = (uint64_t)words * word;
	unsigned left = MOST_MEMBERS;
	const uint64_t unit = alignment_of(element, word, LIBRARY_NESTED, &left, arena);

	return (from + unit - 1) / unit * unit;
}

static struct typed_value *
add_item(const struct typed_value *value, const struct debug_type *type, uint64_t address,
	 struct arena *arena, struct library_value *found)
{
	struct typed_value *item = ARENA_PUSH(arena, found->items, found->item_count,
					      found->item_capacity);

	if (item != NULL)
		*item = (struct typed_value){ .type = type, .frame = value->frame,
					      .in_memory = true, .address = address };
	return item;
}

/* "std::map with 2 elements" */
static bool
entitle(struct library_value *found, struct arena *arena)
{
	found->title = arena_format(arena, "std::%.*s with %" PRIu64 " element%s",
				    (int)strcspn(found->name, "<"), found->name, found->count,
				    plural(found->count));
	return found->title != NULL;
}

/* Reads nodes linked by pointers, from `node` to `end`: `count` of them. */
static bool
take_chain(const struct typed_value *value, uint64_t node, uint64_t end, uint64_t offset,
	   struct arena *arena, struct library_value *found)
{
	while (node != end && found->item_count < LIBRARY_ITEMS &&
	       found->item_count < found->count) {
		if (add_item(value, found->element, node + offset, arena, found) == NULL ||
		    !read_pointer(value, node, arena, found, &node))
			break;
	}
	return found->cut != NULL || found->item_count == LIBRARY_ITEMS ||
	       (node == end && found->item_count == found->count);
}

bool
library_take_list(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value header, next, size;
	uint64_t node;

	found->element = debug_type_argument(value->type, 0, arena);
	found->index = LIBRARY_INDEX_FROM_0;
	if (!FOLLOW(value, arena, &header, "_M_impl", "_M_node") || !header.in_memory ||
	    !FOLLOW(&header, arena, &next, "_M_next") || !library_address_in(&next, &node) ||
	    !FOLLOW(&header, arena, &size, "_M_size") ||
	    value_number(&size, &found->count) != NULL || found->element == NULL)
		return false;
	return entitle(found, arena) &&
	       take_chain(value, node, header.address,
			  offset_in_node(value, found->element, 2, arena), arena, found);
}

bool
library_take_forward_list(const struct typed_value *value, struct arena *arena,
			  struct library_value *found)
{
	struct typed_value next;
	uint64_t node;

	found->element = debug_type_argument(value->type, 0, arena);
	found->index = LIBRARY_INDEX_FROM_0;
	if (!FOLLOW(value, arena, &next, "_M_impl", "_M_head", "_M_next") ||
	    !library_address_in(&next, &node) || found->element == NULL)
		return false;
	/* It does not store its size. */
	found->count = LIBRARY_ITEMS;
	found->title = node == 0 ? "empty std::forward_list" : "std::forward_list";
	take_chain(value, node, 0, offset_in_node(value, found->element, 1, arena), arena, found);
	found->count = found->item_count;
	return true;
}

/* The next node in the order of a tree; 0, with `cut` set, if the dump lacks it. */
static uint64_t
next_node(const struct typed_value *value, uint64_t node, struct arena *arena,
	  struct library_value *found)
{
	const unsigned word = word_of(value);
	uint64_t right, above, next;

	if (!read_pointer(value, node + 3 * word, arena, found, &right))
		return 0;
	for (unsigned i = 0; right != 0 && i < MOST_HEIGHT; i++) {
		if (!read_pointer(value, right + 2 * word, arena, found, &next))
			return 0;
		if (next == 0)
			return right;
		right = next;
	}
	for (unsigned i = 0; right == 0 && i < MOST_HEIGHT; i++) {
		if (!read_pointer(value, node + word, arena, found, &above) ||
		    !read_pointer(value, above + 3 * word, arena, found, &next))
			return 0;
		/* The root's parent is the header, whose right link is the last node. */
		if (next != node)
			return above;
		if (!read_pointer(value, above + word, arena, found, &next))
			return 0;
		if (next == node)
			return above;
		node = above;
	}
	return 0;
}

static bool
take_tree(const struct typed_value *value, enum library_index index, struct arena *arena,
	  struct library_value *found)
{
	struct typed_value tree, header, first, size;
	uint64_t node;

	found->index = index;
	if (!FOLLOW(value, arena, &tree, "_M_t") ||
	    !FOLLOW(&tree, arena, &header, "_M_impl", "_M_header") || !header.in_memory ||
	    !FOLLOW(&header, arena, &first, "_M_left") || !library_address_in(&first, &node) ||
	    !FOLLOW(&tree, arena, &size, "_M_impl", "_M_node_count") ||
	    value_number(&size, &found->count) != NULL)
		return false;
	found->element = debug_type_argument(tree.type, 1, arena);
	if (found->element == NULL || !entitle(found, arena))
		return false;
	const uint64_t offset = offset_in_node(value, found->element, 4, arena);
	while (node != header.address && found->cut == NULL && found->item_count < LIBRARY_ITEMS &&
	       found->item_count < found->count) {
		if (node == 0 ||
		    add_item(value, found->element, node + offset, arena, found) == NULL)
			return false;
		node = next_node(value, node, arena, found);
	}
	return found->cut != NULL || found->item_count == LIBRARY_ITEMS ||
	       (node == header.address && found->item_count == found->count);
}

bool
library_take_map(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	return take_tree(value, LIBRARY_INDEX_KEY, arena, found);
}

bool
library_take_set(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	return take_tree(value, LIBRARY_INDEX_FROM_0, arena, found);
}

static bool
take_hash(const struct typed_value *value, enum library_index index, struct arena *arena,
	  struct library_value *found)
{
	struct typed_value table, next, size;
	uint64_t node;

	found->index = index;
	if (!FOLLOW(value, arena, &table, "_M_h") ||
	    !FOLLOW(&table, arena, &next, "_M_before_begin", "_M_nxt") ||
	    !library_address_in(&next, &node) ||
	    !FOLLOW(&table, arena, &size, "_M_element_count") ||
	    value_number(&size, &found->count) != NULL)
		return false;
	found->element = debug_type_argument(table.type, 1, arena);
	return found->element != NULL && entitle(found, arena) &&
	       take_chain(value, node, 0, offset_in_node(value, found->element, 1, arena), arena,
			  found);
}

bool
library_take_hash_map(const struct typed_value *value, struct arena *arena,
		      struct library_value *found)
{
	return take_hash(value, LIBRARY_INDEX_KEY, arena, found);
}

bool
library_take_hash_set(const struct typed_value *value, struct arena *arena,
		      struct library_value *found)
{
	return take_hash(value, LIBRARY_INDEX_FROM_0, arena, found);
}

/* Blocks of elements --------------------------------------------------------------------------- */

/* Bytes of a deque's block, unless an element is larger. */
#define DEQUE_BLOCK 512u

bool
library_take_deque(const struct typed_value *value, struct arena *arena,
		   struct library_value *found)
{
	struct typed_value current, last, block, end_current, end_first, end_block;
	uint64_t at, limit, map, end, first, end_map;
	const unsigned word = word_of(value);

	if (!FOLLOW(value, arena, &current, "_M_impl", "_M_start", "_M_cur") ||
	    !FOLLOW(value, arena, &last, "_M_impl", "_M_start", "_M_last") ||
	    !FOLLOW(value, arena, &block, "_M_impl", "_M_start", "_M_node") ||
	    !FOLLOW(value, arena, &end_current, "_M_impl", "_M_finish", "_M_cur") ||
	    !FOLLOW(value, arena, &end_first, "_M_impl", "_M_finish", "_M_first") ||
	    !FOLLOW(value, arena, &end_block, "_M_impl", "_M_finish", "_M_node") ||
	    !library_address_in(&current, &at) || !library_address_in(&last, &limit) ||
	    !library_address_in(&block, &map) || !library_address_in(&end_current, &end) ||
	    !library_address_in(&end_first, &first) || !library_address_in(&end_block, &end_map))
		return false;
	found->element = debug_type_target(current.type, arena);
	const uint64_t size = found->element != NULL ? found->element->size : 0;
	if (size == 0 || end_map < map || (end_map - map) % word != 0 || end < first ||
	    limit < at)
		return false;
	const uint64_t blocks = (end_map - map) / word;
	const uint64_t each = size < DEQUE_BLOCK ? DEQUE_BLOCK / size : 1;
	if (blocks == 0 ? end < at : blocks > UINT64_C(1) << 40)
		return false;
	found->count = blocks == 0
			       ? (end - at) / size
			       : (limit - at) / size + (blocks - 1) * each + (end - first) / size;
	while (found->item_count < found->count && found->item_count < LIBRARY_ITEMS) {
		if (at == limit) {
			map += word;
			if (!read_pointer(value, map, arena, found, &at))
				break;
			limit = at + each * size;
		}
		if (add_item(value, found->element, at, arena, found) == NULL)
			break;
		at += size;
	}
	return entitle(found, arena);
}

/* Reads elements of one bit each, in words. */
bool
library_take_bits(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value start, offset, finish, end_offset, end;
	uint64_t from, to, before, behind, limit;

	found->element = debug_type_argument(value->type, 0, arena);
	if (found->element == NULL || value_is_big(value) ||
	    !FOLLOW(value, arena, &start, "_M_impl", "_M_start", "_M_p") ||
	    !FOLLOW(value, arena, &offset, "_M_impl", "_M_start", "_M_offset") ||
	    !FOLLOW(value, arena, &finish, "_M_impl", "_M_finish", "_M_p") ||
	    !FOLLOW(value, arena, &end_offset, "_M_impl", "_M_finish", "_M_offset") ||
	    !FOLLOW(value, arena, &end, "_M_impl", "_M_end_of_storage") ||
	    !library_address_in(&start, &from) || !library_address_in(&finish, &to) ||
	    !library_address_in(&end, &limit) || value_number(&offset, &before) != NULL ||
	    value_number(&end_offset, &behind) != NULL || to < from || limit < to ||
	    before > 63 || behind > 63 || limit - from > UINT64_C(1) << 40 ||
	    8 * (to - from) + behind < before)
		return false;
	found->count = 8 * (to - from) + behind - before;
	found->title = arena_format(arena,
				    "std::vector<bool> of length %" PRIu64 ", capacity %" PRIu64,
				    found->count, 8 * (limit - from));
	for (uint64_t i = before; i < before + found->count && found->item_count < LIBRARY_ITEMS;
	     i++) {
		struct typed_value *item =
			add_item(value, found->element, from + i / 8, arena, found);

		if (item == NULL)
			break;
		item->is_bits = true;
		item->bits = 1;
		item->bit_offset = i % 8;
	}
	return found->title != NULL;
}

/* Inline elements ------------------------------------------------------------------------------ */

/* The base of a structure whose type's name has a prefix. */
static bool
find_base(const struct typed_value *value, const char *begins, struct arena *arena,
	  struct typed_value *found)
{
	struct debug_member *members;
	const size_t count = debug_type_members(value->type, arena, &members);

	for (size_t i = 0; i < count; i++) {
		const char *name = members[i].type->own_name;

		if (!members[i].base || name == NULL ||
		    strncmp(name, begins, strlen(begins)) != 0)
			continue;
		*found = value_member(value, &members[i], arena);
		return true;
	}
	return false;
}

/* Elements of a tuple inherit from each other; one of an empty type has no storage. */
bool
library_take_tuple(const struct typed_value *value, struct arena *arena,
		   struct library_value *found)
{
	struct typed_value at = *value, next, head, item;

	found->index = LIBRARY_INDEX_FROM_1;
	for (unsigned i = 0; i < LIBRARY_ITEMS && find_base(&at, "_Tuple_impl<", arena, &next);
	     i++) {
		at = next;
		if (!find_base(&at, "_Head_base<", arena, &head))
			continue;
		/* A base class of an empty type has no name. */
		if (!library_find_member(&head, "_M_head_impl", DEBUG_TYPE_UNKNOWN, 0, arena,
					 &item))
			item = head;
		struct typed_value *added =
			ARENA_PUSH(arena, found->items, found->item_count, found->item_capacity);
		if (added != NULL)
			*added = item;
	}
	found->count = found->item_count;
	found->title = found->count == 0 ? "empty std::tuple" : "std::tuple containing";
	return true;
}

/* The alternative of a variant is nested in its union as deep as its index. */
bool
library_take_variant(const struct typed_value *value, struct arena *arena,
		     struct library_value *found)
{
	struct typed_value number, at, part;
	uint64_t index;

	if (!FOLLOW(value, arena, &number, "_M_index") || value_number(&number, &index) != NULL ||
	    !FOLLOW(value, arena, &at, "_M_u"))
		return false;
	const uint64_t none = number.type->size >= 8 ? UINT64_MAX
						     : (UINT64_C(1) << 8 * number.type->size) - 1;
	if (index == none) {
		found->title = "std::variant [no contained value]";
		return true;
	}
	for (uint64_t i = 0; i < index; i++) {
		if (i == LIBRARY_ITEMS ||
		    !library_find_member(&at, "_M_rest", DEBUG_TYPE_UNKNOWN, 0, arena, &part))
			return false;
		at = part;
	}
	if (!FOLLOW(&at, arena, &part, "_M_first", "_M_storage"))
		return false;
	/* Objects that are not trivially destroyed are in a byte buffer. */
	struct typed_value holder;
	const struct debug_type *type = NULL;
	if (library_find_member(&part, "_M_storage", DEBUG_TYPE_UNKNOWN, 0, arena, &holder))
		type = debug_type_argument(part.type, 0, arena);
	if (type != NULL)
		part.type = type;
	found->items = arena_alloc(arena, sizeof(*found->items));
	found->title = arena_format(arena, "std::variant [index %" PRIu64 "]", index);
	if (found->items == NULL || found->title == NULL)
		return false;
	found->items[0] = part;
	found->count = found->item_count = 1;
	return true;
}

/* std::stack and queues are shown as the container that they wrap. */
bool
library_take_wrapper(const struct typed_value *value, struct arena *arena,
		     struct library_value *found)
{
	found->kind = LIBRARY_ITERATOR;
	return FOLLOW(value, arena, &found->inner, "c");
}

bool
library_value_pair(const struct typed_value *element, struct arena *arena, struct typed_value *key,
		   struct typed_value *mapped)
{
	return FOLLOW(element, arena, key, "first") && FOLLOW(element, arena, mapped, "second");
}
