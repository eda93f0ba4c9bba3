/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/crash_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/place.h"
#include "base/sorted.h"

/* The separator of names in a signature (analysis.h, proto_signature). */
#define SEPARATOR " | "
/* Factors of a pair's weight: exp(-0.2) per frame from the top, exp(-0.13) per frame of shift. */
#define DEPTH_FACTOR 0.818730753077981859
#define SHIFT_FACTOR 0.878095430920561326

static double
power(double factor, size_t exponent)
{
	double value = 1;

	for (; exponent > 0; exponent--)
		value *= factor;
	return value;
}

double
crash_likeness(const char *const *first, size_t first_count, const char *const *second,
	       size_t second_count)
{
	/* best[j]: largest sum for the first stack's frames so far and j frames of the second */
	double best[CRASH_GROUPS_FRAMES + 1] = { 0 }, most = 0;
	const size_t shorter = first_count < second_count ? first_count : second_count;

	for (size_t i = 0; i < first_count && i < CRASH_GROUPS_FRAMES; i++) {
		double before = 0;	/* best[j] before frame i was added */

		for (size_t j = 0; j < second_count && j < CRASH_GROUPS_FRAMES; j++) {
			const double without = best[j + 1];
			const size_t top = i < j ? i : j, shift = i < j ? j - i : i - j;
			const double together = before + power(DEPTH_FACTOR, top) *
								 power(SHIFT_FACTOR, shift);
			double value = without > best[j] ? without : best[j];

			if (together > value && strcmp(first[i], second[j]) == 0)
				value = together;
			before = without;
			best[j + 1] = value;
		}
	}
	for (size_t i = 0; i < shorter; i++)
		most += power(DEPTH_FACTOR, i);
	return most > 0 ? best[second_count] / most : first_count == second_count;
}

/* Split the stack into names; equal neighbours count as one. */
static size_t
split_names(char *names, const char *frames[CRASH_GROUPS_FRAMES])
{
	size_t count = 0;

	for (char *next = names; next != NULL && count < CRASH_GROUPS_FRAMES;) {
		char *end = strstr(next, SEPARATOR);

		if (end != NULL)
			*end = '\0';
		if (next[0] != '\0' && (count == 0 || strcmp(frames[count - 1], next) != 0))
			frames[count++] = next;
		next = end != NULL ? end + strlen(SEPARATOR) : NULL;
	}
	return count;
}

/* Whether one stack's first function is its signature, and is near the top of the other stack. */
static bool
begins_near(const struct crash_group *one, const struct crash_group *other)
{
	if (one->frame_count == 0 || strcmp(one->signature, one->frames[0]) != 0 ||
	    strstr(other->signature, SEPARATOR) != NULL)
		return false;
	for (size_t i = 0; i < other->frame_count && i < CRASH_GROUPS_NEAR; i++)
		if (strcmp(one->frames[0], other->frames[i]) == 0)
			return true;
	return false;
}

/* The group that a crash joins; NULL: none is similar enough. */
static struct crash_group *
find_group(const struct crash_groups *groups, const struct crash_group *crash)
{
	struct crash_group *found = NULL;
	double best = 0;

	for (size_t i = 0; i < groups->count; i++) {
		struct crash_group *group = groups->groups[i];
		const bool same = strcmp(group->signature, crash->signature) == 0;

		/* Most groups have another signature, and need no comparison of stacks. */
		if (!same && (strcmp(group->reason, crash->reason) != 0 ||
			      (!begins_near(group, crash) && !begins_near(crash, group))))
			continue;
		const double likeness = crash_likeness(group->frames, group->frame_count,
						       crash->frames, crash->frame_count);
		if (100 * likeness >= (same ? CRASH_GROUPS_SAME : CRASH_GROUPS_OTHER) &&
		    (found == NULL || likeness + same > best)) {
			found = group;
			best = likeness + same;
		}
	}
	return found;
}

