/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_PAGE_INTERNAL_H
#define DOCUMENT_PAGE_INTERNAL_H

#include "document/page.h"

/** What a block begins and ends with; `open` NULL: the form leaves it out. */
struct page_tags {
	const char *open, *close;
	bool verbatim;
};

/** A form of documents. */
struct page_writer {
	const char *name, *ends;	/* "markdown"; names of its files: ".md" */
	bool steps;			/* its pages can be stepped */
	struct page_tags tags[PAGE_BLOCK_COUNT];
	void (*begin)(struct page *page, const char *title);
	void (*end)(struct page *page);
	void (*table)(struct page *page);	/* its head */
	/* A block begins (after its tag) or ends (before it); NULL: nothing more happens. */
	void (*opened)(struct page *page, enum page_block block);
	void (*closing)(struct page *page, enum page_block block);
	void (*text)(struct page *page, enum role role, struct text text);
};

#define PAGE_FORM(constant, writer) extern const struct page_writer writer;
#include "document/page.def"
#undef PAGE_FORM

/* Of a page that can be stepped: its script, the digest of it, its style and its buttons. */
extern const char page_steps_script[], page_steps_digest[], page_steps_style[],
	page_steps_controls[];

#endif
