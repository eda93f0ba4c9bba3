/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "inspect/variable/library_internal.h"

/*
 * Members of libstdc++ (bits/basic_string.h, stl_vector.h, stl_list.h, stl_tree.h,
 * hashtable_policy.h, stl_deque.h, stl_bvector.h, tuple and variant), of libc++ (headers of these
 * names, since LLVM 3.9) and of Microsoft's STL (xstring, vector, list, xtree, xhash, deque, tuple
 * and variant of Visual Studio 2019 and later). Paths list their alternatives in this order.
 */

/* Characters that a string stores inline. Limits of a search: levels of bases, and members. */
enum { LOCAL_CHARACTERS = 15, MOST_NESTED = 12, MOST_MEMBERS = 1024 };

/* A search for a member. In a damaged file a class may have many bases, or be its own base. */
struct member_search {
	struct text name;
	enum debug_type_kind kind;
	unsigned left;			/* number of members that may still be examined */
};

static bool
find_nested(const struct typed_value *value, struct member_search *search, unsigned depth,
	    struct arena *arena, struct typed_value *found)
{
	struct debug_member *members;
	const size_t count = value_members(value, arena, &members);

	/* A member hides those of the same name in bases. */
	for (size_t i = 0; i < 2 * count && search->left > 0; i++) {
		const struct debug_member *member = &members[i % count];
		const bool inside = member->base || *member->name == '\0';

		search->left--;
		if (member->is_static || inside != (i >= count))
			continue;
		const struct typed_value part = value_member(value, member, arena);
		if (inside && depth > 0 && find_nested(&part, search, depth - 1, arena, found))
			return true;
		if (!inside && text_is(search->name, member->name) &&
		    (search->kind == DEBUG_TYPE_UNKNOWN || member->type->kind == search->kind)) {
			*found = part;
			return true;
		}
	}
	return false;
}

/* Finds a member by its name and kind of type, also in bases and unnamed members. */
static bool
find_member(const struct typed_value *value, struct text name, enum debug_type_kind kind,
	    unsigned depth, struct arena *arena, struct typed_value *found)
{
	struct member_search search = { name, kind, MOST_MEMBERS };

	return find_nested(value, &search, depth, arena, found);
}

unsigned
library_word(const struct typed_value *value)
{
	return value->frame->walk->arch->word_size;
}

bool
library_follow(const struct typed_value *value, const char *path, struct arena *arena,
	       struct typed_value *found)
{
	*found = *value;
	for (;;) {
		const struct typed_value from = *found;
		const size_t length = strcspn(path, ".|");
		const bool exists = find_member(&from, (struct text){ path, length },
						DEBUG_TYPE_UNKNOWN, MOST_NESTED, arena, found);

		if (!exists) {
			path += strcspn(path, "|");
			*found = *value;
		} else {
			path += length;
		}
		if (*path == '\0' || (exists && *path == '|'))
			return exists;
		path++;
	}
}

bool
library_number(const struct typed_value *value, const char *path, struct arena *arena,
	       uint64_t *number)
{
	struct typed_value found;

	return library_follow(value, path, arena, &found) && value_number(&found, number) == NULL;
}

bool
library_address(const struct typed_value *value, uint64_t *address)
{
	return value->type->kind == DEBUG_TYPE_POINTER && value_number(value, address) == NULL;
}

const struct debug_type *
library_pointer(const struct typed_value *value, const char *path, struct arena *arena,
		uint64_t *address)
{
	struct typed_value found;

	return library_follow(value, path, arena, &found) && library_address(&found, address)
		       ? found.type
		       : NULL;
}

bool
library_object(const struct typed_value *value, const char *path, struct arena *arena,
	       struct typed_value *object)
{
	struct typed_value pointer;
	uint64_t address;

	if (!library_follow(value, path, arena, &pointer) || !library_address(&pointer, &address) ||
	    address == 0)
		return false;
	const struct debug_type *type = debug_type_target(pointer.type, arena);
	if (type != NULL)
		*object = value_pointed(&pointer, type, arena);
	return type != NULL;
}

/* Whether a type is a character type of UTF-8, UTF-16 or UTF-32. */
static bool
is_character(const struct debug_type *type)
{
	return type != NULL && type->kind == DEBUG_TYPE_CHARACTER &&
	       (type->size == 1 || type->size == 2 || type->size == 4);
}

