/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_EXPLAIN_H
#define REPORT_STEP_EXPLAIN_H

#include "base/output.h"
#include "document/facts.h"
#include "document/page.h"
#include "report/prose/prose.h"
#include "report/step/step_view.h"
#include "document/listing.h"
#include "inspect/methods.h"

/**
 * Write all facts about one step as text, one line for each: how the frame got its name; every
 * attempt with its record, inputs, rules, tokens, reads and checks; the verdict; a drawing of the
 * frame on the stack. If `reg` is not ARCH_NO_REGISTER, write only the events that produced its
 * value.
 */
void
explain_step(const struct output *output, const struct step_view *view, int reg);

/** Write a step as a page: the registers as a table, then the text of explain_step(). */
void
explain_page(const struct output *output, enum page_form form, const struct step_view *view);

/** Write the frame of a step drawn as it lies on the stack, if the page has drawings. */
void
explain_page_drawing(struct page *page, const struct step_view *view,
		     const struct memory_view *memory);

/** The kind of an event in JSON. */
const char *
explain_event_kind(enum event_kind kind);

/** Whether an event has a value in `value`. */
bool
explain_event_has_value(const struct event *event);

/** A step as an object: every event of the trace, then the result. `prose` may be NULL: none. */
FACTS_DECLARE(step_document, const struct step_view *view, const struct prose *prose);

/** How a variable's value is computed, as an object: every event of the trace. */
FACTS_DECLARE(variable_document, const struct step_view *view);

/** The members in the JSON of `locals`: variables of frames, or how one is computed. */
extern const struct fact locals_document_facts[];

/** The members in the JSON of `explain`: a step or, with --all-methods, every method's result. */
extern const struct fact explain_document_facts[];

/** Every method's caller of one frame, as rows and as JSON. */

/**
 * A row for each method, with the method as target, and a last row for the walk itself. The current
 * row is the row of the method that the walk used, else the last row.
 */
struct listing
methods_listing(const struct methods_compared *compared);

FACTS_DECLARE(methods_document, const struct methods_compared *compared);

#endif
