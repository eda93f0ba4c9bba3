/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "system/door.h"
#include "ui/explorer.h"
#include "ui/terminal/term.h"

/* The absolute path of a regular file, allocated. NULL: `error` is set. */
static char *
check_path(const char *path, struct error *error)
{
	char visible[160];
	struct stat status;
	char *real = realpath(path, NULL);

	text_printable(visible, sizeof(visible), text_of(path));
	if (real == NULL || stat(real, &status) != 0)
		error_plain(error, ERROR_NOT_FOUND, "cannot edit '%s': %s", visible,
			    strerror(errno));
	else if (!S_ISREG(status.st_mode))
		error_plain(error, ERROR_NOT_FOUND, "'%s' is not a file", visible);
	else
		return real;
	free(real);
	return NULL;
}

#define MOST_WORDS 4

/*
 * Arguments that make an editor show a line. The last row is for all other editors. %f is the
 * file, %l the line and %c the column.
 */
static const struct convention {
	/* Base names, with a blank before and after each; "": any other editor */
	const char *editors;
	const char *words[MOST_WORDS];
} conventions[] = {
	{ " code codium code-insiders cursor windsurf ", { "--goto", "%f:%l:%c" } },
	{ " subl hx helix zed lapce ", { "%f:%l:%c" } },
	{ " nano pico ", { "+%l,%c", "%f" } },
	{ " emacs emacsclient kak micro jed ", { "+%l:%c", "%f" } },
	{ " kate kwrite ", { "--line", "%l", "%f" } },
	{ " mate idea pycharm clion ", { "--line", "%l", "%f" } },
	{ " ed red ", { "%f" } },
	{ "", { "+%l", "%f" } },
};

/* The row of `conventions` for the editor that the first word of a command names. */
static const struct convention *
convention_of(const char *command)
{
	const char *start = command + strspn(command, " ");
	const size_t length = strcspn(start, " ");
	const struct convention *convention = conventions;
	const char *name = start;
	char word[64];

	for (const char *at = start; at < start + length; at++)
		if (*at == '/')
			name = at + 1;
	snprintf(word, sizeof(word), " %.*s ", (int)(start + length - name), name);
	while (convention->editors[0] != '\0' && strstr(convention->editors, word) == NULL)
		convention++;
	return convention;
}

/* Replace %f, %l and %c in a word. The result is allocated. */
static char *
expand(const char *word, const char *path, unsigned line, unsigned column)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (; file != NULL && *word != '\0'; word++)
		if (*word != '%')
			fputc(*word, file);
		else if (*++word == 'f')
			fputs(path, file);
		else
			fprintf(file, "%u", *word == 'l' ? line : column > 0 ? column : 1);
	if (file != NULL && fclose(file) == 0)
		return text;
	free(text);
	return NULL;
}

/* Returns the exit status of the editor, or -1. */
static int
editor_run(const char *real, unsigned line, unsigned column)
{
	static const char *const names[] = { "EDITOR", "VISUAL" };
	const char *variable = NULL, *arguments[MOST_WORDS + 5] = { "/bin/sh", "-c" };
	char command[64], *words[MOST_WORDS] = { NULL };
	unsigned count = 2;
	int status = -1;

	for (unsigned i = 0; i < 2; i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[strspn(value, " ")] != '\0')
			variable = names[i];
	}
	const struct convention *convention =
		convention_of(variable != NULL ? getenv(variable) : "vi");
	/* The shell splits the variable into words but does not expand patterns. */
	snprintf(command, sizeof(command), "set -f; exec %s%s \"$@\"", variable == NULL ? "" : "$",
		 variable == NULL ? "vi" : variable);
	arguments[count++] = command;
	arguments[count++] = "sh";
	if (line == 0) {
		arguments[count] = real;
		return signals_run(arguments);
	}
	for (unsigned i = 0; i < MOST_WORDS && convention->words[i] != NULL; i++) {
		words[i] = expand(convention->words[i], real, line, column);
		arguments[count++] = words[i];
		if (words[i] == NULL)
			goto out;
	}
	status = signals_run(arguments);
out:
	for (unsigned i = 0; i < MOST_WORDS; i++)
		free(words[i]);
	return status;
}

int
explorer_serve_editor(int socket, const char *argument, const void *context)
{
	unsigned line, column;
	struct error error = { 0 };
	int length = 0, status = -1;

	(void)socket;
	(void)context;
	if (sscanf(argument, "%u %u %n", &line, &column, &length) != 2 || length == 0)
		return -1;
	char *real = check_path(argument + length, &error);
	if (real != NULL)
		status = editor_run(real, line, column);
	free(real);
	return status;
}

/* Let the broker run the editor if this process may not start programs. */
static int
ask_to_run(const char *real, unsigned line, unsigned column)
{
	char argument[DOOR_TEXT];
	const int length =
		snprintf(argument, sizeof(argument), "%u %u %s", line, column, real);

	if (length < 0 || (size_t)length >= sizeof(argument))
		return -1;
	const int service = door_serve(DOOR_EDITOR, argument);
	return service < 0 ? -1 : door_wait(service);
}

enum error_code
editor_open(const char *path, unsigned line, unsigned column, struct error *error)
{
	char *real = check_path(path, error);

	if (real == NULL)
		return ERROR_NOT_FOUND;
	term_lend();
	const int status = door_is_guarded() ? ask_to_run(real, line, column)
					     : editor_run(real, line, column);
	term_take_back();
	free(real);
	if (status == 0)
		return ERROR_NONE;
	if (status < 0)
		return error_plain(error, ERROR_IO, "cannot start the editor");
	return error_plain(error, ERROR_IO, "the editor ended with status %d", status);
}
