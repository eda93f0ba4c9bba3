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

struct cache_options {
	struct cmd_options common;
	bool clear;
};

static enum cmd_status
run(const struct cmd_options *options, struct cmd_input *none)
{
	const struct cache_options *own = (const struct cache_options *)options;
	char *directory = cmd_index_directory();
	uint64_t bytes;
	size_t count;

	(void)none;
	if (directory == NULL) {
		cmd_say("neither XDG_CACHE_HOME nor HOME names a directory");
		return CMD_USAGE;
	}
	if (own->clear) {
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

static const struct cmd_option own_options[] = {
	{ "--clear", 0, NULL, "remove them", CMD_STORE(FLAG, cache_options, clear) },
};

const struct cmd_command cmd_cache = {
	.name = "cache", .arguments = "",
	.help = "print the indexes kept of symbol files (--no-cache: use none)",
	CMD_OWN(own_options, cache_options),
	.run = run,
};
