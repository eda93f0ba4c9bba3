/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_THEME_H
#define UI_TERMINAL_THEME_H

#include <stdbool.h>

#include "document/role.h"

/** Tables that map roles to looks and symbols to characters. */
enum theme_level {
	THEME_MONO,	/* attributes only */
	THEME_8,	/* the terminal's own palette: the default */
	THEME_16,	/* with its bright half */
	THEME_256,
};

enum theme_color {
	THEME_COLOR_AUTO,	/* colours unless NO_COLOR is set and not empty */
	THEME_COLOR_NEVER,
	THEME_COLOR_ALWAYS,	/* if the terminal has any */
};

/** Themes; a terminal with fewer colours uses those that it has. */
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
	bool light;		/* for a light background */
};

/** The look of a cell. */
struct theme_look {
	unsigned style;		/* enum role_style bits */
	short foreground, background;	/* -1: the terminal's own */
};

/** Symbols that are drawn. */
enum theme_glyph {
#define GLYPH(id, ascii, utf8) THEME_GLYPH_##id,
#include "ui/terminal/glyph.def"
#undef GLYPH
	THEME_GLYPH_COUNT
};

/**
 * The theme for a wish and a terminal of `colors` colours. `no_color` and `colorfgbg` are the
 * values of these variables, or NULL. A theme chosen by name has colours even if NO_COLOR is set;
 * `wish` overrides everything.
 */
struct theme
theme_choose(enum theme_name name, enum theme_color wish, int colors, const char *no_color,
	     const char *colorfgbg);

/**
 * The look of `role`, with a second role over it (ROLE_SELECTED or ROLE_MATCH; ROLE_NORMAL: none):
 * the attributes of both, the background of the second, and the colour of the first if the second
 * has none or is a selection.
 */
struct theme_look
theme_look(struct theme theme, enum role role, enum role over);

/** The character of a symbol, one column wide. */
const char *
theme_glyph(enum theme_glyph glyph, bool utf8);

#endif
