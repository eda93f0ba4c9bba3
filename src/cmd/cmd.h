/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/policy.h"
#include "crash/crash.h"
#include "document/facts.h"
#include "document/listing.h"
#include "document/page.h"
#include "locate/fetch.h"
#include "locate/source_file.h"
#include "locate/symbol_store.h"

/**
 * The commands of the program and their common parts.
 *
 * Help, manual pages and completion are made from one table of commands and one table of options.
 * Only src/cmd prints and sets exit statuses.
 */
enum cmd_status {
	CMD_DONE = 0,
	/* a search found something, or there were messages with --strict */
	CMD_FINDINGS = 1,
	CMD_USAGE = 2,
	CMD_UNREADABLE = 3,
	/* done, but some parts are missing for lack of memory or descriptors */
	CMD_INCOMPLETE = 4,
	CMD_STOPPED = 128, /* stopped early with partial results; 128 plus the signal's number */
};

/** Values of a repeatable option, in order. */
struct cmd_list {
	const char **items;
	size_t count;
};

struct cmd_address {
	uint64_t value;
	bool given;
};

struct cmd_command;

/**
 * The parsed command line. It borrows strings from the arguments or from the environment. It has
 * the options that several commands share (enum cmd_group). A command with options of its own has
 * its own struct, whose first member is this struct.
 */
struct cmd_options {
	const struct cmd_command *command;
	const char **paths;		/* path of the input, then paths of symbols */
	size_t path_count;
	const char **asked;		/* arguments that are not paths (enum cmd_asked) */
	size_t asked_count;
	bool show_help, show_version;
	const char *color;		/* "auto", "always" or "never" */
	bool json, pretty;		/* pretty: JSON with one member per line */
	bool show_schema;
	bool json_errors;		/* print messages as lines of JSON */
	bool no_pager;
	bool strict;
	long thread, frame;		/* -1: not given */
	const char *against;		/* path of another dump; NULL: none */
	bool redact;			/* leave out possible secrets */
	bool as_page;			/* print a page in the form `page` */
	enum page_form page;

	long dump_index;		/* 1-based index among the file's dumps; -1: not given */
	enum policy_column compat;
	struct policy policy;
	bool policy_set[POLICY_ROWS];	/* rows set by --policy, which --compat does not change */
	struct cmd_list symbol_paths, symbol_urls;
	const char *symbols_cache;	/* directory */
	long symbols_timeout, symbols_limit;	/* seconds, MB; -1: not given */
	struct cmd_list binaries;
	struct cmd_list more_binaries;	/* in addition to `binaries` or those of the environment */
	struct cmd_list named;		/* NAME=FILE: the files of modules */
	struct cmd_list more_servers;	/* symbol paths, in addition to all others */
	bool system_binaries;
	bool no_system_binaries;	/* ignore this system's files, even for a core */
	bool follow_pointers;		/* follow the paths in file.ptr of symbol stores */
	bool offline;
	bool no_comp_dir;	/* do not open .dwo files in their compilation directories */
	const char *sandbox;		/* "on", "off" or "required"; NULL: not given ("on") */
	bool no_cache;			/* neither use nor save indexes of symbol files */
	struct cmd_list source_maps;	/* OLD=NEW */
	struct cmd_list arguments;	/* all arguments as typed */
	struct cmd_list outputs;	/* values of CMD_OUTPUT, and other paths to write */
	bool writes_paths;		/* the command also writes `paths` */
	const char *signature_rules;	/* path; NULL: the built-in rules */
};

/** The type of an option's value. */
enum cmd_kind {
	CMD_FLAG,			/* bool */
	CMD_NUMBER,			/* long, at least 0 */
	CMD_TEXT,			/* const char * */
	CMD_OUTPUT,			/* const char *: a path that is written */
	CMD_ADDRESS,			/* struct cmd_address, from hexadecimal digits */
	CMD_LIST,			/* struct cmd_list */
	CMD_SET,			/* the option's function stores it */
};

struct cmd_option {
	const char *name;		/* "--machine" */
	char letter;			/* 'm'; 0: none */
	const char *argument;		/* "N"; NULL: none */
	const char *help;		/* "": hidden in the help */
	enum cmd_kind kind;
	size_t offset;			/* offset in the command's struct of options */
	/* Returns a message with one %s for an invalid value; NULL: valid. May be NULL. */
	const char *(*check)(struct cmd_options *options, const char *value);
};

