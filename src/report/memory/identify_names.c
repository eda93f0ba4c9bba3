/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/demangle.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "debug_info/debug_info.h"
#include "inspect/variable/frame_variables.h"
#include "report/memory/identify_internal.h"
#include "report/report.h"

struct names_search {
	struct identification *out;
	struct text part;
	enum identify_names which;
	uint64_t base;
	struct listed_name {
		const char *name;
		uint64_t address;
	} *items;
	size_t count, capacity;
	struct arena scratch;
};

SORTED_BY_ALL(compare_listed, struct listed_name, SORTED_UP(address))

/* Keeps a name that contains the text. All slots are kept: their functions are found later. */
static void
take_name(void *context, const char *name, uint64_t relative)
{
	struct names_search *search = context;
	struct arena *arena = &search->out->arena;
	const struct text shown = demangle(text_of(name), &search->scratch);
	const bool fits =
		search->which == IDENTIFY_SLOTS || search->part.length == 0 ||
		memmem(shown.start, shown.length, search->part.start, search->part.length) != NULL;

	if (fits && search->count < LIMIT_LISTED_NAMES)
		ARENA_ADD(arena, search->items, search->count, search->capacity,
			  &(struct listed_name){ text_or_empty(text_copy(arena, shown)),
						 search->base + relative });
	arena_reset(&search->scratch);
}

static void
add_listed(struct names_search *search, const struct listed_name *listed)
{
	struct identification *out = search->out;
	const struct surroundings *around = out->around;
	const int digits = report_digits(around->arch);
	const char *arrow = "";
	struct text target = text_of("");
	uint64_t value;

	if (search->which == IDENTIFY_SLOTS && !around->crash->redacted &&
	    memory_read(&around->memory, listed->address, around->arch->word_size, &value, NULL)) {
		arrow = text_or_empty(arena_format(&out->arena, "  -> %0*" PRIx64 "  ", digits,
						   value));
		target = surroundings_describe(out->around, value, &out->arena);
	}
	struct line *line = lines_add_format(
		&out->lines, arena_format(&out->arena, "%0*" PRIx64, digits, listed->address),
		ROLE_NORMAL, "%s%s%.*s", listed->name, arrow, TEXT_UPTO(target, 2000));
	if (line != NULL)
		line->target = TARGET(search->which == IDENTIFY_FUNCTIONS ? TARGET_CODE
									  : TARGET_MEMORY,
				      .address = listed->address);
}

static void
list_module(struct names_search *search, size_t module)
{
	static const enum debug_names sources[] = { [IDENTIFY_SLOTS] = DEBUG_NAMES_SLOTS,
						    [IDENTIFY_FUNCTIONS] = DEBUG_NAMES_TABLES,
						    [IDENTIFY_VARIABLES] = DEBUG_NAMES_DATA };
	const struct surroundings *around = search->out->around;
	const struct symfile *symfile = surroundings_symfile(around, (int)module);
	struct function function;

	search->base = around->crash->modules[module].base;
	for (size_t i = 0; search->which == IDENTIFY_FUNCTIONS && symfile != NULL &&
			   symfile_function_at(symfile, SYMBOL_FUNC, i, &function); i++)
		take_name(search, text_or_empty(text_copy(&search->scratch, function.name)),
			  function.address);
	if (around->binaries != NULL && (symfile == NULL || search->which != IDENTIFY_FUNCTIONS))
		debug_info_functions(around->binaries, module, sources[search->which], take_name,
				     search);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
list_types(struct names_search *search, const struct expression_scope *scope)
{
	struct identification *out = search->out;
	const char *part = text_copy(&out->arena, search->part);
	struct value_frame *variables =
		frame_variables_of(scope->walk, &out->around->memory, scope->frame, &out->arena);
	struct debug_name_list list = { .count = 0 };

	if (variables != NULL && variables->scopes.count > 0 && part != NULL)
		debug_list_types(&variables->scopes, part, &out->arena, &list);
	SORT(list.items, list.count, compare_names);
	for (size_t i = 0; i < list.count; i++)
		if (i == 0 || strcmp(list.items[i], list.items[i - 1]) != 0)
			lines_add(&out->lines, "type", ROLE_NORMAL, list.items[i]);
}

struct identification *
identify_names(struct surroundings *around, const struct expression_scope *scope,
	       enum identify_names which, struct text text)
{
	struct identification *out = identify_begin(around, text);
	struct names_search search = { .out = out, .part = out != NULL ? out->typed : text,
				       .which = which };
	const bool framed = scope->walk != NULL && scope->frame < scope->walk->count;
	const int own = framed ? scope->walk->frames[scope->frame].module : MODULE_NONE;

	if (out == NULL)
		return NULL;
	out->lines.text_column = (size_t)report_digits(around->arch) + 3;
	if (which == IDENTIFY_TYPES && framed)
		list_types(&search, scope);
	for (size_t i = 0; which != IDENTIFY_TYPES && i < around->crash->module_count; i++)
		if (which != IDENTIFY_SLOTS ||
		    (text.length > 0
			     ? text_is(text, place_base_name(around->crash->modules[i].code_file))
			     : (int)i == own))
			list_module(&search, i);
	arena_free(&search.scratch);
	SORT(search.items, search.count, compare_listed);
	for (size_t i = 0; i < search.count; i++)
		if (i == 0 || search.items[i].address != search.items[i - 1].address ||
		    strcmp(search.items[i].name, search.items[i - 1].name) != 0)
			add_listed(&search, &search.items[i]);
	if (search.count == LIMIT_LISTED_NAMES)
		lines_add(&out->lines, "...", ROLE_DIM, "more names contain the text");
	out->expression.known = out->lines.count > 0;
	out->expression.text = out->lines.count > 0 ? "" : "no known name contains the text";
	if (out->lines.count == 0)
		lines_add(&out->lines, "unknown", ROLE_NORMAL, out->expression.text);
	identify_finish(out);
	return out;
}