/* libstdc++: the pointer leads to the characters, even if they are in the string itself. */
static bool
take_string(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value local;
	uint64_t capacity;
	const struct debug_type *pointer =
		library_pointer(value, "_M_dataplus._M_p", arena, &found->address);

	if (pointer == NULL || !library_number(value, "_M_string_length", arena, &found->count) ||
	    !library_follow(value, "_M_local_buf", arena, &local))
		return false;
	found->element = debug_type_target(pointer, arena);
	if (!is_character(found->element))
		return false;
	const uint64_t inside = LOCAL_CHARACTERS / found->element->size;
	found->capacity = inside;
	if (!local.in_memory || local.address != found->address) {
		if (!library_number(value, "_M_allocated_capacity", arena, &capacity) ||
		    (local.in_memory && capacity <= inside))
			return false;
		found->capacity = capacity;
	}
	return true;
}

/* Microsoft: the capacity decides where the characters are. */
static bool
take_string_microsoft(const struct typed_value *string, struct arena *arena,
		      struct library_value *found)
{
	struct typed_value local;
	const struct debug_type *pointer =
		library_pointer(string, "_Bx._Ptr", arena, &found->address);

	if (pointer == NULL || !library_number(string, "_Mysize", arena, &found->count) ||
	    !library_number(string, "_Myres", arena, &found->capacity) ||
	    !library_follow(string, "_Bx._Buf", arena, &local))
		return false;
	found->element = debug_type_target(pointer, arena);
	if (!is_character(found->element))
		return false;
	if (found->capacity > LOCAL_CHARACTERS / found->element->size)
		return true;
	found->address = local.address;
	return local.in_memory;
}

/*
 * libc++: a bit says whether the characters are in the string object. Since LLVM 15 it is a member;
 * earlier it was the lowest bit of the first byte or, if the characters come first, the highest bit
 * of the last byte.
 */
static bool
take_string_llvm(const struct typed_value *string, struct arena *arena, struct library_value *found)
{
	struct typed_value size, local;
	uint64_t is_long, short_size, capacity;
	const struct debug_type *pointer =
		library_pointer(string, "__l.__data_", arena, &found->address);

	if (pointer == NULL || !library_follow(string, "__s.__size_", arena, &size) ||
	    value_number(&size, &short_size) != NULL ||
	    !library_follow(string, "__s.__data_", arena, &local) || !local.in_memory ||
	    !library_number(string, "__l.__size_", arena, &found->count) ||
	    !library_number(string, "__l.__cap_", arena, &capacity))
		return false;
	found->element = debug_type_target(pointer, arena);
	if (!is_character(found->element))
		return false;
	const bool last = local.address == string->address;
	const bool member = library_number(string, "__s.__is_long_", arena, &is_long);
	if (!member) {
		if (value_is_big(string))
			return false;
		is_long = last ? short_size >> 7 : short_size & 1;
		short_size = last ? short_size & 0x7f : short_size >> 1;
		capacity &= last ? UINT64_MAX >> (65 - 8 * library_word(string)) : UINT64_MAX - 1;
	} else if (!last) {
		capacity *= 2;
	}
	found->capacity = capacity - 1;
	if (is_long == 0) {
		found->address = local.address;
		found->count = short_size;
		found->capacity = local.type->has_count ? local.type->count - 1 : short_size;
	}
	return true;
}

static bool
take_any_string(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value inner;

	return (library_follow(value, "__r_.__value_|__rep_", arena, &inner)
			? take_string_llvm(&inner, arena, found)
		: library_follow(value, "_Mypair._Myval2", arena, &inner)
			? take_string_microsoft(&inner, arena, found)
			: take_string(value, arena, found)) &&
	       found->address != 0 && found->count <= found->capacity &&
	       found->capacity < LIBRARY_PLAUSIBLE;
}

static bool
take_view(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	const struct debug_type *pointer =
		library_pointer(value, "_M_str|__data_|__data|_Mydata", arena, &found->address);

	found->element = pointer != NULL ? debug_type_target(pointer, arena) : NULL;
	return is_character(found->element) &&
	       library_number(value, "_M_len|__size_|__size|_Mysize", arena, &found->count) &&
	       found->count < LIBRARY_PLAUSIBLE;
}

