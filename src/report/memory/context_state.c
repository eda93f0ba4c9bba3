/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/context_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "dump/describe.h"

/* Minimum number of letters in a vector that is shown as text. */
#define LEAST_LETTERS 4u

struct collector {
	struct context_state *state;
	const struct crash *crash;
	const struct crash_context *context;
	struct arena *arena;
};

/* Names of fields, or prefixes of names, and their group. The first match is used. */
static const struct {
	enum context_group group;
	bool whole; /* names must match completely */
	const char *names[9];
} groups[] = {
	{ CONTEXT_FLAGS, true,
	  { "eflags", "cpsr", "mx_csr", "status", "cause", "cr", "xer", "ccr" } },
	{ CONTEXT_SEGMENTS, true, { "cs", "ds", "es", "fs", "gs", "ss" } },
	{ CONTEXT_DEBUG, false, { "dr", "debug_", "last_", "bcr", "bvr", "wcr", "wvr" } },
	{ CONTEXT_VECTOR, false, { "fxsave.xmm", "vector_", "xsave." } },
	{ CONTEXT_FLOAT, false, { "float_save.", "fxsave." } },
};

static enum context_group
group_of(const struct describe_value *value)
{
	for (size_t i = 0; i < ARRAY_COUNT(groups); i++)
		for (const char *const *name = groups[i].names; *name != NULL; name++) {
			const size_t length = strlen(*name) + (groups[i].whole ? 1 : 0);

			if (strncmp(value->name, *name, length) != 0)
				continue;
			/* A value of 16 bytes is a vector under any name. */
			return groups[i].group == CONTEXT_FLOAT && value->place.length == 16
				       ? CONTEXT_VECTOR : groups[i].group;
		}
	return CONTEXT_OTHER;
}

/* Whether a value is a register of the walk. Another view shows these registers. */
static bool
is_walked(const struct collector *collector, const struct describe_value *value)
{
	const struct crash_context *context = collector->context;

	for (int reg = 0; context->arch != NULL && reg < context->arch->register_count; reg++)
		if (context->register_offset[reg] != 0 &&
			context->register_offset[reg] == value->place.offset &&
			strncmp(value->name, "eflags", 6) != 0 && strcmp(value->name, "cpsr") != 0)
			return true;
	return false;
}

static uint64_t
lane(const uint8_t bytes[16], bool big_endian, unsigned size, unsigned index)
{
	const struct reader reader = { .data = bytes, .size = 16, .big_endian = big_endian };
	uint64_t value = 0;

	reader_unsigned(&reader, (uint64_t)index * size, size, &value);
	return value;
}

