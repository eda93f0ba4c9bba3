/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/rules/rows.h"

/* Tables of unwind rules: every row and cell of small symbol files, worked out by hand. */

static struct symfile *symfile, *version;
static struct rule_run run;
static const struct record_edits *edits;	/* edits of the next file, or NULL */

static void
make(const char *records, enum arch_id arch, uint64_t address, int64_t parameters)
{
	struct rule_module module = { .arch = arch_by_id(arch), .policy = &policy, .parameters = parameters, .keeps_ebx = true };
	struct error error;

	symfile_close(version);
	symfile_close(symfile);
	symfile = version = NULL;
	arena_reset(&arena);
	policy = policy_column(POLICY_UNSPOOL);
	ok(symfile_from_memory(&symfile, "x.sym", records, strlen(records), &error) == ERROR_NONE, "a symbol file is read");
	ok(edits == NULL || symfile_version(&version, symfile, edits), "the edits of a symbol file are read");
	module.symfile = version != NULL ? version : symfile;
	rule_run_at(&module, address, &arena, &run);
	rule_tables_init(&tables, &arena, module.arch, run.first, run.last);
	rule_tables_add_all(&tables, &module);
}

TEST(cfi)
{
	make("MODULE Linux x86_64 1 x\nFUNC 1000 20 0 f\n"
	     "STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
	     "STACK CFI 1001 .cfa: $rsp 16 + $rbp: .cfa -16 + ^\nSTACK CFI 1004 .cfa: $rbp 16 +\n"
	     "STACK CFI 1008 $r12: $r12 $rdi: .undef $rbx: $rbp 8 - ^\n"
	     "STACK CFI 101f .cfa: $rsp 8 + $rbp: $rbp .foo: $rax 2 *\n", ARCH_AMD64, 0x1005, -1);
	columns_are("CFA ra rbx rbp r12 rdi .foo", "CFA and ra come first, then what calls keep, the others, other names");
	ok(run.named && run.first == 0x1000 && run.last == 0x101f, "the run is the function's");
	ROWS(0, "STACK CFI", "1000-1000 :3 rsp+8 c-8 . . . - -",
	     "1001-1003 :4 *rsp+16 c-8 . *c-16 . - -", "1004-1007 :5 *rbp+16 c-8 . c-16 . - -",
	     "1008-101e :6 rbp+16 c-8 *c-24 c-16 *s *u -", "101f-101f :7 *rsp+8 c-8 [rbp-8] *s s u *exp");
	const struct rule_row *row = rule_table_at(&tables.tables[0], 0x1005);
	ok(row == &tables.tables[0].rows[2], "a row holds up to the next row");
	ok(row->cells[3].place.line == 4 && row->cells[3].place.column == 38 && row->cells[3].place.length == 12,
	   "a cell that did not change has the line and column that set it");
	ok(row->cells[0].record.line == 5 && row->cells[0].record.column == 1, "a cell that did not change has its record");
	is_u64(rule_tables_obeyed(&tables, 0x1005), SIZE_MAX, "a table alone needs no mark");
}

TEST(defects)
{
	make("MODULE Linux x86_64 1 x\n"
	     "FUNC 1000 20 0 f\nSTACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
	     "STACK CFI 1001 .cfa: $rsp 16 +\nSTACK CFI zz .cfa: $rsp 24 +\nSTACK CFI 1001\n"
	     "STACK CFI 1002 .cfa: $rsp 24 + $rbp:\nSTACK CFI 2000 .cfa: $rsp 32 +\nSTACK CFI 1004 .cfa: $rsp 40 +\n"
	     "STACK CFI 1004 .cfa: $rsp 48 +\n", ARCH_AMD64, 0x1000, -1);
	ROWS(0, "STACK CFI", "1000-1000 :3 rsp+8 c-8", "1001-1001 :4 *rsp+16 c-8",
	     "1001-1001 :5 (the address is not a hexadecimal number)",
	     "1001-1001 :6 (malformed: expected STACK CFI address rules)", "1002-1003 :7 *rsp+24 c-8",
	     "1002-1002 :7 (the rules of this record are malformed from here on)",
	     "1002-1002 :8 (outside the range of its INIT record, where it never applies)", "1004-100f :10 *rsp+48 c-8",
	     "1004-1004 :9 (replaced: the next record is for the same address)", "1010-101f nothing");
	const struct rule_table *table = &tables.tables[0];
	ok(rule_table_at(table, 0x1001) == &table->rows[1] && rule_table_at(table, 0x1003) == &table->rows[4] &&
		   rule_table_at(table, 0x1004) == &table->rows[7] && rule_table_at(table, 0x100f) == &table->rows[7] &&
		   rule_table_at(table, 0xfff) == NULL, "unused records are valid nowhere");
	make("MODULE Linux x86_64 1 x\nSTACK CFI INIT 1000 10 .cfa: $rsp 8 +\n"
	     "STACK CFI 1008 .ra: .cfa -8 + ^\n", ARCH_AMD64, 0x1004, -1);
	ok(!run.named && run.first == 0x1000 && run.last == 0x100f, "the run is the record's without a function");
	ROWS(0, "STACK CFI", "1000-1007 :2 rsp+8 - (no record in force has a rule for .ra)", "1008-100f :3 rsp+8 *c-8");
}

