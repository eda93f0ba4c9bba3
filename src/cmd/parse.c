/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

#include "base/error.h"

static bool
usage(const char *format, const char *what)
{
	fprintf(stderr, "unspool: ");
	fprintf(stderr, format, what);
	fprintf(stderr, "\n");
	return false;
}

static bool
point_to_help(const struct cmd_command *command)
{
	const char *name = command == &cmd_command_table[0] ? "" : command->name;

	fprintf(stderr, "Try 'unspool%s%s --help'.\n", name[0] != '\0' ? " " : "", name);
	return false;
}

bool
cmd_takes(const struct cmd_command *command, const struct cmd_option *option)
{
	return option->commands == NULL || strchr(option->commands, command->letter) != NULL;
}

static const struct cmd_option *
find_option(const struct cmd_command *command, const char *text, size_t length)
{
	for (size_t i = 0; i < cmd_option_count; i++) {
		const struct cmd_option *option = &cmd_option_table[i];
		bool named = length == 2 && text[1] == option->letter;

		if (!cmd_takes(command, option))
			continue;
		if (named || (strlen(option->name) == length &&
			      strncmp(option->name, text, length) == 0))
			return option;
	}
	return NULL;
}

static bool
set_number(const char *value, long *number)
{
	char *end;

	*number = strtol(value, &end, 10);
	if (*value == '\0' || *end != '\0' || *number < 0)
		return usage("'%s' is no number from 0 up", value);
	return true;
}

bool
cmd_parse_address(const char *text, uint64_t *address)
{
	char *end;

	errno = 0;
	*address = strtoull(text, &end, 16);
	if (errno == 0 && end != text && *end == '\0' && *text != '-')
		return true;
	fprintf(stderr, "unspool: '%s' is no hexadecimal address\n", text);
	return false;
}

static bool
apply(const struct cmd_option *option, const char *value, struct cmd_options *options)
{
	void *member = (char *)options + option->offset;
	const char *wrong = NULL;

	switch (option->kind) {
	case CMD_FLAG:
		*(bool *)member = true;
		break;
	case CMD_NUMBER:
		return set_number(value, member);
	case CMD_TEXT:
		*(const char **)member = value;
		break;
	case CMD_LIST: {
		struct cmd_list *list = member;

		list->items[list->count++] = value;
		break;
	}
	case CMD_SET:
		wrong = option->set(options, value);
		break;
	}
	return wrong == NULL || usage(wrong, value);
}

/* An option of another walker: taken in silence, or the sentence that says what to use instead. */
static bool
take_foreign(const struct cmd_command *command, int argc, char **argv, int *at)
{
	const char *text = argv[*at];
	size_t length = strcspn(text, "=");

	for (size_t i = 0; i < cmd_foreign_count; i++) {
		const struct cmd_foreign *foreign = &cmd_foreign_table[i];

		if (strchr("xw", command->letter) == NULL || strlen(foreign->name) != length ||
		    strncmp(foreign->name, text, length) != 0)
			continue;
		if (foreign->instead != NULL) {
			fprintf(stderr, "unspool: there is no option '%s' here; %s\n",
				foreign->name, foreign->instead);
			return false;
		}
		if (foreign->argument && text[length] == '\0' && *at + 1 < argc)
			++*at;
		return true;
	}
	return usage("there is no option '%s' here", text);
}

static bool
take_value(const struct cmd_option *option, const char *value, int argc, char **argv, int *at,
	   struct cmd_options *options)
{
	if (option->argument == NULL) {
		if (value != NULL)
			return usage("option '%s' takes no value", option->name);
		return apply(option, "", options);
	}
	if (value == NULL && ++*at < argc)
		value = argv[*at];
	if (value == NULL)
		return usage("option '%s' wants a value", option->name);
	return apply(option, value, options);
}

/* `-n value`, `-nvalue`, and several letters of which only the last one may have a value. */
static bool
take_letters(const struct cmd_command *command, int argc, char **argv, int *at,
	     struct cmd_options *options)
{
	const char *text = argv[*at];

