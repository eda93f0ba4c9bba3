/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs, libraries, debug files and PDBs, each as the only module of a crash. */
#include <stdlib.h>

#include "base/compiler.h"
#include "debug_info/binary_survey.h"
#include "debug_info/debug_variables.h"
#include "debug_info/file_symbols.h"
#include "dump_syms/dump_syms.h"
#include "report/code/lookup.h"
#include "report/step/rule_listing.h"
#include "tests/fuzz/harness.h"
#include "unwind_check/check.h"

#define MOST_ADDRESSES 6u

/* An opened input and addresses of its code. */
struct subject {
	struct binary *binary;
	struct crash crash;
	struct binaries *binaries;
	struct arena arena;
	uint64_t addresses[MOST_ADDRESSES];
	size_t count;
};

static void
add_address(struct subject *subject, uint64_t address)
{
	if (subject->count < MOST_ADDRESSES)
		subject->addresses[subject->count++] = address;
}

static void
take_function(void *context, const char *name, uint64_t relative)
{
	(void)name;
	add_address(context, relative);
}

static bool
open_subject(struct subject *subject, const uint8_t *bytes, size_t size)
{
	struct error error = { 0 };
	struct code_ranges ranges;

	*subject = (struct subject){ .count = 0 };
	if (binary_from_memory(&subject->binary, "fuzz", bytes, size, &error) != ERROR_NONE) {
		if (error.text[0] == '\0')
			fuzz_fail("refused without a word");
		return false;
	}
	if (!binary_as_crash(subject->binary, "fuzz", &subject->crash))
		fuzz_fail("out of memory");
	subject->binaries = binaries_create(&subject->crash, NULL, 0);
	binaries_give(subject->binaries, 0, subject->binary);
	binaries_set(subject->binaries, BINARIES_INSIDE);
	code_ranges_read(&ranges, subject->binary, &subject->arena);
	for (size_t i = 0; i < ranges.count && i < MOST_ADDRESSES / 2; i++)
		add_address(subject, ranges.items[i].low - subject->binary->linked_base);
	return true;
}

static void
close_subject(struct subject *subject)
{
	binaries_free(subject->binaries);
	crash_free(&subject->crash);
	arena_free(&subject->arena);
}

static void
print_rules(struct subject *subject, const struct rule_module *module, uint64_t address)
{
	struct arena arena = { 0 };
	struct rule_tables tables;
	struct rule_run run;
	struct lookup lookup = { .module = "fuzz", .shown = address };
	struct row row;

	rule_run_at(module, address, &arena, &run);
	rule_tables_init(&tables, &arena, module->arch, run.first, run.last);
	rule_tables_add_all(&tables, module);
	const struct rule_view view = { .tables = &tables, .run = &run, .marked = true, .address = address, .in_force = SIZE_MAX };
	const struct listing listing = rule_listing(&view, &arena);
	row_init(&row, &arena);
	for (size_t i = 0; i < listing.count && i < 100; i++) {
		row_clear(&row);
		listing_fill(&listing, i, 80, &row);
	}
	lookup_make(&lookup, module, address, &subject->arena);
	lookup_text(&fuzz_output, &lookup);
	arena_free(&arena);
}

static bool
take_difference(void *context, const struct unwind_difference *difference)
{
	if (difference->first > difference->last)
		fuzz_fail("a difference ends before it begins");
	return ++*(unsigned *)context < 1000;
}

static void
compare_sources(const struct rule_module *module)
{
	struct unwind_source *sources = calloc(UNWIND_SOURCES, sizeof(*sources));
	struct unwind_totals totals;
	unsigned told = 0;

	if (sources == NULL)
		fuzz_fail("out of memory");
	const struct unwind_check check = { .arch = module->arch, .sources = sources, .count = unwind_sources_open(module, false, sources),
					    .tell = take_difference, .context = &told, .last = UINT64_MAX };
	unwind_check_run(&check, &totals);
	unwind_sources_close(sources, check.count);
	free(sources);
}

static void
dump_symbols(const struct subject *subject)
{
	const struct dump_syms_options options = { .threads = 1 };
	struct error error = { 0 };
	struct dump_syms dump;

	if (dump_syms_read(&dump, subject->binaries, 0, subject->crash.system.arch, &options, &error) == ERROR_NONE) {
		dump_syms_write(&dump, &fuzz_output);
		dump_syms_free(&dump);
	} else if (error.text[0] == '\0') {
		fuzz_fail("no symbol file, and no reason");
	}
}

/* Read what every kind of file has: rules at some addresses, and a symbol file of the whole. */
static void
look_at_rules(struct subject *subject)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct rule_module module = { .arch = subject->crash.system.arch, .policy = &policy,
					    .parameters = -1, .binaries = subject->binaries };

	for (size_t i = 0; i < subject->count; i++)
		print_rules(subject, &module, subject->addresses[i] + i % 5);
	compare_sources(&module);
}

