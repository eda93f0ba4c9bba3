/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_SIGNATURE_RULES_H
#define ANALYSIS_SIGNATURE_RULES_H

#include <regex.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/message.h"
#include "base/output.h"

/**
 * Which functions a signature has: the built-in rules, or those of a file in their place.
 *
 *	# a comment
 *	[skip]
 *	__GI_
 *	.*_assert_fail$
 *	[+prefix]
 *	my_malloc
 *
 * A line in brackets says of what kind the rules below it are. They replace the built-in rules of
 * their kind; with '+' they are added to them. A rule is a regular expression (POSIX, extended)
 * that a name must match from its beginning on.
 */
enum signature_kind {
#define K(id, name, help) SIGNATURE_##id,
#include "analysis/signature_kind.def"
#undef K
	SIGNATURE_KINDS
};

/** The rules of a file. */
struct signature_rules {
	struct arena arena;
	struct input input;
	struct message_list messages;	/* what is wrong with its lines */
	struct signature_rule {
		enum signature_kind kind;
		regex_t regex;
	} *rules;
	size_t count, capacity;
	size_t states;			/* of all expressions, about */
	bool full;			/* the rules behind were skipped */
	bool replaced[SIGNATURE_KINDS];	/* no built-in rule of the kind counts */
};

/**
 * Read the rules of a file. What is wrong with a line is a message, and the others count. NULL
 * where the file can't be read or memory ran out; then `error` says why.
 */
struct signature_rules *
signature_rules_read(const char *path, struct error *error);

void
signature_rules_free(struct signature_rules *rules);

/** Whether a rule of a kind matches a name; `rules` NULL: the built-in ones. */
bool
signature_rules_match(const struct signature_rules *rules, enum signature_kind kind,
		      const char *name);

/** Write the built-in rules in the format of the files. */
void
signature_rules_write(const struct output *output);

#endif
