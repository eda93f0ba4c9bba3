/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/cfi_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/sorted.h"
#include "frame_table/dwarf_fold.h"
#include "frame_table/frame_tables.h"

/* Maximum number of letters of an augmentation; real augmentations have up to five. */
#define MOST_LETTERS 16u

/* Heads of entries ----------------------------------------------------------------------------- */

static struct cfi_bytes
bytes_of(const struct cfi_table *table, uint64_t at, uint64_t end)
{
	return (struct cfi_bytes){ .section = &table->section, .at = at, .end = end,
				   .address = table->address, .word_size = table->word_size };
}

struct head {
	uint64_t offset, end;
	uint64_t id_at, id;
	bool wide;			/* the entry is in the format of 64-bit DWARF */
};

static bool
read_head(const struct cfi_table *table, uint64_t offset, struct head *head)
{
	struct cfi_bytes bytes = bytes_of(table, offset, table->section.size);

	if (offset >= table->section.size)
		return false;
	uint64_t length = cfi_fixed(&bytes, 4);
	head->wide = length == UINT32_MAX;
	if (head->wide)
		length = cfi_fixed(&bytes, 8);
	head->offset = offset;
	if (bytes.failed || length == 0 || !checked_within(bytes.at, length, table->section.size))
		return false;
	head->end = bytes.at + length;
	head->id_at = bytes.at;
	bytes.end = head->end;
	/* The ID of .eh_frame has four bytes even if the length has eight. */
	head->id = cfi_fixed(&bytes, head->wide && !table->eh ? 8 : 4);
	return !bytes.failed;
}

static bool
is_common(const struct cfi_table *table, const struct head *head)
{
	return head->id == (table->eh ? 0 : head->wide ? UINT64_MAX : UINT32_MAX);
}

/* Read the fields that the letters of an augmentation announce (LSB 5.0, 10.6.1.1.1). */
static void
read_augmentation(struct cfi_bytes *bytes, const char *letters, struct cfi_common *common)
{
	const uint64_t size = cfi_leb128(bytes, false);
	struct cfi_bytes data = *bytes;

	cfi_skip(bytes, size);
	data.end = bytes->at;

	common->augmented = true;
	for (; *letters != '\0' && !data.failed; letters++) {
		if (*letters == 'R')
			common->pointer = (int)cfi_fixed(&data, 1);
		else if (*letters == 'L')
			common->handler = (int)cfi_fixed(&data, 1);
		else if (*letters == 'P')
			cfi_pointer(&data, (int)cfi_fixed(&data, 1) & 0xf, true);
		else if (*letters == 'S')
			common->signal = true;
		else if (*letters == 'B')
			common->key_b = true;
		else if (*letters != 'G')
			break;
	}
	bytes->failed = bytes->failed || data.failed;
}

static void
read_common(const struct cfi_table *table, uint64_t offset, struct cfi_common *common)
{
	char letters[MOST_LETTERS] = "";
	struct head head;
	size_t count = 0;

	*common = (struct cfi_common){ .offset = offset, .pointer = DW_EH_PE_absptr,
				       .handler = DW_EH_PE_omit };
	if (!read_head(table, offset, &head) || !is_common(table, &head))
		return;
	struct cfi_bytes bytes = bytes_of(table, head.id_at, head.end);
	cfi_skip(&bytes, head.wide && !table->eh ? 8 : 4);
	const unsigned version = (unsigned)cfi_fixed(&bytes, 1);
	do {
		letters[count] = (char)cfi_fixed(&bytes, 1);
	} while (letters[count] != '\0' && ++count < MOST_LETTERS);
	if (count == MOST_LETTERS || version == 0 || version > 4 || version == 2)
		return;
	if (version == 4)
		cfi_skip(&bytes, 2);	/* sizes of addresses and of segment selectors */
	common->code_align = cfi_leb128(&bytes, false);
	common->data_align = (int64_t)cfi_leb128(&bytes, true);
	common->column = version == 1 ? cfi_fixed(&bytes, 1) : cfi_leb128(&bytes, false);
	if (letters[0] == 'z')
		read_augmentation(&bytes, letters + 1, common);
	common->code = bytes.at;
	common->end = head.end;
	common->good = !bytes.failed && (letters[0] == 'z' || letters[0] == '\0') &&
		       (common->pointer & DW_EH_PE_indirect) == 0;
}

