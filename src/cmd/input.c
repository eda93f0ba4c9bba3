/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/signature_rules.h"
#include "base/compiler.h"
#include "base/policy_rows.h"
#include "cmd/cmd.h"
#include "dump/dump.h"
#include "inspect/surroundings.h"
#include "locate/symbol_head.h"
#include "locate/symbol_path.h"
#include "report/stack/walk_text.h"
#include "system/directory.h"

/* Milliseconds of reading before progress is shown. */
#define SHOWN_AFTER 200
/* Time limits in seconds for a download, and from debuginfod if DEBUGINFOD_TIMEOUT is unset. */
#define DEFAULT_SECONDS 30
#define CLIENT_SECONDS 90
/* Limit on a download, in MB: symbols of the largest browsers have 1.5 GB. */
#define DEFAULT_MEGABYTES 4096

/* Files ---------------------------------------------------------------------------------------- */

struct cmd_list
cmd_gather(struct arena *arena, const struct cmd_list *given, const char *variable,
	   const char *separators, const struct cmd_list *more)
{
	const char *value = given->count == 0 ? getenv(variable) : NULL;
	const size_t length = value != NULL ? strlen(value) : 0;
	char *copy = arena_copy(arena, value != NULL ? value : "", length), *rest = NULL;
	struct cmd_list list = {
		.items = arena_array(arena, given->count + length + more->count + 1,
				     sizeof(*list.items)),
	};

	if (copy == NULL || list.items == NULL)
		return (struct cmd_list){ 0 };
	for (size_t i = 0; i < given->count; i++)
		list.items[list.count++] = given->items[i];
	for (char *item = strtok_r(copy, separators, &rest); item != NULL;
	     item = strtok_r(NULL, separators, &rest))
		list.items[list.count++] = item;
	for (size_t i = 0; i < more->count; i++)
		list.items[list.count++] = more->items[i];
	return list;
}

static bool
open_fetcher(struct cmd_input *input, const struct cmd_options *options,
	     struct symbols_cache *cache)
{
	/* Blanks separate URLs of the environment, which may contain any other character. */
	const struct cmd_list urls =
		cmd_gather(&input->arena, &options->symbol_urls, "UNSPOOL_SYMBOLS_URL", " \t\n",
		       &(struct cmd_list){ 0 });
	const long most = options->symbols_limit;
	struct error error = { 0 };

	input->answers = cache == NULL ? fetch_memory_create() : NULL;
	input->fetch = (struct fetch_options){
		.urls = urls.items, .url_count = urls.count,
		.memory = cache == NULL ? input->answers : symbols_cache_answers(cache),
		.follow = options->follow_pointers, .offline = options->offline,
		.directory = options->symbols_cache != NULL
				     ? options->symbols_cache
				     : directory_of_user(&input->arena, DIRECTORY_CACHE,
							"unspool/symbols"),
		.seconds = options->symbols_timeout > 0 ? (unsigned)options->symbols_timeout
							: DEFAULT_SECONDS,
		.most = (uint64_t)(most > 0 ? most : DEFAULT_MEGABYTES) << 20,
	};
	if (urls.count == 0)
		return true;
	if (input->fetch.directory == NULL) {
		cmd_say("no directory for downloads; set one with '--symbols-cache DIR'");
		return false;
	}
	input->fetcher = fetch_create(&input->fetch, &error);
	if (input->fetcher == NULL)
		cmd_print_error(&error, "symbol servers");
	return input->fetcher != NULL;
}

const char *
cmd_debuginfod_directory(struct arena *arena)
{
	/* The cache of elfutils' client: debuginfod-client-config(7). */
	const char *directory = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");

	if (directory == NULL && home != NULL) {
		directory = arena_format(arena, "%s/.debuginfod_client_cache", home);
		if (directory != NULL && access(directory, F_OK) != 0)
			directory = NULL;
	}
	return directory != NULL
		       ? directory : directory_of_user(arena, DIRECTORY_CACHE, "debuginfod_client");
}

static bool
uses_binaries(const struct cmd_options *options)
{
	return options->policy.value[POLICY_FILE_NAMES] != 0 ||
	       options->policy.value[POLICY_FRAME_TABLES] != 0;
}

/* Modules' files ------------------------------------------------------------------------------- */

