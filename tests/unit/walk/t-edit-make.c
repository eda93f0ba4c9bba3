/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"
#include "walk/edit_command.h"

/* Typed edits: the rule that an edit changes, the error and the bytes that it is about, and the
 * line of the symbol file that the edit makes. */

#define RULES ".cfa: $rsp 8 + .ra: .cfa -8 + ^"
#define SYMBOLS										\
	"FUNC 1000 20 0 f\nFUNC 1200 20 0 h\n"						\
	"STACK CFI INIT 1000 20 " RULES "\nSTACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^\n"

static const struct scene scene = SCENE(AMD64, LINUX, "rip=401010 rsp=8000 rbx=7", "8000=9 8008=401205",
	      { { 0x400000, 0x5000, "a", SYMBOLS } });

static const struct {
	const char *name, *expression;
	bool good;
	size_t start, length;		/* the bytes that the error is about */
	const char *text;
} checks[] = {
	{ ".cfa", "$rsp 24 +", true, 0, 0, "= 0000000000008018" }, { ".ra", ".cfa -8 + ^", true, 0, 0, "= 0000000000401205" },
	{ "$rbx", ".cfa -16 + ^", true, 0, 0, "= 0000000000000009" },
	{ ".cfa", "$rsp nine +", false, 5, 4, "'nine' is neither a number nor a register" },
	{ ".cfa", "rsp 8 +", false, 0, 3, "'rsp' is neither a number nor a register" },
	{ ".cfa", ".cfa 8 +", false, 0, 4, "'.cfa' is neither a number nor a register; .cfa cannot refer to itself" },
	{ ".cfa", "$rsp +", false, 5, 1, "'+' needs 2 values, the stack has fewer" },
	{ ".cfa", "$rsp 8", false, 6, 1, "values are left on the stack at the end" },
	{ ".ra", "0 ^", false, 2, 1, "memory at 0x0 is not in the dump" }, { ".ra", "$rsp 0 /", false, 7, 1, "'/' divides by zero" },
	{ ".ra", "$xmm0", false, 0, 5, "'$xmm0' is neither a number nor a register" },
	{ ".ra", "", false, 0, 0, "expression missing; ':drop-rule' removes a rule" },
};

static void
test_checks(const struct edit_step *step)
{
	for (size_t i = 0; i < ARRAY_COUNT(checks); i++) {
		struct edit_check check;
		edit_check_rule(step, text_of(checks[i].name), text_of(checks[i].expression), &check);
		bool right = check.good == checks[i].good &&
			     (check.good || (check.start == checks[i].start && check.length == checks[i].length)) &&
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
		   text_equal(name, text_of("$rbx")) && start == 6, "a register's name is spelled as records spell it");
	ok(edit_parse_rule(step, "cfa: 1", &name, &start, &error) == ERROR_NONE && text_equal(name, text_of(".cfa")),
		   "the CFA's name is spelled as records spell it");
	ok(edit_parse_rule(step, "cfa 1", &name, &start, &error) != ERROR_NONE, "a rule without a colon is refused");
	ok(edit_parse_rule(step, "rxx: 1", &name, &start, &error) != ERROR_NONE, "a rule of an unknown register is refused");
}

/* The line of the symbol file that a rule makes, or NULL and the reason. */
static void
makes(const struct edit_step *step, const char *name, const char *expression, unsigned number,
      const char *line, const char *title)
{
	struct overlay_edit edit;
	struct error error = { 0 };
	struct arena arena = { 0 };

	const enum error_code code = edit_make_rule(step, text_of(name), text_of(expression), &arena, &edit, &error);
	const bool right = line == NULL ? code != ERROR_NONE : code == ERROR_NONE && edit.kind == OVERLAY_RECORD &&
						  edit.record.line == number && text_equal(edit.record.now, text_of(line));
	ok(right, "%s", title);
	if (!right && code == ERROR_NONE)
		tap_diag("got line %u: %.*s", edit.record.line, (int)edit.record.now.length, edit.record.now.start);
	else if (!right)
		tap_diag("%s", error.text);
	arena_free(&arena);
}

