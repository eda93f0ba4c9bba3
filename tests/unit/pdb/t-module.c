/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One module of a PDB, written by hand from cvinfo.h: procedures and the symbols in them, rows of
 * lines, and the annotations of inlined calls (BinaryAnnotationOpcode). */
#include "pdb/pdb_variables.h"
#include "tests/lib/tap.h"
#include "tests/unit/pdb/records.h"

#define BLOCK 4096u

enum { STREAM = 1, RECORDS = 12, PARTS = 6 };

/* A subsection of lines: its kind and its data. */
struct part {
	unsigned kind;
	const char *data;
};

static uint8_t bytes[BLOCK], blocks[4];
static struct msf_stream streams[STREAM + 1];
static struct file file = { .data = bytes, .size = sizeof(bytes) };
static struct pdb_section sections[] = { { 0x1000, 0x1000, true }, { 0x8000, 0x100, true } };
static struct pdb_module_info info;
static const struct pdb pdb = {
	.msf = { .file = &file, .block_size = BLOCK, .block_count = 1, .streams = streams, .stream_count = STREAM + 1, .blocks = blocks },
	.names = MSF_NONE, .sections = sections, .section_count = 2, .modules = &info,
	.module_count = 1 };
static struct arena arena;

static bool
open_module(struct pdb_module *module, const struct record *records, const struct part *parts)
{
	size_t at = 0;

	memset(bytes, 0, sizeof(bytes));
	put(bytes, &at, 4, 4);				/* CV_SIGNATURE_C13 */
	for (size_t i = 0; i < RECORDS && records[i].data != NULL; i++)
		put_record(bytes, &at, &records[i]);
	info = (struct pdb_module_info){ .stream = STREAM, .symbols = (uint32_t)at };
	for (size_t i = 0; i < PARTS && parts[i].data != NULL; i++) {
		size_t head = at;
		at += 8;
		put_data(bytes, &at, parts[i].data);
		put(bytes, &head, parts[i].kind, 4);
		put(bytes, &head, at - head - 4, 4);
	}
	info.lines = (uint32_t)at - info.symbols;
	streams[STREAM].size = at;
	return pdb_module_open(module, &pdb, 0);
}

/* A procedure of section 1: its offset, size, type and name. */
#define PROC(offset, size, type, name) "0/4 0/4 0/4 " size "/4 0/4 0/4 " type "/4 " offset "/4 1/2 0/1 '" name "'"
#define PUBLIC(offset, size, type, name) { 0x1110, PROC(offset, size, type, name) }
#define F(type) PUBLIC("10", "20", #type, "f")
#define ID_END { 0x114f, "" }
#define END { 0x0006, "" }

/* Symbols -------------------------------------------------------------------------------------- */

