/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/page.h"
#include "tests/lib/tap.h"

/* Text that could be markup, end a tag, control a terminal or change the direction of text. */
#define HOSTILE "<script>\"x\"'&\x1b[2J\xe2\x80\xae`*_|"

static struct arena arena;
static struct output_string written;
static struct page page;

static void
begin(enum page_form form)
{
	output_string_init(&written, &arena);
	page_begin(&page, form, &written.output, HOSTILE, PAGE_READ);
}

/* The output since `begin`, from the first `from` in it. */
static const char *
ended(const char *from)
{
	page_end(&page);
	const char *at = strstr(written.text, from);

	return at != NULL ? at : "";
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	(void)columns;
	row_add_text(row, ROLE_NORMAL, text_of("  "));
	row_add_text(row, ROLE_CODE, text_of(((const char *const *)listing->context)[index]));
	row_add_text(row, ROLE_NORMAL, text_of("  "));
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	(void)listing;
	row_add_text(row, ROLE_NORMAL, text_of(index == 0 ? "said by <a>" : "same"));
}

static void
fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	(void)listing;
	(void)columns;
	row_add(row, ROLE_TITLE, "name");
}

static struct target
row_target(const struct listing *listing, size_t index)
{
	(void)listing;
	return TARGET(index == 2 ? TARGET_FOLD : TARGET_NONE, .frame = 0);
}

static const char *const names[] = { "a```b", "same", "folded" };
static const struct listing rows = {
	.count = 3, .head = fill_head, .fill = fill_row, .target = row_target,
	.explain = explain_row, .context = names,
};

TEST(html)
{
	begin(PAGE_HTML);
	page_block(&page, PAGE_PARAGRAPH, ROLE_BAD, text_of(HOSTILE));
	const char *html = ended("<p>");
	is_str(html, "<p><span class=\"bad\">&lt;script&gt;&quot;x&quot;&#39;&amp;\\x1b[2J\\u202e`*_|</span>"
	       "</p>\n</body>\n</html>\n", "no text of an input is markup, a control or a direction mark");
	ok(strstr(written.text, "<script") == NULL, "the title has no markup of an input");
	ok(strstr(written.text, "default-src 'none'; style-src 'unsafe-inline'") != NULL,
	   "the page forbids browsers to load and run anything");
	ok(strstr(written.text, "content=\"width=device-width, initial-scale=1\"") != NULL, "a telephone lays it out for its own width");
	ok(strstr(written.text, "http") == strstr(written.text, "http-equiv") &&
		   strstr(strstr(written.text, "http-equiv") + 4, "http") == NULL, "the page has no address to load from");
}

TEST(evidence)
{
	begin(PAGE_HTML);
	page_listing(&page, &rows, 0, 3, 0);
	is_str(ended("<pre>"), "<pre><span class=\"title\">name</span>\n"
	       "<span class=\"value\" tabindex=\"0\">  <span class=\"code\">a```b</span>"
	       "<span class=\"why\">said by &lt;a&gt;</span></span>\n"
	       "  <span class=\"code\">same</span>\n  <span class=\"code\">folded</span>\n"
	       "</pre>\n</body>\n</html>\n", "a row with evidence can get the focus; rows that repeat or open it cannot");
	begin(PAGE_MARKDOWN);
	page_listing(&page, &rows, 0, 2, 0);
	is_str(ended("\n````"), "\n````\nname\n  a```b\n  same\n````\n",
	       "Markdown leaves evidence out, and a fence is longer than any in the text");
}

