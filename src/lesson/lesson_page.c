/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/lesson_run.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "document/page.h"
#include "inspect/recorded_step.h"
#include "lesson/answers.h"
#include "report/glossary.h"
#include "report/memory/frame_drawing.h"

struct lesson_pages {
	struct page page;
	struct lesson_scene *scene;
	enum lesson_reader reader;
	const struct lesson *lesson;
	const struct lesson_site *site; /* NULL: a page outside a course */
	struct answers solution;
	struct text view; /* name of the view that the card opens; empty: none */
	struct arena arena;
	const struct walk *drawn; /* walk and frame of the last drawing */
	size_t frame;
};

/* Write a paragraph, with the words between backticks as code. */
static void
write_paragraph(struct lesson_pages *pages, struct text rest)
{
	const struct output *output = page_raw(&pages->page);
	bool code = false;

	output_plain(output, "<p>");
	while (rest.length > 0) {
		const char *mark = memchr(rest.start, '`', rest.length);
		const size_t length = mark != NULL ? (size_t)(mark - rest.start) : rest.length;
		const size_t used = length + (mark != NULL);

		page_write_escaped(output, (struct text){ rest.start, length });
		code ^= mark != NULL;
		output_plain(output, mark == NULL ? "" : code ? "<code>" : "</code>");
		rest = (struct text){ rest.start + used, rest.length - used };
	}
	output_plain(output, code ? "</code></p>\n" : "</p>\n");
}

