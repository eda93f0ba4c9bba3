/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program and a library without a crash, cut and with bytes changed: their unwind tables are
 * printed and their addresses looked up without harm, and the output has no control characters. */
#include "locate/binaries.h"
#include "report/code/lookup.h"
#include "report/step/rule_listing.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"

#define CUT 97u
#define MUTATIONS 400u
#define FUNCTIONS 6u

/* A file and the start addresses of some functions, from readelf and objdump. */
static const struct subject {
	const char *path;
	uint64_t functions[FUNCTIONS];
} subjects[] = {
	{ "data/crashes/sframe-amd64/binaries/parcel", { 0x1020, 0x1040, 0x1129, 0x1145, 0x11b8, 0x11dd } },
	{ "tests/pe/functions.dll", { 0x1000, 0x1018, 0x1073, 0x10a7, 0x10eb, 0x1105 } },
};

static void
print_tables(const struct rule_module *module, uint64_t address, const struct output *output)
{
	struct rule_tables tables;
	struct rule_run run;
	struct arena arena = { 0 };
	struct row row;

	rule_run_at(module, address, &arena, &run);
	rule_tables_init(&tables, &arena, module->arch, run.first, run.last);
	rule_tables_add_all(&tables, module);
	const struct rule_view view = { .tables = &tables, .run = &run, .marked = true, .address = address, .in_force = SIZE_MAX };
	const struct listing listing = rule_listing(&view, &arena);
	row_init(&row, &arena);
	for (size_t i = 0; i < listing.count; i++) {
		row_clear(&row);
		listing_fill(&listing, i, 0, &row);
		output_format(output, "%s\n", row_text(&row));
	}
	arena_free(&arena);
}

static void
print_lookup(const struct rule_module *module, uint64_t address, const struct output *output)
{
	struct lookup lookup = { .module = "damaged", .shown = address };
	struct arena arena = { 0 };

	lookup_make(&lookup, module, address, &arena);
	lookup_text(output, &lookup);
	arena_free(&arena);
}

/* Print all of a file; returns an error, or NULL. */
static const char *
look(const struct subject *subject, const uint8_t *bytes, size_t size, struct damage_sink *printed)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct output output = { .write = damage_swallow, .context = printed };
	struct error error = { 0 };
	struct binary *binary;
	struct crash crash;

	if (binary_from_memory(&binary, "damaged", bytes, size, &error) != ERROR_NONE)
		return error.text[0] != '\0' ? NULL : "refused without a word";
	if (!binary_as_crash(binary, "damaged", &crash)) {
		binary_close(binary);
		return "out of memory";
	}
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	binaries_give(binaries, 0, binary);
	const struct rule_module module = { .arch = crash.system.arch, .policy = &policy, .parameters = -1, .binaries = binaries };
	for (size_t i = 0; i < FUNCTIONS; i++) {
		print_tables(&module, subject->functions[i], &output);
		print_lookup(&module, subject->functions[i] + 4, &output);
	}
	binaries_free(binaries);
	crash_free(&crash);
	return printed->control ? "a control character is printed" : NULL;
}

static void
test_cuts(const struct subject *subject, const uint8_t *bytes, size_t size)
{
	size_t bad = 0;

	for (size_t cut = 0; cut < size; cut += CUT) {
		struct damage_sink printed = { 0 };
		uint8_t *copy = damage_copy(bytes, cut);

		damage_note(&bad, look(subject, copy, cut, &printed), "cut at", cut);
		free(copy);
	}
	is_u64(bad, 0, "%s cut at every %u bytes is looked at in peace", subject->path, CUT);
}

static void
test_mutations(const struct subject *subject, const uint8_t *bytes, size_t size)
{
	uint64_t seed = 7 + size;
	size_t bad = 0;

	for (unsigned i = 0; i < MUTATIONS; i++) {
		struct damage_sink printed = { 0 };
		uint8_t *copy = damage_copy(bytes, size);

		for (unsigned changes = 1 + i % 20; changes > 0; changes--) {
			const uint32_t choice = damage_random(&seed);
			uint8_t *byte = &copy[damage_random(&seed) % size];

			*byte = choice % 4 == 0 ? 0xff : choice % 4 == 1 ? 0x80
				: choice % 4 == 2 ? (uint8_t)(*byte ^ 1u << (choice >> 8) % 8) : (uint8_t)(choice >> 8);
		}
		damage_note(&bad, look(subject, copy, size, &printed), "change", i);
		free(copy);
	}
	is_u64(bad, 0, "%s with changed bytes is read or refused", subject->path);
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(subjects); i++) {
		const char *path = tap_path("%s", subjects[i].path);
		struct damage_sink printed = { 0 };
		size_t size;

		uint8_t *bytes = damage_read(path, &size);
		if (bytes == NULL) {
			skip(1, "'%s' is not there", path);
			continue;
		}
		is_str(look(&subjects[i], bytes, size, &printed), NULL, "the complete file is read");
		ok(printed.length > 1000, "the complete file prints more than 1000 bytes");
		test_cuts(&subjects[i], bytes, size);
		test_mutations(&subjects[i], bytes, size);
		free(bytes);
	}
	return done_testing();
}
