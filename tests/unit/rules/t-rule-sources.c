/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of a bundled program from each of its sources: the rows that readelf (--debug-dump=frames-interp) and objdump
 * (--sframe) print, at each address and for any range of code. */
#include "dump/dump.h"
#include "tests/lib/tap.h"
#include "walk/frame_rules.h"

#define CRASH "data/crashes/sframe-amd64"
#define FIRST 0x1000u
#define LAST 0x12ffu

/* Columns of readelf; "u" also means no rule. */
static const struct printed {
	uint64_t first, last;
	const char *cfa, *rbx, *rbp, *r12, *ra;
} eh_frame[] = {
	{ 0x1020, 0x1025, "rsp+16", "u", "u", "u", "c-8" },
	{ 0x1026, 0x102f, "rsp+24", "u", "u", "u", "c-8" }, { 0x1030, 0x1037, "rsp+8", "u", "u", "u", "c-8" },
	{ 0x1129, 0x1144, "rsp+8", "u", "u", "u", "c-8" }, { 0x1145, 0x114b, "rsp+8", "u", "u", "u", "c-8" },
	{ 0x114c, 0x11b6, "rsp+320", "u", "u", "u", "c-8" },
	{ 0x11b7, 0x11b7, "rsp+8", "u", "u", "u", "c-8" }, { 0x11b8, 0x11b8, "rsp+8", "u", "u", "u", "c-8" },
	{ 0x11b9, 0x11cf, "rsp+16", "c-16", "u", "u", "c-8" }, { 0x11d0, 0x11d0, "rsp+8", "c-16", "u", "u", "c-8" },
	{ 0x11d1, 0x11dc, "rsp+16", "c-16", "u", "u", "c-8" }, { 0x11dd, 0x11dd, "rsp+8", "u", "u", "u", "c-8" },
	{ 0x11de, 0x11e0, "rsp+16", "u", "c-16", "u", "c-8" }, { 0x11e1, 0x11e3, "rbp+16", "u", "c-16", "u", "c-8" },
	{ 0x11e4, 0x124b, "rbp+16", "c-32", "c-16", "c-24", "c-8" }, { 0x124c, 0x124c, "rsp+8", "c-32", "c-16", "c-24", "c-8" },
	{ 0x124d, 0x1250, "rsp+8", "u", "u", "u", "c-8" }, { 0x1251, 0x12b8, "rsp+112", "u", "u", "u", "c-8" },
	{ 0x12b9, 0x12b9, "rsp+8", "u", "u", "u", "c-8" },
};

/* SFrame, which has no columns of rbx and r12. */
static const struct printed sframe[] = {
	{ 0x1020, 0x1025, "rsp+16", "u", "u", "u", "c-8" },
	{ 0x1026, 0x102f, "rsp+24", "u", "u", "u", "c-8" }, { 0x1129, 0x1144, "rsp+8", "u", "u", "u", "c-8" },
	{ 0x1145, 0x114b, "rsp+8", "u", "u", "u", "c-8" }, { 0x114c, 0x11b6, "rsp+320", "u", "u", "u", "c-8" },
	{ 0x11b7, 0x11b7, "rsp+8", "u", "u", "u", "c-8" }, { 0x11b8, 0x11b8, "rsp+8", "u", "u", "u", "c-8" },
	{ 0x11b9, 0x11cf, "rsp+16", "u", "u", "u", "c-8" }, { 0x11d0, 0x11d0, "rsp+8", "u", "u", "u", "c-8" },
	{ 0x11d1, 0x11dc, "rsp+16", "u", "u", "u", "c-8" }, { 0x11dd, 0x11dd, "rsp+8", "u", "u", "u", "c-8" },
	{ 0x11de, 0x11e0, "rsp+16", "u", "c-16", "u", "c-8" }, { 0x11e1, 0x124b, "rbp+16", "u", "c-16", "u", "c-8" },
	{ 0x124c, 0x124c, "rsp+8", "u", "c-16", "u", "c-8" }, { 0x124d, 0x1250, "rsp+8", "u", "u", "u", "c-8" },
	{ 0x1251, 0x12b8, "rsp+112", "u", "u", "u", "c-8" }, { 0x12b9, 0x12b9, "rsp+8", "u", "u", "u", "c-8" },
};