void
fuzz_elf(const uint8_t *bytes, size_t size)
{
	struct subject subject;
	struct file_symbols names;

	if (!open_subject(&subject, bytes, size))
		return;
	file_symbols_read(&names, subject.binary);
	file_symbols_free(&names);
	debug_info_functions(subject.binaries, 0, DEBUG_NAMES_SLOTS, take_function, &subject);
	debug_info_functions(subject.binaries, 0, DEBUG_NAMES_TABLES, take_function, &subject);
	binaries_survey(subject.binaries, 0);
	look_at_rules(&subject);
	close_subject(&subject);
}

void
fuzz_pe(const uint8_t *bytes, size_t size)
{
	struct subject subject;

	if (!open_subject(&subject, bytes, size))
		return;
	debug_info_functions(subject.binaries, 0, DEBUG_NAMES_TABLES, take_function, &subject);
	look_at_rules(&subject);
	dump_symbols(&subject);
	close_subject(&subject);
}

/* Read names, lines and calls of some functions, then those of all functions in a symbol file. */
static void
look_at_names(struct subject *subject)
{
	for (size_t i = 0; i < subject->count; i++) {
		struct debug_answer answer;
		struct debug_body body;

		if (debug_info_find(subject->binaries, 0, subject->addresses[i] + i % 3, &subject->arena, &answer) && answer.name == NULL)
			fuzz_fail("a function that is found has no name");
		if (!debug_info_body(subject->binaries, 0, subject->addresses[i], &subject->arena, &body))
			continue;
		for (size_t k = 1; k < body.line_count; k++)
			if (body.lines[k].address < body.lines[k - 1].address)
				fuzz_fail("lines are not by address");
	}
	dump_symbols(subject);
}

void
fuzz_dwarf(const uint8_t *bytes, size_t size)
{
	struct subject subject;

	if (!open_subject(&subject, bytes, size))
		return;
	debug_info_functions(subject.binaries, 0, DEBUG_NAMES_DWARF, take_function, &subject);
	look_at_names(&subject);
	close_subject(&subject);
}

/* Types that are opened from one variable. */
enum { MOST_OPENED = 40 };

/* Open a type, those of its members and its target. */
static void
look_at_type(const struct debug_type *type, struct arena *arena)
{
	const struct debug_type *waiting[MOST_OPENED] = { type };
	struct debug_enumerator *values;
	struct debug_member *members;
	size_t count = type != NULL;

	for (size_t i = 0; i < count; i++) {
		const struct debug_type *target = debug_type_target(waiting[i], arena);
		const size_t inside = debug_type_members(waiting[i], arena, &members);

		debug_type_enumerators(waiting[i], arena, &values);
		for (size_t j = 0; j <= inside && count < MOST_OPENED; j++) {
			const struct debug_type *next = j < inside ? members[j].type : target;
			if (next != NULL)
				waiting[count++] = next;
		}
	}
}

static void
look_at_variables(const struct debug_variable *variables, size_t count, uint64_t address, struct arena *arena)
{
	for (size_t i = 0; i < count; i++) {
		const struct debug_location location = debug_locate(&variables[i].entry, DEBUG_LOCATION, address);
		if (location.has_nearest && location.low <= address && address < location.high)
			fuzz_fail("a variable is elsewhere, and here");
		look_at_type(debug_type_of(&variables[i].entry, arena), arena);
	}
}

static void
look_at_scopes(struct subject *subject)
{
	struct debug_variable *globals;
	struct debug_scopes scopes;
	struct debug_named named;

	for (size_t i = 0; i < subject->count; i++) {
		const uint64_t address = subject->addresses[i] + 7 * (i % 4);
		struct arena arena = { 0 };

		if (debug_scopes_at(subject->binaries, 0, address, &arena, &scopes)) {
			for (size_t j = 0; j < scopes.count; j++)
				look_at_variables(scopes.items[j].variables, scopes.items[j].count, address, &arena);
			const size_t count = debug_globals_at(subject->binaries, 0, address, &arena, &globals);
			look_at_variables(globals, count, address, &arena);
			debug_named(&scopes, DEBUG_WANTED_VALUE, DEBUG_TYPE_UNKNOWN, "start", &arena, &named);
			if (debug_named(&scopes, DEBUG_WANTED_TYPE, DEBUG_TYPE_UNKNOWN, "kiosk::ticket", &arena, &named))
				look_at_type(debug_type_here(&named.entry, &arena), &arena);
		}
		arena_free(&arena);
	}
}

void
fuzz_pdb(const uint8_t *bytes, size_t size)
{
	struct subject subject;

	if (!open_subject(&subject, bytes, size))
		return;
	debug_info_functions(subject.binaries, 0, DEBUG_NAMES_TABLES, take_function, &subject);
	debug_info_functions(subject.binaries, 0, DEBUG_NAMES_DWARF, take_function, &subject);
	look_at_rules(&subject);
	look_at_names(&subject);
	look_at_scopes(&subject);
	close_subject(&subject);
}
