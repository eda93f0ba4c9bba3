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
 * The terminal: cells to paint, keys to read. Only this file uses curses.
 *
 * There is one terminal, so these functions have no object. Between term_start and term_stop the
 * program owns the screen; however that ends (term_stop, a fatal signal, a fault), the shell gets
 * back a sane terminal.
 *
 * Columns and rows count from 0 at the top left. Painting outside the screen is clipped. Painting
 * is invisible until term_flush, which the loop calls once per turn.
 */
struct term_options {
	bool headless;	/* no terminal: painting is for term_save, keys come from a script */
	int columns, rows;	/* size of the headless screen */
	enum theme_color color;
	enum theme_name theme;
	bool ascii;		/* ASCII symbols; other text is as the locale allows */
	int notify;		/* descriptor that gets a byte for each signal; -1: none */
	const char *farewell;	/* written to stderr after a fault, after the screen; or NULL */
};

/** A key or another event. */
struct term_event {
	int key;		/* enum term_key or a character */
	int x, y;		/* cell of the mouse */
	int64_t time;		/* ms, set by the reader; 0 in a script */
	char bytes[64];		/* bytes of the key; only while the prompt reads */
	size_t length;
};

/**
 * Take over the screen, and set the character locale from the environment. ERROR_IO: no terminal,
 * or one that cannot move its cursor.
 */
enum error_code
term_start(const struct term_options *options, struct error *error);

/** Release the screen. Harmless if not started. */
void
term_stop(void);

/** The file descriptor to wait on for keys; -1: none. */
int
term_descriptor(void);

/** Columns and rows of the screen. */
void
term_size(int *columns, int *rows);

/** A symbol in a form that the terminal can show. */
const char *
term_glyph(enum theme_glyph glyph);

/** Change the theme. Harmless without a terminal. */
void
term_theme(enum theme_name name);

/** Blank the whole screen. */
void
term_clear(void);

/**
 * Paint text that has passed text_printable, at most `columns` wide; a remaining control byte
 * becomes '?'. Returns the columns painted.
 */
int
term_put(int x, int y, int columns, struct text text, enum role role, enum role over);

/** Paint a row without its first `left` columns. Returns the columns painted. */
int
term_put_row(int x, int y, int columns, const struct row *row, size_t left, enum role over);

/** Paint a symbol `count` times, to the right or downwards. */
void
term_line(int x, int y, int count, bool down, enum theme_glyph glyph);

/** Place the hardware cursor: at the user's current row or input. */
void
term_cursor(int x, int y);

/** Show what was painted. */
void
term_flush(void);

/** Repaint the whole terminal at the next flush. */
void
term_redraw(void);

/**
 * Read the next event without waiting; false: none. With `bytes` the event has the bytes of a whole
 * character or sequence, for readline; a lone Esc is distinguished.
 */
bool
term_read(struct term_event *event, bool bytes);

/** Adapt the screen to its terminal, or without a terminal set this size. */
void
term_resize(int columns, int rows);

/** The text of the last TERM_KEY_PASTE, line breaks as blanks; valid until the next read. */
struct text
term_pasted(void);

/** Use the mouse here, or leave it to the terminal. Returns whether it is used. */
bool
term_mouse(bool on);

/** Stop the program like job control; when it continues, the screen must be painted. */
void
term_suspend(void);

/** Lend the terminal to another program (signals_run), and take it back and repaint. */
void
term_lend(void);

void
term_take_back(void);

/** Send bytes around curses, such as a copy to the clipboard. */
void
term_send(struct text bytes);

/**
 * Write the screen as text, without blanks at the ends of lines. With `attributes`, text with a
 * look is in `{r:...}`: r reverse, b bold, u underlined, d dim, then the colour's number, then `/`
 * and the background's if any; `{`, `}` and `\` in text are escaped by `\`.
 */
void
term_save(FILE *file, bool attributes);

/** The curses library and its version. */
const char *
term_library(void);

#endif