static bool
take_vector(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	uint64_t last, limit;
	const struct debug_type *pointer =
		library_pointer(value, "_M_impl._M_start|__begin_|_Mypair._Myval2._Myfirst", arena,
				&found->address);

	if (pointer == NULL ||
	    !library_pointer(value, "_M_impl._M_finish|__end_|_Mypair._Myval2._Mylast", arena,
			     &last) ||
	    !library_pointer(value,
			     "_M_impl._M_end_of_storage|__end_cap_.__value_|__end_cap_|"
			     "__cap_|_Mypair._Myval2._Myend",
			     arena, &limit))
		return false;
	found->element = debug_type_target(pointer, arena);
	if (found->element == NULL || found->element->size == 0 || last < found->address ||
	    limit < last || (last - found->address) % found->element->size != 0 ||
	    (limit - found->address) % found->element->size != 0)
		return false;
	found->count = (last - found->address) / found->element->size;
	found->capacity = (limit - found->address) / found->element->size;
	found->title = arena_format(arena, "std::vector of length %" PRIu64 ", capacity %" PRIu64,
				    found->count, found->capacity);
	return found->title != NULL && (found->address != 0 || limit == 0);
}

static bool
take_unique(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value tuple;
	uint64_t address;

	/*
	 * The deleter's member has the same name as the pointer's member, but it is a pointer only
	 * if the deleter is a function.
	 */
	return (library_follow(value, "_M_t._M_t", arena, &tuple)
			? find_member(&tuple, text_of("_M_head_impl"), DEBUG_TYPE_POINTER,
				      MOST_NESTED, arena, &found->inner)
			: library_follow(value, "__ptr_.__value_|__ptr_|_Mypair._Myval2", arena,
					 &found->inner)) &&
	       library_address(&found->inner, &address);
}

static bool
take_shared(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	static const char control[] = "_M_refcount._M_pi|__cntrl_|_Rep";
	struct typed_value counts;
	uint64_t address;

	if (!library_follow(value, "_M_ptr|__ptr_|_Ptr", arena, &found->inner) ||
	    !library_address(&found->inner, &address) ||
	    !library_pointer(value, control, arena, &address))
		return false;
	if (address == 0)
		return true;
	if (!library_object(value, control, arena, &counts))
		return false;
	if (library_number(&counts, "__shared_owners_", arena, &found->uses)) {
		/* libc++ stores the counts minus 1. */
		found->engaged =
			library_number(&counts, "__shared_weak_owners_", arena, &found->weak);
		found->uses++;
		found->weak++;
	} else {
		found->engaged =
			library_number(&counts, "_M_use_count|_Uses", arena, &found->uses) &&
			library_number(&counts, "_M_weak_count|_Weaks", arena, &found->weak);
	}
	/* All strong uses together count as one weak use. */
	if (found->engaged && found->uses > 0 && found->weak > 0)
		found->weak--;
	return found->engaged;
}

static bool
take_optional(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	uint64_t engaged;

	if (!library_number(value, "_M_payload._M_engaged|__engaged_|_Has_value", arena,
			    &engaged) ||
	    engaged > 1 ||
	    !library_follow(value, "_M_payload._M_payload._M_value|__val_|_Value", arena,
			    &found->inner))
		return false;
	found->engaged = engaged == 1;
	return true;
}

static bool
take_iterator(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	return library_object(value, "_M_current|__i_|__i|_Ptr", arena, &found->inner);
}

/* Finds the first bit and the number of bits; false if this is not a vector of bits. */
static bool
find_bits(const struct typed_value *value, struct arena *arena, struct library_value *found,
	  uint64_t *from, uint64_t *before)
{
	uint64_t to, after, limit;

	*before = 0;
	if (library_pointer(value, "__begin_|_Myvec._Mypair._Myval2._Myfirst", arena, from)) {
		found->capacity = UINT64_MAX;
		if (library_number(value, "__cap_alloc_.__value_|__cap_", arena, &limit))
			found->capacity = limit * 8 * library_word(value);
		else if (library_pointer(value, "_Myvec._Mypair._Myval2._Myend", arena, &limit))
			found->capacity = 8 * (limit - *from);
		return library_number(value, "__size_|_Mysize", arena, &found->count);
	}
	if (!library_pointer(value, "_M_impl._M_start._M_p", arena, from) ||
	    !library_number(value, "_M_impl._M_start._M_offset", arena, before) ||
	    !library_pointer(value, "_M_impl._M_finish._M_p", arena, &to) ||
	    !library_number(value, "_M_impl._M_finish._M_offset", arena, &after) ||
	    !library_pointer(value, "_M_impl._M_end_of_storage", arena, &limit) || to < *from ||
	    limit < to || *before > 63 || after > 63 || limit - *from > LIBRARY_PLAUSIBLE ||
	    8 * (to - *from) + after < *before)
		return false;
	found->count = 8 * (to - *from) + after - *before;
	found->capacity = 8 * (limit - *from);
	return true;
}

