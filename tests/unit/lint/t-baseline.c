/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "lint/lint.h"
#include "tests/lib/tap.h"

/* Findings of an earlier run: the parts of their fingerprints, by which they are recognised in
 * another build of a module, and the files in which runs keep fingerprints. */

#define MODULE "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program\n"
#define REST "FILE 0 a.c\nINLINE_ORIGIN 0 inner\nFUNC 1000 20 0 main\n1000 20 1 0\n"
#define INIT(address, size) "STACK CFI INIT " address " " size " .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
#define GOOD MODULE REST INIT("1000", "20")
#define WINDOWS "MODULE windows x86 000102030405060708090A0B0C0D0E0F1 program.pdb\n"

/* Count the findings in `text` whose fingerprints are not among those of `before`. */
static size_t
count_new(const char *before, const char *text)
{
	static const struct lint_options all = { .most = 0 };
	struct lint_baseline baseline = { 0 };
	struct lint_options options = { .baseline = &baseline };
	struct error error;
	struct lint lint;
	uint64_t prints[16];
	size_t count;

	lint_bytes(&lint, "before.sym", before, strlen(before), &all, &error);
	for (; baseline.count < lint.finding_count && baseline.count < ARRAY_COUNT(prints); baseline.count++)
		prints[baseline.count] = lint.findings[baseline.count].fingerprint;
	lint_free(&lint);
	for (size_t i = 1; i < baseline.count; i++)
		for (size_t j = i; j > 0 && prints[j - 1] > prints[j]; j--) {
			const uint64_t swap = prints[j];
			prints[j] = prints[j - 1];
			prints[j - 1] = swap;
		}
	baseline.list = prints;
	lint_bytes(&lint, "after.sym", text, strlen(text), &options, &error);
	count = lint.finding_count;
	lint_free(&lint);
	return count;
}

