/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb_variables.h"

#include "base/checked.h"
#include "base/compiler.h"
#include "pdb/pdb_types.h"

/* The offset of each field in each kind of record, plus 1; 0: the kind lacks the field. */
static const struct variable_layout {
	uint16_t kind;
	enum pdb_place place;
	uint8_t type, flags, reg, offset, section, name;
} variable_layouts[] = {
	{ S_LOCAL, PDB_PLACE_RANGES, 1, 5, 0, 0, 0, 7 },
	{ S_FILESTATIC, PDB_PLACE_RANGES, 1, 9, 0, 0, 0, 11 },
	{ S_REGISTER, PDB_PLACE_REGISTER, 1, 0, 5, 0, 0, 7 },
	{ S_BPREL32, PDB_PLACE_BASE, 5, 0, 0, 1, 0, 9 },
	{ S_REGREL32, PDB_PLACE_RELATIVE, 5, 0, 9, 1, 0, 11 },
	{ S_LDATA32, PDB_PLACE_STATIC, 1, 0, 0, 5, 9, 11 },
	{ S_GDATA32, PDB_PLACE_STATIC, 1, 0, 0, 5, 9, 11 },
	{ S_LTHREAD32, PDB_PLACE_THREAD, 1, 0, 0, 5, 9, 11 },
	{ S_GTHREAD32, PDB_PLACE_THREAD, 1, 0, 0, 5, 9, 11 },
	{ S_CONSTANT, PDB_PLACE_CONSTANT, 1, 0, 0, 0, 0, 5 },
};

/* Read a field of two bytes; true also if the kind of record lacks the field. */
static bool
read_half(const struct reader *data, uint8_t field, uint16_t *value)
{
	return field == 0 || reader_u16(data, field - 1u, value);
}

bool
pdb_variable_read(const struct pdb *pdb, const struct pdb_symbol *symbol,
		  struct pdb_variable *variable)
{
	const struct variable_layout *layout = NULL;
	const struct reader *data = &symbol->data;
	uint16_t flags = 0, section = 0;
	uint32_t offset = 0;

	for (size_t i = 0; layout == NULL && i < ARRAY_COUNT(variable_layouts); i++)
		if (variable_layouts[i].kind == symbol->kind)
			layout = &variable_layouts[i];
	*variable = (struct pdb_variable){ 0 };
	if (layout == NULL || !reader_u32(data, layout->type - 1u, &variable->type) ||
	    (layout->offset != 0 && !reader_u32(data, layout->offset - 1u, &offset)) ||
	    !read_half(data, layout->flags, &flags) ||
	    !read_half(data, layout->reg, &variable->reg) ||
	    !read_half(data, layout->section, &section))
		return false;
	uint64_t name = layout->name - 1u;
	if (layout->place == PDB_PLACE_CONSTANT && !pdb_numeric(data, &name, &variable->value))
		return false;
	if (layout->place == PDB_PLACE_STATIC &&
	    !pdb_address(pdb, section, offset, &variable->address))
		return false;
	variable->place = layout->place;
	variable->flags = flags;
	variable->offset = (int32_t)offset;
	variable->name = pdb_text(data, name);
	return name < data->size;
}

/* Ranges --------------------------------------------------------------------------------------- */

/* Records of ranges; offsets are plus 1, as above. PDB_PLACE_THREAD: the record is not read. */
static const struct range_layout {
	uint16_t kind;
	enum pdb_place place;
	uint8_t reg, offset, range;
} range_layouts[] = {
	{ S_DEFRANGE, PDB_PLACE_THREAD, 0, 0, 0 },
	{ S_DEFRANGE_SUBFIELD, PDB_PLACE_THREAD, 0, 0, 0 },
	{ S_DEFRANGE_REGISTER, PDB_PLACE_REGISTER, 1, 0, 5 },
	{ S_DEFRANGE_FRAMEPOINTER_REL, PDB_PLACE_FRAME, 0, 1, 5 },
	{ S_DEFRANGE_SUBFIELD_REGISTER, PDB_PLACE_REGISTER, 1, 0, 9 },
	{ S_DEFRANGE_FRAMEPOINTER_REL_FULL_SCOPE, PDB_PLACE_FRAME, 0, 1, 0 },
	{ S_DEFRANGE_REGISTER_REL, PDB_PLACE_RELATIVE, 1, 5, 9 },
};

