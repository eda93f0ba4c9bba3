/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_SIGNALS_H
#define UI_TERMINAL_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/**
 * What signals do while the screen is ours.
 *
 * A fatal one (a fault, an abort, a request to end) writes the bytes that make the
 * terminal sane, sets back its modes and goes on to whatever would have happened
 * without us. The handler calls only what is async-signal-safe; the bytes are
 * made beforehand. SIGBUS first asks the handler that was there before: a file that was
 * truncated while it is mapped is repaired by it, and the screen stays.
 *
 * SIGWINCH, SIGTSTP and SIGCONT only set a flag and wake the loop.
 */
struct signals_options {
	int terminal;		/* descriptor whose modes are set back */
	struct text restore;	/* what the terminal must be sent; copied */
	const char *farewell;	/* written to stderr after a fault; copied; or NULL */
	int notify;		/* gets one byte a signal; -1: nothing does */
};

/** What has happened since the last signals_take. */
enum signals_flag {
	SIGNALS_RESIZE = 1 << 0,
	SIGNALS_STOP = 1 << 1,
	SIGNALS_CONTINUE = 1 << 2,
};

/** Remember the terminal's modes and take the signals. Call it before curses changes the modes. */
void
signals_start(const struct signals_options *options);

/** Give the signals back. */
void
signals_stop(void);

/** Change the bytes that the terminal must be sent. */
void
signals_restore_with(struct text restore);

/** Say whether the screen is ours now: only then there is something to restore. */
void
signals_arm(bool armed);

/** The flags that were set, which are cleared. */
unsigned
signals_take(void);

/** Stop the process group as the terminal's own stop key would; returns when it goes on. */
void
signals_stop_here(void);

/** Let another program have job control and the interrupt key, or take them back. */
void
signals_lend(bool lent);

/**
 * Run a program that has the terminal, standard input where that is one, and wait for it. Its
 * exit status, 128 plus the number of the signal that ended it, or -1 if it could not be started.
 */
int
signals_run(const char *const *arguments);

#endif
