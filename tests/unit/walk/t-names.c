/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/policy_rows.h"
#include "dump/dump.h"
#include "tests/lib/tap.h"
#include "tests/unit/binary/folder.h"
#include "walk/symbol_at.h"
#include "walk/symbol_at.h"

/* How far a PUBLIC record names code. Addresses and sizes of the records are those of Debian's C
 * libraries: x86's __clone3 and __libc_init_first, arm64's __clone, arm's __libc_init_first. */
#define LINUX "MODULE Linux x86_64 000000000000000000000000000000000 a\n"
#define WINDOWS "MODULE windows x86_64 000000000000000000000000000000000 a\n"
#define WINDOWS_X86 "MODULE windows x86 000000000000000000000000000000000 a\n"
#define ARM "MODULE Linux arm 000000000000000000000000000000000 a\n"
#define RULES " .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"

#define CLONE3 LINUX "PUBLIC 1098c0 0 __clone3\nSTACK CFI INIT 1098c0 17" RULES "STACK CFI INIT 1098e1 15" RULES
#define CLONE LINUX "PUBLIC e7e40 0 __clone\nSTACK CFI INIT e7e40 4c" RULES "STACK CFI INIT e7e90 14" RULES
#define INIT_FIRST LINUX "PUBLIC 23250 0 __libc_init_first\nSTACK CFI INIT 23250 1" RULES "STACK CFI INIT 23260 af" RULES
#define TOUCHING LINUX "PUBLIC 1000 0 small\nSTACK CFI INIT 1000 b" RULES "STACK CFI INIT 100b 15" RULES
#define LABEL LINUX "PUBLIC 1235 0 label\nSTACK CFI INIT 1200 100" RULES
#define NO_RULES LINUX "PUBLIC 1000 0 bare\nPUBLIC 3000 0 next\nSTACK CFI INIT 3000 10" RULES
#define RULES_BEHIND LINUX "PUBLIC 1000 0 bare\nSTACK CFI INIT 1021 f" RULES
#define PARTS WINDOWS "PUBLIC 1940 0 split\nSTACK CFI INIT 1940 7" RULES \
	"STACK CFI INIT 1947 1a" RULES "STACK CFI INIT 1970 10" RULES
#define PROGRAM WINDOWS_X86 "PUBLIC 1200 0 start\nSTACK WIN 4 1200 40 9 d 8 c 8 0 1 $eip\n"
#define MERGED ARM "PUBLIC 1e280 0 one\nSTACK CFI INIT 1e280 80 .cfa: sp .ra: lr\nSTACK CFI INIT 1e300 20 .cfa: sp .ra: lr\n"

/* Adjacent entries; only the first two begin at a multiple of 16. */
#define CHAIN WINDOWS "PUBLIC 1000 0 other\nSTACK CFI INIT 1000 10" RULES \
	"STACK CFI INIT 1010 1" RULES "STACK CFI INIT 1011 1" RULES "STACK CFI INIT 1012 1" RULES \
	"STACK CFI INIT 1013 1" RULES "STACK CFI INIT 1014 1" RULES "STACK CFI INIT 1015 1" RULES \
	"STACK CFI INIT 1016 1" RULES "STACK CFI INIT 1017 1" RULES "STACK CFI INIT 1018 1" RULES
/* An entry that ends at END, and one that begins at BEGIN. */
#define GAP(size, begin) LINUX "PUBLIC 1000 0 name\nSTACK CFI INIT 1000 " size RULES "STACK CFI INIT " begin " 20" RULES

