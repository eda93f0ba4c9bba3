/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"
#include "walk/edit_make.h"

/*
 * What people type as an edit: which rule it is of, what is wrong with it and under which of its
 * bytes, and what line of the symbol file comes of it.
 */

#define RULES ".cfa: $rsp 8 + .ra: .cfa -8 + ^"
#define SYMBOLS										\
	"FUNC 1000 20 0 f\nFUNC 1200 20 0 h\n"						\
	"STACK CFI INIT 1000 20 " RULES "\nSTACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^\n"

static const struct scene scene = {
	ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401010 rsp=8000 rbx=7", .stack = 0x8000,
	.memory = "8000=9 8008=401205",
	.modules = { { 0x400000, 0x5000, "a", SYMBOLS } }
};

static const struct {
	const char *name, *expression;
	bool good;
	size_t start, length;		/* what is wrong */
	const char *text;
} checks[] = {
	{ ".cfa", "$rsp 24 +", true, 0, 0, "= 0000000000008018" },
	{ ".ra", ".cfa -8 + ^", true, 0, 0, "= 0000000000401205" },
	{ "$rbx", ".cfa -16 + ^", true, 0, 0, "= 0000000000000009" },
	{ ".cfa", "$rsp nine +", false, 5, 4, "'nine' is neither a number nor a register" },
	{ ".cfa", "rsp 8 +", false, 0, 3, "'rsp' is neither a number nor a register" },
	{ ".cfa", ".cfa 8 +", false, 0, 4,
	  "'.cfa' is neither a number nor a register; .cfa cannot refer to itself" },
	{ ".cfa", "$rsp +", false, 5, 1, "'+' needs 2 values, the stack has fewer" },
	{ ".cfa", "$rsp 8", false, 6, 1, "values are left on the stack at the end" },
	{ ".ra", "0 ^", false, 2, 1, "memory at 0x0 is not in the dump" },
	{ ".ra", "$rsp 0 /", false, 7, 1, "'/' divides by zero" },
	{ ".ra", "$xmm0", false, 0, 5, "'$xmm0' is neither a number nor a register" },
	{ ".ra", "", false, 0, 0, "expression missing; ':drop-rule' removes a rule" },
};

static void
test_checks(const struct edit_step *step)
{
	for (size_t i = 0; i < ARRAY_COUNT(checks); i++) {
		struct edit_check check;

		edit_check_rule(step, text_of(checks[i].name), text_of(checks[i].expression),
				&check);
		bool right = check.good == checks[i].good &&
			     (check.good || (check.start == checks[i].start &&
					      check.length == checks[i].length)) &&
			     strcmp(check.text, checks[i].text) == 0;
		ok(right, "%s: %s", checks[i].name, checks[i].expression);
		if (!right)
			tap_diag("got byte %zu, %zu: %s", check.start, check.length, check.text);
	}
}

static void
test_names(const struct edit_step *step)
{
	struct error error = { 0 };
	struct text name;
	size_t start = 0;

	ok(edit_parse_rule(step, "rbx:  1", &name, &start, &error) == ERROR_NONE &&
		   text_equal(name, text_of("$rbx")) && start == 6,
	   "a register's name is spelled as records spell it");
	ok(edit_parse_rule(step, "cfa: 1", &name, &start, &error) == ERROR_NONE &&
		   text_equal(name, text_of(".cfa")), "and so is the CFA's");
	ok(edit_parse_rule(step, "cfa 1", &name, &start, &error) != ERROR_NONE,
	   "without a colon it is no rule");
	ok(edit_parse_rule(step, "rxx: 1", &name, &start, &error) != ERROR_NONE,
	   "no register, no rule");
}

/* The line of the symbol file that comes of a rule, or why there is none. */
static void
makes(const struct edit_step *step, const char *name, const char *expression, unsigned number,
      const char *line, const char *title)
{
	struct overlay_edit edit;
	struct error error = { 0 };
	struct arena arena;

	arena_init(&arena, 0);
	const enum error_code code = edit_make_rule(step, text_of(name), text_of(expression),
						    &arena, &edit, &error);
	const bool right = line == NULL ? code != ERROR_NONE
					: code == ERROR_NONE && edit.kind == OVERLAY_RECORD &&
						  edit.record.line == number &&
						  text_equal(edit.record.now, text_of(line));
	ok(right, "%s", title);
	if (!right && code == ERROR_NONE)
		tap_diag("got line %u: %.*s", edit.record.line, (int)edit.record.now.length,
			 edit.record.now.start);
	else if (!right)
		tap_diag("%s", error.text);
	arena_free(&arena);
}

