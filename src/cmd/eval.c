/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "system/file.h"
#include "cmd/cmd.h"
#include "report/step/calculation.h"

/* The architecture of --arch, by its name here or in symbol files; NULL: there is none of it. */
static const struct arch *
arch_named(const char *name)
{
	const struct arch *of_symbols = arch_of_symbols(text_of(name));

	if (of_symbols->register_count > 0)
		return of_symbols;
	for (int id = 0; id < ARCH_COUNT; id++) {
		const struct arch *arch = arch_by_id((enum arch_id)id);

		if (arch->register_count > 0 && strcmp(arch->name, name) == 0)
			return arch;
	}
	fprintf(stderr, "unspool: there is no architecture '%s'; known are", name);
	for (int id = 0; id < ARCH_COUNT; id++)
		if (arch_by_id((enum arch_id)id)->register_count > 0)
			fprintf(stderr, " %s", arch_by_id((enum arch_id)id)->name);
	fprintf(stderr, "\n");
	return NULL;
}

/* All of standard input as one expression, of which line ends part tokens; NULL: nothing is there. */
static const char *
read_expression(struct arena *arena)
{
	const char *expression = NULL;
	struct error error;
	struct file file;

	if (file_open(&file, "-", &error) != ERROR_NONE) {
		cmd_print_error(&error, "-");
		return NULL;
	}
	if (file.size > 0)
		expression = arena_copy(arena, (const char *)file.data, (size_t)file.size);
	file_close(&file);
	return expression;
}

/* Take what is given and find the one expression, among the arguments or in standard input. */
static bool
take_arguments(struct calculation *calculation, const struct cmd_options *options,
	       struct arena *arena, const char **expression)
{
	struct error error;

	*expression = NULL;
	for (size_t i = 0; i < options->path_count; i++) {
		const char *argument = options->paths[i];

		if (!calculation_is_given(argument)) {
			if (*expression != NULL) {
				fprintf(stderr, "unspool: more than one expression: '%s' and "
					"'%s'; quote the whole of it\n", *expression, argument);
				return false;
			}
			*expression = argument;
		} else if (calculation_give(calculation, argument, &error) != ERROR_NONE) {
			fprintf(stderr, "unspool: %s; %s\n", error.text, error.hint);
			return false;
		}
	}
	if (*expression != NULL ? strcmp(*expression, "-") == 0 : !isatty(STDIN_FILENO))
		*expression = read_expression(arena);
	if (*expression == NULL)
		fprintf(stderr, "unspool: there is no expression to evaluate\n"
			"Try 'unspool eval --help'.\n");
	return *expression != NULL;
}

enum cmd_status
cmd_eval(const struct cmd_options *options)
{
	const struct arch *arch = options->arch != NULL ? arch_named(options->arch) : NULL;
	const struct output output = cmd_output();
	enum cmd_status status = CMD_USAGE;
	struct calculation calculation;
	const char *expression;
	struct arena arena;

	if (options->arch != NULL && arch == NULL)
		return CMD_USAGE;
	arena_init(&arena, 0);
	calculation_init(&calculation, arch, options->big_endian);
	if (take_arguments(&calculation, options, &arena, &expression)) {
		bool good = calculation_run(&calculation, expression, options->win);

		status = good ? CMD_DONE : CMD_FINDINGS;
		if (options->json) {
			struct json json;

			json_begin(&json, &output, options->pretty);
			json_object(&json, NULL);
			calculation_json(&calculation, &json);
			json_object_end(&json);
			json_finish(&json);
		} else {
			calculation_write(&calculation, &output);
		}
	}
	calculation_free(&calculation);
	arena_free(&arena);
	return status;
}
