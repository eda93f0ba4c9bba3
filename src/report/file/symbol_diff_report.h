/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_SYMBOL_DIFF_REPORT_H
#define REPORT_FILE_SYMBOL_DIFF_REPORT_H

#include "analysis/symbol_diff.h"
#include "document/facts.h"

/** The differences of two symbol files, as text and as JSON. */

/** Write each run of addresses with the records of both files, then the counts. */
void
symbol_diff_text(const struct symbol_diff *diff, const struct output *output);

/** The differences as the members of an open object. */
FACTS_DECLARE(symbol_diff, const struct symbol_diff *diff, bool by_name);

#endif
