/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_SLICES_H
#define UNWIND_CHECK_SLICES_H

#include "unwind_check/check.h"

/**
 * Like unwind_check_run, but checks a large module in slices, on several threads with their own
 * sources. The calling thread reports the differences in the same order.
 */
bool
unwind_check_slices(const struct unwind_check *check, struct unwind_totals *totals);

#endif
