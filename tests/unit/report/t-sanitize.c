/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dump with a secret in every place that its copy must leave out, and in the places that it may keep. */
#include <stdlib.h>

#include "base/compiler.h"
#include "dump/dump.h"
#include "analysis/analysis.h"
#include "report/sanitize/sanitize_internal.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"

#define SECRET "HUSHHUSH"

/* The stack for a scan of amd64: two return addresses in the module, and secrets around them. */
#define STACK 0x7000
#define STACK_SIZE 4096

static void
put(uint8_t *bytes, size_t at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void
plant_stack(struct synth *synth)
{
	/* CONTEXT of amd64 (winnt.h): flags at 48, rsp at 152, rip at 248, xmm0 at 416. */
	uint8_t stack[STACK_SIZE], context[1232] = { 0 };

	for (size_t i = 0; i < sizeof(stack); i += 8)
		memcpy(stack + i, SECRET, 8);
	put(stack, 8, 0x401234);
	put(stack, 0x18, 0x401256);
	put(context, 48, 0x10000f);
	put(context, 152, STACK);
	put(context, 248, 0x401010);
	memcpy(context, SECRET, 8);
	memcpy(context + 416, SECRET, 8);
	synth_thread(synth, 1, NULL, STACK, stack, sizeof(stack));
	synth_context(synth, context, sizeof(context));
	synth_thread_name(synth, 1, SECRET);
}

static uint8_t *
plant(size_t *size)
{
	static const char environment[] = "PATH=/bin\0TOKEN=" SECRET "\0";
	static const char command[] = "tool\0--password=" SECRET;
	static const char files[] = "3 -> /srv/" SECRET "\n";
	static const char heap[] = "in the heap there is " SECRET;
	static const char maps[] = "00400000-00402000 r-xp 00000000 00:00 0 /home/" SECRET "/bin/tool\n"
		"00500000-00501000 r--s 00000000 00:00 0 /srv/work/" SECRET ".db\n";
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);

	synth_module(synth, 0x400000, 0x2000, "/home/" SECRET "/bin/tool", "tool", "5A9832E5287241C1838ED98914E9B7FF0");
	plant_stack(synth);
	synth_exception(synth, 1, 11, 1, 0x10);
	synth_crashpad(synth, -1, "note", SECRET);
	synth_assertion(synth, "a == b", "check", "/home/" SECRET "/src/check.c", 7, 1);
	synth_stream(synth, 0x47670006, command, sizeof(command));
	synth_stream(synth, 0x47670007, environment, sizeof(environment));
	synth_stream(synth, 0x47670009, maps, sizeof(maps) - 1);
	synth_stream(synth, 0x4767000d, files, sizeof(files));
	synth_stream(synth, 10, "said " SECRET, 14);
	synth_stream(synth, 0x4d7a0098, SECRET, 8);
	synth_stream(synth, 0x4d7a0099, SECRET, 8);
	synth_memory(synth, 0x10000, heap, sizeof(heap), false);
	uint8_t *bytes = synth_finish(synth, size);
	synth_free(synth);
	return bytes;
}

/* How often the secret occurs, as text of 8 or 16 bits. */
static size_t
count_secrets(const uint8_t *bytes, size_t size)
{
	uint8_t wide[16] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < 8; i++)
		wide[2 * i] = (uint8_t)SECRET[i];
	for (size_t i = 0; i + 8 <= size; i++)
		count += memcmp(bytes + i, SECRET, 8) == 0 || (i + 16 <= size && memcmp(bytes + i, wide, 16) == 0);
	return count;
}

