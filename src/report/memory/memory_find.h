/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_MEMORY_FIND_H
#define REPORT_MEMORY_MEMORY_FIND_H

#include "document/facts.h"
#include "document/listing.h"
#include "inspect/memory_search.h"

/** What a search of memory has found, as rows and as JSON. */

/** The hits so far, a row each: the address, whose memory it is, what stands there. */
struct listing
memory_find_listing(struct memory_find *find, struct arena *arena);

/** The hits as the members of an object that is open. */
void
memory_find_members(struct json *json, struct memory_find *find);

extern const struct fact memory_find_facts[];

#endif
