/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "binary/debuginfod.h"
#include "cmd/cmd.h"
#include "cmd/servers.h"

/* Of DEBUGINFOD_TIMEOUT, where nobody sets it. */
#define CLIENT_SECONDS 90

/* The directories of a list with colons between them; the list is cut up. */
static struct binaries *
open_list(const struct crash *crash, char *list)
{
	struct binaries *binaries = NULL;
	size_t count = 0, room = 1;
	char *rest = NULL;

	for (const char *c = list; *c != '\0'; c++)
		room += *c == ':';
	const char **directories = calloc(room, sizeof(*directories));
	if (directories == NULL)
		return NULL;
	for (char *path = strtok_r(list, ":", &rest); path != NULL;
	     path = strtok_r(NULL, ":", &rest))
		directories[count++] = path;
	binaries = binaries_create(crash, directories, count);
	free(directories);
	return binaries;
}

/* The directories that were given, or the environment's. */
static struct binaries *
open_given(const struct crash *crash, const struct cmd_options *options)
{
	const char *value = getenv("UNSPOOL_BINARIES");

	if (options->binaries.count != 0 || value == NULL)
		return binaries_create(crash, options->binaries.items, options->binaries.count);
	char *copy = strdup(value);
	struct binaries *binaries = copy != NULL ? open_list(crash, copy) : NULL;
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

bool
cmd_binaries_open(struct cmd_input *input, const struct cmd_options *options,
		  struct symbols_cache *cache)
{
	input->binaries = open_given(&input->crash, options);
	if (input->binaries == NULL)
		return false;
	if (options->system_binaries)
		binaries_add_system(input->binaries);
	binaries_add_servers(input->binaries, servers_of(input, options, cache));
	return true;
}
