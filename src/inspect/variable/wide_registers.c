/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "dump/describe.h"
#include "frame_table/frame_tables.h"
#include "inspect/variable/frame_variables.h"

/*
 * Floating-point and vector registers, which walks do not recover. A value is searched for in the
 * callees, one by one: in a save by the kernel, a table's row or the context.
 */

/* Contexts ------------------------------------------------------------------------------------- */

/* A search for a field of the context where the walk starts, by its name and index. */
struct field_search {
	const char *name;
	uint64_t index, size;
	bool found;
	struct place place;
};

static void
take_field(void *context, const struct describe_value *value)
{
	struct field_search *search = context;
	const size_t length = strlen(search->name);
	const char *rest = value->name + length;
	char number[24];

	if (search->found || value->place.input == NULL || value->broken ||
	    strncmp(value->name, search->name, length) != 0)
		return;
	snprintf(number, sizeof(number), "%" PRIu64, search->index);
	search->place = value->place;
	/* A bank whose registers are all 0 is one field. */
	if (*rest == '\0' && value->place.length > search->size) {
		search->place.offset += search->index * search->size;
		search->found = (search->index + 1) * search->size <= value->place.length;
	} else {
		rest += *rest == '[';
		const size_t digits = strlen(number);
		search->found = value->place.length == search->size &&
				(*rest == '\0' || (strncmp(rest, number, digits) == 0 &&
						   (rest[digits] == '\0' || rest[digits] == ']')));
	}
}

bool
value_context_field(const struct walk *walk, const char *name, uint64_t index, uint64_t size,
	   struct reader *bytes)
{
	struct field_search search = { .name = name, .index = index, .size = size };
	const struct describe_sink sink = { .value = take_field, .context = &search };

	if (walk->context == NULL || !walk->context->present)
		return false;
	describe_processor(walk->crash, walk->context, &sink);
	return search.found &&
	       reader_window(&walk->crash->reader, search.place.offset, size, bytes);
}

/* Reads a register of the youngest frame from the context where the walk starts. */
static void
read_context(const struct value_frame *frame, struct wide_value *value)
{
	const struct arch_bank *bank = value->wide.bank;
	struct reader found;

	for (size_t i = 0; i < ARRAY_COUNT(bank->fields); i++) {
		if (bank->fields[i] == NULL ||
		    !value_context_field(frame->walk, bank->fields[i], value->wide.index,
					 bank->size, &found))
			continue;
		value->size = bank->size;
		memcpy(value->bytes, found.data, bank->size);
		return;
	}
	value->why = "is not in the dump";
}

/* Frames --------------------------------------------------------------------------------------- */

/* Reads a value of `size` bytes that frame `by` saved in memory. */
static void
read_saved(const struct value_frame *frame, uint64_t address, unsigned size, size_t by,
	   struct wide_value *value)
{
	value->size = size;
	value->address = address;
	value->by = by;
	value->in_memory = true;
	if (value_read(frame, address, value->bytes, size) < size)
		value->why = "was saved in memory that is not in the dump";
}

/* Reads a register of a frame that a signal interrupted: the kernel saved all registers. */
static void
read_kernels(const struct value_frame *frame, size_t number, struct wide_value *value)
{
	const struct arch *arch = frame->walk->arch;
	const struct arch_bank *bank = value->wide.bank;
	uint64_t address = 0;
	const struct arch_signal_frame *layout =
		walk_saved_floats(frame->walk, number, &address);

	if (layout == NULL) {
		value->why = "is not in the signal frame";
		return;
	}
	read_saved(frame, address + layout->floats_at[bank - arch->banks] +
			  (uint64_t)value->wide.index * bank->saved_size,
		   bank->size, number - 1, value);
}

/* Reads a register by the table row of a frame that made a call; false if the row lacks it. */
static bool
read_called(const struct value_frame *frame, size_t number, struct wide_value *value)
{
	const struct walk *walk = frame->walk;
	const struct frame *found = &walk->frames[number], *callee = found - 1;
	const struct arch_bank *bank = value->wide.bank;
	const bool kept = value->wide.index - (unsigned)bank->kept_first <
			  (unsigned)bank->kept_count;
	struct frame_table_question question = {
		.exact = callee->interrupted, .table = FRAME_TABLES, .wide = value->wide };
	const char *problem;

	value->why = "was not saved across the call";
	if (!kept || !frame_by_record(found) || callee->module == MODULE_NONE)
		return true;
	question.module = (size_t)callee->module;
	question.relative = callee->lookup - walk->crash->modules[callee->module].base;
	struct arena scratch;
	arena_init(&scratch, 0);
	const struct unwind_row *row =
		frame_tables_find(walk->binaries, &question, &scratch, &problem);
	const bool says = row == NULL || row->wide.kind != CLAIM_SAME;
	if (row != NULL && row->wide.kind == CLAIM_RULE && row->wide.dereference &&
	    row->wide.base == LINEAR_CFA) {
		value->why = NULL;
		const int64_t offset = row->wide.offset;
		read_saved(frame, found->registers.value[walk->arch->sp] + (uint64_t)offset,
			   bank->kept_size, number - 1, value);
	}
	arena_free(&scratch);
	return says;
}

/* The last result for a register, and its frame. Frames are read in order. */
struct wide_memo {
	struct {
		size_t frame;		/* frame plus 1; 0: none */
		struct wide_value value;
	} last[2][64];
};

static void
find(const struct value_frame *frame, struct wide_value *value)
{
	const struct walk *walk = frame->walk;
	const unsigned kept = value->wide.bank->kept_size;
	const size_t bank = (size_t)(value->wide.bank - walk->arch->banks);
	size_t at = frame->number;

	for (; at > 0; at--) {
		if (walk->wide->last[bank][value->wide.index].frame == at + 1) {
			*value = walk->wide->last[bank][value->wide.index].value;
			break;
		}
		if (walk->frames[at].interrupted) {
			read_kernels(frame, at, value);
			break;
		}
		if (read_called(frame, at, value))
			break;
		value->why = NULL;
	}
	if (at == 0)
		read_context(frame, value);
	if (at < frame->number && value->why == NULL && value->size > kept)
		value->size = kept;
}

const struct wide_value *
value_frame_wide(struct value_frame *frame, struct arch_wide wide)
{
	struct walk *walk = frame->walk;
	const size_t bank = (size_t)(wide.bank - walk->arch->banks);
	struct wide_value *value = arena_alloc(frame->arena, sizeof(*value));
	static const struct wide_value failed = { .why = "out of memory" };

	if (walk->wide == NULL)
		walk->wide = arena_alloc(&walk->arena, sizeof(*walk->wide));
	if (value == NULL || walk->wide == NULL)
		return &failed;
	*value = (struct wide_value){ .wide = { wide.bank, wide.index, 0 } };
	find(frame, value);
	walk->wide->last[bank][wide.index].frame = frame->number + 1;
	walk->wide->last[bank][wide.index].value = *value;
	/* Only an upper half needs to be cut out; a lower half is at the beginning. */
	if (wide.half == 2 && value->size >= wide.bank->size) {
		value->size = wide.bank->size / 2;
		memmove(value->bytes, value->bytes + value->size, value->size);
	}
	if (value->why != NULL)
		value->why = arena_format(
			frame->arena, "register %s %s", arch_wide_label(wide).text, value->why);
	return value;
}
