/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_DWARF_INTERNAL_H
#define DEBUG_INFO_DEBUG_DWARF_INTERNAL_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/reader.h"
#include "binary/elf_unpacked.h"
#include "debug_info/debug_dwarf.h"
#include "debug_info/debug_variables.h"

/**
 * What the parts of reading DWARF share.
 *
 * Units are listed by the code that they cover when the file is opened; the functions of a unit
 * when an address in it is first asked for. Both are then searched by address.
 */

/** Code of a unit or of a function. */
struct pc_range {
	uint64_t low, high;		/* as linked; `high` is behind it */
	size_t unit;
	Dwarf_Off entry;		/* of the function */
};

struct ranges {
	struct pc_range *items;		/* by address, once they are complete */
	size_t count, capacity;
};

/** An entry of a type, namespace or function that is within another one. */
struct scope {
	Dwarf_Off entry, parent;
	const char *name;		/* whole one; NULL: not asked for yet */
};

/** A row of a line program; its code ends where the next one begins. */
struct line_row {
	uint64_t address;		/* as linked */
	uint64_t offset;		/* of its opcode in .debug_line */
	uint32_t file;			/* as dwarf_getsrcfiles counts */
	uint32_t line;			/* 0: none, as at the end of a sequence */
};

/** A unit of split DWARF in the file where its functions are. */
struct split_unit {
	const struct binary *binary;
	struct elf_unpacked made;	/* of the unit alone, for libdw */
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_Off entry;
	struct split_unit *next;
	unsigned version;
	uint8_t word, offset_size;	/* bytes of an address and of an offset */
	uint64_t base, start;		/* of lists of ranges; of the unit in its file */
	/* Its entries; its part of the sections that they lead to. */
	struct reader info, offsets, strings, addresses, lists, locations;
};

/** Sections that tell where variables are; they are unpacked when the first one is asked for. */
struct location_sections {
	bool tried;
	struct elf_unpacked unpacked;
	Elf *elf;
	struct reader info, addresses, loc, loclists;
};

struct unit {
	Dwarf_Off entry;		/* in the file itself */
	/* Where its functions are then; NULL: here, or it is missing */
	struct split_unit *split;
	Dwarf *dwarf;			/* that has its functions */
	uint64_t id;			/* of the unit in another file */
	bool skeleton;			/* its functions are in another file */
	bool read;
	bool one_part;			/* DWARF 2: of what is in several parts it tells of one */
	bool silent;			/* it does not say what code it covers, or not all */
	struct ranges functions;
	struct line_row *rows;		/* by address */
	size_t row_count;
	const char *directory;		/* that paths of files count from; NULL: not said */
	Dwarf_Files *files;		/* NULL: none */
	const char **paths;		/* of files, whole ones; NULL: not asked for yet */
	size_t file_count;
	struct scope *scopes;		/* by entry */
	size_t scope_count, scope_capacity;
};

struct debug_dwarf {
	const struct binary *binary;
	struct elf_unpacked unpacked, unpacked_supplement;
	Elf *elf;
	Dwarf *dwarf;
	Elf *supplement_elf;		/* NULL: the file needs none */
	Dwarf *supplement;
	struct arena arena;
	struct unit *units;
	size_t unit_count, unit_capacity;
	struct code_ranges code;
	struct ranges ranges;		/* of units */
	struct binaries *binaries;	/* where files of split units are; NULL: nowhere */
	size_t module;
	struct split_file *split_files;
	struct split_unit *split_units;	/* all that were found */
	struct location_sections locations;
	bool asked_silent;		/* those of silent ones are among them */
	/* Entries and ranges that are still looked at: no honest file has more than it has bytes,
	 * and in others siblings turn back and lists of ranges are shared. */
	uint64_t budget, kept_budget;
	uint64_t question_budget;	/* of all questions */
	uint64_t line_bytes;		/* of line programs that were read */
	uint64_t path_bytes;		/* that paths of files may still take */
	bool limited;			/* something was left out because it would cost too much */
};

