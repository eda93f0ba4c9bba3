/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_CRASH_PAGE_H
#define REPORT_CRASH_PAGE_H

#include "analysis/analysis.h"
#include "document/page.h"
#include "report/step/step_view.h"
#include "report/stack/walk_text.h"

/**
 * Parts of documents about crashes and steps: for trackers, mails and browsers (document/page.h).
 */

/** The title of a document about a crash: "SIGSEGV / SEGV_MAPERR in main"; NULL: out of memory. */
const char *
crash_page_title(const struct analysis *analysis, struct arena *arena);

/** Write a text with `place` as its evidence (no evidence if the place has no input). */
void
crash_page_value(struct page *page, enum role role, struct text text, struct place place);

/** What happened, as a table. `walk` is the crashing thread's; NULL: none. */
void
crash_page_summary(struct page *page, const struct analysis *analysis, struct walk *walk);

/**
 * A thread's frames as a table; reading names may parse more of its symbols. `stack` (or NULL) is a
 * listing of all frames and calls: with it each has its evidence, long names are cut and repeated
 * frames are listed once. `*named` counts for location_of_frame (walk/location.h), over the page.
 */
void
crash_page_frames(struct page *page, struct walk *walk, const struct listing *stack,
		  size_t *named);

/** A thread's name, frames, trust and end; `stack` and `*named` as in crash_page_frames. */
void
crash_page_thread(struct page *page, struct walk *walk, const struct walk_text_thread *thread,
		  const struct listing *stack, size_t *named);

/** The modules as a table, with the state of their symbols. */
void
crash_page_modules(struct page *page, const struct crash *crash, const struct symbols *symbols);

/** The frame of a step drawn as it lies on the stack, if `form` has drawings. */
void
crash_page_drawing(struct page *page, const struct step_view *view,
		   const struct memory_view *memory);

/** A step: the registers as a table, then the text of `unspool explain`. */
void
crash_page_step(const struct output *output, enum page_form form, const struct step_view *view);

#endif
