/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_WALK_TEXT_INTERNAL_H
#define REPORT_STACK_WALK_TEXT_INTERNAL_H

#include "report/stack/walk_text.h"
#include "walk/location.h"

/** What the parts of the two layouts share. Private to walk_text*.c. */

/** All frames of a walk. */
void
walk_text_frames(const struct output *output, struct walk *walk, size_t thread,
		 const struct walk_text_options *options);

/**
 * The part of the stack that belongs to frame `number`, and the words in it that point at
 * named code. (Breakpad's PrintStackContents, stackwalk_common.cc.)
 */
void
walk_text_stack(const struct output *output, struct walk *walk, size_t number,
		const struct walk_text_options *options, struct arena *arena);

#endif
