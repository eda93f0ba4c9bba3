/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sframe/sframe_field.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "sframe/sframe_format.h"

const char *
sframe_register_name(const struct sframe_table *table, int number, char buffer[8])
{
	const struct sframe_registers *registers = sframe_registers(table->abi);

	if (number == SFRAME_CFA)
		return "c";
	if (number == registers->sp)
		return "sp";
	if (number == registers->fp)
		return "fp";
	snprintf(buffer, 8, "r%d", number);
	return buffer;
}

const char *
sframe_cell(const struct sframe_table *table, const struct sframe_rule *rule,
	    enum sframe_column column, char *buffer, size_t size)
{
	const bool is_cfa = column == SFRAME_COLUMN_CFA;
	char number[8];
	const char *name = sframe_register_name(table, rule->base, number);
	const bool direct = rule->base == SFRAME_CFA || !rule->dereference;

	switch (rule->kind) {
	case SFRAME_UNSAVED:
		return "u";
	case SFRAME_FIXED:
		if (column == SFRAME_COLUMN_RA)
			return "f";
		break;
	case SFRAME_PADDING:
		return "U";
	case SFRAME_IN_REGISTER:
		snprintf(buffer, size, "r%d", rule->base);
		return buffer;
	case SFRAME_OFFSET:
		break;
	}
	/* An ordinary row's CFA offset has its sign after a plus: "sp+-8". */
	if (is_cfa && direct && rule->offset < 0)
		snprintf(buffer, size, "%s+%" PRId64, name, rule->offset);
	else
		snprintf(buffer, size, "%s%s%+" PRId64 "%s", direct ? "" : "(", name,
			 rule->offset, direct ? "" : ")");
	return buffer;
}

uint64_t
sframe_row_address(const struct sframe_function *function, const struct sframe_row *row)
{
	return (function->masked ? 0 : function->address) + row->offset;
}

const char *
sframe_row_text(const struct sframe_function *function, const struct sframe_row *row,
		char buffer[SFRAME_ROW_TEXT])
{
	const struct sframe_table *table = function->table;
	const uint64_t address = sframe_row_address(function, row);
	char cfa[32], fp[32], ra[32];

	if (row->problem != NULL || row->outermost)
		snprintf(buffer, SFRAME_ROW_TEXT, "%016" PRIx64 "  %s", address,
			 row->problem != NULL ? row->problem : "RA undefined");
	else
		snprintf(buffer, SFRAME_ROW_TEXT, "%016" PRIx64 "  %-10s%-10s%s%s", address,
			 sframe_cell(table, &row->cfa, SFRAME_COLUMN_CFA, cfa, sizeof(cfa)),
			 sframe_cell(table, &row->fp, SFRAME_COLUMN_FP, fp, sizeof(fp)),
			 sframe_cell(table, &row->ra, SFRAME_COLUMN_RA, ra, sizeof(ra)),
			 row->signed_ra ? "[s]" : "");
	return buffer;
}

const char *
sframe_hex(const struct sframe_table *table, struct place place, char *buffer, size_t size)
{
	const struct reader *reader = &table->reader;
	const uint64_t at = place.offset - reader->start;
	size_t used = 0;

	buffer[0] = '\0';
	if (!checked_within(at, place.length, reader->size))
		return buffer;
	for (uint32_t i = 0; i < place.length && used + 4 < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%02x", i > 0 ? " " : "",
					 reader->data[at + i]);
	return buffer;
}

struct field_writer {
	const struct sframe_table *table;
	struct sframe_field *fields;
	size_t count;
	uint64_t at;			/* offset of the next field in the table */
};

static uint64_t
value_of(const struct field_writer *writer, unsigned size)
{
	uint64_t value = 0;

	reader_unsigned(&writer->table->reader, writer->at, size, &value);
	return value;
}

