/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Results of the pass over one slice (symbols/slice.h), by hand from the format of symbol files:
 * rows of records, lines that need a function, places of deltas, and when the pass gives up. */
#include "tests/unit/symbols/symtext.h"

#include "symbols/slice.h"

/* The size of a chunk that is read at once; the place of a line between chunks must not matter. */
#define CHUNK ((size_t)128 << 10)

struct slice_case {
	const char *title, *text;
	const char *want;		/* the text of describe() */
	bool first;			/* holds only at the start of the slice */
};

#define GIVEN_UP "given up"
#define INIT "STACK CFI INIT 1000 20 .cfa: $rsp 8 +\n"

static const struct slice_case cases[] = {
	{ "an empty text", "", "?", false }, { "blank lines", "\n\r\n\n", "?", false },
	/* FUNC and PUBLIC */
	{ "a function", "FUNC 1000 20 0 f\n", "F1000+20@1 in", false },
	{ "a function with the flag m", "FUNC m 1000 20 0 f\n", "F1000+20@1 in", false },
	{ "a function with digits in either case", "FUNC aBcDeF0 1F 8 f\n", "Fabcdef0+1f@1 in", false },
	{ "a function with 0x", "FUNC 0x1000 0x20 0 f\n", "F1000+20@1 in", false },
	{ "a function with two blanks between fields", "FUNC  1000 20  0 f\n", "F1000+20@1 in", false },
	{ "a function at the last addresses", "FUNC fffffffffffffff0 10 0 f\n", "Ffffffffffffffff0+10@1 in", false },
	{ "a function with the largest size that a row holds", "FUNC 1000 ffffffff 0 f\n", "F1000+ffffffff@1 in", false },
	{ "a function with a size that no row holds", "FUNC 1000 100000000 0 f\n", GIVEN_UP, false },
	{ "a function without a line feed", "FUNC 1000 20 0 f", "F1000+20@1 in", false },
	{ "a function that ends with CR LF", "FUNC 1000 20 0 f\r\n", "F1000+20@1 in", false },
	{ "a function without a name", "FUNC 1000 20 0\n", GIVEN_UP, false },
	{ "a function with a blank, but without a name", "FUNC 1000 20 0 \n", GIVEN_UP, false },
	{ "a function without parameters", "FUNC 1000 20\n", GIVEN_UP, false },
	{ "a function without a number", "FUNC f\n", GIVEN_UP, false }, { "a public", "PUBLIC 1000 0 p\n", "P1000+0@1 out", false },
	{ "a public with the flag m", "PUBLIC m 1000 0 p\n", "P1000+0@1 out", false },
	{ "a public without a name", "PUBLIC 1000 0\n", GIVEN_UP, false },
	{ "functions and a public: the last record decides the state",
	  "FUNC 10 8 0 f\nPUBLIC 20 0 p\nFUNC 30 8 0 g\n", "F10+8@1 P20+0@2 F30+8@3 in", false },
	/* Lines and inlined calls */
	{ "lines and calls of a function, skipped", "FUNC 1000 20 0 f\nINLINE 0 1 0 0 1000 4\n1000 20 1 0\n", "F1000+20@1 in", false },
	{ "a line that cannot be a line record", "FUNC 1000 20 0 f\nz\n", GIVEN_UP, false },
	{ "bare lines before the first function", "1000 20 1 0\nFUNC 1000 20 0 f\n", "F1000+20@2 in bare", false },
	{ "bare inlined calls before the first record", "INLINE 0 1 0 0 1000 4\nPUBLIC 1000 0 f\n", "P1000+0@2 out bare", false },
	{ "lines alone, inside or outside of a function", "1000 20 1 0\n", "? bare", false },
	{ "a line after a PUBLIC, in no function", "PUBLIC 1000 0 p\n1000 20 1 0\n", GIVEN_UP, false },
	{ "an inlined call after a PUBLIC, in no function", "PUBLIC 1000 0 p\nINLINE 0 1 0 0 1000 4\n", GIVEN_UP, false },
	{ "an unknown line outside of functions", "z\n", GIVEN_UP, false },
	{ "a possible line record, not read here", "+1 what\nPUBLIC 1 0 p\n", "P1+0@2 out bare", false },
	/* Numbers */
	{ "files", "FILE 0 a.c\nFILE 1234567 b.c\n", "f0+0@1 f12d687+0@2 ?", false },
	{ "a file number with eight digits", "FILE 12345678 a.c\n", "fbc614e+0@1 ?", false },
	{ "a file number with a sign", "FILE +5 a.c\n", "f5+0@1 ?", false }, { "a file without a name", "FILE 5\n", GIVEN_UP, false },
	{ "a file without a number", "FILE a.c\n", GIVEN_UP, false },
	{ "a file whose name begins with a number", "FILE 5 7\n", "f5+0@1 ?", false },
	{ "origins", "INLINE_ORIGIN 0 f\nINLINE_ORIGIN 7 (anonymous)::g\n", "o0+0@1 o7+0@2 ?", false },
	{ "an origin in the old form, with the number of a file", "INLINE_ORIGIN 7 3 f\n", "o7+0@1 ?", false },
	{ "an origin in the old form, with a negative file number", "INLINE_ORIGIN 7 -1 f\n", "o7+0@1 ?", false },
	{ "an origin whose name begins with a minus", "INLINE_ORIGIN 7 -f\n", "o7+0@1 ?", false },
	{ "an origin in the old form, without a name", "INLINE_ORIGIN 7 3\n", GIVEN_UP, false },
	{ "an origin without a name", "INLINE_ORIGIN 7\n", GIVEN_UP, false },
	/* Others */
	{ "the head", "MODULE Linux x86_64 0 m\nINFO CODE_ID 12\nINFO x\n", "M0+0@1 N0+0@2 N0+0@3 ?", false },
	{ "STACK WIN, each type in a table of its own",
	  "STACK WIN 0 1000 20 0 0 0 0 0 0 0 1\nSTACK WIN 4 1008 8 0 0 0 0 0 0 1 $eip 4 + ^ =\n", "W1000+20@1 41008+8@2 ?", false },
	{ "STACK WIN with an unknown type", "STACK WIN 5 1000 20 0 0 0 0 0 0 0 1\n", GIVEN_UP, false },
	{ "STACK of another kind", "STACK X 1000\n", GIVEN_UP, false },
	/* STACK CFI */
	{ "an INIT record", INIT, "I1000+20@1 ? tail init 1 1000-101f", false },
	{ "an INIT record with 0x", "STACK CFI INIT 0x1000 0x20 .cfa: 1\n", "I1000+20@1 ? tail init 1 1000-101f", false },
	{ "an INIT record without rules", "STACK CFI INIT 1000 20\n", GIVEN_UP, false },
	{ "an INIT record without a size", "STACK CFI INIT 1000\n", GIVEN_UP, false },
	{ "a delta without an address", "STACK CFI\n", GIVEN_UP, false },
	{ "a delta without rules", INIT "STACK CFI 1004\n", GIVEN_UP, false },
	{ "an INIT record and its deltas",
	  INIT "STACK CFI 1000 a\nSTACK CFI 1004 b\nSTACK CFI 101f c\n", "I1000+20@1 ? deltas 3 tail init 4 1020-101f", false },
	{ "a delta with 0x", INIT "STACK CFI 0x1004 b\n", "I1000+20@1 ? deltas 1 tail init 2 1005-101f", false },
	{ "two deltas for one address", INIT "STACK CFI 1004 a\nSTACK CFI 1004 b\n", "I1000+20@1 ? deltas 2 stray", false },
	{ "a second delta at a lower address", INIT "STACK CFI 1008 a\nSTACK CFI 1004 b\n", "I1000+20@1 ? deltas 2 stray", false },
	{ "a delta before the first byte of its INIT record", INIT "STACK CFI fff a\n", "I1000+20@1 ? deltas 1 stray", false },
	{ "a delta after the last byte of its INIT record", INIT "STACK CFI 1020 a\n", "I1000+20@1 ? deltas 1 stray", false },
	{ "a delta after an INFO record", INIT "INFO x\nSTACK CFI 1004 a\n", "I1000+20@1 N0+0@2 ? deltas 1 stray", false },
	{ "a delta after a short and a long line", "FILE 1 a\nFILE 2 a_name_that_is_longer_than_the_64_bytes_"
	  "that_are_looked_through_at_once\nSTACK CFI 1004 a\n", "f1+0@1 f2+0@2 ? deltas 1 stray", false },
	{ "a delta after a blank line", INIT "\nSTACK CFI 1004 a\n", "I1000+20@1 ? deltas 1 stray", false },
	{ "a delta after a function", INIT "FUNC 1000 20 0 f\nSTACK CFI 1004 a\n", "I1000+20@1 F1000+20@2 in deltas 1 stray", false },
	{ "a delta after a line record, in a function", "FUNC 1000 20 0 f\n" INIT
	  "1000 20 1 0\nSTACK CFI 1004 a\n", "F1000+20@1 I1000+20@2 in deltas 1 stray", false },
	{ "a delta of an empty INIT record", "STACK CFI INIT 1000 0 a\nSTACK CFI 1000 b\n", "I1000+0@1 ? deltas 1 stray", false },
	{ "a delta of an INIT record that ends after the last address",
	  "STACK CFI INIT fffffffffffffff0 11 a\nSTACK CFI fffffffffffffff0 b\n", "Ifffffffffffffff0+11@1 ? deltas 1 stray", false },
	{ "a delta at the last address",
	  "STACK CFI INIT fffffffffffffff0 10 a\nSTACK CFI ffffffffffffffff b\n", "Ifffffffffffffff0+10@1 ? deltas 1 stray", false },
	{ "a delta of the second of two INIT records", "STACK CFI INIT 2000 8 a\n" INIT
	  "STACK CFI 1004 b\n", "I2000+8@1 I1000+20@2 ? deltas 1 tail init 3 1005-101f", false },
	{ "a run that has ended, no tail", INIT "STACK CFI 1004 a\nINFO x\n", "I1000+20@1 N0+0@3 ? deltas 1", false },
	{ "a run before a blank line, no tail", INIT "\n", "I1000+20@1 ?", false },
	{ "a tail without its line feed", INIT "STACK CFI 1004 a", "I1000+20@1 ? deltas 1 tail init 2 1005-101f", false },
	{ "deltas that a slice begins with", "STACK CFI 1004 a\nSTACK CFI 1006 b\n",
	  "? deltas 2 head 1004-1007 tail head 2 1007-fffffffffffffffe", true },
	{ "deltas at the start, followed by another record", "STACK CFI 1004 a\nPUBLIC 1 0 p\n",
	  "P1+0@2 out deltas 1 head 1004-1005", true },
	{ "deltas at the start that are not ascending", "STACK CFI 1004 a\nSTACK CFI 1004 b\n", "? deltas 2 head 1004-1005 stray", true },
	{ "deltas at the start, and others after a line",
	  "STACK CFI 1004 a\nINFO x\nSTACK CFI 1008 b\n", "N0+0@2 ? deltas 2 head 1004-1005 stray", true },
	{ "deltas at the start, and others after an INIT record",
	  "STACK CFI 1004 a\n" INIT "STACK CFI 1001 b\n", "I1000+20@2 ? deltas 2 head 1004-1005 tail init 3 1002-101f", true },
	{ "a delta at the start for the last address but one", "STACK CFI fffffffffffffffe a\n",
	  "? deltas 1 head fffffffffffffffe-ffffffffffffffff tail head 1 ffffffffffffffff-fffffffffffffffe", true },
	{ "a delta at the start for the last address", "STACK CFI ffffffffffffffff a\n", "? deltas 1 stray", true },
	{ "a first delta after another record", "INFO x\nSTACK CFI 1004 a\n", "N0+0@1 ? deltas 1 stray", false },
	/* Line ends */
	{ "a CR alone that ends a record", "FUNC 1000 20 0 f\rINFO x\n", GIVEN_UP, false },
	{ "a CR alone that ends the last record", "FUNC 1000 20 0 f\r", GIVEN_UP, false },
	{ "two CR before a line feed", "FUNC 1000 20 0 f\r\r\n", GIVEN_UP, false },
};