static const struct {
	const char *title;
	struct record records[RECORDS];
	const char *shown;		/* procedures by address */
	size_t damaged;
} symbols[] = {
	{ "a function with external linkage", { PUBLIC("10", "20", "1001", "f"), END }, "1010+20 f type 1001", 0 },
	{ "a function with internal linkage", { { 0x110f, PROC("10", "20", "1001", "f") }, END }, "1010+20 f type 1001 local", 0 },
	{ "types that are numbers of functions",
	  { { 0x1147, PROC("10", "20", "1001", "f") }, ID_END,
	    { 0x1146, PROC("30", "20", "1002", "g") }, ID_END,
	    { 0x1156, PROC("50", "20", "1003", "h") }, ID_END,
	    { 0x1155, PROC("70", "20", "1004", "i") }, END },
	  "1010+20 f type 1001 id; 1030+20 g type 1002 local id; 1050+20 h type 1003 local id; 1070+20 i type 1004 local", 0 },
	{ "by address", { PUBLIC("40", "10", "0", "b"), END, PUBLIC("10", "10", "0", "a"), END }, "1010+10 a type 0; 1040+10 b type 0", 0 },
	{ "a procedure without a size is ignored", { PUBLIC("10", "0", "0", "f"), END }, "", 0 },
	{ "a procedure in a section that does not exist is ignored",
	  { { 0x1110, "0/4 0/4 0/4 20/4 0/4 0/4 0/4 10/4 3/2 0/1 'f'" }, END }, "", 0 },
	{ "a procedure in section 0 is ignored", { { 0x1110, "0/4 0/4 0/4 20/4 0/4 0/4 0/4 10/4 0/2 0/1 'f'" }, END }, "", 0 },
	{ "a record that is too short is counted", { { 0x1110, "0/4 0/4 0/4 20/4" }, END }, "", 1 },
	{ "a thunk", { { 0x1102, "0/4 0/4 0/4 10/4 1/2 6/2 0/1 't'" }, END }, "1010+6 t type 0 thunk", 0 },
	{ "a part of a function at another place", { { 0x110f, PROC("10", "20", "7", "f") },
	  { 0x1132, "0/4 0/4 8/4 0/4 4/4 10/4 2/2 1/2" }, END, END }, "1010+20 f type 7 local; 8004+8 f type 7 local part of 1010", 0 },
	{ "a block of a function at another place", { F(7), { 0x1103, "0/4 0/4 8/4 4/4 2/2 ''" },
	  END, END }, "1010+20 f type 7; 8004+8 f type 7 part of 1010", 0 },
	{ "that of a function in a scope", { { 0x1104, "0/4 0/4 0/4 0/4 1/2 ''" },
	  F(7), { 0x1103, "0/4 0/4 8/4 4/4 2/2 ''" }, END, END, END }, "1010+20 f type 7; 8004+8 f type 7 part of 1010", 0 },
	{ "a block inside of its function is no part", { F(7), { 0x1103, "0/4 0/4 8/4 10/4 1/2 ''" }, END, END }, "1010+20 f type 7", 0 },
	{ "a block at the end of its function is no part",
	  { F(7), { 0x1103, "0/4 0/4 8/4 30/4 1/2 ''" }, END, END }, "1010+20 f type 7", 0 },
	{ "a block after the end or before the start of its function is a part",
	  { F(7), { 0x1103, "0/4 0/4 8/4 31/4 1/2 ''" }, END, { 0x1103, "0/4 0/4 8/4 f/4 1/2 ''" }, END, END },
	  "100f+8 f type 7 part of 1010; 1010+20 f type 7; 1031+8 f type 7 part of 1010", 0 },
	{ "a block in a block is no part", { F(7), { 0x1103, "0/4 0/4 8/4 12/4 1/2 ''" },
	  { 0x1103, "0/4 0/4 8/4 4/4 2/2 ''" }, END, END, END }, "1010+20 f type 7", 0 },
	{ "a block after the end of the function's scope is no part",
	  { F(7), END, { 0x1103, "0/4 0/4 8/4 4/4 2/2 ''" }, END }, "1010+20 f type 7", 0 },
	{ "an end without a beginning", { END, F(7), END }, "1010+20 f type 7", 0 },
	{ "unknown records are skipped", { { 0x1012, "1/4 2/4" }, F(7), END }, "1010+20 f type 7", 0 },
};

static const char *
procedures_of(const struct pdb_module *module)
{
	static char text[512];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < module->procedure_count; i++) {
		const struct pdb_procedure *at = &module->procedures[i];
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%x+%x %.*s type %x%s%s%s", i > 0 ? "; " : "",
					 at->address, at->size, (int)at->name.length,
					 at->name.start, at->type, at->local ? " local" : "",
					 at->id ? " id" : "", at->thunk ? " thunk" : "");
		if (at->part)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " part of %x", at->whole);
	}
	return text;
}

TEST(symbols)
{
	static const struct part none[PARTS] = { { 0, NULL } };

	for (size_t i = 0; i < ARRAY_COUNT(symbols); i++) {
		struct pdb_module module;
		if (!ok(open_module(&module, symbols[i].records, none), "%s: the module is opened", symbols[i].title))
			continue;
		is_str(procedures_of(&module), symbols[i].shown, "%s: the procedures are found", symbols[i].title);
		is_u64(module.damaged, symbols[i].damaged, "%s: damaged records are counted", symbols[i].title);
		pdb_module_close(&module);
	}
}

/* The procedure at an address: if several share it, the first one of the file. */
TEST(procedure_at)
{
	static const struct record records[RECORDS] = {
		PUBLIC("10", "20", "1", "f"), END, PUBLIC("40", "8", "2", "g"),
		END, PUBLIC("40", "8", "3", "h"), END,
		{ 0x1102, "0/4 0/4 0/4 48/4 1/2 8/2 0/1 't'" }, END,
		PUBLIC("48", "8", "4", "i"), END };
	static const struct part none[PARTS] = { { 0, NULL } };
	static const struct {
		uint32_t address, type;		/* 0: none */
	} at[] = {
		{ 0x100f, 0 }, { 0x1010, 1 }, { 0x102f, 1 }, { 0x1030, 0 }, { 0x103f, 0 },
		{ 0x1040, 2 }, { 0x1047, 2 }, { 0x1048, 4 }, { 0x104f, 4 }, { 0x1050, 0 }, { 0, 0 }, { UINT32_MAX, 0 },
	};
	struct pdb_module module;

	open_module(&module, records, none);
	for (size_t i = 0; i < ARRAY_COUNT(at); i++) {
		const struct pdb_procedure *found = pdb_procedure_at(&module, at[i].address);

		is_u64(found != NULL ? found->type : 0, at[i].type, "the procedure at %x is the first one that covers it", at[i].address);
	}
	pdb_module_close(&module);
}

