/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"
#include "walk/overlay.h"

/*
 * What-if edits: where each kind applies, its effect on the walk, and that nothing remains after it
 * is taken back. The stack is laid out by hand:
 *
 *	f (1000) has a delta with $rsp 16 +, but 24 would be right: the return address into
 *	h (1200) is at 8010, an old one into g (1100) is below it.
 */

#define RULES ".cfa: $rsp 8 + .ra: .cfa -8 + ^"
#define DELTA "STACK CFI 1004 .cfa: $rsp 16 +"
#define SYMBOLS										\
	"FUNC 1000 20 0 f\nFUNC 1100 20 0 g\nFUNC 1200 20 0 h\nSTACK CFI INIT 1000 20 " RULES "\n" DELTA "\n" \
	"STACK CFI INIT 1100 20 " RULES "\nSTACK CFI INIT 1200 20 " RULES "\n"

static const struct scene scene = SCENE(AMD64, LINUX, "rip=401010 rsp=8000 rbx=7", "8008=401105 8010=401205",
	      { { 0x400000, 0x5000, "a", SYMBOLS } });

#define PLAIN "ctx 401010 8000, cfi 401105 8010, cfi 401205 8018"
#define RIGHT "ctx 401010 8000, cfi 401205 8018"

struct stage {
	struct staged staged;
	struct policy policy;
	struct arena arena;
	const struct overlay *overlay;
};

static void
walk_edited(struct stage *stage)
{
	struct staged *staged = &stage->staged;
	size_t length = 0;

	walk_free(staged->walk);
	staged->walk = walk_create_edited(&staged->crash, staged->symbols, NULL, 0, &stage->policy, stage->overlay);
	walk_run(staged->walk, 0);
	staged->frames[0] = '\0';
	for (size_t i = 0; i < staged->walk->count; i++) {
		const struct frame *frame = &staged->walk->frames[i];
		length += (size_t)snprintf(staged->frames + length, sizeof(staged->frames) - length,
					   "%s%s %" PRIx64 " %" PRIx64, i > 0 ? ", " : "",
					   frame_tag(frame), frame->registers.value[16], frame->registers.value[7]);
	}
}

static void
stage_open(struct stage *stage, const struct scene *of)
{
	*stage = (struct stage){ .policy = policy_column(POLICY_UNSPOOL) };
	arena_init(&stage->arena, 0);
	scene_open(&stage->staged, of);
}

static void
stage_close(struct stage *stage)
{
	scene_close(&stage->staged);
	arena_free(&stage->arena);
}

static bool
edits_to(struct stage *stage, struct overlay_edit edit, const char *frames)
{
	stage->overlay = overlay_with(&stage->arena, stage->overlay, &edit);
	walk_edited(stage);
	bool same = strcmp(stage->staged.frames, frames) == 0;
	if (!same)
		tap_diag("got %s (%s)", stage->staged.frames, stage->staged.walk->end.text);
	return same;
}

/* The edit of the record that begins with `line`. */
static struct overlay_edit
record_edit(struct stage *stage, const char *line, const char *now)
{
	const struct symfile *symfile = symbols_load(stage->staged.symbols, 0);
	const struct file *file = symfile_file(symfile);
	const char *at = memmem(file->data, file->size, line, strlen(line));

	return (struct overlay_edit){ .kind = OVERLAY_RECORD, .record = {
					      .file = file->input.name,
					      .offset = (uint64_t)(at - (const char *)file->data),
					      .was = text_of(line), .now = text_of(now) } };
}

