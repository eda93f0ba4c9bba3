/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_PAGE_H
#define DOCUMENT_PAGE_H

#include "document/listing.h"

/**
 * A document of headings, tables, rows of listings and folded parts, streamed while it is made.
 *
 * The same calls write Markdown for trackers and mails (the dialect of GitHub and GitLab) or one
 * HTML page that loads no other files. A form is a table of tags and six functions. A block that a
 * form cannot show, such as evidence in Markdown, is left out with its contents.
 *
 * All text passes text_printable, and is escaped so that it cannot be markup.
 */
enum page_form {
#define PAGE_FORM(constant, writer) PAGE_##constant,
#include "document/page.def"
#undef PAGE_FORM
};

/** Blocks; each is opened and closed, and may contain others. */
enum page_block {
	PAGE_SECTION,			/* a heading */
	PAGE_PART,			/* a heading in a section */
	PAGE_PARAGRAPH,
	PAGE_LIST,
	PAGE_ITEM,
	PAGE_TERM,			/* a word with its explanation as evidence */
	PAGE_TABLE,			/* opened by page_table(); contains rows of cells */
	PAGE_ROW,
	PAGE_CELL,
	PAGE_NUMBER,			/* an address or number, in a cell or paragraph */
	PAGE_VALUE,			/* text, then its evidence */
	PAGE_EVIDENCE,
	PAGE_CODE,			/* lines in a monospaced font */
	PAGE_LINE,
	PAGE_DRAWING,			/* output of page_raw(), such as SVG */
	PAGE_FOLD,			/* a title, then a body that unfolds */
	PAGE_FOLD_TITLE,
	PAGE_FOLD_BODY,
	PAGE_BLOCK_COUNT
};

struct page_column {
	const char *name;		/* "": no heading */
	bool right;			/* right-aligned, for numbers to compare */
	bool breaks;			/* long words may be broken into lines */
};

/** Uses of a page. All uses except PAGE_READ need a script. */
enum page_use {
	PAGE_READ,
	PAGE_STEPPED,			/* step through the page */
	PAGE_ANSWERED,			/* step through the page and answer its questions */
};

struct page_writer;

/** Private to page*.c except for its size. */
struct page {
	const struct page_writer *writer;
	struct output to;		/* receives the document */
	struct output output;		/* receives the current output: `to`, or `gathered` */
	struct output_string gathered;	/* lines of code until their fence is known */
	struct arena arena;
	const struct page_column *columns;	/* columns of the open table */
	size_t column_count, column;
	enum page_use use;
	unsigned left_out;		/* number of open blocks that the form leaves out */
	unsigned verbatim;		/* number of open blocks without markup */
};

/** The form named "markdown" or "html". False: unknown name. */
bool
page_form_named(const char *name, enum page_form *form);

/** The form of a file name's suffix: "x.md", "x.html". False: unknown suffix. */
bool
page_form_of(const char *name, enum page_form *form);

/**
 * Begin a document. `output` is copied; `title` may hold any bytes. If `use` is not PAGE_READ, use
 * page_raw() to write the elements that page_steps.c and page_answers.c name. Without a script, and
 * on paper, all steps are shown. page->use is PAGE_READ if the form has no scripts.
 */
void
page_begin(struct page *page, enum page_form form, const struct output *output, const char *title,
	   enum page_use use);

/** End the document and free its memory. */
void
page_end(struct page *page);

void
page_open(struct page *page, enum page_block block);

void
page_close(struct page *page, enum page_block block);

/** Add text that may hold any bytes. */
void
page_text(struct page *page, enum role role, struct text text);

void
page_format(struct page *page, enum role role, const char *format, ...) ATTRIBUTE_PRINTF(3, 4);

/** The output for raw markup (HTML or Markdown); NULL: the open block is left out. */
const struct output *
page_raw(const struct page *page);

/** Write text, escaped so that it cannot be markup of HTML, SVG or XML. */
void
page_write_escaped(const struct output *output, struct text text);

/** Begin a new line in the same block. */
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

/** Add a table row with a label and a text; nothing if the text is empty. */
void
page_fact(struct page *page, const char *label, enum role role, struct text text);

/**
 * Add the headings and rows of a listing as lines of code, cut to `columns` (0: not cut). The
 * evidence of a line is the result of listing_explain().
 */
void
page_listing(struct page *page, const struct listing *listing, size_t first, size_t count,
	     size_t columns);

#endif
