/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "inspect/variable/library_internal.h"

/*
 * Containers of the C++ libraries whose elements are in nodes or blocks. The container's own count
 * limits the nodes that are read, so reading ends even if the nodes form a cycle.
 */

/*
 * Limits: height of a tree (less than twice the logarithm of its size), members read for the
 * alignment of a type, and depth of these members.
 */
enum { MOST_HEIGHT = 128, MOST_MEMBERS = 256, MOST_NESTED = 8 };

bool
library_read_pointer(const struct typed_value *value, uint64_t address, struct arena *arena,
		     struct library_value *found, uint64_t *pointer)
{
	if (value_read_number(value->frame, address, library_word(value), pointer))
		return true;
	found->cut = value_unread(address, arena);
	return false;
}

/* The alignment of a type, computed from at most `*left` members. */
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

/* The offset of the element in a node that begins with `from` bytes of its own. */
static uint64_t
offset_in_node(const struct typed_value *value, const struct debug_type *element, uint64_t from,
	       struct arena *arena)
{
	unsigned left = MOST_MEMBERS;
	const uint64_t unit = alignment_of(element, library_word(value), MOST_NESTED, &left, arena);

	return (from + unit - 1) / unit * unit;
}

/* The element of a node that begins with `from` bytes of its own. */
static struct typed_value
element_at(const struct typed_value *value, const struct debug_type *element, uint64_t node,
	   uint64_t from, struct arena *arena)
{
	return (struct typed_value){
		.type = element, .frame = value->frame, .in_memory = true,
		.address = node + offset_in_node(value, element, from, arena) };
}

struct typed_value *
library_add(const struct typed_value *value, const struct debug_type *type, uint64_t address,
	    struct arena *arena, struct library_value *found)
{
	struct typed_value *item =
		ARENA_PUSH(arena, found->items, found->item_count, found->item_capacity);

	if (item != NULL)
		*item = (struct typed_value){
			.type = type, .frame = value->frame, .in_memory = true, .address = address
		};
	return item;
}

/* Sets the title: "std::map with 2 elements". */
static bool
entitle(struct library_value *found, struct arena *arena)
{
	found->title = arena_format(arena, "std::%.*s with %" PRIu64 " element%s",
				    (int)strcspn(found->name, "<"), found->name, found->count,
				    plural(found->count));
	return found->title != NULL;
}

/* Nodes linked by pointers, from `node` to `end`. */
struct node_chain {
	uint64_t node, end;
	uint64_t link, offset;		/* offsets of the pointer and the element in a node */
};

static bool
take_chain(const struct typed_value *value, struct node_chain chain, struct arena *arena,
	   struct library_value *found)
{
	while (chain.node != chain.end && found->item_count < found->most &&
	       found->item_count < found->count) {
		if (library_add(value, found->element, chain.node + chain.offset, arena, found) ==
			    NULL ||
		    !library_read_pointer(value, chain.node + chain.link, arena, found,
					  &chain.node))
			break;
	}
	return found->cut != NULL || found->item_count == found->most ||
	       (chain.node == chain.end && found->item_count == found->count);
}

/* Finds the type and the offset of the element, which is a member in Microsoft's nodes. */
static bool
element_of(const struct typed_value *node, struct arena *arena, struct library_value *found,
	   uint64_t *offset)
{
	struct typed_value part;

	if (!library_follow(node, "_Myval", arena, &part) || !part.in_memory)
		return false;
	found->element = part.type;
	*offset = part.address - node->address;
	return true;
}

bool
library_take_list(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value header, link;
	struct node_chain chain = { 0 };
	const bool microsoft = library_object(value, "_Mypair._Myval2._Myhead", arena, &header);

	found->element = debug_type_argument(value->type, 0, arena);
	if (microsoft ? !element_of(&header, arena, found, &chain.offset)
		      : !library_follow(value, "_M_impl._M_node|__end_", arena, &header) ||
				found->element == NULL)
		return false;
	if (!header.in_memory || !library_follow(&header, "_M_next|__next_|_Next", arena, &link) ||
	    !library_address(&link, &chain.node) ||
	    !library_number(value,
			    "_M_impl._M_node._M_size|__size_alloc_.__value_|__size_|"
			    "_Mypair._Myval2._Mysize",
			    arena, &found->count))
		return false;
	chain.end = header.address;
	chain.link = link.address - header.address;
	if (!microsoft)
		chain.offset =
			offset_in_node(value, found->element, 2 * library_word(value), arena);
	return entitle(found, arena) && take_chain(value, chain, arena, found);
}

