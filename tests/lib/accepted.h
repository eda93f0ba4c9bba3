/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_ACCEPTED_H
#define TESTS_LIB_ACCEPTED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "system/file.h"
#include "tests/lib/tap.h"

/** Line `number` of a text, without its line feed; empty after the last line. */
static inline struct text
accepted_line(const char *text, size_t number)
{
	while (number-- > 0 && *text != '\0')
		text += strcspn(text, "\n") + (text[strcspn(text, "\n")] != '\0');
	return (struct text){ text, strcspn(text, "\n") };
}

/**
 * True if the first line of the accepted file names these libraries, or if the file is accepted
 * now. Outputs depend on the versions of the disassembler and the demangler.
 */
static inline bool
accepted_with(const char *name, const char *libraries)
{
	const char *srcdir = getenv("srcdir");
	char path[1024], line[200] = "";

	snprintf(path, sizeof(path), "%s/%s", srcdir != NULL ? srcdir : ".", name);
	FILE *accepted = fopen(path, "r");
	if (accepted != NULL && fgets(line, sizeof(line), accepted) == NULL)
		line[0] = '\0';
	if (accepted != NULL)
		fclose(accepted);
	line[strcspn(line, "\n")] = '\0';
	return getenv("UNSPOOL_ACCEPT") != NULL || strcmp(line, libraries) == 0;
}

/**
 * Assert that `said` equals the accepted file `name` of the source tree, and report the first line
 * that differs. If UNSPOOL_ACCEPT is in the environment, write the file instead.
 */
static inline void
is_as_accepted(const char *said, const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[1024];
	struct file file;
	struct error error;

	snprintf(path, sizeof(path), "%s/%s", srcdir != NULL ? srcdir : ".", name);
	if (getenv("UNSPOOL_ACCEPT") != NULL) {
		FILE *out = fopen(path, "w");

		if (out != NULL && fputs(said, out) >= 0)
			fclose(out);
	}
	if (!ok(file_open(&file, path, &error) == ERROR_NONE, "there is %s", name))
		return;
	const size_t length = strlen(said);
	const bool same = file.size == length && memcmp(file.data, said, length) == 0;
	ok(same, "it has what is said");
	char *accepted = strndup((const char *)file.data, (size_t)file.size);
	file_close(&file);
	for (size_t i = 0; !same && accepted != NULL; i++) {
		const struct text want = accepted_line(accepted, i), got = accepted_line(said, i);

		if (text_equal(want, got) && want.length + got.length > 0)
			continue;
		tap_diag("line %zu: expected %.*s", i + 1, (int)want.length, want.start);
		tap_diag("got %.*s", (int)got.length, got.start);
		break;
	}
	free(accepted);
}

#endif
