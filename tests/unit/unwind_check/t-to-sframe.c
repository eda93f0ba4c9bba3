/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>

#include "tests/lib/tap.h"
#include "unwind_check/to_sframe.h"

/* SFrame sections that are read, written and read again. A section of GNU's assembler and linker,
 * or one made strictly by the specification, comes back byte for byte, unless it has bytes without
 * a meaning; its rows are always the same. The vectors are those of tests/sframe. */

/* A section, and the sections that were made from it. */
struct trip {
	uint8_t *bytes;
	size_t size;
	uint64_t address;
	struct sframe read;
	struct sframe_making making;
	const uint8_t *made;
	size_t made_size;
	char reason[120];		/* the first refusal's; "": nothing refused */
};

static bool
take_refusal(void *context, const struct sframe_refusal *refusal)
{
	struct trip *trip = context;

	if (trip->reason[0] == '\0')
		snprintf(trip->reason, sizeof(trip->reason), "%s", refusal->why);
	return true;
}

static bool
open_bytes(struct sframe *sframe, const uint8_t *bytes, size_t size, uint64_t address)
{
	static const struct input input = { "section" };

	return sframe_open(sframe, &(struct sframe_bytes){ &input, bytes, size, 0, address, NULL }, NULL, 0, NULL) == ERROR_NONE;
}

/* Write `from` in a version (0: its own); false if that is impossible. */
static bool
make(struct trip *trip, const struct sframe *from, unsigned version)
{
	struct sframe_table form;
	const char *why = sframe_form_of(&form, from, version);

	trip->made = NULL;
	trip->reason[0] = '\0';
	if (why != NULL) {
		snprintf(trip->reason, sizeof(trip->reason), "%s", why);
		return false;
	}
	trip->making = (struct sframe_making){ .refuse = take_refusal, .context = trip };
	sframe_writer_init(&trip->making.writer, &form);
	if (sframe_to_sframe(&trip->making, from))
		trip->made = sframe_writer_finish(&trip->making.writer, &trip->made_size, &why);
	return trip->made != NULL;
}

static bool
same_rule(const struct sframe_rule *a, const struct sframe_rule *b)
{
	return a->kind == b->kind && a->base == b->base && a->offset == b->offset && a->dereference == b->dereference;
}

static bool
same_rows(const struct sframe_function *a, const struct sframe_function *b)
{
	struct sframe_cursor one, other;
	struct sframe_row row, twin;

	sframe_rows(a, &one);
	sframe_rows(b, &other);
	while (sframe_next_row(&one, &row))
		if (!sframe_next_row(&other, &twin) || row.offset != twin.offset ||
		    row.outermost != twin.outermost || row.signed_ra != twin.signed_ra ||
		    !same_rule(&row.cfa, &twin.cfa) || !same_rule(&row.ra, &twin.ra) || !same_rule(&row.fp, &twin.fp))
			return false;
	return !sframe_next_row(&other, &twin);
}

/* True if two sections have the same rows for the same functions, in the same order. */
static bool
same_section(const struct sframe *a, const struct sframe *b)
{
	struct sframe_function one, other;

	if (a->function_count != b->function_count || a->tables[0].fixed_ra != b->tables[0].fixed_ra ||
	    a->tables[0].fixed_fp != b->tables[0].fixed_fp || a->tables[0].abi != b->tables[0].abi)
		return false;
	for (size_t i = 0; i < a->function_count; i++)
		if (!sframe_function(a, i, &one) || !sframe_function(b, i, &other) ||
		    one.address != other.address || one.size != other.size ||
		    one.masked != other.masked || (one.masked && one.repeat != other.repeat) ||
		    one.key_b != other.key_b || one.signal != other.signal ||
		    one.flexible != other.flexible || !same_rows(&one, &other))
			return false;
	return true;
}