bool
library_take_forward_list(const struct typed_value *value, struct arena *arena,
			  struct library_value *found)
{
	struct typed_value node;
	struct node_chain chain = { 0 };

	found->element = debug_type_argument(value->type, 0, arena);
	if (library_object(value, "_Mypair._Myval2._Myhead", arena, &node)) {
		if (!element_of(&node, arena, found, &chain.offset))
			return false;
		chain.node = node.address;
	} else if (library_pointer(value,
				   "_M_impl._M_head._M_next|__before_begin_.__value_.__next_|"
				   "__before_begin_.__next_|_Mypair._Myval2._Myhead",
				   arena, &chain.node) == NULL) {
		return false;
	} else if (chain.node != 0) {
		if (found->element == NULL)
			return false;
		chain.offset = offset_in_node(value, found->element, library_word(value), arena);
	}
	/* The container does not store its size. */
	found->count = found->most;
	found->title = chain.node == 0 ? "empty std::forward_list" : "std::forward_list";
	take_chain(value, chain, arena, found);
	found->count = found->item_count;
	return true;
}

/* Paths of a tree's members, and indices of the words of a node that point to other nodes. */
struct tree_layout {
	const char *header, *first, *count, *tree;
	unsigned left, right, parent;
	unsigned argument;		/* index of the element among the type's arguments */
	unsigned words, bytes;		/* size of a node's own members, before its element */
};

static const struct tree_layout tree_layouts[] = {
	{ .header = "_M_t._M_impl._M_header", .first = "_M_t._M_impl._M_header._M_left",
	  .count = "_M_t._M_impl._M_node_count", .tree = "_M_t",
	  .left = 2, .right = 3, .parent = 1, .argument = 1, .words = 4 },
	{ .header = "__tree_.__pair1_.__value_|__tree_.__end_node_",
	  .first = "__tree_.__begin_node_", .tree = "__tree_",
	  .count = "__tree_.__pair3_.__value_|__tree_.__size_",
	  .left = 0, .right = 1, .parent = 2, .words = 3, .bytes = 1 },
	{ .header = NULL, .first = "_Left", .count = "_Mypair._Myval2._Myval2._Mysize",
	  .left = 0, .right = 2, .parent = 1 },
};

/*
 * The next node in the order of a tree; 0, with `cut` set, if the dump lacks it. Counts the steps:
 * a tree has at most two for each element, and those of its height.
 */
static uint64_t
next_node(const struct typed_value *value, const struct tree_layout *layout, uint64_t end,
	  uint64_t node, size_t *steps, struct arena *arena, struct library_value *found)
{
	const unsigned word = library_word(value);
	const size_t most = 2 * (found->item_count + MOST_HEIGHT);
	uint64_t right, above, next;

	/* Microsoft's nodes without a child have the header as child. */
	if (!library_read_pointer(value, node + layout->right * word, arena, found, &right))
		return 0;
	const bool down = right != 0 && right != end;
	while (down && ++*steps <= most) {
		if (!library_read_pointer(value, right + layout->left * word, arena, found, &next))
			return 0;
		if (next == 0 || next == end)
			return right;
		right = next;
	}
	while (!down && ++*steps <= most) {
		if (!library_read_pointer(value, node + layout->parent * word, arena, found,
					  &above))
			return 0;
		if (above == end)
			return end;
		if (!library_read_pointer(value, above + layout->right * word, arena, found, &next))
			return 0;
		if (next != node)
			return above;
		node = above;
	}
	return 0;
}

/* Reads the nodes of a tree from its first node to its header. */
static bool
take_nodes(const struct typed_value *value, const struct tree_layout *layout,
	   struct node_chain chain, struct arena *arena, struct library_value *found)
{
	size_t steps = 0;

	while (chain.node != chain.end && found->cut == NULL && found->item_count < found->most &&
	       found->item_count < found->count) {
		if (chain.node == 0 || library_add(value, found->element, chain.node + chain.offset,
						   arena, found) == NULL)
			return false;
		chain.node = next_node(value, layout, chain.end, chain.node, &steps, arena, found);
	}
	return found->cut != NULL || found->item_count == found->most ||
	       (chain.node == chain.end && found->item_count == found->count);
}

