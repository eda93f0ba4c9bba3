/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

/*
 * Commands by letter: x the explorer, w walk, e explain, p policy.
 * Help, man pages and completion are made from these two tables.
 */
const struct cmd_command cmd_command_table[] = {
	{ "", 'x', "DUMP [SYMBOLS...]",
	  "open the explorer; without a terminal, print the walk", cmd_explore },
	{ "walk", 'w', "DUMP [SYMBOLS...]", "print the stacks of a crash", cmd_walk },
	{ "explain", 'e', "DUMP [SYMBOLS...]",
	  "print one step of the unwinder: records, rules, tokens, checks", cmd_explain },
	{ "policy", 'p', "", "print where walkers disagree, and what each of them does",
	  cmd_policy },
};
const size_t cmd_command_count = ARRAY_COUNT(cmd_command_table);

const struct cmd_option cmd_option_table[] = {
	{ "--machine", 'm', NULL, "w", "print minidump_stackwalk's machine-readable form" },
	{ "--compat", 0, "WALKER", "xwe",
	  "walk as WALKER does: breakpad, rust-minidump or unspool" },
	{ "--policy", 0, "NAME=VALUE", "xwe", "change one row of the policy (see unspool policy)" },
	{ "--thread", 't', "N", "we", "only thread N, as the walk numbers them" },
	{ "--frame", 'f', "N", "e", "the step from physical frame N to its caller" },
	{ "--register", 'r', "NAME", "e", "only what made register NAME" },
	{ "--source", 0, "OLD=NEW", "x", "where files of the path OLD are now" },
	{ "--color", 0, "WHEN", "x", "auto, always or never" },
	{ "--ascii", 0, NULL, "x", "draw lines and marks with ASCII characters" },
	{ "--script", 0, "FILE", "x", "take keys from FILE, without a terminal" },
	{ "--size", 0, "COLUMNSxROWS", "x", "size of the screen with --script" },
	{ "--strict", 0, NULL, "we", "exit with 1 where the input had anything wrong" },
	{ "--help", 'h', NULL, "xwep", "print this help" },
	{ "--version", 'V', NULL, "x", "print the version and what is built in" },
};
const size_t cmd_option_count = ARRAY_COUNT(cmd_option_table);

static bool
usage(const char *format, const char *what)
{
	fprintf(stderr, "unspool: ");
	fprintf(stderr, format, what);
	fprintf(stderr, "\nTry 'unspool --help'.\n");
	return false;
}

static const struct cmd_option *
find_option(const struct cmd_command *command, const char *text, size_t length)
{
	for (size_t i = 0; i < cmd_option_count; i++) {
		const struct cmd_option *option = &cmd_option_table[i];
		bool named = length == 2 && text[1] == option->letter;

		if (strchr(option->commands, command->letter) == NULL)
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

static bool
set_policy_row(struct cmd_options *options, const char *value)
{
	const char *equals = strchr(value, '=');
	enum policy_row row;
	char name[64];
	long number;

	if (equals == NULL || (size_t)(equals - value) >= sizeof(name))
		return usage("--policy wants NAME=VALUE, not '%s'", value);
	memcpy(name, value, (size_t)(equals - value));
	name[equals - value] = '\0';
	if (!policy_row_named(name, &row))
		return usage("there is no policy '%s'; 'unspool policy' lists them", name);
	if (!set_number(equals + 1, &number))
		return false;
	if (number > (long)INT32_MAX)
		return usage("'%s' is too large for a policy", equals + 1);
	options->policy.value[row] = (uint32_t)number;
	options->policy_set[row] = true;
	return true;
}

static bool
set_compat(struct cmd_options *options, const char *value)
{
	if (!policy_column_named(value, &options->compat))
		return usage("--compat knows breakpad, rust-minidump and unspool, not '%s'", value);
	const struct policy column = policy_column(options->compat);
	for (size_t row = 0; row < POLICY_COUNT; row++)
		if (!options->policy_set[row])
			options->policy.value[row] = column.value[row];
	return true;
}

/* What an option without more to check sets: its address by name. */
static bool
apply(const struct cmd_option *option, const char *value, struct cmd_options *options)
{
	const struct {
		const char *name;
		bool *flag;
		const char **text;
		long *number;
	} simple[] = {
		{ "--machine", &options->machine, NULL, NULL },
		{ "--strict", &options->strict, NULL, NULL },
		{ "--ascii", &options->ascii, NULL, NULL },
		{ "--help", &options->brief_help, NULL, NULL },
		{ "--version", &options->version, NULL, NULL },
		{ "--register", NULL, &options->reg, NULL },
		{ "--color", NULL, &options->color, NULL },
		{ "--script", NULL, &options->script, NULL },
		{ "--size", NULL, &options->size, NULL },
		{ "--thread", NULL, NULL, &options->thread },
		{ "--frame", NULL, NULL, &options->frame },
	};

	for (size_t i = 0; i < ARRAY_COUNT(simple); i++) {
		if (strcmp(simple[i].name, option->name) != 0)
			continue;
		if (simple[i].number != NULL)
			return set_number(value, simple[i].number);
		if (simple[i].text != NULL)
			*simple[i].text = value;
		else
			*simple[i].flag = true;
		return true;
	}
	if (strcmp(option->name, "--compat") == 0)
		return set_compat(options, value);
	if (strcmp(option->name, "--policy") == 0)
		return set_policy_row(options, value);
	if (strchr(value, '=') == NULL)
		return usage("--source wants OLD=NEW, not '%s'", value);
	options->source_maps[options->source_map_count++] = value;
	return true;
}

/* One argument that begins with '-': `--name=value`, `--name value`, `-n value`, `-nvalue`. */
static bool
take_option(const struct cmd_command *command, int argc, char **argv, int *at,
	    struct cmd_options *options)
{
	const char *text = argv[*at], *value = NULL;
	size_t length = strcspn(text, "=");

	if (text[1] != '-')
		length = 2;
	const struct cmd_option *option = find_option(command, text, length);
	if (option == NULL)
		return usage("there is no option '%s' here", text);
	if (text[length] != '\0')
		value = text + length + (text[1] == '-');
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

bool
cmd_parse(const struct cmd_command *command, int argc, char **argv, struct cmd_options *options)
{
	bool only_paths = false;

	*options = (struct cmd_options){ .thread = -1, .frame = -1, .color = "auto",
					 .compat = POLICY_UNSPOOL,
					 .policy = policy_column(POLICY_UNSPOOL) };
	options->paths = calloc((size_t)argc + 1, sizeof(*options->paths));
	options->source_maps = calloc((size_t)argc + 1, sizeof(*options->source_maps));
	if (options->paths == NULL || options->source_maps == NULL)
		return usage("%s", "memory ran out");
	for (int i = 0; i < argc; i++) {
		if (!only_paths && strcmp(argv[i], "--") == 0)
			only_paths = true;
		else if (only_paths || argv[i][0] != '-' || argv[i][1] == '\0')
			options->paths[options->path_count++] = argv[i];
		else if (!take_option(command, argc, argv, &i, options))
			return false;
	}
	return true;
}

void
cmd_options_free(struct cmd_options *options)
{
	free(options->paths);
	free(options->source_maps);
	*options = (struct cmd_options){ 0 };
}
