/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/compiler.h"
#include "dump/dump.h"
#include "report/memory/thread_block_report.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"

/* Thread blocks of Windows and chains of handlers, written by hand: offsets of winternl.h,
 * registrations and scope tables as Microsoft's compilers lay them out on the stack. */
enum {
	TEB32 = 0x7ffde000, PEB32 = 0x7ffd3000, PARAMETERS = 0x20000, STRINGS = 0x20800,
	STACK = 0x12f000, STACK_SIZE = 0x1000, SP = 0x12f100,
	IMAGE = 0x400000, COOKIE_AT = IMAGE + 0x3000, HANDLER = IMAGE + 0x1100
};
#define COOKIE 0xbb40e64eu

struct made {
	uint8_t teb[0x1000], peb[0x400], parameters[0x100], strings[0x80];
	uint8_t stack[STACK_SIZE], image[0x4000];
	bool has_teb, has_map;
	struct crash crash;
	uint8_t *bytes;
	struct surroundings around;
	struct arena arena;
};

static void
put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void
put_string(struct made *made, size_t field, size_t at, const char *text)
{
	put(made->parameters + field, strlen(text) * 2, 2);
	put(made->parameters + field + 4, STRINGS + at, 4);
	for (size_t i = 0; text[i] != '\0'; i++)
		made->strings[at + i * 2] = (uint8_t)text[i];
}

static void
put_record(struct made *made, uint32_t at, uint32_t next, uint32_t handler)
{
	put(made->stack + (at - STACK), next, 4);
	put(made->stack + (at - STACK) + 4, handler, 4);
}

/* A TEB, a chain of two handlers, and the image's load configuration with a cookie. */
static struct made *
make(void)
{
	struct made *made = calloc(1, sizeof(*made));

	if (made == NULL)
		abort();
	made->has_teb = true;
	put(made->teb, SP + 0x20, 4);
	put(made->teb + 4, STACK + STACK_SIZE, 4);
	put(made->teb + 8, STACK, 4);
	put(made->teb + 0x18, TEB32, 4);
	put(made->teb + 0x24, 0x4d2, 4);
	put(made->teb + 0x30, PEB32, 4);
	put(made->teb + 0x34, 5, 4);
	put(made->teb + 0xe10 + 3 * 4, 0x77, 4);
	put(made->peb + 2, 1, 1);
	put(made->peb + 8, IMAGE, 4);
	put(made->peb + 0x10, PARAMETERS, 4);
	put(made->peb + 0x64, 8, 4);
	put_string(made, 0x40, 0, "app -x");
	put_record(made, SP + 0x20, SP + 0x80, HANDLER);
	put_record(made, SP + 0x80, SEH_LAST, IMAGE + 0x1400);
	memcpy(made->image, "MZ", 2);
	put(made->image + 0x3c, 0x80, 4);
	put(made->image + 0x80 + 24, 0x10b, 2);
	put(made->image + 0x80 + 24 + 96 + 80, 0x2800, 4);
	put(made->image + 0x2800, 0x48, 4);
	put(made->image + 0x2800 + 0x3c, COOKIE_AT, 4);
	put(made->image + 0x3000, COOKIE, 4);
	return made;
}

static void
open_crash(struct made *made)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	uint64_t registers[ARCH_REGISTERS] = { [0] = IMAGE + 0x1000, [1] = SP };
	struct error error = { 0 };
	size_t size;

	synth_module(synth, IMAGE, 0x4000, "c:\\app.exe", "c:\\app.pdb", NULL);
	synth_thread(synth, 1, registers, STACK, made->stack, sizeof(made->stack));
	synth_thread_teb(synth, TEB32);
	if (made->has_teb)
		synth_memory(synth, TEB32, made->teb, sizeof(made->teb), false);
	synth_memory(synth, PEB32, made->peb, sizeof(made->peb), false);
	synth_memory(synth, PARAMETERS, made->parameters, sizeof(made->parameters), false);
	synth_memory(synth, STRINGS, made->strings, sizeof(made->strings), false);
	synth_memory(synth, IMAGE, made->image, sizeof(made->image), false);
	/* Committed, from the image: executable, then writable */
	if (made->has_map)
		synth_memory_info(synth, IMAGE, 0x2000, 0x1000, 0x20, 0x1000000);
	if (made->has_map)
		synth_memory_info(synth, IMAGE + 0x2000, 0x2000, 0x1000, 0x04, 0x1000000);
	made->bytes = synth_finish(synth, &size);
	synth_free(synth);
	is_u64(dump_from_memory(&made->crash, "made.dmp", made->bytes, size, 0, &error), ERROR_NONE, "the crash is opened");
	arena_init(&made->arena, 0);
	if (!surroundings_init(&made->around, &made->crash, NULL, NULL, &policy, NULL))
		abort();
}

