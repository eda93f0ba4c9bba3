/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_PAGE_H
#define DOCUMENT_PAGE_H

#include "document/listing.h"

/**
 * A document of headings, tables, rows of listings and folded parts, written as it is made.
 *
 * The same calls give Markdown for trackers and mails (the dialect of GitHub and GitLab) and one
 * HTML page that needs no other file and no script. A form is a table of tags and six functions.
 * What a form cannot show, such as evidence in Markdown, it leaves out with all that is in it.
 *
 * All text passes text_printable, and nothing in it can be markup.
 */
enum page_form {
#define PAGE_FORM(constant, writer) PAGE_##constant,
#include "document/page.def"
#undef PAGE_FORM
};

/** What is opened and closed; blocks nest. */
enum page_block {
	PAGE_SECTION,			/* a heading */
	PAGE_PART,			/* a heading in a section */
	PAGE_PARAGRAPH,
	PAGE_LIST,			/* of items */
	PAGE_ITEM,
	PAGE_TERM,			/* a word that is explained, as its evidence */
	PAGE_TABLE,			/* opened by page_table(); rows follow, of cells */
	PAGE_ROW,
	PAGE_CELL,
	PAGE_NUMBER,			/* an address or another number, in a cell or paragraph */
	PAGE_VALUE,			/* text that ends with its evidence */
	PAGE_EVIDENCE,			/* what says so */
	PAGE_CODE,			/* lines of fixed pitch */
	PAGE_LINE,			/* a line of code */
	PAGE_DRAWING,			/* what page_raw() writes, as SVG */
	PAGE_FOLD,			/* a title, then a body that is opened on demand */
	PAGE_FOLD_TITLE,
	PAGE_FOLD_BODY,
	PAGE_BLOCK_COUNT
};

/** A column of a table. */
struct page_column {
	const char *name;		/* "": it needs none */
	bool right;			/* for numbers that are counted */
	bool breaks;			/* long words in it may go on in the next line */
};

struct page_writer;

/** Private to page*.c, but for its size. */
struct page {
	const struct page_writer *writer;
	struct output to;		/* gets the document */
	struct output output;		/* gets what is written now: `to`, or `gathered` */
	struct output_string gathered;	/* lines of code, before their fence is known */
	struct arena arena;
	const struct page_column *columns;	/* of the table that is open */
	size_t column_count, column;
	bool stepped;			/* by the script at its end */
	unsigned left_out;		/* blocks that are open and that the form leaves out */
	unsigned verbatim;		/* blocks that are open in which nothing is markup */
};

/** The form called "markdown" or "html". False where it is none of them. */
bool
page_form_named(const char *name, enum page_form *form);

/** The form that a file's name ends with: "x.md", "x.html". False where it names none. */
bool
page_form_of(const char *name, enum page_form *form);

/** Begin a document; `output` is copied, `title` may hold bytes of an input. */
void
page_begin(struct page *page, enum page_form form, const struct output *output, const char *title);

/**
 * page_begin() of a page with steps: page_raw() writes the elements that page_steps.c names.
 * Without a script, and on paper, all steps are shown. False where the form has no steps.
 */
bool
page_begin_stepped(struct page *page, enum page_form form, const struct output *output,
		   const char *title);

/** End it and free what it needed. */
void
page_end(struct page *page);

void
page_open(struct page *page, enum page_block block);

void
page_close(struct page *page, enum page_block block);

/** Add text that may hold any bytes. */
void
page_text(struct page *page, enum role role, struct text text);

/** Add formatted text. */
void
page_format(struct page *page, enum role role, const char *format, ...) ATTRIBUTE_PRINTF(3, 4);

/**
 * Where to write what is in the page's own language, in a block of its own; NULL: it is left out.
 */
const struct output *
page_raw(const struct page *page);

/** Go on in a new line of the same block. */
void
page_break(struct page *page);

/** A block of text: page_open, page_text, page_close. */
void
page_block(struct page *page, enum page_block block, enum role role, struct text text);

/** A block of formatted text. */
void
page_block_format(struct page *page, enum page_block block, enum role role, const char *format,
		  ...) ATTRIBUTE_PRINTF(4, 5);

/** Open a table; the columns are borrowed until it is closed. */
void
page_table(struct page *page, const struct page_column *columns, size_t count);

/** Add a row of a table whose cells are a label and a text; nothing where the text is empty. */
void
page_fact(struct page *page, const char *label, enum role role, struct text text);

/**
 * Add rows of a listing as lines of code, cut to `columns` (0: not cut), each with what
 * listing_explain says of it as its evidence. The columns' names come first.
 */
void
page_listing(struct page *page, const struct listing *listing, size_t first, size_t count,
	     size_t columns);

#endif
