/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/theme.h"

#include <stddef.h>

enum theme_level
theme_level(enum theme_color wish, const char *no_color, int colors, bool more)
{
	if (wish == THEME_COLOR_NEVER || colors < 8)
		return THEME_MONO;
	if (wish == THEME_COLOR_AUTO && no_color != NULL && no_color[0] != '\0')
		return THEME_MONO;
	return more && colors >= 256 ? THEME_256 : THEME_8;
}

static struct theme_look
plain_look(enum theme_level level, enum role role)
{
	const struct role_look *from = role_look(role);

	if (level == THEME_MONO)
		return (struct theme_look){ from->mono, -1, -1 };
	if (level == THEME_8)
		return (struct theme_look){ from->style, from->colour8, -1 };
	/* A background of its own says what reverse says with fewer colours. */
	unsigned style = from->background256 < 0 ? from->style
						 : from->style & ~(unsigned)ROLE_STYLE_REVERSE;
	return (struct theme_look){ style, from->colour256, from->background256 };
}

struct theme_look
theme_look(enum theme_level level, enum role role, enum role over)
{
	struct theme_look look = plain_look(level, role), above = plain_look(level, over);
	bool keeps_colour = over == ROLE_SELECTED && look.foreground >= 0;

	if (over == ROLE_NORMAL)
		return look;
	look.style |= above.style;
	/* Dim and reverse together cannot be read on many terminals. */
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
#include "ui/glyph.def"
#undef GLYPH
	};

	return glyphs[glyph][utf8];
}
