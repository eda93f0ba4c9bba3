/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#ifdef HAVE_DWARF

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "debug_info/debug_dwarf_internal.h"
#include "frame_table/dwarf_operation.h"

/* Types (DWARF 5, chapter 5): what they are, what they are called, and what they are made of. */

enum {
	MOST_HOPS = 64,			/* from a type to the one that it is made of */
	MOST_PARTS = 16,		/* of a name: pointers, arrays and functions */
	MOST_ARRAYS = 16,		/* dimensions, and arrays of arrays */
	MOST_NAME = 1024,		/* bytes of a type's name */
	MOST_PARAMETERS = 16,		/* that a function's type lists */
	NESTED = 3,			/* function types within each other that list them */
};

static const struct {
	unsigned encoding;
	enum debug_type_kind kind;
	bool is_signed;
} encodings[] = {
	{ DW_ATE_address, DEBUG_TYPE_NUMBER, false },
	{ DW_ATE_boolean, DEBUG_TYPE_BOOLEAN, false },
	{ DW_ATE_complex_float, DEBUG_TYPE_COMPLEX, true },
	{ DW_ATE_float, DEBUG_TYPE_FLOAT, true },
	{ DW_ATE_signed, DEBUG_TYPE_NUMBER, true },
	{ DW_ATE_signed_char, DEBUG_TYPE_CHARACTER, true },
	{ DW_ATE_unsigned, DEBUG_TYPE_NUMBER, false },
	{ DW_ATE_unsigned_char, DEBUG_TYPE_CHARACTER, false },
	{ DW_ATE_UTF, DEBUG_TYPE_CHARACTER, false },
};

static const struct {
	int tag;
	enum debug_type_kind kind;
} kinds[] = {
	{ DW_TAG_pointer_type, DEBUG_TYPE_POINTER },
	{ DW_TAG_reference_type, DEBUG_TYPE_REFERENCE },
	{ DW_TAG_rvalue_reference_type, DEBUG_TYPE_REFERENCE },
	{ DW_TAG_ptr_to_member_type, DEBUG_TYPE_MEMBER_POINTER },
	{ DW_TAG_enumeration_type, DEBUG_TYPE_ENUMERATION },
	{ DW_TAG_structure_type, DEBUG_TYPE_STRUCTURE },
	{ DW_TAG_class_type, DEBUG_TYPE_STRUCTURE },
	{ DW_TAG_interface_type, DEBUG_TYPE_STRUCTURE },
	{ DW_TAG_union_type, DEBUG_TYPE_UNION },
	{ DW_TAG_array_type, DEBUG_TYPE_ARRAY },
	{ DW_TAG_string_type, DEBUG_TYPE_ARRAY },
	{ DW_TAG_subroutine_type, DEBUG_TYPE_FUNCTION },
	{ DW_TAG_subprogram, DEBUG_TYPE_FUNCTION },
	{ DW_TAG_unspecified_type, DEBUG_TYPE_VOID },
};

/* Follow DW_AT_type, and on to the unit that a type has for itself; false where there is none. */
static bool
next_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die own;

	if (debug_dwarf_attribute(die, DW_AT_type, &attribute) == NULL ||
	    dwarf_formref_die(&attribute, type) == NULL)
		return false;
	if (dwarf_attr(type, DW_AT_signature, &attribute) != NULL &&
	    dwarf_formref_die(&attribute, &own) != NULL)
		*type = own;
	return true;
}

/* What stands before a type: "const ". NULL: it is no qualifier. */
static const char *
qualifier_of(int tag)
{
	switch (tag) {
	case DW_TAG_const_type:
		return "const";
	case DW_TAG_volatile_type:
		return "volatile";
	case DW_TAG_restrict_type:
		return "restrict";
	case DW_TAG_atomic_type:
		return "_Atomic";
	default:
		return NULL;
	}
}

