/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The states of threads. Frames are those of real C libraries. Registers after a system call have the kernel's values
 * (arch/x86/entry/entry_64.S), and numbers of system calls are those of its tables (asm-generic/unistd.h). */
#include "analysis/thread_state.h"
#include "code/instruction.h"
#include "tests/unit/walk/scene.h"

#define RULES(from) "STACK CFI INIT " from " 1000 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
#define LIBC "FUNC 1000 100 0 __GI___libc_read\nFUNC 1100 100 0 __futex_abstimed_wait_common\n" \
	     "FUNC 1200 100 0 ___pthread_cond_wait\nFUNC 1300 100 0 memcpy\n" \
	     "FUNC 1400 100 0 std::condition_variable::wait(std::unique_lock<std::mutex>&)\n" \
	     "FUNC 1500 100 0 lll_mutex_lock_optimized\n" RULES("1000")
#define WORK "FUNC 1000 100 0 work(int)\nFUNC 1100 100 0 main\nINLINE_ORIGIN 0 consume\n" \
	    "INLINE_ORIGIN 1 std::condition_variable::wait<f>(f)\n" \
	    "FUNC 1200 100 0 serve\nINLINE 0 7 0 0 1200 100\nINLINE 1 8 0 1 1200 80\n" RULES("1000")
#define MODULES { { 0x400000, 0x4000, "app", WORK }, { 0x700000, 0x4000, "libc.so.6", LIBC } }
#define LINUX(values, words) SCENE(AMD64, LINUX, values " rsp=8000", words, MODULES)

#define RULES32 "STACK CFI INIT 1000 1000 .cfa: $esp 4 + .ra: .cfa -4 + ^\n"
/* On Windows the dump has the code around the pc of each thread. */
static void
add_code(struct synth *synth)
{
	static const uint8_t entered[] = { 0x4c, 0x8b, 0xd1, 0xb8, 4, 0, 0, 0, 0x0f, 0x05, 0xc3 };
	static const uint8_t plain[] = { 0x4c, 0x8b, 0xd1, 0xb8, 4, 0, 0, 0, 0x90, 0x90, 0xc3 };

	synth_memory(synth, 0x701006, entered, sizeof(entered), false);
	synth_memory(synth, 0x701206, plain, sizeof(plain), false);
	synth_memory(synth, 0x70180a, "\xff\xd2\xc3", 3, false);	/* call edx, of 32-bit Windows */
	synth_memory(synth, 0x701910, "\0\0\0\xef\x1e\xff\x2f\xe1", 8, false);	/* svc 0, of ARM */
	synth_memory(synth, 0x701920, "\0\xdf\x70\x47", 4, false);			/* svc 0, of Thumb */
}

#define NTDLL "PUBLIC 1000 0 ZwWaitForSingleObject\nPUBLIC 1200 0 NtDelayExecution\n" RULES("1000")
#define WINDOWS(values, words) SCENE(AMD64, WINDOWS, values " rsp=8000", words, \
	{ { 0x400000, 0x4000, "app.exe", WORK }, { 0x700000, 0x4000, "ntdll.dll", NTDLL } }, .more = add_code)

/* arm64's C library without the names of its own functions. */
#define NAMELESS "PUBLIC 1800 0 pthread_cond_wait\n" \
	     "STACK CFI INIT 1000 1000 .cfa: sp 16 + .ra: .cfa -8 + ^ x30: .cfa -8 + ^\n"
#define NUMBERED(values) SCENE(ARM64, LINUX, values " sp=8000", "8008=701804 8018=401014", { \
	{ 0x400000, 0x4000, "app", "FUNC 1000 100 0 work\nSTACK CFI INIT 1000 1000 .cfa: sp 16 + .ra: 0\n" }, \
	{ 0x700000, 0x4000, "libc.so.6", NAMELESS } })