static void ATTRIBUTE_PRINTF(3, 4)
add(struct field_writer *writer, uint32_t size, const char *format, ...)
{
	if (writer->count < SFRAME_FIELDS) {
		struct sframe_field *field = &writer->fields[writer->count++];

		field->place = reader_place(&writer->table->reader, writer->at, size);
		TEXT_FORMAT(field->meaning, format);
	}
	writer->at += size;
}

size_t
sframe_header_fields(const struct sframe_table *table, struct sframe_field fields[SFRAME_FIELDS])
{
	struct field_writer writer = { .table = table, .fields = fields };

	add(&writer, 2, "magic, %s-endian", table->reader.big_endian ? "big" : "little");
	add(&writer, 1, "version: %u", table->version);
	add(&writer, 1, "flags:%s%s%s%s", table->flags == 0 ? " none" : "",
	    (table->flags & SFRAME_FLAG_SORTED) != 0 ? " sorted" : "",
	    (table->flags & SFRAME_FLAG_FRAME_POINTER) != 0 ? " frame-pointer" : "",
	    (table->flags & SFRAME_FLAG_PCREL) != 0 ? " start-relative-to-field" : "");
	add(&writer, 1, "ABI: %s", sframe_abi_name(table->abi));
	add(&writer, 1, "fixed offset of the frame pointer: %d%s", table->fixed_fp,
	    table->fixed_fp == 0 ? ", none" : "");
	add(&writer, 1, "fixed offset of the return address: %d%s", table->fixed_ra,
	    table->fixed_ra == 0 ? ", none" : "");
	add(&writer, 1, "auxiliary header: %u bytes", table->auxiliary_size);
	add(&writer, 4, "function descriptors: %" PRIu32, table->function_count);
	add(&writer, 4, "rows: %" PRIu32, table->row_count);
	add(&writer, 4, "size of all rows: %" PRIu32, table->row_bytes);
	add(&writer, 4, "descriptors begin %" PRIu64 " bytes after the header",
	    value_of(&writer, 4));
	add(&writer, 4, "rows begin %" PRIu64 " bytes after the header", value_of(&writer, 4));
	if (table->auxiliary_size > 0)
		add(&writer, table->auxiliary_size, "auxiliary header");
	return writer.count;
}

static void
add_info(struct field_writer *writer, const struct sframe_function *function)
{
	const enum sframe_abi abi = function->table->abi;
	char width[24] = "of an unknown size";
	const char *key = "";

	if (abi == SFRAME_AARCH64 || abi == SFRAME_AARCH64_BIG)
		key = function->key_b ? ", signed with key B" : ", signed with key A";
	if (function->address_bytes != 0)
		snprintf(width, sizeof(width), "of %u byte%s", function->address_bytes,
			 plural(function->address_bytes));
	add(writer, 1, "info: row addresses %s, %s%s%s", width,
	    function->masked ? "repeating (PCMASK)" : "not repeating (PCINC)", key,
	    function->signal ? ", signal frame" : "");
}

size_t
sframe_function_fields(const struct sframe_function *function,
		       struct sframe_field fields[SFRAME_FIELDS])
{
	const struct sframe_table *table = function->table;
	const struct sframe_part_place *parts = sframe_versions[table->version].parts;
	const unsigned start = parts[SFRAME_PART_START].size;
	struct field_writer writer = { .table = table, .fields = fields,
				 .at = function->place.offset - table->reader.start };

	add(&writer, start, "start: %#" PRIx64 ", %+" PRId64 " from %s", function->address,
	    (int64_t)checked_extend(value_of(&writer, start), start * 8),
	    table->field_relative ? "this field" : "the section");
	add(&writer, 4, "size: %" PRIu32 " bytes", function->size);
	add(&writer, 4, "%s begin %" PRIu32 " bytes into the rows",
	    table->version == 3 ? "its attributes and rows" : "its rows", function->rows_offset);
	/* Version 3 stores the rest before the rows. */
	if (table->version == 3 && function->attribute.length == 0)
		return writer.count;
	if (table->version == 3)
		writer.at = function->attribute.offset - table->reader.start;
	add(&writer, parts[SFRAME_PART_ROW_COUNT].size, "rows: %" PRIu32, function->row_count);
	add_info(&writer, function);
	if (table->version == 3)
		add(&writer, 1, "type: %s",
		    function->flexible		      ? "flexible, rows name registers"
		    : (function->info2 & SFRAME_TYPE) == 0 ? "default"
						      : "unknown");
	if (table->version > 1 && function->masked)
		add(&writer, 1, "the rows repeat every %u bytes", function->repeat);
	else if (table->version > 1)
		add(&writer, 1, "repeat block: %" PRIu64 ", not used", value_of(&writer, 1));
	if (table->version == 2)
		add(&writer, 2, "padding");
	return writer.count;
}

