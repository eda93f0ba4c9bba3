/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/memory_marks.h"

#include "base/checked.h"
#include "base/sorted.h"

SORTED_BY_ALL(compare_pointers, struct memory_pointer, SORTED_UP(address) SORTED_UP(frame))

SORTED_BY_ALL(compare_reads, struct memory_read_mark, SORTED_UP(address) SORTED_UP(event))

/* Collects a register's values in all frames, if they are addresses of the run. */
static struct memory_pointer_list
collect_pointers(const struct memory_marks *marks, int reg, struct arena *arena)
{
	const struct walk *walk = marks->walk;
	struct memory_pointer *items = arena_array(arena, walk->count, sizeof(*items));
	bool sorted = true;
	size_t count = 0;

	for (size_t i = 0; items != NULL && i < walk->count; i++) {
		const struct registers *registers = &walk->frames[i].registers;

		if (!registers_known(registers, reg) ||
		    !checked_contains(marks->run->base, marks->run->size, registers->value[reg]))
			continue;
		items[count] = (struct memory_pointer){ registers->value[reg], i };
		sorted = sorted && (count == 0 || items[count - 1].address <= items[count].address);
		count++;
	}
	if (!sorted)
		SORT(items, count, compare_pointers);
	return (struct memory_pointer_list){ items, count };
}

/* Collects the reads of the attempt at the cursor. */
static void
collect_reads(struct memory_marks *marks, struct arena *arena)
{
	const struct trace *trace = &marks->step->trace;
	uint32_t attempt = step_view_attempt(marks->step);
	size_t tokens = 0;

	if (attempt == TRACE_NONE)
		return;
	uint32_t end = trace->events[attempt].end;
	marks->reads = arena_array(arena, end - attempt, sizeof(*marks->reads));
	for (uint32_t i = attempt; marks->reads != NULL && i < end; i++) {
		const struct event *event = &trace->events[i];

		tokens += event->kind == EVENT_TOKEN;
		if (event->kind != EVENT_READ || event->status != EVENT_OK)
			continue;
		bool by_token = event->parent < i &&
				trace->events[event->parent].kind == EVENT_TOKEN;
		marks->reads[marks->read_count++] = (struct memory_read_mark){
			event->address, i, by_token ? tokens : 0 };
	}
	if (marks->reads == NULL)
		return;
	SORT(marks->reads, marks->read_count, compare_reads);
}

/* Finds the pointers. Reuses `kept` if that has the same run and nearly all frames. */
static void
find_pointers(struct memory_marks *marks, struct memory_pointers *kept, struct arena *arena)
{
	struct memory_pointers found = { .walk = marks->walk, .frames = marks->walk->count,
					 .base = marks->run->base, .size = marks->run->size };
	const struct arch *arch = marks->walk->arch;

	if (kept == NULL || kept->walk != found.walk ||
	    !walk_is_little_more(found.walk, kept->frames) || kept->base != found.base ||
	    kept->size != found.size) {
		if (kept != NULL) {
			arena_reset(&kept->arena);
			arena = &kept->arena;
		}
		found.sp = collect_pointers(marks, arch->sp, arena);
		found.fp = collect_pointers(marks, arch->fp, arena);
		if (kept != NULL) {
			found.arena = kept->arena;
			*kept = found;
		}
	} else {
		found = *kept;
	}
	marks->sp = found.sp;
	marks->fp = found.fp;
}

void
memory_marks_find(struct memory_marks *marks, const struct memory_run *run,
		  const struct walk *walk, const struct step_view *step,
		  struct memory_pointers *kept, struct arena *arena)
{
	*marks = (struct memory_marks){ .walk = walk, .step = step, .run = run };
	if (walk != NULL)
		find_pointers(marks, kept, arena);
	if (step != NULL)
		collect_reads(marks, arena);
}

size_t
memory_marks_youngest(const struct memory_pointer_list *pointers, uint64_t address)
{
	const struct memory_pointer *items = pointers->items;
	size_t at = sorted_below(SORTED(items, pointers->count, address), address);

	return at < pointers->count && items[at].address == address ? items[at].frame : SIZE_MAX;
}

size_t
memory_marks_owner(const struct memory_marks *marks, uint64_t address)
{
	size_t behind = sorted_upto(SORTED(marks->sp.items, marks->sp.count, address), address);

	if (behind == 0)
		return SIZE_MAX;
	const struct memory_pointer *below = &marks->sp.items[behind - 1];
	if (below->address == address)
		return below->frame;
	/* The end of the last frame is unknown. */
	bool bounded =
		behind < marks->sp.count && marks->sp.items[behind].frame == below->frame + 1;
	return bounded ? below->frame : SIZE_MAX;
}

const struct memory_read_mark *
memory_marks_reads(const struct memory_marks *marks, uint64_t address, size_t *count)
{
	size_t low = sorted_below(SORTED(marks->reads, marks->read_count, address), address);

	*count = 0;
	while (low + *count < marks->read_count && marks->reads[low + *count].address == address)
		++*count;
	return *count > 0 ? marks->reads + low : NULL;
}