static void
close_crash(struct made *made)
{
	surroundings_free(&made->around);
	arena_free(&made->arena);
	crash_free(&made->crash);
	free(made->bytes);
	free(made);
}

TEST(block)
{
	struct made *made = make();
	struct thread_block block;

	put(made->teb + 0x18, TEB32 + 0x1000, 4);
	open_crash(made);
	thread_block_read(&block, &made->around, 0, &made->arena);
	ok(!block.there[BLOCK_TEB] && !block.values[BLOCK_FIELD_stack_base].known && block.at[BLOCK_PEB] == 0,
	   "a block that does not point to itself is not recognised");
	close_crash(made);
}

/*
 * Blocks whose words of 16 bits have their own offsets, with changed words of 32 bits, as a text: addresses of the blocks that are
 * there, the known fields, the first and the last slot. `t`: the TEBs of both layers, `p` the PEB, `r` the parameters.
 */
#define WIDE "t30=70000000 t60=71000000 t34=0 t64=0 p20=72000000 p24=0 "
#define NARROW "t2018=70002000 t2030=71000000 p10=72000000 "
#define THREE "70000000 71000000 72000000"
#define NAMES "r60=a0008 r68=73000000 r6c=0 r70=a r78=73000002 r7c=0 r38=0 "
#define TEB_WIDE \
	" stack_base=e000c000a0008 stack_limit=16001400120010 stack_reserved=147e147c147a1478 process_id=420040 thread_id=4a0048" \
	" last_error=6a0068 last_status=12521250 critical_sections=6e006c thread_storage=5e005c005a0058"
#define PEB_WIDE \
	" being_debugged=2 image_base=16001400120010 loader_data=1e001c001a0018 process_heap=36003400320030 global_flags=be00bc" \
	" processors=ba00b8 session=2c202c0"
#define SLOTS_WIDE " | 1486148414821480 167e167c167a1678"
static const struct {
	const char *title;
	uint8_t word, native;	/* native: the 64-bit layer's TEB is before that of the program */
	const char *changes, *text;
} blocks[] = {
	{ "all blocks of 64 bits", 8, 0, WIDE NAMES, THREE TEB_WIDE PEB_WIDE
	  " image_path=73000000 \"abcd\"4 command_line=73000002 \"bcdef\"5" SLOTS_WIDE },
	{ "all blocks of 32 bits", 4, 1, NARROW "r38=4 r3c=73000000 r40=2 r44=73000004 r24=6 r28=73000006",
	  "70002000 71000000 72000000 stack_base=60004 stack_limit=a0008 stack_reserved=e0e0e0c process_id=220020 thread_id=260024"
	  " last_error=360034 last_status=bf60bf4 critical_sections=3a0038 thread_storage=2e002c being_debugged=2 image_base=a0008"
	  " loader_data=e000c process_heap=1a0018 global_flags=6a0068 processors=660064 session=1d601d4 image_path=73000000 \"ab\"2"
	  " command_line=73000004 \"c\"1 directory=73000006 \"def\"3 | e120e10 f0e0f0c" },
	{ "a program of 32 bits without another layer has its own TEB", 4, 0, NARROW, "" },
	{ "a block of the other layer does not point to itself", 4, 1, "t2018=70000000", "" },
	{ "a PEB that the dump lacks", 8, 0, WIDE "t60=71000400", "70000000" TEB_WIDE SLOTS_WIDE },
	{ "no PEB", 8, 0, WIDE "t60=0", "70000000" TEB_WIDE SLOTS_WIDE },
	{ "parameters that the dump lacks", 8, 0, WIDE "p20=72000100", "70000000 71000000" TEB_WIDE PEB_WIDE SLOTS_WIDE },
	{ "no parameters", 8, 0, WIDE "p20=0", "70000000 71000000" TEB_WIDE PEB_WIDE SLOTS_WIDE },
	{ "strings that end with and after their memory", 8, 0, WIDE "r60=4 r68=73001ffc r6c=0 r70=6 r78=73001ffc r7c=0 r38=2 r40=73001ffe r44=0",
	  THREE TEB_WIDE PEB_WIDE " image_path=73001ffc \"mn\"2 directory=73001ffe \"n\"1" SLOTS_WIDE },
	{ "4096 bytes of a string are read", 8, 0, WIDE NAMES "r60=1002 r70=1000 ", THREE TEB_WIDE PEB_WIDE
	  " image_path=73000000 \"abcdef\"2048 command_line=73000002 \"bcdefg\"2048" SLOTS_WIDE },
	{ "errors have names", 8, 0, WIDE NAMES "t68=5 t6c=5 t1250=c0000005 t40=5", THREE
	  " stack_base=e000c000a0008 stack_limit=16001400120010 stack_reserved=147e147c147a1478 process_id=5 thread_id=4a0048"
	  " last_error=5 \"ERROR_\"19 last_status=c0000005 \"STATUS\"23 critical_sections=5 thread_storage=5e005c005a0058" PEB_WIDE
	  " image_path=73000000 \"abcd\"4 command_line=73000002 \"bcdef\"5" SLOTS_WIDE },
};

