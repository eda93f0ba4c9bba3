/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/place.h"
#include "cmd/subject.h"
#include "dump_syms/dump_syms.h"
#include "locate/layout.h"
#include "lint/gather.h"
#include "pdb/pdb.h"
#include "system/directory.h"
#include "system/door.h"
#include "system/file.h"

/* dump-syms: a symbol file from a program or library and its debug files. */

/* Smallest number of DWARF units for which progress is shown; fewer units take too little time. */
#define FEWEST_SHOWN 200u

struct dump_syms_command {
	struct cmd_options common;
	const char *output, *store;	/* path of a file; path of a directory */
	const char *name, *id, *os;	/* values for the MODULE record */
	bool mangled, no_inlines, no_cfi, no_publics, force, check_cfi;
	long threads;
};

static bool
write_symbols(void *context, const struct output *output)
{
	return dump_syms_write(context, output);
}

/*
 * Whether the symbol file at `path` belongs to another build than `dump`: its code identifier
 * differs. Both have the same MODULE name and identifier.
 */
static bool
is_of_other_build(const struct dump_syms *dump, const char *path)
{
	static const char code_id[] = "INFO CODE_ID ";
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t length = 0;
	bool other = false;

	/* INFO CODE_ID is the second record of a file. */
	for (unsigned i = 0; file != NULL && i < 2; i++)
		length = getline(&line, &size, file);
	if (length > 0 && strncmp(line, code_id, strlen(code_id)) == 0) {
		const char *found = line + strlen(code_id);
		const size_t digits = strcspn(found, " \r\n");

		other = digits != strcspn(dump->code_id, " ") ||
			strncasecmp(found, dump->code_id, digits) != 0;
	}
	free(line);
	if (file != NULL)
		fclose(file);
	return other;
}

/* Whether the file at `path` has the bytes that would be written. */
static bool
is_same_text(struct dump_syms *dump, const char *path)
{
	struct error error = { 0 };
	struct file file;
	size_t size;
	char *text = dump_syms_text(dump, &size);
	const bool opened = text != NULL && file_open(&file, path, &error) == ERROR_NONE;
	const bool same = opened && file.size == size && memcmp(file.data, text, size) == 0;

	if (opened)
		file_close(&file);
	free(text);
	return same;
}

/* Write the symbol file to the place in the store that its name and identifier give. */
static enum cmd_status
store_named(struct dump_syms *dump, const struct dump_syms_command *own)
{
	char *path = dump_syms_path(dump, own->store);
	enum cmd_status status = CMD_UNREADABLE;

	if (path == NULL || *path == '\0') {
		cmd_say("the store has no place for a module '%s' with the identifier '%s'",
			dump->name, dump->id);
	} else if (!own->force && access(path, F_OK) == 0) {
		const char *message = "'%s' is there already and is kept (--force replaces it)";

		status = CMD_UNREADABLE;
		if (is_of_other_build(dump, path))
			message = "'%s' is of another build; it is kept, and this build is not "
				  "stored (--force replaces it)";
		else if (layout_is_zero(dump->id) && !is_same_text(dump, path))
			message = "'%s' has other content and the same identifier of zeros; it is "
				  "kept, and this file is not stored (--force replaces it)";
		else
			status = CMD_DONE;
		cmd_say(message, path);
	} else if (!directory_make_above(path, 0777)) {
		cmd_say("cannot make the directory of '%s': %s", path, door_strerror(errno));
	} else {
		status = cmd_write_file(path, own->force, write_symbols, dump);
		if (status == CMD_DONE)
			cmd_print("%s", path);
	}
	free(path);
	return status;
}

/*
 * Store the symbol file under each name that dumps may have for a library: its soname, its file
 * name, and the name of the file to which a symbolic link leads.
 */
static enum cmd_status
store_all_names(struct dump_syms *dump, const struct dump_syms_command *own, const char *path)
{
	const char *const file = own->name == NULL ? dump->file_name : NULL;
	/* The name of a compressed file has an additional ending. */
	char *real = file != NULL && strcmp(place_base_name(path), file) == 0
			     ? realpath(path, NULL) : NULL;
	const char *const names[] = { dump->name, file,
				      real != NULL ? place_base_name(real) : NULL };
	enum cmd_status status = CMD_DONE;

	for (size_t i = 0; i < ARRAY_COUNT(names) && status == CMD_DONE; i++) {
		bool known = names[i] == NULL;

		for (size_t j = 0; j < i && !known; j++)
			known = names[j] != NULL && strcmp(names[i], names[j]) == 0;
		dump->name = known ? dump->name : names[i];
		status = known ? CMD_DONE : store_named(dump, own);
	}
	dump->name = names[0];
	free(real);
	return status;
}

