/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for locks, from words written as in glibc's struct __pthread_mutex_s (lock, count, owner, nusers, kind; on 32 bits kind
 * before nusers), struct __pthread_rwlock_arch_t (readers, writers, wrphase_futex, writers_futex, ..., cur_writer), struct
 * __pthread_cond_s of glibc 2.36 and 2.41, futex(2), and RTL_CRITICAL_SECTION of Windows. */
#include "analysis/analysis_internal.h"
#include "tests/unit/walk/scene.h"

#define DATA 0x600000u
#define STACKS 0x700000u
#define WAIT 0x80u		/* FUTEX_WAIT, private */
#define WAKE 0x81u
#define BITSET 0x189u
#define LOCK_PI 0x86u
#define LOCK_PI2 0x8du
#define SECTION 0xffu		/* no operation: Windows; the address is in the stack, `expected` added to the pc */

#define HELD 0xfeu		/* the same, but the address is in the first register */
#define ABSENT 0xfdu		/* thread 1 has it: the threads have no registers */
#define ALIEN 0xfcu		/* they are of an unknown processor */

/* Word `at` of the data or of the stacks, by its offset. */
struct written {
	uint32_t at, value;
};

static const struct example {
	const char *title;
	enum arch_id arch;
	struct futex {
		uint32_t address, operation, expected;
	} calls[4];			/* the ids of threads 0 to 3 are 101, 102, 103, 100 */
	struct written words[14];
	const char *waits;		/* "thread>owner kind address cycle"; owner -1: none */
} examples[] = {
	{ "two mutexes in a circle, and a third thread", ARCH_AMD64, { { DATA, WAIT, 2 }, { DATA + 40, WAIT, 2 }, { DATA, WAIT, 2 } }, { {
	  0, 2 }, { 8, 102 }, { 12, 1 }, { 40, 2 }, { 48, 101 }, { 52, 1 } }, "0>1 0 600000 1 1>0 0 600028 1 2>1 0 600000 0 " },
	{ "a circle of three, and one's own recursive lock", ARCH_AMD64, { { DATA, WAIT, 2 }, { DATA + 40, WAIT, 2 }, { DATA + 80, WAIT, 2
	  }, { DATA + 120, WAIT, 2 } }, { { 0, 2 }, { 8, 102 }, { 12, 1 }, { 40, 2 }, { 48, 103 }, { 52, 1 }, { 80, 2 }, { 88, 101 }, { 92,
	  1 }, { 120, 2 }, { 128, 100 }, { 132, 1 }, { 136, 1 } }, "0>1 0 600000 1 1>2 0 600028 1 2>0 0 600050 1 3>3 0 600078 2 " },
	{ "on 32 bits the kind precedes the users", ARCH_X86, { { DATA, WAIT, 2 } },
	  { { 0, 2 }, { 8, 102 }, { 12, 0 }, { 16, 65535 } }, "0>1 0 600000 0 " },
	{ "a robust mutex and one that inherits priorities", ARCH_AMD64, { { DATA, WAIT, 0x80000066 }, { DATA +
	  40, LOCK_PI, 0 } }, { { 0, 0x80000066 }, { 8, 102 }, { 12, 1 }, { 16, 16 }, { 40, 0x80000067 }, { 48,
	  103 }, { 52, 1 }, { 56, 32 } }, "0>1 0 600000 0 1>2 0 600028 0 " },
	{ "a reader and a writer after a writer", ARCH_AMD64, { { DATA + 8, BITSET, 3 }, { DATA + 12, BITSET, 3
	  } }, { { 0, 3 }, { 8, 3 }, { 12, 3 }, { 24, 103 } }, "0>2 1 600000 0 1>2 1 600000 0 " },
	{ "a writer after readers, whom the lock does not name", ARCH_AMD64,
	  { { DATA + 8, BITSET, 3 } }, { { 0, 8 }, { 8, 3 }, { 12, 1 }, { 24, 0 } }, "" },
	{ "a writer that one reader keeps waiting, as glibc 2.36 leaves the words", ARCH_AMD64,
	  { { DATA + 8, BITSET, 2 } }, { { 0, 10 }, { 8, 2 }, { 12, 1 } }, "0>-1 1 600000 0 " },
	{ "a condition for which two threads wait, in its two groups", ARCH_AMD64, { { DATA + 40, BITSET, 0 }, {
	  DATA + 44, BITSET, 0 } }, { { 0, 4 }, { 36, 16 } }, "0>-1 3 600000 0 1>-1 3 600000 0 " },
	{ "a condition of glibc 2.41", ARCH_X86, { { DATA + 32, BITSET, 1 } }, { { 0, 3 }, { 28, 8 }, { 32, 1 } }, "0>-1 3 600000 0 " },
	{ "a condition that counts another number of threads", ARCH_AMD64, { { DATA + 40, BITSET, 0 } }, { { 0, 4 }, { 36, 16 } }, "" },
	{ "a semaphore for which two threads wait", ARCH_AMD64, { { DATA, BITSET, 0 }, { DATA, BITSET, 0 } },
	  { { 4, 2 } }, "0>-1 5 600000 0 1>-1 5 600000 0 " },
	{ "a semaphore of several processes", ARCH_AMD64, { { DATA, BITSET, 0 } }, { { 4, 1 }, { 8, 128 } }, "0>-1 5 600000 0 " },
	{ "a semaphore, and a thread that waits for the word after its value", ARCH_AMD64, { { DATA, BITSET, 0 }, { DATA + 4, BITSET,
	  1 } }, { { 4, 1 } }, "0>-1 5 600000 0 " },
	{ "another word after a count", ARCH_AMD64, { { DATA, BITSET, 0 } }, { { 4, 1 }, { 8, 127 } }, "" },
	{ "a semaphore with a value", ARCH_AMD64, { { DATA, BITSET, 0 } }, { { 0, 1 }, { 4, 1 } }, "" },
	{ "a semaphore at half a word", ARCH_AMD64, { { DATA + 4, BITSET, 0 } }, { { 0, 1 }, { 8, 1 } }, "" },
	{ "a semaphore on 32 bits, whose words are others", ARCH_X86, { { DATA, BITSET, 0 } }, { { 4, 1 } }, "" },
	{ "a semaphore that counts another number of threads", ARCH_AMD64, { { DATA, BITSET, 0 } }, { { 4, 2 } }, "" },
	{ "two critical sections in a circle, and a third thread", ARCH_AMD64, { { DATA, SECTION, 0 }, { DATA +
	  40, SECTION, 0 }, { DATA, SECTION, 0 } }, { { 8, (uint32_t)-2 - 2 * 4 }, { 12, 1 }, { 16, 102 }, { 48,
	  (uint32_t)-2 - 4 }, { 52, 1 }, { 56, 101 } }, "0>1 4 600000 1 1>0 4 600028 1 2>1 4 600000 0 " },
	{ "a critical section of Windows XP, entered twice, on 32 bits", ARCH_X86, { { DATA, SECTION, 0 } },
	  { { 4, 2 }, { 8, 2 }, { 12, 102 } }, "0>1 4 600000 0 " },
	{ "a critical section that counts another number of threads", ARCH_AMD64, { { DATA, SECTION, 0 } },
	  { { 8, (uint32_t)-2 - 2 * 4 }, { 12, 1 }, { 16, 102 } }, "" },
	{ "a critical section that is free", ARCH_AMD64, { { DATA, SECTION, 0 } },
	  { { 8, (uint32_t)-1 - 4 }, { 12, 1 }, { 16, 102 } }, "" },
	{ "the end of a thread, whose id is after its stack", ARCH_AMD64, { { STACKS + 0xf0, BITSET, 103 } }, {
	  { STACKS + 0xf0 - DATA, 103 } }, "0>2 2 7000f0 0 " },
	{ "its own id, and an id below a stack pointer", ARCH_AMD64, { { STACKS + 0xf0, BITSET, 101 }, { STACKS
	  + 0x20, BITSET, 103 } }, { { STACKS + 0xf0 - DATA, 101 }, { STACKS + 0x20 - DATA, 103 } }, "" },
	{ "a rwlock whose last writer left it to readers", ARCH_AMD64,
	  { { DATA + 8, BITSET, 3 } }, { { 0, 8 }, { 8, 3 }, { 24, 103 } }, "" },
	{ "a robust mutex whose owners differ", ARCH_AMD64, { { DATA, WAIT, 0x80000066 } },
	  { { 0, 0x80000066 }, { 8, 103 }, { 12, 1 }, { 16, 16 } }, "" },
	{ "another word that equals an id", ARCH_AMD64, { { DATA, WAIT, 103 } }, { { 0, 103 } }, "" },
	{ "an owner that is no thread", ARCH_AMD64, { { DATA, WAIT, 2 } }, { { 0, 2 }, { 8, 99 }, { 12, 1 } }, "" },
	{ "a mutex without users", ARCH_AMD64, { { DATA, WAIT, 2 } }, { { 0, 2 }, { 8, 102 } }, "" },
	{ "a kind that no mutex has", ARCH_AMD64, { { DATA, WAIT, 2 } }, { { 0, 2 }, { 8, 102 }, { 12, 1 }, { 16, 0x1000 } }, "" },
	{ "a mutex that was unlocked since", ARCH_AMD64, { { DATA, WAIT, 2 } }, { { 0, 0 }, { 8, 102 }, { 12, 1 } }, "" },
	{ "another value than the thread expects", ARCH_AMD64, { { DATA, WAIT, 1 } }, { { 0, 2 }, { 8, 102 }, { 12, 1 } }, "" },
	{ "threads without registers", ARCH_AMD64, { { DATA, WAIT, 2 }, { 0, ABSENT, 0 } }, { { 0, 2 }, { 8, 102 }, { 12, 1 } }, "" },
	{ "threads of an unknown processor", ARCH_AMD64, { { DATA, WAIT, 2 }, { 0, ALIEN, 0 } }, { { 0, 2 }, { 8, 102 }, { 12, 1 } }, "" },
	{ "a condition, and a thread at an address that no futex has", ARCH_AMD64, { { DATA + 40, BITSET, 0 }, { DATA + 42, BITSET, 0 } },
	  { { 0, 4 }, { 36, 8 } }, "0>-1 3 600000 0 " },
	{ "a value that no lock with LOCK_PI has", ARCH_AMD64, { { DATA, LOCK_PI, 2 } }, { { 0, 2 }, { 8, 102 }, { 12, 1 } }, "" },
	{ "a condition, and a thread that waits for the word after it", ARCH_AMD64, { { DATA + 40, BITSET, 0 }, { DATA + 48, BITSET,
	  0 } }, { { 0, 4 }, { 36, 8 } }, "0>-1 3 600000 0 " },
	{ "the most users and the largest kind of a mutex", ARCH_AMD64, { { DATA, WAIT, 2 } },
	  { { 0, 2 }, { 8, 102 }, { 12, 65535 }, { 16, 0x3ff } }, "0>1 0 600000 0 " },
	{ "too many users", ARCH_AMD64, { { DATA, WAIT, 2 } }, { { 0, 2 }, { 8, 102 }, { 12, 65536 } }, "" },
	{ "the smallest kind that no mutex has", ARCH_AMD64, { { DATA, WAIT, 2 } },
	  { { 0, 2 }, { 8, 102 }, { 12, 1 }, { 16, 0x400 } }, "" },
	{ "a lock that inherits priorities, by FUTEX_LOCK_PI2", ARCH_AMD64, { { DATA, LOCK_PI2, 0 } },
	  { { 0, 0x80000066 }, { 8, 102 }, { 12, 1 } }, "0>1 0 600000 0 " },
	{ "the same without waiting threads", ARCH_AMD64, { { DATA, LOCK_PI, 0 } }, { { 0, 0x66 }, { 8, 102 }, { 12, 1 } }, "" },
	{ "an address that no futex has", ARCH_AMD64, { { DATA + 2, WAIT, 2 } }, { { 2, 2 }, { 10, 102 }, { 14, 1 } }, "" },
	{ "a reader and a writer after a writer, on 32 bits", ARCH_X86, { { DATA + 8, BITSET, 3 }, { DATA + 12,
	  BITSET, 3 } }, { { 0, 3 }, { 8, 3 }, { 12, 3 }, { 28, 103 } }, "0>2 1 600000 0 1>2 1 600000 0 " },
	{ "a writer that the most readers keep waiting, on 32 bits", ARCH_X86, { { DATA + 8, BITSET, 2 } },
	  { { 0, 65535 * 8 + 2 }, { 8, 2 }, { 32, 1 } }, "0>-1 1 600000 0 " },
	{ "too many readers", ARCH_AMD64, { { DATA + 8, BITSET, 2 } }, { { 0, 65536 * 8 + 2 }, { 8, 2 } }, "" },
	{ "no reader", ARCH_AMD64, { { DATA + 8, BITSET, 2 } }, { { 0, 2 }, { 8, 2 } }, "" },
	{ "readers in a write phase", ARCH_AMD64, { { DATA + 8, BITSET, 2 } }, { { 0, 11 }, { 8, 2 } }, "" },
	{ "readers and an owner", ARCH_AMD64, { { DATA + 8, BITSET, 2 } }, { { 0, 10 }, { 8, 2 }, { 24, 103 } }, "" },
	{ "a rwlock's word that has changed", ARCH_AMD64, { { DATA + 8, BITSET, 2 } }, { { 0, 3 }, { 8, 3 }, { 24, 103 } }, "" },
	{ "a condition with as many signals as threads", ARCH_AMD64,
	  { { DATA + 40, BITSET, 0 }, { DATA + 40, WAKE, 0 } }, { { 0, 2 }, { 36, 8 } }, "0>-1 3 600000 0 " },
	{ "a condition with fewer", ARCH_AMD64, { { DATA + 40, BITSET, 0 } }, { { 0, 1 }, { 36, 8 } }, "" },
	{ "a thread's id at a stack pointer", ARCH_AMD64, { { STACKS + 0x40, BITSET, 103 } }, { { STACKS + 0x40 - DATA, 103 } }, "" },
	{ "a section of a thread at the end of ntdll, entered most often", ARCH_AMD64, { { DATA, SECTION, 0xfef
	  } }, { { 8, (uint32_t)-2 - 4 }, { 12, 65536 }, { 16, 102 } }, "0>1 4 600000 0 " },
	{ "a section whose address is in a register", ARCH_AMD64, { { DATA, HELD, 0 } },
	  { { 8, (uint32_t)-2 - 4 }, { 12, 1 }, { 16, 102 } }, "0>1 4 600000 0 " },
	{ "a thread after ntdll", ARCH_AMD64, { { DATA, SECTION, 0xff0 } }, { { 8, (uint32_t)-2 - 4 }, { 12, 1 }, { 16, 102 } }, "" },
	{ "a section that was entered too often", ARCH_AMD64, { { DATA, SECTION, 0 } },
	  { { 8, (uint32_t)-2 - 4 }, { 12, 65537 }, { 16, 102 } }, "" },
	{ "a section that was not entered", ARCH_AMD64, { { DATA, SECTION, 0 } }, { { 8, (uint32_t)-2 - 4 }, { 16, 102 } }, "" },
	{ "an owner of 33 bits", ARCH_AMD64, { { DATA, SECTION, 0 } }, { { 8, (uint32_t)-2 - 4 }, { 12, 1 }, { 16, 102 }, { 20, 1 } }, "" },
	{ "a section at half a word", ARCH_AMD64, { { DATA + 4, SECTION, 0 } }, { { 12, (uint32_t)-2 - 4 }, { 16, 1 }, { 20, 102 } }, "" },
	{ "a section for which nothing waits", ARCH_AMD64, { { DATA, SECTION, 0 } }, { { 8, (uint32_t)-2 }, { 12, 1 }, { 16, 102 } }, "" },
	{ "two sections on one stack, and one of them on another stack", ARCH_AMD64, { { DATA, SECTION, 0 }, { DATA + 40, SECTION, 0 } }, {
	  { 8, (uint32_t)-2 - 4 }, { 12, 1 }, { 16, 103 }, { 48, (uint32_t)-2 - 4 }, { 52, 1 }, { 56, 103 } }, "1>2 4 600028 0 " },
	{ "a thread that wakes others", ARCH_AMD64, { { DATA, WAKE, 2 } }, { { 0, 2 }, { 8, 102 }, { 12, 1 } }, "" },
};