/* The copy of a crash with some parts; the caller frees its secrets and bytes. */
static size_t
copy_with(const struct crash *crash, unsigned parts, bool absent, struct sanitized *made, uint8_t **bytes)
{
	const struct sanitize_options options = { .parts = parts, .absent = absent, .policy = policy_column(POLICY_UNSPOOL) };
	struct symbols *symbols = symbols_create(crash->modules, crash->module_count, NULL, 0);
	struct error error = { 0 };
	size_t used = 0;

	*bytes = NULL;
	const enum error_code code = sanitize(made, crash, symbols, NULL, &options, &error);
	symbols_free(symbols);
	if (code != ERROR_NONE) {
		tap_diag("%s", error.text);
		return SIZE_MAX;
	}
	*bytes = malloc((size_t)made->size);
	for (size_t i = 0; *bytes != NULL && i < made->image.count; i++) {
		const struct dump_piece *piece = &made->image.pieces[i];
		if (piece->size > 0)
			memcpy(*bytes + used, piece->bytes, piece->size);
		used += piece->size;
	}
	return *bytes != NULL ? count_secrets(*bytes, used) : SIZE_MAX;
}

/* Count secrets in the words that are listed as read; the stack is secrets but for two words. */
static size_t
count_listed(const struct sanitized *made)
{
	size_t words = 0;

	for (size_t i = 0; i < made->range_count; i++)
		words += made->ranges[i].refused ? 0 : (size_t)made->ranges[i].size / 8;
	return words - 2;
}

static void
test_nothing_leaks(const struct crash *crash)
{
	struct sanitized made;
	struct crash copy;
	uint8_t *bytes;

	const size_t found = copy_with(crash, 0, false, &made, &bytes);
	is_u64(found, count_listed(&made), "the copy has no secret except in listed words");
	ok(found < 8, "these listed words are few of %u", STACK_SIZE / 8);
	is_u64(made.parts, 0, "the copy was the same without more parts");
	is_u64(made.walks > 3 && made.steps > 3, 1, "walks and steps were compared");
	is_u64(made.paths, 3, "a module, its mapping and an assertion have other paths");
	is_u64(dump_from_memory(&copy, "copy", bytes, (size_t)made.size, 0, NULL), ERROR_NONE, "the copy can be opened");
	is_str(copy.modules[0].code_file, "/home/user1/bin/tool", "the user has another name");
	is_str(copy.mappings[0].name, "/home/user1/bin/tool", "the user has another name in the map of memory, too");
	is_str(copy.mappings[1].name, "", "a mapped file that is no module has none");
	is_u64(strstr(copy.assertion, "/home/user1/src/check.c at line 7") != NULL, 1, "the assertion's path is replaced, its line is not");
	crash_free(&copy);
	free(bytes);
	sanitized_free(&made);
}

/* Each part brings its secret back, so that the test notices if a secret were missing anyway. */
static void
test_parts(const struct crash *crash)
{
	static const enum copy_part parts[] = {
		COPY_STACKS, COPY_SCANNED, COPY_MEMORY, COPY_FLOATS, COPY_PATHS, COPY_NAMES,
		COPY_ARGUMENTS, COPY_ENVIRONMENT, COPY_ANNOTATIONS, COPY_HANDLES,
	};
	struct sanitized made;
	uint8_t *bytes;

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
		const size_t count = copy_with(crash, 1u << parts[i], false, &made, &bytes);
		const bool whole = parts[i] == COPY_STACKS || parts[i] == COPY_MEMORY;
		/* Two words of the stack are return addresses, no secrets. */
		ok(count >= (whole ? STACK_SIZE / 8 - 2 : 1) && count != SIZE_MAX, "%s is kept where that is asked for",
		   copy_part_words[parts[i]].name);
		free(bytes);
		sanitized_free(&made);
	}
}

static void
test_absent(const struct crash *crash)
{
	struct sanitized made;
	uint8_t *bytes;

	const size_t found = copy_with(crash, 0, true, &made, &bytes);
	is_u64(found, count_listed(&made), "words may be left out: no secret but in those listed");
	ok(made.image.memory < STACK_SIZE, "words that were not looked at are not in the copy");
	ok(made.image.memory >= made.read + made.refused, "those that were looked at are");
	free(bytes);
	sanitized_free(&made);
}