/* The type behind typedefs and qualifiers; false: it is void, or they go round in a circle. */
static bool
peel(Dwarf_Die *die)
{
	for (size_t hop = 0; hop < MOST_HOPS; hop++) {
		const int tag = dwarf_tag(die);

		if (tag != DW_TAG_typedef && qualifier_of(tag) == NULL &&
		    tag != DW_TAG_subrange_type)
			return true;
		if (tag == DW_TAG_subrange_type && dwarf_hasattr(die, DW_AT_byte_size))
			return true;
		if (!next_type(die, die))
			return false;
	}
	return false;
}

/* Names ---------------------------------------------------------------------------------------- */

/* The language of an entry's unit; of one that dwz has moved, of the unit it was asked from. */
static unsigned
language_of(const struct debug_home *home, Dwarf_Die *die)
{
	const struct unit *unit = home->unit;
	unsigned language = 0;
	Dwarf_Die top;

	if (dwarf_diecu(die, &top, NULL, NULL) != NULL)
		language = (unsigned)debug_dwarf_number(&top, DW_AT_language);
	if (language == 0 &&
	    dwarf_offdie(unit->dwarf, unit->split != NULL ? unit->split->entry : unit->entry,
			 &top) != NULL)
		language = (unsigned)debug_dwarf_number(&top, DW_AT_language);
	return language;
}

/* Whether the language names structures with their keyword. */
static bool
writes_keyword(unsigned language)
{
	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
	       language == DW_LANG_C11 || language == 0;
}

bool
debug_dwarf_is_c(const struct debug_home *home, Dwarf_Die *die)
{
	return writes_keyword(language_of(home, die));
}

/* Base types as they are usually written, and as GCC writes them. */
static const char *const usual_names[][2] = {
	{ "long long unsigned int", "unsigned long long" },
	{ "long long int", "long long" },
	{ "long unsigned int", "unsigned long" },
	{ "long int", "long" },
	{ "short unsigned int", "unsigned short" },
	{ "short int", "short" },
};

const char *
debug_dwarf_usual_name(const char *name, struct arena *arena)
{
	for (size_t i = 0; i < ARRAY_COUNT(usual_names) && name != NULL; i++) {
		const char *found = strstr(name, usual_names[i][0]);
		const size_t length = strlen(usual_names[i][0]);

		if (found == NULL || strlen(name) > MOST_NAME)
			continue;
		name = arena_format(arena, "%.*s%s%s", (int)(found - name), name,
				    usual_names[i][1], found + length);
		/* There may be another one. */
		i--;
	}
	return name;
}

/* The entries that a type is in, from the unit down, found by their offsets. */
static size_t
find_parents(struct debug_dwarf *dwarf, Dwarf_Die *die, Dwarf_Die parents[DEBUG_DWARF_DEPTH])
{
	const Dwarf_Off wanted = dwarf_dieoffset(die);
	Dwarf_Die at, child;
	size_t count = 0;

	if (dwarf_diecu(die, &at, NULL, NULL) == NULL)
		return 0;
	while (count < DEBUG_DWARF_DEPTH && dwarf_child(&at, &child) == 0) {
		Dwarf_Die next = child;

		while (dwarf_siblingof(&child, &next) == 0 && dwarf_dieoffset(&next) <= wanted &&
		       dwarf_dieoffset(&next) > dwarf_dieoffset(&child) && debug_dwarf_spend(dwarf))
			child = next;
		if (dwarf_dieoffset(&child) >= wanted)
			break;
		at = parents[count++] = child;
	}
	return count;
}

/* The entry that declares a function or a type is in its scope. */
static Dwarf_Die
declaration_of(Dwarf_Die *die)
{
	Dwarf_Die at = *die, next;
	Dwarf_Attribute attribute;

	for (size_t hop = 0; hop < MOST_HOPS; hop++, at = next)
		if ((dwarf_attr(&at, DW_AT_abstract_origin, &attribute) == NULL &&
		     dwarf_attr(&at, DW_AT_specification, &attribute) == NULL) ||
		    dwarf_formref_die(&attribute, &next) == NULL)
			break;
	return at;
}

