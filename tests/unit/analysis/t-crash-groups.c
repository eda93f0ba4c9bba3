/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Groups of crashes: the likeness of two stacks by hand, and a thousand crashes of twenty known faults.
 */
#include <stdlib.h>

#include "analysis/crash_groups.h"
#include "tests/lib/tap.h"

#define FAULTS 20u
#define CRASHES 1000u

/* exp(-0.2) and exp(-0.13), rounded */
#define DEPTH 0.8187307530779818
#define SHIFT 0.8780954309205613

static void
is_like(const char *const *first, size_t first_count, const char *const *second,
	size_t second_count, double expected, const char *title)
{
	const double got = crash_likeness(first, first_count, second, second_count);

	is_u64((uint64_t)(got * 1e9 + 0.5), (uint64_t)(expected * 1e9 + 0.5),
	       "the likeness in billionths: %s", title);
}

static void
test_likeness(void)
{
	static const char *const stack[] = { "a", "b", "c" };
	static const char *const other[] = { "x", "b", "c" };
	static const char *const longer[] = { "wrapper", "a", "b", "c" };
	static const char *const none[] = { "u", "v", "w" };
	const double whole = 1 + DEPTH + DEPTH * DEPTH;

	is_like(stack, 3, stack, 3, 1, "equal stacks have 1");
	is_like(stack, 3, none, 3, 0, "stacks without a common function have 0");
	is_like(stack, 1, none, 1, 0, "two stacks of one function each, which differ, have 0");
	is_like(stack, 3, other, 3, (DEPTH + DEPTH * DEPTH) / whole,
		"another function at the top costs its weight, 1");
	is_like(stack, 3, longer, 4, SHIFT, "one more frame at the top shifts all others by one");
	is_like(longer, 4, stack, 3, SHIFT, "the order of the stacks does not matter");
	is_like(stack, 3, stack, 2, 1, "a stack that ends early is like the longer one");
	is_like(stack, 0, stack, 0, 1, "two stacks without a frame are equal");
	is_like(stack, 3, stack, 0, 0, "a stack without a frame is like no other one");
}

static uint32_t
next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/*
 * A crash of a fault, whose stack varies as those of real ones do: recursion, frames that another build inlines,
 * a wrapper of the crashing function, more or fewer frames at its end.
 */
static void
invent_stack(size_t fault, uint32_t *state, char *text, size_t size, char *signature,
	     size_t signature_size)
{
	const unsigned repeats = next_random(state) % 4, left_out = 3 + next_random(state) % 8;
	const bool wrapped = next_random(state) % 10 == 0;
	const unsigned depth = 8 + next_random(state) % 6;
	size_t used = 0;

	snprintf(signature, signature_size, "%sfault%zu::frame0", wrapped ? "checked_" : "", fault);
	if (wrapped)
		used += (size_t)snprintf(text, size, "%s | ", signature);
	for (unsigned i = 0; i < depth; i++) {
		/* The last frames are those of the event loop, which all faults have. */
		const bool common = i >= 6;

		if (i == left_out)
			continue;
		for (unsigned times = 0; times <= (i == 2 ? repeats : 0); times++)
			used += (size_t)snprintf(text + used, size - used, "%s%s%zu::frame%u",
						 used > 0 && text[used - 1] != ' ' ? " | " : "",
						 common ? "loop" : "fault", common ? 0 : fault, i);
	}
}

/*
 * Purity: the share of crashes whose group is mostly of their fault. Completeness: the share of crashes that are
 * in the largest group of their fault.
 */
static void
test_groups(void)
{
	static unsigned counts[CRASHES][FAULTS];
	struct crash_groups groups = { 0 };
	struct crash crash = { .system = { .cpu_name = "amd64" } };
	unsigned pure = 0, complete = 0, timed = 0, largest[FAULTS] = { 0 };
	uint32_t state = 20261129;

	for (unsigned i = 0; i < CRASHES; i++) {
		char text[2000], signature[100], dump[20];
		const size_t fault = next_random(&state) % FAULTS;

		invent_stack(fault, &state, text, sizeof(text), signature, sizeof(signature));
		crash.time = i % 3 == 0 ? 0 : 2000 - i;	/* 0: the dump has no time */
		const struct analysis analysis = { .crash = &crash, .reason = "SIGSEGV",
						   .signature = signature, .proto_signature = text };
		snprintf(dump, sizeof(dump), "%zu", fault);
		const struct crash_outline outline = crash_outline_of(&analysis);
		if (!crash_groups_add(&groups, dump, &outline))
			abort();
	}
	crash_groups_sort(&groups);
	for (size_t g = 0; g < groups.count; g++) {
		const struct crash_group *group = groups.groups[g];
		unsigned most = 0;

		uint64_t first = 0, last = 0;

		for (size_t i = 0; i < group->count; i++) {
			const uint64_t time = group->members[i].time;

			counts[g][atoi(group->members[i].dump)]++;
			first = time != 0 && (first == 0 || time < first) ? time : first;
			last = time > last ? time : last;
		}
		timed += group->first == first && group->last == last;
		for (size_t f = 0; f < FAULTS; f++) {
			most = counts[g][f] > most ? counts[g][f] : most;
			largest[f] = counts[g][f] > largest[f] ? counts[g][f] : largest[f];
		}
		pure += most;
	}
	for (size_t f = 0; f < FAULTS; f++)
		complete += largest[f];
	ok(pure >= 980, "980 of 1000 crashes are in a group of their fault (%u)", pure);
	ok(complete >= 980, "980 of 1000 crashes are in the largest group of their fault (%u)",
	   complete);
	is_u64(groups.dumps, CRASHES, "each crash is counted");
	ok(groups.groups[0]->count >= groups.groups[groups.count - 1]->count,
	   "the largest group is the first");
	is_u64(timed, groups.count, "a group has the times of its first and last crash");
	arena_free(&groups.arena);
}

static void
test_ties(void)
{
	static const char *const dumps[][3] = {
		{ "b", "one", "one" }, { "0", "one", "one" }, { "a", "two", "two" }, { "z", "two", "two" },
		{ "c", "four", "three | four | five" }, { "d", "five", "three | four | five" },
		{ "e", "six", "six | a | b" }, { "f", "six", "six | c | d" },	/* 40 percent */
	};
	struct crash_groups groups = { 0 };
	const struct crash crash = { .system = { .cpu_name = "amd64" } };

	for (size_t i = 0; i < ARRAY_COUNT(dumps); i++) {
		const struct analysis analysis = { .crash = &crash, .reason = "SIGSEGV",
						   .signature = dumps[i][1], .proto_signature = dumps[i][2] };
		const struct crash_outline outline = crash_outline_of(&analysis);

		ok(crash_groups_add(&groups, dumps[i][0], &outline), "crash %zu is added", i);
	}
	crash_groups_sort(&groups);
	is_u64(groups.count, 5, "equal stacks are in two groups if neither signature is the first function, "
	       "and stacks that are not very alike in one if their signature is the same");
	is_str(groups.groups[0]->members[0].dump, "a",
	       "groups of one size are in the order of their first dumps");
	arena_free(&groups.arena);
}

int
main(void)
{
	test_likeness();
	test_ties();
	test_groups();
	return done_testing();
}
