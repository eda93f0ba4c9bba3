/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_TELESCOPE_H
#define REPORT_MEMORY_TELESCOPE_H

#include "document/listing.h"
#include "inspect/frame_saves.h"
#include "document/facts.h"
#include "inspect/memory_marks.h"
#include "inspect/reading.h"

/**
 * The stack as a telescope: every word of the memory that contains a walk's frames, with its
 * meaning. Each frame begins with a row of its own. A run of meaningless or equal words is folded
 * into one row.
 *
 * The meaning of a word is found when its row is filled. Only the positions of rows are computed in
 * advance, at once or in pieces. The time is linear in frames and bytes of the stacks.
 */
enum telescope_kind {
	TELESCOPE_WORDS, /* words, one row each */
	TELESCOPE_FOLD, /* words folded into one row; they follow the row while it is open */
	TELESCOPE_END, /* end of a frame: its CFA, or where its method assumes the end */
	TELESCOPE_FRAME, /* beginning of a frame */
	TELESCOPE_BELOW, /* words below the youngest frame's stack pointer */
	TELESCOPE_BOTTOM, /* data of the system above all frames */
	TELESCOPE_GAP, /* `count` bytes between two runs of memory */
};

/** Consecutive rows of one kind. */
struct telescope_part {
	enum telescope_kind kind;
	uint64_t address; /* address of the first word */
	uint64_t count; /* number of words, or of bytes in a gap */
	size_t frame;
	size_t row; /* its first row while everything is folded */
	size_t open_row; /* its first row while everything is open */
};

/** How far the index of a walk's memory has been built. */
struct telescope_reached {
	const struct memory_run **runs; /* runs that contain frames, by address */
	size_t run_count, run; /* runs before `run` are done */
	bool inside; /* `run` is begun; the next word to index is at `address` */
	uint64_t address;
	size_t sp, fp; /* index of the next sp pointer; of the next fp pointer */
	const uint64_t *saved; /* addresses of saved registers, ascending */
	size_t saved_count, save;
	size_t row, open_row;
	size_t parts; /* number of final parts; later ones are placeholders */
};

/** The rows of a walk's memory while all folds are closed or open. */
struct telescope_index {
	struct arena arena;
	const struct walk *walk; /* NULL: none */
	size_t frames;
	struct telescope_part *parts; /* owned */
	size_t part_count, part_capacity;
	struct telescope_reached reached;
	struct memory_pointers pointers;
};

/**
 * The index of a walk's telescope, that of the walk before, to return to it at once, and the open
 * folds. Before use, set all members to 0.
 */
struct telescope_state {
	struct telescope_index index, before;
	struct frame_saves_cache saves;
	bool all; /* every fold is open */
	uint64_t *open; /* addresses of open folds; of closed ones if `all` */
	size_t open_count, open_capacity;
	struct arena open_arena;
};

struct telescope_options {
	const struct crash *crash;
	const struct memory_view *memory;
	struct binaries *binaries; /* NULL: none */
	struct walk *walk; /* NULL: no walk; allowed for memory that is not a stack */
	const struct step_view *step; /* step whose reads and candidates are marked; NULL: none */
	struct telescope_state *state;
	unsigned base; /* base of values: 16, 10, or 0 for text */
	uint64_t until; /* index only the parts up to this address (see telescope_more); 0: all */
};

void
telescope_state_free(struct telescope_state *state);

/** Drop the indexes of walks, before one of these is freed; open folds stay open. */
void
telescope_state_forget(struct telescope_state *state);

/** Open the fold that contains an address, or close it again. False: no fold contains it. */
bool
telescope_toggle(struct telescope_state *state, uint64_t address);

/** Open or close all folds. */
void
telescope_open_all(struct telescope_state *state, bool open);

/**
 * The rows. A fold's target is TARGET_FOLD with the fold's address. A return address leads to its
 * frame, a pointer to its target, any other word to its bytes in the dump.
 */
struct listing
telescope_listing(const struct telescope_options *options, struct arena *arena);

/**
 * Index more of the words that a listing postponed. This may change later rows, so make the listing
 * again. False: everything is indexed.
 */
bool
telescope_more(const struct listing *listing);

/**
 * The words of the run of memory that contains an address. If the run has frames of a walk with a
 * step, this is a telescope, else a row for each word without folds. If the dump lacks the memory,
 * the bytes of the module's file are shown and marked. If the file lacks them too, the listing is a
 * message.
 */
struct listing
telescope_memory(const struct telescope_options *options, uint64_t address, struct arena *arena);

/** Whether a listing is a telescope of a stack. */
bool
telescope_is(const struct listing *listing);

/** The row of the word at an address, or of the fold that hides the word; else the nearest row. */
size_t
telescope_row(const struct listing *listing, uint64_t address);

/** The row that begins a frame; if the frame has none, the row of the word at its stack pointer. */
size_t
telescope_frame_row(const struct listing *listing, size_t frame);

/** The address of a row's first word; 0: the listing is not a telescope, or lacks the row. */
uint64_t
telescope_address(const struct listing *listing, size_t row);

struct frame_contents;

/**
 * Rows as an object: thread, frames, the registers of `contents` (NULL: left out), rows; an empty
 * object if the listing has no rows.
 */
FACTS_DECLARE(telescope, const struct listing *listing, size_t first, size_t count,
	      const struct frame_contents *contents);

#endif
