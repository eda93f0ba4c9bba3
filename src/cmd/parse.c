/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"

static void
point_to_help(const struct cmd_command *command)
{
	fprintf(stderr, "Try 'unspool %s --help'.\n", command->name);
}

enum cmd_status
cmd_usage(const struct cmd_options *options, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	cmd_say("%s", text);
	point_to_help(options->command);
	return CMD_USAGE;
}

/* The arguments of a command, with what they are parsed into. */
struct arguments {
	int count, at;
	char **texts;
	struct cmd_options *options;
};

static bool
wrong(const char *format, const char *what)
{
	char text[512];

	snprintf(text, sizeof(text), format, what);
	cmd_say("%s", text);
	return false;
}

static const struct cmd_option *
find_option(const struct cmd_command *command, const char *text, size_t length)
{
	const struct cmd_option *option;

	for (size_t at = 0; (option = cmd_next_option(command, &at)) != NULL;)
		if ((length == 2 && text[1] == option->letter) ||
		    (strlen(option->name) == length && strncmp(option->name, text, length) == 0))
			return option;
	return NULL;
}

bool
cmd_parse_address(const char *text, uint64_t *address)
{
	char *end;

	errno = 0;
	*address = strtoull(text, &end, 16);
	return (errno == 0 && end != text && *end == '\0' && *text != '-') ||
	       wrong("'%s' is not a hexadecimal address", text);
}

static bool
apply(const struct cmd_option *option, const char *value, struct cmd_options *options)
{
	void *member = (char *)options + option->offset;
	char *end;
	const char *refusal = option->check != NULL ? option->check(options, value) : NULL;

	if (refusal != NULL)
		return wrong(refusal, value);
	switch (option->kind) {
	case CMD_FLAG:
		*(bool *)member = true;
		break;
	case CMD_NUMBER:
		*(long *)member = strtol(value, &end, 10);
		return (*value != '\0' && *end == '\0' && *(long *)member >= 0) ||
		       wrong("'%s' is not a number", value);
	case CMD_TEXT:
		*(const char **)member = value;
		break;
	case CMD_ADDRESS: {
		struct cmd_address *address = member;

		address->given = true;
		return cmd_parse_address(value, &address->value);
	}
	case CMD_LIST: {
		struct cmd_list *list = member;

		list->items[list->count++] = value;
		break;
	}
	case CMD_SET:
		break;
	}
	return true;
}

/* An option of another walker: ignored, or answered with what to use instead. */
static bool
take_foreign(struct arguments *arguments)
{
	const char *text = arguments->texts[arguments->at];
	const size_t length = strcspn(text, "=");

	for (size_t i = 0; i < cmd_foreign_count; i++) {
		const struct cmd_foreign *foreign = &cmd_foreign_table[i];

		if ((arguments->options->command->groups & CMD_GROUP_FOREIGN) == 0 ||
		    strlen(foreign->name) != length || strncmp(foreign->name, text, length) != 0)
			continue;
		if (foreign->instead != NULL) {
			cmd_say("unknown option '%s'; %s", foreign->name,
				foreign->instead);
			return false;
		}
		if (foreign->argument && text[length] == '\0' &&
		    arguments->at + 1 < arguments->count)
			arguments->at++;
		return true;
	}
	return wrong("unknown option '%s'", text);
}

static bool
take_value(const struct cmd_option *option, const char *value, struct arguments *arguments)
{
	if (option->argument == NULL) {
		if (value != NULL)
			return wrong("option '%s' takes no value", option->name);
		return apply(option, "", arguments->options);
	}
	if (value == NULL && ++arguments->at < arguments->count)
		value = arguments->texts[arguments->at];
	if (value == NULL)
		return wrong("option '%s' needs a value", option->name);
	return apply(option, value, arguments->options);
}

/*
 * One argument that begins with '-': `--name=value` or `--name value`; `-n value`, `-nvalue`, and
 * several letters of which only the last one may have a value.
 */
