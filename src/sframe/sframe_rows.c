/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/checked.h"
#include "sframe/sframe_format.h"

/* Largest function: the reach of a signed 32-bit start address. */
#define LARGEST_FUNCTION 0x7fffffffu

void
sframe_rows(const struct sframe_function *function, struct sframe_cursor *cursor)
{
	*cursor = (struct sframe_cursor){ .function = function, .at = function->rows_at,
					  .problem = function->problem,
					  .place = function->place };
}

struct row_words {
	const struct sframe_table *table;
	uint64_t at;		/* offset of the first word */
	unsigned count, size, next;
};

static struct place
words_place(const struct row_words *words, unsigned first, unsigned count)
{
	return reader_place(&words->table->reader, words->at + (uint64_t)first * words->size,
			    count * words->size);
}

static uint64_t
word_unsigned(const struct row_words *words, unsigned index)
{
	uint64_t value = 0;

	reader_unsigned(&words->table->reader, words->at + (uint64_t)index * words->size,
			words->size, &value);
	return value;
}

static int64_t
word_signed(const struct row_words *words, unsigned index)
{
	return (int64_t)checked_extend(word_unsigned(words, index), words->size * 8);
}

static struct sframe_rule
fixed_rule(const struct sframe_table *table, int offset, uint64_t header_byte)
{
	return (struct sframe_rule){
		.kind = SFRAME_FIXED, .base = SFRAME_CFA, .offset = offset, .dereference = true,
		.place = reader_place(&table->reader, header_byte, 1),
	};
}

/* The rule of a slot at a CFA offset. s390x, version 2: a register if the lowest bit is set. */
static struct sframe_rule
slot_rule(struct row_words *words, bool zero_is_padding)
{
	const struct sframe_table *table = words->table;
	const unsigned index = words->next++;
	const int64_t value = word_signed(words, index);
	struct sframe_rule rule = { .kind = SFRAME_OFFSET, .base = SFRAME_CFA, .offset = value,
				    .dereference = true, .place = words_place(words, index, 1) };

	if (table->abi != SFRAME_S390X)
		return rule;
	if (value == 0 && zero_is_padding)
		rule = (struct sframe_rule){ .kind = SFRAME_PADDING, .place = rule.place };
	else if (sframe_words_name_registers(table) && (value & 1) != 0)
		rule = (struct sframe_rule){ .kind = SFRAME_IN_REGISTER,
					     .base = (int)(word_unsigned(words, index) >> 1 &
						   SFRAME_LARGEST_NUMBER),
					     .place = rule.place };
	return rule;
}

/* Rows of all versions: CFA from SP or FP, then the locations that the header does not fix. */
static void
read_default(struct row_words *words, struct sframe_row *row)
{
	const struct sframe_table *table = words->table;
	const struct sframe_registers *registers = sframe_registers(table->abi);
	int64_t offset = word_signed(words, words->next++);

	if (table->abi == SFRAME_S390X)
		offset = offset * SFRAME_S390X_SCALE + SFRAME_S390X_BIAS;
	row->cfa = (struct sframe_rule){
		.kind = SFRAME_OFFSET,
		.base = (row->info & SFRAME_ROW_SP) != 0 ? registers->sp : registers->fp,
		.offset = offset, .place = words_place(words, 0, 1),
	};
	if (table->fixed_ra != 0)
		row->ra = fixed_rule(table, table->fixed_ra, SFRAME_AT_FIXED_RA);
	else if (words->next < words->count)
		row->ra = slot_rule(words, true);
	if (table->fixed_fp != 0)
		row->fp = fixed_rule(table, table->fixed_fp, SFRAME_AT_FIXED_FP);
	else if (words->next < words->count)
		row->fp = slot_rule(words, false);
	if (words->next < words->count)
		row->odd = "it has more data words than its ABI uses";
}

/* The next rule of a flexible row: a control word and its offset, or a single 0 as padding. */
static bool
take_pair(struct row_words *words, struct sframe_rule *rule)
{
	const unsigned index = words->next;

	if (index >= words->count)
		return true;
	const uint64_t control = word_unsigned(words, index);
	if (control == 0) {
		*rule = (struct sframe_rule){ .kind = SFRAME_PADDING,
					      .place = words_place(words, index, 1) };
		words->next++;
		return true;
	}
	if (index + 1 >= words->count)
		return false;
	*rule = (struct sframe_rule){
		.kind = SFRAME_OFFSET,
		.base = (control & SFRAME_CONTROL_REGISTER) != 0
				? (int)(control >> SFRAME_CONTROL_NUMBER)
				: SFRAME_CFA,
		.offset = word_signed(words, index + 1),
		.dereference = (control & SFRAME_CONTROL_DEREFERENCE) != 0,
		.place = words_place(words, index, 2),
	};
	words->next += 2;
	return true;
}

