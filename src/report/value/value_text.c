/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/value/value_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/demangle.h"
#include "inspect/variable/dynamic_type.h"
#include "inspect/variable/library_value.h"
#include "inspect/variable/frame_variables.h"
#include "report/value/string_text.h"
#include "walk/location.h"

/* gdb's limits: elements of an array or string, repeats that are folded, nested structures. */
enum { MOST_ELEMENTS = 200, LEAST_REPEATS = 10, MOST_DEPTH = 20 };
/* Limit of nested bases searched: in a damaged file a class may contain itself. */
enum { DEEPEST_BASE = 4 };
/* Maximum bytes of one value's text. */
#define MOST_TEXT ((size_t)1 << 16)

struct value_writer {
	const struct value_text_options *options;
	struct arena *arena;
	char *text;
	size_t length, size;
	bool full;			/* the text ends with "..." */
	unsigned depth;
	size_t elements;		/* array elements that may still be written */
	size_t comparisons;		/* comparisons that may still be made */
	struct debug_target arrays[MOST_DEPTH + 1];	/* array at each depth */
};

/* Limit of comparisons of elements for one value; cost of one comparison in bytes. */
enum { MOST_COMPARISONS = 200000, COMPARISON = 64 };

static void
write_value(struct value_writer *writer, const struct typed_value *value);

static void ATTRIBUTE_PRINTF(2, 3)
add(struct value_writer *writer, const char *format, ...)
{
	static const char cut[] = "...";
	va_list arguments;

	if (writer->full)
		return;
	va_start(arguments, format);
	const int length = vsnprintf(writer->text + writer->length, writer->size - writer->length,
				     format, arguments);
	va_end(arguments);
	if (length >= 0 && (size_t)length < writer->size - writer->length) {
		writer->length += (size_t)length;
		return;
	}
	writer->full = true;
	writer->length = writer->size - sizeof(cut);
	while (writer->length > 0 && ((unsigned char)writer->text[writer->length] & 0xc0) == 0x80)
		writer->length--;
	memcpy(writer->text + writer->length, cut, sizeof(cut));
}

static void
add_absent(struct value_writer *writer, const char *why)
{
	const bool known = why != NULL && (writer->options->reasons ||
					   strncmp(why, "memory at", 9) == 0 ||
					   strcmp(why, VALUE_UNREAD) == 0);
	const bool missing = why != NULL && strncmp(why, "register ", 9) == 0 &&
			     strstr(why, "is not in the dump") != NULL;

	add(writer, "<%s>", known ? why : missing ? "unavailable" : "optimized out");
}

/* Characters ----------------------------------------------------------------------------------- */

/* The form of strings of a type of characters. */
static struct string_form
form_of(const struct value_writer *writer, const struct value_frame *frame,
	const struct debug_type *character)
{
	return string_form_of(character, frame->memory->big_endian, writer->options->library);
}

static void
add_character(struct value_writer *writer, const struct typed_value *value, uint64_t character)
{
	const struct string_form form = form_of(writer, value->frame, value->type);
	struct output_string text;

	output_string_init(&text, writer->arena);
	output_format(&text.output, " %s'", string_prefix(&form));
	string_character(&form, character, '\'', &text.output);
	add(writer, "%s'", text_or_empty(text.text));
}

static void
add_string(struct value_writer *writer, const struct string_form *form, const uint8_t *bytes,
	   size_t length, bool cut)
{
	struct output_string text;

	output_string_init(&text, writer->arena);
	string_text(form, bytes, length, MOST_ELEMENTS, cut, &text.output);
	add(writer, "%s", text_or_empty(text.text));
}