TEST_EACH(blocks, blocks)
{
	static uint8_t bytes[4][0x4000];
	struct memory_region regions[4] = { { .base = 0 } };
	struct memory_run runs[4];
	struct crash_context outer = { .present = true };
	struct thread thread = { .teb = 0x70000000 };
	struct crash crash = { .threads = &thread, .thread_count = 1 };
	struct surroundings around = { .crash = &crash, .memory = { .crash = &crash, .runs = runs, .count = 4 } };
	const size_t sizes[] = { 0x4000, 0x400, 0x100, 0x2000 };
	struct output_string text;
	struct thread_block block;
	struct arena arena = { 0 };
	unsigned at, value;
	int length;
	char kind;

	for (size_t j = 0; j < 4; j++) {
		regions[j].base = 0x70000000 + 0x1000000 * j;
		runs[j] = (struct memory_run){ regions[j].base, sizes[j], bytes[j], &regions[j] };
		for (size_t k = 0; k < sizes[j]; k += 2)
			put(bytes[j] + k, j == 3 ? 'a' + k / 2 % 26 : k % 0x2000, 2);
	}
	for (const char *c = blocks[i].changes; sscanf(c, " %c%x=%x%n", &kind, &at, &value, &length) == 3; c += length)
		put(bytes[kind == 't' ? 0 : kind == 'p' ? 1 : 2] + at, value, 4);
	crash.system.os = CRASH_OS_WINDOWS;
	crash.system.arch = arch_by_id(ARCH_AMD64);
	thread.context.arch = blocks[i].word == 4 ? arch_by_id(ARCH_X86) : NULL;
	thread.context.native = blocks[i].native ? &outer : NULL;
	thread_block_read(&block, &around, 0, &arena);
	output_string_init(&text, &arena);
	for (size_t j = 0; j < BLOCK_KINDS; j++)
		if (block.there[j])
			output_format(&text.output, "%s%" PRIx64, j > 0 ? " " : "", block.at[j]);
	for (size_t j = 0; j < BLOCK_FIELDS; j++) {
		const struct block_value *field = &block.values[j];

		if (field->known)
			output_format(&text.output, " %s=%" PRIx64, block_fields[j].key, field->value);
		if (field->text != NULL)
			output_format(&text.output, " \"%.6s\"%zu", field->text, strlen(field->text));
	}
	if (block.there[BLOCK_TEB])
		output_format(&text.output, " | %" PRIx64 " %" PRIx64, block.slots[0], block.slots[63]);
	is_str(text.text, blocks[i].text, "%s", blocks[i].title);
	thread.teb = 0;
	thread_block_read(&block, &around, 0, &arena);
	ok(!block.there[BLOCK_TEB] && block.slots[0] == 0, "a thread without the address of a TEB has none");
	arena_free(&arena);
}