static void
test_example(const struct example *example)
{
	uint8_t data[0x100] = { 0 }, stacks[0x100] = { 0 };
	const struct memory_run runs[] = { { DATA, sizeof(data), data, NULL },
					   { STACKS, sizeof(stacks), stacks, NULL } };
	const struct arch *arch = arch_by_id(example->arch);
	const bool wide = arch->word_size == 8;
	const bool windows = example->calls[0].operation >= HELD && example->calls[0].operation <= SECTION;
	const char *const names[] = { wide ? "$rdi" : "$ebx", wide ? "$rsi" : "$ecx", wide ? "$rdx" : "$edx" };
	struct thread threads[4] = { 0 };
	struct module library = { .base = 0x10000, .size = 0x1000, .code_file = "C:\\Windows\\System32\\ntdll.dll" };
	struct crash crash = { .threads = threads, .thread_count = 4, .requesting_thread = -1, .modules = &library, .module_count = 1,
			       .system = { .os = windows ? CRASH_OS_WINDOWS : CRASH_OS_LINUX, .arch = arch } };
	const struct memory_view view = { .crash = &crash, .runs = runs, .count = 2 };
	struct lock_waits waits;
	struct arena arena = { 0 };
	char text[200] = "";

	for (size_t i = 0; i < ARRAY_COUNT(example->words); i++) {
		const struct written *word = &example->words[i];
		const bool stack = word->at >= STACKS - DATA;

		if (word->value != 0)
			reader_put_number(stack ? stacks + (word->at + DATA - STACKS) : data + word->at, 4, false, word->value);
	}
	for (size_t i = 0; i < ARRAY_COUNT(threads); i++) {
		const struct futex *call = &example->calls[i];
		const uint32_t values[] = { call->address, call->operation, call->expected };
		struct registers *registers = &threads[i].context.registers;

		threads[i].id = i < 3 ? 101 + (uint32_t)i : 100;
		threads[i].context.present = example->calls[1].operation != ABSENT;
		threads[i].context.arch = example->calls[1].operation == ALIEN ? NULL : arch;
		for (size_t j = 0; j < 3; j++)
			registers_set(registers, arch_register(arch, text_of(names[j]), ARCH_NAMES_ALIASES), windows ? 0 : values[j]);
		registers_set(registers, arch->sp, STACKS + 0x40);
		registers_set(registers, arch->pc, 0x10010 + (windows ? call->expected : 0));
		if (windows) {
			registers_set(registers, arch->sp, STACKS + 0x40 + 8 * i);
			if (call->operation == HELD)
				registers_set(registers, 0, call->address);
			else
				reader_put_number(stacks + 0x40 + 8 * i, arch->word_size, false, call->address);
		}
	}
	lock_waits_find(&waits, &crash, &view, &arena);
	for (size_t i = 0, used = 0; i < waits.count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%zu>%d %d %x %zu ", waits.items[i].thread,
					 waits.items[i].has_owner ? (int)waits.items[i].owner : -1, (int)waits.items[i].kind,
					 (unsigned)waits.items[i].address, waits.items[i].cycle);
	is_str(text, example->waits, "%s", example->title);
	arena_free(&arena);
}