/* LIMIT_PDB_NEST: how far before an address the procedure around another one may begin. */
TEST(nest)
{
	struct pdb_procedure procedures[] = { { .address = 0x1000, .size = 0x200000, .type = 1 },
					      { .address = 0x2000, .size = 0x10, .type = 2 } };
	const struct pdb_module module = { .procedures = procedures, .procedure_count = 2 };

	ok(pdb_procedure_at(&module, 0x101000) == &procedures[0], "the procedure around another one is found 2^20 bytes after its begin");
	ok(pdb_procedure_at(&module, 0x101001) == NULL, "a procedure one byte further before the address is not found");
}

/* Rows ----------------------------------------------------------------------------------------- */

static const char *
rows_of(const struct pdb_row *rows, size_t count)
{
	static char text[512];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%x+%x:%u/%x",
					 i > 0 ? " " : "", rows[i].address, rows[i].size, rows[i].line, rows[i].file);
	return text;
}

/* Lines of 1010 to 102f in one block of file 8; the block has one row. */
#define RUN "10/4 1/2 0/2 20/4 8/4 "
#define ONE_ROW RUN "1/4 14/4 "

/* Rows of the function f at 1010 with 20 bytes: ADDRESS+SIZE:LINE/FILE. */
static const struct {
	const char *title;
	struct part parts[PARTS];
	const char *rows;
	size_t damaged;
} lines[] = {
	{ "rows reach to the next and to the end of their run",
	  { { 0xf2, RUN "2/4 1c/4 0/4 8000000a/4 6/4 b/4" } }, "1010+6:10/8 1016+1a:11/8", 0 },
	{ "with columns", { { 0xf2, "10/4 1/2 1/2 20/4 8/4 1/4 18/4 4/4 a/4 1/2 2/2" } }, "1014+1c:10/8", 0 },
	{ "of two files, in no order, after a block without rows",
	  { { 0xf2, RUN "0/4 c/4 8/4 1/4 14/4 8/4 a/4 18/4 2/4 1c/4 4/4 b/4 0/4 c/4" } }, "1010+4:12/18 1014+4:11/18 1018+18:10/8", 0 },
	{ "a row after the end of its run is ignored",
	  { { 0xf2, RUN "3/4 24/4 0/4 a/4 20/4 b/4 1f/4 c/4" } }, "1010+1f:10/8 102f+1:12/8", 0 },
	{ "a block with more rows than bytes ends the run",
	  { { 0xf2, ONE_ROW "0/4 a/4 8/4 3/4 1c/4 4/4 b/4 8/4 c/4" } }, "1010+20:10/8", 0 },
	{ "a block larger than the run ends it", { { 0xf2, ONE_ROW "0/4 a/4 8/4 1/4 18/4 4/4 b/4" } }, "1010+20:10/8", 0 },
	{ "a block smaller than its header ends the run", { { 0xf2, ONE_ROW "0/4 a/4 8/4 0/4 b/4 8/4 0/4 c/4" } }, "1010+20:10/8", 0 },
	{ "a run that begins before its function",
	  { { 0xf2, "0/4 1/2 0/2 40/4 8/4 3/4 24/4 8/4 9/4 14/4 a/4 34/4 b/4" } }, "1014+20:10/8", 0 },
	{ "a run that is longer than its function", { { 0xf2, "10/4 1/2 0/2 40/4 8/4 2/4 1c/4 0/4 a/4 28/4 b/4" } }, "1010+28:10/8", 0 },
	{ "two runs", { { 0xf2, "20/4 1/2 0/2 10/4 8/4 1/4 14/4 0/4 b/4" },
	  { 0xf2, "10/4 1/2 0/2 10/4 8/4 1/4 14/4 0/4 a/4" } }, "1010+10:10/8 1020+10:11/8", 0 },
	{ "a run of another function is ignored", { { 0xf2, "30/4 1/2 0/2 10/4 8/4 1/4 14/4 0/4 b/4" } }, "", 0 },
	{ "a run in a section that does not exist is ignored", { { 0xf2, "10/4 3/2 0/2 20/4 8/4 1/4 14/4 0/4 a/4" } }, "", 0 },
	{ "a run with an incomplete header is ignored", { { 0xf2, "10/4 1/2 0/2" } }, "", 1 },
	{ "a subsection marked as ignored is left out", { { 0x800000f2, ONE_ROW "0/4 a/4" } }, "", 0 },
	{ "a line has 24 bits", { { 0xf2, ONE_ROW "0/4 fffffffe/4" } }, "1010+20:16777214/8", 0 },
};

