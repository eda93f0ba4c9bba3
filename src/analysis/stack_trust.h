/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_STACK_TRUST_H
#define ANALYSIS_STACK_TRUST_H

#include "walk/walk.h"

/** Capacity of `helps`, and of `misfits`, in struct stack_trust. */
#define STACK_HELPS 3u

/** A module whose unwind rules would replace guesses. */
struct stack_help {
	int module;			/* index of the loaded module */
	size_t guesses;			/* number of guessed frames whose callee is in the module */
	bool symbols, file;		/* rules may be in the symbol file; in the module's file */
};

/**
 * How far a walk can be trusted. Each caller is found from its callee, so no frame is more reliable
 * than those before it: after a guess, every frame may be wrong, however it was found.
 */
struct stack_trust {
	size_t frames;
	size_t counts[CERTAINTY_COUNT];	/* frames without contradiction, by certainty */
	size_t contradicted;		/* frames that another source contradicts */
	size_t compared;		/* number of frames compared with other sources */
	size_t trusted;			/* frames before the first guess or contradiction */
	bool end_compared;		/* the walk is complete, and its end was compared */
	bool end_contradicted;		/* stack_end_contradicted(): the stack may go on */
	struct stack_help helps[STACK_HELPS];	/* most guesses first */
	size_t help_count;
	/*
	 * Modules whose symbol file was used but does not fit the module's own file (symbol_fit.h).
	 */
	int misfits[STACK_HELPS];
	size_t misfit_count;
	size_t searched;	/* number of frames known not to be of a stripped module */
};

/** Judge the frames that a walk has so far. */
void
stack_trust_of(struct walk *walk, struct stack_trust *trust);

/**
 * "14 frames: 8 exact, 4 by frame pointer, 1 guessed, 1 contradicted; trust frames 0 to 11", in
 * `arena`. With end_contradicted, "but their end is contradicted" follows the counts. `last` is the
 * number of the last trusted frame. In a layout that counts `inlined` calls as frames, this number
 * includes them; otherwise it is `trusted` minus 1. NULL when out of memory.
 */
const char *
stack_trust_text(const struct stack_trust *trust, size_t inlined, size_t last,
		 struct arena *arena);

/**
 * The first of these sentences that is true, in `arena`: a symbol file does not belong to its
 * module; rules would replace guesses; a module's file is stripped. NULL: no help is known.
 */
const char *
stack_trust_help(const struct stack_trust *trust, const struct walk *walk, struct arena *arena);

/* Contradicted frames -------------------------------------------------------------------------- */

/** Limit of frames compared with other sources; longer walks mostly repeat addresses. */
#define CONTRADICTED_FRAMES 256u

/**
 * A sentence in `arena` that says how another source contradicts the source of frame `number`.
 * Other sources are another table's rules for the address, the function's code, and the call before
 * the return address. The sentence may hold bytes of inputs. NULL: no contradiction. Guesses are
 * not compared. `*place` (may be NULL) is set to the record that was used, or to the call. The
 * modules' own files are opened if needed.
 */
const char *
frame_contradicted(struct walk *walk, size_t number, struct arena *arena, struct place *place);

/**
 * How a record that the walk refused differs from the source that then found the frame. NULL: no
 * record was refused, or both agree. `*place` is set to the record.
 */
const char *
frame_refused_record(struct walk *walk, size_t number, struct arena *arena, struct place *place);

/** The contradiction by the code alone; NULL: it agrees, or is not conclusive. */
const char *
frame_contradicted_by_code(struct walk *walk, size_t number, struct arena *arena);

/**
 * The contradiction of the rules at a complete walk's last frame, which may be the reason why the
 * stack ends there. NULL if nothing contradicts them, or the function has no caller.
 */
const char *
stack_end_contradicted(struct walk *walk, struct arena *arena, struct place *place);

#endif
