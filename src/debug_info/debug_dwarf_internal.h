/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_DWARF_INTERNAL_H
#define DEBUG_INFO_DEBUG_DWARF_INTERNAL_H

#include "base/reader.h"
#include "debug_info/debug_dwarf.h"
#include "debug_info/debug_variables.h"
#include "dwarf/dwarf_lines.h"
#include "dwarf/dwarf_entry.h"
#include "dwarf/dwarf_store.h"

/**
 * Declarations shared by the files of src/debug_info that use the DWARF reader.
 *
 * Opening the file lists the units with the ranges of their code; the first look-up in a unit lists
 * its functions. Later look-ups search units and functions by address.
 */

/** A range of code of a unit or function. */
struct pc_range {
	uint64_t low, high;		/* as linked; `high` is exclusive */
	size_t unit;
	uint64_t entry;			/* offset of the function's entry in its section */
};

struct ranges {
	struct pc_range *items;		/* sorted by address once complete */
	size_t count, capacity;
};

struct unit {
	const struct dwarf_unit *header;	/* in the main file */
	/* the unit with the functions, or a skeleton's split unit; NULL: missing */
	const struct dwarf_context *context;
	bool skeleton;			/* the unit's functions are in another file */
	bool read;
	bool one_part; /* DWARF 2: an entry gives only one of several parts of its code */
	bool silent;			/* the unit's code ranges are missing or incomplete */
	struct ranges functions;
	struct dwarf_lines lines;
	const char *directory;		/* base of relative paths; NULL: not given */
	const char **paths;		/* absolute paths by file number; NULL: not needed yet */
};

struct unit_scopes {
	const struct dwarf_context *unit;
	struct dwarf_scopes scopes;
};

struct debug_dwarf {
	const struct binary *binary;
	uint64_t base;			/* address of the module's first byte in the file */
	struct dwarf_store store;
	struct arena arena;
	struct unit *units;
	size_t unit_count, unit_capacity;
	struct code_ranges code;
	struct ranges ranges;		/* ranges of units */
	bool asked_silent;		/* `ranges` includes the code of silent units */
	struct dwarf_ranges scratch;	/* code of one entry (debug_dwarf_ranges) */
	struct {
		struct unit_scopes *items;
		size_t count, capacity;
	} scopes;
	struct number_map scope_numbers;	/* keyed by address of the unit */
	struct {
		const char **items;
		size_t count, capacity;
	} names;			/* names with scopes */
	struct number_map name_numbers;	/* keyed by address of the entry */
	/*
	 * Number of entries and ranges that a lookup may still visit. Hostile files have loops of
	 * siblings, and lists of ranges that many entries share.
	 */
	uint64_t budget, kept_budget;
	uint64_t question_budget;	/* budget of all lookups together */
	uint64_t line_bytes;		/* bytes of line programs that may still be read */
	bool limited;			/* something is missing because a limit was reached */
};

/** Enter the children of an entry; each visited entry uses up some of the budget. */
static inline bool
debug_tree_enter(struct debug_dwarf *dwarf, struct dwarf_tree *tree,
		 const struct dwarf_die *parent)
{
	tree->budget = &dwarf->budget;
	tree->depth = 0;
	return dwarf_tree_enter(tree, parent);
}

/** The ranges of an entry's code; valid until the next call. */
const struct dwarf_ranges *
debug_dwarf_ranges(struct debug_dwarf *dwarf, const struct dwarf_die *die);

/** Begin a lookup with a separate budget, so that it ends. Returns the budget to restore later. */
uint64_t
debug_dwarf_begin_question(struct debug_dwarf *dwarf);

void
debug_dwarf_end_question(struct debug_dwarf *dwarf, uint64_t kept);

/** List the units of a file and the ranges of their code. */
void
debug_dwarf_read_units(struct debug_dwarf *dwarf);

/** Free the contents of units. */
void
debug_dwarf_free_units(struct debug_dwarf *dwarf);

/** The unit with this number. Reads its functions. */
struct unit *
debug_dwarf_read_unit(struct debug_dwarf *dwarf, size_t number);

/** The entries of a unit, without reading its functions; NULL: missing. */
const struct dwarf_context *
debug_dwarf_context(struct debug_dwarf *dwarf, const struct unit *unit);

/** The unit whose code covers an address; NULL: none. Reads its functions. */
struct unit *
debug_dwarf_unit(struct debug_dwarf *dwarf, uint64_t address);

/** The function range in `unit` that begins last among those that cover an address, or NULL. */
const struct pc_range *
debug_dwarf_function(const struct unit *unit, uint64_t address);

/** The entry of a function in `unit`. False if it cannot be read. */
static inline bool
debug_dwarf_entry_of(const struct unit *unit, const struct pc_range *range,
		     struct dwarf_die *function)
{
	return unit->context != NULL && dwarf_die_at(unit->context, range->entry, function);
}

/** The innermost namespace, type or function around an entry. False if there is none. */
bool
debug_dwarf_parent(struct debug_dwarf *dwarf, const struct dwarf_die *die,
		   struct dwarf_die *parent);

