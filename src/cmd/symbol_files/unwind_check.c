/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/symbol_fit.h"
#include "base/limits.h"
#include "cmd/cmd.h"
#include "dump/dump.h"
#include "dump_syms/dump_syms.h"
#include "lint/lint.h"
#include "report/file/sarif.h"
#include "report/file/unwind_report.h"
#include "sframe/sframes.h"
#include "system/directory.h"

/* The signal that stops the command; 0: none. */
static atomic_int stopped_by;

static void
note_signal(int number)
{
	stopped_by = number;
}

/* Record SIGINT and SIGTERM in `stopped_by` from now on, unless they are ignored. */
static void
catch_stop(void)
{
	static const int numbers[] = { SIGINT, SIGTERM };
	/* If the same signal arrives again, it has its default effect. */
	struct sigaction action = { .sa_handler = note_signal,
				    .sa_flags = (int)SA_RESETHAND | SA_RESTART };
	struct sigaction now;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
		if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

static bool
is_stopped(void)
{
	return stopped_by != 0;
}

struct check_command {
	struct cmd_options common;
	const char *baseline;		/* file with an earlier run's output */
	bool brief, all, code, sarif, github, frames;
};

/* The kind of a path on the command line. */
enum given { GIVEN_SYMBOLS, GIVEN_BINARY, GIVEN_DUMP };

struct check_run {
	const struct check_command *options;
	const struct lint_baseline *baseline;	/* findings to leave out; NULL: none */
	struct json *json;		/* NULL: text */
	enum cmd_status worst;
	size_t compared;		/* number of modules with two sources */
	size_t with_symbols;		/* number of `compared` with a symbol file */
	bool many;			/* directories: text omits files without findings */
	struct symbols_cache *cache;	/* shared symbol files of directories; NULL: none */
	size_t alone, unreadable;	/* files that were not compared */
	size_t found;			/* number of modules with findings */
	size_t differences, notes, known;
	uint64_t rows;			/* number of compared rows */
};

static void
note_status(struct check_run *run, enum cmd_status status)
{
	if (status > run->worst)
		run->worst = status;
}

static void
write_report(const struct check_run *run, const struct unwind_report *report)
{
	const struct check_command *options = run->options;
	const struct unwind_report_style style = { options->brief, options->all, options->frames };

	if (options->sarif)
		unwind_report_sarif(report, run->json);
	else if (run->json != NULL)
		FACTS_WRITE(run->json, NULL, unwind_report, report);
	else if (options->github)
		unwind_report_github(report, options->all, &cmd_output);
	else if (!run->many || report->findings.count > 0)
		unwind_report_text(report, &style, &cmd_output);
}

static void
add_report(struct check_run *run, const struct unwind_report *report)
{
	const size_t certain = unwind_findings_certain(&report->findings);

	run->compared++;
	run->found += report->findings.count > 0;
	run->known += report->known;
	run->differences += certain;
	for (int code = 0; code < UNWIND_CODES; code++)
		run->notes += report->findings.codes[code];
	run->notes -= certain;
	run->rows += report->totals.compared;
	if (certain > 0 || (run->options->common.strict && report->findings.count > 0))
		note_status(run, CMD_FINDINGS);
}

/* Report how much was compared before a signal ended the comparison. */
static void
say_stopped(const struct unwind_report *report)
{
	const struct unwind_totals *totals = &report->totals;

	if (totals->entry_count > 0)
		cmd_say("%s: stopped; %" PRIu64 " of %" PRIu64 " functions were compared%s",
			place_base_name(report->path), totals->entries, totals->entry_count,
			report->crash == NULL ? "" : ", not all of them with the code");
	else
		cmd_say("%s: stopped; %" PRIu64 " bytes of code were compared",
			place_base_name(report->path), totals->bytes_compared);
}

/* Report why there is nothing to compare in a named module. */
static void
say_alone(const char *path, const struct unwind_source *sources, size_t count,
	  const struct rule_module *module)
{
	const char *symbols = module->symfile == NULL
				      ? "no symbol file with its name and ID was given; "
					"directories have it as NAME/ID/NAME.sym"
				      : "its symbol file has no unwind records";

	if (count == 0)
		cmd_say("%s: nothing has unwind rules for it; %s", place_base_name(path), symbols);
	else
		cmd_say("%s: only its %s has unwind rules, nothing can be compared; %s",
			place_base_name(path), sources[0].kind->name,
			sources[0].kind->symbols ? "its binary was not found (--binaries)"
						 : symbols);
}

/* Compare the sources of one module of an input. `named`: the command line names the module. */
static void
check_module(struct check_run *run, struct cmd_input *input, size_t number, const char *path,
	     bool named)
{
	const struct policy *policy = &run->options->common.policy;
	struct unwind_source *sources = calloc(UNWIND_SOURCES, sizeof(*sources));
	const struct rule_module module = {
		.arch = input->crash.system.arch, .policy = policy, .parameters = -1,
		.symfile = symfile_under(symbols_load(input->symbols, number), policy),
		.sframe = sframes_load(input->binaries, number),
		.sframe_bias = input->crash.modules[number].base,
		.binaries = input->binaries, .number = number };

	if (sources == NULL) {
		note_status(run, cmd_out_of_memory());
		return;
	}
	const size_t count = unwind_sources_open(
		&module, input->crash.system.os == CRASH_OS_WINDOWS, sources);
	binaries_load(input->binaries, number, LOCATE_IMAGE);
	const char *misfit = symbol_misfit(input->binaries, input->symbols, &input->crash, number);
	if (count > 1 || misfit != NULL || (count > 0 && run->options->code)) {
		struct unwind_report report = { .misfit = misfit,
						.whose = &input->crash,
						.crash = run->options->code ? &input->crash : NULL,
						.path = path,
						.module = &module,
						.sources = sources,
						.source_count = count,
						.policy = policy,
						.baseline = run->baseline };
		struct cmd_percent percent = { 0 };

		report.progress = cmd_shows_progress() ? cmd_show_percent : NULL;
		report.watcher = &percent;
		report.stop = is_stopped;
		unwind_report_make(&report);
		if (run->many && cmd_shows_progress())
			percent.shown = 1;
		cmd_clear_percent(&percent);
		write_report(run, &report);
		add_report(run, &report);
		if (is_stopped())
			say_stopped(&report);
		if (report.findings.full)
			cmd_say("%s: only the first %u differences are listed, the others "
				"are counted", place_base_name(path), LIMIT_UNWIND_PLACES);
		unwind_findings_free(&report.findings);
	} else if (run->many) {
		run->alone++;
	} else if (named) {
		say_alone(path, sources, count, &module);
		note_status(run, CMD_UNREADABLE);
	}
	unwind_sources_close(sources, count);
	free(sources);
}

static void
tell_function(void *context, const struct unwind_report *report)
{
	struct check_run *run = context;
	const bool defects = report->lint != NULL && report->lint->finding_count > 0;

	write_report(run, report);
	if (defects || unwind_findings_certain(&report->findings) > 0 ||
	    (run->options->common.strict && report->findings.count > 0))
		note_status(run, CMD_FINDINGS);
}

/* Compare the functions of the crashed thread's frames, and lint their records. */
static void
check_stack(struct check_run *run, struct cmd_input *input, const char *path)
{
	const struct crash *crash = &input->crash;
	const size_t thread = crash->requesting_thread < 0 ? 0 : (size_t)crash->requesting_thread;
	struct walk *walk = crash->thread_count == 0
				    ? NULL
				    : cmd_walk_thread(input, &run->options->common, thread);

	if (walk == NULL) {
		cmd_say("%s: it has no thread to walk", place_base_name(path));
		note_status(run, CMD_UNREADABLE);
		return;
	}
	const size_t functions = unwind_report_frames(walk, tell_function, run);
	if (run->json == NULL && !run->options->github)
		cmd_print("%s: %zu frame%s of thread %zu, %zu function%s compared",
			  place_base_name(path), walk->count, plural(walk->count), thread,
			  functions, plural(functions));
	run->compared += functions;
	walk_free(walk);
}

/*
 * Symbol stores and dumps use the name by which programs load a library. If no symbol file was
 * found by the file's own name, look for one by the name that programs use.
 */
static void
look_by_stored_name(struct cmd_input *input, const char *path)
{
	const struct binary *binary = binaries_load(input->binaries, 0, LOCATE_IMAGE);
	struct module_identity identity;

	if (binary == NULL || symbols_load(input->symbols, 0) != NULL)
		return;
	module_identity_read(&identity, binary, path);
	if (strcmp(identity.name, place_base_name(path)) == 0)
		return;
	input->crash.modules[0].debug_file = identity.name;
	symbols_forget(input->symbols, 0);
}

/* Open one of the paths with all symbols, and compare its modules. */
static void
check_path(struct check_run *run, const char *path, enum given given,
	   const struct cmd_list *symbols)
{
	struct cmd_options options = run->options->common;
	const char **paths = calloc(symbols->count + 1, sizeof(*paths));
	struct cmd_input input = { 0 };
	enum cmd_status status = CMD_UNREADABLE;
	struct binary *binary = NULL;
	struct symfile *symfile = NULL;
	struct error error = { 0 };
	const size_t before = run->compared;

	if (paths == NULL) {
		note_status(run, cmd_out_of_memory());
		return;
	}
	options.paths = paths;
	options.path_count = 1;
	paths[0] = path;
	for (size_t i = 0; i < symbols->count; i++)
		if (symbols->items[i] != path)
			paths[options.path_count++] = symbols->items[i];
	if (given == GIVEN_DUMP)
		status = cmd_input_open(&input, &options, options.paths[0], run->cache, NULL);
	else if (given == GIVEN_BINARY && binary_open(&binary, path, &error) == ERROR_NONE)
		status = cmd_input_open_binary(&input, &options, binary, run->cache);
	else if (given == GIVEN_SYMBOLS && cmd_open_symbols(&symfile, path, &error) == ERROR_NONE)
		status = cmd_input_open_symbols(&input, &options, symfile);
	else
		cmd_print_error(&error, path);
	note_status(run, status);
	run->unreadable += status != CMD_DONE;
	if (status == CMD_DONE && given == GIVEN_BINARY)
		look_by_stored_name(&input, path);
	if (status == CMD_DONE && given == GIVEN_DUMP && run->options->frames)
		check_stack(run, &input, path);
	for (size_t i = 0; status == CMD_DONE && !run->options->frames &&
			   i < input.crash.module_count && !is_stopped(); i++)
		check_module(run, &input, i,
			     given == GIVEN_DUMP ? input.crash.modules[i].code_file : path,
			     given != GIVEN_DUMP);
	const bool paired = run->compared > before && input.symbols != NULL &&
			    symbols_load(input.symbols, 0) != NULL;
	run->with_symbols += paired;
	if (given == GIVEN_BINARY && !run->many && options.path_count > 1 &&
	    run->compared > before && !paired) {
		const char *name = place_base_name(path);

		cmd_say("%s: SYMBOLS has no symbol file with its ID; a directory has it as "
			"%s/ID/%s.sym; only the other sources were compared", name, name, name);
		note_status(run, CMD_UNREADABLE);
	}
	if (status == CMD_DONE)
		cmd_print_messages(&input);
	if (given == GIVEN_DUMP && status == CMD_DONE && run->compared == 0) {
		cmd_say("%s: no module has two sources of unwind rules here; name symbols and "
			"--binaries", place_base_name(path));
		note_status(run, CMD_UNREADABLE);
	}
	cmd_input_close(&input);
	if (run->cache != NULL)
		symbols_cache_close_files(run->cache);
	symfile_close(symfile);
	free(paths);
}

static enum given
recognise(const char *path)
{
	struct binary *binary = NULL;
	const bool is_binary = binary_kind_of(path) != BINARY_KIND_OTHER &&
			       binary_open(&binary, path, NULL) == ERROR_NONE &&
			       binary->use == BINARY_LOADED;

	binary_close(binary);
	if (is_binary)
		return GIVEN_BINARY;
	return dump_recognise(path) ? GIVEN_DUMP : GIVEN_SYMBOLS;
}

/*
 * The given places that have symbol files. Places without symbol files are left out: each module
 * would search all files of such a place again.
 */
static struct cmd_list
symbol_places(const struct cmd_list *given, struct arena *arena)
{
	const char **items = arena_array(arena, given->count + 1, sizeof(*items));
	struct cmd_list places = { items, 0 };

	for (size_t i = 0; items != NULL && i < given->count; i++) {
		struct gathered_files files = { 0 };

		gather_files(arena, &given->items[i], 1, gather_symbol_files, &files);
		if (files.count > 0)
			items[places.count++] = given->items[i];
	}
	return places;
}

static void
tell_all(const struct check_run *run, size_t done, size_t count)
{
	if (is_stopped())
		cmd_say("stopped: %zu of %zu files were compared", done, count);
	if (run->json != NULL || run->options->github)
		return;
	cmd_print("%zu file%s: %zu compared, %zu with nothing to compare, %zu unreadable; "
		  "%zu difference%s and %zu note%s in %zu of them; %" PRIu64 " rows compared",
		  done, plural(done), run->compared, run->alone, run->unreadable,
		  run->differences, plural(run->differences), run->notes, plural(run->notes),
		  run->found, run->rows);
	if (run->known > 0)
		cmd_print("  %zu finding%s in the baseline", run->known, plural(run->known));
}

/*
 * Compare the modules below directories with the symbol files there. If there are only symbol
 * files, compare the modules that they describe.
 */
static void
check_directories(struct check_run *run, const struct cmd_list *given)
{
	const bool progress = cmd_shows_progress();
	struct gathered_files files = { 0 };
	struct arena arena = { 0 };
	size_t i, left_out = 0;
	bool good = true;

	run->many = true;
	for (i = 0; i < given->count; i++)
		if (directory_exists(given->items[i]))
			good = gather_files(&arena, &given->items[i], 1, gather_modules, &files) &&
			       good;
	const bool modules = files.count > 0;
	const struct cmd_list places = symbol_places(given, &arena);
	if (!modules)
		good = gather_files(&arena, given->items, given->count, gather_symbol_files,
				    &files);
	if (!good)
		cmd_say("there are more files than can be read: some are left out");
	if (files.count == 0) {
		cmd_say("neither programs nor symbol files are below '%s'", given->items[0]);
		note_status(run, CMD_UNREADABLE);
	}
	run->cache = symbols_cache_create();
	for (i = 0; i < files.count && !is_stopped(); i++) {
		struct binary *binary = NULL;
		/* A debug file is read together with the file that it was split from. */
		const bool debug = modules &&
				   binary_open(&binary, files.list[i], NULL) == ERROR_NONE &&
				   binary->use != BINARY_LOADED;

		binary_close(binary);
		if (debug)
			left_out++;
		else
			check_path(run, files.list[i], modules ? GIVEN_BINARY : GIVEN_SYMBOLS,
				   &places);
		if (progress)
			cmd_show_files(i + 1, files.count);
	}
	symbols_cache_free(run->cache);
	if (progress)
		cmd_clear_percent(&(struct cmd_percent){ .shown = 1 });
	if (files.count > 0)
		tell_all(run, i - left_out, files.count - left_out);
	if (modules && places.count > 0 && run->compared > 0 && run->with_symbols == 0 &&
	    !is_stopped()) {
		cmd_say("no symbol file here has the ID of a program that was compared: look at "
			"the MODULE records; only the programs' own tables were compared");
		note_status(run, CMD_UNREADABLE);
	}
	const bool strict = run->options->common.strict;
	if (run->compared == 0 && (strict || run->options->github))
		cmd_say("nothing was compared%s", strict ? "" : " (--strict: ends with 1)");
	if (run->compared == 0 && strict)
		note_status(run, CMD_FINDINGS);
	arena_free(&arena);
}

static enum cmd_status
check_paths(const struct check_command *own, const struct lint_baseline *baseline,
	    enum given *given, struct cmd_list *symbols, struct json *json)
{
	const struct cmd_options *options = &own->common;
	struct check_run run = { .options = own, .json = options->json ? json : NULL,
				 .baseline = own->baseline != NULL ? baseline : NULL };
	char directory[4096];
	bool modules = false, directories = false;

	catch_stop();
	for (size_t i = 0; i < options->path_count; i++) {
		directories = directories || directory_exists(options->paths[i]);
		given[i] = recognise(options->paths[i]);
		if (given[i] == GIVEN_SYMBOLS)
			symbols->items[symbols->count++] = options->paths[i];
		else
			modules = true;
	}
	if (own->sarif)
		unwind_report_sarif_begin(json, PACKAGE_VERSION);
	else if (options->json)
		json_array(json, NULL);
	if (directories && !modules)
		check_directories(&run, symbols);
	for (size_t i = 0; i < options->path_count && !run.many && !is_stopped(); i++)
		if (given[i] != GIVEN_SYMBOLS || !modules)
			check_path(&run, options->paths[i], given[i], symbols);
	if (own->sarif && getcwd(directory, sizeof(directory)) == NULL)
		directory[0] = '\0';
	if (is_stopped())
		run.worst = (enum cmd_status)(CMD_STOPPED + stopped_by);
	if (own->sarif)
		sarif_end(json, run.worst < CMD_USAGE, directory, (int)run.worst, true);
	else if (options->json)
		json_array_end(json);
	return run.worst;
}

static enum cmd_status
run_unwind_check(const struct cmd_options *options)
{
	const struct check_command *own = (const struct check_command *)options;
	if (own->frames && (own->code || own->sarif || own->baseline != NULL))
		return cmd_usage(options, "--frames goes with neither --code, --sarif nor "
					  "--baseline");
	const char **symbols = calloc(options->path_count, sizeof(*symbols));
	enum given *given = calloc(options->path_count, sizeof(*given));
	struct cmd_list list = { symbols, 0 };
	enum cmd_status status = CMD_UNREADABLE;
	struct lint_baseline baseline = { 0 };
	struct json json;

	if (symbols == NULL || given == NULL) {
		status = cmd_out_of_memory();
	} else if (own->baseline == NULL ||
		   cmd_read_baseline(&baseline, own->baseline, "unwind-check")) {
		if (options->json)
			json_begin(&json, &cmd_output, options->pretty);
		status = check_paths(own, &baseline, given, &list, &json);
		if (options->json)
			json_finish(&json);
	}
	lint_baseline_free(&baseline);
	free(symbols);
	free(given);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--brief", 0, NULL, "a line for each place", CMD_STORE(FLAG, check_command, brief) },
	{ "--all", 'a', NULL, "every place, not only the first 8 of each finding",
	  CMD_STORE(FLAG, check_command, all) },
	{ "--code", 0, NULL, "compare every row with the instructions, too",
	  CMD_STORE(FLAG, check_command, code) },
	{ "--frames", 0, NULL, "only functions on the crashed stack; lint them, too",
	  CMD_STORE(FLAG, check_command, frames) },
	{ "--github", 0, NULL, "GitHub workflow commands, which annotate the lines",
	  CMD_STORE(FLAG, check_command, github) },
	{ "--sarif", 0, NULL, "a SARIF 2.1.0 log for code scanners",
	  CMD_FLAG, offsetof(struct check_command, sarif), cmd_set_json },
	{ "--baseline", 0, "FILE", "leave out what an earlier run found (JSON, SARIF)",
	  CMD_STORE(TEXT, check_command, baseline) },
	{ "--strict", 0, NULL, "exit with 1 for notes, or if nothing was compared",
	  CMD_STORE(FLAG, cmd_options, strict) },
};

const struct cmd_command cmd_unwind_check = {
	.name = "unwind-check", .arguments = "FILE|DIR... [SYMBOLS...]",
	.help = "compare all sources of a module's unwind rules",
	.least = 1, CMD_OWN(own_options, check_command),
	.groups = CMD_GROUP_JSON | CMD_GROUP_INPUT | CMD_GROUP_NAMES | CMD_GROUP_REDACT,
	.document = unwind_report_facts, .lists = true, .run_alone = run_unwind_check,
};
