/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_TERM_H
#define UI_TERMINAL_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "document/row.h"
#include "ui/terminal/key.h"
#include "ui/terminal/theme.h"

/**
 * The terminal: cells to paint, keys to read. The only file that uses curses.
 *
 * There is one terminal, so these functions have no object. Between term_start
 * and term_stop the program owns the screen; whatever ends it (term_stop, a fatal
 * signal, a fault), the shell gets back a sane terminal.
 *
 * Columns and rows count from 0 at the top left. Painting outside the screen is
 * clipped, never an error. Nothing is seen before term_flush, called once a loop.
 */
struct term_options {
	bool headless;		/* no terminal: paint for term_save, keys come from a script */
	int columns, rows;	/* of the headless screen */
	enum theme_color color;
	enum theme_name theme;
	bool ascii;		/* glyphs of ASCII; text is what the locale can show all the same */
	int notify;		/* a pipe's end that gets a byte a signal; -1: none does */
	const char *farewell;	/* written to stderr after a fault, behind the screen; or NULL */
};

/** A key, or something else that happened. */
struct term_event {
	int key;		/* enum term_key or a character */
	int x, y;		/* of the mouse */
	int64_t time;		/* ms, set by the reader; 0 in a script */
	char bytes[64];		/* what the key sent; only while the prompt reads */
	size_t length;
};

/**
 * Take the screen. Sets the locale of characters from the environment. ERROR_IO where there is
 * no terminal, or none that can move its cursor.
 */
enum error_code
term_start(const struct term_options *options, struct error *error);

/** Give the screen back. Harmless where it is not taken. */
void
term_stop(void);

/** The file descriptor to wait on for keys; -1 where there is none. */
int
term_descriptor(void);

/** Columns and rows of the screen. */
void
term_size(int *columns, int *rows);

/** A glyph as this terminal can show it. */
const char *
term_glyph(enum theme_glyph glyph);

/** Paint with another theme from now on. Harmless where there is no terminal. */
void
term_theme(enum theme_name name);

/** Blank the whole screen. */
void
term_clear(void);

/**
 * Paint text that has passed text_printable, at most `columns` wide; a control byte
 * that is in it all the same becomes '?'. Returns the columns painted.
 */
int
term_put(int x, int y, int columns, struct text text, enum role role, enum role over);

/** Paint a whole row, without its first `left` columns. Returns the columns painted. */
int
term_put_row(int x, int y, int columns, const struct row *row, size_t left, enum role over);

/** Paint a glyph `count` times to the right, or downwards. */
void
term_line(int x, int y, int count, bool down, enum theme_glyph glyph);

/** Where the hardware cursor shall stand: the thing that the user is at. */
void
term_cursor(int x, int y);

/** Show what was painted. */
void
term_flush(void);

/** Forget what the terminal shows and paint it all again at the next flush. */
void
term_redraw(void);

/**
 * The next event, without waiting; false where there is none. With `bytes` set keys come as what
 * the terminal sent, a whole character or sequence at a time, for readline; a lone Esc is told
 * apart.
 */
bool
term_read(struct term_event *event, bool bytes);

/** Fit the screen to its terminal; without a terminal give it this size. */
void
term_resize(int columns, int rows);

/** The text of the last TERM_KEY_PASTE, with line breaks as blanks; good until the next read. */
struct text
term_pasted(void);

/** Let the mouse click and scroll here, or leave it to the terminal. Returns what it is now. */
bool
term_mouse(bool on);

/** Stop the program as job control does, and come back with the screen to be painted. */
void
term_suspend(void);

/**
 * Let another program have the terminal (signals_run), and take it back with the screen painted.
 */
void
term_lend(void);

void
term_take_back(void);

/** Send bytes that are no painting (a copy to the clipboard) past curses. */
void
term_send(struct text bytes);

/**
 * Write the screen as text, blanks at the ends of lines left out. With `attributes`, what is not
 * plain stands in `{r:...}`: r reverse, b bold, u underlined, d dim, then the colour's number, then
 * `/` and the background's where the theme has one; `{`, `}` and `\` of the text have a `\` before
 * them.
 */
void
term_save(FILE *file, bool attributes);

/** The curses library and its version. */
const char *
term_library(void);

#endif
