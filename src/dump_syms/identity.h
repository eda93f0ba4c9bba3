/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_SYMS_IDENTITY_H
#define DUMP_SYMS_IDENTITY_H

#include "binary/binary.h"

/** Bytes of a debug identifier: the digits of a GUID, and an age in eight. */
#define IDENTITY_ID 48u

/** A file's name and identifiers, as read by the programs that write dumps. */
struct module_identity {
	const char *name;		/* DT_SONAME, else the file's base name; borrowed */
	char id[IDENTITY_ID];		/* for MODULE */
	char code_id[2 * 64 + 1];	/* upper-case; PE: time stamp and size of the image */
};

/** Read the name and identifiers of `binary`, which was opened as `path`. */
void
module_identity_read(struct module_identity *identity, const struct binary *binary,
		     const char *path);

#endif