#define STREAMS(maps, list) \
	"\nstreams kept, with nothing but what walks need:\n  SystemInfo                       56 bytes\n" \
	"  ThreadList                       52 bytes\n  ModuleList                      112 bytes\n" \
	"  Exception                       168 bytes\n  CrashpadInfo                     64 bytes\n" \
	"  AssertionInfo                   776 bytes\n  LinuxMaps                       126 bytes" maps "\n" \
	"  MemoryList                       20 bytes" list "\nstreams dropped:\n" \
	"  ThreadNames                      16 bytes\n  LinuxCmdLine                     25 bytes\n" \
	"  LinuxEnviron                     26 bytes\n  LinuxProcFd                      20 bytes\n" \
	"  CommentA                         14 bytes\n  unknown (Mozilla)                16 bytes\n"

/* Texts about copies. The heap has 30 bytes; without unused words 16 bytes follow the last piece. */
static const struct {
	unsigned parts;
	bool absent, lists;
	const char *memory, *refused, *kept, *word;
} texts[] = {
	{ 0, false, true, "4096", ", replaced by 0", "  unused words of stacks are 0\npaths with user names replaced: 3\n"
	  STREAMS(", 102 in the copy", ""), "  refused by scans: 0 in the copy" },
	{ COPY_PART(SCANNED) | COPY_PART(PATHS), true, false, "2096", "",
	  "  unused words of stacks are left out\npaths with user names replaced: 0\n"
	  "kept: values of words that scans refused because they point to no code\n"
	  "kept: paths as they are, with user names, and names of mapped files\n" STREAMS("", ""), NULL },
	{ COPY_PART(MEMORY), false, true, "4126", "", "paths with user names replaced: 3\n"
	  "kept: all memory of the process, heap included\n" STREAMS(", 102 in the copy", ", 36 in the copy"), "  refused by scans" },
};

static void
test_text(const struct crash *crash)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
		struct output_string text, want;
		struct sanitized made;
		uint8_t *bytes;

		copy_with(crash, texts[i].parts, texts[i].absent, &made, &bytes);
		output_string_init(&text, &arena);
		sanitize_text(&made, "c.dmp", texts[i].lists, &text.output);
		output_string_init(&want, &arena);
		output_format(&want.output, "\n\nmemory: %s bytes, of 4126\n          64 bytes that walks read\n"
			      "        2016 bytes of words that scans refused%s\n%s",
			      texts[i].memory, texts[i].refused, texts[i].kept);
		/* Two frames read 32 bytes; the leaf method tried the first words of the next frames. */
		for (unsigned at = 0x7000; texts[i].lists && at <= 0x70e0; at += 8)
			output_format(&want.output, "%s  000000000000%x  %s  stack of thread 0%s\n",
				      at == 0x7000 ? "\nwords of memory that walks used:\n" : "", at,
				      at == 0x7008   ? "0000000000401234" : at == 0x7018 ? "0000000000401256"
				      : at == 0x70e0 ? "      1856 bytes" : "4853554848535548",
				      at < 0x7020 || (at >= 0x70a8 && at % 16 == 8) ? "" : texts[i].word);
		is_str(strstr(text.text, "\n\nmemory: "), want.text, "the text about copy %zu", i);
		free(bytes);
		sanitized_free(&made);
	}
	arena_free(&arena);
}

TEST(words_of_option)
{
	unsigned parts = 0;

	ok(sanitize_parse_parts("stacks,paths", &parts) == NULL, "a list of parts is read");
	is_u64(parts, COPY_PART(STACKS) | COPY_PART(PATHS), "the parts of the list are selected");
	ok(sanitize_parse_parts("stacks,heap", &parts) != NULL, "an unknown part is refused");
}

