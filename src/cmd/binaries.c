/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

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

struct binaries *
cmd_binaries_open(const struct crash *crash, const struct cmd_options *options)
{
	struct binaries *binaries = open_given(crash, options);

	if (binaries != NULL && options->system_binaries)
		binaries_add_system(binaries);
	return binaries;
}
