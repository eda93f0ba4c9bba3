/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/page_internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct page_writer *const writers[] = {
#define PAGE_FORM(constant, writer) [PAGE_##constant] = &writer,
#include "document/page.def"
#undef PAGE_FORM
};

bool
page_form_named(const char *name, enum page_form *form)
{
	for (size_t i = 0; i < ARRAY_COUNT(writers); i++) {
		*form = (enum page_form)i;
		if (strcmp(name, writers[i]->name) == 0)
			return true;
	}
	return false;
}

bool
page_form_of(const char *name, enum page_form *form)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < ARRAY_COUNT(writers); i++) {
		const size_t end = strlen(writers[i]->ends);

		*form = (enum page_form)i;
		if (length > end && strcmp(name + length - end, writers[i]->ends) == 0)
			return true;
	}
	return false;
}

void
page_begin(struct page *page, enum page_form form, const struct output *output, const char *title,
	   enum page_use use)
{
	*page = (struct page){ .writer = writers[form], .to = *output, .output = *output,
			       .use = writers[form]->scripts ? use : PAGE_READ };
	page->writer->begin(page, title);
}

void
page_end(struct page *page)
{
	if (page->writer->end != NULL)
		page->writer->end(page);
	arena_free(&page->arena);
}

void
page_open(struct page *page, enum page_block block)
{
	const struct page_tags *tags = &page->writer->tags[block];

	if (tags->open == NULL || page->left_out > 0) {
		page->left_out += tags->open == NULL;
		return;
	}
	output_plain(&page->output, tags->open);
	page->verbatim += tags->verbatim;
	if (page->writer->opened != NULL)
		page->writer->opened(page, block);
}

void
page_close(struct page *page, enum page_block block)
{
	const struct page_tags *tags = &page->writer->tags[block];

	if (page->left_out > 0) {
		page->left_out -= tags->open == NULL;
		return;
	}
	if (page->writer->closing != NULL)
		page->writer->closing(page, block);
	page->verbatim -= tags->verbatim;
	output_plain(&page->output, tags->close);
}

void
page_text(struct page *page, enum role role, struct text text)
{
	if (page->left_out == 0 && text.length > 0)
		page->writer->text(page, role, text);
}

static void ATTRIBUTE_PRINTF(3, 0)
write_format(struct page *page, enum role role, const char *format, va_list arguments)
{
	char usual[1024], *longer = NULL;
	va_list again;

	va_copy(again, arguments);
	const int length = vsnprintf(usual, sizeof(usual), format, arguments);
	/* When out of memory, the beginning of the text is written. */
	if (length >= (int)sizeof(usual) && vasprintf(&longer, format, again) < 0)
		longer = NULL;
	page_text(page, role, text_of(longer != NULL ? longer : usual));
	free(longer);
	va_end(again);
}

void
page_format(struct page *page, enum role role, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_format(page, role, format, arguments);
	va_end(arguments);
}

void
page_block_format(struct page *page, enum page_block block, enum role role, const char *format,
		  ...)
{
	va_list arguments;

	page_open(page, block);
	va_start(arguments, format);
	write_format(page, role, format, arguments);
	va_end(arguments);
	page_close(page, block);
}

const struct output *
page_raw(const struct page *page)
{
	return page->left_out == 0 ? &page->output : NULL;
}

void
page_break(struct page *page)
{
	if (page->left_out == 0)
		output_plain(&page->output, "<br>");
}

void
page_block(struct page *page, enum page_block block, enum role role, struct text text)
{
	page_open(page, block);
	page_text(page, role, text);
	page_close(page, block);
}

void
page_table(struct page *page, const struct page_column *columns, size_t count)
{
	page->columns = columns;
	page->column_count = count;
	page_open(page, PAGE_TABLE);
	if (page->left_out == 0)
		page->writer->table(page);
}

void
page_fact(struct page *page, const char *label, enum role role, struct text text)
{
	if (text.length == 0)
		return;
	page_open(page, PAGE_ROW);
	page_block(page, PAGE_CELL, ROLE_KEY, text_of(label));
	page_block(page, PAGE_CELL, role, text);
	page_close(page, PAGE_ROW);
}

/* Writes a row without its trailing blanks. */
static void
write_spans(struct page *page, const struct row *row)
{
	size_t left = text_trimmed((struct text){ row->text, row->length }).length;

	/* Keep the leading blanks that text_trimmed removes. */
	for (size_t i = 0; i < row->length && row->text[i] == ' '; i++)
		left++;
	for (size_t i = 0; i < row->span_count && left > 0; i++) {
		struct text text = row_span_text(row, i);

		text.length = text.length < left ? text.length : left;
		left -= text.length;
		page_text(page, row->spans[i].role, text);
	}
}

/* Writes a row as a line of code; `why` (may be NULL) is its evidence. */
static void
write_line(struct page *page, const struct row *row, const struct row *why)
{
	/* Evidence that repeats the row is left out. */
	const bool evident = why != NULL && why->length > 0 &&
			     !text_equal(text_trimmed(text_of(row_text(row))),
					 text_trimmed(text_of(row_text(why))));

	page_open(page, PAGE_LINE);
	if (evident)
		page_open(page, PAGE_VALUE);
	write_spans(page, row);
	if (evident) {
		page_open(page, PAGE_EVIDENCE);
		write_spans(page, why);
		page_close(page, PAGE_EVIDENCE);
		page_close(page, PAGE_VALUE);
	}
	page_close(page, PAGE_LINE);
}

void
page_listing(struct page *page, const struct listing *listing, size_t first, size_t count,
	     size_t columns)
{
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena), why = ROW_IN(&arena);

	row.names = why.names = page->to.names;
	page_open(page, PAGE_CODE);
	if (listing->head != NULL) {
		listing_head(listing, columns, &row);
		write_line(page, &row, NULL);
	}
	for (size_t i = first; i < listing->count && i - first < count; i++) {
		row_clear(&row);
		row_clear(&why);
		listing_fill(listing, i, columns, &row);
		/* A fold's explanation only says how to open it. */
		if (listing_target(listing, i).kind != TARGET_FOLD)
			listing_explain(listing, i, &why);
		write_line(page, &row, &why);
	}
	page_close(page, PAGE_CODE);
	arena_free(&arena);
}