/** The last fields of an option's row: the value is stored in `member` of struct `options`. */
#define CMD_STORE(kind, options, member) CMD_##kind, offsetof(struct options, member), NULL
/** The last fields of the row of an option that only calls its `check`. */
#define CMD_CALL(check) CMD_SET, 0, check

/** The `check` of an option that chooses a form of JSON. */
const char *
cmd_set_json(struct cmd_options *options, const char *value);

/** The `check` of --format for text or pages. */
const char *
cmd_set_page(struct cmd_options *options, const char *value);

/** Groups of shared options, by subject. */
enum cmd_group {
	CMD_GROUP_JSON = 1 << 0,
	CMD_GROUP_THREAD = 1 << 1,
	CMD_GROUP_AGAINST = 1 << 2,
	CMD_GROUP_INPUT = 1 << 3,	/* symbols, files of modules, policy */
	CMD_GROUP_METHODS = 1 << 4,
	CMD_GROUP_NAMES = 1 << 5,
	CMD_GROUP_REDACT = 1 << 6,
	CMD_GROUP_SOURCE = 1 << 7,
	CMD_GROUP_STRICT = 1 << 8,
	CMD_GROUP_SIGNATURE = 1 << 10,
	CMD_GROUP_FOREIGN = 1 << 9,	/* options of other walkers: ignored or explained */
};

/** The groups of a command that shows a walk or its sources. */
#define CMD_GROUPS_OF_WALK \
	(CMD_GROUP_THREAD | CMD_GROUP_INPUT | CMD_GROUP_METHODS | CMD_GROUP_NAMES | \
	 CMD_GROUP_REDACT | CMD_GROUP_STRICT)

/** The arguments that are not paths but questions. */
enum cmd_asked {
	CMD_ASKED_NONE,
	CMD_ASKED_LAST,
	CMD_ASKED_OTHERS,		/* "-", and later arguments that name no file */
};

/** Inputs that are opened before a command runs, except with run_alone. */
enum cmd_needs {
	CMD_NEEDS_INPUT,		/* the dump with its symbols */
	CMD_NEEDS_WALK,			/* also the walk of a thread; an error without threads */
	/* also `around`, with the walk of a thread if there is one */
	CMD_NEEDS_SURROUNDINGS,
};

/** How a command enters the sandbox. */
enum cmd_guard {
	CMD_GUARD_BATCH,
	CMD_GUARD_SESSION,		/* the user may type paths later */
	CMD_GUARD_OWN,	/* the command enters the sandbox itself, or runs programs outside of it */
};

struct cmd_input;

struct cmd_command {
	const char *name;
	const char *arguments;		/* "DUMP [SYMBOLS...]" */
	const char *help;
	size_t least, most;		/* number of paths; `most` 0: no limit */
	enum cmd_asked asked;
	enum cmd_needs needs;
	unsigned groups;		/* bits of enum cmd_group */
	/*
	 * Options of this command alone, which take precedence over shared ones with the same name.
	 */
	const struct cmd_option *options;
	size_t option_count;
	size_t size;			/* size of its struct of options; 0: struct cmd_options */
	const struct fact *document;	/* document of --json; NULL: no schema */
	bool lists;			/* --json prints a list of these documents */
	enum cmd_status (*run)(const struct cmd_options *options, struct cmd_input *input);
	enum cmd_guard guard;
	bool interactive;		/* the command uses the terminal by itself: no pager */
	/* Runs a command that opens its inputs by itself; NULL: the inputs are opened for it. */
	enum cmd_status (*run_alone)(const struct cmd_options *options);
};

/** The fields of a command's row for its own options. */
#define CMD_OWN(table, type) \
	.options = table, .option_count = ARRAY_COUNT(table), .size = sizeof(struct type)

#define GROUP(title)
#define COMMAND(name) extern const struct cmd_command cmd_##name;
#include "cmd/command.def"
#undef COMMAND
#undef GROUP

/** All commands in the order of the help; the first is the default. */
extern const struct cmd_command *const cmd_commands[];

/** The command with a name; NULL: none. */
const struct cmd_command *
cmd_command_named(const char *name);

/** Print a command's usage and options. */
enum cmd_status
cmd_print_help(const struct cmd_command *command);

extern const size_t cmd_command_count;

/** Return the option of a command at `*at` and advance `*at`; NULL at the end. */
const struct cmd_option *
cmd_next_option(const struct cmd_command *command, size_t *at);

/**
 * Parse the arguments after the command's name into the command's struct of options, which the
 * caller frees. NULL after a message.
 */
