/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_EDIT_H
#define RULES_EDIT_H

#include "base/arena.h"
#include "symbols/version.h"

/**
 * Lines of symbol files with another rule or field, for what-if walks.
 */

/** The line of a record up to the end of its rules. */
static inline struct text
stack_cfi_line(const struct stack_cfi *record)
{
	const size_t before = record->rules_column - 1u;

	return (struct text){ record->rules.start - before, before + record->rules.length };
}

/** Whether an edit made the record; `*was` is what the file has (rules empty: nothing). */
bool
record_edit_made(const struct symfile *symfile, const struct stack_cfi *record,
		 struct stack_cfi *was);

/** record_edit_made of a STACK WIN record of a symbol file. */
bool
record_edit_made_win(const struct symfile *symfile, const struct stack_win *record,
		     struct stack_win *was);

/**
 * A size of a STACK WIN record by the name that record_edit_win gives it; false where it has
 * none.
 */
bool
record_edit_win_size(const struct stack_win *record, struct text name, uint32_t *size);

/** Whether a character separates tokens of rules. */
static inline bool
rule_is_break(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/** Where a rule stands in the text of rules of a STACK CFI record. */
struct rule_span {
	size_t start;		/* of its name */
	size_t expression;	/* of its first token */
	size_t end;		/* behind its last token */
};

/** Find a rule in "name: expression name: expression"; of several with the name the last. */
bool
rule_span_find(struct text rules, struct text name, struct rule_span *span);

/**
 * The line of a STACK CFI record with another expression for a rule: replaced where it has the
 * rule, else appended; an empty expression takes the rule out. Lives in `arena`. NULL where memory
 * ends, or where that leaves no rule at all.
 */
const char *
record_edit_rule(struct arena *arena, struct text line, struct text name, struct text expression);

/**
 * The line of a STACK WIN record with another value for "program" or one of its sizes, as
 * `unspool explain` calls them ("prologue", "epilogue", "params", "saved", "locals", "max",
 * "base-pointer"), in decimal. Lives in `arena`. NULL with what is wrong in `*problem`.
 */
const char *
record_edit_win(struct arena *arena, struct text line, struct text name, struct text value,
		const char **problem);

#endif
