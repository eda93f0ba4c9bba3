/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variables of the bundled core, and expressions over them. An input that begins as an ELF file
 * replaces the program that made the core; any other input is an expression.
 */
#include "base/compiler.h"
#include "dump/dump.h"
#include "inspect/expression.h"
#include "report/value/locals.h"
#include "tests/fuzz/harness.h"

enum { FRAMES = 5, CALLS = 3, OPENED = 60, COLUMNS = 100 };

static const char *const texts[] = {
	"*first.next", "first.at[1].y + sizeof first", "(struct node *) first.next == 0",
	"cart.items_[1].name[2]", "limit_ * 2.5", "GREEN", "&visit", "*&sink", "first.at[1] @ 9",
	"(unsigned char) doubled", "(shop::Item *) $rsp",
};

/* Read all rows of a frame's variables, some of them opened. */
static void
list_frame(struct walk *walk, const struct memory_view *memory, size_t frame)
{
	struct locals_state state = { .steps = false };
	struct arena arena = { 0 };

	for (unsigned round = 0; round < 3; round++) {
		const struct locals *locals = locals_of(walk, memory, frame, true, &state, &arena);
		if (locals == NULL)
			break;
		const struct listing listing = locals_listing(locals, &arena);
		for (size_t i = 0; i < listing.count; i++) {
			struct row row = ROW_IN(&arena);
			const uint64_t id = round < 2 && i < OPENED ? locals_row(&listing, i) : 0;

			listing.fill(&listing, i, COLUMNS, &row);
			if (id != 0 && (round == 0 || i % 2 == 0))
				locals_toggle(&state, id);
		}
	}
	locals_state_free(&state);
	arena_free(&arena);
}

static void
evaluate(struct walk *walk, const struct memory_view *memory, size_t frame, size_t call,
	 struct text text)
{
	struct arena arena = { 0 };
	struct value_frame *variables = frame_variables_of(walk, memory, frame, &arena);

	if (variables != NULL) {
		const struct value_expression found =
			value_expression_of(variables, call, text, NULL, &arena);
		struct lines lines = { .arena = &arena, .text_column = 15 };
		if (found.wrong == NULL)
			evaluated_add(&lines, &found);
	}
	arena_free(&arena);
}

/* Walk the core with the program, and read variables of its first frames. */
static void
look_at_frames(struct crash *crash, struct binary *binary, bool is_program, struct text text)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct binaries *binaries = binaries_create(crash, NULL, 0);
	struct memory_view memory;
	struct arena arena = { 0 };

	binaries_give(binaries, 0, binary);
	binaries_set(binaries, BINARIES_INSIDE);
	struct walk *walk = walk_create(crash, NULL, binaries, 0, &policy);
	memory_view_all(&memory, crash, &arena);
	while (walk->count < FRAMES && walk_extend(walk))
		;
	for (size_t i = 0; is_program && i < walk->count && i < FRAMES; i++)
		list_frame(walk, &memory, i);
	for (size_t i = 0; i < walk->count && i < FRAMES; i++)
		for (size_t call = 0; !is_program && call < CALLS; call++)
			evaluate(walk, &memory, i, call, text);
	for (size_t i = 0; is_program && i < ARRAY_COUNT(texts) * walk->count; i++)
		evaluate(walk, &memory, i / ARRAY_COUNT(texts), 0,
			 text_of(texts[i % ARRAY_COUNT(texts)]));
	walk_free(walk);
	binaries_free(binaries);
	arena_free(&arena);
}

void
fuzz_locals(const uint8_t *data, size_t size)
{
	static struct crash crash;
	static const char *core, *program;
	const bool is_program = size > 4 && data[0] == 0x7f && data[1] == 'E';
	struct binary *binary = NULL;
	struct error error = { 0 };

	if (program == NULL) {
		program = fuzz_path("data/cores/list-amd64/binaries/list");
		core = fuzz_path("data/cores/list-amd64/core.gz");
		if (dump_open(&crash, core, 0, &error) != ERROR_NONE)
			fuzz_fail("the bundled core cannot be read");
	}
	if ((is_program ? binary_from_memory(&binary, program, data, size, &error)
			: binary_open(&binary, program, &error)) == ERROR_NONE)
		look_at_frames(&crash, binary, is_program,
			       (struct text){ (const char *)data, size });
}
