/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bundled program with an SFrame section, cut and with bytes changed: each copy is opened,
 * walked, explained, described and compared with STACK CFI without harm. */
#include <unistd.h>

#include "debug_info/file_symbols.h"
#include "sframe/sframe_field.h"
#include "sframe/sframes.h"
#include "unwind_check/check.h"
#include "dump/dump.h"
#include "report/step/step_view.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"

#define CUT 64u
#define FILE_MUTATIONS 300u
#define SECTION_MUTATIONS 700u
/* A walk of the bundled stack has eight frames; a damaged table may find a few more. */
#define MOST_FRAMES 64u
#define WHOLE_FRAMES 8u

struct bench {
	struct crash crash;
	struct symbols *symbols;
	const struct symfile *symfile;
	struct binary *binary;		/* undamaged */
	struct sframe_bytes bytes;
	char name[40];			/* the damaged file's path */
	int file;
};

#define CRASH "data/crashes/sframe-amd64/"

static bool
ignore_difference(void *context, const struct unwind_difference *difference)
{
	*(uint64_t *)context += difference->last - difference->first;
	return true;
}

static void
compare(const struct bench *bench, const struct sframe *sframe, uint64_t bias)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct rule_module module = { .arch = arch_by_id(ARCH_AMD64), .policy = &policy, .symfile = bench->symfile, .sframe = sframe,
					    .sframe_bias = bias, .parameters = -1 };
	struct unwind_source *sources = calloc(UNWIND_SOURCES, sizeof(*sources));
	struct unwind_totals totals;
	uint64_t bytes = 0;

	const size_t count = unwind_sources_open(&module, false, sources);
	const struct unwind_check check = { .arch = module.arch, .sources = sources, .count = count,
					    .tell = ignore_difference, .context = &bytes, .last = UINT64_MAX };
	unwind_check_run(&check, &totals);
	unwind_sources_close(sources, count);
	free(sources);
}

static void
describe(const struct sframe *sframe)
{
	const struct reader *reader = &sframe->tables[0].reader;
	char text[200];

	for (uint64_t i = 0; i < reader->size; i++)
		sframe_describe(sframe, reader->start + i, 1, text, sizeof(text));
}

/* Walk by SFrame alone, and repeat each step with a recorder. */
static const char *
walk(const struct bench *bench, struct binaries *binaries, size_t *frames)
{
	struct policy policy = policy_column(POLICY_UNSPOOL);
	const char *wrong = NULL;

	if (methods_choose(&policy, "sframe") != NULL)
		return "the method is not known";
	struct walk *walk = walk_create(&bench->crash, bench->symbols, binaries, 0, &policy);
	walk_run(walk, MOST_FRAMES);
	if (!walk->complete && walk->count < MOST_FRAMES)
		wrong = "the walk did not end";
	for (size_t i = 0; i < walk->count; i++) {
		struct step_view view;
		step_view_make(&view, walk, i);
		if (view.verdict.kind != VERDICT_TAKEN && view.verdict.text[0] == '\0')
			wrong = "a step ends without a word";
		step_view_free(&view);
	}
	*frames = walk->count;
	walk_free(walk);
	return wrong;
}

/* A section that is passed in, as from a raw section file. */
static const char *
try_section(const struct bench *bench, const uint8_t *bytes, size_t size, size_t *frames)
{
	const uint64_t base = bench->crash.modules[0].base;
	const struct input input = { "section" };
	struct error error = { 0 };
	struct sframe sframe;

	if (sframe_open(&sframe, &(struct sframe_bytes){ &input, bytes, size, 0, base + bench->bytes.address, NULL },
			NULL, 0, &error) != ERROR_NONE)
		return error.text[0] != '\0' ? NULL : "refused without a word";
	sframe_check(&sframe);
	describe(&sframe);
	compare(bench, &sframe, base);
	struct binaries *binaries = binaries_create(&bench->crash, NULL, 0);
	sframes_set(binaries, 0, &sframe);
	const char *wrong = walk(bench, binaries, frames);
	binaries_free(binaries);
	return wrong;
}

