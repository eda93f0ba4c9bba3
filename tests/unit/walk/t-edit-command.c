/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"
#include "walk/edit_command.h"

/* Commands that replace, add and remove records of a symbol file: the lines that replace a line of
 * the file, or the message that refuses the command, and the names that the walk then shows. */

#define RULES ".cfa: $rsp 8 + .ra: .cfa -8 + ^"
#define INIT "STACK CFI INIT 1000 20 " RULES
#define DELTA "STACK CFI 1004 .cfa: $rsp 16 +"
#define SYMFILE "scene-0.sym:"

/* Lines 2 to 9; line 1 is MODULE. */
static const struct scene scene = SCENE(AMD64, LINUX, "rip=401012 rsp=8000", "", { { 0x400000, 0x5000, "a", "FILE 0 first.c\n"
	      "INLINE_ORIGIN 0 inner\nFUNC 1000 20 0 f\nINLINE 0 7 0 0 1010 8\n1000 20 5 0\n"
	      "PUBLIC 2000 0 g\n" INIT "\n" DELTA "\n" } });

#define WRITTEN "the record is written "

static const struct {
	enum edit_command command;
	const char *text;
	unsigned line;			/* number in the file; 0: the command is refused */
	const char *now;		/* its lines, or a part of the reason */
} edits[] = {
	{ EDIT_SET_RECORD, SYMFILE "4 FUNC 1000 20 0 other", 4, "FUNC 1000 20 0 other" },
	{ EDIT_SET_RECORD, "sym:4 FUNC 1000 20 0 other", 4, "FUNC 1000 20 0 other" },
	{ EDIT_SET_RECORD, "  sym:4   FUNC 1000 20 0 other ", 4, "FUNC 1000 20 0 other" },
	{ EDIT_SET_RECORD, "sym:2 FILE 0 second.c", 2, "FILE 0 second.c" }, { EDIT_SET_RECORD, "sym:6 1000 20 9 0", 6, "1000 20 9 0" },
	{ EDIT_SET_RECORD, "sym:5 INLINE 0 8 0 0 1010 8", 5, "INLINE 0 8 0 0 1010 8" },
	{ EDIT_SET_RECORD, "sym:9 STACK CFI 1008 .cfa: $rsp 16 +", 9, "STACK CFI 1008 .cfa: $rsp 16 +" },
	{ EDIT_ADD_RECORD, "sym:9 STACK CFI 1008 .cfa: 1", 9, DELTA "\nSTACK CFI 1008 .cfa: 1" },
	{ EDIT_ADD_RECORD, "sym:7 PUBLIC 3000 0 h", 7, "PUBLIC 2000 0 g\nPUBLIC 3000 0 h" },
	{ EDIT_DROP_RECORD, "sym:9", 9, "" }, { EDIT_DROP_RECORD, "sym:9 ", 9, "" },
	{ EDIT_DROP_RECORD, "sym:9 x", 0, "'sym:9 x': FILE:LINE is enough" },
	{ EDIT_SET_RECORD, "sym:10 FILE 1 x", 0, "'sym:10 FILE 1 x' names no line of a loaded" },
	{ EDIT_SET_RECORD, "sym:0 FILE 1 x", 0, "names no line" }, { EDIT_SET_RECORD, "sym: FILE 1 x", 0, "names no line" },
	{ EDIT_SET_RECORD, "sym:4294967300 FILE 1 x", 0, "names no line" },
	{ EDIT_SET_RECORD, "other.sym:4 FILE 1 x", 0, "names no line" },
	{ EDIT_SET_RECORD, "FILE 1 x", 0, "names no line" }, { EDIT_SET_RECORD, "", 0, "names no line" },
	{ EDIT_SET_RECORD, "sym:4", 0, "the record is missing; ':drop-record' takes one out" },
	{ EDIT_SET_RECORD, "sym:4 FUNC 1000", 0, WRITTEN "'FUNC [m] address size parameter_size name'" },
	{ EDIT_SET_RECORD, "sym:2 FILE x y", 0, WRITTEN "'FILE number name'" },
	{ EDIT_ADD_RECORD, "sym:5 INLINE 0", 0, WRITTEN "'INLINE depth line file origin (address size)+'" },
	{ EDIT_ADD_RECORD, "sym:7 word", 0, "a line record is written 'address size line file'" },
	{ EDIT_SET_RECORD, "sym:9 STACK FRAME", 0, WRITTEN "'STACK WIN or STACK CFI with all their fields'" },
	{ EDIT_SET_RECORD, "sym:9 STACK CFI 1004 .cfa 1", 0, "rules are written '.cfa: $rsp 16 + $rbp: .cfa -16 + ^'" },
	{ EDIT_SET_RECORD, "sym:9 STACK CFI 1004 rxx: 1", 0, "'rxx' is not a register of amd64" },
	{ EDIT_SET_RECORD, "sym:9 STACK CFI 1004 .cfa: frob 1 +", 0, "'frob' is neither a number nor a register" },
};

static void
test_edit(const struct edit_step *step, size_t index, struct arena *arena)
{
	struct overlay_edit edit = { .kind = OVERLAY_KINDS };
	struct error error = { 0 };

	if (edit_command_make(step, edits[index].command, edits[index].text, arena, &edit, &error) == ERROR_NONE) {
		char *got = arena_format(arena, "%.*s", (int)edit.record.now.length, edit.record.now.start);
		is_str(got, edits[index].line != 0 ? edits[index].now : "refused", "'%s' is made", edits[index].text);
		is_u64(edit.record.line, edits[index].line, "the edit names its line");
	} else if (!ok(edits[index].line == 0 && strstr(error.text, edits[index].now) != NULL, "'%s' is refused", edits[index].text)) {
		tap_diag("%s", error.text);
	}
}

