/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/rule_table.h"

#include "base/limits.h"
#include "tests/unit/rules/columns.h"

/* Tables that are filled row by row: the order of rows and columns, the row in force at an address, the changes from row to row,
 * and the differences of two sources. By the sentences of rule_table.h; the code is 100 to 1ff. */
enum { FIRST = 0x100, LAST = 0x1ff, ROWS = 6 };

enum kind {
	END, RULES,
	PARTIAL,	/* rules of a source that does not cover all registers */
	OUTERMOST,	/* rules, and the caller has no return address */
	LABEL,		/* rules with a label instead of an address */
	USELESS,	/* rules that cannot be used */
	EMPTY,		/* no rules, with a reason */
	NOTHING, DEFECT, RECORD,
};

struct given {
	enum kind kind;
	uint64_t address;
	const char *text;	/* rules, or a defect */
};

static const struct input input = { "rows" };

static struct place
place_at(unsigned line)
{
	return (struct place){ .input = &input, .offset = line, .length = 1, .line = line };
}

static void
give_rules(const struct given *given, unsigned line)
{
	const bool empty = given->kind == EMPTY;
	struct rule_set *set = (struct rule_set *)rule_set_of_record(
		&arena, tables.arch, ARCH_NAMES_EXACT, text_of(empty ? ".cfa: 1" : given->text));

	if (given->kind == USELESS || empty)
		set->problem = empty ? given->text : "useless";
	if (empty)
		set->count = 0, set->cfa = -1;
	struct rule_row *row = rule_tables_row(&tables, given->address, place_at(line), set);
	if (given->kind == OUTERMOST)
		rule_tables_outermost(&tables, row);
	if (given->kind == LABEL)
		row->label = "label";
	if (given->kind == PARTIAL)
		row->untracked = ~(UINT64_C(1) << tables.arch->fp);
}

/* Fill one table; the line of each row is its number. */
static void
give(const char *source, const struct given rows[ROWS])
{
	rule_tables_begin(&tables, source);
	for (unsigned i = 0; i < ROWS && rows[i].kind != END; i++) {
		const struct given *row = &rows[i];
		if (row->kind == NOTHING)
			rule_tables_nothing(&tables, row->address);
		else if (row->kind == DEFECT)
			rule_tables_defect(&tables, row->address, place_at(i), row->text);
		else if (row->kind == RECORD)
			rule_tables_record(&tables, row->address, place_at(i), row->text);
		else
			give_rules(row, i);
	}
}

static void
begin(enum arch_id arch, bool windows)
{
	arena_reset(&arena);
	rule_tables_init(&tables, &arena, arch_by_id(arch), FIRST, LAST);
	tables.windows = windows;
}

/* "120-1ff #0 *rsp+8 !c-8 (message)"; rows are separated by "; ". */
static const char *
shown(const struct rule_table *table)
{
	static char text[1024];
	char cell[64];

	text[0] = '\0';
	for (size_t i = 0; i < table->count; i++) {
		const struct rule_row *row = &table->rows[i];
		size_t used = strlen(text);

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%llx-%llx #%u",
					 i > 0 ? "; " : "", (unsigned long long)row->address,
					 (unsigned long long)row->last, row->record.line);
		for (size_t k = 0; row->cells != NULL && k < tables.column_count; k++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %s%s%s",
						 row->cells[k].changed ? "*" : "", row->cells[k].differs ? "!" : "",
						 rule_cell_format(&tables, row, k, cell, sizeof(cell)));
		snprintf(text + used, sizeof(text) - used, "%s%s%s%s%s%s", row->kind == RULE_ROW_NOTHING ? " nothing" : "",
			 row->kind == RULE_ROW_RECORD ? " record" : "", row->message != NULL ? " (" : "",
			 row->message != NULL ? row->message : "", row->message != NULL ? ")" : "", row->broken ? " broken" : "");
	}
	return text;
}

#define RSP_8 "100-1ff #0 rsp+8 c-8"
#define CFA8 ".cfa: $rsp 8 + .ra: .cfa -8 + ^"
#define CFA16 ".cfa: $rsp 16 + .ra: .cfa -8 + ^"

