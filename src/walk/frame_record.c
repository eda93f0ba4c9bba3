/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/frame_record.h"

/*
 * Instructions of arm64 that save the link register x30 on the stack (Arm Architecture
 * Reference Manual for A-profile, DDI 0487, C6.2: STP and STR, immediate).
 */
#define SP_BASE 0x3e0u		/* Rn is the stack pointer */
#define FRAME_POINTER 29u
#define LINK_REGISTER 30u
#define LINKER_SCRATCH 16u	/* x16: saved with x30 by the procedure linkage table alone */

enum record_save {
	SAVES_NOTHING,
	SAVES_RECORD,			/* x29 and x30 together */
	SAVES_BARE,			/* x30 without x29 */
};

static enum record_save
saved_by(uint32_t instruction)
{
	const uint32_t first = instruction & 31, second = instruction >> 10 & 31;
	const uint32_t pair = instruction & 0xffc003e0, single = instruction & 0xffe00fe0;

	if (pair == (0xa9800000 | SP_BASE) || pair == (0xa9000000 | SP_BASE)) {
		if (first == FRAME_POINTER && second == LINK_REGISTER)
			return SAVES_RECORD;
		return (first == LINK_REGISTER || second == LINK_REGISTER) &&
				       first != LINKER_SCRATCH
			       ? SAVES_BARE
			       : SAVES_NOTHING;
	}
	if (single == (0xf8000c00 | SP_BASE) || pair == (0xf9000000 | SP_BASE))
		return first == LINK_REGISTER ? SAVES_BARE : SAVES_NOTHING;
	return SAVES_NOTHING;
}

/* Breakpad's writers keep 256 bytes of code around the pc of a crash. */
#define CODE_REACH 128u

static bool
read_instruction(const struct memory_view *memory, struct binaries *binaries, uint64_t address,
		 uint32_t *instruction)
{
	uint64_t value;
	uint8_t bytes[4];

	if (memory_read(memory, address, 4, &value, NULL)) {
		*instruction = (uint32_t)value;
		return true;
	}
	if (binaries_read(binaries, address, bytes, sizeof(bytes), NULL) != sizeof(bytes))
		return false;
	*instruction = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
		       (uint32_t)bytes[3] << 24;
	return true;
}

bool
frame_record_is_bare(const struct memory_view *memory, struct binaries *binaries, uint64_t pc)
{
	const uint64_t around = pc & ~UINT64_C(3);
	uint32_t instruction;

	for (uint64_t back = 0; back < 2 * CODE_REACH && around >= CODE_REACH; back += 4)
		if (read_instruction(memory, binaries, around - CODE_REACH + back, &instruction) &&
		    saved_by(instruction) == SAVES_BARE)
			return true;
	return false;
}