/* Version 3: each rule names its register. */
static void
read_flexible(struct row_words *words, struct sframe_row *row)
{
	const struct sframe_table *table = words->table;

	if (words->count < 2) {
		row->problem = "a flexible row needs two words for the CFA";
		return;
	}
	if (!take_pair(words, &row->cfa) || !take_pair(words, &row->ra) ||
	    !take_pair(words, &row->fp)) {
		row->problem = "a control word has no offset";
		return;
	}
	if (row->cfa.kind != SFRAME_OFFSET || row->cfa.base == SFRAME_CFA)
		row->problem = "the CFA is not computed from a register";
	if (table->fixed_ra != 0 &&
	    (row->ra.kind == SFRAME_UNSAVED || row->ra.kind == SFRAME_PADDING)) {
		const enum sframe_rule_kind kind = row->ra.kind;

		row->ra = fixed_rule(table, table->fixed_ra, SFRAME_AT_FIXED_RA);
		if (kind == SFRAME_PADDING)
			row->ra.kind = kind;
	}
	if (words->next < words->count)
		row->odd = "it has more data words than three rules need";
}

static bool
fail(struct sframe_cursor *cursor, uint64_t length, const char *problem)
{
	const struct sframe_table *table = cursor->function->table;

	cursor->problem = problem;
	cursor->place = reader_place(&table->reader, cursor->at, (uint32_t)length);
	return false;
}

bool
sframe_next_row(struct sframe_cursor *cursor, struct sframe_row *row)
{
	const struct sframe_function *function = cursor->function;
	const struct sframe_table *table = function->table;
	const uint64_t end = table->rows_at + table->row_bytes;
	const unsigned width = function->address_bytes;
	uint8_t info = 0;

	if (cursor->problem != NULL || cursor->number >= function->row_count)
		return false;
	if (!checked_within(cursor->at, width + 1u, end))
		return fail(cursor, 0, "its rows reach past the end of the rows");
	*row = (struct sframe_row){ .number = cursor->number };
	reader_unsigned(&table->reader, cursor->at, width, &row->offset);
	reader_u8(&table->reader, cursor->at + width, &info);
	row->info = info;
	row->word_count = SFRAME_ROW_COUNT(info);
	row->word_size = 1u << SFRAME_ROW_SIZE(info);
	const uint64_t length = width + 1u + (uint64_t)row->word_count * row->word_size;
	if (row->word_size > 4)
		return fail(cursor, width + 1u, "a row has data words of an unknown size");
	if (!checked_within(cursor->at, length, end))
		return fail(cursor, width + 1u, "its rows reach past the end of the rows");
	if (cursor->number > 0 && row->offset <= cursor->previous)
		return fail(cursor, length, "the addresses of its rows do not ascend");
	struct row_words words = { .table = table, .at = cursor->at + width + 1,
			       .count = row->word_count, .size = row->word_size };
	row->signed_ra = (info & SFRAME_ROW_SIGNED) != 0;
	row->outermost = row->word_count == 0;
	row->place = reader_place(&table->reader, cursor->at, (uint32_t)length);
	if (!row->outermost && function->flexible)
		read_flexible(&words, row);
	else if (!row->outermost)
		read_default(&words, row);
	if (row->offset >= (function->masked ? function->repeat : function->size) &&
	    row->odd == NULL && function->size != 0)
		row->odd = "it begins past the end of the function";
	cursor->previous = row->offset;
	cursor->at += length;
	cursor->number++;
	return true;
}

