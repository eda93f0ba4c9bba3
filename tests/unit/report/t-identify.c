/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/report/scene.h"

#include <inttypes.h>

#include "report/memory/identify.h"

/* Addresses of the crash of scene.h; the expected facts come from its stack and symbols by hand. */

static struct scene scene;
static struct surroundings around;

/* The facts from number `first` on: "label: text", their places ("@") and targets ("->"). */
static const char *
facts(const char *typed, size_t frame, size_t first)
{
	const struct expression_scope scope = { scene.walk, frame, 0 };
	struct identification *identify = identify_create(&around, &scope, text_of(typed));
	struct output_string made;

	output_string_init(&made, &scene.arena);
	for (size_t i = first; i < identify->lines.count; i++) {
		const struct line *line = &identify->lines.items[i];
		const struct target to = listing_target(&identify->listing, i);

		output_format(&made.output, "%s%s: %.*s", i > first ? "; " : "", line->label, (int)line->text.length, line->text.start);
		if (line->place.line > 0)
			output_format(&made.output, " @%" PRIu32 ":%" PRIu32 "+%" PRIu32,
				      line->place.line, line->place.column, line->place.length);
		else if (line->place.input != NULL)
			output_format(&made.output, " @dump+%" PRIu32, line->place.length);
		if (to.kind == TARGET_MEMORY || to.kind == TARGET_CODE)
			output_format(&made.output, " -> %s %" PRIx64, to.kind == TARGET_CODE ? "code" : "memory", to.address);
		else if (to.kind != TARGET_PLACE && to.kind != TARGET_NONE)
			output_format(&made.output, " -> %s %zu", to.kind == TARGET_FRAME	   ? "frame"
				      : to.kind == TARGET_REGISTER ? "register of frame"
				      : to.kind == TARGET_MODULE   ? "module" : "thread",
				      to.kind == TARGET_MODULE	 ? to.module : to.kind == TARGET_THREAD ? to.thread : to.frame);
	}
	identify_free(identify);
	return text_or_empty(made.text);
}

#define TEXTS \
	"memory map: 500000-500fff  commit, read-write, private   @dump+48; " \
	"in the dump: 500000-5000ff, 256 bytes @dump+1 -> memory "