TEST(lines)
{
	static const struct record records[RECORDS] = { F(0), END };

	for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
		struct pdb_module module;
		struct pdb_body body;

		open_module(&module, records, lines[i].parts);
		ok(pdb_body_read(&module, &module.procedures[0], false, &arena, &body), "%s: the body is read", lines[i].title);
		is_str(rows_of(body.rows, body.row_count), lines[i].rows, "%s: the rows are right", lines[i].title);
		is_u64(module.damaged, lines[i].damaged, "%s: damaged lines are counted", lines[i].title);
		pdb_module_close(&module);
	}
}

/* Rows of functions that the linker folded, and of runs that contain several functions. */
static const struct {
	const char *title;
	struct record records[RECORDS];
	struct part parts[PARTS];
	const char *rows[3];	/* the rows of each function */
} shared[] = {
	{ "functions of one address have the runs in their order", { F(0), END, PUBLIC("10", "20", "0", "g"), END },
	  { { 0xf2, ONE_ROW "0/4 a/4" }, { 0xf2, ONE_ROW "0/4 b/4" } }, { "1010+20:10/8", "1010+20:11/8" } },
	{ "but both have the only one", { F(0), END, PUBLIC("10", "20", "0", "g"), END },
	  { { 0xf2, ONE_ROW "0/4 a/4" } }, { "1010+20:10/8", "1010+20:10/8" } },
	{ "and one alone has all", { F(0), END }, { { 0xf2, ONE_ROW "4/4 a/4" },
	  { 0xf2, ONE_ROW "8/4 b/4" } }, { "1014+4:10/8 1018+18:11/8" } },
	{ "a run of several functions",
	  { F(0), END, PUBLIC("30", "20", "0", "g"), END, PUBLIC("50", "10", "0", "h"), END },
	  { { 0xf2, "10/4 1/2 0/2 40/4 8/4 4/4 2c/4 0/4 a/4 18/4 b/4 20/4 c/4 30/4 d/4" },
	  { 0xf2, "50/4 1/2 0/2 10/4 8/4 1/4 14/4 0/4 e/4" } },
	  { "1010+18:10/8 1028+8:11/8", "1030+10:12/8 1040+10:13/8", "1050+10:14/8" } },
	{ "a function inside of another one", { PUBLIC("10", "40", "0", "f"), END, PUBLIC("20", "10", "0", "g"), END },
	  { { 0xf2, "10/4 1/2 0/2 40/4 8/4 3/4 24/4 0/4 a/4 10/4 b/4 20/4 c/4" } },
	  { "1010+10:10/8 1020+10:11/8 1030+20:12/8", "1020+10:11/8" } },
	{ "folded ones inside of a run", { PUBLIC("10", "10", "0", "f"),
	  END, PUBLIC("10", "10", "0", "g"), END, PUBLIC("20", "10", "0", "h"), END }, { { 0xf2, RUN "2/4 1c/4 0/4 a/4 10/4 b/4" },
	  { 0xf2, "10/4 1/2 0/2 10/4 8/4 1/4 14/4 0/4 c/4" } }, { "1010+10:10/8", "1010+10:12/8", "1020+10:11/8" } },
};

TEST_EACH(shared, shared)
{
	struct pdb_module module;

	open_module(&module, shared[i].records, shared[i].parts);
	for (size_t k = 0; k < module.procedure_count; k++) {
		struct pdb_body body;
		ok(pdb_body_read(&module, &module.procedures[k], false, &arena, &body),
		   "%s: the body of function %zu is read", shared[i].title, k);
		is_str(rows_of(body.rows, body.row_count), shared[i].rows[k], "%s: function %zu has its rows", shared[i].title, k);
	}
	pdb_module_close(&module);
}

/* Inlined calls -------------------------------------------------------------------------------- */

