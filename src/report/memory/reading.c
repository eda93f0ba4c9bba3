/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/checked.h"
#include "base/compiler.h"
#include "base/demangle.h"
#include "base/sorted.h"
#include "report/report.h"

/* Numbers that are more likely a count or an offset than an address: no system maps them. */
#define SMALL 0x10000u
/* Characters that make bytes a text, and those of it that are shown. */
#define LEAST_TEXT 4u
#define MOST_TEXT 48u

static int
compare_stacks(const void *left, const void *right)
{
	const struct reading_stack *a = left, *b = right;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

void
reading_source_init(struct reading_source *source, const struct crash *crash,
	const struct memory_view *memory, struct binaries *binaries, const struct walk *walk,
	struct arena *arena)
{
	struct reading_stack *stacks = arena_array(arena, crash->thread_count, sizeof(*stacks));
	size_t count = 0;

	for (size_t i = 0; stacks != NULL && i < crash->thread_count; i++)
		if (crash->threads[i].stack_size > 0)
			stacks[count++] = (struct reading_stack){ crash->threads[i].stack_start,
				crash->threads[i].stack_size, i };
	if (count > 0)
		qsort(stacks, count, sizeof(*stacks), compare_stacks);
	*source = (struct reading_source){
		.crash = crash,
		.arch = walk != NULL ? walk->arch : crash->system.arch,
		.memory = memory,
		.binaries = binaries,
		.walk = walk,
		.stacks = stacks,
		.stack_count = count,
	};
}

static unsigned
word_size(const struct reading_source *source)
{
	return source->arch->word_size == 4 ? 4 : 8;
}

static bool
is_negative_small(const struct reading_source *source, uint64_t value)
{
	return arch_wrap(source->arch, 0 - value) < SMALL;
}

/* On 64-bit ARM a pointer may be signed above its address: the sign leads nowhere. */
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

static bool
in_own_stack(const struct reading_source *source, uint64_t value)
{
	const struct walk *walk = source->walk;

	return walk != NULL && walk->memory.stack != NULL &&
		checked_contains(walk->memory.stack->base, walk->memory.stack->size, value);
}

/* The stack that begins closest below a value, if it holds it. */
static const struct reading_stack *
stack_of(const struct reading_source *source, uint64_t value)
{
	size_t low = sorted_upto(SORTED(source->stacks, source->stack_count, base), value);

	if (low == 0)
		return NULL;
	const struct reading_stack *stack = &source->stacks[low - 1];
	return checked_contains(stack->base, stack->size, value) ? stack : NULL;
}

static bool
covering_function(
	const struct reading_source *source, int module, uint64_t value, struct function *function)
{
	const struct walk *walk = source->walk;
	enum symbols_state state;
	const struct symfile *symfile =
		walk->symbols == NULL ? NULL : symbols_peek(walk->symbols, (size_t)module, &state);
	const struct symbols_policy policy = walk_symbols_policy(walk);

	return symfile != NULL &&
		symfile_covering_function(
			symfile, &policy, value - walk->crash->modules[module].base, function);
}

/* Whether an address in a module is code, as far as the memory map or a file's segments tell. */
static bool
may_be_code(const struct reading_source *source, int module, uint64_t value)
{
	const struct mapping *mapping = crash_mapping(source->crash, value);
	const struct binary *binary =
		binaries_peek(source->binaries, (size_t)module, BINARIES_IMAGE);
	struct function function;

	if (covering_function(source, module, value, &function))
		return true;
	if (mapping != NULL && !mapping->free)
		return mapping->executable;
	if (binary == NULL || binary->segment_count == 0)
		return true;
	const struct binary_segment *segment =
		binary_segment(binary, value - source->crash->modules[module].base);
	return segment != NULL && segment->executable;
}

static bool
find_unloaded(const struct reading_source *source, uint64_t value, int *module)
{
	for (size_t i = 0; i < source->crash->unloaded_count; i++) {
		const struct module *at = &source->crash->unloaded[i];

		*module = (int)i;
		if (checked_contains(at->base, at->size, value))
			return true;
	}
	return false;
}

/* What the value points at; false where that is nothing. */
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
	const struct reading_stack *stack = stack_of(source, value);
	if (in_own_stack(source, value)) {
		reading->kind = READING_STACK;
	} else if (stack != NULL) {
		reading->kind = READING_THREAD;
		reading->thread = stack->thread;
	} else if (memory_run_of(source->memory, value) != NULL) {
		reading->kind = READING_MEMORY;
	} else if (reading->mapping != NULL) {
		reading->kind = READING_MAPPED;
	} else {
		if (!find_unloaded(source, value, &reading->module))
			return false;
		reading->kind = READING_UNLOADED;
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
	} else if (value < SMALL || is_negative_small(source, value)) {
		reading.kind = READING_SMALL;
	} else if ((reading.words = analysis_pattern(source->arch, value)) != NULL) {
		reading.kind = READING_PATTERN;
	} else if (reading_letters(source, value, letters) > 0) {
		reading.kind = READING_TEXT;
	}
	return reading;
}

