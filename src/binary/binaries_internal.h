/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_BINARIES_INTERNAL_H
#define BINARY_BINARIES_INTERNAL_H

#include "binary/binary_internal.h"

/**
 * How a file is known to be a module's, and where in a directory one may be.
 */

/** Bytes of a name or an id in a message. */
#define BINARIES_SHOWN 128u

enum binaries_match {
	BINARIES_MATCH_NO,
	BINARIES_MATCH_YES,
	BINARIES_MATCH_UNCHECKED,	/* the dump says nothing of the id */
};

/** Whether a file with an id is the module's; what was wanted and what was found as text. */
enum binaries_match
binaries_match(const struct crash *crash, const struct module *module, enum binary_format format,
	       const char *id, char wanted[BINARIES_SHOWN], char found[BINARIES_SHOWN]);

/** A module's build id, where the dump has the whole of it: lower-case hex, or "". */
const char *
binaries_build_id(const struct crash *crash, const struct module *module);

/** What paths are made of. */
struct binaries_subject {
	const struct module *module;
	const char *build_id;		/* of the file that is looked for, in hex; "": not known */
	const char *link;		/* what another file calls it; NULL: nothing */
};

/** A place in a directory: a row of a table, the surest first. */
struct binaries_layout {
	enum binaries_kind kind;
	bool linked;			/* under the name in a .gnu_debuglink */
	const char *pattern;
};

extern const struct binaries_layout binaries_layouts[];
extern const size_t binaries_layout_count;

/** The path that a pattern makes under a directory, to be freed; NULL where it does not count. */
char *
binaries_path(const struct binaries_subject *subject, const char *directory, const char *pattern);

/** Whether a name from a file is safe as one component of a path. */
bool
binaries_safe_name(const char *name);

#endif
