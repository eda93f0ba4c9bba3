/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_SANDBOX_H
#define SYSTEM_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/**
 * The rights that this process gives up before it reads an input: Landlock for files, signals and
 * sockets (landlock(7)), seccomp for system calls (seccomp(2)). Threads and processes made later
 * inherit both. Needs no library and no privilege.
 */
struct sandbox_path {
	const char *path;		/* a file, or a directory with all that is beneath it */
	bool writable;			/* files may be made, written and removed there */
};

/** What the kernel offers: the version of Landlock's interface, 0: none that is of use. */
int
sandbox_landlock(void);

/** Whether the kernel filters system calls for this program's architecture. */
bool
sandbox_has_filter(void);

/**
 * From now on open no files but those beneath the paths; one that is not there is left out.
 * Nothing is executed, no process outside is signalled or traced. False, with errno, where the
 * kernel has no Landlock or no descriptors for it; then nothing was given up. To be called while
 * there is one thread.
 */
bool
sandbox_enter_files(const struct sandbox_path *paths, size_t count);

/**
 * From now on make no system calls but those of `sandbox_call.def`: no program and no process is
 * started, nothing is connected, traced, mounted or changed in its rights. `network`: but sockets
 * may be made. False where the kernel has no filters; then nothing was given up.
 */
bool
sandbox_enter_calls(bool network);

#endif
