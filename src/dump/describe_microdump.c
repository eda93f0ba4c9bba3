/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/checked.h"
#include "base/sorted.h"
#include "dump/describe_internal.h"

/*
 * The records of a microdump: lines of text, as they stand in the log without what the log put
 * before them.
 */
void
describe_microdump(struct describe *describe, const struct reader *window)
{
	const struct crash *crash = describe->crash;
	const struct crash_lines *lines = &crash->lines;
	const char letter = (char)(describe->stream->type & 0xff);
	const struct sorted records = SORTED(lines->records, lines->record_count, offset);

	for (size_t i = sorted_below(records, window->start); i < lines->record_count; i++) {
		const struct crash_range *record = &lines->records[i];
		const uint64_t skip = record->offset - window->start;

		if (!checked_within(skip, record->size, window->size))
			break;
		describe_value(describe, (struct describe_value){
			.name = describe->stream->name, .kind = DESCRIBE_TEXT,
			.text = { (const char *)window->data + skip, (size_t)record->size },
			.private = letter == 'S',
			.place = crash_place(crash, record->offset, (uint32_t)record->size) });
	}
}
