/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <string.h>

#include "cmd/demo/demo.h"
#include "system/file.h"

/* Most bytes of a source; those of lessons have two thousand. */
#define MOST_SOURCE (UINT64_C(1) << 20)

static const char mark[] = "/* build";

/* Add the words of one comment. False if there are too many, or one is outside of the directory. */
static bool
take_words(struct demo_source *source, const char *words, struct arena *arena)
{
	for (;;) {
		words += strspn(words, " \t\r\n*");
		const size_t length = strcspn(words, " \t\r\n*");
		if (length == 0 || *words == '/')
			return *words == '\0' || *words == '/';
		const char *word = arena_copy(arena, words, length);
		const bool option = word != NULL && *word == '-';
		size_t *count = option ? &source->option_count : &source->file_count;

		if (word == NULL || *count == DEMO_WORDS / 2 ||
		    (!option && (*word == '.' || strchr(word, '/') != NULL)))
			return false;
		(option ? source->options : source->files)[(*count)++] = word;
		words += length;
	}
}

/* Read the build instructions in the comments of a source. */
static bool
take_comments(struct demo_source *source, const char *text, const char *machine,
	      struct arena *arena)
{
	const char *at = text;
	bool good = true;

	while (good && (at = strstr(at, mark)) != NULL) {
		const char *words = at + sizeof(mark) - 1;
		const char *end = strstr(words, "*/");
		const size_t name = strspn(words, " ");
		const size_t length = strcspn(words + name, ": \n");
		const bool ours = strlen(machine) == length &&
				  strncmp(words + name, machine, length) == 0;

		at = words;
		if (end == NULL || words[name + length] != ':' || (length == 0 && name > 0))
			continue;
		source->said = true;
		if (length > 0 && !ours)
			continue;
		source->here = true;
		const char *copy = arena_copy(arena, words + name + length + 1,
					      (size_t)(end - (words + name + length + 1)));
		good = copy != NULL && take_words(source, copy, arena);
	}
	return good;
}

/* The first line of a comment at the beginning. */
static const char *
title_of(const char *text, struct arena *arena)
{
	size_t length;

	if (strncmp(text, "/* ", 3) != 0)
		return "";
	length = strcspn(text + 3, "\n*");
	while (length > 0 && isspace((unsigned char)text[3 + length - 1]))
		length--;
	const char *title = arena_copy(arena, text + 3, length);
	return title != NULL ? title : "";
}

enum error_code
demo_source_read(struct demo_source *source, const char *path, const char *machine,
		 struct arena *arena, struct error *error)
{
	const char *name = place_base_name(path), *dot = strrchr(name, '.');
	struct file file;
	const enum error_code code = file_open(&file, path, error);

	*source = (struct demo_source){ .title = "" };
	if (code != ERROR_NONE)
		return code;
	const bool small = file.size <= MOST_SOURCE;
	const char *text = small ? arena_copy(arena, (const char *)file.data, (size_t)file.size)
				 : NULL;
	file_close(&file);
	if (!small || dot == NULL || dot == name || *name == '-')
		return error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "not the source of a small program");
	source->directory = name > path ? arena_copy(arena, path, (size_t)(name - path)) : "./";
	source->program = arena_copy(arena, name, (size_t)(dot - name));
	source->files[source->file_count++] = arena_copy(arena, name, strlen(name));
	if (text == NULL || source->directory == NULL || source->program == NULL ||
	    source->files[0] == NULL)
		return error_memory(error);
	source->title = title_of(text, arena);
	if (!take_comments(source, text, machine, arena))
		return error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "its comment 'build:' may only have options of the compiler and "
				 "names of files in its directory");
	return ERROR_NONE;
}
