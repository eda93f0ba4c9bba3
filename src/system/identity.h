/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_IDENTITY_H
#define SYSTEM_IDENTITY_H

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

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
