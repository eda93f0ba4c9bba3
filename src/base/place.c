/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/place.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

struct place
place_part(struct place place, uint64_t skip, uint32_t length)
{
	place.offset += skip;
	place.length = length;
	if (place.column != 0)
		place.column += (uint32_t)skip;
	return place;
}

const char *
place_base_name(const char *path)
{
	return text_base_name(text_of(path)).start;
}

struct text_of_place
place_format(const struct place *place)
{
	struct text_of_place made = { "" };

	if (place->input == NULL)
		return made;
	const char *name = place_base_name(place->input->name);
	if (place->line == 0)
		snprintf(made.text, sizeof(made.text), "%s+0x%" PRIx64, name, place->offset);
	else if (place->column == 0)
		snprintf(made.text, sizeof(made.text), "%s:%" PRIu32, name, place->line);
	else
		snprintf(made.text, sizeof(made.text), "%s:%" PRIu32 ":%" PRIu32, name, place->line,
			place->column);
	return made;
}

struct place
place_record(struct place place)
{
	if (place.column == 1)
		place.column = 0;
	return place;
}
