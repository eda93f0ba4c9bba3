/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_DEMO_DEMO_H
#define CMD_DEMO_DEMO_H

#include <sys/types.h>

#include "cmd/cmd.h"

/**
 * demo-crash: a small program compiled, run to its crash, and its dump written.
 *
 * The room: demo_crash.c is the command, demo_source.c finds sources and how they say that they are
 * built, demo_run.c runs programs.
 */

/** Most words of a compiler's command line. */
#define DEMO_WORDS 64u

/**
 * A source that can be built. A comment in it says how, with the options of the compiler and the
 * other files that it needs, for all machines or for one:
 *
 *	build: -O1 -fno-omit-frame-pointer
 *	build x86_64: -mno-red-zone help.S
 */
struct demo_source {
	const char *directory;		/* with what is named in it */
	const char *program;		/* the name of the source without its ending */
	const char *title;		/* its first comment; "": none */
	const char *files[DEMO_WORDS];	/* the source first; names without directories */
	const char *options[DEMO_WORDS];
	size_t file_count, option_count;
	bool said;			/* it says how it is built, */
	bool here;			/* and that it can be on this machine */
};

/** Read a source. Texts live in `arena`. */
enum error_code
demo_source_read(struct demo_source *source, const char *path, const char *machine,
		 struct arena *arena, struct error *error);

/** How a program ended. */
struct demo_end {
	bool started;			/* false: it could not be run at all */
	bool traced;			/* false: ptrace is forbidden */
	bool late;			/* it took too long and was ended */
	int status;			/* with which it exited; -1: a signal ended it */
	int signal;			/* that it crashed by; 0: none */
};

/** Run words of a command in a directory, for as many seconds; NULL stands behind the words. */
struct demo_end
demo_run(const char *const *words, const char *directory, unsigned seconds);

/**
 * Run a program, without an environment and with limits, until it crashes; then its core is written
 * to `core`. Both are paths below `directory`.
 */
struct demo_end
demo_run_to_crash(const char *program, const char *directory, const char *core, unsigned seconds,
		  struct error *error);

#endif
