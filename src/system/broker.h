/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_BROKER_H
#define SYSTEM_BROKER_H

#include <stdbool.h>
#include <stddef.h>

#include "system/door.h"
#include "system/sandbox.h"

/**
 * The broker: a process without a sandbox, which opens files for the process in the sandbox.
 *
 * It reads only the first bytes of a file and treats every request as hostile; SECURITY.md has its
 * rules. Links in a path are resolved, and the file is checked before it is opened: devices, pipes
 * and files of the kernel are not opened. `places` lists paths with their rights; other files may
 * be read because of their kind. With `asks`, documents of the user may also be read and written.
 * The user is also asked on the terminal, and may allow more paths. Only services run programs, and
 * they build the command lines themselves.
 */

struct broker_rules {
	const struct sandbox_path *places;
	size_t place_count;
	bool asks;			/* ask the user: in a session, where paths are typed */
	const char *directory;		/* the working directory, without links; or NULL */
	const char *temporary, *home;	/* TMPDIR and HOME, without links; or NULL */
	/* Runs a service on the socket to its client, and sends its result there; may be NULL */
	int (*service[DOOR_SERVICE_COUNT])(int socket, const char *argument, const void *context);
	const void *context;
};

/**
 * Answer requests until the other end of the socket is closed. Returns in the broker and in every
 * process that the broker started for a service. The caller must then end the process.
 */
void
broker_serve(int socket, const struct broker_rules *rules);

#endif
