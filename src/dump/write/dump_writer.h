/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_DUMP_WRITER_H
#define DUMP_DUMP_WRITER_H

#include "dump/context/context.h"
#include "dump/minidump_internal.h"
#include "dump/write/write.h"

/**
 * Bytes of a dump under construction. If bytes do not fit or memory runs out, the writer has
 * `failed`: it stops writing, and offsets are 0.
 */
struct dump_writer {
	struct arena *arena;
	uint8_t *bytes;
	size_t size, room;
	unsigned streams;		/* used entries of a minidump's directory */
	bool big_endian, failed;
};

/** Add `size` zeroed bytes at the end, at a multiple of 4; returns their offset. */
size_t
writer_extend(struct dump_writer *writer, size_t size);

/** Put a number of `size` bytes at an offset. */
void
writer_put(struct dump_writer *writer, size_t at, unsigned size, uint64_t value);

void
writer_put_bytes(struct dump_writer *writer, size_t at, const void *bytes, size_t size);

void
writer_put_structure(struct dump_writer *writer, size_t at, const struct structure *structure,
		     const void *model);

/**
 * Append `size` bytes. If `bytes` is NULL (out of memory), the writer fails. Returns the offset of
 * the bytes, which is valid if the writer has not failed.
 */
size_t
writer_append(struct dump_writer *writer, const void *bytes, size_t size);

/** Append text without padding, with its NUL if `terminated`. NULL: the writer fails. */
void
writer_append_text(struct dump_writer *writer, const char *text, bool terminated);

/** Add a note of a core; returns the offset of its contents. */
size_t
writer_note(struct dump_writer *notes, const char *owner, uint32_t type, size_t size);

/* Minidumps */

/** Maximum number of entries of the directory. */
#define WRITER_STREAMS 40u

struct descriptor
writer_location(size_t size, size_t rva);

/** Add an entry to the directory. */
void
writer_enter(struct dump_writer *writer, uint32_t type, size_t at, size_t size);

/** Add a structure as a stream. */
void
writer_structure(struct dump_writer *writer, uint32_t type, const struct structure *structure,
		 const void *model);

/** Add a stream that is a list. Returns the offset for its entries. */
size_t
writer_list(struct dump_writer *writer, uint32_t type, const struct structure *entry,
	    size_t count);

/** Add a UTF-16 string, preceded by its length in bytes. */
size_t
writer_string(struct dump_writer *writer, const char *text);

/** The number that minidumps use for a layout's processor; 0xffff: none. */
unsigned
writer_processor(const struct context_layout *layout);

/** A context with only the registers. */
size_t
writer_context(struct dump_writer *writer, const struct context_layout *layout, uint64_t flags,
	       const struct registers *values);

/**
 * Write the CodeView record for a debug identifier: a GUID and an age (RSDS), or a timestamp and an
 * age (NB10). The size is 0 for any other identifier.
 */
struct descriptor
writer_identity(struct dump_writer *writer, const struct module *module);

#endif
