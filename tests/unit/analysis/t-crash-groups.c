/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of crashes: the likeness of two stacks by hand, and a thousand crashes of twenty known faults. */
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

	is_u64((uint64_t)(got * 1e9 + 0.5), (uint64_t)(expected * 1e9 + 0.5), "the likeness in billionths: %s", title);
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
	is_like(stack, 3, other, 3, (DEPTH + DEPTH * DEPTH) / whole, "another function at the top costs its weight, 1");
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

/* A crash of a fault, whose stack varies as those of real ones do: recursion, frames that another build inlines,
 * a wrapper of the crashing function, more or fewer frames at its end. */
static void
invent_stack(size_t fault, uint32_t *state, char *text, size_t size, char *signature, size_t signature_size)
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

/* Purity: the share of crashes whose group is mostly of their fault. Completeness: the share of crashes that are
 * in the largest group of their fault. */
static void
test_groups(void)
{
	static unsigned counts[CRASHES][FAULTS];
	struct crash_groups groups = { 0 };
	struct crash crash = { .system = { .cpu_name = "amd64" } };
	unsigned pure = 0, complete = 0, timed = 0, sorted = 0, largest[FAULTS] = { 0 };
	uint32_t state = 20261129;

	for (unsigned i = 0; i < CRASHES; i++) {
		char text[2000], signature[100], dump[20];
		const size_t fault = next_random(&state) % FAULTS;

		invent_stack(fault, &state, text, sizeof(text), signature, sizeof(signature));
		crash.time = i % 3 == 0 ? 0 : 2000 - i;	/* 0: the dump has no time */
		const struct analysis analysis = { .crash = &crash, .reason = "SIGSEGV", .signature = signature, .proto_signature = text };
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
		sorted += g == 0 || groups.groups[g - 1]->count >= group->count;
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
	ok(complete >= 980, "980 of 1000 crashes are in the largest group of their fault (%u)", complete);
	is_u64(groups.dumps, CRASHES, "each crash is counted");
	is_u64(sorted, groups.count, "larger groups come first");
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
		{ "g", "best", "best | a | b | c | d" }, { "h", "best", "best | e | f | g | h" },
		{ "i", "best", "best | a | f | g | h" },	/* 52 and 77 percent */
		{ "j", "best", "best | a | b | c | h" },	/* the reverse */
	};
	const struct crash_group *best = NULL, *other = NULL;
	struct crash_groups groups = { 0 };
	const struct crash crash = { .system = { .cpu_name = "amd64" } };

	for (size_t i = 0; i < ARRAY_COUNT(dumps); i++) {
		const struct analysis analysis = { .crash = &crash, .reason = "SIGSEGV",
						   .signature = dumps[i][1], .proto_signature = dumps[i][2] };
		const struct crash_outline outline = crash_outline_of(&analysis);

		ok(crash_groups_add(&groups, dumps[i][0], &outline), "crash %zu is added", i);
	}
	crash_groups_sort(&groups);
	for (size_t i = 0; i < groups.count; i++) {
		best = strcmp(groups.groups[i]->members[0].dump, "h") == 0 ? groups.groups[i] : best;
		other = strcmp(groups.groups[i]->members[0].dump, "g") == 0 ? groups.groups[i] : other;
	}
	is_str(best != NULL && best->count == 2 ? best->members[1].dump : NULL, "i",
	       "a crash joins the group that it is most like, though it is not the first");
	is_str(other != NULL && other->count == 2 ? other->members[1].dump : NULL, "j",
	       "a crash joins the group that it is most like, though it is not the last");
	is_u64(groups.count, 7, "equal stacks are in two groups if neither signature is the first function, "
	       "and stacks that are not very alike in one if their signature is the same");
	is_str(groups.groups[0]->members[0].dump, "a", "groups of one size are in the order of their first dumps");
	arena_free(&groups.arena);
}

