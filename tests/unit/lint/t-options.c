/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "lint/lint.h"
#include "tests/lib/tap.h"

/* Reports about bytes that are not records, findings that options leave out, and the progress and cancellation of a reading. */

#define MODULE "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program\n"
#define INIT(address, size) "STACK CFI INIT " address " " size " .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
#define BYTES(text) text, sizeof(text) - 1
#define TEN "xxxxxxxxxx"
#define SIXTY TEN TEN TEN TEN TEN TEN

static const struct lint_options all = { .most = 0 };

static void
read_all(struct lint *lint, const char *bytes, size_t size)
{
	struct error error;

	lint_bytes(lint, "some.sym", bytes, size, &all, &error);
}

static const struct lint_finding *
first_of(const struct lint *lint, enum lint_code code)
{
	for (size_t i = 0; i < lint->finding_count; i++)
		if (lint->findings[i].code == code)
			return &lint->findings[i];
	return NULL;
}

/* Files that are recognised by their first bytes, by the formats' specifications. */
static const struct {
	const char *bytes;
	size_t size;
	/* A part of the finding; NULL: the bytes are read as a symbol file */
	const char *kind;
} other_files[] = {
	{ BYTES("\x7f" "ELF"), "an ELF file" }, { BYTES("\x7f" "ELG"), NULL }, { BYTES("MZ\x90\0\3"), "a PE file" },
	{ BYTES("MZ" SIXTY "x\0"), "a PE file" }, { BYTES("MZ" SIXTY "xx\0"), NULL }, { BYTES("MZ\x90\1\3"), NULL },
	{ BYTES("MX\x90\0\3"), NULL }, { BYTES("\xcf\xfa\xed\xfe\7"), "a Mach-O file" }, { BYTES("\xce\xfa\xed\xfe\7"), "a Mach-O file" },
	{ BYTES("\xca\xfe\xba\xbe"), "a Mach-O file" }, { BYTES("\xca\xfe\xba"), NULL },
	{ BYTES("Microsoft C/C++ MSF 7.00\r\n\x1a" "DS\0\0\0"), "a PDB" },
	{ BYTES("Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0"), "a PDB in an old format" },
	{ BYTES("BSJB\1\0\1\0"), "a portable PDB" }, { BYTES("MDMP\x93\xa7\0\0"), "a minidump" },
	{ BYTES("PMDM\0\0\xa7\x93"), "a minidump" }, { BYTES("MDMP as text\n"), NULL },
	{ BYTES("!<arch>\nfoo.o/"), "an archive of object files" }, { BYTES("!<arch>"), NULL }, { BYTES("PK\3\4"), "a ZIP archive" },
	{ BYTES("BZh91AY"), "compressed with bzip2" }, { BYTES("\x1f\x8b\x08"), "gzip data" },
	{ BYTES("\x28\xb5\x2f\xfd\x04"), "zstd data" }, { BYTES("\xfd" "7zXZ\0"), "xz data" }, { BYTES("\x04\x22\x4d\x18"), "lz4 data" },
	{ BYTES("MSCF\0\0\0\0"), "a cabinet" }, { BYTES("<?xml"), "XML" }, { BYTES("{\"error\": 404}"), "JSON" }, { BYTES("[]"), NULL },
};

TEST_EACH(other_files, other_files)
{
	struct lint lint;

	read_all(&lint, other_files[i].bytes, other_files[i].size);
	const struct lint_finding *finding = first_of(&lint, LINT_OTHER_FILE);
	ok(other_files[i].kind == NULL ? finding == NULL
		   : finding != NULL && strstr(finding->text, other_files[i].kind) != NULL &&
			     lint.counts[LINT_EMPTY_FILE] + lint.counts[LINT_UNKNOWN_RECORD] == 0, "file %zu is %s", i,
	   other_files[i].kind != NULL ? other_files[i].kind : "read as records");
	lint_free(&lint);
}

