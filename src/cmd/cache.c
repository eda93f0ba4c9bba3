/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"

char *
cmd_index_directory(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const bool given = cache != NULL && cache[0] == '/';
	char *path = NULL;

	if (!given && (home == NULL || home[0] != '/'))
		return NULL;
	if (asprintf(&path, "%s%s/unspool", given ? cache : home, given ? "" : "/.cache") < 0)
		return NULL;
	return path;
}

enum cmd_status
cmd_cache(const struct cmd_options *options)
{
	char *directory = cmd_index_directory();
	uint64_t bytes;
	size_t count;

	if (directory == NULL) {
		fprintf(stderr, "unspool: neither XDG_CACHE_HOME nor HOME names a directory\n");
		return CMD_USAGE;
	}
	if (options->clear) {
		printf("%zu indexes removed from '%s'\n", symbols_clear_indexes(directory),
		       directory);
	} else {
		symbols_measure_indexes(directory, &count, &bytes);
		printf("%zu indexes of symbol files, %" PRIu64 " bytes, in '%s'\n", count, bytes,
		       directory);
	}
	free(directory);
	return CMD_DONE;
}
