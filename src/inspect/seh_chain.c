/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/thread_block.h"


/* Maximum number of registrations to follow: programs have tens, and a loop has no end. */
#define MOST_RECORDS 1000u
/* Offsets of the PE header's address, of the optional header and of the load configuration. */
#define LFANEW 0x3cu
#define OPTIONAL_HEADER 24u
#define PE32 0x10bu
#define LOAD_CONFIG (OPTIONAL_HEADER + 96u + 10u * 8u)
/* Fields of IMAGE_LOAD_CONFIG_DIRECTORY32, which begins with its size. */
#define SECURITY_COOKIE 0x3cu
#define HANDLER_TABLE 0x40u
#define HANDLER_COUNT 0x44u
#define MOST_HANDLERS 65536u
/* _EH4_SCOPETABLE: four offsets of cookies, then scopes of 12 bytes. */
#define COOKIES_SIZE 16u
#define SCOPE_SIZE 12u
/* "No scope in force", as written by _except_handler3 and by _except_handler4. */
#define NO_SCOPE 0xffffffffu
#define NO_SCOPE_COOKIE 0xfffffffeu

struct chain_reading {
	struct surroundings *around;
	const struct memory_view *memory;
	uint64_t stack_from, stack_to;	/* range of possible registrations */
};

static bool
read_word(const struct chain_reading *reading, uint64_t address, uint64_t *value)
{
	uint8_t bytes[4];

	/* Tables that the dump lacks are read from the module's file. */
	if (surroundings_read(reading->around, address, bytes, sizeof(bytes), NULL, NULL) <
	    sizeof(bytes))
		return false;
	*value = reader_little(bytes);
	return true;
}

/* The file of the module that contains an address; NULL: unknown. */
static const struct binary *
file_of(const struct chain_reading *reading, uint64_t address, int *module)
{
	const struct surroundings *around = reading->around;

	*module = module_map_find(&around->modules, address);
	if (*module == MODULE_NONE || around->binaries == NULL)
		return NULL;
	return around->loads ? binaries_load(around->binaries, (size_t)*module, LOCATE_IMAGE)
			     : binaries_peek(around->binaries, (size_t)*module, LOCATE_IMAGE);
}

static bool
is_code(const struct chain_reading *reading, uint64_t address)
{
	const struct mapping *mapping = crash_mapping(reading->around->crash, address);
	int module;
	const struct binary *file = file_of(reading, address, &module);

	if (module == MODULE_NONE)
		return false;
	if (mapping != NULL)
		return mapping->executable;
	if (file == NULL)
		return true;
	const uint64_t base = reading->around->crash->modules[module].base;
	const struct binary_segment *segment = binary_segment(file, address - base);
	return segment != NULL && segment->executable;
}

static bool
is_in_stack(const struct chain_reading *reading, uint64_t address)
{
	return address >= reading->stack_from && address < reading->stack_to;
}

/* Handlers ------------------------------------------------------------------------------------- */

/*
 * Reads a field of the load configuration of the module at an address (Microsoft, PE Format); false
 * if neither the dump nor a file has it.
 */
static bool
load_config(const struct chain_reading *reading, uint64_t address, unsigned field, uint64_t *value)
{
	const int module = module_map_find(&reading->around->modules, address);
	uint64_t header, magic, start, size;

	if (module == MODULE_NONE)
		return false;
	const uint64_t base = reading->around->crash->modules[module].base;
	return read_word(reading, base + LFANEW, &header) &&
	       read_word(reading, base + header + OPTIONAL_HEADER, &magic) &&
	       (magic & 0xffff) == PE32 &&
	       read_word(reading, base + header + LOAD_CONFIG, &start) && start != 0 &&
	       read_word(reading, base + start, &size) && field < size &&
	       read_word(reading, base + start + field, value) && *value != 0;
}

/* Whether the module has a list of handlers that lacks this handler. */
static bool
is_unlisted(const struct chain_reading *reading, uint64_t handler)
{
	const int module = module_map_find(&reading->around->modules, handler);
	uint64_t table, count, entry;

	if (module == MODULE_NONE || !load_config(reading, handler, HANDLER_TABLE, &table) ||
	    !load_config(reading, handler, HANDLER_COUNT, &count) || count > MOST_HANDLERS)
		return false;
	const uint64_t base = reading->around->crash->modules[module].base;
	for (uint64_t i = 0; i < count; i++)
		if (!read_word(reading, table + i * 4, &entry) || entry == handler - base)
			return false;
	return true;
}

static void
judge_handler(const struct chain_reading *reading, struct seh_record *record)
{
	if (is_in_stack(reading, record->handler))
		record->doubt = "the handler is on the stack";
	else if (module_map_find(&reading->around->modules, record->handler) == MODULE_NONE)
		record->doubt = "the handler is in no module";
	else if (!is_code(reading, record->handler))
		record->doubt = "the handler is not code";
	else
		record->unsafe = is_unlisted(reading, record->handler);
}

/* Scopes --------------------------------------------------------------------------------------- */

static bool
read_scope(const struct chain_reading *reading, uint64_t table, uint64_t index,
	   struct seh_scope *scope)
{
	const uint64_t at = table + index * SCOPE_SIZE;
	uint64_t enclosing;

	if (!read_word(reading, at, &enclosing) || !read_word(reading, at + 4, &scope->filter) ||
	    !read_word(reading, at + 8, &scope->handler))
		return false;
	scope->enclosing = (uint32_t)enclosing;
	return (scope->filter == 0 || is_code(reading, scope->filter)) &&
	       is_code(reading, scope->handler);
}