static bool
take_option(struct arguments *arguments)
{
	const struct cmd_command *command = arguments->options->command;
	const char *text = arguments->texts[arguments->at];
	const size_t length = strcspn(text, "=");
	const struct cmd_option *option;

	if (text[1] == '-') {
		option = find_option(command, text, length);
		if (option == NULL)
			return take_foreign(arguments);
		return take_value(option, text[length] != '\0' ? text + length + 1 : NULL,
				  arguments);
	}
	for (const char *letter = text + 1; *letter != '\0'; letter++) {
		option = find_option(command, (char[]){ '-', *letter, '\0' }, 2);
		if (option == NULL)
			return take_foreign(arguments);
		if (option->argument != NULL)
			return take_value(option, letter[1] != '\0' ? letter + 1 : NULL, arguments);
		if (!apply(option, "", arguments->options))
			return false;
	}
	return true;
}

static bool
take_all(struct arguments *arguments)
{
	struct cmd_options *options = arguments->options;
	bool only_paths = false;

	for (; arguments->at < arguments->count; arguments->at++) {
		const char *text = arguments->texts[arguments->at];

		if (!only_paths && strcmp(text, "--") == 0)
			only_paths = true;
		else if (only_paths || text[0] != '-' || text[1] == '\0' ||
			 (text[1] >= '0' && text[1] <= '9'))
			options->paths[options->path_count++] = text;
		else if (!take_option(arguments))
			return false;
	}
	return !options->pretty || options->json ||
	       wrong("%s", "--pretty needs --json");
}

/* Divide the arguments into paths and what is asked. */
static void
divide(struct cmd_options *options)
{
	const enum cmd_asked asked = options->command->asked;
	size_t paths = 0;

	for (size_t i = 0; i < options->path_count; i++) {
		const char *text = options->paths[i];
		const bool path = asked == CMD_ASKED_LAST
					  ? i + 1 < options->path_count
					  : i == 0 || asked == CMD_ASKED_NONE ||
						    (strcmp(text, "-") != 0 &&
						     access(text, F_OK) == 0);

		if (path)
			options->paths[paths++] = text;
		else
			options->asked[options->asked_count++] = text;
	}
	options->path_count = paths;
}

/* Each list has room for every argument. */
static bool
make_lists(struct cmd_options *options, size_t room)
{
	const struct cmd_option *option;

	options->paths = calloc(room, sizeof(*options->paths));
	options->asked = calloc(room, sizeof(*options->asked));
	for (size_t at = 0; (option = cmd_next_option(options->command, &at)) != NULL;) {
		struct cmd_list *list = (void *)((char *)options + option->offset);

		if (option->kind == CMD_LIST &&
		    (list->items = calloc(room, sizeof(*list->items))) == NULL)
			return false;
	}
	return options->paths != NULL && options->asked != NULL;
}

struct cmd_options *
cmd_parse(const struct cmd_command *command, int argc, char **argv)
{
	struct cmd_options *options =
		calloc(1, command->size > 0 ? command->size : sizeof(*options));

	if (options == NULL) {
		cmd_out_of_memory();
		return NULL;
	}
	*options = (struct cmd_options){ .command = command, .thread = -1, .frame = -1,
					 .dump_index = -1, .symbols_timeout = -1,
					 .symbols_limit = -1, .compat = POLICY_UNSPOOL,
					 .policy = policy_column(POLICY_UNSPOOL) };
	struct arguments arguments = { .count = argc, .texts = argv, .options = options };
	if (!make_lists(options, (size_t)argc + 1)) {
		cmd_out_of_memory();
	} else if (take_all(&arguments)) {
		divide(options);
		if (options->show_help || options->show_version || options->show_schema)
			return options;
		if (options->path_count < command->least ||
		    (command->asked == CMD_ASKED_LAST && options->asked_count == 0))
			wrong("%s", "an argument is missing");
		else if (command->most > 0 && options->path_count > command->most)
			wrong("%s", "too many arguments");
		else
			return options;
		fprintf(stderr, "Usage: unspool %s [OPTION...] %s\n", command->name,
			command->arguments);
	}
	point_to_help(command);
	cmd_options_free(options);
	return NULL;
}

void
cmd_options_free(struct cmd_options *options)
{
	const struct cmd_option *option;

	for (size_t at = 0; (option = cmd_next_option(options->command, &at)) != NULL;) {
		struct cmd_list *list = (void *)((char *)options + option->offset);

		if (option->kind == CMD_LIST)
			free(list->items);
	}
	free(options->paths);
	free(options->asked);
	free(options);
}