static const struct {
	const char *title, *before, *text;
	size_t count;
} prints[] = {
	{ "the findings of the same file are known", GOOD "FUNC 2000 10 0 bare\n", GOOD "FUNC 2000 10 0 bare\n", 0 },
	{ "the findings of another build of the module are known", GOOD "FUNC 2000 10 0 bare\n",
	  "MODULE Linux x86_64 100102030405060708090A0B0C0D0E0F0 program\n" REST INIT("1000", "20") "FUNC 2000 10 0 bare\n", 0 },
	{ "those of another module are new", GOOD "FUNC 2000 10 0 bare\n",
	  "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 other\n" REST INIT("1000", "20") "FUNC 2000 10 0 bare\n", 1 },
	{ "a module's name of one letter counts", "MODULE a\n", "MODULE b\n", 2 },
	{ "a function is known at another address and with another size", GOOD "FUNC 2000 10 0 bare\n", GOOD "FUNC 3000 20 0 bare\n", 0 },
	{ "a function is known with other parameters", GOOD "FUNC 2000 10 0 bare\n", GOOD "FUNC 2000 10 8 bare\n", 0 },
	{ "the findings of another function are new", GOOD "FUNC 2000 10 0 bare\n", GOOD "FUNC 2000 10 0 naked\n", 1 },
	{ "a linker symbol is known at another address", GOOD "PUBLIC 1008 0 p\n", GOOD "PUBLIC 100c 0 p\n", 0 },
	{ "the finding of another symbol is new", GOOD "PUBLIC 1008 0 p\n", GOOD "PUBLIC 1008 0 q\n", 1 },
	{ "a delta is known at another address", GOOD "STACK CFI 1008 .cfa: $rsp 20 +\n", GOOD "STACK CFI 100c .cfa: $rsp 20 +\n", 0 },
	{ "the finding of another rule is new", GOOD "STACK CFI 1008 .cfa: $rsp 20 +\n", GOOD "STACK CFI 1008 .cfa: $rsp 28 +\n", 1 },
	{ "the second of two findings that are alike is new",
	  GOOD "STACK CFI 1008 .cfa: $rsp 20 +\n", GOOD "STACK CFI 1008 .cfa: $rsp 20 +\nSTACK CFI 100c .cfa: $rsp 20 +\n", 1 },
	{ "an INIT record is known at another address and with another size",
	  GOOD "STACK CFI INIT 2000 10 .cfa: $rsp 8 +\nPUBLIC 2000 0 p\n",
	  GOOD "STACK CFI INIT 3000 20 .cfa: $rsp 8 +\nPUBLIC 3000 0 p\n", 0 },
	{ "an INIT record with another rule is new", GOOD "STACK CFI INIT 2000 10 .cfa: $rsp 8 +\nPUBLIC 2000 0 p\n",
	  GOOD "STACK CFI INIT 2000 10 .cfa: $rsp 16 +\nPUBLIC 2000 0 p\n", 1 },
	{ "a STACK WIN record is known at another address", WINDOWS "PUBLIC 1000 0 p\nSTACK WIN 2 1000 20 0 0 0 0 0 0 0 0\n",
	  WINDOWS "PUBLIC 1000 0 p\nSTACK WIN 2 2000 30 0 0 0 0 0 0 0 0\n", 0 },
	{ "a STACK WIN record with another prologue is new", WINDOWS "PUBLIC 1000 0 p\nSTACK WIN 2 1000 20 0 0 0 0 0 0 0 0\n",
	  WINDOWS "PUBLIC 1000 0 p\nSTACK WIN 2 1000 20 1 0 0 0 0 0 0 0\n", 1 },
	{ "a line is known by its function alone", GOOD "FUNC 1020 10 0 f\n1020 0 7 0\n", GOOD "FUNC 1030 10 0 f\n1030 0 8 0\n", 0 },
	{ "a line of another function is new", GOOD "FUNC 1020 10 0 f\n1020 0 7 0\n", GOOD "FUNC 1020 10 0 g\n1020 0 7 0\n", 2 },
	{ "a line of one digit is known, too", GOOD "1\n", GOOD "2\n", 0 },
	{ "a call is known by its function alone", MODULE "FILE 0 a.c\nINLINE_ORIGIN 0 i\n"
	  "FUNC 1000 20 0 f\nINLINE 0 1 0 0 1000 0\n" INIT("1000", "20"),
	  MODULE "FILE 0 a.c\nINLINE_ORIGIN 0 i\nFUNC 1000 20 0 f\nINLINE 0 2 0 0 1004 0\n"
	  INIT("1000", "20"), 0 },
	{ "other records are known by their whole text", GOOD "FILE 0 b.c\n", GOOD "FILE 0 b.c\n", 0 },
	{ "a record with another number is new", GOOD "FILE 1 a.c\nFILE 0 b.c\n", GOOD "FILE 1 a.c\nFILE 1 b.c\n", 1 },
	{ "a finding of another code is new", GOOD "PUBLIC 0 0 p\n", GOOD "PUBLIC 1008 0 p\n", 1 },
};

TEST_EACH(each_print, prints)
{
	is_u64(count_new(prints[i].before, prints[i].text), prints[i].count, "%s", prints[i].title);
}

#define PRINT "0123456789abcdef"
#define BYTES(text) text, sizeof(text) - 1