bool
cmd_symbol_path(struct symbol_path *path, struct cmd_list *plain,
		const struct cmd_options *options, struct arena *arena)
{
	static const char *const variables[] = { "_NT_ALT_SYMBOL_PATH", "_NT_SYMBOL_PATH" };
	const struct cmd_list places = cmd_gather(arena, &options->binaries, "UNSPOOL_BINARIES",
						  ":", &options->more_binaries);
	const char **items = arena_array(arena, places.count + 1, sizeof(*items));
	bool good = places.items != NULL && items != NULL;

	*plain = (struct cmd_list){ items, 0 };
	for (size_t i = 0; good && i < places.count; i++)
		if (symbol_path_recognise(places.items[i]))
			good = symbol_path_parse(path, places.items[i], arena);
		else
			items[plain->count++] = places.items[i];
	const bool given = path->count > 0;
	for (size_t i = 0; good && !given && i < ARRAY_COUNT(variables); i++)
		good = symbol_path_parse(path, text_or_empty(getenv(variables[i])), arena);
	for (size_t i = 0; good && i < options->more_servers.count; i++)
		good = symbol_path_parse(path, options->more_servers.items[i], arena);
	return good;
}

/* Add server `first` and all later servers with the same cache directory. */
static void
add_servers(struct binaries *binaries, const struct symbol_path *path, size_t first,
	    const struct fetch_options *fetch, struct arena *arena)
{
	const char **urls = arena_array(arena, path->count, sizeof(*urls));
	const char *cache = path->parts[first].cache;
	struct fetch_options options = *fetch;
	struct error error = { 0 };

	options.urls = urls;
	options.url_count = 0;
	options.directory = cache != NULL ? cache : fetch->directory;
	for (size_t i = first; urls != NULL && i < path->count; i++)
		if (path->parts[i].kind == SYMBOL_PATH_SERVER &&
		    strcmp(text_or_empty(path->parts[i].cache), text_or_empty(cache)) == 0)
			urls[options.url_count++] = path->parts[i].text;
	if (options.directory == NULL)
		cmd_say("no directory for downloads; set one with '--symbols-cache DIR'");
	else if (binaries_add_fetcher(binaries, &options, &error) != ERROR_NONE)
		cmd_print_error(&error, "symbol servers");
}

static void
add_part(struct binaries *binaries, const struct symbol_path *path, size_t index,
	 const struct fetch_options *fetch, struct arena *arena)
{
	const struct symbol_path_part *part = &path->parts[index];
	struct stat status;
	bool taken = false;

	/* An earlier server with the same cache directory has added this server. */
	for (size_t i = 0; i < index && part->kind == SYMBOL_PATH_SERVER; i++)
		taken |= path->parts[i].kind == SYMBOL_PATH_SERVER &&
			 strcmp(text_or_empty(path->parts[i].cache),
				text_or_empty(part->cache)) == 0;
	if (part->kind == SYMBOL_PATH_SERVER) {
		if (!taken)
			add_servers(binaries, path, index, fetch, arena);
	} else if (file_pointer_is_foreign(part->text)) {
		binaries_report_place(binaries, part->text,
				      "a Windows path: it does not exist on this system");
	} else if (stat(part->text, &status) == 0) {
		binaries_add_place(binaries, part->text,
				   part->kind == SYMBOL_PATH_STORE);
	} else if (part->kind == SYMBOL_PATH_DIRECTORY) {
		/* A missing store is not reported, because downloads create it. */
		binaries_report_place(binaries, part->text, strerror(errno));
	}
}

/* Add places for a Windows dump: directories of symbols, stores and servers. */
static void
add_windows(struct binaries *binaries, const struct symbol_path *path,
	    const struct cmd_options *options, const struct cmd_input *input, struct arena *arena)
{
	const struct cmd_list *symbols = &input->symbol_places;
	struct stat status;

	for (size_t i = 0; i < symbols->count; i++)
		if (stat(symbols->items[i], &status) == 0 && S_ISDIR(status.st_mode))
			binaries_add_place(binaries, symbols->items[i], false);
	if (options->follow_pointers)
		binaries_set(binaries, BINARIES_POINTERS);
	for (size_t i = 0; i < path->count; i++)
		add_part(binaries, path, i, &input->fetch, arena);
}

