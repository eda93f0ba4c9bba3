/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_EDIT_H
#define RULES_EDIT_H

#include "base/arena.h"
#include "base/place.h"
#include "symbols/symbols.h"

/**
 * Changed records of symbol files, for what-if walks.
 *
 * An edit is a line instead of a line: it belongs to its record and holds for every address that
 * the record covers. It counts only where the file still has the line that it was made for.
 */
struct record_edit {
	const char *file;	/* path of the symbol file */
	uint64_t offset;	/* of the line */
	uint32_t line;		/* its number, for words */
	struct text was, now;	/* without line ends */
};

struct record_edits {
	const struct record_edit *edits;
	size_t count;
};

/** What `now` says of the record, whose place stays; false: as the file has it. */
bool
record_edit_stack_cfi(const struct record_edits *edits, const struct symfile *symfile,
		      struct stack_cfi *record);

/** The same of a STACK WIN record; `*was` is what the file has (may be NULL). */
bool
record_edit_stack_win(const struct record_edits *edits, const struct symfile *symfile,
		      struct stack_win *record, struct stack_win *was);

/** A size of a STACK WIN record by the name that record_edit_win gives it; false where it has none. */
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
