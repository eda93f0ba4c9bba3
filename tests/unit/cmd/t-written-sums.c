/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files that commands write for all recorded and bundled crashes and lessons do not change
 * unnoticed: their names and bytes have the checksums of tests/unit/cmd/written.txt
 * (UNSPOOL_ACCEPT=1 writes it anew).
 */
#define _XOPEN_SOURCE 700
#include <config.h>

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "tests/unit/cmd/sums.h"

#if defined(HAVE_CAPSTONE) && defined(HAVE_DEMANGLER)
#define LIBRARIES CAPSTONE_NAME ", " DEMANGLER_NAME
#else
#define LIBRARIES "those of this build"
#endif

static const char *const crashes[] = {
	"tests/differential/recorded/*/crash.dmp",
	"data/crashes/*/crash.dmp",
	"data/lessons/*/crash.dmp",
};

/* Commands that write files; the output, the crash and the files in its folder are added. */
static const char *const commands[] = {
	"export-case --frame 0",
	"export-case --frame 1",
	"export-case --frame 2 --redact",
	"export-case --frame 0 --methods frame-pointer,stack-scan",
	"export-case --frame 1 --methods code,frame-table,sframe",
	"sanitize",
	"sanitize --unused absent",
	"sanitize --keep stacks,paths",
	"sanitize --keep locals",
	"export-core",
};

/* The folder to which commands write, and the checksum of its files. */
static char output[512];
static uint64_t sum;
static size_t written;

static int
add_file(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	static char bytes[65536];
	FILE *in = kind == FTW_F ? fopen(path, "rb") : NULL;
	uint64_t own = hash_bytes(HASH_START, path + strlen(output), strlen(path + strlen(output)));

	(void)status;
	(void)walk;
	for (size_t size; in != NULL && (size = fread(bytes, 1, sizeof(bytes), in)) > 0;
	     written += size)
		own = hash_bytes(own, bytes, size);
	if (in != NULL)
		fclose(in);
	sum += own;	/* a sum does not depend on the order of the folder */
	return 0;
}

static int
remove_file(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(path);
}

static void
write_sums(FILE *out, const char *top, const char *path)
{
	char folder[1024], name[1100], line[1024];

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	snprintf(name, sizeof(name), "%s/symbols", folder);
	const bool symbols = access(name, F_OK) == 0;
	snprintf(name, sizeof(name), "%s/binaries", folder);
	const bool binaries = access(name, F_OK) == 0;
	for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
		snprintf(line, sizeof(line), "%s --output %s crash.dmp%s%s", commands[i], output,
			 symbols ? " symbols" : "",
			 binaries ? " --binaries binaries --no-system-binaries" : "");
		free(run_command(folder, text_of(line)));
		sum = HASH_START;
		written = 0;
		nftw(output, add_file, 8, FTW_PHYS);
		nftw(output, remove_file, 8, FTW_PHYS | FTW_DEPTH);
		fprintf(out, "%016llx %zu %s: %s\n", (unsigned long long)sum, written,
			folder + strlen(top) + 1, commands[i]);
	}
}

int
main(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(output, sizeof(output), "%.400s/unspool-written.XXXXXX",
		 base != NULL ? base : "/tmp");
	if (!ok(mkdtemp(output) != NULL, "a folder is made"))
		return done_testing();
	strncat(output, "/out", sizeof(output) - strlen(output) - 1);
	sums_check("tests/unit/cmd/written.txt", LIBRARIES, crashes, ARRAY_COUNT(crashes),
		   write_sums);
	*strrchr(output, '/') = '\0';
	remove(output);
	return done_testing();
}
