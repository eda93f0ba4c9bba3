/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/editor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "ui/term.h"

static const struct place nowhere;

const char *
editor_variable(void)
{
	static const char *const names[] = { "VISUAL", "EDITOR" };

	for (unsigned i = 0; i < 2; i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[strspn(value, " ")] != '\0')
			return names[i];
	}
	return NULL;
}

static bool
is_below(const char *path, const char *root)
{
	char *real = realpath(root, NULL);
	size_t length = real == NULL ? 0 : strlen(real);
	bool below = real != NULL && strncmp(path, real, length) == 0 &&
		     (path[length] == '/' || (length != 0 && real[length - 1] == '/'));

	free(real);
	return below;
}

/* The absolute path of a regular file, allocated; NULL with the reason. */
static char *
check_path(const char *path, const char *root, struct error *error)
{
	char visible[160];
	struct stat status;
	char *real = realpath(path, NULL);

	text_printable(visible, sizeof(visible), text_of(path));
	if (real == NULL || stat(real, &status) != 0)
		error_set(error, ERROR_NOT_FOUND, nowhere, "'%s' cannot be edited: %s", visible,
			  strerror(errno));
	else if (!S_ISREG(status.st_mode))
		error_set(error, ERROR_NOT_FOUND, nowhere, "'%s' is not a file", visible);
	else if (root != NULL && !is_below(real, root))
		error_set(error, ERROR_NOT_FOUND, nowhere, "'%s' is outside the source directory",
			  visible);
	else
		return real;
	free(real);
	return NULL;
}

enum error_code
editor_open(const char *path, unsigned line, const char *root, struct error *error)
{
	const char *variable = editor_variable(), *arguments[7] = { "/bin/sh", "-c" };
	char *real = check_path(path, root, error);
	char command[64], position[16];
	unsigned count = 2;

	if (real == NULL)
		return ERROR_NOT_FOUND;
	/* Words of the variable are split, patterns in it are not looked up. */
	snprintf(command, sizeof(command), "set -f; exec %s%s \"$@\"", variable == NULL ? "" : "$",
		 variable == NULL ? "vi" : variable);
	snprintf(position, sizeof(position), "+%u", line);
	arguments[count++] = command;
	arguments[count++] = "sh";
	if (line != 0)
		arguments[count++] = position;
	arguments[count] = real;
	int status = term_run(arguments);
	free(real);
	if (status == 0)
		return ERROR_NONE;
	if (status < 0)
		return error_set(error, ERROR_IO, nowhere, "no process for the editor");
	return error_set(error, ERROR_IO, nowhere, "the editor ended with status %d", status);
}
