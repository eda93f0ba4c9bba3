/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_CONTRADICTED_CODE_H
#define ANALYSIS_CONTRADICTED_CODE_H

#include "walk/frame_rules.h"

/**
 * How the code of a frame's function contradicts the row of table `in_force` at `address` of its
 * module: a sentence in `arena`, and the column of the claims that it is about. NULL: the code
 * agrees, is not conclusive or is missing.
 */
const char *
contradicted_by_code(const struct walk *walk, const struct frame *frame,
	const struct rule_tables *tables, size_t in_force, uint64_t address,
	struct arena *arena, unsigned *column);

#endif