static void
test_records(const struct edit_step *step)
{
	makes(step, ".cfa", "$rsp 24 +", 5, "STACK CFI 1004 .cfa: $rsp 24 + $rbx: .cfa -16 + ^",
	      "a rule of a delta changes the delta, not the INIT record that had it first");
	makes(step, ".ra", ".cfa -16 + ^", 4,
	      "STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -16 + ^",
	      "one that only the INIT record has changes that");
	makes(step, "$rbp", "1", 5, "STACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^ $rbp: 1",
	      "one that no record has goes to the last one in force");
	makes(step, "$rbx", "", 5, "STACK CFI 1004 .cfa: $rsp 16 +", "a rule is taken out");
	makes(step, "$rbp", "", 0, NULL, "but not where there is none");
}

static void
test_frames(const struct walk *walk)
{
	struct overlay_edit edit;
	struct error error = { 0 };

	ok(edit_make_register(walk, 0, "rbx", "0xff", &edit, &error) == ERROR_NONE && edit.known &&
		   edit.value == 0xff && edit.was_known && edit.old == 7,
	   "a register gets a number and remembers what it was");
	ok(edit_make_register(walk, 0, "rbx", "?", &edit, &error) == ERROR_NONE && !edit.known,
	   "or becomes unknown");
	ok(edit_make_register(walk, 0, "rsp", "?", &edit, &error) != ERROR_NONE,
	   "but for those that a frame can't be without");
	ok(edit_make_candidate(walk, 0, "8008", &edit, &error) == ERROR_NONE &&
		   edit.address == 0x8008, "a word of the stack is chosen");
	ok(edit_make_candidate(walk, 0, "8004", &edit, &error) != ERROR_NONE,
	   "not half a word");
	ok(edit_make_candidate(walk, 0, "7ff8", &edit, &error) != ERROR_NONE,
	   "nor one below the stack pointer");
	is_str(error.text, "a scan from frame 0 reads words from 0000000000008000 on",
	       "and the message has the address with all its digits");
	ok(edit_make_candidate(walk, 0, "9000", &edit, &error) != ERROR_NONE,
	   "nor one that is not in the dump");
	ok(edit_make_policy(walk, "scan-words=7", &edit, &error) == ERROR_NONE &&
		   edit.policy == POLICY_SCAN_WORDS && edit.value == 7 && edit.old == 41,
	   "a policy row is named with its value");
	ok(edit_make_policy(walk, "scan-words -1", &edit, &error) != ERROR_NONE,
	   "which is no less than 0");
}