/* Entries -------------------------------------------------------------------------------------- */

SORTED_BY_ALL(compare_entries, struct cfi_entry, SORTED_UP(first) SORTED_UP(offset))

static uint64_t
cie_of(const struct cfi_table *table, const struct head *head)
{
	return table->eh ? head->id_at - head->id : head->id;
}

/* Read an FDE's CIE and its range of code. */
static bool
read_entry(const struct cfi_table *table, const struct head *head, struct cfi_common *common,
	   struct cfi_entry *entry)
{
	const uint64_t cie = cie_of(table, head);
	struct cfi_bytes bytes = bytes_of(table, head->id_at, head->end);

	if (common->offset != cie)
		read_common(table, cie, common);
	if (!common->good)
		return false;
	cfi_skip(&bytes, head->wide && !table->eh ? 8 : 4);
	const uint64_t first = cfi_pointer(&bytes, common->pointer, false);
	const uint64_t size = cfi_pointer(&bytes, common->pointer, true);
	const uint64_t length = head->end - head->offset;
	struct cfi_bytes code_bytes = bytes;
	if (common->augmented)
		cfi_skip(&code_bytes, cfi_leb128(&code_bytes, false));
	const uint64_t code = code_bytes.failed ? 0 : code_bytes.at - head->offset;
	/*
	 * Refuse an entry at 0 in .debug_frame: the linker dropped its function. Refuse a size over
	 * 32 bits, because symbol files cannot store it.
	 */
	if (bytes.failed || size == 0 || size > UINT32_MAX || first + (size - 1) < first ||
	    (first == 0 && !table->eh))
		return false;
	*entry = (struct cfi_entry){
		.first = first, .last = first + (size - 1), .offset = head->offset, .cie = cie,
		.length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX,
		.code = length < UINT32_MAX ? (uint32_t)code : 0 };
	return true;
}

void
cfi_table_init(struct cfi_table *table, const struct arch *arch, const struct reader *section,
	       uint64_t address, bool eh, unsigned word_size)
{
	*table = (struct cfi_table){ .arch = arch, .section = *section, .address = address,
				     .eh = eh, .word_size = word_size };
	/* The offset of an expression has 32 bits in a claim. */
	if (table->section.size > UINT32_MAX)
		table->section.size = UINT32_MAX;
	for (int number = 0; number < (int)CFI_NUMBERS; number++) {
		const int reg = arch_dwarf_register(arch, number);

		table->registers[number] =
			(int8_t)(reg >= 0 && arch->registers[reg].name != NULL ? reg
										: ARCH_NO_REGISTER);
	}
}

bool
cfi_entry_at(const struct cfi_table *table, uint64_t offset, struct cfi_entry *entry)
{
	struct cfi_common common = { .offset = UINT64_MAX };
	struct head head;

	return read_head(table, offset, &head) && !is_common(table, &head) &&
	       read_entry(table, &head, &common, entry);
}

bool
cfi_table_list(struct cfi_table *table)
{
	struct cfi_common commons[CFI_COMMONS];
	struct cfi_entry entry;
	bool sorted = true;
	size_t capacity = 0;
	struct head head;

	for (size_t i = 0; i < CFI_COMMONS; i++)
		commons[i] = (struct cfi_common){ .offset = UINT64_MAX };
	for (uint64_t at = 0; read_head(table, at, &head); at = head.end) {
		const size_t cie = hash_pair(cie_of(table, &head), 0) % CFI_COMMONS;

		if (is_common(table, &head) || !read_entry(table, &head, &commons[cie], &entry))
			continue;
		struct cfi_entry *added =
			ARENA_PUSH(&table->arena, table->entries, table->count, capacity);
		if (added == NULL)
			return false;
		*added = entry;
		sorted = sorted && (table->count == 1 || added[-1].first <= added->first);
	}
	if (!sorted)
		qsort(table->entries, table->count, sizeof(entry), compare_entries);
	for (size_t i = 1; i < table->count; i++) {
		if (table->entries[i - 1].last < table->entries[i].first)
			continue;
		table->entries[i - 1].last = table->entries[i].first - 1;
		table->overlap = true;
	}
	return true;
}

