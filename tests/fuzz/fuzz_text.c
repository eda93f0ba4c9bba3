/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names, command lines and the texts that users write. */
#include <stdlib.h>
#include <wchar.h>

#include "base/compiler.h"
#include "base/demangle.h"
#include "base/limits.h"
#include "cmd/cmd.h"
#include "system/config.h"
#include "tests/fuzz/harness.h"
#include "ui/request/script.h"

#define MOST_ARGUMENTS 24u

void
fuzz_demangle(const uint8_t *bytes, size_t size)
{
	const struct text name = { (const char *)bytes, size };
	struct arena arena = { 0 };

	const struct text shown = demangle(name, &arena);
	if (shown.length > LIMIT_SHOWN_NAME && shown.start != name.start)
		fuzz_fail("a name is longer than names may be");
	if (demangle_clone_at(name) > name.length)
		fuzz_fail("a suffix begins after the name");
	/* Linker names of data and strings are shown in words that no look-up accepts. */
	if (!demangle_is_called(name, name) || (size > 0 && bytes[0] == '_' && memchr(shown.start, '(', shown.length) != NULL &&
	     !demangle_is_called(name, shown)))
		fuzz_fail("a name is not called as it is shown");
	arena_free(&arena);
}

void
fuzz_config(const uint8_t *bytes, size_t size)
{
	const char *path = fuzz_file(FUZZ_SCRIPT, bytes, size);
	struct error error = { 0 };
	struct config config;

	if (config_read(&config, path, true, &error) != ERROR_NONE && error.text[0] == '\0')
		fuzz_fail("refused without a word");
	for (size_t i = 1; i < config.line_count; i++)
		if (config.lines[i].number <= config.lines[i - 1].number)
			fuzz_fail("lines are not in order");
	config_free(&config);
}

void
fuzz_script(const uint8_t *bytes, size_t size)
{
	const struct text text = { (const char *)bytes, size };
	const struct script_step *step;
	struct error error = { 0 };
	struct script script;
	unsigned line = 0;

	if (script_parse(&script, "fuzz", text, &error) != ERROR_NONE && error.text[0] == '\0')
		fuzz_fail("refused without a word");
	while ((step = script_next(&script)) != NULL) {
		if (step->line <= line)
			fuzz_fail("steps are not in order");
		line = step->line;
	}
	script_close(&script);
}

/* Split a line into words, in place; returns how many. */
static int
split_words(char *text, char *words[MOST_ARGUMENTS])
{
	char *rest = NULL;
	int count = 0;

	for (char *word = strtok_r(text, "\n", &rest); word != NULL && count < (int)MOST_ARGUMENTS; word = strtok_r(NULL, "\n", &rest))
		words[count++] = word;
	return count;
}

/* The first byte chooses a command, the lines after it are its arguments. Nothing is run. */
void
fuzz_options(const uint8_t *bytes, size_t size)
{
	char *words[MOST_ARGUMENTS];

	if (size == 0)
		return;
	char *text = strndup((const char *)bytes + 1, size - 1);
	if (text == NULL)
		fuzz_fail("out of memory");
	const int count = split_words(text, words);
	struct cmd_options *options = cmd_parse(cmd_commands[bytes[0] % cmd_command_count], (size_t)count, (const char **)words);
	if (options != NULL) {
		if (options->path_count + options->asked_count > (size_t)count)
			fuzz_fail("more arguments than were given");
		cmd_options_free(options);
	}
	free(text);
}

/* The first line is the path of a source file, the others are OLD=NEW. */
void
fuzz_source_map(const uint8_t *bytes, size_t size)
{
	char *words[MOST_ARGUMENTS], *text = strndup((const char *)bytes, size);
	struct arena arena = { 0 };
	struct source_file source;

	if (text == NULL)
		fuzz_fail("out of memory");
	const int count = split_words(text, words);
	if (count > 0) {
		const struct source_options options = {
			.maps = (const char *const *)words + 1,
			.map_count = (size_t)count - 1,
			.dump = "/nonexistent/dump",
		};

		if (source_file_find(&options, NULL, text_of(words[0]), &arena, &source) != (source.path != NULL))
			fuzz_fail("a source is found at no path");
	}
	arena_free(&arena);
	free(text);
}
