/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "lint/lint.h"
#include "report/file/repair_report.h"
#include "sframe/sframes.h"

/* repair: a patch that repairs the STACK CFI records of a symbol file. */

/* Least number of functions for which progress is shown; fewer take too little time. */
#define FEWEST_SHOWN 200u

struct repair_command {
	struct cmd_options common;
	const char *binary, *output;
	bool force;
};

/* The binary, its debug files and the named symbol file. Their identifiers are not compared. */
struct repair_input {
	struct cmd_input input;
	struct symfile *symfile;
};

/* Check by identifier and functions that the symbol file is for the binary. Prints errors. */
static enum cmd_status
check_identity(const struct repair_command *own, const struct binary *binary)
{
	const struct lint_options options = { .most = 1, .binary = binary };
	const char *path = own->common.paths[0];
	enum cmd_status status = CMD_DONE;
	struct error error = { 0 };
	struct lint lint;

	if (lint_file(&lint, path, &options, &error) != ERROR_NONE)
		status = cmd_print_error(&error, path);
	for (size_t i = 0; status == CMD_DONE && i < lint.finding_count; i++) {
		const struct lint_finding *finding = &lint.findings[i];

		if (finding->code != LINT_WRONG_BINARY || own->force)
			continue;
		cmd_say("%s does not belong to %s: %s; --force repairs it nevertheless",
			place_base_name(path), place_base_name(own->binary), finding->text);
		status = CMD_UNREADABLE;
	}
	lint_free(&lint);
	return status;
}

static enum cmd_status
open_input(const struct repair_command *own, struct repair_input *opened)
{
	const char *paths[] = { own->binary };
	struct cmd_options options = own->common;
	struct binary *binary = NULL;
	struct error error = { 0 };

	options.paths = paths;
	options.path_count = 1;
	if (binary_open(&binary, own->binary, &error) != ERROR_NONE)
		return cmd_print_error(&error, own->binary);
	enum cmd_status status = check_identity(own, binary);
	if (status != CMD_DONE) {
		binary_close(binary);
		return status;
	}
	status = cmd_input_open_binary(&opened->input, &options, binary, NULL);
	if (status == CMD_DONE &&
	    cmd_open_symbols(&opened->symfile, own->common.paths[0], &error) != ERROR_NONE)
		status = cmd_print_error(&error, own->common.paths[0]);
	return status;
}

/* Walk all threads of a dump before and after the repair. */
static enum cmd_status
walk_dump(const struct repair_command *own, struct repair_report *report, const char *path)
{
	const char *paths[] = { path, own->common.paths[0] };
	struct cmd_options options = own->common;
	const char **binaries = calloc(options.binaries.count + 1, sizeof(*binaries));
	struct cmd_input input = { 0 };
	bool good = true;

	if (binaries == NULL)
		return cmd_out_of_memory();
	binaries[0] = own->binary;
	for (size_t i = 0; i < options.binaries.count; i++)
		binaries[i + 1] = options.binaries.items[i];
	options.binaries.items = binaries;
	options.binaries.count++;
	options.paths = paths;
	options.path_count = ARRAY_COUNT(paths);
	const enum cmd_status status = cmd_input_open(&input, &options, options.paths[0], NULL,
						      NULL);
	for (size_t i = 0; status == CMD_DONE && good && i < input.crash.thread_count; i++) {
		struct walk *walk = walk_create(&input.crash, input.symbols, input.binaries, i,
						&options.policy);

		good = walk != NULL && repair_report_walk(report, path, walk);
		walk_free(walk);
	}
	cmd_input_close(&input);
	free(binaries);
	return good ? status : cmd_out_of_memory();
}

struct patch {
	struct repair_report *report;
	const char *path;
};

static bool
write_patch_file(void *context, const struct output *output)
{
	const struct patch *patch = context;

	repair_report_patch(patch->report, patch->path, output);
	return true;
}

