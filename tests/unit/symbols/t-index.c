/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The records of a symbol file that count, and their order (symbols/symfile_internal.h), and the
 * columns in which they are kept (symbols/table.h): by hand from what Breakpad's maps store. */
#include "tests/unit/symbols/symtext.h"

#include "symbols/symfile_internal.h"
#include "tests/lib/chance.h"

/* Tables --------------------------------------------------------------------------------------- */

struct row {
	uint64_t address, size, offset;
};

#define WIDE ((uint64_t)1 << 32)

/* A row of this column; row `wide` has a value of 33 bits. */
static struct row
row_of(size_t index, size_t wide, unsigned column)
{
	struct row row = { 0x1000 + index * 16, UINT32_MAX - index, index * 40 };

	if (index == wide && column == 0)
		row.address = WIDE + index;
	if (index == wide && column == 1)
		row.size = WIDE + index;
	if (index == wide && column == 2)
		row.offset = WIDE + index;
	return row;
}

static bool
table_is(const struct table *table, size_t count, size_t wide, unsigned column)
{
	bool same = table->count == count && table->wide == (wide < count);

	for (size_t i = 0; same && i < count; i++) {
		const struct row row = row_of(i, wide, column);
		same = table_address(table, i) == row.address && table_offset(table, i) == row.offset &&
		       table_size(table, i) == (table->ranges ? row.size : 0);
	}
	return same;
}

/* A row of 33 bits at any index, also on both sides of the indexes at which columns grow. */
TEST(columns)
{
	static const size_t places[] = { 0, 1, 62, 63, 64, 65, 127, 128, 199 };
	static const char *const columns[] = { "address", "size", "offset" };

	for (unsigned column = 0; column < 3; column++)
		for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
			struct table table = { .ranges = true };
			bool same = true;

			for (size_t count = 0; same && count < 200; count++) {
				const struct row row = row_of(count, places[i], column);
				same = table_is(&table, count, places[i], column) &&
				       table_add(&table, row.address, row.size, row.offset);
			}
			table_trim(&table);
			ok(same && table_is(&table, 200, places[i], column) && table.capacity == 200,
			   "a table keeps row %zu with an %s of 33 bits", places[i], columns[column]);
			table_free(&table);
			ok(table.count == 0 && !table.wide && table.ranges && table.addresses == NULL,
			   "the table of row %zu with an %s of 33 bits is empty after it is freed", places[i], columns[column]);
		}
}

TEST(rows_before)
{
	struct table table = { .ranges = false };

	is_u64(table_rows_before(&table, UINT64_MAX), 0, "an empty table has no row before the last offset");
	for (uint64_t row = 0; row < 5; row++)
		table_add(&table, 0, 0, 100 + row * 10);
	is_u64(table_rows_before(&table, 100), 0, "no row begins before the offset of the first");
	is_u64(table_rows_before(&table, 101), 1, "the first row begins before its second byte");
	is_u64(table_rows_before(&table, 140), 4, "all rows but the last begin before the last");
	is_u64(table_rows_before(&table, UINT64_MAX), 5, "all rows begin before the end");
	table_free(&table);
}

/* Order ---------------------------------------------------------------------------------------- */

struct order_case {
	const char *title, *text;
	enum table_kind table;
	const char *want;	/* rows by address or number; "=N": N rows in their order */
	size_t dropped;		/* functions left out; else messages */
};

#define C(address, size) "STACK CFI INIT " #address " " #size " .cfa: 1\n"

