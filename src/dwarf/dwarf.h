/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_H
#define DWARF_DWARF_H

#include "binary/elf_unpacked.h"
#include "dwarf/dwarf_cursor.h"

/**
 * DWARF, read with every bound checked (DWARF 2 to 5, the GNU extensions for split DWARF, and dwz).
 *
 *	struct dwarf_file	the sections of one file, unpacked, and the headers of its units
 *	struct dwarf_unit	where a unit is, and the sizes of its addresses and offsets
 *	struct dwarf_context	a unit that is read: its abbreviations and bases (dwarf_entry.h)
 *	struct dwarf_entry	an entry in the order of the file, with what is kept of it
 *	struct dwarf_die	an entry asked for by its offset, with any attribute (dwarf_die.h)
 *	struct dwarf_tree	a walk through the entries below one
 *	struct dwarf_list	a list of ranges or of locations (dwarf_list.h)
 *	struct dwarf_scopes	the namespaces, types and functions around entries (dwarf_scopes.h)
 *	struct dwarf_lines	the line number program of a unit, run (dwarf_lines.h)
 *	struct dwarf_store	units of a file that are kept for questions (dwarf_store.h)
 *	struct split_files	files with the entries of split units (split_files.h)
 *
 * An open file does not change, so any thread may read it. A store is for one thread at a time.
 */
enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_STR,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	/* What dwarf_file_open_more adds: large, or of types alone. */
	DWARF_TYPES,
	DWARF_LOC,
	DWARF_LOCLISTS,
	DWARF_SECTIONS
};

/** A unit as its header says (DWARF 5, 7.5.1). */
struct dwarf_unit {
	uint64_t start, entries, end;	/* offsets in its section; entries: the first one */
	uint64_t abbrevs;		/* offset in .debug_abbrev */
	/* Skeletons and split units of DWARF 5 have it; the signature of a unit for one type. */
	uint64_t id;
	uint64_t type;			/* where the entry of that type is, from `start` on */
	uint8_t section;		/* DWARF_INFO or DWARF_TYPES */
	uint8_t version, address_size, offset_size;
	bool partial;			/* no code: a unit for one type, or damaged */
	bool types;			/* a unit for one type */
};

struct dwarf_file {
	const struct binary *binary;
	bool big_endian;
	struct elf_bytes sections[DWARF_SECTIONS];
	struct dwarf_unit *units;	/* by offset */
	size_t unit_count, unit_capacity;
	struct dwarf_unit *types;	/* the units of DWARF_TYPES */
	size_t type_count, type_capacity;
	bool more;			/* dwarf_file_open_more was called */
	const struct dwarf_file *supplement;	/* what dwz moved out of it; NULL: nothing */
	struct arena arena;
};

/**
 * Open the DWARF of a file; false where it has none or out of memory. `*damage` is set where a
 * section is left out. `binary` outlives it.
 */
bool
dwarf_file_open(struct dwarf_file *file, const struct binary *binary, struct elf_damage *damage);

/**
 * Open the sections that only variables and types need, and list the units of .debug_types; once.
 * No other thread may read meanwhile. `*damage` as for dwarf_file_open().
 */
void
dwarf_file_open_more(struct dwarf_file *file, struct elf_damage *damage);

/**
 * Read the header of a unit of `section`; false where the section ends or what follows is no unit.
 */
bool
dwarf_file_header(const struct dwarf_file *file, enum dwarf_section section, uint64_t at,
		  struct dwarf_unit *unit);

/** Harmless where all is zero. */
void
dwarf_file_close(struct dwarf_file *file);

/** A cursor over a section from `offset` on; at its end where that is behind it. */
struct dwarf_cursor
dwarf_file_at(const struct dwarf_file *file, enum dwarf_section section, uint64_t offset);

/** The string at an offset of a section, or NULL. */
const char *
dwarf_file_text(const struct dwarf_file *file, enum dwarf_section section, uint64_t offset);

/**
 * Where an offset of a section is in the file itself: of a compressed section, where that begins.
 */
uint64_t
dwarf_file_place(const struct dwarf_file *file, enum dwarf_section section, uint64_t offset);

/** The unit that holds an offset of .debug_info, or NULL. */
const struct dwarf_unit *
dwarf_file_unit(const struct dwarf_file *file, uint64_t offset);

#endif