/* Writes words of 32 bits: `s120=12f180 i2000=ffffffff`; t the TEB, p the PEB, s the stack, i the image. */
static void
change(struct made *made, const char *changes)
{
	unsigned at, value;
	int length;
	char block;

	for (; sscanf(changes, " %c%x=%x%n", &block, &at, &value, &length) == 3; changes += length)
		put((block == 't' ? made->teb : block == 'p' ? made->peb : block == 's' ? made->stack : made->image) + at, value, 4);
}

/* Registrations as ADDRESS>HANDLER, with `3:` or `4:` (by _except_handler3 or 4), the level and the scopes. */
static const char *
chain_text(struct made *made)
{
	static const char *const ends[] = { "whole", "none", "unread", "astray", "too long" };
	struct output_string text;
	struct seh_chain chain;

	output_string_init(&text, &made->arena);
	if (!seh_chain_read(&chain, &made->around, 0, &made->arena))
		return "no chain";
	output_format(&text.output, "%s%s", chain.from_block ? "" : "search ", ends[chain.end]);
	if (chain.end != SEH_WHOLE && chain.end != SEH_NONE)
		output_format(&text.output, " %" PRIx64, chain.end_at);
	for (size_t i = 0; i < chain.count && i < 4; i++) {
		const struct seh_record *record = &chain.records[i];

		output_format(&text.output, " %" PRIx64 ">%" PRIx64, record->address, record->handler);
		if (record->kind != SEH_OTHER)
			output_format(&text.output, " %d:%d", record->kind == SEH_SCOPES ? 3 : 4, (int)record->level);
		for (size_t j = 0; j < record->scope_count; j++)
			output_format(&text.output, ",%d/%" PRIx64 "/%" PRIx64, (int)record->scopes[j].enclosing,
				      record->scopes[j].filter, record->scopes[j].handler);
		if (record->doubt != NULL || record->unsafe)
			output_format(&text.output, " %s", record->unsafe ? "(unsafe)" : record->doubt);
	}
	return text.text;
}

