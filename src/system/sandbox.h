/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_SANDBOX_H
#define SYSTEM_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/**
 * The rights that this process gives up before it reads an input. Landlock restricts files, signals
 * and sockets (landlock(7)); seccomp restricts system calls (seccomp(2)). Threads and processes
 * made later inherit both. The sandbox needs no library and no privilege.
 */
enum sandbox_right {
	SANDBOX_READ,			/* a file, or a directory with everything beneath it */
	SANDBOX_OWN,			/* files there may also be made, written and removed */
	/* Read like SANDBOX_READ; written by the broker (system/broker.h) */
	SANDBOX_OUTPUT,
	SANDBOX_NEXT,			/* read by the broker: files directly in "DIRECTORY/" */
};

struct sandbox_path {
	const char *path;		/* absolute and without links if it is for the broker */
	enum sandbox_right right;
};

/**
 * The only active part of the sandbox if the kernel lacks a part: "none", "landlock" or "seccomp".
 * NULL: it is complete or switched off.
 */
const char *
sandbox_part(void);

/** The version of the kernel's Landlock interface; 0: none, or too old. */
int
sandbox_landlock(void);

/** Whether the kernel filters system calls for this program's architecture. */
bool
sandbox_has_filter(void);

/**
 * Limit this process to files beneath the paths (a missing path is left out) and to the system
 * calls of `sandbox_call.def`. It can no longer execute or mount anything, start, signal or trace
 * other processes, or change rights. `network`: it can make and connect sockets. A part that the
 * kernel lacks is left out. False, with errno, if descriptors or memory are missing. Call it while
 * there is only one thread.
 */
bool
sandbox_enter(const struct sandbox_path *paths, size_t count, bool network);

#endif
