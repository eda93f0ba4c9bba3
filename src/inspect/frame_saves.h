/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_FRAME_SAVES_H
#define INSPECT_FRAME_SAVES_H

#include "inspect/recorded_step.h"

/**
 * The words from which a step reads the caller's registers, and the CFA of the step's frame.
 *
 * They are found by repeating the step when a frame is shown. The last few results are cached.
 */
struct frame_save {
	uint64_t address;
	int reg; /* the caller's register with this value */
	struct place rule; /* record or rule of the save */
};

struct frame_saves {
	size_t frame; /* the step's callee; it owns the words */
	bool taken; /* the step found a caller */
	enum method_id method; /* method of the step, and the trust in its rules */
	enum certainty certainty;
	bool has_cfa; /* the rules define a CFA; false: the end is assumed */
	uint64_t cfa;
	uint32_t cfa_event; /* event of the CFA's rule in the step */
	struct place cfa_rule;
	struct frame_save saves[ARCH_REGISTERS];
	size_t count;
	uint64_t kept; /* bit n: the rule left register n unchanged */
};

#define FRAME_SAVES_KEPT 32u

/** Results for one walk. Begin with all members 0; clear the cache before the walk is freed. */
struct frame_saves_cache {
	const struct walk *walk;
	size_t used[FRAME_SAVES_KEPT]; /* frame number plus 1; 0: unused */
	struct frame_saves saves[FRAME_SAVES_KEPT];
};

/** The reads of the step from `frame` of the walk. Valid until 32 more calls. */
const struct frame_saves *
frame_saves_of(struct frame_saves_cache *cache, struct walk *walk, size_t frame);

/** The reads of the step from a frame. frame_saves_of_step: only those up to the step's cursor. */
void
frame_saves_make(struct frame_saves *saves, struct walk *walk, size_t frame);

void
frame_saves_of_step(struct frame_saves *saves, const struct step_view *step);

/** The first save at an address, or NULL. */
const struct frame_save *
frame_saves_at(const struct frame_saves *saves, uint64_t address);

/** The save from which a register got its value, or NULL. */
const struct frame_save *
frame_saves_register(const struct frame_saves *saves, int reg);

/** The origin of a register's value in a frame. */
struct frame_origin {
	enum {
		/* `frame` still has the value; no callee that was searched has saved it */
		ORIGIN_KEPT,
		ORIGIN_SAVED,		/* callee `frame` saved it at `address` */
		ORIGIN_COMPUTED,	/* the step from `frame` computed it */
		/* `frame` has the value; code that ran later has not written the register */
		ORIGIN_UNWRITTEN,
	} kind;
	size_t frame;
	uint64_t address;
};

/** Find the origin in the callees. A register without a value is unknown or unwritten. */
struct frame_origin
frame_origin_of(struct walk *walk, size_t frame, int reg);

/**
 * A part of a frame on the stack: a word with the return address or a register of the caller, or
 * words that no rule mentions.
 *
 * The frame ends at the caller's stack pointer, unless that is lower or on another stack: a signal
 * handler may return to another stack. Slots are sorted by address. They include words that the
 * rules read below or above the frame.
 */
struct frame_part {
	uint64_t address;
	uint64_t size;			/* in bytes: a word, or a run of words without registers */
	const struct frame_save *save;	/* save in the slot; NULL: no rule mentions the slot */
	bool returns;			/* the save is the return address */
	bool outside;			/* below the frame's stack pointer or above its end */
};

struct frame_layout {
	const struct step_view *step;
	struct frame_saves saves;
	uint64_t begin, end;		/* equal if the frame has no words */
	bool ends;			/* false: the frame may extend beyond `end` */
	bool settled;			/* the end is known at the step's cursor */
	/* rule of the CFA, else the event that set the end; or TRACE_NONE */
	uint32_t event;
	/* The register with the return address; or ARCH_NO_REGISTER */
	int link;
	struct frame_part *slots;
	size_t count;
};

/** Maximum number of words without rules that have a slot each; a longer run has one slot. */
#define FRAME_LAYOUT_LISTED 8u

/**
 * Make the layout of a step's frame at the step's cursor. Words that the step reads later count as
 * words without rules. The step is borrowed; slots live in `arena`.
 */
void
frame_layout_make(struct frame_layout *layout, const struct step_view *step, struct arena *arena);

#endif
