/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_DUMP_H
#define DUMP_DUMP_H

#include "crash/crash.h"

/**
 * Bytes of a dump to a crash.
 *
 * Only a file that is no dump at all fails. A stream that is broken, truncated or
 * lies becomes a message of the crash, and everything else opens.
 */

/**
 * Open the dump at `path` ("-": standard input). A file of another kind (ELF core,
 * PDB, Apple report, compressed file, text) is named in `error`, with what to do in
 * its hint. The crash is freed with crash_free, also after a failure.
 */
enum error_code
dump_open(struct crash *crash, const char *path, struct error *error);

/** The same from bytes that the caller keeps alive, named `name` in places. */
enum error_code
dump_from_memory(struct crash *crash, const char *name, const void *bytes, size_t size,
		 struct error *error);

#endif