/* The name of a type with the namespaces and classes that it is in. */
static const char *
scoped(const struct debug_home *home, Dwarf_Die *die, const char *name, struct arena *arena)
{
	Dwarf_Die parents[DEBUG_DWARF_DEPTH], declaration = declaration_of(die);
	const size_t count = find_parents(home->dwarf, &declaration, parents);

	for (size_t i = count; i > 0 && name != NULL; i--) {
		const int tag = dwarf_tag(&parents[i - 1]);
		const char *outer = debug_dwarf_string(home->unit, &parents[i - 1], DW_AT_name);

		if (tag != DW_TAG_namespace && tag != DW_TAG_class_type &&
		    tag != DW_TAG_structure_type && tag != DW_TAG_union_type)
			break;
		if (tag != DW_TAG_namespace && outer == NULL)
			continue;
		if (strlen(name) > MOST_NAME)
			break;
		name = arena_format(arena, "%.*s::%s", MOST_NAME,
				    outer != NULL ? outer : "(anonymous namespace)", name);
	}
	return name;
}

const char *
debug_dwarf_written(const struct debug_home *home, Dwarf_Die *function, struct arena *arena)
{
	const char *name = debug_dwarf_string(home->unit, function, DW_AT_name);
	Dwarf_Die at = declaration_of(function);

	return name == NULL				? ""
	       : writes_keyword(language_of(home, &at)) ? name
							: scoped(home, &at, name, arena);
}

/* What a type is called that is not made of another one. */
static const char *
plain_name(const struct debug_home *home, Dwarf_Die *die, struct arena *arena)
{
	static const struct {
		int tag;
		const char *keyword, *bare;
	} keywords[] = {
		{ DW_TAG_structure_type, "struct ", "struct {...}" },
		{ DW_TAG_class_type, "class ", "class {...}" },
		{ DW_TAG_union_type, "union ", "union {...}" },
		{ DW_TAG_enumeration_type, "enum ", "enum {...}" },
	};
	const bool plain = writes_keyword(language_of(home, die));
	const char *name = debug_dwarf_string(home->unit, die, DW_AT_name);
	const int tag = dwarf_tag(die);

	for (size_t i = 0; i < ARRAY_COUNT(keywords); i++)
		if (keywords[i].tag == tag && name == NULL)
			return keywords[i].bare;
	if (name == NULL)
		return tag == DW_TAG_typedef || tag == DW_TAG_base_type ? "?" : "void";
	if (tag == DW_TAG_base_type)
		return debug_dwarf_usual_name(name, arena);
	if (!plain)
		return debug_dwarf_usual_name(scoped(home, die, name, arena), arena);
	for (size_t i = 0; i < ARRAY_COUNT(keywords); i++)
		if (keywords[i].tag == tag)
			return arena_format(arena, "%s%s", keywords[i].keyword, name);
	return name;
}

static const char *
type_name(const struct debug_home *home, Dwarf_Die *die, unsigned depth, struct arena *arena);

/* The parameters of a function's type: "(int, char *)". */
static const char *
parameters_of(const struct debug_home *home, Dwarf_Die *die, unsigned depth, struct arena *arena)
{
	struct debug_tree tree = { .dwarf = home->dwarf };
	const char *text = "";
	size_t count = 0;

	if (depth == 0)
		return "(...)";
	for (bool more = debug_tree_enter(&tree, die);
	     more && debug_dwarf_spend(home->dwarf) && text != NULL;
	     more = debug_tree_skip(&tree)) {
		Dwarf_Die *at = debug_tree_at(&tree), type;
		const char *name = "...";

		if (dwarf_tag(at) == DW_TAG_formal_parameter && count < MOST_PARAMETERS)
			name = next_type(at, &type) ? type_name(home, &type, depth - 1, arena)
						    : "void";
		else if (dwarf_tag(at) != DW_TAG_unspecified_parameters &&
			 dwarf_tag(at) != DW_TAG_formal_parameter)
			continue;
		if (count > MOST_PARAMETERS)
			break;
		text = arena_format(arena, "%s%s%s", text, count++ > 0 ? ", " : "",
				    name != NULL ? name : "?");
		if (text != NULL && strlen(text) > MOST_NAME)
			break;
	}
	if (count == 0)
		text = dwarf_hasattr(die, DW_AT_prototyped) ||
				       !writes_keyword(language_of(home, die)) ? "void" : "";
	return text == NULL ? NULL : arena_format(arena, "(%s)", text);
}

