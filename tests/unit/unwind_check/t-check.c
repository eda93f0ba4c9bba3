/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/check.h"

#include "tests/lib/tap.h"
#include "tests/unit/binary/section.h"

/* STACK CFI and SFrame for the same addresses: what is compared, and the differences. */

#define SECTION_ADDRESS 0x10000u
#define CFI "MODULE Linux x86_64 000000000000000000000000000000000 test\n"
#define RA " .ra: .cfa -8 + ^\n"

struct told {
	char text[600];
	size_t length;
};

static const struct arch *amd64;

static bool
tell(void *context, const struct unwind_difference *difference)
{
	struct told *told = context;
	const unsigned column = difference->column;
	char one[64] = "", other[64] = "";

	if (column < CLAIM_COLUMNS) {
		claim_format(amd64, column, &difference->claims[0], one, sizeof(one));
		claim_format(amd64, column, &difference->claims[1], other, sizeof(other));
	}
	told->length += (size_t)snprintf(told->text + told->length, sizeof(told->text) - told->length,
		"%" PRIx64 "-%" PRIx64 " %s %s: %s | %s\n", difference->first, difference->last,
		unwind_code_table[difference->code].name,
		column < CLAIM_COLUMNS ? claim_column_name(amd64, column) : "-", one, other);
	return true;
}

static struct told
check_bytes(const char *cfi, const struct section *section, struct unwind_totals *totals)
{
	const struct input input = { "section" };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct rule_module module = { .arch = amd64, .policy = &policy, .parameters = -1 };
	static struct unwind_source sources[UNWIND_SOURCES];
	struct told told = { .length = 0 };
	struct error error = { 0 };
	struct symfile *symfile;
	struct sframe sframe;

	*totals = (struct unwind_totals){ 0 };
	if (symfile_from_memory(&symfile, "test.sym", cfi, strlen(cfi), &error) != ERROR_NONE ||
	    sframe_open(&sframe, &(struct sframe_bytes){ &input, section->bytes, section->size, 0, SECTION_ADDRESS, NULL },
			NULL, 0, &error) != ERROR_NONE) {
		snprintf(told.text, sizeof(told.text), "%s", error.text);
		return told;
	}
	module.symfile = symfile;
	module.sframe = &sframe;
	const size_t count = unwind_sources_open(&module, false, sources);
	const struct unwind_check check = { .arch = amd64, .sources = sources, .count = count,
					    .tell = tell, .context = &told, .last = UINT64_MAX };
	ok(unwind_check_run(&check, totals), "the check of two sources is complete");
	unwind_sources_close(sources, count);
	sframe_close(&sframe);
	symfile_close(symfile);
	return told;
}

static struct told
check(const char *cfi, const struct section_function *functions, unsigned count, struct unwind_totals *totals)
{
	struct section section;

	section_make(&section, 0, SECTION_ADDRESS, functions, count);
	return check_bytes(cfi, &section, totals);
}

TEST(agreement)
{
	const struct section_function function = {
		.start = 0x1000, .size = 0x20, .rows = { { 0, 8 }, { 1, 16 } }, .row_count = 2 };
	struct unwind_totals totals;
	struct told told = check(CFI "STACK CFI INIT 1000 20 .cfa: $rsp 8 +" RA
				     "STACK CFI 1001 .cfa: $rsp 16 + $rbp: $rbp\n", &function, 1, &totals);

	is_str(told.text, "", "tables that say the same agree");
	is_u64(totals.compared, 2, "both rows were compared");
	is_u64(totals.bytes_compared, 0x20, "all of the code was compared");
	is_u64(totals.bytes[0] + totals.bytes[1], 0x40, "no address is covered by one source alone");
	told = check(CFI "STACK CFI INIT 1000 20 .cfa: $rsp 8 +" RA "STACK CFI 1004 .cfa: $rsp 16 +\n", &function, 1, &totals);
	is_str(told.text, "1001-1003 rule-late CFA: rsp+8 | rsp+16\n", "a row that begins too late is reported with its addresses, once");
	told = check(CFI "STACK CFI INIT 1000 20 .cfa: $rsp 8 +" RA
			 "STACK CFI 1001 .cfa: $rsp 16 + $rbp: .cfa -16 + ^\n", &function, 1, &totals);
	is_str(told.text, "1001-101f rule-missing rbp: c-16 | s\n", "a frame pointer that only one source saved is reported");
	told = check(CFI "STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -16 + ^\n"
		     "STACK CFI 1001 .cfa: $rsp 16 +\n", &function, 1, &totals);
	is_str(told.text, "1000-101f rule-differs return address: c-16 | c-8\n",
	       "another return address is reported once for the same records");
}

