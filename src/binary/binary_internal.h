/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_BINARY_INTERNAL_H
#define BINARY_BINARY_INTERNAL_H

#include "base/limits.h"
#include "base/reader.h"
#include "binary/binary.h"

/**
 * What the readers of ELF and PE share. A reader fills a `struct binary` whose file is
 * open; on failure the caller frees what is there.
 */

/** The tables of an ELF file. ERROR_NOT_FOUND where the file is none. */
enum error_code
elf_read(struct binary *binary, struct error *error);

/** The tables of a PE file. ERROR_NOT_FOUND where the file is none. */
enum error_code
pe_read(struct binary *binary, struct error *error);

/** Set `debug_id` and `debug_file`, once the segments are in order. */
void
pe_read_codeview(struct binary *binary);

/** Note which tables of a PE file are not in it, once the segments are in order. */
void
pe_check(struct binary *binary);

/** Add a segment to `segments`, which has the room; one that wraps or has no bytes is left out. */
void
binary_add_segment(struct binary *binary, struct binary_segment segment);

/** Set `data`, or say that the section is broken, from its offset and size. */
void
binary_section_data(const struct binary *binary, struct binary_section *section);

/** The NUL-terminated text at `offset` of the file before `end`, copied; "" where there is none. */
const char *
binary_text(struct binary *binary, uint64_t offset, uint64_t end);

/** Fail for want of memory. */
enum error_code
binary_no_memory(const struct binary *binary, struct error *error);

#endif