/** Deeper than that scopes don't nest. */
#define DEBUG_DWARF_DEPTH 64

/** A walk through the entries below one, each before what is below it. */
struct debug_tree {
	struct debug_dwarf *dwarf;	/* whose budget pays for what is passed over */
	Dwarf_Die root;			/* below which it began first */
	Dwarf_Die path[DEBUG_DWARF_DEPTH];
	size_t depth;
	/* Entries that were passed over and are not paid yet, and the sum of their offsets. */
	uint64_t passed_count, passed_starts;
};

/** Begin below `parent`, or go below the entry where the walk is. False where nothing is. */
bool
debug_tree_enter(struct debug_tree *tree, Dwarf_Die *parent);

/**
 * Go on to the entry behind that where the walk is; false behind the last one, and where the
 * budget does not suffice for the entries that have to be passed over.
 */
bool
debug_tree_skip(struct debug_tree *tree);

/** Where the walk is. */
Dwarf_Die *
debug_tree_at(struct debug_tree *tree);

/** The ranges of an entry, while they are gone through. */
struct debug_ranges {
	ptrdiff_t at;			/* of dwarf_ranges */
	Dwarf_Addr base;
	bool begun;
	struct reader list;		/* of a split unit; its next entry is at `next` */
	uint64_t next;
};

/** The next range of an entry of `unit`; `ranges` is zero at first. */
bool
debug_dwarf_range(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die,
		  struct debug_ranges *ranges, Dwarf_Addr *low, Dwarf_Addr *high);

/**
 * A string of an entry of `unit`, or of the one that the entry is a copy or the definition of;
 * NULL: neither has it.
 */
const char *
debug_dwarf_string(const struct unit *unit, Dwarf_Die *die, unsigned name);

/** Find the functions of a unit whose skeleton is here. */
void
debug_dwarf_find_split(struct debug_dwarf *dwarf, struct unit *unit, Dwarf_Die *skeleton);

/** Close what was opened of other files. */
void
debug_dwarf_close_split(struct debug_dwarf *dwarf);

/** The first section of a name that has bytes, and these; NULL: there is none. */
Elf_Data *
debug_dwarf_section_data(Elf *elf, const char *name, Elf_Scn **scn);

/**
 * Leave out the last units of a file if libdw would read large tables of abbreviations again for
 * each; before dwarf_begin_elf. False where units are left out.
 */
bool
debug_dwarf_bound(Elf *elf, const struct binary *binary);

/**
 * Whether libdw may make the paths of a unit's files: they are paid for. The lists of directories
 * and files are at `at` of the line program, whose header has offsets of `word` bytes.
 */
bool
debug_dwarf_bound_files(struct debug_dwarf *dwarf, const struct reader *header, uint64_t at,
			unsigned version, unsigned word);

/** The bytes of a section as libelf has them; none where there is no such section. */
struct reader
debug_dwarf_section(Elf *elf, const struct binary *binary, const char *name);

/** The LEB128 number at `*at`, which goes behind it; 0 at the end. */
uint64_t
debug_dwarf_leb(const struct reader *reader, uint64_t *at, bool is_signed);

/** Whether one more entry or range may be looked at. */
bool
debug_dwarf_spend(struct debug_dwarf *dwarf);

/** Give a question a budget of its own, so that it ends; returns the one to go on with then. */
uint64_t
debug_dwarf_begin_question(struct debug_dwarf *dwarf);

void
debug_dwarf_end_question(struct debug_dwarf *dwarf, uint64_t kept);

/** List the units of a file by the code that they cover. */
void
debug_dwarf_read_units(struct debug_dwarf *dwarf);

/** A unit by its number, read. */
struct unit *
debug_dwarf_read_unit(struct debug_dwarf *dwarf, size_t number);

