/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/pe_frames.h"

#include <stdlib.h>

#include "base/reader.h"
#include "base/sorted.h"
#include "binary/pe.h"

#define DIRECTORY_EXCEPTION 3u

static const struct pe_frames_kind *const kinds[] = { &pe_x64_frames, &pe_arm64_frames,
						       &pe_arm_frames };

struct pe_frames *
pe_functions_open(const struct binary *binary)
{
	const struct pe_frames_kind *kind = NULL;
	struct pe_frames *frames;
	struct reader table;

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (binary->format == BINARY_PE && binary->machine == kinds[i]->machine)
			kind = kinds[i];
	if (kind == NULL || !pe_directory(binary, DIRECTORY_EXCEPTION, NULL, &table) ||
	    table.size < kind->entry_size)
		return NULL;
	frames = calloc(1, sizeof(*frames));
	if (frames == NULL)
		return NULL;
	*frames = (struct pe_frames){ .kind = kind, .binary = binary, .table = table,
				      .count = table.size / kind->entry_size };
	return frames;
}

static void *
open_table(const struct binary *binary, struct elf_damage *damage)
{
	(void)damage;
	return pe_functions_open(binary);
}

static const struct unwind_row *
find(void *state, const struct arch *arch, const struct frame_table_question *question,
     struct arena *arena, const char **problem)
{
	const struct pe_frames *frames = state;

	return arch->pe_machine == frames->kind->machine
		       ? frames->kind->find(frames, arch, question, arena, problem)
		       : NULL;
}

static uint32_t
begin_of(const struct pe_frames *frames, uint64_t index)
{
	return reader_little(frames->table.data + index * frames->kind->entry_size) &
	       frames->kind->address_mask;
}

uint64_t
pe_frames_after(const struct pe_frames *frames, uint64_t address)
{
	size_t at;

	BISECT(at, (size_t)frames->count, begin_of(frames, at) <= address);
	return at;
}

/* Code that no entry covers belongs to leaf functions. */
void
pe_functions_entry(const struct pe_frames *frames, uint64_t relative, struct frame_extent *extent)
{
	const uint64_t after = pe_frames_after(frames, relative);
	uint64_t begin, end;

	*extent = (struct frame_extent){ .first = relative, .last = UINT64_MAX };
	extent->entry = after > 0 && frames->kind->range(frames, after - 1, &begin, &end) &&
			relative < end;
	if (extent->entry) {
		extent->first = begin;
		extent->last = end - 1;
	} else if (after < frames->count) {
		extent->last = (uint64_t)begin_of(frames, after) - 1;
	}
}

static void
extent_of(void *state, uint64_t relative, struct frame_extent *extent)
{
	pe_functions_entry(state, relative, extent);
}

static uint64_t
next_of(void *state, const struct arch *arch, uint64_t relative)
{
	const struct pe_frames *frames = state;

	return frames->kind->next(frames, arch, relative);
}

void
pe_functions_whole(const struct pe_frames *frames, uint64_t relative, struct pe_whole *whole)
{
	const uint64_t after = pe_frames_after(frames, relative);
	uint64_t begin, end;

	*whole = (struct pe_whole){ 0 };
	if (after == 0 || !frames->kind->range(frames, after - 1, &begin, &end))
		return;
	whole->function = relative < end;
	whole->begin = !whole->function		    ? end
		       : frames->kind->whole != NULL ? frames->kind->whole(frames, after - 1)
						     : begin;
}

bool
pe_frames_leaf(const struct pe_frames *frames, const struct frame_table_question *question,
	       struct unwind_row *row, const char **problem)
{
	const struct binary_segment *segment = binary_segment(frames->binary, question->relative);
	struct frame_extent gap;
	struct pe_whole whole;

	if (segment == NULL || !segment->executable)
		return false;
	if (!question->exact) {
		*problem = "no entry covers the address, as for a leaf function, but the function "
			   "has made a call";
		return false;
	}
	pe_functions_entry(frames, question->relative, &gap);
	pe_functions_whole(frames, question->relative, &whole);
	row->first = whole.begin > segment->address ? whole.begin : segment->address;
	row->last = segment->address + segment->size - 1;
	if (gap.last < row->last)
		row->last = gap.last;
	row->place = reader_place(&frames->table, 0, 0);
	return true;
}

void
pe_functions_close(struct pe_frames *frames)
{
	free(frames);
}

const struct frame_reader pe_frames_reader = { ".pdata", LOCATE_IMAGE, open_table, find,
					       extent_of, next_of, NULL, free, .presumes = true };
