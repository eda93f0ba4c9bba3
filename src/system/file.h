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

/** The compression of a file; see system/inflate.h. */
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
 * The bytes of a file, which do not change while the file is open.
 *
 * Files up to LIMIT_READ_WHOLE, pipes and standard input are read into memory; larger files are
 * mapped. If a mapped file is truncated, bytes after its new end read as zeros instead of killing
 * the program, and `file_truncated` returns true. If lost bytes were read, file_close notes a
 * shortage (system/shortage.h).
 */
struct file {
	struct input input;	/* input.name is a copy owned by the file */
	const uint8_t *data;
	uint64_t size;
	/* Time of the file's last change before it was opened; zero for a pipe */
	struct timespec modified;
	/* The file's inode when it was opened; another file may have the same time */
	ino_t inode;
	bool mapped;
	bool borrowed;		/* the bytes are the caller's */
	uint64_t anonymous;	/* bytes of the anonymous mapping that contains `data`; else 0 */
	enum inflate_kind kind;	/* how the file was compressed before file_inflate */
	uint64_t stored;	/* bytes of the compressed file */
	bool cut;		/* a pipe had more bytes than were read */
};

/**
 * Returns how many bytes to read of an input that begins with `head`. If `stored` is 0, the input
 * is a pipe; else it is the content of `stored` compressed bytes. Returns 0 if `head` is enough.
 */
typedef uint64_t file_most(const uint8_t *head, uint64_t size, uint64_t stored);

/** For symbol files, which are text. A large one from a pipe must begin like a symbol file. */
file_most file_most_symbols;

/**
 * Open `path`, or standard input for "-". On failure `file` is empty and `error` says why,
 * without the name. A pipe or device may have up to LIMIT_READ_WHOLE bytes.
 */
enum error_code
file_open(struct file *file, const char *path, struct error *error);

/**
 * file_open(), but a plain file of more than `whole` bytes is mapped, and `most` limits the bytes
 * read from a pipe (NULL: LIMIT_READ_WHOLE).
 */
enum error_code
file_open_most(struct file *file, const char *path, uint64_t whole, file_most *most,
	       struct error *error);

/**
 * Copy `length` bytes at `offset` to `to`. A mapped file is read with pread(2), to save page
 * tables. False if the file no longer has them. Several threads may call.
 */
bool
file_read_at(const struct file *file, uint64_t offset, void *to, size_t length);

/** The current identity of the mapped file; false if it is not mapped. */
bool
file_status(const struct file *file, struct stat *status);

/** file_open(), but reads only the first `most` bytes of a plain file. */
enum error_code
file_open_head(struct file *file, const char *path, uint64_t most, struct error *error);

/**
 * Open the first `most` bytes of the content of a plain file. Compressed content is decompressed if
 * that yields any bytes. file->kind is the kind of compression. False: `path` is no plain file, or
 * is unreadable.
 */
bool
file_open_content(struct file *file, const char *path, uint64_t most);

/**
 * Replace "~" in the paths "~" and "~/..." by the home directory of the environment. Returns the
 * path itself if nothing is replaced, else a path in `arena`; NULL when out of memory.
 */
const char *
file_expand_home(struct arena *arena, const char *path);

/** A file of bytes that the caller keeps; false when out of memory. */
bool
file_borrow(struct file *file, const char *name, const void *bytes, size_t size);

/**
 * Replace compressed bytes by their decompressed content. The first bytes of the content decide the
 * limit (`most`). False if the bytes are not compressed or yield no output: then the file is
 * unchanged. `result` has the reason for the end; the file owns its bytes. Later offsets in the
 * file count decompressed bytes.
 */
bool
file_inflate(struct file *file, file_most *most, struct inflated *result);

/** Release the bytes. Harmless on an empty file. */
void
file_close(struct file *file);

/** Whether a mapped file has lost bytes since it was opened. */
bool
file_truncated(const struct file *file);

/** stat(2); a failure for reasons other than the path is noted (system/shortage.h). */
bool
file_stat(const char *path, struct stat *status);

/**
 * Whether `path` is a plain file, or a link to one. Check this before opening a file that the user
 * did not name: opening a pipe would wait for its writer.
 */
bool
file_is_plain(const char *path);

/**
 * Whether an open file is a plain file with data. False for a file of the kernel, as in /proc:
 * reading it may have effects. Also returns the state of the file in `status`.
 */
bool
file_is_data(int descriptor, struct stat *status);

/**
 * Why a path from an input has no data: it is missing, a device, a pipe or a file of the kernel;
 * NULL: it may be opened. Also returns the file's state in `status`.
 */
const char *
file_why_no_data(const char *path, struct stat *status);

/** Whether a path has the name of a source file: its ending, or a header's directory. */
bool
file_has_source_name(const char *path);

/** The identity and state of a path's file, which change when it is written or replaced. */
struct identity {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified;
};

/** The identity in `status`. */
struct identity
identity_of(const struct stat *status);

/** The identity of the file at `path` now; all zeros if there is none. */
struct identity
identity_at(const char *path);

bool
identity_equal(const struct identity *one, const struct identity *other);

#endif
