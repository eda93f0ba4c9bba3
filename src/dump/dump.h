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
 * Open the dump at `path` ("-": standard input): a minidump, or a log with a microdump of
 * Breakpad in it, compressed with gzip, zstd or xz or not. A file of another kind (ELF core,
 * PDB, Apple report, archive, text) is named in `error`, with what to do in its hint. The
 * crash is freed with crash_free, also after a failure.
 */
enum error_code
dump_open(struct crash *crash, const char *path, struct error *error);

/**
 * Open dump `index` of a file that may hold several, from 1 on; 0: the first that is whole.
 * ERROR_NOT_FOUND where there are fewer.
 */
enum error_code
dump_open_nth(struct crash *crash, const char *path, size_t index, struct error *error);

/**
 * Whether a plain file begins like something that dump_open would open, decompressed if need
 * be. Looks at its beginning only.
 */
bool
dump_recognise(const char *path);

/** dump_open from bytes that the caller keeps alive, named `name` in places. */
enum error_code
dump_from_memory(struct crash *crash, const char *name, const void *bytes, size_t size,
		 struct error *error);

/** dump_open_nth from bytes that the caller keeps alive. */
enum error_code
dump_nth_from_memory(struct crash *crash, const char *name, const void *bytes, size_t size,
		     size_t index, struct error *error);

#endif
