/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/listing.h"

static void
fill_message(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	(void)index;
	row_add_cut(row, ROLE_DIM, columns, false, text_of(listing->context));
}

static struct target
no_target(const struct listing *listing, size_t index)
{
	(void)listing;
	(void)index;
	return (struct target){ .kind = TARGET_NONE, .event = TRACE_NONE };
}

static void
explain_nothing(const struct listing *listing, size_t index, struct row *row)
{
	(void)listing;
	(void)index;
	(void)row;
}

struct listing
listing_message(const char *text)
{
	return (struct listing){ .count = 1, .fill = fill_message, .target = no_target,
				 .explain = explain_nothing, .context = text };
}
