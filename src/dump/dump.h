/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_DUMP_H
#define DUMP_DUMP_H

#include "crash/memory.h"

/**
 * Bytes of a dump to a crash.
 *
 * Only a file that is no dump at all fails. A stream that is broken, truncated or
 * lies becomes a message of the crash, and everything else opens.
 */

/**
 * Open dump `index` of the file at `path` ("-": standard input), from 1 on; 0: the first that is
 * whole. The file is a minidump, an ELF core, or a log with microdumps of Breakpad in it,
 * compressed (see inflate.h) or not. ERROR_NOT_FOUND where it has fewer dumps. A file of another
 * kind (PDB, Apple report, archive, text) is named in `error`, with what to do in its hint. The
 * crash is freed with crash_free, also after a failure.
 */
enum error_code
dump_open(struct crash *crash, const char *path, size_t index, struct error *error);

/**
 * Whether a plain file begins like something that dump_open would open, decompressed if need
 * be. Looks at its beginning only.
 */
bool
dump_recognise(const char *path);

/**
 * Read the process's memory that opening the crash read again through a view, for its log:
 * registers that Windows put aside, the last errors of threads. Modules and mappings, which a core
 * has in memory as well, are part of the crash.
 */
void
dump_reread(const struct crash *crash, const struct memory_view *memory);

/** dump_open from bytes that the caller keeps alive, named `name` in places. */
enum error_code
dump_from_memory(struct crash *crash, const char *name, const void *bytes, size_t size,
		 size_t index, struct error *error);

#endif
