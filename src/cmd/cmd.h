/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/policy.h"
#include "binary/binary.h"
#include "crash/crash.h"
#include "document/output.h"
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
};

/** Values of an option that may be given several times, in order. */
struct cmd_list {
	const char **items;
	size_t count;
};

/** What the command line says; strings are borrowed from it or from the environment. */
struct cmd_options {
	bool machine, strict, brief_help, version;
	bool markdown;			/* walk, explain */
	bool json, pretty;		/* walk: JSON, with a member a line */
	bool schema;			/* the JSON Schema of --json */
	bool brief;			/* walk: summary and the requesting thread */
	bool backtrace;			/* walk: the requesting thread's frames, a line each */
	bool stack;			/* walk: the words of every frame, too */
	bool fold;			/* walk: the turns of a cycle once */
	bool requesting_only;		/* walk: of the threads only the requesting one */
	bool rules, walk;		/* sframe: postfix of rows; a walk file */
	const char *section_address, *function;	/* sframe */
	struct cmd_list at;		/* sframe: addresses */
	enum policy_column compat;
	struct policy policy;
	bool policy_set[POLICY_COUNT];	/* rows that --policy chose, whatever --compat says */
	long thread, frame;		/* -1: not given */
	long dump_index;		/* of the file's dumps, from 1; -1: not given */
	const char *reg;
	const char *output;		/* export-case: a directory */
	bool all_methods;		/* explain: every method of the frame, compared */
	const char *color;		/* "auto", "always" or "never" */
	const char *script, *size;
	const char *against;		/* another dump; NULL: none */
	const char *record;		/* file to write what is done to; NULL: none */
	const char *config;		/* file; NULL: the user's */
	bool plain, no_config, no_state;
	bool ascii;
	bool no_demangle;		/* names as files have them */
	bool redact;			/* leave out what may be secret */
	struct cmd_list source_maps;	/* OLD=NEW */
	struct cmd_list symbol_paths;	/* --symbols-path */
	struct cmd_list binaries;	/* --binaries */
	struct cmd_list more_binaries;	/* behind those, or those of the environment */
	bool system_binaries;		/* --system-binaries */
	struct cmd_list streams;	/* streams: --stream */
	bool all;			/* stack: words that are folded, too */
	bool hex;			/* streams: raw bytes too */
	bool everywhere;		/* find: also between words */
	const char *from;		/* find: an address */
	bool no_cache;			/* neither use nor keep indexes of symbol files */
	bool clear;			/* cache: remove them */
	bool sarif;			/* lint */
	bool lines;			/* symdiff: lines and inlined calls, too */
	struct cmd_list accept, accept_files;	/* lint */
	const char *explain;		/* lint: a code */
	const char *module;		/* symbols: a file name */
	struct cmd_list symbol_urls;	/* --symbols-url */
	const char *symbols_cache;	/* --symbols-cache: a directory */
	long symbols_timeout, symbols_limit;	/* seconds, MB; -1: not given */
	const char *arch;		/* eval: whose registers and words; NULL: by the names */
	bool win, big_endian;		/* eval */
	const char **paths;		/* the dump, then symbols */
	size_t path_count;
};

/** What an option's value becomes. */
enum cmd_kind {
	CMD_FLAG,			/* bool */
	CMD_NUMBER,			/* long, from 0 up */
	CMD_TEXT,			/* const char * */
	CMD_LIST,			/* struct cmd_list */
	CMD_SET,			/* whatever a function makes of it */
};

/** One option; which commands take it is a set of their letters. */
struct cmd_option {
	const char *name;		/* "--machine" */
	char letter;			/* 'm'; 0: none */
	const char *argument;		/* "N"; NULL: none */
	const char *commands;		/* letters; NULL: all of them */
	const char *help;
	enum cmd_kind kind;
	size_t offset;			/* of the member of struct cmd_options */
	/* CMD_SET: returns what is wrong with the value, with one %s for it; NULL: nothing. */
	const char *(*set)(struct cmd_options *options, const char *value);
};

/**
 * An option of another program that people have in their fingers. Where it asks for what is
 * done anyway it is taken in silence; else a sentence says what to use instead.
 */
struct cmd_foreign {
	const char *name;		/* "--symbols-url" or "-d" */
	bool argument;			/* a value follows */
	const char *instead;		/* NULL: nothing to say */
};

struct cmd_command {
	const char *name;		/* the first is meant where none is given */
	char letter;
	const char *arguments;
	const char *help;
	enum cmd_status (*run)(const struct cmd_options *options);
};

extern const struct cmd_option cmd_option_table[];
extern const size_t cmd_option_count;
extern const struct cmd_foreign cmd_foreign_table[];
extern const size_t cmd_foreign_count;
extern const struct cmd_command cmd_command_table[];
extern const size_t cmd_command_count;

/** Whether a command takes an option. */
bool
cmd_takes(const struct cmd_command *command, const struct cmd_option *option);

/** Parse what follows the command's name. On failure a message has been printed. */
bool
cmd_parse(const struct cmd_command *command, int argc, char **argv, struct cmd_options *options);

/** Parse a hexadecimal address, with 0x or without. On failure a message has been printed. */
bool
cmd_parse_address(const char *text, uint64_t *address);

void
cmd_options_free(struct cmd_options *options);

/** A crash with its symbols, as most commands want it. */
struct cmd_input {
	struct crash crash;
	struct symbols *symbols;
	struct binaries *binaries;	/* files of the modules; never NULL once open */
	struct debuginfod *debuginfod;	/* servers for them; NULL: none, or those of a cache */
	const char **symbol_paths;	/* of the command line, else of UNSPOOL_SYMBOLS */
	size_t symbol_path_count;
	char *environment;		/* copy that symbol_paths may point into */
	char *index_directory;		/* NULL: none is used */
	struct fetcher *fetcher;	/* NULL: nothing is fetched */
	const char **urls;		/* of symbol servers */
	char *url_environment;		/* copy that urls may point into */
	char *fetch_directory;
};