static void
add_text_at(struct value_writer *writer, const struct value_frame *frame,
	    const struct debug_type *character, uint64_t address)
{
	enum { MOST_UNIT = 4 };
	static const uint8_t zeros[MOST_UNIT];
	const struct string_form form = form_of(writer, frame, character);
	const size_t most = MOST_ELEMENTS * form.unit;
	uint8_t bytes[(MOST_ELEMENTS + 1) * MOST_UNIT];
	const size_t size = value_read(frame, address, bytes, most + form.unit);
	size_t length = 0;

	if (size < form.unit) {
		add(writer, " <%s>", text_or_empty(value_unread(address, writer->arena)));
		return;
	}
	while (length + form.unit <= size && memcmp(bytes + length, zeros, form.unit) != 0)
		length += form.unit;
	add(writer, " ");
	add_string(writer, &form, bytes, length < most ? length : most,
		   length + form.unit > size || length > most);
}

/* Scalars -------------------------------------------------------------------------------------- */

/* Adds bytes as one hexadecimal number. */
static void
add_hex(struct value_writer *writer, const struct typed_value *value, const uint8_t *bytes)
{
	const uint64_t size = value->type->size;

	add(writer, "0x");
	for (uint64_t i = size; i > 0; i--)
		add(writer, "%02x", bytes[value_is_big(value) ? size - i : i - 1]);
}

/* Adds an integer of more than eight bytes, in decimal. */
static void
add_long_integer(struct value_writer *writer, const struct typed_value *value,
		 const uint8_t *bytes)
{
	enum { DIGITS = 48, MOST = 16 };
	const unsigned size = (unsigned)value->type->size;
	uint8_t number[MOST] = { 0 };	/* most significant byte first */
	char text[DIGITS];
	size_t at = DIGITS;
	unsigned carry = 1, any = 1;

	if (size > MOST) {
		add_hex(writer, value, bytes);
		return;
	}
	for (unsigned i = 0; i < size; i++)
		number[i] = bytes[value_is_big(value) ? i : size - 1 - i];
	const bool negative = value->type->is_signed && (number[0] & 0x80) != 0;
	for (unsigned i = size; negative && i > 0; i--) {
		carry += (uint8_t)~number[i - 1];
		number[i - 1] = (uint8_t)carry;
		carry >>= 8;
	}
	text[--at] = '\0';
	while (any != 0) {
		unsigned rest = 0;

		any = 0;
		for (unsigned i = 0; i < size; i++) {
			rest = rest << 8 | number[i];
			number[i] = (uint8_t)(rest / 10);
			any |= number[i];
			rest %= 10;
		}
		text[--at] = (char)('0' + rest);
	}
	add(writer, "%s%s", negative ? "-" : "", text + at);
}

static void
add_float(struct value_writer *writer, const struct typed_value *value, const uint8_t *bytes,
	  uint64_t size)
{
	uint8_t number[FLOAT_BYTES];
	char text[FLOAT_TEXT];

	const bool fits = size <= FLOAT_BYTES;
	for (size_t i = 0; fits && i < size; i++)
		number[i] = bytes[value_is_big(value) ? size - 1 - i : i];
	/* Supported processors have x87 if and only if they push return addresses. */
	if (fits &&
	    float_text(number, (size_t)size, text_or_empty(value->type->own_name),
		       arch_pushes_return(value->frame->walk->arch), text))
		add(writer, "%s", text);
	else
		add_hex(writer, value, bytes);
}

/* Adds a value of more than eight bytes, or one that is not an integer. */
static void
add_bytes(struct value_writer *writer, const struct typed_value *value, const uint8_t *bytes)
{
	const uint64_t size = value->type->size;

	switch (value->type->kind) {
	case DEBUG_TYPE_FLOAT:
		add_float(writer, value, bytes, size);
		break;
	case DEBUG_TYPE_COMPLEX:
		add_float(writer, value, bytes, size / 2);
		add(writer, " + ");
		add_float(writer, value, bytes + size / 2, size / 2);
		add(writer, "i");
		break;
	case DEBUG_TYPE_NUMBER:
		add_long_integer(writer, value, bytes);
		break;
	default:
		add_hex(writer, value, bytes);
	}
}