/* A function whose second half has its own records, and one inside a larger record. */
TEST(runs)
{
	make("MODULE Linux arm64 1 x\nFUNC 1004 1c 0 f\n"
	     "STACK CFI INIT 1000 8 .cfa: sp 0 + .ra: x30\n"
	     "STACK CFI 1004 .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^\n"
	     "STACK CFI INIT 1010 20 .cfa: x29 32 + .ra: .cfa -24 + ^ x19: .cfa -8 + ^\n", ARCH_ARM64, 0x1010, -1);
	columns_are("CFA ra x19 fp", "registers have their usual names");
	ROWS(0, "STACK CFI", "1004-1007 :4 sp+32 c-24 . c-32", "1008-100f nothing", "1010-101f :5 fp+32 c-24 c-8 .");
}

TEST(win)
{
	make("MODULE windows x86 1 x\nFUNC 1000 40 8 f\n"
	     "STACK WIN 4 1000 40 3 0 8 4 c 0 1 $T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + = $ebx $T0 20 - ^ =\n"
	     "STACK WIN 4 1010 8 0 0 0 0 0 0 1 $eip .raSearch ^ = $esp .raSearch 4 + =\n"
	     "STACK WIN 4 1020 4 0 0 0 0 0 0 1 $eip 4 + =\nSTACK WIN 0 1000 40 3 0 8 4 c 0 0 1\n", ARCH_X86, 0x1002, 0);
	columns_are("CFA ra ebp ebx", "eip is the return address and esp the CFA");
	ROWS(0, "STACK WIN 4", "1000-100f :3 !ebp+8 c-4 !c-8 c-28",
	     "1010-1017 :4 *!esp+4 c-4 *!. *?", "1018-101f :3 *!ebp+8 c-4 *!c-8 *c-28",
	     "1020-1023 :5 (an operator of the program has too few operands)", "1024-103f :3 !ebp+8 c-4 !c-8 c-28");
	/* The return address is at esp + 0 + 12 + 4; ebp is saved at esp + 0 + 4 - 8. */
	ROWS(1, "STACK WIN 0", "1000-103f :6 !esp+20 c-4 !c-24 ?");
	is_u64(rule_tables_obeyed(&tables, 0x1002), 0, "the first of two tables is used");
	is_u64(rule_tables_obeyed(&tables, 0x1021), 1, "the second table is used if the first one's row is broken");
	const struct rule_cell *ra = &tables.tables[0].rows[0].cells[1];
	ok(ra->text.length == 10 && memcmp(ra->text.start, "$ebp 4 + ^", 10) == 0, "a program's own names are written out");
	ok(ra->place.column == 51 && ra->place.length == 9, "the tokens that made a cell are its place");
	make("MODULE windows x86 1 x\nFUNC 1000 40 8 f\nSTACK WIN 0 1000 40 3 0 8 4 c 0 0 0\n", ARCH_X86, 0x1002, -1);
	ROWS(0, "STACK WIN 0", "1000-103f :3 esp+20+p c-4 s");
	ok(tables.tables[0].note != NULL, "a note explains p");
	make("MODULE windows x86 1 x\nFUNC 1000 40 8 f\nSTACK WIN 0 1000 40 3 0 8 4 c 0 0 0\n", ARCH_X86, 0x1002, 8);
	ROWS(0, "STACK WIN 0", "1000-103f :3 esp+28 c-4 s");
	make("MODULE windows x86 1 x\nFUNC 1000 40 8 f\n"
	     "STACK WIN 4 1000 40 3 0 8 8 c 0 1 $T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 "
	     "8 + =  $20 $T0 16 - ^ =  $24 $T0 20 - ^ = \n", ARCH_X86, 0x1002, 0);
	columns_are("CFA ra ebp ebx edi", "a number of CodeView is the register's name");
	ROWS(0, "STACK WIN 4", "1000-103f :3 ebp+8 c-4 c-8 c-24 c-28");
}