static void
test_records(const struct edit_step *step)
{
	makes(step, ".cfa", "$rsp 24 +", 5, "STACK CFI 1004 .cfa: $rsp 24 + $rbx: .cfa -16 + ^",
	      "a rule of a delta changes the delta, not the INIT record that had it first");
	makes(step, ".ra", ".cfa -16 + ^", 4, "STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -16 + ^",
	      "a rule that only the INIT record has is changed there");
	makes(step, "$rbp", "1", 5, "STACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^ $rbp: 1",
	      "a rule that no record has goes to the last one in force");
	makes(step, "$rbx", "", 5, "STACK CFI 1004 .cfa: $rsp 16 +", "a rule is taken out");
	makes(step, "$rbp", "", 0, NULL, "a record without the rule is not changed");
}

/* The edit that a command makes at frame 0. */
static enum error_code
command(const struct edit_step *step, enum edit_command which, const char *text,
	struct arena *arena, struct overlay_edit *edit, struct error *error)
{
	*edit = (struct overlay_edit){ .kind = OVERLAY_KINDS };
	return edit_command_make(step, which, text, arena, edit, error);
}

static void
test_frames(const struct edit_step *step)
{
	struct overlay_edit edit;
	struct error error = { 0 };
	struct arena arena = { 0 };

	ok(command(step, EDIT_SET_REGISTER, "rbx 0xff", &arena, &edit, &error) == ERROR_NONE && edit.known &&
		   edit.value == 0xff && edit.was_known && edit.old == 7, "a register gets a number and remembers what it was");
	ok(command(step, EDIT_SET_REGISTER, "rbx ?", &arena, &edit, &error) == ERROR_NONE && !edit.known, "a register becomes unknown");
	ok(command(step, EDIT_POLICY, "scan-words=7", &arena, &edit, &error) == ERROR_NONE &&
		   edit.policy == POLICY_SCAN_WORDS && edit.value == 7 && edit.old == 41, "a policy row is named with its value");
	ok(command(step, EDIT_FORBID, "stack-cfi", &arena, &edit, &error) == ERROR_NONE &&
		   edit.kind == OVERLAY_FORBID && edit.method == METHOD_STACK_CFI, "a method is named as in options");
	ok(command(step, EDIT_DROP_RULE, "rbx", &arena, &edit, &error) == ERROR_NONE &&
		   text_equal(edit.record.now, text_of("STACK CFI 1004 .cfa: $rsp 16 +")), "a rule is dropped by its name");
	arena_free(&arena);
}