/* A file that is found by its name and, if the damage left it, its build ID. */
static const char *
try_file(const struct bench *bench, const uint8_t *bytes, size_t size, size_t *frames)
{
	const char *const paths[] = { bench->name };
	struct file_symbols names;
	struct sframe_bytes found;
	struct error error = { 0 };
	struct binary *binary;
	struct sframe sframe;
	const char *why_not = "";

	if (ftruncate(bench->file, 0) != 0 || pwrite(bench->file, bytes, size, 0) != (ssize_t)size)
		return "the file can't be written";
	struct binaries *binaries = binaries_create(&bench->crash, paths, 1);
	const char *wrong = walk(bench, binaries, frames);
	binaries_free(binaries);
	if (binary_from_memory(&binary, "cut", bytes, size, &error) != ERROR_NONE)
		return error.text[0] != '\0' ? wrong : "refused without a word";
	file_symbols_read(&names, binary);
	if (!sframe_in_binary(binary, &found, &why_not)) {
		wrong = why_not[0] != '\0' ? wrong : "no section, and no reason";
	} else if (sframe_open_binary(&sframe, binary, &found, 0, &error) == ERROR_NONE) {
		compare(bench, &sframe, binary->linked_base);
		sframe_close(&sframe);
	}
	file_symbols_free(&names);
	binary_close(binary);
	return wrong;
}

static void
test_cuts(const struct bench *bench, const uint8_t *bytes, size_t size)
{
	size_t bad = 0, frames = 0;

	for (size_t cut = 0; cut < size; cut += CUT) {
		uint8_t *copy = damage_copy(bytes, cut);
		damage_note(&bad, try_file(bench, copy, cut, &frames), "cut at", cut);
		free(copy);
	}
	is_u64(bad, 0, "the program is cut at every %u bytes in peace", CUT);
	bad = 0;
	for (size_t cut = 0; cut < bench->bytes.size; cut++) {
		uint8_t *copy = damage_copy(bench->bytes.data, cut);
		damage_note(&bad, try_section(bench, copy, cut, &frames), "section cut at", cut);
		free(copy);
	}
	is_u64(bad, 0, "a section that is cut at any byte is refused or read");
}

/* Change one to three bytes at a time, to random values or to typical limits. */
static void
test_mutations(const struct bench *bench, const uint8_t *bytes, size_t size, unsigned count,
	       const char *(*attempt)(const struct bench *, const uint8_t *, size_t, size_t *), const char *title)
{
	uint64_t seed = 41 + size;
	size_t bad = 0, frames = 0;

	is_str(attempt(bench, bytes, size, &frames), NULL, "the complete file walks the stack");
	is_u64(frames, WHOLE_FRAMES, "the complete file leads to main and its caller");

	for (unsigned i = 0; i < count; i++) {
		uint8_t *copy = damage_copy(bytes, size);
		for (unsigned changes = 1 + i % 3; changes > 0; changes--) {
			const uint32_t choice = damage_random(&seed);
			copy[damage_random(&seed) % size] = choice % 4 == 0 ? 0xff : choice % 4 == 1 ? 0 : (uint8_t)(choice >> 8);
		}
		damage_note(&bad, attempt(bench, copy, size, &frames), "change", i);
		free(copy);
	}
	is_u64(bad, 0, "%s", title);
}

int
main(void)
{
	struct bench bench = { .name = "unspool-binary.XXXXXX" };
	struct error error = { 0 };
	const char *why_not;
	char symbols[1024];
	size_t size;

	snprintf(symbols, sizeof(symbols), "%s", tap_path(CRASH "symbols"));
	const char *const paths[] = { symbols };
	uint8_t *bytes = damage_read(tap_path(CRASH "binaries/parcel"), &size);
	bench.file = mkstemp(bench.name);
	if (bench.file < 0 || dump_open(&bench.crash, tap_path(CRASH "crash.dmp"), 0, &error) != ERROR_NONE ||
	    binary_from_memory(&bench.binary, "parcel", bytes, size, &error) != ERROR_NONE ||
	    !sframe_in_binary(bench.binary, &bench.bytes, &why_not)) {
		skip(1, "no ELF reader was built in, or the bundle is not there: %s", error.text);
		return done_testing();
	}
	bench.symbols = symbols_create(bench.crash.modules, bench.crash.module_count, paths, 1);
	bench.symfile = symbols_load(bench.symbols, 0);
	if (ok(bench.symfile != NULL, "the symbol file is there")) {
		test_cuts(&bench, bytes, size);
		test_mutations(&bench, bytes, size, FILE_MUTATIONS, try_file, "the program with bytes changed is looked at in peace");
		test_mutations(&bench, bench.bytes.data, bench.bytes.size, SECTION_MUTATIONS, try_section, "so is its section");
	}
	close(bench.file);
	unlink(bench.name);
	symbols_free(bench.symbols);
	binary_close(bench.binary);
	crash_free(&bench.crash);
	free(bytes);
	return done_testing();
}