/* Rows of a call inlined into f; the called function begins in line 100 of file 18. */
static const struct {
	const char *title, *annotations, *rows;
} sites[] = {
	{ "code and line, then the length", "b/1 44/1 4/1 6/1", "1014+6:102/18" },
	{ "a line before", "b/1 34/1 4/1 6/1", "1014+6:99/18" },
	{ "a row reaches to the next", "b/1 4/1 b/1 23/1 4/1 5/1", "1014+3:100/18 1017+5:101/18" },
	{ "and the last to the end of the function", "3/1 1c/1", "102c+4:100/18" },
	{ "line and code apart", "6/1 4/1 3/1 8/1 4/1 2/1", "1018+2:102/18" },
	{ "another file", "5/1 30/1 3/1 8/1 4/1 2/1", "1018+2:100/30" }, { "length and code", "c/1 5/1 7/1", "1017+5:100/18" },
	{ "a length moves on", "c/1 2/1 4/1 4/1 3/1 3/1 5/1 4/1 1/1", "1014+2:100/18 101c+1:100/18" },
	{ "a length after an open row", "3/1 4/1 4/1 3/1 3/1 5/1 4/1 1/1", "1014+3:100/18 101c+1:100/18" },
	{ "an offset from the function's start", "1/1 10/1 3/1 2/1 4/1 1/1", "1022+1:100/18" },
	{ "a length past the end of the function", "3/1 1c/1 4/1 7f/1", "102c+4:100/18" },
	{ "the same with the code", "c/1 7f/1 1c/1", "102c+4:100/18" }, { "code after the end of the function", "3/1 20/1", "" },
	{ "its last byte", "3/1 1f/1", "102f+1:100/18" },
	{ "two rows at one address", "3/1 4/1 b/1 20/1 4/1 2/1", "1014+0:100/18 1014+2:101/18" },
	{ "columns and ends of lines say nothing here",
	  "2/1 1/1 7/1 1/1 8/1 1/1 9/1 5/1 a/1 2/1 d/1 1/1 3/1 4/1 4/1 2/1", "1014+2:100/18" },
	{ "numbers of two bytes", "6/1 81/1 20/1 3/1 4/1 4/1 2/1", "1014+2:244/18" },
	{ "numbers of four", "6/1 c1/1 2/1 3/1 4/1 3/1 4/1 4/1 2/1", "1014+2:8454630/18" },
	{ "no number", "3/1 4/1 4/1 2/1 e0/1 0/1 0/1 3/1 8/1", "1014+2:100/18" },
	{ "an unknown operation", "3/1 4/1 4/1 2/1 e/1 1/1 3/1 8/1 4/1 1/1", "1014+2:100/18" },
	{ "0 ends them", "3/1 4/1 4/1 2/1 0/1 3/1 8/1", "1014+2:100/18" }, { "no row", "", "" },
};

TEST(sites)
{
	static const struct part parts[PARTS] = {
		{ 0xf6, "0/4 1000/4 8/4 7/4 1001/4 18/4 64/4 1002/4 8/4 9/4" } };

	for (size_t i = 0; i < ARRAY_COUNT(sites); i++)
		for (unsigned counted = 0; counted < 2; counted++) {
			char data[200];
			struct pdb_module module;
			struct pdb_body body;

			snprintf(data, sizeof(data), "0/4 0/4 1001/4 %s%s%s0/1", counted ? "9/4 " : "", sites[i].annotations,
				 sites[i].annotations[0] != '\0' ? " " : "");
			const struct record records[RECORDS] = {
				F(0),
				{ counted ? 0x115d : 0x114d, data }, { 0x114e, "" }, END };
			open_module(&module, records, parts);
			ok(pdb_body_read(&module, &module.procedures[0], true, &arena, &body) &&
			   body.call_count == 1 && body.calls[0].id == 0x1001 && body.calls[0].depth == 0,
			   "%s: the inlined call is found", sites[i].title);
			is_str(body.call_count == 1 ? rows_of(body.calls[0].rows, body.calls[0].row_count)
				       : "none", sites[i].rows, "%s: the inlined call has its rows", sites[i].title);
			pdb_module_close(&module);
		}
}

