/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap of glibc, from bytes written as in malloc.c of 2.36: struct malloc_state (mutex, flags,
 * have_fastchunks, fastbinsY, top, last_remainder, bins, binmap, next), tcache_perthread_struct
 * with 16-bit counters, chunks (mchunk_prev_size, mchunk_size, fd, bk), PROTECT_PTR. */
#include "inspect/heap_find.h"
#include "report/memory/identify.h"
#include "tests/unit/walk/scene.h"

#define DATA UINT64_C(0x77001000)	/* the library's writable page */
#define ARENA (DATA + 0x40)
#define HEAP UINT64_C(0x55000000)
#define MAPPED UINT64_C(0x66000000)
#define REGION UINT64_C(0x68000000)	/* a multiple of 64 MiB */
#define KEY UINT64_C(0x1122334455667788)

struct process {
	uint8_t data[0x1000], before[0x40], heap[0x1000], mapped[0x3000], region[0x1000];
	struct memory_run runs[4];
	struct crash crash;
	struct memory_view view;
	unsigned word;
	uint64_t bins, at[8];		/* the bins, the chunks in their order */
	uint64_t other;			/* the chunk of the other arena */
	struct arena arena;
	struct heap read;
};

static void
put(struct process *process, uint64_t address, uint64_t value)
{
	for (size_t i = 0; i < ARRAY_COUNT(process->runs); i++) {
		const struct memory_run *run = &process->runs[i];
		if (address >= run->base && address - run->base < run->size)
			reader_put_number((uint8_t *)(uintptr_t)run->data + (address - run->base), process->word, false, value);
	}
}

static uint64_t
bin(const struct process *process, unsigned i)
{
	return process->bins + (uint64_t)i * 2 * process->word - 4 * process->word;
}

/* The links of a chunk or of a bin. */
static void
put_links(struct process *process, uint64_t chunk, uint64_t next, uint64_t previous)
{
	put(process, chunk + 2 * process->word, next);
	put(process, chunk + 3 * process->word, previous);
}

/* The chunks: cache, in use, two in the cache, in a fastbin, in small bin 4, in use, top. */
static void
put_chunks(struct process *process)
{
	const unsigned word = process->word;
	const uint64_t cache_size = word == 8 ? 0x290 : 0x190, user = 2 * word;
	const uint64_t sizes[] = { cache_size, 0x40, 0x30, 0x30, 0x20, 0x40, 0x50 };
	uint64_t at = HEAP + (word == 8 ? 0 : 8);

	for (size_t i = 0; i < ARRAY_COUNT(sizes); at += sizes[i++]) {
		process->at[i] = at;
		put(process, at + word, sizes[i] | (i != 6));	/* number 5 is free */
	}
	process->at[7] = at;
	put(process, at + word, (HEAP + 0x1000 - at) | 1);
	const uint64_t *chunk = process->at;
	/* Bin 1 of the cache is for chunks of 0x30 bytes, or bin 2 where 16 is the least. */
	const unsigned cached = word == 8 ? 1 : 2;
	const uint64_t first = chunk[3] + user, second = chunk[2] + user;
	put(process, chunk[0] + user + 2 * cached, 2);
	put(process, chunk[0] + user + 128 + cached * word, first);
	put(process, first, second ^ first >> 12);
	put(process, second, 0 ^ second >> 12);
	put(process, first + word, KEY);
	put(process, second + word, KEY);
	const uint64_t fast = ARENA + (word == 8 ? 16 : 12), index = 0x20 / (2 * word) - 2;
	put(process, fast + index * word, chunk[4]);
	put(process, chunk[4] + user, 0 ^ (chunk[4] + user) >> 12);
	put_links(process, bin(process, 4), chunk[5], chunk[5]);
	put_links(process, chunk[5], bin(process, 4), bin(process, 4));
}

/* An arena with empty bins and its `top`; returns the address of the bins. */
static uint64_t
put_arena(struct process *process, uint64_t arena, uint64_t top, uint64_t next)
{
	const unsigned word = process->word;
	const uint64_t at = arena + (word == 8 ? 16 + 10 * 8 : 12 + 11 * 4);

	process->bins = at + 2 * word;
	for (unsigned i = 1; i <= 127; i++)
		put_links(process, bin(process, i), bin(process, i), bin(process, i));
	put(process, at, top);
	put(process, process->bins + 254 * word + 16, next);
	return process->bins;
}

