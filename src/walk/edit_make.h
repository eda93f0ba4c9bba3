/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_EDIT_MAKE_H
#define WALK_EDIT_MAKE_H

#include "base/error.h"
#include "walk/overlay.h"

/**
 * Edits of rules: the record, row or method that a rule belongs to, its old text, and what is wrong
 * with a new one.
 */

/** Where a rule is edited: the step from a frame by one of its methods. */
struct edit_step {
	struct walk *walk;
	size_t frame;
	enum method_id method;
};

/** What a rule would give: of a mistake its token, in bytes of the expression. */
struct edit_check {
	bool good;
	size_t start, length;
	uint64_t value;			/* where it is good; of a program none */
	char text[200];			/* what is wrong, lower case; or "= VALUE" */
};

/**
 * Split "NAME: EXPRESSION" and give the name as records spell it (`rip:` becomes `$rip`); `*start`
 * is where the expression begins. False with a sentence in `error` where the name is none.
 */
enum error_code
edit_parse_rule(const struct edit_step *step, const char *text, struct text *name, size_t *start,
		struct error *error);

/** Compile an expression and run it with the frame's registers. */
void
edit_check_rule(const struct edit_step *step, struct text name, struct text expression,
		struct edit_check *check);

/**
 * The edit that gives a rule another expression; an empty one takes it out. In a STACK CFI step
 * that is an edit of the record the rule is from, and a rule that no record has is added to the
 * last one in force. Texts live in `arena`.
 */
enum error_code
edit_make_rule(const struct edit_step *step, struct text name, struct text expression,
	       struct arena *arena, struct overlay_edit *edit, struct error *error);

/** A register, `.cfa` or `.ra` as records spell it (`rip` becomes `$rip`); false: it is none. */
bool
edit_spell(const struct arch *arch, struct text name, struct text *spelled);

/** Whether a program of the rule `of` has a name that never gets a value: it is in `check`. */
bool
edit_unknown_name(const struct program *program, struct text of, struct edit_check *check);

#endif
