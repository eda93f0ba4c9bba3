/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/view/layout.h"

#include <stddef.h>

#include "base/compiler.h"

#define VIEW(id) (1u << LAYOUT_##id)
#define REST LAYOUT_REST

/* Weights are the rows and columns at 260x60, 200x50, 120x40 and 80x24. */
const struct layout_plan layout_plans[LAYOUT_PLAN_COUNT] = {
	{ "four-columns", 240, 50, true, {
		{ 62, { { VIEW(STACK), 20 }, { VIEW(SUMMARY) | VIEW(WALKS) | VIEW(VERSUS), 17 },
			{ VIEW(MODULES) | REST, 20 } } },
		{ 66, { { VIEW(SOURCE), 22 }, { VIEW(DISASSEMBLY), 16 }, { VIEW(RAW), 11 },
			{ VIEW(MESSAGES) | VIEW(EDITS), 8 } } },
		{ 66, { { VIEW(MEMORY) | VIEW(FOUND) | VIEW(IDENTIFY), 36 },
			{ VIEW(REGISTERS) | VIEW(HISTORY), 21 } } },
		{ 63, { { VIEW(EVIDENCE) | VIEW(METHODS), 25 }, { VIEW(TAPE) | VIEW(TABLE), 32 } } },
	} },
	{ "three-columns", 180, 44, true, {
		{ 64, { { VIEW(STACK), 12 }, { VIEW(MEMORY) | VIEW(FOUND) | VIEW(IDENTIFY), 17 },
			{ VIEW(SUMMARY) | VIEW(MODULES) | REST, 18 } } },
		{ 70, { { VIEW(SOURCE) | VIEW(DISASSEMBLY), 16 }, { VIEW(RAW), 12 },
			{ VIEW(REGISTERS) | VIEW(HISTORY), 19 } } },
		{ 64, { { VIEW(EVIDENCE) | VIEW(METHODS), 17 }, { VIEW(TAPE) | VIEW(TABLE), 22 },
			{ VIEW(MESSAGES) | VIEW(EDITS), 8 } } },
	} },
	{ "two-columns", 110, 32, true, {
		{ 58, { { VIEW(STACK), 9 },
			{ VIEW(SOURCE) | VIEW(DISASSEMBLY) | VIEW(MODULES) | VIEW(DETAILS), 10 },
			{ VIEW(MEMORY) | VIEW(FOUND) | VIEW(IDENTIFY), 11 },
			{ VIEW(REGISTERS), 7 } } },
		{ 61, { { VIEW(SUMMARY) | VIEW(EVIDENCE) | VIEW(MESSAGES) | VIEW(TABLE) | REST, 18 },
			{ VIEW(TAPE) | VIEW(RAW) | VIEW(EDITS), 19 } } },
	} },
	{ "code", 110, 24, false, {
		{ 50, { { VIEW(STACK) | VIEW(SUMMARY), 19 },
			{ VIEW(REGISTERS) | VIEW(MEMORY), 18 } } },
		{ 69, { { VIEW(SOURCE), 19 }, { VIEW(DISASSEMBLY) | REST, 18 } } },
	} },
	{ "unwind", 110, 24, false, {
		{ 50, { { VIEW(STACK) | VIEW(SUMMARY), 12 }, { VIEW(MEMORY), 14 },
			{ VIEW(REGISTERS) | VIEW(HISTORY), 11 } } },
		{ 69, { { VIEW(EVIDENCE) | REST, 18 }, { VIEW(TAPE) | VIEW(TABLE) | VIEW(RAW), 19 } } },
	} },
	{ "stacked", 80, 24, true, {
		{ 80, { { VIEW(STACK), 9 }, { REST, 12 } } },
	} },
	{ "single", 0, 0, true, {
		{ 1, { { REST, 1 } } },
	} },
};

/* What no slot of the plan names. */
static unsigned
other_views(const struct layout_plan *plan)
{
	unsigned views = REST - 1;

	for (size_t i = 0; i < ARRAY_COUNT(plan->columns); i++)
		for (size_t j = 0; j < ARRAY_COUNT(plan->columns[i].slots); j++)
			views &= ~plan->columns[i].slots[j].views;
	return views;
}

unsigned
layout_plan_views(const struct layout_plan *plan, const struct layout_plan_slot *slot)
{
	return slot->views & REST ? (slot->views & ~REST) | other_views(plan) : slot->views;
}
