/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_GROUP_REPORT_H
#define REPORT_GROUP_REPORT_H

#include "analysis/crash_groups.h"
#include "document/facts.h"
#include "document/listing.h"

/** Groups of crashes as rows and as a document. */
struct group_report {
	const struct crash_groups *groups;
	size_t unread;			/* dumps that could not be read */
	bool all;			/* rows name every dump */
	bool markdown;			/* rows are a Markdown table */
};

/** The document as facts, and its members. */
FACTS_DECLARE(group_report, const struct group_report *report);

/** All rows. The listing is in `arena` and borrows the groups. */
struct listing
group_report_listing(const struct group_report *report, struct arena *arena);

#endif
