/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"
#include "walk/edit_make.h"

/*
 * Whole STACK CFI records added, moved and taken out: the line of the file that an edit stands for,
 * the lines that it becomes, or why there is no edit.
 */

#define RULES ".cfa: $rsp 8 + .ra: .cfa -8 + ^"
#define INIT "STACK CFI INIT 1000 20 " RULES
#define DELTA "STACK CFI 1004 .cfa: $rsp 16 +"
#define LATER "STACK CFI 1010 .cfa: $rsp 24 +"
#define ABOVE "STACK CFI INIT 1100 20 " RULES

static const struct scene scene = {
	ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401012 rsp=8000", .stack = 0x8000,
	.modules = { { 0x400000, 0x5000, "a",
		       "FUNC 1000 20 0 f\n" INIT "\n" DELTA "\n" LATER "\n" ABOVE "\n" } }
};

static const struct {
	enum edit_record what;
	const char *text;
	unsigned line;			/* of the file; 0: refused */
	const char *now;		/* its lines, or a part of the reason */
} edits[] = {
	{ EDIT_ADD_DELTA, "1008 .cfa: $rsp 32 +", 4, DELTA "\nSTACK CFI 1008 .cfa: $rsp 32 +" },
	{ EDIT_ADD_DELTA, "  1008   cfa: $rsp  32 +", 4, DELTA "\nSTACK CFI 1008 .cfa: $rsp 32 +" },
	{ EDIT_ADD_DELTA, "401008 rbx: .cfa -16 + ^", 4,
	  DELTA "\nSTACK CFI 1008 $rbx: .cfa -16 + ^" },
	{ EDIT_ADD_DELTA, "101f .cfa: 1", 5, LATER "\nSTACK CFI 101f .cfa: 1" },
	{ EDIT_ADD_DELTA, "1110 .cfa: 1", 6, ABOVE "\nSTACK CFI 1110 .cfa: 1" },
	{ EDIT_ADD_DELTA, "1004 .cfa: 1", 0, "a record begins at 0x1004 already; :set-rule" },
	{ EDIT_ADD_DELTA, "1000 .cfa: 1", 0, "a record begins at 0x1000 already" },
	{ EDIT_ADD_DELTA, "1020 .cfa: 1", 0, "no STACK CFI INIT record covers 0x1020; :add-init" },
	{ EDIT_ADD_DELTA, "1008", 0, "usage: :add-delta" },
	{ EDIT_ADD_DELTA, "-8 .cfa: 1", 0, "usage: :add-delta" },
	{ EDIT_ADD_DELTA, "10x8 .cfa: 1", 0, "usage: :add-delta" },
	{ EDIT_ADD_DELTA, "10000000000000000 .cfa: 1", 0, "usage: :add-delta" },
	{ EDIT_ADD_DELTA, "1008 .cfa 1", 0, "rules are written '.cfa: $rsp 16 +" },
	{ EDIT_ADD_DELTA, "1008 rxx: 1", 0, "'rxx' is not a register of amd64" },
	{ EDIT_ADD_DELTA, "1008 .cfa: frob 1 +", 0, "'frob' is neither a number nor a register" },
	{ EDIT_ADD_DELTA, "1008 .cfa: aaaaaaaaaabbbbbbbbbbccccccccccdddddddddde 1 +", 0,
	  "'aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd' is neither" },
	{ EDIT_MOVE_DELTA, "  1004   1008  ", 4, "STACK CFI 1008 .cfa: $rsp 16 +" },
	{ EDIT_ADD_DELTA, "1008 aaaaaaaaaabbbbbbbbbbccccccccccddddddddddef: 1", 0,
	  "'aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd' is not a register of amd64" },
	{ EDIT_ADD_INIT, "1030 10 " RULES, 6, "STACK CFI INIT 1030 10 " RULES "\n" ABOVE },
	{ EDIT_ADD_INIT, "10f0 10 " RULES, 6, "STACK CFI INIT 10f0 10 " RULES "\n" ABOVE },
	{ EDIT_ADD_INIT, "10f0 11 " RULES, 0, "a STACK CFI INIT record covers 0x1100 already" },
	{ EDIT_ADD_INIT, "101f 1 " RULES, 0, "a STACK CFI INIT record covers 0x101f already" },
	{ EDIT_ADD_INIT, "1020 1 " RULES, 6, "STACK CFI INIT 1020 1 " RULES "\n" ABOVE },
	{ EDIT_ADD_INIT, "1200 10 " RULES, 6, ABOVE "\nSTACK CFI INIT 1200 10 " RULES },
	{ EDIT_ADD_INIT, "1200 0 " RULES, 0, "usage: :add-init" },
	{ EDIT_ADD_INIT, "1200 10", 0, "usage: :add-init" },
	{ EDIT_ADD_INIT, "fffffffffffffff0 20 " RULES, 0, "usage: :add-init" },
	{ EDIT_ADD_INIT, "1200 10 .cfa: $rsp 8 +", 0, "needs rules for .cfa and .ra" },
	{ EDIT_ADD_INIT, "1200 10 .ra: 1", 0, "needs rules for .cfa and .ra" },
	{ EDIT_MOVE_DELTA, "1004 1008", 4, "STACK CFI 1008 .cfa: $rsp 16 +" },
	{ EDIT_MOVE_DELTA, "1004 1001", 4, "STACK CFI 1001 .cfa: $rsp 16 +" },
	{ EDIT_MOVE_DELTA, "1010 1005", 5, "STACK CFI 1005 .cfa: $rsp 24 +" },
	{ EDIT_MOVE_DELTA, "1010 101f", 5, "STACK CFI 101f .cfa: $rsp 24 +" },
	{ EDIT_MOVE_DELTA, "1010 1020", 0, "0x1020 is in the code of another INIT record" },
	{ EDIT_MOVE_DELTA, "1004 1000", 0, "the INIT record itself begins at 0x1000" },
	{ EDIT_MOVE_DELTA, "1004 1010", 0, "another delta stands in between, at 0x1010" },
	{ EDIT_MOVE_DELTA, "1010 1004", 0, "another delta stands in between, at 0x1004" },
	{ EDIT_MOVE_DELTA, "1010 1003", 0, "another delta stands in between, at 0x1004" },
	{ EDIT_MOVE_DELTA, "1004 1004", 0, "usage: :move-delta" },
	{ EDIT_MOVE_DELTA, "1004 1008 9", 0, "usage: :move-delta" },
	{ EDIT_MOVE_DELTA, "1005 1008", 0, "no STACK CFI delta begins at 0x1005" },
	{ EDIT_MOVE_DELTA, "1000 1008", 0, "no STACK CFI delta begins at 0x1000" },
	{ EDIT_DROP_DELTA, "1004", 4, "" },
	{ EDIT_DROP_DELTA, "401010", 5, "" },
	{ EDIT_DROP_DELTA, "1004 1", 0, "usage: :drop-delta" },
	{ EDIT_DROP_DELTA, "1005", 0, "no STACK CFI delta begins at 0x1005" },
	{ EDIT_DROP_DELTA, "1100", 0, "no STACK CFI delta begins at 0x1100" },
};

