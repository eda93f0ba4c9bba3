/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "debug_info/debug_pdb_internal.h"

/* Types (DWARF 5, chapter 5): their kinds, names and component types. */

/* Maximum number of steps from a type to its component type. */
enum { MOST_HOPS = 64 };

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
	enum dwarf_tag tag;
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

/* Follow DW_AT_type, if necessary into a type unit. False: the entry has no readable type. */
static bool
next_type(const struct dwarf_die *die, struct dwarf_die *type)
{
	struct dwarf_value value;
	struct dwarf_die owner;

	if (!dwarf_die_inherited(die, DW_AT_type, &value, &owner) ||
	    !dwarf_die_follow(&owner, DW_AT_type, type))
		return false;
	dwarf_die_follow(type, DW_AT_signature, type);
	return true;
}

/* Whether the type of an entry is in a missing file: a supplement of dwz. */
static bool
type_is_lost(const struct dwarf_die *die)
{
	struct dwarf_value value;
	struct dwarf_die at = *die;

	if (dwarf_die_inherited(die, DW_AT_type, &value, NULL))
		return true;
	for (unsigned i = 0; i < DEBUG_MOST_PARTS && dwarf_die_origin(&at, &at); i++)
		continue;
	return dwarf_die_has(&at, DW_AT_abstract_origin) || dwarf_die_has(&at, DW_AT_specification);
}

/* The name if no type can be read: "void", unless the type is in a missing file. */
static const char *
absent_name(const struct dwarf_die *die)
{
	return type_is_lost(die) ? "?" : "void";
}

/* The text of a qualifier before a type: "const ". NULL: not a qualifier. */
static const char *
qualifier_of(enum dwarf_tag tag)
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

/* Remove typedefs and qualifiers. False: the type is void, or the typedefs form a loop. */
static bool
peel(struct dwarf_die *die)
{
	for (size_t hop = 0; hop < MOST_HOPS; hop++) {
		const enum dwarf_tag tag = dwarf_die_tag(die);

		if (tag != DW_TAG_typedef && qualifier_of(tag) == NULL &&
		    tag != DW_TAG_subrange_type)
			return true;
		if (tag == DW_TAG_subrange_type && dwarf_die_has(die, DW_AT_byte_size))
			return true;
		if (!next_type(die, die))
			return false;
	}
	return false;
}

/* Names ---------------------------------------------------------------------------------------- */

/* The language of an entry's unit or, if dwz left it out, of the unit in `home`. */
static unsigned
language_of(const struct debug_home *home, const struct dwarf_die *die)
{
	const struct dwarf_context *units[] = { die->unit, home->unit->context };
	unsigned language = 0;
	struct dwarf_die top;

	for (size_t i = 0; i < 2 && language == 0; i++)
		if (units[i] != NULL && dwarf_die_root(units[i], &top))
			language = (unsigned)dwarf_die_number(&top, DW_AT_language);
	return language;
}

/* Whether a language puts the keyword before names of structures: "struct s". */
static bool
writes_keyword(unsigned language)
{
	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
	       language == DW_LANG_C11 || language == 0;
}

bool
debug_is_c(const struct debug_scopes *function)
{
	const struct debug_home *home = function->entry.home;
	const struct dwarf_die die = debug_dwarf_die(&function->entry);

	if (home->dwarf == NULL)
		return home->is_c;
	debug_home_lock(home);
	const bool is_c = writes_keyword(language_of(home, &die));
	debug_home_unlock(home);
	return is_c;
}

/* Base types as GCC writes them, and their usual spelling. */
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

		if (found == NULL || strlen(name) > DEBUG_MOST_NAME)
			continue;
		name = arena_format(arena, "%.*s%s%s", (int)(found - name), name,
				    usual_names[i][1], found + length);
		/* Check the same position again. */
		i--;
	}
	return name;
}

/* The name of a type with its namespaces and classes. */
static const char *
scoped(const struct debug_home *home, const struct dwarf_die *die, const char *name,
       struct arena *arena)
{
	struct dwarf_die at = debug_dwarf_declaration(die);

