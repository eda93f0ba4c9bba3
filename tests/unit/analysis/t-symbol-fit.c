/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbol files of another build than the module's own file: records for the functions of a bundled
 * program, some of them moved. nm and readelf give the start addresses of its functions. */
#include <stdlib.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "analysis/stack_trust.h"
#include "analysis/symbol_fit.h"
#include "dump/dump.h"
#include "report/stack/summary.h"
#include "tests/lib/tap.h"

#define CRASH "data/crashes/sframe-amd64"
#define ID "56C3B53CDDC62F1A1211E753916F2FBB0"

/* The symbol table has all of them except 1020 and 1030, the parts of the procedure linkage table, which only .eh_frame has. */
static const unsigned starts[] = {
	0x1000, 0x1020, 0x1030, 0x1040, 0x1070, 0x10a0, 0x10e0, 0x1120, 0x1129, 0x1145, 0x11b8, 0x11dd, 0x124d, 0x12bc,
};
#define STARTS 14u

/* Start addresses in .eh_frame. */
static const unsigned rows[] = { 0x1020, 0x1030, 0x1040, 0x1129, 0x1145, 0x11b8, 0x11dd, 0x124d };

static char path[] = "/tmp/unspool-fit.XXXXXX";
static struct crash crash;
static char folder[1000];
static size_t parcel;			/* the module */

static const struct example {
	const char *title, *module, *record;
	unsigned first, count;		/* indexes of functions with a record */
	unsigned right;			/* how many of these are in the right place */
	int by;				/* bytes by which the others are moved */
	bool differently;		/* each by another distance */
	bool rows;			/* only functions of .eh_frame */
	const char *misfit;
} examples[] = {
	{ "its own functions", "Linux x86_64 " ID, "FUNC %x 2 0 f\n", 0, 14, 14, 0, false, false, NULL },
	{ "functions 16 bytes further", "Linux x86_64 " ID, "FUNC %x 2 0 f\n", 0, 14, 0, 16, false, false,
	  "all records lie 0x10 bytes after their code" },
	{ "functions 3 bytes before", "Linux x86_64 " ID, "FUNC %x 2 0 f\n", 0, 14, 0, -3, false, false,
	  "all records lie 0x3 bytes before their code" },
	{ "functions that are moved by other numbers", "Linux x86_64 " ID, "FUNC %x 1 0 f\n", 0, 14, 0, 3, true,
	  false, "none of 14 functions begins where the binary's do" },
	{ "half of the functions at their places", "Linux x86_64 " ID, "FUNC %x 1 0 f\n", 0, 14, 7, 3, true, false, NULL },
	{ "less than half of them there", "Linux x86_64 " ID, "FUNC %x 1 0 f\n", 0, 14, 6, 3, true, false,
	  "only 6 of 14 functions begin where the binary's do" },
	{ "one of them there", "Linux x86_64 " ID, "FUNC %x 1 0 f\n", 0, 14, 1, 3, true, false,
	  "only 1 of 14 functions begin where the binary's do" },
	{ "seven functions, which prove nothing", "Linux x86_64 " ID, "FUNC %x 2 0 f\n", 0, 7, 0, 3, true, false, NULL },
	{ "eight functions, which do", "Linux x86_64 " ID, "FUNC %x 2 0 f\n", 0, 8, 0, 3, true, false,
	  "none of 8 functions begins where the binary's do" },
	{ "linker symbols 16 bytes further", "Linux x86_64 " ID, "PUBLIC %x 0 f\n", 0, 14, 0, 16, false, false,
	  "all records lie 0x10 bytes after their code" },
	{ "unwind records 16 bytes further", "Linux x86_64 " ID, "STACK CFI INIT %x 2 .cfa: $rsp 8 + .ra: .cfa "
	  "-8 + ^\n", 0, 14, 0, 16, false, false, "all records lie 0x10 bytes after their code" },
	{ "unwind records as .eh_frame has them", "Linux x86_64 " ID,
	  "STACK CFI INIT %x 2 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n", 0, 8, 8, 0, false, true, NULL },
	{ "seven of eight unwind records as .eh_frame has them", "Linux x86_64 " ID,
	  "STACK CFI INIT %x 2 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n", 0, 8, 7, 5, false, true, NULL },
	{ "records of another system", "windows x86_64 " ID, "FUNC %x 2 0 f\n", 0, 14, 14, 0, false, false,
	  "the binary is an ELF file, the records are of Windows" },
	{ "records of another processor", "Linux arm64 " ID, "FUNC %x 2 0 f\n", 0, 14, 14, 0, false, false,
	  "the binary is for amd64, the records are for arm64" },
	{ "no record at all", "Linux x86_64 " ID, "FUNC %x 2 0 f\n", 0, 0, 0, 0, false, false, NULL },
};

