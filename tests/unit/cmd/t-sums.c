/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What commands print of all recorded and bundled crashes and lessons did not change unseen: checksum and
 * length of each output are those of tests/unit/cmd/sums.txt (UNSPOOL_ACCEPT=1 writes it anew). Where a
 * line differs, compare what its command prints with what the last version printed.
 */
#include <config.h>

#include <glob.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "tests/lib/accepted.h"
#include "tests/unit/cmd/run.h"

/* Crashes, and where their symbols are beside them. */
static const char *const crashes[] = {
	"tests/differential/recorded/*/crash.dmp",
	"data/crashes/*/crash.dmp",
	"data/lessons/*/crash.dmp",
};

/* @ is the crash, + its symbols. */
static const char *const commands[] = {
	"walk --json --pretty @ +",
	"walk --stack @ +",
	"walk --fold --stack @ +",
	"walk --fold --json @ +",
	"walk --compat breakpad @ +",
	"walk --compat breakpad --machine --stack @ +",
	"walk --compat rust-minidump @ +",
	"walk --compat rust-minidump --json @ +",
	"walk --compat rust-minidump --brief @ +",
	"walk --methods frame-pointer,stack-scan @ +",
	"walk --methods stack-scan @ +",
	"walk --methods code,stack-cfi --json @ +",
	"walk --policy stack-only=1 --thread 0 @ +",
	"walk --format markdown --stack @ +",
	"walk --format html @ +",
	"walk --redact --json @ +",
	"walk --against @ --policy public-names=0 @ +",
	"walk --against @ --json @ +",
	"summary @ +",
	"summary --redact @ +",
	"report @ +",
	"report --format html @ +",
	"stack --all @ +",
	"stack --all --json @ +",
	"stack --registers --thread 0 --frame 0 @ +",
	"explain --prose --frame 0 @ +",
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
};

/* The words of a command with files in their places. */
static void
make_line(char *line, size_t size, const char *command, bool has_symbols)
{
	size_t used = 0;

	for (; *command != '\0' && used + 16 < size; command++)
		if (*command == '@')
			used += (size_t)snprintf(line + used, size - used, "crash.dmp");
		else if (*command == '+')
			used += (size_t)snprintf(line + used, size - used,
						 has_symbols ? "symbols" : "crash.dmp");
		else
			line[used++] = *command;
	line[used] = '\0';
}

static void
write_sums(FILE *out, const char *top, const char *path)
{
	char folder[1024], symbols[1100], line[256];

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	snprintf(symbols, sizeof(symbols), "%s/symbols", folder);
	const bool has_symbols = access(symbols, F_OK) == 0;
	for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
		/* The crash by itself where there are no symbols; lint is for those. */
		if (!has_symbols && strncmp(commands[i], "lint", 4) == 0)
			continue;
		make_line(line, sizeof(line), commands[i], has_symbols);
		char *text = run_command(folder, text_of(line));
		const size_t length = text != NULL ? strlen(text) : 0;

		fprintf(out, "%016llx %zu %s: %s\n",
			(unsigned long long)hash_bytes(HASH_START, text, length), length,
			folder + strlen(top) + 1, line);
		free(text);
	}
}

int
main(void)
{
	const char *srcdir = getenv("srcdir");

	run_begin();
	char *top = realpath(srcdir != NULL ? srcdir : ".", NULL), *said = NULL, pattern[1024];
	size_t size;
	FILE *out = open_memstream(&said, &size);

#if !defined(HAVE_CAPSTONE) || !defined(HAVE_DEMANGLER) || !defined(HAVE_DWARF)
	skip(1, "capstone, libiberty or libdw was left out: outputs have instructions, names and rows");
	return done_testing();
#endif
	for (size_t i = 0; top != NULL && i < ARRAY_COUNT(crashes); i++) {
		glob_t found = { 0 };

		snprintf(pattern, sizeof(pattern), "%s/%s", top, crashes[i]);
		if (glob(pattern, 0, NULL, &found) == 0)
			for (size_t k = 0; k < found.gl_pathc; k++)
				write_sums(out, top, found.gl_pathv[k]);
		globfree(&found);
	}
	fclose(out);
	if (top != NULL && chdir(top) == 0)
		is_as_accepted(said, "tests/unit/cmd/sums.txt");
	free(said);
	free(top);
	return done_testing();
}
