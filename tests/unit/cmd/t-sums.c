/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The output of commands for all recorded and bundled crashes and lessons does not change
 * unnoticed: its checksums and lengths equal those of tests/unit/cmd/sums.txt (UNSPOOL_ACCEPT=1
 * writes it anew). If a line differs, compare the output of its command with that of the last
 * version.
 */
#include <config.h>

#include "base/compiler.h"
#include "tests/unit/cmd/sums.h"

/* Libraries that affect the output: instructions and demangled names. */
#if defined(HAVE_CAPSTONE) && defined(HAVE_DEMANGLER)
#define LIBRARIES CAPSTONE_NAME ", " DEMANGLER_NAME
#else
#define LIBRARIES "those of this build"
#endif

/* Crashes; the symbols of each are in the same directory. */
static const char *const crashes[] = {
	"tests/differential/recorded/*/crash.dmp",
	"data/crashes/*/crash.dmp",
	"data/lessons/*/crash.dmp",
};

/*
 * @ is the crash, + its symbols, # the modules' own files, ! one of these, % a symbol file and
 * & the symbol file of the crash before.
 */
static const char *const commands[] = {
	"walk --json --pretty @ +",
	"walk --stack @ +",
	"walk --fold --stack @ +",
	"walk --fold --json @ +",
	"walk --compat breakpad @ +",
	"walk --compat breakpad --machine --stack @ +",
	"walk --compat rust-minidump @ +",
	"walk --compat rust-minidump --json @ +",
	"walk --methods frame-pointer,stack-scan @ +",
	"walk --methods stack-scan @ +",
	"walk --methods code,stack-cfi --json @ +",
	"walk --policy stack-only=1 --thread 0 @ +",
	"walk --redact --json @ +",
	"walk --against @ --policy public-names=0 @ +",
	"walk --against @ --json @ +",
	"summary @ +",
	"summary --redact @ +",
	"report @ +",
	"stack --all @ +",
	"stack --all --json @ +",
	"stack --registers --thread 0 --frame 0 @ +",
	"explain --all-methods --frame 0 @ +",
	"explain --all-methods --frame 1 @ +",
	"explain --json --pretty --frame 0 @ +",
	"explain --json --frame 1 @ +",
	"register-history --thread 0 --register rbp @ +",
	"register-history --thread 0 --register ebp --json @ +",
	"register-history --thread 0 --register sp @ +",
	"register-history --thread 0 --register fp --json @ +",
	"teb @ +",
	"streams --json @",
	"streams --hex @",
	"cfi --frame 0 --json @ +",
	"cfi --rules --frame 1 --json @ +",
	"symbols --json @ +",
	"lint +",
	"lint --json +",
	"locals @ +",
	"identify @ + $pc",
	"walk --json # @ +",
	"summary # @ +",
	"explain --all-methods --frame 0 # @ +",
	"explain --frame 1 # @ +",
	"cfi --rules --frame 0 # @ +",
	"walk --json # @",
	"walk --stack # @",
	"walk --fold --policy sframe=0 --policy frame-tables=0 # @ +",
	"walk --compat breakpad # @",
	"explain --all-methods --frame 0 # @",
	"explain --all-methods --frame 1 # @",
	"explain --all-methods --frame 2 # @ +",
	"explain --json --methods sframe --frame 1 # @",
	"explain --methods frame-table --frame 1 # @ +",
	"explain --methods code --frame 1 # @",
	"cfi --rules --frame 1 # @",
	"cfi --rules --frame 2 # @ +",
	"cfi --frame 1 --json # @ +",
	"disassemble --source /usr/include=none --frame 0 # @",
	"disassemble --source /usr/include=none --frame 1 # @ +",
	"locals # @",
	"locals --json # @ +",
	"explain --register sp --frame 0 @ +",
	"locals --globals --steps # @ +",
	"disassemble --source /usr/include=none --frame 0 --json # @ +",
	"disassemble --source /usr/include=none --frame 0 @ +",
	"find @ + $pc",
	"find --all --json @ + 0",
	"identify --frame 1 @ + $sp $pc 0 0x1000",
	"identify --json @ + $pc $sp",
	"teb --json @ +",
	"streams --redact @",
	"symbols @ +",
	"symbols --json # @ +",
	"symbols # @",
	"cfi --frame 0 @ +",
	"lookup % 0 1000 1010 1105 1200",
	"lookup --json % 1000 1010 1105 2000",
	"repair --binary ! %",
	"repair --json --binary ! % @",
	"unwind-check %",
	"unwind-check ! %",
	"unwind-check --all # @ +",
	"unwind-check --frames @ +",
	"unwind-check --json # @ +",
	"symdiff --lines & %",
	"symdiff --by-address --lines --json & %",
	"symdiff --by-name & %",
	"symdiff --json % &",
};

/* The paths for the marks in commands; empty if a crash has no such file. */
struct crash_files {
	const char *symbols, *binaries;
	char file[256], before[256];	/* symbol files */
	char program[256];
};

/* The path for a mark, or NULL if the character is no mark. */
static const char *
file_of(const struct crash_files *files, char mark)
{
	switch (mark) {
	case '@': return "crash.dmp";
	case '+': return files->symbols;
	case '#': return files->binaries;
	case '%': return files->file;
	case '&': return files->before;
	case '!': return files->program;
	default: return NULL;
	}
}

/* Put paths into a command; false if the crash lacks one of them. */
static bool
make_line(char *line, size_t size, const char *command, const struct crash_files *files)
{
	size_t used = 0;

	for (; *command != '\0' && used + 1 < size; command++) {
		const char *file = file_of(files, *command);

		if (file != NULL && file[0] == '\0')
			return false;
		if (file != NULL)
			used += (size_t)snprintf(line + used, size - used, "%s", file);
		else
			line[used++] = *command;
	}
	line[used < size ? used : size - 1] = '\0';
	return true;
}

/* The first file with such a name in subfolders of a folder, as a relative path. */
static void
find_file(const char *folder, const char *name, char path[256])
{
	char pattern[1200];
	glob_t found = { 0 };

	path[0] = '\0';
	snprintf(pattern, sizeof(pattern), "%s/%s", folder, name);
	if (glob(pattern, 0, NULL, &found) == 0)
		snprintf(path, 256, "..%s", found.gl_pathv[0] + (strrchr(folder, '/') - folder));
	globfree(&found);
}

static void
write_sums(FILE *out, const char *top, const char *path)
{
	static struct crash_files files;
	char folder[1024], line[1024], name[1100], title[2100];

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	snprintf(name, sizeof(name), "%s/symbols", folder);
	files.symbols = access(name, F_OK) == 0 ? "symbols" : "";
	snprintf(name, sizeof(name), "%s/binaries", folder);
	files.binaries = access(name, F_OK) == 0 ? "--binaries binaries --no-system-binaries" : "";
	memcpy(files.before, files.file, sizeof(files.before));
	find_file(folder, "symbols/*/*/*.sym", files.file);
	find_file(folder, "binaries/*", files.program);
	for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
		if (!make_line(line, sizeof(line), commands[i], &files))
			continue;
		snprintf(title, sizeof(title), "%s: %s", folder + strlen(top) + 1, line);
		sums_write(out, folder, line, title);
	}
}

int
main(void)
{
	sums_check("tests/unit/cmd/sums.txt", LIBRARIES, crashes, ARRAY_COUNT(crashes),
		   write_sums);
	return done_testing();
}