/* Waits of the threads 0 to 2 for mutexes at DATA, DATA + 40 and DATA + 80. */
static const struct report {
	uint64_t first, operation, expected, second, third;
	uint32_t words[27];
	size_t members;			/* threads that wait in a circle */
	const char *sentence;		/* that of the finding, or NULL without one */
	const char *wait;		/* the wait of thread 0 */
} reports[] = {
	/* Thread 1 owns the mutex that thread 0 waits for; number 2 owns another one that 1 waits for. */
	{ DATA, WAIT, 2, DATA + 40, DATA + 80, { 2, 0, 2, 1, 0, 0, 0, 0, 0, 0, 2, 0, 3, 1, 0, 0, 0, 0, 0, 0, 2, 0, 2, 1 }, 2,
	  "2 threads wait for each other", "thread 0 (id 0x1, 1) waits for the mutex at 0x600000, which thread 1 owns" },
	{ DATA, WAIT, 2, 0, 0, { 2, 0, 1, 1 }, 1, "a thread waits for a lock that it owns itself",
	  "thread 0 (id 0x1, 1) waits for the mutex at 0x600000, which it owns itself" },
	{ DATA + 8, BITSET, 2, 0, 0, { 10, 0, 2, 1 }, 0, NULL, "thread 0 (id 0x1, 1) waits for the rwlock at "
	  "0x600000, which 1 thread holds for reading; it does not store their ids" },
	{ DATA + 8, BITSET, 2, 0, 0, { 18, 0, 2, 1 }, 0, NULL, "thread 0 (id 0x1, 1) waits for the rwlock at "
	  "0x600000, which 2 threads hold for reading; it does not store their ids" },
	{ 0x90f0, BITSET, 2, 0, 0, { 0 }, 0, NULL, "thread 0 (id 0x1, 1) waits for the end of thread 1" },
};
static const struct report *reported;