/* Check at most `budget` rows of a function. Returns the number read. */
static uint64_t
check_rows(struct sframe *sframe, const struct sframe_function *function, uint64_t budget)
{
	struct sframe_cursor cursor;
	struct sframe_row row;
	uint64_t count = 0;

	sframe_rows(function, &cursor);
	while (count < budget && sframe_next_row(&cursor, &row)) {
		count++;
		if (row.problem != NULL)
			message_add(&sframe->messages, MESSAGE_SFRAME_ROW, row.place,
				    "row %" PRIu32 " of function %" PRIu32 ": %s\n"
				    "no address in it is looked up",
				    row.number, function->number, row.problem);
		else if (row.odd != NULL)
			message_add(&sframe->messages, MESSAGE_SFRAME_ODD, row.place,
				    "row %" PRIu32 " of function %" PRIu32 ": %s", row.number,
				    function->number, row.odd);
	}
	if (cursor.problem != NULL && function->problem == NULL)
		message_add(&sframe->messages, MESSAGE_SFRAME_FUNCTION, cursor.place,
			    "function %" PRIu32 " at 0x%" PRIx64 ": %s (row %" PRIu32 ")\n"
			    "its rows before that one are used",
			    function->number, function->address, cursor.problem, cursor.number);
	return count;
}

/* Whether all functions begin at one address, as in an unrelocated object file. */
static bool
is_unrelocated(const struct sframe *sframe)
{
	struct sframe_function first, function;

	for (size_t i = 0; i < sframe->function_count; i++) {
		sframe_function(sframe, i, &function);
		if (i == 0)
			first = function;
		else if (function.address - first.address !=
			 (function.table->field_relative
				  ? function.place.offset - first.place.offset
				  : 0))
			return false;
	}
	return sframe->function_count > 1;
}

static void
check_overlap(struct sframe *sframe)
{
	struct sframe_function function, before = { 0 };

	if (is_unrelocated(sframe)) {
		message_add(&sframe->messages, MESSAGE_SFRAME_UNRELOCATED,
			    reader_place(&sframe->tables[0].reader, 0, SFRAME_HEADER_SIZE),
			    "all functions begin at one address: an object that is not relocated\n"
			    "addresses cannot be looked up in it");
		return;
	}
	for (size_t i = 0; i < sframe->function_count; i++) {
		sframe_ordered(sframe, i, &function);
		if (before.size > 0 && function.size > 0 &&
		    function.address - before.address < before.size)
			message_add(&sframe->messages, MESSAGE_SFRAME_ODD, function.place,
				    "function %" PRIu32 " at 0x%" PRIx64
				    " overlaps function %" PRIu32 " at 0x%" PRIx64 "\n"
				    "the one that begins later is used",
				    function.number, function.address, before.number,
				    before.address);
		before = function;
	}
}

void
sframe_check(struct sframe *sframe)
{
	struct sframe_function function;
	size_t number = 0;

	for (size_t t = 0; t < sframe->table_count; t++) {
		const struct sframe_table *table = &sframe->tables[t];
		uint64_t rows = 0, claimed = 0;

		for (uint32_t i = 0; i < table->function_count; i++, number++) {
			sframe_function(sframe, number, &function);
			if (function.problem != NULL)
				message_add(&sframe->messages, MESSAGE_SFRAME_FUNCTION,
					    function.attribute.length != 0 ? function.attribute
									   : function.place,
					    "function %" PRIu32 " at 0x%" PRIx64 ": %s\n"
					    "it is skipped",
					    function.number, function.address, function.problem);
			if (function.size > LARGEST_FUNCTION)
				message_add(&sframe->messages, MESSAGE_SFRAME_ODD, function.place,
					    "function %" PRIu32 " at 0x%" PRIx64
					    " claims %" PRIu32 " bytes\n"
					    "it hides the functions after it",
					    function.number, function.address, function.size);
			claimed += function.row_count;
			/* Rows have at least two bytes: a valid table has fewer rows than bytes. */
			if (rows < table->row_bytes)
				rows += check_rows(sframe, &function, table->row_bytes - rows);
		}
		if (table->row_bytes > 0 && rows >= table->row_bytes)
			message_add(&sframe->messages, MESSAGE_LIMIT,
				    reader_place(&table->reader, table->rows_at, 0),
				    "functions share rows again and again\n"
				    "not all of them were checked");
		if (claimed != table->row_count)
			message_add(&sframe->messages, MESSAGE_SFRAME_ODD,
				    reader_place(&table->reader, SFRAME_AT_ROWS, 4),
				    "the header announces %" PRIu32 " rows, the functions have "
				    "%" PRIu64, table->row_count, claimed);
	}
	check_overlap(sframe);
}
