/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/row.h"
#include "tests/lib/tap.h"

static void
test_spans(struct row *row)
{
	row_clear(row);
	row_add(row, ROLE_KEY, "%s", "eip");
	row_add(row, ROLE_NORMAL, " ");
	row_add(row, ROLE_NORMAL, "%08x", 0x401000);
	row_add(row, ROLE_BAD, "%s", "");
	is_str(row_text(row), "eip 00401000", "the text is that of its pieces");
	is_u64(row->span_count, 2, "pieces of one role are one span, empty ones are dropped");
	ok(text_equal(row_span_text(row, 1), text_of(" 00401000")), "a span has its text");
	ok(row->spans[0].role == ROLE_KEY, "a span has its role");
	is_u64(row->width, 12, "the width is counted");
}

static void
test_hostile(struct row *row)
{
	row_clear(row);
	row_add(row, ROLE_CODE, "f\x1b[2J\r%s", "\xe2\x80\xae" "x");
	is_str(row_text(row), "f\\x1b[2J\\x0d\\u202ex", "controls become visible");
	is_u64(row->span_count, 5, "an escaped character is a span of its own");
	ok(row->spans[1].role == ROLE_UNKNOWN && row->spans[2].role == ROLE_CODE, "an escaped character has the role of the unknown");
	row_clear(row);
	row_add_text(row, ROLE_CODE, (struct text){ "a\0b", 3 });
	is_str(row_text(row), "a\\x00b", "a NUL does not end a text");
}

static void
test_columns(struct row *row)
{
	row_clear(row);
	row_add(row, ROLE_NORMAL, "ab");
	row_pad(row, 80);
	is_u64(row->width, 80, "a row is padded to a column");
	row_pad(row, 10);
	is_u64(row->width, 80, "padding never shortens a row");

	row_clear(row);
	row_add(row, ROLE_NORMAL, "main");
	row_add_right(row, ROLE_DIM, 20, "app.cc:%d", 7);
	is_str(row_text(row), "main        app.cc:7", "text is set to the right edge");
	row_clear(row);
	row_add(row, ROLE_NORMAL, "main");
	row_add_right(row, ROLE_DIM, 300, "app.cc:%d", 7);
	is_u64(row->width, 108 + 8, "text at the right edge is not set far from the row");
	row_pad(row, 200);
	row_add_right(row, ROLE_DIM, 300, "app.cc:%d", 7);
	is_u64(row->width, 202 + 8, "text at the right edge follows a longer row");
	row_clear(row);
	row_add(row, ROLE_NORMAL, "a long function name");
	row_add_right(row, ROLE_DIM, 16, "app.cc:7");
	is_str(row_text(row), "a long~ app.cc:7", "text at the right edge cuts the text before it");
	row_clear(row);
	row_add(row, ROLE_NORMAL, "main");
	row_add_right(row, ROLE_DIM, 0, "app.cc:7");
	is_str(row_text(row), "main  app.cc:7", "text at the right edge follows if there are no columns");
	row_clear(row);
	row_add_right(row, ROLE_DIM, 4, "app.cc:7");
	is_str(row_text(row), "app~", "text at the right edge is cut if nothing is before it");
}

static void
test_cut(struct row *row)
{
	row_clear(row);
	row_add_cut(row, ROLE_CODE, 9, true, text_of("namespace::function"));
	is_str(row_text(row), "name~tion", "a name is cut in the middle");
	row_clear(row);
	row_add_cut(row, ROLE_CODE, 0, true, text_of("namespace::function"));
	is_str(row_text(row), "namespace::function", "a name that fits is not cut");
	row_clear(row);
	row->cut_mark = "\xe2\x80\xa6";
	row_add_cut(row, ROLE_CODE, 4, false, text_of("abcdef"));
	is_str(row_text(row), "abc\xe2\x80\xa6", "the mark can be another");
	row->cut_mark = "~";

	row_clear(row);
	row_add(row, ROLE_KEY, "abc");
	row_add(row, ROLE_CODE, "def");
	row_cut(row, 3);
	is_str(row_text(row), "ab~", "a row is cut");
	is_u64(row->span_count, 1, "a cut row loses the spans after the cut");
	row_cut(row, 0);
	is_str(row_text(row), "", "a row can be cut to nothing");
	row_clear(row);
	row_add(row, ROLE_NORMAL, "the end of the stack");
	row_cut_sentence(row, 20);
	is_str(row_text(row), "the end of the stack", "a sentence that fits is whole");
	row_cut_sentence(row, 19);
	is_str(row_text(row), "the end of the ~", "a text that does not fit is cut after a word");
	row_cut_sentence(row, 2);
	is_str(row_text(row), "t~", "a text is cut in a word that has no blank before it");
	row_clear(row);
	row_add(row, ROLE_NORMAL, "id 0123456789abcdef01234567");
	row_cut_sentence(row, 24);
	is_str(row_text(row), "id 0123456789abcdef0123~", "a part of an ID is shown");
	row_cut_sentence(row, 0);
	is_str(row_text(row), "", "a sentence without room is empty");
	is_u64(row->span_count, 0, "a sentence without room has no spans");
}

