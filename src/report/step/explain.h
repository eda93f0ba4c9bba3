/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_EXPLAIN_H
#define REPORT_STEP_EXPLAIN_H

#include "base/output.h"
#include "document/facts.h"
#include "document/row.h"
#include "report/prose/prose.h"
#include "report/step/step_view.h"

/** Takes a line; the row is cleared after it. */
typedef void explain_line(void *context, struct row *row);

/**
 * Give `line` all facts about one step, a row each: how the frame got its name, every attempt with
 * its record, inputs, rules, tokens with the stack after each, reads, checks, verdict, and the
 * frame drawn as it lies on the stack. With a register only the events that made its value;
 * ARCH_NO_REGISTER: everything. `names` of users (may be NULL) are replaced.
 */
void
explain_lines(const struct step_view *view, int reg, struct user_names *names,
	      explain_line *line, void *context);

/** Write these lines as text. */
void
explain_step(const struct output *output, const struct step_view *view, int reg);

/** A step as an object: every event of the trace, then what came of it; NULL: without prose. */
FACTS_DECLARE(step_document, const struct step_view *view, const struct prose *prose);

/** How a variable's value is computed, as an object: every event of the trace. */
FACTS_DECLARE(variable_document, const struct step_view *view);

/** What JSON of `locals` consists of: variables of frames, or how one is computed. */
extern const struct fact locals_document_facts[];

/** What JSON consists of: a step or, with --all-methods, what every method gives. */
extern const struct fact explain_document_facts[];

#endif