/* How many elements a dimension has; false where that is not a constant. */
static bool
dimension_count(const struct debug_home *home, Dwarf_Die *dimension, uint64_t *count,
		int64_t *lower)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword bound, first = 0;
	const unsigned language = language_of(home, dimension);
	Dwarf_Word number;

	if (dwarf_default_lower_bound((int)language, &first) != 0)
		first = 0;
	if (dwarf_attr(dimension, DW_AT_lower_bound, &attribute) != NULL)
		dwarf_formsdata(&attribute, &first);
	*lower = first;
	if (dwarf_attr(dimension, DW_AT_count, &attribute) != NULL)
		return dwarf_formudata(&attribute, &number) == 0 ? (*count = number, true) : false;
	if (dwarf_attr(dimension, DW_AT_upper_bound, &attribute) == NULL)
		return false;
	if (attribute.form == DW_FORM_sdata || attribute.form == DW_FORM_implicit_const) {
		if (dwarf_formsdata(&attribute, &bound) != 0)
			return false;
	} else {
		if (dwarf_formudata(&attribute, &number) != 0)
			return false;
		/* Compilers write an array without elements as if it ended before it began. */
		const unsigned bits = attribute.form == DW_FORM_data1 ? 8
				      : attribute.form == DW_FORM_data2 ? 16
				      : attribute.form == DW_FORM_data4 ? 32 : 64;
		bound = bits == 32 && number == UINT32_MAX ? -1 : (Dwarf_Sword)number;
	}
	*count = bound < first ? 0 : (uint64_t)bound - (uint64_t)first + 1;
	return true;
}

/* Whether the first dimension of an array is the one whose elements are next to each other. */
static bool
is_by_columns(const struct debug_home *home, Dwarf_Die *array)
{
	static const uint16_t languages[] = { DW_LANG_Fortran77, DW_LANG_Fortran90,
					      DW_LANG_Fortran95, DW_LANG_Fortran03,
					      DW_LANG_Fortran08 };
	Dwarf_Attribute attribute;
	Dwarf_Word order;

	if (dwarf_attr(array, DW_AT_ordering, &attribute) != NULL &&
	    dwarf_formudata(&attribute, &order) == 0)
		return order == DW_ORD_col_major;
	const unsigned language = language_of(home, array);
	for (size_t i = 0; i < ARRAY_COUNT(languages); i++)
		if (language == languages[i])
			return true;
	return false;
}

/*
 * The dimension of an array inside that of `after` (an address of libdw's; NULL: the outermost
 * one), as they are in memory.
 */
static bool
next_dimension(const struct debug_home *home, Dwarf_Die *array, const void *after,
	       Dwarf_Die *dimension)
{
	const bool by_columns = is_by_columns(home, array);
	struct debug_tree tree = { .dwarf = home->dwarf };
	bool behind = after == NULL, found = false;

	for (bool more = debug_tree_enter(&tree, array); more && debug_dwarf_spend(home->dwarf);
	     more = debug_tree_skip(&tree)) {
		Dwarf_Die *at = debug_tree_at(&tree);

		if (dwarf_tag(at) != DW_TAG_subrange_type &&
		    dwarf_tag(at) != DW_TAG_enumeration_type &&
		    dwarf_tag(at) != DW_TAG_generic_subrange)
			continue;
		if (by_columns && at->addr == after)
			return found;
		if (by_columns || behind) {
			*dimension = *at;
			found = true;
		}
		if (found && !by_columns)
			return true;
		behind = behind || at->addr == after;
	}
	return found;
}

