/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/context_state.h"

#include <stdlib.h>
#include <string.h>

#include "dump/dump.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"

/* Numbers by hand from IEEE 754: 1.0 is 3ff0000000000000 or 3f800000, 0.5 is 3f000000. */
TEST(vectors)
{
	static const struct {
		uint8_t bytes[16];
		bool big;
		const char *text;
	} vectors[] = {
		{ { 0 }, false, "0" }, { { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f }, false, "doubles 1, 0" },
		{ { 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0 }, true, "doubles 1, -2" },
		{ { 0, 0, 0x80, 0x3f, 0, 0, 0, 0x3f, 0, 0, 0, 0, 0, 0, 0x80, 0xbf }, false, "floats 1, 0.5, 0, -1" },
		{ { 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0 }, false, "integers 1, 2, 3, 4" },
		{ { 0x30, 0xd3, 0xb5, 0x54, 0xf6, 0x55, 0, 0, 1 }, false, "integers 0x55f654b5d330, 0x1" },
		{ "abcdefg", false, "\"abcdefg\"" }, { { 0, 0, 0, 0, 0, 0, 0xf8, 0x7f }, false, "integers 0x7ff8000000000000, 0x0" },
		{ { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f }, false,
			"integers 0x3ff0000000000000, 0x7ff8000000000000" },
		{ "abc", false, "integers 0x636261, 0x0" }, { " ~ab", false, "\" ~ab\"" },
		{ "abcdefghijklmnop", false, "\"abcdefghijklmnop\"" }, { "abcd\0e", false, "integers 0x650064636261, 0x0" },
		{ "ab\37d", false, "integers 0x641f6261, 0x0" }, { "ab\177d", false, "integers 0x647f6261, 0x0" },
		/* 4 numbers of at most 65535, 2 doubles above 1e-12 (3d719799812dea11) and below 1e15. */
		{ { 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 }, false, "integers 65535, 0, 0, 1" },
		{ { 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 }, false, "integers 0x10000, 0x100000000" },
		{ { 0x11, 0xea, 0x2d, 0x81, 0x99, 0x97, 0x71, 0x3d }, false, "integers 0x3d719799812dea11, 0x0" },
		{ { 0x11, 0xea, 0x2d, 0x81, 0x99, 0x97, 0x81, 0x3d }, false, "doubles 2e-12, 0" },
		{ { 0, 0, 0x34, 0x26, 0xf5, 0x6b, 0x0c, 0x43 }, false, "integers 0x430c6bf526340000, 0x0" },
		{ { 0, 0, 0x34, 0x26, 0xf5, 0x6b, 0xfc, 0x42 }, false, "doubles 5e+14, 0" },
		/* Low halves of doubles that are floats from 1e-4 (38d1b717) to 1e7 (4b189680). */
		{ { 0x17, 0xb7, 0xd1, 0x38, 0, 0, 0x80, 0x3f }, false, "doubles 0.0078125, 0" },
		{ { 0, 0, 0, 0x3a, 0, 0, 0x80, 0x3f }, false, "floats 0.000488281, 1, 0, 0" },
		{ { 0, 0, 0, 0x4b, 0, 0, 0x80, 0x3f }, false, "floats 8.38861e+06, 1, 0, 0" },
		{ { 0x80, 0x96, 0x18, 0x4b, 0, 0, 0x80, 0x3f }, false, "doubles 0.0078125, 0" },
		{ { 0x3f, 0x80, 0, 0, 0x3a, 0, 0, 0 }, true, "floats 1, 0.000488281, 0, 0" },
		{ { 0x3a, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0 }, true, "floats 0.000488281, 0, 1, -2" },
	};
	char text[120];

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		is_str(context_vector_text(vectors[i].bytes, vectors[i].big, text, sizeof(text)), vectors[i].text, "vector %zu", i);
}

/* Intel SDM volume 1, 4.2.2: an explicit integer bit, exponent 16383 for 1 to 2. */
TEST(x87)
{
	static const struct {
		uint8_t bytes[10];
		const char *text;
	} numbers[] = {
		{ { 0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f }, "1" }, { { 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x00, 0xc0 }, "-3" },
		{ { 0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x7f }, "infinity" }, { { 0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0xff }, "-no number" },
		{ { 0 }, "0" },
	};
	char text[60];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		is_str(context_x87_text(numbers[i].bytes, text, sizeof(text)), numbers[i].text, "number %zu of the x87", i);
}

