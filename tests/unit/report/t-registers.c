/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/explain.h"
#include "base/policy_rows.h"
#include "report/report.h"
#include "report/stack/summary.h"
#include "report/stack/walk_json.h"
#include "report/stack/walk_text.h"
#include "tests/unit/report/scene.h"

/* The thread's 64-bit registers, as a 64-bit dumper stores them in addition to the 32-bit ones. */
static void
make_wow64(struct scene *scene, struct crash_context *native)
{
	const struct arch *amd64 = arch_by_id(ARCH_AMD64);

	*native = (struct crash_context){
		.present = true, .arch = amd64,
		.place = { .input = &scene->crash.file.input, .offset = 0x1000, .length = 1232 },
	};
	int rax = arch_register(amd64, text_of("$rax"), ARCH_NAMES_EXACT);
	registers_set(&native->registers, amd64->pc, 0x77001111);
	registers_set(&native->registers, amd64->sp, 0x8e100);
	registers_set(&native->registers, rax, UINT64_C(0x111100000001));
	native->register_offset[rax] = 0x1078;
	scene->crash.exception.context.native = native;
}

static struct listing
registers_of(struct scene *scene, struct walk *walk, size_t frame, struct step_view *view)
{
	step_view_make(view, walk, frame);
	return step_view_registers(view, 16, &scene->arena);
}

static void
test_both_contexts(struct scene *scene)
{
	struct step_view view;
	struct listing registers = registers_of(scene, scene->walk, 0, &view);
	const size_t plain = registers.count;
	struct crash_context native;

	step_view_free(&view);
	make_wow64(scene, &native);
	registers = registers_of(scene, scene->walk, 0, &view);
	is_u64(registers.count, plain + 4, "the context frame has a heading and three rows more");
	is_str(scene_row(scene, &registers, plain, 60), " the thread's 64-bit registers, which are not walked", "the heading says which");
	is_str(scene_row(scene, &registers, plain + 1, 60), " rip   0000000077001111", "the program counter comes first");
	is_str(scene_row(scene, &registers, plain + 3, 60), " rax   0000111100000001   test.dmp+0x1078", "a register has all its digits");
	struct target target = listing_target(&registers, plain + 3);
	ok(target.kind == TARGET_PLACE && target.place.offset == 0x1078, "the row of a register leads to its bytes");
	target = listing_target(&registers, plain);
	ok(target.kind == TARGET_PLACE && target.place.offset == 0x1000, "the heading leads to the context");
	step_view_free(&view);
	registers = registers_of(scene, scene->walk, 1, &view);
	ok(strstr(scene_row(scene, &registers, registers.count - 1, 60), "64-bit") == NULL, "callers have no second context");
	step_view_free(&view);
	scene->crash.exception.context.native = NULL;
}

/* The mark of a kept register has the role of normal text, so that changed ones are seen. */
static void
test_roles(struct scene *scene)
{
	struct row row = ROW_IN(&scene->arena);
	struct step_view view;
	struct listing registers = registers_of(scene, scene->walk, 0, &view);
	size_t kept = 0, others = 0;

	for (size_t i = 0; i < registers.count; i++) {
		row_clear(&row);
		listing_fill(&registers, i, 80, &row);
		for (size_t s = 0; s < row.span_count; s++)
			if (memmem(row_text(&row) + row.spans[s].start, row.spans[s].length, "  = ", 4) != NULL) {
				kept += row.spans[s].role == ROLE_NORMAL;
				others += row.spans[s].role != ROLE_NORMAL;
			}
	}
	ok(kept > 0 && others == 0, "a kept register has the normal role (%zu of %zu)", kept, kept + others);
	step_view_free(&view);
}

static void
test_other_way_round(struct scene *scene)
{
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct crash_context native;
	struct step_view view;

	make_wow64(scene, &native);
	policy.value[POLICY_NATIVE_CONTEXT] = 1;
	struct walk *walk = walk_create(&scene->crash, scene->symbols, NULL, 1, &policy);
	walk_run(walk, 0);
	ok(strstr(report_context_note(walk), "native-context=0") != NULL, "a walk of the 64-bit registers tells how to walk the others");
	struct listing registers = registers_of(scene, walk, 0, &view);
	const size_t heading = registers.count - 11;
	is_str(scene_row(scene, &registers, heading, 60), " the thread's 32-bit registers, which are not walked",
	       "the view lists the ten registers of x86 below");
	ok(strncmp(scene_row(scene, &registers, heading + 1, 80), " eip   00401015   test.dmp+",
		   27) == 0, "the other registers have their own width and their places");
	step_view_free(&view);
	walk_free(walk);
	scene->crash.exception.context.native = NULL;
}