/* Rules that fit any code, so that a walk with them continues. */
#define ANYWHERE "STACK CFI INIT %x 60 .cfa: $rbp 16 + .ra: .cfa -8 + ^ $rbp: .cfa -16 + ^\n"
static const struct example walked[] = {
	{ "records of the program", "Linux x86_64 " ID, ANYWHERE, 0, 8, 8, 0, false, true, NULL },
	{ "records 16 bytes further", "Linux x86_64 " ID, ANYWHERE, 0, 8, 0, 16, false, true, NULL },
};

/* Symbols and binaries, loaded. */
struct pair {
	struct symbols *symbols;
	struct binaries *binaries;
};

static struct pair
load(void)
{
	static const char *const paths[] = { path }, *const folders[] = { folder };
	const struct pair pair = { symbols_create(crash.modules, crash.module_count, paths, 1), binaries_create(&crash, folders, 1) };

	symbols_load(pair.symbols, parcel);
	ok(binaries_load(pair.binaries, parcel, LOCATE_IMAGE) != NULL, "the program's file is found");
	return pair;
}

static void
close_pair(const struct pair *pair)
{
	binaries_free(pair->binaries);
	symbols_free(pair->symbols);
}

static void
write_example(const struct example *example)
{
	FILE *out = fopen(path, "w");

	if (!ok(out != NULL, "a symbol file is written"))
		return;
	fprintf(out, "MODULE %s parcel\n", example->module);
	for (unsigned i = example->first; i < example->first + example->count; i++) {
		const unsigned start = example->rows ? rows[i] : starts[i];
		const int by = example->differently ? example->by + (int)(i * i) : example->by;

		fprintf(out, example->record, start + (unsigned)(i < example->right ? 0 : by));
	}
	fclose(out);
}

static void
test_example(const struct example *example)
{
	write_example(example);
	const struct pair pair = load();
	const char *misfit = symbol_misfit(pair.binaries, pair.symbols, &crash, parcel);

	is_str(misfit, example->misfit, "the misfit is reported: %s", example->title);
	ok(symbol_misfit(pair.binaries, pair.symbols, &crash, parcel) == misfit, "%s: the answer is kept", example->title);
	close_pair(&pair);
}

/* Cases without an answer. */
static void
test_unknown(void)
{
	write_example(&examples[1]);
	const struct pair pair = load();
	struct symbols *symbols = pair.symbols;
	struct binaries *binaries = pair.binaries;
	struct module *module = (struct module *)&crash.modules[parcel];
	const char *id = module->debug_id;
	struct binaries *none = binaries_create(&crash, NULL, 0);

	ok(symbol_misfit(binaries, symbols, &crash, parcel) != NULL, "records that do not fit the binary are a misfit");
	is_str(symbol_misfit(none, symbols, &crash, parcel), NULL, "without the binary no misfit is reported");
	is_str(symbol_misfit(binaries, NULL, &crash, parcel), NULL, "without symbols no misfit is reported");
	module->debug_id = "66C3B53CDDC62F1A1211E753916F2FBB0";
	is_str(symbol_misfit(binaries, symbols, &crash, parcel), NULL, "a binary with another identifier than the dump gives no misfit");
	module->debug_id = "";
	is_str(symbol_misfit(binaries, symbols, &crash, parcel), NULL, "a dump without an identifier gives no misfit");
	module->debug_id = "56c3b53cddc62f1a1211e753916f2fbb0";
	ok(symbol_misfit(binaries, symbols, &crash, parcel) != NULL, "identifiers are compared without case");
	module->debug_id = id;
	for (size_t i = 0; i < crash.module_count; i++)
		if (i != parcel)
			is_str(symbol_misfit(binaries, symbols, &crash, i), NULL, "modules without both files have no misfit");
	binaries_free(none);
	close_pair(&pair);
}

/* Another file replaces one that was closed, also if it gets the same memory. */
static void
test_replaced(void)
{
	static const char *const paths[] = { path };

	write_example(&examples[1]);
	struct pair pair = load();
	ok(symbol_misfit(pair.binaries, pair.symbols, &crash, parcel) != NULL, "a symbol file that does not fit is a misfit");
	symbols_free(pair.symbols);
	write_example(&examples[0]);
	pair.symbols = symbols_create(crash.modules, crash.module_count, paths, 1);
	symbols_load(pair.symbols, parcel);
	is_str(symbol_misfit(pair.binaries, pair.symbols, &crash, parcel), NULL, "a right file that replaces a wrong one is no misfit");
	close_pair(&pair);
}