static const struct {
	const char *title;
	struct given rows[ROWS];
	const char *columns, *shown;
	size_t records;
} cases[] = {
	{ "a source without rows has no columns and no rows", { { END, 0, NULL } }, "", "", 0 },
	{ "rows are sorted by address and valid up to the next one", { { RULES, 0x120, CFA16 },
	  { RULES, 0x100, CFA8 } }, "CFA ra", "100-11f #1 rsp+8 c-8; 120-1ff #0 *rsp+16 c-8", 2 },
	{ "the row of an address that was added last is used", { { RULES, 0x100, CFA16 }, { RULES, 0x110, CFA16 }, { RULES, 0x100, CFA8 } },
	  "CFA ra", "100-10f #2 rsp+8 c-8; 110-1ff #1 *rsp+16 c-8", 2 },
	{ "a row without rules that was added last is used", { { RULES, 0x100, CFA8 },
	  { NOTHING, 0x100, NULL } }, "CFA ra", "100-1ff #0 nothing", 0 },
	{ "a row before the code begins with it", { { RULES, 0x80, CFA8 } }, "CFA ra", RSP_8, 1 },
	{ "a row at the last address holds there", { { RULES, 0x100, CFA8 },
	  { RULES, 0x1ff, CFA16 } }, "CFA ra", "100-1fe #0 rsp+8 c-8; 1ff-1ff #1 *rsp+16 c-8", 2 },
	{ "a row after a row without rules has no changed cell", { { RULES, 0x100, CFA8 }, { NOTHING, 0x110, NULL },
	  { RULES, 0x120, CFA16 } }, "CFA ra", "100-10f #0 rsp+8 c-8; 110-11f #0 nothing; 120-1ff #2 rsp+16 c-8", 2 },
	{ "a defective row has no rules but a reason",
	  { { RULES, 0x100, CFA8 }, { DEFECT, 0x104, "bad" } }, "CFA ra", "100-103 #0 rsp+8 c-8; 104-1ff #1 nothing (bad) broken", 1 },
	{ "unused records come after the row of their address, in their order",
	  { { RECORD, 0x110, "one" }, { RULES, 0x110, CFA16 }, { RECORD, 0x110, "two" }, { RULES, 0x100, CFA8 } },
	  "CFA ra", "100-10f #3 rsp+8 c-8; 110-1ff #1 *rsp+16 c-8; 110-110 #0 record (one) broken; 110-110 #2 record (two) broken", 2 },
	{ "unused records end no row, and do not separate two rows at one address", { { RULES, 0x100, CFA8 }, { RECORD, 0x104, "one" },
	  { RULES, 0x110, CFA16 } }, "CFA ra", "100-10f #0 rsp+8 c-8; 104-104 #1 record (one) broken; 110-1ff #2 *rsp+16 c-8", 2 },
	{ "rules that cannot be used are shown", { { USELESS, 0x100, ".cfa: $rsp 8 +" } }, "CFA", "100-1ff #0 rsp+8 (useless) broken", 1 },
	{ "an empty set of rules is shown as such", { { RULES, 0x100, CFA8 }, { EMPTY, 0x180, "none" }, { RULES, 0x190, CFA16 } },
	  "CFA ra", "100-17f #0 rsp+8 c-8; 180-18f #1 (none) broken; 190-1ff #2 rsp+16 c-8", 3 },
	{ "a row of the outermost function has a message", { { OUTERMOST, 0x100, ".cfa: $rsp 8 + $rbx: $rbp" } },
	  "CFA ra rbx", "100-1ff #0 rsp+8 u rbp (outermost function: its return address is undefined)", 1 },
	{ "the outermost function's return address replaces a rule", { { OUTERMOST, 0x100, CFA8 } },
	  "CFA ra", "100-1ff #0 rsp+8 u (outermost function: its return address is undefined)", 1 },
	{ "a row with a label ends no row and is compared with none", { { LABEL, 0x100, CFA8 },
	  { LABEL, 0x100, CFA16 } }, "CFA ra", "100-1ff #0 rsp+8 c-8; 100-1ff #1 rsp+16 c-8", 2 },
	{ "a stack pointer that becomes the CFA has no column", { { RULES, 0x100, CFA8 " $rsp: .cfa" } }, "CFA ra", RSP_8, 1 },
	{ "another rule for the stack pointer has a column",
	  { { RULES, 0x100, CFA8 " $rsp: .cfa 8 +" } }, "CFA ra rsp", RSP_8 " rsp+16", 1 },
	{ "the rules of the stack pointer and pc replace missing .cfa and .ra",
	  { { RULES, 0x100, "$rip: $rbp 8 + ^ $rsp: $rbp 16 + $rbp: $rbp ^" } }, "CFA ra rbp", "100-1ff #0 rbp+16 c-8 c-16", 1 },
	{ "registers that calls keep come first, in the architecture's order, and names last",
	  { { RULES, 0x100, "zz: 1 $rdi: 2 $r12: 3 aa: 4 $rbx: 5 $rax: 6 .ra: 7 .cfa: 8" } },
	  "CFA ra rbx r12 rax rdi zz aa", "100-1ff #0 8 7 5 3 6 2 1 4", 1 },
	{ "a distance from a CFA that is an expression is unknown",
	  { { RULES, 0x100, ".cfa: $rbp 2 * .ra: $rax 8 + ^ $rbx: .cfa -16 + ^" } }, "CFA ra rbx", "100-1ff #0 exp [rax+8] c-16", 1 },
	{ "a distance from a CFA that is read is unknown", { { RULES, 0x100, ".cfa: $rbp 8 + ^ .ra: $rbp 16 + ^ $rbx: .cfa -16 + ^" } },
	  "CFA ra rbx", "100-1ff #0 [rbp+8] [rbp+16] c-16", 1 },
	{ "a distance from a CFA that is a number is unknown",
	  { { RULES, 0x100, ".cfa: 8 .ra: 16 ^" } }, "CFA ra", "100-1ff #0 8 [16]", 1 },
	{ "a register that no record mentions is preserved or lost as by calls", { { RULES, 0x100, CFA8 " $rbx: $rbx $rdi: .undef x: 1" },
	  { RULES, 0x110, CFA8 } }, "CFA ra rbx rdi x", "100-10f #0 rsp+8 c-8 s u 1; 110-1ff #1 rsp+8 c-8 *. *- *-", 2 },
};