/* Programs as long as allowed, and longer ones: the message of their row. */
static const struct {
	const char *head, *repeated, *tail;
	size_t count;
	const char *message;	/* NULL: no message */
} long_programs[] = {
	/* "$x...x 1 +" is kept up to 1,024 characters. */
	{ "$esp $ebp 8 + = $eip $", "x", " 1 + =", 1024 - 5, NULL },
	{ "$esp $ebp 8 + = $eip $", "x", " 1 + =", 1025 - 5, "a value of the program is too long to print" },
	{ "$esp $ebp 8 + = $eip $", "x", " ^ =", 1024 - 3, NULL },
	{ "$esp $ebp 8 + = $eip $", "x", " ^ =", 1025 - 3, "a value of the program is too long to print" },
	/* The stack takes 64 values. */
	{ "$esp 1 = $eip 1 =", " 1", "", 64, "the program leaves values on the stack" },
	{ "$esp 1 = $eip 1 =", " 1", "", 65, "the program needs more stack than the limit" },
	/* A program has at most 4,096 tokens. */
	{ "$esp 1 = $eip", " 1 = $eip", " 1 =", (4096 - 6) / 3, NULL },
	{ "$esp 1 = $eip", " 1 = $eip", " 1 =", (4096 - 6) / 3 + 1, "the program is longer than the limit" },
};

TEST_EACH(long_programs, long_programs)
{
	static char records[40000];
	size_t length = (size_t)sprintf(records, "MODULE windows x86 1 x\n"
					"STACK WIN 4 1000 40 0 0 0 0 0 0 1 %s", long_programs[i].head);

	for (size_t k = 0; k < long_programs[i].count; k++)
		length += (size_t)sprintf(records + length, "%s", long_programs[i].repeated);
	sprintf(records + length, "%s\n", long_programs[i].tail);
	make(records, ARCH_X86, 0x1000, 0);
	is_str(tables.tables[0].rows[0].message, long_programs[i].message,
	       "a program with %zu times '%s' has the expected message or none",
	       long_programs[i].count, long_programs[i].repeated);
}

/* The sources of a module, depending on its files, and the code that their tables cover. */
static const struct {
	const char *title;
	enum arch_id arch;
	const char *records;	/* NULL: no file */
	uint64_t address;
	const char *sources;
	bool found, named;
	uint64_t first, last;
} sources_rows[] = {
	{ "an address without a file", ARCH_AMD64, NULL, 0x1004, "", false, false, 0x1004, 0x1004 },
	{ "a file without records", ARCH_AMD64, "MODULE Linux x86_64 1 x\n", 0x1004, "STACK CFI ", false, false, 0x1004, 0x1004 },
	{ "a file of x86", ARCH_X86, "MODULE windows x86 1 x\n",
	  0x1004, "STACK WIN 4 STACK WIN 0 STACK CFI ", false, false, 0x1004, 0x1004 },
	{ "an address in a function",
	  ARCH_AMD64, "FUNC 1000 20 0 f\nSTACK CFI INIT 1000 8 .cfa: 1\n", 0x101f, "STACK CFI ", true, true, 0x1000, 0x101f },
	{ "an address after a function", ARCH_AMD64, "FUNC 1000 20 0 f\n", 0x1020, "STACK CFI ", false, false, 0x1020, 0x1020 },
	{ "a name without a size", ARCH_AMD64, "PUBLIC 1000 0 p\n", 0x1004, "STACK CFI ", true, true, 0x1004, 0x1004 },
	{ "a name at 0", ARCH_AMD64, "PUBLIC 0 0 p\n", 0x1004, "STACK CFI ", true, true, 0x1004, 0x1004 },
	{ "a name and a record with a size",
	  ARCH_AMD64, "PUBLIC 1000 0 p\nSTACK CFI INIT 1000 8 .cfa: 1\n", 0x1004, "STACK CFI ", true, true, 0x1000, 0x1007 },
	{ "a record alone", ARCH_AMD64, "STACK CFI INIT 1000 8 .cfa: 1\n", 0x1007, "STACK CFI ", true, false, 0x1000, 0x1007 },
	{ "the record of the first source", ARCH_X86, "STACK CFI INIT 1000 8 .cfa: 1\nSTACK WIN 0 1002 4 0 0 0 0 0 0 0 0\n",
	  0x1005, "STACK WIN 4 STACK WIN 0 STACK CFI ", true, false, 0x1002, 0x1005 },
};

