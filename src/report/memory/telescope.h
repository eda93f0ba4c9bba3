/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_TELESCOPE_H
#define REPORT_MEMORY_TELESCOPE_H

#include "document/listing.h"
#include "inspect/frame_saves.h"
#include "document/facts.h"
#include "inspect/memory_marks.h"
#include "inspect/reading.h"

/**
 * The stack as a telescope: every word of the memory that a walk's frames lie in, with what it is.
 *
 * Frames begin with a row of their own. Words in a row that say nothing, or the same, are folded
 * into one. What a row takes to be known is found out when it is filled; only where rows are is
 * found once for a walk, in time linear in its frames and the bytes of its stacks, or piece by
 * piece.
 */
enum telescope_kind {
	TELESCOPE_WORDS, /* words, a row each */
	TELESCOPE_FOLD, /* words that one row stands for; they follow it while it is open */
	TELESCOPE_END, /* a frame ends: at its CFA, or where its method assumes the end */
	TELESCOPE_FRAME, /* a frame begins */
	TELESCOPE_BELOW, /* below the youngest frame's stack pointer */
	TELESCOPE_BOTTOM, /* what the system left above all frames */
	TELESCOPE_GAP, /* `count` bytes between two runs of memory */
};

/** Rows of one kind behind each other. */
struct telescope_part {
	enum telescope_kind kind;
	uint64_t address; /* of the first word */
	uint64_t count; /* words; bytes of a gap */
	size_t frame;
	size_t row; /* of its first row while everything is folded */
	size_t open_row; /* while everything is open */
};

/** How far the parts of a walk's memory have been found. */
struct telescope_reached {
	const struct memory_run **runs; /* that frames lie in, by address */
	size_t run_count, run; /* those before `run` are done */
	bool inside; /* the run is begun; its next word is at `address` */
	uint64_t address;
	size_t sp, fp; /* the next pointers, by address */
	const uint64_t *saved; /* addresses of saved registers, in order */
	size_t saved_count, save;
	size_t row, open_row;
	size_t parts; /* that stay; others stand for what is not looked at yet */
};

/**
 * What is kept of a walk's telescope, and which folds are open. Begin with all members 0 and the
 * arena made.
 */
struct telescope_state {
	struct arena arena;
	const struct walk *walk;
	size_t frames;
	struct telescope_part *parts; /* owned */
	size_t part_count, part_capacity;
	struct telescope_reached reached;
	struct memory_pointers pointers;
	struct frame_saves_cache saves;
	bool all; /* every fold is open */
	uint64_t *open; /* addresses of folds that are open, or folded where `all` */
	size_t open_count, open_capacity;
	struct arena open_arena;
};

struct telescope_options {
	const struct crash *crash;
	const struct memory_view *memory;
	struct binaries *binaries; /* NULL: none */
	struct walk *walk; /* NULL: none, which only other memory than a stack can do without */
	const struct step_view *step; /* whose reads and candidates are marked; NULL: none */
	struct telescope_state *state;
	unsigned base; /* of the values: 16, 10, or 0 for their bytes as text */
	uint64_t until; /* what lies far behind it is left for telescope_more(); 0: nothing is */
};

void
telescope_state_free(struct telescope_state *state);

/** Forget what is kept of a walk that goes; what its user has opened stays open. */
void
telescope_state_forget(struct telescope_state *state);

/** Open the fold that holds an address, or fold it again. False where none does. */
bool
telescope_toggle(struct telescope_state *state, uint64_t address);

/** Open all folds, or none. */
void
telescope_open_all(struct telescope_state *state, bool open);

/**
 * The rows. A fold's target is TARGET_FOLD with its address; a return address leads to its frame,
 * a pointer to what it points at, everything else to its bytes in the dump.
 */
struct listing
telescope_listing(const struct telescope_options *options, struct arena *arena);

/**
 * Look at some more of what a listing of words left. Until it is made again, rows behind those that
 * it had come to may be other ones. False: nothing was left.
 */
bool
telescope_more(const struct listing *listing);

/**
 * The words of the run of memory that holds an address: the telescope where frames of a walk with
 * a step lie in it, else a row for each word, none of which is folded. Where the dump has no such
 * memory, what a module's file has there is shown and said to be the file's; where there is none
 * either the listing says so.
 */
struct listing
telescope_memory(const struct telescope_options *options, uint64_t address, struct arena *arena);

/** Whether a listing is a telescope of a stack. */
bool
telescope_is(const struct listing *listing);

/** The row of the word that holds an address, of the fold that hides it, or the nearest one. */
size_t
telescope_row(const struct listing *listing, uint64_t address);

/** The row that begins a frame; that of its stack pointer's word where it has none. */
size_t
telescope_frame_row(const struct listing *listing, size_t frame);

/** The address of a row's first word; 0 where the listing has none. */
uint64_t
telescope_address(const struct listing *listing, size_t row);

struct frame_contents;

/**
 * Rows as an object: thread, frames, the registers of `contents` (NULL: none are asked for), rows;
 * empty where the listing has none.
 */
FACTS_DECLARE(telescope, const struct listing *listing, size_t first, size_t count,
	      const struct frame_contents *contents);

#endif
