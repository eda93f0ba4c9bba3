/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_KEY_H
#define UI_TERMINAL_KEY_H

#include <stddef.h>

/**
 * Keys as numbers and as names.
 *
 * A key that types a character is that character (Unicode); one that is held
 * with Ctrl is 1 to 26; the others have numbers above every character. Names are
 * the characters themselves, `Space`, `C-o`, and those of key.def.
 */
enum term_key {
	TERM_KEY_NONE = 0,
	TERM_KEY_FIRST = 0x110000,
#define K(id, name, curses, bytes) TERM_KEY_##id,
#include "ui/terminal/key.def"
#undef K
	TERM_KEY_LAST,		/* of those that have a name */
	/* What happens to a terminal, told as keys. */
	TERM_KEY_RESIZE,	/* the screen has another size now */
	TERM_KEY_SUSPEND,	/* a signal asked the program to stop */
	TERM_KEY_RESUME,	/* it goes on; everything must be painted again */
	TERM_KEY_GONE,		/* the terminal has vanished: leave */
	TERM_KEY_PASTE,		/* text was pasted */
	TERM_KEY_CLICK,		/* the mouse was pressed; the event has its place */
	TERM_KEY_RELEASE,
	TERM_KEY_WHEEL_UP,
	TERM_KEY_WHEEL_DOWN,
	TERM_KEY_UNKNOWN,	/* a key that has no meaning anywhere */
};

/** The key held with Ctrl, from its lower-case letter. */
#define TERM_KEY_CONTROL(letter) ((letter) & 0x1f)

/** Bytes of the longest name with its terminator. */
#define KEY_NAME_SIZE 16

/** The key of a name of `length` bytes, or TERM_KEY_NONE. */
int
key_parse(const char *name, size_t length);

/** Write the name of a key; "" where it has none. Returns `buffer`. */
const char *
key_label(int key, char buffer[KEY_NAME_SIZE]);

/** Write the bytes that a terminal sends for `key` (16 are enough); returns how many. */
size_t
key_bytes(int key, char *bytes);

#endif
