/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/page_internal.h"

/* Writes \ before special characters of Markdown and HTML, except in code spans and fences. */
static void
page_markdown_write_escaped(void *context, const char *bytes, size_t length)
{
	static const bool special[UINT8_MAX + 1] = {
		['\\'] = true, ['`'] = true, ['*'] = true, ['_'] = true, ['['] = true,
		[']'] = true, ['<'] = true, ['>'] = true, ['|'] = true, ['#'] = true,
		['&'] = true, ['~'] = true, ['$'] = true,
	};
	const struct output *to = context;
	size_t written = 0;

	for (size_t i = 0; i < length; i++) {
		if (!special[(uint8_t)bytes[i]])
			continue;
		to->write(to->context, bytes + written, i - written);
		to->write(to->context, "\\", 1);
		written = i;
	}
	to->write(to->context, bytes + written, length - written);
}

static void
page_markdown_write_text(struct page *page, enum role role, struct text text)
{
	struct output to = page->output;
	const struct output escaped = { .write = page_markdown_write_escaped, .context = &to,
					.names = page->to.names };

	(void)role;
	to.names = page->to.names;
	output_text(page->verbatim > 0 ? &to : &escaped, text);
}

static void
page_markdown_begin(struct page *page, const char *title)
{
	output_plain(&page->output, "# ");
	page_markdown_write_text(page, ROLE_TITLE, text_of(title));
	output_plain(&page->output, "\n");
}

static void
page_markdown_write_head(struct page *page)
{
	output_plain(&page->output, "|");
	for (size_t i = 0; i < page->column_count; i++)
		output_format(&page->output, page->columns[i].name[0] != '\0' ? " %s |" : "%s |",
			      page->columns[i].name);
	output_plain(&page->output, "\n|");
	for (size_t i = 0; i < page->column_count; i++)
		output_plain(&page->output, page->columns[i].right ? "---:|" : "---|");
	output_plain(&page->output, "\n");
}

/* Lines of code are gathered to choose a fence that none of them can close. */
static void
page_markdown_opened(struct page *page, enum page_block block)
{
	if (block != PAGE_CODE)
		return;
	output_string_init(&page->gathered, &page->arena);
	page->output = page->gathered.output;
}

static void
page_markdown_closing(struct page *page, enum page_block block)
{
	const char *text = text_or_empty(page->gathered.text);
	size_t length = 3, run = 0;

	if (block != PAGE_CODE)
		return;
	page->output = page->to;
	for (const char *at = text; *at != '\0'; at++) {
		run = *at == '`' ? run + 1 : 0;
		length = run + 1 > length ? run + 1 : length;
	}
	for (int i = 0; i < 2; i++) {
		output_plain(&page->output, i == 0 ? "" : text);
		for (size_t mark = 0; mark < length; mark++)
			output_plain(&page->output, "`");
		output_plain(&page->output, "\n");
	}
	arena_reset(&page->arena);
	page->gathered.text = NULL;
}

const struct page_writer page_markdown = {
	.name = "markdown",
	.ends = ".md",
	.tags = {
		[PAGE_SECTION] = { "\n## ", "\n", false },
		[PAGE_PART] = { "\n### ", "\n", false },
		[PAGE_LIST] = { "\n", "", false },
		[PAGE_ITEM] = { "- ", "\n", false },
		[PAGE_TERM] = { "**", "**", false },
		[PAGE_PARAGRAPH] = { "\n", "\n", false },
		[PAGE_TABLE] = { "\n", "", false },
		[PAGE_ROW] = { "|", "\n", false },
		[PAGE_CELL] = { " ", " |", false },
		[PAGE_NUMBER] = { "`", "`", true },
		[PAGE_VALUE] = { "", "", false },
		[PAGE_CODE] = { "\n", "", true },
		[PAGE_LINE] = { "", "\n", true },
		[PAGE_FOLD] = { "", "", false },
		[PAGE_FOLD_TITLE] = { "- ", "\n", false },
	},
	.begin = page_markdown_begin,
	.table = page_markdown_write_head,
	.opened = page_markdown_opened,
	.closing = page_markdown_closing,
	.text = page_markdown_write_text,
};
