/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_VARIABLES_H
#define DEBUG_INFO_DEBUG_VARIABLES_H

#include "frame_table/dwarf_operation.h"
#include "locate/binaries.h"

/**
 * Arguments, local variables and types from the DWARF of modules' files.
 *
 * An entry of DWARF is handed out as a handle; each function locks the files, so any thread may
 * call it. Results live in the caller's arena and as long as the crash's binaries. DWARF 5, 3.1
 * to 3.4, 4.1 and chapter 5.
 */
struct debug_home;
struct dwarf_context;

/** A handle of a DWARF entry; `home` NULL: no entry. The other members are private. */
struct debug_entry {
	const struct debug_home *home;
	const struct dwarf_context *unit;
	uint64_t offset;
};

/** A DWARF expression of a file. */
struct debug_expression {
	const struct debug_home *home;
	struct dwarf_expression dwarf;
};

/** A variable, or an argument of a function. */
struct debug_variable {
	const char *name;		/* "": none */
	bool argument;
	bool artificial;		/* made by the compiler: `this` */
	/* only the abstract function has it: no code is left */
	bool abstract;
	bool shadowed;			/* a variable of an inner block has the same name */
	uint32_t line;			/* line of its declaration; 0: not given */
	unsigned block;			/* 0: the innermost block of the call */
	struct debug_entry entry;
};

/** A function or inlined call, with the variables in scope at an address. */
struct debug_scope {
	const char *name;		/* linkage name, or else the source's; "": not given */
	const char *written;		/* the source's name with scopes; "": not given */
	struct debug_variable *variables;	/* innermost block first */
	size_t count;
};

/** The scopes at an address, innermost first; the last one is the function's. */
struct debug_scopes {
	struct debug_scope *items;
	size_t count;
	uint64_t function;		/* first address of the function, relative to the module */
	struct debug_entry entry;	/* entry of the function */
	struct debug_code {		/* parts of the function, relative to the module */
		uint64_t low, high;
	} *code;
	size_t code_count;
};

/** The scopes at an address relative to a loaded module. False if no function is known there. */
bool
debug_scopes_at(const struct binaries *binaries, size_t module, uint64_t relative,
		struct arena *arena, struct debug_scopes *scopes);

/** The static variables of the unit at an address. */
size_t
debug_globals_at(const struct binaries *binaries, size_t module, uint64_t relative,
		 struct arena *arena, struct debug_variable **variables);

/** Kinds of locations in an attribute. */
enum debug_location_kind {
	DEBUG_LOCATION_NONE,		/* none: the variable was optimised out */
	DEBUG_LOCATION_CONSTANT,	/* `bytes` are the value */
	DEBUG_LOCATION_NUMBER,		/* `number` is the value */
	DEBUG_LOCATION_EXPRESSION,	/* `expression` computes it */
	DEBUG_LOCATION_ELSEWHERE,	/* the value exists, but not at this address */
	DEBUG_LOCATION_BROKEN,		/* the list of locations is unreadable */
};

struct debug_location {
	enum debug_location_kind kind;
	struct debug_expression expression;
	struct reader bytes;
	uint64_t number;
	bool has_nearest;		/* ELSEWHERE: `low` to `high` are known */
	uint64_t low, high;		/* closest addresses with a value, relative to the module */
};

/** Attributes with a location. */
enum debug_attribute {
	DEBUG_LOCATION,			/* location of a variable; includes a constant value */
	DEBUG_FRAME_BASE,		/* frame base of a function */
	DEBUG_UPPER_BOUND,		/* upper bound of a dimension of an array */
	DEBUG_COUNT,
	DEBUG_LOWER_BOUND,
	DEBUG_LENGTH,			/* place of the length of text */
	DEBUG_STRIDE,			/* bytes between elements of a dimension */
	DEBUG_DATA_LOCATION,		/* place of an array's elements */
	DEBUG_ALLOCATED,		/* whether an array has elements */
	DEBUG_ASSOCIATED,
	DEBUG_MEMBER,			/* place of a member in its structure */
	DEBUG_CLASS,			/* class of the members pointed at */
	DEBUG_ATTRIBUTES
};

