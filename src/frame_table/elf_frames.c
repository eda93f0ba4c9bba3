/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/frame_tables_internal.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "frame_table/cfi_rows.h"

/*
 * Rows of .eh_frame and .debug_frame, in ELF files and in files of MinGW (LSB 5.0, chapter 10.6;
 * DWARF 5, 6.4.1). Linkers usually make a sorted index for .eh_frame, but none for .debug_frame.
 * Without an index, look-ups use a list of all entries, which is made here.
 */

struct elf_frames {
	struct cfi_table table;
	bool listed;
	uint64_t left;		/* bytes of entries that look-ups may still run */
};

static void
elf_frames_close(void *state)
{
	struct elf_frames *frames = state;

	cfi_table_free(&frames->table);
	free(frames);
}

static void *
open_table(const struct binary *binary, bool eh, struct elf_damage *damage)
{
	struct elf_frames *frames = calloc(1, sizeof(*frames));

	if (frames == NULL)
		return NULL;
	if (!cfi_table_open(&frames->table, binary, eh, damage)) {
		elf_frames_close(frames);
		return NULL;
	}
	frames->left = LIMIT_FRAME_LOOKUPS + 16 * binary->file.size;
	return frames;
}

static void *
open_eh(const struct binary *binary, struct elf_damage *damage)
{
	return open_table(binary, true, damage);
}

static void *
open_debug(const struct binary *binary, struct elf_damage *damage)
{
	return open_table(binary, false, damage);
}

/* Entries -------------------------------------------------------------------------------------- */

static const struct cfi_table *
elf_frames_list(void *state)
{
	struct elf_frames *frames = state;

	if (!frames->listed)
		cfi_table_list(&frames->table);
	frames->listed = true;
	return &frames->table;
}

/* The listed entry that covers an address (sets `*covers`), else the next entry. */
static const struct cfi_entry *
listed_entry(struct elf_frames *frames, uint64_t address, bool *covers)
{
	const struct cfi_table *table = elf_frames_list(frames);

	const size_t behind = sorted_upto(SORTED(table->entries, table->count, first), address);
	*covers = behind > 0 && address <= table->entries[behind - 1].last;
	if (*covers)
		return &table->entries[behind - 1];
	return behind < table->count ? &table->entries[behind] : NULL;
}

/* Finds the entry that covers an address. Prefers the index, if any, because unwinders use it. */
static bool
entry_around(struct elf_frames *frames, uint64_t address, struct cfi_entry *entry)
{
	uint64_t offset;
	bool covers;

	switch (cfi_table_indexed(&frames->table, address, &offset)) {
	case CFI_INDEXED:
		return cfi_entry_at(&frames->table, offset, entry) && address >= entry->first &&
		       address <= entry->last;
	case CFI_NOT_INDEXED:
		return false;
	default:
		break;
	}
	const struct cfi_entry *listed = listed_entry(frames, address, &covers);
	if (covers)
		*entry = *listed;
	return covers;
}

static void
elf_frames_extent(void *state, uint64_t relative, struct frame_extent *extent)
{
	struct elf_frames *frames = state;
	const uint64_t linked = frames->table.binary->linked_base;
	bool covers;

	*extent = (struct frame_extent){ .first = relative, .last = UINT64_MAX };
	const struct cfi_entry *entry = listed_entry(frames, linked + relative, &covers);
	if (!covers) {
		extent->last = entry != NULL ? entry->first - linked - 1 : UINT64_MAX;
		return;
	}
	*extent = (struct frame_extent){ true, entry->first - linked, entry->last - linked,
					 entry->offset };
}

/* Rows ----------------------------------------------------------------------------------------- */

