/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/policy_rows.h"
#include "tests/unit/symbols/symtext.h"


/* Hostile files: cut anywhere, huge, in the worst order. */

static const char sample[] = "MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 sample\r\n"
	"INFO CODE_ID 00\n"
	"FILE 0 a file.c\n"
	"INLINE_ORIGIN 0 0 old form\n"
	"INLINE_ORIGIN 1 new\n"
	"FUNC m 1000 40 8 f(int, \xc3\xa9)\n"
	"INLINE 0 10 0 1 1000 10 1020 8\n"
	"INLINE 1 11 0 1008 4\n"
	"1000 20 5 0\n"
	"\0\t\r1020 20 6 0\n"
	"FUNC 1000 40 8 again\n"
	"PUBLIC m 2000 4 p\n"
	"PUBLIC 2000 4 p\n"
	"STACK WIN 4 1000 40 1 0 8 4 4 0 1 $eip 4 + ^ =\n"
	"STACK WIN 0 1000 40 1 0 8 4 4 0 0 1\n"
	"STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
	"STACK CFI 1004 .cfa: $rsp 16 +\n"
	"\xff\n"
	"STACK CFI INIT 1000 40 .cfa: 1\n";

/* Make all kinds of look-ups; sanitizers check the reads. */
static uint64_t
exercise(const struct symfile *symfile)
{
	static const struct policy policies[] = {
		{ .value = { [POLICY_INLINE_LEVELS] = NESTING_BY_RANGES } },
		{ .value = { [POLICY_SYMBOL_ERROR_LIMIT] = 1, [POLICY_PUBLIC_AT_ZERO] = 1, [POLICY_INLINE_LEVELS] = NESTING_BY_LEVELS } },
		{ .value = { [POLICY_PUBLIC_AT_ZERO] = 1, [POLICY_INLINE_LEVELS] = NESTING_LEVELS_ALONE } },
	};
	uint64_t answers = 0;

	for (size_t policy = 0; policy < ARRAY_COUNT(policies); policy++)
		for (uint64_t address = 0xff8; address < 0x1048; address += 4) {
			char buffer[512];
			struct arena arena = { 0 };
			struct stack_win win;

			frames_of(symfile, &policies[policy], address, buffer, sizeof(buffer));
			answers += strlen(buffer);
			rules_of(symfile, &policies[policy], address, buffer, sizeof(buffer));
			answers += strlen(buffer);
			answers += symfile_stack_win(symfile, &policies[policy], 4, address, &win);
			arena_free(&arena);
		}
	for (uint64_t offset = 0; offset <= symfile_file(symfile)->size; offset += 7)
		answers += symfile_place(symfile, offset, 1).column;
	return answers;
}

/* Open a copy of exactly this size, so that a read past the end is caught. */
static struct symfile *
open_copy(const char *bytes, size_t length, char **copy)
{
	*copy = malloc(length == 0 ? 1 : length);
	if (*copy == NULL)
		exit(1);
	memcpy(*copy, bytes, length);
	return open_bytes(*copy, length);
}

TEST(cuts)
{
	uint64_t answers = 0;

	for (size_t length = 0; length < sizeof(sample); length++) {
		char *copy;
		struct symfile *symfile = open_copy(sample, length, &copy);

		answers += exercise(symfile);
		symfile_close(symfile);
		free(copy);
	}
	ok(answers > 0, "a file cut at any of its %zu bytes is read", sizeof(sample));
}

TEST(flips)
{
	static const char bytes[] = { '\0', '\n', '\r', ' ', '\xff', '0', 'f', '-', '\t' };
	uint64_t answers = 0;

	for (size_t offset = 0; offset + 1 < sizeof(sample); offset++)
		for (size_t byte = 0; byte < sizeof(bytes); byte++) {
			char *copy, changed[sizeof(sample)];
			memcpy(changed, sample, sizeof(sample));
			changed[offset] = bytes[byte];
			struct symfile *symfile = open_copy(changed, sizeof(sample) - 1, &copy);
			char name[128];

			answers += strlen(name_of(symfile, &whole_file, 0x1008, name, sizeof(name)));
			frames_of(symfile, &as_breakpad, 0x1008, name, sizeof(name));
			symfile_close(symfile);
			free(copy);
		}
	ok(answers > 0, "a file with any byte changed is read");
}

/* Write record `index` of `count`. */
typedef int write_record(char *text, size_t size, unsigned index, unsigned count);

static int
functions_descending(char *text, size_t size, unsigned index, unsigned count)
{
	return snprintf(text, size, "FUNC %x 4 0 f\n", (count - index) * 4);
}

static int
functions_overlapping(char *text, size_t size, unsigned index, unsigned count)
{
	return snprintf(text, size, "FUNC %x %x 0 f\n", index * 4, (count - index) * 4);
}

static int
publics_repeated(char *text, size_t size, unsigned index, unsigned count)
{
	return snprintf(text, size, "PUBLIC %x 0 p\n", 1 + (count - index) % 7);
}

static int
win_nested(char *text, size_t size, unsigned index, unsigned count)
{
	return snprintf(text, size, "STACK WIN 4 %x %x 0 0 0 0 0 0 1 x\n", count - index, index * 2 + 1);
}

