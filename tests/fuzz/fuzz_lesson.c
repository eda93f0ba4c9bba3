/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "lesson/lesson.h"
#include "tests/fuzz/harness.h"

/* Check that a text lies within the lesson's lines and that its pieces make up the whole text. */
static void
look(const struct lesson_text *text)
{
	struct lesson_text rest = *text;
	struct lesson_piece piece;

	while (lesson_next_piece(&rest, &piece)) {
		const size_t at = (size_t)(piece.text.start - text->text);
		const struct place place = lesson_place_in(text, at);

		if (piece.place.line != place.line || piece.place.column != place.column)
			fuzz_fail("a piece of a text has another place in the text");
	}
	if (rest.text != text->text + strlen(text->text))
		fuzz_fail("the pieces of a text are not all of it");
}

void
fuzz_lesson(const uint8_t *data, size_t size)
{
	struct lesson lesson = { .directory = "", .name = "" };
	struct error error = { 0 };

	const enum error_code code = lesson_parse(&lesson, "fuzz", (struct text){ (const char *)data, size }, &error);
	for (size_t i = 0; code == ERROR_NONE && i < lesson.card_count; i++) {
		look(&lesson.cards[i].say);
		for (size_t k = 0; k < lesson.cards[i].hint_count; k++)
			look(&lesson.cards[i].hints[k]);
	}
	for (size_t i = 0; code == ERROR_NONE && i < lesson.path_count; i++)
		if (lesson.paths[i][0] == '/' || strncmp(lesson.paths[i], "../", 3) == 0 || strstr(lesson.paths[i], "/../") != NULL)
			fuzz_fail("a lesson leads out of its directory");
	lesson_free(&lesson);
}
