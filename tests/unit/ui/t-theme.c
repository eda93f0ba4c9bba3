/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compiler.h"
#include "base/text.h"
#include "tests/lib/tap.h"
#include "ui/terminal/term.h"

static bool
chosen(enum theme_name name, enum theme_color wish, int colors, const char *no_color,
       const char *colorfgbg, enum theme_level level, bool light)
{
	const struct theme theme = theme_choose(name, wish, colors, no_color, colorfgbg);

	return theme.level == level && theme.light == light;
}

static void
test_choice(void)
{
	const enum theme_name auto_name = THEME_NAME_AUTO;
	const enum theme_color wish = THEME_COLOR_AUTO;

	ok(chosen(auto_name, wish, 256, NULL, NULL, THEME_8, false), "the default theme has 8 colours and is for dark");
	ok(chosen(auto_name, wish, 256, NULL, "0;default;7", THEME_8, true), "a grey background is light");
	ok(chosen(auto_name, wish, 256, NULL, "0;default", THEME_8, false), "a background without a number is dark");
	ok(chosen(auto_name, wish, 256, NULL, "15", THEME_8, false) &&
		   chosen(THEME_NAME_DARK, wish, 256, NULL, "0;15", THEME_8, false),
	   "a variable without a background is dark, and so is a theme for dark");
	static const struct theme named[THEME_NAME_COUNT] = {
		{ THEME_8, false }, { THEME_MONO, false }, { THEME_8, false }, { THEME_8, true },
		{ THEME_16, false }, { THEME_16, true }, { THEME_256, false }, { THEME_256, true },
	};
	for (unsigned i = 0; i < THEME_NAME_COUNT; i++)
		ok(chosen((enum theme_name)i, wish, 256, NULL, NULL, named[i].level, named[i].light),
		   "theme %u has its colours and its background", i);
	static const int colours[] = { 0, 7, 8, 15, 16, 255, 256 };
	static const enum theme_level most[] = { THEME_MONO, THEME_MONO, THEME_8, THEME_8, THEME_16, THEME_16, THEME_256 };
	for (size_t i = 0; i < ARRAY_COUNT(colours); i++)
		ok(chosen(THEME_NAME_LIGHT_256, wish, colours[i], NULL, NULL, most[i], true),
		   "a terminal of %d colours gets as many", colours[i]);
	for (int i = 0; i < 18; i++) {
		char value[8];

		snprintf(value, sizeof(value), "0;%d", i);
		ok(chosen(auto_name, wish, 8, NULL, value, THEME_8, i == 7 || (i >= 9 && i <= 15)),
		   "background %d is light or dark by its number", i);
	}
	ok(chosen(auto_name, wish, 256, "1", NULL, THEME_MONO, false), "NO_COLOR turns colours off");
	ok(chosen(auto_name, wish, 8, "", NULL, THEME_8, false), "an empty NO_COLOR leaves the colours");
	ok(chosen(THEME_NAME_DARK, wish, 8, "1", NULL, THEME_8, false), "a chosen theme has colours with NO_COLOR");
	ok(chosen(auto_name, THEME_COLOR_ALWAYS, 8, "1", NULL, THEME_8, false), "demanded colours are used with NO_COLOR");
	ok(chosen(THEME_NAME_DARK_256, THEME_COLOR_ALWAYS, 0, NULL, NULL, THEME_MONO, false),
	   "a terminal without colours has none if they are demanded");
	ok(chosen(THEME_NAME_DARK_256, THEME_COLOR_NEVER, 256, NULL, NULL, THEME_MONO, false),
	   "a user's 'never' turns colours off");
}

static void
test_looks(void)
{
	/* The columns of document/role.def and theme.def; over another role, the one above wins except for colours
	   of what is selected. */
	static const struct {
		struct theme theme;
		enum role role, over;
		struct theme_look look;
	} looks[] = {
		{ { THEME_MONO, false }, ROLE_BAD, ROLE_NORMAL, { ROLE_STYLE_UNDERLINE, -1, -1 } },
		{ { THEME_MONO, false }, ROLE_DIM, ROLE_SELECTED, { ROLE_STYLE_REVERSE, -1, -1 } },
		{ { THEME_MONO, false }, ROLE_BAD, ROLE_SELECTED, { ROLE_STYLE_UNDERLINE | ROLE_STYLE_REVERSE, -1, -1 } },
		{ { THEME_8, false }, ROLE_BAD, ROLE_NORMAL, { 0, 1, -1 } },
		{ { THEME_8, false }, ROLE_BAD, ROLE_SELECTED, { ROLE_STYLE_REVERSE, 1, -1 } },
		{ { THEME_8, false }, ROLE_BAD, ROLE_MATCH, { ROLE_STYLE_REVERSE, 1, -1 } },
		{ { THEME_8, false }, ROLE_DIM, ROLE_NORMAL, { ROLE_STYLE_DIM, -1, -1 } },
		{ { THEME_8, false }, ROLE_DIM, ROLE_TITLE, { ROLE_STYLE_DIM | ROLE_STYLE_BOLD, -1, -1 } },
		{ { THEME_8, false }, ROLE_DIM, ROLE_SELECTED, { ROLE_STYLE_REVERSE, -1, -1 } },
		{ { THEME_8, false }, ROLE_SCAN, ROLE_BAD, { 0, 1, -1 } }, { { THEME_8, false }, ROLE_CODE, ROLE_NORMAL, { 0, 2, -1 } },
		{ { THEME_8, true }, ROLE_CODE, ROLE_NORMAL, { 0, 4, -1 } }, { { THEME_8, true }, ROLE_NOTE, ROLE_NORMAL, { 0, -1, -1 } },
		{ { THEME_16, false }, ROLE_NOTE, ROLE_NORMAL, { 0, -1, -1 } },
		{ { THEME_16, false }, ROLE_CHANGED, ROLE_NORMAL, { ROLE_STYLE_BOLD, 11, -1 } },
		{ { THEME_16, true }, ROLE_CHANGED, ROLE_NORMAL, { ROLE_STYLE_BOLD, 5, -1 } },
		{ { THEME_256, false }, ROLE_BAD, ROLE_SELECTED, { 0, 203, 237 } },
		{ { THEME_256, false }, ROLE_BAD, ROLE_MATCH, { 0, 16, 221 } },
		{ { THEME_256, false }, ROLE_NORMAL, ROLE_SELECTED, { 0, 255, 237 } },
		{ { THEME_256, false }, ROLE_DIM, ROLE_NORMAL, { 0, 245, -1 } },
		{ { THEME_256, true }, ROLE_NORMAL, ROLE_SELECTED, { 0, 16, 252 } },
		{ { THEME_256, true }, ROLE_DATA, ROLE_NORMAL, { 0, 25, -1 } },
		{ { THEME_256, true }, ROLE_KEY, ROLE_NORMAL, { ROLE_STYLE_BOLD, -1, -1 } },
	};

	for (size_t i = 0; i < ARRAY_COUNT(looks); i++) {
		const struct theme_look look = theme_look(looks[i].theme, looks[i].role, looks[i].over);

		ok(look.style == looks[i].look.style && look.foreground == looks[i].look.foreground &&
		   look.background == looks[i].look.background, "look %zu has its style and its colours: %u %d %d",
		   i, look.style, look.foreground, look.background);
	}
}