/*
 * Reads the scopes from the current scope outwards. The data after a registration may be arbitrary.
 * A table is valid only if its first scope is outermost and no scope is inside a later scope.
 */
static bool
take_scopes(const struct chain_reading *reading, uint64_t table, uint32_t none,
	    struct seh_record *record)
{
	struct seh_scope first;
	uint64_t level = record->level;

	if (table % 4 != 0 ||
	    module_map_find(&reading->around->modules, table) == MODULE_NONE ||
	    !read_scope(reading, table, 0, &first) || first.enclosing != none)
		return false;
	for (record->scope_count = 0; level != none && record->scope_count < SEH_MOST_SCOPES;) {
		struct seh_scope *scope = &record->scopes[record->scope_count];

		if (!read_scope(reading, table, level, scope) ||
		    (scope->enclosing != none && scope->enclosing >= level))
			return false;
		record->scope_count++;
		level = scope->enclosing;
	}
	return true;
}

static void
find_scopes(const struct chain_reading *reading, struct seh_record *record)
{
	uint64_t table, level, at, cookie;

	record->scope_count = 0;
	if (!memory_read(reading->memory, record->address + 8, 4, &table, NULL) ||
	    !memory_read(reading->memory, record->address + 12, 4, &level, NULL))
		return;
	record->level = (uint32_t)level;
	if (take_scopes(reading, table, NO_SCOPE, record))
		record->kind = SEH_SCOPES;
	else if (load_config(reading, record->handler, SECURITY_COOKIE, &at) &&
		 memory_read(reading->memory, at, 4, &cookie, NULL) &&
		 take_scopes(reading, (table ^ cookie) + COOKIES_SIZE, NO_SCOPE_COOKIE, record))
		record->kind = SEH_SCOPES_COOKIE;
	else
		record->scope_count = 0;
}

/* The chain ------------------------------------------------------------------------------------ */

static bool
read_record(const struct chain_reading *reading, uint64_t address, struct seh_record *record)
{
	*record = (struct seh_record){ .address = address };
	if (!memory_read(reading->memory, address, 4, &record->next, &record->place) ||
	    !memory_read(reading->memory, address + 4, 4, &record->handler, NULL))
		return false;
	record->place.length = 8;
	return true;
}

static void
follow(const struct chain_reading *reading, uint64_t address, struct seh_chain *chain,
       struct arena *arena)
{
	struct seh_record record;

	chain->end = address == SEH_LAST ? SEH_NONE : SEH_WHOLE;
	chain->records = arena_array(arena, MOST_RECORDS, sizeof(*chain->records));
	for (uint64_t below = 0; chain->records != NULL && address != SEH_LAST;
	     below = address, address = record.next) {
		chain->end_at = address;
		if (address % 4 != 0 || address <= below || !is_in_stack(reading, address))
			chain->end = SEH_ASTRAY;
		else if (!read_record(reading, address, &record))
			chain->end = SEH_UNREAD;
		else if (chain->count == MOST_RECORDS)
			chain->end = SEH_TOO_LONG;
		if (chain->end != SEH_WHOLE)
			return;
		judge_handler(reading, &record);
		find_scopes(reading, &record);
		chain->records[chain->count++] = record;
	}
}

/*
 * Finds the first registration if the thread's block is missing. Searches the stack downwards for
 * the last registration, then for its predecessor, and so on. Returns 0: none found.
 */
static uint64_t
search(const struct chain_reading *reading, const struct memory_run *run)
{
	uint64_t wanted = SEH_LAST, handler;

	if (run == NULL)
		return 0;
	memory_note(reading->memory, reading->stack_from, reading->stack_to - reading->stack_from,
		    MEMORY_REFUSED);
	for (uint64_t at = (reading->stack_to & ~UINT64_C(3)) - 8;
	     at >= reading->stack_from && at - run->base < run->size; at -= 4) {
		if (reader_little(run->data + (at - run->base)) == wanted &&
		    memory_read(reading->memory, at + 4, 4, &handler, NULL) &&
		    is_code(reading, handler))
			wanted = at;
	}
	return wanted != SEH_LAST ? wanted : 0;
}

bool
seh_chain_read(struct seh_chain *chain, struct surroundings *around, size_t thread,
	       struct arena *arena)
{
	const struct crash_context *context = &around->crash->threads[thread].context;
	struct chain_reading reading = { .around = around, .memory = &around->memory };
	struct thread_block block;
	uint64_t begin = 0;

	*chain = (struct seh_chain){ .end = SEH_NONE };
	if (around->crash->system.os != CRASH_OS_WINDOWS || context->arch == NULL ||
	    !context->arch->seh_chain)
		return false;
	const uint64_t sp = context->registers.value[context->arch->sp];
	const struct memory_run *run = memory_run_of(reading.memory, sp);
	thread_block_read(&block, around, thread, arena);
	const struct block_value *base = &block.values[BLOCK_FIELD_stack_base];
	const struct block_value *limit = &block.values[BLOCK_FIELD_stack_limit];
	if (run != NULL) {
		reading.stack_from = sp & ~UINT64_C(3);
		reading.stack_to = run->base + run->size;
	}
	chain->from_block = block.there[BLOCK_TEB] &&
			    memory_read(reading.memory, block.at[BLOCK_TEB], 4, &begin, NULL);
	if (!chain->from_block)
		begin = search(&reading, run);
	/* Code that wrote the dump may have handlers below the crashed code's sp. */
	if (base->known && limit->known && base->value > sp && limit->value <= sp) {
		reading.stack_from = limit->value;
		reading.stack_to = base->value;
	}
	if (begin == 0)
		return false;
	follow(&reading, begin, chain, arena);
	return true;
}