static void
test_words(struct scene *scene)
{
	struct output_string string;
	const char *const line = "of the 32-bit code of a WoW64 process; --policy native-context=1 walks the 64-bit one";
	struct walk_text_thread thread = { .index = 1, .number = 1, .requesting = true };
	bool walked[2];
	struct walk_text_options options = { .walked = walked };
	struct crash_context native;
	struct step_view view;

	ok(report_context_note(scene->walk) == NULL, "a thread with one context needs no note");
	output_string_init(&string, &scene->arena);
	walk_text_thread(&string.output, scene->walk, &thread, &options);
	ok(strstr(string.text, "Context: ") == NULL, "a thread with one context gets no note");
	make_wow64(scene, &native);
	output_string_init(&string, &scene->arena);
	walk_text_thread(&string.output, scene->walk, &thread, &options);
	const char *found = strstr(string.text, "Context: ");
	ok(found != NULL && strncmp(found + 9, line, strlen(line)) == 0, "the walk's text says which of two contexts was walked");
	options.breakpad = true;
	output_string_init(&string, &scene->arena);
	walk_text_thread(&string.output, scene->walk, &thread, &options);
	ok(strstr(string.text, "Context: ") == NULL, "Breakpad's layout does not");
	output_string_init(&string, &scene->arena);
	step_view_make(&view, scene->walk, 0);
	explain_step(&string.output, &view, ARCH_NO_REGISTER);
	ok(strstr(string.text, line) != NULL, "the explanation of the first step has the note about the context");
	ok(strstr(string.text, "rax   0000111100000001") != NULL, "the explanation of the first step has the other registers");
	step_view_free(&view);
	scene->crash.exception.context.native = NULL;
}

static size_t
context_rows(struct scene *scene, const char *text)
{
	struct analysis *analysis = analysis_create(&scene->crash, scene->walk, NULL, NULL);
	struct listing summary = summary_listing(analysis, scene->walk, 0, &scene->arena);
	size_t count = 0;

	for (size_t i = 0; i < summary.count; i++) {
		const char *row = scene_row(scene, &summary, i, 0);
		count += strncmp(row, "context ", 8) == 0 && strstr(row, text) != NULL;
	}
	analysis_free(analysis);
	return count;
}

static void
test_sides(struct scene *scene)
{
	struct listing stack = stack_listing(&scene->stack, &scene->arena);
	struct crash_context native;

	is_str(scene_row(scene, &stack, 0, 80), " - thread 1   0xbf4   crashed", "a thread with one context has no words about it");
	is_u64(context_rows(scene, ""), 0, "the summary of a thread with one context has no row about it");
	make_wow64(scene, &native);
	is_str(scene_row(scene, &stack, 0, 80), " - thread 1   0xbf4   crashed   WoW64, 32-bit code",
	       "the row of a thread of a WoW64 process names its stack");
	is_u64(context_rows(scene, "32-bit code of a WoW64 process"), 1, "the summary of a WoW64 process names the stack");
	scene->crash.exception.context.native = NULL;
}

/* True if the document contains `text` in the stack of the crashed thread, the only one walked. */
static bool
json_says(struct scene *scene, const char *text)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct walk_json_options options = { .only_requesting = true, .only_thread = -1 };
	struct output_string string;

	output_string_init(&string, &scene->arena);
	walk_json(&string.output, &scene->crash, scene->symbols, NULL, &policy, &options);
	return strstr(string.text, text) != NULL;
}

static void
test_json(struct scene *scene)
{
	struct thread *thread = &scene->crash.threads[1];
	const uint64_t start = thread->stack_start;
	struct crash_context native;

	ok(json_says(scene, "\"available\":96}"), "a thread with one context has one stack");
	make_wow64(scene, &native);
	ok(json_says(scene, "\"available\":96,\"arch\":\"x86\"}"), "JSON reports that the dump stores the 32-bit stack of a WoW64 thread");
	thread->stack_start = 0x8e100 - thread->stack_size + 1;
	ok(json_says(scene, "\"available\":96,\"arch\":\"amd64\"}"),
	   "JSON reports that the dump stores the 64-bit stack of a WoW64 thread");
	thread->stack_start = 0x8e101;
	ok(json_says(scene, "\"available\":96,\"arch\":null}"), "JSON names no stack if neither stack pointer is in it");
	thread->stack_start = start;
	scene->crash.exception.context.native = NULL;
}

static void
test_evidence(struct scene *scene)
{
	struct step_view view;
	char joined[400] = "";
	size_t rows = 0;

	step_view_make(&view, scene->walk, 0);
	struct listing whole = step_view_evidence(&view, 0, &scene->arena);
	struct listing narrow = step_view_evidence(&view, 44, &scene->arena);
	ok(narrow.count > whole.count, "long sentences of the evidence take more rows");
	size_t record = 0;
	while (strncmp(scene_row(scene, &whole, record, 0), " record", 7) != 0)
		record++;
	uint32_t event = step_view_event_of_row(&whole, record);
	for (size_t i = 0; i < narrow.count; i++) {
		if (step_view_event_of_row(&narrow, i) != event)
			continue;
		const char *row = scene_row(scene, &narrow, i, 44);

		rows++;
		ok(strlen(row) <= 44 && strchr(row, '~') == NULL, "row %zu is not cut", rows);
		strcat(joined, rows > 1 ? " " : "");
		strcat(joined, rows > 1 ? row + 9 : row);
	}
	is_str(joined, " record covers 0x1000 to 0x103f, 64 (0x40) bytes; 0 deltas in force   app.sym:16",
	       "together they say what one row said");
	is_u64(step_view_evidence_row(&narrow, event), record, "the first of them is the event's row");
	step_view_free(&view);
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	test_roles(&scene);
	test_both_contexts(&scene);
	test_other_way_round(&scene);
	test_words(&scene);
	test_sides(&scene);
	test_json(&scene);
	test_evidence(&scene);
	scene_close(&scene);
	return done_testing();
}
