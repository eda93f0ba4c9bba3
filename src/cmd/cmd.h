/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/policy.h"
#include "crash/crash.h"
#include "document/facts.h"
#include "document/listing.h"
#include "locate/fetch.h"
#include "locate/symbol_store.h"

/**
 * The commands of the program and what they share.
 *
 * One table of commands and one of options; help, man pages and completion are made
 * from them. Only this room prints and decides exit statuses.
 */
enum cmd_status {
	CMD_DONE = 0,
	CMD_FINDINGS = 1,	/* of a command that looks for them, or messages with --strict */
	CMD_USAGE = 2,
	CMD_UNREADABLE = 3,
	/* Done, but without what the system had no memory or descriptors for */
	CMD_INCOMPLETE = 4,
	CMD_STOPPED = 128,	/* ended early with what was found; plus the number of the signal */
};

/** Values of an option that may be given several times, in order. */
struct cmd_list {
	const char **items;
	size_t count;
};

/** The value of an option that is an address. */
struct cmd_address {
	uint64_t value;
	bool given;
};

struct cmd_command;

/**
 * What the command line says; strings are borrowed from it or from the environment. These are
 * the values of the options that several commands have in common (enum cmd_group). A command with
 * options of its own has a struct of its own for them, which begins with this one.
 */
struct cmd_options {
	const struct cmd_command *command;
	const char **paths;		/* the input, then symbols */
	size_t path_count;
	const char **asked;		/* arguments that are no paths (enum cmd_asked) */
	size_t asked_count;
	bool show_help, show_version;
	bool json, pretty;		/* pretty: JSON with a member a line */
	bool show_schema;		/* print the JSON Schema of --json */
	bool strict;
	long thread, frame;		/* -1: not given */
	const char *against;		/* another dump; NULL: none */
	bool redact;			/* leave out what may be secret */

	long dump_index;		/* of the file's dumps, from 1; -1: not given */
	enum policy_column compat;
	struct policy policy;
	bool policy_set[POLICY_ROWS];	/* rows that --policy chose, whatever --compat says */
	struct cmd_list symbol_paths, symbol_urls;
	const char *symbols_cache;	/* a directory */
	long symbols_timeout, symbols_limit;	/* seconds, MB; -1: not given */
	struct cmd_list binaries;
	struct cmd_list more_binaries;	/* after those, or after those of the environment */
	struct cmd_list more_servers;	/* symbol paths, beside all others */
	bool system_binaries;
	bool no_system_binaries;	/* not for a core either */
	bool follow_pointers;		/* of symbol stores: the paths in their file.ptr */
	bool offline;			/* ask no server */
	bool no_comp_dir;		/* open no .dwo file where it was compiled */
	bool no_sandbox;
	bool no_cache;			/* neither use nor keep indexes of symbol files */
	struct cmd_list source_maps;	/* OLD=NEW */
	struct cmd_list arguments;	/* all, as they were typed */
	const char *signature_rules;	/* a file; NULL: the built-in ones */
};

/** What an option's value becomes. */
enum cmd_kind {
	CMD_FLAG,			/* bool */
	CMD_NUMBER,			/* long, from 0 up */
	CMD_TEXT,			/* const char * */
	CMD_ADDRESS,			/* struct cmd_address, from hexadecimal digits */
	CMD_LIST,			/* struct cmd_list */
	CMD_SET,			/* the function stores it */
};

struct cmd_option {
	const char *name;		/* "--machine" */
	char letter;			/* 'm'; 0: none */
	const char *argument;		/* "N"; NULL: none */
	const char *help;		/* "": not in the help */
	enum cmd_kind kind;
	size_t offset;			/* of the member of the command's struct of options */
	/* Returns what is wrong with the value, with one %s for it; NULL: nothing. May be NULL. */
	const char *(*check)(struct cmd_options *options, const char *value);
};

/** The last fields of a row: how a value is stored in `member` of the command's `struct`. */
#define CMD_STORE(kind, options, member) CMD_##kind, offsetof(struct options, member), NULL

/** The check of an option that chooses a form of JSON. */
const char *
cmd_set_json(struct cmd_options *options, const char *value);