static const struct order_case orders[] = {
	{ "a file without functions", "INFO x\n", TABLE_FUNC, "=0", 0 },
	{ "a file with one function", "FUNC 10 10 0 a\n", TABLE_FUNC, "=1", 0 },
	{ "functions in order", "FUNC 10 8 0 a\nFUNC 20 8 0 b\nFUNC 30 8 0 c\n", TABLE_FUNC, "=3", 0 },
	{ "functions side by side", "FUNC 10 10 0 a\nFUNC 20 10 0 b\n", TABLE_FUNC, "=2", 0 },
	{ "functions at 0 and at the last address", "FUNC 0 1 0 a\nFUNC fffffffffffffff0 10 0 b\n", TABLE_FUNC, "=2", 0 },
	{ "functions in reverse order", "FUNC 30 8 0 a\nFUNC 20 8 0 b\nFUNC 10 8 0 c\n", TABLE_FUNC, "2 1 0", 0 },
	{ "two runs of functions", "FUNC 10 8 0 a\nFUNC 30 8 0 b\nFUNC 20 8 0 c\nFUNC 40 8 0 d\n", TABLE_FUNC, "0 2 1 3", 0 },
	{ "three runs of functions",
	  "FUNC 50 8 0 a\nFUNC 60 8 0 b\nFUNC 30 8 0 c\nFUNC 40 8 0 d\nFUNC 10 8 0 e\n", TABLE_FUNC, "4 2 3 0 1", 0 },
	{ "five runs of functions",
	  "FUNC 50 8 0 a\nFUNC 40 8 0 b\nFUNC 30 8 0 c\nFUNC 20 8 0 d\nFUNC 10 8 0 e\n", TABLE_FUNC, "4 3 2 1 0", 0 },
	{ "a function that ends one byte after the next begins", "FUNC 10 11 0 a\nFUNC 20 10 0 b\n", TABLE_FUNC, "0", 1 },
	{ "an overlapping function that is the second in the file", "FUNC 20 10 0 a\nFUNC 10 11 0 b\n", TABLE_FUNC, "0", 1 },
	{ "an empty function", "FUNC 10 0 0 a\nFUNC 20 10 0 b\n", TABLE_FUNC, "1", 0 },
	{ "an empty function after another", "FUNC 10 10 0 a\nFUNC 20 0 0 b\n", TABLE_FUNC, "0", 0 },
	{ "a function past the last address", "FUNC fffffffffffffff0 11 0 a\nFUNC 20 10 0 b\n", TABLE_FUNC, "1", 0 },
	{ "functions with equal ranges", "FUNC 10 10 0 a\nFUNC 10 10 0 b\nFUNC 20 8 0 c\n", TABLE_FUNC, "0 2", 1 },
	{ "two functions at the last address", "FUNC fffffffffffffff0 10 0 a\nFUNC fffffffffffffff8 8 0 b\n", TABLE_FUNC, "0", 1 },
	{ "a function at the last address, then one at 0", "FUNC fffffffffffffff0 10 0 a\nFUNC 0 8 0 b\n", TABLE_FUNC, "1 0", 0 },
	{ "INIT records in order", C(10, 10) C(20, 10), TABLE_INIT, "=2", 0 },
	{ "INIT records in reverse order", C(20, 10) C(10, 10), TABLE_INIT, "1 0", 0 },
	{ "overlapping INIT records", C(20, 10) C(10, 18), TABLE_INIT, "0", 1 },
	{ "publics in order", "PUBLIC 10 0 a\nPUBLIC 20 0 b\n", TABLE_PUBLIC, "=2", 0 },
	{ "publics in reverse order", "PUBLIC 20 0 a\nPUBLIC 10 0 b\n", TABLE_PUBLIC, "1 0", 0 },
	{ "two publics at an address", "PUBLIC 10 0 a\nPUBLIC 10 0 b\nPUBLIC 8 0 c\n", TABLE_PUBLIC, "2 0", 1 },
	{ "three publics at an address", "PUBLIC 10 0 a\nPUBLIC 10 0 b\nPUBLIC 10 0 c\n", TABLE_PUBLIC, "0", 2 },
	{ "files", "FILE 0 a\nFILE 1 b\nFILE 9 c\n", TABLE_FILE, "=3", 0 },
	{ "two files with one number", "FILE 1 a\nFILE 1 b\nFILE 0 c\n", TABLE_FILE, "2 0", 1 },
	{ "two origins with one number", "INLINE_ORIGIN 3 a\nINLINE_ORIGIN 2 b\nINLINE_ORIGIN 3 c\n", TABLE_ORIGIN, "1 0", 1 },
	{ "deltas that are read with their INIT record", C(10, 10) "STACK CFI 14 a\nSTACK CFI 18 b\n", TABLE_DELTA, "=0", 0 },
	{ "a delta that precedes its INIT record", "STACK CFI 14 a\n" C(10, 10) "STACK CFI 18 b\n", TABLE_DELTA, "=2", 0 },
	{ "deltas after an INIT record that is left out", C(10, 10) "STACK CFI 14 a\n" C(14, 10) "STACK CFI 18 b\n", TABLE_DELTA, "=2", 1 },
	{ "a delta after an empty INIT record", C(10, 0) "STACK CFI 10 a\n", TABLE_DELTA, "=1", 0 },
	{ "two deltas of an address", C(10, 10) "STACK CFI 18 a\nSTACK CFI 14 b\nSTACK CFI 18 c\n", TABLE_DELTA, "1 2", 1 },
};

static void
describe_rows(const struct symfile *symfile, enum table_kind table, char *buffer, size_t size)
{
	const struct row_index *index = &symfile->whole.rows[table];

	buffer[0] = '\0';
	if (index->order == NULL)
		append(buffer, size, "=%zu", index->count);
	for (size_t rank = 0; index->order != NULL && rank < index->count; rank++)
		append(buffer, size, "%s%" PRIu32, rank == 0 ? "" : " ", index->order[rank]);
}