static bool
read_vector(struct trip *trip, const char *name)
{
	FILE *file = fopen(tap_path("tests/sframe/%s.expect", name), "r");
	char line[256];

	*trip = (struct trip){ .address = 0x402000 };
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "section-address: ", 17) == 0)
			trip->address = strtoull(line + 17, NULL, 16);
	if (file != NULL)
		fclose(file);
	file = fopen(tap_path("tests/sframe/%s.sframe", name), "rb");
	if (file == NULL)
		return false;
	trip->bytes = calloc(1, 1 << 16);
	trip->size = fread(trip->bytes, 1, 1 << 16, file);
	fclose(file);
	return open_bytes(&trip->read, trip->bytes, trip->size, trip->address);
}

static void
free_trip(struct trip *trip)
{
	sframe_close(&trip->read);
	sframe_writer_free(&trip->making.writer);
	free(trip->bytes);
}

/* Vectors that come back with other bytes: they have meaningless bytes or another order of rows. */
static bool
has_slack(const char *name)
{
	static const char *const names[] = {
		"v1-amd64-concatenated-by-plain-linker", "v1-amd64-nofp-gcc-O0", "v1-amd64-plt-pcmask", "v2-amd64-aux-header-and-fde-gap",
		"v2-amd64-ra-undefined-outermost", "v3-amd64-flex-2byte-words", "walk-amd64-nofp-O2-v1", "walk-amd64-fp-O1-v1",
	};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void
test_vector(const char *name)
{
	struct sframe again;
	struct trip trip;

	if (!ok(read_vector(&trip, name) && make(&trip, &trip.read, 0), "%s is written", name) ||
	    !ok(open_bytes(&again, trip.made, trip.made_size, trip.address),
		"%s: the written section can be read", name)) {
		free_trip(&trip);
		return;
	}
	is_str(trip.reason, "", "%s: no row is refused", name);
	ok(same_section(&trip.read, &again), "%s: the written section has the same rows", name);
	if (!has_slack(name))
		ok(trip.size == trip.made_size && memcmp(trip.bytes, trip.made, trip.size) == 0,
		   "%s: the written section has the same bytes", name);
	else
		ok(trip.made_size <= trip.size, "%s: the written section is not larger than the original", name);
	sframe_close(&again);
	free_trip(&trip);
}

/* A section written from a damaged one is the same when it is read and written again. */
static void
test_damage(const char *name)
{
	struct trip trip;
	size_t tried = 0, same = 0;

	if (!ok(read_vector(&trip, name), "%s opens", name))
		return;
	for (size_t i = 0; i < trip.size * 4; i++) {
		static const uint8_t values[] = { 0, 0xff, 0x7f, 0x80 };
		struct trip damaged = trip, second = trip;
		struct sframe sframe, again = { 0 };
		const uint8_t kept = trip.bytes[i / 4];

		trip.bytes[i / 4] = values[i % 4];
		if (open_bytes(&sframe, trip.bytes, trip.size, trip.address)) {
			if (make(&damaged, &sframe, 0)) {
				tried++;
				same += open_bytes(&again, damaged.made, damaged.made_size, trip.address) &&
					make(&second, &again, 0) && second.reason[0] == '\0' &&
					second.made_size == damaged.made_size &&
					memcmp(second.made, damaged.made, second.made_size) == 0;
				sframe_writer_free(&second.making.writer);
				sframe_close(&again);
			}
			sframe_writer_free(&damaged.making.writer);
			sframe_close(&sframe);
		}
		trip.bytes[i / 4] = kept;
	}
	ok(tried > 50, "%s: %zu damaged copies are written", name, tried);
	is_u64(same, tried, "all written copies have the same rows");
	free_trip(&trip);
}

/* Convert from one version to another. */
static const struct {
	const char *name;
	unsigned to;
	const char *reason;	/* the first refusal's */
} versions[] = {
	{ "v2-amd64-pcrel", 3, "" }, { "v2-amd64-pcrel", 1, "" },
	{ "v1-amd64-frame-pointer-and-wide-offsets", 3, "" }, { "v3-amd64-default", 2, "" }, { "v2-s390x-be", 3, "" },
	{ "v2-s390x-be", 1, "this version has no number for the processor" }, { "v2-amd64-pcrel", 4, "there are versions 1, 2 and 3" },
	{ "v2-amd64-plt-pcmask", 1, "rows of version 1 repeat every 16 bytes only" },
	{ "v2-amd64-ra-undefined-outermost", 1, "version 1 has no mark for functions without a caller" },
	{ "v3-amd64-flex-2byte-words", 2, "the CFA counts from another register than stack or frame pointer" },
	{ "v2-amd64-fde-without-fres-and-zero-size", 3, "without rows it would have no caller in version 3" },
};

TEST_EACH(versions, versions)
{
	struct trip trip;

	if (!ok(read_vector(&trip, versions[i].name), "%s opens", versions[i].name))
		return;
	make(&trip, &trip.read, versions[i].to);
	const char *reason = versions[i].reason;
	is_str(trip.reason, reason, "%s as version %u: %s", versions[i].name, versions[i].to,
	       *reason != '\0' ? reason : "no row is refused");
	free_trip(&trip);
}

/* There and back again: the rows are the same in the end, in spite of another encoding between. */
static void
test_there_and_back(const char *name, unsigned version)
{
	struct trip trip, back = { 0 };
	struct sframe between = { 0 }, again = { 0 };

	if (!ok(read_vector(&trip, name) && make(&trip, &trip.read, version) &&
			open_bytes(&between, trip.made, trip.made_size, trip.address) &&
			make(&back, &between, trip.read.tables[0].version) &&
			open_bytes(&again, back.made, back.made_size, trip.address),
		"%s is written as version %u", name, version))
		return;
	ok(between.tables[0].version == version && same_section(&trip.read, &again), "the section has the same rows when it is back");
	sframe_close(&between);
	sframe_close(&again);
	sframe_writer_free(&back.making.writer);
	free_trip(&trip);
}

/* One row at a time ---------------------------------------------------------------------------- */

#define UNSAVED { .kind = SFRAME_UNSAVED }
#define FIXED { .kind = SFRAME_FIXED, .base = SFRAME_CFA, .offset = -8, .dereference = true }
#define SLOT(at) { .kind = SFRAME_OFFSET, .base = SFRAME_CFA, .offset = (at), .dereference = true }
#define SUM(reg, by) { .kind = SFRAME_OFFSET, .base = (reg), .offset = (by) }
#define WORD(reg, by) { .kind = SFRAME_OFFSET, .base = (reg), .offset = (by), .dereference = true }

static const struct {
	enum sframe_abi abi;
	unsigned version;
	bool flexible;
	struct sframe_row row;
	const char *reason;	/* NULL: it can be expressed */
} rows[] = {
	{ SFRAME_AMD64, 1, false, { .cfa = SUM(7, 8), .ra = FIXED }, NULL },
	{ SFRAME_AMD64, 1, false, { .cfa = SUM(6, 16), .ra = FIXED, .fp = SLOT(-16) }, NULL },
	{ SFRAME_AMD64, 2, false, { .cfa = SUM(7, INT32_MAX), .ra = FIXED }, NULL },
	{ SFRAME_AMD64, 2, false, { .cfa = SUM(7, INT64_C(1) << 31), .ra = FIXED }, "an offset has more than 32 bits" },
	{ SFRAME_AMD64, 2, false, { .cfa = SUM(3, 8), .ra = FIXED }, "the CFA counts from another register than stack or frame pointer" },
	{ SFRAME_AMD64, 2, false, { .cfa = WORD(6, -8), .ra = FIXED }, "the CFA is read from memory" },
	{ SFRAME_AMD64, 2, false, { .cfa = SUM(7, 8), .ra = SLOT(-16) }, "a register is not where the header has it for all functions" },
	{ SFRAME_AMD64, 2, false, { .cfa = SUM(7, 8), .ra = UNSAVED }, "a register is not where the header has it for all functions" },
	{ SFRAME_AMD64, 2, false, { .cfa = SUM(7, 8), .ra = FIXED, .fp = SUM(3, 0) }, "a register is in another register" },
	{ SFRAME_AMD64, 2, false, { .cfa = SUM(7, 8), .ra = FIXED, .fp = WORD(7, 8) }, "a register's place does not count from the CFA" },
	{ SFRAME_AMD64,
	  2, false, { .cfa = SUM(7, 8), .ra = FIXED, .fp = SUM(SFRAME_CFA, -8) }, "a register is a sum, not a word in memory" },
	{ SFRAME_AMD64, 2, false, { .cfa = SUM(7, 8), .ra = FIXED, .signed_ra = true },
	  "return addresses of this processor are not signed" },
	{ SFRAME_AMD64, 2, false, { .outermost = true }, NULL },
	{ SFRAME_AMD64, 1, false, { .outermost = true }, "version 1 has no mark for functions without a caller" },
	{ SFRAME_AMD64, 3, true, { .cfa = WORD(7, 160), .ra = WORD(7, 168), .fp = WORD(7, 120) }, NULL },
	{ SFRAME_AMD64, 3, true, { .cfa = SUM(10, 0), .ra = FIXED, .fp = SUM(3, 0) }, NULL },
	{ SFRAME_AMD64, 3, true, { .cfa = SUM(7, 8), .ra = SUM(SFRAME_CFA, -8) }, "a register is a sum of the CFA, not a word in memory" },
	{ SFRAME_AMD64, 3, true, { .cfa = SUM(7, 8), .ra = UNSAVED }, "a register is not where the header has it for all functions" },
	{ SFRAME_AMD64, 3, true, { .cfa = SLOT(8), .ra = FIXED }, "the CFA is not computed from a register" },
	{ SFRAME_AARCH64, 2, false, { .cfa = SUM(31, 0) }, NULL },
	{ SFRAME_AARCH64, 2, false, { .cfa = SUM(31, 32), .ra = SLOT(-24), .fp = SLOT(-32), .signed_ra = true }, NULL },
	{ SFRAME_AARCH64, 2, false, { .cfa = SUM(31, 32), .fp = SLOT(-32) }, "the frame pointer is saved and the return address is not" },
	{ SFRAME_AARCH64_BIG, 3, true, { .cfa = SUM(31, 32), .fp = SLOT(-32) }, NULL },
	{ SFRAME_S390X, 2, false, { .cfa = SUM(15, 160) }, NULL },
	{ SFRAME_S390X, 2, false, { .cfa = SUM(15, 160), .fp = SLOT(-72) }, NULL },
	{ SFRAME_S390X, 2, false, { .cfa = SUM(15, 160), .ra = SUM(16, 0), .fp = SUM(17, 0) }, NULL },
	{ SFRAME_S390X, 2, false, { .cfa = SUM(15, 160), .ra = SUM(128, 0) }, "the number of a register has more than 7 bits" },
	{ SFRAME_S390X, 3, false, { .cfa = SUM(15, 160), .ra = SUM(16, 0) }, "a register is in another register" },
	{ SFRAME_S390X, 2, false, { .cfa = SUM(15, 164) }, "the CFA's offset less 160 is no multiple of 8" },
	{ SFRAME_S390X, 2, false, { .cfa = SUM(15, 160), .fp = SLOT(-71) }, "an odd offset would be the number of a register" },
	{ SFRAME_S390X, 2, false, { .cfa = SUM(15, 160), .ra = SLOT(0) }, "an offset of 0 would be padding" },
};

TEST_EACH(rows, rows)
{
	struct sframe_table form;
	const char *why = sframe_form(&form, rows[i].version, rows[i].abi, 0x1000);

	if (why == NULL)
		why = sframe_row_refused(&form, rows[i].flexible, &rows[i].row);
	is_str(why, rows[i].reason, "row %zu is written or refused: %s", i, rows[i].reason != NULL ? rows[i].reason : "no reason");
}

/* The descriptor of a function, by its size and place. */
TEST(functions)
{
	static const struct {
		unsigned version;
		uint64_t address;
		uint32_t size;
		unsigned width;		/* bytes of the rows' addresses; 0: refused */
	} cases[] = {
		{ 2, 0x1000, 255, 1 },	      { 2, 0x1000, 256, 2 }, { 2, 0x1000, 65535, 2 },      { 2, 0x1000, 65536, 4 },
		{ 2, 0x80000fff, 16, 1 },     { 2, 0x80001000, 16, 0 },
		{ 2, UINT64_C(0xffffffff80001000), 16, 1 }, { 3, UINT64_C(0x7f0000001000), 16, 1 },
	};
	static const struct sframe_row row = { .cfa = SUM(7, 8), .ra = FIXED };

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct sframe_function function = { .address = cases[i].address, .size = cases[i].size };
		struct sframe_function read = { .address_bytes = 0 };
		struct sframe_writer writer;
		struct sframe_table form;
		struct sframe section = { 0 };
		const char *why;
		size_t size;

		sframe_form(&form, cases[i].version, SFRAME_AMD64, 0x1000);
		sframe_writer_init(&writer, &form);
		why = sframe_writer_add(&writer, &function, &row, 1);
		const uint8_t *bytes = sframe_writer_finish(&writer, &size, &why);
		if (open_bytes(&section, bytes, size, 0x1000))
			sframe_function(&section, 0, &read);
		is_u64(read.address_bytes, cases[i].width, "function %zu has the expected bytes of row addresses", i);
		if (cases[i].width != 0)
			is_u64(read.address, cases[i].address, "function %zu begins at its address", i);
		sframe_close(&section);
		sframe_writer_free(&writer);
	}
}

