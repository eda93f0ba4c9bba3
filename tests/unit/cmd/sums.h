/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_CMD_SUMS_H
#define TESTS_UNIT_CMD_SUMS_H

#include <glob.h>

#include "base/hash.h"
#include "tests/lib/accepted.h"
#include "tests/unit/cmd/run.h"

/** Accepted checksums and lengths of the output of commands. */

/**
 * Write a line for the output of the command `line` in a folder, without the folder's own path;
 * `title` names the line.
 */
static inline void
sums_write(FILE *out, const char *folder, const char *line, const char *title)
{
	char *text = run_command(folder, text_of(line));

	for (char *path = text; path != NULL && (path = strstr(path, folder)) != NULL;)
		memmove(path, path + strlen(folder), strlen(path + strlen(folder)) + 1);
	const size_t length = text != NULL ? strlen(text) : 0;

	fprintf(out, "%016llx %zu %s\n", (unsigned long long)hash_bytes(HASH_START, text, length),
		length, title);
	free(text);
}

/**
 * Assert that the lines that `write` makes for each file of `patterns` (paths in the source tree)
 * equal the file `accepted`; skipped if that was accepted with other libraries.
 */
static inline void
sums_check(const char *accepted, const char *libraries, const char *const *patterns, size_t count,
	   void (*write)(FILE *out, const char *top, const char *path))
{
	const char *srcdir = getenv("srcdir");
	char *top = realpath(srcdir != NULL ? srcdir : ".", NULL), *said = NULL, pattern[1024];
	size_t size;

	if (!accepted_with(accepted, libraries)) {
		skip(1, "the sums were accepted with other libraries than %s", libraries);
		free(top);
		return;
	}
	run_begin();
	FILE *out = open_memstream(&said, &size);
	fprintf(out, "%s\n", libraries);
	for (size_t i = 0; top != NULL && i < count; i++) {
		glob_t found = { 0 };

		snprintf(pattern, sizeof(pattern), "%s/%s", top, patterns[i]);
		if (glob(pattern, 0, NULL, &found) == 0)
			for (size_t k = 0; k < found.gl_pathc; k++)
				write(out, top, found.gl_pathv[k]);
		globfree(&found);
	}
	fclose(out);
	if (top != NULL && chdir(top) == 0)
		is_as_accepted(said, accepted);
	free(said);
	free(top);
}

#endif
