/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_LOADER_H
#define UI_SESSION_LOADER_H

#include "locate/binaries.h"
#include "locate/symbol_store.h"

/**
 * A reader of symbol files and modules' files in background threads. The explorer meanwhile works
 * with the files read so far. Results are taken from the symbols (symbols_peek).
 */
struct loader;

/**
 * Create a loader for the symbols of `count` modules and their files in `binaries` (NULL: none).
 * Another thread calls `finished` with `context` when a file was read or not found. NULL when out
 * of memory.
 */
struct loader *
loader_create(struct symbols *symbols, struct binaries *binaries, size_t count,
	      void (*finished)(void *context), void *context);

/** Use other files from now on; the old ones may stay in use for a while. */
void
loader_use_binaries(struct loader *loader, struct binaries *binaries);

/**
 * Queue the reading of a module's symbols. `files`: also search for the module's files and survey
 * them (binaries_survey). Does nothing for a job that was queued before.
 */
void
loader_ask(struct loader *loader, size_t module, bool files);

/**
 * Queue a request for a source file at servers (symbols_find_source). False: another one is queued,
 * or the loader is stopped.
 */
bool
loader_ask_source(struct loader *loader, const struct module *module, struct text path);

/** Whether a queued job is not done yet. */
bool
loader_is_busy(struct loader *loader);

/** Wait at most `milliseconds`, fewer than 1000, until all jobs are done. True if they are. */
bool
loader_wait(struct loader *loader, unsigned milliseconds);

/** Stop: unfinished jobs stay pending, and new ones are ignored until loader_resume. */
void
loader_stop(struct loader *loader);

/** Accept jobs again. */
void
loader_resume(struct loader *loader);

/** Free an idle loader. */
void
loader_free(struct loader *loader);

#endif