/** The unit whose code covers an address, read; NULL: none. */
struct unit *
debug_dwarf_unit(struct debug_dwarf *dwarf, uint64_t address);

/** The range of a function of `unit` that covers an address and begins last; NULL: none. */
const struct pc_range *
debug_dwarf_function(const struct unit *unit, uint64_t address);

/**
 * What an entry is in, with what is known of it; NULL: in its unit alone, or in another file.
 * `unit` has the entry that led to it.
 */
struct scope *
debug_dwarf_scope(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die);

/** The linkage name, else as it was written, with its scopes; "" where there is none. */
const char *
debug_dwarf_name(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die,
		 bool *written);

/** Whether an entry says where its code is, and the part of it that covers an address. */
bool
debug_dwarf_covers(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die,
		   uint64_t address, struct pc_range *range);

/** An attribute of an entry, or of the one that it is a copy or the definition of; or NULL. */
Dwarf_Attribute *
debug_dwarf_attribute(Dwarf_Die *die, unsigned name, Dwarf_Attribute *attribute);

/** What an attribute says of where something is, at an address as linked. */
struct debug_location
debug_dwarf_locate(const struct debug_home *home, Dwarf_Die *die, enum debug_attribute which,
		   uint64_t address);

/** The number `index` of the table of addresses of a unit, which `die` is in. */
bool
debug_dwarf_address(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die,
		    uint64_t index, uint64_t *address);

/** An address in an attribute, which may be a number in a table. */
bool
debug_dwarf_form_address(const struct unit *unit, Dwarf_Attribute *attribute, Dwarf_Addr *address);

/** The bytes of an attribute that is an expression; false where it has another form. */
bool
debug_dwarf_expression(const struct debug_home *home, Dwarf_Die *die, Dwarf_Attribute *attribute,
		       struct debug_expression *expression);

/** The number of an attribute in DWARF. */
unsigned
debug_dwarf_attribute_number(enum debug_attribute attribute);

/** Close what was opened for locations. */
void
debug_dwarf_close_locations(struct debug_dwarf *dwarf);

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
debug_dwarf_written(const struct debug_home *home, Dwarf_Die *function, struct arena *arena);

/** A name with all base types in it as they are usually written; NULL: out of memory. */
const char *
debug_dwarf_usual_name(const char *name, struct arena *arena);

/** Whether the function of an entry is written in C, or in a language that is not said. */
bool
debug_dwarf_is_c(const struct debug_home *home, Dwarf_Die *die);

/**
 * Find a name, in a function (NULL: in none), then in the unit of `home`, then in all others of the
 * file. Those of the function are types alone.
 */
bool
debug_dwarf_named(const struct debug_home *home, Dwarf_Die *function, enum debug_wanted kind,
		  enum debug_type_kind only, const char *wanted, struct arena *arena,
		  struct debug_named *named);

/** The type that an entry is. */
const struct debug_type *
debug_dwarf_type(const struct debug_home *home, Dwarf_Die *die, struct arena *arena);

const struct debug_type *
debug_dwarf_type_of(const struct debug_home *home, Dwarf_Die *die, struct arena *arena);

/** The type of which an entry inherits, behind its typedefs. */
const struct debug_type *
debug_dwarf_inherited(const struct debug_home *home, Dwarf_Die *die, struct arena *arena);

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

/** The entry of a handle, for libdw. */
static inline Dwarf_Die
debug_dwarf_die(const struct debug_entry *entry)
{
	return (Dwarf_Die){ .addr = entry->address, .cu = entry->unit };
}

/** A handle of an entry. */
static inline struct debug_entry
debug_dwarf_entry(const struct debug_home *home, const Dwarf_Die *die)
{
	return (struct debug_entry){ home, die->addr, die->cu };
}

/** The value of an entry's attribute; 0: it has none. */
uint64_t
debug_dwarf_number(Dwarf_Die *die, unsigned attribute);

#endif
