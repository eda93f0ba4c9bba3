/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_STACK_TRUST_H
#define ANALYSIS_STACK_TRUST_H

#include "walk/walk.h"

/** Modules that are named as a help at most, and those whose symbol files are wrong. */
#define STACK_HELPS 3u

/** A module whose unwind rules would replace guesses. */
struct stack_help {
	int module;			/* index of the loaded module */
	size_t guesses;			/* that begin in it */
	bool symbols, file;		/* its symbol file, or its own file, may have the rules */
};

/**
 * How far a walk can be trusted. A caller is found from the frame below it, so that no frame is
 * more reliable than those below: behind a guess everything may be wrong, however it was found.
 */
struct stack_trust {
	size_t frames;
	size_t counts[CERTAINTY_COUNT];	/* of frames that nothing contradicts */
	size_t contradicted;		/* frames that another source contradicts */
	size_t compared;		/* frames from 0 on that were compared with other sources */
	size_t trusted;			/* frames before the first guess or contradiction */
	struct stack_help helps[STACK_HELPS];	/* the most guesses first */
	size_t help_count;
	/*
	 * Modules whose symbol files do not belong to their own files (symbol_fit.h), of which
	 * records were followed.
	 */
	int misfits[STACK_HELPS];
	size_t misfit_count;
};

/** Judge the frames that a walk has by now. */
void
stack_trust_of(struct walk *walk, struct stack_trust *trust);

/**
 * "14 frames: 8 exact, 4 by frame pointer, 1 guessed, 1 contradicted; trust frames 0 to 11", in
 * `arena`. Where a
 * layout counts `inlined` calls as frames, `last` is its number of the last frame to be trusted;
 * else it is `trusted` less 1. NULL when out of memory.
 */
const char *
stack_trust_text(const struct stack_trust *trust, size_t inlined, size_t last,
		 struct arena *arena);

/**
 * That a symbol file does not belong to its module, else what would replace guesses: a sentence
 * in `arena`; NULL: nothing that is known of.
 */
const char *
stack_trust_help(const struct stack_trust *trust, const struct walk *walk, struct arena *arena);

#endif