struct bundled {
	struct crash crash;
	struct binaries *binaries;
	struct symbols *symbols;
	struct walk *walk;
	struct rule_module module;
	struct unwind_source sources[UNWIND_SOURCES];
	size_t source_count;
};

static bool
open_program(struct bundled *program)
{
	const char *const symbol_paths[] = { tap_path(CRASH "/symbols") };
	const char *const binary_paths[] = { tap_path(CRASH "/binaries") };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct error error;
	int module = 0;

	if (dump_open(&program->crash, tap_path(CRASH "/crash.dmp"), 0, &error) != ERROR_NONE)
		return false;
	while (strstr(program->crash.modules[module].code_file, "parcel") == NULL)
		if (++module == (int)program->crash.module_count)
			return false;
	program->symbols = symbols_create(program->crash.modules, program->crash.module_count, symbol_paths, 1);
	program->binaries = binaries_create(&program->crash, binary_paths, 1);
	program->walk = walk_create(&program->crash, program->symbols, program->binaries, 0, &policy);
	program->module = frame_rules_module(program->walk, module);
	program->source_count = unwind_sources(&program->module, program->sources);
	return program->module.sframe != NULL && program->module.symfile != NULL;
}

static const struct unwind_source *
source_named(const struct bundled *program, const char *name)
{
	for (size_t i = 0; i < program->source_count; i++)
		if (strcmp(program->sources[i].kind->name, name) == 0)
			return &program->sources[i];
	return NULL;
}

/* The table of a source for a range of code, or NULL. */
static const struct rule_table *
make(struct rule_tables *tables, const struct bundled *program, const struct unwind_source *source,
     struct arena *arena, uint64_t first, uint64_t last)
{
	rule_tables_init(tables, arena, program->module.arch, first, last);
	rule_tables_add(tables, source);
	rule_tables_finish(tables);
	return tables->count > 0 ? &tables->tables[0] : NULL;
}

/* The cell of a column at an address: "u" for no rule. */
static const char *
cell(const struct rule_tables *tables, const struct rule_row *row, const char *name, char text[64])
{
	snprintf(text, 64, "u");
	for (size_t i = 0; row != NULL && row->cells != NULL && i < tables->column_count; i++) {
		const struct rule_column *column = &tables->columns[i];
		const bool is_named = column->kind == RULE_COLUMN_CFA	? strcmp(name, "cfa") == 0
				 : column->kind == RULE_COLUMN_RETURN_ADDRESS ? strcmp(name, "ra") == 0
					 : text_equal(column->name, text_of(name));

		if (is_named)
			rule_cell_format(tables, row, i, text, 64);
	}
	if (strcmp(text, ".") == 0 || strcmp(text, "-") == 0 || strcmp(text, "s") == 0)
		snprintf(text, 64, "u");
	return text;
}

static const struct printed *
printed_at(const struct printed *rows, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address >= rows[i].first && address <= rows[i].last)
			return &rows[i];
	return NULL;
}

/* True if a table has the printed rules at an address; elsewhere it may have any. */
static bool
is_as_printed(const struct rule_tables *tables, uint64_t address, const struct printed *printed)
{
	const struct rule_row *row = tables->count > 0 ? rule_table_at(&tables->tables[0], address) : NULL;
	char text[64];

	if (row != NULL && strcmp(cell(tables, row, "cfa", text), printed->cfa) == 0 &&
	    strcmp(cell(tables, row, "rbx", text), printed->rbx) == 0 &&
	    strcmp(cell(tables, row, "rbp", text), printed->rbp) == 0 &&
	    strcmp(cell(tables, row, "r12", text), printed->r12) == 0 && strcmp(cell(tables, row, "ra", text), printed->ra) == 0)
		return true;
	tap_diag("%llx: CFA %s, ra %s", (unsigned long long)address, row != NULL ? cell(tables, row, "cfa", text) : "none", printed->ra);
	return false;
}