/* A function with lines and nested calls: the line of each byte, and the line of each call. */
TEST(body)
{
	static const struct record records[RECORDS] = {
		PUBLIC("10", "40", "0", "f"),
		/* 1018 to 1027, in it 101c to 101f, in that 101d */
		{ 0x114d, "0/4 0/4 1001/4 3/1 8/1 4/1 10/1 0/1" }, { 0x114d, "0/4 0/4 1002/4 3/1 c/1 4/1 4/1 0/1" },
		{ 0x114d, "0/4 0/4 1001/4 3/1 d/1 4/1 1/1 0/1" }, { 0x114e, "" }, { 0x114e, "" }, { 0x114e, "" },
		/* 1032 to 1033 and 1038, after it */
		{ 0x114d, "0/4 0/4 1002/4 3/1 22/1 4/1 2/1 3/1 4/1 4/1 1/1 0/1" },
		{ 0x114e, "" }, END };
	static const struct part parts[PARTS] = {
		{ 0xf2, "10/4 1/2 0/2 40/4 8/4 3/4 24/4 0/4 a/4 10/4 b/4 20/4 c/4" },
		{ 0xf6, "1/4 1001/4 18/4 64/4 2/4 8/4 18/4 1002/4 28/4 c8/4 0/4" } };
	static const char *const calls[] = {
		"1001 depth 0 at 10/8: 1018+10", "1002 depth 1 at 100/18: 101c+4",
		"1001 depth 2 at 200/28: 101d+1", "1002 depth 0 at 12/8: 1032+2 1038+1",
	};
	struct pdb_module module;
	struct pdb_body body;

	open_module(&module, records, parts);
	ok(pdb_body_read(&module, &module.procedures[0], false, &arena, &body) &&
	   body.call_count == 0, "a body that is read without its inlined calls has none");
	is_str(rows_of(body.rows, body.row_count), "1010+10:10/8 1020+10:11/8 1030+20:12/8",
	       "without inlined calls each byte has its own line");
	ok(pdb_body_read(&module, &module.procedures[0], true, &arena, &body), "a body is read with its inlined calls");
	is_str(rows_of(body.rows, body.row_count),
	       "1010+8:10/8 1018+4:100/18 101c+1:200/28 101d+1:100/18 101e+2:200/28 1020+8:100/18 "
	       "1028+8:11/8 1030+2:12/8 1032+2:200/28 1034+4:12/8 1038+1:200/28 1039+17:12/8",
	       "each byte has the line of the innermost function");
	is_u64(body.call_count, ARRAY_COUNT(calls), "a body has all four inlined calls");
	for (size_t i = 0; i < body.call_count && i < ARRAY_COUNT(calls); i++) {
		const struct pdb_call *call = &body.calls[i];
		char text[200];
		size_t used = (size_t)snprintf(text, sizeof(text), "%x depth %u at %u/%x:", call->id, call->depth, call->line, call->file);

		for (size_t k = 0; k < call->range_count; k++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %x+%x", call->ranges[k].address, call->ranges[k].size);
		is_str(text, calls[i], "inlined call %zu has its depth, line and ranges, and is before those in it", i);
	}
	for (uint32_t at = 0x100f; at <= 0x1050; at++) {
		const struct pdb_row *row = pdb_row_at(body.rows, body.row_count, at);
		ok((row != NULL) == (at >= 0x1010 && at < 0x1050) &&
		   (row == NULL || (at >= row->address && at - row->address < row->size)),
		   "a row at %x covers that address; outside of the function no row does", at);
	}
	pdb_module_close(&module);
}

/* Lines of a function with overlapping runs: no row reaches over the next, and none is empty. */
TEST(overlap)
{
	static const struct record records[RECORDS] = { PUBLIC("10", "40", "0", "f"), END };
	static const struct part parts[PARTS] = {
		{ 0xf2, "10/4 1/2 0/2 40/4 8/4 3/4 24/4 0/4 9/4 0/4 a/4 20/4 b/4" },
		{ 0xf2, "18/4 1/2 0/2 10/4 8/4 2/4 1c/4 0/4 c/4 4/4 d/4" } };
	struct pdb_module module;
	struct pdb_body body;

	open_module(&module, records, parts);
	for (unsigned calls = 0; calls < 2; calls++) {
		ok(pdb_body_read(&module, &module.procedures[0], calls != 0, &arena, &body),
		   "a function with overlapping runs of lines is read");
		is_str(rows_of(body.rows, body.row_count), "1010+8:10/8 1018+4:12/8 101c+c:13/8 1030+20:11/8",
		       "overlapping rows end where the next one begins");
	}
	pdb_module_close(&module);
}

/* All fields of a variable as text, in one of two buffers. */
static const char *
variable_shown(const struct pdb_variable *variable)
{
	static char texts[2][160];
	static unsigned next;
	char *text = texts[next++ % 2];

	snprintf(text, sizeof(texts[0]), "place %d type %x flags %x reg %u offset %d address %x value %llx name %.*s",
		 (int)variable->place, variable->type, variable->flags, variable->reg, variable->offset, variable->address,
		 (unsigned long long)variable->value, (int)variable->name.length, variable->name.start);
	return text;
}

/* A symbol with this data, written to `data`. */
static struct pdb_symbol
symbol_of(const struct record *record, uint8_t data[64])
{
	size_t size = 0;

	put_data(data, &size, record->data);
	return (struct pdb_symbol){ .kind = (uint16_t)record->kind, .data = { .data = data, .size = size } };
}

/* The fields of each kind are those of cvinfo.h: LOCALSYM, FILESTATICSYM, REGSYM and so on. */
static void
test_variables(const struct pdb *from)
{
	static const struct {
		struct record record;
		struct pdb_variable wanted;
	} cases[] = {
		{ { 0x113e, "74/4 1/2 'a'" }, { .place = PDB_PLACE_RANGES, .type = 0x74, .flags = 1, .name = { "a", 1 } } },
		{ { 0x1153, "74/4 99/4 4/2 'b'" }, { .place = PDB_PLACE_RANGES, .type = 0x74, .flags = 4, .name = { "b", 1 } } },
		{ { 0x1106, "75/4 11/2 'c'" }, { .place = PDB_PLACE_REGISTER, .type = 0x75, .reg = 17, .name = { "c", 1 } } },
		{ { 0x110b, "fffffff8/4 76/4 'd'" }, { .place = PDB_PLACE_BASE, .type = 0x76, .offset = -8, .name = { "d", 1 } } },
		{ { 0x1111, "10/4 77/4 14f/2 'e'" }, { .place = PDB_PLACE_RELATIVE,
		  .type = 0x77, .reg = 335, .offset = 16, .name = { "e", 1 } } },
		{ { 0x110c, "78/4 20/4 1/2 'f'" }, { .place = PDB_PLACE_STATIC,
		  .type = 0x78, .offset = 0x20, .address = 0x1020, .name = { "f", 1 } } },
		{ { 0x110d, "78/4 24/4 1/2 'g'" }, { .place = PDB_PLACE_STATIC,
		  .type = 0x78, .offset = 0x24, .address = 0x1024, .name = { "g", 1 } } },
		{ { 0x1112, "79/4 28/4 9/2 'h'" }, { .place = PDB_PLACE_THREAD, .type = 0x79, .offset = 0x28, .name = { "h", 1 } } },
		{ { 0x1113, "79/4 2c/4 9/2 'i'" }, { .place = PDB_PLACE_THREAD, .type = 0x79, .offset = 0x2c, .name = { "i", 1 } } },
		{ { 0x1107, "7a/4 8004/2 12345678/4 'j'" }, { .place = PDB_PLACE_CONSTANT,
		  .type = 0x7a, .value = 0x12345678, .name = { "j", 1 } } },
	};
	static const struct record none[] = {
		{ 0x113e, "74/4" }, { 0x1107, "7a/4 8005/2 5/4 'odd'" },
		{ 0x110c, "78/4 20/4 9/2 'f'" }, { 0x110b, "74/2" }, { 0x1106, "75/4" }, { 0x1110, "74/4 1/2 'a'" },
	};
	uint8_t data[64];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct pdb_symbol symbol = symbol_of(&cases[i].record, data);
		struct pdb_variable variable;

		ok(pdb_variable_read(from, &symbol, &variable), "a variable of kind %x is read", symbol.kind);
		is_str(variable_shown(&variable), variable_shown(&cases[i].wanted), "the fields of kind %x are read", symbol.kind);
	}
	for (size_t i = 0; i < ARRAY_COUNT(none); i++) {
		const struct pdb_symbol symbol = symbol_of(&none[i], data);
		struct pdb_variable variable;

		ok(!pdb_variable_read(from, &symbol, &variable),
		   "a record of kind %x without a variable, '%s', is refused", symbol.kind, none[i].data);
	}
}

