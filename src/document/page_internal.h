/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_PAGE_INTERNAL_H
#define DOCUMENT_PAGE_INTERNAL_H

#include "document/page.h"

/** The beginning and end of a block; `open` NULL: the form omits the block. */
struct page_tags {
	const char *open, *close;
	bool verbatim;
};

/** A form of documents. */
struct page_writer {
	const char *name, *ends;	/* "markdown"; end of its file names: ".md" */
	bool scripts;			/* pages in this form can have scripts */
	struct page_tags tags[PAGE_BLOCK_COUNT];
	void (*begin)(struct page *page, const char *title);
	void (*end)(struct page *page);		/* may be NULL */
	void (*table)(struct page *page);	/* writes the table's headings */
	/* Called after a block's opening tag and before its closing tag; may be NULL */
	void (*opened)(struct page *page, enum page_block block);
	void (*closing)(struct page *page, enum page_block block);
	void (*text)(struct page *page, enum role role, struct text text);
};

#define PAGE_FORM(constant, writer) extern const struct page_writer writer;
#include "document/page.def"
#undef PAGE_FORM

/* Script, digest of the script, and style: for pages with steps and for pages with answers. */
extern const char page_steps_script[], page_steps_digest[], page_steps_style[],
	page_steps_controls[], page_answers_digest[], page_answers_style[];
extern const char *const page_answers_script[3];	/* parts of one script */

#endif
