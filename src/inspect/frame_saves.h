/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_FRAME_SAVES_H
#define INSPECT_FRAME_SAVES_H

#include "inspect/recorded_step.h"

/**
 * Where a frame saved what its caller needs: the words that the step from it read, and its CFA.
 *
 * Asked of the unwinder again, frame by frame, when they are shown; the last few answers are kept.
 */
struct frame_save {
	uint64_t address;
	int reg; /* of the caller that got its value from here */
	struct place rule; /* the record or rule that says so */
};

struct frame_saves {
	size_t frame; /* whose words they are: the callee of the step */
	bool taken; /* the step found a caller */
	enum method_id method; /* that found it, and how far its rules can be trusted */
	enum certainty certainty;
	bool has_cfa; /* its rules define one; else the frame ends where they assume that it does */
	uint64_t cfa;
	struct place cfa_rule;
	struct frame_save saves[ARCH_REGISTERS];
	size_t count;
	uint64_t kept; /* bit n: a register that the rule left as it was */
};

#define FRAME_SAVES_KEPT 32u

/** Answers of one walk. Begin with all members 0; made empty where the walk goes. */
struct frame_saves_cache {
	const struct walk *walk;
	size_t used[FRAME_SAVES_KEPT]; /* frame and 1; 0: nothing */
	struct frame_saves saves[FRAME_SAVES_KEPT];
};

/** What the step from `frame` of the walk read. Lives until the cache is asked 32 times more. */
const struct frame_saves *
frame_saves_of(struct frame_saves_cache *cache, struct walk *walk, size_t frame);

/** frame_saves_of() a step that is there already, as far as its cursor. */
void
frame_saves_of_step(struct frame_saves *saves, const struct step_view *step);

/** The first save at an address, or NULL. */
const struct frame_save *
frame_saves_at(const struct frame_saves *saves, uint64_t address);

/** The save that gave a register, or NULL. */
const struct frame_save *
frame_saves_register(const struct frame_saves *saves, int reg);

#endif
