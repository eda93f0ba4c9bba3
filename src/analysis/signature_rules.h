/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_SIGNATURE_RULES_H
#define ANALYSIS_SIGNATURE_RULES_H

#include <regex.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/message.h"
#include "base/output.h"

/**
 * The rules that choose the functions of a signature. They are built in, or come from a file:
 *
 *	# a comment
 *	[skip]
 *	__GI_
 *	.*_assert_fail$
 *	[+prefix]
 *	my_malloc
 *
 * A line in brackets names the kind of the rules that follow. They replace the built-in rules of
 * their kind; with '+' they are added to them. A rule is a regular expression (POSIX, extended)
 * that must match at the beginning of a name.
 */
enum signature_kind {
#define K(id, name, help) SIGNATURE_##id,
#include "analysis/signature_kind.def"
#undef K
	SIGNATURE_KINDS
};

struct signature_rules {
	struct arena arena;
	struct input input;
	struct message_list messages;	/* defects of its lines */
	struct signature_rule {
		enum signature_kind kind;
		regex_t regex;
	} *rules;
	size_t count, capacity;
	size_t states;			/* approximate number of states of all regexes */
	bool full;			/* the remaining rules were skipped */
	bool replaced[SIGNATURE_KINDS];	/* the built-in rules of the kind are off */
};

/**
 * Read the rules of a file. A bad line becomes a message; the other lines are used. NULL, with
 * `error` set, if the file cannot be read or when out of memory.
 */
struct signature_rules *
signature_rules_read(const char *path, struct error *error);

void
signature_rules_free(struct signature_rules *rules);

/** Whether a rule of a kind matches a name; `rules` NULL: built-in rules. */
bool
signature_rules_match(const struct signature_rules *rules, enum signature_kind kind,
		      const char *name);

/** Write the built-in rules in the format of the files. */
void
signature_rules_write(const struct output *output);

#endif
