/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/prose/prose_write.h"

#include <stdio.h>
#include <string.h>

#include "document/wrap.h"
#include "walk/fold.h"

enum { COLUMNS = 78, PARAGRAPH = 2, ITEM = 4, FIGURE = 6 };

/* Steps of one document: each has one or two pages. */
#define STEPS_MOST 256u

/* Steps -------------------------------------------------------------------------------------- */

static void
read_step(const struct prose_range *range, size_t frame, const struct prose_reader *reader,
	struct prose_told *told)
{
	struct arena arena = { 0 };
	struct step_view view;

	step_view_make(&view, range->walk, frame);
	const struct prose *prose = prose_of(&view, told, &arena);
	if (prose != NULL)
		reader->step(reader->context, prose);
	step_view_free(&view);
	arena_free(&arena);
}

void
prose_each(const struct prose_range *range, const struct prose_reader *reader)
{
	struct fold fold = { 0 };
	struct prose_told told = { 0 };
	char text[160];

	fold_update(&fold, range->walk);
	for (size_t i = range->first, steps = 0; i <= range->last; i++) {
		if (steps++ == STEPS_MOST) {
			snprintf(text, sizeof(text),
				"The steps from frame %zu on are left out; --frame tells one.", i);
			reader->repeated(reader->context, text);
			break;
		}
		const struct fold_run *run = fold_run_of(&fold, i);

		read_step(range, i, reader, &told);
		/* One turn of a cycle is written; this says how often it repeats. */
		if (run == NULL || i + 1 != run->first + run->length || range->first == range->last)
			continue;
		const size_t last = run->first + fold_run_frames(run) - 1;
		snprintf(text, sizeof(text),
			"Frames %zu to %zu are in the same functions as the %zu before them, again "
			"and again; their steps are left out.",
			i + 1, last, run->length);
		reader->repeated(reader->context, text);
		i = last;
	}
	fold_free(&fold);
}

const char *
prose_title(const struct prose *prose, struct arena *arena)
{
	const size_t frame = prose->view->frame;

	return prose->view->verdict.kind == VERDICT_TAKEN
		? arena_format(arena, "From frame %zu to frame %zu", frame, frame + 1)
		: arena_format(arena, "From frame %zu to the end of the stack", frame);
}

const struct glossary_entry *
prose_words_meet(struct prose_words *words, struct text term)
{
	const struct glossary_entry *entry = term.length > 0 ? glossary_find(term) : NULL;

	for (size_t i = 0; i < words->count; i++)
		if (words->items[i] == entry)
			return NULL;
	if (entry != NULL && words->count < ARRAY_COUNT(words->items))
		words->items[words->count++] = entry;
	return entry;
}

/* Text --------------------------------------------------------------------------------------- */

struct writing {
	const struct output *output;
	struct prose_words words;
	enum prose_kind last; /* kind of the item before */
	size_t steps;
};

static void
write_indented(const struct writing *writing, size_t indent, const char *first, struct text text)
{
	const size_t columns = COLUMNS - indent, count = wrap_count(text, columns);

	for (size_t i = 0; i < count; i++) {
		output_format(writing->output, "%*s", (int)indent, i == 0 ? first : "");
		output_text(writing->output, wrap_line(text, columns, i));
		output_plain(writing->output, "\n");
	}
}

/* The text with first uses of terms marked. */
static struct text
marked(struct writing *writing, const char *text, struct arena *arena)
{
	struct output_string made;
	struct prose_piece piece;

	output_string_init(&made, arena);
	for (size_t at = 0; prose_next(text, &at, &piece);) {
		const bool first = prose_words_meet(&writing->words, piece.term) != NULL;

		output_plain(&made.output, first ? "_" : "");
		made.output.write(made.output.context, piece.text.start, piece.text.length);
		output_plain(&made.output, first ? "_" : "");
	}
	return text_of(text_or_empty(made.text));
}

static void
write_item(struct writing *writing, const struct prose_item *item, struct arena *arena)
{
	const struct text text = marked(writing, item->text, arena);

	if (item->kind != writing->last || item->kind == PROSE_PARAGRAPH)
		output_plain(writing->output, writing->last == PROSE_TITLE ? "" : "\n");
	writing->last = item->kind;
	if (item->kind == PROSE_TITLE) {
		write_indented(writing, 0, "", text);
	} else if (item->kind == PROSE_PARAGRAPH) {
		write_indented(writing, PARAGRAPH, "", text);
	} else if (item->kind == PROSE_ITEM) {
		write_indented(writing, ITEM, "- ", text);
	} else {
		output_format(writing->output, "%*s", FIGURE, "");
		output_text(writing->output, text);
		output_plain(writing->output, "\n");
	}
}

static void
write_heading(struct writing *writing, const char *title)
{
	output_plain(writing->output, writing->steps++ > 0 ? "\n" : "");
	output_format(writing->output, "%s\n", title);
	for (size_t i = strlen(title); i > 0; i--)
		output_plain(writing->output, "=");
	output_plain(writing->output, "\n");
	writing->last = PROSE_PARAGRAPH;
}

static void
prose_write_write_step(void *context, const struct prose *prose)
{
	struct writing *writing = context;
	struct arena arena = { 0 };

	write_heading(writing, text_or_empty(prose_title(prose, &arena)));
	for (size_t i = 0; i < prose->count; i++) {
		if (!prose->items[i].detail)
			write_item(writing, &prose->items[i], &arena);
		arena_reset(&arena);
	}
	arena_free(&arena);
}

static void
prose_write_write_repeated(void *context, const char *text)
{
	struct writing *writing = context;

	output_plain(writing->output, "\n");
	write_indented(writing, PARAGRAPH, "", text_of(text));
}

void
prose_write(const struct prose_range *range, const struct output *output)
{
	struct writing writing = { .output = output };
	const struct prose_reader reader = { prose_write_write_step, prose_write_write_repeated,
					     &writing };
	struct arena arena = { 0 };

	prose_each(range, &reader);
	write_heading(&writing, "Words");
	for (size_t i = 0; i < writing.words.count; i++) {
		const struct glossary_entry *entry = writing.words.items[i];
		/* Only the first sentence of an entry. */
		const char *end = strstr(entry->text, ". ");
		const char *line = arena_format(&arena, "%s: %.*s", entry->term,
			end != NULL ? (int)(end - entry->text) + 1 : (int)strlen(entry->text),
			entry->text);

		write_indented(&writing, ITEM, "", text_of(text_or_empty(line)));
	}
	write_indented(&writing, PARAGRAPH, "", text_of("'unspool help WORD' says more of each."));
	arena_free(&arena);
}
