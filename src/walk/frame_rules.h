/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_FRAME_RULES_H
#define WALK_FRAME_RULES_H

#include "code_flow/flow_row.h"
#include "rules/code_answer.h"
#include "rules/unwind_source.h"
#include "walk/walk.h"

/**
 * The tables of unwind rules of a frame's function: the rules of each source, and the results of
 * the architecture's conventions for this frame.
 */
struct frame_rules {
	struct rule_tables tables;
	struct rule_run run;
	const struct module *module;	/* NULL: the frame is in no module */
	uint64_t address;		/* address of the frame, relative to the module */
	/* Index of the table whose rules the walk used; SIZE_MAX: none */
	size_t in_force;
	size_t conventions;		/* table of methods without records; SIZE_MAX: none */
	const char *method;		/* method of the step; NULL: none */
};

/** The question for the code analysis about a frame in a loaded module. */
struct flow_question
frame_code_question(const struct walk *walk, const struct frame *frame);

/** Find the caller of a frame in a loaded module from the module's code; `trace` may be NULL. */
struct code_answer
frame_code(const struct walk *walk, const struct frame *frame, struct trace *trace);

/** Whether a walk may analyse code: the walk has files, and its policy allows the analysis. */
bool
walk_runs_code(const struct walk *walk);

/** The rule sources of a loaded module of the walk's crash, read and opened if needed. */
struct rule_module
frame_rules_module(const struct walk *walk, int module);

/** Make the tables for frame `number`, in `arena`; the walk is not changed. */
void
frame_rules_make(struct frame_rules *rules, struct walk *walk, size_t number,
		 struct arena *arena);

/** Make the tables for the function at an address of the process, with or without a frame. */
void
frame_rules_at(struct frame_rules *rules, struct walk *walk, uint64_t address,
	       struct arena *arena);

/** Make the tables for frame `number` with the rows at its address only, without conventions. */
void
frame_rules_here(struct frame_rules *rules, struct walk *walk, size_t number,
		 struct arena *arena);

#endif
