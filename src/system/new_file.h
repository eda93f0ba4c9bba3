/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_NEW_FILE_H
#define SYSTEM_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/output.h"

/**
 * A file that the user asked for, while it is written.
 *
 * It never goes through a link and never into a file that is there. A plain file is replaced only on
 * demand and as a whole: what is open of the old one, such as a mapped dump, keeps its bytes.
 */
struct new_file {
	FILE *stream;
	const char *path;	/* borrowed */
	bool exists;		/* not opened because something has this name already */
	char draft[4096];	/* what is written now: `path`, or a file beside it that replaces it */
};

/**
 * Create the file `path`. With `replace` a plain file of this name is overwritten by new_file_close;
 * links and devices are refused.
 */
enum error_code
new_file_open(struct new_file *file, const char *path, bool replace, struct error *error);

/** What is written goes to the file; new_file_close says whether it did. */
struct output
new_file_output(const struct new_file *file);

/** Close the file; without `keep`, or where it is incomplete, it is removed again. */
enum error_code
new_file_close(struct new_file *file, bool keep, struct error *error);

#endif