	for (size_t i = 0; i < MOST_HOPS && name != NULL; i++) {
		if (!debug_dwarf_parent(home->dwarf, &at, &at))
			break;
		const enum dwarf_tag tag = dwarf_die_tag(&at);
		const char *outer = dwarf_die_text(&at, DW_AT_name);

		if (tag != DW_TAG_namespace && tag != DW_TAG_class_type &&
		    tag != DW_TAG_structure_type && tag != DW_TAG_union_type)
			break;
		if (tag != DW_TAG_namespace && outer == NULL)
			continue;
		if (strlen(name) > DEBUG_MOST_NAME)
			break;
		name = arena_format(arena, "%.*s::%s", (int)DEBUG_MOST_NAME,
				    outer != NULL ? outer : "(anonymous namespace)", name);
	}
	return name;
}

const char *
debug_dwarf_written(
	const struct debug_home *home, const struct dwarf_die *function, struct arena *arena)
{
	const char *name = dwarf_die_text(function, DW_AT_name);
	struct dwarf_die at = debug_dwarf_declaration(function);

	return name == NULL				? ""
	       : writes_keyword(language_of(home, &at)) ? name
							: scoped(home, &at, name, arena);
}

/* The name of a type that has no component type. */
static const char *
plain_name(const struct debug_home *home, const struct dwarf_die *die, struct arena *arena)
{
	static const struct {
		enum dwarf_tag tag;
		const char *keyword;
	} keywords[] = {
		{ DW_TAG_structure_type, "struct" }, { DW_TAG_class_type, "class" },
		{ DW_TAG_union_type, "union" }, { DW_TAG_enumeration_type, "enum" },
	};
	const bool plain = writes_keyword(language_of(home, die));
	const char *name = dwarf_die_text(die, DW_AT_name), *keyword = NULL;
	const enum dwarf_tag tag = dwarf_die_tag(die);

	for (size_t i = 0; i < ARRAY_COUNT(keywords); i++)
		if (keywords[i].tag == tag)
			keyword = keywords[i].keyword;
	if (keyword != NULL && !dwarf_die_has(die, DW_AT_name))
		return arena_format(arena, "%s {...}", keyword);
	if (name == NULL)
		return dwarf_die_has(die, DW_AT_name) || tag == DW_TAG_typedef ||
				       tag == DW_TAG_base_type ? "?" : "void";
	if (tag == DW_TAG_base_type)
		return debug_dwarf_usual_name(name, arena);
	if (!plain)
		return debug_dwarf_usual_name(scoped(home, die, name, arena), arena);
	return keyword != NULL ? arena_format(arena, "%s %s", keyword, name) : name;
}

static const char *
type_name(const struct debug_home *home, const struct dwarf_die *die, uint64_t after,
	  unsigned depth, struct arena *arena);

/* The parameters of a function's type: "(int, char *)". */
static const char *
parameters_of(const struct debug_home *home, const struct dwarf_die *die, unsigned depth,
	struct arena *arena)
{
	struct dwarf_tree tree;
	const char *text = "";
	size_t count = 0;

	if (depth == 0)
		return "(...)";
	for (bool more = debug_tree_enter(home->dwarf, &tree, die); more && text != NULL;
	     more = dwarf_tree_next(&tree, false)) {
		struct dwarf_die *at = dwarf_tree_at(&tree), type;
		const char *name = "...";

		if (dwarf_die_tag(at) == DW_TAG_formal_parameter && count < DEBUG_MOST_PARAMETERS)
			name = next_type(at, &type) ? type_name(home, &type, 0, depth - 1, arena)
						    : absent_name(at);
		else if (dwarf_die_tag(at) != DW_TAG_unspecified_parameters &&
			 dwarf_die_tag(at) != DW_TAG_formal_parameter)
			continue;
		if (count > DEBUG_MOST_PARAMETERS)
			break;
		text = arena_format(arena, "%s%s%s", text, count++ > 0 ? ", " : "",
				    name != NULL ? name : "?");
		if (text != NULL && strlen(text) > DEBUG_MOST_NAME)
			break;
	}
	if (count == 0)
		text = dwarf_die_has(die, DW_AT_prototyped) ||
				       !writes_keyword(language_of(home, die)) ? "void" : "";
	return text == NULL ? NULL : arena_format(arena, "(%s)", text);
}

