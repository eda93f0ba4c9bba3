/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_STACK_INTERNAL_H
#define REPORT_STACK_STACK_INTERNAL_H

#include "analysis/thread_state.h"
#include "walk/fold.h"
#include "report/stack/stack.h"

/**
 * Which rows a stack listing has. Frames of a walk never change and are only added, so what was
 * found of them once holds.
 */

/* A mark of a frame: another source contradicts it. */
#define STACK_CONTRADICTED 4u

/* The frames of one thread that have been looked at. */
struct stack_counted {
	const struct walk *walk;
	struct fold fold;
	size_t inlined;		/* frames among them with more than one call */
	size_t compared;	/* frames that other sources were asked about */
	bool end_compared, end_contradicted;
	struct thread_state state;
	bool judged;		/* the state is final: the frames that tell it are there */
	size_t leader;		/* of the thread's group: an index in crash->threads */
	size_t members;		/* of the group that this thread leads, itself included */
	bool group_toggled;	/* this group differs from stack_state.expand_groups */
};

/* What the rows of one thread's frames are made of. */
enum stack_item_kind {
	STACK_ITEM_FRAME,	/* a frame, a row for each of its calls or for all */
	STACK_ITEM_RUN,		/* a folded recursion, or a part of it: one row */
	STACK_ITEM_HEAD,	/* the row over an open recursion, whose frames follow */
};

struct stack_item {
	uint32_t row;		/* its first row, counted from the thread's first frame */
	uint32_t frame;
	uint32_t frames;	/* that it stands for */
	uint32_t kind;		/* enum stack_item_kind */
};

/* The rows of one thread: its own, those of its frames, its end, then that of its group. */
struct stack_section {
	size_t thread;			/* index in crash->threads */
	size_t number;			/* as Breakpad counts */
	size_t first;			/* its own row */
	size_t frames;			/* shown frames */
	size_t frame_rows;
	const struct stack_item *items;	/* one behind the last has its row; NULL: a row a frame */
	size_t item_count;
	const struct walk *walk;	/* NULL: not walked, or its frames are not shown */
	const struct stack_counted *counted;
	size_t *others;			/* numbers of the threads that it stands for; NULL: none */
	size_t other_count, others_known;
	bool requesting, open, group_open;
};

struct stack {
	const struct crash *crash;
	const struct walk_changes *changes;	/* as in stack_state */
	struct stack_section *sections;
	size_t section_count;
	size_t *section_of;		/* of each thread: its own, or that which stands for it */
};

/* Find the sections and their rows. False when out of memory. */
bool
stack_index(struct stack_state *state, struct stack *stack, struct arena *arena);

/* All rows of a section. */
size_t
stack_section_rows(const struct stack_section *section);

/* The item of a section that holds frame or row `at` of its frames, and how many rows it has. */
struct stack_item
stack_section_item(const struct stack_section *section, size_t at, bool by_row, size_t *rows);

#endif
