/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_H
#define DWARF_DWARF_H

#include "binary/elf_unpacked.h"
#include "dwarf/dwarf_cursor.h"

/**
 * A reader of DWARF that checks every bound (DWARF 2 to 5, the GNU extensions for split DWARF, and
 * dwz).
 *
 *	struct dwarf_file	the sections of one file, unpacked, and the headers of its units
 *	struct dwarf_unit	the place of a unit, and the sizes of its addresses and offsets
 *	struct dwarf_context	a unit in use: its abbreviations and bases (dwarf_entry.h)
 *	struct dwarf_entry	an entry in the order of the file, with selected attributes
 *	struct dwarf_die	an entry found by its offset, with any attribute (dwarf_die.h)
 *	struct dwarf_tree	a traversal of the descendants of an entry
 *	struct dwarf_list	a list of ranges or of locations
 *	struct dwarf_scopes	the namespaces, types and functions around entries
 *	struct dwarf_lines	the line number program of a unit, executed (dwarf_lines.h)
 *	struct dwarf_store	the units of a file in use (dwarf_store.h)
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
	/* Opened only by dwarf_file_open_more: they are large, or only types need them. */
	DWARF_TYPES,
	DWARF_LOC,
	DWARF_LOCLISTS,
	DWARF_SECTIONS
};

/** A unit header (DWARF 5, 7.5.1). */
struct dwarf_unit {
	/* Section offsets of the header, the first entry and the end */
	uint64_t start, entries, end;
	uint64_t abbrevs;		/* offset in .debug_abbrev */
	/* ID of a skeleton or split unit in DWARF 5, or signature of a type unit */
	uint64_t id;
	uint64_t type;			/* offset of the type's entry from `start` */
	uint8_t section;		/* DWARF_INFO or DWARF_TYPES */
	uint8_t version, address_size, offset_size;
	bool partial;			/* a unit without code: a type unit, or damaged */
	bool types;			/* a type unit */
};

struct dwarf_file {
	const struct binary *binary;
	bool big_endian;
	struct elf_bytes sections[DWARF_SECTIONS];
	uint64_t unpacked;		/* bytes of decompressed sections */
	struct dwarf_unit *units;	/* sorted by offset */
	size_t unit_count;
	struct dwarf_unit *types;	/* units of DWARF_TYPES */
	size_t type_count;
	bool more;			/* dwarf_file_open_more was called */
	const struct dwarf_file *supplement;	/* file with the parts that dwz moved; NULL: none */
	struct arena arena;
};

/**
 * Open the DWARF of a file. False if it has none, or when out of memory. `*damage` is set if a
 * section is omitted. `binary` must outlive the result.
 */
bool
dwarf_file_open(struct dwarf_file *file, const struct binary *binary, struct elf_damage *damage);

/**
 * Open the sections that only variables and types need, and list the units of .debug_types; later
 * calls do nothing. No other thread may read meanwhile. `*damage` as for dwarf_file_open().
 */
void
dwarf_file_open_more(struct dwarf_file *file, struct elf_damage *damage);

/** Read the header of a unit of `section`. False at the section's end or if there is no unit. */
bool
dwarf_file_header(const struct dwarf_file *file, enum dwarf_section section, uint64_t at,
		  struct dwarf_unit *unit);

/** Harmless on a zeroed structure. */
void
dwarf_file_close(struct dwarf_file *file);

/** A cursor at `offset` of a section, or at the section's end if `offset` is past it. */
struct dwarf_cursor
dwarf_file_at(const struct dwarf_file *file, enum dwarf_section section, uint64_t offset);

/** The string at an offset of a section, or NULL. */
const char *
dwarf_file_text(const struct dwarf_file *file, enum dwarf_section section, uint64_t offset);

/** The file offset of a byte of a section; if the section is compressed, of its beginning. */
uint64_t
dwarf_file_place(const struct dwarf_file *file, enum dwarf_section section, uint64_t offset);

/** The unit that contains an offset of .debug_info, or NULL. */
const struct dwarf_unit *
dwarf_file_unit(const struct dwarf_file *file, uint64_t offset);

#endif
