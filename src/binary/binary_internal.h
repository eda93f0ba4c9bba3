/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_BINARY_INTERNAL_H
#define BINARY_BINARY_INTERNAL_H

#include "base/limits.h"
#include "base/reader.h"
#include "binary/binary.h"

/**
 * Declarations shared by the readers of ELF, Mach-O and PE. A reader fills a `struct binary` whose
 * file is open; on failure the caller frees its contents.
 */

/** Read the tables of an ELF file. ERROR_NOT_FOUND if it is not one. */
enum error_code
elf_read(struct binary *binary, struct error *error);

/**
 * Read the tables of a Mach-O file. In a fat file, read the part for `wanted` (a machine number of
 * ELF; 0: any), or else the first part. ERROR_NOT_FOUND: neither kind of file.
 */
enum error_code
mach_read(struct binary *binary, uint16_t wanted, struct error *error);

/** Read the tables of a PE file. ERROR_NOT_FOUND if it is not one. */
enum error_code
pe_read(struct binary *binary, struct error *error);

/** Set `debug_id` and `debug_file`; the segments must be sorted. */
void
pe_read_codeview(struct binary *binary);

/** Record each table that a PE file refers to but lacks; the segments must be sorted. */
void
pe_check(struct binary *binary);

/** Bytes that a loader maps: a segment of ELF or Mach-O, or the headers or a section of PE. */
struct binary_piece {
	uint64_t address;		/* relative to the first piece */
	uint64_t offset, size;		/* place in the file */
	bool executable;
};

/** Maximum number of pieces: Windows allows 96 sections, ELF files have under 20 segments. */
#define BINARY_PIECES 128u

/**
 * List the pieces of a file in the order of its table. `head` has the first bytes of the file.
 * Returns the number of pieces; 0: another kind of file.
 */
size_t
elf_pieces(const struct reader *head, struct binary_piece pieces[BINARY_PIECES]);

size_t
mach_pieces(const struct reader *head, struct binary_piece pieces[BINARY_PIECES]);

size_t
pe_pieces(const struct reader *head, struct binary_piece pieces[BINARY_PIECES]);

/**
 * Take over the bytes of `file` and the list of its known ranges (NULL: all), and read the tables.
 * `arch` selects the part of a fat file (NULL: any). On failure everything is freed.
 */
enum error_code
binary_finish(struct binary **binary, struct file *file, struct binary_memory *memory,
	      const struct arch *arch, struct error *error);

/** The number of bytes from an offset to the end of the file, or of the known range around it. */
uint64_t
binary_known(const struct binary *binary, uint64_t offset);

/** Append to `segments`, which must have room. Ignores a segment that is empty or wraps around. */
void
binary_add_segment(struct binary *binary, struct binary_segment segment);

/** Set `data` or `broken` of a section from its offset and size. */
void
binary_section_data(const struct binary *binary, struct binary_section *section);

/** A copy of the NUL-terminated text at `offset` of the file; "" if it reaches `end`. */
const char *
binary_text(struct binary *binary, uint64_t offset, uint64_t end);

/** Fail because memory is exhausted. */
enum error_code
binary_no_memory(const struct binary *binary, struct error *error);

#endif
