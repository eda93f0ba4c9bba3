/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_DEBUGINFOD_H
#define LOCATE_DEBUGINFOD_H

#include "locate/fetch_internal.h"

/**
 * The cache of debuginfod's clients (debuginfod-client-config(7)), which unspool shares with them:
 *
 *	DIRECTORY/ID/executable, DIRECTORY/ID/debuginfo		a file, by its build ID
 *	the same, empty						no server had it at that time
 *	DIRECTORY/cache_miss_s					seconds that this is remembered
 *
 * A process in the sandbox can only read it: the service DOOR_DEBUGINFOD writes.
 */

/** Whether text can be asked for as a build ID: hexadecimal, not all zeros. */
bool
debuginfod_takes(const char *build_id);

/** The path of ID/executable or ID/debuginfo, `kept`, in a cache; false: another name. */
bool
debuginfod_path(char path[FETCH_PATH_SIZE], const char *directory, const char *kept);

enum debuginfod_state {
	DEBUGINFOD_UNKNOWN,
	DEBUGINFOD_KEPT,
	DEBUGINFOD_MISSED,		/* no server had it a short time ago */
};

/** The state of the file ID/NAME, `kept`, in a cache. */
enum debuginfod_state
debuginfod_state(const char *directory, const char *kept);

/** Remove a file whose content is not the wanted one, or (`missed`) note that no server has it. */
void
debuginfod_mark(const char *directory, const char *kept, bool missed);

/** Prefixes of the arguments of DOOR_DEBUGINFOD for debuginfod_mark; all others are downloads. */
#define DEBUGINFOD_FORGET "forget "
#define DEBUGINFOD_MISS "miss "

#endif
