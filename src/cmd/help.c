/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "cmd/cmd.h"
#include "lesson/lesson.h"
#include "lint/lint.h"
#include "report/glossary.h"
#include "system/file.h"
#include "system/inflate.h"
#include "unwind_check/check.h"

enum { COLUMNS = 76 };

/* The installed documents, doc/NAME.md, in the order of the list. */
static const struct help_document {
	const char *name, *about;
} documents[] = {
	{ "quick-start", "from a core or a dump to a stack that you can trust" },
	{ "keys", "the keys of the explorer on one page" },
	{ "tour", "the explorer, with one crash" },
	{ "gdb-users", "unspool for users of gdb, lldb and WinDbg" },
	{ "why-is-my-stack-wrong", "symptoms, the command for each, its meaning" },
	{ "reading-an-unwind", "rules, registers and frames, step by step" },
	{ "walkers-compared", "where walkers differ, and why" },
	{ "checking-symbols", "check, repair and make symbol files" },
	{ "symbol-file-format", "each record, with the findings of lint about it" },
	{ "sframe-fields", "an SFrame section, byte by byte" },
	{ "defects", "defects of symbol files, and the tool that finds each" },
	{ "json", "output for programs, and its schemas" },
	{ "course", "eight sessions with the lessons, for lecturers" },
	{ "lessons", "how to write a lesson" },
};

/* The document called `name` or `name`.md; NULL: none. */
static const struct help_document *
find_document(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(documents); i++) {
		const size_t length = strlen(documents[i].name);

		if (strncmp(name, documents[i].name, length) == 0 &&
		    (name[length] == '\0' || strcmp(name + length, ".md") == 0))
			return &documents[i];
	}
	return NULL;
}

static uint64_t
most_of_document(const uint8_t *head, uint64_t size, uint64_t stored)
{
	(void)head;
	(void)size;
	(void)stored;
	return LIMIT_LESSON_BYTES;
}

/* Open the file of a document. Distributions may compress it. */
static bool
open_document(struct file *file, const struct help_document *document)
{
	/* Relative to the data directory: installed, or in the source tree. */
	static const char *const places[][2] = {
		{ "/../doc/unspool/", ".md" },
		{ "/../doc/unspool/", ".md.gz" },
		{ "/../doc/", ".md" },
	};
	struct arena arena = { 0 };
	struct inflated inflated;
	struct error error = { 0 };
	bool opened = false;

	const char *data = lesson_data_directory(&arena);
	for (size_t i = 0; data != NULL && i < ARRAY_COUNT(places) && !opened; i++) {
		const char *path = arena_format(&arena, "%s%s%s%s", data, places[i][0],
						document->name, places[i][1]);

		opened = path != NULL && file_is_plain(path) &&
			 file_open(file, path, &error) == ERROR_NONE;
	}
	if (opened)
		file_inflate(file, most_of_document, &inflated);
	arena_free(&arena);
	return opened;
}

/* Print the lines of a document, except comments. */
static void
write_document(const struct file *file)
{
	struct text rest = { (const char *)file->data, (size_t)file->size }, line;

	while (text_take_line(&rest, &line)) {
		if (line.length >= 4 && memcmp(line.start, "<!--", 4) == 0)
			continue;
		output_text(&cmd_output, line);
		output_plain(&cmd_output, "\n");
	}
}

static enum cmd_status
print_document(const struct help_document *document)
{
	struct file file;

	if (!open_document(&file, document)) {
		cmd_say("the document '%s' is not installed; UNSPOOL_DATA names the directory of "
			"the program's data, and doc is next to it", document->name);
		return CMD_UNREADABLE;
	}
	write_document(&file);
	file_close(&file);
	return CMD_DONE;
}

enum cmd_status
cmd_print_help(const struct cmd_command *command)
{
	const struct cmd_option *option;
	char left[48];

	printf("Usage: unspool %s [OPTION...] %s\n%s.\nOptions:\n", command->name,
	       command->arguments, command->help);
	for (size_t at = 0; (option = cmd_next_option(command, &at)) != NULL;) {
		if (option->help[0] == '\0')
			continue;
		snprintf(left, sizeof(left), "%c%c%s %s%s%s", option->letter != 0 ? '-' : ' ',
			 option->letter != 0 ? option->letter : ' ',
			 option->letter != 0 ? "," : " ", option->name,
			 option->argument != NULL ? " " : "",
			 option->argument != NULL ? option->argument : "");
		printf("  %-26s %s\n", left, option->help);
	}
	return CMD_DONE;
}

