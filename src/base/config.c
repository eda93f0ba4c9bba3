/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/file.h"
#include "base/text.h"

#define MOST_BYTES (1u << 20)
#define BLANKS " \t\r"

static const struct {
	const char *name, *arguments, *help;
} directives[] = {
#define C(name, arguments, help) { name, arguments, help },
#include "base/config.def"
};

static void
complain(struct config *config, unsigned line, const char *what, const char *expected)
{
	const struct place place = { .input = &config->input, .line = line };
	char visible[80];

	text_printable(visible, sizeof(visible), text_of(what));
	message_add(&config->messages, MESSAGE_CONFIG, place,
		    "'%s': expected %s\nthe line is left out", visible, expected);
}

void
config_complain(struct config *config, unsigned line, const char *wrong)
{
	const struct place place = { .input = &config->input, .line = line };

	message_add(&config->messages, MESSAGE_CONFIG, place, "%s\nthe line is left out", wrong);
}

/*
 * Cut the next word off `*rest`: up to a blank, or in double quotes. NULL at the end or where a
 * quote is not closed.
 */
static char *
cut_word(char **rest)
{
	char *word = *rest + strspn(*rest, BLANKS), *end;

	if (*word == '\0')
		return NULL;
	if (*word == '"') {
		word++;
		end = strchr(word, '"');
	} else {
		end = word + strcspn(word, BLANKS);
	}
	if (end == NULL)
		return NULL;
	*rest = *end == '\0' ? end : end + 1;
	*end = '\0';
	return word;
}

static void
take_symbols(struct config *config, unsigned line, char *rest)
{
	const char *path = cut_word(&rest);

	if (path == NULL || cut_word(&rest) != NULL)
		complain(config, line, path == NULL ? "symbols" : path,
			 "one directory, in double quotes where it has blanks");
	else if ((path = file_expand_home(&config->arena, path)) != NULL)
		config->symbols[config->symbol_count++] = path;
}

static void
take_symbols_url(struct config *config, unsigned line, char *rest)
{
	const char *url = cut_word(&rest);

	if (url == NULL || cut_word(&rest) != NULL)
		complain(config, line, url == NULL ? "symbols-url" : url, "one URL");
	else
		config->symbol_urls[config->symbol_url_count++] = url;
}

static void
take_source_map(struct config *config, unsigned line, char *rest)
{
	const char *from = cut_word(&rest), *to = from == NULL ? NULL : cut_word(&rest);

	if (to == NULL || cut_word(&rest) != NULL || strchr(from, '=') != NULL) {
		complain(config, line, from == NULL ? "source-map" : from,
			 "two paths without '=', in double quotes where they have blanks");
		return;
	}
	to = file_expand_home(&config->arena, to);
	const char *map = to == NULL ? NULL : arena_format(&config->arena, "%s=%s", from, to);
	if (map != NULL)
		config->source_maps[config->source_map_count++] = map;
}

static void
take_line(struct config *config, unsigned number, char *line)
{
	const char *start = line, *word = cut_word(&line);
	size_t i = 0;

	while (word != NULL && i < ARRAY_COUNT(directives) && strcmp(directives[i].name, word) != 0)
		i++;
	if (word == NULL) {
		complain(config, number, start, "a quote at the end of the word");
		return;
	}
	line += strspn(line, BLANKS);
	for (size_t end = strlen(line); end > 0 && strchr(BLANKS, line[end - 1]) != NULL;)
		line[--end] = '\0';
	if (i == ARRAY_COUNT(directives))
		complain(config, number, word, "bind, unbind, set, symbols, symbols-url or source-map");
	else if (strcmp(word, "symbols") == 0)
		take_symbols(config, number, line);
	else if (strcmp(word, "symbols-url") == 0)
		take_symbols_url(config, number, line);
	else if (strcmp(word, "source-map") == 0)
		take_source_map(config, number, line);
	else
		config->lines[config->line_count++] = (struct config_line){ word, line, number };
}

static bool
take_lines(struct config *config, char *text)
{
	size_t count = 1;
	unsigned number = 0;
	char *line;

	for (const char *c = text; *c != '\0'; c++)
		count += *c == '\n';
	config->lines = arena_array(&config->arena, count, sizeof(*config->lines));
	config->symbols = arena_array(&config->arena, count, sizeof(*config->symbols));
	config->source_maps = arena_array(&config->arena, count, sizeof(*config->source_maps));
	config->symbol_urls = arena_array(&config->arena, count, sizeof(*config->symbol_urls));
	if (config->lines == NULL || config->symbols == NULL || config->symbol_urls == NULL || config->source_maps == NULL)
		return false;
	while ((line = strsep(&text, "\n")) != NULL) {
		const size_t blanks = strspn(line, BLANKS);

		number++;
		if (line[blanks] != '\0' && line[blanks] != '#')
			take_line(config, number, line);
	}
	return true;
}

enum error_code
config_read(struct config *config, const char *path, bool must, struct error *error)
{
	struct file file;

	*config = (struct config){ 0 };
	arena_init(&config->arena, 0);
	message_list_init(&config->messages, &config->arena);
	if (!must && access(path, R_OK) != 0)
		return ERROR_NONE;
	enum error_code code = file_open(&file, path, error);
	if (code != ERROR_NONE)
		return code;
	config->input.name = arena_format(&config->arena, "%s", path);
	const size_t size = file.size < MOST_BYTES ? (size_t)file.size : MOST_BYTES;
	char *text = arena_array(&config->arena, size + 1, 1);
	if (text != NULL && file.data != NULL)
		memcpy(text, file.data, size);
	if (config->input.name == NULL || text == NULL || !take_lines(config, text))
		code = error_set(error, ERROR_MEMORY, (struct place){ 0 }, "memory ran out");
	file_close(&file);
	return code;
}

const char *
config_path(char *buffer, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int length = -1;

	/* The specification wants a path that is not absolute to be ignored. */
	if (config != NULL && config[0] == '/')
		length = snprintf(buffer, size, "%s/unspool/config", config);
	else if (home != NULL && home[0] == '/')
		length = snprintf(buffer, size, "%s/.config/unspool/config", home);
	return length < 0 || (size_t)length >= size ? NULL : buffer;
}

const char *
config_directive(size_t index, const char **help)
{
	if (index >= ARRAY_COUNT(directives))
		return NULL;
	*help = directives[index].help;
	return directives[index].name;
}

void
config_free(struct config *config)
{
	arena_free(&config->arena);
	*config = (struct config){ 0 };
}
