/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "code/instruction.h"
#include "frame_table/pe_unwind.h"

/*
 * `.pdata` and `.xdata` of x64 (Microsoft, x64 exception handling): a sorted table of functions,
 * each with the codes of its prologue. A function without an entry is a leaf: it moves no stack
 * pointer and saves nothing.
 */
#define DIRECTORY_EXCEPTION 3u
#define MACHINE_X64 0x8664u
#define ENTRY_SIZE 12u
/* The unwind information's address is that of another entry. */
#define INDIRECT 1u
/* Parts of a function that are chained; compilers write one or two. */
#define MOST_PARTS 32u

struct pe_frames {
	const struct binary *binary;
	struct reader table;
	uint64_t count;
};

void *
pe_frames_open(const struct binary *binary)
{
	struct pe_frames *frames;
	struct reader table;

	if (binary->format != BINARY_PE || binary->machine != MACHINE_X64 ||
	    !pe_directory(binary, DIRECTORY_EXCEPTION, &table) || table.size < ENTRY_SIZE)
		return NULL;
	frames = calloc(1, sizeof(*frames));
	if (frames == NULL)
		return NULL;
	*frames = (struct pe_frames){ .binary = binary, .table = table,
				      .count = table.size / ENTRY_SIZE };
	return frames;
}

void
pe_frames_close(void *state)
{
	free(state);
}

static bool
read_entry(const struct pe_frames *frames, uint64_t index, struct pe_function *function)
{
	const uint64_t at = index * ENTRY_SIZE;

	return reader_u32(&frames->table, at, &function->begin) &&
	       reader_u32(&frames->table, at + 4, &function->end) &&
	       reader_u32(&frames->table, at + 8, &function->info);
}

