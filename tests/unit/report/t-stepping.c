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

/* The row of the first listed word or register whose text begins with `text`, or "". */
static const char *
row_with(struct scene *scene, const struct listing *listing, const char *text)
{
	for (size_t i = 0; i < listing->count; i++)
		if (strncmp(scene_row(scene, listing, i, 80), text, strlen(text)) == 0)
			return row_text(&scene->row);
	return "";
}

enum pane { EVALUATION, EVIDENCE, REGISTERS };

static struct listing
listing_of(struct scene *scene, const struct step_view *view, enum pane pane, size_t columns)
{
	return pane == EVALUATION ? step_view_evaluation(view, &scene->arena)
	       : pane == EVIDENCE ? step_view_evidence(view, columns, &scene->arena)
				  : step_view_registers(view, 16, &scene->arena);
}

static void
add_line(struct scene *scene, const char *text, struct output_string *to)
{
	output_format(&to->output, "%s\n", text);
	row_clear(&scene->row);
}

/* The head, the rows, the foot and the legend of a pane, or the explanations of its rows. */
static const char *
pane_text(struct scene *scene, const struct step_view *view, enum pane pane, size_t columns, bool explained)
{
	const struct listing listing = listing_of(scene, view, pane, columns);
	struct output_string text;

	output_string_init(&text, &scene->arena);
	row_clear(&scene->row);
	if (!explained && listing.head != NULL)
		listing_head(&listing, columns, &scene->row);
	add_line(scene, row_text(&scene->row), &text);
	for (size_t i = 0; i < listing.count; i++)
		add_line(scene, explained ? scene_explain(scene, &listing, i) : scene_row(scene, &listing, i, columns), &text);
	if (!explained && listing.foot != NULL)
		listing.foot(&listing, &scene->row);
	if (!explained && pane == REGISTERS)
		step_view_registers_legend(&listing, &scene->row);
	add_line(scene, row_text(&scene->row), &text);
	return text.text;
}

