/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_ACCEPTED_H
#define TESTS_LIB_ACCEPTED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "system/file.h"
#include "tests/lib/tap.h"

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
 * Assert that `said` equals the accepted file `name` of the source tree. If UNSPOOL_ACCEPT is in
 * the environment, write the file before.
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
	if (!ok(file_open(&file, path, &error) == ERROR_NONE, "%s can be read", name))
		return;
	char *accepted = strndup((const char *)file.data, (size_t)file.size);
	file_close(&file);
	is_text(said, accepted, "the output equals %s", name);
	free(accepted);
}

#endif