static const struct name_case {
	const char *title, *symbols;
	uint64_t address;
	const char *answer;
} cases[] = {
	{ "rules that begin with the name cover the address", CLONE3, 0x1098d6, "__clone3" },
	{ "rules that begin again after a system call, for the new thread, have the same name", CLONE3, 0x1098eb, "__clone3" },
	{ "a gap between rules leaves the name a guess", CLONE3, 0x1098d9, "__clone3?" },
	{ "an aligned entry after padding is another function", CLONE, 0xe7e98, "after __clone, e7e90 STACK CFI INIT" },
	{ "main is called by another function than the exported one of one byte", INIT_FIRST,
	  0x232d4, "after __libc_init_first, 23260 STACK CFI INIT" },
	{ "a pc after the function called after the exported one belongs to neither", INIT_FIRST,
	  0x23310, "after __libc_init_first, 23260 STACK CFI INIT" },
	{ "an entry without a gap before it is another function", TOUCHING, 0x1010, "after small, 100b STACK CFI INIT" },
	{ "a label in a function names the rest of it", LABEL, 0x1240, "label" },
	{ "a name without rules is a guess above its first byte", NO_RULES, 0x1001, "bare?" },
	{ "the first byte of a name without rules is certain", NO_RULES, 0x1000, "bare" },
	{ "rules that begin after a name without rules leave a guess", RULES_BEHIND, 0x1024, "bare?" },
	{ "parts of a Windows function may be chained to it", PARTS, 0x1950, "split?" },
	{ "an aligned part of a Windows function is another function", PARTS, 0x1974, "after split, 1970 STACK CFI INIT" },
	{ "an aligned entry without a gap before it is another function", WINDOWS "PUBLIC 1940 0 split\nSTACK CFI INIT 1940 10" RULES
	  "STACK CFI INIT 1950 10" RULES, 0x1954, "after split, 1950 STACK CFI INIT" },
	{ "seven parts lead to the entry that another function begins with", CHAIN, 0x1017, "after other, 1010 STACK CFI INIT" },
	{ "a chain of eight parts is not followed: no function has so many", CHAIN, 0x1018, "other?" },
	{ "64 bytes without rules are of one function", GAP("21", "1061"), 0x1064, "name" },
	{ "65 bytes without rules separate two functions", GAP("21", "1062"), 0x1064, "after name, 1062 STACK CFI INIT" },
	{ "bytes without rules are not padding if the next entry could begin in them", GAP("40", "1048"), 0x104c, "name" },
	{ "bytes without rules are padding if no entry could begin in them", GAP("44", "1048"), 0x104c, "after name, 1048 STACK CFI INIT" },
	{ "a STACK WIN record that begins with the name confirms it", PROGRAM, 0x1210, "start" },
	{ "a name is a guess after its STACK WIN record", PROGRAM, 0x1250, "start?" },
	{ "linkers of arm merge entries, so that one confirms no name", MERGED, 0x1e284, "one?" },
	{ "the entry after a merged one begins another function", MERGED, 0x1e304, "after one, 1e300 STACK CFI INIT" },
};

static void
look_up(const struct name_case *test, const struct policy *policy, char *answer, size_t size)
{
	struct symbol_sources sources = { .policy = policy };
	struct symfile *symfile = NULL;
	struct symbol symbol;
	struct error error;
	struct arena arena = { 0 };

	snprintf(answer, size, "not opened");
	if (symfile_from_memory(&symfile, "a.sym", test->symbols, strlen(test->symbols), &error) == ERROR_NONE) {
		sources.symfile = symfile;
		symbol_at(&sources, test->address, &arena, &symbol);
		if (symbol.found)
			snprintf(answer, size, "%.*s%s", (int)symbol.function.name.length,
				 symbol.function.name.start, symbol.uncertain ? "?" : "");
		else
			snprintf(answer, size, "after %.*s, %" PRIx64 " %s",
				 (int)symbol.after.name.length, symbol.after.name.start, symbol.bound, symbol.bound_source);
	}
	symfile_close(symfile);
	arena_free(&arena);
}

static unsigned
next(unsigned *random)
{
	*random = *random * 1103515245u + 12345u;
	return *random >> 12;
}

/* Functions with a line and an inlined call, some of them overlapping, and exported names. */
static struct symfile *
open_random(unsigned *random, char *text)
{
	struct symfile *symfile = NULL;
	struct error error;

	strcpy(text, LINUX "FILE 0 a.c\nINLINE_ORIGIN 0 inner\n");
	for (unsigned i = 0; i < 60; i++) {
		const unsigned at = next(random) % 0x1000, size = next(random) % 0x30;
		if (next(random) % 3 == 0)
			sprintf(text + strlen(text), "PUBLIC %x 0 p%u\n", at, i);
		else
			sprintf(text + strlen(text), "FUNC %x %x 0 f%u\nINLINE 0 %u 0 0 %x 8\n"
				"%x %x %u 0\n", at, size, i, i, at, at, size, i);
	}
	symfile_from_memory(&symfile, "a.sym", text, strlen(text), &error);
	return symfile;
}

