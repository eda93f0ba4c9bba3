/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump_syms/packed_frames.h"

#include <stdlib.h>
#include <string.h>

#include "frame_table/frame_tables.h"

void
packed_frames_open(struct packed_frames *frames, struct dump_syms_parts *parts, unsigned table)
{
	const struct unwind_source_kind *kind = unwind_source_kind_named(frame_tables_name(table));

	*frames = (struct packed_frames){
		.parts = parts,
		.module = { .arch = parts->arch, .binaries = parts->binaries,
			    .number = parts->module },
		.source = { .kind = kind, .module = &frames->module },
		.side = { .source = &frames->source } };
	if (kind->reader != &unwind_reader_dwarf || parts->options.row_by_row)
		return;
	if (!kind->reader->open(&frames->source))
		return;
	/* Which of two entries over each other counts is decided where addresses are looked up. */
	frames->is_open = kind->reader->packed->open(&frames->side) && !frames->side.overlap;
}

void
packed_frames_close(struct packed_frames *frames)
{
	unwind_sources_close(&frames->source, 1);
}

/* Make the side's entry at work the one whose code is from `first` to `last`. */
static bool
find_entry(struct packed_side *side, uint64_t first, uint64_t last)
{
	const struct packed_reader *reader = side->source->kind->reader->packed;

	for (; side->entry < side->count; side->entry++) {
		reader->extent(side, side->entry, &side->first, &side->last);
		if (side->first >= first)
			return side->first == first && side->last == last;
	}
	return false;
}

static const char *
base_name(const struct arch *arch, int base)
{
	return base == LINEAR_CFA ? ".cfa" : arch->registers[base].name;
}

/* Append " NAME: EXPRESSION"; without a rule the register has its value again. */
static void
add_rule(struct symbol_text *text, const struct arch *arch, unsigned column,
	 const struct claim *claim)
{
	const char *name = column == CLAIM_CFA ? ".cfa"
			   : column == CLAIM_RETURN_ADDRESS
				   ? ".ra"
				   : base_name(arch, (int)column - CLAIM_REGISTER);

	symbol_text_string(text, " ");
	symbol_text_string(text, name);
	symbol_text_string(text, ": ");
	symbol_text_string(text, claim->kind != CLAIM_RULE ? name : base_name(arch, claim->base));
	if (claim->offset != 0) {
		symbol_text_string(text, claim->offset < 0 ? " -" : " ");
		symbol_text_decimal(text, (uint64_t)llabs((long long)claim->offset));
		symbol_text_string(text, " +");
	}
	if (claim->dereference)
		symbol_text_string(text, " ^");
}

/*
 * Append the rules that the row at work has otherwise than the row before. False where it cannot be
 * written.
 */
static bool
add_rules(struct packed_frames *frames, struct symbol_text *text)
{
	const struct packed_side *side = &frames->side;
	const struct arch *arch = frames->parts->arch;
	const uint64_t columns = (UINT64_C(2) << (claim_columns(arch) - 1)) - 1;

	for (uint64_t left = side->changed & columns; left != 0; left &= left - 1) {
		const unsigned column = (unsigned)__builtin_ctzll(left);
		struct claim claim = side->claims[column];

		if (claim.kind != CLAIM_RULE)
			claim = (struct claim){ .kind = CLAIM_SILENT };
		if ((column < CLAIM_REGISTER && claim.kind == CLAIM_SILENT) ||
		    (column == CLAIM_CFA && claim.base == LINEAR_CFA))
			return false;
		if (!claim_equal(&claim, &frames->written[column]))
			add_rule(text, arch, column, &claim);
		frames->written[column] = claim;
	}
	return true;
}

/* Append the records of the entry at work. */
static bool
write_entry(struct packed_frames *frames, struct symbol_text *text, size_t *count)
{
	const struct packed_reader *reader = frames->source.kind->reader->packed;
	struct packed_side *side = &frames->side;

	symbol_text_string(text, "STACK CFI INIT ");
	symbol_text_hex(text, side->first);
	symbol_text_string(text, " ");
	symbol_text_hex(text, side->last - side->first + 1);
	memset(frames->written, 0, sizeof(frames->written));
	if (!reader->begin(side) || !add_rules(frames, text))
		return false;
	symbol_text_string(text, "\n");
	for (*count = 1; side->next <= side->last;) {
		const size_t start = text->count;

		symbol_text_string(text, "STACK CFI ");
		symbol_text_hex(text, side->next);
		const size_t head = text->count;
		if (!reader->next(side) || !add_rules(frames, text))
			return false;
		if (text->count == head) {
			text->count = start;
			continue;
		}
		symbol_text_string(text, "\n");
		++*count;
	}
	return true;
}

bool
packed_frames_write(struct packed_frames *frames, uint64_t first, uint64_t last)
{
	struct symbol_text *text = &frames->parts->frames;
	const size_t start = text->count;
	size_t count;

	if (!frames->is_open || !find_entry(&frames->side, first, last))
		return false;
	if (!write_entry(frames, text, &count)) {
		text->count = start;
		return false;
	}
	frames->parts->frame_count += count;
	return true;
}