/* What is typed in place of a register's value, a word's address or a policy, and its refusal. */
static void
test_refusals(const struct walk *walk)
{
	enum { REGISTER, CANDIDATE, POLICY };
	static const struct {
		int kind;
		const char *name, *value, *problem;	/* NULL: it is an edit */
		uint64_t number;
	} rows[] = {
		{ REGISTER, "rax", "ff", NULL, 0xff },
		{ REGISTER, "rbx", "12x", "'12x' is not a hexadecimal number; '?' makes a register "
					  "unknown", 0 },
		{ REGISTER, "rbx", "-1", "'-1' is not a hexadecimal number; '?' makes a register "
					 "unknown", 0 },
		{ REGISTER, "rbx", "", "'' is not a hexadecimal number; '?' makes a register "
				       "unknown", 0 },
		{ REGISTER, "rbx", "10000000000000000",
		  "'10000000000000000' is not a hexadecimal number; '?' makes a register unknown",
		  0 },
		{ REGISTER, "rxx", "1", "amd64 has no register 'rxx'", 0 },
		{ REGISTER, "rip", "?", "a frame must have its rip", 0 },
		{ REGISTER, "rsp", "?", "a frame must have its rsp", 0 },
		{ CANDIDATE, NULL, "0x8000", NULL, 0x8000 },
		{ CANDIDATE, NULL, "8ff8", NULL, 0x8ff8 },
		{ CANDIDATE, NULL, "word", "'word' is not a hexadecimal address", 0 },
		{ CANDIDATE, NULL, "7ff8",
		  "a scan from frame 0 reads words from 0000000000008000 on", 0 },
		{ CANDIDATE, NULL, "8004",
		  "a scan from frame 0 reads words from 0000000000008000 on", 0 },
		{ CANDIDATE, NULL, "9000",
		  "the word at 0000000000009000 is not in the dump", 0 },
		{ POLICY, NULL, "stack-only 1", NULL, 1 },
		{ POLICY, NULL, "stack-only=2", "", 0 },
		{ POLICY, NULL, "no-row=1", "", 0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct overlay_edit edit = { 0 };
		struct error error = { 0 };
		const enum error_code code =
			rows[i].kind == REGISTER
				? edit_make_register(walk, 0, rows[i].name, rows[i].value, &edit,
						     &error)
			: rows[i].kind == CANDIDATE
				? edit_make_candidate(walk, 0, rows[i].value, &edit, &error)
				: edit_make_policy(walk, rows[i].value, &edit, &error);

		if (rows[i].problem == NULL)
			ok(code == ERROR_NONE && edit.thread == 0 && edit.frame == 0 &&
				   (rows[i].kind == CANDIDATE ? edit.address : edit.value) ==
					   rows[i].number,
			   "'%s' is an edit", rows[i].value);
		else if (rows[i].problem[0] != '\0')
			is_str(error.text, rows[i].problem, "'%s' is refused", rows[i].value);
		else
			ok(code == ERROR_FORMAT, "'%s' is refused", rows[i].value);
	}
}

#define WIN "STACK WIN 4 1000 20 0 0 0 0 0 0 1 "
#define WIN_PROGRAM "$eip $ebp 4 + ^ = $esp $ebp 8 + = $ebp $ebp ^ ="

static const struct scene windows = {
	ARCH_X86, CRASH_OS_WINDOWS, .registers = "eip=401010 esp=8000 ebp=8010", .stack = 0x8000,
	.memory = "8010=8030 8014=401205",
	.modules = { { 0x400000, 0x5000, "a",
		       "FUNC 1000 20 0 f\nFUNC 1200 20 0 h\n" WIN WIN_PROGRAM "\n" },
		     { 0x500000, 0x5000, "b", NULL } }
};

/*
 * Programs of STACK WIN are looked over: each operator needs its operands, and an assignment
 * leaves nothing.
 */
static void
test_win_checks(const struct edit_step *step)
{
	static const struct {
		const char *name, *expression;
		bool good;
		size_t start, length;
		const char *text;
	} programs[] = {
		{ "program", WIN_PROGRAM, true, 0, 0, "a program that can be run" },
		{ "program", "$T0 $nothing =", true, 0, 0, "a program that can be run" },
		{ "program", "", false, 0, 0, "the program is empty" },
		{ "program", "$eip 1", false, 6, 0, "values are left on the stack at the end" },
		{ "program", "$eip 1 = 2", false, 10, 0,
		  "values are left on the stack at the end" },
		{ "program", "$eip =", false, 5, 1, "'=' needs 2 values, the stack has fewer" },
		{ "program", "$eip 1 + =", false, 9, 1,
		  "'=' needs 2 values, the stack has fewer" },
		{ "program", "1 -", false, 2, 1, "'-' needs 2 values, the stack has fewer" },
		{ "program", "^", false, 0, 1, "'^' needs 1 value, the stack has fewer" },
		{ "locals", "12", true, 0, 0, "" },
		{ "locals", "many", true, 0, 0, "" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(programs); i++) {
		struct edit_check check;

		edit_check_rule(step, text_of(programs[i].name), text_of(programs[i].expression),
				&check);
		is_str(check.text, programs[i].text, "%s: %s", programs[i].name,
		       programs[i].expression);
		ok(check.good == programs[i].good &&
			   (check.good || (check.start == programs[i].start &&
					   check.length == programs[i].length)),
		   "with the place of what is wrong");
	}
	struct edit_check check;
	char *text = calloc(1, 20000);
	for (size_t i = 0; i < 5000; i++)
		memcpy(text + 4 * i, "1 + ", i < 4999 ? 4 : 2);
	edit_check_rule(step, text_of("program"), text_of(text), &check);
	ok(!check.good && strcmp(check.text, "the expression is too long") == 0,
	   "an expression of more tokens than any has is refused");
	free(text);
}

/* What was in force before: the program as it ran, the sizes as the record has them. */
static void
makes_win(const struct edit_step *step, const char *name, const char *value, const char *was,
	  const char *line)
{
	struct overlay_edit edit;
	struct error error = { 0 };
	struct arena arena = { 0 };
	const enum error_code code = edit_make_rule(step, text_of(name), text_of(value), &arena,
						    &edit, &error);

	if (was == NULL)
		is_str(error.text, line, "'%s: %s' is refused", name, value);
	else
		ok(code == ERROR_NONE && edit.kind == OVERLAY_RECORD && edit.record.line == 4 &&
			   edit.frame == step->frame && edit.method == METHOD_STACK_WIN &&
			   text_equal(edit.name, text_of(name)) &&
			   text_equal(edit.was, text_of(was)) &&
			   text_equal(edit.record.now, text_of(line)),
		   "'%s: %s' is '%s', before '%s'", name, value, line, was);
	if (was != NULL && code != ERROR_NONE)
		tap_diag("%s", error.text);
	arena_free(&arena);
}

static void
test_win(void)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct arena arena = { 0 };
	struct overlay_edit edit;
	struct error error = { 0 };
	struct staged staged;
	struct text name;
	size_t start;

	scene_play_limited(&staged, &windows, POLICY_UNSPOOL, 2);
	const struct edit_step step = { staged.walk, 0, METHOD_STACK_WIN };
	const struct edit_step above = { staged.walk, 1, METHOD_STACK_WIN };
	const struct edit_step pointer = { staged.walk, 0, METHOD_FRAME_POINTER };
	test_win_checks(&step);
	ok(edit_parse_rule(&step, "  saved: 12", &name, &start, &error) == ERROR_NONE &&
		   text_equal(name, text_of("saved")) && start == 9,
	   "fields of STACK WIN have names of their own");
	ok(edit_parse_rule(&step, ": 12", &name, &start, &error) == ERROR_FORMAT,
	   "an empty one is none");
	makes_win(&step, "program", "$eip 1 =", WIN_PROGRAM, WIN "$eip 1 =");
	makes_win(&step, "saved", "12", "0", "STACK WIN 4 1000 20 0 0 0 c 0 0 1 " WIN_PROGRAM);
	makes_win(&step, "saved", "many", NULL, "a size is a number, 12 or 0xc");
	makes_win(&above, "saved", "12", NULL, "no STACK WIN record covers frame 1");
	ok(edit_make_rule(&step, text_of("saved"), text_of("8"), &arena, &edit, &error) ==
	   ERROR_NONE, "a size is edited");
	const struct overlay *overlay = overlay_with(&arena, NULL, &edit);
	struct walk *walk = walk_create_edited(&staged.crash, staged.symbols, NULL, 0, &policy,
					       overlay);
	walk_run(walk, 2);
	const struct edit_step edited = { walk, 0, METHOD_STACK_WIN };
	makes_win(&edited, "saved", "12", "8", "STACK WIN 4 1000 20 0 0 0 c 0 0 1 " WIN_PROGRAM);
	makes_win(&edited, "program", "$eip 1 =", WIN_PROGRAM,
		  "STACK WIN 4 1000 20 0 0 0 8 0 0 1 $eip 1 =");
	walk_free(walk);
	ok(edit_make_rule(&pointer, text_of("$eip"), text_of("$ebp ^"), &arena, &edit, &error) ==
			   ERROR_NONE &&
		   edit.kind == OVERLAY_RULE && edit.row_input == NULL && edit.frame == 0 &&
		   edit.method == METHOD_FRAME_POINTER &&
		   text_equal(edit.was, text_of("$ebp 4 + ^")),
	   "a method's own rule is edited in one frame");
	ok(edit_make_rule(&pointer, text_of("$esi"), text_of("1"), &arena, &edit, &error) ==
			   ERROR_NONE && edit.was.length == 0, "also one that it does not have");
	ok(edit_make_rule(&pointer, text_of("$esi"), text_of(""), &arena, &edit, &error) ==
			   ERROR_NOT_FOUND &&
		   strcmp(error.text, "the frame pointer has no rule for $esi here") == 0,
	   "which cannot be taken out");
	staged.walk->frames[1].module = 1;
	ok(edit_make_record(staged.walk, 1, EDIT_DROP_DELTA, "1004", &arena, &edit, &error) ==
			   ERROR_NOT_FOUND &&
		   strcmp(error.text, "the module of frame 1 has no symbol file to edit") == 0,
	   "without a symbol file there is none to edit");
	staged.walk->frames[1].module = MODULE_NONE;
	ok(edit_make_record(staged.walk, 1, EDIT_DROP_DELTA, "1004", &arena, &edit, &error) ==
	   ERROR_NOT_FOUND, "nor without a module");
	arena_free(&arena);
	scene_close(&staged);
}

#define DELTA "STACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^"

/* The lines that come of an edit of whole records, at a line of the file; or why there is none. */
static void
edits_record(const struct walk *walk, enum edit_record what, const char *text, unsigned number,
	     const char *lines)
{
	struct overlay_edit edit;
	struct error error = { 0 };
	struct arena arena = { 0 };

	const enum error_code code =
		edit_make_record(walk, 0, what, text, &arena, &edit, &error);
	if (number == 0)
		is_str(error.text, lines, "'%s' is refused", text);
	else
		ok(code == ERROR_NONE && edit.record.line == number &&
			   text_equal(edit.record.now, text_of(lines)), "'%s'", text);
	if (number != 0 && code == ERROR_NONE)
		tap_diag("line %u: %.*s", edit.record.line, (int)edit.record.now.length,
			 edit.record.now.start);
	arena_free(&arena);
}

static void
test_record_edits(const struct walk *walk)
{
	edits_record(walk, EDIT_ADD_DELTA, "1008 cfa: $rsp 24 + rbp: .cfa -24 + ^", 5,
		     DELTA "\nSTACK CFI 1008 .cfa: $rsp 24 + $rbp: .cfa -24 + ^");
	edits_record(walk, EDIT_ADD_DELTA, "401002 .cfa: $rsp 24 +", 4,
		     "STACK CFI INIT 1000 20 " RULES "\nSTACK CFI 1002 .cfa: $rsp 24 +");
	edits_record(walk, EDIT_ADD_DELTA, "1004 .cfa: $rsp 24 +", 0,
		     "a record begins at 0x1004 already; :set-rule changes its rules");
	edits_record(walk, EDIT_ADD_DELTA, "1000 .cfa: $rsp 24 +", 0,
		     "a record begins at 0x1000 already; :set-rule changes its rules");
	edits_record(walk, EDIT_ADD_DELTA, "1020 .cfa: $rsp 24 +", 0,
		     "no STACK CFI INIT record covers 0x1020; :add-init adds one");
	edits_record(walk, EDIT_ADD_DELTA, "1008 .cfa: $rsp nine +", 0,
		     "'nine' is neither a number nor a register");
	edits_record(walk, EDIT_ADD_DELTA, "1008 rxx: 1", 0, "'rxx' is not a register of amd64");
	edits_record(walk, EDIT_ADD_DELTA, "1008", 0,
		     "usage: :add-delta ADDRESS RULES, the address in hexadecimal");
	edits_record(walk, EDIT_ADD_DELTA, "1008 24", 0,
		     "rules are written '.cfa: $rsp 16 + $rbp: .cfa -16 + ^'");
	edits_record(walk, EDIT_ADD_INIT, "1200 20 " RULES, 5,
		     DELTA "\nSTACK CFI INIT 1200 20 " RULES);
	edits_record(walk, EDIT_ADD_INIT, "f00 100 " RULES, 4,
		     "STACK CFI INIT f00 100 " RULES "\nSTACK CFI INIT 1000 20 " RULES);
	edits_record(walk, EDIT_ADD_INIT, "f00 101 " RULES, 0,
		     "a STACK CFI INIT record covers 0x1000 already");
	edits_record(walk, EDIT_ADD_INIT, "1200 20 .cfa: $rsp 8 +", 0,
		     "an INIT record needs rules for .cfa and .ra");
	edits_record(walk, EDIT_ADD_INIT, "1200 0 " RULES, 0,
		     "usage: :add-init ADDRESS SIZE RULES, numbers in hexadecimal");
	edits_record(walk, EDIT_MOVE_DELTA, "1004 1001", 5,
		     "STACK CFI 1001 .cfa: $rsp 16 + $rbx: .cfa -16 + ^");
	edits_record(walk, EDIT_MOVE_DELTA, "1004 1020", 0,
		     "0x1020 is in the code of another INIT record");
	edits_record(walk, EDIT_MOVE_DELTA, "1004 1000", 0,
		     "the INIT record itself begins at 0x1000");
	edits_record(walk, EDIT_MOVE_DELTA, "1005 1006", 0, "no STACK CFI delta begins at 0x1005");
	edits_record(walk, EDIT_DROP_DELTA, "1004", 5, "");
	edits_record(walk, EDIT_DROP_DELTA, "1000", 0, "no STACK CFI delta begins at 0x1000");
}

/* Edits of one line come together; a rule of a record that was added can be edited as well. */
static void
test_edits_of_one_line(void)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct overlay *overlay = NULL;
	struct arena arena = { 0 };
	struct overlay_edit edit;
	struct error error = { 0 };
	struct staged staged;
	static const struct {
		enum edit_record what;
		const char *text, *lines;
	} steps[] = {
		{ EDIT_ADD_DELTA, "100c .cfa: $rsp 32 +",
		  DELTA "\nSTACK CFI 100c .cfa: $rsp 32 +" },
		{ EDIT_ADD_DELTA, "1008 .cfa: $rsp 24 +",
		  DELTA "\nSTACK CFI 1008 .cfa: $rsp 24 +\nSTACK CFI 100c .cfa: $rsp 32 +" },
		{ EDIT_MOVE_DELTA, "1008 1009",
		  DELTA "\nSTACK CFI 1009 .cfa: $rsp 24 +\nSTACK CFI 100c .cfa: $rsp 32 +" },
		{ EDIT_MOVE_DELTA, "1009 100d",
		  NULL },
		{ EDIT_DROP_DELTA, "100c", DELTA "\nSTACK CFI 1009 .cfa: $rsp 24 +" },
		{ EDIT_DROP_DELTA, "1004", "STACK CFI 1009 .cfa: $rsp 24 +" },
	};

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
		struct walk *walk = walk_create_edited(&staged.crash, staged.symbols, NULL, 0,
						       &policy, overlay);

		walk_run(walk, 0);
		const bool made = edit_make_record(walk, 0, steps[i].what, steps[i].text, &arena,
						   &edit, &error) == ERROR_NONE;
		if (made)
			overlay = overlay_with(&arena, overlay, &edit);
		if (steps[i].lines == NULL)
			ok(!made, "no delta moves past another one");
		else
			ok(made && overlay != NULL && overlay->count == 1 &&
				   text_equal(overlay->edits[0].record.now,
					      text_of(steps[i].lines)),
			   "'%s' comes to the edits before", steps[i].text);
		walk_free(walk);
	}
	struct walk *walk = walk_create_edited(&staged.crash, staged.symbols, NULL, 0, &policy,
					       overlay);
	walk_run(walk, 0);
	const struct edit_step step = { walk, 0, METHOD_STACK_CFI };
	ok(edit_make_rule(&step, text_of(".cfa"), text_of("$rsp 40 +"), &arena, &edit, &error) ==
			   ERROR_NONE &&
		   text_equal(edit.record.now, text_of("STACK CFI 1009 .cfa: $rsp 40 +")),
	   "a rule of a record that an edit moved is edited there");
	walk_free(walk);
	scene_close(&staged);
	arena_free(&arena);
}

int
main(void)
{
	struct staged staged;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	const struct edit_step step = { staged.walk, 0, METHOD_STACK_CFI };
	test_checks(&step);
	test_names(&step);
	test_records(&step);
	test_frames(staged.walk);
	test_refusals(staged.walk);
	test_record_edits(staged.walk);
	test_edits_of_one_line();
	scene_close(&staged);
	test_win();
	return scene_done_testing("tests/unit/walk/scenes/t-edit-make");
}
