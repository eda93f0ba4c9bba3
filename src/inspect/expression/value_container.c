/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "inspect/expression/value_expression_internal.h"
#include "inspect/variable/library_value.h"

/*
 * Elements of the library's containers, and calls of functions that only read containers. Both are
 * computed from the contents (library_value.h), because no code can run.
 */

/* Maximum number of elements that are searched for an index or a key; of pointers to containers. */
enum { MOST_SEARCHED = 1 << 16, MOST_LEVELS = 8 };

bool
value_push_text(struct value_computation *computation)
{
	const size_t from = computation->at;
	const struct text text = computation->text;
	const char *end = memchr(text.start + from + 1, '"', text.length - from - 1);

	if (end == NULL)
		return value_fail(computation, from, "the text has no end");
	const size_t length = (size_t)(end - text.start) - from - 1;
	const char *bytes = arena_copy(computation->arena, text.start + from + 1, length);
	uint8_t *known = arena_array(computation->arena, length + 1, 1);
	const struct debug_type *type = value_array_of(
		computation, value_basic_type(computation, VALUE_CHAR), length + 1);
	computation->at = from + length + 2;
	if (bytes == NULL || known == NULL || type == NULL)
		return value_fail(computation, from, OUT_OF_MEMORY);
	memset(known, 1, length + 1);
	return value_push(computation, from, (struct variable_value){
		.location = VARIABLE_CONSTANT,
		.value = { .type = type, .frame = computation->variables, .size = length + 1,
			   .bytes = (const uint8_t *)bytes, .known = known } });
}

/* The text of a literal of the expression; false: the operand is not a literal. */
static bool
literal_of(const struct value_operand *operand, struct text *text)
{
	const struct typed_value *value = &operand->value.value;

	if (operand->value.location != VARIABLE_CONSTANT || value->bytes == NULL ||
	    value->type->kind != DEBUG_TYPE_ARRAY)
		return false;
	*text = (struct text){ (const char *)value->bytes, (size_t)value->size - 1 };
	return true;
}

/* Whether a string of the library, or a pointer to characters, has these characters. */
static bool
has_text(struct value_computation *computation, const struct typed_value *value, struct text text)
{
	struct library_value library;
	uint64_t address, length = text.length;
	uint8_t *bytes = arena_array(computation->arena, text.length + 1, 1);

	if (bytes == NULL)
		return false;
	if (library_value_of(value, computation->arena, &library)) {
		if (library.kind != LIBRARY_STRING || library.count != length ||
		    (library.element != NULL && library.element->size != 1))
			return false;
		address = library.address;
		bytes[text.length] = 0;
	} else {
		if (value->type->kind != DEBUG_TYPE_POINTER ||
		    value_number(value, &address) != NULL)
			return false;
		length++;
	}
	return value_read(value->frame, address, bytes, length) == length &&
	       bytes[text.length] == 0 && memcmp(bytes, text.start, text.length) == 0;
}

/* The value with a key; NULL: no element that was read has the key. */
static struct typed_value *
find_key(struct value_computation *computation, struct library_value *library,
	 const struct value_operand *index, uint64_t number)
{
	struct typed_value key, mapped;
	struct text text = { 0 };
	uint64_t own;
	const bool literal = literal_of(index, &text);

	for (size_t i = 0; i < library->item_count; i++) {
		if (!library_value_pair(library, i, computation->arena, &key, &mapped))
			return NULL;
		if (literal ? has_text(computation, &key, text)
			    : !value_is_composite(key.type) && key.type->size <= 8 &&
				      value_number(&key, &own) == NULL && own == number) {
			library->items[i] = mapped;
			return &library->items[i];
		}
	}
	return NULL;
}

/* Replaces the operand by the element with an index. False, with an error: it does not exist. */
static bool
take_element(struct value_computation *computation, struct library_value *library,
	     struct value_operand *container, const struct value_operand *index, uint64_t number)
{
	const bool by_key = library->index == LIBRARY_INDEX_KEY;
	const bool listed = library->kind == LIBRARY_CONTAINER;
	struct typed_value *found = NULL;
	struct text text = { 0 };

