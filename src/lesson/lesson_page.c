/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/lesson_run.h"

#include <string.h>

#include "document/page.h"
#include "inspect/recorded_step.h"
#include "lesson/check_answer.h"
#include "report/glossary.h"
#include "report/memory/frame_drawing.h"

struct lesson_pages {
	struct page page;
	struct lesson_scene *scene;
	enum lesson_reader reader;
	struct arena arena;
	const struct walk *drawn;	/* walk of the last drawing, with its frame */
	size_t frame;
};

/* Write the paragraphs of a text with the engine's answers. */
static void
write_text(struct lesson_pages *pages, const struct lesson_text *text)
{
	const char *filled = text_or_empty(operand_fill(text, pages->scene, &pages->arena));

	while (*filled != '\0') {
		const size_t length = strcspn(filled, "\n");
		const struct text paragraph = { filled, length };

		page_block(&pages->page, PAGE_PARAGRAPH, ROLE_NORMAL, paragraph);
		filled += length + strspn(filled + length, "\n");
	}
}

static void
write_fold(struct lesson_pages *pages, const char *title)
{
	page_open(&pages->page, PAGE_FOLD);
	page_block(&pages->page, PAGE_FOLD_TITLE, ROLE_NORMAL, text_of(title));
	page_open(&pages->page, PAGE_FOLD_BODY);
}

static void
close_fold(struct lesson_pages *pages)
{
	page_close(&pages->page, PAGE_FOLD_BODY);
	page_close(&pages->page, PAGE_FOLD);
}

/* Write the glossary's terms in a text. */
static void
write_words(struct lesson_pages *pages, const struct lesson_text *text)
{
	struct lesson_piece piece;

	for (size_t at = 0; lesson_next_piece(text->text, &at, &piece);) {
		const struct glossary_entry *entry =
			piece.kind == LESSON_WORD ? glossary_explain(piece.text, &pages->arena)
						  : NULL;

		if (entry == NULL)
			continue;
		write_fold(pages, entry->term);
		page_block(&pages->page, PAGE_PARAGRAPH, ROLE_NORMAL, text_of(entry->text));
		close_fold(pages);
	}
}

/* Draw the frame of a card, once. */
static void
draw_frame(struct lesson_pages *pages)
{
	struct lesson_scene *scene = pages->scene;
	struct step_view view;

	walk_run(scene->walk, scene->frame + 2);
	if ((pages->drawn == scene->walk && pages->frame == scene->frame) ||
	    scene->frame >= scene->walk->count)
		return;
	pages->drawn = scene->walk;
	pages->frame = scene->frame;
	step_view_make(&view, scene->walk, scene->frame);
	const struct frame_drawing_options options = { .step = &view,
						       .memory = &scene->walk->memory,
						       .binaries = scene->binaries };
	const char *title = arena_format(&pages->arena,
					 "Frame %zu of thread %zu, drawn (the answers are in it)",
					 scene->frame, scene->thread);
	write_fold(pages, text_or_empty(title));
	page_open(&pages->page, PAGE_DRAWING);
	const struct output *raw = page_raw(&pages->page);
	if (raw != NULL)
		frame_drawing_svg(&options, true, raw);
	page_close(&pages->page, PAGE_DRAWING);
	close_fold(pages);
	step_view_free(&view);
}

/* Write the truth of a task, why it is right, and the misconceptions with their sentences. */
static void
write_answer(struct lesson_pages *pages, const struct lesson_card *card)
{
	struct page *page = &pages->page;
	struct query_answer truth = { .text = "" };
	struct check_truth check;
	struct error error = { 0 };

	if (check_read(&card->check, &check, &error) == ERROR_NONE &&
	    card->check.kind <= LESSON_CHECK_PLACE)
		operand_value(&check.operand, pages->scene, &pages->arena, &truth, &error);
	page_block_format(page, PAGE_PARAGRAPH, ROLE_NORMAL, "%s%s%s%s",
			  truth.text[0] != '\0' ? "Right: " : "Right. ", truth.text,
			  truth.text[0] != '\0' ? ". " : "",
			  text_or_empty(operand_fill(&card->right, pages->scene, &pages->arena)));
	for (size_t i = 0; i < card->wrong_count; i++)
		page_block_format(page, PAGE_PARAGRAPH, ROLE_DIM, "Wrong: %s. %s",
				  card->wrongs[i].match.text,
				  text_or_empty(operand_fill(&card->wrongs[i].sentence,
							     pages->scene, &pages->arena)));
}

static void
write_task(struct lesson_pages *pages, const struct lesson_card *card)
{
	static const struct page_column columns[] = { { .name = "" }, { .name = "" } };
	struct page *page = &pages->page;

	if (card->option_count > 0) {
		page_table(page, columns, 2);
		for (size_t i = 0; i < card->option_count; i++)
			page_fact(page, card->options[i].word.text, ROLE_NORMAL,
				  text_of(text_or_empty(operand_fill(&card->options[i].meaning,
								     pages->scene,
								     &pages->arena))));
		page_close(page, PAGE_TABLE);
	} else {
		const char *choices = check_choices(card, pages->scene, &pages->arena);

		page_block_format(page, PAGE_PARAGRAPH, ROLE_DIM, "Answer: %s.",
				  choices != NULL ? choices : check_how(card->check.kind));
	}
	for (size_t i = 0; i < card->hint_count && pages->reader != LESSON_FOR_STUDENTS; i++) {
		const char *title = arena_format(&pages->arena, "Hint %zu of %zu", i + 1,
						 card->hint_count);

		write_fold(pages, text_or_empty(title));
		write_text(pages, &card->hints[i]);
		close_fold(pages);
	}
	if (pages->reader == LESSON_FOR_TEACHERS)
		write_answer(pages, card);
}

void
lesson_page(const struct output *output, const struct lesson *lesson, struct lesson_scene *scene,
	    enum lesson_reader reader)
{
	struct lesson_pages pages = { .scene = scene, .reader = reader };
	struct page *page = &pages.page;
	size_t task = 0;

	page_begin(page, PAGE_HTML, output, lesson->title.text, false);
	output_plain(page_raw(page), "<style>@media print{h2{break-before:page}}</style>\n");
	for (size_t i = 0; i < lesson->card_count; i++) {
		const struct lesson_card *card = &lesson->cards[i];
		const bool asks = card->task.text[0] != '\0';

		task += asks;
		lesson_scene_go(scene, card);
		if (asks)
			page_block_format(page, PAGE_SECTION, ROLE_TITLE, "Task %zu: %s", task,
					  card->task.text);
		else
			page_block_format(page, PAGE_SECTION, ROLE_TITLE, "Card %zu", i + 1);
		write_text(&pages, &card->say);
		if (asks)
			write_task(&pages, card);
		write_words(&pages, &card->say);
		if (reader != LESSON_FOR_STUDENTS)
			draw_frame(&pages);
	}
	page_end(page);
	arena_free(&pages.arena);
}
