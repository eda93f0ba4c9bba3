/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_LOOP_H
#define UI_TERMINAL_LOOP_H

#include <stdbool.h>

#include "base/error.h"
#include "ui/request/script.h"
#include "ui/terminal/term.h"

/**
 * The event loop waits for keys and background work, and paints once after all of them.
 *
 * loop_start comes first: it makes the pipe for signal handlers and background threads. All queued
 * keys are handled before one repaint. A script runs its next step only while nothing is pending,
 * and the loop ends after the last step. The first LOOP_PAINTED_STEPS are painted. Later steps are
 * painted only if something reads the screen.
 */
struct explorer;

/* Limit on painted steps: more than a session has, and painted in less than a second. */
#define LOOP_PAINTED_STEPS 1000u

struct loop_client {
	struct explorer *explorer;
	/** Receives every event first. True: the event was handled. May be NULL. */
	bool (*takes)(struct explorer *explorer, const struct term_event *event);
	/**
	 * Receives keys while the prompt is closed, and events that are not typed (resize, mouse)
	 * at any time.
	 */
	void (*key)(struct explorer *explorer, const struct term_event *event);
	/** A command of the script, without its ':'. */
	void (*command)(struct explorer *explorer, const char *text);
	/** Paint the whole screen; the loop clears it before and flushes it after. */
	void (*paint)(struct explorer *explorer);
	/** Compute the layout without painting, because keys depend on it. NULL: paint instead. */
	void (*arrange)(struct explorer *explorer);
	/** Background work has results (loop_wake was called). */
	void (*woken)(struct explorer *explorer);
	/** Work for a few milliseconds. True if there is more. */
	bool (*work)(struct explorer *explorer);
	/**
	 * Whether other threads still work. A script waits for them. On a terminal their progress
	 * is painted at intervals.
	 */
	bool (*pending)(struct explorer *explorer);
	/** Nothing has happened for a second. True: paint. */
	bool (*tick)(struct explorer *explorer);
	/** A step of the script is done, with all its work. */
	void (*stepped)(struct explorer *explorer, const struct script_step *step);
	const bool *quit;		/* true: leave the loop */
};

struct loop {
	int pipe[2];
	struct script *script;	/* borrowed; NULL: keys come from the terminal */
};

/** Make the pipe. `script` may be NULL. */
enum error_code
loop_start(struct loop *loop, struct script *script, struct error *error);

/** Run until the client is done, the script ends or the terminal vanishes. */
void
loop_run(struct loop *loop, const struct loop_client *client);

/** Run a step of a script, but do not wait for the background work that it starts. */
void
loop_take(const struct loop_client *client, const struct script_step *step);

/** Wait until all work is done. */
void
loop_settle(const struct loop *loop, const struct loop_client *client);

/** Make the loop `context` call `woken`; may be called from any thread or signal handler. */
void
loop_wake(void *context);

/** Close the pipe, after the last loop_wake. */
void
loop_stop(struct loop *loop);

#endif