/** The location in an entry's attribute at an address relative to its module. */
struct debug_location
debug_locate(const struct debug_entry *entry, enum debug_attribute attribute, uint64_t relative);

/** The entry that an attribute refers to. False if it is no reference. */
bool
debug_reference(const struct debug_entry *entry, enum debug_attribute attribute,
		struct debug_entry *to);

/** A call in a function, from its call site (DWARF 5, 3.4). */
struct debug_call_site {
	/* the called function; none: an indirect call */
	struct debug_entry origin;
	const char *name;		/* name of the function; "": not given */
	struct debug_expression target;	/* target of an indirect call */
	struct debug_call_argument {
		struct debug_expression location;	/* register of the argument */
		struct debug_entry parameter;	/* or the callee's parameter */
		struct debug_expression value, data;	/* its value, and the value pointed at */
	} *arguments;
	size_t count;
};

/**
 * The call that returns to `returns`; `relative` is an address inside the call. False if no call
 * site describes it.
 */
bool
debug_call_site_at(const struct binaries *binaries, size_t module, uint64_t relative,
		   uint64_t returns, struct arena *arena, struct debug_call_site *site);

/** Whether a call site calls `function`; an indirect call gives no answer. */
enum debug_calls { DEBUG_CALLS_ANOTHER, DEBUG_CALLS_IT, DEBUG_CALLS_INDIRECTLY };

enum debug_calls
debug_call_fits(const struct debug_call_site *site, const struct debug_scopes *function);

/** The entry at an offset in an expression: in its unit, or in the whole section. */
bool
debug_entry_at(const struct debug_home *home, uint64_t offset, bool of_unit,
	       struct debug_entry *entry);

/** Entry `index` of a unit's address table, as linked. */
bool
debug_address_at(const struct debug_expression *expression, uint64_t index, uint64_t *address);

/** Whether the entries are those of an object file, whose addresses are not those of the module. */
bool
debug_home_is_object(const struct debug_home *home);

/** The module of an entry; a linked address minus `*linked_base` is relative to it. */
size_t
debug_home_module(const struct debug_home *home, uint64_t *linked_base);

/* Types ---------------------------------------------------------------------------------------- */

enum debug_type_kind {
	DEBUG_TYPE_UNKNOWN,		/* shown only as bytes */
	DEBUG_TYPE_VOID,
	DEBUG_TYPE_NUMBER,		/* signed or unsigned */
	DEBUG_TYPE_CHARACTER,
	DEBUG_TYPE_BOOLEAN,
	DEBUG_TYPE_FLOAT,
	DEBUG_TYPE_COMPLEX,
	DEBUG_TYPE_ENUMERATION,
	DEBUG_TYPE_POINTER,
	DEBUG_TYPE_REFERENCE,
	DEBUG_TYPE_MEMBER_POINTER,
	DEBUG_TYPE_STRUCTURE,		/* a structure or class */
	DEBUG_TYPE_UNION,
	DEBUG_TYPE_ARRAY,
	DEBUG_TYPE_FUNCTION,
};

struct debug_type {
	enum debug_type_kind kind;
	const char *name;		/* name as declared, with qualifiers */
	/* without typedefs, qualifiers and scopes; or NULL */
	const char *own_name;
	bool has_size;
	uint64_t size;			/* bytes */
	bool is_signed;
	bool reversed;			/* the value is in the other byte order */
	bool declared;			/* no definition is known */
	bool wide;			/* wchar_t */
	bool methods;			/* pointer to member functions */
	const struct debug_type *made_of;	/* target or element; NULL: take it from `entry` */
	struct debug_entry entry;	/* type without typedefs and qualifiers */
	/* Array: its current dimension and number of elements. */
	struct debug_entry dimension;
	bool has_count;			/* else evaluate the dimension's attributes */
	uint64_t count;
	/* bytes between elements; 0: the size of an element */
	uint64_t stride;
	int64_t lower;
};

