/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_OVERLAY_H
#define WALK_OVERLAY_H

#include "base/policy_rows.h"
#include "rules/edit.h"
#include "rules/rule_set.h"
#include "walk/walk.h"

/**
 * What-if edits of a crash and its symbols, given to a walk in addition to its policy.
 *
 * An overlay never changes: adding or removing an edit makes a new one, so undoing returns to the
 * previous one. An edit belongs to the policy, to one frame of one thread, or to a record. An edit
 * of a record holds in every frame that uses the record.
 */
enum overlay_kind {
	OVERLAY_RECORD,		/* a line of a symbol file: can become a patch */
	OVERLAY_RULE,		/* a rule of an SFrame row, or of a method's own table in a frame */
	OVERLAY_REGISTER,
	OVERLAY_FORCE,		/* the one method that may find the caller of a frame */
	OVERLAY_FORBID,		/* a method that must not find the caller */
	OVERLAY_CANDIDATE,	/* the word that a scan from a frame takes */
	OVERLAY_POLICY,
	OVERLAY_KINDS,
};

struct overlay_edit {
	enum overlay_kind kind;
	size_t thread, frame;		/* place of the edit; an edit of one frame holds there */
	struct record_edit record;	/* for OVERLAY_RECORD */
	/* OVERLAY_RULE: name of the input of the SFrame row; or NULL */
	const char *row_input;
	uint64_t row_offset;
	enum method_id method;		/* for OVERLAY_RULE, _FORCE, _FORBID */
	struct text name;		/* name of the edited rule; empty: whole lines */
	struct text expression, was;	/* texts of the rule; empty: none */
	int reg;			/* for OVERLAY_REGISTER */
	bool known, was_known;
	uint64_t value, old;		/* values of a register or a policy row */
	uint64_t address;		/* for OVERLAY_CANDIDATE */
	enum policy_row policy;
};

struct overlay {
	const struct overlay_edit *edits;	/* oldest first */
	size_t count;
	struct record_edits records;		/* edits of kind OVERLAY_RECORD */
};

/**
 * Copy `overlay` (NULL: an empty one) and add one edit. An earlier edit of the same thing is
 * replaced, but its record of the original state is kept. Everything is copied to `arena`. NULL
 * when out of memory.
 */
const struct overlay *
overlay_with(struct arena *arena, const struct overlay *overlay, const struct overlay_edit *edit);

/** `overlay` without its edit `index`; borrows from `overlay`. NULL when out of memory. */
const struct overlay *
overlay_without(struct arena *arena, const struct overlay *overlay, size_t index);

/**
 * `overlay` without the edits of records whose new lines a file already has, for example after a
 * patch. Other edits follow their lines to new offsets. `overlay` itself if nothing changes; NULL
 * when out of memory.
 */
const struct overlay *
overlay_without_made(struct arena *arena, const struct overlay *overlay, const struct file *file);

/** The policy of a walk with the overlay. */
struct policy
overlay_policy(const struct overlay *overlay, const struct policy *policy);

/**
 * The edit of `kind` that applies to a frame of a walk; NULL: none, or no overlay. `which` is the
 * edited register or method; 0 if edits of this kind have neither.
 */
const struct overlay_edit *
overlay_edit_of(const struct walk *walk, size_t frame, enum overlay_kind kind, int which);

/**
 * The rules of a method (not of a symbol file) with a walk's edits for a frame. Returns `set`
 * itself if nothing is edited, else a copy in `arena`; NULL when out of memory.
 */
const struct rule_set *
overlay_rules(const struct walk *walk, size_t frame, enum method_id method,
	      const struct rule_set *set, struct arena *arena);

/** An edit in a few words: "cfa of crash.sym:12: $rsp 16 + (was $rsp 8 +)". Returns `buffer`. */
const char *
overlay_describe(const struct overlay_edit *edit, const struct arch *arch, char *buffer,
		 size_t size);

#endif
