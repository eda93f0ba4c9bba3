/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/lesson.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/limits.h"
#include "lesson/check_answer.h"
#include "lesson/operand.h"
#include "system/directory.h"
#include "system/file.h"

#define BUNDLED "bundled:"

/* Minimum indentation of a line that continues the previous text. */
#define CONTINUES 4u

struct lesson_reader {
	struct lesson *lesson;
	struct text bytes;
	struct error *error;
	size_t next;			/* position of the line to read */
	uint32_t line;			/* 1-based number of the line read last */
	struct lesson_text title, at;	/* the lesson's title; `at` of the next card */
	bool in_task;
};

struct directive {
	const char *word;
	bool of_task;
	bool continues;			/* the directive's text may continue on further lines */
	/* NULL: the text is a member of the task's card, or else of the reader */
	enum error_code (*read)(struct lesson_reader *reader, struct lesson_text value);
	size_t member;
};

static enum error_code
refuse(const struct lesson_reader *reader, struct place place, const char *text)
{
	return error_set(reader->error, ERROR_FORMAT, place, "%s", text);
}

static struct lesson_card *
card_at_hand(const struct lesson_reader *reader)
{
	return &reader->lesson->cards[reader->lesson->card_count - 1];
}

/* A part of a text without surrounding white space. */
static struct lesson_text
part(struct lesson_reader *reader, const struct lesson_text *text, size_t start, size_t end)
{
	while (start < end && rule_is_break(text->text[start]))
		start++;
	while (end > start && rule_is_break(text->text[end - 1]))
		end--;
	return (struct lesson_text){
		text_or_empty(arena_copy(&reader->lesson->arena, text->text + start, end - start)),
		lesson_place_in(text, start),
	};
}

/* Directives -----------------------------------------------------------------------------------*/

static enum error_code
set_once(const struct lesson_reader *reader, struct lesson_text *member, struct lesson_text value)
{
	if (member->text != NULL && member->text[0] != '\0')
		return refuse(reader, value.place, "a second line of this kind");
	if (value.text[0] == '\0')
		return refuse(reader, value.place, "the text is missing");
	*member = value;
	return ERROR_NONE;
}

static bool
path_stays(struct text path)
{
	if (path.length == 0 || path.start[0] == '/' || path.start[0] == '-')
		return false;
	for (size_t at = 0; at < path.length; at++) {
		const bool begins = at == 0 || path.start[at - 1] == '/';

		if (begins && path.length - at >= 2 && path.start[at] == '.' &&
		    path.start[at + 1] == '.' &&
		    (path.length - at == 2 || path.start[at + 2] == '/'))
			return false;
	}
	return true;
}

