/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words that a walk takes for the bottom of a stack, and the bytes that prove it. From the stack pointer up the kernel leaves
 * (System V ABI of amd64, 3.4.1): the number of arguments, pointers to them, 0, pointers to the environment, 0, and the auxiliary
 * vector: pairs of a type (linux/auxvec.h) and a value, up to AT_NULL. glibc leaves a thread descriptor (nptl/descr.h). */
#include "tests/unit/walk/scene.h"
#include "walk/bottom.h"

/* AT_PHDR, AT_PHENT, AT_PAGESZ and AT_ENTRY; from 80a0 to 80ef with AT_NULL. */
#define PHDR "80a0=3 80a8=400040 "
#define PHENT "80b0=4 80b8=38 "
#define PAGESZ "80c0=6 80c8=1000 "
#define ENTRY "80d0=9 80d8=401000 "
#define VECTOR PHDR PHENT PAGESZ ENTRY
/* The same entries in 32 bits: from 8050 to 8077. */
#define NARROW "8050=3 8054=400034 8058=4 805c=20 8060=6 8064=1000 8068=9 806c=401000 "
#define NONE BOTTOM_UNKNOWN, 0, 0, 0

static const struct {
	const char *title;
	enum arch_id arch;
	const char *memory;
	uint64_t sp;
	unsigned kind;
	uint64_t address;
	uint64_t first, end;		/* the bytes that prove it */
} cases[] = {
	{ "arguments without an environment are found", ARCH_AMD64,
	  "8080=1 8088=8200 " VECTOR, 0x8000, BOTTOM_ARGUMENTS, 0x8080, 0x8080, 0x80f0 },
	{ "arguments with two variables are found",
	  ARCH_AMD64, "8070=1 8078=8200 8088=8210 8090=8220 " VECTOR, 0x8000, BOTTOM_ARGUMENTS, 0x8070, 0x8070, 0x80f0 },
	{ "a stack pointer within a word", ARCH_AMD64, "8080=1 8088=8200 " VECTOR, 0x8083, BOTTOM_ARGUMENTS, 0x8080, 0x8080, 0x80f0 },
	{ "a word that is no number of arguments", ARCH_AMD64, "8088=8200 " VECTOR, 0x8000, BOTTOM_ARGUMENTS, 0x8098, 0x8080, 0x80f0 },
	{ "arguments that begin below the stack pointer",
	  ARCH_AMD64, "8088=8200 " VECTOR, 0x8088, BOTTOM_ARGUMENTS, 0x8098, 0x8088, 0x80f0 },
	{ "an environment that does", ARCH_AMD64, "8088=8200 8090=8210 " VECTOR, 0x8088, BOTTOM_ARGUMENTS, 0x8098, 0x8088, 0x80f0 },
	{ "a vector without a 0 below it", ARCH_AMD64, "8098=5 " VECTOR, 0x8000, BOTTOM_ARGUMENTS, 0x80a0, 0x8098, 0x80f0 },
	{ "a vector at the stack pointer", ARCH_AMD64, VECTOR, 0x80a0, BOTTOM_ARGUMENTS, 0x80a0, 0x80a0, 0x80f0 },
	{ "pages of 64 KiB", ARCH_AMD64, PHDR PHENT "80c0=6 80c8=10000 " ENTRY, 0x8098, BOTTOM_ARGUMENTS, 0x8098, 0x8098, 0x80f0 },
	{ "a page is at least 4 KiB large", ARCH_AMD64, PHDR PHENT "80c0=6 80c8=800 " ENTRY, 0x8098, NONE },
	{ "a page is a power of two large", ARCH_AMD64, PHDR PHENT "80c0=6 80c8=1800 " ENTRY, 0x8098, NONE },
	{ "a program header of 64 bits has 56 bytes", ARCH_AMD64, PHDR "80b0=4 80b8=20 " PAGESZ ENTRY, 0x8098, NONE },
	{ "a vector has its size", ARCH_AMD64, PHDR "80b0=5 80b8=38 " PAGESZ ENTRY, 0x8098, NONE },
	{ "a vector has the entry point", ARCH_AMD64, PHDR PHENT PAGESZ "80d0=8 80d8=401000 ", 0x8098, NONE },
	{ "the entry point of a vector is in a module", ARCH_AMD64, PHDR PHENT PAGESZ "80d0=9 80d8=901000 ", 0x8098, NONE },
	{ "types up to 63", ARCH_AMD64, VECTOR "80e0=3f 80e8=1 ", 0x8098, BOTTOM_ARGUMENTS, 0x8098, 0x8098, 0x8100 },
	{ "64 ends the vector, but not as AT_NULL does", ARCH_AMD64, VECTOR "80e0=40 80e8=1 ", 0x8098, NONE },
	{ "entries of one vector do not belong to another one",
	  ARCH_AMD64, PHDR PHENT PAGESZ "80f0=9 80f8=401000 8100=6 8108=1000 ", 0x8098, NONE },
	{ "the lower of two vectors is used if the upper one is invalid", ARCH_AMD64,
	  VECTOR "8100=6 8108=1000 ", 0x8098, BOTTOM_ARGUMENTS, 0x8098, 0x8098, 0x80f0 },
	{ "words of 32 bits", ARCH_X86, "8040=1 8044=8200 " NARROW, 0x8000, BOTTOM_ARGUMENTS, 0x8040, 0x8040, 0x8078 },
	{ "a program header of 32 bits has 32 bytes", ARCH_X86, "8058=4 805c=38 8060=6 8064=1000 8068=9 806c=401000 ", 0x8050, NONE },
	{ "a thread's block points to itself twice", ARCH_AMD64,
	  "8040=8040 8048=99 8050=8040 ", 0x8000, BOTTOM_THREAD, 0x8040, 0x8040, 0x8058 },
	{ "a thread's block is at a multiple of 16", ARCH_AMD64, "8048=8048 8050=99 8058=8048 ", 0x8000, NONE },
	{ "a thread's block has a thread vector between its pointers", ARCH_AMD64, "8040=8040 8050=8040 ", 0x8000, NONE },
	{ "the thread vector of a thread's block is not the block", ARCH_AMD64, "8040=8040 8048=8040 8050=8040 ", 0x8000, NONE },
	{ "a thread's block may reach to the end of the stack", ARCH_AMD64,
	  "8fe0=8fe0 8fe8=99 8ff0=8fe0 ", 0x8000, BOTTOM_THREAD, 0x8fe0, 0x8fe0, 0x8ff8 },
	{ "a thread's block does not reach beyond the stack", ARCH_AMD64, "8ff0=8ff0 8ff8=99 ", 0x8000, NONE },
	{ "other processors have no such block", ARCH_ARM64, "8040=8040 8048=99 8050=8040 ", 0x8000, NONE },
	{ "x86 has one of 32-bit words", ARCH_X86, "8040=8040 8044=99 8048=8040 ", 0x8000, BOTTOM_THREAD, 0x8040, 0x8040, 0x804c },
	{ "a stack's block has its size and the size of its guard", ARCH_ARM64,
	  "8040=7000 8048=5000 8050=1000 ", 0x8000, BOTTOM_THREAD, 0x8040, 0x8040, 0x8058 },
	{ "a stack's block is in the stack that it describes", ARCH_ARM64, "8040=3000 8048=5000 8050=1000 ", 0x8000, NONE },
	{ "a stack's block is near the end of the stack", ARCH_ARM64, "8040=7000 8048=6000 8050=1000 ", 0x8000, NONE },
	{ "less than four pages below the block are not enough", ARCH_ARM64, "8000=7000 8008=5000 8010=1000 ", 0x8000, NONE },
	{ "four pages and one word below the block are enough", ARCH_ARM64,
	  "8008=7000 8010=5000 8018=1000 ", 0x8000, BOTTOM_THREAD, 0x8008, 0x8008, 0x8020 },
	{ "a guard is in the stack's memory", ARCH_ARM64, "8040=7000 8048=5000 8050=2000 ", 0x8000, NONE },
	{ "a stack is larger than its block", ARCH_ARM64, "8040=4000 8048=4000 8050=4000 ", 0x8000, NONE },
	{ "a stack's block may have no guard", ARCH_ARM64, "8040=7000 8048=5000 ", 0x8000, BOTTOM_THREAD, 0x8040, 0x8040, 0x8058 },
	{ "the address of a stack's block has whole pages", ARCH_ARM64, "8040=7008 8048=5000 8050=0 ", 0x8000, NONE },
	{ "the size of a stack's block has whole pages", ARCH_ARM64, "8040=7000 8048=4ff8 8050=0 ", 0x8000, NONE },
	{ "the guard of a stack's block has whole pages", ARCH_ARM64, "8040=7000 8048=5000 8050=8 ", 0x8000, NONE },
	{ "all three words of a stack's block are in the stack", ARCH_ARM64,
	  "8fe8=6000 8ff0=4000 8ff8=1000 ", 0x8000, BOTTOM_THREAD, 0x8fe8, 0x8fe8, 0x9000 },
	{ "two are too few", ARCH_ARM64, "8ff0=6000 8ff8=4000 ", 0x8000, NONE },
	{ "a stack pointer in no memory", ARCH_AMD64, "8080=1 8088=8200 " VECTOR, 0x7000, NONE },
};