/* The first entry that begins behind `address`. */
static uint64_t
next_entry(const struct pe_frames *frames, uint64_t address)
{
	uint64_t low = 0, high = frames->count;
	struct pe_function function;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (read_entry(frames, middle, &function) && function.begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
find_function(const struct pe_frames *frames, uint64_t address, struct pe_function *function,
	      uint64_t *index)
{
	*index = next_entry(frames, address);
	if (*index == 0 || !read_entry(frames, --*index, function))
		return false;
	return address >= function->begin && address < function->end;
}

/* The codes of a function, also where its entry only says whose they are. */
static bool
read_info(const struct pe_frames *frames, struct pe_function function, struct pe_unwind *unwind)
{
	uint8_t bytes[ENTRY_SIZE];

	for (unsigned hops = 0; (function.info & INDIRECT) != 0; hops++)
		if (hops == MOST_PARTS ||
		    binary_read(frames->binary, function.info & ~INDIRECT, bytes, sizeof(bytes),
				NULL) < sizeof(bytes) ||
		    !pe_function_of_bytes(bytes, &function))
			return false;
	return pe_unwind_read(frames->binary, function.info, unwind);
}

/* Where the function begins that a part of one was chained to. */
static uint32_t
whole_begin(const struct pe_frames *frames, struct pe_function part)
{
	struct pe_unwind unwind;

	for (unsigned parts = 0; parts < MOST_PARTS && read_info(frames, part, &unwind) &&
				 unwind.chained; parts++)
		part = unwind.chain;
	return part.begin;
}

void
pe_frames_whole(const void *state, uint64_t relative, struct pe_whole *whole)
{
	const struct pe_frames *frames = state;
	struct pe_function function = { 0 };
	uint64_t index;

	*whole = (struct pe_whole){ 0 };
	if (find_function(frames, relative, &function, &index))
		*whole = (struct pe_whole){ true, whole_begin(frames, function) };
	else if (function.end <= relative)
		whole->begin = function.end;
}

/* What no entry covers belongs to leaves as far as it is code. */
void
pe_frames_extent(void *state, uint64_t relative, struct frame_extent *extent)
{
	const struct pe_frames *frames = state;
	struct pe_function function, next;
	uint64_t index;

	*extent = (struct frame_extent){ .first = relative, .last = UINT64_MAX };
	extent->entry = find_function(frames, relative, &function, &index);
	if (extent->entry) {
		extent->first = function.begin;
		extent->last = (uint64_t)function.end - 1;
		return;
	}
	if (read_entry(frames, next_entry(frames, relative), &next))
		extent->last = (uint64_t)next.begin - 1;
}

/* The end of the code's instruction; without a decoder the next change of the prologue. */
uint64_t
pe_frames_next(void *state, const struct arch *arch, uint64_t relative)
{
	const struct pe_frames *frames = state;
	struct instruction instruction;
	struct pe_function function;
	struct pe_unwind unwind;
	uint8_t bytes[INSTRUCTION_WINDOW];
	uint64_t index;

	if (!find_function(frames, relative, &function, &index))
		return relative + 1;
	const size_t count = binary_read(frames->binary, relative, bytes, sizeof(bytes), NULL);
	if (instruction_decode(&instruction, arch, false, false, bytes,
			       count < sizeof(bytes) ? count : sizeof(bytes), relative))
		return relative + instruction.length;
	if (read_info(frames, function, &unwind) && relative - function.begin < unwind.prologue)
		return relative + 1;
	return function.end;
}

/* Whether a jump leaves the function for good: a call at its end. */
static bool
leaves(const void *context, const struct pe_function *function, uint64_t target)
{
	const struct pe_frames *frames = context;
	struct pe_function other;
	uint64_t index;

	const uint32_t whole = whole_begin(frames, *function);
	if (target == whole)
		return true;
	if (target >= function->begin && target < function->end)
		return false;
	return !find_function(frames, target, &other, &index) ||
	       whole_begin(frames, other) != whole;
}

/* Undo what a function did up to `address`, through all its parts. */
static bool
undo(const struct pe_frames *frames, struct pe_function function, uint64_t address,
     struct frame_pops *pops)
{
	struct pe_unwind unwind;

	for (unsigned parts = 0; parts < MOST_PARTS; parts++) {
		if (!read_info(frames, function, &unwind)) {
			frame_pops_fail(pops, "cannot read the unwind info of the function");
			return false;
		}
		if (pe_unwind_undo(&unwind, &function, address, pops))
			return true;
		if (!unwind.chained || pops->cannot != NULL)
			return false;
		function = unwind.chain;
	}
	frame_pops_fail(pops, "the chain of the function's unwind information does not end");
	return false;
}

/* The row of what was undone; `*problem` where that went wrong. */
static const struct frame_table_row *
make_row(struct frame_pops *pops, bool machine_frame, struct frame_table_row *row,
	 const char **problem)
{
	/* A machine frame: rip, cs, rflags, rsp and ss as the processor pushed them. */
	row->table = ".pdata";
	row->signal = machine_frame;
	frame_pops_load(pops, pops->arch->pc, 0);
	if (machine_frame)
		frame_pops_load(pops, pops->arch->sp, 24);
	row->return_address = (struct frame_table_rule){
		.reg = pops->arch->pc, .expression = pops->values[pops->arch->pc] };
	row->cfa = (struct frame_table_rule){
		.reg = ARCH_NO_REGISTER,
		.expression = machine_frame ? pops->values[pops->arch->sp]
					    : frame_pops_address(pops, 8) };
	frame_pops_rules(pops, row);
	if (pops->cannot == NULL)
		return row;
	*problem = pops->cannot;
	return NULL;
}

/* A leaf's row holds for the gap in the table that it lies in. */
static const struct frame_table_row *
make_leaf(const struct pe_frames *frames, const struct frame_table_question *question,
	  struct frame_pops *pops, struct frame_table_row *row, const char **problem)
{
	const struct binary_segment *segment = binary_segment(frames->binary, question->relative);
	const uint64_t next = next_entry(frames, question->relative);
	struct pe_function before, after;

	if (segment == NULL || !segment->executable)
		return NULL;
	if (!question->exact) {
		*problem = "no entry covers the address, as for a leaf function, but the function has made a call";
		return NULL;
	}
	row->first = segment->address;
	row->last = segment->address + segment->size - 1;
	if (next > 0 && read_entry(frames, next - 1, &before) && before.end > row->first)
		row->first = before.end;
	if (read_entry(frames, next, &after) && after.begin - 1 < row->last)
		row->last = (uint64_t)after.begin - 1;
	row->place = reader_place(&frames->table, 0, 0);
	return make_row(pops, false, row, problem);
}

const struct frame_table_row *
pe_frames_find(void *state, const struct arch *arch, const struct frame_table_question *question,
	       struct arena *arena, const char **problem)
{
	const struct pe_frames *frames = state;
	struct frame_table_row *row = arena_alloc(arena, sizeof(*row));
	struct pe_function function;
	struct pe_unwind unwind;
	struct frame_pops pops;
	uint64_t index;

	if (row == NULL || !arch->pe_unwind)
		return NULL;
	frame_pops_begin(&pops, arch, arena);
	if (!find_function(frames, question->relative, &function, &index))
		return make_leaf(frames, question, &pops, row, problem);
	if (!read_info(frames, function, &unwind)) {
		*problem = "cannot read the unwind info of the function";
		return NULL;
	}
	row->place = reader_place(&frames->table, index * ENTRY_SIZE, ENTRY_SIZE);
	row->first = function.begin + unwind.prologue;
	row->last = (uint64_t)function.end - 1;
	const struct pe_epilogue epilogue = { frames->binary, leaves, frames };
	const bool in_prologue = question->relative < row->first;
	/* Compilers put early returns between the pushes and the saves that only the rest needs. */
	const bool in_epilogue = question->exact &&
				 pe_unwind_epilogue(&epilogue, &unwind, &function,
						    question->relative, &pops);
	if (in_prologue || in_epilogue)
		row->first = row->last = question->relative;
	return make_row(&pops,
			!in_epilogue && undo(frames, function, question->relative, &pops), row,
			problem);
}
