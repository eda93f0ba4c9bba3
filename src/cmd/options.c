/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/policy_rows.h"
#include "cmd/cmd.h"
#include "walk/walk.h"

const struct cmd_command *const cmd_commands[] = {
#define GROUP(title)
#define COMMAND(name) &cmd_##name,
#include "cmd/command.def"
#undef COMMAND
#undef GROUP
};
const size_t cmd_command_count = ARRAY_COUNT(cmd_commands);

const struct cmd_command *
cmd_command_named(const char *name)
{
	for (size_t i = 0; i < cmd_command_count; i++)
		if (strcmp(cmd_commands[i]->name, name) == 0)
			return cmd_commands[i];
	return NULL;
}

const char *
cmd_set_json(struct cmd_options *options, const char *value)
{
	(void)value;
	options->json = true;
	return NULL;
}

const char *
cmd_set_page(struct cmd_options *options, const char *value)
{
	options->as_page = page_form_named(value, &options->page);
	return options->as_page || strcmp(value, "human") == 0
		       ? NULL : "--format is human, " PAGE_FORM_NAMES ", not '%s'";
}

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
	enum policy_row row;
	uint32_t number;
	const char *refusal = policy_parse(value, &row, &number);

	if (refusal == NULL) {
		options->policy.value[row] = number;
		options->policy_set[row] = true;
	}
	return refusal;
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
set_sandbox(struct cmd_options *options, const char *value)
{
	options->sandbox = value;
	return strcmp(value, "on") == 0 || strcmp(value, "off") == 0 ||
			       strcmp(value, "required") == 0
		       ? NULL
		       : "--sandbox and UNSPOOL_SANDBOX are on, off or required, not '%s'";
}

static const char *
set_no_sandbox(struct cmd_options *options, const char *value)
{
	(void)value;
	return set_sandbox(options, "off");
}

const char *
cmd_set_debuginfod(struct cmd_options *options, const char *value)
{
	struct arena arena = { 0 };
	const char *urls = debuginfod_read_urls("/etc/debuginfod", &arena), *why = NULL;

	(void)options;
	(void)value;
	if (text_or_empty(getenv("DEBUGINFOD_URLS"))[0] != '\0')
		urls = "-";
	else if (urls == NULL || setenv("DEBUGINFOD_URLS", urls, 1) != 0)
		why = OUT_OF_MEMORY;
	if (why == NULL && urls[strspn(urls, " \t\n")] == '\0')
		why = "--debuginfod: no URL in /etc/debuginfod/*.urls nor in DEBUGINFOD_URLS";
	arena_free(&arena);
	return why;
}

static const char *
check_source(struct cmd_options *options, const char *value)
{
	(void)options;
	return strchr(value, '=') == NULL ? "--source needs OLD=NEW, not '%s'" : NULL;
}

static const char *
check_named(struct cmd_options *options, const char *value)
{
	(void)options;
	return strchr(value, '=') == NULL ? "--as needs NAME=FILE, not '%s'" : NULL;
}

static const char *
set_color(struct cmd_options *options, const char *value)
{
	options->color = value;
	return cmd_set_colors(value) ? NULL : "--color is auto, always or never, not '%s'";
}