static void
make(struct process *process, unsigned word)
{
	arena_free(&process->arena);
	*process = (struct process){ .word = word };
	process->runs[0] = (struct memory_run){ HEAP, 0x1000, process->heap, NULL };
	process->runs[1] = (struct memory_run){ MAPPED, 0x3000, process->mapped, NULL };
	process->runs[2] = (struct memory_run){ REGION, 0x1000, process->region, NULL };
	process->runs[3] = (struct memory_run){ DATA, 0x1000, process->data, NULL };
	process->view = (struct memory_view){ .crash = &process->crash, .runs = process->runs, .count = ARRAY_COUNT(process->runs) };
	const uint64_t info = REGION + (word == 8 ? 48 : 24);	/* sizeof(heap_info) */
	const uint64_t after = put_arena(process, info, 0, ARENA) + 254 * word + 16 + 5 * word;
	const uint64_t chunk = (after + 2 * word + 15) / 16 * 16 - 2 * word;
	process->other = chunk;
	put(process, REGION, info);
	put(process, REGION + 2 * word, 0x1000);
	put(process, chunk + word, 0x40 | 5);			/* NON_MAIN_ARENA */
	put(process, chunk + 0x40 + word, (REGION + 0x1000 - chunk - 0x40) | 1);
	put_arena(process, info, chunk + 0x40, ARENA);
	put_arena(process, ARENA, 0, info);
	put_chunks(process);
	put(process, process->bins - 2 * word, process->at[7]);
	const uint64_t mapped = MAPPED + (word == 8 ? 0 : 8);
	put(process, mapped, mapped - MAPPED);
	put(process, mapped + word, (MAPPED + 0x2000 - mapped) | 2);
}

static bool
read_heap(struct process *process, uint64_t symbol, unsigned version)
{
	process->read = (struct heap){ .memory = &process->view, .word = process->word, .version = version, .arena = &process->arena };
	return heap_read(&process->read, DATA, 0x1000, symbol);
}

/* The state of the chunk with an address; HEAP_STATES: none. */
static enum heap_state
state_at(struct process *process, uint64_t address, uint64_t chunk)
{
	struct heap_chunk found;

	return heap_chunk_at(&process->read, address, &found) && found.address == chunk ? found.state : HEAP_STATES;
}

static void
test_states(unsigned word)
{
	static const enum heap_state states[] = { HEAP_IN_USE, HEAP_IN_USE, HEAP_TCACHE, HEAP_TCACHE, HEAP_FAST, HEAP_SMALL, HEAP_IN_USE,
						  HEAP_TOP };
	struct process process = { .word = 0 };
	struct heap_chunk chunk;
	size_t wrong = 0;

	make(&process, word);
	ok(read_heap(&process, 0, 0) && !process.read.by_symbol && process.read.arenas[0].address == ARENA,
	   "words of %u: the main arena is found by its structure", word);
	is_str(heap_versions(&process.read).text, "2.34 to 2.41", "words of %u: counters, links and the key decide the layout", word);
	for (size_t i = 0; i < ARRAY_COUNT(states); i++) {
		const uint64_t at = process.at[i], next = i < 7 ? process.at[i + 1] : HEAP + 0x1000;
		wrong += state_at(&process, at + word, at) != states[i];
		wrong += state_at(&process, next + word - 1, at) != states[i];
	}
	is_u64(wrong, 0, "words of %u: each chunk has its state at its first and last byte", word);
	ok(heap_chunk_at(&process.read, process.at[2] + 2 * word, &chunk) && chunk.size == 0x30 && chunk.free->position == 1 &&
	   chunk.free->bin == (word == 8 ? 1 : 2), "words of %u: the cache's list has the chunk second", word);
	is_u64(process.read.key, word == 8 ? KEY : KEY & UINT32_MAX, "words of %u: the key", word);
	is_u64(process.read.broken_lists, 0, "words of %u: no list is broken", word);
	ok(state_at(&process, process.other + 2 * word, process.other) == HEAP_IN_USE &&
	   state_at(&process, process.other + 0x50, process.other + 0x40) == HEAP_TOP,
	   "words of %u: a chunk of another arena", word);
	const uint64_t mapped = MAPPED + (word == 8 ? 0 : 8);
	is_u64(state_at(&process, MAPPED + 0x1fff, mapped), HEAP_MAPPED, "words of %u: a chunk with its own mapping", word);
	ok(state_at(&process, MAPPED + 0x2000 + word, mapped) == HEAP_STATES && state_at(&process, DATA + 8, 0) == HEAP_STATES &&
	   state_at(&process, HEAP + 0x1000 + word, 0) == HEAP_STATES, "words of %u: no chunk elsewhere", word);
	arena_free(&process.arena);
}