TEST(record)
{
	struct stage stage;

	stage_open(&stage, &scene);
	walk_edited(&stage);
	is_str(stage.staged.frames, PLAIN, "a walk without edits is the plain one");
	const struct overlay_edit edit = record_edit(&stage, DELTA, "STACK CFI 1004 .cfa: $rsp 24 +");
	ok(edits_to(&stage, edit, RIGHT), "an edited delta leads to the right caller");
	ok(edits_to(&stage, record_edit(&stage, DELTA, "STACK CFI 1004 .cfa: $rsp 8 +"),
		    "ctx 401010 8000"), "an edit of the same record takes the place of the first");
	ok(stage.overlay->count == 1, "two edits of a record are one");
	stage.overlay = overlay_without(&stage.arena, stage.overlay, 0);
	walk_edited(&stage);
	is_str(stage.staged.frames, PLAIN, "an edit that is taken back has no effect");
	struct overlay_edit stale = edit;
	stale.record.was = text_of("STACK CFI 1004 .cfa: $rsp 32 +");
	ok(edits_to(&stage, stale, PLAIN), "an edit counts only where the file has its line");
	stage_close(&stage);
}

/* The symbol file after the edits of an overlay were made in it. */
static const char *
patched(struct stage *stage, const char *text)
{
	const char *made = "";

	while (*text != '\0') {
		const size_t length = strcspn(text, "\n");
		const struct symfile *symfile = symbols_load(stage->staged.symbols, 0);
		const struct file *file = symfile_file(symfile);
		const char *at = memmem(file->data, file->size, text, length + 1);
		struct text now;

		if (!symfile_now(symbols_version(stage->staged.symbols, symfile, &stage->overlay->records),
				 (uint64_t)(at - (const char *)file->data), &now))
			now = (struct text){ text, length };

		made = arena_format(&stage->arena, "%s%.*s%s", made, (int)now.length, now.start, now.length > 0 ? "\n" : "");
		text += length + 1;
	}
	return made;
}

/* Lines: a walk with edits equals the plain walk of the edited file. */
TEST(lines)
{
	static const char behind[] = "STACK CFI INIT 1100 20 " RULES;
	static const char uncovered[] = "ctx 401010 8000, scan 401105 8010, cfi 401205 8018";
	static const struct {
		const char *line, *now, *frames, *title;
	} cases[] = {
		{ DELTA, "", "ctx 401010 8000", "a delta is taken out" },
		{ DELTA, DELTA "\nSTACK CFI 1008 .cfa: $rsp 24 +", RIGHT, "a delta is added" },
		{ DELTA, DELTA "\nSTACK CFI 1011 .cfa: $rsp 24 +", PLAIN, "an added delta at a higher address has no effect" },
		{ DELTA, "STACK CFI 1011 .cfa: $rsp 16 +", "ctx 401010 8000", "a delta that is moved to a higher address has no effect" },
		{ "STACK CFI INIT 1000 20 " RULES, "", uncovered, "a delta without its INIT record has no effect" },
		{ "STACK CFI INIT 1000 20 " RULES, "STACK CFI INIT 1000 10 " RULES, uncovered, "a shorter INIT record covers less" },
		{ behind, "STACK CFI INIT 10a0 20 " RULES "\nSTACK CFI 10a4 .cfa: 1\n"
		  "STACK CFI INIT 1100 20 " RULES, PLAIN, "an INIT record that is added before another one leaves that alone" },
	};
	struct stage stage;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		stage_open(&stage, &scene);
		ok(edits_to(&stage, record_edit(&stage, cases[i].line, cases[i].now), cases[i].frames), "%s", cases[i].title);
		/* The file that patch(1) would make gives the same walk. */
		struct scene after = scene;
		after.modules[0].symbols = patched(&stage, SYMBOLS);
		struct stage other;
		stage_open(&other, &after);
		walk_edited(&other);
		is_str(other.staged.frames, cases[i].frames, "the walk of a patched file is that of the edit");
		const struct file *file = symfile_file(symbols_load(other.staged.symbols, 0));
		struct overlay_edit edit = stage.overlay->edits[0];
		edit.record.file = file->input.name;
		const struct overlay *left = overlay_without_made(&stage.arena, overlay_with(&stage.arena, NULL, &edit), file);
		ok(left != NULL && left->count == 0, "an edit that a patched file has is left out");
		stage_close(&other);
		stage_close(&stage);
	}
}