/* Scopes by _except_handler3: the first one is outermost. Scopes by _except_handler4. A list of safe handlers. */
#define SCOPES "i2000=ffffffff i2004=401200 i2008=401100 i200c=0 i2010=0 i2014=401300 s128=402000 s12c=1 "
#define COOKIES "i2010=fffffffe i2014=401200 i2018=401100 s128=bb00c64e s12c=0 "	/* 402000 ^ bb40e64e */
#define SAFE "i2840=402900 i2844=1 i2900=1100 "
#define TWO "12f120>401100 12f180>401400"
static const struct {
	const char *title, *changes, *text;
} walked[] = {
	{ "the chain is followed to its end", "", "whole " TWO }, { "a thread without handlers", "t0=ffffffff", "none" },
	{ "a chain that goes to lower addresses is not followed", "s180=12f140", "astray 12f140 " TWO },
	{ "a chain that leads to itself is not followed", "s180=12f180", "astray 12f180 " TWO },
	{ "a chain that leaves the stack is not followed", "s180=130010", "astray 130010 " TWO },
	{ "a registration is aligned", "s120=12f182", "astray 12f182 12f120>401100" },
	{ "the first word of the stack may be a registration, the one after the last may not",
	  "t0=12f100 t4=12f200 t8=12f100 s100=12f200 s104=401100 s200=ffffffff", "astray 12f200 12f100>401100" },
	{ "a registration below the limit of the stack is not read", "t0=12f0f0 t8=12f100 s0f0=ffffffff", "astray 12f0f0" },
	{ "a registration below the stack pointer is above the limit", "t0=12f0f0 s0f0=12f120 s0f4=401100", "whole 12f0f0>401100 " TWO },
	{ "a limit above the stack pointer is of another stack", "t8=12f104 t0=12f0f0 s0f0=12f120", "astray 12f0f0" },
	{ "a base at the stack pointer is of another stack", "t4=12f100", "whole " TWO },
	{ "the stack pointer may be the limit", "t4=12f104 t8=12f100", "astray 12f120" },
	{ "the handler of the last word is missing", "s180=12fffc", "unread 12fffc " TWO },
	{ "a handler in no module is reported", "s184=41414141", "whole 12f120>401100 12f180>41414141 the handler is in no module" },
	{ "a handler on the stack is reported", "s184=12f300", "whole 12f120>401100 12f180>12f300 the handler is on the stack" },
	{ "the first and the last word of the stack are on the stack", "s124=12f000 s184=12ffff",
	  "whole 12f120>12f000 the handler is on the stack 12f180>12ffff the handler is on the stack" },
	{ "a handler after the stack is not on it", "s184=130000", "whole 12f120>401100 12f180>130000 the handler is in no module" },
	{ "a handler without the right to execute is reported", "M s184=402100",
	  "whole 12f120>401100 12f180>402100 the handler is not code" },
	{ "the chain is found on the stack if the block is missing", "X", "search whole " TWO },
	{ "a search takes the highest registration", "X s200=ffffffff s204=401200", "search whole 12f200>401200" },
	{ "a search takes no registration without code", "X s200=ffffffff s204=5", "search whole " TWO },
	{ "a search begins with the last two words", "X sff8=ffffffff sffc=401200", "search whole 12fff8>401200" },
	{ "a search ends at the stack pointer", "X s100=12f120 s104=401100 s0fc=12f100", "search whole 12f100>401100 " TWO },
	{ "a search finds nothing", "X s180=0", "no chain" },
	{ "_except_handler3: the scopes from the one in force outwards", SCOPES,
	  "whole 12f120>401100 3:1,0/0/401300,-1/401200/401100 12f180>401400" },
	{ "the outer scope is in force", SCOPES "s12c=0", "whole 12f120>401100 3:0,-1/401200/401100 12f180>401400" },
	{ "no scope is in force", SCOPES "s12c=ffffffff", "whole 12f120>401100 3:-1 12f180>401400" },
	{ "scopes may be passed over", SCOPES "i2018=0 i2020=401310 s12c=2", "whole 12f120>401100 3:2,0/0/401310,-1/401200/401100 12f180>401400" },
	{ "no scope encloses itself", SCOPES "i200c=1", "whole " TWO }, { "no scope is in a later one", SCOPES "i200c=2", "whole " TWO },
	{ "the first scope is outermost", SCOPES "i2000=0 s12c=0", "whole " TWO },
	{ "a table of scopes is aligned", SCOPES "s128=402001", "whole " TWO },
	{ "a table of scopes is in a module", SCOPES "s128=12f400 s400=ffffffff s404=401200 s408=401100 s12c=0", "whole " TWO },
	{ "a filter is code", SCOPES "i2004=500000", "whole " TWO }, { "a __finally is code", SCOPES "i2014=500000", "whole " TWO },
	{ "a handler of a scope is code", SCOPES "i2008=0", "whole " TWO }, { "a scope without memory", SCOPES "s12c=1000", "whole " TWO },
	{ "_except_handler4: the cookie uncovers the table", COOKIES, "whole 12f120>401100 4:0,-2/401200/401100 12f180>401400" },
	{ "_except_handler4: no scope is in force", COOKIES "s12c=fffffffe", "whole 12f120>401100 4:-2 12f180>401400" },
	{ "the other value of no scope", COOKIES "s12c=ffffffff", "whole " TWO },
	{ "a header of 64 bits has no cookie", COOKIES "i98=20b", "whole " TWO },
	{ "the linker's version follows the magic", COOKIES "i98=90e010b", "whole 12f120>401100 4:0,-2/401200/401100 12f180>401400" },
	{ "a configuration that ends before the cookie", COOKIES "i2800=3c", "whole " TWO },
	{ "a configuration that ends after the cookie", COOKIES "i2800=40", "whole 12f120>401100 4:0,-2/401200/401100 12f180>401400" },
	{ "no configuration", COOKIES "i148=0", "whole " TWO }, { "no cookie", COOKIES "i283c=0", "whole " TWO },
	{ "a cookie without memory", COOKIES "i283c=500000", "whole " TWO },
	{ "a handler that its module does not list is reported", SAFE, "whole " TWO " (unsafe)" },
	{ "all handlers are listed", SAFE "i2844=2 i2904=1400", "whole " TWO }, { "no list", SAFE "i2840=0", "whole " TWO },
	{ "a list that ends before a handler", SAFE "i2904=1400", "whole " TWO " (unsafe)" },
	{ "a list without handlers", SAFE "i2844=0", "whole " TWO }, { "a configuration without the count", SAFE "i2800=44", "whole " TWO },
	{ "a list of more than 65536 handlers", SAFE "i2844=10001", "whole " TWO },
};

