/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/raw_symbols.h"

#include <stdlib.h>

#include "tests/lib/tap.h"

static struct arena arena;
static struct row row;

static const char *
fill(const struct listing *listing, size_t index, size_t columns)
{
	row_clear(&row);
	listing_fill(listing, index, columns, &row);
	return row_text(&row);
}

static struct symfile *
open_bytes(const char *bytes, size_t size)
{
	struct symfile *symfile = NULL;
	struct error error;

	symfile_from_memory(&symfile, "dir/test.sym", bytes, size, &error);
	return symfile;
}

/* The fields of a record that is alone in a file, without the defects that this causes. */
static const char *
fields(const char *record)
{
	struct symfile *symfile = open_bytes(record, strlen(record));

	const struct listing listing =
		raw_symbols_listing(symfile, (struct place){ 0 }, false, &arena);

	row_clear(&row);
	listing_explain(&listing, 0, &row);
	symfile_close(symfile);
	const char *behind = strstr(row_text(&row), "   ");
	return row_text(&row)[0] == '!' && behind != NULL ? behind + 3 : row_text(&row);
}

TEST(lines)
{
	static const char bytes[] = "MODULE a b C d\nFUNC 10 4 0 f\xff\x1b\r\nPUBLIC 20 0 g\rlast";
	struct symfile *symfile = open_bytes(bytes, sizeof(bytes) - 1);
	struct listing symbols =
		raw_symbols_listing(symfile, (struct place){ 0 }, false, &arena);

	is_u64(symbols.count, 4, "every line has a row, with any line end");
	is_str(fill(&symbols, 0, 80), " 1 MODULE a b C d", "a row has the number of its line");
	is_str(fill(&symbols, 1, 80), " 2!FUNC 10 4 0 f\\xff\\x1b", "control characters are escaped");
	is_str(fill(&symbols, 2, 80), " 3 PUBLIC 20 0 g", "a lone CR ends a line");
	is_str(fill(&symbols, 3, 80), " 4!last", "the last line needs no end");
	is_str(fill(&symbols, 1, 0), " 2!FUNC 10 4 0 f\\xff\\x1b", "rows may be asked for again");
	is_str(fill(&symbols, 0, 9), " 1 MODUL~", "rows of symbol files are cut");
	row_clear(&row);
	listing_head(&symbols, 0, &row);
	is_str(row_text(&row), " test.sym   d C", "the head names the file and its id");
	struct target target = listing_target(&symbols, 2);
	ok(target.kind == TARGET_PLACE && target.place.line == 3 && target.place.length == 13, "a row leads to its line");
	symfile_close(symfile);
}

TEST(marks)
{
	static const char bytes[] = "MODULE a b C d\n\x01 STACK x y\nlast\n";
	struct symfile *symfile = open_bytes(bytes, sizeof(bytes) - 1);
	struct listing whole =
		raw_symbols_listing(symfile, symfile_place(symfile, 15, 11), false, &arena);
	struct listing part =
		raw_symbols_listing(symfile, symfile_place(symfile, 17, 5), false, &arena);

	is_u64(whole.count, 3, "a whole record needs no carets");
	is_str(fill(&whole, 1, 0), ">2!\\x01 STACK x y", "a whole record has a mark in front");
	is_u64(part.count, 4, "a part of a record has a row more");
	is_str(fill(&part, 1, 0), ">2!\\x01 STACK x y", "the row of the record comes first");
	is_str(fill(&part, 2, 0), "        ^^^^^", "the row after it has carets below the shown part");
	is_str(fill(&part, 3, 0), " 3!last", "the next line follows the carets");
	is_u64(raw_symbols_row(&part, 2), 1, "the row of the record is known");
	is_u64(raw_symbols_row(&part, 3), 3, "the row of a line after the carets is known");
	is_u64(raw_symbols_row(&part, 1000), 3, "a line past the end has the last row");
	ok(listing_target(&part, 2).place.offset == 17, "carets lead to what they mark");
	symfile_close(symfile);
}

