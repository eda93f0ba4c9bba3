/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/compiler.h"
#include "lesson/check_answer.h"

struct check_reader {
	const struct lesson_check *check;
	struct check_truth *truth;
	struct text rest;
	struct error *error;
};

static enum error_code
refuse(const struct check_reader *reader, struct text at, const char *text)
{
	const struct lesson_text *what = &reader->check->what;

	return error_set(reader->error, ERROR_FORMAT,
			 lesson_place_in(what, (size_t)(at.start - what->text)), "%s", text);
}

static enum error_code
read_operand(struct check_reader *reader)
{
	return operand_parse(&reader->check->what, &reader->truth->operand, reader->error);
}

/* "QUERY [without NAME]": a rule or program of a step. */
static enum error_code
read_query(struct check_reader *reader)
{
	const char *text = reader->check->what.text, *without = strstr(text, " without ");
	const size_t end = without != NULL ? (size_t)(without - text) : strlen(text);
	struct query *query = &reader->truth->operand.query;

	if (without != NULL) {
		reader->rest = text_of(without + strlen(" without "));
		reader->truth->without = lesson_word(&reader->rest);
		if (reader->truth->without.length == 0 || text_trimmed(reader->rest).length > 0)
			return refuse(reader, reader->rest, "expected one name after 'without'");
	}
	const enum error_code code = query_parse((struct text){ text, end }, query,
						 reader->error);
	if (code != ERROR_NONE) {
		reader->error->place = lesson_place_in(&reader->check->what,
						       reader->error->place.column - 1);
		return code;
	}
	reader->truth->operand.asks = true;
	query->attribute = QUERY_OF_TEXT;
	return query->what == QUERY_RULE
		       ? ERROR_NONE
		       : refuse(reader, text_of(text), "expected a query for a rule");
}

/* "sealed DIGEST", or "seal" before the text to seal. `*there`: either was found. */
static enum error_code
read_seal(struct check_reader *reader, bool *there)
{
	const struct text before = reader->rest, word = lesson_word(&reader->rest);

	*there = true;
	reader->truth->open = text_is(word, "seal");
	reader->truth->sealed = text_is(word, "sealed");
	if (reader->truth->sealed) {
		const struct text digest = lesson_word(&reader->rest);

		return digest.length == 16 && text_number(digest, 16, &reader->truth->digest)
			       ? ERROR_NONE
			       : refuse(reader, digest, "expected 16 hexadecimal digits");
	}
	if (!reader->truth->open) {
		*there = false;
		reader->rest = before;
	}
	return ERROR_NONE;
}

static enum error_code
read_end(struct check_reader *reader)
{
	const struct text rest = text_trimmed(reader->rest);

	return rest.length == 0 ? ERROR_NONE
				: refuse(reader, rest, "nothing is expected here");
}

static enum error_code
read_set(struct check_reader *reader)
{
	bool there;
	const enum error_code code = read_seal(reader, &there);

	if (code != ERROR_NONE || reader->truth->sealed)
		return code != ERROR_NONE ? code : read_end(reader);
	reader->truth->words = text_trimmed(reader->rest);
	return reader->truth->words.length > 0
		       ? ERROR_NONE
		       : refuse(reader, reader->rest, "the members of the set are missing");
}

static enum error_code
read_number(struct check_reader *reader, size_t *number)
{
	const struct text word = lesson_word(&reader->rest);
	uint64_t value;

	if (!text_number(word, 10, &value) || value >= 10000000)
		return refuse(reader, word, "expected a number");
	*number = (size_t)value;
	return ERROR_NONE;
}

/* "method frame N", "check frame N" or one word. */
static enum error_code
read_choice(struct check_reader *reader)
{
	bool there;
	const enum error_code code = read_seal(reader, &there);

	if (code != ERROR_NONE || reader->truth->sealed)
		return code != ERROR_NONE ? code : read_end(reader);
	const struct text word = lesson_word(&reader->rest);
	struct text rest = reader->rest;
	reader->truth->words = word;
	if (word.length == 0)
		return refuse(reader, word, "the right choice is missing");
	if (!there && text_is(lesson_word(&rest), "frame") &&
	    (text_is(word, "method") || text_is(word, "check"))) {
		reader->rest = rest;
		reader->truth->choice =
			text_is(word, "method") ? CHECK_CHOICE_METHOD : CHECK_CHOICE_CHECK;
		const enum error_code wrong = read_number(reader, &reader->truth->frame);
		if (wrong != ERROR_NONE)
			return wrong;
	}
	return read_end(reader);
}

/* "sealed DIGEST [edits N] [lint CODE gone]". */
static enum error_code
read_walk(struct check_reader *reader)
{
	bool there;
	enum error_code code = read_seal(reader, &there);
	struct text word;

	if (code == ERROR_NONE && !there)
		return refuse(reader, reader->rest, "expected 'sealed DIGEST', or 'seal' until "
						    "it is sealed");
	while (code == ERROR_NONE && (word = lesson_word(&reader->rest)).length > 0) {
		if (text_is(word, "edits")) {
			code = read_number(reader, &reader->truth->edits);
		} else if (text_is(word, "lint")) {
			word = lesson_word(&reader->rest);
			reader->truth->lints = lint_code_named(word, &reader->truth->lint);
			if (!reader->truth->lints)
				return refuse(reader, word, "lint has no such code");
			word = lesson_word(&reader->rest);
			if (!text_is(word, "gone"))
				return refuse(reader, word, "expected 'gone'");
		} else {
			return refuse(reader, word, "expected 'edits N' or 'lint CODE gone'");
		}
	}
	return code;
}

static const struct {
	const char *word;
	enum error_code (*read)(struct check_reader *reader);
} kinds[] = {
#define CHECK_KIND(id, word, form, comparison, how, help) { word, read_##form },
#include "lesson/check_kind.def"
};

const char *
check_kind_word(enum lesson_check_kind kind)
{
	return kinds[kind].word;
}

bool
check_kind_named(struct text word, enum lesson_check_kind *kind)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (text_is(word, kinds[i].word)) {
			*kind = (enum lesson_check_kind)i;
			return true;
		}
	return false;
}

enum error_code
check_read(const struct lesson_check *check, struct check_truth *truth, struct error *error)
{
	struct check_reader reader = { check, truth, text_of(check->what.text), error };

	*truth = (struct check_truth){ .operand.query.method = METHOD_COUNT };
	return check->what.text[0] == '\0'
		       ? refuse(&reader, reader.rest, "the truth is missing")
		       : kinds[check->kind].read(&reader);
}
