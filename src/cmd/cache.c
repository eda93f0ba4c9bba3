/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "cmd/cmd.h"
#include "system/directory.h"

struct cache_options {
	struct cmd_options common;
	bool clear;
};

static enum cmd_status
cache_run(const struct cmd_options *options)
{
	const struct cache_options *own = (const struct cache_options *)options;
	enum cmd_status status = CMD_DONE;
	struct arena arena = { 0 };
	uint64_t bytes;
	size_t count;

	const char *directory = directory_of_user(&arena, DIRECTORY_CACHE, "unspool");
	if (directory == NULL) {
		cmd_say("neither XDG_CACHE_HOME nor HOME names a directory");
		status = CMD_USAGE;
	} else if (own->clear) {
		cmd_print("%zu indexes removed from '%s'", symbols_clear_indexes(directory),
			  directory);
	} else {
		symbols_measure_indexes(directory, &count, &bytes);
		cmd_print("%zu indexes of symbol files, %" PRIu64 " bytes, in '%s'", count,
			  bytes, directory);
	}
	arena_free(&arena);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--clear", 0, NULL, "remove the indexes", CMD_STORE(FLAG, cache_options, clear) },
};

const struct cmd_command cmd_cache = {
	.name = "cache", .arguments = "",
	.help = "list the cached indexes of symbol files (--no-cache: use none)",
	CMD_OWN(own_options, cache_options),
	.run_alone = cache_run,
};
