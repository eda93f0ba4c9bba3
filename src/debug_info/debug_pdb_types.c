/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "debug_info/debug_pdb_internal.h"

/* Types of a PDB, their names, members and enumerators. */

/* Classes of types without a record, in bits 4 to 7 of their numbers (cvinfo.h, CV_PRIMITIVE). */
static const struct {
	enum debug_type_kind kind;
	bool is_signed;
} simple_classes[] = {
	[1] = { DEBUG_TYPE_NUMBER, true },  [2] = { DEBUG_TYPE_NUMBER, false },
	[3] = { DEBUG_TYPE_BOOLEAN, false }, [4] = { DEBUG_TYPE_FLOAT, true },
	[5] = { DEBUG_TYPE_COMPLEX, true },
};

enum debug_type_kind
debug_pdb_kind(enum pdb_type_kind kind)
{
	static const enum debug_type_kind kinds[] = {
		[PDB_TYPE_POINTER] = DEBUG_TYPE_POINTER,
		[PDB_TYPE_FUNCTION] = DEBUG_TYPE_FUNCTION, [PDB_TYPE_ARRAY] = DEBUG_TYPE_ARRAY,
		[PDB_TYPE_STRUCTURE] = DEBUG_TYPE_STRUCTURE, [PDB_TYPE_UNION] = DEBUG_TYPE_UNION,
		[PDB_TYPE_ENUM] = DEBUG_TYPE_ENUMERATION,
	};

	return kinds[kind];
}

/* Whether a type number means a pointer to a type without a record. */
static bool
is_simple_pointer(uint32_t number)
{
	return number < PDB_FIRST_TYPE && (number >> 8 & 0xf) != 0;
}

static void
read_simple(uint32_t number, struct debug_type *type)
{
	const unsigned low = number & 0xff;

	if (is_simple_pointer(number)) {
		type->kind = DEBUG_TYPE_POINTER;
	} else if (low == 0x03) {
		type->kind = DEBUG_TYPE_VOID;
		type->has_size = false;
	} else if (low == 0x08) {
		type->kind = DEBUG_TYPE_NUMBER;
		type->is_signed = true;
	} else if (low == 0x10 || low == 0x20 || (low >= 0x70 && low <= 0x71) ||
		   (low >= 0x7a && low <= 0x7c)) {
		type->kind = DEBUG_TYPE_CHARACTER;
		type->is_signed = low == 0x10 || low == 0x70;
		type->wide = low == 0x71;
	} else if (low >= 0x68 && low <= 0x79) {
		type->kind = DEBUG_TYPE_NUMBER;
		type->is_signed = (low & 1) == 0;
	} else if (low >> 4 < ARRAY_COUNT(simple_classes)) {
		type->kind = simple_classes[low >> 4].kind;
		type->is_signed = simple_classes[low >> 4].is_signed;
	}
}

/* Names ---------------------------------------------------------------------------------------- */

/* The name of a type that has no component type. */
static const char *
plain_pdb_name(const struct debug_home *home, uint32_t number, const struct pdb_type *type,
	       struct arena *arena)
{
	static const char *const keywords[] = { [PDB_TYPE_STRUCTURE] = "struct",
						[PDB_TYPE_UNION] = "union",
						[PDB_TYPE_ENUM] = "enum" };
	const char *keyword = type->kind < ARRAY_COUNT(keywords) ? keywords[type->kind] : NULL;
	const struct text name = type->name;

	if (keyword != NULL && name.length > 0 && *name.start == '<')
		return arena_format(arena, "%s {...}", keyword);
	if (keyword == NULL || !home->is_c)
		return name.length == 0 ? number == 0 ? "void" : "?" : text_copy(arena, name);
	return arena_format(arena, "%s %.*s", keyword, (int)name.length, name.start);
}

static const char *
pdb_type_text(const struct debug_home *home, uint32_t number, unsigned depth, struct arena *arena);

/* The parameters of a function's type: "(int, char *)". */
static const char *
parameters_text(const struct debug_home *home, uint32_t number, unsigned depth,
		struct arena *arena)
{
	uint32_t count = 0, argument = 0;
	struct reader list;
	const char *text = "", *name;
	uint16_t kind;