/* A range of [1010, 1030) of each kind (DEFRANGESYM...); two kinds give no place. */
static void
test_ranges(const struct pdb *from)
{
#define RANGE "10/4 1/2 20/2"
	static const struct {
		struct record record;
		const char *shown;	/* "" if the record is refused */
	} cases[] = {
		{ { 0x113f, "1/4 " RANGE }, "" }, { { 0x1140, "1/4 2/4 " RANGE }, "" },
		{ { 0x1141, "11/2 0/2 " RANGE }, "1 reg 17 offset 0 part 0 at 0, 1010 to 1030" },
		{ { 0x1142, "fffffffc/4 " RANGE }, "3 reg 0 offset -4 part 0 at 0, 1010 to 1030" },
		{ { 0x1143, "12/2 0/2 fffff008/4 " RANGE }, "1 reg 18 offset 0 part 1 at 8, 1010 to 1030" },
		{ { 0x1144, "c/4" }, "3 reg 0 offset 12 part 0 at 0, 0 to 0, everywhere" },
		{ { 0x1145, "14e/2 0/2 10/4 " RANGE }, "2 reg 334 offset 16 part 0 at 0, 1010 to 1030" },
		{ { 0x1145, "14e/2 1/2 10/4 " RANGE }, "2 reg 334 offset 16 part 1 at 0, 1010 to 1030" },
		{ { 0x1145, "14e/2 40/2 10/4 " RANGE }, "2 reg 334 offset 16 part 1 at 4, 1010 to 1030" },
		{ { 0x1141, "11/2 0/2 10/4 9/2 20/2" }, "" }, { { 0x1141, "11/2 0/2 10/4" }, "" },
		{ { 0x1141, "11/2 0/2 fffff000/4 1/2 20/2" }, "" }, { { 0x1141, "11/2 0/2 ffffefcf/4 1/2 20/2" }, "" },
		{ { 0x1142, "1/2" }, "" }, { { 0x113e, "74/4 1/2 'a'" }, "" },
	};
	uint8_t data[64];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct pdb_symbol symbol = symbol_of(&cases[i].record, data);
		struct pdb_variable_range range;
		char shown[100] = "";
		bool covers, after;

		if (pdb_variable_range_read(from, &symbol, 0x102f, &range, &covers))
			snprintf(shown, sizeof(shown), "%d reg %u offset %d part %d at %u, %x to %x%s",
				 (int)range.place, range.reg, range.offset, range.part, range.at,
				 range.low, range.high, range.everywhere ? ", everywhere" : "");
		is_str(shown, cases[i].shown, "the range of kind %x '%s'", symbol.kind, cases[i].record.data);
		ok(covers == (shown[0] != '\0') &&
			   (!pdb_variable_range_read(from, &symbol, 0x1030, &range, &after) || after == range.everywhere),
		   "the range of kind %x has its last byte, and none after it", symbol.kind);
		ok(pdb_is_range(symbol.kind) == (symbol.kind != 0x113e), "kind %x is known as a range or not", symbol.kind);
	}
