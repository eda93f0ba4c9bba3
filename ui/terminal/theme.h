/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_THEME_H
#define UI_TERMINAL_THEME_H

#include <stdbool.h>

#include "document/role.h"

/**
 * From roles to looks, and from glyphs to characters: tables, no terminal.
 */
enum theme_level {
	THEME_MONO,	/* attributes only */
	THEME_8,	/* the terminal's own palette: the default */
	THEME_16,	/* with its bright half */
	THEME_256,
};

enum theme_color {
	THEME_COLOR_AUTO,	/* unless NO_COLOR is set and not empty */
	THEME_COLOR_NEVER,
	THEME_COLOR_ALWAYS,	/* where the terminal has any */
};

/** What can be asked for; a terminal that has less colours gets as many as it has. */
enum theme_name {
	THEME_NAME_AUTO,	/* 8 colours, dark or light by COLORFGBG; not set: dark */
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
	bool light;		/* for a light background */
};

/** How to paint a cell. */
struct theme_look {
	unsigned style;		/* enum role_style bits */
	short foreground, background;	/* -1: the terminal's own */
};

/** What is drawn that is no text. */
enum theme_glyph {
#define GLYPH(id, ascii, utf8) THEME_GLYPH_##id,
#include "ui/terminal/glyph.def"
#undef GLYPH
	THEME_GLYPH_COUNT
};

/**
 * The theme for a wish and a terminal of `colors` colours. `no_color` and `colorfgbg` are the
 * values of these variables or NULL. A theme that was asked for by its name has colours even where
 * NO_COLOR is set; `wish` has the last word.
 */
struct theme
theme_choose(enum theme_name name, enum theme_color wish, int colors, const char *no_color,
	     const char *colorfgbg);

/**
 * The look of `role`, with a second role over it (ROLE_SELECTED or
 * ROLE_MATCH; ROLE_NORMAL: none): the attributes of both, the background of the
 * second, the colour of the first where the second has none or is a selection.
 */
struct theme_look
theme_look(struct theme theme, enum role role, enum role over);

/** The character of a glyph, one column wide. */
const char *
theme_glyph(enum theme_glyph glyph, bool utf8);

#endif