TEST_EACH(chain, walked)
{
	struct made *made = make();

	made->has_teb = walked[i].changes[0] != 'X';
	made->has_map = walked[i].changes[0] == 'M';
	change(made, walked[i].changes + (made->has_map || !made->has_teb));
	open_crash(made);
	is_str(chain_text(made), walked[i].text, "%s", walked[i].title);
	close_crash(made);
}

/* 1000 registrations are followed: here each word is the address of the next one. */
TEST(long_chain)
{
	struct made *made = make();

	for (uint32_t at = 0; at < STACK_SIZE; at += 4)
		put(made->stack + at, STACK + at + 4, 4);
	put(made->teb, STACK, 4);
	open_crash(made);
	ok(strncmp(chain_text(made), "too long 12ffa0 12f000>12f008 the handler is on the stack", 57) == 0,
	   "a chain of more than 1000 registrations is too long");
	close_crash(made);
}

static char shown[8192];
static size_t to_memory, to_code;	/* rows that lead there */

/* The rows of the view of thread 0, without the places in the dump; as JSON with `json`. */
static const char *
view(struct made *made, size_t columns, bool json)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct symbols *symbols = symbols_create(made->crash.modules, made->crash.module_count, NULL, 0);
	struct walk *walk = walk_create(&made->crash, symbols, NULL, 0, &policy);
	struct output_string written;
	struct row row;

	walk_run(walk, 0);
	output_string_init(&written, &made->arena);
	struct thread_report *report = thread_report_make(&made->around, 0, walk, &made->arena);
	const struct listing listing = thread_report_listing(report, columns);
	row_init(&row, &made->arena);
	to_memory = to_code = 0;
	for (size_t i = 0; !json && i < listing.count; i++) {
		to_memory += listing_target(&listing, i).kind == TARGET_MEMORY;
		to_code += listing_target(&listing, i).kind == TARGET_CODE;
		row_clear(&row);
		listing_fill(&listing, i, columns, &row);
		const char *place = strstr(row_text(&row), "made.dmp+0x");
		struct text text = { row_text(&row), place != NULL ? (size_t)(place - row_text(&row)) : strlen(row_text(&row)) };
		while (text.length > 0 && text.start[text.length - 1] == ' ')
			text.length--;
		output_line(&written.output, "%.*s", (int)text.length, text.start);
	}
	if (json)
		FACTS_DOCUMENT(&written.output, false, thread_block, report);
	snprintf(shown, sizeof(shown), "%s", written.text);
	walk_free(walk);
	symbols_free(symbols);
	return shown;
}

static void
shows(const char *part, const char *title)
{
	if (!ok(strstr(shown, part) != NULL, "%s", title))
		tap_diag("no '%s' in:\n%s", part, shown);
}

