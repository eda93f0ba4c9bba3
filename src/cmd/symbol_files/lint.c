/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "binary/binary.h"
#include "cmd/cmd.h"
#include "report/file/lint_report.h"
#include "report/file/sarif.h"
#include "report/file/unwind_report.h"
#include "report/glossary.h"

/* Findings of one code shown without --all. */
#define SHOWN 20u

struct lint_command {
	struct cmd_options common;
	struct cmd_list accept, accept_files;
	const char *explain;		/* code */
	const char *baseline;		/* file with an earlier run's output */
	const char *binary;		/* file that the symbol files must belong to */
	bool brief, all, sarif, github, junit;
};

bool
cmd_read_baseline(struct lint_baseline *baseline, const char *path, const char *command)
{
	struct error error = { 0 };

	if (lint_baseline_read(baseline, path, &error) != ERROR_NONE) {
		cmd_print_error(&error, path);
		return false;
	}
	if (baseline->count == 0 || baseline->of_lint != (strcmp(command, "lint") == 0))
		cmd_say("'%s' has no findings of %s, so none is left out", path, command);
	return true;
}

struct accepts {
	struct lint_accept *list;
	size_t count, capacity;
	struct arena arena;
};

/* Add an accepted finding. False if the text is invalid, with a message if `tells`. */
static bool
add_accept(struct accepts *accepts, const char *text, bool tells)
{
	struct lint_accept accept;
	const char *wrong = lint_accept_parse(text, &accept);

	if (wrong != NULL) {
		if (tells)
			cmd_say("%s", arena_format(&accepts->arena, wrong, text));
		return false;
	}
	return ARENA_ADD(&accepts->arena, accepts->list, accepts->count, accepts->capacity,
			 &accept);
}

/* Read a file of accepted findings, one per line; a line that begins with '#' is a comment. */
static bool
read_accepts(struct accepts *accepts, const char *path)
{
	struct error error = { 0 };
	struct file file;
	unsigned wrong = 0;

	if (file_open(&file, path, &error) != ERROR_NONE) {
		cmd_print_error(&error, path);
		return false;
	}
	struct text rest = { (const char *)file.data, (size_t)file.size }, line;
	for (unsigned number = 1; text_take_line(&rest, &line); number++) {
		line = text_trimmed(line);
		const char *text = text_copy(&accepts->arena, line);
		if (text != NULL && text[0] != '\0' && text[0] != '#' &&
		    !add_accept(accepts, text, wrong < LIMIT_MESSAGES_PER_KIND) &&
		    wrong++ < LIMIT_MESSAGES_PER_KIND)
			cmd_say("line %u of %s", number, path);
	}
	file_close(&file);
	if (wrong > LIMIT_MESSAGES_PER_KIND)
		cmd_say("%u more lines of %s are wrong", wrong - LIMIT_MESSAGES_PER_KIND, path);
	return wrong == 0;
}

static enum cmd_status
explain_codes(const char *name)
{
	enum lint_code code;
	struct reference more;

	if (strcmp(name, "all") == 0) {
		for (int i = 0; i < LINT_CODE_COUNT; i++)
			lint_report_code((enum lint_code)i, &cmd_output);
		unwind_report_code(NULL, &cmd_output);
		return CMD_DONE;
	}
	if (!lint_code_named(text_of(name), &code)) {
		if (unwind_report_code(name, &cmd_output))
			return CMD_DONE;
		cmd_say("unknown finding '%s'; '--explain all' lists them", name);
		return CMD_USAGE;
	}
	lint_report_code(code, &cmd_output);
	if (reference_of(REFERENCE_CODE, text_of(name), &more))
		cmd_print("        = in full: '%s' in 'unspool help %s'", more.section, more.page);
	return CMD_DONE;
}

struct lint_telling {
	const struct lint_command *own;
	const struct gathered_files *paths;
	struct lint_totals totals;
	struct json json;
	size_t other_modules;		/* files that --binary is not compared with */
	enum cmd_status status;
	bool progress;			/* standard error is a terminal and shows progress */
};

