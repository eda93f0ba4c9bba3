/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *
meaning_text(const struct meanings *meanings, uint64_t value)
{
	for (size_t i = 0; i < meanings->count; i++)
		if (meanings->rows[i].value == value)
			return meanings->rows[i].text;
	return NULL;
}

/* Bytes of one number in a field. A FIELD_PAIR is two numbers, its halves in either order. */
static uint32_t
unit_of(const struct field *row)
{
	return row->kind == FIELD_PAIR ? 4 : row->size;
}

static uint32_t
elements_of(const struct field *row)
{
	const uint32_t count = row->count != 0 ? row->count : 1;

	return row->kind == FIELD_PAIR ? count * 2 : count;
}

/* The byte order of models: that of the machine on which unspool runs. */
#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

bool
fields_read(const struct structure *structure, const struct reader *window, void *model)
{
	bool whole = true;

	for (size_t i = 0; i < structure->count; i++) {
		const struct field *row = &structure->rows[i];
		const uint32_t unit = unit_of(row);

		for (uint32_t j = 0; row->room != 0 && j < elements_of(row); j++) {
			uint64_t value;

			if (reader_unsigned(window, (uint64_t)row->offset + j * unit, unit, &value))
				reader_put_number((uint8_t *)model + row->into + j * row->room,
						  row->room, HOST_BIG_ENDIAN, value);
			else
				whole = false;
		}
	}
	return whole;
}

uint64_t
fields_number(struct structure structure, const char *name, const struct reader *window)
{
	const struct field *row = structure.rows;
	uint64_t value = 0;

	while (strcmp(row->name, name) != 0)
		row++;
	reader_unsigned(window, row->offset, row->size, &value);
	return value;
}

void
fields_write(const struct structure *structure, const void *model, bool big_endian, uint8_t *bytes)
{
	for (size_t i = 0; i < structure->count; i++) {
		const struct field *row = &structure->rows[i];
		const struct reader members = { .data = (const uint8_t *)model + row->into,
						.size = (uint64_t)row->room * elements_of(row),
						.big_endian = HOST_BIG_ENDIAN };
		const uint32_t unit = unit_of(row);
		uint64_t value;

		for (uint32_t j = 0; row->room != 0 && j < elements_of(row); j++)
			if (reader_unsigned(&members, (uint64_t)j * row->room, row->room, &value))
				reader_put_number(bytes + row->offset + j * unit, unit, big_endian,
						  value);
	}
}

void
fields_copy(const struct structure *from, const struct reader *window, const struct structure *to,
	    uint8_t *bytes)
{
	for (size_t i = 0; i < to->count; i++)
		for (size_t j = 0; j < from->count; j++) {
			const struct field *field = &from->rows[j], *other = &to->rows[i];
			uint64_t value;

			if (other->reg == 0 && other->count == 0 && other->size <= 8 &&
			    field->count == 0 && field->size <= 8 &&
			    strcmp(field->name, other->name) == 0 &&
			    reader_unsigned(window, field->offset, field->size, &value))
				reader_put_number(bytes + other->offset, other->size,
						  window->big_endian, value);
		}
}

void
field_guid(const struct reader *reader, uint64_t offset, char text[GUID_TEXT])
{
	uint32_t data1 = 0;
	uint16_t data2 = 0, data3 = 0;
	uint8_t rest[8] = { 0 };

	reader_u32(reader, offset, &data1);
	reader_u16(reader, offset + 4, &data2);
	reader_u16(reader, offset + 6, &data3);
	for (size_t i = 0; i < sizeof(rest); i++)
		reader_u8(reader, offset + 8 + i, &rest[i]);
	snprintf(text, GUID_TEXT, "%08" PRIx32 "-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 data1, data2, data3, rest[0], rest[1], rest[2], rest[3], rest[4], rest[5],
		 rest[6], rest[7]);
}

/* Lists ---------------------------------------------------------------------------------------- */

unsigned
list_header_size(const struct list_layout *layout)
{
	return layout->form == LIST_COUNTED ? 4 : layout->form == LIST_HEADED ? 12 : 16;
}

enum list_state
list_open(const struct list_layout *layout, const struct reader *window, uint64_t stream_size,
	  struct list *list)
{
	uint32_t size = layout->entry.size;

	*list = (struct list){ .header = 4 };
	if (layout->form == LIST_COUNTED) {
		if (!reader_unsigned(window, 0, 4, &list->claimed))
			return LIST_NO_HEADER;
		if (stream_size == 8 + list->claimed * size)
			list->header = 8;
	} else if (!reader_u32(window, 0, &list->header) || !reader_u32(window, 4, &size) ||
		   !reader_unsigned(window, 8, layout->form == LIST_HEADED ? 4 : 8,
				    &list->claimed)) {
		return LIST_NO_HEADER;
	}
	list->entry_size = size;
	if (list->header < list_header_size(layout) || size < layout->entry.size)
		return LIST_BAD_HEADER;
	list_clip(list, window, list->header);
	return LIST_OPEN;
}

void
list_clip(struct list *list, const struct reader *window, uint64_t offset)
{
	const uint64_t room = offset <= window->size ? window->size - offset : 0;
	const uint64_t there = room / list->entry_size;

	list->count = list->claimed < there ? list->claimed : there;
	if (!reader_window(window, offset, list->count * list->entry_size, &list->entries))
		list->count = 0;
}

struct reader
list_entry(const struct list *list, uint64_t index)
{
	struct reader entry = { .data = NULL };

	reader_window(&list->entries, index * list->entry_size, list->entry_size, &entry);
	return entry;
}