/* NUL bytes after the last line give one finding, at the first of them. */
static const struct {
	const char *bytes;
	size_t size;
	unsigned line, column;
	const char *text;
} trailing_nuls[] = {
	{ BYTES(MODULE "FILE 0 a.c\n\0\0\0"), 3, 1, "3 at the end of the file" },
	{ BYTES(MODULE "FILE 0 a.c\0"), 2, 11, "1 at the end of the file" },
	{ BYTES(MODULE "FILE 0 a\rc\0"), 2, 11, "1 at the end of the file" }, { BYTES("\0\0"), 1, 1, "2 at the end of the file" },
};

TEST_EACH(trailing_nuls, trailing_nuls)
{
	struct lint lint;

	read_all(&lint, trailing_nuls[i].bytes, trailing_nuls[i].size);
	const struct lint_finding *finding = first_of(&lint, LINT_NUL_BYTE);
	ok(finding != NULL && finding->place.line == trailing_nuls[i].line && finding->place.column == trailing_nuls[i].column &&
		   strcmp(finding->text, trailing_nuls[i].text) == 0 && lint.counts[LINT_NUL_BYTE] == 1,
	   "NUL bytes at the end of file %zu are one finding", i);
	is_u64(lint.lines, trailing_nuls[i].line - (trailing_nuls[i].column == 1), "NUL bytes at the end of a file are no line");
	lint_free(&lint);
}

/* A byte is found at any place in a line and in a block of the reader. */
TEST(odd_bytes_anywhere)
{
	enum { LENGTH = 140, LINES = 300 };
	char *text = malloc(LINES * (LENGTH + 1) + 200);
	unsigned wrong = 0;

	if (text == NULL)
		return;
	for (size_t at = 0; at < LENGTH; at++) {
		const size_t head = strlen(strcpy(text, MODULE "INFO k "));
		struct lint lint;

		memset(text + head, 'x', LENGTH);
		text[head + at] = (char)0xc3;
		strcpy(text + head + LENGTH, "\nFUNC 1000 20 0 f\n");
		read_all(&lint, text, strlen(text));
		const struct lint_finding *finding = first_of(&lint, LINT_NOT_UTF8);
		wrong += finding == NULL || finding->place.line != 2 || finding->place.column != strlen("INFO k ") + at + 1 ||
			 lint.counts[LINT_NOT_UTF8] != 1 || lint.counts[LINT_BYTE_FF] != 0 ||
			 strcmp(finding->text, "byte 0xc3") != 0;
		lint_free(&lint);
	}
	is_u64(wrong, 0, "a byte that is not UTF-8 is found at its place");
	wrong = 0;
	for (size_t line = 0; line < LINES; line += 7) {
		static const char odd[] = { '\0', (char)0xff, '\r' };
		static const enum lint_code codes[] = { LINT_NUL_BYTE, LINT_BYTE_FF, LINT_LONE_CR };
		size_t used = strlen(strcpy(text, MODULE)), which = line % ARRAY_COUNT(odd);
		struct lint lint;

		for (size_t i = 0; i < LINES; i++) {
			const size_t head = strlen(strcpy(text + used, "INFO k "));
			memset(text + used + head, 'x', LENGTH - head);
			if (i == line)
				text[used + 50] = odd[which];
			used += LENGTH;
			text[used++] = '\n';
		}
		read_all(&lint, text, used);
		const struct lint_finding *finding = first_of(&lint, codes[which]);
		wrong += finding == NULL || finding->place.line != line + 2 ||
			 finding->place.column != 51 || lint.counts[codes[which]] != 1;
		lint_free(&lint);
	}
	is_u64(wrong, 0, "NUL bytes, 0xff and carriage returns are found in every block");
	free(text);
}

TEST(long_lines)
{
	enum { MOST = 80 * 1024 };
	char *text = malloc(MOST + 200);

	for (size_t more = 0; text != NULL && more < 2; more++) {
		const size_t head = strlen(strcpy(text, MODULE));
		struct lint lint;

		memset(text + head, 'x', MOST + more);
		memcpy(text + head, "INFO k ", strlen("INFO k "));
		strcpy(text + head + MOST + more, "\n");
		read_all(&lint, text, head + MOST + more + 1);
		is_u64(lint.counts[LINT_LONG_LINE], more, "a line of %zu bytes is %slong", MOST + more, more ? "" : "not ");
		lint_free(&lint);
	}
	free(text);
}

