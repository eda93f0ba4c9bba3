/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/config.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "system/file.h"
#include "base/text.h"

#define MOST_BYTES (1u << 20)
#define BLANKS " \t\r"

static void
complain(struct config *config, unsigned line, const char *what, const char *expected)
{
	const struct place place = { .input = &config->input, .line = line };

	message_line_skipped(&config->messages, MESSAGE_CONFIG, place, what, expected);
}

void
config_complain(struct config *config, unsigned line, const char *wrong)
{
	const struct place place = { .input = &config->input, .line = line };

	message_add(&config->messages, MESSAGE_CONFIG, place, "%s\nthe line is skipped", wrong);
}

/*
 * Cut the next word off `*rest`. The word ends at a blank, or is in double quotes. NULL at the end,
 * or if a quote is not closed.
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

/* Add a directive's argument to a list or a choice of `config`. */
static void
add_item(struct config_list *list, const char *text)
{
	if (text != NULL)
		list->items[list->count++] = text;
}

/* The only word of a line; NULL with a message if the line has none or several. */
static const char *
only_word(struct config *config, const struct config_line *line, char *rest, const char *expected)
{
	const char *word = cut_word(&rest);

	if (word != NULL && cut_word(&rest) == NULL)
		return word;
	complain(config, line->number, word == NULL ? line->word : word, expected);
	return NULL;
}

static void
take_path(struct config *config, const struct config_line *line, char *rest, void *to)
{
	const char *path = only_word(config, line, rest,
				     "one path, in double quotes if it has spaces");

	if (path != NULL)
		add_item(to, file_expand_home(&config->arena, path));
}

static void
take_url(struct config *config, const struct config_line *line, char *rest, void *to)
{
	add_item(to, only_word(config, line, rest, "one URL"));
}

static void
take_map(struct config *config, const struct config_line *line, char *rest, void *to)
{
	const char *from = cut_word(&rest), *now = from == NULL ? NULL : cut_word(&rest);

	if (now == NULL || cut_word(&rest) != NULL || strchr(from, '=') != NULL) {
		complain(config, line->number, from == NULL ? line->word : from,
			 "two paths without '=', in double quotes if they have spaces");
		return;
	}
	now = file_expand_home(&config->arena, now);
	add_item(to, now == NULL ? NULL : arena_format(&config->arena, "%s=%s", from, now));
}

static void
take_choice(struct config *config, const struct config_line *line, char *rest, void *to)
{
	const char *word = only_word(config, line, rest, "on or off");
	const bool on = word != NULL && strcmp(word, "on") == 0;
	enum config_choice *choice = to;

	if (on || (word != NULL && strcmp(word, "off") == 0))
		*choice = on ? CONFIG_ON : CONFIG_OFF;
	else if (word != NULL)
		complain(config, line->number, word, "on or off");
}

/* Handle a line for the explorer. */
static void
take_line(struct config *config, const struct config_line *line, char *rest, void *to)
{
	struct config_line **lines = to;

	(*lines)[config->line_count++] = (struct config_line){ line->word, rest, line->number };
}

static const struct {
	const char *name, *arguments, *help;
	void (*take)(struct config *config, const struct config_line *line, char *rest, void *to);
	size_t member;
} directives[] = {
#define C(name, arguments, kind, member, help) \
	{ name, arguments, help, take_##kind, offsetof(struct config, member) },
#include "system/config.def"
};

static void
take(struct config *config, unsigned number, char *text)
{
	const char *start = text, *word = cut_word(&text);
	const struct config_line line = { .word = word, .number = number };
	char names[256] = "";

	if (word == NULL) {
		complain(config, number, start, "a quote at the end of the word");
		return;
	}
	text += strspn(text, BLANKS);
	for (size_t end = strlen(text); end > 0 && strchr(BLANKS, text[end - 1]) != NULL;)
		text[--end] = '\0';
	for (size_t i = 0; i < ARRAY_COUNT(directives); i++) {
		const size_t used = strlen(names);

		if (strcmp(directives[i].name, word) == 0) {
			directives[i].take(config, &line, text,
					   (char *)config + directives[i].member);
			return;
		}
		snprintf(names + used, sizeof(names) - used, "%s%s",
			 i == 0 ? "" : i + 1 < ARRAY_COUNT(directives) ? ", " : " or ",
			 directives[i].name);
	}
	complain(config, number, word, names);
}

static bool
take_lines(struct config *config, char *text)
{
	struct config_list *const lists[] = { &config->symbols, &config->symbol_urls,
					      &config->binaries, &config->source_maps,
					      &config->signature_rules };
	size_t count = 1;
	unsigned number = 0;
	char *line;

	for (const char *c = text; *c != '\0'; c++)
		count += *c == '\n';
	config->lines = arena_array(&config->arena, count, sizeof(*config->lines));
	bool room = config->lines != NULL;
	for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
		lists[i]->items = arena_array(&config->arena, count, sizeof(*lists[i]->items));
		room = room && lists[i]->items != NULL;
	}
	while (room && (line = strsep(&text, "\n")) != NULL) {
		const size_t blanks = strspn(line, BLANKS);

		number++;
		if (line[blanks] != '\0' && line[blanks] != '#')
			take(config, number, line);
	}
	return room;
}

enum error_code
config_read(struct config *config, const char *path, bool must, struct error *error)
{
	struct stat status;
	struct file file;

	*config = (struct config){ 0 };
	arena_init(&config->arena, 0);
	message_list_init(&config->messages, &config->arena);
	if (!must && access(path, R_OK) != 0)
		return ERROR_NONE;
	/* Opening a pipe that the user did not name would wait for a writer. */
	if (!must && file_stat(path, &status) && S_ISFIFO(status.st_mode))
		return error_plain(error, ERROR_IO, "not a regular file");
	enum error_code code = file_open(&file, path, error);
	if (code != ERROR_NONE)
		return code;
	config->input.name = arena_format(&config->arena, "%s", path);
	const size_t size = file.size < MOST_BYTES ? (size_t)file.size : MOST_BYTES;
	if (file.size > size)
		message_add(&config->messages, MESSAGE_CONFIG,
			    (struct place){ .input = &config->input },
			    "the file has more than 1 MB\nthe rest is skipped");
	char *text = arena_array(&config->arena, size + 1, 1);
	if (text != NULL && file.data != NULL)
		memcpy(text, file.data, size);
	if (config->input.name == NULL || text == NULL || !take_lines(config, text))
		code = error_memory(error);
	file_close(&file);
	return code;
}

void
config_free(struct config *config)
{
	arena_free(&config->arena);
	*config = (struct config){ 0 };
}
