/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FETCH_PART_H
#define LOCATE_FETCH_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "locate/fetch_url.h"

/** Bytes of what names a version of a file. */
#define FETCH_VALIDATOR_SIZE 256u

/**
 * A file on its way: what came of it so far, in a file that nobody takes for the whole, in the
 * directory where the whole will be. Beside it stands which version of what the bytes are, so that
 * another run goes on with it, but never with another version. One process at a time has it; a
 * second one has a file of its own that is gone when it ends.
 */
struct fetch_part {
	char path[FETCH_PATH_SIZE];
	char about[FETCH_PATH_SIZE];	/* what says which version it is; empty: it is not kept */
	FILE *file;			/* NULL: it could not be opened */
	uint64_t bytes;			/* that are there */
	uint64_t total;			/* of the whole; 0: the server did not say */
	/* What If-Range takes (RFC 9110, 13.1.5): empty where nothing can be added to the bytes. */
	char validator[FETCH_VALIDATOR_SIZE];
};

/**
 * Go on with what is in the directory for a URL, or begin. False: it can't be written to. Of this and
 * all that follows `errno` says why.
 */
bool
fetch_part_open(struct fetch_part *part, const char *directory, const char *url);

/** Another version comes: what is there is thrown away. False: it can't be written. */
bool
fetch_part_begin(struct fetch_part *part, const char *validator, uint64_t total);

/** False: it can't be written. */
bool
fetch_part_add(struct fetch_part *part, const void *bytes, size_t length);

/** Nothing is added any more: what is there may be changed, and is not gone on with. */
bool
fetch_part_end(struct fetch_part *part);

/** Give the file its name; part is closed then. False: it can't, and the bytes are gone. */
bool
fetch_part_finish(struct fetch_part *part, const char *path);

/** Close it; with `keep` what is there stays for another time, if it can be gone on with. */
void
fetch_part_close(struct fetch_part *part, bool keep);

#endif
