/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/compiler.h"
#include "report/lines.h"
#include "report/report.h"
#include "tests/lib/tap.h"

static struct arena arena;

static const char *
row_of(const struct listing *listing, size_t index, size_t columns)
{
	struct row *row = arena_alloc(&arena, sizeof(*row));

	*row = (struct row)ROW_IN(&arena);
	if (columns == SIZE_MAX)
		listing_explain(listing, index, row);
	else
		listing_fill(listing, index, columns, row);
	return row_text(row);
}

/* The text begins at column 6; the rows after the first one are indented by 2. */
static const struct {
	const char *text;
	bool wraps, name, placed;
	size_t columns;
	const char *rows[3];
} texts[] = {
	{ "one two three four five", true, false, false, 24, { " L    one two three four", "        five" } },
	{ "one two three four five", true, false, false, 23, { " L    one two ~our five" } },
	{ "one two three four five", true, false, false, 0, { " L    one two three four five" } },
	{ "one two three four five", false, false, false, 29, { " L    one two three four five" } },
	{ "one two three four five", false, false, false, 28, { " L    one two thr~ four five" } },
	{ "  one two three four five", true, false, false, 26, { " L      one two three four", "          five" } },
	{ "  one two three four five", true, false, false, 25, { " L      one two ~our five" } },
	{ "one  two   three  four", true, false, false, 24, { " L    one  two   three", "        four" } },
	{ "name<of, three, four>::x", true, true, false, 24, { " L    name<~>::x" } },
	{ "one two three four five", true, false, true, 24, { " L    one two three four", "        five   x:3:1" } },
	{ "one two three", true, false, true, 27, { " L    one two three   x:3:1" } },
	{ "one two three", true, false, true, 26, { " L    one two three" } },
	{ "one two three", false, false, true, 0, { " L    one two three   x:3:1" } },
};

TEST(lines)
{
	static const struct input input = { .name = "x" };
	const struct place place = { .input = &input, .line = 3, .column = 1, .length = 4 };

	for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
		struct lines lines = { .arena = &arena, .label_column = 1, .text_column = 6,
				       .wraps = texts[i].wraps, .hang = 2, .shows_places = true };
		struct line *line = lines_add(&lines, "L", ROLE_NORMAL, texts[i].text);
		size_t rows = 0;

		line->is_name = texts[i].name;
		line->place = texts[i].placed ? place : (struct place){ .input = NULL };
		lines_add_format(&lines, "M", ROLE_NORMAL, "%s", "");
		const struct listing listing = lines_listing(&lines, texts[i].columns, &arena);
		for (; rows < ARRAY_COUNT(texts[i].rows) && texts[i].rows[rows] != NULL; rows++)
			is_str(row_of(&listing, rows, texts[i].columns), texts[i].rows[rows], "row %zu of text %zu", rows, i);
		is_u64(listing.count, rows + 1, "text %zu has no other row", i);
		is_str(row_of(&listing, rows, 0), " M    ", "an empty text has a row after text %zu", i);
		is_u64(listing_target(&listing, 0).kind, texts[i].placed ? TARGET_PLACE : TARGET_NONE, "text %zu leads to its place", i);
	}
}

TEST(explained)
{
	static const struct input input = { .name = "x" };
	const struct place place = { .input = &input, .line = 3, .column = 1, .length = 4 };
	struct lines lines = { .arena = &arena };

	lines_add(&lines, "a", ROLE_NORMAL, "  text ")->explanation = " why ";
	lines_add(&lines, "b", ROLE_NORMAL, "  text ")->place = place;
	lines_add(&lines, "c", ROLE_NORMAL, "  text ")->target = TARGET(TARGET_PLACE, .place = place);
	lines_add(&lines, "d", ROLE_NORMAL, "text")->target = TARGET(TARGET_MEMORY, .address = 5);
	const struct listing listing = lines_listing(&lines, 0, &arena);
	is_str(row_of(&listing, 0, SIZE_MAX), "why", "an explanation replaces the text");
	is_str(row_of(&listing, 1, SIZE_MAX), "text   x:3", "a row is explained by the record of its place");
	is_str(row_of(&listing, 2, SIZE_MAX), "text   from x:3:1", "a row is explained by the place where it leads");
	is_u64(listing_target(&listing, 3).address, 5, "a row leads to its target");
	ok(lines_of(&listing) == &lines && lines_add(&lines, "e", ROLE_NORMAL, NULL) == NULL, "a missing text is no line");
}

TEST(numbers)
{
	static const struct {
		size_t numbers[6], count, size;
		const char *text;
	} lists[] = {
		{ { 0 }, 0, 40, "" }, { { 7 }, 1, 40, "7" }, { { 1, 2 }, 2, 40, "1, 2" },
		{ { 1, 2, 3 }, 3, 40, "1-3" }, { { 1, 2, 3, 5, 6, 8 }, 6, 40, "1-3, 5, 6, 8" },
		{ { 4, 6, 7, 8 }, 4, 40, "4, 6-8" }, { { 10, 20, 30 }, 3, 16, "10, 20, 30" },
		{ { 10, 20, 30 }, 3, 15, "10, 20, ..." }, { { 10, 20, 30 }, 3, 12, "10, 20, ..." },
		{ { 10, 20, 30 }, 3, 11, "10, ..." }, { { 10, 20, 30 }, 3, 8, "10, ..." }, { { 10, 20, 30 }, 3, 7, "..." },
	};
	char buffer[40];

	for (size_t i = 0; i < ARRAY_COUNT(lists); i++)
		is_str(report_numbers(lists[i].numbers, lists[i].count, buffer, lists[i].size), lists[i].text,
		       "list %zu in %zu bytes", i, lists[i].size);
}

TEST(values)
{
	static const struct {
		unsigned base, size;
		bool big;
		uint64_t value;
		const char *text;
	} values[] = {
		{ 16, 4, false, 0x1a2b, "00001a2b" }, { 16, 8, false, 0x1a2b, "0000000000001a2b" },
		{ 10, 4, false, 7, "         7" }, { 10, 8, false, 7, "                   7" },
		{ 0, 4, false, 0x7f207e1f, " .~ . " }, { 0, 4, true, 0x7f207e1f, " . ~. " },
		{ 0, 8, false, 0x6867666564636261, " abcdefgh " },
	};

	for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
		struct row row = ROW_IN(&arena);
		report_add_base(&row, ROLE_NORMAL, values[i].base, values[i].size, values[i].big, values[i].value);
		is_str(row_text(&row), values[i].text, "value %zu in base %u", i, values[i].base);
		is_u64((uint64_t)report_value_width(values[i].base, values[i].size), strlen(values[i].text), "value %zu has its width", i);
	}
	is_str(report_count(0).text, "0", "a number of one digit has no comma");
	is_str(report_count(999).text, "999", "a number of three digits has no comma");
	is_str(report_count(1000).text, "1,000", "a number of four digits has a comma");
	is_str(report_count(UINT64_MAX).text, "18,446,744,073,709,551,615", "the largest number has six commas");
}
