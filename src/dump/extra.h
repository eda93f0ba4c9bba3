/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_EXTRA_H
#define DUMP_EXTRA_H

#include "crash/crash.h"

/**
 * The `.extra` file that Mozilla's crash reporter writes beside a dump.
 *
 * It holds annotations: an object of strings in JSON, or in older versions a line KEY=value for
 * each with \n, \t and \\ as escapes. (Firefox: toolkit/crashreporter.)
 */

/**
 * Add the annotations of the file beside the dump at `path`, NAME.extra for NAME.dmp, with
 * "extra" as their source. Nothing happens where there is none; what is wrong with one is a
 * message of the crash.
 */
void
extra_read(struct crash *crash, const char *path);

/** extra_read from bytes; `name` stands in places. */
void
extra_from_memory(struct crash *crash, const char *name, const void *bytes, size_t size);

#endif
