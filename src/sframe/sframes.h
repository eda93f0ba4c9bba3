/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SFRAME_SFRAMES_H
#define SFRAME_SFRAMES_H

#include "locate/binaries.h"
#include "sframe/sframe.h"

/**
 * The SFrame sections of a crash's modules, opened when they are needed.
 *
 * A section in the dump's memory comes first, since it is what the process had; else that of the
 * module's own file. Any thread may ask; what was handed out stays.
 */
struct sframes;

/** The SFrame sections of the crash's modules; NULL on NULL and when out of memory. */
struct sframes *
binaries_sframes(const struct binaries *binaries);

/**
 * Give a module a section, before anybody asks for it. Takes over what `*sframe` holds, and
 * empties it.
 */
void
sframes_set(struct sframes *sframes, size_t module, struct sframe *sframe);

/** The section of a loaded module, or NULL where there is none. NULL on NULL. */
const struct sframe *
sframes_load(struct sframes *sframes, size_t module);

/** The section of a loaded module if it was opened already, else NULL. NULL on NULL. */
const struct sframe *
sframes_peek(const struct sframes *sframes, size_t module);

/** Where the section of a module was found ("section .sframe"); NULL: none, or not asked yet. */
const char *
sframes_found(const struct sframes *sframes, size_t module);

/** What was wrong while opening sections. NULL has none. */
const struct message_list *
sframes_messages(const struct sframes *sframes);

#endif