/* A C++ exception of Windows: the chain of its type information, an object, and the message to which the object points. */
static void
plant_exception(struct synth *synth)
{
	uint8_t types[0x80] = { 0 }, object[16] = { 0 };
	const uint64_t registers[ARCH_REGISTERS] = { 0 };

	put(types, 0x08, UINT64_C(0x1010) << 32);	/* throw info: the array of types */
	put(types, 0x10, UINT64_C(0x1020) << 32 | 1);
	put(types, 0x20, UINT64_C(0x1040) << 32);	/* a type: its descriptor and offsets */
	put(types, 0x28, UINT64_C(0xffffffff) << 32);
	memcpy(types + 0x50, ".?AVexception@std@@", 20);
	put(object, 8, 0x10020);
	synth_module(synth, 0x400000, 0x2000, "tool.exe", "tool.pdb", NULL);
	synth_thread(synth, 1, registers, STACK, types, 8);
	synth_memory(synth, 0x401000, types, sizeof(types), false);
	synth_memory(synth, 0x10000, object, sizeof(object), false);
	synth_memory(synth, 0x10020, SECRET, sizeof(SECRET), false);
	synth_exception(synth, 1, 0xe06d7363, 1, 0x401000);
	synth_parameter(synth, 0x19930520);
	synth_parameter(synth, 0x10000);
	synth_parameter(synth, 0x401000);
	synth_parameter(synth, 0x400000);
}

/* A crash, its copy, and their bytes. */
struct copied {
	struct crash crash, copy;
	struct sanitized made;
	uint8_t *dump, *bytes;
	size_t secrets;		/* their number in the copy */
};

static void
open_copied(struct copied *copied, struct synth *synth, bool absent, size_t shared)
{
	size_t size;

	copied->dump = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&copied->crash, "crash.dmp", copied->dump, size, 0, NULL);
	copied->crash.shared_frames = shared;
	copied->secrets = copy_with(&copied->crash, 0, absent, &copied->made, &copied->bytes);
	dump_from_memory(&copied->copy, "copy", copied->bytes, (size_t)copied->made.size, 0, NULL);
}

static void
close_copied(struct copied *copied)
{
	crash_free(&copied->copy);
	free(copied->bytes);
	sanitized_free(&copied->made);
	crash_free(&copied->crash);
	free(copied->dump);
}

TEST(exception)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	struct copied of;

	plant_exception(synth);
	open_copied(&of, synth, false, 0);
	struct analysis *analysis = analysis_create(&of.crash, NULL, NULL, NULL);
	ok(analysis->finding_count == 1 && strstr(analysis->findings[0].evidence[0], SECRET) != NULL,
	   "the message of an exception is evidence");
	analysis_free(analysis);
	is_u64(of.secrets, 0, "the copy does not have it");
	analysis = analysis_create(&of.copy, NULL, NULL, NULL);
	ok(analysis->finding_count == 1 && strstr(analysis->findings[0].text, "std::exception") != NULL,
	   "a copy without a heap keeps the type of the exception");
	analysis_free(analysis);
	close_copied(&of);
}

/* Differences ----------------------------------------------------------------------------------- */

static void
set_word(struct crash *copy, uint64_t address, uint64_t value)
{
	const struct memory_region *stack = copy->threads[0].stack;

	put((uint8_t *)copy->file.data, (size_t)(stack->offset + (address - stack->base)), value);
}

#define WALKED "thread 0, walked as the options say: "
#define REASON "the reason of the crash is "

