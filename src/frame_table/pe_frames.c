/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/pe_frames.h"

#include <stdlib.h>

/* `.pdata` of whatever processor a file is for. */
struct pe_tables {
	const struct pe_frames_kind *kind;
	void *state;
};

static const struct pe_frames_kind *const kinds[] = { &pe_x64_frames, &pe_arm64_frames };

static void *
open_any(const struct binary *binary, struct elf_damage *damage)
{
	struct pe_tables *frames = calloc(1, sizeof(*frames));

	for (size_t i = 0; frames != NULL && i < ARRAY_COUNT(kinds); i++) {
		frames->kind = kinds[i];
		frames->state = kinds[i]->reader.open(binary, damage);
		if (frames->state != NULL)
			return frames;
	}
	free(frames);
	return NULL;
}

static const struct frame_table_row *
find(void *state, const struct arch *arch, const struct frame_table_question *question,
     struct arena *arena, const char **problem)
{
	const struct pe_tables *frames = state;

	return frames->kind->reader.find(frames->state, arch, question, arena, problem);
}

static void
extent_of(void *state, uint64_t relative, struct frame_extent *extent)
{
	const struct pe_tables *frames = state;

	frames->kind->reader.extent(frames->state, relative, extent);
}

static uint64_t
next_of(void *state, const struct arch *arch, uint64_t relative)
{
	const struct pe_tables *frames = state;

	return frames->kind->reader.next(frames->state, arch, relative);
}

static void
close_any(void *state)
{
	struct pe_tables *frames = state;

	if (frames == NULL)
		return;
	frames->kind->reader.close(frames->state);
	free(frames);
}

void
pe_frames_whole(const void *state, uint64_t relative, struct pe_whole *whole)
{
	const struct pe_tables *frames = state;

	frames->kind->whole(frames->state, relative, whole);
}

const struct frame_reader pe_frames_reader = { ".pdata", BINARIES_IMAGE, open_any, find, extent_of,
					       next_of, close_any };