static void
add_enumeration(struct value_writer *writer, const struct typed_value *value, uint64_t number)
{
	struct debug_enumerator *all;
	const size_t count = debug_type_enumerators(value->type, writer->arena, &all);
	uint64_t rest = number;
	bool flags = count > 0, any = false;

	for (size_t i = 0; i < count; i++)
		if ((uint64_t)all[i].value == number) {
			add(writer, "%s", all[i].name);
			return;
		}
	for (size_t i = 0; i < count; i++) {
		const uint64_t bit = (uint64_t)all[i].value;

		flags = flags && all[i].value >= 0 && (bit & (bit - 1)) == 0;
	}
	if (!flags || number == 0) {
		add(writer, value->type->is_signed ? "%" PRId64 : "%" PRIu64, number);
		return;
	}
	add(writer, "(");
	for (size_t i = 0; i < count; i++)
		if (all[i].value != 0 && (rest & (uint64_t)all[i].value) != 0) {
			add(writer, "%s%s", any ? " | " : "", all[i].name);
			rest &= ~(uint64_t)all[i].value;
			any = true;
		}
	if (rest != 0)
		add(writer, "%sunknown: 0x%" PRIx64, any ? " | " : "", rest);
	add(writer, ")");
}

/* Adds a name and a distance in gdb's notation: " <main+4>". */
static void
add_symbol(struct value_writer *writer, struct text name, uint64_t distance)
{
	add(writer, " <%.*s", (int)name.length, name.start);
	if (distance != 0)
		add(writer, "+%" PRIu64, distance);
	add(writer, ">");
}

/* Adds the function at an address: " <main>". */
static void
add_function(struct value_writer *writer, const struct typed_value *value, uint64_t address)
{
	struct location location;
	const struct walk *walk = value->frame->walk;

	address = arch_code(walk->arch, address);
	location_of(walk, address, writer->arena, &location);
	const struct call *call = &location.calls[location.call_count - 1];
	if (location.module != NULL && call->name.length > 0)
		add_symbol(writer, call->name,
			   address - location.module->base - call->function_base);
}

/* Pointers to members -------------------------------------------------------------------------- */

/* The class of a pointer to members, or a base of that class. NULL: unknown. */
static const struct debug_type *
class_of(const struct value_writer *writer, const struct debug_type *pointer)
{
	struct debug_entry entry;

	return pointer->entry.home != NULL && debug_reference(&pointer->entry, DEBUG_CLASS, &entry)
		       ? debug_type_here(&entry, writer->arena) : NULL;
}

/* Adds the member at an offset in a class or in one of its bases: "&point::x". */
static void
add_member_pointer(struct value_writer *writer, const struct debug_type *pointer, uint64_t offset)
{
	const struct debug_type *class = class_of(writer, pointer), *inside;
	const uint64_t number = offset;

	for (unsigned depth = 0; class != NULL && depth < MOST_DEPTH; class = inside, depth++) {
		struct debug_member *members;
		const size_t count = debug_type_members(class, writer->arena, &members);

		inside = NULL;
		for (size_t i = 0; i < count && inside == NULL; i++) {
			const struct debug_member *member = &members[i];

			if (member->is_static || !member->has_offset || member->offset > offset)
				continue;
			if (!member->base && member->offset == offset && !member->is_bits &&
			    *member->name != '\0') {
				add(writer, "&%s::%s", class->name, member->name);
				return;
			}
			if (member->base && offset - member->offset < member->type->size) {
				inside = member->type;
				offset -= member->offset;
			}
		}
	}
	add(writer, "0x%" PRIx64, number);
}