/* Report the findings of a file; if directories were given, only count files without findings. */
static void
tell_one(void *context, size_t index, const struct lint *lint)
{
	struct lint_telling *telling = context;
	const struct lint_command *own = telling->own;
	const struct cmd_options *options = &own->common;
	const char *path = telling->paths->list[index];
	const size_t found = lint_report_count(lint, LINT_NOTE);
	const enum lint_severity least = options->strict ? LINT_NOTE : LINT_WARNING;
	enum cmd_status status = CMD_DONE;

	if (telling->progress)
		cmd_clear_progress();
	cmd_learn_records(&lint->file);
	if (own->sarif)
		lint_report_sarif(lint, path, own->baseline != NULL, &options->policy,
				  &telling->json);
	else if (options->json)
		FACTS_WRITE(&telling->json, NULL, lint_report, lint, path, &options->policy);
	else if (own->github)
		lint_report_github(lint, path, &cmd_output);
	else if (own->junit)
		lint_report_junit(lint, path, least, &cmd_output);
	else if (found > 0 || !telling->paths->directories)
		lint_report_text(lint, path, own->brief, &options->policy, &cmd_output);
	if (lint->counts[LINT_OTHER_FILE] + lint->counts[LINT_UNREADABLE] > 0)
		status = CMD_UNREADABLE;
	else if (lint_report_count(lint, least) > 0)
		status = CMD_FINDINGS;
	if (status > telling->status)
		telling->status = status;
	if (lint->unmatched > 0)
		cmd_say("%s: too many findings and patterns of --accept to compare them all; %zu "
			"findings are reported without a comparison", path, lint->unmatched);
	telling->other_modules += lint->other_module;
	lint_totals_add(&telling->totals, lint);
	if (telling->progress && telling->paths->count > 1)
		cmd_show_files(index + 1, telling->paths->count);
}

static enum cmd_status
lint_all(const struct lint_command *own, const struct gathered_files *paths,
	 struct lint_options *lint_options)
{
	const struct cmd_options *options = &own->common;
	struct lint_telling telling = { .own = own, .paths = paths, .status = CMD_DONE,
				   .progress = cmd_shows_progress() };
	char directory[4096] = "/";
	struct cmd_percent percent = { .least = (64u << 20) + 1 };

	lint_options->most = own->all ? 0 : SHOWN;
	lint_options->progress = telling.progress && paths->count == 1 ? cmd_show_percent : NULL;
	lint_options->context = &percent;
	if (options->json)
		json_begin(&telling.json, &cmd_output, options->pretty);
	if (own->sarif)
		lint_report_sarif_begin(&telling.json, PACKAGE_VERSION);
	else if (options->json)
		json_array(&telling.json, NULL);
	else if (own->junit)
		output_plain(&cmd_output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			     "<testsuites name=\"unspool lint\">\n");
	if (!lint_files(paths, lint_options, tell_one, &telling))
		telling.status = CMD_UNREADABLE;
	if (telling.progress)
		cmd_clear_progress();
	if (own->sarif && getcwd(directory, sizeof(directory)) == NULL)
		directory[1] = '\0';
	if (own->sarif)
		sarif_end(&telling.json, telling.totals.unreadable == 0, directory,
			  (int)telling.status, !telling.totals.partial);
	else if (options->json)
		json_array_end(&telling.json);
	else if (own->junit)
		output_plain(&cmd_output, "</testsuites>\n");
	else if (paths->count > 1 && !own->github)
		lint_report_totals(&telling.totals, &cmd_output);
	if (options->json)
		json_finish(&telling.json);
	if (telling.other_modules > 0)
		cmd_say("%zu of %zu files are of other modules and were not compared with '%s'",
			telling.other_modules, paths->count, own->binary);
	return telling.status;
}

static bool
read_known(const struct lint_command *own, struct accepts *accepts,
	   struct lint_baseline *baseline)
{
	for (size_t i = 0; i < own->accept.count; i++)
		if (!add_accept(accepts, own->accept.items[i], true))
			return false;
	for (size_t i = 0; i < own->accept_files.count; i++)
		if (!read_accepts(accepts, own->accept_files.items[i]))
			return false;
	if (own->baseline == NULL)
		return true;
	if (!cmd_read_baseline(baseline, own->baseline, "lint"))
		return false;
	if (baseline->partial)
		cmd_say("'%s' was made without --all: findings that it leaves out count as new",
			own->baseline);
	return true;
}