/* Tokens as in the comment at the top; the context is at c70 of the dump, the stack at 414. */
static void
test_panes(struct scene *scene, struct step_view *view)
{
	static const struct {
		enum pane pane;
		size_t token, columns;	/* token 0: the whole step */
		bool explained;
		const char *text;
	} panes[] = {
		{ EVALUATION, 7, 60, false, "  tok  token    stack after      why\n rule .cfa: $ebp 8 +   = 12f010   app.sym:16:30\n"
		  "    1  $ebp     $ebp (12f008)    ebp of frame 0, test.~0xd24\n    2  8        $ebp (12f008) 8  \n"
		  "    3  +        12f010           12f008 + 8 = 12f010\n rule .ra: .cfa 4 - ^   = 401110   app.sym:16:44\n"
		  "    4  .cfa     .cfa (12f010)    set by token 3\n    5  4        .cfa (12f010) 4  \n"
		  "    6  -        {12f00c}         12f010 - 4 = 12f00c\n    7  ^        >401110          [12f00c] = 401110, test~420\n"
		  " rule $ebp: $ebp ^   app.sym:16:61\n    8  $ebp     .\n    9  ^        .\n frame 1 so far  >eip 401110  esp 12f010\n" },
		{ EVIDENCE, 0, 0, false, " # method          evidence                 caller of frame 0\n"
		  " 1 STACK WIN                                refused: no STACK WIN record covers the address\n"
		  " 2 STACK CFI       app.sym:16               taken: eip 00401110 esp 0012f010\n"
		  " record covers 0x1000 to 0x103f, 64 (0x40) bytes; 0 deltas in force   app.sym:16\n"
		  " rule .cfa: $ebp 8 +   = 12f010   app.sym:16:30\n rule .ra: .cfa 4 - ^   = 401110   app.sym:16:44\n"
		  " rule $ebp: $ebp ^   = 12f018   app.sym:16:61\n ok    every register that a frame needs has a value: eip and esp\n"
		  " ok    the return address is not in the first page: eip 00401110\n ok    the stack pointer does not go down: 0x12f000 to 0x12f010\n"
		  " ok    the return address can be code: 0x401110\n ok    the stack pointer stays in the stack's memory: 0x12f010\n result: taken\n"
		  " = eip   00401110   token 7, [12f00c], test.dmp+0x420\n = esp   0012f010   token 3, 12f008 + 8\n"
		  " = ebp   0012f018   token 9, [12f008], test.dmp+0x41c\n"
		  " = ebx   00000000  ebx of frame 0, test.dmp+0xd14; unchanged: no record mentions it\n"
		  " = esi   00000000  esi of frame 0, test.dmp+0xd10; unchanged: no record mentions it\n"
		  " = edi   00000000  edi of frame 0, test.dmp+0xd0c; unchanged: no record mentions it\n ? eax   unknown   not kept across calls\n"
		  " ? ecx   unknown   not kept across calls\n ? edx   unknown   not kept across calls\n ? efl   unknown   not kept across calls\n"
		  " input $ebp = 0012f008  ebp of frame 0   test.dmp+0xd24\n input $ebx = 00000000  ebx of frame 0   test.dmp+0xd14\n"
		  " input $esi = 00000000  esi of frame 0   test.dmp+0xd10\n input $edi = 00000000  edi of frame 0   test.dmp+0xd0c\n\n" },
		{ EVIDENCE, 0, 0, true, "\nSTACK WIN: refused: no STACK WIN record covers the address\nSTACK CFI: taken\n"
		  "covers 0x1000 to 0x103f, 64 (0x40) bytes; 0 deltas in force   from app.sym:16\n.cfa: $ebp 8 +   from app.sym:16:30\n"
		  ".ra: .cfa 4 - ^   from app.sym:16:44\n$ebp: $ebp ^   from app.sym:16:61\n"
		  "ok: every register that a frame needs has a value: eip and esp\nok: the return address is not in the first page: eip 00401110\n"
		  "ok: the stack pointer does not go down: 0x12f000 to 0x12f010\nok: the return address can be code: 0x401110\n"
		  "ok: the stack pointer stays in the stack's memory: 0x12f010\nSTACK CFI: taken\n"
		  "eip 00401110 = [12f00c], test.dmp+0x420   from app.sym:16:53\nesp 0012f010 = 12f008 + 8   from app.sym:16:37\n"
		  "ebp 0012f018 = [12f008], test.dmp+0x41c   from app.sym:16:66\n"
		  "ebx 00000000 = ebx of frame 0, test.dmp+0xd14; unchanged: no record mentions it   from test.dmp+0xd14\n"
		  "esi 00000000 = esi of frame 0, test.dmp+0xd10; unchanged: no record mentions it   from test.dmp+0xd10\n"
		  "edi 00000000 = edi of frame 0, test.dmp+0xd0c; unchanged: no record mentions it   from test.dmp+0xd0c\n"
		  "eax: not kept across calls\necx: not kept across calls\nedx: not kept across calls\nefl: not kept across calls\n"
		  "$ebp: ebp of frame 0   from test.dmp+0xd24\n$ebx: ebx of frame 0   from test.dmp+0xd14\n"
		  "$esi: esi of frame 0   from test.dmp+0xd10\n$edi: edi of frame 0   from test.dmp+0xd0c\n\n" },
		{ EVALUATION, 0, 0, true,
		  "\n.cfa: $ebp 8 +   from app.sym:16:30\n$ebp = 12f008   ebp of frame 0, test.dmp+0xd24   from app.sym:16:30\n"
		  "8   from app.sym:16:35\n12f008 + 8 = 12f010   from app.sym:16:37\n.ra: .cfa 4 - ^   from app.sym:16:44\n"
		  ".cfa = 12f010   set by token 3   from app.sym:16:44\n4   from app.sym:16:49\n12f010 - 4 = 12f00c   from app.sym:16:51\n"
		  "[12f00c] = 401110   test.dmp+0x420   from app.sym:16:53\n$ebp: $ebp ^   from app.sym:16:61\n"
		  "$ebp = 12f008   ebp of frame 0, test.dmp+0xd24   from app.sym:16:61\n[12f008] = 12f018   test.dmp+0x41c   from app.sym:16:66\n\n" },
		{ REGISTERS, 7, 60, false,
		  " reg   frame 0     frame 1   token  from\n eip   00401015 >* 00401110      7  [12f00c], test.dmp+0x420\n"
		  " esp   0012f000  * 0012f010      3  12f008 + 8\n ebp   0012f008    not yet \n ebx   00000000    not yet \n"
		  " esi   00000000    not yet \n edi   00000000    not yet \n eax   00000000    not yet \n ecx   00000000    not yet \n"
		  " edx   00000000    not yet \n efl   00000000    not yet \n> now  * changed\n" },
		{ REGISTERS, 0, 110, false,
		  " reg   frame 0     frame 1   token  from\n eip   00401015  * 00401110      7  [12f00c], test.dmp+0x420   app.sym:16:53\n"
		  " esp   0012f000  * 0012f010      3  12f008 + 8   app.sym:16:37\n"
		  " ebp   0012f008  * 0012f018      9  [12f008], test.dmp+0x41c   app.sym:16:66\n"
		  " ebx   00000000  = 00000000         ebx of frame 0, test.dmp+0xd14; unchanged: no record mentions it\n"
		  " esi   00000000  = 00000000         esi of frame 0, test.dmp+0xd10; unchanged: no record mentions it\n"
		  " edi   00000000  = 00000000         edi of frame 0, test.dmp+0xd0c; unchanged: no record mentions it\n"
		  " eax   00000000  - unknown          not kept across calls\n ecx   00000000  - unknown          not kept across calls\n"
		  " edx   00000000  - unknown          not kept across calls\n efl   00000000  - unknown          not kept across calls\n"
		  "* changed  = kept  - not kept\n" },
		{ EVIDENCE, 9, 19, false,
		  " # method         ~\n 1 STACK WIN      ~\n 2 STACK CFI      ~\n record covers\n         0x1000 to\n         0x103f, 64\n"
		  "         (0x40) by~\n rule .cfa: $ebp 8~\n rule .ra: .cfa 4 ~\n rule $ebp: $ebp ^~\n .     to check:\n         every regi\n"
		  "         ster that\n         a frame n~\n .     to check:\n         the return\n         address is\n         not in th~\n"
		  " .     to check:\n         the stack\n         pointer\n         does not ~\n .     to check:\n         the return\n"
		  "         address\n         can be co~\n .     to check:\n         the stack\n         pointer\n         stays in ~\n"
		  " result: not yet\n = eip   00401110 ~\n = esp   0012f010 ~\n = ebp   0012f018 ~\n . ebx: not yet\n . esi: not yet\n"
		  " . edi: not yet\n . eax: not yet\n . ecx: not yet\n . edx: not yet\n . efl: not yet\n input $ebp = 0012~\n input $ebx = 0000~\n"
		  " input $esi = 0000~\n input $edi = 0000~\n\n" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(panes); i++) {
		go_to_token(view, panes[i].token);
		view->cursor = panes[i].token == 0 ? 0 : view->cursor;
		is_text(pane_text(scene, view, panes[i].pane, panes[i].columns, panes[i].explained), panes[i].text,
			"pane %d at token %zu in %zu columns", (int)panes[i].pane, panes[i].token, panes[i].columns);
	}
}

/* Rows and events belong together; other listings than the expected one have no answer. */
static void
test_rows(struct scene *scene, struct step_view *view)
{
	bool same = true;

	view->cursor = 0;
	const struct listing listings[] = { listing_of(scene, view, EVALUATION, 0), listing_of(scene, view, EVIDENCE, 0),
					    listing_of(scene, view, REGISTERS, 0), listing_message("nothing") };
	for (size_t i = 0; i < 2; i++)
		for (size_t row = 0; row < listings[i].count; row++) {
			const uint32_t event = step_view_event_of_row(&listings[i], row);
			/* The cursor on the whole step is in its last attempt. */
			same = same && row == (i == 0 ? step_view_evaluation_row(&listings[i], event)
					       : event == 1 ? row : step_view_evidence_row(&listings[i], event));
		}
	ok(same, "each row of the evaluation and of the evidence is found by its event");
	for (size_t row = 0; row < listings[REGISTERS].count; row++) {
		const char *label = view->walk->arch->registers[step_view_register_of_row(&listings[REGISTERS], row)].label;
		same = same && strncmp(scene_row(scene, &listings[REGISTERS], row, 0) + 1, label, strlen(label)) == 0;
	}
	ok(same, "each row of the registers has its register");
	is_u64(step_view_evaluation_row(&listings[EVALUATION], 0), 0, "an event before the first row belongs to that row");
	is_u64(step_view_evaluation_row(&listings[EVALUATION], TRACE_NONE), listings[EVALUATION].count - 1,
	       "an event after the last row belongs to that row");
	is_u64(step_view_event_of_row(&listings[EVALUATION], listings[EVALUATION].count), TRACE_NONE, "no row, no event");
	is_u64(step_view_evidence_row(&listings[EVIDENCE], 0), 1, "the whole step is on the row of the attempt at the cursor");
	go_to_token(view, 5);
	const uint32_t token = view->cursor;
	is_u64(step_view_evidence_row(&listings[EVIDENCE], token), 4, "a token is on the row of its rule");
	for (size_t i = EVIDENCE; i < ARRAY_COUNT(listings); i++)
		is_u64(step_view_evaluation_row(&listings[i], token), 0, "listing %zu is no evaluation", i);
	ok(step_view_evidence_row(&listings[EVALUATION], token) == 0 &&
	   step_view_event_of_row(&listings[REGISTERS], 0) == TRACE_NONE &&
	   step_view_register_of_row(&listings[EVIDENCE], 0) == ARCH_NO_REGISTER &&
	   step_view_register_of_row(&listings[REGISTERS], listings[REGISTERS].count) == ARCH_NO_REGISTER,
	   "a listing has no rows of another one, nor rows after its end");
	row_clear(&scene->row);
	step_view_registers_legend(&listings[EVIDENCE], &scene->row);
	is_str(row_text(&scene->row), "", "only registers have a legend");
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
		{ 8, " 0012f008", " 0012f008  0012f018   0  ebp of 0            into the stack, frame 1 -> 0" },
		{ 2, " 0012f010", " 0012f010  0012f004   1                      into the stack, frame 0 -> main + ~" },
		{ 2, " == ", " == end of frame 0: not yet ==" }, { 3, " == ", " == CFA of frame 0: the esp of frame 1 ==" },
	};
	struct telescope_state state = { 0 };
	struct memory_view memory;

	memory_view_all(&memory, &scene->crash, &scene->arena);
	for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
		const struct telescope_options options = { .crash = &scene->crash, .memory = &memory, .walk = scene->walk, .step = view,
							   .state = &state, .base = 16 };

		go_to_token(view, words[i].token);
		struct listing stack = telescope_listing(&options, &scene->arena);
		is_str(row_with(scene, &stack, words[i].address), words[i].row, "memory at token %zu", words[i].token);
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
		{ 1, 1, 79, "    1  $ebp     >$ebp (12f008)           ebp of frame 0, test.dmp+0xd24" },
		{ 2, 2, 79, "    2  8        $ebp (12f008) >8         " }, { 3, 2, 79, "    2  8        {$ebp (12f008) 8}        " },
		{ 3, 2, 50, "    2  8        {12f008 8}      " }, { 4, 2, 50, "    2  8        $ebp (12f008) 8 " },
		{ 3, 3, 79, "    3  +        >12f010                  12f008 + 8 = 12f010" },
		{ 7, 7, 79, "    7  ^        >401110                  [12f00c] = 401110, test.dmp+0x420" },
		{ 3, 2, 24, "    2  8        {12f008 8}      " }, { 3, 1, 55, "    1  $ebp     $ebp (12f008)   ebp of frame 0" },
		{ 3, 1, 56, "    1  $ebp     $ebp (12f008)   ebp of frame 0, test~d24" },
		{ 3, 2, 64, "    2  8        {$ebp (12f008) 8}  " }, { 3, 2, 66, "    2  8        {$ebp (12f008) 8}   " },
		{ 3, 1, 100, "    1  $ebp     $ebp (12f008)                    ebp of frame 0, test.dmp+0xd24" },
		{ 3, 1, 101, "    1  $ebp           $ebp (12f008)                  ebp of frame 0, test.dmp+0xd24" },
		{ 3, 2, 134, "    2  8              {$ebp (12f008) 8}                           " },
		{ 3, 2, 135, "    2  8              {$ebp (12f008) 8}                            " },
		{ 3, 1, 0, "    1  $ebp           $ebp (12f008)                                ebp of frame 0, test.dmp+0xd24" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *got = token_row(scene, view, rows[i].cursor, rows[i].token, rows[i].columns);
		is_str(got, rows[i].row, "token %zu from %zu in %zu columns", rows[i].token, rows[i].cursor, rows[i].columns);
	}
}

