/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/telescope_internal.h"

static const char *const reading_names[] = {
	[READING_NUMBER] = "number",	[READING_ZERO] = "zero",
	[READING_SMALL] = "small",	[READING_PATTERN] = "pattern",
	[READING_TEXT] = "text",	[READING_CODE] = "code",
	[READING_DATA] = "module-data",	[READING_UNLOADED] = "unloaded-module",
	[READING_STACK] = "stack",	[READING_THREAD] = "other-stack",
	[READING_MEMORY] = "memory",	[READING_MAPPED] = "mapped",
};
static const struct fact_names telescope_readings = FACT_NAMES(reading_names);

static const char *const part_names[] = { "words", "fold", "frame", "below", "bottom", "gap" };
static const struct fact_names telescope_parts = FACT_NAMES(part_names);

static void
telescope_rows(struct json *json, const struct listing *listing, size_t first, size_t count);

#define FACTS "report/memory/telescope_facts.def"
#include "document/describe_facts.h"

static void
telescope_rows(struct json *json, const struct listing *listing, size_t first, size_t count)
{
	const struct telescope *telescope = listing->context;

	for (size_t i = first; i < listing->count && i - first < count; i++) {
		const struct telescope_place place = telescope_place(telescope, i);
		struct arena arena;
		struct row text;

		arena_init(&arena, 0);
		row_init(&text, &arena);
		json_object(json, NULL);
		if (place.word) {
			telescope_word_members(json, telescope, place.address, &text);
		} else {
			listing->fill(listing, i, 0, &text);
			telescope_part_members(json, telescope, place.part, &text);
		}
		json_object_end(json);
		arena_free(&arena);
	}
}

void
telescope_json(const struct listing *listing, size_t first, size_t count, struct json *json)
{
	if (telescope_is(listing))
		telescope_members(json, listing, first, count);
}