TEST_EACH(orders, orders)
{
	char got[128];
	struct symfile *symfile = open_text(orders[i].text);
	const uint64_t told = seen(symfile, MESSAGE_SYMBOL_OVERLAP) + seen(symfile, MESSAGE_SYMBOL_SHADOWED);

	describe_rows(symfile, orders[i].table, got, sizeof(got));
	is_str(got, orders[i].want, "case %zu has the expected order: %s", i, orders[i].title);
	is_u64(told, orders[i].dropped, "the messages report each record that is left out: %s", orders[i].title);
	if (orders[i].table == TABLE_FUNC)
		is_u64(symfile->whole.dropped_count, orders[i].dropped, "each function that is left out is shadowed: %s", orders[i].title);
	symfile_close(symfile);
}

/* The rows around an address, by the definition of each look-up. */
TEST(questions)
{
	static const char text[] = "FUNC 30 8 0 c\nFUNC 10 10 0 a\nFUNC 20 8 0 b\nFILE 4 w\n"
				   "FILE 2 x\nFILE 3 y\nFILE 9 z\n"
				   "INLINE_ORIGIN 1 o\nINLINE_ORIGIN 2 p\n";
	static const struct {
		uint64_t address;
		size_t rank;
		uint32_t below, covering, file, origin;
	} questions[] = {
		{ 0, 0, SPAN_NONE, SPAN_NONE, SPAN_NONE, SPAN_NONE },
		{ 1, 0, SPAN_NONE, SPAN_NONE, SPAN_NONE, 0 }, { 2, 0, SPAN_NONE, SPAN_NONE, 1, 1 },
		{ 3, 0, SPAN_NONE, SPAN_NONE, 2, SPAN_NONE }, { 4, 0, SPAN_NONE, SPAN_NONE, 0, SPAN_NONE },
		{ 5, 0, SPAN_NONE, SPAN_NONE, SPAN_NONE, SPAN_NONE }, { 9, 0, SPAN_NONE, SPAN_NONE, 3, SPAN_NONE },
		{ 0xf, 0, SPAN_NONE, SPAN_NONE, SPAN_NONE, SPAN_NONE },
		{ 0x10, 1, 1, 1, SPAN_NONE, SPAN_NONE }, { 0x1f, 1, 1, 1, SPAN_NONE, SPAN_NONE },
		{ 0x20, 2, 2, 2, SPAN_NONE, SPAN_NONE }, { 0x27, 2, 2, 2, SPAN_NONE, SPAN_NONE },
		{ 0x28, 2, 2, SPAN_NONE, SPAN_NONE, SPAN_NONE },
		{ 0x37, 3, 0, 0, SPAN_NONE, SPAN_NONE }, { 0x38, 3, 0, SPAN_NONE, SPAN_NONE, SPAN_NONE },
		{ UINT64_MAX, 3, 0, SPAN_NONE, SPAN_NONE, SPAN_NONE },
	};
	struct symfile *symfile = open_text(text);
	const struct symfile_view *view = &symfile->whole;

	for (size_t i = 0; i < ARRAY_COUNT(questions); i++) {
		const uint64_t address = questions[i].address;
		is_u64(rows_rank(symfile, view, TABLE_FUNC, address), questions[i].rank,
		       "the functions at or below %" PRIx64 " are counted", address);
		is_u64(rows_below(symfile, view, TABLE_FUNC, address), questions[i].below,
		       "the nearest function at or below %" PRIx64 " is found", address);
		is_u64(rows_covering(symfile, view, TABLE_FUNC, address), questions[i].covering,
		       "the function around %llx is found", (unsigned long long)address);
		is_u64(rows_numbered(symfile, view, TABLE_FILE, address), questions[i].file,
		       "the FILE with the number %" PRIu64 " is found, if any", address);
		is_u64(rows_numbered(symfile, view, TABLE_ORIGIN, address), questions[i].origin,
		       "the INLINE_ORIGIN with the number %" PRIu64 " is found, if any", address);
	}
	symfile_close(symfile);
}

/* Refused functions around an address, in the order of the file. */
static const struct {
	const char *text;
	uint64_t address;
	const char *want;
} cases[] = {
	{ "FUNC 0 100 0 all\n", 0x10, "" }, { "FUNC 0 100 0 all\nFUNC 10 10 0 a\n", 0xf, "" },
	{ "FUNC 0 100 0 all\nFUNC 10 10 0 a\n", 0x10, " 1" }, { "FUNC 0 100 0 all\nFUNC 10 10 0 a\n", 0x1f, " 1" },
	{ "FUNC 0 100 0 all\nFUNC 10 10 0 a\n", 0x20, "" },
	{ "FUNC 0 100 0 all\nFUNC 18 20 0 a\nFUNC 10 10 0 b\nFUNC 1c 1 0 c\nFUNC 8 40 0 d\n", 0x1c, " 1 2 3 4" },
	{ "FUNC 0 100 0 all\nFUNC 18 20 0 a\nFUNC 10 10 0 b\nFUNC 1c 1 0 c\nFUNC 8 40 0 d\n", 0x1d, " 1 2 4" },
	{ "FUNC 0 100 0 all\nFUNC 8 40 0 d\nFUNC 1c 1 0 c\nFUNC 10 10 0 b\nFUNC 18 20 0 a\n", 0x1d, " 1 3 4" },
	{ "FUNC 0 100 0 all\nFUNC 8 40 0 d\nFUNC 1c 1 0 c\nFUNC 10 10 0 b\nFUNC 18 20 0 a\n", 0x47, " 1" },
	{ "FUNC 0 100 0 all\nFUNC 8 40 0 d\nFUNC 20 8 0 c\nFUNC 10 8 0 b\nFUNC 18 8 0 a\n", 0x18, " 1 4" },
};

