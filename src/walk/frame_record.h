/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_FRAME_RECORD_H
#define WALK_FRAME_RECORD_H

#include "locate/binaries.h"
#include "crash/memory.h"

/**
 * Whether code of arm64 around `pc` saves a return address without a frame pointer, as it does
 * when it was compiled without them: the chain of frame records passes such functions by, where
 * AAPCS64 has every function keep one. False too where no code is known there.
 */
bool
frame_record_is_bare(const struct memory_view *memory, struct binaries *binaries, uint64_t pc);

#endif