/* Breakpad gives up at the 101st bad record; it does not count bad inlined calls. */
static const struct {
	const char *record;
	unsigned count;
	bool limit;
} bad_records[] = {
	{ "UNKNOWN RECORD\n", LIMIT_SYMBOL_ERRORS + 1, true }, { "UNKNOWN RECORD\n", LIMIT_SYMBOL_ERRORS, false },
	{ "FUNC 1000 2g 0 f\n", LIMIT_SYMBOL_ERRORS + 1, true }, { "1000 20 1 0\n", LIMIT_SYMBOL_ERRORS + 1, true },
	{ "STACK VAX\n", LIMIT_SYMBOL_ERRORS + 1, true }, { "STACK WIN 5 1000 20 0 0 0 0 0 0 0 0\n", LIMIT_SYMBOL_ERRORS + 1, true },
	{ "FILE x\n", LIMIT_SYMBOL_ERRORS + 1, true }, { "INLINE x\n", LIMIT_SYMBOL_ERRORS + 1, false },
	{ "INLINE_ORIGIN x\n", LIMIT_SYMBOL_ERRORS + 1, false },
};

TEST_EACH(bad_records, bad_records)
{
	char text[8000];
	size_t used = strlen(strcpy(text, MODULE));
	struct lint lint;

	for (unsigned j = 0; j < bad_records[i].count; j++)
		used += strlen(strcpy(text + used, bad_records[i].record));
	read_all(&lint, text, used);
	const struct lint_finding *finding = first_of(&lint, LINT_ERROR_LIMIT);
	ok(bad_records[i].limit ? finding != NULL && finding->place.line == LIMIT_SYMBOL_ERRORS + 2 : finding == NULL,
	   "%u times '%.7s' are %s", bad_records[i].count, bad_records[i].record,
	   bad_records[i].limit ? "too many" : "not too many");
	lint_free(&lint);
}

/* Breakpad counts one bad record for all NUL bytes. */
TEST(bad_nuls)
{
	static const char nul[] = "INFO a\0b\n";
	char text[8000];

	for (unsigned bad = LIMIT_SYMBOL_ERRORS - 1; bad <= LIMIT_SYMBOL_ERRORS; bad++) {
		size_t used = strlen(strcpy(text, MODULE));
		struct lint lint;

		for (unsigned i = 0; i < 3; i++, used += sizeof(nul) - 1)
			memcpy(text + used, nul, sizeof(nul) - 1);
		for (unsigned i = 0; i < bad; i++)
			used += strlen(strcpy(text + used, "UNKNOWN RECORD\n"));
		read_all(&lint, text, used);
		is_u64(lint.counts[LINT_NUL_BYTE], 3, "each line with a NUL byte is a finding");
		is_u64(lint.counts[LINT_ERROR_LIMIT], bad == LIMIT_SYMBOL_ERRORS,
		       "%u bad records: all lines with NUL bytes count as one", bad);
		lint_free(&lint);
	}
}

#define BARE MODULE INIT("1000", "10") "FUNC 2000 10 0 bare\nFUNC 3000 10 0 _ZN1a1bEv\nPUBLIC 3004 0 p\nPUBLIC 0 0 zero\n"

/* Accepted findings are counted; all others are reported. */
static const struct {
	const char *accept;
	size_t accepted, left;	/* those accepted, those reported of 5 */
} accepted_rows[] = {
	{ "code-without-unwind", 2, 3 }, { "code-without-unwind@3000", 1, 4 }, { "code-without-unwind@0x3000", 1, 4 },
	{ "code-without-unwind@3001", 0, 5 }, { "code-without-unwind=b*", 1, 4 }, { "code-without-unwind=*", 2, 3 },
	{ "code-without-unwind=a::b()", 1, 4 }, { "code-without-unwind=a::c()", 0, 5 }, { "code-without-unwind=_ZN1a1bEv", 1, 4 },
	{ "public-zero", 0, 4 }, { "public-zero@0", 0, 5 }, { "public-zero=ze*", 0, 4 }, { "public-zero=one", 0, 5 },
};

