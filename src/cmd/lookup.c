/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/documents.h"
#include "cmd/subject.h"
#include "report/code/lookup.h"

/* `unspool lookup`: addresses to functions, lines, inlined calls and unwind rules. */

struct asking {
	struct subject *subject;
	const struct cmd_options *options;
	struct output output;
	struct json json;
	bool missing;			/* something was not found */
	bool usage;			/* something was no address */
};

static void
write_lookup(struct asking *asking, const struct lookup *lookup)
{
	if (asking->options->json) {
		json_object(&asking->json, NULL);
		lookup_members(&asking->json, lookup);
		json_object_end(&asking->json);
	} else if (asking->options->brief) {
		lookup_brief(&asking->output, lookup);
	} else {
		lookup_text(&asking->output, lookup);
	}
}

/* An address that no module holds. */
static void
write_nowhere(struct asking *asking, const char *text)
{
	const struct lookup nothing = { .module = "??" };

	if (asking->options->json) {
		json_object(&asking->json, NULL);
		lookup_nowhere_members(&asking->json, text);
		json_object_end(&asking->json);
	} else if (asking->options->brief) {
		lookup_brief(&asking->output, &nothing);
	} else {
		output_text(&asking->output, text_of(text));
		output_format(&asking->output, "\n  in no module\n");
	}
}

static void
ask(struct asking *asking, const char *text)
{
	struct subject_place place;
	struct arena arena;

	if (!subject_is_address(text)) {
		const struct output output = cmd_errors();

		output_format(&output, "unspool: '");
		output_text(&output, text_of(text));
		output_format(&output, "' is no hexadecimal address\n");
		asking->usage = true;
		return;
	}
	if (!subject_place_of(asking->subject, text, &place)) {
		asking->missing = true;
		write_nowhere(asking, text);
		return;
	}
	const struct rule_module module = subject_module(asking->subject, place.module);
	struct lookup lookup = { .module = subject_module_name(asking->subject, place.module),
				 .shown = place.shown };
	arena_init(&arena, 0);
	lookup_make(&lookup, &module, place.address, &arena);
	asking->missing = asking->missing || lookup.call_count == 0;
	write_lookup(asking, &lookup);
	arena_free(&arena);
}

/* Addresses a line, as addr2line takes them; each is answered before the next is read. */
static void
ask_input(struct asking *asking)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) >= 0) {
		char *rest = NULL;

		for (char *word = strtok_r(line, " \t\r\n", &rest); word != NULL;
		     word = strtok_r(NULL, " \t\r\n", &rest))
			ask(asking, word);
		fflush(stdout);
	}
	free(line);
}

static void
ask_all(struct asking *asking, const char *const *addresses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(addresses[i], "-") == 0)
			ask_input(asking);
		else
			ask(asking, addresses[i]);
	if (count == 0)
		ask_input(asking);
}

#define FACTS "cmd/lookup_facts.def"
#include "document/describe_facts.h"

static enum cmd_status
answer(struct asking *asking, const char *const *addresses, size_t count)
{
	if (asking->options->json) {
		json_begin(&asking->json, &asking->output, asking->options->pretty);
		json_object(&asking->json, NULL);
		lookup_document_members(&asking->json, asking, addresses, count);
		json_object_end(&asking->json);
		json_finish(&asking->json);
	} else {
		ask_all(asking, addresses, count);
	}
	return asking->usage ? CMD_USAGE : asking->missing ? CMD_FINDINGS : CMD_DONE;
}

/* Symbols come before addresses: files that are there, whatever they are called. */
static size_t
count_paths(const struct cmd_options *options)
{
	size_t count = 1;

	while (count < options->path_count && strcmp(options->paths[count], "-") != 0 &&
	       access(options->paths[count], F_OK) == 0)
		count++;
	return count;
}

enum cmd_status
cmd_lookup(const struct cmd_options *options)
{
	struct subject subject;

	if (options->path_count == 0) {
		fprintf(stderr, "unspool: lookup wants a file\nTry 'unspool lookup --help'.\n");
		return CMD_USAGE;
	}
	const size_t paths = count_paths(options);
	enum cmd_status status = subject_open(&subject, options, options->paths, paths);
	if (status == CMD_DONE) {
		struct asking asking = { .subject = &subject, .options = options,
					 .output = cmd_output() };

		status = answer(&asking, options->paths + paths, options->path_count - paths);
		fflush(stdout);
		subject_print_messages(&subject);
	}
	subject_close(&subject);
	return status;
}
