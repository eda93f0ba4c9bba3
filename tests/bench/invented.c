/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/invented.h"

#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"
#include "tests/bench/bench.h"
#include "tests/differential/chance.h"

#define BUFFER_SIZE (1u << 20)
#define LONGEST_NAME 320u
#define DEEPEST 12u

/* For each hundred functions, the number of other records, as in the browser's file. */
#define ORIGINS 200u
#define PUBLICS 33u
#define FILES 11u
#define WITHOUT_STACK 4u

struct placed {
	uint32_t address, size;
};

struct invented {
	FILE *file;
	const char *path;
	char *buffer;
	size_t used;
	uint64_t written, seed;
	struct chance chance;
	struct placed *functions;
	uint32_t count, next_address;
	uint32_t first_origin, origin_count, first_file, file_count;
	int64_t inline_debt;	/* calls that did not fit into earlier functions */
};

/* The parts of a function that belong to inlined calls already, and the current nesting. */
struct nest {
	uint32_t end[DEEPEST + 1], cursor[DEEPEST + 1];
	unsigned depth;
};

/* A number from `low` to `high`. */
static uint32_t
between(struct invented *invented, uint32_t low, uint32_t high)
{
	return low + (uint32_t)(chance_next(&invented->chance) % (high - low + 1));
}

static void
flush(struct invented *invented)
{
	if (fwrite(invented->buffer, 1, invented->used, invented->file) != invented->used)
		give_up(invented->path);
	invented->written += invented->used;
	invented->used = 0;
}

void
invented_put(struct invented *invented, const char *bytes, size_t size)
{
	while (size > 0) {
		size_t part = BUFFER_SIZE - invented->used;
		if (part > size)
			part = size;
		memcpy(invented->buffer + invented->used, bytes, part);
		invented->used += part;
		bytes += part;
		size -= part;
		if (invented->used == BUFFER_SIZE)
			flush(invented);
	}
}

static void
put_text(struct invented *invented, const char *text)
{
	invented_put(invented, text, strlen(text));
}

static void
put_number(struct invented *invented, uint64_t value, unsigned base, char behind)
{
	char digits[24];
	size_t at = sizeof(digits);

	digits[--at] = behind;
	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0);
	invented_put(invented, digits + at, sizeof(digits) - at);
}

static void
put_hex(struct invented *invented, uint64_t value, char behind)
{
	put_number(invented, value, 16, behind);
}

static void
put_decimal(struct invented *invented, uint64_t value, char behind)
{
	put_number(invented, value, 10, behind);
}

static size_t
add_word(struct invented *invented, char *name, size_t length)
{
	static const char *const words[] = {
		"blink", "Layout", "Object", "content", "Render", "Frame", "Host", "Impl", "base", "internal", "Invoker", "Bind", "State",
		"mojo", "Receiver", "scoped_refptr", "network", "URL", "Loader", "Factory", "cc", "Picture", "Layer", "Tree", "gpu",
		"Command", "Buffer", "Service", "v8", "Heap", "Visitor", "Map", "Iterator", "Task", "Runner", "Sequence", "Manager",
		"Thread", "unique_ptr", "vector", "basic_string", "Allocator", "media", "Decoder", "Stream",
	};
	const char *word = words[chance_next(&invented->chance) % ARRAY_COUNT(words)];
	size_t size = strlen(word);

	memcpy(name + length, word, size);
	return length + size;
}

/* A name in the style of C++. Most are short: lengths are 30 to 300, their average is under 100. */
static void
put_name(struct invented *invented)
{
	static const char *const joints[] = { "::", "<", ", ", "::", "_", "::" };
	uint64_t chance = chance_next(&invented->chance) % 1000;
	size_t target = 30 + (size_t)(chance * chance * chance / 1000 / 1000 * 240 / 1000);
	size_t length = 0;
	unsigned open = 0;
	char name[LONGEST_NAME + 64];

	while (length < target) {
		length = add_word(invented, name, length);
		if (length >= target)
			break;
		uint64_t pick = chance_next(&invented->chance) % ARRAY_COUNT(joints);
		if (pick == 2 && open == 0)
			pick = 0;
		open += pick == 1;
		memcpy(name + length, joints[pick], strlen(joints[pick]));
		length += strlen(joints[pick]);
	}
	for (; open > 0; open--)
		name[length++] = '>';
	memcpy(name + length, "(int)\n", 6);
	invented_put(invented, name, length + 6);
}