static void
test_edit(const struct walk *walk, size_t index, struct arena *arena)
{
	struct overlay_edit edit = { .kind = OVERLAY_KINDS };
	struct error error = { 0 };
	char got[300];

	if (edit_make_record(walk, 0, edits[index].what, edits[index].text, arena, &edit,
			     &error) == ERROR_NONE) {
		snprintf(got, sizeof(got), "%.*s", (int)edit.record.now.length,
			 edit.record.now.start);
		is_str(got, edits[index].line != 0 ? edits[index].now : "refused", "%s",
		       edits[index].text);
		is_u64(edit.record.line, edits[index].line, "it is an edit of its line");
	} else if (!ok(edits[index].line == 0 && strstr(error.text, edits[index].now) != NULL,
		       "%s is refused", edits[index].text)) {
		tap_diag("%s", error.text);
	}
}

/* Edits of lines that were edited before: what was made stays, and can be taken out again. */
static void
test_again(struct staged *staged, const struct policy *policy, struct arena *arena)
{
	static const struct {
		enum edit_record what;
		const char *text, *now;
	} turns[] = {
		{ EDIT_ADD_DELTA, "1008 .cfa: 1", DELTA "\nSTACK CFI 1008 .cfa: 1" },
		{ EDIT_ADD_DELTA, "100a .cfa: 2",
		  DELTA "\nSTACK CFI 1008 .cfa: 1\nSTACK CFI 100a .cfa: 2" },
		{ EDIT_MOVE_DELTA, "1008 1009",
		  DELTA "\nSTACK CFI 1009 .cfa: 1\nSTACK CFI 100a .cfa: 2" },
		{ EDIT_DROP_DELTA, "1009", DELTA "\nSTACK CFI 100a .cfa: 2" },
		{ EDIT_DROP_DELTA, "1004", "STACK CFI 100a .cfa: 2" },
		{ EDIT_DROP_DELTA, "100a", "" },
	};
	const struct overlay *overlay = NULL;

	for (size_t i = 0; i < ARRAY_COUNT(turns); i++) {
		struct overlay_edit edit = { .kind = OVERLAY_KINDS };
		struct error error = { 0 };
		char got[300] = "";

		if (edit_make_record(staged->walk, 0, turns[i].what, turns[i].text, arena, &edit,
				     &error) == ERROR_NONE)
			snprintf(got, sizeof(got), "%.*s", (int)edit.record.now.length,
				 edit.record.now.start);
		else
			tap_diag("%s", error.text);
		is_str(got, turns[i].now, "%s after the edits before", turns[i].text);
		overlay = overlay_with(arena, overlay, &edit);
		walk_free(staged->walk);
		staged->walk = walk_create_edited(&staged->crash, staged->symbols, NULL, 0, policy,
						  overlay);
		walk_run(staged->walk, 1);
	}
}

