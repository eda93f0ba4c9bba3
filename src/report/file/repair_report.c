/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/repair_report.h"

#include <inttypes.h>
#include <string.h>

#include "report/step/patch.h"
#include "walk/location.h"
#include "walk/overlay.h"

static const char *const slot_names[] = {
	[REPAIR_BEFORE] = "before", [REPAIR_INSTEAD] = "instead", [REPAIR_BEHIND] = "behind",
};
static const struct fact_names repair_slots = FACT_NAMES(slot_names);

static const struct fact_names repair_trusts = FACT_WORDS(
	[REPAIR_BOTH] = "both", [REPAIR_TABLE] = "table", [REPAIR_CODE] = "code");

#define FACTS "report/file/repair_facts.def"
#include "document/describe_facts.h"

/* Walks ---------------------------------------------------------------------------------------- */

/* Limit of compared frames of a stack: deeper stacks are recursions. */
#define MOST_FRAMES 10000u

static const char **
name_frames(struct repair_report *report, const struct walk *walk)
{
	const char **names = arena_array(&report->arena, walk->count + 1, sizeof(*names));

	for (size_t i = 0; names != NULL && i < walk->count; i++) {
		const struct text name =
			location_frame_name(walk, &walk->frames[i], true, &report->arena);

		names[i] = text_copy(&report->arena, name);
		if (names[i] == NULL)
			return NULL;
	}
	return names;
}

/* Notes a thread if its walks differ. */
static bool
compare_walks(struct repair_report *report, const char *dump, const struct walk *before,
	      const struct walk *after)
{
	const int sp = before->arch->sp, pc = before->arch->pc;
	size_t same = 0;

	while (same < before->count && same < after->count &&
	       before->frames[same].registers.value[sp] ==
		       after->frames[same].registers.value[sp] &&
	       before->frames[same].registers.value[pc] == after->frames[same].registers.value[pc])
		same++;
	if (same == before->count && same == after->count)
		return true;
	struct repair_stack *stack = ARENA_PUSH(&report->arena, report->stacks,
						report->stack_count, report->stack_capacity);
	if (stack == NULL)
		return false;
	*stack = (struct repair_stack){ .dump = dump, .thread = before->thread, .first = same,
					.before = name_frames(report, before),
					.after = name_frames(report, after),
					.before_count = before->count,
					.after_count = after->count };
	return stack->before != NULL && stack->after != NULL;
}

bool
repair_report_walk(struct repair_report *report, const char *dump, struct walk *before)
{
	const struct overlay overlay = { .records = report->repair->edits };
	struct walk *after = walk_create_edited(before->crash, before->symbols, before->binaries,
						before->thread, &before->policy, &overlay);
	bool good = after != NULL;

	if (good) {
		walk_run(before, MOST_FRAMES);
		walk_run(after, MOST_FRAMES);
		report->threads++;
		good = compare_walks(report, dump, before, after);
	}
	walk_free(after);
	return good;
}

/* Text ----------------------------------------------------------------------------------------- */

static void
write_change(const struct repair_change *change, const struct output *output)
{
	static const char *const trusts[] = {
		[REPAIR_BOTH] = "the code agrees", [REPAIR_TABLE] = "the code does not say"
	};

	if (change->slot == REPAIR_INSTEAD) {
		output_format(output, "line %" PRIu32 ": ", change->line);
		output_text(output, change->was);
		output_plain(output, "\n");
	} else {
		output_format(output, "%s line %" PRIu32 ": nothing\n", slot_names[change->slot],
			      change->line);
	}
	output_line(output, "    now: %s", change->now != NULL ? change->now : "no line");
	if (change->trust == REPAIR_CODE)
		output_line(output, "    why: %s (the code alone: no frame table has the address)",
			    change->why);
	else if (change->source.input != NULL)
		output_line(output, "    why: %s (%s; %s)", change->why,
			place_format(&change->source).text, trusts[change->trust]);
	else
		output_line(output, "    why: %s", change->why);
}