struct invented *
invented_create(const char *path, uint64_t seed, uint32_t functions, uint32_t base)
{
	struct invented *invented = calloc(1, sizeof(*invented));

	if (invented == NULL)
		give_up(path);
	invented->file = fopen(path, "wb");
	invented->buffer = malloc(BUFFER_SIZE);
	invented->functions = calloc((size_t)functions + 1, sizeof(*invented->functions));
	if (invented->file == NULL || invented->buffer == NULL || invented->functions == NULL)
		give_up(path);
	invented->path = path;
	invented->seed = invented->chance.state = seed;
	invented->count = functions;
	invented->next_address = base;
	invented->origin_count = (uint32_t)((uint64_t)functions * ORIGINS / 100) + 1;
	invented->file_count = functions * FILES / 100 + 1;
	return invented;
}

void
invented_number_from(struct invented *invented, uint32_t origin, uint32_t file)
{
	invented->first_origin = origin;
	invented->first_file = file;
}

void
invented_files(struct invented *invented)
{
	for (uint32_t i = 0; i < invented->file_count; i++) {
		char path[160];
		size_t length = 0;

		put_text(invented, "FILE ");
		put_decimal(invented, invented->first_file + i, ' ');
		put_text(invented, "/builds/worker/checkouts/browser/");
		for (uint32_t parts = between(invented, 2, 5); parts > 0; parts--) {
			length = add_word(invented, path, length);
			path[length++] = parts > 1 ? '/' : '.';
		}
		memcpy(path + length, "cc\n", 3);
		invented_put(invented, path, length + 3);
	}
}

void
invented_origins(struct invented *invented)
{
	for (uint32_t i = 0; i < invented->origin_count; i++) {
		put_text(invented, "INLINE_ORIGIN ");
		put_decimal(invented, invented->first_origin + i, ' ');
		put_name(invented);
	}
}

/* Half of all functions are small, one in ten is large. */
static uint32_t
line_count(struct invented *invented)
{
	uint32_t chance = between(invented, 0, 99);

	if (chance < 50)
		return between(invented, 1, 12);
	return chance < 90 ? between(invented, 10, 50) : between(invented, 40, 146);
}

static uint32_t
any_file(struct invented *invented)
{
	return invented->first_file + between(invented, 0, invented->file_count - 1);
}

static void
put_inline(struct invented *invented, unsigned depth, uint32_t address, uint32_t size, bool split)
{
	put_text(invented, "INLINE ");
	put_decimal(invented, depth, ' ');
	put_decimal(invented, between(invented, 1, 2500), ' ');
	put_decimal(invented, any_file(invented), ' ');
	put_decimal(invented, invented->first_origin + between(invented, 0, invented->origin_count - 1), ' ');
	put_hex(invented, address, ' ');
	put_hex(invented, split ? size / 2 - 1 : size, split ? ' ' : '\n');
	if (split) {
		put_hex(invented, address + size / 2, ' ');
		put_hex(invented, size - size / 2, '\n');
	}
}

/* Inline one call if there is room, at most one level deeper than the last one. */
static bool
nest_call(struct invented *invented, struct nest *nest)
{
	unsigned depth = between(invented, 0, nest->depth);

	if (nest->depth < 4 && between(invented, 0, 2) > 0)
		depth = nest->depth;
	while (depth > 0 && nest->end[depth] - nest->cursor[depth] < 2)
		depth--;
	uint32_t room = nest->end[depth] - nest->cursor[depth];
	if (room < 2)
		return false;
	uint32_t size = room / between(invented, 1, depth == 0 ? 12 : 3);
	if (size < 2)
		size = 2;
	uint32_t address = nest->cursor[depth];
	bool split = size > 8 && between(invented, 0, 9) == 0;

	put_inline(invented, depth, address, size, split);
	nest->cursor[depth] = address + size;
	if (depth + 1 < DEEPEST) {
		nest->cursor[depth + 1] = address;
		nest->end[depth + 1] = address + (split ? size / 2 - 1 : size);
		nest->depth = depth + 1;
	}
	return true;
}

static void
put_inlines(struct invented *invented, struct placed placed, uint32_t lines)
{
	struct nest nest = { .depth = 0 };

	nest.cursor[0] = placed.address;
	nest.end[0] = placed.address + placed.size;
	invented->inline_debt += between(invented, 0, lines * 218 / 100);
	while (invented->inline_debt > 0 && nest_call(invented, &nest))
		invented->inline_debt--;
}

