/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/reading.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/demangle.h"
#include "base/sorted.h"
#include "inspect/fill_pattern.h"
#include "walk/location.h"

void
reading_source_init(struct reading_source *source, const struct crash *crash,
	const struct memory_view *memory, struct binaries *binaries, struct walk *walk,
	struct arena *arena)
{
	bool shared = walk != NULL && crash->threads[walk->thread].stack_size > 0;

	for (size_t i = 0; shared && i < crash->stack_count; i++)
		shared = crash->stacks[i].thread != walk->thread;
	*source = (struct reading_source){
		.crash = crash,
		.arch = walk != NULL ? walk->arch : crash->system.arch,
		.memory = memory,
		.binaries = binaries,
		.walk = walk,
		.shared = shared,
		/* Names would give away values that the user is to predict. */
		.variables = walk == NULL || walk->horizon.blind != BLIND_OFF
				     ? NULL
				     : variable_places_make(walk, memory, arena),
	};
}

unsigned
reading_word_size(const struct reading_source *source)
{
	return source->arch->word_size == 4 ? 4 : 8;
}

/* The address in a pointer. On 64-bit ARM the pointer's high bits may be a signature. */
static uint64_t
address_of(const struct reading_source *source, uint64_t value)
{
	const uint64_t bits = (UINT64_C(1) << 48) - 1;

	if (!source->arch->signs_pointers || source->walk == NULL ||
		module_map_find(&source->walk->modules, value) != MODULE_NONE)
		return value;
	return module_map_find(&source->walk->modules, value & bits) != MODULE_NONE ? value & bits
										    : value;
}

/* The stack with the highest base below a value, if it contains the value. */
static const struct thread_stack *
stack_of(const struct reading_source *source, uint64_t value)
{
	const struct crash *crash = source->crash;
	size_t low = sorted_upto(SORTED(crash->stacks, crash->stack_count, base), value);

	if (low == 0)
		return NULL;
	const struct thread_stack *stack = &crash->stacks[low - 1];
	return checked_contains(stack->base, stack->size, value) ? stack : NULL;
}

/* Whether a function of the loaded symbols covers a value in `module`. */
static bool
find_function(
	const struct reading_source *source, int module, uint64_t value, struct function *function)
{
	const struct walk *walk = source->walk;
	enum symbols_state state;
	const struct symfile *symfile = symfile_under(
		walk->symbols == NULL ? NULL : symbols_peek(walk->symbols, (size_t)module, &state),
		&walk->policy);

	return symfile != NULL &&
		symfile_covering_function(
			symfile, &walk->policy,
			value - walk->crash->modules[module].base, function);
}

struct text
reading_name(const struct reading_source *source, const struct reading *reading, bool *named,
	struct arena *arena)
{
	const struct walk *walk = source->walk;
	const struct module *module = &source->crash->modules[reading->module];
	struct symbol symbol = { 0 };

	if (!find_function(source, reading->module, reading->value, &symbol.function))
		walk_symbol_own(walk, reading->module, reading->value, &symbol);
	const struct text shown =
		demangle_memo_shown(walk->names, &walk->policy, symbol.function.name);
	if (named != NULL)
		*named = shown.length > 0;
	return location_of_symbol(module, &symbol, shown, reading->value, arena);
}

/* Whether an address in a module may be code, by the memory map or a file's segments. */
static bool
may_be_code(const struct reading_source *source, int module, uint64_t value)
{
	const struct mapping *mapping = crash_mapping(source->crash, value);
	const struct binary *binary = binaries_peek(source->binaries, (size_t)module, LOCATE_IMAGE);
	struct function function;

	if (find_function(source, module, value, &function))
		return true;
	if (mapping != NULL && !mapping->free)
		return mapping->executable;
	if (binary == NULL || binary->segment_count == 0)
		return true;
	const struct binary_segment *segment =
		binary_segment(binary, value - source->crash->modules[module].base);
	return segment != NULL && segment->executable;
}

/* Finds the target of a pointer; false if the value points to nothing. */
static bool
find_pointed(const struct reading_source *source, uint64_t value, struct reading *reading)
{
	const uint64_t address = address_of(source, value);

	reading->mapping = crash_mapping(source->crash, value);
	if (reading->mapping != NULL && reading->mapping->free)
		reading->mapping = NULL;
	if (source->walk != NULL)
		reading->module = module_map_find(&source->walk->modules, address);
	if (reading->module != MODULE_NONE) {
		bool code = may_be_code(source, reading->module, address);

		reading->kind = code ? READING_CODE : READING_DATA;
		if (code)
			reading->call =
				call_find(source->arch, source->memory, source->binaries, address)
					.answer;
		reading->value = address;
		return true;
	}
	const struct thread_stack *stack = stack_of(source, value);
	const struct memory_run *own = source->walk != NULL ? source->walk->memory.stack : NULL;
	if (own != NULL && !source->shared && checked_contains(own->base, own->size, value)) {
		reading->kind = READING_STACK;
	} else if (stack != NULL) {
		reading->kind = READING_THREAD;
		reading->thread = stack->thread;
	} else if (memory_run_of(source->memory, value) != NULL) {
		reading->kind = READING_MEMORY;
	} else if (reading->mapping != NULL) {
		reading->kind = READING_MAPPED;
	} else {
		const struct crash *crash = source->crash;
		size_t at = 0;

		while (at < crash->unloaded_count &&
		       !checked_contains(crash->unloaded[at].base, crash->unloaded[at].size, value))
			at++;
		if (at == crash->unloaded_count)
			return false;
		reading->kind = READING_UNLOADED;
		reading->module = (int)at;
	}
	return true;
}

struct reading
reading_of(const struct reading_source *source, uint64_t value)
{
	struct reading reading = { .value = value, .module = MODULE_NONE };
	char letters[8];

	if (value == 0) {
		reading.kind = READING_ZERO;
	} else if (find_pointed(source, value, &reading)) {
		return reading;
	} else if (value < READING_SMALLER ||
		   arch_wrap(source->arch, 0 - value) < READING_SMALLER) {
		reading.kind = READING_SMALL;
	} else if ((reading.words = fill_pattern_meaning(source->crash, source->arch, value)) !=
		   NULL) {
		reading.kind = READING_PATTERN;
	} else if (reading_letters(source, value, letters) > 0) {
		reading.kind = READING_TEXT;
	}
	return reading;
}

bool
reading_is_telling(const struct reading_source *source, uint64_t value)
{
	if (value < READING_SMALLER)
		return false;
	return (source->walk != NULL &&
		       module_map_find(&source->walk->modules, address_of(source, value)) !=
			       MODULE_NONE) ||
		memory_run_of(source->memory, value) != NULL || stack_of(source, value) != NULL ||
		fill_pattern_meaning(source->crash, source->arch, value) != NULL;
}

size_t
reading_letters(const struct reading_source *source, uint64_t value, char letters[8])
{
	const unsigned size = reading_word_size(source);
	size_t length = 0, rest;

	reader_put_number((uint8_t *)letters, size, source->memory->big_endian, value);
	while (length < size && letters[length] >= ' ' && letters[length] <= '~')
		length++;
	for (rest = length; rest < size && letters[rest] == '\0'; rest++)
		continue;
	return rest == size && length >= READING_LEAST_TEXT ? length : 0;
}
