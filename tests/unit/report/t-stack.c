/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/stack.h"

#include "report/report.h"
#include "tests/unit/report/scene.h"

static void
test_rows(struct scene *scene)
{
	struct listing stack = stack_listing(&scene->stack, &scene->arena);

	is_u64(stack.count, 9, "three threads, five calls of three frames and the end have rows");
	is_str(scene_row(scene, &stack, 0, 80), " - thread 1   0xbf4   crashed",
	       "the crashed thread comes first, with the number that Breakpad gives it");
	is_str(scene_row(scene, &stack, 1, 80), scene_edges(scene, " -   0 ctx  00401015 leaf              inlined", "inner.h:3"),
	       "a frame begins with its innermost call, which has the line of the address");
	is_str(scene_row(scene, &stack, 2, 80), scene_edges(scene, "    .b               middle            inlined", "inner.h:7"),
	       "the next call has a letter and the line where the one before is called");
	is_str(scene_row(scene, &stack, 3, 80), scene_edges(scene, "    .c               crash", "app.c:20"),
	       "the function itself is the frame's last row");
	is_str(scene_row(scene, &stack, 4, 80), scene_edges(scene, "     1 cfi  00401110 main", "app.c:30"),
	       "the next frame has the next number, regardless of inlined calls");
	is_str(scene_row(scene, &stack, 5, 80), scene_edges(scene, "     2 cfi  00401205 start + 0x5 (?)", "uncertain"),
	       "a function without lines has the distance of the pc");
	ok(strncmp(scene_row(scene, &stack, 6, 120), " !   end             ", 21) == 0, "a row after the frames shows that the stack ends");
	is_str(scene_row(scene, &stack, 6, 0) + 21, scene->walk->end.text, "the end of the stack has its reason");
	is_str(scene_row(scene, &stack, 7, 80), " + thread 0   not walked          'worker'",
	       "a thread that is not open has one row with its state and its name");
	is_str(scene_row(scene, &stack, 8, 80), " + thread 2   wrote the dump", "the thread that Breakpad leaves out comes last");
}

static void
test_columns(struct scene *scene)
{
	struct listing stack = stack_listing(&scene->stack, &scene->arena);

	is_str(scene_row(scene, &stack, 1, 0), " -   0 ctx  00401015 leaf              inlined  inner.h:3",
	       "rows without columns are neither cut nor pushed to an edge");
	is_str(scene_row(scene, &stack, 5, 46), "     2 cfi  00401205 start + 0x5 (?) uncertain",
	       "the right edge is where the columns end");
	is_str(scene_row(scene, &stack, 5, 34), "     2 cfi  00401205 start + 0~(?)", "narrow rows lose the source column first");
	is_str(scene_row(scene, &stack, 5, 28), "     2 cfi  00401205 sta~(?)", "narrower rows cut names, but keep the sign of a guess");
	for (size_t columns = 1; columns < 120; columns++)
		for (size_t i = 0; i < stack.count; i++) {
			scene_row(scene, &stack, i, columns);
			if (scene->row.width > columns)
				ok(false, "row %zu fits into %zu columns", i, columns);
		}
}

static void
test_targets(struct scene *scene)
{
	struct listing stack = stack_listing(&scene->stack, &scene->arena);
	bool same = true;

	struct target call = listing_target(&stack, 2);
	ok(call.kind == TARGET_FRAME && call.thread == 1 && call.frame == 0 && call.call == 1,
	   "a row of an inlined call leads to that call of its frame");
	struct target thread = listing_target(&stack, 7);
	ok(thread.kind == TARGET_THREAD && thread.thread == 0, "a thread's row leads to it");
	struct target end = listing_target(&stack, 6);
	ok(end.kind == TARGET_FRAME && end.frame == 2 && end.call == STACK_END, "the end leads to the step that found none");
	for (size_t i = 1; i < 7; i++) {
		struct target target = listing_target(&stack, i);
		same = same && stack_row(&stack, target.thread, target.frame, target.call) == i;
	}
	ok(same, "the row of a target is the row it was asked of");
	is_u64(stack_row(&stack, 0, 3, 0), 7, "frames of a thread that is not open are its row");
	ok(strstr(scene_explain(scene, &stack, 4), "main") == NULL &&
		   strstr(scene_explain(scene, &stack, 4), "call frame info   app.exe + 0x") != NULL &&
		   strstr(scene_explain(scene, &stack, 4), "   app.sym:12") != NULL,
	   "a frame is explained by how it was found and the record that names it");
}