static void
add_threads(struct synth *synth)
{
	const struct arch *arch = arch_by_id(ARCH_AMD64);
	const uint64_t locks[] = { reported->second, reported->third };
	static const uint8_t stack[0x100] = { [0xf0] = 2 };
	uint64_t registers[ARCH_REGISTERS] = { 0 };

	registers[arch_register(arch, text_of("$rsi"), ARCH_NAMES_ALIASES)] = WAIT;
	registers[arch_register(arch, text_of("$rdx"), ARCH_NAMES_ALIASES)] = 2;
	for (uint32_t i = 0; i < 2; i++) {
		registers[arch_register(arch, text_of("$rdi"), ARCH_NAMES_ALIASES)] = locks[i];
		registers[arch->sp] = 0x9000 + 0x1000 * i;
		synth_thread(synth, 2 + i, registers, 0x9000 + 0x1000 * i, stack, sizeof(stack));
	}
	synth_memory(synth, DATA, synth_words32(synth, reported->words, ARRAY_COUNT(reported->words)), sizeof(reported->words), false);
}

static void
test_report(const struct report *report)
{
	char registers[120];
	const struct scene scene = {
		ARCH_AMD64, CRASH_OS_LINUX, .registers = registers, .stack = 0x8000,
		.modules = { { 0x400000, 0x2000, "a", "FUNC 1000 10 0 f\n" } },
		.more = add_threads };
	struct staged staged;

	snprintf(registers, sizeof(registers), "rip=401000 rsp=8000 rdi=%" PRIx64 " rsi=%" PRIx64
		 " rdx=%" PRIx64, report->first, report->operation, report->expected);
	reported = report;
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, staged.binaries, NULL);
	const struct finding *finding = analysis->findings;
	const bool found = analysis->finding_count == 1 && finding->kind == FINDING_DEADLOCK && finding->confidence == 100;
	size_t at = 0, right = 0;
	is_str(found ? finding->text : NULL, report->sentence, "threads that wait for each other are a finding");
	for (size_t i = 0; found && i < analysis->locks.count; i++)
		if (analysis->locks.items[i].cycle == 1 && at < finding->evidence_count)
			right += strcmp(finding->evidence[at++], analysis->locks.items[i].text) == 0;
	ok(right == report->members && (!found || right == finding->evidence_count),
	   "its evidence are the waits of the threads in the circle");
	is_str(analysis->locks.count > 0 ? analysis->locks.items[0].text : NULL, report->wait,
	       "a wait has its thread, its lock and the owner");
	analysis_free(analysis);
	analysis = analysis_create(&staged.crash, NULL, NULL, NULL);
	is_str(analysis->locks.count > 0 ? analysis->locks.items[0].text : NULL, report->wait, "a wait is found without a walk");
	analysis_free(analysis);
	scene_close(&staged);
}

