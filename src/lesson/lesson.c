/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/lesson.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "rules/edit.h"
#include "system/file.h"

/* The real path of a directory that has this program's crashes; NULL: it has none. */
static const char *
data_at(struct arena *arena, const char *directory)
{
	const char *crashes = arena_format(arena, "%s/crashes", directory);
	char real[PATH_MAX];

	return crashes != NULL && access(crashes, R_OK) == 0 && realpath(directory, real) != NULL
		       ? arena_string(arena, real)
		       : NULL;
}

const char *
lesson_data_directory(struct arena *arena)
{
	/* Relative to the program's directory: in an installation, and in a source tree. */
	static const char *const beside[] = { "/../share/unspool", "/../data" };
	static const char *const system[] = { "/usr/local/share/unspool", "/usr/share/unspool" };
	const char *given = getenv("UNSPOOL_DATA"), *found = NULL;
	char program[PATH_MAX];

	if (given != NULL && given[0] == '/')
		return data_at(arena, given);
	const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	program[length > 0 ? length : 0] = '\0';
	if (strrchr(program, '/') != NULL)
		*strrchr(program, '/') = '\0';
	for (size_t i = 0; i < ARRAY_COUNT(beside) && found == NULL; i++) {
		const char *path = arena_format(arena, "%s%s", program, beside[i]);

		found = path != NULL ? data_at(arena, path) : NULL;
	}
	for (size_t i = 0; i < ARRAY_COUNT(system) && found == NULL; i++)
		found = data_at(arena, system[i]);
	return found;
}

enum error_code
lesson_read(struct lesson *lesson, const char *directory, struct error *error)
{
	struct file file;

	*lesson = (struct lesson){ 0 };
	size_t length = strlen(directory);
	while (length > 1 && directory[length - 1] == '/')
		length--;
	lesson->directory = arena_copy(&lesson->arena, directory, length);
	const char *path = arena_format(&lesson->arena, "%.*s/lesson", (int)length, directory);
	if (lesson->directory == NULL || path == NULL)
		return error_memory(error);
	lesson->name = place_base_name(lesson->directory);
	if (access(path, F_OK) == 0 && !file_is_plain(path))
		return error_plain(error, ERROR_IO, "its 'lesson' is not a regular file");
	/* One byte over the limit shows that the file is too large. */
	enum error_code code = file_open_head(&file, path, LIMIT_LESSON_BYTES + 1, error);
	if (code != ERROR_NONE)
		return code;
	const struct text bytes = { file.data == NULL ? "" : (const char *)file.data,
				    (size_t)file.size };
	code = lesson_parse(lesson, path, bytes, error);
	file_close(&file);
	return code;
}

void
lesson_free(struct lesson *lesson)
{
	arena_free(&lesson->arena);
}

const struct lesson_card *
lesson_task(const struct lesson *lesson, struct text name)
{
	for (size_t i = 0; i < lesson->card_count && name.length > 0; i++)
		if (text_is(name, lesson->cards[i].task.text))
			return &lesson->cards[i];
	return NULL;
}

size_t
lesson_task_count(const struct lesson *lesson)
{
	size_t count = 0;

	for (size_t i = 0; i < lesson->card_count; i++)
		count += lesson->cards[i].task.text[0] != '\0';
	return count;
}

bool
lesson_next_piece(struct lesson_text *rest, struct lesson_piece *piece)
{
	static const struct {
		const char *open, *close;
		enum lesson_piece_kind kind;
	} brackets[] = { { "[[", "]]", LESSON_WORD }, { "{{", "}}", LESSON_QUERY } };
	const char *start = rest->text, *end = start + 1;

	if (*start == '\0')
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(brackets); i++) {
		const char *close = strncmp(start, brackets[i].open, 2) == 0
					    ? strstr(start + 2, brackets[i].close) : NULL;

		if (close == NULL)
			continue;
		*piece = (struct lesson_piece){ brackets[i].kind,
						{ start + 2, (size_t)(close - start) - 2 },
						lesson_place_in(rest, 2) };
		*rest = (struct lesson_text){ close + 2,
					      lesson_place_in(rest, (size_t)(close - start) + 2) };
		return true;
	}
	while (*end != '\0' && strncmp(end, "[[", 2) != 0 && strncmp(end, "{{", 2) != 0)
		end++;
	*piece = (struct lesson_piece){ LESSON_PLAIN, { start, (size_t)(end - start) },
					rest->place };
	*rest = (struct lesson_text){ end, lesson_place_in(rest, (size_t)(end - start)) };
	return true;
}

struct place
lesson_place_in(const struct lesson_text *text, size_t at)
{
	struct place place = place_part(text->place, at, 0);

	for (size_t i = 0; i < at && text->text[i] != '\0'; i++)
		if (text->text[i] == '\n') {
			place.line++;
			place.column = (uint32_t)(at - i);
		}
	return place;
}

struct text
lesson_word(struct text *list)
{
	size_t start = 0, end;

	while (start < list->length && rule_is_break(list->start[start]))
		start++;
	for (end = start; end < list->length && !rule_is_break(list->start[end]);)
		end++;
	const struct text word = { list->start + start, end - start };
	*list = (struct text){ list->start + end, list->length - end };
	return word;
}

struct text
lesson_next_command(const char **rest)
{
	struct text command = { 0 };

	while (**rest != '\0' && command.length == 0) {
		command.start = *rest + strspn(*rest, " \t\n;");
		command.length = strcspn(command.start, ";");
		*rest = command.start + command.length;
	}
	return command;
}

struct text
lesson_view(const struct lesson *lesson, size_t card, bool *top)
{
	struct text command, view = { "", 0 };

	*top = false;
	for (size_t i = 0; i <= card && i < lesson->card_count; i++) {
		const char *rest = lesson->cards[i].at.text;

		while ((command = lesson_next_command(&rest)).length > 0) {
			*top |= text_is(text_trimmed(command), "first");
			if (!text_drop_prefix(&command, "view "))
				continue;
			view = text_trimmed(command);
			*top = false;
		}
	}
	return view;
}
