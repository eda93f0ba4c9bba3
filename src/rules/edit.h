/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_EDIT_H
#define RULES_EDIT_H

#include "base/arena.h"
#include "base/place.h"
#include "symbols/symbols.h"

/**
 * Changed records of symbol files, for what-if walks and repairs.
 *
 * An edit is other lines instead of a line: one is another record, several add records beside it,
 * none takes it out. It holds for every address that its records cover, and counts only where the
 * file still has the line that it was made for.
 */
struct record_edit {
	const char *file;	/* path of the symbol file */
	uint64_t offset;	/* of the line */
	uint32_t line;		/* its number, for words */
	struct text was;	/* without its line end */
	struct text now;	/* lines parted by line feeds; empty: none */
};

struct record_edits {
	const struct record_edit *edits;
	size_t count;
};

/** Whether the file has the line of an edit, which is of that file. */
bool
record_edit_holds(const struct record_edit *edit, const struct file *file);

/** Take the next line off the lines of an edit; false where none is left. */
bool
record_edit_line(struct text *lines, struct text *line);

/**
 * symfile_stack_cfi as the file is with the edits (NULL: none). What they changed or added has the
 * offset and the length of the line of its edit, and rules outside of the file's bytes.
 */
bool
record_edits_stack_cfi(const struct record_edits *edits, const struct symfile *symfile,
		       const struct symbols_policy *policy, uint64_t address, struct arena *arena,
		       struct stack_cfi *init, struct stack_cfi **deltas, size_t *count);

/** symfile_stack_cfi_from as the file is with the edits. */
bool
record_edits_stack_cfi_from(const struct record_edits *edits, const struct symfile *symfile,
			    const struct symbols_policy *policy, uint64_t address,
			    struct arena *arena, struct stack_cfi *init,
			    struct stack_cfi **deltas, size_t *count);

/** symfile_stack_cfi_change with the edits; addresses that no edit changes may be told as well. */
bool
record_edits_stack_cfi_change(const struct record_edits *edits, const struct symfile *symfile,
			      const struct symbols_policy *policy, uint64_t address,
			      uint64_t *change);

/** The line of a record up to the end of its rules. */
static inline struct text
stack_cfi_line(const struct stack_cfi *record)
{
	const size_t before = record->rules_column - 1u;

	return (struct text){ record->rules.start - before, before + record->rules.length };
}

/** Whether edits made the record what it is; `*was` is what the file has (rules empty: nothing). */
bool
record_edit_made(const struct symfile *symfile, const struct stack_cfi *record,
		 struct stack_cfi *was);

/**
 * What `now` says of a STACK WIN record, whose place stays; false: as the file has it. `*was` is
 * what the file has (may be NULL).
 */
bool
record_edit_stack_win(const struct record_edits *edits, const struct symfile *symfile,
		      struct stack_win *record, struct stack_win *was);

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
