/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lint/lint.h"
#include "tests/unit/symbols/symtext.h"

/* The exact findings about the records of one address; each holds without the rest of the file. */

#define LINUX "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program\n"
#define WINDOWS "MODULE windows x86 000102030405060708090A0B0C0D0E0F1 program.pdb\n"
#define INIT(address, size) "STACK CFI INIT " address " " size " .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
#define TWO LINUX "FILE 0 a.c\nINLINE_ORIGIN 0 i\nFUNC 1000 20 0 f\n1000 10 1 0\n1014 c 2 0\n" \
	"FUNC 1100 20 0 g\n1100 20 1 7\nINLINE 0 1 0 9 1100 4\n" INIT("1000", "20") "STACK CFI 1004 .cfa: $rsp 20 +\n" \
	INIT("1100", "20") "STACK CFI 1104 $rbx: .cfa -16 +\nSTACK CFI 1108 .cfa: $rsp 8 $rbx\n"

/* "CODE LINE:COLUMN=OTHER", one line for each finding. */
static const struct {
	const char *title, *text;
	uint64_t address;
	const char *said;
} rows[] = {
	{ "a function's records are read", TWO, 0x1000, "cfi-unaligned 11:22=0\n" },
	{ "a function's records are read at its last byte as well", TWO, 0x101f, "cfi-unaligned 11:22=0\n" },
	{ "another function has its own records", TWO, 0x1110, "file-undefined 8:11=0\norigin-undefined 9:14=0\ncfi-not-read 13:22=0\n"
	  "cfi-expression 14:29=0\n" },
	{ "an address without a record has no findings", TWO, 0x1020, "" },
	{ "numbers that are defined anywhere are known", LINUX "FUNC 1000 20 0 f\n1000 20 1 7\nINLINE 0 1 7 9 1000 4\nFILE 7 a.c\n"
	  "INLINE_ORIGIN 9 i\n", 0x1000, "" },
	{ "an overlap with another function is not reported", LINUX "FUNC 1000 20 0 f\nFUNC 1010 20 0 g\n"
	  INIT("1000", "20") INIT("1010", "20"), 0x1004, "" },
	{ "notes are not said", LINUX "FUNC 1000 20  0 f\n" INIT("1000", "20"), 0x1000, "" },
	{ "the processor is the module's", "FILE 0 a.c\n"
	  "MODULE Linux arm64 000102030405060708090A0B0C0D0E0F0 program\n"
	  "STACK CFI INIT 1000 20 .cfa: sp 0 + .ra: x30\nSTACK CFI 1004 .cfa: $rsp 16 +\n", 0x1008, "cfi-unknown-name 4:22=0\n" },
	{ "registers are not examined if no MODULE record names the CPU",
	  "STACK CFI INIT 1000 20 .cfa: sp 0 + .ra: x30\nSTACK CFI 1004 .cfa: $rsp 16 +\n", 0x1008, "" },
	{ "a linker symbol has no records", LINUX "PUBLIC 0 0 p\nFUNC 1000 0 0 f\n", 0, "" },
	{ "frame data of STACK WIN is read", WINDOWS "STACK WIN 4 1000 20 0 0 0 0 0 0 1 $esp $esp 4 + =\n", 0x1008, "win-no-eip 2:35=0\n" },
	{ "FPO of STACK WIN is read", WINDOWS "STACK WIN 0 1000 20 0 0 0 6 0 0 0 0\n", 0x1008, "win-sizes 2:27=0\n" },
	{ "frame data and FPO of one function are both read", WINDOWS "STACK WIN 0 1000 20 0 0 0 6 0 0 0 0\n"
	  "STACK WIN 4 1000 20 0 0 0 0 0 0 1 $esp $esp 4 + =\n", 0x1008, "win-sizes 2:27=0\nwin-no-eip 3:35=0\n" },
	{ "parameters are compared with the function's",
	  WINDOWS "FUNC 1000 20 8 f\nSTACK WIN 0 1000 20 0 0 80 0 0 0 0 0\n", 0x1008, "win-parameters 3:1=2\n" },
	{ "a record after the function's lines ends them", LINUX
	  "FILE 0 a.c\nFUNC 1000 20 0 f\n1000 10 1 0\nPUBLIC 2000 0 p\n1010 10 1 9\n", 0x1000, "" },
	{ "a bad delta is one of its record", LINUX INIT("1000", "20") "STACK CFI\nSTACK CFI 1004 .cfa: $rsp 20 +\n",
	  0x1000, "malformed-record 3:10=0\ncfi-unaligned 4:22=0\n" },
	{ "deltas of another record are not read", LINUX INIT("1000", "20")
	  "FUNC 1000 20 0 f\nSTACK CFI 1004 .cfa: $rsp 20 +\n", 0x1000, "" },
};

static void
say(char *said, size_t room, const struct lint *lint)
{
	size_t used = 0;

	*said = '\0';
	for (size_t i = 0; i < lint->finding_count && used < room; i++)
		used += (size_t)snprintf(said + used, room - used, "%s %u:%u=%u\n", lint_code_table[lint->findings[i].code].name,
					 (unsigned)lint->findings[i].place.line,
					 (unsigned)lint->findings[i].place.column, (unsigned)lint->findings[i].other);
}

static size_t
counted(const struct lint *lint)
{
	size_t sum = 0;

	for (int i = 0; i < LINT_CODE_COUNT; i++)
		sum += lint->counts[i];
	return sum;
}

TEST_EACH(each_row, rows)
{
	struct symfile *symfile = open_text(rows[i].text);
	struct error error;
	struct lint lint;
	char said[1000];

	ok(lint_address(&lint, symfile, rows[i].address, &error) == ERROR_NONE &&
		   counted(&lint) == lint.finding_count, "findings are counted by code");
	say(said, sizeof(said), &lint);
	is_str(said, rows[i].said, "%s", rows[i].title);
	lint_free(&lint);
	symfile_close(symfile);
}

/* Findings of a function with `bytes` bytes of records, whose last line leaves a hole. */
static void
large(const char *title, size_t bytes, bool said)
{
	static const char line[] = "1000 10 1 0\n", head[] = LINUX "FILE 0 a.c\n";
	static const char function[] = "FUNC 0x1000 20 0 f\n", last[] = "PUBLIC 3000 0 p\n";
	char *text = malloc(bytes + 200);
	size_t used = strlen(head) + strlen(function), left = bytes - strlen(function);
	struct error error;
	struct lint lint;

	if (text == NULL)
		return;
	strcpy(text, head);
	strcat(text, function);
	/* The first line has the length that the others leave. */
	for (size_t more = left % (sizeof(line) - 1); more > 0; more--, left--)
		text[used++] = '0';
	for (; left > 0; left -= sizeof(line) - 1, used += sizeof(line) - 1)
		memcpy(text + used, line, sizeof(line) - 1);
	memcpy(text + used, last, sizeof(last) - 1);
	used += sizeof(last) - 1;
	struct symfile *symfile = open_bytes(text, used);
	lint_address(&lint, symfile, 0x1000, &error);
	ok((lint.counts[LINT_LINE_OVERLAP] > 0) == said, "%s", title);
	is_u64(lint.counts[LINT_NUMBER_BASE], 1, "the record of the address is read in any case");
	lint_free(&lint);
	symfile_close(symfile);
	free(text);
}

int
main(void)
{
	run_tests();
	large("a function of a few lines is read whole", 100, true);
	large("a function whose records are just below 1 MiB is read whole", (1 << 20) - 1, true);
	large("a larger file has no findings that its rest could change", 1 << 20, false);
	return done_testing();
}