static void
say_unwind(const struct dump_syms *dump)
{
	const char *why = dump->pdb != NULL ? "for this processor they are in the program or "
					      "library; give it as an argument after the PDB"
			  : dump->debug_only ? "a debug file has none; give the program or "
					       "library as an argument before it"
					     : "the file has no table of them";

	if (dump->frames == 0)
		cmd_say("no unwind rules: %s", why);
	if (dump->lost_bytes > 0)
		cmd_say("warning: %llu bytes of code have no unwind rules, because their entries "
			"cannot be followed; 'unspool unwind-check' shows them",
			(unsigned long long)dump->lost_bytes);
}

static void
say_defects(const struct dump_syms *dump)
{
	for (size_t i = 0; dump->pdb != NULL && i < dump->pdb->problem_count; i++) {
		const struct file_problem *problem = &dump->pdb->problems[i];
		const char *rest = strchr(problem->what, '\n');

		cmd_say("warning: offset 0x%llx of the PDB: %.*s; %s",
			(unsigned long long)problem->place.offset, (int)(rest - problem->what),
			problem->what, rest + 1);
	}
	if (layout_is_zero(dump->id))
		cmd_say("warning: '%s' has no build identifier, so the MODULE record has an ID of "
			"zeros and no dump finds this symbol file; link with --build-id, or give "
			"an ID with --id", dump->name);
	if (dump->damaged > 0)
		cmd_say("warning: damaged %s: %zu, the first at offset 0x%llx; some of their "
			"functions are missing",
			dump->pdb != NULL ? "modules of the PDB" : "units of .debug_info",
			dump->damaged, (unsigned long long)dump->damage);
	if (dump->sframe_bytes > 0)
		cmd_say("the unwind rules of %llu bytes of code come from SFrame, which "
			"describes no callee-saved register except the frame pointer; readers "
			"treat the others as unchanged",
			(unsigned long long)dump->sframe_bytes);
	if (dump->cut_names > 0)
		cmd_say("warning: there are more long names than fit a file of this size: "
			"%zu of them stay mangled or are cut to a beginning and a size",
			dump->cut_names);
	if (!dump->has_dwarf && dump->pdb == NULL)
		cmd_say("no debug information: the symbol file has linker symbols and unwind rules "
			"only; %s", strcmp(dump->os, "mac") == 0
			? "dsymutil makes a dSYM of the object files, which is found next to the "
			  "binary" : "give the debug file as an argument after the binary");
}

static enum cmd_status
dump_module(const struct cmd_options *options, struct subject *subject)
{
	const struct dump_syms_command *own = (const struct dump_syms_command *)options;
	struct cmd_percent percent = { .least = FEWEST_SHOWN };
	const struct dump_syms_options wanted = {
		.name = own->name, .id = own->id, .os = own->os, .mangled = own->mangled,
		.no_calls = own->no_inlines, .no_frames = own->no_cfi,
		.no_publics = own->no_publics,
		.threads = own->threads > 0 ? (unsigned)own->threads : 0,
		.progress = cmd_shows_progress() ? cmd_show_percent : NULL,
		.context = &percent };
	struct error error = { 0 };
	struct dump_syms dump;

	const enum error_code code =
		dump_syms_read(&dump, subject->input.binaries, 0,
			       subject->input.crash.system.arch, &wanted, &error);
	cmd_clear_percent(&percent);
	if (code != ERROR_NONE)
		return cmd_print_error(&error, subject->path);
	enum cmd_status status = CMD_FINDINGS;
	if (!own->check_cfi || (dump.frames > 0 && dump.lost_bytes == 0))
		status = own->store != NULL ? store_all_names(&dump, own, subject->path)
			 : own->output != NULL
				 ? cmd_write_file(own->output, own->force, write_symbols, &dump)
			 : dump_syms_write(&dump, &cmd_output) ? CMD_DONE : cmd_out_of_memory();
	say_defects(&dump);
	if (!own->no_cfi)
		say_unwind(&dump);
	dump_syms_free(&dump);
	return status;
}

/* Write the symbol file of one path; `more` has its debug files or directories of them. */
static enum cmd_status
dump_path(const struct cmd_options *options, const char *path, struct cmd_list more)
{
	struct cmd_options opened = *options;
	struct subject subject;

	opened.paths = &path;
	opened.path_count = 1;
	opened.more_binaries = more;
	enum cmd_status status = subject_open(&subject, &opened);
	if (status == CMD_DONE && subject.kind != SUBJECT_BINARY) {
		cmd_say("'%s' is neither a program nor a library", path);
		status = CMD_UNREADABLE;
	} else if (status == CMD_DONE) {
		status = dump_module(options, &subject);
		subject_print_messages(&subject);
	}
	subject_close(&subject);
	return status;
}

