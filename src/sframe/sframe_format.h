/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SFRAME_SFRAME_FORMAT_H
#define SFRAME_SFRAME_FORMAT_H

#include "sframe/sframe.h"

/**
 * The layout of SFrame sections, for the reader and the writer.
 *
 * Source: "The SFrame format", versions 1 to 3 (binutils 2.40 to 2.46), with both errata of version
 * 2.
 */

/** Offsets in the header. */
enum {
	SFRAME_AT_MAGIC = 0,
	SFRAME_AT_VERSION = 2,
	SFRAME_AT_FLAGS = 3,
	SFRAME_AT_ABI = 4,
	SFRAME_AT_FIXED_FP = 5,
	SFRAME_AT_FIXED_RA = 6,
	SFRAME_AT_AUXILIARY = 7,
	SFRAME_AT_FUNCTIONS = 8,
	SFRAME_AT_ROWS = 12,
	SFRAME_AT_ROW_BYTES = 16,
	SFRAME_AT_FUNCTION_OFFSET = 20,
	SFRAME_AT_ROW_OFFSET = 24,
};

#define SFRAME_MAGIC 0xdee2u
/** Size of the repeated block (PCMASK) if the version does not store it: one amd64 PLT entry. */
#define SFRAME_PLT_BLOCK 16u

enum sframe_part {
	SFRAME_PART_START,
	SFRAME_PART_SIZE,
	SFRAME_PART_ROWS,	/* offset of its rows, or of the attributes before them */
	SFRAME_PART_ROW_COUNT,
	SFRAME_PART_INFO,
	SFRAME_PART_INFO2,
	SFRAME_PART_REPEAT,
	SFRAME_PARTS,
};

/** Location of a part: in the descriptor, or in the attributes before the rows. Size 0: none. */
struct sframe_part_place {
	uint8_t at, size;
	bool attribute;
};

struct sframe_version {
	unsigned flags;
	unsigned function_size;		/* bytes of a descriptor */
	unsigned attribute_size;	/* bytes before a function's rows */
	struct sframe_part_place parts[SFRAME_PARTS];
};

#define SFRAME_VERSIONS 4u

/** Indexed by version; 0 is unused. */
extern const struct sframe_version sframe_versions[SFRAME_VERSIONS];

struct sframe_abi_info {
	const char *name;
	bool big_endian;
	unsigned since;			/* first version with this ABI */
	/* fixed offset of the return address from the CFA; 0: none */
	int fixed_ra;
	enum arch_id arch;
	struct sframe_registers registers;
};

#define SFRAME_ABIS 5u

extern const struct sframe_abi_info sframe_abis[SFRAME_ABIS];

/** Bits of a function's info and of its type (version 3). */
#define SFRAME_INFO_WIDTH 0x0fu		/* 0, 1, 2: row addresses of 1, 2, 4 bytes */
#define SFRAME_INFO_MASKED 0x10u
#define SFRAME_INFO_KEY_B 0x20u
#define SFRAME_INFO_SIGNAL 0x80u
#define SFRAME_TYPE 0x1fu
#define SFRAME_TYPE_FLEXIBLE 1u

/** Bits of a row's info byte. */
#define SFRAME_ROW_SP 0x01u
#define SFRAME_ROW_COUNT(info) ((info) >> 1 & 0xfu)
#define SFRAME_ROW_SIZE(info) ((info) >> 5 & 3u)	/* 0, 1, 2: words of 1, 2, 4 bytes */
#define SFRAME_ROW_INFO(count, size) ((count) << 1 | (size) << 5)
#define SFRAME_ROW_SIGNED 0x80u

/** Bits of a control word of flexible rows. */
#define SFRAME_CONTROL_REGISTER 1u
#define SFRAME_CONTROL_DEREFERENCE 2u
#define SFRAME_CONTROL_NUMBER 3u	/* shift */

/** s390x stores CFA offsets less 160 (the area that every frame has), in units of 8. */
#define SFRAME_S390X_SCALE 8
#define SFRAME_S390X_BIAS 160

/** Largest register number in a word (s390x, version 2: the lowest bit marks a register). */
#define SFRAME_LARGEST_NUMBER 0x7f

static inline bool
sframe_words_name_registers(const struct sframe_table *table)
{
	return table->abi == SFRAME_S390X && table->version == 2;
}

#endif
