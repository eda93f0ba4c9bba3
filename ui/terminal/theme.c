/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/terminal/term.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct theme
theme_choose(enum theme_name name, enum theme_color wish, int colors, const char *no_color,
	     const char *colorfgbg)
{
	static const struct theme named[THEME_NAME_COUNT] = {
		[THEME_NAME_AUTO] = { THEME_8, false },
		[THEME_NAME_MONO] = { THEME_MONO, false },
		[THEME_NAME_DARK] = { THEME_8, false },
		[THEME_NAME_LIGHT] = { THEME_8, true },
		[THEME_NAME_DARK_16] = { THEME_16, false },
		[THEME_NAME_LIGHT_16] = { THEME_16, true },
		[THEME_NAME_DARK_256] = { THEME_256, false },
		[THEME_NAME_LIGHT_256] = { THEME_256, true },
	};
	const bool refused = no_color != NULL && no_color[0] != '\0';
	const enum theme_level most = colors >= 256  ? THEME_256
				      : colors >= 16 ? THEME_16
				      : colors >= 8  ? THEME_8
						     : THEME_MONO;
	struct theme theme = named[name];

	/* "15;0" or "0;default;15": foreground first, background last */
	const char *last = colorfgbg != NULL ? strrchr(colorfgbg, ';') : NULL;
	if (name == THEME_NAME_AUTO && last != NULL) {
		/* 0 if it is no number, which is black. */
		const long background = strtol(last + 1, NULL, 10);

		theme.light = background == 7 || (background >= 9 && background <= 15);
	}
	if (wish == THEME_COLOR_NEVER ||
	    (wish == THEME_COLOR_AUTO && name == THEME_NAME_AUTO && refused))
		theme.level = THEME_MONO;
	if (theme.level > most)
		theme.level = most;
	return theme;
}

/* The other colours of a role: role.def has only those for 8 and 256 colours on dark. */
static const struct {
	bool present;
	short dark16, light8, light16, light256, light_background;
} more[ROLE_COUNT] = {
#define T(role, dark16, light8, light16, light256, background) \
	[ROLE_##role] = { true, dark16, light8, light16, light256, background },
#include "ui/terminal/theme.def"
#undef T
};

static struct theme_look
plain_look(struct theme theme, enum role role)
{
	const struct role_look *from = role_look(role);
	struct theme_look look = { from->style, from->colour8, -1 };
	const bool known = more[role].present;

	switch (theme.level) {
	case THEME_MONO:
		return (struct theme_look){ from->mono, -1, -1 };
	case THEME_8:
		if (known && theme.light)
			look.foreground = more[role].light8;
		return look;
	case THEME_16:
		if (known)
			look.foreground = theme.light ? more[role].light16 : more[role].dark16;
		return look;
	case THEME_256:
		break;
	}
	look.foreground = known && theme.light ? more[role].light256 : from->colour256;
	look.background = known && theme.light ? more[role].light_background
					       : from->background256;
	/* A colour replaces dim, a background replaces reverse. */
	if (look.foreground >= 0)
		look.style &= ~(unsigned)ROLE_STYLE_DIM;
	if (look.background >= 0)
		look.style &= ~(unsigned)ROLE_STYLE_REVERSE;
	return look;
}

struct theme_look
theme_look(struct theme theme, enum role role, enum role over)
{
	struct theme_look look = plain_look(theme, role), above = plain_look(theme, over);
	bool keeps_colour = over == ROLE_SELECTED && look.foreground >= 0;

	if (over == ROLE_NORMAL)
		return look;
	look.style |= above.style;
	/* Dim and reverse together are illegible on many terminals. */
	if (above.style & ROLE_STYLE_REVERSE)
		look.style &= ~(unsigned)ROLE_STYLE_DIM;
	if (above.background >= 0)
		look.background = above.background;
	if (above.foreground >= 0 && !keeps_colour)
		look.foreground = above.foreground;
	return look;
}

const char *
theme_glyph(enum theme_glyph glyph, bool utf8)
{
	static const char *const glyphs[][2] = {
#define GLYPH(id, ascii, utf8) [THEME_GLYPH_##id] = { ascii, utf8 },
#include "ui/terminal/glyph.def"
#undef GLYPH
	};

	return glyphs[glyph][utf8];
}
