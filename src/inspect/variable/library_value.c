/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/library_value.h"

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"

/*
 * Members of libstdc++ (bits/basic_string.h, stl_vector.h, stl_list.h, stl_tree.h,
 * hashtable_policy.h, stl_deque.h, stl_bvector.h, tuple and variant) and of Rust (library/alloc:
 * string.rs, vec/mod.rs, raw_vec; those of a slice are the compiler's own). Every node is counted,
 * up to the container's own count, so that a cycle ends.
 */

/* Characters that a string stores inline; most levels of bases that are searched for a member. */
enum { LOCAL_CHARACTERS = 15, MOST_NESTED = 8 };

/*
 * Most steps between two nodes of a tree, whose height is less than twice the logarithm of its
 * size, and most members read for a type's alignment.
 */
enum { MOST_HEIGHT = 128, MOST_MEMBERS = 256 };

/* Upper limit of plausible bytes or elements. */
#define MOST_PLAUSIBLE (UINT64_C(1) << 40)

/* Finds a member by its name and kind of type, also in bases and unnamed members. */
static bool
find_member(const struct typed_value *value, const char *name, enum debug_type_kind kind,
	    unsigned depth, struct arena *arena, struct typed_value *found)
{
	struct debug_member *members;
	const size_t count = value_members(value, arena, &members);

	for (size_t i = 0; i < count; i++) {
		const struct debug_member *member = &members[i];
		const bool inside = member->base || *member->name == '\0';

		if (member->is_static)
			continue;
		const struct typed_value part = value_member(value, member, arena);
		if (inside && depth > 0 &&
		    find_member(&part, name, kind, depth - 1, arena, found))
			return true;
		if (!inside && strcmp(member->name, name) == 0 &&
		    (kind == DEBUG_TYPE_UNKNOWN || member->type->kind == kind)) {
			*found = part;
			return true;
		}
	}
	return false;
}

/* Follows members by their names, up to NULL. */
static bool
follow(const struct typed_value *value, const char *const *names, struct arena *arena,
       struct typed_value *found)
{
	*found = *value;
	for (; *names != NULL; names++) {
		const struct typed_value from = *found;

		if (!find_member(&from, *names, DEBUG_TYPE_UNKNOWN, MOST_NESTED, arena, found))
			return false;
	}
	return true;
}

/* Reads the number in a member. */
static bool
follow_number(const struct typed_value *value, const char *const *names, struct arena *arena,
	      uint64_t *number)
{
	struct typed_value found;

	return follow(value, names, arena, &found) && value_number(&found, number) == NULL;
}

/* Reads the address in a pointer; false if it has no value. */
static bool
address_in(const struct typed_value *value, uint64_t *address)
{
	return value->type->kind == DEBUG_TYPE_POINTER && value_number(value, address) == NULL;
}

/*
 * Reads the address in a member. Returns the pointer's type; NULL: the member is no pointer, or
 * has no value.
 */
static const struct debug_type *
follow_pointer(const struct typed_value *value, const char *const *names, struct arena *arena,
	       uint64_t *address)
{
	struct typed_value found;

	return follow(value, names, arena, &found) && address_in(&found, address) ? found.type
										  : NULL;
}

/* Finds the object of the pointer in a member; false also for the null pointer. */
static bool
follow_object(const struct typed_value *value, const char *const *names, struct arena *arena,
	      struct typed_value *object)
{
	struct typed_value pointer;
	uint64_t address;

