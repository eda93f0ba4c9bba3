/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/operand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/output.h"
#include "document/row.h"
#include "inspect/expression.h"
#include "report/stack/walk_text.h"

/* The scene ------------------------------------------------------------------------------------ */

static bool
select_thread(struct lesson_scene *scene, size_t thread)
{
	if (scene->walks == NULL || thread >= scene->crash->thread_count)
		return false;
	if (scene->walks[thread] == NULL)
		scene->walks[thread] = walk_create(scene->crash, scene->symbols, scene->binaries,
						   thread, &scene->policy);
	scene->walk = scene->walks[thread] != NULL ? scene->walks[thread] : scene->walk;
	scene->frame = 0;
	return scene->walks[thread] != NULL;
}

/* Select a thread by its index, or by its number in the walk's output. */
static bool
go_to_thread(struct lesson_scene *scene, size_t wanted, bool by_index)
{
	struct walk_text_thread *threads;
	struct arena arena = { 0 };
	bool found = false;

	const size_t count = walk_text_threads(scene->crash, &arena, &threads);
	for (size_t i = 0; i < count && !found; i++) {
		found = (by_index ? threads[i].index : threads[i].number) == wanted &&
			select_thread(scene, threads[i].index);
		scene->thread = found ? threads[i].number : scene->thread;
	}
	arena_free(&arena);
	return found;
}

bool
lesson_scene_open(struct lesson_scene *scene, struct surroundings *around,
		  const struct policy *policy, size_t thread)
{
	*scene = (struct lesson_scene){
		.crash = around->crash, .symbols = around->symbols, .around = around,
		.binaries = around->binaries, .policy = *policy,
		.walks = calloc(around->crash->thread_count + 1, sizeof(struct walk *)),
	};
	return go_to_thread(scene, thread, true);
}

void
lesson_scene_close(struct lesson_scene *scene)
{
	for (size_t i = 0; scene->walks != NULL && i < scene->crash->thread_count; i++)
		walk_free(scene->walks[i]);
	free(scene->walks);
	*scene = (struct lesson_scene){ 0 };
}

bool
lesson_scene_go(struct lesson_scene *scene, const struct lesson_card *card)
{
	const char *at = card->at.text;
	bool there = true;

	while (*at != '\0') {
		unsigned number;

		at += strspn(at, " \t;");
		if (strncmp(at, "goto ", 5) == 0)
			at += 5;
		if (sscanf(at, "thread %6u", &number) == 1)
			there &= go_to_thread(scene, number, false);
		if (sscanf(at, "frame %6u", &number) == 1) {
			walk_run(scene->walk, (size_t)number + 1);
			there &= number < scene->walk->count;
			scene->frame = number;
		}
		at += strcspn(at, ";");
	}
	return there;
}

/* Operands ------------------------------------------------------------------------------------- */

/* Translate the column of an error from a text to the file. */
static void
move_error(const struct lesson_text *text, struct error *error)
{
	const size_t at = error->place.column > 0 ? error->place.column - 1 : 0;

	if (error->place.input == NULL)
		error->place = lesson_place_in(text, at);
}

/* The end of a query: a '+' or '-' between blanks, or the end of the text. */
static size_t
end_of_query(struct text text)
{
	for (size_t i = 1; i + 1 < text.length; i++)
		if ((text.start[i] == '+' || text.start[i] == '-') &&
		    rule_is_break(text.start[i - 1]) && rule_is_break(text.start[i + 1]))
			return i;
	return text.length;
}

enum error_code
operand_parse(const struct lesson_text *text, struct lesson_operand *operand, struct error *error)
{
	const struct text whole = text_of(text->text);

	*operand = (struct lesson_operand){ .rest = whole, .asks = query_is_one(whole) };
	if (!operand->asks)
		return ERROR_NONE;
	const size_t end = end_of_query(whole);
	const enum error_code code =
		query_parse((struct text){ whole.start, end }, &operand->query, error);
	if (code != ERROR_NONE)
		move_error(text, error);
	operand->rest = (struct text){ whole.start + end, whole.length - end };
	return code;
}

struct expression
operand_expression(const struct lesson_scene *scene, struct text text, struct arena *arena)
{
	walk_run(scene->walk, scene->frame + 1);
	return expression_of(scene->around,
			     scene->frame < scene->walk->count ? &scene->walk->frames[scene->frame]
							       : NULL,
			     text, arena);
}

enum error_code
operand_value(const struct lesson_operand *operand, const struct lesson_scene *scene,
	      struct arena *arena, struct query_answer *answer, struct error *error)
{
	struct text rest = operand->rest;
	enum error_code code = ERROR_NONE;

	*answer = (struct query_answer){ .text = "" };
	if (operand->asks)
		code = query_ask(&operand->query, scene->walk, arena, answer, error);
	if (code != ERROR_NONE || (operand->asks && rest.length == 0))
		return code;
	const bool minus = operand->asks && rest.start[0] == '-';
	if (operand->asks)
		rest = (struct text){ rest.start + 1, rest.length - 1 };
	/* The part after a query, or the whole operand. */
	const struct expression expression = operand_expression(scene, rest, arena);
	if (!expression.known)
		code = error_plain(error, ERROR_NOT_FOUND, "%s", expression.text);
	const uint64_t value =
		minus ? answer->value - expression.value : answer->value + expression.value;
	*answer = (struct query_answer){ .valued = true,
					 .value = arch_wrap(scene->walk->arch, value) };
	answer->text = arena_format(arena, "0x%llx", (unsigned long long)answer->value);
	return code == ERROR_NONE && answer->text == NULL ? error_memory(error) : code;
}