bool
reading_is_telling(const struct reading_source *source, uint64_t value)
{
	if (value < SMALL)
		return false;
	return (source->walk != NULL &&
		       module_map_find(&source->walk->modules, address_of(source, value)) !=
			       MODULE_NONE) ||
		memory_run_of(source->memory, value) != NULL || stack_of(source, value) != NULL ||
		analysis_pattern(source->arch, value) != NULL;
}

size_t
reading_letters(const struct reading_source *source, uint64_t value, char letters[8])
{
	const unsigned size = word_size(source);
	size_t length = 0, rest;

	for (unsigned i = 0; i < size; i++) {
		const unsigned shift = 8 * (source->memory->big_endian ? size - 1 - i : i);

		letters[i] = (char)(value >> shift & 0xff);
	}
	while (length < size && letters[length] >= ' ' && letters[length] <= '~')
		length++;
	for (rest = length; rest < size && letters[rest] == '\0'; rest++)
		continue;
	return rest == size && length >= LEAST_TEXT ? length : 0;
}

static void
add_code(const struct reading_source *source, const struct reading *reading, size_t columns,
	struct row *row)
{
	struct location location = { .address = reading->value,
		.module = &source->crash->modules[reading->module] };
	struct call call = { 0 };
	struct function function;
	struct arena arena;

	if (covering_function(source, reading->module, reading->value, &function)) {
		call.name = demangle_memo_shown(source->walk->names, &source->walk->policy,
						function.name);
		call.function_base = function.address;
	}
	const bool returns = reading->call == CALL_YES && columns == 0;
	const size_t last =
		columns == 0 || columns <= row->width + 1 ? 0 : columns - row->width - 1;
	arena_init(&arena, 0);
	row_add_cut(row, ROLE_CODE, last, true,
		location_name(&location, &call, reading->value, true, &arena));
	arena_free(&arena);
	row_add(row, ROLE_CODE, "%s?", returns ? ", after a call" : "");
}

/* A module or a named mapping, and the distance from where it begins. */
static void
add_distance(const char *name, uint64_t distance, struct row *row)
{
	row_add_text(row, ROLE_DATA, text_base_name(text_of(name)));
	row_add(row, ROLE_DATA, " + 0x%" PRIx64, distance);
}

/* A mapping is called by its file or its permissions. */
static void
add_mapping(const struct reading *reading, const char *words, struct row *row)
{
	const struct mapping *mapping = reading->mapping;

	if (mapping == NULL || mapping->name[0] == '\0')
		row_add(row, ROLE_DATA, "%s", words);
	else
		add_distance(mapping->name, reading->value - mapping->base, row);
}

static void
add_small(const struct reading_source *source, uint64_t value, struct row *row)
{
	if (value < SMALL)
		row_add(row, ROLE_DIM, "%" PRIu64, value);
	else
		row_add(row, ROLE_DIM, "-%" PRIu64, arch_wrap(source->arch, 0 - value));
}

void
reading_add(const struct reading_source *source, const struct reading *reading, size_t columns,
	struct row *row)
{
	char letters[8];

	switch (reading->kind) {
	case READING_ZERO:
	case READING_SMALL:
		add_small(source, reading->value, row);
		break;
	case READING_PATTERN:
		row_add(row, ROLE_CHANGED, "%s?", reading->words);
		break;
	case READING_TEXT:
		if (!crash_redacts_memory(source->crash))
			row_add(row, ROLE_DATA, "\"%.*s\"",
				(int)reading_letters(source, reading->value, letters), letters);
		break;
	case READING_CODE:
		add_code(source, reading, columns, row);
		break;
	case READING_DATA:
		add_distance(source->crash->modules[reading->module].code_file,
			reading->value - source->crash->modules[reading->module].base, row);
		row_add(row, ROLE_DATA, ", data");
		break;
	case READING_UNLOADED:
		add_distance(source->crash->unloaded[reading->module].code_file,
			reading->value - source->crash->unloaded[reading->module].base, row);
		row_add(row, ROLE_DATA, ", unloaded");
		break;
	case READING_STACK:
		row_add(row, ROLE_STACK, "into the stack");
		break;
	case READING_THREAD:
		row_add(row, ROLE_STACK, "stack of thread %zu", reading->thread);
		break;
	case READING_MEMORY:
		add_mapping(reading, "memory", row);
		break;
	case READING_MAPPED:
		add_mapping(reading, "memory", row);
		row_add(row, ROLE_DIM, ", not in the dump");
		break;
	default:
		break;
	}
}

