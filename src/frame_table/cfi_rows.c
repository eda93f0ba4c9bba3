/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/cfi_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sorted.h"
#include "frame_table/cfi_bytes.h"

/* Letters of an augmentation; real ones have five. */
#define MOST_LETTERS 16u

/* Heads of entries ----------------------------------------------------------------------------- */

static struct cfi_bytes
bytes_of(const struct cfi_table *table, uint64_t at, uint64_t end)
{
	return (struct cfi_bytes){ .section = &table->section, .at = at, .end = end,
				   .address = table->address, .word_size = table->word_size };
}

/* An entry's length and what its next field says; false where none is whole. */
struct head {
	uint64_t offset, end;
	uint64_t id_at, id;
	bool wide;			/* of 64-bit DWARF */
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
	/* In .eh_frame it has four bytes, whatever the length has. */
	head->id = cfi_fixed(&bytes, head->wide && !table->eh ? 8 : 4);
	return !bytes.failed;
}

static bool
is_common(const struct cfi_table *table, const struct head *head)
{
	return head->id == (table->eh ? 0 : head->wide ? UINT64_MAX : UINT32_MAX);
}

/* What the letters of an augmentation say (LSB 5.0, 10.6.1.1.1). */
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

/* CIEs that are kept: functions with and without handlers alternate between two. */
#define COMMONS 8u

static uint64_t
cie_of(const struct cfi_table *table, const struct head *head)
{
	return table->eh ? head->id_at - head->id : head->id;
}

/* Where an FDE's CIE stands, and the code that it is for. */
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
	struct cfi_bytes behind = bytes;
	if (common->augmented)
		cfi_skip(&behind, cfi_leb128(&behind, false));
	const uint64_t code = behind.failed ? 0 : behind.at - head->offset;
	/* What a linker dropped stays in .debug_frame, at address 0 or so. */
	if (bytes.failed || size == 0 || first + (size - 1) < first || (first == 0 && !table->eh))
		return false;
	*entry = (struct cfi_entry){
		.first = first, .last = first + (size - 1), .offset = head->offset, .cie = cie,
		.length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX,
		.code = length < UINT32_MAX ? (uint32_t)code : 0 };
	return true;
}

bool
cfi_table_read_entry(struct cfi_table *table, const struct reader *section, uint64_t address,
		     bool eh, unsigned word_size, uint64_t offset)
{
	struct cfi_common common = { .offset = UINT64_MAX };
	struct head head;

	*table = (struct cfi_table){ .section = *section, .address = address, .eh = eh,
				     .word_size = word_size, .count = 1 };
	table->entries = arena_alloc(&table->arena, sizeof(*table->entries));
	return table->entries != NULL && read_head(table, offset, &head) &&
	       !is_common(table, &head) && read_entry(table, &head, &common, table->entries);
}

