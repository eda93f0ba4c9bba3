/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_FRAME_CONTENTS_H
#define REPORT_MEMORY_FRAME_CONTENTS_H

#include "report/memory/telescope.h"
#include "report/value/locals.h"

/**
 * What a frame holds: its calls, its arguments and local variables, its registers with what each
 * value is, and the words of its part of the stack as the telescope shows them.
 */
struct frame_contents;

/**
 * The contents of the frame that options->step is the step from; NULL when out of memory. They live
 * in `arena`. `opened` says which parts of variables are opened; NULL: none, and none can be.
 */
const struct frame_contents *
frame_contents_of(const struct telescope_options *options, const struct locals_state *opened,
		  struct arena *arena);

/**
 * The rows: a call each, the variables as far as debug information has any, a register each, one
 * for the registers without a value, the words. A register leads to what made its value.
 */
struct listing
frame_contents_listing(const struct frame_contents *contents, struct arena *arena);

/** The register of a row; ARCH_NO_REGISTER: none. */
int
frame_contents_register(const struct listing *listing, size_t row);

/** The number of a row's variable, if it can be opened (locals_row); 0: none. */
uint64_t
frame_contents_local(const struct listing *listing, size_t row);

/** The variable of a row, or of which it is a part; false: it is of none. */
bool
frame_contents_variable(const struct listing *listing, size_t row, struct variable_place *place);

/** The address of a row's word; 0: none. */
uint64_t
frame_contents_address(const struct listing *listing, size_t row);

/** The row of an address; 0 where none has it. */
size_t
frame_contents_row(const struct listing *listing, uint64_t address);

/** The rows of a telescope that are a frame's; the first one is set. */
size_t
frame_contents_words(const struct listing *telescope, size_t frame, size_t *first);

/** The registers as objects of a list. */
FACTS_DECLARE(frame_register, const struct frame_contents *contents, size_t index);

/** How many registers have a value. */
size_t
frame_contents_registers(const struct frame_contents *contents);

#endif
