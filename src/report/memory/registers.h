/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_REGISTERS_H
#define REPORT_MEMORY_REGISTERS_H

#include "inspect/reading.h"
#include "report/step/step_view.h"

/**
 * The registers of a step. A register unfolds to the memory at its value. In the frame of a
 * context, the rest of that context and the thread's own context unfold too.
 */
struct registers_state {
	uint64_t open; /* bit n: register n is unfolded */
	unsigned groups; /* bit n: group n is unfolded (enum context_group, then the thread's) */
};

struct registers_options {
	const struct step_view *step;
	const struct memory_view *memory;
	struct binaries *binaries; /* NULL: none */
	const struct registers_state *state;
	unsigned base; /* base of values: 16, 10, or 0 for text */
};

/** The rows. They live in `arena` and borrow everything in the options. */
struct listing
registers_listing(const struct registers_options *options, struct arena *arena);

/** Add the marks in a registers_listing() and their meaning; nothing for other listings. */
void
registers_legend(const struct listing *registers, struct row *row);

/** The row of register `reg`; 0 if it has none. */
size_t
registers_row(const struct listing *registers, int reg);

/** The register of a row; ARCH_NO_REGISTER: not a register of the walk. */
int
registers_reg(const struct listing *registers, size_t row);

/** Unfold the subject of a row, or fold it again. False if it cannot be unfolded. */
bool
registers_toggle(struct registers_state *state, const struct listing *registers, size_t row);

/** Unfold all registers and groups, or fold them. */
void
registers_open_all(struct registers_state *state, bool open);

#endif
