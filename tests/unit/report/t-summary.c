/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/summary.h"
#include "tests/unit/report/scene.h"

/* Summaries of conclusions that are written here, about the crash of scene.h: each row with its target, "@memory 45" or
 * "@frame 1 0" (thread and frame). */

static const char *const evidence[] = { "rax is 0x7000", "thread 0 has its frame 2 there", "frame 1 called it", "thread 9 waits",
					"frame 7 is not there", "nothing else" };
static struct finding findings[] = {
	{ FINDING_NULL_POINTER, 95, "the address is 0x45", (const char **)evidence, ARRAY_COUNT(evidence), 0 },
	{ FINDING_NULL_POINTER, 30, "thread 2 did it", NULL, 0, 0 },
};
static struct analysis_access accesses[] = {
	{ 0x7000, 4, ANALYSIS_READ, ANALYSIS_DENIED, false, NULL, false, true, "rax + 0x8" },
	{ 0x7010, 1, ANALYSIS_WRITE, ANALYSIS_UNMAPPED, false, NULL, false, false, "0x7010" },
	{ 0x7020, 0, ANALYSIS_READ_WRITE, ANALYSIS_ALLOWED, false, NULL, false, false, "" },
	{ 0x7030, 2, ANALYSIS_EXECUTE, ANALYSIS_UNKNOWN, false, NULL, true, false, "rip" },
};
static struct analysis_access null_access[] = {
	{ 0x45, 1, ANALYSIS_READ, ANALYSIS_UNMAPPED, true, "rax", false, true, "rax + 0x45" },
};
static struct lock_wait waits[] = {
	{ .kind = LOCK_MUTEX, .address = 0x10, .text = "thread 0 waits for a mutex" },
	{ .kind = LOCK_CONDITION, .address = 0x20, .text = "thread 1 waits for a condition" },
	{ .kind = LOCK_SEMAPHORE, .address = 0x20, .text = "thread 2 waits for it, too" },
	{ .kind = LOCK_SEMAPHORE, .address = 0x20, .text = "a third waits for it" },
	{ .kind = LOCK_CONDITION, .address = 0x30, .text = "thread 0 waits alone" },
	{ .kind = LOCK_SEMAPHORE, .address = 0x40, .text = "thread 0 waits first" },
	{ .kind = LOCK_SEMAPHORE, .address = 0x40, .text = "thread 1 waits second" },
	{ .kind = LOCK_MUTEX, .address = 0x50, .cycle = 1, .text = "a deadlock" },
};
static const char *problems[] = { "a.sym is not readable", "b.sym is of another build" };

#define INSTRUCTION .present = true, .address = 0x401015, .text = "mov eax, [rax]", .source = "the dump"