TEST_EACH(rows, cases)
{
	begin(ARCH_AMD64, false);
	give("rows", cases[i].rows);
	rule_tables_finish(&tables);
	columns_are(cases[i].columns, cases[i].title);
	is_str(shown(&tables.tables[0]), cases[i].shown, "%s", cases[i].title);
	is_u64(tables.tables[0].record_count, cases[i].records, "the number of rows with rules is right: %s", cases[i].title);
}

/* In Microsoft's x64 ABI calls preserve rdi and rsi as well. */
TEST(windows)
{
	static const struct given rows[ROWS] = { { RULES, 0x100, CFA8 " $rax: 1 $rdi: 2 $rbx: 3" },
						 { RULES, 0x110, CFA8 } };

	begin(ARCH_AMD64, true);
	give("rows", rows);
	rule_tables_finish(&tables);
	columns_are("CFA ra rbx rdi rax", "columns show that calls keep rdi on Windows");
	is_str(shown(&tables.tables[0]), "100-10f #0 rsp+8 c-8 3 2 1; 110-1ff #1 rsp+8 c-8 *. *. *-",
	  "cells show that calls keep rdi on Windows");
}

/* Offsets of 32-bit architectures wrap. */
TEST(narrow)
{
	static const struct given rows[ROWS] = {
		{ RULES, 0x100, ".cfa: $esp 4294967292 + .ra: $esp ^ $ebx: $esp 4294967288 + ^" } };

	begin(ARCH_X86, false);
	give("rows", rows);
	rule_tables_finish(&tables);
	is_str(shown(&tables.tables[0]), "100-1ff #0 esp-4 c+4 c-4", "offsets of 32 bits wrap");
	/* 80000001 less 7fffffff */
	static const struct given far[ROWS] = {
		{ RULES, 0x100, ".cfa: $esp 2147483647 + .ra: $esp 2147483649 + ^" } };
	begin(ARCH_X86, false);
	give("rows", far);
	rule_tables_finish(&tables);
	is_str(shown(&tables.tables[0]), "100-1ff #0 esp+2147483647 c+2", "distances from the CFA of 32 bits wrap");
}

