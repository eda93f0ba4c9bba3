/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_PE_FRAMES_H
#define FRAME_TABLE_PE_FRAMES_H

#include "frame_table/frame_tables_internal.h"

/** `.pdata` of one kind of processor: entries and codes differ. */
struct pe_frames_kind {
	struct frame_reader reader;
	/* As pe_frames_whole. */
	void (*whole)(const void *state, uint64_t relative, struct pe_whole *whole);
};

extern const struct pe_frames_kind pe_x64_frames, pe_arm64_frames;

#endif
