/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "base/place.h"

/**
 * The bytes of a file, unchanging for as long as it is open.
 *
 * Files up to LIMIT_READ_WHOLE, pipes and standard input are read into memory;
 * larger ones are mapped. A mapped file that somebody truncates meanwhile reads
 * as zeros behind its new end instead of killing the program, and `file_truncated`
 * says so.
 */
struct file {
	struct input input;	/* input.name is a copy owned by the file */
	const uint8_t *data;
	uint64_t size;
	struct timespec modified;	/* of the file when it was opened; zero for a pipe */
	bool mapped;
};

/** Open `path`, or standard input for "-". On failure `file` is empty and `error` is set. */
enum error_code
file_open(struct file *file, const char *path, struct error *error);

/** Release the bytes. Harmless on an empty file. */
void
file_close(struct file *file);

/** Whether a mapped file has lost bytes since it was opened. */
bool
file_truncated(const struct file *file);

#endif
