/* SPDX-License-Identifier: GPL-3.0-or-later */
/* STACK CFI records of the usual form are read without their programs, and the others one by one. Both ways find the same in the
 * bundled program's symbol file, also if bytes of it are changed. */
#include "unwind_check/check.h"

#include "dump/dump.h"
#include "sframe/sframes.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"

#define MUTATIONS 500u

struct bench {
	struct crash crash;
	uint8_t *symbols;
	size_t symbols_size;
};

/* The findings, as a number. */
struct found {
	uint64_t digest;
	size_t count;
	size_t entries;			/* records that are listed */
	struct unwind_totals totals;
};

#define CRASH "data/crashes/sframe-amd64/"

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
				     difference->begins, difference->records[difference->guilty] };

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
compare(struct rule_module *module, const uint8_t *symbols, size_t size)
{
	struct unwind_source *sources = calloc(UNWIND_SOURCES, sizeof(*sources));
	struct found found = { .digest = HASH_START };
	struct symfile *symfile = NULL;
	struct error error = { 0 };

	if (symfile_from_memory(&symfile, "parcel.sym", symbols, size, &error) == ERROR_NONE)
		module->symfile = symfile;
	const size_t count = unwind_sources_open(module, false, sources);
	const struct unwind_check check = { .arch = module->arch, .sources = sources, .count = count, .tell = tell, .context = &found,
					    .last = UINT64_MAX };

	unwind_check_run(&check, &found.totals);
	found.entries = sources[0].kind->symbols ? sources[0].entries : 0;
	/* Records that are looked up by their addresses are not counted. */
	found.totals.entry_count = 0;
	unwind_sources_close(sources, count);
	free(sources);
	symfile_close(symfile);
	module->symfile = NULL;
	return found;
}

/* Compare the tables of the file and of the symbols in both ways; returns the defect, or NULL. */
static const char *
attempt(const struct bench *bench, struct found *found)
{
	/* A delta far from all records. */
	static const char apart[] = "\nSTACK CFI fffffff0 .cfa: $rsp 8 +\n";
	const char *const paths[] = { tap_path(CRASH "binaries/parcel") };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct rule_module module = { .arch = arch_by_id(ARCH_AMD64), .policy = &policy, .parameters = -1 };
	const size_t size = bench->symbols_size, more = sizeof(apart) - 1;
	uint8_t *longer = malloc(size + more);
	const char *wrong = NULL;

	if (longer == NULL)
		return "out of memory";
	memcpy(longer, bench->symbols, size);
	memcpy(longer + size, apart, more);
	struct binaries *binaries = binaries_create(&bench->crash, paths, 1);
	module.binaries = binaries;
	module.sframe = sframes_load(binaries, 0);
	module.sframe_bias = bench->crash.modules[0].base;
	*found = compare(&module, bench->symbols, size);
	const struct found looked_up = compare(&module, longer, size + more);
	if (looked_up.entries > 0)
		wrong = "records of a file with a delta in another place are listed";
	else if (found->digest != looked_up.digest || found->count != looked_up.count)
		wrong = "other differences are found";
	else if (memcmp(&found->totals, &looked_up.totals, sizeof(found->totals)) != 0)
		wrong = "other totals are found";
	binaries_free(binaries);
	free(longer);
	return wrong;
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
			bytes[damage_random(&seed) % size] = choice % 4 == 0 ? (uint8_t)letters[(choice >> 8) % 14]
				: choice % 4 == 1 ? (uint8_t)(choice >> 8 & 0x3f) : (uint8_t)(choice >> 8);
		}
		const char *wrong = attempt(bench, &found);
		differing += found.count > 0;
		if (wrong != NULL && bad++ < 5)
			tap_diag("change %u: %s", i, wrong);
		memcpy(bytes, whole, size);
	}
	is_u64(bad, 0, "%s", title);
	ok(differing > MUTATIONS / 10, "%zu of the changes made a difference", differing);
	free(whole);
}

/* Without the last records the code at the end has none: its place is after the last record. */
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
	is_u64(bad, 0, "a symbol file that ends early has the same result both ways");
	ok(holes > 3, "a truncated symbol file lacks rules %zu times", holes);
}

/* Records without a return address cannot be used, although nothing contradicts them. */
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
	is_u64(bad, 0, "a record without a return address has the same result both ways");
	ok(unusable > 3, "a record without a return address is a difference");
	free(copy);
}

static void
test_symbols(const struct bench *bench)
{
	static const char start[] = "\nSTACK CFI";
	size_t at = 0;

	while (at + sizeof(start) <= bench->symbols_size && memcmp(bench->symbols + at, start, sizeof(start) - 1) != 0)
		at++;
	test_changes(bench, bench->symbols + at, bench->symbols_size - at, "changed bytes of STACK CFI records are found in both ways");
}

int
main(void)
{
	struct bench bench = { .symbols_size = 0 };
	struct error error = { 0 };
	struct found found;
	static const char symbols[] = "symbols/parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel.sym";

	bench.symbols = damage_read(tap_path(CRASH "%s", symbols), &bench.symbols_size);
	if (dump_open(&bench.crash, tap_path(CRASH "crash.dmp"), 0, &error) != ERROR_NONE) {
		skip(1, "the bundle is not there: %s", error.text);
		return done_testing();
	}
	is_str(attempt(&bench, &found), NULL, "the bundled program's sources are compared");
	is_u64(found.totals.compared, 20, "all rows of .eh_frame that readelf prints are compared");
	ok(found.entries > 3, "records of the usual form are listed");
	test_cuts(&bench);
	test_missing(&bench);
	test_symbols(&bench);
	crash_free(&bench.crash);
	free(bench.symbols);
	return done_testing();
}