static void
test_versions(void)
{
	struct process process = { .word = 0 };

	make(&process, 8);
	ok(read_heap(&process, ARENA, 36) && process.read.by_symbol, "the main arena's symbol is used");
	is_str(heap_versions(&process.read).text, "2.36", "a known version is named");
	process.runs[0] = (struct memory_run){
		HEAP - 0x40, 0x1040, (uint8_t *)&process + offsetof(struct process, before), NULL };
	ok(read_heap(&process, 0, 36) && process.read.parts[0].begin == HEAP, "a static program's data may precede the first chunk");
	ok(!read_heap(&process, ARENA, 42) && !read_heap(&process, 0, 25), "versions with other layouts are refused");
	ok(!read_heap(&process, ARENA + 8, 36), "a wrong symbol is refused");
	ok(read_heap(&process, 0, 31) && process.read.broken_lists > 0, "without safe-linking the links lead nowhere");
	/* Only one cached chunk, which a program has overwritten, does not make a key. */
	put(&process, process.at[2] + 24, 5);
	ok(read_heap(&process, 0, 36) && process.read.key == 0, "two chunks with one key make it");
	make(&process, 8);
	put(&process, REGION, ARENA);
	ok(!read_heap(&process, 0, 0), "an arena that does not own its region is refused");
	make(&process, 8);
	put(&process, process.bins + 254 * 8 + 16, HEAP);
	ok(!read_heap(&process, 0, 0), "arenas that are no circle are refused");
	arena_free(&process.arena);
}

static void
test_damage(void)
{
	struct process process = { .word = 0 };

	make(&process, 8);
	put(&process, process.at[4] + 8, 0x4141414141414141);
	ok(read_heap(&process, 0, 36) && state_at(&process, process.at[3] + 16, process.at[3]) ==
	   HEAP_TCACHE, "chunks before an overwritten size are known");
	ok(state_at(&process, process.at[5] + 16, process.at[5]) == HEAP_STATES &&
	   heap_damaged_at(&process.read, process.at[5] + 16)->damaged == process.at[4],
	   "chunks after an overwritten size are unknown");
	ok(heap_damaged_at(&process.read, process.at[3] + 16) == NULL, "damage has a beginning");
	make(&process, 8);
	/* The cache's list is a circle with the largest count. */
	put(&process, process.at[0] + 16 + 2, 0xffff);
	put(&process, process.at[2] + 16, (process.at[3] + 16) ^ (process.at[2] + 16) >> 12);
	ok(read_heap(&process, 0, 36) && process.read.broken_lists > 0 &&
	   process.read.free_count < sizeof(process.heap), "a circle in a list ends");
	make(&process, 8);
	put_links(&process, process.at[5], bin(&process, 4), HEAP);
	ok(read_heap(&process, 0, 36) && process.read.broken_lists == 1 &&
	   state_at(&process, process.at[5] + 16, process.at[5]) == HEAP_UNLISTED,
	   "a chunk whose link back is wrong is not of the bin");
	put_links(&process, bin(&process, 5), 0, 0);
	ok(read_heap(&process, 0, 36), "an arena may have two damaged bins");
	put_links(&process, bin(&process, 6), 0, 0);
	ok(!read_heap(&process, 0, 36), "but not three");
	make(&process, 8);
	/* Bin 5 of the cache is for 0x70 bytes, the chunk has 0x40. */
	put(&process, process.at[0] + 16 + 10, 1);
	put(&process, process.at[0] + 16 + 128 + 5 * 8, process.at[1] + 16);
	put(&process, MAPPED + 8, 0x2000);
	ok(read_heap(&process, 0, 36) && process.read.broken_lists == 1 &&
	   state_at(&process, process.at[1] + 16, process.at[1]) == HEAP_IN_USE, "a chunk of another size is not in the cache");
	ok(state_at(&process, MAPPED + 0x100, MAPPED) == HEAP_STATES, "a mapped chunk has the flag IS_MMAPPED");
	make(&process, 8);
	put(&process, process.at[0] + 16 + 2, 3);
	ok(read_heap(&process, 0, 36) && process.read.broken_lists == 1, "a list shorter than its counter is broken");
	put(&process, process.at[0] + 16 + 2, 1);
	put(&process, process.at[0] + 16 + 128 + 8, process.at[2] + 16);
	ok(read_heap(&process, 0, 36) && process.read.broken_lists == 0 && process.read.key == 0, "one chunk does not prove the key");
	make(&process, 8);
	/* The program's own chunk of 0x290 bytes, with a counter of 1 and no list. */
	put(&process, process.at[7] + 8, 0x291);
	put(&process, process.at[7] + 0x290 + 8, (0x1000 - 0x3e0 - 0x290) | 1);
	put(&process, process.bins - 16, process.at[7] + 0x290);
	put(&process, process.at[7] + 16, 1);
	ok(read_heap(&process, 0, 36) && process.read.cache_count == 1 &&
	   process.read.broken_lists == 0, "a chunk of a cache's size may be the program's");
	make(&process, 8);
	put(&process, process.at[0] + 8, 0x2a1);
	ok(!read_heap(&process, 0, 36), "a first chunk that is no cache is of an unknown layout");
	arena_free(&process.arena);
}

