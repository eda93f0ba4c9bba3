/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_CORE_H
#define DUMP_CORE_H

#include "dump/context/context.h"
#include "dump/minidump_internal.h"

/**
 * Shared by the files of ELF cores. A core's notes and program headers are its streams. They have
 * rows in stream.def and are described like the streams of a minidump.
 */

enum core_stream {
	CORE_SEGMENTS = CORE_STREAMS,	/* the program headers */
	CORE_OTHER,			/* a note without a name */
#define NOTE(id, ...) CORE_##id,
#include "dump/core_note.def"
	CORE_ARGUMENTS, CORE_ENVIRONMENT,	/* strings of the process (core_strings.c) */
};

struct core_segment {
	uint32_t type, flags;
	uint64_t offset, address, file_size, memory_size, alignment;
};

#define CORE_PT_LOAD 1u
#define CORE_PT_DYNAMIC 2u
#define CORE_PT_NOTE 4u
#define CORE_EXECUTABLE 1u

/** The fields of an ELF header that are used. */
struct core_header {
	uint16_t type, machine, size, segment_size, segment_count, section_size, section_count;
	uint32_t version, flags;
	uint64_t entry, segments, sections;
};

struct core_file {
	uint64_t start, end, offset;	/* addresses; offset of the first byte in the file */
	const char *path;		/* path in the file; ends with NUL */
	struct place place;
};

struct core {
	struct core_file *files;	/* sorted by address */
	size_t file_count, file_capacity;
	size_t thread_capacity, module_capacity, stream_capacity;
	uint64_t notes_read;		/* bytes of module notes read so far */
	bool has_signal;		/* NT_SIGINFO was read */
	const char *process;		/* name of the process; NULL: unknown */
	const char *foreign;		/* the system that the notes belong to; NULL: Linux */
	uint64_t vdso, program_name, linker;	/* from AT_...; 0: absent */
	bool halfwords;			/* longs are aligned to 2 bytes: m68k */
};

/** The fields of an ELF file's header and of a program header, for 32 and 64 bits. */
extern const struct structure core_header_structures[2], core_segment_structures[2];

/**
 * Read the owner, type and bytes of the note at `*at`, and advance `*at` to the next note. False:
 * no complete note follows. Names and contents are padded to 4 bytes.
 */
bool
core_next_note(const struct reader *window, uint64_t *at, struct text *owner, uint32_t *type,
	       struct reader *bytes);

/**
 * Bytes of a long and of an address in the notes of a core and in the headers of its modules. For
 * x32 and N32 these are fewer than the bytes of the architecture's addresses. In other dumps: the
 * bytes of an address.
 */
unsigned
core_word(const struct crash *crash);

/** The layout of NT_PRSTATUS on an architecture with longs of `word` bytes, or NULL. */
const struct context_layout *
core_context_layout(const struct arch *arch, unsigned word);

/**
 * The architecture of a core by its machine, its word size, and the size of its first NT_PRSTATUS
 * (0: unknown). Only this size distinguishes N32 from o32.
 */
const struct arch *
core_arch(unsigned machine, unsigned word, uint64_t status_size);

/** Properties of cores of an architecture, in addition to the layout of registers. */
struct core_abi {
	uint16_t status_size;		/* bytes of a whole NT_PRSTATUS */
	bool narrow_ids;		/* user ids of NT_PRPSINFO have 2 bytes */
	uint32_t header_flags;		/* e_flags */
	/* Flags of a minidump context that has the contents of NT_PRSTATUS */
	uint32_t context_parts;
};

const struct core_abi *
core_abi(const struct arch *arch);

/** Parts of a minidump's context that a note of a core has in the same form. */
struct core_floats {
	const char *layout;		/* name of the context's layout */
	enum core_stream note;
	uint16_t size;			/* bytes of the note */
	uint32_t flag;			/* context flag that is set if the registers exist */
	struct {
		uint16_t context, note, size;
	/* Place of each part in the context and in the note; size 0: none */
	} parts[3];
};

/** Find the next row for a context's layout, and advance `*at` to it. NULL: no further row. */
const struct core_floats *
core_floats_of(const char *layout, size_t *at);

/**
 * Describe the notes with floating point and vector registers of a thread. The thread's NT_PRSTATUS
 * is at offset `status`.
 */
void
core_describe_processor(struct describe *describe, uint64_t status);

/** The layouts of a note with other registers than NT_PRSTATUS; the list ends with NULL. */
const struct structure *const *
core_float_forms(const struct arch *arch, uint32_t stream);

/** Add a stream to the directory. */
void
core_add_stream(struct minidump *minidump, struct stream stream);

/** Find the arguments and the environment in the memory, and add each as a stream. */
void
core_find_strings(struct minidump *minidump);

/** Find the modules in NT_FILE, the vDSO, and the modules in the dynamic linker's list. */
void
core_find_modules(struct minidump *minidump);

#endif
