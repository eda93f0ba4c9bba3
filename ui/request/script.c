/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/script.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "system/file.h"
#include "base/text.h"
#include "ui/terminal/key.h"

#define TYPE "type "

static bool
parse_mouse(const char *line, struct script_step *step)
{
	static const struct {
		const char *name;
		int key;
	} events[] = {
		{ "click ", TERM_KEY_CLICK },
		{ "release ", TERM_KEY_RELEASE },
		{ "wheel-up ", TERM_KEY_WHEEL_UP },
		{ "wheel-down ", TERM_KEY_WHEEL_DOWN },
	};

	for (size_t i = 0; i < ARRAY_COUNT(events); i++) {
		const size_t length = strlen(events[i].name);
		int end = 0;

		if (strncmp(line, events[i].name, length) != 0)
			continue;
		step->key = events[i].key;
		return sscanf(line + length, "%4d,%4d%n", &step->x, &step->y, &end) == 2 &&
		       line[length + (size_t)end] == '\0' && --step->x >= 0 && --step->y >= 0;
	}
	return false;
}

/* Largest columns or rows of --size. */
#define LARGEST 1000

static bool
parse_step(char *line, struct script_step *step)
{
	const char *arguments;
	char end;

	if (line[0] == ':' && line[1] != '\0') {
		step->kind = SCRIPT_COMMAND;
		step->text = line + 1;
		return true;
	}
	if (strncmp(line, TYPE, strlen(TYPE)) == 0) {
		step->kind = SCRIPT_TYPE;
		step->text = line + strlen(TYPE);
		return true;
	}
	step->kind = SCRIPT_KEY;
	if (parse_mouse(line, step))
		return true;
	step->key = TERM_KEY_RESIZE;
	if (sscanf(line, "resize %4dx%4d%c", &step->x, &step->y, &end) == 2 && step->x > 0 &&
	    step->y > 0 && step->x <= LARGEST && step->y <= LARGEST)
		return true;
	step->key = key_parse(line, strlen(line));
	if (step->key != TERM_KEY_NONE)
		return true;
	step->kind = SCRIPT_COMMAND;
	step->text = line;
	return keymap_command(line, &arguments) != REQUEST_NONE;
}

static enum error_code
parse(struct script *script, struct error *error)
{
	unsigned number = 0;
	char *rest = script->text, *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		struct script_step *step = &script->steps[script->count];

		*step = (struct script_step){ .line = ++number, .source = line };
		line[strcspn(line, "\r")] = '\0';
		if (line[0] == '\0' || (line[0] == '#' && line[1] != '\0'))
			continue;
		if (!parse_step(line, step)) {
			struct place place = { .input = &script->input, .line = number };
			char visible[64];

			text_printable(visible, sizeof(visible), text_of(line));
			return error_set(error, ERROR_FORMAT, place, "'%s' is neither a key nor a "
								     "command",
					 visible);
		}
		script->count++;
	}
	return ERROR_NONE;
}

enum error_code
script_parse(struct script *script, const char *name, struct text bytes, struct error *error)
{
	enum error_code code;
	size_t lines = 1;

	*script = (struct script){ 0 };
	for (size_t i = 0; i < bytes.length && lines <= LIMIT_SCRIPT_LINES; i++)
		lines += bytes.start[i] == '\n';
	if (bytes.length > LIMIT_SCRIPT_BYTES || lines > LIMIT_SCRIPT_LINES)
		return error_plain(error, ERROR_FORMAT,
				   "'%s' is larger than a script may be: %u lines, %u MB", name,
				   LIMIT_SCRIPT_LINES, LIMIT_SCRIPT_BYTES >> 20);
	script->input.name = strdup(name);
	script->text = strndup(bytes.start, bytes.length);
	script->steps = calloc(lines, sizeof(*script->steps));
	if (script->input.name == NULL || script->text == NULL || script->steps == NULL)
		code = error_plain(error, ERROR_MEMORY, "out of memory for the script '%s'", name);
	else
		code = parse(script, error);
	if (code != ERROR_NONE) {
		/* The error's place still refers to the script. */
		free(script->text);
		free(script->steps);
		script->text = NULL;
		script->steps = NULL;
		script->count = 0;
	}
	return code;
}

enum error_code
script_open(struct script *script, const char *path, struct error *error)
{
	struct file file;

	*script = (struct script){ 0 };
	enum error_code code = file_open(&file, path, error);
	if (code != ERROR_NONE)
		return code;
	const struct text bytes = { file.data == NULL ? "" : (const char *)file.data,
				    (size_t)file.size };
	code = script_parse(script, path, bytes, error);
	file_close(&file);
	return code;
}

const struct script_step *
script_next(struct script *script)
{
	return script->next < script->count ? &script->steps[script->next++] : NULL;
}

void
script_close(struct script *script)
{
	free((char *)(uintptr_t)script->input.name);
	free(script->text);
	free(script->steps);
	*script = (struct script){ 0 };
}