/* The program reads a pointer from a chunk that it has freed. */

static struct process dumped;

static void
add_heap(struct synth *synth)
{
	static const uint8_t code[] = { 0x48, 0x8b, 0x41, 0x18 };	/* mov rax, [rcx + 0x18] */

	memcpy(dumped.data + 0xf00, code, sizeof(code));
	dumped.data[0xf10] = 0xe8;					/* call 77001f15 */
	for (size_t i = 0; i < ARRAY_COUNT(dumped.runs); i++)
		synth_memory(synth, dumped.runs[i].base, dumped.runs[i].data, (size_t)dumped.runs[i].size, false);
	synth_memory(synth, 0x401000, code, sizeof(code), false);
	synth_exception(synth, 1, 11, 1, 0x123456);
}

static struct scene_noted noted = { .log = { scene_find_read } };

/* The finding of a use after free with two registers and the words of a stack; "": none. */
static const char *
use_with(uint64_t pc, uint64_t pointer, uint64_t bad, const char *library, const char *names, const char *stack)
{
	char registers[100];
	struct scene scene = { ARCH_AMD64, CRASH_OS_LINUX, .registers = registers, .stack = 0x8000, .memory = stack, .more = add_heap,
			       .modules = { { 0x400000, 0x2000, "a", "FUNC 1000 10 0 f\n" },
					    { DATA, 0x1000, library, names } } };
	static char text[1000];
	struct staged staged;

	text[0] = '\0';
	snprintf(registers, sizeof(registers), "rip=%" PRIx64 " rsp=8100 rax=%" PRIx64 " rcx=%" PRIx64, pc, pointer, bad);
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	staged.crash.log = &noted.log;
	noted.found = false;
	scene_finding(&staged, FINDING_USE_AFTER_FREE, FINDING_USE_AFTER_FREE, text, sizeof(text));
	scene_close(&staged);
	return text;
}

static const char *
use_at(uint64_t pc, uint64_t pointer, uint64_t bad, const char *library, const char *names)
{
	return use_with(pc, pointer, bad, library, names, NULL);
}

#define USED "95: the program used freed memory: it mistook a pointer of the allocator for its own; "
#define CHUNK " points to the chunk at 0x55000300 of 48 bytes: free, in a thread's cache (tcache); "
#define LISTED(bin) "; glibc 2.34 to 2.41: the list of bin " bin " has the chunk, and the sizes of all chunks lead to it"
/* The link is that of the second chunk, 550002e0, mangled by its own place, 55000310 >> 12. */
#define LINK(reg) reg " is 0x550552e0, the chunk's first word: the link to the next free chunk" LISTED("1 at 0x55000010")
#define FIRST USED "rax" CHUNK LINK("rcx")

static const char *
use(uint64_t pointer, uint64_t bad, const char *library)
{
	return use_at(0x401000, pointer, bad, library, NULL);
}

