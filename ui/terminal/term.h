/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_TERM_H
#define UI_TERMINAL_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"
#include "document/row.h"
#include "ui/terminal/key.h"

/** Tables that map roles to looks and symbols to characters. */
enum theme_level {
	THEME_MONO,	/* attributes only */
	THEME_8,	/* the 8 colours of the terminal's palette; the default */
	THEME_16,	/* the 16 colours of the terminal's palette */
	THEME_256,
};

enum theme_color {
	THEME_COLOR_AUTO,	/* colours unless NO_COLOR is set and not empty */
	THEME_COLOR_NEVER,
	THEME_COLOR_ALWAYS,	/* use colours if the terminal has any */
};

/** Themes. A terminal with fewer colours than its theme uses the colours that it has. */
enum theme_name {
	THEME_NAME_AUTO,	/* 8 colours, dark or light by COLORFGBG; unset: dark */
	THEME_NAME_MONO,
	THEME_NAME_DARK,
	THEME_NAME_LIGHT,
	THEME_NAME_DARK_16,
	THEME_NAME_LIGHT_16,
	THEME_NAME_DARK_256,
	THEME_NAME_LIGHT_256,
	THEME_NAME_COUNT
};

struct theme {
	enum theme_level level;
	bool light;		/* the theme is for a light background */
};

struct theme_look {
	unsigned style;		/* bits of enum role_style */
	short foreground, background;	/* -1: the terminal's own */
};

enum theme_glyph {
#define GLYPH(id, ascii, utf8) THEME_GLYPH_##id,
#include "ui/terminal/glyph.def"
#undef GLYPH
	THEME_GLYPH_COUNT
};

/**
 * The theme for a terminal of `colors` colours. `no_color` and `colorfgbg` are the values of
 * NO_COLOR and COLORFGBG, or NULL. THEME_COLOR_NEVER removes the colours of every theme; NO_COLOR
 * removes only those of THEME_NAME_AUTO, and only if `wish` is THEME_COLOR_AUTO.
 */
struct theme
theme_choose(enum theme_name name, enum theme_color wish, int colors, const char *no_color,
	     const char *colorfgbg);

/**
 * The look of `role` with `over` on top (ROLE_SELECTED or ROLE_MATCH; ROLE_NORMAL: none). It has
 * the attributes of both roles and the colours of `over`. Where `over` has no colour, that of
 * `role` remains. ROLE_SELECTED keeps the foreground of `role`.
 */
struct theme_look
theme_look(struct theme theme, enum role role, enum role over);

/** The character of a symbol, one column wide. */
const char *
theme_glyph(enum theme_glyph glyph, bool utf8);

/**
 * The terminal: cells to paint, keys to read. Only term.c uses curses.
 *
 * There is one terminal, so these functions have no object. Between term_start and term_stop the
 * program owns the screen. When that ends (term_stop, a fatal signal, a fault), the shell gets back
 * a usable terminal.
 *
 * Columns and rows count from 0 at the top left. Painting outside the screen is clipped. Painting
 * is invisible until term_flush, which the loop calls once per turn.
 */
struct term_options {
	bool headless;	/* no terminal: painting is for term_save, keys come from a script */
	int columns, rows;	/* size of the headless screen */
	enum theme_color color;
	enum theme_name theme;
	bool ascii;		/* ASCII lines and signs; texts are as the locale allows */
	int notify;		/* descriptor that gets a byte for each signal; -1: none */
	const char *farewell;	/* written to stderr after a fault and the reset; or NULL */
};

/** A key or another event. */
struct term_event {
	int key;		/* enum term_key or a character */
	int x, y;		/* cell of the mouse */
	int64_t time;		/* ms, set by the reader; 0 in a script */
	char bytes[64];		/* bytes of the key for readline */
	size_t length;
};

/**
 * Take over the screen, and set the character locale from the environment. ERROR_IO: no terminal,
 * or one that cannot move its cursor.
 */
enum error_code
term_start(const struct term_options *options, struct error *error);

/** The terminal type used if this system has no description of the type in TERM, or NULL. */
const char *
term_substitute(void);

/** Release the screen. Harmless if not started. */
void
term_stop(void);

/** The file descriptor to wait on for keys; -1: none. */
int
term_descriptor(void);

/** Whether bytes from the keyboard wait to be read. */
bool
term_has_input(void);

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

/** Place the terminal's cursor at the selected row or in the prompt's line. */
void
term_cursor(int x, int y);

/** Show what was painted. */
void
term_flush(void);

/** Repaint the whole terminal at the next flush. */
void
term_redraw(void);

/** Read the next event without waiting. False if there is no event. */
bool
term_read(struct term_event *event);

