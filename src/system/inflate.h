/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_INFLATE_H
#define SYSTEM_INFLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "system/file.h"

/**
 * Decompress gzip, zstd, xz and lz4, and Windows cabinets ([MS-CAB]) with one file. The first bytes
 * decide the format (enum inflate_kind, system/file.h).
 *
 * Several compressed streams one after another count as one, as in the tools gzip, zstd, xz and
 * lz4. No size that the input claims is allocated: memory grows with the bytes that come out.
 */

/** Why decompressing stopped. Unless INFLATE_WHOLE, the output is only the part before the stop. */
enum inflate_end {
	INFLATE_WHOLE,
	INFLATE_CUT,		/* the input ends inside the compressed data */
	INFLATE_CORRUPT,	/* the input breaks a rule of its format, or a checksum differs */
	INFLATE_LIMIT,
	INFLATE_MEMORY,
	/* Built without the library of this kind, or a cabinet of several files */
	INFLATE_LEFT_OUT,
};

/** The output, in an anonymous mapping. */
struct inflated {
	uint8_t *data;		/* NULL: no output */
	uint64_t size;
	uint64_t room;		/* bytes of the mapping */
	enum inflate_end end;
	uint64_t ignored;	/* bytes after the compressed data that are not zeros */
	char reason[96];	/* the reason in the decoder's words; empty for INFLATE_WHOLE */
};

/** The kind that the first bytes indicate. */
enum inflate_kind
inflate_identify(const uint8_t *bytes, uint64_t size);

/** The name of a kind: "gzip", "zstd", "xz", "lz4" or "cabinet". */
const char *
inflate_name(enum inflate_kind kind);

/** The command that decompresses a file of this kind, or tests it. */
const char *
inflate_tool(enum inflate_kind kind, bool test);

/** Bytes of a file of this kind that suffice for some output: the largest first block. */
uint64_t
inflate_head(enum inflate_kind kind);

/** Maximum bytes of output for one input: LIMIT_INFLATED, at most half of this machine's memory. */
uint64_t
inflate_limit(void);

/**
 * Give complete blocks of zeros between two offsets of private memory back to the system. They
 * still read as zeros. Returns the offset to continue from; adds the bytes in other blocks to
 * `*others` (may be NULL).
 */
uint64_t
inflate_give_back(uint8_t *data, uint64_t from, uint64_t to, uint64_t *others);

/** Limit of the output for `size` bytes: `all` + `ratio` for each byte, at most inflate_limit. */
uint64_t
inflate_ratio(uint64_t all, uint64_t ratio, uint64_t size);

/**
 * Decompress at most `limit` bytes. Zeros take no memory; other output may take
 * LIMIT_INFLATED_RATIO bytes for each byte of the input. The output is valid after any end; free it
 * with inflate_free.
 */
void
inflate_bytes(enum inflate_kind kind, const uint8_t *bytes, uint64_t size, uint64_t limit,
	      struct inflated *inflated);

/**
 * Decompress one section of an ELF file (gABI, Compressed Sections), in zstd's or zlib's format.
 * Returns whether the output is exactly the `room` bytes at `to`.
 */
bool
inflate_exactly(bool zstd, const uint8_t *bytes, uint64_t size, uint8_t *to, uint64_t room);

/** The CRC-32 (ISO 3309) of bytes, continued from the CRC `crc` (0: none). Slow without zlib. */
uint32_t
inflate_crc32(uint32_t crc, const uint8_t *bytes, uint32_t size);

void
inflate_free(struct inflated *inflated);

#endif
