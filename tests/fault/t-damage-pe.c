/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PE files that are cut at every byte, and whose fields of 8, 16 and 32 bits get limit values: headers, directories, sections and
 * the tables in them. Names and unwind rules are looked up at the addresses of the code, the file is relocated, and a symbol file
 * is made. UNSPOOL_FUZZ_DAMAGE is the number of damaged copies of each part in each way (0: all). */
#include <time.h>

#include "base/reader.h"
#include "binary/pe.h"
#include "debug_info/debug_info.h"
#include "dump_syms/dump_syms.h"
#include "frame_table/frame_tables.h"
#include "tests/fault/damage.h"
#include "tests/lib/bytes.h"
#include "tests/lib/tap.h"

#define FEW 40u
#define MOST_ADDRESSES 48u
/* The most rows that are read one after the other. */
#define MOST_ROWS 200u
/* Seconds of processor time that one copy, of 5 KB, may take. */
#define SLOW 1.0

/* Answers of a file: how many addresses have a name, and how many have a row. */
struct known {
	unsigned names, rows;
	size_t said;			/* messages, and reasons for a row that is missing */
	bool endless;			/* rows that do not advance */
	struct damage_sink text;	/* the symbol file */
};

static struct {
	uint64_t addresses[MOST_ADDRESSES];	/* relative to the base */
	size_t count;
	unsigned copies, refused, wordless, misplaced, unclean, slow, endless, silent, spread;
	struct known whole;
} test;

static unsigned long every;		/* copies of each part in each way; 0: all */

/* Take every eighth byte of the code, and the beginnings of functions. */
static void
take_addresses(const struct binary *binary)
{
	for (size_t i = 0; i < binary->segment_count; i++)
		for (uint64_t at = 0; binary->segments[i].executable && at < binary->segments[i].size; at += 8)
			if (test.count < MOST_ADDRESSES)
				test.addresses[test.count++] = binary->segments[i].address + at;
}

static void
ask_rows(const struct binaries *binaries, struct known *known)
{
	struct frame_table_question question = { .table = FRAME_TABLES };

	for (size_t i = 0; i < test.count; i++) {
		struct arena arena = { 0 };
		const char *problem = NULL;
		struct frame_extent extent;

		question.relative = test.addresses[i];
		question.exact = i % 2 == 0;
		known->rows += frame_tables_find(binaries, &question, &arena, &problem) != NULL;
		known->said += problem != NULL;
		for (unsigned table = 0; table < FRAME_TABLES; table++)
			if (frame_tables_file(binaries, 0, table) != NULL)
				frame_tables_extent(binaries, 0, table, question.relative, &extent);
		arena_free(&arena);
	}
}

/* Read all rows of a table from the first address on, as a comparison of tables does. */
static void
ask_on(const struct binaries *binaries, struct known *known)
{
	struct frame_cursor cursor;
	uint64_t end = 0;

	if (frame_tables_file(binaries, 0, FRAME_TABLE_PDATA) == NULL)
		return;
	frame_cursor_begin(&cursor, binaries, 0, FRAME_TABLE_PDATA);
	frame_cursor_seek(&cursor, test.addresses[0]);
	for (unsigned i = 0; i < MOST_ROWS && frame_cursor_next(&cursor); i++) {
		known->endless |= cursor.row.first < end || cursor.row.last < cursor.row.first;
		end = cursor.row.last + 1;
	}
	arena_free(&cursor.arena);
}

static void
ask_names(const struct binaries *binaries, struct known *known)
{
	for (size_t i = 0; i < test.count; i++) {
		struct arena arena = { 0 };
		struct debug_answer answer;

		known->names += debug_info_find(binaries, 0, test.addresses[i], &arena, &answer);
		arena_free(&arena);
	}
}