TEST_EACH(dropped, cases)
{
	uint32_t rows[SHADOWED_MAX];
	char got[512];
	struct symfile *symfile = open_text(cases[i].text);
	const size_t count = symfile_dropped_around(&symfile->whole, cases[i].address, rows);

	got[0] = '\0';
	for (size_t row = 0; row < count; row++)
		append(got, sizeof(got), " %" PRIu32, rows[row]);
	is_str(got, cases[i].want, "the refused functions around %" PRIx64 " are found, case %zu", cases[i].address, i);
	symfile_close(symfile);
}

/* More refused functions than are shown: the first ones around the address, in order. */
TEST(many_dropped)
{
	enum { MANY = SHADOWED_MAX + 10 };
	static char text[MANY * 24];
	uint32_t rows[SHADOWED_MAX];
	size_t used = (size_t)sprintf(text, "FUNC 0 1000 0 all\n");
	bool ordered = true;

	for (unsigned i = 1; i < MANY; i++)
		used += (size_t)sprintf(text + used, "FUNC %x %x 0 f\n", 0x100 - i, 2 * i);
	struct symfile *symfile = open_bytes(text, used);
	is_u64(symfile_dropped_around(&symfile->whole, 0x100, rows), SHADOWED_MAX, "no more than so many refused functions are shown");
	for (size_t i = 0; i < SHADOWED_MAX; i++)
		ordered = ordered && rows[i] > (i == 0 ? 0 : rows[i - 1]) && rows[i] < MANY;
	ok(ordered, "the refused functions are shown once, in the order of the file");
	is_u64(symfile_dropped_around(&symfile->whole, 0x100 + MANY - 2, rows), 1, "a single refused function around an address is found");
	is_u64(rows[0], MANY - 1, "the single refused function is the longest");
	symfile_close(symfile);
}

/* Breakpad stops at the 101st bad record, and at the line with the first byte 0xff. A PUBLIC that
 * repeats an address other than 0 is bad, and all NUL bytes are one bad record before the others. */
TEST(stop)
{
	enum { LINES = 700 };
	static const char *const lines[] = { "FUNC bad\n", "PUBLIC %x 0 p\n", "INFO good\n" };
	static char text[LINES * 32];
	size_t wrong = 0, stops = 0;

	for (unsigned turn = 0; turn < 300; turn++) {
		bool seen_at[1024] = { false };
		const unsigned kinds = 1 + turn % 3, range = 1 + chance(1000);
		const unsigned count = 1 + chance(LINES);
		const unsigned nul = turn % 5 == 0 ? chance(LINES) : LINES;
		const unsigned ff = turn % 4 == 0 ? chance(LINES) : LINES;
		unsigned errors = nul < count && nul < ff;
		size_t used = 0, end = 0;

		for (unsigned i = 0; i < count; i++) {
			/* The bytes are in good records. */
			const unsigned kind = i == nul || i == ff ? 2 : chance(kinds + 1) % 3;
			const unsigned address = chance(range);
			const size_t start = used;

			used += (size_t)sprintf(text + used, lines[kind], address);
			if (i == nul || i == ff)
				text[used - 2] = i == ff ? '\xff' : '\0';
			errors += kind == 0 || (kind == 1 && seen_at[address] && address != 0);
			seen_at[address] |= kind == 1;
			if (end == 0 && start != 0 && (errors > 100 || i == ff))
				end = start;
		}
		struct symfile *symfile = open_bytes(text, used);
		const uint64_t got = symfile->found.stops != 0 ? symfile->part.end : 0;
		if (got != end)
			tap_diag("turn %u: stops at %llu, expected %zu", turn, (unsigned long long)got, end);
		wrong += got != end;
		stops += end != 0;
		symfile_close(symfile);
	}
	ok(wrong == 0, "300 random files end where Breakpad stops reading them");
	ok(stops > 100 && stops < 300, "Breakpad stops reading %zu of the random files", stops);
}
