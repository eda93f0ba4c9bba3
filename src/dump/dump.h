/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_DUMP_H
#define DUMP_DUMP_H

#include "crash/memory.h"

/**
 * Opens a dump as a crash.
 *
 * Opening fails only for a file that is not a dump. A broken, truncated or wrong stream becomes a
 * message of the crash, and everything else opens.
 */

/**
 * Open dump `index` of the file at `path` ("-": standard input). Dumps count from 1; 0 is the first
 * complete dump. A dump is a minidump, an ELF core, a microdump in a log, or an Apple crash report.
 * It may be compressed (see inflate.h) or part of another file (see wrapper.h). ERROR_NOT_FOUND if
 * the file has fewer dumps. For a file of another kind (PDB, text), `error` names the kind, and its
 * hint gives advice. The crash is freed with crash_free, also after a failure.
 */
enum error_code
dump_open(struct crash *crash, const char *path, size_t index, struct error *error);

/**
 * Whether a plain file looks like one that dump_open can open. Reads only its beginning, which may
 * be compressed.
 */
bool
dump_recognise(const char *path);

/**
 * Repeat reads that opening the crash made, to log them in the view `memory`: registers saved by
 * Windows, and the last errors of threads. Reads that found the modules and mappings of a core are
 * not repeated: a copy of the dump lists both, and does not need that memory.
 */
void
dump_reread(const struct crash *crash, const struct memory_view *memory);

/** Like dump_open(), for bytes that the caller keeps alive. Places have `name` as their file. */
enum error_code
dump_from_memory(struct crash *crash, const char *name, const void *bytes, size_t size,
		 size_t index, struct error *error);

#endif
