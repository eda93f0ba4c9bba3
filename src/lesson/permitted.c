/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/permitted.h"

#include <string.h>

#include "base/compiler.h"

static const char *const permitted[] = {
#define C(words) words,
#include "lesson/permitted.def"
#undef C
};

bool
permitted_command(struct text line)
{
	for (size_t i = 0; i < ARRAY_COUNT(permitted); i++) {
		const size_t length = strlen(permitted[i]);

		if (line.length >= length && memcmp(line.start, permitted[i], length) == 0 &&
		    (line.length == length || line.start[length] == ' '))
			return true;
	}
	return false;
}

struct text
permitted_next(const char **rest)
{
	struct text command = { 0 };

	while (**rest != '\0' && command.length == 0) {
		command.start = *rest + strspn(*rest, " \t\n;");
		command.length = strcspn(command.start, ";");
		*rest = command.start + command.length;
	}
	return command;
}