TEST_EACH(accepted, accepted_rows)
{
	struct lint_accept accept;
	const struct lint_options options = { .accepts = &accept, .accept_count = 1 };
	const struct lint_options one = { .accepts = &accept, .accept_count = 1, .most = 1 };
	struct error error;
	struct lint lint;

	ok(lint_accept_parse(accepted_rows[i].accept, &accept) == NULL, "'%s' is read", accepted_rows[i].accept);
	lint_bytes(&lint, "bare.sym", BARE, strlen(BARE), &options, &error);
	is_u64(lint.accepted[LINT_CODE_WITHOUT_UNWIND], accepted_rows[i].accepted, "the accept option accepts the findings that fit");
	is_u64(lint.finding_count, accepted_rows[i].left, "the accept option leaves the other findings");
	lint_free(&lint);
	lint_bytes(&lint, "bare.sym", BARE, strlen(BARE), &one, &error);
	is_u64(lint.counts[LINT_CODE_WITHOUT_UNWIND], 2 - accepted_rows[i].accepted, "findings are accepted if one of each code is listed");
	ok((first_of(&lint, LINT_CODE_WITHOUT_UNWIND) != NULL) == (accepted_rows[i].accepted < 2),
	   "the listed finding is one that is left");
	lint_free(&lint);
}

TEST(not_accepted)
{
	static const char *const refused[] = {
		"", "code", "code-without-unwin", "code-without-unwind=", "code-without-unwind@",
		"code-without-unwind@xyz", "code-without-unwind@10x", "=a", "@10",
	};
	struct lint_accept accept;

	for (size_t i = 0; i < ARRAY_COUNT(refused); i++)
		ok(lint_accept_parse(refused[i], &accept) != NULL, "'%s' is refused", refused[i]);
}

/* The function that a finding is in. */
static const struct {
	enum lint_code code;
	const char *text, *name;
} names[] = {
	{ LINT_CFI_UNALIGNED, MODULE "FUNC 1000 20 0 f\n" INIT("1000", "20") "STACK CFI 1008 .cfa: $rsp 20 +\n", "f" },
	{ LINT_CFI_UNALIGNED, MODULE "FUNC 2000 20 0 f\n" INIT("1000", "20") "STACK CFI 1008 .cfa: $rsp 20 +\n", "" },
	{ LINT_LINE_SIZE_ZERO, MODULE "FUNC 1000 20 0 f\n1000 0 1 0\n", "f" },
	{ LINT_INLINE_SIZE_ZERO, MODULE "FUNC 1000 20 0 f\nINLINE 0 1 0 0 1000 0\n", "f" },
	{ LINT_FUNC_SIZE_ZERO, MODULE "FUNC 1000 0 0 f\n", "f" },
	{ LINT_FILE_DUPLICATE, MODULE "FILE 0 a\nFUNC 1000 20 0 f\nFILE 0 b\n", "" },
	{ LINT_PUBLIC_INSIDE_FUNC, MODULE "FUNC 1000 20 0 f\nPUBLIC 1004 0 p\n", "p" },
	{ LINT_PUBLIC_ZERO, MODULE "FUNC 1000 20 0 f\nPUBLIC 0 0 p\n", "p" },
	{ LINT_LINE_HOLE, MODULE "FUNC 1000 20 0 f\n1000 8 1 0\n", "f" },
	{ LINT_LINE_OVERLAP, MODULE "FUNC 1000 20 0 f\n1000 18 1 0\n1008 18 1 0\n", "f" },
	{ LINT_FUNC_LOST, MODULE "FUNC 1000 8 0 f\n1000 8 1 0\n1008 8 1 0\n1010 8 1 0\n", "f" },
	{ LINT_INLINE_LEVEL, MODULE "FUNC 1000 20 0 f\nINLINE 1 1 0 0 1000 4\n", "f" },
	{ LINT_INLINE_OUTSIDE, MODULE "FUNC 1000 8 0 f\nINLINE 0 1 0 0 1008 4\n", "f" },
	{ LINT_CFI_ENTRY, MODULE "FUNC 1000 20 0 f\nSTACK CFI INIT 1000 20 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n", "f" },
};