static const struct range_layout *
range_layout_of(uint16_t kind)
{
	for (size_t i = 0; i < ARRAY_COUNT(range_layouts); i++)
		if (range_layouts[i].kind == kind)
			return &range_layouts[i];
	return NULL;
}

bool
pdb_is_range(uint16_t kind)
{
	return range_layout_of(kind) != NULL;
}

/* Cut a range at the gaps next to an address. Returns whether the address is outside the gaps. */
static bool
cut_gaps(const struct reader *data, uint64_t at, uint32_t start, uint32_t address,
	 struct pdb_variable_range *range)
{
	uint16_t offset, length;

	for (; reader_u16(data, at, &offset) && reader_u16(data, at + 2, &length); at += 4) {
		const uint32_t low = start + offset, high = low + length;

		if (low <= address && address < high) {
			range->high = low;
			return false;
		}
		if (high <= address && high > range->low)
			range->low = high;
		else if (low > address && low < range->high)
			range->high = low;
	}
	return true;
}

bool
pdb_variable_range_read(const struct pdb *pdb, const struct pdb_symbol *symbol, uint32_t address,
			struct pdb_variable_range *range, bool *covers)
{
	const struct range_layout *layout = range_layout_of(symbol->kind);
	const struct reader *data = &symbol->data;
	uint32_t offset = 0;
	uint16_t section, length, parent = 0;

	*covers = false;
	*range = (struct pdb_variable_range){ 0 };
	if (layout == NULL || layout->place == PDB_PLACE_THREAD ||
	    !read_half(data, layout->reg, &range->reg) ||
	    (layout->offset != 0 && !reader_u32(data, layout->offset - 1u, &offset)))
		return false;
	range->place = layout->place;
	range->offset = (int32_t)offset;
	range->everywhere = layout->range == 0;
	*covers = range->everywhere;
	if (symbol->kind == S_DEFRANGE_SUBFIELD_REGISTER) {
		range->part = reader_u16(data, 4, &parent);
		range->at = parent & 0xfffu;
	} else if (symbol->kind == S_DEFRANGE_REGISTER_REL && reader_u16(data, 2, &parent)) {
		range->part = (parent & 1) != 0 || parent >> 4 != 0;
		range->at = parent >> 4;
	}
	if (range->everywhere)
		return true;
	const uint64_t at = layout->range - 1u;
	if (!reader_u32(data, at, &offset) || !reader_u16(data, at + 4, &section) ||
	    !reader_u16(data, at + 6, &length) ||
	    !pdb_address(pdb, section, offset, &range->low) || range->low > UINT32_MAX - 2 * length)
		return false;
	const uint32_t start = range->low;
	range->high = start + length;
	*covers = checked_contains(start, length, address) &&
		  cut_gaps(data, at + 8, start, address, range);
	return true;
}

/* S_FRAMEPROC. Bits 14 to 17 of the flags are the kinds of frame pointers. */
bool
pdb_procedure_frame_read(const struct pdb_symbol *symbol, struct pdb_procedure_frame *frame)
{
	uint32_t saved, flags;

	if (symbol->kind != S_FRAMEPROC || !reader_u32(&symbol->data, 0, &frame->size) ||
	    !reader_u32(&symbol->data, 12, &saved) || !reader_u32(&symbol->data, 22, &flags) ||
	    saved > UINT32_MAX - frame->size)
		return false;
	frame->size += saved;
	frame->local = flags >> 14 & 3;
	frame->argument = flags >> 16 & 3;
	return true;
}