static const struct context_value *
value_of(const struct context_state *state, const char *name)
{
	for (size_t i = 0; i < state->count; i++)
		if (strcmp(state->values[i].name, name) == 0)
			return &state->values[i];
	return NULL;
}

/* winnt.h: an amd64 context has eflags at 68, cs at 56, dr0 at 72, xmm1 at 256 + 160 + 16. */
TEST(amd64)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	uint64_t registers[17] = { [7] = 0x1000, [16] = 0x401000 };
	uint8_t context[1232] = { 0 }, stack[16] = { 0 };
	struct context_state state;
	struct crash crash;
	struct error error;
	struct arena arena;
	size_t size;

	memcpy(context + 48, "\x0b\x00\x10\x00", 4);
	memcpy(context + 56, "\x33", 1);
	memcpy(context + 68, "\x46\x02\x01\x00", 4);
	memcpy(context + 72, "\x78\x56\x34\x12", 4);
	memcpy(context + 152, "\x00\x10", 2);
	memcpy(context + 248, "\x00\x10\x40", 3);
	memcpy(context + 256 + 160 + 16 + 6, "\xf0\x3f", 2);
	synth_thread(synth, 1, registers, 0x1000, stack, sizeof(stack));
	synth_context(synth, context, sizeof(context));
	uint8_t *dump = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&crash, "test.dmp", dump, size, 0, &error);
	arena_init(&arena, 0);
	context_state_find(&state, &crash, &crash.threads[0].context, &arena);
	const struct context_value *value = value_of(&state, "eflags");
	ok(value != NULL && value->group == CONTEXT_FLAGS, "eflags are in the group of flags");
	is_str(value->text, "00010246", "eflags have their digits");
	is_str(value->note, "PF, ZF, IF, RF, bit 1", "eflags have the names of their bits");
	value = value_of(&state, "cs");
	ok(value != NULL && value->group == CONTEXT_SEGMENTS, "cs is a segment");
	value = value_of(&state, "dr0");
	ok(value != NULL && value->group == CONTEXT_DEBUG, "dr0 is a debug register");
	is_str(value->text, "0000000012345678", "dr0 has 64 bits");
	value = value_of(&state, "xmm1");
	ok(value != NULL && value->group == CONTEXT_VECTOR, "xmm1 is a vector");
	is_str(value->text, "00000000000000003ff0000000000000", "xmm1 has 128 bits");
	is_str(value->note, "doubles 1, 0", "xmm1 has its numbers");
	is_u64(value->place.offset, crash.threads[0].context.place.offset + 432, "xmm1 has a place in the dump");
	ok(value_of(&state, "rip") == NULL, "registers that the walk uses are not listed here");
	context_state_find(&state, &crash, &(struct crash_context){ 0 }, &arena);
	is_u64(state.count, 0, "an absent context has no values");
	arena_free(&arena);
	crash_free(&crash);
	free(dump);
}

/* minidump_cpu_arm.h: 16 registers at 4, cpsr at 68; bit 5 is T, bit 29 is C. */
TEST(arm)
{
	struct synth *synth = synth_create(ARCH_ARM, CRASH_OS_LINUX, false);
	uint64_t registers[17] = { [0] = 0x1234, [13] = 0x1000, [15] = 0x401000 };
	uint8_t stack[16] = { 0 };
	struct context_state state;
	struct crash crash;
	struct error error;
	struct arena arena;
	size_t size;

	synth_thread(synth, 1, registers, 0x1000, stack, sizeof(stack));
	uint8_t *dump = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&crash, "test.dmp", dump, size, 0, &error);
	memcpy(dump + crash.threads[0].context.place.offset + 68, "\x20\x00\x00\x20", 4);
	arena_init(&arena, 0);
	context_state_find(&state, &crash, &crash.threads[0].context, &arena);
	const struct context_value *value = value_of(&state, "cpsr");
	ok(value != NULL && value->group == CONTEXT_FLAGS, "cpsr of ARM is flags");
	is_str(value != NULL ? value->note : "", "C, T", "cpsr has the names of its bits");
	arena_free(&arena);
	crash_free(&crash);
	free(dump);
}