/* The virtual function with number `index` in the table of a class or of one of its bases. */
static const char *
find_virtual(const struct value_writer *writer, const struct debug_type *class, uint64_t index,
	     unsigned depth)
{
	struct debug_member *members;
	const char *name = debug_type_virtual(class, index, writer->arena);
	const size_t count = name == NULL && depth > 0
				     ? debug_type_members(class, writer->arena, &members) : 0;

	for (size_t i = 0; i < count && name == NULL; i++)
		if (members[i].base)
			name = find_virtual(writer, members[i].type, index, depth - 1);
	return name;
}

static void
add_virtual(struct value_writer *writer, const struct debug_type *pointer, uint64_t index,
	    uint64_t offset)
{
	const struct debug_type *class = class_of(writer, pointer);
	const char *name = class != NULL ? find_virtual(writer, class, index, DEEPEST_BASE) : NULL;

	if (name == NULL) {
		add(writer, "&virtual table offset %" PRIu64, offset);
		return;
	}
	const struct text shown = demangle(text_of(name), writer->arena);
	add(writer, "&virtual %.*s", (int)shown.length, shown.start);
}

static bool
is_text(const struct value_writer *writer, const struct debug_type *type)
{
	return type->kind == DEBUG_TYPE_CHARACTER &&
	       (type->size == 1 ||
		(writer->options->library && (type->size == 2 || type->size == 4)));
}

static void
add_pointer(struct value_writer *writer, const struct typed_value *value, uint64_t number)
{
	const struct debug_type *target = debug_type_target(value->type, writer->arena);
	struct dynamic_type object;
	struct text name;
	uint64_t distance;

	if (value->type->kind == DEBUG_TYPE_REFERENCE)
		add(writer, "@");
	else if (writer->options->library && dynamic_type_of(value, writer->arena, &object) &&
		 strcmp(object.name, target->name) != 0)
		add(writer, "(%s *) ", object.name);
	add(writer, "0x%" PRIx64, number);
	if (target == NULL || number == 0 || value->type->kind != DEBUG_TYPE_POINTER)
		return;
	if (target->kind == DEBUG_TYPE_FUNCTION)
		add_function(writer, value, number);
	else if (is_text(writer, target))
		add_text_at(writer, value->frame, target, number);
	else if (writer->options->library &&
		 (name = value_symbol(value->frame, number, &distance)).length > 0)
		add_symbol(writer, name, distance);
}

static void
add_scalar(struct value_writer *writer, const struct typed_value *value)
{
	const struct debug_type *type = value->type;
	const char *why = "its type has no form that can be shown";
	uint64_t number;

	if (value->target.home != NULL) {
		add(writer, "<synthetic pointer>");
		return;
	}
	if (type->kind == DEBUG_TYPE_FLOAT || type->kind == DEBUG_TYPE_COMPLEX || type->size > 8 ||
	    type->kind == DEBUG_TYPE_UNKNOWN) {
		const uint8_t *bytes = NULL;
		if (type->kind == DEBUG_TYPE_UNKNOWN && !type->has_size)
			why = value_size_unknown(type);
		else if (type->size <= 64)
			bytes = value_bytes(value, type->size, writer->arena, &why);
		if (bytes != NULL)
			add_bytes(writer, value, bytes);
		else
			add_absent(writer, why);
		return;
	}
	why = value_number(value, &number);
	if (why != NULL) {
		add_absent(writer, why);
		return;
	}
	switch (type->kind) {
	case DEBUG_TYPE_CHARACTER:
		add(writer, type->is_signed ? "%" PRId64 : "%" PRIu64, number);
		add_character(writer, value, number & (UINT64_MAX >> (64 - 8 * type->size)));
		break;
	case DEBUG_TYPE_BOOLEAN:
		add(writer, number == 0 ? "false" : number == 1 ? "true" : "%" PRIu64, number);
		break;
	case DEBUG_TYPE_ENUMERATION:
		add_enumeration(writer, value, number);
		break;
	case DEBUG_TYPE_POINTER:
	case DEBUG_TYPE_REFERENCE:
		add_pointer(writer, value, number);
		break;
	case DEBUG_TYPE_MEMBER_POINTER:	/* an offset; NULL has all bits set */
		if (number == UINT64_MAX >> (64 - 8 * type->size))
			add(writer, "NULL");
		else
			add_member_pointer(writer, type, number);
		break;
	default:
		add(writer, type->is_signed ? "%" PRId64 : "%" PRIu64, number);
	}
}