/* ECMA-48, SGR: 3n is one of 8 colours; 38;5;n is one of 256. */
static const struct {
	unsigned colours;
	const char *want, *title;
} rows[] = {
	{ 0, "", "a role has no escapes without colours" }, { 8, "\033[31m", "a colour of 8 is written" },
	{ 256, "\033[38;5;203m", "a colour of 256 is written if there are as many" }, { 255, "\033[31m", "255 colours are not 256" },
};

TEST_EACH(colours, rows)
{
	struct arena arena = { 0 };
	struct output_string string;

	output_string_init(&string, &arena);
	string.output.colors = &rows[i].colours;
	row_role(&string.output, ROLE_BAD);
	is_str(string.text, rows[i].want, "%s", rows[i].title);
	row_role(&string.output, ROLE_NORMAL);
	is_str(string.text, rows[i].want, "normal text has no escape");
	arena_free(&arena);
}

static void
test_source(struct row *row)
{
	row_clear(row);
	row_add(row, ROLE_DIM, " 58 ");
	row_add_source(row, ROLE_NORMAL, text_of("\tint\tx;\r"), 8);
	is_str(row_text(row), " 58         int     x;\\x0d", "tabs count from where the source begins");
}

TEST(memory)
{
	struct arena arena = { 0 };
	struct row row;
	char name[10000];

	memset(name, 'A', sizeof(name));
	row_init(&row, &arena);
	is_str(row_text(&row), "", "a new row is empty");
	for (unsigned i = 0; i < 3; i++) {
		row_clear(&row);
		row_add_cut(&row, ROLE_CODE, 20, true, (struct text){ name, sizeof(name) });
		row_add(&row, ROLE_CODE, "%.*s", (int)sizeof(name), name);
	}
	size_t used = arena.used;
	for (unsigned i = 0; i < 1000; i++) {
		row_clear(&row);
		row_add_cut(&row, ROLE_CODE, 20, true, (struct text){ name, sizeof(name) });
		row_add(&row, ROLE_CODE, "%.*s", (int)sizeof(name), name);
	}
	is_u64(arena.used, used, "a row that is used again needs no additional memory");
	is_u64(row.length, 10020, "a row holds long names whole");
	arena_free(&arena);

	arena_init(&arena, 1024);
	row_init(&row, &arena);
	row_add(&row, ROLE_NORMAL, "short");
	row_add_text(&row, ROLE_NORMAL, (struct text){ name, sizeof(name) });
	is_str(row_text(&row), "short", "a row stays short if it is out of memory");
	arena_free(&arena);
}

TEST(wrapping)
{
	const struct text text = text_of("one two  three incomprehensible x");

	is_u64(row_wrap_count(text, 8), 5, "a text is broken at blanks, a wide word inside");
	ok(text_equal(row_wrap_line(text, 8, 0), text_of("one two")), "blanks at the end of a line are left out");
	ok(text_equal(row_wrap_line(text, 8, 2), text_of("incompre")), "a wide word is cut");
	ok(text_equal(row_wrap_line(text, 8, 9), text_of("")), "the text has no line after the last one");
	is_u64(row_wrap_count(text_of(""), 8), 1, "an empty text is one empty line");
	is_u64(row_wrap_count(text, 0), 28, "the narrowest screen has one column");
}

int
main(void)
{
	struct arena arena = { 0 };
	struct row row;

	row_init(&row, &arena);
	test_spans(&row);
	test_hostile(&row);
	test_columns(&row);
	test_cut(&row);
	test_source(&row);
	arena_free(&arena);
	run_tests();
	return done_testing();
}