TEST_EACH(sources, sources_rows)
{
	struct rule_module module = { .arch = arch_by_id(sources_rows[i].arch), .policy = &policy };
	struct unwind_source sources[UNWIND_SOURCES];
	struct symfile *file = NULL;
	struct error error;
	char names[100] = "";

	if (sources_rows[i].records != NULL)
		symfile_from_memory(&file, "x.sym", sources_rows[i].records, strlen(sources_rows[i].records), &error);
	module.symfile = file;
	const size_t count = unwind_sources(&module, sources);
	for (size_t k = 0; k < count; k++)
		strcat(strcat(names, sources[k].kind->name), " ");
	is_str(names, sources_rows[i].sources, "%s has the expected sources", sources_rows[i].title);
	is_u64(rule_run_at(&module, sources_rows[i].address, &arena, &run), sources_rows[i].found,
	       "%s has rules or none as expected", sources_rows[i].title);
	ok(run.named == sources_rows[i].named && run.first == sources_rows[i].first && run.last == sources_rows[i].last,
	   "%s covers the expected code", sources_rows[i].title);
	symfile_close(file);
}

/* Shadowed records are in the table of their type, with the reason. */
TEST(refused)
{
#define HEAD "MODULE windows x86 1 x\nFUNC 1000 30 0 f\n"
#define RETURN "$eip $esp ^ = $esp $esp 4 + =\n"
	make(HEAD "STACK WIN 4 1000 20 0 0 0 0 0 0 1 " RETURN "STACK WIN 4 1010 30 0 0 0 0 0 0 1 " RETURN
	     "STACK WIN 0 1000 30 0 0 0 0 0 0 0 0\n"
	     "STACK WIN 4 ff0 14 0 0 0 0 0 0 1 " RETURN "STACK WIN 0 1020 40 0 0 0 0 0 0 0 0\n"
	     "STACK WIN 4 1030 10 0 0 0 0 0 0 1 " RETURN "STACK WIN 4 1030 10 0 0 0 0 0 0 1 " RETURN, ARCH_X86, 0x1000, 0);
	ROWS(0, "STACK WIN 4", "1000-101f :3 esp+4 c-4 ?",
	     "1010-1010 :4 (STACK WIN 0x1010+0x30 overlaps 0x1000+0x20 of line 3)", "1020-102f nothing");
	ROWS(1, "STACK WIN 0", "1000-102f :5 esp+4 c-4 s", "1020-1020 :7 (STACK WIN 0x1020+0x40 overlaps 0x1000+0x30 of line 5)");
	/* At the first and the last address of the code, and just outside. */
	make(HEAD "STACK WIN 4 ff8 c 0 0 0 0 0 0 1 " RETURN "STACK WIN 4 1000 10 0 0 0 0 0 0 1 " RETURN
	     "STACK WIN 4 fff 9 0 0 0 0 0 0 1 " RETURN "STACK WIN 4 1028 20 0 0 0 0 0 0 1 " RETURN
	     "STACK WIN 4 102f 20 0 0 0 0 0 0 1 " RETURN "STACK WIN 4 1030 20 0 0 0 0 0 0 1 " RETURN, ARCH_X86, 0x1000, 0);
	ROWS(0, "STACK WIN 4", "1000-1003 :3 esp+4 c-4", "1000-1000 :4 (STACK WIN 0x1000+0x10 overlaps 0xff8+0xc of line 3)",
	     "1004-1027 nothing", "1028-102f :6 esp+4 c-4",
	     "102f-102f :7 (STACK WIN 0x102f+0x20 overlaps 0x1028+0x20 of line 6)");
#undef HEAD
}

