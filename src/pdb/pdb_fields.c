/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compiler.h"
#include "pdb/pdb_types.h"

/* Lists of members of structures and enumerations (cvinfo.h, LF_FIELDLIST). */

/* Maximum number of lists of one type. A list has up to 64 KiB and names the next list. */
#define MOST_LISTS 256u
/* A larger byte is padding: 0xf3 (LF_PAD3) skips 3 bytes. */
#define PAD 0xf0u

/* Layout of entries. `head`: bytes before the numbers. `type`: offset of the type; 0: none. */
static const struct field_layout {
	uint16_t leaf;
	uint8_t head, type, numbers;
	bool named;
} field_layouts[] = {
	{ LF_BCLASS, 6, 2, 1, false }, { LF_BINTERFACE, 6, 2, 1, false },
	{ LF_VBCLASS, 10, 2, 2, false }, { LF_IVBCLASS, 10, 2, 2, false },
	{ LF_INDEX, 6, 2, 0, false }, { LF_VFUNCTAB, 6, 2, 0, false },
	{ LF_FRIENDCLS, 6, 2, 0, false }, { LF_VFUNCOFF, 10, 2, 0, false },
	{ LF_ENUMERATE, 2, 0, 1, true }, { LF_FRIENDFCN, 6, 2, 0, true },
	{ LF_MEMBER, 6, 2, 1, true }, { LF_STMEMBER, 6, 2, 0, true },
	{ LF_METHOD, 6, 2, 0, true }, { LF_NESTTYPE, 6, 2, 0, true },
	{ LF_NESTTYPEEX, 6, 2, 0, true }, { LF_ONEMETHOD, 6, 2, 0, true },
};

static bool
open_list(struct pdb_fields *fields, uint32_t number)
{
	uint16_t kind;

	fields->at = 0;
	return pdb_record_find(&fields->types->types, number, fields->arena, &kind,
			       &fields->data) && kind == LF_FIELDLIST;
}

bool
pdb_fields_open(struct pdb_fields *fields, struct pdb_types *types, uint32_t number,
		struct arena *arena)
{
	*fields = (struct pdb_fields){ .types = types, .arena = arena, .left = MOST_LISTS };
	return open_list(fields, number);
}

/* Whether a method adds a slot to the virtual table. The entry then has the slot's offset. */
static bool
introduces(const struct reader *data, uint64_t at)
{
	uint16_t attributes = 0;

	reader_u16(data, at, &attributes);
	return (attributes >> 2 & 7) == 4 || (attributes >> 2 & 7) == 6;
}

/* Read the entry at fields->at, and move past it. */
static bool
read_field(struct pdb_fields *fields, const struct field_layout *layout, struct pdb_field *field)
{
	const uint64_t start = fields->at + 2;
	uint64_t at = start + layout->head, number = 0;

	*field = (struct pdb_field){ .leaf = layout->leaf };
	if (layout->type != 0 && !reader_u32(&fields->data, start + layout->type, &field->type))
		return false;
	if (layout->leaf == LF_ONEMETHOD && introduces(&fields->data, start))
		at += 4;
	for (unsigned i = 0; i < layout->numbers; i++) {
		if (!pdb_numeric(&fields->data, &at, &number))
			return false;
		field->value = i == 0 ? number : field->value;
	}
	if (at > fields->data.size)
		return false;
	if (layout->named) {
		field->name = pdb_text(&fields->data, at);
		at += field->name.length + 1;
	}
	fields->at = at;
	return true;
}

bool
pdb_fields_next(struct pdb_fields *fields, struct pdb_field *field)
{
	uint16_t leaf;
	uint8_t pad;

	for (;;) {
		const struct field_layout *layout = NULL;

		while (reader_u8(&fields->data, fields->at, &pad) && pad > PAD)
			fields->at += pad - PAD;
		if (!reader_u16(&fields->data, fields->at, &leaf))
			return false;
		for (size_t i = 0; layout == NULL && i < ARRAY_COUNT(field_layouts); i++)
			if (field_layouts[i].leaf == leaf)
				layout = &field_layouts[i];
		if (layout == NULL || !read_field(fields, layout, field))
			return false;
		if (leaf != LF_INDEX)
			return true;
		if (fields->left-- == 0 || !open_list(fields, field->type))
			return false;
	}
}
