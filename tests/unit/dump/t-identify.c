/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "dump/dump.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"

static const struct {
	const char *bytes;
	size_t size;
	const char *kind, *advice;
} cases[] = {
	{ "", 0, "empty", "disk" }, { "MD", 2, "text", "MDMP" },
	{ "\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0", 18, "ELF program", "dump-syms" }, { "\x7f" "ELF", 4, "ELF program", "dump-syms" },
	/* The program that writes microdumps contains their first line as a string. */
	{ "\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0-----BEGIN BREAKPAD MICRODUMP-----", 53, "ELF program", "dump-syms" },
	{ "Microsoft C/C++ MSF 7.00\r\n\x1a" "DS\0\0\0", 32, "a PDB", "as its symbols" },
	{ "Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0", 44, "version 2.0", "dump_syms on Windows" },
	{ "BSJB\1\0\1\0", 8, "a portable PDB", "managed code" }, { "\xcf\xfa\xed\xfe\7\0\0\1", 8, "Mach-O", "as its symbols" },
	{ "dyld_v1  x86_64h", 17, "shared cache", "extracted" },
	{ "MZ\x90\0", 4, "Windows program", "minidump" }, { "PAGEDU64", 8, "kernel dump", "WinDbg" },
	{ "\x1f\x8b\x08\0\0", 5, "gzip", "gzip -t" }, { "\x28\xb5\x2f\xfd", 4, "zstd", "zstd -t" },
	{ "\xfd" "7zXZ\0", 6, "xz", "xz -t" }, { "\x04\x22\x4d\x18", 4, "lz4", "lz4" }, { "PK\3\4", 4, "zip", "unpack" },
	{ "MODULE Linux x86_64 0 a\n", 24, "Breakpad symbol file", "as its symbols" },
	{ "{\"app_name\":\"x\",\"bug_type\":\"309\"}\n", 34, "Apple crash report", "no memory" },
	{ "{\"x\":1,\"bug_type\":\"309\"}\n", 25, "Apple crash report", "no memory" },
	{ "Incident Identifier: 1\n", 23, "Apple crash report", "no memory" },
	{ "Process: x\nException Type: EXC_CRASH\n", 37, "Apple crash report", "no memory" },
	{ "x\n*** *** *** *** *** ***\n", 26, "Android tombstone", "nothing to unwind" }, { "x {\"app_name\"", 13, "text", "MDMP" },
	{ "PAGEDUMP", 8, "kernel dump", "WinDbg" }, { "BZh9", 4, "bzip2", "bzip2 -dc" },
	{ "version https://git-lfs.github.com/spec/v1\n", 43, "Git LFS", "git lfs pull" },
	{ "\xca\xfe\xba\xbe", 4, "several processors", "as its symbols" }, { "\xfe\xed\xfa\xcf", 4, "Mach-O", "as its symbols" },
	{ "\xfe\xed\xfa\xce", 4, "Mach-O", "as its symbols" }, { "\xce\xfa\xed\xfe", 4, "Mach-O", "as its symbols" },
	{ "\x1b[1mbold\x1b[0m\f\t\r\n", 15, "text", "MDMP" },
	{ "a\x01" "b", 3, "unknown kind", "MDMP" }, { "a\0b", 3, "unknown kind", "MDMP" },
	{ "just text\n", 10, "text", "MDMP" }, { "\1\2\3\0\xff", 5, "unknown kind", "MDMP" },
};

TEST_EACH(kinds, cases)
{
	struct error error;
	struct crash crash;

	is_u64(dump_from_memory(&crash, "dir/x.dmp", cases[i].bytes, cases[i].size, 0, &error),
	       ERROR_FORMAT, "a file of kind '%s' is no minidump", cases[i].kind);
	ok(strstr(error.text, cases[i].kind) != NULL, "it names the kind: %s", error.text);
	ok(strstr(error.hint, cases[i].advice) != NULL, "and what to do: %s", error.hint);
	crash_free(&crash);
}

/* A dump of a file is opened by its number; a minidump file has one. */
TEST(index)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct error error = { 0 };
	struct crash crash;
	size_t size;
	uint8_t *bytes = synth_finish(synth, &size);

	for (size_t index = 0; index <= 1; index++) {
		ok(dump_from_memory(&crash, "x.dmp", bytes, size, index, &error) == ERROR_NONE &&
		   crash.dump_index == 1 && crash.dump_count == 1, "dump %zu is the first", index);
		crash_free(&crash);
	}
	is_u64(dump_from_memory(&crash, "x.dmp", bytes, size, 2, &error), ERROR_NOT_FOUND, "there is no second");
	is_str(error.text, "no dump 2, the last one is 1", "the error names the last dump");
	crash_free(&crash);
	free(bytes);
	synth_free(synth);
}

/* The kind of a file, recognised by its first bytes. */
TEST(recognise)
{
	static const struct {
		const char *bytes;
		size_t size;
		bool dump;
	} files[] = {
		{ "MDMP", 4, true }, { "PMDM", 4, true }, { "MDMP\x93\xa7\x12\x34", 8, true },
		{ "PMDM\x12\x34\xa7\x93", 8, true }, { "PMDX", 4, false },
 { "MDM", 3, false }, { "MDMX", 4, false },
		{ "\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0\x3e\0", 20, true },
		{ "\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\x3e\0", 20, false },
		{ "\x7f" "ELF\2\2\1\0\0\0\0\0\0\0\0\0\0\4\0\x08", 20, true }, { "-----BEGIN BREAKPAD MICRODUMP-----\n", 35, true },
		{ "", 0, false }, { "text", 4, false },
		/* gzip of "MDMP", stored. */
		{ "\x1f\x8b\x08\0\0\0\0\0\0\3\1\4\0\xfb\xffMDMP\xd1\xe6\xb4\x53\4\0\0\0", 27, true },
	};
	const char *folder = getenv("TMPDIR");
	char path[4096];

	snprintf(path, sizeof(path), "%s/identify.%ld", folder != NULL ? folder : "/tmp", (long)getpid());
	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		FILE *file = fopen(path, "wb");
		if (file != NULL && fwrite(files[i].bytes, 1, files[i].size, file) == files[i].size)
			fclose(file);
		ok(dump_recognise(path) == files[i].dump, "file %zu is %s", i, files[i].dump ? "a dump" : "none");
	}
	unlink(path);
	ok(!dump_recognise(path) && !dump_recognise("/"), "nor is a missing file or a folder");
}