/* STACK WIN programs as rules over the callee's registers, or the reason for their absence. */
static const struct {
	const char *program, *row;	/* text after "1000-103f :2 " */
	int64_t parameters;
} programs_rows[] = {
	{ "$esp $ebp 8 + = $eip $ebp 4 + ^ =", "ebp+8 c-4", 0 }, { "$eip .raSearchStart ^ = $esp .raSearchStart 4 + =", "esp+24 c-4", 0 },
	{ "$eip .raSearch ^ = $esp .raSearch 4 + =", "esp+32 c-4", 8 }, { "$eip .raSearch ^ = $esp .raSearch 4 + =", "esp+24+p c-4", -1 },
	{ "$T0 $esp 16 @ = $eip .raSearch ^ = $esp .raSearch 4 + =", "ebp+8 c-4", 0 },
	{ "$eip $esp .cbSavedRegs + ^ = $esp $esp .cbSavedRegs + 4 + =", "esp+12 c-4", 0 },
	{ "$eip $esp .cbLocals + ^ = $esp $esp .cbLocals + 4 + =", "esp+16 c-4", 0 },
	{ "$eip $esp .cbParams + ^ = $esp $esp .cbParams + 4 + =", "esp+8 c-4", 0 },
	{ "$eip $esp .cbCalleeParams + ^ = $esp $esp .cbCalleeParams + 4 + =", "esp+24 c-4", 20 },
	{ "$eip $esp .cbCalleeParams + ^ = $esp $esp .cbCalleeParams + 4 + =", "esp+4+p c-4", -1 },
	{ "$eip 1 =", "1 (the program does not set both $eip and $esp)", 0 },
	{ "$esp 1 =", "1 (the program does not set both $eip and $esp)", 0 },
	{ "$eip 1 = $esp 2 = 3", "2 1 (the program leaves values on the stack)", 0 },
	{ "1 2 =", "(the program assigns to a value that is not a variable)", 0 },
	{ ".x 2 =", "(the program assigns to a value that is not a variable)", 0 },
	{ "$eip $esp + 2 =", "(the program assigns to a value that is not a variable)", 0 },
	{ "$eip =", "(an operator of the program has too few operands)", 0 },
	{ "^", "(an operator of the program has too few operands)", 0 },
	{ "1 +", "(an operator of the program has too few operands)", 0 },
};

TEST_EACH(programs, programs_rows)
{
	char records[1000], row[200];

	snprintf(records, sizeof(records), "MODULE windows x86 1 x\n"
		 "STACK WIN 4 1000 40 0 0 4 8 c 0 1 %s\n", programs_rows[i].program);
	make(records, ARCH_X86, 0x1000, programs_rows[i].parameters);
	snprintf(row, sizeof(row), "1000-103f :2 %s", programs_rows[i].row);
	is_str(tables.count == 1 ? row_text(&tables.tables[0], 0) : "none", row, "the row of '%s' is right", programs_rows[i].program);
}