/* A PLT: entries of 16 bytes that share one set of rows. */
TEST(masked)
{
	const struct section_function function = {
		.start = 0x2000, .size = 0x30, .repeat = 16, .rows = { { 0, 16 }, { 6, 24 } },
		.row_count = 2 };
	struct unwind_totals totals;
	struct told told = check(CFI "STACK CFI INIT 2000 30 .cfa: $rsp 16 +" RA "STACK CFI 2006 .cfa: $rsp 24 +\n"
				     "STACK CFI 2010 .cfa: $rsp 16 +\nSTACK CFI 2016 .cfa: $rsp 24 +\n"
				     "STACK CFI 2020 .cfa: $rsp 16 +\n", &function, 1, &totals);

	is_str(told.text, "2026-202f rule-differs CFA: rsp+16 | rsp+24\n", "rows that repeat hold in every block");
	is_u64(totals.compared, 6, "each block was compared");
	is_u64(totals.bytes_compared, 0x30, "all bytes of the blocks were compared");
}

TEST(overlap)
{
	const struct section_function functions[] = {
		{ .start = 0x3000, .size = 0x40, .rows = { { 0, 8 } }, .row_count = 1 },
		{ .start = 0x3020, .size = 0x10, .rows = { { 0, 16 } }, .row_count = 1 },
	};
	struct unwind_totals totals;
	struct told told = check(CFI "STACK CFI INIT 3000 40 .cfa: $rsp 8 +" RA, functions, ARRAY_COUNT(functions), &totals);

	is_str(told.text, "3020-302f rule-differs CFA: rsp+8 | rsp+16\n", "the later of two overlapping functions counts");
	is_u64(totals.bytes[0] - totals.bytes[1], 0x10, "no row follows the later of two overlapping functions");
}

TEST(outermost)
{
	const struct section_function function = {
		.start = 0x4000, .size = 0x10, .rows = { { 0, 0 } }, .row_count = 1 };
	struct unwind_totals totals;
	struct told told = check(CFI "STACK CFI INIT 4000 10 .cfa: $rsp 8 +" RA, &function, 1, &totals);

	is_str(told.text, "4000-400f outermost-lost return address: c-8 | u\n",
	       "a return address that is undefined in another source is reported");
	told = check(CFI "STACK CFI INIT 4000 10 .cfa: $rsp 8 + .ra: 0", &function, 1, &totals);
	is_str(told.text, "", "a return address of 0 is that of a function without a caller, too");
}

TEST(broken)
{
	const struct section_function function = {
		.start = 0x5000, .size = 0x10, .rows = { { 0, 8 }, { 4, 16 }, { 0x20, 24 } },
		.row_count = 3 };
	struct section section;
	struct unwind_totals totals;

	section_make(&section, 0, SECTION_ADDRESS, &function, 1);
	section.bytes[SECTION_HEADER + SECTION_FUNCTION + 3] = 0;
	struct told told = check_bytes(CFI "STACK CFI INIT 5000 10 .cfa: $rsp 8 +" RA, &section, &totals);
	is_str(told.text, "5000-500f unusable-record -:  | \n", "nothing is compared after a broken row, which is reported");
	section_make(&section, 0, SECTION_ADDRESS, &function, 1);
	section.bytes[SECTION_HEADER + SECTION_FUNCTION + 7] = 0xff;
	told = check_bytes(CFI "STACK CFI INIT 5000 10 .cfa: $rsp 8 +" RA, &section, &totals);
	is_str(told.text, "5004-500f unusable-record -:  | \n", "a row that ends at a row with words of an unknown size is reported");
	told = check(CFI "STACK CFI INIT 5000 10 .cfa: $rsp 8 +\n", &function, 1, &totals);
	is_str(told.text, "5000-500f unusable-record -:  | \n", "rules of STACK CFI without a return address are reported");
	is_u64(totals.bytes_compared, 0, "no byte is compared without a return address");
}