static void
list_help(void)
{
	const struct glossary_entry *term;

	for (size_t i = 0; (term = glossary_at(i)) != NULL; i++) {
		output_format(&cmd_output, "%s", term->term);
		for (const char *c = term->also; *c != '\0'; c++)
			output_format(&cmd_output,
				      c == term->also ? ", %c" : *c == '|' ? ", " : "%c", *c);
		output_format(&cmd_output, "\n");
	}
	output_format(&cmd_output, "\nCommands ('unspool help NAME' prints the options of one):\n");
	for (size_t i = 0; i < cmd_command_count; i++)
		output_format(&cmd_output, "  %-16s %s%s\n", cmd_commands[i]->name,
			      i == 0 ? "(default) " : "", cmd_commands[i]->help);
	output_format(&cmd_output, "\nDocuments ('unspool help NAME' shows one):\n");
	for (size_t i = 0; i < ARRAY_COUNT(documents); i++)
		output_format(&cmd_output, "  %-22s %s\n", documents[i].name, documents[i].about);
}

/* Report that `word` is unknown, and suggest the name that is most like it. */
static void
say_unknown(const char *word)
{
	const struct text term = glossary_near(text_of(word));
	struct text_near near = text_near(text_of(word));
	struct text found = { 0 };

	if (term.length > 0 && text_near_offer(&near, term))
		found = term;
	for (size_t i = 0; i < ARRAY_COUNT(documents); i++)
		if (text_near_offer(&near, text_of(documents[i].name)))
			found = text_of(documents[i].name);
	for (size_t i = 0; i < cmd_command_count; i++)
		if (text_near_offer(&near, text_of(cmd_commands[i]->name)))
			found = text_of(cmd_commands[i]->name);
	if (found.length > 0)
		cmd_say("no term, document or command is called '%s'; did you mean '%.*s'?", word,
			(int)found.length, found.start);
	else
		cmd_say("no term, document or command is called '%s'; 'unspool help' lists them",
			word);
}

static void
print_term(const struct glossary_entry *entry)
{
	const struct text text = text_of(entry->text);
	const size_t lines = row_wrap_count(text, COLUMNS);
	struct reference more;

	output_format(&cmd_output, "%s\n", entry->term);
	for (size_t at = 0; at < lines; at++) {
		const struct text line = row_wrap_line(text, COLUMNS, at);

		output_format(&cmd_output, "    %.*s\n", (int)line.length, line.start);
	}
	if (reference_of(REFERENCE_WORD, text_of(entry->term), &more))
		output_format(&cmd_output, "    In full: '%s' in 'unspool help %s'\n",
			      more.section, more.page);
}

/* Whether `word` is the code of a finding of lint or unwind-check. */
static bool
is_code(const char *word)
{
	enum lint_code code;
	bool found = lint_code_named(text_of(word), &code);

	for (size_t i = 0; i < UNWIND_CODES && !found; i++)
		found = strcmp(word, unwind_code_table[i].name) == 0;
	return found;
}

static enum cmd_status
help_run(const struct cmd_options *options)
{
	enum cmd_status status = CMD_DONE;
	struct arena arena = { 0 };

	if (options->path_count == 0)
		list_help();
	for (size_t i = 0; i < options->path_count; i++) {
		const char *word = options->paths[i];
		const struct help_document *document = find_document(word);

		if (document != NULL) {
			const enum cmd_status shown = print_document(document);

			status = shown != CMD_DONE ? shown : status;
			continue;
		}
		const struct cmd_command *command = cmd_command_named(word);
		const struct glossary_entry *entry = glossary_explain(text_of(word), &arena);
		const bool code = is_code(word);

		if (code)
			cmd_print("%s is a finding: unspool lint --explain %s", word, word);
		if (entry == NULL && command == NULL && !code)
			entry = glossary_find(text_of(word), true);
		if (entry == NULL && command == NULL && !code) {
			say_unknown(word);
			status = CMD_USAGE;
		}
		if (entry != NULL)
			print_term(entry);
		if (command != NULL)
			cmd_print_help(command);
	}
	arena_free(&arena);
	return status;
}

const struct cmd_command cmd_help = {
	.name = "help", .arguments = "[WORD|DOCUMENT|COMMAND...]",
	.help = "explain terms, show documents; without a name, list them",
	/* The help reads only the program's own documents. */
	.guard = CMD_GUARD_OWN, .run_alone = help_run,
};