/* Names ---------------------------------------------------------------------------------------- */

/* A thread of a recorded crash waits for a lock that is written over its variables: struct node has next, name, colour and at[2]
 * at offsets 0, 8, 16 and 20; `list` of frame 0 points to 7ffd3d10b130. The arrays named heap begin at 403040 and 404020. */
static const struct named {
	const char *core;		/* file of tests/batch/locals */
	uint64_t address;
	const char *lock;
	const char *object;		/* evidence about an object there; NULL: none */
} named[] = {
	{ "basic.O2dw4", 0x7ffd3d10b130, " (*list of its frame 0, deepest)", "list->next of frame 0 lies there" },
	{ "basic.O2dw4", 0x7ffd3d10b144, " (*list + 0x14 of its frame 0, deepest)", "list->at[0].x of frame 0 lies there" },
	{ "basic.O2dw4", 0x7ffd3d10b0e0, " (*list->next in struct node, of its frame 0, deepest)",
	  "list->next->next of frame 0 lies there" },
	{ "basic.O2dw4", 0x7ffd3d10b2a8, "", "*argv of frame 2 lies there" },	/* *argv, but a pointer is too small for a lock */
	{ "basic.O2dw4", 0x7ffd3d10b0c0, "", NULL }, { "basic.O2dw4", 0x40401c, " (sink)", "sink of frame 0 lies there" },
	{ "basic.O2dw4", 0x404020, "", NULL }, { "arrays.O0", 0x403040, " (heap[0])", "square[0][0] of frame 0 lies there" },
	{ "arrays.O0", 0x403050, " (heap[4])", "heap[4] of frame 2 lies there" },
	{ "resumed.O2", 0x404000, " (whole)", "*at of frame 0 lies there" },
	{ "resumed.O2", 0x404008, " (whole + 0x8)", "*at of frame 0 lies there" },
	{ "resumed.O2", 0x404050, " (heap[48])", "*at of frame 0 lies there" },
	{ "resumed.O2", 0x404060, " (heap[64])", "*at of frame 0 lies there" },
};

