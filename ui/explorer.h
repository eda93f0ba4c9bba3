/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_EXPLORER_H
#define UI_EXPLORER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/policy.h"
#include "locate/binaries.h"
#include "crash/crash.h"
#include "locate/symbol_store.h"

/** The interface of the explorer to the rest of the program; it includes no curses or readline. */

struct config;
struct explorer_options;
struct signature_rules;
struct output;
struct fetch_options;

/** The dump to compare with; all members are borrowed. */
struct explorer_other {
	struct crash *crash;		/* not const: `redact` may be changed */
	struct symbols *symbols;
	struct binaries *binaries;
};

/** The options of the explorer; all members are borrowed. */
struct explorer_options {
	struct crash *crash;		/* not const: `redact` may be changed */
	struct symbols *symbols;
	struct binaries *binaries;	/* files of the modules; NULL: none */
	/**
	 * Open the modules' files anew. Searches the places in `more` after the given ones. The
	 * caller frees the result. NULL when out of memory.
	 */
	struct binaries *(*open_binaries)(const void *context, const struct crash *crash,
					  const char *const *more, size_t count);
	const void *binaries_context;
	/* paths that :dump opens; `dump` is the index of the open one */
	const char *const *dumps;
	size_t dump_count, dump;
	/**
	 * Open dump `dump` and its files anew, and store them in the options. The previous files
	 * stay open until the next call. NULL: the dump cannot be read again.
	 */
	enum error_code (*open_again)(void *context, struct explorer_options *options,
				      struct error *error);
	void *open_context;
	/** Set the pc of an invented thread for the next open_again. NULL: no invented thread. */
	void (*set_address)(void *context, uint64_t pc);
	void *address_context;
	const struct fetch_options *fetch; /* settings of requests to servers, without its URLs */
	const struct explorer_other *other;	/* NULL: none */
	struct policy policy;
	enum policy_column compat;	/* the column that the policy is based on */
	const struct signature_rules *signature_rules;	/* NULL: the built-in ones */
	const char *const *source_maps;	/* OLD=NEW */
	size_t source_map_count;
	const char *color;		/* "auto", "always" or "never" */
	bool ascii;
	const char *lesson;		/* directory of the lesson to do; NULL: none */
	char *next_lesson; /* set to the directory of the lesson to open next, or NULL */
	size_t next_lesson_size;
	const char *at;			/* place to begin at, as in :at; NULL: the crash */
	const char *script;		/* file of keys and commands; "-": stdin; NULL: none */
	const char *script_text; /* script text, used if `script` is NULL; NULL: none */
	/* script to play on the screen, used if `script` is NULL; NULL: none */
	const char *play;
	const char *record;		/* file to record the session in; NULL: none */
	const char *const *arguments;	/* the command line, for the record's first line */
	size_t argument_count;
	bool plain;			/* no screen: rows are printed */
	bool no_state;			/* save no state for the next session */
	struct config *config;		/* the configuration file; NULL: none */
	const struct output *output;	/* receives the output of --plain */
	/** Print a line for a user without a screen; the text is safe for terminals. */
	void (*complain)(const char *text);
	bool *failed;			/* set if a command of the script failed */
	unsigned columns, rows;		/* size of the headless screen of a script */
};

/**
 * Run the explorer until the user leaves, and restore the terminal. On failure `error` says why: no
 * usable terminal, or an unreadable script.
 */
enum error_code
explorer_run(const struct explorer_options *options, struct error *error);

/** Check the syntax of a place, without looking for the place in a crash. */
enum error_code
explorer_check_place(const char *text, struct error *error);

/** The beginning of the message about a line that explorer_permits() refuses. */
#define EXPLORER_REFUSAL "a file may not run"

/**
 * Whether a lesson or a played script may run `line`. It may if request.def allows the request of
 * the line for files. A script that the user runs with --script may use all commands.
 */
bool
explorer_permits(const char *line);

/** The command that shows view `number` (enum layout_view). NULL after the last view. */
const char *
explorer_view_command(size_t number);

/** Load the libraries of the explorer; their names and versions. */
const char *
explorer_libraries(void);

/**
 * Services of the broker (system/broker.h). One runs the user's editor on "LINE COLUMN PATH". The
 * other runs the copy command `context` on data from the socket, if `argument` equals it.
 */
int
explorer_serve_editor(int socket, const char *argument, const void *context);

int
explorer_serve_copy(int socket, const char *argument, const void *context);

#endif