/* Every second one of 512 records is checked first; the others are checked only if those are wrong.
 * Six functions of 14 are too few for a file that is read in full. */
static void
test_sample(void)
{
	for (unsigned right = 0; right < 2; right++) {
		FILE *out = fopen(path, "w");
		if (!ok(out != NULL, "a symbol file is written"))
			return;
		fprintf(out, "MODULE Linux x86_64 " ID " parcel\n");
		for (unsigned i = 0; i < 512; i++)
			fprintf(out, "FUNC %x 1 0 f\n", i % 2 == right ? rows[i / 2 % 6] : 0x2000 + i * i);
		fclose(out);
		const struct pair pair = load();
		is_str(symbol_misfit(pair.binaries, pair.symbols, &crash, parcel),
		       right == 0 ? NULL : "only 6 of 14 functions begin where the binary's do",
		       "every second record is checked first, and those are %s", right == 0 ? "right" : "wrong");
		close_pair(&pair);
	}
}

struct printed {
	char *text;
	size_t used;
};

static void
print_to(void *context, const char *bytes, size_t length)
{
	struct printed *printed = context;

	if (length < 8000 - printed->used)
		memcpy(printed->text + printed->used, bytes, length);
	printed->used += length;
}

/* A walk by such records is not trusted; the walk and the input say what helps. */
static void
test_walk(void)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct stack_trust trust;
	struct arena arena = { 0 };

	for (size_t i = 0; i < 2; i++) {
		write_example(&walked[i]);
		const struct pair pair = load();
		struct walk *walk = walk_create(&crash, pair.symbols, pair.binaries, (size_t)crash.requesting_thread, &policy);
		walk_run(walk, 16);
		struct analysis *analysis = analysis_create(&crash, walk, pair.binaries, NULL);
		stack_trust_of(walk, &trust);
		is_u64(trust.misfit_count, i, "%s: modules with wrong symbol files are counted once", walked[i].title);
		is_u64(analysis->problem_count, i, "%s: a wrong symbol file is a problem of the input", walked[i].title);
		if (i == 1 && trust.misfit_count == 1 && analysis->problem_count == 1) {
			is_u64((uint64_t)trust.misfits[0], parcel, "the misfit names its module");
			is_str(stack_trust_help(&trust, walk, &arena),
			       "the symbol file of parcel does not belong to it: all records lie 0x10 bytes "
			       "after their code", "the help of a walk names the misfit");
			is_str(analysis->problems[0],
			       "the symbol file of parcel does not belong to it: all records lie 0x10 bytes "
			       "after their code; make it from this binary: unspool dump-syms",
			       "the problem names the misfit and its remedy");
			size_t found = 0, first = walk->count;
			for (size_t j = walk->count; --j > 0;)
				if (walk->frames[j - 1].module == (int)parcel && walk->frames[j].method == METHOD_STACK_CFI)
					found++, first = j;
			is_u64(trust.contradicted, found, "frames that its records found are contradicted");
			is_u64(trust.trusted, first, "the frames before the first one of them are trusted");
			static char printed[8000];
			struct printed text = { printed, 0 };
			summary_print(&(struct output){ print_to, &text, NULL, NULL }, analysis, walk);
			ok(strstr(printed, "make it from this binary: unspool dump-syms") != NULL, "the summary names the remedy");
		}
		analysis_free(analysis);
		walk_free(walk);
		close_pair(&pair);
	}
	arena_free(&arena);
}

int
main(void)
{
	const char *top = getenv("srcdir") != NULL ? getenv("srcdir") : ".";
	static char file[1000];
	struct error error;

	snprintf(folder, sizeof(folder), "%s/" CRASH "/binaries", top);
	snprintf(file, sizeof(file), "%s/" CRASH "/crash.dmp", top);
	const int made = mkstemp(path);
	if (!ok(made >= 0 && dump_open(&crash, file, 0, &error) == ERROR_NONE, "the bundled crash is opened"))
		return done_testing();
	close(made);
	while (parcel < crash.module_count && strstr(crash.modules[parcel].code_file, "parcel") == NULL)
		parcel++;
	if (!ok(parcel < crash.module_count, "the bundled crash has the module"))
		return done_testing();
	for (size_t i = 0; i < ARRAY_COUNT(examples); i++)
		test_example(&examples[i]);
	test_unknown();
	test_replaced();
	test_sample();
	test_walk();
	crash_free(&crash);
	unlink(path);
	return done_testing();
}