static void
test_source(const struct bundled *program, const char *name, const struct printed *printed, size_t count)
{
	const struct unwind_source *source = source_named(program, name);
	struct arena arena = { 0 };
	struct rule_tables whole, part;
	bool good = true, alone = true, parts = true, covered = true;

	if (!ok(source != NULL, "the program has %s", name))
		return;
	make(&whole, program, source, &arena, FIRST, LAST);
	for (uint64_t address = FIRST; address <= LAST; address++) {
		const struct printed *wanted = printed_at(printed, count, address);
		struct arena scratch = { 0 };
		uint64_t first, last;

		if (wanted == NULL)
			continue;
		covered &= source->kind->reader->covers(source, address, &first, &last) &&
			   first <= wanted->first && last >= wanted->last;
		good &= is_as_printed(&whole, address, wanted);
		make(&part, program, source, &scratch, address, address);
		alone &= is_as_printed(&part, address, wanted);
		make(&part, program, source, &scratch, address > FIRST + 9 ? address - 9 : FIRST, address + 5);
		parts &= is_as_printed(&part, address, wanted);
		arena_free(&scratch);
	}
	ok(good, "%s: each address has the row that was printed", name);
	ok(alone, "%s: a table of one address has the row that was printed", name);
	ok(parts, "%s: a table of a part of a function has the rows that were printed", name);
	ok(covered, "%s: the source covers each address, with its complete row", name);
	uint64_t first, last;
	ok(!source->kind->reader->covers(source, 0x1062 + 8, &first, &last),
	   "%s: the source does not cover addresses without an entry", name);
	/* A row begins at each change, with its record, and nowhere else. */
	const struct rule_table *table = &whole.tables[0];
	size_t begun = 0;
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].kind == RULE_ROW_RULES)
			for (size_t k = 0; k < count; k++)
				begun += printed[k].first == table->rows[i].address;
	is_u64(begun, count, "%s: rows begin at the printed addresses", name);
	arena_free(&arena);
}

/* A printed cell in words. */
static const char *
words_of(const char *printed, char text[80])
{
	if (strncmp(printed, "c-", 2) == 0)
		snprintf(text, 80, "the word at the CFA less %s", printed + 2);
	else
		snprintf(text, 80, "%s", strcmp(printed, "u") == 0 ? "unchanged: no record mentions it, and calls preserve it" : printed);
	return text;
}

static void
test_words(const struct bundled *program)
{
	struct arena arena = { 0 };
	struct rule_tables tables;
	bool good = true;

	make(&tables, program, source_named(program, ".eh_frame"), &arena, FIRST, LAST);
	for (size_t i = 0; i < ARRAY_COUNT(eh_frame); i++) {
		const struct rule_row *row = rule_table_at(&tables.tables[0], eh_frame[i].first);
		for (size_t column = 0; column < tables.column_count; column++) {
			const struct rule_column *at = &tables.columns[column];
			const char *printed = at->kind == RULE_COLUMN_CFA		 ? eh_frame[i].cfa
				: at->kind == RULE_COLUMN_RETURN_ADDRESS ? eh_frame[i].ra
				: text_equal(at->name, text_of("rbx"))	 ? eh_frame[i].rbx
				: text_equal(at->name, text_of("rbp"))	 ? eh_frame[i].rbp
				: text_equal(at->name, text_of("r12"))	 ? eh_frame[i].r12 : NULL;
			char got[80], wanted[80];

			if (printed != NULL && strcmp(rule_cell_explain(&tables, row, column, got, sizeof(got)),
				   words_of(printed, wanted)) != 0) {
				tap_diag("%s, not %s", got, wanted);
				good = false;
			}
		}
	}
	ok(good, "cells are explained in words");
	arena_free(&arena);
}

