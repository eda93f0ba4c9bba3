/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_LOADER_H
#define UI_SESSION_LOADER_H

#include "locate/binaries.h"
#include "locate/symbol_store.h"

/**
 * Symbol files and modules' own files that are read in the background, several at once, while the
 * explorer goes on with what is there. What has been read is taken from the symbols (symbols_peek).
 */
struct loader;

/**
 * A loader for the symbols of `count` modules and their own files in `binaries` (NULL: none).
 * `finished` is called with `context`, by another
 * thread, whenever a file has been read or was not found. NULL when out of memory.
 */
struct loader *
loader_create(struct symbols *symbols, struct binaries *binaries, size_t count,
	      void (*finished)(void *context), void *context);

/** Look into other files than before; the old ones may be in use for a while still. */
void
loader_use_binaries(struct loader *loader, struct binaries *binaries);

/**
 * Ask for a module's symbols, with `files` also where its own files are and what they have
 * (binaries_survey); nothing happens where that was done before.
 */
void
loader_ask(struct loader *loader, size_t module, bool files);

/** Whether something that was asked for is not there yet. */
bool
loader_is_busy(struct loader *loader);

/** Wait until nothing is under way, at most `milliseconds`; says whether that is so. */
bool
loader_wait(struct loader *loader, unsigned milliseconds);

/** Stop: what is being read stays pending, and nothing is asked for until loader_resume. */
void
loader_stop(struct loader *loader);

/** Read again what is asked for from now on. */
void
loader_resume(struct loader *loader);

/** Free a loader with nothing under way. */
void
loader_free(struct loader *loader);

#endif