	if (!follow(value, names, arena, &pointer) || !address_in(&pointer, &address) ||
	    address == 0)
		return false;
	const struct debug_type *type = debug_type_target(pointer.type, arena);
	if (type != NULL)
		*object = value_pointed(&pointer, type, arena);
	return type != NULL;
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define FOLLOW(value, arena, found, ...) follow(value, NAMES(__VA_ARGS__), arena, found)
#define OBJECT(value, arena, object, ...) follow_object(value, NAMES(__VA_ARGS__), arena, object)
#define NUMBER(value, arena, number, ...) follow_number(value, NAMES(__VA_ARGS__), arena, number)
#define POINTER(value, arena, address, ...) \
	follow_pointer(value, NAMES(__VA_ARGS__), arena, address)

/* Whether a type is that of characters of UTF-8, UTF-16 or UTF-32. */
static bool
is_character(const struct debug_type *type)
{
	return type != NULL && type->kind == DEBUG_TYPE_CHARACTER &&
	       (type->size == 1 || type->size == 2 || type->size == 4);
}

static bool
take_string(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value local;
	uint64_t capacity;
	const struct debug_type *pointer =
		POINTER(value, arena, &found->address, "_M_dataplus", "_M_p");

	if (pointer == NULL || !NUMBER(value, arena, &found->count, "_M_string_length") ||
	    !FOLLOW(value, arena, &local, "_M_local_buf"))
		return false;
	found->element = debug_type_target(pointer, arena);
	if (!is_character(found->element))
		return false;
	const uint64_t inside = LOCAL_CHARACTERS / found->element->size;
	found->capacity = inside;
	if (!local.in_memory || local.address != found->address) {
		if (!NUMBER(value, arena, &capacity, "_M_allocated_capacity") ||
		    (local.in_memory && capacity <= inside))
			return false;
		found->capacity = capacity;
	}
	return found->address != 0 && found->count <= found->capacity &&
	       found->capacity < MOST_PLAUSIBLE;
}

static bool
take_view(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	const struct debug_type *pointer = POINTER(value, arena, &found->address, "_M_str");

	found->element = pointer != NULL ? debug_type_target(pointer, arena) : NULL;
	return is_character(found->element) &&
	       NUMBER(value, arena, &found->count, "_M_len") && found->count < MOST_PLAUSIBLE;
}

static bool
take_vector(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	uint64_t last, limit;
	const struct debug_type *pointer =
		POINTER(value, arena, &found->address, "_M_impl", "_M_start");

	if (pointer == NULL || !POINTER(value, arena, &last, "_M_impl", "_M_finish") ||
	    !POINTER(value, arena, &limit, "_M_impl", "_M_end_of_storage"))
		return false;
	found->element = debug_type_target(pointer, arena);
	if (found->element == NULL || found->element->size == 0 || last < found->address ||
	    limit < last || (last - found->address) % found->element->size != 0 ||
	    (limit - found->address) % found->element->size != 0)
		return false;
	found->count = (last - found->address) / found->element->size;
	found->capacity = (limit - found->address) / found->element->size;
	found->title = arena_format(arena,
				    "std::vector of length %" PRIu64 ", capacity %" PRIu64,
				    found->count, found->capacity);
	return found->title != NULL && (found->address != 0 || limit == 0);
}

static bool
take_unique(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value tuple;
	uint64_t address;

	/* The deleter's member has the same name, but is only a pointer for a function. */
	return FOLLOW(value, arena, &tuple, "_M_t", "_M_t") &&
	       find_member(&tuple, "_M_head_impl", DEBUG_TYPE_POINTER, MOST_NESTED,
			   arena, &found->inner) &&
	       address_in(&found->inner, &address);
}

static bool
take_shared(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value counts;
	uint64_t address;

	if (!FOLLOW(value, arena, &found->inner, "_M_ptr") ||
	    !address_in(&found->inner, &address) ||
	    !POINTER(value, arena, &address, "_M_refcount", "_M_pi"))
		return false;
	if (address == 0)
		return true;
	if (!OBJECT(value, arena, &counts, "_M_refcount", "_M_pi"))
		return false;
	found->engaged = NUMBER(&counts, arena, &found->uses, "_M_use_count") &&
			 NUMBER(&counts, arena, &found->weak, "_M_weak_count");
	/* All strong uses together count as one weak use. */
	if (found->engaged && found->uses > 0 && found->weak > 0)
		found->weak--;
	return found->engaged;
}

static bool
take_optional(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	uint64_t engaged;

	if (!NUMBER(value, arena, &engaged, "_M_payload", "_M_engaged") || engaged > 1 ||
	    !FOLLOW(value, arena, &found->inner, "_M_payload", "_M_payload", "_M_value"))
		return false;
	found->engaged = engaged == 1;
	return true;
}

static bool
take_iterator(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	return OBJECT(value, arena, &found->inner, "_M_current");
}

/* Nodes of containers -------------------------------------------------------------------------- */

static unsigned
word_of(const struct typed_value *value)
{
	return value->frame->walk->arch->word_size;
}

/* Reads the pointer at an address; false, and the container is cut there, if the dump lacks it. */
static bool
read_pointer(const struct typed_value *value, uint64_t address, struct arena *arena,
	     struct library_value *found, uint64_t *pointer)
{
	if (value_read_number(value->frame, address, word_of(value), pointer))
		return true;
	found->cut = value_unread(address, arena);
	return false;
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
	const uint64_t unit = alignment_of(element, word, MOST_NESTED, &left, arena);

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
	while (node != end && found->item_count < found->most &&
	       found->item_count < found->count) {
		if (add_item(value, found->element, node + offset, arena, found) == NULL ||
		    !read_pointer(value, node, arena, found, &node))
			break;
	}
	return found->cut != NULL || found->item_count == found->most ||
	       (node == end && found->item_count == found->count);
}

static bool
take_list(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value header;
	uint64_t node;

	found->element = debug_type_argument(value->type, 0, arena);
	return found->element != NULL && FOLLOW(value, arena, &header, "_M_impl", "_M_node") &&
	       header.in_memory && POINTER(&header, arena, &node, "_M_next") != NULL &&
	       NUMBER(&header, arena, &found->count, "_M_size") && entitle(found, arena) &&
	       take_chain(value, node, header.address,
			  offset_in_node(value, found->element, 2, arena), arena, found);
}

static bool
take_forward_list(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	uint64_t node;

	found->element = debug_type_argument(value->type, 0, arena);
	if (!POINTER(value, arena, &node, "_M_impl", "_M_head", "_M_next") ||
	    found->element == NULL)
		return false;
	/* It does not store its size. */
	found->count = found->most;
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

/* Maps and sets. */
static bool
take_tree(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value tree, header;
	uint64_t node;

	if (!FOLLOW(value, arena, &tree, "_M_t") ||
	    !FOLLOW(&tree, arena, &header, "_M_impl", "_M_header") || !header.in_memory ||
	    !POINTER(&header, arena, &node, "_M_left") ||
	    !NUMBER(&tree, arena, &found->count, "_M_impl", "_M_node_count"))
		return false;
	found->element = debug_type_argument(tree.type, 1, arena);
	if (found->element == NULL || !entitle(found, arena))
		return false;
	const uint64_t offset = offset_in_node(value, found->element, 4, arena);
	while (node != header.address && found->cut == NULL && found->item_count < found->most &&
	       found->item_count < found->count) {
		if (node == 0 ||
		    add_item(value, found->element, node + offset, arena, found) == NULL)
			return false;
		node = next_node(value, node, arena, found);
	}
	return found->cut != NULL || found->item_count == found->most ||
	       (node == header.address && found->item_count == found->count);
}

/* Unordered maps and sets. */
static bool
take_hash(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value table;
	uint64_t node;

	if (!FOLLOW(value, arena, &table, "_M_h") ||
	    !POINTER(&table, arena, &node, "_M_before_begin", "_M_nxt") ||
	    !NUMBER(&table, arena, &found->count, "_M_element_count"))
		return false;
	found->element = debug_type_argument(table.type, 1, arena);
	return found->element != NULL && entitle(found, arena) &&
	       take_chain(value, node, 0, offset_in_node(value, found->element, 1, arena), arena,
			  found);
}

/* Blocks of elements --------------------------------------------------------------------------- */

/* Bytes of a deque's block, unless an element is larger. */
#define DEQUE_BLOCK 512u

static bool
take_deque(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	uint64_t at, limit, map, end, first, end_map;
	const unsigned word = word_of(value);
	const struct debug_type *pointer =
		POINTER(value, arena, &at, "_M_impl", "_M_start", "_M_cur");

	if (pointer == NULL || !POINTER(value, arena, &limit, "_M_impl", "_M_start", "_M_last") ||
	    !POINTER(value, arena, &map, "_M_impl", "_M_start", "_M_node") ||
	    !POINTER(value, arena, &end, "_M_impl", "_M_finish", "_M_cur") ||
	    !POINTER(value, arena, &first, "_M_impl", "_M_finish", "_M_first") ||
	    !POINTER(value, arena, &end_map, "_M_impl", "_M_finish", "_M_node"))
		return false;
	found->element = debug_type_target(pointer, arena);
	const uint64_t size = found->element != NULL ? found->element->size : 0;
	if (size == 0 || end_map < map || (end_map - map) % word != 0 || end < first ||
	    limit < at)
		return false;
	const uint64_t blocks = (end_map - map) / word;
	const uint64_t each = size < DEQUE_BLOCK ? DEQUE_BLOCK / size : 1;
	if (blocks == 0 ? end < at : blocks > MOST_PLAUSIBLE)
		return false;
	found->count = blocks == 0
			       ? (end - at) / size
			       : (limit - at) / size + (blocks - 1) * each + (end - first) / size;
	while (found->item_count < found->count && found->item_count < found->most) {
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
static bool
take_bits(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	uint64_t from, to, before, behind, limit;

	found->element = debug_type_argument(value->type, 0, arena);
	if (found->element == NULL || value_is_big(value) ||
	    !POINTER(value, arena, &from, "_M_impl", "_M_start", "_M_p") ||
	    !NUMBER(value, arena, &before, "_M_impl", "_M_start", "_M_offset") ||
	    !POINTER(value, arena, &to, "_M_impl", "_M_finish", "_M_p") ||
	    !NUMBER(value, arena, &behind, "_M_impl", "_M_finish", "_M_offset") ||
	    !POINTER(value, arena, &limit, "_M_impl", "_M_end_of_storage") || to < from ||
	    limit < to ||
	    before > 63 || behind > 63 || limit - from > MOST_PLAUSIBLE ||
	    8 * (to - from) + behind < before)
		return false;
	found->count = 8 * (to - from) + behind - before;
	found->title = arena_format(arena,
				    "std::vector<bool> of length %" PRIu64 ", capacity %" PRIu64,
				    found->count, 8 * (limit - from));
	for (uint64_t i = before; i < before + found->count && found->item_count < found->most;
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
static bool
take_tuple(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value at = *value, next, head, item;

	for (unsigned i = 0; i < LIBRARY_ITEMS && find_base(&at, "_Tuple_impl<", arena, &next);
	     i++) {
		at = next;
		if (!find_base(&at, "_Head_base<", arena, &head))
			continue;
		/* A base class of an empty type has no name. */
		if (!find_member(&head, "_M_head_impl", DEBUG_TYPE_UNKNOWN, 0, arena,
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
static bool
take_variant(const struct typed_value *value, struct arena *arena, struct library_value *found)
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
		    !find_member(&at, "_M_rest", DEBUG_TYPE_UNKNOWN, 0, arena, &part))
			return false;
		at = part;
	}
	if (!FOLLOW(&at, arena, &part, "_M_first", "_M_storage"))
		return false;
	/* Objects that are not trivially destroyed are in a byte buffer. */
	struct typed_value holder;
	const struct debug_type *type = NULL;
	if (find_member(&part, "_M_storage", DEBUG_TYPE_UNKNOWN, 0, arena, &holder))
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
static bool
take_wrapper(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	found->kind = LIBRARY_ITERATOR;
	return FOLLOW(value, arena, &found->inner, "c");
}

/* Rust ----------------------------------------------------------------------------------------- */

/* Reads the pointer of a vector, which is nested deeper in newer libraries. */
static bool
follow_buffer(const struct typed_value *vector, struct arena *arena, uint64_t *address)
{
	return POINTER(vector, arena, address, "buf", "inner", "ptr", "pointer", "pointer") ||
	       POINTER(vector, arena, address, "buf", "ptr", "pointer", "pointer") ||
	       POINTER(vector, arena, address, "buf", "ptr", "pointer");
}

static bool
take_rust_string(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value bytes;

	return FOLLOW(value, arena, &bytes, "vec") && NUMBER(&bytes, arena, &found->count, "len") &&
	       found->count < MOST_PLAUSIBLE && follow_buffer(&bytes, arena, &found->address);
}

static bool
take_rust_text(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	return NUMBER(value, arena, &found->count, "length") && found->count < MOST_PLAUSIBLE &&
	       POINTER(value, arena, &found->address, "data_ptr");
}

static bool
take_elements(const struct debug_type *element, const char *what, struct arena *arena,
	      struct library_value *found)
{
	found->element = element;
	found->capacity = found->count;
	found->title = arena_format(arena, "%s(size=%" PRIu64 ")", what, found->count);
	return element != NULL && element->has_size && element->size > 0 && found->title != NULL;
}

static bool
take_rust_vector(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	return NUMBER(value, arena, &found->count, "len") && found->count < MOST_PLAUSIBLE &&
	       follow_buffer(value, arena, &found->address) &&
	       take_elements(debug_type_argument(value->type, 0, arena), "Vec", arena, found);
}

static bool
take_rust_slice(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	const struct debug_type *pointer = POINTER(value, arena, &found->address, "data_ptr");

	return pointer != NULL && NUMBER(value, arena, &found->count, "length") &&
	       found->count < MOST_PLAUSIBLE &&
	       take_elements(debug_type_target(pointer, arena), "&[T]", arena, found);
}

/* Buckets of a hash table whose marks are read at once, and the most that are looked at. */
enum { MARKS = 4096, MOST_BUCKETS = 1 << 20 };

/* Reads the full buckets of a table: they precede its marks, the first one last. */
static bool
take_buckets(const struct typed_value *value, const struct debug_type *element, struct arena *arena,
	     struct library_value *found)
{
	uint64_t mask, marks;
	uint8_t bytes[MARKS];

	if (element == NULL || !element->has_size ||
	    POINTER(value, arena, &marks, "table", "ctrl", "pointer") == NULL ||
	    !NUMBER(value, arena, &mask, "table", "bucket_mask") || (mask & (mask + 1)) != 0 ||
	    !NUMBER(value, arena, &found->count, "table", "items") || found->count > mask + 1)
		return false;
	for (uint64_t i = 0; i <= mask && i < MOST_BUCKETS && found->item_count < found->count &&
			     found->item_count < found->most; i++) {
		const uint64_t left = mask + 1 - i < MARKS ? mask + 1 - i : MARKS;

		if (i % MARKS == 0 && value_read(value->frame, marks + i, bytes, left) < left) {
			found->cut = value_unread(marks + i, arena);
			break;
		}
		/* An empty bucket has the highest bit of its mark set. */
		if ((bytes[i % MARKS] & 0x80) == 0)
			add_item(value, element, marks - (i + 1) * element->size, arena, found);
	}
	found->title = arena_format(arena, "%.*s(size=%" PRIu64 ")",
				    (int)strcspn(found->name, "<"), found->name, found->count);
	return found->title != NULL &&
	       (found->cut != NULL || found->item_count == found->most ||
		found->item_count == found->count || mask >= MOST_BUCKETS);
}

/* Maps have pairs; a set is a map to values without size. */
static bool
take_rust_hash(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value table, key, none;

	if (!FOLLOW(value, arena, &table, "base", "table") &&
	    !FOLLOW(value, arena, &table, "base", "map", "table"))
		return false;
	if (!take_buckets(&table, debug_type_argument(table.type, 0, arena), arena, found))
		return false;
	for (size_t i = 0; found->index == LIBRARY_INDEX_NONE && i < found->item_count; i++)
		if (library_value_pair(&found->items[i], arena, &key, &none))
			found->items[i] = key;
	return true;
}

static bool
take_rust_deque(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	uint64_t head, capacity;

	if (!take_rust_vector(value, arena, found) || !NUMBER(value, arena, &head, "head") ||
	    (!NUMBER(value, arena, &capacity, "buf", "inner", "cap", "__0") &&
	     !NUMBER(value, arena, &capacity, "buf", "cap", "__0") &&
	     !NUMBER(value, arena, &capacity, "buf", "cap")) ||
	    found->count > capacity || head > capacity || (head == capacity && head > 0))
		return false;
	found->title = arena_format(arena, "VecDeque(size=%" PRIu64 ")", found->count);
	for (uint64_t i = 0; i < found->count && found->item_count < found->most; i++)
		add_item(value, found->element,
			 found->address + (head + i) % capacity * found->element->size, arena,
			 found);
	return found->title != NULL;
}

/* A counted pointer leads to the counts and the value; the counts of Arc are atomic. */
static bool
take_rust_shared(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value shared;

	if (!OBJECT(value, arena, &shared, "ptr", "pointer") ||
	    (!NUMBER(&shared, arena, &found->uses, "strong", "value", "value") &&
	     !NUMBER(&shared, arena, &found->uses, "strong", "v", "value")) ||
	    (!NUMBER(&shared, arena, &found->weak, "weak", "value", "value") &&
	     !NUMBER(&shared, arena, &found->weak, "weak", "v", "value")) ||
	    (!FOLLOW(&shared, arena, &found->inner, "value") &&
	     !FOLLOW(&shared, arena, &found->inner, "data")))
		return false;
	/* All strong pointers together count as one weak pointer. */
	found->title = arena_format(arena, "%.*s(strong=%" PRIu64 ", weak=%" PRIu64 ")",
				    (int)strcspn(found->name, "<"), found->name, found->uses,
				    found->weak - (found->uses > 0 && found->weak > 0));
	return found->title != NULL;
}

/* All ------------------------------------------------------------------------------------------ */

static const struct {
	const char *begins;		/* prefix of the type's name in its namespace */
	enum library_kind kind;
	enum library_index index;
	bool (*take)(const struct typed_value *value, struct arena *arena,
		     struct library_value *found);
} libraries[] = {
	{ "basic_string<", LIBRARY_STRING, LIBRARY_INDEX_NONE, take_string },
	{ "basic_string_view<", LIBRARY_STRING, LIBRARY_INDEX_NONE, take_view },
	{ "vector<bool,", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, take_bits },
	{ "vector<", LIBRARY_VECTOR, LIBRARY_INDEX_NONE, take_vector },
	{ "unique_ptr<", LIBRARY_UNIQUE, LIBRARY_INDEX_NONE, take_unique },
	{ "shared_ptr<", LIBRARY_SHARED, LIBRARY_INDEX_NONE, take_shared },
	{ "weak_ptr<", LIBRARY_SHARED, LIBRARY_INDEX_NONE, take_shared },
	{ "optional<", LIBRARY_OPTIONAL, LIBRARY_INDEX_NONE, take_optional },
	{ "list<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_0, take_list },
	{ "forward_list<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_0, take_forward_list },
	{ "map<", LIBRARY_CONTAINER, LIBRARY_INDEX_KEY, take_tree },
	{ "multimap<", LIBRARY_CONTAINER, LIBRARY_INDEX_KEY, take_tree },
	{ "set<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_0, take_tree },
	{ "multiset<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_0, take_tree },
	{ "unordered_map<", LIBRARY_CONTAINER, LIBRARY_INDEX_KEY, take_hash },
	{ "unordered_multimap<", LIBRARY_CONTAINER, LIBRARY_INDEX_KEY, take_hash },
	{ "unordered_set<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_0, take_hash },
	{ "unordered_multiset<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_0, take_hash },
	{ "deque<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, take_deque },
	{ "tuple<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_1, take_tuple },
	{ "variant<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, take_variant },
	{ "stack<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, take_wrapper },
	{ "queue<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, take_wrapper },
	{ "priority_queue<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, take_wrapper },
	{ "String", LIBRARY_STRING, LIBRARY_INDEX_NONE, take_rust_string },
	{ "&str", LIBRARY_STRING, LIBRARY_INDEX_NONE, take_rust_text },
	{ "&mut str", LIBRARY_STRING, LIBRARY_INDEX_NONE, take_rust_text },
	{ "Vec<", LIBRARY_VECTOR, LIBRARY_INDEX_NONE, take_rust_vector },
	{ "VecDeque<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, take_rust_deque },
	{ "HashMap<", LIBRARY_CONTAINER, LIBRARY_INDEX_KEY, take_rust_hash },
	{ "HashSet<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, take_rust_hash },
	{ "Rc<", LIBRARY_ITERATOR, LIBRARY_INDEX_NONE, take_rust_shared },
	{ "Arc<", LIBRARY_ITERATOR, LIBRARY_INDEX_NONE, take_rust_shared },
	{ "&[", LIBRARY_VECTOR, LIBRARY_INDEX_NONE, take_rust_slice },
	{ "&mut [", LIBRARY_VECTOR, LIBRARY_INDEX_NONE, take_rust_slice },
	{ "__normal_iterator<", LIBRARY_ITERATOR, LIBRARY_INDEX_NONE, take_iterator },
};

bool
library_value_of(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	return library_value_up_to(value, LIBRARY_ITEMS, arena, found);
}

bool
library_value_up_to(const struct typed_value *value, size_t most, struct arena *arena,
		    struct library_value *found)
{
	const char *name = value->type->own_name;

	if (value->type->kind != DEBUG_TYPE_STRUCTURE || name == NULL || value->why != NULL)
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(libraries); i++) {
		if (strncmp(name, libraries[i].begins, strlen(libraries[i].begins)) != 0)
			continue;
		*found = (struct library_value){ .kind = libraries[i].kind, .name = name,
						  .index = libraries[i].index, .most = most };
		return libraries[i].take(value, arena, found);
	}
	return false;
}

struct typed_value
library_value_element(const struct typed_value *value, const struct library_value *library,
		      uint64_t index)
{
	return (struct typed_value){ .type = library->element, .frame = value->frame,
				     .in_memory = true,
				     .address = library->address + index * library->element->size };
}

bool
library_value_pair(const struct typed_value *element, struct arena *arena, struct typed_value *key,
		   struct typed_value *mapped)
{
	return (FOLLOW(element, arena, key, "first") && FOLLOW(element, arena, mapped, "second")) ||
	       (FOLLOW(element, arena, key, "__0") && FOLLOW(element, arena, mapped, "__1"));
}
