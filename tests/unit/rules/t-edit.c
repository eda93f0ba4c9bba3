/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/policy_rows.h"
#include "rules/edit.h"
#include "tests/lib/tap.h"

/* Lines of symbol files with one rule or field changed; all other bytes stay. */

#define CFI "STACK CFI 1004 .cfa: $rsp 16 +  $rbx: .cfa -16 + ^"

static const struct {
	const char *title, *line, *name, *expression, *want;
} rules[] = {
	{ "a rule is replaced", CFI, ".cfa", "$rsp 24 +", "STACK CFI 1004 .cfa: $rsp 24 +  $rbx: .cfa -16 + ^" },
	{ "the last rule is replaced", CFI, "$rbx", "1", "STACK CFI 1004 .cfa: $rsp 16 +  $rbx: 1" },
	{ "a missing rule is appended", CFI, "$rbp", "2", "STACK CFI 1004 .cfa: $rsp 16 +  $rbx: .cfa -16 + ^ $rbp: 2" },
	{ "the first rule is taken out", CFI, ".cfa", "", "STACK CFI 1004 $rbx: .cfa -16 + ^" },
	{ "the last rule is taken out", CFI, "$rbx", "", "STACK CFI 1004 .cfa: $rsp 16 +" },
	{ "the only rule can't be taken out", "STACK CFI 1 .cfa: 1", ".cfa", "", NULL },
	{ "a missing rule can't be taken out", CFI, "$rbp", "", NULL },
	{ "an INIT record keeps its size", "STACK CFI INIT 10 20 .cfa: 1 .ra: 2", ".ra", "3", "STACK CFI INIT 10 20 .cfa: 1 .ra: 3" },
	{ "the last of two rules with one name is used", "STACK CFI 1 $rbx: 1 $rbx: 2", "$rbx", "3", "STACK CFI 1 $rbx: 1 $rbx: 3" },
	{ "a rule is appended in place of the blanks at the end", "STACK CFI 1 .cfa: 1 \t", "$rbp", "2", "STACK CFI 1 .cfa: 1 $rbp: 2" },
	{ "a rule is taken out with the blanks before it", "STACK CFI 1 .cfa: 1 \t $rbp: 2  ", "$rbp", "", "STACK CFI 1 .cfa: 1" },
	{ "the only rule, followed by blanks, can't be taken out", "STACK CFI 1 .cfa: 1  ", ".cfa", "", NULL },
	{ "other records have no rules", "STACK WIN 4 1 2 3 4 5 6 7 8 1 $eip 1 =", ".cfa", "1", NULL },
};

#define WIN "STACK WIN 4 429e 56 4 0 c 4 10 0 1 $T0 $ebp ="
#define FPO "STACK WIN 0 1db0 30 0  0 0 0 0 0 0 1"

static const struct {
	const char *title, *line, *name, *value, *want;
} fields[] = {
	{ "the program is replaced", WIN, "program", "$eip 1 =", "STACK WIN 4 429e 56 4 0 c 4 10 0 1 $eip 1 =" },
	{ "a size is given in decimal and written in hexadecimal", WIN, "params", "20", "STACK WIN 4 429e 56 4 0 14 4 10 0 1 $T0 $ebp =" },
	{ "a size is given in hexadecimal", WIN, "locals", "0x1c", "STACK WIN 4 429e 56 4 0 c 4 1c 0 1 $T0 $ebp =" },
	{ "prologue is the field after the size", WIN, "prologue", "5", "STACK WIN 4 429e 56 5 0 c 4 10 0 1 $T0 $ebp =" },
	{ "blanks between fields stay", FPO, "saved", "12", "STACK WIN 0 1db0 30 0  0 0 c 0 0 0 1" },
	{ "a record without a program gets one", FPO, "program", "$eip 1 =", "STACK WIN 0 1db0 30 0  0 0 0 0 0 1 $eip 1 =" },
	{ "the flag of the base pointer is replaced", FPO, "base-pointer", "0", "STACK WIN 0 1db0 30 0  0 0 0 0 0 0 0" },
	{ "the largest size is written", WIN, "params", "4294967295", "STACK WIN 4 429e 56 4 0 ffffffff 4 10 0 1 $T0 $ebp =" },
	{ "a size with leading zeros is written", WIN, "params", "0000000000000000000000000000007",
	  "STACK WIN 4 429e 56 4 0 7 4 10 0 1 $T0 $ebp =" },
	{ "a size does not end with a letter", WIN, "params", "12x", NULL }, { "a size has no sign", WIN, "params", "-1", NULL },
	{ "a size begins with a digit", WIN, "params", ":1", NULL }, { "a size is not empty", WIN, "params", "", NULL },
	{ "the last size is 'max'", WIN, "max", "0x20", "STACK WIN 4 429e 56 4 0 c 4 10 20 1 $T0 $ebp =" },
	{ "epilogue is the field before the parameters", WIN, "epilogue", "2", "STACK WIN 4 429e 56 4 2 c 4 10 0 1 $T0 $ebp =" },
	{ "any number but 0 sets the flag of the base pointer", WIN, "base-pointer", "7", "STACK WIN 4 429e 56 4 0 c 4 10 0 0 1" },
	{ "a word is not a size", WIN, "params", "many", NULL }, { "a size has 32 bits", WIN, "params", "4294967296", NULL },
	{ "an unknown field is refused", WIN, "colour", "1", NULL }, { "STACK CFI has no such field", CFI, "params", "1", NULL },
};