static bool
is_same(const struct function *a, const struct function *b)
{
	return a->kind == b->kind && a->address == b->address && a->size == b->size &&
	       a->offset == b->offset && text_equal(a->name, b->name);
}

/* True if the cache gives the same answers about an address of either file as a look-up. */
static bool
is_remembered(struct symbol_cache *cache, struct symfile *symfile, const struct policy *policy, uint64_t address)
{
	struct symbol_sources sources = { .symfile = symfile, .policy = policy };
	struct function direct = { 0 }, remembered = { 0 };
	struct symbol read, kept;
	struct arena arena = { 0 };

	const bool found = symfile_function(symfile, policy, address, &direct);
	bool same = symbol_cache_function(cache, symfile, policy, address, &remembered) == found && is_same(&direct, &remembered);
	symbol_at(&sources, address, &arena, &read);
	same = same && symbol_cache_inlined(cache, symfile, policy, address) == read.inline_count;
	sources.cache = cache;
	symbol_at(&sources, address, &arena, &kept);
	same = same && read.found == kept.found && is_same(&read.function, &kept.function) &&
	       is_same(&read.after, &kept.after) && read.bound == kept.bound &&
	       read.line.line == kept.line.line && read.uncertain == kept.uncertain &&
	       read.inline_count == kept.inline_count && read.shadowed_count == kept.shadowed_count;
	for (size_t i = 0; same && i < read.inline_count; i++)
		same = text_equal(read.inlines[i].name, kept.inlines[i].name) &&
		       read.inlines[i].call_line == kept.inlines[i].call_line;
	for (size_t i = 0; same && i < read.shadowed_count; i++)
		same = is_same(&read.shadowed[i], &kept.shadowed[i]);
	arena_free(&arena);
	return same;
}

/* A recursion looks up the same addresses, a scan any address, a step an address and its caller's. */
static void
test_cache(const struct policy *policy)
{
	unsigned random = 14, same = 0;
	char texts[2][8000];
	struct symfile *files[] = { open_random(&random, texts[0]), open_random(&random, texts[1]) };
	struct symbol_cache *cache = symbol_cache_create();

	for (unsigned i = 0; i < 4000; i++) {
		const uint64_t address = next(&random) % 0x1040;
		struct symfile *file = files[next(&random) % 2];

		same += is_remembered(cache, file, policy, address) && is_remembered(cache, file, policy, address - 1) &&
			is_remembered(cache, file, policy, address);
	}
	is_u64(same, 4000, "a cached name equals a fresh lookup");
	symbol_cache_free(cache);
	symfile_close(files[0]);
	symfile_close(files[1]);
}

/* Tables of the module's own file, as printed by readelf --debug-dump=frames. */
TEST(frame_table)
{
	static const struct {
		const char *title;
		uint64_t start, address;
		bool asked;
		enum name_answer answer;
		uint64_t bound;
		const char *source;
	} rows[] = {
		{ "an entry that begins with the name", 0x1129, 0x1144, true, NAME_HOLDS, 0x1129, ".eh_frame" },
		{ "an entry after it", 0x1129, 0x1145, true, NAME_PASSED, 0x1145, ".eh_frame" },
		{ "an entry far after it", 0x1129, 0x12b9, true, NAME_PASSED, 0x124d, ".eh_frame" },
		{ "an entry around it", 0x1130, 0x1144, true, NAME_HOLDS, 0x1129, ".eh_frame" },
		{ "the name's first byte", 0x1129, 0x1129, true, NAME_HOLDS, 0, NULL },
		{ "a table that is not used", 0x1129, 0x1145, false, NAME_UNKNOWN, 0, "section" },
		{ "an entry in another section", 0x1020, 0x1145, false, NAME_PASSED, 0x1040, "section" },
	};
	const char *const folders[] = { tap_path("data/crashes/sframe-amd64/binaries") };
	const char *dump = tap_path("data/crashes/sframe-amd64/crash.dmp");
	struct crash crash;
	struct error error;
	size_t module = 0;

	if (dump_open(&crash, dump, 0, &error) != ERROR_NONE)
		return;
	while (strstr(crash.modules[module].code_file, "parcel") == NULL)
		module++;
	struct binaries *binaries = binaries_create(&crash, folders, 1);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct policy policy = policy_column(POLICY_UNSPOOL);
		const struct symbol_sources sources = { .binaries = binaries, .module = module, .base = crash.modules[module].base,
							.policy = &policy };
		const char *source = NULL;
		uint64_t bound = 0;

		policy.value[POLICY_FRAME_TABLES] = rows[i].asked;
		ok(name_check(&sources, rows[i].start, rows[i].address, &bound, &source) == rows[i].answer, "%s", rows[i].title);
		if (rows[i].source != NULL)
			is_str(source, rows[i].source, "the reason is of the %s", rows[i].source);
		if (rows[i].bound != 0)
			is_u64(bound, rows[i].bound, "the bound of a name is where its source begins");
	}
	binaries_free(binaries);
	crash_free(&crash);
}