static const struct {
	const char *title;
	struct scene scene;
	const char *state;
} cases[] = {
	{ "rcx holds the pc: the thread is in the system call of read(), which work() called",
	  LINUX("rip=701010 rcx=701010", "8000=401014"), "waiting to read, work(int) 1.0" },
	{ "if all functions wait, none of them is the program's", LINUX("rip=701010 rcx=701010", "8000=0"), "waiting to read, - 1.0" },
	{ "the outermost of several waiting functions gives the reason", LINUX("rip=701110 rcx=701110",
	  "8000=701210 8008=401014"), "waiting for a condition variable, work(int) 2.0, by 1.0" },
	{ "a library's function that is in no table is not the program's", LINUX("rip=701110 rcx=701110",
	  "8000=701210 8008=701310 8010=401014"), "waiting for a condition variable, work(int) 3.0, by 1.0" },
	{ "the inlined function of pthread_mutex_lock waits for a lock", LINUX("rip=701110 rcx=701110",
	  "8000=701510 8008=401014"), "waiting for a lock, work(int) 2.0, by 1.0" },
	{ "FUTEX_WAIT_BITSET with both flags waits", LINUX("rip=701110 rcx=701110 rsi=189",
	  "8000=701210 8008=401014"), "waiting for a condition variable, work(int) 2.0, by 1.0" },
	{ "functions of the standard library belong to the wait, inlined ones as well", LINUX("rip=701110 rcx=701110",
	  "8000=701210 8008=701410 8010=401214"), "waiting for a condition variable, consume 3.1, by 3.0" },
	{ "rcx does not hold the pc: the thread runs, regardless of the function's name",
	  LINUX("rip=701010 rcx=5", "8000=401014"), "running, __GI___libc_read 0.0" },
	{ "a function that does not wait may be in a system call",
	  LINUX("rip=701310 rcx=701310", "8000=401014"), "in a system call, memcpy 0.0" },
	{ "functions that wake another thread are not the program's, inlined ones as well", SCENE(AMD64, LINUX,
	  "rip=701010 rcx=701010 rsp=8000 rsi=81", "8000=701110 8008=401214", { { 0x400000, 0x4000, "app", WORK }, {
	  0x700000, 0x4000, "libc.so.6", "FUNC 1000 100 0 __GI___lll_lock_wake\nFUNC 1100 100 0 "
	  "__GI___pthread_mutex_unlock_usercnt\n" RULES("1000") } }), "in a system call, consume 2.1" },
	{ "a program's function that runs is running", LINUX("rip=401010 rcx=0", "8000=401114"), "running, work(int) 0.0" },
	{ "without rcx names alone make a guess", SCENE(AMD64, MAC, "rip=701010 rcx=5 rsp=8000", "8000=401014", MODULES),
	  "waiting to read?, work(int) 1.0" },
	{ "so do they for what runs", SCENE(AMD64, MAC, "rip=401010 rcx=5 rsp=8000", "8000=401114", MODULES), "running?, work(int) 0.0" },
	{ "the instruction before the pc is a system call, and Zw names are Nt names",
	  WINDOWS("rip=701010", "8000=401014"), "waiting for a kernel object, work(int) 1.0" },
	{ "at the instruction of a system call, which may be repeated, names make a guess",
	  WINDOWS("rip=70100e", "8000=401014"), "waiting for a kernel object?, work(int) 1.0" },
	{ "an unnamed function outside the library of the system call belongs to the program", SCENE(AMD64, LINUX, "rip=701010 rcx=701010 "
	  "rsp=8000", "8000=901014 8008=401014", { { 0x400000, 0x4000, "app", WORK }, { 0x700000, 0x4000, "libc.so.6", LIBC }, { 0x900000,
	  0x4000, "plugin.so", RULES("1000") } }), "waiting to read,  1.0" },
	{ "unnamed callers of a system call belong to the library", SCENE(AMD64, LINUX, "rip=702010 rcx=702010 rsp=8000",
	  "8000=702014 8008=702018 8010=70201c 8018=702020 8020=702024 8028=702028 8030=701010 8038=401014", { { 0x400000, 0x4000, "app",
	  WORK }, { 0x700000, 0x4000, "libc.so.6", "FUNC 1000 100 0 __GI___libc_read\n" RULES("1000") RULES( "2000") } }),
	  "waiting to read, work(int) 8.0, by 7.0" },
	{ "and eight are too many", SCENE(AMD64, LINUX, "rip=702010 rcx=702010 rsp=8000", "8000=702014 8008=702018 8010=70201c "
	  "8018=702020 8020=702024 8028=702028 8030=70202c 8038=701010 8040=401014", { { 0x400000, 0x4000, "app", WORK }, { 0x700000,
	  0x4000, "libc.so.6", "FUNC 1000 100 0 __GI___libc_read\n" RULES("1000") RULES("2000") } }), "in a system call, work(int) 9.0" },
	{ "on 32-bit Windows the instruction before the pc is a call", SCENE(X86, WINDOWS, "eip=70180c esp=8000", "8000=401014",
	  { { 0x400000, 0x4000, "app.exe", "FUNC 1000 100 0 work\n" RULES32 }, { 0x700000, 0x4000, "ntdll.dll",
	  "PUBLIC 1800 0 ZwDelayExecution\n" RULES32 } }, .more = add_code), "waiting for a time to pass, work 1.0" },
	{ "a system call of ARM has four bytes", SCENE(ARM, LINUX, "pc=701914 sp=8000 r7=5", "8004=401014", { { 0x400000, 0x4000,
	  "app", "FUNC 1000 100 0 work\n" }, { 0x700000, 0x4000, "libc.so.6", "FUNC 1900 100 0 read\nSTACK CFI INIT 1900 100 "
	  ".cfa: sp 8 + .ra: .cfa -4 + ^\n" } }, .more = add_code), "waiting to read, work 1.0" },
	{ "a system call of Thumb has two bytes", SCENE(ARM, LINUX, "pc=701922 sp=8000 r7=3 cpsr=20", "8004=401014", { { 0x400000,
	  0x4000, "app", "FUNC 1000 100 0 work\n" }, { 0x700000, 0x4000, "libc.so.6", "FUNC 1900 100 0 read\nSTACK CFI INIT 1900 100 "
	  ".cfa: sp 8 + .ra: .cfa -4 + ^\n" } }, .more = add_code), "waiting to read, work 1.0" },
	{ "it is none", WINDOWS("rip=701210", "8000=401014"), "running, NtDelayExecution 0.0" },
	{ "the number of the system call is in its register; a frame without a name is the library's", NUMBERED(
	  "pc=701020 x8=62"), "waiting for a condition variable, work 2.0, by 1.0" },
	{ "another number leaves the name a guess", NUMBERED("pc=701020 x8=63"), "waiting for a condition variable?, work 2.0, by 1.0" },
	{ "without a function name the state is unknown; the first named frame is shown", SCENE(ARM64, LINUX, "pc=701020 x8=62 sp=8000",
	  "8008=401014", { { 0x400000, 0x4000, "app", "FUNC 1000 100 0 work\nSTACK CFI INIT 1000 1000 .cfa: sp 16 + .ra: 0\n" }, {
	  0x700000, 0x4000, "libc.so.6", "STACK CFI INIT 1000 1000 .cfa: sp 16 + .ra: .cfa -8 + ^\n" } }), "unknown, work 1.0" },
	{ "without any name the innermost frame is shown", { ARCH_ARM64, CRASH_OS_LINUX, .registers = "pc=701020 sp=8000", .stack = 0x8000,
	  .modules = { { 0x700000, 0x4000, "libc.so.6", "" } } }, "unknown,  0.0" },
};