TEST(long_lines)
{
	size_t size = 3u << 20;
	char *bytes = malloc(size);

	memset(bytes, 'x', size);
	memcpy(bytes, "MODULE ", 7);
	bytes[size - 2] = '\n';
	struct symfile *symfile = open_bytes(bytes, size);
	struct listing symbols =
		raw_symbols_listing(symfile, (struct place){ 0 }, false, &arena);
	is_u64(symbols.count, 2, "a line may have megabytes");
	is_u64(strlen(fill(&symbols, 0, 80)), 80, "a cut row is as long as the screen");
	is_u64(strlen(fill(&symbols, 0, 0)), (1u << 20) + 3, "an uncut one ends at 1 MiB");
	is_str(fill(&symbols, 1, 0), " 2!x", "the next line follows the cut one");
	symfile_close(symfile);
	free(bytes);
}

TEST(fields)
{
	static const struct {
		const char *record, *fields;
	} cases[] = {
		{ "MODULE Linux x86 AB12 app", "MODULE  operating_system Linux  architecture x86  "
					       "id AB12  name app" },
		{ "FUNC m c184 30 0 f(int, int)", "FUNC  m (several symbols)  address c184  "
						  "size 30  parameter_size 0  name f(int, int)" },
		{ "FUNC c184 30 0 m", "FUNC  address c184  size 30  parameter_size 0  name m" },
		{ "PUBLIC 10 4 g", "PUBLIC  address 10  parameter_size 4  name g" },
		{ "FILE 3 a b.c", "FILE  number 3  name a b.c" },
		{ "c184 7 59 4", "line  address c184  size 7  line 59  filenum 4" },
		{ "INLINE_ORIGIN 2 ns::f", "INLINE_ORIGIN  number 2  name ns::f" },
		{ "INLINE_ORIGIN 2 7 ns::f", "INLINE_ORIGIN  number 2  file_num 7  name ns::f" },
		{ "INLINE 0 10 3 4 d30 2a fa1 b",
		  "INLINE  inline_nest_level 0  call_site_line 10  call_site_file_num 3  "
		  "origin_num 4  address d30  size 2a  address fa1  size b" },
		{ "INLINE 0 10 4 d30 2a", "INLINE  inline_nest_level 0  call_site_line 10  "
					  "origin_num 4  address d30  size 2a" },
		{ "STACK WIN 4 2170 14 1 0 0 0 0 0 1 $eip 4 + ^ =",
		  "STACK WIN  type 4  rva 2170  code_size 14  prologue_size 1  epilogue_size 0  "
		  "parameter_size 0  saved_register_size 0  local_size 0  max_stack_size 0  "
		  "has_program_string 1  program_string_or_allocates_base_pointer $eip 4 + ^ =" },
		{ "STACK CFI INIT 804c4b0 40 .cfa: $esp 4 +",
		  "STACK CFI INIT  address 804c4b0  size 40  rules .cfa: $esp 4 +" },
		{ "STACK CFI 804c4b1 .cfa: $esp 8 +",
		  "STACK CFI  address 804c4b1  rules .cfa: $esp 8 +" },
		{ "INFO CODE_ID 1234 a.exe", "INFO CODE_ID  code_id 1234  file a.exe" },
		{ "STACK CFI INIT 1", "STACK CFI INIT  address 1" },
		{ "what is this", "! unknown record; it is skipped" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_str(fields(cases[i].record), cases[i].fields, "the fields of '%s' have names", cases[i].record);
}

int
main(void)
{
	arena_init(&arena, 0);
	row_init(&row, &arena);
	run_tests();
	struct symfile *empty = open_bytes("", 0);
	struct listing nothing = raw_symbols_listing(empty, (struct place){ 0 }, false, &arena);
	is_str(fill(&nothing, 0, 0), "the symbol file is empty", "an empty file has a row that reports it");
	symfile_close(empty);
	arena_free(&arena);
	return done_testing();
}
