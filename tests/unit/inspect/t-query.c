/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/query.h"

#include "tests/unit/report/scene.h"

/*
 * Answers about the scene's crash, by hand: frame 0 has ebp 12f008 and the rule .cfa: `$ebp 8 +`,
 * so the CFA is 12f010, and the return address 401110 is at 12f00c.
 */

static void
answers(struct scene *scene, const char *text, const char *expected)
{
	struct query query;
	struct query_answer answer;
	struct error error = { 0 };
	struct arena arena = { 0 };

	enum error_code code = query_parse(text_of(text), &query, &error);
	if (code == ERROR_NONE)
		code = query_ask(&query, scene->walk, &arena, &answer, &error);
	is_str(code == ERROR_NONE ? answer.text : error.text, expected, "%s", text);
	arena_free(&arena);
}

static void
refused(const char *text, unsigned column, const char *expected)
{
	struct query query;
	struct error error = { 0 };

	ok(query_parse(text_of(text), &query, &error) != ERROR_NONE &&
		   strcmp(error.text, expected) == 0 && error.place.column == column,
	   "%s: %s", text, expected);
}

static void
test_answers(struct scene *scene)
{
	answers(scene, "frame 0 rule .cfa value", "0x12f010");
	answers(scene, "frame 0 rule .cfa", "0x12f010");
	answers(scene, "frame 0 rule .cfa text", "$ebp 8 +");
	answers(scene, "frame 0 rule .cfa place", "app.sym:16:30");
	answers(scene, "frame 0 rule .ra value", "0x401110");
	answers(scene, "frame 0 rule .ra address", "0x12f00c");
	answers(scene, "frame 0 rule $ebp status", "ok");
	answers(scene, "frame 0 token 3 value", "0x12f010");
	answers(scene, "frame 0 token 2 stack", "$ebp 0x8");
	answers(scene, "frame 0 token 2 text", "8");
	answers(scene, "frame 0 read 1 address", "0x12f00c");
	answers(scene, "frame 0 read 2 value", "0x12f018");
	answers(scene, "frame 0 set esp value", "0x12f010");
	answers(scene, "frame 0 set eip address", "0x12f00c");
	answers(scene, "frame 0 set eax status", "failed");
	answers(scene, "frame 0 input $ebp", "0x12f008");
	answers(scene, "frame 0 check sp-progress status", "ok");
	answers(scene, "frame 0 check SP_PROGRESS text", "the stack pointer does not go down");
	answers(scene, "frame 0 method text", "STACK CFI");
	answers(scene, "frame 1 register eip", "0x401110");
	answers(scene, "frame 0 function text", "crash");
	answers(scene, "frame 0 function value", "0x401000");
	answers(scene, "frame 0 calls", "0x3");
	answers(scene, "frames", "0x3");
	answers(scene, "frame 0 attempt frame-pointer method text", "frame pointer");
	answers(scene, "frame 0 attempt frame-pointer set eip", "0x401110");
}

static void
test_no_answers(struct scene *scene)
{
	answers(scene, "frame 9 rule .cfa", "no frame 9; the outermost one is 2");
	answers(scene, "frame 0 rule $esi", "frame 0 has no rule $esi");
	answers(scene, "frame 0 set eax", "frame 0 has no value for eax");
	answers(scene, "frame 0 token 2 address", "frame 0 has no address in memory for 2");
	answers(scene, "frame 1 register eax", "frame 1 has no value for register eax");
	refused("frames 3", 8, "expected value, address, stack, place, status or text, not '3'");
	refused("fram 0 rule .cfa", 1, "expected 'frame N' or 'frames', not 'fram'");
	refused("frame x rule .cfa", 7, "expected the number of a frame, not 'x'");
	refused("frame 0 rul", 9, "expected what to ask of the frame (rule, token, read, set, ...), not 'rul'");
	refused("frame 0 rule", 13, "expected a name at the end");
	refused("frame 0 token 0", 15, "expected a number from 1, not '0'");
	refused("frame 0 rule .cfa value now", 25, "expected the end of the query, not 'now'");
	refused("frame 0 attempt magic rule .cfa", 17, "expected a method (stack-cfi, scan, ...), not 'magic'");
	refused("frame 0 \033[2J", 9, "expected what to ask of the frame (rule, token, read, set, ...), not '\\x1b[2J'");
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	test_answers(&scene);
	test_no_answers(&scene);
	is_u64(query_length(text_of("frame 0 rule .cfa value $esp 8 +")), 23, "a query ends with its attribute");
	is_u64(query_length(text_of("frames")), 6, "a query ends with the text");
	scene_close(&scene);
	return done_testing();
}
