/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"
#include "tests/lib/tap.h"
#include "ui/theme.h"

static void
test_levels(void)
{
	ok(theme_level(THEME_COLOR_AUTO, NULL, 256, false) == THEME_8,
	   "the default theme has 8 colours");
	ok(theme_level(THEME_COLOR_AUTO, NULL, 256, true) == THEME_256, "256 can be chosen");
	ok(theme_level(THEME_COLOR_AUTO, NULL, 8, true) == THEME_8, "where the terminal has them");
	ok(theme_level(THEME_COLOR_AUTO, "1", 256, true) == THEME_MONO, "NO_COLOR takes them away");
	ok(theme_level(THEME_COLOR_AUTO, "", 8, false) == THEME_8, "unless it is empty");
	ok(theme_level(THEME_COLOR_ALWAYS, "1", 8, false) == THEME_8, "or colours are demanded");
	ok(theme_level(THEME_COLOR_ALWAYS, NULL, 0, true) == THEME_MONO,
	   "of a terminal that has any");
	ok(theme_level(THEME_COLOR_NEVER, NULL, 256, true) == THEME_MONO, "never is never");
}

static void
test_looks(void)
{
	struct theme_look look = theme_look(THEME_MONO, ROLE_BAD, ROLE_NORMAL);

	ok(look.style == ROLE_STYLE_UNDERLINE && look.foreground == -1,
	   "without colours what is bad is underlined");
	look = theme_look(THEME_8, ROLE_BAD, ROLE_NORMAL);
	ok(look.style == 0 && look.foreground == 1 && look.background == -1,
	   "with 8 it is red on the terminal's own background");
	look = theme_look(THEME_8, ROLE_BAD, ROLE_SELECTED);
	ok(look.style == ROLE_STYLE_REVERSE && look.foreground == 1,
	   "a selection keeps the colour of what is selected");
	look = theme_look(THEME_256, ROLE_BAD, ROLE_SELECTED);
	ok(look.style == 0 && look.foreground == 203 && look.background == 237,
	   "with 256 colours it is a background instead of reverse");
	look = theme_look(THEME_256, ROLE_NORMAL, ROLE_SELECTED);
	ok(look.foreground == 255 && look.background == 237,
	   "on which text can be read on light terminals, too");
	look = theme_look(THEME_MONO, ROLE_DIM, ROLE_SELECTED);
	ok(look.style == ROLE_STYLE_REVERSE, "what is reverse is not dim");
	look = theme_look(THEME_8, ROLE_BAD, ROLE_MATCH);
	ok(look.style == ROLE_STYLE_REVERSE, "a match is reverse");
}

int
main(void)
{
	unsigned bad_ascii = 0, bad_width = 0, unnamed = 0;

	test_levels();
	test_looks();
	for (unsigned i = 0; i < THEME_GLYPH_COUNT; i++) {
		struct text ascii = text_of(theme_glyph((enum theme_glyph)i, false));
		struct text utf8 = text_of(theme_glyph((enum theme_glyph)i, true));

		bad_ascii += ascii.length != 1 || (unsigned char)ascii.start[0] >= 0x7f;
		bad_width += text_width(utf8) != 1 || text_printable_length(utf8) != utf8.length;
	}
	is_u64(bad_ascii, 0, "every glyph has a form in ASCII");
	is_u64(bad_width, 0, "and one in UTF-8 that is as wide");
	for (unsigned i = 0; i < ROLE_COUNT; i++)
		unnamed += role_look((enum role)i)->name[0] == '\0';
	is_u64(unnamed, 0, "every role has a name");
	return done_testing();
}