/* Sections of made files: a name does not reach from one section into the next. */
TEST(sections)
{
	static const struct {
		bool pe;
		uint64_t start, address;
		enum name_answer answer;
		uint64_t bound;
	} rows[] = {
		{ false, 0x100, 0x200, NAME_PASSED, 0x200 }, { false, 0x100, 0x2ff, NAME_PASSED, 0x200 },
		{ false, 0x100, 0x300, NAME_UNKNOWN, 0 }, { false, 0x200, 0x2ff, NAME_UNKNOWN, 0 },
		{ false, 0x210, 0x2ff, NAME_UNKNOWN, 0 }, { false, 0x210, 0x1310, NAME_PASSED, 0x1300 },
		{ true, 0x800, 0x1004, NAME_PASSED, 0x1000 }, { true, 0x1000, 0x1004, NAME_UNKNOWN, 0 },
		{ true, 0x1004, 0x2010, NAME_PASSED, 0x2000 },
	};
	static const char *const files[] = { "app", "app.exe" };
	const char *const folders[] = { root };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct image image;

	if (!folder_make())
		return;
	put_elf("app", "0102030405060708090a0b0c0d0e0f1011121314", 0, false);
	image_pe(&image, true, 0x8664, 0x12345678, 0x5000);
	put_bytes("app.exe", image.bytes, image.size);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct module module = module_of(files[rows[i].pe],
			rows[i].pe ? "123456785000" : "0102030405060708090a0b0c0d0e0f1011121314", "");
		struct crash crash = crash_of(&module, rows[i].pe ? CRASH_OS_WINDOWS : CRASH_OS_LINUX);
		struct binaries *binaries = binaries_create(&crash, folders, 1);
		const struct symbol_sources sources = { .binaries = binaries, .base = BASE, .policy = &policy };
		const char *source = NULL;
		uint64_t bound = 0;

		is_u64(name_check(&sources, rows[i].start, rows[i].address, &bound, &source),
		       rows[i].answer, "%s: from %" PRIx64 " to %" PRIx64, files[rows[i].pe], rows[i].start, rows[i].address);
		is_str(source, "section", "sections are asked");
		if (rows[i].answer == NAME_PASSED)
			is_u64(bound, rows[i].bound, "the bound of a name is where the section begins");
		binaries_free(binaries);
	}
	folder_remove();
}

int
main(void)
{
	struct policy policy = policy_column(POLICY_UNSPOOL);
	char answer[200];

	test_cache(&policy);

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		look_up(&cases[i], &policy, answer, sizeof(answer));
		is_str(answer, cases[i].answer, "%s", cases[i].title);
	}
	policy.value[POLICY_PUBLIC_NAMES] = 0x10;
	look_up(&(struct name_case){ .symbols = NO_RULES, .address = 0x1010 }, &policy, answer, sizeof(answer));
	is_str(answer, "bare?", "a name reaches as far as public-names says");
	look_up(&(struct name_case){ .symbols = NO_RULES, .address = 0x1011 }, &policy, answer, sizeof(answer));
	ok(strncmp(answer, "after , 0", 9) == 0, "a name of limited reach ends at its last byte");
	policy = policy_column(POLICY_UNSPOOL);
	policy.value[POLICY_PUBLIC_BOUNDS] = 0;
	look_up(&(struct name_case){ .symbols = INIT_FIRST, .address = 0x232d4 }, &policy, answer, sizeof(answer));
	is_str(answer, "__libc_init_first", "public-bounds 0 gives the name to an entry after padding");
	look_up(&(struct name_case){ .symbols = NO_RULES, .address = 0x1001 }, &policy, answer, sizeof(answer));
	is_str(answer, "bare", "public-bounds 0 makes no name a guess");
	run_tests();
	return done_testing();
}
