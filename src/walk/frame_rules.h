/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_FRAME_RULES_H
#define WALK_FRAME_RULES_H

#include "code_flow/flow_row.h"
#include "rules/code_answer.h"
#include "rules/rule_table.h"
#include "walk/walk.h"

/**
 * The tables of unwind rules of the function that a frame stands in: what each source says, and
 * what the conventions of the architecture would do with this frame.
 */
struct frame_rules {
	struct rule_tables tables;
	struct rule_run run;
	const struct module *module;	/* NULL: the frame is in none */
	uint64_t address;		/* of the frame, in its module */
	/* The table that the walk took its rules from, or SIZE_MAX */
	size_t in_force;
	size_t conventions;		/* the table of methods without records, or SIZE_MAX */
	const char *method;		/* that took the step; NULL: none did */
};

/** What the code is asked of a frame that is in a loaded module. */
struct flow_question
frame_code_question(const struct walk *walk, const struct frame *frame);

/** What the code says of the caller of a frame that is in a loaded module; `trace` may be NULL. */
struct code_answer
frame_code(const struct walk *walk, const struct frame *frame, struct trace *trace);

/** Whether a walk may run code: files are at hand, and its policy lets it. */
bool
walk_runs_code(const struct walk *walk);

/** What is known of a loaded module of the walk's crash, read and opened if need be. */
struct rule_module
frame_rules_module(const struct walk *walk, int module);

/** Make the tables for frame `number`, in `arena`, without the walk changing. */
void
frame_rules_make(struct frame_rules *rules, struct walk *walk, size_t number,
		 struct arena *arena);

/** Make the tables for the function at an address of the process, where no frame need be. */
void
frame_rules_at(struct frame_rules *rules, struct walk *walk, uint64_t address,
	       struct arena *arena);

/**
 * Make those of frame `number` with the rows that hold at its address alone, and no conventions.
 */
void
frame_rules_here(struct frame_rules *rules, struct walk *walk, size_t number,
		 struct arena *arena);

#endif