/* A value in a column, in short form and in a sentence. */
TEST(cells)
{
	static const struct {
		const char *rule, *cell, *words;
	} cases[] = {
		{ ".cfa 8 +", "rsp+16", "rsp+16" }, { ".cfa", "rsp+8", "rsp+8" },
		{ ".cfa 16 - ^", "c-16", "the word at the CFA less 16" }, { ".cfa ^", "c+0", "the word at the CFA plus 0" },
		{ ".cfa 8 + ^", "c+8", "the word at the CFA plus 8" }, { "$rsp ^", "c-8", "the word at the CFA less 8" },
		{ "$rbp 8 - ^", "[rbp-8]", "the word at rbp-8" }, { "$rbp ^", "[rbp]", "the word at rbp" },
		{ "$rbp", "rbp", "rbp" }, { "$rbp 4 +", "rbp+4", "rbp+4" }, { "5", "5", "5" },
		{ "4096 ^", "[4096]", "the word at 4096" }, { "$rax 2 *", "exp", "a longer expression" },
		{ "$rbx", "s", "unchanged by a record" }, { ".undef", "u", "undefined: its rule is a name without a value" },
	};
	char records[400], text[200];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		snprintf(records, sizeof(records), "MODULE Linux x86_64 1 x\nSTACK CFI INIT 1000 10 .cfa: $rsp 8 + "
			 ".ra: .cfa -8 + ^ $rbx: %s\n", cases[i].rule);
		make(records, ARCH_AMD64, 0x1000, -1);
		const struct rule_row *row = &tables.tables[0].rows[0];
		is_str(rule_cell_format(&tables, row, 2, text, sizeof(text)), cases[i].cell, "'%s' is shown in a column", cases[i].rule);
		is_str(rule_cell_explain(&tables, row, 2, text, sizeof(text)), cases[i].words, "'%s' is shown in words", cases[i].rule);
	}
	make("MODULE Linux x86_64 1 x\nSTACK CFI INIT 1000 10 .cfa: $rsp .ra: $rax\n"
	     "STACK CFI 1004 .cfa: $rax 2 * $rbx: .cfa 8 -\nSTACK CFI 1008 $rbx: .cfa\n"
	     "STACK CFI 100c $rbx: .cfa 8 - ^\n", ARCH_AMD64, 0x1000, -1);
	ROWS(0, "STACK CFI", "1000-1003 :2 rsp+0 rax .", "1004-1007 :3 *exp rax *v-8",
	     "1008-100b :4 exp rax *v+0", "100c-100f :5 exp rax *c-8");
	is_str(rule_cell_explain(&tables, &tables.tables[0].rows[1], 2, text, sizeof(text)),
	       "cfa-8", "a distance from a CFA that is not a sum is shown in words");
	const struct rule_cell *kept = &tables.tables[0].rows[0].cells[2];
	ok(kept->kind == RULE_CELL_KEPT && kept->record.line == 2 && kept->place.line == 2,
	   "a cell without a rule has the place of its row");
	is_str(rule_cell_explain(&tables, &tables.tables[0].rows[0], 2, text, sizeof(text)),
	       "unchanged: no record mentions it, and calls preserve it", "a register that no record mentions is preserved");
	make("MODULE Linux x86 1 x\nSTACK CFI INIT 1000 10 .cfa: $esp 4 + .ra: .cfa -4 + ^ "
	     "$ebx: $esp 4294967292 + ^ $esi: $esp 4294967292 +\n", ARCH_X86, 0x1000, -1);
	ROWS(0, "STACK CFI", "1000-100f :2 esp+4 c-4 c-8 esp-4");
}

/* Lines that end with a carriage return, or with the file. */
TEST(line_ends)
{
	make("MODULE Linux x86_64 1 x\r\nSTACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\r\n"
	     "STACK CFI 1001 .cfa: $rsp 16 +\r\nSTACK CFI zz .cfa: $rsp 24 +\r\n\r\n"
	     "STACK CFI 2000 .cfa: $rsp 32 +\r\nSTACK CFI 1004 .cfa: $rsp 40 +\r\n"
	     "STACK CFI 1004 .cfa: $rsp 48 +", ARCH_AMD64, 0x1000, -1);
	ROWS(0, "STACK CFI", "1000-1000 :2 rsp+8 c-8", "1001-1003 :3 *rsp+16 c-8",
	     "1001-1001 :4 (the address is not a hexadecimal number)",
	     "1001-1001 :6 (outside the range of its INIT record, where it never applies)", "1004-100f :8 *rsp+48 c-8",
	     "1004-1004 :7 (replaced: the next record is for the same address)");
	make("MODULE Linux x86_64 1 x\nFUNC 1000 11 0 f\n"
	     "STACK CFI INIT 1000 8 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
	     "STACK CFI INIT 1010 8 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n", ARCH_AMD64, 0x1000, -1);
	ROWS(0, "STACK CFI", "1000-1007 :3 rsp+8 c-8", "1008-100f nothing", "1010-1010 :4 rsp+16 c-8");
	make("MODULE Linux x86_64 1 x\nFUNC 1000 10 0 f\n"
	     "STACK CFI INIT 1000 8 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
	     "STACK CFI INIT 1010 8 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n", ARCH_AMD64, 0x1000, -1);
	ROWS(0, "STACK CFI", "1000-1007 :3 rsp+8 c-8", "1008-100f nothing");
}

