/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks with sixty inlined calls in a frame, with recursions of one and of two functions, and with a frame that the call before
 * its return address contradicts. The expected rows are by hand; some checks hold for every row. */
#include "code/instruction.h"
#include "report/stack/stack.h"
#include "tests/unit/walk/scene.h"

#define CALLS 60u
#define ALONE 10u		/* frames of the function that calls itself: 1 to 10 */
#define PAIRS 4u		/* calls of two functions by each other: 11 to 18 */
#define FRAMES (1 + ALONE + 2 * PAIRS + 1)

struct stage {
	struct staged staged;
	struct walk *walks[1];
	bool open[1];
	struct stack_state stack;
	struct arena arena;
	struct row row;
};

/* The code of main calls `other`, but the frame of its callee is in c. */
static void
add_code(struct synth *synth)
{
	static const uint8_t call[] = { 0xe8, 0xfb, 0, 0, 0 }, other[] = { 0x90, 0xc3 };

	synth_memory(synth, 0x401500, call, sizeof(call), false);
	synth_memory(synth, 0x401600, other, sizeof(other), false);
}

static void
open_stage(struct stage *stage)
{
	static char symbols[8000], memory[2000];
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	size_t used = 0, words = 0;
	const struct scene scene = {
		.arch = ARCH_AMD64,
		.os = CRASH_OS_LINUX,
		.registers = "rip=401010 rsp=8000",
		.stack = 0x8000,
		.memory = memory,
		.modules = { { 0x400000, 0x5000, "a", symbols } },
		.more = add_code,
	};

	used += (size_t)snprintf(symbols, sizeof(symbols), "FILE 0 a.c\nFUNC 1000 100 0 f\n1000 100 5 0\n");
	for (unsigned i = 0; i < CALLS; i++)
		used += (size_t)snprintf(symbols + used, sizeof(symbols) - used,
					 "INLINE_ORIGIN %u i%u\nINLINE %u %u 0 %u 1000 100\n", i, i, i, i + 1, i);
	snprintf(symbols + used, sizeof(symbols) - used,
		 "FUNC 1200 20 0 a\nFUNC 1300 20 0 b\nFUNC 1400 20 0 c\nFUNC 1500 20 0 main\n"
		 "FUNC 1600 2 0 other\nSTACK CFI INIT 1000 1000 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n");
	for (unsigned i = 1; i < FRAMES; i++) {
		const unsigned pc = i <= ALONE ? 0x401205 : i + 1 == FRAMES ? 0x401505
				    : (i - ALONE) % 2 == 1 ? 0x401305 : 0x401405;

		words += (size_t)snprintf(memory + words, sizeof(memory) - words, "%x=%x ", 0x8000 + 8 * (i - 1), pc);
	}
	*stage = (struct stage){ .open = { true } };
	scene_play_limited(&stage->staged, &scene, POLICY_UNSPOOL, 4);
	stage->walks[0] = walk_create(&stage->staged.crash, stage->staged.symbols, NULL, 0, &policy);
	walk_run(stage->walks[0], 0);
	stage->stack = (struct stack_state){ .crash = &stage->staged.crash, .walks = stage->walks, .open = stage->open };
	row_init(&stage->row, &stage->arena);
}

static void
close_stage(struct stage *stage)
{
	stack_state_free(&stage->stack);
	walk_free(stage->walks[0]);
	arena_free(&stage->arena);
	scene_close(&stage->staged);
}

static const char *
text_at(struct stage *stage, const struct listing *listing, size_t index, size_t columns)
{
	row_clear(&stage->row);
	listing_fill(listing, index, columns, &stage->row);
	return row_text(&stage->row);
}

static const char *
explained(struct stage *stage, const struct listing *listing, size_t index)
{
	row_clear(&stage->row);
	listing_explain(listing, index, &stage->row);
	return row_text(&stage->row);
}

/* Letters continue as the columns of spreadsheets do: z, aa, az, ba. */
static void
test_letters(struct stage *stage)
{
	static const struct {
		size_t call;
		const char *text;
	} rows[] = {
		{ 1, "    .b                       i58               inlined  a.c:60" },
		{ 25, "    .z                       i34               inlined  a.c:36" },
		{ 26, "   .aa                       i33               inlined  a.c:35" },
		{ 27, "   .ab                       i32               inlined  a.c:34" },
		{ 51, "   .az                       i8                inlined  a.c:10" },
		{ 52, "   .ba                       i7                inlined  a.c:9" }, { 60, "   .bi                       f  a.c:1" },
	};

	stage->stack.expand_inlined = true;
	const struct listing stack = stack_listing(&stage->stack, &stage->arena);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		is_str(text_at(stage, &stack, 1 + rows[i].call, 0), rows[i].text, "call %zu has its letters", rows[i].call);
	stage->stack.expand_inlined = false;
	stack_state_expand_all(&stage->stack, false);
}