/** Adapt the screen to the size of its terminal. Without a terminal, set the given size. */
void
term_resize(int columns, int rows);

/** The text of the last TERM_KEY_PASTE, line breaks as blanks; valid until the next read. */
struct text
term_pasted(void);

/** Use the mouse here, or leave it to the terminal. Returns whether it is used. */
bool
term_mouse(bool on);

/** Stop the program as job control does. When it continues, the screen must be painted. */
void
term_suspend(void);

/** Lend the terminal to another program (signals_run); then take it back and repaint. */
void
term_lend(void);

void
term_take_back(void);

/** Send bytes to the terminal without curses, such as a copy to the clipboard. */
void
term_send(struct text bytes);

/**
 * Write the screen as text, without blanks at the ends of lines. With `attributes`, text with a
 * look becomes `{LOOK:text}`. LOOK has any of r (reverse), b (bold), u (underlined), d (dim),
 * the colour's number, `/` and the background's number. `\` escapes `{`, `}` and `\` in text.
 */
void
term_save(FILE *file, bool attributes);

/** Load curses; its name and version. */
const char *
term_library(void);

/**
 * Copies of text. A copy goes to a command of the user, to the terminal's clipboard, or to a
 * register of the program.
 *
 * The program writes the terminal's clipboard (OSC 52) but never reads it.
 */
enum clip_policy {
	CLIP_AUTO,	/* use only terminals known to support it */
	CLIP_ALWAYS,
	CLIP_NEVER,
};

enum clip_result {
	CLIP_COMMAND,	/* the user's command has received the text */
	CLIP_SENT,	/* sent to the terminal, which does not answer */
	CLIP_CUT,	/* the first CLIP_SIZE bytes of the text were sent */
	CLIP_KEPT,	/* the text is in the register only */
	CLIP_REFUSED,	/* the text is in the register only: the sandbox refuses the command */
};

/* Maximum number of bytes to send: some terminals drop sequences of more than 75,000 bytes. */
#define CLIP_SIZE 55296

/** A terminal multiplexer. It passes a sequence on to its terminal only in a wrapper. */
enum clip_between {
	CLIP_NOTHING,
	CLIP_TMUX,	/* copies or passes a sequence on, as configured */
	CLIP_SCREEN,	/* passes a sequence on in pieces */
};

/**
 * Make `text` printable except for line feeds, and copy it. The shell runs `command` with the copy
 * as standard input. `command` NULL or "": none.
 */
enum clip_result
clip_copy(struct text text, const char *command, enum clip_policy policy);

/** The last copy; "" at first. */
const char *
clip_register(void);

/** The multiplexer according to the values of TMUX and STY (NULL: unset). */
enum clip_between
clip_between(const char *tmux, const char *sty);

/** Whether the policy allows copies to a terminal of type `term` (or NULL). */
bool
clip_allowed(enum clip_policy policy, enum clip_between between, const char *term);

/**
 * Write the sequence that copies `text` to the clipboard; `size` must be CLIP_SEQUENCE_SIZE for
 * CLIP_SIZE bytes. Returns its length, or 0 if it does not fit.
 */
size_t
clip_sequence(struct text text, enum clip_between between, char *buffer, size_t size);

/* Maximum bytes of the plain sequence and the wrapped one together. */
#define CLIP_SEQUENCE_SIZE (3 * ((CLIP_SIZE + 2) / 3 * 4 + 64))

/**
 * The user's editor, at a line of a file: `$VISUAL`, else `$EDITOR`, else vi.
 *
 * The variable may hold arguments, so a shell splits it. The shell does not parse the path, because
 * an untrusted symbol file gives it. The path is made absolute, because vi takes a name that begins
 * with '+' for a command, and it must name an existing file.
 */

/**
 * Show `path` at `line` (0: none) and `column` (0: none, in bytes from 1), with the screen lent to
 * the editor. Fails also if the editor reports a failure.
 */
enum error_code
editor_open(const char *path, unsigned line, unsigned column, struct error *error);

/**
 * Signal handling while the program owns the screen.
 *
 * The handler of a fatal signal (a fault, an abort, a request to end) writes the bytes that reset
 * the terminal and restores its modes. Then the signal has its normal effect. The handler calls
 * only async-signal-safe functions, so the bytes are made in advance. On SIGBUS it first calls the
 * previous handler. If that handler repairs a truncated mapped file, the screen stays.
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
 * Wait for the end of a child (negative: no child was started). Returns its exit status, 128 plus
 * the number of the signal that ended it, or -1 if it could not be started.
 */
int
signals_wait(pid_t child);

/** Run a program whose standard input is a terminal. Returns the result of signals_wait. */
int
signals_run(const char *const *arguments);

#endif