static bool
is_same(const char *got, const char *want)
{
	if (got == NULL || want == NULL)
		return got == want;
	return strcmp(got, want) == 0;
}

TEST(spans)
{
	const struct text text = text_of(".cfa: $rsp 8 +\t.ra:  .cfa -8 + ^ ");
	struct rule_span span;

	ok(rule_span_find(text, text_of(".ra"), &span) && span.start == 15 && span.expression == 21 && span.end == 32,
	   "a rule is found with its name and tokens, without the blanks after them");
	ok(!rule_span_find(text, text_of("$rsp"), &span), "a token is not the name of a rule");
}

/* The sizes of a record, by their names in edits. */
TEST(sizes)
{
	static const struct {
		const char *name;
		uint32_t size;
	} sizes[] = {
		{ "prologue", 1 }, { "epilogue", 2 }, { "params", 3 }, { "saved", 4 }, { "locals", 5 },
		{ "max", 6 }, { "base-pointer", 1 },
	};
	const struct stack_win record = { .prologue = 1, .epilogue = 2, .parameters = 3, .saved_registers = 4, .locals = 5, .max_stack = 6,
					  .allocates_base_pointer = true };
	uint32_t size = 9;

	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++)
		ok(record_edit_win_size(&record, text_of(sizes[i].name), &size) &&
			   size == sizes[i].size, "a record has a size %s", sizes[i].name);
	ok(!record_edit_win_size(&record, text_of("program"), &size) && !record_edit_win_size(&record, text_of("colour"), &size),
	   "a program and an unknown word are no sizes");
}

static const struct {
	const char *line, *name, *value, *problem;
} problems[] = {
	{ CFI, "params", "1", "this is not a STACK WIN record" },
	{ "STACK WIN f 429e 56 4 0 c 4 10 0 1 $T0 $ebp =", "params", "1", "this is not a STACK WIN record" },
	{ "STACK WIN 4 429e 56 4 0", "params", "1", "this is not a STACK WIN record" },
	{ WIN, "colour", "1", "a STACK WIN record has program, prologue, epilogue, params, saved, locals, max and base-pointer" },
	{ WIN, "program", "", "a field of a STACK WIN record cannot be removed" },
	{ WIN, "params", "many", "a size is a number, 12 or 0xc" },
};

TEST_EACH(problems, problems)
{
	const char *problem = NULL;
	struct arena arena = { 0 };

	record_edit_win(&arena, text_of(problems[i].line), text_of(problems[i].name), text_of(problems[i].value), &problem);
	is_str(problem, problems[i].problem, "the error is reported: %s", problems[i].problem);
	arena_free(&arena);
}

