/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources compared entry by entry, with what agrees left out, and row by row: both find the same
 * in the bundled program's .eh_frame and SFrame section and in its symbol file, also where their
 * bytes were changed.
 */
#include "unwind_check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "binary/binary.h"
#include "dump/dump.h"
#include "sframe/sframes.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"
#include "unwind_check/packed.h"

#define MUTATIONS 500u

struct bench {
	struct crash crash;
	char name[40];			/* of the file that is damaged */
	int file;
	uint8_t *program, *symbols;
	size_t program_size, symbols_size;
};

/* What was found, in one number. */
struct found {
	uint64_t digest;
	size_t count;
	struct unwind_totals totals;
};

static const char *
path_of(const char *name)
{
	static char path[1024];
	const char *srcdir = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/data/crashes/sframe-amd64/%s",
		 srcdir != NULL ? srcdir : ".", name);
	return path;
}

static void
take(struct found *found, const void *bytes, size_t size)
{
	found->digest = hash_bytes(found->digest, bytes, size);
}

static bool
tell(void *context, const struct unwind_difference *difference)
{
	struct found *found = context;
	const uint64_t numbers[] = { difference->first, difference->last, difference->code,
				     difference->column, difference->sources, difference->guilty,
				     difference->begins,
				     difference->records[difference->guilty] };

	take(found, numbers, sizeof(numbers));
	if (difference->problem != NULL)
		take(found, difference->problem, strlen(difference->problem));
	for (unsigned i = 0; i < UNWIND_SOURCES; i++) {
		if ((difference->sources >> i & 1) == 0 || difference->column == CLAIM_COLUMNS)
			continue;
		take(found, &difference->claims[i], sizeof(difference->claims[i]));
		take(found, &difference->records[i], sizeof(difference->records[i]));
	}
	found->count++;
	return true;
}

static struct found
compare(const struct rule_module *module, bool row_by_row)
{
	struct unwind_source *sources = calloc(UNWIND_SOURCES, sizeof(*sources));
	struct found found = { .digest = HASH_START };
	const size_t count = unwind_sources_open(module, false, sources);
	const struct unwind_check check = { .arch = module->arch,
					    .sources = sources,
					    .count = count,
					    .tell = tell,
					    .context = &found,
					    .last = UINT64_MAX,
					    .row_by_row = row_by_row };

	unwind_check_run(&check, &found.totals);
	unwind_sources_close(sources, count);
	free(sources);
	return found;
}

/* Compare what is in the file and in the symbols both ways; what is found. */
static const char *
attempt(const struct bench *bench, struct found *found)
{
	const char *const paths[] = { bench->name };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct rule_module module = { .arch = arch_by_id(ARCH_AMD64), .policy = &policy,
				      .parameters = -1 };
	struct error error = { 0 };
	struct symfile *symfile = NULL;
	const char *wrong = NULL;

	if (ftruncate(bench->file, 0) != 0 ||
	    pwrite(bench->file, bench->program, bench->program_size, 0) !=
		    (ssize_t)bench->program_size)
		return "the file cannot be written";
	struct binaries *binaries = binaries_create(&bench->crash, paths, 1);
	if (symfile_from_memory(&symfile, "parcel.sym", bench->symbols, bench->symbols_size,
				&error) == ERROR_NONE)
		module.symfile = symfile;
	module.binaries = binaries;
	module.sframe = sframes_load(binaries, 0);
	module.sframe_bias = bench->crash.modules[0].base;
	*found = compare(&module, false);
	struct found rows = compare(&module, true);
	if (found->digest != rows.digest || found->count != rows.count)
		wrong = "other differences are found";
	/* Row by row entries are not counted. */
	rows.totals.entries = found->totals.entries;
	rows.totals.entry_count = found->totals.entry_count;
	if (wrong == NULL && memcmp(&found->totals, &rows.totals, sizeof(rows.totals)) != 0)
		wrong = "other totals are found";
	symfile_close(symfile);
	binaries_free(binaries);
	return wrong;
}

/*
 * How many spans of the bundled program's entries agree without their rows; `*spans`: of how
 * many.
 */
static size_t
count_agreeing(const struct rule_module *module, size_t *spans)
{
	struct unwind_source *sources = calloc(UNWIND_SOURCES, sizeof(*sources));
	struct packed_check *packed = calloc(1, sizeof(*packed));
	const size_t count = unwind_sources_open(module, false, sources);
	struct packed_totals totals = { .runs = 0 };
	struct packed_span span;
	size_t agreeing = 0;

	*spans = 0;
	if (packed_check_open(packed, module->arch, sources, count)) {
		packed_check_seek(packed, 0);
		for (; packed_check_next(packed, &span); ++*spans)
			agreeing += span.alike && packed_check_agrees(packed, &span, &totals);
	}
	unwind_sources_close(sources, count);
	free(packed);
	free(sources);
	return agreeing;
}

/* Change one to three bytes of `size` at a time, and put them back. */
static void
test_changes(const struct bench *bench, uint8_t *bytes, size_t size, const char *title)
{
	static const char letters[] = "0189af .:$+-^\n";
	uint64_t seed = 97 + size;
	size_t bad = 0, differing = 0;
	struct found found;
	uint8_t *whole = damage_copy(bytes, size);

	for (unsigned i = 0; i < MUTATIONS; i++) {
		for (unsigned changes = 1 + i % 3; changes > 0; changes--) {
			const uint32_t choice = damage_random(&seed);

			bytes[damage_random(&seed) % size] =
				choice % 4 == 0 ? (uint8_t)letters[(choice >> 8) % 14]
				: choice % 4 == 1 ? (uint8_t)(choice >> 8 & 0x3f)
						  : (uint8_t)(choice >> 8);
		}
		const char *wrong = attempt(bench, &found);
		differing += found.count > 0;
		if (wrong != NULL && bad++ < 5)
			tap_diag("change %u: %s", i, wrong);
		memcpy(bytes, whole, size);
	}
	is_u64(bad, 0, "%s", title);
	ok(differing > MUTATIONS / 10, "%zu of them made a difference", differing);
	free(whole);
}