/* Add the next data word, described by the rule that contains it. */
static void
add_word(struct field_writer *writer, const struct sframe_row *row)
{
	const struct {
		const char *name;
		const struct sframe_rule *rule;
		enum sframe_column column;
	} rules[] = {
		{ "CFA", &row->cfa, SFRAME_COLUMN_CFA },
		{ "RA", &row->ra, SFRAME_COLUMN_RA },
		{ "FP", &row->fp, SFRAME_COLUMN_FP },
	};
	const uint64_t at = reader_place(&writer->table->reader, writer->at, 0).offset;
	const int64_t stored =
		(int64_t)checked_extend(value_of(writer, row->word_size), row->word_size * 8);
	char cell[32];

	for (size_t i = 0; i < ARRAY_COUNT(rules); i++) {
		const struct sframe_rule *rule = rules[i].rule;

		if (rule->place.input == NULL ||
		    !checked_contains(rule->place.offset, rule->place.length, at))
			continue;
		/* This is the control word before a flexible rule's offset. */
		if (rule->place.length > row->word_size && at == rule->place.offset)
			add(writer, row->word_size, "%s: from %s%s", rules[i].name,
			    rule->base == SFRAME_CFA
				    ? "the CFA"
				    : sframe_register_name(writer->table, rule->base, cell),
			    rule->dereference ? ", the word there" : "");
		else if (rule->kind == SFRAME_PADDING)
			add(writer, row->word_size, "%s: padding", rules[i].name);
		else if (rule->kind == SFRAME_OFFSET && stored != rule->offset)
			/* s390x scales offsets */
			add(writer, row->word_size, "%s: %s, from the stored %" PRId64,
			    rules[i].name,
			    sframe_cell(writer->table, rule, rules[i].column, cell, sizeof(cell)),
			    stored);
		else
			add(writer, row->word_size, "%s: %s", rules[i].name,
			    sframe_cell(writer->table, rule, rules[i].column, cell, sizeof(cell)));
		return;
	}
	add(writer, row->word_size, "not used");
}

size_t
sframe_row_fields(const struct sframe_function *function, const struct sframe_row *row,
		  struct sframe_field fields[SFRAME_FIELDS])
{
	const struct sframe_table *table = function->table;
	struct field_writer writer = { .table = table, .fields = fields,
				 .at = row->place.offset - table->reader.start };
	const struct sframe_registers *registers = sframe_registers(table->abi);
	char base[24] = "", number[8];

	if (!function->flexible && !row->outermost)
		snprintf(base, sizeof(base), "CFA from %s, ",
			 sframe_register_name(table,
					      (row->info & SFRAME_ROW_SP) != 0 ? registers->sp
									       : registers->fp,
					      number));
	add(&writer, function->address_bytes, "start: %#" PRIx64 ", %" PRIu64 " byte%s into the %s",
	    sframe_row_address(function, row), row->offset, plural(row->offset),
	    function->masked ? "block" : "function");
	add(&writer, 1, "info: %s%u data word%s of %u byte%s%s", base, row->word_count,
	    plural(row->word_count), row->word_size, plural(row->word_size),
	    row->signed_ra ? ", the return address is signed" : "");
	for (unsigned i = 0; i < row->word_count; i++)
		add_word(&writer, row);
	return writer.count;
}