static const char *
table_letter(uint32_t table)
{
	static const char *const letters[TABLE_COUNT] = {
		[TABLE_FUNC] = "F", [TABLE_INIT] = "I", [TABLE_WIN] = "W", [TABLE_WIN + 1] = "1",
		[TABLE_WIN + 2] = "2", [TABLE_WIN + 3] = "3", [TABLE_WIN_LAST] = "4",
		[TABLE_PUBLIC] = "P", [TABLE_FILE] = "f", [TABLE_ORIGIN] = "o",
		[TABLE_MODULE] = "M", [TABLE_INFO] = "N", [TABLE_DELTA] = "D",
	};

	return letters[table];
}

/* The number of the line that begins at an offset, from 1 at `from`; 0: no line begins there. */
static unsigned
line_number(const char *text, uint64_t from, uint64_t offset)
{
	unsigned line = 1;

	if (offset > from && text[offset - 1] != '\n')
		return 0;
	for (uint64_t at = from; at < offset; at++)
		line += text[at] == '\n';
	return line;
}

/* Rows as TABLE ADDRESS+SIZE@LINE, the state at the end (in, out, ?), then other results. Lines
 * count from `from`; earlier ones are left out. */
static const char *
describe(const struct slice *slice, const char *text, uint64_t from, char *buffer, size_t size)
{
	static const char *const states[] = { "?", "in", "out" };
	static const char *const begins[] = { "none", "head", "init" };

	buffer[0] = '\0';
	if (slice->given_up || slice->failed)
		return slice->given_up ? GIVEN_UP : "failed";
	for (size_t i = 0; i < slice->row_count; i++) {
		const struct slice_row *row = &slice->rows[i];
		if (slice->start + row->offset >= from)
			append(buffer, size, "%s%" PRIx64 "+%" PRIx32 "@%u ", table_letter(row->table), row->address, row->size,
			       line_number(text, from, slice->start + row->offset));
	}
	append(buffer, size, "%s%s", states[slice->state], slice->bare ? " bare" : "");
	if (slice->delta_count != 0)
		append(buffer, size, " deltas %" PRIu64, slice->delta_count);
	if (slice->head)
		append(buffer, size, " head %" PRIx64 "-%" PRIx64, slice->head_first, slice->head_next);
	if (slice->stray)
		append(buffer, size, " stray");
	if (slice->tail.begins != CFI_NONE)
		append(buffer, size, " tail %s %u %" PRIx64 "-%" PRIx64, begins[slice->tail.begins],
		       line_number(text, from, slice->tail.line), slice->tail.least, slice->tail.most);
	return buffer;
}