static void
test_use(void)
{
	make(&dumped, 8);
	const uint64_t *at = dumped.at;
	const uint64_t link = (at[2] + 16) ^ (at[3] + 16) >> 12;

	noted.address = at[3] + 16, noted.size = 16;
	is_str(use(at[3] + 16, link, "libc.so.6"), FIRST, "a mangled link in a register proves a use after free");
	ok(noted.found, "the read of the chunk's first two words is noted");
	is_str(use(at[2] + 16, KEY, "libc.so.6"),
	       USED "rax points to the chunk at 0x550002d0 of 48 bytes: free, in a thread's cache (tcache); rcx is "
	       "0x1122334455667788, the chunk's second word: the key of free chunks" LISTED("1 at 0x55000010"),
	       "the key proves it");
	/* The last word that belongs to an object is its 32nd, at +0xf8. */
	put(&dumped, MAPPED + 0x1f8, at[3] + 16);
	noted.address = MAPPED + 0x1f8, noted.size = 8;
	is_str(use(MAPPED + 0x100, link, "libc.so.6"), USED "the word at 0x660001f8 (rax + 0xf8)" CHUNK LINK("rcx"),
	       "a pointer in an object proves it");
	ok(noted.found, "the read of the pointer is noted");
	is_str(use(MAPPED + 0x1f8, link, "libc.so.6"), USED "the word at 0x660001f8 (rax + 0x0)" CHUNK LINK("rcx"),
	       "a pointer at the beginning of an object proves it");
	is_str(use(MAPPED + 0xf8, link, "libc.so.6"), "", "the object's 33rd word does not");
	put(&dumped, MAPPED + 0x1f8, 0);
	is_str(use_with(0x401000, 0, link, "libc.so.6", NULL, "8108=55000310 8118=401005"),
	       USED "the word of the stack at 0x8108" CHUNK LINK("rcx"), "a pointer in the youngest frames proves it");
	is_str(use_with(0x401000, 0, link, "libc.so.6", NULL, "8118=401005 8128=401005 8130=55000310"), "",
	       "a pointer in the third frame does not");
	is_str(use(at[5] + 16, 0x77001000, "libc.so.6"), "", "an address that no chunk has does not");
	is_str(use_at(DATA + 0xf00, at[3] + 16, link, "libc.so.6", "FUNC f00 10 0 __strlen\n"),
	       FIRST, "another function of the library does not");
	is_str(use_at(DATA + 0xf00, at[3] + 16, link, "libc.so.6", "FUNC f00 10 0 __libc_free\n"), "", "the allocator uses links itself");
	is_str(use_at(DATA + 0xf00, at[3] + 16, link, "libc.so.6", NULL), "",
	       "a function of the library without a name may be the allocator's");
	is_str(use_at(link, at[3] + 16, 0, "libc.so.6", NULL), USED "rax" CHUNK LINK("rip"), "a call of the link proves it");
	is_str(use_with(link, at[3] + 16, 0, "libc.so.6", "FUNC f00 20 0 malloc\n", "8100=77001f15"), "",
	       "a call by the allocator does not");
	is_str(use_at(0x999000, at[3] + 16, link, "libc.so.6", NULL), "", "a register that free() left does not, if a call led elsewhere");
	is_str(use(at[3] + 16, link, "libd.so.6"), "", "only in glibc's heap");
	is_str(use(at[3] + 16, link + 1, "libc.so.6"), "", "not by another value");
	put(&dumped, at[3] + 32, link);
	is_str(use(at[3] + 32, link, "libc.so.6"), "", "not by a later word of the chunk");
	put(&dumped, at[3] + 32, 0x12345678);
	is_str(use(at[3] + 16, 0x12345678, "libc.so.6"), "", "not by the third word");
	put(&dumped, at[1] + 16, link);
	is_str(use(at[1] + 16, link, "libc.so.6"), "", "not by a chunk in use");
	put(&dumped, at[4] + 24, KEY);
	is_str(use(at[4] + 16, KEY, "libc.so.6"), "", "not by the second word in a fastbin, which the program wrote");
}

static const char *library = "libc.so.6";

/* The facts about an address of a heap, which other facts have other labels than. */
static const char *
facts_of(uint64_t address, const char *other)
{
	const struct scene scene = { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401000 rsp=8100", .stack = 0x8000, .more = add_heap,
				     .modules = { { 0x400000, 0x2000, "a", "FUNC 1000 10 0 f\n" },
						  { DATA, 0x1000, library, NULL },
						  { 0x700000, 0x1000, other, NULL } } };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	static char text[1000];
	struct staged staged;
	struct surroundings around;
	char typed[20];
	size_t used = 0;

	text[0] = '\0';
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	surroundings_init(&around, &staged.crash, staged.symbols, NULL, &policy, &staged.walk);
	const struct expression_scope scope = { staged.walk, 0, 0 };
	snprintf(typed, sizeof(typed), "0x%" PRIx64, address);
	struct identification *identify = identify_create(&around, &scope, text_of(typed));
	for (size_t i = 0; i < identify->lines.count; i++) {
		const struct line *line = &identify->lines.items[i];
		if (strncmp(line->label, "heap", 4) == 0 || strcmp(line->label, "allocator") == 0)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s: %.*s\n",
						 line->label, (int)line->text.length, line->text.start);
	}
	identify_free(identify);
	surroundings_free(&around);
	scene_close(&staged);
	return text;
}