static enum cmd_status
lint_run(const struct cmd_options *options)
{
	const struct lint_command *own = (const struct lint_command *)options;
	struct lint_options lint_options = { 0 };
	struct lint_baseline baseline = { 0 };
	enum cmd_status status = CMD_USAGE;
	struct accepts accepts = { 0 };
	struct gathered_files paths = { 0 };
	struct cmd_written expected = { .symfile = NULL };
	struct binary *binary = NULL;
	struct error error = { 0 };

	if (own->explain != NULL)
		return explain_codes(own->explain);
	if (options->path_count == 0)
		return cmd_usage(options, "no symbol file was given");
	if (own->binary != NULL && binary_open(&binary, own->binary, &error) != ERROR_NONE)
		return cmd_print_error(&error, own->binary);
	/* Ignore failures: the other checks do not need the symbol file that dump-syms makes. */
	if (own->binary != NULL)
		cmd_written_open(&expected, own->binary, &error);
	if (read_known(own, &accepts, &baseline)) {
		lint_options.binary = binary;
		lint_options.expected = expected.symfile;
		lint_options.accepts = accepts.list;
		lint_options.accept_count = accepts.count;
		lint_options.baseline = own->baseline != NULL ? &baseline : NULL;
		if (!gather_files(&accepts.arena, options->paths, options->path_count,
				  gather_symbol_files, &paths))
			cmd_say("there are more files than can be read: some are left out");
		if (paths.count == 0)
			cmd_say("no symbol file (*.sym) is below '%s'", options->paths[0]);
		lint_options.of_store = paths.directories;
		status = paths.count > 0 ? lint_all(own, &paths, &lint_options) : CMD_UNREADABLE;
	}
	cmd_written_close(&expected);
	binary_close(binary);
	lint_baseline_free(&baseline);
	arena_free(&accepts.arena);
	return status;
}

static const struct cmd_option own_options[] = {
#define STORE(kind, member) CMD_STORE(kind, lint_command, member)
	{ "--brief", 0, NULL, "a line for each finding", STORE(FLAG, brief) },
	{ "--all", 'a', NULL, "every finding, not only the first 20 of each "
			      "code", STORE(FLAG, all) },
	{ "--github", 0, NULL, "GitHub workflow commands, which annotate the lines",
	  STORE(FLAG, github) },
	{ "--junit", 0, NULL, "test results in JUnit's XML: a finding is a failure",
	  STORE(FLAG, junit) },
	{ "--sarif", 0, NULL, "a SARIF 2.1.0 log for code scanners",
	  CMD_FLAG, offsetof(struct lint_command, sarif), cmd_set_json },
	{ "--accept", 0, "WHAT", "leave out CODE, CODE@ADDRESS or CODE=NAMEPATTERN",
	  STORE(LIST, accept) },
	{ "--accept-file", 0, "FILE", "read patterns for --accept from FILE, one a "
				      "line", STORE(LIST, accept_files) },
	{ "--baseline", 0, "FILE", "leave out what an earlier run found (JSON, SARIF)",
	  STORE(TEXT, baseline) },
	{ "--binary", 0, "FILE", "the program or library to compare the file with",
	  STORE(TEXT, binary) },
	{ "--explain", 0, "CODE", "print what CODE means; 'all' prints every code",
	  STORE(TEXT, explain) },
	{ "--strict", 0, NULL, "exit with 1 for notes as well",
	  CMD_STORE(FLAG, cmd_options, strict) },
};

const struct cmd_command cmd_lint = {
	.name = "lint", .arguments = "FILE.sym|DIR...",
	.help = "print defects of symbol files and their effect on stack walks",
	CMD_OWN(own_options, lint_command), .groups = CMD_GROUP_JSON | CMD_GROUP_NAMES |
		  CMD_GROUP_REDACT,
	.document = lint_report_facts, .lists = true, .run_alone = lint_run,
};
