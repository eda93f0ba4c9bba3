/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "locate/debuginfod.h"
#include "cmd/cmd.h"
#include "cmd/servers.h"

/* Of DEBUGINFOD_TIMEOUT, if it is not set. */
#define CLIENT_SECONDS 90

/* Cut up a list with colons between its directories. */
static size_t
split(char *list, const char **directories)
{
	size_t count = 0;
	char *rest = NULL;

	for (char *path = strtok_r(list, ":", &rest); path != NULL;
	     path = strtok_r(NULL, ":", &rest))
		directories[count++] = path;
	return count;
}

/* The directories that were given, else the environment's, and more. */
static struct binaries *
open_given(const struct crash *crash, const struct cmd_options *options)
{
	const struct cmd_list *given = &options->binaries, *more = &options->more_binaries;
	const char *value = getenv("UNSPOOL_BINARIES");
	char *copy = strdup(given->count == 0 && value != NULL ? value : "");
	const size_t most = copy == NULL ? 0 : strlen(copy) + 1 + given->count + more->count;
	const char **directories = calloc(most + 1, sizeof(*directories));
	struct binaries *binaries = NULL;

	if (copy != NULL && directories != NULL) {
		size_t count = split(copy, directories);

		for (size_t i = 0; i < given->count; i++)
			directories[count++] = given->items[i];
		for (size_t i = 0; i < more->count; i++)
			directories[count++] = more->items[i];
		binaries = binaries_create(crash, directories, count);
	}
	free(directories);
	free(copy);
	return binaries;
}

/* Where elfutils' client keeps its files (debuginfod-client-config(7)), to be freed; or NULL. */
static char *
client_directory(void)
{
	const char *given = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char *path = NULL;

	if (given != NULL)
		return strdup(given);
	if (home != NULL && asprintf(&path, "%s/.debuginfod_client_cache", home) >= 0) {
		if (access(path, F_OK) == 0)
			return path;
		free(path);
	}
	if (cache == NULL && home == NULL)
		return NULL;
	if (asprintf(&path, "%s%s/debuginfod_client", cache != NULL ? cache : home,
		     cache != NULL ? "" : "/.cache") < 0)
		return NULL;
	return path;
}

/* The client waits so long for a connection alone, and tries again; this is for a whole file. */
static unsigned
silence(const struct cmd_options *options)
{
	const char *value = getenv("DEBUGINFOD_TIMEOUT");

	if (options->symbols_timeout > 0)
		return (unsigned)options->symbols_timeout;
	const long seconds = value != NULL ? strtol(value, NULL, 10) : CLIENT_SECONDS;
	return seconds > 0 && seconds <= INT_MAX ? (unsigned)seconds : 0;
}

static struct debuginfod *
open_servers(const struct cmd_options *options)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (urls == NULL || (options->policy.value[POLICY_FILE_NAMES] == 0 &&
			     options->policy.value[POLICY_FRAME_TABLES] == 0))
		return NULL;
	char *directory = client_directory();
	struct debuginfod *servers = debuginfod_open(&(struct debuginfod_options){
		.urls = urls, .directory = directory, .seconds = silence(options),
		.most = cmd_servers_most(options) });
	free(directory);
	return servers;
}

/* Several dumps share servers, so that nothing is asked twice of them. */
static struct debuginfod *
servers_of(struct cmd_input *input, const struct cmd_options *options,
	   struct symbols_cache *cache)
{
	if (cache == NULL)
		return input->debuginfod = open_servers(options);
	if (symbols_cache_debuginfod(cache) == NULL)
		symbols_cache_keep(cache, open_servers(options));
	return symbols_cache_debuginfod(cache);
}

struct binaries *
cmd_binaries_open_again(const struct crash *crash, const struct cmd_options *options,
			struct debuginfod *servers)
{
	struct binaries *binaries = open_given(crash, options);

	if (binaries == NULL)
		return NULL;
	if (options->system_binaries)
		binaries_add_system(binaries);
	binaries_add_servers(binaries, servers);
	return binaries;
}

bool
cmd_binaries_open(struct cmd_input *input, const struct cmd_options *options,
		  struct symbols_cache *cache)
{
	input->binaries = cmd_binaries_open_again(&input->crash, options,
						  servers_of(input, options, cache));
	return input->binaries != NULL;
}
