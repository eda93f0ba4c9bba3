/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/user_names.h"
#include "analysis/signature_rules.h"
#include "cmd/cmd.h"
#include "document/json.h"
#include "sframe/sframes.h"
#include "system/file.h"
#include "system/new_file.h"
#include "system/shortage.h"

/* Output of commands: listings, errors, and messages of the input. */

/* Longest piece that is copied byte by byte. */
#define SHORT_PIECE 16u

/* Messages go to a pager; output has been written; it ends with a whole line. */
static bool paged, has_printed, at_line = true;

void
cmd_is_paged(bool messages)
{
	paged = messages;
}

static void
write_output(void *context, const char *bytes, size_t length)
{
	/* No locks: only the main thread prints, and a large document has millions of parts. */
	(void)context;
	has_printed = true;
	at_line = length > 0 ? bytes[length - 1] == '\n' : at_line;
	/* Most pieces are short: a macro puts their bytes into the buffer without a call. */
	if (length > SHORT_PIECE)
		fwrite_unlocked(bytes, 1, length, stdout);
	else
		for (size_t i = 0; i < length; i++)
			putc_unlocked(bytes[i], stdout);
}

/* Receives the messages of this thread; NULL: they are printed. */
static _Thread_local const struct output *kept_messages;

static void
write_errors(void *context, const char *bytes, size_t length)
{
	(void)context;
	if (kept_messages != NULL) {
		kept_messages->write(kept_messages->context, bytes, length);
		return;
	}
	/* In a file that has both streams, a message comes after earlier lines. */
	if (at_line)
		fflush(stdout);
	fwrite(bytes, 1, length, paged ? stdout : stderr);
}

void
cmd_keep_messages(const struct output *output)
{
	kept_messages = output;
}

/* User names to replace in standard output and in messages. */
static struct user_names names;

/* Messages are lines of JSON. */
static bool as_json;

static unsigned colors;

const struct output cmd_output = { write_output, NULL, &names, &colors };
const struct output cmd_errors = { write_errors, NULL, &names, NULL };