static void
write_stack(const struct repair_stack *stack, const struct output *output)
{
	const size_t count = stack->before_count > stack->after_count ? stack->before_count
								      : stack->after_count;
	/* Shows at most 40 frames: more would be a recursion. */
	const size_t shown = count - stack->first > 40 ? stack->first + 40 : count;

	output_line(output,
		    "%s, thread %zu: %zu frames become %zu, they differ from frame %zu on",
		    place_base_name(stack->dump), stack->thread, stack->before_count,
		    stack->after_count, stack->first);
	for (size_t i = stack->first; i < shown; i++) {
		const char *before = i < stack->before_count ? stack->before[i] : "no frame";
		const char *after = i < stack->after_count ? stack->after[i] : "no frame";

		if (strcmp(before, after) == 0)
			output_line(output, "    %3zu  %s", i, before);
		else
			output_line(output, "    %3zu  %s  becomes  %s", i, before, after);
	}
	if (shown < count)
		output_format(output, "    and %zu more\n", count - shown);
}

void
repair_report_text(const struct repair_report *report, const struct output *output)
{
	const struct repair *repair = report->repair;
	const struct file *file = symfile_file(repair->module->symfile);

	output_line(output, "%s: %zu line%s of %zu function%s changed, to agree with %s",
		    place_base_name(file->input.name), repair->change_count,
		    plural(repair->change_count), repair->functions, plural(repair->functions),
		    place_base_name(report->binary));
	for (size_t i = 0; i < repair->change_count; i++)
		write_change(&repair->changes[i], output);
	for (size_t i = 0; i < repair->left_count; i++)
		output_format(output, "not repaired: 0x%" PRIx64 " to 0x%" PRIx64 ": %s\n",
			      repair->left[i].first, repair->left[i].last, repair->left[i].why);
	for (size_t i = 0; i < report->stack_count; i++)
		write_stack(&report->stacks[i], output);
	if (report->threads > report->stack_count)
		output_format(output,
			      "%zu thread%s walked, with the same frames before and after\n",
			      report->threads - report->stack_count,
			      plural(report->threads - report->stack_count));
}

static bool
is_directory(const char *path, struct text name)
{
	return strcspn(path, "/") == name.length && memcmp(path, name.start, name.length) == 0;
}

/*
 * The path for the patch: NAME/ID/FILE if the file is in a store, else the path without leading
 * slashes. Sets `*root` to the number of bytes before that path.
 */
static struct text
path_of(const struct symfile *symfile, size_t *root)
{
	const struct symfile_identity identity = symfile_identity(symfile);
	const char *name = symfile_file(symfile)->input.name, *parts[3];
	size_t end = strlen(name);

	*root = 0;
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
		while (end > 0 && name[end - 1] != '/')
			end--;
		parts[i] = name + end;
		if (end == 0 && i < 2)
			break;
		end -= end > 0;
		if (i == 2 && is_directory(parts[1], identity.id) &&
		    is_directory(parts[2], identity.name))
			*root = (size_t)(parts[2] - name);
	}
	if (*root == 0 && name[0] == '/')
		*root = strspn(name, "/");
	return text_of(name + *root);
}

void
repair_report_patch(struct repair_report *report, const char *name,
		    const struct output *output)
{
	const struct repair *repair = report->repair;
	const struct symfile *symfile = repair->module->symfile;
	size_t root;
	const struct text path = path_of(symfile, &root);

	repair_report_text(report, output);
	if (repair->edits.count == 0)
		return;
	output_line(output, "apply with: patch %s%.*s%s-p1 < %s", root > 0 ? "-d " : "",
		    (int)root, symfile_file(symfile)->input.name, root > 0 ? " " : "", name);
	output_plain(output, "\n");
	patch_write_file(output, symfile_file(symfile), path, &repair->edits);
}