/* The index of the first element by default (DWARF 5, table 7.17). */
static int64_t
lower_bound(unsigned language)
{
	static const uint16_t from_one[] = {
		DW_LANG_Ada83, DW_LANG_Ada95, DW_LANG_Cobol74, DW_LANG_Cobol85, DW_LANG_Fortran77,
		DW_LANG_Fortran90, DW_LANG_Fortran95, DW_LANG_Fortran03, DW_LANG_Fortran08,
		DW_LANG_Pascal83, DW_LANG_Modula2, DW_LANG_Modula3, DW_LANG_PLI, DW_LANG_Julia,
	};

	for (size_t i = 0; i < ARRAY_COUNT(from_one); i++)
		if (from_one[i] == language)
			return 1;
	return 0;
}

/* The number of elements of a dimension. False if it is not constant. */
static bool
dimension_count(const struct debug_home *home, struct dwarf_die *dimension, uint64_t *count,
		int64_t *lower)
{
	struct dwarf_value value;
	int64_t first = lower_bound(language_of(home, dimension)), written;
	uint64_t number;

	if (dwarf_die_value(dimension, DW_AT_lower_bound, &value) &&
	    dwarf_value_signed(&value, &written))
		first = written;
	*lower = first;
	if (dwarf_die_value(dimension, DW_AT_count, &value))
		return dwarf_value_unsigned(&value, count);
	if (!dwarf_die_value(dimension, DW_AT_upper_bound, &value) ||
	    !dwarf_value_unsigned(&value, &number))
		return false;
	/* Compilers give an empty array an upper bound below its lower bound: -1 or 0xffffffff. */
	const bool before = value.form == DW_FORM_data4 && number == UINT32_MAX;
	const int64_t bound = before ? -1 : (int64_t)number;
	*count = bound < first ? 0 : (uint64_t)bound - (uint64_t)first + 1;
	return true;
}

/* Whether an array is in column-major order: its first index varies fastest. */
static bool
is_by_columns(const struct debug_home *home, const struct dwarf_die *array)
{
	static const uint16_t languages[] = { DW_LANG_Fortran77, DW_LANG_Fortran90,
					      DW_LANG_Fortran95, DW_LANG_Fortran03,
					      DW_LANG_Fortran08 };
	struct dwarf_value value;
	uint64_t order;

	if (dwarf_die_value(array, DW_AT_ordering, &value) &&
	    dwarf_value_unsigned(&value, &order))
		return order == DW_ORD_col_major;
	const unsigned language = language_of(home, array);
	for (size_t i = 0; i < ARRAY_COUNT(languages); i++)
		if (language == languages[i])
			return true;
	return false;
}

/* Find the array dimension just inside the dimension at `after`; 0: the outermost dimension. */
static bool
next_dimension(const struct debug_home *home, const struct dwarf_die *array, uint64_t after,
	       struct dwarf_die *dimension)
{
	const bool by_columns = is_by_columns(home, array);
	struct dwarf_tree tree;
	bool behind = after == 0, found = false;

	for (bool more = debug_tree_enter(home->dwarf, &tree, array); more;
	     more = dwarf_tree_next(&tree, false)) {
		struct dwarf_die *at = dwarf_tree_at(&tree);

		if (dwarf_die_tag(at) != DW_TAG_subrange_type &&
		    dwarf_die_tag(at) != DW_TAG_enumeration_type &&
		    dwarf_die_tag(at) != DW_TAG_generic_subrange)
			continue;
		if (by_columns && at->offset == after)
			return found;
		if (by_columns || behind) {
			*dimension = *at;
			found = true;
		}
		if (found && !by_columns)
			return true;
		behind = behind || at->offset == after;
	}
	return found;
}

/* The dimensions of an array after the one at `after` (0: all): "[2][3]". */
static const char *
dimensions_of(const struct debug_home *home, const struct dwarf_die *array, uint64_t after,
	      struct arena *arena)
{
	const char *text = "";
	struct dwarf_die dimension;
	uint64_t count;
	int64_t lower;

	while (text != NULL && strlen(text) < DEBUG_MOST_NAME &&
	       next_dimension(home, array, after, &dimension)) {
		text = dimension_count(home, &dimension, &count, &lower)
			       ? arena_format(arena, "%s[%" PRIu64 "]", text, count)
			       : arena_format(arena, "%s[]", text);
		after = dimension.offset;
	}
	return text;
}

