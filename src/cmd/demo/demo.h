/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_DEMO_DEMO_H
#define CMD_DEMO_DEMO_H

#include <sys/types.h>

#include "cmd/cmd.h"

/**
 * demo-crash: compiles a small program, runs it to its crash, and writes its dump.
 *
 * The room: demo_crash.c is the command, demo_source.c finds sources and their build options,
 * demo_run.c runs programs.
 */

/** Most words of a compiler's command line. */
#define DEMO_WORDS 64u

/**
 * A source with build instructions. A comment in it has the compiler's options and the other files,
 * for all machines or for one:
 *
 *	build: -O1 -fno-omit-frame-pointer
 *	build x86_64: -mno-red-zone help.S
 */
struct demo_source {
	const char *directory;		/* of the files */
	const char *program;		/* the source's name without extension */
	const char *title;		/* its first comment; "": none */
	const char *files[DEMO_WORDS];	/* the source first; base names */
	const char *options[DEMO_WORDS];
	size_t file_count, option_count;
	bool said;			/* it has build instructions... */
	bool here;			/* ...for this machine */
};

/** Read a source. Texts live in `arena`. */
enum error_code
demo_source_read(struct demo_source *source, const char *path, const char *machine,
		 struct arena *arena, struct error *error);

/** How a program ended. */
struct demo_end {
	bool started;			/* false: it could not be started */
	bool traced;			/* false: ptrace is forbidden */
	bool late;			/* stopped, because it took too long */
	int status;			/* exit status; -1: ended by a signal */
	int signal;			/* signal of its crash; 0: none */
};

/** Run a command in a directory for at most `seconds`; NULL ends the words. */
struct demo_end
demo_run(const char *const *words, const char *directory, unsigned seconds);

/**
 * Run a program, without an environment and with limits, until it crashes, and write its core to
 * `core`. Both are paths in `directory`.
 */
struct demo_end
demo_run_to_crash(const char *program, const char *directory, const char *core, unsigned seconds,
		  struct error *error);

#endif
