/* SPDX-License-Identifier: GPL-3.0-or-later */
/* STACK CFI records that dump-syms writes have the same rules as .eh_frame, row by row: for
 * programs, and for copies whose entries have changed bytes. */
#include "dump_syms/dump_syms.h"
#include "frame_table/cfi_rows.h"
#include "frame_table/frame_tables.h"
#include "locate/binaries.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"
#include "unwind_check/check.h"

#define CHANGES 1000u

struct dumped_program {
	const char *name;
	uint8_t *bytes;
	size_t size;
};

/* Count real differences; an expression or a missing caller is only written differently. */
static bool
count_difference(void *context, const struct unwind_difference *difference)
{
	unsigned *count = context;

	*count += difference->code <= UNWIND_EARLY;
	return true;
}

/* How many rules in the records of a module differ from those of its tables. If entries overlap,
 * the linker's index decides which of them has records, and nothing is compared. */
static unsigned
differing(struct binaries *binaries, const struct arch *arch, char *text, size_t size)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct rule_module module = { .arch = arch, .policy = &policy, .parameters = -1, .binaries = binaries };
	struct unwind_totals totals;
	struct error error = { 0 };
	struct symfile *symfile = NULL;
	unsigned count = 0;

	const struct cfi_table *table = frame_tables_cfi(binaries, 0, FRAME_TABLE_EH);
	if (table != NULL && table->overlap)
		return 0;
	if (symfile_from_memory(&symfile, "made.sym", text, size, &error) != ERROR_NONE)
		return UINT32_MAX;
	struct unwind_source *sources = calloc(UNWIND_SOURCES, sizeof(*sources));
	module.symfile = symfile;
	const size_t source_count = unwind_sources_open(&module, false, sources);
	const struct unwind_check check = { .arch = arch, .sources = sources, .count = source_count, .tell = count_difference,
					    .context = &count, .last = UINT64_MAX };
	unwind_check_run(&check, &totals);
	unwind_sources_close(sources, source_count);
	free(sources);
	symfile_close(symfile);
	return count;
}

/* True if a program's records equal its tables. `*text` gets the records; the caller frees them. */
static bool
is_same(const struct dumped_program *program, char **text)
{
	const struct dump_syms_options options = { .threads = 1, .no_functions = true, .no_publics = true };
	struct binary *binary = NULL;
	struct error error = { 0 };
	struct dump_syms dump;
	struct crash crash;
	bool same = false;
	size_t size;

	*text = NULL;
	if (binary_from_memory(&binary, program->name, program->bytes, program->size, &error) !=
		    ERROR_NONE || !binary_as_crash(binary, program->name, &crash))
		return false;
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	binaries_give(binaries, 0, binary);
	binaries_set(binaries, BINARIES_INSIDE);
	if (dump_syms_read(&dump, binaries, 0, crash.system.arch, &options, &error) == ERROR_NONE) {
		*text = dump_syms_text(&dump, &size);
		same = *text != NULL && differing(binaries, crash.system.arch, *text, size) == 0;
		dump_syms_free(&dump);
	}
	binaries_free(binaries);
	crash_free(&crash);
	return same;
}

/* Change up to three bytes of entries at a time. */
static void
test_changes(struct dumped_program *program, uint64_t start, size_t length, const char *whole)
{
	uint8_t *entries = program->bytes + start, *kept = damage_copy(entries, length);
	unsigned others = 0, made = 0;
	uint64_t seed = length;

	for (unsigned i = 0; i < CHANGES; i++) {
		char *text;
		for (unsigned changes = 1 + i % 3; changes > 0; changes--) {
			const uint32_t choice = damage_random(&seed);
			entries[damage_random(&seed) % length] = (uint8_t)(choice % 2 == 0 ? choice >> 8 & 0x1f : choice >> 8);
		}
		if (!is_same(program, &text) && others++ < 3)
			tap_diag("%s: change %u", program->name, i);
		made += text != NULL && strcmp(text, whole) != 0;
		free(text);
		memcpy(entries, kept, length);
	}
	is_u64(others, 0, "%s: changed entries have records that say the same", program->name);
	ok(made > CHANGES / 4, "%u changes make other records", made);
	free(kept);
}

static void
test_program(const char *path)
{
	struct dumped_program program = { .name = strrchr(path, '/') + 1 };
	struct binary *binary;
	char *whole;

	program.bytes = damage_read(tap_path("data/%s", path), &program.size);
	ok(is_same(&program, &whole), "%s has records that say what its table says", program.name);
	ok(whole != NULL && strstr(whole, "\nSTACK CFI INIT") != NULL, "it has some");
	if (binary_from_memory(&binary, program.name, program.bytes, program.size, NULL) == ERROR_NONE) {
		const struct binary_section *section = binary_section(binary, 0, ".eh_frame");
		const uint64_t start = section->offset;
		const size_t length = (size_t)section->size;

		binary_close(binary);
		test_changes(&program, start, length, whole);
	}
	free(whole);
	free(program.bytes);
}

int
main(void)
{
	static const char *const programs[] = {
		"crashes/sframe-amd64/binaries/parcel", "cores/list-amd64/binaries/list",
		"lessons/sframe-02-losses/binaries/mixer", "crashes/broken-cfi-amd64/binaries/till",
	};

	for (size_t i = 0; i < ARRAY_COUNT(programs); i++)
		test_program(programs[i]);
	return done_testing();
}
