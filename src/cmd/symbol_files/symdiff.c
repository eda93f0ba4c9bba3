/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/limits.h"
#include "cmd/cmd.h"
#include "report/file/symbol_diff_report.h"

/* Differences shown without --all. */
#define SHOWN 200u

struct symdiff_options {
	struct cmd_options common;
	bool lines, all;		/* lines: also lines and inlined calls */
	bool by_name, by_address;
};

/* Whether both files are symbol files with the same bytes, which need not be parsed. */
static bool
same_bytes(const char *const paths[2])
{
	static const char word[] = "MODULE ";
	struct file files[2];
	struct error error = { 0 };
	bool same = false;

	if (strcmp(paths[0], "-") == 0 || strcmp(paths[1], "-") == 0 ||
	    file_open_most(&files[0], paths[0], LIMIT_READ_SMALL, file_most_symbols, &error) !=
		    ERROR_NONE)
		return false;
	if (file_open_most(&files[1], paths[1], LIMIT_READ_SMALL, file_most_symbols, &error) ==
	    ERROR_NONE) {
		same = files[0].size == files[1].size && files[0].size > strlen(word) &&
		       memcmp(files[0].data, word, strlen(word)) == 0 &&
		       memcmp(files[0].data, files[1].data, (size_t)files[0].size) == 0;
		file_close(&files[1]);
	}
	file_close(&files[0]);
	return same;
}

static enum cmd_status
print_differences(const struct cmd_options *options, const struct symbol_diff *diff, bool by_name)
{
	size_t found = 0;

	if (options->json)
		CMD_DOCUMENT(options, symbol_diff, diff, by_name);
	else
		symbol_diff_text(diff, &cmd_output);
	for (int what = 0; what < SYMBOL_DIFF_WHATS; what++)
		found += diff->totals[what];
	return found > 0 ? CMD_FINDINGS : CMD_DONE;
}

static enum cmd_status
compare(const struct cmd_options *options, const struct symfile *const files[2])
{
	const struct symdiff_options *own = (const struct symdiff_options *)options;
	const struct symfile_identity one = symfile_identity(files[0]);
	const bool same_build = text_equal(one.id, symfile_identity(files[1]).id);
	const struct symbol_diff_options diff_options = {
		.lines = own->lines, .most = own->all ? 0 : SHOWN, .policy = &options->policy,
		.by_name = own->by_name || (!same_build && !own->by_address) };
	struct symbol_diff diff;

	if (!same_build)
		cmd_say("the files are of different builds: their identifiers differ%s",
			own->by_name || own->by_address
				? "" : "; compared by name (--by-address compares addresses)");
	symbol_diff_make(&diff, arch_of_symbols(one.arch), files, &diff_options);
	const enum cmd_status status = print_differences(options, &diff, diff_options.by_name);
	symbol_diff_free(&diff);
	return status;
}

static enum cmd_status
symdiff_run(const struct cmd_options *options)
{
	const struct symdiff_options *own = (const struct symdiff_options *)options;
	const char *const paths[2] = { options->paths[0], options->paths[1] };
	struct cmd_written files[2] = { { .symfile = NULL } };
	enum cmd_status status = CMD_DONE;
	struct symbol_diff none = { 0 };
	struct error error = { 0 };

	if (own->by_name && own->by_address)
		return cmd_usage(options, "--by-name and --by-address exclude each other");
	if (same_bytes(paths))
		return print_differences(options, &none, own->by_name);
	for (int i = 0; i < 2 && status == CMD_DONE; i++)
		if (cmd_written_open(&files[i], paths[i], &error) != ERROR_NONE)
			status = cmd_print_error(&error, paths[i]);
		else
			cmd_learn_records(symfile_file(files[i].symfile));
	if (status == CMD_DONE) {
		const struct symfile *const both[2] = { files[0].symfile, files[1].symfile };

		status = compare(options, both);
	}
	for (int i = 0; i < 2; i++)
		cmd_written_close(&files[i]);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--lines", 0, NULL, "also source lines and inlined calls",
	  CMD_STORE(FLAG, symdiff_options, lines) },
	{ "--by-name", 0, NULL, "match functions by name (default for two builds)",
	  CMD_STORE(FLAG, symdiff_options, by_name) },
	{ "--by-address", 0, NULL, "match by address, even for two builds",
	  CMD_STORE(FLAG, symdiff_options, by_address) },
	{ "--all", 'a', NULL, "every difference, not only the first 200",
	  CMD_STORE(FLAG, symdiff_options, all) },
};

const struct cmd_command cmd_symdiff = {
	.name = "symdiff", .arguments = "FIRST SECOND",
	.help = "compare symbol files of a module, or with its program or PDB",
	.least = 2, .most = 2, CMD_OWN(own_options, symdiff_options),
	.groups = CMD_GROUP_JSON | CMD_GROUP_NAMES | CMD_GROUP_REDACT,
	.document = symbol_diff_facts, .run_alone = symdiff_run,
};
