/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_VARIABLES_H
#define DEBUG_INFO_DEBUG_VARIABLES_H

#include "frame_table/dwarf_operation.h"
#include "locate/binaries.h"

/**
 * Arguments, local variables and types from the DWARF of modules' own files.
 *
 * An entry of DWARF is handed out as a handle; each question about one takes the lock of the room,
 * so any thread may ask. What is handed out lives in the asker's arena and as long as the crash's
 * binaries. DWARF 5, 3.1 to 3.4, 4.1 and chapter 5.
 */
struct debug_home;
struct dwarf_context;

/** An entry of DWARF; opaque but for `home`, which is NULL for none. */
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
	const char *name;		/* "": it has none */
	bool argument;
	bool artificial;		/* made by the compiler: `this` */
	/* Only the function that was inlined has it: no code is left */
	bool abstract;
	bool shadowed;			/* one of an inner block has its name */
	uint32_t line;			/* that declares it; 0: not said */
	unsigned block;			/* 0: innermost of the call */
	struct debug_entry entry;
};

/** A function, or a call that was inlined, with the variables that are in scope at an address. */
struct debug_scope {
	const char *name;		/* linkage name, else as it was written; "": not said */
	const char *written;		/* as it was written, with its scopes; "": not said */
	struct debug_variable *variables;	/* innermost block first */
	size_t count;
};

/** The scopes at an address, innermost first; the last one is the function itself. */
struct debug_scopes {
	struct debug_scope *items;
	size_t count;
	uint64_t function;		/* its first address, relative to the module */
	struct debug_entry entry;	/* of the function itself */
	struct debug_code {		/* its parts, relative to the module */
		uint64_t low, high;
	} *code;
	size_t code_count;
};

/** The scopes at an address relative to a loaded module; false where no function is known there. */
bool
debug_scopes_at(const struct binaries *binaries, size_t module, uint64_t relative,
		struct arena *arena, struct debug_scopes *scopes);

/** The static variables of the unit that an address is in. */
size_t
debug_globals_at(const struct binaries *binaries, size_t module, uint64_t relative,
		 struct arena *arena, struct debug_variable **variables);

/** What an attribute says of where a value is. */
enum debug_location_kind {
	DEBUG_LOCATION_NONE,		/* nothing: the variable was optimised out */
	DEBUG_LOCATION_CONSTANT,	/* `bytes` are the value */
	DEBUG_LOCATION_NUMBER,		/* `number` is the value */
	DEBUG_LOCATION_EXPRESSION,	/* `expression` leads to it */
	DEBUG_LOCATION_ELSEWHERE,	/* there is a value, but not at this address */
	DEBUG_LOCATION_BROKEN,		/* the list of locations cannot be read */
};

struct debug_location {
	enum debug_location_kind kind;
	struct debug_expression expression;
	struct reader bytes;
	uint64_t number;
	bool has_nearest;		/* ELSEWHERE: addresses where there is a value */
	uint64_t low, high;		/* those closest to the address, relative to the module */
};

/** Attributes that say where something is. */
enum debug_attribute {
	DEBUG_LOCATION,			/* of a variable: its constant value counts, too */
	DEBUG_FRAME_BASE,		/* of a function */
	DEBUG_UPPER_BOUND,		/* of a dimension of an array */
	DEBUG_COUNT,
	DEBUG_LOWER_BOUND,
	DEBUG_LENGTH,			/* of text: where that is */
	DEBUG_STRIDE,			/* bytes from one element of a dimension to the next */
	DEBUG_DATA_LOCATION,		/* of an array: its elements */
	DEBUG_ALLOCATED,		/* whether it has any */
	DEBUG_ASSOCIATED,
	DEBUG_MEMBER,			/* of a member in its structure */
	DEBUG_CLASS,			/* whose members are pointed at */
	DEBUG_ATTRIBUTES
};

/** What an entry's attribute says at an address relative to its module. */
struct debug_location
debug_locate(const struct debug_entry *entry, enum debug_attribute attribute, uint64_t relative);

/** The entry that an attribute refers to; false where it does not. */
bool
debug_reference(const struct debug_entry *entry, enum debug_attribute attribute,
		struct debug_entry *to);

/** A call in a function, as its call site tells (DWARF 5, 3.4). */
struct debug_call_site {
	/* The function that is called; none: the call is indirect */
	struct debug_entry origin;
	const char *name;		/* its name; "": not said */
	struct debug_expression target;	/* of an indirect call: where it goes */
	struct debug_call_argument {
		struct debug_expression location;	/* the register that the argument is in */
		struct debug_entry parameter;	/* or which parameter of the callee it is */
		struct debug_expression value, data;	/* its value, and what that points at */
	} *arguments;
	size_t count;
};

/**
 * The call that returns to `returns`; `relative` is in it, before that. False where no call site
 * says so.
 */
bool
debug_call_site_at(const struct binaries *binaries, size_t module, uint64_t relative,
		   uint64_t returns, struct arena *arena, struct debug_call_site *site);

/** Whether a call site is one of a call to `function`, or is indirect, so that nothing is said. */
enum debug_calls { DEBUG_CALLS_ANOTHER, DEBUG_CALLS_IT, DEBUG_CALLS_INDIRECTLY };