static void
test_section(const struct bench *bench, const char *name)
{
	struct binary *binary;
	char title[100];

	if (binary_from_memory(&binary, "parcel", bench->program, bench->program_size, NULL) !=
	    ERROR_NONE)
		return;
	const struct binary_section *section = binary_section(binary, 0, name);
	snprintf(title, sizeof(title), "changed bytes of %s are found in both ways", name);
	if (ok(section != NULL, "the program has %s", name))
		test_changes(bench, bench->program + section->offset, section->size, title);
	binary_close(binary);
}

/* Without the last records code at the end has none: the place is behind the last that there is. */
static void
test_cuts(struct bench *bench)
{
	static const char init[] = "\nSTACK CFI INIT";
	const size_t whole = bench->symbols_size;
	struct found found;
	size_t bad = 0, holes = 0;

	for (size_t at = 0; at + sizeof(init) <= whole; at++) {
		if (memcmp(bench->symbols + at, init, sizeof(init) - 1) != 0)
			continue;
		bench->symbols_size = at + 1;
		bad += attempt(bench, &found) != NULL;
		holes += found.count > 0;
	}
	bench->symbols_size = whole;
	is_u64(bad, 0, "a symbol file that ends early is compared in both ways alike");
	ok(holes > 3, "%zu times something is missing", holes);
}

/*
 * Records that say nothing of the return address cannot be used, though nothing contradicts them.
 */
static void
test_missing(struct bench *bench)
{
	static const char rule[] = " .ra: .cfa -8 + ^";
	const size_t length = sizeof(rule) - 1, whole = bench->symbols_size;
	uint8_t *copy = damage_copy(bench->symbols, whole);
	struct found found;
	size_t bad = 0, unusable = 0;

	for (size_t at = 0; at + length <= whole; at++) {
		if (memcmp(copy + at, rule, length) != 0)
			continue;
		memmove(bench->symbols + at, copy + at + length, whole - at - length);
		bench->symbols_size = whole - length;
		bad += attempt(bench, &found) != NULL;
		unusable += found.count > 1;
		memcpy(bench->symbols, copy, whole);
	}
	bench->symbols_size = whole;
	is_u64(bad, 0, "a record without a return address is the same in both ways");
	ok(unusable > 3, "and a difference, beside that of _start");
	free(copy);
}

static void
test_symbols(const struct bench *bench)
{
	static const char start[] = "\nSTACK CFI";
	size_t at = 0;

	while (at + sizeof(start) <= bench->symbols_size &&
	       memcmp(bench->symbols + at, start, sizeof(start) - 1) != 0)
		at++;
	test_changes(bench, bench->symbols + at, bench->symbols_size - at,
		     "changed bytes of STACK CFI records are found in both ways");
}

/*
 * All entries agree but the PLT's, whose CFA is an expression, and _start's, whose caller only
 * one denies.
 */
static void
test_agreement(const struct bench *bench)
{
	const char *const paths[] = { path_of("binaries/parcel") };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct rule_module module = { .arch = arch_by_id(ARCH_AMD64), .policy = &policy,
				      .parameters = -1 };
	struct binaries *binaries = binaries_create(&bench->crash, paths, 1);
	struct symfile *symfile = NULL;
	size_t spans;

	symfile_from_memory(&symfile, "parcel.sym", bench->symbols, bench->symbols_size, NULL);
	module.symfile = symfile;
	module.binaries = binaries;
	module.sframe = sframes_load(binaries, 0);
	module.sframe_bias = bench->crash.modules[0].base;
	const size_t agreeing = count_agreeing(&module, &spans);
	is_u64(spans - agreeing, 2, "of %zu entries two are compared row by row", spans);
	symfile_close(symfile);
	binaries_free(binaries);
}

int
main(void)
{
	struct bench bench = { .name = "unspool-packed.XXXXXX" };
	struct error error = { 0 };
	struct found found;
	static const char symbols[] = "symbols/parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel.sym";

	bench.symbols = damage_read(path_of(symbols), &bench.symbols_size);
	bench.program = damage_read(path_of("binaries/parcel"), &bench.program_size);
	bench.file = mkstemp(bench.name);
	if (bench.file < 0 ||
	    dump_open(&bench.crash, path_of("crash.dmp"), 0, &error) != ERROR_NONE) {
		skip(1, "the bundle is not there: %s", error.text);
		return done_testing();
	}
	is_str(attempt(&bench, &found), NULL, "the bundled program's sources are compared");
	is_u64(found.totals.compared, 20, "all rows of .eh_frame, as readelf -wF has them");
	test_agreement(&bench);
	test_cuts(&bench);
	test_missing(&bench);
	test_section(&bench, ".eh_frame");
	test_section(&bench, ".sframe");
	test_symbols(&bench);
	close(bench.file);
	unlink(bench.name);
	crash_free(&bench.crash);
	free(bench.program);
	free(bench.symbols);
	return done_testing();
}
