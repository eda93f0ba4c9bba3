/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_CONTRADICTED_CODE_H
#define ANALYSIS_CONTRADICTED_CODE_H

#include "walk/frame_rules.h"

/**
 * What the code of a frame's function says against the row of table `in_force` that holds at
 * `address` of its module: a sentence in `arena`, and the column of the claims that it is about.
 * NULL: it agrees, or does not tell, or is not at hand.
 */
const char *
contradicted_by_code(const struct walk *walk, const struct frame *frame,
	const struct rule_tables *tables, size_t in_force, uint64_t address,
	struct arena *arena, unsigned *column);

#endif