/* Arrays --------------------------------------------------------------------------------------- */

static void
add_characters(struct value_writer *writer, const struct typed_value *value,
	       const struct debug_type *character, uint64_t count)
{
	const char *why;
	const struct string_form form = form_of(writer, value->frame, character);
	const uint64_t most = MOST_TEXT / form.unit;
	const uint64_t size = (count < most ? count : most) * form.unit;
	static const uint8_t zeros[4];
	const uint8_t *bytes = value_bytes(value, size, writer->arena, &why);

	if (bytes == NULL) {
		add_absent(writer, why);
		return;
	}
	const bool cut = count > most;
	const bool ends = size > 0 && !cut &&
			  memcmp(bytes + size - form.unit, zeros, form.unit) == 0;
	add_string(writer, &form, bytes, (size_t)(ends ? size - form.unit : size), cut);
}

/* Whether every byte of a value is optimised out. */
static bool
is_lost(const struct typed_value *value)
{
	if (value->in_memory || value->why != NULL)
		return value->why != NULL;
	for (uint64_t i = 0; i < value->size && i < value->type->size; i++)
		if (value->known[i] != 0)
			return false;
	return true;
}

/* The number of equal elements from element `index` on. */
static uint64_t
same_elements(struct value_writer *writer, const struct typed_value *value,
	      const struct debug_type *element, uint64_t index, uint64_t count)
{
	const struct typed_value first = value_element(value, element, index);
	struct arena scratch = { 0 };
	uint64_t same = 1;
	const char *why;

	const uint8_t *bytes = element->size <= 4096
				       ? value_bytes(&first, element->size, &scratch, &why) : NULL;
	/* Two values that are optimised out are equal. */
	for (; (bytes != NULL || is_lost(&first)) && index + same < count &&
	       writer->comparisons > 0;
	     same++, writer->comparisons--) {
		const struct typed_value next = value_element(value, element, index + same);
		struct arena one = { 0 };
		const uint8_t *more = value_bytes(&next, element->size, &one, &why);
		const bool equal = bytes != NULL ? more != NULL &&
						   memcmp(bytes, more, (size_t)element->size) == 0
						 : is_lost(&next);

		arena_free(&one);
		if (!equal)
			break;
	}
	arena_free(&scratch);
	return same;
}

static void
add_array(struct value_writer *writer, const struct typed_value *value)
{
	const struct debug_type *element = debug_type_target_kept(&writer->arrays[writer->depth],
								   value->type, writer->arena);
	const char *why = NULL;
	const uint64_t count = value_count(value, writer->arena, &why);
	uint64_t shown = 0;

	if (element == NULL || why != NULL) {
		add_absent(writer, why);
		return;
	}
	/* A text that is partly optimised out is written character by character. */
	if (is_text(writer, element) && value->why == NULL &&
	    (value->in_memory || writer->options->reasons ||
	     value_bytes(value, count * element->size, writer->arena, &why) != NULL)) {
		add_characters(writer, value, element, count);
		return;
	}
	if (value->why != NULL) {
		add_absent(writer, value->why);
		return;
	}
	add(writer, "{");
	for (uint64_t i = 0; i < count && !writer->full;) {
		if (shown++ == MOST_ELEMENTS || writer->elements == 0) {
			add(writer, "...");
			break;
		}
		writer->elements--;
		const struct typed_value one = value_element(value, element, i);
		const uint64_t same = same_elements(writer, value, element, i, count);
		add(writer, "%s", i > 0 ? ", " : "");
		write_value(writer, &one);
		if (same >= LEAST_REPEATS)
			add(writer, " <repeats %" PRIu64 " times>", same);
		i += same >= LEAST_REPEATS ? same : 1;
	}
	add(writer, "}");
}

