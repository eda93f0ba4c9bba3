/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/terminal/term.h"

#define NCURSES_NOMACROS
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include "base/compiler.h"
#include "system/library.h"

enum {
	ESCAPE_WAIT = 25,		/* ms between the bytes of one key */
	PASTE_WAIT = 250,		/* ms between the bytes of a paste */
	PASTE_KEY = KEY_MAX + 1,	/* curses key number for the beginning of a paste */
	OWN_KEY,			/* first number of keys unknown to curses */
	MARKS = CCHARW_MAX - 2,		/* limit on combining marks in a cell */
	PAIRS = 64,
};

/* One object, because curses has one current screen. */
static struct {
	SCREEN *screen;
	FILE *input, *output;
	bool headless, utf8, ascii, mouse;
	struct theme theme;
	enum theme_color color;
	int cursor_x, cursor_y;
	unsigned flags;			/* signals not yet returned by term_read */
	char modes_on[32], modes_off[32];
	char pasted[65536];
	size_t pasted_length;
	MEVENT mouse_events[8];		/* events that arrived together, the oldest last */
	size_t mouse_count;
	const char *substitute;		/* terminal type used instead of an unknown one, or NULL */
	struct theme_look pairs[PAIRS];	/* pair n has the colours of pairs[n - 1] */
	short pair_count;
} term;

/* Functions and variables of curses. */
#define CURSES_SYMBOLS(S) \
	S(COLOR_PAIRS) S(add_wch) S(assume_default_colors) S(attr_set) S(clearok) S(curscr) \
	S(curses_version) S(define_key) S(delscreen) S(doupdate) S(endwin) S(erase) \
	S(get_wch) S(getcchar) S(getch) S(getmaxx) S(getmaxy) S(getmouse) S(has_colors) \
	S(init_pair) S(is_keypad) S(keypad) S(mouseinterval) S(mousemask) S(move) \
	S(mvadd_wch) S(mvin_wch) S(newterm) S(nodelay) S(noecho) S(nonl) S(pair_content) \
	S(raw) S(resize_term) S(set_escdelay) S(setcchar) S(start_color) S(stdscr) \
	S(tigetnum) S(tigetstr) S(timeout) S(use_default_colors) S(wnoutrefresh)

static struct {
	CURSES_SYMBOLS(LIBRARY_POINTER)
} lib;

static bool
load(void)
{
	return LIBRARY_FILL(CURSES_SYMBOLS, "libncursesw", NCURSES_VERSION_MAJOR);
}

/* Starting and stopping ------------------------------------------------------------------------*/

static const char *
capability(const char *name)
{
	const char *value = lib.tigetstr(name);

	return value == NULL || value == (char *)-1 ? "" : value;
}

/* Append a capability without its padding, which only printing terminals need. */
static size_t
append_plain(char *buffer, size_t size, size_t length, const char *value)
{
	while (*value != '\0' && length < size) {
		if (value[0] == '$' && value[1] == '<' && strchr(value, '>') != NULL)
			value = strchr(value, '>') + 1;
		else
			buffer[length++] = *value++;
	}
	return length;
}

/* Make the bytes that reset the terminal without curses. */
static void
prepare_restore(void)
{
	static const char *const names[] = { "rmkx", "sgr0", "op", "cnorm", "rmcup" };
	char bytes[256];
	size_t length = 0;

	if (term.mouse)
		length = append_plain(bytes, sizeof(bytes), length, "\033[?1006l\033[?1000l");
	length = append_plain(bytes, sizeof(bytes), length, term.modes_off);
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		length = append_plain(bytes, sizeof(bytes), length, capability(names[i]));
	signals_restore_with((struct text){ bytes, length });
}

static const struct {
	int curses, key;
	const char *bytes;
} named[] = {
#define K(id, name, curses, bytes) { curses, TERM_KEY_##id, bytes },
#include "ui/terminal/key.def"
#undef K
};

