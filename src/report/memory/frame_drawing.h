/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_FRAME_DRAWING_H
#define REPORT_MEMORY_FRAME_DRAWING_H

#include "document/row.h"
#include "inspect/frame_saves.h"

/**
 * Say where a frame ends: "CFA of frame 0: the rsp of frame 1". If its rules define no CFA, say
 * which method set, assumed or guessed the `end`, the caller's stack pointer.
 */
void
frame_end_add(const struct frame_saves *saves, const struct arch *arch, uint64_t end,
	      struct row *row);

#endif