#define OF_MAIN \
	"heap arena: the main arena, found by its 127 bins, at 77001040\n" \
	"heap check: sizes lead from the first chunk at 55000000 to the end at 55001000\n"
#define LIBRARY "allocator: libc.so.6, glibc 2.34 to 2.41 by its lists\n"

static void
test_facts(void)
{
	make(&dumped, 8);
	const uint64_t *at = dumped.at;

	is_str(facts_of(at[1] + 16, "b"), "heap: in use: a chunk of 64 bytes at 55000290, 56 for the program at 550002a0\n"
	       OF_MAIN LIBRARY, "a chunk in use");
	/* The old name has the version; layouts after 2.41 are unknown. */
	static const char *const libraries[][2] = {
		{ "libc-2.34.so", ", glibc 2.34" }, { "libc-2.41.so", ", glibc 2.41" }, { "/lib/libc-2.36.so", ", glibc 2.36" },
		{ "libc-2.33.so", ", glibc 2.33" },
		{ "libc-2.so", ", glibc 2.34 to 2.41 by its lists" }, { "libc-2.100.so", ", glibc 2.34 to 2.41 by its lists" },
		{ "libc-2.99.so", NULL }, { "libd-2.36.so", NULL }, { "libc.so", NULL },
	};
	for (size_t i = 0; i < ARRAY_COUNT(libraries); i++) {
		char expected[400] = "";
		library = libraries[i][0];
		if (libraries[i][1] != NULL)
			snprintf(expected, sizeof(expected), "heap: in use: a chunk of 64 bytes at 55000290, 56 for the program at 550002a0\n"
				 OF_MAIN "allocator: %s%s\n", place_base_name(library), libraries[i][1]);
		is_str(facts_of(at[1] + 16, "b"), expected, "the version of %s", library);
	}
	library = "libc.so.6";
	is_str(facts_of(at[1] + 24, "libjemalloc.so.2"),
	       "heap: in use: a chunk of 64 bytes at 55000290, 56 for the program at 550002a0\n"
	       "heap offset: 8 bytes after the program's first byte\n" OF_MAIN
	       "allocator: libc.so.6, glibc 2.34 to 2.41 by its lists; also loaded: libjemalloc.so.2\n",
	       "a word in a chunk, with another allocator");
	is_str(facts_of(at[1] + 8, "b"), "heap: in use: a chunk of 64 bytes at 55000290, 56 for the program at 550002a0\n"
	       "heap offset: 8 bytes before the program's first byte\n" OF_MAIN LIBRARY, "the size field of a chunk");
	is_str(facts_of(at[2] + 16, "b"), "heap: free, in a thread's cache (tcache): a chunk of 48 bytes at 550002d0, 40 for the "
	       "program at 550002e0\n"
	       "heap list: bin 1 of the cache at 55000010, position 1 of its list\n"
	       "heap key: the second word is the key that free() writes\n" OF_MAIN LIBRARY, "a chunk in the cache of a thread");
	is_str(facts_of(at[4] + 16, "b"),
	       "heap: free, in a fastbin: a chunk of 32 bytes at 55000330, 24 for the program at 55000340\n"
	       "heap list: fastbin 0 of the arena at 77001050, position 0 of its list\n"
	       OF_MAIN LIBRARY, "a chunk in a fastbin");
	is_str(facts_of(at[5] + 16, "b"),
	       "heap: free, in a small bin: a chunk of 64 bytes at 55000350, 56 for the program at 55000360\n"
	       "heap list: bin 4 of the arena at 770010d0, position 0 of its list\n" OF_MAIN LIBRARY, "a chunk in a small bin");
	is_str(facts_of(MAPPED + 16, "b"),
	       "heap: in use, in a mapping of its own: a chunk of 8192 bytes at 66000000, 8176 for the program at 66000010\n"
	       "heap check: the size field has the flag IS_MMAPPED, and the size ends at a page of the "
	       "mapping\n" LIBRARY, "a chunk with a mapping of its own");
	is_str(facts_of(dumped.other + 16, "b"), "heap: in use: a chunk of 64 bytes at 680008d0, 56 for the program at 680008e0\n"
	       "heap arena: an arena of threads at 68000030\n"
	       "heap check: sizes lead from the first chunk at 680008d0 to the end at 68001000\n"
	       LIBRARY, "a chunk of a thread's arena");
	put(&dumped, at[5] + 8, 0x4141414141414141);
	is_str(facts_of(at[6] + 16, "b"), "heap: unknown: the heap is damaged from the chunk at "
	       "55000350 on, whose size is impossible\n", "a chunk after a damaged one");
	ok(strstr(facts_of(at[4] + 16, "b"), "\nheap check: sizes lead from the first chunk at "
		  "55000000 to an impossible one, at 55000350\n") != NULL, "a chunk before a damaged one");
	memset(dumped.data, 0, sizeof(dumped.data));
	is_str(facts_of(at[4] + 16, "libjemalloc.so.2"),
	       "allocator: libjemalloc.so.2 is loaded; the chunks of its heap are not known\n", "a heap of another allocator");
	is_str(facts_of(at[4] + 16, "b"), "", "no known heap");
}