static uint64_t kernel_page;	/* address of the kernel's page with its own code; 0: unknown */

static void
test_state(const struct scene *scene, const char *expected, const char *title)
{
	struct staged staged;
	char text[200];
	struct arena arena;

	scene_play(&staged, scene, POLICY_UNSPOOL);
	arena_init(&arena, 0);
	staged.crash.system_call = kernel_page;
	const struct thread_state state = thread_state_of(&staged.crash, 0, staged.walk);
	struct location location = { 0 };
	if (state.frame < staged.walk->count)
		location_of(staged.walk, staged.walk->frames[state.frame].lookup, &arena, &location);
	const struct text name = state.call < location.call_count ? location.calls[state.call].name : text_of("-");
	/* The outermost call that waits, unless it is that of frame 0. */
	const int length = snprintf(text, sizeof(text), "%s, %.*s %zu.%zu", thread_state_text(&state, &arena),
				    (int)name.length, name.start, state.frame, state.call);
	if (state.waits_frame + state.waits_call > 0)
		snprintf(text + length, sizeof(text) - (size_t)length, ", by %zu.%zu", state.waits_frame, state.waits_call);
	is_str(text, expected, "%s", title);
	/* A certain state has a reason, a guessed one has none. */
	const bool runs = state.kind == THREAD_STATE_RUNNING;
	if (thread_state_tells(&state))
		is_str(state.evidence, !state.certain ? NULL : kernel_page != 0 ? "its pc is in the kernel's own code"
		       : scene->arch == ARCH_ARM64 ? "the register for system call numbers still has the number of such a call"
		       : scene->arch == ARCH_AMD64 && scene->os == CRASH_OS_LINUX
		       ? (runs ? "no register holds the pc, as one does after a system call"
			       : "a register holds the pc, as after a system call")
		       : runs ? "the instruction before its pc is not a system call"
		       : scene->arch == ARCH_X86 ? "the instruction before its pc is a system call, or calls the code that makes it"
						 : "the instruction before its pc is a system call", "%s: a certain state has evidence", title);
	arena_free(&arena);
	scene_close(&staged);
}

