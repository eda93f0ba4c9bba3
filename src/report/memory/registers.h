/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_REGISTERS_H
#define REPORT_MEMORY_REGISTERS_H

#include "inspect/reading.h"
#include "report/step/step_view.h"

/**
 * The registers of a step with what can be unfolded of them: what a value leads to, and, of the
 * frame that the dump has a context for, all else that the context holds and the thread's other
 * contexts.
 */
struct registers_state {
	uint64_t open; /* bit n: register n shows what its values are */
	unsigned groups; /* bit n: enum context_group; the next one: the thread's context */
};

struct registers_options {
	const struct step_view *step;
	const struct memory_view *memory;
	struct binaries *binaries; /* NULL: none */
	const struct registers_state *state;
	unsigned base; /* of the values: 16, 10, or 0 for their bytes as text */
};

/** The rows. They live in `arena`, and borrow what the options name. */
struct listing
registers_listing(const struct registers_options *options, struct arena *arena);

/** Add the marks of its rows with what they mean; nothing for another listing. */
void
registers_legend(const struct listing *registers, struct row *row);

/** The row of register `reg`; 0 where it has none. */
size_t
registers_row(const struct listing *registers, int reg);

/** The register that a row tells of; ARCH_NO_REGISTER: none of the walk's. */
int
registers_reg(const struct listing *registers, size_t row);

/** Unfold what a row stands for, or fold it again. False where it stands for nothing more. */
bool
registers_toggle(struct registers_state *state, const struct listing *registers, size_t row);

/** Unfold everything, or nothing. */
void
registers_open_all(struct registers_state *state, bool open);

#endif
