/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_TELESCOPE_INTERNAL_H
#define REPORT_MEMORY_TELESCOPE_INTERNAL_H

#include "inspect/memory_marks.h"
#include "report/memory/telescope.h"

/* A word that a scan tested. */
struct telescope_candidate {
	uint64_t address;
	const struct event *event;
};

struct telescope {
	struct telescope_options options;
	struct reading_source source;
	struct memory_marks marks;
	/* Run of memory to show; NULL: the telescope shows a stack */
	const struct memory_run *run;
	struct telescope_part words;
	struct binary_run file; /* bytes of a module's file, if the dump lacks `run` */
	struct memory_run file_run;
	const struct telescope_candidate *candidates; /* candidates of the step, by address */
	size_t candidate_count;
	struct frame_saves so_far; /* saves of the step in progress, up to its cursor */
	const size_t *toggled; /* indexes of open folds (closed ones if `all`), ascending */
	size_t toggled_count;
	size_t rows;
	unsigned size;
	int digits, frame_width;
	bool short_addresses; /* no stack address has more than 48 bits */
};

/* A row: its part, and the index of its word there; the first row of a fold has no word. */
struct telescope_place {
	const struct telescope_part *part;
	size_t index;
	bool word;
	bool open;
	uint64_t address;
};

/** The telescope of a listing; NULL: another listing. */
const struct telescope *
telescope_of(const struct listing *listing);

/** Make the index of a walk the current one, or that of the walk before the last to be replaced. */
void
telescope_state_select(struct telescope_state *state, const struct walk *walk);

/**
 * Index the walk's memory up to the address in the options and some more. Set the number of rows,
 * with folds as the user left them. False: there are no rows.
 */
bool
telescope_place_parts(struct telescope *telescope, struct arena *arena);

/** Whether an address is in memory that contains a frame of the walk. */
bool
telescope_holds(const struct telescope *telescope, uint64_t address);

/** The word at an address of a run, in the dump's byte order. */
uint64_t
telescope_word(const struct memory_view *memory, const struct memory_run *run, uint64_t address,
	unsigned size);

/** The part and word of a row. */
struct telescope_place
telescope_place(const struct telescope *telescope, size_t row);

/** The run of memory that contains an address; NULL: none. */
const struct memory_run *
telescope_run(const struct telescope *telescope, uint64_t address);

/** The word at an address, or 0 if it is missing. */
uint64_t
telescope_word_at(const struct telescope *telescope, uint64_t address);

/** The frame whose part of the stack contains an address; SIZE_MAX: none. */
size_t
telescope_owner(const struct telescope *telescope, uint64_t address);

/** Add the meaning of a value, with the frame that it points into. */
void
telescope_add_value(const struct telescope *telescope, const struct reading *reading,
	size_t columns, struct row *row);

/** The step's scan result for the word at an address; NULL: none. */
const struct telescope_candidate *
telescope_candidate(const struct telescope *telescope, uint64_t address);

/**
 * The register saved in a word, or NULL. Sets `*frame` to the word's owner or the owner's callee.
 */
const struct frame_save *
telescope_save(const struct telescope *telescope, uint64_t address, size_t *frame);

/** '*': read by the rule in force, '!': exception's address, '+': taken by a scan, '?': refused. */
char
telescope_sign(const struct telescope *telescope, uint64_t address);

/** The pointers to a word, and the tokens that read it. */
void
telescope_marks(const struct telescope *telescope, uint64_t address, char *buffer, size_t size);

/** Add the meaning of a word: the register saved there, else the reading of its value. */
void
telescope_add_reading(const struct telescope *telescope, uint64_t address, uint64_t value,
	size_t columns, struct row *row);

/** The bytes from a frame's stack pointer to its caller's stack pointer, or TELESCOPE_ENDLESS. */
#define TELESCOPE_ENDLESS UINT64_MAX
uint64_t
telescope_frame_size(const struct telescope *telescope, size_t frame);

/** The reads of the step from a frame, and the frame's CFA. Valid for 32 more calls. */
const struct frame_saves *
telescope_saves(const struct telescope *telescope, size_t frame);

/** Whether a step is shown and its cursor is before the step's end. */
bool
telescope_is_stepping(const struct telescope *telescope);

/** Whether a register of a frame (SIZE_MAX: none) is known at the cursor. */
bool
telescope_is_known(const struct telescope *telescope, size_t frame, int reg);

/** Find the words that scans of the step tested. */
void
telescope_collect_candidates(struct telescope *telescope, struct arena *arena);

#endif
