/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables of the bundled core, and expressions over them. An input that begins as an ELF file
 * replaces the program that made the core; any other input is an expression. */
#include "base/compiler.h"
#include "dump/dump.h"
#include "inspect/expression.h"
#include "report/value/locals.h"
#include "tests/fuzz/harness.h"

enum { FRAMES = 5, CALLS = 3, OPENED = 60, COLUMNS = 100 };

static const char *const texts[] = {
	"*first.next", "first.at[1].y + sizeof first", "(struct node *) first.next == 0", "cart.items_[1].name[2]", "limit_ * 2.5", "GREEN",
	"&visit", "*&sink", "first.at[1] @ 9", "(unsigned char) doubled", "(shop::Item *) $rsp",
};

/* The bundled core, and its stack walked with the program that made it. */
static struct {
	struct crash crash;
	struct policy policy;
	struct memory_view memory;
	struct arena arena;
	struct walk *walk;
} core;

/* Read all rows of a frame's variables, some of them opened. */
static void
list_frame(struct walk *walk, size_t frame)
{
	struct locals_state state = { .steps = false };
	struct arena arena = { 0 };

	for (unsigned round = 0; round < 3; round++) {
		const struct locals *locals = locals_of(walk, &core.memory, frame, true, &state, &arena);
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
evaluate(struct walk *walk, size_t frame, size_t call, struct text text)
{
	struct arena arena = { 0 };
	struct value_frame *variables = frame_variables_of(walk, &core.memory, frame, &arena);

	if (variables != NULL) {
		const struct value_expression found = value_expression_of(variables, call, text, NULL, &arena);
		struct lines lines = { .arena = &arena, .text_column = 15 };
		if (found.wrong == NULL)
			evaluated_add(&lines, &found);
	}
	arena_free(&arena);
}

/* Walk the first frames of the core with a program. */
static struct walk *
walk_with(struct binaries *binaries, struct binary *binary)
{
	binaries_give(binaries, 0, binary);
	binaries_set(binaries, BINARIES_INSIDE);
	struct walk *walk = walk_create(&core.crash, NULL, binaries, 0, &core.policy);
	while (walk->count < FRAMES && walk_extend(walk))
		;
	return walk;
}

/* List the variables of the frames, and evaluate expressions. */
static void
look_at_program(struct binary *binary, unsigned parts)
{
	struct binaries *binaries = binaries_create(&core.crash, NULL, 0);
	struct walk *walk = walk_with(binaries, binary);

	for (size_t i = 0; (parts & 1) != 0 && i < walk->count && i < FRAMES; i++)
		list_frame(walk, i);
	for (size_t i = 0; (parts & 2) != 0 && i < ARRAY_COUNT(texts) * walk->count; i++)
		evaluate(walk, i / ARRAY_COUNT(texts), 0, text_of(texts[i % ARRAY_COUNT(texts)]));
	walk_free(walk);
	binaries_free(binaries);
}

void
fuzz_locals(const uint8_t *data, size_t size)
{
	static const char *file, *program;
	struct binary *binary = NULL;
	struct error error = { 0 };

	if (program == NULL) {
		program = fuzz_path("data/cores/list-amd64/binaries/list");
		file = fuzz_path("data/cores/list-amd64/core.gz");
		if (dump_open(&core.crash, file, 0, &error) != ERROR_NONE || binary_open(&binary, program, &error) != ERROR_NONE)
			fuzz_fail("the bundled core or its program cannot be read");
		core.policy = policy_column(POLICY_UNSPOOL);
		memory_view_all(&core.memory, &core.crash, &core.arena);
		core.walk = walk_with(binaries_create(&core.crash, NULL, 0), binary);
	}
	if (size <= 4 || data[0] != 0x7f || data[1] != 'E')
		for (size_t i = 0; i < core.walk->count * CALLS; i++)
			evaluate(core.walk, i / CALLS, i % CALLS, (struct text){ (const char *)data, size });
	else if (binary_from_memory(&binary, program, data, size, &error) == ERROR_NONE)
		look_at_program(binary, fuzz_parts(data, size, 2));
}