TEST(tables)
{
	static const struct page_column named[] = { { .name = "n", .right = true },
						    { .name = "name", .breaks = true } };
	static const struct page_column facts[] = { { .name = "" }, { .name = "" } };

	begin(PAGE_HTML);
	page_table(&page, named, 2);
	page_fact(&page, "1", ROLE_NORMAL, text_of("<b>"));
	page_close(&page, PAGE_TABLE);
	page_table(&page, facts, 2);
	page_fact(&page, "file", ROLE_NORMAL, text_of("x"));
	page_fact(&page, "none", ROLE_NORMAL, text_of(""));
	page_close(&page, PAGE_TABLE);
	is_str(ended("<table"), "<table class=\"wide\">\n<thead>\n<tr><th scope=\"col\">n</th>"
	       "<th scope=\"col\">name</th></tr>\n</thead>\n<tbody>\n"
	       "<tr><td data-column=\"n\"><span class=\"key\">1</span></td>"
	       "<td data-column=\"name\" class=\"breaks\">&lt;b&gt;</td></tr>\n"
	       "</tbody>\n</table>\n"
	       "<table class=\"facts\">\n<tbody>\n"
	       "<tr><th scope=\"row\"><span class=\"key\">file</span></th><td>x</td></tr>\n"
	       "</tbody>\n</table>\n</body>\n</html>\n", "cells have their column, and a fact without text is no row");
	begin(PAGE_MARKDOWN);
	page_table(&page, named, 2);
	page_fact(&page, "1", ROLE_NORMAL, text_of(HOSTILE));
	page_close(&page, PAGE_TABLE);
	is_str(ended("\n| n"), "\n| n | name |\n|---:|---|\n"
	       "| 1 | \\<script\\>\"x\"'\\&\\\\x1b\\[2J\\\\u202e\\`\\*\\_\\| |\n",
	       "a cell of Markdown ends at the column of the table");
}

TEST(folds)
{
	for (unsigned form = 0; form < 2; form++) {
		begin(form == 0 ? PAGE_MARKDOWN : PAGE_HTML);
		page_block(&page, PAGE_SECTION, ROLE_NORMAL, text_of("Others"));
		page_open(&page, PAGE_FOLD);
		page_block(&page, PAGE_FOLD_TITLE, ROLE_NORMAL, text_of("thread 1"));
		page_open(&page, PAGE_FOLD_BODY);
		page_block(&page, PAGE_PARAGRAPH, ROLE_NORMAL, text_of("its frames"));
		page_open(&page, PAGE_EVIDENCE);
		page_break(&page);
		page_close(&page, PAGE_EVIDENCE);
		page_listing(&page, &rows, 2, 1, 0);
		page_close(&page, PAGE_FOLD_BODY);
		page_close(&page, PAGE_FOLD);
		page_block(&page, PAGE_PARAGRAPH, ROLE_NORMAL, text_of("end"));
		if (form == 0)
			is_str(ended("\n## "), "\n## Others\n- thread 1\n\nend\n",
			       "Markdown has the title of a fold, and continues after it");
		else
			ok(strstr(ended("<details>"), "<details>\n<summary>thread 1</summary>\n<p>its frames</p>\n") !=
				   NULL, "HTML has the body of a fold");
	}
}

TEST(looks)
{
	begin(PAGE_HTML);
	const char *html = ended("<style>");
	const char *dark = strstr(html, "prefers-color-scheme:dark){\n");

	/* Colour 114 of the terminal's 256 is 87d787: 16 + 36 * 2 + 6 * 4 + 2. */
	ok(dark != NULL && strstr(dark, ".code{color:#afd787;}") != NULL, "roles have the terminal's colours on a dark page");
	const char *light = strstr(html, ".code{color:#576b43;}");
	ok(light != NULL && light < dark, "roles have colours half as bright on a light page");
	ok(strstr(html, ".bad{color:#7f2f2f;text-decoration:underline;}") != NULL, "roles have attributes in addition to colours");
	ok(strstr(html, ".match{background:#ffd75f;color:#000000;}") != NULL, "a colour with its own background is unchanged");
}

TEST(names)
{
	enum page_form form;

	ok(page_form_named("html", &form) && form == PAGE_HTML, "a form has a name");
	ok(!page_form_named("HTML ", &form), "a form's name needs all of its letters");
	ok(page_form_of("a.b.md", &form) && form == PAGE_MARKDOWN, "a file's name ends with its form");
	ok(!page_form_of(".md", &form) && !page_form_of("md", &form), "a file's name has letters before its form");
}