void
debug_declare_qualifier(struct debug_declaration *declaration, const char *qualifier)
{
	const char *qualifiers = declaration->qualifiers;

	/* An array has the qualifiers of its elements: write each once. */
	if (qualifiers == NULL || strstr(qualifiers, qualifier) != NULL)
		return;
	declaration->qualifiers = arena_format(declaration->arena, "%s%s%s", qualifier,
					       *qualifiers != '\0' ? " " : "", qualifiers);
	if (declaration->qualifiers == NULL)
		declaration->text = NULL;
}

void
debug_declare_pointer(struct debug_declaration *declaration, const char *sign)
{
	const char *qualifiers = declaration->qualifiers;
	const bool both = *qualifiers != '\0' && *declaration->text != '\0';

	declaration->text = arena_format(declaration->arena, "%s%s%s%s%s", sign,
					 *qualifiers != '\0' ? " " : "", qualifiers,
					 both ? " " : "", declaration->text);
	declaration->qualifiers = "";
	declaration->pointer = true;
}

void
debug_declare_after(struct debug_declaration *declaration, const char *what)
{
	declaration->text = what == NULL ? NULL
					 : arena_format(declaration->arena,
							declaration->pointer ? "(%s)%s" : "%s%s",
							declaration->text, what);
	declaration->pointer = false;
}

/* Add a part of a declaration. False if the type has no component type. */
static bool
add_part(const struct debug_home *home, const struct dwarf_die *die, unsigned depth,
	 struct debug_declaration *declaration)
{
	const enum dwarf_tag tag = dwarf_die_tag(die);
	const char *qualifier = qualifier_of(tag);
	struct arena *arena = declaration->arena;
	struct dwarf_die class;

	if (qualifier != NULL) {
		debug_declare_qualifier(declaration, qualifier);
	} else if (tag == DW_TAG_pointer_type) {
		debug_declare_pointer(declaration, "*");
	} else if (tag == DW_TAG_reference_type) {
		debug_declare_pointer(declaration, "&");
	} else if (tag == DW_TAG_rvalue_reference_type) {
		debug_declare_pointer(declaration, "&&");
	} else if (tag == DW_TAG_ptr_to_member_type) {
		const char *name = dwarf_die_follow(die, DW_AT_containing_type, &class)
					   ? plain_name(home, &class, arena) : "?";
		name = arena_format(arena, "%s::*", name != NULL ? name : "?");
		debug_declare_pointer(declaration, text_or_empty(name));
	} else if (tag == DW_TAG_array_type) {
		debug_declare_after(declaration,
				    dimensions_of(home, die, declaration->after, arena));
		declaration->after = 0;
	} else if (tag == DW_TAG_subroutine_type || tag == DW_TAG_subprogram) {
		debug_declare_after(declaration, parameters_of(home, die, depth, arena));
	} else {
		return false;
	}
	return true;
}

bool
debug_declare_more(const struct debug_declaration *declaration)
{
	return declaration->text != NULL && strlen(declaration->text) <= DEBUG_MOST_NAME;
}

const char *
debug_declare(const struct debug_declaration *declaration, const char *name)
{
	if (declaration->text == NULL)
		return NULL;
	return arena_format(declaration->arena, "%s%s%s%s%s", declaration->qualifiers,
			    *declaration->qualifiers != '\0' ? " " : "", name,
			    *declaration->text != '\0' ? " " : "", declaration->text);
}

/* The name of a type as gdb writes it, or of a subarray as in make_type(); NULL: out of memory. */
static const char *
type_name(const struct debug_home *home, const struct dwarf_die *die, uint64_t after,
	  unsigned depth, struct arena *arena)
{
	struct debug_declaration declaration = {
		.arena = arena, .text = "", .qualifiers = "", .after = after };
	const char *name = NULL;
	struct dwarf_die at = *die;

	for (size_t part = 0; part < DEBUG_MOST_PARTS && declaration.text != NULL; part++) {
		if (!add_part(home, &at, depth, &declaration)) {
			name = plain_name(home, &at, arena);
			break;
		}
		if (!debug_declare_more(&declaration))
			break;
		if (!next_type(&at, &at)) {
			name = absent_name(&at);
			break;
		}
	}
	return debug_declare(&declaration, name != NULL ? name : "?");
}

