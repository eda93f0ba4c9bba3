/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_STACK_INTERNAL_H
#define REPORT_STACK_STACK_INTERNAL_H

#include "analysis/thread_state.h"
#include "walk/fold.h"
#include "report/stack/stack.h"

/**
 * Finds the rows of a stack listing. Frames of a walk never change and are only added, so the
 * results for a frame stay valid.
 */

/* Flag: another source contradicts the frame. */
#define STACK_CONTRADICTED 4u

/* The frames of one thread that have been counted. */
struct stack_counted {
	const struct walk *walk;
	struct fold fold;
	size_t inlined;		/* number of frames with more than one call */
	size_t compared;	/* number of frames compared with other sources */
	bool end_compared, end_contradicted;
	struct thread_state state;
	bool judged;		/* the thread's state is final: enough frames are walked */
	size_t leader;		/* first thread of its group: an index in crash->threads */
	size_t members;		/* number of threads in the group that this thread leads */
	bool group_toggled;	/* the group differs from stack_state.expand_groups */
};

enum stack_item_kind {
	STACK_ITEM_FRAME,	/* a frame with a row for each call, or one for all */
	STACK_ITEM_RUN,		/* a folded recursion or a part of one: one row */
	STACK_ITEM_HEAD,	/* the heading of an open recursion, whose frames follow */
};

struct stack_item {
	uint32_t row;		/* its first row, from the thread's first frame */
	uint32_t frame;
	uint32_t frames;
	uint32_t kind;		/* enum stack_item_kind */
};

/* The rows of one thread: its own row, the rows of its frames, its end and its group. */
struct stack_section {
	size_t thread;			/* index in crash->threads */
	size_t number;			/* number in Breakpad's count */
	size_t first;			/* row of the thread itself */
	size_t frames;			/* number of frames shown */
	size_t frame_rows;
	/* The items, then an item that marks the end; NULL: each frame has one row */
	const struct stack_item *items;
	size_t item_count;
	const struct walk *walk;	/* NULL: not walked, or frames are not shown */
	const struct stack_counted *counted;
	size_t *others;			/* numbers of the other threads of its group; NULL: none */
	size_t other_count, others_known;
	bool open, group_open;
};

struct stack {
	const struct crash *crash;
	const struct walk_changes *changes;	/* like stack_state.changes */
	struct stack_section *sections;
	size_t section_count;
	size_t *section_of;		/* section of each thread, its own or its group's */
};

/* Find the sections and their rows. False when out of memory. */
bool
stack_index(struct stack_state *state, struct stack *stack, struct arena *arena);

size_t
stack_section_rows(const struct stack_section *section);

/* The item with frame `at` (`by_row`: row `at` of the frames). Sets `*rows` to the item's rows. */
struct stack_item
stack_section_item(const struct stack_section *section, size_t at, bool by_row, size_t *rows);

#endif
