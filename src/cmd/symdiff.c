/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cmd/cmd.h"
#include "report/file/symbol_diff_report.h"

/* Differences that are shown without --all. */
#define SHOWN 200u

/* Say where the files' MODULE records differ: then they may be of different builds. */
static void
warn_of_identities(const struct symfile *const files[2])
{
	const struct symfile_identity one = symfile_identity(files[0]);
	const struct symfile_identity other = symfile_identity(files[1]);

	if (!text_equal(one.id, other.id))
		fprintf(stderr, "unspool: the files are of different builds: their identifiers "
				"differ\n");
}

static void
print(const struct symbol_diff *diff, const struct cmd_options *options)
{
	const struct output output = cmd_output();
	struct json json;

	if (!options->json) {
		symbol_diff_text(diff, &output);
		return;
	}
	json_begin(&json, &output, options->pretty);
	json_object(&json, NULL);
	symbol_diff_json(diff, &json);
	json_object_end(&json);
	json_finish(&json);
}

enum cmd_status
cmd_symdiff(const struct cmd_options *options)
{
	const struct symbol_diff_options diff_options = {
		.lines = options->lines, .most = options->all ? 0 : SHOWN,
		.policy = &options->policy };
	struct symfile *files[2] = { NULL, NULL };
	enum cmd_status status = CMD_DONE;
	struct symbol_diff diff;
	struct error error;
	size_t found = 0;

	if (options->path_count != 2) {
		fprintf(stderr, "unspool: symdiff compares two symbol files\n"
			"Try 'unspool symdiff --help'.\n");
		return CMD_USAGE;
	}
	for (int i = 0; i < 2 && status == CMD_DONE; i++)
		if (symfile_open(&files[i], options->paths[i], &error) != ERROR_NONE) {
			cmd_print_error(&error, options->paths[i]);
			status = CMD_UNREADABLE;
		}
	if (status == CMD_DONE) {
		const struct symfile *const both[2] = { files[0], files[1] };

		warn_of_identities(both);
		symbol_diff_make(&diff, arch_of_symbols(symfile_identity(files[0]).arch), both,
				 &diff_options);
		print(&diff, options);
		for (int what = 0; what < SYMBOL_DIFF_WHATS; what++)
			found += diff.totals[what];
		status = found > 0 ? CMD_FINDINGS : CMD_DONE;
		symbol_diff_free(&diff);
	}
	for (int i = 0; i < 2; i++)
		if (files[i] != NULL)
			symfile_close(files[i]);
	return status;
}
