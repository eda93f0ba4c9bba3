/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/servers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SECONDS 30
/* Symbols of the largest browsers have 1.5 GB. */
#define DEFAULT_MEGABYTES 4096
#define BLANKS " \t\n"

/* URLs of the environment stand between blanks: they may hold any other mark. */
static size_t
take_environment(struct cmd_input *input)
{
	const char *value = getenv("UNSPOOL_SYMBOLS_URL");
	size_t count = 0;
	char *rest = NULL;

	if (value == NULL || value[strspn(value, BLANKS)] == '\0')
		return 0;
	input->url_environment = strdup(value);
	input->urls = calloc(strlen(value), sizeof(*input->urls));
	if (input->url_environment == NULL || input->urls == NULL)
		return 0;
	for (char *url = strtok_r(input->url_environment, BLANKS, &rest); url != NULL;
	     url = strtok_r(NULL, BLANKS, &rest))
		input->urls[count++] = url;
	return count;
}

static char *
default_directory(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const bool own = cache != NULL && cache[0] == '/';
	const char *base = own ? cache : home, *rest = own ? "" : "/.cache";

	if (base == NULL || base[0] != '/')
		return NULL;
	const size_t size = strlen(base) + sizeof("/.cache/unspool/symbols");
	char *directory = malloc(size);
	if (directory != NULL)
		snprintf(directory, size, "%s%s/unspool/symbols", base, rest);
	return directory;
}

uint64_t
cmd_servers_most(const struct cmd_options *options)
{
	return (uint64_t)(options->symbols_limit > 0 ? options->symbols_limit : DEFAULT_MEGABYTES)
	       << 20;
}

struct fetch_options
cmd_servers_later(struct cmd_input *input, const struct cmd_options *options)
{
	if (input->fetch_directory == NULL)
		input->fetch_directory = options->symbols_cache != NULL
						 ? strdup(options->symbols_cache)
						 : default_directory();
	return (struct fetch_options){
		.directory = input->fetch_directory,
		.seconds = options->symbols_timeout > 0 ? (unsigned)options->symbols_timeout
							: DEFAULT_SECONDS,
		.most = cmd_servers_most(options),
	};
}

bool
cmd_servers_open(struct cmd_input *input, const struct cmd_options *options,
		 struct symbols_cache *cache)
{
	const struct cmd_list *list = &options->symbol_urls;
	struct error error = { 0 };
	size_t count = list->count;

	if (count == 0 && (count = take_environment(input)) == 0)
		return true;
	struct fetch_options fetch = cmd_servers_later(input, options);
	if (fetch.directory == NULL) {
		cmd_say("no directory for downloaded symbols; set one with '--symbols-cache DIR'");
		return false;
	}
	fetch.urls = list->count != 0 ? list->items : input->urls;
	fetch.url_count = count;
	fetch.memory = cache == NULL ? NULL : symbols_cache_answers(cache);
	input->fetcher = fetch_create(&fetch, &error);
	if (input->fetcher == NULL)
		cmd_print_error(&error, "symbol servers");
	return input->fetcher != NULL;
}

void
cmd_servers_close(struct cmd_input *input)
{
	fetch_free(input->fetcher);
	free(input->urls);
	free(input->url_environment);
	free(input->fetch_directory);
}
