/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_SUBJECT_H
#define CMD_SUBJECT_H

#include "cmd/cmd.h"
#include "crash/module_map.h"
#include "rules/rule_table.h"

/**
 * A file whose addresses are asked about: a symbol file, an ELF or PE file, or a dump with its
 * modules. Addresses of a symbol file count from the module's base, those of a program are as it
 * was linked, those of a dump are the process's; MODULE+OFFSET works with all.
 */
enum subject_kind {
	SUBJECT_SYMBOLS,
	SUBJECT_BINARY,
	SUBJECT_DUMP,
};

struct subject {
	enum subject_kind kind;
	const char *path;
	struct policy policy;
	struct arena arena;
	struct symfile *symfile;	/* of SUBJECT_SYMBOLS */
	const struct binary *binary;	/* of SUBJECT_BINARY */
	struct cmd_input input;		/* not of SUBJECT_SYMBOLS; a file is the only module */
	struct module_map modules;	/* of SUBJECT_DUMP */
};

/** An address of a module. */
struct subject_place {
	size_t module;			/* index in the crash; 0 of other files */
	uint64_t address;		/* counted from the module's base */
	uint64_t shown;			/* as it was asked for */
};

/** Open the first path of the options with the symbols of the others. Prints what is wrong. */
enum cmd_status
subject_open(struct subject *subject, const struct cmd_options *options);

/**
 * Say which other paths of the options are not used, if the file is a symbol file: it has no
 * modules whose files they could have. They set the exit status as all that gives nothing.
 */
void
subject_refuse_others(struct subject *subject, const struct cmd_options *options);

void
subject_close(struct subject *subject);

/** Messages of all that was read, to standard error. */
void
subject_print_messages(const struct subject *subject);

/** Whether text could be an address: hexadecimal digits, with 0x or behind MODULE+. */
bool
subject_is_address(const char *text);

/** The place that text names; false: it names none. */
bool
subject_place_of(const struct subject *subject, const char *text, struct subject_place *place);

/** What is known of a module; its symbols are read when asked for. */
struct rule_module
subject_module(struct subject *subject, size_t module);

/** The base name of a module. */
const char *
subject_module_name(const struct subject *subject, size_t module);

/** The function's name that was most likely meant by a misspelled one, in `arena`; NULL: none. */
const char *
subject_near_function(struct subject *subject, const char *name, struct arena *arena);

/**
 * Call `found` for each function of the name, with or without its parameters: "f", "f(int)",
 * "module!f". How many there were.
 */
size_t
subject_functions(struct subject *subject, const char *name,
		  void (*found)(void *context, const struct subject_place *place), void *context);

#endif