/* Types ---------------------------------------------------------------------------------------- */

/* Whether two entries of a unit have the same name and scopes. */
static bool
has_same_name(const struct debug_home *home, const struct dwarf_die *a, const struct dwarf_die *b)
{
	struct arena arena = { 0 };
	const char *one = debug_dwarf_written(home, a, &arena);
	const char *other = debug_dwarf_written(home, b, &arena);
	const bool same = one != NULL && other != NULL && strcmp(one, other) == 0;

	arena_free(&arena);
	return same;
}

/* Find the definition of a declared structure, at the top level of its unit or in a namespace. */
static void
find_definition(const struct debug_home *home, struct dwarf_die *die)
{
	const char *name = dwarf_die_text(die, DW_AT_name);
	struct dwarf_tree tree;
	struct dwarf_die top;

	if (name == NULL || !dwarf_die_root(die->unit, &top))
		return;
	for (bool more = debug_tree_enter(home->dwarf, &tree, &top); more;) {
		struct dwarf_die *at = dwarf_tree_at(&tree);
		const char *found;

		if (dwarf_die_tag(at) == dwarf_die_tag(die) &&
			!dwarf_die_has(at, DW_AT_declaration) &&
			(found = dwarf_die_text(at, DW_AT_name)) != NULL &&
			strcmp(found, name) == 0 && has_same_name(home, at, die)) {
			*die = *at;
			return;
		}
		more = dwarf_tree_next(&tree, dwarf_die_tag(at) == DW_TAG_namespace);
	}
}

static void
read_base_type(const struct dwarf_die *die, struct debug_type *type)
{
	const unsigned encoding = (unsigned)dwarf_die_number(die, DW_AT_encoding);
	const uint64_t order = dwarf_die_number(die, DW_AT_endianity);

	for (size_t i = 0; i < ARRAY_COUNT(encodings); i++)
		if (encodings[i].encoding == encoding) {
			type->kind = encodings[i].kind;
			type->is_signed = encodings[i].is_signed;
		}
	type->reversed = order == DW_END_big || order == DW_END_little;
}

/*
 * Whether an enumeration has negative values. If it has an underlying type, that type decides.
 */
static bool
is_signed_enumeration(const struct dwarf_die *die, struct debug_dwarf *dwarf)
{
	struct dwarf_tree tree;
	struct dwarf_value value;
	struct dwarf_die own;

	if (next_type(die, &own) && peel(&own))
		return dwarf_die_number(&own, DW_AT_encoding) == DW_ATE_signed ||
		       dwarf_die_number(&own, DW_AT_encoding) == DW_ATE_signed_char;
	for (bool more = debug_tree_enter(dwarf, &tree, die); more;
	     more = dwarf_tree_next(&tree, false))
		if (dwarf_die_value(dwarf_tree_at(&tree), DW_AT_const_value, &value) &&
		    value.form == DW_FORM_sdata && (int64_t)value.number < 0)
			return true;
	return false;
}

static const struct debug_type *
array_target(const struct debug_type *type, size_t arrays, struct arena *arena);

/* Read an array, or its subarray inside the dimension at `after`. `arrays`: outer arrays. */
static void
read_array(const struct debug_home *home, const struct dwarf_die *die, uint64_t after,
	size_t arrays, struct arena *arena, struct debug_type *type)
{
	const struct debug_type *element;
	struct dwarf_die dimension;

	if (!next_dimension(home, die, after, &dimension))
		return;
	type->dimension = debug_dwarf_entry(home, &dimension);
	type->has_count = dimension_count(home, &dimension, &type->count, &type->lower);
	/* Store the element type, so that nested arrays create the innermost type only once. */
	element = arrays < DEBUG_MOST_ARRAYS ? array_target(type, arrays + 1, arena) : NULL;
	type->made_of = element;
	if (type->has_size || !type->has_count || element == NULL || !element->has_size ||
	    (element->size > 0 && type->count > UINT64_MAX / element->size))
		return;
	type->has_size = true;
	type->size = element->size * type->count;
}