/* The file has the first of two edits, and the other one follows its line to its new place. */
TEST(half_made)
{
	static const char last[] = "STACK CFI INIT 1200 20 " RULES;
	struct stage stage, after;

	stage_open(&stage, &scene);
	struct overlay_edit edits[2] = {
		record_edit(&stage, DELTA, DELTA "\nSTACK CFI 1008 .cfa: $rsp 24 +"),
		record_edit(&stage, last, "STACK CFI INIT 1200 30 " RULES) };
	stage.overlay = overlay_with(&stage.arena, NULL, &edits[0]);
	struct scene patched_scene = scene;
	patched_scene.modules[0].symbols = patched(&stage, SYMBOLS);
	stage_open(&after, &patched_scene);
	const struct file *file = symfile_file(symbols_load(after.staged.symbols, 0));
	edits[0].record.file = edits[1].record.file = file->input.name;
	/* In either order of the edits. */
	for (unsigned first = 0; first < 2; first++) {
		const struct overlay *both = overlay_with(&stage.arena, overlay_with(&stage.arena, NULL, &edits[first]), &edits[1 - first]);
		const struct overlay *left = overlay_without_made(&stage.arena, both, file);

		ok(left != NULL && left->count == 1 && record_edit_holds(&left->edits[0].record, file) &&
			   left->edits[0].record.line == edits[1].record.line + 1,
		   "an edit that is not made yet follows its line");
		ok(left != NULL && overlay_without_made(&stage.arena, left, file) == left, "an edit that is not made stays");
	}
	stage_close(&after);
	stage_close(&stage);
}

TEST(dropped_rule)
{
	static const struct scene two = SCENE(AMD64, LINUX, "rip=401010 rsp=8000 rbx=7", "8000=9 8008=401205",
		      { { 0x400000, 0x5000, "a", "FUNC 1000 20 0 f\nFUNC 1200 20 0 h\n"
		      "STACK CFI INIT 1000 20 .cfa: $rsp 16 + .ra: .cfa -8 + ^ $rbx: .cfa -16 + ^\n"
		      "STACK CFI INIT 1200 20 " RULES "\n" } });
	struct stage stage;
	char text[32];

	stage_open(&stage, &two);
	walk_edited(&stage);
	is_str(scene_registers(&stage.staged, 1, "rbx", text, sizeof(text)), "rbx=9", "a record restores a register");
	edits_to(&stage, record_edit(&stage, "STACK CFI INIT 1000 20 .cfa: $rsp 16 + .ra: .cfa -8 + ^ "
				     "$rbx: .cfa -16 + ^", "STACK CFI INIT 1000 20 .cfa: $rsp 16 + .ra: .cfa -8 + ^"),
		 "ctx 401010 8000, cfi 401205 8010");
	is_str(scene_registers(&stage.staged, 1, "rbx", text, sizeof(text)), "rbx=7",
	   "a register without its rule is unchanged, as in the ABI");
	stage_close(&stage);
}