/* Changes of a copy, and the sentence about them. A word that a scan refused may be 0 in it. */
#define CHANGES(C) \
	C(keep_all, (void)copy, "") C(blank_refused, set_word(copy, STACK + 0x28, 0), "") \
	C(change_refused, set_word(copy, STACK + 0x28, 5), WALKED "the step from frame 2 by the walk differs") \
	C(change_return, set_word(copy, STACK + 8, 0x401238), WALKED "frame 1 has a different rip") \
	C(lose_return, set_word(copy, STACK + 0x18, 5), WALKED "2 frames, not 3") \
	C(change_register, copy->threads[0].context.registers.value[copy->system.arch->fp]++, \
	  WALKED "frame 0 has a different rbp") \
	C(lose_register, copy->threads[0].context.registers.known ^= UINT64_C(1) << copy->system.arch->fp, \
	  WALKED "frame 0 has a different rbp") C(change_base, copy->modules[0].base++, "module 0 differs") \
	C(change_size, copy->modules[0].size++, "module 0 differs") \
	C(change_id, copy->modules[0].debug_id = "5A9832E5287241C1838ED98914E9B7FF1", "module 0 differs") \
	C(change_name, copy->modules[0].code_file = "/bin/other", \
	  WALKED "the signature is 'other@0x1010', not 'tool@0x1010'") \
	C(lose_module, copy->module_count--, "1 threads and 0 modules, not 1 and 1") \
	C(lose_request, copy->requesting_thread = -1, "another thread requested the dump") \
	C(change_reason, copy->cause.text = "SIGABRT", \
	  WALKED REASON "'SIGABRT' at 0x10, not 'SIGSEGV / SEGV_MAPERR' at 0x10") \
	C(lose_map, copy->mapping_count = 0, WALKED "1 conclusions, not 2") \
	C(cut_stack, copy->runs[0].size = 0x100, WALKED "the stack ends because 'no return address in the last " \
	  "224 bytes of the stack, up to 0x7100', not 'no return address in the next 328 bytes, the range of a scan'") \
	C(change_address, copy->reason_address = 0x11, \
	  WALKED REASON "'SIGSEGV / SEGV_MAPERR' at 0x11, not 'SIGSEGV / SEGV_MAPERR' at 0x10")

#define MAKE(name, statement, text) static void name(struct crash *copy) { statement; }
CHANGES(MAKE)
#define LIST(name, statement, text) { name, text },

TEST(proof)
{
	static const char begin[] = "the copy would not be the same: ";
	static const struct {
		void (*change)(struct crash *copy);
		const char *text;
	} cases[] = { CHANGES(LIST) };
	const struct sanitize_options options = { .policy = policy_column(POLICY_UNSPOOL) };

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct error error = { 0 };
		struct crash crash, copy;
		size_t size;
		uint8_t *bytes = plant(&size), *other = plant(&size);

		dump_from_memory(&crash, "secret.dmp", bytes, size, 0, NULL);
		dump_from_memory(&copy, "copy.dmp", other, size, 0, NULL);
		struct sanitized out = { .crash = &crash };
		struct sanitizing sanitizing = {
			.options = &options, .logged = crash, .once_from = SIZE_MAX, .out = &out,
			.symbols = symbols_create(crash.modules, crash.module_count, NULL, 0), .error = &error };
		cases[i].change(&copy);
		const bool proved = sanitize_prove(&sanitizing, &copy);
		is_str(proved ? "" : error.text + strlen(begin), cases[i].text, "difference %zu is named", i);
		/* Each way has a walk; three frames are stepped by the walk and by each method. */
		struct sanitize_way ways[SANITIZE_WAYS];
		const size_t count = sanitize_ways(&sanitizing, 0, ways);
		is_u64(out.walks, proved ? count : 0, "the walks that are equal are counted");
		is_u64(out.steps, proved ? 3 * (1 + count - 3) : out.steps, "the steps that are equal are counted");
		symbols_free(sanitizing.symbols);
		sanitized_free(&out);
		crash_free(&copy);
		crash_free(&crash);
		free(other);
		free(bytes);
	}
}

/* Threads that share stacks are walked in one way, but for the thread that crashed. */
TEST(once)
{
	static const uint8_t stack[64] = { 0x34, 0x12, 0x40 };
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	const uint64_t registers[ARCH_REGISTERS] = { [7] = 0x7000, [16] = 0x401010 };
	struct sanitized all, once;
	struct crash crash;
	uint8_t *bytes;
	size_t size;

	synth_module(synth, 0x400000, 0x2000, "/bin/tool", "tool", NULL);
	for (uint32_t id = 1; id <= 3; id++)
		synth_thread(synth, id, registers, 0x7000, stack, sizeof(stack));
	synth_exception(synth, 2, 11, 1, 0x10);
	uint8_t *dump = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&crash, "threads.dmp", dump, size, 0, NULL);
	crash.shared_frames = 0;
	copy_with(&crash, 0, false, &all, &bytes);
	free(bytes);
	crash.shared_frames = 100;
	copy_with(&crash, 0, false, &once, &bytes);
	is_u64(all.once, 0, "threads with stacks of their own are walked in all ways");
	is_u64(once.once, 2, "two threads are walked in one way");
	is_u64(3 * (once.walks - 2), all.walks, "the third one is walked in all ways");
	is_u64(3 * once.steps, all.steps, "the third one is stepped by all methods");
	free(bytes);
	sanitized_free(&all);
	sanitized_free(&once);
	crash_free(&crash);
	free(dump);
}

