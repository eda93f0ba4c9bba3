/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * As t-sums, of cores of real programs with their files, which have DWARF and no symbol files
 * (tests/batch/locals): what commands print of them did not change unseen.
 */
#include <config.h>

#include <glob.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "tests/lib/accepted.h"
#include "tests/unit/cmd/run.h"

#define ACCEPTED "tests/unit/cmd/core-sums.txt"

/* What outputs depend on besides the program: instructions, rows of libdw, demangled names. */
#if defined(HAVE_CAPSTONE) && defined(HAVE_DWARF) && defined(HAVE_DEMANGLER) && defined(HAVE_ZLIB)
#define LIBRARIES CAPSTONE_NAME ", " DWARF_NAME ", " DEMANGLER_NAME
#else
#define LIBRARIES "these, some of which were left out"
#endif

/* With the options for a core and its program behind each. */
static const char *const commands[] = {
	"walk --json --pretty",
	"walk --stack",
	"walk --policy frame-tables=0",
	"walk --policy frame-tables=0 --policy code=0 --json",
	"walk --policy code-wins=1 --stack",
	"walk --compat breakpad",
	"walk --compat rust-minidump --json",
	"summary",
	"explain --all-methods --frame 0",
	"explain --all-methods --frame 1",
	"explain --all-methods --frame 2",
	"explain --json --frame 1",
	"explain --prose --frame 0",
	"explain --methods code --frame 1",
	"explain --methods stack-scan --frame 0",
	"locals --json",
	"disassemble --frame 1",
	"stack --thread 0 --frame 1",
};

static void
write_sums(FILE *out, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	const size_t arch = strcspn(name, ".");
	char folder[1024], line[1024];

	snprintf(folder, sizeof(folder), "%.*s", (int)(name - path), path);
	for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
		snprintf(line, sizeof(line), "%s --no-system-binaries --binaries %.*s %s",
			 commands[i], (int)arch, name, name);
		char *text = run_command(folder, text_of(line));
		const size_t length = text != NULL ? strlen(text) : 0;

		fprintf(out, "%016llx %zu %s\n",
			(unsigned long long)hash_bytes(HASH_START, text, length), length, line);
		free(text);
	}
}

int
main(void)
{
	const char *srcdir = getenv("srcdir");

	if (!accepted_with(ACCEPTED, LIBRARIES)) {
		skip(1, "the sums were accepted with other libraries than " LIBRARIES);
		return done_testing();
	}
	run_begin();
	char *top = realpath(srcdir != NULL ? srcdir : ".", NULL), *said = NULL, pattern[1024];
	glob_t found = { 0 };
	size_t size;
	FILE *out = open_memstream(&said, &size);

	fputs(LIBRARIES "\n", out);
	snprintf(pattern, sizeof(pattern), "%s/tests/batch/locals/*.core.gz", top);
	if (top != NULL && glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			write_sums(out, found.gl_pathv[i]);
	globfree(&found);
	fclose(out);
	if (top != NULL && chdir(top) == 0)
		is_as_accepted(said, ACCEPTED);
	free(said);
	free(top);
	return done_testing();
}