enum debug_calls
debug_call_fits(const struct debug_call_site *site, const struct debug_scopes *function);

/** The entry at an offset that an expression names: of its unit, or of the whole section. */
bool
debug_entry_at(const struct debug_home *home, uint64_t offset, bool of_unit,
	       struct debug_entry *entry);

/** The number `index` of a unit's table of addresses, as it was linked. */
bool
debug_address_at(const struct debug_expression *expression, uint64_t index, uint64_t *address);

/** The module of an entry, and what is to be added to a linked address to make it relative. */
size_t
debug_home_module(const struct debug_home *home, uint64_t *linked_base);

/* Types ---------------------------------------------------------------------------------------- */

enum debug_type_kind {
	DEBUG_TYPE_UNKNOWN,		/* none that can be shown but as bytes */
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
	DEBUG_TYPE_STRUCTURE,		/* or class */
	DEBUG_TYPE_UNION,
	DEBUG_TYPE_ARRAY,
	DEBUG_TYPE_FUNCTION,
};

struct debug_type {
	enum debug_type_kind kind;
	const char *name;		/* as it is declared, with its qualifiers */
	/* Behind typedefs and qualifiers, without scopes; or NULL */
	const char *own_name;
	bool has_size;
	uint64_t size;			/* bytes */
	bool is_signed;
	bool reversed;			/* its bytes are in the other order */
	bool declared;			/* no definition is known */
	bool wide;			/* wchar_t */
	bool methods;			/* a pointer to member functions */
	const struct debug_type *made_of;	/* its target or element; NULL: `entry` says */
	struct debug_entry entry;	/* without typedefs and qualifiers */
	/* Of an array: the dimension that this is, and how many elements it has. */
	struct debug_entry dimension;
	bool has_count;			/* else the dimension's attributes are to be evaluated */
	uint64_t count;
	/* Bytes from one element to the next; 0: as many as one has */
	uint64_t stride;
	int64_t lower;
};

/** The type of a variable or member; `void` where an entry says none. NULL when out of memory. */
const struct debug_type *
debug_type_of(const struct debug_entry *entry, struct arena *arena);

/** The type that an entry is. */
const struct debug_type *
debug_type_here(const struct debug_entry *entry, struct arena *arena);

/** What a pointer points at, or the element of an array. */
const struct debug_type *
debug_type_target(const struct debug_type *type, struct arena *arena);

/** A type and its target: arrays in one array have one type, whose target is made once. */
struct debug_target {
	const struct debug_type *type, *target;
};

/** debug_type_target() of `type`, or what is kept of it; `arena` outlives `kept`. */
static inline const struct debug_type *
debug_type_target_kept(struct debug_target *kept, const struct debug_type *type,
		       struct arena *arena)
{
	if (kept->type != type)
		*kept = (struct debug_target){ type, debug_type_target(type, arena) };
	return kept->target;
}

/** What is searched by its name: types; or static variables, functions and enumerators. */
enum debug_wanted { DEBUG_WANTED_TYPE, DEBUG_WANTED_VALUE };

struct debug_named {
	struct debug_entry entry;
	bool is_function, is_enumerator;
	uint64_t address;		/* of the function, relative to its module */
	struct debug_entry enumeration;	/* of the enumerator */
};

/**
 * The type or value called `name`, as the code of `function` would find it: in its unit, then in
 * all units of its file. `name` may begin with scopes: "a::b". `only` is what the keyword before
 * a type says: a structure, union or enumeration; UNKNOWN: there is none.
 */
bool
debug_named(const struct debug_scopes *function, enum debug_wanted kind, enum debug_type_kind only,
	    const char *name, struct arena *arena, struct debug_named *named);

/** Whether the code of a function is C, where comparisons give an int. */
bool
debug_is_c(const struct debug_scopes *function);

/**
 * The type that a template was given as its argument `index`, counted from 0; NULL: it has none.
 */
const struct debug_type *
debug_type_argument(const struct debug_type *type, size_t index, struct arena *arena);

/** A member of a structure. */
struct debug_member {
	const char *name;		/* "": it has none */
	bool base;			/* what the structure inherits */
	bool is_static;
	bool has_offset;		/* else its location is to be evaluated */
	uint64_t offset;		/* in bytes */
	bool is_bits;
	uint64_t bit_offset, bits;	/* from the structure's first bit as it lies in memory */
	struct debug_entry entry;
	const struct debug_type *type;
	/*
	 * Of a variant: the member whose number tells which one a value has (NULL: none does);
	 * this one if that is `told`, or, with `rest`, if it is no other's.
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
 * The linkage name, or the name as it was written, of the function of a class that is number
 * `index` in its table of virtual ones. NULL: it has none; one of a base may be there.
 */
const char *
debug_type_virtual(const struct debug_type *type, uint64_t index, struct arena *arena);

/** A value of an enumeration. */
struct debug_enumerator {
	const char *name;
	int64_t value;
};

size_t
debug_type_enumerators(const struct debug_type *type, struct arena *arena,
		       struct debug_enumerator **enumerators);

#endif
