/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_DWARF_INTERNAL_H
#define DEBUG_INFO_DEBUG_DWARF_INTERNAL_H

#include "base/reader.h"
#include "debug_info/debug_dwarf.h"
#include "debug_info/debug_variables.h"
#include "dwarf/dwarf_lines.h"
#include "dwarf/dwarf_scopes.h"
#include "dwarf/dwarf_store.h"

/**
 * What the parts of this room share that ask the DWARF reader.
 *
 * Units are listed by the code that they cover when the file is opened; the functions of a unit
 * when an address in it is first asked for. Both are then searched by address.
 */

/** Code of a unit or of a function. */
struct pc_range {
	uint64_t low, high;		/* as linked; `high` is after it */
	size_t unit;
	uint64_t entry;			/* offset of the function's entry in its section */
};

struct ranges {
	struct pc_range *items;		/* by address, once they are complete */
	size_t count, capacity;
};

struct unit {
	const struct dwarf_unit *header;	/* in the file itself */
	/* The unit, or the split unit of a skeleton, that has the functions; NULL: it is missing */
	const struct dwarf_context *context;
	bool skeleton;			/* its functions are in another file */
	bool read;
	bool one_part; /* DWARF 2: an entry says one of several parts of its code */
	bool silent;			/* it does not say which code it covers, or not all */
	struct ranges functions;
	struct dwarf_lines lines;
	const char *directory;		/* that paths of files count from; NULL: not said */
	const char **paths;		/* of files, whole ones; NULL: not asked for yet */
};

/** The scopes of a unit, which names need. */
struct unit_scopes {
	const struct dwarf_context *unit;
	struct dwarf_scopes scopes;
};

struct debug_dwarf {
	const struct binary *binary;
	struct dwarf_store store;
	struct arena arena;
	struct unit *units;
	size_t unit_count, unit_capacity;
	struct code_ranges code;
	struct ranges ranges;		/* of units */
	bool asked_silent;		/* those of silent ones are among them */
	struct dwarf_ranges scratch;	/* the code of one entry (debug_dwarf_ranges) */
	struct {
		struct unit_scopes *items;
		size_t count, capacity;
	} scopes;
	struct number_map scope_numbers;	/* by the addresses of units */
	struct {
		const char **items;
		size_t count, capacity;
	} names;			/* with scopes */
	struct number_map name_numbers;	/* by the addresses of entries */
	/* Entries and ranges that a question may still look at: siblings of hostile files turn
	 * back and their lists of ranges are shared. */
	uint64_t budget, kept_budget;
	uint64_t question_budget;	/* of all questions */
	uint64_t line_bytes;		/* how many of line programs may still be read */
	bool limited;			/* something was left out because it would cost too much */
};

/** Begin a walk below an entry, which the budget pays. */
static inline bool
debug_tree_enter(struct debug_dwarf *dwarf, struct dwarf_tree *tree,
		 const struct dwarf_die *parent)
{
	tree->budget = &dwarf->budget;
	tree->depth = 0;
	return dwarf_tree_enter(tree, parent);
}

/** The ranges of an entry's code, until the next call. */
const struct dwarf_ranges *
debug_dwarf_ranges(struct debug_dwarf *dwarf, const struct dwarf_die *die);

/** Give a question a budget of its own, so that it ends; returns the one to go on with then. */
uint64_t
debug_dwarf_begin_question(struct debug_dwarf *dwarf);

void
debug_dwarf_end_question(struct debug_dwarf *dwarf, uint64_t kept);

/** List the units of a file by the code that they cover. */
void
debug_dwarf_read_units(struct debug_dwarf *dwarf);

/** Release what units have. */
void
debug_dwarf_free_units(struct debug_dwarf *dwarf);

/** A unit by its number, read. */
struct unit *
debug_dwarf_read_unit(struct debug_dwarf *dwarf, size_t number);

/** The entries of a unit, which may not be read for functions yet; NULL: they are missing. */
const struct dwarf_context *
debug_dwarf_context(struct debug_dwarf *dwarf, const struct unit *unit);

/** The unit whose code covers an address, read; NULL: none. */
struct unit *
debug_dwarf_unit(struct debug_dwarf *dwarf, uint64_t address);

/** The range of a function of `unit` that covers an address and begins last; NULL: none. */
const struct pc_range *
debug_dwarf_function(const struct unit *unit, uint64_t address);

