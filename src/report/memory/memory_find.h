/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_MEMORY_FIND_H
#define REPORT_MEMORY_MEMORY_FIND_H

#include "document/facts.h"
#include "document/listing.h"
#include "inspect/memory_search.h"

/** The hits of a search in memory, as rows and as JSON. */

/** The hits so far, a row each: address, owner of the memory, contents. */
struct listing
memory_find_listing(struct memory_find *find, struct arena *arena);

/** The hits as the members of an open object. */
FACTS_DECLARE(memory_find, struct memory_find *find);

#endif