/* Add the servers of DEBUGINFOD_URLS, if the policy uses the modules' files. */
static void
add_debuginfod(struct binaries *binaries, const struct cmd_options *options,
	       const struct cmd_input *input, struct arena *arena)
{
	const char *timeout = getenv("DEBUGINFOD_TIMEOUT");
	const char *largest = getenv("DEBUGINFOD_MAXSIZE");
	const uint64_t bytes = largest != NULL ? strtoull(largest, NULL, 10) : 0;
	const struct cmd_list none = { 0 };
	struct cmd_list urls = cmd_gather(arena, &none, "DEBUGINFOD_URLS", " \t\n", &none);
	const long seconds = options->symbols_timeout > 0 ? options->symbols_timeout
			     : timeout != NULL		  ? strtol(timeout, NULL, 10)
							  : CLIENT_SECONDS;
	struct fetch_options fetch = input->fetch;
	struct error error = { 0 };

	/* Words such as ima:enforcing concern only clients that verify signatures. */
	const size_t words = urls.count;
	urls.count = 0;
	for (size_t i = 0; i < words; i++)
		if (strncmp(urls.items[i], "ima:", strlen("ima:")) != 0)
			urls.items[urls.count++] = urls.items[i];
	fetch.service = FETCH_DEBUGINFOD;
	fetch.urls = urls.items;
	fetch.url_count = urls.count;
	fetch.directory = cmd_debuginfod_directory(arena);
	fetch.seconds = seconds > 0 && seconds <= INT_MAX ? (unsigned)seconds : 0;
	if (bytes > 0 && bytes < fetch.most)
		fetch.most = bytes;
	if (urls.count > 0 && fetch.directory != NULL && fetch_is_built_in() &&
	    uses_binaries(options) && binaries_add_fetcher(binaries, &fetch, &error) != ERROR_NONE)
		cmd_print_error(&error, "DEBUGINFOD_URLS");
}

struct binaries *
cmd_binaries_open(const struct crash *crash, const struct cmd_options *options,
		  const struct cmd_input *input)
{
	const bool windows = crash->system.os == CRASH_OS_WINDOWS && uses_binaries(options);
	struct binaries *binaries = NULL;
	struct symbol_path path = { 0 };
	struct arena arena = { 0 };
	struct cmd_list plain;

	const struct fetch_options *fetch = &input->fetch;
	struct cmd_list named;
	bool good = cmd_symbol_path(&path, &named, options, &arena);
	plain = good ? cmd_gather(&arena, &named, "", ":", &input->own_files) : named;
	good = good && plain.items != NULL;
	for (size_t i = 0; good && i < fetch->url_count; i++)
		good = symbol_path_add(&path, &arena, SYMBOL_PATH_SERVER, fetch->urls[i], NULL);
	const bool asked = good && plain.count > 0 && crash->system.os == CRASH_OS_LINUX;
	if (good)
		binaries = binaries_create(crash, plain.items, plain.count);
	for (size_t i = options->named.count; binaries != NULL && i-- > 0;) {
		const char *value = strchr(options->named.items[i], '=');
		const char *name = arena_copy(&arena, options->named.items[i],
					      (size_t)(value - options->named.items[i]));

		if (name != NULL)
			binaries_add_named(binaries, name, value + 1);
	}
	if (binaries != NULL && windows)
		add_windows(binaries, &path, options, input, &arena);
	if (binaries != NULL)
		add_debuginfod(binaries, options, input, &arena);
	arena_free(&arena);
	if (binaries == NULL)
		return NULL;
	if (uses_binaries(options))
		binaries_set(binaries, BINARIES_MEMORY);
	/*
	 * Use this system's files for a core, because it contains no code. Use them for a Linux
	 * dump, too, if the user named places to search. A wrong file is refused by its ID.
	 */
	if (options->system_binaries || ((crash->core || asked) && !options->no_system_binaries))
		binaries_set(binaries, BINARIES_SYSTEM);
	if (options->no_comp_dir)
		binaries_set(binaries, BINARIES_INSIDE);
	return binaries;
}