/* The text about a copy's words of memory, and the names of its mappings. */
static const char *
words_and_maps(struct synth *synth, struct arena *arena)
{
	struct output_string text;
	struct copied of;

	open_copied(&of, synth, false, 0);
	output_string_init(&text, arena);
	sanitize_text(&of.made, "c.dmp", true, &text.output);
	for (size_t i = 0; i < of.copy.mapping_count; i++)
		output_format(&text.output, "%s;", of.copy.mappings[i].name);
	close_copied(&of);
	const char *words = strstr(text.text, "\nwords of memory");
	return words != NULL ? words : "";
}

/* The code of two frames, 401010 and 401233 (before a return address), is kept 128 bytes before and after. */
static void
check_code(uint32_t stack_size, const char *words)
{
	static const char maps[] =
		"00006000-00008000 rw-p 00000000 00:00 0 [stack]\n00400000-00402000 r-xp 00000000 00:00 0 /bin/tool\n"
		"00500000-00501000 r--s 00000000 00:00 0 /srv/private.db\n"
		"00600000-00601000 r--s 00000000 00:00 0 /srv/of-register.db\n"
		"00700000-00701000 r--s 00000000 00:00 0 /srv/of-crash.db\n00800000-00801000 r--s 00000000 00:00 0 /srv/of-rax.db\n"
		"00900000-00901000 rw-p 00000000 00:00 0 [heap]\n00a00000-00a01000 r-xp 00000000 00:00 0 /bin/other\n";
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	const struct arch *arch = arch_by_id(ARCH_AMD64);
	static uint8_t stack[0x300], code[0x600];
	uint64_t registers[ARCH_REGISTERS] = { 0 };
	struct arena arena = { 0 };

	registers[arch->pc] = 0x401010;
	registers[arch->sp] = 0x7000;
	registers[arch->register_count - 2] = 0x600fff;
	registers[0] = 0x800000;
	put(stack, 0, 0x401234);
	memset(code, 0x90, sizeof(code));
	memcpy(code + 0x32f, "\xe8\x00\x00\x00\x00", 5);
	synth_module(synth, 0x400000, 0x2000, "/bin/tool", "tool", NULL);
	synth_module(synth, 0xa00000, 0x1000, "/bin/other", "other", NULL);
	synth_thread(synth, 1, registers, 0x7000, stack, stack_size);
	synth_memory(synth, 0x400f00, code, sizeof(code), false);
	synth_exception(synth, 1, 11, 1, 0x700000);
	synth_stream(synth, 0x47670009, maps, sizeof(maps) - 1);
	is_str(words_and_maps(synth, &arena),
	       arena_format(&arena, "\nwords of memory that walks used:\n%s  0000000000400f90         256 bytes  tool\n"
			    "  00000000004011b3         256 bytes  tool\n"
			    "[stack];/bin/tool;;/srv/of-register.db;/srv/of-crash.db;/srv/of-rax.db;[heap];/bin/other;", words),
	       "code is kept around frames, a file's name if the crash has its address");
	arena_free(&arena);
}

/* A range of at most 64 words is listed. */
TEST(code_and_maps)
{
	check_code(0x18, "  0000000000007000  0000000000401234  stack of thread 0\n"
			 "  0000000000007008  0000000000000000  stack of thread 0\n"
			 "  0000000000007010  0000000000000000  stack of thread 0\n");
	check_code(0x208, "  0000000000007000         520 bytes  stack of thread 0\n");
}