/* The records of a version that an edit made, and the file's records in their places. */
TEST(made)
{
#define INIT "STACK CFI INIT 10 8 .cfa: 1 .ra: 2"
#define DELTA "STACK CFI 12 .cfa: 3"
#define FRAME "STACK WIN 4 12 6 1 2 3 4 5 6 1 $eip 1 ="
	static const char file[] = INIT "\n" DELTA "\n" FRAME "\nFUNC 20 8 0 f\n";
	enum { SECOND = sizeof(INIT), THIRD = SECOND + sizeof(DELTA), LAST = THIRD + sizeof(FRAME) };
	static const struct {
		const char *title;
		uint64_t offset;
		const char *line, *now;
		const char *init, *delta;	/* rules that the file has; NULL: no edit made it */
		bool win;
	} cases[] = {
		{ "an INIT record gets other rules", 0, INIT, "STACK CFI INIT 10 8 .cfa: 9 .ra: 2", ".cfa: 1 .ra: 2", NULL, false },
		{ "a delta gets other rules", SECOND, DELTA, "STACK CFI 12 .cfa: 9", NULL, ".cfa: 3", false },
		{ "an INIT record gets another address", 0, INIT, "STACK CFI INIT 11 7 .cfa: 1 .ra: 2", "", NULL, false },
		{ "a delta gets another address", SECOND, DELTA, "STACK CFI 13 .cfa: 3", NULL, "", false },
		{ "a delta is added after a line of another kind", LAST, "FUNC 20 8 0 f",
		  "FUNC 20 8 0 f\nSTACK CFI 13 .cfa: 4", NULL, "", false },
		{ "a STACK WIN record gets another program", THIRD, FRAME, "STACK WIN 4 12 6 1 2 3 4 5 6 1 $eip 2 =", NULL, NULL, true },
		{ "a line stays as it is", THIRD, FRAME, FRAME, NULL, NULL, false },
	};
	const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	struct symfile *symfile = NULL, *version;
	struct error error;

	symfile_from_memory(&symfile, "a.sym", file, strlen(file), &error);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct record_edit edit = { .file = "a.sym", .offset = cases[i].offset, .was = text_of(cases[i].line),
						  .now = text_of(cases[i].now) };
		struct stack_cfi_records cfi = { .delta_count = 0 };
		struct stack_cfi was = { 0 };
		struct stack_win win, win_was = { 0 };
		struct arena arena = { 0 };

		ok(symfile_version(&version, symfile, &(struct record_edits){ &edit, 1 }) &&
		   symfile_stack_cfi(version, &policy, 0x17, &arena, &cfi) &&
		   symfile_stack_win(version, &policy, 4, 0x14, &win), "%s", cases[i].title);
		ok(record_edit_made(version, &cfi.init, &was) == (cases[i].init != NULL) &&
		   (cases[i].init == NULL || text_equal(was.rules, text_of(cases[i].init))),
		   "the old rules of an edited INIT record are found: %s", cases[i].title);
		const size_t count = cfi.delta_count;
		ok(count > 0 && record_edit_made(version, &cfi.deltas[count - 1], &was) == (cases[i].delta != NULL) &&
		   (cases[i].delta == NULL || text_equal(was.rules, text_of(cases[i].delta))),
		   "the old rules of an edited delta are found: %s", cases[i].title);
		ok(record_edit_made_win(version, &win, &win_was) == cases[i].win &&
		   (!cases[i].win || text_equal(win_was.program, text_of("$eip 1 ="))) && win.offset == THIRD &&
		   win.length == strlen(FRAME), "the old program of an edited STACK WIN record is found: %s", cases[i].title);
		arena_free(&arena);
		symfile_close(version);
	}
	symfile_close(symfile);
#undef INIT
#undef DELTA
#undef FRAME
}

/* An edit is valid if the file still has its line; nothing is read past the file's end. */
TEST(holds)
{
	static const char bytes[] = "ab\ncd\nrest";
	static const struct {
		const char *file, *was;
		uint64_t offset;
		bool holds;
	} rows[] = {
		{ "a.sym", "cd", 3, true }, { "a.sym", "cd\n", 3, true }, { "a.sym", "ab", 0, true },
		{ "a.sym", "", 6, true }, { "b.sym", "cd", 3, false }, { "a.sym", "ce", 3, false },
		{ "a.sym", "cd\nr", 3, false }, { "a.sym", "rest", 6, false }, { "a.sym", "", 7, false },
	};
	struct file file = { .data = (const uint8_t *)bytes, .size = 6 };

	file.input.name = "a.sym";
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct record_edit edit = { .file = rows[i].file, .offset = rows[i].offset, .was = text_of(rows[i].was) };
		is_u64(record_edit_holds(&edit, &file), rows[i].holds, "the edit of '%s' at %u of %s is valid or not as expected",
		       rows[i].was, (unsigned)rows[i].offset, rows[i].file);
	}
}

int
main(void)
{
	run_tests();
	for (size_t i = 0; i < ARRAY_COUNT(rules); i++) {
		struct arena arena = { 0 };

		const char *got = record_edit_rule(&arena, text_of(rules[i].line), text_of(rules[i].name), text_of(rules[i].expression));
		ok(is_same(got, rules[i].want), "STACK CFI: %s", rules[i].title);
		if (!is_same(got, rules[i].want))
			tap_diag("got '%s'", got != NULL ? got : "nothing");
		arena_free(&arena);
	}
	for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
		const char *problem = NULL;
		struct arena arena = { 0 };

		const char *got = record_edit_win(&arena, text_of(fields[i].line), text_of(fields[i].name),
						  text_of(fields[i].value), &problem);
		ok(is_same(got, fields[i].want), "STACK WIN: %s", fields[i].title);
		if (!is_same(got, fields[i].want))
			tap_diag("got '%s'", got != NULL ? got : "nothing");
		arena_free(&arena);
	}
	return done_testing();
}
