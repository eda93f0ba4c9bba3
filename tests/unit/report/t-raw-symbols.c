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

	const struct listing listing = raw_symbols_listing(symfile, (struct place){ 0 }, false, &arena);

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
	struct listing symbols = raw_symbols_listing(symfile, (struct place){ 0 }, false, &arena);

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
	struct listing whole = raw_symbols_listing(symfile, symfile_place(symfile, 15, 11), false, &arena);
	struct listing part = raw_symbols_listing(symfile, symfile_place(symfile, 17, 5), false, &arena);

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
	struct listing symbols = raw_symbols_listing(symfile, (struct place){ 0 }, false, &arena);
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
		{ "MODULE Linux x86 AB12 app", "MODULE  operating_system Linux  architecture x86  id AB12  name app" },
		{ "FUNC m c184 30 0 f(int, int)", "FUNC  m (several symbols)  address c184  size 30  parameter_size 0  name f(int, int)" },
		{ "FUNC c184 30 0 m", "FUNC  address c184  size 30  parameter_size 0  name m" },
		{ "PUBLIC 10 4 g", "PUBLIC  address 10  parameter_size 4  name g" }, { "FILE 3 a b.c", "FILE  number 3  name a b.c" },
		{ "c184 7 59 4", "line  address c184  size 7  line 59  filenum 4" },
		{ "INLINE_ORIGIN 2 ns::f", "INLINE_ORIGIN  number 2  name ns::f" },
		{ "INLINE_ORIGIN 2 7 ns::f", "INLINE_ORIGIN  number 2  file_num 7  name ns::f" },
		{ "INLINE 0 10 3 4 d30 2a fa1 b", "INLINE  inline_nest_level 0  call_site_line 10  call_site_file_num 3  "
		  "origin_num 4  address d30  size 2a  address fa1  size b" },
		{ "INLINE 0 10 4 d30 2a", "INLINE  inline_nest_level 0  call_site_line 10  origin_num 4  address d30  size 2a" },
		{ "STACK WIN 4 2170 14 1 0 0 0 0 0 1 $eip 4 + ^ =",
		  "STACK WIN  type 4  rva 2170  code_size 14  prologue_size 1  epilogue_size 0  "
		  "parameter_size 0  saved_register_size 0  local_size 0  max_stack_size 0  "
		  "has_program_string 1  program_string_or_allocates_base_pointer $eip 4 + ^ =" },
		{ "STACK CFI INIT 804c4b0 40 .cfa: $esp 4 +", "STACK CFI INIT  address 804c4b0  size 40  rules .cfa: $esp 4 +" },
		{ "STACK CFI 804c4b1 .cfa: $esp 8 +", "STACK CFI  address 804c4b1  rules .cfa: $esp 8 +" },
		{ "INFO CODE_ID 1234 a.exe", "INFO CODE_ID  code_id 1234  file a.exe" },
		{ "STACK CFI INIT 1", "STACK CFI INIT  address 1" }, { "what is this", "! unknown record; it is skipped" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_str(fields(cases[i].record), cases[i].fields, "the fields of '%s' have names", cases[i].record);
}