/* Lines that may follow an INIT record, and whether the next line belongs to its run. */
TEST(followers)
{
	static const struct {
		const char *line, *why;		/* NULL: it ends the run */
	} cases[] = {
		{ "junk", "unknown record" }, { "STACK FOO 1", "malformed: expected STACK CFI address rules" },
		{ "STACK CFI", "malformed: expected STACK CFI address rules" },
		{ "STACK CFI fff .cfa: 1", "outside the range of its INIT record, where it never applies" },
		{ "STACK CFI 1010 .cfa: 1", "outside the range of its INIT record, where it never applies" },
		{ "STACK CFI 10q0 .cfa: 1", "the address is not a hexadecimal number" },
		{ "STACK WIN 4 2000 10 0 0 0 0 0 0 1 $eip 1 =", NULL },
		{ "STACK CFI INIT 2000 10 .cfa: 1 .ra: 2", NULL }, { "FUNC 2000 10 0 g", NULL },
		{ "PUBLIC 2000 0 g", NULL }, { "2000 10 5 1", NULL },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char records[400], row[200];
		snprintf(records, sizeof(records), "MODULE Linux x86_64 1 x\n"
			 "STACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n%s\n"
			 "STACK CFI zz .cfa: 1\n", cases[i].line);
		make(records, ARCH_AMD64, 0x1000, -1);
		const struct rule_table *table = &tables.tables[0];
		is_u64(table->count, cases[i].why != NULL ? 3 : 1, "the table has the expected rows after '%s'", cases[i].line);
		is_str(row_text(table, 0), "1000-100f :2 rsp+8 c-8", "the row that holds");
		if (table->count != 3)
			continue;
		snprintf(row, sizeof(row), "1000-1000 :3 (%s)", cases[i].why);
		is_str(row_text(table, 1), row, "the row has the line's error");
		is_str(row_text(table, 2), "1000-1000 :4 (the address is not a hexadecimal number)",
		       "the next line belongs to the run or not after '%s'", cases[i].line);
	}
	make("MODULE Linux x86_64 1 x\nSTACK CFI INIT 0 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
	     "STACK CFI 0 .cfa: $rsp 16 +\nSTACK CFI 1 .cfa: $rsp 24 +\n", ARCH_AMD64, 0, -1);
	ROWS(0, "STACK CFI", "0-0 :3 rsp+16 c-8", "1-f :4 *rsp+24 c-8");
}

/* One line of a file is replaced: which cells become what-ifs, and the places of the others. */
static const struct {
	const char *title, *was, *now;
	enum arch_id arch;
	const char *rows[2];
	const char *edited[2];		/* one a column: whether each cell is a what-if */
	const char *placed;		/* text at the place of the last row's last cell */
} changes[] = {
	{ "the rule of a delta", "STACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^", "STACK CFI 1004 .cfa: $rsp 24 + $rbx: .cfa -16 + ^",
	  ARCH_AMD64, { "1000-1003 :3 rsp+8 c-8 .", "1004-103f :4 *rsp+24 c-8 *c-16" }, { "000", "100" }, ".cfa -16 + ^" },
	{ "the rule of an INIT record",
	  "STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^", "STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -16 + ^",
	  ARCH_AMD64, { "1000-1003 :3 rsp+8 c-16 .", "1004-103f :4 *rsp+16 c-16 *c-16" }, { "010", "010" }, ".cfa -16 + ^" },
	{ "a line that the file does not have", "STACK CFI 1004 .cfa: 1", "STACK CFI 1004 .cfa: $rsp 24 +",
	  ARCH_AMD64, { "1000-1003 :3 rsp+8 c-8 .", "1004-103f :4 *rsp+16 c-8 *c-16" }, { "000", "000" }, ".cfa -16 + ^" },
	{ "a program", "STACK WIN 4 1000 20 0 0 0 0 8 0 1 $eip $esp ^ = $esp $esp 4 + =",
	  "STACK WIN 4 1000 20 0 0 0 0 8 0 1 $eip $ebp ^ = $esp $ebp 8 + =",
	  ARCH_X86, { "1000-101f :5 ebp+8 c-8", "1020-103f :6 *esp+12 *c-4" }, { "11", "00" }, ".raSearch ^" },
	{ "a size of a record with a program", "STACK WIN 4 1020 20 0 0 0 0 8 0 1 $eip .raSearch ^ = $esp .raSearch 4 + =",
	  "STACK WIN 4 1020 20 0 0 0 0 10 0 1 $eip .raSearch ^ = $esp .raSearch 4 + =",
	  ARCH_X86, { "1000-101f :5 esp+4 c-4", "1020-103f :6 *esp+20 c-4" }, { "00", "11" }, ".raSearch ^" },
};

