/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_LAYOUT_H
#define LOCATE_LAYOUT_H

#include "locate/locate.h"

/** Where in a directory a file may be: rows of a table, made into paths. */

/** Bytes of a name or an id in a message or in a path. */
#define LOCATE_SHOWN 128u

/** Digits of the GUID in a debug id; behind them stands the age. */
#define GUID_DIGITS 32u

/** What paths are made of; texts come from dumps and files. */
struct locate_subject {
	const struct module *module;
	const char *build_id;		/* of the file that is looked for, in hex; "": not known */
	const char *link;		/* what another file calls it; NULL: nothing */
	/* Name and debug identifier of its PDB; NULL: it has none */
	const char *pdb, *pdb_id;
	const char *name, *id;		/* that a symbol file is kept under */
	const char *code_name, *code_id;	/* or these, where it is not "" */
};

/** How a row's path is looked at. */
enum layout_flag {
	LAYOUT_LINKED = 1,		/* only under the name in a .gnu_debuglink */
	LAYOUT_UNCHECKED = 2,		/* it counts whatever its MODULE record says */
	LAYOUT_PACKED = 4,		/* with .gz, .zst, .xz or .lz4 behind it */
	LAYOUT_FOLDED = 8,		/* with letters in any case, or compressed */
	LAYOUT_LISTED = 16,		/* every file of the directory, by what it says of itself */
	LAYOUT_QUIET = 32,		/* it is no news that nothing stands there */
	LAYOUT_SYSTEM = 64,		/* systems keep files there, too */
	LAYOUT_STORE = 128,		/* stores of Windows and downloads keep files there */
	LAYOUT_POINTER = 256,		/* a text that says where the file is (file.ptr) */
	LAYOUT_CLIENT = 512,		/* clients of debuginfod keep files there */
};

/** A place in a directory, the surest first. */
struct locate_layout {
	enum locate_kind kind;
	enum locate_way way;
	unsigned flags;			/* enum layout_flag */
	const char *pattern;
};

extern const struct locate_layout layout_rows[];
extern const size_t layout_count;

/** The suffixes of compressed files; NULL behind the last one. */
extern const char *const layout_suffixes[];

/** NAME/ID/NAME.sym, as a pattern. */
#define LAYOUT_SYMBOLS "%N/%I/%S.sym"

/** The cache of debuginfod's clients; its servers have the same below `buildid/`. */
#define LAYOUT_CLIENT_IMAGE "%h/executable"
#define LAYOUT_CLIENT_DEBUG "%h/debuginfo"

/**
 * Symbol stores of Windows (Debugging Tools for Windows, SymSrv): PDBs by name, GUID and age,
 * programs by name, time stamp and size; the last letter of a compressed file's name is '_', and a
 * file.ptr may say where the file is. In a store of two tiers, which has an index2.txt, they
 * stand in directories of the first two characters of their names.
 */
#define LAYOUT_IMAGE "%n/%c/%n"
#define LAYOUT_IMAGE_PACKED "%n/%c/%a"
#define LAYOUT_IMAGE_POINTER "%n/%c/file.ptr"
#define LAYOUT_PDB "%b/%v/%b"
#define LAYOUT_PDB_PACKED "%b/%v/%A"
#define LAYOUT_PDB_POINTER "%b/%v/file.ptr"
#define LAYOUT_IMAGE_TIER "%e/"
#define LAYOUT_PDB_TIER "%E/"

/** The path that a pattern makes under a directory, to be freed; NULL where it does not count. */
char *
layout_path(const struct locate_subject *subject, const char *directory, const char *pattern);

/** layout_path() under a URL, where what comes from the subject is escaped. */
char *
layout_url(const struct locate_subject *subject, const char *base, const char *pattern);

/**
 * The path that a relative link of a file makes, without "..", to be freed. NULL where the link is
 * absolute, goes down before it goes up, or leads out of `root`, a directory that the file is below
 * (NULL: then it may not go up at all).
 */
char *
layout_relative_path(const char *file, const char *root, const char *link);

/** Whether a name from a file is safe as one component of a path. */
bool
layout_safe_name(const char *name);

/** Whether all digits of an id are zeros: the writer of the dump found none. */
bool
layout_is_zero(const char *id);

/** Text from a file, in a buffer of LOCATE_SHOWN bytes, safe to print. */
const char *
locate_shown(char *buffer, const char *text);

#endif