/* A channel of one of xterm's 256 colours: a cube of six steps, then greys. */
static double
channel(short colour, unsigned which)
{
	static const unsigned place[] = { 36, 6, 1 };
	unsigned value = (unsigned)colour;

	if (value >= 232)
		value = 8 + 10 * (value - 232);
	else
		value = (value - 16) / place[which] % 6 == 0 ? 0 : 55 + 40 * ((value - 16) / place[which] % 6);
	const double part = value / 255.0;
	/* The sRGB curve, exact to 0.005. */
	return part * (part * (part * 0.305306011 + 0.682171111) + 0.012522878);
}

static double
luminance(short colour)
{
	return 0.2126 * channel(colour, 0) + 0.7152 * channel(colour, 1) + 0.0722 * channel(colour, 2);
}

/* The contrast by the formula of the Web Content Accessibility Guidelines. */
static double
contrast(double one, double other)
{
	return one > other ? (one + 0.05) / (other + 0.05) : (other + 0.05) / (one + 0.05);
}

static void
test_contrast(void)
{
	unsigned low = 0, unreadable = 0;

	for (unsigned light = 0; light < 2; light++)
		for (unsigned i = 0; i < ROLE_COUNT; i++) {
			const struct theme theme = { THEME_256, light != 0 };
			struct theme_look look = theme_look(theme, (enum role)i, ROLE_NORMAL);

			if (look.foreground >= 16 && look.background < 0 && contrast(luminance(look.foreground), light) < 4.5) {
				printf("# %s on %s\n", role_look((enum role)i)->name, light ? "light" : "dark");
				low++;
			}
			look = theme_look(theme, (enum role)i, ROLE_SELECTED);
			/* A match is painted over other roles, never under one. */
			unreadable += i != ROLE_MATCH && (look.foreground < 16 || look.background < 16 ||
				       contrast(luminance(look.foreground), luminance(look.background)) < 3);
		}
	is_u64(low, 0, "every colour of 256 can be read on its background");
	is_u64(unreadable, 0, "every colour of 256 can be read on a selected row");
}

/* The terminal defines its 8 or 16 colours; some are known to be too dark or too bright. */
static void
test_palettes(void)
{
	unsigned bad = 0;

	for (unsigned level = THEME_8; level <= THEME_16; level++)
		for (unsigned i = 0; i < ROLE_COUNT; i++) {
			const struct theme light = { (enum theme_level)level, true };
			short colour = theme_look(light, (enum role)i, ROLE_NORMAL).foreground;

			bad += colour == 2 || colour == 3 || colour == 6 || colour == 7 || colour > 8;
		}
	is_u64(bad, 0, "no role of a light theme is yellow, green, cyan or bright");
}

int
main(void)
{
	unsigned bad_ascii = 0, bad_width = 0, unnamed = 0;

	test_choice();
	test_looks();
	test_contrast();
	test_palettes();
	for (unsigned i = 0; i < THEME_GLYPH_COUNT; i++) {
		struct text ascii = text_of(theme_glyph((enum theme_glyph)i, false));
		struct text utf8 = text_of(theme_glyph((enum theme_glyph)i, true));

		bad_ascii += ascii.length != 1 || (unsigned char)ascii.start[0] >= 0x7f;
		bad_width += text_width(utf8) != 1 || text_printable_length(utf8) != utf8.length;
	}
	is_u64(bad_ascii, 0, "every glyph has a form in ASCII");
	is_u64(bad_width, 0, "every glyph has a form in UTF-8 that is as wide");
	for (unsigned i = 0; i < ROLE_COUNT; i++)
		unnamed += role_look((enum role)i)->name[0] == '\0';
	is_u64(unnamed, 0, "every role has a name");
	return done_testing();
}