/* The path of a word of `open`; NULL with the error set. */
static const char *
path_of(struct lesson_reader *reader, struct text word, struct place place)
{
	struct arena *arena = &reader->lesson->arena;
	const char *base = reader->lesson->directory, *path;
	struct text inner = word;
	struct stat status;

	const bool bundled = text_drop_prefix(&inner, BUNDLED);
	if (!path_stays(inner)) {
		refuse(reader, place, "paths are relative and stay in the lesson's directory, or "
				      "begin with 'bundled:'");
		return NULL;
	}
	if (bundled && reader->lesson->directory[0] != '\0') {
		const char *data = lesson_data_directory(arena);

		base = data == NULL ? NULL : arena_format(arena, "%s/crashes", data);
		if (base == NULL) {
			refuse(reader, place, "the bundled crashes are not installed");
			return NULL;
		}
	}
	path = base[0] == '\0'
		       ? text_copy(arena, inner)
		       : arena_format(arena, "%s/%.*s", base, (int)inner.length, inner.start);
	if (path == NULL) {
		error_memory(reader->error);
		return NULL;
	}
	if (base[0] == '\0')
		return path;
	/* Opening a pipe would wait for a writer. */
	const bool exists = file_stat(path, &status);
	if (exists && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
		return path;
	refuse(reader, place, exists ? "neither a regular file nor a directory"
				     : "the file does not exist");
	return NULL;
}

/* Options of `open`, and whether the value is a path. */
static const struct {
	const char *name;
	bool path;
} open_options[] = {
	{ "--binaries", true }, { "--against", true }, { "--methods", false },
	{ "--compat", false }, { "--policy", false },
};

static enum error_code
read_open_option(struct lesson_reader *reader, struct text word, struct text *rest,
		 struct place place)
{
	struct lesson *lesson = reader->lesson;
	size_t i = 0;

	while (i < ARRAY_COUNT(open_options) && !text_is(word, open_options[i].name))
		i++;
	if (i == ARRAY_COUNT(open_options))
		return refuse(reader, place, "unknown option; --binaries, --against, --methods, "
					     "--compat and --policy are allowed");
	const struct text value = lesson_word(rest);
	if (value.length == 0 || value.start[0] == '-')
		return refuse(reader, place, "the option's value is missing");
	struct lesson_open_option *option =
		ARENA_PUSH(&lesson->arena, lesson->options, lesson->option_count,
			   lesson->option_capacity);
	if (option == NULL)
		return error_memory(reader->error);
	option->name = open_options[i].name;
	option->value = open_options[i].path ? path_of(reader, value, place)
					     : text_copy(&lesson->arena, value);
	return option->value != NULL ? ERROR_NONE : ERROR_FORMAT;
}

static enum error_code
read_open(struct lesson_reader *reader, struct lesson_text value)
{
	struct lesson *lesson = reader->lesson;
	struct text rest = text_of(value.text), word;
	enum error_code code = set_once(reader, &lesson->open, value);

	while (code == ERROR_NONE && (word = lesson_word(&rest)).length > 0) {
		const struct place place =
			lesson_place_in(&value, (size_t)(word.start - value.text));

		if (word.start[0] == '-') {
			code = read_open_option(reader, word, &rest, place);
			continue;
		}
		const char **path = ARENA_PUSH(&lesson->arena, lesson->paths, lesson->path_count,
					       lesson->path_capacity);
		if (path == NULL)
			return error_memory(reader->error);
		*path = path_of(reader, word, place);
		code = *path != NULL ? ERROR_NONE : ERROR_FORMAT;
	}
	if (code == ERROR_NONE && lesson->path_count == 0)
		return refuse(reader, value.place, "the dump is missing");
	return code;
}

static enum error_code
read_needs(struct lesson_reader *reader, struct lesson_text value)
{
	struct lesson *lesson = reader->lesson;
	struct text rest = text_of(value.text), word;

	while ((word = lesson_word(&rest)).length > 0) {
		const size_t start = (size_t)(word.start - value.text);
		struct lesson_text *need = ARENA_PUSH(&lesson->arena, lesson->needs,
						      lesson->need_count, lesson->need_capacity);

		if (need == NULL)
			return error_memory(reader->error);
		*need = part(reader, &value, start, start + word.length);
	}
	return ERROR_NONE;
}

static struct lesson_card *
add_card(struct lesson_reader *reader)
{
	const struct lesson_text none = { "", { 0 } };
	struct lesson *lesson = reader->lesson;
	struct lesson_card *card = ARENA_PUSH(&lesson->arena, lesson->cards, lesson->card_count,
					      lesson->card_capacity);

	if (card == NULL) {
		error_memory(reader->error);
		return NULL;
	}
	*card = (struct lesson_card){ .at = reader->at, .say = none, .task = none,
				      .check.what = none, .right = none, .after = none,
				      .shows = none };
	reader->at = none;
	return card;
}

static enum error_code
read_say(struct lesson_reader *reader, struct lesson_text value)
{
	struct lesson_card *card = add_card(reader);

	return card == NULL ? ERROR_MEMORY : set_once(reader, &card->say, value);
}

static enum error_code
read_task(struct lesson_reader *reader, struct lesson_text value)
{
	const bool twice = lesson_task(reader->lesson, text_of(value.text)) != NULL;

	if (strspn(value.text, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(value.text))
		return refuse(reader, value.place,
			      "a task's name has small letters, digits and '-'");
	struct lesson_card *card = add_card(reader);
	if (card == NULL)
		return ERROR_MEMORY;
	reader->in_task = true;
	return twice ? refuse(reader, value.place, "a second task of this name")
		     : set_once(reader, &card->task, value);
}

static enum error_code
read_shows(struct lesson_reader *reader, struct lesson_text value)
{
	return reader->lesson->card_count == 0
		       ? refuse(reader, value.place, "no card is before 'shows'")
		       : set_once(reader, &card_at_hand(reader)->shows, value);
}

static enum error_code
read_check(struct lesson_reader *reader, struct lesson_text value)
{
	struct lesson_check *check = &card_at_hand(reader)->check;
	struct text rest = text_of(value.text);
	struct check_truth truth;

	if (check->what.text[0] != '\0')
		return refuse(reader, value.place, "a second check for this task");
	const struct text word = lesson_word(&rest);
	if (!check_kind_named(word, &check->kind))
		return refuse(reader, value.place,
			      "unknown check; value, predict, rule, program, place, set, choice "
			      "and walk are known");
	check->what = part(reader, &value, (size_t)(rest.start - value.text), strlen(value.text));
	return check_read(check, &truth, reader->error);
}

/* Split "LEFT : RIGHT"; the sentence may continue on further lines. */
static enum error_code
split_at_colon(struct lesson_reader *reader, struct lesson_text value, struct lesson_text *left,
	       struct lesson_text *right)
{
	const char *colon = strstr(value.text, " : ");

	if (colon == NULL)
		return refuse(reader, value.place, "' : ' and a sentence are missing");
	const size_t at = (size_t)(colon - value.text);
	*left = part(reader, &value, 0, at);
	*right = part(reader, &value, at + strlen(" : "), strlen(value.text));
	return left->text[0] == '\0' || right->text[0] == '\0'
		       ? refuse(reader, value.place, "one side of ' : ' is empty")
		       : ERROR_NONE;
}

static enum error_code
read_wrong(struct lesson_reader *reader, struct lesson_text value)
{
	struct lesson_card *card = card_at_hand(reader);
	struct lesson_wrong *wrong = ARENA_PUSH(&reader->lesson->arena, card->wrongs,
						card->wrong_count, card->wrong_capacity);

	return wrong == NULL ? error_memory(reader->error)
			     : split_at_colon(reader, value, &wrong->match, &wrong->sentence);
}

static enum error_code
read_option(struct lesson_reader *reader, struct lesson_text value)
{
	struct lesson_card *card = card_at_hand(reader);
	struct lesson_option *option = ARENA_PUSH(&reader->lesson->arena, card->options,
						  card->option_count, card->option_capacity);

	return option == NULL ? error_memory(reader->error)
			      : split_at_colon(reader, value, &option->word, &option->meaning);
}

static enum error_code
read_hint(struct lesson_reader *reader, struct lesson_text value)
{
	struct lesson_card *card = card_at_hand(reader);
	const size_t length = strlen(value.text);

	for (size_t start = 0; start <= length;) {
		const size_t end = start + strcspn(value.text + start, "|");
		struct lesson_text *hint = ARENA_PUSH(&reader->lesson->arena, card->hints,
						      card->hint_count, card->hint_capacity);

		if (hint == NULL)
			return error_memory(reader->error);
		*hint = part(reader, &value, start, end);
		if (hint->text[0] == '\0')
			return refuse(reader, hint->place, "an empty hint");
		start = end + 1;
	}
	return ERROR_NONE;
}

#define MEMBER(of, member) NULL, offsetof(struct lesson_##of, member)
static const struct directive directives[] = {
	{ "title", false, false, MEMBER(reader, title) },
	{ "open", false, false, read_open, 0 },
	{ "needs", false, false, read_needs, 0 },
	{ "at", false, false, MEMBER(reader, at) },
	{ "say", false, true, read_say, 0 },
	{ "task", false, false, read_task, 0 },
	{ "ask", true, true, MEMBER(card, say) },
	{ "option", true, true, read_option, 0 },
	{ "check", true, false, read_check, 0 },
	{ "wrong", true, true, read_wrong, 0 },
	{ "hint", true, true, read_hint, 0 },
	{ "right", true, true, MEMBER(card, right) },
	{ "after", true, false, MEMBER(card, after) },
	{ "shows", false, false, read_shows, 0 },
};

/* Lines ----------------------------------------------------------------------------------------*/

struct lesson_line {
	size_t start, end;	/* part without indentation and trailing blanks */
	size_t begin;		/* start of the line itself */
	unsigned indent;	/* in columns */
};

static bool
take_line(struct lesson_reader *reader, struct lesson_line *line)
{
	const struct text *bytes = &reader->bytes;
	size_t at = reader->next;

	if (at >= bytes->length)
		return false;
	*line = (struct lesson_line){ .begin = at };
	for (; at < bytes->length && (bytes->start[at] == ' ' || bytes->start[at] == '\t'); at++)
		line->indent = bytes->start[at] == '\t' ? (line->indent | 7u) + 1
							: line->indent + 1;
	line->start = at;
	while (at < bytes->length && bytes->start[at] != '\n')
		at++;
	reader->next = at + 1;
	reader->line++;
	while (at > line->start && rule_is_break(bytes->start[at - 1]))
		at--;
	line->end = at;
	return true;
}

static struct place
place_at(const struct lesson_reader *reader, const struct lesson_line *line, size_t offset)
{
	return (struct place){ .input = &reader->lesson->input, .offset = offset,
			       .line = reader->line,
			       .column = (uint32_t)(offset - line->begin) + 1 };
}

/* Append lines that continue the text of a directive. Returns the end of the text. */
static size_t
take_continuation(struct lesson_reader *reader, size_t end)
{
	for (;;) {
		const struct lesson_reader before = *reader;
		struct lesson_line line;

		if (!take_line(reader, &line))
			return end;
		const bool empty = line.start == line.end;
		if (!empty && line.indent < CONTINUES) {
			*reader = before;
			return end;
		}
		end = empty ? end : line.end;
	}
}

static enum error_code
read_directive(struct lesson_reader *reader, const struct lesson_line *line)
{
	const struct text *bytes = &reader->bytes;
	struct text rest = { bytes->start + line->start, line->end - line->start };
	const struct place place = place_at(reader, line, line->start);
	const struct text word = lesson_word(&rest);
	const struct directive *directive = NULL;

	for (size_t i = 0; i < ARRAY_COUNT(directives); i++)
		if (text_is(word, directives[i].word))
			directive = &directives[i];
	if (directive == NULL) {
		char shown[64];

		text_printable(shown, sizeof(shown), word);
		return error_set(reader->error, ERROR_FORMAT, place, "unknown directive '%s'",
				 shown);
	}
	if (directive->of_task != (line->indent > 0))
		return refuse(reader, place, directive->of_task
						     ? "this belongs to a task: indent it by 2"
						     : "this begins in the first column");
	if (directive->of_task && !reader->in_task)
		return refuse(reader, place, "this belongs to a task, and none has begun");
	reader->in_task = directive->of_task;
	const size_t start = (size_t)(rest.start - bytes->start) +
			     (rest.length - text_trimmed(rest).length);
	const struct place from = place_at(reader, line, start);
	const size_t end = directive->continues ? take_continuation(reader, line->end) : line->end;
	if (end - start > LIMIT_LESSON_LINE)
		return refuse(reader, from, "the text is longer than 4096 bytes");
	const struct lesson_text value = {
		arena_copy(&reader->lesson->arena, bytes->start + start, end - start), from };
	if (value.text == NULL)
		return error_memory(reader->error);
	if (directive->read != NULL)
		return directive->read(reader, value);
	void *member = directive->member +
		       (directive->of_task ? (char *)card_at_hand(reader) : (char *)reader);
	return set_once(reader, member, value);
}

static enum error_code
check_bytes(struct lesson_reader *reader)
{
	const struct text *bytes = &reader->bytes;
	size_t length = 0;

	if (bytes->length > LIMIT_LESSON_BYTES)
		return refuse(reader, (struct place){ .input = &reader->lesson->input },
			      "the lesson is longer than 64 KiB");
	for (size_t i = 0; i < bytes->length; i++) {
		const unsigned char c = (unsigned char)bytes->start[i];
		const struct lesson_line line = { .begin = i - length };

		length = c == '\n' ? 0 : length + 1;
		reader->line += c == '\n';
		if ((c < ' ' && c != '\n' && c != '\t' && c != '\r') || length > LIMIT_LESSON_LINE)
			return reader->line++,
			       refuse(reader, place_at(reader, &line, i),
				      c < ' ' ? "a control character"
					      : "the line is longer than 4096 bytes");
	}
	reader->line = 0;
	return ERROR_NONE;
}

/* The walk over a lesson's directory: nftw(3) gives its function no context. */
static struct {
	char root[PATH_MAX], out[PATH_MAX];
	const char *message;
} links;

/*
 * Stop at a link that leads out of the directory, which may be opened whole, and at a pipe or
 * device, which may never end.
 */
static int
look_at_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	const size_t length = strlen(links.root);
	char real[PATH_MAX];

	(void)at;
	snprintf(links.out, sizeof(links.out), "%s", path);
	links.message = kind == FTW_SL ? "the link '%s' leads out of the lesson's directory"
			: "'%s' is a pipe or device: a lesson has files and directories";
	if (kind != FTW_SL)
		return kind == FTW_F && !S_ISREG(status->st_mode);
	/* A link to nothing is harmless; one that cannot be followed may lead anywhere. */
	return realpath(path, real) != NULL
		       ? strncmp(real, links.root, length) != 0 || real[length] != '/'
		       : errno != ENOENT;
}

static enum error_code
check_links(const struct lesson_reader *reader, struct place whole)
{
	const char *directory = reader->lesson->directory;
	const int found = realpath(directory, links.root) == NULL
		? -1 : nftw(directory, look_at_entry, 16, FTW_PHYS);

	if (found == 0)
		return ERROR_NONE;
	return error_set(reader->error, ERROR_FORMAT, whole,
		found > 0 ? links.message : "the directory cannot be searched for links: %s",
		found > 0 ? links.out : strerror(errno));
}

static enum error_code
check_whole(struct lesson_reader *reader)
{
	const struct lesson *lesson = reader->lesson;
	const struct place whole = { .input = &lesson->input };

	if (lesson->title.text[0] == '\0' || lesson->open.text[0] == '\0')
		return refuse(reader, whole, lesson->title.text[0] == '\0'
						     ? "the lesson has no title"
						     : "the lesson opens no dump");
	if (lesson->card_count == 0)
		return refuse(reader, whole, "the lesson has no card");
	if (lesson->card_count > LIMIT_LESSON_CARDS)
		return refuse(reader, whole, "the lesson has more than 256 cards");
	if (reader->at.text[0] != '\0')
		return refuse(reader, reader->at.place, "no card follows 'at'");
	for (size_t i = 0; i < lesson->card_count; i++) {
		const struct lesson_card *card = &lesson->cards[i];

		if (card->say.text[0] == '\0')
			return refuse(reader, card->task.place, "the task has no 'ask'");
		if (card->task.text[0] != '\0' && card->check.what.text[0] == '\0')
			return refuse(reader, card->task.place, "the task has no 'check'");
	}
	if (lesson->directory[0] != '\0' && check_links(reader, whole) != ERROR_NONE)
		return ERROR_FORMAT;
	return operand_check_texts(lesson, reader->error);
}

enum error_code
lesson_parse(struct lesson *lesson, const char *name, struct text bytes, struct error *error)
{
	const struct lesson_text none = { "", { 0 } };
	struct lesson_reader reader = { .lesson = lesson, .bytes = bytes, .error = error,
					.title = none, .at = none };
	struct lesson_line line;

	lesson->open = none;
	lesson->input.name = arena_string(&lesson->arena, name);
	lesson->digest = hash_bytes(HASH_START, bytes.start, bytes.length);
	if (lesson->input.name == NULL)
		return error_memory(error);
	enum error_code code = check_bytes(&reader);
	while (code == ERROR_NONE && take_line(&reader, &line))
		if (line.start != line.end && bytes.start[line.start] != '#')
			code = read_directive(&reader, &line);
	lesson->title = reader.title;
	return code == ERROR_NONE ? check_whole(&reader) : code;
}