bool
cmd_set_colors(const char *when)
{
	const char *forced = getenv("CLICOLOR_FORCE"), *refused = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	const bool terminal = isatty(STDOUT_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
	const bool wanted = forced != NULL && forced[0] != '\0' && strcmp(forced, "0") != 0;

	if (strcmp(when, "always") == 0 ||
	    (strcmp(when, "auto") == 0 && (refused == NULL || refused[0] == '\0') &&
	     (wanted || terminal)))
		colors = term != NULL && strstr(term, "256") != NULL ? 256 : 8;
	else
		colors = 0;
	return strcmp(when, "auto") == 0 || strcmp(when, "always") == 0 ||
	       strcmp(when, "never") == 0;
}

bool
cmd_shows_progress(void)
{
	return !as_json && !(paged && has_printed) && isatty(STDERR_FILENO);
}

void
cmd_clear_progress(void)
{
	if (cmd_shows_progress())
		fprintf(stderr, "\r\033[K");
}

bool
cmd_show_percent(void *context, uint64_t done, uint64_t total)
{
	struct cmd_percent *percent = context;
	const uint64_t now = done * 100 / total;

	if (now != percent->shown && total >= percent->least && cmd_shows_progress())
		fprintf(stderr, "\r%" PRIu64 "%%\033[K", now);
	percent->shown = now;
	return true;
}

void
cmd_show_files(size_t done, size_t total)
{
	if (cmd_shows_progress())
		fprintf(stderr, "\r%zu of %zu files\033[K", done, total);
}

void
cmd_clear_percent(const struct cmd_percent *percent)
{
	if (percent->shown > 0)
		cmd_clear_progress();
}

void
cmd_learn_names(const struct cmd_options *options)
{
	names.active = options->redact;
	for (size_t i = 0; i < options->arguments.count; i++)
		user_names_learn(&names, text_of(options->arguments.items[i]));
	crash_learn_user(&names);
}

void
cmd_learn_records(const struct file *file)
{
	struct text rest = { (const char *)file->data, (size_t)file->size }, line;

	while (names.active && text_take_line(&rest, &line))
		if (text_drop_prefix(&line, "FILE "))
			user_names_learn(&names, line);
}

/* Messages on standard error ------------------------------------------------------------------- */

struct error_line {
	unsigned severity;		/* MESSAGE_SEVERITIES: no severity */
	unsigned kind;			/* MESSAGE_KIND_COUNT: not a defect of an input */
	struct place place;		/* place in `path`; { 0 }: none */
	const char *path;		/* NULL: no file */
	const char *text, *hint;	/* hint: or NULL */
};

#define FACTS "cmd/facts/error_facts.def"
#include "document/describe_facts.h"

void
cmd_errors_as_json(void)
{
	as_json = true;
}

static void
write_text_line(const struct error_line *line)
{
	const bool listed = line->kind < MESSAGE_KIND_COUNT;
	const struct output *output = &cmd_errors;
	const struct text_of_place place = place_format(&line->place);
	const char *subject = place.text[0] != '\0' ? place.text : line->path;

	output_plain(output, "unspool: ");
	output_text(output, text_of(text_or_empty(subject)));
	output_plain(output, subject != NULL ? ": " : "");
	output_plain(output, listed ? message_severity_names[line->severity] : "");
	output_plain(output, listed ? ": " : "");
	output_text(output, text_of(line->text));
	if (line->hint != NULL)
		output_plain(output, listed ? "; " : "\n  ");
	output_text(output, text_of(text_or_empty(line->hint)));
	output_plain(output, "\n");
}

/* The last error that was printed; a thread of a crew keeps its own. */
static _Thread_local char said[64];

bool
cmd_has_named(const char *shortage)
{
	const char *colon = strrchr(shortage, ':');

	return strstr(said, colon != NULL ? colon + 2 : shortage) != NULL;
}

static void
write_error_line(const struct error_line *line)
{
	struct json json;

	snprintf(said, sizeof(said), "%s", line->text);
	if (!as_json) {
		write_text_line(line);
		return;
	}
	json_begin(&json, &cmd_errors, false);
	FACTS_WRITE(&json, NULL, cmd_error, line);
	json_finish(&json);
}

/* Room for a line with two paths. */
#define LINE_BYTES (2 * 4096 + 1024)

void
cmd_say(const char *format, ...)
{
	static const char warning[] = "warning: ";
	struct error_line line = { .severity = MESSAGE_SEVERITIES, .kind = MESSAGE_KIND_COUNT };
	char text[LINE_BYTES];

	TEXT_FORMAT(text, format);
	line.text = text;
	if (as_json && strncmp(text, warning, strlen(warning)) == 0) {
		line.severity = MESSAGE_WARNING;
		line.text += strlen(warning);
	}
	write_error_line(&line);
}

void
cmd_advise(const char *format, ...)
{
	char text[LINE_BYTES];

	TEXT_FORMAT(text, format);
	if (as_json)
		write_error_line(&(struct error_line){ .severity = MESSAGE_NOTE,
						       .kind = MESSAGE_KIND_COUNT, .text = text });
	else
		output_line(&cmd_errors, "%s", text);
}

enum cmd_status
cmd_out_of_memory(void)
{
	cmd_say(OUT_OF_MEMORY);
	return CMD_UNREADABLE;
}

void
cmd_print_listing(struct listing listing)
{
	listing_write(&cmd_output, &listing, 0, listing.count);
}

enum cmd_status
cmd_print_error(const struct error *error, const char *path)
{
	/* An error of the whole file has no offset. */
	const bool whole = error->place.offset == 0 && error->place.line == 0;
	struct stat file;
	uint64_t number;
	const bool address = path != NULL && text_number(text_of(path), 0, &number) &&
			     !file_stat(path, &file);

	write_error_line(&(struct error_line){
		.severity = MESSAGE_ERROR, .kind = MESSAGE_KIND_COUNT,
		.place = whole ? (struct place){ 0 } : error->place, .path = path,
		.text = error->text,
		.hint = error->hint[0] != '\0' ? error->hint
			: address ? "the file is the first argument, addresses are the last ones"
				  : NULL,
	});
	return CMD_UNREADABLE;
}

/* Limit on messages of one kind that are printed for one file. */
#define MESSAGES_OF_A_KIND 8u

void
cmd_print_message_list(const struct message_list *list)
{
	uint64_t printed[MESSAGE_KIND_COUNT] = { 0 };
	char text[160];

	for (size_t i = 0; list != NULL && i < list->count; i++) {
		const struct message *message = &list->messages[i];
		const enum message_severity severity = message_table[message->kind].severity;

		if (severity == MESSAGE_NOTE || printed[message->kind]++ >= MESSAGES_OF_A_KIND)
			continue;
		write_error_line(&(struct error_line){
			.severity = severity, .kind = message->kind, .place = message->place,
			.text = message->text, .hint = message->hint });
	}
	for (size_t kind = 0; list != NULL && kind < MESSAGE_KIND_COUNT; kind++) {
		if (printed[kind] <= MESSAGES_OF_A_KIND)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " more of kind '%s'; the explorer's "
			 "messages list them", list->seen[kind] - MESSAGES_OF_A_KIND,
			 message_table[kind].name);
		write_error_line(&(struct error_line){ .severity = MESSAGE_SEVERITIES,
						       .kind = MESSAGE_KIND_COUNT, .text = text });
	}
}