/** Options that several commands have, by subject. */
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
	CMD_GROUP_FOREIGN = 1 << 9,	/* options of other walkers are recognised */
};

/** The groups of a command that shows a walk or what it came from. */
#define CMD_GROUPS_OF_WALK \
	(CMD_GROUP_THREAD | CMD_GROUP_INPUT | CMD_GROUP_METHODS | CMD_GROUP_NAMES | \
	 CMD_GROUP_REDACT | CMD_GROUP_STRICT)

/** Of the arguments those that are no paths but what the command is asked about. */
enum cmd_asked {
	CMD_ASKED_NONE,
	CMD_ASKED_LAST,			/* the last one */
	CMD_ASKED_OTHERS,		/* "-" and those after the first that name no file */
};

/** What is opened before a command runs, unless it runs alone. */
enum cmd_needs {
	CMD_NEEDS_INPUT,		/* the dump with its symbols */
	CMD_NEEDS_WALK,			/* and the walk of a thread; without threads an error */
	/* And `around`, with the walk of a thread if there is one */
	CMD_NEEDS_SURROUNDINGS,
};

/** How a command enters the sandbox. */
enum cmd_guard {
	CMD_GUARD_BATCH,
	CMD_GUARD_SESSION,		/* paths may be typed */
	CMD_GUARD_OWN,			/* by itself, or it runs programs and has none */
};

struct cmd_input;

struct cmd_command {
	const char *name;
	const char *arguments;		/* "DUMP [SYMBOLS...]" */
	const char *help;
	size_t least, most;		/* paths that must and may be given; most 0: any number */
	enum cmd_asked asked;
	enum cmd_needs needs;
	unsigned groups;		/* of enum cmd_group */
	/* Options of its own, which come before those of a group with the same name. */
	const struct cmd_option *options;
	size_t option_count;
	size_t size;			/* of its struct of options; 0: struct cmd_options */
	const struct fact *document;	/* what --json prints; NULL: no schema */
	bool lists;			/* the document is a list of such objects */
	enum cmd_status (*run)(const struct cmd_options *options, struct cmd_input *input);
	enum cmd_guard guard;
	/* Of a command that opens what it needs by itself; else NULL. */
	enum cmd_status (*run_alone)(const struct cmd_options *options);
};

/** The options of a command and their number, for its row. */
#define CMD_OWN(table, type) \
	.options = table, .option_count = ARRAY_COUNT(table), .size = sizeof(struct type)

#define COMMAND(name) extern const struct cmd_command cmd_##name;
#include "cmd/command.def"
#undef COMMAND

/** All commands in the order of the help; the first is meant where none is given. */
extern const struct cmd_command *const cmd_commands[];
extern const size_t cmd_command_count;

/** The next option of a command from `*at` on, which moves behind it; NULL: there are no more. */
const struct cmd_option *
cmd_next_option(const struct cmd_command *command, size_t *at);

/**
 * Parse what follows the command's name into the command's struct of options, to be freed. NULL
 * after a message.
 */
struct cmd_options *
cmd_parse(const struct cmd_command *command, int argc, char **argv);

void
cmd_options_free(struct cmd_options *options);

/** Parse a hexadecimal address, with 0x or without. On failure a message has been printed. */
bool
cmd_parse_address(const char *text, uint64_t *address);

/** Print "unspool: " and a line, made safe for a terminal, to standard error. */
void
cmd_say(const char *format, ...) ATTRIBUTE_PRINTF(1, 2);

/** Whether an error was printed: by cmd_say(), or of a file. */
bool
cmd_has_said(void);

/** Whether an argument of some input could not be used, as cmd_note_refused() was told. */
bool
cmd_has_refused(void);

/** Print a line, made safe for a terminal, to standard output. */
void
cmd_print(const char *format, ...) ATTRIBUTE_PRINTF(1, 2);

