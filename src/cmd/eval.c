/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "report/step/calculation_write.h"
#include "system/file.h"

struct eval_options {
	struct cmd_options common;
	const char *arch;	/* for registers and word size; NULL: chosen by register names */
	bool win, big_endian;
};

/* The architecture of --arch, by its name in unspool or in symbol files; NULL: unknown. */
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
	char known[512] = "";
	for (int id = 0; id < ARCH_COUNT; id++) {
		const size_t length = strlen(known);
		const struct arch *arch = arch_by_id((enum arch_id)id);
		const struct arch *named = arch_of_symbols(text_of(arch->name));

		if (arch->register_count > 0)
			snprintf(known + length, sizeof(known) - length, " %s",
				 named == arch || named->register_count == 0 ? arch->name
									     : arch->symbol_names);
	}
	cmd_say("unknown architecture '%s'; known are%s", name, known);
	return NULL;
}

/* Read the given values and the single expression from the arguments or from standard input. */
static bool
take_arguments(struct calculation *calculation, const struct cmd_options *options,
	       struct arena *arena, const char **expression)
{
	struct error error = { 0 };
	struct file file;

	*expression = NULL;
	for (size_t i = 0; i < options->path_count; i++) {
		const char *argument = options->paths[i];
		const enum error_code code = calculation_give(calculation, argument, &error);

		if (code == ERROR_NOT_FOUND) {
			if (*expression != NULL) {
				cmd_say("more than one expression: '%s' and '%s'; quote the "
					"expression", *expression, argument);
				return false;
			}
			*expression = argument;
		} else if (code != ERROR_NONE) {
			cmd_say("%s; %s", error.text, error.hint);
			return false;
		}
	}
	if (*expression != NULL ? strcmp(*expression, "-") == 0 : !isatty(STDIN_FILENO)) {
		/* All of standard input is one expression; line ends separate tokens. */
		*expression = NULL;
		if (file_open(&file, "-", &error) != ERROR_NONE) {
			cmd_print_error(&error, "-");
		} else {
			if (file.size > 0)
				*expression = arena_copy(arena, (const char *)file.data,
							 (size_t)file.size);
			file_close(&file);
		}
	}
	if (*expression == NULL)
		cmd_usage(options, "the expression is missing");
	return *expression != NULL;
}

static enum cmd_status
eval_run(const struct cmd_options *options)
{
	const struct eval_options *own = (const struct eval_options *)options;
	const struct arch *arch = own->arch != NULL ? arch_named(own->arch) : NULL;
	enum cmd_status status = CMD_USAGE;
	struct calculation calculation;
	const char *expression;
	struct arena arena = { 0 };

	if (own->arch != NULL && arch == NULL)
		return CMD_USAGE;
	calculation_init(&calculation, arch, own->big_endian);
	if (take_arguments(&calculation, options, &arena, &expression)) {
		status = calculation_run(&calculation, expression, own->win) ? CMD_DONE
									     : CMD_FINDINGS;
		if (options->json)
			CMD_DOCUMENT(options, calculation, &calculation);
		else
			calculation_write(&calculation, &cmd_output);
	}
	calculation_free(&calculation);
	arena_free(&arena);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--arch", 0, "NAME", "amd64, x86, arm64, ... (default: by the registers)",
	  CMD_STORE(TEXT, eval_options, arch) },
	{ "--win", 0, NULL, "EXPRESSION is a STACK WIN program",
	  CMD_STORE(FLAG, eval_options, win) },
	{ "--big-endian", 0, NULL, "memory words are big-endian",
	  CMD_STORE(FLAG, eval_options, big_endian) },
};

const struct cmd_command cmd_eval = {
	.name = "eval", .arguments = "[NAME=VALUE...] [ADDRESS:VALUE...] EXPRESSION",
	.help = "evaluate rules, with the postfix stack after every token",
	CMD_OWN(own_options, eval_options), .groups = CMD_GROUP_JSON,
	.document = calculation_facts, .run_alone = eval_run,
};
