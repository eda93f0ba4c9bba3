/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BINARY_BINARY_H
#define BINARY_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "system/file.h"
#include "base/message.h"
#include "crash/crash.h"

struct memory_view;
struct pdb;
struct reader;

/**
 * Files of modules: executables, libraries and their debug files.
 *
 * A `struct binary` is an ELF, Mach-O, PE or PDB file that was read. It never changes, so any
 * thread may use it.
 */

enum binary_format {
	BINARY_ELF,
	BINARY_MACH,
	BINARY_PE,
	BINARY_PDB,
};

/** A program header of an ELF file. */
struct elf_segment {
	uint64_t offset, address, file_size, memory_size;
};

/**
 * Find the first program header of a type in the bytes of an ELF file, or in those of its image in
 * a process. False: none.
 */
bool
elf_find_segment(const struct reader *image, uint32_t type, struct elf_segment *segment);

enum binary_use {
	BINARY_LOADED,			/* an executable or library, or its split-off debug file */
	BINARY_RELOCATABLE,		/* an object file: its sections have no addresses yet */
	BINARY_CORE,
};

/** A range of bytes that the loader maps and the program cannot write. */
struct binary_segment {
	uint64_t address;		/* relative to the module's base */
	uint64_t size;			/* bytes that are in the file */
	uint64_t offset;		/* offset of the first byte in the file */
	bool executable;
};

/** A row of the section table. */
struct binary_section {
	/* never NULL; a Mach-O section has the name of the same section in ELF, if any */
	const char *name;
	uint32_t type;			/* sh_type of ELF; else 0 */
	uint64_t flags;			/* sh_flags, flags of Mach-O, characteristics of PE */
	uint64_t address;		/* as linked; PE: relative to the image's base */
	uint64_t size;			/* size from the table */
	uint64_t offset;		/* offset of its bytes in the file */
	/* Mach-O: index of the first stub or slot in the indirect symbol table */
	uint32_t first_symbol;
	uint32_t stub_size;		/* Mach-O: bytes of a stub */
	const uint8_t *data;		/* its bytes; NULL: not in the file */
	bool no_bits;			/* it has a size but no bytes (.bss, debug files) */
	bool compressed;		/* `data` begins with a compression header */
	bool broken;			/* the section's bytes are not within the file */
};

/** Bytes of a file that were copied from the memory of a process; the rest is unknown. */
struct binary_memory {
	uint64_t base;			/* address of the module's first byte */
	size_t count;
	struct binary_known {
		uint64_t offset, size;	/* place in the file */
	} items[];			/* sorted by offset, without overlaps */
};

/** Maximum number of recorded problems of a PE file's tables. */
#define BINARY_PROBLEMS 12

struct binary {
	struct arena arena;
	struct file file;
	const char *plain_name;		/* path without its compression suffix */
	enum binary_format format;
	enum binary_use use;
	unsigned word_size;		/* in bytes: 4 or 8 */
	bool big_endian;
	uint16_t machine;		/* e_machine (ELF, Mach-O) or Machine (PE) */
	bool arm64e;			/* Mach-O: its code signs pointers */
	/*
	 * ELF: build ID in hex. Mach-O: UUID. PE: "%08X%x" of time stamp and image size. PDB:
	 * debug ID. "": none.
	 */
	const char *id;
	/* debug identifier of a PDB, of a PE file's PDB or of a Mach-O file; else "" */
	const char *debug_id;
	const char *debug_file;	/* path of a PE file's PDB as the linker wrote it; else "" */
	struct pdb *pdb;		/* for a PDB; else NULL */
	uint64_t linked_base;		/* link-time address of the module's base */
	/* Relative to the base: the entry point (ELF; 0: none) and the end of segments (not PE) */
	uint64_t entry, extent;
	const uint8_t *image;		/* the bytes of the file */
	bool debug_only;		/* the code was stripped, so there are no segments */
	bool has_tls;
	uint64_t tls_size, tls_alignment;	/* size and alignment of one thread's data */
	struct binary_segment *segments;	/* sorted by address, without overlaps */
	size_t segment_count;
	struct binary_section *sections;	/* in the table's order */
	size_t section_count;
	bool sections_ascend;
	/* ELF: the file has no section table; its program headers gave the sections */
	bool sections_inferred;
	struct binary_memory *memory;	/* ranges copied from a process; NULL: read from a file */
	/*
	 * A Go program, according to its build information (debug/buildinfo). Its functions
	 * preserve no registers, regardless of the system's ABI.
	 */
	bool go;
	struct file_problem problems[BINARY_PROBLEMS];
	size_t problem_count;
};

/**
 * Read the tables of a file, which may be compressed or in a cabinet. ERROR_NOT_FOUND: not such a
 * file; ERROR_FORMAT: unreadable, or support is not built in. Free `*binary` with binary_close.
 */
enum error_code
binary_open(struct binary **binary, const char *path, struct error *error);

/** Like binary_open(); in a fat Mach-O file, reads the part for `arch`, else the first part. */
enum error_code
binary_open_for(struct binary **binary, const char *path, const struct arch *arch,
		struct error *error);

/** Like binary_open(), from a copy of the `size` bytes at `data`; places refer to `name`. */
enum error_code
binary_from_memory(struct binary **binary, const char *name, const void *data, size_t size,
		   struct error *error);