static bool
count_variant(struct crash_groups *groups, struct crash_group *group, const char *what,
	      const char *value)
{
	for (size_t i = 0; i < group->variant_count; i++)
		if (strcmp(group->variants[i].what, what) == 0 &&
		    strcmp(group->variants[i].value, value) == 0) {
			group->variants[i].count++;
			return true;
		}
	const struct crash_variant variant = { what, arena_string(&groups->arena, value), 1 };
	return variant.value != NULL &&
	       ARENA_ADD(&groups->arena, group->variants, group->variant_count,
			 group->variant_capacity, &variant);
}

static const char *const value_names[CRASH_VALUES] = {
	"program", "version", "build", "processor", "system", "release",
};

struct crash_outline
crash_outline_of(const struct analysis *analysis)
{
	const struct crash *crash = analysis->crash;
	const struct module *program = crash->module_count > 0 ? &crash->modules[0] : NULL;
	const struct crash_system *system = &crash->system;

	return (struct crash_outline){
		.signature = analysis->signature, .reason = text_or_empty(analysis->reason),
		.stack = analysis->proto_signature, .time = crash->time,
		.values = {
			program != NULL ? place_base_name(program->code_file) : "",
			program != NULL ? program->version : "",
			program == NULL		      ? ""
			: program->code_id[0] != '\0' ? program->code_id
						      : program->debug_id,
			system->cpu_name, system->os_name, system->os_version,
		},
	};
}

bool
crash_outline_keep(struct crash_outline *outline, struct arena *arena)
{
	const char **const texts[] = { &outline->signature, &outline->reason, &outline->stack };
	bool enough = true;

	for (size_t i = 0; i < ARRAY_COUNT(texts) + CRASH_VALUES; i++) {
		const char **text = i < ARRAY_COUNT(texts)
					    ? texts[i] : &outline->values[i - ARRAY_COUNT(texts)];
		const char *value = text_or_empty(*text);

		*text = arena_string(arena, value);
		enough &= *text != NULL;
	}
	return enough;
}

/* A group without members; NULL: no memory. */
static struct crash_group *
new_group(struct arena *arena, const char *names, const struct crash_group *like)
{
	struct crash_group *group = arena_alloc(arena, sizeof(*group));
	char *kept = arena_copy(arena, names, strlen(names));
	const char *signature = arena_string(arena, like->signature);
	const char *reason = arena_string(arena, like->reason);

	if (group == NULL || kept == NULL || signature == NULL || reason == NULL)
		return NULL;
	*group = (struct crash_group){ .signature = signature, .reason = reason };
	group->frame_count = split_names(kept, group->frames);
	return group;
}

bool
crash_groups_add(struct crash_groups *groups, const char *dump,
		 const struct crash_outline *crash)
{
	const char *all = crash->stack;
	char *names = strdup(all);
	struct crash_group one = { .signature = crash->signature, .reason = crash->reason };
	bool enough = true;

	if (names == NULL)
		return false;
	one.frame_count = split_names(names, one.frames);
	struct crash_group *group = find_group(groups, &one);
	free(names);
	if (group == NULL)
		group = new_group(&groups->arena, all, &one);
	const struct crash_member member = { arena_string(&groups->arena, dump), crash->time };
	/* A group is kept with its first member. */
	if (group == NULL || member.dump == NULL ||
	    !ARENA_ADD(&groups->arena, group->members, group->count, group->capacity, &member) ||
	    (group->count == 1 && !ARENA_ADD(&groups->arena, groups->groups, groups->count,
					     groups->capacity, &group)))
		return false;
	groups->dumps++;
	if (crash->time != 0 && (group->first == 0 || crash->time < group->first))
		group->first = crash->time;
	if (crash->time > group->last)
		group->last = crash->time;
	for (size_t i = 0; i < CRASH_VALUES; i++)
		if (crash->values[i] != NULL && crash->values[i][0] != '\0')
			enough &= count_variant(groups, group, value_names[i], crash->values[i]);
	return enough;
}

static int
compare_groups(const void *left, const void *right)
{
	const struct crash_group *const *a = left, *const *b = right;

	return (*a)->count < (*b)->count   ? 1
	       : (*a)->count > (*b)->count ? -1
					   : strcmp((*a)->members[0].dump, (*b)->members[0].dump);
}

void
crash_groups_sort(struct crash_groups *groups)
{
	SORT(groups->groups, groups->count, compare_groups);
}