	if (depth == 0 ||
	    !pdb_record_find(&home->pdb->types.types, number, arena, &kind, &list) ||
	    kind != LF_ARGLIST || !reader_u32(&list, 0, &count))
		return "(...)";
	for (uint32_t i = 0; i < count && text != NULL && strlen(text) <= DEBUG_MOST_NAME &&
			     reader_u32(&list, 4 + 4 * (uint64_t)i, &argument); i++) {
		/* Type 0 at the end means variable arguments. */
		name = i >= DEBUG_MOST_PARAMETERS || argument == 0
			       ? "..." : pdb_type_text(home, argument, depth - 1, arena);
		text = arena_format(arena, "%s%s%s", text, i > 0 ? ", " : "", text_or_empty(name));
		if (i >= DEBUG_MOST_PARAMETERS)
			break;
	}
	return text == NULL ? NULL
			    : arena_format(arena, "(%s)", count == 0 ? "void" : text);
}

static const char *
pointer_sign(const struct debug_home *home, const struct pdb_type *type, uint32_t number,
	     struct arena *arena)
{
	static const char *const signs[] = { "*", "&", NULL, NULL, "&&", "*", "*", "*" };
	const unsigned mode = PDB_POINTER_MODE(type->options);
	struct pdb_type class;
	struct reader data;
	uint32_t of = 0;
	uint16_t kind;

	if (signs[mode] != NULL)
		return signs[mode];
	if (!pdb_record_find(&home->pdb->types.types, number, arena, &kind, &data) ||
	    !reader_u32(&data, 8, &of) || !pdb_type_read(&home->pdb->types, of, arena, &class))
		return "?::*";
	return text_or_empty(arena_format(arena, "%.*s::*", (int)class.name.length,
					  class.name.start));
}

/* The dimension of an array: "[3]". */
static const char *
dimension_text(const struct debug_home *home, const struct pdb_type *type, struct arena *arena)
{
	const uint64_t size = pdb_type_size(&home->pdb->types, type->of);

	return size == 0 ? "[]" : arena_format(arena, "[%" PRIu64 "]", type->size / size);
}

/* Add a part of a declaration. False if the type has no component type. */
static bool
declare_part(const struct debug_home *home, uint32_t number, const struct pdb_type *type,
	     unsigned depth, struct debug_declaration *declaration)
{
	const bool pointer = type->kind == PDB_TYPE_POINTER;
	const bool modifier = type->kind == PDB_TYPE_MODIFIER;

	if (type->options & (modifier ? PDB_MODIFIER_VOLATILE : pointer ? PDB_POINTER_VOLATILE : 0))
		debug_declare_qualifier(declaration, "volatile");
	if (type->options & (modifier ? PDB_MODIFIER_CONST : pointer ? PDB_POINTER_CONST : 0))
		debug_declare_qualifier(declaration, "const");
	if (declaration->text == NULL)
		return false;
	if (pointer)
		debug_declare_pointer(declaration,
				      pointer_sign(home, type, number, declaration->arena));
	else if (type->kind == PDB_TYPE_ARRAY)
		debug_declare_after(declaration, dimension_text(home, type, declaration->arena));
	else if (type->kind == PDB_TYPE_FUNCTION)
		debug_declare_after(declaration, parameters_text(home, type->fields, depth,
								 declaration->arena));
	return pointer || modifier || type->kind == PDB_TYPE_ARRAY ||
	       type->kind == PDB_TYPE_FUNCTION;
}

/* The name of a type, in the same form as for DWARF; NULL: out of memory. */
static const char *
pdb_type_text(const struct debug_home *home, uint32_t number, unsigned depth, struct arena *arena)
{
	struct debug_declaration declaration = { .arena = arena, .text = "", .qualifiers = "" };
	struct arena record = { 0 };
	const char *name = "?";
	struct pdb_type type;

	for (size_t part = 0; part < DEBUG_MOST_PARTS && debug_declare_more(&declaration); part++) {
		if (is_simple_pointer(number)) {
			debug_declare_pointer(&declaration, "*");
			number &= 0xff;
			continue;
		}
		arena_reset(&record);
		if (!pdb_type_read(&home->pdb->types, number, &record, &type))
			break;
		if (!declare_part(home, number, &type, depth, &declaration)) {
			name = plain_pdb_name(home, number, &type, arena);
			break;
		}
		number = type.of;
	}
	arena_free(&record);
	return debug_declare(&declaration, text_or_empty(name));
}

/* Types ---------------------------------------------------------------------------------------- */