/* Reads elements of one bit each, in words. */
static bool
take_bits(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	uint64_t from, before;

	found->element = debug_type_argument(value->type, 0, arena);
	if (found->element == NULL || value_is_big(value) ||
	    !find_bits(value, arena, found, &from, &before) || found->count > found->capacity ||
	    found->capacity / 8 > LIBRARY_PLAUSIBLE)
		return false;
	found->title =
		arena_format(arena, "std::vector<bool> of length %" PRIu64 ", capacity %" PRIu64,
			     found->count, found->capacity);
	for (uint64_t i = before; i < before + found->count && found->item_count < found->most;
	     i++) {
		struct typed_value *item =
			library_add(value, found->element, from + i / 8, arena, found);

		if (item == NULL)
			break;
		item->is_bits = true;
		item->bits = 1;
		item->bit_offset = i % 8;
	}
	return found->title != NULL;
}

/* Inline elements ------------------------------------------------------------------------------ */

static bool
find_base(const struct typed_value *value, const char *begins, struct arena *arena,
	  struct typed_value *found)
{
	struct debug_member *members;
	const size_t count = debug_type_members(value->type, arena, &members);

	for (size_t i = 0; i < count; i++) {
		const char *name = members[i].type->own_name;

		if (!members[i].base || name == NULL || strncmp(name, begins, strlen(begins)) != 0)
			continue;
		*found = value_member(value, &members[i], arena);
		return true;
	}
	return false;
}

/* Adds an element that may not be in memory. */
static void
add_value(const struct typed_value *item, struct arena *arena, struct library_value *found)
{
	ARENA_ADD(arena, found->items, found->item_count, found->item_capacity, item);
}

/* The elements of libc++'s tuple are its bases. */
static void
take_leaves(const struct typed_value *tuple, struct arena *arena, struct library_value *found)
{
	static const char leaf[] = "__tuple_leaf<";
	struct debug_member *members;
	const size_t count = debug_type_members(tuple->type, arena, &members);

	for (size_t i = 0; i < count && found->item_count < LIBRARY_ITEMS; i++) {
		const char *name = members[i].type->own_name;
		const struct typed_value part = value_member(tuple, &members[i], arena);
		struct typed_value item;

		if (members[i].base && name != NULL && strncmp(name, leaf, strlen(leaf)) == 0)
			add_value(library_follow(&part, "__value_", arena, &item) ? &item : &part,
				  arena, found);
	}
}

/* Elements of a tuple inherit from each other; an element of an empty type has no storage. */
static bool
take_tuple(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value at = *value, next, head, item;
	struct debug_member *members;

	if (library_follow(value, "__base_", arena, &at))
		take_leaves(&at, arena, found);
	for (unsigned i = 0; i < LIBRARY_ITEMS && (find_base(&at, "_Tuple_impl<", arena, &next) ||
						   find_base(&at, "tuple<", arena, &next));
	     i++) {
		if (library_follow(&at, "_Myfirst._Val", arena, &item))
			add_value(&item, arena, found);
		at = next;
		if (!find_base(&at, "_Head_base<", arena, &head))
			continue;
		/* A base class of an empty type has no name. */
		add_value(find_member(&head, text_of("_M_head_impl"), DEBUG_TYPE_UNKNOWN, 0, arena,
				      &item)
				  ? &item
				  : &head,
			  arena, found);
	}
	found->count = found->item_count;
	found->title = found->count == 0 ? "empty std::tuple" : "std::tuple containing";
	/* A tuple that has members but no known elements is of an unknown library. */
	return found->count > 0 || debug_type_members(value->type, arena, &members) == 0;
}