/* The dimensions of an array: "[2][3]". */
static const char *
dimensions_of(const struct debug_home *home, Dwarf_Die *array, struct arena *arena)
{
	const void *after = NULL;
	const char *text = "";
	Dwarf_Die dimension;
	uint64_t count;
	int64_t lower;

	while (text != NULL && strlen(text) < MOST_NAME &&
	       next_dimension(home, array, after, &dimension)) {
		text = dimension_count(home, &dimension, &count, &lower)
			       ? arena_format(arena, "%s[%" PRIu64 "]", text, count)
			       : arena_format(arena, "%s[]", text);
		after = dimension.addr;
	}
	return text;
}

/* A declaration while it is written, from the outermost part to the innermost one. */
struct declaration {
	struct arena *arena;
	/* What stands behind the innermost type; NULL: out of memory */
	const char *text;
	const char *qualifiers;		/* of the part that is next */
	bool pointer;			/* the last part was one */
};

static void
add_pointer(struct declaration *declaration, const char *sign)
{
	const char *qualifiers = declaration->qualifiers;
	const bool both = *qualifiers != '\0' && *declaration->text != '\0';

	declaration->text = arena_format(declaration->arena, "%s%s%s%s%s", sign,
					 *qualifiers != '\0' ? " " : "", qualifiers,
					 both ? " " : "", declaration->text);
	declaration->qualifiers = "";
	declaration->pointer = true;
}

static void
add_behind(struct declaration *declaration, const char *what)
{
	declaration->text = what == NULL ? NULL
					 : arena_format(declaration->arena,
							declaration->pointer ? "(%s)%s" : "%s%s",
							declaration->text, what);
	declaration->pointer = false;
}

/* Add a part of a declaration; false where the type is not made of another one. */
static bool
add_part(const struct debug_home *home, Dwarf_Die *die, unsigned depth,
	 struct declaration *declaration)
{
	const int tag = dwarf_tag(die);
	const char *qualifier = qualifier_of(tag);
	struct arena *arena = declaration->arena;
	Dwarf_Die class;
	Dwarf_Attribute attribute;

	if (qualifier != NULL && strstr(declaration->qualifiers, qualifier) != NULL) {
		/* An array is as constant as its elements. */
	} else if (qualifier != NULL) {
		declaration->qualifiers =
			arena_format(arena, "%s%s%s", qualifier,
				     *declaration->qualifiers != '\0' ? " " : "",
				     declaration->qualifiers);
	} else if (tag == DW_TAG_pointer_type) {
		add_pointer(declaration, "*");
	} else if (tag == DW_TAG_reference_type) {
		add_pointer(declaration, "&");
	} else if (tag == DW_TAG_rvalue_reference_type) {
		add_pointer(declaration, "&&");
	} else if (tag == DW_TAG_ptr_to_member_type) {
		const char *name = dwarf_attr(die, DW_AT_containing_type, &attribute) != NULL &&
						   dwarf_formref_die(&attribute, &class) != NULL
					   ? plain_name(home, &class, arena) : "?";
		add_pointer(declaration, arena_format(arena, "%s::*", name != NULL ? name : "?"));
	} else if (tag == DW_TAG_array_type) {
		add_behind(declaration, dimensions_of(home, die, arena));
	} else if (tag == DW_TAG_subroutine_type) {
		add_behind(declaration, parameters_of(home, die, depth, arena));
	} else {
		return false;
	}
	if (declaration->qualifiers == NULL)
		declaration->text = NULL;
	return true;
}

/* What a type is called where it is declared, as gdb and people write it; NULL: out of memory. */
static const char *
type_name(const struct debug_home *home, Dwarf_Die *die, unsigned depth, struct arena *arena)
{
	struct declaration declaration = { .arena = arena, .text = "", .qualifiers = "" };
	const char *name = NULL;
	Dwarf_Die at = *die;

	for (size_t part = 0; part < MOST_PARTS && declaration.text != NULL; part++) {
		if (!add_part(home, &at, depth, &declaration)) {
			name = plain_name(home, &at, arena);
			break;
		}
		if (declaration.text != NULL && strlen(declaration.text) > MOST_NAME)
			break;
		if (!next_type(&at, &at)) {
			name = "void";
			break;
		}
	}
	if (declaration.text == NULL)
		return NULL;
	return arena_format(arena, "%s%s%s%s%s", declaration.qualifiers,
			    *declaration.qualifiers != '\0' ? " " : "", name != NULL ? name : "?",
			    *declaration.text != '\0' ? " " : "", declaration.text);
}