/* 32-bit system calls lead through the kernel's page, whose caller is in the C library. */
static void
test_kernel_page(void)
{
	struct scene scene = {
		ARCH_X86, CRASH_OS_LINUX, .registers = "eip=601010 esp=8000", .stack = 0x8000,
		.modules = { { 0x400000, 0x4000, "app", "FUNC 1000 100 0 work\n" RULES32 },
			     { 0x600000, 0x4000, "linux-gate.so", "FUNC 1000 20 0 __kernel_vsyscall\n" RULES32 },
			     { 0x700000, 0x4000, "libc.so.6", "FUNC 1000 100 0 __libc_read\n" RULES32 } } };

	for (kernel_page = 0; kernel_page <= 0x601000; kernel_page += 0x601000) {
		scene.memory = "8000=701014 8004=401014";
		test_state(&scene, kernel_page != 0 ? "waiting to read, work 2.0, by 1.0" : "waiting to read?, work 2.0, by 1.0",
			   "only the known page of the kernel makes a system call certain");
		scene.memory = "8000=701814 8004=701014 8008=401014";
		test_state(&scene, kernel_page != 0 ? "waiting to read, work 3.0, by 2.0" : "running?, __kernel_vsyscall 0.0",
			   "a function without a name that calls the kernel's page is the library's");
	}
	kernel_page = 0;
}

/* Function names as C libraries and compilers write them, of functions in a system call: rcx holds
 * the pc. NULL: a thread in this function does not wait. */