/* The bytes on which a search rests: a copy of the dump must have them. */
struct noted {
	struct memory_log log;
	uint64_t first, end;
};

static void
note_bytes(struct memory_log *log, uint64_t address, uint64_t size, enum memory_use use)
{
	struct noted *noted = (struct noted *)log;

	if (use != MEMORY_READ)
		return;
	noted->first = noted->end == 0 || address < noted->first ? address : noted->first;
	noted->end = address + size > noted->end ? address + size : noted->end;
}

static void
find(const struct scene *scene, uint64_t sp, bool big_endian, struct stack_bottom *bottom, struct noted *noted)
{
	const struct policy policy = policy_column(POLICY_BREAKPAD);
	struct memory_view memory;
	struct staged staged;

	scene_open_ordered(&staged, scene, big_endian);
	struct walk *walk = walk_create(&staged.crash, NULL, NULL, 0, &policy);
	*noted = (struct noted){ .log = { note_bytes } };
	memory = walk->memory;
	memory.log = &noted->log;
	stack_bottom_find(bottom, walk->arch, &memory, &walk->modules, sp);
	walk_free(walk);
	scene_close(&staged);
}

TEST_EACH(cases, cases)
{
	const struct scene scene = {
		cases[i].arch, CRASH_OS_LINUX,
		.registers = cases[i].arch == ARCH_AMD64 ? "rip=402170 rsp=8000"
			     : cases[i].arch == ARCH_X86 ? "eip=402170 esp=8000"
							  : "pc=402170 sp=8000",
		.stack = 0x8000, .memory = cases[i].memory,
		.modules = { { 0x400000, 0x4000, "app", NULL } },
	};

	for (unsigned order = 0; order < 2; order++) {
		struct stack_bottom bottom;
		struct noted noted;

		find(&scene, cases[i].sp, order != 0, &bottom, &noted);
		ok(bottom.kind == cases[i].kind && bottom.address == cases[i].address &&
			   bottom.entry == (cases[i].kind == BOTTOM_ARGUMENTS ? 0x401000 : 0),
		   "%s, %s-endian", cases[i].title, order != 0 ? "big" : "little");
		if (bottom.address != cases[i].address)
			tap_diag("at %llx", (unsigned long long)bottom.address);
		ok(noted.first == cases[i].first && noted.end == cases[i].end, "the bottom was found by bytes %llx to %llx",
		   (unsigned long long)noted.first, (unsigned long long)noted.end);
	}
}

/* A vector may have 64 pairs before its page size; the kernel's has fewer than 64 in all. */
TEST(most_pairs)
{
	for (unsigned pairs = 63; pairs <= 65; pairs++) {
		char memory[4000];
		size_t used = 0;
		const unsigned start = 0x80c0 - 16 * pairs;

		for (unsigned i = 0; i < pairs; i++)
			used += (size_t)snprintf(memory + used, sizeof(memory) - used,
						 "%x=%x %x=38 ", start + 16 * i, i % 2 == 0 ? 3 : 4, start + 16 * i + 8);
		snprintf(memory + used, sizeof(memory) - used, PAGESZ ENTRY);
		const struct scene scene = {
			ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=402170 rsp=7000",
			.stack = 0x7000, .stack_size = 0x2000, .memory = memory,
			.modules = { { 0x400000, 0x4000, "app", NULL } },
		};
		struct stack_bottom bottom;
		struct noted noted;

		find(&scene, start - 8, false, &bottom, &noted);
		ok(bottom.kind == BOTTOM_ARGUMENTS && bottom.address == (pairs <= 64 ? start - 8 : start + 16),
		   "%u pairs below the page size %s", pairs,
		   pairs <= 64 ? "are all of the vector" : "are more than any vector has");
	}
}
