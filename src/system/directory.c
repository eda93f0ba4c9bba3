/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/directory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "system/door.h"
#include "system/file.h"

static const struct {
	const char *variable, *below_home;
} bases[] = {
	[DIRECTORY_CACHE] = { "XDG_CACHE_HOME", ".cache" },
	[DIRECTORY_CONFIG] = { "XDG_CONFIG_HOME", ".config" },
	[DIRECTORY_STATE] = { "XDG_STATE_HOME", ".local/state" },
};

const char *
directory_of_user(struct arena *arena, enum directory_kind kind, const char *name)
{
	const char *base = getenv(bases[kind].variable), *home = getenv("HOME");

	/* The specification says that a relative path must be ignored. */
	if (base != NULL && base[0] == '/')
		return arena_format(arena, "%s/%s", base, name);
	/* Do not create a missing home directory such as /nonexistent. */
	return home != NULL && home[0] == '/' && directory_exists(home)
		       ? arena_format(arena, "%s/%s/%s", home, bases[kind].below_home, name) : NULL;
}

bool
directory_exists(const char *path)
{
	struct stat status;

	return file_stat(path, &status) && S_ISDIR(status.st_mode);
}

bool
directory_make_above(const char *path, unsigned mode)
{
	char part[PATH_MAX];
	const size_t length = strlen(path);

	errno = ENAMETOOLONG;
	if (length == 0 || length >= sizeof(part))
		return false;
	memcpy(part, path, length + 1);
	for (char *slash = part; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
		*slash = '\0';
		if (door_make_directory(part, mode) != 0 && errno != EEXIST)
			return false;
	}
	return true;
}