/* The memory of a copy, "BASE+SIZE:LETTERS" for each region, and the bytes of its last stream in the crash and in the copy. */
static const char *
memory_of(struct synth *synth, bool absent, size_t shared, struct arena *arena)
{
	struct output_string text;
	struct copied of;

	open_copied(&of, synth, absent, shared);
	output_string_init(&text, arena);
	for (size_t i = 0; i < of.copy.run_count; i++)
	{
		size_t letters = 0;

		for (size_t at = 0; at < of.copy.runs[i].size; at++)
			letters += of.copy.runs[i].data[at] == 'A';
		output_format(&text.output, "%" PRIx64 "+%" PRIx64 ":%zx ", of.copy.runs[i].base, of.copy.runs[i].size, letters);
	}
	const struct sanitized_stream *last = &of.made.streams[of.made.stream_count - 1];
	output_format(&text.output, "%s %" PRIu64 ":%" PRIu64 "%s", last->name, last->size, last->copied,
		      of.made.parts != 0 || of.made.absent != absent ? " and more" : "");
	close_copied(&of);
	return text.text;
}

/* The code of a frame and the 8 bytes before a return address; lists of memory have 4 or 16 bytes and 16 for each region. */
#define CODE " 400f90+100:0 40122c+8:0 MemoryList 20:"
#define WIDE " 400f90+100:0 40122c+8:0 Memory64List 32:48"

/* A stack of more than 16 pages from 10000 on is cut below its lowest stack pointer, and above what a scan read (0x828 bytes
 * from the first frame, 0x518 from others) if that leaves out more than 16 pages; unless the report needs more: the memory
 * at a crash address next to the stack pointer. It is full of letters; a copy has those that steps read, 4 words or 2. */
TEST(pieces)
{
	enum { PAGE = 4096, BASE = 0x10000 };
	static const struct {
		unsigned pages, sp, other;	/* offsets of stack pointers; `other` 0: one thread */
		uint64_t fault;
		bool absent, wide;
		size_t shared;
		const char *copied;
	} cases[] = {
		{ 20, 0x5000, 0, 0x10, false, false, 0, "15000+f000:20" CODE "52" },
		{ 20, 0x5000, 0, BASE + 0x4ff8, false, false, 0, "10000+14000:20" CODE "52" },
		{ 20, 0x5000, 0, BASE + 0x4ff8, true, false, 0, "10ff8+11:0 15000+828:20 15ff8+11:0 16ff8+11:0 1cff8+11:0" CODE "116" },
		{ 20, 0x5000, 0x2000, 0x10, false, true, 100, "12000+12000:30" WIDE },
		{ 40, 0x5000, 0x12000, 0x10, false, true, 100, "15000+e000:30" WIDE },
		{ 40, 0x5000, 0x12000, 0x10, true, true, 100, "15000+828:20 22000+518:10" WIDE },
		{ 20, 0, 0, 0x10, false, true, 0, "10000+1000:20" WIDE }, { 20, 0, 0, BASE - 8, false, true, 0, "10000+14000:20" WIDE },
		{ 16, 0x2010, 0, 0x10, false, true, 0, "10000+10000:20" WIDE },
		{ 17, 0x2010, 0, 0x10, false, true, 0, "12000+f000:20" WIDE },
		{ 18, 0x2010, 0, 0x10, false, true, 0, "12000+10000:20" WIDE },
		{ 18, 0x17e8, 0, 0x10, false, true, 0, "11000+11000:20" WIDE },
		{ 19, 0x2010, 0, 0x10, false, true, 0, "12000+1000:20" WIDE },
	};
	const struct arch *arch = arch_by_id(ARCH_AMD64);
	static uint8_t stack[40 * PAGE], code[0x600];
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
		uint64_t registers[ARCH_REGISTERS] = { 0 };

		memset(stack, 'A', sizeof(stack));
		put(stack, cases[i].sp + 0x10, 0x401234);
		registers[arch->pc] = 0x401010;
		registers[arch->sp] = BASE + cases[i].sp;
		synth_module(synth, 0x400000, 0x2000, "/bin/tool", "tool", NULL);
		synth_thread(synth, 1, registers, BASE, stack, cases[i].pages * PAGE);
		registers[arch->sp] = BASE + cases[i].other;
		if (cases[i].other != 0)
			synth_thread(synth, 2, registers, BASE, stack, cases[i].pages * PAGE);
		synth_exception(synth, 1, 11, 1, cases[i].fault);
		synth_memory(synth, 0x400f00, code, sizeof(code), cases[i].wide);
		is_str(memory_of(synth, cases[i].absent, cases[i].shared, &arena), cases[i].copied, "the memory of copy %zu", i);
	}
	arena_free(&arena);
}