static void
test_named(const struct named *row)
{
	const char *top = getenv("srcdir") != NULL ? getenv("srcdir") : ".";
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	char path[1000], folder[1000], wanted[300];
	const char *const folders[] = { folder };
	struct crash crash;
	struct error error;
	uint8_t *bytes = NULL;

	snprintf(path, sizeof(path), "%s/tests/batch/locals/x86_64.%s.core.gz", top, row->core);
	snprintf(folder, sizeof(folder), "%s/tests/batch/locals/x86_64", top);
	if (dump_open(&crash, path, 0, &error) != ERROR_NONE) {
		skip(1, "the core cannot be read: %s", error.text);
		return;
	}
	struct thread *thread = &crash.threads[0];
	struct registers *registers = (struct registers *)&crash_thread_context(&crash, 0)->registers;
	const struct arch *arch = crash.system.arch;
	registers_set(registers, arch_register(arch, text_of("$rdi"), ARCH_NAMES_ALIASES), row->address);
	registers_set(registers, arch_register(arch, text_of("$rsi"), ARCH_NAMES_ALIASES), WAIT);
	registers_set(registers, arch_register(arch, text_of("$rdx"), ARCH_NAMES_ALIASES), 2);
	const uint32_t words[] = { 2, 0, thread->id, 1, 0 };
	for (size_t i = 0; i < crash.run_count && bytes == NULL; i++) {
		struct memory_run *run = &crash.runs[i];
		if (row->address < run->base || row->address - run->base >= run->size)
			continue;
		bytes = malloc((size_t)run->size);
		memcpy(bytes, run->data, (size_t)run->size);
		for (size_t j = 0; j < ARRAY_COUNT(words); j++)
			reader_put_number(bytes + (row->address - run->base) + 4 * j, 4, false, words[j]);
		run->data = bytes;
	}
	struct symbols *symbols = symbols_create(crash.modules, crash.module_count, NULL, 0);
	struct binaries *binaries = binaries_create(&crash, folders, 1);
	struct walk *walk = walk_create(&crash, symbols, binaries, 0, &policy);
	struct analysis *analysis = analysis_create(&crash, walk, binaries, NULL);
	snprintf(wanted, sizeof(wanted), "thread 0 (id 0x%x, %u) waits for the mutex at 0x%" PRIx64 "%s, which it owns "
		 "itself", thread->id, thread->id, row->address, row->lock);
	is_str(analysis->locks.count > 0 ? analysis->locks.items[0].text : NULL, wanted,
	       "the lock at 0x%" PRIx64 " has the name of its variable", row->address);
	struct finding finding = { .evidence_count = 0 };
	struct explain explain = { .out = analysis, .crash = &crash, .walk = walk };
	memory_view_all(&explain.memory, &crash, &analysis->arena);
	analysis_name_object(&explain, &finding, row->address);
	is_str(finding.evidence_count > 0 ? finding.evidence[0] : NULL, row->object,
	       "the object at 0x%" PRIx64 " is named by its variable", row->address);
	analysis_free(analysis);
	walk_free(walk);
	binaries_free(binaries);
	symbols_free(symbols);
	crash_free(&crash);
	free(bytes);
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(reports); i++)
		test_report(&reports[i]);
	for (size_t i = 0; i < ARRAY_COUNT(examples); i++)
		test_example(&examples[i]);
	for (size_t i = 0; i < ARRAY_COUNT(named); i++)
		test_named(&named[i]);
	return done_testing();
}
