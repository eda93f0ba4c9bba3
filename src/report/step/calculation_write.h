/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_CALCULATION_WRITE_H
#define REPORT_STEP_CALCULATION_WRITE_H

#include "document/facts.h"
#include "inspect/calculation.h"

/** The output of a calculation. */

/** Write every token with the stack after it and its effect, then the values. */
void
calculation_write(const struct calculation *calculation, const struct output *output);

/** Tokens, values and assignments as the members of an open object. */
FACTS_DECLARE(calculation, const struct calculation *calculation);

#endif