/* Marks for which a version has no bits. */
TEST(marks)
{
	static const struct sframe_row row = { .cfa = SUM(7, 8), .ra = FIXED };
	static const struct sframe_function signal = { .size = 16, .signal = true },
					    flexible = { .size = 16, .flexible = true },
					    signed_by_b = { .size = 16, .key_b = true };
	struct sframe_writer writer;
	struct sframe_table form;

	sframe_form(&form, 2, SFRAME_AMD64, 0);
	sframe_writer_init(&writer, &form);
	is_str(sframe_writer_add(&writer, &signal, &row, 1),
	       "only version 3 has a mark for signal frames", "version 2 has no signal frames");
	is_str(sframe_writer_add(&writer, &flexible, &row, 1), "only version 3 has flexible rows", "version 2 has no flexible rows");
	is_str(sframe_writer_add(&writer, &signed_by_b, &row, 1), "return addresses of this processor are not signed", "amd64 has no keys");
	is_u64(writer.count, 0, "no function with a refused mark is added");
	sframe_writer_free(&writer);
}

int
main(void)
{
	struct dirent **entries;
	size_t seen = 0;
	const int count = scandir(tap_path("tests/sframe"), &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char *name = entries[i]->d_name, *dot = strrchr(name, '.');
		if (dot != NULL && strcmp(dot, ".sframe") == 0 && strncmp(name, "bad-", 4) != 0) {
			*dot = '\0';
			test_vector(name);
			seen++;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	ok(seen >= 30, "%zu vectors were tried", seen);
	test_damage("v2-amd64-pcrel");
	test_damage("v2-s390x-be");
	test_damage("v1-aarch64-be-pauth");
	test_damage("v3-amd64-flex-signal-outermost");
	run_tests();
	test_there_and_back("v2-amd64-pcrel", 3);
	test_there_and_back("v1-aarch64-le-pauth", 3);
	test_there_and_back("v2-aarch64-be-mangled-ra", 1);
	return done_testing();
}
