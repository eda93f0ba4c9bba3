/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why a process ended itself, concluded from the functions between abort and the program. The
 * expected meanings are those that the libraries' own sources give to these functions.
 */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "tests/unit/walk/scene.h"

#define NAMES 6

static const struct example {
	const char *title;
	const char *library[NAMES], *program[NAMES];	/* the innermost first */
	const char *text;
} examples[] = {
	{ "an assertion", { "raise", "abort", "__assert_fail_base.cold", "__assert_fail" },
	  { "check(int)", "main" },
	  "an assertion failed: frame 4, check(int), called __assert_fail" },
	{ "a heap", { "__GI_raise", "__GI_abort", "__libc_message", "malloc_printerr", "free" },
	  { "drop()", "main" },
	  "the allocator found a damaged heap or a bad pointer: frame 5, drop(), called free" },
	{ "helpers of the library between", { "abort", "find", "look" }, { "main" },
	  "abort was called: frame 3, main, led to abort" },
	{ "a canary, by a helper in the program", { "abort", "__fortify_fail", "__stack_chk_fail" },
	  { "__stack_chk_fail_local", "copy", "main" },
	  "a canary was overwritten, a buffer on the stack overflowed: frame 4, copy, called "
	  "__stack_chk_fail_local" },
	{ "a program with its libraries in it", { NULL },
	  { "abort", "std::panicking::begin_panic<&str>(int)", "run", "main" },
	  "the program panicked: frame 2, run, called std::panicking::begin_panic<&str>(int)" },
	{ "a chain of functions that are known and not",
	  { "raise", "abort", "__libc_message", "malloc_printerr", "_int_free", "x" },
	  { "y", "operator delete(void*)", "drop()", "main" },
	  "the allocator found a damaged heap or a bad pointer: frame 8, drop(), called "
	  "operator delete(void*)" },
	{ "a name that only begins like one", { "abort" }, { "free_all()", "main" },
	  "abort was called: frame 1, free_all(), called abort" },
	{ "a function far below", { "abort" }, { "a", "b", "c", "d", "e", "free" },
	  "the allocator found a damaged heap or a bad pointer" },
	{ "no name that is known", { "stop" }, { "main" },
	  "the process ended itself: something in it found that it cannot go on" },
};

static void
add_abort(struct synth *synth)
{
	synth_exception(synth, 1, 6, 0, 0);
}

static size_t
add_functions(char *symbols, size_t size, const char *const *names)
{
	size_t count = 0, used;

	used = (size_t)snprintf(symbols, size, "STACK CFI INIT 1000 1000 .cfa: $rsp 8 + "
						".ra: .cfa 8 - ^\n");
	for (; count < NAMES && names[count] != NULL; count++)
		used += (size_t)snprintf(symbols + used, size - used, "FUNC %zx 100 0 %s\n",
					 0x1000 + count * 0x100, names[count]);
	return count;
}

static void
test_examples(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(examples); i++) {
		const struct example *example = &examples[i];
		char library[1000], program[1000], memory[400] = "", registers[40];
		size_t in_library = add_functions(library, sizeof(library), example->library);
		size_t count = in_library +
			       add_functions(program, sizeof(program), example->program);
		size_t used = 0;
		struct staged staged;

		for (size_t n = 0; n < count; n++) {
			size_t pc = n < in_library ? 0x701010 + n * 0x100
						   : 0x401010 + (n - in_library) * 0x100;

			if (n == 0)
				snprintf(registers, sizeof(registers), "rip=%zx rsp=8000", pc);
			else
				used += (size_t)snprintf(memory + used, sizeof(memory) - used,
							 "%zx=%zx ", 0x8000 + (n - 1) * 8, pc);
		}
		const struct scene scene = {
			.arch = ARCH_AMD64, .os = CRASH_OS_LINUX, .registers = registers,
			.stack = 0x8000, .memory = memory, .more = add_abort,
			.modules = { { 0x400000, 0x5000, "program", program },
				     { 0x700000, 0x5000, "library", library } },
		};
		scene_play(&staged, &scene, POLICY_UNSPOOL);
		struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
		is_str(analysis->findings[0].text, example->text,
		       "the finding says why the process aborted: %s", example->title);
		is_u64(analysis->findings[0].kind, FINDING_ABORT, "the abort is the first finding");
		const char *frame = strstr(example->text, ": frame ");
		is_u64(analysis->blamed_frame, frame != NULL ? strtoul(frame + 8, NULL, 10) : 0,
		       "the frame to blame is the caller that the finding names, or unknown");
		analysis_free(analysis);
		scene_close(&staged);
	}
}

int
main(void)
{
	test_examples();
	return done_testing();
}
