/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_BROKER_H
#define SYSTEM_BROKER_H

#include <stdbool.h>
#include <stddef.h>

#include "system/door.h"

/**
 * The broker: a process beside the one in the sandbox, which opens for it what it asks for later.
 *
 * It never looks at more of a file than its first bytes, takes every request for hostile, and has
 * these rules:
 *
 *  - What is beneath a path that was given may be read.
 *  - Elsewhere a plain file may be read that begins as programs, symbol files, dumps or compressed
 *    files do, that has the name of a source file, or that is directly beside a file that was
 *    given;
 *    and a user's document: a plain file without a hidden part in its path, in the working
 *    directory,
 *    and with `asks` elsewhere, but not in the system's directories. A directory may be listed.
 *    Nothing below /proc, /sys or /dev is opened.
 *  - A file is written, and a directory made, at and beneath a path of `outputs`; with `asks`
 *  also as a
 *    user's document. There a file that is there is replaced only in the working directory, in
 *    that of
 *    temporary files, and if this broker made it. What it writes cannot be executed.
 *  - What this broker made is removed again, a directory if it is empty.
 *  - Programs are run by the services alone, which build their command lines themselves.
 */
struct broker_rules {
	const char *const *given;	/* absolute paths without links */
	size_t given_count;
	const char *const *outputs;	/* those that are to be written */
	size_t output_count;
	bool asks;			/* a session, in which paths are typed */
	const char *directory;		/* where it works; absolute, without links */
	const char *temporary;	/* TMPDIR; the same; or NULL */
	/* Run a service on the socket to its client; what it returns is sent there. Or NULL. */
	int (*service[DOOR_SERVICE_COUNT])(int socket, const char *argument, const void *context);
	const void *context;
};

/**
 * Answer requests until the other end of the socket is closed. Returns in the broker, and in every
 * process that it made for a service: the caller ends the process.
 */
void
broker_serve(int socket, const struct broker_rules *rules);

#endif