/* Write the symbol files of all programs and libraries below the paths, which are directories. */
static enum cmd_status
dump_directories(const struct cmd_options *options, struct cmd_list more)
{
	struct gathered_files files = { 0 };
	struct arena arena = { 0 };
	enum cmd_status status = CMD_DONE;
	size_t modules = 0;

	if (!gather_files(&arena, options->paths, options->path_count, gather_modules, &files))
		cmd_say("there are more files than can be read: some are left out");
	for (size_t i = 0; i < files.count; i++) {
		struct binary *binary = NULL;
		/* Leave out debug files and everything else that is not a program or library. */
		const bool complete = binary_open(&binary, files.list[i], NULL) == ERROR_NONE &&
				      binary->use == BINARY_LOADED && !binary->debug_only &&
				      binary->format != BINARY_PDB;

		binary_close(binary);
		if (!complete)
			continue;
		const enum cmd_status one = dump_path(options, files.list[i], more);

		modules++;
		status = one > status ? one : status;
	}
	if (modules == 0) {
		cmd_say("no program or library is below '%s'", options->paths[0]);
		status = CMD_UNREADABLE;
	}
	arena_free(&arena);
	return status;
}

static enum cmd_status
dump_syms_run(const struct cmd_options *options)
{
	const struct dump_syms_command *own = (const struct dump_syms_command *)options;
	const bool many = directory_exists(options->paths[0]);
	/* The paths after the binary are its debug files or directories of them. */
	const size_t skip = many ? 0 : 1, named = options->path_count - skip;

	if (own->store != NULL && own->output != NULL)
		return cmd_usage(options, "--store and --output exclude each other");
	if (own->check_cfi && own->no_cfi)
		return cmd_usage(options, "--check-cfi and --no-cfi exclude each other");
	if (many && (own->store == NULL || own->name != NULL || own->id != NULL))
		return cmd_usage(options, "a directory needs --store and excludes --name and "
					  "--id");
	const char **more = calloc(named + options->more_binaries.count + 1, sizeof(*more));
	if (more == NULL)
		return cmd_out_of_memory();
	for (size_t i = 0; i < named; i++)
		more[i] = options->paths[skip + i];
	for (size_t i = 0; i < options->more_binaries.count; i++)
		more[named + i] = options->more_binaries.items[i];
	const struct cmd_list list = { more, named + options->more_binaries.count };
	const enum cmd_status status = many ? dump_directories(options, list)
					    : dump_path(options, options->paths[0], list);
	free(more);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--output", 'o', "FILE", "the file to write instead of standard output",
	  CMD_STORE(OUTPUT, dump_syms_command, output) },
	{ "--store", 0, "DIR", "write DIR/NAME/ID/NAME.sym and print that path",
	  CMD_STORE(OUTPUT, dump_syms_command, store) },
	{ "--force", 0, NULL, "replace a file that exists",
	  CMD_STORE(FLAG, dump_syms_command, force) },
	{ "--mangled", 0, NULL, "write mangled names",
	  CMD_STORE(FLAG, dump_syms_command, mangled) },
	{ "--no-inlines", 0, NULL, "write no inlined calls",
	  CMD_STORE(FLAG, dump_syms_command, no_inlines) },
	{ "--no-cfi", 0, NULL, "write no unwind rules",
	  CMD_STORE(FLAG, dump_syms_command, no_cfi) },
	{ "--check-cfi", 0, NULL, "write nothing and fail if unwind rules are missing",
	  CMD_STORE(FLAG, dump_syms_command, check_cfi) },
	{ "--no-publics", 0, NULL, "write no linker symbols",
	  CMD_STORE(FLAG, dump_syms_command, no_publics) },
	{ "--name", 0, "NAME", "name of the module and of the symbol file",
	  CMD_STORE(TEXT, dump_syms_command, name) },
	{ "--id", 0, "ID", "debug identifier in the MODULE record",
	  CMD_STORE(TEXT, dump_syms_command, id) },
	{ "--os", 0, "OS", "operating system in the MODULE record",
	  CMD_STORE(TEXT, dump_syms_command, os) },
	{ "--threads", 0, "N", "use N threads (default: one for each processor)",
	  CMD_STORE(NUMBER, dump_syms_command, threads) },
	{ "--binaries", 0, "DIR", "search DIR for debug files; repeatable",
	  CMD_STORE(LIST, cmd_options, binaries) },
	{ "--system-binaries", 0, NULL, "also search this system's files by build ID",
	  CMD_STORE(FLAG, cmd_options, system_binaries) },
	{ "--no-comp-dir", 0, NULL, "open no .dwo files where they were compiled",
	  CMD_STORE(FLAG, cmd_options, no_comp_dir) },
};

const struct cmd_command cmd_dump_syms = {
	.name = "dump-syms", .arguments = "BINARY|DIR [DEBUGFILE...]",
	.help = "write the symbol files of programs or libraries",
	.least = 1, .most = 0, CMD_OWN(own_options, dump_syms_command),
	.run_alone = dump_syms_run,
};
