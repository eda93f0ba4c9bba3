/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_SLICES_H
#define UNWIND_CHECK_SLICES_H

#include "unwind_check/check.h"

/**
 * unwind_check_run of a large module in slices, with a thread and sources for each. Differences are
 * reported in the same order, by the calling thread, once they are known.
 */
bool
unwind_check_slices(const struct unwind_check *check, struct unwind_totals *totals);

#endif