/* The facts by hand from the stack, the symbols and the texts that add_texts() makes. */
static const struct {
	const char *typed;
	size_t frame, first;
	const char *facts;
} answers[] = {
	{ "401015", 0, 0, "value: 0x401015   decimal 4198421; frame: eip of frame 0: it stopped here -> frame 0; "
	  "module: 0x1015 bytes into c:\\app.exe @dump+108 -> module 1; function: crash + 0x15 "
	  "@6:1+20 -> code 401015; line: c:\\src\\inner.h:3 @10:1+11; inlined: leaf, called at "
	  "inner.h:7 @8:1+21; inlined: middle, called at app.c:20 @7:1+23; memory map: "
	  "400000-402fff  commit, execute-read, image   @dump+48" },
	{ "401110", 0, 1, "frame: eip of frame 1: it continues here when its callee returns -> frame 1; module: "
	  "0x1110 bytes into c:\\app.exe @dump+108 -> module 1; function: main + 0x10 @12:1+19 "
	  "-> code 401110; line: c:\\src\\app.c:30 @13:1+12; memory map: 400000-402fff  commit, execute-read, image   @dump+48" },
	{ "401210", 0, 1, "module: 0x1210 bytes into c:\\app.exe @dump+108 -> module 1; function: start + 0x10   "
	  "(the nearest name below) @15:1+19 -> code 401210; memory map: 400000-402fff  commit, execute-read, image   @dump+48" },
	{ "10000123", 0, 1, "unloaded: 0x123 bytes into c:\\gone.dll, which had been unloaded @dump+24; memory "
	  "map: nothing is mapped here" },
	{ "12f008", 0, 1, "stack of: thread 1 (id 0xbf4) @dump+48 -> thread 1; register: ebp of frame 0; in "
	  "frame: 0, at esp + 0x8 -> frame 0; saved: ebp of frame 1, saved by frame 0 @16:61+6 "
	  "-> frame 0; in the dump: 12f000-12f05f, 96 bytes @dump+1 -> memory 12f008; holds: "
	  "0012f018  into the stack -> 0 @dump+4 -> memory 12f008" },
	{ "12f00c", 0, 1, "stack of: thread 1 (id 0xbf4) @dump+48 -> thread 1; in frame: 0, at esp + 0xc -> "
	  "frame 0; saved: the return address from frame 0 to frame 1 @16:44+11 -> frame 0; in "
	  "the dump: 12f000-12f05f, 96 bytes @dump+1 -> memory 12f00c; holds: 00401110  main + 0x10? @dump+4 -> memory 12f00c" },
	{ "12f010", 0, 1, "stack of: thread 1 (id 0xbf4) @dump+48 -> thread 1; frame: esp of frame 1 -> frame 1; "
	  "in frame: 1, at esp + 0x0 -> frame 1; cfa: the canonical frame address of frame 0; in "
	  "the dump: 12f000-12f05f, 96 bytes @dump+1 -> memory 12f010; holds: 0012f004  into the "
	  "stack -> main + 0x30? @dump+4 -> memory 12f010" },
	{ "12f018", 1, 1, "stack of: thread 1 (id 0xbf4) @dump+48 -> thread 1; register: ebp of frame 1 -> "
	  "register of frame 1; in frame: 1, at esp + 0x8 -> frame 1; saved: ebp of frame 2, "
	  "saved by frame 1 @17:61+6 -> frame 1; in the dump: 12f000-12f05f, 96 bytes @dump+1 -> "
	  "memory 12f018; holds: 00000000  0 @dump+4 -> memory 12f018" },
	{ "13f000", 0, 1, "stack of: thread 0 (id 0x20) worker @dump+48 -> thread 0; in the dump: 13f000-13f05f, "
	  "96 bytes @dump+1 -> memory 13f000; holds: 64636261  \"abcd\" @dump+4 -> memory 13f000" },
	{ "77000010", 0, 1, "module: 0x10 bytes into c:\\windows\\other.dll @dump+108 -> module 0; memory map: "
	  "77000000-77000fff  commit, execute-read, image   @dump+48" },
	{ "24f05f", 0, 1, "memory map: nothing is mapped here; near: 0x100000 bytes past memory of the dump that ends at 14f05f" },
	{ "24f060", 0, 0, "value: 0x24f060   decimal 2420832; memory map: nothing is mapped here" },
	{ "77100fff", 0, 1, "memory map: nothing is mapped here; near: 0x100000 bytes past the last one of other.dll" },
	{ "77101000", 0, 0, "value: 0x77101000   decimal 1997541376; memory map: nothing is mapped here" },
	{ "500000", 0, 1, TEXTS "500000; holds: 00636261 @dump+4 -> memory 500000" },
	{ "500010", 0, 1, TEXTS "500010; holds: 64636261  \"abcd\" @dump+4 -> memory 500010; text: \"abcd\" @dump+5" },
	{ "500020", 0, 1, TEXTS "500020; holds: 78787878  \"xxxx\" @dump+4 -> memory 500020; text: "
	  "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"... @dump+60" },
	{ "500021", 0, 1, TEXTS "500021; holds: 78787878  \"xxxx\" @dump+4 -> memory 500021; text: "
	  "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" @dump+61" },
	{ "500080", 0, 1, TEXTS "500080; holds: 00690077 @dump+4 -> memory 500080; text: UTF-16: \"wide\" @dump+10" },
	{ "5000a0", 0, 1, TEXTS "5000a0; holds: 00401110  main + 0x10? @dump+4 -> memory 5000a0" },
	{ "501010", 0, 1, "memory map: 501000-501fff  commit, read-write, guard, private    guard page @dump+48" },
	{ "fffffffe", 0, 0, "value: 0xfffffffe   decimal 4294967294   -2; read as: a hexadecimal number: no "
	  "variable 'fffffffe' is known here; memory map: nothing is mapped here" },
	{ "64636261", 0, 0, "value: 0x64636261   decimal 1684234849   \"abcd\"; memory map: nothing is mapped here" },
	{ "0", 0, 0, "value: 0x0   decimal 0; null: the null pointer; memory map: nothing is mapped here" },
	{ "1", 0, 1, "null: small: a null pointer and an offset of 1 byte, if it is an address; memory map: nothing is mapped here" },
	{ "ffff", 0, 1, "read as: a hexadecimal number: no variable 'ffff' is known here; null: small: a null "
	  "pointer and an offset of 65535 bytes, if it is an address; memory map: nothing is mapped here" },
	{ "10000", 0, 0, "value: 0x10000   decimal 65536; memory map: nothing is mapped here" },
	{ "$esp+100", 0, 0, "value: 0x12f100   decimal 1241344; read as: $esp 0x12f000 + 0x100; memory map: "
	  "nothing is mapped here; near: 0xa1 bytes past memory of the dump that ends at 12f05f" },
	{ "$sp+100", 0, 0, "value: 0x12f100   decimal 1241344; read as: $sp 0x12f000 + 0x100; memory map: nothing "
	  "is mapped here; near: 0xa1 bytes past memory of the dump that ends at 12f05f" },
	{ "@esp+100", 0, 0, "value: 0x12f100   decimal 1241344; read as: @esp 0x12f000 + 0x100; memory map: "
	  "nothing is mapped here; near: 0xa1 bytes past memory of the dump that ends at 12f05f" },
	{ "@nosuch", 0, 0, "unknown: there is no register '@nosuch'" },
	{ "45", 0, 1, "null: small: a null pointer and an offset of 69 bytes, if it is an address; crash: "
	  "the crash address of EXCEPTION_ACCESS_VIOLATION; memory map: nothing is mapped here" },
	{ "feeefeee", 0, 1, "read as: a hexadecimal number: no variable 'feeefeee' is known here; pattern: memory "
	  "freed by the Windows heap under a debugger; memory map: nothing is mapped here" },
	{ "403000", 0, 1, "memory map: nothing is mapped here; near: 0x1 bytes past the last one of app.exe" },
	{ "12f060", 0, 1, "memory map: nothing is mapped here; near: 0x1 bytes past memory of the dump that ends at 12f05f" },
	{ "a", 0, 0,
	  "value: 0xa   decimal 10; read as: a hexadecimal number: no variable 'a' is known here; null: small: a null pointer and "
	  "an offset of 10 bytes, if it is an address; memory map: nothing is mapped here" },
	/* The bytes of a pointer are not a text; texts have characters from a blank to a tilde, and an end. */
	{ "5000b0", 0, 1, TEXTS "5000b0; holds: 41414141  memory -> 00414141 @dump+4 -> memory 5000b0" },
	{ "5000c0", 0, 1, TEXTS "5000c0; holds: 627e2061  \"a ~b\" @dump+4 -> memory 5000c0; text: \"a ~b\" @dump+5" },
	{ "5000d0", 0, 1, TEXTS "5000d0; holds: 647f6261 @dump+4 -> memory 5000d0" },
	{ "5000e0", 0, 1, TEXTS "5000e0; holds: 00200061 @dump+4 -> memory 5000e0; text: UTF-16: \"a ~b\" @dump+10" },
	{ "5000fc", 0, 1, TEXTS "5000fc; holds: 7473616c  \"last\" @dump+4 -> memory 5000fc" },
	{ "nosuch", 0, 0, "unknown: 'nosuch' is not a number, a register or a known function" },
	{ "$nosuch", 0, 0, "unknown: there is no register '$nosuch'" },
};

TEST(answers)
{
	for (size_t i = 0; i < ARRAY_COUNT(answers); i++)
		is_str(facts(answers[i].typed, answers[i].frame, answers[i].first), answers[i].facts,
		       "the facts about %s from frame %zu", answers[i].typed, answers[i].frame);
}

static uint64_t
value(const char *typed, size_t frame)
{
	struct arena arena;

	arena_init(&arena, 0);
	const struct expression expression = expression_of(&around, &scene.walk->frames[frame], text_of(typed), &arena);
	arena_free(&arena);
	return expression.known ? expression.value : UINT64_MAX;
}

TEST(expressions)
{
	is_u64(value("401015", 0), 0x401015, "digits alone are hexadecimal");
	is_u64(value(" 0x401015 ", 0), 0x401015, "digits after 0x are hexadecimal");
	is_u64(value("00000000`00401015", 0), 0x401015, "WinDbg's back tick is no digit");
	is_u64(value("$esp", 0), 0x12f000, "a register is that of the frame");
	is_u64(value("esp", 1), 0x12f010, "a register of another frame has another value");
	is_u64(value("$esp+8", 0), 0x12f008, "a sum of a register and a number is read");
	is_u64(value("$ebp - 8 + 4", 0), 0x12f004, "terms are taken from the left");
	is_u64(value("0-1", 0), 0xffffffff, "values are as wide as an address");
	is_u64(value("main", 0), 0x401100, "a function is its address");
	is_u64(value("app!main+10", 0), 0x401110, "a function of a module is read, with a distance");
	is_u64(value("app.exe!main", 0), 0x401100, "the name of the module may be in full");
	is_u64(value("other!main", 0), UINT64_MAX, "a module without the function has no address");
	is_u64(value("start", 0), 0x401200, "a PUBLIC record is its address");
	/* 12f00c holds 00401110; numbers of postfix are decimal. */
	is_u64(value("$esp 12 + ^", 0), 0x401110, "an expression in postfix reads memory");
	is_u64(value("$esp +", 0), UINT64_MAX, "an operator without values has no result");
	is_u64(value("", 0), UINT64_MAX, "an empty expression has no value");
	is_u64(value("$esp++4", 0), UINT64_MAX, "a term may not be missing");
	is_u64(value("11111111111111111", 0), UINT64_MAX, "17 digits are no address");
}

/* "ADDRESS name" of each listed name. */
static const char *
names(enum identify_names which, const char *part, size_t frame)
{
	const struct expression_scope scope = { scene.walk, frame, 0 };
	struct identification *found = identify_names(&around, &scope, which, text_of(part));
	struct output_string made;

	output_string_init(&made, &scene.arena);
	for (size_t i = 0; i < found->lines.count; i++)
		output_format(&made.output, "%s%s %.*s%s", i > 0 ? "; " : "", found->lines.items[i].label,
			      (int)found->lines.items[i].text.length, found->lines.items[i].text.start,
			      listing_target(&found->listing, i).kind == TARGET_CODE ? " -> code" : "");
	output_format(&made.output, "%s", found->expression.known ? "" : "!");
	identify_free(found);
	return text_or_empty(made.text);
}

TEST(names)
{
	static const char none[] = "unknown no known name contains the text!";

	is_str(names(IDENTIFY_FUNCTIONS, "", 0), "00401000 crash -> code; 00401100 main -> code", "all functions are listed by address");
	is_str(names(IDENTIFY_FUNCTIONS, "ai", 0), "00401100 main -> code", "functions contain the text");
	is_str(names(IDENTIFY_FUNCTIONS, "mains", 0), none, "no function contains the text");
	is_str(names(IDENTIFY_VARIABLES, "", 0), none, "symbol files name no variables");
	is_str(names(IDENTIFY_TYPES, "", 0), none, "symbol files name no types");
	is_str(names(IDENTIFY_TYPES, "", 99), none, "a frame that is not there has no types");
	is_str(names(IDENTIFY_SLOTS, "", 0), none, "symbol files name no slots");
}

/* Names of parcel, which has no symbol file: those of readelf -r and nm, at 555555554000 and more. Frame 7 is in libc. */
TEST(own_file)
{
	static const char slots[] = "0000555555557fc0 __libc_start_main@got; 0000555555557fc8 _ITM_deregisterTMCloneTable@got; "
		"0000555555557fd0 __gmon_start__@got; 0000555555557fd8 _ITM_registerTMCloneTable@got; 0000555555557fe0 __cxa_finalize@got";
	static const char none[] = "unknown no known name contains the text!";
	static const struct {
		enum identify_names which;
		const char *part;
		size_t frame;
		const char *names;
	} listed[] = {
		{ IDENTIFY_SLOTS, "", 0, slots }, { IDENTIFY_SLOTS, "parcel", 7, slots }, { IDENTIFY_SLOTS, "", 7, none },
		{ IDENTIFY_SLOTS, "", 99, none }, { IDENTIFY_SLOTS, "libc.so.6", 0, none }, { IDENTIFY_SLOTS, "parce", 0, none },
		{ IDENTIFY_FUNCTIONS, "weigh", 0, "00005555555551b8 weigh -> code; 00005555555551dd sort_and_weigh -> code" },
		{ IDENTIFY_VARIABLES, "o", 0, "0000555555557e08 __do_global_dtors_aux_fini_array_entry; "
		  "0000555555558008 __dso_handle; 0000555555558010 completed.0; 0000555555558014 shown" },
		{ IDENTIFY_TYPES, "", 0, none },
	};
	const char *folder = arena_format(&scene.arena, "%s/data/crashes/sframe-amd64/binaries", text_or_empty(getenv("srcdir")));
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct surroundings was = around;
	struct walk *walk = scene.walk;
	struct crash crash;

	if (dump_open(&crash, arena_format(&scene.arena, "%s/../crash.dmp", folder), 0, NULL) != ERROR_NONE)
		exit(1);
	struct binaries *binaries = binaries_create(&crash, &folder, 1);
	scene.walk = walk_create(&crash, NULL, binaries, 0, &policy);
	walk_run(scene.walk, 0);
	surroundings_init(&around, &crash, NULL, binaries, &policy, NULL);
	around.loads = true;
	for (size_t i = 0; i < ARRAY_COUNT(listed); i++)
		is_str(names(listed[i].which, listed[i].part, listed[i].frame), listed[i].names, "names of a file: %zu", i);
	surroundings_free(&around);
	around = was;
	walk_free(scene.walk);
	scene.walk = walk;
	binaries_free(binaries);
	crash_free(&crash);
}

TEST(redacted)
{
	crash_redact(&scene.crash, true);
	is_str(facts("12f00c", 0, 1), "stack of: thread 1 (id 0xbf4) @dump+48 -> thread 1; in frame: 0, at esp + 0xc -> "
	       "frame 0; saved: the return address from frame 0 to frame 1 @16:44+11 -> frame 0; in "
	       "the dump: 12f000-12f05f, 96 bytes @dump+1 -> memory 12f00c; holds: (redacted)",
	       "a redacted word has its place and no value");
}

static void
add_texts(struct synth *synth)
{
	static uint8_t texts[0x100];

	memcpy(texts, "abc", 4);
	memcpy(texts + 0x10, "abcd", 5);
	memset(texts + 0x20, 'x', 61);
	memcpy(texts + 0x80, "w\0i\0d\0e\0\0", 10);
	memcpy(texts + 0xb0, "AAAA", 5);
	memcpy(texts + 0xc0, "a ~b", 5);
	memcpy(texts + 0xd0, "ab\x7f" "d", 5);
	memcpy(texts + 0xe0, "a\0 \0~\0b\0\0", 10);
	memcpy(texts + 0xfc, "last", 4);
	synth_memory(synth, 0x41414140, "AAAA", 5, false);
	memcpy(texts + 0xa0, "\x10\x11\x40\0gone", 9);
	synth_memory(synth, 0x500000, texts, sizeof(texts), false);
	synth_memory_info(synth, 0x400000, 0x3000, 0x1000, 0x20, 0x1000000);
	synth_memory_info(synth, 0x77000000, 0x1000, 0x1000, 0x20, 0x1000000);
	synth_memory_info(synth, 0x500000, 0x1000, 0x1000, 4, 0x20000);
	synth_memory_info(synth, 0x501000, 0x1000, 0x1000, 0x104, 0x20000);
}

int
main(void)
{
	scene_more = add_texts;
	const struct policy policy = policy_column(POLICY_UNSPOOL);

	scene_open(&scene);
	surroundings_init(&around, &scene.crash, scene.symbols, NULL, &policy, NULL);
	around.loads = true;
	run_tests();
	surroundings_free(&around);
	scene_close(&scene);
	return done_testing();
}