/* Pairs of crashes at the limits: 30 percent for one signature, 60 for two; the first four functions. */
static void
test_pairs(void)
{
	static const struct {
		const char *signatures[2], *stacks[2];
		size_t groups;
		const char *title;
	} pairs[] = {
		{ { "s", "s" }, { "s | a | b | c", "s | e | f | g" }, 1, "33 percent, 1 of 3.04" },
		{ { "s", "s" }, { "s | a | b | c | d", "s | e | f | g | h" }, 2, "29 percent, 1 of 3.49" },
		{ { "s", "w" }, { "s | a | b | c", "w | s | a | b | c" }, 1, "all functions shifted by one: 88 percent" },
		{ { "s", "x" }, { "s | a | b | c", "x | y | z | s | a | b | c" }, 1, "shifted by three: 68 percent" },
		{ { "w", "s" }, { "w | s | a | b | c", "s | a | b | d" }, 1, "three of four shifted: 72 percent" },
		{ { "w", "s" }, { "w | s | a | u | v", "s | a | x | y" }, 2, "two of four shifted: 53 percent" },
		{ { "s", "w | s" }, { "s | a | b | c", "w | s | a | b | c" }, 2, "a signature of two functions" },
		{ { "a", "w" }, { "s | a | b | c", "w | s | a | b | c" }, 2, "signatures that are not the first functions" },
		{ { "s", "s" }, { "s | s | s | a", "s | a | a" }, 1, "repeated functions count once" },
		{ { "s", "a" }, { "", "a | b" }, 2, "a stack without a function" },
	};
	struct crash crash = { .system = { .cpu_name = "amd64" } };

	for (size_t i = 0; i < ARRAY_COUNT(pairs) * 2; i++) {
		struct crash_groups groups = { 0 };
		const bool others = i >= ARRAY_COUNT(pairs);	/* the reasons differ */
		const size_t at = i % ARRAY_COUNT(pairs);
		const bool same = strcmp(pairs[at].signatures[0], pairs[at].signatures[1]) == 0;

		for (size_t j = 0; j < 2; j++) {
			const struct analysis analysis = { .crash = &crash, .reason = j == 0 || !others ? "one" : "two",
							   .signature = pairs[at].signatures[j], .proto_signature = pairs[at].stacks[j] };
			const struct crash_outline outline = crash_outline_of(&analysis);

			ok(crash_groups_add(&groups, j == 0 ? "0" : "1", &outline), "a crash is added");
		}
		is_u64(groups.count, others && !same ? 2 : pairs[at].groups, "two crashes are in one group or two: %s%s",
		       pairs[at].title, others ? ", with two reasons" : "");
		arena_free(&groups.arena);
	}
}

/* The values of a crash, and how often each occurs in a group. */
static void
test_values(void)
{
	static const struct {
		const char *version, *code_id, *debug_id, *os;
		size_t modules;
	} dumps[] = { { "1", "c", "d", "Linux", 1 }, { "2", "", "d", "Linux", 1 }, { "1", "c", "e", "", 1 }, { "1", "c", "e", "", 0 } };
	static const char wanted[] = "program tool 3, version 1 2, build c 2, processor amd64 4, system Linux 2, "
				     "release 6.1 4, version 2 1, build d 1, ";
	struct crash_groups groups = { 0 };
	char text[300] = "";
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_COUNT(dumps); i++) {
		struct module module = { .code_file = "/bin/tool", .version = dumps[i].version,
					 .code_id = dumps[i].code_id, .debug_id = dumps[i].debug_id };
		const struct crash crash = {
			.modules = &module, .module_count = dumps[i].modules,
			.system = { .cpu_name = "amd64", .os_name = dumps[i].os, .os_version = "6.1" } };
		const struct analysis analysis = { .crash = &crash, .signature = "s", .proto_signature = "s" };
		struct crash_outline outline = crash_outline_of(&analysis);

		ok(crash_outline_keep(&outline, &groups.arena) && crash_groups_add(&groups, "0", &outline),
		   "a crash is added from a copy of its outline");
	}
	for (size_t i = 0; groups.count == 1 && i < groups.groups[0]->variant_count; i++) {
		const struct crash_variant *variant = &groups.groups[0]->variants[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s %zu, ", variant->what, variant->value, variant->count);
	}
	is_str(text, wanted, "a group counts the values of its crashes; empty ones are left out");
	is_str(groups.groups[0]->reason, "", "a dump without a crash has no reason");
	arena_free(&groups.arena);
}

int
main(void)
{
	test_pairs();
	test_values();
	test_likeness();
	test_ties();
	test_groups();
	return done_testing();
}
