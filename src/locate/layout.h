/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_LAYOUT_H
#define LOCATE_LAYOUT_H

#include "locate/locate.h"

/** The paths at which a directory may have a file, made from the rows of a table. */

/** Bytes of a name or an id in a message or in a path. */
#define LOCATE_SHOWN 128u

/** Digits of the GUID in a debug ID; the age follows them. */
#define GUID_DIGITS 32u

/** The names and IDs in paths; texts come from dumps and files. */
struct locate_subject {
	const struct module *module;
	/* layout_plain_path() of the module; NULL: the module's own path */
	const char *path;
	const char *build_id;		/* build ID of the requested file, in hex; "": unknown */
	const char *link;		/* name of the file in another file's link; NULL: none */
	/* Name and debug identifier of the module's PDB; NULL: none */
	const char *pdb, *pdb_id;
	const char *bundle;		/* name of the module's Mach-O file; NULL: none */
	const char *source;		/* absolute path of a source file; NULL: none */
	const char *name, *id;		/* name and ID under which a symbol file is kept */
	const char *code_name, *code_id;	/* further name and ID, if not "" */
};

/** How a row's path is searched. */
enum layout_flag {
	LAYOUT_LINKED = 1,		/* only under the name in a .gnu_debuglink */
	LAYOUT_UNCHECKED = 2,		/* a file is used with any MODULE record */
	LAYOUT_PACKED = 4,		/* with .gz, .zst, .xz or .lz4 appended */
	LAYOUT_FOLDED = 8,		/* with letters in any case, or compressed */
	LAYOUT_LISTED = 16,		/* every file of the directory, by its own ID */
	LAYOUT_QUIET = 32,		/* a missing file is not reported */
	LAYOUT_SYSTEM = 64,		/* also in this machine's own directories */
	LAYOUT_STORE = 128,		/* also in stores of Windows and of downloads */
	LAYOUT_POINTER = 256,		/* a text with the file's path (file.ptr) */
	LAYOUT_CLIENT = 512,		/* also in debuginfod's cache */
};

/** A place in a directory: a row of layout_rows. The most reliable rows come first. */
struct locate_layout {
	enum locate_kind kind;
	enum locate_way way;
	unsigned flags;			/* bits of enum layout_flag */
	const char *pattern;
};

extern const struct locate_layout layout_rows[];
extern const size_t layout_count;

/** The suffixes of compressed files, and NULL at the end. */
extern const char *const layout_suffixes[];

/** NAME/ID/NAME.sym, as a pattern. */
#define LAYOUT_SYMBOLS "%N/%I/%S.sym"

/** Paths in the cache of debuginfod's clients. Servers have the same paths below `buildid/`. */
#define LAYOUT_CLIENT_IMAGE "%h/executable"
#define LAYOUT_CLIENT_DEBUG "%h/debuginfo"
#define LAYOUT_CLIENT_SOURCE "%h/source-%F"

/**
 * The name of a source file in debuginfod's cache after "source-": hash and end of its path,
 * with '#' in place of special characters (elfutils 0.192). "" for "".
 */
const char *
debuginfod_source_name(const char *path, char buffer[LOCATE_SHOWN]);

/**
 * Symbol stores of Windows (Debugging Tools for Windows, SymSrv) have PDBs by name, GUID and age,
 * and programs by name, time stamp and size. A compressed file's name ends with '_'. A file.ptr may
 * say where the file is. A store of two tiers has an index2.txt. Its directories are
 * grouped by the first two characters of their names: ab/abcd.pdb/.
 */
#define LAYOUT_IMAGE "%n/%c/%n"
#define LAYOUT_IMAGE_PACKED "%n/%c/%a"
#define LAYOUT_IMAGE_POINTER "%n/%c/file.ptr"
#define LAYOUT_PDB "%b/%v/%b"
#define LAYOUT_PDB_PACKED "%b/%v/%A"
#define LAYOUT_PDB_POINTER "%b/%v/file.ptr"
#define LAYOUT_IMAGE_TIER "%e/"
#define LAYOUT_PDB_TIER "%E/"

/** The file in the dSYM bundle of a Mach-O file (dsymutil's manual page). */
#define LAYOUT_DSYM ".dSYM/Contents/Resources/DWARF/"

/** The path that a pattern makes under a directory, to be freed; NULL if the row is skipped. */
char *
layout_path(const struct locate_subject *subject, const char *directory, const char *pattern);

/** layout_path() under a URL, with text from the subject escaped. */
char *
layout_url(const struct locate_subject *subject, const char *base, const char *pattern);

/**
 * The path that a file's relative link leads to, without "..", to be freed. NULL if the link is
 * absolute, has a ".." after a name, or leads out of `root`. `root` is a directory that contains
 * the file; NULL allows no "..".
 */
char *
layout_relative_path(const char *file, const char *root, const char *link);

/** Whether a name from a file is safe as one component of a path. */
bool
layout_safe_name(const char *name);

/**
 * The path of a module's file on a disk: "a.so (deleted)" -> "a.so", "/ARCHIVE!NAME" -> "NAME". The
 * result is a part of `path`, a copy in `arena`, or `path` itself (also when out of memory).
 */
const char *
layout_plain_path(const char *path, struct arena *arena);

/** Whether all digits of an id are zeros: the writer of the dump found none. */
bool
layout_is_zero(const char *id);

/** Text from a file, in a buffer of LOCATE_SHOWN bytes, safe to print. */
const char *
locate_shown(char *buffer, const char *text);

#endif