/* Instructions --------------------------------------------------------------------------------- */

static const char damaged[] = "cannot follow the instructions of the entry";

/* The column of a register by its DWARF number; CFI_COLUMNS: none. */
static unsigned
column_of(const struct cfi_cursor *cursor, uint64_t number)
{
	const struct cfi_table *table = cursor->table;

	if (number == cursor->initial->common.column)
		return CLAIM_RETURN_ADDRESS;
	if (number == cursor->wide[0] || number == cursor->wide[1])
		return CFI_WIDE;
	const int reg = number < CFI_NUMBERS ? table->registers[number] : ARCH_NO_REGISTER;
	return reg == ARCH_NO_REGISTER || reg == table->arch->pc ? CFI_COLUMNS
								 : CLAIM_REGISTER + (unsigned)reg;
}

static ATTRIBUTE_INLINE void
set(struct cfi_cursor *cursor, unsigned column, struct claim claim)
{
	if (column == CFI_COLUMNS)
		return;
	cursor->state.claims[column] = claim;
	cursor->changed |= UINT64_C(1) << column;
	cursor->touched |= UINT64_C(1) << column;
}

/* The sum of `base` (the CFA, or a register of the table) and an offset. */
static ATTRIBUTE_INLINE struct claim
sum_of(const struct cfi_cursor *cursor, unsigned column, int base, int64_t offset,
       bool dereference)
{
	const struct claim claim =
		claim_sum(cursor->table->arch, column, base, offset, dereference);

	return claim.kind != CLAIM_EXPRESSION
		       ? claim : (struct claim){ .kind = CLAIM_EXPRESSION, .base = CFI_FAR };
}

/* A register by its DWARF number, plus an offset. */
static ATTRIBUTE_INLINE struct claim
register_of(const struct cfi_cursor *cursor, unsigned column, uint64_t number, int64_t offset)
{
	const int reg = number < CFI_NUMBERS ? cursor->table->registers[number]
					     : ARCH_NO_REGISTER;

	return reg == ARCH_NO_REGISTER
		       ? (struct claim){ .kind = CLAIM_EXPRESSION, .base = CFI_UNFOLLOWED,
					 .offset = (int32_t)(uint32_t)number }
		       : sum_of(cursor, column, reg, offset, false);
}

static ATTRIBUTE_INLINE void
set_cfa(struct cfi_cursor *cursor, uint64_t number, int64_t offset)
{
	cursor->state.base = number;
	cursor->state.offset = offset;
	set(cursor, CLAIM_CFA, register_of(cursor, CLAIM_CFA, number, offset));
}

/* Set a register's rule to the CFA plus a factored offset, or to the word at that address. */
static void
set_at_cfa(struct cfi_cursor *cursor, uint64_t number, uint64_t factor, bool dereference)
{
	const unsigned column = column_of(cursor, number);
	const int64_t offset = (int64_t)(factor * (uint64_t)cursor->initial->common.data_align);

	set(cursor, column, sum_of(cursor, column, LINEAR_CFA, offset, dereference));
}

static struct claim
block(struct cfi_cursor *cursor, bool dereference)
{
	struct cfi_bytes *bytes = &cursor->bytes;
	const uint64_t at = bytes->at;

	cursor->expressions = true;
	cfi_skip(bytes, cfi_leb128(bytes, false));
	return (struct claim){ .kind = CLAIM_EXPRESSION, .dereference = dereference,
			       .base = CFI_BLOCK, .offset = (int32_t)(uint32_t)at };
}

/* Restore the claim that a column has after the CIE's instructions. */
static void
restore(struct cfi_cursor *cursor, uint64_t number)
{
	const unsigned column = column_of(cursor, number);

	if (column != CFI_COLUMNS)
		set(cursor, column, cursor->initial->state.claims[column]);
}

/* Take bytes from the reader's budget. */
static void
charge(struct cfi_cursor *cursor, uint64_t bytes)
{
	if (bytes > cursor->left)
		cursor->problem = frame_table_expensive;
	else
		cursor->left -= bytes;
}