/* Move executables, libraries and PDBs from the symbols arguments to the modules' files. */
static bool
sort_by_content(struct arena *arena, struct cmd_list *symbols, struct cmd_list *binaries)
{
	const size_t count = symbols->count;
	const char **own = arena_array(arena, count + 1, sizeof(*own));
	const char **kept = arena_array(arena, count + 1, sizeof(*kept));

	if (own == NULL || kept == NULL)
		return false;
	*binaries = (struct cmd_list){ own, 0 };
	symbols->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (binary_kind_of(symbols->items[i]) == BINARY_KIND_OWN)
			own[binaries->count++] = symbols->items[i];
		else
			kept[symbols->count++] = symbols->items[i];
	}
	symbols->items = kept;
	return true;
}

/* Path `index` of those on the command line that name symbols or modules' files; NULL: none. */
static const char *
given_path(const struct cmd_options *options, size_t index)
{
	const struct cmd_list lists[] = {
		{ options->paths + 1, options->path_count - 1 },
		options->symbol_paths,
		options->binaries,
		options->more_binaries,
	};

	for (size_t list = 0; list < ARRAY_COUNT(lists); list++) {
		if (index < lists[list].count)
			return lists[list].items[index];
		index -= lists[list].count;
	}
	return index < options->named.count ? strchr(options->named.items[index], '=') + 1 : NULL;
}

/* If the core has no page of its program, take the program's size from a given file. */
static void
size_program(struct cmd_input *input, const struct cmd_options *options)
{
	struct crash *crash = &input->crash;
	struct binary *binary;
	const char *path;

	for (size_t i = 0;
	     crash->program.unsized && (path = given_path(options, i)) != NULL; i++) {
		if (binary_kind_of(path) != BINARY_KIND_OWN ||
		    binary_open(&binary, path, NULL) != ERROR_NONE)
			continue;
		if (binary_is_program(binary, crash)) {
			crash->modules[0].size = binary->extent;
			crash->program.unsized = false;
		}
		binary_close(binary);
	}
	if (crash->program.unsized)
		cmd_say("the core has no memory of its program '%s': only the code page of the "
			"entry point is known; give the program's file with --binaries",
			place_base_name(crash->modules[0].code_file));
}

static enum cmd_status
open_files(struct cmd_input *input, const struct cmd_options *options,
	   struct symbols_cache *cache)
{
	const struct cmd_list *more = &options->symbol_paths;
	const struct cmd_list paths = { options->paths + 1, options->path_count - 1 };

	input->crash.names = cmd_output.names;
	crash_redact(&input->crash, options->redact);
	if (options->signature_rules != NULL) {
		struct error error = { 0 };

		input->rules = signature_rules_read(options->signature_rules, &error);
		if (input->rules == NULL)
			return cmd_print_error(&error, options->signature_rules);
	}
	if (!open_fetcher(input, options, cache))
		return CMD_USAGE;
	input->symbol_places =
		cmd_gather(&input->arena, paths.count > 0 ? &paths : more, "UNSPOOL_SYMBOLS", ":",
		       paths.count > 0 ? more : &(struct cmd_list){ 0 });
	if (input->symbol_places.items == NULL ||
	    !sort_by_content(&input->arena, &input->symbol_places, &input->own_files))
		return cmd_out_of_memory();
	size_program(input, options);
	input->binaries = cmd_binaries_open(&input->crash, options, input);
	const struct symbols_source source = {
		.paths = input->symbol_places.items, .path_count = input->symbol_places.count,
		.cache = cache,
		.index_directory =
			options->no_cache ? NULL : directory_of_user(&input->arena, DIRECTORY_CACHE,
								     "unspool"),
		.fetcher = input->fetcher,
		.binaries = input->binaries,
		.by_code_file = options->policy.value[POLICY_SYMBOLS_BY_CODE_FILE] != 0,
		.any_layout = options->policy.value[POLICY_SYMBOLS_ANY_LAYOUT] != 0,
	};
	if (input->binaries != NULL)
		input->symbols = symbols_open(input->crash.modules, input->crash.module_count,
					      &source);
	if (input->symbols == NULL)
		return cmd_out_of_memory();
	const char *path;
	for (size_t i = 0; (path = given_path(options, i)) != NULL; i++)
		input->refused |= symbols_problem(input->symbols, path) != NULL ||
				  binaries_problem(input->binaries, path) != NULL;
	if (input->fetcher == NULL && !binaries_asks_servers(input->binaries))
		input->unused_cache = options->symbols_cache;
	return CMD_DONE;
}

