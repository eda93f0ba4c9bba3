/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MARKDOWN_H
#define REPORT_MARKDOWN_H

#include "analysis/analysis.h"
#include "base/output.h"
#include "report/step/step_view.h"
#include "report/stack/walk_text.h"

/**
 * Crashes and steps as Markdown, for trackers and mails: tables in the dialect that GitHub and
 * GitLab read (GFM).
 *
 * Text of an input can't begin markup: all that means something to Markdown or HTML has a
 * backslash, in code spans nothing does.
 */

/** What happened, as a heading and a table. `walk` is that of the crashing thread (NULL: none). */
void
markdown_summary(const struct output *output, const struct analysis *analysis,
		 struct walk *walk);

/** A thread's frames as a table; its symbols may be asked for more. */
void
markdown_thread(const struct output *output, struct walk *walk,
		const struct walk_text_thread *thread);

/** The modules as a table, with what became of their symbols. */
void
markdown_modules(const struct output *output, const struct crash *crash,
		 const struct symbols *symbols);

/** A step: the registers as a table, then everything that `explain` says as it says it. */
void
markdown_step(const struct output *output, const struct step_view *view);

#endif