static void
put_lines(struct invented *invented, struct placed placed, const uint8_t *sizes, uint32_t lines)
{
	uint32_t address = placed.address, number = between(invented, 1, 5000);
	uint32_t home = any_file(invented);

	for (uint32_t i = 0; i < lines; i++) {
		uint32_t size = i + 1 == lines ? placed.address + placed.size - address : sizes[i];
		number += between(invented, 0, 3);
		put_hex(invented, address, ' ');
		put_hex(invented, size, ' ');
		put_decimal(invented, number, ' ');
		put_decimal(invented, between(invented, 0, 3) == 0 ? any_file(invented) : home, '\n');
		address += size;
	}
}

void
invented_functions(struct invented *invented, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i < last && i < invented->count; i++) {
		struct placed placed = { .address = invented->next_address };
		uint32_t lines = line_count(invented);
		uint8_t sizes[160];

		for (uint32_t line = 0; line < lines; line++) {
			sizes[line] = (uint8_t)between(invented, 2, 14);
			placed.size += sizes[line];
		}
		/* Room for a prologue, a body and an epilogue. */
		if (placed.size < 40)
			placed.size = 40;
		put_text(invented, "FUNC ");
		put_hex(invented, placed.address, ' ');
		put_hex(invented, placed.size, ' ');
		put_text(invented, "0 ");
		put_name(invented);
		put_inlines(invented, placed, lines);
		put_lines(invented, placed, sizes, lines);
		invented->functions[i] = placed;
		invented->next_address = (placed.address + placed.size + 31) & ~15u;
	}
}

/* Like dump_syms: linker symbols of functions that debug information names better. */
void
invented_publics(struct invented *invented)
{
	for (uint32_t i = 0; i < invented->count; i += 100 / PUBLICS) {
		put_text(invented, "PUBLIC ");
		put_hex(invented, invented->functions[i].address, ' ');
		put_text(invented, "0 _ZN");
		put_name(invented);
	}
}

struct prologue {
	uint32_t pushes, locals;
};

static struct prologue
prologue_of(const struct invented *invented, uint32_t number)
{
	struct chance chance = { .state = invented->seed ^ (uint64_t)number << 32 };
	const uint64_t any = chance_next(&chance);

	return (struct prologue){ .pushes = (uint32_t)(any % 7), .locals = 8 * (uint32_t)(any >> 8 & 31) };
}

struct invented_function
invented_function(const struct invented *invented, uint32_t number)
{
	const struct placed placed = invented->functions[number];
	const struct prologue prologue = prologue_of(invented, number);

	return (struct invented_function){
		.address = placed.address,
		.size = placed.size,
		.body = placed.address + 18,
		.body_end = placed.address + placed.size - 10,
		.frame = 8 + 8 * prologue.pushes + prologue.locals,
	};
}

static void
put_delta(struct invented *invented, uint32_t address)
{
	put_text(invented, "STACK CFI ");
	put_hex(invented, address, ' ');
}

static void
put_stack(struct invented *invented, uint32_t number)
{
	static const char *const saved[] = { "$rbp", "$r15", "$r14", "$r13", "$r12", "$rbx" };
	const struct placed placed = invented->functions[number];
	const struct prologue prologue = prologue_of(invented, number);
	uint32_t depth = 8;

	put_text(invented, "STACK CFI INIT ");
	put_hex(invented, placed.address, ' ');
	put_hex(invented, placed.size, ' ');
	put_text(invented, ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n");
	for (uint32_t i = 0; i < prologue.pushes; i++) {
		depth += 8;
		put_delta(invented, placed.address + 1 + 2 * i);
		put_text(invented, saved[i]);
		put_text(invented, ": .cfa -");
		put_decimal(invented, depth, ' ');
		put_text(invented, "+ ^ .cfa: $rsp ");
		put_decimal(invented, depth, ' ');
		put_text(invented, "+\n");
	}
	if (prologue.locals != 0) {
		put_delta(invented, placed.address + 16);
		put_text(invented, ".cfa: $rsp ");
		put_decimal(invented, depth + prologue.locals, ' ');
		put_text(invented, "+\n");
	}
	if (prologue.pushes > 0) {
		put_delta(invented, placed.address + placed.size - 8);
		put_text(invented, ".cfa: $rsp 8 +\n");
	}
	if (number % 2 == 0) {
		put_delta(invented, placed.address + placed.size - 2);
		put_text(invented, ".cfa: $rsp 8 +\n");
	}
}

void
invented_stack(struct invented *invented, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i < last && i < invented->count; i++)
		if (i % 100 >= WITHOUT_STACK)
			put_stack(invented, i);
}

uint64_t
invented_finish(struct invented *invented)
{
	flush(invented);
	uint64_t written = invented->written;
	if (fclose(invented->file) != 0)
		give_up(invented->path);
	free(invented->functions);
	free(invented->buffer);
	free(invented);
	return written;
}