static int
win_crossing(char *text, size_t size, unsigned index, unsigned count)
{
	return snprintf(text, size, "STACK WIN 4 %x %x 0 0 0 0 0 0 1 x\n", (unsigned)(index * 7919ull % count), count / 2);
}

static int
deltas_descending(char *text, size_t size, unsigned index, unsigned count)
{
	return snprintf(text, size, "STACK CFI %x .cfa: 1\n", (count - index) / 2);
}

static int
lines_descending(char *text, size_t size, unsigned index, unsigned count)
{
	if (index == 0)
		return snprintf(text, size, "FUNC 0 ffffffff 0 f\n");
	return snprintf(text, size, "%x 8 1 0\n", (count - index) * 4);
}

static int
inlines_nested(char *text, size_t size, unsigned index, unsigned count)
{
	if (index == 0)
		return snprintf(text, size, "FUNC 0 ffffffff 0 f\n");
	return snprintf(text, size, "INLINE %u 1 0 0 %x %x\n", index - 1, index, (count - index) * 2);
}

static int
bad_lines(char *text, size_t size, unsigned index, unsigned count)
{
	(void)count;
	return snprintf(text, size, "bad %u\r", index);
}

static void
test_order(write_record *write, const char *name)
{
	const unsigned count = 200000;
	char *text = malloc((size_t)count * 64);
	size_t used = 0;

	if (text == NULL) {
		skip(1, "no memory for a file");
		return;
	}
	for (unsigned index = 0; index < count; index++)
		used += (size_t)write(text + used, 64, index, count);
	tap_bound_work(120);
	struct symfile *symfile = open_bytes(text, used);
	char frames[20000];
	struct stack_win win;
	struct arena arena = { 0 };
	struct stack_cfi_records cfi;

	frames_of(symfile, &whole_file, count, frames, sizeof(frames));
	symfile_stack_win(symfile, &whole_file, 4, count, &win);
	symfile_stack_cfi(symfile, &whole_file, count, &arena, &cfi);
	for (int nesting = 0; nesting <= NESTING_LEVELS_ALONE; nesting++) {
		const struct policy policy = { .value = { [POLICY_INLINE_LEVELS] = (enum nesting)nesting } };
		struct function_body body;

		symfile_function_body(symfile, &policy, count, &arena, &body);
	}
	for (unsigned address = 0; address < count; address++)
		name_of(symfile, &as_breakpad, address, frames, sizeof(frames));
	ok(symfile_line_count(symfile) == count, "%u records of %s are read", count, name);
	arena_free(&arena);
	symfile_close(symfile);
	free(text);
}

TEST(long_lines)
{
	const size_t size = (size_t)40 << 20;
	char *text = malloc(size);

	if (text == NULL) {
		skip(4, "no memory for a long line");
		return;
	}
	memset(text, 'n', size);
	memcpy(text, "FUNC 1000 10 0 ", 15);
	memcpy(text + size - 18, "\nFUNC 2000 10 0 b\n", 18);
	struct symfile *symfile = open_bytes(text, size);
	struct function function;
	char name[64];

	ok(symfile_function(symfile, &whole_file, 0x1000, &function) &&
	   function.length == 0xffffff, "the first 16 MiB of a line of 40 MiB are read");
	is_u64(seen(symfile, MESSAGE_LIMIT), 1, "a message reports the long line");
	is_str(name_of(symfile, &whole_file, 0x2000, name, sizeof(name)), "b@2000", "the next line is read");
	is_u64(symfile_place(symfile, size - 1, 1).line, 2, "the line after a long line has its place");
	symfile_close(symfile);
	free(text);
}

TEST(many_fields)
{
	static char text[64 << 10];
	char frames[256];

	/* 254 ranges are 512 fields in the new form; Breakpad cuts all further ones. */
	strcpy(text, "INLINE_ORIGIN 0 g\nFUNC 0 ffffff 0 f\nINLINE 0 1 0 0");
	size_t used = strlen(text);
	for (unsigned range = 0; range < 300; range++)
		used += (size_t)sprintf(text + used, " %x 8", range * 16);
	strcpy(text + used, "\n");
	struct symfile *symfile = open_text(text);
	is_str(frames_of(symfile, &whole_file, 253 * 16, frames, sizeof(frames)), "f < g at :1", "254 ranges of an INLINE record count");
	is_str(frames_of(symfile, &whole_file, 254 * 16, frames, sizeof(frames)), "f", "the ranges after the 254th do not count");
	symfile_close(symfile);
}

int
main(void)
{
	run_tests();
	test_order(functions_descending, "functions in descending order");
	test_order(functions_overlapping, "functions that all overlap");
	test_order(publics_repeated, "publics at few addresses");
	test_order(win_nested, "STACK WIN around all before");
	test_order(win_crossing, "STACK WIN that cross");
	test_order(deltas_descending, "deltas in descending order, each twice");
	test_order(lines_descending, "lines of one function in descending order");
	test_order(inlines_nested, "inlined calls each in the one before");
	test_order(bad_lines, "no kind, ended by CR");
	return done_testing();
}
