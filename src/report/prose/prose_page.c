/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/prose/prose_stage.h"
#include "report/prose/prose_write.h"

/* A page of steps in prose; in HTML the reader can step through it. */
struct paging {
	struct page page;
	bool stepped;
	uint32_t steps; /* number of steps written */
	struct prose_words words;
	enum page_block open; /* block around the last items; PAGE_BLOCK_COUNT: none */
};

/* Opens the block for lines or items, or closes the open one. */
static void
go_into(struct paging *paging, enum page_block block)
{
	if (paging->open == block)
		return;
	if (paging->open != PAGE_BLOCK_COUNT)
		page_close(&paging->page, paging->open);
	if (block != PAGE_BLOCK_COUNT)
		page_open(&paging->page, block);
	paging->open = block;
}

/* Writes a text; at their first use, terms are marked and have their glossary entry. */
static void
write_text(struct paging *paging, const char *text)
{
	struct page *page = &paging->page;
	struct prose_piece piece;

	for (size_t at = 0; prose_next(text, &at, &piece);) {
		const struct glossary_entry *entry = prose_words_meet(&paging->words, piece.term);

		if (entry == NULL) {
			page_text(page, ROLE_NORMAL, piece.text);
			continue;
		}
		page_open(page, PAGE_TERM);
		page_text(page, ROLE_NORMAL, piece.text);
		page_block_format(
			page, PAGE_EVIDENCE, ROLE_NORMAL, "%s: %s", entry->term, entry->text);
		page_close(page, PAGE_TERM);
	}
}

static void
write_item(struct paging *paging, const struct prose_item *item)
{
	static const struct {
		enum page_block around, block;
	} blocks[] = {
		[PROSE_TITLE] = { PAGE_BLOCK_COUNT, PAGE_PART },
		[PROSE_PARAGRAPH] = { PAGE_BLOCK_COUNT, PAGE_PARAGRAPH },
		[PROSE_ITEM] = { PAGE_LIST, PAGE_ITEM },
		[PROSE_FIGURE] = { PAGE_CODE, PAGE_LINE },
	};

	go_into(paging, blocks[item->kind].around);
	page_open(&paging->page, blocks[item->kind].block);
	write_text(paging, item->text);
	page_close(&paging->page, blocks[item->kind].block);
}

static void
end_step(struct paging *paging)
{
	go_into(paging, PAGE_BLOCK_COUNT);
	output_plain(page_raw(&paging->page), "</div>\n");
}

/* Writes all items, each inside its step. */
static void
write_stepped(struct paging *paging, const struct prose *prose)
{
	struct prose_steps steps;
	struct arena arena = { 0 };

	if (!prose_steps_make(&steps, prose, paging->steps + 1, &arena)) {
		arena_free(&arena);
		return;
	}
	output_plain(page_raw(&paging->page), "<section class=\"told\">\n");
	page_block(&paging->page, PAGE_SECTION, ROLE_NORMAL,
		text_of(text_or_empty(prose_title(prose, prose->arena))));
	prose_stage_write(&paging->page, &steps, &arena);
	for (size_t i = 0; i < prose->count; i++) {
		if (prose_steps_begins(&steps, i)) {
			if (i > 0)
				end_step(paging);
			prose_stage_open(&paging->page, &steps, i);
		}
		write_item(paging, &prose->items[i]);
	}
	end_step(paging);
	paging->steps += steps.count;
	output_plain(page_raw(&paging->page), "</section>\n");
	arena_free(&arena);
}

static void
prose_page_write_step(void *context, const struct prose *prose)
{
	struct paging *paging = context;

	if (paging->stepped) {
		write_stepped(paging, prose);
		return;
	}
	page_block(&paging->page, PAGE_SECTION, ROLE_NORMAL,
		text_of(text_or_empty(prose_title(prose, prose->arena))));
	for (size_t i = 0; i < prose->count; i++)
		if (!prose->items[i].detail)
			write_item(paging, &prose->items[i]);
	go_into(paging, PAGE_BLOCK_COUNT);
}

static void
prose_page_write_repeated(void *context, const char *text)
{
	struct paging *paging = context;

	page_block(&paging->page, PAGE_PARAGRAPH, ROLE_NORMAL, text_of(text));
}

/* Writes the meanings of the marked terms. */
static void
write_words(struct paging *paging)
{
	struct page *page = &paging->page;

	if (paging->stepped)
		output_plain(page_raw(page), "<section class=\"words\">\n");
	page_block(page, PAGE_SECTION, ROLE_NORMAL, text_of("Words"));
	page_open(page, PAGE_LIST);
	for (size_t i = 0; i < paging->words.count; i++) {
		page_open(page, PAGE_ITEM);
		page_block(page, PAGE_TERM, ROLE_NORMAL, text_of(paging->words.items[i]->term));
		page_format(page, ROLE_NORMAL, ": %s", paging->words.items[i]->text);
		page_close(page, PAGE_ITEM);
	}
	page_close(page, PAGE_LIST);
	if (paging->stepped)
		output_plain(page_raw(page), "</section>\n");
}

void
prose_page(const struct prose_range *range, enum page_form form, const struct output *output)
{
	struct paging paging = { .open = PAGE_BLOCK_COUNT };
	const struct prose_reader reader = { prose_page_write_step, prose_page_write_repeated,
					     &paging };

	paging.stepped = page_begin_stepped(&paging.page, form, output,
					    "How the stack was unwound");
	prose_each(range, &reader);
	write_words(&paging);
	page_end(&paging.page);
}