/* Types ---------------------------------------------------------------------------------------- */

/* Find the definition of a structure that is only declared, in the top level of its unit. */
static void
find_definition(const struct debug_home *home, Dwarf_Die *die)
{
	const char *name = debug_dwarf_string(home->unit, die, DW_AT_name);
	struct debug_tree tree = { .dwarf = home->dwarf };
	Dwarf_Die top;

	if (name == NULL || dwarf_diecu(die, &top, NULL, NULL) == NULL)
		return;
	for (bool more = debug_tree_enter(&tree, &top); more && debug_dwarf_spend(home->dwarf);) {
		Dwarf_Die *at = debug_tree_at(&tree);
		const char *found;

		if (dwarf_tag(at) == dwarf_tag(die) && !dwarf_hasattr(at, DW_AT_declaration) &&
		    (found = debug_dwarf_string(home->unit, at, DW_AT_name)) != NULL &&
		    strcmp(found, name) == 0) {
			*die = *at;
			return;
		}
		more = (dwarf_tag(at) == DW_TAG_namespace && debug_tree_enter(&tree, at)) ||
		       debug_tree_skip(&tree);
	}
}

static void
read_base_type(Dwarf_Die *die, struct debug_type *type)
{
	const unsigned encoding = (unsigned)debug_dwarf_number(die, DW_AT_encoding);
	const uint64_t order = debug_dwarf_number(die, DW_AT_endianity);

	for (size_t i = 0; i < ARRAY_COUNT(encodings); i++)
		if (encodings[i].encoding == encoding) {
			type->kind = encodings[i].kind;
			type->is_signed = encodings[i].is_signed;
		}
	type->reversed = order == DW_END_big || order == DW_END_little;
}

/*
 * Whether a value of an enumeration is negative; its own type, if it has one, says whether it
 * may.
 */
static bool
is_signed_enumeration(Dwarf_Die *die, struct debug_dwarf *dwarf)
{
	struct debug_tree tree = { .dwarf = dwarf };
	Dwarf_Attribute attribute;
	Dwarf_Sword value;
	Dwarf_Die own;

	if (next_type(die, &own) && peel(&own))
		return debug_dwarf_number(&own, DW_AT_encoding) == DW_ATE_signed ||
		       debug_dwarf_number(&own, DW_AT_encoding) == DW_ATE_signed_char;
	for (bool more = debug_tree_enter(&tree, die); more && debug_dwarf_spend(dwarf);
	     more = debug_tree_skip(&tree))
		if (dwarf_attr(debug_tree_at(&tree), DW_AT_const_value, &attribute) != NULL &&
		    attribute.form == DW_FORM_sdata && dwarf_formsdata(&attribute, &value) == 0 &&
		    value < 0)
			return true;
	return false;
}

static const struct debug_type *
array_target(const struct debug_type *type, size_t arrays, struct arena *arena);

/* An array, or what its other dimensions leave of it; in so many `arrays`. */
static void
read_array(const struct debug_home *home, Dwarf_Die *die, const void *after, size_t arrays,
	   struct arena *arena, struct debug_type *type)
{
	const struct debug_type *element;
	Dwarf_Die dimension;

	if (!next_dimension(home, die, after, &dimension))
		return;
	type->dimension = debug_dwarf_entry(home, &dimension);
	type->has_count = dimension_count(home, &dimension, &type->count, &type->lower);
	/* Made once: a type in arrays within each other is asked for at each of them. */
	element = arrays < MOST_ARRAYS ? array_target(type, arrays + 1, arena) : NULL;
	type->made_of = element;
	if (type->has_size || !type->has_count || element == NULL || !element->has_size ||
	    (element->size > 0 && type->count > UINT64_MAX / element->size))
		return;
	type->has_size = true;
	type->size = element->size * type->count;
}