/* Minidumps are also walked as other programs do; threads after the first `once_from` and threads with shared stacks in one way. */
TEST(ways)
{
	static const struct {
		bool core, microdump;
		size_t shared, once_from, thread, plain;	/* `plain`: the ways without a method; 0: one way */
	} cases[] = { { false, false, 0, SIZE_MAX, 0, 3 }, { true, false, 0, SIZE_MAX, 0, 1 }, { false, true, 0, SIZE_MAX, 0, 1 },
		      { false, false, 1, SIZE_MAX, 0, 3 }, { false, false, 0, 1, 0, 3 }, { false, false, 0, 1, 1, 0 },
		      { false, false, 0, 2, 1, 3 }, { false, false, 1, SIZE_MAX, 1, 0 }, { false, false, 0, 0, 0, 3 } };
	const struct sanitize_options options = { .policy = policy_column(POLICY_UNSPOOL) };
	struct sanitize_way ways[SANITIZE_WAYS];
	enum method_id methods[METHOD_COUNT];
	struct crash crash;
	size_t size;
	uint8_t *bytes = plant(&size);

	dump_from_memory(&crash, "secret.dmp", bytes, size, 0, NULL);
	struct thread threads[2] = { crash.threads[0], crash.threads[0] }, *own = crash.threads;
	crash.threads = threads;
	crash.thread_count = 2;
	struct walk *walk = walk_create(&crash, NULL, NULL, 0, &options.policy);
	const size_t method_count = walk_methods(walk, methods);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct sanitizing sanitizing = { .options = &options, .logged = crash, .once_from = cases[i].once_from };
		size_t wrong = 0;

		sanitizing.logged.core = cases[i].core;
		sanitizing.logged.microdump = cases[i].microdump;
		sanitizing.logged.shared_frames = cases[i].shared;
		const size_t count = sanitize_ways(&sanitizing, cases[i].thread, ways), plain = cases[i].plain;
		is_u64(count, plain == 0 ? 1 : plain + method_count, "case %zu: the number of ways", i);
		for (size_t j = 0; j < count; j++)
			wrong += ways[j].demanded == (plain == 3 && (j == 1 || j == 2)) ||
				 (j >= plain && j > 0 && (ways[j].policy.method_count != 1 || ways[j].limit != SANITIZE_FRAMES ||
							  ways[j].policy.methods[0] != methods[j - plain]));
		is_u64(wrong, 0, "case %zu: the copy must have the walks of the options and of each method", i);
	}
	walk_free(walk);
	crash.threads = own;
	crash.thread_count = 1;
	crash_free(&crash);
	free(bytes);
}

int
main(void)
{
	struct crash crash;
	size_t size;
	uint8_t *bytes = plant(&size);

	is_u64(dump_from_memory(&crash, "secret.dmp", bytes, size, 0, NULL), ERROR_NONE, "the dump with secrets is opened");
	ok(count_secrets(bytes, size) > STACK_SIZE / 8, "the dump has many secrets");
	test_nothing_leaks(&crash);
	test_parts(&crash);
	test_absent(&crash);
	test_text(&crash);
	run_tests();
	crash_free(&crash);
	free(bytes);
	return done_testing();
}
