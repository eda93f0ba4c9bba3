/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_BROKER_H
#define SYSTEM_BROKER_H

#include <stdbool.h>
#include <stddef.h>

#include "system/door.h"

/**
 * The broker: a process without a sandbox, which opens files for the process in the sandbox.
 *
 * It reads only the first bytes of a file, treats every request as hostile, and has these rules:
 *
 *  - Files beneath a given path may be read.
 *  - At other places a plain file may be read if it begins as a program, symbol file, dump or
 *    compressed file, has the name of a source file, or is in the directory of a given file. A
 *    user's document may also be read: a plain file without a hidden part in its path, in the
 *    working directory and, with `asks`, anywhere except the system's directories. A directory may
 *    be listed. No file below /proc, /sys or /dev is opened.
 *  - A file is written, and a directory made, at and beneath a path of `outputs`; with `asks` also
 *    as a user's document. An existing file is replaced only in the working directory, in the
 *    directory of temporary files, or if this broker made it. Files that it writes are not
 *    executable.
 *  - Files that this broker made may be removed again, a directory if it is empty.
 *  - Programs are run by the services alone, which build their command lines themselves.
 */
struct broker_rules {
	const char *const *given;	/* absolute paths without links */
	size_t given_count;
	const char *const *outputs;	/* paths that may be written */
	size_t output_count;
	bool asks;			/* a session, in which paths are typed */
	const char *directory;		/* the working directory; absolute, without links */
	const char *temporary;	/* TMPDIR; the same; or NULL */
	/* Run a service on the socket to its client; its result is sent there. Or NULL. */
	int (*service[DOOR_SERVICE_COUNT])(int socket, const char *argument, const void *context);
	const void *context;
};

/**
 * Answer requests until the other end of the socket is closed. Returns in the broker, and in every
 * process that it started for a service: the caller ends the process.
 */
void
broker_serve(int socket, const struct broker_rules *rules);

#endif