/* Fortran's text: an array whose dimension is the type itself. */
static void
read_string(struct debug_type *type)
{
	static const struct debug_type character = { .kind = DEBUG_TYPE_CHARACTER,
						     .name = "character",
						     .own_name = "character",
						     .has_size = true,
						     .size = 1,
						     .has_count = true };

	type->made_of = &character;
	type->dimension = type->entry;
	type->has_count = type->has_size;
	type->count = type->size;
	if (type->own_name == NULL)
		type->name = "character";
}

static void
read_size(Dwarf_Die *die, struct debug_type *type)
{
	const bool member = type->kind == DEBUG_TYPE_MEMBER_POINTER;
	uint8_t word = 0;
	Dwarf_Die top, target;

	/* Of text whose length is kept elsewhere DWARF 3 has the bytes of the length here. */
	type->has_size = dwarf_hasattr(die, DW_AT_byte_size) &&
			 !dwarf_hasattr(die, DW_AT_string_length);
	type->size = debug_dwarf_number(die, DW_AT_byte_size);
	if (!type->has_size && (type->kind == DEBUG_TYPE_POINTER ||
				type->kind == DEBUG_TYPE_REFERENCE || member) &&
	    dwarf_diecu(die, &top, &word, NULL) != NULL) {
		type->has_size = true;
		type->size = word;
		/*
		 * A function's has an address and what is added to `this` (Itanium C++ ABI, 2.3).
		 */
		type->methods = member && next_type(die, &target) && peel(&target) &&
				dwarf_tag(&target) == DW_TAG_subroutine_type;
		type->size *= type->methods ? 2 : 1;
	}
}

static const struct debug_type *
make_type(const struct debug_home *home, const Dwarf_Die *declared, const void *after,
	  size_t arrays, struct arena *arena)
{
	struct debug_type *type = arena_alloc(arena, sizeof(*type));
	Dwarf_Die at = *declared, own = *declared;

	if (type == NULL)
		return NULL;
	*type = (struct debug_type){ 0 };
	struct arena scratch = { 0 };
	const char *name = type_name(home, &own, NESTED, &scratch);
	type->name = name != NULL ? arena_copy(arena, name, strlen(name)) : NULL;
	arena_free(&scratch);
	if (type->name == NULL)
		return NULL;
	if (!peel(&at)) {
		type->kind = DEBUG_TYPE_VOID;
		return type;
	}
	type->declared = dwarf_hasattr(&at, DW_AT_declaration);
	if (type->declared)
		find_definition(home, &at);
	type->entry = debug_dwarf_entry(home, &at);
	type->own_name = debug_dwarf_string(home->unit, &at, DW_AT_name);
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (kinds[i].tag == dwarf_tag(&at))
			type->kind = kinds[i].kind;
	type->wide = type->own_name != NULL && strcmp(type->own_name, "wchar_t") == 0;
	type->declared = type->declared && dwarf_hasattr(&at, DW_AT_declaration);
	if (after == NULL)
		read_size(&at, type);
	if (dwarf_tag(&at) == DW_TAG_base_type || dwarf_tag(&at) == DW_TAG_subrange_type)
		read_base_type(&at, type);
	if (type->wide)
		type->kind = DEBUG_TYPE_CHARACTER;
	if (type->kind == DEBUG_TYPE_ENUMERATION)
		type->is_signed = is_signed_enumeration(&at, home->dwarf);
	if (dwarf_tag(&at) == DW_TAG_string_type)
		read_string(type);
	else if (type->kind == DEBUG_TYPE_ARRAY)
		read_array(home, &at, after, arrays, arena, type);
	return type;
}

const struct debug_type *
debug_dwarf_type(const struct debug_home *home, Dwarf_Die *die, struct arena *arena)
{
	return make_type(home, die, NULL, 0, arena);
}

static const struct debug_type *
type_of(const struct debug_home *home, Dwarf_Die *die, size_t arrays, struct arena *arena)
{
	Dwarf_Die type;

	if (next_type(die, &type))
		return make_type(home, &type, NULL, arrays, arena);
	struct debug_type *nothing = arena_alloc(arena, sizeof(*nothing));
	if (nothing != NULL)
		*nothing = (struct debug_type){ .kind = DEBUG_TYPE_VOID, .name = "void" };
	return nothing;
}