TEST(view)
{
	struct made *made = make();

	change(made, SCOPES);
	put(made->teb + 0xbf4, 0xc0000005, 4);
	put_record(made, SP + 0x80, SP + 0xf0, 0x41414141);
	put_record(made, SP + 0xf0, SEH_LAST, IMAGE + 0x1400);
	open_crash(made);
	is_text(view(made, 0, false), " thread         TEB at 7ffde000\n"
		 " stack base     00130000\n"
		 " stack limit    0012f000\n"
		 " reserved from  00000000\n"
		 " process ID     0\n"
		 " thread ID      1234\n"
		 " last error     0x5 ERROR_ACCESS_DENIED\n"
		 " last status    0xc0000005 STATUS_ACCESS_VIOLATION\n"
		 " locks          0\n"
		 " TLS            00000000\n"
		 " TLS slot       3: 00000077\n"
		 " handlers       0012f120, frame 0 or above: app.exe + 0x1100 = 00401100\n"
		 "                  __finally app.exe + 0x1300\n"
		 "                  __except app.exe + 0x1100, filter app.exe + 0x1200\n"
		 "                0012f180, frame 0 or above: 41414141 ! the handler is in no module\n"
		 "                0012f1f0, frame 0 or above: app.exe + 0x1400 = 00401400\n"
		 "                the chain is complete: the last registration points to no other\n"
		 " process        PEB at 7ffd3000\n"
		 " debugged       yes\n"
		 " image base     00400000\n"
		 " loader data    00000000\n"
		 " heap           00000000\n"
		 " global flags   0\n"
		 " processors     8\n"
		 " session        0\n"
		 " started        parameters at 00020000\n"
		 " command line   app -x\n", "%s", "the view has blocks, fields, and handlers with their scopes");
	is_u64(to_memory, 10, "three blocks and seven addresses lead to memory");
	is_u64(to_code, 5, "three handlers and two scopes lead to code");
	view(made, 44, false);
	shows(" handlers       0012f120, frame 0 or above:\n"
	      "                  app.exe + 0x1100 =\n"
	      "                  00401100\n"
	      "                  __finally app.exe + 0x1300\n", "a long line of a narrow view is wrapped");
	view(made, 0, true);
	shows("\"name\":\"command_line\",\"block\":\"parameters\",\"value\":\"0x20800\","
	      "\"text\":\"app -x\"", "JSON has a field with its address and text");
	shows("\"tls_slots\":[{\"slot\":3,\"value\":\"0x77\"}],\"chain\":\"whole\","
	      "\"chain_searched\":false,\"handlers\":[{\"address\":\"0x0012f120\",\"frame\":null,"
	      "\"below\":false,\"handler\":\"0x00401100\",\"name\":\"app.exe + 0x1100\","
	      "\"kind\":\"scopes\",\"doubt\":null,\"unsafe\":false,\"scopes\":[{\"filter\":null,",
	      "JSON has the chain of handlers");
	shows("\"doubt\":\"the handler is in no module\"", "JSON has the reason why a record has no handler");
	crash_redact(&made->crash, true);
	view(made, 0, false);
	shows(" command line   (redacted)\n", "a shared dump does not have the command line");
	ok(strstr(shown, "TLS slot") == NULL, "a shared dump has no words of the program");
	close_crash(made);

	made = make();
	made->has_teb = false;
	put(made->image + 0x2800 + 0x40, IMAGE + 0x2900, 4);
	put(made->image + 0x2800 + 0x44, 1, 4);
	put(made->image + 0x2900, HANDLER - IMAGE, 4);
	open_crash(made);
	view(made, 0, false);
	shows("TEB at 7ffde000: the dump does not have its memory\n"
	      " note           the dump does not have the thread's block; this chain was found by "
	      "searching the stack, a guess\n", "a chain that was found by a search is a guess");
	shows("= 00401400 ! not in the module's list of handlers (SafeSEH)\n", "a handler that its module does not list is marked");
	made->crash.system.os = CRASH_OS_LINUX;
	is_str(view(made, 0, false), "only threads of Windows have such a block (TEB)\n",
	       "a crash of another system has no blocks of threads");
	close_crash(made);

	const struct {
		uint32_t first, next;
		const char *row;
	} chains[] = {
		{ SEH_LAST, SEH_LAST, " handlers       none\n" },
		{ SP + 0x20, SP + 0x40, "not a valid chain: 0012f140 is not at a higher address on the stack\n" },
		{ STACK + 0x20, SEH_LAST, " handlers       0012f020, below the frames: app.exe" },
		{ STACK - 4, SEH_LAST, " handlers       not a valid chain: 0012effc is " },
	};
	for (size_t i = 0; i < ARRAY_COUNT(chains); i++) {
		made = make();
		put(made->teb, chains[i].first, 4);
		put_record(made, STACK + 0x20, SP + 0x20, HANDLER);
		put_record(made, SP + 0x20, SP + 0x80, HANDLER);
		put_record(made, SP + 0x80, chains[i].next, HANDLER);
		open_crash(made);
		view(made, 0, false);
		shows(chains[i].row, "the end of a chain is shown");
		close_crash(made);
	}
}
