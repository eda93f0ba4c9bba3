/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/symbol_at.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/policy_rows.h"
#include "base/user_names.h"
#include "debug_info/debug_info.h"
#include "frame_table/frame_tables.h"

/* Bytes of cached answers: some 20,000 addresses with a handful of inlined calls each. */
#define MOST_BYTES ((size_t)16 << 20)
/*
 * Entries of the function cache, for recursions and for words that scans read again. The first
 * table is small, because most walks of a crash with thousands of threads are short.
 */
#define FUNCTIONS 256u
#define FIRST_FUNCTIONS 16u
/* Bytes of struct symbol that a source fills; later members are the walk's conclusions. */
#define KEPT offsetof(struct symbol, evidence)

struct symbol_cache {
	struct arena arena, scratch;
	struct hash symbols;		/* KEPT bytes of a symbol, by address and file */
	struct known_function {
		const struct symfile *symfile;	/* NULL: the entry is empty */
		uint64_t address;
		bool found;
		struct function function;
	} *functions, *last;		/* by address and source; `last`: used last, or NULL */
	size_t function_room, misses;	/* entries, a power of two; number of cache misses */
};

struct symbol_cache *
symbol_cache_create(void)
{
	struct symbol_cache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return NULL;
	arena_init(&cache->arena, MOST_BYTES);
	arena_init(&cache->scratch, 0);
	return cache;
}

void
symbol_cache_free(struct symbol_cache *cache)
{
	if (cache == NULL)
		return;
	arena_free(&cache->arena);
	arena_free(&cache->scratch);
	hash_free(&cache->symbols);
	free(cache->functions);
	free(cache);
}

static void *
copy_of(struct arena *arena, const void *bytes, size_t size)
{
	void *copy = arena_alloc(arena, size);

	return copy == NULL ? NULL : memcpy(copy, bytes, size);
}

/* Replaces the lists of a symbol with copies; false if `arena` has no room for them. */
static bool
copy_lists(struct arena *arena, struct symbol *symbol)
{
	const size_t inlines = symbol->inline_count * sizeof(*symbol->inlines);
	const size_t shadowed = symbol->shadowed_count * sizeof(*symbol->shadowed);

	if ((inlines > 0 && (symbol->inlines = copy_of(arena, symbol->inlines, inlines)) == NULL) ||
	    (shadowed > 0 &&
	     (symbol->shadowed = copy_of(arena, symbol->shadowed, shadowed)) == NULL))
		return false;
	return true;
}

/* Keeps the answer of `source` about an address; `cache` may be NULL. */
static void
keep(struct symbol_cache *cache, const void *source, uint64_t address, const struct symbol *symbol)
{
	struct symbol copy = *symbol;
	const void *kept = cache == NULL || !copy_lists(&cache->arena, &copy)
				   ? NULL : copy_of(&cache->arena, &copy, KEPT);

	/* When out of memory, the address is looked up again next time. */
	if (kept != NULL)
		hash_put(&cache->symbols, address, (uint64_t)(uintptr_t)source, kept);
}

/* Finds the kept answer of a source about an address; false: none. `cache` may be NULL. */
static bool
find_kept(const struct symbol_cache *cache, const void *source, uint64_t address,
	  struct arena *arena, struct symbol *symbol)
{
	const void *kept =
		cache == NULL ? NULL
			      : hash_find(&cache->symbols, address, (uint64_t)(uintptr_t)source);

	if (kept == NULL)
		return false;
	*symbol = (struct symbol){ 0 };
	memcpy(symbol, kept, KEPT);
	return copy_lists(arena, symbol);
}

/* Cached symfile_lookup. All calls must have the same policy. */
static void
look_up(struct symbol_cache *cache, const struct symfile *symfile,
	const struct policy *policy, uint64_t address, struct arena *arena,
	struct symbol *symbol)
{
	if (find_kept(cache, symfile, address, arena, symbol))
		return;
	symfile_lookup(symfile, policy, address, arena, symbol);
	keep(cache, symfile, address, symbol);
}

