/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_TELESCOPE_INTERNAL_H
#define REPORT_MEMORY_TELESCOPE_INTERNAL_H

#include "inspect/memory_marks.h"
#include "report/memory/telescope.h"

/* A word that a scan looked at. */
struct telescope_candidate {
	uint64_t address;
	const struct event *event;
};

struct telescope {
	struct telescope_options options;
	struct reading_source source;
	struct memory_marks marks;
	/* Other memory than a stack, whose words are shown; or NULL */
	const struct memory_run *run;
	struct telescope_part words; /* of `run` */
	struct binary_run file; /* what `run` is of where the dump lacks it */
	struct memory_run file_run;
	const struct telescope_candidate *candidates; /* of the step, by address */
	size_t candidate_count;
	struct frame_saves so_far; /* of the step in hand, while it is not over */
	const size_t *toggled; /* folds that are not as `all` says, in order */
	size_t toggled_count;
	size_t rows;
	unsigned size;
	int digits, frame_width;
	bool short_addresses; /* no stack lies above 48 bits */
};

/* A row: the part that it is of, and which of its words; the first row of a fold has no word. */
struct telescope_place {
	const struct telescope_part *part;
	size_t index;
	bool word;
	bool open;
	uint64_t address;
};

/**
 * Find the parts of a walk's memory as far as an address and some more, all again if the walk has
 * changed since. False: there are none.
 */
bool
telescope_index(const struct telescope *telescope, uint64_t until);

/** The next address that telescope_index() will look at; UINT64_MAX: there is none. */
uint64_t
telescope_reached(const struct telescope_state *state);

/** Whether an address lies in memory that holds a frame of the walk. */
bool
telescope_holds(const struct telescope *telescope, uint64_t address);

/** The word at an address of a run, in the dump's byte order. */
uint64_t
telescope_word(const struct memory_view *memory, const struct memory_run *run, uint64_t address,
	unsigned size);

/** The part that holds an address, or the last one below it; NULL: none. */
const struct telescope_part *
telescope_part_of(const struct telescope_state *state, uint64_t address);

/** The first row of a part, folded as its user asked. */
size_t
telescope_row_of_part(const struct telescope *telescope, const struct telescope_part *part);

/** Whether a part is a fold whose words are shown. */
bool
telescope_is_open(const struct telescope *telescope, const struct telescope_part *part);

/** What stands in a row. */
struct telescope_place
telescope_place(const struct telescope *telescope, size_t row);

/** Find the folds that their user has toggled, and those that hide what the step in hand reads. */
void
telescope_collect_toggled(struct telescope *telescope, struct arena *arena);

/** The run of memory that an address lies in; NULL: none. */
const struct memory_run *
telescope_run(const struct telescope *telescope, uint64_t address);

/** The word at an address, 0 where there is none. */
uint64_t
telescope_word_at(const struct telescope *telescope, uint64_t address);

/** The frame that owns a word, from its stack pointer to its caller's on one stack; or SIZE_MAX. */
size_t
telescope_owner(const struct telescope *telescope, uint64_t address);

/** What a value is, with the frame that it points into. */
void
telescope_add_value(const struct telescope *telescope, const struct reading *reading,
	size_t columns, struct row *row);

/** What a scan of the step said of the word at an address; NULL: nothing. */
const struct telescope_candidate *
telescope_candidate(const struct telescope *telescope, uint64_t address);

/**
 * The register that a frame saved in a word, or NULL; `*frame` gets which: the owner or its
 * callee.
 */
const struct frame_save *
telescope_save(const struct telescope *telescope, uint64_t address, size_t *frame);

/** '*' read by the rule in force, '!' the exception's address, '+' taken by a scan, '?' refused. */
char
telescope_sign(const struct telescope *telescope, uint64_t address);

/** Who points at a word, and the tokens that read it. */
void
telescope_marks(const struct telescope *telescope, uint64_t address, char *buffer, size_t size);

/** The function of a frame, cut so that its end, the distance, stays in sight. */
void
telescope_add_frame_name(
	const struct walk *walk, size_t frame, bool always, size_t columns, struct row *row);

/** What a word is: who saved what there, else what its value can be read as. */
void
telescope_add_reading(const struct telescope *telescope, uint64_t address, uint64_t value,
	size_t columns, struct row *row);

/** The bytes from a frame's stack pointer to its caller's; 0: unknown. */
uint64_t
telescope_frame_size(const struct telescope *telescope, size_t frame);

/** What the step from a frame read, and its CFA. Lives until 32 more are asked for. */
const struct frame_saves *
telescope_saves(const struct telescope *telescope, size_t frame);

/** Whether there is a step in hand that is not over where its cursor stands. */
bool
telescope_is_stepping(const struct telescope *telescope);

/** Whether a register of a frame (SIZE_MAX: none) is known; one of the caller may not be yet. */
bool
telescope_is_known(const struct telescope *telescope, size_t frame, int reg);

/** Find the words that scans of the step looked at. */
void
telescope_collect_candidates(struct telescope *telescope, struct arena *arena);

#endif