/* Structures ----------------------------------------------------------------------------------- */

static void
add_structure(struct value_writer *writer, const struct typed_value *value)
{
	struct debug_member *members;
	const size_t count = value_members(value, writer->arena, &members);
	const char *own_name = value->type->own_name;
	/* std::pair has an empty base, which adds nothing. */
	const bool pair = writer->options->library && own_name != NULL &&
			  strncmp(own_name, "pair<", 5) == 0;
	bool any = false, fields = false;

	if (value->type->declared) {
		add(writer, "<incomplete type>");
		return;
	}
	add(writer, "{");
	for (size_t i = 0; i < count && !writer->full; i++) {
		const struct debug_member *member = &members[i];

		if (member->is_static || (pair && member->base))
			continue;
		const struct typed_value one = value_member(value, member, writer->arena);
		if (member->base)
			add(writer, "%s<%s> = ", any ? ", " : "", member->type->name);
		else
			add(writer, "%s%s%s", any ? ", " : "", member->name,
				  *member->name != '\0' ? " = " : "");
		write_value(writer, &one);
		any = true;
		fields |= !member->base;
	}
	if (!fields)
		add(writer, "%s<No data fields>", any ? ", " : "");
	add(writer, "}");
}

/* Adds a pointer to a member function: its address, or its index among virtual functions. */
static void
add_method(struct value_writer *writer, const struct typed_value *value)
{
	const size_t word = (size_t)value->type->size / 2;
	const char *why;
	const uint8_t *bytes = value_bytes(value, 2 * word, writer->arena, &why);
	uint64_t parts[2] = { 0, 0 };

	if (bytes == NULL) {
		add_absent(writer, why);
		return;
	}
	for (size_t i = 0; i < 2 * word; i++) {
		const size_t at = value_is_big(value) ? word - 1 - i % word : i % word;

		parts[i / word] |= (uint64_t)bytes[i] << 8 * at;
	}
	/* The Itanium C++ ABI (2.3), and its variant for processors with odd code addresses. */
	const bool by_delta = value->frame->walk->arch->virtual_by_delta;
	const bool is_virtual = (parts[by_delta] & 1) != 0;
	const uint64_t sign = UINT64_C(1) << (8 * word - (by_delta ? 2 : 1));
	const uint64_t moved = by_delta ? parts[1] >> 1 : parts[1];

	if (is_virtual) {
		const uint64_t offset = by_delta ? parts[0] : parts[0] - 1;
		add_virtual(writer, value->type, offset / word, offset);
	} else if (parts[0] == 0) {
		add(writer, "NULL");
		return;
	} else {
		add(writer, "0x%" PRIx64, parts[0]);
		add_function(writer, value, parts[0]);
	}
	if (moved != 0)
		add(writer, ", this adjustment %" PRId64, (int64_t)((moved ^ sign) - sign));
}

/* The library ---------------------------------------------------------------------------------- */

static void
add_library_string(struct value_writer *writer, const struct typed_value *value,
		   const struct library_value *library)
{
	const struct string_form form = form_of(writer, value->frame, library->element);
	uint8_t bytes[4 * MOST_ELEMENTS];
	const size_t wanted = form.unit * (library->count < MOST_ELEMENTS ? (size_t)library->count
									  : MOST_ELEMENTS);
	const size_t size = value_read(value->frame, library->address, bytes, wanted);

	if (size < wanted)
		add_absent(writer, value_unread(library->address, writer->arena));
	else
		add_string(writer, &form, bytes, size, library->count > size / form.unit);
}