/* True if the newlines of each block are counted right. */
static bool
newlines_counted(const struct slice *slice, const char *text)
{
	for (uint64_t at = slice->start; at < slice->end; at += LINE_BLOCK) {
		uint32_t count = 0;
		for (uint64_t i = at; i < slice->end && i < at + LINE_BLOCK; i++)
			count += text[i] == '\n';
		if (slice->newlines[(at - slice->start) / LINE_BLOCK] != count)
			return false;
	}
	return true;
}

/* Read [start, end) of a text; lines count from `from` on. */
static const char *
read_part(const char *text, size_t size, uint64_t start, uint64_t end, uint64_t from, char *buffer, size_t room)
{
	const struct file file = { .data = (const uint8_t *)text, .size = size, .borrowed = true };
	struct slice_reader *reader = slice_reader_create(&file, size);
	struct slice *slice = calloc(1, sizeof(*slice));

	slice_reset(slice, start, end);
	slice_read(reader, slice);
	const char *found = describe(slice, text, from, buffer, room);
	/* Not for the many similar texts. */
	const bool more = from == 0;
	if (more && !slice->given_up && !newlines_counted(slice, text))
		found = "other newlines";
	/* A reader can read another slice next, and a slice can be reused for another part. */
	slice_reset(slice, start, end);
	if (more)
		slice_read(reader, slice);
	const char *again = describe(slice, text, from, buffer + room / 2, room / 2);
	if (more && found == buffer && strcmp(again, buffer) != 0)
		found = "another the second time";
	slice_free(slice);
	slice_reader_free(reader);
	return found;
}