/* Set the number of elements of an array. The record has only the array's size in bytes. */
static void
read_pdb_array(const struct debug_home *home, const struct pdb_type *from, size_t arrays,
	       struct arena *arena, struct debug_type *type)
{
	const struct debug_type *element =
		arrays < DEBUG_MOST_ARRAYS ? debug_pdb_type(home, from->of, arrays + 1, arena)
					   : NULL;

	type->made_of = element;
	type->has_count = element != NULL && element->has_size && element->size > 0;
	type->count = type->has_count ? type->size / element->size : 0;
}

/* Read a type without its modifiers, and its definition if it is only declared. */
static bool
read_own(const struct debug_home *home, uint32_t *number, struct arena *arena,
	 struct pdb_type *type, bool *declared)
{
	struct pdb_types *types = &home->pdb->types;
	unsigned hop = 0;

	*declared = false;
	while (hop++ < LIMIT_PDB_TYPE_DEPTH && pdb_type_read(types, *number, arena, type)) {
		if (type->kind == PDB_TYPE_MODIFIER) {
			*number = type->of;
			continue;
		}
		*declared = type->declared && !pdb_type_define(types, number, arena, type);
		return true;
	}
	return false;
}

static void
fill_type(const struct debug_home *home, uint32_t number, const struct pdb_type *from,
	  size_t arrays, struct arena *arena, struct debug_type *type)
{
	struct pdb_type under;
	bool declared;

	type->kind = debug_pdb_kind(from->kind);
	type->size = from->size;
	type->has_size = !type->declared && type->size > 0;
	if (from->kind == PDB_TYPE_SIMPLE) {
		read_simple(number, type);
	} else if (from->kind == PDB_TYPE_POINTER) {
		const unsigned mode = PDB_POINTER_MODE(from->options);

		/* The bytes of a pointer to a member depend on its class. */
		type->kind = mode == 0 || mode > 4 ? DEBUG_TYPE_POINTER
			     : mode == 1 || mode == 4 ? DEBUG_TYPE_REFERENCE
						      : DEBUG_TYPE_UNKNOWN;
	} else if (from->kind == PDB_TYPE_ENUM) {
		struct debug_type own = { .kind = DEBUG_TYPE_UNKNOWN };
		uint32_t of = from->of;

		type->size = pdb_type_size(&home->pdb->types, from->of);
		type->has_size = type->size > 0;
		if (read_own(home, &of, arena, &under, &declared))
			read_simple(of, &own);
		type->is_signed = own.is_signed;
	} else if (from->kind == PDB_TYPE_ARRAY) {
		read_pdb_array(home, from, arrays, arena, type);
	}
}

const struct debug_type *
debug_pdb_type(const struct debug_home *home, uint32_t number, size_t arrays, struct arena *arena)
{
	struct debug_type *type = arena_alloc(arena, sizeof(*type));
	struct arena scratch = { 0 };
	struct pdb_type from;

	if (type == NULL)
		return NULL;
	*type = (struct debug_type){ .kind = DEBUG_TYPE_UNKNOWN };
	const char *name = pdb_type_text(home, number, DEBUG_NESTED, &scratch);
	type->name = name != NULL ? arena_string(arena, name) : NULL;
	type->entry = debug_pdb_entry(home, DEBUG_PDB_TYPE, number);
	if (type->name != NULL && number != 0 &&
	    read_own(home, &number, &scratch, &from, &type->declared)) {
		type->entry = debug_pdb_entry(home, DEBUG_PDB_TYPE, number);
		name = text_copy(arena, from.name);
		type->own_name = name != NULL && *name != '\0' ? debug_last_part(name) : NULL;
		fill_type(home, number, &from, arrays, arena, type);
	}
	arena_free(&scratch);
	return type->name != NULL ? type : NULL;
}

const struct debug_type *
debug_pdb_type_of(const struct debug_entry *entry, struct arena *arena)
{
	struct pdb_variable variable;

	if (debug_pdb_is(entry, DEBUG_PDB_TYPE))
		return debug_pdb_type(entry->home, (uint32_t)entry->offset, 0, arena);
	arena_reset(&entry->home->pdb->scratch);
	return debug_pdb_type(entry->home,
			      debug_pdb_variable(entry, &variable) ? variable.type : 0, 0, arena);
}