static const struct {
	struct analysis analysis;
	enum crash_address meaning;	/* kind of the address in the exception record */
	bool walked;
	const char *text;
} cases[] = {
	{ { .reason = "R", .thread = -1, .has_address = true, .address = 0x45 }, CRASH_ADDRESS_MEMORY, false,
	  "crash         R@place\naddress       0x45@memory 45\n" },
	{ { .reason = "R", .thread = -1 }, CRASH_ADDRESS_MEMORY, false, "crash         R@place\naddress       the dump has none@place\n" },
	{ { .reason = "", .thread = -1, .has_address = true, .adjustment = ANALYSIS_NULL_OFFSET }, CRASH_ADDRESS_MEMORY, false,
	  "crash         unknown@place\naddress       0x0, a null pointer@memory 0\n" },
	{ { .reason = "R", .thread = -1, .has_address = true, .address = 0x45, .adjustment = ANALYSIS_NULL_OFFSET, .offset = 0x45 },
	  CRASH_ADDRESS_MEMORY, false, "crash         R@place\naddress       0x45, a small number@memory 45\n" },
	{ { .reason = "R", .thread = -1, .address = 0x45, .adjustment = ANALYSIS_NULL_OFFSET, .offset = 0x45,
	    .instruction = { .accesses = null_access, .access_count = 1 } }, CRASH_ADDRESS_MEMORY, false,
	  "crash         R@place\naddress       0x45, a null pointer and an offset, by the instruction: the dump has none@memory 45\n"
	  "instruction   reads 1 byte at 0x45 (rax + 0x45), where nothing is mapped: this failed@memory 45\n" },
	{ { .reason = "R", .thread = -1, .adjustment = ANALYSIS_NON_CANONICAL, .adjusted = UINT64_C(0x8000000000000001) },
	  CRASH_ADDRESS_MEMORY, false,
	  "crash         R@place\naddress       0x8000000000000001, not canonical (none was reported)@memory 8000000000000001\n" },
	{ { .reason = "R", .thread = -1, .address = 0x12, .adjustment = ANALYSIS_NON_CANONICAL, .adjusted = UINT64_C(0x123456789abcdef0) },
	  CRASH_ADDRESS_MEMORY, false,
	  "crash         R@place\naddress       0x123456789abcdef0, not canonical (reported as 0x12)@memory 123456789abcdef0\n" },
	{ { .reason = "R", .thread = -1, .adjustment = ANALYSIS_OF_INSTRUCTION, .adjusted = 0x7000 }, CRASH_ADDRESS_MEMORY, false,
	  "crash         R@place\naddress       0x7000, by the instruction: the dump has none@memory 7000\n" },
	{ { .reason = "R", .thread = -1 }, CRASH_ADDRESS_PC, false, "crash         R@place\nstopped at    0x45@memory 45\n" },
	{ { .reason = "R", .thread = 1, .damage = 2, .problems = problems, .problem_count = 2, .signature = "crash | main",
	    .signature_rules = "rules.txt", .instruction = { INSTRUCTION, .accesses = accesses, .access_count = 4, .has_next_pc = true,
	    .next_pc = 0x401040 }, .findings = findings, .finding_count = 2, .locks = { .items = waits, .count = ARRAY_COUNT(waits) } },
	  CRASH_ADDRESS_MEMORY, true,
	  "crash         R@place\naddress       the dump has none@place\nwhere         leaf + 0x1 [inner.h : 3]@source\n"
	  "input         2 problems in the dump; it is damaged: if there is another copy, use it\n              a.sym is not readable\n"
	  "              b.sym is of another build\ninstruction   mov eax, [rax]   (at 0x401015, from the dump)@memory 401015\n"
	  "              reads 4 bytes at 0x7000 (rax + 0x8), which is not allowed: this failed@memory 7000\n"
	  "              writes 1 byte at 0x7010, where nothing is mapped@memory 7010\n"
	  "              reads and writes 0x7020, which is allowed@memory 7020\n"
	  "              executes 2 bytes at 0x7030 (rip), likely a guard page@memory 7030\n"
	  "              continues at 0x401040, which is not canonical@memory 401040\nfound         null pointer (very likely)@memory 401015\n"
	  "                the address is 0x45@memory 45\n                  - rax is 0x7000@memory 7000\n"
	  "                  - thread 0 has its frame 2 there@frame 0 2\n                  - frame 1 called it@frame 1 1\n"
	  "                  - thread 9 waits@memory 401015\n                  - frame 7 is not there@memory 401015\n"
	  "                  - nothing else@memory 401015\n              null pointer (weak)@memory 401015\n"
	  "                thread 2 did it@thread 2\nlocks         thread 0 waits for a mutex@thread 0\n"
	  "              thread 1 waits for a condition, as 2 more threads do@thread 1\n              thread 0 waits alone@thread 0\n"
	  "              thread 0 waits first, as 1 more thread does@thread 0\nthread        1 (id 0xbf4)@thread 1\n"
	  "signature     crash | main@frame 1 0\n              by the rules of rules.txt\n"
	  "stack         3 frames: 3 exact; trust frames 0 to 2@frame 1 0\n" },
	{ { .reason = "R", .thread = 0, .instruction = { INSTRUCTION, .accesses = accesses, .access_count = 1, .has_next_pc = true,
	    .next_pc = 0x401040, .next_pc_canonical = true }, .damage = 1, .findings = findings + 1, .finding_count = 1 },
	  CRASH_ADDRESS_MEMORY, false, "crash         R@place\naddress       the dump has none@place\n"
	  "input         1 problem in the dump; it is damaged: if there is another copy, use it\n"
	  "instruction   mov eax, [rax]   (at 0x401015, from the dump)@memory 401015\n"
	  "              reads 4 bytes at 0x7000 (rax + 0x8), which is not allowed: this failed@memory 7000\n"
	  "              continues at 0x401040@memory 401040\nfound         null pointer (weak)@memory 401015\n"
	  "                thread 2 did it@thread 2\nthread        0 (id 0x20) worker@thread 0\nlast error    5 ERROR_ACCESS_DENIED@thread 0\n" },
};

static const char *
target_text(struct scene *scene, struct target target)
{
	switch (target.kind) {
	case TARGET_MEMORY:
		return arena_format(&scene->arena, "@memory %" PRIx64, target.address);
	case TARGET_FRAME:
		return arena_format(&scene->arena, "@frame %zu %zu", target.thread, target.frame);
	case TARGET_THREAD:
		return arena_format(&scene->arena, "@thread %zu", target.thread);
	case TARGET_NONE:
		return "";
	default:
		return target.kind == TARGET_SOURCE ? "@source" : "@place";
	}
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	scene.crash.threads[0].has_last_error = scene.crash.threads[1].has_last_error = true;
	scene.crash.threads[0].last_error = 5;
	scene.crash.threads[0].last_error_name = "ERROR_ACCESS_DENIED";
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct analysis analysis = cases[i].analysis;
		struct output_string made;

		analysis.crash = &scene.crash;
		analysis.signature = text_or_empty(analysis.signature);
		scene.crash.cause.address = cases[i].meaning;
		output_string_init(&made, &scene.arena);
		const struct listing listing = summary_listing(&analysis, cases[i].walked ? scene.walk : NULL, 0, &scene.arena);
		for (size_t row = 0; row < listing.count; row++)
			output_format(&made.output, "%s%s\n", scene_row(&scene, &listing, row, 0),
				      target_text(&scene, listing_target(&listing, row)));
		is_text(made.text, cases[i].text, "the summary of row %zu", i);
	}
	/* At most 20 waits have rows. */
	struct lock_wait many[22];
	for (size_t i = 0; i < ARRAY_COUNT(many); i++)
		many[i] = waits[0];
	for (size_t count = 20; count <= ARRAY_COUNT(many); count++) {
		const struct analysis analysis = { .crash = &scene.crash, .reason = "R", .thread = -1, .signature = "",
						   .locks = { .items = many, .count = count } };
		const struct listing listing = summary_listing(&analysis, NULL, 0, &scene.arena);
		is_u64(listing.count, count > 20 ? 23 : 22, "rows of %zu waits", count);
		is_str(scene_row(&scene, &listing, listing.count - 1, 0), count == 22 ? "              and 2 more waits"
		       : count == 21 ? "              and 1 more wait" : "              thread 0 waits for a mutex", "the last of %zu waits", count);
	}
	scene_close(&scene);
	return done_testing();
}