static enum cmd_status
write_patch(const struct repair_command *own, struct repair_report *report)
{
	struct patch patch = { report, own->output };

	if (own->output == NULL) {
		repair_report_patch(report, "PATCH", &cmd_output);
		return CMD_DONE;
	}
	const enum cmd_status status =
		cmd_write_file(own->output, own->force, write_patch_file, &patch);
	if (status == CMD_DONE)
		repair_report_text(report, &cmd_output);
	return status;
}

static enum cmd_status
write_result(const struct repair_command *own, struct repair_report *report)
{
	const struct repair *repair = report->repair;
	enum cmd_status status = CMD_DONE;

	if (own->common.json)
		FACTS_DOCUMENT(&cmd_output, own->common.pretty, repair_report, report);
	if (repair->edits.count == 0 && repair->left_count == 0) {
		cmd_say("%s: no unwind record to repair; unspool lint checks the other records",
			place_base_name(own->common.paths[0]));
		return CMD_DONE;
	}
	if (!own->common.json || own->output != NULL)
		status = write_patch(own, report);
	return status != CMD_DONE ? status : CMD_FINDINGS;
}

static enum cmd_status
mend(const struct repair_command *own, struct repair_input *opened)
{
	const struct cmd_options *options = &own->common;
	const struct rule_module module = {
		.arch = opened->input.crash.system.arch, .policy = &options->policy,
		.parameters = -1, .symfile = symfile_under(opened->symfile, &options->policy),
		.sframe = sframes_load(opened->input.binaries, 0),
		.sframe_bias = opened->input.crash.modules[0].base,
		.binaries = opened->input.binaries };
	struct cmd_percent percent = { .least = FEWEST_SHOWN };
	struct repair repair = { .module = &module, .crash = &opened->input.crash,
				 .windows = opened->input.crash.system.os == CRASH_OS_WINDOWS,
				 .progress = cmd_shows_progress() ? cmd_show_percent : NULL,
				 .context = &percent };
	struct repair_report report = { .repair = &repair, .binary = own->binary };
	struct error error = { 0 };
	enum cmd_status status = CMD_DONE;

	if (repair_make(&repair, &error) != ERROR_NONE)
		status = cmd_print_error(&error, options->paths[0]);
	cmd_clear_percent(&percent);
	for (size_t i = 1; status == CMD_DONE && i < options->path_count; i++)
		status = walk_dump(own, &report, options->paths[i]);
	if (status == CMD_DONE)
		status = write_result(own, &report);
	arena_free(&report.arena);
	repair_free(&repair);
	return status;
}

static enum cmd_status
repair_run(const struct cmd_options *options)
{
	const struct repair_command *own = (const struct repair_command *)options;
	struct repair_input opened = { .symfile = NULL };

	if (own->binary == NULL)
		return cmd_usage(options, "name the program or library with --binary FILE");
	enum cmd_status status = open_input(own, &opened);
	if (status == CMD_DONE)
		status = mend(own, &opened);
	cmd_input_close(&opened.input);
	symfile_close(opened.symfile);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--binary", 0, "FILE", "the program or library of the symbol file",
	  CMD_STORE(TEXT, repair_command, binary) },
	{ "--output", 'o', "PATCH", "the file to write the patch to",
	  CMD_STORE(OUTPUT, repair_command, output) },
	{ "--force", 0, NULL, "repair a file of another build; replace PATCH",
	  CMD_STORE(FLAG, repair_command, force) },
};

const struct cmd_command cmd_repair = {
	.name = "repair", .arguments = "FILE [DUMP...]",
	.help = "print a patch that repairs unwind records of a symbol file",
	.least = 1, CMD_OWN(own_options, repair_command),
	.groups = CMD_GROUP_JSON | CMD_GROUP_INPUT | CMD_GROUP_NAMES | CMD_GROUP_REDACT,
	.document = repair_report_facts, .run_alone = repair_run,
};
