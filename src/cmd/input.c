/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "locate/debuginfod.h"
#include "base/error.h"
#include "sframe/sframes.h"
#include "cmd/cmd.h"
#include "cmd/servers.h"
#include "dump/dump.h"

/* Milliseconds after which reading a symbol file is worth a line. */
#define SHOWN_AFTER 200

static void
write_stream(void *context, const char *bytes, size_t length)
{
	fwrite(bytes, 1, length, context);
}

struct output
cmd_output(void)
{
	return (struct output){ write_stream, stdout };
}

struct output
cmd_errors(void)
{
	return (struct output){ write_stream, stderr };
}

void
cmd_print_error(const struct error *error, const char *path)
{
	const struct output output = { write_stream, stderr };
	char place[512];

	/* An error of the file as a whole has no offset worth saying. */
	bool whole = error->place.offset == 0 && error->place.line == 0;

	place_format(&error->place, place, sizeof(place));
	output_format(&output, "unspool: ");
	output_text(&output, text_of(place[0] != '\0' && !whole ? place : path));
	output_format(&output, ": ");
	output_text(&output, text_of(error->text));
	output_format(&output, "\n");
	if (error->hint[0] != '\0') {
		output_format(&output, "  ");
		output_text(&output, text_of(error->hint));
		output_format(&output, "\n");
	}
}

/* The list of UNSPOOL_SYMBOLS, with colons between the paths. */
static bool
split_environment(struct cmd_input *input)
{
	const char *value = getenv("UNSPOOL_SYMBOLS");
	size_t count = 1;

	if (value == NULL || *value == '\0')
		return true;
	input->environment = strdup(value);
	for (const char *c = value; *c != '\0'; c++)
		count += *c == ':';
	input->symbol_paths = calloc(count, sizeof(*input->symbol_paths));
	if (input->environment == NULL || input->symbol_paths == NULL)
		return false;
	char *rest = NULL;
	for (char *path = strtok_r(input->environment, ":", &rest); path != NULL;
	     path = strtok_r(NULL, ":", &rest))
		input->symbol_paths[input->symbol_path_count++] = path;
	return true;
}

static bool
find_symbol_paths(struct cmd_input *input, const struct cmd_options *options)
{
	const struct cmd_list *more = &options->symbol_paths;

	if (options->path_count < 2 && more->count == 0)
		return split_environment(input);
	input->symbol_paths =
		calloc(options->path_count + more->count, sizeof(*input->symbol_paths));
	if (input->symbol_paths == NULL)
		return false;
	for (size_t i = 1; i < options->path_count; i++)
		input->symbol_paths[input->symbol_path_count++] = options->paths[i];
	for (size_t i = 0; i < more->count; i++)
		input->symbol_paths[input->symbol_path_count++] = more->items[i];
	return true;
}

static void
show_fetching(const char *name, const struct symbols_reading *reading)
{
	char host[64];

	text_printable(host, sizeof(host), text_of(reading->host));
	fprintf(stderr, "fetching %s from %s", name, host);
	if (reading->bytes > 0)
		fprintf(stderr, ", %" PRIu64 " MB", reading->bytes >> 20);
	if (reading->total > 0)
		fprintf(stderr, " of %" PRIu64 " MB", reading->total >> 20);
}

/* A line that is written over, and taken back at the end; short readings are not shown. */
static bool
show_progress(void *context, size_t module, const char *path, uint64_t bytes, uint64_t total)
{
	const struct cmd_input *input = context;
	struct symbols_reading reading;
	char name[64];

	(void)module;
	if (symbols_reading(input->symbols, &reading, 1) == 0 ||
	    reading.milliseconds < SHOWN_AFTER)
		return true;
	text_printable(name, sizeof(name), text_of(place_base_name(path)));
	fprintf(stderr, "\r\033[K");
	if (reading.host != NULL)
		show_fetching(name, &reading);
	else if (bytes < total)
		fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " MB, %" PRIu64 " MB/s", name,
			bytes >> 20, total >> 20,
			(bytes >> 20) * 1000 / reading.milliseconds);
	return true;
}

