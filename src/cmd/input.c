/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/servers.h"
#include "dump/dump.h"
#include "locate/debuginfod.h"
#include "inspect/surroundings.h"
#include "report/stack/walk_text.h"
#include "report/step/explain.h"

/* Milliseconds after which reading a symbol file is worth a line. */
#define SHOWN_AFTER 200

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
open_files(struct cmd_input *input, const struct cmd_options *options,
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
	return input->symbols != NULL ? CMD_DONE : cmd_out_of_memory();
}

enum cmd_status
cmd_input_open(struct cmd_input *input, const struct cmd_options *options,
	       struct symbols_cache *cache)
{
	struct error error = { 0 };
	size_t index = options->dump_index > 0 ? (size_t)options->dump_index : 0;

	*input = (struct cmd_input){ 0 };
	if (options->dump_index == 0) {
		cmd_say("--dump-index counts from 1");
		return CMD_USAGE;
	}
	if (dump_open_nth(&input->crash, options->paths[0], index, &error) != ERROR_NONE) {
		cmd_print_error(&error, options->paths[0]);
		return CMD_UNREADABLE;
	}
	return open_files(input, options, cache);
}

enum cmd_status
cmd_input_open_other(struct cmd_input *input, const struct cmd_options *options,
		     struct symbols_cache *cache)
{
	struct cmd_options other = *options;
	const char **paths = calloc(options->path_count, sizeof(*paths));

	if (paths == NULL)
		return cmd_out_of_memory();
	memcpy(paths, options->paths, options->path_count * sizeof(*paths));
	paths[0] = options->against;
	other.paths = paths;
	const enum cmd_status status = cmd_input_open(input, &other, cache);
	free(paths);
	return status;
}

enum cmd_status
cmd_input_open_binary(struct cmd_input *input, const struct cmd_options *options,
		      struct binary *binary)
{
	*input = (struct cmd_input){ 0 };
	if (!binary_as_crash(binary, options->paths[0], &input->crash)) {
		binary_close(binary);
		return cmd_out_of_memory();
	}
	const enum cmd_status status = open_files(input, options, NULL);
	if (status == CMD_DONE)
		binaries_give(input->binaries, 0, binary);
	else
		binary_close(binary);
	return status;
}

/* Look around in the whole crash, with the walk that there is. */
static bool
look_around(struct cmd_input *input, const struct cmd_options *options, size_t thread)
{
	input->walks = calloc(input->crash.thread_count + 1, sizeof(struct walk *));
	input->around = input->walks != NULL ? malloc(sizeof(*input->around)) : NULL;
	if (input->around == NULL)
		return false;
	input->walks[thread] = input->walk;
	if (!surroundings_init(input->around, &input->crash, input->symbols, input->binaries,
			       &options->policy, input->walks))
		return false;
	input->around->loads = true;
	return true;
}

static bool
has_threads(const struct crash *crash)
{
	for (size_t i = 0; i < crash->thread_count; i++)
		if (!crash->threads[i].wrote_dump)
			return true;
	return false;
}

/* Make what the command needs besides its input. */
static enum cmd_status
prepare(struct cmd_input *input, const struct cmd_options *options)
{
	const enum cmd_needs needs = options->command->needs;
	const struct crash *crash = &input->crash;
	size_t thread = 0;

	cmd_show_progress(input);
	if (needs <= CMD_NEEDS_INPUT)
		return CMD_DONE;
	if (needs == CMD_NEEDS_WALK || options->thread >= 0 || has_threads(crash)) {
		if (!cmd_find_thread(input, options, &thread))
			return CMD_USAGE;
		input->walk = walk_create(crash, input->symbols, input->binaries, thread,
					  &options->policy);
		if (input->walk == NULL)
			return cmd_out_of_memory();
	}
	if (needs == CMD_NEEDS_SURROUNDINGS && !look_around(input, options, thread))
		return cmd_out_of_memory();
	return CMD_DONE;
}

void
cmd_input_close(struct cmd_input *input)
{
	walk_free(input->walk);
	if (input->around != NULL)
		surroundings_free(input->around);
	free(input->around);
	free(input->walks);
	symbols_free(input->symbols);
	cmd_servers_close(input);
	binaries_free(input->binaries);
	debuginfod_close(input->debuginfod);
	crash_free(&input->crash);
	free(input->symbol_paths);
	free(input->environment);
	free(input->index_directory);
}

enum cmd_status
cmd_run(const struct cmd_options *options)
{
	const struct cmd_command *command = options->command;
	struct cmd_input input;

	if (command->needs == CMD_NEEDS_NOTHING)
		return command->run(options, NULL);
	enum cmd_status status = cmd_input_open(&input, options, NULL);
	if (status == CMD_DONE)
		status = prepare(&input, options);
	if (status == CMD_DONE)
		status = cmd_answered(&input, options, command->run(options, &input));
	cmd_input_close(&input);
	return status;
}

enum cmd_status
cmd_answered(const struct cmd_input *input, const struct cmd_options *options,
	     enum cmd_status status)
{
	fflush(stdout);
	cmd_print_messages(input);
	return status == CMD_DONE ? cmd_finish(input, options) : status;
}

bool
cmd_find_thread(const struct cmd_input *input, const struct cmd_options *options, size_t *index)
{
	const size_t wanted = options->thread < 0 ? 0 : (size_t)options->thread;
	struct walk_text_thread *threads;
	struct arena arena;
	bool found = false;

	arena_init(&arena, 0);
	const size_t count = walk_text_threads(&input->crash, &arena, &threads);
	for (size_t i = 0; i < count && !found; i++) {
		found = options->thread < 0 || threads[i].number == wanted;
		*index = threads[i].index;
	}
	arena_free(&arena);
	if (!found)
		cmd_say("no thread %zu; the dump has %zu", wanted, count);
	return found;
}

bool
cmd_find_frame(struct walk *walk, const struct cmd_options *options, size_t *frame)
{
	*frame = options->frame < 0 ? 0 : (size_t)options->frame;
	walk_run(walk, *frame + 1);
	if (*frame < walk->count)
		return true;
	cmd_say("no frame %zu; the thread has %zu (%s)", *frame, walk->count,
		walk->complete ? walk->end.text : "more follow");
	return false;
}

bool
cmd_find_register(const struct walk *walk, const char *name, int *reg)
{
	*reg = explain_register(walk->arch, name);
	if (*reg == ARCH_NO_REGISTER)
		cmd_say("%s has no register '%s'", walk->arch->name, name);
	return *reg != ARCH_NO_REGISTER;
}