struct cmd_options *
cmd_parse(const struct cmd_command *command, size_t count, const char **arguments);

void
cmd_options_free(struct cmd_options *options);

/** Parse a hexadecimal address, with or without 0x. Prints a message on failure. */
bool
cmd_parse_address(const char *text, uint64_t *address);

/** Print "unspool: " and a line, made safe for a terminal, to standard error. */
void
cmd_say(const char *format, ...) ATTRIBUTE_PRINTF(1, 2);

/** Print messages as lines of JSON from now on. cmd_error_facts describes these lines. */
void
cmd_errors_as_json(void);

extern const struct fact cmd_error_facts[];

/** Print a line without "unspool: ", made safe for a terminal, to standard error. */
void
cmd_advise(const char *format, ...) ATTRIBUTE_PRINTF(1, 2);

/**
 * Whether standard error shows progress: it is a terminal, its messages are text, and no pager can
 * have started yet.
 */
bool
cmd_shows_progress(void);

/** Erase the progress line, if progress is shown. */
void
cmd_clear_progress(void);

/** The size of the terminal of standard output; 24 rows of 80 columns if it is unknown. */
void
cmd_terminal_size(size_t *rows, size_t *columns);

/** Record that standard output goes to the pager process; `messages`: print messages there, too. */
void
cmd_is_paged(bool messages);

/** Write the messages of the calling thread to `output` from now on; NULL: print them. */
void
cmd_keep_messages(const struct output *output);

/** Whether the last error that was printed has the reason of a shortage (system/shortage.h). */
bool
cmd_has_named(const char *shortage);

/** Whether cmd_note_refused() has noted an unusable argument. */
bool
cmd_has_refused(void);

/** Print a line, made safe for a terminal, to standard output. */
#define cmd_print(...) output_line(&cmd_output, __VA_ARGS__)

