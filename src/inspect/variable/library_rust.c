/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "inspect/variable/dynamic_type.h"
#include "inspect/variable/library_internal.h"

/*
 * Members of Rust's types (library/alloc: string.rs, vec/mod.rs, raw_vec, collections; hashbrown).
 * The members of a slice are the compiler's own.
 */

/* Reads the pointer of a vector, which is nested deeper in newer libraries. */
static bool
follow_buffer(const struct typed_value *vector, struct arena *arena, uint64_t *address)
{
	return library_pointer(vector,
			       "buf.inner.ptr.pointer.pointer|buf.ptr.pointer.pointer|"
			       "buf.ptr.pointer",
			       arena, address) != NULL;
}

bool
library_take_rust_string(const struct typed_value *value, struct arena *arena,
			 struct library_value *found)
{
	struct typed_value bytes;

	return library_follow(value, "vec", arena, &bytes) &&
	       library_number(&bytes, "len", arena, &found->count) &&
	       found->count < LIBRARY_PLAUSIBLE && follow_buffer(&bytes, arena, &found->address);
}

bool
library_take_rust_text(const struct typed_value *value, struct arena *arena,
		       struct library_value *found)
{
	return library_number(value, "length", arena, &found->count) &&
	       found->count < LIBRARY_PLAUSIBLE &&
	       library_pointer(value, "data_ptr", arena, &found->address);
}

bool
library_entitle_vector(const struct debug_type *element, const char *what, struct arena *arena,
		       struct library_value *found)
{
	found->element = element;
	found->capacity = found->count;
	found->title = arena_format(arena, "%s(size=%" PRIu64 ")", what, found->count);
	return element != NULL && element->has_size && element->size > 0 && found->title != NULL;
}

bool
library_take_rust_vector(const struct typed_value *value, struct arena *arena,
			 struct library_value *found)
{
	return library_number(value, "len", arena, &found->count) &&
	       found->count < LIBRARY_PLAUSIBLE && follow_buffer(value, arena, &found->address) &&
	       library_entitle_vector(debug_type_argument(value->type, 0, arena), "Vec", arena,
				      found);
}

bool
library_take_rust_slice(const struct typed_value *value, struct arena *arena,
			struct library_value *found)
{
	const struct debug_type *pointer =
		library_pointer(value, "data_ptr", arena, &found->address);

	return pointer != NULL && library_number(value, "length", arena, &found->count) &&
	       found->count < LIBRARY_PLAUSIBLE &&
	       library_entitle_vector(debug_type_target(pointer, arena), "&[T]", arena, found);
}

/* Marks of a hash table that are read at once; buckets that are read, and those for one element. */
enum { MARKS = 4096, MOST_BUCKETS = 1 << 20, MOST_FOR_ONE = 256 };

/* Reads the full buckets of a table. Buckets precede the marks, in descending order. */
static bool
take_buckets(const struct typed_value *value, const struct debug_type *element, struct arena *arena,
	     struct library_value *found)
{
	const uint64_t wanted = (uint64_t)MOST_FOR_ONE * found->most;
	const uint64_t most = wanted < MOST_BUCKETS ? wanted : MOST_BUCKETS;
	uint64_t mask, marks;
	uint8_t bytes[MARKS];

	if (element == NULL || !element->has_size ||
	    library_pointer(value, "table.ctrl.pointer", arena, &marks) == NULL ||
	    !library_number(value, "table.bucket_mask", arena, &mask) || (mask & (mask + 1)) != 0 ||
	    !library_number(value, "table.items", arena, &found->count) || found->count > mask + 1)
		return false;
	for (uint64_t i = 0; i <= mask && i < most && found->item_count < found->count &&
			     found->item_count < found->most;
	     i++) {
		const uint64_t left = mask + 1 - i < MARKS ? mask + 1 - i : MARKS;

		if (i % MARKS == 0 && value_read(value->frame, marks + i, bytes, left) < left) {
			found->cut = value_unread(marks + i, arena);
			break;
		}
		/* An empty bucket has the highest bit of its mark set. */
		if ((bytes[i % MARKS] & 0x80) == 0)
			library_add(value, element, marks - (i + 1) * element->size, arena, found);
	}
	found->title = arena_format(arena, "%.*s(size=%" PRIu64 ")", (int)strcspn(found->name, "<"),
				    found->name, found->count);
	return found->title != NULL && (found->cut != NULL || found->item_count == found->most ||
					found->item_count == found->count || mask >= most);
}

