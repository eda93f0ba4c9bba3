/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_DEMO_DEMO_H
#define CMD_DEMO_DEMO_H

#include <sys/types.h>

#include "cmd/cmd.h"

/**
 * demo-crash: compiles a small program, runs it to its crash, and writes its dump.
 *
 * demo_crash.c is the command, demo_run.c runs programs.
 */

/** How a program ended. */
struct demo_end {
	bool started;
	bool traced;			/* false: ptrace is forbidden */
	bool late;			/* stopped, because it took too long */
	int status;			/* exit status; -1: ended by a signal */
	int signal;			/* signal of its crash; 0: none */
};

/** Run a command in a directory for at most `seconds`. The last of `words` is NULL. */
struct demo_end
demo_run(const char *const *words, const char *directory, unsigned seconds);

/**
 * Run a program with limits and without an environment until it crashes, and write its core to
 * `core`. Both are paths in `directory`.
 */
struct demo_end
demo_run_to_crash(const char *program, const char *directory, const char *core, unsigned seconds,
		  struct error *error);

#endif
