/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "dump_syms/pdb_functions.h"
#include "pdb/pdb_frames.h"

/* STACK WIN records: those of frame data, then those of FPO data, each by address. */

static void
write_record(struct pdb_source *source, const struct pdb_frame *frame, struct pdb_range range,
	     uint32_t prologue)
{
	struct symbol_text *text = &source->parts->frames;
	const char *program =
		frame->type == 0 ? NULL : pdb_name(source->pdb, frame->program, &source->scratch);
	const uint32_t fields[] = { range.address, range.size, prologue, 0, frame->parameters,
				    frame->saved_registers, frame->locals, frame->max_stack };

	/* Readers refuse a record without its program. */
	if (program != NULL && program[0] == '\0')
		return;
	symbol_text_string(text, "STACK WIN ");
	symbol_text_hex(text, frame->type);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		symbol_text_string(text, " ");
		symbol_text_hex(text, fields[i]);
	}
	if (program == NULL) {
		symbol_text_string(text, frame->allocates_base_pointer ? " 0 1\n" : " 0 0\n");
	} else {
		symbol_text_string(text, " 1 ");
		symbol_text_name(text, program, strlen(program));
		symbol_text_string(text, "\n");
	}
	source->parts->frame_count++;
}

/* A record for each moved part; prologue and body share one if possible. */
static bool
add_frame(struct pdb_source *source, const struct pdb_frame *frame)
{
	const uint32_t first = frame->prologue < frame->size ? frame->prologue : frame->size;
	const struct pdb_range prologue = { frame->address, first };
	const struct pdb_range body = { frame->address + first, frame->size - first };
	struct pdb_range *before = NULL, *behind = NULL;
	size_t before_count = 0, behind_count = 0;

	if (source->mapping.count == 0) {
		write_record(source, frame, (struct pdb_range){ frame->address, frame->size },
			     frame->prologue);
		return true;
	}
	if ((prologue.size > 0 && !pdb_map_range(&source->mapping, prologue, &source->scratch,
						 &before, &before_count)) ||
	    (body.size > 0 && !pdb_map_range(&source->mapping, body, &source->scratch, &behind,
					     &behind_count)))
		return false;
	if (before_count == 1 && behind_count == 1 &&
	    before->address + before->size == behind->address) {
		write_record(source, frame,
			     (struct pdb_range){ before->address, before->size + behind->size },
			     before->size);
		return true;
	}
	for (size_t i = 0; i < before_count; i++)
		write_record(source, frame, before[i], before[i].size);
	for (size_t i = 0; i < behind_count; i++)
		write_record(source, frame, behind[i], 0);
	return true;
}

SORTED_BY_ALL(compare_frames, struct pdb_frame, SORTED_UP(address) SORTED_UP(offset))

void
dump_syms_read_stack_win(struct pdb_source *source)
{
	static const unsigned types[] = { 4, 0 };
	bool good = true;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const size_t count = pdb_frame_count(source->pdb, types[i]);
		struct pdb_frame *frames = calloc(count + 1, sizeof(*frames));
		const struct pdb_frame *last = NULL;

		good = good && frames != NULL;
		for (size_t j = 0; good && j < count; j++)
			pdb_frame_read(source->pdb, types[i], j, &frames[j]);
		if (good && count > 0)
			qsort(frames, count, sizeof(*frames), compare_frames);
		for (size_t j = 0; good && j < count; last = &frames[j++]) {
			if (last != NULL && last->address == frames[j].address &&
			    last->size == frames[j].size && last->prologue == frames[j].prologue)
				continue;
			good = add_frame(source, &frames[j]);
			arena_reset(&source->scratch);
		}
		free(frames);
	}
	source->parts->frames.failed |= !good;
}
