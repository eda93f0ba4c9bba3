/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FETCH_KEEP_H
#define LOCATE_FETCH_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "locate/fetch.h"
#include "locate/fetch_header.h"
#include "locate/fetch_part.h"

/** What servers gave becomes files of a local store, where it is what was wanted. */

/**
 * The path of a module's file below `directory`, FETCH_PATH_SIZE bytes, and the length of its
 * folder, which is made. With `code` it was asked for by its code file. False: `errno` says why.
 */
bool
fetch_keep_path(char *path, size_t *folder, const char *directory,
		const struct fetch_wanted *wanted, bool code);

/**
 * Undo the compression of what came, and see that it is a whole symbol file with the wanted id.
 * NULL: it is; else why not, in `why` or for ever. `most` bytes may come out.
 */
const char *
fetch_keep_check(struct fetch_part *part, const struct fetch_header *header, const char *id,
		 uint64_t most, char *why, size_t size);

#endif
