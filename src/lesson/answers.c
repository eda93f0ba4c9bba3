/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/answers.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "system/file.h"

struct answers_reader {
	struct answers *answers;
	const char *lesson;
	uint64_t digest;
	struct place place;
	struct error *error;
};

static const char *
copied(const struct answers_reader *reader, struct text text)
{
	return text_or_empty(text_copy(&reader->answers->arena, text));
}

static enum error_code
read_line(struct answers_reader *reader, struct text line)
{
	struct answers *answers = reader->answers;
	const struct text word = lesson_word(&line), whole = text_trimmed(line);
	const struct text name = lesson_word(&line);
	const bool hint = text_is(word, "hint");

	if (word.length == 0 || word.start[0] == '#')
		return ERROR_NONE;
	if (name.length == 0)
		return error_set(reader->error, ERROR_FORMAT, reader->place, "a name is missing");
	if (text_is(word, "student")) {
		answers->student = copied(reader, whole);
		return ERROR_NONE;
	}
	if (text_is(word, "lesson")) {
		reader->lesson = copied(reader, name);
		line = text_trimmed(line);
		reader->digest = 0;
		text_take_number(&line, 16, &reader->digest);
		return ERROR_NONE;
	}
	if (!hint && !text_is(word, "answer"))
		return error_set(reader->error, ERROR_FORMAT, reader->place,
				 "expected 'student', 'lesson', 'answer' or 'hint'");
	if (!ARENA_ADD(&answers->arena, answers->lines, answers->count, answers->capacity,
		       &(struct answers_line){ reader->lesson, reader->digest, copied(reader, name),
					       hint ? NULL : copied(reader, text_trimmed(line)),
					       reader->place }))
		return error_memory(reader->error);
	return ERROR_NONE;
}

enum error_code
answers_read(struct answers *answers, const char *path, struct error *error)
{
	struct answers_reader reader = { .answers = answers, .lesson = "", .error = error };
	struct file file;

	*answers = (struct answers){ 0 };
	answers->input.name = arena_string(&answers->arena, path);
	if (answers->input.name == NULL)
		return error_memory(error);
	enum error_code code = file_open_head(&file, path, LIMIT_LESSON_ANSWERS + 1, error);
	if (code != ERROR_NONE)
		return code;
	reader.place = (struct place){ .input = &answers->input };
	if (file.size > LIMIT_LESSON_ANSWERS)
		code = error_set(error, ERROR_FORMAT, reader.place, "the file has more than %u MB",
				 LIMIT_LESSON_ANSWERS >> 20);
	struct text rest = { (const char *)file.data, (size_t)file.size }, line;
	while (code == ERROR_NONE && text_take_line(&rest, &line)) {
		reader.place.line++;
		reader.place.offset = (uint64_t)(line.start - (const char *)file.data);
		code = read_line(&reader, line);
	}
	file_close(&file);
	return code;
}

const char *
answers_last(const struct answers *answers, const char *task)
{
	const char *last = "";

	for (size_t i = 0; i < answers->count; i++)
		if (answers->lines[i].answer != NULL && strcmp(answers->lines[i].task, task) == 0)
			last = answers->lines[i].answer;
	return last;
}

enum error_code
answers_read_solution(struct answers *answers, const struct lesson *lesson, struct error *error)
{
	struct arena arena = { 0 };
	const char *path = arena_format(&arena, "%s/solution", lesson->directory);
	enum error_code code = ERROR_NONE;

	*answers = (struct answers){ 0 };
	if (path != NULL && access(path, F_OK) == 0)
		code = answers_read(answers, path, error);
	arena_free(&arena);
	return code;
}

void
answers_write(const struct output *output, const struct lesson_run *run)
{
	output_format(output, "lesson %s %016" PRIx64 "\n", run->lesson->name,
		      run->lesson->digest);
	for (size_t i = 0; i < run->entry_count; i++) {
		const struct lesson_entry *entry = &run->entries[i];
		const char *task = run->lesson->cards[entry->card].task.text;

		output_format(output, "%s %s", entry->answer != NULL ? "answer" : "hint", task);
		if (entry->answer != NULL) {
			output_plain(output, " ");
			output_text(output, text_of(entry->answer));
		}
		output_plain(output, "\n");
	}
}

void
answers_replay(const struct answers *answers, const char *lesson, struct lesson_run *run,
	       void (*tell)(void *context, const struct answers_line *line,
			    const struct lesson_reply *reply),
	       void *context)
{
	for (size_t i = 0; i < answers->count; i++) {
		const struct answers_line *line = &answers->lines[i];
		const struct lesson_card *card = lesson_task(run->lesson, text_of(line->task));
		struct lesson_reply reply = { .result = CHECK_BROKEN,
					      .sentence = "the lesson has no such task" };

		if (lesson != NULL && strcmp(lesson, line->lesson) != 0)
			continue;
		if (card != NULL && run->card != (size_t)(card - run->lesson->cards))
			lesson_run_go(run, (size_t)(card - run->lesson->cards));
		if (card != NULL && line->answer == NULL)
			lesson_run_hint(run);
		else if (card != NULL)
			reply = lesson_run_answer(run, text_of(line->answer));
		if (tell != NULL && (card == NULL || line->answer != NULL))
			tell(context, line, &reply);
	}
}