bool
cfi_table_read(struct cfi_table *table, const struct reader *section, uint64_t address, bool eh,
	       unsigned word_size)
{
	struct cfi_common commons[COMMONS];
	struct cfi_entry entry;
	bool sorted = true;
	size_t heads = 0;
	struct head head;

	*table = (struct cfi_table){ .section = *section, .address = address, .eh = eh,
				     .word_size = word_size };
	for (size_t i = 0; i < COMMONS; i++)
		commons[i] = (struct cfi_common){ .offset = UINT64_MAX };
	for (uint64_t at = 0; read_head(table, at, &head); at = head.end)
		heads++;
	table->entries = arena_array(&table->arena, heads + 1, sizeof(*table->entries));
	if (table->entries == NULL)
		return false;
	for (uint64_t at = 0; read_head(table, at, &head); at = head.end) {
		const size_t cie = hash_pair(cie_of(table, &head), 0) % COMMONS;

		if (is_common(table, &head) || !read_entry(table, &head, &commons[cie], &entry))
			continue;
		struct cfi_entry *added = &table->entries[table->count++];
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

void
cfi_table_free(struct cfi_table *table)
{
	arena_free(&table->arena);
}

/* Instructions --------------------------------------------------------------------------------- */

/* The rule of a register by its DWARF number; CFI_RULES: it has none here. */
static uint64_t
rule_number(const struct cfi_cursor *cursor, uint64_t number)
{
	if (number == cursor->common.column)
		return CFI_RETURN_ADDRESS;
	return number < ARCH_REGISTERS ? number : CFI_RULES;
}

static void
set(struct cfi_cursor *cursor, uint64_t number, struct cfi_rule rule)
{
	const uint64_t at = rule_number(cursor, number);

	if (at == CFI_RULES)
		return;
	cursor->rules[at] = rule;
	cursor->changed |= UINT64_C(1) << at;
}

static void
set_cfa(struct cfi_cursor *cursor, struct cfi_rule rule)
{
	cursor->rules[CFI_CFA] = rule;
	cursor->changed |= UINT64_C(1) << CFI_CFA;
	if (rule.kind == CFI_REGISTER)
		cursor->rules[CFI_PLAIN] = rule;
}

static struct cfi_rule
sum(uint64_t reg, int64_t value)
{
	return (struct cfi_rule){ .kind = CFI_REGISTER,
				  .reg = (uint16_t)(reg < UINT16_MAX ? reg : UINT16_MAX),
				  .value = value };
}

static struct cfi_rule
offset_rule(enum cfi_kind kind, uint64_t factor, int64_t align)
{
	return (struct cfi_rule){ .kind = (uint8_t)kind,
				  .value = (int64_t)(factor * (uint64_t)align) };
}

static struct cfi_rule
block(struct cfi_bytes *bytes, enum cfi_kind kind)
{
	const uint64_t size = cfi_leb128(bytes, false), at = cfi_skip(bytes, size);

	return (struct cfi_rule){ .kind = (uint8_t)kind,
				  .length = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
				  .value = (int64_t)at };
}

static void
restore(struct cfi_cursor *cursor, uint64_t number)
{
	const uint64_t at = rule_number(cursor, number);

	if (at != CFI_RULES)
		set(cursor, number, cursor->initial[at]);
}

static const char damaged[] = "cannot follow the instructions of the entry";

static void
remember(struct cfi_cursor *cursor, bool put)
{
	if (put ? cursor->depth == CFI_REMEMBERED : cursor->depth == 0) {
		cursor->problem = damaged;
		return;
	}
	if (put) {
		memcpy(cursor->remembered[cursor->depth++], cursor->rules, sizeof(cursor->rules));
		return;
	}
	memcpy(cursor->rules, cursor->remembered[--cursor->depth], sizeof(cursor->rules));
	cursor->changed = UINT64_MAX;
}

/* Instructions that are about the CFA; false for others. */
static bool
run_cfa(struct cfi_cursor *cursor, unsigned code, struct cfi_bytes *bytes)
{
	const int64_t align = cursor->common.data_align;
	const struct cfi_rule *plain = &cursor->rules[CFI_PLAIN];
	uint64_t reg;

	/* There must be one to change (DWARF 5, 6.4.2.2). */
	if (plain->kind == CFI_UNSAID &&
	    (code == DW_CFA_def_cfa_register || code == DW_CFA_def_cfa_offset ||
	     code == DW_CFA_def_cfa_offset_sf)) {
		cursor->problem = damaged;
		return true;
	}
	switch (code) {
	case DW_CFA_def_cfa:
		reg = cfi_leb128(bytes, false);
		set_cfa(cursor, sum(reg, (int64_t)cfi_leb128(bytes, false)));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = cfi_leb128(bytes, false);
		set_cfa(cursor, sum(reg, (int64_t)(cfi_leb128(bytes, true) * (uint64_t)align)));
		return true;
	case DW_CFA_def_cfa_register:
		/* Behind an expression it is the offset before it, as readelf and gdb take it. */
		reg = cfi_leb128(bytes, false);
		set_cfa(cursor, sum(reg, plain->value));
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa(cursor, sum(plain->reg, (int64_t)cfi_leb128(bytes, false)));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(cursor,
			sum(plain->reg, (int64_t)(cfi_leb128(bytes, true) * (uint64_t)align)));
		return true;
	case DW_CFA_def_cfa_expression:
		set_cfa(cursor, block(bytes, CFI_VALUE_EXPRESSION));
		return true;
	default:
		return false;
	}
}

/* Instructions that are about a register, and the rest. */
static void
run_register(struct cfi_cursor *cursor, unsigned code, struct cfi_bytes *bytes)
{
	const int64_t align = cursor->common.data_align;
	uint64_t reg = code < DW_CFA_remember_state || code >= DW_CFA_expression
			       ? cfi_leb128(bytes, false) : 0;

	switch (code) {
	case DW_CFA_offset_extended:
		set(cursor, reg, offset_rule(CFI_OFFSET, cfi_leb128(bytes, false), align));
		break;
	case DW_CFA_offset_extended_sf:
		set(cursor, reg, offset_rule(CFI_OFFSET, cfi_leb128(bytes, true), align));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set(cursor, reg, offset_rule(CFI_OFFSET, 0 - cfi_leb128(bytes, false), align));
		break;
	case DW_CFA_val_offset:
		set(cursor, reg, offset_rule(CFI_VALUE, cfi_leb128(bytes, false), align));
		break;
	case DW_CFA_val_offset_sf:
		set(cursor, reg, offset_rule(CFI_VALUE, cfi_leb128(bytes, true), align));
		break;
	case DW_CFA_restore_extended:
		restore(cursor, reg);
		break;
	case DW_CFA_undefined:
		set(cursor, reg, (struct cfi_rule){ .kind = CFI_UNDEFINED });
		break;
	case DW_CFA_same_value:
		set(cursor, reg, (struct cfi_rule){ .kind = CFI_SAME });
		break;
	case DW_CFA_register:
		set(cursor, reg, sum(cfi_leb128(bytes, false), 0));
		break;
	case DW_CFA_expression:
		set(cursor, reg, block(bytes, CFI_EXPRESSION));
		break;
	case DW_CFA_val_expression:
		set(cursor, reg, block(bytes, CFI_VALUE_EXPRESSION));
		break;
	case DW_CFA_GNU_args_size:
		cursor->arguments = reg;
		break;
	default:
		cursor->problem = damaged;
		break;
	}
}

/* Run one instruction; the location that it goes to, or that it stays at. */
static uint64_t
run(struct cfi_cursor *cursor, struct cfi_bytes *bytes)
{
	const unsigned code = (unsigned)cfi_fixed(bytes, 1), low = code & 0x3f;
	const struct cfi_common *common = &cursor->common;
	static const uint8_t widths[] = { [DW_CFA_advance_loc1] = 1, [DW_CFA_advance_loc2] = 2,
					  [DW_CFA_advance_loc4] = 4 };

	switch (code & 0xc0) {
	case DW_CFA_advance_loc:
		return cursor->location + low * common->code_align;
	case DW_CFA_offset:
		set(cursor, low,
		    offset_rule(CFI_OFFSET, cfi_leb128(bytes, false), common->data_align));
		return cursor->location;
	case DW_CFA_restore:
		restore(cursor, low);
		return cursor->location;
	default:
		break;
	}
	if (code == DW_CFA_set_loc)
		return cfi_pointer(bytes, common->pointer, false);
	if (code >= DW_CFA_advance_loc1 && code <= DW_CFA_advance_loc4)
		return cursor->location + cfi_fixed(bytes, widths[code]) * common->code_align;
	if (code == DW_CFA_remember_state || code == DW_CFA_restore_state)
		remember(cursor, code == DW_CFA_remember_state);
	/* Code 0x2d toggles the signature of return addresses on AArch64, whose value stays. */
	else if (code == DW_CFA_GNU_window_save)
		cursor->rules[CFI_SIGNED].kind ^= CFI_UNDEFINED;
	else if (code != DW_CFA_nop && !run_cfa(cursor, code, bytes))
		run_register(cursor, code, bytes);
	return cursor->location;
}

/*
 * Run a CIE's instructions, which have no locations and nothing to restore, for entries that
 * follow.
 */
static void
run_initial(struct cfi_cursor *cursor, uint64_t cie)
{
	read_common(cursor->table, cie, &cursor->common);
	struct cfi_bytes bytes =
		bytes_of(cursor->table, cursor->common.code, cursor->common.end);

	memset(cursor->rules, 0, sizeof(cursor->rules));
	memset(cursor->initial, 0, sizeof(cursor->initial));
	while (!bytes.failed && bytes.at < bytes.end && cursor->problem == NULL) {
		const unsigned high = cursor->table->section.data[bytes.at] & 0xc0;

		if (high == DW_CFA_advance_loc || high == DW_CFA_restore)
			bytes.failed = true;
		else
			run(cursor, &bytes);
	}
	if (bytes.failed)
		cursor->problem = damaged;
	memcpy(cursor->initial, cursor->rules, sizeof(cursor->rules));
	cursor->common.good = cursor->common.good && cursor->problem == NULL;
}

/* The rules of an entry before its instructions; most are what they were. */
static void
return_to_initial(struct cfi_cursor *cursor)
{
	for (unsigned i = 0; i < CFI_RULES; i++) {
		if (memcmp(&cursor->rules[i], &cursor->initial[i], sizeof(cursor->rules[i])) == 0)
			continue;
		cursor->rules[i] = cursor->initial[i];
		cursor->changed |= UINT64_C(1) << i;
	}
}

/* What the data of an entry's augmentation have: where exceptions of its calls are caught. */
static void
take_handlers(struct cfi_cursor *cursor, struct cfi_bytes *bytes)
{
	const uint64_t size = cfi_leb128(bytes, false);
	const int encoding = cursor->common.handler;
	struct cfi_bytes data = *bytes;

	cfi_skip(bytes, size);
	data.end = bytes->at;
	if (encoding != DW_EH_PE_omit && (encoding & DW_EH_PE_indirect) == 0)
		cursor->handlers = cfi_pointer(&data, encoding, false);
	cursor->handlers = data.failed ? 0 : cursor->handlers;
}

static void
begin_entry(struct cfi_cursor *cursor)
{
	const struct cfi_table *table = cursor->table;
	const struct cfi_entry *entry = &table->entries[cursor->entry];
	struct cfi_bytes bytes =
		bytes_of(table, entry->offset, entry->offset + entry->length);
	struct head head;

	cursor->begun = true;
	cursor->problem = NULL;
	cursor->depth = 0;
	cursor->handlers = cursor->arguments = 0;
	cursor->location = entry->first;
	if (cursor->common.offset != entry->cie) {
		run_initial(cursor, entry->cie);
		cursor->changed = UINT64_MAX;
	}
	return_to_initial(cursor);
	if (!cursor->common.good || !read_head(table, entry->offset, &head)) {
		cursor->problem = damaged;
		return;
	}
	bytes.at = head.id_at;
	cfi_skip(&bytes, head.wide && !table->eh ? 8 : 4);
	cfi_pointer(&bytes, cursor->common.pointer, false);
	cfi_pointer(&bytes, cursor->common.pointer, true);
	if (cursor->common.augmented)
		take_handlers(cursor, &bytes);
	cursor->at = bytes.at;
	cursor->end = bytes.end;
	cursor->problem = bytes.failed ? damaged : NULL;
}

void
cfi_cursor_begin(struct cfi_cursor *cursor, const struct cfi_table *table, uint64_t address)
{
	size_t at = sorted_upto(SORTED(table->entries, table->count, first), address);

	at -= at > 0 && table->entries[at - 1].last >= address;
	/* Rules are filled before they are used, and there are many. */
	cursor->table = table;
	cursor->entry = at;
	cursor->begun = false;
	cursor->common = (struct cfi_common){ .offset = UINT64_MAX };
	cursor->problem = NULL;
	cursor->changed = 0;
}

bool
cfi_cursor_common(struct cfi_cursor *cursor, uint64_t cie)
{
	cursor->problem = NULL;
	cursor->location = 0;
	run_initial(cursor, cie);
	return cursor->common.good;
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
		struct cfi_bytes bytes = bytes_of(table, cursor->at, cursor->end);
		const uint64_t first = cursor->location;
		uint64_t next = first;
		while (next == first && bytes.at < bytes.end && cursor->problem == NULL) {
			next = run(cursor, &bytes);
			if (bytes.failed || next < first)
				cursor->problem = damaged;
		}
		cursor->at = bytes.at;
		*row = (struct cfi_row){
			.first = first, .last = next > first && next - 1 < entry->last
						       ? next - 1 : entry->last,
			.begins = entry->first, .offset = entry->offset,
			.signal = cursor->common.signal, .key_b = cursor->common.key_b,
			.rules = cursor->rules, .changed = cursor->changed,
			.handlers = cursor->handlers, .arguments = cursor->arguments,
			.problem = cursor->problem };
		cursor->changed = 0;
		cursor->location = row->last + 1;
		if (cursor->problem == NULL && row->last < entry->last)
			return true;
		cursor->entry++;
		cursor->begun = false;
		return true;
	}
	return false;
}

struct dwarf_expression
cfi_rule_expression(const struct cfi_table *table, const struct cfi_rule *rule)
{
	struct dwarf_expression expression = { .word = table->word_size };

	reader_window(&table->section, (uint64_t)rule->value, rule->length, &expression.code);
	return expression;
}