/* Read all data of a file; false if it is refused. */
static bool
look(const uint8_t *bytes, size_t size, struct known *known, struct error *error)
{
	const struct output output = { .write = damage_swallow, .context = &known->text };
	const struct dump_syms_options options = { .threads = 1 };
	struct error ignored;
	struct binary *binary;
	struct dump_syms dump;
	struct crash crash;

	*known = (struct known){ 0 };
	if (binary_from_memory(&binary, "damaged.dll", bytes, size, error) != ERROR_NONE)
		return false;
	for (size_t i = 0; i < binary->problem_count; i++)
		test.misplaced += binary->problems[i].place.offset > size;
	pe_relocate(binary, UINT64_C(0x7ff600000000));
	if (!binary_as_crash(binary, "damaged.dll", &crash))
		exit(99);
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	binaries_give(binaries, 0, binary);
	binaries_set(binaries, BINARIES_INSIDE);
	if (test.count == 0)
		take_addresses(binary);
	ask_names(binaries, known);
	ask_rows(binaries, known);
	ask_on(binaries, known);
	if (dump_syms_read(&dump, binaries, 0, crash.system.arch, &options, &ignored) == ERROR_NONE) {
		dump_syms_write(&dump, &output);
		dump_syms_free(&dump);
	}
	known->said += binaries_messages(binaries)->count;
	binaries_free(binaries);
	crash_free(&crash);
	return true;
}

/* A part of a file, and the answers that do not depend on it. */
struct part {
	char name[9];
	uint32_t start, size;
	bool no_rows;			/* it has no unwind rules and nothing that leads to them */
};

/* Try a damaged copy. `cut`: bytes are missing, so that missing answers need a message. */
static void
try(const uint8_t *bytes, size_t size, bool cut, const struct part *part, uint32_t offset)
{
	uint8_t *copy = damage_copy(bytes, size);
	struct error error = { 0 };
	struct known known;
	const clock_t begun = clock();

	test.copies++;
	if (!look(copy, size, &known, &error)) {
		test.refused++;
		test.wordless += error.text[0] == '\0';
		test.misplaced += error.place.offset > size;
	}
	test.unclean += known.text.control;
	test.endless += known.endless;
	if ((double)(clock() - begun) / CLOCKS_PER_SEC > SLOW && test.slow++ < 5)
		tap_diag("slow: %s, offset 0x%x", part->name, (unsigned)offset);
	if (cut && error.text[0] == '\0' && known.said == 0 &&
	    (known.names < test.whole.names || known.rows < test.whole.rows) && test.silent++ < 5)
		tap_diag("nothing is said: %s, offset 0x%x", part->name, (unsigned)offset);
	if (!cut && part->no_rows && known.rows != test.whole.rows && test.spread++ < 5)
		tap_diag("rows are lost: %s, offset 0x%x", part->name, (unsigned)offset);
	free(copy);
}

static void
cut_part(const uint8_t *bytes, const struct part *part)
{
	for (uint32_t at = 0; at < part->size; at += damage_apart(part->size, every))
		try(bytes, part->start + at, true, part, at);
}

/* Damage every field of `width` bytes; fields wider than a byte begin at even offsets. */
static void
limit_fields(uint8_t *bytes, size_t file, const struct part *part, unsigned width)
{
	const unsigned step = width > 1 ? 2 : 1;
	const uint32_t all = part->size / step * DAMAGE_LIMITS;

	for (uint32_t i = 0; i < all; i += damage_apart(all, every)) {
		const uint32_t offset = i / DAMAGE_LIMITS * step;
		uint8_t *at = bytes + part->start + offset;
		uint8_t was[4];

		if (offset + width > part->size)
			continue;
		memcpy(was, at, width);
		damage_field(at, width, i % DAMAGE_LIMITS, part->size, (uint32_t)file);
		if (memcmp(was, at, width) != 0)
			try(bytes, file, false, part, offset);
		memcpy(at, was, width);
	}
}

