/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/telescope.h"
#include "tests/unit/report/scene.h"

/*
 * The known registers of a caller during its step. The rules of frame 0 (line 16 of the symbol
 * file) and their tokens, by hand from the stack in scene.h:
 *
 *	.cfa: $ebp 8 +		1 to 3	12f010, which is esp
 *	.ra: .cfa 4 - ^		4 to 7	[12f00c] = 401110, which is eip
 *	$ebp: $ebp ^		8, 9	[12f008] = 12f018
 */

static void
go_to_token(struct step_view *view, size_t number)
{
	for (uint32_t i = 0; i < view->trace.count; i++)
		if (step_view_token_number(view, i) == number)
			view->cursor = i;
}

/*
 * The row of the first listed word or register whose text begins with `text`, or "".
 */
static const char *
row_with(struct scene *scene, const struct listing *listing, const char *text)
{
	for (size_t i = 0; i < listing->count; i++)
		if (strncmp(scene_row(scene, listing, i, 80), text, strlen(text)) == 0)
			return row_text(&scene->row);
	return "";
}

static const char *
register_row(struct scene *scene, const struct step_view *view, const char *name)
{
	struct listing registers = step_view_registers(view, 16, &scene->arena);

	return row_with(scene, &registers, name);
}

static void
test_registers(struct scene *scene, struct step_view *view)
{
	static const struct {
		size_t token;
		const char *eip, *esp, *ebp;
	} steps[] = {
		{ 2, " eip   00401015    not yet", " esp   0012f000    not yet",
		  " ebp   0012f008    not yet" },
		{ 3, " eip   00401015    not yet", " esp   0012f000 >* 0012f010      3  ",
		  " ebp   0012f008    not yet" },
		{ 6, " eip   00401015    not yet", " esp   0012f000  * 0012f010      3  ",
		  " ebp   0012f008    not yet" },
		{ 7, " eip   00401015 >* 00401110      7  ", " esp   0012f000  * 0012f010      3  ",
		  " ebp   0012f008    not yet" },
		{ 9, " eip   00401015  * 00401110      7  ", " esp   0012f000  * 0012f010      3  ",
		  " ebp   0012f008 >* 0012f018      9  " },
		{ 3, " eip   00401015    not yet", " esp   0012f000 >* 0012f010      3  ",
		  " ebp   0012f008    not yet" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
		const char *const rows[] = { steps[i].eip, steps[i].esp, steps[i].ebp };

		go_to_token(view, steps[i].token);
		for (size_t j = 0; j < ARRAY_COUNT(rows); j++) {
			char name[6];

			snprintf(name, sizeof(name), "%.4s", rows[j]);
			const char *got = register_row(scene, view, name);
			ok(strncmp(got, rows[j], strlen(rows[j])) == 0, "token %zu: '%s': '%s'",
			   steps[i].token, rows[j], got);
		}
	}
	go_to_token(view, 9);
	ok(strncmp(register_row(scene, view, " ebx"), " ebx   00000000    not yet", 25) == 0,
	   "a register that calls keep has no rule before the end of the step");
}

static void
test_over(struct scene *scene, struct step_view *view)
{
	struct registers caller;

	view->cursor = (uint32_t)view->trace.count - 1;
	ok(step_view_is_over(view), "the step is over after the last token");
	ok(strncmp(register_row(scene, view, " ebp"), " ebp   0012f008  * 0012f018", 27) == 0,
	   "the caller is complete then, and nothing in it is new");
	ok(strncmp(register_row(scene, view, " ebx"), " ebx   00000000  = 00000000", 27) == 0,
	   "a register that no rule mentions is kept");
	view->cursor = 0;
	ok(step_view_is_over(view), "a cursor on the whole step has its end");
	step_view_caller(view, &caller);
	is_u64(caller.value[view->walk->arch->pc], 0x401110,
	       "a cursor on the whole step has the caller");
	view->cursor = trace_next(&view->trace, 0, EVENT_RULE);
	ok(step_view_is_over(view), "a cursor on a rule has its end");
	view->cursor--;
	step_view_caller(view, &caller);
	ok(!step_view_is_over(view) && caller.known == 0,
	   "no register is known before the first rule");
}

static void
test_evidence(struct scene *scene, struct step_view *view)
{
	struct listing evidence;

	go_to_token(view, 3);
	evidence = step_view_evidence(view, 0, &scene->arena);
	ok(strstr(row_with(scene, &evidence, " 2 STACK CFI"), "under way") != NULL,
	   "the attempt at the cursor is under way");
	ok(strstr(row_with(scene, &evidence, " rule .cfa: $ebp 8 +"), "= ") != NULL,
	   "a rule has its result with its last token");
	ok(strstr(row_with(scene, &evidence, " rule .ra: .cfa 4 - ^"), "= ") == NULL,
	   "the next rule has no result yet");
	ok(row_with(scene, &evidence, " .     to check: the stack pointer goes up")[0] != '\0',
	   "checks have no result yet");
	is_str(row_with(scene, &evidence, " result"), " result: not yet",
	       "the step has no result yet");
	go_to_token(view, 6);
	evidence = step_view_evidence(view, 0, &scene->arena);
	ok(strstr(row_with(scene, &evidence, " rule .ra: .cfa 4 - ^"), "= ") == NULL,
	   "the rule of the return address has no result before its '^'");
	go_to_token(view, 7);
	evidence = step_view_evidence(view, 0, &scene->arena);
	ok(strstr(row_with(scene, &evidence, " rule .ra: .cfa 4 - ^"), "= 401110") != NULL,
	   "the rule of the return address has its result with its '^'");
	view->cursor = 0;
	evidence = step_view_evidence(view, 0, &scene->arena);
	ok(strstr(row_with(scene, &evidence, " 2 STACK CFI"), "taken: eip 00401110") != NULL,
	   "the whole step has its outcome");
	ok(row_with(scene, &evidence, " ok    the stack pointer goes up")[0] != '\0',
	   "the checks of the whole step have their outcome");
}

static void
test_memory(struct scene *scene, struct step_view *view)
{
	static const struct {
		size_t token;
		const char *address, *row;
	} words[] = {
		{ 6, " 0012f00c", " 0012f00c  00401110   0                      main + 0x10?" },
		{ 7, " 0012f00c", " 0012f00c >00401110   0  token 7             return to main + 0x10" },
		{ 8, " 0012f00c", " 0012f00c *00401110   0  token 7             return to main + 0x10" },
		{ 8, " 0012f008", " 0012f008  0012f018   0  ebp of 0            into the stack, frame "
				   "1 -> 0" },
		{ 2, " 0012f010", " 0012f010  0012f004   1                      into the stack, frame "
				   "0 -> main + ~" },
		{ 2, " == ", " == end of frame 0: not yet ==" },
		{ 3, " == ", " == CFA of frame 0: the esp of frame 1 ==" },
	};
	struct telescope_state state = { 0 };
	struct memory_view memory;

	memory_view_all(&memory, &scene->crash, &scene->arena);
	for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
		const struct telescope_options options = { .crash = &scene->crash,
							   .memory = &memory,
							   .walk = scene->walk,
							   .step = view,
							   .state = &state,
							   .base = 16 };

		go_to_token(view, words[i].token);
		struct listing stack = telescope_listing(&options, &scene->arena);
		is_str(row_with(scene, &stack, words[i].address), words[i].row,
		       "memory at token %zu", words[i].token);
	}
	telescope_state_free(&state);
}