	if (by_key)
		found = find_key(computation, library, index, number);
	else if (listed && number - (library->index == LIBRARY_INDEX_FROM_1) < library->item_count)
		found = &library->items[number - (library->index == LIBRARY_INDEX_FROM_1)];
	if (library->kind == LIBRARY_STRING && library->element == NULL)
		library->element = value_basic_type(computation, VALUE_CHAR);
	if (!listed && library->element == NULL)
		return value_fail(computation, index->from, OUT_OF_MEMORY);
	if (!by_key && literal_of(index, &text))
		return value_fail(computation, index->from, "expected a number");
	if (listed ? found == NULL : number >= library->count)
		return value_fail(computation, index->from, "%s has %" PRIu64 " element%s%s%s%s",
				  library->kind == LIBRARY_STRING   ? "the string"
				  : library->kind == LIBRARY_VECTOR ? "the vector"
								    : "the container",
				  library->count, plural(library->count),
				  !by_key ? ""
				  : library->item_count == library->count
					  ? ", none with this key"
					  : ", none of those that were read has this key",
				  library->cut != NULL ? ": " : "", text_or_empty(library->cut));
	container->value = (struct variable_value){
		.value = listed ? *found : library_value_element(&container->value.value, library,
								 number) };
	container->value.location =
		container->value.value.in_memory ? VARIABLE_MEMORY : VARIABLE_COMPUTED;
	return true;
}

bool
value_container_index(struct value_computation *computation, struct value_operand *container,
		      struct value_operand *index, bool *found)
{
	struct library_value library;
	struct text text = { 0 };
	uint64_t number = 0;
	const char *why = NULL;

	/* Only a map has keys that are texts; Go's maps are pointers. */
	bool known = library_value_up_to(&container->value.value, MOST_SEARCHED,
					 computation->arena, &library);
	if (!known && literal_of(index, &text) &&
	    container->value.value.type->kind == DEBUG_TYPE_POINTER) {
		if (!value_follow(computation, container->from, container))
			return false;
		known = library_value_up_to(&container->value.value, MOST_SEARCHED,
					    computation->arena, &library);
	}
	/* A counted pointer of Rust and a JSON value lead to the container. */
	for (unsigned i = 0; i < MOST_LEVELS && known && library.kind == LIBRARY_ITERATOR &&
			     library.title != NULL; i++) {
		container->value.value = library.inner;
		known = library_value_up_to(&container->value.value, MOST_SEARCHED,
					    computation->arena, &library);
	}
	*found = known && (library.kind == LIBRARY_VECTOR || library.kind == LIBRARY_STRING ||
		  library.kind == LIBRARY_CONTAINER);
	if (!*found)
		return true;
	value_look_through(computation, index);
	if (!literal_of(index, &text)) {
		const struct typed_value *value = &index->value.value;

		if (value_is_composite(value->type) || value->type->size > 8)
			return value_fail(computation, index->from,
					  "expected a number or a text in double quotes");
		why = value_number(value, &number);
	}
	if (why != NULL)
		return value_fail(computation, index->from, "the index has no value: %s", why);
	return take_element(computation, &library, container, index, number);
}

enum container_answer { ANSWER_COUNT, ANSWER_EMPTY, ANSWER_CAPACITY, ANSWER_FIRST, ANSWER_LAST,
			ANSWER_INNER, ANSWER_ENGAGED, ANSWER_USES, ANSWER_ADDRESS, ANSWERS };

/* The functions of C++ and of Rust, and the kinds of values that have them, as bits. */
static const struct {
	const char *name;
	enum container_answer answer;
	unsigned kinds;
} container_calls[] = {
#define HAS(kind) (1u << LIBRARY_##kind)
	{ "size", ANSWER_COUNT, HAS(STRING) | HAS(VECTOR) | HAS(CONTAINER) },
	{ "length", ANSWER_COUNT, HAS(STRING) },
	{ "len", ANSWER_COUNT, HAS(STRING) | HAS(VECTOR) | HAS(CONTAINER) },
	{ "empty", ANSWER_EMPTY, HAS(STRING) | HAS(VECTOR) | HAS(CONTAINER) },
	{ "is_empty", ANSWER_EMPTY, HAS(STRING) | HAS(VECTOR) | HAS(CONTAINER) },
	{ "capacity", ANSWER_CAPACITY, HAS(STRING) | HAS(VECTOR) },
	{ "front", ANSWER_FIRST, HAS(VECTOR) | HAS(STRING) | HAS(CONTAINER) },
	{ "back", ANSWER_LAST, HAS(VECTOR) | HAS(STRING) | HAS(CONTAINER) },
	{ "get", ANSWER_INNER, HAS(UNIQUE) | HAS(SHARED) },
	{ "value", ANSWER_INNER, HAS(OPTIONAL) },
	{ "has_value", ANSWER_ENGAGED, HAS(OPTIONAL) },
	{ "use_count", ANSWER_USES, HAS(SHARED) },
	{ "c_str", ANSWER_ADDRESS, HAS(STRING) },
	{ "data", ANSWER_ADDRESS, HAS(STRING) | HAS(VECTOR) },
#undef HAS
};

