/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_KEY_H
#define UI_TERMINAL_KEY_H

#include <stddef.h>

/**
 * Numbers and names of keys.
 *
 * The number of a key that types a character is that character (Unicode). A letter with Ctrl has a
 * number from 1 to 26. Other keys have numbers above all characters. A name is the character
 * itself, `Space`, `C-o` or a name of key.def.
 */
enum term_key {
	TERM_KEY_NONE = 0,
	TERM_KEY_FIRST = 0x110000,
#define K(id, name, curses, bytes) TERM_KEY_##id,
#include "ui/terminal/key.def"
#undef K
	TERM_KEY_LAST,		/* first number after the keys of key.def */
	/* Events of the terminal, as keys. */
	TERM_KEY_RESIZE,
	TERM_KEY_SUSPEND,	/* a signal stops the program */
	TERM_KEY_RESUME,	/* the program continues and must repaint */
	TERM_KEY_GONE,		/* the terminal is gone: quit */
	TERM_KEY_PASTE,
	TERM_KEY_CLICK,		/* mouse button pressed; the event has the place */
	TERM_KEY_RELEASE,
	TERM_KEY_WHEEL_UP,
	TERM_KEY_WHEEL_DOWN,
	TERM_KEY_UNKNOWN,
};

/** The key of a lower-case letter with Ctrl. */
#define TERM_KEY_CONTROL(letter) ((letter) & 0x1f)

/** Bytes of the longest name with its terminator. */
#define KEY_NAME_SIZE 16

/** The key with a name of `length` bytes, or TERM_KEY_NONE. */
int
key_parse(const char *name, size_t length);

/** Write the name of a key; "": none. Returns `buffer`. */
const char *
key_label(int key, char buffer[KEY_NAME_SIZE]);

/** Write the bytes that a terminal sends for `key` (at most 16). Returns their number. */
size_t
key_bytes(int key, char *bytes);

#endif
