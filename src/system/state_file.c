/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/state_file.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include "system/directory.h"

enum {
	LOCK_TRIES = 50,
	LOCK_PAUSE = 10,	/* milliseconds between two attempts */
};

int
state_file_lock(const char *directory)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/lock", directory) >= (int)sizeof(path) ||
	    !directory_make_above(path, 0700))
		return -1;
	const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	for (int tries = 0; file >= 0 && tries < LOCK_TRIES; tries++) {
		if (flock(file, LOCK_EX | LOCK_NB) == 0)
			break;
		poll(NULL, 0, LOCK_PAUSE);
	}
	return file;
}

bool
state_file_write(const char *path, void (*write)(void *context, FILE *file), void *context)
{
	char draft[PATH_MAX];

	if (snprintf(draft, sizeof(draft), "%s.%ld", path, (long)getpid()) >= (int)sizeof(draft) ||
	    !directory_make_above(draft, 0700))
		return false;
	/* In a container a killed run may have had this process ID, and so this draft's name. */
	unlink(draft);
	const int descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	if (file == NULL) {
		if (descriptor >= 0)
			close(descriptor);
		return false;
	}
	write(context, file);
	const bool failed = ferror(file) != 0;
	if (fclose(file) == 0 && !failed && rename(draft, path) == 0)
		return true;
	unlink(draft);
	return false;
}