/* A terminal with xterm's mouse protocol supports bracketed paste or ignores its sequences. */
static void
prepare_modes(void)
{
	bool like_xterm = capability("kmous")[0] != '\0';
	const char *on = capability("BE"), *off = capability("BD");

	if (on[0] == '\0' || off[0] == '\0') {
		on = like_xterm ? "\033[?2004h" : "";
		off = like_xterm ? "\033[?2004l" : "";
	}
	/* Reset BDSM (ECMA-48), so that right-to-left letters stay in their cells. */
	const bool cells = like_xterm && term.utf8;
	snprintf(term.modes_on, sizeof(term.modes_on), "%.20s%s", on, cells ? "\033[8l" : "");
	snprintf(term.modes_off, sizeof(term.modes_off), "%.20s%s", off, cells ? "\033[8h" : "");
	lib.define_key("\033[200~", PASTE_KEY);
	/* Define the keys that curses does not know. */
	for (size_t i = 0; i < ARRAY_COUNT(named); i++)
		if (named[i].curses == 0 && named[i].bytes[0] == '\033' &&
		    named[i].bytes[1] != '\0')
			lib.define_key(named[i].bytes, OWN_KEY + (int)i);
}

static void
prepare_colors(enum theme_name name)
{
	int colors = lib.has_colors() ? lib.tigetnum("colors") : 0;

	term.theme = theme_choose(name, term.color, colors, getenv("NO_COLOR"),
				  getenv("COLORFGBG"));
	term.pair_count = 0;
	if (term.theme.level == THEME_MONO)
		return;
	lib.start_color();
	if (lib.use_default_colors() == ERR)
		lib.assume_default_colors(COLOR_WHITE, COLOR_BLACK);
}

static enum error_code
open_files(const struct term_options *options, struct error *error)
{

	term.input = stdin;
	term.output = stdout;
	if (options->headless) {
		term.input = fopen("/dev/null", "re");
		term.output = fopen("/dev/null", "we");
	} else if (!isatty(STDOUT_FILENO)) {
		return error_plain(error, ERROR_IO, "standard output is not a terminal");
	} else if (!isatty(STDIN_FILENO)) {
		term.input = fopen("/dev/tty", "re");
	}
	if (term.input == NULL || term.output == NULL)
		return error_plain(error, ERROR_IO, "cannot read keys from the terminal: %s",
				   strerror(errno));
	return ERROR_NONE;
}

static void
close_files(void)
{
	if (term.input != NULL && term.input != stdin)
		fclose(term.input);
	if (term.output != NULL && term.output != stdout)
		fclose(term.output);
	term.input = term.output = NULL;
}

/* Set the modes that curses resets at its end but does not set itself. */
static void
enter(void)
{
	if (term.headless)
		return;
	term_send(text_of(term.modes_on));
	signals_arm(true);
}

static void
leave(void)
{
	if (!term.headless)
		term_send(text_of(term.modes_off));
	lib.endwin();
	signals_arm(false);
}

