/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_SPLIT_FILES_H
#define DWARF_SPLIT_FILES_H

#include "dwarf/dwarf_entry.h"
#include "dwarf/grown.h"
#include "locate/binaries.h"

/**
 * Units of split DWARF (DWARF 5, 3.1.2 and 7.3.5): a skeleton in the file has the code and the
 * lines, a .dwo file or a package the entries.
 */
struct split_files {
	struct binaries *binaries;	/* where files are looked for; NULL: nowhere */
	size_t module;
	const struct binary *from;	/* that has the skeletons */
	bool locations;			/* open what dwarf_file_open_more opens, too */
	struct arena arena;
	/* Packages and .dwo files that were opened; only the files' own lock protects the list. */
	struct split_file_known {
		const struct binary *binary;
		struct dwarf_file file;
		bool package;
		struct number_map ids;	/* numbers of its units by their ids; of a package none */
		struct split_file_known *next;
	} *known;
};

/** A unit that was found, with the sections that it has of its file. */
struct split_part {
	struct dwarf_file file;		/* borrows all; its only unit is `unit` */
	struct dwarf_unit unit;
	const struct dwarf_file *whole;	/* the file that it is from; NULL: a package */
};

/**
 * Find the unit of the skeleton whose own entry is `root`; any thread may call. False where it is
 * nowhere, of which the files have a message then.
 */
bool
split_files_find(struct split_files *files, const struct dwarf_context *skeleton,
		 const struct dwarf_entry *root, struct split_part *part);

void
split_files_free(struct split_files *files);

#endif