/* The entry of an address among the functions; NULL: no memory. */
static struct known_function *
function_place(struct symbol_cache *cache, const struct symfile *symfile, uint64_t address)
{
	/* Functions of the smaller table are looked up again, not moved to the larger one. */
	if (cache->misses >= cache->function_room && cache->function_room < FUNCTIONS) {
		const size_t room = cache->function_room == 0 ? FIRST_FUNCTIONS : FUNCTIONS;

		free(cache->functions);
		cache->functions = calloc(room, sizeof(*cache->functions));
		cache->function_room = cache->functions != NULL ? room : 0;
		cache->last = NULL;
	}
	if (cache->functions == NULL)
		return NULL;
	return &cache->functions[hash_pair(address, (uint64_t)(uintptr_t)symfile) &
				 (cache->function_room - 1)];
}

bool
symbol_cache_function(struct symbol_cache *cache, const struct symfile *symfile,
		      const struct policy *policy, uint64_t address,
		      struct function *function)
{
	if (cache == NULL)
		return symfile_function(symfile, policy, address, function);
	struct known_function *known = cache->last;
	/* Try the last function: a step looks up two adjacent bytes. FUNC ranges do not overlap. */
	if (known == NULL || known->symfile != symfile ||
	    address - known->function.address >= known->function.size) {
		known = cache->last = function_place(cache, symfile, address);
		if (known == NULL)
			return symfile_function(symfile, policy, address, function);
		if (known->symfile != symfile || known->address != address) {
			cache->misses++;
			*known = (struct known_function){ .symfile = symfile, .address = address };
			known->found = symfile_function(symfile, policy, address,
							&known->function);
		}
	}
	if (known->found)
		*function = known->function;
	return known->found;
}

size_t
symbol_cache_inlined(struct symbol_cache *cache, const struct symfile *symfile,
		     const struct policy *policy, uint64_t address)
{
	struct symbol symbol;

	look_up(cache, symfile, policy, address, &cache->scratch, &symbol);
	arena_reset(&cache->scratch);
	return symbol.inline_count;
}

/* Names without a size ------------------------------------------------------------------------- */

/* Maximum number of consecutive entries of one function: functions of C libraries have two. */
#define MOST_PARTS 8u

/* Processors fetch code in lines of this many bytes, to which compilers align functions. */
#define FUNCTION_ALIGNMENT 16u

/* Maximum bytes without unwind rules around a system call that creates a thread. */
#define LONGEST_BARE 64u

/* A table of unwind rules whose entries begin where functions do. */
struct name_table {
	const struct symbol_sources *sources;
	/* number in frame_tables; FRAME_TABLES: STACK CFI records */
	unsigned number;
	bool parts;			/* a function may have several entries (.pdata) */
	bool merged;			/* an entry may cover several functions (.ARM.exidx) */
};

/* Whether an entry covers `address`. Sets `*first` to the start of the entry or the gap. */
static bool
covers(const struct name_table *table, uint64_t address, uint64_t *first)
{
	const struct symbol_sources *sources = table->sources;
	struct frame_extent extent;

	if (table->number == FRAME_TABLES) {
		return symfile_stack_cfi_extent(sources->symfile, sources->policy, address, first);
	}
	frame_tables_extent(sources->binaries, sources->module, table->number, address, &extent);
	*first = extent.first;
	return extent.entry;
}

/*
 * Whether the entry that begins at `first` continues the previous entry's function. On Windows the
 * parts of a function are adjacent, and functions are aligned. Elsewhere bytes without rules belong
 * to the same function unless they are padding that aligns the next entry. For example, clone and
 * clone3 have no rules between their system call and the new thread's first code.
 */
static bool
continues(const struct name_table *table, uint64_t start, uint64_t first, bool *sure)
{
	const uint64_t alignment = first & -first;
	uint64_t before;

	if (covers(table, first - 1, &before)) {
		*sure = false;
		return table->parts && alignment < FUNCTION_ALIGNMENT;
	}
	*sure = *sure && before > start;
	before = before > start ? before : start;
	return alignment < FUNCTION_ALIGNMENT && alignment <= first - before &&
	       first - before <= LONGEST_BARE;
}