#undef RANGE
}

/* S_FRAMEPROC: bytes of variables, padding, its offset, saved registers, a handler, flags. */
TEST(frame)
{
	static const struct record proper = { 0x1012, "30/4 4/4 8/4 c/4 0/4 0/2 24000/4" },
				   large = { 0x1012, "30/4 4/4 8/4 ffffffd0/4 0/4 0/2 0/4" },
				   cut = { 0x1012, "30/4 4/4 8/4 c/4 0/4 0/2" };
	struct pdb_procedure_frame frame;
	uint8_t data[64];
	struct pdb_symbol symbol = symbol_of(&proper, data);

	ok(pdb_procedure_frame_read(&symbol, &frame) && frame.size == 0x3c && frame.local == 1 && frame.argument == 2,
	   "the frame of a procedure has its size and its kinds of frame pointers");
	symbol = symbol_of(&large, data);
	ok(!pdb_procedure_frame_read(&symbol, &frame), "a frame of 4 GB is refused");
	symbol = symbol_of(&cut, data);
	ok(!pdb_procedure_frame_read(&symbol, &frame), "a frame without flags is refused");
}

/* S_DEFRANGE_REGISTER: register, attributes, offset, section, length; gaps of offset and length. */
TEST(gaps)
{
	static const uint8_t record[] = { 17, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0x20, 0, 0, 0, 4, 0, 8, 0, 4, 0 };
	struct pdb_section section = { .address = 0x1000, .size = 0x1000 };
	const struct pdb one = { .sections = &section, .section_count = 1 };
	const struct pdb_symbol symbol = { .kind = S_DEFRANGE_REGISTER, .data = { .data = record, .size = sizeof(record) } };
	struct pdb_variable_range range;
	bool covers;

	ok(pdb_variable_range_read(&one, &symbol, 0x1012, &range, &covers) && !covers,
	   "a variable has no place in a gap at the start of its range");
	ok(pdb_variable_range_read(&one, &symbol, 0x1014, &range, &covers) && covers, "after the gap it has one");
	is_u64(range.low, 0x1014, "the range begins after the first gap");
	is_u64(range.high, 0x1018, "the range ends at the next gap");
	ok(pdb_variable_range_read(&one, &symbol, 0x1019, &range, &covers) && !covers, "a variable has no place in a later gap");
	test_variables(&one);
	test_ranges(&one);
}