/** The linkage name, or else the source's name with its scopes; "": none. */
const char *
debug_dwarf_name(struct debug_dwarf *dwarf, const struct dwarf_die *die, bool *written);

/** Whether the code of an entry covers an address. Sets `*range` to the range with the address. */
bool
debug_dwarf_covers(struct debug_dwarf *dwarf, const struct dwarf_die *die, uint64_t address,
		   struct pc_range *range);

/** Follow references from a copy or definition to its origin, and return the last entry. */
struct dwarf_die
debug_dwarf_declaration(const struct dwarf_die *die);

/** The expression in an attribute. False if it is missing or has another form. */
bool
debug_dwarf_expression(const struct debug_home *home, const struct dwarf_die *die,
		       enum dwarf_attribute_name name, struct debug_expression *expression);

/** Lock the files of `home` and begin a lookup. */
void
debug_home_lock(const struct debug_home *home);

void
debug_home_unlock(const struct debug_home *home);

/** The unit at an address, locked as by debug_home_lock(). No unit: NULL, and no lock. */
const struct debug_home *
debug_home_at(const struct binaries *binaries, size_t module, uint64_t relative,
	      struct arena *arena);

/** The name of a function in the source, with namespaces and classes; NULL: out of memory. */
const char *
debug_dwarf_written(const struct debug_home *home, const struct dwarf_die *function,
		    struct arena *arena);

/** The last part of a name, after the last "::" outside of <>. */
const char *
debug_last_part(const char *name);

/** Whether a variable of a block other than `block` has this name. */
bool
debug_is_shadowed(const struct debug_variable *variables, size_t count, unsigned block,
		  const char *name);

/** A declaration under construction, which grows from the outermost part to the innermost part. */
struct debug_declaration {
	struct arena *arena;
	/* text after the innermost type; NULL: out of memory */
	const char *text;
	const char *qualifiers;		/* const and volatile of the next part */
	bool pointer;			/* the last part was a pointer */
	/* DWARF: the next array begins after the dimension at this offset; 0: it is whole */
	uint64_t after;
};

/** Add a qualifier to the next part, unless the part has it already. */
void
debug_declare_qualifier(struct debug_declaration *declaration, const char *qualifier);

/** Add a pointer (`sign`, such as "*"), or text after the name, such as "[3]". */
void
debug_declare_pointer(struct debug_declaration *declaration, const char *sign);

void
debug_declare_after(struct debug_declaration *declaration, const char *what);

/** Whether the text is valid and still short enough for another part. */
bool
debug_declare_more(const struct debug_declaration *declaration);

/** The whole text, with the name of the innermost type. NULL: out of memory. */
const char *
debug_declare(const struct debug_declaration *declaration, const char *name);

/** A name with base types as usually spelled: "long int" -> "long". NULL: out of memory. */
const char *
debug_dwarf_usual_name(const char *name, struct arena *arena);

/** Like debug_type_of(), for a caller that has the lock. */
const struct debug_type *
debug_dwarf_type_of(const struct debug_home *home, const struct dwarf_die *die,
		    struct arena *arena);

/** The base of an inheritance entry, without typedefs. */
const struct debug_type *
debug_dwarf_inherited(const struct debug_home *home, const struct dwarf_die *die,
		      struct arena *arena);

/** Maximum number of dimensions read for an array, or of nested arrays. */
#define DEBUG_MOST_ARRAYS 16u
/** Maximum number of pointers, arrays and functions in the name of a type. */
#define DEBUG_MOST_PARTS 16u
/** Maximum number of parameters in the name of a function type, and maximum depth of such types. */
#define DEBUG_MOST_PARAMETERS 16u
#define DEBUG_NESTED 3u
/** Maximum size of a type's name, in bytes. */
#define DEBUG_MOST_NAME 1024u
/** Maximum number of variables listed for one lookup. */
#define DEBUG_MOST_VARIABLES 4096u
#define DEBUG_MOST_MEMBERS 4096u

/** The file and the unit (or the module of a PDB) that hold an entry. */
struct debug_home {
	struct binaries_reader *reader;
	struct debug_dwarf *dwarf;	/* NULL: the debug information is a PDB */
	uint64_t base;			/* debug_dwarf.base for the function */
	const struct unit *unit;
	struct debug_pdb *pdb;
	const struct pdb_module *part;
	bool is_c;			/* `part` is C code */
	size_t module;
};

/** The entry of a handle. */
static inline struct dwarf_die
debug_dwarf_die(const struct debug_entry *entry)
{
	struct dwarf_die die = { 0 };

	if (entry->unit != NULL)
		dwarf_die_at(entry->unit, entry->offset, &die);
	return die;
}

/** A handle of an entry. */
static inline struct debug_entry
debug_dwarf_entry(const struct debug_home *home, const struct dwarf_die *die)
{
	return (struct debug_entry){ home, die->unit, die->offset };
}

#endif
