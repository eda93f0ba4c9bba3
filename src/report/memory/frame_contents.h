/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_FRAME_CONTENTS_H
#define REPORT_MEMORY_FRAME_CONTENTS_H

#include "report/memory/telescope.h"
#include "report/value/locals.h"

/**
 * The contents of a frame: its calls, arguments and local variables, its registers with the meaning
 * of each value, and the words of its part of the stack as in the telescope.
 */
struct frame_contents;

/**
 * The contents of the frame where options->step starts; NULL when out of memory. They live in
 * `arena`. `opened` says which parts of variables are unfolded; NULL: variables do not unfold.
 */
const struct frame_contents *
frame_contents_of(const struct telescope_options *options, const struct locals_state *opened,
		  struct arena *arena);

/**
 * The rows: one for each call, rows for the variables in debug information, one for each register
 * with a value, one for all other registers, and the words. A register leads to the origin of its
 * value.
 */
struct listing
frame_contents_listing(const struct frame_contents *contents, struct arena *arena);

/** The register of a row; ARCH_NO_REGISTER: none. */
int
frame_contents_register(const struct listing *listing, size_t row);

/** The number of a row's variable, if it can be opened (locals_row); 0: none. */
uint64_t
frame_contents_local(const struct listing *listing, size_t row);

/** The variable that a row shows, entirely or in part; false: none. */
bool
frame_contents_variable(const struct listing *listing, size_t row, struct variable_place *place);

/** The address of a row's word; 0: none. */
uint64_t
frame_contents_address(const struct listing *listing, size_t row);

/** The row of an address; 0 if it has none. */
size_t
frame_contents_row(const struct listing *listing, uint64_t address);

/** The number of a frame's rows in a telescope. Sets `*first` to the index of the first row. */
size_t
frame_contents_words(const struct listing *telescope, size_t frame, size_t *first);

/** The registers as objects of a list. */
FACTS_DECLARE(frame_register, const struct frame_contents *contents, size_t index);

/** The number of registers with a value. */
size_t
frame_contents_registers(const struct frame_contents *contents);

#endif
