/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"

/* The complete messages about the end of a stack, with every number. */

#define COMMITTED 0x1000u
#define FREE 0x10000u
#define NO_ACCESS 0x01u
#define READ_ONLY 0x02u
#define READ_WRITE 0x04u
#define READ_EXECUTE 0x20u
#define GUARD 0x100u

static void
add_stack_map(struct synth *synth)
{
	synth_memory_info(synth, 0x1000, 0x1000, COMMITTED, READ_EXECUTE, 0x20000);
	synth_memory_info(synth, 0x200000, 0x1000, COMMITTED, READ_WRITE, 0x20000);
}

static void
add_read_only_map(struct synth *synth)
{
	synth_memory_info(synth, 0x200000, 0x1000, COMMITTED, READ_ONLY, 0x20000);
	synth_memory_info(synth, 0x210000, 0x1000, COMMITTED, READ_WRITE, 0x20000);
}

static void
add_fence(struct synth *synth)
{
	synth_memory_info(synth, 0x1ff000, 0x1000, COMMITTED, NO_ACCESS, 0x20000);
	synth_memory_info(synth, 0x200000, 0x1000, COMMITTED, READ_WRITE, 0x20000);
}

static void
add_readable(struct synth *synth)
{
	synth_memory_info(synth, 0x1ff000, 0x1000, COMMITTED, READ_ONLY, 0x20000);
	synth_memory_info(synth, 0x200000, 0x1000, COMMITTED, READ_WRITE, 0x20000);
}

static void
add_free(struct synth *synth)
{
	synth_memory_info(synth, 0x1000, 0x1ff000, FREE, 0, 0);
}

/* The stack's mapping is larger than the stack in the dump. */
static void
add_longer_stack(struct synth *synth)
{
	synth_memory_info(synth, 0x8000, 0x8000, COMMITTED, READ_WRITE, 0x20000);
}

