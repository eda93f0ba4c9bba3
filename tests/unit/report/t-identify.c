/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/report/scene.h"

#include "report/memory/identify.h"

/* Addresses of the crash of scene.h; the expected facts come from its stack and symbols by hand. */

static struct scene scene;
static struct surroundings around;

/* The text of the first fact with a name about an input, or "". */
static const char *
fact(const char *typed, size_t frame, const char *name)
{
	static char text[400];
	const struct expression_scope scope = { scene.walk, frame, 0 };
	struct identification *identify = identify_create(&around, &scope, text_of(typed));

	text[0] = '\0';
	for (size_t i = 0; i < identify->lines.count && text[0] == '\0'; i++)
		if (strcmp(identify->lines.items[i].label, name) == 0)
			snprintf(text, sizeof(text), "%.*s",
				 (int)identify->lines.items[i].text.length,
				 identify->lines.items[i].text.start);
	identify_free(identify);
	return text;
}

static uint64_t
value(const char *typed, size_t frame)
{
	struct arena arena;

	arena_init(&arena, 0);
	const struct expression expression = expression_of(
		&around, &scene.walk->frames[frame], text_of(typed), &arena);
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
	is_u64(value("app!main+10", 0), 0x401110,
	       "a function of a module is read, with a distance");
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

TEST(code)
{
	is_str(fact("401015", 0, "module"), "0x1015 bytes into c:\\app.exe",
	       "an address in code has its module");
	is_str(fact("401015", 0, "function"), "crash + 0x15",
	       "an address in code has its function");
	is_str(fact("401015", 0, "line"), "c:\\src\\inner.h:3", "an address in code has its line");
	is_str(fact("401015", 0, "inlined"), "leaf, called at inner.h:7",
	       "the innermost of the inlined calls comes first");
	is_str(fact("401015", 0, "frame"), "eip of frame 0: it stopped here",
	       "the pc of frame 0 names the frame");
	is_str(fact("401110", 0, "frame"),
	       "eip of frame 1: it continues here when its callee returns",
	       "the pc of a caller names the frame");
	is_str(fact("401210", 0, "function"), "start + 0x10   (the nearest name below)",
	       "a PUBLIC says not how far it goes");
	is_str(fact("10000123", 0, "unloaded"),
	       "0x123 bytes into c:\\gone.dll, which had been unloaded",
	       "an address in an unloaded module names it");
}

TEST(stack)
{
	is_str(fact("12f008", 0, "saved"), "ebp of frame 1, saved by frame 0",
	       "a saved register says whose");
	is_str(fact("12f00c", 0, "saved"), "the return address from frame 0 to frame 1",
	       "a saved return address names its frames");
	is_str(fact("12f00c", 0, "in frame"), "0, at esp + 0xc", "a word has its frame");
	is_str(fact("12f010", 0, "cfa"), "the canonical frame address of frame 0",
	       "the frame's CFA is shown");
	is_str(fact("12f00c", 0, "stack of"), "thread 1 (id 0xbf4)",
	       "a word of a stack has its thread");
	is_str(fact("13f000", 0, "stack of"), "thread 0 (id 0x20) worker",
	       "a word of another stack has its thread");
	is_str(fact("12f000", 0, "text"), "", "letters without an end are no text");
	ok(strstr(fact("12f00c", 0, "holds"), "00401110") != NULL,
	   "the word at the address is shown");
	is_str(fact("12f008", 0, "register"), "ebp of frame 0",
	       "a register with the address is named");
	is_str(fact("12f008", 1, "register"), "", "the registers are those of the selected frame");
}

TEST(values)
{
	is_str(fact("fffffffe", 0, "value"), "0xfffffffe   decimal 4294967294   -2",
	       "a negative number is shown as signed");
	is_str(fact("64636261", 0, "value"), "0x64636261   decimal 1684234849   \"abcd\"",
	       "letters are in the order of memory");
	is_str(fact("0", 0, "null"), "the null pointer", "zero is null");
	is_str(fact("ffff", 0, "null"), "small: a null pointer and an offset of 65535 bytes, if it is an address",
	       "the first 64 KiB are offsets of a null pointer");
	is_str(fact("10000", 0, "null"), "", "addresses after them are not");
	is_str(fact("$esp+8", 0, "read as"), "$esp 0x12f000 + 0x8",
	       "the interpretation of an expression is shown");
	is_str(fact("$sp", 0, "read as"), "$sp 0x12f000", "gdb's $sp is the stack pointer of any "
							  "processor");
	is_str(fact("@esp", 0, "read as"), "@esp 0x12f000", "WinDbg's @ precedes a register");
	is_str(fact("@nosuch", 0, "unknown"), "there is no register '@nosuch'",
	       "only a register can follow WinDbg's @");
	is_str(fact("45", 0, "crash"), "the crash address of EXCEPTION_ACCESS_VIOLATION",
	       "the crash address is known");
	ok(strstr(fact("feeefeee", 0, "pattern"), "freed") != NULL, "a fill pattern is named");
	is_str(fact("nosuch", 0, "unknown"),
	       "'nosuch' is not a number, a register or a known function",
	       "an unknown word is reported");
	is_str(fact("$nosuch", 0, "unknown"), "there is no register '$nosuch'",
	       "an unknown register is named");
	is_str(fact("12f0a0", 0, "near"), "0x40 bytes past memory of the dump that ends at 12f05f",
	       "an address in nothing has neighbours");
}

TEST(redacted)
{
	crash_redact(&scene.crash, true);
	is_str(fact("12f00c", 0, "holds"), "(redacted)", "a redacted word is not shown");
	is_str(fact("12f00c", 0, "in frame"), "0, at esp + 0xc",
	       "the place of a redacted word is shown");
}

int
main(void)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);

	scene_open(&scene);
	surroundings_init(&around, &scene.crash, scene.symbols, NULL, &policy, NULL);
	around.loads = true;
	run_tests();
	surroundings_free(&around);
	scene_close(&scene);
	return done_testing();
}
