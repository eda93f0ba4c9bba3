/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/group_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/lines.h"
#include "base/clock.h"

/* Number of the representative crash's frames that text shows. */
#define SHOWN_FRAMES 5u
#define TEXT_COLUMN 12u

/* Adds a line for each kind of variant with several values: "version 1.2 (3), 1.3 (1)". */
static void
add_variants(struct lines *lines, const struct crash_group *group)
{
	for (size_t i = 0; i < group->variant_count; i++) {
		const char *what = group->variants[i].what, *text = "";
		size_t values = 0;
		bool begun = false;

		for (size_t j = 0; j < group->variant_count && text != NULL; j++) {
			const struct crash_variant *variant = &group->variants[j];

			if (strcmp(variant->what, what) != 0)
				continue;
			begun |= j < i;
			text = arena_format(lines->arena, "%s%s%s (%zu)", text,
					    values++ > 0 ? ", " : "", variant->value,
					    variant->count);
		}
		if (!begun && values > 1)
			lines_add(lines, what, ROLE_NORMAL, text);
	}
}

static const char *
time_text(struct arena *arena, uint32_t time)
{
	char text[CLOCK_UTC_TEXT];

	return time == 0 ? "unknown" : arena_format(arena, "%s UTC", clock_utc(time, text));
}

static void
add_group(struct lines *lines, const struct group_report *report, size_t index)
{
	const struct crash_group *group = report->groups->groups[index];
	const char *frames = "";

	lines->target = TARGET(TARGET_NONE);
	if (index > 0)
		lines_add(lines, NULL, ROLE_NORMAL, "");
	lines_add_format(lines, "group", ROLE_TITLE, "%zu: %zu dump%s, %s", index + 1,
			 group->count, plural(group->count),
			 group->reason[0] != '\0' ? group->reason : "no crash");
	lines_add(lines, "signature", ROLE_CODE, group->signature);
	for (size_t i = 0; i < group->frame_count && i < SHOWN_FRAMES && frames != NULL; i++)
		frames = arena_format(lines->arena, "%s%s%s", frames, i > 0 ? " < " : "",
				      group->frames[i]);
	lines_add(lines, "stack", ROLE_NORMAL, frames);
	if (group->first != 0)
		lines_add_format(lines, "time", ROLE_NORMAL, "%s%s%s",
				 time_text(lines->arena, group->first),
				 group->last != group->first ? " to " : "",
				 group->last != group->first
					 ? time_text(lines->arena, group->last) : "");
	add_variants(lines, group);
	for (size_t i = 0; i < (report->all ? group->count : 1); i++)
		lines_add(lines, i == 0 ? "dump" : NULL, ROLE_NORMAL, group->members[i].dump);
}

/* Escapes the characters that have a meaning in a cell of a Markdown table. */
static const char *
cell(struct arena *arena, const char *text)
{
	char *copy = arena_alloc(arena, 2 * strlen(text) + 1), *to = copy;

	for (; copy != NULL && *text != '\0'; text++) {
		if (strchr("|\\`*_<[", *text) != NULL)
			*to++ = '\\';
		*to++ = *text;
	}
	if (copy != NULL)
		*to = '\0';
	return text_or_empty(copy);
}

static void
add_table(struct lines *lines, const struct group_report *report)
{
	lines_add(lines, NULL, ROLE_NORMAL, "| dumps | signature | reason | first | last | dump |");
	lines_add(lines, NULL, ROLE_NORMAL, "|---:|---|---|---|---|---|");
	for (size_t i = 0; i < report->groups->count; i++) {
		const struct crash_group *group = report->groups->groups[i];

		lines_add_format(lines, NULL, ROLE_NORMAL, "| %zu | %s | %s | %s | %s | %s |",
				 group->count, cell(lines->arena, group->signature),
				 cell(lines->arena, group->reason),
				 time_text(lines->arena, group->first),
				 time_text(lines->arena, group->last),
				 cell(lines->arena, group->members[0].dump));
	}
}

struct listing
group_report_listing(const struct group_report *report, struct arena *arena)
{
	struct lines *lines = arena_alloc(arena, sizeof(*lines));

	if (lines == NULL)
		return listing_out_of_memory();
	*lines = (struct lines){ .arena = arena, .label_role = ROLE_KEY,
				 .text_column = report->markdown ? 0 : TEXT_COLUMN };
	if (report->markdown)
		add_table(lines, report);
	for (size_t i = 0; !report->markdown && i < report->groups->count; i++)
		add_group(lines, report, i);
	return lines_listing(lines, 0, arena);
}

#define FACTS "report/stack/group_facts.def"
#include "document/describe_facts.h"