/* The row of a token in `columns`, while the cursor is on token `cursor`. */
static const char *
token_row(struct scene *scene, struct step_view *view, size_t cursor, size_t token, size_t columns)
{
	go_to_token(view, token);
	const uint32_t event = view->cursor;
	go_to_token(view, cursor);
	row_clear(&scene->row);
	step_view_token_row(view, event, columns, &scene->row);
	return row_text(&scene->row);
}

static void
test_tokens(struct scene *scene, struct step_view *view)
{
	static const struct {
		size_t cursor, token, columns;
		const char *row;
	} rows[] = {
		{ 1, 1, 79, "    1  $ebp     >$ebp (12f008)           ebp of frame 0, test.dmp+0x" },
		{ 2, 2, 79, "    2  8        $ebp (12f008) >8         " },
		{ 3, 2, 79, "    2  8        {$ebp (12f008) 8}        " },
		{ 3, 2, 50, "    2  8        {12f008 8}      " },
		{ 4, 2, 50, "    2  8        $ebp (12f008) 8 " },
		{ 3, 3, 79, "    3  +        >12f010                  12f008 + 8 = 12f010" },
		{ 4, 3, 79, "    3  +        12f010                   12f008 + 8 = 12f010" },
		{ 3, 1, 60, "    1  $ebp     $ebp (12f008)    ebp of frame 0, test.~0x" },
		{ 6, 6, 79, "    6  -        >12f00c                  12f010 - 4 = 12f00c" },
		{ 7, 6, 79, "    6  -        {12f00c}                 12f010 - 4 = 12f00c" },
		{ 7, 7, 79, "    7  ^        >401110                  [12f00c] = 401110, test.dmp+0x" },
		{ 7, 8, 79, "    8  $ebp     ." },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *got = token_row(scene, view, rows[i].cursor, rows[i].token,
					    rows[i].columns);
		ok(strncmp(got, rows[i].row, strlen(rows[i].row)) == 0,
		   "token %zu from %zu in %zu columns: '%s'", rows[i].token, rows[i].cursor,
		   rows[i].columns, got);
	}
	view->cursor = 0;
	is_str(step_view_number(9).text, "9", "a digit has one base");
	is_str(step_view_number(10).text, "0xa", "a small value is marked");
	is_str(step_view_number(0x12f010).text, "12f010",
	       "an address is hexadecimal as everywhere");
}

static void
test_caller_row(struct scene *scene, struct step_view *view)
{
	static const struct {
		size_t token;
		const char *row;
	} rows[] = {
		{ 2, " frame 1 so far  nothing yet" },
		{ 3, " frame 1 so far  >esp 12f010" },
		{ 4, " frame 1 so far  esp 12f010" },
		{ 7, " frame 1 so far  >eip 401110  esp 12f010" },
		{ 9, " frame 1 so far  >ebp 12f018  eip 401110  esp 12f010" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		go_to_token(view, rows[i].token);
		row_clear(&scene->row);
		step_view_caller_row(view, &scene->row);
		is_str(row_text(&scene->row), rows[i].row, "the caller at token %zu",
		       rows[i].token);
	}
	view->cursor = 0;
	row_clear(&scene->row);
	step_view_caller_row(view, &scene->row);
	ok(strncmp(row_text(&scene->row), " frame 1  eip 401110  esp 12f010  ebp 12f018  ", 46) ==
		   0,
	   "the whole step has the complete caller");
}

int
main(void)
{
	struct scene scene;
	struct step_view view;

	scene_open(&scene);
	step_view_make(&view, scene.walk, 0);
	test_registers(&scene, &view);
	test_over(&scene, &view);
	test_evidence(&scene, &view);
	test_memory(&scene, &view);
	test_tokens(&scene, &view);
	test_caller_row(&scene, &view);
	step_view_free(&view);
	scene_close(&scene);
	return done_testing();
}