static enum name_answer
ask_table(const struct name_table *table, uint64_t start, uint64_t relative, uint64_t *bound)
{
	bool sure = !table->merged;
	uint64_t at = relative;

	for (unsigned part = 0; part < MOST_PARTS; part++) {
		const bool covered = covers(table, at, bound);

		if (*bound <= start)
			return covered && sure ? NAME_HOLDS : NAME_UNKNOWN;
		if (covered && !continues(table, start, *bound, &sure))
			return NAME_PASSED;
		/* Code without an entry may belong to the previous function or to another one. */
		if (at == relative)
			sure = sure && covered;
		at = *bound - 1;
	}
	return NAME_UNKNOWN;
}

static enum name_answer
ask_symfile(const struct symbol_sources *sources, uint64_t start, uint64_t relative,
	    uint64_t *bound)
{
	const struct symfile_identity identity = symfile_identity(sources->symfile);
	const struct name_table table = {
		.sources = sources,
		.number = FRAME_TABLES,
		.parts = text_is(identity.os, "windows"),
		.merged = text_is(identity.arch, "arm"),
	};
	const enum name_answer answer = ask_table(&table, start, relative, bound);
	struct stack_win record;

	if (answer != NAME_UNKNOWN)
		return answer;
	/*
	 * A function may have several STACK WIN records, so they can confirm a name but not refute
	 * it.
	 */
	for (unsigned type = 0; type <= 4; type += 4)
		if (symfile_stack_win(sources->symfile, sources->policy, type, relative, &record) &&
		    record.address <= start)
			return NAME_HOLDS;
	return NAME_UNKNOWN;
}

/* Checks whether the section around `relative` begins above `start`. */
static enum name_answer
ask_sections(const struct symbol_sources *sources, uint64_t start, uint64_t relative,
	     uint64_t *bound)
{
	const struct binary *binary =
		binaries_load(sources->binaries, sources->module, LOCATE_IMAGE);

	for (size_t i = 0; binary != NULL && i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];

		*bound = section->address -
			 (binary->linked_base - binary_section_bias(binary));
		if (section->address != 0 && relative - *bound < section->size && *bound > start)
			return NAME_PASSED;
	}
	return NAME_UNKNOWN;
}

enum name_answer
name_check(const struct symbol_sources *sources, uint64_t start, uint64_t relative,
	   uint64_t *bound, const char **source)
{
	enum name_answer answer = NAME_UNKNOWN;

	if (relative == start)
		return NAME_HOLDS;
	*source = "STACK CFI INIT";
	if (sources->symfile != NULL)
		answer = ask_symfile(sources, start, relative, bound);
	if (answer != NAME_UNKNOWN || sources->binaries == NULL)
		return answer;
	for (unsigned i = 0; sources->policy->value[POLICY_FRAME_TABLES] && i < FRAME_TABLES; i++) {
		if (frame_tables_file(sources->binaries, sources->module, i) == NULL)
			continue;
		*source = frame_tables_name(i);
		const struct name_table table = {
			.sources = sources, .number = i, .parts = strcmp(*source, ".pdata") == 0,
			.merged = strcmp(*source, ".ARM.exidx") == 0 };
		answer = ask_table(&table, start, relative, bound);
		if (answer != NAME_UNKNOWN)
			return answer;
	}
	*source = "section";
	return ask_sections(sources, start, relative, bound);
}

/* Symbols -------------------------------------------------------------------------------------- */

static void
find_record(const struct symbol_sources *sources, uint64_t relative, struct arena *arena,
	    struct symbol *symbol)
{
	if (arena == NULL)
		symbol->found = symfile_function(sources->symfile, sources->policy, relative,
						 &symbol->function);
	else
		look_up(sources->cache, sources->symfile, sources->policy, relative, arena, symbol);
}

/* Whether the only name is that of an exported function too far below the address. */
static bool
is_far_name(const struct symbol_sources *sources, const struct symbol *symbol, uint64_t relative)
{
	const uint32_t reach = sources->policy->value[POLICY_PUBLIC_NAMES];

	return symbol->found && reach != 0 && symbol->function.kind == SYMBOL_PUBLIC &&
	       relative - symbol->function.address > reach;
}

