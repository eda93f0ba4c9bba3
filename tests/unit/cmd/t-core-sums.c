/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * As t-sums, for cores of real programs with their files, which have DWARF and no symbol files
 * (tests/batch/locals): their output changes only on purpose. Headers of this system are not read.
 */
#include <config.h>

#include "base/compiler.h"
#include "tests/unit/cmd/sums.h"

/* Libraries that affect the output: instructions and demangled names. */
#if defined(HAVE_CAPSTONE) && defined(HAVE_DEMANGLER) && defined(HAVE_ZLIB)
#define LIBRARIES CAPSTONE_NAME ", " DEMANGLER_NAME
#else
#define LIBRARIES "those of this build"
#endif

/* The options for a core and its program follow each command. */
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
	"disassemble --frame 1 --source /usr/include=/dev/null",
	"stack --thread 0 --frame 1",
};

static void
write_sums(FILE *out, const char *top, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char folder[1024], line[1024];

	(void)top;
	snprintf(folder, sizeof(folder), "%.*s", (int)(name - path), path);
	for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
		snprintf(line, sizeof(line), "%s --no-system-binaries --binaries %.*s %s",
			 commands[i], (int)strcspn(name, "."), name, name);
		sums_write(out, folder, line, line);
	}
}

int
main(void)
{
	static const char *const cores[] = { "tests/batch/locals/*.core.gz" };

	sums_check("tests/unit/cmd/core-sums.txt", LIBRARIES, cores, ARRAY_COUNT(cores),
		   write_sums);
	return done_testing();
}
