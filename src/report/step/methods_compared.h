/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_METHODS_COMPARED_H
#define REPORT_STEP_METHODS_COMPARED_H

#include "document/facts.h"
#include "document/listing.h"
#include "inspect/methods.h"

/** Every method's caller of one frame, as rows and as JSON. */

/**
 * A row for each method, which is its target, and one for the walk itself. The method that the walk
 * used is current, else the last row.
 */
struct listing
methods_listing(const struct methods_compared *compared);

/** The answers as facts. */
FACTS_DECLARE(methods_document, const struct methods_compared *compared);

#endif