TEST_EACH(names, names)
{
	struct lint lint;

	read_all(&lint, names[i].text, strlen(names[i].text));
	const struct lint_finding *finding = first_of(&lint, names[i].code);
	ok(finding != NULL && text_equal(finding->name, text_of(names[i].name)),
	   "%s has the name '%s'", lint_code_table[names[i].code].name, names[i].name);
	lint_free(&lint);
}

/* The line at which rust-minidump refuses a file. */
static const struct {
	const char *text;
	unsigned line;		/* 0: not refused */
} refused_rows[] = {
	{ MODULE "FUNC 1000 20 0 f\n", 0 }, { MODULE "FUNC 1000 20 0 f\nFUNC 2000 2g 0 g\nFUNC 3000 20 0 h\n", 3 }, { "FILE 0 a.c\n", 0 },
	{ MODULE "NOTHING\n", 2 },
};

TEST_EACH(refused, refused_rows)
{
	struct lint lint;

	read_all(&lint, refused_rows[i].text, strlen(refused_rows[i].text));
	is_u64(lint.rust_line, refused_rows[i].line, "file %zu is refused on line %u", i, refused_rows[i].line);
	ok((lint.rust_refuses != NULL) == (refused_rows[i].line != 0), "a refused file has its reason");
	lint_free(&lint);
}

TEST(coverage)
{
	static const char text[] = MODULE
		"FUNC 1000 40 0 half\nFUNC 2000 10 0 whole\nFUNC 3000 8 0 none\n" INIT("1000", "10")
			INIT("1020", "10") INIT("1ff0", "20");
	struct lint lint;

	read_all(&lint, text, strlen(text));
	is_u64(lint.coverage.code, 0x58, "the bytes of all functions are counted");
	is_u64(lint.coverage.unwound, 0x30, "the bytes that records cover are counted");
	is_u64(lint.coverage.functions, 3, "the functions are counted");
	is_u64(lint.coverage.whole, 1, "the functions without a hole are counted");
	lint_free(&lint);
}

struct progress {
	uint64_t last, total, calls;
	uint64_t stop;		/* stop after this number of bytes; 0: never */
	bool back;		/* the progress went back */
};

static bool
note(void *context, uint64_t read, uint64_t total)
{
	struct progress *progress = context;

	progress->back |= read < progress->last;
	progress->last = read;
	progress->total = total;
	progress->calls++;
	return progress->stop == 0 || read < progress->stop;
}

TEST(progress)
{
	enum { LINES = 20000 };
	char *text = malloc(LINES * 32 + 200);
	size_t used;

	if (text == NULL)
		return;
	used = strlen(strcpy(text, MODULE));
	for (unsigned i = 0; i < LINES; i++)
		used += (size_t)sprintf(text + used, "FUNC %x 10 0 f%u\n", 0x1000 + 16 * i, i);
	for (unsigned slices = 1; slices <= 4; slices += 3) {
		struct progress told = { 0 }, stopped = { .stop = used / 3 };
		const struct lint_options whole = { .slices = slices, .progress = note, .context = &told };
		const struct lint_options part = { .slices = slices, .progress = note, .context = &stopped };
		struct error error;
		struct lint lint;

		lint_bytes(&lint, "long.sym", text, used, &whole, &error);
		/* One of several readers reports the progress of all. */
		ok(!lint.stopped && told.total == used && !told.back && told.last <= used &&
		   (slices > 1 || (told.calls > 10 && told.last >= used - (32 << 10))),
		   "%u readers say how much of the file has been read", slices);
		is_u64(lint.coverage.functions, LINES, "all functions of the file are read");
		is_u64(lint.coverage.code, 16 * LINES, "the file is read to its end");
		lint_free(&lint);
		lint_bytes(&lint, "long.sym", text, used, &part, &error);
		/* If the others were quicker, the reader that reports had nothing to read. */
		ok(slices > 1 || lint.stopped, "%u readers can be stopped", slices);
		ok(slices > 1 || lint.coverage.code < 16 * LINES, "stopped readers read no further");
		lint_free(&lint);
	}
	free(text);
}