/* Print the messages of a list (NULL: empty) if `print`. True if one of them is a warning. */
static bool
see_list(const struct message_list *list, bool print)
{
	bool any = false;

	if (print)
		cmd_print_message_list(list);
	for (size_t kind = 0; list != NULL && kind < MESSAGE_KIND_COUNT; kind++)
		any |= list->seen[kind] > 0 &&
		       message_table[kind].severity != MESSAGE_NOTE;
	return any;
}

static bool
see_messages(const struct cmd_input *input, bool print)
{
	bool any = file_truncated(&input->crash.file);

	if (any && print)
		cmd_say("warning: the dump was truncated while it was read; the missing part is "
			"shown as zeros");
	any |= see_list(&input->crash.messages, print);
	any |= see_list(symbols_messages(input->symbols), print);
	any |= see_list(binaries_messages(input->binaries), print);
	any |= see_list(sframes_messages(input->binaries), print);
	any |= see_list(input->rules != NULL ? &input->rules->messages : NULL, print);
	for (size_t i = 0; i < input->crash.module_count; i++) {
		const struct sframe *sframe = sframes_peek(input->binaries, i);

		any |= see_list(sframe != NULL ? &sframe->messages : NULL, print);
	}
	for (size_t i = 0; i < input->crash.module_count; i++) {
		enum symbols_state state;
		const struct symfile *symfile = symbols_peek(input->symbols, i, &state);

		if (symfile != NULL)
			cmd_learn_records(symfile_file(symfile));
		any |= see_list(symfile != NULL ? symfile_messages(symfile) : NULL, print);
		any |= see_list(symfile != NULL ? symfile_strict_messages(symfile) : NULL, print);
	}
	return any;
}

/* An input argument was unusable. */
static bool refused;

bool
cmd_has_refused(void)
{
	return refused;
}

void
cmd_note_refused(const struct cmd_input *input)
{
	static bool told;

	refused |= input->refused;
	if (input->unused_cache == NULL || told)
		return;
	cmd_say("warning: --symbols-cache '%s' is not used: no symbol server is given "
		"(--symbols-url)", input->unused_cache);
	told = true;
}

void
cmd_print_messages(const struct cmd_input *input)
{
	see_messages(input, true);
	cmd_note_refused(input);
}

enum cmd_status
cmd_finish(const struct cmd_input *input, const struct cmd_options *options)
{
	return see_messages(input, false) && options->strict ? CMD_FINDINGS : CMD_DONE;
}

enum cmd_status
cmd_lacks(const char *path)
{
	const char *shortage = shortage_first();

	if (shortage == NULL)
		return CMD_DONE;
	cmd_say("'%s' is not written, it would be incomplete: %s", path, shortage);
	return CMD_INCOMPLETE;
}

enum cmd_status
cmd_write_file(const char *path, bool replace, cmd_write_content *write, void *context)
{
	struct error error = { 0 };
	struct new_file file;

	if (new_file_open(&file, path, replace, &error) != ERROR_NONE) {
		if (file.exists && file_is_plain(path))
			error_hint(&error, "use --force to replace it");
		return cmd_print_error(&error, path);
	}
	const struct output output = new_file_output(&file);
	const bool good = write(context, &output);
	const enum cmd_status lacks = cmd_lacks(path);
	if (new_file_close(&file, good && lacks == CMD_DONE, &error) != ERROR_NONE)
		return cmd_print_error(&error, path);
	return lacks == CMD_DONE && !good ? cmd_out_of_memory() : lacks;
}