TEST_EACH(cases, cases)
{
	char got[2048];
	const struct slice_case *given = &cases[i];
	const size_t size = strlen(given->text);

	is_str(read_part(given->text, size, 0, size, 0, got, sizeof(got)), given->want,
	       "case %zu has its expected rows: %s", i, given->title);
}

/* The length of the filling records; the last one has less than twice as many bytes. */
#define FILL_LINE ((size_t)1024)

static void
fill_up(char *text, size_t size)
{
	memset(text, 'x', size);
	for (size_t at = 0; at + FILL_LINE < size; at += FILL_LINE) {
		memcpy(text + at, "INFO ", 5);
		if (at != 0)
			text[at - 1] = '\n';
	}
	text[size - 1] = '\n';
}

/* Records before a text move each of its bytes to the border between two chunks. */
TEST(borders)
{
	char *text = malloc(CHUNK + 1024), got[2048];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct slice_case *given = &cases[i];
		const size_t size = strlen(given->text);
		bool same = true;

		for (size_t fill = CHUNK - size; same && !given->first && fill <= CHUNK + 1; fill++) {
			fill_up(text, fill);
			memcpy(text + fill, given->text, size);
			const char *found = read_part(text, fill + size, 0, fill + size, fill, got, sizeof(got));
			same = strcmp(found, given->want) == 0;
			if (!same)
				tap_diag("after %zu bytes: %s", fill, found);
		}
		ok(same, "case %zu between two chunks has its expected rows: %s", i, given->title);
	}
	free(text);
}

