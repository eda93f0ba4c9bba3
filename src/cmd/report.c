/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "cmd/cmd.h"
#include "report/crash_report.h"
#include "report/stack/walk_json.h"

#define WALKED_MOST 4096u	/* limit on threads: all walks stay in memory to the end */

/*
 * Walk the remaining threads up to the limits on threads and frames; the report counts the other
 * threads. False when out of memory.
 */
static bool
walk_all(struct cmd_input *input, const struct cmd_options *options)
{
	size_t walked = 0, frames = 0;

	for (size_t i = 0; i < input->crash.thread_count; i++) {
		const bool chosen = input->walks[i] != NULL ||
				    (int)i == input->crash.requesting_thread;

		if (input->crash.threads[i].wrote_dump ||
		    (!chosen && (walked >= WALKED_MOST || frames >= LIMIT_FRAMES)))
			continue;
		if (input->walks[i] == NULL)
			input->walks[i] = cmd_walk_thread(input, options, i);
		if (input->walks[i] == NULL)
			return false;
		walk_run(input->walks[i], 0);
		walked++;
		frames += input->walks[i]->count;
	}
	return true;
}

static enum cmd_status
report_run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct crash *crash = &input->crash;
	const int crashed = crash->requesting_thread;
	const struct source_options source = cmd_source_options(input, options);
	const struct walk_json_options json = {
		.pretty = options->pretty, .only_thread = -1, .compat = options->compat,
		.signature_rules = input->rules, .around = input->around, .source = &source,
		.reported = input->walk,
	};
	struct analysis *analysis = NULL;

	if (options->json && input->walk != NULL)
		walk_run(input->walk, 0);
	if (options->json)
		return walk_json(&cmd_output, crash, input->symbols, input->binaries,
				 &options->policy, &json) ? CMD_DONE : CMD_UNREADABLE;
	if (walk_all(input, options))
		analysis = analysis_create(crash, crashed >= 0 ? input->walks[crashed] : NULL,
					   input->binaries, input->rules);
	const struct crash_report report = {
		.around = input->around, .analysis = analysis, .source = &source,
		.thread = input->walk != NULL ? input->walk->thread : crash->thread_count,
	};
	if (analysis != NULL)
		crash_report_write(&report, options->page, &cmd_output);
	const enum cmd_status status = analysis != NULL ? CMD_DONE : cmd_out_of_memory();
	analysis_free(analysis);
	for (size_t i = 0; i < crash->thread_count; i++)
		if (input->walks[i] != input->walk)
			walk_free(input->walks[i]);
	return status;
}

static const char *
report_set_format(struct cmd_options *options, const char *value)
{
	return page_form_named(value, &options->page)
		       ? NULL : "--format is " PAGE_FORM_NAMES ", not '%s'";
}

static const struct cmd_option own_options[] = {
	{ "--format", 'f', "FORM", PAGE_FORM_NAMES ": one page, without scripts",
	  CMD_CALL(report_set_format) },
};

const struct cmd_command cmd_report = {
	.name = "report", .arguments = "DUMP [SYMBOLS...]",
	.help = "print a report of the crash for a tracker: Markdown, HTML, JSON",
	.least = 1, .needs = CMD_NEEDS_SURROUNDINGS, CMD_OWN(own_options, cmd_options),
	.groups = CMD_GROUPS_OF_WALK | CMD_GROUP_SIGNATURE | CMD_GROUP_SOURCE | CMD_GROUP_JSON,
	.document = report_document_facts, .run = report_run,
};