/* Options shared by several commands, by group; all commands have the options of group 0. */
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
	  "read microdump N (from 1) if a file has several", STORE(NUMBER, dump_index) } },
	{ CMD_GROUP_AGAINST, { "--against", 0, "DUMP",
	  "compare with the same thread of DUMP, side by side",
	  STORE(TEXT, against) } },
	{ CMD_GROUP_INPUT, { "--symbols-path", 0, "PATH",
	  "also search this directory or symbol file",
	  STORE(LIST, symbol_paths) } },
	{ CMD_GROUP_INPUT, { "--symbols-url", 0, "URL", "a symbol server (see unspool symbols)",
	  STORE(LIST, symbol_urls) } },
	{ CMD_GROUP_INPUT, { "--symbols-cache", 0, "DIR", "", STORE(TEXT, symbols_cache) } },
	{ CMD_GROUP_INPUT, { "--symbols-timeout", 0, "SEC", "", STORE(NUMBER, symbols_timeout) } },
	{ CMD_GROUP_INPUT, { "--symbols-limit", 0, "MB", "", STORE(NUMBER, symbols_limit) } },
	{ CMD_GROUP_INPUT, { "--binaries", 0, "PLACE",
	  "directory or server with programs, libraries, PDBs", STORE(LIST, binaries) } },
	{ CMD_GROUP_INPUT, { "--system-binaries", 0, NULL,
	  "also search this system's files by build ID",
	  STORE(FLAG, system_binaries) } },
	/* Hidden, because the help must fit on a screen; unspool-symbols(1) has these options. */
	{ CMD_GROUP_INPUT, { "--no-system-binaries", 0, NULL, "",
	  STORE(FLAG, no_system_binaries) } },
	{ CMD_GROUP_INPUT, { "--as", 0, "NAME=FILE", "",
	  CMD_LIST, offsetof(struct cmd_options, named), check_named } },
	{ CMD_GROUP_INPUT, { "--follow-pointers", 0, NULL, "", STORE(FLAG, follow_pointers) } },
	{ CMD_GROUP_INPUT, { "--offline", 0, NULL, "", STORE(FLAG, offline) } },
	{ CMD_GROUP_INPUT, { "--debuginfod", 0, NULL, "", CMD_CALL(cmd_set_debuginfod) } },
	{ CMD_GROUP_INPUT, { "--no-comp-dir", 0, NULL, "", STORE(FLAG, no_comp_dir) } },
	{ CMD_GROUP_METHODS, { "--methods", 0, "LIST",
	  "use these methods, in order: sframe,stack-cfi,...", CMD_CALL(set_methods) } },
	{ CMD_GROUP_INPUT, { "--compat", 0, "WALKER",
	  "walk as WALKER: breakpad, rust-minidump or unspool", CMD_CALL(set_compat) } },
	{ CMD_GROUP_INPUT, { "--policy", 0, "NAME=VALUE",
	  "change a setting of the walk (see unspool policy)", CMD_CALL(set_policy_row) } },
	{ CMD_GROUP_NAMES, { "--no-demangle", 0, NULL, "keep mangled names: '_ZN3foo3barEv'",
	  CMD_CALL(set_no_demangle) } },
	{ CMD_GROUP_REDACT, { "--redact", 0, NULL,
	  "hide environment, arguments, memory, user names",
	  STORE(FLAG, redact) } },
	{ CMD_GROUP_SOURCE, { "--source", 0, "OLD=NEW", "directory NEW replaces OLD in source "
							"paths",
	  CMD_LIST, offsetof(struct cmd_options, source_maps), check_source } },
	{ CMD_GROUP_SIGNATURE, { "--signature-rules", 0, "FILE",
	  "use these signature rules, not the built-in ones",
	  STORE(TEXT, signature_rules) } },
	/* Described in the help of 'unspool cache'. */
	{ CMD_GROUP_INPUT, { "--no-cache", 0, NULL, "", STORE(FLAG, no_cache) } },
	{ CMD_GROUP_STRICT, { "--strict", 0, NULL, "if the input has defects, exit with 1",
	  STORE(FLAG, strict) } },
	{ 0, { "--no-pager", 0, NULL, "", STORE(FLAG, no_pager) } },
	{ 0, { "--json-errors", 0, NULL, "", STORE(FLAG, json_errors) } },
	{ 0, { "--color", 0, "WHEN", "", CMD_CALL(set_color) } },
	{ 0, { "--sandbox", 0, "WHEN", "", CMD_CALL(set_sandbox) } },
	{ 0, { "--no-sandbox", 0, NULL, "", CMD_CALL(set_no_sandbox) } },
	{ 0, { "--allow", 0, "PATH", "", STORE(LIST, outputs) } },
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

/*
 * Options of Breakpad's minidump_stackwalk and minidump_dump, and of rust-minidump's programs.
 *
 * An option that asks for unspool's default behaviour is ignored. For any other option an error
 * names unspool's equivalent.
 */