static void
add_library_vector(struct value_writer *writer, const struct typed_value *value,
		   const struct library_value *library)
{
	add(writer, "%s", library->title);
	if (library->count == 0)
		return;
	add(writer, " = {");
	for (uint64_t i = 0; i < library->count && !writer->full; i++) {
		if (i == MOST_ELEMENTS || writer->elements == 0) {
			add(writer, "...");
			break;
		}
		writer->elements--;
		const struct typed_value element = library_value_element(value, library, i);
		add(writer, "%s", i > 0 ? ", " : "");
		write_value(writer, &element);
	}
	add(writer, "}");
}

static void
add_library_item(struct value_writer *writer, const struct library_value *library, size_t index)
{
	const struct typed_value *item = &library->items[index];
	struct typed_value key, mapped;

	if (library_value_pair(library, index, writer->arena, &key, &mapped)) {
		add(writer, "[");
		write_value(writer, &key);
		add(writer, "] = ");
		write_value(writer, &mapped);
		return;
	}
	if (library->index == LIBRARY_INDEX_FROM_0 || library->index == LIBRARY_INDEX_FROM_1)
		add(writer, "[%zu] = ", index + (library->index == LIBRARY_INDEX_FROM_1));
	write_value(writer, item);
}

static void
add_library_container(struct value_writer *writer, const struct library_value *library)
{
	add(writer, "%s%s", library->title, library->item_count > 0 ? " = {" : "");
	for (size_t i = 0; i < library->item_count && !writer->full; i++) {
		add(writer, "%s", i > 0 ? ", " : "");
		if (writer->elements == 0) {
			add(writer, "...");
			break;
		}
		writer->elements--;
		add_library_item(writer, library, i);
	}
	if (library->cut != NULL)
		add(writer, "%s<%s>", library->item_count > 0 ? ", " : " = {", library->cut);
	else if (library->item_count < library->count)
		add(writer, "...");
	add(writer, library->item_count > 0 || library->cut != NULL ? "}" : "");
}

/* The length of a template's first argument: "int" of "unique_ptr<int, ...>". */
static int
argument_length(const char *name)
{
	const char *at = strchr(name, '<');
	unsigned depth = 0;
	int length = 0;

	for (at = at != NULL ? at + 1 : ""; at[length] != '\0'; length++) {
		const char letter = at[length];

		if (depth == 0 && (letter == ',' || letter == '>'))
			break;
		depth += letter == '<' || letter == '(';
		depth -= (letter == '>' || letter == ')') && depth > 0;
	}
	return length;
}

static bool
add_library(struct value_writer *writer, const struct typed_value *value)
{
	struct library_value library;

	if (!library_value_of(value, writer->arena, &library))
		return false;
	const int before = (int)strcspn(library.name, "<") + 1;
	const int argument = argument_length(library.name);
	switch (library.kind) {
	case LIBRARY_STRING:
		add_library_string(writer, value, &library);
		break;
	case LIBRARY_VECTOR:
		add_library_vector(writer, value, &library);
		break;
	case LIBRARY_CONTAINER:
		add_library_container(writer, &library);
		break;
	case LIBRARY_OPTIONAL:
		add(writer, "std::%.*s>%s", before + argument, library.name,
		    library.engaged ? " = {[contained value] = " : " [no contained value]");
		if (library.engaged)
			write_value(writer, &library.inner);
		add(writer, library.engaged ? "}" : "");
		break;
	case LIBRARY_ITERATOR:
		if (library.title != NULL)
			add(writer, "%s = ", library.title);
		write_value(writer, &library.inner);
		break;
	case LIBRARY_SHARED:
		add(writer, "std::%.*s>", before + argument, library.name);
		if (library.engaged)
			add(writer, " (use count %" PRIu64 ", weak count %" PRIu64 ")",
			    library.uses, library.weak);
		else
			add(writer, " (empty)");
		add(writer, " = {get() = ");
		write_value(writer, &library.inner);
		add(writer, "}");
		break;
	default:
		add(writer, "std::%.*s> = {get() = ", before + argument, library.name);
		write_value(writer, &library.inner);
		add(writer, "}");
	}
	return true;
}

