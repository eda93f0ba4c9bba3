/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_SYSTEM_TREE_H
#define TESTS_UNIT_SYSTEM_TREE_H

#include <fcntl.h>
#include <unistd.h>

#include "tests/lib/tap.h"

/** Write a file of the tree that a test makes; a failure is a diagnostic. */
static inline void
tree_put(const char *path, const char *text, mode_t mode)
{
	const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	if (descriptor < 0 || write(descriptor, text, strlen(text)) != (ssize_t)strlen(text))
		tap_diag("cannot write %s", path);
	close(descriptor);
}

#endif
