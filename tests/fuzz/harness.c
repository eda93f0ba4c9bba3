/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/fuzz/harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fault/damage.h"

const struct harness harnesses[] = {
#define HARNESS(name, harness, mutator, dictionary, most, what) \
	{ name, fuzz_##harness, mutate_##mutator, words_##dictionary, most, what },
#include "tests/fuzz/harness.def"
#undef HARNESS
};

const size_t harness_count = ARRAY_COUNT(harnesses);

const struct harness *
harness_named(const char *name)
{
	for (size_t i = 0; i < harness_count; i++)
		if (strcmp(harnesses[i].name, name) == 0)
			return &harnesses[i];
	return NULL;
}

static bool single;

unsigned
fuzz_parts(const uint8_t *bytes, size_t size, unsigned count)
{
	size_t at = size / 2;

	/* A byte in the middle chooses: few changes of an input change it. */
	while (at + 1 < size && bytes[at] == 0)
		at++;
	return single && size > 0 && bytes[at] % 16 != 0 ? 1u << bytes[at] % count : (1u << count) - 1;
}

_Noreturn void
fuzz_fail(const char *wrong)
{
	dprintf(STDERR_FILENO, "finding: %s\n", wrong);
	abort();
}

/* The results of fuzz_path. */
static struct arena paths;
static char *folder;

static void
remove_folder(void)
{
	/* The names of files that a harness may leave in the folder. */
	static const char *const names[] = { "out", "symbols" };

	arena_free(&paths);
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		unlink(names[i]);
	if (chdir("/") == 0)
		rmdir(folder);
}

void
harness_begin(bool one_part)
{
	static const char *const kept_out[] = {
		"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "DEBUGINFOD_URLS", "_NT_SYMBOL_PATH",
		"UNSPOOL_BINARIES", "UNSPOOL_SYMBOLS", "UNSPOOL_SYMBOLS_URL", "http_proxy", "VISUAL",
	};

	for (size_t i = 0; i < ARRAY_COUNT(kept_out); i++)
		unsetenv(kept_out[i]);
	const char *parent = getenv("TMPDIR");
	if (asprintf(&folder, "%s/unspool-fuzz.XXXXXX", parent != NULL ? parent : "/tmp") < 0 ||
	    mkdtemp(folder) == NULL || chdir(folder) != 0)
		fuzz_fail("no folder can be made in $TMPDIR or /tmp");
	single = one_part;
	setenv("HOME", folder, 1);
	setenv("EDITOR", "true", 1);
	atexit(remove_folder);
}

const char *
fuzz_file(enum fuzz_file which, const void *bytes, size_t size)
{
	static struct {
		int descriptor;
		char path[40];
	} files[FUZZ_FILES];

	if (files[which].path[0] == '\0') {
		files[which].descriptor = memfd_create("unspool-fuzz", MFD_CLOEXEC);
		snprintf(files[which].path, sizeof(files[which].path), "/proc/self/fd/%d", files[which].descriptor);
	}
	if (ftruncate(files[which].descriptor, 0) != 0 || pwrite(files[which].descriptor, bytes, size, 0) != (ssize_t)size)
		fuzz_fail("a file in memory cannot be written");
	return files[which].path;
}

const char *
fuzz_path(const char *name)
{
	const char *srcdir = getenv("srcdir");
	const char *path = arena_format(&paths, "%s/%s", srcdir != NULL ? srcdir : ".", name);

	if (path == NULL || access(path, R_OK) != 0)
		fuzz_fail("a file of the source tree is missing: is srcdir its absolute path?");
	return path;
}

static void
look(void *context, const char *bytes, size_t length)
{
	(void)context;
	if (damage_has_control(bytes, length))
		fuzz_fail("a control character is printed");
}

const struct output fuzz_output = { .write = look };
