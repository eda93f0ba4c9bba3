/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_EXPLORER_H
#define UI_EXPLORER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/policy.h"
#include "locate/binaries.h"
#include "crash/crash.h"
#include "locate/symbol_store.h"

/**
 * The explorer, as the rest of the program sees it: no curses and no readline here.
 */

struct config;
struct explorer_options;
struct signature_rules;
struct output;
struct fetch_options;

/** The dump to compare with; everything is borrowed. */
struct explorer_other {
	struct crash *crash;		/* whether it is redacted may be changed */
	struct symbols *symbols;
	struct binaries *binaries;
};

/** What the explorer is asked for; everything is borrowed. */
struct explorer_options {
	struct crash *crash;		/* whether it is redacted may be changed */
	struct symbols *symbols;
	struct binaries *binaries;	/* the modules' own files; NULL: none */
	/**
	 * Open them as at the start, and look in more places behind those that were given; the
	 * caller frees them. NULL when out of memory.
	 */
	struct binaries *(*open_binaries)(const void *context, const struct crash *crash,
					  const char *const *more, size_t count);
	const void *binaries_context;
	/**
	 * Open the dump with its files as it is now, and put it into the options, which have the
	 * one that is shown; that stays open until the next call. NULL: the dump cannot be read
	 * again.
	 */
	enum error_code (*open_again)(void *context, struct explorer_options *options,
				      struct error *error);
	void *open_context;
	/**
	 * What is opened again begins at another address: of an invented thread. NULL: the dump
	 * says where threads are.
	 */
	void (*set_address)(void *context, uint64_t pc);
	void *address_context;
	const struct fetch_options *fetch;	/* how servers are asked; its URLs are not used */
	const struct explorer_other *other;	/* NULL: none */
	struct policy policy;
	enum policy_column compat;	/* that the policy began with */
	const struct signature_rules *signature_rules;	/* NULL: the built-in ones */
	const char *const *source_maps;	/* OLD=NEW */
	size_t source_map_count;
	const char *color;		/* "auto", "always" or "never" */
	bool ascii;
	const char *lesson;		/* directory of the lesson to do; NULL: none */
	const char *at;			/* place to begin at, as :at has it; NULL: the crash */
	const char *script;		/* file of keys and commands, "-": stdin; or NULL */
	/* Script to play on the screen, without `script`; or NULL */
	const char *play;
	const char *record;		/* file to write what was done to; or NULL */
	const char *const *arguments;	/* of the command line, for the record's first line */
	size_t argument_count;
	bool plain;			/* no screen: rows are printed */
	bool no_state;			/* keep nothing for the next time */
	struct config *config;		/* what the configuration file says; NULL: nothing */
	const struct output *output;	/* gets what --plain prints */
	/** Print a line for a user without a screen; it is safe for terminals. */
	void (*complain)(const char *text);
	bool *failed;			/* set where a command of the script could not be done */
	unsigned columns, rows;		/* of the screen with a script */
};

/**
 * Run the explorer until its user leaves. The terminal is restored on return. On failure
 * `error` says why: no terminal that can be used, or a script that can't be read.
 */
enum error_code
explorer_run(const struct explorer_options *options, struct error *error);

/** Whether a text is a place to begin at, in this crash or in another one. */
enum error_code
explorer_check_place(const char *text, struct error *error);

/** The names and versions of the libraries that the explorer is built with. */
const char *
explorer_libraries(void);

/**
 * Services of the broker (system/broker.h): the user's editor on "LINE COLUMN PATH"; the command
 * `context` with what comes through the socket, if it is the one that is asked for.
 */
int
explorer_serve_editor(int socket, const char *argument, const void *context);

int
explorer_serve_copy(int socket, const char *argument, const void *context);

#endif