const struct debug_type *
debug_pdb_target(const struct debug_type *type, size_t arrays, struct arena *arena)
{
	const struct debug_home *home = type->entry.home;
	uint32_t number = (uint32_t)type->entry.offset;
	struct arena scratch = { 0 };
	struct pdb_type from;

	if (is_simple_pointer(number))
		number &= 0xff;
	else if (pdb_type_read(&home->pdb->types, number, &scratch, &from))
		number = from.of;
	arena_free(&scratch);
	return debug_pdb_type(home, number, arrays, arena);
}

/* Members -------------------------------------------------------------------------------------- */

static bool
open_fields(const struct debug_type *type, struct arena *arena, struct pdb_fields *fields)
{
	struct pdb_types *types = &type->entry.home->pdb->types;
	struct pdb_type from;

	return debug_pdb_is(&type->entry, DEBUG_PDB_TYPE) &&
	       pdb_type_read(types, (uint32_t)type->entry.offset, arena, &from) &&
	       !from.declared && from.fields != 0 &&
	       pdb_fields_open(fields, types, from.fields, arena);
}

static bool
take_member(const struct debug_home *home, const struct pdb_field *field, struct arena *arena,
	    struct debug_member *member)
{
	struct arena scratch = { 0 };
	struct pdb_type type = { .kind = PDB_TYPE_OTHER };
	uint32_t number = field->type;

	*member = (struct debug_member){
		.name = arena_copy(arena, field->name.start != NULL ? field->name.start : "",
				   field->name.length),
		.base = field->leaf != LF_MEMBER && field->leaf != LF_STMEMBER,
		.is_static = field->leaf == LF_STMEMBER,
		.has_offset = field->leaf == LF_MEMBER || field->leaf == LF_BCLASS ||
			      field->leaf == LF_BINTERFACE,
		.offset = field->value };
	if (pdb_type_read(&home->pdb->types, number, &scratch, &type) &&
	    type.kind == PDB_TYPE_BITFIELD) {
		number = type.of;
		member->is_bits = true;
		member->bits = type.bits;
		member->bit_offset = 8 * field->value + type.bit;
	}
	arena_free(&scratch);
	member->entry = debug_pdb_entry(home, DEBUG_PDB_TYPE, number);
	member->type = debug_pdb_type(home, number, 0, arena);
	return member->name != NULL && member->type != NULL;
}

size_t
debug_pdb_members(const struct debug_type *type, struct arena *arena,
		  struct debug_member **members)
{
	struct arena scratch = { 0 };
	struct pdb_fields fields;
	struct pdb_field field;
	struct debug_member one;
	size_t count = 0, capacity = 0;

	*members = NULL;
	if (type->entry.home != NULL && open_fields(type, &scratch, &fields))
		while (count < DEBUG_MOST_MEMBERS && pdb_fields_next(&fields, &field)) {
			const bool wanted =
				field.leaf == LF_MEMBER || field.leaf == LF_STMEMBER ||
				field.leaf == LF_BCLASS || field.leaf == LF_BINTERFACE ||
				field.leaf == LF_VBCLASS;
			if (wanted && take_member(type->entry.home, &field, arena, &one))
				ARENA_ADD(arena, *members, count, capacity, &one);
		}
	arena_free(&scratch);
	return count;
}

size_t
debug_pdb_enumerators(const struct debug_type *type, struct arena *arena,
		      struct debug_enumerator **enumerators)
{
	const size_t length = strlen(type->name), own = type->own_name != NULL
							 ? strlen(type->own_name) : length;
	struct arena scratch = { 0 };
	struct pdb_fields fields;
	struct pdb_field field;
	size_t count = 0, capacity = 0;

	if (open_fields(type, &scratch, &fields))
		while (count < DEBUG_MOST_MEMBERS && pdb_fields_next(&fields, &field)) {
			if (field.leaf != LF_ENUMERATE)
				continue;
			/* As in C++, an enumerator is in the scope around its enumeration. */
			const char *name = arena_format(
				arena, "%.*s%.*s",
				type->entry.home->is_c || own > length ? 0 : (int)(length - own),
				type->name, (int)field.name.length, field.name.start);
			if (name == NULL ||
			    !ARENA_ADD(arena, *enumerators, count, capacity,
				       &(struct debug_enumerator){ name, (int64_t)field.value }))
				break;
		}
	arena_free(&scratch);
	return count;
}
