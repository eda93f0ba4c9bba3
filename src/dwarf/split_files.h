/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_SPLIT_FILES_H
#define DWARF_SPLIT_FILES_H

#include "dwarf/dwarf_entry.h"
#include "dwarf/grown.h"
#include "locate/binaries.h"

/**
 * Units of split DWARF (DWARF 5, 3.1.2 and 7.3.5). The skeleton in the main file has the code and
 * lines. A .dwo file or a package has the entries.
 */
struct split_files {
	struct binaries *binaries;	/* searched for files; NULL: none */
	size_t module;
	const struct binary *from;	/* file with the skeletons */
	bool locations;			/* also open the sections of dwarf_file_open_more */
	struct arena arena;
	/* Packages and .dwo files opened so far; only the files' own lock protects the list. */
	struct split_file_known {
		const struct binary *binary;
		struct dwarf_file file;
		const struct binary_section *index;	/* a package's index; NULL: a .dwo file */
		struct dwarf_abbrevs abbrevs;	/* for the IDs of a package's units */
		struct number_map ids;	/* unit numbers by ID; empty for a package */
		bool used;		/* a unit was found */
		struct split_file_known *next;
	} *known;
};

/** A unit that was found, with its parts of the file's sections. */
struct split_part {
	struct dwarf_file file;		/* borrows everything; its only unit is `unit` */
	struct dwarf_unit unit;
	/* The file of the unit, the first time; later, or for a package, NULL */
	const struct dwarf_file *whole;
};

/**
 * Find the unit of the skeleton with the root entry `root`; any thread may call it. If no file has
 * it, returns false and adds a message to the files.
 */
bool
split_files_find(struct split_files *files, const struct dwarf_context *skeleton,
		 const struct dwarf_entry *root, struct split_part *part);

void
split_files_free(struct split_files *files);

#endif
