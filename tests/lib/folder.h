/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_FOLDER_H
#define TESTS_LIB_FOLDER_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/tap.h"

/** A temporary folder with files that a test makes. */

static char root[64];

static inline const char *
path_in(const char *name)
{
	static char paths[64][512];
	static unsigned next;
	char *path = paths[next++ % ARRAY_COUNT(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

/* Write a file below the root, making its folders. */
static inline void
put_bytes(const char *name, const void *bytes, size_t size)
{
	const char *path = path_in(name);
	char folder[512];

	for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		mkdir(folder, 0700);
	}
	FILE *file = fopen(path, "w");
	if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
		tap_diag("cannot write %s", path);
		exit(1);
	}
}

/* Write a text file below the root; its path. */
static inline const char *
put_text(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
	return path_in(name);
}

static inline int
remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

/** Make the folder; false if that fails. */
static inline bool
folder_make(void)
{
	const char *folder = getenv("TMPDIR");

	snprintf(root, sizeof(root), "%.40s/unspool-XXXXXX", folder != NULL ? folder : "/tmp");
	return mkdtemp(root) != NULL;
}

static inline void
folder_remove(void)
{
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/** The main program of tests that share the folder. */
#define FOLDER_MAIN \
	int main(void) \
	{ \
		if (folder_make()) { \
			run_tests(); \
			folder_remove(); \
		} else { \
			skip(1, "no temporary folder"); \
		} \
		return done_testing(); \
	}

#endif