/* Alternative N of a variant is nested N levels deep in the union. */
static bool
take_variant(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value number, at, part;
	uint64_t index;

	if (!library_follow(value, "_M_index|__impl_.__index|__impl.__index|_Which", arena,
			    &number) ||
	    value_number(&number, &index) != NULL)
		return false;
	if (!library_follow(value, "_M_u|__impl_.__data|__impl.__data", arena, &at))
		at = *value;
	const uint64_t none =
		number.type->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * number.type->size) - 1;
	if ((index & none) == none) {
		found->title = "std::variant [no contained value]";
		return true;
	}
	for (uint64_t i = 0; i < index; i++) {
		if (i == LIBRARY_ITEMS ||
		    !library_follow(&at, "_M_rest|__tail|_Tail", arena, &part))
			return false;
		at = part;
	}
	if (!library_follow(&at, "_M_first._M_storage|__head.__value|_Head", arena, &part))
		return false;
	/* An object with a nontrivial destructor is in a byte buffer. */
	struct typed_value holder;
	const struct debug_type *type = NULL;
	if (find_member(&part, text_of("_M_storage"), DEBUG_TYPE_UNKNOWN, 0, arena, &holder))
		type = debug_type_argument(part.type, 0, arena);
	if (type != NULL)
		part.type = type;
	found->title = arena_format(arena, "std::variant [index %" PRIu64 "]", index);
	add_value(&part, arena, found);
	found->count = 1;
	return found->title != NULL && found->item_count == 1;
}

/* std::stack and queues are shown as the container that they wrap. */
static bool
take_wrapper(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	found->kind = LIBRARY_ITERATOR;
	return library_follow(value, "c", arena, &found->inner);
}

/* nlohmann::json (json.hpp, since 3.1): a value of the library, or a pointer to one, in a union. */
static bool
take_json(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	static const char *const members[] = {
		NULL, "object", "array", "string", "boolean", "number_integer", "number_unsigned",
		"number_float", "binary" };
	struct typed_value held, member;
	uint64_t number;

	if (!library_number(value, "m_data.m_type|m_type", arena, &number) ||
	    number >= ARRAY_COUNT(members) ||
	    !library_follow(value, "m_data.m_value|m_value", arena, &held))
		return false;
	found->title = number == 0 ? "json null" : "json";
	if (number == 0) {
		found->kind = LIBRARY_CONTAINER;
		return true;
	}
	if (!library_follow(&held, members[number], arena, &member))
		return false;
	found->inner = member;
	return member.type->kind != DEBUG_TYPE_POINTER ||
	       library_object(&held, members[number], arena, &found->inner);
}

/* All ------------------------------------------------------------------------------------------ */