/* Maps and sets. */
bool
library_take_tree(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	const struct tree_layout *layout = tree_layouts;
	const struct tree_layout *microsoft = &tree_layouts[ARRAY_COUNT(tree_layouts) - 1];
	struct typed_value tree, header;
	struct node_chain chain = { 0 };

	while (layout < microsoft && !library_follow(value, layout->header, arena, &header))
		layout++;
	if (layout == microsoft) {
		if (!library_object(value, "_Mypair._Myval2._Myval2._Myhead", arena, &header) ||
		    !element_of(&header, arena, found, &chain.offset))
			return false;
	} else {
		if (!library_follow(value, layout->tree, arena, &tree))
			return false;
		found->element = debug_type_argument(tree.type, layout->argument, arena);
		if (found->element == NULL)
			return false;
		chain.offset =
			offset_in_node(value, found->element,
				       layout->words * library_word(value) + layout->bytes, arena);
	}
	chain.end = header.address;
	return header.in_memory &&
	       library_pointer(layout == microsoft ? &header : value, layout->first, arena,
			       &chain.node) != NULL &&
	       library_number(value, layout->count, arena, &found->count) &&
	       entitle(found, arena) && take_nodes(value, layout, chain, arena, found);
}

/* Unordered maps and sets; Microsoft's are a list with an index. */
bool
library_take_hash(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value table;
	struct node_chain chain = { 0 };

	if (library_follow(value, "_List", arena, &table))
		return library_take_list(&table, arena, found);
	const bool llvm = library_follow(value, "__table_", arena, &table);
	if ((!llvm && !library_follow(value, "_M_h", arena, &table)) ||
	    !library_pointer(&table,
			     "_M_before_begin._M_nxt|__p1_.__value_.__next_|"
			     "__first_node_.__next_",
			     arena, &chain.node) ||
	    !library_number(&table, "_M_element_count|__p2_.__value_|__size_", arena,
			    &found->count))
		return false;
	found->element = debug_type_argument(table.type, llvm ? 0 : 1, arena);
	if (found->element == NULL)
		return false;
	/* Nodes of libc++ have a hash. */
	chain.offset =
		offset_in_node(value, found->element, (llvm ? 2 : 1) * library_word(value), arena);
	return entitle(found, arena) && take_chain(value, chain, arena, found);
}

/*
 * An iterator of a map or set. The end of a tree is its header: in libstdc++ a red node that is the
 * parent of its parent, or has none. In libc++ nothing distinguishes the end: no element is given.
 */
bool
library_take_tree_iterator(const struct typed_value *value, struct arena *arena,
			   struct library_value *found)
{
	const unsigned word = library_word(value);
	uint64_t node, parent, above, colour;
	struct typed_value object;

	if (library_object(value, "_Ptr", arena, &object))
		return library_number(&object, "_Isnil", arena, &colour) && colour == 0 &&
		       library_follow(&object, "_Myval", arena, &found->inner);
	found->element = debug_type_argument(value->type, 0, arena);
	if (!library_pointer(value, "_M_node", arena, &node) || node == 0 ||
	    found->element == NULL || !value_read_number(value->frame, node, 4, &colour) ||
	    !value_read_number(value->frame, node + word, word, &parent) ||
	    (colour == 0 && (parent == 0 ||
			     !value_read_number(value->frame, parent + word, word, &above) ||
			     above == node)))
		return false;
	found->inner = element_at(value, found->element, node, 4 * word, arena);
	return true;
}

/* An iterator of libstdc++'s unordered containers; the end is the null pointer. */
bool
library_take_hash_iterator(const struct typed_value *value, struct arena *arena,
			   struct library_value *found)
{
	uint64_t node;

	found->element = debug_type_argument(value->type, 0, arena);
	if (!library_pointer(value, "_M_cur", arena, &node) || node == 0 || found->element == NULL)
		return false;
	found->inner = element_at(value, found->element, node, library_word(value), arena);
	return true;
}

/* Blocks of elements --------------------------------------------------------------------------- */

/* A container in blocks of `each` elements: block pointers at `map`, first element `start`. */
struct blocks {
	uint64_t map, each, start;
	/* The map is a ring of this many pointers; 0: it does not wrap */
	uint64_t wrap;
};