/**
 * Read the tables of the image that a process had at `base`. The bytes come from a dump and are
 * arranged as in the image's file. ERROR_NOT_FOUND: `memory` has no image there, or lacks part of
 * its code. Subtracts the image's size from `*budget`, because hostile images may share their
 * bytes. Places refer to `name`.
 */
enum error_code
binary_from_process(struct binary **binary, const char *name, const struct memory_view *memory,
		    uint64_t base, uint64_t *budget, struct error *error);

/** Whether binary_from_process() finds an image with all of its code. */
bool
binary_in_process(const struct memory_view *memory, uint64_t base);

/** The kind of a file by its first bytes. */
enum binary_kind {
	BINARY_KIND_OTHER,
	BINARY_KIND_OWN,		/* binary_open reads it, or reports why it cannot */
};

enum binary_kind
binary_kind_of(const char *path);

/** Whether the file has all bytes that its tables, or the blocks of a PDB, refer to. */
bool
binary_is_whole(const struct binary *binary);

/** Release a binary. Harmless on NULL. */
void
binary_close(struct binary *binary);

/**
 * The first section of `type` (0: any) with `name` (NULL: any), or NULL. Check `data` before use:
 * it may be NULL or compressed.
 */
const struct binary_section *
binary_section(const struct binary *binary, uint32_t type, const char *name);

/** Whether an ELF file has neither DWARF nor a table of all its functions. */
bool
binary_is_stripped(const struct binary *binary);

/** The bytes of `section` (or NULL) after its first `skip`; none if missing or compressed. */
struct reader
binary_section_bytes(const struct binary *binary, const struct binary_section *section,
		     uint64_t skip);

/** The linked address of a section minus its address in struct binary. */
static inline uint64_t
binary_section_bias(const struct binary *binary)
{
	return binary->format == BINARY_PE ? binary->linked_base : 0;
}

/**
 * The section with uncompressed bytes at `address`; NULL: none. The address is relative to the
 * image's base in PE files, else as linked.
 */
const struct binary_section *
binary_section_at(const struct binary *binary, uint64_t address);

/**
 * Whether `address`, relative to a PE image's base, is data: the last section that begins at or
 * before it is not executable. That section may end before `address`. False for files that are not
 * PE, if no section begins at or before `address`, and if sections are not sorted by address.
 */
bool
binary_is_data(const struct binary *binary, uint64_t address);

/** The segment that contains `address`, relative to the module's base, or NULL. */
const struct binary_segment *
binary_segment(const struct binary *binary, uint64_t address);

/**
 * Copy up to `size` bytes at `address`, relative to the module's base, as the loader maps them.
 * Returns the number of bytes copied. `place` (or NULL) gets their place in the file.
 */
size_t
binary_read(const struct binary *binary, uint64_t address, uint8_t *buffer, size_t size,
	    struct place *place);

/** The identifiers of a file's build. */
struct binary_identity {
	enum binary_format format;
	const char *id, *debug_id;	/* as in struct binary; NULL: unknown */
};

static inline struct binary_identity
binary_identity(const struct binary *binary)
{
	return (struct binary_identity){ binary->format, binary->id, binary->debug_id };
}

/** Size of the buffer of binary_other_target. */
#define BINARY_OTHER_TARGET 96

/** The architecture of a file's code; never NULL. */
const struct arch *
binary_arch(const struct binary *binary);

/**
 * A clause in `buffer` that says why a symbol file for this system and processor (as in its MODULE
 * record) does not belong to the file. NULL: it may belong.
 */
const char *
binary_other_target(const struct binary *binary, struct text os, const struct arch *arch,
		    char buffer[static BINARY_OTHER_TARGET]);

/**
 * Make a crash from a single file, so that code for crashes works for it, too. The crash has no
 * threads and no memory. Its only module is the file at its linked address. `crash` borrows
 * `binary` and `path`; free `crash`. False when out of memory.
 */
bool
binary_as_crash(const struct binary *binary, const char *path, struct crash *crash);

/**
 * Whether a file's entry point is that of the crash's program. The file may then be the program,
 * even if the first module has no ID to compare. False if the dump has no entry point.
 */
bool
binary_is_program(const struct binary *binary, const struct crash *crash);

/** Bytes of a debug identifier with its terminator. */
#define BINARY_DEBUG_ID 41

/** Write the first 16 bytes of a hexadecimal ID as a GUID, in Breakpad's order. */
void
binary_guid(const char *id, char guid[BINARY_DEBUG_ID]);

/**
 * The code of a file: its sections with instructions.
 *
 * If a linker drops functions (--gc-sections), their debug information stays, at or near address 0.
 * These functions must not be mistaken for existing code.
 */
struct code_range {
	uint64_t low, high;		/* as linked; `high` is exclusive */
};

struct code_ranges {
	struct code_range *items;	/* sorted by address */
	size_t count;
};

/** List the code of a file; `items` lives in `arena`. Empty when out of memory. */
void
code_ranges_read(struct code_ranges *ranges, const struct binary *binary, struct arena *arena);

/** The code range that contains an address, or NULL. */
const struct code_range *
code_ranges_at(const struct code_ranges *ranges, uint64_t address);

/** A reader over the whole file in its byte order. */
struct reader
binary_reader(const struct binary *binary);

#endif
