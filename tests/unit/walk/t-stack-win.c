/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames of 32-bit Windows by STACK WIN records: where the return address is searched, what the
 * second attempt repairs, and which registers the caller has. Expected values follow by hand from
 * Breakpad's stackwalker_x86.cc (GetCallerByWindowsFrameInfo) and the sizes in the record:
 *
 *	STACK WIN type rva size prologue epilogue parameters saved locals stack has_program last
 */
#include "tests/unit/walk/scene.h"

/* Functions of 32 bytes: the thread is in f, g called f, and h called g. */
#define FUNCTIONS "FUNC 1000 20 0 f\nFUNC 1040 20 0 g\nFUNC 1080 20 0 h\n"
#define FPO "STACK WIN 0 1000 20 0 0 0 "
#define PROGRAM "STACK WIN 4 1000 20 0 0 0 "
#define CONTEXT "ctx 401010 8000"
#define NO_EBP "eip=401010 esp=8000"
#define EBP NO_EBP " ebp=8100"
#define NO_MORE NULL, NULL, NULL

static const struct {
	const char *title, *registers, *memory, *records;
	const char *frames;
	const char *names, *values;	/* registers of the last frame; NULL: not checked */
	const char *said;		/* words of the explanation of the step to it, or NULL */
} cases[] = {
	{ "the return address is above locals and saved registers", EBP " ebx=b esi=51", "8018=401055", FPO "8 10 0 0 0\n",
	  CONTEXT ", cfi 401055 801c", "ebp ebx esi eax", "ebp=8100 ebx=b esi=? eax=?", "esp 0x8000 + locals 0x10 + saved 0x8" },
	{ "a function that needs ebp saved the caller's as the second word from the top",
	  "eip=401010 esp=8000 ebp=7 ebx=b", "8004=8200 8010=401055",
	  FPO "c 4 0 0 1\n", CONTEXT ", cfi 401055 8014", "ebp ebx", "ebp=8200 ebx=?", "base pointer used for something else" },
	{ "the fourth word from there is found", EBP, "8010=401055",
	  FPO "0 4 0 0 0\n", CONTEXT ", cfi 401055 8014", "ebp", "ebp=8100", ", then the first likely return address from there" },
	{ "a fifth is not: the word that the sizes lead to counts",
	  EBP, "8004=401999 8014=401055", FPO "0 4 0 0 0\n", CONTEXT ", cfi 401999 8008", NO_MORE },
	{ "the words after a return address in no module are searched", EBP, "8004=12345 8020=401055",
	  FPO "0 4 0 0 0\n", CONTEXT ", cfi~ 401055 8024", "ebp", "ebp=8100", "eip 00012345 is in no module: looking from 00008008 on" },
	{ "an ebp at the frame's end is one of its saved registers",
	  NO_EBP, "8004=8020 8008=8300 8010=12345 8024=401055", FPO "c 4 0 0 1\n",
	  CONTEXT ", cfi~ 401055 8028", "ebp", "ebp=8300", "ebp 00008020 cannot be the caller's: looking where registers are saved" },
	{ "an ebp above the frame's end is the caller's",
	  NO_EBP, "8004=8024 8008=8300 8010=12345 8024=401055", FPO "c 4 0 0 1\n", CONTEXT ", cfi~ 401055 8028", "ebp", "ebp=8024", NULL },
	{ "an ebp that leads to no memory is searched", NO_EBP, "8004=ffff0000 801c=8300 8010=12345 8024=401055",
	  FPO "c 4 0 0 1\n", CONTEXT ", cfi~ 401055 8028", "ebp", "ebp=8300", "found among the saved registers" },
	{ "the search for ebp ends where the search for the return address moved the registers",
	  NO_EBP, "8000=8304 8004=ffff0000 8024=401055 8010=12345 8020=8300",
	  FPO "c 4 0 0 1\n", CONTEXT ", cfi~ 401055 8028", "ebp", "ebp=8304", NULL },
	{ "ebp is kept if no word can be the caller's",
	  NO_EBP, "8004=ffff0000 8024=401055 8010=12345", FPO "c 4 0 0 1\n", CONTEXT ", cfi~ 401055 8028", "ebp", "ebp=ffff0000", NULL },
	{ "ebp is as the record says if nothing is searched", NO_EBP, "8004=ffff0000 8010=401055",
	  FPO "c 4 0 0 1\n", CONTEXT ", cfi 401055 8014", "ebp", "ebp=ffff0000", NULL },
	{ "the own return address of a system call's stub is passed",
	  EBP, "8000=401010 8004=401055", FPO "0 0 0 0 0\n", CONTEXT ", cfi 401055 8008", NULL, NULL, "esp 0x8000 + locals 0 + saved 0" },
	{ "a return address is skipped if the caller's does not follow directly",
	  EBP, "8000=401010 8010=401055", FPO "0 0 0 0 0\n", CONTEXT ", cfi 401055 8014", NO_MORE },
	{ "only FPO_DATA lets its own return address be skipped", EBP,
	  "8000=401010 8004=401055", PROGRAM "0 0 0 0 0\n", CONTEXT ", cfi 401010 8004", NO_MORE },
	{ "a return address that is not on top is not skipped",
	  EBP, "8004=401010 8008=401055", FPO "0 0 0 0 0\n", CONTEXT ", cfi 401010 8008", NO_MORE },
	{ "a program that aligns esp has its return address above ebp", "eip=401010 esp=8000 ebp=8020", "8020=8100 8024=401055 8000=401095",
	  PROGRAM "0 0 0 1 $T0 $esp 16 @ = $eip .raSearchStart ^ = $esp .raSearchStart 4 + = $ebp $ebp ^ =\n",
	  CONTEXT ", cfi 401055 8028", "ebp", "ebp=8100", "ebp + 4: the program aligns esp, which makes it unusable for the search" },
	{ "a program has the sizes of the record", EBP, "8100=401055", "STACK WIN 4 1000 20 0 0 4 8 10 0 1 $eip $ebp ^ = $esp $ebp 4 + = "
	  "$ebx .cbParams = $esi .cbSavedRegs = $edi .cbLocals = $ebp .cbCalleeParams =\n",
	  CONTEXT ", cfi 401055 8104", "ebx esi edi ebp", "ebx=4 esi=8 edi=10 ebp=0", "parameter size of the callee" },
	{ ".raSearch is .raSearchStart", EBP, "8004=401055", PROGRAM "0 4 0 1 $eip .raSearch ^ = $esp .raSearch 4 + =\n",
	  CONTEXT ", cfi 401055 8008", "ebp", "ebp=8100", "carried over, the program string sets none" },
	{ "the callee's parameters are still on the stack", EBP, "8000=401055 8010=401095",
	  "STACK WIN 0 1000 20 0 0 8 0 0 0 0 0\nSTACK WIN 0 1040 20 0 0 0 0 4 0 0 0\n",
	  CONTEXT ", cfi 401055 8004, cfi 401095 8014", NULL, NULL, "+ callee's parameters 0x8" },
	{ "the callee's parameters may be among the locals", EBP, "8000=401055 8008=401095",
	  "STACK WIN 0 1000 20 0 0 8 0 0 0 0 0\nSTACK WIN 0 1040 20 0 0 0 0 4 0 0 0\n", CONTEXT ", cfi 401055 8004, cfi 401095 800c",
	  NULL, NULL, "esp 0x8004 + locals 0x4 + saved 0, with the callee's parameters among the locals" },
	{ "the words after two places without a return address are searched",
	  EBP, "8000=401055 801c=401095", "STACK WIN 0 1000 20 0 0 8 0 0 0 0 0\nSTACK WIN 0 1040 20 0 0 0 0 4 0 0 0\n",
	  CONTEXT ", cfi 401055 8004, cfi 401095 8020", NO_MORE },
	{ "a base pointer is saved after the callee's parameters", EBP, "8000=401055 8018=401095 8014=8300 8010=8304 800c=8308",
	  "STACK WIN 0 1000 20 0 0 8 0 0 0 0 0\nSTACK WIN 0 1040 20 0 0 0 c 0 0 0 1\n",
	  CONTEXT ", cfi 401055 8004, cfi 401095 801c", "ebp", "ebp=8304", NULL },
	{ "eip 0 and ebp 0 end the stack without a search", "eip=401010 esp=8000 ebp=0",
	  "8008=401055", PROGRAM "0 0 0 1 $eip 0 = $ebp 0 = $esp $esp 4 + =\n", CONTEXT, NULL, NULL, "return address 0" },
	{ "an ebp of the caller is no esp", EBP, "8000=12345 8010=401055 8100=8200",
	  PROGRAM "0 0 0 1 $eip $esp ^ = $esp 1 = $ebp $ebp ^ =\n", CONTEXT ", cfi~ 401055 8014", "ebp", "ebp=8200", NULL },
	{ "registers may be named by their numbers", EBP,
	  "8100=401055", PROGRAM "0 0 0 1 $eip $ebp ^ = $esp $ebp 4 + = $20 1 = $23 2 = $24 3 =\n",
	  CONTEXT ", cfi 401055 8104", "ebx esi edi", "ebx=1 esi=2 edi=3", NULL },
};