enum cmd_status
cmd_input_open(struct cmd_input *input, const struct cmd_options *options, const char *path,
	       struct symbols_cache *cache, struct error *error)
{
	const size_t index = options->dump_index > 0 ? (size_t)options->dump_index : 0;
	struct error own = { 0 };
	const char *note;

	*input = (struct cmd_input){ 0 };
	if (options->dump_index == 0) {
		cmd_say("--dump-index counts from 1");
		return CMD_USAGE;
	}
	error = error != NULL ? error : &own;
	if (cmd_dump_in_folder(&input->arena, &path, &note, error) != ERROR_NONE ||
	    dump_open(&input->crash, path, index, error) != ERROR_NONE)
		return error != &own ? CMD_UNREADABLE : cmd_print_error(&own, path);
	if (note != NULL)
		message_add(&input->crash.messages, MESSAGE_SEVERAL_DUMPS,
			    (struct place){ .input = &input->crash.file.input }, "%s", note);
	const enum cmd_status status = open_files(input, options, cache);
	if (status == CMD_DONE)
		binaries_report_unused(input->binaries);
	return status;
}

enum cmd_status
cmd_input_open_binary(struct cmd_input *input, const struct cmd_options *options,
		      struct binary *binary, struct symbols_cache *cache)
{
	*input = (struct cmd_input){ 0 };
	if (!binary_as_crash(binary, options->paths[0], &input->crash)) {
		binary_close(binary);
		return cmd_out_of_memory();
	}
	const enum cmd_status status = open_files(input, options, cache);
	if (status != CMD_DONE) {
		binary_close(binary);
		return status;
	}
	binaries_give(input->binaries, 0, binary);
	input->refused |= binaries_report_unused(input->binaries) > 0;
	return status;
}

enum error_code
cmd_open_symbols(struct symfile **symfile, const char *path, struct error *error)
{
	const enum error_code code = symfile_open(symfile, path, NULL, error);
	struct symbol_head head;
	struct arena arena = { 0 };
	size_t records = 0;

	for (int kind = 0; code == ERROR_NONE && kind <= SYMBOL_STACK_CFI; kind++)
		records += symfile_count(*symfile, (enum symbol_record_kind)kind);
	if (code != ERROR_NONE || records > 0)
		return code;
	symfile_close(*symfile);
	*symfile = NULL;
	symbol_head_read(&head, path, &arena);
	error_plain(error, ERROR_FORMAT, "not a symbol file%s%s",
		    head.foreign != NULL ? ", but " : ": it has no MODULE line and no other record",
		    head.foreign != NULL ? head.foreign->what : "");
	error_hint(error, "%s", head.foreign != NULL
				? head.foreign->help
				: "a symbol file begins with 'MODULE os architecture id name'");
	arena_free(&arena);
	return ERROR_FORMAT;
}

/* The operating system of a MODULE record. */
static enum crash_os
system_of(struct text name)
{
	static const struct {
		const char *name;
		enum crash_os os;
	} systems[] = {
		{ "windows", CRASH_OS_WINDOWS }, { "Linux", CRASH_OS_LINUX },
		{ "mac", CRASH_OS_MAC }, { "Android", CRASH_OS_ANDROID },
	};

	for (size_t i = 0; i < ARRAY_COUNT(systems); i++)
		if (text_is(name, systems[i].name))
			return systems[i].os;
	return CRASH_OS_UNKNOWN;
}

/* The size of a module that covers all functions of a symbol file, in whole pages. */
static uint64_t
extent_of(const struct symfile *symfile)
{
	static const enum symbol_record_kind kinds[] = { SYMBOL_FUNC, SYMBOL_PUBLIC };
	const uint64_t page = 0x1000;
	struct function function;
	uint64_t end = 0;

	for (size_t kind = 0; kind < ARRAY_COUNT(kinds); kind++)
		for (size_t i = 0; symfile_function_at(symfile, kinds[kind], i, &function); i++)
			if (function.address < UINT64_MAX / 2 && function.size < UINT64_MAX / 4 &&
			    function.address + function.size > end)
				end = function.address + function.size;
	return (end / page + 1) * page;
}