TEST(nothing)
{
	struct unwind_totals totals;
	struct told told = check(CFI "STACK CFI INIT 1000 20 .cfa: $rsp 8 +" RA, NULL, 0, &totals);

	is_str(told.text, "", "an empty section causes no difference");
	is_u64(totals.bytes[0], 0x20, "STACK CFI alone covers all of the code");
}

#define WIN "MODULE windows x86 000000000000000000000000000000000 test\n"
#define PROGRAM " 0 0 0 0 0 0 1 $T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + =\n"

/* The first rows of STACK WIN records from an address on, as "first-last". */
static const char *
win_rows(const char *records, uint64_t from, char buffer[static 200])
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct rule_module module = { .arch = arch_by_id(ARCH_X86), .policy = &policy, .parameters = -1 };
	static struct unwind_source sources[UNWIND_SOURCES];
	struct error error = { 0 };
	struct symfile *symfile;
	size_t used = 0;

	buffer[0] = '\0';
	if (symfile_from_memory(&symfile, "test.sym", records, strlen(records), &error) != ERROR_NONE)
		return "unreadable";
	module.symfile = symfile;
	const size_t count = unwind_sources_open(&module, true, sources);
	if (count > 0) {
		sources[0].kind->reader->seek(&sources[0], from);
		for (int i = 0; i < 3 && sources[0].kind->reader->next(&sources[0]); i++)
			used += (size_t)snprintf(buffer + used, 200 - used, "%s%" PRIx64 "-%" PRIx64, i > 0 ? " " : "",
						 sources[0].row.first, sources[0].row.last);
	}
	unwind_sources_close(sources, count);
	symfile_close(symfile);
	return buffer;
}

/* A row is one from its first address to its last, wherever reading begins. */
TEST(rows_from)
{
	static const char two[] = WIN "STACK WIN 4 3ff0 40" PROGRAM "STACK WIN 4 4040 10" PROGRAM;
	static const char next[] = WIN "STACK WIN 4 3ff0 10" PROGRAM "STACK WIN 4 4000 10" PROGRAM;
	static const char byte[] = WIN "STACK WIN 4 3fff 10" PROGRAM;
	static const char large[] = WIN "STACK WIN 4 4000 100000" PROGRAM;
	char rows[200];

	is_str(win_rows(two, 0, rows), "3ff0-402f 4040-404f", "two entries have a row each");
	is_str(win_rows(two, 0x4000, rows), "3ff0-402f 4040-404f", "two entries have a row each from within the first");
	is_str(win_rows(two, 0x402f, rows), "3ff0-402f 4040-404f", "two entries have a row each from the last byte of the first");
	is_str(win_rows(two, 0x4030, rows), "4040-404f", "the second entry comes first after the end of the first");
	is_str(win_rows(next, 0, rows), "3ff0-3fff 4000-400f", "two adjacent entries have a row each");
	is_str(win_rows(next, 0x4000, rows), "4000-400f", "the second of two adjacent entries comes first from its start");
	is_str(win_rows(byte, 0, rows), "3fff-400e", "an entry alone has one row");
	is_str(win_rows(byte, 0x4000, rows), "3fff-400e", "an entry alone has one row from its second byte on");
	is_str(win_rows(large, 0, rows), "4000-103fff", "an entry of a megabyte has one row");
}

int
main(void)
{
	amd64 = arch_by_id(ARCH_AMD64);
	run_tests();
	return done_testing();
}