/** The type of a variable or member, `void` if it has none. NULL when out of memory. */
const struct debug_type *
debug_type_of(const struct debug_entry *entry, struct arena *arena);

/** The type described by an entry. */
const struct debug_type *
debug_type_here(const struct debug_entry *entry, struct arena *arena);

/** The target of a pointer, or the element of an array. */
const struct debug_type *
debug_type_target(const struct debug_type *type, struct arena *arena);

/** A type and its target, computed once for all elements of an array. */
struct debug_target {
	const struct debug_type *type, *target;
};

/** debug_type_target() of `type`, or the stored result; `arena` must outlive `kept`. */
static inline const struct debug_type *
debug_type_target_kept(struct debug_target *kept, const struct debug_type *type,
		       struct arena *arena)
{
	if (kept->type != type)
		*kept = (struct debug_target){ type, debug_type_target(type, arena) };
	return kept->target;
}

/** Kinds of names to search: types; or static variables, functions and enumerators. */
enum debug_wanted { DEBUG_WANTED_TYPE, DEBUG_WANTED_VALUE };

struct debug_named {
	struct debug_entry entry;
	bool is_function, is_enumerator;
	uint64_t address;		/* address of a function, relative to its module */
	struct debug_entry enumeration;	/* enumeration of an enumerator */
};

/**
 * Find the type or value `name` as visible in the code of `function`: in its unit, then in all
 * units of its file. `name` may have scopes: "a::b". `only` is the keyword before a type:
 * structure, union or enumeration; UNKNOWN: none.
 */
bool
debug_named(const struct debug_scopes *function, enum debug_wanted kind, enum debug_type_kind only,
	    const char *name, struct arena *arena, struct debug_named *named);

/** Names, in the order of the file, perhaps more than once. */
struct debug_name_list {
	const char **items;
	size_t count, capacity;
};

/**
 * The types whose name with its scopes contains `part`, in the file of `function`: at most
 * LIMIT_LISTED_NAMES of them.
 */
void
debug_list_types(const struct debug_scopes *function, const char *part, struct arena *arena,
		 struct debug_name_list *list);

/** Whether a function is C code, in which comparisons give an int. */
bool
debug_is_c(const struct debug_scopes *function);

/** Argument `index`, from 0, of a template, as a type; NULL: none. */
const struct debug_type *
debug_type_argument(const struct debug_type *type, size_t index, struct arena *arena);

/** A member of a structure. */
struct debug_member {
	const char *name;		/* "": none */
	bool base;			/* a base of the structure */
	bool is_static;
	bool has_offset;		/* else evaluate its location */
	uint64_t offset;		/* in bytes */
	bool is_bits;
	uint64_t bit_offset, bits;	/* place from the structure's first bit in memory */
	struct debug_entry entry;
	const struct debug_type *type;
	/*
	 * Variant: the number in member `teller` selects a variant (NULL: not a variant). This one
	 * is selected if the number is `told`, or, with `rest`, if it selects no other member.
	 */
	const struct debug_member *teller;
	bool rest;
	uint64_t told;
};

/** The members of a structure, in the order of the file. */
size_t
debug_type_members(const struct debug_type *type, struct arena *arena,
		   struct debug_member **members);

/**
 * The linkage name, or the source's name, of the function with number `index` in a class's virtual
 * table. NULL: none; a base may have it.
 */
const char *
debug_type_virtual(const struct debug_type *type, uint64_t index, struct arena *arena);

/** An enumerator and its value. */
struct debug_enumerator {
	const char *name;
	int64_t value;
};

size_t
debug_type_enumerators(const struct debug_type *type, struct arena *arena,
		       struct debug_enumerator **enumerators);

#endif
