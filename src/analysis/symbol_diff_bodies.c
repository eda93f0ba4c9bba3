/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/symbol_diff_internal.h"

#include <stdlib.h>

#include "base/sorted.h"

/*
 * Lines and inlined calls of functions, each read once for many addresses in it. Addresses ascend,
 * and functions may be nested: those around an address are kept.
 */

/* Functions of a file that are kept; the smallest is dropped for another one. */
enum { BODIES = 16 };

/* A function, and the calls that are open at the last address. */
struct kept_body {
	struct arena arena;
	struct function_body body;
	uint64_t asked;
	size_t next;			/* first call after the last address */
	size_t open[LIMIT_INLINE_DEPTH];	/* indices of calls, outermost first */
	size_t open_count;
};

struct symbol_diff_bodies {
	struct kept_body kept[BODIES];
	size_t count;
};

static size_t
weight(const struct kept_body *kept)
{
	return kept->body.line_count + kept->body.call_count;
}

/* Makes room for one more function: drops one that ends before the address, or the smallest. */
static struct kept_body *
make_room(struct symbol_diff_bodies *bodies, uint64_t address)
{
	struct kept_body *chosen = &bodies->kept[0];

	if (bodies->count < BODIES)
		return &bodies->kept[bodies->count++];
	for (size_t i = 0; i < BODIES; i++) {
		struct kept_body *kept = &bodies->kept[i];
		const struct function *function = &kept->body.function;

		if (function->address + (function->size - 1) < address)
			return kept;
		if (weight(kept) < weight(chosen))
			chosen = kept;
	}
	return chosen;
}

static struct kept_body *
body_at(struct symbol_comparison *comparison, int file, uint64_t address)
{
	const struct symfile *symfile = comparison->files[file];
	struct symbol_diff_bodies *bodies = comparison->bodies[file];
	struct function function;

	if (!symfile_function(symfile, &comparison->symbols, address, &function) ||
	    function.kind != SYMBOL_FUNC)
		return NULL;
	if (bodies == NULL)
		bodies = comparison->bodies[file] = calloc(1, sizeof(*bodies));
	comparison->diff->memory_ended |= bodies == NULL;
	for (size_t i = 0; bodies != NULL && i < bodies->count; i++)
		if (bodies->kept[i].body.function.offset == function.offset)
			return &bodies->kept[i];
	if (bodies == NULL)
		return NULL;
	struct kept_body *kept = make_room(bodies, address);
	arena_reset(&kept->arena);
	kept->open_count = kept->next = 0;
	kept->asked = address;
	symfile_function_body(symfile, &comparison->symbols, address, &kept->arena, &kept->body);
	return kept;
}

const struct function_body *
symbol_diff_body(struct symbol_comparison *comparison, int file, uint64_t address)
{
	const struct kept_body *kept = body_at(comparison, file, address);

	return kept != NULL ? &kept->body : NULL;
}

const struct source_line *
symbol_diff_line(struct symbol_comparison *comparison, int file, uint64_t address)
{
	const struct function_body *body = symbol_diff_body(comparison, file, address);

	if (body == NULL)
		return NULL;
	const size_t upto = sorted_upto(SORTED(body->lines, body->line_count, address), address);
	const struct source_line *line = upto > 0 ? &body->lines[upto - 1] : NULL;
	return line != NULL && address - line->address < line->size ? line : NULL;
}

size_t
symbol_diff_calls(struct symbol_comparison *comparison, int file, uint64_t address,
		  const struct inline_call *calls[LIMIT_INLINE_DEPTH])
{
	struct kept_body *kept = body_at(comparison, file, address);
	const struct inline_call *all = kept != NULL ? kept->body.calls : NULL;

	if (kept == NULL)
		return 0;
	if (address < kept->asked)
		kept->next = kept->open_count = 0;
	kept->asked = address;
	/* Calls nest: when one ends, so do all inside it. */
	for (; kept->next < kept->body.call_count && all[kept->next].address <= address;
	     kept->next++) {
		while (kept->open_count > 0 &&
		       all[kept->next].address - all[kept->open[kept->open_count - 1]].address >=
			       all[kept->open[kept->open_count - 1]].size)
			kept->open_count--;
		if (kept->open_count < LIMIT_INLINE_DEPTH)
			kept->open[kept->open_count++] = kept->next;
	}
	while (kept->open_count > 0 &&
	       address - all[kept->open[kept->open_count - 1]].address >=
		       all[kept->open[kept->open_count - 1]].size)
		kept->open_count--;
	for (size_t i = 0; i < kept->open_count; i++)
		calls[i] = &all[kept->open[kept->open_count - 1 - i]];
	return kept->open_count;
}

void
symbol_diff_bodies_free(struct symbol_comparison *comparison)
{
	for (int file = 0; file < 2; file++) {
		struct symbol_diff_bodies *bodies = comparison->bodies[file];

		for (size_t i = 0; bodies != NULL && i < bodies->count; i++)
			arena_free(&bodies->kept[i].arena);
		free(bodies);
		comparison->bodies[file] = NULL;
	}
}