void
term_resize(int columns, int rows)
{
	struct winsize size;

	if (term.screen == NULL)
		return;
	if (!term.headless) {
		if (ioctl(fileno(term.output), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
		    size.ws_row == 0)
			return;
		columns = size.ws_col;
		rows = size.ws_row;
	}
	lib.resize_term(rows, columns);
}

/* Terminal types whose sequences most terminals understand, in order of preference. */
static char *const substitutes[] = { "xterm-256color", "xterm", "vt100" };

enum error_code
term_start(const struct term_options *options, struct error *error)
{
	setlocale(LC_CTYPE, "");
	if (!load()) {
		error_plain(error, ERROR_IO, "cannot load ncurses %d (libncursesw)",
			    NCURSES_VERSION_MAJOR);
		error_hint(error, "install it, or use --plain");
		return ERROR_IO;
	}
	term.headless = options->headless;
	term.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	term.ascii = options->ascii;
	term.mouse = false;
	term.substitute = NULL;
	if (open_files(options, error) != ERROR_NONE) {
		close_files();
		return ERROR_IO;
	}
	if (!options->headless)
		signals_start(&(struct signals_options){ .terminal = fileno(term.output),
							 .farewell = options->farewell,
							 .notify = options->notify });
	const char *name = getenv("TERM");
	term.screen = lib.newterm(NULL, term.output, term.input);
	/* A host reached by ssh may lack the description of a new terminal type. */
	const bool named_only = name != NULL && name[0] != '\0' && capability("cup")[0] == '\0';
	for (size_t i = 0; term.screen == NULL && (named_only || options->headless) &&
			   i < ARRAY_COUNT(substitutes); i++) {
		term.screen = lib.newterm(substitutes[i], term.output, term.input);
		term.substitute = substitutes[i];
	}
	if (term.screen == NULL || (!options->headless && capability("cup")[0] == '\0')) {
		/* The terminal has a description, so memory for the screen is missing. */
		const bool size = term.screen == NULL && capability("cup")[0] != '\0';

		term_stop();
		if (size) {
			error_plain(error, ERROR_IO, "the screen is too large");
			error_hint(error, "unset LINES and COLUMNS, or use --plain");
			return ERROR_IO;
		}
		error_plain(error, ERROR_IO, "unsupported terminal type '%s'",
			    name == NULL ? "" : name);
		error_hint(error, "set TERM correctly, or use --plain");
		return ERROR_IO;
	}
	const char *wait = getenv("ESCDELAY");
	if (wait == NULL || wait[0] == '\0' || wait[strspn(wait, "0123456789")] != '\0')
		lib.set_escdelay(ESCAPE_WAIT);
	lib.raw();
	lib.noecho();
	lib.nonl();
	lib.nodelay(*lib.stdscr, TRUE);
	lib.mouseinterval(0);
	term.color = options->color;
	prepare_colors(options->theme);
	term_resize(options->columns, options->rows);
	prepare_modes();
	prepare_restore();
	enter();
	return ERROR_NONE;
}

const char *
term_substitute(void)
{
	return term.headless ? NULL : term.substitute;
}

void
term_stop(void)
{
	if (term.input == NULL)
		return;
	if (term.screen != NULL) {
		term_mouse(false);
		leave();
		lib.delscreen(term.screen);
		term.screen = NULL;
	}
	if (!term.headless)
		signals_stop();
	close_files();
}

int
term_descriptor(void)
{
	return term.headless || term.input == NULL ? -1 : fileno(term.input);
}

bool
term_has_input(void)
{
	struct pollfd wait = { .fd = term_descriptor(), .events = POLLIN };

	return poll(&wait, 1, 0) > 0;
}

void
term_size(int *columns, int *rows)
{
	*columns = lib.getmaxx(*lib.stdscr);
	*rows = lib.getmaxy(*lib.stdscr);
}

const char *
term_glyph(enum theme_glyph glyph)
{
	return theme_glyph(glyph, term.utf8 && !term.ascii);
}

void
term_theme(enum theme_name name)
{
	if (term.screen == NULL)
		return;
	prepare_colors(name);
	term_redraw();
}

const char *
term_library(void)
{
	return load() ? lib.curses_version() : "ncurses is missing";
}

/* Painting -------------------------------------------------------------------------------------*/

/* The number of a colour pair, or 0 (the terminal's own colours) if there are too many pairs. */
static short
pair_of(struct theme_look look)
{
	if (look.foreground < 0 && look.background < 0)
		return 0;
	for (short i = 0; i < term.pair_count; i++)
		if (term.pairs[i].foreground == look.foreground &&
		    term.pairs[i].background == look.background)
			return (short)(i + 1);
	if (term.pair_count == PAIRS || term.pair_count + 1 >= *lib.COLOR_PAIRS ||
	    lib.init_pair((short)(term.pair_count + 1), look.foreground, look.background) == ERR)
		return 0;
	term.pairs[term.pair_count] = look;
	return ++term.pair_count;
}

static const struct {
	unsigned style;
	attr_t attribute;
	char letter;	/* the letter in a saved screen */
} attributes_of[] = {
	{ ROLE_STYLE_REVERSE, A_REVERSE, 'r' },
	{ ROLE_STYLE_BOLD, A_BOLD, 'b' },
	{ ROLE_STYLE_UNDERLINE, A_UNDERLINE, 'u' },
	{ ROLE_STYLE_DIM, A_DIM, 'd' },
};

/* A character with its combining marks, and its width. */
struct glyph {
	wchar_t characters[MARKS + 2];
	int width;
};

/*
 * Read the next character of `text` with its marks. Returns the number of bytes read. Characters
 * that the terminal or its library may show at another width become question marks.
 */
static size_t
next_glyph(struct text text, struct glyph *glyph)
{
	uint32_t character = '?';
	size_t length = text_decode(text.start, text.length, &character), next, marks = 0;
	int width = length == 0 ? 1 : (int)text_character_width(character);
	bool plain = character >= 0x20 && character < 0x7f;

	if (!plain && (character < 0x80 || !term.utf8 || wcwidth((wchar_t)character) != width))
		character = '?';
	*glyph = (struct glyph){ .characters = { (wchar_t)character }, .width = width };
	if (length == 0)
		return 1;
	while ((next = text_decode(text.start + length, text.length - length, &character)) != 0 &&
	       text_character_width(character) == 0) {
		if (term.utf8 && marks < MARKS && wcwidth((wchar_t)character) == 0)
			glyph->characters[++marks] = (wchar_t)character;
		length += next;
	}
	return length;
}

int
term_put(int x, int y, int columns, struct text text, enum role role, enum role over)
{
	int painted = 0, width, height;
	cchar_t cell;

	term_size(&width, &height);
	if (x < 0 || y < 0 || y >= height || x >= width)
		return 0;
	if (columns > width - x)
		columns = width - x;
	const struct theme_look look = theme_look(term.theme, role, over);
	attr_t attributes = A_NORMAL;
	for (size_t i = 0; i < ARRAY_COUNT(attributes_of); i++)
		if (look.style & attributes_of[i].style)
			attributes |= attributes_of[i].attribute;
	const short pair = pair_of(look);
	while (text.length != 0) {
		struct glyph glyph;
		size_t length = next_glyph(text, &glyph);

		if (glyph.width > columns - painted)
			break;
		if (glyph.width != 0) {
			lib.setcchar(&cell, glyph.characters, attributes, pair, NULL);
			lib.mvadd_wch(y, x + painted, &cell);
			if (glyph.characters[0] == L'?' && glyph.width == 2)
				lib.add_wch(&cell);
		}
		painted += glyph.width;
		text.start += length;
		text.length -= length;
	}
	return painted;
}

/* The part of `text` after `*columns` columns. Sets `*columns` to the columns really skipped. */
static struct text
skip_columns(struct text text, size_t *columns)
{
	size_t at = text_fit(text, *columns);
	size_t skipped = text_width((struct text){ text.start, at });

	/* Skip all of a wide character, because half of it cannot be painted. */
	if (skipped < *columns && at < text.length) {
		struct text rest = { text.start + at, text.length - at };
		size_t next = text_fit(rest, 2);

		skipped += text_width((struct text){ rest.start, next });
		at += next;
	}
	*columns = skipped;
	return (struct text){ text.start + at, text.length - at };
}

int
term_put_row(int x, int y, int columns, const struct row *row, size_t left, enum role over)
{
	size_t column = 0;
	int painted = 0;

	for (size_t i = 0; i < row->span_count && painted < columns; i++) {
		struct text text = row_span_text(row, i);
		size_t width = text_width(text), hidden = left > column ? left - column : 0;

		if (hidden < width) {
			if (hidden != 0)
				text = skip_columns(text, &hidden);
			int at = (int)(column + hidden - left);
			const int put = term_put(x + at, y, columns - at, text, row->spans[i].role,
						 over);
			painted = put > 0 ? at + put : painted;
		}
		column += width;
	}
	return painted;
}

void
term_line(int x, int y, int count, bool down, enum theme_glyph glyph)
{
	for (int i = 0; i < count; i++)
		term_put(down ? x : x + i, down ? y + i : y, 1, text_of(term_glyph(glyph)),
			 ROLE_NORMAL, ROLE_NORMAL);
}

void
term_clear(void)
{
	lib.attr_set(A_NORMAL, 0, NULL);
	lib.erase();
}

void
term_cursor(int x, int y)
{
	int columns, rows;

	term_size(&columns, &rows);
	term.cursor_x = x < 0 ? 0 : x >= columns ? columns - 1 : x;
	term.cursor_y = y < 0 ? 0 : y >= rows ? rows - 1 : y;
}

void
term_flush(void)
{
	lib.move(term.cursor_y, term.cursor_x);
	lib.wnoutrefresh(*lib.stdscr);
	lib.doupdate();
}

void
term_redraw(void)
{
	lib.clearok(*lib.curscr, TRUE);
}

/* Reading --------------------------------------------------------------------------------------*/

/* Set whether curses parses sequences as keys. Call keypad() only for a change: it writes. */
static void
read_as_keys(bool on)
{
	if (lib.is_keypad(*lib.stdscr) != on)
		lib.keypad(*lib.stdscr, on);
}

/* Read a byte. ERR: no byte within `wait` ms, or an event that is not a byte. */
static int
read_byte(int wait)
{
	read_as_keys(false);
	lib.timeout(wait);
	int byte = lib.getch();
	lib.timeout(0);
	return byte >= 0 && byte <= 0xff ? byte : ERR;
}

static int
key_of_character(wint_t character)
{
	if (character == '\r' || character == '\n')
		return TERM_KEY_ENTER;
	if (character == '\t')
		return TERM_KEY_TAB;
	if (character == 0x7f || character == '\b')
		return TERM_KEY_BACKSPACE;
	if (character == 0x1b)
		return TERM_KEY_ESCAPE;
	if (character == 0 || character > 0x10ffff || (character > 26 && character < 32))
		return TERM_KEY_UNKNOWN;
	return (int)character;
}

/* Append the rest of the sequence that begins with the Esc in `event`. */
static void
read_sequence(struct term_event *event)
{
	int byte;

	while (event->length < sizeof(event->bytes) && (byte = read_byte(ESCAPE_WAIT)) != ERR) {
		event->bytes[event->length++] = (char)byte;
		if (event->length == 3 && event->bytes[1] == '[' && byte == 'M') {
			/* Old mouse protocol: three bytes of any value follow. */
			for (int i = 0; i < 3; i++)
				read_byte(ESCAPE_WAIT);
			return;
		}
		if (event->bytes[1] == '[' ? event->length > 2 && byte >= 0x40 && byte <= 0x7e
					   : event->bytes[1] != 'O' || event->length > 2)
			return;
	}
}

static bool
ends_with(const char *bytes, size_t length, const char *end)
{
	size_t end_length = strlen(end);

	return length >= end_length && memcmp(bytes + length - end_length, end, end_length) == 0;
}

/* Read to the end of a paste; text that does not fit is dropped. */
static void
read_paste(struct term_event *event)
{
	static const char end[] = "\033[201~";
	char tail[sizeof(end) - 1] = { 0 };
	int byte;

	term.pasted_length = 0;
	while (!ends_with(tail, sizeof(tail), end) && (byte = read_byte(PASTE_WAIT)) != ERR) {
		memmove(tail, tail + 1, sizeof(tail) - 1);
		tail[sizeof(tail) - 1] = (char)byte;
		if (term.pasted_length < sizeof(term.pasted))
			term.pasted[term.pasted_length++] = (char)byte;
	}
	if (ends_with(term.pasted, term.pasted_length, end))
		term.pasted_length -= sizeof(tail);
	size_t kept = 0;
	for (size_t i = 0; i < term.pasted_length; i++) {
		unsigned char c = (unsigned char)term.pasted[i];

		if (c == '\r' || c == '\n' || c == '\t')
			term.pasted[kept++] = ' ';
		else if (c >= 0x20 && c != 0x7f)
			term.pasted[kept++] = (char)c;
	}
	term.pasted_length = kept;
	event->key = TERM_KEY_PASTE;
	event->length = 0;
}

/*
 * Read the next mouse event. Events that arrive together are one key in curses, which returns the
 * newest first.
 */
static int
read_mouse(struct term_event *event)
{
	if (term.mouse_count == 0)
		while (term.mouse_count < ARRAY_COUNT(term.mouse_events) &&
		       lib.getmouse(&term.mouse_events[term.mouse_count]) != ERR)
			term.mouse_count++;
	if (term.mouse_count == 0)
		return TERM_KEY_UNKNOWN;
	const MEVENT mouse = term.mouse_events[--term.mouse_count];
	event->x = mouse.x;
	event->y = mouse.y;
	if (mouse.bstate & BUTTON1_PRESSED)
		return TERM_KEY_CLICK;
	if (mouse.bstate & BUTTON1_RELEASED)
		return TERM_KEY_RELEASE;
#if NCURSES_MOUSE_VERSION > 1
	if (mouse.bstate & BUTTON4_PRESSED)
		return TERM_KEY_WHEEL_UP;
	if (mouse.bstate & BUTTON5_PRESSED)
		return TERM_KEY_WHEEL_DOWN;
#endif
	return TERM_KEY_UNKNOWN;
}

static bool
read_key(struct term_event *event)
{
	wint_t character;

	if (term.mouse_count > 0) {
		event->key = read_mouse(event);
		return true;
	}
	read_as_keys(true);
	int kind = lib.get_wch(&character);
	if (kind == ERR)
		return false;
	event->key = TERM_KEY_UNKNOWN;
	if (kind != KEY_CODE_YES) {
		event->key = key_of_character(character);
		event->bytes[0] = (char)character;
		event->length = term.utf8 ? text_encode((uint32_t)character, event->bytes) : 1;
		if (event->key == TERM_KEY_ESCAPE) {
			read_sequence(event);
			/* A sequence unknown to terminfo, or a key with Alt. */
			if (event->length > 1)
				event->key = TERM_KEY_UNKNOWN;
		}
	} else if (character == KEY_MOUSE) {
		event->key = read_mouse(event);
	} else if (character == PASTE_KEY) {
		read_paste(event);
	} else {
		for (size_t i = 0; i < ARRAY_COUNT(named); i++)
			if ((int)character == OWN_KEY + (int)i ||
			    (named[i].curses != 0 && named[i].curses == (int)character))
				event->key = named[i].key;
		event->length = key_bytes(event->key, event->bytes);
	}
	return true;
}

/* Read the next event that a signal has caused. False if there is no event. */
static bool
read_signal(struct term_event *event)
{
	term.flags |= signals_take();
	if (term.flags & SIGNALS_CONTINUE) {
		/* After SIGSTOP the terminal has the modes of the shell. */
		lib.endwin();
		enter();
		term_redraw();
		event->key = TERM_KEY_RESUME;
		term.flags &= ~(unsigned)SIGNALS_CONTINUE;
		term.flags |= SIGNALS_RESIZE;
	} else if (term.flags & SIGNALS_RESIZE) {
		term_resize(0, 0);
		term_redraw();
		event->key = TERM_KEY_RESIZE;
		term.flags &= ~(unsigned)SIGNALS_RESIZE;
	} else if (term.flags & SIGNALS_STOP) {
		event->key = TERM_KEY_SUSPEND;
		term.flags &= ~(unsigned)SIGNALS_STOP;
	}
	return event->key != TERM_KEY_NONE;
}

bool
term_read(struct term_event *event)
{
	event->key = TERM_KEY_NONE;
	event->x = event->y = 0;
	event->length = 0;
	if (term.headless)
		return false;
	return read_signal(event) || read_key(event);
}

struct text
term_pasted(void)
{
	return (struct text){ term.pasted, term.pasted_length };
}

bool
term_mouse(bool on)
{
	mmask_t mask = BUTTON1_PRESSED | BUTTON1_RELEASED;

#if NCURSES_MOUSE_VERSION > 1
	mask |= BUTTON4_PRESSED | BUTTON5_PRESSED;
#endif
	term.mouse = lib.mousemask(on ? mask : 0, NULL) != 0;
	if (!term.headless)
		prepare_restore();
	return term.mouse;
}

/* Lending the terminal -------------------------------------------------------------------------*/

static void
come_back(void)
{
	if (!term.headless)
		term_resize(0, 0);
	enter();
	term_redraw();
}

void
term_suspend(void)
{
	if (term.headless)
		return;
	leave();
	signals_stop_here();
	come_back();
}

void
term_lend(void)
{
	leave();
	signals_lend(true);
}

void
term_take_back(void)
{
	signals_lend(false);
	come_back();
}

void
term_send(struct text bytes)
{
	if (term.output == NULL)
		return;
	fflush(term.output);
	while (bytes.length != 0) {
		ssize_t written = write(fileno(term.output), bytes.start, bytes.length);

		/* SIGWINCH must not cut a sequence, so continue. */
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		bytes.start += written;
		bytes.length -= (size_t)written;
	}
}

/* Saving ---------------------------------------------------------------------------------------*/

/*
 * Write the character of a cell with its combining marks as UTF-8 to `text`, and its look to `mark`
 * ("": plain). Returns the character's width.
 */
static int
read_cell(int x, int y, char text[4 * CCHARW_MAX + 1], char mark[24])
{
	wchar_t characters[CCHARW_MAX + 1] = { 0 };
	attr_t attributes = A_NORMAL;
	short pair = 0, foreground = -1, background = -1;
	cchar_t cell;
	size_t length = 0;

	lib.mvin_wch(y, x, &cell);
	lib.getcchar(&cell, characters, &attributes, &pair, NULL);
	for (size_t i = 0; i < CCHARW_MAX && characters[i] != 0; i++)
		length += text_encode((uint32_t)characters[i], text + length);
	text[length] = '\0';
	length = 0;
	if (pair != 0)
		lib.pair_content(pair, &foreground, &background);
	for (size_t i = 0; i < ARRAY_COUNT(attributes_of); i++)
		if (attributes & attributes_of[i].attribute)
			mark[length++] = attributes_of[i].letter;
	if (foreground >= 0)
		length += (size_t)snprintf(mark + length, 24 - length, "%d", foreground);
	if (background >= 0)
		length += (size_t)snprintf(mark + length, 24 - length, "/%d", background);
	mark[length] = '\0';
	return characters[0] != 0 && text_character_width((uint32_t)characters[0]) == 2 ? 2 : 1;
}

static void
save_line(FILE *file, int y, int columns, bool with_attributes)
{
	char text[4 * CCHARW_MAX + 1], mark[24], last[24] = "";
	int blanks = 0;

	for (int x = 0; x < columns;) {
		x += read_cell(x, y, text, mark);
		bool changes = with_attributes && strcmp(mark, last) != 0;
		if (changes && last[0] != '\0') {
			fprintf(file, "%*s}", blanks, "");
			blanks = 0;
		}
		if (strcmp(text, " ") == 0 && !(changes && mark[0] != '\0')) {
			blanks++;
		} else {
			fprintf(file, "%*s", blanks, "");
			if (changes && mark[0] != '\0')
				fprintf(file, "{%s:", mark);
			bool escape = with_attributes && strchr("{}\\", text[0]) != NULL;
			fprintf(file, "%s%s", escape ? "\\" : "", text);
			blanks = 0;
		}
		strcpy(last, mark);
	}
	if (with_attributes && last[0] != '\0')
		fprintf(file, "%*s}", blanks, "");
	fputc('\n', file);
}

void
term_save(FILE *file, bool attributes)
{
	int columns, rows;

	term_size(&columns, &rows);
	for (int y = 0; y < rows; y++)
		save_line(file, y, columns, attributes);
	lib.move(term.cursor_y, term.cursor_x);
}
