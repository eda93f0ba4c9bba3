/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_THEME_H
#define UI_THEME_H

#include <stdbool.h>

#include "report/role.h"

/**
 * From roles to looks, and from glyphs to characters: tables, no terminal.
 */
enum theme_level {
	THEME_MONO,	/* attributes only */
	THEME_8,	/* the terminal's own palette: the default */
	THEME_256,	/* chosen, and only where the terminal has as many */
};

enum theme_color {
	THEME_COLOR_AUTO,	/* unless NO_COLOR is set and not empty */
	THEME_COLOR_NEVER,
	THEME_COLOR_ALWAYS,	/* where the terminal has any */
};

/** How to paint a cell. */
struct theme_look {
	unsigned style;		/* enum role_style bits */
	short foreground, background;	/* -1: the terminal's own */
};

/** What is drawn that is no text. */
enum theme_glyph {
#define GLYPH(id, ascii, utf8) THEME_GLYPH_##id,
#include "ui/glyph.def"
#undef GLYPH
	THEME_GLYPH_COUNT
};

/** The level for a wish and a terminal of `colors` colours; `no_color` is the variable's value or
 * NULL. `more` asks for 256. */
enum theme_level
theme_level(enum theme_color wish, const char *no_color, int colors, bool more);

/**
 * The look of `role` at a level, with a second role over it (ROLE_SELECTED or
 * ROLE_MATCH; ROLE_NORMAL: none): the attributes of both, the background of the
 * second, the colour of the first where the second has none or is a selection.
 */
struct theme_look
theme_look(enum theme_level level, enum role role, enum role over);

/** The character of a glyph, one column wide. */
const char *
theme_glyph(enum theme_glyph glyph, bool utf8);

#endif