static void
remember(struct cfi_cursor *cursor, bool put)
{
	charge(cursor, CFI_STATE_COST);
	if (put ? cursor->depth == LIMIT_FRAME_STATES : cursor->depth == 0) {
		cursor->problem = put ? frame_table_expensive : damaged;
		return;
	}
	if (put) {
		cursor->remembered[cursor->depth++] = cursor->state;
		return;
	}
	cursor->state = cursor->remembered[--cursor->depth];
	cursor->changed |= cursor->touched;
}

/* Run an instruction that changes the CFA; false for other instructions. */
static ATTRIBUTE_INLINE bool
run_cfa(struct cfi_cursor *cursor, unsigned code, struct cfi_bytes *bytes)
{
	const uint64_t align = (uint64_t)cursor->initial->common.data_align;
	const struct cfi_rules *state = &cursor->state;
	uint64_t reg;

	switch (code) {
	case DW_CFA_def_cfa:
		cursor->state.odd = false;
		reg = cfi_leb128(bytes, false);
		set_cfa(cursor, reg, (int64_t)cfi_leb128(bytes, false));
		return true;
	case DW_CFA_def_cfa_sf:
		cursor->state.odd = false;
		reg = cfi_leb128(bytes, false);
		set_cfa(cursor, reg, (int64_t)(cfi_leb128(bytes, true) * align));
		return true;
	case DW_CFA_def_cfa_register:
		/*
		 * The offset stays the same. An expression does not change it either, as in readelf
		 * and gdb. In a new CIE it is 0, as GNU's assembler expects for RISC-V.
		 */
		cursor->state.odd |= state->claims[CLAIM_CFA].kind == CLAIM_EXPRESSION &&
				     state->claims[CLAIM_CFA].base == CFI_BLOCK;
		set_cfa(cursor, cfi_leb128(bytes, false), state->offset);
		return true;
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
		/* The CFA must be a register rule (DWARF 5, 6.4.2.2). */
		if (state->base == UINT64_MAX)
			cursor->problem = damaged;
		reg = cfi_leb128(bytes, code == DW_CFA_def_cfa_offset_sf);
		set_cfa(cursor, state->base,
			(int64_t)(code == DW_CFA_def_cfa_offset_sf ? reg * align : reg));
		return true;
	case DW_CFA_def_cfa_expression:
		cursor->state.odd = false;
		set(cursor, CLAIM_CFA, block(cursor, false));
		return true;
	default:
		return false;
	}
}

/* Run an instruction that does not change the CFA. */
static void
run_register(struct cfi_cursor *cursor, unsigned code, struct cfi_bytes *bytes)
{
	uint64_t reg = code < DW_CFA_remember_state || code >= DW_CFA_expression
			       ? cfi_leb128(bytes, false) : 0;
	unsigned column;

	switch (code) {
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
		set_at_cfa(cursor, reg, cfi_leb128(bytes, code == DW_CFA_offset_extended_sf), true);
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set_at_cfa(cursor, reg, 0 - cfi_leb128(bytes, false), true);
		break;
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		set_at_cfa(cursor, reg, cfi_leb128(bytes, code == DW_CFA_val_offset_sf), false);
		break;
	case DW_CFA_restore_extended:
		restore(cursor, reg);
		break;
	case DW_CFA_undefined:
		set(cursor, column_of(cursor, reg), (struct claim){ .kind = CLAIM_UNDEFINED });
		break;
	case DW_CFA_same_value:
		column = column_of(cursor, reg);
		set(cursor, column, column == CLAIM_RETURN_ADDRESS
				    ? cursor->initial->unsaid
				    : (struct claim){ .kind = CLAIM_SAME });
		break;
	case DW_CFA_register:
		set(cursor, column_of(cursor, reg),
		    register_of(cursor, column_of(cursor, reg), cfi_leb128(bytes, false), 0));
		break;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		set(cursor, column_of(cursor, reg), block(cursor, code == DW_CFA_expression));
		break;
	case DW_CFA_GNU_args_size:
		cursor->arguments = reg;
		break;
	default:
		cursor->problem = damaged;
		break;
	}
}

