/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "cmd/cmd.h"
#include "walk/walk.h"

const struct cmd_command *const cmd_commands[] = {
#define COMMAND(name) &cmd_##name,
#include "cmd/command.def"
#undef COMMAND
};
const size_t cmd_command_count = ARRAY_COUNT(cmd_commands);

static const char *
set_compat(struct cmd_options *options, const char *value)
{
	if (!policy_column_named(value, &options->compat))
		return "--compat is breakpad, rust-minidump or unspool, not '%s'";
	const struct policy column = policy_column(options->compat);
	for (size_t row = 0; row < POLICY_COUNT; row++)
		if (!options->policy_set[row])
			options->policy.value[row] = column.value[row];
	return NULL;
}

static const char *
set_policy_row(struct cmd_options *options, const char *value)
{
	const char *equals = strchr(value, '=');
	enum policy_row row;
	char name[64], *end;

	if (equals == NULL || (size_t)(equals - value) >= sizeof(name))
		return "--policy needs NAME=VALUE, not '%s'";
	memcpy(name, value, (size_t)(equals - value));
	name[equals - value] = '\0';
	if (!policy_row_named(name, &row))
		return "unknown policy in '%s'; 'unspool policy' lists them";
	long number = strtol(equals + 1, &end, 10);
	if (equals[1] == '\0' || *end != '\0' || number < 0)
		return "the value in '%s' is not a number";
	if (number > (long)INT32_MAX)
		return "the number in '%s' is too large for a policy";
	options->policy.value[row] = (uint32_t)number;
	options->policy_set[row] = true;
	return NULL;
}

static const char *
set_methods(struct cmd_options *options, const char *value)
{
	return methods_choose(&options->policy, value);
}

static const char *
set_no_demangle(struct cmd_options *options, const char *value)
{
	(void)value;
	options->policy.value[POLICY_DEMANGLE] = 0;
	options->policy_set[POLICY_DEMANGLE] = true;
	return NULL;
}

static const char *
check_source(struct cmd_options *options, const char *value)
{
	(void)options;
	return strchr(value, '=') == NULL ? "--source needs OLD=NEW, not '%s'" : NULL;
}

/* Options that several commands have, each of a group; those of group 0 belong to all. */
static const struct {
	unsigned group;
	struct cmd_option option;
} shared[] = {
#define STORE(kind, member) CMD_STORE(kind, cmd_options, member)
	{ CMD_GROUP_JSON, { "--json", 0, NULL, "print JSON (--pretty, --schema)",
	  STORE(FLAG, json) } },
	{ CMD_GROUP_JSON, { "--pretty", 0, NULL, "", STORE(FLAG, pretty) } },
	{ CMD_GROUP_JSON, { "--schema", 0, NULL, "", STORE(FLAG, show_schema) } },
	{ CMD_GROUP_THREAD, { "--thread", 't', "N", "only thread N, numbered as in the walk",
	  STORE(NUMBER, thread) } },
	{ CMD_GROUP_INPUT, { "--dump-index", 0, "N",
	  "microdump N of a file with several, from 1", STORE(NUMBER, dump_index) } },
	{ CMD_GROUP_AGAINST, { "--against", 0, "DUMP", "the same thread of DUMP, side by side",
	  STORE(TEXT, against) } },
	{ CMD_GROUP_INPUT, { "--symbols-path", 0, "PATH", "more symbols: a directory or a file",
	  STORE(LIST, symbol_paths) } },
	{ CMD_GROUP_INPUT, { "--symbols-url", 0, "URL", "a symbol server (see unspool symbols)",
	  STORE(LIST, symbol_urls) } },
	{ CMD_GROUP_INPUT, { "--symbols-cache", 0, "DIR", "", STORE(TEXT, symbols_cache) } },
	{ CMD_GROUP_INPUT, { "--symbols-timeout", 0, "SEC", "", STORE(NUMBER, symbols_timeout) } },
	{ CMD_GROUP_INPUT, { "--symbols-limit", 0, "MB", "", STORE(NUMBER, symbols_limit) } },
	{ CMD_GROUP_INPUT, { "--binaries", 0, "DIR",
	  "the modules' own files; may be given several times", STORE(LIST, binaries) } },
	{ CMD_GROUP_INPUT, { "--system-binaries", 0, NULL, "also this system's files, by build ID",
	  STORE(FLAG, system_binaries) } },
	{ CMD_GROUP_METHODS, { "--methods", 0, "LIST",
	  "these methods in this order: sframe,stack-cfi,...", CMD_SET, 0, set_methods } },
	{ CMD_GROUP_INPUT, { "--compat", 0, "WALKER",
	  "walk as WALKER: breakpad, rust-minidump or unspool", CMD_SET, 0, set_compat } },
	{ CMD_GROUP_INPUT, { "--policy", 0, "NAME=VALUE",
	  "change a walker difference (see unspool policy)", CMD_SET, 0, set_policy_row } },
	{ CMD_GROUP_NAMES, { "--no-demangle", 0, NULL, "keep mangled names: '_ZN3foo3barEv'",
	  CMD_SET, 0, set_no_demangle } },
	{ CMD_GROUP_REDACT, { "--redact", 0, NULL, "show no environment, command line or memory",
	  STORE(FLAG, redact) } },
	{ CMD_GROUP_SOURCE, { "--source", 0, "OLD=NEW", "directory NEW replaces OLD in source "
							"paths",
	  CMD_LIST, offsetof(struct cmd_options, source_maps), check_source } },
	/* The help of 'unspool cache' has it. */
	{ CMD_GROUP_INPUT, { "--no-cache", 0, NULL, "", STORE(FLAG, no_cache) } },
	{ CMD_GROUP_STRICT, { "--strict", 0, NULL, "if the input has defects, exit with 1",
	  STORE(FLAG, strict) } },
	{ 0, { "--help", 'h', NULL, "print this help", STORE(FLAG, show_help) } },
};