/* Files, and the number of fingerprints in each; a single one is PRINT. */
static const struct {
	const char *title, *bytes;
	size_t size, count;
	bool partial;
} files[] = {
	{ "JSON has fingerprints", BYTES("{\"fingerprint\": \"" PRINT "\"}"), 1, false },
	{ "blanks may be left out", BYTES("{\"fingerprint\":\"" PRINT "\"}"), 1, false },
	{ "SARIF has them by version", BYTES("{\"unspool/v1\": \"" PRINT "\"}"), 1, false },
	{ "a file may end with a fingerprint", BYTES("\"fingerprint\":\"" PRINT "\""), 1, false },
	{ "a text without its closing quote is invalid", BYTES("\"fingerprint\":\"" PRINT), 0, false },
	{ "a fingerprint before another byte than the quote is invalid", BYTES("\"fingerprint\":\"" PRINT "0\""), 0, false },
	{ "a fingerprint of fewer digits is invalid", BYTES("\"fingerprint\":\"0123456789abcde\" }"), 0, false },
	{ "a fingerprint with another letter is invalid", BYTES("\"fingerprint\":\"0123456789abcdeg\""), 0, false },
	{ "a fingerprint with a capital is invalid", BYTES("\"fingerprint\":\"0123456789abcdeF\""), 0, false },
	{ "a fingerprint with a NUL byte is invalid", BYTES("\"fingerprint\":\"0123456789abcde\0\""), 0, false },
	{ "a number is not a fingerprint", BYTES("\"fingerprint\":0123456789abcdef, 1"), 0, false },
	{ "another key has no fingerprint", BYTES("{\"finger_print\": \"" PRINT "\"}"), 0, false },
	{ "a fingerprint after an invalid one is read", BYTES("\"fingerprint\":1,\"fingerprint\":\"" PRINT "\""), 1, false },
	{ "an empty file has no fingerprint", BYTES(""), 0, false },
	{ "a run may have listed a part of its findings", BYTES("{\"complete\": false}"), 0, true },
	{ "a run's 'complete' is read without a blank, too", BYTES("{\"complete\":false}"), 0, true },
	{ "a run may have listed all of its findings", BYTES("{\"complete\": true}"), 0, false },
	{ "a word that only begins like true or false is ignored", BYTES("{\"complete\":fals}"), 0, false },
	{ "a word after a blank that only begins like false is ignored", BYTES("{\"complete\": fals}"), 0, false },
};

static bool
write_file(const char *path, const char *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	const bool good = file != NULL && fwrite(bytes, 1, size, file) == size;

	return file != NULL && fclose(file) == 0 && good;
}

static void
each_file(const char *path)
{
	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		struct lint_baseline baseline;
		struct error error;

		if (!ok(write_file(path, files[i].bytes, files[i].size) &&
			lint_baseline_read(&baseline, path, &error) == ERROR_NONE, "a file of %zu bytes is read", files[i].size))
			continue;
		is_u64(baseline.count, files[i].count, "%s", files[i].title);
		ok(baseline.partial == files[i].partial && lint_baseline_has(&baseline, UINT64_C(0x0123456789abcdef)) ==
		   (files[i].count > 0), "the baseline has the fingerprint and the extent of the file");
		lint_baseline_free(&baseline);
	}
}

/* Keys of both kinds, unsorted. */
static void
unsorted(const char *path)
{
	static const char text[] = "\"fingerprint\":\"8000000000000000\"\n"
		"\"unspool/v1\":\"0000000000000001\"\n\"fingerprint\":\"7fffffffffffffff\"\n"
		"\"unspool/v1\":\"ffffffffffffffff\"\n\"fingerprint\":\"00000000deadbeef\"\n";
	struct lint_baseline baseline;
	struct error error;

	write_file(path, text, strlen(text));
	if (!ok(lint_baseline_read(&baseline, path, &error) == ERROR_NONE, "a baseline with several fingerprints is read"))
		return;
	is_u64(baseline.count, 5, "fingerprints of both kinds are read");
	ok(lint_baseline_has(&baseline, UINT64_C(0x8000000000000000)) && lint_baseline_has(&baseline, 1) &&
	   lint_baseline_has(&baseline, INT64_MAX) && lint_baseline_has(&baseline, UINT64_MAX) &&
	   lint_baseline_has(&baseline, 0xdeadbeef), "each fingerprint of the file is found");
	ok(!lint_baseline_has(&baseline, 0) && !lint_baseline_has(&baseline, 2) &&
	   !lint_baseline_has(&baseline, UINT64_MAX - 1), "other fingerprints are not found");
	lint_baseline_free(&baseline);
	unlink(path);
	ok(lint_baseline_read(&baseline, path, &error) != ERROR_NONE, "a missing file is an error");
	ok(!lint_baseline_has(&baseline, 1), "a missing baseline has no fingerprints");
	lint_baseline_free(&baseline);
}

int
main(void)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];

	snprintf(path, sizeof(path), "%s/baseline.%ld", folder != NULL ? folder : "/tmp", (long)getpid());
	run_tests();
	each_file(path);
	unsorted(path);
	return done_testing();
}
