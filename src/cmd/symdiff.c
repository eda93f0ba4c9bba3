/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "report/file/symbol_diff_report.h"

/* Differences that are shown without --all. */
#define SHOWN 200u

struct symdiff_options {
	struct cmd_options common;
	bool lines, all;		/* lines: and inlined calls */
};

static enum cmd_status
run(const struct cmd_options *options)
{
	const struct symdiff_options *own = (const struct symdiff_options *)options;
	const struct symbol_diff_options diff_options = {
		.lines = own->lines, .most = own->all ? 0 : SHOWN,
		.policy = &options->policy };
	struct symfile *files[2] = { NULL, NULL };
	enum cmd_status status = CMD_DONE;
	struct symbol_diff diff;
	struct error error;
	size_t found = 0;

	for (int i = 0; i < 2 && status == CMD_DONE; i++)
		if (symfile_open(&files[i], options->paths[i], NULL, &error) != ERROR_NONE) {
			cmd_print_error(&error, options->paths[i]);
			status = CMD_UNREADABLE;
		} else {
			cmd_learn_records(symfile_file(files[i]));
		}
	if (status == CMD_DONE) {
		const struct symfile *const both[2] = { files[0], files[1] };
		const struct symfile_identity one = symfile_identity(files[0]);

		if (!text_equal(one.id, symfile_identity(files[1]).id))
			cmd_say("the files are of different builds: their identifiers differ");
		symbol_diff_make(&diff, arch_of_symbols(one.arch), both, &diff_options);
		if (options->json)
			CMD_DOCUMENT(options, symbol_diff, &diff);
		else
			symbol_diff_text(&diff, &cmd_output);
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

static const struct cmd_option own_options[] = {
	{ "--lines", 0, NULL, "also source lines and inlined calls",
	  CMD_STORE(FLAG, symdiff_options, lines) },
	{ "--all", 'a', NULL, "every difference, not only the first 200",
	  CMD_STORE(FLAG, symdiff_options, all) },
};

const struct cmd_command cmd_symdiff = {
	.name = "symdiff", .arguments = "FIRST.sym SECOND.sym",
	.help = "compare two symbol files of a module",
	.least = 2, .most = 2, CMD_OWN(own_options, symdiff_options),
	.groups = CMD_GROUP_JSON | CMD_GROUP_NAMES | CMD_GROUP_REDACT,
	.document = symbol_diff_facts, .run_alone = run,
};
