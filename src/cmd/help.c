/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "report/glossary.h"
#include "document/wrap.h"

enum { COLUMNS = 76 };

static enum cmd_status
help_run(const struct cmd_options *options)
{
	enum cmd_status status = CMD_DONE;
	struct arena arena = { 0 };
	struct reference more;

	const struct glossary_entry *term;
	for (size_t i = 0; options->path_count == 0 && (term = glossary_at(i)) != NULL; i++) {
		output_format(&cmd_output, "%s", term->term);
		for (const char *c = term->also; *c != '\0'; c++)
			output_format(&cmd_output,
				      c == term->also ? ", %c" : *c == '|' ? ", " : "%c", *c);
		output_format(&cmd_output, "\n");
	}
	for (size_t i = 0; i < options->path_count; i++) {
		const char *word = options->paths[i];
		const struct glossary_entry *entry = glossary_explain(text_of(word), &arena);

		entry = entry != NULL ? entry : glossary_begun(text_of(word));
		if (entry == NULL) {
			const struct text near = glossary_near(text_of(word));

			if (near.length > 0)
				cmd_say("no term is called '%s'; did you mean '%.*s'?", word,
					(int)near.length, near.start);
			else
				cmd_say("no term is called '%s'; 'unspool help' lists all terms",
					word);
			status = CMD_USAGE;
			continue;
		}
		const struct text text = text_of(entry->text);
		const size_t lines = wrap_count(text, COLUMNS);
		output_format(&cmd_output, "%s\n", entry->term);
		for (size_t at = 0; at < lines; at++) {
			const struct text line = wrap_line(text, COLUMNS, at);

			output_format(&cmd_output, "    %.*s\n", (int)line.length, line.start);
		}
		if (reference_of(REFERENCE_WORD, text_of(entry->term), &more))
			output_format(&cmd_output, "    In full: %s, '%s'\n", more.page,
				      more.section);
	}
	arena_free(&arena);
	return status;
}

const struct cmd_command cmd_help = {
	.name = "help", .arguments = "[WORD...]",
	.help = "explain terms; without a term, list them",
	.run_alone = help_run,
};
