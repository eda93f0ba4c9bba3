/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "report/file/lint_report.h"

/* Findings of a code that are shown without --all. */
#define SHOWN 20u

struct accepts {
	struct lint_accept *list;
	size_t count, capacity;
	struct arena arena;
};

static bool
add_accept(struct accepts *accepts, const char *text)
{
	struct lint_accept *list = arena_grow(&accepts->arena, accepts->list, accepts->count,
					      &accepts->capacity, sizeof(*list));
	const char *wrong;

	if (list == NULL)
		return false;
	accepts->list = list;
	wrong = lint_accept_parse(text, &list[accepts->count]);
	if (wrong == NULL) {
		accepts->count++;
		return true;
	}
	fprintf(stderr, "unspool: ");
	fprintf(stderr, wrong, text);
	fprintf(stderr, "\n");
	return false;
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
			fprintf(stderr, "unspool: line %u of %s\n", line, path);
			good = false;
		}
		at = feed != NULL ? feed + 1 : end;
	}
	file_close(&file);
	return good;
}

static bool
make_accepts(struct accepts *accepts, const struct cmd_options *options)
{
	*accepts = (struct accepts){ 0 };
	arena_init(&accepts->arena, 0);
	for (size_t i = 0; i < options->accept.count; i++)
		if (!add_accept(accepts, options->accept.items[i]))
			return false;
	for (size_t i = 0; i < options->accept_files.count; i++)
		if (!read_accepts(accepts, options->accept_files.items[i]))
			return false;
	return true;
}

static enum cmd_status
explain_codes(const char *name)
{
	const struct output output = cmd_output();
	enum lint_code code;

	if (strcmp(name, "all") == 0) {
		for (int i = 0; i < LINT_CODE_COUNT; i++)
			lint_report_code((enum lint_code)i, &output);
		return CMD_DONE;
	}
	if (!lint_code_named(text_of(name), &code)) {
		fprintf(stderr, "unspool: there is no finding '%s'; --explain all lists them\n",
			name);
		return CMD_USAGE;
	}
	lint_report_code(code, &output);
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

struct form {
	bool brief, json, sarif;
	const struct policy *policy;	/* of names */
	struct json writer;
	struct output output;
};

static void
begin_output(struct form *form, const struct cmd_options *options)
{
	*form = (struct form){ .brief = options->brief, .json = options->json,
			       .sarif = options->sarif, .policy = &options->policy,
			       .output = cmd_output() };
	if (!form->json && !form->sarif)
		return;
	json_begin(&form->writer, &form->output, options->pretty);
	if (form->sarif)
		lint_report_sarif_begin(&form->writer, PACKAGE_VERSION);
	else
		json_array(&form->writer, NULL);
}

static void
end_output(struct form *form)
{
	if (form->sarif)
		lint_report_sarif_end(&form->writer);
	else if (form->json)
		json_array_end(&form->writer);
	if (form->sarif || form->json)
		json_finish(&form->writer);
}

static enum cmd_status
lint_one(const char *path, const struct lint_options *lint_options, bool strict,
	 struct form *form)
{
	enum cmd_status status = CMD_UNREADABLE;
	struct error error;
	struct lint lint;

	if (lint_file(&lint, path, lint_options, &error) != ERROR_NONE) {
		cmd_print_error(&error, path);
	} else {
		if (isatty(STDERR_FILENO) && lint.file.size > (64u << 20))
			fprintf(stderr, "\r\033[K");
		if (form->sarif)
			lint_report_sarif(&lint, path, form->policy, &form->writer);
		else if (form->json)
			lint_report_json(&lint, path, form->policy, &form->writer);
		else
			lint_report_text(&lint, path, form->brief, form->policy, &form->output);
		if (lint.counts[LINT_OTHER_FILE] == 0)
			status = lint_report_count(&lint, strict ? LINT_NOTE : LINT_WARNING) > 0
					 ? CMD_FINDINGS : CMD_DONE;
	}
	lint_free(&lint);
	return status;
}

enum cmd_status
cmd_lint(const struct cmd_options *options)
{
	enum cmd_status status = CMD_DONE;
	struct accepts accepts;
	unsigned shown = 0;
	struct form form;

	if (options->explain != NULL)
		return explain_codes(options->explain);
	if (options->path_count == 0) {
		fprintf(stderr, "unspool: no symbol file was given\n"
			"Try 'unspool lint --help'.\n");
		return CMD_USAGE;
	}
	if (make_accepts(&accepts, options)) {
		const struct lint_options lint_options = {
			.most = options->all ? 0 : SHOWN,
			.accepts = accepts.list, .accept_count = accepts.count,
			.progress = isatty(STDERR_FILENO) ? show_progress : NULL,
			.context = &shown };

		begin_output(&form, options);
		for (size_t i = 0; i < options->path_count; i++) {
			enum cmd_status one = lint_one(options->paths[i], &lint_options,
						       options->strict, &form);

			if (one > status)
				status = one;
		}
		end_output(&form);
	} else {
		status = CMD_USAGE;
	}
	arena_free(&accepts.arena);
	return status;
}