/* Maps have pairs; a set is a map to values without size. */
bool
library_take_rust_hash(const struct typed_value *value, struct arena *arena,
		       struct library_value *found)
{
	struct typed_value table, key;

	if (!library_follow(value, "base.table|base.map.table", arena, &table))
		return false;
	if (!take_buckets(&table, debug_type_argument(table.type, 0, arena), arena, found))
		return false;
	for (size_t i = 0; found->index == LIBRARY_INDEX_NONE && i < found->item_count; i++)
		if (library_follow(&found->items[i], "__0", arena, &key))
			found->items[i] = key;
	return true;
}

/* Maximum number of elements of a B-tree's node, and of levels of a plausible tree. */
enum { TREE_NODE = 11, TREE_LEVELS = 24 };

/* A walk over a B-tree in order: the nodes from the root, and the next child of each node. */
struct tree_walk {
	uint64_t node[TREE_LEVELS], next[TREE_LEVELS], size[TREE_LEVELS], height;
	struct typed_value leaf; /* a node, with its type */
	uint64_t keys, values, edges; /* offsets of these members in a node */
};

static bool
enter_node(struct tree_walk *tree, uint64_t depth, uint64_t address, struct arena *arena,
	   struct library_value *found)
{
	struct typed_value node = tree->leaf;

	node.address = address;
	tree->node[depth] = address;
	tree->next[depth] = 0;
	if (!library_number(&node, "len", arena, &tree->size[depth])) {
		found->cut = value_unread(address, arena);
		return false;
	}
	return tree->size[depth] <= TREE_NODE;
}

/* Reads the elements in order. A node has its children before, between and after its elements. */
static bool
walk_tree(const struct typed_value *value, struct tree_walk *tree, struct arena *arena,
	  struct library_value *found)
{
	const struct debug_type *key = debug_type_argument(value->type, 0, arena);
	const uint64_t wide = found->element != NULL ? found->element->size : 0;
	const unsigned word = library_word(value);
	size_t key_capacity = 0, key_count = 0;
	uint64_t depth = 0, child;

	while (key != NULL && found->item_count < found->count && found->item_count < found->most) {
		for (; depth < tree->height; depth++)
			if (!library_read_pointer(value,
						  tree->node[depth] + tree->edges +
							  word * tree->next[depth],
						  arena, found, &child) ||
			    !enter_node(tree, depth + 1, child, arena, found))
				return found->cut != NULL;
		while (depth > 0 && tree->next[depth] == tree->size[depth])
			depth--;
		const uint64_t at = tree->next[depth]++, node = tree->node[depth];
		if (at >= tree->size[depth])
			return false;
		struct typed_value *item =
			found->index == LIBRARY_INDEX_KEY
				? ARENA_PUSH(arena, found->keys, key_count, key_capacity)
				: library_add(value, key, 0, arena, found);
		if (item == NULL)
			return false;
		*item = (struct typed_value){ .type = key,
					      .frame = value->frame,
					      .in_memory = true,
					      .address = node + tree->keys + at * key->size };
		if (found->index == LIBRARY_INDEX_KEY &&
		    library_add(value, found->element, node + tree->values + at * wide, arena,
				found) == NULL)
			return false;
	}
	return key != NULL;
}

bool
library_take_rust_tree(const struct typed_value *value, struct arena *arena,
		       struct library_value *found)
{
	const bool map = found->index == LIBRARY_INDEX_KEY;
	struct typed_value root, tree, keys, values;
	struct tree_walk walk = { 0 };

