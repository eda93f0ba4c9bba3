/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_CRASH_GROUPS_H
#define ANALYSIS_CRASH_GROUPS_H

#include "analysis/analysis.h"

/**
 * Crashes in groups that are likely to have the same fault.
 *
 * A crash is compared with the first crash of each group, its representative. With equal signatures
 * it joins the group if the stacks are alike by CRASH_GROUPS_SAME percent. With different
 * signatures it joins if the stacks are alike by CRASH_GROUPS_OTHER percent and the reasons are
 * equal. Then each signature must be one function, and the first function of one stack must be
 * among the first CRASH_GROUPS_NEAR of the other: another build may inline it or call it by a
 * wrapper. Signatures of several functions begin in code that many faults lead to.
 *
 * Only the representative's stack is kept, so memory grows with the groups and the dumps' paths.
 */
#define CRASH_GROUPS_SAME 30u
#define CRASH_GROUPS_OTHER 60u
#define CRASH_GROUPS_NEAR 4u

/* Frames of a stack that are compared, after repeated ones are left out. */
#define CRASH_GROUPS_FRAMES 40u

struct crash_member {
	const char *dump;
	uint32_t time;			/* seconds since 1970; 0: unknown */
};

/** One of the values that differ in a group, such as a version of the program. */
struct crash_variant {
	const char *what, *value;	/* "version", "1.2.3" */
	size_t count;
};

struct crash_group {
	const char *signature, *reason;	/* the representative's; reason "": no crash */
	const char *frames[CRASH_GROUPS_FRAMES];	/* names as in signatures, youngest first */
	size_t frame_count;
	struct crash_member *members;	/* in the order in which they were added */
	size_t count, capacity;
	uint32_t first, last;		/* the earliest and the latest time; 0: unknown */
	struct crash_variant *variants;
	size_t variant_count, variant_capacity;
};

struct crash_groups {
	struct arena arena;
	struct crash_group **groups;	/* the largest first, after crash_groups_sort() */
	size_t count, capacity;
	size_t dumps;
};

/**
 * The similarity of two stacks, from 0 to 1: the position-dependent measure of ReBucket (Dang and
 * others, "ReBucket", ICSE 2012). Equal names are paired in order. A pair adds
 * exp(-0.2 * the smaller distance from the top - 0.13 * the difference of the distances). The
 * largest sum is divided by the sum for two copies of the shorter stack.
 */
double
crash_likeness(const char *const *first, size_t first_count, const char *const *second,
	       size_t second_count);

enum { CRASH_VALUES = 6 };

/** The facts of a crash by which it is grouped. */
struct crash_outline {
	const char *signature, *reason, *stack;	/* the stack is the proto signature */
	uint32_t time;
	const char *values[CRASH_VALUES];	/* "" or NULL: unknown */
};

/** The outline of an analysed crash; its texts belong to the crash and the analysis. */
struct crash_outline
crash_outline_of(const struct analysis *analysis);

/** Copy the texts of an outline into `arena`. False: out of memory. */
bool
crash_outline_keep(struct crash_outline *outline, struct arena *arena);

/** Add a crash; everything is copied. False: out of memory. */
bool
crash_groups_add(struct crash_groups *groups, const char *dump,
		 const struct crash_outline *crash);

/** Sort the groups by size, largest first; groups of one size by the path of the first dump. */
void
crash_groups_sort(struct crash_groups *groups);

#endif