/** Open the dump and the symbols of the options. Prints what is wrong. */
enum cmd_status
cmd_input_open(struct cmd_input *input, const struct cmd_options *options);

/**
 * The same for an ELF or PE file, which becomes the input's: a crash whose only module it is.
 * Of its debug files those that it names itself are looked for beside it, too.
 */
enum cmd_status
cmd_input_open_binary(struct cmd_input *input, const struct cmd_options *options,
		      struct binary *binary);

/** Say on standard error which symbol file is read and how far it is, if that is a terminal. */
void
cmd_show_progress(struct cmd_input *input);

/** Where indexes of symbol files are kept, to be freed; NULL: nowhere. */
char *
cmd_index_directory(void);

/** The same, with symbol files that other inputs have read too; `cache` outlives the input. */
enum cmd_status
cmd_input_open_shared(struct cmd_input *input, const struct cmd_options *options,
		      struct symbols_cache *cache);

/** The same for the dump of --against, with the symbols of the options. */
enum cmd_status
cmd_open_other(struct cmd_input *input, const struct cmd_options *options,
	       struct symbols_cache *cache);

/** Print the same thread of two dumps side by side. */
enum cmd_status
cmd_against(const struct cmd_options *options);

/**
 * Make input->binaries, the modules' files in the directories of --binaries, else of
 * UNSPOOL_BINARIES, and more; with --system-binaries also this machine's. Where DEBUGINFOD_URLS names servers
 * and anything may come from the modules' files, these are asked, too; all that share `cache` (may be
 * NULL) share them. False when out of memory.
 */
bool
cmd_binaries_open(struct cmd_input *input, const struct cmd_options *options,
		  struct symbols_cache *cache);

struct debuginfod;

/** The same files opened once more, with servers that are open already (or NULL). */
struct binaries *
cmd_binaries_open_again(const struct crash *crash, const struct cmd_options *options,
			struct debuginfod *servers);

void
cmd_input_close(struct cmd_input *input);

/** Print the messages of the dump and of the symbols that were loaded to standard error. */
void
cmd_print_messages(const struct cmd_input *input);

/** Print the messages of one list to standard error; none on NULL. */
void
cmd_print_message_list(const struct message_list *list);

/** Print an error as `unspool: place: text` with its hint on a line of its own. */
void
cmd_print_error(const struct error *error, const char *path);

/** An output to standard output. */
struct output
cmd_output(void);

/** The same to standard error, for messages that name what an input or a user wrote. */
struct output
cmd_errors(void);

/** CMD_DONE, or CMD_FINDINGS where there were messages and --strict asks. */
enum cmd_status
cmd_finish(const struct cmd_input *input, const struct cmd_options *options);

/** Print the messages behind the answer; its status, where that is CMD_DONE that of cmd_finish. */
enum cmd_status
cmd_answered(const struct cmd_input *input, const struct cmd_options *options,
	     enum cmd_status status);

/** The names and versions of the engine's libraries, and what was left out. */
const char *
cmd_libraries(void);

/** Whether libdw is built in. */
bool
cmd_reads_dwarf(void);

struct walk;

/** What a command does with the walk of one thread. */
typedef enum cmd_status cmd_walk_action(struct walk *walk, const struct cmd_options *options);

/** Open the input and begin the walk of the thread of the options; print messages afterwards. */
enum cmd_status
cmd_on_walk(const struct cmd_options *options, cmd_walk_action *action);

/** Walk to the frame of the options, 0 without one. Prints where it is missing. */
bool
cmd_find_frame(struct walk *walk, const struct cmd_options *options, size_t *frame);

/** The register of the options. Prints where there is none of its name. */
bool
cmd_find_register(const struct walk *walk, const struct cmd_options *options, int *reg);

enum cmd_status
cmd_walk(const struct cmd_options *options);

enum cmd_status
cmd_summary(const struct cmd_options *options);

enum cmd_status
cmd_cfi(const struct cmd_options *options);

enum cmd_status
cmd_lookup(const struct cmd_options *options);

enum cmd_status
cmd_explain(const struct cmd_options *options);

enum cmd_status
cmd_stack(const struct cmd_options *options);

enum cmd_status
cmd_way(const struct cmd_options *options);

enum cmd_status
cmd_export_case(const struct cmd_options *options);

enum cmd_status
cmd_streams(const struct cmd_options *options);

enum cmd_status
cmd_explore(const struct cmd_options *options);

enum cmd_status
cmd_policy(const struct cmd_options *options);

enum cmd_status
cmd_sframe(const struct cmd_options *options);

/** `unspool sframe --walk`. */
enum cmd_status
cmd_sframe_walk(const struct cmd_options *options);

enum cmd_status
cmd_help(const struct cmd_options *options);

enum cmd_status
cmd_cache(const struct cmd_options *options);

enum cmd_status
cmd_eval(const struct cmd_options *options);

enum cmd_status
cmd_symdiff(const struct cmd_options *options);

enum cmd_status
cmd_lint(const struct cmd_options *options);

enum cmd_status
cmd_unwind_check(const struct cmd_options *options);

enum cmd_status
cmd_disassemble(const struct cmd_options *options);

enum cmd_status
cmd_whatis(const struct cmd_options *options);

enum cmd_status
cmd_find(const struct cmd_options *options);

enum cmd_status
cmd_symbols(const struct cmd_options *options);

#endif
