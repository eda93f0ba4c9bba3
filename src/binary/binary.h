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

struct pdb;
struct reader;

/**
 * The modules' own files: executables, libraries and their debug files.
 *
 * `struct binary` is one file that was read, ELF, PE or PDB; it never changes, and any
 * thread may look at it.
 */

enum binary_format {
	BINARY_ELF,
	BINARY_PE,
	BINARY_PDB,
};

/** What a file is for. */
enum binary_use {
	BINARY_LOADED,			/* a program or a library, or what was split off from one */
	BINARY_RELOCATABLE,		/* to be linked: its sections have no addresses yet */
	BINARY_CORE,			/* a core dump */
};

/** A run of bytes that the loader maps and the program cannot write. */
struct binary_segment {
	uint64_t address;		/* counted from the module's base address */
	uint64_t size;			/* bytes that the file has */
	uint64_t offset;		/* of the first one in the file */
	bool executable;
};

/** A section as the section table tells of it. */
struct binary_section {
	const char *name;		/* as stored; never NULL */
	uint32_t type;			/* sh_type of ELF; 0 in PE */
	uint64_t flags;			/* sh_flags, or the characteristics of PE */
	uint64_t address;		/* as linked; PE: counted from the image's base */
	uint64_t size;			/* as the table says */
	uint64_t offset;		/* of its bytes in the file */
	const uint8_t *data;		/* its bytes; NULL where they are not in the file */
	bool no_bits;			/* it has a size but no bytes (.bss, debug files) */
	bool compressed;		/* `data` begins with a compression header */
	bool broken;			/* its bytes are not within the file */
};

/** There are no more problems of a PE file's tables. */
#define BINARY_PROBLEMS 12

struct binary {
	struct arena arena;
	struct file file;
	const char *plain_name;		/* the path as it would be without compression */
	enum binary_format format;
	enum binary_use use;
	unsigned word_size;		/* 4 or 8 */
	bool big_endian;
	uint16_t machine;		/* e_machine, or Machine of PE */
	/* ELF: the build id in hex. PE: timestamp and image size as "%08X%x". PDB: its debug
	 * identifier. Empty: none. */
	const char *id;
	/* Of the PDB that belongs to a PE file, or a PDB's; else "" */
	const char *debug_id;
	const char *debug_file;		/* the path of that PDB as the linker wrote it; else "" */
	struct pdb *pdb;		/* of a PDB */
	uint64_t linked_base;		/* the address that the module's base was linked at */
	const uint8_t *image;		/* the file's bytes as they are mapped, by its offsets */
	bool packed;			/* libelf would unpack some of its sections */
	bool debug_only;		/* its code was stripped away: it has no segments */
	bool has_tls;			/* it has data that each thread has of its own: */
	uint64_t tls_size, tls_alignment;	/* of that of one thread */
	struct binary_segment *segments;	/* by address, without overlap */
	size_t segment_count;
	struct binary_section *sections;	/* in the table's order */
	size_t section_count;
	bool sections_ascend;		/* by their addresses */
	/*
	 * A program of Go, by what its linker writes of the build (debug/buildinfo). Its functions
	 * keep no registers for their callers, whatever the ABI of the system says.
	 */
	bool go;
	struct file_problem problems[BINARY_PROBLEMS];	/* of the tables of a PE file */
	size_t problem_count;
};

/**
 * Read a file's tables; it may be compressed, by itself or in a cabinet. ERROR_NOT_FOUND where it
 * is none of them; ERROR_FORMAT where it is one and cannot be read, or where support for it was
 * not built in. `*binary` is the caller's, to be given to binary_close.
 */
enum error_code
binary_open(struct binary **binary, const char *path, struct error *error);

/** binary_open() for the `size` bytes at `data`, which are copied; `name` stands in places. */
enum error_code
binary_from_memory(struct binary **binary, const char *name, const void *data, size_t size,
		   struct error *error);

/** What the first bytes of a file say that it is. */
enum binary_kind {
	BINARY_KIND_OTHER,
	BINARY_KIND_OWN,		/* ELF, PE or PDB: binary_open reads it, or says why not */
	BINARY_KIND_MACH,		/* Mach-O, which is not read */
};

