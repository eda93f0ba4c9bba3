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

/** Whether a record was edited; `*was` is set to the file's record (empty: none). */
bool
record_edit_made(const struct symfile *symfile, const struct stack_cfi *record,
		 struct stack_cfi *was);

/** record_edit_made for a STACK WIN record of a symbol file. */
bool
record_edit_made_win(const struct symfile *symfile, const struct stack_win *record,
		     struct stack_win *was);

/** A size of a STACK WIN record by its name in record_edit_win; false if no size has the name. */
bool
record_edit_win_size(const struct stack_win *record, struct text name, uint32_t *size);

/** Whether a character separates tokens of rules. */
static inline bool
rule_is_break(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/** The offsets of a rule in the text of a STACK CFI record's rules. */
struct rule_span {
	size_t start;		/* start of its name */
	size_t expression;	/* offset of its first token */
	size_t end;		/* offset after its last token */
};

/** Find the last rule called `name` in "name: expression name: expression". */
bool
rule_span_find(struct text rules, struct text name, struct rule_span *span);

/**
 * The line of a STACK CFI record with another expression for a rule. A missing rule is appended; an
 * empty expression removes the rule. Lives in `arena`. NULL when out of memory, or if no rule would
 * be left.
 */
const char *
record_edit_rule(struct arena *arena, struct text line, struct text name, struct text expression);

/**
 * The line of a STACK WIN record with another "program" or, in decimal, another size. Sizes have
 * the names of `unspool explain`: "prologue", "epilogue", "params", "saved", "locals", "max",
 * "base-pointer". Lives in `arena`. NULL with the reason in `*problem`.
 */
const char *
record_edit_win(struct arena *arena, struct text line, struct text name, struct text value,
		const char **problem);

#endif
