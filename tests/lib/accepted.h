/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_ACCEPTED_H
#define TESTS_LIB_ACCEPTED_H

#include "base/text.h"
#include "system/file.h"
#include "tests/lib/tap.h"

/** Assert that `said` equals the accepted file `name` of the source tree. If UNSPOOL_ACCEPT is in
 * the environment, write the file before. */
static inline void
is_as_accepted(const char *said, const char *name)
{
	struct file file;
	struct error error;

	const char *path = tap_path("%s", name);
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