void
cmd_show_progress(struct cmd_input *input)
{
	if (isatty(STDERR_FILENO))
		symbols_tell(input->symbols, show_progress, input);
}

static struct symbols *
open_symbols(const struct cmd_input *input, const struct cmd_options *options,
	     struct symbols_cache *cache)
{
	const struct symbols_source source = {
		.paths = input->symbol_paths, .path_count = input->symbol_path_count,
		.cache = cache,
		.index_directory = input->index_directory,
		.fetcher = input->fetcher,
		.binaries = input->binaries,
		.by_code_file = options->policy.value[POLICY_SYMBOLS_BY_CODE_FILE] != 0,
		.any_layout = options->policy.value[POLICY_SYMBOLS_ANY_LAYOUT] != 0,
	};

	return symbols_open(input->crash.modules, input->crash.module_count, &source);
}

/* The symbols and files of the crash's modules. */
static enum cmd_status
open_around(struct cmd_input *input, const struct cmd_options *options,
	    struct symbols_cache *cache)
{
	if (options->redact)
		crash_redact(&input->crash);
	if (!options->no_cache)
		input->index_directory = cmd_index_directory();
	if (!cmd_servers_open(input, options, cache))
		return CMD_USAGE;
	if (cmd_binaries_open(input, options, cache) && find_symbol_paths(input, options))
		input->symbols = open_symbols(input, options, cache);
	if (input->symbols == NULL) {
		fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
		return CMD_UNREADABLE;
	}
	return CMD_DONE;
}

enum cmd_status
cmd_input_open(struct cmd_input *input, const struct cmd_options *options)
{
	return cmd_input_open_shared(input, options, NULL);
}

enum cmd_status
cmd_input_open_shared(struct cmd_input *input, const struct cmd_options *options,
		      struct symbols_cache *cache)
{
	struct error error = { 0 };
	size_t index = options->dump_index > 0 ? (size_t)options->dump_index : 0;

	*input = (struct cmd_input){ 0 };
	if (options->path_count == 0) {
		fprintf(stderr, "unspool: no dump is named\nTry 'unspool --help'.\n");
		return CMD_USAGE;
	}
	if (options->dump_index == 0) {
		fprintf(stderr, "unspool: --dump-index counts from 1\n");
		return CMD_USAGE;
	}
	if (dump_open_nth(&input->crash, options->paths[0], index, &error) != ERROR_NONE) {
		cmd_print_error(&error, options->paths[0]);
		return CMD_UNREADABLE;
	}
	return open_around(input, options, cache);
}

enum cmd_status
cmd_input_open_binary(struct cmd_input *input, const struct cmd_options *options,
		      struct binary *binary)
{
	*input = (struct cmd_input){ 0 };
	if (!binary_as_crash(binary, options->paths[0], &input->crash)) {
		binary_close(binary);
		fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
		return CMD_UNREADABLE;
	}
	const enum cmd_status status = open_around(input, options, NULL);
	if (status == CMD_DONE)
		binaries_give(input->binaries, 0, binary);
	else
		binary_close(binary);
	return status;
}

void
cmd_input_close(struct cmd_input *input)
{
	symbols_free(input->symbols);
	cmd_servers_close(input);
	binaries_free(input->binaries);
	debuginfod_close(input->debuginfod);
	crash_free(&input->crash);
	free(input->symbol_paths);
	free(input->environment);
	free(input->index_directory);
}

/* Messages of one kind that are printed of one file: more of the same help nobody. */
#define MESSAGES_OF_A_KIND 8u