const struct debug_type *
debug_dwarf_type_of(const struct debug_home *home, Dwarf_Die *die, struct arena *arena)
{
	return type_of(home, die, 0, arena);
}

static const struct debug_type *
array_target(const struct debug_type *type, size_t arrays, struct arena *arena)
{
	const struct debug_home *home = type->entry.home;
	Dwarf_Die die = debug_dwarf_die(&type->entry), more;

	if (type->kind != DEBUG_TYPE_ARRAY ||
	    !next_dimension(home, &die, type->dimension.address, &more))
		return type_of(home, &die, arrays, arena);
	return make_type(home, &die, type->dimension.address, arrays, arena);
}

const struct debug_type *
debug_dwarf_type_target(const struct debug_type *type, struct arena *arena)
{
	return array_target(type, 0, arena);
}

const struct debug_type *
debug_dwarf_inherited(const struct debug_home *home, Dwarf_Die *die, struct arena *arena)
{
	Dwarf_Die base;

	return next_type(die, &base) && peel(&base) ? make_type(home, &base, NULL, 0, arena)
						    : debug_dwarf_type_of(home, die, arena);
}

/* Enumerations --------------------------------------------------------------------------------- */

/*
 * What stands before the names of an enumeration in C++, with one character behind; NULL:
 * nothing.
 */
static const char *
enumeration_prefix(const struct debug_home *home, Dwarf_Die *die, const struct debug_type *type,
		   struct arena *arena)
{
	Dwarf_Attribute attribute;
	bool flag = false;

	if (writes_keyword(language_of(home, die)))
		return NULL;
	if (dwarf_attr(die, DW_AT_enum_class, &attribute) != NULL)
		dwarf_formflag(&attribute, &flag);
	const char *name = flag && type->own_name != NULL
				   ? arena_format(arena, "%s::?", type->own_name) : "?";
	return name == NULL ? NULL : debug_dwarf_usual_name(scoped(home, die, name, arena), arena);
}

size_t
debug_dwarf_type_enumerators(const struct debug_type *type, struct arena *arena,
			     struct debug_enumerator **enumerators)
{
	const struct debug_home *home = type->entry.home;
	Dwarf_Die die = debug_dwarf_die(&type->entry);
	struct debug_tree tree = { .dwarf = home->dwarf };
	size_t count = 0, capacity = 0;

	*enumerators = NULL;
	const char *qualified = home != NULL ? enumeration_prefix(home, &die, type, arena) : NULL;
	for (bool more = home != NULL && debug_tree_enter(&tree, &die);
	     more && count < DEBUG_MOST_MEMBERS && debug_dwarf_spend(home->dwarf);
	     more = debug_tree_skip(&tree)) {
		Dwarf_Die *at = debug_tree_at(&tree);
		const char *name = debug_dwarf_string(home->unit, at, DW_AT_name);
		Dwarf_Attribute attribute;
		Dwarf_Sword value;
		Dwarf_Word number;

		if (dwarf_tag(at) != DW_TAG_enumerator || name == NULL ||
		    dwarf_attr(at, DW_AT_const_value, &attribute) == NULL)
			continue;
		if (attribute.form == DW_FORM_sdata || attribute.form == DW_FORM_implicit_const)
			number = dwarf_formsdata(&attribute, &value) == 0 ? (Dwarf_Word)value : 0;
		else if (dwarf_formudata(&attribute, &number) != 0)
			continue;
		if (qualified != NULL)
			name = arena_format(arena, "%.*s%s", (int)strlen(qualified) - 1, qualified,
					    name);
		struct debug_enumerator *one =
			name != NULL ? ARENA_PUSH(arena, *enumerators, count, capacity) : NULL;
		if (one == NULL)
			break;
		*one = (struct debug_enumerator){ name, (int64_t)number };
	}
	return count;
}

#endif