/* Bytes of a block of Microsoft's deque, unless an element is larger. */
#define DEQUE_BLOCK 512u
#define DEQUE_BLOCK_LLVM 4096u
#define DEQUE_BLOCK_MICROSOFT 16u

static bool
find_blocks(const struct typed_value *value, struct arena *arena, struct library_value *found,
	    struct blocks *blocks)
{
	static const char start[] = "_M_impl._M_start", finish[] = "_M_impl._M_finish";
	struct typed_value from, to;
	uint64_t current, first, end_map;
	const struct debug_type *pointer;

	if (!library_follow(value, start, arena, &from) ||
	    !library_follow(value, finish, arena, &to) ||
	    (pointer = library_pointer(&from, "_M_cur", arena, &current)) == NULL ||
	    !library_pointer(&from, "_M_first", arena, &first) ||
	    !library_pointer(&from, "_M_node", arena, &blocks->map) ||
	    !library_pointer(&to, "_M_node", arena, &end_map))
		return false;
	found->element = debug_type_target(pointer, arena);
	const uint64_t size = found->element != NULL ? found->element->size : 0;
	if (size == 0 || end_map < blocks->map ||
	    (end_map - blocks->map) % library_word(value) != 0 ||
	    end_map - blocks->map > LIBRARY_PLAUSIBLE || current < first)
		return false;
	blocks->each = size < DEQUE_BLOCK ? DEQUE_BLOCK / size : 1;
	blocks->start = (current - first) / size;
	if (!library_pointer(&to, "_M_cur", arena, &current) ||
	    !library_pointer(&to, "_M_first", arena, &first) || current < first)
		return false;
	found->count = (end_map - blocks->map) / library_word(value) * blocks->each +
		       (current - first) / size;
	if (found->count < blocks->start)
		return false;
	found->count -= blocks->start;
	return true;
}

/* libc++ and Microsoft store the number of elements. */
static bool
find_blocks_counted(const struct typed_value *value, struct arena *arena,
		    struct library_value *found, struct blocks *blocks)
{
	const struct debug_type *map =
		library_pointer(value, "__map_.__begin_|_Mypair._Myval2._Map", arena, &blocks->map);
	const struct debug_type *block = map != NULL ? debug_type_target(map, arena) : NULL;

	if (block == NULL || block->kind != DEBUG_TYPE_POINTER ||
	    !library_number(value, "__start_|_Mypair._Myval2._Myoff", arena, &blocks->start) ||
	    !library_number(value, "__size_.__value_|__size_|_Mypair._Myval2._Mysize", arena,
			    &found->count))
		return false;
	found->element = debug_type_target(block, arena);
	const uint64_t size = found->element != NULL ? found->element->size : 0;
	const bool llvm = !library_number(value, "_Mypair._Myval2._Mapsize", arena, &blocks->wrap);
	const uint64_t bytes = llvm ? DEQUE_BLOCK_LLVM : DEQUE_BLOCK_MICROSOFT;
	if (size == 0 || (!llvm && blocks->wrap == 0 && found->count > 0))
		return false;
	/* libc++: at least 16 elements; Microsoft: a power of 2. */
	blocks->each = llvm ? size < bytes / 16 ? bytes / size : 16
		       : size > bytes / 2 ? 1
		       : size > bytes / 4 ? 2
		       : size > bytes / 8 ? 4
		       : size > 1	  ? 8
					  : 16;
	return true;
}

bool
library_take_deque(const struct typed_value *value, struct arena *arena,
		   struct library_value *found)
{
	struct blocks blocks = { 0 };
	uint64_t at = 0;

	if (!find_blocks(value, arena, found, &blocks) &&
	    !find_blocks_counted(value, arena, found, &blocks))
		return false;
	if (found->count > LIBRARY_PLAUSIBLE || blocks.start > LIBRARY_PLAUSIBLE)
		return false;
	while (found->item_count < found->count && found->item_count < found->most) {
		const uint64_t index = blocks.start + found->item_count;
		const uint64_t block = index / blocks.each, inside = index % blocks.each;

		if ((found->item_count == 0 || inside == 0) &&
		    !library_read_pointer(value,
					  blocks.map +
						  (blocks.wrap == 0 ? block : block % blocks.wrap) *
							  library_word(value),
					  arena, found, &at))
			break;
		if (library_add(value, found->element, at + inside * found->element->size, arena,
				found) == NULL)
			break;
	}
	return entitle(found, arena);
}