static void
print_message(const struct output *output, const struct message *message)
{
	char place[512];

	place_format(&message->place, place, sizeof(place));
	output_format(output, "unspool: ");
	output_text(output, text_of(place));
	output_format(output, "%s%s: ", place[0] != '\0' ? ": " : "",
		      message_severity_name(message_kind_severity(message->kind)));
	output_text(output, text_of(message->text));
	if (message->hint != NULL) {
		output_format(output, "; ");
		output_text(output, text_of(message->hint));
	}
	output_format(output, "\n");
}

void
cmd_print_message_list(const struct message_list *list)
{
	const struct output output = { write_stream, stderr };
	uint64_t printed[MESSAGE_KIND_COUNT] = { 0 };

	for (size_t i = 0; list != NULL && i < list->count; i++) {
		const struct message *message = &list->messages[i];

		if (message_kind_severity(message->kind) != MESSAGE_NOTE &&
		    printed[message->kind]++ < MESSAGES_OF_A_KIND)
			print_message(&output, message);
	}
	for (size_t kind = 0; list != NULL && kind < MESSAGE_KIND_COUNT; kind++)
		if (printed[kind] > MESSAGES_OF_A_KIND)
			output_format(&output, "unspool: %" PRIu64 " more of the kind '%s'; the "
					       "explorer lists them\n",
				      list->seen[kind] - MESSAGES_OF_A_KIND,
				      message_kind_name((enum message_kind)kind));
}

/* What was found wrong while opening the SFrame section of a module; NULL: none was opened. */
static const struct message_list *
sframe_messages(const struct cmd_input *input, size_t module)
{
	const struct sframe *sframe = sframes_peek(binaries_sframes(input->binaries), module);

	return sframe != NULL ? &sframe->messages : NULL;
}

void
cmd_print_messages(const struct cmd_input *input)
{
	if (file_truncated(&input->crash.file))
		fprintf(stderr, "unspool: warning: the dump became shorter while it was read; what "
			"it lost is shown as zeros\n");
	cmd_print_message_list(&input->crash.messages);
	cmd_print_message_list(symbols_messages(input->symbols));
	cmd_print_message_list(binaries_messages(input->binaries));
	cmd_print_message_list(sframes_messages(binaries_sframes(input->binaries)));
	for (size_t i = 0; i < input->crash.module_count; i++)
		cmd_print_message_list(sframe_messages(input, i));
	for (size_t i = 0; i < input->crash.module_count; i++) {
		enum symbols_state state;
		const struct symfile *symfile = symbols_peek(input->symbols, i, &state);

		if (symfile != NULL)
			cmd_print_message_list(symfile_messages(symfile));
	}
}

static bool
has_warnings(const struct message_list *list)
{
	for (size_t kind = 0; list != NULL && kind < MESSAGE_KIND_COUNT; kind++)
		if (list->seen[kind] > 0 &&
		    message_kind_severity((enum message_kind)kind) != MESSAGE_NOTE)
			return true;
	return false;
}

enum cmd_status
cmd_finish(const struct cmd_input *input, const struct cmd_options *options)
{
	bool any = file_truncated(&input->crash.file) || has_warnings(&input->crash.messages) ||
		   has_warnings(symbols_messages(input->symbols)) ||
		   has_warnings(binaries_messages(input->binaries)) ||
		   has_warnings(sframes_messages(binaries_sframes(input->binaries)));

	for (size_t i = 0; i < input->crash.module_count; i++) {
		enum symbols_state state;
		const struct symfile *symfile = symbols_peek(input->symbols, i, &state);

		any = any || has_warnings(sframe_messages(input, i)) ||
		      (symfile != NULL && has_warnings(symfile_messages(symfile)));
	}
	return any && options->strict ? CMD_FINDINGS : CMD_DONE;
}

enum cmd_status
cmd_answered(const struct cmd_input *input, const struct cmd_options *options,
	     enum cmd_status status)
{
	fflush(stdout);
	cmd_print_messages(input);
	return status == CMD_DONE ? cmd_finish(input, options) : status;
}
