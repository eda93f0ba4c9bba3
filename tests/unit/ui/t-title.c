/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compiler.h"
#include "tests/lib/tap.h"
#include "ui/title.h"

static const struct title_tab tabs[] = {
	{ 2, "source", false },	   { 3, "evidence", false }, { 4, "tape", true },
	{ 5, "registers", false }, { 6, "memory", false },   { 7, "raw", false },
	{ 8, "modules", false },   { 9, "messages", false },
};

static struct arena arena;
static struct row row, info, nothing;

static void
make(size_t columns, unsigned count, bool focused, const struct row *right, const char *want,
     const char *title)
{
	title_make(&row, columns, tabs, count, focused, right, "-");
	is_str(row_text(&row), want, "%s", title);
}

static void
test_forms(void)
{
	static const struct title_tab alone = { 1, "stack", true };

	make(60, 4, true, &nothing, "- 2 source  3 evidence -[4 tape]- 5 registers --------------",
	     "the tab with the focus stands in brackets");
	make(60, 4, false, &nothing, "- 2 source  3 evidence -(4 tape)- 5 registers --------------",
	     "without the focus, the shown one in parentheses");
	make(61, 4, true, &info, "- 2 source  3 evidence -[4 tape]- 5 registers -token 8 of 30-",
	     "what there is to say ends one column before the edge");
	title_make(&row, 20, &alone, 1, true, &nothing, "-");
	is_str(row_text(&row), "-[1 stack]----------", "a tab alone has brackets with the focus");
	title_make(&row, 20, &alone, 1, false, &nothing, "-");
	is_str(row_text(&row), "- 1 stack ----------", "and nothing without");
	title_make(&row, 20, &alone, 1, false, &nothing, "\xe2\x94\x80");
	is_u64(row.width, 20, "a line of another character is as wide");
}

static void
test_narrow(void)
{
	make(80, 8, true, &info,
	     "- 2 source  3 evidence -[4 tape]- 5 registers  6 memory  7  8  9 -token 8 of 30-",
	     "at 80 columns the last tabs are numbers");
	make(50, 8, true, &info, "- 2  3 -[4 tape]- 5  6  7  8  9 ----token 8 of 30-",
	     "at 50 they all are");
	make(40, 8, true, &info, "-[4 tape]-----------------token 8 of 30-",
	     "at 40 only the shown one is left");
	make(20, 8, true, &info, "-[4 tape]-----------", "at 20 there is nothing at the right");
	make(5, 8, true, &info, "-[4 ~", "at 5 it is cut");
	make(0, 8, true, &info, "", "at 0 there is nothing");
	for (size_t columns = 0; columns < 120; columns++) {
		title_make(&row, columns, tabs, 8, columns % 2 == 0, &info, "-");
		if (row.width != columns)
			break;
	}
	is_u64(row.width, 119, "the line is as wide as it shall be");
}

static void
test_columns(void)
{
	is_u64(title_tab_at(&row, tabs, 8, 8, 3), 0,
	       "a column of the first title is the first tab");
	is_u64(title_tab_at(&row, tabs, 8, 8, 26), 2, "a column in the brackets is the shown one");
	is_u64(title_tab_at(&row, tabs, 8, 8, 0), 8, "the line is no tab");
	is_u64(title_tab_at(&row, tabs, 8, 8, 200), 8, "nor is what is behind the last");
	is_u64(title_tab_at(&row, tabs, 8, 0, 5), 1, "a number is its tab");
	is_u64(title_tab_at(&row, tabs, 8, -1, 2), 2, "a tab that is alone is found");
}

int
main(void)
{
	arena_init(&arena, 0);
	row_init(&row, &arena);
	row_init(&info, &arena);
	row_init(&nothing, &arena);
	row_add(&info, ROLE_NOTE, "token 8 of 30");
	test_forms();
	test_narrow();
	test_columns();
	arena_free(&arena);
	return done_testing();
}