/* The bytes from an address on, as far as its run of memory goes. */
static struct reader
bytes_at(const struct reading_source *source, uint64_t address)
{
	const struct memory_run *run = memory_run_of(source->memory, address);

	if (run == NULL)
		return (struct reader){ 0 };
	return (struct reader){ .data = run->data + (address - run->base),
		.size = run->size - (address - run->base),
		.big_endian = source->memory->big_endian };
}

static bool
is_letter(uint32_t character)
{
	return (character >= ' ' && character != 0x7f) || character == '\t' || character == '\n' ||
		character == '\r';
}

/* Bytes of the UTF-8 text at the beginning; 0 where it is none, or has no end. */
static size_t
narrow_length(const struct reader *bytes, bool *whole)
{
	size_t length = 0, characters = 0;
	uint32_t character;

	while (length < bytes->size && bytes->data[length] != 0 && length < MOST_TEXT) {
		const size_t left = bytes->size - length < 4 ? (size_t)(bytes->size - length) : 4;
		const size_t step =
			text_decode((const char *)bytes->data + length, left, &character);

		if (step == 0 || !is_letter(character))
			return 0;
		length += step;
		characters++;
	}
	*whole = length < bytes->size && bytes->data[length] == 0;
	return characters >= LEAST_TEXT && (*whole || length >= MOST_TEXT) ? length : 0;
}

/* Units of UTF-16 that are plain letters; what else people write cannot be told from numbers. */
static size_t
wide_length(const struct reader *bytes, bool *whole)
{
	size_t length = 0;
	uint16_t unit = 0;

	while (reader_u16(bytes, 2 * length, &unit) && unit >= ' ' && unit <= '~' &&
		length < MOST_TEXT)
		length++;
	*whole = length < MOST_TEXT;
	return length >= LEAST_TEXT && (unit == 0 || !*whole) ? length : 0;
}

static bool
add_string(const struct reader *bytes, struct row *row)
{
	char letters[MOST_TEXT + 4];
	bool whole = true, wide = false;
	size_t length = narrow_length(bytes, &whole);
	uint16_t unit;

	if (length > 0) {
		memcpy(letters, bytes->data, length);
	} else {
		length = wide_length(bytes, &whole);
		wide = length > 0;
		for (size_t i = 0; i < length && reader_u16(bytes, 2 * i, &unit); i++)
			letters[i] = (char)unit;
	}
	if (length == 0)
		return false;
	row_add(row, ROLE_DATA, "%s\"", wide ? "L" : "");
	row_add_text(row, ROLE_DATA, (struct text){ letters, length });
	row_add(row, ROLE_DATA, "%s", whole ? "\"" : "\"...");
	return true;
}

void
reading_add_chain(
	const struct reading_source *source, const struct reading *reading, struct row *row)
{
	struct reading at = *reading;
	uint64_t value;

	if (crash_redacts_memory(source->crash))
		return;
	for (unsigned hop = 0; hop < READING_HOPS && at.kind >= READING_DATA; hop++) {
		const struct reader bytes = bytes_at(source, at.value);

		if (bytes.size < word_size(source))
			return;
		row_add(row, ROLE_DIM, hop == 0 ? " -> " : "-> ");
		if (add_string(&bytes, row))
			return;
		reader_unsigned(&bytes, 0, word_size(source), &value);
		const bool same = value == at.value;
		at = reading_of(source, value);
		/* What only leads on is told by what it leads to. */
		if (at.kind < READING_DATA || hop + 1 == READING_HOPS || same ||
			memory_run_of(source->memory, value) == NULL) {
			if (at.kind == READING_NUMBER)
				row_add(row, ROLE_NORMAL, "%0*" PRIx64, (int)word_size(source) * 2,
					value);
			else
				reading_add(source, &at, 0, row);
			return;
		}
	}
}