#define LOST(sp, map) { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=402170 rsp=" sp, .modules = APP(NULL), .more = map }
#define OVERFLOW "stack overflow, and the dump has no stack memory for this thread: stack pointer "
#define NO_STACK "the dump has no stack memory for this thread; stack pointer "
#define BY_RECORD(word)								\
	{ ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=402170 rsp=8000", .stack = 0x8000, .memory = "8000=" word, \
		.modules = APP("FUNC 2170 8 0 c\nSTACK CFI INIT 2170 8 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"), \
		.more = add_longer_stack }
#define AT_ITS_CFA(cfa, size, map)						\
	{ ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=402170 rsp=8000", .stack = 0x8000, \
		.stack_size = size, .modules = APP("FUNC 2170 8 0 c\nSTACK CFI INIT 2170 8 .cfa: $rsp " \
			cfa " + .ra: .cfa -8 + ^\n"), .more = map }
#define CUT_AT_8400 "1 KiB of the stack are in the dump, up to 0x8400; the caller's frame is at "
#define NOT_CODE(word) { BY_RECORD(word), "return address 0x" word " is not code: the stack ends or is damaged" }

static const struct {
	struct scene scene;
	const char *words;
} ends[] = {
	{ LOST("1ffff8", NULL), NO_STACK "0x1ffff8" }, { LOST("1ffff8", add_stack_map), OVERFLOW "0x1ffff8 is below the stack's memory" },
	{ LOST("100008", add_stack_map), OVERFLOW "0x100008 is below the stack's memory" },
	{ LOST("100000", add_stack_map), NO_STACK "0x100000 is in no mapped memory" },
	{ LOST("300000", add_stack_map), NO_STACK "0x300000 is in no mapped memory" },
	{ LOST("200000", add_stack_map), NO_STACK "0x200000" },
	{ LOST("1ffff8", add_read_only_map), NO_STACK "0x1ffff8 is in no mapped memory" },
	{ LOST("1ffff8", add_fence), OVERFLOW "0x1ffff8 is in a guard page" }, { LOST("1ffff8", add_readable), NO_STACK "0x1ffff8" },
	{ LOST("1ffff8", add_free), NO_STACK "0x1ffff8 is in no mapped memory" },
	{ AT_ITS_CFA("8192", 1500, add_longer_stack),
	  "1500 bytes of the stack are in the dump, up to 0x85dc; the caller's frame is at 0x9ff8" },
	{ AT_ITS_CFA("8192", 1024, add_longer_stack), CUT_AT_8400 "0x9ff8" },
	{ AT_ITS_CFA("32768", 1024, add_longer_stack), CUT_AT_8400 "0xfff8" },
	{ AT_ITS_CFA("65536", 1024, add_longer_stack),
	  "no return address in the last 1 KiB of the stack, up to 0x8400; 1 KiB of the stack are in the dump, it continues at 0x8400" },
	{ AT_ITS_CFA("66560", 1024, NULL), CUT_AT_8400 "0x183f8" },
	{ AT_ITS_CFA("66568", 1024, NULL), "no return address in the last 1 KiB of the stack, up to 0x8400" },
	{ BY_RECORD("6867666564636261"), "return address 0x6867666564636261 is the text \"abcdefgh\", not code: the stack is damaged" },
	{ BY_RECORD("8010"), "return address 0x8010 is in the stack, not code: the stack ends or is damaged" },
	{ BY_RECORD("9010"), "return address 0x9010 is in memory that is not executable: the stack ends or is damaged" },
	NOT_CODE("700000"),
	NOT_CODE("687f666564636261"),
	NOT_CODE("681f666564636261"),
	{ BY_RECORD("7e20666564636261"), "return address 0x7e20666564636261 is the text \"abcdef ~\", not code: the stack is damaged" },
	{ BY_RECORD("0"), "return address 0: bottom of the stack" },
};

static void
add_unloaded(struct synth *synth)
{
	add_longer_stack(synth);
	synth_unloaded(synth, 0x700000, 0x1000, "gone", 1);
}

/* The memory map has nothing where a module was. */
TEST(unloaded)
{
	struct scene scene = BY_RECORD("700010");

	scene_is(&scene, POLICY_UNSPOOL, 0, "ctx 402170 8000", "a return address outside all modules is no code");
	scene.more = add_unloaded;
	scene_is(&scene, POLICY_UNSPOOL, 0, "ctx 402170 8000, cfi 700010 8008",
		 "a return address in an unloaded module is that of a frame");
}

/* f's record says 24 bytes where 16 are right, so its return address is 77. The word at 8008 is the
 * true one: from there on the records lead to _start, unless the last return address is damaged. */
#define WRONG_CFA(rbp, last)							\
	{ ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401010 rsp=8000" rbp, .stack = 0x8000, \
		.memory = "8000=8100 8008=401110 8010=77 8018=401210 8028=" last,		\
		.modules = APP("FUNC 1000 100 0 f\nFUNC 1100 100 0 g\nFUNC 1200 100 0 h\nFUNC 1300 100 0 _start\n" \
			       "STACK CFI INIT 1000 100 .cfa: $rsp 24 + .ra: .cfa -8 + ^\n" \
			       "STACK CFI INIT 1100 200 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n"), }

static const struct {
	struct scene scene;
	const char *title, *frames;
	bool detour;
} wrong_record_rows[] = {
	{ WRONG_CFA("", "401310"), "a record that leads to no code is replaced by a scan that leads to the bottom",
	  "ctx 401010 8000, scan 401110 8010, cfi 401210 8020, cfi 401310 8030", true },
	{ WRONG_CFA("", "78"), "a record that leads to no code ends a damaged stack", "ctx 401010 8000", false },
};

TEST_EACH(wrong_record, wrong_record_rows)
{
	struct staged staged;
	struct verdict verdict;
	struct frame caller;

	scene_play(&staged, &wrong_record_rows[i].scene, POLICY_UNSPOOL);
	is_str(staged.frames, wrong_record_rows[i].frames, "%s", wrong_record_rows[i].title);
	unwind_step(staged.walk, 0, NULL, &caller, &verdict);
	ok((verdict.kind == VERDICT_TAKEN) == wrong_record_rows[i].detour &&
		   (!wrong_record_rows[i].detour || caller.detour), "the first step has the same result again");
	scene_close(&staged);
	scene_play(&staged, &wrong_record_rows[i].scene, POLICY_BREAKPAD);
	ok(staged.walk->count == 1 || !staged.walk->frames[1].detour, "Breakpad replaces no record");
	scene_close(&staged);
}

/* The findings about such a record, also if the method that replaced it guesses nothing. */
#define WRONG(method) "left-code: 60: the return address of frame 0, f, is 0x77, which cannot be code: either the "	\
	"stack was overwritten, or its record is wrong; STACK CFI reads it at 0x8010; frame 1 was found by " method	\
	" instead, and the walk reaches the stack's bottom"
static const struct {
	struct scene scene;
	const char *text;	/* kind: confidence: sentence; evidence */
} wrong_record_finding_rows[] = {
	{ WRONG_CFA(" rbp=8000", "401310"), WRONG("frame pointer") },
	{ WRONG_CFA("", "401310"), WRONG("stack scan") }, { WRONG_CFA("", "78"), "" },
};

TEST_EACH(wrong_record_finding, wrong_record_finding_rows)
{
	struct staged staged;
	char text[600] = "";
	size_t used = 0;

	scene_play(&staged, &wrong_record_finding_rows[i].scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
	for (size_t j = 0; j < analysis->finding_count; j++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s: ", finding_words[analysis->findings[j].kind].name);
		used += strlen(finding_text(&analysis->findings[j], text + used, sizeof(text) - used));
	}
	is_str(text, wrong_record_finding_rows[i].text, "a finding has the value, its place and the method that replaced the record");
	analysis_free(analysis);
	scene_close(&staged);
}

int
main(void)
{
	run_tests();
	for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
		struct staged staged;
		scene_play(&staged, &ends[i].scene, POLICY_UNSPOOL);
		is_str(staged.walk->end.text, ends[i].words, "the end of %s", staged.frames);
		scene_close(&staged);
	}
	return done_testing();
}
