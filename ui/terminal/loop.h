/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_LOOP_H
#define UI_TERMINAL_LOOP_H

#include <stdbool.h>

#include "base/error.h"
#include "ui/request/script.h"
#include "ui/terminal/term.h"

/**
 * Waiting for keys and for work done elsewhere, and painting once after all of it.
 *
 * loop_start comes first: it makes the pipe that signal handlers and background threads
 * write to. Keys that have queued up are all handled before one repaint. With a script,
 * a step is taken only while nothing is pending, and the loop ends behind the last step; each of
 * the first LOOP_PAINTED_STEPS is painted, the others where something reads the screen.
 */
struct explorer;

/* Steps of a script that paint: more than a session has, in a fraction of a second. */
#define LOOP_PAINTED_STEPS 1000u

struct loop_client {
	struct explorer *explorer;
	/** Any key, first of all; true: it is taken, and goes nowhere else. May be NULL. */
	bool (*takes)(struct explorer *explorer, const struct term_event *event);
	/** A key while the prompt is closed; events that are not typed (resize, mouse), always. */
	void (*key)(struct explorer *explorer, const struct term_event *event);
	/** A command of the script, without its ':'. */
	void (*command)(struct explorer *explorer, const char *text);
	/** Paint the whole screen, which is blank; the loop clears before and flushes behind it. */
	void (*paint)(struct explorer *explorer);
	/** Only place what is to be painted: what keys do depends on it. NULL: it is painted. */
	void (*arrange)(struct explorer *explorer);
	/** Background work has results (loop_wake was called). */
	void (*woken)(struct explorer *explorer);
	/** Do a slice of work, a few milliseconds; returns whether there is more. */
	bool (*work)(struct explorer *explorer);
	/** Whether results are still to come from elsewhere: a script waits for them, and a
	 * terminal shows now and then how far they have come. */
	bool (*pending)(struct explorer *explorer);
	/** Nothing has happened for a second; returns whether to paint. */
	bool (*tick)(struct explorer *explorer);
	/** A step of the script has been done, with all that it began. */
	void (*stepped)(struct explorer *explorer, const struct script_step *step);
	/** Whether to leave. */
	bool (*done)(struct explorer *explorer);
};

struct loop {
	int pipe[2];		/* read end, write end */
	struct script *script;	/* borrowed; NULL: keys come from the terminal */
};

/** Make the pipe. `script` may be NULL. */
enum error_code
loop_start(struct loop *loop, struct script *script, struct error *error);

/** Run until the client is done, the script ends or the terminal vanishes. */
void
loop_run(struct loop *loop, const struct loop_client *client);

/** Do what a line of a script asks for, as far as that is done at once. */
void
loop_take(const struct loop_client *client, const struct script_step *step);

/** Let everything that is under way come to its end. */
void
loop_settle(const struct loop *loop, const struct loop_client *client);

/** Make the loop call `woken`; from any thread or signal handler. */
void
loop_wake(const struct loop *loop);

/** Close the pipe; nothing may wake the loop any more. */
void
loop_stop(struct loop *loop);

#endif
