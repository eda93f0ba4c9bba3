/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/symbol_at.h"

#include "debug_info/debug_info.h"

struct symbols_policy
symbol_at_policy(const struct policy *policy)
{
	return (struct symbols_policy){
		.stop_as_breakpad = policy->value[POLICY_SYMBOL_ERROR_LIMIT] == 1,
		.public_zero = policy->value[POLICY_PUBLIC_AT_ZERO] != 0,
	};
}

/* Messages are made by reading: a caller that needs them reads again. */
static void
find_record(const struct symbol_sources *sources, uint64_t relative, struct arena *arena,
	    struct message_list *messages, struct symbol *symbol)
{
	const struct symbols_policy policy = symbol_at_policy(sources->policy);

	if (arena == NULL)
		symbol->found = symfile_function(sources->symfile, &policy, relative,
						 &symbol->function);
	else if (messages == NULL)
		symbol_cache_lookup(sources->cache, sources->symfile, &policy, relative, arena,
				    symbol);
	else
		symfile_lookup(sources->symfile, &policy, relative, arena, messages, symbol);
}

/* Whether the only name is that of an exported function too far below to be this one. */
static bool
is_far_name(const struct symbol_sources *sources, const struct symbol *symbol, uint64_t relative)
{
	const uint32_t reach = sources->policy->value[POLICY_PUBLIC_NAMES];

	return symbol->found && reach != 0 && symbol->function.kind == SYMBOL_PUBLIC &&
	       relative - symbol->function.address > reach;
}

static struct inline_call
call_of(const struct debug_call *call)
{
	return (struct inline_call){
		.depth = call->depth,
		.address = call->address,
		.size = call->size,
		.name = text_of(*call->name != '\0' ? call->name : "<name omitted>"),
		.call_line = call->call_line,
		.call_file = text_of(call->call_file),
		.offset = call->offset,
	};
}

static struct source_line
line_of(const struct debug_line *line)
{
	return (struct source_line){ .address = line->address, .size = line->size,
				     .line = line->line, .file = text_of(line->file),
				     .offset = line->offset };
}

static struct function
function_of(const struct debug_answer *answer)
{
	return (struct function){ .kind = answer->size != 0 ? SYMBOL_FUNC : SYMBOL_PUBLIC,
				  .address = answer->address, .size = answer->size, .name = text_of(answer->name),
				  .offset = answer->offset };
}

static void
take_answer(const struct debug_answer *answer, struct arena *arena, struct symbol *symbol)
{
	*symbol = (struct symbol){ .found = true, .own_file = answer->input,
				   .section = answer->section, .function = function_of(answer),
				   .has_line = answer->line.line != 0 };
	if (symbol->has_line)
		symbol->line = line_of(&answer->line);
	if (answer->call_count > 0)
		symbol->inlines =
			arena_array(arena, answer->call_count, sizeof(*symbol->inlines));
	for (size_t i = 0; symbol->inlines != NULL && i < answer->call_count; i++)
		symbol->inlines[symbol->inline_count++] = call_of(&answer->calls[i]);
}

/* The files that may be asked for names; NULL: none. */
static const struct binaries *
files_of(const struct symbol_sources *sources)
{
	return sources->policy->value[POLICY_FILE_NAMES] != 0 ? sources->binaries : NULL;
}

/* What the module's own file says, which was not asked yet where the cache has nothing of it. */
static void
find_in_file(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	     struct symbol *symbol)
{
	const struct binaries *files = files_of(sources);
	struct debug_answer answer;

	if (files == NULL ||
	    (arena != NULL && symbol_cache_find(sources->cache, files, address, arena, symbol)))
		return;
	if (debug_info_find(files, sources->module, address - sources->base, arena, &answer))
		take_answer(&answer, arena, symbol);
	if (arena != NULL)
		symbol_cache_keep(sources->cache, files, address, symbol);
}

bool
symbol_at(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	  struct message_list *messages, struct symbol *symbol)
{
	const uint64_t relative = address - sources->base;

	*symbol = (struct symbol){ 0 };
	if (sources->symfile != NULL)
		find_record(sources, relative, arena, messages, symbol);
	if (is_far_name(sources, symbol, relative))
		*symbol = (struct symbol){ 0 };
	if (!symbol->found)
		find_in_file(sources, address, arena, symbol);
	if (is_far_name(sources, symbol, relative))
		*symbol = (struct symbol){ 0 };
	return symbol->found;
}

static bool
body_in_file(const struct symbol_sources *sources, uint64_t relative, struct arena *arena,
	     struct function_body *body)
{
	struct debug_body found;

	if (!debug_info_body(files_of(sources), sources->module, relative, arena, &found))
		return false;
	body->own_file = found.function.input;
	body->function = function_of(&found.function);
	body->lines = arena_array(arena, found.line_count, sizeof(*body->lines));
	body->calls = arena_array(arena, found.call_count, sizeof(*body->calls));
	for (size_t i = 0; body->lines != NULL && i < found.line_count; i++)
		body->lines[body->line_count++] = line_of(&found.lines[i]);
	for (size_t i = 0; body->calls != NULL && i < found.call_count; i++)
		body->calls[body->call_count++] = call_of(&found.calls[i]);
	return true;
}

bool
symbol_at_body(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	       struct function_body *body)
{
	const struct symbols_policy policy = symbol_at_policy(sources->policy);
	const uint64_t relative = address - sources->base;
	struct symbol symbol;

	*body = (struct function_body){ 0 };
	if (!symbol_at(sources, address, NULL, NULL, &symbol))
		return false;
	return symbol.own_file != NULL
		       ? body_in_file(sources, relative, arena, body)
		       : symfile_function_body(sources->symfile, &policy, relative, arena, body);
}

struct place
symbol_at_place(const struct symfile *symfile, const struct input *own_file, uint64_t offset,
		uint32_t length)
{
	if (own_file != NULL)
		return (struct place){ .input = own_file, .offset = offset, .length = length };
	return symfile != NULL ? symfile_place(symfile, offset, length) : (struct place){ 0 };
}