/* Read a string of Fortran as an array of characters. One entry is the array and the dimension. */
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
read_size(const struct dwarf_die *die, struct debug_type *type)
{
	const bool member = type->kind == DEBUG_TYPE_MEMBER_POINTER;
	struct dwarf_die target;

	/* If text has a length field, DW_AT_byte_size in DWARF 3 is the size of that field. */
	type->has_size = dwarf_die_has(die, DW_AT_byte_size) &&
			 !dwarf_die_has(die, DW_AT_string_length);
	type->size = dwarf_die_number(die, DW_AT_byte_size);
	if (!type->has_size && (type->kind == DEBUG_TYPE_POINTER ||
				type->kind == DEBUG_TYPE_REFERENCE || member)) {
		type->has_size = true;
		type->size = die->unit->unit->address_size;
		/* A pointer to a member function: an address and an offset (Itanium, 2.3). */
		type->methods = member && next_type(die, &target) && peel(&target) &&
				dwarf_die_tag(&target) == DW_TAG_subroutine_type;
		type->size *= type->methods ? 2 : 1;
	}
}

static const struct debug_type *
make_type(const struct debug_home *home, const struct dwarf_die *declared, uint64_t after,
	  size_t arrays, struct arena *arena)
{
	struct debug_type *type = arena_alloc(arena, sizeof(*type));
	struct dwarf_die at = *declared, own = *declared;

	if (type == NULL)
		return NULL;
	*type = (struct debug_type){ 0 };
	struct arena scratch = { 0 };
	const char *name = type_name(home, &own, after, DEBUG_NESTED, &scratch);
	type->name = name != NULL ? arena_string(arena, name) : NULL;
	arena_free(&scratch);
	if (type->name == NULL)
		return NULL;
	if (!peel(&at)) {
		type->kind = type_is_lost(&at) ? DEBUG_TYPE_UNKNOWN : DEBUG_TYPE_VOID;
		return type;
	}
	type->declared = dwarf_die_has(&at, DW_AT_declaration);
	if (type->declared)
		find_definition(home, &at);
	type->entry = debug_dwarf_entry(home, &at);
	type->own_name = dwarf_die_text(&at, DW_AT_name);
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (kinds[i].tag == dwarf_die_tag(&at))
			type->kind = kinds[i].kind;
	/* std::nullptr_t has the size of a pointer (C++ [basic.fundamental]). */
	if (type->own_name != NULL && strcmp(type->own_name, "decltype(nullptr)") == 0)
		type->kind = DEBUG_TYPE_POINTER;
	type->wide = type->own_name != NULL && strcmp(type->own_name, "wchar_t") == 0;
	type->declared = type->declared && dwarf_die_has(&at, DW_AT_declaration);
	if (after == 0)
		read_size(&at, type);
	if (dwarf_die_tag(&at) == DW_TAG_base_type || dwarf_die_tag(&at) == DW_TAG_subrange_type)
		read_base_type(&at, type);
	if (type->wide)
		type->kind = DEBUG_TYPE_CHARACTER;
	if (type->kind == DEBUG_TYPE_ENUMERATION)
		type->is_signed = is_signed_enumeration(&at, home->dwarf);
	if (dwarf_die_tag(&at) == DW_TAG_string_type)
		read_string(type);
	else if (type->kind == DEBUG_TYPE_ARRAY)
		read_array(home, &at, after, arrays, arena, type);
	return type;
}

const struct debug_type *
debug_type_here(const struct debug_entry *entry, struct arena *arena)
{
	const struct dwarf_die die = debug_dwarf_die(entry);

	debug_home_lock(entry->home);
	const struct debug_type *type =
		entry->home->dwarf == NULL ? debug_pdb_type_of(entry, arena)
					   : make_type(entry->home, &die, 0, 0, arena);
	debug_home_unlock(entry->home);
	return type;
}

static const struct debug_type *
type_of(const struct debug_home *home, const struct dwarf_die *die, size_t arrays,
	struct arena *arena)
{
	struct dwarf_die type;

	if (next_type(die, &type))
		return make_type(home, &type, 0, arrays, arena);
	struct debug_type *nothing = arena_alloc(arena, sizeof(*nothing));
	if (nothing != NULL)
		*nothing = (struct debug_type){
			.kind = type_is_lost(die) ? DEBUG_TYPE_UNKNOWN : DEBUG_TYPE_VOID,
			.name = absent_name(die) };
	return nothing;
}

