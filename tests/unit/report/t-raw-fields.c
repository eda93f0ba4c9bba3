/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compiler.h"
#include "report/file/raw_symbols.h"
#include "tests/lib/tap.h"

/* Every field of every kind of record, the places to which records lead, and defects of lines. */

static const char records[] =
	"MODULE Linux x86_64 ABC0 my module\n"				/* 1 */
	"INFO CODE_ID 12AB x.exe\n"					/* 2 */
	"FILE 3 a b.c\n"						/* 3 */
	"INLINE_ORIGIN 5 tiny\n"					/* 4 */
	"FUNC m 1000 20 8 f(int, char)\n"				/* 5 */
	"INLINE 0 7 3 5 1004 4 1010 2\n"				/* 6 */
	"1000 20 11 3\n"						/* 7 */
	"PUBLIC 2000 4 g\n"						/* 8 */
	"STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"	/* 9 */
	"STACK CFI 1004 .cfa: $rsp 16 +\n"				/* 10 */
	"STACK WIN 4 3000 10 1 2 3 4 5 6 1 $eip 4 + ^ =\n"		/* 11 */
	"FUNC zz\n"							/* 12 */
	"what is this\n";						/* 13 */

static struct symfile *symfile;
static struct arena arena;

static struct text
line_of(uint32_t line, uint64_t *offset)
{
	const char *start;

	symfile_line_offset(symfile, line, offset);
	start = records + *offset;
	return (struct text){ start, strcspn(start, "\n") };
}

/* "name=value/base name=value/base". */
static void
fields_are(uint32_t line, const char *expected)
{
	uint64_t offset;
	const struct text record = line_of(line, &offset);
	struct raw_field *fields;
	char text[600] = "";

	const size_t count = raw_fields(record, offset, &arena, &fields);
	for (size_t i = 0; i < count; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s=%.*s/%s",
			 i > 0 ? " " : "", fields[i].name, (int)fields[i].value.length,
			 fields[i].value.start, fields[i].base);
		if (memcmp(records + fields[i].offset, fields[i].value.start,
			   fields[i].value.length) != 0 || fields[i].meaning[0] == '\0')
			ok(false, "a field has its place and a meaning");
	}
	is_str(text, expected, "the fields of line %u", line);
}

static void
leads_to(uint32_t line, uint32_t expected, const char *title)
{
	uint64_t offset;
	const struct text record = line_of(line, &offset);
	const struct listing listing = raw_symbols_listing(
		symfile, symfile_place(symfile, offset, (uint32_t)record.length), false, &arena);

	is_u64(listing_target(&listing, line - 1).place.line, expected, "%s", title);
}

static void
problem_is(uint32_t line, const char *expected, const char *title)
{
	const struct listing listing =
		raw_symbols_listing(symfile, (struct place){ 0 }, false, &arena);
	struct row row = ROW_IN(&arena);

	listing_explain(&listing, line - 1, &row);
	is_str(row_text(&row), expected, "%s", title);
}

TEST(fields)
{
	fields_are(1, "operating_system=Linux/text architecture=x86_64/text id=ABC0/hex "
		      "name=my module/text");
	fields_are(2, "code_id=12AB/hex file=x.exe/text");
	fields_are(3, "number=3/dec name=a b.c/text");
	fields_are(4, "number=5/dec name=tiny/text");
	fields_are(5, "m=m/flag address=1000/hex size=20/hex parameter_size=8/hex "
		      "name=f(int, char)/text");
	fields_are(6, "inline_nest_level=0/dec call_site_line=7/dec call_site_file_num=3/dec "
		      "origin_num=5/dec address=1004/hex size=4/hex address=1010/hex size=2/hex");
	fields_are(7, "address=1000/hex size=20/hex line=11/dec filenum=3/dec");
	fields_are(8, "address=2000/hex parameter_size=4/hex name=g/text");
	fields_are(9, "address=1000/hex size=20/hex rules=.cfa: $rsp 8 + .ra: .cfa -8 + ^/postfix");
	fields_are(10, "address=1004/hex rules=.cfa: $rsp 16 +/postfix");
	fields_are(11, "type=4/hex rva=3000/hex code_size=10/hex prologue_size=1/hex "
		       "epilogue_size=2/hex parameter_size=3/hex saved_register_size=4/hex "
		       "local_size=5/hex max_stack_size=6/hex has_program_string=1/hex "
		       "program_string_or_allocates_base_pointer=$eip 4 + ^ =/postfix");
	fields_are(13, "");
}

TEST(leads)
{
	leads_to(5, 9, "a function leads to its unwind record");
	leads_to(9, 5, "an unwind record leads to its function");
	leads_to(10, 5, "a delta leads to its function");
	leads_to(7, 3, "a line leads to its file");
	leads_to(6, 4, "an inlined call to its name");
	leads_to(3, 3, "a file leads to itself");
	problem_is(8, "PUBLIC  address 2000  parameter_size 4  name g",
		   "a good record has no problem, and its fields are named");
	problem_is(12,
		   "! malformed: expected FUNC [m] address size parameter_size name; it is skipped"
		   "   FUNC  address zz",
		   "a malformed one says its form");
	problem_is(13, "! unknown record; it is skipped",
		   "a line that is no record says so");
}

TEST(rows)
{
	uint64_t offset;
	struct row row;

	line_of(6, &offset);
	const struct place marked = symfile_place(symfile, offset + 11, 1);
	const struct listing listing = raw_symbols_listing(symfile, marked, true, &arena);
	is_u64(listing.count, 13 + 1 + 8, "a row for the carets and one for each field more");
	row_init(&row, &arena);
	listing_fill(&listing, 9, 0, &row);
	is_str(row_text(&row), ">   call_site_file_num  3     dec  a b.c, number of a FILE record",
	       "the field that is marked has a sign, its number the name that it stands for");
	ok(listing_target(&listing, 9).place.line == 3, "the marked field leads to the line of its FILE record");
	is_u64(raw_symbols_line(&listing, 9), 6, "the row of a field belongs to its line");
	is_u64(raw_symbols_row(&listing, 7), 15, "later lines are further down");
	ok(listing_target(&listing, 5).place.line == 4, "the line that is chosen leads on");
	ok(listing_target(&listing, 15).place.line == 7, "another line becomes the chosen one");
	row_clear(&row);
	listing_fill(&listing, 20, 0, &row);
	is_str(row_text(&row), " 12!FUNC zz", "a malformed line has a mark");
}

int
main(void)
{
	struct error error;

	arena_init(&arena, 0);
	ok(symfile_from_memory(&symfile, "x.sym", records, strlen(records), &error) == ERROR_NONE, "the file is read");
	run_tests();
	symfile_close(symfile);
	arena_free(&arena);
	return done_testing();
}