/* The headers, each section in its place in the file, and the bytes after them. */
static size_t
find_parts(const uint8_t *bytes, size_t size, struct part parts[static 16])
{
	const uint32_t header = (uint32_t)reader_number(bytes + 0x3c, 4, false);
	const unsigned sections = (unsigned)reader_number(bytes + header + 6, 2, false);
	const uint8_t *section = bytes + header + 24 + (size_t)reader_number(bytes + header + 20, 2, false);
	uint32_t end = (uint32_t)(section - bytes) + sections * 40;
	size_t count = 1;

	parts[0] = (struct part){ .name = "headers", .size = end };
	for (unsigned i = 0; i < sections && count < 15; i++, section += 40) {
		struct part *part = &parts[count];
		*part = (struct part){ .start = (uint32_t)reader_number(section + 20, 4, false),
				       .size = (uint32_t)reader_number(section + 16, 4, false) };
		memcpy(part->name, section, 8);
		part->no_rows = strcmp(part->name, ".edata") == 0 || strcmp(part->name, ".idata") == 0;
		count += part->size != 0;
		if (part->size != 0 && part->start + part->size > end)
			end = part->start + part->size;
	}
	if (end < size) {
		parts[count] = (struct part){ .name = "behind", .start = end, .size = (uint32_t)size - end };
		count++;
	}
	return count;
}

/* Add symbols as MinGW's linker leaves them: two functions, with a short and with a long name. */
static uint8_t *
add_symbols(uint8_t *bytes, size_t *size)
{
	static const uint8_t symbols[] = {
		'_', 's', 'h', 'o', 'r', 't', 0, 0, 0, 0, 0, 0, 1, 0, 0x20, 0, 2, 1,
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 0, 0, 0, 0, 4, 0, 0, 0, 0x40, 0, 0, 0, 1, 0, 0x20, 0, 3, 0,
		20, 0, 0, 0, '_', 'l', 'o', 'n', 'g', 'e', 'r', ' ', 'n', 'a', 'm', 'e', '(', ')', 0, 0,
	};
	const uint32_t header = (uint32_t)reader_number(bytes + 0x3c, 4, false), start = (uint32_t)*size;
	uint8_t *more = realloc(bytes, *size + sizeof(symbols));

	if (more == NULL)
		exit(99);
	memcpy(more + start, symbols, sizeof(symbols));
	put_le(more + header + 12, start, 4);
	more[header + 16] = 3;
	*size += sizeof(symbols);
	return more;
}

static void
test_file(const char *name, unsigned names, unsigned rows)
{
	struct error error = { 0 };
	struct part parts[16];
	size_t size;

	const char *path = tap_path("%s", name);
	memset(&test, 0, sizeof(test));
	uint8_t *bytes = damage_read(path, &size);
	if (reader_number(bytes + reader_number(bytes + 0x3c, 4, false) + 12, 4, false) == 0)
		bytes = add_symbols(bytes, &size);
	if (ok(look(bytes, size, &test.whole, &error) && test.whole.names >= names &&
	       test.whole.rows >= rows && test.whole.said <= test.count,
	       "%s: names and rules are found", name)) {
		const size_t count = find_parts(bytes, size, parts);

		for (size_t i = 0; i < count; i++) {
			cut_part(bytes, &parts[i]);
			for (unsigned width = 1; width <= 4; width *= 2)
				limit_fields(bytes, size, &parts[i], width);
		}
	}
	tap_diag("%s: %u copies, %u of them refused; %u names, %u rows", name, test.copies,
		 test.refused, test.whole.names, test.whole.rows);
	is_u64(test.wordless + test.misplaced, 0, "what is refused has a reason, and a place in the file");
	is_u64(test.unclean, 0, "no control character is written");
	is_u64(test.slow + test.endless, 0, "no copy takes long, and rows end");
	is_u64(test.silent, 0, "where a cut takes answers away a message says so");
	is_u64(test.spread, 0, "damaged names take no rules away");
	free(bytes);
}

int
main(void)
{
	const char *copies = getenv("UNSPOOL_FUZZ_DAMAGE");

	every = copies != NULL ? strtoul(copies, NULL, 10) : FEW;
	test_file("tests/pe/functions.dll", 3, 40);
	test_file("tests/pe/arm64.dll", 8, 40);
	test_file("tests/pe/arm.dll", 8, 40);
	test_file("tests/pe/thrown-amd64.dll", 8, 0);
	test_file("tests/pe/dwarf.dll", 0, 12);
	test_file("tests/windows/apc.exe", 8, 0);
	test_file("data/crashes/pdb-x86/binaries/kiosk.exe", 8, 0);
	return done_testing();
}
