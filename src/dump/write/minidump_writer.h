/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_MINIDUMP_WRITER_H
#define DUMP_MINIDUMP_WRITER_H

#include "crash/crash.h"
#include "dump/context/context.h"
#include "dump/minidump_internal.h"

/**
 * The bytes of a minidump under construction, and the structures that all writers make.
 *
 * If bytes do not fit or memory is missing, the writer has `failed`: it stops writing, and offsets
 * are 0.
 */
enum {
	STREAM_THREADS = 3, STREAM_MODULES = 4, STREAM_MEMORY = 5, STREAM_EXCEPTION = 6,
	STREAM_SYSTEM = 7, STREAM_MEMORY64 = 9, STREAM_COMMENT = 10, STREAM_COMMENT_WIDE = 11,
	STREAM_HANDLES = 12, STREAM_UNLOADED = 14, STREAM_MISC = 15, STREAM_MEMORY_INFO = 16,
	STREAM_THREAD_NAMES = 24,
};

/* Entries of the directory. */
#define WRITER_STREAMS 40u

struct minidump_writer {
	const struct crash *crash;	/* gives the byte order of the dump */
	struct arena *arena;
	uint8_t *bytes;
	size_t size, room;
	unsigned streams;
	size_t status;			/* the stream of the current thread's status */
	bool big_endian, failed;
};

/** A writer that has room for the header and the directory. */
void
writer_begin(struct minidump_writer *writer, const struct crash *crash, struct arena *arena);

/** Add `size` zeroed bytes at the end, at a multiple of 4; returns their offset. */
size_t
writer_extend(struct minidump_writer *writer, size_t size);

/** Put a number of `size` bytes at an offset. */
void
writer_put(struct minidump_writer *writer, size_t at, unsigned size, uint64_t value);

/**
 * Append `size` bytes, or fail on NULL from a failed allocation. Returns their offset, valid if the
 * writer has not failed.
 */
size_t
writer_append(struct minidump_writer *writer, const void *bytes, size_t size);

/** Append text without a gap; NULL: out of memory. */
void
writer_append_text(struct minidump_writer *writer, const char *text);

void
writer_put_structure(struct minidump_writer *writer, size_t at, const struct structure *structure,
		     const void *model);

struct descriptor
writer_location(size_t size, size_t rva);

/** Add an entry to the directory. */
void
writer_enter(struct minidump_writer *writer, uint32_t type, size_t at, size_t size);

/** Add a stream that is a list. Returns the offset for its entries. */
size_t
writer_list(struct minidump_writer *writer, uint32_t type, const struct structure *entry,
	    size_t count);

/** A string of UTF-16 with its length in bytes in front. */
size_t
writer_string(struct minidump_writer *writer, const char *text);

/** The number of a layout's processor; 0xffff: none. */
unsigned
writer_processor(const struct context_layout *layout);

/** The system of a crash that is not a minidump, with its version. */
void
writer_system(struct minidump_writer *writer, const struct context_layout *layout,
	      const char *version, unsigned processors);

/** A context with only the registers. */
size_t
writer_context(struct minidump_writer *writer, const struct context_layout *layout, uint64_t flags,
	       const struct registers *values);

/** The context of a core's thread, with the floating point registers of its notes or without. */
size_t
writer_core_context(struct minidump_writer *writer, const struct context_layout *layout,
		    const struct crash_context *context, bool floats);

/**
 * The CodeView record that gives a debug identifier: a GUID and an age (RSDS), or a timestamp and
 * an age (NB10). `*size` is set, 0 for an identifier that is neither.
 */
size_t
writer_identity(struct minidump_writer *writer, const struct module *module, size_t *size);

/** The record of a build ID, as by Breakpad's writer for Linux; 0 if the module has none. */
size_t
writer_build_id(struct minidump_writer *writer, const struct module *module, size_t *size);

/** An entry of the list of modules. */
void
writer_module(struct minidump_writer *writer, size_t at, const struct module *module,
	      const char *path, struct descriptor identity);

void
writer_exception(struct minidump_writer *writer, const struct crash_exception *exception,
		 uint32_t thread, struct descriptor context);

/** Write the header: the last of all. */
void
writer_finish(struct minidump_writer *writer);

#endif