static void
test_folding(struct scene *scene)
{
	stack_state_toggle(&scene->stack, 1, 0);
	struct listing stack = stack_listing(&scene->stack, &scene->arena);
	is_u64(stack.count, 7, "a folded frame has one row");
	is_str(scene_row(scene, &stack, 1, 80),
	       scene_edges(scene, " +   0 ctx  00401015 crash, with 2 inlined calls: leaf", "inner.h:3"),
	       "the folded row names the function and the innermost call");
	is_u64(stack_row(&stack, 1, 0, 2), 1, "all calls of the folded frame are on its row");
	is_u64(stack_row(&stack, 1, 1, 0), 2, "the next frame follows at once");
	stack_state_toggle(&scene->stack, 1, 0);
	is_u64(stack_listing(&scene->stack, &scene->arena).count, 9, "the frame unfolds again");
	stack_state_toggle(&scene->stack, 1, 99);
	stack_state_toggle(&scene->stack, 99, 0);
	is_u64(stack_listing(&scene->stack, &scene->arena).count, 9, "a missing frame or thread cannot be folded");
	stack_state_expand_all(&scene->stack, false);
	is_u64(stack_listing(&scene->stack, &scene->arena).count, 7, "all frames fold at once");
	stack_state_expand_all(&scene->stack, true);
}

static void
test_open_walks(struct scene *scene)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct walk *walk = walk_create(&scene->crash, scene->symbols, NULL, 1, &policy);

	scene->walks[1] = walk;
	struct listing stack = stack_listing(&scene->stack, &scene->arena);
	is_u64(stack.count, 7, "another walk has its own number of rows");
	is_str(scene_row(scene, &stack, 4, 80), " +   ...             the walk continues after frame 0", "an incomplete walk is marked");
	is_u64(listing_target(&stack, 4).frame, 1, "the row of an incomplete walk leads to the frame that comes next");
	walk_extend(walk);
	is_u64(stack_listing(&scene->stack, &scene->arena).count, 8, "the next frame has a row after more steps");
	scene->walks[1] = scene->walk;
	walk_free(walk);

	scene->open[0] = scene->open[2] = true;
	stack = stack_listing(&scene->stack, &scene->arena);
	is_str(scene_row(scene, &stack, 8, 80), " !   end             not walked yet", "an open thread without a walk says that");
	is_str(scene_row(scene, &stack, 10, 80), " !   end             not walked: it wrote the dump",
	       "the thread that wrote the dump says why");
	scene->open[0] = scene->open[2] = false;
}

/* If a thread's row is hidden because another thread has its calls, the cursor moves to that. */
static void
test_hidden(struct scene *scene)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);

	scene->crash.threads[2].wrote_dump = false;
	for (size_t i = 0; i < 3; i += 2) {
		scene->walks[i] = walk_create(&scene->crash, scene->symbols, NULL, 0, &policy);
		walk_run(scene->walks[i], 0);
	}
	const struct listing stack = stack_listing(&scene->stack, &scene->arena);
	is_u64(stack.count, 8, "two threads with the same calls are one row");
	is_u64(stack_thread_next(&stack, 1, true), 0, "the rows of thread 0 follow those of 1");
	is_u64(stack_thread_next(&stack, 0, true), 1, "the first thread follows the last row; a thread without rows is left out");
	is_u64(stack_thread_next(&stack, 1, false), 0, "the last thread precedes the first");
	const struct target target = TARGET(TARGET_THREAD, .thread = 2);
	is_u64(stack_row_of_target(&stack, &target), 7, "the row of the first thread stands for the second");
	is_u64(stack_row(&stack, 2, 1, 0), 7, "the row of the first thread stands for the second one's frames");
	ok(strstr(scene_row(scene, &stack, 7, 80), "2 x crash") != NULL ||
		   strstr(scene_row(scene, &stack, 7, 80), "2 x leaf") != NULL,
	   "the row has the number of threads and their first call");
	for (size_t i = 0; i < 3; i += 2) {
		stack_state_forget(&scene->stack, i);
		walk_free(scene->walks[i]);
		scene->walks[i] = NULL;
	}
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	test_rows(&scene);
	test_columns(&scene);
	test_targets(&scene);
	test_folding(&scene);
	test_open_walks(&scene);
	test_hidden(&scene);
	ok(report_trust_role(TRUST_CFI) == ROLE_NORMAL && report_trust_role(TRUST_SCAN) == ROLE_SCAN &&
		   report_trust_role(TRUST_FRAME_POINTER) == ROLE_FRAME_POINTER, "a trust looks as its table says");
	scene_close(&scene);
	return done_testing();
}