/* A rule of a line that stands among others that an edit made: they stay. */
static void
test_rule(struct staged *staged, const struct policy *policy, struct arena *arena)
{
	struct overlay_edit edit = { .kind = OVERLAY_KINDS };
	struct error error = { 0 };
	char got[300] = "";

	walk_free(staged->walk);
	staged->walk = walk_create(&staged->crash, staged->symbols, NULL, 0, policy);
	walk_run(staged->walk, 1);
	ok(edit_make_record(staged->walk, 0, EDIT_ADD_DELTA, "1011 .cfa: 3", arena, &edit,
			    &error) == ERROR_NONE,
	   "a delta is added behind the last one");
	const struct overlay *overlay = overlay_with(arena, NULL, &edit);
	walk_free(staged->walk);
	staged->walk =
		walk_create_edited(&staged->crash, staged->symbols, NULL, 0, policy, overlay);
	walk_run(staged->walk, 1);
	const struct edit_step step = { .walk = staged->walk,
					.frame = 0,
					.method = METHOD_STACK_CFI };
	if (edit_make_rule(&step, text_of(".cfa"), text_of("4"), arena, &edit, &error) ==
	    ERROR_NONE)
		snprintf(got, sizeof(got), "%.*s", (int)edit.record.now.length,
			 edit.record.now.start);
	is_str(got, LATER "\nSTACK CFI 1011 .cfa: 4",
	       "then its rule is changed, and the line before stays");
}

int
main(void)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct arena arena = { 0 };
	struct staged staged;

	scene_open(&staged, &scene);
	scene_walk_limited(&staged, &policy, 1);
	for (size_t i = 0; i < ARRAY_COUNT(edits); i++)
		test_edit(staged.walk, i, &arena);
	test_again(&staged, &policy, &arena);
	test_rule(&staged, &policy, &arena);
	scene_close(&staged);
	arena_free(&arena);
	return scene_done_testing("tests/unit/walk/scenes/t-edit-records");
}