/* The names and lines of frame 0's calls, innermost first: "inner first.c:5, f first.c:7". */
static const char *
names(const struct walk *walk, struct arena *arena)
{
	struct location location;
	const char *text = "";

	location_of(walk, walk->frames[0].lookup, arena, &location);
	for (size_t i = 0; i < location.call_count; i++) {
		const struct call *call = &location.calls[i];
		text = arena_format(arena, "%s%s%.*s %.*s:%u", text, i > 0 ? ", " : "", (int)call->name.length, call->name.start,
				    (int)call->file.length, call->file.start, call->line);
	}
	return text;
}

/* Commands in sequence, each with the names that the walk shows after it. */
static void
test_names(struct staged *staged, struct arena *arena)
{
	static const struct {
		const char *command, *names;
	} turns[] = {
		{ "set-record sym:4 FUNC 1000 20 0 outer", "inner first.c:5, outer first.c:7" },
		{ "set-record sym:3 INLINE_ORIGIN 0 within", "within first.c:5, outer first.c:7" },
		{ "set-record sym:2 FILE 0 b.c", "within b.c:5, outer b.c:7" },
		{ "set-record sym:5 INLINE 0 9 0 0 1010 8", "within b.c:5, outer b.c:9" },
		{ "set-record sym:6 1000 20 6 0", "within b.c:6, outer b.c:9" },
		{ "drop-record sym:5", "outer b.c:6" }, { "drop-record sym:4", " :0" },
		{ "set-record sym:7 PUBLIC 1000 0 public", "public :0" },
	};
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct overlay *overlay = NULL;

	for (size_t i = 0; i < ARRAY_COUNT(turns); i++) {
		const struct edit_step step = { staged->walk, 0, METHOD_COUNT };
		const size_t length = strcspn(turns[i].command, " ");
		const enum edit_command command = edit_command_named((struct text){ turns[i].command, length });
		struct overlay_edit edit;
		struct error error = { 0 };

		if (edit_command_make(&step, command, turns[i].command + length + 1, arena, &edit, &error) == ERROR_NONE)
			overlay = overlay_with(arena, overlay, &edit);
		else
			tap_diag("%s", error.text);
		walk_free(staged->walk);
		staged->walk = walk_create_edited(&staged->crash, staged->symbols, NULL, 0, &policy, overlay);
		walk_run(staged->walk, 1);
		is_str(names(staged->walk, arena), turns[i].names, "%s", turns[i].command);
	}
}

/* Several records added at one line, a rule of one of them, and the commands for the same edit. */
static void
test_one_line(struct staged *staged, struct arena *arena)
{
	static const char *const added[] = { "sym:9 STACK CFI 1008 .cfa: 1", "sym:9 STACK CFI 1011 .cfa: 3" };
	static const char lines[] = DELTA "\nSTACK CFI 1008 .cfa: 1\nSTACK CFI 1011 .cfa: ";
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct overlay *overlay = NULL;
	struct output_string string;
	struct overlay_edit edit;
	struct error error = { 0 };

	for (size_t i = 0; i <= ARRAY_COUNT(added); i++) {
		walk_free(staged->walk);
		staged->walk = walk_create_edited(&staged->crash, staged->symbols, NULL, 0, &policy, overlay);
		walk_run(staged->walk, 1);
		const struct edit_step step = { staged->walk, 0, METHOD_STACK_CFI };
		const bool last = i == ARRAY_COUNT(added);

		edit_command_make(&step, last ? EDIT_SET_RULE : EDIT_ADD_RECORD, last ? "cfa: 4" : added[i], arena, &edit, &error);
		if (!last)
			overlay = overlay_with(arena, overlay, &edit);
	}
	is_str(arena_format(arena, "%.*s", (int)overlay->edits[0].record.now.length, overlay->edits[0].record.now.start),
	       arena_format(arena, "%s3", lines), "records are added one after the other");
	is_u64(overlay->count, 1, "added records are one edit of their line");
	is_str(arena_format(arena, "%.*s", (int)edit.record.now.length, edit.record.now.start),
	       arena_format(arena, "%s4", lines), "a rule of one changes, its neighbours stay");
	output_string_init(&string, arena);
	edit_command_write(&overlay->edits[0], staged->walk->arch, &string.output);
	is_str(string.text, "add-record " SYMFILE "9 STACK CFI 1008 .cfa: 1; "
	       "add-record " SYMFILE "9 STACK CFI 1011 .cfa: 3", "the edit as commands");
}

int
main(void)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct arena arena = { 0 };
	struct staged staged;

	scene_open(&staged, &scene);
	staged.walk = walk_create(&staged.crash, staged.symbols, NULL, 0, &policy);
	walk_run(staged.walk, 1);
	const struct edit_step step = { staged.walk, 0, METHOD_STACK_CFI };
	is_str(names(staged.walk, &arena), "inner first.c:5, f first.c:7", "frames have the names of the file");
	for (size_t i = 0; i < ARRAY_COUNT(edits); i++)
		test_edit(&step, i, &arena);
	test_names(&staged, &arena);
	test_one_line(&staged, &arena);
	scene_close(&staged);
	arena_free(&arena);
	return done_testing();
}