bool
value_container_call(struct value_computation *computation, struct value_operand *operand,
		     struct text name, bool *found)
{
	const bool number_alone = operand->value.value.type->kind == DEBUG_TYPE_STRUCTURE;
	const struct value_operand index = { .from = operand->from };
	struct library_value library;
	size_t i = 0;

	*found = number_alone && library_value_up_to(&operand->value.value, MOST_SEARCHED,
						     computation->arena, &library);
	while (*found && (!text_is(name, container_calls[i].name) ||
			  (container_calls[i].kinds >> library.kind & 1) == 0))
		*found = ++i < ARRAY_COUNT(container_calls);
	if (!*found)
		return true;
	const enum container_answer answer = container_calls[i].answer;
	/* The number of ANSWER_FIRST and ANSWER_LAST is the index of an element. */
	const uint64_t numbers[ANSWERS] = {
		[ANSWER_COUNT] = library.count, [ANSWER_EMPTY] = library.count == 0,
		[ANSWER_CAPACITY] = library.capacity, [ANSWER_LAST] = library.count - 1,
		[ANSWER_ENGAGED] = library.engaged, [ANSWER_USES] = library.uses,
		[ANSWER_ADDRESS] = library.address };
	if (answer == ANSWER_INNER && library.kind == LIBRARY_OPTIONAL && !library.engaged)
		return value_fail(computation, operand->from, "the optional contains no value");
	if (answer == ANSWER_FIRST || answer == ANSWER_LAST) {
		library.index = LIBRARY_INDEX_FROM_0;
		return take_element(computation, &library, operand, &index, numbers[answer]);
	}
	if (answer == ANSWER_INNER) {
		operand->value.value = library.inner;
		return true;
	}
	if (library.kind == LIBRARY_STRING && library.element == NULL)
		library.element = value_basic_type(computation, VALUE_CHAR);
	const struct debug_type *type =
		answer == ANSWER_ADDRESS && library.element != NULL
			? value_pointer_to(computation, library.element)
		: answer == ANSWER_EMPTY || answer == ANSWER_ENGAGED
			? value_basic_type(computation, VALUE_BOOL)
			: value_size_type(computation, false);
	operand->value = value_of_number(computation, type, numbers[answer]);
	return true;
}

bool
value_container_object(struct value_computation *computation, struct value_operand *operand)
{
	struct library_value library;

	if (!library_value_of(&operand->value.value, computation->arena, &library))
		return false;
	const bool variant = library.item_count == 1 && strncmp(library.name, "variant<", 8) == 0;
	if (!variant && (library.kind != LIBRARY_ITERATOR || library.title == NULL))
		return false;
	operand->value.value = variant ? library.items[0] : library.inner;
	return true;
}

/* The type whose members a value offers: its own type, or the type of the object it points to. */
static const struct debug_type *
offered_type(const struct typed_value *value, struct arena *arena)
{
	enum { MOST_POINTERS = 4 };
	struct library_value library;
	const struct debug_type *type = value->type;

	if (library_value_of(value, arena, &library) && library.kind != LIBRARY_STRING &&
	    library.kind != LIBRARY_VECTOR && library.kind != LIBRARY_CONTAINER)
		type = library.inner.type;
	for (unsigned i = 0; i < MOST_POINTERS && type != NULL &&
			     (type->kind == DEBUG_TYPE_POINTER ||
			      type->kind == DEBUG_TYPE_REFERENCE); i++)
		type = debug_type_target(type, arena);
	return type;
}

size_t
value_expression_members(struct value_frame *variables, size_t call, struct text text,
			 struct arena *arena, const char ***names)
{
	enum { MOST_CLASSES = 64 };
	const struct value_expression found =
		value_expression_of(variables, call, text, NULL, arena);
	const struct debug_type *classes[MOST_CLASSES] = { NULL };
	struct debug_member *members;
	size_t count = 0, capacity = 0;

	*names = NULL;
	if (found.wrong == NULL)
		classes[0] = offered_type(&found.value.value, arena);
	for (size_t done = 0, total = classes[0] != NULL; done < total; done++) {
		const size_t member_count = debug_type_members(classes[done], arena, &members);

		for (size_t i = 0; i < member_count; i++) {
			const bool inner = members[i].base || *members[i].name == '\0';
			const char **name = inner ? NULL
						  : ARENA_PUSH(arena, *names, count, capacity);

			if (name != NULL)
				*name = members[i].name;
			if (inner && total < MOST_CLASSES)
				classes[total++] = members[i].type;
		}
	}
	return count;
}