static const struct {
	const char *name;		/* "--symbols-url" or "-d" */
	const char *hint;		/* NULL: ignored */
	bool argument;			/* a value follows, which is ignored, too */
} foreign_options[] = {
	{ "--human", NULL, false },
	{ "--no-color", NULL, false },
	{ "--no-interactive", NULL, false },
	{ "--features", NULL, true },
	{ "--cyborg",
	  .hint = "walk twice: once as it is, once with '--json' and its output in a file" },
	{ "--output-file", .hint = "redirect standard output: '> FILE'" },
	{ "--log-file", .hint = "redirect standard error: '2> FILE'" },
	{ "--verbose", .hint = "'unspool explain' prints every decision of a step" },
	{ "--dump", .hint = "'unspool streams DUMP' prints what is in a dump" },
	{ "--symbols-tmp", .hint = "downloads are written in the directory of '--symbols-cache'" },
	{ "--symbols-download-timeout-secs",
	  .hint =
	  "'--symbols-timeout SECONDS' gives up a server that sends nothing for that time" },
	{ "--use-local-debuginfo",
	  .hint =
	  "'--binaries DIR' says where the modules' files are; their build ids must match" },
	{ "--recover-function-args",
	  .hint = "arguments are not guessed; '--stack' prints the words that hold them" },
	{ "--evil-json",
	  .hint = "notes of Mozilla's client are read from the '.extra' file next to the dump" },
	{ "--pid",
	  .hint = "a running process is not read: 'gcore -o core PID' writes its core, core.PID" },
	{ "-d", .hint = "'--stack' prints the words of every frame with the code they point at" },
	{ "-x", .hint = "'unspool streams DUMP' prints the bytes of streams" },
};

/* Parsing -------------------------------------------------------------------------------------- */

static void
point_to_help(const struct cmd_command *command)
{
	cmd_advise("Try 'unspool %s --help'.", command->name);
}

enum cmd_status
cmd_usage(const struct cmd_options *options, const char *format, ...)
{
	char text[512];

	TEXT_FORMAT(text, format);
	cmd_say("%s", text);
	point_to_help(options->command);
	return CMD_USAGE;
}

/* The arguments in `options`. `at`: number of the current argument. */
struct arguments {
	size_t at;
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

/* Report a missing argument: the first, or the last if only a file was given in its place. */
static void
missing(const struct cmd_options *options)
{
	const char *name = options->command->arguments;
	const bool file = options->asked_count > 0 && access(options->asked[0], F_OK) == 0;
	char first[64];

	if (file && strrchr(name, ' ') != NULL)
		name = strrchr(name, ' ') + 1;
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(name, " ."), name);
	wrong("%s is missing", options->path_count > 0 || name[0] == '[' ? "an argument" : first);
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
	return text_number(text_of(text), 16, address) ||
	       wrong("'%s' is not a hexadecimal address", text);
}

