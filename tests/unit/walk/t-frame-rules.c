/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of a frame's function by all of its sources: the tables, the code that they cover, and the table that the step used. */
#include "tests/unit/walk/scene.h"
#include "walk/frame_rules.h"

#define RULES ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n"

static const struct scene amd64 = SCENE(AMD64, LINUX, "rip=401010 rsp=8000 rbp=8020", "8000=401110 8020=8040 8028=401215",
	      { { 0x400000, 0x5000, "a", "FUNC 1000 20 0 f\nFUNC 1100 20 0 g\nFUNC 1200 20 0 h\n"
	      "STACK CFI INIT 1000 20 " RULES } });

static const struct scene x86 = SCENE(X86, WINDOWS, "eip=401010 esp=8000 ebp=8100 ebx=5", "8000=401110",
	      { { 0x400000, 0x5000, "a", "FUNC 1000 20 0 f\nFUNC 1100 20 0 g\n"
	      "STACK WIN 0 1000 20 0 0 0 0 0 0 0 0\nSTACK CFI INIT 1000 20 .cfa: $esp 4 + .ra: .cfa -4 + ^\n"
	      "STACK CFI INIT 1100 20 .cfa: $esp 4 + .ra: .cfa -4 + ^\n" } });

/* The sources of the tables: "STACK CFI, by convention". */
static const char *
sources_of(const struct frame_rules *rules, char text[200])
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < rules->tables.count; i++)
		used += (size_t)snprintf(text + used, 200 - used, "%s%s", i > 0 ? ", " : "", rules->tables.tables[i].source);
	return text;
}

/* The row of a method among the conventions. */
static const struct rule_row *
row_of(const struct frame_rules *rules, const char *method)
{
	const struct rule_table *table = rules->conventions == SIZE_MAX ? NULL : &rules->tables.tables[rules->conventions];

	for (size_t i = 0; table != NULL && i < table->count; i++)
		if (strcmp(table->rows[i].label, method) == 0)
			return &table->rows[i];
	return NULL;
}

static bool
is_run(const struct frame_rules *rules, uint64_t address, uint64_t first, uint64_t last)
{
	return rules->address == address && rules->run.first == first && rules->run.last == last;
}

TEST(frame)
{
	struct frame_rules rules;
	struct arena arena = { 0 };
	struct staged staged;
	char text[200];

	scene_play_limited(&staged, &amd64, POLICY_UNSPOOL, 3);
	is_str(staged.frames, "ctx 401010 8000, cfi 401110 8008, fp 401215 8030",
	       "the walk has a frame by its record and one by its frame pointer");
	frame_rules_make(&rules, staged.walk, 0, &arena);
	is_str(sources_of(&rules, text), "STACK CFI, by convention", "the sources are records and the conventions");
	ok(is_run(&rules, 0x1010, 0x1000, 0x101f) && text_equal(rules.run.function.name, text_of("f")) &&
		   rules.module == &staged.crash.modules[0], "the rules are of the whole function");
	ok(rules.in_force == 0 && rules.conventions == 1, "the record is in force");
	is_str(rules.method, "STACK CFI", "the method of the record in force is named");
	const struct rule_row *row = row_of(&rules, "stack scan");
	ok(row != NULL && row->message == NULL && row->cells != NULL, "a scan would find a caller, too");
	row = row_of(&rules, "frame pointer");
	ok(row != NULL && row->cells == NULL && row->message != NULL &&
		   strcmp(row->message, "the frame pointer chain of rbp skips a return address") ==
			   0, "a method that is refused says why");
	ok(row_of(&rules, "STACK CFI") == NULL && row_of(&rules, "link register") == NULL,
	   "records are no conventions, nor are methods of other processors");

	frame_rules_make(&rules, staged.walk, 1, &arena);
	is_str(sources_of(&rules, text), "by convention", "a function without records has the convention as its source");
	ok(is_run(&rules, 0x110f, 0x1100, 0x111f), "the rules are at the address in the call");
	ok(rules.in_force == 0 && rules.conventions == 0, "the convention that was followed is in force");
	is_str(rules.method, "frame pointer", "the convention in force is named");
	row = row_of(&rules, "frame pointer");
	ok(row != NULL && row->message == NULL && row->cells != NULL, "the row of the frame pointer has rules");
	row = row_of(&rules, "realigned frame");
	ok(row != NULL && row->cells == NULL && row->message != NULL &&
		   strcmp(row->message, "no second return address at the saved frame pointer") == 0,
	   "the row of a refused method has the reason");

	frame_rules_at(&rules, staged.walk, 0x401005, &arena);
	is_str(sources_of(&rules, text), "STACK CFI", "an address has no frame's conventions");
	ok(is_run(&rules, 0x1005, 0x1000, 0x101f) && rules.conventions == SIZE_MAX &&
		   rules.in_force == SIZE_MAX, "an address has the rules of its function");
	frame_rules_at(&rules, staged.walk, 0x90000000, &arena);
	ok(rules.module == NULL && rules.tables.count == 0 && rules.address == 0x90000000, "an address in no module has no rules");
	frame_rules_here(&rules, staged.walk, 0, &arena);
	is_u64(rules.tables.count, 0, "one source alone is compared with nothing");
	arena_free(&arena);
	scene_close(&staged);
}

TEST(two_sources)
{
	struct frame_rules rules;
	struct arena arena = { 0 };
	struct staged staged;
	char text[200];

	scene_play_limited(&staged, &x86, POLICY_UNSPOOL, 2);
	frame_rules_here(&rules, staged.walk, 0, &arena);
	is_str(sources_of(&rules, text), "STACK WIN 0, STACK CFI", "two sources are compared");
	ok(is_run(&rules, 0x1010, 0x1010, 0x1010), "the sources are compared at the frame's address alone");
	ok(rules.in_force == 0 && rules.conventions == SIZE_MAX, "the first is in force");
	size_t ebx = 0;
	while (ebx < rules.tables.column_count && !text_equal(rules.tables.columns[ebx].name, text_of("ebx")))
		ebx++;
	ok(ebx < rules.tables.column_count &&
		   strcmp(rule_cell_format(&rules.tables, &rules.tables.tables[0].rows[0], ebx, text, sizeof(text)), "s") == 0,
	   "ebx is kept, where the callee's is known");
	frame_rules_make(&rules, staged.walk, 0, &arena);
	is_str(sources_of(&rules, text), "STACK WIN 0, STACK CFI, by convention", "the whole function has them, too");
	ok(rules.in_force == 0 && rules.conventions == 2, "the conventions are the last source");
	staged.walk->frames[0].registers.known &= ~(UINT64_C(1) << 3);
	frame_rules_here(&rules, staged.walk, 0, &arena);
	for (ebx = 0; ebx < rules.tables.column_count; ebx++)
		if (text_equal(rules.tables.columns[ebx].name, text_of("ebx")))
			break;
	is_u64(ebx, rules.tables.column_count, "an unknown ebx has no column");
	frame_rules_here(&rules, staged.walk, 1, &arena);
	is_u64(rules.tables.count, 0, "the caller has one source, which is compared with nothing");
	arena_free(&arena);
	scene_close(&staged);
}