/* Removes a name that belongs to another function; marks an unconfirmed one as uncertain. */
static void
judge_name(const struct symbol_sources *sources, uint64_t relative, struct symbol *symbol)
{
	const char *source;
	uint64_t bound;

	if (is_far_name(sources, symbol, relative))
		*symbol = (struct symbol){ 0 };
	if (!symbol->found || symbol->function.kind != SYMBOL_PUBLIC ||
	    sources->policy->value[POLICY_PUBLIC_BOUNDS] == 0)
		return;
	const struct function function = symbol->function;
	const enum name_answer answer =
		name_check(sources, function.address, relative, &bound, &source);
	if (answer == NAME_PASSED)
		*symbol = (struct symbol){ .own_file = symbol->own_file, .section = symbol->section,
					   .shadowed = symbol->shadowed,
					   .shadowed_count = symbol->shadowed_count,
					   .after = function, .bound = bound,
					   .bound_source = source };
	symbol->uncertain = answer == NAME_UNKNOWN;
}

static struct function
function_of(const struct debug_answer *answer)
{
	return (struct function){ .kind = answer->size != 0 ? SYMBOL_FUNC : SYMBOL_PUBLIC,
				  .address = answer->address,
				  .size = answer->size,
				  .name = text_of(answer->name),
				  .offset = answer->offset };
}

static void
take_answer(const struct debug_answer *answer, struct symbol *symbol)
{
	*symbol = (struct symbol){ .found = true, .own_file = answer->input,
				   .section = answer->section, .function = function_of(answer),
				   .stub = answer->stub,
				   .has_line = answer->line.line != 0,
				   .line = answer->line, .inlines = answer->calls,
				   .inline_count = answer->call_count };
}

/* The files to search for names; NULL: none. */
static const struct binaries *
files_of(const struct symbol_sources *sources)
{
	return sources->policy->value[POLICY_FILE_NAMES] != 0 ? sources->binaries : NULL;
}

/* Finds an address in the module's own file, which is only read if the cache has no answer. */
static void
find_in_file(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	     struct symbol *symbol)
{
	const struct binaries *files = files_of(sources);
	struct debug_answer answer;

	if (files == NULL ||
	    (arena != NULL && find_kept(sources->cache, files, address, arena, symbol)))
		return;
	if (debug_info_find(files, sources->module, address - sources->base, arena, &answer))
		take_answer(&answer, symbol);
	if (arena != NULL)
		keep(sources->cache, files, address, symbol);
}

/*
 * DWARF and symbol files made from it have one name for a function, its cold part and its copies.
 * The symbol table of the module's own file distinguishes them.
 */
static void
name_clone(const struct symbol_sources *sources, struct function *function)
{
	const struct binaries *files = files_of(sources);
	const char *name = files == NULL ? NULL
					 : debug_info_clone(files, sources->module,
							    function->address);

	if (name != NULL)
		function->name = text_of(name);
}

/* Whether the symbol file has everything, so that the module's own file is not needed. */
static bool
is_enough(const struct symbol_sources *sources, const struct symbol *symbol, bool function_alone)
{
	return symbol->found && (files_of(sources) == NULL ||
				 (symbol->function.kind == SYMBOL_FUNC &&
				  (function_alone || (symbol->has_inline && symbol->has_line))));
}

/* Adds what the symbol file lacks: the line, the calls inlined into the function. */
static void
add_own(const struct symbol *own, struct symbol *symbol)
{
	if (!symbol->has_line && own->has_line) {
		symbol->line = own->line;
		symbol->has_line = true;
	}
	if (!symbol->has_inline) {
		symbol->inlines = own->inlines;
		symbol->inline_count = own->inline_count;
	}
}

/* Learns user names from whole paths: reports may show only a path's last component. */
static void
learn_names(const struct symbol_sources *sources, struct text path)
{
	if (sources->names != NULL && sources->names->active)
		user_names_learn(sources->names, path);
}

