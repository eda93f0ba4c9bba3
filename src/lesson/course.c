/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/course.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "system/file.h"

struct course_reader {
	struct course *course;
	const char *directory;
	struct place place;
	struct error *error;
};

static bool
is_name(struct text word)
{
	for (size_t i = 0; i < word.length; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.", word.start[i]) == NULL)
			return false;
	return word.length > 0 && word.start[0] != '.';
}

static enum error_code
read_line(const struct course_reader *reader, struct text line)
{
	struct course *course = reader->course;
	struct arena *arena = &course->arena;
	const struct text word = lesson_word(&line), name = lesson_word(&line);
	const bool track = text_is(word, "track");

	if (word.length == 0 || word.start[0] == '#')
		return ERROR_NONE;
	if (!track && !text_is(word, "lesson"))
		return error_set(reader->error, ERROR_FORMAT, reader->place,
				 "expected 'track' or 'lesson'");
	if (!is_name(name))
		return error_set(reader->error, ERROR_FORMAT, reader->place,
				 "a name has small letters, digits, '-', '_' and '.'");
	const char *copy = text_copy(arena, name);
	if (track) {
		const struct text title = text_trimmed(line);
		struct course_track *one = ARENA_PUSH(arena, course->tracks, course->track_count,
						      course->track_capacity);

		if (one == NULL || copy == NULL)
			return error_memory(reader->error);
		*one = (struct course_track){ copy, text_copy(arena, title) };
		return one->title != NULL ? ERROR_NONE : error_memory(reader->error);
	}
	if (course->track_count == 0)
		return error_set(reader->error, ERROR_FORMAT, reader->place,
				 "a lesson before the first track");
	if (course->lesson_count == LIMIT_COURSE_LESSONS)
		return error_set(reader->error, ERROR_FORMAT, reader->place,
				 "the course has more than %u lessons", LIMIT_COURSE_LESSONS);
	struct course_lesson *one = ARENA_PUSH(arena, course->lessons, course->lesson_count,
					       course->lesson_capacity);
	if (one == NULL || copy == NULL)
		return error_memory(reader->error);
	*one = (struct course_lesson){ copy, arena_format(arena, "%s/%s", reader->directory, copy),
				       course->track_count - 1 };
	return one->directory != NULL ? ERROR_NONE : error_memory(reader->error);
}

enum error_code
course_read(struct course *course, const char *directory, struct error *error)
{
	struct file file;

	*course = (struct course){ 0 };
	struct course_reader reader = { .course = course, .error = error };
	reader.directory = arena_string(&course->arena, directory);
	course->input.name = arena_format(&course->arena, "%s/course", directory);
	if (reader.directory == NULL || course->input.name == NULL)
		return error_memory(error);
	if (access(course->input.name, F_OK) == 0 && !file_is_plain(course->input.name))
		return error_plain(error, ERROR_IO, "not a regular file");
	/* One byte over the limit shows that the file is too large. */
	enum error_code code = file_open_head(&file, course->input.name, LIMIT_LESSON_BYTES + 1,
					      error);
	if (code != ERROR_NONE)
		return code;
	reader.place = (struct place){ .input = &course->input };
	if (file.size > LIMIT_LESSON_BYTES)
		code = error_set(error, ERROR_FORMAT, reader.place,
				 "the course is longer than %u KiB", LIMIT_LESSON_BYTES >> 10);
	struct text rest = { (const char *)file.data, (size_t)file.size }, line;
	while (code == ERROR_NONE && text_take_line(&rest, &line)) {
		reader.place.line++;
		reader.place.offset = (uint64_t)(line.start - (const char *)file.data);
		code = read_line(&reader, line);
	}
	file_close(&file);
	return code;
}

enum error_code
course_read_installed(struct course *course, struct error *error)
{
	struct arena arena = { 0 };
	enum error_code code;

	*course = (struct course){ 0 };
	const char *data = lesson_data_directory(&arena);
	const char *directory = data != NULL ? arena_format(&arena, "%s/lessons", data) : NULL;
	if (directory == NULL) {
		code = error_plain(error, ERROR_NOT_FOUND, "the lessons are not installed");
		error_hint(error, "UNSPOOL_DATA names the directory of the program's data");
	} else {
		code = course_read(course, directory, error);
	}
	arena_free(&arena);
	return code;
}

const struct course_lesson *
course_find(const struct course *course, const char *word, struct error *error)
{
	const struct course_lesson *found = NULL;
	char names[160] = "";
	size_t length = 0, count = 0;
	bool all = true;
	uint64_t number;

	if (text_number(text_of(word), 10, &number) && number > 0 && number <= course->lesson_count)
		return &course->lessons[number - 1];
	for (size_t i = 0; i < course->lesson_count; i++)
		if (strcmp(course->tracks[course->lessons[i].track].name, word) == 0)
			return &course->lessons[i];
	for (size_t i = 0; i < course->lesson_count && *word != '\0'; i++) {
		const struct course_lesson *one = &course->lessons[i];

		if (strcmp(one->name, word) == 0)
			return one;
		if (strstr(one->name, word) == NULL)
			continue;
		found = one;
		all = all && length + strlen(one->name) + 2 < sizeof(names);
		if (all)
			length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
						   count > 0 ? ", " : "", one->name);
		count++;
	}
	if (count > 1)
		error_plain(error, ERROR_FORMAT, "'%s' is part of the names of %zu lessons: %s%s",
			    word, count, names, all ? "" : ", ...");
	else if (count == 0)
		error_plain(error, ERROR_NOT_FOUND,
			    "no lesson is called '%s'; 'unspool lesson --list' lists them, "
			    "--lessons DIR names a directory with other ones",
			    word);
	return count == 1 ? found : NULL;
}