/* Sources that agree have no marked cell; the code of each function is named. */
static void
test_runs(const struct bundled *program)
{
	static const struct {
		uint64_t address, first, last;
		const char *name;	/* NULL: none */
	} runs[] = {
		{ 0x1150, 0x1145, 0x11b7, "print_label" }, { 0x1145, 0x1145, 0x11b7, "print_label" },
		{ 0x11b7, 0x1145, 0x11b7, "print_label" }, { 0x11b8, 0x11b8, 0x11dc, "weigh" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(runs); i++) {
		struct arena arena = { 0 };
		struct rule_run run;

		ok(rule_run_at(&program->module, runs[i].address, &arena, &run) && run.first == runs[i].first &&
			   run.last == runs[i].last && run.named && text_equal(run.function.name, text_of(runs[i].name)),
			   "the code around %llx is that of %s", (unsigned long long)runs[i].address, runs[i].name);
		arena_free(&arena);
	}
}

static void
test_all(const struct bundled *program)
{
	struct rule_tables tables;
	struct arena arena = { 0 };
	bool agrees = true;

	rule_tables_init(&tables, &arena, program->module.arch, 0x1129, 0x12b9);
	for (size_t i = 0; i < program->source_count; i++)
		rule_tables_add(&tables, &program->sources[i]);
	rule_tables_finish(&tables);
	is_u64(tables.count, 3, "STACK CFI, SFrame and .eh_frame have tables of the functions");
	for (uint64_t address = 0x1129; address <= 0x12b9; address++)
		for (size_t one = 0; one < tables.count; one++)
			for (size_t other = 0; other < one; other++)
				for (size_t column = 0; column < tables.column_count; column++) {
					const struct rule_row *rows[2] = {
						rule_table_at(&tables.tables[one], address),
						rule_table_at(&tables.tables[other], address) };
					/* SFrame has no rules of other registers. */
					const bool tracked = tables.columns[column].kind == RULE_COLUMN_CFA ||
							     tables.columns[column].kind == RULE_COLUMN_RETURN_ADDRESS;

					agrees &= rows[0] != NULL && rows[1] != NULL &&
						  (!tracked || !rule_rows_differ(&tables, rows[0], rows[1], column));
				}
	ok(agrees, "STACK CFI, SFrame and .eh_frame agree about the CFA and the return address");
	arena_free(&arena);
}

/* A PLT of 13 entries, whose CFA depends on the address (DWARF: rsp + 8 + ((rip & 15) >= 11) * 8):
 * the row of each address is the one that reading from the start gives, wherever reading begins. */
static void
test_plt(void)
{
	static struct unwind_source sources[UNWIND_SOURCES];
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const char *const folders[] = { tap_path("tests/batch/locals/x86_64") };
	struct module module = { .base = 0x400000, .size = 0x5000, .code_file = "/inline.O2dbg",
				 .code_id = "13ce896b1cf7e91f716ca809b37d93289176499f", .debug_file = "", .debug_id = "", .version = "" };
	struct crash crash = { .modules = &module, .module_count = 1 };
	size_t right = 0, few = 0;

	struct binaries *binaries = binaries_create(&crash, folders, 1);
	struct rule_module of = { .arch = arch_by_id(ARCH_AMD64), .policy = &policy, .parameters = -1, .binaries = binaries };
	const size_t count = unwind_sources_open(&of, false, sources);
	for (uint64_t address = 0x1030; count > 0 && address < 0x10f0; address++) {
		const struct unwind_reader *reader = sources[0].kind->reader;
		const struct unwind_row *row = &sources[0].row;
		const bool late = (address & 15) >= 11;
		size_t rows = 0;

		reader->seek(&sources[0], address);
		while (reader->next(&sources[0]) && row->last < address)
			rows++;
		right += row->first == (address & ~UINT64_C(15)) + (late ? 11 : 0) &&
			 row->last == (address | 15) - (late ? 0 : 5) && row->claims[CLAIM_CFA].offset == (late ? 16 : 8);
		few += rows <= 2;
	}
	is_u64(right, 0xc0, "each address of a PLT has its row");
	is_u64(few, 0xc0, "the rows of the stubs before it are not read");
	unwind_sources_close(sources, count);
	binaries_free(binaries);
}

int
main(void)
{
	static struct bundled program;

	if (!ok(open_program(&program), "a program is opened with all of its sources"))
		return done_testing();
	test_source(&program, ".eh_frame", eh_frame, ARRAY_COUNT(eh_frame));
	test_source(&program, "SFrame", sframe, ARRAY_COUNT(sframe));
	test_source(&program, "STACK CFI", eh_frame, ARRAY_COUNT(eh_frame));
	test_words(&program);
	test_runs(&program);
	test_all(&program);
	test_plt();
	walk_free(program.walk);
	symbols_free(program.symbols);
	binaries_free(program.binaries);
	crash_free(&program.crash);
	return done_testing();
}
