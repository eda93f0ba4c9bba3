/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_NAMING_H
#define REPORT_STEP_NAMING_H

#include "document/listing.h"

/**
 * How a frame got its name: the FUNC or PUBLIC, line and INLINE records that were chosen,
 * with their lines in the symbol file, and what they shadow. Lives in `arena`.
 */
struct listing
naming_listing(const struct walk *walk, size_t frame, struct arena *arena);

#endif
