/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evidence in the process for names without a size. The frames are those of Debian's C library on
 * arm, system call numbers the kernel's (arch/arm/tools/syscall.tbl, asm-generic/unistd.h). */
#include "scene.h"

#define LIBC "PUBLIC 1008 0 gsignal\nPUBLIC 1100 0 abort\nPUBLIC 1200 0 __nptl_death_event\n" \
	     "PUBLIC 1300 0 __clock_nanosleep_time64\nPUBLIC 1400 0 __libc_start_main\nPUBLIC 1500 0 poll\n"
#define MODULES { { 0x400000, 0x4000, "app", "PUBLIC 1010 0 _start\nPUBLIC 2000 0 last\n" }, \
		  { 0x700000, 0x4000, "libc.so.6", LIBC } }
/* The auxiliary vector; its entry point 401011 is Thumb code (Linux, uapi/linux/auxvec.h). */
#define VECTOR " 8100=1 8104=8200 8110=6 8114=1000 8118=4 811c=20 8120=9 8124=401011"
#define HALTED(values, words) \
	{ ARCH_ARM, CRASH_OS_LINUX, .registers = values " sp=8000 cpsr=30", .stack = 0x8000, \
	  .memory = words VECTOR, .modules = MODULES, .more = add_signal }

static uint32_t code = 6;

static void
add_signal(struct synth *synth)
{
	static const uint32_t vector[] = { 32, 0x5005e0, 0, 0 };

	synth_exception(synth, 1, code, 0, 0);
	synth_stream(synth, 0x47670008, synth_words32(synth, vector, ARRAY_COUNT(vector)), sizeof(vector));
}

static const struct {
	const char *title;
	uint32_t code;
	struct scene scene;
	const char *names;
} cases[] = {
	{ "the process began at the name's address, and its first call is to the next", 11,
	  HALTED("pc=701442 lr=401029", ""), "__libc_start_main _start" },
	{ "a frame between them might be of another function", 11,
	  HALTED("pc=701442 lr=701505", "8004=401029"), "__libc_start_main? poll? _start" },
	{ "far after the entry point other code begins", 11, HALTED("pc=401100 lr=0", ""), "_start?" },
	{ "a thread in poll, the system call of that number, is in poll()", 11,
	  HALTED("pc=701216 lr=701537 r7=a8", ""), "__nptl_death_event? poll" },
	{ "a thread in another system call than poll's is not in poll()", 11,
	  HALTED("pc=701216 lr=701537 r7=f0", ""), "__nptl_death_event? poll?" },
	{ "a thread in poll's system call is not in poll() if another module called it", 11,
	  HALTED("pc=402016 lr=701537 r7=a8", ""), "last? poll?" },
	{ "a name may have leading underscores and end with _time64",
	  11, HALTED("pc=701216 lr=7013ef r7=109", ""), "__nptl_death_event? __clock_nanosleep_time64" },
	{ "abort raises SIGABRT", 6, HALTED("pc=701216 lr=701015 r7=10c", "8004=7011a3"), "__nptl_death_event? gsignal abort" },
	{ "abort raises no other signal than SIGABRT", 8, HALTED("pc=701216 lr=701015 r7=10c",
	  "8004=7011a3"), "__nptl_death_event? gsignal abort?" },
	{ "poll() of arm64 makes the system call ppoll",
	  11, SCENE(ARM64, LINUX, "pc=701216 x30=701538 sp=8000 x8=49", "", MODULES), "__nptl_death_event? poll" },
	{ "the kernel told the address of its system call, which is in no file", 11, SCENE(X86,
	  LINUX, "eip=5005e9 esp=8000", "", { { 0x500000, 0x1000, "linux-gate.so", NULL } }, .more = add_signal), "__kernel_vsyscall" },
	{ "other code of the kernel's page has no name",
	  11, SCENE(X86, LINUX, "eip=500610 esp=8000", "", { { 0x500000, 0x1000, "linux-gate.so", NULL } }, .more = add_signal), "-" },
};

static void
test_names(const struct scene *scene, enum policy_column column, const char *expected, const char *title)
{
	struct staged staged;
	char names[200] = "";
	struct arena arena = { 0 };

	scene_play(&staged, scene, column);
	for (size_t i = 0; i < staged.walk->count; i++) {
		struct location location;
		const size_t used = strlen(names);

		location_of(staged.walk, staged.walk->frames[i].lookup, &arena, &location);
		const struct text name = location.symbol.function.name;
		snprintf(names + used, sizeof(names) - used, "%s%.*s%s", i > 0 ? " " : "",
			 location.symbol.found ? (int)name.length : 1, location.symbol.found ? name.start : "-",
			 location.symbol.uncertain ? "?" : "");
	}
	is_str(names, expected, "%s", title);
	arena_free(&arena);
	scene_close(&staged);
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		code = cases[i].code;
		test_names(&cases[i].scene, POLICY_UNSPOOL, cases[i].names, cases[i].title);
	}
	test_names(&cases[ARRAY_COUNT(cases) - 2].scene, POLICY_BREAKPAD, "-", "Breakpad has no name for it");
	return done_testing();
}