/* Write the paragraphs of a text with the engine's answers. */
static void
write_text(struct lesson_pages *pages, const struct lesson_text *text)
{
	const char *filled = text_or_empty(operand_fill(text, pages->scene, &pages->arena));

	while (*filled != '\0') {
		const size_t length = strcspn(filled, "\n");
		const struct text paragraph = { filled, length };

		write_paragraph(pages, paragraph);
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

/* Write the glossary entries of the terms in a text. */
static void
write_words(struct lesson_pages *pages, const struct lesson_text *text)
{
	struct lesson_piece piece;

	for (struct lesson_text rest = *text; lesson_next_piece(&rest, &piece);) {
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

/* Draw the frame of a card, unless the last drawing was of this frame. */
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

/* Parts of pages of a course ------------------------------------------------------------------ */

/* Whether a line is the title of a view in a page, "[memory] > now"; its name is `*name`. */
static bool
is_title(struct text line, struct text *name)
{
	static const char *const views[] = {
		"stack", "evidence", "eval",  "registers",   "memory",
		"frame", "source",   "table", "disassembly", "methods"
	};

	if (!text_drop_prefix(&line, "["))
		return false;
	*name = (struct text){ line.start, 0 };
	while (name->length < line.length && line.start[name->length] != ']')
		name->length++;
	for (size_t i = 0; i < ARRAY_COUNT(views); i++)
		if (text_is(*name, views[i]))
			return true;
	return false;
}

/* Write the views of a card, folded, except the view that the card opens. */
static void
write_views(struct lesson_pages *pages, const char *rows)
{
	struct page *page = &pages->page;
	struct text rest = text_of(rows), line, name;
	bool inside = false;
	size_t count = 0;

	output_plain(page_raw(page), "<div class=\"stage\">\n");
	while (text_take_line(&rest, &line)) {
		const bool title = is_title(line, &name);

		if (inside && (title || line.length == 0 || line.start[0] == '[')) {
			page_close(page, PAGE_CODE);
			output_plain(page_raw(page), "</details>\n");
			inside = false;
		}
		if (title) {
			inside = true;
			count = 0;
			output_plain(page_raw(page), text_equal(name, pages->view)
							     ? "<details open>\n"
							     : "<details>\n");
			page_block(page, PAGE_FOLD_TITLE, ROLE_NORMAL, line);
			page_open(page, PAGE_CODE);
		} else if (inside && count++ < LIMIT_LESSON_PAGE_ROWS) {
			page_block(page, PAGE_LINE, ROLE_NORMAL, line);
		} else if (inside && count == LIMIT_LESSON_PAGE_ROWS + 1) {
			page_block(page, PAGE_LINE, ROLE_DIM,
				   text_of("the explorer has more rows"));
		}
	}
	if (inside) {
		page_close(page, PAGE_CODE);
		output_plain(page_raw(page), "</details>\n");
	}
	output_plain(page_raw(page), "</div>\n");
}

static void
write_attribute(const struct output *output, const char *name, const char *value)
{
	output_format(output, " data-%s=\"", name);
	page_write_escaped(output, text_of(value));
	output_plain(output, "\"");
}

/* Write the digests of a truth or misconception, and the sentence that an equal answer gets. */
static bool
write_seals(struct lesson_pages *pages, const struct lesson_card *card,
	    const struct lesson_text *other, const struct lesson_text *sentence)
{
	const struct output *output = page_raw(&pages->page);
	const struct check_try try = {
		.lesson = pages->lesson,
		.card = card,
		.scene = pages->scene,
		.arena = &pages->arena,
		.answer = text_of(answers_last(&pages->solution, card->task.text)),
	};
	const char *forms[CHECK_FORMS];
	const char *filled = text_or_empty(operand_fill(sentence, pages->scene, &pages->arena));
	const size_t count = check_normal(&try, other, forms);

	if (count == 0)
		return false;
	output_format(output, "<data class=\"%s\" data-seals=\"",
		      other == NULL ? "right" : "wrong");
	for (size_t i = 0; i < count; i++)
		output_format(output, "%s%016" PRIx64, i > 0 ? " " : "",
			      check_digest(card, forms[i]));
	output_plain(output, "\">");
	for (size_t i = 0; i < count; i++) {
		check_write_hidden(card, forms[i], filled, output);
		output_plain(output, i + 1 < count ? " " : "</data>\n");
	}
	return true;
}

/* Write the names that an answer may use, with their values. */
static void
write_registers(const struct lesson_pages *pages)
{
	const struct output *output = page_raw(&pages->page);
	const struct walk *walk = pages->scene->walk;
	const struct registers *registers = &walk->frames[pages->scene->frame].registers;

	output_plain(output, " data-registers=\"");
	for (int i = 0; i < walk->arch->register_count; i++) {
		output_format(output, "%s%s=", i > 0 ? " " : "", walk->arch->registers[i].label);
		if (registers_known(registers, i))
			output_format(output, "%" PRIx64, registers->value[i]);
	}
	output_plain(output, "\" data-names=\"");
	for (int i = 0; i < walk->arch->register_count; i++) {
		const char *name = text_or_empty(walk->arch->registers[i].name);

		name += name[0] == '$';
		if (name[0] != '\0' && strcmp(name, walk->arch->registers[i].label) != 0)
			output_format(output, "%s=%s ", name, walk->arch->registers[i].label);
	}
	output_format(output, "\" data-sp=\"%" PRIx64 "\" data-bits=\"%u\"",
		      walk->frames[0].registers.value[walk->arch->sp], 8u * walk->arch->word_size);
}

/* Write the control for an answer: a choice of the words, or a line of text. */
static void
write_control(struct lesson_pages *pages, const struct lesson_card *card)
{
	const struct output *output = page_raw(&pages->page);
	const char *choices = check_choices(card, pages->scene, &pages->arena);
	struct text rest = text_of(text_or_empty(choices)), word;

	if (choices == NULL) {
		output_plain(output, "<input aria-label=\"Answer\" autocomplete=\"off\" "
				     "autocapitalize=\"off\" spellcheck=\"false\">");
		return;
	}
	output_plain(output, "<select aria-label=\"Answer\">");
	while ((word = lesson_word(&rest)).length > 0) {
		word.length -= word.start[word.length - 1] == ',';
		output_plain(output, "<option>");
		page_write_escaped(output, word);
		output_plain(output, "</option>");
	}
	output_plain(output, "</select>");
}

/* Write the form that takes an answer, or how the engine checks it. */
static void
write_form(struct lesson_pages *pages, const struct lesson_card *card)
{
	const struct output *output = page_raw(&pages->page);
	const struct lesson_scene *scene = pages->scene;
	const struct check_try try = {
		.lesson = pages->lesson,
		.card = card,
		.scene = scene,
		.arena = &pages->arena,
		.answer = text_of(answers_last(&pages->solution, card->task.text)),
	};
	const char *forms[CHECK_FORMS];

	walk_run(scene->walk, scene->frame + 1);
	if (scene->frame >= scene->walk->count || check_normal(&try, NULL, forms) == 0) {
		page_block_format(&pages->page, PAGE_PARAGRAPH, ROLE_DIM,
				  "Only the engine can check this answer: unspool lesson %s",
				  pages->lesson->name);
		output_plain(output, "<data class=\"engine\"></data>\n");
		return;
	}
	output_plain(output, "<form class=\"answer\" hidden");
	write_attribute(output, "task", card->task.text);
	write_attribute(output, "check", check_kind_word(card->check.kind));
	write_attribute(output, "shown", check_shown(pages->lesson, card, scene, &pages->arena));
	write_attribute(output, "how", check_how(card, scene, &pages->arena));
	output_format(output, " data-of=\"%zu-%zu\"", scene->thread, scene->frame);
	write_registers(pages);
	output_plain(output, ">\n");
	write_control(pages, card);
	output_plain(output, "<button>Check</button>\n<output></output>\n");
	write_seals(pages, card, NULL, &card->right);
	for (size_t i = 0; i < card->wrong_count; i++)
		write_seals(pages, card, &card->wrongs[i].match, &card->wrongs[i].sentence);
	output_plain(output, "</form>\n");
}

static void
write_task(struct lesson_pages *pages, const struct lesson_card *card)
{
	static const struct page_column columns[] = { { .name = "" }, { .name = "" } };
	struct page *page = &pages->page;

	if (card->option_count > 0) {
		page_table(page, columns, 2);
		for (size_t i = 0; i < card->option_count; i++)
			page_fact(
				page, card->options[i].word.text, ROLE_NORMAL,
				text_of(text_or_empty(operand_fill(&card->options[i].meaning,
								   pages->scene, &pages->arena))));
		page_close(page, PAGE_TABLE);
	} else {
		const char *choices = check_choices(card, pages->scene, &pages->arena);

		page_block_format(page, PAGE_PARAGRAPH, ROLE_DIM, "Answer: %s.",
				  choices != NULL ? choices
					  : check_how(card, pages->scene, &pages->arena));
	}
	if (pages->site != NULL)
		write_form(pages, card);
	for (size_t i = 0; i < card->hint_count && pages->reader != LESSON_FOR_STUDENTS; i++) {
		const char *title =
			arena_format(&pages->arena, "Hint %zu of %zu", i + 1, card->hint_count);

		write_fold(pages, text_or_empty(title));
		write_text(pages, &card->hints[i]);
		close_fold(pages);
	}
	if (pages->reader == LESSON_FOR_TEACHERS)
		write_answer(pages, card);
}

const char *
lesson_step_page(const struct lesson *lesson, struct lesson_scene *scene, struct arena *arena)
{
	walk_run(scene->walk, scene->frame + 1);
	return scene->frame < scene->walk->count
		       ? arena_format(arena, "%s-%zu-%zu.html", lesson->name, scene->thread,
				      scene->frame)
		       : NULL;
}

/* Write the link to the stepped page, which has the answers of the tasks about its frame. */
static void
write_link(struct lesson_pages *pages)
{
	const struct output *output = page_raw(&pages->page);
	struct lesson_scene *scene = pages->scene;
	const char *step = lesson_step_page(pages->lesson, scene, &pages->arena);

	if (step == NULL)
		return;
	output_plain(output, "<p><a href=\"");
	page_write_escaped(output, text_of(step));
	output_plain(output, "\"");
	if (pages->reader != LESSON_FOR_TEACHERS)
		output_format(output, " data-of=\"%zu-%zu\"", scene->thread, scene->frame);
	output_format(output, ">Step through the unwinding of frame %zu</a></p>\n", scene->frame);
}

static void
write_neighbour(const struct output *output, const char *name, const char *label)
{
	if (name == NULL)
		return;
	output_plain(output, "<a href=\"");
	page_write_escaped(output, text_of(name));
	output_format(output, ".html\">%s</a>\n", label);
}

/* Write the part before the first card: links to other lessons, and how to use the page. */
static void
write_head(struct lesson_pages *pages)
{
	const struct output *output = page_raw(&pages->page);

	output_plain(output, "<nav class=\"course\">\n");
	write_neighbour(output, "index", "All lessons");
	write_neighbour(output, pages->site->before, "Lesson before");
	write_neighbour(output, pages->site->after, "Next lesson");
	output_plain(output, "<span class=\"passed\"></span>\n</nav>\n");
	page_block_format(
		&pages->page, PAGE_PARAGRAPH, ROLE_DIM,
		"The keys j and k, or the arrows, turn the cards; a shows all of them. The "
		"views are those of: unspool lesson %s",
		pages->lesson->name);
}

/* Begin a card of a course; consecutive cards with the same views share a section. */
static void
begin_card(struct lesson_pages *pages, size_t card)
{
	const struct output *output = page_raw(&pages->page);
	const char *const *rows = pages->site->rows;

	if (card == 0 || strcmp(rows[card], rows[card - 1]) != 0) {
		output_plain(output, card > 0 ? "</section>\n<section class=\"told\">\n"
					      : "<section class=\"told\">\n");
		page_block_format(&pages->page, PAGE_SECTION, ROLE_NORMAL,
				  "Frame %zu of thread %zu", pages->scene->frame,
				  pages->scene->thread);
		write_views(pages, rows[card]);
	}
	output_format(output, "<div class=\"step card\" data-step=\"%zu\">\n", card + 1);
}

static void
write_card(struct lesson_pages *pages, size_t index, size_t task)
{
	const struct lesson_card *card = &pages->lesson->cards[index];
	const bool asks = card->task.text[0] != '\0';
	const enum page_block heading = pages->site != NULL ? PAGE_PART : PAGE_SECTION;

	if (pages->site != NULL)
		begin_card(pages, index);
	if (asks)
		page_block_format(&pages->page, heading, ROLE_TITLE, "Task %zu: %s", task,
				  card->task.text);
	else
		page_block_format(&pages->page, heading, ROLE_TITLE, "Card %zu", index + 1);
	write_text(pages, &card->say);
	if (asks)
		write_task(pages, card);
	write_words(pages, &card->say);
	if (pages->reader != LESSON_FOR_STUDENTS && pages->site != NULL)
		write_link(pages);
	else if (pages->reader != LESSON_FOR_STUDENTS)
		draw_frame(pages);
	if (pages->site != NULL)
		output_plain(page_raw(&pages->page), "</div>\n");
}

void
lesson_page(const struct output *output, const struct lesson *lesson, struct lesson_scene *scene,
	    enum lesson_reader reader, const struct lesson_site *site)
{
	struct lesson_pages pages = {
		.scene = scene, .reader = reader, .lesson = lesson, .site = site
	};
	struct page *page = &pages.page;
	struct error error = { 0 };
	size_t task = 0;
	bool top;

	scene->place = LESSON_IN_PAGE;
	/* Without solutions, the page does not check the tasks that are sealed. */
	answers_read_solution(&pages.solution, lesson, &error);
	page_begin(page, PAGE_HTML, output, lesson->title.text,
		   site != NULL ? PAGE_ANSWERED : PAGE_READ);
	if (site != NULL)
		write_head(&pages);
	else
		output_plain(page_raw(page),
			     "<style>@media print{h2{break-before:page}}</style>\n");
	for (size_t i = 0; i < lesson->card_count; i++) {
		task += lesson->cards[i].task.text[0] != '\0';
		lesson_scene_go(scene, &lesson->cards[i]);
		pages.view = lesson_view(lesson, i, &top);
		write_card(&pages, i, task);
	}
	if (site != NULL)
		output_plain(page_raw(page), "</section>\n");
	page_end(page);
	arena_free(&pages.solution.arena);
	arena_free(&pages.arena);
}
