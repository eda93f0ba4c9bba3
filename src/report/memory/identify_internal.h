/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_IDENTIFY_INTERNAL_H
#define REPORT_MEMORY_IDENTIFY_INTERNAL_H

#include "report/memory/identify.h"

/** Shared by the files of identify.h. */

/** Empty facts about `typed`; NULL when out of memory. */
struct identification *
identify_begin(struct surroundings *around, struct text typed);

/** Make the rows of the facts. */
void
identify_finish(struct identification *out);

#endif