TEST(frame_edits)
{
	struct stage stage;

	stage_open(&stage, &scene);
	ok(edits_to(&stage, (struct overlay_edit){ .kind = OVERLAY_REGISTER, .reg = 7, .known = true, .value = 0x8008 },
		    "ctx 401010 8008, cfi 401205 8018"), "an edited stack pointer of frame 0 moves the CFA by as much");
	ok(edits_to(&stage, (struct overlay_edit){ .kind = OVERLAY_REGISTER, .reg = 7, .frame = 1, .known = true, .value = 0x8018 },
		    "ctx 401010 8008, cfi 401205 8018"), "an edit of another frame is another edit");
	ok(stage.overlay->count == 2, "edits of two frames are kept");
	stage.overlay = NULL;
	ok(edits_to(&stage, (struct overlay_edit){ .kind = OVERLAY_REGISTER, .reg = 16, .frame = 1, .known = true, .value = 0x401015 },
		    "ctx 401010 8000, cfi 401015 8010") && stage.staged.walk->frames[1].lookup == 0x401014,
	   "an edited pc of a caller is looked up one byte before it");
	stage.overlay = NULL;
	ok(edits_to(&stage, (struct overlay_edit){ .kind = OVERLAY_FORCE, .method = METHOD_SCAN },
		    "ctx 401010 8000, scan 401105 8010, cfi 401205 8018"),
	   "a forced scan takes the first good word, in its own frame alone");
	ok(edits_to(&stage, (struct overlay_edit){ .kind = OVERLAY_CANDIDATE, .address = 0x8010 },
		    "ctx 401010 8000, scan 401205 8018"), "a chosen word is the return address of the scan");
	stage.overlay = NULL;
	ok(edits_to(&stage, (struct overlay_edit){ .kind = OVERLAY_FORBID, .method = METHOD_STACK_CFI },
		    "ctx 401010 8000, scan 401105 8010, cfi 401205 8018"), "a forbidden method leaves the frame to the next one");
	ok(edits_to(&stage, (struct overlay_edit){ .kind = OVERLAY_FORCE, .method = METHOD_LINK_REGISTER },
		    "ctx 401010 8000") && strstr(stage.staged.walk->end.text, "amd64 has no such method") != NULL,
	   "a method that the processor does not have ends the stack, with that reason");
	stage_close(&stage);
}

/* A later edit of the same thing replaces the earlier one; the original stays known. */
TEST(same_thing)
{
#define RECORD(name_, from, line_) .kind = OVERLAY_RECORD, .name = { name_, sizeof(name_) - 1 }, \
	.record = { .file = "a.sym", .offset = from, .was = { line_, sizeof(line_) - 1 } }
#define RULE .kind = OVERLAY_RULE, .name = { "$rbx", 4 }
	static const struct {
		const char *title;
		struct overlay_edit one, other;
		bool same, origin;	/* origin: the second edit has the first one's original */
	} cases[] = {
		{ "two rows of the policy", { .kind = OVERLAY_POLICY, .policy = POLICY_SCAN_WORDS },
		  { .kind = OVERLAY_POLICY, .policy = POLICY_STACK_ONLY }, false, false },
		{ "one row of the policy, in two threads", { .kind = OVERLAY_POLICY, .policy = POLICY_SCAN_WORDS },
		  { .kind = OVERLAY_POLICY, .policy = POLICY_SCAN_WORDS, .thread = 1 }, true, true },
		{ "two registers of a frame", { .kind = OVERLAY_REGISTER, .reg = 1 },
		  { .kind = OVERLAY_REGISTER, .reg = 2 }, false, false },
		{ "one register of two frames", { .kind = OVERLAY_REGISTER, .reg = 1 },
		  { .kind = OVERLAY_REGISTER, .reg = 1, .frame = 1 }, false, false },
		{ "one register of a frame", { .kind = OVERLAY_REGISTER, .reg = 1 }, { .kind = OVERLAY_REGISTER, .reg = 1 }, true, true },
		{ "a method that is forced and one that is forbidden",
		  { .kind = OVERLAY_FORCE, .method = METHOD_SCAN }, { .kind = OVERLAY_FORBID, .method = METHOD_SCAN }, false, false },
		{ "two methods that are forbidden",
		  { .kind = OVERLAY_FORBID, .method = METHOD_SCAN }, { .kind = OVERLAY_FORBID, .method = METHOD_CODE }, false, false },
		{ "two methods that are forced: only one can be",
		  { .kind = OVERLAY_FORCE, .method = METHOD_SCAN }, { .kind = OVERLAY_FORCE, .method = METHOD_CODE }, true, true },
		{ "a rule of a method in a frame", { RULE, .method = METHOD_SCAN }, { RULE, .method = METHOD_SCAN }, true, true },
		{ "a rule of two methods", { RULE, .method = METHOD_SCAN }, { RULE, .method = METHOD_CODE }, false, false },
		{ "a rule in two frames", { RULE, .method = METHOD_SCAN }, { RULE, .method = METHOD_SCAN, .frame = 1 }, false, false },
		{ "a rule of a row, from two frames", { RULE, .row_input = "a", .row_offset = 4 },
		  { RULE, .row_input = "a", .row_offset = 4, .frame = 1 }, true, true },
		{ "a rule of two rows", { RULE, .row_input = "a", .row_offset = 4 },
		  { RULE, .row_input = "a", .row_offset = 5 }, false, false },
		{ "a rule of rows of two files", { RULE, .row_input = "a", .row_offset = 4 },
		  { RULE, .row_input = "b", .row_offset = 4 }, false, false },
		{ "a rule of a row and one of a method", { RULE, .row_input = "a" }, { RULE }, false, false },
		{ "one rule of a record", { RECORD(".cfa", 8, "line") }, { RECORD(".cfa", 8, "line") }, true, true },
		{ "two rules of a record", { RECORD(".cfa", 8, "line") }, { RECORD(".ra", 8, "line") }, true, false },
		{ "a rule of a record that has another line by now",
		  { RECORD(".cfa", 8, "line") }, { RECORD(".cfa", 8, "lane") }, true, false },
		{ "records at two places", { RECORD(".cfa", 8, "line") }, { RECORD(".cfa", 9, "line") }, false, false },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct overlay_edit one = cases[i].one, other = cases[i].other;
		one.was = text_of("first");
		one.old = 1;
		one.was_known = true;
		other.was = text_of("second");
		other.old = 2;
		const struct overlay *overlay = overlay_with(&arena, overlay_with(&arena, NULL, &one), &other);
		const struct overlay_edit *last = &overlay->edits[overlay->count - 1];
		is_u64(overlay->count, cases[i].same ? 1 : 2, "%s", cases[i].title);
		ok(text_equal(last->was, text_of(cases[i].origin ? "first" : "second")) &&
			   last->old == (cases[i].same ? 1 : 2) && last->was_known == cases[i].same,
		   "the last edit has what was there before %s", cases[i].same ? "both" : "it");
		is_u64(overlay->records.count, cases[i].one.kind != OVERLAY_RECORD ? 0 : overlay->count, "records are listed for rules");
		is_u64(overlay_without(&arena, overlay, 0)->count, overlay->count - 1, "one record of the overlay is taken back");
	}
	arena_free(&arena);
#undef RECORD
#undef RULE
}

