/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDB_MSF_H
#define PDB_MSF_H

#include "base/arena.h"
#include "base/error.h"
#include "base/reader.h"
#include "system/file.h"

/**
 * The container of a PDB: streams, each a list of blocks of the file.
 *
 * Source: microsoft-pdb, PDB/msf/msf.cpp; LLVM, docs/PDB/MsfFile.rst. An opened container never
 * changes, so that any thread may read it.
 */

/** No stream has this number. */
#define MSF_NONE 0xffffu

struct msf_stream {
	uint64_t size;			/* bytes */
	uint64_t first;			/* number of its first block in the list of all blocks */
};

struct msf {
	const struct file *file;
	uint32_t block_size, block_count;	/* `block_count`: as in the header */
	struct msf_stream *streams;
	uint32_t stream_count;
	const uint8_t *blocks;		/* block numbers of all streams, as little-endian words */
};

/**
 * Read the directory of streams into `arena`; `file` outlives it. ERROR_NOT_FOUND if the file is
 * not a PDB, ERROR_FORMAT if it is an unreadable PDB.
 */
enum error_code
msf_open(struct msf *msf, const struct file *file, struct arena *arena, struct error *error);

/** Bytes of a stream; 0: the file has no stream of that number. */
uint64_t
msf_size(const struct msf *msf, uint32_t stream);

/** Copy `size` bytes at `offset` of a stream; false if the file does not have all of them. */
bool
msf_read(const struct msf *msf, uint32_t stream, uint64_t offset, void *to, size_t size);

/** Read a word of a stream; false if the file does not have it. */
bool
msf_u32(const struct msf *msf, uint32_t stream, uint64_t offset, uint32_t *value);

/**
 * `size` bytes at `offset` of a stream: in the file itself if its blocks are adjacent, else
 * copied to `arena`. The places of the reader are right only in the first case: see msf_place.
 */
bool
msf_bytes(const struct msf *msf, uint32_t stream, uint64_t offset, uint64_t size,
	  struct arena *arena, struct reader *bytes);

/**
 * The place of a stream's bytes in the file, cut at the end of the first byte's block. If the block
 * is missing, the place is the end of the file.
 */
struct place
msf_place(const struct msf *msf, uint32_t stream, uint64_t offset, uint32_t length);

#endif