static const struct {
	enum crash_os os;
	const char *name, *state;
} names[] = {
	/* glibc: sysdeps/unix/sysv/linux */
	{ CRASH_OS_LINUX, "read", "waiting: read" }, { CRASH_OS_LINUX, "__libc_pread64", "waiting: read" },
	{ CRASH_OS_LINUX, "__pwrite64_nocancel", "waiting: write" }, { CRASH_OS_LINUX, "__GI___writev", "waiting: write" },
	{ CRASH_OS_LINUX, "__poll", "waiting: poll" }, { CRASH_OS_LINUX, "__select64", "waiting: poll" },
	{ CRASH_OS_LINUX, "epoll_wait", "waiting: poll" }, { CRASH_OS_LINUX, "epoll_wait_extra", "waiting: poll" },
	{ CRASH_OS_LINUX, "epoll_waits", NULL }, { CRASH_OS_LINUX, "__clock_nanosleep_time64", "waiting: sleep" },
	{ CRASH_OS_LINUX, "__GI___clock_nanosleep64", "waiting: sleep" },
	{ CRASH_OS_LINUX, "__pthread_cond_timedwait64", "waiting: condition" },
	{ CRASH_OS_LINUX, "__new_sem_wait_slow64.constprop.0", "waiting: semaphore" },
	{ CRASH_OS_LINUX, "__pthread_clockjoin_ex", "waiting: join" }, { CRASH_OS_LINUX, "__lll_lock_wait", "waiting: lock" },
	{ CRASH_OS_LINUX, "__accept_cancel", "waiting: accept" }, { CRASH_OS_LINUX, "__libc_recvfrom@@GLIBC_2.2.5", "waiting: receive" },
	{ CRASH_OS_LINUX, "rea", NULL }, { CRASH_OS_LINUX, "reads", NULL }, { CRASH_OS_LINUX, "memcpy", NULL },
	{ CRASH_OS_LINUX, "raise", NULL },
	/* libstdc++ and libc++ */
	{ CRASH_OS_LINUX, "std::thread::join()", "waiting: join" },
	{ CRASH_OS_LINUX, "void std::this_thread::sleep_for<long, std::ratio<1, 1> >(int)", "waiting: sleep" },
	{ CRASH_OS_LINUX, "std::__1::mutex::lock()", "waiting: lock" },
	/* Names of Windows functions count only on Windows, with either prefix. */
	{ CRASH_OS_LINUX, "NtDelayExecution", NULL }, { CRASH_OS_LINUX, "ZwDelayExecution", NULL },
	{ CRASH_OS_WINDOWS, "_NtDelayExecution@8", "waiting: sleep?" }, { CRASH_OS_WINDOWS, "ZwDelayExecution", "waiting: sleep?" },
	{ CRASH_OS_WINDOWS, "ZwDelayExecutio", "running?" },
};

static void
test_names(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		char symbols[300];
		const struct scene scene = {
			ARCH_AMD64,
			names[i].os,
			.registers = "rip=701010 rcx=701010 rsp=8000",
			.stack = 0x8000,
			.memory = "8000=401014",
			.modules = { { 0x400000, 0x4000, "app", WORK },
				     { 0x700000, 0x4000, "libc.so.6", symbols } },
		};
		struct staged staged;

		snprintf(symbols, sizeof(symbols), "FUNC 1000 100 0 %s\n" RULES("1000"), names[i].name);
		scene_play(&staged, &scene, POLICY_UNSPOOL);
		const struct thread_state state = thread_state_of(&staged.crash, 0, staged.walk);
		is_str(thread_state_short(&state).text, names[i].state != NULL ? names[i].state : "in a system call",
		       "the state of a thread in %s is right", names[i].name);
		scene_close(&staged);
	}
}

/* Operations of futex(2), by linux/futex.h, with FUTEX_PRIVATE_FLAG. */
static void
test_futexes(void)
{
	static const uint8_t waits[] = { 0, 6, 9, 11, 13 }, wakes[] = { 1, 3, 4, 5, 7, 10 };
	struct scene scene = LINUX("rip=701110", "8000=701210 8008=401014");
	char registers[80];

	scene.registers = registers;
	for (unsigned i = 0; i < ARRAY_COUNT(waits) + ARRAY_COUNT(wakes); i++) {
		const bool wait = i < ARRAY_COUNT(waits);
		const unsigned operation = wait ? waits[i] : wakes[i - ARRAY_COUNT(waits)];

		snprintf(registers, sizeof(registers), "rip=701110 rcx=701110 rsp=8000 rsi=%x", operation | 0x80);
		test_state(&scene, wait ? "waiting for a condition variable, work(int) 2.0, by 1.0"
					: "in a system call, work(int) 2.0", "an operation of futex waits or wakes");
	}
}

