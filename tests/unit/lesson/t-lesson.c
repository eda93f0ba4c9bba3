/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/lesson.h"

#include "base/limits.h"
#include "tests/lib/tap.h"

#define HEAD "title A\nopen x.dmp\n"
/* A lesson that is bytes in memory, not a directory. */
#define NOWHERE { .directory = "", .name = "" }

TEST(whole)
{
	struct lesson lesson = NOWHERE;
	struct error error = { 0 };
	struct place place;

	is_u64(lesson_parse(&lesson, "lesson", text_of("# a comment\n"
		"title  Where it waits\n"
		"open   crash.dmp symbols --methods scan\n"
		"needs  one two\n"
		"at     frame 1; view tape\n"
		"say    The [[CFA]] is\n"
		"       {{frame 1 rule .cfa value}}.\n"
		"\n"
		"       More.\n"
		"task   cfa\n"
		"  ask    Which number?\n"
		"  check  value frame 1 rule .cfa value\n"
		"  wrong  $rsp + 8  : No: it\n"
		"         is above.\n"
		"  hint   One. | Two.\n"
		"  after  goto frame 1\n"), &error), ERROR_NONE, "a lesson is read");
	is_str(lesson.title.text, "Where it waits", "a lesson has its title");
	ok(lesson.path_count == 2 && strcmp(lesson.paths[1], "symbols") == 0, "a lesson has its files");
	ok(lesson.option_count == 1 && strcmp(lesson.options[0].value, "scan") == 0, "a lesson has the options for its files");
	ok(lesson.need_count == 2 && strcmp(lesson.needs[1].text, "two") == 0, "a lesson has its needs");
	is_u64(lesson.card_count, 2, "a lesson has its cards and tasks");
	is_str(lesson.cards[0].at.text, "frame 1; view tape", "a card has the commands before it");
	is_str(lesson.cards[1].at.text, "", "the commands of one card are not those of the next");
	const struct lesson_card *task = lesson_task(&lesson, text_of("cfa"));
	ok(task == &lesson.cards[1], "a task has a name");
	is_str(task->check.what.text, "frame 1 rule .cfa value", "a task has the value that it checks");
	ok(task->wrong_count == 1 && strcmp(task->wrongs[0].match.text, "$rsp + 8") == 0 &&
		   strncmp(task->wrongs[0].sentence.text, "No: it\n", 7) == 0,
	   "a misconception has its sentence, which may go on in the next line");
	ok(task->hint_count == 2 && strcmp(task->hints[1].text, "Two.") == 0, "hints are separated by |");
	is_str(task->after.text, "goto frame 1", "commands after a task");
	place = task->wrongs[0].sentence.place;
	ok(place.line == 13 && place.column == 22, "texts have line and column");
	place = lesson_place_in(&lesson.cards[0].say, 15 + 8);
	ok(place.line == 7 && place.column == 9, "texts have line and column in the lines that continue them");
	lesson_free(&lesson);
}

TEST(pieces)
{
	struct lesson_text text = { "a [[b c]]{{frames}} [d", { .column = 1 } };
	struct lesson_piece piece;

	ok(lesson_next_piece(&text, &piece) && piece.kind == LESSON_PLAIN && text_equal(piece.text, text_of("a ")), "text is a piece");
	ok(lesson_next_piece(&text, &piece) && piece.kind == LESSON_WORD &&
		   text_equal(piece.text, text_of("b c")), "a word of the glossary is a piece");
	ok(lesson_next_piece(&text, &piece) && piece.kind == LESSON_QUERY &&
		   text_equal(piece.text, text_of("frames")) && piece.place.column == 12, "a query is a piece");
	ok(lesson_next_piece(&text, &piece) && piece.kind == LESSON_PLAIN && text_equal(piece.text, text_of(" [d")), "one bracket is text");
	ok(!lesson_next_piece(&text, &piece), "the text has no piece after the last one");
}

#define OUTSIDE "paths are relative and stay in the lesson's directory, or begin with 'bundled:'"

