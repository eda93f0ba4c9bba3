/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_BINARY_INTERNAL_H
#define BINARY_BINARY_INTERNAL_H

#include "base/limits.h"
#include "base/reader.h"
#include "binary/binary.h"

/**
 * Declarations shared by the readers of ELF and PE. A reader fills a `struct binary` whose file is
 * open; on failure the caller frees its contents.
 */

/** Read the tables of an ELF file. ERROR_NOT_FOUND if it is not one. */
enum error_code
elf_read(struct binary *binary, struct error *error);

/** Read the tables of a PE file. ERROR_NOT_FOUND if it is not one. */
enum error_code
pe_read(struct binary *binary, struct error *error);

/** Set `debug_id` and `debug_file`; the segments must be sorted. */
void
pe_read_codeview(struct binary *binary);

/** Record tables of a PE file that are missing in it; the segments must be sorted. */
void
pe_check(struct binary *binary);

/** Append to `segments`, which must have room, unless the segment wraps or is empty. */
void
binary_add_segment(struct binary *binary, struct binary_segment segment);

/** Set `data` or `broken` of a section from its offset and size. */
void
binary_section_data(const struct binary *binary, struct binary_section *section);

/** A copy of the NUL-terminated text at `offset` of the file, before `end`; "": none. */
const char *
binary_text(struct binary *binary, uint64_t offset, uint64_t end);

/** Fail for want of memory. */
enum error_code
binary_no_memory(const struct binary *binary, struct error *error);

#endif