static void
find_symbol(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	    struct symbol *symbol)
{
	const uint64_t relative = address - sources->base;

	*symbol = (struct symbol){ 0 };
	if (sources->symfile != NULL)
		find_record(sources, relative, arena, symbol);
	judge_name(sources, relative, symbol);
	if (symbol->found && symbol->function.kind == SYMBOL_FUNC && arena != NULL)
		name_clone(sources, &symbol->function);
	if (is_enough(sources, symbol, arena == NULL))
		return;
	struct symbol own = { 0 };
	find_in_file(sources, address, arena, &own);
	judge_name(sources, relative, &own);
	if (symbol->found && symbol->function.kind == SYMBOL_FUNC)
		add_own(&own, symbol);
	/*
	 * A certain name is better than a guess, and a name from DWARF is better than an address.
	 */
	else if (symbol->found ? own.found && !own.uncertain &&
					 (symbol->uncertain || own.has_line)
			       : own.found || symbol->after.name.length == 0)
		*symbol = own;
}

bool
symbol_at(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	  struct symbol *symbol)
{
	find_symbol(sources, address, arena, symbol);
	learn_names(sources, symbol->line.file);
	for (size_t i = 0; i < symbol->inline_count; i++)
		learn_names(sources, symbol->inlines[i].call_file);
	return symbol->found;
}

bool
symbol_at_data(const struct symbol_sources *sources, uint64_t address, struct symbol *symbol)
{
	struct debug_answer answer;

	*symbol = (struct symbol){ 0 };
	if (debug_info_data(files_of(sources), sources->module, address - sources->base, &answer))
		take_answer(&answer, symbol);
	return symbol->found;
}

static bool
body_in_file(const struct symbol_sources *sources, uint64_t relative, struct arena *arena,
	     struct function_body *body)
{
	struct debug_body found;

	if (!debug_info_body(files_of(sources), sources->module, relative, arena, &found))
		return false;
	*body = (struct function_body){ .function = function_of(&found.function),
					.lines = found.lines, .line_count = found.line_count,
					.calls = found.calls, .call_count = found.call_count };
	return true;
}

/* Like add_own, for a whole function: only calls within the record's range are added. */
static void
add_own_body(const struct function_body *own, struct function_body *body)
{
	const uint64_t low = body->function.address, size = body->function.size;

	if (body->line_count == 0) {
		body->lines = own->lines;
		body->line_count = own->line_count;
	}
	if (body->has_inline)
		return;
	body->calls = own->calls;
	for (size_t i = 0; i < own->call_count; i++)
		if (own->calls[i].address - low < size)
			body->calls[body->call_count++] = own->calls[i];
}

static bool
find_body(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	  struct function_body *body)
{
	const uint64_t relative = address - sources->base;
	struct function_body own;
	struct symbol symbol;

	*body = (struct function_body){ 0 };
	if (!symbol_at(sources, address, NULL, &symbol))
		return false;
	if (symbol.own_file != NULL)
		return body_in_file(sources, relative, arena, body);
	if (!symfile_function_body(sources->symfile, sources->policy, relative, arena, body))
		return false;
	name_clone(sources, &body->function);
	if ((!body->has_inline || body->line_count == 0) &&
	    body_in_file(sources, relative, arena, &own))
		add_own_body(&own, body);
	return true;
}

bool
symbol_at_body(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	       struct function_body *body)
{
	const bool found = find_body(sources, address, arena, body);

	for (size_t i = 0; i < body->line_count; i++)
		if (i == 0 || body->lines[i].file.start != body->lines[i - 1].file.start)
			learn_names(sources, body->lines[i].file);
	for (size_t i = 0; i < body->call_count; i++)
		learn_names(sources, body->calls[i].call_file);
	return found;
}

struct place
symbol_at_place(const struct symfile *symfile, const struct input *own_file, uint64_t offset,
		uint32_t length)
{
	if (own_file != NULL)
		return (struct place){ .input = own_file, .offset = offset, .length = length };
	return symfile != NULL ? symfile_place(symfile, offset, length) : (struct place){ 0 };
}