/** The entry of a function of `unit`; false: it cannot be read. */
static inline bool
debug_dwarf_entry_of(const struct unit *unit, const struct pc_range *range,
		     struct dwarf_die *function)
{
	return unit->context != NULL && dwarf_die_at(unit->context, range->entry, function);
}

/** The entry of the innermost namespace, type or function around an entry; false: none is. */
bool
debug_dwarf_parent(struct debug_dwarf *dwarf, const struct dwarf_die *die,
		   struct dwarf_die *parent);

/** The linkage name, else as it was written, with its scopes; "" where there is none. */
const char *
debug_dwarf_name(struct debug_dwarf *dwarf, const struct dwarf_die *die, bool *written);

/** Whether an entry says where its code is, and the part of it that covers an address. */
bool
debug_dwarf_covers(struct debug_dwarf *dwarf, const struct dwarf_die *die, uint64_t address,
		   struct pc_range *range);

/** The entry at the end of those that an entry is a copy or the definition of. */
struct dwarf_die
debug_dwarf_declaration(const struct dwarf_die *die);

/** What an attribute says of where something is, at an address as linked. */
struct debug_location
debug_dwarf_locate(const struct debug_home *home, const struct dwarf_die *die,
		   enum debug_attribute which, uint64_t address);

/** The expression of an attribute of an entry; false where it has none of this form. */
bool
debug_dwarf_expression(const struct debug_home *home, const struct dwarf_die *die,
		       enum dwarf_attribute_name name, struct debug_expression *expression);

/** The number of an attribute in DWARF. */
enum dwarf_attribute_name
debug_dwarf_attribute_name(enum debug_attribute attribute);

/* What debug_variables.h hands out, of one file; addresses are as linked. */

bool
debug_dwarf_scopes(const struct debug_home *home, uint64_t address, struct arena *arena,
		   struct debug_scopes *scopes);

size_t
debug_dwarf_globals(const struct debug_home *home, struct arena *arena,
		    struct debug_variable **variables);

bool
debug_dwarf_call_site(const struct debug_home *home, uint64_t address, uint64_t returns,
		      struct arena *arena, struct debug_call_site *site);

enum debug_calls
debug_dwarf_call_fits(const struct debug_call_site *site, const struct debug_scopes *function);

/**
 * What a function is called in the source, with its namespaces and classes; NULL: out of memory.
 */
const char *
debug_dwarf_written(const struct debug_home *home, const struct dwarf_die *function,
		    struct arena *arena);

/** A name with all base types in it as they are usually written; NULL: out of memory. */
const char *
debug_dwarf_usual_name(const char *name, struct arena *arena);

/** Whether the function of an entry is written in C, or in a language that is not said. */
bool
debug_dwarf_is_c(const struct debug_home *home, const struct dwarf_die *die);

/**
 * Find a name, in a function (NULL: in none), then in the unit of `home`, then in all others of the
 * file. Those of the function are types alone.
 */
bool
debug_dwarf_named(const struct debug_home *home, const struct dwarf_die *function,
		  enum debug_wanted kind, enum debug_type_kind only, const char *wanted,
		  struct arena *arena, struct debug_named *named);

/** The type that an entry is. */
const struct debug_type *
debug_dwarf_type(const struct debug_home *home, const struct dwarf_die *die, struct arena *arena);

const struct debug_type *
debug_dwarf_type_of(const struct debug_home *home, const struct dwarf_die *die,
		    struct arena *arena);

/** The base that an inheritance entry names, without its typedefs. */
const struct debug_type *
debug_dwarf_inherited(const struct debug_home *home, const struct dwarf_die *die,
		      struct arena *arena);

/** Members of a type that are read. */
#define DEBUG_MOST_MEMBERS 4096u

const struct debug_type *
debug_dwarf_type_argument(const struct debug_type *type, size_t index, struct arena *arena);

const struct debug_type *
debug_dwarf_type_target(const struct debug_type *type, struct arena *arena);

size_t
debug_dwarf_type_members(const struct debug_type *type, struct arena *arena,
			 struct debug_member **members);

const char *
debug_dwarf_type_virtual(const struct debug_type *type, uint64_t index, struct arena *arena);

size_t
debug_dwarf_type_enumerators(const struct debug_type *type, struct arena *arena,
			     struct debug_enumerator **enumerators);

/** What an entry that was handed out belongs to. */
struct debug_home {
	struct binaries_reader *reader;
	struct debug_dwarf *dwarf;
	const struct unit *unit;
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
