/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <dirent.h>

#include "dump/dump.h"
#include "tests/lib/tap.h"
#include "walk/location.h"
#include "walk/walk.h"

/* Real crashes of programs whose symbol files and frame tables were made from the same bytes: from
 * every frame that both cover, both must lead to the same caller. Except the end of a stack:
 * writers of symbol files for x86 turn an undefined eip into a word above esp. */
#define MOST_FRAMES 2000u	/* a thread's; deep recursions only repeat themselves */
#define SHOWN 8u

struct tally {
	size_t steps, different;
	size_t ended;		/* steps that have no caller according to the table only */
};

static bool
is_by_table(const struct walk *walk, size_t number)
{
	const int module = walk->frames[number].module;

	return module != MODULE_NONE && walk_symfile(walk, module) != NULL && frame_tables_has(walk->binaries, (size_t)module);
}

/* True if the frame is in the entry point of the program. */
static bool
is_outermost(const struct walk *walk, size_t number)
{
	struct location location;
	struct arena arena = { 0 };

	location_of(walk, walk->frames[number].lookup, &arena, &location);
	const bool is = text_equal(location.calls[0].name, text_of("_start"));
	arena_free(&arena);
	return is;
}

/* The first register that both have with different values, or ARCH_NO_REGISTER. */
static int
different_register(const struct arch *arch, const struct registers *one, const struct registers *other)
{
	for (int reg = 0; reg < arch->register_count; reg++) {
		const bool needed = reg == arch->pc || reg == arch->sp;
		if (needed && (!registers_known(one, reg) || !registers_known(other, reg)))
			return reg;
		if (registers_known(one, reg) && registers_known(other, reg) && one->value[reg] != other->value[reg])
			return reg;
	}
	return ARCH_NO_REGISTER;
}

static void
compare_step(struct walk *walk, size_t number, const char *name, struct tally *tally)
{
	struct frame by_record, by_table;
	struct verdict record, table;

	unwind_step_by(walk, number, METHOD_STACK_CFI, NULL, &by_record, &record);
	unwind_step_by(walk, number, METHOD_FRAME_TABLE, NULL, &by_table, &table);
	if (record.kind != VERDICT_TAKEN)
		return;
	tally->steps++;
	if (table.kind == VERDICT_END && is_outermost(walk, number)) {
		tally->ended++;
		return;
	}
	const int reg = table.kind != VERDICT_TAKEN ? walk->arch->pc
			: different_register(walk->arch, &by_record.registers, &by_table.registers);
	if (reg != ARCH_NO_REGISTER && tally->different++ < SHOWN)
		tap_diag("%s: thread %zu, frame %zu at %llx: %s: %llx by the record, %llx by the "
			 "table (%s)", name, walk->thread, number, (unsigned long long)walk->frames[number].lookup,
			 walk->arch->registers[reg].label, (unsigned long long)by_record.registers.value[reg],
			 (unsigned long long)by_table.registers.value[reg], table.text);
}

static void
compare_dump(const char *made, const char *arch, const char *name, struct tally *tally)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	char dump[2048], symbols[1100], programs[1100];
	const char *const symbol_paths[] = { symbols }, *const program_paths[] = { programs };
	struct error error = { 0 };
	struct crash crash;

	snprintf(dump, sizeof(dump), "%s/%s/%s", made, arch, name);
	snprintf(symbols, sizeof(symbols), "%s/symbols/%s", made, arch);
	snprintf(programs, sizeof(programs), "%s/bin/%s", made, arch);
	if (dump_open(&crash, dump, 0, &error) != ERROR_NONE) {
		tap_diag("%s: %s", dump, error.text);
		tally->different++;
		return;
	}
	struct symbols *store = symbols_create(crash.modules, crash.module_count, symbol_paths, 1);
	struct binaries *binaries = binaries_create(&crash, program_paths, 1);
	for (size_t thread = 0; thread < crash.thread_count; thread++) {
		struct walk *walk = walk_create(&crash, store, binaries, thread, &policy);
		walk_run(walk, MOST_FRAMES);
		for (size_t i = 0; i < walk->count; i++)
			if (is_by_table(walk, i))
				compare_step(walk, i, name, tally);
		walk_free(walk);
	}
	binaries_free(binaries);
	symbols_free(store);
	crash_free(&crash);
}