enum cmd_status
cmd_input_open_symbols(struct cmd_input *input, const struct cmd_options *options,
		       const struct symfile *symfile)
{
	const struct symfile_identity identity = symfile_identity(symfile);
	struct cmd_options with = *options;
	struct crash *crash = &input->crash;

	*input = (struct cmd_input){ .crash = { .requesting_thread = -1, .dump_count = 1 } };
	message_list_init(&crash->messages, &crash->arena);
	crash->modules = arena_array(&crash->arena, 1, sizeof(*crash->modules));
	const char *name = text_copy(&crash->arena, identity.name);
	const char *id = text_copy(&crash->arena, identity.id);
	with.paths = arena_array(&crash->arena, options->path_count + 1, sizeof(*with.paths));
	if (crash->modules == NULL || name == NULL || id == NULL || with.paths == NULL)
		return cmd_out_of_memory();
	/* The file takes precedence over others that may have symbols of its module. */
	with.paths[0] = with.paths[1] = options->paths[0];
	for (size_t i = 1; i < options->path_count; i++)
		with.paths[i + 1] = options->paths[i];
	with.path_count = options->path_count + 1;
	crash->format = "file";
	crash->system = (struct crash_system){
		.os = system_of(identity.os), .os_name = "", .os_version = "",
		.arch = arch_of_symbols(identity.arch), .cpu_name = "", .cpu_info = "" };
	crash->misc.build = "";
	crash->module_count = 1;
	crash->modules[0] = (struct module){ .size = extent_of(symfile),
					     .code_file = name,
					     .code_id = "",
					     .debug_file = name,
					     .debug_id = id,
					     .version = "" };
	return open_files(input, &with, NULL);
}

/* Running -------------------------------------------------------------------------------------- */

/* Show progress in a line that is erased at the end, unless reading is fast. */
static bool
input_show_progress(void *context, size_t module, const char *path, uint64_t bytes, uint64_t total)
{
	const struct cmd_input *input = context;
	struct symbols_reading reading;
	char name[64], host[64];

	(void)module;
	if (symbols_reading(input->symbols, &reading, 1) == 0 ||
	    reading.milliseconds < SHOWN_AFTER)
		return true;
	text_printable(name, sizeof(name), text_of(place_base_name(path)));
	cmd_clear_progress();
	if (!cmd_shows_progress())
		return true;
	if (reading.host != NULL) {
		text_printable(host, sizeof(host), text_of(reading.host));
		fprintf(stderr, "fetching %s from %s", name, host);
		if (reading.bytes > 0)
			fprintf(stderr, ", %" PRIu64 " MB", reading.bytes >> 20);
		if (reading.total > 0)
			fprintf(stderr, " of %" PRIu64 " MB", reading.total >> 20);
	} else if (bytes < total) {
		fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " MB, %" PRIu64 " MB/s", name,
			bytes >> 20, total >> 20,
			(bytes >> 20) * 1000 / reading.milliseconds);
	}
	return true;
}

void
cmd_show_progress(struct cmd_input *input)
{
	if (cmd_shows_progress())
		symbols_tell(input->symbols, input_show_progress, input);
}

/* Prepare the parts that the command needs in addition to its input. */
static enum cmd_status
prepare(struct cmd_input *input, const struct cmd_options *options)
{
	const enum cmd_needs needs = options->command->needs;
	const struct crash *crash = &input->crash;
	bool walks = needs == CMD_NEEDS_WALK || options->thread >= 0;
	size_t thread = 0;

	cmd_show_progress(input);
	if (needs <= CMD_NEEDS_INPUT)
		return CMD_DONE;
	for (size_t i = 0; i < crash->thread_count && !walks; i++)
		walks = !crash->threads[i].wrote_dump;
	if (walks) {
		if (!cmd_find_thread(input, options, &thread))
			return CMD_USAGE;
		input->walk = walk_create(crash, input->symbols, input->binaries, thread,
					  &options->policy);
		if (input->walk == NULL)
			return cmd_out_of_memory();
	}
	if (needs != CMD_NEEDS_SURROUNDINGS)
		return CMD_DONE;
	/* Expressions may use all threads; reuse the existing walk of the chosen thread. */
	input->walks = calloc(crash->thread_count + 1, sizeof(struct walk *));
	input->around = input->walks != NULL ? malloc(sizeof(*input->around)) : NULL;
	if (input->around == NULL)
		return cmd_out_of_memory();
	input->walks[thread] = input->walk;
	if (!surroundings_init(input->around, crash, input->symbols, input->binaries,
			       &options->policy, input->walks))
		return cmd_out_of_memory();
	input->around->loads = true;
	return CMD_DONE;
}