enum error_code
operand_of(const struct lesson_text *text, const struct lesson_scene *scene, struct arena *arena,
	   struct query_answer *answer, struct error *error)
{
	struct lesson_operand operand;
	enum error_code code = operand_parse(text, &operand, error);

	if (code != ERROR_NONE)
		return code;
	code = operand_value(&operand, scene, arena, answer, error);
	if (code != ERROR_NONE)
		move_error(text, error);
	return code;
}

/* Texts ----------------------------------------------------------------------------------------*/

static enum error_code
check_text(const struct lesson_text *text, struct error *error)
{
	struct lesson_piece piece;

	for (struct lesson_text rest = *text; lesson_next_piece(&rest, &piece);) {
		struct lesson_text query = { "", piece.place };

		if (piece.kind == LESSON_PLAIN && piece.text.length >= 2 &&
		    (strncmp(piece.text.start, "[[", 2) == 0 ||
		     strncmp(piece.text.start, "{{", 2) == 0))
			return error_set(error, ERROR_FORMAT, query.place,
					 "'%.2s' is not closed", piece.text.start);
		if (piece.kind != LESSON_QUERY)
			continue;
		struct lesson_operand operand;
		struct arena arena = { 0 };
		query.text = text_or_empty(text_copy(&arena, piece.text));
		const enum error_code code = operand_parse(&query, &operand, error);
		arena_free(&arena);
		if (code != ERROR_NONE)
			return code;
	}
	return ERROR_NONE;
}

enum error_code
operand_check_texts(const struct lesson *lesson, struct error *error)
{
	enum error_code code = check_text(&lesson->title, error);

	for (size_t i = 0; i < lesson->card_count && code == ERROR_NONE; i++) {
		const struct lesson_card *card = &lesson->cards[i];

		code = check_text(&card->say, error);
		if (code == ERROR_NONE)
			code = check_text(&card->right, error);
		for (size_t k = 0; k < card->hint_count && code == ERROR_NONE; k++)
			code = check_text(&card->hints[k], error);
		for (size_t k = 0; k < card->option_count && code == ERROR_NONE; k++)
			code = check_text(&card->options[k].meaning, error);
		for (size_t k = 0; k < card->wrong_count && code == ERROR_NONE; k++)
			code = check_text(&card->wrongs[k].sentence, error);
	}
	return code;
}

const char *
operand_place_words(struct text word, enum lesson_place place)
{
	static const struct {
		const char *word, *texts[3];
	} words[] = {
#define PLACE_WORDS(word, explorer, text, page) { word, { explorer, text, page } },
#include "lesson/place_words.def"
	};

	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (text_is(word, words[i].word))
			return words[i].texts[place];
	return NULL;
}

/* Append a text: breaks become blanks, and an empty line ends a paragraph. */
static void
fill_plain(struct text text, const struct output_string *string)
{
	const struct output *output = &string->output;

	for (size_t at = 0; at < text.length;) {
		size_t breaks = 0, end = at;

		for (; end < text.length && rule_is_break(text.start[end]); end++)
			breaks += text.start[end] == '\n';
		if (end > at && string->length > 0)
			output_plain(output, breaks > 1 ? "\n\n" : " ");
		for (at = end; end < text.length && !rule_is_break(text.start[end]);)
			end++;
		output_text(output, (struct text){ text.start + at, end - at });
		at = end;
	}
}

const char *
operand_fill(const struct lesson_text *text, const struct lesson_scene *scene,
	     struct arena *arena)
{
	struct output_string string;
	struct lesson_piece piece;

	output_string_init(&string, arena);
	for (struct lesson_text rest = *text; lesson_next_piece(&rest, &piece);) {
		struct query_answer answer = { .text = "(?)" };
		struct error error = { 0 };

		const char *words = piece.kind == LESSON_QUERY
			? operand_place_words(piece.text, scene->place) : NULL;

		if (piece.kind != LESSON_QUERY || words != NULL) {
			fill_plain(words != NULL ? text_of(words) : piece.text, &string);
			continue;
		}
		const struct lesson_text query = { text_or_empty(text_copy(arena, piece.text)),
						   { 0 } };
		if (operand_of(&query, scene, arena, &answer, &error) != ERROR_NONE)
			answer.text = "(?)";
		output_text(&string.output, text_of(answer.text));
	}
	return string.length > 0 ? string.text : "";
}

bool
operand_filled_line(const char *filled, size_t columns, size_t index, struct text *line)
{
	for (;;) {
		const size_t length = strcspn(filled, "\n");
		const struct text paragraph = { filled, length };
		const size_t lines = row_wrap_count(paragraph, columns);

		*line = (struct text){ filled, 0 };
		if (index < lines)
			*line = row_wrap_line(paragraph, columns, index);
		if (index <= lines && (index < lines || filled[length] != '\0'))
			return true;
		if (filled[length] == '\0')
			return false;
		index -= lines + 1;
		filled += length + strspn(filled + length, "\n");
	}
}