/* Arguments of commands: the number in the edit, or the message that refuses them. */
static void
test_arguments(const struct edit_step *step)
{
	static const struct {
		enum edit_command command;
		const char *text, *problem;	/* NULL: the edit is valid */
		uint64_t number;
	} rows[] = {
		{ EDIT_SET_REGISTER, "rax ff", NULL, 0xff },
		{ EDIT_SET_REGISTER, "rbx 12x", "'12x' is not a hexadecimal number; '?' makes a register unknown", 0 },
		{ EDIT_SET_REGISTER, "rbx -1", "'-1' is not a hexadecimal number; '?' makes a register unknown", 0 },
		{ EDIT_SET_REGISTER, "rbx", "a register is set by its name and a hexadecimal number: ':set-register rsp 7ffe1000'", 0 },
		{ EDIT_SET_REGISTER,
		  "rbx 10000000000000000", "'10000000000000000' is not a hexadecimal number; '?' makes a register unknown", 0 },
		{ EDIT_SET_REGISTER, "rxx 1", "amd64 has no register 'rxx'", 0 },
		{ EDIT_SET_REGISTER, "rip ?", "a frame must have its rip", 0 },
		{ EDIT_SET_REGISTER, "rsp ?", "a frame must have its rsp", 0 },
		{ EDIT_CANDIDATE, "0x8000", NULL, 0x8000 }, { EDIT_CANDIDATE, "8ff8", NULL, 0x8ff8 },
		{ EDIT_CANDIDATE, "word", "'word' is not a hexadecimal address", 0 },
		{ EDIT_CANDIDATE, "7ff8", "a scan from frame 0 reads words from 0000000000008000 on", 0 },
		{ EDIT_CANDIDATE, "8004", "a scan from frame 0 reads words from 0000000000008000 on", 0 },
		{ EDIT_CANDIDATE, "9000", "the word at 0000000000009000 is not in the dump", 0 },
		{ EDIT_POLICY, "stack-only 1", NULL, 1 }, { EDIT_POLICY, "stack-only=2", "", 0 },
		{ EDIT_POLICY, "scan-words -1", "", 0 }, { EDIT_POLICY, "no-row=1", "", 0 },
		{ EDIT_FORCE, "none", "unknown method 'none'; 'stack-cfi' is one", 0 },
		{ EDIT_SET_RULE, "rbx:", "expression missing; ':drop-rule $rbx' removes the rule", 0 },
		{ EDIT_SET_RULE, "rbx 1", "a rule is written NAME: EXPRESSION", 0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct overlay_edit edit;
		struct error error = { 0 };
		struct arena arena = { 0 };
		const enum error_code code = command(step, rows[i].command, rows[i].text, &arena, &edit, &error);

		if (rows[i].problem == NULL)
			ok(code == ERROR_NONE && edit.thread == 0 && edit.frame == 0 &&
				   (rows[i].command == EDIT_CANDIDATE ? edit.address : edit.value) ==
					   rows[i].number, "'%s' is an edit", rows[i].text);
		else if (rows[i].problem[0] != '\0')
			is_str(error.text, rows[i].problem, "'%s' is refused", rows[i].text);
		else
			ok(code == ERROR_FORMAT, "'%s' is refused", rows[i].text);
		arena_free(&arena);
	}
}

#define WIN "STACK WIN 4 1000 20 0 0 0 0 0 0 1 "
#define WIN_PROGRAM "$eip $ebp 4 + ^ = $esp $ebp 8 + = $ebp $ebp ^ ="

static const struct scene windows = SCENE(X86, WINDOWS, "eip=401010 esp=8000 ebp=8010", "8010=8030 8014=401205",
	      { { 0x400000, 0x5000, "a", "FUNC 1000 20 0 f\nFUNC 1200 20 0 h\n" WIN WIN_PROGRAM "\n" }, { 0x500000, 0x5000, "b", NULL } });

/* Programs of STACK WIN are checked: each operator needs its operands, and an assignment leaves no value. */
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
		{ "program", "$eip 1 = 2", false, 10, 0, "values are left on the stack at the end" },
		{ "program", "$eip =", false, 5, 1, "'=' needs 2 values, the stack has fewer" },
		{ "program", "$eip 1 + =", false, 9, 1, "'=' needs 2 values, the stack has fewer" },
		{ "program", "1 -", false, 2, 1, "'-' needs 2 values, the stack has fewer" },
		{ "program", "^", false, 0, 1, "'^' needs 1 value, the stack has fewer" },
		{ "locals", "12", true, 0, 0, "" }, { "locals", "many", true, 0, 0, "" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(programs); i++) {
		struct edit_check check;
		edit_check_rule(step, text_of(programs[i].name), text_of(programs[i].expression), &check);
		is_str(check.text, programs[i].text, "%s: %s", programs[i].name, programs[i].expression);
		ok(check.good == programs[i].good &&
			   (check.good || (check.start == programs[i].start && check.length == programs[i].length)),
		   "a bad rule has the place of its defect");
	}
	struct edit_check check;
	char *text = calloc(1, 20000);
	for (size_t i = 0; i < 5000; i++)
		memcpy(text + 4 * i, "1 + ", i < 4999 ? 4 : 2);
	edit_check_rule(step, text_of("program"), text_of(text), &check);
	ok(!check.good && strcmp(check.text, "the expression is too long") == 0, "an expression of more tokens than any has is refused");
	free(text);
}

