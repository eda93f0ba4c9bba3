/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_SIGNALS_H
#define UI_TERMINAL_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/text.h"

/**
 * Signal handling while the program owns the screen.
 *
 * A fatal signal (a fault, an abort, a request to end) writes the bytes that reset the terminal,
 * restores its modes, and then has its normal effect. The handler calls only async-signal-safe
 * functions; the bytes are made in advance. SIGBUS first calls the previous handler, which repairs
 * a truncated mapped file, and the screen stays.
 *
 * SIGWINCH, SIGTSTP and SIGCONT only set a flag and wake the loop.
 */
struct signals_options {
	int terminal;		/* descriptor of the terminal whose modes are restored */
	struct text restore;	/* bytes that reset the terminal; copied */
	const char *farewell;	/* written to stderr after a fault; copied; or NULL */
	int notify;		/* descriptor that gets a byte for each signal; -1: none */
};

/** Events since the last signals_take. */
enum signals_flag {
	SIGNALS_RESIZE = 1 << 0,
	SIGNALS_STOP = 1 << 1,
	SIGNALS_CONTINUE = 1 << 2,
};

/** Store the terminal's modes and install the handlers. Call it before curses changes the modes. */
void
signals_start(const struct signals_options *options);

/** Restore the previous handlers. */
void
signals_stop(void);

/** Change the bytes that reset the terminal. */
void
signals_restore_with(struct text restore);

/** Tell the handlers whether the program owns the screen, so that it must be restored. */
void
signals_arm(bool armed);

/** Return and clear the flags. */
unsigned
signals_take(void);

/** Stop the process group as the terminal's stop key does; returns when it continues. */
void
signals_stop_here(void);

/** Give job control and the interrupt key to another program, or take them back. */
void
signals_lend(bool lent);

/**
 * Wait for the end of a child; negative: there is none. Returns its exit status, 128 plus the
 * number of the signal that ended it, or -1 if it could not be started.
 */
int
signals_wait(pid_t child);

/** Run a program on the terminal, with standard input if that is a terminal; as signals_wait. */
int
signals_run(const char *const *arguments);

#endif