	for (const char *letter = text + 1; *letter != '\0'; letter++) {
		const struct cmd_option *option =
			find_option(command, (char[]){ '-', *letter, '\0' }, 2);

		if (option == NULL)
			return take_foreign(command, argc, argv, at);
		if (option->argument != NULL)
			return take_value(option, letter[1] != '\0' ? letter + 1 : NULL, argc, argv,
					  at, options);
		if (!apply(option, "", options))
			return false;
	}
	return true;
}

/* One argument that begins with '-': letters, `--name=value` or `--name value`. */
static bool
take_option(const struct cmd_command *command, int argc, char **argv, int *at,
	    struct cmd_options *options)
{
	const char *text = argv[*at];
	size_t length = strcspn(text, "=");

	if (text[1] != '-')
		return take_letters(command, argc, argv, at, options);
	const struct cmd_option *option = find_option(command, text, length);
	if (option == NULL)
		return take_foreign(command, argc, argv, at);
	return take_value(option, text[length] != '\0' ? text + length + 1 : NULL, argc, argv, at,
			  options);
}

/* Options that ask for two things of which only one can be had. */
static bool
check_together(const struct cmd_options *options)
{
	if (options->machine && options->json)
		return usage("%s", "--machine and --json exclude each other");
	if (options->requesting_only && options->thread >= 0)
		return usage("%s", "--crashed and --thread exclude each other");
	if (options->pretty && !options->json && !options->sarif)
		return usage("%s", "--pretty says how to print --json, which is missing");
	return true;
}

/* Each list has room for every argument. */
static bool
make_lists(struct cmd_options *options, size_t room)
{
	bool good = true;

	options->paths = calloc(room, sizeof(*options->paths));
	for (size_t i = 0; i < cmd_option_count; i++) {
		const struct cmd_option *option = &cmd_option_table[i];
		struct cmd_list *list = (void *)((char *)options + option->offset);

		if (option->kind == CMD_LIST && list->items == NULL)
			good &= (list->items = calloc(room, sizeof(*list->items))) != NULL;
	}
	options->source_maps.items = calloc(room, sizeof(*options->source_maps.items));
	return good && options->paths != NULL && options->source_maps.items != NULL;
}

bool
cmd_parse(const struct cmd_command *command, int argc, char **argv, struct cmd_options *options)
{
	bool only_paths = false;

	*options = (struct cmd_options){ .thread = -1, .frame = -1, .dump_index = -1,
					 .symbols_timeout = -1, .symbols_limit = -1,
					 .color = "auto",
					 .compat = POLICY_UNSPOOL,
					 .policy = policy_column(POLICY_UNSPOOL) };
	if (!make_lists(options, (size_t)argc + 1))
		return usage("%s", OUT_OF_MEMORY);
	for (int i = 0; i < argc; i++) {
		if (!only_paths && strcmp(argv[i], "--") == 0)
			only_paths = true;
		else if (only_paths || argv[i][0] != '-' || argv[i][1] == '\0' ||
			 (argv[i][1] >= '0' && argv[i][1] <= '9'))
			options->paths[options->path_count++] = argv[i];
		else if (!take_option(command, argc, argv, &i, options))
			return point_to_help(command);
	}
	if (options->no_demangle) {
		options->policy.value[POLICY_DEMANGLE] = 0;
		options->policy_set[POLICY_DEMANGLE] = true;
	}
	return check_together(options) || point_to_help(command);
}

void
cmd_options_free(struct cmd_options *options)
{
	for (size_t i = 0; i < cmd_option_count; i++) {
		const struct cmd_option *option = &cmd_option_table[i];
		struct cmd_list *list = (void *)((char *)options + option->offset);

		if (option->kind != CMD_LIST)
			continue;
		free(list->items);
		list->items = NULL;
	}
	free(options->paths);
	free(options->source_maps.items);
	*options = (struct cmd_options){ 0 };
}
