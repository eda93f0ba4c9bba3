/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb.h"

#include "base/sorted.h"

#define FPO_SIZE 16u
#define FRAME_SIZE 32u

/* Bits that follow the size of the prologue in FPO_DATA. */
#define SAVED(bits) ((bits) >> 8 & 7)
#define USES_EBP 0x1000u

static uint32_t
stream_of(const struct pdb *pdb, unsigned type)
{
	return pdb->debug[type == 0 ? PDB_FPO : PDB_FRAME_DATA];
}

/* The offset of the first record. Some writers put a 4-byte base address (0) before it. */
static uint64_t
start_of(const struct pdb *pdb, unsigned type)
{
	return type != 0 && msf_size(&pdb->msf, stream_of(pdb, type)) % FRAME_SIZE == 4 ? 4 : 0;
}

size_t
pdb_frame_count(const struct pdb *pdb, unsigned type)
{
	const uint32_t stream = stream_of(pdb, type);

	return stream == MSF_NONE ? 0 : (size_t)(msf_size(&pdb->msf, stream) /
						 (type == 0 ? FPO_SIZE : FRAME_SIZE));
}

static void
read_fpo(const struct reader *record, struct pdb_frame *frame)
{
	uint16_t parameters = 0, bits = 0;

	reader_u32(record, 8, &frame->locals);
	reader_u16(record, 12, &parameters);
	reader_u16(record, 14, &bits);
	frame->locals *= 4;
	frame->parameters = 4u * parameters;
	frame->prologue = bits & 0xff;
	frame->saved_registers = 4 * SAVED((uint32_t)bits);
	frame->allocates_base_pointer = (bits & USES_EBP) != 0;
}

static void
read_frame_data(const struct reader *record, struct pdb_frame *frame)
{
	uint16_t prologue = 0, saved = 0;

	reader_u32(record, 8, &frame->locals);
	reader_u32(record, 12, &frame->parameters);
	reader_u32(record, 16, &frame->max_stack);
	reader_u32(record, 20, &frame->program);
	reader_u16(record, 24, &prologue);
	reader_u16(record, 26, &saved);
	frame->prologue = prologue;
	frame->saved_registers = saved;
}

bool
pdb_frame_read(const struct pdb *pdb, unsigned type, size_t index, struct pdb_frame *frame)
{
	const uint32_t stream = stream_of(pdb, type), size = type == 0 ? FPO_SIZE : FRAME_SIZE;
	const uint64_t offset = start_of(pdb, type) + (uint64_t)index * size;
	uint8_t bytes[FRAME_SIZE];
	const struct reader record = { .data = bytes, .size = size };

	*frame = (struct pdb_frame){ .type = type, .offset = (uint32_t)offset };
	if (stream == MSF_NONE || !msf_read(&pdb->msf, stream, offset, bytes, size))
		return false;
	reader_u32(&record, 0, &frame->address);
	reader_u32(&record, 4, &frame->size);
	(type == 0 ? read_fpo : read_frame_data)(&record, frame);
	frame->place = msf_place(&pdb->msf, stream, offset, size);
	return true;
}

size_t
pdb_frame_upto(const struct pdb *pdb, unsigned type, uint32_t address)
{
	struct pdb_frame frame;
	size_t at;

	BISECT(at, pdb_frame_count(pdb, type),
	       pdb_frame_read(pdb, type, at, &frame) && frame.address <= address);
	return at;
}