static void
test_caller_row(struct scene *scene, struct step_view *view)
{
	static const struct {
		size_t token;
		const char *row;
	} rows[] = {
		{ 2, " frame 1 so far  nothing yet" }, { 3, " frame 1 so far  >esp 12f010" }, { 4, " frame 1 so far  esp 12f010" },
		{ 9, " frame 1 so far  >ebp 12f018  eip 401110  esp 12f010" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		go_to_token(view, rows[i].token);
		row_clear(&scene->row);
		step_view_caller_row(view, &scene->row);
		is_str(row_text(&scene->row), rows[i].row, "the caller at token %zu", rows[i].token);
	}
	view->cursor = 0;
	row_clear(&scene->row);
	step_view_caller_row(view, &scene->row);
	ok(strncmp(row_text(&scene->row), " frame 1  eip 401110  esp 12f010  ebp 12f018  ", 46) == 0,
	   "the whole step has the complete caller");
}

/* The target of each event, and of the one after the last: an event, a register of a frame, a place, or none. */
static void
test_targets(struct scene *scene, const struct step_view *view, const char *wanted)
{
	struct output_string text;

	output_string_init(&text, &scene->arena);
	for (uint32_t i = 0; i <= view->trace.count; i++) {
		const struct target target = step_view_target(view, i);
		if (target.kind == TARGET_EVENT)
			output_format(&text.output, " %u", target.event);
		else if (target.kind == TARGET_REGISTER)
			output_format(&text.output, " %s/%zu", view->walk->arch->registers[target.reg].label, target.frame);
		else
			output_format(&text.output, " %s", target.kind == TARGET_PLACE ? place_format(&target.place).text : "-");
	}
	is_text(text.text, wanted, "the target of each event of frame %zu", view->frame);
}

int
main(void)
{
	struct scene scene;
	struct step_view view;

	scene_open(&scene);
	step_view_make(&view, scene.walk, 0);
	test_panes(&scene, &view);
	test_rows(&scene, &view);
	test_memory(&scene, &view);
	test_tokens(&scene, &view);
	test_caller_row(&scene, &view);
	test_targets(&scene, &view,
		     " - - - 6 app.sym:16:1 test.dmp+0xd24 app.sym:16:30 test.dmp+0xd24 app.sym:16:35 app.sym:16:37 app.sym:16:44 9"
		     " app.sym:16:49 app.sym:16:51 test.dmp+0x420 test.dmp+0x420 app.sym:16:61 test.dmp+0xd24 test.dmp+0x41c test.dmp+0x41c"
		     " 14 9 18 test.dmp+0xd14 23 test.dmp+0xd10 25 test.dmp+0xd0c 27 app.sym:16 app.sym:16 app.sym:16 app.sym:16 app.sym:16"
		     " app.sym:16 app.sym:16 app.sym:16 app.sym:16 app.sym:16 -");
	step_view_free(&view);
	step_view_make(&view, scene.walk, 1);
	test_targets(&scene, &view,
		     " - - - 6 app.sym:17:1 ebp/1 app.sym:17:30 ebp/1 app.sym:17:35 app.sym:17:37 app.sym:17:44 9 app.sym:17:49 app.sym:17:51"
		     " test.dmp+0x430 test.dmp+0x430 app.sym:17:61 ebp/1 test.dmp+0x42c test.dmp+0x42c 14 9 18 ebx/1 23 esi/1 25 edi/1 27"
		     " app.sym:17 app.sym:17 app.sym:17 app.sym:17 app.sym:17 app.sym:17 app.sym:17 app.sym:17 app.sym:17 app.sym:17 -");
	step_view_free(&view);
	/* The stack ends at 12f060, so a scan finds no word there. */
	step_view_make(&view, scene.walk, 2);
	const struct listing evidence = step_view_evidence(&view, 0, &scene.arena);
	is_str(row_with(&scene, &evidence, " word  [0012f05c]"), " word  [0012f05c] = 00000000  in no module   test.dmp+0x470",
	       "a word of a scan has its value and place");
	is_str(row_with(&scene, &evidence, " word  [0012f060]"), " word  [0012f060]  not in the dump",
	       "a word that the dump lacks has no value");
	test_targets(&scene, &view,
		     " - - - - - - - - - - - esp/2 test.dmp+0x434 test.dmp+0x438 test.dmp+0x43c test.dmp+0x440 test.dmp+0x444 test.dmp+0x448"
		     " test.dmp+0x44c test.dmp+0x450 test.dmp+0x454 test.dmp+0x458 test.dmp+0x45c test.dmp+0x460 test.dmp+0x464"
		     " test.dmp+0x468 test.dmp+0x46c test.dmp+0x470 - - -");
	step_view_free(&view);
	scene_close(&scene);
	return done_testing();
}
