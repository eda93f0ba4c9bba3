/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/identity.h"

struct identity
identity_of(const struct stat *status)
{
	return (struct identity){ .device = status->st_dev, .inode = status->st_ino,
				  .size = status->st_size, .modified = status->st_mtim };
}

struct identity
identity_at(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? identity_of(&status) : (struct identity){ 0 };
}

bool
identity_equal(const struct identity *one, const struct identity *other)
{
	return one->device == other->device && one->inode == other->inode &&
	       one->size == other->size &&
	       one->modified.tv_sec == other->modified.tv_sec &&
	       one->modified.tv_nsec == other->modified.tv_nsec;
}
