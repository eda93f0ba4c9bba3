/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_EDIT_COMMAND_H
#define WALK_EDIT_COMMAND_H

#include "base/error.h"
#include "base/output.h"
#include "walk/overlay.h"

/** The place of an edit: the step from a frame by one of its methods. */
struct edit_step {
	struct walk *walk;
	size_t frame;
	enum method_id method;
};

/** The result of a rule, or its mistake and the place of the wrong token in the expression. */
struct edit_check {
	bool good;
	size_t start, length;
	uint64_t value;			/* result if the expression is valid; 0 for a program */
	char text[200];			/* the mistake, lower case; or "= VALUE" */
};

/**
 * Split "NAME: EXPRESSION". `*name` is spelled as in records (`rip:` -> `$rip`); `*start` is the
 * offset of the expression. Fails with a sentence in `error` if the name is invalid.
 */
enum error_code
edit_parse_rule(const struct edit_step *step, const char *text, struct text *name, size_t *start,
		struct error *error);

/** Compile an expression and run it with the frame's registers. */
void
edit_check_rule(const struct edit_step *step, struct text name, struct text expression,
		struct edit_check *check);

/**
 * The edit that gives a rule another expression; an empty expression removes the rule. In a STACK
 * CFI step it edits the rule's record; a rule that no record has is added to the last record in
 * force. Texts live in `arena`.
 */
enum error_code
edit_make_rule(const struct edit_step *step, struct text name, struct text expression,
	       struct arena *arena, struct overlay_edit *edit, struct error *error);

/**
 * Edits as commands, typed at the explorer's prompt and in the answers of lessons.
 *
 * A record is named FILE:LINE, by the base name of a loaded symbol file ("sym": the symbol file of
 * the frame's module) and the number of the line in the file without edits.
 */
enum edit_command {
	EDIT_SET_RULE,		/* NAME: EXPRESSION */
	EDIT_DROP_RULE,		/* NAME */
	EDIT_SET_RECORD,	/* FILE:LINE TEXT: another record instead of the line */
	EDIT_ADD_RECORD,	/* FILE:LINE TEXT: a record after the line */
	EDIT_DROP_RECORD,	/* FILE:LINE */
	EDIT_SET_REGISTER,	/* NAME HEX, or ? for unknown */
	EDIT_CANDIDATE,		/* HEX: the address of the word that a scan takes */
	EDIT_POLICY,		/* NAME VALUE, or NAME=VALUE */
	EDIT_FORCE,		/* METHOD */
	EDIT_FORBID,		/* METHOD */
	EDIT_COMMANDS
};

/** The command named `name`, or EDIT_COMMANDS. */
enum edit_command
edit_command_named(struct text name);

/**
 * Make the edit of a command with its arguments, at a step; only edits of rules need the step's
 * method. Texts live in `arena`. On failure `error` has a sentence for the user.
 */
enum error_code
edit_command_make(const struct edit_step *step, enum edit_command command, const char *arguments,
		  struct arena *arena, struct overlay_edit *edit, struct error *error);

/** Write the commands that repeat an edit in its frame, separated by "; ". */
void
edit_command_write(const struct overlay_edit *edit, const struct arch *arch,
		   const struct output *output);

/**
 * Read FILE:LINE at the front of `*arguments`, and advance `*arguments`. `edit` keeps the line as
 * it is in the walk. False if FILE:LINE is no line of a loaded symbol file.
 */
bool
edit_take_record(const struct edit_step *step, const char **arguments, struct record_edit *edit);

#endif
