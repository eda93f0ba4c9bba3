/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_TO_SFRAME_H
#define UNWIND_CHECK_TO_SFRAME_H

#include "sframe/sframe_write.h"
#include "rules/unwind_source.h"

/**
 * Writes the rows of a source of unwind rules, or of an SFrame section, as an SFrame section.
 *
 * SFrame has CFA, return address and frame pointer. A row that SFrame cannot express is refused and
 * left out: the function ends before this row, and another function begins after it, so that no
 * other row covers its addresses. Rows that repeat, as in a PLT, are written once (PCMASK).
 */
struct sframe_refusal {
	uint64_t first, last;		/* addresses, as in the section */
	const char *why;
	/* The source has a claim, but SFrame cannot express it */
	bool claimed;
	struct claim cfa, return_address, frame_pointer;
	struct place place;		/* place of the record or row */
};

struct sframe_making {
	struct sframe_writer writer;	/* initialised with the form of the section */
	/* Subtracted from the source's addresses to get the module's */
	uint64_t bias;
	/** Called for each refused row; false stops. */
	bool (*refuse)(void *context, const struct sframe_refusal *refusal);
	void *context;
	uint64_t rows, bytes;		/* rows of the source, and bytes of their code */
	uint64_t refused_rows, refused_bytes;
	struct sframe_draft *draft;
};

/** Add all rows of a source. False when stopped or out of memory. */
bool
unwind_to_sframe(struct sframe_making *making, struct unwind_source *source);

/** Set `form` to the form of `from` in `version` (0: its own). NULL, or why that is impossible. */
const char *
sframe_form_of(struct sframe_table *form, const struct sframe *from, unsigned version);

/** Add all functions of a section. False when stopped or out of memory. */
bool
sframe_to_sframe(struct sframe_making *making, const struct sframe *from);

#endif