/* A slice has the complete lines that begin in it. */
TEST(parts)
{
	static const char text[] = "FUNC 10 8 0 f\n" "FILE 7 g\r\n" "STACK CFI INIT 10 8 a\n"
				   "STACK CFI 14 b\n" "PUBLIC 90 0 p\r\n" "INFO end";
	static const struct {
		const char *title;
		uint64_t start, end;
		const char *want;
	} parts[] = {
		{ "the first line", 0, 14, "F10+8@1 in" }, { "the first line and a byte of the second", 0, 15, "F10+8@1 f7+0@2 in" },
		{ "one byte of a line", 14, 15, "f7+0@2 ?" }, { "the rest of a line after its first byte", 1, 14, "?" },
		{ "the line feed of a line", 13, 14, "?" }, { "a line up to its CR", 14, 23, "f7+0@2 ?" },
		{ "the line feed after a CR, and a byte", 23, 25, "I10+8@3 ? tail init 3 10-17" },
		{ "a line whose record and end are in the next slice", 1, 15, "f7+0@2 ?" },
		{ "deltas at the start", 46, 61, "? deltas 1 head 14-15 tail head 4 15-fffffffffffffffe" },
		{ "a delta whose first byte is the last", 24, 47, "I10+8@3 ? deltas 1 tail init 4 15-17" },
		{ "an INIT record that a delta follows in the next slice", 24, 46, "I10+8@3 ? tail init 3 10-17" },
		{ "the last line", 76, 84, "N0+0@6 ?" }, { "a part of the last line", 75, 78, "N0+0@6 ?" },
		{ "the last line without its first byte", 77, 84, "?" },
		{ "all but the first line", 14, 84, "f7+0@2 I10+8@3 P90+0@5 N0+0@6 out deltas 1" },
	};
	char got[2048];

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		is_str(read_part(text, strlen(text), parts[i].start, parts[i].end, 0, got, sizeof(got)),
		       parts[i].want, "a slice has its expected rows: %s", parts[i].title);
}

/* A long line is carried into the next chunk, or past the slice; a very long one is not. */
TEST(long_lines)
{
	static const char func[] = "FUNC 10 8 0 ", rest[] = "\nPUBLIC 90 0 p\n";
	static const struct {
		size_t before, name;	/* bytes of the line before the border, and of its name */
		bool behind;		/* the border is the end of the slice */
		const char *want;
	} lines[] = {
		{ 20, 35000, false, "F10+8@1 P90+0@2 out" }, { 20, 35000, true, "F10+8@1 in" },
		{ 60000, 70000, false, "F10+8@1 P90+0@2 out" }, { 60000, 70000, true, "F10+8@1 in" },
		{ 66000, 70000, false, GIVEN_UP }, { 20, 70000, true, GIVEN_UP },
	};
	char *text = malloc(CHUNK * 3), got[2048];

	for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
		const size_t fill = CHUNK - lines[i].before;
		const size_t end = fill + strlen(func) + lines[i].name, size = end + strlen(rest);

		memset(text, '\n', fill);
		memcpy(text + fill, func, strlen(func));
		memset(text + fill + strlen(func), 'n', lines[i].name);
		memcpy(text + end, rest, strlen(rest));
		is_str(read_part(text, size, 0, lines[i].behind ? CHUNK : size, fill, got, sizeof(got)), lines[i].want,
		       "a name of %zu bytes is read: %zu bytes of its line precede the %s",
		       lines[i].name, lines[i].before, lines[i].behind ? "end of the slice" : "border of two chunks");
	}
	free(text);
}

/* More rows than fit at first. */
TEST(many)
{
	enum { MANY = 10000 };
	const size_t room = MANY * 40;
	char *text = malloc(room);
	size_t size = 0, wrong = 0;

	for (unsigned i = 0; i < MANY; i++)
		size += (size_t)snprintf(text + size, room - size, "%s %x %s0 n\n",
					 i % 2 == 0 ? "FUNC" : "PUBLIC", i * 16, i % 2 == 0 ? "10 " : "");
	const struct file file = { .data = (const uint8_t *)text, .size = size, .borrowed = true };
	struct slice_reader *reader = slice_reader_create(&file, size);
	struct slice *slice = calloc(1, sizeof(*slice));

	slice_reset(slice, 0, size);
	slice_read(reader, slice);
	for (size_t i = 0; i < slice->row_count; i++)
		wrong += slice->rows[i].address != i * 16 || slice->rows[i].size != (i % 2 == 0 ? 16u : 0u) ||
			 slice->rows[i].table != (i % 2 == 0 ? TABLE_FUNC : TABLE_PUBLIC) ||
			 line_number(text, 0, slice->rows[i].offset) == 0;
	ok(!slice->given_up && slice->row_count == MANY && wrong == 0, "each of %d records is a row", MANY);
	slice_free(slice);
	slice_reader_free(reader);
	free(text);
}