TEST(other_thread)
{
	struct stage stage;

	stage_open(&stage, &scene);
	ok(edits_to(&stage, (struct overlay_edit){ .kind = OVERLAY_FORCE, .thread = 1, .method = METHOD_SCAN }, PLAIN),
	   "an edit of another thread's frame changes nothing here");
	stage_close(&stage);
}

TEST(method_rule)
{
	static const struct scene chain = SCENE(AMD64, LINUX, "rip=401010 rsp=8000 rbp=8010",
		      "8010=8030 8018=401105 8020=8030 8028=401205", { { 0x400000, 0x5000, "a",
		      "FUNC 1000 20 0 f\nFUNC 1100 20 0 g\nFUNC 1200 20 0 h\n" } });
	struct stage stage;

	stage_open(&stage, &chain);
	walk_edited(&stage);
	ok(strncmp(stage.staged.frames, "ctx 401010 8000, fp 401105 8020", 31) == 0, "the frame pointer leads to the frame record");
	ok(edits_to(&stage, (struct overlay_edit){ .kind = OVERLAY_RULE, .method = METHOD_FRAME_POINTER, .name = text_of("$rip"),
						   .expression = text_of("$rbp 24 + ^") },
		    "ctx 401010 8000, fp 401205 8020, scan 401205 8030"), "an edited rule of a method reads another word");
	stage_close(&stage);
}

