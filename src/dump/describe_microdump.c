/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/sorted.h"
#include "dump/describe_internal.h"

/* The spans of a microdump are in the order of its lines. */
static size_t
first_span(const struct crash *crash, uint64_t offset)
{
	return sorted_below(SORTED(crash->spans, crash->span_count, offset), offset);
}

/*
 * The records of a microdump: lines of text, as they stand in the log without what the log put
 * before them. A span of the crash names each.
 */
void
describe_microdump(struct describe *describe, const struct reader *window)
{
	const struct crash *crash = describe->crash;
	const char letter = (char)(describe->stream->type & 0xff);

	for (size_t i = first_span(crash, window->start); i < crash->span_count; i++) {
		const struct crash_span *span = &crash->spans[i];
		uint64_t skip = span->offset - window->start;

		if (skip >= window->size)
			break;
		/* The digits of the stack have spans of their own inside of their lines. */
		if (span->size > window->size - skip ||
		    strcmp(span->text, describe->stream->name) != 0)
			continue;
		const struct text line = { (const char *)window->data + skip, (size_t)span->size };
		describe_value(describe, (struct describe_value){
			.name = describe->stream->name, .kind = DESCRIBE_TEXT, .text = line,
			.private = letter == 'S',
			.place = crash_place(crash, span->offset, (uint32_t)span->size) });
	}
}
