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

/**
 * The modules' own files: executables, libraries and their debug files.
 *
 * `struct binary` is one file that was read, ELF or PE; it never changes, and any
 * thread may look at it. `struct binaries` are the files of one crash: found in
 * directories, matched with what the dump says of each module, opened when somebody
 * asks. Bytes that come from them were not in the dump: callers say so.
 */

enum binary_format {
	BINARY_ELF,
	BINARY_PE,
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

struct binary {
	struct arena arena;
	struct file file;
	enum binary_format format;
	enum binary_use use;
	unsigned word_size;		/* 4 or 8 */
	bool big_endian;
	uint16_t machine;		/* e_machine, or Machine of PE */
	/* ELF: the build id in hex. PE: timestamp and image size as "%08X%x". Empty: none. */
	const char *id;
	uint64_t linked_base;		/* the address that the module's base was linked at */
	const uint8_t *image;		/* the file's bytes as they are mapped, by its offsets */
	bool debug_only;		/* its code was stripped away: it has no segments */
	struct binary_segment *segments;	/* by address, without overlap */
	size_t segment_count;
	struct binary_section *sections;	/* in the table's order */
	size_t section_count;
};

/**
 * Read a file's tables. ERROR_NOT_FOUND where it is neither ELF nor PE; ERROR_FORMAT
 * where it is one and cannot be read, or where support for it was not built in.
 * `*binary` is the caller's, to be given to binary_close.
 */
enum error_code
binary_open(struct binary **binary, const char *path, struct error *error);

/** The same for the `size` bytes at `data`, which are copied; `name` stands in places. */
enum error_code
binary_from_memory(struct binary **binary, const char *name, const void *data, size_t size,
		   struct error *error);

/** Release a binary. Harmless on NULL. */
void
binary_close(struct binary *binary);

/**
 * The first section of `type` (0: of any) with `name` (NULL: with any), or NULL. Look at
 * `data` before using it: there may be no bytes, and they may be compressed.
 */
const struct binary_section *
binary_section(const struct binary *binary, uint32_t type, const char *name);

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

/** The table of the architecture that a file's code is for; never NULL. */
const struct arch *
binary_arch(const struct binary *binary);

/**
 * A crash without threads or memory whose only module is the file, at the address that it was
 * linked for: so all that knows the modules of a crash knows a file by itself. `crash` borrows
 * `binary` and `path`; to be freed. False when out of memory.
 */
bool
binary_as_crash(const struct binary *binary, const char *path, struct crash *crash);

struct binaries;
struct debuginfod;
struct sframes;

/** Which file of a module is wanted. */
enum binaries_kind {
	BINARIES_IMAGE,			/* with the code that ran */
	BINARIES_DEBUG,			/* with what debuggers want; may be the image itself */
	BINARIES_MINI,			/* the symbols that the image has in .gnu_debugdata */
	BINARIES_SUPPLEMENT,		/* what dwz moved out of the debug file, for several files */
	BINARIES_KINDS
};

/**
 * Files of `crash`, which outlives them, are looked for in `directories`. A file is known
 * by its place in one:
 *
 *	NAME, PATH/OF/NAME		of the module's path
 *	.build-id/xx/yyyy[.debug]	build ids as distributions install them
 *	xxyyyy/executable, debuginfo	the cache of debuginfod
 *	NAME/ID/NAME			symbol servers, ID as Breakpad or Microsoft write it
 *	PATH/OF/LINK, LINK		LINK the name in the image's .gnu_debuglink, also in .debug/
 *	.dwz/LINK			LINK the name in the debug file's .gnu_debugaltlink; also
 *					its path from the debug file's folder
 *
 * The files that a .gnu_debuglink names are also looked for beside the image, and must have the
 * checksum that it says; a supplement must have the build id that the debug file says.
 *
 * A directory may also be one plain file, for the module that it identifies or is named
 * after. NULL when out of memory.
 */
struct binaries *
binaries_create(const struct crash *crash, const char *const *directories, size_t count);

/**
 * Look into this machine's own directories, too, behind all others: / and /usr/lib/debug. There a
 * file counts only where the dump says its id, and another build in its place is no message. Once,
 * before anything is loaded.
 */
void
binaries_add_system(struct binaries *binaries);

/**
 * Take `binary` as the file of loaded module `module`: only what belongs to it is looked for then.
 * It is theirs from here on. Once, before anything is loaded.
 */
void
binaries_give(struct binaries *binaries, size_t module, struct binary *binary);

/**
 * Ask these servers, which outlive it, for what is found nowhere else; none on NULL. Once, before
 * anything is loaded. From then on a module's files are settled when binaries_ask or
 * binaries_settle was called for it; before that binaries_load gives what there is.
 */
void
binaries_add_servers(struct binaries *binaries, struct debuginfod *servers);

/** Called with how far it is; false stops. `total` is 0 where it is not known. */
typedef bool binaries_progress(void *context, const char *host, uint64_t bytes, uint64_t total);

/**
 * Ask the servers for those files of a module that nobody has found: the image, a debug file where
 * the image has no debug information, its supplement. Blocks, without holding up others; any
 * thread may call. False where `progress` stopped it: then the module is not settled.
 */
bool
binaries_ask(struct binaries *binaries, size_t module, binaries_progress *progress, void *context);

/** Nobody will ask for a module's files: what is there is all. */
void
binaries_settle(struct binaries *binaries, size_t module);

/** Close every file. Harmless on NULL. */
void
binaries_free(struct binaries *binaries);

/** Whether any directory or file was given, or a server. False on NULL. */
bool
binaries_configured(const struct binaries *binaries);

/** Whether this machine's own are among them (binaries_add_system). False on NULL. */
bool
binaries_in_system(const struct binaries *binaries);

/** Whether servers are asked (binaries_add_servers). False on NULL. */
bool
binaries_asks_servers(const struct binaries *binaries);

/** Whether a directory or file is one that was given, however it is written. False on NULL. */
bool
binaries_has(const struct binaries *binaries, const char *path);

/** What was wrong so far. NULL has none. */
const struct message_list *
binaries_messages(const struct binaries *binaries);

/**
 * The file of loaded module `module` of the crash, opened on the first call; NULL where
 * there is none. Any thread may call this. NULL on NULL.
 */
const struct binary *
binaries_load(struct binaries *binaries, size_t module, enum binaries_kind kind);

/** The same; `*settled` says whether no other file will come from a server. */
const struct binary *
binaries_try(struct binaries *binaries, size_t module, enum binaries_kind kind, bool *settled);

/** The same of a file that was opened already, else NULL: nothing is looked for. */
const struct binary *
binaries_peek(const struct binaries *binaries, size_t module, enum binaries_kind kind);

/** Bytes of a module's file as they stand in the process's memory. */
struct binary_run {
	const struct binary *binary;
	uint64_t base;			/* address of the first one */
	uint64_t size;
	const uint8_t *data;
	uint64_t offset;		/* of the first one in the file */
};

/**
 * The run of bytes that the program could not write which holds `address`, from the file of
 * the module that holds it. False where there is none. It lives as long as `binaries`.
 */
bool
binaries_run(struct binaries *binaries, uint64_t address, struct binary_run *run);

/** The SFrame sections of the crash's modules (sframes.h); NULL on NULL. */
struct sframes *
binaries_sframes(const struct binaries *binaries);

/** Bytes of a debug identifier with its end. */
#define BINARY_DEBUG_ID 34

/** The debug identifier that a file's symbol file is kept under: its build id as a GUID, age 0. */
void
binary_debug_id(const struct binary *binary, char id[BINARY_DEBUG_ID]);

/**
 * Copy up to `size` bytes of the process's memory at `address` from the file of the module
 * that holds it; returns how many there are from there on, 0 where none. Only what the
 * program could not write is read. `place` (may be NULL) gets where they stand.
 */
size_t
binaries_read(struct binaries *binaries, uint64_t address, uint8_t *buffer, size_t size,
	      struct place *place);

#endif