/* Rows of the fields of a line, its carets among them, and the lines to which the line and its fields lead. */
TEST(opened)
{
	static const char bytes[] = "MODULE Linux x86 AB12 app\nFILE 3 a b.c\nINLINE_ORIGIN 2 ns::f\nFUNC m 1000 30 8 f(int, char)\n"
		"INLINE 0 10 3 2 1004 a 1010 2\n"
		"1000 c 59 3\n100c 9 60 7\nSTACK WIN 4 1000 30 0 0 0 0 0 0 0 0\nSTACK CFI INIT 2000 9 .cfa: $esp 4 +\nPUBLIC 2000 4 g\n"
		"STACK CFI 2001 .cfa: $esp 8 +\nFUNC 3000 8 0 without\nINFO CODE_ID 12AB x.exe\nSTACK WIN 4 4000 10 1 2 3 4 5 6 1 $eip 4 + ^ =\n"
		"FUNC zz\nwhat is this\n";
	static const struct {
		uint32_t line, from, length;	/* the marked bytes of the line */
		const char *rows, *leads;
	} cases[] = {
		{ 1, 19, 4, "> 1 MODULE Linux x86 AB12 app|                       ^^^^|    operating_system  Linux  text  where the module runs: Linux, mac, windows, ...|    architecture      x86    text  the processor its code is for|>   id                AB12   hex  identifies the build; dumps refer to symbols by it|    name              app    text  the module's file or debug file",
		  " 1:1 1:20 1:8 1:14 1:18 1:23" },
		{ 2, 0, 0, "> 2 FILE 3 a b.c|    number  3      dec  the number of the file in line and INLINE records|    name    a b.c  text  path of the source",
		  " 2:1 2:6 2:8" },
		{ 3, 0, 0, "> 3 INLINE_ORIGIN 2 ns::f|    number  2      dec  the number of the function in INLINE records|    name    ns::f  text  name of the inlined function",
		  " 3:1 3:15 3:17" },
		{ 4, 5, 1, "> 4 FUNC m 1000 30 8 f(int, char)|         ^|>   m               m             flag  several symbols have this code; the others' names are not kept|    address         1000          hex  first byte of code, counted from the module's base|    size            30            hex = 48  bytes of code|    parameter_size  8             hex  bytes of arguments that callers push|    name            f(int, char)  text  of the function",
		  " 8:1 4:6 4:6 4:8 4:13 4:16 4:18" },
		{ 5, 11, 1, "> 5 INLINE 0 10 3 2 1004 a 1010 2|               ^|    inline_nest_level   0     dec  0: inlined into the function itself, 1: into the one before, ...|    call_site_line      10    dec  line of the call|    call_site_file_num  3     dec  a b.c, number of a FILE record|    origin_num          2     dec  ns::f, number of an INLINE_ORIGIN record|    address             1004  hex  first byte of a range of its code|    size                a     hex = 10  bytes of that range|    address             1010  hex  first byte of a range of its code|    size                2     hex  bytes of that range",
		  " 3:1 5:12 5:8 5:10 2:1 3:1 5:17 5:22 5:24 5:29" },
		{ 6, 5, 1, "> 6 1000 c 59 3|         ^|    address  1000  hex  first byte of code, counted from the module's base|>   size     c     hex = 12  bytes of code|    line     59    dec  of the source|    filenum  3     dec  a b.c, number of a FILE record",
		  " 2:1 6:6 6:1 6:6 6:8 2:1" },
		{ 7, 0, 0, "> 7 100c 9 60 7|    address  100c  hex  first byte of code, counted from the module's base|    size     9     hex  bytes of code|    line     60    dec  of the source|    filenum  7     dec  no record with this number, number of a FILE record",
		  " 7:1 7:1 7:6 7:8 7:11" },
		{ 8, 12, 4, "> 8 STACK WIN 4 1000 30 0 0 0 0 0 0 0 0|                ^^^^|    type                  4     hex  4: frame data, with a program; 0: FPO, sizes alone; 1 to 3 are never used|>   rva                   1000  hex  first byte of code, counted from the module's base|    code_size             30    hex = 48  bytes of code that the record covers|    prologue_size         0     hex  bytes of its prologue; not used by walkers|    epilogue_size         0     hex  bytes of its epilogue; not used by walkers|    parameter_size        0     hex  .cbParams: bytes of its arguments|    saved_register_size   0     hex  .cbSavedRegs: bytes of saved registers|    local_size            0     hex  .cbLocals: bytes of local variables|    max_stack_size        0     hex  most bytes pushed; not used by walkers|    has_program_string    0     hex  1: a program follows; 0: a flag does|    program_string_or_allocates_base_pointer 0 postfix  assigns the caller's registers; or 1: ebp is used for something else",
		  " 4:1 8:13 8:11 8:13 8:18 8:21 8:23 8:25 8:27 8:29 8:31 8:33 8:35" },
		{ 9, 0, 0, "> 9 STACK CFI INIT 2000 9 .cfa: $esp 4 +|    address  2000            hex  first byte of code, counted from the module's base|    size     9               hex  bytes of code that it and its deltas cover|    rules    .cfa: $esp 4 +  postfix  REGISTER: EXPRESSION, in force from the address on",
		  " 10:1 9:16 9:21 9:23" },
		{ 10, 0, 0, ">10 PUBLIC 2000 4 g|    address         2000  hex  address of the symbol; its size is unknown|    parameter_size  4     hex  bytes of arguments that callers push|    name            g     text  of the symbol",
		  " 9:1 10:8 10:13 10:15" },
		{ 11, 15, 12, ">11 STACK CFI 2001 .cfa: $esp 8 +|                   ^^^^^^^^^^^^|    address  2001            hex  from here on its rules replace those before|>   rules    .cfa: $esp 8 +  postfix  only the rules that change",
		  " 10:1 11:16 11:11 11:16" },
		{ 12, 0, 0, ">12 FUNC 3000 8 0 without|    address         3000     hex  first byte of code, counted from the module's base|    size            8        hex  bytes of code|    parameter_size  0        hex  bytes of arguments that callers push|    name            without  text  of the function",
		  " 12:1 12:6 12:11 12:13 12:15" },
		{ 13, 0, 0, ">13 INFO CODE_ID 12AB x.exe|    code_id  12AB   hex  identifies the module's own file|    file     x.exe  text  its name",
		  " 13:1 13:14 13:19" },
		{ 14, 0, 0, ">14 STACK WIN 4 4000 10 1 2 3 4 5 6 1 $eip 4 + ^ =|    type                  4             hex  4: frame data, with a program; 0: FPO, sizes alone; 1 to 3 are never used|    rva                   4000          hex  first byte of code, counted from the module's base|    code_size             10            hex = 16  bytes of code that the record covers|    prologue_size         1             hex  bytes of its prologue; not used by walkers|    epilogue_size         2             hex  bytes of its epilogue; not used by walkers|    parameter_size        3             hex  .cbParams: bytes of its arguments|    saved_register_size   4             hex  .cbSavedRegs: bytes of saved registers|    local_size            5             hex  .cbLocals: bytes of local variables|    max_stack_size        6             hex  most bytes pushed; not used by walkers|    has_program_string    1             hex  1: a program follows; 0: a flag does|    program_string_or_allocates_base_pointer $eip 4 + ^ = postfix  assigns the caller's registers; or 1: ebp is used for something else",
		  " 14:1 14:11 14:13 14:18 14:21 14:23 14:25 14:27 14:29 14:31 14:33 14:35" },
		{ 15, 0, 0, ">15!FUNC zz|    address  zz  hex  first byte of code, counted from the module's base", " 15:1 15:6" },
		{ 16, 0, 0, ">16!what is this", " 16:1" },
	};
	struct symfile *symfile = open_bytes(bytes, sizeof(bytes) - 1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct output_string rows, leads;
		uint64_t start = 0;

		symfile_line_offset(symfile, cases[i].line, &start);
		const struct listing listing = raw_symbols_listing(
			symfile, symfile_place(symfile, start + cases[i].from, cases[i].length), true, &arena);
		output_string_init(&rows, &arena);
		output_string_init(&leads, &arena);
		for (size_t at = cases[i].line - 1; at < listing.count - (16 - cases[i].line); at++) {
			const struct target target = listing_target(&listing, at);
			output_format(&rows.output, "%s%s", rows.length > 0 ? "|" : "", fill(&listing, at, 0));
			output_format(&leads.output, " %u:%u", target.place.line, target.place.column);
			is_u64(raw_symbols_line(&listing, at), cases[i].line, "row %zu is one of line %u", at, cases[i].line);
		}
		is_u64(cases[i].line == 16 ? listing.count : raw_symbols_row(&listing, cases[i].line + 1),
		       listing.count - (16 - cases[i].line), "the row of the line after line %u", cases[i].line);
		is_str(rows.text, cases[i].rows, "line %u and its fields", cases[i].line);
		is_str(leads.text, cases[i].leads, "where line %u and its fields lead", cases[i].line);
	}
	const struct listing closed = raw_symbols_listing(symfile, (struct place){ 0 }, false, &arena);
	row_clear(&row);
	listing_explain(&closed, 14, &row);
	is_str(row_text(&row), "! malformed: expected FUNC [m] address size parameter_size name; it is skipped   FUNC  address zz",
	       "a malformed record is explained with its form");
	symfile_close(symfile);
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