/* Two sources for one range of code. */
static const struct {
	const char *title;
	struct given rows[2][ROWS];
	const char *shown[2];
	bool contradicted;
} pairs[] = {
	{ "sources that write one rule in two ways agree", { { { RULES, 0x100, CFA8 } },
	  { { RULES, 0x100, ".cfa: 8 $rsp + .ra: $rsp ^" } } }, { RSP_8, RSP_8 }, false },
	{ "only the CFAs are reported if they differ",
	  { { { RULES, 0x100, CFA8 } }, { { RULES, 0x100, CFA16 } } }, { "100-1ff #0 !rsp+8 c-8", "100-1ff #0 !rsp+16 c-8" }, true },
	{ "another return address is reported", { { { RULES, 0x100, CFA8 } }, { { RULES, 0x100, ".cfa: $rsp 8 + .ra: .cfa -16 + ^" } } },
	  { "100-1ff #0 rsp+8 !c-8", "100-1ff #0 rsp+8 !c-16" }, true },
	{ "a missing rule for a register that calls preserve means unchanged",
	  { { { RULES, 0x100, CFA8 " $rbx: .cfa -16 + ^" } }, { { RULES, 0x100, CFA8 } } }, { RSP_8 " !c-16", RSP_8 " !." }, true },
	{ "a missing rule agrees with a rule for an unchanged register", { { { RULES, 0x100,
	  CFA8 " $rbx: $rbx" } }, { { RULES, 0x100, CFA8 } } }, { RSP_8 " s", RSP_8 " ." }, false },
	{ "a missing rule in a partial source means nothing",
	  { { { RULES, 0x100, CFA8 " $rbx: .cfa -16 + ^" } }, { { PARTIAL, 0x100, CFA8 } } }, { RSP_8 " c-16", RSP_8 " ?" }, false },
	{ "the rules of a partial source are compared",
	  { { { PARTIAL, 0x100, CFA8 " $rbx: .cfa -16 + ^" } }, { { RULES, 0x100, CFA8 } } }, { RSP_8 " !c-16", RSP_8 " !." }, true },
	{ "a missing rule for the frame pointer has a meaning in every source",
	  { { { RULES, 0x100, CFA8 " $rbp: .cfa -16 + ^" } }, { { PARTIAL, 0x100, CFA8 } } }, { RSP_8 " !c-16", RSP_8 " !." }, true },
	{ "a missing rule for a register that calls change means nothing",
	  { { { RULES, 0x100, CFA8 " $rdi: .cfa -16 + ^" } }, { { RULES, 0x100, CFA8 } } }, { RSP_8 " c-16", RSP_8 " -" }, false },
	{ "two rules for a register that calls change may differ",
	  { { { RULES, 0x100, CFA8 " $rdi: 1" } }, { { RULES, 0x100, CFA8 " $rdi: 2" } } }, { RSP_8 " !1", RSP_8 " !2" }, true },
	{ "an undefined register differs, but contradicts no rule",
	  { { { RULES, 0x100, CFA8 " $rbx: .undef" } }, { { RULES, 0x100, CFA8 " $rbx: 2" } } }, { RSP_8 " !u", RSP_8 " !2" }, false },
	{ "an expression differs, but contradicts no rule",
	  { { { RULES, 0x100, CFA8 " $rbx: $rax 2 *" } }, { { RULES, 0x100, CFA8 } } }, { RSP_8 " !exp", RSP_8 " !." }, false },
	{ "an expression does not contradict itself", { { { RULES, 0x100, CFA8 " $rbx: $rax 2 *" }
	  }, { { RULES, 0x100, CFA8 " $rbx: $rax 2 *" } } }, { RSP_8 " exp", RSP_8 " exp" }, false },
	{ "a row that begins at the last address of another is compared",
	  { { { RULES, 0x100, CFA8 }, { RULES, 0x110, CFA16 } }, { { RULES, 0x100, CFA8 }, { RULES, 0x10f, CFA16 } } },
	  { "100-10f #0 !rsp+8 c-8; 110-1ff #1 *rsp+16 c-8", "100-10e #0 rsp+8 c-8; 10f-1ff #1 *!rsp+16 c-8" }, true },
	{ "a row that begins after the end of another is not compared",
	  { { { RULES, 0x100, CFA8 }, { NOTHING, 0x110, NULL } }, { { RULES, 0x100, CFA8 }, { RULES, 0x110, CFA16 } } },
	  { "100-10f #0 rsp+8 c-8; 110-1ff #0 nothing", "100-10f #0 rsp+8 c-8; 110-1ff #1 *rsp+16 c-8" }, false },
	{ "a row that begins in the middle of another is compared",
	  { { { RULES, 0x100, CFA16 } }, { { NOTHING, 0x100, NULL }, { RULES, 0x150, CFA8 } } },
	  { "100-1ff #0 !rsp+16 c-8", "100-14f #0 nothing; 150-1ff #1 !rsp+8 c-8" }, true },
	{ "a row without rules differs from no row", { { { RULES, 0x100, CFA8 } },
	  { { EMPTY, 0x100, "none" } } }, { RSP_8, "100-1ff #0 (none) broken" }, false },
	{ "an unused record and a row with a label differ from no row", { { { RULES, 0x100, CFA8 }, { RECORD, 0x180, "one" } },
	  { { LABEL, 0x100, CFA16 } } }, { "100-1ff #0 rsp+8 c-8; 180-180 #1 record (one) broken", "100-1ff #0 rsp+16 c-8" }, false },
	{ "a source may have no row", { { { RULES, 0x100, CFA8 } }, { { END, 0, NULL } } }, { RSP_8, "" }, false },
};