/* Lessons that are refused, with the place that the error names. */
static const struct {
	const char *text;
	unsigned line, column;
	const char *error;
} refused[] = {
	{ "", 0, 0, "the lesson has no title" }, { "title A\n", 0, 0, "the lesson opens no dump" },
	{ HEAD, 0, 0, "the lesson has no card" }, { HEAD "title B\n", 3, 7, "a second line of this kind" },
	{ HEAD "speak x\n", 3, 1, "unknown directive 'speak'" }, { HEAD "say\n", 3, 4, "the text is missing" },
	{ HEAD "  say x\n", 3, 3, "this begins in the first column" }, { HEAD "ask x\n", 3, 1, "this belongs to a task: indent it by 2" },
	{ HEAD "  ask x\n", 3, 3, "this belongs to a task, and none has begun" },
	{ HEAD "say x\n  ask x\n", 4, 3, "this belongs to a task, and none has begun" },
	{ HEAD "task A B\n", 3, 6, "a task's name has small letters, digits and '-'" },
	{ HEAD "task a\n  ask x\n", 3, 6, "the task has no 'check'" },
	{ HEAD "task a\n  check value 1\n", 3, 6, "the task has no 'ask'" },
	{ HEAD "task a\n  ask x\n  check value 1\ntask a\n", 6, 6, "a second task of this name" },
	{ HEAD "task a\n  ask x\n  check vale 1\n", 5, 9,
	  "unknown check; value, predict, rule, program, place, set, choice and walk are known" },
	{ HEAD "task a\n  ask x\n  check value frame 1 rul x\n", 5, 23,
	  "expected what to ask of the frame (rule, token, read, set, ...), not 'rul'" },
	{ HEAD "task a\n  ask x\n  check rule frame 1 token 2\n", 5, 14, "expected a query for a rule" },
	{ HEAD "task a\n  ask x\n  check set sealed 12\n", 5, 20, "expected 16 hexadecimal digits" },
	{ HEAD "task a\n  ask x\n  check walk sealed 0123456789abcdef lint no-such gone\n", 5, 43, "lint has no such code" },
	{ HEAD "task a\n  ask x\n  check walk\n", 5, 13, "the truth is missing" },
	{ HEAD "task a\n  ask x\n  wrong 1 no\n", 5, 9, "' : ' and a sentence are missing" },
	{ HEAD "task a\n  ask x\n  hint a||b\n", 5, 10, "an empty hint" }, { HEAD "say a {{frames\n", 3, 7, "'{{' is not closed" },
	{ HEAD "say a\n    {{frame}}\n", 4, 12, "expected the number of a frame at the end" },
	{ HEAD "say b\nat frame 1\n", 4, 4, "no card follows 'at'" },
	{ HEAD "say a\001\n", 3, 6, "a control character" }, { "title A\nopen ../x\n", 2, 6, OUTSIDE },
	{ "title A\nopen a/../../x\n", 2, 6, OUTSIDE }, { "title A\nopen bundled:../x\n", 2, 6, OUTSIDE },
	{ "title A\nopen /etc/passwd\n", 2, 6, OUTSIDE },
	{ "title A\nopen x --symbols-url http://x\n", 2, 8,
	  "unknown option; --binaries, --against, --methods, --compat and --policy are allowed" },
	{ "title A\nopen x --binaries --thread 1\n", 2, 8, "the option's value is missing" },
};

TEST_EACH(refused, refused)
{
	struct lesson lesson = NOWHERE;
	struct error error = { 0 };

	const enum error_code code = lesson_parse(&lesson, "lesson", text_of(refused[i].text), &error);
	if (!ok(code == ERROR_FORMAT && strcmp(error.text, refused[i].error) == 0 &&
			error.place.line == refused[i].line && error.place.column == refused[i].column,
		"refused in %u:%u: %s", refused[i].line, refused[i].column, refused[i].error))
		tap_diag("%u:%u %s", error.place.line, error.place.column, error.text);
	lesson_free(&lesson);
}

TEST(large)
{
	struct lesson lesson = NOWHERE, again = NOWHERE;
	struct error error = { 0 };
	const size_t size = LIMIT_LESSON_BYTES + 1;
	char *bytes = malloc(size);

	memset(bytes, '\n', size);
	ok(lesson_parse(&lesson, "lesson", (struct text){ bytes, size }, &error) == ERROR_FORMAT,
	   "a lesson that is too long is refused");
	lesson_free(&lesson);
	memset(bytes, 'x', size);
	ok(lesson_parse(&again, "lesson", (struct text){ bytes, LIMIT_LESSON_LINE + 1 }, &error) == ERROR_FORMAT,
			"a lesson with a line that is too long is refused");
	lesson_free(&again);
	free(bytes);
}
