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

const char *
place_format(const struct place *place, char *buffer, size_t size)
{
	if (size == 0)
		return buffer;
	buffer[0] = '\0';
	if (place->input == NULL)
		return buffer;
	const char *name = place_base_name(place->input->name);
	if (place->line == 0)
		snprintf(buffer, size, "%s+0x%" PRIx64, name, place->offset);
	else if (place->column == 0)
		snprintf(buffer, size, "%s:%" PRIu32, name, place->line);
	else
		snprintf(buffer, size, "%s:%" PRIu32 ":%" PRIu32, name, place->line,
			 place->column);
	return buffer;
}

struct place
place_record(struct place place)
{
	if (place.column == 1)
		place.column = 0;
	return place;
}
