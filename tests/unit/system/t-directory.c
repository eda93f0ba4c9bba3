/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/tap.h"

/* The folders for a user's files (XDG Base Directory Specification), and their creation. */

static void
set(const char *variable, const char *value)
{
	if (value == NULL)
		unsetenv(variable);
	else
		setenv(variable, value, 1);
}

TEST(of_user)
{
	static const struct {
		enum directory_kind kind;
		const char *variable, *value, *home, *path;
	} cases[] = {
		{ DIRECTORY_CACHE, "XDG_CACHE_HOME", "/c", "/tmp", "/c/u/x" },
		{ DIRECTORY_CACHE, "XDG_CACHE_HOME", NULL, "/tmp", "/tmp/.cache/u/x" },
		{ DIRECTORY_CONFIG, "XDG_CONFIG_HOME", "/c", NULL, "/c/u/x" },
		{ DIRECTORY_CONFIG, "XDG_CONFIG_HOME", "", "/tmp", "/tmp/.config/u/x" },
		{ DIRECTORY_STATE, "XDG_STATE_HOME", "/s", "/tmp", "/s/u/x" },
		{ DIRECTORY_STATE, "XDG_STATE_HOME", "s", "/tmp", "/tmp/.local/state/u/x" },
		{ DIRECTORY_STATE, "XDG_STATE_HOME", "s", "h", NULL }, { DIRECTORY_STATE, "XDG_STATE_HOME", NULL, "/dev/null/h", NULL },
		{ DIRECTORY_STATE, "XDG_STATE_HOME", NULL, NULL, NULL },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		set(cases[i].variable, cases[i].value);
		set("HOME", cases[i].home);
		is_str(directory_of_user(&arena, cases[i].kind, "u/x"), cases[i].path,
		       "%s=%s and HOME=%s lead to %s", cases[i].variable, cases[i].value == NULL ? "(unset)" : cases[i].value,
		       cases[i].home == NULL ? "(unset)" : cases[i].home, cases[i].path == NULL ? "no path" : cases[i].path);
	}
	arena_free(&arena);
}

static bool
is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

TEST(make_above)
{
	static char longest[70000];
	char folder[] = "unspool-directory.XXXXXX";
	struct stat status;

	if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
		ok(false, "a temporary directory can be made");
		return;
	}
	ok(directory_make_above("a/b/file", 0700) && is_directory("a/b"), "both missing directories above a relative path are made");
	ok(access("a/b/file", F_OK) != 0, "the last part is not made");
	ok(stat("a/b", &status) == 0 && (status.st_mode & 0777) == 0700, "directories get the rights that were asked for");
	ok(directory_make_above("a/b/c/file", 0700) && is_directory("a/b/c"), "existing directories are kept");
	ok(directory_make_above("file", 0700), "above a plain name there is nothing to make");
	ok(rmdir("a/b/c") == 0 && creat("a/b/c", 0600) >= 0 && !directory_make_above("a/b/c/d/file", 0700) && errno == ENOTDIR,
	   "a file in the place of a directory is an error, with errno");
	memset(longest, '/', sizeof(longest) - 1);
	ok(!directory_make_above(longest, 0700) && errno == ENAMETOOLONG, "a path longer than the system's limit is an error");
	ok(!directory_make_above("", 0700), "an empty path is an error");
	ok(unlink("a/b/c") == 0 && rmdir("a/b") == 0 && rmdir("a") == 0 && chdir("..") == 0 && rmdir(folder) == 0, "nothing else was made");
}
