/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/subject.h"
#include "report/code/lookup.h"

/* `unspool lookup`: functions, lines, inlined calls and unwind rules of addresses. */

struct lookup_options {
	struct cmd_options common;
	bool brief;
};

struct asking {
	struct subject *subject;
	const struct lookup_options *options;
	struct json *json;		/* NULL: text */
	bool missing;			/* something was not found */
	bool usage;			/* an argument was not an address */
};

static void
ask(struct asking *asking, const char *text)
{
	struct subject_place place;
	struct arena arena = { 0 };

	if (!subject_is_address(text)) {
		cmd_say("'%s' is not a hexadecimal address", text);
		asking->usage = true;
		return;
	}
	if (!subject_place_of(asking->subject, text, &place)) {
		const struct lookup nothing = { .module = "??" };

		asking->missing = true;
		if (asking->json != NULL) {
			FACTS_WRITE(asking->json, NULL, lookup_nowhere, text);
		} else if (asking->options->brief) {
			lookup_brief(&cmd_output, &nothing);
		} else {
			output_text(&cmd_output, text_of(text));
			output_format(&cmd_output, "\n  in no module\n");
		}
		return;
	}
	const struct rule_module module = subject_module(asking->subject, place.module);
	struct lookup lookup = { .module = subject_module_name(asking->subject, place.module),
				 .shown = place.shown };
	lookup_make(&lookup, &module, place.address, &arena);
	asking->missing = asking->missing || lookup.call_count == 0;
	if (asking->json != NULL)
		FACTS_WRITE(asking->json, NULL, lookup, &lookup);
	else if (asking->options->brief)
		lookup_brief(&cmd_output, &lookup);
	else
		lookup_text(&cmd_output, &lookup);
	arena_free(&arena);
}

/* Answer the addresses of standard input line by line, like addr2line. */
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
ask_all(struct asking *asking, struct json *json)
{
	const struct cmd_options *options = &asking->options->common;

	asking->json = json;
	for (size_t i = 0; i < options->asked_count; i++)
		if (strcmp(options->asked[i], "-") == 0)
			ask_input(asking);
		else
			ask(asking, options->asked[i]);
	if (options->asked_count == 0)
		ask_input(asking);
}

#define FACTS "cmd/facts/lookup_facts.def"
#include "document/describe_facts.h"

static enum cmd_status
lookup_run(const struct cmd_options *options)
{
	struct subject subject;
	enum cmd_status status = subject_open(&subject, options);

	if (status == CMD_DONE) {
		struct asking asking = { .subject = &subject,
					 .options = (const struct lookup_options *)options };

		subject_refuse_others(&subject, options);
		if (options->json)
			CMD_DOCUMENT(options, lookup_document, &asking);
		else
			ask_all(&asking, NULL);
		status = asking.usage ? CMD_USAGE : asking.missing ? CMD_FINDINGS : CMD_DONE;
		subject_print_messages(&subject);
	}
	subject_close(&subject);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--brief", 0, NULL, "print two lines for each call, like 'addr2line -fi'",
	  CMD_STORE(FLAG, lookup_options, brief) },
};

const struct cmd_command cmd_lookup = {
	.name = "lookup", .arguments = "FILE [SYMBOLS...] [ADDRESS...]",
	.help = "look up addresses in symbols: names, lines, unwind rules",
	.least = 1, .asked = CMD_ASKED_OTHERS, CMD_OWN(own_options, lookup_options),
	.groups = CMD_GROUP_JSON | CMD_GROUP_INPUT | CMD_GROUP_NAMES |
		  CMD_GROUP_REDACT,
	.document = lookup_document_facts,
	.run_alone = lookup_run,
};