/* Run one instruction; returns the location after it. */
static ATTRIBUTE_INLINE uint64_t
cfi_rows_run(struct cfi_cursor *cursor)
{
	struct cfi_bytes *bytes = &cursor->bytes;
	const unsigned code = (unsigned)cfi_fixed(bytes, 1), low = code & 0x3f;
	const struct cfi_common *common = &cursor->initial->common;
	static const uint8_t widths[] = { [DW_CFA_advance_loc1] = 1, [DW_CFA_advance_loc2] = 2,
					  [DW_CFA_advance_loc4] = 4,
					  [DW_CFA_MIPS_advance_loc8] = 8 };

	switch (code & 0xc0) {
	case DW_CFA_advance_loc:
		return cursor->location + low * common->code_align;
	case DW_CFA_offset:
		set_at_cfa(cursor, low, cfi_leb128(bytes, false), true);
		return cursor->location;
	case DW_CFA_restore:
		restore(cursor, low);
		return cursor->location;
	default:
		break;
	}
	/* The instructions above and in run_cfa are the most frequent. */
	if (run_cfa(cursor, code, bytes))
		return cursor->location;
	if (code == DW_CFA_set_loc)
		return cfi_pointer(bytes, common->pointer, false);
	if (code < sizeof(widths) && widths[code] != 0)
		return cursor->location + cfi_fixed(bytes, widths[code]) * common->code_align;
	if (code == DW_CFA_remember_state || code == DW_CFA_restore_state)
		remember(cursor, code == DW_CFA_remember_state);
	/* On AArch64 both instructions toggle whether the return address is signed. */
	else if (code == DW_CFA_GNU_window_save || code == DW_CFA_AARCH64_negate_ra_state_with_pc)
		set(cursor, CFI_SIGNED, (struct claim){
			.kind = cursor->state.claims[CFI_SIGNED].kind ^ CLAIM_UNDEFINED });
	else if (code != DW_CFA_nop)
		run_register(cursor, code, bytes);
	return cursor->location;
}

/* The claim for a return address that no instruction mentions: it is in a register. */
static struct claim
unsaid_return(const struct cfi_table *table, uint64_t column)
{
	const struct arch *arch = table->arch;
	const int named = column < CFI_NUMBERS ? table->registers[column] : ARCH_NO_REGISTER;
	const int reg = named == ARCH_NO_REGISTER || named == arch->pc || named == arch->sp
				? arch->lr : named;

	return reg == ARCH_NO_REGISTER
		       ? (struct claim){ .kind = CLAIM_SILENT }
		       : claim_sum(arch, CLAIM_RETURN_ADDRESS, reg, 0, false);
}

/* Run a CIE's instructions, which set no locations, and keep the result for later entries. */
static void
run_initial(struct cfi_cursor *cursor, uint64_t cie, struct cfi_initial *initial)
{
	struct cfi_rules *state = &cursor->state;

	read_common(cursor->table, cie, &initial->common);
	cursor->initial = initial;
	initial->unsaid = unsaid_return(cursor->table, initial->common.column);
	const uint64_t size = initial->common.end - initial->common.code;
	struct cfi_bytes *bytes = &cursor->bytes;
	*bytes = bytes_of(cursor->table, initial->common.code, initial->common.end);
	charge(cursor, size);
	cursor->expressions = false;
	*state = (struct cfi_rules){ .base = UINT64_MAX };
	if (cursor->silence != NULL)
		memcpy(state->claims, cursor->silence, CLAIM_COLUMNS * sizeof(*state->claims));
	state->claims[CLAIM_RETURN_ADDRESS] = initial->unsaid;
	/* A stack pointer without a rule is the CFA plus `cfa_to_sp`. */
	const struct arch *arch = cursor->table->arch;
	const unsigned sp = CLAIM_REGISTER + (unsigned)arch->sp;
	if (arch->cfa_to_sp != 0)
		state->claims[sp] = sum_of(cursor, sp, LINEAR_CFA, arch->cfa_to_sp, false);
	initial->state = *state;
	while (!bytes->failed && bytes->at < bytes->end && cursor->problem == NULL) {
		const unsigned high = cursor->table->section.data[bytes->at] & 0xc0;

		if (high == DW_CFA_advance_loc || high == DW_CFA_restore)
			bytes->failed = true;
		else
			cfi_rows_run(cursor);
	}
	initial->state = *state;
	initial->expressions = cursor->expressions;
	initial->problem = cursor->problem != NULL ? cursor->problem
			   : bytes->failed || !initial->common.good ? damaged : NULL;
}