struct description {
	const struct sframe *sframe;
	const struct sframe_table *table;
	uint64_t offset, length;	/* place in the input */
	uint64_t at;			/* offset in the table */
	char *buffer;
	size_t size;
};

/* Write the name of the part with the bytes. If one field contains them, add its meaning. */
static void ATTRIBUTE_PRINTF(4, 5)
say(const struct description *description, const struct sframe_field *fields, size_t count,
    const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	int used = vsnprintf(description->buffer, description->size, format, arguments);
	va_end(arguments);
	for (size_t i = 0; i < count && used >= 0 && (size_t)used < description->size; i++) {
		const struct place *place = &fields[i].place;

		if (!checked_contains(place->offset, place->length, description->offset) ||
		    description->length > place->length)
			continue;
		snprintf(description->buffer + used, description->size - (size_t)used, ", %s",
			 fields[i].meaning);
		return;
	}
}

/* The function with the last rows that begin at or before the bytes. */
static bool
function_of_rows(const struct description *description, struct sframe_function *function)
{
	const struct sframe_table *table = description->table;
	struct sframe_function other;
	uint64_t last = 0;
	bool any = false;

	for (uint32_t i = 0; i < table->function_count; i++) {
		sframe_function(description->sframe, table->first + i, &other);
		const uint64_t begin = other.rows_at - other.attribute.length;

		if (other.problem != NULL || begin > description->at || (any && begin < last))
			continue;
		*function = other;
		last = begin;
		any = true;
	}
	return any;
}

static void
describe_row(const struct description *description)
{
	struct sframe_field fields[SFRAME_FIELDS];
	struct sframe_function function;
	struct sframe_cursor cursor;
	struct sframe_row row;

	say(description, NULL, 0, "SFrame rows");
	if (!function_of_rows(description, &function))
		return;
	if (checked_contains(function.attribute.offset, function.attribute.length,
			     description->offset)) {
		size_t count = sframe_function_fields(&function, fields);

		say(description, fields, count, "SFrame attributes of function %" PRIu32,
		    function.number);
		return;
	}
	sframe_rows(&function, &cursor);
	while (cursor.number < LIMIT_SFRAME_ROWS && sframe_next_row(&cursor, &row)) {
		if (!checked_contains(row.place.offset, row.place.length, description->offset))
			continue;
		size_t count = sframe_row_fields(&function, &row, fields);

		say(description, fields, count, "SFrame row %" PRIu32 " of function %" PRIu32,
		    row.number, function.number);
		return;
	}
}

bool
sframe_describe(const struct sframe *sframe, uint64_t offset, uint64_t length, char *buffer,
		size_t size)
{
	struct sframe_field fields[SFRAME_FIELDS];
	struct sframe_function function;

	for (size_t i = 0; i < sframe->table_count; i++) {
		const struct sframe_table *table = &sframe->tables[i];
		const uint64_t at = offset - table->reader.start;
		const uint64_t descriptors =
			(uint64_t)table->function_count * table->function_size;
		const struct description description = {
			.sframe = sframe, .table = table, .offset = offset, .length = length,
			.at = at, .buffer = buffer, .size = size,
		};

		if (!checked_contains(table->reader.start, table->rows_at + table->row_bytes,
				      offset))
			continue;
		if (at < SFRAME_HEADER_SIZE + (uint64_t)table->auxiliary_size) {
			const size_t count = sframe_header_fields(table, fields);

			say(&description, fields, count, "SFrame header");
		} else if (checked_contains(table->functions_at, descriptors, at)) {
			const uint64_t index = (at - table->functions_at) / table->function_size;

			sframe_function(sframe, table->first + (size_t)index, &function);
			const size_t count = sframe_function_fields(&function, fields);
			say(&description, fields, count, "SFrame function descriptor %" PRIu32,
			    function.number);
		} else if (checked_contains(table->rows_at, table->row_bytes, at)) {
			describe_row(&description);
		} else {
			say(&description, NULL, 0, "SFrame section");
		}
		return true;
	}
	return false;
}