/* The old value: the program that ran, or the sizes of the record. */
static void
makes_win(const struct edit_step *step, const char *name, const char *value, const char *was, const char *line)
{
	struct overlay_edit edit;
	struct error error = { 0 };
	struct arena arena = { 0 };
	const enum error_code code = edit_make_rule(step, text_of(name), text_of(value), &arena, &edit, &error);

	if (was == NULL)
		is_str(error.text, line, "'%s: %s' is refused", name, value);
	else
		ok(code == ERROR_NONE && edit.kind == OVERLAY_RECORD && edit.record.line == 4 &&
			   edit.frame == step->frame && edit.method == METHOD_STACK_WIN &&
			   text_equal(edit.name, text_of(name)) && text_equal(edit.was, text_of(was)) &&
			   text_equal(edit.record.now, text_of(line)), "'%s: %s' is '%s', before '%s'", name, value, line, was);
	if (was != NULL && code != ERROR_NONE)
		tap_diag("%s", error.text);
	arena_free(&arena);
}

TEST(win)
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
		   text_equal(name, text_of("saved")) && start == 9, "fields of STACK WIN have names of their own");
	ok(edit_parse_rule(&step, ": 12", &name, &start, &error) == ERROR_FORMAT, "a field needs a name");
	makes_win(&step, "program", "$eip 1 =", WIN_PROGRAM, WIN "$eip 1 =");
	makes_win(&step, "saved", "12", "0", "STACK WIN 4 1000 20 0 0 0 c 0 0 1 " WIN_PROGRAM);
	makes_win(&step, "saved", "many", NULL, "a size is a number, 12 or 0xc");
	makes_win(&above, "saved", "12", NULL, "no STACK WIN record covers frame 1");
	ok(edit_make_rule(&step, text_of("saved"), text_of("8"), &arena, &edit, &error) == ERROR_NONE, "a size is edited");
	const struct overlay *overlay = overlay_with(&arena, NULL, &edit);
	struct walk *walk = walk_create_edited(&staged.crash, staged.symbols, NULL, 0, &policy, overlay);
	walk_run(walk, 2);
	const struct edit_step edited = { walk, 0, METHOD_STACK_WIN };
	makes_win(&edited, "saved", "12", "8", "STACK WIN 4 1000 20 0 0 0 c 0 0 1 " WIN_PROGRAM);
	makes_win(&edited, "program", "$eip 1 =", WIN_PROGRAM, "STACK WIN 4 1000 20 0 0 0 8 0 0 1 $eip 1 =");
	walk_free(walk);
	ok(edit_make_rule(&pointer, text_of("$eip"), text_of("$ebp ^"), &arena, &edit, &error) == ERROR_NONE &&
		   edit.kind == OVERLAY_RULE && edit.row_input == NULL && edit.frame == 0 &&
		   edit.method == METHOD_FRAME_POINTER && text_equal(edit.was, text_of("$ebp 4 + ^")),
	   "a method's own rule is edited in one frame");
	ok(edit_make_rule(&pointer, text_of("$esi"), text_of("1"), &arena, &edit, &error) ==
			   ERROR_NONE && edit.was.length == 0, "a rule that the method does not have is added");
	ok(edit_make_rule(&pointer, text_of("$esi"), text_of(""), &arena, &edit, &error) == ERROR_NOT_FOUND &&
		   strcmp(error.text, "the frame pointer has no rule for $esi here") == 0,
	   "a rule that the method does not have cannot be taken out");
	arena_free(&arena);
	scene_close(&staged);
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
	test_frames(&step);
	test_arguments(&step);
	scene_close(&staged);
	run_tests();
	return done_testing();
}