/** Print a usage error and how to get help. Returns CMD_USAGE. */
enum cmd_status
cmd_usage(const struct cmd_options *options, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Print "out of memory". Returns CMD_UNREADABLE. */
enum cmd_status
cmd_out_of_memory(void);

/**
 * Returns CMD_INCOMPLETE if the system lacked a resource (system/shortage.h), else CMD_DONE. If
 * incomplete, prints that `path` is not written, because readers of the file could not see that it
 * is incomplete.
 */
enum cmd_status
cmd_lacks(const char *path);

/** Writes the content of a file. False: out of memory. */
typedef bool cmd_write_content(void *context, const struct output *output);

/** Write a file completely or not at all; prints failures. `replace`: --force was given. */
enum cmd_status
cmd_write_file(const char *path, bool replace, cmd_write_content *write, void *context);

/** The input of a command: a crash with its symbols and the parts that the command's row needs. */
struct cmd_input {
	struct crash crash;
	struct symbols *symbols;
	struct binaries *binaries;	/* files of the modules; not NULL once open */
	struct cmd_list symbol_places;	/* symbols arguments, without `own_files` */
	struct cmd_list own_files;	/* executables and PDBs among the symbols arguments */
	struct fetcher *fetcher;	/* NULL: no downloads */
	struct fetch_options fetch;	/* settings of requests, also to servers named later */
	struct fetch_memory *answers;	/* answers of servers; NULL: the cache has them */
	/* walk of the chosen thread with its first frame; or NULL */
	struct walk *walk;
	struct walk **walks;		/* a walk for each thread, for `around`; or NULL */
	struct surroundings *around;	/* or NULL */
	struct signature_rules *rules;	/* rules from --signature-rules; NULL: the built-in ones */
	bool refused;			/* an argument is unusable; a message says why */
	const char *unused_cache;	/* --symbols-cache if no server is used; or NULL */
	struct arena arena;		/* holds paths and URLs */
};

/**
 * Split the paths of the options into `dumps` and `rest`, both in `arena`. Dumps are the first path
 * and all paths that look like dumps. A directory among the first `folders` paths is replaced by
 * the dumps in it. The rest may have symbols. `rest` begins with a free slot for a dump, so that it
 * can serve as `paths`. False: out of memory.
 */
bool
cmd_sort_paths(const struct cmd_options *options, size_t folders, struct arena *arena,
	       struct cmd_list *dumps, struct cmd_list *rest);

/**
 * If `*path` is a directory, replace it by the path of the newest dump in it or at most two levels
 * below. Sets `*note` to a message that names the other dumps, or to NULL if no other exists. Both
 * texts are in `arena`. ERROR_IO if the directory has no dump.
 */
enum error_code
cmd_dump_in_folder(struct arena *arena, const char **path, const char **note,
		   struct error *error);

/**
 * Open a dump, or the newest dump of a directory (cmd_dump_in_folder), with the symbols of the
 * options. Inputs share symbol files through `cache`, which must outlive them; NULL: not shared.
 * Prints errors. If `error` is not NULL, errors of the dump itself are stored there instead.
 */
enum cmd_status
cmd_input_open(struct cmd_input *input, const struct cmd_options *options, const char *path,
	       struct symbols_cache *cache, struct error *error);

/** Like cmd_input_open(), with all parts that the command's row needs. Always close `input`. */
enum cmd_status
cmd_input_open_whole(struct cmd_input *input, const struct cmd_options *options);

/**
 * Open an ELF or PE file as a crash with this module. The input then owns the file. The debug files
 * that the file names are also searched for in its directory.
 */
enum cmd_status
cmd_input_open_binary(struct cmd_input *input, const struct cmd_options *options,
		      struct binary *binary, struct symbols_cache *cache);

/**
 * Open a symbol file as a crash with one module at address 0. The other paths of the options may
 * have more files of this module.
 */
enum cmd_status
cmd_input_open_symbols(struct cmd_input *input, const struct cmd_options *options,
		       const struct symfile *symfile);

/**
 * The `check` of an option. If DEBUGINFOD_URLS is empty, uses the servers of /etc/debuginfod, as a
 * login shell does. Returns a problem or NULL, like every `check`.
 */
const char *
cmd_set_debuginfod(struct cmd_options *options, const char *value);

/** The options for finding sources, for a command whose input is open. All members are borrowed. */
struct source_options
cmd_source_options(const struct cmd_input *input, const struct cmd_options *options);

void
cmd_input_close(struct cmd_input *input);

/**
 * Open a symbol file argument. Close it with symfile_close. A file without any record is refused,
 * because it is empty or another kind of text.
 */
enum error_code
cmd_open_symbols(struct symfile **symfile, const char *path, struct error *error);

/**
 * A symbol file. If it was made from an executable, also its text and the executable, because
 * errors refer to both.
 */
struct cmd_written {
	struct symfile *symfile;
	char *text;
	struct crash crash;
	struct binaries *binaries;	/* NULL: no executable */
};

/**
 * Open a symbol file, or make one from an executable or a PDB, as dump-syms writes it. Call
 * cmd_written_close in any case.
 */
enum error_code
cmd_written_open(struct cmd_written *written, const char *path, struct error *error);

void
cmd_written_close(struct cmd_written *written);

struct lint_baseline;

/**
 * Read the findings of an earlier run of `command`, with messages. False: the file cannot be read.
 * Call lint_baseline_free in any case.
 */
bool
cmd_read_baseline(struct lint_baseline *baseline, const char *path, const char *command);

/** Run the program: parse the arguments and run the command. Returns the exit status. */
int
cmd_main(int argc, char **argv);

/** Open the inputs of a command, run it, and print its input's messages. Returns its status. */
enum cmd_status
cmd_run(const struct cmd_options *options);

/**
 * Enter the sandbox (system/sandbox.h), unless the process is in it, or the options or
 * UNSPOOL_SANDBOX=off forbid it. Files named by the command line, options and environment stay
 * readable; a broker opens other files. `session`: paths may be typed later. `copy_command`:
 * program that receives copies; NULL: none. Call it before reading an input and before starting a
 * thread. False, with a message, if descriptors or memory are exhausted.
 */
bool
cmd_sandbox(const struct cmd_options *options, const char *copy_command, bool session);

/**
 * If standard output is a terminal and the command's text may need a pager, continue in a child
 * process. The parent does not return: it copies the child's output to the terminal or to the
 * pager. Call this before entering the sandbox.
 */
void
cmd_page_output(const struct cmd_options *options);

/** Describe the sandbox features of this system in a line. */
const char *
cmd_sandbox_kind(char *buffer, size_t size);

/** If standard error is a terminal, show there the symbol file being read, and the progress. */
void
cmd_show_progress(struct cmd_input *input);

/** Show on standard error the number of files done. */
void
cmd_show_files(size_t done, size_t total);

/** Progress in percent on standard error, shown only if there are `least` items or more. */
struct cmd_percent {
	uint64_t least, shown;
};

/** Show the progress; `context` is a struct cmd_percent. Returns true. */
bool
cmd_show_percent(void *context, uint64_t done, uint64_t total);

/** Erase the percent from the screen if it was shown. */
void
cmd_clear_percent(const struct cmd_percent *percent);

/** The cache of debuginfod clients (debuginfod-client-config(7)), in `arena`; NULL: none. */
const char *
cmd_debuginfod_directory(struct arena *arena);

/**
 * The items of `given` (or, if it is empty, the parts of an environment variable), then the items
 * of `more`. Lives in `arena`; empty when out of memory.
 */
struct cmd_list
cmd_gather(struct arena *arena, const struct cmd_list *given, const char *variable,
	   const char *separators, const struct cmd_list *more);

struct symbol_path;

/**
 * Read the places of --binaries, or else of UNSPOOL_BINARIES: symbol paths into `path`, others into
 * `plain`. Without symbol paths, use that of the environment. False when out of memory.
 */
bool
cmd_symbol_path(struct symbol_path *path, struct cmd_list *plain,
		const struct cmd_options *options, struct arena *arena);

/**
 * Open the modules' files. They are searched for in the places of --binaries (or else of
 * UNSPOOL_BINARIES) and of `input`. Servers of `input` supply missing files. With
 * --system-binaries, and by default for a core, this machine is searched, too. A Windows dump also
 * uses symbol directories, symbol servers and the environment's symbol path. NULL when out of
 * memory.
 */
struct binaries *
cmd_binaries_open(const struct crash *crash, const struct cmd_options *options,
		  const struct cmd_input *input);

/** Note whether a printed message about the input makes an argument unusable. */
void
cmd_note_refused(const struct cmd_input *input);

/**
 * Print the messages of the dump and of the loaded symbols to standard error, and note refused
 * arguments.
 */
void
cmd_print_messages(const struct cmd_input *input);

/** Print the messages of a list to standard error; nothing for NULL. */
void
cmd_print_message_list(const struct message_list *list);

/**
 * Print an error as `unspool: place: text`, and its hint on a second line. If there is no place and
 * `path` is NULL, print only the text. Returns CMD_UNREADABLE.
 */
enum cmd_status
cmd_print_error(const struct error *error, const char *path);

/**
 * Standard output, and standard error for messages that quote an input or the command line. Both
 * replace the same user names if --redact is given.
 */
extern const struct output cmd_output, cmd_errors;

/**
 * Choose when standard output has colours: "always", "never" or "auto". "auto" gives colours on a
 * terminal that is not dumb, or with CLICOLOR_FORCE, but none with NO_COLOR. False: unknown word.
 */
bool
cmd_set_colors(const char *when);

/** Add the user names in the command line and in this process's environment. */
void
cmd_learn_names(const struct cmd_options *options);

/** Add the user names in the FILE records of a symbol file, if names are replaced. */
void
cmd_learn_records(const struct file *file);

/** Print the JSON document of a command, which OBJECT_members writes from the arguments. */
#define CMD_DOCUMENT(options, object, ...) \
	FACTS_DOCUMENT(&cmd_output, (options)->pretty, object, __VA_ARGS__)

/** Print a listing with its head as text. */
void
cmd_print_listing(struct listing listing);

/**
 * Print the messages of the input after the answer. Returns the result of cmd_finish if `status` is
 * CMD_DONE, else `status`.
 */
enum cmd_status
cmd_answered(const struct cmd_input *input, const struct cmd_options *options,
	     enum cmd_status status);

/** CMD_DONE, or CMD_FINDINGS if there were warnings and --strict is given. */
enum cmd_status
cmd_finish(const struct cmd_input *input, const struct cmd_options *options);

/**
 * Find the thread that has the number of --thread in the output of `walk`; by default, the first
 * thread there. `*index` is its index in the crash. Prints a message if no thread has the number.
 */
bool
cmd_find_thread(const struct cmd_input *input, const struct cmd_options *options, size_t *index);

/** Walk a thread, given by its index in the crash, to its end; NULL when out of memory. */
struct walk *
cmd_walk_thread(const struct cmd_input *input, const struct cmd_options *options, size_t thread);

/**
 * Walk to the frame of --frame, by default to frame 0. Prints a message if the walk has no such
 * frame. `walk` may be NULL.
 */
bool
cmd_find_frame(struct walk *walk, const struct cmd_options *options, size_t *frame);

/** Find a register by name. Prints a message if no register has the name. */
bool
cmd_find_register(const struct walk *walk, const char *name, int *reg);

/** Print the walks of the dumps, like the command `walk` without options of its own. */
enum cmd_status
cmd_walk_plainly(const struct cmd_options *options);

#endif
