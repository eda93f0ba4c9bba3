/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole command lines: parsed, run and printed. */
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cmd/cmd.h"
#include "tests/fuzz/harness.h"

#define MOST_WORDS 32

/* The command lines. @ is the input, + the symbols of all bundled crashes, and $ the bundled crash
 * whose symbol file the input replaces. Files are written to `out`, which is removed before. */
static const char *const lines[] = {
	"walk @ +", "walk --json --pretty @ +", "walk --compat breakpad @ +", "walk --compat breakpad --machine --stack @ +",
	"walk --compat rust-minidump @ +", "walk --stack --fold --redact @ +", "walk --format html @ +", "walk --against $ @ +",
	"summary @ +", "report @ +", "report --format html @ +", "explain @ +", "explain --prose @ +",
	"explain --all-methods --frame 1 @ +", "explain --json --frame 0 @ +", "explain --svg @ +", "stack --all @ +",
	"stack --registers --json @ +", "locals @ +", "register-history --register pc --json @ +", "disassemble @ +", "find --all @ + 0x40",
	"identify @ + $rsp 401000", "cfi --frame 0 @ +", "sanitize --list --output out @ +",
	"sanitize --json --keep stacks --output out @ +", "export-core --output out @", "export-minidump --output out @", "symbols @ +",
	"symbols --json @ +", "streams --hex @", "streams --json @", "sframe @", "sframe --json --rules @", "unwind-check @",
	"unwind-check --code @", "lookup @ 1000", "lookup --json @ 1000 1145", "cfi --at 1000 @", "cfi --json --rules --at 1145 @",
	"repair @", "lint --all --no-demangle @", "lint --json @", "lint --sarif @", "symdiff --lines @ @",
	"symdiff --by-address --json @ @", "dump-syms --threads 1 @", "sframe --from @ --force --output out", "walk $ @",
	"explain --all-methods $ @", "walk --compat rust-minidump $ @", "summary --signature-rules @ $",
};

size_t
fuzz_command_count(void)
{
	return ARRAY_COUNT(lines);
}

static ssize_t
look(void *context, const char *bytes, size_t length)
{
	(void)context;
	fuzz_output.write(fuzz_output.context, bytes, length);
	return (ssize_t)length;
}

/* Split a line into words and put paths in; the words point into `line`. */
static int
make_words(char *line, const char *input, const char **words)
{
	static const char *dump, *symbols[2];
	char *rest = NULL;
	int count = 0;

	if (dump == NULL) {
		dump = fuzz_path("data/crashes/frame-data-x86/crash.dmp");
		symbols[0] = fuzz_path("data/crashes/frame-data-x86/symbols");
		symbols[1] = fuzz_path("data/crashes/inlines-amd64/symbols");
	}
	for (char *word = strtok_r(line, " ", &rest); word != NULL && count < MOST_WORDS - 5; word = strtok_r(NULL, " ", &rest)) {
		if (strcmp(word, "+") == 0) {
			words[count++] = symbols[0];
			words[count++] = symbols[1];
			continue;
		}
		words[count++] = strcmp(word, "@") == 0	  ? input : strcmp(word, "$") == 0 ? dump : word;
	}
	return count;
}

/* True if the command may read files of this machine, which would make runs differ. */
static bool
takes_binaries(const struct cmd_command *command)
{
	return (command->groups & CMD_GROUP_INPUT) != 0;
}

void
fuzz_commands(const uint8_t *bytes, size_t size)
{
	static const cookie_io_functions_t printed = { .write = look };
	const char *words[MOST_WORDS];

	if (size == 0)
		return;
	/* A checker of the output replaces the C library's standard output. */
	stdout = fopencookie(NULL, "w", printed);
	char *line = strdup(lines[bytes[0] % ARRAY_COUNT(lines)]);
	if (stdout == NULL || line == NULL)
		fuzz_fail("out of memory");
	int count = make_words(line, fuzz_file(FUZZ_DUMP, bytes + 1, size - 1), words);
	unlink("out");
	for (size_t i = 0; i < cmd_command_count; i++) {
		const struct cmd_command *command = cmd_commands[i];
		if (strcmp(command->name, words[0]) != 0)
			continue;
		/* One process runs many commands, and a sandbox cannot be left again. */
		words[count++] = "--no-sandbox";
		if (takes_binaries(command)) {
			words[count++] = "--no-system-binaries";
			words[count++] = "--no-cache";
		}
		struct cmd_options *options = cmd_parse(command, (size_t)count - 1, words + 1);
		if (options == NULL)
			fuzz_fail("a command line of the harness is wrong");
		cmd_run(options);
		cmd_options_free(options);
	}
	free(line);
	fclose(stdout);
}
