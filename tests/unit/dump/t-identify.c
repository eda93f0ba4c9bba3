/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/compiler.h"
#include "dump/dump.h"
#include "tests/lib/tap.h"

static void
test_kinds(void)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *kind, *advice;
	} cases[] = {
		{ "", 0, "empty", "disk" },
		{ "MD", 2, "text", "MDMP" },
		{ "\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0", 18, "ELF program", "dump_syms" },
		{ "\x7f" "ELF", 4, "ELF program", "dump_syms" },
		/* Breakpad's writer of microdumps has the first line of one as a string. */
		{ "\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0-----BEGIN BREAKPAD MICRODUMP-----",
		  53, "ELF program", "dump_syms" },
		{ "Microsoft C/C++ MSF 7.00\r\n\x1a" "DS\0\0\0", 32, "a PDB", "dump_syms" },
		{ "\xcf\xfa\xed\xfe\7\0\0\1", 8, "Mach-O", "dump_syms" },
		{ "MZ\x90\0", 4, "Windows program", "minidump" },
		{ "PAGEDU64", 8, "kernel dump", "WinDbg" },
		{ "\x1f\x8b\x08\0\0", 5, "gzip", "gzip -t" },
		{ "\x28\xb5\x2f\xfd", 4, "zstd", "zstd -t" },
		{ "\xfd" "7zXZ\0", 6, "xz", "xz -t" },
		{ "\x04\x22\x4d\x18", 4, "lz4", "lz4" },
		{ "PK\3\4", 4, "zip", "unpack" },
		{ "MODULE Linux x86_64 0 a\n", 24, "Breakpad symbol file", "as its symbols" },
		{ "{\"app_name\":\"x\",\"bug_type\":\"309\"}\n", 34, "Apple crash report",
		  "no memory" },
		{ "{\"x\":1,\"bug_type\":\"309\"}\n", 25, "Apple crash report", "no memory" },
		{ "Incident Identifier: 1\n", 23, "Apple crash report", "no memory" },
		{ "just text\n", 10, "text", "MDMP" },
		{ "\1\2\3\0\xff", 5, "unknown kind", "MDMP" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct error error;
		struct crash crash;

		is_u64(dump_from_memory(&crash, "dir/x.dmp", cases[i].bytes, cases[i].size, 0,
					&error),
		       ERROR_FORMAT, "a file of kind '%s' is no minidump", cases[i].kind);
		ok(strstr(error.text, cases[i].kind) != NULL, "the error says so: %s", error.text);
		ok(strstr(error.hint, cases[i].advice) != NULL, "and what to do: %s", error.hint);
		crash_free(&crash);
	}
}

int
main(void)
{
	test_kinds();
	return done_testing();
}