/* Adds the object of a reference, as gdb does for types of the library. */
static bool
add_referred(struct value_writer *writer, const struct typed_value *value)
{
	const struct debug_type *target = debug_type_target(value->type, writer->arena);
	struct library_value library;

	if (target == NULL || value->why != NULL)
		return false;
	const struct typed_value object = value_pointed(value, target, writer->arena);
	const bool known = library_value_of(&object, writer->arena, &library);
	if (!known && !writer->options->reasons)
		return false;
	if (writer->options->reasons) {
		add_scalar(writer, value);
		if (object.why != NULL)
			return true;
		add(writer, ": ");
	}
	write_value(writer, &object);
	return true;
}

static void
write_value(struct value_writer *writer, const struct typed_value *value)
{
	if (writer->depth == MOST_DEPTH) {
		add(writer, "{...}");
		return;
	}
	writer->depth++;
	if (writer->options->library &&
	    (value->type->kind == DEBUG_TYPE_REFERENCE ? add_referred(writer, value)
						       : add_library(writer, value))) {
		writer->depth--;
		return;
	}
	switch (value->type->kind) {
	case DEBUG_TYPE_STRUCTURE:
	case DEBUG_TYPE_UNION:
		if (value->why != NULL && writer->options->reasons && writer->depth == 1)
			add_absent(writer, value->why);
		else
			add_structure(writer, value);
		break;
	case DEBUG_TYPE_ARRAY:
		add_array(writer, value);
		break;
	case DEBUG_TYPE_VOID:
		add(writer, "void");
		break;
	case DEBUG_TYPE_FUNCTION:
		add(writer, "{%s} 0x%" PRIx64, value->type->name, value->address);
		break;
	default:
		/* The unit type of Rust has no bytes. */
		if (value->type->has_size && value->type->size == 0 && value->why == NULL)
			add(writer, "%s", value->type->name);
		else
			(value->type->methods ? add_method : add_scalar)(writer, value);
	}
	writer->depth--;
}

/* Texts ---------------------------------------------------------------------------------------- */

const char *
value_text(const struct typed_value *value, const struct value_text_options *options,
	   struct arena *arena)
{
	struct arena scratch = { 0 };
	struct value_writer writer = { .options = options, .arena = &scratch, .elements = 1000,
				       .comparisons = MOST_COMPARISONS,
				       .size = options->most > 3 ? options->most + 1 : MOST_TEXT };

	if (value->frame->walk->crash->redacted && value->why == NULL)
		return CRASH_REDACTED;
	writer.text = arena_alloc(&scratch, writer.size);
	if (writer.text == NULL)
		return "";
	write_value(&writer, value);
	const char *text = arena_string(arena, writer.text);
	const uint64_t work = scratch.used - writer.size +
			      COMPARISON * (MOST_COMPARISONS - writer.comparisons);
	*value->frame->work += work > VALUE_WORK_FREE ? work - VALUE_WORK_FREE : 0;
	arena_free(&scratch);
	return text_or_empty(text);
}

bool
value_text_number(const struct typed_value *value, char *buffer, size_t size)
{
	uint64_t number;

	switch (value->type->kind) {
	case DEBUG_TYPE_NUMBER:
	case DEBUG_TYPE_CHARACTER:
	case DEBUG_TYPE_BOOLEAN:
	case DEBUG_TYPE_ENUMERATION:
	case DEBUG_TYPE_POINTER:
		break;
	default:
		return false;
	}
	if (value->target.home != NULL || value->frame->walk->crash->redacted ||
	    value_number(value, &number) != NULL)
		return false;
	snprintf(buffer, size, value->type->is_signed ? "%" PRId64 : "%" PRIu64, number);
	return true;
}