TEST(changes)
{
	static const char *const files[] = {
		[ARCH_AMD64] = "MODULE Linux x86_64 1 x\nFUNC 1000 40 0 f\n"
			       "STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
			       "STACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^\n",
		[ARCH_X86] = "MODULE windows x86 1 x\nFUNC 1000 40 0 f\nFUNC 2000 1 0 g\n"
			     "PUBLIC 3000 0 h\n"
			     "STACK WIN 4 1000 20 0 0 0 0 8 0 1 $eip $esp ^ = $esp $esp 4 + =\n"
			     "STACK WIN 4 1020 20 0 0 0 0 8 0 1 $eip .raSearch ^ = "
			     "$esp .raSearch 4 + =\n",
	};

	for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
		const char *file = files[changes[i].arch];
		const char *line = strstr(file, changes[i].was);
		const struct record_edit edit = {
			.file = "x.sym", .offset = line != NULL ? (uint64_t)(line - file) : 0,
			.was = text_of(changes[i].was), .now = text_of(changes[i].now) };
		const struct record_edits one = { &edit, 1 };

		edits = &one;
		make(file, changes[i].arch, 0x1000, 0);
		edits = NULL;
		const struct rule_table *table = &tables.tables[0];
		is_u64(table->count, 2, "%s: the table has two rows", changes[i].title);
		for (size_t row = 0; row < 2 && row < table->count; row++) {
			char edited[8] = "";
			for (size_t k = 0; k < tables.column_count && k < 7; k++)
				edited[k] = table->rows[row].cells[k].edited ? '1' : '0';
			is_str(row_text(table, row), changes[i].rows[row], "%s: row %zu is right", changes[i].title, row);
			is_str(edited, changes[i].edited[row], "%s: the changed cells of row %zu are marked", changes[i].title, row);
		}
		const struct rule_cell *last = &table->rows[1].cells[tables.column_count - 1];
		const struct place *place = &last->place;
		ok(place->length == strlen(changes[i].placed) &&
		   memcmp(file + place->offset, changes[i].placed, place->length) == 0, "an unchanged cell keeps its place");
	}
	/* Tokens of a program that the file lacks have no place, but the record has one. */
	const struct record_edit edit = { .file = "x.sym", .offset = (uint64_t)(strstr(files[ARCH_X86], "STACK WIN") - files[ARCH_X86]),
		.was = text_of(changes[3].was), .now = text_of(changes[3].now) };
	const struct record_edits one = { &edit, 1 };
	edits = &one;
	make(files[ARCH_X86], ARCH_X86, 0x1000, 0);
	edits = NULL;
	const struct place *place = &tables.tables[0].rows[0].cells[1].place;
	ok(place->offset == edit.offset && place->length == edit.was.length, "a changed program has the place of its record");
}

/* A program whose values double with each assignment gives a message and little memory. */
TEST(growth)
{
	char text[4000] = "MODULE windows x86 1 x\nSTACK WIN 4 1000 40 0 0 0 0 0 0 1 $T0 $ebp =";

	for (int i = 0; i < 60; i++)
		strcat(text, " $T0 $T0 $T0 + =");
	strcat(text, " $eip $T0 = $esp $T0 =\n");
	make(text, ARCH_X86, 0x1000, 0);
	ROWS(0, "STACK WIN 4", "1000-103f :2 (a value of the program is too long to print)");
}

/* Rows with more and more names end when the table exceeds the size of any real one. */
TEST(size)
{
	const size_t room = 4u << 20;
	char *text = malloc(room);
	size_t at = (size_t)sprintf(text, "MODULE Linux x86_64 1 x\nSTACK CFI INIT 1000 100000 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n");

	for (unsigned i = 0; i < 40000; i++)
		at += (size_t)sprintf(text + at, "STACK CFI %x .cfa: $rsp %u + n%u: .cfa\n", 0x1001 + i, i, i % 300);
	make(text, ARCH_AMD64, 0x1000, 0);
	ok(tables.count == 1 && tables.tables[0].full, "a table that is too large has a message");
	ok(tables.tables[0].count > 2500 && tables.tables[0].count < 40000, "a table that is too large has rows up to the limit");
	free(text);
}

int
main(void)
{
	run_tests();
	symfile_close(symfile);
	arena_free(&arena);
	return done_testing();
}