/* Begin with the rules after a CIE's instructions. Most entries share the previous entry's CIE. */
static void
begin_state(struct cfi_cursor *cursor, uint64_t cie)
{
	struct cfi_initial *initial = &cursor->kept[hash_pair(cie, 0) % CFI_COMMONS];
	const bool known = initial->common.offset == cie;
	struct cfi_rules *state = &cursor->state;

	if (!known)
		run_initial(cursor, cie, initial);
	if (!known || cursor->initial != initial) {
		*state = initial->state;
		cursor->touched = UINT64_MAX;
	} else {
		for (uint64_t left = cursor->touched; left != 0; left &= left - 1)
			state->claims[__builtin_ctzll(left)] =
				initial->state.claims[__builtin_ctzll(left)];
		state->base = initial->state.base;
		state->offset = initial->state.offset;
		state->odd = initial->state.odd;
	}
	cursor->initial = initial;
	cursor->changed |= cursor->touched;
	cursor->touched = 0;
}

static void
begin_entry(struct cfi_cursor *cursor)
{
	const struct cfi_entry *entry = &cursor->table->entries[cursor->entry];

	cursor->begun = true;
	cursor->problem = NULL;
	cursor->depth = 0;
	cursor->arguments = 0;
	begin_state(cursor, entry->cie);
	cursor->expressions = cursor->initial->expressions;
	cursor->location = entry->first;
	cursor->bytes = bytes_of(cursor->table, entry->offset + entry->code,
				 entry->offset + entry->length);
	cursor->problem = entry->code == 0 ? damaged : cursor->initial->problem;
	/* Users may seek to the same long entry again and again. */
	charge(cursor, entry->length);
}

uint64_t
cfi_cursor_handlers(const struct cfi_cursor *cursor)
{
	const struct cfi_table *table = cursor->table;
	const struct cfi_entry *entry = &table->entries[cursor->entry];
	const struct cfi_common *common = &cursor->initial->common;
	struct head head;

	if (!common->augmented || common->handler == DW_EH_PE_omit ||
	    (common->handler & DW_EH_PE_indirect) != 0 || !read_head(table, entry->offset, &head))
		return 0;
	struct cfi_bytes bytes = bytes_of(table, head.id_at, head.end);
	cfi_skip(&bytes, head.wide && !table->eh ? 8 : 4);
	cfi_pointer(&bytes, common->pointer, false);
	cfi_pointer(&bytes, common->pointer, true);
	const uint64_t size = cfi_leb128(&bytes, false);
	struct cfi_bytes data = bytes;
	cfi_skip(&bytes, size);
	data.end = bytes.at;
	const uint64_t handlers = cfi_pointer(&data, common->handler, false);
	return data.failed ? 0 : handlers;
}

void
cfi_cursor_begin(struct cfi_cursor *cursor, const struct cfi_table *table, uint64_t address)
{
	/* States are large and filled before use: set only the other members. */
	cursor->table = table;
	cursor->silence = NULL;
	cursor->initial = NULL;
	cursor->wide[0] = cursor->wide[1] = UINT64_MAX;
	cursor->left = LIMIT_FRAME_LOOKUPS + 16 * table->section.size;
	for (size_t i = 0; i < CFI_COMMONS; i++)
		cursor->kept[i].common.offset = UINT64_MAX;
	cfi_cursor_seek(cursor, address);
}

void
cfi_cursor_seek(struct cfi_cursor *cursor, uint64_t address)
{
	const struct cfi_table *table = cursor->table;
	const size_t at = sorted_upto(SORTED(table->entries, table->count, first), address);

	cfi_cursor_enter(cursor, at - (at > 0 && table->entries[at - 1].last >= address));
}

void
cfi_cursor_enter(struct cfi_cursor *cursor, size_t entry)
{
	cursor->entry = entry;
	cursor->begun = false;
	cursor->problem = NULL;
	cursor->changed = UINT64_MAX;
}