static bool
apply(const struct cmd_option *option, const char *value, struct cmd_options *options)
{
	void *member = (char *)options + option->offset;
	uint64_t number = 0;
	const char *refusal = option->check != NULL ? option->check(options, value) : NULL;

	if (refusal != NULL)
		return wrong(refusal, value);
	switch (option->kind) {
	case CMD_FLAG:
		*(bool *)member = true;
		break;
	case CMD_NUMBER:
		if (!text_number(text_of(value), 10, &number) || number > LONG_MAX)
			return wrong("'%s' is not a number", value);
		*(long *)member = (long)number;
		break;
	case CMD_OUTPUT:
		options->outputs.items[options->outputs.count++] = value;
		/* fall through */
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

/* Report an unknown option, and suggest the most similar option of the command. */
static bool
say_unknown(const struct cmd_command *command, const char *text, size_t length)
{
	struct text_near near = text_near((struct text){ text, length });
	const struct cmd_option *option, *found = NULL;

	for (size_t at = 0; (option = cmd_next_option(command, &at)) != NULL;)
		if (text_near_offer(&near, text_of(option->name)))
			found = option;
	if (found == NULL || text[1] != '-')
		return wrong("unknown option '%s'", text);
	cmd_say("unknown option '%s'; did you mean '%s'?", text, found->name);
	return false;
}

/* Handle an option of another walker: ignore it, or name the equivalent. */
static bool
take_foreign(struct arguments *arguments)
{
	const char *text = arguments->options->arguments.items[arguments->at];
	const size_t length = strcspn(text, "=");

	for (size_t i = 0; i < ARRAY_COUNT(foreign_options); i++) {
		const char *name = foreign_options[i].name, *hint = foreign_options[i].hint;

		if ((arguments->options->command->groups & CMD_GROUP_FOREIGN) == 0 ||
		    strlen(name) != length || strncmp(name, text, length) != 0)
			continue;
		if (hint != NULL) {
			cmd_say("unknown option '%s'; %s", name, hint);
			return false;
		}
		if (foreign_options[i].argument && text[length] == '\0' &&
		    arguments->at + 1 < arguments->options->arguments.count)
			arguments->at++;
		return true;
	}
	return say_unknown(arguments->options->command, text, length);
}

static bool
take_value(const struct cmd_option *option, const char *value, struct arguments *arguments)
{
	if (option->argument == NULL) {
		if (value != NULL)
			return wrong("option '%s' takes no value", option->name);
		return apply(option, "", arguments->options);
	}
	if (value == NULL && ++arguments->at < arguments->options->arguments.count)
		value = arguments->options->arguments.items[arguments->at];
	if (value == NULL)
		return wrong("option '%s' needs a value", option->name);
	return apply(option, value, arguments->options);
}

/*
 * Parse an argument that begins with '-': `--name=value`, `--name value`, `-n value`, `-nvalue` or
 * `-abn value`. Only the last of several letters may have a value.
 */
static bool
take_option(struct arguments *arguments)
{
	const struct cmd_command *command = arguments->options->command;
	const char *text = arguments->options->arguments.items[arguments->at];
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

	for (; arguments->at < arguments->options->arguments.count; arguments->at++) {
		const char *text = arguments->options->arguments.items[arguments->at];

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

/* Divide the arguments into paths (`paths`) and names or addresses to look up (`asked`). */
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
cmd_parse(const struct cmd_command *command, size_t count, const char **texts)
{
	struct cmd_options *options =
		calloc(1, command->size > 0 ? command->size : sizeof(*options));

	if (options == NULL) {
		cmd_out_of_memory();
		return NULL;
	}
	*options = (struct cmd_options){ .command = command, .color = "auto",
					 .thread = -1, .frame = -1,
					 .dump_index = -1, .symbols_timeout = -1,
					 .symbols_limit = -1, .compat = POLICY_UNSPOOL,
					 .policy = policy_column(POLICY_UNSPOOL) };
	options->arguments = (struct cmd_list){ texts, count };
	struct arguments arguments = { .options = options };
	const char *sandbox = text_or_empty(getenv("UNSPOOL_SANDBOX"));
	const char *refusal = sandbox[0] != '\0' ? set_sandbox(options, sandbox) : NULL;
	cmd_set_colors(options->color);
	if (!make_lists(options, count + 1)) {
		cmd_out_of_memory();
	} else if (refusal != NULL) {
		wrong(refusal, sandbox);
	} else if (take_all(&arguments)) {
		divide(options);
		if (options->show_help || options->show_version || options->show_schema)
			return options;
		if (options->path_count < command->least ||
		    (command->asked == CMD_ASKED_LAST && options->asked_count == 0))
			missing(options);
		else if (command->most > 0 && options->path_count > command->most)
			wrong("%s", "too many arguments");
		else
			return options;
		cmd_advise("Usage: unspool %s [OPTION...] %s", command->name, command->arguments);
	}
	point_to_help(command);
	cmd_options_free(options);
	return NULL;
}

void
cmd_options_free(struct cmd_options *options)
{
	const struct cmd_option *option;

	if (options == NULL)
		return;
	for (size_t at = 0; (option = cmd_next_option(options->command, &at)) != NULL;) {
		struct cmd_list *list = (void *)((char *)options + option->offset);

		if (option->kind == CMD_LIST)
			free(list->items);
	}
	free(options->paths);
	free(options->asked);
	free(options);
}