/* Folded recursions, and the rows before and after a frame that is selected in one. */
static void
test_runs(struct stage *stage)
{
	struct listing stack = stack_listing(&stage->stack, &stage->arena);

	/* The thread, frame 0, two recursions, the last frame, the end. */
	is_u64(stack.count, 6, "recursions have a row each");
	is_str(text_at(stage, &stack, 2, 0), " +   1 cfi  to 10            10 x a + 0x5", "a function that calls itself");
	is_str(explained(stage, &stack, 2), "a cycle of 1 frame, 10 times, frames 1 to 10   cfi 10   Enter opens it", "is a cycle of one");
	is_str(text_at(stage, &stack, 3, 0), " +  11 cfi  to 18            4 x b + 0x5 <- c + 0x5  8 frames", "two that call each other");
	is_str(explained(stage, &stack, 3), "a cycle of 2 frames, 4 times, frames 11 to 18   cfi 8   Enter opens it", "are a cycle of two");
	is_u64(stack_state_run_first(&stage->stack, 0, 14), 11, "a frame of a cycle leads to its first");
	is_u64(stack_state_run_first(&stage->stack, 0, 19), 19, "a frame outside all cycles leads to itself");
	ok(stack_state_in_folded_run(&stage->stack, 0, 18) && !stack_state_in_folded_run(&stage->stack, 0, 19) &&
		   stack_state_in_folded_run(&stage->stack, 0, 1) && !stack_state_in_folded_run(&stage->stack, 0, 0),
	   "frames 1 to 18 are folded");
	stage->stack.frame = 14;
	stack = stack_listing(&stage->stack, &stage->arena);
	is_u64(stack.count, 8, "a selected frame divides its recursion");
	is_str(text_at(stage, &stack, 3, 0), " +  11 cfi  to 13            3 frames of b + 0x5 <- c + 0x5",
	       "the first part of the recursion has the frames before it");
	is_str(text_at(stage, &stack, 5, 0), " +  15 cfi  to 18            4 frames of b + 0x5 <- c + 0x5",
	       "the second part of the recursion has the frames after it");
	stage->stack.frame = 0;
	ok(stack_state_toggle_run(&stage->stack, 0, 12), "a cycle opens");
	stack = stack_listing(&stage->stack, &stage->arena);
	is_u64(stack.count, 6 + 8, "an open cycle has a row for each frame");
	is_str(explained(stage, &stack, 3), "a cycle of 2 frames, 4 times, frames 11 to 18   cfi 8   Enter folds it",
	       "below that of the cycle");
	ok(stack_state_toggle_run(&stage->stack, 0, 12) && !stack_state_toggle_run(&stage->stack, 0, 19),
	   "a cycle closes, a frame outside all cycles does not");
}

/* The call before main's return address calls another function than that of frame 18. */
static void
test_contradicted(struct stage *stage)
{
	const struct listing stack = stack_listing(&stage->stack, &stage->arena);

	ok(strncmp(text_at(stage, &stack, 4, 0), "    19 cfi! 0000000000401505", 28) == 0, "a frame that is contradicted has a mark");
	ok(strstr(explained(stage, &stack, 4), "contradicted: the call at 0x401500, before its return address, "
		  "calls other, not c   frame 19") != NULL, "the row has the reason of the contradiction");
	ok(strchr(text_at(stage, &stack, 1, 0), '!') == NULL, "the first row has no contradiction");
}

/* In every state each row's target leads back to the row, and no row exceeds its width. */
static void
test_states(struct stage *stage)
{
	static const size_t widths[] = { 1, 9, 20, 27, 28, 33, 40, 50, 80, 132 };
	bool leads = true, fits = true;

	for (unsigned state = 0; state < 4 * FRAMES; state++) {
		stage->stack.frame = state / 4;
		stack_state_fold_all(&stage->stack, true);
		stage->stack.expand_inlined = (state & 1) != 0;
		if ((state & 2) != 0)
			stack_state_toggle_run(&stage->stack, 0, stage->stack.frame);
		const struct listing stack = stack_listing(&stage->stack, &stage->arena);
		for (size_t i = 0; i < stack.count; i++) {
			const struct target target = listing_target(&stack, i);

			/* After the head of an open recursion comes its first frame. */
			const bool head = target.kind == TARGET_FOLD && text_at(stage, &stack, i, 0)[1] == '-';

			leads &= stack_row_of_target(&stack, &target) == i + head;
			for (size_t w = 0; w < ARRAY_COUNT(widths); w++) {
				text_at(stage, &stack, i, widths[w]);
				fits &= stage->row.width <= widths[w];
			}
		}
		arena_reset(&stage->arena);
		row_init(&stage->row, &stage->arena);
	}
	ok(leads, "a target is that of its row in each state");
	ok(fits, "rows are as wide as the columns in each state");
}

int
main(void)
{
	static struct stage stage;

	if (instruction_unsupported(arch_by_id(ARCH_AMD64)) != NULL) {
		skip(1, "no disassembler");
		return done_testing();
	}
	open_stage(&stage);
	is_u64(stage.walks[0]->count, FRAMES, "all frames are walked");
	test_runs(&stage);
	test_contradicted(&stage);
	test_letters(&stage);
	test_states(&stage);
	close_stage(&stage);
	return done_testing();
}