static void
compare_arch(const char *made, const char *arch)
{
	struct tally tally = { 0 };
	char folder[1100];
	struct dirent *entry;

	snprintf(folder, sizeof(folder), "%s/%s", made, arch);
	DIR *dumps = opendir(folder);
	while (dumps != NULL && (entry = readdir(dumps)) != NULL)
		if (strstr(entry->d_name, ".dmp") != NULL)
			compare_dump(made, arch, entry->d_name, &tally);
	if (dumps != NULL)
		closedir(dumps);
	tap_diag("%s: %zu steps, %zu of them from _start", arch, tally.steps, tally.ended);
	ok(tally.steps > 100, "%s: there are steps to compare", arch);
	is_u64(tally.different, 0, "%s: the frame table leads to the caller of STACK CFI", arch);
}

/* Whether a caller rests on a scan's guess about its callee: not if rules read the frame pointer
 * at a CFA that counts from the stack pointer. The rules are those of post, which saves no
 * register, and of settle, which does (data/crashes/broken-cfi-amd64/source). */
static void
test_guesses(void)
{
	static const enum method_id by[] = {
		METHOD_FRAME_TABLE,
#ifdef HAVE_CAPSTONE
		METHOD_CODE,
#endif
	};
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const char *const paths[] = { tap_path("data/crashes/broken-cfi-amd64/binaries") };
	const char *dump = tap_path("data/crashes/broken-cfi-amd64/crash.dmp");
	struct error error = { 0 };
	struct crash crash;

	if (dump_open(&crash, dump, 0, &error) != ERROR_NONE) {
		skip(1, "the crash is not there");
		return;
	}
	struct symbols *store = symbols_create(crash.modules, crash.module_count, NULL, 0);
	struct binaries *binaries = binaries_create(&crash, paths, 1);
	struct walk *walk = walk_create(&crash, store, binaries, 0, &policy);
	walk_run(walk, 3);
	for (size_t i = 0; i < ARRAY_COUNT(by) && walk->count == 3; i++) {
		struct frame caller;
		struct verdict verdict;

		for (size_t frame = 0; frame < 2; frame++) {
			walk->frames[frame].guessed = true;
			unwind_step_by(walk, frame, by[i], NULL, &caller, &verdict);
			ok(verdict.kind == VERDICT_TAKEN && caller.guessed == (frame == 0), "the caller of frame %zu by %s %s",
			   frame, method_name(by[i]), frame == 0 ? "rests on the guess" : "does not");
			walk->frames[frame].guessed = false;
			unwind_step_by(walk, frame, by[i], NULL, &caller, &verdict);
			ok(verdict.kind == VERDICT_TAKEN && !caller.guessed, "a caller of certain frames does not rest on a guess");
		}
	}
	ok(walk->count == 3, "the walk has the frames");
	walk_free(walk);
	binaries_free(binaries);
	symbols_free(store);
	crash_free(&crash);
}

int
main(void)
{
	static const char *const archs[] = { "x86_64", "i386", "arm", "arm64" };
	const char *corpus = getenv("UNSPOOL_CORPUS");
	char made[1000], programs[1100];
	DIR *there;

	test_guesses();
	snprintf(made, sizeof(made), "%s/made", corpus != NULL ? corpus : "");
	snprintf(programs, sizeof(programs), "%s/bin", made);
	if (corpus == NULL || (there = opendir(programs)) == NULL) {
		skip(1, "UNSPOOL_CORPUS names no corpus");
		return done_testing();
	}
	closedir(there);
	for (size_t i = 0; i < ARRAY_COUNT(archs); i++)
		compare_arch(made, archs[i]);
	return done_testing();
}