/* The heap is searched in four modules with the library's name; the module with the arena is last. */
static const struct {
	const char *title;
	enum arch_id arch;	/* ARCH_COUNT: unknown */
	enum crash_os os;
	const char *names[6];
	bool found;
} finds[] = {
	{ "amd64", ARCH_AMD64, CRASH_OS_LINUX, { "/lib/libc.so.6" }, true },
	{ "x86", ARCH_X86, CRASH_OS_LINUX, { "a", "libc-2.36.so" }, true },
	{ "arm64", ARCH_ARM64, CRASH_OS_LINUX, { "libc.so.6" }, true }, { "arm", ARCH_ARM, CRASH_OS_LINUX, { "libc.so.6" }, false },
	{ "Windows", ARCH_AMD64, CRASH_OS_WINDOWS, { "libc.so.6" }, false },
	{ "no processor", ARCH_COUNT, CRASH_OS_LINUX, { "libc.so.6" }, false },
	{ "a program without a symbol", ARCH_AMD64, CRASH_OS_LINUX, { "a" }, false },
	{ "a library after others", ARCH_AMD64, CRASH_OS_LINUX, { "a", "b", "c", "d", "e", "libc.so.6" }, true },
	{ "four libraries", ARCH_AMD64, CRASH_OS_LINUX, { "libc.so.6", "libc-2.31.so", "libc.so.6", "libc.so.6" }, true },
	{ "five libraries", ARCH_AMD64, CRASH_OS_LINUX, { "libc.so.6", "libc-2.31.so", "libc.so.6", "libc.so.6", "libc.so.6" }, false },
};

static void
test_find(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(finds); i++) {
		struct module modules[6] = { { .base = 0 } };
		struct crash *crash = &dumped.crash;

		make(&dumped, finds[i].arch == ARCH_COUNT ? 8 : arch_by_id(finds[i].arch)->word_size);
		crash->system.arch = finds[i].arch == ARCH_COUNT ? NULL : arch_by_id(finds[i].arch);
		crash->system.os = finds[i].os;
		crash->modules = modules;
		for (size_t *n = &crash->module_count; *n < ARRAY_COUNT(modules) && finds[i].names[*n] != NULL; (*n)++)
			modules[*n] = (struct module){ .base = 0x10000 * (*n + 1), .size = 0x1000, .code_file = finds[i].names[*n] };
		modules[crash->module_count - 1].base = DATA;
		const struct heap *heap = heap_find(crash, &dumped.view, NULL, &dumped.arena);
		ok((heap != NULL) == finds[i].found, "the heap is found, or not: %s", finds[i].title);
		modules[0].code_file = "/lib/libjemalloc.so.2";
		ok(heap_other_allocator(crash) == &modules[0], "the first module may be another allocator");
		crash->modules = NULL;
		crash->module_count = 0;
	}
}

int
main(void)
{
	test_use();
	test_facts();
	test_find();
	test_states(8);
	test_states(4);
	test_versions();
	test_damage();
	return done_testing();
}
