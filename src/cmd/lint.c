/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "report/file/lint_report.h"
#include "report/reference.h"

/* Findings of a code that are shown without --all. */
#define SHOWN 20u

struct lint_command {
	struct cmd_options common;
	struct cmd_list accept, accept_files;
	const char *explain;		/* a code */
	bool brief, all, sarif;
};

struct accepts {
	struct lint_accept *list;
	size_t count, capacity;
	struct arena arena;
};

static bool
add_accept(struct accepts *accepts, const char *text)
{
	struct lint_accept accept;
	const char *wrong = lint_accept_parse(text, &accept);

	if (wrong != NULL) {
		cmd_say("%s", arena_format(&accepts->arena, wrong, text));
		return false;
	}
	struct lint_accept *added =
		ARENA_PUSH(&accepts->arena, accepts->list, accepts->count, accepts->capacity);
	if (added != NULL)
		*added = accept;
	return added != NULL;
}

/* A file of accepted findings, one a line; '#' begins a comment at the beginning of a line. */
static bool
read_accepts(struct accepts *accepts, const char *path)
{
	struct error error;
	struct file file;
	bool good = true;

	if (file_open(&file, path, &error) != ERROR_NONE) {
		cmd_print_error(&error, path);
		return false;
	}
	const char *at = (const char *)file.data, *end = at + file.size;
	for (unsigned line = 1; at < end; line++) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *stop = feed != NULL ? feed : end;

		while (stop > at && strchr(" \t\r", stop[-1]) != NULL)
			stop--;
		char *text = arena_copy(&accepts->arena, at, (size_t)(stop - at));
		if (text != NULL && text[0] != '\0' && text[0] != '#' &&
		    !add_accept(accepts, text)) {
			cmd_say("line %u of %s", line, path);
			good = false;
		}
		at = feed != NULL ? feed + 1 : end;
	}
	file_close(&file);
	return good;
}

static enum cmd_status
explain_codes(const char *name)
{
	enum lint_code code;
	struct reference more;

	if (strcmp(name, "all") == 0) {
		for (int i = 0; i < LINT_CODE_COUNT; i++)
			lint_report_code((enum lint_code)i, &cmd_output);
		return CMD_DONE;
	}
	if (!lint_code_named(text_of(name), &code)) {
		cmd_say("unknown finding '%s'; '--explain all' lists them", name);
		return CMD_USAGE;
	}
	lint_report_code(code, &cmd_output);
	if (reference_of(REFERENCE_CODE, text_of(name), &more))
		cmd_print("        = in full: %s, '%s'", more.page, more.section);
	return CMD_DONE;
}

static bool
show_progress(void *context, uint64_t read, uint64_t total)
{
	unsigned *shown = context;
	const unsigned percent = (unsigned)(read * 100 / total);

	if (percent != *shown && total > (64u << 20))
		fprintf(stderr, "\r%u%%\033[K", percent);
	*shown = percent;
	return true;
}

static enum cmd_status
lint_one(const char *path, const struct lint_options *lint_options,
	 const struct lint_command *own, struct json *json)
{
	const struct cmd_options *options = &own->common;
	enum cmd_status status = CMD_UNREADABLE;
	struct error error;
	struct lint lint;

	if (lint_file(&lint, path, lint_options, &error) != ERROR_NONE) {
		cmd_print_error(&error, path);
	} else {
		if (isatty(STDERR_FILENO) && lint.file.size > (64u << 20))
			fprintf(stderr, "\r\033[K");
		if (own->sarif)
			lint_report_sarif(&lint, path, &options->policy, json);
		else if (options->json)
			FACTS_WRITE(json, NULL, lint_report, &lint, path, &options->policy);
		else
			lint_report_text(&lint, path, own->brief, &options->policy,
					 &cmd_output);
		if (lint.counts[LINT_OTHER_FILE] == 0)
			status = lint_report_count(&lint, options->strict ? LINT_NOTE
									  : LINT_WARNING) > 0
					 ? CMD_FINDINGS : CMD_DONE;
	}
	lint_free(&lint);
	return status;
}

static enum cmd_status
run(const struct cmd_options *options)
{
	const struct lint_command *own = (const struct lint_command *)options;
	enum cmd_status status = CMD_USAGE;
	struct accepts accepts = { 0 };
	unsigned shown = 0;
	bool good = true;
	struct json json;

	if (own->explain != NULL)
		return explain_codes(own->explain);
	if (options->path_count == 0)
		return cmd_usage(options, "no symbol file was given");
	for (size_t i = 0; good && i < own->accept.count; i++)
		good = add_accept(&accepts, own->accept.items[i]);
	for (size_t i = 0; good && i < own->accept_files.count; i++)
		good = read_accepts(&accepts, own->accept_files.items[i]);
	if (good) {
		const struct lint_options lint_options = {
			.most = own->all ? 0 : SHOWN,
			.accepts = accepts.list, .accept_count = accepts.count,
			.progress = isatty(STDERR_FILENO) ? show_progress : NULL,
			.context = &shown };

		status = CMD_DONE;
		if (options->json)
			json_begin(&json, &cmd_output, options->pretty);
		if (own->sarif)
			lint_report_sarif_begin(&json, PACKAGE_VERSION);
		else if (options->json)
			json_array(&json, NULL);
		for (size_t i = 0; i < options->path_count; i++) {
			const enum cmd_status one =
				lint_one(options->paths[i], &lint_options, own, &json);

			if (one > status)
				status = one;
		}
		if (own->sarif)
			lint_report_sarif_end(&json);
		else if (options->json)
			json_array_end(&json);
		if (options->json)
			json_finish(&json);
	}
	arena_free(&accepts.arena);
	return status;
}

/* A SARIF log is JSON, too. */
static const char *
set_sarif(struct cmd_options *options, const char *value)
{
	(void)value;
	options->json = true;
	return NULL;
}

static const struct cmd_option own_options[] = {
#define STORE(kind, member) CMD_STORE(kind, lint_command, member)
	{ "--brief", 0, NULL, "a line for each finding", STORE(FLAG, brief) },
	{ "--all", 'a', NULL, "every finding, not only the first 20 of each "
			      "code", STORE(FLAG, all) },
	{ "--sarif", 0, NULL, "a SARIF 2.1.0 log for code scanners",
	  CMD_FLAG, offsetof(struct lint_command, sarif), set_sarif },
	{ "--accept", 0, "WHAT", "leave out CODE, CODE@ADDRESS or CODE=NAMEPATTERN",
	  STORE(LIST, accept) },
	{ "--accept-file", 0, "FILE", "the same from a file, one per "
				      "line", STORE(LIST, accept_files) },
	{ "--explain", 0, "CODE", "what a finding means; 'all' for all of them",
	  STORE(TEXT, explain) },
	{ "--strict", 0, NULL, "exit with 1 for notes as well",
	  CMD_STORE(FLAG, cmd_options, strict) },
};

const struct cmd_command cmd_lint = {
	.name = "lint", .arguments = "FILE.sym...",
	.help = "print defects of symbol files and their effect on stack walks",
	CMD_OWN(own_options, lint_command), .groups = CMD_GROUP_JSON | CMD_GROUP_NAMES,
	.document = lint_report_facts, .lists = true, .run_alone = run,
};