static const struct {
	const char *begins; /* prefixes of the type's name in its namespace, separated by '|' */
	enum library_kind kind;
	enum library_index index;
	bool (*take)(const struct typed_value *value, struct arena *arena,
		     struct library_value *found);
} libraries[] = {
	{ "basic_string<", LIBRARY_STRING, LIBRARY_INDEX_NONE, take_any_string },
	{ "basic_string_view<", LIBRARY_STRING, LIBRARY_INDEX_NONE, take_view },
	{ "vector<bool,", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, take_bits },
	{ "vector<", LIBRARY_VECTOR, LIBRARY_INDEX_NONE, take_vector },
	{ "unique_ptr<", LIBRARY_UNIQUE, LIBRARY_INDEX_NONE, take_unique },
	{ "shared_ptr<|weak_ptr<", LIBRARY_SHARED, LIBRARY_INDEX_NONE, take_shared },
	{ "optional<", LIBRARY_OPTIONAL, LIBRARY_INDEX_NONE, take_optional },
	{ "list<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_0, library_take_list },
	{ "forward_list<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_0, library_take_forward_list },
	{ "map<|multimap<", LIBRARY_CONTAINER, LIBRARY_INDEX_KEY, library_take_tree },
	{ "set<|multiset<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_0, library_take_tree },
	{ "unordered_map<|unordered_multimap<", LIBRARY_CONTAINER, LIBRARY_INDEX_KEY,
	  library_take_hash },
	{ "unordered_set<|unordered_multiset<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_0,
	  library_take_hash },
	{ "deque<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, library_take_deque },
	{ "tuple<", LIBRARY_CONTAINER, LIBRARY_INDEX_FROM_1, take_tuple },
	{ "variant<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, take_variant },
	{ "stack<|queue<|priority_queue<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, take_wrapper },
	{ "String", LIBRARY_STRING, LIBRARY_INDEX_NONE, library_take_rust_string },
	{ "&str|&mut str", LIBRARY_STRING, LIBRARY_INDEX_NONE, library_take_rust_text },
	{ "Vec<", LIBRARY_VECTOR, LIBRARY_INDEX_NONE, library_take_rust_vector },
	{ "VecDeque<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, library_take_rust_deque },
	{ "HashMap<", LIBRARY_CONTAINER, LIBRARY_INDEX_KEY, library_take_rust_hash },
	{ "HashSet<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, library_take_rust_hash },
	{ "BTreeMap<", LIBRARY_CONTAINER, LIBRARY_INDEX_KEY, library_take_rust_tree },
	{ "BTreeSet<", LIBRARY_CONTAINER, LIBRARY_INDEX_NONE, library_take_rust_tree },
	{ "Rc<|Arc<", LIBRARY_ITERATOR, LIBRARY_INDEX_NONE, library_take_rust_shared },
	{ "alloc::boxed::Box<(dyn |alloc::boxed::Box<dyn |&dyn |&mut dyn ", LIBRARY_ITERATOR,
	  LIBRARY_INDEX_NONE, library_take_rust_object },
	{ "&[|&mut [", LIBRARY_VECTOR, LIBRARY_INDEX_NONE, library_take_rust_slice },
	{ "string", LIBRARY_STRING, LIBRARY_INDEX_NONE, library_take_go_string },
	{ "[]", LIBRARY_VECTOR, LIBRARY_INDEX_NONE, library_take_go_slice },
	{ "*hash<|*map<", LIBRARY_CONTAINER, LIBRARY_INDEX_KEY, library_take_go_map },
	{ "basic_json<", LIBRARY_ITERATOR, LIBRARY_INDEX_NONE, take_json },
	{ "__normal_iterator<|__wrap_iter<|_Vector_iterator<", LIBRARY_ITERATOR,
	  LIBRARY_INDEX_NONE, take_iterator },
	{ "_Rb_tree_iterator<|_Rb_tree_const_iterator<|_Tree_iterator<|_Tree_const_iterator<",
	  LIBRARY_ITERATOR, LIBRARY_INDEX_NONE, library_take_tree_iterator },
	{ "_Node_iterator<|_Node_const_iterator<", LIBRARY_ITERATOR, LIBRARY_INDEX_NONE,
	  library_take_hash_iterator },
};

static bool
begins_with(const char *name, const char *begins)
{
	size_t length = strcspn(begins, "|");

	while (strncmp(name, begins, length) != 0) {
		if (begins[length] == '\0')
			return false;
		begins += length + 1;
		length = strcspn(begins, "|");
	}
	return true;
}

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

	if ((value->type->kind != DEBUG_TYPE_STRUCTURE &&
	     value->type->kind != DEBUG_TYPE_POINTER) ||
	    name == NULL || value->why != NULL)
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(libraries); i++) {
		if (!begins_with(name, libraries[i].begins))
			continue;
		*found = (struct library_value){ .kind = libraries[i].kind,
						 .name = name,
						 .index = libraries[i].index,
						 .most = most };
		return libraries[i].take(value, arena, found);
	}
	return false;
}

struct typed_value
library_value_element(const struct typed_value *value, const struct library_value *library,
		      uint64_t index)
{
	return (struct typed_value){ .type = library->element,
				     .frame = value->frame,
				     .in_memory = true,
				     .address = library->address + index * library->element->size };
}

bool
library_value_pair(const struct library_value *library, size_t index, struct arena *arena,
		   struct typed_value *key, struct typed_value *mapped)
{
	const struct typed_value *item = &library->items[index];

	if (library->index != LIBRARY_INDEX_KEY)
		return false;
	if (library->keys != NULL) {
		*key = library->keys[index];
		*mapped = *item;
		return true;
	}
	return library_follow(item, "first|__cc_.first|__cc.first|__0", arena, key) &&
	       library_follow(item, "second|__cc_.second|__cc.second|__1", arena, mapped);
}