const struct cmd_option *
cmd_next_option(const struct cmd_command *command, size_t *at)
{
	if (*at < command->option_count)
		return &command->options[(*at)++];
	for (size_t i = *at - command->option_count; i < ARRAY_COUNT(shared); i++) {
		const unsigned group = shared[i].group;
		bool wanted = group == 0 || (command->groups & group) != 0;

		for (size_t own = 0; wanted && own < command->option_count; own++)
			wanted = strcmp(command->options[own].name, shared[i].option.name) != 0;
		if (!wanted)
			continue;
		*at = command->option_count + i + 1;
		return &shared[i].option;
	}
	return NULL;
}

/* Of Breakpad's minidump_stackwalk and minidump_dump and of rust-minidump's minidump-stackwalk. */
const struct cmd_foreign cmd_foreign_table[] = {
	{ "--human", false, NULL },
	{ "--no-color", false, NULL },
	{ "--no-interactive", false, NULL },
	{ "--features", true, NULL },
	{ "--cyborg", true,
	  "walk twice: once as it is, once with '--json' and its output in a file" },
	{ "--output-file", true, "redirect standard output: '> FILE'" },
	{ "--log-file", true, "redirect standard error: '2> FILE'" },
	{ "--verbose", true, "'unspool explain' prints every decision of a step" },
	{ "--dump", false, "'unspool streams DUMP' prints what is in a dump" },
	{ "--symbols-tmp", true, "downloads are written in the directory of '--symbols-cache'" },
	{ "--symbols-download-timeout-secs", true,
	  "'--symbols-timeout SECONDS' gives up a server that sends nothing for so long" },
	{ "--use-local-debuginfo", false,
	  "'--binaries DIR' says where the modules' files are; their build ids must match" },
	{ "--recover-function-args", false,
	  "arguments are not guessed; '--stack' prints the words that hold them" },
	{ "--evil-json", true,
	  "what Mozilla's client noted is read from the '.extra' file beside the dump" },
	{ "-d", false, "'--stack' prints the words of every frame with the code they point at" },
	{ "-x", false, "'unspool streams DUMP' prints the bytes of streams" },
};
const size_t cmd_foreign_count = ARRAY_COUNT(cmd_foreign_table);