	if (!map) {
		if (!library_follow(value, "map", arena, &tree))
			return false;
	} else {
		tree = *value;
	}
	found->element = debug_type_argument(value->type, map ? 1 : 0, arena);
	if (!library_number(&tree, "length", arena, &found->count) || found->element == NULL)
		return false;
	found->title = arena_format(arena, "%.*s(size=%" PRIu64 ")", (int)strcspn(found->name, "<"),
				    found->name, found->count);
	if (found->count == 0)
		return found->title != NULL;
	if (!library_follow(&tree, "root.Some.__0", arena, &root) ||
	    !library_number(&root, "height", arena, &walk.height) || walk.height >= TREE_LEVELS ||
	    !library_object(&root, "node.pointer", arena, &walk.leaf) ||
	    !library_follow(&walk.leaf, "keys", arena, &keys) ||
	    !library_follow(&walk.leaf, "vals", arena, &values))
		return false;
	/* An inner node begins with the members of a leaf. */
	walk.keys = keys.address - walk.leaf.address;
	walk.values = values.address - walk.leaf.address;
	walk.edges = walk.leaf.type->size;
	return found->title != NULL && (!enter_node(&walk, 0, walk.leaf.address, arena, found)
						? found->cut != NULL
						: walk_tree(value, &walk, arena, found));
}

bool
library_take_rust_deque(const struct typed_value *value, struct arena *arena,
			struct library_value *found)
{
	uint64_t head, capacity;

	if (!library_take_rust_vector(value, arena, found) ||
	    !library_number(value, "head", arena, &head) ||
	    !library_number(value, "buf.inner.cap.__0|buf.cap.__0|buf.cap", arena, &capacity) ||
	    found->count > capacity || head > capacity || (head == capacity && head > 0))
		return false;
	found->title = arena_format(arena, "VecDeque(size=%" PRIu64 ")", found->count);
	for (uint64_t i = 0; i < found->count && found->item_count < found->most; i++)
		library_add(value, found->element,
			    found->address + (head + i) % capacity * found->element->size, arena,
			    found);
	return found->title != NULL;
}

/* A counted pointer leads to the counts and the value; the counts of Arc are atomic. */
bool
library_take_rust_shared(const struct typed_value *value, struct arena *arena,
			 struct library_value *found)
{
	struct typed_value shared;

	if (!library_object(value, "ptr.pointer", arena, &shared) ||
	    !library_number(&shared, "strong.value.value|strong.v.value", arena, &found->uses) ||
	    !library_number(&shared, "weak.value.value|weak.v.value", arena, &found->weak) ||
	    !library_follow(&shared, "value|data", arena, &found->inner))
		return false;
	/* All strong pointers together count as one weak pointer. */
	found->title = arena_format(arena, "%.*s(strong=%" PRIu64 ", weak=%" PRIu64 ")",
				    (int)strcspn(found->name, "<"), found->name, found->uses,
				    found->weak - (found->uses > 0 && found->weak > 0));
	return found->title != NULL;
}

/* A trait object's table begins with a drop function, whose name contains the object's type. */
bool
library_take_rust_object(const struct typed_value *value, struct arena *arena,
			 struct library_value *found)
{
	const struct value_frame *frame = value->frame;
	uint64_t table, drop, distance = 1;
	struct debug_named named;

	if (library_pointer(value, "pointer", arena, &found->address) == NULL ||
	    library_pointer(value, "vtable", arena, &table) == NULL ||
	    !value_read_number(frame, table, library_word(value), &drop) || drop == 0)
		return false;
	struct text name = value_symbol(frame, drop, &distance);
	if (distance != 0 || !text_drop_prefix(&name, "core::ptr::drop_in_place"))
		return false;
	text_drop_prefix(&name, "::");
	if (!text_drop_prefix(&name, "<") || name.start[name.length - 1] != '>')
		return false;
	name.length--;
	const char *type = text_copy(arena, name);
	if (type == NULL || !debug_named(&frame->scopes, DEBUG_WANTED_TYPE, DEBUG_TYPE_UNKNOWN,
					 type, arena, &named))
		return false;
	found->inner = (struct typed_value){ .type = debug_type_here(&named.entry, arena),
					     .frame = value->frame, .in_memory = true,
					     .address = found->address };
	found->title = arena_format(arena, "dyn %s", type);
	return found->title != NULL && found->inner.type != NULL;
}
