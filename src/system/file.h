/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_FILE_H
#define SYSTEM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/place.h"

/** How the bytes of a file are compressed; see system/inflate.h. */
enum inflate_kind {
	INFLATE_NONE,
	INFLATE_GZIP,
	INFLATE_ZSTD,
	INFLATE_XZ,
	INFLATE_LZ4,
	INFLATE_CABINET,
	INFLATE_KIND_COUNT
};

struct inflated;

/**
 * The bytes of a file, unchanging for as long as it is open.
 *
 * Files up to LIMIT_READ_WHOLE, pipes and standard input are read into memory;
 * larger ones are mapped. A mapped file that is truncated meanwhile reads
 * as zeros behind its new end instead of killing the program, `file_truncated`
 * says so, and if lost bytes were read, file_close notes it (system/shortage.h).
 */
struct file {
	struct input input;	/* input.name is a copy owned by the file */
	const uint8_t *data;
	uint64_t size;
	struct timespec modified;	/* of the file when it was opened; zero for a pipe */
	ino_t inode;			/* the same: another file may have the same time */
	bool mapped;
	bool borrowed;		/* the bytes are the caller's */
	uint64_t anonymous;	/* bytes of a mapping without a file that `data` is in; else 0 */
	enum inflate_kind kind;	/* how the file was compressed before file_inflate */
	uint64_t stored;	/* bytes that the compressed file has */
	bool cut;		/* a pipe has more bytes than are read */
};

/**
 * How many bytes an input may have that begins with `head`: of a pipe, or of `stored` compressed
 * bytes (0: not compressed). 0: the head is enough to say what it is.
 */
typedef uint64_t file_most(const uint8_t *head, uint64_t size, uint64_t stored);

/** Of symbol files: text, which must say that it is one if there is much of it. */
file_most file_most_symbols;

/**
 * Open `path`, or standard input for "-". On failure `file` is empty and `error` says why,
 * without the name. A pipe or device may have LIMIT_READ_WHOLE bytes.
 */
enum error_code
file_open(struct file *file, const char *path, struct error *error);

/** file_open() of a module's file: a plain one of more than LIMIT_READ_MODULE is mapped. */
enum error_code
file_open_module(struct file *file, const char *path, struct error *error);

/** file_open(), but a pipe may have as many as `most` says, of which only so many are read. */
enum error_code
file_open_most(struct file *file, const char *path, file_most *most, struct error *error);

/** file_open_most(), but a plain file of more than LIMIT_READ_SMALL is mapped. */
enum error_code
file_open_mapped(struct file *file, const char *path, file_most *most, struct error *error);

/**
 * Copy `length` bytes at `offset` to `to`, of a mapped file by reading it, which costs no page
 * tables. False where the file does not have them any more. Several threads may call.
 */
bool
file_read_at(const struct file *file, uint64_t offset, void *to, size_t length);

/** The identity of the mapped file as it is now; false for one that is not mapped. */
bool
file_status(const struct file *file, struct stat *status);

/** file_open(), but of a plain file only its first `most` bytes. */
enum error_code
file_open_head(struct file *file, const char *path, uint64_t most, struct error *error);

/**
 * A path as a shell would have it: "~" and "~/..." with the home directory of the environment. The
 * path itself where there is nothing to put in, else in `arena`; NULL when out of memory.
 */
const char *
file_expand_home(struct arena *arena, const char *path);

/** A file of bytes that the caller keeps; false when out of memory. */
bool
file_borrow(struct file *file, const char *name, const void *bytes, size_t size);

/**
 * Where the bytes are compressed, put what they decompress to in their place, but no more than
 * `most` says of the first of them. False where
 * they are not, or nothing came out: the file is as before then. `result` says how it ended;
 * its bytes are the file's. Offsets in the file count decompressed bytes from here on.
 */
bool
file_inflate(struct file *file, file_most *most, struct inflated *result);

/** Release the bytes. Harmless on an empty file. */
void
file_close(struct file *file);

/** Whether a mapped file has lost bytes since it was opened. */
bool
file_truncated(const struct file *file);

/** stat(2); a failure that says nothing about the path is noted (system/shortage.h). */
bool
file_stat(const char *path, struct stat *status);

/**
 * Whether a plain file stands under `path`, or behind links there. Of the program's own files only
 * such are opened: opening a pipe would wait for its writer.
 */
bool
file_is_plain(const char *path);

/**
 * Which file a path names, and its state: a write to the file, or another file in its place,
 * changes it.
 */
struct identity {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified;
};

/** The identity that `status` tells. */
struct identity
identity_of(const struct stat *status);

/** The identity of what stands under `path` now; all zeros where nothing does. */
struct identity
identity_at(const char *path);

bool
identity_equal(const struct identity *one, const struct identity *other);

#endif
