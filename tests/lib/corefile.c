/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/corefile.h"

#include <string.h>

#define PT_LOAD 1u
#define PT_NOTE 4u

unsigned
corefile_word(const struct corefile *core)
{
	return core->wide ? 8 : 4;
}

void
corefile_put(const struct corefile *core, uint8_t *buffer, size_t offset, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		buffer[offset + (core->big_endian ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

void
corefile_note(struct corefile *core, const char *owner, uint32_t type, const uint8_t *bytes, size_t size)
{
	uint8_t *at = core->notes + core->note_size;
	const size_t name = strlen(owner) + 1;

	corefile_put(core, at, 0, 4, name);
	corefile_put(core, at, 4, 4, size);
	corefile_put(core, at, 8, 4, type);
	memcpy(at + 12, owner, name);
	if (size > 0)
		memcpy(at + 12 + (name + 3) / 4 * 4, bytes, size);
	core->note_size += 12 + (name + 3) / 4 * 4 + (size + 3) / 4 * 4;
}

void
corefile_memory(struct corefile *core, uint64_t address, uint64_t size, uint32_t flags, const uint8_t *bytes, size_t there)
{
	core->memory[core->memory_count++] = (struct corefile_memory){ address, size, flags, bytes, there };
}

static void
put_segment(struct corefile *core, size_t at, uint32_t type, uint32_t flags, uint64_t offset,
	    const struct corefile_memory *memory)
{
	const unsigned word = corefile_word(core);
	const uint64_t values[] = { offset, memory->address, 0, memory->there, memory->size };

	corefile_put(core, core->bytes, at, 4, type);
	corefile_put(core, core->bytes, at + (core->wide ? 4 : 24), 4, flags);
	for (size_t i = 0; i < 5; i++)
		corefile_put(core, core->bytes, at + (core->wide ? 8 : 4) + i * word, word, values[i]);
}

static void
put_header(struct corefile *core, size_t segments)
{
	const unsigned word = corefile_word(core);
	const size_t tail = 24 + 3 * word;

	memcpy(core->bytes, "\x7f" "ELF", 4);
	core->bytes[4] = core->wide ? 2 : 1;
	core->bytes[5] = core->big_endian ? 2 : 1;
	core->bytes[6] = 1;
	corefile_put(core, core->bytes, 16, 2, 4);
	corefile_put(core, core->bytes, 18, 2, core->machine);
	corefile_put(core, core->bytes, 20, 4, 1);
	corefile_put(core, core->bytes, 24 + word, word, tail + 16);
	corefile_put(core, core->bytes, tail + 4, 2, tail + 16);
	corefile_put(core, core->bytes, tail + 6, 2, core->wide ? 56 : 32);
	corefile_put(core, core->bytes, tail + 8, 2, core->count_elsewhere ? 0xffff : segments);
}

void
corefile_finish(struct corefile *core)
{
	const size_t size = core->wide ? 56 : 32, segments = 1 + core->memory_count;
	size_t at = core->wide ? 64 : 52;
	const struct corefile_memory notes = { .there = core->note_size };

	memset(core->bytes, 0, sizeof(core->bytes));
	put_header(core, segments);
	core->size = at + segments * size;
	put_segment(core, at, PT_NOTE, 0, core->size, &notes);
	memcpy(core->bytes + core->size, core->notes, core->note_size);
	core->size += core->note_size;
	for (size_t i = 0; i < core->memory_count; i++) {
		const struct corefile_memory *memory = &core->memory[i];
		at += size;
		put_segment(core, at, PT_LOAD, memory->flags, core->size, memory);
		if (memory->there > 0)
			memcpy(core->bytes + core->size, memory->bytes, memory->there);
		core->size += memory->there;
	}
	if (core->count_elsewhere) {
		const unsigned word = corefile_word(core);
		corefile_put(core, core->bytes, 24 + 2 * word, word, core->size);
		corefile_put(core, core->bytes, core->size + (core->wide ? 44 : 28), 4, segments);
		core->size += core->wide ? 64 : 40;
	}
}
