/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_INFLATE_INTERNAL_H
#define SYSTEM_INFLATE_INTERNAL_H

#include "system/inflate.h"

/** Shared by the decoders. */

/** The remaining input and the output. */
struct inflate_job {
	const uint8_t *next;
	uint64_t left;
	uint64_t limit;
	uint64_t memory, used;		/* most nonzero bytes, and bytes so far */
	uint64_t settled;		/* bytes whose zeros were given back */
	uint64_t given;			/* room of the decoder's last call */
	bool full;			/* it filled the room: more may come without input */
	struct inflated *out;
};

/** Note why decompressing ended. The reason is copied. */
void
inflate_stop(struct inflate_job *job, enum inflate_end end, const char *reason);

/**
 * Make room for more output. False: the limit is reached, or the input has ended. Only this
 * function checks the limit. It allows one byte more, to distinguish an output of exactly that
 * size from a larger one.
 */
bool
inflate_room(struct inflate_job *job);

/** Count the input and output bytes of a call of the decoder. */
void
inflate_advance(struct inflate_job *job, uint64_t taken, uint64_t made);

/** The one file of a cabinet. */
void
inflate_cabinet(struct inflate_job *job);

#endif
