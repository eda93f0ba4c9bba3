/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_EDIT_MAKE_H
#define WALK_EDIT_MAKE_H

#include "base/error.h"
#include "walk/overlay.h"

/**
 * Edits of rules: the record, row or method of a rule, its old text, and the mistakes of a new one.
 */

/** The place of an edit: the step from a frame by one of its methods. */
struct edit_step {
	struct walk *walk;
	size_t frame;
	enum method_id method;
};

/** The result of a rule, or its mistake with the token's bytes in the expression. */
struct edit_check {
	bool good;
	size_t start, length;
	uint64_t value;			/* if the expression is good; not of a program */
	char text[200];			/* the mistake, lower case; or "= VALUE" */
};

/**
 * Split "NAME: EXPRESSION" and give the name in records' spelling (`rip:` becomes `$rip`); `*start`
 * is where the expression begins. False with a sentence in `error` if the name is invalid.
 */
enum error_code
edit_parse_rule(const struct edit_step *step, const char *text, struct text *name, size_t *start,
		struct error *error);

/** Compile an expression and run it with the frame's registers. */
void
edit_check_rule(const struct edit_step *step, struct text name, struct text expression,
		struct edit_check *check);

/**
 * The edit that gives a rule another expression; an empty one removes it. In a STACK CFI step it
 * edits the rule's record; a rule that no record has is added to the last one in force. Texts live
 * in `arena`.
 */
enum error_code
edit_make_rule(const struct edit_step *step, struct text name, struct text expression,
	       struct arena *arena, struct overlay_edit *edit, struct error *error);

/** A register, `.cfa` or `.ra` in records' spelling (`rip` becomes `$rip`); false: neither. */
bool
edit_spell(const struct arch *arch, struct text name, struct text *spelled);

/** Whether a program of the rule `of` has a name that never gets a value, which goes to `check`. */
bool
edit_unknown_name(const struct program *program, struct text of, struct edit_check *check);

#endif