enum binary_kind
binary_kind_of(const char *path);

/** Whether the file has all bytes that its tables, or the blocks of a PDB, say. */
bool
binary_is_whole(const struct binary *binary);

/** Release a binary. Harmless on NULL. */
void
binary_close(struct binary *binary);

/**
 * The first section of `type` (0: of any) with `name` (NULL: with any), or NULL. Look at
 * `data` before using it: there may be no bytes, and they may be compressed.
 */
const struct binary_section *
binary_section(const struct binary *binary, uint32_t type, const char *name);

/** What the address of a section lacks to be that which the file was linked for. */
static inline uint64_t
binary_section_bias(const struct binary *binary)
{
	return binary->format == BINARY_PE ? binary->linked_base : 0;
}

/**
 * The section whose bytes are loaded around `address`, of ELF as linked, of PE from the image's
 * base on; NULL where there is none, or it has no bytes or compressed ones.
 */
const struct binary_section *
binary_section_at(const struct binary *binary, uint64_t address);

/**
 * Whether the section table of a PE file has `address`, counted from the image's base, in data: in
 * the section that begins last before it, or behind its bytes, no instruction may run. False where
 * none begins before it, for other files, and where sections do not ascend as the format demands.
 */
bool
binary_is_data(const struct binary *binary, uint64_t address);

/** The segment that holds `address`, counted from the module's base, or NULL. */
const struct binary_segment *
binary_segment(const struct binary *binary, uint64_t address);

/**
 * Copy up to `size` bytes at `address`, counted from the module's base, as the loader maps
 * them; returns how many there are from there on. `place` (may be NULL) gets where they
 * stand in the file.
 */
size_t
binary_read(const struct binary *binary, uint64_t address, uint8_t *buffer, size_t size,
	    struct place *place);

/** What says which build a file is. */
struct binary_identity {
	enum binary_format format;
	const char *id, *debug_id;	/* as struct binary has them; NULL: not known */
};

static inline struct binary_identity
binary_identity(const struct binary *binary)
{
	return (struct binary_identity){ binary->format, binary->id, binary->debug_id };
}

/** Bytes that binary_other_target fills at most. */
#define BINARY_OTHER_TARGET 96

/** The table of the architecture that a file's code is for; never NULL. */
const struct arch *
binary_arch(const struct binary *binary);

/**
 * Why a symbol file whose MODULE record says this system and processor describes no such file, a
 * clause in `buffer`; NULL: it may.
 */
const char *
binary_other_target(const struct binary *binary, struct text os, const struct arch *arch,
		    char buffer[static BINARY_OTHER_TARGET]);

/**
 * A crash without threads or memory whose only module is the file, at the address that it was
 * linked for: so all that reads modules of a crash reads a single file, too. `crash` borrows
 * `binary` and `path`; to be freed. False when out of memory.
 */
bool
binary_as_crash(const struct binary *binary, const char *path, struct crash *crash);

/** Bytes of a debug identifier with its end. */
#define BINARY_DEBUG_ID 41

/**
 * The first 16 bytes of an id in hex as the digits of a GUID, in the order that Breakpad writes.
 */
void
binary_guid(const char *id, char guid[BINARY_DEBUG_ID]);

/**
 * Where a file has code: its sections with instructions.
 *
 * What a linker drops stays in debug information, at address 0 or so (--gc-sections), and must
 * not be taken for what is there now.
 */
struct code_range {
	uint64_t low, high;		/* as linked; `high` is behind it */
};

struct code_ranges {
	struct code_range *items;	/* by address */
	size_t count;
};

/** List the code of a file; `items` lives in `arena`. None when out of memory. */
void
code_ranges_read(struct code_ranges *ranges, const struct binary *binary, struct arena *arena);

/** The code that holds an address, or NULL. */
const struct code_range *
code_ranges_at(const struct code_ranges *ranges, uint64_t address);

/** A reader over the whole file in its byte order. */
struct reader
binary_reader(const struct binary *binary);

#endif