enum cmd_status
cmd_input_open_whole(struct cmd_input *input, const struct cmd_options *options)
{
	const enum cmd_status status =
		cmd_input_open(input, options, options->paths[0], NULL, NULL);

	return status == CMD_DONE ? prepare(input, options) : status;
}

struct source_options
cmd_source_options(const struct cmd_input *input, const struct cmd_options *options)
{
	return (struct source_options){
		.maps = options->source_maps.items, .map_count = options->source_maps.count,
		.dump = input->crash.file.input.name, .time = input->crash.time,
		.symbols = input->symbols, .asks = true,
	};
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
	fetch_free(input->fetcher);
	binaries_free(input->binaries);
	fetch_memory_free(input->answers);
	crash_free(&input->crash);
	signature_rules_free(input->rules);
	arena_free(&input->arena);
}

enum cmd_status
cmd_run(const struct cmd_options *options)
{
	const struct cmd_command *command = options->command;
	struct cmd_input input;

	cmd_learn_names(options);
	if (command->guard != CMD_GUARD_OWN &&
	    !cmd_sandbox(options, NULL, command->guard == CMD_GUARD_SESSION))
		return CMD_INCOMPLETE;
	if (command->run_alone != NULL)
		return command->run_alone(options);
	enum cmd_status status = cmd_input_open_whole(&input, options);
	if (status == CMD_DONE)
		status = cmd_answered(&input, options, command->run(options, &input));
	cmd_input_close(&input);
	return status;
}

enum cmd_status
cmd_answered(const struct cmd_input *input, const struct cmd_options *options,
	     enum cmd_status status)
{
	cmd_print_messages(input);
	return status == CMD_DONE ? cmd_finish(input, options) : status;
}

bool
cmd_find_thread(const struct cmd_input *input, const struct cmd_options *options, size_t *index)
{
	const size_t wanted = options->thread < 0 ? 0 : (size_t)options->thread;
	struct walk_text_thread *threads;
	struct arena arena = { 0 };
	bool found = false;

	const size_t count = walk_text_threads(&input->crash, &arena, &threads);
	for (size_t i = 0; i < count && !found; i++) {
		found = options->thread < 0 || threads[i].number == wanted;
		*index = threads[i].index;
	}
	arena_free(&arena);
	if (threads == NULL)
		cmd_out_of_memory();
	else if (count == 0)
		cmd_say("the dump has no threads");
	else if (!found)
		cmd_say("no thread %zu; the dump has %zu, the first is 0", wanted, count);
	return found;
}

struct walk *
cmd_walk_thread(const struct cmd_input *input, const struct cmd_options *options, size_t thread)
{
	struct walk *walk = walk_create(&input->crash, input->symbols, input->binaries, thread,
					&options->policy);

	if (walk != NULL)
		walk_run(walk, 0);
	return walk;
}

bool
cmd_find_frame(struct walk *walk, const struct cmd_options *options, size_t *frame)
{
	*frame = options->frame < 0 ? 0 : (size_t)options->frame;
	if (walk != NULL)
		walk_run(walk, *frame + 1);
	if (walk == NULL || walk->count == 0) {
		cmd_say("no frame %zu: the dump has no thread with registers", *frame);
		return false;
	}
	if (*frame < walk->count)
		return true;
	cmd_say("no frame %zu; the outermost one is %zu (inlined calls do not count)", *frame,
		walk->count - 1);
	return false;
}

bool
cmd_find_register(const struct walk *walk, const char *name, int *reg)
{
	*reg = arch_register(walk->arch, text_of(name), ARCH_NAMES_ALIASES);
	if (*reg == ARCH_NO_REGISTER)
		cmd_say("%s has no register '%s'", walk->arch->name, name);
	return *reg != ARCH_NO_REGISTER;
}