/** Print what is wrong with the command line and how to get help. Returns CMD_USAGE. */
enum cmd_status
cmd_usage(const struct cmd_options *options, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Print that memory ran out. Returns CMD_UNREADABLE. */
enum cmd_status
cmd_out_of_memory(void);

/**
 * CMD_DONE; or CMD_INCOMPLETE, said of the file to be written, if the system lacked something
 * (system/shortage.h): unlike a text, a file is used later, when the message is gone.
 */
enum cmd_status
cmd_lacks(const char *path);

/** Writes the content of a file; false: out of memory. */
typedef bool cmd_write_content(void *context, const struct output *output);

/** Write a file, which is whole or not there; what fails is said. `replace`: --force was given. */
enum cmd_status
cmd_write_file(const char *path, bool replace, cmd_write_content *write, void *context);

/** What a command looks at: a crash with its symbols, and what the row of the command needs. */
struct cmd_input {
	struct crash crash;
	struct symbols *symbols;
	struct binaries *binaries;	/* files of the modules; never NULL once open */
	struct cmd_list symbol_places;	/* what was given as symbols, without the next */
	struct cmd_list own_files;	/* programs and PDBs among it */
	struct fetcher *fetcher;	/* NULL: nothing is fetched */
	struct fetch_options fetch;	/* how servers are asked, also those that are named later */
	struct fetch_memory *answers;	/* what they answered; NULL: a cache's */
	/* Of the thread of the options, first frame only; or NULL */
	struct walk *walk;
	struct walk **walks;		/* a thread each, for `around`; or NULL */
	struct surroundings *around;	/* or NULL */
	struct signature_rules *rules;	/* of --signature-rules; NULL: the built-in ones */
	bool refused;			/* an argument cannot be used; a message says why */
	const char *unused_cache;	/* of --symbols-cache where no server is asked; or NULL */
	struct arena arena;		/* of paths and URLs */
};

/**
 * Open the dump and the symbols of the options; symbol files that other inputs have read are
 * shared through `cache`, which outlives the input; it may be NULL. Prints what is wrong.
 */
enum cmd_status
cmd_input_open(struct cmd_input *input, const struct cmd_options *options,
	       struct symbols_cache *cache);

/** cmd_input_open() with all that the row of the command needs. Closed in any case. */
enum cmd_status
cmd_input_open_whole(struct cmd_input *input, const struct cmd_options *options);

/** cmd_input_open, but what is wrong with the dump itself goes to `error` and is not printed. */
enum cmd_status
cmd_input_open_dump(struct cmd_input *input, const struct cmd_options *options,
		    struct symbols_cache *cache, struct error *error);

/**
 * Open an ELF or PE file, which becomes the input's, as a crash whose only module it is. Debug
 * files that it names are also searched beside it.
 */
enum cmd_status
cmd_input_open_binary(struct cmd_input *input, const struct cmd_options *options,
		      struct binary *binary, struct symbols_cache *cache);

/**
 * Open a symbol file as a crash whose only module it is the file of, at address 0; the other paths
 * of the options may have more.
 */
enum cmd_status
cmd_input_open_symbols(struct cmd_input *input, const struct cmd_options *options,
		       const struct symfile *symfile);

/**
 * Open the dump of --against with the symbols of the options; `error` NULL: the error is printed.
 */
enum cmd_status
cmd_input_open_other(struct cmd_input *input, const struct cmd_options *options,
		     struct symbols_cache *cache, struct error *error);

void
cmd_input_close(struct cmd_input *input);

/**
 * Open a symbol file that an argument names, to be closed with symfile_close. A file without any
 * record is refused: an empty one or other text is no symbol file.
 */
enum error_code
cmd_open_symbols(struct symfile **symfile, const char *path, struct error *error);

/** Open what the command needs, run it and print the messages of its input; its status. */
enum cmd_status
cmd_run(const struct cmd_options *options);

/**
 * Enter the sandbox (system/sandbox.h), unless the options or UNSPOOL_SANDBOX=off say no or this
 * is done: what the command line, the options and the environment name may be read; a broker
 * opens the rest. `session`: paths will be typed. `copy_command`: the program that gets what is
 * copied; NULL: none. Before the first byte of an input is read, and before any thread is
 * started. False after a message: the system has no descriptors or no memory for it.
 */
bool
cmd_sandbox(const struct cmd_options *options, const char *copy_command, bool session);

/** What of the sandbox there is on this system, in a line. */
const char *
cmd_sandbox_kind(char *buffer, size_t size);

/** Show on standard error which symbol file is read and how far, if that is a terminal. */
void
cmd_show_progress(struct cmd_input *input);

/** Show on standard error how many files are done. */
void
cmd_show_files(size_t done, size_t total);

/**
 * Let SIGINT and SIGTERM be noted from here on, unless they are ignored; the second one ends the
 * program.
 */
void
cmd_catch_stop(void);

/** Whether one of them came. */
bool
cmd_stopped(void);

/** The status of a command that ends with what it has because one came. */
enum cmd_status
cmd_stop_status(void);

/** Show on standard error how much of something is done; `context` has the percent shown last. */
void
cmd_show_percent(void *context, size_t done, size_t total);

/** Take it off the screen, if any was `shown`. */
void
cmd_clear_percent(size_t shown);

/** The cache of debuginfod's clients (debuginfod-client-config(7)), in `arena`; NULL: none. */
const char *
cmd_debuginfod_directory(struct arena *arena);

struct symbol_path;

/**
 * The symbol path of --binaries, or where there is none that of the environment, and the other
 * places of --binaries, or where there are none those of UNSPOOL_BINARIES. False when out of
 * memory.
 */
bool
cmd_symbol_path(struct symbol_path *path, struct cmd_list *plain,
		const struct cmd_options *options, struct arena *arena);

/**
 * The modules' files in the places of --binaries, else of UNSPOOL_BINARIES, and more, and in
 * those of `input`, whose servers are asked for what is missing; with --system-binaries also this
 * machine's. For a dump of Windows directories of symbols, the symbol path of the environment and
 * symbol servers count, too. NULL if memory ran out.
 */
struct binaries *
cmd_binaries_open(const struct crash *crash, const struct cmd_options *options,
		  const struct cmd_input *input);

/** Note whether an argument of the input cannot be used, when its messages are printed. */
void
cmd_note_refused(const struct cmd_input *input);

/**
 * Print the messages of the dump and of the symbols that were loaded to standard error, and note
 * what was refused.
 */
void
cmd_print_messages(const struct cmd_input *input);

/** Print the messages of one list to standard error; none on NULL. */
void
cmd_print_message_list(const struct message_list *list);

/**
 * Print an error as `unspool: place: text` with its hint on a line of its own; without a place of
 * its own and with NULL for `path` the text alone.
 */
void
cmd_print_error(const struct error *error, const char *path);

/** Standard output, and standard error for messages that quote an input or the command line. */
extern const struct output cmd_output, cmd_errors;

/** The names of users that both replace if --redact is given. */
struct user_names *
cmd_names(void);

/** Learn those of the command line and of this process's environment. */
void
cmd_learn_names(const struct cmd_options *options);

/** Learn the names of users in the FILE records of a symbol file, if names are replaced. */
void
cmd_learn_records(const struct file *file);

/** Print the JSON document of a command: what OBJECT_members writes of the arguments. */
#define CMD_DOCUMENT(options, object, ...) \
	FACTS_DOCUMENT(&cmd_output, (options)->pretty, object, __VA_ARGS__)

/** Print a listing with its head as text. */
void
cmd_print_listing(const struct listing *listing);

/** Print the messages of the input after the answer; its status, CMD_DONE becomes cmd_finish's. */
enum cmd_status
cmd_answered(const struct cmd_input *input, const struct cmd_options *options,
	     enum cmd_status status);

/** CMD_DONE, or CMD_FINDINGS if there were warnings and --strict is given. */
enum cmd_status
cmd_finish(const struct cmd_input *input, const struct cmd_options *options);

/**
 * The index in the crash of the thread that --thread names by the number that the walk prints; the
 * requesting or first one without it. Prints which threads there are if it names none.
 */
bool
cmd_find_thread(const struct cmd_input *input, const struct cmd_options *options, size_t *index);

/**
 * Walk to the frame of the options, 0 without one. Prints which there are if it names none, as of
 * no walk (NULL).
 */
bool
cmd_find_frame(struct walk *walk, const struct cmd_options *options, size_t *frame);

/** The register `name`. Prints that there is none of that name. */
bool
cmd_find_register(const struct walk *walk, const char *name, int *reg);

/** Print the walks of the dumps, as a command without options of its own. */
enum cmd_status
cmd_walk_plainly(const struct cmd_options *options);

#endif