TEST_EACH(pairs, pairs)
{
	begin(ARCH_AMD64, false);
	give("one", pairs[i].rows[0]);
	give("other", pairs[i].rows[1]);
	rule_tables_finish(&tables);
	is_str(shown(&tables.tables[0]), pairs[i].shown[0], "%s", pairs[i].title);
	is_str(shown(&tables.tables[1]), pairs[i].shown[1], "the cells of the second source are right: %s", pairs[i].title);
	ok(tables.contradicted == pairs[i].contradicted, "the mark of a contradiction is right: %s", pairs[i].title);
}

/* The row in force at an address, and the table that walks use there. */
TEST(obeyed)
{
	static const struct given one[ROWS] = {
		{ RECORD, 0x100, "first" }, { RULES, 0x110, CFA8 }, { RECORD, 0x114, "later" },
		{ NOTHING, 0x120, NULL }, { USELESS, 0x130, ".cfa: 1" } };
	static const struct given other[ROWS] = { { RULES, 0x118, CFA16 },
						  { NOTHING, 0x138, NULL } };
	static const struct {
		uint64_t address;
		unsigned row;		/* row of the first table; 9: none */
		size_t obeyed;
	} at[] = {
		{ 0xff, 9, SIZE_MAX }, { 0x100, 9, SIZE_MAX }, { 0x10f, 9, SIZE_MAX },
		{ 0x110, 1, 0 }, { 0x114, 1, 0 }, { 0x118, 1, 0 }, { 0x11f, 1, 0 },
		{ 0x120, 3, 1 }, { 0x12f, 3, 1 }, { 0x130, 4, 1 }, { 0x137, 4, 1 }, { 0x138, 4, SIZE_MAX }, { 0x1ff, 4, SIZE_MAX },
	};

	begin(ARCH_AMD64, false);
	give("one", one);
	give("other", other);
	rule_tables_finish(&tables);
	for (size_t i = 0; i < ARRAY_COUNT(at); i++) {
		const struct rule_table *table = &tables.tables[0];
		const struct rule_row *row = rule_table_at(table, at[i].address);

		is_u64(row != NULL ? (size_t)(row - table->rows) : 9, at[i].row,
		       "the row that holds at %x is found", (unsigned)at[i].address);
		is_u64(rule_tables_obeyed(&tables, at[i].address), at[i].obeyed,
		       "the table that is used at %x is found", (unsigned)at[i].address);
	}
	begin(ARCH_AMD64, false);
	give("one", one);
	rule_tables_finish(&tables);
	is_u64(rule_tables_obeyed(&tables, 0x110), SIZE_MAX, "a single table is not marked");
}

/* Each cell of a row has a place; the place of a cell without a rule is that of the row. */
TEST(places)
{
	static const struct given rows[ROWS] = { { RULES, 0x100, CFA8 " $rbx: 1" },
						 { OUTERMOST, 0x110, ".cfa: $rsp 8 +" } };

	begin(ARCH_AMD64, false);
	give("rows", rows);
	rule_tables_finish(&tables);
	const struct rule_cell *cells = tables.tables[0].rows[1].cells;
	ok(cells[2].kind == RULE_CELL_KEPT && cells[2].place.line == 1 && cells[2].record.line == 1,
	   "a cell that no record mentions has the place of its row");
	ok(cells[1].kind == RULE_CELL_UNDEFINED && cells[1].place.line == 1 &&
	   cells[1].record.line == 1, "the return address of the outermost function has its place");
}

/* A table keeps a limited number of rows, and reports that more rows exist. */
TEST(full)
{
	begin(ARCH_AMD64, false);
	rule_tables_nothing(&tables, FIRST);
	is_u64(tables.count, 0, "no row is added without a table");
	rule_tables_begin(&tables, "rows");
	for (unsigned i = 0; i < LIMIT_TABLE_ROWS; i++)
		rule_tables_nothing(&tables, FIRST + i);
	const struct rule_table *table = &tables.tables[0];
	ok(rule_tables_more(&tables) && !table->full && table->count == LIMIT_TABLE_ROWS, "a table takes as many rows as are kept");
	rule_tables_nothing(&tables, FIRST);
	ok(!rule_tables_more(&tables) && table->full && table->count == LIMIT_TABLE_ROWS,
	   "the row after the last that is kept makes the table full");
	ok(rule_tables_row(&tables, FIRST, place_at(1), rule_set_of_record(&arena, tables.arch, ARCH_NAMES_EXACT,
					      text_of(CFA8))) == NULL, "a row after the last that is kept is refused");
	rule_tables_begin(&tables, "other");
	ok(rule_tables_more(&tables), "the next table takes rows again");
	tables.failed = true;
	ok(!rule_tables_more(&tables), "a table takes no row when out of memory");
}
