/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/name_check.h"

#include <string.h>

#include "base/policy_rows.h"
#include "frame_table/frame_tables.h"

/* Most consecutive entries of one function: those of C libraries have two. */
#define MOST_PARTS 8u

/* Processors fetch code in lines of this many bytes, to which compilers align functions. */
#define FUNCTION_ALIGNMENT 16u

/* Most bytes without unwind rules around a system call that creates a thread. */
#define LONGEST_BARE 64u

/* A table of unwind rules whose entries begin where functions do. */
struct name_table {
	const struct symbol_sources *sources;
	/* Number in frame_tables; FRAME_TABLES: STACK CFI records */
	unsigned number;
	bool parts;			/* a function may have several entries (.pdata) */
	bool merged;			/* an entry may cover several functions (.ARM.exidx) */
};

/* Whether an entry covers `address`; `*first` is its beginning, or that of the gap there. */
static bool
covers(const struct name_table *table, uint64_t address, uint64_t *first)
{
	const struct symbol_sources *sources = table->sources;
	struct frame_extent extent;

	if (table->number == FRAME_TABLES) {
		const struct symbols_policy policy = symbols_policy_of(sources->policy);

		return symfile_stack_cfi_extent(sources->symfile, &policy, address, first);
	}
	frame_tables_extent(sources->binaries, sources->module, table->number, address, &extent);
	*first = extent.first;
	return extent.entry;
}

/*
 * Whether the entry that begins at `first` continues the previous one's function. Parts of a
 * Windows function are adjacent, and functions are aligned there. Elsewhere, bytes without rules
 * that are not padding (the next entry is not aligned) belong to the same function: clone and
 * clone3 have no rules between their system call and the new thread's first code.
 */
static bool
continues(const struct name_table *table, uint64_t start, uint64_t first, bool *sure)
{
	const uint64_t alignment = first & -first;
	uint64_t before;

	if (covers(table, first - 1, &before)) {
		*sure = false;
		return table->parts && alignment < FUNCTION_ALIGNMENT;
	}
	*sure = *sure && before > start;
	before = before > start ? before : start;
	return alignment < FUNCTION_ALIGNMENT && alignment <= first - before &&
	       first - before <= LONGEST_BARE;
}

static enum name_answer
ask_table(const struct name_table *table, uint64_t start, uint64_t relative, uint64_t *bound)
{
	bool sure = !table->merged;
	uint64_t at = relative;

	for (unsigned part = 0; part < MOST_PARTS; part++) {
		const bool covered = covers(table, at, bound);

		if (*bound <= start)
			return covered && sure ? NAME_HOLDS : NAME_UNKNOWN;
		if (covered && !continues(table, start, *bound, &sure))
			return NAME_PASSED;
		/* After the end of a function, the owner of the code is unknown. */
		if (at == relative)
			sure = sure && covered;
		at = *bound - 1;
	}
	return NAME_UNKNOWN;
}

static enum name_answer
ask_symfile(const struct symbol_sources *sources, uint64_t start, uint64_t relative,
	    uint64_t *bound)
{
	const struct symbols_policy policy = symbols_policy_of(sources->policy);
	const struct symfile_identity identity = symfile_identity(sources->symfile);
	const struct name_table table = {
		.sources = sources, .number = FRAME_TABLES,
		.parts = text_equal(identity.os, text_of("windows")),
		.merged = text_equal(identity.arch, text_of("arm")),
	};
	const enum name_answer answer = ask_table(&table, start, relative, bound);
	struct stack_win record;

	if (answer != NAME_UNKNOWN)
		return answer;
	/* A function may have several STACK WIN records, so they only confirm names. */
	for (unsigned type = 0; type <= 4; type += 4)
		if (symfile_stack_win(sources->symfile, &policy, type, relative, &record) &&
		    record.address <= start)
			return NAME_HOLDS;
	return NAME_UNKNOWN;
}

/* Checks whether the section around `relative` begins above `start`. */
static enum name_answer
ask_sections(const struct symbol_sources *sources, uint64_t start, uint64_t relative,
	     uint64_t *bound)
{
	const struct binary *binary =
		binaries_load(sources->binaries, sources->module, LOCATE_IMAGE);

	for (size_t i = 0; binary != NULL && i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];

		*bound = section->address -
			 (binary->format == BINARY_ELF ? binary->linked_base : 0);
		if (section->address != 0 && relative - *bound < section->size && *bound > start)
			return NAME_PASSED;
	}
	return NAME_UNKNOWN;
}

enum name_answer
name_check(const struct symbol_sources *sources, uint64_t start, uint64_t relative,
	   uint64_t *bound, const char **source)
{
	enum name_answer answer = NAME_UNKNOWN;

	if (relative == start)
		return NAME_HOLDS;
	*source = "STACK CFI INIT";
	if (sources->symfile != NULL)
		answer = ask_symfile(sources, start, relative, bound);
	if (answer != NAME_UNKNOWN || sources->binaries == NULL)
		return answer;
	for (unsigned i = 0; sources->policy->value[POLICY_FRAME_TABLES] && i < FRAME_TABLES; i++) {
		if (frame_tables_file(sources->binaries, sources->module, i) == NULL)
			continue;
		*source = frame_tables_name(i);
		const struct name_table table = {
			.sources = sources, .number = i, .parts = strcmp(*source, ".pdata") == 0,
			.merged = strcmp(*source, ".ARM.exidx") == 0 };
		answer = ask_table(&table, start, relative, bound);
		if (answer != NAME_UNKNOWN)
			return answer;
	}
	*source = "section";
	return ask_sections(sources, start, relative, bound);
}