static double
lane_number(const uint8_t bytes[16], bool big_endian, unsigned size, unsigned index)
{
	const uint64_t bits = lane(bytes, big_endian, size, index);
	const uint32_t half = (uint32_t)bits;
	double number;
	float single;

	if (size == 4) {
		memcpy(&single, &half, sizeof(single));
		return (double)single;
	}
	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Whether all doubles or floats have ordinary values: 0, or neither huge nor tiny. */
static bool
are_usual(const uint8_t bytes[16], bool big_endian, unsigned size)
{
	for (unsigned i = 0; i < 16 / size; i++) {
		const double number = fabs(lane_number(bytes, big_endian, size, i));

		if (number != 0 && !(isfinite(number) && number > 1e-12 && number < 1e15))
			return false;
	}
	return true;
}

/* Whether the low halves of the doubles are ordinary floats. */
static bool
are_halves(const uint8_t bytes[16], bool big_endian)
{
	bool any = false;

	for (unsigned i = big_endian ? 1 : 0; i < 4; i += 2) {
		const double size = fabs(lane_number(bytes, big_endian, 4, i));

		if (size != 0 && !(size > 1e-4 && size < 1e7))
			return false;
		any = any || size != 0;
	}
	return any && are_usual(bytes, big_endian, 4);
}

const char *
context_vector_text(const uint8_t bytes[16], bool big_endian, char *buffer, size_t size)
{
	size_t letters = 0, zeros = 0;
	bool counts = true;

	for (unsigned i = 0; i < 4; i++)
		counts = counts && lane(bytes, big_endian, 4, i) < 0x10000;
	while (letters < 16 && bytes[letters] >= ' ' && bytes[letters] <= '~')
		letters++;
	while (letters + zeros < 16 && bytes[letters + zeros] == 0)
		zeros++;
	if (zeros == 16)
		snprintf(buffer, size, "0");
	else if (letters >= LEAST_LETTERS && letters + zeros == 16)
		snprintf(buffer, size, "\"%.*s\"", (int)letters, (const char *)bytes);
	else if (are_usual(bytes, big_endian, 8) && !are_halves(bytes, big_endian))
		snprintf(buffer, size, "doubles %g, %g", lane_number(bytes, big_endian, 8, 0),
			lane_number(bytes, big_endian, 8, 1));
	else if (are_usual(bytes, big_endian, 4))
		snprintf(buffer, size, "floats %g, %g, %g, %g",
			lane_number(bytes, big_endian, 4, 0), lane_number(bytes, big_endian, 4, 1),
			lane_number(bytes, big_endian, 4, 2), lane_number(bytes, big_endian, 4, 3));
	else if (counts)
		snprintf(buffer, size, "integers %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64,
			lane(bytes, big_endian, 4, 0), lane(bytes, big_endian, 4, 1),
			lane(bytes, big_endian, 4, 2), lane(bytes, big_endian, 4, 3));
	else
		snprintf(buffer, size, "integers 0x%" PRIx64 ", 0x%" PRIx64,
			lane(bytes, big_endian, 8, 0), lane(bytes, big_endian, 8, 1));
	return buffer;
}

const char *
context_x87_text(const uint8_t bytes[10], char *buffer, size_t size)
{
	const struct reader reader = { .data = bytes, .size = 10 };
	uint64_t mantissa = 0;
	uint16_t top = 0;

	reader_u64(&reader, 0, &mantissa);
	reader_u16(&reader, 8, &top);
	const int exponent = top & 0x7fff;
	const char *sign = (top & 0x8000) != 0 ? "-" : "";
	if (exponent == 0x7fff)
		snprintf(buffer, size, "%s%s", sign, mantissa << 1 == 0 ? "infinity" : "no number");
	else
		snprintf(buffer, size, "%s%.17g", sign,
			ldexp((double)mantissa, exponent - 16383 - 63));
	return buffer;
}

/* The bytes as numbers, if they are a vector or an x87 register. */
static const char *
number_note(const struct collector *collector, const struct describe_value *value)
{
	const struct reader *dump = &collector->crash->reader;
	struct reader bytes;
	char text[120];

	if (!reader_window(dump, value->place.offset, value->place.length, &bytes))
		return "";
	if (bytes.size == 16)
		context_vector_text(bytes.data, dump->big_endian, text, sizeof(text));
	else if (bytes.size == 10)
		context_x87_text(bytes.data, text, sizeof(text));
	else if (bytes.size > 16)
		snprintf(text, sizeof(text), "%" PRIu64 " bytes", bytes.size);
	else
		return "";
	return arena_string(collector->arena, text);
}

static const char *
digits_of(const struct collector *collector, const struct describe_value *value)
{
	const struct reader *dump = &collector->crash->reader;
	const bool bytes = value->kind == DESCRIBE_WORD || value->kind == DESCRIBE_BYTES;
	const uint32_t length = value->place.length;
	char text[2 * 16 + 1] = "";
	struct reader window;

	if (value->kind == DESCRIBE_HEX)
		return arena_format(
			collector->arena, "%0*" PRIx64, (int)value->digits, value->number);
	if (!bytes || length > 16 || !reader_window(dump, value->place.offset, length, &window))
		return "";
	/* A number is written with its highest byte first. */
	for (uint32_t i = 0; i < length; i++)
		snprintf(text + 2 * i, sizeof(text) - 2 * i, "%02x",
			window.data[dump->big_endian ? i : length - 1 - i]);
	return arena_string(collector->arena, text);
}

static void
add_value(struct collector *collector, enum context_group group, const char *name,
	const struct describe_value *value)
{
	struct context_state *state = collector->state;
	const char *note = value->note != NULL ? arena_string(collector->arena, value->note)
					       : number_note(collector, value);
	const char *text = digits_of(collector, value);
	name = arena_string(collector->arena, name);

	if (name != NULL && note != NULL && text != NULL)
		ARENA_ADD(collector->arena, state->values, state->count, state->capacity,
			  &(struct context_value){ group, name, text, note, value->place });
}

/* State component 2 of XSAVE (Intel SDM volume 1, 13.5.3): the high halves of ymm0 to ymm15. */
#define AVX_STATE "xsave.feature[2]"
#define AVX_REGISTERS 16u
#define AVX_HALF 16u

static void
context_state_take_value(void *context, const struct describe_value *value)
{
	static const char *const prefixes[] = { "fxsave.", "float_save.", "vector_save." };
	struct collector *collector = context;
	struct describe_value half = *value;
	const char *plain = value->name;
	char name[24];

	if (value->derived || value->place.input == NULL || is_walked(collector, value))
		return;
	if (strcmp(value->name, AVX_STATE) != 0 || value->place.length < AVX_REGISTERS * AVX_HALF) {
		/* The name without its structure: "fxsave.xmm3" becomes xmm3. */
		plain += text_begins(text_of(plain), prefixes, ARRAY_COUNT(prefixes));
		add_value(collector, group_of(value), plain, value);
		return;
	}
	half.place.length = AVX_HALF;
	for (unsigned i = 0; i < AVX_REGISTERS; i++) {
		snprintf(name, sizeof(name), "ymm%u high", i);
		add_value(collector, CONTEXT_VECTOR, name, &half);
		half.place.offset += AVX_HALF;
	}
}

void
context_state_find(struct context_state *state, const struct crash *crash,
	const struct crash_context *context, struct arena *arena)
{
	struct collector collector = { state, crash, context, arena };
	const struct describe_sink sink = { .value = context_state_take_value,
					    .context = &collector };

	*state = (struct context_state){ 0 };
	if (context->present)
		describe_processor(crash, context, &sink);
}
