/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_SUBJECT_H
#define CMD_SUBJECT_H

#include "cmd/cmd.h"
#include "crash/module_map.h"
#include "rules/rule_table.h"

/**
 * A file whose addresses can be looked up: a symbol file, an ELF or PE file, or a dump with its
 * modules. Addresses are relative to the module's base (symbol file), linked addresses (ELF or PE
 * file), or addresses of the process (dump). MODULE+OFFSET works for all three.
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
	struct symfile *symfile;	/* NULL: not SUBJECT_SYMBOLS */
	const struct binary *binary;	/* NULL: not SUBJECT_BINARY */
	struct cmd_input input;		/* the dump, or a crash with only the binary as module */
	struct module_map modules;	/* used for SUBJECT_DUMP only */
};

struct subject_place {
	size_t module;			/* index in the crash; 0 if the subject is not a dump */
	uint64_t address;		/* relative to the module's base */
	uint64_t shown;			/* address as it was given */
};

/** Open the first path of the options, with symbols from the other paths. Prints errors. */
enum cmd_status
subject_open(struct subject *subject, const struct cmd_options *options);

/**
 * If the subject is a symbol file, report the other paths as unused, because a symbol file has no
 * modules that could use them. They affect the exit status like other unusable paths.
 */
void
subject_refuse_others(struct subject *subject, const struct cmd_options *options);

void
subject_close(struct subject *subject);

/** Print the messages of all input files to standard error. */
void
subject_print_messages(const struct subject *subject);

/** Whether a text may be an address: a hexadecimal number, alone or after MODULE+. */
bool
subject_is_address(const char *text);

/** Find the place of the address in `text`. False: the text is not an address. */
bool
subject_place_of(const struct subject *subject, const char *text, struct subject_place *place);

/** The data of a module; its symbols are read on demand. */
struct rule_module
subject_module(struct subject *subject, size_t module);

/** Refuse a file of an architecture without registers, with a message; else CMD_DONE. */
enum cmd_status
subject_needs_registers(struct subject *subject);

/** The base name of a module. */
const char *
subject_module_name(const struct subject *subject, size_t module);

/** The function name most similar to a misspelled name, in `arena`; NULL: none. */
const char *
subject_near_function(struct subject *subject, const char *name, struct arena *arena);

/**
 * Call `found` for each function with this name, with or without parameters: "f", "f(int)",
 * "module!f". Returns their number.
 */
size_t
subject_functions(struct subject *subject, const char *name,
		  void (*found)(void *context, const struct subject_place *place), void *context);

#endif