TEST(policy)
{
	struct stage stage;

	stage_open(&stage, &scene);
	edits_to(&stage, (struct overlay_edit){ .kind = OVERLAY_POLICY, .policy = POLICY_SCAN_WORDS, .value = 3 }, PLAIN);
	ok(stage.staged.walk->policy.value[POLICY_SCAN_WORDS] == 3 && stage.policy.value[POLICY_SCAN_WORDS] == 41,
	   "a policy row is changed for the edited walk alone");
	stage_close(&stage);
}

/* True if the trace of the step from frame 0 has a rule called `name` with these marks. */
static bool
has_rule(struct stage *stage, const char *name, unsigned marks, uint32_t line)
{
	struct trace trace;
	struct frame caller;
	struct verdict verdict;
	bool found = false;

	trace_init(&trace);
	unwind_step(stage->staged.walk, 0, &trace, &caller, &verdict);
	for (size_t i = 0; i < trace.count; i++)
		found = found || (trace.events[i].kind == EVENT_RULE &&
				  text_equal(trace.events[i].name, text_of(name)) && trace.events[i].detail == marks &&
				  trace.events[i].place.line == line);
	trace_free(&trace);
	return found;
}

TEST(trace)
{
	struct stage stage;

	stage_open(&stage, &scene);
	walk_edited(&stage);
	ok(has_rule(&stage, ".cfa", TRACE_RULE_DELTA, 6), "the plain rule is that of line 6");
	edits_to(&stage, record_edit(&stage, DELTA, "STACK CFI 1004 .cfa: $rsp 24 +"), RIGHT);
	ok(has_rule(&stage, ".cfa", TRACE_RULE_DELTA | TRACE_RULE_EDITED, 6), "the edited one says that it is, and whose place it has");
	ok(has_rule(&stage, ".ra", 0, 5), "rules that are not edited keep their places");
	stage.overlay = NULL;
	edits_to(&stage, record_edit(&stage, "STACK CFI INIT 1000 20 " RULES,
			     "STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^ $rbx: 5"), PLAIN);
	ok(has_rule(&stage, ".ra", 0, 5) && has_rule(&stage, "$rbx", TRACE_RULE_EDITED, 5),
	   "rules in the record of an edited one keep their places");
	stage_close(&stage);
}

TEST(by_method)
{
	struct stage stage;
	struct frame caller;
	struct verdict verdict;
	enum method_id methods[METHOD_COUNT];

	stage_open(&stage, &scene);
	walk_edited(&stage);
	unwind_step_by(stage.staged.walk, 0, METHOD_SCAN, NULL, &caller, &verdict);
	ok(verdict.kind == VERDICT_TAKEN && caller.registers.value[16] == 0x401105, "a method that was not needed can be asked, too");
	unwind_step_by(stage.staged.walk, 0, METHOD_SFRAME, NULL, &caller, &verdict);
	ok(verdict.kind == VERDICT_REFUSED && verdict.method == METHOD_COUNT, "a method that cannot apply is refused");
	ok(walk_methods(stage.staged.walk, methods) == 10 && methods[0] == METHOD_SIGNAL_FRAME &&
		   methods[9] == METHOD_SCAN, "amd64 has ten methods, the scan last");
	stage_close(&stage);
}

TEST(win)
{
	static const char record[] = "STACK WIN 0 1000 20 0 0 0 0 4 0 0 0";
	static const struct scene fpo = SCENE(X86, WINDOWS, "eip=401010 esp=8000 ebp=8100", "8004=401105 8008=401205",
		      { { 0x400000, 0x5000, "a", "FUNC 1000 20 0 f\nFUNC 1100 20 0 g\n"
		      "FUNC 1200 20 0 h\nSTACK WIN 0 1000 20 0 0 0 0 4 0 0 0\n" } });
	struct stage stage;

	stage_open(&stage, &fpo);
	stage.policy.value[POLICY_RETURN_SEARCH] = 0;
	walk_edited(&stage);
	ok(stage.staged.walk->count > 1 && stage.staged.walk->frames[1].registers.value[0] == 0x401105,
	   "4 bytes of locals: the return address follows them");
	stage.overlay = overlay_with(&stage.arena, NULL, &(struct overlay_edit){ .kind = OVERLAY_RECORD,
					.record = record_edit(&stage, record, "STACK WIN 0 1000 20 0 0 0 0 8 0 0 0") .record });
	walk_edited(&stage);
	ok(stage.staged.walk->count > 1 && stage.staged.walk->frames[1].registers.value[0] == 0x401205,
	   "an edited size of a STACK WIN record moves it");
	stage_close(&stage);
}

