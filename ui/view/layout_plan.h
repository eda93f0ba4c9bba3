/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_LAYOUT_PLAN_H
#define UI_VIEW_LAYOUT_PLAN_H

#include "ui/view/layout.h"

/**
 * The plans of screens: which view stands where. Data alone; layout.c measures.
 */

/* A slot that has this bit takes the views that stand nowhere else in the plan. */
#define LAYOUT_REST (1u << LAYOUT_VIEW_COUNT)

/** Slots of one column, from above; they share its rows in proportion to their weights. */
struct layout_plan_slot {
	unsigned views;
	int weight;		/* 0: no slot */
};

struct layout_plan_column {
	int weight;		/* share of the columns; 0: no column */
	struct layout_plan_slot slots[LAYOUT_SLOT_COUNT];
};

struct layout_plan {
	const char *name;
	int least_columns, least_rows;
	bool by_size;		/* chosen where nobody asks for another and the screen has room */
	struct layout_plan_column columns[LAYOUT_COLUMN_COUNT];
};

/** The plans, those that need most room first; the last one fits everywhere. */
extern const struct layout_plan layout_plans[LAYOUT_PLAN_COUNT];

/** The views of a slot as bits, with those that it takes as LAYOUT_REST. */
unsigned
layout_plan_views(const struct layout_plan *plan, const struct layout_plan_slot *slot);

#endif
