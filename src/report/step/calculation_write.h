/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_CALCULATION_WRITE_H
#define REPORT_STEP_CALCULATION_WRITE_H

#include "document/facts.h"
#include "inspect/calculation.h"

/** What a calculation prints. */

/** Every token with the stack behind it and why, then the values. */
void
calculation_write(const struct calculation *calculation, const struct output *output);

/** Tokens, values and assignments as the members of an object that is open. */
FACTS_DECLARE(calculation, const struct calculation *calculation);

#endif