static void
take_row(const struct cfi_table *table, const struct cfi_cursor *cursor,
	 const struct cfi_row *from, struct arena *arena, struct unwind_row *row)
{
	const uint64_t linked = table->binary->linked_base;

	row->table = table->eh ? ".eh_frame" : ".debug_frame";
	row->first = from->first - linked;
	row->last = from->last - linked;
	row->place = cfi_entry_place(table, from->entry);
	row->signal = cursor->initial->common.signal;
	memcpy(row->claims, from->claims, sizeof(row->claims));
	row->expressions = cfi_expressions(table, from->claims, arena);
	row->in_register = claim_equal(&row->claims[CLAIM_RETURN_ADDRESS],
				       &cursor->initial->unsaid);
	if (cursor->state.odd)
		row->note = cfi_odd;
	/* A register without a rule keeps its value, as if calls preserved it. */
	row->wide = from->claims[CFI_WIDE];
	if (row->wide.kind == CLAIM_SILENT)
		row->wide.kind = CLAIM_SAME;
}

const char frame_table_expensive[] =
	"the instructions of the table would take too much time or memory for the size of the file";

/* The size of an entry or a CIE; the section's size if the length field has 64 bits. */
static uint64_t
record_size(const struct cfi_table *table, uint64_t offset)
{
	uint32_t length = 0;

	reader_u32(&table->section, offset, &length);
	return length < table->section.size ? length : table->section.size;
}

/* Run an entry up to an address. False: no row; `*problem` may have a reason. */
static bool
find_row(struct elf_frames *frames, struct cfi_cursor *cursor, uint64_t address,
	 struct cfi_row *row, const char **problem)
{
	const struct cfi_entry *entry = &cursor->table->entries[0];
	const uint64_t cost = entry->length + record_size(&frames->table, entry->cie);

	if (cost > frames->left) {
		*problem = frame_table_expensive;
		return false;
	}
	const uint64_t before = cursor->left;
	bool any;
	do {
		any = cfi_cursor_next(cursor, row);
	} while (any && row->last < address && cursor->entry == 0);
	const uint64_t spent = before - cursor->left > cost ? before - cursor->left : cost;
	frames->left -= spent < frames->left ? spent : frames->left;
	if (!any)
		return false;
	const enum claim_kind cfa = row->claims[CLAIM_CFA].kind;
	*problem = row->problem;
	if (*problem == NULL && (cfa == CLAIM_SILENT || cfa == CLAIM_UNDEFINED))
		*problem = "the table has no rule for the frame";
	return *problem == NULL;
}

static const struct unwind_row *
elf_frames_find(void *state, const struct arch *arch, const struct frame_table_question *question,
		struct arena *arena, const char **problem)
{
	struct elf_frames *frames = state;
	const uint64_t address = frames->table.binary->linked_base + question->relative;
	struct unwind_row *row = arena_alloc(arena, sizeof(*row));
	struct cfi_table table = frames->table;
	const struct arch_bank *bank = question->wide.bank;
	struct cfi_cursor cursor;
	struct cfi_entry entry;
	struct cfi_row found;

	if (row == NULL || arch != table.arch || !entry_around(frames, address, &entry))
		return NULL;
	table.entries = &entry;
	table.count = 1;
	cfi_cursor_begin(&cursor, &table, entry.first);
	if (bank != NULL) {
		const uint64_t index = question->wide.index;

		cursor.wide[0] = (uint64_t)bank->first + index;
		if (bank->half_first > 0)
			cursor.wide[1] = (uint64_t)bank->half_first + 2 * index;
	}
	if (!find_row(frames, &cursor, address, &found, problem))
		return NULL;
	take_row(&table, &cursor, &found, arena, row);
	return row;
}

const struct frame_reader elf_frames_eh = {
	".eh_frame", LOCATE_IMAGE, open_eh, elf_frames_find, elf_frames_extent, NULL,
	elf_frames_list, elf_frames_close, .presumes = false };
const struct frame_reader elf_frames_debug = {
	".debug_frame", LOCATE_DEBUG, open_debug, elf_frames_find, elf_frames_extent, NULL,
	elf_frames_list, elf_frames_close, .presumes = false };