/* The numbers by which lists are sorted: important states first, then the wait, then its certainty. */
static void
test_ranks(void)
{
	static const struct thread_state states[] = {
		{ .kind = THREAD_STATE_CRASHED, .wait = THREAD_WAIT_NONE, .certain = true },
		{ .kind = THREAD_STATE_RUNNING, .wait = THREAD_WAIT_NONE, .certain = true },
		{ .kind = THREAD_STATE_RUNNING, .wait = THREAD_WAIT_NONE, .certain = false },
		{ .kind = THREAD_STATE_WAITING, .wait = THREAD_WAIT_LOCK, .certain = true },
		{ .kind = THREAD_STATE_WAITING, .wait = THREAD_WAIT_LOCK, .certain = false },
		{ .kind = THREAD_STATE_WAITING, .wait = THREAD_WAIT_FUTEX, .certain = true },
		{ .kind = THREAD_STATE_WAITING, .wait = THREAD_WAIT_READ, .certain = true },
		{ .kind = THREAD_STATE_NOT_WALKED, .wait = THREAD_WAIT_NONE, .certain = false },
		{ .kind = THREAD_STATE_WROTE_DUMP, .wait = THREAD_WAIT_NONE, .certain = false },
	};
	static const struct {
		const char *text, *brief;
		bool tells;
	} words[] = {
		{ "crashed", "crashed", false }, { "running", "running", true }, { "running?", "running?", true },
		{ "waiting for a lock", "waiting: lock", true }, { "waiting for a lock?", "waiting: lock?", true },
		{ "waiting in a futex", "waiting: futex", true }, { "waiting to read", "waiting: read", true },
		{ "not walked", "not walked", false }, { "wrote the dump", "wrote the dump", false },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(states); i++) {
		ok(i == 0 || thread_state_rank(&states[i - 1]) < thread_state_rank(&states[i]),
		   "%s comes after more urgent states", words[i].text);
		is_str(thread_state_text(&states[i], &arena), words[i].text, "%s: the sentence is right", words[i].text);
		is_str(thread_state_short(&states[i]).text, words[i].brief, "%s: the short form is right", words[i].text);
		is_u64(thread_state_tells(&states[i]), words[i].tells, "%s: the state comes from the frames, or not", words[i].text);
	}
	arena_free(&arena);
}

static void
add_crash(struct synth *synth)
{
	synth_exception(synth, 1, 11, 0, 0);
}

static void
test_others(void)
{
	struct scene scene = LINUX("rip=701010 rcx=701010", "8000=401014");
	struct staged staged;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	is_u64(thread_state_of(&staged.crash, 0, NULL).kind, THREAD_STATE_NOT_WALKED, "a thread without a walk is not walked");
	staged.crash.threads[0].wrote_dump = true;
	is_u64(thread_state_of(&staged.crash, 0, NULL).kind, THREAD_STATE_WROTE_DUMP, "the thread that wrote the dump is marked");
	scene_close(&staged);
	scene.more = add_crash;
	test_state(&scene, "crashed, __GI___libc_read 0.0", "the crashed thread crashed");
}

int
main(void)
{
	const bool decoded = instruction_unsupported(arch_by_id(ARCH_AMD64)) == NULL;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		if (decoded || cases[i].scene.os != CRASH_OS_WINDOWS)
			test_state(&cases[i].scene, cases[i].state, cases[i].title);
	test_kernel_page();
	test_names();
	test_futexes();
	test_ranks();
	test_others();
	return done_testing();
}