const struct debug_type *
debug_dwarf_type_of(const struct debug_home *home, const struct dwarf_die *die, struct arena *arena)
{
	return type_of(home, die, 0, arena);
}

const struct debug_type *
debug_type_of(const struct debug_entry *entry, struct arena *arena)
{
	const struct dwarf_die die = debug_dwarf_die(entry);

	debug_home_lock(entry->home);
	const struct debug_type *type = entry->home->dwarf == NULL
						? debug_pdb_type_of(entry, arena)
						: type_of(entry->home, &die, 0, arena);
	debug_home_unlock(entry->home);
	return type;
}

static const struct debug_type *
array_target(const struct debug_type *type, size_t arrays, struct arena *arena)
{
	const struct debug_home *home = type->entry.home;
	struct dwarf_die die = debug_dwarf_die(&type->entry), more;

	if (type->kind != DEBUG_TYPE_ARRAY ||
	    !next_dimension(home, &die, type->dimension.offset, &more))
		return type_of(home, &die, arrays, arena);
	return make_type(home, &die, type->dimension.offset, arrays, arena);
}

const struct debug_type *
debug_type_target(const struct debug_type *type, struct arena *arena)
{
	if (type->made_of != NULL || type->entry.home == NULL)
		return type->made_of;
	debug_home_lock(type->entry.home);
	const struct debug_type *target = type->entry.home->dwarf == NULL
						  ? debug_pdb_target(type, 0, arena)
						  : array_target(type, 0, arena);
	debug_home_unlock(type->entry.home);
	return target;
}

const struct debug_type *
debug_dwarf_inherited(
	const struct debug_home *home, const struct dwarf_die *die, struct arena *arena)
{
	struct dwarf_die base;

	return next_type(die, &base) && peel(&base) ? make_type(home, &base, 0, 0, arena)
						    : debug_dwarf_type_of(home, die, arena);
}

/* Enumerations --------------------------------------------------------------------------------- */

/* The pattern of a C++ enumeration's names, with "?" for the enumerator ("a::e::?"), or NULL. */
static const char *
enumeration_prefix(const struct debug_home *home, const struct dwarf_die *die,
		   const struct debug_type *type, struct arena *arena)
{
	struct dwarf_value value;
	bool flag = false;

	if (writes_keyword(language_of(home, die)))
		return NULL;
	if (dwarf_die_value(die, DW_AT_enum_class, &value))
		flag = value.number != 0;
	const char *name = flag && type->own_name != NULL
				   ? arena_format(arena, "%s::?", type->own_name) : "?";
	return name == NULL ? NULL : debug_dwarf_usual_name(scoped(home, die, name, arena), arena);
}

size_t
debug_type_enumerators(const struct debug_type *type, struct arena *arena,
		       struct debug_enumerator **enumerators)
{
	const struct debug_home *home = type->entry.home;
	struct dwarf_die die = debug_dwarf_die(&type->entry);
	struct dwarf_tree tree;
	size_t count = 0, capacity = 0;

	*enumerators = NULL;
	if (home == NULL)
		return 0;
	debug_home_lock(home);
	if (home->dwarf == NULL) {
		count = debug_pdb_enumerators(type, arena, enumerators);
		debug_home_unlock(home);
		return count;
	}
	const char *qualified = enumeration_prefix(home, &die, type, arena);
	for (bool more = debug_tree_enter(home->dwarf, &tree, &die);
	     more && count < DEBUG_MOST_MEMBERS;
	     more = dwarf_tree_next(&tree, false)) {
		struct dwarf_die *at = dwarf_tree_at(&tree);
		const char *name = dwarf_die_text(at, DW_AT_name);
		struct dwarf_value value;
		uint64_t number;

		if (dwarf_die_tag(at) != DW_TAG_enumerator || name == NULL ||
		    !dwarf_die_value(at, DW_AT_const_value, &value))
			continue;
		if (!dwarf_value_unsigned(&value, &number))
			continue;
		if (qualified != NULL)
			name = arena_format(arena, "%.*s%s", (int)strlen(qualified) - 1, qualified,
					    name);
		if (name == NULL ||
		    !ARENA_ADD(arena, *enumerators, count, capacity,
			       &(struct debug_enumerator){ name, (int64_t)number }))
			break;
	}
	debug_home_unlock(home);
	return count;
}

