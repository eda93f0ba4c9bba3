/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libFuzzer's entry for variables and expressions over them. UNSPOOL_FUZZ_CORE names a core, and
 * UNSPOOL_FUZZ_PROGRAM the program that made it. An input that begins as an ELF file takes the
 * program's place, any other one is an expression. CONTRIBUTING.md says how it is built and run.
 */
#include <stdlib.h>

#include "base/compiler.h"
#include "dump/dump.h"
#include "inspect/expression.h"
#include "report/value/evaluated.h"
#include "report/value/locals.h"

enum { FRAMES = 5, CALLS = 3, OPENED = 60, COLUMNS = 100 };

static const char *const texts[] = {
	"*first.next", "first.at[1].y + sizeof first", "(struct node *) first.next == 0",
	"cart.items_[1].name[2]", "limit_ * 2.5", "GREEN", "&visit", "*&sink", "first.at[1] @ 9",
	"(unsigned char) doubled", "(shop::Item *) $rsp",
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All rows of a frame's variables, with some of them opened. */
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
	const struct frame_variables *variables = frame_variables_of(walk, memory, frame, &arena);

	if (variables != NULL) {
		const struct value_expression found =
			value_expression_of(variables, call, text, NULL, &arena);
		struct lines lines = { .arena = &arena, .text_column = 15 };
		if (found.wrong == NULL)
			evaluated_add(&lines, &found);
	}
	arena_free(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *core = getenv("UNSPOOL_FUZZ_CORE"), *program = getenv("UNSPOOL_FUZZ_PROGRAM");
	const bool is_program = size > 4 && data[0] == 0x7f && data[1] == 'E';
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct binary *binary = NULL;
	struct memory_view memory;
	struct arena arena = { 0 };
	struct crash crash;
	struct error error = { 0 };

	if (core == NULL || program == NULL ||
	    dump_open(&crash, core, 0, &error) != ERROR_NONE)
		abort();
	if ((is_program ? binary_from_memory(&binary, program, data, size, &error)
			: binary_open(&binary, program, &error)) == ERROR_NONE) {
		struct binaries *binaries = binaries_create(&crash, NULL, 0);
		binaries_give(binaries, 0, binary);
		struct walk *walk = walk_create(&crash, NULL, binaries, 0, &policy);
		memory_view_all(&memory, &crash, &arena);
		while (walk->count < FRAMES && walk_extend(walk))
			;
		for (size_t i = 0; is_program && i < walk->count && i < FRAMES; i++)
			list_frame(walk, &memory, i);
		for (size_t i = 0; i < walk->count && i < FRAMES; i++)
			for (size_t call = 0; !is_program && call < CALLS; call++)
				evaluate(walk, &memory, i, call,
					 (struct text){ (const char *)data, size });
		for (size_t i = 0; is_program && i < ARRAY_COUNT(texts) * walk->count; i++)
			evaluate(walk, &memory, i / ARRAY_COUNT(texts), 0,
				 text_of(texts[i % ARRAY_COUNT(texts)]));
		walk_free(walk);
		binaries_free(binaries);
	}
	arena_free(&arena);
	crash_free(&crash);
	return 0;
}