bool
cfi_cursor_next(struct cfi_cursor *cursor, struct cfi_row *row)
{
	const struct cfi_table *table = cursor->table;

	for (; cursor->entry < table->count; cursor->entry++, cursor->begun = false) {
		const struct cfi_entry *entry = &table->entries[cursor->entry];

		if (!cursor->begun)
			begin_entry(cursor);
		if (cursor->location > entry->last)
			continue;
		const uint64_t first = cursor->location;
		uint64_t next = first;
		while (next == first && cursor->bytes.at < cursor->bytes.end &&
		       !cursor->bytes.failed && cursor->problem == NULL)
			next = cfi_rows_run(cursor);
		if (cursor->problem == NULL && (cursor->bytes.failed || next < first))
			cursor->problem = damaged;
		*row = (struct cfi_row){
			.first = first, .last = next > first && next - 1 < entry->last
						       ? next - 1 : entry->last,
			.entry = entry, .arguments = cursor->arguments,
			.claims = cursor->state.claims, .changed = cursor->changed,
			.expressions = cursor->expressions,
			.problem = cursor->problem };
		cursor->changed = 0;
		/* A damaged row extends to the end of the entry. */
		if (row->problem != NULL)
			row->last = entry->last;
		cursor->location = row->last + 1;
		if (row->last == UINT64_MAX) {
			cursor->entry++;
			cursor->begun = false;
		}
		return true;
	}
	return false;
}

/* The expression of a claim; false if the claim has none, or the expression is cut off. */
static bool
cfi_expression(const struct cfi_table *table, const struct claim *claim,
	       struct dwarf_expression *expression)
{
	struct cfi_bytes bytes = bytes_of(table, (uint32_t)claim->offset, table->section.size);

	*expression = (struct dwarf_expression){ .word = table->word_size };
	if (claim->kind != CLAIM_EXPRESSION || claim->base != CFI_BLOCK)
		return false;
	const uint64_t size = cfi_leb128(&bytes, false);
	return !bytes.failed && reader_window(&table->section, bytes.at, size, &expression->code);
}

const char *
cfi_expression_text(const struct cfi_table *table, unsigned column, const struct claim *claim,
		    struct arena *arena, const char **cannot)
{
	/* The CFA has a value; the rule of a register begins with the CFA (DWARF 5, 6.4.2.3). */
	const struct dwarf_fold_start start = {
		.cfa = column != CLAIM_CFA, .is_address = claim->dereference, .arena = arena };
	struct dwarf_expression expression;
	struct dwarf_folded folded;

	*cannot = claim->base == CFI_UNFOLLOWED ? "it reads a register that walkers do not follow"
						: "its offset is larger than any frame";
	if (!cfi_expression(table, claim, &expression))
		return NULL;
	dwarf_fold(&expression, table->arch, &start, &folded);
	*cannot = folded.cannot;
	return folded.text;
}

const char cfi_odd[] =
	"the register of the CFA changes after an expression: the earlier offset is used, as "
	"readelf and gdb do";

const struct unwind_expression *
cfi_expressions(const struct cfi_table *table, const struct claim *claims, struct arena *arena)
{
	struct unwind_expression *made = NULL;

	for (unsigned column = 0; column < CLAIM_COLUMNS; column++) {
		if (claims[column].kind != CLAIM_EXPRESSION)
			continue;
		if (made == NULL)
			made = arena_array(arena, CLAIM_COLUMNS, sizeof(*made));
		if (made == NULL)
			break;
		made[column].text = cfi_expression_text(table, column, &claims[column], arena,
							&made[column].cannot);
	}
	return made;
}

struct claim
cfi_expression_claim(const struct cfi_table *table, unsigned column, const struct claim *claim,
		     uint64_t pc, bool *uses_pc)
{
	const struct dwarf_fold_start start = {
		.cfa = column != CLAIM_CFA, .is_address = claim->dereference, .pc = &pc };
	struct dwarf_expression expression;
	struct dwarf_folded folded;

	if (!cfi_expression(table, claim, &expression))
		return *claim;
	dwarf_fold(&expression, table->arch, &start, &folded);
	*uses_pc |= folded.uses_pc;
	if (!folded.value.known)
		return *claim;
	const struct claim sum = claim_sum(table->arch, column, folded.value.base,
					   folded.value.offset, folded.value.dereference);
	return sum.kind == CLAIM_EXPRESSION ? *claim : sum;
}