TEST_EACH(records, cases)
{
	char records[1000], values[100];
	const struct scene scene = SCENE(X86, WINDOWS, cases[i].registers, cases[i].memory,
					 { { 0x400000, 0x5000, "app.exe", records } });
	const size_t count = scene_count(cases[i].frames), of = count > 1 ? count - 2 : 0;
	struct staged staged;

	snprintf(records, sizeof(records), FUNCTIONS "%s", cases[i].records);
	scene_play_limited(&staged, &scene, POLICY_UNSPOOL, count > 1 ? count : 2);
	is_str(staged.frames, cases[i].frames, "%s", cases[i].title);
	if (cases[i].names != NULL)
		is_str(scene_registers(&staged, count - 1, cases[i].names, values, sizeof(values)),
		       cases[i].values, "the caller's registers: %s", cases[i].title);
	scene_says(&staged, of, cases[i].said);
	scene_close(&staged);
}

#ifdef HAVE_CAPSTONE
/*
 * g, from 401040 on, as assembled: no record has the words that it pushed for a call of a library
 * without symbols.
 *
 *	83 ec 08	sub esp, 8
 *	6a 01		push 1
 *	6a 02		push 2
 *	e8 ...		call 500010	returns to 40104c, with the return address at esp + 16
 */
static void
add_code(struct synth *synth)
{
	static const uint8_t code[32] = { 0x83, 0xec, 0x08, 0x6a, 0x01, 0x6a, 0x02, 0xe8, 0xc4, 0xef, 0x0f, 0x00, 0x90, 0x90, 0xc3 };

	synth_memory(synth, 0x401040, code, sizeof(code), false);
}

