/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_METHODS_COMPARED_H
#define REPORT_STEP_METHODS_COMPARED_H

#include "document/facts.h"
#include "document/listing.h"
#include "inspect/methods.h"

/** Every method's caller of one frame, as rows and as JSON. */

/** A row for each method and one for the walk itself. */
struct listing
methods_listing(const struct methods_compared *compared);

/** The method of a row; METHOD_COUNT for the last one, which is the walk's. */
enum method_id
methods_of_row(const struct listing *listing, size_t row);

/** The row of the method that the walk used; the last one if none was. */
size_t
methods_row_taken(const struct listing *listing);

/** The answers as facts. */
FACTS_DECLARE(methods_document, const struct methods_compared *compared);

#endif
