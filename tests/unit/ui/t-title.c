/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compiler.h"
#include "tests/lib/tap.h"
#include "ui/view/layout.h"

#define KEY(name) { name, sizeof(name) - 1 }

static const struct title_tab tabs[] = {
	{ KEY("2"), "source", false },	  { KEY("3"), "evidence", false }, { KEY("4"), "code", true },	  { KEY("5"), "registers", false },
	{ KEY("6"), "memory", false },	  { KEY("7"), "raw", false }, { KEY("8"), "modules", false },	  { KEY("9"), "messages", false },
	{ KEY("0"), "dump", false },	  { KEY("d"), "disassembly", false },
	{ KEY("c"), "table", false },	  { KEY("w"), "methods", false }, { KEY("W"), "walks", false },	  { KEY("E"), "edits", false },
	{ KEY(""), "found", false },	  { KEY("b"), "history", false }, { KEY("v"), "versus", false },
};

enum { COUNT = ARRAY_COUNT(tabs) };

static const struct text more = KEY("V");
static struct arena arena;
static struct row row, info, nothing, bold;

/* A title drawn with '-'. */
#define TITLE_OF(all, many, focus, right)							\
	(struct title){ .tabs = all, .count = many, .focused = focus, .more = more,		\
			.line = "-", .info = right }

static void
make(size_t columns, unsigned count, bool focused, const struct row *right, const char *want, const char *title)
{
	title_make(&row, columns, &TITLE_OF(tabs, count, focused, right));
	is_str(row_text(&row), want, "%s", title);
}

static void
test_forms(void)
{
	static const struct title_tab alone = { KEY("1"), "stack", true };

	make(60, 4, true, &nothing, "- 2 source  3 evidence -[4 code]- 5 registers --------------",
	     "the focused tab is in brackets");
	make(60, 4, false, &nothing, "- 2 source  3 evidence -(4 code)- 5 registers --------------",
	     "a tab without the focus is in parentheses");
	make(47, 4, true, &nothing, "- 2 source  3 evidence -[4 code]- 5 registers -", "tabs that fill the line are all shown");
	make(61, 4, true, &info, "- 2 source  3 evidence -[4 code]- 5 registers -token 8 of 30-",
	     "the information ends one column before the edge");
	title_make(&row, 20, &TITLE_OF(&alone, 1, true, &nothing));
	is_str(row_text(&row), "-[1 stack]----------", "a tab alone has brackets with the focus");
	title_make(&row, 20, &TITLE_OF(&alone, 1, false, &nothing));
	is_str(row_text(&row), "- 1 stack ----------", "a tab alone has no brackets without the focus");
	make(60, 2, false, &nothing, "- 2 source  3 evidence -------------------------------------",
	     "tabs that are not shown have no brackets");
	title_make(&row, 30, &TITLE_OF(tabs + 1, 2, false, &nothing));
	is_str(row_text(&row), "- 3 evidence -(4 code)--------", "one of two tabs has parentheses");
	for (size_t i = 0; i < row.span_count; i++)
		if (row.spans[i].role == ROLE_TITLE)
			row_add_text(&bold, ROLE_TITLE, row_span_text(&row, i));
	is_str(row_text(&bold), "(4 code)", "only the shown tab looks as a title");
	struct title other = TITLE_OF(&alone, 1, false, &nothing);
	other.line = "\xe2\x94\x80";
	title_make(&row, 20, &other);
	is_u64(row.width, 20, "a line of another character is as wide");
}

static void
test_narrow(void)
{
	make(80, 8, true, &info, "- 2 source  3 evidence -[4 code]- 5 registers  V 4 more ----------token 8 of 30-",
	     "the last tabs are a count at 80 columns, with the key that lists them");
	make(80, 17, true, &info, "- 2 source  3 evidence -[4 code]- 5 registers  V 13 more ---------token 8 of 30-",
	     "the count may have two digits");
	make(50, 8, true, &info, "- 2 source -[4 code]- V 6 more -----token 8 of 30-", "the count is higher at 50 columns");
	make(41, 8, true, &info, "-[4 code]- V 7 more -------token 8 of 30-", "the shown tab is left at 41 columns");
	make(28, 8, true, &info, "-[4 code]-----token 8 of 30-", "the count is left out at 28 columns");
	make(20, 8, true, &info, "-[4 code]-----------", "the text at the right is left out at 20 columns");
	make(5, 8, true, &info, "-[4 ~", "the shown tab is cut at 5 columns");
	make(0, 8, true, &info, "", "the title is empty at 0 columns");
	for (size_t columns = 0; columns < 220; columns++) {
		title_make(&row, columns, &TITLE_OF(tabs, COUNT, columns % 2 == 0, &info));
		if (row.width != columns)
			break;
	}
	is_u64(row.width, 219, "the line is as wide as it shall be");
}

static void
test_shown(void)
{
	struct title_tab moved[COUNT];

	for (unsigned i = 0; i < COUNT; i++) {
		moved[i] = tabs[i];
		moved[i].shown = i == 9;
	}
	title_make(&row, 80, &TITLE_OF(moved, COUNT, true, &nothing));
	is_str(row_text(&row), "- 2 source  3 evidence  4 code  5 registers -[d disassembly]- V 12 more --------",
	       "a shown tab that is far to the right follows those that fit");
	moved[9].shown = false;
	moved[14].shown = true;
	title_make(&row, 80, &TITLE_OF(moved, COUNT, false, &nothing));
	is_str(row_text(&row), "- 2 source  3 evidence  4 code  5 registers  6 memory -(found)- V 11 more ------",
	       "a tab without a key is its name");
}

/* The tab of each column: its number, '.' for the line, '+' for the count of others. */
static void
columns_are(int titled, const char *line, const char *want, const char *title)
{
	const struct title eight = TITLE_OF(tabs, 8, true, &nothing);
	char found[80] = "";

	for (size_t i = 0; line[i] != '\0'; i++) {
		const int tab = title_tab_at(&row, &eight, titled, i);

		found[i] = tab == TITLE_NONE ? '.' : tab == TITLE_MORE ? '+' : (char)('0' + tab);
		found[i + 1] = '\0';
	}
	is_str(row_text(&row), line, "%s are these", title);
	is_str(found, want, "%s have these columns", title);
}

static void
test_columns(void)
{
	columns_are(4, "- 2 source  3 evidence -[4 code]- 5 registers  V 4 more -",
		    ".0000000000111111111111.22222222.3333333333333.+++++++++.", "four tabs");
	columns_are(0, "-[4 code]- V 7 more -", ".22222222.++++++++++.", "the shown tab and the count");
	columns_are(-1, "-[4 code]-", ".22222222.", "columns of a tab that is alone");
}

int
main(void)
{
	arena_init(&arena, 0);
	row_init(&row, &arena);
	row_init(&info, &arena);
	row_init(&nothing, &arena);
	row_init(&bold, &arena);
	row_add(&info, ROLE_NOTE, "token 8 of 30");
	test_forms();
	test_narrow();
	test_shown();
	test_columns();
	arena_free(&arena);
	return done_testing();
}