static const struct {
	const char *title, *memory, *records;
	uint32_t code;		/* value in the policy */
	const char *frames, *said;
} code_rows[] = {
	{ "the code shows the pushed bytes after a call into a library",
	  "8000=40104c 800c=401099 8014=401095", "STACK WIN 0 1040 20 0 0 0 0 8 0 0 0\n",
	  1, "ctx 500010 8000, scan 40104c 8004, cfi 401095 8018", "CFA 0x8018 of the code - 4: the callee's parameters are unknown" },
	{ "the sizes count if the code leads to no return address",
	  "8000=40104c 800c=401099 8014=1", "STACK WIN 0 1040 20 0 0 0 0 8 0 0 0\n",
	  1, "ctx 500010 8000, scan 40104c 8004, cfi 401099 8010", "esp 0x8004 + locals 0x8 + saved 0" },
	{ "the sizes count if code is not run", "8000=40104c 800c=401099 8014=401095", "STACK WIN 0 1040 20 0 0 0 0 8 0 0 0\n",
	  0, "ctx 500010 8000, scan 40104c 8004, cfi 401099 8010", "esp 0x8004 + locals 0x8 + saved 0" },
	{ "a record with a program has its start as well",
	  "8000=40104c 800c=401099 8014=401095", "STACK WIN 4 1040 20 0 0 0 0 8 0 1 $eip .raSearchStart ^ = $esp .raSearchStart 4 + =\n",
	  1, "ctx 500010 8000, scan 40104c 8004, cfi 401095 8018", NULL },
};

TEST_EACH(code, code_rows)
{
	char records[1000];
	const struct scene scene = SCENE(X86, WINDOWS, "eip=500010 esp=8000 ebp=7000", code_rows[i].memory,
		{ { 0x400000, 0x5000, "app.exe", records }, { 0x500000, 0x1000, "lib.dll", NULL } },
		.more = add_code, .binaries = "");
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct staged staged;

	policy.value[POLICY_CODE] = code_rows[i].code;
	snprintf(records, sizeof(records), FUNCTIONS "%s", code_rows[i].records);
	scene_open(&staged, &scene);
	scene_walk_limited(&staged, &policy, 3);
	is_str(staged.frames, code_rows[i].frames, "%s", code_rows[i].title);
	scene_says(&staged, 1, code_rows[i].said);
	scene_close(&staged);
}

/*
 * g, from 401040 on, with the arguments of f among its locals, where clang reserves them:
 *
 *	83 ec 10	sub esp, 16
 *	90 x 4		nop (stores of the arguments)
 *	e8 ...		call 401000	returns to 40104c
 */
static void
add_reserved(struct synth *synth)
{
	static const uint8_t code[32] = { 0x83, 0xec, 0x10, 0x90, 0x90, 0x90, 0x90, 0xe8, 0xb4, 0xff, 0xff, 0xff, 0x90, 0x90, 0xc3 };

	synth_memory(synth, 0x401040, code, sizeof(code), false);
}

/* Words at both places look like return addresses: the code decides. */
TEST(reserved)
{
	static const struct {
		uint32_t code;		/* value in the policy */
		const char *frames, *said;
	} rows[] = {
		{ 1, "ctx 401010 8000, cfi 40104c 8004, cfi 401095 8018",
		  "CFA 0x8018 of the code - 4: the code shows what was pushed for the call" },
		{ 0, "ctx 401010 8000, cfi 40104c 8004, cfi 401099 8020", "esp 0x8004 + locals 0x10 + saved 0 + callee's parameters 0x8" },
	};
	const struct scene scene = SCENE(X86, WINDOWS, "eip=401010 esp=8000 ebp=7000", "8000=40104c 8014=401095 801c=401099",
		      { { 0x400000, 0x5000, "app.exe", FUNCTIONS "STACK WIN 0 1000 20 0 0 8 0 0 0 "
		      "0 0\nSTACK WIN 0 1040 20 0 0 0 0 10 0 0 0\n" } }, .more = add_reserved, .binaries = "");

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct policy policy = policy_column(POLICY_UNSPOOL);
		struct staged staged;

		policy.value[POLICY_CODE] = rows[i].code;
		scene_open(&staged, &scene);
		scene_walk_limited(&staged, &policy, 3);
		is_str(staged.frames, rows[i].frames, "arguments among the locals: code %s", rows[i].code ? "is run" : "is not run");
		scene_says(&staged, 1, rows[i].said);
		scene_close(&staged);
	}
}
#endif