/* Each kind of edit in words, as lists of edits show it. */
TEST(words)
{
#define RECORD(before, after) .kind = OVERLAY_RECORD, .record = { .file = "/a/b.sym", .line = 12, \
	.was = { before, sizeof(before) - 1 }, .now = { after, sizeof(after) - 1 } }
	static const struct {
		struct overlay_edit edit;
		const char *words;
	} rows[] = {
		{ { RECORD("PUBLIC 1 0 a", "PUBLIC 2 0 a") }, "changed in b.sym:12: PUBLIC 2 0 a (was PUBLIC 1 0 a)" },
		{ { RECORD("PUBLIC 1 0 a", "") }, "taken out of b.sym:12: PUBLIC 1 0 a" },
		{ { RECORD("PUBLIC 1 0 a", "PUBLIC 1 0 a\nPUBLIC 2 0 b") }, "added at b.sym:12: PUBLIC 2 0 b" },
		{ { RECORD("PUBLIC 1 0 a", "PUBLIC 2 0 b\nPUBLIC 1 0 a\nPUBLIC 3 0 c") }, "added at b.sym:12: PUBLIC 2 0 b and more" },
		{ { RECORD("PUBLIC 1 0 a", "PUBLIC 2 0 b\nPUBLIC 3 0 c") },
		  "changed in b.sym:12: PUBLIC 2 0 b and more (was PUBLIC 1 0 a)" },
		{ { RECORD("STACK CFI 4 .cfa: 1", "STACK CFI 4 .cfa: 2"), .name = { ".cfa", 4 },
		    .expression = { "2", 1 }, .was = { "1", 1 } }, ".cfa: 2 (was 1) in b.sym:12" },
		{ { .kind = OVERLAY_RULE, .method = METHOD_SCAN, .frame = 3, .name = { "$rsp", 4 }, .expression = { "$rsp 8 +", 8 } },
		  "$rsp: $rsp 8 + (was not there) of the stack scan in frame 3" },
		{ { .kind = OVERLAY_RULE, .row_input = "/a/lib.so", .row_offset = 0x20, .name = { "$rbx", 4 }, .was = { "1", 1 } },
		  "$rbx: taken out (was 1) in lib.so+0x20" },
		{ { .kind = OVERLAY_REGISTER, .frame = 2, .reg = 3, .known = true, .value = 0x10 },
		  "rbx = 0000000000000010 (was unknown) in frame 2" },
		{ { .kind = OVERLAY_REGISTER, .frame = 2, .reg = 3, .was_known = true,
		    .old = 0x11 }, "rbx = unknown (was 0000000000000011) in frame 2" },
		{ { .kind = OVERLAY_FORCE, .frame = 1, .method = METHOD_SCAN }, "frame 1 is unwound only by stack scan" },
		{ { .kind = OVERLAY_FORBID, .frame = 1, .method = METHOD_SCAN }, "frame 1 is not unwound by stack scan" },
		{ { .kind = OVERLAY_CANDIDATE, .frame = 1, .address = 0x8010 },
		  "the scan from frame 1 takes the word at 0000000000008010" },
		{ { .kind = OVERLAY_POLICY, .policy = POLICY_SCAN_WORDS, .value = 9, .old = 41 }, "policy scan-words = 9 (was 41)" },
	};
	char words[400];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		is_str(overlay_describe(&rows[i].edit, arch_by_id(ARCH_AMD64), words, sizeof(words)), rows[i].words, "an edit in words");
}
