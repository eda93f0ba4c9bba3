/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_IDENTITY_H
#define SYSTEM_IDENTITY_H

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

/**
 * Which file stands under a path and in which state: whoever wrote to it since, or put another
 * one in its place, has changed that.
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
