/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_EDIT_MAKE_H
#define WALK_EDIT_MAKE_H

#include "base/error.h"
#include "walk/overlay.h"

/**
 * What people say becomes an edit: of which record, row or method a rule is, what it was, and what
 * is wrong with the new one.
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

/** What is done to the STACK CFI records of the module of a frame. */
enum edit_record {
	EDIT_ADD_INIT,		/* "ADDRESS SIZE RULES" */
	EDIT_ADD_DELTA,		/* "ADDRESS RULES" */
	EDIT_MOVE_DELTA,	/* "FROM TO" */
	EDIT_DROP_DELTA,	/* "ADDRESS" */
};

/**
 * The edit that adds a record, moves one to another address, or takes it out. Addresses are those
 * of records, counted from the module's base, or those of the process. Texts live in `arena`.
 */
enum error_code
edit_make_record(const struct walk *walk, size_t frame, enum edit_record what, const char *text,
		 struct arena *arena, struct overlay_edit *edit, struct error *error);

/** A register, `.cfa` or `.ra` as records spell it (`rip` becomes `$rip`); false: it is none. */
bool
edit_spell(const struct arch *arch, struct text name, struct text *spelled);

/** The edit of a register of a frame: a number, or `?` for unknown. */
enum error_code
edit_make_register(const struct walk *walk, size_t frame, const char *name, const char *value,
		   struct overlay_edit *edit, struct error *error);

/** The edit that makes a scan from a frame take the word at an address. */
enum error_code
edit_make_candidate(const struct walk *walk, size_t frame, const char *address,
		    struct overlay_edit *edit, struct error *error);

/** The edit of a policy row: "NAME VALUE" or "NAME=VALUE". */
enum error_code
edit_make_policy(const struct walk *walk, const char *text, struct overlay_edit *edit,
		 struct error *error);

#endif
